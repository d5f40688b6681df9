"""Importing into the store: whole batches or nothing, and a report whose parts add up."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from data.importers.importer import Imported, Importer
from data.importers.reading import Rejection
from data.importers.registry import detect, importers
from data.store import Store, StoreError

BATCH_ROWS = 250
"""Rows written in one transaction."""


class UnknownFormat(StoreError):
    """No importer has this name; the message lists those that exist."""


class RejectedRow(BaseModel):
    """One row that was not taken, and why."""

    file: str
    """Name relative to the given folder."""
    field: str
    """The field at fault; empty where the file as a whole is."""
    reason: str
    """One sentence."""


class DefectiveRow(BaseModel):
    """One imported row that cannot be played as it is."""

    file: str
    """Name relative to the given folder."""
    defects: list[str]
    """Why, in words."""


class ImportReport(BaseModel):
    """What an import did: ``rows == imported + duplicates + len(rejected)``; summary lists are not rows."""

    rows: int = 0
    imported: int = 0
    duplicates: int = 0
    rejected: list[RejectedRow] = []
    defective: list[DefectiveRow] = []
    """Of those imported."""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The report as `--json` prints it."""
        return self.model_dump()

    def by_defect(self) -> dict[str, list[str]]:
        """Defect → the files of the rows that have it."""
        found: dict[str, list[str]] = {}
        for row in self.defective:
            for defect in row.defects:
                found.setdefault(defect, []).append(row.file)
        return found


def chosen(paths: Iterable[str | os.PathLike[str]], form: str | None = None) -> Importer:
    """The importer of this name; None: the one that takes the paths for its own.

    Raises:
        UnknownFormat: there is none of this name.
    """
    if form is None:
        return detect(Path(path) for path in paths)
    if form not in importers():
        raise UnknownFormat(f"There is no data set format {form!r}; known: {', '.join(importers())}.")
    return importers()[form]


def import_paths(store: Store, paths: Iterable[str | os.PathLike[str]], form: str | None = None) -> ImportReport:
    """Import rows of a data set into the store.

    Args:
        store: an open store.
        paths: files, folders, lists of rows.
        form: name of the importer; None: found out.

    Returns:
        The report.

    Raises:
        UnknownFormat: there is no such importer.
        StoreError: the store cannot be written (full disk, …). What was committed before stays, each row whole; running the import
            again goes on.
    """
    started = time.monotonic()
    files = [Path(path) for path in paths]
    importer = chosen(files, form)
    report = ImportReport()
    entries = (e for e in importer.rows(files) if isinstance(e, (Imported, Rejection)))
    while batch := _next(entries):
        results = _write(store, batch)
        report.rows += len(batch)
        report.imported += results.count("imported")
        report.duplicates += results.count("duplicate")
        report.defective += [
            DefectiveRow(file=entry.file, defects=list(entry.task.defects))
            for entry, result in zip(batch, results, strict=True)
            if isinstance(entry, Imported) and result == "imported" and entry.task.defects
        ]
        report.rejected += [RejectedRow(file=r.file, field=r.field, reason=r.reason) for r in results if isinstance(r, Rejection)]
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _next(entries: Iterator[Imported | Rejection]) -> list[Imported | Rejection]:
    """The next batch. Parsed rows are trees of small objects without cycles: collecting cycles meanwhile would cost a fifth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return list(islice(entries, BATCH_ROWS))
    finally:
        if collecting:
            gc.enable()


def _write(store: Store, batch: list[Imported | Rejection]) -> list[str | Rejection]:
    results: list[str | Rejection] = []
    with store.atomic():
        for entry in batch:
            if isinstance(entry, Rejection):
                store.reject_import(entry.file, entry.field, entry.reason)
                results.append(entry)
            else:
                results.append(store.put_task(entry.task, entry.dedup_key))
    return results
