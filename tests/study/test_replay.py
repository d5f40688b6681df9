"""`vantage replay`: an episode renders as it was stored, and what does not is found."""

from __future__ import annotations

import pytest

from sim_bridge.actions import CAMERA_ACTIONS
from study.errors import UnknownEpisode
from study.replay import episode_ids, replay


@pytest.fixture
def played(begin, engine, make_task, two_part_scene):
    view = begin(make_task(scene=two_part_scene(), actions=(*CAMERA_ACTIONS, "pick_up", "put")), agent_kind="model")
    handle = view.step.handles[0].handle
    for seq, action in enumerate(["turn_left", f"pick_up({handle})", f"put({handle}, on, {handle})"], 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.stay(view.episode_id, view.epoch, 4, "x")
    engine.next_phase(view.episode_id, view.epoch, 5)
    engine.act(view.episode_id, view.epoch, 6, "move_up")
    return view.episode_id


def test_an_episode_renders_as_it_was_stored(played, store, frames, pool) -> None:
    report = replay(store, frames, pool, episode_ids(store))
    assert (report.episodes, report.steps, report.verified, report.differing, report.ok) == (1, 7, 7, 0, True)


def test_a_changed_row_and_a_damaged_file_are_found(played, store, frames, pool) -> None:
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


def test_a_scene_that_can_no_longer_be_built_counts_as_differing(played, store, frames, pool) -> None:
    pool.faults.append(("act", "lost"))
    report = replay(store, frames, pool, [played])
    assert (report.steps, report.verified, report.differing) == (7, 1, 6)
    assert report.differences[0].what == "error"


def test_an_unknown_episode_is_said(store, frames, pool) -> None:
    with pytest.raises(UnknownEpisode):
        replay(store, frames, pool, ["ep_none"])
