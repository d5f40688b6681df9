"""What figures have in common when they make their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from study.analysis.figures.figure import Choice
from study.analysis.trials import Trial, Trials
from study.measures import intervals
from study.measures.record import Measure

ALL = "All tasks"
"""In place of a category: all of them together."""


def chosen(trials: Trials, choice: Choice) -> tuple[Trial, ...]:
    """The trials that a choice looks at, those included that declared rules leave out: their number is told."""
    return tuple(row for row in trials.rows if not choice.paradigms or row.paradigm in choice.paradigms)


def measured(rows: Sequence[Trial], choice: Choice) -> Measure:
    """The accuracy of some trials."""
    kept = [row for row in rows if choice.with_excluded or not row.excluded]
    told = [(row, right) for row in kept if (right := row.right(choice.truth)) is not None]
    found = intervals.accuracy([float(right) for _, right in told], [row.person for row, _ in told], [row.task_id for row, _ in told])
    return replace(found, n_missing=len(kept) - len(told), n_excluded=len(rows) - len(kept))
