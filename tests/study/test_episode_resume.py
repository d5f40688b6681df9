"""Nothing is acted twice and nothing acknowledged is lost: other tabs, retries, dead simulators, restarts, full disks."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Scene
from study.episode import EpisodeEngine
from study.errors import BridgeDown, EpisodeOver, NoRoom, OutOfStep, StorageFull, TakenOver
from tests.present import present
from tests.study.conftest import InlinePool

WALK = ["turn_left", "move_forward", "turn_up", "move_right", "move_down"]


def walk(engine: EpisodeEngine, view: Any, actions: list[str] = WALK, first: int = 1) -> Any:
    return [engine.act(view.episode_id, view.epoch, seq, action) for seq, action in enumerate(actions, first)]


def hashes(store: Store, episode_id: str) -> list[str]:
    return [r["pixel_hash"] for r in store.query("SELECT pixel_hash FROM steps WHERE episode_id = ? ORDER BY seq", [episode_id])]


def test_a_later_tab_takes_over_and_the_earlier_is_told(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool) -> None:
    first = begin(tab="a")
    walk(engine, first)
    second = engine.open(first.episode_id, tab="b")
    assert (second.epoch, second.step.seq) == (first.epoch + 1, 5)
    for call in (
        lambda: engine.act(first.episode_id, first.epoch, 6, "turn_left"),
        lambda: engine.act(first.episode_id, first.epoch, 5, "move_down"),
        lambda: engine.belief(first.episode_id, first.epoch, 1, "near the bowl", 5),
        lambda: engine.answer(first.episode_id, first.epoch, "near the bowl", 5),
        lambda: engine.next_phase(first.episode_id, first.epoch, 6),
    ):
        with pytest.raises(TakenOver, match="opened elsewhere"):
            call()
    assert engine.act(second.episode_id, second.epoch, 6, "turn_left").seq == 6
    assert len(pool.held) == 1


def test_a_repeat_returns_the_stored_step_and_never_acts_again(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool) -> None:
    view = begin()
    first = engine.act(view.episode_id, view.epoch, 1, "turn_left")
    again = engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert (again, again.image) == (first, first.image)
    with pytest.raises(OutOfStep, match="turn_left"):
        engine.act(view.episode_id, view.epoch, 1, "turn_right")
    assert pool.acts == ["turn_left"]


def test_many_copies_of_one_press_act_once(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, store: Store) -> None:
    view = begin()
    results: list[object] = []

    def press() -> None:
        try:
            results.append(engine.act(view.episode_id, view.epoch, 1, "turn_left").saved_at)
        except Exception as error:
            results.append(error)

    threads = [threading.Thread(target=press) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1
    assert isinstance(results[0], str)
    assert pool.acts == ["turn_left"]


def test_many_tabs_opening_at_once_leave_exactly_one_owner(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], store: Store
) -> None:
    task = make_task()
    store.put_task(task)
    episode_id = engine.create(task.content_hash)
    views, errors = [], []

    def tab(n: int) -> None:
        try:
            views.append(engine.open(episode_id, tab=str(n)))
        except TakenOver as error:
            errors.append(error)

    threads = [threading.Thread(target=tab, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    epoch = present(store.one("SELECT epoch FROM episodes"))["epoch"]
    assert epoch == 6
    assert len(hashes(store, episode_id)) == 1
    owner = engine.open(episode_id)
    assert engine.act(episode_id, owner.epoch, 1, "turn_left").seq == 1


@pytest.mark.parametrize("fault", ["lost", "late"])
def test_a_simulator_that_dies_in_the_middle_is_replaced_and_the_action_happens_once(
    begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, store: Store, fault: str
) -> None:
    reference = begin(seed=1)
    walk(engine, reference, [*WALK, "turn_left"])
    view = begin(seed=2)
    walk(engine, view)
    pool.faults.append(("act", fault))
    step = engine.act(view.episode_id, view.epoch, 6, "turn_left")
    assert step.seq == 6
    assert hashes(store, view.episode_id) == hashes(store, reference.episode_id)
    resumed = [json.loads(r["data"]) for r in store.query("SELECT data FROM events WHERE kind = 'resumed'")]
    assert [(r["by"], r["difference"]) for r in resumed] == [("snapshot", "")]


def test_a_restart_resumes_at_the_same_step(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, restart: Callable[[], tuple[EpisodeEngine, InlinePool]]
) -> None:
    reference = begin(seed=1)
    walk(engine, reference, WALK * 2)
    view = begin(seed=2)
    walk(engine, view)
    engine, pool = restart()
    reopened = engine.open(view.episode_id, tab="after")
    assert (reopened.step.seq, reopened.epoch) == (5, view.epoch + 1)
    walk(engine, reopened, WALK, first=6)
    assert hashes(store, view.episode_id) == hashes(store, reference.episode_id)
    assert pool.acts == WALK


def test_without_a_usable_snapshot_the_actions_are_replayed(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    restart: Callable[[], tuple[EpisodeEngine, InlinePool]],
    make_task: Callable[..., Task],
    two_part_scene: Callable[..., Scene],
) -> None:
    task = make_task(scene=two_part_scene(), actions=(*CAMERA_ACTIONS, "pick_up"))
    view = begin(task, agent_kind="model")
    walk(engine, view, ["turn_left"])
    engine.stay(view.episode_id, view.epoch, 2, "nothing")
    engine.next_phase(view.episode_id, view.epoch, 3)
    walk(engine, view, ["move_up", "turn_right"], first=4)
    with store.atomic() as db:
        db.execute("UPDATE snapshots SET data = ?", [b"rubbish"])
    engine, _ = restart()
    reopened = engine.open(view.episode_id)
    engine.act(view.episode_id, reopened.epoch, 6, "turn_left")
    events = [json.loads(r["data"]) for r in store.query("SELECT data FROM events WHERE kind = 'resumed'")]
    assert [(r["by"], r["difference"], r["seq"]) for r in events] == [("replay", "", 5)]
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == []


def test_a_resumed_view_that_differs_is_flagged(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, restart: Callable[[], tuple[EpisodeEngine, InlinePool]]
) -> None:
    view = begin()
    walk(engine, view)
    with store.atomic() as db:
        db.execute("UPDATE steps SET pixel_hash = (SELECT pixel_hash FROM steps WHERE seq = 0) WHERE seq = 5")
    engine, _ = restart()
    reopened = engine.open(view.episode_id)
    engine.act(view.episode_id, reopened.epoch, 6, "turn_left")
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == ["resume_differs"]
    assert json.loads(present(store.one("SELECT data FROM events WHERE kind = 'resumed'"))["data"])["difference"] == "pixels"


def test_a_dead_bridge_is_said_the_episode_kept_and_goes_on(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool) -> None:
    view = begin()
    walk(engine, view)
    engine.release(view.episode_id)
    pool.down = True
    with pytest.raises(BridgeDown, match="Nothing is lost"):
        engine.act(view.episode_id, view.epoch, 6, "turn_left")
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 5)
    pool.down = False
    assert engine.act(view.episode_id, view.epoch, 6, "turn_left").seq == 6


def test_a_new_episode_on_a_dead_bridge_can_be_opened_later(
    engine: EpisodeEngine, pool: InlinePool, make_task: Callable[..., Task], store: Store
) -> None:
    task = make_task()
    store.put_task(task)
    episode_id = engine.create(task.content_hash)
    pool.down = True
    with pytest.raises(BridgeDown):
        engine.open(episode_id)
    pool.down = False
    assert engine.open(episode_id).step.seq == 0


def test_a_full_house_tells_the_place_in_the_line_and_idle_sessions_make_room(
    begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.room = 1
    first = begin()
    places: list[int] = []
    second = engine.create(engine.store.find_task("toy-001").content_hash)
    with pytest.raises(NoRoom) as refused:
        engine.open(second, on_wait=places.append)
    assert (refused.value.place, places) == (1, [1])
    monkeypatch.setattr("study.simulators.IDLE_EVICT_S", 0.0)
    assert engine.open(second).step.seq == 0
    assert engine.act(first.episode_id, first.epoch, 1, "turn_left").seq == 1


@pytest.mark.parametrize("where", ["frame", "row"])
def test_a_full_disk_is_said_and_the_step_can_be_sent_again(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    reference = begin(seed=1)
    walk(engine, reference, [*WALK, "move_up"])
    view = begin(seed=2)
    walk(engine, view)
    with monkeypatch.context() as patch:
        if where == "frame":

            def full(*_: object) -> None:
                raise OSError(errno.ENOSPC, "No space left on device")

            patch.setattr("data.frames.sync_folder", full)
        else:

            def full_row(*_: object, **__: object) -> int:
                raise StorageFull("The disk is full.")

            patch.setattr(store, "event", full_row)
        with pytest.raises(StorageFull, match="full"):
            engine.act(view.episode_id, view.epoch, 6, "move_up")
        assert engine.view(view.episode_id).step.seq == 5
    assert engine.act(view.episode_id, view.epoch, 6, "move_up").seq == 6
    assert hashes(store, view.episode_id) == hashes(store, reference.episode_id)


def test_a_take_over_during_an_action_wins_and_the_action_is_not_kept(
    begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, store: Store
) -> None:
    view = begin()
    pool.faults.append(("act", lambda: engine.open(view.episode_id, tab="thief")))
    with pytest.raises(TakenOver):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert store.one("SELECT last_seq, epoch FROM episodes") == {"last_seq": 0, "epoch": 2}
    step = engine.act(view.episode_id, 2, 1, "turn_right")
    fresh = begin(seed=9)
    assert engine.act(fresh.episode_id, fresh.epoch, 1, "turn_right").image == step.image
    assert len(pool.held) == 2


def test_an_ended_episode_frees_its_simulator_and_takes_nothing_more(
    begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool
) -> None:
    view = begin()
    assert engine.end(view.episode_id, "return") == "returned"
    assert pool.held == {}
    with pytest.raises(EpisodeOver, match="returned"):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")


def test_idle_simulators_are_given_back_and_come_again(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool) -> None:
    view = begin()
    assert engine.sweep(0.0) == 1
    assert pool.held == {}
    assert engine.act(view.episode_id, view.epoch, 1, "turn_left").seq == 1


def test_half_written_frames_of_dead_writers_are_swept(store: Store) -> None:
    folder = FrameStore(store.home.frames).half
    old, new = folder / "old.tmp", folder / "new.tmp"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1, 1))
    FrameStore(store.home.frames)
    assert sorted(p.name for p in folder.iterdir()) == ["new.tmp"]


def test_beginning_to_work_reads_no_folder_of_frames(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin()
    read: list[Path] = []
    for name in ("iterdir", "glob", "rglob"):
        real = getattr(Path, name)
        monkeypatch.setattr(Path, name, lambda self, *args, real=real: (read.append(self), real(self, *args))[1])  # type: ignore[func-returns-value]
    for name in ("scandir", "listdir"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda path=".", real=real: (read.append(Path(os.fspath(path))), real(path))[1])  # type: ignore[func-returns-value]
    FrameStore(frames.root)
    assert len(list(frames.half.iterdir())) == 0 and {path for path in read if frames.root in path.parents} == {frames.half}
    assert frames.root not in read


def test_a_forged_epoch_disturbs_nothing(begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool) -> None:
    view = begin()
    loads = len(pool.calls)
    for epoch in (view.epoch + 5, 0, -1, None, "1"):
        with pytest.raises(TakenOver):
            engine.act(view.episode_id, epoch, 1, "turn_left")  # type: ignore[arg-type]
    assert engine.act(view.episode_id, view.epoch, 1, "turn_left").seq == 1
    assert [kind for kind, *_ in pool.calls[loads:]] == ["act"]


def test_a_clock_that_is_none_is_left_out(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    for seq, clock in enumerate((float("nan"), float("inf"), 1e300, "now", True, 5), 1):
        engine.act(view.episode_id, view.epoch, seq, "turn_left", client_time_ms=clock)  # type: ignore[arg-type]
    assert [row["client_time_ms"] for row in store.query("SELECT client_time_ms FROM steps WHERE seq > 0 ORDER BY seq")] == [None] * 5 + [
        5.0
    ]


def test_an_episode_given_back_before_its_first_view_is_over(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    task = make_task()
    store.put_task(task)
    episode_id = engine.create(task.content_hash)
    engine.end(episode_id, "return")
    with pytest.raises(EpisodeOver):
        engine.open(episode_id)
