"""How far participants agree who answered the same task in the same paradigm.

Raw agreement compares answers as understood; no coefficient corrects it for chance, since the answers of different tasks are different
words. Whether people are right is one category for all tasks: Krippendorff's alpha of it says how much the tasks tell of who is right,
beyond chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from study.analysis.accuracy import by, counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.trials import Trial
from study.measures.agreement import agreement, counts
from study.measures.record import Measure


@dataclass(frozen=True)
class Agreed:
    """Of the answers of some trials; units are tasks in one paradigm."""

    answers: Measure
    """Share of pairs of equal answers, mean over units with two answers."""
    outcome: Measure
    """Krippendorff's alpha of right and wrong."""
    units: int
    """With at least two answers."""


def agreed_of(rows: Sequence[Trial], choice: Choice) -> Agreed:
    """How far people give the same answer, and are right at the same tasks."""
    known = scored(counted(rows, choice), choice.truth)
    truth = {row.episode_id: right for row, right in known}
    units = list(by((row for row, _ in known), "task_id", "paradigm").values())
    # which of the answers to a task is which does not matter, so each is named by its place among them
    named = [[list(dict.fromkeys(row.answer for row in unit)).index(row.answer) for row in unit] for unit in units]
    words = range(max((place + 1 for unit in named for place in unit), default=1))
    raw = agreement(counts(named, list(words)), seed=choice.seed).raw
    right = agreement(counts([[truth[row.episode_id] for row in unit] for unit in units], [True, False]), seed=choice.seed).alpha
    missing = len(counted(rows, choice)) - len(known)

    def told(measure: Measure) -> Measure:
        reason = "no task has two answers in one paradigm" if measure.value is None and not measure.n else measure.reason
        return replace(measure, reason=reason, n_missing=missing, n_excluded=excluded(rows, choice))

    return Agreed(told(raw), told(right), sum(len(unit) > 1 for unit in units))
