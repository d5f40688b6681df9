"""The trials of a study, read from its database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any, Protocol

import msgspec

from data.rows import Json
from data.store import Store, dumps, now
from data.task import Task
from sim_bridge.spec import Pose
from study import scoring
from study.analysis import evidence, leaving_out
from study.analysis.paths import believed, called, contrastive_of
from study.analysis.trials import Move, Path, Trial, Trials, View
from study.coding import coded_score, exact
from study.ordering import Order, picked
from study.paradigms import PARADIGMS, paradigm
from study.protocol import read_protocol
from study.states import LIVE, OVER
from study.studies import get_study
from study.tables import heading

_ACTED = frozenset(way.name for way in PARADIGMS if way.acts)


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


class _Step(msgspec.Struct, frozen=True):
    seq: int
    action: str
    ok: bool
    pose_after: Annotated[Pose, Json]


class _Thought(msgspec.Struct, frozen=True):
    seq: int
    raw: str
    answer: str | None
    confidence: int | None


class _Label(msgspec.Struct, frozen=True):
    coder: str
    seq: int
    label: str


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
    reached = _evidence(store, lines)
    left_out = {person: leaving_out.of_person(store, person) for person in {line.participant_id for line in lines}}
    rows = tuple(
        _trial(store, line, reached.get(line.episode_id, (False, None)), left_out[line.participant_id], study_id) for line in lines
    )
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
        rows=rows,
        read_at=now(),
        people=sum(one.n for one in people) - withdrawn,
        withdrawn=withdrawn,
        unfinished=sum(one.n for one in episodes if one.state not in OVER),
        path=lambda episode_id: _path(store, episode_id),
    )


def _trial(store: Store, line: _Line, reached: tuple[bool, int | None], left_out: tuple[str, ...], study_id: str) -> Trial:
    rules = leaving_out.declared(store, study_id, line.version)
    task, protocol, met = store.get_task(line.task_hash), read_protocol(line.protocol), paradigm(line.paradigm)
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
        excluded=leaving_out.rules_of(rules, left_out, line.state, line.flags),
    )


def _coded(task: Task, row: _Line) -> bool | None:
    """Right by its code; where the normaliser reads an answer as it stands, as it does; None: it waits for its code."""
    if row.raw is None:
        return None
    if row.code is not None:
        return coded_score(task, row.code).correct_strict
    shown = picked(task.question.options, row.option_order.options)
    return bool(row.strict) if exact(task, json.loads(row.raw), shown) else None


def _evidence(store: Store, lines: Sequence[_Line]) -> dict[str, tuple[bool, int | None]]:
    """Episode id → whether its evidence is declared, and its evidence time. Steps are read of those alone that can have one."""
    pieces = {task: evidence.wanted(store.get_task(task)) for task in dict.fromkeys(line.task_hash for line in lines)}
    those = {line.episode_id: pieces[line.task_hash] for line in lines if line.paradigm in _ACTED and pieces[line.task_hash]}
    steps = store.rows(
        "SELECT episode_id, seq, kind, visible FROM steps WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id, seq",
        _Seen,
        [dumps(list(those))],
    )
    return {
        episode: evidence.reached(those[episode], evidence.observed([(s.seq, s.kind, s.visible) for s in found]))
        for episode, found in groupby(steps, key=lambda step: step.episode_id)
    }


def _path(store: Store, episode_id: str) -> Path:
    """What somebody did and thought in one trial."""
    row = store.one("SELECT task_hash, option_order FROM episodes WHERE episode_id = ?", [episode_id])
    if row is None:
        return Path()
    task, order = store.get_task(row["task_hash"]), msgspec.json.decode(row["option_order"], type=Order)
    shown = picked(task.question.options, order.options)
    steps = store.rows("SELECT seq, action, ok, pose_after FROM steps WHERE episode_id = ? ORDER BY seq", _Step, [episode_id])
    thoughts = store.rows(
        "SELECT seq, raw, answer, confidence FROM beliefs WHERE episode_id = ? ORDER BY event_seq", _Thought, [episode_id]
    )
    labels = store.rows("SELECT coder, seq, label FROM view_labels WHERE episode_id = ? ORDER BY coder, seq", _Label, [episode_id])
    beliefs = believed([(one.seq, one.answer, belief_right(task, one, shown), one.confidence) for one in thoughts])
    last = steps[-1].seq if steps else 0
    contrastive, revised = contrastive_of([(one.coder, one.seq, one.label) for one in labels], last, beliefs)
    return Path(
        beliefs=beliefs,
        moves=tuple(Move(step.seq, called(step.action), step.ok) for step in steps if step.seq),
        views=tuple(_view(step) for step in steps),
        contrastive=contrastive,
        revised_after_contrastive=revised,
    )


class Stated(Protocol):
    """A belief, as far as it can be right."""

    @property
    def raw(self) -> str: ...
    @property
    def answer(self) -> str | None: ...


def belief_right(task: Task, belief: Stated, shown: tuple[str, ...]) -> bool | None:
    """Whether a belief is the gold, as it stands; None: it is no answer."""
    return None if belief.answer is None else scoring.score(task, json.loads(belief.raw), shown).correct_strict


def _view(step: _Step) -> View:
    pose: Any = step.pose_after
    yaw, pitch = heading(pose.quaternion_xyzw)
    return View(step.seq, pose.position_m, yaw, pitch)
