"""Where someone can walk: a grid of free floor, shortest ways over it, geodesic distances."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.houses.outline import WALL_M, Point, Rect, inset
from sim_bridge.houses.plan import Plan

CELL_M = 0.1
AGENT_RADIUS_M = 0.22
"""Half the width of someone who walks; doors of 0.9 m leave a lane of 0.46 m."""
_STEPS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


@dataclass(frozen=True, eq=False)
class Grid:
    """Free floor in square cells; `free[i, j]` is the cell whose middle is ``(x0 + (i + ½)·cell, y0 + (j + ½)·cell)``."""

    origin_m: Point
    cell_m: float
    free: NDArray[np.bool_]

    def cell(self, point: Point) -> tuple[int, int]:
        """Indices of the cell that holds a point (they may lie outside the grid)."""
        return math.floor((point[0] - self.origin_m[0]) / self.cell_m), math.floor((point[1] - self.origin_m[1]) / self.cell_m)

    def middle(self, cell: tuple[int, int]) -> Point:
        """Middle of a cell, world frame, metres."""
        return self.origin_m[0] + (cell[0] + 0.5) * self.cell_m, self.origin_m[1] + (cell[1] + 0.5) * self.cell_m

    def is_free(self, point: Point) -> bool:
        """Whether a point lies in a free cell; nothing beyond the grid is free."""
        i, j = self.cell(point)
        return 0 <= i < self.free.shape[0] and 0 <= j < self.free.shape[1] and bool(self.free[i, j])

    def nearest_free(self, point: Point, within_m: float = 1.0) -> tuple[int, int] | None:
        """The free cell nearest to a point; None where none lies within `within_m`."""
        cells = np.argwhere(self.free)
        if not len(cells):
            return None
        middles = np.array(self.origin_m) + (cells + 0.5) * self.cell_m
        distance = np.hypot(*(middles - np.array(point)).T)
        k = int(np.argmin(distance))
        return (int(cells[k][0]), int(cells[k][1])) if distance[k] <= within_m else None

    def path(self, start: Point, goal: Point) -> list[Point] | None:
        """Waypoints of a shortest way, start and goal included, with straight stretches between them; None where there is no way.

        A* over the eight neighbours without cutting corners, then pulled straight where the line of sight is free.
        """
        a, b = self.nearest_free(start), self.nearest_free(goal)
        if a is None or b is None:
            return None
        cells = self._search(a, b)
        return None if cells is None else self._straightened([start, *(self.middle(c) for c in cells[1:-1]), goal])

    def distance_m(self, start: Point, goal: Point) -> float | None:
        """Length of `path`; None where there is no way."""
        way = self.path(start, goal)
        return None if way is None else sum(math.dist(p, q) for p, q in itertools.pairwise(way))

    def _search(self, a: tuple[int, int], b: tuple[int, int]) -> list[tuple[int, int]] | None:
        free, (rows, columns) = self.free, self.free.shape

        def rest(c: tuple[int, int]) -> float:
            dx, dy = abs(c[0] - b[0]), abs(c[1] - b[1])
            return max(dx, dy) + (math.sqrt(2) - 1) * min(dx, dy)

        best = {a: 0.0}
        came: dict[tuple[int, int], tuple[int, int]] = {}
        queue = [(rest(a), a)]
        done: set[tuple[int, int]] = set()
        while queue:
            _, c = heapq.heappop(queue)
            if c == b:
                way = [c]
                while way[-1] in came:
                    way.append(came[way[-1]])
                return way[::-1]
            if c in done:
                continue
            done.add(c)
            for i, j, cost in _STEPS:
                n = c[0] + i, c[1] + j
                if not (0 <= n[0] < rows and 0 <= n[1] < columns and free[n] and free[c[0] + i, c[1]] and free[c[0], c[1] + j]):
                    continue
                new = best[c] + cost
                if new < best.get(n, math.inf) - 1e-9:
                    best[n], came[n] = new, c
                    heapq.heappush(queue, (new + rest(n), n))
        return None

    def _straightened(self, way: list[Point]) -> list[Point]:
        kept, i = [way[0]], 0
        while i < len(way) - 1:
            j = next((k for k in range(len(way) - 1, i + 1, -1) if self._sees(way[i], way[k])), i + 1)
            kept.append(way[j])
            i = j
        return kept

    def _sees(self, p: Point, q: Point) -> bool:
        steps = max(2, math.ceil(math.dist(p, q) / (self.cell_m / 3)))
        t = np.linspace(0, 1, steps + 1)[1:-1]
        i = np.floor((p[0] + t * (q[0] - p[0]) - self.origin_m[0]) / self.cell_m).astype(int)
        j = np.floor((p[1] + t * (q[1] - p[1]) - self.origin_m[1]) / self.cell_m).astype(int)
        good = (i >= 0) & (j >= 0) & (i < self.free.shape[0]) & (j < self.free.shape[1])
        return bool(good.all() and self.free[i, j].all())


def grid(plan: Plan, obstacles: Sequence[Rect] = (), *, cell_m: float = CELL_M, radius_m: float = AGENT_RADIUS_M) -> Grid:
    """The free floor of a house.

    Args:
        obstacles: footprints of furniture and objects, metres; they and the walls are widened by `radius_m`.
        cell_m: 0.05 to 0.25.
    """
    if not 0.05 <= cell_m <= 0.25:
        raise ValueError(f"cell_m: expected 0.05 to 0.25, got {cell_m!r}")
    x0, y0, x1, y1 = plan.bounds_m
    nx, ny = math.ceil((x1 - x0) / cell_m), math.ceil((y1 - y0) / cell_m)
    x = x0 + (np.arange(nx)[:, None] + 0.5) * cell_m
    y = y0 + (np.arange(ny)[None, :] + 0.5) * cell_m
    free = np.zeros((nx, ny), bool)
    for name in plan.names:
        free |= _within(inset(plan.inner(name), radius_m), x, y)
    deep = WALL_M / 2 + radius_m + cell_m
    for d in plan.doors:
        half = d.width_m / 2 - radius_m
        across, through = (x - d.centre_m[0], y - d.centre_m[1]) if d.along == "x" else (y - d.centre_m[1], x - d.centre_m[0])
        free |= (np.abs(across) <= half) & (np.abs(through) <= deep)
    leaves = [plan.leaf_segment(d) for d in plan.doors]
    thin = [(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for leaf in leaves if leaf for a, b in (leaf,)]
    for rect in [*obstacles, *thin]:
        dx = np.maximum(np.maximum(rect[0] - x, x - rect[2]), 0.0)
        dy = np.maximum(np.maximum(rect[1] - y, y - rect[3]), 0.0)
        free &= np.hypot(dx, dy) >= radius_m
    return Grid((x0, y0), cell_m, free)


def _within(polygon: Sequence[Point], x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    odd = np.zeros((x.shape[0], y.shape[1]), bool)
    for i, (ax, ay) in enumerate(polygon):
        bx, by = polygon[i - 1]
        if ax == bx:
            odd ^= ((ay > y) != (by > y)) & (x < ax)
    return odd


@functools.lru_cache(maxsize=64)
def empty_grid(plan: Plan) -> Grid:
    """The grid of a house without furniture."""
    return grid(plan)


def distance_between(plan: Plan, a: str, b: str, floor: Grid | None = None) -> float:
    """Geodesic distance between the middles of two rooms, metres; `floor` defaults to the house without furniture.

    Raises:
        ValueError: the way is blocked.
    """
    length = (floor or empty_grid(plan)).distance_m(plan.centre(a), plan.centre(b))
    if length is None:
        raise ValueError(f"rooms: no free way from {a!r} to {b!r}")
    return length
