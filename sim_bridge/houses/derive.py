"""Houses from seeds: a scheme of rectangles, room kinds by size, doors along a tree or with loops, windows, a front door.

Everything follows from ``random.Random.random()``, whose numbers are the same in every version of Python.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from sim_bridge.houses.outline import WALL_M, Rect, Wall, bounds, outline, overlap, rect_area, walls_between
from sim_bridge.houses.plan import MAX_ROOMS, MIN_ROOMS, Plan
from sim_bridge.spec import HouseDoor, HouseLayout, HouseRoom, HouseWindow

T = TypeVar("T")

GRID_M = 0.05
"""Every coordinate is a multiple of it."""
DOOR_M, PASSAGE_M = 0.9, 1.4
FRAME_M = 0.12
"""Wall left between an opening and a corner, for the frame."""
CORRIDOR_M = 1.5
DAY = ("living_room", "dining_room", "kitchen")
"""Kinds of rooms that an open plan joins."""
OPEN_LEAST_M, OPEN_MOST_M = 1.8, 3.0
"""Clear width of the opening between them."""
TRIES = 120
"""Drafts of one scheme before the next is tried."""

AREAS_M2 = {
    "living_room": 21.0,
    "kitchen": 12.0,
    "bedroom": 14.0,
    "bathroom": 6.5,
    "office": 10.5,
    "dining_room": 13.0,
    "childs_room": 11.5,
    "storage_room": 6.0,
    "corridor": 9.0,
}
NAMES = {
    "living_room": "living room",
    "dining_room": "dining room",
    "childs_room": "child's room",
    "storage_room": "storage room",
    "corridor": "hallway",
}
PRIVATE = ("bathroom", "storage_room", "childs_room", "bedroom")
"""Kinds through which no way leads where that can be avoided, the firmest first."""


@functools.lru_cache(maxsize=256)
def plan(seed: int, rooms: int = 5, open_plan: bool = False) -> Plan:
    """The house of a seed.

    Args:
        seed: any whole number from 0 up.
        rooms: 3 to 9, a corridor counts.
        open_plan: join two of the living room, dining room and kitchen by an opening of 1.8 to 3 m; another house than without.

    Returns:
        The plan, centred on the origin; the same for the same arguments, on every machine.

    Raises:
        ValueError: arguments out of range.

    Example:
        >>> plan(7, 5).graph["hallway"]
    """
    if not MIN_ROOMS <= rooms <= MAX_ROOMS:
        raise ValueError(f"rooms: expected {MIN_ROOMS} to {MAX_ROOMS}, got {rooms!r}")
    if seed < 0:
        raise ValueError(f"seed: expected a whole number from 0 up, got {seed!r}")
    numbers = random.Random(seed * 16 + rooms)
    for scheme in _schemes(numbers, rooms):
        for _ in range(TRIES):
            made = _try(numbers, seed, rooms, scheme)
            if made is not None and open_plan:
                made = _opened(made)
            if made is not None:
                return made
    raise ValueError(f"seed: no house of {rooms} rooms found for {seed!r}; choose another seed")


@dataclass
class _Cell:
    kind: str
    rects: list[Rect]


def first_scheme(seed: int, rooms: int) -> str:
    """The scheme that a seed tries first, which nearly every house has in the end; without making the house (arguments as for `plan`)."""
    return _schemes(random.Random(seed * 16 + rooms), rooms)[0]


def _schemes(numbers: random.Random, rooms: int) -> list[str]:
    """The schemes to try, in order; the commoner ones come first more often."""
    options = ["rooms", "rooms"]
    if rooms >= 4:
        options += ["corridor", "corridor", "ring"]
    if rooms >= 5:
        options += ["centre"]
    return list(dict.fromkeys(_shuffled(numbers, options)))


def _try(numbers: random.Random, seed: int, rooms: int, scheme: str) -> Plan | None:
    kinds = _kinds(numbers, rooms, scheme)
    cells = {"corridor": _corridor, "ring": _ring, "centre": _centre, "rooms": _rooms}[scheme](numbers, kinds)
    if cells is None or not all(_sound(c) for c in cells):
        return None
    named = _named(cells)
    walls = walls_between([(r.name, r.rects_m) for r in named])
    doors = _doors(numbers, named, walls, scheme)
    if doors is None:
        return None
    windows = _windows(numbers, named, walls, doors)
    made = Plan(HouseLayout(tuple(named), tuple(doors), tuple(windows)), seed, scheme)
    return None if made.problem() else made


# --- numbers ----------------------------------------------------------------------------------------------------------


def _pick(numbers: random.Random, options: Sequence[T]) -> T:
    return options[int(numbers.random() * len(options))]


def _between(numbers: random.Random, low: float, high: float) -> float:
    return low + (high - low) * numbers.random()


def _shuffled(numbers: random.Random, options: Sequence[T]) -> list[T]:
    return [o for _, _, o in sorted((numbers.random(), i, o) for i, o in enumerate(options))]


def _snap(value: float) -> float:
    return round(round(value / GRID_M) * GRID_M, 4)


# --- rooms ------------------------------------------------------------------------------------------------------------


def _kinds(numbers: random.Random, rooms: int, scheme: str) -> list[str]:
    kinds = ["living_room", "bedroom", "kitchen"] if numbers.random() < 0.8 else ["living_room", "bedroom", "bathroom"]
    if scheme in ("corridor", "centre"):
        kinds.append("corridor")
    rest = [k for k in ("bathroom", "kitchen") if k not in kinds]
    more = ["bedroom", "office", "dining_room", "childs_room", "bathroom", "storage_room"]
    rest += _shuffled(numbers, more)
    while len(kinds) < rooms:
        kinds.append(rest.pop(0))
    return kinds


def _named(cells: Sequence[_Cell]) -> list[HouseRoom]:
    """Rooms with readable names, ordered as in `AREAS_M2`; kinds that occur twice are numbered."""
    ordered = sorted(cells, key=lambda c: (list(AREAS_M2).index(c.kind), c.rects))
    centre = bounds(r for c in cells for r in c.rects)
    dx, dy = _snap((centre[0] + centre[2]) / 2), _snap((centre[1] + centre[3]) / 2)
    named = []
    for i, c in enumerate(ordered):
        base = NAMES.get(c.kind, c.kind)
        same = [k for k, other in enumerate(ordered) if other.kind == c.kind]
        name = base if len(same) == 1 else f"{base} {same.index(i) + 1}"
        rects = tuple((_snap(r[0] - dx), _snap(r[1] - dy), _snap(r[2] - dx), _snap(r[3] - dy)) for r in c.rects)
        named.append(HouseRoom(name, c.kind, rects))
    return named


def _sound(cell: _Cell) -> bool:
    """Sides and proportions of a real room."""
    box = bounds(cell.rects)
    sides = sorted((box[2] - box[0], box[3] - box[1]))
    if cell.kind == "corridor":
        return 1.3 <= sides[0] <= 3.6
    small = {"bathroom": 1.9, "storage_room": 1.8, "living_room": 3.2, "bedroom": 2.9, "childs_room": 2.7, "kitchen": 2.4}.get(
        cell.kind, 2.5
    )
    return min(s for r in cell.rects for s in (r[2] - r[0], r[3] - r[1])) >= min(small, 2.0 if len(cell.rects) > 1 else small) and (
        sides[0] >= small and sides[1] <= 6.6 and sides[1] / sides[0] <= 2.3
    )


def _area(numbers: random.Random, kind: str) -> float:
    return AREAS_M2[kind] * _between(numbers, 0.88, 1.15)


def _row(numbers: random.Random, kinds: Sequence[str], x: float, width: float, y0: float, y1: float) -> list[_Cell]:
    """Rooms side by side along x, widths by area."""
    areas = [_area(numbers, k) for k in kinds]
    edges, done = [x], 0.0
    for a in areas:
        done += a
        edges.append(_snap(x + width * done / sum(areas)))
    return [_Cell(k, [(a, y0, b, y1)]) for k, a, b in zip(kinds, edges, edges[1:], strict=False)]


def _turned(numbers: random.Random, cells: list[_Cell]) -> list[_Cell]:
    """The house in one of its eight attitudes."""
    swap, flip_x, flip_y = (numbers.random() < 0.5 for _ in range(3))

    def turn(r: Rect) -> Rect:
        a, b, c, d = (r[1], r[0], r[3], r[2]) if swap else r
        a, c = (-c, -a) if flip_x else (a, c)
        b, d = (-d, -b) if flip_y else (b, d)
        return a, b, c, d

    return [_Cell(c.kind, [turn(r) for r in c.rects]) for c in cells]


def _corridor(numbers: random.Random, kinds: list[str]) -> list[_Cell] | None:
    """A corridor with rooms on both sides; it may end before the last room, which then spans the house."""
    rest = _shuffled(numbers, [k for k in kinds if k != "corridor"])
    end = rest.pop(0) if len(rest) >= 4 and numbers.random() < 0.5 else None
    best = None
    for _ in range(24):
        order = _shuffled(numbers, rest)
        half = len(order) // 2 + (len(order) % 2) * int(numbers.random() < 0.5)
        sides = order[:half], order[half:]
        unequal = abs(sum(AREAS_M2[k] for k in sides[0]) - sum(AREAS_M2[k] for k in sides[1]))
        if sides[0] and sides[1] and (best is None or unequal < best[0]):
            best = unequal, sides
    if best is None:
        return None
    _, (top, bottom) = best
    area = sum(AREAS_M2[k] for k in rest)
    depth = _snap(_between(numbers, 3.1, 4.2))
    width = _snap(area / 2 / depth)
    deep_top, deep_bottom = _snap(sum(AREAS_M2[k] for k in top) / width), _snap(sum(AREAS_M2[k] for k in bottom) / width)
    wide = _snap(_between(numbers, CORRIDOR_M, CORRIDOR_M + 0.3))
    cells = _row(numbers, bottom, 0.0, width, 0.0, deep_bottom)
    cells += _row(numbers, top, 0.0, width, _snap(deep_bottom + wide), _snap(deep_bottom + wide + deep_top))
    cells.append(_Cell("corridor", [(0.0, deep_bottom, width, _snap(deep_bottom + wide))]))
    if end:
        high = _snap(deep_bottom + wide + deep_top)
        across = _snap(AREAS_M2[end] * 1.15 / high)
        if across < 2.4:
            return None
        cells.append(_Cell(end, [(width, 0.0, _snap(width + across), high)]))
    return _turned(numbers, cells)


def _ring(numbers: random.Random, kinds: list[str]) -> list[_Cell] | None:
    """Two rows of rooms on common columns; with an odd number the last column is one room."""
    order = _shuffled(numbers, kinds)
    last = order.pop() if len(order) % 2 else None
    columns = [order[i : i + 2] for i in range(0, len(order), 2)]
    depth = [_snap(_between(numbers, 3.0, 4.1)) for _ in range(2)]
    cells, x = [], 0.0
    for low, high in columns:
        wide = _snap((_area(numbers, low) + _area(numbers, high)) / sum(depth))
        split = _snap(depth[0])
        cells += [
            _Cell(low, [(x, 0.0, _snap(x + wide), split)]),
            _Cell(high, [(x, split, _snap(x + wide), _snap(sum(depth)))]),
        ]
        x = _snap(x + wide)
    if last:
        cells.append(_Cell(last, [(x, 0.0, _snap(x + max(2.8, _area(numbers, last) / sum(depth))), _snap(sum(depth)))]))
    return _turned(numbers, cells)


def _centre(numbers: random.Random, kinds: list[str]) -> list[_Cell] | None:
    """Four wings around a hall, two of which may be halved."""
    rest = _shuffled(numbers, [k for k in kinds if k != "corridor"])
    hall = _snap(_between(numbers, 1.9, 2.6)), _snap(_between(numbers, 1.9, 2.6))
    deep = [_snap(_between(numbers, 2.9, 3.7)) for _ in range(4)]
    x0, x1, x2, x3 = 0.0, deep[0], _snap(deep[0] + hall[0]), _snap(deep[0] + hall[0] + deep[1])
    y0, y1, y2, y3 = 0.0, deep[2], _snap(deep[2] + hall[1]), _snap(deep[2] + hall[1] + deep[3])
    wings: list[Rect] = [(x0, y0, x2, y1), (x2, y0, x3, y2), (x1, y2, x3, y3), (x0, y1, x1, y3)]
    extra = len(rest) - 4
    if not 0 <= extra <= 3:
        return None
    rects: list[Rect] = []
    for i, wing in enumerate(wings):
        if i < extra:
            a, b, c, d = wing
            share = _between(numbers, 0.45, 0.58)
            if c - a > d - b:
                cut = _snap(a + share * (c - a))
                rects += [(a, b, cut, d), (cut, b, c, d)]
            else:
                cut = _snap(b + share * (d - b))
                rects += [(a, b, c, cut), (a, cut, c, d)]
        else:
            rects.append(wing)
    rects.sort(key=lambda r: -rect_area(r))
    rest.sort(key=lambda k: -AREAS_M2[k])
    cells = [_Cell(k, [r]) for k, r in zip(rest, rects, strict=True)]
    return _turned(numbers, [*cells, _Cell("corridor", [(x1, y1, x2, y2)])])


def _rooms(numbers: random.Random, kinds: list[str]) -> list[_Cell] | None:
    """A rectangle divided again and again by area; the living room may become an L."""
    nook = len(kinds) >= 4 and numbers.random() < 0.6
    wanted = [(k, _area(numbers, k)) for k in kinds]
    if nook:
        wanted = [(k, a * 0.72 if k == "living_room" else a) for k, a in wanted] + [("nook", 8.5)]
    total = sum(a for _, a in wanted)
    ratio = _between(numbers, 1.0, 1.5)
    width = _snap(math.sqrt(total * ratio))
    cells = _divide(numbers, _shuffled(numbers, wanted), (0.0, 0.0, width, _snap(total / width)))
    if nook:
        part = next(c for c in cells if c.kind == "nook")
        main = next(c for c in cells if c.kind == "living_room")
        joined = [main.rects[0], part.rects[0]]
        if not _touch(*joined) or len(outline(joined)) != 6:
            return None
        cells = [c for c in cells if c.kind not in ("nook", "living_room")] + [_Cell("living_room", joined)]
    return _turned(numbers, cells)


def _touch(a: Rect, b: Rect) -> bool:
    """Whether two rectangles share at least 1.8 m of an edge."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return (abs(wide) < 1e-6 and high >= 1.8) or (abs(high) < 1e-6 and wide >= 1.8)


def _divide(numbers: random.Random, wanted: list[tuple[str, float]], rect: Rect) -> list[_Cell]:
    if len(wanted) == 1:
        return [_Cell(wanted[0][0], [rect])]
    k = len(wanted) // 2 + int(numbers.random() * 2) * (len(wanted) % 2)
    if len(wanted) >= 4 and numbers.random() < 0.4:
        k = 1 + int(numbers.random() * (len(wanted) - 1))
    share = sum(a for _, a in wanted[:k]) / sum(a for _, a in wanted)
    x0, y0, x1, y1 = rect
    if x1 - x0 > y1 - y0:
        cut = _snap(x0 + share * (x1 - x0))
        halves: tuple[Rect, Rect] = (x0, y0, cut, y1), (cut, y0, x1, y1)
    else:
        cut = _snap(y0 + share * (y1 - y0))
        halves = (x0, y0, x1, cut), (x0, cut, x1, y1)
    return _divide(numbers, wanted[:k], halves[0]) + _divide(numbers, wanted[k:], halves[1])


# --- openings ---------------------------------------------------------------------------------------------------------


def _edges(walls: list[Wall]) -> dict[tuple[str, str], Wall]:
    """Two rooms → the longest wall between them in which a door has room."""
    need = DOOR_M + 2 * FRAME_M + WALL_M
    edges: dict[tuple[str, str], Wall] = {}
    for w in walls:
        if len(w.rooms) == 2 and w.length_m >= need:
            pair = (min(w.rooms), max(w.rooms))
            if pair not in edges or w.length_m > edges[pair].length_m:
                edges[pair] = w
    return edges


def _doors(numbers: random.Random, rooms: list[HouseRoom], walls: list[Wall], scheme: str) -> list[HouseDoor] | None:
    """A door for every edge of a tree over all rooms, and one or two more in a part of the houses."""
    kind = {r.name: r.kind for r in rooms}
    edges = _edges(walls)

    def cost(pair: tuple[str, str]) -> float:
        """Ways lead through corridors and living rooms rather than through private rooms."""
        private = sum(2.0 for n in pair if kind[n] in PRIVATE)
        hub = -2.5 * sum(kind[n] == "corridor" for n in pair) - 0.8 * sum(kind[n] == "living_room" for n in pair)
        return private + hub + _between(numbers, 0.0, 2.6)

    ranked = sorted((cost(p), p) for p in sorted(edges))
    degree = dict.fromkeys(kind, 0)
    group = {n: n for n in kind}

    def top(n: str) -> str:
        while group[n] != n:
            n = group[n]
        return n

    chosen: list[tuple[str, str]] = []

    # nobody walks through a bathroom, and a bedroom leads at most to its own bathroom
    def walked_through(a: str, b: str) -> bool:
        return any(
            kind[n] in PRIVATE and degree[n] >= 1 and not (kind[n] == "bedroom" and kind[m] == "bathroom") for n, m in ((a, b), (b, a))
        )

    for strict in (True, False):
        for _, (a, b) in ranked:
            if top(a) == top(b) or (strict and walked_through(a, b)):
                continue
            chosen.append((a, b))
            degree[a], degree[b] = degree[a] + 1, degree[b] + 1
            group[top(a)] = top(b)
    if len(chosen) != len(rooms) - 1 or any(degree[n] > 1 for n in kind if kind[n] in ("bathroom", "storage_room")):
        return None
    more = {"ring": 2, "centre": 1}.get(scheme, 0) if numbers.random() < 0.85 else 0
    more += int(numbers.random() < 0.4)
    for _, pair in ranked:
        if more and pair not in chosen and not any(kind[n] in ("bathroom", "storage_room") for n in pair):
            chosen.append(pair)
            more -= 1
    doors: list[HouseDoor] = []
    for a, b in sorted(chosen):
        door = _door(numbers, (a, b), edges[(a, b)], kind, doors, rooms)
        if door is None:
            return None
        doors.append(door)
    return doors


def _door(
    numbers: random.Random, pair: tuple[str, str], wall: Wall, kind: dict[str, str], others: list[HouseDoor], rooms: list[HouseRoom]
) -> HouseDoor | None:
    """An opening in the wall of two rooms, near one of its ends more often than not; its leaf opens into the more private room."""
    a, b = pair
    open_kinds = {"living_room", "dining_room", "kitchen", "corridor"}
    passage = kind[a] in open_kinds and kind[b] in open_kinds and "living_room" in (kind[a], kind[b]) and numbers.random() < 0.6
    margin = WALL_M / 2 + FRAME_M
    width = min(PASSAGE_M, wall.length_m - 2 * margin) if passage else DOOR_M
    width = _snap(width - 0.02)
    low, high = wall.low_m + margin + width / 2, wall.high_m - margin - width / 2
    if high < low:
        return None
    for attempt in range(12):
        end = 1 if numbers.random() < 0.5 else -1
        near = numbers.random() < 0.65
        place = (high if end > 0 else low) if near and not passage else _between(numbers, low, high)
        place = min(max(_snap(place), low), high)
        private = max(pair, key=lambda n: (kind[n] in PRIVATE, kind[n] != "corridor", kind[n] != "living_room", n))
        leaf = "" if passage or attempt >= 8 else private
        hinge = 1 if wall.high_m - place < place - wall.low_m else -1
        door = HouseDoor(pair, wall.point(round(place, 4)), wall.along, width, leaf, hinge)
        if all(_apart(door, other, rooms) for other in others):
            return door
    return None


def _opened(made: Plan) -> Plan | None:
    """The house with the widest opening that a wall between two rooms of the day allows; None where none is wide enough."""
    day = {r.name for r in made.rooms if r.kind in DAY}
    margin = WALL_M / 2 + FRAME_M
    shared = sorted((w for w in made.walls if len(w.rooms) == 2 and set(w.rooms) <= day), key=lambda w: (-w.length_m, w.along, w.at_m))
    for w in shared:
        pair = (min(w.rooms), max(w.rooms))
        others = [d for d in made.doors if set(d.rooms) != set(pair)]
        widest = min(OPEN_MOST_M, w.length_m - 2 * margin)
        for width in (_snap(widest - 0.03), _snap((widest + OPEN_LEAST_M) / 2), OPEN_LEAST_M):
            low, high = w.low_m + margin + width / 2, w.high_m - margin - width / 2
            if width < OPEN_LEAST_M or high < low:
                continue
            for place in ((low + high) / 2, low, high):
                door = HouseDoor(pair, w.point(round(place, 4)), w.along, width)
                if all(_apart(door, other, list(made.rooms)) for other in others):
                    doors = sorted((*others, door), key=lambda d: d.rooms)
                    opened = Plan(HouseLayout(made.rooms, tuple(doors), made.windows), made.seed, made.scheme)
                    if not opened.problem():
                        return opened
    return None


def _apart(a: HouseDoor, b: HouseDoor, rooms: list[HouseRoom]) -> bool:
    """Whether neither the opening nor the leaf of one door stands in the way of the other."""
    both = Plan(HouseLayout(tuple(rooms), (a, b)))
    zones = _zone(a), _zone(b)
    if overlap(zones[0], zones[1]) and set(a.rooms) & set(b.rooms):
        return False
    for one, zone in ((a, zones[1]), (b, zones[0])):
        leaf = both.leaf_segment(one)
        if leaf and overlap(_thick(leaf), zone):
            return False
    return True


def _thick(segment: tuple[tuple[float, float], tuple[float, float]], by_m: float = 0.03) -> Rect:
    (ax, ay), (bx, by) = segment
    return min(ax, bx) - by_m, min(ay, by) - by_m, max(ax, bx) + by_m, max(ay, by) + by_m


def _zone(door: HouseDoor) -> Rect:
    """Floor on both sides that someone needs to pass."""
    x, y = door.centre_m
    half, deep = door.width_m / 2, 0.55
    return (x - half, y - deep, x + half, y + deep) if door.along == "x" else (x - deep, y - half, x + deep, y + half)


def _windows(numbers: random.Random, rooms: list[HouseRoom], walls: list[Wall], doors: list[HouseDoor]) -> list[HouseWindow]:
    """One window for every room on an outer wall, two for large ones, and the closed front door."""
    windows: list[HouseWindow] = []
    kind = {r.name: r.kind for r in rooms}
    outer = [w for w in walls if len(w.rooms) == 1]
    front = next(
        (n for k in ("corridor", "living_room") for n in kind if kind[n] == k and any(w.rooms == (n,) for w in outer)), rooms[0].name
    )
    taken: list[Wall] = []
    margin = WALL_M / 2 + FRAME_M + 0.1
    for w in _shuffled(numbers, [w for w in outer if w.rooms == (front,) and w.length_m >= 1.0 + 2 * margin])[:1]:
        low, high = w.low_m + margin + 0.5, w.high_m - margin - 0.5
        place = _snap(_pick(numbers, [low, high, (low + high) / 2]))
        windows.append(HouseWindow(front, w.point(round(min(max(place, low), high), 4)), w.along, 1.0, "entrance"))
        taken.append(w)
    for r in rooms:
        mine = sorted((w for w in outer if w.rooms == (r.name,) and w not in taken), key=lambda w: (-w.length_m, w.along, w.at_m))
        count = 2 if sum(rect_area(q) for q in r.rects_m) > 15 else 1
        for w in mine[:count]:
            width = min(
                {"bathroom": 0.7, "storage_room": 0.7, "corridor": 0.9}.get(r.kind, _pick(numbers, [1.2, 1.4, 1.6])),
                w.length_m - 2 * margin,
            )
            if width < 0.5:
                continue
            low, high = w.low_m + margin + width / 2, w.high_m - margin - width / 2
            place = (low + high) / 2 + _between(numbers, -0.2, 0.2) * (high - low)
            windows.append(HouseWindow(r.name, w.point(round(min(max(_snap(place), low), high), 4)), w.along, round(width, 3)))
    return windows
