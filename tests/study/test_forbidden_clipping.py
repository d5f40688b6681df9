"""A protocol that forbids clipping: a move into a wall or a thing is a failed step, the camera stays, and all that follows is exact."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from study import agents
from study.env import EpisodeEnv
from study.episode import EpisodeEngine
from study.export import export
from study.protocol import Protocol, as_kept
from study.replay import replay
from tests.present import present
from tests.study.conftest import InlinePool

FORBID = Protocol(clipping="forbid")
LOOK = (0.7071067811865476, 0.0, 0.0, 0.7071067811865476)
WALL = "That did not work: you cannot go there."


@pytest.fixture
def task(make_task: Callable[..., Task]) -> Any:
    """The camera 0.3 m from the wall behind it; a ball moves with every step that is executed."""
    ball = Object("object_1", "ball", Pose((-0.6, 1.0, 0.6)), size_m=(0.3, 0.3, 0.3), dynamic=True, params={"velocity_m": [0.05, 0.0, 0.0]})
    lamp = Object("object_2", "lamp", Pose((0.8, 1.5, 0.0)), origin="base", size_m=(0.3, 0.3, 0.6))
    scene = Scene(camera=Camera(64, 48), room=Room(bounds_m=(-2.0, -2.0, 2.0, 2.0)), objects=(ball, lamp))
    return make_task(scene=scene, start=Pose((0.0, -1.7, 1.0), LOOK), names={"object_2": "lamp"})


def steps(store: Store, episode: str) -> list[dict[str, Any]]:
    return store.query(
        "SELECT action, sim_action, ok, reason, pose_before, pose_after, pixel_hash, clipped FROM steps WHERE episode_id = ? ORDER BY seq",
        [episode],
    )


def play(engine: EpisodeEngine, view: Any, *actions: str) -> list[Any]:
    return [engine.act(view.episode_id, view.epoch, seq, action) for seq, action in enumerate(actions, start=view.step.seq + 1)]


def test_a_move_into_the_wall_is_a_failed_step_and_the_camera_stays(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool, task: Any
) -> None:
    view = begin(task, protocol=FORBID)
    near, wall, away = play(engine, view, "move_backward", "move_backward", "turn_left")
    assert (near.ok, wall.ok, away.ok) == (True, False, True)
    assert (wall.words, wall.observations_left) == (WALL, 27)
    assert wall.image == near.image
    _, before, refused, after = steps(store, view.episode_id)
    assert refused["pose_before"] == refused["pose_after"] == before["pose_after"] == after["pose_before"]
    assert (refused["action"], refused["sim_action"], refused["pixel_hash"]) == ("move_backward", "", before["pixel_hash"])
    assert [row["clipped"] for row in steps(store, view.episode_id)] == [0, 0, 0, 0]
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == []
    assert [kind for kind, *_ in pool.calls if kind in ("load", "act", "restore")] == ["load", "act", "act", "restore", "act"]


def test_nothing_in_the_world_has_happened_either(begin: Callable[..., Any], engine: EpisodeEngine, store: Store, task: Any) -> None:
    view, other = begin(task, protocol=FORBID), begin(task, protocol=FORBID)
    play(engine, view, "move_backward", "move_backward", "turn_left")
    play(engine, other, "move_backward", "turn_left")
    assert steps(store, view.episode_id)[3]["pixel_hash"] == steps(store, other.episode_id)[2]["pixel_hash"]


def test_by_default_the_move_is_done_and_flagged(begin: Callable[..., Any], engine: EpisodeEngine, store: Store, task: Any) -> None:
    view = begin(task)
    assert [step.ok for step in play(engine, view, "move_backward", "move_backward")] == [True, True]
    assert [row["clipped"] for row in steps(store, view.episode_id)] == [0, 0, 1]
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == ["clipped"]


def test_a_repeated_request_refuses_once(begin: Callable[..., Any], engine: EpisodeEngine, store: Store, task: Any) -> None:
    view = begin(task, protocol=FORBID)
    first = play(engine, view, "move_backward", "move_backward")[-1]
    assert engine.act(view.episode_id, view.epoch, 2, "move_backward").public() == first.public()
    assert len(steps(store, view.episode_id)) == 3


@pytest.mark.parametrize("way", ["snapshot", "replay"])
def test_an_episode_resumes_exactly_after_a_forbidden_move(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    restart: Callable[[], tuple[EpisodeEngine, InlinePool]],
    task: Any,
    way: str,
) -> None:
    whole = begin(task, protocol=FORBID)
    play(engine, whole, "move_backward", "move_backward", "turn_left", "move_backward")
    view = begin(task, protocol=FORBID)
    play(engine, view, "move_backward", "move_backward")
    if way == "replay":
        with store.atomic() as db:
            db.execute("DELETE FROM snapshots")
    engine, pool = restart()
    play(engine, engine.open(view.episode_id), "turn_left", "move_backward")
    assert [row["pixel_hash"] for row in steps(store, view.episode_id)] == [row["pixel_hash"] for row in steps(store, whole.episode_id)]
    resumed = json.loads(present(store.one("SELECT data FROM events WHERE kind = 'resumed'"))["data"])
    assert (resumed["by"], resumed["verified"]) == (way, True)
    assert pool.acts == ["turn_left", "move_backward"]


@pytest.mark.parametrize("fault", ["lost", "late"])
def test_a_worker_that_dies_while_the_move_is_undone_costs_nothing(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool, task: Any, fault: str
) -> None:
    view = begin(task, protocol=FORBID)
    play(engine, view, "move_backward")
    pool.faults += [("restore", fault)]
    assert engine.act(view.episode_id, view.epoch, 2, "move_backward").words == WALL
    assert engine.act(view.episode_id, view.epoch, 3, "turn_left").ok
    assert replay(store, engine.frames, pool, [view.episode_id]).ok
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == []


def test_a_replay_and_an_export_show_the_failed_move(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool, task: Any, tmp_path: Path
) -> None:
    view = begin(task, protocol=FORBID)
    play(engine, view, "move_backward", "move_backward", "turn_left")
    engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    report = replay(store, frames, pool, [view.episode_id])
    assert (report.ok, report.verified) == (True, 4)
    export(store, frames, tmp_path / "out", images="png")
    result = json.loads(next((tmp_path / "out" / "results").rglob("*_answer.json")).read_text())
    assert [entry["action"] for entry in result["history"]] == ["move_backward", "move_backward", "turn_left", "stop"]
    refused = {"handled": True, "operation": "move_backward", "success": False, "reason": "you cannot go there"}
    assert [entry["action_result"] for entry in result["history"]] == [{"handled": False}, refused, {"handled": False}, {"handled": False}]
    images = next((tmp_path / "out" / "steps").rglob("step_002.png")).parent
    assert (images / "step_002.png").read_bytes() == (images / "step_003.png").read_bytes()
    with (tmp_path / "out" / "tables" / "episodes.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert {row["clipping"] for row in rows} == {"forbid"}


def test_who_stands_inside_something_may_move_out(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task], task: Any
) -> None:
    inside = make_task(scene=task.scene, start=Pose((0.0, -2.6, 1.0), LOOK), names={"object_2": "lamp"})
    view = begin(inside, protocol=FORBID)
    assert [step.ok for step in play(engine, view, "move_forward", "move_forward", "move_forward", "move_backward")] == [
        True,
        True,
        True,
        False,
    ]
    assert [row["clipped"] for row in steps(store, view.episode_id)] == [1, 1, 1, 0, 0]


def test_people_the_environment_and_models_meet_the_same_wall(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, task: Any
) -> None:
    person = begin(task, protocol=FORBID)
    play(engine, person, "move_backward", "move_backward", "move_forward")
    env = EpisodeEnv(engine, task, actions="text", protocol=FORBID)
    env.reset(seed=1)
    results = [env.step(action) for action in ("move_backward", "move_backward", "move_forward")]
    assert [int(observation["ok"]) for observation, *_ in results] == [1, 0, 1]
    assert results[1][4]["words"] == WALL
    model = agents.begin(engine, task.content_hash, "m", protocol=FORBID)
    for seq, action in enumerate(("move_backward", "move_backward", "move_forward")):
        told = agents.respond(engine, model.episode_id, model.epoch, seq, json.dumps({"action": action}))
        assert told.step is not None and told.reprompt is None
        if seq == 1:
            assert told.step.words == WALL and WALL in agents.status(told.step)
    kept = [
        [(row["action"], row["ok"], row["pixel_hash"]) for row in steps(store, present(e))]
        for e in (person.episode_id, env.episode_id, model.episode_id)
    ]
    assert kept[0] == kept[1] == kept[2]


def test_where_the_protocol_leaves_it_to_the_task_its_document_says(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task], task: Any
) -> None:
    house = make_task(scene=task.scene, start=task.start, names=task.names, clipping="forbid")
    for one, protocol, refused in (
        (house, Protocol(), True),
        (task, Protocol(), False),
        (house, Protocol(clipping="flag"), False),
        (task, FORBID, True),
    ):
        view = begin(one, protocol=protocol)
        *_, wall = play(engine, view, "move_backward", "move_backward")
        assert wall.ok is not refused
        assert [row["clipped"] for row in steps(store, view.episode_id)] == [0, 0, 0 if refused else 1]


def test_the_tables_say_what_held_and_which_moves_were_refused(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    frames: FrameStore,
    make_task: Callable[..., Task],
    task: Any,
    tmp_path: Path,
) -> None:
    house = make_task(scene=task.scene, start=task.start, names=task.names, clipping="forbid")
    for one in (house, task):
        view = begin(one)
        play(engine, view, "move_backward", "move_backward", "turn_left")
        engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    export(store, frames, tmp_path / "out", images="none")

    def column(table: str, *names: str) -> list[tuple[str, ...]]:
        with (tmp_path / "out" / "tables" / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            return sorted(tuple(row[name] for name in names) for row in csv.DictReader(file))

    assert column("episodes", "clipping") == [("flag",), ("forbid",)]
    assert column("steps", "seq", "clipped", "kept_out") == [
        ("0", "false", "false"),
        ("0", "false", "false"),
        ("1", "false", "false"),
        ("1", "false", "false"),
        ("2", "false", "true"),
        ("2", "true", "false"),
        ("3", "false", "false"),
        ("3", "true", "false"),
    ]


def test_what_was_kept_before_there_was_a_choice_goes_on_as_it_began() -> None:
    assert as_kept({})["clipping"] == "flag"
    assert as_kept({"clipping": "forbid"})["clipping"] == "forbid"
    assert Protocol().clipping == "task"
