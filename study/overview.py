"""What a researcher looks at while a study runs: episodes with their state and outcome, people by progress. No recruitment ids."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, dumps
from study.access import EVERY_STUDY
from study.action_results import put_out_of_sight
from study.states import LIVE, MODES
from study.steps import steps_of
from study.words import person

PAGE_SIZE = 50
"""Rows of a page of the list of episodes."""


class EpisodeLine(msgspec.Struct, frozen=True):
    """One episode as the list shows it."""

    episode_id: str
    task_id: str
    category: str
    subcategory: str
    number: int | None
    """The participant's number in the study; None: not a participant."""
    agent_kind: str
    agent_name: str
    practice: bool
    state: str
    steps: int
    """Actions so far."""
    answer: Annotated[Any, Json]
    """The answer as it was given; None while open."""
    correct: bool | None
    confidence: int | None
    own_flags: Annotated[list[str], Json]
    problems: int
    """Reports of the participant."""
    created_at: str
    started_at: str | None
    finished_at: str | None

    @property
    def who(self) -> str:
        """Participant number, or name of the agent."""
        return person(self.number) if self.number is not None else self.agent_name or self.agent_kind

    @property
    def flags(self) -> list[str]:
        """What a researcher should know before counting it."""
        return [*self.own_flags, *(["problem reported"] if self.problems else [])]

    @property
    def seconds(self) -> int | None:
        """Whole seconds from the first view to the answer."""
        if self.started_at is None or self.finished_at is None:
            return None
        return round((datetime.fromisoformat(self.finished_at) - datetime.fromisoformat(self.started_at)).total_seconds())


@dataclass(frozen=True)
class Search:
    """Which episodes are looked for; what is empty does not count."""

    task: str = ""
    """Part of a task's id."""
    who: str = ""
    """A participant's number (``P012``, ``12``), or part of a model's or script's name."""
    agent_kind: str = ""
    """``human``, ``model``, ``script`` or ``gym``."""
    state: str = ""


@dataclass(frozen=True)
class Page:
    """One page of the list."""

    rows: list[EpisodeLine]
    total: int
    """Episodes found, on all pages."""
    number: int
    """This page, from 1."""
    pages: int


def modes(store: Store, study_id: str) -> list[str]:
    """The kinds of runs (`study.states.MODES`) of which a study (or any, ``*``) has people or episodes, in the order of the registry."""
    of_study = "" if study_id == EVERY_STUDY else "study_id = :study AND "
    there = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {of_study}mode = :mode)" for table in ("episodes", "participants"))
    return [mode for mode in MODES if store.query(f"SELECT 1 AS yes WHERE {there}", {"study": study_id, "mode": mode})]


def episode_page(
    store: Store, study_id: str, search: Search | None = None, *, mode: str = LIVE, number: int = 1, size: int = PAGE_SIZE
) -> Page:
    """A page of the episodes of a study (or of all, ``*``), newest first.

    Args:
        store: the database.
        study_id: the study.
        search: only those.
        mode: of this kind of run (`study.states.MODES`).
        number: which page, from 1; behind the last one, the last one.
        size: rows of a page.
    """
    where, values = _where(study_id, search or Search(), mode)
    order = "ORDER BY e.created_at DESC, e.episode_id DESC"
    # An index counts all of a study; what is looked for is looked at once, for the page and its count.
    looked_for = search is not None and search != Search()
    every = ", count(*) OVER () AS total" if looked_for else ""

    def ids_of(page: int) -> list[_Id]:
        sql = f"SELECT e.episode_id{every} FROM episodes e {where} {order} LIMIT :size OFFSET :start"
        return store.rows(sql, _Id, values | {"size": size, "start": (page - 1) * size})

    ids = ids_of(max(1, number)) if looked_for else []
    counted = None if ids else store.row(f"SELECT count(*) AS n FROM episodes e {where}", _Count, values)
    total = ids[0].total if ids else counted.n if counted else 0
    number, pages = _within(number, total, size)
    if not ids and total:
        ids = ids_of(number)
    # What stands beside each is looked up for the page's rows alone.
    listed = dumps([one.episode_id for one in ids])
    rows = store.rows(f"{_LINES} WHERE e.episode_id IN (SELECT value FROM json_each(?)) {order}", EpisodeLine, [listed])
    return Page(rows, total, number, pages)


def _within(number: int, total: int, size: int) -> tuple[int, int]:
    """The page that is meant, and how many there are: at least one."""
    pages = max(1, -(-total // size))
    return min(max(1, number), pages), pages


def episode(store: Store, study_id: str, episode_id: str) -> EpisodeLine | None:
    """One episode of a study (or of all, ``*``), however old; None: the study has none with this id."""
    found = store.row(f"{_LINES} WHERE e.episode_id = ?", EpisodeLine, [episode_id])
    if found is None or study_id == EVERY_STUDY:
        return found
    return found if store.one("SELECT 1 AS yes FROM episodes WHERE episode_id = ? AND study_id = ?", [episode_id, study_id]) else None


class _Count(msgspec.Struct):
    n: int


class _Id(msgspec.Struct):
    episode_id: str
    total: int = 0
    """Of a search: how many were found."""


_LINES = """
    SELECT e.episode_id, t.task_id, t.category, t.subcategory, p.number, e.agent_kind, e.agent_name, coalesce(s.practice, 0) AS practice,
           e.state, max(e.last_seq, 0) AS steps, a.raw AS answer, c.correct_strict AS correct, a.confidence, e.flags AS own_flags,
           (SELECT count(*) FROM problems r WHERE r.episode_id = e.episode_id) AS problems, e.created_at, e.started_at, e.finished_at
    FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash
    LEFT JOIN participants p USING (participant_id) LEFT JOIN slots s USING (slot_id) LEFT JOIN answers a USING (episode_id)
    LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
"""
_NUMBER = re.compile(r"^[Pp]?0*(\d{1,9})$")


def _where(study_id: str, search: Search, mode: str = LIVE) -> tuple[str, dict[str, Any]]:
    """The condition on ``episodes e``, and its values. Only what is asked stands in it, so that an index can serve it."""
    parts: dict[str, tuple[str, Any]] = {"mode": ("e.mode = :mode", mode)}
    if study_id != EVERY_STUDY:
        parts["study"] = ("e.study_id = :study", study_id)
    if search.state:
        parts["state"] = ("e.state = :state", search.state)
    if search.agent_kind:
        parts["kind"] = ("e.agent_kind = :kind", search.agent_kind)
    if task := search.task.strip():
        # read through once in an index without documents: quicker than looking up the task of every episode
        named = "e.task_hash IN (SELECT content_hash FROM tasks INDEXED BY tasks_facts WHERE task_id LIKE :task ESCAPE '\\')"
        parts["task"] = (named, f"%{_literal(task)}%")
    if who := search.who.strip():
        if found := _NUMBER.match(who):
            parts["who"] = ("e.participant_id IN (SELECT participant_id FROM participants WHERE number = :who)", int(found[1]))
        else:
            parts["who"] = ("e.agent_name LIKE :who ESCAPE '\\'", f"%{_literal(who)}%")
    return "WHERE " + " AND ".join(sql for sql, _ in parts.values()), {name: value for name, (_, value) in parts.items()}


def _literal(text: str) -> str:
    """A text in which LIKE finds no signs of its own."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def episode_steps(store: Store, episode_id: str) -> list[dict[str, Any]]:
    """The steps of an episode, oldest first: seq, action, ok, reason, clipped, phase, server_time, unseen (what was put down
    does not show), belief (the last one given there)."""
    beliefs = {
        row["seq"]: (json.loads(row["raw"]), row["confidence"])
        for row in store.query("SELECT seq, raw, confidence FROM beliefs WHERE episode_id = ? ORDER BY event_seq", [episode_id])
    }
    return [
        {name: getattr(step, name) for name in ("seq", "action", "ok", "reason", "clipped", "phase", "server_time")}
        | {"unseen": put_out_of_sight(step.sim_action, step.ok, step.visible), "belief": beliefs.get(step.seq)}
        for step in steps_of(store, episode_id)
    ]


def progress(store: Store, study_id: str, *, mode: str = LIVE) -> dict[str, int]:
    """Counts of one kind of run of a study (or all, ``*``): participants, consented, finished, stopped, withdrawn; episodes active,
    completed (no practice)."""
    of_study, values = ("WHERE mode = ?", [mode]) if study_id == EVERY_STUDY else ("WHERE study_id = ? AND mode = ?", [study_id, mode])
    people = store.one(
        "SELECT count(*) AS participants, sum(consented_at IS NOT NULL) AS consented, sum(state = 'finished') AS finished, "
        f"sum(state = 'stopped') AS stopped, sum(state = 'withdrawn') AS withdrawn FROM participants {of_study}",
        values,
    )
    counted = "SELECT sum(e.state = 'active') AS active, sum(e.state = 'completed') AS completed FROM"
    episodes = store.one(f"{counted} episodes e {of_study}", values) or {}
    # Practice is taken off: its few episodes are found from their slots, where that of every episode would have to be looked up.
    practice = store.one(
        f"{counted} (SELECT slot_id FROM slots {of_study} AND practice = 1) s CROSS JOIN episodes e USING (slot_id)", values
    ) or {}  # fmt: skip
    practised = practice.get("completed") or 0
    real = {"active": episodes.get("active"), "completed": (episodes.get("completed") or 0) - practised, "practised": practised}
    return {name: int(value or 0) for name, value in {**(people or {}), **real}.items()}


class Outcome(msgspec.Struct, frozen=True):
    """What came of the answers that one kind of agent gave, without practice."""

    agent_kind: str
    answered: int
    right: float
    """Share that is right, by the strict rule."""
    chance: float
    """Share that guessing would give."""
    median_s: float | None
    """From the first view to the answer, seconds."""


_OUTCOMES = """
    WITH given AS (SELECT e.agent_kind, c.correct_strict, c.chance, (julianday(e.finished_at) - julianday(e.started_at)) * 86400 AS took
                   FROM episodes e JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
                   LEFT JOIN slots s USING (slot_id)
                   WHERE (:study = :every OR e.study_id = :study) AND e.mode = :mode AND e.state = 'completed'
                         AND coalesce(s.practice, 0) = 0),
         ranked AS (SELECT *, row_number() OVER (PARTITION BY agent_kind ORDER BY took) AS place,
                    count(*) OVER (PARTITION BY agent_kind) AS n FROM given)
    SELECT agent_kind, n AS answered, avg(correct_strict) AS right, avg(chance) AS chance,
           avg(CASE WHEN place IN ((n + 1) / 2, (n + 2) / 2) THEN took END) AS median_s
    FROM ranked GROUP BY agent_kind ORDER BY agent_kind
"""


def outcomes(store: Store, study_id: str, *, mode: str = LIVE) -> list[Outcome]:
    """Per kind of agent, of one kind of run of a study (or of all, ``*``)."""
    return store.rows(_OUTCOMES, Outcome, {"study": study_id, "every": EVERY_STUDY, "mode": mode})


def was_shown(store: Store, episode_id: str) -> bool:
    """Whether anything of the episode has been shown."""
    row = store.one("SELECT last_seq FROM episodes WHERE episode_id = ?", [episode_id])
    return row is not None and row["last_seq"] >= 0


def problems(store: Store, episode_id: str) -> list[dict[str, Any]]:
    """What the participant reported: seq, text, server_time."""
    return store.query("SELECT seq, text, server_time FROM problems WHERE episode_id = ? ORDER BY event_seq", [episode_id])
