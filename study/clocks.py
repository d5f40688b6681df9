"""Time limits: how long somebody has been at a task and at the tasks of a session by the server's clock, and what is left.

What counts is the time at the task's page, from its first picture on. Waiting for us does not count (measurement 19), nor what lies
between two openings of a task (the page was closed, the computer asleep), nor a lost connection, without which nothing can be done; pages
and breaks between tasks neither. A question about pictures has its time from the first showing on.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store, now
from study import seats, sittings, states
from study.protocol import Protocol
from study.records import EpisodeRecord, ParticipantRecord
from study.spans import TOLD, Event, Step, cut, ms_of, of_episode
from study.studies import Study, published

GRACE_S = 2.0
"""What was sent within a time limit may arrive so much later (seconds)."""
LEAST_S = 10.0
"""With less left of a session no further task is begun (seconds)."""
LOST = {"offline", "online"}
"""What of a page says that the connection is lost, and that it is back."""
Limit = Literal["task", "session"]


class Left(msgspec.Struct, frozen=True):
    """What is left of the limit that comes first."""

    seconds: float
    """Negative once it is over."""
    limit: Limit


def task_limit_s(protocol: Protocol, record: EpisodeRecord) -> float | None:
    """Seconds that an episode may take; None: there is no limit. In scenes it is people's alone: a program's time is its machine's."""
    return protocol.time_limit_s if record.agent_kind == "human" or record.met.timed else None


def limited(store: Store, record: EpisodeRecord) -> bool:
    """Whether any limit may end an episode; nothing is read to tell, but a version of its study that was never read before."""
    return task_limit_s(record.settings, record) is not None or _session_study(store, record) is not None


def left(store: Store, record: EpisodeRecord) -> Left | None:
    """What is left to an episode that has been shown; None: there is no limit, or it is over."""
    if record.last_seq < 0 or record.state in states.OVER:
        return None
    found = []
    limit = task_limit_s(record.settings, record)
    if limit is not None:
        found.append(Left(limit - at_task_s(store, record), "task"))
    if (session := _of_session(store, record)) is not None:
        found.append(Left(session, "session"))
    return min(found, key=lambda one: one.seconds, default=None)


def at_task_s(store: Store, record: EpisodeRecord) -> float:
    """Seconds that somebody has been at a task, counted as above; of one that goes on, until now."""
    over = record.state in states.OVER
    if record.met.timed:
        if record.started_at is None:
            return 0.0
        ended = record.finished_at if over and record.finished_at else now()
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(record.started_at)).total_seconds()
    known = _KNOWN.setdefault(store, {})
    if over and record.episode_id in known:
        return known[record.episode_id]
    one = [record.episode_id]
    kinds = "('opened', 'page', 'belief', 'answered', 'simulator_away', 'simulator_back')"
    events = store.rows(f"{TOLD} WHERE episode_id = ? AND kind IN {kinds} ORDER BY seq", Event, one)
    events = [event if event.what in LOST else msgspec.structs.replace(event, what="") for event in events]
    steps = store.rows(
        "SELECT episode_id, seq, epoch, client_time_ms, painted_ms, server_time FROM steps WHERE episode_id = ? ORDER BY seq", Step, one
    )
    if not over:
        events.append(Event(episode_id=record.episode_id, kind="page", at=now(), epoch=record.epoch))
    heard = [ms_of(event.at) for event in events] + [ms_of(step.server_time) for step in steps]
    if not heard:
        return 0.0
    counted = cut(min(heard), max(heard), of_episode(record.episode_id, steps, events))["thinking"] / 1000
    if over:
        known[record.episode_id] = counted
    return counted


_KNOWN: WeakKeyDictionary[Store, dict[str, float]] = WeakKeyDictionary()
"""Store → episodes that are over, and how long somebody was at them."""


def ended_by(store: Store, record: EpisodeRecord) -> Literal["", "time_limit", "session_time"]:
    """Which time limit ended an episode; empty: none did."""
    if record.state not in states.OVER:
        return ""
    if store.one("SELECT 1 AS yes FROM answers WHERE episode_id = ? AND stopped_by = 'time_limit'", [record.episode_id]):
        return "time_limit"
    if record.state != "timed_out" or record.participant_id is None or record.trial_index is None:
        return ""
    ended = any(one.trial == record.trial_index for one in sittings.cuts(store, record.participant_id))
    return "session_time" if ended else ""


def session_left_s(store: Store, study: Study, person: ParticipantRecord) -> float | None:
    """Seconds that are left of somebody's session; None: the study sets none."""
    if study.session_minutes is None:
        return None
    own = seats.given(store, person.participant_id)
    completed = [slot for slot in own if slot.state == "completed"]
    now_in = sittings.sitting(completed, seats.size_of(store, study, person.mode), sittings.cuts(store, person.participant_id))
    rows = store.rows(
        "SELECT e.* FROM episodes e JOIN slots s USING (slot_id) WHERE e.participant_id = ? AND s.practice = 0 AND s.trial_index > ?",
        EpisodeRecord,
        [person.participant_id, now_in.after],
    )
    return 60 * study.session_minutes - sum(at_task_s(store, row) for row in rows if row.last_seq >= 0)


def tasks_held(study: Study) -> int:
    """How many tasks the time of a session holds, whoever does them; 0 where a task has no limit of its own: one may take all of it.

    Args:
        study: one that limits its sessions (`Study.session_minutes`).
    """
    limit = study.protocol.time_limit_s
    return 0 if limit is None else int(60 * (study.session_minutes or 0) // max(limit + GRACE_S, LEAST_S))


def end_session(store: Store, person: ParticipantRecord) -> None:
    """Keep that the time of somebody's session is up, and free what was reserved for it; part of the caller's transaction."""
    own = seats.given(store, person.participant_id)
    done = sum(slot.state == "completed" for slot in own)
    told = {"done": done, "trial": max((slot.trial_index or 0 for slot in own), default=0)}
    store.event(sittings.ENDED, told, study_id=person.study_id, participant_id=person.participant_id)
    seats.give_up(store, person.participant_id, "the session's time was up")


def _of_session(store: Store, record: EpisodeRecord) -> float | None:
    """What is left of the session in which an episode is a task; None: it is in none, or there is no limit."""
    study = _session_study(store, record)
    if study is None or store.one("SELECT 1 AS yes FROM slots WHERE slot_id = ? AND practice = 1", [record.slot_id]):
        return None
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [record.participant_id])
    return None if person is None else session_left_s(store, study, person)


def _session_study(store: Store, record: EpisodeRecord) -> Study | None:
    """The study whose sessions are limited in which somebody has an episode; None: theirs are not, or it is nobody's."""
    if record.study_id is None or record.participant_id is None or record.slot_id is None:
        return None
    study = published(store, record.study_id, record.version)
    return None if study.session_minutes is None else study
