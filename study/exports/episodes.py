"""Episodes as exports read them, one at a time: row, task, steps and beliefs. Nothing of people who withdrew is ever read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store
from data.task import Task
from study.analysis import leaving_out
from study.exports.choice import Choice
from study.labels.everything import Label, labels_of
from study.looks import LookRecord, looks_of
from study.records import BeliefRecord, EpisodeRecord, ProblemRecord
from study.standing import as_offered
from study.steps import Step, steps_of


class EpisodeLine(EpisodeRecord, frozen=True, kw_only=True):
    """An episode's row with what other tables say of it."""

    number: int | None
    """Order of the participant's entry into the study."""
    shared_computer: bool | None
    practice: bool
    looked_back: int
    answer_raw: str | None
    """None: there is no final answer; so are the fields of answer and score below."""
    answer: str | None
    confidence: int | None
    reasoning: str | None
    stopped_by: str | None
    answer_seq: int | None
    answer_event: int | None
    answered_at: str | None
    answer_client_ms: float | None
    answered: bool | None
    correct_strict: bool | None
    correct_lenient: bool | None
    chance: float | None
    details: Annotated[dict[str, Any] | None, Json]
    scorer: str | None
    code: str | None
    """What the answer means, where people had to say it."""
    coders: int | None
    settled_task_hash: str | None
    """The newest version of the task with another gold by which the answer is scored as well."""
    correct_settled: bool | None


class _Turn(msgspec.Struct, frozen=True):
    data: Annotated[dict[str, Any], Json]


class Happened(msgspec.Struct, frozen=True):
    """An event of the log that an export tells."""

    seq: int
    """Its number in the log."""
    kind: str
    at: str
    data: Annotated[dict[str, Any], Json]


class Episode:
    """One episode; its steps and beliefs are read when they are first asked for."""

    def __init__(self, store: Store, row: EpisodeLine) -> None:
        self._store, self.row = store, row

    @cached_property
    def task(self) -> Task:
        """The task with the actions that this episode offered."""
        return as_offered(self._store.get_task(self.row.task_hash), self.row.actions)

    @cached_property
    def steps(self) -> list[Step]:
        """Its steps in order."""
        return steps_of(self._store, self.row.episode_id)

    @cached_property
    def beliefs(self) -> list[BeliefRecord]:
        """What was thought, in order."""
        return self._store.rows("SELECT * FROM beliefs WHERE episode_id = ? ORDER BY event_seq", BeliefRecord, [self.row.episode_id])

    @cached_property
    def looks(self) -> list[LookRecord]:
        """At which of several pictures its person looked, in order."""
        return looks_of(self._store, self.row.episode_id)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The declared rules that leave it out of figures; empty: none."""
        row = self.row
        rules = leaving_out.declared(self._store, row.study_id, row.version)
        return leaving_out.rules_of(rules, leaving_out.of_person(self._store, row.participant_id), row.state, row.flags)

    @cached_property
    def reports(self) -> list[ProblemRecord]:
        """What was reported, in order."""
        return self._store.rows("SELECT * FROM problems WHERE episode_id = ? ORDER BY event_seq", ProblemRecord, [self.row.episode_id])

    @cached_property
    def labels(self) -> list[Label]:
        """What coders said of it."""
        return labels_of(self._store, self.row.episode_id)

    @cached_property
    def happened(self) -> list[Happened]:
        """Openings, looks back and what became of the page, in order."""
        sql = "SELECT seq, kind, at, data FROM events WHERE episode_id = ? AND kind IN ('opened', 'looked_back', 'page') ORDER BY seq"
        return self._store.rows(sql, Happened, [self.row.episode_id])

    @cached_property
    def turns(self) -> list[dict[str, Any]]:
        """A model's turns, as events."""
        said = "SELECT data FROM events WHERE episode_id = ? AND kind = 'model_turn' ORDER BY seq"
        return [turn.data for turn in self._store.rows(said, _Turn, [self.row.episode_id])]


class Chosen(msgspec.Struct, frozen=True):
    """An episode that an export holds, and the data set of its task."""

    episode_id: str
    dataset: str
    study_id: str | None
    participant_id: str | None


_LEAVES = "e.last_seq >= 0 AND e.state <> 'withdrawn'"
"""What may leave: shown at least once, and not withdrawn."""
_LINE = f"""
    SELECT e.*, p.number, p.shared_computer, coalesce(s.practice, 0) AS practice,
           a.raw AS answer_raw, a.answer, a.confidence, a.reasoning, a.stopped_by,
           a.seq AS answer_seq, a.event_seq AS answer_event, a.server_time AS answered_at, a.client_time_ms AS answer_client_ms,
           m.code, nullif(m.coders, 0) AS coders, d.task_hash AS settled_task_hash, d.correct_strict AS correct_settled,
           c.answered, c.correct_strict, c.correct_lenient, c.chance, c.details, c.scorer,
           (SELECT count(*) FROM events v WHERE v.episode_id = e.episode_id AND v.kind = 'looked_back') AS looked_back
    FROM episodes e
    LEFT JOIN participants p USING (participant_id) LEFT JOIN slots s USING (slot_id)
    LEFT JOIN answers a USING (episode_id)
    LEFT JOIN answer_codes m USING (episode_id)
    LEFT JOIN scores d ON d.episode_id = e.episode_id AND d.task_hash <> e.task_hash AND d.rowid = (
        SELECT max(x.rowid) FROM scores x WHERE x.episode_id = e.episode_id AND x.task_hash <> e.task_hash)
    LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
    WHERE e.episode_id = ? AND {_LEAVES}
"""


def chosen(store: Store, choice: Choice) -> list[Chosen]:
    """Which episodes an export holds, oldest first."""
    where, params = choice.where()
    return store.rows(
        "SELECT e.episode_id, t.dataset, e.study_id, e.participant_id FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash "
        f"LEFT JOIN slots s USING (slot_id) WHERE {where} ORDER BY e.created_at, e.episode_id",
        Chosen,
        params,
    )


def read_episodes(store: Store, of: list[Chosen]) -> Iterator[Episode | None]:
    """The episodes one at a time; None for one whose person withdrew after the choice was made."""
    for one in of:
        row = store.row(_LINE, EpisodeLine, [one.episode_id])
        yield None if row is None else Episode(store, row)
