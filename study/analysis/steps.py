"""Steps to a correct answer (ESI-Bench, Fig. 5): how much was done before those answers that are right.

Over trials in which somebody acts and the answer is right; wrong ones are left out and nothing is put in their place. k observations are
k − 1 actions. Where a model's run was stopped by its confidence, its steps are not those of somebody who answers when sure: they are
counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from study.analysis.accuracy import by, counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.published import FACULTIES
from study.analysis.trials import Trial
from study.measures.means import mean
from study.measures.record import Measure
from study.paradigms import PARADIGMS

ACTED: frozenset[str] = frozenset(way.name for way in PARADIGMS if way.acts)
"""Paradigms in which somebody chooses what to look at."""
STOPPED_BY_CONFIDENCE = "confidence_threshold"
NOT_ACTED = "nobody acted: none of these trials is of a paradigm with actions"


@dataclass(frozen=True)
class Steps:
    """Of one subcategory and paradigm."""

    faculty: str
    """Inferred (`study.analysis.published.FACULTIES`); empty: the category has none."""
    category: str
    subcategory: str
    paradigm: str
    actions: Measure
    """Mean number of actions before a right answer; `n` counts right answers."""
    observations: Measure
    """The same with the first view."""
    wrong: int
    """Answers that are left out since they are wrong."""
    confidence_stops: int
    """Right answers whose run was stopped by a confidence threshold."""


def acted(rows: Iterable[Trial]) -> list[Trial]:
    """The trials in which somebody acts."""
    return [row for row in rows if row.paradigm in ACTED]


def steps_of(rows: Sequence[Trial], choice: Choice) -> Steps:
    """Steps to a right answer of some trials, whatever their subcategory."""
    those = acted(rows)
    known = scored(counted(those, choice), choice.truth)
    right = [row for row, good in known if good]
    reason = "" if right else (NOT_ACTED if not those else "no answer is right yet" if known else "nobody has answered yet")
    person, task = [row.person for row in right], [row.task_id for row in right]

    def of(values: list[float], what: str) -> Measure:
        made = mean(values, person, task, what, within=(0.0, math.inf))
        unanswered = len(counted(those, choice)) - len(known)
        return replace(made, reason=reason or made.reason, n_missing=unanswered, n_excluded=excluded(those, choice))

    first = rows[0] if rows else None
    return Steps(
        faculty=FACULTIES.get(first.category, "") if first else "",
        category=first.category if first else "",
        subcategory=first.subcategory if first else "",
        paradigm=first.paradigm if first else "",
        actions=of([row.observations - 1.0 for row in right], "mean number of actions before a right answer"),
        observations=of([float(row.observations) for row in right], "mean number of observations before a right answer"),
        wrong=len(known) - len(right),
        confidence_stops=sum(row.stopped_by == STOPPED_BY_CONFIDENCE for row in right),
    )


def steps_by_subcategory(rows: Sequence[Trial], choice: Choice) -> list[Steps]:
    """Steps to a right answer of each subcategory and paradigm with actions, by faculty in the paper's order."""
    order = {name: place for place, name in enumerate(FACULTIES)}
    groups = by(acted(rows), "category", "subcategory", "paradigm")
    made = [steps_of(group, choice) for group in groups.values()]
    return sorted(made, key=lambda one: (order.get(one.category, len(order)), one.category, one.subcategory, one.paradigm))
