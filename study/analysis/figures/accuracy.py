"""Accuracy by paradigm and category: of all tasks, and of those that were answered in every compared paradigm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.subcategories import CATEGORIES
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import ALL, chosen, measured
from study.analysis.figures.style import GREY, MARGIN_PX, ROW_PX, bars, blank, empty, in_words, of_paradigm, told
from study.analysis.trials import Trial, Trials, paradigms_of

COLUMNS = {"paradigm": "Paradigm", "category": "Category", "chance": "Chance"}


def _by_category(trials: Trials, choice: Choice, rows: Sequence[Trial], name: str, notes: Sequence[str]) -> Table:
    lines = []
    for way in paradigms_of(rows):
        of_way = [row for row in rows if row.paradigm == way]
        for category in [ALL, *categories_of(rows)]:
            cell = of_way if category == ALL else [row for row in of_way if row.category == category]
            if cell:
                lines.append(Line({"paradigm": way, "category": category}, measured(cell, choice), {"chance": chance_of(cell)}))
    return Table(name, COLUMNS, lines, notes)


def categories_of(rows: Sequence[Trial]) -> list[str]:
    """The categories met, in the paper's order; others behind them by name."""
    met = {row.category for row in rows}
    return [name for name in CATEGORIES if name in met] + sorted(met - set(CATEGORIES))


def chance_of(rows: Sequence[Trial]) -> float | None:
    """The mean probability that a random well-formed answer is right; None where a task has none."""
    known = [row.chance for row in rows if row.chance is not None]
    return sum(known) / len(known) if known and len(known) == len(rows) else None


def _all(trials: Trials, choice: Choice) -> Sequence[Table]:
    return [_by_category(trials, choice, chosen(trials, choice), "accuracy", ())]


def _matched(trials: Trials, choice: Choice) -> Sequence[Table]:
    rows = chosen(trials, choice)
    ways = set(paradigms_of(rows))
    met: dict[str, set[str]] = {}
    for row in rows:
        if row.answered:
            met.setdefault(row.task_id, set()).add(row.paradigm)
    kept = {task for task, seen in met.items() if seen == ways}
    note = f"{len(kept)} of {len({row.task_id for row in rows})} tasks were answered in every one of the {len(ways)} paradigms."
    if len(ways) < 2:
        note = "There is one paradigm alone, so every task that was answered is in the subset."
    return [_by_category(trials, choice, [row for row in rows if row.task_id in kept], "accuracy_matched", (note,))]


def draw(tables: Sequence[Table]) -> Any:
    """A row of the list for each category, in it a sign for each paradigm; chance as a short stroke."""
    lines = [line for line in tables[0].lines if line.measure.value is not None]
    if not lines:
        return empty("There is no answer to draw yet.")
    made = blank()
    groups = list(dict.fromkeys(str(line.of["category"]) for line in tables[0].lines))
    ways = list(dict.fromkeys(str(line.of["paradigm"]) for line in tables[0].lines))
    step = 0.72 / max(len(ways), 1)
    for n, way in enumerate(ways):
        of = [line for line in lines if line.of["paradigm"] == way]
        colour, sign = of_paradigm(way)
        at = [groups.index(str(line.of["category"])) + (n - (len(ways) - 1) / 2) * step for line in of]
        with_chance = [(y, line.beside["chance"]) for y, line in zip(at, of, strict=True) if line.beside.get("chance") is not None]
        made.add_scatter(
            x=[chance for _, chance in with_chance],
            y=[y for y, _ in with_chance],
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 12, "color": GREY, "line": {"width": 2}},
            name="chance",
            legendgroup="chance",
            showlegend=n == 0,
            hovertemplate="chance %{x:.1%}<extra></extra>",
        )
        made.add_scatter(
            x=[line.measure.value for line in of],
            y=at,
            mode="markers",
            name=in_words(way),
            marker={"symbol": sign, "size": 10, "color": colour},
            error_x=bars(of) | {"color": colour},
            text=[f"<b>{line.of['category']}</b><br>{in_words(way)}: {told(line)}" for line in of],
            hovertemplate="%{text}<extra></extra>",
        )
    made.update_layout(height=MARGIN_PX + len(groups) * max(ROW_PX * len(ways), 34))
    made.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2, title_text="Right answers")
    made.update_yaxes(range=[len(groups) - 0.5, -0.5], tickvals=list(range(len(groups))), ticktext=groups, showgrid=False)
    for between in range(1, len(groups)):
        made.add_hline(y=between - 0.5, line={"color": GREY, "width": 0.5}, opacity=0.5)
    return made


FIGURES = (
    Figure(
        name="accuracy",
        title="Accuracy by paradigm and category",
        definition=(
            "The share of right answers among the answers that were given, over all tasks; a trial without an answer is missing and never "
            "wrong. Chance is the mean probability that a random well-formed answer is right."
        ),
        tables=_all,
        draw=draw,
    ),
    Figure(
        name="accuracy_matched",
        title="Accuracy over matched tasks",
        definition="The same over those tasks alone that were answered at least once in every compared paradigm.",
        tables=_matched,
        draw=draw,
    ),
)
