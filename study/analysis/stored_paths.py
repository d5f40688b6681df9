"""The paths of a study's trials, read from its database: all at once, when the first is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Protocol, TypeVar

import msgspec

from data.rows import Json
from data.store import Store
from data.task import Task
from sim_bridge.spec import Pose
from study import scoring
from study.analysis.paths import believed, called, contrastive_of
from study.analysis.trials import Move, Path, View
from study.ordering import Order, picked
from study.tables import heading

_OF = "JOIN episodes e USING (episode_id) WHERE e.study_id = ? AND e.mode = ?"
_MET = "SELECT episode_id, task_hash, option_order FROM episodes WHERE study_id = ? AND mode = ?"
_STEPS = f"SELECT o.episode_id, o.seq, o.action, o.ok, o.pose_after FROM steps o {_OF} ORDER BY o.episode_id, o.seq"
_BELIEFS = f"SELECT o.episode_id, o.seq, o.raw, o.answer, o.confidence FROM beliefs o {_OF} ORDER BY o.event_seq"
_LABELS = f"SELECT o.episode_id, o.coder, o.seq, o.label FROM view_labels o {_OF} ORDER BY o.coder, o.seq"


class _Met(msgspec.Struct, frozen=True):
    episode_id: str
    task_hash: str
    option_order: Annotated[Order, Json]


class _Step(msgspec.Struct, frozen=True):
    episode_id: str
    seq: int
    action: str
    ok: bool
    pose_after: Annotated[Pose, Json]


class _Thought(msgspec.Struct, frozen=True):
    episode_id: str
    seq: int
    raw: str
    answer: str | None
    confidence: int | None


class _Label(msgspec.Struct, frozen=True):
    episode_id: str
    coder: str
    seq: int
    label: str


class _Of(Protocol):
    @property
    def episode_id(self) -> str: ...


Row = TypeVar("Row", bound=_Of)


class Stated(Protocol):
    """A belief, as far as it can be right."""

    @property
    def raw(self) -> str: ...
    @property
    def answer(self) -> str | None: ...


def belief_right(task: Task, belief: Stated, shown: tuple[str, ...]) -> bool | None:
    """Whether a belief is the gold, as it stands; None: it is no answer."""
    return None if belief.answer is None else scoring.score(task, json.loads(belief.raw), shown).correct_strict


def paths(store: Store, study_id: str, mode: str) -> Callable[[str], Path]:
    """Episode id → its path; empty for one that is not there, or not any more."""
    which = [study_id, mode]

    @cache
    def read() -> tuple[dict[str, _Met], dict[str, list[_Step]], dict[str, list[_Thought]], dict[str, list[_Label]]]:
        met = {row.episode_id: row for row in store.rows(_MET, _Met, which)}
        thoughts, labels = store.rows(_BELIEFS, _Thought, which), store.rows(_LABELS, _Label, which)
        return met, _grouped(store.rows(_STEPS, _Step, which)), _grouped(thoughts), _grouped(labels)

    judged: dict[tuple[str, tuple[int, ...], str], bool | None] = {}

    def right(of: _Met, belief: _Thought) -> bool | None:
        # many people think the same of one task
        key = (of.task_hash, of.option_order.options, belief.raw)
        if key not in judged:
            task = store.get_task(of.task_hash)
            judged[key] = belief_right(task, belief, picked(task.question.options, of.option_order.options))
        return judged[key]

    @cache
    def path(episode_id: str) -> Path:
        met, all_steps, all_thoughts, all_labels = read()
        of, steps = met.get(episode_id), all_steps.get(episode_id, [])
        if of is None:
            return Path()
        said = [(one.seq, one.answer, right(of, one), one.confidence) for one in all_thoughts.get(episode_id, [])]
        labels = [(one.coder, one.seq, one.label) for one in all_labels.get(episode_id, [])]
        beliefs = believed(said)
        contrastive, revised = contrastive_of(labels, steps[-1].seq if steps else 0, beliefs)
        return Path(
            beliefs=beliefs,
            moves=tuple(Move(step.seq, called(step.action), step.ok) for step in steps if step.seq),
            views=tuple(View(step.seq, step.pose_after.position_m, *heading(step.pose_after.quaternion_xyzw)) for step in steps),
            contrastive=contrastive,
            revised_after_contrastive=revised,
        )

    return path


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.episode_id, []).append(row)
    return found
