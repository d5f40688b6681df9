"""Which session somebody is in: each ends when all its tasks are completed, or when its time is up (`Study.session_minutes`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from data.rows import Json
from data.store import Store
from study.records import SlotRecord
from study.studies import Study

ENDED = "session_time_up"
"""The event that the time of somebody's session was up."""


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session ended because its time was up."""

    done: int
    """Tasks that were completed then, of all sessions."""
    trial: int
    """Trial index of the last task that had been given."""


@dataclass(frozen=True)
class Sitting:
    """How far somebody is."""

    ended: int
    """Sessions that have ended."""
    done: int
    """Tasks completed in the one after them."""
    after: int
    """Trial index of the last task of the sessions that have ended; 0: none has."""


class _Told(msgspec.Struct, frozen=True):
    data: Annotated[Cut, Json]


def cuts(store: Store, participant_id: str) -> list[Cut]:
    """The sessions of somebody that their time ended, in order."""
    sql = "SELECT data FROM events WHERE participant_id = ? AND kind = ? ORDER BY seq"
    return [one.data for one in store.rows(sql, _Told, [participant_id, ENDED])]


def cuts_in(store: Store, study: Study, participant_id: str) -> list[Cut]:
    """As `cuts`; nothing is read where the study limits no session."""
    return [] if study.session_minutes is None else cuts(store, participant_id)


def sitting(completed: Sequence[SlotRecord], size: int, ended_by_time: Sequence[Cut]) -> Sitting:
    """Which session comes after those that have ended.

    Args:
        completed: the tasks that somebody has completed, in order.
        size: tasks of a session; 0: there is nothing to give.
        ended_by_time: from `cuts`.

    Example:
        Of sessions of 10, with 14 tasks completed and the first session's time up after 4: two have ended, and none is begun.
    """
    ended = start = after = timed = 0
    while size:
        if timed < len(ended_by_time) and ended_by_time[timed].done < start + size:
            start, after, timed = ended_by_time[timed].done, ended_by_time[timed].trial, timed + 1
        elif len(completed) >= start + size:
            start += size
            after = completed[start - 1].trial_index or 0
        else:
            break
        ended += 1
    return Sitting(ended=ended, done=max(0, len(completed) - start), after=after)
