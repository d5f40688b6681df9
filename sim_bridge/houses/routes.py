"""Ways through a house room by room: all of them, the shortest, whether it is the only one, and its turns."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_bridge.houses.outline import Point
from sim_bridge.houses.plan import Plan
from sim_bridge.spec import HouseDoor

STRAIGHT_DEG = 30.0
"""A way that bends by less than this between two doors goes straight on."""
BACK_DEG = 150.0
"""One that bends by more goes back."""


@dataclass(frozen=True)
class Route:
    """A way from the middle of one room to the middle of another that enters no room twice."""

    rooms: tuple[str, ...]
    length_m: float
    """From middle to middle, straight from door to door within each room."""

    @property
    def doors(self) -> int:
        return len(self.rooms) - 1


@dataclass(frozen=True)
class Turn:
    """What someone does in a room on the way: from the door entered by to the door left by."""

    room: str
    direction: str
    """``left``, ``right``, ``straight`` or ``back``."""
    angle_deg: float
    """Bend from the direction of entering to the next door, positive to the left."""

    @property
    def clear(self) -> bool:
        """At least 12° away from every boundary between directions."""
        return min(abs(abs(self.angle_deg) - STRAIGHT_DEG), abs(abs(self.angle_deg) - BACK_DEG)) >= 12.0


def routes(plan: Plan, a: str, b: str) -> list[Route]:
    """Every way without repeated rooms, the shortest (metres) first.

    Raises:
        KeyError: no such room.
    """
    plan.room(a), plan.room(b)
    found: list[Route] = []

    def walk(way: tuple[str, ...], length: float, here: Point) -> None:
        if way[-1] == b:
            found.append(Route(way, round(length + math.dist(here, plan.centre(b)), 6)))
            return
        for other in plan.graph[way[-1]]:
            if other not in way:
                door = _door(plan, way[-1], other)
                walk((*way, other), length + math.dist(here, door.centre_m), door.centre_m)

    walk((a,), 0.0, plan.centre(a))
    return sorted(found, key=lambda r: (r.length_m, r.rooms))


def shortest(plan: Plan, a: str, b: str) -> Route:
    """The shortest way in metres."""
    return routes(plan, a, b)[0]


def unique_shortest(plan: Plan, a: str, b: str, margin_m: float = 1.0) -> bool:
    """Whether one way is the shortest beyond doubt: no other has as few doors, and every other is longer by `margin_m` or more."""
    first, *others = routes(plan, a, b)
    return all(r.doors > first.doors and r.length_m >= first.length_m + margin_m for r in others)


def turns(plan: Plan, rooms: tuple[str, ...]) -> list[Turn]:
    """The turns in all rooms of a way but its first and last.

    The direction of entering is square to the entered wall; the bend is measured to the next door.

    Raises:
        ValueError: two rooms that follow each other have no door.
    """
    found = []
    for before, here, after in zip(rooms, rooms[1:], rooms[2:], strict=False):
        entry, leave = _door(plan, before, here), _door(plan, here, after)
        side = plan.side_of(entry, here)
        into = (0.0, float(side)) if entry.along == "x" else (float(side), 0.0)
        dx, dy = leave.centre_m[0] - entry.centre_m[0], leave.centre_m[1] - entry.centre_m[1]
        angle = math.degrees(math.atan2(into[0] * dy - into[1] * dx, into[0] * dx + into[1] * dy))
        size = abs(angle)
        direction = "straight" if size < STRAIGHT_DEG else "back" if size > BACK_DEG else "left" if angle > 0 else "right"
        found.append(Turn(here, direction, round(angle, 3)))
    return found


def _door(plan: Plan, a: str, b: str) -> HouseDoor:
    door = plan.door(a, b)
    if door is None:
        raise ValueError(f"rooms: no door between {a!r} and {b!r}")
    return door
