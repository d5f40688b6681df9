"""Made-up released rows for the audit's tests: one of each runner (those of the importer's tests), and what is changed in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotation.auditing.check import Audited, Finding, Row
from annotation.auditing.reading import read_raw
from annotation.auditing.registry import checks
from data.importers.reading import RawRow
from tests.data.released_rows import BUILDERS

Change = Callable[[dict[str, Any]], None]


def released(row_id: str = "0042", runner: str = "line", change: Change | None = None, **more: Any) -> dict[str, Any]:
    """A row as its file holds it; `change` edits its decoded metadata."""
    value = BUILDERS[runner]() | {"id": row_id} | more
    if change is not None:
        metadata = json.loads(value["metadata_json"])
        change(metadata)
        value["metadata_json"] = json.dumps(metadata)
    return value


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def read(value: dict[str, Any], file: str = "") -> Row:
    row = read_raw(RawRow(file or f"{value.get('id')}.json", value))
    assert row is not None
    return row


def found(check_id: str, *values: dict[str, Any]) -> list[Finding]:
    """What one check finds in some rows."""
    return list(checks()[check_id].look(Audited([read(value) for value in values])))
