"""Each task is played on the simulator that its study names, and an episode stays on the one on which it was begun."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sim_bridge import errors as bridge
from study import backends
from study.errors import BridgeDown
from study.protocol import Protocol
from study.simulators import where
from study.standing import standing


def kept(given: Any) -> tuple[str, ...]:
    return Protocol(backends=given).backends


def test_a_study_names_a_simulator_for_each_source() -> None:
    assert kept(["b=two", "a = one"]) == kept({"b": "two", "a": "one"}) == ("a=one", "b=two")
    assert kept({"a": "one", "b": ""}) == ("a=one",), "an empty name means the server's own"
    assert Protocol().backends == ()
    assert backends.table(kept({"x=y": "one"})) == {"x=y": "one"}, "a source may have any name"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["a"], "expected SOURCE=SIMULATOR, got 'a'"),
        (["=one"], "got '=one'"),
        ({"a": "One two"}, "small letters, got 'a=One two'"),
        (["a=one", "a=two"], "the source a stands there twice"),
        ("a=one", "expected entries of the form SOURCE=SIMULATOR"),
        (7, "expected entries of the form SOURCE=SIMULATOR, got '7'"),
    ],
)
def test_what_is_no_such_table_is_refused_in_words(given: Any, says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Protocol(backends=given)


def test_an_episode_begins_on_the_simulator_that_is_named_for_its_source(begin: Any, pool: Any, make_task: Any) -> None:
    task = make_task()
    begin(task, protocol=Protocol(backends=[f"{task.provenance.dataset}=omnigibson", "elsewhere=mujoco"]))
    assert pool.asked == [("omnigibson", ())]


def test_a_source_that_is_not_named_is_played_on_the_servers_own(begin: Any, pool: Any) -> None:
    begin(protocol=Protocol(backends=["elsewhere=mujoco"]))
    assert pool.asked == [("", ())]


def test_what_is_named_for_a_source_does_not_count_for_its_tasks_on_pictures(make_task: Any) -> None:
    task = make_task(required_features=("recorded",))
    assert backends.backend_of((f"{task.provenance.dataset}=omnigibson",), task) == ""
    assert backends.needs_of(task) == ("recorded",) and backends.needs_of(make_task()) == ()


def test_an_episode_goes_on_where_it_was_begun_whatever_is_named(begin: Any, restart: Any, store: Any, make_task: Any) -> None:
    task = make_task()
    view = begin(task, protocol=Protocol(backends=[f"{task.provenance.dataset}=omnigibson"]))
    here = standing(store, view.episode_id)
    assert here is not None and here.record.backend == "toy", "the one that showed the first view is kept"
    assert where(here)["backend"] == "toy"
    engine, pool = restart()
    again = engine.open(view.episode_id, tab="b")
    engine.act(again.episode_id, again.epoch, 1, "turn_left")
    assert {name for name, _ in pool.asked} == {"toy"}


def test_while_its_simulator_is_not_there_the_episode_waits_and_then_goes_on(begin: Any, engine: Any, pool: Any, store: Any) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    acquire = pool.acquire

    def nobody(session: str, **_: Any) -> Any:
        raise bridge.NoWorker("No worker of the simulator toy is there now.")

    pool.acquire, pool.faults = nobody, [("act", "lost")]
    with pytest.raises(BridgeDown, match="Nothing is lost"):
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
    pool.acquire = acquire
    step = engine.act(view.episode_id, view.epoch, 2, "turn_left")
    assert step.seq == 2 and pool.acts.count("turn_left") == 2
    row = store.one("SELECT backend, flags FROM episodes")
    assert row == {"backend": "toy", "flags": "[]"}
