"""A sheet of cloth falling over things, settled once and baked: position-based dynamics on a grid of points. Pure numpy, no MuJoCo.

Why not MuJoCo's flex: 25 × 25 points over a real model took 1.8 s (bottle) to 4.3 s (mug, elastic) and met the convex hulls of the models.
Here 41 × 41 points meet the visible surface itself within 2 s. Only ``+ − × ÷ √`` are used, so that the result is the same everywhere.

Units are metres and seconds, z up. Grids are arrays of shape (3, n, m). The solid below is everything under its upper surface (a height
field), which is what cloth that comes from above can touch.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.shapes import Array, Part, grid_faces

GRAVITY_M_S2 = 9.81
SHADE_M = 0.004
"""Distance of the two sides inside the sheet."""
SPACING_M = 0.0125
"""Distance of the points of a sheet up to half a metre; larger sheets have as many points, up to `COARSEST_M` apart."""
COARSEST_M = 0.02
"""A wider grid lets the edges of a box poke through between its points."""
GAP_M = 0.007
"""The sheet's middle keeps this distance from what it lies on: half its thickness, half a cell of the height field, and the bow of a
triangle across an edge."""
THICKNESS_M = 0.0025
CELL_M = 0.005
"""Cell of the height field and of the distance field."""
BAND_M = 0.03
"""The distance field is exact up to this distance from the surface."""
FLAT_GAP_M = 0.0025
"""The distance over flat places, where nothing can poke through."""
FLAT_M = 0.002
"""A place is flat if the heights within `FLAT_REACH_M` differ by no more."""
FLAT_REACH_M = 0.02
FRICTION = 0.3
BENDING = 0.05
"""Share of a curvature that one pass takes away, for points `SPACING_M` apart: folds of cotton, 2 to 4 cm wide."""
SHEAR = 0.03
"""Share of a diagonal's error that one pass takes away: woven cloth gives way along its diagonals."""
CREASE = 0.10
"""A point farther from the mean of its neighbours than this share of their distance is in a crease."""
LIFT_STAGES = (0.30, 0.70, 1.15)
"""Heights of the hand over the top of what is covered while a cloth is lifted, as shares of the hanging length."""

FloatGrid = NDArray[np.float64]


# --- what lies below --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """Signed distance to the solid below, sampled in cells; positive outside."""

    low: Array
    """World position of the first sample."""
    distance: NDArray[np.float32]
    """(x, y, z) samples."""
    gaps: FloatGrid
    """(x, y) distance that a sheet keeps."""

    def gap(self, p: FloatGrid) -> FloatGrid:
        """The distance that points (3, …) of a sheet keep from the solid."""
        i, j = (np.minimum(np.maximum((p[k] - self.low[k]) / CELL_M + 0.5, 0.0), self.gaps.shape[k] - 1.0).astype(np.intp) for k in (0, 1))
        return np.asarray(self.gaps[i, j])

    def at(self, p: FloatGrid) -> tuple[FloatGrid, FloatGrid]:
        """Distance and its gradient at points (3, …), trilinear; points beyond the field count as at its border."""
        shape = self.distance.shape
        q = (p - self.low.reshape(3, *[1] * (p.ndim - 1))) / CELL_M
        top = np.array(shape, float).reshape(3, *[1] * (p.ndim - 1)) - 1.001
        q = np.minimum(np.maximum(q, 0.0), top)
        cell = q.astype(np.intp)
        fx, fy, fz = q - cell
        index = (cell[0] * shape[1] + cell[1]) * shape[2] + cell[2]
        flat, dx, dy = self.distance.ravel(), shape[1] * shape[2], shape[2]
        c000, c001 = flat[index], flat[index + 1]
        c010, c011 = flat[index + dy], flat[index + dy + 1]
        c100, c101 = flat[index + dx], flat[index + dx + 1]
        c110, c111 = flat[index + dx + dy], flat[index + dx + dy + 1]
        c00, c01, c10, c11 = (a + (b - a) * fz for a, b in ((c000, c001), (c010, c011), (c100, c101), (c110, c111)))
        c0, c1 = c00 + (c01 - c00) * fy, c10 + (c11 - c10) * fy
        slope_y = (c01 - c00) + ((c11 - c10) - (c01 - c00)) * fx
        z0 = (c001 - c000) + ((c011 - c010) - (c001 - c000)) * fy
        z1 = (c101 - c100) + ((c111 - c110) - (c101 - c100)) * fy
        return c0 + (c1 - c0) * fx, np.stack([c1 - c0, slope_y, z0 + (z1 - z0) * fx]) / CELL_M


def samples(vertices: Array, faces: NDArray[np.int64], spacing: float) -> Array:
    """Points on triangles, no farther apart than `spacing`."""
    corners = vertices[faces]
    edges = np.sqrt(np.maximum(((corners - np.roll(corners, 1, 1)) ** 2).sum(2), 0.0)).max(1)
    counts = np.maximum(np.ceil(edges / spacing).astype(int), 1)
    found = [vertices[np.unique(faces)]]
    for k in np.unique(counts):
        i, j = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
        keep = i + j <= k
        a, b = i[keep] / k, j[keep] / k
        weights = np.stack([a, b, 1 - a - b], 1)
        group = corners[counts == k]
        found.append(np.einsum("sk,tkd->tsd", weights, group, optimize=False).reshape(-1, 3))
    return np.concatenate(found)


def height_field(points: Array, low: Array, cells: tuple[int, int], floor_z: float) -> FloatGrid:
    """Height of the upper surface over each cell, at least the floor's."""
    height = np.full(cells, floor_z)
    index = np.floor((points[:, :2] - low[:2]) / CELL_M).astype(int)
    inside = (index >= 0).all(1) & (index < np.array(cells)).all(1)
    np.maximum.at(height, tuple(index[inside].T), points[inside, 2])
    return height


def distance_field(height: FloatGrid, low: Array, levels: int) -> Field:
    """Signed distance to the solid under `height`, within `BAND_M`; separable, so that 26 passes do instead of 169."""
    reach = int(BAND_M / CELL_M)
    z = low[2] + np.arange(levels, dtype=np.float32) * CELL_M
    over = z[None, None, :] - height[:, :, None].astype(np.float32)

    def nearest(squared: NDArray[np.float32]) -> NDArray[np.float32]:
        for axis in (0, 1):
            best = squared.copy()
            for k in range(1, reach + 1):
                cost = np.float32((k * CELL_M) ** 2)
                ahead = [slice(None)] * 3
                behind = [slice(None)] * 3
                ahead[axis], behind[axis] = slice(k, None), slice(None, -k)
                a, b = tuple(ahead), tuple(behind)
                np.minimum(best[a], squared[b] + cost, out=best[a])
                np.minimum(best[b], squared[a] + cost, out=best[b])
            squared = best
        return squared

    outside = np.sqrt(nearest(np.maximum(over, 0) ** 2))
    inside = np.sqrt(nearest(np.maximum(-over, 0) ** 2))
    limit = np.float32(BAND_M)
    high = low_ = height
    for axis in (0, 1):
        high, low_ = (_extreme(f, g, axis, int(FLAT_REACH_M / CELL_M)) for f, g in ((np.maximum, high), (np.minimum, low_)))
    gaps = np.where(high - low_ <= FLAT_M, FLAT_GAP_M, GAP_M)
    return Field(low + np.array([CELL_M / 2, CELL_M / 2, 0.0]), np.minimum(outside, limit) - np.minimum(inside, limit), gaps)


def _extreme(pick: np.ufunc, values: FloatGrid, axis: int, reach: int) -> FloatGrid:
    """The greatest or least value within `reach` cells along an axis."""
    out = values.copy()
    for k in range(1, reach + 1):
        ahead = [slice(None)] * 2
        behind = [slice(None)] * 2
        ahead[axis], behind[axis] = slice(k, None), slice(None, -k)
        a, b = tuple(ahead), tuple(behind)
        out[a] = pick(out[a], values[b])
        out[b] = pick(out[b], values[a])
    return out


# --- the sheet --------------------------------------------------------------------------------------------------------


def _pairs(n: int, start: int) -> tuple[slice, slice]:
    """Neighbours (i, i+1) for every second i: independent of each other."""
    stop = n - 1
    return slice(start, stop, 2), slice(start + 1, n, 2)


def _hold(p: FloatGrid, a: tuple[Any, ...], b: tuple[Any, ...], rest: float, share: float) -> None:
    """Move two sets of points along the line between them by `share` of the error of their distance."""
    d = p[b] - p[a]
    length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + 1e-12
    d *= 0.5 * share * (1.0 - rest / length)
    p[a] += d
    p[b] -= d


@dataclass
class Sheet:
    """A moving sheet."""

    points: FloatGrid
    spacing: float
    solid: Field
    before: FloatGrid = field(init=False)

    def __post_init__(self) -> None:
        self.before = self.points.copy()

    def step(self, dt: float, drag: float, pin: Callable[[FloatGrid], None] | None = None, passes: int = 1) -> None:
        """One time step: inertia and gravity, then the sheet's length, shear and bending, then contact with friction."""
        p = self.points
        velocity = (p - self.before) * drag
        # No point moves farther in a step than half the gap: nothing tunnels.
        np.clip(velocity, -0.6 * GAP_M, 0.6 * GAP_M, out=velocity)
        self.before = p.copy()
        p += velocity
        p[2] -= GRAVITY_M_S2 * dt * dt
        for _ in range(passes):
            self._constrain()
            if pin is not None:
                pin(p)
        self.clear_faces()
        self._touch()

    def _constrain(self) -> None:
        p, s = self.points, self.spacing
        _, n, m = p.shape
        every = slice(None)
        bend = BENDING * (SPACING_M / s) ** 2
        for lo, mid, hi in (
            ((every, slice(None, -2)), (every, slice(1, -1)), (every, slice(2, None))),
            ((every, every, slice(None, -2)), (every, every, slice(1, -1)), (every, every, slice(2, None))),
        ):
            curve = p[lo] - 2.0 * p[mid] + p[hi]
            p[mid] += (0.5 * bend) * curve
            p[lo] -= (0.25 * bend) * curve
            p[hi] -= (0.25 * bend) * curve
        diagonal = s * math.sqrt(2.0)
        _hold(p, (every, slice(None, -1), slice(None, -1)), (every, slice(1, None), slice(1, None)), diagonal, SHEAR)
        _hold(p, (every, slice(None, -1), slice(1, None)), (every, slice(1, None), slice(None, -1)), diagonal, SHEAR)
        for start in (0, 1):
            a, b = _pairs(n, start)
            _hold(p, (every, a), (every, b), s, 1.0)
            a, b = _pairs(m, start)
            _hold(p, (every, every, a), (every, every, b), s, 1.0)

    def _touch(self) -> None:
        p = self.points
        distance, normal = self.solid.at(p)
        depth = self.solid.gap(p) - distance
        hit = depth > 0
        if not hit.any():
            return
        length = np.sqrt((normal * normal).sum(0)) + 1e-9
        n = (normal / length)[:, hit]
        d = depth[hit]
        moved = (p - self.before)[:, hit]
        p[:, hit] += n * d
        along = moved - n * (moved * n).sum(0)
        size = np.sqrt((along * along).sum(0)) + 1e-12
        p[:, hit] -= along * np.minimum(FRICTION * d / size, 1.0)

    def smooth_creases(self) -> None:
        """Round off folds narrower than the grid can show, where the sheet hangs free."""
        p = self.points
        middle = p[:, 1:-1, 1:-1]
        mean = (p[:, 2:, 1:-1] + p[:, :-2, 1:-1] + p[:, 1:-1, 2:] + p[:, 1:-1, :-2]) / 4
        bow = mean - middle
        sharp = np.sqrt(bow[0] * bow[0] + bow[1] * bow[1] + bow[2] * bow[2]) > CREASE * self.spacing
        free = self.solid.at(middle)[0] > 1.5 * GAP_M
        middle += np.where(sharp & free, 0.5 * bow, 0.0)
        self.before = p.copy()
        self.clear_faces()
        self._touch()

    def clear_faces(self) -> None:
        """Move the points out where the middle of an edge or of a square comes too near to the solid (thin tips pass between points)."""
        p = self.points
        every, first, last = slice(None), slice(None, -1), slice(1, None)
        pairs = (
            ((every, first, every), (every, last, every)),
            ((every, every, first), (every, every, last)),
            ((every, first, first), (every, last, last)),
        )
        middles = [(p[a] + p[b]).reshape(3, -1) / 2 for a, b in pairs]
        places = np.concatenate(middles, 1)
        distance, normal = self.solid.at(places)
        gap = 0.7 * self.solid.gap(places)
        near = distance < gap
        if not near.any():
            return
        push = np.zeros_like(normal)
        n = normal[:, near]
        push[:, near] = n / (np.sqrt((n * n).sum(0)) + 1e-9) * (gap - distance)[near]
        start = 0
        for a, b in pairs:
            shape = p[a].shape
            count = shape[1] * shape[2]
            part = push[:, start : start + count].reshape(shape)
            p[a] += part
            p[b] += part
            start += count


def finer(p: FloatGrid) -> FloatGrid:
    """Twice the points: those between are on the smooth curve through their neighbours (weights −1, 9, 9, −1 sixteenths)."""
    for axis in (1, 2):
        p = np.moveaxis(p, axis, 1)
        edge = np.concatenate([2 * p[:, :1] - p[:, 1:2], p, 2 * p[:, -1:] - p[:, -2:-1]], 1)
        between = (-edge[:, :-3] + 9 * edge[:, 1:-2] + 9 * edge[:, 2:-1] - edge[:, 3:]) / 16
        out = np.empty((p.shape[0], 2 * p.shape[1] - 1, p.shape[2]))
        out[:, ::2], out[:, 1::2] = p, between
        p = np.moveaxis(out, 1, axis)
    return p


# --- draping ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draped:
    """A settled sheet and how it looks while it is lifted; positions relative to the point below its middle on the floor."""

    rest: FloatGrid
    """(3, n, m)"""
    lifts: tuple[FloatGrid, ...]


def grid_of(size: tuple[float, float]) -> tuple[int, int, float]:
    """Points along x and y (odd, so that every second one makes a sheet too) and their distance."""
    spacing = min(max(max(size) / 40, SPACING_M), COARSEST_M)
    n, m = (2 * max(2, round(edge / (2 * spacing))) + 1 for edge in size)
    return n, m, spacing


_KEPT: OrderedDict[str, Draped] = OrderedDict()
KEPT = 24
"""Settled sheets remembered by what they fell on: twins and new sessions need no second fall."""


def drape(size: tuple[float, float], obstacles: Iterable[tuple[Array, NDArray[np.int64]]], yaw: tuple[float, float]) -> Draped:
    """Let a sheet fall and settle.

    Args:
        size: extents of the flat sheet.
        obstacles: (vertices, faces) of what lies below, relative to the point on the floor below the sheet's middle.
        yaw: cosine and sine of the sheet's turn about z.

    Returns:
        The settled sheet; the same for the same arguments to a tenth of a millimetre, remembered.
    """
    reach = math.hypot(*size) / 2 + 0.06
    low2 = np.array([-reach, -reach])
    # The floor is a plane at 0. Rounding: two scenes that differ by the last bit of a position share their sheet.
    solids = [(np.round(v, 4), f) for v, f in obstacles if len(f) and (v[:, :2].min(0) < reach).all() and (v[:, :2].max(0) > -reach).all()]
    digest = hashlib.sha256(repr((size, tuple(round(c, 6) for c in yaw))).encode())
    for v, f in solids:
        digest.update((v + 0.0).tobytes() + f.astype(np.int64).tobytes())
    key = digest.hexdigest()
    if key not in _KEPT:
        points = [samples(v, f, CELL_M / 2) for v, f in solids]
        cloud = np.concatenate(points) if points else np.zeros((0, 3))
        near = (np.abs(cloud[:, :2]) < reach).all(1)
        _KEPT[key] = _fall(size, cloud[near], low2, yaw)
    _KEPT.move_to_end(key)
    while len(_KEPT) > KEPT:
        _KEPT.popitem(last=False)
    return _KEPT[key]


def _fall(size: tuple[float, float], cloud: Array, low2: Array, yaw: tuple[float, float]) -> Draped:
    n, m, spacing = grid_of(size)
    cells = (int(-2 * low2[0] / CELL_M) + 1, int(-2 * low2[1] / CELL_M) + 1)
    low = np.array([low2[0], low2[1], -4 * CELL_M])
    height = height_field(cloud, low, cells, 0.0)
    top = float(height.max())
    solid = distance_field(height, low, int((top + 0.05) / CELL_M) + 4)

    # A coarse sheet falls, the fine one finds its folds.
    rows, columns = (n + 1) // 2, (m + 1) // 2
    x = (np.arange(rows) - (rows - 1) / 2) * 2 * spacing
    y = (np.arange(columns) - (columns - 1) / 2) * 2 * spacing
    gx, gy = np.meshgrid(x, y, indexing="ij")
    c, s = yaw
    # A sheet out of a hand is never flat; an exactly flat one would fold in perfect symmetry.
    ripple = 0.003 * np.random.default_rng(7).random((rows, columns))
    start = np.stack([c * gx - s * gy, s * gx + c * gy, top + GAP_M + 0.002 + ripple])
    sheet = Sheet(start, 2 * spacing, solid)
    for _ in range(260):
        sheet.step(0.004, 0.985)
    sheet = Sheet(finer(sheet.points), spacing, solid)
    for _ in range(320):
        sheet.step(0.0025, 0.97)
    for _ in range(60):
        sheet.step(0.0015, 0.9)
    for _ in range(12):
        sheet.smooth_creases()
    return Draped(sheet.points.copy(), lift(sheet.points[:, ::2, ::2].copy(), 2 * spacing, solid, top))


def lift(points: FloatGrid, spacing: float, solid: Field, top: float) -> tuple[FloatGrid, ...]:
    """The sheet while a hand pulls it up by its highest place, at the heights `LIFT_STAGES`.

    Coarse: these meshes are drawn, far below the world, in every picture of the cloth at rest too.
    """
    _, n, m = points.shape
    apex = np.unravel_index(int(np.argmax(points[2])), (n, m))
    i, j = (min(max(int(a), 1), k - 2) for a, k in zip(apex, (n, m), strict=True))
    patch = (slice(None), slice(i - 1, i + 2), slice(j - 1, j + 2))
    hanging = spacing * math.hypot(max(i, n - 1 - i), max(j, m - 1 - j))
    sheet = Sheet(points, spacing, solid)
    grip = sheet.points[patch].copy()
    # The hand gathers what it holds.
    centre = grip.mean((1, 2), keepdims=True)
    stages, raised = [], 0.0
    for share in LIFT_STAGES:
        target = share * hanging
        steps = max(1, math.ceil((target - raised) / 0.0035))
        for k in range(1, steps + 1):
            up = raised + (target - raised) * k / steps
            gather = max(0.25, 1.0 - up / 0.04)
            held = centre + (grip - centre) * np.array([gather, gather, 1.0]).reshape(3, 1, 1)
            held[2] += up

            def pin(p: FloatGrid, held: FloatGrid = held) -> None:
                p[patch] = held

            sheet.step(0.004, 0.98, pin, passes=2)
        raised = target
        stages.append(sheet.points.copy())
    return tuple(stages)


# --- meshes -----------------------------------------------------------------------------------------------------------


def mesh(points: FloatGrid, thickness: float = THICKNESS_M, repeat: tuple[float, float] = (1.0, 1.0), **looks: Any) -> Part:
    """A sheet with two sides and a hem; texture coordinates run 0 to `repeat` along x and y."""
    p = np.moveaxis(points, 0, -1)
    n, m, _ = p.shape
    along_x, along_y = np.gradient(p, axis=0), np.gradient(p, axis=1)
    normal = np.cross(along_x, along_y)
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
    # Thicker inside than at the hem, where one sees it: the shadow map cannot tell two layers apart that are nearer than its texels.
    half = np.full((n, m, 1), max(thickness, SHADE_M) / 2)
    half[[0, -1]], half[:, [0, -1]] = thickness / 2, thickness / 2
    upper, lower = (p + normal * half).reshape(-1, 3), (p - normal * half).reshape(-1, 3)
    faces = grid_faces(n, m)[:, ::-1]
    u, v = np.meshgrid(np.linspace(0, repeat[0], n), np.linspace(0, repeat[1], m), indexing="ij")
    uv = np.stack([u.ravel(), v.ravel()], 1)
    index = np.arange(n * m).reshape(n, m)
    border = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    count, base = len(border), 2 * n * m
    a = np.arange(count)
    b = (a + 1) % count
    hem = np.concatenate([np.stack([a, b + count, a + count], 1), np.stack([a, b, b + count], 1)]) + base
    return Part(
        np.concatenate([upper, lower, lower[border], upper[border]]),
        np.concatenate([faces, faces[:, ::-1] + n * m, hem]),
        uv=np.concatenate([uv, uv, uv[border], uv[border]]),
        **looks,
    )
