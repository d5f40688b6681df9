"""Rectangular rooms: textured shell, window, door, and furniture along the walls where nothing of the task is.

Walls, floor and ceiling are single-sided: a camera outside looks in. Large faces are divided, because light is computed per vertex.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco import textures as tx
from sim_bridge.backends.mujoco.catalogue import Catalogue
from sim_bridge.backends.mujoco.shapes import Array, Colour, Model, Part, Texture, box, grid_faces
from sim_bridge.spec import Pose, Room, Scene

QUAD_M = 0.5
"""Edge of the quads that floor, walls and ceiling are divided into."""
CLEAR_RADIUS_M = 0.55
"""Half-width of the corridor kept free between the start and each object."""

WOODS: tuple[Colour, ...] = ((0.62, 0.43, 0.27), (0.72, 0.56, 0.38), (0.50, 0.33, 0.20), (0.66, 0.53, 0.40), (0.58, 0.46, 0.36))
WALLS: tuple[Colour, ...] = (
    (0.90, 0.88, 0.83),
    (0.86, 0.87, 0.84),
    (0.83, 0.86, 0.88),
    (0.91, 0.86, 0.77),
    (0.84, 0.87, 0.80),
    (0.89, 0.84, 0.82),
)
TILES: tuple[Colour, ...] = ((0.86, 0.85, 0.82), (0.74, 0.72, 0.69), (0.80, 0.75, 0.68), (0.62, 0.64, 0.66))
CARPETS: tuple[Colour, ...] = ((0.56, 0.55, 0.53), (0.60, 0.53, 0.45), (0.42, 0.47, 0.53), (0.50, 0.42, 0.40))


@dataclass(frozen=True)
class Style:
    """What a kind of room looks like and what stands in it."""

    floors: tuple[str, ...]
    walls: str
    furniture: tuple[str, ...]
    """Categories, the most typical first."""
    wall_things: tuple[str, ...] = ("picture",)
    lower_tiles: bool = False


STYLES: dict[str, Style] = {
    "living_room": Style(
        ("wood", "wood", "carpet"),
        "plaster",
        ("sofa", "bookcase", "tv_stand", "floor_lamp", "armchair", "house_plant", "console_table", "cabinet"),
    ),
    "bedroom": Style(("wood", "carpet"), "stripes", ("bed", "wardrobe", "nightstand", "dresser", "armchair", "floor_lamp", "house_plant")),
    "kitchen": Style(
        ("tile", "wood"),
        "plaster",
        ("fridge", "kitchen_cabinet", "oven", "kitchen_cabinet", "dishwasher", "trash_can", "bar_stool", "shelf"),
    ),
    "bathroom": Style(
        ("tile",), "plaster", ("washbasin", "toilet", "bathtub", "washer", "laundry_basket"), ("towel_rack",), lower_tiles=True
    ),
    "office": Style(
        ("carpet", "wood"),
        "plaster",
        ("desk", "bookcase", "filing_cabinet", "swivel_chair", "bookcase", "trash_can", "house_plant"),
        ("wall_clock", "picture"),
    ),
    "dining_room": Style(
        ("wood",), "stripes", ("sideboard", "china_cabinet", "dining_chair", "house_plant", "floor_lamp", "dining_chair", "console_table")
    ),
    "corridor": Style(("wood", "tile"), "plaster", ("console_table", "coatrack", "house_plant", "bench")),
    "lab": Style(("tile",), "plaster", ("lab_bench", "cabinet", "stool", "lab_bench", "fridge", "trash_can"), ("wall_clock",)),
    "store": Style(("tile",), "plaster", ("store_shelf", "store_shelf", "store_shelf", "fridge", "counter"), ()),
    "classroom": Style(("wood", "carpet"), "plaster", ("desk", "bookcase", "cabinet", "straight_chair", "whiteboard"), ("wall_clock",)),
    "garage": Style(("concrete",), "plaster", ("store_shelf", "workbench", "step_ladder", "trash_can", "cabinet"), ()),
    "storage_room": Style(("concrete", "tile"), "plaster", ("store_shelf", "cabinet", "store_shelf", "step_ladder"), ()),
    "restaurant": Style(("wood", "tile"), "stripes", ("sideboard", "dining_chair", "counter", "house_plant", "bar_stool", "floor_lamp")),
    "gym": Style(("wood",), "plaster", ("bench", "cabinet", "shelf", "trash_can"), ("wall_clock",)),
    "hall": Style(("tile", "wood"), "plaster", ("bench", "house_plant", "counter", "trash_can", "bench", "house_plant"), ("wall_clock",)),
}
_KINDS = {
    "childs_room": "bedroom",
    "playroom": "living_room",
    "television_room": "living_room",
    "lounge": "living_room",
    "lobby": "hall",
    "entryway": "corridor",
    "pantry_room": "storage_room",
    "utility_room": "storage_room",
    "closet": "storage_room",
    "private_office": "office",
    "shared_office": "office",
    "copy_room": "office",
    "meeting_room": "office",
    "conference_hall": "office",
    "computer_lab": "lab",
    "biology_lab": "lab",
    "chemistry_lab": "lab",
    "infirmary": "lab",
    "grocery_store": "store",
    "bar": "restaurant",
    "break_room": "restaurant",
    "dining_hall": "restaurant",
    "auditorium": "hall",
    "library": "classroom",
    "locker_room": "gym",
    "sauna": "gym",
    "spa": "gym",
    "staircase": "corridor",
    "empty_room": "living_room",
    "exercise_room": "gym",
}


def style_of(kind: str) -> Style:
    """Style of a room kind; unknown kinds look like a living room."""
    base = kind.strip().lower()
    if base not in STYLES and base not in _KINDS:
        base = base.rstrip("0123456789").rstrip("_")
    return STYLES.get(_KINDS.get(base, base), STYLES["living_room"])


def _pick(rng: np.random.Generator, choices: Sequence[Colour]) -> Colour:
    return choices[int(rng.integers(len(choices)))]


def _surface(origin: Array, across: Array, up: Array, texture: Texture, metres: float, **looks: Any) -> Part:
    """A divided rectangle with a texture that covers `metres` × `metres`."""
    width, height = float(np.linalg.norm(across)), float(np.linalg.norm(up))
    n, m = max(2, math.ceil(width / QUAD_M) + 1), max(2, math.ceil(height / QUAD_M) + 1)
    s, t = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, m))
    vertices = origin + s.reshape(-1, 1) * across + t.reshape(-1, 1) * up
    uv = np.stack([s.ravel() * width / metres, t.ravel() * height / metres], 1)
    return Part(vertices, grid_faces(m, n), uv=uv, texture=texture, **looks)


def _walls(r: Room) -> dict[str, tuple[Array, Array, Array]]:
    """Wall name → (lower left corner seen from inside, direction across, inward normal)."""
    x0, y0, x1, y1 = r.bounds_m
    z = r.floor_z_m
    return {
        "north": (np.array([x0, y1, z]), np.array([x1 - x0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])),
        "south": (np.array([x1, y0, z]), np.array([x0 - x1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])),
        "west": (np.array([x0, y0, z]), np.array([0.0, y1 - y0, 0.0]), np.array([1.0, 0.0, 0.0])),
        "east": (np.array([x1, y1, z]), np.array([0.0, y0 - y1, 0.0]), np.array([-1.0, 0.0, 0.0])),
    }


def openings(r: Room) -> dict[str, tuple[str, float, float, float, float]]:
    """wall → (kind, middle along the wall, width, sill, head), metres; deterministic in the room's seed."""
    rng = np.random.default_rng([r.seed, 21])
    names = ["north", "east", "south", "west"]
    first = int(rng.integers(4))
    found: dict[str, tuple[str, float, float, float, float]] = {}
    if r.height_m < 2.1:
        return found
    for name, kind in ((names[first], "window"), (names[(first + 1 + int(rng.integers(2))) % 4], "door")):
        length = float(np.linalg.norm(_walls(r)[name][1]))
        width = min(1.6 if kind == "window" else 0.9, length - 0.6)
        if width < 0.5:
            continue
        middle = (
            float(rng.uniform(0.35, 0.65)) * length if kind == "window" else float(rng.choice([width / 2 + 0.3, length - width / 2 - 0.3]))
        )
        found[name] = (kind, middle, width, 0.95 if kind == "window" else 0.0, min(2.15 if kind == "window" else 2.03, r.height_m - 0.1))
    return found


def _panel(
    wall: tuple[Array, Array, Array],
    middle: float,
    z: float,
    width: float,
    height: float,
    depth: float,
    **looks: Any,
) -> Part:
    """A box on the wall's inner face, its back on the wall."""
    corner, across, normal = wall
    direction = across / np.linalg.norm(across)
    part = box(width, depth, height, **looks)
    frame = np.stack([direction, -normal, np.array([0.0, 0.0, 1.0])], 1)
    base = corner + direction * middle + normal * (depth / 2) + np.array([0.0, 0.0, z])
    return part.mapped(lambda v: v @ frame.T + base)


def _sky(seed: int) -> Texture:
    """A bright outside: sky over a soft line of trees and grass."""
    h = 128
    y = np.linspace(1, 0, h)[:, None, None]
    sky = np.array([0.62, 0.80, 0.97]) * (0.85 + 0.15 * (1 - y)) + 0.12 * (1 - np.abs(y - 0.5))
    horizon = 0.36 + 0.10 * tx.noise(h, h, seed, 32, 4)[h // 2][None, :, None]
    trees = np.array([0.36, 0.50, 0.30]) * (0.7 + 0.5 * tx.noise(h, h, seed + 1, 8, 3)[..., None])
    grass = np.array([0.52, 0.66, 0.36]) * (0.85 + 0.2 * tx.noise(h, h, seed + 2, 8, 3)[..., None])
    image = np.where(y > horizon, np.broadcast_to(sky, (h, h, 3)), np.where(y > 0.24, trees, grass))
    return tx.to_image(image)


def shell(r: Room, lighting: str) -> list[Part]:
    """Floor, walls, ceiling, skirting, one window and one door."""
    rng = np.random.default_rng([r.seed, 1])
    style = style_of(r.kind)
    x0, y0, x1, y1 = r.bounds_m
    z, h = r.floor_z_m, r.height_m
    dx, dy, up = np.array([x1 - x0, 0.0, 0.0]), np.array([0.0, y1 - y0, 0.0]), np.array([0.0, 0.0, h])
    corner = np.array([x0, y0, z])
    seed = int(rng.integers(1 << 16))
    floor = style.floors[int(rng.integers(len(style.floors)))]
    parts: list[Part] = []
    if floor == "wood":
        texture, metres, looks = tx.planks(_pick(rng, WOODS), seed), 1.15, {"specular": 0.12, "shininess": 0.3}
    elif floor == "carpet":
        texture, metres, looks = tx.carpet(_pick(rng, CARPETS), seed), 0.9, {"specular": 0.0, "shininess": 0.0}
    elif floor == "concrete":
        texture, metres, looks = (
            tx.speckle((0.62, 0.61, 0.59), (0.56, 0.55, 0.54), seed, 512, 0.5, 128, 0.5),
            3.0,
            {"specular": 0.05, "shininess": 0.1},
        )
    else:
        texture, metres, looks = tx.tiles(_pick(rng, TILES), seed), 1.4, {"specular": 0.18, "shininess": 0.4}
    if floor == "wood" and rng.random() < 0.5:
        parts.append(_surface(corner + dx, dy, -dx, texture, metres, **looks))
    else:
        parts.append(_surface(corner, dx, dy, texture, metres, **looks))
    wall_colour = _pick(rng, WALLS)
    # Light that walls and ceiling would throw back at each other, which the renderer does not compute.
    bounce, above = (0.20, 0.36) if lighting == "day" else (0.0, 0.0)
    wall_texture = tx.stripes(wall_colour, seed) if style.walls == "stripes" else tx.plaster(wall_colour, seed)
    for base, across, _ in _walls(r).values():
        if style.lower_tiles and h > 1.6:
            tiled = np.array([0.0, 0.0, 1.4])
            parts.append(
                _surface(
                    base,
                    across,
                    tiled,
                    tx.tiles((0.90, 0.92, 0.92), seed, 512, 6, (0.72, 0.73, 0.73), 0.02),
                    1.2,
                    specular=0.15,
                    emission=bounce,
                )
            )
            parts.append(_surface(base + tiled, across, up - tiled, wall_texture, 1.2, specular=0.0, emission=bounce))
        else:
            parts.append(_surface(base, across, up, wall_texture, 1.2, specular=0.0, emission=bounce))
    parts.append(_surface(corner + up + dy, dx, -dy, tx.plaster((0.95, 0.95, 0.94), seed + 1), 2.0, specular=0.0, emission=above))
    parts.extend(_trim(r, lighting, seed, style))
    return parts


def _trim(r: Room, lighting: str, seed: int, style: Style) -> list[Part]:
    """Skirting boards, window and door."""
    white: dict[str, Any] = {"rgb": (0.93, 0.92, 0.90), "specular": 0.15}
    parts: list[Part] = []
    holes = openings(r)
    for name, wall in _walls(r).items():
        length = float(np.linalg.norm(wall[1]))
        spans = [(0.0, length)]
        if name in holes and holes[name][0] == "door":
            _, middle, width, _, _ = holes[name]
            spans = [(0.0, middle - width / 2 - 0.07), (middle + width / 2 + 0.07, length)]
        if not style.lower_tiles:
            for a, b in spans:
                if b - a > 0.05:
                    parts.append(
                        _panel(
                            wall,
                            (a + b) / 2,
                            r.floor_z_m,
                            b - a,
                            min(0.09, r.height_m / 10),
                            0.014,
                            divide=max(1, int((b - a) / QUAD_M)),
                            **white,
                        )
                    )
        if name not in holes:
            continue
        kind, middle, width, sill, head = holes[name]
        z = r.floor_z_m
        if kind == "window":
            glow = 0.85 if lighting == "day" else 0.12
            outside = (0.9, 0.95, 1.0) if lighting == "day" else (0.16, 0.18, 0.26)
            parts.append(
                _panel(
                    wall,
                    middle,
                    z + sill,
                    width,
                    head - sill,
                    0.006,
                    only=["front"],
                    texture=_sky(seed),
                    rgb=outside,
                    emission=glow,
                    specular=0.0,
                )
            )
            parts.append(_panel(wall, middle, z + sill - 0.05, width + 0.16, 0.05, 0.12, **white))
            for offset in (-width / 2, 0.0, width / 2):
                parts.append(_panel(wall, middle + offset, z + sill, 0.06, head - sill, 0.03, **white))
            for level in (sill, (sill + head) / 2, head - 0.06):
                parts.append(_panel(wall, middle, z + level, width + 0.06, 0.06 if level != (sill + head) / 2 else 0.035, 0.028, **white))
        else:
            leaf = tx.wood((0.60, 0.44, 0.29), seed, 256, 6.0)
            parts.append(_panel(wall, middle, z, width, head, 0.02, texture=leaf, specular=0.15))
            for level, tall in ((0.15, 0.75), (1.05, 0.8)):
                parts.append(
                    _panel(wall, middle, z + level, width * 0.68, tall, 0.028, texture=leaf, rgb=(0.93, 0.93, 0.93), specular=0.15)
                )
            for offset in (-width / 2 - 0.03, width / 2 + 0.03):
                parts.append(_panel(wall, middle + offset, z, 0.08, head + 0.07, 0.035, **white))
            parts.append(_panel(wall, middle, z + head, width + 0.14, 0.08, 0.035, **white))
            parts.append(
                _panel(wall, middle + width / 2 - 0.08, z + 1.0, 0.10, 0.025, 0.07, rgb=(0.75, 0.74, 0.70), specular=0.8, shininess=0.7)
            )
    return parts


# --- furniture --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """One piece of furniture: its model is centred at the origin and faces −y before the turn."""

    category: str
    model: Model
    centre_m: tuple[float, float, float]
    yaw_deg: float
    on_wall: bool = False


_REPEATABLE = (
    "bookcase",
    "cabinet",
    "armchair",
    "house_plant",
    "console_table",
    "kitchen_cabinet",
    "desk",
    "swivel_chair",
    "dining_chair",
    "bench",
    "lab_bench",
    "store_shelf",
    "counter",
)
"""What a large room may have twice."""


def _clear_discs(start: Pose, boxes: Sequence[tuple[Array, Array]]) -> list[tuple[float, float, float]]:
    """(x, y, radius) of floor discs that furniture must leave free: around the start, the objects, and the ways between."""
    discs = [(start.position_m[0], start.position_m[1], 0.8)]
    eye = np.array(start.position_m[:2])
    for low, high in boxes:
        centre = (low[:2] + high[:2]) / 2
        radius = float(np.linalg.norm(high[:2] - low[:2])) / 2
        discs.append((float(centre[0]), float(centre[1]), radius + 0.45))
        distance = float(np.linalg.norm(centre - eye))
        for t in np.linspace(0, 1, max(2, int(distance / 0.3)))[1:-1]:
            q = eye + (centre - eye) * t
            discs.append((float(q[0]), float(q[1]), CLEAR_RADIUS_M))
    return discs


def furnish(scene: Scene, start: Pose, boxes: Sequence[tuple[Array, Array]], catalogue: Catalogue) -> list[Piece]:
    """Furniture along the walls, deterministic in the room's kind and seed.

    Nothing stands within `Room.keep_clear_m` (or, when that is None, near the objects, the start and the ways between them), in
    front of a door, or shows a category that the task's objects have.
    """
    r = scene.room
    if not r.furnished:
        return []
    rng = np.random.default_rng([r.seed, 2])
    style = style_of(r.kind)
    taken_names = {catalogue.kind_of(o.category) for o in scene.objects}
    discs = _clear_discs(start, boxes) if r.keep_clear_m is None else [(start.position_m[0], start.position_m[1], 0.5)]
    keep = r.keep_clear_m
    rects: list[tuple[float, float, float, float]] = [] if keep is None else [keep]
    if keep is not None:
        rects += [(float(a[0]) - 0.05, float(a[1]) - 0.05, float(b[0]) + 0.05, float(b[1]) + 0.05) for a, b in boxes]
    walls = _walls(r)
    holes = openings(r)
    for name, (kind, middle, width, _, _) in holes.items():
        if kind == "door":
            corner, across, normal = walls[name]
            direction = across / np.linalg.norm(across)
            a, b = corner + direction * (middle - width / 2 - 0.1), corner + direction * (middle + width / 2 + 0.1) + normal * 0.9
            rects.append((min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
    area = (r.bounds_m[2] - r.bounds_m[0]) * (r.bounds_m[3] - r.bounds_m[1])
    wanted = [*style.furniture]
    if area > 45:
        wanted += [c for c in style.furniture if c in _REPEATABLE]
    limit = int(np.clip(area / 2.4, 2, 12))
    pieces: list[Piece] = []
    for category in wanted:
        if len(pieces) >= limit:
            break
        match = catalogue.lookup(category)
        if match.grade == "none" or catalogue.kind_of(category) in taken_names:
            continue
        model = catalogue.model(match).normalised()
        piece = _stand(rng, category, model, r, walls, holes, discs, rects, pieces)
        if piece is not None:
            pieces.append(piece)
            rects.append(_footprint(piece))
    pieces += _hang(rng, style, r, walls, holes, catalogue, taken_names, pieces, boxes)
    return pieces


def _footprint(piece: Piece) -> tuple[float, float, float, float]:
    size = piece.model.size
    w, d = (size[0], size[1]) if round(piece.yaw_deg / 90) % 2 == 0 else (size[1], size[0])
    x, y, _ = piece.centre_m
    return x - w / 2, y - d / 2, x + w / 2, y + d / 2


def _free(
    rect: tuple[float, float, float, float], discs: Sequence[tuple[float, float, float]], rects: Sequence[tuple[float, float, float, float]]
) -> bool:
    for x, y, radius in discs:
        dx, dy = max(rect[0] - x, 0.0, x - rect[2]), max(rect[1] - y, 0.0, y - rect[3])
        if math.hypot(dx, dy) < radius:
            return False
    return all(rect[0] >= b[2] or rect[2] <= b[0] or rect[1] >= b[3] or rect[3] <= b[1] for b in rects)


_YAW = {"north": 0.0, "east": -90.0, "south": 180.0, "west": 90.0}


def _stand(
    rng: np.random.Generator,
    category: str,
    model: Model,
    r: Room,
    walls: dict[str, tuple[Array, Array, Array]],
    holes: dict[str, tuple[str, float, float, float, float]],
    discs: Sequence[tuple[float, float, float]],
    rects: Sequence[tuple[float, float, float, float]],
    placed: Sequence[Piece],
) -> Piece | None:
    """A free place against a wall, tried in random order."""
    size = model.size
    if size[2] > r.height_m - 0.05:
        return None
    names = [str(n) for n in rng.permutation(list(walls))]
    # Spread: walls with less on them first.
    names.sort(key=lambda n: sum(1 for p in placed if p.yaw_deg == _YAW[n]))
    for name in names:
        corner, across, normal = walls[name]
        length = float(np.linalg.norm(across))
        if size[0] > length - 0.1 or size[1] > 0.45 * (area_depth(r, name)):
            continue
        direction = across / length
        for _ in range(14):
            along = float(rng.uniform(size[0] / 2 + 0.05, length - size[0] / 2 - 0.05))
            if name in holes and holes[name][0] == "window" and size[2] > holes[name][3]:
                _, middle, width, _, _ = holes[name]
                if abs(along - middle) < (width + size[0]) / 2 + 0.05:
                    continue
            centre = corner + direction * along + normal * (size[1] / 2 + 0.03)
            piece = Piece(category, model, (float(centre[0]), float(centre[1]), r.floor_z_m + float(size[2]) / 2), _YAW[name])
            if _free(_footprint(piece), discs, rects):
                return piece
    return None


def area_depth(r: Room, wall: str) -> float:
    """Depth of the room seen from a wall, metres."""
    x0, y0, x1, y1 = r.bounds_m
    return y1 - y0 if wall in ("north", "south") else x1 - x0


def _hang(
    rng: np.random.Generator,
    style: Style,
    r: Room,
    walls: dict[str, tuple[Array, Array, Array]],
    holes: dict[str, tuple[str, float, float, float, float]],
    catalogue: Catalogue,
    taken: set[str],
    placed: Sequence[Piece],
    boxes: Sequence[tuple[Array, Array]],
) -> list[Piece]:
    """Pictures and clocks at eye height on walls without an opening."""
    pieces: list[Piece] = []
    if r.height_m < 2.2:
        return pieces
    for name, (corner, across, normal) in walls.items():
        if name in holes or not style.wall_things:
            continue
        category = style.wall_things[len(pieces) % len(style.wall_things)]
        match = catalogue.lookup(category)
        if match.grade == "none" or catalogue.kind_of(category) in taken:
            continue
        model = catalogue.model(match, variant=int(rng.integers(6))).normalised()
        size = model.size
        length = float(np.linalg.norm(across))
        along = float(rng.uniform(0.35, 0.65)) * length
        centre = corner + across / length * along + normal * (size[1] / 2 + 0.004) + np.array([0, 0, 1.62])
        piece = Piece(category, model, (float(centre[0]), float(centre[1]), float(centre[2])), _YAW[name], on_wall=True)
        low, high = np.array(piece.centre_m) - 0.5, np.array(piece.centre_m) + 0.5
        behind = any(_overlap(_footprint(piece), _footprint(p)) and p.model.size[2] > 1.2 for p in placed)
        blocked = any(bool(np.all(low < b) and np.all(high > a)) for a, b in boxes)
        if not behind and not blocked and size[0] < length - 0.2:
            pieces.append(piece)
    return pieces


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]
