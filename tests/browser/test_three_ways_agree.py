"""A released task on the real simulator: the browser, the command line and the Gymnasium environment give the same pictures and poses."""

from __future__ import annotations

import ctypes.util
import json
import os
import subprocess
import sys
from typing import Any

import pytest

ACTIONS = ("turn_left", "move_up", "turn_down")
KEYS = ("ArrowLeft", "q", "ArrowDown")


@pytest.mark.skipif(not ctypes.util.find_library("OSMesa"), reason="libOSMesa is missing: the embedded simulator cannot draw")
def test_browser_command_line_and_environment_agree(playing: Any, kit: Any, tmp_path: Any) -> None:
    from study.env import EpisodeEnv
    from study.runtime import running

    task = kit.released_row()
    server = kit.serve(tmp_path, backend="mujoco")
    try:
        tab = playing(task, on=server)
        tab.press(*KEYS)
        tab.at(len(ACTIONS))
        seen = server.steps(server.episode()["episode_id"])
        shown = tab.canvas()
    finally:
        kit.stop(server.process)
    browser = [(step["action"], step["pixel_hash"]) for step in seen]
    poses = [json.loads(step["pose_after"]) for step in seen]

    command = [sys.executable, "-P", "-m", "app.cli", "play", "--db", str(server.home.db), "--task", task.task_id, "--json"]
    run = subprocess.run(
        [*command, "--actions", ",".join(ACTIONS)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(kit.ROOT)}
    )
    assert run.returncode == 0, run.stderr
    played = json.loads(run.stdout)["steps"]
    assert [(step["action"], step["pixel_hash"]) for step in played] == browser
    assert [step["pose"] for step in played] == poses

    with running(server.home) as here:
        env = EpisodeEnv(here.engine, task.task_id)
        observation, _ = env.reset(seed=5)
        frames = [observation["rgb"]]
        for action in ACTIONS:
            observation, *_ = env.step(env.camera_actions.index(action))
            frames.append(observation["rgb"])
        env.close()
    from sim_bridge.encoding import pixel_hash

    assert [pixel_hash(frame) for frame in frames] == [picture for _, picture in browser]
    assert frames[-1].tobytes() == shown
