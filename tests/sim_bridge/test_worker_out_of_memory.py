"""A worker without memory ends at once, is replaced, and its episodes go on where they were."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.home import Home
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.errors import SceneError, WorkerLost
from sim_bridge.host import Host, out_of_memory
from sim_bridge.kinematics import looking
from sim_bridge.pool import Pool
from sim_bridge.protocol import Act, Load
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from study.episode import EpisodeEngine

mujoco = pytest.importorskip("mujoco")

ROOT = Path(__file__).resolve().parents[2]
START = looking(0.0, -1.5, 1.4)
LIMIT = {"SIM_BRIDGE_MEMORY_MB": "2000"}
WALK = ["turn_left", "move_forward", "turn_up", "move_right"]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits a process's address space")


def scene(folder: Path) -> Scene:
    """A table that takes all memory at the first ``turn_up``, once."""
    hungry = {"fault": "memory", "fault_on": "turn_up", "fault_once": str(folder / "happened")}
    return Scene(Camera(64, 48), Room(), (Object("object_1", "table", Pose((0.0, 1.0, 0.4)), size_m=(1.0, 0.6, 0.8), params=hungry),))


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    with Pool(backend="toy", workers=1, log_dir=tmp_path / "log", env=LIMIT, health_interval_s=0.1) as made:
        yield made


def test_the_worker_ends_with_its_own_status_and_a_new_one_takes_over(pool: Pool, tmp_path: Path) -> None:
    client = pool.acquire("e")
    client.load("e", scene(tmp_path), START)
    hashes = [client.act("e", seq, action).observation.frames[0].pixel_hash for seq, action in enumerate(WALK[:2], 1)]
    first = pool.status()[0].pid
    with pytest.raises(WorkerLost):
        client.act("e", 3, WALK[2])
    pool.report_lost("e")
    client = pool.acquire("e")
    now = pool.status()[0]
    assert now.pid != first and now.restarts == 1
    assert "exit status 12 (out of memory)" in now.message
    resumed = client.load("e", scene(tmp_path), START, seq=2, replay=WALK[:2])
    assert resumed.observation.frames[0].pixel_hash == hashes[-1]
    assert client.act("e", 3, WALK[2]).ok
    assert "out of memory" in (tmp_path / "log" / "worker-0.log").read_text()


def test_an_episode_goes_on_at_the_same_step(pool: Pool, tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    store = Store.open(home)
    task = Task(
        task_id="hungry",
        category="Metric Comparison",
        subcategory="Dimensional Size",
        question=Question(text="Which is larger: the table or the chair?", form="choice", options=("the table", "the chair")),
        gold=Gold(accepted=("the table",), chance=0.5),
        scene=scene(tmp_path),
        start=START,
        provenance=Provenance(dataset="vantage"),
    )
    store.put_task(task)
    engine = EpisodeEngine(store, FrameStore(home.frames), pool)
    view = engine.open(engine.create(task.content_hash), tab="a")
    steps = [engine.act(view.episode_id, view.epoch, seq, action).seq for seq, action in enumerate(WALK, 1)]
    assert steps == [1, 2, 3, 4]
    assert pool.status()[0].restarts == 1, "the third action cost a worker"
    rows = store.query("SELECT seq, action FROM steps WHERE episode_id = ? ORDER BY seq", [view.episode_id])
    assert [(r["seq"], r["action"]) for r in rows][1:] == list(enumerate(WALK, 1))


class Starved:
    """A simulator whose library finds no memory."""

    name, deterministic, capabilities = "starved", True, ("turn_left",)

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def load(self, *_: object) -> None:
        raise self.problem

    def close(self, _: str) -> None: ...


@pytest.mark.parametrize(
    "problem", [MemoryError(), mujoco.FatalError("mju_malloc: could not allocate memory"), RuntimeError("CUDA out of memory")]
)
def test_no_reply_hides_that_memory_ran_out(problem: Any, tmp_path: Path) -> None:
    with pytest.raises(MemoryError):
        Host(Starved(problem)).handle(Load(session="s", scene=scene(tmp_path), start=START))  # type: ignore[arg-type]


def test_other_failures_stay_failures_of_their_session(tmp_path: Path) -> None:
    host = Host(Starved(RuntimeError("no such mesh")))  # type: ignore[arg-type]
    assert host.handle(Load(session="s", scene=scene(tmp_path), start=START)).code == "bridge_error"  # type: ignore[attr-defined]
    assert host.handle(Act(session="s", seq=1, action="turn_left")).code == "unknown_session"  # type: ignore[attr-defined]
    assert not out_of_memory(SceneError("scene.objects[0].category: got 'out of memory'"))


@pytest.mark.parametrize("limit", ["many", "-5", "7"])
def test_a_limit_that_is_none_is_refused_in_words(limit: str) -> None:
    command = [sys.executable, "-P", "-c", "from sim_bridge.worker import run_worker; raise SystemExit(run_worker('toy'))"]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT), "SIM_BRIDGE_MEMORY_MB": limit}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == f"SIM_BRIDGE_MEMORY_MB: expected megabytes, 100 or more, got {limit!r}"


def test_the_embedded_simulator_runs_within_the_limit_that_the_documentation_names(tmp_path: Path) -> None:
    with Pool(backend="mujoco", workers=1, log_dir=tmp_path, env={"SIM_BRIDGE_MEMORY_MB": "4000"}, health_interval_s=0.2) as pool:
        client = pool.acquire("e", wait_s=120.0)
        mug = Object("object_1", "mug", Pose((0.0, 0.0, 0.0)), origin="base")
        reply = client.load("e", Scene(Camera(640, 480), Room(seed=1), (mug,)), START)
        assert reply.ok and client.act("e", 1, "turn_left").ok
        ends = time.monotonic() + 10
        while pool.status()[0].rss_mb == 0 and time.monotonic() < ends:
            time.sleep(0.05)
        assert 0 < pool.status()[0].rss_mb < 1500
