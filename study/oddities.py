"""What is technically odd while a study runs: one line each, with what to do. Counted over what is new, so that it stays cheap and what
was dealt with goes away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from data.store import Store, now, written
from study.access import EVERY_STUDY
from study.states import LIVE
from study.words import person as person_name

RECENT_H = 1.0
"""What is older than so many hours is not counted; reports of people are kept longer (`REPORTS_H`)."""
REPORTS_H = 24.0
STEPS = 1000
"""So many of the newest steps are looked at."""
SLOW_MS = 2000.0
"""A step is slow that kept the simulator for longer, milliseconds."""
NO_VIEW_S = 60.0
"""A task that was opened and has shown nothing after so long cannot be played, or waits for a simulator."""
PICTURES = 50
"""Of so many of the newest steps it is looked whether their picture is on the disk."""


@dataclass(frozen=True)
class Kind:
    """A class of oddities."""

    name: str
    words: str
    """What is counted."""
    todo: str
    """What to do."""


KINDS: tuple[Kind, ...] = (
    Kind("report", "problem reports of people in the last day", "Read them below; write to the person, or end their part."),
    Kind(
        "offline",
        "times that somebody lost the connection in the last hour",
        "One person: nothing. Several at once: look at the network.",
    ),
    Kind(
        "reopened",
        "tasks opened again in the last hour",
        "Nothing where people load the page again; many at once: look at the server and the network.",
    ),
    Kind(
        "no_view",
        "tasks opened whose first view did not come",
        "Look at the simulators below, and open the task yourself; give its places back.",
    ),
    Kind(
        "slow",
        f"of the last {STEPS:,} steps kept a simulator for more than {SLOW_MS / 1000:g} s",
        "Look at the simulators below: more of them, or smaller scenes.",
    ),
    Kind(
        "clipped",
        f"of the last {STEPS:,} views look out of a wall or a thing",
        "Nothing: they are flagged. Many in one task: look at its start.",
    ),
    Kind(
        "resumed",
        "times in the last hour that an episode went on with another picture than it had",
        "They are flagged (resume_differs). Look whether the simulator was updated meanwhile.",
    ),
    Kind(
        "picture",
        f"of the last {PICTURES} pictures are not on the disk",
        "Let nobody in, and run `vantage doctor`.",
    ),
)
"""The registry, in the order of the page."""


class Oddity(msgspec.Struct, frozen=True, kw_only=True):
    """So many of one kind."""

    kind: str
    """A name of `KINDS`."""
    count: int
    newest: str
    """When the newest was; empty: it is not known."""


class _Counted(msgspec.Struct, frozen=True):
    n: int
    newest: str


def found(store: Store, study_id: str, *, mode: str = LIVE, picture: Callable[[str], Path] | None = None) -> list[Oddity]:
    """The oddities of a kind of run of a study (or of all, ``*``) of which there are any, in the order of `KINDS`.

    Args:
        store: the database.
        study_id: the study.
        mode: kind of run.
        picture: where a picture lies (`data.frames.FrameStore.path`); None: it is not looked.
    """
    since = first_since(store, _ago(hours=RECENT_H))
    values = {"study": study_id, "every": EVERY_STUDY, "mode": mode, "since": since}
    steps = values | {"most": STEPS, "slow": SLOW_MS}
    counted = {
        "report": _reports(store, values),
        "offline": _count(store, _OFFLINE, values),
        "reopened": _count(store, _REOPENED, values),
        "no_view": _count(store, _NO_VIEW, values | {"before": _ago(hours=NO_VIEW_S / 3600)}),
        "slow": _count(store, _SLOW, steps),
        "clipped": _count(store, _CLIPPED, {name: value for name, value in steps.items() if name != "slow"}),
        "resumed": _count(store, _RESUMED, values),
        "picture": _lost(store, values, picture) if picture is not None else _Counted(0, ""),
    }
    return [Oddity(kind=kind.name, count=counted[kind.name].n, newest=counted[kind.name].newest) for kind in KINDS if counted[kind.name].n]


_OF = "(:study = :every OR e.study_id = :study) AND e.mode = :mode"
_EVENTS = "SELECT count(*) AS n, coalesce(max(v.at), '') AS newest FROM events v JOIN episodes e USING (episode_id) WHERE"
_OFFLINE = f"{_EVENTS} v.kind = 'page' AND v.seq >= :since AND json_extract(v.data, '$.what') = 'offline' AND {_OF}"
_REOPENED = f"{_EVENTS} v.kind = 'opened' AND v.seq >= :since AND json_extract(v.data, '$.epoch') > 1 AND {_OF}"
_RESUMED = f"{_EVENTS} v.kind = 'resumed' AND v.seq >= :since AND NOT json_extract(v.data, '$.verified') AND {_OF}"
_NEWEST = (
    "FROM steps s INDEXED BY steps_event JOIN episodes e USING (episode_id) "
    f"WHERE s.event_seq >= :since AND {_OF} ORDER BY s.event_seq DESC LIMIT :most"
)
_STEPS = f"(SELECT s.timing_ms, s.clipped, s.server_time {_NEWEST})"
_SLOW = f"SELECT count(*) AS n, coalesce(max(server_time), '') AS newest FROM {_STEPS} WHERE json_extract(timing_ms, '$.total') > :slow"
_CLIPPED = f"SELECT count(*) AS n, coalesce(max(server_time), '') AS newest FROM {_STEPS} WHERE clipped"
# what is shown without a step of its own says so in an event
_NO_VIEW = (
    "SELECT count(*) AS n, coalesce(max(e.started_at), '') AS newest FROM participants p JOIN episodes e USING (participant_id) "
    "WHERE (:study = :every OR p.study_id = :study) AND p.mode = :mode AND p.state IN ('consented', 'practised') AND e.state = 'active' "
    "AND e.last_seq < 0 AND e.started_at < :before AND e.pictures = 0 "
    "AND NOT EXISTS (SELECT 1 FROM events v WHERE v.episode_id = e.episode_id AND v.kind = 'shown')"
)


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One report of somebody who takes part."""

    participant_id: str
    number: int
    where: str
    """The stage of their way, or the task's id."""
    text: str
    at: str

    @property
    def who(self) -> str:
        """``P012``."""
        return person_name(self.number)


def reported(store: Store, study_id: str, *, mode: str = LIVE, hours: float = REPORTS_H, most: int = 20) -> list[Reported]:
    """The newest reports of people of a kind of run of a study (or of all, ``*``), wherever they were written."""
    values = {"study": study_id, "every": EVERY_STUDY, "mode": mode, "since": first_since(store, _ago(hours=hours)), "most": most}
    return store.rows(f"{_REPORTED} ORDER BY at DESC LIMIT :most", Reported, values)


_PERSON = "(:study = :every OR p.study_id = :study) AND p.mode = :mode"
_REPORTED = (
    "SELECT p.participant_id, p.number, json_extract(v.data, '$.stage') AS \"where\", json_extract(v.data, '$.text') AS text, v.at "
    f"FROM events v JOIN participants p USING (participant_id) WHERE v.kind = 'report' AND v.seq >= :since AND {_PERSON} UNION ALL "
    "SELECT p.participant_id, p.number, t.task_id AS \"where\", json_extract(v.data, '$.text') AS text, v.at FROM events v "
    "JOIN episodes e USING (episode_id) JOIN participants p ON p.participant_id = e.participant_id "
    f"JOIN tasks t ON t.content_hash = e.task_hash WHERE v.kind = 'problem' AND v.seq >= :since AND {_PERSON}"
)


def _reports(store: Store, values: dict[str, object]) -> _Counted:
    wanted = values | {"since": first_since(store, _ago(hours=REPORTS_H))}
    return _count(store, f"SELECT count(*) AS n, coalesce(max(at), '') AS newest FROM ({_REPORTED})", wanted)


def _count(store: Store, sql: str, values: dict[str, object]) -> _Counted:
    return store.row(sql, _Counted, values) or _Counted(0, "")


def _lost(store: Store, values: dict[str, object], picture: Callable[[str], Path]) -> _Counted:
    """Of the newest steps those whose picture is not on the disk."""
    rows = store.query(f"SELECT s.pixel_hash, s.server_time {_NEWEST}", values | {"most": PICTURES})
    gone = [row["server_time"] for row in rows if not picture(row["pixel_hash"]).is_file()]
    return _Counted(len(gone), gone[0] if gone else "")


@dataclass(frozen=True)
class Speed:
    """How long the simulators took for the newest steps, of whatever study."""

    steps: int
    p50_ms: float
    p95_ms: float


def speed(store: Store, *, hours: float = RECENT_H, most: int = 200) -> Speed | None:
    """Of so many of the newest steps; None: there are none."""
    rows = store.query(
        "SELECT json_extract(timing_ms, '$.total') AS ms FROM steps INDEXED BY steps_event WHERE event_seq >= ? "
        "AND json_extract(timing_ms, '$.total') IS NOT NULL ORDER BY event_seq DESC LIMIT ?",
        [first_since(store, _ago(hours=hours)), most],
    )
    took = sorted(float(row["ms"]) for row in rows)
    if not took:
        return None
    return Speed(len(took), took[(len(took) - 1) // 2], took[min(len(took) - 1, -(-95 * len(took) // 100) - 1)])


def first_since(store: Store, at: str) -> int:
    """The number of the first event that is not older than `at`; the log is in order of time, so it is found by halving."""
    low, high = 1, store.last_event() + 1
    while low < high:
        middle = (low + high) // 2
        row = store.one("SELECT seq, at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1", [middle])
        if row is None or row["at"] >= at:
            high = middle
        else:
            low = int(row["seq"]) + 1
    return low


def _ago(*, hours: float) -> str:
    return written(datetime.fromisoformat(now()) - timedelta(hours=hours))
