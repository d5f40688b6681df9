"""The benchmark of the store runs in a small study, in the real schema, and says which aim is missed (nothing here is about how fast)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import store as bench
from bench import synthetic
from bench.synthetic import Sizes
from data.home import Home
from data.store import Store
from study.steps import steps_of


def test_the_invented_study_is_whole_and_stands_in_the_real_schema(tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "bench.db"))
    schema = store.query("SELECT name, sql FROM sqlite_master ORDER BY name")
    made = synthetic.make(store, Sizes(steps=600, episodes=60, tasks=60))
    assert store.query("SELECT name, sql FROM sqlite_master ORDER BY name") == schema
    assert store.query("PRAGMA foreign_key_check") == [] and store.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert {name: store.query(f"PRAGMA {name}")[0][name] for name in ("synchronous", "foreign_keys")} == {
        "synchronous": 2,
        "foreign_keys": 1,
    }
    steps = steps_of(store, "ep_00000000000000000007")
    assert [step.seq for step in steps] == list(range(10))
    told = json.loads(store.query("SELECT data FROM events WHERE seq = ?", [steps[3].event_seq])[0]["data"])
    assert told == json.loads(json.dumps(steps[3].event()))
    assert len(synthetic.frames_of(store, made.people[0])) == 60


def test_the_benchmark_says_every_figure_and_its_status_says_what_is_missed() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "app.cli",
            "bench",
            "store",
            "--steps",
            "600",
            "--episodes",
            "60",
            "--tasks",
            "60",
            "--repeats",
            "5",
            "--json",
        ],
        capture_output=True,
        text=True,
    )
    said = json.loads(done.stdout)
    assert set(bench.AIMS) <= set(said["figures"]) and all(value >= 0 for value in said["figures"].values())
    assert said["figures"]["erased steps"] == said["figures"]["erased frames"] == 60
    assert done.returncode == (1 if said["missed"] else 0)
    assert all(f"Missed: {name} is" in done.stderr for name in said["missed"])


def test_a_missed_aim_is_named_and_ends_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    found = bench.AIMS | {"claim": 5.01}
    result = {"figures": found, "database_mb": 1, "load_average": 1.0, "missed": {"claim": {"found": 5.01, "aim": 5.0}}}
    monkeypatch.setattr(bench, "run_store", lambda *_: result)
    said = CliRunner().invoke(bench.command, [])
    assert said.exit_code == 1 and "Missed: claim is 5.01, aimed at 5." in said.output
    monkeypatch.setattr(bench, "run_store", lambda *_: result | {"missed": {}})
    assert CliRunner().invoke(bench.command, []).exit_code == 0
