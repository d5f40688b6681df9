"""Own tasks of Cognitive Mapping: houses whose rooms bear their names on their walls, walked through.

All four subcategories use houses with a *fork*: the room `near` opens into two rooms `left` and `right`, and both share a wall with `far`,
which has a door to only one of them. The twins differ in that door alone, so whether two rooms are joined, through which room the
shortest way leads, and which turns it takes are all opposite. Regional Boundary keeps the house and moves an object instead.

The camera starts in `near` (or in the room before it) and faces away, so that no line of sight leads into what differs. Ways are searched
over 0.25 m steps that keep off walls, door leaves and the furniture along walls; they end where the signs that tell the answer
have been read.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.generators.framework import BUDGET, Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import HERE, Thing, path_poses
from data.generators.measuring import asked, middle
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.houses import Plan, plan, plan_of
from sim_bridge.houses.outline import WALL_M, Point, Wall
from sim_bridge.houses.routes import Turn, shortest, turns, unique_shortest
from sim_bridge.kinematics import angles_deg, looking
from sim_bridge.spec import House, HouseDoor, HouseLayout, HouseRoom, HouseWindow, Pose

EYE_M = 1.35
"""Camera height (published start views)."""
HFOV_DEG, VFOV_DEG = 75.0, 59.8
EDGE_DEG = 4.0
"""What counts as seen lies this far inside the picture's edge."""
READ_M = 5.0
"""A sign is read from no farther away."""
SEEN_M = 6.0
"""A wall or a door is seen from no farther away."""
HEAD_M = 2.05
"""Upper edge of doors."""
SIGN_M = (0.98, 0.26)
SIGN_TOP_M = 2.32
BODY_M = 0.22
SIGNS = "A sign in each room says which it is."
"""Half the width of a walker: distance from door leaves and door frames."""
OFF_WALL_M = 0.72
"""Distance from walls where the room is wide enough: furniture stands along them."""
PRIVATE = ("bathroom", "storage_room")
"""Rooms through which no way leads."""
TRIES = 600
"""Layouts tried per draft before it counts as failed."""
TURN_WORDS = {"left": "turn left", "right": "turn right", "back": "turn back"}


# --- lines of sight ---------------------------------------------------------------------------------------------------


class Sight:
    """What can be seen in a plan: walls with their doorways, and open door leaves, as segments."""

    def __init__(self, house: Plan) -> None:
        self.plan = house
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
        self.signs = {name: _signs(house, name) for name in house.names}

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
        eye, yaw = _eye(pose)
        seen = {self.plan.room_at(eye) or ""}
        for name, points in _floors(self.plan).items():
            inside = _bearing(eye, yaw, points) < HFOV_DEG / 2 + 2
            if inside.any() and self.free_many(eye, points[inside]).any():
                seen.add(name)
        return seen

    def reads(self, pose: Pose, name: str) -> bool:
        """Whether a sign of a room is in the picture, near and frontal enough to be read."""
        eye, yaw = _eye(pose)
        return any(self.readable(eye, sign) and _off(eye, yaw, sign.at) < HFOV_DEG / 2 - EDGE_DEG for sign in self.signs[name])

    def readable(self, eye: Point, sign: Sign) -> bool:
        """Whether a level camera at `eye` that looks towards a sign can read it."""
        return self._readable.setdefault((eye, sign), self._can_read(eye, sign))

    @functools.cached_property
    def _readable(self) -> dict[tuple[Point, Sign], bool]:
        return {}

    def _can_read(self, eye: Point, sign: Sign) -> bool:
        gap = math.dist(eye, sign.at)
        if not 1.0 < gap <= READ_M:
            return False
        facing = ((eye[0] - sign.at[0]) * sign.normal[0] + (eye[1] - sign.at[1]) * sign.normal[1]) / gap
        # The picture's upper edge lies lower beside its middle; the sign must be in it wherever it stands in the picture.
        rise = sign.top_m - EYE_M
        high = math.degrees(math.atan2(rise, gap * math.cos(math.radians(HFOV_DEG / 2 - EDGE_DEG))))
        if facing < 0.42 or high > VFOV_DEG / 2 or not self.free(eye, sign.at):
            return False
        for d in self.plan.doors:
            t = _crossing(eye, sign.at, d)
            if t is not None and EYE_M + t * (sign.top_m - EYE_M) > HEAD_M - 0.02:
                return False
        return True


@dataclass(frozen=True)
class Sign:
    """A plate with its room's name."""

    at: Point
    normal: Point
    """Into the room."""
    top_m: float = SIGN_TOP_M


def _signs(house: Plan, name: str) -> tuple[Sign, ...]:
    """Where the plates of a room hang: one on every wall with room for it beside doors and windows, nearest to the wall's middle."""
    ring = house.inner(name)
    walls = [(b, a) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)]
    for share, beside_doors in ((1.0, True), (0.8, True), (0.65, True), (1.0, False)):
        found = [s for a, b in walls if (s := _sign(house, name, a, b, share, beside_doors))]
        if len(found) >= 2 or (found and share < 0.7):
            return tuple(found)
    return tuple(found)


def _sign(house: Plan, name: str, a: Point, b: Point, share: float, beside_doors: bool) -> Sign | None:
    length, wide = math.dist(a, b), share * SIGN_M[0]
    if length < wide + 0.2:
        return None
    d = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    normal = (d[1], -d[0])
    holes = []
    openings: list[HouseDoor | HouseWindow] = [*house.doors, *house.windows]
    for hole in openings:
        mine = name in hole.rooms if isinstance(hole, HouseDoor) else hole.room == name
        x, y = hole.centre_m[0] - a[0], hole.centre_m[1] - a[1]
        if not (mine and abs(x * normal[0] + y * normal[1]) < WALL_M and (hole.along == "x") == (abs(d[0]) > 0.5)):
            continue
        middle = x * d[0] + y * d[1]
        margin = 0.32 if not isinstance(hole, HouseDoor) and hole.kind == "window" else 0.1
        if 0 < middle < length and beside_doors:
            holes.append((middle - hole.width_m / 2 - margin, middle + hole.width_m / 2 + margin))
    spots = sorted(np.linspace(wide / 2 + 0.06, length - wide / 2 - 0.06, 25), key=lambda s: abs(s - length / 2))
    spot = next((float(s) for s in spots if all(s + wide / 2 < lo or s - wide / 2 > hi for lo, hi in holes)), None)
    return None if spot is None else Sign((round(a[0] + d[0] * spot, 4), round(a[1] + d[1] * spot, 4)), normal)


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


def _eye(pose: Pose) -> tuple[Point, float]:
    """Floor point and heading (degrees, 0 along +y, counter-clockwise) of a camera."""
    return (pose.position_m[0], pose.position_m[1]), angles_deg(pose.quaternion_xyzw)[0]


def _off(eye: Point, yaw: float, at: Point) -> float:
    """Angle between the camera's heading and a point, degrees."""
    return float(_bearing(eye, yaw, np.array([at]))[0])


def _bearing(eye: Point, yaw: float, points: NDArray[np.float64]) -> NDArray[np.float64]:
    angle = np.degrees(np.arctan2(-(points[:, 0] - eye[0]), points[:, 1] - eye[1])) - yaw
    return np.asarray(np.abs((angle + 180) % 360 - 180))


@functools.lru_cache(maxsize=64)
def _floors(house: Plan) -> dict[str, NDArray[np.float64]]:
    x0, y0, x1, y1 = house.bounds_m
    points = [(x, y) for x in np.arange(x0 + 0.1, x1, 0.2) for y in np.arange(y0 + 0.1, y1, 0.2)]
    where = [house.room_at(p) for p in points]
    return {name: np.array([p for p, w in zip(points, where, strict=True) if w == name]) for name in house.names}


def _outline_points(house: Plan, name: str) -> NDArray[np.float64]:
    """Points along a room's walls, every 0.25 m."""
    ring = house.inner(name)
    found = []
    for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
        n = max(2, round(math.dist(a, b) / 0.25))
        found += [(a[0] + (b[0] - a[0]) * (k + 0.5) / n, a[1] + (b[1] - a[1]) * (k + 0.5) / n) for k in range(n)]
    return np.array(found)


def walls_known(sight: Sight, name: str, poses: Iterable[Pose]) -> bool:
    """Whether cameras in a room have seen its walls, door leaves and all, so that no doorway can have escaped them."""
    points = _outline_points(sight.plan, name)
    seen = np.zeros(len(points), bool)
    for pose in poses:
        eye, yaw = _eye(pose)
        if sight.plan.room_at(eye) == name:
            seen |= (_bearing(eye, yaw, points) < HFOV_DEG / 2 - 1) & _wall_in_sight(sight, eye, points)
    return _gap(seen) <= MAX_UNSEEN


def _wall_in_sight(sight: Sight, eye: Point, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    near = np.hypot(*(points - np.array(eye)).T) < SEEN_M
    return np.asarray(near & sight.free_many(eye, points))


MAX_UNSEEN = 2
"""Points of a wall, 0.25 m apart, that may remain unseen in a row: too few for a doorway."""


def _gap(seen: NDArray[np.bool_]) -> int:
    """The longest run of unseen points around a room."""
    longest = run = 0
    for s in (*seen, *seen):
        run = 0 if s else run + 1
        longest = max(longest, run)
    return longest


# --- walking ----------------------------------------------------------------------------------------------------------

Goal = Callable[[Point], Sequence[float] | None]
"""Floor point → bearings (degrees) at which something is seen from there; None: nothing to be seen."""
_MOVES = (("move_forward", 0.0), ("move_left", 90.0), ("move_backward", 180.0), ("move_right", 270.0))


class Walk:
    """Shortest action sequences from a start whose heading is a multiple of 90°; moves happen at such headings only."""

    def __init__(self, house: Plan, start: Point, yaw_deg: int) -> None:
        self.plan, self.start, self.yaw = house, start, yaw_deg
        self._free: dict[tuple[int, int], bool] = {}

    def point(self, cell: tuple[int, int]) -> Point:
        return (round(self.start[0] + cell[0] * MOVE_STEP_M, 6), round(self.start[1] + cell[1] * MOVE_STEP_M, 6))

    def free(self, cell: tuple[int, int]) -> bool:
        if cell not in self._free:
            self._free[cell] = walkable(self.plan, self.point(cell))
        return self._free[cell]

    def find(self, goals: Sequence[Goal], limit: int = BUDGET - 1) -> tuple[str, ...] | None:
        """The shortest sequence along which every goal is seen at some view after the start; None where it is longer than `limit`."""
        full = (1 << len(goals)) - 1
        views: dict[tuple[int, int], list[int]] = {}

        def mask(cell: tuple[int, int], h: int) -> int:
            if cell not in views:
                bits = [0] * 24
                for k, goal in enumerate(goals):
                    for bearing in goal(self.point(cell)) or ():
                        for i in range(24):
                            if abs((bearing - i * TURN_STEP_DEG + 180) % 360 - 180) < HFOV_DEG / 2 - EDGE_DEG:
                                bits[i] |= 1 << k
                views[cell] = bits
            return views[cell][h]

        first = ((0, 0), round(self.yaw / TURN_STEP_DEG) % 24, 0)
        came: dict[tuple[tuple[int, int], int, int], tuple[tuple[tuple[int, int], int, int], str]] = {}
        done, layer = {first}, [first]
        for _ in range(limit):
            following = []
            for state in layer:
                (i, j), h, seen = state
                steps = [((i, j), (h + 1) % 24, "turn_left"), ((i, j), (h - 1) % 24, "turn_right")]
                if h % 6 == 0:
                    for action, turn in _MOVES:
                        a = math.radians(h * TURN_STEP_DEG + turn)
                        cell = (i - round(math.sin(a)), j + round(math.cos(a)))
                        if self.free(cell):
                            steps.append((cell, h, action))
                for cell, heading, action in steps:
                    new = (cell, heading, seen | mask(cell, heading))
                    if new in done:
                        continue
                    done.add(new)
                    came[new] = (state, action)
                    if new[2] == full:
                        return self._back(new, came)
                    following.append(new)
            layer = following
        return None

    @staticmethod
    def _back(
        state: tuple[tuple[int, int], int, int], came: dict[tuple[tuple[int, int], int, int], tuple[tuple[tuple[int, int], int, int], str]]
    ) -> tuple[str, ...]:
        actions = []
        while state in came:
            state, action = came[state]
            actions.append(action)
        return tuple(actions[::-1])


def walkable(house: Plan, p: Point) -> bool:
    """Whether someone can stand there: clear of walls, of what furniture stands along them, and of door leaves."""
    for d in house.doors:
        if leaf := house.leaf_segment(d):
            x0, x1 = sorted((leaf[0][0], leaf[1][0]))
            y0, y1 = sorted((leaf[0][1], leaf[1][1]))
            if math.hypot(max(x0 - p[0], p[0] - x1, 0.0), max(y0 - p[1], p[1] - y1, 0.0)) < BODY_M:
                return False
    for d in house.doors:
        across, through = (p[0] - d.centre_m[0], p[1] - d.centre_m[1]) if d.along == "x" else (p[1] - d.centre_m[1], p[0] - d.centre_m[0])
        if abs(across) <= d.width_m / 2 - BODY_M and abs(through) <= 0.85:
            return True
    name = house.room_at(p)
    if name is None:
        return False
    ring = house.inner(name)
    sides = (max(q[k] for q in ring) - min(q[k] for q in ring) for k in (0, 1))
    keep = min(OFF_WALL_M, min(sides) / 2 - 0.2)
    for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
        x0, x1 = sorted((a[0], b[0]))
        y0, y1 = sorted((a[1], b[1]))
        if math.hypot(max(x0 - p[0], p[0] - x1, 0.0), max(y0 - p[1], p[1] - y1, 0.0)) < keep:
            return False
    return True


def sign_goal(sight: Sight, name: str) -> Goal:
    """The sign of a room is read, its name whole."""
    return lambda p: [_bearing_to(p, s.at) for s in sight.signs[name] if sight.readable(p, s) and _whole_sign(sight, p, s)]


def _whole_sign(sight: Sight, eye: Point, sign: Sign) -> bool:
    """Whether no door frame, leaf or wall hides either end of a plate."""
    half = 0.4 * SIGN_M[0]
    ends = ((sign.at[0] - k * half * sign.normal[1], sign.at[1] + k * half * sign.normal[0]) for k in (-1, 1))
    return all(sight.free(eye, end) for end in ends)


def object_goal(sight: Sight, at: Point) -> Goal:
    """A thing on the floor is well in the picture of a level camera."""

    def goal(p: Point) -> Sequence[float] | None:
        return [_bearing_to(p, at)] if whole(sight, p, at) else None

    return goal


def whole(sight: Sight, eye: Point, at: Point) -> bool:
    """Whether a thing on the floor is near enough to be known and far enough to be in the picture, nothing before either side of it."""
    gap = math.dist(eye, at)
    if not THING_M[0] <= gap <= THING_M[1]:
        return False
    side = (-(at[1] - eye[1]) / gap * HALF_THING_M, (at[0] - eye[0]) / gap * HALF_THING_M)
    return all(sight.free(eye, (at[0] + k * side[0], at[1] + k * side[1])) for k in (-1, 0, 1))


THING_M = (2.4, 3.6)
HALF_THING_M = 0.25
THING_PIXELS = 300
"""Least pixels of a thing that counts as seen; a ball has as many at 3.6 m."""


def _bearing_to(p: Point, at: Point) -> float:
    return math.degrees(math.atan2(-(at[0] - p[0]), at[1] - p[1]))


# --- houses with a fork -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fork:
    """A house in two versions: `far` opens into `left` (`plans[0]`) or into `right` (`plans[1]`); both open into `near`."""

    seed: int
    plans: tuple[Plan, Plan]
    before: str
    """A room that opens into `near` alone."""
    near: str
    left: str
    right: str
    far: str

    def house(self, which: int) -> House:
        return House(self.seed, len(self.plans[0].rooms), True, self.plans[which].layout)

    @property
    def middle(self) -> tuple[str, str]:
        return self.left, self.right


def _scaled(house: Plan, k: float) -> Plan:
    """The rooms and windows of a plan, without doors, in `k` times the size; coordinates stay multiples of 5 cm."""

    def to(v: float) -> float:
        return round(round(v * k / 0.05) * 0.05, 4)

    rooms = tuple(HouseRoom(r.name, r.kind, tuple((to(x0), to(y0), to(x1), to(y1)) for x0, y0, x1, y1 in r.rects_m)) for r in house.rooms)
    windows = []
    for w in house.windows:
        width = round(max(0.5, w.width_m * k), 2) if w.kind == "window" else w.width_m
        windows.append(HouseWindow(w.room, (to(w.centre_m[0]), to(w.centre_m[1])), w.along, width, w.kind))
    return Plan(HouseLayout(rooms, (), tuple(windows)), house.seed)


def forks(numbers: random.Random, rooms: Sequence[int], spare: int = 0, scale: float = 1.0) -> list[Fork]:
    """Houses with a fork on the rooms of one derived plan; often none.

    Args:
        rooms: how many it may have.
        spare: rooms besides the five that matter at least.
        scale: size of the house, 1 for that of `houses.plan`.
    """
    seed, n = numbers.randrange(1 << 20), numbers.choice(rooms)
    if n < 5 + spare:
        return []
    try:
        base = _scaled(plan(seed, n), scale)
    except ValueError:
        return []
    walls = _shared(base)
    kinds = {r.name: r.kind for r in base.rooms}
    inner = [r.name for r in base.rooms if r.kind not in PRIVATE]
    found = [
        (before, near, a, b, far)
        for near in inner
        for a in inner
        for b in inner
        for far in base.names
        for before in base.names
        if len({before, near, a, b, far}) == 5
        and all(frozenset(p) in walls for p in ((near, a), (near, b), (far, a), (far, b), (before, near)))
    ]
    made = (_with_doors(numbers, base, walls, kinds, numbers.choice(found)) for _ in range(DOORS if found else 0))
    return [f for f in made if f is not None]


DOORS = 16
"""Ways of placing the doors that are tried per set of rooms."""


def _with_doors(
    numbers: random.Random, base: Plan, walls: dict[frozenset[str], Wall], kinds: dict[str, str], roles: tuple[str, str, str, str, str]
) -> Fork | None:
    before, near, a, b, far = roles
    edges = [(near, a), (near, b), (before, near)]
    rest = [r for r in base.names if r not in (before, near, a, b, far)]
    for r in rest:
        # The rest hangs on rooms that are the same in both versions.
        hosts = [h for h in (near, before) if frozenset((r, h)) in walls and kinds[h] not in PRIVATE]
        if not hosts:
            return None
        edges.append((r, numbers.choice(hosts)))
    doors: list[HouseDoor] = []
    for pair in edges:
        door = _door(numbers, base, pair, walls[frozenset(pair)], doors)
        if door is None:
            return None
        doors.append(door)
    versions = []
    for m in (a, b):
        door = _door(numbers, base, (far, m), walls[frozenset((far, m))], doors)
        if door is None:
            return None
        # Last, so that every other door looks the same in both versions.
        made = Plan(HouseLayout(base.rooms, (*doors, door), base.windows), base.seed)
        if made.problem():
            return None
        versions.append(made)
    return Fork(base.seed, (versions[0], versions[1]), before, near, a, b, far)


def _shared(house: Plan) -> dict[frozenset[str], Wall]:
    """The longest wall that two rooms share, where a door fits with something to spare."""
    found: dict[frozenset[str], Wall] = {}
    for w in house.walls:
        if len(w.rooms) == 2 and w.length_m >= 1.4 and w.length_m > getattr(found.get(frozenset(w.rooms)), "length_m", 0.0):
            found[frozenset(w.rooms)] = w
    return found


def _door(numbers: random.Random, house: Plan, pair: tuple[str, str], wall: Wall, others: Sequence[HouseDoor]) -> HouseDoor | None:
    kinds = {r.name: r.kind for r in house.rooms}
    a, b = pair
    open_kinds = {"living_room", "dining_room", "kitchen", "corridor"}
    passage = kinds[a] in open_kinds and kinds[b] in open_kinds and numbers.random() < 0.7
    private = max(pair, key=lambda n: (kinds[n] in PRIVATE, kinds[n] in ("bedroom", "childs_room", "office"), n))
    for _ in range(8):
        width = round(min(1.4, wall.length_m - 0.5) - 0.02, 2) if passage else 0.88
        low, high = wall.low_m + 0.18 + width / 2, wall.high_m - 0.18 - width / 2
        if high < low:
            return None
        place = round(numbers.choice((low, high, numbers.uniform(low, high))), 2)
        place = min(max(place, low), high)
        hinge = 1 if wall.high_m - place < place - wall.low_m else -1
        door = HouseDoor(pair, wall.point(round(place, 4)), wall.along, width, "" if passage else private, hinge)
        if all(_apart(house, door, other) for other in others):
            return door
    return None


def _apart(house: Plan, a: HouseDoor, b: HouseDoor) -> bool:
    """Whether neither door stands in the other's way."""
    both = Plan(HouseLayout(house.rooms, (a, b)))
    zones = [_zone(d) for d in (a, b)]
    for d in (a, b):
        if leaf := both.leaf_segment(d):
            xs, ys = sorted((leaf[0][0], leaf[1][0])), sorted((leaf[0][1], leaf[1][1]))
            zones.append((xs[0] - 0.04, ys[0] - 0.04, xs[1] + 0.04, ys[1] + 0.04))
        else:
            zones.append((0.0, 0.0, 0.0, 0.0))
    pairs = ((0, 1), (2, 1), (3, 0), (2, 3))
    return not any(_overlap(zones[i], zones[k]) for i, k in pairs)


def _zone(d: HouseDoor) -> tuple[float, float, float, float]:
    x, y, half, deep = *d.centre_m, d.width_m / 2, 0.6
    return (x - half, y - deep, x + half, y + deep) if d.along == "x" else (x - deep, y - half, x + deep, y + half)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1] and a[0] < a[2] and b[0] < b[2]


def _starts(numbers: random.Random, house: Plan, room: str, towards: Iterable[str]) -> list[tuple[Point, int]]:
    """Start places in a room, near its doors to `towards`, with headings on an axis; in random order."""
    doors = [d for t in towards if (d := house.door(room, t))]
    box = house.inner(room)
    xs, ys = [p[0] for p in box], [p[1] for p in box]
    places = [
        (round(float(x), 3), round(float(y), 3))
        for x in np.arange(min(xs) + 0.3, max(xs) - 0.29, 0.25)
        for y in np.arange(min(ys) + 0.3, max(ys) - 0.29, 0.25)
        if house.room_at((float(x), float(y))) == room and walkable(house, (float(x), float(y)))
    ]
    places.sort(key=lambda p: max(math.dist(p, d.centre_m) for d in doors) + numbers.uniform(0, 0.6))
    return [(p, yaw) for p in places[:8] for yaw in numbers.sample((0, 90, 180, 270), 4)]


def _ahead(eye: Point, yaw_deg: float, distance_m: float = 2.2) -> Point:
    """The point so far before a camera."""
    a = math.radians(yaw_deg)
    return eye[0] - distance_m * math.sin(a), eye[1] + distance_m * math.cos(a)


def room_views(house: Plan, names: Sequence[str]) -> tuple[tuple[str, Pose], ...]:
    """Two level views of each room that together show most of its floor, from its free floor and its doors."""
    sight, views = Sight(house), []
    for name in names:
        floor = _floors(house)[name]
        free = [(float(x), float(y)) for x, y in floor if walkable(house, (float(x), float(y)))]
        eyes = [e for d in house.doors if name in d.rooms if walkable(house, e := _entry(house, d, name))] + free[
            :: max(1, len(free) // 16)
        ]
        shown = {}
        for eye in eyes or [house.centre(name)]:
            clear = sight.free_many(eye, floor)
            for yaw in range(0, 360, round(TURN_STEP_DEG)):
                shown[(eye, yaw)] = clear & (_bearing(eye, yaw, floor) < HFOV_DEG / 2)
        first = max(shown, key=lambda v: int(shown[v].sum()))
        second = max(shown, key=lambda v: (int((shown[v] & ~shown[first]).sum()), int(shown[v].sum())))
        for k, ((x, y), yaw) in enumerate((first, second), start=1):
            views.append((f"{name}, view {k}", looking(round(x, 3), round(y, 3), EYE_M, yaw_deg=float(yaw))))
    return tuple(views)


def _entry(house: Plan, door: HouseDoor, name: str) -> Point:
    """Just inside a room, in its doorway's middle."""
    x, y = door.centre_m
    inside = 0.35 * house.side_of(door, name)
    return (x, y + inside) if door.along == "x" else (x + inside, y)


# --- items ------------------------------------------------------------------------------------------------------------


NEAREST_AHEAD_M = 1.3
"""A start view has no wall nearer than this straight ahead."""


def _item(
    numbers: random.Random,
    *,
    begin: str,
    rooms: Sequence[int],
    goals: Callable[[Fork, int, Sight], Sequence[Goal]],
    fits: Callable[[Fork], bool] = lambda _: True,
    spare: int = 0,
    tail: Callable[[Fork, int, Sight, Pose, tuple[str, ...]], tuple[str, ...] | None] | None = None,
    hidden: Sequence[str] = ("left", "right", "far"),
    same_house: bool = False,
    scale: float = 1.0,
) -> tuple[Fork, Pose, tuple[tuple[str, ...], tuple[str, ...]]]:
    """A fork, a start that sees nothing of what differs, and a way for each version."""
    for f in (f for _ in range(TRIES) for f in forks(numbers, rooms, spare, scale)):
        if not fits(f):
            continue
        here = getattr(f, begin)
        if same_house:
            f = dataclasses.replace(f, plans=(f.plans[0], f.plans[0]))
        sights = tuple(Sight(p) for p in f.plans)
        towards = f.middle if begin == "near" else (f.near,)
        secret = {getattr(f, h) for h in hidden}
        tried = 0
        # A look into the room, never at a wall or a door close by.
        starts = [p for p in _starts(numbers, f.plans[0], here, towards) if sights[0].free(p[0], _ahead(*p, NEAREST_AHEAD_M))]
        for place, yaw in sorted(starts, key=lambda s: not sights[0].free(s[0], _ahead(*s))):
            start = looking(*place, EYE_M, yaw_deg=float(yaw))
            if any(s.rooms_in_view(start) & secret for s in sights):
                continue
            tried += 1
            if tried > 3:
                break
            paths = []
            for which, s in enumerate(sights):
                way = Walk(f.plans[which], place, yaw).find(goals(f, which, s))
                if way is not None and tail is not None:
                    way = tail(f, which, s, start, way)
                if way is None or len(way) > BUDGET - 1:
                    break
                paths.append(way)
            if len(paths) == 2:
                return f, start, (paths[0], paths[1])
    raise Rejected("no house of this kind found with ways within the budget")


def _pair(f: Fork, start: Pose, paths: tuple[tuple[str, ...], ...], golds: tuple[Answer, Answer], **more: Any) -> Pair:
    halves = tuple(Half((), g, path=p, house=f.house(i)) for i, (g, p) in enumerate(zip(golds, paths, strict=True)))
    return Pair(
        halves=halves,
        camera_z_m=EYE_M,
        path=(),
        place=HERE,
        room=f.plans[0].bounding_room(),
        house=f.house(0),
        clipping="forbid",
        start=start,
        free_layout=True,
        settle_steps=1,
        more_views={"rooms": room_views(f.plans[0], (f.near, f.left, f.right, f.far))},
        **more,
    )


def _inside(sight: Sight, goal: Goal, names: Iterable[str]) -> Goal:
    """The goal, from within some rooms."""
    rooms = set(names)
    return lambda p: goal(p) if sight.plan.room_at(p) in rooms else None


def _options(numbers: random.Random, first: str, second: str, others: Sequence[str], places: tuple[int, int], size: int) -> tuple[str, ...]:
    """Options with the twins' golds at given places."""
    rest = numbers.sample(list(others), size - 2)
    made = [""] * size
    made[places[0]], made[places[1]] = first, second
    return tuple(o or rest.pop() for o in made)


TWO_OF_FOUR = ((0, 1), (2, 3), (2, 0), (3, 1), (0, 3), (1, 2))
"""Places of the twins' golds by item: two items in a row fill all four."""
TWO_OF_THREE = ((1, 2), (2, 0), (0, 1))


def _through(f: Fork, which: int, s: Sight) -> list[Goal]:
    """The middle room's sign, and from there the far room's."""
    m = f.middle[which]
    return [_inside(s, sign_goal(s, m), (m, f.near)), _inside(s, sign_goal(s, f.far), (m, f.far))]


def _box_like(f: Fork) -> bool:
    rooms = f.plans[0]
    return all(len(rooms.room(n).rects_m) == 1 for n in (f.left, f.right, f.far))


# --- Connectivity -----------------------------------------------------------------------------------------------------


def _the(room: str) -> str:
    """A room as a sentence names it: "the kitchen", but "bedroom 2"."""
    return room if room[-1].isdigit() else f"the {room}"


def connect(numbers: random.Random, number: int) -> Pair:
    """Two rooms that share a wall: with a door in it, or without."""

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        if which == 0:
            return _through(f, 0, s)
        # In the middle room, far enough from the door to look around; the sweep follows.
        outline = _outline_points(f.plans[1], f.left)
        door = f.plans[1].door(f.near, f.left)
        assert door is not None

        def here(p: Point) -> Sequence[float] | None:
            if math.dist(p, door.centre_m) < 0.7 or _gap(_wall_in_sight(s, p, outline)) > MAX_UNSEEN:
                return None
            return [0.0, 90.0, 180.0, 270.0] if any(s.readable(p, sign) for sign in s.signs[f.left]) else None

        return [_inside(s, here, (f.left,))]

    def tail(f: Fork, which: int, s: Sight, start: Pose, way: tuple[str, ...]) -> tuple[str, ...] | None:
        return way if which == 0 else _sweep(f.left, s, start, way)

    f, start, paths = _item(numbers, begin="near", rooms=(5, 5, 6), goals=goals, fits=_box_like, tail=tail)
    wall = next(w for w in f.plans[0].walls if set(w.rooms) == {f.left, f.far})
    a, b = (f.left, f.far) if number % 2 else (f.far, f.left)
    return _pair(
        f,
        start,
        paths,
        ("yes", "no"),
        ask=Ask(what="connected", rooms=(a, b)),
        form="yes_no",
        options=("yes", "no"),
        margin=f"a shared wall of {wall.length_m:.1f} m with a door or without",
        note=f"You start in {_the(f.near)}. {SIGNS}",
    )


def _sweep(name: str, s: Sight, start: Pose, way: tuple[str, ...]) -> tuple[str, ...] | None:
    """Turn on the spot until every wall of the room and its sign have been seen."""
    best = None
    for turn in ("turn_left", "turn_right"):
        for n in range(BUDGET - len(way)):
            poses = path_poses(start, (*way, *(turn,) * n))
            if walls_known(s, name, poses) and any(s.reads(p, name) for p in poses):
                if best is None or n < len(best):
                    best = (turn,) * n
                break
    return None if best is None else (*way, *best)


def _connected(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    a, b = ask.rooms
    return f"Does a doorway lead directly from {_the(a)} to {_the(b)}?"


def judge_connect(playing: Playing) -> Answer:
    """A door of the house, seen open with the other room behind it; or a shared wall without, and all walls of one room seen."""
    house, sight, poses = _watched(playing)
    a, b = playing.ask.rooms
    door = house.door(a, b)
    if door is not None:
        for here, other in ((a, b), (b, a)):
            there = [p for p in poses if house.room_at(_eye(p)[0]) in (here, other)]
            if any(sight.reads(p, here) for p in poses) and any(sight.reads(p, other) for p in there):
                return "yes"
        return ""
    shared = sum(w.length_m for w in house.walls if set(w.rooms) == {a, b})
    seen = any(walls_known(sight, r, poses) and any(sight.reads(p, r) for p in poses) for r in (a, b))
    return "no" if shared >= 1.4 and seen else ""


# --- Traversable Passage ----------------------------------------------------------------------------------------------


def passage(numbers: random.Random, number: int) -> Pair:
    """Through which of two rooms the only shortest way leads."""

    def others(f: Fork) -> list[str]:
        return [n for n in f.plans[0].names if n not in (f.near, f.far, f.left, f.right)]

    def fits(f: Fork) -> bool:
        # Nobody would think of a way through a bathroom: such an option would be none.
        if any(f.plans[0].room(n).kind in PRIVATE for n in others(f)):
            return False
        # The rooms that most houses have are an answer as often as not, so that their names tell nothing.
        if any(name in (others(f), f.middle)[(number // n) % 2] for name, n in (("living room", 1), ("kitchen", 2))):
            return False
        return all(unique_shortest(p, f.near, f.far) and shortest(p, f.near, f.far).doors == 2 for p in f.plans)

    f, start, paths = _item(numbers, begin="near", rooms=(6,), goals=_through, fits=fits, spare=1)
    options = _options(numbers, f.left, f.right, others(f), TWO_OF_FOUR[(number - 1) % 6], 4)
    a, b = (f.near, f.far) if number % 2 else (f.far, f.near)
    return _pair(
        f,
        start,
        paths,
        (f.left, f.right),
        ask=Ask(what="passage", rooms=(a, b)),
        form="choice",
        options=options,
        margin="the only way with two doors",
        note=f"You start in {_the(f.near)}. {SIGNS}",
    )


def _which_passage(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    a, b = ask.rooms
    return f"On the shortest way from {_the(a)} to {_the(b)}, which room do you go through?"


def judge_passage(playing: Playing) -> Answer:
    """The room on the only shortest way, its sign and that of the room behind it read on the way."""
    house, sight, poses = _watched(playing)
    a, b = playing.ask.rooms
    if not unique_shortest(house, a, b):
        return ""
    through = [r for r in shortest(house, a, b).rooms[1:-1] if r in playing.task.question.options]
    begins = house.room_at(_eye(poses[0])[0])
    known = {r for r in (a, b, *through) if r == begins or any(sight.reads(p, r) for p in poses)}
    return through[0] if len(through) == 1 and known == {a, b, *through} else ""


# --- Regional Boundary ------------------------------------------------------------------------------------------------

KINDS = ("basketball", "beach_ball", "bucket", "gift_box", "guitar", "laundry_basket", "soccer_ball", "treasure_chest", "watering_can")
REGION_KINDS = ("belongs", "closest", "belongs", "same", "closest")
CLOSER_M = 0.8
"""By so much nearer is the closest room than the next."""


def region(numbers: random.Random, number: int) -> Pair:
    """In which room a thing stands, to which other room it is closest, or whether two things stand in one room."""
    kind = REGION_KINDS[(number - 1) % 5]
    return {"belongs": _belongs, "closest": _closest, "same": _same}[kind](numbers, number)


def _spot(numbers: random.Random, house: Plan, name: str, good: Callable[[Point], bool] = lambda _: True) -> Point | None:
    """A place on the free floor of a room, away from its doors."""
    doors = [d for d in house.doors if name in d.rooms]
    places = [(float(x), float(y)) for x, y in _floors(house)[name]]
    fit = [p for p in places if walkable(house, p) and all(math.dist(p, d.centre_m) > 1.1 for d in doors) and good(p)]
    if not fit:
        return None
    x, y = numbers.choice(fit)
    return (round(x, 3), round(y, 3))


def _thing(key: str, category: str, xy: Point) -> Thing:
    return Thing(key, category, xy, words=category.replace("_", " "))


def _region_pair(
    f: Fork, start: Pose, paths: tuple[tuple[str, ...], ...], golds: tuple[Answer, Answer], things: Sequence[Sequence[Thing]], **more: Any
) -> Pair:
    """Both sides in the first version of the house; every thing is seen on the way."""
    halves = []
    sight = Sight(f.plans[0])
    for gold, path, side in zip(golds, paths, things, strict=True):
        poses = path_poses(start, path)
        evidence = []
        for t in side:
            steps = [i for i, p in enumerate(poses) if i > 0 and _sees(sight, p, t.xy)]
            if not steps:
                raise Rejected("a thing is not seen on the way")
            evidence.append(Evidence(kind="unseen", step=0, handle=t.key))
            best = min(steps, key=lambda i: _off(*_eye(poses[i]), t.xy))
            evidence.append(Evidence(kind="seen", step=best, handle=t.key, low=THING_PIXELS))
        halves.append(Half(tuple(side), gold, path=path, evidence=tuple(evidence)))
    return Pair(
        halves=tuple(halves),
        camera_z_m=EYE_M,
        path=(),
        place=HERE,
        room=f.plans[0].bounding_room(),
        house=f.house(0),
        clipping="forbid",
        start=start,
        free_layout=True,
        more_views={"rooms": room_views(f.plans[0], (f.near, f.left, f.right, f.far))},
        **more,
    )


def _sees(sight: Sight, pose: Pose, at: Point) -> bool:
    eye, yaw = _eye(pose)
    return _off(eye, yaw, at) < HFOV_DEG / 2 - EDGE_DEG and whole(sight, eye, at)


def _places(number: int) -> tuple[int, int]:
    """Places of the twins' golds, counted over the items with rooms as options (four of five)."""
    return TWO_OF_THREE[(number - 1 - number // 5) % 3]


def _belongs(numbers: random.Random, number: int) -> Pair:
    category = KINDS[(number - 1) % len(KINDS)]
    spots: dict[str, list[Point]] = {}

    def fits(f: Fork) -> bool:
        found = [_spot(numbers, f.plans[0], n) for n in f.middle]
        spots["xy"] = [p for p in found if p]
        return len(spots["xy"]) == 2

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        s, m = Sight(f.plans[0]), f.middle[which]
        return [_inside(s, object_goal(s, spots["xy"][which]), (m, f.near)), _inside(s, sign_goal(s, m), (m, f.near))]

    f, start, paths = _item(numbers, begin="near", rooms=(5, 5, 6), goals=goals, fits=fits, same_house=True)
    options = _options(numbers, f.left, f.right, [f.far, f.before], _places(number), 3)
    return _region_pair(
        f,
        start,
        paths,
        f.middle,
        [[_thing("thing", category, xy)] for xy in spots["xy"]],
        ask=Ask(what="belongs", things=("thing",)),
        form="choice",
        options=options,
        margin="more than 0.7 m from every wall",
        note=f"You start in {_the(f.near)}. {SIGNS}",
        tags={"question_kind": "belongs"},
    )


def _closest(numbers: random.Random, number: int) -> Pair:
    category = KINDS[(number - 1) % len(KINDS)]
    spots: dict[str, list[Point]] = {}

    def fits(f: Fork) -> bool:
        house = f.plans[0]

        def near_to(gold: str, other: str) -> Callable[[Point], bool]:
            def good(p: Point) -> bool:
                return room_distance(house, gold, p) + CLOSER_M <= min(room_distance(house, o, p) for o in (other, f.far))

            return good

        found = [_spot(numbers, house, f.near, near_to(f.left, f.right)), _spot(numbers, house, f.near, near_to(f.right, f.left))]
        spots["xy"] = [p for p in found if p]
        return len(spots["xy"]) == 2

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        s = Sight(f.plans[0])
        return [object_goal(s, spots["xy"][which]), sign_goal(s, f.left), sign_goal(s, f.right)]

    f, start, paths = _item(
        numbers, begin="before", rooms=(5, 5, 6), goals=goals, fits=fits, hidden=("near", "left", "right", "far"), same_house=True
    )
    options = _options(numbers, f.left, f.right, [f.far], _places(number), 3)
    words = category.replace("_", " ")
    return _region_pair(
        f,
        start,
        paths,
        f.middle,
        [[_thing("thing", category, xy)] for xy in spots["xy"]],
        ask=Ask(what="closest", things=("thing",)),
        form="choice",
        options=options,
        margin=f"nearer by at least {CLOSER_M} m",
        tags={"question_kind": "closest"},
        note=f"You start in {_the(f.before)}. {SIGNS} The {words} is in none of these rooms; what counts is the straight distance.",
    )


def _same(numbers: random.Random, number: int) -> Pair:
    kinds = (KINDS[(number - 1) % len(KINDS)], KINDS[(number + 3) % len(KINDS)])
    spots: dict[str, list[Point]] = {}

    def fits(f: Fork) -> bool:
        house = f.plans[0]
        fixed = _spot(numbers, house, f.left)
        here = fixed and _spot(numbers, house, f.left, lambda p: math.dist(p, fixed) > 0.8)
        there = _spot(numbers, house, f.right)
        spots["xy"] = [p for p in (fixed, here, there) if p]
        return len(spots["xy"]) == 3

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        s = Sight(f.plans[0])
        fixed, here, there = spots["xy"]
        return [object_goal(s, fixed), object_goal(s, (here, there)[which])]

    f, start, paths = _item(numbers, begin="near", rooms=(5, 5, 6), goals=goals, fits=fits, same_house=True)
    order = ("thing", "other") if numbers.random() < 0.5 else ("other", "thing")
    fixed, here, there = spots["xy"]
    return _region_pair(
        f,
        start,
        paths,
        ("yes", "no"),
        [[_thing("thing", kinds[0], fixed), _thing("other", kinds[1], xy)] for xy in (here, there)],
        ask=Ask(what="same_room", things=order),
        form="yes_no",
        options=("yes", "no"),
        margin="more than 0.7 m from every wall",
        tags={"question_kind": "same"},
        note=f"You start in {_the(f.near)}. {SIGNS}",
    )


def room_distance(house: Plan, name: str, p: Point) -> float:
    """From a floor point to the box of a room, metres; 0 inside."""
    return min(math.hypot(max(r[0] - p[0], p[0] - r[2], 0.0), max(r[1] - p[1], p[1] - r[3], 0.0)) for r in house.room(name).rects_m)


def _belongs_where(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"Which room is the {names[ask.things[0]]} in?"


def _closest_to_what(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"Which of these rooms is the {names[ask.things[0]]} closest to?"


def _in_one_room(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    one, other = (names[t] for t in ask.things)
    return f"Are the {one} and the {other} in the same room?"


def judge_region(playing: Playing) -> Answer:
    """From where the simulator says the things are; rooms that are the answer are known by their signs."""
    house, sight, poses = _watched(playing)
    at = [middle(o) for o in asked(playing)]
    if not all(any(_sees(sight, p, xy) for p in poses[1:]) for xy in at):
        return ""
    question = playing.task.question
    if playing.ask.what == "same_room":
        rooms = {house.room_at(xy) for xy in at}
        return "" if None in rooms else "yes" if len(rooms) == 1 else "no"
    (xy,) = at
    if playing.ask.what == "belongs":
        gold = house.room_at(xy) or ""
    else:
        gold, second = sorted(question.options, key=lambda n: room_distance(house, n, xy))[:2]
        if room_distance(house, gold, xy) + 0.9 * CLOSER_M > room_distance(house, second, xy) or house.room_at(xy) in question.options:
            return ""
    return gold if gold in question.options and any(sight.reads(p, gold) for p in poses) else ""


# --- Long-Term Navigation ---------------------------------------------------------------------------------------------


def route(numbers: random.Random, number: int) -> Pair:
    """From one end of the house to the other: the next rooms, or the turns in them."""
    actions = number % 10 in (2, 5, 8)

    def bends(p: Plan, f: Fork) -> list[Turn]:
        return turns(p, shortest(p, f.before, f.far).rooms)

    def fits(f: Fork) -> bool:
        for p in f.plans:
            way = shortest(p, f.before, f.far)
            if way.doors != 3 or not unique_shortest(p, f.before, f.far) or way.length_m < farthest(p) - 1e-6:
                return False
            if actions and any(t.direction == "straight" or not t.clear for t in bends(p, f)[-1:]):
                return False
        one, two = ([t.direction for t in bends(p, f)[-1:]] for p in f.plans)
        return not actions or one != two

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        # What a turn is called does not matter; that it leads to the goal does.
        known = _through(f, which, s)
        return known[1:] if actions else [_inside(s, sign_goal(s, f.near), (f.before, f.near)), *known]

    f, start, paths = _item(numbers, begin="before", rooms=(5, 5, 6), goals=goals, fits=fits, scale=0.85)
    if actions:
        made: list[tuple[str, ...]] = [tuple(TURN_WORDS[t.direction] for t in bends(p, f)[-1:]) for p in f.plans]
        blanks: tuple[tuple[str, ...], ...] = (tuple(TURN_WORDS.values()),)
        names: tuple[str, ...] = (f"In the room after {_the(f.near)}",)
        asks = Ask(what="turns", rooms=(f.before, f.near, f.far), given=_side(f, start))
        note = f"{SIGNS} A turn is meant as you come in through the door: it says where the next door lies from there."
    else:
        rooms = [n for n in f.plans[0].names if n not in (f.before, f.far)]
        made = [(f.near, m) for m in f.middle]
        blanks = (tuple(numbers.sample(rooms, len(rooms))),) * 2
        names = ("First room", "Second room")
        asks = Ask(what="regions", rooms=(f.before, f.far), given=_side(f, start))
        note = f"{SIGNS} Where the way begins is where you stand in the first view."
    return _pair(
        f,
        start,
        paths,
        (list(made[0]), list(made[1])),
        ask=asks,
        form="blanks",
        options=(),
        margin="the only way with three doors; every turn at least 12° from the next direction",
        note=note,
        chance=math.prod(1 / len(b) for b in blanks),
        question_more={"blanks": blanks, "blank_names": names},
        tags={"question_kind": "turns" if actions else "regions"},
    )


def _next_regions(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"{_journey(ask)} Which room do you come to first, and which second?"


def _next_turns(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"{_journey(ask)} First comes {_the(ask.rooms[1])}, then another room. Which way do you turn in that one?"


def _journey(ask: Ask) -> str:
    begin, end = _the(ask.rooms[0]), _the(ask.rooms[-1])
    return f"You stand in {begin}, its doorway {ask.given}, and take the shortest way to {end}."


def _side(f: Fork, start: Pose) -> str:
    """Where the doorway of the first room lies from the start: the start yaw in words."""
    eye, yaw = _eye(start)
    door = f.plans[0].door(f.before, f.near)
    assert door is not None
    bend = (_bearing_to(eye, door.centre_m) - yaw + 180) % 360 - 180
    back = " and behind you" if abs(bend) > 120 else ""
    return "behind you" if abs(bend) > 157.5 else f"to your {'left' if bend > 0 else 'right'}{back}"


def farthest(house: Plan) -> float:
    """Length of the longest of all shortest ways, metres."""
    return max(shortest(house, a, b).length_m for i, a in enumerate(house.names) for b in house.names[i + 1 :])


def judge_route(playing: Playing) -> Answer:
    """The rooms on the only shortest way between the farthest pair, or the turns in them, with the signs read on the way."""
    house, sight, poses = _watched(playing)
    a, b = playing.ask.rooms[0], playing.ask.rooms[-1]
    way = shortest(house, a, b)
    if not unique_shortest(house, a, b) or way.length_m < farthest(house) - 1e-6 or house.room_at(_eye(poses[0])[0]) != a:
        return ""
    regions = playing.ask.what == "regions"
    needed = way.rooms[1:] if regions else way.rooms[-1:]
    if not all(any(sight.reads(p, r) for p in poses) for r in needed):
        return ""
    if regions:
        return list(way.rooms[1:-1])
    bends = turns(house, way.rooms)
    last = bends[-len(playing.task.question.blanks) :]
    return "" if any(t.direction == "straight" or not t.clear for t in last) else [TURN_WORDS[t.direction] for t in last]


# --- reading a playing ------------------------------------------------------------------------------------------------


def _watched(playing: Playing) -> tuple[Plan, Sight, list[Pose]]:
    """The house, what can be seen in it, and the cameras along the trajectory."""
    house = playing.task.scene.house
    assert house is not None
    made = plan_of(house)
    return made, Sight(made), [s.camera for s in playing.steps]


CATEGORY = "Cognitive Mapping"
VERSION = "3.1"
"""3: walls could be passed."""
CONNECT = Generator(
    "connect", CATEGORY, "Connectivity", connect, "a door joins the two rooms, or their shared wall has none", {"connected": _connected},
    judge=judge_connect, version=VERSION,
)  # fmt: skip
PASSAGE = Generator(
    "passage", CATEGORY, "Traversable Passage", passage, "the room on the only shortest way", {"passage": _which_passage},
    judge=judge_passage, version=VERSION,
)  # fmt: skip
REGION = Generator(
    "region", CATEGORY, "Regional Boundary", region, "the room in which a thing stands, or the nearest other",
    {"belongs": _belongs_where, "closest": _closest_to_what, "same_room": _in_one_room}, judge=judge_region, version=VERSION,
)  # fmt: skip
ROUTE = Generator(
    "route", CATEGORY, "Long-Term Navigation", route, "the only shortest way between the farthest rooms",
    {"regions": _next_regions, "turns": _next_turns}, judge=judge_route, version=VERSION,
)  # fmt: skip
GENERATORS = (CONNECT, PASSAGE, REGION, ROUTE)
