"""Power by simulation: how often a gap of a stated size between two paradigms would be found with the answers that a study plans.

Model: logit P(right) = intercept of the paradigm + person + task + (person + task)·[second paradigm], all normal. The intercepts are solved
so that the *population* accuracies are as stated (Gauss–Hermite quadrature and `brentq`). Each drawn set is tested with the interval that a
report uses (`study.measures.intervals`): two-way cluster-robust, t, 5 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from study.measures.intervals import Floats, Whole, differences, quantile, two_way_variance, wilson

SETS = 600
"""Drawn sets for each gap; fewer than 500 say too little."""
GAPS = (0.0, 0.05, 0.1, 0.15, 0.2)
ENOUGH = 0.8
"""Power that is aimed at."""
_CELLS = 4_000_000
"""Answers that are drawn at a time."""


@dataclass(frozen=True)
class Spread:
    """How much people and tasks differ: standard deviations, logits."""

    person: float = 0.7
    person_paradigm: float = 0.3
    """Of a person's gain by the second paradigm."""
    task: float = 1.0
    task_paradigm: float = 0.5


@dataclass(frozen=True)
class Point:
    """How often a gap is found."""

    gap: float
    """Difference of the population accuracies."""
    power: float
    low: float
    """Wilson's interval for `power`."""
    high: float
    found: float
    """Mean of the differences in the drawn sets: near the gap."""


def intercept(accuracy: float, sd: float) -> float:
    """Where logits with this standard deviation around it give this mean accuracy.

    Args:
        accuracy: between 0 and 1, both excluded.
        sd: of the logits.
    """
    nodes, weights = np.polynomial.hermite.hermgauss(61)
    spread, share = np.sqrt(2.0) * sd * nodes, weights / np.sqrt(np.pi)
    return float(scipy.optimize.brentq(lambda at: float(share @ (1.0 / (1.0 + np.exp(-(at + spread))))) - accuracy, -30.0, 30.0))


def power(
    person: Whole,
    task: Whole,
    arm: Whole,
    *,
    accuracy: float = 0.6,
    gaps: Sequence[float] = GAPS,
    spread: Spread = Spread(),
    sets: int = SETS,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Point]:
    """How often each gap is found.

    Args:
        person: number of whoever gives each answer, from 0.
        task: number of its task, from 0.
        arm: 0 or 1: in which of the two paradigms.
        accuracy: population accuracy in the first.
        gaps: how much higher it is in the second; 0 shows how often nothing is taken for something.
        spread: how much people and tasks differ.
        sets: drawn sets for each gap.
        seed: decides what is drawn.
        progress: told how many gaps are done of how many.

    Raises:
        ValueError: an accuracy lies outside 0 to 1, or one of the two has no answer.
    """
    if not (arm == 0).any() or not (arm == 1).any():
        raise ValueError("one of the two paradigms has no answer in this plan")
    for gap in gaps:
        if not 0 < accuracy + gap < 1 or not 0 < accuracy < 1:
            raise ValueError(f"accuracies lie between 0 and 1, got {accuracy!r} and {accuracy + gap!r}")
    base = float(np.hypot(spread.person, spread.task))
    more = float(np.sqrt(base**2 + spread.person_paradigm**2 + spread.task_paradigm**2))
    # people and tasks that give no answer here are no clusters
    person, task = (np.unique(numbers, return_inverse=True)[1].astype(np.int64) for numbers in (person, task))
    limit = quantile(person, task)
    points = []
    for number, gap in enumerate(gaps):
        draw = np.random.default_rng([seed, number])
        centre = np.where(arm == 1, intercept(accuracy + gap, more), intercept(accuracy, base))
        rejected, total, left = 0, 0.0, sets
        while left:
            now = max(1, min(left, _CELLS // len(arm)))
            right = _drawn(draw, now, centre, person, task, arm, spread)
            values, errors = differences(right, arm)
            variance = two_way_variance(errors, person, task)
            rejected += int((np.abs(values) > limit * np.sqrt(variance)).sum())
            total += float(values.sum())
            left -= now
        share = wilson(rejected, sets)
        low, high = share.interval or (0.0, 1.0)
        points.append(Point(gap, rejected / sets, low, high, total / sets))
        progress(number + 1, len(gaps))
    return points


def _drawn(draw: np.random.Generator, sets: int, centre: Floats, person: Whole, task: Whole, arm: Whole, spread: Spread) -> Floats:
    """Sets of answers, shape (sets, answers)."""
    people, tasks = int(person.max()) + 1, int(task.max()) + 1

    def effects(n: int, sd: float) -> Floats:
        return draw.normal(0.0, sd, (sets, n))

    logits = centre + effects(people, spread.person)[:, person] + effects(tasks, spread.task)[:, task]
    logits += arm * (effects(people, spread.person_paradigm)[:, person] + effects(tasks, spread.task_paradigm)[:, task])
    right: Floats = (draw.random(logits.shape) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64)
    return right


def found_at(points: Sequence[Point], wanted: float = ENOUGH) -> float | None:
    """The gap that is found as often as wanted, between two that were simulated; None: none of them is found so often."""
    before = None
    for point in sorted(points, key=lambda one: one.gap):
        if point.power >= wanted:
            if before is None or point.power == before.power:
                return point.gap
            return before.gap + (point.gap - before.gap) * (wanted - before.power) / (point.power - before.power)
        before = point
    return None
