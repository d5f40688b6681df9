"""Own tasks of Spatial Distance: which of two things is closer to a third, when perspective shortens a gap.

The start camera is a hand above what everything stands on, so that a gap along the line of sight is hardly seen. In the twin a thing
has moved along its own line of sight and grown with its distance: the picture stays and the gap changes. From above both gaps lie in one
view.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, from_above, slide
from data.generators.measuring import gap_m, present
from data.generators.stages import Stage, besides
from data.generators.surfaces import Top, stand
from data.generators.things import BLOCK, thing
from data.task import Answer, Ask, Evidence
from sim_bridge.spec import Vec3

EYE_M = 0.05
"""Height of the start view above what everything stands on: what stands farther back hardly stands higher in the picture."""
RATIO = (1.65, 1.95)
"""The wider gap : the narrower one."""
LEAST_RATIO, LEAST_M = 1.5, 0.08
"""Gaps that are compared differ by at least this factor and this much."""
NARROW_M = (0.20, 0.26)
"""The narrower gap."""
ON_TABLE_M, ON_TABLE_RATIO = (0.14, 0.17), (1.60, 1.72)
"""The same of what stands side by side on a table."""
ABOVE_M = {True: 1.30, False: 1.55}
"""Height of the last view above the furniture, and above the floor."""
KINDS = (
    "alarm_clock", "apple", "bell_pepper", "can", "cupcake", "goblet", "hourglass", "light_bulb", "mug", "orange", "pear",
    "pepper_grinder", "pillar_candle", "pine_cone", "snow_globe", "spray_can", "tennis_ball", "vase",
)  # fmt: skip
"""What is compared: hand-sized things that stand by themselves."""
NOT_BOTH = (frozenset({"apple", "orange", "tennis_ball"}), frozenset({"apple", "bell_pepper", "pear"}))
"""Kinds that somebody may take for each other; one of each set stands in a task."""
WIDE: dict[str, tuple[Vec3, str]] = {
    BLOCK: ((1.05, 0.30, 0.32), "box"),
    "sideboard": ((1.43, 0.50, 0.848), "sideboard"),
    "treasure_chest": ((0.95, 0.36, 0.45), "wooden chest"),
    "toy_box": ((1.00, 0.32, 0.36), "toy box"),
}
"""References on the floor that are wider than what stands before them, and their words."""
SMALL: dict[str, tuple[Vec3, str]] = {
    "packing_box": ((0.40, 0.26, 0.20), "box"),
    "gift_box": ((0.30, 0.26, 0.25), "gift box"),
    "shoe_box": ((0.36, 0.24, 0.16), "shoe box"),
    "treasure_chest": ((0.36, 0.25, 0.22), "wooden chest"),
    "first_aid_kit": ((0.38, 0.24, 0.20), "first aid kit"),
}
"""References that stand on furniture or have something beside them."""
SUPPORTS: dict[str, tuple[float, float, float]] = {
    "lab_table": (90.0, 1.38, 1.0), "wooden_table": (90.0, 1.36, 1.0), "counter": (90.0, 1.40, 1.0), "plain_bed": (0.0, 1.50, 1.0),
}  # fmt: skip
"""Furniture that is long along the line of sight: how it is turned, where its middle is, and its scale."""
WIDE_SUPPORT = ("wooden_table", (0.0, 1.42, 1.12))
"""What carries things that stand beside each other."""
BOTH, BESIDE, ON = "both before it", "one beside it", "on furniture"
LAYOUTS = (BOTH, BESIDE, ON)


def distance(numbers: random.Random, item: Item) -> Pair:
    """Two things before or beside a reference; in the twin another one is closer to it."""
    kinds = [item.dealt("kind", KINDS), numbers.choice(KINDS)]
    if kinds[0] == kinds[1] or any(set(kinds) <= alike for alike in NOT_BOTH):
        raise Rejected("the two things are too alike")
    numbers.shuffle(kinds)
    beside = item.layout == BESIDE or (item.layout == ON and numbers.random() < 0.5)
    narrow_m, ratio = (ON_TABLE_M, ON_TABLE_RATIO) if beside and item.layout == ON else (NARROW_M, RATIO)
    narrow = round(numbers.uniform(*narrow_m), 3)
    gaps = (narrow, round(narrow * numbers.uniform(*ratio), 3))
    kind, (yaw_deg, y, scale) = WIDE_SUPPORT if beside else numbers.choice(sorted(SUPPORTS.items()))
    support = stand("support", kind, (0.0, y), yaw_deg=yaw_deg, scale=scale)
    top = support.tops[-1] if item.layout == ON else None
    sides, looks_closer = _one_beside(numbers, kinds, gaps) if beside else _both(numbers, kinds, gaps, top)
    face = sides[0][2].xy[1] - sides[0][2].reach_m
    if not all(Stage(top).holds(side) for side in sides):
        raise Rejected("a thing would stand over the edge")
    # What is before a wide reference leaves no room for more on a top.
    more = _more(numbers, sides, top) if beside else Stage(top).furniture
    if top:
        sides = [tuple(replace(t, z_m=top.z_m) for t in side) for side in sides]
    wanted = ("closer", "farther")[item.turn("wanted", 2)]
    names = tuple(t.words for t in sides[0][:2])
    order = numbers.sample((0, 1), 2)
    height = top.z_m if top else 0.0
    path = from_above((0.0, face - 0.2), EYE_M, ABOVE_M[top is not None])

    def half(closer: int) -> Half:
        gold = closer if wanted == "closer" else 1 - closer
        looks = "neutral" if looks_closer is None else "congruent" if closer == looks_closer else "incongruent"
        seen = tuple(Evidence(kind="seen", step=-1, handle=t.key, low=150) for t in sides[closer])
        return Half((*sides[closer], *more), names[gold], looks, evidence=seen)

    return Pair(
        ask=Ask(what=wanted, things=tuple(f"thing_{i}" for i in order), against="reference"),
        form="choice",
        options=tuple(names[i] for i in order),
        halves=(half(0), half(1)),
        camera_z_m=round(height + EYE_M, 3),
        path=path,
        margin=f"the wider gap is at least {gaps[1] / gaps[0]:.2f} times the narrower one, surface to surface",
        tags={"polarity": TO[wanted]},
        note="What counts is the gap between them, surface to surface.",
    )


Made = tuple[list[tuple[Thing, ...]], int | None]
"""The things of both twins, the one in which the first thing is closer first, and which of them looks closer."""


def _both(numbers: random.Random, kinds: list[str], gaps: tuple[float, float], top: Top | None) -> Made:
    """Both before the reference, side by side to the eye."""
    face = 1.95 if top is None else top.support.xy[1] + top_depth(top) / 2 - 0.36
    pool = WIDE if top is None else SMALL
    category = numbers.choice(sorted(pool))
    size, words = pool[category]
    if top is not None:
        size = (0.52, size[1], size[2])
    reference = thing("reference", category, (0.0, face + size[1] / 2), words=words, size_m=size)
    smaller, apart = numbers.randrange(2), numbers.uniform(0.24, 0.32) * (1.0 if top is None else 0.66)
    grown = numbers.uniform(1.02, 1.12)
    close = []
    for i, kind in enumerate(kinds):
        one = thing(f"thing_{i}", kind, (0.0, 0.0), scale=grown * (0.92 if i == smaller else 1.0))
        y = face - gaps[0] - one.reach_m
        close.append(replace(one, xy=((-1) ** (i + 1) * apart * y / face, y)))
    sides = [tuple(t if i == closer else _farther(t, face, gaps) for i, t in enumerate(close)) for closer in (0, 1)]
    return [(*side, reference) for side in sides], smaller


def _one_beside(numbers: random.Random, kinds: list[str], gaps: tuple[float, float]) -> Made:
    """One thing beside the reference, its gap seen whole; the other before it, nearer or farther than that."""
    category = numbers.choice(sorted(SMALL))
    size, words = SMALL[category]
    face, side = numbers.uniform(1.52, 1.60), numbers.choice((-1, 1))
    middle = -side * numbers.uniform(0.10, 0.16)
    reference = thing("reference", category, (middle, face + size[1] / 2), words=words, size_m=size)
    # The gap of the one beside lies between the two that the other has: narrower than one, wider than the other.
    narrow, between = gaps[0] * 0.96, gaps[1]
    wide = between * between / narrow
    before = numbers.randrange(2)
    beside = thing(f"thing_{1 - before}", kinds[1 - before], (0.0, 0.0))
    x = middle + side * (size[0] / 2 + between + beside.extent_m[0] / 2)
    beside = replace(beside, xy=(x, face + size[1] / 2))
    one = thing(f"thing_{before}", kinds[before], (0.0, 0.0))
    y = face - narrow - one.reach_m
    near = replace(one, xy=(middle * y / face, y))
    far = _farther(near, face, (narrow, wide))
    closer = {before: near, 1 - before: far}
    sides: list[tuple[Thing, ...]] = []
    for first in (0, 1):
        pair = {before: closer[first], 1 - before: beside}
        sides.append((pair[0], pair[1], reference))
    return sides, None


def _farther(one: Thing, face: float, gaps: tuple[float, float]) -> Thing:
    """The thing moved along its line of sight so that its gap to the reference's front is the wider one."""
    return slide(one, (face - gaps[1]) / (face - gaps[0]))


def _more(numbers: random.Random, sides: list[tuple[Thing, ...]], top: Top | None) -> tuple[Thing, ...]:
    """What stands there besides, and hides nothing."""
    return besides(numbers, Stage(top), sides, {t.category for side in sides for t in side})


def top_depth(top: Top) -> float:
    """Extent of a top along the line of sight, metres."""
    return top.width_m if top.support.yaw_deg % 180.0 else top.depth_m


TO = {"closer": "closer to", "farther": "farther from"}


def _words(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    one, other = (names[t] for t in ask.things)
    return {"one": one, "other": other, "to": TO[ask.what], "reference": names[ask.against]}


WAYS = wordings(
    _words,
    "Which object is {to} the {reference}: the {one} or the {other}?",
    "Of the {one} and the {other}, which one is {to} the {reference}?",
    "One of these two is {to} the {reference} than the other: the {one} or the {other}. Which one?",
    "Which one is {to} the {reference}, the {one} or the {other}?",
)


def judge_distance(playing: Playing) -> Answer:
    """The closer or farther one by the gap between the boxes."""
    objects = present(playing)
    gaps = [gap_m(objects[h], objects[playing.ask.against]) for h in playing.ask.things]
    if max(gaps) - min(gaps) < LEAST_M or max(gaps) < LEAST_RATIO * min(gaps):
        return "too alike"
    wanted = {"closer": min, "farther": max}[playing.ask.what](gaps)
    return playing.task.question.options[gaps.index(wanted)]


DISTANCE = Generator(
    "distance",
    "Metric Comparison",
    "Spatial Distance",
    distance,
    "the smaller gap to the reference, surface to surface",
    dict.fromkeys(("closer", "farther"), WAYS),
    cycle=2,
    judge=judge_distance,
    layouts=LAYOUTS,
    version="4",
    tells="The wider gap is 1.6 to 1.95 times the narrower one, more where one stands beside the reference; from above both lie in one "
    "picture, where people tell lengths that differ by 2.9 % (Teghtsoonian 1971, Psychological Review 78, 71–80). That half as much "
    "again is also enough along the line of sight is argued, not measured.",
    beyond="Distances from the eye, ways round obstacles, and gaps that differ by less than a half.",
)
GENERATORS = (DISTANCE,)
