"""`vantage replay`: an episode renders as it was stored, and what does not is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.commands.common import time_left
from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.backends import changes
from sim_bridge.spec import Scene
from study.episode import EpisodeEngine
from study.errors import UnknownEpisode
from study.replay import episode_ids, replay
from tests.study.conftest import InlinePool


@pytest.fixture
def played(begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene]) -> Any:
    view = begin(make_task(scene=two_part_scene(), actions=(*CAMERA_ACTIONS, "pick_up", "put")), agent_kind="model")
    handle = view.step.handles[0].handle
    for seq, action in enumerate(["turn_left", f"pick_up({handle})", f"put({handle}, on, {handle})"], 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.stay(view.episode_id, view.epoch, 4, "x")
    engine.next_phase(view.episode_id, view.epoch, 5)
    engine.act(view.episode_id, view.epoch, 6, "move_up")
    return view.episode_id


def test_an_episode_renders_as_it_was_stored(played: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    report = replay(store, frames, pool, episode_ids(store))
    assert (report.episodes, report.steps, report.verified, report.differing, report.ok) == (1, 7, 7, 0, True)


def test_a_changed_row_and_a_damaged_file_are_found(played: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    steps = store.query("SELECT pixel_hash FROM steps ORDER BY seq")
    frames.path(steps[1]["pixel_hash"]).write_bytes(frames.kept(store, steps[0]["pixel_hash"]))
    with store.atomic() as db:
        db.execute("UPDATE steps SET pixel_hash = ? WHERE seq = 6", [steps[0]["pixel_hash"]])
    report = replay(store, frames, pool, episode_ids(store))
    assert not report.ok
    found = [(d.seq, d.what) for d in report.differences]
    assert (1, "file") in found
    assert (6, "pixels") in found
    assert report.verified + report.differing == report.steps == 7


def test_an_episode_with_which_the_simulator_is_lost_is_replayed_by_another(
    played: Any, store: Store, frames: FrameStore, pool: InlinePool
) -> None:
    lost = pool.host
    pool.faults.append(("act", "lost"))
    report = replay(store, frames, pool, [played])
    assert (report.episodes, report.steps, report.verified, report.ok) == (1, 7, 7, True)
    assert pool.host is not lost and not any(name.startswith("replay-") for name in pool.held)


def test_an_episode_that_costs_two_simulators_counts_as_differing(played: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    pool.faults += [("act", "lost"), ("act", "lost")]
    report = replay(store, frames, pool, [played])
    assert (report.steps, report.verified, report.differing) == (7, 1, 6)
    assert report.differences[0].what == "error"


def test_an_unknown_episode_is_said(store: Store, frames: FrameStore, pool: InlinePool) -> None:
    with pytest.raises(UnknownEpisode):
        replay(store, frames, pool, ["ep_none"])


def recorded_elsewhere(store: Store) -> None:
    with store.atomic() as db:
        db.execute("UPDATE episodes SET fingerprint = ?", ['{"backend":"toy 0","machine":"m68k"}'])


def test_pixels_of_another_renderer_are_not_compared_and_that_is_said(
    played: Any, store: Store, frames: FrameStore, pool: InlinePool
) -> None:
    recorded_elsewhere(store)
    steps = store.query("SELECT pixel_hash FROM steps ORDER BY seq")
    with store.atomic() as db:
        db.execute("UPDATE steps SET pixel_hash = ? WHERE seq = 6", [steps[0]["pixel_hash"]])
    report = replay(store, frames, pool, [played])
    assert (report.ok, report.verified, report.equal, report.other_backend) == (True, 0, 7, 1)
    (one,) = report.replayed
    assert one.sentence == "recorded with toy 0, m68k: poses, results and answers equal, pixels not compared"


def test_same_renderer_is_said(played: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    assert [one.sentence for one in replay(store, frames, pool, [played]).replayed] == ["same renderer: bit-exact"]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE steps SET ok = 1 - ok WHERE seq = 3", "result"),
        ("UPDATE steps SET pose_after = (SELECT pose_after FROM steps WHERE seq = 0) WHERE seq = 6", "pose"),
        ("UPDATE steps SET phase = 'elsewhere' WHERE seq = 5", "result"),
    ],
)
def test_another_pose_or_result_differs_whatever_the_renderer(
    played: Any, store: Store, frames: FrameStore, pool: InlinePool, change: str, what: str, elsewhere: bool
) -> None:
    if elsewhere:
        recorded_elsewhere(store)
    with store.atomic() as db:
        db.execute(change)
    report = replay(store, frames, pool, [played])
    assert not report.ok
    assert [d.what for d in report.differences] == [what]
    assert [one.verdict for one in report.replayed] == ["differs"]


def test_another_score_differs(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool
) -> None:
    view = begin(agent_kind="model")
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    assert replay(store, frames, pool, [view.episode_id]).ok
    with store.atomic() as db:
        db.execute("UPDATE scores SET correct_strict = 1 - correct_strict")
    report = replay(store, frames, pool, [view.episode_id])
    assert not report.ok
    assert [d.what for d in report.differences] == ["answer"]


def test_what_was_changed_on_purpose_is_listed_with_the_reason(
    played: Any, store: Store, frames: FrameStore, pool: InlinePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = changes.Change("toy", 1, frozenset({"pick_up"}), "The hand grew.")
    monkeypatch.setattr(changes, "CHANGES", (change,))
    with store.atomic() as db:
        db.execute("UPDATE steps SET ok = 1 - ok WHERE seq = 3")
    assert not replay(store, frames, pool, [played]).ok, "the same program has no excuse"
    recorded_elsewhere(store)
    report = replay(store, frames, pool, [played])
    assert (report.ok, report.equal, report.changed) == (True, 6, 1)
    (one,) = report.replayed
    assert one.verdict == "changed"
    assert one.sentence.endswith("because of a change on purpose: The hand grew.")
    with store.atomic() as db:
        db.execute("UPDATE steps SET ok = 1 - ok WHERE seq = 1")  # before the hand did anything
    assert [d.seq for d in replay(store, frames, pool, [played]).differences] == [1]


def test_changes_are_numbered_and_name_actions() -> None:

    for backend in {change.backend for change in changes.CHANGES}:
        numbers = [change.number for change in changes.CHANGES if change.backend == backend]
        assert numbers == list(range(1, len(numbers) + 1))
        assert changes.newest(backend) == len(numbers)
        assert changes.since({"physics": str(len(numbers))}, backend) == ()
        assert len(changes.since({}, backend)) == len(numbers)
    assert {name for change in changes.CHANGES for name in change.actions} <= set(ACTIONS)


def test_the_time_left_follows_the_steps_done() -> None:
    assert time_left(3.0, 0, 50) == ""
    assert time_left(10.0, 20, 60) == " (about 30 s left)"
    assert time_left(60.0, 10, 100) == " (about 10 min left)"
