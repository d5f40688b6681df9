"""The trials of a study, read from its database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import msgspec

from data.fidelity import selected_on_answer
from data.rows import Json
from data.store import Store, dumps, now
from data.task import Task
from study.analysis import evidence, leaving_out, stored_paths
from study.analysis.trials import Trial, Trials
from study.coding import coded_score, exact
from study.ordering import Order, picked
from study.paradigms import paradigm
from study.protocol import read_protocol
from study.states import LIVE, OVER
from study.studies import get_study


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """An ended episode with what other tables say of it."""

    episode_id: str
    task_hash: str
    task_id: str
    twin: str | None
    category: str
    subcategory: str
    participant_id: str | None
    number: int | None
    agent_kind: str
    agent_name: str
    paradigm: str
    protocol: str
    option_order: Annotated[Order, Json]
    trial_index: int | None
    state: str
    last_seq: int
    pictures: int
    version: int
    flags: Annotated[tuple[str, ...], Json]
    raw: str | None
    answer: str | None
    confidence: int | None
    stopped_by: str | None
    answered: bool | None
    strict: bool | None
    lenient: bool | None
    chance: float | None
    code: str | None
    settled: bool | None


class _Seen(msgspec.Struct, frozen=True):
    episode_id: str
    seq: int
    kind: str
    visible: Annotated[dict[str, int], Json]


class _Count(msgspec.Struct, frozen=True):
    state: str
    n: int


_OF = (
    "FROM episodes e LEFT JOIN slots s USING (slot_id) "
    "WHERE e.study_id = ? AND e.mode = ? AND coalesce(s.practice, 0) = 0 AND e.last_seq >= 0"
)
_LINES = """
    SELECT e.episode_id, e.task_hash, t.task_id, t.twin, t.category, t.subcategory, e.participant_id, p.number, e.agent_kind,
           e.agent_name, e.paradigm, e.protocol, e.option_order, e.trial_index, e.state, e.last_seq, e.pictures, e.version, e.flags,
           a.raw, a.answer, a.confidence, a.stopped_by, c.answered, c.correct_strict AS strict, c.correct_lenient AS lenient, c.chance,
           m.code, d.correct_strict AS settled
    FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash
    LEFT JOIN participants p USING (participant_id) LEFT JOIN slots s USING (slot_id)
    LEFT JOIN answers a USING (episode_id) LEFT JOIN answer_codes m USING (episode_id)
    LEFT JOIN scores d ON d.episode_id = e.episode_id AND d.task_hash <> e.task_hash AND d.rowid = (
        SELECT max(x.rowid) FROM scores x WHERE x.episode_id = e.episode_id AND x.task_hash <> e.task_hash)
    LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
    WHERE e.study_id = ? AND e.mode = ? AND coalesce(s.practice, 0) = 0 AND e.last_seq >= 0
    AND e.state IN (SELECT value FROM json_each(?)) AND e.state <> 'withdrawn'
    ORDER BY e.created_at, e.episode_id
"""


def stored(store: Store, study_id: str, *, mode: str = LIVE) -> Trials:
    """The trials of a study.

    Args:
        store: the database.
        study_id: the study.
        mode: kind of run (`study.states.MODES`).

    Raises:
        UnknownStudy: there is none.
    """
    study = get_study(store, study_id)
    lines = store.rows(_LINES, _Line, [study_id, mode, dumps(sorted(OVER))])
    left_out = {person: leaving_out.of_person(store, person) for person in {line.participant_id for line in lines}}
    rules = {version: leaving_out.declared(store, study_id, version) for version in {line.version for line in lines}}
    made: dict[str, Trial] = {}
    # a task's document is read once, however many tasks there are
    for task_hash, group in groupby(sorted(lines, key=lambda line: line.task_hash), key=lambda line: line.task_hash):
        task, of_task = store.get_task(task_hash), list(group)
        reached = _evidence(store, task, of_task)
        for line in of_task:
            by = leaving_out.rules_of(rules[line.version], left_out[line.participant_id], line.state, line.flags)
            made[line.episode_id] = _trial(task, line, reached.get(line.episode_id, (False, None)), by)
    people = store.rows(
        "SELECT state, count(*) AS n FROM participants WHERE study_id = ? AND mode = ? GROUP BY state", _Count, [study_id, mode]
    )
    episodes = store.rows(f"SELECT e.state, count(*) AS n {_OF} GROUP BY e.state", _Count, [study_id, mode])
    withdrawn = sum(one.n for one in people if one.state == "withdrawn")
    return Trials(
        study_id=study_id,
        title=study.name,
        source="the study's database",
        mode=mode,
        versions=tuple(sorted({line.version for line in lines})),
        rows=tuple(made[line.episode_id] for line in lines),
        read_at=now(),
        people=sum(one.n for one in people) - withdrawn,
        withdrawn=withdrawn,
        unfinished=sum(one.n for one in episodes if one.state not in OVER),
        path=stored_paths.paths(store, study_id, mode),
    )


def _trial(task: Task, line: _Line, reached: tuple[bool, int | None], excluded: tuple[str, ...]) -> Trial:
    protocol, met = read_protocol(line.protocol), paradigm(line.paradigm)
    return Trial(
        episode_id=line.episode_id,
        agent="human" if line.agent_kind == "human" else line.agent_name,
        person=line.participant_id or line.agent_name,
        number=line.number,
        task=line.task_hash,
        task_id=line.task_id,
        content=min(line.task_id, line.twin or line.task_id),
        category=line.category,
        subcategory=line.subcategory,
        paradigm=line.paradigm,
        trial_index=line.trial_index,
        budget=line.pictures or met.budget(task, protocol.budget),
        probed=protocol.belief_bar,
        state=line.state,
        answered=bool(line.answered),
        answer=line.answer,
        strict=line.strict,
        lenient=line.lenient,
        coded=_coded(task, line),
        settled=line.strict if line.settled is None else line.settled,
        chance=line.chance,
        confidence=line.confidence,
        observations=line.last_seq + 1 if met.stepped else met.views,
        evidence_seq=reached[1],
        evidence_declared=reached[0],
        stopped_by=line.stopped_by,
        excluded=excluded,
        selected=selected_on_answer(task),
    )


def _coded(task: Task, row: _Line) -> bool | None:
    """Right by its code; where the normaliser reads an answer as it stands, as it does; None: it waits for its code."""
    if row.raw is None:
        return None
    if row.code is not None:
        return coded_score(task, row.code).correct_strict
    shown = picked(task.question.options, row.option_order.options)
    return bool(row.strict) if exact(task, json.loads(row.raw), shown) else None


def _evidence(store: Store, task: Task, lines: Sequence[_Line]) -> dict[str, tuple[bool, int | None]]:
    """Of the episodes of one task: id → whether its evidence is declared, and its evidence time; only those that can have one."""
    pieces = evidence.wanted(task)
    those = [line.episode_id for line in lines if pieces and paradigm(line.paradigm).acts]
    if not those:
        return {}
    steps = store.rows(
        "SELECT episode_id, seq, kind, visible FROM steps WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id, seq",
        _Seen,
        [dumps(those)],
    )
    return {
        episode: evidence.reached(pieces, evidence.observed([(s.seq, s.kind, s.visible) for s in found]))
        for episode, found in groupby(steps, key=lambda step: step.episode_id)
    }
