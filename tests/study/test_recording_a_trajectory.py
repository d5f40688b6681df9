"""Somebody of the staff records a ground-truth trajectory: played live, undone, checked, played once more, and then used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.recording import recorder
from annotation.recording.errors import NotYours, Unusable
from data.store import Store
from data.task import Gold, Task
from sim_bridge.spec import Scene
from study import ground_truth, trajectories
from study.episode import EpisodeEngine
from study.errors import BudgetUsed
from study.steps import steps_of
from tests.study.conftest import InlinePool

ADA, BOB = "staff_ada", "staff_bob"


@pytest.fixture
def task(store: Store, make_task: Callable[..., Task]) -> Any:
    """A task without a trajectory, and two people of the staff."""
    made = make_task("bare", gold=Gold(accepted=("near the lamp",), chance=0.5))
    store.put_task(made)
    for who in (ADA, BOB):
        store.insert("staff", {"staff_id": who, "name": who, "created_at": "2026-01-01T00:00:00.000+00:00"})
    return made


def played(engine: EpisodeEngine, task: Any, *actions: Any, answer: str | None = "near the lamp") -> str:
    episode = recorder.begin(engine, task.content_hash, ADA)
    view = engine.open(episode)
    for seq, action in enumerate(actions, 1):
        engine.act(episode, view.epoch, seq, action)
    if answer:
        engine.answer(episode, view.epoch, answer)
    return episode


def test_what_was_played_becomes_the_trajectory_and_its_recorder_an_author(
    engine: EpisodeEngine, store: Store, pool: InlinePool, task: Any
) -> None:
    assert [t.task_id for t in recorder.without(store, [task.content_hash])] == ["bare"]
    episode = played(engine, task, "turn_left", "move_forward", "turn_right")
    assert recorder.problems(store, episode) == []
    kept = recorder.use(engine, episode, ADA, "The larger cup is by the lamp.")
    assert (kept.actions, kept.phase_starts) == (("turn_left", "move_forward", "turn_right"), ())
    assert kept.says == "The larger cup is by the lamp."
    assert store.query("SELECT staff_id, part FROM task_people") == [{"staff_id": ADA, "part": "recorded"}]
    assert recorder.without(store, [task.content_hash]) == []
    client = pool.acquire("scout")
    shown = ground_truth.render(store, client, "scout", task)
    assert [view.frame.pixel_hash for view in shown] == [step.pixel_hash for step in steps_of(store, episode)]
    assert store.query("SELECT DISTINCT mode, study_id FROM episodes") == [{"mode": "preview", "study_id": None}]


def test_the_last_action_can_be_undone(engine: EpisodeEngine, store: Store, task: Any) -> None:
    episode = played(engine, task, "turn_left", "move_forward", "turn_right", answer=None)
    again = recorder.undo(engine, episode, ADA)
    assert recorder.way(steps_of(store, again)).actions == ("turn_left", "move_forward")
    assert steps_of(store, again)[-1].pixel_hash == steps_of(store, episode)[2].pixel_hash
    going_on = recorder.going_on(store, task.content_hash, ADA)
    assert going_on is not None and going_on.episode_id == again
    assert recorder.going_on(store, task.content_hash, BOB) is None
    with pytest.raises(NotYours):
        recorder.undo(engine, again, BOB)


@pytest.mark.parametrize(
    ("actions", "answer", "why"),
    [
        ((), "near the lamp", "at least one action"),
        (("turn_left",), "near the bowl", "not the task's own"),
        (("turn_left",), None, "no end yet"),
    ],
)
def test_what_cannot_be_a_trajectory_is_said_and_not_used(
    engine: EpisodeEngine, store: Store, task: Any, actions: Any, answer: str | None, why: str
) -> None:
    episode = played(engine, task, *actions, answer=answer)
    with pytest.raises(Unusable, match=why):
        recorder.use(engine, episode, ADA, "So it is.")
    assert trajectories.recorded(store, task.content_hash) is None


def test_no_move_ends_inside_a_wall(engine: EpisodeEngine, store: Store, task: Any) -> None:
    episode = recorder.begin(engine, task.content_hash, ADA)
    view = engine.open(episode)
    seq = 0
    while engine.view(episode).step.ok and seq < 60:
        seq += 1
        engine.act(episode, view.epoch, seq, "move_forward")
    assert not engine.view(episode).step.ok
    own = recorder.way(steps_of(store, episode))
    assert len(own.actions) == seq - 1
    assert not any(step.clipped for step in steps_of(store, episode))


def test_the_parts_of_a_task_are_parts_of_its_trajectory(
    engine: EpisodeEngine, store: Store, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene], task: Any
) -> None:
    parts = make_task("parts", scene=two_part_scene())
    store.put_task(parts)
    episode = recorder.begin(engine, parts.content_hash, ADA)
    view = engine.open(episode)
    engine.act(episode, view.epoch, 1, "turn_left")
    assert "It ends before the task's last part: go on to it before you answer." in recorder.problems(store, episode)
    engine.next_phase(episode, view.epoch, 2)
    engine.act(episode, view.epoch, 3, "turn_right")
    engine.answer(episode, view.epoch, "near the lamp")
    kept = recorder.use(engine, episode, ADA, "It is gone.")
    assert (kept.actions, kept.phase_starts) == (("turn_left", "turn_right"), (1,))


def test_it_takes_at_most_two_thirds_of_the_tasks_budget(engine: EpisodeEngine, store: Store, task: Any) -> None:
    with pytest.raises(BudgetUsed, match="All 20 observations"):
        played(engine, task, *["turn_left"] * 20)
