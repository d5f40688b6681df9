"""Calibration of a study's answers: Brier score, calibration error, reliability diagram, and type-2 AUROC of each participant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from study.analysis.accuracy import counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.steps import STOPPED_BY_CONFIDENCE
from study.analysis.trials import Trial
from study.measures.accuracy import SHARES
from study.measures.calibration import Bin, Brier, Error, adaptive, auroc_of_people, brier, calibration_error, reliability
from study.measures.means import mean
from study.measures.record import Measure

RISES = (
    "Type-2 AUROC rises with accuracy, and the calibration error falls with the number of answers: neither tells two groups apart that "
    "differ in these."
)
DRAWN_ANEW = (
    "Answers that are drawn anew are less well calibrated, so the interval of a calibration error lies high, at times above the value "
    "itself; compare the value with that of perfect calibration."
)


@dataclass(frozen=True)
class Calibration:
    """Of some trials with a confidence."""

    brier: Brier
    error: Error
    """Bins of equal width."""
    error_adaptive: Error
    """Bins of about equal counts."""
    diagram: tuple[Bin, ...]
    """Points of the reliability diagram, bins of equal width."""
    diagram_adaptive: tuple[Bin, ...]
    confidence: Measure
    """Mean confidence, 0 to 1."""
    auroc: Measure
    without_auroc: int
    """Participants who have no right or no wrong answer with a confidence, and so no type-2 AUROC."""
    confidence_stops: int
    """Answers of model runs that a confidence threshold stopped: their confidence decides when they end, so they are not comparable."""


def calibration_of(rows: Sequence[Trial], choice: Choice) -> Calibration:
    """How well confidence tells whether answers are right. Answers without one are missing, and counted in each `n_missing`."""
    known = [(row, right) for row, right in scored(counted(rows, choice), choice.truth) if row.confidence is not None]
    p = [(row.confidence or 0) / 100 for row, _ in known]
    y = [float(right) for _, right in known]
    person, task = [row.person for row, _ in known], [row.task_id for row, _ in known]
    left_out, missing = excluded(rows, choice), len(counted(rows, choice)) - len(known)

    def told(measure: Measure) -> Measure:
        return replace(measure, n_missing=missing, n_excluded=left_out)

    score = brier(p, y, person, task)
    errors = [calibration_error(p, y, person, task, equal_counts=equal, seed=choice.seed) for equal in (False, True)]
    area, without = auroc_of_people(p, y, person)
    confidence = mean(p, person, task, "mean confidence", within=SHARES)
    if not known:
        confidence = replace(confidence, reason=score.score.reason)
    return Calibration(
        brier=replace(score, score=told(score.score)),
        error=replace(errors[0], error=told(errors[0].error)),
        error_adaptive=replace(errors[1], error=told(errors[1].error)),
        diagram=tuple(reliability(p, y, person, task)),
        diagram_adaptive=tuple(reliability(p, y, person, task, group=adaptive(p))),
        confidence=told(confidence),
        auroc=told(area),
        without_auroc=without,
        confidence_stops=sum(row.stopped_by == STOPPED_BY_CONFIDENCE for row, _ in known),
    )
