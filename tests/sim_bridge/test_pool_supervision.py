"""The pool ends, replaces and outlives its workers, and leaves none behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim_bridge.errors import UnknownSession, WorkerLost
from sim_bridge.kinematics import looking
from sim_bridge.pool import Pool
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from tests.present import present

START = looking(0.0, -1.5, 1.4)


def scene(**params: Any) -> Scene:
    table = Object("object_1", "table", Pose((0.0, 1.0, 0.4)), size_m=(1.0, 0.6, 0.8), params=params)
    return Scene(camera=Camera(64, 48), room=Room(), objects=(table,))


def until(condition: Any, timeout_s: float = 20.0) -> Any:
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"did not happen within {timeout_s} s: {condition}")


def is_running(pid: Any) -> Any:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def shared_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    with Pool(backend="toy", workers=1, log_dir=tmp_path_factory.mktemp("log"), health_interval_s=0.1) as pool:
        yield pool


@pytest.fixture
def pool(shared_pool: Pool) -> Iterator[Any]:
    """The pool with a worker that is ready and has no session."""
    until(lambda: shared_pool.status()[0].state == "ready")
    yield shared_pool
    for session in ("e1", "e2"):
        shared_pool.release(session)


def resume(pool: Any, session: Any, the_scene: Any, actions: Any) -> Any:
    pool.report_lost(session)
    client = pool.acquire(session)
    return client, client.load(session, the_scene, START, seq=len(actions), replay=actions)


def test_a_worker_that_is_killed_is_replaced_and_its_session_resumes_with_the_same_pixels(pool: Any) -> None:
    client = pool.acquire("e1")
    client.load("e1", scene(), START)
    seen = client.act("e1", 1, "turn_left").observation
    before = pool.status()[0]
    assert before.sessions == 1
    os.kill(before.pid, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        client.act("e1", 2, "turn_left")
    client, reply = resume(pool, "e1", scene(), ["turn_left"])
    assert reply.observation.frames[0].pixel_hash == seen.frames[0].pixel_hash
    after = pool.status()[0]
    assert after.pid != before.pid
    assert after.restarts == before.restarts + 1
    assert client.act("e1", 2, "turn_right").ok


def test_a_hung_worker_is_killed_and_replaced_after_the_deadline(pool: Any, tmp_path: Path) -> None:
    stuck = scene(fault="hang", fault_on="wait", fault_once=str(tmp_path / "once"))
    client = pool.acquire("e1")
    client.load("e1", stuck, START)
    first = pool.status()[0].pid
    with pytest.raises(WorkerLost, match="deadline"):
        client.act("e1", 1, "wait", deadline_s=0.3)
    client, _ = resume(pool, "e1", stuck, [])
    assert pool.status()[0].pid != first
    assert not is_running(first)
    assert client.act("e1", 1, "wait").ok


def test_a_worker_that_crashes_in_an_action_is_replaced(pool: Any, tmp_path: Path) -> None:
    fragile = scene(fault="crash", fault_on="wait", fault_once=str(tmp_path / "once"))
    client = pool.acquire("e1")
    client.load("e1", fragile, START)
    with pytest.raises(WorkerLost):
        client.act("e1", 1, "wait")
    client, _ = resume(pool, "e1", fragile, [])
    assert client.act("e1", 1, "wait").ok
    assert "exit status 13" in pool.status()[0].message


def test_a_frozen_worker_is_replaced(pool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_bridge.supervisor.HEALTH_DEADLINE_S", 0.3)
    pool.acquire("e1").load("e1", scene(), START)
    frozen = pool.status()[0].pid
    os.kill(frozen, signal.SIGSTOP)
    until(lambda: pool.status()[0].pid not in (frozen, None))
    assert not is_running(frozen)


def test_a_slow_action_within_its_deadline_kills_nothing(pool: Any) -> None:
    slow = scene(fault="slow", fault_s=0.6, fault_on="wait")
    pid = pool.status()[0].pid
    client = pool.acquire("e1")
    client.load("e1", slow, START)
    assert client.act("e1", 1, "wait").ok
    assert pool.status()[0].pid == pid


def test_a_client_that_gives_up_too_early_does_not_cost_the_worker_its_life(pool: Any) -> None:
    slow = scene(fault="slow", fault_s=0.6, fault_on="wait")
    pid = pool.status()[0].pid
    client = pool.acquire("e1")
    client.load("e1", slow, START)
    other = pool.acquire("e2")
    other.load("e2", scene(), START)
    thread = threading.Thread(target=client.act, args=("e1", 1, "wait"))
    thread.start()
    until(lambda: other.health().busy_s > 0)
    with pytest.raises(WorkerLost):
        other.act("e2", 1, "wait", deadline_s=0.1)
    pool.report_lost("e2")
    with pytest.raises(UnknownSession):
        pool.client("e2")
    resumed = pool.acquire("e2")
    assert resumed.load("e2", scene(), START).ok
    thread.join()
    assert pool.status()[0].pid == pid


def test_stop_ends_every_worker(tmp_path: Path) -> None:
    pool = Pool(backend="toy", workers=2, log_dir=tmp_path)
    pool.start()
    pids = until(lambda: [s.pid for s in pool.status() if s.state == "ready"] if all(s.state == "ready" for s in pool.status()) else None)
    pool.stop()
    assert [pid for pid in pids if is_running(pid)] == []
    with pytest.raises(WorkerLost, match="stopped"):
        pool.acquire("e1")


def test_stop_ends_a_worker_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_bridge.supervisor.STOP_TIMEOUT_S", 0.3)
    pool = Pool(backend="toy", workers=1, log_dir=tmp_path, env={"SIM_BRIDGE_TOY_FAULT": "hang:wait"})
    pool.start()
    client = pool.acquire("e1")
    client.load("e1", scene(), START)
    with pytest.raises(WorkerLost):
        client.act("e1", 1, "wait", deadline_s=0.2)
    pid = pool.status()[0].pid
    pool.stop()
    assert not is_running(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_die_with_the_process_that_owns_the_pool(tmp_path: Path) -> None:
    code = (
        "import sys, time; from sim_bridge.pool import Pool; pool = Pool(backend='toy', workers=1); pool.start(); pool.acquire('a');"
        "print(pool.status()[0].pid, flush=True); time.sleep(600)"
    )
    root = str(Path(__file__).parents[2])
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root})
    pid = int(present(owner.stdout).readline())
    assert is_running(pid)
    owner.kill()
    owner.wait()
    present(owner.stdout).close()
    until(lambda: not is_running(pid))


def test_files_in_the_working_directory_are_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for decoy in ("numpy", "app", "data", "json", "msgspec", "sim_bridge", "runpy", "errors"):
        (tmp_path / f"{decoy}.py").write_text("raise SystemExit('decoy imported')")
    monkeypatch.chdir(tmp_path)
    with Pool(backend="toy", workers=1, log_dir=tmp_path / "log") as pool:
        assert pool.acquire("e1").load("e1", scene(), START).ok


def test_a_backend_that_cannot_start_is_reported_with_the_reason(tmp_path: Path) -> None:
    with Pool(backend="nonsense", workers=1, log_dir=tmp_path) as pool, pytest.raises(WorkerLost, match="'nonsense'"):
        pool.acquire("e1")


def test_an_interpreter_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with Pool(backend="toy", python="/nowhere/python", log_dir=tmp_path) as pool, pytest.raises(WorkerLost, match="/nowhere/python"):
        until(lambda: pool.status()[0].message)
        pool.acquire("e1")


def test_a_worker_killed_again_and_again_as_it_starts_makes_people_wait_and_is_not_given_up(tmp_path: Path) -> None:
    killed, got = [], []  # type: ignore[var-annotated]
    with Pool(backend="toy", workers=1, log_dir=tmp_path) as pool:
        waiting = threading.Thread(target=lambda: got.append(pool.acquire("e1", wait_s=60)))
        waiting.start()
        while len(killed) < 4:
            pid = until(lambda: next((s.pid for s in pool.status() if s.pid and s.pid not in killed), None))
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        waiting.join(60)
        assert got and got[0].load("e1", scene(), START).ok


def test_a_worker_that_ran_before_is_waited_for_when_its_starts_fail_in_a_row(tmp_path: Path) -> None:
    """Whatever fails: here the program is away for a moment."""
    python, away = tmp_path / "python", tmp_path / "away"
    python.write_text(f'#!/bin/sh\n[ -e "{away}" ] && exit 1\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    with Pool(backend="toy", workers=1, python=str(python), log_dir=tmp_path, health_interval_s=0.1) as pool:
        pool.acquire("e1")
        away.touch()
        os.kill(present(pool.status()[0].pid), signal.SIGKILL)
        until(lambda: pool.status()[0].restarts >= 4)
        away.unlink()
        pool.report_lost("e1")
        assert pool.acquire("e1", wait_s=60).load("e1", scene(), START).ok


def test_a_program_that_never_ran_and_fails_by_itself_is_reported_soon(tmp_path: Path) -> None:
    with Pool(backend="toy", python="/bin/false", log_dir=tmp_path) as pool, pytest.raises(WorkerLost, match="exit status 1"):
        pool.acquire("e1")
