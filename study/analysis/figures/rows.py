"""What figures have in common when they make their rows."""

from __future__ import annotations

from collections.abc import Sequence

from data.subcategories import CATEGORIES, SUBCATEGORIES
from study.analysis.figures.figure import Choice
from study.analysis.trials import Trial, Trials

ALL = "All tasks"
"""In place of a category: all of them together."""


def chosen(trials: Trials, choice: Choice) -> tuple[Trial, ...]:
    """The trials that a choice looks at, those included that declared rules leave out: measures count them and say so."""
    return tuple(row for row in trials.rows if not choice.paradigms or row.paradigm in choice.paradigms)


def categories_of(rows: Sequence[Trial]) -> list[str]:
    """The categories met, in the paper's order; others behind them by name."""
    met = {row.category for row in rows}
    return [name for name in CATEGORIES if name in met] + sorted(met - set(CATEGORIES))


def subcategories_of(rows: Sequence[Trial]) -> list[tuple[str, str]]:
    """The (category, subcategory) met, in the paper's order; others behind them by name."""
    met = {(row.category, row.subcategory) for row in rows}
    declared = [kind.key for kind in SUBCATEGORIES if kind.key in met]
    return declared + sorted(met - set(declared))
