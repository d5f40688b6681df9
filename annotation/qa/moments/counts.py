"""The funnel: how many moments were sampled, filtered, kept and dropped, why, and with what effort."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any
from weakref import WeakKeyDictionary

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
    triaged = 0
    for row in store.query(_MOMENTS, [project_id]):
        states[row["state"]][row["reason"]] += row["n"]
        by_source[row["source"]][row["state"]] += row["n"]
    for row in store.query(_TRIAGED, [project_id]):
        triaged += row["n"]
        for subtask in json.loads(row["triage"]):
            triage[subtask] += row["n"]
    rescued = len(store.query(_RESCUED, [project_id]))
    sampled = sum(count.total() for count in states.values())
    items, used = _items(store, project_id)
    episodes, incomplete = _episodes(store)
    passed, kept = sampled - states["filtered"].total(), states["kept"].total()
    return Funnel(
        project_id=project_id,
        episodes=episodes,
        incomplete=incomplete,
        sampled=sampled,
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
            ("Moments sampled", sampled),
            ("not held back by the rules", passed),
            ("decided", kept + states["dropped"].total()),
            ("kept", kept),
            ("used for an item", used),
            ("Items accepted", items.get("accepted", 0)),
        ],
    )


# The values of the documents that are counted stand in the index moments_figures, and those of the items' documents in
# qa_versions_moment: no document is read. (SQLite takes values of expressions from an index only where it does not group at once.)
_MOMENTS = """
    WITH counted AS MATERIALIZED (
        SELECT state, reason, episode_id, count(*) AS n FROM moments INDEXED BY moments_figures WHERE project_id = ?
        GROUP BY state, reason, episode_id
    )
    SELECT c.state, c.reason, CASE s.name WHEN '' THEN s.kind ELSE s.name END AS source, sum(c.n) AS n
    FROM counted c JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id) GROUP BY 1, 2, 3
"""
_TRIAGED = """
    WITH opinions AS MATERIALIZED (
        SELECT json_extract(document, '$.triage.subtasks') AS triage FROM moments INDEXED BY moments_figures
        WHERE project_id = ? AND json_extract(document, '$.triage.subtasks') IS NOT NULL
    )
    SELECT triage, count(*) AS n FROM opinions GROUP BY triage
"""
_RESCUED = """
    SELECT reason FROM moments INDEXED BY moments_figures
    WHERE project_id = ? AND state = 'kept' AND json_extract(document, '$.filter.reason') IS NOT NULL
"""


def _episodes(store: Store) -> tuple[int, int]:
    """Imported episodes, and those of them that lack a view."""
    rows = store.query("SELECT arm, views, count(*) AS n FROM robot_episodes GROUP BY arm, views")
    lacking = sum(row["n"] for row in rows if not set(VIEWS.get(row["arm"], ())) <= set(json.loads(row["views"])))
    return sum(row["n"] for row in rows), lacking


_USED = """
    WITH made AS MATERIALIZED (
        SELECT i.state, m.moment_id AS moment, m.state = 'kept' AS kept
        FROM qa_items i JOIN qa_versions v INDEXED BY qa_versions_moment ON v.item_id = i.item_id AND v.version = i.version
        JOIN moments m INDEXED BY moments_stand ON m.moment_id = json_extract(v.document, '$.moment')
        WHERE i.project_id = ? AND m.project_id = i.project_id
    )
    SELECT state, count(*) AS n, (SELECT count(DISTINCT moment) FROM made WHERE kept) AS used FROM made GROUP BY state
"""


def _items(store: Store, project_id: str) -> tuple[dict[str, int], int]:
    """State → items made from moments of the project, and how many kept moments have one."""
    rows = store.query(_USED, [project_id])
    return {row["state"]: row["n"] for row in rows}, rows[0]["used"] if rows else 0


class _Spent:
    """Times that people spent, added up from the log as it grows.

    The log only grows and its numbers rise with every commit, so what was read stays right, and a view reads what is new since the last
    one. Several programs each read for themselves.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seq = 0
        self.decided: dict[str, list[float | None]] = defaultdict(list)
        """Project → seconds of each decision about a moment."""
        self.reviewed: dict[str, list[float]] = defaultdict(list)
        """Project → seconds of each review."""
        self.worked: dict[str, dict[str, float]] = defaultdict(dict)
        """Project → item → seconds at which its author worked on it: breaks left out."""
        self.sent: dict[str, set[str]] = defaultdict(set)
        """Project → items that were sent in."""
        self._since: dict[str, str] = {}
        """Item → when its author last touched it."""

    def catch_up(self, store: Store) -> None:
        """Read the events that were committed since the last time."""
        rows = store.query(_EVENTS, {"seq": self.seq})
        for row in rows:
            data = json.loads(row["data"])
            if row["kind"] == "qa_item":
                self._item(row["project_id"], row["subject"], data["event"], row["at"])
            elif row["kind"] == "moment_decided":
                self.decided[data["project"]].append(data.get("seconds"))
            else:
                self.reviewed[row["project_id"]].append(_between(row["assigned_at"], row["at"]))
        if rows:
            self.seq = rows[-1]["seq"]

    def _item(self, project_id: str, item: str, event: str, at: str) -> None:
        worked = self.worked[project_id]
        if event in ("edit", "submit") and item in self._since:
            seconds = _between(self._since[item], at)
            worked[item] = worked.get(item, 0.0) + (seconds if seconds <= BREAK_S else 0.0)
        if event == "submit":
            self.sent[project_id].add(item)
            self._since.pop(item, None)
        elif event in ("create", "edit", "restore"):
            self._since[item] = at


_SPENT: WeakKeyDictionary[Store, _Spent] = WeakKeyDictionary()

_EVENTS = """
    SELECT * FROM (
        SELECT e.seq, e.kind, e.at, e.subject, e.data, i.project_id, NULL AS assigned_at FROM events e JOIN qa_items i
        ON i.item_id = e.subject WHERE e.kind = 'qa_item' AND e.seq > :seq AND i.origin = 'authored' AND i.author NOT IN ({programs})
        UNION ALL
        SELECT e.seq, e.kind, e.at, e.subject, e.data, NULL, NULL FROM events e
        WHERE e.kind = 'moment_decided' AND e.seq > :seq AND e.actor NOT IN ({programs})
        UNION ALL
        SELECT e.seq, e.kind, e.at, e.subject, e.data, i.project_id, r.assigned_at FROM events e JOIN qa_items i
        ON i.item_id = e.subject JOIN qa_reviews r ON r.review_id = json_extract(e.data, '$.review')
        WHERE e.kind = 'qa_review_decided' AND e.seq > :seq
    ) ORDER BY seq
""".format(programs=", ".join(f"'{name}'" for name in PROGRAMS))


def _effort(store: Store, project_id: str) -> dict[str, Effort]:
    # Inside a transaction the log may still be rolled back: what is read there is not kept.
    spent = _Spent() if store.db.conn.in_transaction else _SPENT.setdefault(store, _Spent())
    with spent.lock:
        spent.catch_up(store)
        return {
            "moments": _total(spent.decided[project_id], BREAK_S),
            "authoring": _total([spent.worked[project_id].get(item) for item in spent.sent[project_id]], 10 * BREAK_S),
            "review": _total(spent.reviewed[project_id], BREAK_S),
        }


def _between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _total(seconds: Sequence[float | None], most: float) -> Effort:
    timed = [s for s in seconds if s is not None and s <= most]
    return Effort(len(seconds), len(timed), round(sum(timed), 1), round(median(timed), 1) if timed else None)


def as_json(found: Funnel) -> Mapping[str, Any]:
    """The funnel as plain JSON values."""
    return {**vars(found), "effort": {stage: vars(one) for stage, one in found.effort.items()}, "stages": [list(s) for s in found.stages]}
