"""Own tasks of Enumerative Perception: counting what boxes hide from the start."""

from __future__ import annotations

import random

from data.generators.framework import Generator, Half, Pair
from data.generators.layout import Thing, from_above
from data.generators.things import BLOCK, thing

EYE_M = 0.30
ABOVE_M = 2.05
PLURALS = {"tennis_ball": "tennis balls", "mug": "mugs", "bowl": "bowls", "goblet": "goblets"}


def hidden(numbers: random.Random, number: int) -> Pair:
    """Four boxes with one thing behind each, invisible from the start: some are of the kind asked for, the others of another kind.
    In the twin one more is of the kind asked for, so that both first views are the same picture."""
    kind, other = numbers.sample(sorted(PLURALS), 2)
    few = (1, 3)[number % 2]  # golds 1, 2, 3, 4 equally often
    boxes, spots = [], []
    for i, x in enumerate((-0.78, -0.26, 0.26, 0.78)):
        y, depth = numbers.uniform(1.35, 1.65), 0.20
        boxes.append(Thing(f"box_{i}", BLOCK, (x, y), (0.32, depth, 0.36), essential=False))
        behind = (y + depth / 2 + numbers.uniform(0.16, 0.22)) / y
        spots.append((x * behind, y * behind))
    order = numbers.sample(range(4), 4)

    def half(count: int) -> Half:
        asked = set(order[:count])
        things = (thing(f"thing_{i}", kind if i in asked else other, xy, words="") for i, xy in enumerate(spots))
        return Half((*boxes, *things), str(count), "neutral")

    return Pair(
        question=f"How many {PLURALS[kind]} are in this room?",
        form="count",
        options=("1", "2", "3", "4"),
        halves=(half(few), half(few + 1)),
        camera_z_m=EYE_M,
        path=from_above((0.0, 1.5), EYE_M, ABOVE_M),
        margin="each one wholly hidden from the start, wholly visible from above",
    )


COUNTING = Generator("counting", "Enumerative Perception", "Counting w Occlusion", hidden, "the number of things of the kind asked for")
GENERATORS = (COUNTING,)
