"""Own tasks of Enumerative Perception: counting what boxes hide from the start."""

from __future__ import annotations

import random

from data.generators.framework import Generator, Half, Pair, Thing, from_above
from data.generators.things import BLOCK, SIZES_M, thing

EYE_M = 0.30
ABOVE_M = 2.05
PLURALS = {"tennis_ball": "tennis balls", "mug": "mugs", "bowl": "bowls", "goblet": "goblets"}


def hidden(numbers: random.Random, number: int) -> Pair:
    """Four boxes; behind some of them one thing each, invisible from the start. The twin hides one more: both first views are equal."""
    kind = numbers.choice(sorted(PLURALS))
    few = (1, 3)[number % 2]  # golds 1, 2, 3, 4 equally often
    boxes, things = [], []
    for i, x in enumerate((-0.78, -0.26, 0.26, 0.78)):
        y = numbers.uniform(1.35, 1.65)
        size = (0.32, 0.20, 0.36)
        boxes.append(Thing(f"box_{i}", BLOCK, (x, y), size, essential=False))
        behind = (y + size[1] / 2 + SIZES_M[kind][1] / 2 + numbers.uniform(0.06, 0.12)) / y
        things.append(thing(f"thing_{i}", kind, (x * behind, y * behind), words=""))
    order = numbers.sample(range(4), 4)

    def half(count: int) -> Half:
        return Half((*boxes, *(things[i] for i in sorted(order[:count]))), str(count), "neutral")

    return Pair(
        question=f"How many {PLURALS[kind]} are in this room?",
        form="count",
        options=("1", "2", "3", "4"),
        halves=(half(few), half(few + 1)),
        camera_z_m=EYE_M,
        path=from_above((0.0, 1.5), EYE_M, ABOVE_M),
        margin="each one wholly hidden from the start, wholly visible from above",
    )


COUNTING = Generator("counting", "Enumerative Perception", "Counting w Occlusion", hidden, "the number of things placed")
