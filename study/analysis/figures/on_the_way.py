"""What people do and think on the way: steps to a right answer, budgets, beliefs over time, probes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from study.analysis.beliefs import over_time, probe_arm_of
from study.analysis.budgets import by_factor, truncated
from study.analysis.figures.dots import draw
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import by_paradigm, chosen
from study.analysis.figures.style import bars, blank, empty, in_words, of_paradigm, told
from study.analysis.steps import acted, steps_by_subcategory
from study.analysis.trials import Trials

KINDS = {"truncated": "truncated: the belief held then", "factor": "factor: budgets that people had"}
"""Kind of a budget curve → in words."""


def _steps(trials: Trials, choice: Choice) -> Sequence[Table]:
    lines = [
        Line(
            {"faculty": one.faculty or "none", "category": one.category, "subcategory": one.subcategory, "paradigm": one.paradigm},
            one.actions,
            {"observations": one.observations.value, "wrong": one.wrong, "stopped": one.confidence_stops},
        )
        for one in steps_by_subcategory(chosen(trials, choice), choice)
    ]
    columns = {"faculty": "Faculty (inferred)", "category": "Category", "subcategory": "Subcategory", "paradigm": "Paradigm"}
    columns |= {"observations": "Observations", "wrong": "Wrong, not counted", "stopped": "Stopped by confidence"}
    notes = ("Which faculty a category belongs to is inferred: the paper tells it by colours alone. n counts right answers.",)
    return [Table("steps", columns, lines, notes, unit="number", units={"observations": "number"}, heading="Actions")]


def _budget(trials: Trials, choice: Choice) -> Sequence[Table]:
    rows = chosen(trials, choice)
    lines = []
    for way, of in by_paradigm(acted(rows)):
        for point in (*truncated(trials, of, choice), *by_factor(of, choice)):
            lines.append(Line({"paradigm": way, "kind": KINDS[point.kind], "budget": point.budget}, point.right, {"ended": point.ended}))
    columns = {"paradigm": "Paradigm", "kind": "Kind", "budget": "Budget", "ended": "Ended by then"}
    notes = (
        "A curve of truncated episodes is not the published one, which is of runs anew with each budget: people who know of a smaller "
        "budget behave otherwise.",
    )
    return [Table("budget", columns, lines, notes, heading="Right")]


def _beliefs(trials: Trials, choice: Choice) -> Sequence[Table]:
    right, sure = [], []
    for way, rows in by_paradigm(chosen(trials, choice)):
        for one in over_time(trials, rows, choice):
            of: dict[str, str | int | float] = {"paradigm": way, "view": one.view + 1}
            right.append(Line(of, one.right, {"going": one.going}))
            sure.append(Line(of, one.confidence, {"going": one.going}))
    columns = {"paradigm": "Paradigm", "view": "View", "going": "Trials under way"}
    notes = ("Whoever has answered is no longer among them: later views are of those who looked longer.",)
    return [
        Table("beliefs", columns, right, notes, heading="Right", title="Beliefs that are right"),
        Table("belief_confidence", columns, sure, heading="Confidence", title="Confidence on the way"),
    ]


def _probes(trials: Trials, choice: Choice) -> Sequence[Table]:
    shares, numbers = [], []
    for way, rows in by_paradigm(chosen(trials, choice)):
        found = probe_arm_of(rows, choice)
        told_of = {"probed": found.probed, "unprobed": found.unprobed}
        shares += [
            Line({"paradigm": way, "effect": name}, measure, told_of)
            for name, measure in (("accuracy", found.accuracy), ("confidence", found.confidence))
        ]
        numbers.append(Line({"paradigm": way, "effect": "observations"}, found.observations, told_of))
    columns = {"paradigm": "Paradigm", "effect": "Effect on", "probed": "Answers with", "unprobed": "Answers without"}
    return [
        Table("probes", columns, shares, unit="points", heading="Difference, points"),
        Table("probe_observations", columns, numbers, unit="number", heading="Difference", title="Observations", drawn=False),
    ]


def _curves(axis: str, key: str, by: str | None = None) -> Any:
    """A line for each paradigm (and kind) over whole numbers; further tables, and further kinds, are dashed."""

    def drawing(tables: Sequence[Table]) -> Any:
        made, any_line = blank(), False
        for n, table in enumerate(tables):
            known = [line for line in table.lines if line.measure.value is not None]
            kinds = list(dict.fromkeys(str(line.of[by]) for line in known)) if by else [""]
            for way in dict.fromkeys(str(line.of["paradigm"]) for line in known):
                for kind in kinds:
                    of = [line for line in known if line.of["paradigm"] == way and (not by or line.of[by] == kind)]
                    if not of:
                        continue
                    any_line = True
                    colour, sign = of_paradigm(way)
                    dashed = n > 0 or kind == KINDS["factor"]
                    name = ", ".join(part for part in (in_words(way), kind or (table.heading.lower() if len(tables) > 1 else "")) if part)
                    made.add_scatter(
                        x=[line.of[key] for line in of], y=[line.measure.value for line in of], mode="lines+markers", name=name,
                        line={"color": colour, "width": 1.6, "dash": "dot" if dashed else "solid"},
                        marker={"symbol": f"{sign}-open" if dashed else sign, "size": 7, "color": colour},
                        error_y={**bars(of), "color": colour, "thickness": 0.8},
                        text=[f"{name}, {key} {line.of[key]}: {told(line)}" for line in of], hovertemplate="%{text}<extra></extra>",
                    )  # fmt: skip
        if not any_line:
            return empty("There is no belief on the way, and no second budget, to draw from.")
        made.update_layout(height=470)
        made.update_xaxes(title_text=axis, rangemode="tozero")
        made.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2)
        return made

    return drawing


FIGURES = (
    Figure(
        name="steps",
        title="Steps to a right answer",
        definition=(
            "The mean number of actions before those answers that are right, by subcategory inside its faculty (ESI-Bench, Fig. 5). Only "
            "paradigms in which somebody acts; wrong answers are left out and nothing is put in their place."
        ),
        tables=_steps,
        draw=draw("Actions before a right answer", group="subcategory", scale={"rangemode": "tozero"}),
    ),
    Figure(
        name="budget",
        title="Accuracy over budgets",
        definition=(
            "The share right had the budget ended earlier, by the belief held then (truncated), and the share right of people who had "
            "different budgets (factor): two kinds that are never one curve (ESI-Bench, App. P)."
        ),
        tables=_budget,
        draw=_curves("Observations allowed", "budget", by="kind"),
    ),
    Figure(
        name="beliefs",
        title="Belief over time",
        definition=(
            "At each view the share of the answers held there that are right, and the mean confidence in them (dotted), over the trials "
            "that had not ended before. An answer is held until another one is stated."
        ),
        tables=_beliefs,
        draw=_curves("View", "view"),
    ),
    Figure(
        name="probes",
        title="Effect of asking on the way",
        definition=(
            "Trials in which beliefs could be stated on the way, less those of the arm without: a difference of means, of people like "
            "these on tasks like these. Without such an arm it cannot be said."
        ),
        tables=_probes,
        draw=draw("Difference", group="effect", scale={"tickformat": "+.0%"}),
    ),
)
