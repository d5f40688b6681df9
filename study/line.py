"""Who is let in to a session, who waits for one, and for whom there is none: any number of people at once, in the order in which they came.

Nobody is turned away while a session can be had. Where none is free, but one could come free (somebody leaves, or gives a task back), the
person has a dated place in the line. Whatever comes free is offered to the line in its order, to those who are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from data.store import Store, now
from study import seats
from study.records import ParticipantRecord
from study.studies import Study

THERE_MINUTES = 2.5
"""Who has not asked for so long has left the line's head to those behind; their place in it is kept."""
NOTED_MINUTES = 1.0
"""How often it is written down that somebody who waits is still there."""


class Waiting(msgspec.Struct, frozen=True):
    """A place in the line."""

    number: int
    """1 for the first."""
    since: str
    """When they came."""


@dataclass(frozen=True)
class Full:
    """There is no session for this person, and none can come free."""


class _InLine(msgspec.Struct, frozen=True):
    since: str
    seen_at: str
    tried: int


def admit(store: Store, study: Study, person: ParticipantRecord) -> Waiting | Full | None:
    """Reserve the person's session, or the rest of it, if it can be had; asking again changes nothing while nothing has come free.

    Returns:
        None: their places are reserved, or they have done all; their place in the line; or that there is none.
    """
    row = store.row("SELECT since, seen_at, tried FROM waiting WHERE participant_id = ?", _InLine, [person.participant_id])
    times = _openings(store, study, person.mode)
    if (row is not None and row.tried == times) or _others_first(store, study, person, row, times):
        return _wait(store, study, person, row, row.tried if row else -1)
    found, _ = seats.take(store, study, person, begin=False)
    if found.rest or found.done or (found.begun and not found.hope):
        return None
    if found.hope:
        return _wait(store, study, person, row, times)
    with store.atomic() as db:
        db.execute("DELETE FROM waiting WHERE participant_id = ?", [person.participant_id])
    return Full()


def of(store: Store, participant_id: str) -> Waiting | None:
    """Somebody's place in the line that they stand in."""
    return store.row(
        "SELECT (SELECT count(*) FROM waiting w WHERE w.study_id = me.study_id AND w.mode = me.mode "
        "AND (w.since, w.participant_id) <= (me.since, me.participant_id)) AS number, me.since FROM waiting me WHERE me.participant_id = ?",
        Waiting,
        [participant_id],
    )


def _openings(store: Store, study: Study, mode: str) -> int:
    """How often anything has changed that may let in somebody who waits."""
    row = store.one("SELECT times FROM openings WHERE study_id = ? AND mode = ?", [study.study_id, mode])
    return int(row["times"]) if row else 0


def _others_first(store: Store, study: Study, person: ParticipantRecord, row: _InLine | None, times: int) -> bool:
    """Whether somebody came before, is there, and has not tried yet what has come free."""
    return store.one(
        "SELECT 1 AS yes FROM waiting WHERE study_id = :study AND mode = :mode AND (since, participant_id) < (:since, :me) "
        "AND tried < :times AND seen_at >= :there LIMIT 1",
        {"study": study.study_id, "mode": person.mode, "since": row.since if row else now(), "me": person.participant_id}
        | {"times": times, "there": seats.before(minutes=THERE_MINUTES)},
    ) is not None  # fmt: skip


def _wait(store: Store, study: Study, person: ParticipantRecord, row: _InLine | None, tried: int) -> Waiting | None:
    """Their place in the line, which they have from now on; None: they were let in meanwhile, on another page."""
    if row is None or row.tried != tried or row.seen_at < seats.before(minutes=NOTED_MINUTES):
        at = now()
        with store.atomic() as db:
            db.execute(
                "INSERT INTO waiting (participant_id, study_id, mode, since, seen_at, tried) VALUES (:id, :study, :mode, :at, :at, :tried) "
                "ON CONFLICT (participant_id) DO UPDATE SET seen_at = :at, tried = :tried",
                {"id": person.participant_id, "study": study.study_id, "mode": person.mode, "at": at, "tried": tried},
            )
            if row is None:
                store.event("waiting", {"openings": tried}, at=at, study_id=study.study_id, participant_id=person.participant_id)
    return of(store, person.participant_id)
