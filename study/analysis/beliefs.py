"""What people think on the way, and whether being asked for it changes what they do (measurement 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from study.analysis.accuracy import counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.steps import acted
from study.analysis.trials import Trial, Trials
from study.measures.accuracy import ANYWHERE, GAPS, NO_ANSWER, RANDOM, SHARES, gap, share
from study.measures.means import mean
from study.measures.record import Measure

ONE_ARM = "everybody could state beliefs on the way, or nobody could: the study has no arm without"


@dataclass(frozen=True)
class Moment:
    """What was thought at one view, over the trials that had not ended before it."""

    view: int
    """From 0."""
    right: Measure
    """Share of the answers held there that are right: the last one stated, as it stands."""
    confidence: Measure
    """Mean of the last confidence stated, 0 to 1."""
    going: int
    """Trials that had reached this view."""


@dataclass(frozen=True)
class ProbeArm:
    """Trials in which beliefs could be stated on the way, less those without: differences of means, on tasks like these."""

    accuracy: Measure
    observations: Measure
    confidence: Measure
    """Final confidence, 0 to 1."""
    probed: int
    unprobed: int
    """Answers in each arm."""


def over_time(trials: Trials, rows: Sequence[Trial], choice: Choice) -> list[Moment]:
    """Accuracy and confidence of what was thought at each view.

    Args:
        trials: whose paths are read.
        rows: of one group.
        choice: which of them count. Beliefs are scored as they stand, whatever its reading.
    """
    those = [row for row in counted(acted(rows), choice) if row.probed]
    left_out = excluded(acted(rows), choice)
    longest = max((row.observations for row in those), default=0)
    going = [0] * longest
    right: list[list[tuple[Trial, bool]]] = [[] for _ in range(longest)]
    sure: list[list[tuple[Trial, int]]] = [[] for _ in range(longest)]
    for row in those:
        said = {belief.seq: belief for belief in trials.path(row.episode_id).beliefs}
        held, stated = None, None
        for view in range(row.observations):
            belief = said.get(view)
            if belief is not None:
                held = belief.correct if belief.correct is not None else held
                stated = belief.confidence if belief.confidence is not None else stated
            going[view] += 1
            if held is not None:
                right[view].append((row, held))
            if stated is not None:
                sure[view].append((row, stated))
    found = []
    for view, many in enumerate(going):
        good, told = right[view], sure[view]
        accuracy = share([float(held) for _, held in good], [row.person for row, _ in good], [row.task_id for row, _ in good])
        confidence = mean(
            [number / 100 for _, number in told],
            [row.person for row, _ in told],
            [row.task_id for row, _ in told],
            "mean confidence",
            within=SHARES,
        )
        found.append(Moment(view, _told(accuracy, many, left_out, "answer"), _told(confidence, many, left_out, "confidence"), many))
    return found


def _told(measure: Measure, of: int, left_out: int, what: str) -> Measure:
    reason = f"nobody had stated an {what} by this view" if what == "answer" else f"nobody had stated a {what} by this view"
    if measure.reason == NO_ANSWER:
        measure = replace(measure, reason=reason)
    return replace(measure, n_missing=of - measure.n, n_excluded=left_out)


def probe_arm_of(rows: Sequence[Trial], choice: Choice) -> ProbeArm:
    """Whether being asked on the way changes accuracy, steps and confidence. Arms are drawn, so people of both are compared.

    Args:
        rows: of paradigms with actions; others are left out.
        choice: which of them count.
    """
    those = acted(rows)
    known = scored(counted(those, choice), choice.truth)
    sure = [(row, right) for row, right in known if row.confidence is not None]

    def of(values: list[float], group: Sequence[tuple[Trial, bool]], within: tuple[float, float] = GAPS) -> Measure:
        person, task, arm = zip(*((row.person, row.task_id, int(row.probed)) for row, _ in group), strict=True) if group else ((), (), ())
        made = gap(values, person, task, arm, within=within)
        if made.value is None:
            reason = ONE_ARM if known else "nobody has answered yet"
            made = replace(made, reason=reason if group or not known else "no answer has a confidence")
        missing = len(counted(those, choice)) - len(group)
        return replace(made, method=f"difference of means; {RANDOM}", n_missing=missing, n_excluded=excluded(those, choice))

    return ProbeArm(
        accuracy=of([float(right) for _, right in known], known),
        observations=of([float(row.observations) for row, _ in known], known, ANYWHERE),
        confidence=of([(row.confidence or 0) / 100 for row, _ in sure], sure),
        probed=sum(row.probed for row, _ in known),
        unprobed=sum(not row.probed for row, _ in known),
    )
