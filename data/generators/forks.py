"""Houses with a *fork*: the room `near` opens into two rooms `left` and `right`, and both share a wall with `far`, which has a door to only
one of them. Both versions of a house differ in that door alone.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from data.generators.sight import EYE_M, Sight, bearings_deg, floors
from data.generators.walking import walkable
from sim_bridge.houses import Plan, plan
from sim_bridge.houses.derive import DAY, first_scheme
from sim_bridge.houses.outline import Point, Wall
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, HouseDoor, HouseLayout, HouseRoom, HouseWindow, Pose

PRIVATE = ("bathroom", "storage_room")
"""Rooms through which no way leads."""
SHUT = {"bathroom", "storage_room", "bedroom"}
"""Rooms that have a door with a leaf in any case; others may have an open passage."""


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
        """The house of one of the two twins, 0 or 1."""
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


Roles = tuple[str, str, str, str, str]
"""Names of the rooms before, near, left, right and far."""


def forks(
    numbers: random.Random,
    rooms: Sequence[int],
    spare: int = 0,
    scale: float = 1.0,
    scheme: str = "",
    suits: Callable[[Mapping[str, str], Roles], bool] = lambda kinds, roles: True,
) -> list[Fork]:
    """Houses with a fork on the rooms of one derived plan; often none.

    Args:
        rooms: how many it may have.
        spare: rooms besides the five that matter at least.
        scale: size of the house, 1 for that of `houses.plan`.
        scheme: how its rooms lie (`Plan.scheme`); empty: any.
        suits: whether rooms of these kinds (by name) may have these roles.
    """
    seed, n = numbers.randrange(1 << 20), numbers.choice(rooms)
    if n < 5 + spare:
        return []
    try:
        if scheme and first_scheme(seed, n) != scheme:
            return []
        derived = plan(seed, n)
    except ValueError:
        return []
    if scheme and derived.scheme != scheme:
        return []
    base = _scaled(derived, scale)
    walls = _shared(base)
    kinds = {r.name: r.kind for r in base.rooms}
    beside = {a: [b for b in base.names if frozenset((a, b)) in walls and a != b] for a in base.names}
    inner = [r.name for r in base.rooms if r.kind not in PRIVATE]
    found = [
        (before, near, a, b, far)
        for near in inner
        for a in beside[near]
        for b in beside[near]
        if a != b and a in inner and b in inner
        for far in beside[a]
        if far in beside[b] and far != near
        for before in beside[near]
        if before not in (a, b, far) and suits(kinds, (before, near, a, b, far))
    ]
    made = (_with_doors(numbers, base, walls, kinds, numbers.choice(found)) for _ in range(DOORS if found else 0))
    return [f for f in made if f is not None]


DOORS = 16
"""Ways of placing the doors that are tried per set of rooms."""


def _with_doors(numbers: random.Random, base: Plan, walls: dict[frozenset[str], Wall], kinds: dict[str, str], roles: Roles) -> Fork | None:
    before, near, a, b, far = roles
    edges = [(near, a), (near, b), (before, near)]
    rest = [r for r in base.names if r not in (before, near, a, b, far)]
    for r in rest:
        # The rest hangs on rooms that are the same in both versions.
        # Behind the fork where that can be, so that whoever stands at it has few ways to try.
        hosts = [h for h in (before, near) if frozenset((r, h)) in walls and kinds[h] not in PRIVATE]
        if not hosts:
            return None
        edges.append((r, hosts[0]))
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
    passage = not {kinds[a], kinds[b]} & SHUT and numbers.random() < 0.8
    private = max(pair, key=lambda n: (kinds[n] in PRIVATE, kinds[n] in ("bedroom", "childs_room", "office"), n))
    for _ in range(8):
        # An open plan, where both are rooms of the day.
        wide = numbers.uniform(1.8, 2.6) if kinds[a] in DAY and kinds[b] in DAY and numbers.random() < 0.5 else 1.4
        width = round(min(wide, wall.length_m - 0.5) - 0.02, 2) if passage else 0.88
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


def starts_in(numbers: random.Random, house: Plan, room: str, towards: Iterable[str]) -> list[tuple[Point, int]]:
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


def ahead_of(eye: Point, yaw_deg: float, distance_m: float = 2.2) -> Point:
    """The point so far before a camera."""
    a = math.radians(yaw_deg)
    return eye[0] - distance_m * math.sin(a), eye[1] + distance_m * math.cos(a)


def room_views(house: Plan, names: Sequence[str], camera: Camera) -> tuple[tuple[str, Pose], ...]:
    """Two level views of each room that together show most of its floor, from its free floor and its doors."""
    sight, views = Sight(house, camera), []
    for name in names:
        floor = floors(house)[name]
        free = [(float(x), float(y)) for x, y in floor if walkable(house, (float(x), float(y)))]
        eyes = [e for d in house.doors if name in d.rooms if walkable(house, e := _entry(house, d, name))] + free[
            :: max(1, len(free) // 16)
        ]
        shown = {}
        for eye in eyes or [house.centre(name)]:
            clear = sight.free_many(eye, floor)
            for yaw in range(0, 360, 15):
                shown[(eye, yaw)] = clear & (bearings_deg(eye, yaw, floor) < sight.half_deg)
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
