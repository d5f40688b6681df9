"""Rooms and houses as they look: floors and walls, and the furniture of their kinds (`kinds`) around the task's things, from kind and seed.

`build` gives everything but the task's objects, as groups of parts and furniture by room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Part, Texture, merge
from sim_bridge.backends.mujoco.rooms import clutter, house_shell, lights, lived_in, plates
from sim_bridge.backends.mujoco.rooms.furnishing import Arranger, Disc, Piece
from sim_bridge.backends.mujoco.rooms.house_shell import Space
from sim_bridge.backends.mujoco.rooms.kinds import base_kind, style_of
from sim_bridge.houses import Plan, navigation, plan_of
from sim_bridge.houses.outline import Rect
from sim_bridge.spec import Pose, Scene

CLEAR_RADIUS_M = 0.55
"""Half-width of the corridor kept free between the start and each object in a single room."""

WOODS: tuple[Colour, ...] = ((0.62, 0.43, 0.27), (0.72, 0.56, 0.38), (0.47, 0.33, 0.22), (0.66, 0.53, 0.40), (0.58, 0.46, 0.36))
TILES: tuple[Colour, ...] = ((0.86, 0.85, 0.82), (0.74, 0.72, 0.69), (0.80, 0.75, 0.68), (0.62, 0.64, 0.66))
CARPETS: tuple[Colour, ...] = ((0.56, 0.55, 0.53), (0.60, 0.53, 0.45), (0.42, 0.47, 0.53), (0.50, 0.42, 0.40))
CURTAINS: tuple[Colour, ...] = ((0.72, 0.66, 0.56), (0.44, 0.52, 0.58), (0.62, 0.44, 0.38), (0.50, 0.56, 0.46), (0.80, 0.78, 0.74))


@dataclass
class Group:
    """What belongs to one room, or to a door between two: shown and hidden together."""

    spaces: tuple[int, ...]
    """Indices of the rooms; empty: always there."""
    parts: list[Part]
    pieces: list[Piece] = field(default_factory=list)


def room_name(scene: Scene, point: tuple[float, float]) -> str | None:
    """Name of the room in which a floor point lies: of the house's rooms, or the kind of the one; None outside."""
    if scene.house is not None:
        return plan_of(scene.house).room_at(point)
    x0, y0, x1, y1 = scene.room.bounds_m
    return scene.room.kind if x0 <= point[0] <= x1 and y0 <= point[1] <= y1 else None


# --- the shell by style -----------------------------------------------------------------------------------------------


def _pick(rng: np.random.Generator, choices: Sequence[Colour]) -> Colour:
    return choices[int(rng.integers(len(choices)))]


def _floor_looks(rng: np.random.Generator, kind: str, seed: int) -> tuple[Texture, float, dict[str, Any]]:
    """Texture, the metres that it covers, and material of a floor."""
    if kind == "wood":
        return tx.planks(_pick(rng, WOODS), seed), 1.15, {"specular": 0.12, "shininess": 0.3}
    if kind == "carpet":
        return tx.carpet(_pick(rng, CARPETS), seed), 0.9, {"specular": 0.0, "shininess": 0.0}
    if kind == "concrete":
        texture = tx.speckle((0.62, 0.61, 0.59), (0.56, 0.55, 0.54), seed, 512, 0.5, 128, 0.5)
        return texture, 3.0, {"specular": 0.05, "shininess": 0.1}
    return tx.tiles(_pick(rng, TILES), seed), 1.4, {"specular": 0.18, "shininess": 0.4}


def shell(space: Space, lighting: str, lived: bool = False, rounds: Sequence[tuple[float, float, float]] = ()) -> list[Part]:
    """Floor, walls, ceiling, skirting, windows, closed doors, signs; at night lamps light `rounds` of the floor."""
    rng = np.random.default_rng([space.seed, 1])
    style = style_of(space.kind, lived)
    seed = int(rng.integers(1 << 16))
    floor = style.floors[int(rng.integers(len(style.floors)))]
    texture, metres, looks = _floor_looks(rng, floor, seed % 8)
    quad = house_shell.FINE_M if lighting == "night" else house_shell.QUAD_M
    parts = house_shell.floor(space, texture, metres, floor == "wood" and rng.random() < 0.5, quad, rounds, **looks)
    colour = _pick(rng, style.colours)
    light = lights.SURFACES[lighting]
    matt = {"specular": 0.0, "emission": light.wall_glow}
    paint = tx.stripes(colour, seed % 8) if style.walls == "stripes" else tx.plaster(colour, seed % 8)
    if style.lower_tiles and space.height_m > 1.6:
        tiled = tx.tiles((0.90, 0.92, 0.92), seed % 8, 512, 6, (0.72, 0.73, 0.73), 0.02)
        parts += house_shell.wall_faces(space, 0.0, 1.4, tiled, 1.2, specular=0.15, emission=light.wall_glow)
        parts += house_shell.wall_faces(space, 1.4, space.height_m, paint, 1.2, **matt)
    else:
        parts += house_shell.wall_faces(space, 0.0, space.height_m, paint, 1.2, **matt)
        parts += house_shell.skirting(space)
    parts += house_shell.ceiling(space, tx.plaster((0.95, 0.95, 0.94), seed % 8 + 1), specular=0.0, emission=light.ceiling_glow)
    curtains = _pick(rng, CURTAINS) if style.curtains and rng.random() < 0.85 else None
    parts += house_shell.windows(space, curtains) + house_shell.closed_doors(space) + house_shell.signs(space)
    return parts


# --- rooms and houses -------------------------------------------------------------------------------------------------


def build(scene: Scene, start: Pose, boxes: Sequence[tuple[Array, Array]], catalogue: Catalogue) -> list[Group]:
    """Everything around the task's objects, whose world boxes are given."""
    rooms = house_shell.spaces(scene)
    plan = plan_of(scene.house) if scene.house else None
    furniture = furnish(scene, start, boxes, catalogue)
    light = lights.SURFACES[scene.lighting]
    groups = []
    for i, space in enumerate(rooms):
        parts = shell(space, scene.lighting, scene.room.arrangement == "lived_in", lights.rounds(scene))
        if space.height_m > 2.1:
            at = lights.lamp_place(scene, space)
            parts += house_shell.ceiling_lamp(at, space.floor_z_m + space.height_m, light.lamp_glow)
        feet = [p.foot for p in furniture[i] if not p.on_wall and not p.flat]
        groups.append(Group((i,), merge(parts) + house_shell.shade(space, feet), furniture[i]))
    around = rooms[0].bounds if plan is None else plan.bounds_m
    groups.append(Group((), house_shell.backdrop(around, scene.room.floor_z_m, rooms[0].seed % 3, light.sky, light.sky_glow)))
    if plan is not None:
        order = {name: i for i, name in enumerate(plan.names)}
        for k, door in enumerate(plan.doors):
            both = (order[door.rooms[0]], order[door.rooms[1]])
            groups.append(Group(both, merge(house_shell.doorway(plan, door, scene.room, plan.seed + 5 * k))))
        groups.append(Group((), house_shell.wall_tops(plan, scene.room)))
    return groups


def furnish(scene: Scene, start: Pose, boxes: Sequence[tuple[Array, Array]], catalogue: Catalogue) -> list[list[Piece]]:
    """Furniture by room, deterministic in the rooms' kinds and seeds.

    Nothing stands within `Room.keep_clear_m` (or, when that is None, near the objects and the start and, in a single room, on the ways
    between them), in a doorway, or shows a category that the task's objects have (where it is ``lived_in``, nothing alike either).
    """
    rooms = house_shell.spaces(scene)
    if not scene.room.furnished:
        return [[] for _ in rooms]
    keep = scene.room.keep_clear_m
    eye = start.position_m
    taken = {catalogue.kind_of(o.category) for o in scene.objects}
    categories = {o.category for o in scene.objects}
    rects: list[Rect] = []
    if keep is not None:
        discs: list[Disc] = [(eye[0], eye[1], 0.5)]
        rects = [keep, *((float(a[0]) - 0.05, float(a[1]) - 0.05, float(b[0]) + 0.05, float(b[1]) + 0.05) for a, b in boxes)]
    elif scene.house is None:
        discs = _clear_discs(start, boxes)
    else:
        discs = [(eye[0], eye[1], 0.7), *(_around(low, high, 0.35) for low, high in boxes)]
    lived, in_house = scene.room.arrangement == "lived_in", scene.house is not None
    avoid = sorted(categories | set(scene.room.without)) if lived else []
    arrangers: list[Arranger] = []
    for space in rooms:
        rng = np.random.default_rng([space.seed, 2])
        along_walls = style_of(space.kind, lived).arrange
        if lived:
            more = taken | {catalogue.kind_of(name) for name in scene.room.without}
            inhabited = lived_in.Lived(space, rng, catalogue, more, set(avoid), discs, rects)
            lived_in.arrange(inhabited, base_kind(space.kind, lived), along_walls, avoid, in_house)
            arrangers.append(inhabited)
        else:
            arrangers.append(Arranger(space, rng, catalogue, taken, categories, discs, rects))
            along_walls(arrangers[-1])
    furniture = [a.pieces for a in arrangers]
    if lived:
        for space, pieces in zip(rooms, furniture, strict=True):
            plates.uncover(space, pieces)
    if scene.house is not None:
        _clear_ways(plan_of(scene.house), furniture)
    if lived:
        faces = clutter.HOUSE_FACES if in_house else clutter.ROOM_FACES
        for a, space in zip(arrangers, rooms, strict=True):
            clutter.strew(a, base_kind(space.kind, lived), avoid, faces)
    return furniture


def wall_boxes(scene: Scene) -> list[tuple[Array, Array]]:
    """(centre, half) of solid boxes inside a house that cameras and objects cannot pass: walls and open door leaves."""
    if scene.house is None:
        return []
    plan, r = plan_of(scene.house), scene.room
    found = house_shell.wall_boxes(plan, r)
    for door in plan.doors:
        leaf = plan.leaf_segment(door)
        if leaf:
            (ax, ay), (bx, by) = leaf
            half = np.array([abs(bx - ax) / 2 + 0.02, abs(by - ay) / 2 + 0.02, house_shell.DOOR_HEAD_M / 2])
            found.append((np.array([(ax + bx) / 2, (ay + by) / 2, r.floor_z_m + half[2]]), half))
    return found


def _clear_ways(plan: Plan, furniture: list[list[Piece]]) -> None:
    """Take furniture away, the last placed first, until one can walk from every door of a room to every other."""
    for i, name in enumerate(plan.names):
        doors = [d for d in plan.doors if name in d.rooms]
        pieces = furniture[i]
        while True:
            feet = [p.footprint for p in pieces if not p.on_wall and not p.flat]
            grid = navigation.grid(plan, feet)
            ways = [grid.path(doors[0].centre_m, d.centre_m) for d in doors[1:]]
            standing = [p for p in pieces if not p.on_wall and not p.flat]
            if all(w is not None for w in ways) or not standing:
                break
            gone = standing[-1]
            pieces[:] = [p for p in pieces if p is not gone and not (p.on_wall and _over(p, gone))]


def _over(p: Piece, under: Piece) -> bool:
    """Whether a thing stands on another."""
    r = under.footprint
    return r[0] <= p.centre_m[0] <= r[2] and r[1] <= p.centre_m[1] <= r[3]


def _around(low: Array, high: Array, more: float) -> Disc:
    centre = (low[:2] + high[:2]) / 2
    return float(centre[0]), float(centre[1]), float(np.linalg.norm(high[:2] - low[:2])) / 2 + more


def _clear_discs(start: Pose, boxes: Sequence[tuple[Array, Array]]) -> list[Disc]:
    """Floor that furniture must leave free: around the start, the objects, and the ways between."""
    discs = [(start.position_m[0], start.position_m[1], 0.8)]
    eye = np.array(start.position_m[:2])
    for low, high in boxes:
        centre = (low[:2] + high[:2]) / 2
        discs.append(_around(low, high, 0.45))
        distance = float(np.linalg.norm(centre - eye))
        for t in np.linspace(0, 1, max(2, int(distance / 0.3)))[1:-1]:
            q = eye + (centre - eye) * t
            discs.append((float(q[0]), float(q[1]), CLEAR_RADIUS_M))
    return discs


def top_view(scene: Scene, margin_m: float = 0.4) -> Pose:
    """A camera above the middle of the room or house that sees all of it; ceilings are single-sided, so it looks in. North (+y) is up."""
    x0, y0, x1, y1 = plan_of(scene.house).bounds_m if scene.house else scene.room.bounds_m
    across = math.tan(math.radians(scene.camera.hfov_deg) / 2)
    upward = across * scene.camera.height / scene.camera.width
    height = max(((x1 - x0) / 2 + margin_m) / across, ((y1 - y0) / 2 + margin_m) / upward)
    z = scene.room.floor_z_m + scene.room.height_m + height
    return Pose(((x0 + x1) / 2, (y0 + y1) / 2, z), (0.0, 0.0, 0.0, 1.0))
