"""The fixed shell of rooms and houses: floors, walls with real openings, ceilings, doors, windows, skirting, signs. Pure numpy.

A `Space` is one room, alone or in a house: its inner wall faces with their openings and its floor. Faces are single-sided, so that a camera
outside or above looks in. Large faces are divided, because light is computed per vertex.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Part, Texture, axis_rotation, box, grid_faces, lathe, merge
from sim_bridge.houses import Plan, plan_of
from sim_bridge.houses.outline import WALL_M, Point, Rect, inside
from sim_bridge.spec import HouseDoor, HouseWindow, Room, Scene

QUAD_M = 0.5
"""Edge of the quads that floor, walls and ceiling are divided into."""
FINE_M = 0.03
"""The floor's at night, when a lamp's round of light has an edge."""
EDGE_SPLITS = 2
"""There it is halved so many times again: teeth of 7.5 mm are a pixel or two."""
DOOR_HEAD_M, WINDOW_SILL_M, WINDOW_HEAD_M = 2.05, 0.92, 2.15
REVEAL_M = 0.14
"""Depth of windows and front doors in the outer wall."""
SIGN_M = (0.98, 0.26)
"""Width and height of a room's name plate: letters of about 0.13 m, 17 pixels tall from 3 m away at 640 × 480 and 75°."""
SIGN_Z_M = 2.32
SIGN_FROM_M = 0.9
"""Before a doorway one looks into a room from here: its name should then be read whole."""
SHADE_ALPHA = 0.04
BACKDROP_MAX_M = 52.0
"""Radius beyond which the outdoors would leave the view (far plane 60 m)."""

WHITE: dict[str, Any] = {"rgb": (0.93, 0.92, 0.90), "specular": 0.15}
STEEL: dict[str, Any] = {"rgb": (0.75, 0.74, 0.70), "specular": 0.8, "shininess": 0.7}


@dataclass(frozen=True)
class Opening:
    """A hole in a face."""

    kind: str
    """``window``, ``closed`` (a door that stays shut), or ``open`` (a doorway to another room)."""
    middle_m: float
    """From the face's left end, seen from inside."""
    width_m: float
    sill_m: float
    head_m: float

    @property
    def span(self) -> tuple[float, float]:
        return self.middle_m - self.width_m / 2, self.middle_m + self.width_m / 2


@dataclass(frozen=True)
class Face:
    """One inner wall face."""

    left: Point
    """Its left end, seen from inside."""
    right: Point
    openings: tuple[Opening, ...] = ()

    @property
    def length_m(self) -> float:
        return math.dist(self.left, self.right)

    @property
    def direction(self) -> Array:
        """Unit vector from left to right."""
        d = np.array([self.right[0] - self.left[0], self.right[1] - self.left[1], 0.0])
        return np.asarray(d / np.linalg.norm(d))

    @property
    def normal(self) -> Array:
        """Unit vector into the room."""
        d = self.direction
        return np.array([d[1], -d[0], 0.0])

    @property
    def yaw_deg(self) -> float:
        """Turn about z of a thing that faces −y, so that its back stands to this face."""
        n = self.normal
        return round(math.degrees(math.atan2(n[0], -n[1])) / 90) * 90.0

    def at(self, along: float, out: float = 0.0, z: float = 0.0) -> Array:
        """World point `along` from the left end, `out` from the face into the room, at height z."""
        return np.array([self.left[0], self.left[1], z]) + self.direction * along + self.normal * out

    def place(self, part: Part, along: float, z: float, out: float = 0.0) -> Part:
        """A part built about the origin, facing −y with its back at y = 0, set on the face."""
        frame = np.stack([self.direction, -self.normal, np.array([0.0, 0.0, 1.0])], 1)
        base = self.at(along, out, z)
        return part.mapped(lambda v: v @ frame.T + base)

    def panel(self, along: float, z: float, width: float, height: float, depth: float, **looks: Any) -> Part:
        """A box on the face."""
        return self.place(box(width, depth, height, **looks).moved(y=-depth / 2), along, z)


@dataclass(frozen=True)
class Space:
    """One room as it is built."""

    name: str
    kind: str
    seed: int
    outline: tuple[Point, ...]
    """Its inner outline, counter-clockwise."""
    faces: tuple[Face, ...]
    floor_z_m: float
    height_m: float
    label: str = ""
    """Words of its name plates; empty: none."""
    keep: tuple[Rect, ...] = ()
    """Floor that must stay free: doorways and open door leaves."""
    signs_face_doors: bool = False
    """Whether its name plates hang where they are read whole through its doorways; else nearest to the middle of their walls."""

    @property
    def rects(self) -> list[Rect]:
        """The floor as rectangles that do not overlap."""
        xs, ys = sorted({p[0] for p in self.outline}), sorted({p[1] for p in self.outline})
        found = []
        for a, b in itertools.pairwise(xs):
            for c, d in itertools.pairwise(ys):
                if inside(self.outline, ((a + b) / 2, (c + d) / 2)):
                    found.append((a, c, b, d))
        return found

    @property
    def bounds(self) -> Rect:
        xs, ys = [p[0] for p in self.outline], [p[1] for p in self.outline]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def area_m2(self) -> float:
        return sum((r[2] - r[0]) * (r[3] - r[1]) for r in self.rects)

    @property
    def middle(self) -> Point:
        """Middle of the largest rectangle within the outline that spans it in one direction."""
        x0, y0, x1, y1 = max(self._spans(), key=lambda r: (r[2] - r[0]) * (r[3] - r[1]))
        return (x0 + x1) / 2, (y0 + y1) / 2

    def _spans(self) -> list[Rect]:
        spans = list(self.rects)
        for a in self.rects:
            for b in self.rects:
                if a[0] == b[0] and a[2] == b[2] and a[3] == b[1]:
                    spans.append((a[0], a[1], a[2], b[3]))
                if a[1] == b[1] and a[3] == b[3] and a[2] == b[0]:
                    spans.append((a[0], a[1], b[2], a[3]))
        return spans

    def holds(self, rect: Rect) -> bool:
        """Whether a rectangle lies within the room."""
        x0, y0, x1, y1 = rect
        e = 1e-6
        corners = ((x0 + e, y0 + e), (x1 - e, y0 + e), (x1 - e, y1 - e), (x0 + e, y1 - e))
        poked = any(x0 + e < p[0] < x1 - e and y0 + e < p[1] < y1 - e for p in self.outline)
        return not poked and all(inside(self.outline, c) for c in corners)


# --- spaces -----------------------------------------------------------------------------------------------------------


def room_space(room: Room) -> Space:
    """The one room of a scene, with a window and a closed door."""
    x0, y0, x1, y1 = room.bounds_m
    ring = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    holes = _room_openings(room)
    faces, keep = [], []
    for (a, b), name in zip(zip(ring, (*ring[1:], ring[0]), strict=True), ("south", "east", "north", "west"), strict=True):
        face = Face(b, a, (holes[name],) if name in holes else ())
        faces.append(face)
        if name in holes and holes[name].kind == "closed":
            keep.append(_zone(face, holes[name], 0.9))
    return Space("room", room.kind, room.seed, ring, tuple(faces), room.floor_z_m, room.height_m, keep=tuple(keep))


def _room_openings(r: Room) -> dict[str, Opening]:
    """wall → its window or door; deterministic in the room's seed."""
    rng = np.random.default_rng([r.seed, 21])
    x0, y0, x1, y1 = r.bounds_m
    names = ["north", "east", "south", "west"]
    first = int(rng.integers(4))
    found: dict[str, Opening] = {}
    if r.height_m < 2.1:
        return found
    for name, kind in ((names[first], "window"), (names[(first + 1 + int(rng.integers(2))) % 4], "closed")):
        length = x1 - x0 if name in ("north", "south") else y1 - y0
        width = min(1.6 if kind == "window" else 0.9, length - 0.6)
        if width < 0.5:
            continue
        if kind == "window":
            found[name] = Opening(kind, float(rng.uniform(0.35, 0.65)) * length, width, WINDOW_SILL_M, min(WINDOW_HEAD_M, r.height_m - 0.1))
        else:
            middle = float(rng.choice([width / 2 + 0.3, length - width / 2 - 0.3]))
            found[name] = Opening(kind, middle, width, 0.0, min(DOOR_HEAD_M, r.height_m - 0.1))
    return found


def house_spaces(plan: Plan, room: Room, labels: bool) -> list[Space]:
    """The rooms of a house, in the plan's order."""
    spaces = []
    for i, r in enumerate(plan.rooms):
        ring = plan.inner(r.name)
        faces: list[Face] = []
        keep: list[Rect] = []
        for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
            face = Face(b, a)
            holes = []
            for d in plan.doors:
                if r.name in d.rooms and (along := _along(face, d)) is not None:
                    holes.append(Opening("open", along, d.width_m, 0.0, DOOR_HEAD_M))
                    keep.append(_zone(face, holes[-1], 0.85))
            for w in plan.windows:
                if w.room == r.name and (along := _along(face, w)) is not None:
                    if w.kind == "entrance":
                        holes.append(Opening("closed", along, w.width_m, 0.0, DOOR_HEAD_M))
                        keep.append(_zone(face, holes[-1], 0.9))
                    else:
                        sill = 1.3 if r.kind in ("bathroom", "storage_room") else 1.05 if r.kind == "kitchen" else WINDOW_SILL_M
                        holes.append(Opening("window", along, w.width_m, sill, WINDOW_HEAD_M))
            faces.append(replace(face, openings=tuple(sorted(holes, key=lambda o: o.middle_m))))
        for d in plan.doors:
            leaf = plan.leaf_segment(d) if d.leaf == r.name else None
            if leaf:
                (ax, ay), (bx, by) = leaf
                keep.append((min(ax, bx) - 0.08, min(ay, by) - 0.08, max(ax, bx) + 0.08, max(ay, by) + 0.08))
        seed = (plan.seed * 64 + i) % (1 << 31)
        spaces.append(
            Space(
                r.name,
                r.kind,
                seed,
                ring,
                tuple(faces),
                room.floor_z_m,
                room.height_m,
                label=r.name if labels else "",
                keep=tuple(keep),
                signs_face_doors=room.arrangement == "lived_in",
            )
        )
    return spaces


def spaces(scene: Scene) -> list[Space]:
    """The rooms of a scene: of its house, or the one."""
    if scene.house is None:
        return [room_space(scene.room)]
    return house_spaces(plan_of(scene.house), scene.room, scene.house.show_labels)


def _along(face: Face, hole: HouseDoor | HouseWindow) -> float | None:
    """Where a hole of the plan lies on a face; None where it is in another."""
    d, n = face.direction, face.normal
    runs = "x" if abs(d[0]) > 0.5 else "y"
    to = np.array([hole.centre_m[0] - face.left[0], hole.centre_m[1] - face.left[1], 0.0])
    along = float(to @ d)
    if hole.along != runs or abs(float(to @ n) + WALL_M / 2) > 0.02 or not 0.0 < along < face.length_m:
        return None
    return along


def _zone(face: Face, hole: Opening, deep: float) -> Rect:
    a, b = face.at(hole.span[0] - 0.1), face.at(hole.span[1] + 0.1, deep)
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


# --- surfaces ---------------------------------------------------------------------------------------------------------


def _patch(
    origin: Array, across: Array, up: Array, uv0: Point, texture: Texture, metres: float, quad_m: float = QUAD_M, **looks: Any
) -> Part:
    """A rectangle divided into quads; the texture covers `metres` × `metres` and starts at `uv0` metres."""
    width, height = float(np.linalg.norm(across)), float(np.linalg.norm(up))
    n, m = max(2, math.ceil(width / quad_m) + 1), max(2, math.ceil(height / quad_m) + 1)
    s, t = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, m))
    vertices = origin + s.reshape(-1, 1) * across + t.reshape(-1, 1) * up
    uv = np.stack([(uv0[0] + s.ravel() * width) / metres, (uv0[1] + t.ravel() * height) / metres], 1)
    return Part(vertices, grid_faces(m, n), uv=uv, texture=texture, **looks)


def floor(
    space: Space, texture: Texture, metres: float, across_y: bool, quad_m: float = QUAD_M,
    rounds: Sequence[tuple[float, float, float]] = (), **looks: Any,
) -> list[Part]:  # fmt: skip
    """The floor; boards run along y where `across_y`; lamps light `rounds` of it (`lights.rounds`)."""
    parts = []
    for x0, y0, x1, y1 in space.rects:
        z = space.floor_z_m
        if across_y:
            origin, a, b = np.array([x1, y0, z]), np.array([0.0, y1 - y0, 0.0]), np.array([x0 - x1, 0.0, 0.0])
            uv0 = (y0, -x1)
        else:
            origin, a, b, uv0 = np.array([x0, y0, z]), np.array([x1 - x0, 0.0, 0.0]), np.array([0.0, y1 - y0, 0.0]), (x0, y0)
        parts.append(smooth_edges(_patch(origin, a, b, uv0, texture, metres, quad_m, **looks), rounds))
    return merge(parts)


def smooth_edges(part: Part, rounds: Sequence[tuple[float, float, float]]) -> Part:
    """A level part with finer triangles along circles (x, y, radius), where light ends: it is computed at corners alone."""
    vertices, faces, uv = part.vertices, part.faces, part.uv
    assert uv is not None
    for n in range(EDGE_SPLITS):
        corners = vertices[faces][..., :2]
        crossed = np.zeros(len(faces), bool)
        for x, y, radius in rounds:
            off = np.abs(np.linalg.norm(corners - (x, y), axis=2) - radius)
            crossed |= off.min(1) < FINE_M / 2**n
        split = faces[crossed]
        middles = (vertices[split] + vertices[np.roll(split, -1, axis=1)]) / 2
        new = len(vertices) + np.arange(len(split) * 3).reshape(-1, 3)
        between = (uv[split] + uv[np.roll(split, -1, axis=1)]) / 2
        vertices, uv = np.concatenate([vertices, middles.reshape(-1, 3)]), np.concatenate([uv, between.reshape(-1, 2)])
        (a, b, c), (ab, bc, ca) = split.T, new.T
        quarters = [np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        faces = np.concatenate([faces[~crossed], *quarters])
    return replace(part, vertices=vertices, faces=faces, uv=uv)


def ceiling(space: Space, texture: Texture, **looks: Any) -> list[Part]:
    """The ceiling, seen from below alone."""
    z = space.floor_z_m + space.height_m
    return merge(
        _patch(np.array([x0, y1, z]), np.array([x1 - x0, 0.0, 0.0]), np.array([0.0, y0 - y1, 0.0]), (x0, -y1), texture, 2.0, **looks)
        for x0, y0, x1, y1 in space.rects
    )


def wall_faces(space: Space, low_m: float, high_m: float, texture: Texture, metres: float, **looks: Any) -> list[Part]:
    """All walls between two heights above the floor, without their openings."""
    parts = []
    for face in space.faces:
        cuts = sorted({0.0, face.length_m, *(c for o in face.openings for c in o.span)})
        for a, b in itertools.pairwise(cuts):
            if b - a < 1e-6:
                continue
            hole = next((o for o in face.openings if o.span[0] < (a + b) / 2 < o.span[1]), None)
            for z0, z1 in [(0.0, space.height_m)] if hole is None else [(0.0, hole.sill_m), (hole.head_m, space.height_m)]:
                z0, z1 = max(z0, low_m), min(z1, high_m)
                if z1 - z0 > 1e-6:
                    origin = face.at(a, 0.0, space.floor_z_m + z0)
                    up = np.array([0.0, 0.0, z1 - z0])
                    parts.append(_patch(origin, face.direction * (b - a), up, (a, z0), texture, metres, **looks))
    return merge(parts)


def skirting(space: Space) -> list[Part]:
    """Boards along the foot of the walls, cut at doors."""
    parts = []
    high = min(0.08, space.height_m / 10)
    for face in space.faces:
        edges = [0.0]
        for o in face.openings:
            if o.sill_m == 0.0:
                edges += [o.span[0] - 0.07, o.span[1] + 0.07]
        edges.append(face.length_m)
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            if b - a > 0.03:
                part = box(b - a, 0.014, high, only=["front", "top"], divide=max(1, int((b - a) / QUAD_M)), **WHITE)
                parts.append(face.place(part.moved(y=-0.007), (a + b) / 2, space.floor_z_m))
    return parts


def shade(space: Space, feet: Sequence[Rect]) -> list[Part]:
    """Soft shade where floor meets walls and furniture: flat see-through rectangles, each a little smaller than the last."""
    parts = []
    for level, grow in enumerate((0.13, 0.095, 0.065, 0.04, 0.015)):
        z = space.floor_z_m + 0.0012 + 0.0005 * level
        rects = [(r[0] - grow, r[1] - grow, r[2] + grow, r[3] + grow) for r in feet]
        for face in space.faces:
            a, b = face.at(0.0), face.at(face.length_m, 1.6 * grow)
            rects.append((min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
        clipped = [q for r in rects for q in (_clip(r, s) for s in space.rects) if q is not None]
        for q in _disjoint(clipped):
            v = np.array([[q[0], q[1], z], [q[2], q[1], z], [q[2], q[3], z], [q[0], q[3], z]])
            parts.append(Part(v, np.array([[0, 1, 2], [0, 2, 3]]), rgb=(0.05, 0.04, 0.03), alpha=SHADE_ALPHA, specular=0.0, shininess=0.0))
    # Kept apart: parts of one look would be joined, and one mesh of layers over each other would not blend in order.
    return parts_by_height(parts)


def parts_by_height(parts: Sequence[Part]) -> list[Part]:
    """Flat parts joined by their height."""
    levels: dict[float, list[Part]] = {}
    for p in parts:
        levels.setdefault(round(float(p.vertices[0, 2]), 6), []).append(p)
    return [q for z in sorted(levels) for q in merge(levels[z])]


def _clip(r: Rect, s: Rect) -> Rect | None:
    q = max(r[0], s[0]), max(r[1], s[1]), min(r[2], s[2]), min(r[3], s[3])
    return q if q[2] - q[0] > 1e-6 and q[3] - q[1] > 1e-6 else None


def _disjoint(rects: Sequence[Rect]) -> list[Rect]:
    """The union of rectangles as rectangles that do not overlap: see-through ones would show twice as dark."""
    xs = sorted({x for r in rects for x in (r[0], r[2])})
    out: list[Rect] = []
    for a, b in itertools.pairwise(xs):
        if b - a < 1e-7:
            continue
        spans = sorted((r[1], r[3]) for r in rects if r[0] < (a + b) / 2 < r[2])
        merged: list[list[float]] = []
        for low, high in spans:
            if merged and low <= merged[-1][1] + 1e-9:
                merged[-1][1] = max(merged[-1][1], high)
            else:
                merged.append([low, high])
        out += [(a, low, b, high) for low, high in merged]
    return out


# --- doors and windows ------------------------------------------------------------------------------------------------


def _reveal(face: Face, hole: Opening, floor_z: float, depth: float, **looks: Any) -> list[Part]:
    """The four sides of an opening, from the face outward: left, right, upper, lower."""
    a, b = hole.span
    z0, z1 = floor_z + hole.sill_m, floor_z + hole.head_m
    out = -face.normal * depth
    up = np.array([0.0, 0.0, z1 - z0])
    across = face.direction * (b - a)
    sides = [
        (face.at(a, 0, z0), out, up),
        (face.at(b, -depth, z0), -out, up),
        (face.at(a, -depth, z1), across, -out),
        (face.at(a, 0, z0 + (0.0 if hole.sill_m > 0 else 0.002)), across, out),
    ]
    parts = []
    for origin, u, v in sides:
        q = np.array([origin, origin + u, origin + u + v, origin + v])
        parts.append(Part(q, np.array([[0, 1, 2], [0, 2, 3]]), **looks))
    return parts


def _casing(face: Face, hole: Opening, floor_z: float) -> list[Part]:
    """The frame around a door on the face."""
    parts = []
    sides = ("front", "left", "right", "top")
    for along in (hole.span[0] - 0.035, hole.span[1] + 0.035):
        parts.append(face.panel(along, floor_z, 0.07, hole.head_m + 0.07, 0.022, only=sides, divide=3, **WHITE))
    parts.append(face.panel(hole.middle_m, floor_z + hole.head_m, hole.width_m, 0.07, 0.022, only=("front", "bottom", "top"), **WHITE))
    return parts


def _leaf(width: float, height: float, seed: int, dark: bool) -> list[Part]:
    """A door leaf 4 cm thick about the origin: its lower edge at z = 0, from x = 0 (hinge) to `width`, front at −y."""
    colour: Colour = (0.42, 0.30, 0.22) if dark else ((0.90, 0.89, 0.86), (0.58, 0.46, 0.34), (0.72, 0.60, 0.46))[seed % 3]
    plain = not dark and seed % 3 == 0
    look: dict[str, Any] = (
        {"rgb": colour, "specular": 0.15} if plain else {"texture": tx.wood(colour, seed % 7, 256, 4.0), "specular": 0.15}
    )
    parts = [box(width, 0.04, height, divide=2, **look)]
    inner = {**look, "rgb": tuple(0.95 * c for c in colour)} if plain else {**look, "rgb": (0.92, 0.92, 0.92)}
    for z, tall in ((0.16, 0.68), (1.0, height - 1.16)):
        for side in (-1, 1):
            parts.append(
                box(width * 0.66, 0.008, tall, only=("front", "back", "left", "right", "top", "bottom"), **inner).moved(y=side * 0.023, z=z)
            )
    for side in (-1, 1):
        parts.append(box(0.11, 0.022, 0.022, **STEEL).moved(width / 2 - 0.10, side * 0.06, 0.99))
        parts.append(box(0.022, 0.05, 0.022, **STEEL).moved(width / 2 - 0.055, side * 0.04, 0.99))
    return [p.moved(x=width / 2) for p in parts]


def closed_doors(space: Space) -> list[Part]:
    """Doors that stay shut, with their frames: the front door, and the door of a room that stands alone."""
    parts: list[Part] = []
    for face in space.faces:
        for o in face.openings:
            if o.kind != "closed":
                continue
            parts += _casing(face, o, space.floor_z_m) + _reveal(face, o, space.floor_z_m, REVEAL_M, **WHITE)
            leaf = _leaf(o.width_m, o.head_m, space.seed, False)
            parts += [face.place(p, o.span[0], space.floor_z_m + 0.004, -0.07) for p in leaf]
    return parts


def doorway(plan: Plan, door: HouseDoor, room: Room, seed: int) -> list[Part]:
    """Lining, frames on both sides, threshold and leaf of a door between two rooms."""
    x, y = door.centre_m
    half, thick = door.width_m / 2, WALL_M / 2
    if door.along == "x":
        low, high = Face((x - half, y - thick), (x + half, y - thick)), Face((x + half, y + thick), (x - half, y + thick))
    else:
        low, high = Face((x - thick, y + half), (x - thick, y - half)), Face((x + thick, y - half), (x + thick, y + half))
    hole = Opening("open", half, door.width_m, 0.0, DOOR_HEAD_M)
    z = room.floor_z_m
    parts = _reveal(low, hole, z, WALL_M, **WHITE)[:3] + _casing(low, hole, z) + _casing(high, hole, z)
    sill = box(*((2 * half, WALL_M) if door.along == "x" else (WALL_M, 2 * half)), 0.006, rgb=(0.42, 0.32, 0.24), specular=0.1)
    parts.append(sill.moved(x, y, z))
    segment = plan.leaf_segment(door)
    if segment:
        (ax, ay), (bx, by) = segment
        turn = math.degrees(math.atan2(by - ay, bx - ax))
        matrix = axis_rotation("z", turn)
        for p in _leaf(math.dist(*segment), DOOR_HEAD_M - 0.02, seed, False):
            parts.append(p.mapped(lambda v: v @ matrix.T + np.array([ax, ay, z + 0.008])))
    return parts


def wall_tops(plan: Plan, room: Room) -> list[Part]:
    """The cut through the walls at ceiling height, for views from above."""
    z = room.floor_z_m + room.height_m
    rects: list[Rect] = []
    for w in plan.walls:
        t = WALL_M / 2
        rects.append(
            (w.low_m - t, w.at_m - t, w.high_m + t, w.at_m + t) if w.along == "x" else (w.at_m - t, w.low_m - t, w.at_m + t, w.high_m + t)
        )
    parts = []
    for q in _disjoint(rects):
        v = np.array([[q[0], q[1], z], [q[2], q[1], z], [q[2], q[3], z], [q[0], q[3], z]])
        parts.append(Part(v, np.array([[0, 1, 2], [0, 2, 3]]), rgb=(0.24, 0.24, 0.26), specular=0.0))
    return merge(parts)


def windows(space: Space, curtains: Colour | None) -> list[Part]:
    """Reveals, frames and boards of a room's windows, and curtains beside them."""
    parts: list[Part] = []
    for face in space.faces:
        for o in face.openings:
            if o.kind != "window":
                continue
            z0, high = space.floor_z_m + o.sill_m, o.head_m - o.sill_m
            parts += _reveal(face, o, space.floor_z_m, REVEAL_M, **WHITE)
            back = -REVEAL_M + 0.05
            bars = [(o.span[0] + 0.03, z0, 0.06, high), (o.span[1] - 0.03, z0, 0.06, high)]
            if o.width_m > 0.9:
                bars.append((o.middle_m, z0, 0.07, high))
            for along, z, wide, tall in bars:
                parts.append(face.place(box(wide, 0.05, tall, only=("front", "left", "right"), **WHITE), along, z, back))
            for z in (z0, z0 + high - 0.06):
                parts.append(face.place(box(o.width_m, 0.05, 0.06, only=("front", "top", "bottom"), **WHITE), o.middle_m, z, back))
            board = box(o.width_m + 0.12, 0.10, 0.03, divide=2, **WHITE).moved(y=-0.05)
            parts.append(face.place(board, o.middle_m, z0 - 0.03, 0.0))
            if curtains is not None:
                parts += _curtains(face, o, space, curtains)
    return parts


def _curtains(face: Face, o: Opening, space: Space, colour: Colour) -> list[Part]:
    """A rail and two gathered curtains, as far as the wall has room."""
    top = min(o.head_m + 0.12, space.height_m - 0.05)
    foot = 0.06 if space.height_m > 2.2 else o.sill_m
    parts = []
    room = min(o.span[0], face.length_m - o.span[1])
    wide = min(0.34, max(0.0, room - 0.05) + 0.12)
    if wide < 0.18:
        return []
    rail_wide = o.width_m + 2 * (wide - 0.12) + 0.06
    parts.append(face.panel(o.middle_m, space.floor_z_m + top - 0.02, rail_wide, 0.025, 0.075, rgb=(0.35, 0.30, 0.27), specular=0.3))
    cloth = tx.drape(colour, space.seed % 5)
    for end, sign in ((o.span[0] + 0.12, -1.0), (o.span[1] - 0.12, 1.0)):
        n = 17
        u = np.linspace(0, 1, n)
        x = end + sign * wide * u
        y = 0.05 + 0.016 * np.sin(u * math.pi * 2 * 3.5)
        order = slice(None) if sign > 0 else slice(None, None, -1)
        x, y, u = x[order], y[order], u[order]
        lower = np.array([face.at(float(a), float(b), space.floor_z_m + foot) for a, b in zip(x, y, strict=True)])
        upper = np.array([face.at(float(a), float(b), space.floor_z_m + top - 0.02) for a, b in zip(x, y, strict=True)])
        uv = np.concatenate([np.stack([u, np.zeros(n)], 1), np.stack([u, np.ones(n)], 1)])
        parts.append(Part(np.concatenate([lower, upper]), grid_faces(2, n), uv=uv, texture=cloth, specular=0.0))
    return parts


def backdrop(bounds: Rect, floor_z: float, seed: int, rgb: Colour, emission: float) -> list[Part]:
    """The outdoors on a ring around the building, seen through its windows."""
    x0, y0, x1, y1 = bounds
    radius = math.hypot(x1 - x0, y1 - y0) / 2 + 6.0
    if radius > BACKDROP_MAX_M:
        return []
    n, low, high = 32, -0.15, 15.0
    angle = np.linspace(0, 2 * math.pi, n + 1)
    centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    around = np.stack([np.cos(angle), np.sin(angle)], 1) * radius + centre
    ring = np.concatenate([np.c_[around, np.full(n + 1, floor_z + z)] for z in (low, high)])
    uv = np.concatenate([np.stack([angle / (2 * math.pi) * 3, np.full(n + 1, v)], 1) for v in ((low + 5.0) / 20.0, 1.0)])
    light: dict[str, Any] = {"rgb": rgb, "emission": emission, "specular": 0.0}
    lawn = np.concatenate([[[*centre, floor_z + low]], ring[: n + 1]])
    fan = np.stack([np.zeros(n, int), np.arange(1, n + 1), np.arange(2, n + 2)], 1)
    return [
        Part(ring, grid_faces(2, n + 1)[:, ::-1], uv=uv, texture=tx.outdoors(seed), **light),
        Part(lawn, fan, uv=lawn[:, :2] / 8.0, texture=tx.lawn(seed), **light),
    ]


# --- signs and lamps --------------------------------------------------------------------------------------------------


def signs(space: Space) -> list[Part]:
    """The room's own name high on its walls; not above doors, where it would seem to name the room behind, unless nothing else is left."""
    if not space.label:
        return []
    for share, beside_doors in ((1.0, True), (0.8, True), (0.65, True), (1.0, False)):
        parts = [p for face in space.faces for p in _sign(space, face, share, beside_doors)]
        if len(parts) >= 4 or (parts and share < 0.7):
            return parts
    return parts


def _sign(space: Space, face: Face, share: float, beside_doors: bool) -> list[Part]:
    """A plate on one face where it has room, `share` of the full size."""
    wide, high = (share * v for v in SIGN_M)
    if face.length_m < wide + 0.2:
        return []
    spots = sorted(np.linspace(wide / 2 + 0.06, face.length_m - wide / 2 - 0.06, 25), key=lambda s: abs(s - face.length_m / 2))
    # Beside windows too, as curtain rails hang above them.
    margin = {"window": 0.32, "open": 0.1, "closed": 0.1}
    holes = [(o.span[0] - margin[o.kind], o.span[1] + margin[o.kind]) for o in face.openings if beside_doors]
    free = [float(s) for s in spots if all(s + wide / 2 < a or s - wide / 2 > b for a, b in holes)]
    if not free:
        return []
    spot = max(free, key=lambda s: _read_from_doors(space, face, s, wide / 2 + 0.015)) if space.signs_face_doors else free[0]
    z = space.floor_z_m + min(SIGN_Z_M, space.height_m - 0.16) - high / 2
    texture = tx.plate_text(space.label, (0.13, 0.20, 0.34), (0.97, 0.97, 0.95), (512, 136))
    rim = face.panel(spot, z - 0.015, wide + 0.03, high + 0.03, 0.012, rgb=(0.90, 0.89, 0.86), specular=0.2)
    plate = box(wide, 0.004, high, only=["front"], texture=texture, rgb=(1, 1, 1), specular=0.05, emission=0.25).moved(y=-0.016)
    return [rim, face.place(plate, spot, z)]


def _read_from_doors(space: Space, face: Face, spot: float, half: float) -> int:
    """Doorways through which a plate on a face is read whole, less those whose jamb cuts it, for somebody before them who looks in."""
    found = 0
    for other in space.faces:
        for o in other.openings:
            if o.kind != "open" or other is face:
                continue
            eye = other.at(o.middle_m, -WALL_M - SIGN_FROM_M)
            ends = [face.at(spot + side * half) - eye for side in (-1, 1)]
            depths = [float(e @ other.normal) for e in ends]
            if min(depths) <= SIGN_FROM_M + WALL_M:
                continue
            across = [float(e @ other.direction) / d for e, d in zip(ends, depths, strict=True)]
            # The jamb's nearer edge narrows the view.
            limit = (o.width_m / 2 - 0.01) / (SIGN_FROM_M + WALL_M)
            inside = [abs(v) < limit for v in across]
            found += 1 if all(inside) else -1 if any(inside) or across[0] * across[1] < 0 else 0
    return found


def ceiling_lamp(at: Point, ceiling_z: float, glow: float) -> list[Part]:
    """A flat round lamp under the ceiling."""
    rim = lathe([(0.0, -0.02), (0.19, -0.02), (0.2, -0.01), (0.2, 0.0)], 24, rgb=(0.82, 0.82, 0.80), specular=0.3)
    shine = lathe([(0.0, -0.055), (0.10, -0.05), (0.165, -0.03), (0.17, -0.018)], 24, rgb=(0.98, 0.96, 0.90), emission=glow, specular=0.1)
    return [p.moved(at[0], at[1], ceiling_z) for p in (rim, shine)]


def wall_boxes(plan: Plan, room: Room) -> list[tuple[Array, Array]]:
    """(centre, half) of boxes that fill the walls of a house without its doorways, for contacts and for cameras in walls."""
    found = []
    z, h, t = room.floor_z_m, room.height_m, WALL_M / 2
    for w in plan.walls:
        gaps = []
        for d in plan.doors:
            place, at = (d.centre_m[0], d.centre_m[1]) if d.along == "x" else (d.centre_m[1], d.centre_m[0])
            if d.along == w.along and abs(at - w.at_m) < 0.01 and w.low_m < place < w.high_m:
                gaps.append((place - d.width_m / 2, place + d.width_m / 2))
        edges = [w.low_m - t, *(c for g in sorted(gaps) for c in g), w.high_m + t]
        spans = [(a, b, z, z + h) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        spans += [(a, b, z + DOOR_HEAD_M, z + h) for a, b in gaps]
        for a, b, low, high in spans:
            middle = ((a + b) / 2, w.at_m) if w.along == "x" else (w.at_m, (a + b) / 2)
            half = ((b - a) / 2, t) if w.along == "x" else (t, (b - a) / 2)
            found.append((np.array([*middle, (low + high) / 2]), np.array([*half, (high - low) / 2])))
    return found
