"""A released row is played by the study engine on a remote, kept OmniGibson worker (with the stand-in) that dies in the middle of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from data.home import Home
from data.importers.esi import build
from data.importers.importer import Imported
from data.importers.reading import RawRow
from study.runtime import running
from study.studies import create_study
from tests.present import present
from tests.sim_bridge.omnigibson.test_omnigibson_plain import small_row

ROOT = Path(__file__).resolve().parents[3]


def test_an_episode_goes_on_after_its_worker_died_and_is_marked_as_not_verified(tmp_path: Path) -> None:
    made = build(RawRow(file="Spatial Relations/Linear Alignment/Rs_int/living_room_0/q.json", value=small_row()))
    assert isinstance(made, Imported)
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    variables = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'omnigibson_stand_in'}",
        "OMNIGIBSON_STAND_IN_DATA": json.dumps({"scenes": []}),
        "SIM_BRIDGE_TOKEN": "secret",
    }
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--backend", "omnigibson", "--max-sessions", "1", "--keep"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **variables}) as keeper:
        try:
            assert keeper.stdout is not None
            told = json.loads(keeper.stdout.readline())
            with running(home, backend="omnigibson", workers=0, addresses=(told["address"],), token="secret") as here:
                here.store.put_task(made.task)
                study = create_study(here.store, "Released", state="live", tasks=(made.task.content_hash,), paradigms=("active",), trials=1)
                episode = here.engine.create(made.task.content_hash, protocol=study.protocol)
                view = here.engine.open(episode)
                assert here.engine.act(episode, view.epoch, 1, "turn_left").ok
                os.kill(told["pid"], signal.SIGKILL)
                step = here.engine.act(episode, view.epoch, 2, "turn_right")
                assert step.ok
                row = here.store.one("SELECT backend, deterministic, flags FROM episodes WHERE episode_id = ?", [episode])
                poses = here.store.query("SELECT pose_after FROM steps WHERE episode_id = ? ORDER BY seq", [episode])
                assert here.engine.answer(episode, view.epoch, "yes", 80).state == "completed"
        finally:
            keeper.terminate()
            keeper.wait(60)
    kept = present(row)
    assert (kept["backend"], kept["deterministic"], json.loads(kept["flags"])) == ("omnigibson", 0, ["resumed_unverified"])
    assert poses[0]["pose_after"] == poses[2]["pose_after"] != poses[1]["pose_after"], "there and back"
