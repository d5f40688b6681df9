"""How full a study's places are: counts of its slots by task and paradigm, which the database keeps (`places`)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from data.store import Store
from study.paradigms.paradigm import Paradigm
from study.seating import Levels

HEAD = 12
"""How many of the least filled tasks of a category in a paradigm are looked at, where a session can be planned from so few."""


class Count(NamedTuple):
    """A task in a paradigm of which there is a place, whoever has it."""

    way: str
    category: str
    filled: int
    """Places whose people have completed the task, or are doing it."""
    task_hash: str
    claimed: int
    """Places that are reserved for somebody who has not begun."""
    left: int
    """Places of which nobody has completed the task: free, reserved, or held."""


_COUNT = "SELECT p.paradigm, p.category, p.filled, p.task_hash, p.claimed, p.free + p.claimed + p.filled - p.completed FROM places p"
_OF = "p.study_id = :study AND p.mode = :mode AND p.paradigm = :way"
_SHOWN = (
    "(:partner = '' OR EXISTS (SELECT 1 FROM places q WHERE q.study_id = p.study_id AND q.mode = p.mode AND q.paradigm = :partner "
    "AND q.task_hash = p.task_hash AND q.completed > 0))"
)
"""A yoked task can be shown once a partner has completed it."""
_THERE = "(p.free > 0 OR p.claimed > 0 OR p.filled > 0)"
_ENDS = (
    "SELECT p.category, min(p.filled), max(p.filled), 1 FROM places p INDEXED BY places_levels "
    f"WHERE {_OF} AND {_THERE} GROUP BY p.category"
)
"""Category, lowest and highest of its tasks, and whether all of them can be shown."""
_ENDS_SHOWN = (
    f"WITH t AS MATERIALIZED (SELECT p.category, p.filled, {_SHOWN} AS shown FROM places p INDEXED BY places_levels "
    f"WHERE {_OF} AND {_THERE}) "
    "SELECT category, min(filled) FILTER (WHERE shown), max(filled) FILTER (WHERE shown), min(shown) FROM t GROUP BY category"
)
"""The same in a partner's paradigm, of the tasks that can be shown."""
_HELD = (
    "SELECT p.category, min(p.completed) FROM slots s INDEXED BY slots_used JOIN places p USING (study_id, mode, paradigm, task_hash) "
    "WHERE s.study_id = :study AND s.mode = :mode AND s.state = 'held' AND s.practice = 0 AND s.paradigm = :way GROUP BY p.category"
)
"""Category, and how many have completed the one of its tasks that are being done which the fewest have; few are done at any moment."""


def levels(store: Store, study_id: str, mode: str, ways: Iterable[Paradigm]) -> Levels:
    """Lowest and highest number of people who have done or are doing a task, in each paradigm and each category of it."""
    by_way: dict[str, tuple[int, int]] = {}
    by_cell: dict[tuple[str, str], tuple[int, int]] = {}
    stays: dict[tuple[str, str], int] = {}
    for way in ways:
        ends = _all(store, _ENDS_SHOWN if way.partner else _ENDS, study_id, mode, way)
        if shown := [(low, high) for _, low, high, _ in ends if low is not None]:
            by_way[way.name] = (min(low for low, _ in shown), max(high for _, high in shown))
        by_cell |= {(way.name, category): (low, high) for category, low, high, _ in ends if low is not None}
        held: dict[str, int] = dict(_all(store, _HELD, study_id, mode, way))
        for category, low, _, whole in ends:
            stays[way.name, category] = min(low, held.get(category, low)) if whole else 0
    return Levels(by_way, by_cell, stays)


def open_to_all(store: Store, study_id: str, mode: str, way: Paradigm) -> list[Count]:
    """Every task in a paradigm of which somebody could be given a place."""
    sql = f"{_COUNT} INDEXED BY places_open WHERE {_OF} AND p.free > 0 AND {_SHOWN}"
    return [Count(*row) for row in _all(store, sql, study_id, mode, way)]


def least_filled(store: Store, study_id: str, mode: str, way: Paradigm, category: str, most: int) -> list[Count]:
    """The `most` least filled tasks of a category in a paradigm of which somebody could be given a place."""
    sql = (
        f"{_COUNT} INDEXED BY places_open WHERE {_OF} AND p.category = :category AND p.free > 0 AND {_SHOWN} "
        "ORDER BY p.filled, p.task_hash LIMIT :most"
    )
    return [Count(*row) for row in _all(store, sql, study_id, mode, way, category=category, most=most)]


def everywhere(store: Store, study_id: str, mode: str, ways: Iterable[Paradigm], *, also_closed: bool = False) -> list[Count]:
    """Every task in every paradigm of which there is a place, however full; yoked ones whether or not a partner has completed them.

    Args:
        store: the database.
        study_id: the study.
        mode: kind of run.
        ways: in these paradigms.
        also_closed: those too of which there was one.
    """
    sql = f"{_COUNT} WHERE {_OF}" + ("" if also_closed else f" AND {_THERE}")
    return [Count(*row) for way in ways for row in _all(store, sql, study_id, mode, way)]


def of_tasks(store: Store, study_id: str, mode: str, ways: Iterable[Paradigm], tasks: Collection[tuple[str, str]]) -> list[Count]:
    """The counts of some tasks (content hashes), each with its paradigm."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for task_hash, way_name in sorted(tasks):
        wanted[way_name].append(task_hash)
    sql = f"{_COUNT} WHERE {_OF} AND p.task_hash IN (SELECT value FROM json_each(:tasks)) AND {_SHOWN} ORDER BY p.task_hash"
    found = ((way, wanted[way.name]) for way in ways if way.name in wanted)
    return [Count(*row) for way, own in found for row in _all(store, sql, study_id, mode, way, tasks=json.dumps(own))]


def are_made(store: Store, study_id: str, mode: str) -> bool:
    """Whether there are places of a kind of run."""
    return store.one("SELECT 1 AS yes FROM places WHERE study_id = ? AND mode = ? LIMIT 1", [study_id, mode]) is not None


def _all(store: Store, sql: str, study_id: str, mode: str, way: Paradigm, **values: object) -> list[tuple[Any, ...]]:
    # plain tuples: there may be thousands, many times a second
    given = {"study": study_id, "mode": mode, "way": way.name, "partner": way.partner} | values
    rows: list[tuple[Any, ...]] = store.db.execute(sql, {name: value for name, value in given.items() if f":{name}" in sql}).fetchall()
    return rows
