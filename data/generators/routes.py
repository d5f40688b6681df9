"""Long-Term Navigation: from one end of a house to the other."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from data.generators.drawing import Item, wordings
from data.generators.forks import Fork
from data.generators.framework import Pair
from data.generators.houses import ROUTE_SCALE, SIGNS, house_pair, inside, the, through_fork, walked_item, watched
from data.generators.lab import Playing
from data.generators.sight import Sight, bearing_to, eye_of
from data.generators.walking import Goal, sign_goal
from data.task import Answer, Ask
from sim_bridge.houses import Plan
from sim_bridge.houses.routes import Turn, shortest, turns, unique_shortest
from sim_bridge.spec import Pose

TURN_WORDS = {"left": "turn left", "right": "turn right", "back": "turn back"}


def route(numbers: random.Random, item: Item) -> Pair:
    """From one end of the house to the other: the next rooms, or the turns in them."""
    # Around a hall the ways into the last room nearly always go straight on.
    actions = item.layout != "hall" and item.number % 2 == 0

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
        known = through_fork(f, which, s)
        return known[1:] if actions else [inside(s, sign_goal(s, f.near), (f.before, f.near)), *known]

    f, start, paths = walked_item(numbers, item, begin="before", rooms=(5,), goals=goals, fits=fits, scale=ROUTE_SCALE)
    if actions:
        made: list[tuple[str, ...]] = [tuple(TURN_WORDS[t.direction] for t in bends(p, f)[-1:]) for p in f.plans]
        blanks: tuple[tuple[str, ...], ...] = (tuple(TURN_WORDS.values()),)
        names: tuple[str, ...] = (f"In the room after {the(f.near)}",)
        asks = Ask(what="turns", rooms=(f.before, f.near, f.far), given=_side(f, start))
        note = f"{SIGNS} A turn is meant as you come in through the door: it says where the next door lies from there."
    else:
        rooms = [n for n in f.plans[0].names if n not in (f.before, f.far)]
        made = [(f.near, m) for m in f.middle]
        blanks = (tuple(numbers.sample(rooms, len(rooms))),) * 2
        names = ("First room", "Second room")
        asks = Ask(what="regions", rooms=(f.before, f.far), given=_side(f, start))
        note = f"{SIGNS} Where the way begins is where you stand in the first view."
    return house_pair(
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


def _journey(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    begin, end = the(ask.rooms[0]), the(ask.rooms[-1])
    return {"way": f"You stand in {begin}, its doorway {ask.given}, and take the shortest way to {end}.", "first": the(ask.rooms[1])}


REGIONS = wordings(
    _journey,
    "{way} Which room do you come to first, and which second?",
    "{way} Which are the first and the second room that you come to?",
    "{way} Name the first room that you come to, and the second.",
)
TURNS = wordings(
    _journey,
    "{way} First comes {first}, then another room. Which way do you turn in that one?",
    "{way} First comes {first}, then another room. How do you turn in that one?",
    "{way} After {first} comes another room. Which way do you turn in that one?",
)


def _side(f: Fork, start: Pose) -> str:
    """Where the doorway of the first room lies from the start: the start yaw in words."""
    eye, yaw = eye_of(start)
    door = f.plans[0].door(f.before, f.near)
    assert door is not None
    return direction((bearing_to(eye, door.centre_m) - yaw + 180) % 360 - 180)


def direction(bend_deg: float) -> str:
    """One of eight directions in words; 0° is straight ahead, counter-clockwise positive."""
    side, off = "left" if bend_deg > 0 else "right", abs(bend_deg)
    if off < 22.5:
        return "straight ahead of you"
    if off > 157.5:
        return "behind you"
    return f"ahead of you on the {side}" if off < 67.5 else f"to your {side}" if off < 112.5 else f"behind you on the {side}"


def farthest(house: Plan) -> float:
    """Length of the longest of all shortest ways, metres."""
    return max(shortest(house, a, b).length_m for i, a in enumerate(house.names) for b in house.names[i + 1 :])


def judge_route(playing: Playing) -> Answer:
    """The rooms on the only shortest way between the farthest pair, or the turns in them, with the signs read on the way."""
    house, sight, poses = watched(playing)
    a, b = playing.ask.rooms[0], playing.ask.rooms[-1]
    way = shortest(house, a, b)
    if not unique_shortest(house, a, b) or way.length_m < farthest(house) - 1e-6 or house.room_at(eye_of(poses[0])[0]) != a:
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
