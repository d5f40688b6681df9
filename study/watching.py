"""Where everybody of a study stands while it runs, and where people stop. Read by a page that asks again every few seconds: each question
costs a few index look-ups for each person under way, whatever the study's size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store, dumps, now
from study import payments
from study.access import EVERY_STUDY
from study.participants import get_participant
from study.paying import HOUR_MS
from study.payments import MINUTE_MS
from study.spans import SILENT_MS
from study.states import LIVE
from study.studies import get_study
from study.time_spent import OURS
from study.words import person as person_name

UNDER_WAY = ("entered", "welcomed", "consented", "practised")
"""States of people who may still do something."""
Stage = Literal["consent", "before", "practice", "waiting", "break", "task", "between"]
STAGES: Mapping[Stage, str] = {
    "consent": "at the consent",
    "before": "before the tasks",
    "practice": "practising",
    "waiting": "in the queue",
    "break": "on a break",
    "task": "at a task",
    "between": "between tasks",
}
"""Where somebody under way stands, in the order of their way → in words."""
Presence = Literal["here", "away", "offline", "silent"]
PRESENCES: Mapping[Presence, str] = {
    "offline": "offline",
    "silent": "nothing heard",
    "away": "in another window",
    "here": "here",
}
"""How somebody is there, what needs a look first → in words."""


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    participant_id: str
    number: int
    study_id: str
    version: int
    state: str
    created_at: str
    waits: bool
    began_at: str | None
    seen_at: str
    done: int
    episode_id: str | None
    episode_state: str
    task_id: str
    practice: bool
    own_at: str
    own_kind: str
    own_seq: int
    task_at: str
    task_seq: int
    page: str
    page_at: str


@dataclass(frozen=True)
class Watched:
    """One person under way."""

    participant_id: str
    number: int
    study_id: str
    stage: Stage
    task: int
    """At a task: which one, from 1; else 0."""
    tasks: int
    """Tasks of a participant of this study, over all sessions."""
    done: int
    """Tasks answered, practice aside."""
    task_id: str
    """Of the task under way; empty: none."""
    episode_id: str
    """Of the task under way; empty: none."""
    presence: Presence
    since: str
    """Since when they are there, or away, in this way: of whoever is here the last sign of life."""
    came_at: str
    """When their session began: the present one, where sessions are reserved; else when they came in."""
    seen_at: str
    """The last sign of life that the server kept."""
    stand: int
    """Another number whenever anything of theirs was kept."""

    @property
    def who(self) -> str:
        """``P012``."""
        return person_name(self.number)

    @property
    def where(self) -> str:
        """In words: ``task 3 of 8``."""
        return f"task {self.task} of {self.tasks}" if self.stage == "task" else STAGES[self.stage]

    @property
    def minutes(self) -> float:
        """From the beginning of the session to the last sign of life."""
        return max(0.0, (datetime.fromisoformat(self.seen_at) - datetime.fromisoformat(self.came_at)).total_seconds() / 60)


_SIGN = f"actor IN ('', p.participant_id) AND kind NOT IN ({', '.join(repr(kind) for kind in OURS)})"
_TELLS = "('hidden', 'visible', 'blur', 'focus', 'offline', 'online')"
_ROWS = f"""
    SELECT p.participant_id, p.number, p.study_id, p.version, p.state, p.created_at, w.participant_id IS NOT NULL AS waits,
           s.since AS began_at, max(coalesce(s.seen_at, ''), coalesce(w.seen_at, '')) AS seen_at,
           (SELECT count(*) FROM slots x WHERE x.participant_id = p.participant_id AND x.state = 'completed' AND x.practice = 0) AS done,
           e.episode_id, coalesce(e.state, '') AS episode_state, coalesce(t.task_id, '') AS task_id,
           coalesce(slot.practice, 0) AS practice,
           coalesce(own.at, '') AS own_at, coalesce(own.kind, '') AS own_kind, coalesce(own.seq, 0) AS own_seq,
           coalesce(task.at, '') AS task_at, coalesce(task.seq, 0) AS task_seq,
           coalesce(json_extract(page.data, '$.what'), '') AS page, coalesce(page.at, '') AS page_at
    FROM participants p
    LEFT JOIN waiting w USING (participant_id) LEFT JOIN seats s USING (participant_id)
    LEFT JOIN episodes e ON e.rowid = (SELECT max(n.rowid) FROM episodes n WHERE n.participant_id = p.participant_id)
    LEFT JOIN tasks t ON t.content_hash = e.task_hash LEFT JOIN slots slot ON slot.slot_id = e.slot_id
    LEFT JOIN events own ON own.seq = (SELECT v.seq FROM events v WHERE v.participant_id = p.participant_id AND {_SIGN}
        ORDER BY v.seq DESC LIMIT 1)
    LEFT JOIN events task ON task.seq = (SELECT v.seq FROM events v WHERE v.episode_id = e.episode_id AND {_SIGN}
        ORDER BY v.seq DESC LIMIT 1)
    LEFT JOIN events page ON e.state = 'active' AND page.seq = (SELECT v.seq FROM events v WHERE v.episode_id = e.episode_id
        AND v.kind IN ('page', 'opened', 'step') AND (v.kind <> 'page' OR json_extract(v.data, '$.what') IN {_TELLS})
        ORDER BY v.seq DESC LIMIT 1)
    WHERE (:study = :every OR p.study_id = :study) AND p.mode = :mode AND p.state IN {UNDER_WAY}
"""


def under_way(store: Store, study_id: str, *, mode: str = LIVE) -> list[Watched]:
    """Everybody of a kind of run of a study (or of all, ``*``) who has come and is not at an end: who needs a look first."""
    at, tasks = now(), {}
    found = []
    for row in store.rows(_ROWS, _Row, {"study": study_id, "every": EVERY_STUDY, "mode": mode}):
        key = (row.study_id, row.version)
        if key not in tasks:
            study = get_study(store, *key)
            tasks[key] = min(study.trials, len(study.tasks)) * study.sessions
        found.append(_watched(row, tasks[key], at))
    order = list(PRESENCES)
    return sorted(found, key=lambda one: (order.index(one.presence), one.study_id, one.number))


def _watched(row: _Row, tasks: int, at: str) -> Watched:
    seen = max(row.created_at, row.seen_at, row.own_at, row.task_at)
    stage = _stage(row)
    presence: Presence = "here"
    since = seen
    if row.page == "offline":
        presence, since = "offline", row.page_at
    elif (datetime.fromisoformat(at) - datetime.fromisoformat(seen)).total_seconds() * 1000 > SILENT_MS:
        presence = "silent"
    elif row.page in ("hidden", "blur"):
        presence, since = "away", row.page_at
    return Watched(
        participant_id=row.participant_id,
        number=row.number,
        study_id=row.study_id,
        stage=stage,
        task=row.done + 1 if stage == "task" else 0,
        tasks=tasks,
        done=row.done,
        task_id=row.task_id if stage in ("task", "practice") else "",
        episode_id=(row.episode_id or "") if stage in ("task", "practice") else "",
        presence=presence,
        since=since,
        came_at=row.began_at or row.created_at,
        seen_at=seen,
        stand=max(row.own_seq, row.task_seq),
    )


def _stage(row: _Row) -> Stage:
    if row.state in ("entered", "welcomed"):
        return "consent"
    if row.waits:
        return "waiting"
    if row.own_kind == "break_began" and row.episode_state != "active":
        return "break"
    if row.episode_state in ("created", "active"):
        return "practice" if row.practice else "task"
    return "before" if row.state == "consented" else "between"


def at_stages(people: Sequence[Watched]) -> dict[Stage, int]:
    """Stage → how many are there, in the order of the way."""
    counted = Counter(one.stage for one in people)
    return {stage: counted[stage] for stage in STAGES}


# pay as measured


@dataclass(frozen=True)
class Measured:
    """What somebody's time is worth so far."""

    paid_ms: int
    """Time worked for us, waiting for us included and time away not."""
    due: int
    """Hundredths: what is due, and what would be if they ended now."""
    currency: str
    per_hour: int | None
    """Hundredths for an hour; None: nothing can be said yet, or nothing is paid."""
    too_low: bool
    """Whether that lies below the study's minimum. Who is under way may still earn more."""


def measured(store: Store, people: Sequence[Watched]) -> dict[str, Measured]:
    """Participant → their pay as it stands, of a page's people; counted again only for those of whom anything new was kept."""
    kept, found = _MEASURED.setdefault(store, {}), {}
    for one in people:
        stand, pay = kept.get(one.participant_id, (-1, None))
        if pay is None or stand != one.stand:
            pay = _measure(store, one.participant_id)
            if len(kept) >= MOST_MEASURED:
                kept.clear()
            kept[one.participant_id] = (one.stand, pay)
        found[one.participant_id] = pay
    return found


MOST_MEASURED = 2000
_MEASURED: WeakKeyDictionary[Store, dict[str, tuple[int, Measured]]] = WeakKeyDictionary()
"""Store → participant → (stand, what was measured then)."""


def _measure(store: Store, participant_id: str) -> Measured:
    account = payments.account(store, get_participant(store, participant_id))
    paid_ms, due = 0 if account.spent is None else account.spent.paid_ms, account.due + account.promised
    per_hour = round(due * HOUR_MS / paid_ms) if account.currency and due and paid_ms >= MINUTE_MS else None
    low = per_hour is not None and per_hour < account.minimum
    return Measured(paid_ms=paid_ms, due=due, currency=account.currency, per_hour=per_hour, too_low=low)


# where people stop


@dataclass(frozen=True)
class Left:
    """Somebody who came and did not come to the end."""

    participant_id: str
    number: int
    how: str
    """A state of a participant, or ``silent``: nothing was heard of them for `SILENT_H` hours, and they may still come back."""
    after: int | None
    """Tasks that they had done; None: they had not agreed to take part."""
    met: bool
    """Whether they had been given a task."""
    at: str
    """When they ended it; of whoever is silent the last sign of life."""

    @property
    def who(self) -> str:
        """``P012``."""
        return person_name(self.number)

    @property
    def where(self) -> str:
        """In words: at the consent, before the tasks, in the first task, after 3 tasks."""
        if self.after is None:
            return "at the consent"
        if not self.met:
            return "before the tasks"
        return f"after {self.after} task{'s' if self.after != 1 else ''}" if self.after else "in the first task"


SILENT_H = 2.0
"""Who is under way and was not heard of for so many hours is counted among those who left."""


class _Ended(msgspec.Struct, frozen=True, kw_only=True):
    participant_id: str
    number: int
    state: str
    agreed: bool
    done: int
    met: bool
    finished_at: str


_ENDED = """
    SELECT p.participant_id, p.number, p.state, p.consented_at IS NOT NULL AS agreed, p.finished_at,
           (SELECT count(*) FROM slots x WHERE x.participant_id = p.participant_id AND x.practice = 0
            AND x.state IN ('completed', 'rejected', 'withdrawn')) AS done,
           EXISTS (SELECT 1 FROM slots x WHERE x.participant_id = p.participant_id AND x.practice = 0) AS met
    FROM participants p WHERE (:study = :every OR p.study_id = :study) AND p.mode = :mode AND p.finished_at IS NOT NULL
        AND p.state IN ('declined', 'stopped', 'screened_out', 'full', 'failed', 'withdrawn')
"""


def left(store: Store, study_id: str, people: Sequence[Watched], *, mode: str = LIVE) -> list[Left]:
    """Everybody of a kind of run who stopped on the way, the newest first.

    Args:
        store: the database.
        study_id: the study, or ``*``.
        people: who is under way (`under_way`): those of whom nothing was heard for long are among the result.
        mode: kind of run.
    """
    ended = store.rows(_ENDED, _Ended, {"study": study_id, "every": EVERY_STUDY, "mode": mode})
    found = [Left(row.participant_id, row.number, row.state, row.done if row.agreed else None, row.met, row.finished_at) for row in ended]
    at = datetime.fromisoformat(now())
    for one in people:
        if (at - datetime.fromisoformat(one.seen_at)).total_seconds() > SILENT_H * 3600:
            after = None if one.stage == "consent" else one.done
            found.append(Left(one.participant_id, one.number, "silent", after, bool(one.done or one.stage == "task"), one.seen_at))
    return sorted(found, key=lambda gone: (gone.at, gone.number), reverse=True)


class Abandoned(msgspec.Struct, frozen=True, kw_only=True):
    """A task in which people stopped."""

    task_hash: str
    task_id: str
    times: int
    """How often it was given back or left too long."""


def abandoned(store: Store, study_id: str, *, mode: str = LIVE, most: int = 8) -> list[Abandoned]:
    """The tasks that people of a study left most often, practice aside; none of a grant for all studies."""
    return store.rows(
        "SELECT s.task_hash, t.task_id, s.times FROM (SELECT task_hash, count(*) AS times FROM slots WHERE study_id = ? AND mode = ? "
        "AND state IN ('returned', 'timed_out') AND practice = 0 GROUP BY task_hash ORDER BY times DESC, task_hash LIMIT ?) s "
        "JOIN tasks t ON t.content_hash = s.task_hash ORDER BY s.times DESC, t.task_id",
        Abandoned,
        [study_id, mode, most],
    )


# the queue


class InLine(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who waits for a place."""

    participant_id: str
    number: int
    since: str
    seen_at: str

    @property
    def who(self) -> str:
        """``P012``."""
        return person_name(self.number)


def waiting(store: Store, study_id: str, *, mode: str = LIVE) -> list[InLine]:
    """The queue of a kind of run of a study (or of all, ``*``), in its order."""
    return store.rows(
        "SELECT w.participant_id, p.number, w.since, w.seen_at FROM waiting w JOIN participants p USING (participant_id) "
        "WHERE (:study = :every OR w.study_id = :study) AND w.mode = :mode ORDER BY w.since, w.participant_id",
        InLine,
        {"study": study_id, "every": EVERY_STUDY, "mode": mode},
    )


def named(store: Store, participant_ids: Sequence[str]) -> dict[str, str]:
    """Participant → ``P012``."""
    rows = store.query(
        "SELECT participant_id, number FROM participants WHERE participant_id IN (SELECT value FROM json_each(?))",
        [dumps(list(participant_ids))],
    )
    return {row["participant_id"]: person_name(row["number"]) for row in rows}
