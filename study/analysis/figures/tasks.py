"""Tasks as items, and how far people agree on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from study.analysis.agreed import agreed_of
from study.analysis.figures.dots import draw
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import by_paradigm, chosen
from study.analysis.figures.style import GREY, blank, empty, in_words, of_paradigm, told
from study.analysis.items import items_of
from study.analysis.trials import Trials

ITEM = {"paradigm": "Paradigm", "task": "Task", "category": "Category", "subcategory": "Subcategory"}
BESIDE = {"chance": "Chance", "discrimination": "Discrimination", "confidence_wrong": "Confidence of wrong answers", "flags": "Flags"}


def _items(trials: Trials, choice: Choice) -> Sequence[Table]:
    lines = []
    for one in items_of(chosen(trials, choice), choice):
        item = one.item
        of = {"paradigm": one.paradigm, "task": one.task_id, "category": one.category, "subcategory": one.subcategory}
        beside = {"chance": item.chance, "discrimination": item.discrimination.value, "flags": ", ".join(map(str, item.flags)) or None}
        lines.append(Line(of, item.difficulty, {**beside, "confidence_wrong": item.confidence_wrong}))
    notes = (
        "Discrimination is the correlation with the same person's other answers in the paradigm, this task left out (corrected "
        "item-total). With five people per task it is uncertain by about 0.9: it ranks candidates and decides nothing.",
        "A flag sends a task back to verification; it drops no task and changes no score. Tests against chance: "
        "Benjamini–Hochberg over items.",
    )
    return [Table("items", ITEM | BESIDE, lines, notes, heading="Right")]


def _draw_items(tables: Sequence[Table]) -> Any:
    lines = [line for line in tables[0].lines if line.measure.value is not None and line.beside["discrimination"] is not None]
    if not lines:
        return empty("No task has enough answers for a discrimination yet; its share of right answers stands below.")
    made = blank()
    for way in dict.fromkeys(str(line.of["paradigm"]) for line in lines):
        colour, sign = of_paradigm(way)
        for flagged in (False, True):
            of = [line for line in lines if line.of["paradigm"] == way and bool(line.beside["flags"]) is flagged]
            if of:
                made.add_scatter(
                    x=[line.measure.value for line in of],
                    y=[line.beside["discrimination"] for line in of],
                    mode="markers",
                    name=in_words(way) + (", flagged" if flagged else ""),
                    marker={"symbol": f"{sign}-open" if flagged else sign, "size": 11 if flagged else 8, "color": colour},
                    text=[f"{line.of['task']}: {told(line)}" for line in of],
                    hovertemplate="%{text}<extra></extra>",
                )
    made.add_hline(y=0, line={"color": GREY, "width": 1, "dash": "dash"})
    made.update_layout(height=470)
    made.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2, title_text="Right answers")
    made.update_yaxes(range=[-1.05, 1.05], title_text="Discrimination")
    return made


def _agreement(trials: Trials, choice: Choice) -> Sequence[Table]:
    same, alpha = [], []
    for way, rows in by_paradigm(chosen(trials, choice)):
        found = agreed_of(rows, choice)
        same.append(Line({"paradigm": way, "measure": "same answer"}, found.answers, {"tasks": found.units}))
        alpha.append(Line({"paradigm": way, "measure": "Krippendorff's alpha of right and wrong"}, found.outcome, {"tasks": found.units}))
    columns = {"paradigm": "Paradigm", "measure": "Measure", "tasks": "Tasks with two answers"}
    return [
        Table("agreement", columns, same, heading="Equal pairs"),
        Table("agreement_alpha", columns, alpha, unit="number", heading="Alpha", title="Right at the same tasks", drawn=False),
    ]


FIGURES = (
    Figure(
        name="items",
        title="Tasks: difficulty and discrimination",
        definition=(
            "For each task and paradigm the share right of its people (Wilson's interval: they are independent within one task) and how "
            "well being right there goes with being right elsewhere. Negative ones, and those below chance, are flagged for verification."
        ),
        tables=_items,
        draw=_draw_items,
    ),
    Figure(
        name="agreement",
        title="Agreement among participants",
        definition=(
            "How often two people who answered the same task in the same paradigm gave the same answer: the share of equal pairs, mean "
            "over tasks. Krippendorff's alpha of right and wrong says how far they are right at the same tasks beyond chance."
        ),
        tables=_agreement,
        draw=draw("Equal pairs of answers", group="measure"),
    ),
)
