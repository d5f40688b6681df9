"""Items as they stand: where each is in its state table, and its current document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Item
from annotation.reviewing.kinds.robot_questions import KIND
from data.store import Store, dumps


class ItemRow(msgspec.Struct, frozen=True):
    """A row of `qa_items` with the document of its version."""

    item_id: str
    project_id: str
    number: int
    subtask: str
    state: str
    version: int
    round: int
    trial: bool
    origin: str
    author: str
    created_at: str
    updated_at: str
    document: str


class Made(msgspec.Struct, frozen=True):
    """Items of one author in one state."""

    author: str
    state: str
    trial: bool
    n: int


class _Version(msgspec.Struct, frozen=True):
    version: int


class _Name(msgspec.Struct, frozen=True):
    subtask: str
    number: int


class _Count(msgspec.Struct, frozen=True):
    subtask: str
    state: str
    n: int


@dataclass(frozen=True)
class Stored:
    """An item as it stands."""

    item: Item
    project_id: str
    number: int
    """Within its project and subtask: its name in exports."""
    state: str
    version: int
    """Also the revision that a save must name."""
    round: int
    """Rounds of review so far."""
    trial: bool
    origin: str
    """``authored`` here, or ``imported``."""
    author: str
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class Saved:
    """What a save made."""

    rev: int
    saved_at: str


_ROWS = "SELECT i.*, v.document FROM qa_items i JOIN qa_versions v ON v.item_id = i.item_id AND v.version = i.version"


def get(store: Store, item_id: str) -> Stored:
    """The item as it stands.

    Raises:
        UnknownItem: there is none.
    """
    row = store.row(f"{_ROWS} WHERE i.item_id = ?", ItemRow, [item_id])
    if row is None:
        raise UnknownItem(f"There is no item {item_id[:60]!r} here.")
    return _stored(row)


def version_of(store: Store, item_id: str) -> int:
    """Its current version.

    Raises:
        UnknownItem: there is none.
    """
    row = store.row("SELECT version FROM qa_items WHERE item_id = ?", _Version, [item_id])
    if row is None:
        raise UnknownItem(f"There is no item {item_id[:60]!r} here.")
    return row.version


def items(
    store: Store, project_id: str, *, state: str | None = None, subtask: str | None = None, author: str | None = None
) -> list[Stored]:
    """The items of a project, by subtask and number."""
    wanted = {"i.state": state, "i.subtask": subtask, "i.author": author}
    where = "".join(f" AND {name} = ?" for name, value in wanted.items() if value is not None)
    given = [project_id, *(value for value in wanted.values() if value is not None)]
    rows = store.rows(f"{_ROWS} WHERE i.project_id = ?{where} ORDER BY i.subtask, i.number", ItemRow, given)
    return [_stored(row) for row in rows]


def numbers(store: Store, item_ids: Sequence[str]) -> list[tuple[str, int]]:
    """Subtask and number of each of these items: their names in exports."""
    sql = "SELECT subtask, number FROM json_each(?) JOIN qa_items ON item_id = value ORDER BY key"
    rows = store.rows(sql, _Name, [dumps(list(item_ids))])
    return [(row.subtask, row.number) for row in rows]


def counts(store: Store, project_id: str) -> dict[str, dict[str, int]]:
    """Subtask → state → items; trial items aside."""
    found: dict[str, dict[str, int]] = {}
    sql = "SELECT subtask, state, count(*) AS n FROM qa_items WHERE project_id = ? AND trial = 0 GROUP BY subtask, state"
    for row in store.rows(sql, _Count, [project_id]):
        found.setdefault(row.subtask, {})[row.state] = row.n
    return found


def made(store: Store, project_id: str) -> list[Made]:
    """How many items each author has made in a project."""
    sql = "SELECT author, state, trial, count(*) AS n FROM qa_items WHERE project_id = ? GROUP BY author, state, trial"
    return store.rows(sql, Made, [project_id])


def trials(store: Store, project_id: str) -> list[str]:
    """Ids of the trial items of a project, by author, oldest first."""
    sql = "SELECT item_id FROM qa_items WHERE project_id = ? AND trial = 1 ORDER BY author, created_at"
    return [row["item_id"] for row in store.query(sql, [project_id])]


def stand(store: Store, project_id: str) -> tuple[Any, ...]:
    """Changes whenever an item of the project does."""
    row = store.one(
        "SELECT count(*) AS n, max(updated_at) AS at, sum(version) AS versions, group_concat(DISTINCT state) AS states, "
        "sum(state = 'accepted') AS accepted FROM qa_items WHERE project_id = ?",
        [project_id],
    )
    return (project_id, *(row or {}).values())


def by_state(store: Store, project_id: str, author: str) -> dict[str, int]:
    """State → items of an author in a project, in the order of the states."""
    sql = "SELECT '' AS subtask, state, count(*) AS n FROM qa_items WHERE project_id = ? AND author = ? GROUP BY state"
    found = {row.state: row.n for row in store.rows(sql, _Count, [project_id, author])}
    return {state: found[state] for state in KIND.states if state in found}


def _stored(row: ItemRow) -> Stored:
    return Stored(
        Item.read(row.document), row.project_id, row.number, row.state, row.version, row.round, row.trial, row.origin, row.author,
        row.created_at, row.updated_at,
    )  # fmt: skip
