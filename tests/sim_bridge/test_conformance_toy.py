"""The toy simulator keeps every promise, in-process and through a worker."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sim_bridge.backends.toy import create
from sim_bridge.checks import CHECKS
from sim_bridge.conformance import check_backend

ONLY_RECORDED = ["no_recorded_view_is_a_step", "bad_recordings_refused"]
ROOT = str(Path(__file__).parents[2])


def conformance(*arguments: Any) -> Any:
    command = [sys.executable, "-m", "sim_bridge", "conformance", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "PYTHONPATH": ROOT})


def test_every_check_has_a_name_of_its_own_and_one_line_of_explanation() -> None:
    assert len({c.name for c in CHECKS}) == len(CHECKS) >= 25
    assert all(c.explanation and "\n" not in c.explanation for c in CHECKS)


def test_a_backend_object_passes_and_network_checks_do_not_apply() -> None:
    report = check_backend(create(), only=["hello", "retry_acts_once", "restore", "token_required"])
    assert report.ok
    assert {r.name: r.outcome for r in report.results} == {
        "hello": "pass",
        "retry_acts_once": "pass",
        "restore": "pass",
        "token_required": "not_applicable",
    }


def test_what_a_backend_does_not_claim_does_not_apply_and_says_why() -> None:
    class Modest(type(create())):  # type: ignore[misc]
        deterministic = False
        capabilities = tuple(c for c in create().capabilities if c not in ("phases", "put", "dynamic"))

    names = ["phases", "failed_action_is_a_step", "determinism", "moving_objects_resume"]
    report = check_backend(Modest(), only=names)
    assert [(r.outcome, r.detail) for r in report.results] == [
        ("not_applicable", "the backend does not declare put"),
        ("not_applicable", "the backend declares that it is not deterministic"),
        ("not_applicable", "the backend does not declare dynamic"),
        ("not_applicable", "the backend does not declare phases"),
    ]
    assert not report.ok, "a report in which nothing passed is no success"


def test_the_command_checks_a_worker_of_its_own_and_prints_json_alone() -> None:
    done = conformance("--backend", "toy", "--json")
    report = json.loads(done.stdout)
    assert [c["name"] for c in report["checks"] if c["outcome"] != "pass"] == ONLY_RECORDED, "a toy renders"
    assert report["ok"] is True
    assert report["pass"] == len(CHECKS) - len(ONLY_RECORDED)
    assert done.returncode == 0


def test_the_command_fails_for_an_address_where_nothing_listens() -> None:
    done = conformance("--address", "ws://127.0.0.1:1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Cannot reach the worker at ws://127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
