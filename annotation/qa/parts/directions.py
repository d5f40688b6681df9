"""Ordered direction sequences: the words of a motion in the camera-bound frame, written and read.

Two plans count as the same when they name the same directions in the same order, whatever else their words say.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from annotation.qa.parts.likeness import grow

Direction = Literal["right", "left", "forward", "backward", "upward", "downward"]
DIRECTIONS: tuple[Direction, ...] = ("right", "left", "forward", "backward", "upward", "downward")
"""+x, −x, +y, −y, +z, −z."""
OPPOSITE: dict[str, str] = {"right": "left", "left": "right", "forward": "backward", "backward": "forward"} | {
    "upward": "downward",
    "downward": "upward",
}

_STEMS: tuple[tuple[str, Direction], ...] = (
    ("up", "upward"),
    ("down", "downward"),
    ("forward", "forward"),
    ("back", "backward"),
    ("left", "left"),
    ("right", "right"),
)
_THING = r"(?:gripper|grippers|arm|arms|hand|hands|side|view|image|camera|finger|fingers|robot|end[- ]effector|one)"
_WORD = re.compile(
    r"\b(?:up(?:ward|wards)?|down(?:ward|wards)?|forwards?|back(?:ward|wards)?|(?:left|right)(?:ward|wards)?)\b", re.IGNORECASE
)
_NO_DIRECTION = re.compile(
    # "the left gripper", "pick it up", "put it back", "set down": not a motion of the frame
    r"\b(?:left|right)(?:[- ]hand)?[- ]" + _THING + r"\b"
    r"|\bpick(?:s|ed|ing)?(?:\s+(?:it|them|the\s+\w+(?:\s+\w+)?))?\s+up\b"
    r"|\b(?:put|set|place)(?:s|ting)?(?:\s+(?:it|them|the\s+\w+(?:\s+\w+)?))?\s+(?:down|back)\b",
    re.IGNORECASE,
)


def read(text: str) -> tuple[Direction, ...]:
    """The directions that a text names, in order.

    Example:
        >>> read("Left gripper: move forward and to the right, then down; pick it up.")
        ('forward', 'right', 'downward')
    """
    return tuple(
        next(direction for stem, direction in _STEMS if word.lower().startswith(stem))
        for word in _WORD.findall(_NO_DIRECTION.sub(" ", text))
    )


def write(steps: Sequence[Direction], before: str = "Move", after: str = "") -> str:
    """A motion in words.

    Example:
        >>> write(["forward", "downward"], "Move the left gripper", "then close it")
        'Move the left gripper forward, downward, then close it.'
    """
    return ", ".join([f"{before} {steps[0]}", *steps[1:], *([after] if after else [])]) + "."


def sequences(rng: random.Random, length: int, count: int = 5) -> list[tuple[Direction, ...]]:
    """Distinct sequences of `length` directions, in which nothing is undone at once. They grow from each other by small changes (one
    direction replaced, two exchanged) in such a way that the first is not the one that resembles all others (`likeness`)."""
    first = _walk(rng, length)
    return [first, *(steps for steps, _ in grow(first, count - 1, rng, lambda steps: _vary(steps, rng), _moves))]


def _walk(rng: random.Random, length: int) -> tuple[Direction, ...]:
    steps: list[Direction] = []
    while len(steps) < length:
        step = rng.choice(DIRECTIONS)
        if not steps or (step != steps[-1] and step != OPPOSITE[steps[-1]]):
            steps.append(step)
    return tuple(steps)


def _vary(steps: tuple[Direction, ...], rng: random.Random) -> tuple[Direction, ...]:
    changed = list(steps)
    k = rng.randrange(len(changed))
    if len(changed) > 1 and rng.random() < 0.4:
        j = k - 1 if k else 1
        changed[j], changed[k] = changed[k], changed[j]
    else:
        changed[k] = rng.choice(DIRECTIONS)
    return tuple(changed)


def _moves(steps: Sequence[str]) -> bool:
    return all(b not in (a, OPPOSITE[a]) for a, b in pairwise(steps))
