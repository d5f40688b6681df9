"""Own tasks of Metric Comparison: which of two is larger, which of two is closer."""

from __future__ import annotations

import random
from collections.abc import Mapping

from data.generators.framework import Generator, Half, Pair
from data.generators.lab import Playing
from data.generators.layout import Thing, from_above, slide
from data.generators.measuring import gap_m, height_m, present
from data.generators.things import BLOCK, thing
from data.task import Answer, Ask

FLOOR_VIEW_M = 0.05
"""Height of a start view at floor level: what stands farther back hardly stands higher in the picture."""
SIZE_MARGIN = 1.2
"""The larger one is larger by at least this factor."""
GAP_MARGIN_M = 0.2
"""The gaps differ by at least this."""
ABOVE_M = 1.55
"""Height from which two things 0.9 m apart are seen at nearly the same scale."""


def size(numbers: random.Random, number: int) -> Pair:
    """Two things of one kind, the farther one larger by as much as it is farther: both look alike, and only walking tells."""
    ratio = round(numbers.uniform(1.22, 1.30), 3)
    kind = numbers.choice(("vase", "teapot", "plant_pot", "bucket"))
    left_mark, right_mark = numbers.sample(("pillar_candle", "goblet", "bowl"), 2)
    near, far = 1.15, 1.15 * numbers.uniform(1.06, 1.10)  # one side looks a little larger in both twins
    distances = (near, far) if numbers.random() < 0.5 else (far, near)
    sides: list[tuple[Thing, Thing]] = []
    for side, mark, distance in ((-1, left_mark, distances[0]), (1, right_mark, distances[1])):
        name = "left" if side < 0 else "right"
        words = f"{kind.replace('_', ' ')} near the {mark.replace('_', ' ')}"
        scale = 0.30 / max(thing("", kind, (0, 0)).extent_m)
        one = thing(name, kind, (side * 0.34, distance), words=words, scale=scale, yaw_deg=numbers.choice((0.0, 180.0)))
        gap = one.extent_m[0] / 2 + thing("", mark, (0, 0)).extent_m[0] / 2 + 0.03
        sides.append((one, thing(f"{name}_mark", mark, (side * (0.34 + gap), distance))))
    wanted = ("larger", "smaller")[number % 2]
    options = tuple(f"near the {m.words}" for _, m in sides)

    def half(larger: int) -> Half:
        things = tuple(slide(t, ratio) if i == larger else t for i, pair in enumerate(sides) for t in pair)
        gold = larger if wanted == "larger" else 1 - larger
        looks_larger = 0 if distances[0] < distances[1] else 1
        return Half(things, options[gold], "congruent" if larger == looks_larger else "incongruent")

    return Pair(
        ask=Ask(what=wanted, things=("left", "right")),
        form="choice",
        options=options,
        halves=(half(0), half(1)),
        camera_z_m=FLOOR_VIEW_M,
        path=from_above((0.0, 1.3), FLOOR_VIEW_M, ABOVE_M),
        margin=f"{ratio:.2f} times as large",
        tags={"polarity": wanted},
    )


def distance(numbers: random.Random, number: int) -> Pair:
    """Two things before a wide box, one gap wide, one narrow; the gaps run along the line of sight."""
    face, near_gap = 1.95, round(numbers.uniform(0.12, 0.18), 3)
    far_gap = round(near_gap + numbers.uniform(0.24, 0.30), 3)
    kinds = numbers.sample(("goblet", "pillar_candle", "mug", "tennis_ball", "vase"), 2)
    box = thing("box", BLOCK, (0.0, face + 0.15), words="box", size_m=(1.05, 0.30, 0.32))
    factor = (face - far_gap) / (face - near_gap)
    smaller = numbers.randrange(2)  # one side looks a little smaller, as if farther from the viewer and closer to the box
    close = []
    for i, kind in enumerate(kinds):
        one = thing(f"thing_{i}", kind, (0.0, 0.0), scale=1.12 * (0.92 if i == smaller else 1.0))
        y = face - near_gap - one.reach_m
        close.append(Thing(**{**one.__dict__, "xy": ((-1) ** (i + 1) * 0.32 * y / face, y)}))
    wanted = ("closer", "farther")[number % 2]
    names = tuple(t.words for t in close)

    def half(closer: int) -> Half:
        things = (box, *(t if i == closer else slide(t, factor) for i, t in enumerate(close)))
        gold = closer if wanted == "closer" else 1 - closer
        return Half(things, names[gold], "congruent" if closer == smaller else "incongruent")

    return Pair(
        ask=Ask(what=wanted, things=("thing_0", "thing_1"), against="box"),
        form="choice",
        options=names,
        halves=(half(0), half(1)),
        camera_z_m=FLOOR_VIEW_M,
        path=from_above((0.0, 1.5), FLOOR_VIEW_M, ABOVE_M),
        margin=f"{far_gap - near_gap:.2f} m between the gaps",
        tags={"polarity": TO[wanted]},
    )


TO = {"closer": "closer to", "farther": "farther from"}


def _which_distance(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    one, other = ask.things
    return f"Which object is {TO[ask.what]} the {names[ask.against]}: the {names[one]} or the {names[other]}?"


def _which_size(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    kind = names[ask.things[0]].partition(" near the ")[0]
    return f"Which {kind} is {ask.what}: the one {options[0]}, or the one {options[1]}?"


def judge_size(playing: Playing) -> Answer:
    """The larger or smaller of the two by the height of their boxes."""
    objects = present(playing)
    heights = [height_m(objects[h]) for h in playing.ask.things]
    if max(heights) / min(heights) < SIZE_MARGIN:
        return "too alike"
    wanted = {"larger": max, "smaller": min}[playing.ask.what](heights)
    return playing.task.question.options[heights.index(wanted)]


def judge_distance(playing: Playing) -> Answer:
    """The closer or farther one by the gap between the boxes."""
    objects = present(playing)
    gaps = [gap_m(objects[h], objects[playing.ask.against]) for h in playing.ask.things]
    if max(gaps) - min(gaps) < GAP_MARGIN_M:
        return "too alike"
    wanted = {"closer": min, "farther": max}[playing.ask.what](gaps)
    return playing.task.question.options[gaps.index(wanted)]


SIZE = Generator(
    "size", "Metric Comparison", "Dimensional Size", size, "the larger of two models of one kind, by their scale",
    dict.fromkeys(("larger", "smaller"), _which_size), judge=judge_size,
)  # fmt: skip
DISTANCE = Generator(
    "distance", "Metric Comparison", "Spatial Distance", distance, "the smaller gap to the box's front face",
    dict.fromkeys(("closer", "farther"), _which_distance), judge=judge_distance,
)  # fmt: skip
GENERATORS = (SIZE, DISTANCE)
