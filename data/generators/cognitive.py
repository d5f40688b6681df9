"""Own tasks of Cognitive Mapping: whether two rooms are joined and through which one passes; the generators of all four kinds."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from data.generators.drawing import Item, wordings
from data.generators.exploring import admits
from data.generators.forks import PRIVATE, Fork
from data.generators.framework import Generator, Pair
from data.generators.houses import (
    HOUSE_CAMERA,
    PROOF_ACTIONS,
    SCHEMES,
    SIGNS,
    SIGNS_READ,
    TWO_OF_FOUR,
    box_like,
    house_pair,
    inside,
    options_with,
    the,
    through_fork,
    walked_item,
    watched,
)
from data.generators.lab import Playing
from data.generators.layout import path_poses
from data.generators.regions import BELONGS, CLOSER_M, CLOSEST, INSIDE_M, SAME, judge_region, region
from data.generators.routes import REGIONS, TURNS, judge_route, route
from data.generators.sight import MAX_UNSEEN, Sight, eye_of, longest_gap, outline_points, wall_in_sight, walls_known
from data.generators.walking import Goal
from data.task import Answer, Ask
from sim_bridge.houses.outline import Point
from sim_bridge.houses.routes import shortest, unique_shortest
from sim_bridge.spec import Pose

# --- Connectivity -----------------------------------------------------------------------------------------------------


def connect(numbers: random.Random, item: Item) -> Pair:
    """Two rooms that share a wall: with a door in it, or without."""

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        if which == 0:
            return through_fork(f, 0, s)
        # In the middle room, far enough from the door to look around; the sweep follows.
        outline = outline_points(f.plans[1], f.left)
        door = f.plans[1].door(f.near, f.left)
        assert door is not None

        def here(p: Point) -> Sequence[tuple[float, float]]:
            if math.dist(p, door.centre_m) < 0.7 or longest_gap(wall_in_sight(s, p, outline)) > MAX_UNSEEN:
                return ()
            return [(0.0, 181.0)] if any(s.readable(p, sign) for sign in s.signs[f.left]) else ()

        return [inside(s, here, (f.left,))]

    def tail(f: Fork, which: int, s: Sight, start: Pose, way: tuple[str, ...]) -> tuple[str, ...] | None:
        return way if which == 0 else _sweep(f.left, s, start, way)

    f, start, paths = walked_item(numbers, item, begin="near", rooms=(5, 6, 7, 8), goals=goals, fits=box_like, tail=tail)
    wall = next(w for w in f.plans[0].walls if set(w.rooms) == {f.left, f.far})
    a, b = (f.left, f.far) if item.number % 2 else (f.far, f.left)
    return house_pair(
        f,
        start,
        paths,
        ("yes", "no"),
        ask=Ask(what="connected", rooms=(a, b)),
        form="yes_no",
        options=("yes", "no"),
        margin=f"a shared wall of {wall.length_m:.1f} m with a door or without",
        note=f"You start in {the(f.near)}. {SIGNS}",
    )


def _sweep(name: str, s: Sight, start: Pose, way: tuple[str, ...]) -> tuple[str, ...] | None:
    """Turn on the spot until every wall of the room and its sign have been seen."""
    best = None
    for turn in ("turn_left", "turn_right"):
        for n in range(PROOF_ACTIONS + 1 - len(way)):
            poses = path_poses(start, (*way, *(turn,) * n), HOUSE_CAMERA)
            if walls_known(s, name, poses) and any(s.reads(p, name) for p in poses):
                if best is None or n < len(best):
                    best = (turn,) * n
                break
    return None if best is None else (*way, *best)


CONNECTED = wordings(
    lambda ask, names, options: dict(zip("ab", map(the, ask.rooms), strict=True)),
    "Does a doorway lead directly from {a} to {b}?",
    "Is there a doorway directly between {a} and {b}?",
    "Can you step from {a} directly into {b} through a doorway?",
)


def judge_connect(playing: Playing) -> Answer:
    """A door of the house, seen open with the other room behind it; or a shared wall without, and all walls of one room seen."""
    house, sight, poses = watched(playing)
    a, b = playing.ask.rooms
    door = house.door(a, b)
    if door is not None:
        for here, other in ((a, b), (b, a)):
            there = [p for p in poses if house.room_at(eye_of(p)[0]) in (here, other)]
            if any(sight.reads(p, here) for p in poses) and any(sight.reads(p, other) for p in there):
                return "yes"
        return ""
    shared = sum(w.length_m for w in house.walls if set(w.rooms) == {a, b})
    seen = any(walls_known(sight, r, poses) and any(sight.reads(p, r) for p in poses) for r in (a, b))
    return "no" if shared >= 1.4 and seen else ""


# --- Traversable Passage ----------------------------------------------------------------------------------------------


def passage(numbers: random.Random, item: Item) -> Pair:
    """Through which of two rooms the only shortest way leads."""

    def others(f: Fork) -> list[str]:
        # Nobody would think of a way through a bathroom: such an option would be none.
        house = f.plans[0]
        return [n for n in house.names if n not in (f.near, f.far, f.left, f.right) and house.room(n).kind not in PRIVATE]

    def fits(f: Fork) -> bool:
        # In one item of three the way ends in a bathroom or a storage room.
        if len(others(f)) < 2 or (f.plans[0].room(f.far).kind in PRIVATE) != (item.number % 3 == 0):
            return False
        # The rooms that most houses have are an answer as often as not, so that their names tell nothing.
        if any(name in (others(f), f.middle)[(item.number // n) % 2] for name, n in (("living room", 1), ("kitchen", 2))):
            return False
        return all(unique_shortest(p, f.near, f.far) and shortest(p, f.near, f.far).doors == 2 for p in f.plans)

    f, start, paths = walked_item(numbers, item, begin="near", rooms=(6, 7, 8), goals=through_fork, fits=fits, spare=1)
    options = options_with(numbers, f.left, f.right, others(f), TWO_OF_FOUR[(item.number - 1) % 6], 4)
    a, b = (f.near, f.far) if item.number % 2 else (f.far, f.near)
    return house_pair(
        f,
        start,
        paths,
        (f.left, f.right),
        ask=Ask(what="passage", rooms=(a, b)),
        form="choice",
        options=options,
        margin="the only way with two doors",
        note=f"You start in {the(f.near)}. {SIGNS}",
    )


PASSAGES = wordings(
    lambda ask, names, options: dict(zip("ab", map(the, ask.rooms), strict=True)),
    "On the shortest way from {a} to {b}, which room do you go through?",
    "You take the shortest way from {a} to {b}. Which room do you go through?",
    "Which room do you cross on the shortest way from {a} to {b}?",
)


def judge_passage(playing: Playing) -> Answer:
    """The room on the only shortest way, its sign and that of the room behind it read on the way."""
    house, sight, poses = watched(playing)
    a, b = playing.ask.rooms
    if not unique_shortest(house, a, b):
        return ""
    through = [r for r in shortest(house, a, b).rooms[1:-1] if r in playing.task.question.options]
    begins = house.room_at(eye_of(poses[0])[0])
    known = {r for r in (a, b, *through) if r == begins or any(sight.reads(p, r) for p in poses)}
    return through[0] if len(through) == 1 and known == {a, b, *through} else ""


CATEGORY = "Cognitive Mapping"
VERSION = "5"
EXPLORED = "Of blind explorers, five in each bundled task, {} reach the evidence within the budget (`vantage bench explore --seeds 5`)."
_MAKING: dict[str, Any] = {"layouts": tuple(SCHEMES), "version": VERSION}
CONNECT = Generator(
    "connect", CATEGORY, "Connectivity", connect, "a door joins the two rooms, or their shared wall has none", {"connected": CONNECTED},
    cycle=1, judge=judge_connect, admits=admits(judge_connect), **_MAKING,
    tells=f"A doorway of 0.88 m or more, or a wall of 1.4 m and more without any. {SIGNS_READ} {EXPLORED.format('all')}",
    beyond="Doors that are shut; ways over more than one door; houses of more than eight rooms.",
)  # fmt: skip
PASSAGE = Generator(
    "passage", CATEGORY, "Traversable Passage", passage, "the room on the only shortest way", {"passage": PASSAGES}, cycle=1,
    judge=judge_passage, admits=admits(judge_passage), **_MAKING,
    tells=f"One way has two doors, every other more, and is longer by 1 m or more. {SIGNS_READ} "
    f"{EXPLORED.format('92 % [82, 100]')}",
    beyond="Ways that somebody cannot pass although there is a door; the choice between ways of nearly one length.",
)  # fmt: skip
REGION = Generator(
    "region", CATEGORY, "Regional Boundary", region, "the room in which a thing stands, or the nearest other",
    {"belongs": BELONGS, "closest": CLOSEST, "same_room": SAME}, cycle=1, judge=judge_region, admits=admits(judge_region),
    **(_MAKING | {"version": "6"}),
    tells=f"A thing stands {INSIDE_M} m or more inside its room; the closest room is nearer by {CLOSER_M} m or more than the next. "
    f"{SIGNS_READ} {EXPLORED.format('87 % [78, 96]')}",
    beyond="Rooms without walls between them; the extent of a room that nobody has a name for.",
)  # fmt: skip
ROUTE = Generator(
    "route", CATEGORY, "Long-Term Navigation", route, "the only shortest way between the farthest rooms",
    {"regions": REGIONS, "turns": TURNS}, cycle=1, judge=judge_route, admits=admits(judge_route), **_MAKING,
    tells=f"One way has three doors, every other more, and is longer by 1 m or more; a turn is 12° or more from every other direction. "
    f"{SIGNS_READ} {EXPLORED.format('90 % [79, 100]')}",
    beyond="Ways of more than three doors, over several floors, or after minutes; the way back.",
)  # fmt: skip
GENERATORS = (CONNECT, PASSAGE, REGION, ROUTE)
