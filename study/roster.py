"""The people of a study as a researcher watches them: where each stands, when they were last heard of. No recruitment ids."""

from __future__ import annotations

from typing import Annotated

import msgspec

from data.rows import Json
from data.store import Store, dumps
from study.access import EVERY_STUDY
from study.devices import Device
from study.states import LIVE
from study.words import person

PAGE_SIZE = 100
"""People of a page of the list."""


class Person(msgspec.Struct, frozen=True):
    """One participant as the list shows them."""

    participant_id: str
    number: int
    study: str
    """The study's name."""
    state: str
    since: str
    """When they came into this state."""
    seen_at: str
    """Last sign of life: the newest thing that was kept of them."""
    task: str | None
    """The task under way."""
    practising: bool
    """Whether that is the practice."""
    done: int
    """Tasks answered, without the practice."""
    total: int
    """Tasks of a participant of this study."""
    practised: int
    """Practice tasks answered."""
    reports: int
    """Problems that they reported."""
    away: int
    """How often the page was hidden or another window used while a task was open."""
    device: Annotated[Device | None, Json]
    """That of the newest opening that told it."""

    @property
    def who(self) -> str:
        """``P012``."""
        return person(self.number)

    @property
    def browser(self) -> str:
        """``Firefox 141, Linux``; empty where it is not known."""
        return "" if self.device is None else ", ".join(filter(None, [self.device.browser, self.device.system]))


class People(msgspec.Struct, frozen=True):
    """One page of the list."""

    rows: list[Person]
    total: int
    """People found, on all pages."""
    number: int
    """This page, from 1."""
    pages: int


_MINE = "(SELECT e.episode_id FROM episodes e WHERE e.participant_id = p.participant_id)"
_ANSWERED = "slots x WHERE x.participant_id = p.participant_id AND x.state = 'completed'"
_LINES = f"""
    SELECT p.participant_id, p.number, s.name AS study, p.state, s.trials AS total,
           coalesce((SELECT at FROM events WHERE seq = p.moved), p.created_at) AS since,
           max(p.created_at, coalesce((SELECT at FROM events WHERE seq = p.moved), ''),
               coalesce((SELECT max(v.at) FROM events v WHERE v.episode_id IN {_MINE}), '')) AS seen_at,
           t.task_id AS task, coalesce(slot.practice, 0) AS practising,
           (SELECT count(*) FROM {_ANSWERED} AND x.practice = 0) AS done,
           (SELECT count(*) FROM {_ANSWERED} AND x.practice = 1) AS practised,
           (SELECT count(*) FROM problems r WHERE r.episode_id IN {_MINE})
               + (SELECT count(*) FROM reports r WHERE r.participant_id = p.participant_id) AS reports,
           (SELECT count(*) FROM events v WHERE v.episode_id IN {_MINE} AND v.kind = 'page'
            AND json_extract(v.data, '$.what') IN ('hidden', 'blur') AND coalesce(json_extract(v.data, '$.detail'), '') <> 'going') AS away,
           (SELECT json_extract(v.data, '$.device') FROM events v WHERE v.episode_id IN {_MINE} AND v.kind = 'opened'
            AND json_extract(v.data, '$.device') IS NOT NULL ORDER BY v.seq DESC LIMIT 1) AS device
    FROM (SELECT *, (SELECT max(seq) FROM events v WHERE v.participant_id = q.participant_id AND v.kind = 'participant_state') AS moved
          FROM participants q WHERE q.participant_id IN (SELECT value FROM json_each(:ids))) p
    JOIN (SELECT study_id, name, min(trials, tasks) AS trials FROM (
          SELECT study_id, json_extract(document, '$.name') AS name, json_extract(document, '$.trials') AS trials,
                 json_array_length(document, '$.tasks') AS tasks FROM studies)) s USING (study_id)
    LEFT JOIN episodes e ON e.episode_id = (SELECT w.episode_id FROM episodes w
        WHERE w.participant_id = p.participant_id AND w.state = 'active' ORDER BY w.created_at DESC LIMIT 1)
    LEFT JOIN tasks t ON t.content_hash = e.task_hash LEFT JOIN slots slot ON slot.slot_id = e.slot_id
    ORDER BY p.created_at DESC, p.number DESC
"""


class _Id(msgspec.Struct):
    participant_id: str


class _State(msgspec.Struct):
    state: str
    n: int


def people(
    store: Store, study_id: str, *, who: str = "", state: str = "", mode: str = LIVE, number: int = 1, size: int = PAGE_SIZE
) -> People:
    """A page of the participants of a study (or of all, ``*``), who came last first.

    Args:
        store: the database.
        study_id: the study.
        who: a participant's number (``P012``, ``12``); anything else finds nobody.
        state: only those in this state.
        mode: of this kind of run (`study.states.MODES`).
        number: which page, from 1; behind the last one, the last one.
        size: rows of a page.
    """
    digits = who.strip().lstrip("Pp")
    parts = ["(:study = :every OR study_id = :study)", "mode = :mode"]
    parts += ["state = :state"] * bool(state) + ["number = :who"] * bool(who.strip())
    asked = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
    values = {"study": study_id, "every": EVERY_STUDY, "mode": mode, "state": state, "who": asked}
    where = " AND ".join(parts)
    found = store.row(f"SELECT '' AS state, count(*) AS n FROM participants WHERE {where}", _State, values)
    total = found.n if found else 0
    pages = max(1, -(-total // size))
    number = min(max(1, number), pages)
    sql = f"SELECT participant_id FROM participants WHERE {where} ORDER BY created_at DESC, number DESC LIMIT :size OFFSET :start"
    ids = [row.participant_id for row in store.rows(sql, _Id, values | {"size": size, "start": (number - 1) * size})]
    return People(store.rows(_LINES, Person, {"ids": dumps(ids)}), total, number, pages)


def by_state(store: Store, study_id: str, *, mode: str = LIVE) -> dict[str, int]:
    """State → how many participants are in it, of one kind of run of a study (or of all, ``*``). Together they are all of them."""
    sql = (
        "SELECT state, count(*) AS n FROM participants WHERE (:study = :every OR study_id = :study) AND mode = :mode "
        "GROUP BY state ORDER BY min(created_at)"
    )
    return {row.state: row.n for row in store.rows(sql, _State, {"study": study_id, "every": EVERY_STUDY, "mode": mode})}
