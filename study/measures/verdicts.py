"""One verdict per task: what the majority of its people answered. The published human columns look like it, not like a mean of answers.

A task is right where more than half of its answers are right. A tie, and no answer that more than half of the people gave, are no
verdict: not correct, and counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from study.measures.accuracy import NO_ANSWER, numbered
from study.measures.record import Measure

RESAMPLES = 2000
METHOD = "share of tasks whose majority is right"
BOOTSTRAP = "two-way bootstrap of participants and tasks (conservative)"


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of some tasks."""

    share: Measure
    """Of tasks whose verdict is right; `n` counts tasks."""
    right: int
    wrong: int
    """Tasks of which more than half of the people gave the same wrong answer."""
    undecided: int
    """Tasks with a tie or without a majority: not correct."""


def verdicts(
    right: Sequence[bool], person: Sequence[Hashable], task: Sequence[Hashable], answer: Sequence[Hashable], *, seed: int = 0
) -> Verdicts:
    """One verdict for each task.

    Args:
        right: for each answer.
        person: who gave it.
        task: at which task.
        answer: what it was; right ones are one answer, however they were worded.
        seed: of the resampling.
    """
    if not len(right):
        return Verdicts(Measure(None, 0, METHOD, reason=NO_ANSWER), 0, 0, 0)
    of: dict[Hashable, Counter[tuple[bool, Hashable]]] = defaultdict(Counter)
    for is_right, what, said in zip(right, task, answer, strict=True):
        of[what][(True, None) if is_right else (False, said)] += 1
    won = sum(2 * found[(True, None)] > found.total() for found in of.values())
    lost = sum(2 * max((n for (good, _), n in found.items() if not good), default=0) > found.total() for found in of.values())
    value, tasks = won / len(of), len(of)
    method, interval, reason = METHOD, None, ""
    if tasks < 2 or len(set(person)) < 2:
        reason = "an interval needs two participants and two tasks"
    elif value in (0.0, 1.0):
        reason = "all verdicts are alike, so nothing tells how they would vary"
    else:
        interval = _interval(right, person, task, seed)
        method = f"{METHOD}; {BOOTSTRAP}, {RESAMPLES} draws, seed {seed}"
    return Verdicts(Measure(value, tasks, method, interval, reason), won, lost, tasks - won - lost)


def _interval(right: Sequence[bool], person: Sequence[Hashable], task: Sequence[Hashable], seed: int) -> tuple[float, float]:
    who, what = numbered(person), numbered(task)
    people, tasks = int(who.max()) + 1, int(what.max()) + 1
    good, given = np.zeros((people, tasks)), np.zeros((people, tasks))
    np.add.at(good, (who, what), np.asarray(right, dtype=np.float64))
    np.add.at(given, (who, what), 1.0)
    draw = np.random.default_rng(seed)
    by_person = draw.multinomial(people, np.full(people, 1 / people), size=RESAMPLES).astype(np.float64)
    by_task = draw.multinomial(tasks, np.full(tasks, 1 / tasks), size=RESAMPLES).astype(np.float64)
    answers = by_person @ given
    # a task that none of the drawn people answered has no verdict in that draw
    by_task *= answers > 0
    held = 2 * (by_person @ good) > answers
    total = by_task.sum(axis=1)
    low, high = np.percentile((by_task * held).sum(axis=1)[total > 0] / total[total > 0], (2.5, 97.5))
    return float(low), float(high)
