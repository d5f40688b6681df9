"""A set of views is kept whole, once, and its frames outlive whoever else was shown them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlite_utils.utils import sqlite3

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.kinematics import canonical
from sim_bridge.spec import Pose
from study import erasure, frozen, participants
from study.episode import EpisodeEngine
from study.simulators import fingerprint_of
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool


@pytest.fixture
def rendered(pool: InlinePool, make_task: Callable[..., Task]) -> Callable[..., Any]:
    """Views of a task at some poses, as a simulator renders them."""

    def render(task: Any, *sideways: float) -> list[frozen.Rendered]:
        client = pool.acquire("scout")
        client.load("scout", task.scene, task.start, seed=0)
        poses = [canonical(Pose((x, *task.start.position_m[1:]), task.start.quaternion_xyzw)) for x in sideways]
        frames = client.views("scout", poses)
        pool.release("scout")
        return [frozen.Rendered(frame, pose) for frame, pose in zip(frames, poses, strict=True)]

    return render


def test_a_set_is_read_as_it_was_kept_and_kept_once(
    store: Store, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task], rendered: Callable[..., Any]
) -> None:
    task = make_task()
    store.put_task(task)
    fingerprint = fingerprint_of(pool.acquire("x").hello)
    views = rendered(task, 0.0, 0.25, 0.5)
    kept = frozen.keep(store, frames, task.content_hash, "random_walk", views, fingerprint=fingerprint, actor="job")
    assert [(view.n, view.pixel_hash, view.pose) for view in kept] == [(n, v.frame.pixel_hash, v.pose) for n, v in enumerate(views)]
    assert [frames.kept(store, view.pixel_hash) for view in kept] == [view.frame.data for view in views]
    assert frozen.views_of(store, task.content_hash, "random_walk") == kept
    assert frozen.keep(store, frames, task.content_hash, "random_walk", views, fingerprint=fingerprint) == kept
    with pytest.raises(frozen.FrozenOtherwise, match="stay as they are"):
        frozen.keep(store, frames, task.content_hash, "random_walk", views[:2], fingerprint=fingerprint)
    assert frozen.there(store, "random_walk", [task.content_hash, "0" * 64]) == {task.content_hash}
    assert not frozen.there(store, "ground_truth", [task.content_hash])


@pytest.mark.parametrize("sql", ["UPDATE frozen_views SET n = 9", "DELETE FROM frozen_views"])
def test_a_kept_set_cannot_be_changed(
    store: Store, frames: FrameStore, make_task: Callable[..., Task], rendered: Callable[..., Any], sql: str
) -> None:
    task = make_task()
    store.put_task(task)
    frozen.keep(store, frames, task.content_hash, "random_walk", rendered(task, 0.0), fingerprint="{}")
    with pytest.raises(sqlite3.IntegrityError, match="stays as it was rendered"), store.atomic() as db:
        db.execute(sql)


def test_an_erasure_leaves_the_frames_of_a_set(
    store: Store, frames: FrameStore, engine: EpisodeEngine, make_task: Callable[..., Task], rendered: Callable[..., Any]
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,))
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    episode_id = participants.place(store, engine, person).episode_id
    engine.open(present(episode_id))
    frozen.keep(store, frames, task.content_hash, "random_walk", rendered(task, task.start.position_m[0]), fingerprint="{}")
    start = frozen.views_of(store, task.content_hash, "random_walk")[0].pixel_hash
    assert present(store.one("SELECT pixel_hash FROM steps WHERE episode_id = ? AND seq = 0", [episode_id]))["pixel_hash"] == start
    erasure.erase(store, frames, person)
    assert present(store.one("SELECT count(*) AS n FROM steps"))["n"] == 0
    assert frames.kept(store, start)
