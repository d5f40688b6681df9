"""Each task is played on the simulator that its study names, and an episode stays on the one on which it was begun."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from data.store import written
from sim_bridge import errors as bridge
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.placement import AWAY
from study import backends
from study.episode import EpisodeEngine
from study.errors import BridgeDown
from study.protocol import Protocol
from study.simulators import where
from study.spans import Event, Step, cut, ms_of, of_episode
from study.standing import standing
from tests.sim_bridge.test_mixed_pools import Other, pooled, serving


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
    begin(task, protocol=Protocol(backends=[f"{task.provenance.dataset}=omnigibson", "elsewhere=mujoco"]))  # type: ignore[arg-type]
    assert pool.asked == [("omnigibson", ())]


def test_a_source_that_is_not_named_is_played_on_the_servers_own(begin: Any, pool: Any) -> None:
    begin(protocol=Protocol(backends=["elsewhere=mujoco"]))  # type: ignore[arg-type]
    assert pool.asked == [("", ())]


def test_what_is_named_for_a_source_does_not_count_for_its_tasks_on_pictures(make_task: Any) -> None:
    task = make_task(required_features=("recorded",))
    assert backends.backend_of((f"{task.provenance.dataset}=omnigibson",), task) == ""
    assert backends.needs_of(task) == ("recorded",) and backends.needs_of(make_task()) == ()


def test_an_episode_goes_on_where_it_was_begun_whatever_is_named(begin: Any, restart: Any, store: Any, make_task: Any) -> None:
    task = make_task()
    view = begin(task, protocol=Protocol(backends=[f"{task.provenance.dataset}=omnigibson"]))  # type: ignore[arg-type]
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

    def nobody(session: str, *, on_wait: Any = None, **_: Any) -> Any:
        if on_wait:
            on_wait(AWAY)
        raise bridge.NoWorker("No worker of the simulator toy is there now.")

    pool.acquire, pool.faults = nobody, [("act", "lost")]
    with pytest.raises(BridgeDown, match="Nothing is lost"):
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
    with pytest.raises(BridgeDown):
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
    pool.acquire = acquire
    step = engine.act(view.episode_id, view.epoch, 2, "turn_left")
    assert step.seq == 2 and pool.acts.count("turn_left") == 2
    row = store.one("SELECT backend, flags FROM episodes")
    assert row == {"backend": "toy", "flags": "[]"}
    told = store.query("SELECT kind, data FROM events WHERE kind LIKE 'simulator%' ORDER BY seq")
    assert [row["kind"] for row in told] == ["simulator_away", "simulator_back"], "once, however often it was asked for"
    assert json.loads(told[0]["data"]) == {"epoch": 1, "backend": "toy"}


@pytest.mark.parametrize(("back", "acts", "counted"), [(3595, None, 15), (None, None, 10), (None, 3000, 610)])
def test_nobodys_time_runs_while_their_simulator_is_away(back: int | None, acts: int | None, counted: int) -> None:
    def at(seconds: float) -> str:
        return written(datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(seconds=seconds))

    def event(kind: str, seconds: float) -> Event:
        return Event(episode_id="e", kind=kind, at=at(seconds), epoch=1)

    def step(seq: int, seconds: float) -> Step:
        return Step(episode_id="e", seq=seq, epoch=1, client_time_ms=None, painted_ms=None, server_time=at(seconds))

    events = [event("opened", -1), event("simulator_away", 10), *([event("simulator_back", back)] if back else []), event("page", 3600)]
    steps = [step(0, 0), *([step(1, acts)] if acts else [])]
    shares = cut(ms_of(at(0)), ms_of(at(3600)), of_episode("e", steps, events))
    assert shares["thinking"] == counted * 1000 and shares["waiting"] == (3600 - counted) * 1000


def test_a_worker_of_the_same_simulator_takes_over_and_no_other(store: Any, frames: Any, make_task: Any) -> None:
    with contextlib.ExitStack() as second, serving(ToyBackend()) as first, serving(Other()) as other:
        lost = second.enter_context(serving(ToyBackend()))
        with pooled(lost, other, workers=0) as pool:
            engine = EpisodeEngine(store, frames, pool, wait_s=0.2)
            task = make_task()
            store.put_task(task)
            named = Protocol(backends=[f"{task.provenance.dataset}=toy"])  # type: ignore[arg-type]
            view = engine.open(engine.create(task.content_hash, protocol=named), tab="a")
            engine.act(view.episode_id, view.epoch, 1, "turn_left")
            second.close()
            with pytest.raises(BridgeDown):
                engine.act(view.episode_id, view.epoch, 2, "turn_left")
            assert store.one("SELECT last_seq FROM episodes") == {"last_seq": 1}, "the other simulator is ready, and is not taken"
            engine.close()
        with pooled(other, first) as pool:
            engine = EpisodeEngine(store, frames, pool, wait_s=5.0)
            again = engine.open(view.episode_id, tab="b")
            engine.act(again.episode_id, again.epoch, 2, "turn_left")
            engine.close()
    assert store.one("SELECT backend, flags, last_seq FROM episodes") == {"backend": "toy", "flags": "[]", "last_seq": 2}
    (resumed,) = store.query("SELECT data ->> '$.verified' AS verified FROM events WHERE kind = 'resumed'")
    assert resumed["verified"] == 1
