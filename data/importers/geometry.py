"""A little geometry for importers and generators: metres, world frame with z up, quaternions xyzw, cameras look along −z."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sim_bridge.kinematics import rotation_matrix
from sim_bridge.rotations import Matrix, camera_quat, yaw_of
from sim_bridge.spec import Pose, Quat, Vec3

Box = tuple[Vec3, Vec3]
"""(least corner, greatest corner) of an axis-aligned box, world frame."""
Point = tuple[float, float]
"""A place on the floor."""


def look_at(eye: Vec3, target: Vec3) -> Pose:
    """A camera at `eye` without roll whose optical axis meets `target` (not straight above or below it)."""
    dx, dy, dz = (t - e for t, e in zip(target, eye, strict=True))
    return Pose(position_m=eye, quaternion_xyzw=camera_quat(math.atan2(dy, dx), math.atan2(dz, math.hypot(dx, dy))))


def own_size(extent: Vec3, q: Quat) -> Vec3:
    """Size along an object's own axes from the extent of its world box.

    For a box, extent = |R| · size; this is solved exactly where the object is turned by about a multiple of 90° about z. Round things do
    not follow it: equal horizontal extents at a free angle are taken for a round thing. Near 45° the equation has no stable solution, so
    the mean horizontal extent serves for both own axes. A tilted object takes its nearest axis-aligned orientation.
    """
    r = rotation_matrix(q)
    if abs(r[2][2]) > 0.97:  # upright within 14°
        c, s = abs(math.cos(yaw_of(q))), abs(math.sin(yaw_of(q)))
        x, y, z = extent
        if abs(x - y) < 0.06 * max(x, y) and min(c, s) > 0.1:
            return (x, y, z)
        det = c * c - s * s
        if abs(det) > 0.5:  # more than 15° away from the diagonal
            size = ((c * x - s * y) / det, (c * y - s * x) / det)
            if min(size) > 0.25 * min(x, y):
                return (size[0], size[1], z)
        mean = (x + y) / 2
        return (mean, mean, z)
    order = _nearest_axes(r)
    own = [0.0, 0.0, 0.0]
    for world_axis, own_axis in enumerate(order):
        own[own_axis] = extent[world_axis]
    return (own[0], own[1], own[2])


def _nearest_axes(r: Matrix) -> tuple[int, int, int]:
    """World axis → own axis that lies closest to it (a permutation)."""
    permutations = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    return max(permutations, key=lambda p: sum(abs(r[i][p[i]]) for i in range(3)))


def centre(box: Box) -> Vec3:
    """Middle of a box."""
    low, high = box
    return ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2)


def extent(box: Box) -> Vec3:
    """Lengths of a box along the axes."""
    low, high = box
    return (high[0] - low[0], high[1] - low[1], high[2] - low[2])


def bounds_xy(points: Iterable[Sequence[float]], margin: float = 0.0) -> tuple[float, float, float, float]:
    """(x_min, y_min, x_max, y_max) of points, widened by `margin`."""
    xs, ys = zip(*((p[0], p[1]) for p in points), strict=True)
    return (min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)


def rounded(values: Iterable[float], digits: int = 4) -> tuple[float, ...]:
    """Values to `digits` decimals, without negative zeros."""
    return tuple(round(v, digits) + 0.0 for v in values)


def off_way_m(point: Sequence[float], a: Point, b: Point) -> float:
    """Distance of a point from a straight piece of a way."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-12)
    share = min(1.0, max(0.0, share))
    return math.dist(point[:2], (a[0] + share * dx, a[1] + share * dy))


def straightened(way: Sequence[Point], within_m: float) -> list[Point]:
    """The fewest corners by halving (Douglas and Peucker 1973) that keep a way within a distance of all its points."""
    kept, open_ = {0, len(way) - 1}, [(0, len(way) - 1)]
    while open_:
        first, last = open_.pop()
        off = [(off_way_m(way[i], way[first], way[last]), i) for i in range(first + 1, last)]
        if off and max(off)[0] > within_m:
            middle = max(off)[1]
            kept.add(middle)
            open_ += [(first, middle), (middle, last)]
    return [way[i] for i in sorted(kept)] if way else []
