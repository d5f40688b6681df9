"""Accuracy over budgets, in two kinds that are never one curve.

``truncated``: what was thought at view b stands for the answer, as if the budget had ended there; an episode that had ended by then has
its final answer. This needs a belief at every view, and tells nothing of how people behave who know of a smaller budget. ``factor``:
trials whose budget was b. The published curve (ESI-Bench, Fig. 9) is of runs made anew for each budget, as ``factor`` is (measurement
22).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from study.analysis.accuracy import accuracy_of, counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.paths import stated
from study.analysis.steps import acted
from study.analysis.trials import Belief, Trial, Trials
from study.measures.accuracy import NO_ANSWER, share
from study.measures.record import Measure

Kind = Literal["truncated", "factor"]
BUDGETS: tuple[int, ...] = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
"""Of the published curve."""
KINDS: dict[Kind, str] = {
    "truncated": "Truncated episodes: what was thought at that view. Not the paper's curve, whose runs were made anew for each budget.",
    "factor": "Budget as a factor: trials that had this budget.",
}


@dataclass(frozen=True)
class Point:
    """One point of a curve."""

    kind: Kind
    budget: int
    """Observations, the first view included."""
    right: Measure
    ended: int
    """Trials of it that had ended by then (``truncated``)."""


def truncated(trials: Trials, rows: Sequence[Trial], choice: Choice) -> list[Point]:
    """The curve of truncated episodes, up to the largest budget that a trial had. A trial without a stated answer at that view is missing.

    Args:
        trials: whose paths are read.
        rows: of one group.
        choice: which of them count. Beliefs are scored as they stand, whatever its reading.
    """
    those = [row for row in acted(rows) if row.probed]
    kept = [(row, right) for row, right in scored(counted(those, choice), choice.truth)]
    beliefs = {row.episode_id: trials.path(row.episode_id).beliefs for row, _ in kept}
    most = max((row.budget for row, _ in kept), default=0)
    found = []
    for budget in (each for each in BUDGETS if each <= most):
        able = [row for row in counted(those, choice) if row.budget >= budget]
        there = []
        for row, right in ((row, right) for row, right in kept if row.budget >= budget):
            now = right if row.observations <= budget else _held(beliefs[row.episode_id], budget)
            if now is not None:
                there.append((row, now))
        made = share([float(right) for _, right in there], [row.person for row, _ in there], [row.task_id for row, _ in there])
        if made.reason == NO_ANSWER:
            made = replace(made, reason="nobody had stated an answer by this view")
        made = replace(made, n_missing=len(able) - len(there), n_excluded=excluded(those, choice))
        found.append(Point("truncated", budget, made, sum(row.observations <= budget for row, _ in there)))
    return found


def by_factor(rows: Sequence[Trial], choice: Choice) -> list[Point]:
    """The curve of budgets that trials had; empty where they had one alone."""
    those = acted(rows)
    budgets = sorted({row.budget for row in counted(those, choice)})
    if len(budgets) < 2:
        return []
    return [Point("factor", each, accuracy_of([row for row in those if row.budget == each], choice), 0) for each in budgets]


def _held(beliefs: Sequence[Belief], budget: int) -> bool | None:
    """Whether the last answer stated by the view that ends this budget is right; None: none was stated so far."""
    so_far = stated(belief for belief in beliefs if belief.seq < budget)
    return so_far[-1].correct if so_far else None
