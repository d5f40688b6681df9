"""What a figure is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from study.analysis.choice import Choice as Choice
from study.analysis.trials import Trials
from study.measures.record import Measure

Unit = Literal["share", "points", "number"]
"""How values are told: a share as percent, a difference of shares as percentage points, anything else as it is."""


@dataclass(frozen=True)
class Line:
    """One row of a figure: of what, and what was found."""

    of: Mapping[str, str | int | float]
    """Names its row: e.g. ``{"paradigm": "active", "category": "Metric Comparison"}``; the same keys in each row of a table."""
    measure: Measure
    beside: Mapping[str, str | float | None] = field(default_factory=dict)
    """What stands beside it: chance, the published figure, …; None: there is none, which is drawn as a dash."""


@dataclass(frozen=True)
class Table:
    """The rows of a figure."""

    name: str
    """Names its CSV file and its place in figures.json."""
    columns: Mapping[str, str]
    """Key of `Line.of` or `Line.beside` → its heading in words."""
    lines: Sequence[Line]
    notes: Sequence[str] = ()
    """Sentences that have to stand below: what is missing, excluded, corrected for, or cannot be said."""
    unit: Unit = "share"
    units: Mapping[str, Unit] = field(default_factory=lambda: {"chance": "share", "published": "share"})
    """Key of `Line.beside` → how its numbers are told; others are numbers."""
    heading: str = "Accuracy"
    """Of the column of values."""
    title: str = ""
    """Above its rows, where a figure has several tables."""
    drawn: bool = True
    """Whether the drawing shows it; a table that only stands below it is not."""


@dataclass(frozen=True)
class Figure:
    """One declared figure."""

    name: str
    """Its key in addresses, files and figures.json."""
    title: str
    definition: str
    """What is counted over what, its interval and its source, in plain words."""
    tables: Callable[[Trials, Choice], Sequence[Table]]
    """Its rows; with a study that cannot say, tables whose measures have a reason."""
    draw: Callable[[Sequence[Table]], Any]
    """A plotly figure from its rows alone."""
