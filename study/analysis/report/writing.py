"""The report as a folder: page, CSV, JSON and pictures, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from data.files import replace_folder
from data.store import now, os_error
from study.analysis.figures.figure import Choice
from study.analysis.report.about import Section, of_trials
from study.analysis.report.page import page
from study.analysis.report.pictures import save_pictures
from study.analysis.results import as_csv, as_json, results
from study.analysis.trials import Trials
from study.errors import StudyError

FIGURES = "figures.json"
"""Every measure of every figure; marks a folder as a report of ours: such a folder may be replaced."""
PAGE = "report.html"
SAME = "No declared rule leaves a trial out, so the figures with and without exclusions are the same."
LEFT = "Drawings and first tables leave out {n:,} trials by declared rules ({rules}); the second tables have them."


class ReportRefused(StudyError):
    """The report cannot be written there."""

    code = "report_refused"


class Written(msgspec.Struct, frozen=True):
    """What a report holds."""

    figures: int
    tables: int
    pictures: int
    trials: int
    note: str
    """Why there are no pictures, and how to make them; empty where there are."""


def write_report(
    trials: Trials, choice: Choice, sections: Sequence[Section], out: Path, *, program: str | None = None, pictures: bool = True
) -> Written:
    """Write the report of some trials.

    Args:
        trials: of one study.
        choice: what of them is looked at; both with and without what declared rules leave out, whatever it says of that.
        sections: more of what the page says first.
        out: the folder; an earlier report there is replaced.
        program: a browser that draws the pictures; None: there is none.
        pictures: whether any are asked for.

    Raises:
        ReportRefused: the folder holds something else.
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    out = out.absolute()
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / FIGURES).is_file())):
        raise ReportRefused(f"{out} holds something that is no report, so nothing was written: name another folder.")
    shown, others = (results(trials, replace(choice, with_excluded=also)) for also in (False, True))
    about = [of_trials(trials, choice), *sections]

    def write(folder: Path) -> Written:
        (folder / "tables").mkdir()
        if pictures:
            (folder / "pictures").mkdir()
        tables = 0
        for one in shown:
            for table in one.tables:
                # for spreadsheets, which take a file without the mark for the computer's own code page
                (folder / "tables" / f"{table.name}.csv").write_bytes(as_csv(table).encode("utf-8-sig"))
                tables += 1
        told: dict[str, Any] = {"made_by": "vantage", "format": 1, "written_at": now(), "about": [_as_told(section) for section in about]}
        told |= {"without_excluded": as_json(shown), "with_excluded": as_json(others)}
        (folder / FIGURES).write_text(json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        text = page(trials.title or "A study", about, shown, others, _differ(trials))
        (folder / PAGE).write_text(text, encoding="utf-8")
        made, why = save_pictures(folder / PAGE, folder / "pictures", program) if pictures else (0, "")
        return Written(len(shown), tables, made, len(trials.rows), why)

    try:
        return replace_folder(out, write)
    except OSError as error:
        raise os_error(error, f"write the report {out}") from error


def _differ(trials: Trials) -> str:
    rules = sorted({rule for row in trials.rows for rule in row.excluded})
    left = sum(1 for row in trials.rows if row.excluded)
    return LEFT.format(n=left, rules=", ".join(rules)) if left else SAME


def _as_told(section: Section) -> dict[str, Any]:
    return {"title": section.title, "facts": dict(section.facts), "sentences": list(section.sentences)}
