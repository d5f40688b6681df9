"""A house as rooms, doors and walls, with its room graph. Pure Python; the same for task generators and simulators."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge.houses.outline import WALL_M, Point, Rect, Wall, bounds, contains, inset, outline, overlap, rect_area, walls_between
from sim_bridge.spec import HouseDoor, HouseLayout, HouseRoom, HouseWindow, Room

MIN_ROOMS, MAX_ROOMS = 3, 9
HEIGHT_M = 2.65
"""Ceiling height of derived houses."""


@dataclass(frozen=True)
class Plan:
    """A house. Rooms are named; coordinates are metres in the world frame."""

    layout: HouseLayout
    seed: int = 0
    scheme: str = "explicit"
    """How it was derived: ``corridor``, ``ring``, ``centre``, ``rooms`` or ``explicit``."""

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def rooms(self) -> tuple[HouseRoom, ...]:
        return self.layout.rooms

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(r.name for r in self.layout.rooms)

    @property
    def doors(self) -> tuple[HouseDoor, ...]:
        return self.layout.doors

    @property
    def windows(self) -> tuple[HouseWindow, ...]:
        return self.layout.windows

    @functools.cached_property
    def bounds_m(self) -> Rect:
        """The rectangle around the house, to the middle of its outer walls."""
        return bounds(rect for r in self.rooms for rect in r.rects_m)

    @functools.cached_property
    def walls(self) -> tuple[Wall, ...]:
        return tuple(walls_between([(r.name, r.rects_m) for r in self.rooms]))

    def room(self, name: str) -> HouseRoom:
        """The room of that name.

        Raises:
            KeyError: no such room.
        """
        found = next((r for r in self.rooms if r.name == name), None)
        if found is None:
            raise KeyError(f"no room {name!r}; the house has {', '.join(self.names)}")
        return found

    def door(self, a: str, b: str) -> HouseDoor | None:
        """The first door between two rooms."""
        return next((d for d in self.doors if set(d.rooms) == {a, b}), None)

    def bounding_room(
        self,
        *,
        furnished: bool = True,
        height_m: float = HEIGHT_M,
        floor_z_m: float = 0.0,
        arrangement: str = "along_walls",
        without: tuple[str, ...] = (),
    ) -> Room:
        """The `Scene.room` that goes with this house; its fields as `Room` says."""
        return Room(self.bounds_m, floor_z_m, height_m, "house", self.seed, furnished, arrangement=arrangement, without=without)

    # --- places ------------------------------------------------------------------------------------------------------

    def room_at(self, point: Point) -> str | None:
        """Name of the room in which a floor point lies (walls count half to each side); None outside the house."""
        return next((r.name for r in self.rooms if contains(r.rects_m, point)), None)

    def inner(self, name: str) -> tuple[Point, ...]:
        """Outline of a room between its walls, counter-clockwise."""
        return self._inner[self.room(name).name]

    @functools.cached_property
    def _inner(self) -> dict[str, tuple[Point, ...]]:
        return {r.name: tuple(inset(outline(r.rects_m), WALL_M / 2)) for r in self.rooms}

    def area_m2(self, name: str) -> float:
        """Floor between the walls."""
        p = self.inner(name)
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(p, (*p[1:], p[0]), strict=True))) / 2

    def centre(self, name: str) -> Point:
        """Middle of the room's largest rectangle: always inside the room, L-shaped or not."""
        r = max(self.room(name).rects_m, key=rect_area)
        return (r[0] + r[2]) / 2, (r[1] + r[3]) / 2

    # --- the graph ---------------------------------------------------------------------------------------------------

    @functools.cached_property
    def graph(self) -> dict[str, tuple[str, ...]]:
        """room → rooms that one door joins to it, in the order of `names`."""
        joined = {frozenset(d.rooms) for d in self.doors}
        return {a: tuple(b for b in self.names if frozenset((a, b)) in joined and a != b) for a in self.names}

    @functools.cached_property
    def wall_neighbours(self) -> tuple[tuple[str, str], ...]:
        """Pairs of rooms that share at least 0.5 m of wall but no door."""
        shared: dict[frozenset[str], float] = {}
        for w in self.walls:
            if len(w.rooms) == 2:
                shared[frozenset(w.rooms)] = shared.get(frozenset(w.rooms), 0.0) + w.length_m
        pairs = []
        for i, a in enumerate(self.names):
            for b in self.names[i + 1 :]:
                if shared.get(frozenset((a, b)), 0.0) >= 0.5 and b not in self.graph[a]:
                    pairs.append((a, b))
        return tuple(pairs)

    @property
    def loops(self) -> int:
        """Independent loops of the room graph: 0 for a tree."""
        return len({frozenset(d.rooms) for d in self.doors}) - len(self.rooms) + 1

    def signature(self) -> str:
        """Equal for houses whose room graphs have the same form, whatever the rooms' names, kinds and sizes."""
        return _canonical([[int(b in self.graph[a]) for b in self.names] for a in self.names])

    # --- checks ------------------------------------------------------------------------------------------------------

    def problem(self) -> str:
        """What makes the layout impossible, in words that name the field; empty where nothing does."""
        return _problem(self)

    def leaf_segment(self, door: HouseDoor) -> tuple[Point, Point] | None:
        """Hinge and free end of an open door leaf, seen from above; None for an open passage."""
        if not door.leaf:
            return None
        x, y = door.centre_m
        half = door.width_m / 2 - 0.02
        side = self.side_of(door, door.leaf)
        start = WALL_M / 2 + 0.01
        if door.along == "x":
            hx = x + door.hinge * half
            return (hx, y + side * start), (hx, y + side * (start + door.width_m - 0.04))
        hy = y + door.hinge * half
        return (x + side * start, hy), (x + side * (start + door.width_m - 0.04), hy)

    def side_of(self, door: HouseDoor, room: str) -> int:
        """+1 where `room` lies on the side of larger coordinates of the door's wall, −1 on the other side."""
        x, y = door.centre_m
        ahead = (x, y + 0.1) if door.along == "x" else (x + 0.1, y)
        return 1 if contains(self.room(room).rects_m, ahead) else -1


def _canonical(matrix: list[list[int]]) -> str:
    """Smallest adjacency string over the orders that keep vertices sorted by a local invariant (at most 9 vertices)."""
    n = len(matrix)
    colour = [sum(row) for row in matrix]
    for _ in range(n):
        keys = [(colour[i], sorted(colour[j] for j in range(n) if matrix[i][j])) for i in range(n)]
        ranked = sorted({repr(k) for k in keys})
        colour = [ranked.index(repr(k)) for k in keys]
    best: str | None = None
    groups: list[list[int]] = [[i for i in range(n) if colour[i] == c] for c in sorted(set(colour))]

    def extend(order: list[int], left: list[list[int]]) -> None:
        nonlocal best
        if not left:
            text = "".join(str(matrix[a][b]) for k, a in enumerate(order) for b in order[:k])
            best = text if best is None or text < best else best
            return
        for i in left[0]:
            rest = [j for j in left[0] if j != i]
            extend([*order, i], ([rest] if rest else []) + left[1:])

    extend([], groups)
    return f"{n}:{best}"


def _problem(plan: Plan) -> str:
    if not MIN_ROOMS <= len(plan.rooms) <= MAX_ROOMS:
        return f"rooms: expected {MIN_ROOMS} to {MAX_ROOMS}, got {len(plan.rooms)}"
    for number in range(len(plan.rooms)):
        if problem := _room_problem(plan.rooms, number):
            return f"rooms[{number}].{problem}"
    for number, door in enumerate(plan.doors):
        if problem := _door_problem(plan, door):
            return f"doors[{number}].{problem}"
    for number, window in enumerate(plan.windows):
        if problem := _window_problem(plan, window):
            return f"windows[{number}].{problem}"
    names = [r.name for r in plan.rooms]
    reached, pending = {names[0]}, [names[0]]
    while pending:
        for other in plan.graph[pending.pop()]:
            if other not in reached:
                reached.add(other)
                pending.append(other)
    if len(reached) < len(names):
        return f"doors: no way from {names[0]!r} to {next(n for n in names if n not in reached)!r}"
    return ""


def _room_problem(rooms: Sequence[HouseRoom], number: int) -> str:
    """What is wrong with a room beside those before it: field and sentence."""
    room = rooms[number]
    if not (0 < len(room.name) <= 24) or sum(other.name == room.name for other in rooms) > 1:
        return f"name: expected 1 to 24 characters that no other room has, got {room.name[:40]!r}"
    if not 1 <= len(room.rects_m) <= 2:
        return f"rects_m: expected one rectangle or two, got {len(room.rects_m)}"
    for rect in room.rects_m:
        if not all(math.isfinite(v) and abs(v) <= 1000 for v in rect):
            return f"rects_m: expected finite metres within ±1000, got {rect!r}"
        if not (1.0 <= rect[2] - rect[0] <= 20 and 1.0 <= rect[3] - rect[1] <= 20):
            return f"rects_m: expected rectangles with sides of 1 to 20 m, got {rect!r}"
    if len(room.rects_m) == 2 and len(outline(room.rects_m)) not in (4, 6):
        return f"rects_m: expected two rectangles that touch and form an L, got {room.rects_m!r}"
    for other in rooms[:number]:
        if any(overlap(a, b) for a in room.rects_m for b in other.rects_m):
            return f"rects_m: overlaps {other.name!r}"
    return ""


def _door_problem(plan: Plan, door: HouseDoor) -> str:
    """What is wrong with a door: field and sentence."""
    if door.rooms[0] == door.rooms[1] or not {room.name for room in plan.rooms}.issuperset(door.rooms):
        return f"rooms: expected two different rooms of the house, got {door.rooms!r}"
    if door.leaf and door.leaf not in door.rooms:
        return f"leaf: expected one of its rooms or nothing, got {door.leaf!r}"
    if door.hinge not in (-1, 1):
        return f"hinge: expected 1 or -1, got {door.hinge!r}"
    if not 0.7 <= door.width_m <= 3.0:
        return f"width_m: expected 0.7 to 3 m, got {door.width_m!r}"
    if not _in_wall(plan, door.along, door.centre_m, door.width_m, set(door.rooms)):
        return f"centre_m: expected a place within the wall that {door.rooms[0]} and {door.rooms[1]} share, got {door.centre_m!r}"
    return ""


def _window_problem(plan: Plan, window: HouseWindow) -> str:
    """What is wrong with a window or an entrance: field and sentence."""
    if window.kind not in ("window", "entrance"):
        return f"kind: expected window or entrance, got {window.kind!r}"
    if window.room not in {room.name for room in plan.rooms}:
        return f"room: expected a room of the house, got {window.room!r}"
    if not 0.4 <= window.width_m <= 4.0:
        return f"width_m: expected 0.4 to 4 m, got {window.width_m!r}"
    if not _in_wall(plan, window.along, window.centre_m, window.width_m, {window.room}):
        return f"centre_m: expected a place within an outer wall of {window.room}, got {window.centre_m!r}"
    return ""


def _in_wall(plan: Plan, along: str, centre: Point, width: float, rooms: set[str]) -> bool:
    place, at = (centre[0], centre[1]) if along == "x" else (centre[1], centre[0])
    return any(
        w.along == along
        and abs(w.at_m - at) < 0.01
        and set(w.rooms) == rooms
        and w.low_m + WALL_M / 2 - 1e-6 <= place - width / 2
        and place + width / 2 <= w.high_m - WALL_M / 2 + 1e-6
        for w in plan.walls
    )
