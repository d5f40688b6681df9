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

from sim_bridge.backends.mujoco.meshes.shapes import Array, Part, grid_faces

GRAVITY_M_S2 = 9.81
SHADE_M = 0.0035
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
LARGE_M = 0.05
"""A triangle with a longer edge is drawn cell by cell instead of sampled."""
BAND_M = 0.02
"""The distance field is exact up to this distance from the surface."""
TIP_CELLS, TIP_M, TIP_REACH = 9, 0.015, 3
"""A place is a tip if, of 9 × 9 cells around it, fewer than 9 reach to 15 mm below it; it is then widened by 3 cells."""
ROOM_M = 0.08
"""The region in which the sheet falls reaches this far beyond it."""
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


def samples(corners: Array, spacing: float) -> Array:
    """Points on triangles (T, 3, 3), no farther apart than `spacing`."""
    counts = np.maximum(np.ceil(longest_edges(corners) / spacing).astype(int), 1)
    found = [corners.reshape(-1, 3)]
    for k in np.unique(counts):
        i, j = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
        keep = i + j <= k
        a, b = (w[keep][None, :, None] / k for w in (i, j))
        group = corners[counts == k][:, :, None]
        found.append((group[:, 0] * a + group[:, 1] * b + group[:, 2] * (1.0 - a - b)).reshape(-1, 3))
    return np.concatenate(found)


def longest_edges(corners: Array) -> Array:
    """Longest edge of each triangle (N, 3, 3), metres."""
    edge = corners - np.roll(corners, 1, 1)
    return np.asarray(np.sqrt((edge * edge).sum(2)).max(1))


def height_field(solids: Iterable[tuple[Array, NDArray[np.int64]]], low: Array, cells: tuple[int, int]) -> FloatGrid:
    """Height of the upper surface over each cell, at least the floor's, which is 0."""
    height = np.zeros(cells)
    high = low[:2] + np.array(cells) * CELL_M

    def raise_at(points: Array) -> None:
        index = np.floor((points[:, :2] - low[:2]) / CELL_M).astype(int)
        inside = (index >= 0).all(1) & (index < np.array(cells)).all(1)
        np.maximum.at(height, tuple(index[inside].T), points[inside, 2])

    for vertices, faces in solids:
        corners = vertices[faces]
        near = (corners[:, :, :2].min(1) < high).all(1) & (corners[:, :, :2].max(1) > low[:2]).all(1) & (corners[:, :, 2].max(1) > 0)
        corners = corners[near]
        large = longest_edges(corners) > LARGE_M
        if not large.all():
            raise_at(samples(corners[~large], CELL_M / 2))
        for triangle in corners[large]:
            _raise_triangle(height, triangle, low)
            # Its edges too: an upright triangle has no cell's middle.
            share = np.linspace(0.0, 1.0, math.ceil(longest_edges(triangle[None])[0] / (CELL_M / 2)) + 1)[:, None, None]
            raise_at((triangle * (1.0 - share) + np.roll(triangle, 1, 0) * share).reshape(-1, 3))
    return height


def _raise_triangle(height: FloatGrid, triangle: Array, low: Array) -> None:
    """Raise the cells whose middle lies in a large triangle to the highest place of the triangle in them."""
    a, b, c = triangle
    (ux, uy, uz), (vx, vy, vz) = b - a, c - a
    area = ux * vy - uy * vx
    if abs(area) < 1e-9:
        return
    first = np.maximum(np.floor((triangle[:, :2].min(0) - low[:2]) / CELL_M).astype(int), 0)
    last = np.minimum(np.floor((triangle[:, :2].max(0) - low[:2]) / CELL_M).astype(int) + 1, height.shape)
    x = (low[0] + (np.arange(first[0], last[0]) + 0.5) * CELL_M - a[0])[:, None]
    y = (low[1] + (np.arange(first[1], last[1]) + 0.5) * CELL_M - a[1])[None, :]
    s, t = (x * vy - y * vx) / area, (y * ux - x * uy) / area
    slope_x, slope_y = (uz * vy - vz * uy) / area, (vz * ux - uz * vx) / area
    z = np.minimum(a[2] + s * uz + t * vz + (abs(slope_x) + abs(slope_y)) * CELL_M / 2, triangle[:, 2].max())
    block = height[first[0] : last[0], first[1] : last[1]]
    np.maximum(block, np.where((s >= 0) & (t >= 0) & (s + t <= 1), z, 0.0), out=block)


def distance_field(height: FloatGrid, low: Array, levels: int) -> Field:
    """Signed distance to the solid under `height`, within `BAND_M`; separable, so that 16 passes do instead of 81."""
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
    distance = np.minimum(outside, limit) - np.minimum(inside, limit)
    return Field(low + np.array([CELL_M / 2, CELL_M / 2, 0.0]), distance, gaps)


def blunted(height: FloatGrid) -> FloatGrid:
    """The same field with its tips (a wick, a leaf, a pen) as thick as the sheet's grid can feel; rims and edges stay as they are."""
    reach, thick = TIP_CELLS // 2, TIP_REACH
    padded = np.pad(height, reach)
    n, m = height.shape
    beside = np.zeros(height.shape, int)
    for i in range(TIP_CELLS):
        for j in range(TIP_CELLS):
            beside += padded[i : i + n, j : j + m] >= height - TIP_M
    tips = np.pad(np.where((beside < TIP_CELLS) & (height > TIP_M), height, 0.0), thick)
    out = height.copy()
    for i in range(2 * thick + 1):
        for j in range(2 * thick + 1):
            if (i - thick) ** 2 + (j - thick) ** 2 <= thick**2 + 1:
                np.maximum(out, tips[i : i + n, j : j + m], out=out)
    return out


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
        bow = self._bow()
        middle = self.points[:, 1:-1, 1:-1]
        sharp = np.sqrt(bow[0] * bow[0] + bow[1] * bow[1] + bow[2] * bow[2]) > CREASE * self.spacing
        free = self.solid.at(middle)[0] > 1.5 * GAP_M
        middle += np.where(sharp & free, 0.5, 0.0) * bow
        self.before = self.points.copy()
        self.clear_faces()
        self._touch()

    def _bow(self) -> FloatGrid:
        """From the inner points to the mean of their four neighbours."""
        p = self.points
        return (p[:, 2:, 1:-1] + p[:, :-2, 1:-1] + p[:, 1:-1, 2:] + p[:, 1:-1, :-2]) / 4 - p[:, 1:-1, 1:-1]

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
    # The region: the flat sheet's box and some room for it to shift.
    c, sn = abs(yaw[0]), abs(yaw[1])
    reach = np.array([c * size[0] + sn * size[1], sn * size[0] + c * size[1]]) / 2 + ROOM_M
    # The floor is a plane at 0. Rounding: two scenes that differ by the last bit of a position share their sheet.
    rounded = [(np.round(v, 4) + 0.0, f) for v, f in obstacles if len(f)]
    solids = [(v, f) for v, f in rounded if (v[:, :2].min(0) < reach).all() and (v[:, :2].max(0) > -reach).all()]
    digest = hashlib.sha256(repr((size, tuple(round(w, 6) for w in yaw))).encode())
    for v, f in solids:
        digest.update(v.tobytes() + f.astype(np.int64).tobytes())
    key = digest.hexdigest()
    if key not in _KEPT:
        low = np.array([-reach[0], -reach[1], -4 * CELL_M])
        _KEPT[key] = _fall(size, height_field(solids, low, (int(2 * reach[0] / CELL_M) + 1, int(2 * reach[1] / CELL_M) + 1)), low, yaw)
    _KEPT.move_to_end(key)
    while len(_KEPT) > KEPT:
        _KEPT.popitem(last=False)
    return _KEPT[key]


def _fall(size: tuple[float, float], height: FloatGrid, low: Array, yaw: tuple[float, float]) -> Draped:
    n, m, spacing = grid_of(size)
    height = blunted(height)
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
    # The lower side lies deeper inside than at the hem, where one sees it: the shadow map cannot tell two layers apart that are nearer
    # than its texels, and would darken the upper one in spots.
    depth = np.full((n, m, 1), max(SHADE_M - thickness / 2, thickness / 2))
    depth[[0, -1]], depth[:, [0, -1]] = thickness / 2, thickness / 2
    upper, lower = (p + normal * thickness / 2).reshape(-1, 3), (p - normal * depth).reshape(-1, 3)
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
