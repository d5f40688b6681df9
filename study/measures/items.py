"""Items: how difficult a task is, and whether those who are better elsewhere are better at it.

Difficulty is the share of right answers, with Wilson's interval: the people of one item are independent. Discrimination is the correlation
of an item with the *rest*, the same person's other answers in the same paradigm (corrected: an item that is part of what it is held against
seems to discriminate whatever it is). People answer different items, so each other answer is centred on its item's mean, that easy items do
not count as ability, and the rest is their mean. With five people an interval is about ± 0.9: it ranks candidates and decides nothing.
Below 200 people an item no two-parameter model is fitted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from study.measures.comparisons import benjamini_hochberg
from study.measures.intervals import Floats, wilson
from study.measures.record import Measure

FEWEST_OTHERS = 4
"""Other answers that a person needs, for their rest to count."""
RESAMPLES = 2000
LEVEL = 0.05
UPPER = 0.1
"""A negative discrimination is a flag where the upper bound of its bootstrap lies below this."""
CONFIDENT = 80.0
"""Mean confidence of wrong answers, 0–100, above which they are confident."""
FEWEST_WRONG = 3
Flag = Literal["negative_discrimination", "below_chance", "confidently_wrong"]
FLAGS: dict[Flag, str] = {
    "negative_discrimination": "Those who are better elsewhere are worse here.",
    "below_chance": "Fewer are right than by chance, over all items that were tested.",
    "confidently_wrong": "Several are wrong and sure of it.",
}
"""Flag → what it says. A flag opens a review; it never drops an item or changes a score."""
CORRELATION = "correlation with the mean of the person's other answers in the same paradigm, each less its item's mean"


@dataclass(frozen=True)
class Item:
    """What the answers to one task in one paradigm say of it."""

    task: Hashable
    difficulty: Measure
    """Share of right answers."""
    discrimination: Measure
    chance: float | None
    p_below_chance: float | None
    """Exact binomial, one-sided, adjusted over all items (Benjamini–Hochberg); None: no chance level."""
    confidence_wrong: float | None
    """Mean confidence of its wrong answers, 0–100; None: none has one."""
    wrong: int
    flags: tuple[Flag, ...]


def items(
    right: Sequence[bool],
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    chance: Sequence[float | None],
    confidence: Sequence[float | None],
    *,
    seed: int = 0,
) -> list[Item]:
    """What the answers of one paradigm say of its tasks, in order of first appearance.

    Args:
        right: for each answer.
        person: who gave it.
        task: at which task.
        chance: probability that a random well-formed answer is right; None: not known.
        confidence: 0–100; None: not stated.
        seed: of the resampling.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for k, name in enumerate(task):
        places[name].append(k)
    y = np.asarray(right, dtype=np.float64)
    rest = _rests(y, person, places)
    levels = {name: _level([chance[k] for k in those]) for name, those in places.items()}
    below = {
        name: float(scipy.stats.binomtest(int(y[places[name]].sum()), len(places[name]), level, alternative="less").pvalue)
        for name, level in levels.items()
        if level is not None and 0 < level < 1
    }
    adjusted = dict(zip(below, benjamini_hochberg(list(below.values())), strict=True))
    found = []
    for name, those in places.items():
        lost = [k for k in those if not right[k]]
        sure = [c for k in lost if (c := confidence[k]) is not None]
        mean = sum(sure) / len(sure) if sure else None
        discrimination = _discrimination(y[those], rest[those], seed)
        flags: list[Flag] = []
        if discrimination.value is not None and discrimination.value < 0 and discrimination.interval and discrimination.interval[1] < UPPER:
            flags.append("negative_discrimination")
        if adjusted.get(name, 1.0) <= LEVEL:
            flags.append("below_chance")
        if mean is not None and mean > CONFIDENT and len(sure) >= FEWEST_WRONG:
            flags.append("confidently_wrong")
        difficulty = wilson(int(y[those].sum()), len(those))
        found.append(Item(name, difficulty, discrimination, levels[name], adjusted.get(name), mean, len(lost), tuple(flags)))
    return found


def _level(levels: Sequence[float | None]) -> float | None:
    known = [level for level in levels if level is not None]
    return sum(known) / len(known) if known else None


def _rests(y: Floats, person: Sequence[Hashable], places: dict[Hashable, list[int]]) -> Floats:
    """Of each answer, the mean of the person's other answers, each less its item's mean; NaN: too few."""
    centred = y.copy()
    for those in places.values():
        centred[those] -= y[those].mean()
    sums: dict[Hashable, float] = defaultdict(float)
    counts: dict[Hashable, int] = defaultdict(int)
    for who, value in zip(person, centred, strict=True):
        sums[who] += float(value)
        counts[who] += 1
    return np.asarray(
        [
            (sums[who] - value) / (counts[who] - 1) if counts[who] > FEWEST_OTHERS else np.nan
            for who, value in zip(person, centred, strict=True)
        ]
    )


def _discrimination(y: Floats, rest: Floats, seed: int) -> Measure:
    known = ~np.isnan(rest)
    item, others = y[known], rest[known]
    n, missing = len(item), len(y) - len(item)
    if n < 3:
        reason = f"fewer than three of its people have {FEWEST_OTHERS} other answers"
        return Measure(None, n, CORRELATION, reason=reason, n_missing=missing)
    if item.min() == item.max():
        word = "right" if item[0] else "wrong"
        return Measure(None, n, CORRELATION, reason=f"everybody is {word}, so it tells nobody apart", n_missing=missing)
    if np.ptp(others) < 1e-12:
        return Measure(None, n, CORRELATION, reason="its people are all alike elsewhere", n_missing=missing)
    value = float(np.corrcoef(item, others)[0, 1])
    at = np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))
    drawn = _correlations(item[at], others[at])
    undefined = float(np.isnan(drawn).mean())
    low, high = np.nanpercentile(drawn, (2.5, 97.5)) if undefined < 1 else (np.nan, np.nan)
    method = f"{CORRELATION}; percentile bootstrap over people, {RESAMPLES} draws, seed {seed}"
    note = f"{undefined:.0%} of the draws left it undefined" if undefined > 0.005 else ""
    interval = None if np.isnan(low) else (float(low), float(high))
    return Measure(value, n, method, interval, note, n_missing=missing)


def _correlations(x: Floats, y: Floats) -> Floats:
    """Of each row."""
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (a * b).sum(axis=1) / np.sqrt(np.square(a).sum(axis=1) * np.square(b).sum(axis=1))
    return found
