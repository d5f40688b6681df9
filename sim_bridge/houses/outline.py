"""Rectangles, outlines and walls in the plane: metres, world frame, counter-clockwise polygons with edges along x or y."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Rect = tuple[float, float, float, float]
Point = tuple[float, float]

WALL_M = 0.12
"""Thickness of every wall. Rooms are given up to the middle of their walls, so half of it stands in each room."""
_CLOSE_M = 1e-6


@dataclass(frozen=True)
class Wall:
    """A stretch of wall that separates the same two spaces along its whole length."""

    along: str
    """``x`` or ``y``."""
    at_m: float
    """The other coordinate of its middle line."""
    low_m: float
    high_m: float
    before: str
    """Room on the side of smaller coordinates; empty: outside."""
    after: str
    """Room on the side of larger coordinates; empty: outside."""

    @property
    def length_m(self) -> float:
        return self.high_m - self.low_m

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms it borders, one for an outer wall."""
        return tuple(name for name in (self.before, self.after) if name)

    def point(self, along_m: float) -> Point:
        """The point of the middle line at a coordinate along the wall."""
        return (along_m, self.at_m) if self.along == "x" else (self.at_m, along_m)


def rect_area(rect: Rect) -> float:
    """Area of a rectangle, square metres."""
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def overlap(a: Rect, b: Rect, slack_m: float = _CLOSE_M) -> bool:
    """Whether two rectangles share area."""
    return a[0] < b[2] - slack_m and a[2] > b[0] + slack_m and a[1] < b[3] - slack_m and a[3] > b[1] + slack_m


def bounds(rects: Iterable[Rect]) -> Rect:
    """The rectangle around all."""
    x0, y0, x1, y1 = zip(*rects, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def contains(rects: Iterable[Rect], point: Point) -> bool:
    """Whether a point lies in any of the rectangles (lower edges included, upper not, so that touching rooms share no point)."""
    return any(r[0] <= point[0] < r[2] and r[1] <= point[1] < r[3] for r in rects)


def outline(rects: Sequence[Rect]) -> list[Point]:
    """Outline of a union of rectangles without holes, counter-clockwise, corners alone."""
    xs, ys = sorted({x for r in rects for x in (r[0], r[2])}), sorted({y for r in rects for y in (r[1], r[3])})

    def filled(i: int, j: int) -> bool:
        if not (0 <= i < len(xs) - 1 and 0 <= j < len(ys) - 1):
            return False
        return contains(rects, ((xs[i] + xs[i + 1]) / 2, (ys[j] + ys[j + 1]) / 2))

    follows: dict[Point, Point] = {}
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            if not filled(i, j):
                continue
            a, b, c, d = (xs[i], ys[j]), (xs[i + 1], ys[j]), (xs[i + 1], ys[j + 1]), (xs[i], ys[j + 1])
            for start, end, beside in ((a, b, (i, j - 1)), (b, c, (i + 1, j)), (c, d, (i, j + 1)), (d, a, (i - 1, j))):
                if not filled(*beside):
                    follows[start] = end
    first = min(follows)
    ring = [first]
    while follows[ring[-1]] != first:
        ring.append(follows[ring[-1]])
    return [q for p, q, r in zip([ring[-1], *ring[:-1]], ring, [*ring[1:], ring[0]], strict=True) if not _straight(p, q, r)]


def _straight(p: Point, q: Point, r: Point) -> bool:
    return (abs(p[0] - q[0]) < _CLOSE_M and abs(q[0] - r[0]) < _CLOSE_M) or (abs(p[1] - q[1]) < _CLOSE_M and abs(q[1] - r[1]) < _CLOSE_M)


def inset(polygon: Sequence[Point], by_m: float) -> list[Point]:
    """The outline moved inward by `by_m` on every side."""
    moved = []
    for i, q in enumerate(polygon):
        p, r = polygon[i - 1], polygon[(i + 1) % len(polygon)]
        # The inside lies to the left of each edge.
        nx, ny = _left(p, q)
        mx, my = _left(q, r)
        moved.append((q[0] + by_m * (nx + mx), q[1] + by_m * (ny + my)))
    return moved


def _left(p: Point, q: Point) -> Point:
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = abs(dx) + abs(dy)
    return -dy / length, dx / length


def inside(polygon: Sequence[Point], point: Point) -> bool:
    """Whether a point lies within an outline (crossing number)."""
    x, y = point
    odd = False
    for i, (ax, ay) in enumerate(polygon):
        bx, by = polygon[i - 1]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


def walls_between(rooms: Sequence[tuple[str, Sequence[Rect]]]) -> list[Wall]:
    """Every wall of a house, each stretch with the two spaces that it separates, ordered by direction and place."""
    found: list[Wall] = []
    for along in ("x", "y"):
        low, high = (0, 2) if along == "x" else (1, 3)
        near, far = (1, 3) if along == "x" else (0, 2)
        for at in sorted({r[k] for _, rects in rooms for r in rects for k in (near, far)}):
            before = [(r[low], r[high], name) for name, rects in rooms for r in rects if abs(r[far] - at) < _CLOSE_M]
            after = [(r[low], r[high], name) for name, rects in rooms for r in rects if abs(r[near] - at) < _CLOSE_M]
            cuts = sorted({c for span in before + after for c in span[:2]})
            stretch: Wall | None = None
            for a, b in itertools.pairwise(cuts):
                middle = (a + b) / 2
                sides = [next((name for s, e, name in spans if s < middle < e), "") for spans in (before, after)]
                if sides[0] == sides[1] or b - a < _CLOSE_M:
                    continue
                if stretch and (stretch.before, stretch.after) == (sides[0], sides[1]) and abs(stretch.high_m - a) < _CLOSE_M:
                    stretch = Wall(along, at, stretch.low_m, b, sides[0], sides[1])
                    found[-1] = stretch
                else:
                    stretch = Wall(along, at, a, b, sides[0], sides[1])
                    found.append(stretch)
    return found
