"""A task that is made ready ahead is begun by nobody, is opened with what was loaded, and takes no simulator from anybody."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study import participants
from study.episode import EpisodeEngine
from study.errors import NoRoom
from study.simulators import AHEAD_RELEASE_S
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool


@pytest.fixture
def unopened(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> str:
    """An episode that nobody has opened."""
    task = make_task()
    store.put_task(task)
    return engine.create(task.content_hash)


def loads(pool: InlinePool) -> int:
    return sum(kind == "load" for kind, _, _ in pool.calls)


def test_making_ready_begins_nothing_and_opening_loads_nothing_again(
    store: Store, engine: EpisodeEngine, pool: InlinePool, unopened: str
) -> None:
    before = store.one("SELECT * FROM episodes WHERE episode_id = ?", [unopened])
    events = store.one("SELECT count(*) AS n FROM events")
    assert engine.make_ready(unopened) and engine.make_ready(unopened)
    assert loads(pool) == 1
    assert store.one("SELECT * FROM episodes WHERE episode_id = ?", [unopened]) == before
    assert store.one("SELECT count(*) AS n FROM events") == events
    assert store.one("SELECT count(*) AS n FROM steps") == {"n": 0}
    view = engine.open(unopened, tab="a")
    assert (view.epoch, view.step.seq, loads(pool)) == (1, 0, 1)
    assert engine.act(unopened, view.epoch, 1, "turn_left").seq == 1
    assert not engine.make_ready(unopened)  # it has been opened
    again = engine.open(unopened, tab="b")
    assert engine.act(unopened, again.epoch, 2, "turn_left").seq == 2  # a later tab builds its own, as ever
    assert loads(pool) == 2


def test_what_is_shown_is_the_same_made_ready_or_not(store: Store, engine: EpisodeEngine, unopened: str) -> None:
    task = present(store.one("SELECT task_hash FROM episodes WHERE episode_id = ?", [unopened]))["task_hash"]
    engine.make_ready(unopened)
    engine.open(unopened)
    engine.open(engine.create(task))
    assert len({row["pixel_hash"] for row in store.query("SELECT pixel_hash FROM steps")}) == 1


def test_it_takes_no_simulator_from_anybody_and_makes_room(
    store: Store, engine: EpisodeEngine, pool: InlinePool, unopened: str, begin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.room = 1
    playing = begin()
    monkeypatch.setattr("study.simulators.IDLE_EVICT_S", 0.0)
    assert not engine.make_ready(unopened)
    assert engine.act(playing.episode_id, playing.epoch, 1, "turn_left").seq == 1
    engine.release(playing.episode_id)
    assert engine.make_ready(unopened)
    assert engine.act(playing.episode_id, playing.epoch, 2, "turn_left").seq == 2  # who plays gets the one that waits for nobody
    monkeypatch.setattr("study.simulators.IDLE_EVICT_S", 10.0)
    with pytest.raises(NoRoom):
        engine.open(unopened)


def test_where_nobody_comes_the_simulator_is_given_back_sooner_than_of_who_plays(
    engine: EpisodeEngine, pool: InlinePool, unopened: str, begin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from study import simulators

    begin()
    engine.make_ready(unopened)
    assert engine.sweep() == 0
    at = simulators.time.monotonic()  # type: ignore[attr-defined]
    monkeypatch.setattr(simulators.time, "monotonic", lambda: at + AHEAD_RELEASE_S + 1)  # type: ignore[attr-defined]
    assert engine.sweep() == 1 and len(pool.held) == 1
    assert engine.open(unopened).step.seq == 0


def test_who_comes_while_it_is_made_ready_waits_for_it_and_goes_on_with_it(
    store: Store, engine: EpisodeEngine, pool: InlinePool, unopened: str
) -> None:
    loading, go = threading.Event(), threading.Event()

    def slow() -> None:
        loading.set()
        assert go.wait(5)

    pool.faults.append(("load", slow))
    maker = threading.Thread(target=engine.make_ready, args=[unopened])
    maker.start()
    assert loading.wait(5)
    views: list[object] = []
    opener = threading.Thread(target=lambda: views.append(engine.open(unopened)))
    opener.start()
    while present(store.one("SELECT epoch FROM episodes WHERE episode_id = ?", [unopened]))["epoch"] == 0:
        pass
    go.set()
    maker.join(5)
    opener.join(5)
    assert len(views) == 1 and loads(pool) == 1 and len(pool.held) == 1


def test_a_scene_that_cannot_be_loaded_says_so_to_who_opens_it(engine: EpisodeEngine, pool: InlinePool, unopened: str) -> None:
    pool.faults.append(("load", "lost"))
    with pytest.raises(Exception, match="worker died"):
        engine.make_ready(unopened)
    assert pool.held == {}
    assert engine.open(unopened).step.seq == 0


def test_stopping_gives_back_what_was_made_ready(
    store: Store, engine: EpisodeEngine, pool: InlinePool, make_task: Callable[..., Task]
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), per_task=1, trials=1)
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    assert engine.make_ready(participants.place(store, engine, person).episode_id or "")
    participants.stop(store, engine, person)
    assert pool.held == {}
    assert store.one("SELECT count(*) AS n FROM slots WHERE state = 'free'") == {"n": 1}
