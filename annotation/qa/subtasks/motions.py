"""What Action Planning and Step Execution share: options are ordered sequences of direction words."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np

from annotation.qa.errors import Problem
from annotation.qa.items import Item
from annotation.qa.parts import directions
from annotation.qa.parts.directions import Direction
from annotation.qa.scenes import geometry
from annotation.qa.scenes.geometry import Array
from annotation.qa.scenes.motion import Motion, directions_of, motion
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import Subtask, is_none
from annotation.qa.subtasks.making import begun, finish, references

DISTRACTORS = {
    "reversed": "A direction turned round.",
    "reordered": "The right steps in a wrong order.",
    "collision": "Leads into something.",
    "misses": "Ends beside the goal.",
    "wrong_arm": "The other arm.",
    "by_hand": "Another wrong motion.",
}
TWO_ARMS = ("wrong_arm",)
"""Of these, what only a robot with two arms can have."""


def check(item: Item, fewest: int) -> list[Problem]:
    """Every option names directions, no two the same in the same order."""
    problems = []
    sequences = {letter: directions.read(text) for letter, text in item.options.items() if text.strip() and not is_none(text)}
    for letter, steps in sequences.items():
        if len(steps) < fewest:
            named = f"{len(steps) or 'no'} direction{'' if len(steps) == 1 else 's'}"
            words = f"Option {letter} names {named}, it needs {fewest} or more (right, left, forward, backward, upward, downward)."
            problems.append(Problem(f"options.{letter}", words))
    for a, b in combinations(sorted(sequences), 2):
        if sequences[a] and sequences[a] == sequences[b]:
            problems.append(
                Problem(
                    f"options.{b}", f"Options {a} and {b} go the same way ({', '.join(sequences[a])}): no two may share their directions."
                )
            )
    return problems


# generated from poses


def make(
    subtask: Subtask, sight: Sight, rng: random.Random, *, events: int, fewest: int, most: int, task: Callable[[Sight, Motion], str]
) -> Item | None:  # fmt: skip
    """The way that a gripper really takes, and four that lead elsewhere.

    Args:
        subtask: whose item it is.
        sight: what is seen of the moment.
        rng: the draw.
        events: the way leads up to so many of the gripper's next deeds.
        fewest: directions that it has at least,
        most: and at most.
        task: what the question says of a motion; empty: nothing can be said.

    Returns:
        The item; None where the moment does not allow one.
    """
    moving, view = motion(sight, events), references(sight, rng)[0]
    camera, truth = sight.scene.cameras.get(view), sight.scene.truth
    axes = geometry.bound_frame(camera, truth.up) if camera is not None and truth is not None else None
    if moving is None or axes is None:
        return None
    parts = [directions_of(stretch.path, axes) for stretch in moving.stretches]
    right = tuple(step for part in parts for step in part)
    if not all(parts) or not fewest <= len(right) <= most:
        return None
    wrong = _other_ways(right, rng)
    said = task(sight, moving)
    if wrong is None or not said:
        return None
    item = begun(sight, subtask, rng, view).change(slots={"task": said})
    hand = "the gripper" if item.arm == "single" else f"the {moving.hand} gripper"
    cuts = [0, *(int(n) for n in np.cumsum([len(part) for part in parts]))]
    deeds = [stretch.deed for stretch in moving.stretches]
    ways = [right, *(steps for steps, _ in wrong)]
    texts = [_in_words(hand, [way[a:b] for a, b in pairwise(cuts)], deeds) for way in ways]
    item = finish(item, rng, texts, [kind for _, kind in wrong])
    return item.change(question=subtask.question(item))


def _in_words(hand: str, parts: Sequence[Sequence[Direction]], deeds: Sequence[str]) -> str:
    """A motion as an option says it."""
    words = []
    for n, (steps, deed) in enumerate(zip(parts, deeds, strict=True)):
        words.append((f"move {hand} " if n == 0 else "then move it ") + ", ".join(steps))
        words += [deed if n < len(parts) - 1 else f"then {deed}"] if deed else []
    text = ", ".join(words)
    return text[:1].upper() + text[1:] + "."


def _other_ways(right: tuple[Direction, ...], rng: random.Random) -> list[tuple[tuple[Direction, ...], str]] | None:
    """Four other sequences, each of which leads elsewhere: not only the same directions in another order."""
    found: dict[tuple[Direction, ...], str] = {}
    sums = [net(right)]
    for _ in range(200):
        # made from each other as well as from the right one, so that the right one is not in the middle
        steps = list(rng.choice([right, *found]))
        k = rng.randrange(len(steps))
        turned = rng.random() < 0.5
        opposite = next(d for d in directions.DIRECTIONS if d == directions.OPPOSITE[steps[k]])
        steps[k] = opposite if turned else rng.choice([d for d in directions.DIRECTIONS if d != steps[k]])
        way = tuple(steps)
        if any(a == b for a, b in pairwise(way)) or way == right or way in found:
            continue
        if any(np.abs(net(way) - other).sum() < 2 for other in sums):
            continue
        found[way] = "reversed" if turned else "misses"
        sums.append(net(way))
        if len(found) == 4:
            return list(found.items())
    return None


def net(steps: Sequence[str]) -> Array:
    """Where unit steps lead together: (3,)."""
    total = np.zeros(3)
    for step in steps:
        k = directions.DIRECTIONS.index(step)
        total[k // 2] += -1 if k % 2 else 1
    return total
