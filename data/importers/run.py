"""Importing into the store: whole batches or nothing, and a report whose parts add up."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from pydantic import BaseModel

from data.importers.esi import Imported, import_rows
from data.importers.reading import Rejection
from data.store import Store

BATCH_ROWS = 250
"""Rows written in one transaction."""


class RejectedRow(BaseModel):
    """One row that was not taken, and why."""

    file: str
    """Name relative to the given folder."""
    field: str
    """The field at fault; empty where the file as a whole is."""
    reason: str
    """One sentence."""


class ImportReport(BaseModel):
    """What an import did: ``rows == imported + duplicates + len(rejected)``; summary lists are not rows."""

    rows: int = 0
    imported: int = 0
    duplicates: int = 0
    rejected: list[RejectedRow] = []
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return self.model_dump()


def import_paths(store: Store, paths: Iterable[str | os.PathLike[str]]) -> ImportReport:
    """Import released rows into the store.

    Args:
        store: an open store.
        paths: row files, folders, summary lists.

    Returns:
        The report.

    Raises:
        StoreError: the store cannot be written (full disk, …). What was committed before stays, each row whole; running the import
            again goes on.
    """
    started = time.monotonic()
    report = ImportReport()
    entries = (e for e in import_rows(paths) if isinstance(e, (Imported, Rejection)))
    while batch := _next(entries):
        results = _write(store, batch)
        report.rows += len(batch)
        report.imported += results.count("imported")
        report.duplicates += results.count("duplicate")
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
