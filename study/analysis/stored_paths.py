"""The paths of a study's trials, read from its database: all at once, when the first is asked for. A task's document is read once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Annotated, Protocol

import msgspec

from data.rows import Json
from data.store import Store
from data.task import Task
from sim_bridge.spec import Pose
from study import scoring
from study.analysis.paths import believed, called, contrastive_of
from study.analysis.trials import Move, Path, View
from study.export_columns import heading
from study.ordering import Order, picked

_OF = "JOIN episodes e USING (episode_id) WHERE e.study_id = ? AND e.mode = ?"
_STEPS = f"SELECT o.episode_id, o.seq, o.action, o.ok, o.pose_after FROM steps o {_OF} ORDER BY o.episode_id, o.seq"
_BELIEFS = (
    f"SELECT o.episode_id, e.task_hash, e.option_order, o.seq, o.raw, o.answer, o.confidence FROM beliefs o {_OF} "
    "ORDER BY e.task_hash, o.event_seq"
)
_LABELS = f"SELECT o.episode_id, o.coder, o.seq, o.label FROM view_labels o {_OF} ORDER BY o.coder, o.seq"


class _Step(msgspec.Struct, frozen=True):
    episode_id: str
    seq: int
    action: str
    ok: bool
    pose_after: Annotated[Pose, Json]


class _Thought(msgspec.Struct, frozen=True):
    episode_id: str
    task_hash: str
    option_order: Annotated[Order, Json]
    seq: int
    raw: str
    answer: str | None
    confidence: int | None


class _Label(msgspec.Struct, frozen=True):
    episode_id: str
    coder: str
    seq: int
    label: str


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

    @cache
    def read() -> dict[str, Path]:
        said, labels = _said(store, study_id, mode), defaultdict(list)
        for one in store.rows(_LABELS, _Label, [study_id, mode]):
            labels[one.episode_id].append((one.coder, one.seq, one.label))
        found = {}
        for episode_id, steps in groupby(store.stream(_STEPS, _Step, [study_id, mode]), key=lambda step: step.episode_id):
            moves, views = [], []
            for step in steps:
                views.append(View(step.seq, step.pose_after.position_m, *heading(step.pose_after.quaternion_xyzw)))
                if step.seq:
                    moves.append(Move(step.seq, called(step.action), step.ok))
            beliefs = believed(said.pop(episode_id, ()))
            found[episode_id] = Path(beliefs, tuple(moves), tuple(views), *contrastive_of(labels[episode_id], views[-1].seq, beliefs))
        # what was thought where no step is kept
        return found | {episode_id: Path(believed(thoughts)) for episode_id, thoughts in said.items()}

    return lambda episode_id: read().get(episode_id, Path())


def _said(store: Store, study_id: str, mode: str) -> dict[str, list[tuple[int, str | None, bool | None, int | None]]]:
    """Episode id → (observation, answer, whether it is right, confidence) of each belief, in the order in which they were stated."""
    found = defaultdict(list)
    for task_hash, thoughts in groupby(store.stream(_BELIEFS, _Thought, [study_id, mode]), key=lambda one: one.task_hash):
        task = store.get_task(task_hash)
        # many people think the same of one task
        judged: dict[tuple[tuple[int, ...], str], bool | None] = {}
        for one in thoughts:
            key = (one.option_order.options, one.raw)
            if key not in judged:
                judged[key] = belief_right(task, one, picked(task.question.options, one.option_order.options))
            found[one.episode_id].append((one.seq, one.answer, judged[key], one.confidence))
    return found
