"""Triangle models built from a few primitives: lathes, boxes, tubes, extrusions. Pure numpy, no MuJoCo.

Units are metres, z up. A `Model` stands on z = 0 or anywhere: `Model.normalised` moves its box to the origin before use.
Hard edges are made by duplicating vertices, because normals are averaged per vertex.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
Texture = NDArray[np.uint8]
Vec3Like = tuple[float, float, float]


class Grained(np.ndarray[Any, np.dtype[np.uint8]]):
    """An image whose grain runs along u: on a side of a box that is higher than wide it is laid upright."""


HARD_EDGE_DEG = 38.0
"""Profile corners sharper than this get their own normals on both sides."""


@dataclass(frozen=True)
class Part:
    """One mesh with one material."""

    vertices: Array
    """(N, 3) metres."""
    faces: NDArray[np.int64]
    """(M, 3) vertex indices, counter-clockwise seen from outside."""
    rgb: Colour = (0.8, 0.8, 0.8)
    """Base colour 0..1; multiplies the texture."""
    alpha: float = 1.0
    """Opacity; below 1 the part is see-through."""
    uv: Array | None = None
    """(N, 2) texture coordinates, v = 0 at the lower edge of the image."""
    texture: Texture | None = None
    """(H, W, 3) image, row 0 on top."""
    specular: float = 0.25
    shininess: float = 0.4
    emission: float = 0.0
    tint: bool = False
    """Whether an object's ``color`` parameter replaces this part's colour."""

    def mapped(self, function: Callable[[Array], Array]) -> Part:
        """The same with its vertices (N, 3) passed through a function."""
        return replace(self, vertices=function(self.vertices))

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
        """The same, moved; metres."""
        return self.mapped(lambda v: v + np.array([x, y, z]))

    def scaled(self, x: float, y: float | None = None, z: float | None = None) -> Part:
        """The same, scaled about the origin: by `x` alone, or by a factor for each axis."""
        factors = np.array([x, x if y is None else y, x if z is None else z])
        return self.mapped(lambda v: v * factors)

    def turned(self, axis: str, degrees: float) -> Part:
        """Rotate about a world axis through the origin, right-handed."""
        rotation = axis_rotation(axis, degrees)
        return self.mapped(lambda v: v @ rotation.T)

    def looks(self, **fields: Any) -> Part:
        """The same with other looks: fields of a part by name."""
        return replace(self, **fields)


@dataclass(frozen=True)
class Solid:
    """One convex piece of a contact shape, in the model's frame: a box (its half axes) or the hull of some points."""

    points: Array
    """(N, 3) metres: corners of the box or points whose hull it is."""
    axes: Array | None = None
    """(3, 3), columns are the half axes of a box; None for a hull. A box that a scale has sheared counts as a hull."""

    @classmethod
    def box(cls, half: Any, centre: Any = (0.0, 0.0, 0.0), turn: Array | None = None) -> Solid:
        """A box of half extents `half` about `centre`, turned by a rotation matrix."""
        axes = (np.eye(3) if turn is None else turn) * np.asarray(half, float)
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return cls(signs @ axes.T + np.asarray(centre, float), axes)

    @property
    def centre(self) -> Array:
        return np.asarray((self.points.min(0) + self.points.max(0)) / 2 if self.axes is None else self.points.mean(0))

    @property
    def is_box(self) -> bool:
        """Whether its half axes are (still) perpendicular."""
        if self.axes is None:
            return False
        unit = self.axes / np.linalg.norm(self.axes, axis=0)
        return bool(np.abs(unit.T @ unit - np.eye(3)).max() < 1e-6)

    def mapped(self, matrix: Array, offset: Array) -> Solid:
        """The same with its points through ``matrix @ p + offset``, offset in metres."""
        return Solid(self.points @ matrix.T + offset, None if self.axes is None else matrix @ self.axes)


@dataclass(frozen=True)
class Cavity:
    """The space inside a hollow thing: a lathe (radius over height) or a box, in a frame of its own with z towards the rim.

    ``model = matrix @ local + offset``; a scaled vessel has a scaled `matrix`, so that volume and fit stay exact.
    """

    profile: tuple[tuple[float, float], ...] = ()
    """(height, inner radius) from the bottom to the rim for a round cavity; empty for a box."""
    half: Vec3Like = (0.0, 0.0, 0.0)
    """Half extents of a box cavity about the local origin."""
    opening: Vec3Like = (0.0, 0.0, 1.0)
    """Local direction of the opening: +z for vessels and boxes, −y for cupboards."""
    door: str = ""
    """Name of the `Mobile` that closes it; empty: always open."""
    holds_liquid: bool = False
    shelves: tuple[tuple[float, float], ...] = ()
    """Local heights (lower, upper face) of shelves that cross a box cavity; nothing can be where they are."""
    matrix: Array = field(default_factory=lambda: np.eye(3))
    offset: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def round(self) -> bool:
        return bool(self.profile)

    @property
    def volume_m3(self) -> float:
        """Volume up to the rim: exact for the polyline profile (a stack of frusta)."""
        scale = abs(float(np.linalg.det(self.matrix)))
        if not self.round:
            return 8.0 * float(np.prod(self.half)) * scale
        total = 0.0
        for (z0, r0), (z1, r1) in zip(self.profile, self.profile[1:], strict=False):
            total += math.pi * (z1 - z0) * (r0 * r0 + r0 * r1 + r1 * r1) / 3
        return total * scale

    def mapped(self, matrix: Array, offset: Array) -> Cavity:
        """The same, its frame through ``matrix @ p + offset``, offset in metres."""
        return replace(self, matrix=matrix @ self.matrix, offset=matrix @ self.offset + offset)


@dataclass(frozen=True)
class Mobile:
    """A part that opens: a lid, a door, a drawer. Closed as modelled; opening turns or slides it."""

    name: str
    parts: tuple[Part, ...]
    kind: str
    """``hinge`` or ``slide``."""
    axis: Array
    """Unit vector in the model's frame: turning is right-handed about it, sliding along it."""
    anchor: Array
    """A point of the hinge, model's frame; ignored for a slide."""
    travel: float
    """Full opening: radians or metres."""
    solids: tuple[Solid, ...] = ()
    carries: bool = False
    """Whether the cavity and what is in it move along (drawers)."""

    def mapped(self, matrix: Array, offset: Array) -> Mobile:
        """The same through ``matrix @ p + offset``; a mirror image turns a hinge's sense round."""
        axis = matrix @ self.axis
        length = float(np.linalg.norm(axis))
        sense = math.copysign(1.0, float(np.linalg.det(matrix))) if self.kind == "hinge" else 1.0
        return replace(
            self,
            parts=tuple(p.mapped(lambda v: v @ matrix.T + offset) for p in self.parts),
            solids=tuple(q.mapped(matrix, offset) for q in self.solids),
            axis=axis / length * sense,
            anchor=matrix @ self.anchor + offset,
            travel=self.travel * (length if self.kind == "slide" else 1.0),
        )


@dataclass(frozen=True)
class Model:
    """A thing made of parts."""

    parts: tuple[Part, ...]
    hollow: bool = False
    """Other objects may be inside it."""
    solid: bool = True
    """A camera within its box is inside the thing (false for tables, chairs, shelves: then the surroundings decide)."""
    collider: str = "hull"
    """box, sphere, cylinder, hull, or shell (walls and a floor, for vessels). Not used where `solids` are given."""
    extras: dict[str, float] = field(default_factory=dict)
    solids: tuple[Solid, ...] = ()
    """The contact shape in convex pieces, where one primitive would lie (hollow things)."""
    cavity: Cavity | None = None
    mobiles: tuple[Mobile, ...] = ()

    @functools.cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Box of everything, closed."""
        every = [*self.parts, *(p for m in self.mobiles for p in m.parts)]
        points = np.concatenate([p.vertices[np.unique(p.faces)] for p in every])
        return points.min(0), points.max(0)

    @property
    def closed(self) -> Model:
        """The same as one rigid thing that does not open (furniture)."""
        return replace(self, parts=(*self.parts, *(p for m in self.mobiles for p in m.parts)), mobiles=())

    @property
    def size(self) -> Array:
        low, high = self.bounds
        return high - low

    @property
    def faces(self) -> int:
        return sum(len(p.faces) for p in self.parts) + sum(len(p.faces) for m in self.mobiles for p in m.parts)

    @property
    def transparent(self) -> bool:
        """See-through: its largest part lets the contents show."""
        clear = [p for p in self.parts if p.alpha < 0.99]
        if not clear:
            return False
        extent = lambda p: float(np.prod(np.ptp(p.vertices, axis=0) + 1e-4))  # noqa: E731
        return max(map(extent, clear)) > 0.3 * max(map(extent, self.parts))

    def mapped(self, matrix: Array, offset: Array) -> Model:
        """Everything under ``x → matrix @ x + offset``: parts, contact shape, cavity, mobile parts."""
        return replace(
            self,
            parts=tuple(p.mapped(lambda v: v @ matrix.T + offset) for p in self.parts),
            solids=tuple(q.mapped(matrix, offset) for q in self.solids),
            cavity=self.cavity.mapped(matrix, offset) if self.cavity else None,
            mobiles=tuple(m.mapped(matrix, offset) for m in self.mobiles),
        )

    def normalised(self, size: Any = None) -> Model:
        """The same model with its box centred at the origin and, if given, exactly `size` metres."""
        low, high = self.bounds
        factor = np.ones(3) if size is None else np.asarray(size, float) / np.maximum(high - low, 1e-9)
        return self.mapped(np.diag(factor), -factor * (low + high) / 2)

    def turned(self, axis: str, degrees: float) -> Model:
        """The same, turned about a coordinate axis through the origin."""
        return self.mapped(axis_rotation(axis, degrees), np.zeros(3))

    def coloured(self, rgb: Colour) -> Model:
        """Paint the parts marked `tint`; without any, paint the largest part."""
        marked = [p.tint for p in self.parts]
        if not any(marked) and not any(p.tint for m in self.mobiles for p in m.parts):
            biggest = max(range(len(self.parts)), key=lambda i: float(np.prod(np.ptp(self.parts[i].vertices, axis=0) + 1e-4)))
            marked = [i == biggest for i in range(len(self.parts))]
        painted = tuple(replace(p, rgb=rgb) if m else p for p, m in zip(self.parts, marked, strict=True))
        mobiles = tuple(replace(m, parts=tuple(replace(p, rgb=rgb) if p.tint else p for p in m.parts)) for m in self.mobiles)
        return replace(self, parts=painted, mobiles=mobiles)


Shape = Union[Part, Iterable["Shape"]]  # noqa: UP007 - recursive alias on 3.10


def _flat(shapes: Iterable[Shape]) -> list[Part]:
    parts: list[Part] = []
    for shape in shapes:
        parts.extend([shape] if isinstance(shape, Part) else _flat(shape))
    return parts


def model(*shapes: Shape, **options: Any) -> Model:
    """A model of parts, of which those that differ in geometry alone are merged (fewer draws)."""
    return Model(tuple(merge(_flat(shapes))), **options)


def merge(parts: Iterable[Part]) -> list[Part]:
    """Join parts that share every look."""
    groups: dict[tuple[object, ...], list[Part]] = {}
    for p in parts:
        looks = (
            p.rgb,
            p.alpha,
            id(p.texture) if p.texture is not None else None,
            p.specular,
            p.shininess,
            p.emission,
            p.tint,
            p.uv is None,
        )
        groups.setdefault(looks, []).append(p)
    merged = []
    for group in groups.values():
        offsets = np.cumsum([0] + [len(p.vertices) for p in group[:-1]])
        merged.append(
            replace(
                group[0],
                vertices=np.concatenate([p.vertices for p in group]),
                faces=np.concatenate([p.faces + o for p, o in zip(group, offsets, strict=True)]),
                uv=None if group[0].uv is None else np.concatenate([p.uv for p in group if p.uv is not None]),
            )
        )
    return merged


def axis_rotation(axis: str, degrees: float) -> Array:
    """Matrix (3, 3) of a turn about a coordinate axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis].astype(float)


def grid_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Triangles of a (rows × columns) vertex grid in row-major order."""
    r, c = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (r * columns + c).ravel()
    b, d, e = a + 1, a + columns, a + columns + 1
    return np.concatenate([np.stack([a, b, e], 1), np.stack([a, e, d], 1)])


def _without_slivers(vertices: Array, faces: NDArray[np.int64]) -> NDArray[np.int64]:
    p, q, r = (vertices[faces[:, i]] for i in range(3))
    return np.asarray(faces[np.linalg.norm(np.cross(q - p, r - p), axis=1) > 1e-12])


def smooth_profile(points: Sequence[tuple[float, float]], steps: int = 5) -> list[tuple[float, float]]:
    """Catmull-Rom curve through profile points, for rounded bodies."""
    p = np.array([points[0], *points, points[-1]], float)
    out = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1], p[i], p[i + 1], p[i + 2]
        for t in np.linspace(0, 1, steps, endpoint=False):
            out.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    out.append(p[-2])
    return [(max(float(r), 0.0), float(z)) for r, z in out]


def lathe(profile: Sequence[tuple[float, float]], segments: int = 28, arc_deg: float = 360.0, **looks: Any) -> Part:
    """Revolve (radius, z) points about z. Points run from the bottom outside upward (so that normals point outward).

    u runs around once over the arc, v along the profile by arc length.
    """
    p = np.array(profile, float)
    rows: list[Array] = [p[0]]
    for i in range(1, len(p) - 1):
        before, after = p[i] - p[i - 1], p[i + 1] - p[i]
        rows.append(p[i])
        lengths = np.linalg.norm(before) * np.linalg.norm(after)
        if lengths > 0 and math.degrees(math.acos(float(np.clip(before @ after / lengths, -1, 1)))) > HARD_EDGE_DEG:
            rows.append(p[i])
    rows.append(p[-1])
    outline = np.array(rows)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(outline, axis=0), axis=1))])
    angle = np.linspace(0, math.radians(arc_deg), segments + 1)
    r, z = outline[:, :1], outline[:, 1:]
    xyz = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, (len(outline), segments + 1))], -1).reshape(-1, 3)
    uv = np.stack(np.broadcast_arrays(np.linspace(0, 1, segments + 1)[None], (along / max(along[-1], 1e-9))[:, None]), -1).reshape(-1, 2)
    return Part(xyz, _without_slivers(xyz, grid_faces(len(outline), segments + 1)), uv=uv, **looks)


def ball(radius: float = 0.5, rows: int = 14, columns: int = 24, **looks: Any) -> Part:
    """A sphere about the origin, with longitude/latitude texture coordinates."""
    t = np.linspace(-math.pi / 2, math.pi / 2, rows + 1)
    return lathe([(radius * max(math.cos(a), 0.0), radius * math.sin(a)) for a in t], columns, **looks)


def ellipsoid(x: float, y: float, z: float, rows: int = 12, columns: int = 20, **looks: Any) -> Part:
    """An ellipsoid with the given full extents, about the origin."""
    return ball(0.5, rows, columns, **looks).scaled(x, y, z)


_BOX_SIDES = {
    "front": ((-1, -1, -1), (2, 0, 0), (0, 0, 2)),
    "right": ((1, -1, -1), (0, 2, 0), (0, 0, 2)),
    "back": ((1, 1, -1), (-2, 0, 0), (0, 0, 2)),
    "left": ((-1, 1, -1), (0, -2, 0), (0, 0, 2)),
    "top": ((-1, -1, 1), (2, 0, 0), (0, 2, 0)),
    "bottom": ((-1, 1, -1), (2, 0, 0), (0, -2, 0)),
}


def box(
    x: float,
    y: float,
    z: float,
    *,
    uv_of: dict[str, tuple[float, float, float, float]] | None = None,
    only: Sequence[str] | None = None,
    divide: int = 1,
    **looks: Any,
) -> Part:
    """A box standing on z = 0, centred in x and y; the front faces −y.

    Args:
        uv_of: side → (u0, v0, u1, v1) part of the texture; sides absent get the whole image.
        only: sides to build (default all).
        divide: quads per side and direction (per-vertex lighting needs some on large faces).
    """
    vertices, faces, uvs = [], [], []
    half = np.array([x, y, z]) / 2
    grained = isinstance(looks.get("texture"), Grained) and not uv_of
    n = divide + 1
    s, t = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    for i, side in enumerate(only or _BOX_SIDES):
        corner, across, up = (np.array(a, float) for a in _BOX_SIDES[side])
        vertices.append((corner + s.reshape(-1, 1) * across + t.reshape(-1, 1) * up) * half + np.array([0, 0, half[2]]))
        faces.append(grid_faces(n, n) + i * n * n)
        u0, v0, u1, v1 = (uv_of or {}).get(side, (0.0, 0.0, 1.0, 1.0))
        if grained and (np.abs(up) * half).max() > (np.abs(across) * half).max():
            uvs.append(np.stack([t.ravel(), s.ravel()], 1))
            continue
        uvs.append(np.stack([u0 + (u1 - u0) * s.ravel(), v0 + (v1 - v0) * t.ravel()], 1))
    return Part(np.concatenate(vertices), np.concatenate(faces), uv=np.concatenate(uvs), **looks)


def rounded_box(x: float, y: float, z: float, power: float = 5.0, rows: int = 14, columns: int = 28, **looks: Any) -> Part:
    """A box with soft edges (superellipsoid) standing on z = 0; small `power` is rounder."""
    part = ball(1.0, rows, columns, **looks)
    direction = part.vertices
    norm = (np.abs(direction) ** power).sum(1) ** (1 / power)
    return replace(part, vertices=direction / norm[:, None] * (np.array([x, y, z]) / 2) + np.array([0, 0, z / 2]))


def tube(path: Any, radius: float | Sequence[float], sides: int = 10, caps: bool = True, **looks: Any) -> Part:
    """Sweep a circle along a polyline (handles, stems, wires)."""
    p = np.array(path, float)
    r = np.broadcast_to(np.asarray(radius, float), (len(p),))
    tangent = np.gradient(p, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-12)
    up = np.array([0.0, 0.0, 1.0]) if abs(tangent[0, 2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    normal = up - (up @ tangent[0]) * tangent[0]
    angle = np.linspace(0, 2 * math.pi, sides + 1)
    rings = []
    for i in range(len(p)):
        normal = normal - (normal @ tangent[i]) * tangent[i]
        normal /= max(float(np.linalg.norm(normal)), 1e-12)
        side = np.cross(tangent[i], normal)
        rings.append(p[i] + r[i] * (np.cos(angle)[:, None] * normal + np.sin(angle)[:, None] * side))
    if caps:
        rings = [np.repeat(p[:1], sides + 1, 0), rings[0], *rings, rings[-1], np.repeat(p[-1:], sides + 1, 0)]
    xyz = np.concatenate(rings)
    u, v = np.meshgrid(np.linspace(0, 1, sides + 1), np.linspace(0, 1, len(rings)))
    return Part(xyz, _without_slivers(xyz, grid_faces(len(rings), sides + 1)), uv=np.stack([u.ravel(), v.ravel()], 1), **looks)


def arc(radius: float, start_deg: float, end_deg: float, steps: int = 12, plane: str = "xz", centre: Sequence[float] = (0, 0, 0)) -> Array:
    """Points of a circular arc in a coordinate plane, for `tube`."""
    t = np.radians(np.linspace(start_deg, end_deg, steps))
    points = np.zeros((steps, 3))
    points[:, "xyz".index(plane[0])] = radius * np.cos(t)
    points[:, "xyz".index(plane[1])] = radius * np.sin(t)
    return np.asarray(points + np.asarray(centre, float))


def ring(radius: float, thickness: float, segments: int = 28, sides: int = 10, **looks: Any) -> Part:
    """A torus about z at z = 0 (`radius` to the middle of the tube)."""
    a = np.linspace(0, 2 * math.pi, sides + 1)
    return lathe([(radius + thickness * math.cos(t), thickness * math.sin(t)) for t in a], segments, **looks)


def triangulate(outline: Array) -> NDArray[np.int64]:
    """Ear clipping of a simple polygon (N, 2), counter-clockwise."""
    index = list(range(len(outline)))
    faces: list[tuple[int, ...]] = []

    def cross(o: Array, a: Array, b: Array) -> float:
        return float((a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]))

    while len(index) > 3:
        for k in range(len(index)):
            i, j, m = index[k - 1], index[k], index[(k + 1) % len(index)]
            a, b, c = outline[i], outline[j], outline[m]
            if cross(a, b, c) <= 1e-15:
                continue
            others = outline[[n for n in index if n not in (i, j, m)]]
            d1 = (b[0] - a[0]) * (others[:, 1] - a[1]) - (b[1] - a[1]) * (others[:, 0] - a[0])
            d2 = (c[0] - b[0]) * (others[:, 1] - b[1]) - (c[1] - b[1]) * (others[:, 0] - b[0])
            d3 = (a[0] - c[0]) * (others[:, 1] - c[1]) - (a[1] - c[1]) * (others[:, 0] - c[0])
            if not ((d1 >= 0) & (d2 >= 0) & (d3 >= 0)).any():
                faces.append((i, j, m))
                index.pop(k)
                break
        else:
            index.pop(0)
    faces.append(tuple(index))
    return np.array(faces)


def extrude(outline: Any, height: float, **looks: Any) -> Part:
    """A prism over a simple polygon in the xy plane, from z = 0 to `height`; uv is the outline's box seen from above."""
    p = np.array(outline, float)
    x, y = p[:, 0], p[:, 1]
    if float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) < 0:
        p = p[::-1]
    n = len(p)
    cap = triangulate(p)
    low, high = np.c_[p, np.zeros(n)], np.c_[p, np.full(n, height)]
    side_low, side_high = np.repeat(low, 2, 0), np.repeat(high, 2, 0)
    i = np.arange(n)
    a, b = 2 * i + 1, (2 * i + 2) % (2 * n)
    base = 2 * n
    side = np.concatenate(
        [np.stack([base + a, base + b, base + 2 * n + b], 1), np.stack([base + a, base + 2 * n + b, base + 2 * n + a], 1)]
    )
    span = np.maximum(np.ptp(p, axis=0), 1e-9)
    uv = (p - p.min(0)) / span
    return Part(
        np.concatenate([low, high, side_low, side_high]),
        np.concatenate([cap[:, ::-1], cap + n, side]),
        uv=np.concatenate([uv, uv, np.repeat(uv, 2, 0), np.repeat(uv, 2, 0)]),
        **looks,
    )


def standing(part: Part) -> Part:
    """Turn a flat extrusion upright: y of the outline becomes z, the front faces −y."""
    return part.turned("x", 90.0)


def sheet(x: float, z: float, texture: Texture | None = None, **looks: Any) -> Part:
    """A two-sided upright rectangle in the xz plane, standing on z = 0."""
    v = np.array([[-x / 2, 0, 0], [x / 2, 0, 0], [x / 2, 0, z], [-x / 2, 0, z]])
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    f = np.array([[0, 1, 2], [0, 2, 3]])
    vertices = np.concatenate([v, v + np.array([0, 1e-4, 0])])
    return Part(vertices, np.concatenate([f, f[:, ::-1] + 4]), uv=np.concatenate([uv, uv * [-1, 1] + [1, 0]]), texture=texture, **looks)


def scatter(rng: np.random.Generator, part: Part, points: Array, jitter_deg: float = 180.0) -> list[Part]:
    """Copies of a part at points, each turned about z at random."""
    return [part.turned("z", float(rng.uniform(-jitter_deg, jitter_deg))).moved(*map(float, q)) for q in points]
