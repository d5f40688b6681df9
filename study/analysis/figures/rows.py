"""What figures have in common when they make their rows."""

from __future__ import annotations

from collections.abc import Sequence

from data.subcategories import CATEGORIES, SUBCATEGORIES
from study.analysis.figures.figure import Choice
from study.analysis.trials import Trial, Trials, paradigms_of

PEOPLE = "human"
"""`Trial.agent` of people: figures are of them."""
ALL = "All tasks"
"""In place of a category: all of them together."""


def chosen(trials: Trials, choice: Choice) -> tuple[Trial, ...]:
    """The trials that a choice looks at: people's, or where nobody came models'. What declared rules leave out is among them: measures
    count it and say so."""
    people = [row for row in trials.rows if row.agent == PEOPLE] or trials.rows
    return tuple(row for row in people if not choice.paradigms or row.paradigm in choice.paradigms)


def people(rows: Sequence[Trial]) -> int:
    """Who gave the answers, counted."""
    return len({row.person for row in rows if row.answered})


def by_paradigm(rows: Sequence[Trial]) -> list[tuple[str, list[Trial]]]:
    """Each paradigm that was met, with its trials."""
    return [(way, [row for row in rows if row.paradigm == way]) for way in paradigms_of(rows)]


def categories_of(rows: Sequence[Trial]) -> list[str]:
    """The categories met, in the paper's order; others behind them by name."""
    met = {row.category for row in rows}
    return [name for name in CATEGORIES if name in met] + sorted(met - set(CATEGORIES))


def subcategories_of(rows: Sequence[Trial]) -> list[tuple[str, str]]:
    """The (category, subcategory) met, in the paper's order; others behind them by name."""
    met = {(row.category, row.subcategory) for row in rows}
    declared = [kind.key for kind in SUBCATEGORIES if kind.key in met]
    return declared + sorted(met - set(declared))
