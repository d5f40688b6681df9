"""What things can stand on: the flat tops of a model as it is drawn, with the free height above each spot. Pure numpy.

A top is found on the triangles, not declared, so that what is put there stands on what is seen: a table's board, every board of a shelf,
a worktop without its basin, a mattress as far as it is flat.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
from sim_bridge.houses.outline import Rect

CELL_M = 0.03
"""Edge of the cells that a model's box is divided into, seen from above."""
_SAMPLE_M = 0.012
"""Distance of the points that stand for a model's triangles: about six of each triangle that covers a cell."""
LEVEL_M = 0.004
"""Heights that differ by less are one level: boards are flat, mattresses nearly."""
OPEN_M = 9.0
"""Free height where nothing is above."""
LEAST_M2 = 0.02
"""Smaller tops carry nothing."""


@dataclass(frozen=True)
class Top:
    """One level of a model: upper faces at one height.

    Cells lie on a grid in the model's own frame (its box centred at the origin): cell (i, j) spans ``corner + CELL_M * (i, j)`` and on.
    """

    z_m: float
    """Height in the model's frame."""
    corner: tuple[float, float]
    edge: Rect
    """Box around the level itself: the cells at its ends reach a little farther."""
    free_m: Array
    """(nx, ny) metres of free height above each cell; 0 where the level is not."""

    def without(self, rect: Rect, height_m: float = 0.0) -> Top:
        """The same with at most `height_m` free above a rectangle (model's frame)."""
        a, b, c, d = (max(v, 0) for v in self._cells(rect))
        free = self.free_m.copy()
        free[a:b, c:d] = np.minimum(free[a:b, c:d], height_m)
        return replace(self, free_m=free)

    def holds(self, rect: Rect, height_m: float) -> bool:
        """Whether a thing with this footprint (model's frame) and height has all of it on the top and nothing in its way."""
        e = self.edge
        if rect[0] < e[0] or rect[1] < e[1] or rect[2] > e[2] or rect[3] > e[3]:
            return False
        a, b, c, d = self._cells(rect)
        nx, ny = self.free_m.shape
        if not (0 <= a < b <= nx and 0 <= c < d <= ny):
            return False
        return bool((self.free_m[a:b, c:d] > height_m).all())

    def _cells(self, rect: Rect) -> tuple[int, int, int, int]:
        """Cells that a rectangle touches: first and after the last along x, the same along y; some may lie outside the grid."""
        low = [math.floor((rect[i] - self.corner[i]) / CELL_M + 1e-9) for i in (0, 1)]
        high = [math.ceil((rect[i + 2] - self.corner[i]) / CELL_M - 1e-9) for i in (0, 1)]
        return low[0], high[0], low[1], high[1]

    @property
    def area_m2(self) -> float:
        return float((self.free_m > 0).sum()) * CELL_M**2

    @property
    def free_height_m(self) -> float:
        """Height that is free above half of it."""
        there = self.free_m[self.free_m > 0]
        return float(np.median(there)) if len(there) else 0.0


_known: OrderedDict[int, tuple[Model, tuple[Top, ...]]] = OrderedDict()


def tops(model: Model) -> tuple[Top, ...]:
    """The tops of a model, the lowest first; the same object for the same model."""
    if id(model) in _known:
        _known.move_to_end(id(model))
        return _known[id(model)][1]
    found = _tops(model)
    _known[id(model)] = model, found  # kept with the model: its id stays its own
    while len(_known) > 96:
        _known.popitem(last=False)
    return found


def _tops(model: Model) -> tuple[Top, ...]:
    parts = model.closed.parts
    points, up = _samples(np.concatenate([p.vertices[p.faces] for p in parts]))
    low, high = model.bounds
    corner = (float(low[0]), float(low[1]))
    nx, ny = (max(1, math.ceil((high[i] - low[i]) / CELL_M)) for i in (0, 1))
    i = np.clip(((points[:, 0] - low[0]) / CELL_M).astype(int), 0, nx - 1)
    j = np.clip(((points[:, 1] - low[1]) / CELL_M).astype(int), 0, ny - 1)
    cell = i * ny + j
    found = []
    for z in _levels(points[up, 2]):
        on = up & (np.abs(points[:, 2] - z) <= LEVEL_M)
        there = np.unique(cell[on])
        if len(there) * CELL_M**2 < LEAST_M2:
            continue
        above = np.full(nx * ny, z + OPEN_M)
        over = points[:, 2] > z + LEVEL_M
        np.minimum.at(above, cell[over], points[over, 2])
        free = np.zeros(nx * ny)
        free[there] = above[there] - z
        flat = points[on, :2]
        (x0, y0), (x1, y1) = flat.min(0), flat.max(0)
        top = Top(z, corner, (float(x0), float(y0), float(x1), float(y1)), free.reshape(nx, ny))
        if top.free_height_m < OPEN_M and _closed(points, top):
            continue
        found.append(top)
    return tuple(found)


def _closed(points: Array, top: Top) -> bool:
    """Whether a front stands before a level: doors, drawers and panes, behind which nobody leaves things in passing."""
    x0, y0, x1, y1 = top.edge
    low, high = top.z_m + LEVEL_M, top.z_m + min(top.free_height_m, 0.4)
    middle = (y0 + y1) / 2
    heights = (points[:, 2] > low + 0.25 * (high - low)) & (points[:, 2] < high - 0.25 * (high - low))
    before = points[heights & (points[:, 1] < middle) & (points[:, 0] > x0) & (points[:, 0] < x1)]
    columns = max(1, math.ceil((x1 - x0) / CELL_M))
    blocked = np.unique(((before[:, 0] - x0) / CELL_M).astype(int))
    return len(blocked) > 0.6 * columns


def _levels(heights: Array) -> list[float]:
    """Heights at which many points of upper faces lie, each the highest of its points, the lowest first."""
    if not len(heights):
        return []
    ordered = np.sort(heights)
    need = LEAST_M2 / _SAMPLE_M**2 * 0.5
    found: list[float] = []
    start = 0
    for k in range(1, len(ordered) + 1):
        if k == len(ordered) or ordered[k] - ordered[start] > LEVEL_M:
            if k - start >= need:
                found.append(float(ordered[k - 1]))
            start = k
    return found


def _samples(triangles: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Points that cover triangles evenly, (N, 3), and which of them lie on level upper faces."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    keep = length > 1e-12
    a, b, c, normal, length = a[keep], b[keep], c[keep], normal[keep], length[keep]
    count = np.ceil(length / 2 / _SAMPLE_M**2).astype(int) + 3
    which = np.repeat(np.arange(len(a)), count)
    k = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    # The R2 sequence: points of even density in a square, folded into the triangle.
    u, v = (0.5 + k * 0.7548776662466927) % 1.0, (0.5 + k * 0.5698402909980532) % 1.0
    fold = u + v > 1
    u, v = np.where(fold, 1 - u, u), np.where(fold, 1 - v, v)
    points = a[which] + u[:, None] * (b - a)[which] + v[:, None] * (c - a)[which]
    return points, (normal[:, 2] / length > 0.985)[which]
