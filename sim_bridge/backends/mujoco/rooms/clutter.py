"""Small things that people leave about: on tables, shelves, counters, beds and the floor. Decoration, never objects of a scene.

What may stand where is declared in `clutter_things`; where it stands follows from the drawn surfaces (`surfaces.tops`) and the room's seed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.rules import FromPack
from sim_bridge.backends.mujoco.meshes.shapes import Model
from sim_bridge.backends.mujoco.meshes.surfaces import Top, tops
from sim_bridge.backends.mujoco.models.lamps import MAKER as LAMP
from sim_bridge.backends.mujoco.models.lamps import unlit
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.rooms.clutter_things import COLOURS, FAMILIES, FLOORS, KIND_POOLS, LARGE, PAINTED, PLACES, POOLS
from sim_bridge.backends.mujoco.rooms.furnishing import Arranger, Piece, footprint

ROOM_FACES, HOUSE_FACES = 30_000, 8_000
"""Triangles of all small things of a single room, and of each room of a house: what a frame may cost decides (``bench frames``)."""
MOST_FACES = 6_000
"""Triangles of one small thing at most."""
LOWEST_M, HIGHEST_M = 0.3, 1.75
"""Heights above the floor between which things are put on furniture."""
SPARE_M = 0.012
"""Air between a thing and what is above it."""


@functools.lru_cache(maxsize=4096)
def _source(category: str) -> tuple[str, tuple[tuple[str, object], ...]] | None:
    """(maker, settings) of a category's own model; None where it has none."""
    for source in vocabulary.rule(category).sources:
        if not isinstance(source, FromPack):
            return source.maker, source.settings
    return None


@functools.lru_cache(maxsize=4096)
def _marks(category: str) -> frozenset[str]:
    """What two kinds share when one might be taken for the other."""
    found = {category, f"…{category.split('_')[-1]}"}
    source = _source(category)
    if source is not None:
        found.add(f"maker {source[0]}")
    found |= {f"family {i}" for i, names in enumerate(FAMILIES) if category in names}
    return frozenset(found)


def alike(category: str, others: Iterable[str]) -> bool:
    """Whether somebody might take a thing of this category for one of the others, or call both by one name."""
    mine = _marks(category)
    return any(mine & _marks(other) for other in others)


@functools.lru_cache(maxsize=512)
def painted(category: str, colour: int) -> Model | None:
    """The model of a small thing in one of `COLOURS`."""
    model = model_of(category)
    return model.coloured(COLOURS[colour]) if model is not None else None


@functools.lru_cache(maxsize=512)
def model_of(category: str) -> Model | None:
    """The closed model of a small thing, centred at the origin; None where it is not ours or has too many triangles."""
    source = _source(category)
    if source is None:
        return None
    model = make(source[0], **dict(source[1])).closed
    if source[0] == LAMP:
        model = unlit(model)
    return model.normalised() if model.faces <= MOST_FACES else None


# --- on furniture -----------------------------------------------------------------------------------------------------


def strew(a: Arranger, kind: str, avoid: Sequence[str], faces: int) -> None:
    """Put small things on the furniture of a room, up to a number of triangles.

    Args:
        kind: what kind of room it is, one of `FLOORS`.
        avoid: categories that nothing may be alike.
        faces: triangles of all of them together.
    """
    rng = np.random.default_rng([a.space.seed, 3])
    standing = [p for p in a.pieces if not p.flat]
    carriers = [p for p in a.pieces if _pools(kind, p)]
    order = [carriers[int(i)] for i in rng.permutation(len(carriers))]
    used: set[str] = set()
    for piece in order:
        pools = _pools(kind, piece)
        for top in _free_tops(a, piece, standing):
            count = min(6, max(1, round(top.area_m2 / 0.14)))
            for _ in range(count):
                if faces <= 0:
                    return
                category = _choose(rng, pools, avoid, used)
                put = None if category is None else _put(a, rng, piece, top, category)
                if put is None or category is None:
                    continue
                used.add(category)
                top, thing = put
                standing.append(thing)
                faces -= thing.model.faces


def _pools(kind: str, piece: Piece) -> tuple[str, ...]:
    return KIND_POOLS.get((kind, piece.category), PLACES.get(piece.category, ()))


def _choose(rng: np.random.Generator, pools: Sequence[str], avoid: Sequence[str], used: set[str]) -> str | None:
    """A category that is alike none to avoid and, for a few tries, not in the room yet."""
    pool = POOLS[pools[0] if len(pools) == 1 or rng.random() < 0.6 else pools[1]]
    for k in range(12):
        category = pool[int(rng.integers(len(pool)))]
        if (category in used and k < 8) or alike(category, avoid) or model_of(category) is None:
            continue
        return category
    return None


def _free_tops(a: Arranger, piece: Piece, standing: Sequence[Piece]) -> Iterator[Top]:
    """The tops of a piece within reach, without what stands on or leans over them by the time that each is asked for."""
    base = piece.centre_m[2] - a.space.floor_z_m
    for top in tops(piece.model):
        if not LOWEST_M <= base + top.z_m <= HIGHEST_M or top.free_height_m < 0.1:
            continue
        level = piece.centre_m[2] + top.z_m
        for other in standing:
            if other is piece or other.top_m < level + 0.002:
                continue
            rect = _seen_from(piece, other, level)
            if rect is not None:
                bottom = other.centre_m[2] - float(other.model.size[2]) / 2
                top = top.without(rect, max(0.0, bottom - level))
        yield top


def _seen_from(piece: Piece, other: Piece, level: float) -> tuple[float, float, float, float] | None:
    """Box, in the frame of `piece`, of what of `other` is above a height; None where that is elsewhere."""
    reach = float(np.hypot(*piece.model.size[:2]) + np.hypot(*other.model.size[:2])) / 2
    if math.dist(piece.centre_m[:2], other.centre_m[:2]) > reach:
        return None
    v = np.concatenate([p.vertices for p in other.model.parts])
    high = v[v[:, 2] + other.centre_m[2] > level + 0.001]
    if not len(high):
        return None
    world = high[:, 0, None] * other.right - high[:, 1, None] * other.forward + np.array(other.centre_m[:2])
    local = world - np.array(piece.centre_m[:2])
    x, y = local @ piece.right, -(local @ piece.forward)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _put(a: Arranger, rng: np.random.Generator, piece: Piece, top: Top, category: str) -> tuple[Top, Piece] | None:
    """Stand a thing on a top where there is room: the top without that place, and the thing."""
    model = painted(category, int(rng.integers(len(COLOURS)))) if category in PAINTED else model_of(category)
    if model is None:
        return None
    turn = float(rng.choice([0.0, 90.0, 180.0, 270.0])) if category in LARGE else float(rng.uniform(0, 360))
    x0, y0, x1, y1 = top.edge
    high = float(model.size[2])
    for _ in range(10):
        at = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
        rect = footprint(model.size, at, turn)
        if not top.holds(rect, high + SPARE_M):
            continue
        world = np.array(piece.centre_m[:2]) + piece.right * at[0] - piece.forward * at[1]
        z = piece.centre_m[2] + top.z_m + high / 2 + 0.0005
        thing = Piece(category, model, (float(world[0]), float(world[1]), z), (piece.yaw_deg + turn) % 360, on_wall=True)
        a.pieces.append(thing)
        return top.without(rect), thing
    return None


# --- on the floor -----------------------------------------------------------------------------------------------------


def scatter(a: Arranger, kind: str, avoid: Sequence[str], count: int) -> None:
    """Leave a few things on the floor, near walls and furniture, clear of doors and of what is in front of seats and drawers."""
    rng = np.random.default_rng([a.space.seed, 4])
    pools = FLOORS.get(kind, FLOORS["living_room"])
    used: set[str] = set()
    for _ in range(count):
        category = _choose(rng, pools, avoid, used)
        model = None if category is None else model_of(category)
        if category is None or model is None:
            continue
        for face in (a.space.faces[int(i)] for i in rng.permutation(len(a.space.faces))):
            along, out = float(rng.uniform(0.15, max(0.2, face.length_m - 0.15))), float(rng.uniform(0.02, 0.3))
            turn = 0.0 if category in LARGE or out < 0.08 else float(rng.uniform(-40, 40))
            yaw = (face.yaw_deg + turn) % 360
            box = footprint(model.size, (0.0, 0.0), yaw - face.yaw_deg)
            at = face.at(along, box[3] + out)
            if a.try_at(category, model, at, yaw):
                used.add(category)
                break
