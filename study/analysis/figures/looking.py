"""How people look: the measures of ESI-Bench's App. K, when they stop, and what they repeat."""

from __future__ import annotations

from collections.abc import Sequence

from study.analysis.figures.dots import draw
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import by_paradigm, chosen
from study.analysis.metacognition import metacognition_of
from study.analysis.published import METACOGNITION
from study.analysis.steps import acted
from study.analysis.stopping import LATE_VIEWS, repeating_of, stopping_of
from study.analysis.trials import Trials

OF = {"paradigm": "Paradigm", "measure": "Measure"}


def _views(trials: Trials, choice: Choice) -> Sequence[Table]:
    lines, rules = [], []
    diverse, contrastive, revised = (value / 100 for value in METACOGNITION["people"])
    for way, rows in by_paradigm(acted(chosen(trials, choice))):
        found = metacognition_of(trials, rows, choice)
        for name, measure, printed in (
            ("view diversity", found.diversity, diverse),
            ("contrastive view", found.contrastive, contrastive),
            ("belief revised", found.revised, revised),
            ("revised after a contrastive view", found.revised_after_contrastive, None),
        ):
            lines.append(Line({"paradigm": way, "measure": name}, measure, {"published": printed}))
        for rule, measure in found.sensitivity:
            of: dict[str, str | int | float] = {
                "paradigm": way,
                "metres": rule.metres,
                "degrees": rule.degrees,
                "viewpoints": rule.viewpoints,
            }
            rules.append(Line(of, measure))
    columns = {"paradigm": "Paradigm", "metres": "Metres apart", "degrees": "Degrees apart", "viewpoints": "Viewpoints"}
    notes = (
        "Published: ESI-Bench, Table 11, people. Its rule for distinct viewpoints is not printed; ours is declared, and others "
        "stand below.",
        "Contrastive views are those that coders call so; until enough of them have, the figure is missing, never 0.",
    )
    return [
        Table("metacognition", {**OF, "published": "Published"}, lines, notes, heading="Share of trajectories"),
        Table("view_diversity_rules", columns, rules, heading="Share of trajectories", title="View diversity by other rules", drawn=False),
    ]


def _stopping(trials: Trials, choice: Choice) -> Sequence[Table]:
    shares, times = [], []
    for way, rows in by_paradigm(acted(chosen(trials, choice))):
        found, again = stopping_of(rows, choice), repeating_of(trials, rows, choice)
        for name, measure in (
            ("before the evidence was seen", found.premature),
            (f"more than {LATE_VIEWS} views after", found.late),
            ("same action repeated", again.share),
        ):
            beside = {"chance": again.chance if measure is again.share else None}
            shares.append(Line({"paradigm": way, "measure": name}, measure, beside))
        for name, measure in (("view of the evidence", found.evidence_time), ("views after it", found.views_after), ("bias", again.bias)):
            times.append(Line({"paradigm": way, "measure": name}, measure))
    notes = ("Chance of a repeated action: a random order of each trajectory's own actions. Bias: the share less that chance.",)
    return [
        Table("stopping", {**OF, "chance": "Chance"}, shares, notes, heading="Share"),
        Table("evidence_time", OF, times, unit="number", heading="Mean", title="Evidence time", drawn=False),
    ]


FIGURES = (
    Figure(
        name="metacognition",
        title="Viewpoints, contrast and revision",
        definition=(
            "The shares of completed trajectories with several distinct viewpoints, with a contrastive view, and with a belief that "
            "changed (ESI-Bench, App. K): percentages of trajectories, not of views."
        ),
        tables=_views,
        draw=draw("Trajectories", group="measure"),
    ),
    Figure(
        name="stopping",
        title="Evidence and stopping",
        definition=(
            "Evidence time is the first view by which everything was seen that a task declares to decide; an answer before it is "
            "premature. Tasks that declare none are missing, never 0. Beside it: how often an action follows itself."
        ),
        tables=_stopping,
        draw=draw("Share of answers, or of pairs of actions", group="measure"),
    ),
)
