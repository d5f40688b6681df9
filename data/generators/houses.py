"""What the own tasks of Cognitive Mapping share: houses whose rooms bear their names on their walls, walked through.

All four subcategories use houses with a *fork*: the room `near` opens into two rooms `left` and `right`, and both share a wall with `far`,
which has a door to only one of them. The twins differ in that door alone, so whether two rooms are joined, through which room the
shortest way leads, and which turns it takes are all opposite. Regional Boundary keeps the house and moves an object instead.

The camera starts in `near` (or in the room before it) and faces away, so that no line of sight leads into what differs. Ways are searched
over steps of the camera that keep off walls, door leaves and the furniture along walls; they end where the signs that tell the answer
have been read. Blind explorers are sent into every draft: one in which they do not reach the evidence within the budget is no task.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from data.generators.drawing import Item
from data.generators.forks import Fork, Roles, ahead_of, forks, room_views, starts_in
from data.generators.framework import Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import HERE
from data.generators.sight import EYE_M, Sight, sight_of
from data.generators.walking import Goal, Walk, sign_goal
from data.task import Answer
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.houses import Plan
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Pose

HOUSE_CAMERA = Camera(hfov_deg=100.0, move_step_m=0.6, turn_step_deg=90.0)
"""A house is too large to be looked round in with 29 actions of 0.25 m and 15° (design/0072)."""
HOUSE_ACTIONS = tuple(a for a in CAMERA_ACTIONS if a not in ("move_up", "move_down", "turn_up", "turn_down"))
"""The camera stays level at a person's height."""
PROOF_ACTIONS = 19
"""With the first view two thirds of the budget (measurement 25)."""
SIGNS = (
    "A sign on a wall of each room says which it is: step back where it is cut off. In this house one step is 60 cm and one turn 90°; "
    "nobody passes through walls. A door that is shut leads out of the house and stays shut."
)
SCALE, ROUTE_SCALE = 0.85, 0.75
"""Of these houses to those of `houses.plan`: small flats, in which few steps lead from room to room."""
SCHEMES = {"cells": "rooms", "two rows": "ring", "hall": "centre"}
"""Layout → how the rooms of a house lie (`Plan.scheme`): divided again and again, in two rows, as wings around a hall."""
TRIES = 3000
"""Houses tried per draft before it counts as failed."""
LIVED_IN = True
"""How the houses are furnished: their signs hang where they are read through doorways."""
SIGNS_READ = (
    "A sign is 21 pixels high or more where it counts as read, its letters about half of that; normal sight reads letters of 5′ (ISO "
    "8596), 3 to 4 pixels of a usual screen at arm's length."
)


NEAREST_AHEAD_M = 1.3
"""A start view has no wall nearer than this straight ahead."""


def walked_item(
    numbers: random.Random,
    item: Item,
    *,
    begin: str,
    rooms: Sequence[int],
    goals: Callable[[Fork, int, Sight], Sequence[Goal]],
    fits: Callable[[Fork], bool] = lambda _: True,
    suits: Callable[[Mapping[str, str], Roles], bool] = lambda kinds, roles: True,
    spare: int = 0,
    tail: Callable[[Fork, int, Sight, Pose, tuple[str, ...]], tuple[str, ...] | None] | None = None,
    hidden: Sequence[str] = ("left", "right", "far"),
    same_house: bool = False,
    scale: float = SCALE,
) -> tuple[Fork, Pose, tuple[tuple[str, ...], tuple[str, ...]]]:
    """A fork, a start that sees nothing of what differs, and a way for each version."""
    for f in (f for _ in range(TRIES) for f in forks(numbers, rooms, spare, scale, SCHEMES[item.layout], suits)):
        if not (_close(f) and fits(f)):
            continue
        here = getattr(f, begin)
        if same_house:
            f = dataclasses.replace(f, plans=(f.plans[0], f.plans[0]))
        sights = tuple(Sight(p, HOUSE_CAMERA, LIVED_IN) for p in f.plans)
        towards = f.middle if begin == "near" else (f.near,)
        secret = {getattr(f, h) for h in hidden}
        tried = 0
        # A look into the room, never at a wall or a door close by.
        starts = [p for p in starts_in(numbers, f.plans[0], here, towards) if sights[0].free(p[0], ahead_of(*p, NEAREST_AHEAD_M))]
        for place, yaw in sorted(starts, key=lambda s: not sights[0].free(s[0], ahead_of(*s))):
            start = looking(*place, EYE_M, yaw_deg=float(yaw))
            if any(s.rooms_in_view(start) & secret for s in sights):
                continue
            tried += 1
            if tried > 3:
                break
            paths = []
            for which, s in enumerate(sights):
                way = Walk(f.plans[which], place, yaw, HOUSE_CAMERA).find(goals(f, which, s), PROOF_ACTIONS)
                if way is not None and tail is not None:
                    way = tail(f, which, s, start, way)
                if way is None or len(way) > PROOF_ACTIONS:
                    break
                paths.append(way)
            if len(paths) == 2:
                return f, start, (paths[0], paths[1])
    raise Rejected("no house of this kind found with ways within the budget")


APART_M, ACROSS_M = 2.2, 3.2
"""Between the doorways of a fork's near room, and through a middle room from door to door, at most."""


def _close(f: Fork) -> bool:
    """Whether few steps lead from doorway to doorway."""
    ways = []
    for house, m in zip(f.plans, f.middle, strict=True):
        entry, leave = house.door(f.near, m), house.door(f.far, m)
        assert entry is not None and leave is not None
        ways.append((entry.centre_m, leave.centre_m))
    return math.dist(ways[0][0], ways[1][0]) <= APART_M and all(math.dist(a, b) <= ACROSS_M for a, b in ways)


def house_pair(f: Fork, start: Pose, paths: tuple[tuple[str, ...], ...], golds: tuple[Answer, Answer], **more: Any) -> Pair:
    """A pair of tasks in the houses of a fork: each half has its own gold and its own way of rooms."""
    halves = tuple(Half((), g, path=p, house=f.house(i)) for i, (g, p) in enumerate(zip(golds, paths, strict=True)))
    return Pair(
        halves=halves,
        camera_z_m=EYE_M,
        path=(),
        place=HERE,
        room=f.plans[0].bounding_room(arrangement="lived_in"),
        house=f.house(0),
        start=start,
        free_layout=True,
        camera=HOUSE_CAMERA,
        actions=HOUSE_ACTIONS,
        clipping="forbid",
        settle_steps=1,
        more_views={"rooms": room_views(f.plans[0], (f.near, f.left, f.right, f.far), HOUSE_CAMERA)},
        **more,
    )


def inside(sight: Sight, goal: Goal, names: Iterable[str]) -> Goal:
    """The goal, from within some rooms."""
    rooms = set(names)
    return lambda p: goal(p) if sight.plan.room_at(p) in rooms else ()


def options_with(
    numbers: random.Random, first: str, second: str, others: Sequence[str], places: tuple[int, int], size: int
) -> tuple[str, ...]:
    """Options with the twins' golds at given places."""
    rest = numbers.sample(list(others), size - 2)
    made = [""] * size
    made[places[0]], made[places[1]] = first, second
    return tuple(o or rest.pop() for o in made)


TWO_OF_FOUR = ((0, 1), (2, 3), (2, 0), (3, 1), (0, 3), (1, 2))
"""Places of the twins' golds by item: two items in a row fill all four."""
TWO_OF_THREE = ((1, 2), (2, 0), (0, 1))


def through_fork(f: Fork, which: int, s: Sight) -> list[Goal]:
    """The middle room's sign, and from there the far room's."""
    m = f.middle[which]
    return [inside(s, sign_goal(s, m), (m, f.near)), inside(s, sign_goal(s, f.far), (m, f.far))]


def box_like(f: Fork) -> bool:
    """Whether the rooms that a fork asks about are rectangles: their corners can be told from inside."""
    rooms = f.plans[0]
    return all(len(rooms.room(n).rects_m) == 1 for n in (f.left, f.right, f.far))


def the(room: str) -> str:
    """A room as a sentence names it: "the kitchen", but "bedroom 2"."""
    return room if room[-1].isdigit() else f"the {room}"


def watched(playing: Playing) -> tuple[Plan, Sight, list[Pose]]:
    """The house, what can be seen in it, and the cameras along the trajectory."""
    sight = sight_of(playing.task.scene)
    return sight.plan, sight, [s.camera for s in playing.steps]
