"""Means of numbers (steps, squared errors, shares of a trajectory) over people crossed with tasks, and the two-way bootstrap.

`mean` has the two-way cluster-robust interval (`study.measures.intervals`). What has no linear form has the two-way bootstrap: participants
and tasks are drawn with replacement and an answer weighs as often as both were drawn. It counts the residual variance about three times, so
it is conservative (McCullagh 2000, Bernoulli 6, 285–301; Owen 2007, Annals of Applied Statistics 1, 386–411), and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from study.measures.accuracy import ANYWHERE, NO_ANSWER, RANDOM, numbered
from study.measures.intervals import Floats, accuracy
from study.measures.record import Measure

RESAMPLES = 2000
MOST_UNDEFINED = 0.05
"""Share of draws that may leave a figure undefined; with more there is no interval."""
BOOTSTRAP = "two-way bootstrap of participants and tasks (conservative)"
_CELLS = 8_000_000
"""Weights that are held at once."""


def mean(
    values: Sequence[float] | Floats,
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    what: str = "mean",
    *,
    within: tuple[float, float] = ANYWHERE,
) -> Measure:
    """The mean of numbers of people crossed with tasks, on tasks like these.

    Args:
        values: one for each answer or trajectory.
        person: who gave it.
        task: at which task.
        what: what is averaged, in words.
        within: where such a number can lie; the interval ends there.
    """
    if not len(values):
        return Measure(None, 0, what, reason=NO_ANSWER)
    found = accuracy(values, person, task)
    low, high = found.interval or within
    kept = None if found.interval is None else (max(low, within[0]), min(high, within[1]))
    return replace(found, method=f"{what}; {RANDOM}", interval=kept)


def weights(person: Sequence[Hashable], task: Sequence[Hashable], *, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Floats]:
    """How often each answer was drawn, in blocks of shape (some resamples, answers)."""
    who, what = numbered(person), numbered(task)
    people, tasks = int(who.max()) + 1, int(what.max()) + 1
    draw, left = np.random.default_rng(seed), resamples
    while left:
        now = max(1, min(left, _CELLS // len(who)))
        by_person = draw.multinomial(people, np.full(people, 1 / people), size=now)
        by_task = draw.multinomial(tasks, np.full(tasks, 1 / tasks), size=now)
        yield (by_person[:, who] * by_task[:, what]).astype(np.float64)
        left -= now


def bootstrapped(
    value: float,
    method: str,
    figure: Callable[[Floats], Floats],
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Measure:
    """A figure with the percentile interval of the two-way bootstrap.

    Args:
        value: as it is.
        method: how it was computed, in words.
        figure: weights of shape (some resamples, answers) → the figure of each, shape (some resamples,); NaN: undefined.
        person: who gave each answer.
        task: at which task.
        resamples: how many draws.
        seed: of the draws.
    """
    n = len(person)
    if len(set(person)) < 2 or len(set(task)) < 2:
        return Measure(value, n, method, reason="an interval needs two participants and two tasks")
    drawn = np.concatenate([figure(block) for block in weights(person, task, resamples=resamples, seed=seed)])
    undefined = float(np.isnan(drawn).mean())
    if undefined > MOST_UNDEFINED:
        return Measure(value, n, method, reason=f"{undefined:.0%} of the draws leave it undefined, so there is no interval")
    low, high = np.nanpercentile(drawn, (2.5, 97.5))
    return Measure(value, n, f"{method}; {BOOTSTRAP}, {resamples} draws, seed {seed}", (float(low), float(high)))
