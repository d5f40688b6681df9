"""``vantage workers``, and how commands take workers elsewhere: what is wrong with one is said in a sentence; the others serve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import main
from app.commands.workers import chosen
from data.home import Home
from data.store import Store
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.remote import Remote
from study.studies import being_edited, create_study
from tests.sim_bridge.test_mixed_pools import of_another_version, serving


def test_each_worker_says_what_it_is_or_why_it_cannot_be_used() -> None:
    with serving(ToyBackend(), places=3) as good, serving(ToyBackend(), token="other") as locked, of_another_version(0) as older:
        addresses = [good.address, locked.address, older, "ws://127.0.0.1:1"]
        argv = ["workers", *(part for address in addresses for part in ("--worker-address", address)), "--worker-token", "secret"]
        told = CliRunner().invoke(main, argv)
        as_json = CliRunner().invoke(main, [*argv, "--json"])
    assert told.exit_code == as_json.exit_code == 1
    lines = told.stdout.splitlines()
    assert lines[0].startswith(f"{good.address}  toy  0 of 3 places taken") and lines[0].endswith("deterministic")
    assert "refuses the token" in lines[1] and "speaks bridge protocol 0" in lines[2] and "Connection refused" in lines[3]
    assert "1 of 4 workers can be used." in told.stderr
    found = json.loads(as_json.stdout)
    assert [bool(one["trouble"]) for one in found] == [False, True, True, True]
    assert "secret" not in told.output + as_json.output, "no token is told"


def test_a_worker_that_can_be_used_is_no_trouble() -> None:
    with serving(ToyBackend()) as good:
        told = CliRunner().invoke(main, ["workers", "--worker-address", good.address], env={"VANTAGE_WORKER_TOKEN": "secret"})
    assert (told.exit_code, told.stderr) == (0, "1 of 1 worker can be used.\n")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["workers"], "Name a worker with --worker-address."),
        (["workers", "--worker-address", "http://gpu"], "worker address: expected ws://host:port or wss://host:port, got 'http://gpu'."),
        (["workers", "--worker-address", "ws://a:1", "--worker-address", "ws://a:1/"], "Worker address: ws://a:1 is given twice"),
        (["serve", "--worker-address", "gpu:7000"], "worker address: expected ws://host:port"),
        (
            ["serve", "--worker-address", "ws://a:1", "--worker-token", "x", "--worker-token", "y"],
            "expected one for all workers or one for",
        ),
    ],
)
def test_what_names_no_worker_is_refused_in_a_sentence(argv: list[str], says: str, tmp_path: object) -> None:
    more = ["--db", f"{tmp_path}/vantage.db"] if argv[0] == "serve" else []
    told = CliRunner().invoke(main, [*argv, *more])
    assert told.exit_code == 2 and says in told.stderr and "Traceback" not in told.output


def test_tokens_of_several_workers_are_read_from_the_environment() -> None:
    assert chosen(("ws://a:1", "ws://b:1"), ("x", "y")) == (Remote("ws://a:1", "x"), Remote("ws://b:1", "y"))
    with serving(ToyBackend(), token="one") as first, serving(ToyBackend(), token="two") as second:
        argv = ["workers", "--worker-address", first.address, "--worker-address", second.address]
        assert CliRunner().invoke(main, argv, env={"VANTAGE_WORKER_TOKEN": "one two"}).exit_code == 0


def test_a_study_names_simulators_by_the_command_line_or_a_file(tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    study = create_study(store, "S")
    edit = ["study", "edit", study.study_id, "--db", str(store.home.db)]
    assert CliRunner().invoke(main, [*edit, "--backend", "rows=omnigibson", "--backend", "own=mujoco"]).exit_code == 0
    assert being_edited(store, study.study_id).protocol.backends == ("own=mujoco", "rows=omnigibson")
    (tmp_path / "s.toml").write_text('[protocol.backends]\nrows = "toy"\n')
    assert CliRunner().invoke(main, [*edit, "--settings", str(tmp_path / "s.toml")]).exit_code == 0
    assert being_edited(store, study.study_id).protocol.backends == ("rows=toy",)
    refused = CliRunner().invoke(main, [*edit, "--backend", "rows"])
    assert refused.exit_code == 2 and "protocol.backends: expected SOURCE=SIMULATOR, got 'rows'." in refused.stderr
    assert being_edited(store, study.study_id).protocol.backends == ("rows=toy",)
    store.close()
