"""The log of events as those who run a study may read it: when, who, what, of whom; never what was answered, voted, or is right.

Of the data of an event only fields of `TOLD` are read, and ids only where they say nothing by themselves: golds, votes, answers, words of
people, and ids of recruitment platforms stand in other fields and tables. An event of an episode belongs to the study of its episode.
"""

from __future__ import annotations

import json
import re
from typing import Literal

import msgspec

from data.store import Store
from study.access import EVERY_STUDY
from study.words import person

PAGE_SIZE = 100
"""Events of a page."""
TOLD: dict[str, tuple[str, ...]] = {
    "participant_state": ("event", "state"),
    "episode_state": ("event", "state"),
    "slot_state": ("event", "state"),
    "study_state": ("state",),
    "study_published": ("version",),
    "invited": ("role",),
    "granted": ("role",),
    "role_added": ("role",),
    "opened": ("epoch",),
    "step": ("seq",),
    "simulator_away": ("backend",),
    "simulator_back": ("backend",),
    "job_created": ("kind",),
    "job_state": ("state",),
    "erased": ("episodes", "steps", "events"),
    "backed_up": ("files", "bytes", "sums_sha256"),
    "restored": ("taken_at", "withdrawn", "erased"),
}
"""Kind of event → fields of its data that everybody who may read the log may read. Of all other kinds: none."""
WORDS = {
    "step": "acted", "belief": "rated an answer", "answered": "gave an answer", "opened": "opened a task", "assigned": "was given a task",
    "participant_entered": "came in", "participant_state": "went on", "episode_state": "episode went on", "slot_state": "place went on",
    "report": "reported a problem", "problem": "reported a problem", "granted": "got access", "invited": "invited", "erased": "was erased",
    "backed_up": "took a backup", "restored": "restored a backup", "page": "left or came back to the page", "payment": "noted a payment",
    "form_answer": "answered a questionnaire", "job_created": "started a job", "job_state": "job went on",
    "simulator_away": "waits for its simulator", "simulator_back": "has its simulator again",
    "staff_revoked": "took access back",
}  # fmt: skip
"""Kind of event → what the page calls it; others are called as they are, with blanks."""
Side = Literal["", "staff", "people", "programs"]
_OPAQUE = re.compile(r"[a-z]{1,8}_[0-9a-f]{20}")
"""An id that the program drew by lot: it says nothing."""
_KEPT_BACK = ("mo_",)
"""Beginnings of ids that are told to nobody here: of which moment a question is, a reviewer of it must not know."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event as it is told."""

    seq: int
    at: str
    kind: str
    by: str
    """Name of the member of staff, ``P012``, or the program; empty: not known."""
    who: str
    """Of which participant: ``P012``, or empty."""
    study: str
    """Name of the study, or empty."""
    about: str
    """Id of the episode or the thing, where it says nothing by itself."""
    told: str
    """``state completed``."""

    @property
    def what(self) -> str:
        """The kind in words."""
        return WORDS.get(self.kind, self.kind.replace("_", " "))


class _Row(msgspec.Struct, frozen=True):
    seq: int
    at: str
    kind: str
    actor: str
    staff: str | None
    actor_number: int | None
    number: int | None
    study: str | None
    episode_id: str | None
    subject: str | None
    data: str


_OF_STUDY = (
    "(e.study_id = :study OR (e.study_id IS NULL AND ("
    "e.participant_id IN (SELECT participant_id FROM participants WHERE study_id = :study) "
    "OR e.episode_id IN (SELECT episode_id FROM episodes WHERE study_id = :study))))"
)
_BY: dict[str, str] = {
    "staff": "s.staff_id IS NOT NULL",
    "people": "(e.actor = '' OR e.actor = e.participant_id) AND (e.participant_id IS NOT NULL OR e.episode_id IS NOT NULL)",
    "programs": "e.actor <> '' AND s.staff_id IS NULL AND a.participant_id IS NULL",
}


def entries(
    store: Store,
    study_id: str,
    *,
    kind: str = "",
    side: Side = "",
    who: str = "",
    since: str = "",
    until: str = "",
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> list[Entry]:
    """Events, the newest first.

    Args:
        store: the database.
        study_id: whose events; ``*``: all, those of no study too.
        kind: only this one.
        side: only what staff, participants or programs did.
        who: only of this participant, ``P012`` or ``12``; anything else finds nobody.
        since: not earlier than this time (as stored).
        until: earlier than this time.
        before: only events with a smaller sequence number: the next page.
        size: most events.
    """
    number = re.fullmatch(r"[Pp]?(\d{1,6})", who.strip())
    if who.strip() and number is None:
        return []
    wanted = {
        _OF_STUDY: study_id != EVERY_STUDY,
        "e.kind = :kind": bool(kind),
        _BY.get(side, ""): bool(side),
        "coalesce(p.number, q.number) = :number": number is not None,
        "e.at >= :since": bool(since),
        "e.at < :until": bool(until),
        "e.seq < :before": before is not None,
    }
    where = " AND ".join(["1", *(clause for clause, asked in wanted.items() if asked)])
    rows = store.rows(
        "SELECT e.seq, e.at, e.kind, e.actor, s.name AS staff, a.number AS actor_number, coalesce(p.number, q.number) AS number, "
        "d.document ->> '$.name' AS study, e.episode_id, e.subject, e.data "
        "FROM events e LEFT JOIN staff s ON s.staff_id = e.actor LEFT JOIN participants a ON a.participant_id = e.actor "
        "LEFT JOIN participants p ON p.participant_id = e.participant_id LEFT JOIN episodes x ON x.episode_id = e.episode_id "
        "LEFT JOIN participants q ON q.participant_id = x.participant_id "
        "LEFT JOIN studies d ON d.study_id = coalesce(e.study_id, x.study_id, p.study_id) "
        f"WHERE {where} ORDER BY e.seq DESC LIMIT :size",
        _Row,
        {
            "study": study_id,
            "kind": kind,
            "number": int(number[1]) if number else None,
            "since": since,
            "until": until,
            "before": before,
            "size": size,
        },
    )
    return [_told(row) for row in rows]


def kinds(store: Store) -> list[str]:
    """Kinds of events that there are, by their name."""
    sql = (
        "WITH RECURSIVE k (kind) AS (SELECT min(kind) FROM events UNION ALL "
        "SELECT (SELECT min(kind) FROM events WHERE kind > k.kind) FROM k WHERE k.kind IS NOT NULL) "
        "SELECT kind FROM k WHERE kind IS NOT NULL"
    )
    return [str(row["kind"]) for row in store.query(sql)]


def _told(row: _Row) -> Entry:
    data = json.loads(row.data) if row.kind in TOLD else {}
    fields = [(name, data.get(name)) for name in TOLD.get(row.kind, ())]
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fields if isinstance(value, str | int) and value != "")
    who = "" if row.number is None else person(row.number)
    if row.actor_number is not None:
        by = person(row.actor_number)
    else:
        # an agent's or a program's name is told, an id of nobody who is known is not
        by = row.staff or (row.actor if row.actor and not _OPAQUE.fullmatch(row.actor) else "") or who
    named = (one for one in (row.subject, row.episode_id) if one and _OPAQUE.fullmatch(one) and not one.startswith(_KEPT_BACK))
    about = next(named, "")
    return Entry(
        seq=row.seq,
        at=row.at,
        kind=row.kind,
        by=by,
        who=who,
        study=row.study or "",
        about=about,
        told=told,
    )
