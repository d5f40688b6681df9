"""ESI-Bench, App. K: shares of trajectories with several viewpoints, with a contrastive view, with a revised belief.

One trajectory, in which somebody acted, is the unit. View diversity needs a rule that the paper does not give: it is declared in
`study.measures.trajectories`, and other rules stand beside it. A belief is revised where the stated answer changes after further
observations; "not sure" after an answer is no change; trajectories with fewer than two stated answers are missing, not "no". Contrastive
views come from at least two coders; until then the rate is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from study.analysis.accuracy import counted, excluded
from study.analysis.choice import Choice
from study.analysis.paths import changes
from study.analysis.steps import NOT_ACTED, acted
from study.analysis.trials import Path, Trial, Trials
from study.measures.accuracy import NO_ANSWER, share
from study.measures.record import Measure
from study.measures.trajectories import DISTINCT, SENSITIVITY, Distinct, viewpoints

COMPLETED = "completed"


@dataclass(frozen=True)
class Metacognition:
    """Of some trajectories; `n` of each counts those of which it can be said."""

    trajectories: int
    diversity: Measure
    """By the declared rule."""
    sensitivity: tuple[tuple[Distinct, Measure], ...]
    """The same by other rules."""
    contrastive: Measure
    revised: Measure
    """After any further observation: comparable with the published rate."""
    revised_after_contrastive: Measure


def trajectories_of(rows: Sequence[Trial], choice: Choice) -> list[Trial]:
    """The completed trajectories that count."""
    return [row for row in counted(acted(rows), choice) if row.state == COMPLETED or row.excluded]


def metacognition_of(trials: Trials, rows: Sequence[Trial], choice: Choice) -> Metacognition:
    """The measures of App. K.

    Args:
        trials: whose paths are read.
        rows: of one group.
        choice: which of them count.
    """
    those = trajectories_of(rows, choice)
    paths = [trials.path(row.episode_id) for row in those]
    left_out = excluded(acted(rows), choice)

    def of(found: Callable[[Path], bool | None], what: str, why: str) -> Measure:
        known = [(row, held) for row, path in zip(those, paths, strict=True) if (held := found(path)) is not None]
        made = share([float(held) for _, held in known], [row.person for row, _ in known], [row.task_id for row, _ in known])
        if made.reason == NO_ANSWER:
            made = replace(made, reason=why if those else NOT_ACTED)
        elif "answers are" in made.reason:
            made = replace(made, reason="all trajectories are alike, so nothing tells how they would vary")
        return replace(made, method=f"{what}; {made.method}", n_missing=len(those) - len(known), n_excluded=left_out)

    def diversity(rule: Distinct) -> Measure:
        what = (
            f"share of trajectories with at least {rule.viewpoints} viewpoints that lie {rule.metres:g} m apart or look in directions "
            f"{rule.degrees:g}° apart"
        )
        return of(lambda path: _diverse(path, rule), what, "no trajectory has a view")

    few = "no trajectory has two stated answers: beliefs were not asked for, or not given"
    unlabelled = "no trajectory is labelled by two coders yet"
    return Metacognition(
        trajectories=len(those),
        diversity=diversity(DISTINCT),
        sensitivity=tuple((rule, diversity(rule)) for rule in SENSITIVITY),
        contrastive=of(lambda path: path.contrastive, "share of trajectories with a contrastive view by most coders", unlabelled),
        revised=of(_revised, "share of trajectories whose stated answer changes", few),
        revised_after_contrastive=of(
            lambda path: path.revised_after_contrastive,
            "share of trajectories whose stated answer changes at a contrastive view or after it",
            unlabelled,
        ),
    )


def _diverse(path: Path, rule: Distinct) -> bool | None:
    if not path.views:
        return None
    return (
        viewpoints([(view.position_m, view.yaw_deg, view.pitch_deg) for view in path.views], rule, most=rule.viewpoints) >= rule.viewpoints
    )


def _revised(path: Path) -> bool | None:
    found = changes(path.beliefs)
    return None if found is None else bool(found)
