"""When people stop: evidence time, premature and late answers, and how often the same action is repeated.

Evidence time is the first view by which everything was seen that a task declares to decide (`study.analysis.evidence`); where it is not
declared, all of this is missing, never 0. An answer is premature that was given before, and late by so many views as followed. Repeating is
the share of consecutive pairs of actions that are equal, held against a random order of the same actions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sim_bridge.actions import ACTIONS
from study.analysis.accuracy import counted, excluded
from study.analysis.choice import Choice
from study.analysis.steps import NOT_ACTED, acted
from study.analysis.trials import Trial, Trials
from study.measures.accuracy import GAPS, NO_ANSWER, SHARES, share
from study.measures.means import mean
from study.measures.record import Measure
from study.measures.trajectories import repeated

LATE_VIEWS = 5
"""An answer is late that comes more views than these after the evidence."""
UNDECLARED = "none of these tasks declares by what is seen which evidence decides"


@dataclass(frozen=True)
class Stopping:
    """Of some trials in which somebody acted and answered."""

    evidence_time: Measure
    """Mean number of the view that completed the evidence, where it was reached; the first view is 0."""
    premature: Measure
    """Share of answers before the evidence was seen."""
    views_after: Measure
    """Mean number of views after the evidence, where it was reached."""
    late: Measure
    """Share of answers more than `LATE_VIEWS` views after the evidence."""


@dataclass(frozen=True)
class Repeating:
    """Of some trajectories with at least two actions."""

    share: Measure
    """Mean share of consecutive pairs of actions that are equal."""
    chance: float | None
    """What a random order of each trajectory's own actions would give."""
    bias: Measure
    """Mean of the share less that chance."""


def stopping_of(rows: Sequence[Trial], choice: Choice) -> Stopping:
    """Evidence time, and whether answers came before or after it."""
    those = acted(rows)
    answered = [row for row in counted(those, choice) if row.answered]
    declared = [row for row in answered if row.evidence_declared]
    reached = [row for row in declared if row.evidence_seq is not None]
    after = [row.observations - 1.0 - (row.evidence_seq or 0) for row in reached]
    why = NOT_ACTED if not those else NO_ANSWER if not answered else UNDECLARED

    def told(measure: Measure, what: str, of: Sequence[Trial]) -> Measure:
        if measure.value is None:
            measure = replace(measure, reason=why if not declared else "the evidence was never seen whole")
        elif "answers are" in measure.reason:
            measure = replace(measure, reason="all answers are alike, so nothing tells how they would vary")
        missing = len(counted(those, choice)) - len(of)
        return replace(measure, method=f"{what}; {measure.method}", n_missing=missing, n_excluded=excluded(those, choice))

    def over(values: list[float], of: Sequence[Trial], what: str, *, shares: bool = False) -> Measure:
        person, task = [row.person for row in of], [row.task_id for row in of]
        return told(share(values, person, task) if shares else mean(values, person, task, "mean", within=(0.0, math.inf)), what, of)

    early = [float(row.evidence_seq is None) for row in declared]
    return Stopping(
        evidence_time=over([float(row.evidence_seq or 0) for row in reached], reached, "view that completed the evidence"),
        premature=over(early, declared, "share of answers before the evidence was seen", shares=True),
        views_after=over(after, reached, "views after the evidence"),
        late=over(
            [float(views > LATE_VIEWS) for views in after],
            reached,
            f"share of answers more than {LATE_VIEWS} views after the evidence",
            shares=True,
        ),
    )


def repeating_of(trials: Trials, rows: Sequence[Trial], choice: Choice) -> Repeating:
    """How often an action follows itself; actions that failed are kept, what is no action of the person's is not.

    Args:
        trials: whose paths are read.
        rows: of one group.
        choice: which of them count.
    """
    those = counted(acted(rows), choice)
    found = []
    for row in those:
        pairs = repeated([move.action for move in trials.path(row.episode_id).moves if move.action in ACTIONS])
        if pairs is not None:
            found.append((row, *pairs))
    person, task = [row.person for row, _, _ in found], [row.task_id for row, _, _ in found]
    reason = NOT_ACTED if not those else "no trajectory has two actions"

    def told(values: list[float], what: str, within: tuple[float, float] = SHARES) -> Measure:
        made = mean(values, person, task, what, within=within)
        made = replace(made, reason=reason) if made.value is None else made
        return replace(made, n_missing=len(those) - len(found), n_excluded=excluded(acted(rows), choice))

    return Repeating(
        share=told([share for _, share, _ in found], "mean share of consecutive pairs of actions that are equal"),
        chance=sum(chance for _, _, chance in found) / len(found) if found else None,
        bias=told([share - chance for _, share, chance in found], "mean of that share less what a random order would give", GAPS),
    )
