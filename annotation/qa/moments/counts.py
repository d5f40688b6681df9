"""The funnel: how many moments were sampled, filtered, kept and dropped, why, and with what effort."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from annotation.qa.items import VIEWS
from annotation.qa.moments.records import BREAK_S
from annotation.qa.projects import get_project
from data.store import Store

PROGRAMS = ("set-up", "command line")
"""Who acts without effort: what programs decide and generate is not counted as people's work."""


@dataclass(frozen=True)
class Effort:
    """Time that people spent at one stage, from the events."""

    done: int
    """Decisions, or items."""
    timed: int
    """Those whose time is known and without a break (`BREAK_S`)."""
    seconds: float
    """In all, of the timed ones."""
    median_s: float | None


@dataclass(frozen=True)
class Funnel:
    """From episodes to items."""

    project_id: str
    episodes: int
    """Imported, of all sources."""
    incomplete: int
    """Of these, without all views of their arm: not sampled."""
    sampled: int
    filtered: dict[str, int]
    """Reason → moments that the rules hold back now."""
    waiting: int
    """Candidates that nobody has decided about."""
    kept: dict[str, int]
    """Reason → moments."""
    dropped: dict[str, int]
    rescued: int
    """Kept by a person although a rule spoke against them."""
    triaged: int
    triage: dict[str, int]
    """Subtask → moments that a model thinks could serve it."""
    used: int
    """Kept moments from which an item was begun."""
    items: dict[str, int]
    """State → items made from moments."""
    by_source: dict[str, dict[str, int]]
    """Source → state → moments."""
    effort: dict[str, Effort]
    """Stage (``moments``, ``authoring``, ``review``) → time."""
    thresholds: dict[str, float]
    added: int = 0
    """New moments of the call that returned this."""
    stages: list[tuple[str, int]] = field(default_factory=list)
    """The funnel in words, from wide to narrow."""


def funnel(store: Store, project_id: str, *, added: int = 0) -> Funnel:
    """The counts of a project."""
    project = get_project(store, project_id)
    states: dict[str, Counter[str]] = defaultdict(Counter)
    by_source: dict[str, Counter[str]] = defaultdict(Counter)
    triage: Counter[str] = Counter()
    rescued = triaged = 0
    found = store.query(_MOMENTS, [project_id])
    for row in found:
        states[row["state"]][row["reason"]] += 1
        by_source[row["source"]][row["state"]] += 1
        rescued += row["state"] == "kept" and row["held_back"] is not None
        triaged += row["triage"] is not None
        triage.update(json.loads(row["triage"] or "[]"))
    items, used = _items(store, project_id, {row["moment_id"] for row in found if row["state"] == "kept"})
    episodes, incomplete = _episodes(store)
    passed, kept = len(found) - states["filtered"].total(), states["kept"].total()
    return Funnel(
        project_id=project_id,
        episodes=episodes,
        incomplete=incomplete,
        sampled=len(found),
        filtered=dict(states["filtered"].most_common()),
        waiting=states["candidate"].total(),
        kept=dict(states["kept"].most_common()),
        dropped=dict(states["dropped"].most_common()),
        rescued=rescued,
        triaged=triaged,
        triage=dict(triage.most_common()),
        used=used,
        items=items,
        by_source={source: dict(count) for source, count in sorted(by_source.items())},
        effort=_effort(store, project_id),
        thresholds=project.thresholds.model_dump(),
        added=added,
        stages=[
            ("Episodes imported", episodes),
            ("with all views", episodes - incomplete),
            ("Moments sampled", len(found)),
            ("not held back by the rules", passed),
            ("decided", kept + states["dropped"].total()),
            ("kept", kept),
            ("used for an item", used),
            ("Items accepted", items.get("accepted", 0)),
        ],
    )


_MOMENTS = (
    "SELECT m.moment_id, m.state, m.reason, json_extract(m.document, '$.filter.reason') AS held_back, "
    "json_extract(m.document, '$.triage.subtasks') AS triage, CASE s.name WHEN '' THEN s.kind ELSE s.name END AS source FROM moments m "
    "JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id) WHERE m.project_id = ?"
)


def _episodes(store: Store) -> tuple[int, int]:
    """Imported episodes, and those of them that lack a view."""
    rows = store.query("SELECT arm, document FROM robot_episodes")
    lacking = sum(not set(VIEWS.get(row["arm"], ())) <= set(json.loads(row["document"]).get("views", {})) for row in rows)
    return len(rows), lacking


def _items(store: Store, project_id: str, kept: set[str]) -> tuple[dict[str, int], int]:
    """State → items made from moments of the project, and how many kept moments have one."""
    rows = store.query(
        "SELECT i.state, json_extract(v.document, '$.moment') AS moment FROM qa_items i "
        "JOIN qa_versions v ON v.item_id = i.item_id AND v.version = i.version WHERE i.project_id = ?",
        [project_id],
    )
    known = {row["moment_id"] for row in store.query("SELECT moment_id FROM moments WHERE project_id = ?", [project_id])}
    mine = [row for row in rows if row["moment"] in known]
    return dict(Counter(row["state"] for row in mine)), len({row["moment"] for row in mine} & kept)


def _effort(store: Store, project_id: str) -> dict[str, Effort]:
    decided = [
        json.loads(row["data"])
        for row in store.query(
            "SELECT data FROM events WHERE kind = 'moment_decided' AND json_extract(data, '$.project') = ? "
            "AND actor NOT IN (?, ?) ORDER BY seq",
            [project_id, *PROGRAMS],
        )
    ]
    reviews = store.query(
        "SELECT r.assigned_at, r.decided_at FROM qa_reviews r JOIN qa_items i USING (item_id) "
        "WHERE i.project_id = ? AND r.decided_at IS NOT NULL",
        [project_id],
    )
    return {
        "moments": _total([data.get("seconds") for data in decided], BREAK_S),
        "authoring": _total(_authoring(store, project_id), 10 * BREAK_S),
        "review": _total([_between(row["assigned_at"], row["decided_at"]) for row in reviews], BREAK_S),
    }


def _authoring(store: Store, project_id: str) -> list[float | None]:
    """Seconds from one event of an item to the next while it was a draft or revised, added up per item: breaks left out."""
    rows = store.query(
        "SELECT e.at, e.data FROM events e JOIN qa_items i ON i.item_id = json_extract(e.data, '$.item') "
        "WHERE e.kind = 'qa_item' AND i.project_id = ? AND i.origin = 'authored' AND i.author NOT IN (?, ?) ORDER BY e.seq",
        [project_id, *PROGRAMS],
    )
    spent: dict[str, float] = {}
    last: dict[str, str] = {}
    sent: set[str] = set()
    for row in rows:
        data = json.loads(row["data"])
        item, event = data["item"], data["event"]
        if event in ("edit", "submit") and item in last:
            seconds = _between(last[item], row["at"])
            spent[item] = spent.get(item, 0.0) + (seconds if seconds <= BREAK_S else 0.0)
        if event == "submit":
            sent.add(item)
            last.pop(item, None)
        elif event in ("create", "edit", "restore"):
            last[item] = row["at"]
    return [spent.get(item) for item in sorted(sent)]


def _between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _total(seconds: list[Any], most: float) -> Effort:
    timed = [s for s in seconds if s is not None and s <= most]
    return Effort(len(seconds), len(timed), round(sum(timed), 1), round(median(timed), 1) if timed else None)


def as_json(found: Funnel) -> Mapping[str, Any]:
    """The funnel as plain JSON values."""
    return {**vars(found), "effort": {stage: vars(one) for stage, one in found.effort.items()}, "stages": [list(s) for s in found.stages]}
