"""Accuracy with the interval that fits the question: of people like these on tasks like these, or on exactly these tasks.

``random`` tasks (the default for claims about a category): the two-way cluster-robust interval of `study.measures.intervals`. ``fixed``
tasks (a benchmark's score): participants are the clusters, t with P − 1 degrees of freedom, which for a balanced table is the t interval
on participants' means (Student 1908, Biometrika 6, 1–25) and the CR2 interval (Bell & McCaffrey 2002, Survey Methodology 28, 169–181).
Where the share lies near 0 or 1, or the interval would pass them, it is built on the logit scale, so that it stays within the bounds. With
one participant or one task, whose answers are independent, it is Wilson's.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import scipy

from study.measures.intervals import (
    LEVEL,
    TWO_WAY,
    Floats,
    Whole,
    around,
    differences,
    one_way_variance,
    quantile,
    two_way_variance,
    wilson,
)
from study.measures.record import Measure

Tasks = Literal["random", "fixed"]
"""Of which tasks an interval speaks."""
NEAR = 0.85
"""A share so high, or so far from 1 so low, has its interval on the logit scale."""
RANDOM = f"tasks like these (random): {TWO_WAY}"
FIXED = "exactly these tasks (fixed): clusters of participants, t quantile of participants − 1"
LOGIT = "; on the logit scale"
ONE_PERSON = "one participant, who speaks for nobody else: Wilson"
ONE_TASK = "one task, which speaks for no other: Wilson"
SHARES, GAPS = (0.0, 1.0), (-1.0, 1.0)
"""Where a share, and a difference of two, can lie."""
ANYWHERE = (-math.inf, math.inf)
_METHODS = {"random": RANDOM, "fixed": FIXED}
NO_ANSWER = "there is no answer"


def share(right: Sequence[float] | Floats, person: Sequence[Any], task: Sequence[Any], *, tasks: Tasks = "random") -> Measure:
    """The share of right answers of people crossed with tasks.

    Args:
        right: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        tasks: of which tasks the interval speaks.

    Returns:
        The share; without an interval where all answers are alike: then the reason says what can be said.
    """
    y = np.asarray(right, dtype=np.float64)
    method = _METHODS[tasks]
    if not len(y):
        return Measure(None, 0, method, reason=NO_ANSWER)
    value, who, what = float(y.mean()), numbered(person), numbered(task)
    people, many = int(who.max()) + 1, int(what.max()) + 1
    if people == 1 or (many == 1 and tasks == "random"):
        found = wilson(int(y.sum()), len(y))
        return Measure(found.value, found.n, ONE_PERSON if people == 1 else ONE_TASK, found.interval)
    if value in (0.0, 1.0):
        word, other = ("right", "err") if value else ("wrong", "be right")
        most = 1 - 0.05 ** (1 / people)
        reason = f"all {len(y)} answers are {word}: with 95 % certainty at most {most:.0%} of such participants would {other}"
        return Measure(value, len(y), method, reason=reason)
    errors = ((y - value) / len(y))[None, :]
    if tasks == "random":
        variance, limit = float(two_way_variance(errors, who, what)[0]), quantile(who, what)
    else:
        variance, limit = float(one_way_variance(errors, who)[0]), float(scipy.stats.t.ppf(0.5 + LEVEL / 2, people - 1))
    return _between(value, len(y), method, limit * variance**0.5)


def _between(value: float, n: int, method: str, half: float) -> Measure:
    if half <= 0:
        return Measure(
            value, n, method, reason="all participants have the same share of right answers, so nothing tells how they would vary"
        )
    if 1 - NEAR < value < NEAR and value - half >= 0 and value + half <= 1:
        return Measure(value, n, method, (value - half, value + half))
    at, width = np.log(value / (1 - value)), half / (value * (1 - value))
    low, high = (float(1 / (1 + np.exp(-x))) for x in (at - width, at + width))
    return Measure(value, n, method + LOGIT, (low, high))


def gap(
    right: Sequence[float] | Floats,
    person: Sequence[Any],
    task: Sequence[Any],
    arm: Sequence[int] | Whole,
    *,
    tasks: Tasks = "random",
    within: tuple[float, float] = GAPS,
) -> Measure:
    """The accuracy of arm 1 less that of arm 0.

    Args:
        right: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        arm: 0 or 1: in which of the two.
        tasks: of which tasks the interval speaks.
        within: where such a difference can lie; of other numbers than right and wrong it can lie elsewhere.
    """
    y, arms, method = np.asarray(right, dtype=np.float64), np.asarray(arm, dtype=np.int64), _METHODS[tasks]
    if not (arms == 0).any() or not (arms == 1).any():
        return Measure(None, len(y), method, reason="one of the two has no answer")
    who, what = numbered(person), numbered(task)
    values, errors = differences(y[None, :], arms)
    value, people, many = float(values[0]), int(who.max()) + 1, int(what.max()) + 1
    if people < 2 or (many < 2 and tasks == "random"):
        return Measure(value, len(y), method, reason="an interval needs two participants and two tasks")
    if tasks == "random":
        variance, limit = float(two_way_variance(errors, who, what)[0]), quantile(who, what)
    else:
        variance, limit = float(one_way_variance(errors, who)[0]), float(scipy.stats.t.ppf(0.5 + LEVEL / 2, people - 1))
    if variance <= 0:
        return Measure(value, len(y), method, reason="all answers are alike, so nothing tells how they would vary")
    return Measure(value, len(y), method, around(value, limit * variance**0.5, within))


def mean_of_people(
    values: Sequence[float] | Floats, method: str = FIXED, *, n: int | None = None, within: tuple[float, float] = ANYWHERE
) -> Measure:
    """The mean of one value per participant with its t interval.

    Args:
        values: one for each participant.
        method: how each was computed, in words.
        n: answers that they are of; None: as many as there are values.
        within: where such a value can lie.
    """
    each = np.asarray(values, dtype=np.float64)
    count = len(each) if n is None else n
    if not len(each):
        return Measure(None, count, method, reason="there is no participant of whom it can be said")
    value = float(each.mean())
    if len(each) < 2:
        return Measure(value, count, method, reason="an interval needs two participants")
    half = float(scipy.stats.t.ppf(0.5 + LEVEL / 2, len(each) - 1) * each.std(ddof=1) / len(each) ** 0.5)
    if half <= 0:
        return Measure(value, count, method, reason="all participants are alike, so nothing tells how they would vary")
    return Measure(value, count, method, around(value, half, within))


def numbered(names: Sequence[Hashable]) -> Whole:
    """Numbers from 0 in place of names, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.asarray([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
