"""Released rows through the OmniGibson adapter (skipped where no copy is at hand): each becomes a configuration, and one of each runner is
played through a worker with the stand-in. That the real simulator shows them is not tested here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from data.importers.esi import import_rows
from data.importers.importer import Imported
from data.subcategories import RUNNERS
from data.task import Task
from sim_bridge.actions import ARGUMENTS, CAMERA_ACTIONS, written
from sim_bridge.backends.omnigibson import config
from sim_bridge.client import Client
from sim_bridge.errors import SceneError
from sim_bridge.spec import Camera
from sim_bridge.validation import check_scene

ROOT = Path(__file__).resolve().parents[3]
ROWS = Path(os.environ.get("VANTAGE_ESI_ROWS") or ROOT.parent / "shared" / "esi-bench" / "json_clean")
pytestmark = pytest.mark.skipif(not ROWS.is_dir(), reason="no released ESI-Bench rows at hand (set VANTAGE_ESI_ROWS to a folder of them)")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """Every third row."""
    files = sorted(p for p in ROWS.rglob("*.json") if p.parent != ROWS)[::3]
    return [f.task for f in import_rows(files) if isinstance(f, Imported)]


def cloths(task: Task) -> frozenset[str]:
    return frozenset(o.handle for o in task.scene.objects if "cloth" in task.required_features and o.handle not in task.essential)


def test_every_row_that_is_sound_becomes_a_configuration(tasks: list[Task]) -> None:
    refused = []
    for task in tasks:
        check_scene(task.scene)
        try:
            config.check_world(task.scene, task.start)
        except SceneError as problem:
            refused.append((task, str(problem)))
            continue
        made = config.environment_config(task.scene, cloths(task))
        assert made["scene"]["scene_model"] == task.source["scene"]
        rooms = made["scene"]["load_room_instances"]
        assert rooms is None or rooms == [task.source["room"]]
        assert len(made["robots"]) == sum(o.category == "robot" for o in task.scene.objects)
        planned = config.plan(task.scene, cloths(task))
        assert [p.handle for p in planned] == [o.handle for o in task.scene.objects]
        assert all({"scale", "bounding_box"} - p.config.keys() for p in planned)
    assert [text for task, text in refused if not task.defects] == [], "only rows that contradict themselves are refused"


def test_what_the_answer_depends_on_is_never_left_to_the_building_unfound(tasks: list[Task]) -> None:
    """Furniture that carries something may be the building's own; a thing that is asked about is added, or found by its kind."""
    left = Counter(
        (task.subcategory, planned.how)
        for task in tasks
        for planned in config.plan(task.scene, cloths(task))
        if planned.how == "stand" and planned.handle in task.essential
    )
    assert left == Counter()


@pytest.fixture(scope="module")
def played(tasks: list[Task]) -> dict[str, Task]:
    """A sound task of each released runner."""
    found: dict[str, Task] = {}
    for task in tasks:
        if not task.defects:
            found.setdefault(task.source["runner_task"], task)
    return found


def test_one_row_of_every_runner_is_played_with_the_stand_in(played: dict[str, Task], tmp_path: Path) -> None:
    assert set(played) == set(RUNNERS), "a runner without a sound row"
    data = {
        "scenes": sorted({t.source["scene"] for t in played.values()}),
        "rooms": sorted({t.source["room"] for t in played.values()}),
        "cloths": sorted({o.category for t in played.values() for o in t.scene.objects if o.handle in cloths(t)}),
    }
    variables = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'omnigibson_stand_in'}",
        "OMNIGIBSON_STAND_IN_DATA": json.dumps(data),
        "SIM_BRIDGE_OMNIGIBSON_PHYSICS": "particles",
        "SIM_BRIDGE_TOKEN": "secret",
    }
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--backend", "omnigibson"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **variables}) as process:
        try:
            assert process.stdout is not None
            with Client(json.loads(process.stdout.readline())["address"], "secret") as client:
                for runner, task in sorted(played.items()):
                    play(client, runner, task)
        finally:
            process.terminate()


def play(client: Client, runner: str, task: Task) -> None:
    """Load, look, try every action that the task offers, and resume; in small pictures."""
    scene = msgspec.structs.replace(task.scene, camera=Camera(96, 54, task.scene.camera.hfov_deg))
    offered = [a for a in task.actions if a in client.hello.capabilities]
    assert set(task.actions) <= set(offered), f"{runner}: this worker cannot {set(task.actions) - set(offered)}"
    first = client.load(runner, scene, task.start, actions=offered).observation
    assert (first.frames[-1].width, first.frames[-1].height) == (96, 54)
    handles = [o.handle for o in task.scene.objects] or ["object_1"]
    done = ["turn_left", *(written(a, *(handles * 3)[:3][: need(a)]) for a in offered if a not in CAMERA_ACTIONS)]
    done = [a for a in done if "object" not in a or task.scene.objects]
    for seq, action in enumerate(done, 1):
        reply = client.act(runner, seq, action)
        assert reply.ok or reply.reason, action
    resumed = client.load(runner, scene, task.start, actions=offered, seq=len(done), snapshot=reply.snapshot)
    assert resumed.observation.camera == reply.observation.camera
    assert not [o.handle for o in client.state(runner).objects if o.flags.get("moved_on_resume")], runner
    client.close_session(runner)


def need(action: str) -> int:
    """Objects that an action takes."""
    return sum(kind == "obj" for kind in ARGUMENTS[action])
