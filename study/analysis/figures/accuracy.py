"""Accuracy by paradigm and category: as a mean of answers and as one verdict per task, of all tasks and of matched ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from data.plurals import number_of
from study.analysis.accuracy import accuracy_of, chance_of, matched, verdicts_of
from study.analysis.figures.dots import draw
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import ALL, categories_of, chosen, people, subcategories_of
from study.analysis.published import SOURCE, published
from study.analysis.trials import Trial, Trials, paradigms_of
from study.measures import covered

COLUMNS = {"paradigm": "Paradigm", "category": "Category", "chance": "Chance", "published": "Published"}
OF_SUBCATEGORIES = {
    "paradigm": "Paradigm",
    "category": "Category",
    "subcategory": "Subcategory",
    "chance": "Chance",
    "published": "Published",
}
PRINTED = (
    f"Published: {SOURCE}. Means over categories, and over subcategories, are computed from its cells; it is drawn as an open diamond and "
    "never fills in for a figure of this study."
)
FEW = "A row with few people or tasks supports no claim about it alone; five answers to one task say little of that task."
Lines = Callable[[Sequence[Trial], str, str | None], Line]


def _by_category(name: str, rows: Sequence[Trial], make: Lines, notes: Sequence[str], **more: str) -> Table:
    """A row for each paradigm and category, all categories together first."""
    lines = []
    for way in paradigms_of(rows):
        of_way = [row for row in rows if row.paradigm == way]
        for category in (ALL, *categories_of(rows)):
            cell = of_way if category == ALL else [row for row in of_way if row.category == category]
            if cell:
                lines.append(make(cell, way, None if category == ALL else category))
    return Table(name, more.pop("columns", None) or COLUMNS, lines, notes, **more)  # type: ignore[arg-type]


def _mean(choice: Choice) -> Lines:
    def make(cell: Sequence[Trial], way: str, category: str | None) -> Line:
        told = {"chance": chance_of(cell, choice), "published": published(way, category)}
        return Line({"paradigm": way, "category": category or ALL}, accuracy_of(cell, choice), told)

    return make


def _subcategories(name: str, rows: Sequence[Trial], choice: Choice) -> Table:
    lines = []
    for way in paradigms_of(rows):
        for category, subcategory in subcategories_of(rows):
            cell = [row for row in rows if (row.paradigm, row.category, row.subcategory) == (way, category, subcategory)]
            if cell:
                told = {"chance": chance_of(cell, choice), "published": published(way, category, subcategory)}
                of = {"paradigm": way, "category": category, "subcategory": subcategory}
                lines.append(Line(of, accuracy_of(cell, choice), told))
    return Table(name, OF_SUBCATEGORIES, lines, title="By subcategory", drawn=False)


def _fixed(name: str, rows: Sequence[Trial], choice: Choice) -> Table:
    """All tasks together, of exactly these: what a benchmark's score says."""
    lines = [
        Line({"paradigm": way}, accuracy_of(cell, choice, tasks="fixed"))
        for way in paradigms_of(rows)
        if (cell := [row for row in rows if row.paradigm == way])
    ]
    notes = (covered.said("accuracy", "fixed", people(rows)),)
    return Table(name, {"paradigm": "Paradigm"}, lines, notes, title="Of exactly these tasks, not of tasks like these", drawn=False)


def _all(trials: Trials, choice: Choice) -> Sequence[Table]:
    rows = chosen(trials, choice)
    main = _by_category("accuracy", rows, _mean(choice), (PRINTED, FEW, covered.said("accuracy", "random", people(rows))))
    return [main, _subcategories("accuracy_by_subcategory", rows, choice), _fixed("accuracy_of_these_tasks", rows, choice)]


def _subset(rows: Sequence[Trial], choice: Choice) -> tuple[list[Trial], str]:
    """The matched trials, and what has to be said of them."""
    kept, ways = matched(rows, choice), len(paradigms_of(rows))
    if ways < 2:
        return kept, "There is one paradigm alone, so every task that was answered is in the subset."
    tasks, every = len({row.task_id for row in kept}), len({row.task_id for row in rows})
    return kept, f"{tasks} of {number_of(every, 'task was', 'tasks were')} answered in every one of the {ways} paradigms."


def _matched(trials: Trials, choice: Choice) -> Sequence[Table]:
    kept, note = _subset(chosen(trials, choice), choice)
    main = _by_category("accuracy_matched", kept, _mean(choice), (note, PRINTED, FEW, covered.said("accuracy", "random", people(kept))))
    return [main, _subcategories("accuracy_matched_by_subcategory", kept, choice), _fixed("accuracy_matched_of_these_tasks", kept, choice)]


def _verdicts(trials: Trials, choice: Choice) -> Sequence[Table]:
    kept, note = _subset(chosen(trials, choice), choice)

    def make(cell: Sequence[Trial], way: str, category: str | None) -> Line:
        found = verdicts_of(cell, choice)
        told: dict[str, str | float | None] = {"published": published(way, category), "wrong": found.wrong, "undecided": found.undecided}
        return Line({"paradigm": way, "category": category or ALL}, found.share, told)

    columns = {"paradigm": "Paradigm", "category": "Category", "published": "Published", "wrong": "Wrong", "undecided": "Undecided"}
    counted = "n counts tasks. A tie, or no answer that most people gave, is undecided: not correct, and counted apart."
    table = _by_category("verdicts", kept, make, (note, counted, PRINTED), heading="Right verdicts")
    return [Table("verdicts", columns, table.lines, table.notes, heading="Right verdicts")]


FIGURES = (
    Figure(
        name="accuracy",
        title="Accuracy by paradigm and category",
        definition=(
            "The share of right answers among the answers that were given, over all tasks: a mean over answers. A trial without an answer "
            "is missing and never wrong. Chance is the mean probability that a random well-formed answer is right."
        ),
        tables=_all,
        draw=draw("Right answers"),
    ),
    Figure(
        name="accuracy_matched",
        title="Accuracy over matched tasks",
        definition=(
            "The mean over answers again, over those tasks alone that were answered at least once in every compared paradigm, so that the "
            "paradigms differ in nothing but how the same tasks were met."
        ),
        tables=_matched,
        draw=draw("Right answers"),
    ),
    Figure(
        name="verdicts",
        title="One verdict per task",
        definition=(
            "The share of matched tasks that are right by what most of their people answered: more than half of the answers are right. The "
            "published human figures look like such verdicts, so this is the figure to set beside them; it says less of people than the "
            "mean over answers."
        ),
        tables=_verdicts,
        draw=draw("Tasks with a right verdict"),
    ),
)
