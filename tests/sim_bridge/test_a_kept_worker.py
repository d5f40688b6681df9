"""`worker --keep`: one worker at one address, started again when it ends, hangs or freezes, and ended for good when that is wanted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sim_bridge.client import Client
from sim_bridge.errors import WorkerLost
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = ROOT / "tests" / "omnigibson_stand_in"
START = looking(0.0, -1.5, 1.2)
SCENE = Scene(
    Camera(64, 48), Room(furnished=False), (Object("object_1", "box_of_crackers", Pose((0.0, 1.0, 0.4)), size_m=(0.4, 0.4, 0.8)),)
)
T = TypeVar("T")


@contextmanager
def kept(*options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """A keeper, and what it told."""
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--keep", *options]
    variables = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{STAND_IN}", **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=variables) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(60)


def soon(ask: Callable[[], T], timeout_s: float = 60.0) -> T:
    """The answer, as soon as there is one."""
    ends = time.monotonic() + timeout_s
    while True:
        try:
            return ask()
        except WorkerLost:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("fault", ["hang", "crash"])
def test_a_worker_that_fails_comes_back_at_the_same_address_and_the_session_goes_on(fault: str, tmp_path: Path) -> None:
    params = {"fault": fault, "fault_on": "move_up", "fault_once": str(tmp_path / fault)}
    scene = Scene(Camera(64, 48), Room(), (Object("object_1", "table", Pose((0.0, 1.0, 0.4)), size_m=(1.0, 0.6, 0.8), params=params),))
    with kept("--backend", "toy") as (_, told):
        assert told["kept"] and told["token"]
        client = Client(told["address"], told["token"])
        before = client.load("s", scene, START)
        with pytest.raises(WorkerLost):
            client.act("s", 1, "move_up", deadline_s=2.0)
        again = soon(lambda: Client(told["address"], told["token"]))
        resumed = soon(lambda: again.load("s", scene, START, snapshot=before.snapshot))
        assert resumed.observation.camera == START
        assert again.act("s", 1, "move_up").ok
        again.close()


def test_a_frozen_process_is_replaced() -> None:
    with kept("--backend", "toy") as (_, told):
        os.kill(told["pid"], signal.SIGSTOP)
        client = soon(lambda: Client(told["address"], told["token"], connect_timeout_s=1.0))
        assert client.load("s", SCENE, START).ok
        client.close()
        assert not alive(told["pid"])


def test_a_worker_that_has_played_enough_is_started_afresh() -> None:
    with kept("--backend", "omnigibson", "--recycle", "1", SIM_BRIDGE_TOKEN="secret") as (_, told):
        assert "token" not in told, "who gave it knows it"
        for episode in ("one", "two", "three"):
            client = soon(lambda: Client(told["address"], "secret"))
            assert soon(lambda c=client, e=episode: c.load(e, SCENE, START)).ok  # type: ignore[misc]
            client.close_session(episode)
            client.close()


def test_a_simulator_that_hangs_at_its_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in hangs in shutdown, as OmniGibson may."""
    with kept("--backend", "omnigibson", OMNIGIBSON_STAND_IN_HANGS="1", SIM_BRIDGE_END_S="1") as (process, told):
        client = Client(told["address"], told["token"])
        client.load("s", SCENE, START)
        client.close()
        process.terminate()
        assert process.wait(30) == 0
        assert not alive(told["pid"])


def test_seconds_that_are_none_are_refused_before_anything_starts() -> None:
    with kept("--backend", "toy", SIM_BRIDGE_END_S="1.5") as (process, told):
        assert told == {"error": "SIM_BRIDGE_END_S: expected whole seconds, 0 or more, got '1.5'"}
        assert process.wait(30) == 2


def test_a_worker_that_cannot_start_is_not_tried_again_and_says_why() -> None:
    with kept("--backend", "havok") as (process, told):
        assert "expected one of toy" in told["error"]
        assert process.wait(30) == 2
