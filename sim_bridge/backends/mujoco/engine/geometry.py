"""Relations and clipping from geometry: boxes first, triangles where boxes do not decide. Pure numpy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array

NEAR_M = 0.012
"""Nearer to a surface than this, the near plane cuts it open: the view is clipped."""


def _directions() -> Array:
    d = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], float)
    d += 0.013 * np.array([0.7, -0.4, 0.3])  # off the axes, where rays would run along edges
    return np.asarray(d / np.linalg.norm(d, axis=1, keepdims=True))


_RAYS = _directions()


def enclosed(point: Array, vertices: Array, faces: NDArray[np.int64], share: float = 0.85) -> bool:
    """Whether triangles surround `point`: at least `share` of 26 rays hit one (open boxes and tables do not surround)."""
    return int(meets(point, _RAYS, Surface.of(vertices, faces)).sum()) >= share * len(_RAYS)


def nearer_than(point: Array, vertices: Array, faces: NDArray[np.int64], distance: float = NEAR_M) -> bool:
    """Whether some triangle lies within `distance` of `point` (sampled at corners, middles and centres, refined in the plane)."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    keep = length > 1e-14
    a, b, c, normal = a[keep], b[keep], c[keep], normal[keep] / length[keep, None]
    height = ((point - a) * normal).sum(1)
    close = np.abs(height) < distance
    if not close.any():
        return False
    a, b, c, normal, height = a[close], b[close], c[close], normal[close], height[close]
    foot = point - height[:, None] * normal
    inside = np.ones(len(a), bool)
    for s, e in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(e - s, foot - s) * normal).sum(1) >= 0
    if inside.any():
        return True
    for s, e in ((a, b), (b, c), (c, a)):
        along = e - s
        t = np.clip(((point - s) * along).sum(1) / np.maximum((along**2).sum(1), 1e-18), 0, 1)
        if (np.linalg.norm(s + t[:, None] * along - point, axis=1) < distance).any():
            return True
    return False


def overlap_share(low_a: Array, high_a: Array, low_b: Array, high_b: Array) -> float:
    """Share of a's footprint (xy) that lies over b's."""
    w = np.minimum(high_a[:2], high_b[:2]) - np.maximum(low_a[:2], low_b[:2])
    if (w <= 0).any():
        return 0.0
    return float(np.prod(w) / max(float(np.prod(high_a[:2] - low_a[:2])), 1e-12))


def heights(vertices: Array, faces: NDArray[np.int64], points: Array) -> Array:
    """Greatest height of the surface over each (x, y) of `points` (N, 2); −inf where nothing is."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    e1, e2 = (b - a)[:, :2], (c - a)[:, :2]
    det = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
    keep = np.abs(det) > 1e-14
    a, b, c, e1, e2, det = a[keep], b[keep], c[keep], e1[keep], e2[keep], det[keep]
    found = np.full(len(points), -np.inf)
    for i, point in enumerate(points):
        to = point - a[:, :2]
        u = (to[:, 0] * e2[:, 1] - to[:, 1] * e2[:, 0]) / det
        v = (e1[:, 0] * to[:, 1] - e1[:, 1] * to[:, 0]) / det
        over = (u >= 0) & (v >= 0) & (u + v <= 1)
        if over.any():
            z = a[over, 2] + u[over] * (b[over, 2] - a[over, 2]) + v[over] * (c[over, 2] - a[over, 2])
            found[i] = float(z.max())
    return found


# --- distance of two surfaces ---------------------------------------------------------------------------------------------------------

_BLOCK = 150_000
"""Pairs of triangles whose boxes are compared at a time."""
_MOST = 4000
"""Pairs of each block that `near_pairs` measures, up to twice as many."""


@dataclass(frozen=True)
class Surface:
    """Triangles in the world: (N, 3, 3), corners counter-clockwise seen from outside, with their boxes."""

    triangles: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, vertices: Array, faces: NDArray[Any]) -> Surface:
        """The surface of vertices (N, 3) and triangles (M, 3) of their indices."""
        triangles = vertices[faces]
        return cls(triangles, triangles.min(1), triangles.max(1))

    @property
    def box(self) -> tuple[Array, Array]:
        return self.low.min(0), self.high.max(0)

    def near(self, low: Array, high: Array) -> Surface:
        """The triangles whose boxes meet a box."""
        keep = ((self.low <= high) & (self.high >= low)).all(1)
        return Surface(self.triangles[keep], self.low[keep], self.high[keep])


@dataclass(frozen=True)
class Near:
    """Pairs of triangles of two surfaces that are near each other: (K,) distances and (K, 3) nearest points and unit normals."""

    distance: Array
    on_a: Array
    on_b: Array
    normal_a: Array
    normal_b: Array

    def nearest(self) -> tuple[float, Array] | None:
        """Smallest distance and the middle between the two points; None if no pair is near.

        Where several pairs are as near (two faces that lie on each other), the middle of all of them.
        """
        if not len(self.distance):
            return None
        best = float(self.distance.min())
        close = self.distance <= best + 1e-4
        return best, np.asarray((self.on_a[close] + self.on_b[close]).mean(0) / 2)


def are_near(a: Surface, b: Surface, limit: float) -> bool:
    """Whether two surfaces come nearer than `limit` anywhere."""
    return any(len(part[0]) for part in _measured(a, b, limit, 2000))


def near_pairs(a: Surface, b: Surface, limit: float) -> Near:
    """Pairs of triangles of two surfaces nearer than `limit`: exact distances of triangles, whatever their shape.

    All of them, unless they are so many (fine meshes closer than their own size) that a share says the same.
    """
    found = [part for t, u in _candidates(a, b, limit) if len((part := _measure(*_thinned(t, u), limit))[0])]
    if not found:
        none = np.zeros((0, 3))
        return Near(np.zeros(0), none, none, none, none)
    distance, on_a, on_b, normal_a, normal_b = (np.concatenate(column) for column in zip(*found, strict=True))
    return Near(distance, on_a, on_b, normal_a, normal_b)


def _thinned(t: Array, u: Array) -> tuple[Array, Array]:
    every = max(1, len(t) // _MOST)
    return t[::every], u[::every]


def _measured(a: Surface, b: Surface, limit: float, step: int) -> Iterator[tuple[Array, ...]]:
    for t, u in _candidates(a, b, limit):
        for start in range(0, len(t), step):
            yield _measure(t[start : start + step], u[start : start + step], limit)


def _candidates(a: Surface, b: Surface, limit: float) -> Iterator[tuple[Array, Array]]:
    """Pairs of triangles whose boxes are within `limit`, in blocks; both sides are cut down to each other's box, then halved."""
    if not len(a.low) or not len(b.low):
        return
    a = a.near(b.low.min(0) - limit, b.high.max(0) + limit)
    if not len(a.low):
        return
    b = b.near(a.low.min(0) - limit, a.high.max(0) + limit)
    if not len(b.low):
        return
    if len(a.low) * len(b.low) > _BLOCK:
        a_is_larger = len(a.low) >= len(b.low)
        for half in _halves(a if a_is_larger else b):
            yield from _candidates(half, b, limit) if a_is_larger else _candidates(a, half, limit)
        return
    i, j = np.nonzero((a.low[:, None, 0] <= b.high[:, 0] + limit) & (a.high[:, None, 0] >= b.low[:, 0] - limit))
    for axis in (1, 2):
        meet = (a.low[i, axis] <= b.high[j, axis] + limit) & (a.high[i, axis] >= b.low[j, axis] - limit)
        i, j = i[meet], j[meet]
    if len(i):
        yield a.triangles[i], b.triangles[j]


def _halves(s: Surface) -> tuple[Surface, Surface]:
    """The triangles on either side of the middle one along the longest axis."""
    middles = s.low + s.high
    order = np.argsort(middles[:, int(np.argmax(np.ptp(middles, axis=0)))], kind="stable")
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    return Surface(s.triangles[first], s.low[first], s.high[first]), Surface(s.triangles[second], s.low[second], s.high[second])


# Below, a vector is an array (3, K), one row per axis, and a triangle three of them: numpy works along long rows.


def _rows(triangles: Array) -> list[Array]:
    """Corners of triangles (K, 3, 3) as vectors."""
    return list(np.ascontiguousarray(triangles.transpose(1, 2, 0)))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def _cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _measure(first: Array, second: Array, limit: float) -> tuple[Array, ...]:
    """Distance of pairs of triangles (K, 3, 3), those nearer than `limit` alone: distance, nearest points, normals, all (N, …)."""
    t, u = _rows(first), _rows(second)
    n, m = (_cross(x[1] - x[0], x[2] - x[0]) for x in (t, u))
    n, m = (x / np.maximum(np.sqrt(_dot(x, x)), 1e-18) for x in (n, m))
    # Wholly on one side of the other's plane and farther than the limit: most pairs go here.
    over = np.stack([_dot(x - u[0], m) for x in t])
    under = np.stack([_dot(x - t[0], n) for x in u])
    near = (over.min(0) <= limit) & (over.max(0) >= -limit) & (under.min(0) <= limit) & (under.max(0) >= -limit)
    t, u, n, m = [x[:, near] for x in t], [x[:, near] for x in u], n[:, near], m[:, near]
    best = np.full(n.shape[1], np.inf)
    on_t, on_u = np.zeros_like(n), np.zeros_like(n)

    def offer(p: Array, q: Array, good: NDArray[np.bool_] | None = None) -> None:
        w = p - q
        d = _dot(w, w)
        better = d < best if good is None else good & (d < best)
        best[better], on_t[:, better], on_u[:, better] = d[better], p[:, better], q[:, better]

    for k in range(3):
        offer(t[k], _onto_triangle(t[k], u))
        offer(_onto_triangle(u[k], t), u[k])
    for i in range(3):
        p, q, r, v = t[i], t[(i + 1) % 3], u[i], u[(i + 1) % 3]
        crossing, where = _through(p, q, u, m)
        offer(where, where, crossing)
        crossing, where = _through(r, v, t, n)
        offer(where, where, crossing)
        for j in range(3):
            offer(*_between_edges(p, q, u[j], u[(j + 1) % 3]))
    close = best < limit * limit
    return np.sqrt(best[close]), on_t[:, close].T, on_u[:, close].T, n[:, close].T, m[:, close].T


def _onto_triangle(p: Array, t: list[Array]) -> Array:
    """Nearest point of each triangle to each point."""
    n = _cross(t[1] - t[0], t[2] - t[0])
    area = _dot(n, n)
    foot = p - n * (_dot(p - t[0], n) / np.maximum(area, 1e-30))
    # A triangle without area is its edges.
    inside = area > 1e-24
    best = np.full(p.shape[1], np.inf)
    nearest = foot.copy()
    for k in range(3):
        start, along = t[k], t[(k + 1) % 3] - t[k]
        inside &= _dot(_cross(along, foot - start), n) >= 0
        q = start + along * np.clip(_dot(p - start, along) / np.maximum(_dot(along, along), 1e-30), 0.0, 1.0)
        w = p - q
        d = _dot(w, w)
        nearer = d < best
        best[nearer], nearest[:, nearer] = d[nearer], q[:, nearer]
    nearest[:, inside] = foot[:, inside]
    return nearest


def _between_edges(p: Array, q: Array, r: Array, v: Array) -> tuple[Array, Array]:
    """Nearest points of the segments p–q and r–v."""
    d, e, w = q - p, v - r, p - r
    dd, ee, de, dw, ew = _dot(d, d), _dot(e, e), _dot(d, e), _dot(d, w), _dot(e, w)
    spread = dd * ee - de * de
    # Parallel edges: any point will do, corners are compared elsewhere.
    s = np.where(spread > 1e-18, np.clip((de * ew - ee * dw) / np.maximum(spread, 1e-18), 0.0, 1.0), 0.0)
    f = np.clip((de * s + ew) / np.maximum(ee, 1e-18), 0.0, 1.0)
    s = np.clip((de * f - dw) / np.maximum(dd, 1e-18), 0.0, 1.0)
    return p + d * s, r + e * f


def _through(p: Array, q: Array, t: list[Array], n: Array) -> tuple[NDArray[np.bool_], Array]:
    """Whether the segments p–q pass through the triangles (unit normals `n`), and where."""
    before, after = _dot(p - t[0], n), _dot(q - t[0], n)
    good = before * after < 0
    where = p + (q - p) * np.where(good, before / np.where(good, before - after, 1.0), 0.0)
    for k in range(3):
        good &= _dot(_cross(t[(k + 1) % 3] - t[k], where - t[k]), n) >= 0
    return good, where


# --- inside and outside of a surface --------------------------------------------------------------------------------------------------

_LINES = np.array([(0.031, 0.017, 1.0), (1.0, 0.023, 0.041), (0.037, 1.0, 0.029)])
"""Directions of the rays, off the axes, where they would run along edges."""


def within(points: Array, s: Surface) -> NDArray[np.bool_]:
    """Which points lie in the material: rays in three directions leave the surface more often than they enter it, or the reverse.

    Counting with signs makes overlapping closed pieces count once and two-sided sheets not at all. All three rays must agree, and in the
    sign too: around a closed piece it is the same from everywhere, and a sheet that is drawn from one side only has another from behind.
    """
    signs = np.zeros(len(points), np.int64)
    for k, line in enumerate(_LINES / np.linalg.norm(_LINES, axis=1, keepdims=True)):
        left = np.arange(len(points)) if k == 0 else np.flatnonzero(signs)
        step = max(1, _BLOCK // max(len(s.low), 1))
        for start in range(0, len(left), step):
            part = left[start : start + step]
            sign = np.sign(_winding(points[part], s.triangles, line))
            signs[part] = sign if k == 0 else np.where(sign == signs[part], sign, 0)
    return np.asarray(signs != 0)


def _winding(points: Array, triangles: Array, line: Array) -> NDArray[np.int64]:
    """Crossings of the rays from points along a unit vector, counted +1 where a triangle faces along it and −1 against it."""
    right = np.cross(line, [0.6, 0.64, 0.48])
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(line, right), line], 1)
    p, t = points @ frame, triangles @ frame
    t = t[(t[:, :, 2].max(1) > p[:, 2].min())]
    x, y = p[:, None, 0], p[:, None, 1]
    # Twice the signed areas between the point and each edge, seen along the ray: of one sign where the ray meets the triangle.
    ends = [(t[:, k, :2], t[:, (k + 1) % 3, :2]) for k in range(3)]
    sides = [(b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0]) for a, b in ends]
    meets = ((sides[0] > 0) & (sides[1] > 0) & (sides[2] > 0)) | ((sides[0] < 0) & (sides[1] < 0) & (sides[2] < 0))
    i, j = np.nonzero(meets)
    w = [side[i, j] for side in sides]
    total = w[0] + w[1] + w[2]
    height = (w[1] * t[j, 0, 2] + w[2] * t[j, 1, 2] + w[0] * t[j, 2, 2]) / total
    ahead = height > p[i, 2]
    return np.bincount(i[ahead], np.sign(total[ahead]), len(points)).round().astype(np.int64)


def meets(point: Array, directions: Array, s: Surface) -> NDArray[np.bool_]:
    """Which rays from a point, along unit vectors (N, 3), meet the surface."""
    a = s.triangles[:, 0]
    e1, e2, to = s.triangles[:, 1] - a, s.triangles[:, 2] - a, point - a
    q = np.cross(to, e1)
    found = np.zeros(len(directions), bool)
    for k, ray in enumerate(directions):
        p = np.cross(ray, e2)
        det = (e1 * p).sum(1)
        with np.errstate(all="ignore"):
            u, v, t = (to * p).sum(1) / det, (q @ ray) / det, (e2 * q).sum(1) / det
            found[k] = bool(((np.abs(det) > 1e-14) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)).any())
    return found


def distances(points: Array, s: Surface, limit: float) -> Array:
    """Distance of each point to the surface, metres; infinite where it is more than `limit`."""
    found = np.full(len(points), np.inf)
    for k, point in enumerate(points):
        part = s.near(point - limit, point + limit).triangles
        if len(part):
            w = _onto_triangle(np.repeat(point[:, None], len(part), 1), _rows(part)) - point[:, None]
            found[k] = math.sqrt(float(_dot(w, w).min()))
    return found


def samples(s: Surface, low: Array, high: Array, most: int) -> Array:
    """Up to `most` points on the surface within a box, evenly over its triangles there: corners, and a grid on each large triangle."""
    part = s.near(low, high)
    if not len(part.low):
        return np.zeros((0, 3))
    spacing = max(0.003, float((np.minimum(high, part.high.max(0)) - np.maximum(low, part.low.min(0))).max()) / 10)
    points = [part.triangles.reshape(-1, 3), part.triangles.mean(1)]
    edges = np.linalg.norm(part.triangles - np.roll(part.triangles, 1, axis=1), axis=2).max(1)
    for triangle, edge in zip(part.triangles[edges > spacing], edges[edges > spacing], strict=True):
        n = min(int(np.ceil(edge / spacing)), 60)
        grid = np.indices((n + 1, n + 1)).reshape(2, -1)
        i, j = grid[:, grid.sum(0) <= n, None] / n
        points.append(triangle[0] + i * (triangle[1] - triangle[0]) + j * (triangle[2] - triangle[0]))
    found = np.concatenate(points)
    found = np.unique(found[((found >= low) & (found <= high)).all(1)].round(5), axis=0)
    return found if len(found) <= most else found[np.linspace(0, len(found) - 1, most).astype(int)]
