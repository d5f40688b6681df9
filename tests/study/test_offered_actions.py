"""An episode offers what its task allows and the simulator can do; it starts unless something needed is missing."""

from __future__ import annotations

from typing import Any

import pytest

from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from study.errors import BadAction, SceneUnplayable
from study.simulators import offerable
from study.standing import as_offered


def with_actions(task: Task, actions: tuple[str, ...], needs: tuple[str, ...] = ()) -> Task:
    return task.model_copy(update={"actions": actions, "required_features": needs})


@pytest.fixture
def task() -> Task:
    from data.generators.registry import bundled

    return bundled()[0]


def test_an_action_that_helps_but_is_not_possible_is_not_offered(task: Task) -> None:
    rich = with_actions(task, (*CAMERA_ACTIONS, "pick_up"))
    assert offerable(rich, (*CAMERA_ACTIONS, "mirror")) == CAMERA_ACTIONS


def test_a_task_that_needs_it_is_refused_in_words(task: Task) -> None:
    with pytest.raises(SceneUnplayable, match=r"cannot do \(pick_up\)"):
        offerable(with_actions(task, (*CAMERA_ACTIONS, "pick_up"), ("pick_up",)), CAMERA_ACTIONS)


def test_what_was_offered_holds_for_the_whole_episode(task: Task) -> None:
    rich = with_actions(task, (*CAMERA_ACTIONS, "pick_up"))
    assert as_offered(rich, '["turn_left"]').actions == ("turn_left",)
    assert as_offered(rich, "").actions == rich.actions


class Limited:
    """A toy simulator that can move its camera only."""

    def __new__(cls) -> Any:
        from sim_bridge.backends.toy import create

        backend = create()
        backend.capabilities = tuple(CAMERA_ACTIONS)
        return backend


def test_a_released_task_with_extra_actions_plays_on_a_camera_only_simulator(tmp_path: Any, task: Task) -> None:
    from data.frames import FrameStore
    from data.home import Home
    from data.store import Store
    from sim_bridge.local import LocalClient
    from study.episode import EpisodeEngine

    home = Home.from_env(tmp_path / "vantage.db").prepare()
    store, frames = Store.open(home), FrameStore(home.frames)
    client = LocalClient(Limited())

    class OnePool:
        def acquire(self, session: str, **_: Any) -> Any:
            return client

        def client(self, session: str) -> Any:
            return client

        def release(self, session: str) -> None: ...

        def report_lost(self, session: str) -> None: ...

    rich = with_actions(task, (*CAMERA_ACTIONS, "pick_up"))
    store.put_task(rich)
    engine = EpisodeEngine(store, frames, OnePool())  # type: ignore[arg-type]
    episode = engine.create(rich.content_hash, agent_kind="human")
    view = engine.open(episode, tab="a")
    assert view.actions == CAMERA_ACTIONS
    assert engine.act(episode, view.epoch, 1, "turn_left").ok
    with pytest.raises(BadAction, match="not available"):
        engine.act(episode, view.epoch, 2, "pick_up(object_1)")
    engine.close()
