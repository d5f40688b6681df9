"""Regional Boundary: in which room a thing stands, to which other it is closest, or whether two things stand in one room."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data.generators.drawing import Item, wordings
from data.generators.forks import PRIVATE, Fork, Roles, room_views
from data.generators.framework import Half, Pair, Rejected
from data.generators.houses import (
    HOUSE_ACTIONS,
    HOUSE_CAMERA,
    LIVED_IN,
    SIGNS,
    TWO_OF_THREE,
    inside,
    options_with,
    the,
    walked_item,
    watched,
)
from data.generators.lab import Playing
from data.generators.layout import HERE, Thing, path_poses
from data.generators.measuring import asked, middle
from data.generators.sight import EDGE_DEG, EYE_M, Sight, eye_of, floors, off_deg
from data.generators.walking import THING_PIXELS, Goal, object_goal, sign_goal, walkable, whole
from data.task import Answer, Ask, Evidence
from sim_bridge.houses import Plan
from sim_bridge.houses.outline import Point
from sim_bridge.spec import Pose

KINDS = ("basketball", "beach_ball", "bucket", "gift_box", "guitar", "laundry_basket", "soccer_ball", "treasure_chest", "watering_can")
REGION_KINDS = ("belongs", "closest", "belongs", "same", "closest")
CLOSER_M = 0.8
"""By so much nearer is the closest room than the next."""
INSIDE_M = 0.5
"""So far within its room, from the middle of the walls, a thing stands in both directions."""


def region(numbers: random.Random, item: Item) -> Pair:
    """In which room a thing stands, to which other room it is closest, or whether two things stand in one room."""
    kind = REGION_KINDS[(item.number - 1) % 5]
    if kind == "closest" and item.layout == "hall":  # which is narrow: nothing in it is clearly nearer to one of its rooms
        kind = "belongs"
    return {"belongs": _belongs, "closest": _closest, "same": _same}[kind](numbers, item)


def _spot(numbers: random.Random, house: Plan, name: str, good: Callable[[Point], bool] = lambda _: True) -> Point | None:
    """A place on the free floor of a room, away from its doors."""
    doors = [d for d in house.doors if name in d.rooms]
    places = [(float(x), float(y)) for x, y in floors(house)[name]]

    def well_inside(p: Point) -> bool:
        return all(house.room_at((p[0] + dx, p[1] + dy)) == name for dx in (-INSIDE_M, 0, INSIDE_M) for dy in (-INSIDE_M, 0, INSIDE_M))

    fit = [p for p in places if walkable(house, p) and well_inside(p) and all(math.dist(p, d.centre_m) > 1.1 for d in doors) and good(p)]
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
    sight = Sight(f.plans[0], HOUSE_CAMERA, LIVED_IN)
    for gold, path, side in zip(golds, paths, things, strict=True):
        poses = path_poses(start, path, HOUSE_CAMERA)
        evidence = []
        for t in side:
            steps = [i for i, p in enumerate(poses) if i > 0 and _sees(sight, p, t.xy)]
            if not steps:
                raise Rejected("a thing is not seen on the way")
            evidence.append(Evidence(kind="unseen", step=0, handle=t.key))
            best = min(steps, key=lambda i: off_deg(*eye_of(poses[i]), t.xy))
            evidence.append(Evidence(kind="seen", step=best, handle=t.key, low=THING_PIXELS))
        halves.append(Half(tuple(side), gold, path=path, evidence=tuple(evidence)))
    return Pair(
        halves=tuple(halves),
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
        more_views={"rooms": room_views(f.plans[0], (f.near, f.left, f.right, f.far), HOUSE_CAMERA)},
        **more,
    )


def _sees(sight: Sight, pose: Pose, at: Point) -> bool:
    eye, yaw = eye_of(pose)
    return off_deg(eye, yaw, at) < sight.half_deg - EDGE_DEG and whole(sight, eye, at)


def _places(number: int) -> tuple[int, int]:
    """Places of the twins' golds, counted over the items with rooms as options (four of five)."""
    return TWO_OF_THREE[(number - 1 - number // 5) % 3]


FAR_KINDS = ("living_room", "kitchen", "bedroom", "living_room", "kitchen", "dining_room", "bedroom", "office", "childs_room")
"""Kinds of the room that is an option and never right, in turn: about as often as each is right elsewhere, so that names do not tell."""


def _untold(item: Item) -> Callable[[Mapping[str, str], Roles], bool]:
    """Whether the names of the three options do not tell: a bathroom, where no way leads through, would never be right, and a hallway
    always; numbers ("bedroom 1") follow the way in which houses are made."""
    wanted = item.dealt("far", FAR_KINDS)

    def suits(kinds: Mapping[str, str], roles: Roles) -> bool:
        options = roles[2:]
        return (
            kinds[options[2]] == wanted
            and not {kinds[n] for n in options} & {*PRIVATE, "corridor"}
            and not any(n[-1].isdigit() for n in options)
        )

    return suits


def _belongs(numbers: random.Random, item: Item) -> Pair:
    category = item.dealt("thing", KINDS)
    spots: dict[str, list[Point]] = {}

    def fits(f: Fork) -> bool:
        found = [_spot(numbers, f.plans[0], n) for n in f.middle]
        spots["xy"] = [p for p in found if p]
        return len(spots["xy"]) == 2

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        s, m = Sight(f.plans[0], HOUSE_CAMERA, LIVED_IN), f.middle[which]
        return [inside(s, object_goal(s, spots["xy"][which]), (m, f.near)), inside(s, sign_goal(s, m), (m, f.near))]

    f, start, paths = walked_item(
        numbers, item, begin="near", rooms=(5, 6, 7, 8), goals=goals, fits=fits, suits=_untold(item), same_house=True
    )
    options = options_with(numbers, f.left, f.right, [f.far], _places(item.number), 3)
    return _region_pair(
        f,
        start,
        paths,
        f.middle,
        [[_thing("thing", category, xy)] for xy in spots["xy"]],
        ask=Ask(what="belongs", things=("thing",)),
        form="choice",
        options=options,
        margin=f"{INSIDE_M} m or more inside its room",
        note=f"You start in {the(f.near)}. {SIGNS}",
        tags={"question_kind": "belongs"},
    )


def _closest(numbers: random.Random, item: Item) -> Pair:
    category = item.dealt("thing", KINDS)
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
        s = Sight(f.plans[0], HOUSE_CAMERA, LIVED_IN)
        return [object_goal(s, spots["xy"][which]), sign_goal(s, f.left), sign_goal(s, f.right)]

    f, start, paths = walked_item(
        numbers,
        item,
        begin="before",
        rooms=(5, 6, 7, 8),
        goals=goals,
        fits=fits,
        suits=_untold(item),
        hidden=("near", "left", "right", "far"),
        same_house=True,
    )
    options = options_with(numbers, f.left, f.right, [f.far], _places(item.number), 3)
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
        note=f"You start in {the(f.before)}. {SIGNS} The {words} is in none of these rooms. "
        f"What counts is the straight distance along the floor, through walls, from the {words} to the nearest point of a room.",
    )


def _same(numbers: random.Random, item: Item) -> Pair:
    kinds = (item.dealt("thing", KINDS), item.dealt("thing", [*KINDS[4:], *KINDS[:4]]))
    spots: dict[str, list[Point]] = {}

    def fits(f: Fork) -> bool:
        house = f.plans[0]
        fixed = _spot(numbers, house, f.left)
        here = fixed and _spot(numbers, house, f.left, lambda p: math.dist(p, fixed) > 0.8)
        there = _spot(numbers, house, f.right)
        spots["xy"] = [p for p in (fixed, here, there) if p]
        return len(spots["xy"]) == 3

    def goals(f: Fork, which: int, s: Sight) -> Sequence[Goal]:
        s = Sight(f.plans[0], HOUSE_CAMERA, LIVED_IN)
        fixed, here, there = spots["xy"]
        return [object_goal(s, fixed), object_goal(s, (here, there)[which])]

    f, start, paths = walked_item(numbers, item, begin="near", rooms=(5, 6, 7, 8), goals=goals, fits=fits, same_house=True)
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
        margin=f"{INSIDE_M} m or more inside their rooms",
        tags={"question_kind": "same"},
        note=f"You start in {the(f.near)}. {SIGNS}",
    )


def room_distance(house: Plan, name: str, p: Point) -> float:
    """From a floor point to the box of a room, metres; 0 inside."""
    return min(math.hypot(max(r[0] - p[0], p[0] - r[2], 0.0), max(r[1] - p[1], p[1] - r[3], 0.0)) for r in house.room(name).rects_m)


def _one_thing(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return {"thing": names[ask.things[0]]}


BELONGS = wordings(
    _one_thing,
    "Which room is the {thing} in?",
    "In which room is the {thing}?",
    "The {thing} is in one of the rooms. In which?",
)
CLOSEST = wordings(
    _one_thing,
    "Which of these rooms is the {thing} closest to?",
    "To which of these rooms is the {thing} closest?",
    "Which of these rooms is the shortest straight distance from the {thing}?",
)
SAME = wordings(
    lambda ask, names, options: dict(zip(("one", "other"), (names[t] for t in ask.things), strict=True)),
    "Are the {one} and the {other} in the same room?",
    "Is the {one} in the same room as the {other}?",
    "Do the {one} and the {other} stand in one and the same room?",
)


def judge_region(playing: Playing) -> Answer:
    """From where the simulator says the things are; rooms that are the answer are known by their signs."""
    house, sight, poses = watched(playing)
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
