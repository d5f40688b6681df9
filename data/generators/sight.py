"""What a level camera can see in a house: through doorways and past open leaves; which signs it reads, which walls it knows.

Pure geometry on the plan, without any simulator. Furniture counts for nothing here: it stands along walls and is lower than signs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.generators.layout import PUBLISHED
from sim_bridge.houses import Plan, plan_of
from sim_bridge.houses.outline import WALL_M, Point
from sim_bridge.kinematics import angles_deg
from sim_bridge.spec import Camera, House, HouseDoor, HouseWindow, Pose, Scene

EYE_M = 1.35
"""Camera height (published start views)."""
EDGE_DEG = 4.0
"""What counts as seen lies this far inside the picture's edge."""
READ_PX = 83.0
"""Pixels per metre at which a sign is read: a picture of 640 pixels and 75° shows so many at 5 m."""
SEEN_M = 6.0
"""A wall or a door is seen from no farther away."""
HEAD_M = 2.05
"""Upper edge of doors."""
SIGN_M = (0.98, 0.26)
SIGN_TOP_M = 2.32
"""What of a sign must be in the picture: the middle of its letters, in houses of before; in lived-in ones the whole letters."""
LETTERS_TOP_M = 2.38


class Sight:
    """What a scene's camera can see in a plan: walls with their doorways, and open door leaves, as segments."""

    def __init__(self, house: Plan, camera: Camera = PUBLISHED, facing_doors: bool = False) -> None:
        self.plan = house
        focal_px = camera.width / 2 / math.tan(math.radians(camera.hfov_deg / 2))
        self.half_deg = camera.hfov_deg / 2
        self.up_deg = math.degrees(math.atan(camera.height / 2 / focal_px))
        self.read_m = focal_px / READ_PX
        self.focal_px = focal_px
        rows: list[tuple[float, float, float, float]] = []
        for w in house.walls:
            gaps = sorted(
                (_along(d) - d.width_m / 2, _along(d) + d.width_m / 2)
                for d in house.doors
                if d.along == w.along and abs(_across(d) - w.at_m) < 0.01 and w.low_m < _along(d) < w.high_m
            )
            edges = [w.low_m, *(c for g in gaps for c in g), w.high_m]
            rows += [(*w.point(a), *w.point(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        for d in house.doors:
            if leaf := house.leaf_segment(d):
                rows.append((*leaf[0], *leaf[1]))
        self._a = np.array([r[:2] for r in rows])
        self._b = np.array([r[2:] for r in rows])
        self.signs = {name: signs_of(house, name, facing_doors) for name in house.names}

    def free(self, eye: Point, to: Point) -> bool:
        """Whether nothing stands between two points; the last 10 cm before `to` do not count (a sign hangs on a wall)."""
        length = math.dist(eye, to)
        if length < 0.12:
            return True
        t = 1 - 0.1 / length
        return not self._hit(np.array(eye), np.array([(eye[0] + t * (to[0] - eye[0]), eye[1] + t * (to[1] - eye[1]))]))[0]

    def free_many(self, eye: Point, to: NDArray[np.float64]) -> NDArray[np.bool_]:
        """`free` for many points, shape (n, 2)."""
        e = np.array(eye)
        length = np.maximum(np.hypot(*(to - e).T), 1e-6)[:, None]
        ends = e + (to - e) * np.maximum(0.0, 1 - 0.1 / length)
        return ~self._hit(e, ends)

    def _hit(self, eye: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.bool_]:
        d = ends - eye
        e = self._b - self._a
        det = d[:, None, 0] * e[None, :, 1] - d[:, None, 1] * e[None, :, 0]
        s = self._a[None] - eye
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (s[..., 0] * e[None, :, 1] - s[..., 1] * e[None, :, 0]) / det
            u = (s[..., 0] * d[:, None, 1] - s[..., 1] * d[:, None, 0]) / det
        return np.asarray(((np.abs(det) > 1e-12) & (t > 0) & (t < 1) & (u >= 0) & (u <= 1)).any(1))

    def rooms_in_view(self, pose: Pose) -> set[str]:
        """Rooms of which any floor is in the picture: points every 0.2 m."""
        eye, yaw = eye_of(pose)
        seen = {self.plan.room_at(eye) or ""}
        for name, points in floors(self.plan).items():
            inside = bearings_deg(eye, yaw, points) < self.half_deg + 2
            if inside.any() and self.free_many(eye, points[inside]).any():
                seen.add(name)
        return seen

    def reads(self, pose: Pose, name: str) -> bool:
        """Whether a sign of a room is in the picture, whole in height, near and frontal enough to be read."""
        eye, yaw = eye_of(pose)
        return any(self.readable(eye, sign) and off_deg(eye, yaw, sign.at) < self.in_picture_deg(eye, sign) for sign in self.signs[name])

    def in_picture_deg(self, eye: Point, sign: Sign) -> float:
        """How far from a level camera's heading a sign may lie to be in the picture, degrees: the nearer, the higher it stands there."""
        low = (sign.top_m - EYE_M) / (math.dist(eye, sign.at) * math.tan(math.radians(self.up_deg)))
        return min(self.half_deg - EDGE_DEG, math.degrees(math.acos(min(1.0, low))))

    def readable(self, eye: Point, sign: Sign) -> bool:
        """Whether a level camera at `eye` that looks towards a sign can read it."""
        key = eye, sign
        if key not in self._readable:
            self._readable[key] = self._can_read(eye, sign)
        return self._readable[key]

    @functools.cached_property
    def _readable(self) -> dict[tuple[Point, Sign], bool]:
        return {}

    def _can_read(self, eye: Point, sign: Sign) -> bool:
        gap = math.dist(eye, sign.at)
        if not 1.0 < gap <= self.read_m:
            return False
        facing = ((eye[0] - sign.at[0]) * sign.normal[0] + (eye[1] - sign.at[1]) * sign.normal[1]) / gap
        if facing < 0.42 or self.in_picture_deg(eye, sign) <= 0 or not self.free(eye, sign.at):
            return False
        for d in self.plan.doors:
            t = _crossing(eye, sign.at, d)
            if t is not None and EYE_M + t * (sign.top_m - EYE_M) > HEAD_M - 0.02:
                return False
        return True


@functools.lru_cache(maxsize=16)
def _made(house: House, camera: Camera, facing_doors: bool) -> Sight:
    return Sight(plan_of(house), camera, facing_doors)


def sight_of(scene: Scene) -> Sight:
    """What the camera can see in a scene's house, made once.

    Raises:
        ValueError: there is no house, or no such house (`plan_of`).
    """
    if scene.house is None:
        raise ValueError("scene.house: expected a house, got none")
    return _made(scene.house, scene.camera, scene.room.arrangement == "lived_in")


@dataclass(frozen=True)
class Sign:
    """A plate with its room's name."""

    at: Point
    normal: Point
    """Into the room."""
    top_m: float = SIGN_TOP_M


def signs_of(house: Plan, name: str, facing_doors: bool = False) -> tuple[Sign, ...]:
    """Where the plates of a room hang: one on every wall with room for it beside doors and windows, nearest to the wall's middle.

    Args:
        facing_doors: whether they rather hang where they are read whole through the room's doorways, as in lived-in houses.
    """
    ring = house.inner(name)
    walls = [(b, a) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)]
    for share, beside_doors in ((1.0, True), (0.8, True), (0.65, True), (1.0, False)):
        found = [s for a, b in walls if (s := _sign(house, name, a, b, share, beside_doors, facing_doors))]
        if len(found) >= 2 or (found and share < 0.7):
            return tuple(found)
    return tuple(found)


def _sign(house: Plan, name: str, a: Point, b: Point, share: float, beside_doors: bool, facing_doors: bool) -> Sign | None:
    length, wide = math.dist(a, b), share * SIGN_M[0]
    if length < wide + 0.2:
        return None
    d = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    normal = (d[1], -d[0])
    holes, here = [], []
    openings: list[HouseDoor | HouseWindow] = [*house.doors, *house.windows]
    for hole in openings:
        mine = name in hole.rooms if isinstance(hole, HouseDoor) else hole.room == name
        x, y = hole.centre_m[0] - a[0], hole.centre_m[1] - a[1]
        if not (mine and abs(x * normal[0] + y * normal[1]) < WALL_M and (hole.along == "x") == (abs(d[0]) > 0.5)):
            continue
        middle = x * d[0] + y * d[1]
        margin = 0.32 if not isinstance(hole, HouseDoor) and hole.kind == "window" else 0.1
        if not 0 < middle < length:
            continue
        here.append(hole)
        if beside_doors:
            holes.append((middle - hole.width_m / 2 - margin, middle + hole.width_m / 2 + margin))
    spots = sorted(np.linspace(wide / 2 + 0.06, length - wide / 2 - 0.06, 25), key=lambda s: abs(s - length / 2))
    free = [float(s) for s in spots if all(s + wide / 2 < lo or s - wide / 2 > hi for lo, hi in holes)]
    if not free:
        return None
    elsewhere = [o for o in house.doors if name in o.rooms and o not in here]

    def through_doors(spot: float) -> int:
        ends = [(a[0] + d[0] * e, a[1] + d[1] * e) for e in (spot - wide / 2 - 0.015, spot + wide / 2 + 0.015)]
        return sum(_shown_by(house, name, o, ends) for o in elsewhere)

    spot = max(free, key=through_doors) if facing_doors else free[0]
    top = LETTERS_TOP_M if facing_doors else SIGN_TOP_M
    return Sign((round(a[0] + d[0] * spot, 4), round(a[1] + d[1] * spot, 4)), normal, top)


SIGN_FROM_M = 0.9
"""So far before a doorway stands who looks into a room for its sign."""


def _shown_by(house: Plan, name: str, door: HouseDoor, ends: Sequence[Point]) -> int:
    """1 where a plate is read whole through a doorway, −1 where a jamb cuts it, 0 where nothing of it shows."""
    side = house.side_of(door, name)
    i = 1 if door.along == "x" else 0
    before = SIGN_FROM_M + WALL_M
    # From the room's own face of the wall to the eye, and to the plate's ends.
    face = _across(door) + side * WALL_M / 2
    eye = face - side * before
    depths = [(end[i] - eye) * side for end in ends]
    if min(depths) <= before:
        return 0
    across = [(end[1 - i] - _along(door)) / depth for end, depth in zip(ends, depths, strict=True)]
    inside = [abs(v) < (door.width_m / 2 - 0.01) / before for v in across]
    return 1 if all(inside) else -1 if any(inside) or across[0] * across[1] < 0 else 0


def _along(d: HouseDoor) -> float:
    return d.centre_m[0] if d.along == "x" else d.centre_m[1]


def _across(d: HouseDoor) -> float:
    return d.centre_m[1] if d.along == "x" else d.centre_m[0]


def _crossing(a: Point, b: Point, d: HouseDoor) -> float | None:
    """Where (0..1) the line from a to b goes through a doorway; None where it does not."""
    i = 1 if d.along == "x" else 0
    if abs(b[i] - a[i]) < 1e-9:
        return None
    t = (_across(d) - a[i]) / (b[i] - a[i])
    place = a[1 - i] + t * (b[1 - i] - a[1 - i])
    return t if 0 < t < 1 and abs(place - _along(d)) <= d.width_m / 2 else None


def eye_of(pose: Pose) -> tuple[Point, float]:
    """Floor point and heading (degrees, 0 along +y, counter-clockwise) of a camera."""
    return (pose.position_m[0], pose.position_m[1]), angles_deg(pose.quaternion_xyzw)[0]


def off_deg(eye: Point, yaw: float, at: Point) -> float:
    """Angle between the camera's heading and a point, degrees."""
    return float(bearings_deg(eye, yaw, np.array([at]))[0])


def bearings_deg(eye: Point, yaw: float, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles between the direction of a gaze and points (N, 2), degrees from 0 to 180."""
    angle = np.degrees(np.arctan2(-(points[:, 0] - eye[0]), points[:, 1] - eye[1])) - yaw
    return np.asarray(np.abs((angle + 180) % 360 - 180))


@functools.lru_cache(maxsize=64)
def floors(house: Plan) -> dict[str, NDArray[np.float64]]:
    """Room → points of its floor on a grid of 0.2 m, (N, 2), world frame, metres."""
    x0, y0, x1, y1 = house.bounds_m
    x, y = (v.ravel() for v in np.meshgrid(np.arange(x0 + 0.1, x1, 0.2), np.arange(y0 + 0.1, y1, 0.2), indexing="ij"))
    taken = np.zeros(x.shape, bool)
    found = {}
    for room in house.rooms:
        inside = np.zeros(x.shape, bool)
        for a, b, c, d in room.rects_m:
            inside |= (a <= x) & (x < c) & (b <= y) & (y < d)
        found[room.name] = np.stack([x[inside & ~taken], y[inside & ~taken]], 1)
        taken |= inside
    return found


def outline_points(house: Plan, name: str) -> NDArray[np.float64]:
    """Points along a room's walls, every 0.25 m."""
    ring = house.inner(name)
    found = []
    for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
        n = max(2, round(math.dist(a, b) / 0.25))
        found += [(a[0] + (b[0] - a[0]) * (k + 0.5) / n, a[1] + (b[1] - a[1]) * (k + 0.5) / n) for k in range(n)]
    return np.array(found)


def walls_known(sight: Sight, name: str, poses: Iterable[Pose]) -> bool:
    """Whether cameras in a room have seen its walls, door leaves and all, so that no doorway can have escaped them."""
    there = (p for p in poses if sight.plan.room_at(eye_of(p)[0]) == name)
    return longest_gap(seen_of_walls(sight, outline_points(sight.plan, name), there)) <= MAX_UNSEEN


def seen_of_walls(sight: Sight, points: NDArray[np.float64], poses: Iterable[Pose]) -> NDArray[np.bool_]:
    """Which points along a room's walls cameras in it have seen."""
    seen = np.zeros(len(points), bool)
    for pose in poses:
        eye, yaw = eye_of(pose)
        seen |= (bearings_deg(eye, yaw, points) < sight.half_deg - 1) & wall_in_sight(sight, eye, points)
    return seen


def wall_in_sight(sight: Sight, eye: Point, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points (N, 2) of walls are near enough to be made out and not hidden by other walls."""
    near = np.hypot(*(points - np.array(eye)).T) < SEEN_M
    return np.asarray(near & sight.free_many(eye, points))


MAX_UNSEEN = 2
"""Points of a wall, 0.25 m apart, that may remain unseen in a row: too few for a doorway."""


def longest_gap(seen: NDArray[np.bool_]) -> int:
    """The longest run of unseen points around a room."""
    longest = run = 0
    for s in (*seen, *seen):
        run = 0 if s else run + 1
        longest = max(longest, run)
    return longest


def bearing_to(p: Point, at: Point) -> float:
    """Yaw in degrees under which a point is seen from another; 0 looks along +y."""
    return math.degrees(math.atan2(-(at[0] - p[0]), at[1] - p[1]))
