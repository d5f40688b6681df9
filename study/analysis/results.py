"""The results of a study: every figure with its rows and its drawing. Page, report and recomputation all come from here."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.plurals import number_of
from data.spreadsheets import csv_cell
from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice, Figure, Line, Table, Unit
from study.analysis.figures.rows import PEOPLE, chosen
from study.analysis.trials import Trials
from study.measures.rounding import half_up

MEASURED = ("value", "low", "high", "n", "n_missing", "n_excluded", "method", "reason")
"""Columns of a measure in a file."""
MOST_REASONS = 2
"""So many reasons for missing values stand below a figure; more stand in the rows alone."""


@dataclass(frozen=True)
class Result:
    """One figure of one study."""

    figure: Figure
    tables: tuple[Table, ...]
    counts: str
    """How many trials it looks at, were not answered and are left out: a sentence."""

    @property
    def plot(self) -> dict[str, Any]:
        """Its drawing as ``{data, layout}`` for Plotly's own script."""
        drawn: dict[str, Any] = self.figure.draw([table for table in self.tables if table.drawn]).to_dict()
        return drawn


def results(trials: Trials, choice: Choice, only: Sequence[str] = ()) -> tuple[Result, ...]:
    """The figures of some trials.

    Args:
        trials: of one study.
        choice: what of them is looked at.
        only: names of figures; empty: every one.
    """
    counts = counted(trials, choice)
    return tuple(Result(figure, tuple(figure.tables(trials, choice)), counts) for figure in FIGURES if not only or figure.name in only)


def counted(trials: Trials, choice: Choice) -> str:
    """How many trials a choice looks at, and what is missing of them."""
    rows = chosen(trials, choice)
    kept = [row for row in rows if choice.with_excluded or not row.excluded]
    answered = sum(row.answered for row in kept)
    people, tasks = len({row.person for row in kept}), len({row.task_id for row in kept})
    left = f"{len(rows) - len(kept):,} left out by declared rules"
    if choice.with_excluded:
        left_out = sum(1 for row in kept if row.excluded)
        left = f"{number_of(left_out, 'that declared rules leave out is', 'that declared rules leave out are')} counted"
    models = len({row.agent for row in trials.rows} - {PEOPLE}) if any(row.agent == PEOPLE for row in trials.rows) else 0
    left += f"; {number_of(models, 'model has', 'models have')} trials too, which are in no figure here" if models else ""
    selected = {row.task_id for row in kept if row.selected}
    if selected:
        of = sum(row.task_id in selected for row in kept)
        why = (
            "task that was taken because its recorded answer holds here",
            "tasks that were taken because their recorded answers hold here",
        )
        left += f"; {number_of(of, 'trial')} of {number_of(len(selected), *why)}"
    said = f"{number_of(answered, 'answer')} of {number_of(people, 'person', 'people')} to {number_of(tasks, 'task')}"
    return f"{said}; {number_of(len(kept) - answered, 'trial')} without an answer; {left}."


def beside(result: Result) -> list[str]:
    """What has to stand beside a figure, in sentences: how many answers, what is missing and left out, of what kind its intervals are."""
    tables = result.tables
    lines = [line.measure for table in tables for line in table.lines]
    told = [result.counts]
    methods = list(dict.fromkeys(found.method for found in lines if found.interval is not None))
    told += [f"Interval, 95 %: {method}." for method in methods] or ["No interval can be given."]
    why = list(dict.fromkeys(found.reason for found in lines if found.reason))
    if len(why) > MOST_REASONS:
        told.append(f"{sum(bool(found.reason) for found in lines):,} values are missing or have no interval; each row says why.")
    elif why:
        told.append(f"A dash, or a value without an interval: {'; '.join(why)}.")
    return told + list(dict.fromkeys(note for table in tables for note in table.notes))


def row_of(table: Table, line: Line) -> dict[str, Any]:
    """One row, flat and unrounded: names, value, interval, counts, what stands beside it."""
    found = line.measure
    low, high = found.interval or (None, None)
    measured = (found.value, low, high, found.n, found.n_missing, found.n_excluded, found.method, found.reason)
    known: Mapping[str, Any] = {**line.of, **line.beside}
    return {key: known.get(key) for key in table.columns} | dict(zip(MEASURED, measured, strict=True))


def as_csv(table: Table) -> str:
    """A table as CSV for spreadsheets; numbers are unrounded, shares from 0 to 1."""
    written = io.StringIO()
    out = csv.writer(written)
    out.writerow([*table.columns, *MEASURED])
    for line in table.lines:
        out.writerow([csv_cell(cell) for cell in row_of(table, line).values()])
    return written.getvalue()


def as_json(found: Sequence[Result]) -> list[dict[str, Any]]:
    """Every figure with every measure, as JSON values."""
    return [
        {
            "name": one.figure.name,
            "title": one.figure.title,
            "definition": one.figure.definition,
            "beside": beside(one),
            "tables": [
                {
                    "name": table.name,
                    "title": table.title,
                    "unit": table.unit,
                    "columns": dict(table.columns),
                    "notes": list(table.notes),
                    "rows": [row_of(table, line) for line in table.lines],
                }
                for table in one.tables
            ],
        }
        for one in found
    ]


def cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """A table as people read it: headings, and rows of text. What cannot be said is a dash."""
    reasons = any(line.measure.reason for line in table.lines)
    head = [*table.columns.values(), table.heading, "95 % interval", "n", "Not given", "Left out", *(["Why not"] if reasons else [])]
    rows = []
    for line in table.lines:
        found = line.measure
        known = {**line.of, **line.beside}
        named = [in_words(known.get(key), table.units.get(key, "number")) for key in table.columns]
        low, high = found.interval or (None, None)
        interval = f"{number(low, table.unit)} to {number(high, table.unit)}" if found.interval else "–"
        counts = [f"{found.n:,}", f"{found.n_missing:,}", f"{found.n_excluded:,}"]
        rows.append([*named, number(found.value, table.unit), interval, *counts, *([found.reason] if reasons else [])])
    return head, rows


def in_words(value: Any, unit: Unit) -> str:
    """What names a row, or stands beside it."""
    if value is None:
        return "–"
    return number(value, unit) if isinstance(value, float) else str(value).replace("_", " ")


def number(value: float | None, unit: Unit) -> str:
    """A value as people read it: shares in percent; halves are rounded up, as the published tables are."""
    if value is None:
        return "–"
    if unit == "number":
        text = half_up(value, 3).rstrip("0").rstrip(".") or "0"
    else:
        text = half_up(100 * value, 1) + (" %" if unit == "share" else "")
        text = f"+{text}" if unit == "points" and value > 0 else text
    return text.replace("-", "−")
