"""Own tasks of Dimensional Size: which of two things of one kind is larger."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, slide
from data.generators.measuring import height_m, middle, present
from data.generators.stages import AMONG, TABLE, besides, large_table
from data.generators.things import several, thing
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS, MOVE_STEP_M

FLOOR_VIEW_M = 0.03
"""Height of a start view at floor level: what stands farther back hardly stands higher in the picture."""
SIZE_MARGIN = 1.2
"""The larger one is larger by at least this factor."""
CLEAR_PIXELS = 2000
"""Each of two that are compared is seen at least that large (of 640 × 480)."""

BESIDE_M = (0.30, 0.82)
"""Where the other one is when one of two is set down: to the side of the camera (the right, or the left where its mark stands on its
left) and ahead of it, so that a place beside it is free."""
SIDE_BY_SIDE_M = 0.75
"""Middles of things that stand side by side."""
COMPARED = ("bucket", "jug", "plant_pot", "teapot", "trophy", "vase")
"""None so small that the larger one would be no such thing any more: at most 1.7 times its natural size (a test measures it)."""
COMPARED_ON_TABLE = tuple(kind for kind in COMPARED if kind not in ("teapot", "vase"))
"""On a table things are small; of these the smaller one is still seen large enough from above (the others have a third less to see)."""
MARKS = ("apple", "bowl", "can", "pillar_candle", "tennis_ball")
ON_FLOOR_M, ON_TABLE_M = 0.30, 0.20
"""Longest edge of the smaller one, on the floor and on a table."""
OUTSIDE, INSIDE = "marks outside", "marks inside"
LAYOUTS: dict[str, tuple[float, int]] = {OUTSIDE: (0.34, 1), INSIDE: (0.50, -1), AMONG: (0.34, 1), TABLE: (0.24, 1)}
"""Layout → distance of each thing from the middle, and on which side of it its mark stands: 1 outside, −1 inside."""


def size(numbers: random.Random, item: Item) -> Pair:
    """Two things of one kind, the farther one larger by as much as it is farther: both look alike at first. Walking round tells, and
    carrying one to the other."""
    off, outside = LAYOUTS[item.layout]
    ratio = round(numbers.uniform(1.22, 1.30), 3)
    kind = item.dealt("kind", COMPARED_ON_TABLE if item.layout == TABLE else COMPARED)
    left_mark, right_mark = numbers.sample(MARKS, 2)
    on = large_table(numbers, item.layout)
    near = 1.06 if on.furniture else 1.15
    far = near * numbers.uniform(1.06, 1.10)  # one side looks a little larger in both twins
    distances = (near, far) if numbers.random() < 0.5 else (far, near)
    sides: list[tuple[Thing, Thing]] = []
    shrunk = 0.7 if on.furniture else 1.0
    for side, mark, distance in ((-1, left_mark, distances[0]), (1, right_mark, distances[1])):
        name = "left" if side < 0 else "right"
        words = f"{kind.replace('_', ' ')} near the {mark.replace('_', ' ')}"
        scale = (ON_TABLE_M if on.furniture else ON_FLOOR_M) / max(thing("", kind, (0, 0)).extent_m)
        one = thing(name, kind, (side * off, distance), words=words, scale=scale, yaw_deg=numbers.choice((0.0, 180.0)))
        marking = thing(f"{name}_mark", mark, (0, 0), scale=shrunk)
        gap = one.extent_m[0] / 2 + marking.extent_m[0] / 2 + 0.03
        sides.append((one, replace(marking, xy=(side * (off + outside * gap), distance))))
    wanted = ("larger", "smaller")[item.turn("wanted", 2)]
    options = tuple(f"near the {m.words}" for _, m in sides)
    twins = [tuple(slide(t, ratio) if i == larger else t for i, pair in enumerate(sides) for t in pair) for larger in (0, 1)]
    if not all(on.holds(things) for things in twins):
        raise Rejected("a thing would stand over the edge")
    more = besides(numbers, on, twins, [kind, *MARKS]) if item.layout in (AMONG, TABLE) else ()

    def half(larger: int) -> Half:
        gold = larger if wanted == "larger" else 1 - larger
        looks_larger = 0 if distances[0] < distances[1] else 1
        path = _beside() if on.furniture else _brought(next(t.xy for t in twins[larger] if t.key == "right"), outside)
        evidence = (
            *(Evidence(kind="done", step=n) for n, a in enumerate(path, 1) if "(" in a),
            *(Evidence(kind="seen", step=n, handle=t.key, low=CLEAR_PIXELS) for n in (0, -1) for t, _ in sides),
        )
        looks = "congruent" if larger == looks_larger else "incongruent"
        return Half((*on.lifted(twins[larger]), *more), options[gold], looks, path=path, evidence=evidence)

    hands = ("pick_up", "put", "put_back") if on.furniture else ("pick_up", "put_on_floor", "put_back")
    return Pair(
        ask=Ask(what=wanted, things=("left", "right")),
        form="choice",
        options=options,
        halves=(half(0), half(1)),
        camera_z_m=round(on.height_m + FLOOR_VIEW_M, 3),
        path=(),
        actions=(*CAMERA_ACTIONS, *hands),
        margin=f"{ratio:.2f} times as large",
        tags={"polarity": wanted},
        note="Near is meant as things stand at the start.",
    )


def _brought(right: tuple[float, float], outside: int) -> tuple[str, ...]:
    """The left one is carried to the right one, and both are seen side by side from above."""
    aside = max(1, round((right[0] - outside * BESIDE_M[0]) / MOVE_STEP_M))
    ahead = max(1, round((right[1] - BESIDE_M[1]) / MOVE_STEP_M))
    return (
        *("move_up",) * 3, *("move_forward",) * 2, *("turn_down",) * 2, "pick_up({left})", *("move_forward",) * (ahead - 2),
        *("move_right",) * aside, "put_on_floor({left})", "move_up", "turn_down",
    )  # fmt: skip


def _beside() -> tuple[str, ...]:
    """The left one is set down on the table beside the right one, as near the middle as there is room."""
    return (*("move_up",) * 2, "turn_down", "pick_up({left})", "put({left}, on, {table})", "move_up", "move_forward", "turn_down")


def _two(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    kind = names[ask.things[0]].partition(" near the ")[0]
    return {"kind": kind, "kinds": several(kind), "what": ask.what, "one": options[0], "other": options[1]}


SIZES = wordings(
    _two,
    "Which {kind} is {what}: the one {one}, or the one {other}?",
    "Of the two {kinds}, which is the {what} one: the one {one}, or the one {other}?",
    "One of the two {kinds} is {what} than the other. Is it the one {one}, or the one {other}?",
)


def judge_size(playing: Playing) -> Answer:
    """The larger or smaller of the two by the height of their boxes, once they stand side by side."""
    objects = present(playing)
    heights = [height_m(objects[h]) for h in playing.ask.things]
    if max(heights) / min(heights) < SIZE_MARGIN:
        return "too alike"
    apart = math.dist(*(middle(playing.object(h)) for h in playing.ask.things))
    if "pick_up" in playing.task.actions and apart > SIDE_BY_SIDE_M:  # version 3 offered no hand
        return "they are not put side by side"
    wanted = {"larger": max, "smaller": min}[playing.ask.what](heights)
    return playing.task.question.options[heights.index(wanted)]


SIZE = Generator(
    "size", "Metric Comparison", "Dimensional Size", size, "the larger of two models of one kind, by their scale",
    dict.fromkeys(("larger", "smaller"), SIZES), judge=judge_size, layouts=tuple(LAYOUTS), version="7",
    tells="The larger one is 1.22 to 1.30 times as large, as in the published task (1.2 to 1.3). Side by side on the floor, or from "
    "above, that is a fifth of a height of 0.3 m; at first both look alike, since the larger one stands farther off by as much.",
    beyond="Sizes along one direction alone: both are the same model at two scales. Volume, and things of different kinds.",
)  # fmt: skip
GENERATORS = (SIZE,)
