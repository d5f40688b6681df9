"""How full the places of a study are, by category and paradigm and task by task: free, live, completed, missing."""

from __future__ import annotations

import msgspec

from data.store import Store, dumps
from study.states import LIVE
from study.studies import Study

TASKS_AT_ONCE = 60
"""Tasks of a category that are looked at together."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """The places of a category, or of one task, in a paradigm."""

    name: str
    """The category, or the task's id."""
    paradigm: str
    tasks: int
    free: int
    """Nobody has them, and they are reserved for nobody."""
    live: int
    """Somebody does the task, or has it reserved in the session that they have begun."""
    completed: int
    missing: int
    """The study wants them (`Study.per_task`) and there are none: a task that was taken out, or places that were closed. 0 in a study
    without a number of places."""

    @property
    def wanted(self) -> int:
        """All of them."""
        return self.free + self.live + self.completed + self.missing

    @property
    def share(self) -> float | None:
        """Completed, of all that are wanted; None: none are."""
        return self.completed / self.wanted if self.wanted else None

    @property
    def words(self) -> str:
        """In words, for whoever cannot see the colours."""
        return f"{self.completed} completed, {self.live} live, {self.free} free, {self.missing} missing"


_COUNTS = (
    "p.paradigm, count(*) AS tasks, sum(p.free) AS free, sum(p.claimed + p.filled - p.completed) AS live, sum(p.completed) AS completed, "
    "sum(max(0, :each - p.free - p.claimed - p.filled)) AS missing"
)
_OF = "p.study_id = :study AND p.mode = :mode"


def by_category(store: Store, study: Study, *, mode: str = LIVE) -> list[Cell]:
    """Each category in each paradigm of which there are places, by name."""
    # An index holds all but the completed ones, in this order; those that are held are few at any moment, and the others are completed.
    sql = (
        "SELECT p.category AS name, p.paradigm, count(*) AS tasks, sum(p.free) AS free, sum(p.claimed) AS live, "
        "sum(p.filled) AS completed, sum(max(0, :each - p.free - p.claimed - p.filled)) AS missing "
        f"FROM places p INDEXED BY places_levels WHERE {_OF} GROUP BY p.paradigm, p.category"
    )
    held_sql = (
        "SELECT p.category, p.paradigm, count(*) AS n FROM slots s JOIN places p USING (study_id, mode, paradigm, task_hash) "
        "WHERE s.study_id = :study AND s.mode = :mode AND s.state = 'held' AND s.practice = 0 GROUP BY p.category, p.paradigm"
    )
    rows = store.query(held_sql, {"study": study.study_id, "mode": mode})
    held = {(row["category"], row["paradigm"]): int(row["n"]) for row in rows}
    cells = []
    for cell in store.rows(sql, Cell, _values(study, mode)):
        n = held.get((cell.name, cell.paradigm), 0)
        cells.append(msgspec.structs.replace(cell, live=cell.live + n, completed=cell.completed - n))
    return sorted(cells, key=lambda cell: (cell.name, cell.paradigm))


def by_task(store: Store, study: Study, category: str, *, mode: str = LIVE, most: int = TASKS_AT_ONCE, skip: int = 0) -> list[Cell]:
    """Each task of a category in each paradigm, `most` tasks after the first `skip`, by their ids."""
    tasks = (
        "SELECT DISTINCT t.content_hash, t.task_id FROM places p JOIN tasks t ON t.content_hash = p.task_hash "
        f"WHERE {_OF} AND p.category = :category ORDER BY t.task_id LIMIT :most OFFSET :skip"
    )
    sql = (
        f"SELECT t.task_id AS name, {_COUNTS} FROM ({tasks}) t JOIN places p ON p.task_hash = t.content_hash WHERE {_OF} "
        "GROUP BY t.task_id, p.paradigm ORDER BY t.task_id, p.paradigm"
    )
    return store.rows(sql, Cell, _values(study, mode) | {"category": category, "most": most, "skip": skip})


_MOVES = ("slot_state", "assigned", "places_reserved", "study_published", "study_state", "erased")


def stand(store: Store) -> tuple[int, ...]:
    """Another value whenever a place of any study may have changed."""
    found = store.query(
        f"SELECT (SELECT max(seq) FROM events WHERE kind = value) AS seq FROM json_each('{dumps(list(_MOVES))}')",
    )
    return tuple(int(row["seq"] or 0) for row in found)


def _values(study: Study, mode: str) -> dict[str, object]:
    return {"study": study.study_id, "mode": mode, "each": study.per_task or 0}
