"""Rows that stand in the set more than once, and rows that contradict each other."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import msgspec

from annotation.auditing.check import Audited, Check, Finding, Row

_PLACE = {"id", "item_id", "file"}
_RUN = {"seed", "run_idx", "run_name", "case_id", "question_id", "question_index", "candidate_index", "timestamp", "target_pool_seed"}
"""Names of a payload that say which run made it and nothing of what is asked."""


def _groups(keyed: Iterable[tuple[Hashable, Row]]) -> list[list[Row]]:
    found: dict[Hashable, list[Row]] = defaultdict(list)
    for key, row in keyed:
        found[key].append(row)
    return [rows for rows in found.values() if len(rows) > 1]


def _ids(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(row.row_id for row in rows)


def content(row: Row) -> str:
    """Equal for rows that are equal but for their ids."""
    if row.task is not None and row.task.provenance.dataset == "vantage":
        value: Any = {k: v for k, v in row.task.document().items() if k not in ("task_id", "provenance", "twin", "supersedes")}
    else:
        value = {k: v for k, v in row.raw.items() if k not in _PLACE}
    return _hash(value)


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def _exact(audited: Audited) -> Iterator[Finding]:
    for rows in _groups((content(row), row) for row in audited.rows if row.raw or row.task):
        first = rows[0]
        for row in rows[1:]:
            together = _ids(r for r in rows if r is not row)
            yield Finding(row, f"Equals row {first.row_id} ({first.file or 'in the store'}) in every field but its id.", together)


def _id_twice(audited: Audited) -> Iterator[Finding]:
    for rows in _groups((row.row_id, row) for row in audited.rows if row.raw or row.task):
        for row in rows[1:]:
            yield Finding(row, f"The id {row.row_id} is also that of {rows[0].file or 'another task'}.", _ids(rows[:1]))


CHECKS = (
    Check(
        id="duplicate-exact",
        severity="error",
        about="Rows that are equal in every field but their id. Each copy after the first is named; a copy counts an answer twice and "
        "can stand in both halves of a split.",
        fix="Keep the first, leave the copies out of the set.",
        look=_exact,
    ),
    Check(
        id="duplicate-id",
        severity="error",
        about="Different rows with one id: results that name the id cannot be told apart.",
        fix="Give every row an id of its own.",
        look=_id_twice,
    ),
)
