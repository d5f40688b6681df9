"""Differences of paradigms, each on the tasks that were answered in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from study.analysis.accuracy import FAMILY, comparisons_of
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import chosen, people
from study.analysis.figures.style import COLOURS, GREY, MARGIN_PX, bars, blank, empty, in_words
from study.analysis.trials import Trials
from study.measures import covered

COLUMNS = {"of": "Accuracy in", "less": "less that in", "tasks": "Tasks", "these": "On exactly these tasks", "p": "p", "p_holm": "p (Holm)"}


def _tables(trials: Trials, choice: Choice) -> Sequence[Table]:
    made = comparisons_of(chosen(trials, choice), choice)
    lines = [
        Line(
            {"of": one.other, "less": one.one},
            one.random,
            {"tasks": one.tasks, "these": one.fixed.value, "p": one.test.p, "p_holm": one.p_holm},
        )
        for one in made
    ]
    tested = list(dict.fromkeys(one.test.method for one in made if one.test.p is not None))
    notes = [f"{FAMILY}: {made[0].family} of {len(made)} have a p." if made else "There is one paradigm alone, and nothing to compare."]
    notes += [f"p: {method}, on exactly these tasks, over participants who answered in both." for method in tested]
    notes.append(covered.said("difference", "random", people(chosen(trials, choice))))
    units = {"these": "points", "p": "number", "p_holm": "number"}
    return [Table("differences", COLUMNS, lines, notes, unit="points", units=units, heading="Difference, points")]  # type: ignore[arg-type]


def _draw(tables: Sequence[Table]) -> Any:
    lines = [line for line in tables[0].lines if line.measure.value is not None]
    if not lines:
        return empty("There are no two paradigms to compare yet.")
    names = [f"{in_words(str(line.of['of']))} − {in_words(str(line.of['less']))}" for line in lines]
    made = blank()
    made.add_scatter(
        x=[100 * (line.measure.value or 0.0) for line in lines],
        y=names,
        mode="markers",
        marker={"size": 10, "color": COLOURS[0]},
        error_x={**bars(lines, 100), "color": COLOURS[0]},
        showlegend=False,
        hovertemplate="%{y}: %{x:.1f} points<extra></extra>",
    )
    made.add_vline(x=0, line={"color": GREY, "width": 1, "dash": "dash"})
    made.update_layout(height=MARGIN_PX + 34 * len(lines))
    made.update_xaxes(title_text="Difference of accuracies, percentage points")
    made.update_yaxes(autorange="reversed", showgrid=False)
    return made


FIGURES = (
    Figure(
        name="differences",
        title="Differences of paradigms",
        definition=(
            "The accuracy of one paradigm less that of another, over the tasks that were answered in both, for each pair of paradigms. The "
            "interval is of people like these on tasks like these; p is of people like these on exactly these tasks."
        ),
        tables=_tables,
        draw=_draw,
    ),
)
