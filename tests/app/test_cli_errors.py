"""The command line: help without imports, one sentence per error, JSON alone on standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import app
from app import cli
from app.commands import doctor
from data.store import StorageFull, StoreError
from study.errors import BadToken

ROOT = Path(app.__file__).parent.parent


def test_help_lists_every_command_without_importing_one() -> None:
    code = "import sys; from app.cli import main; main(['--help'], standalone_mode=False); "
    code += "print([m for m in sys.modules if m.startswith(('app.commands.', 'streamlit', 'mujoco', 'pandas'))])"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, check=True)
    assert all(name in result.stdout for name in cli.COMMANDS)
    assert result.stdout.strip().endswith("[]")


def test_what_only_statistics_need_is_read_when_something_is_counted() -> None:
    code = "import sys, app.serve, app.routes, app.front, app.commands.serve; "
    code += "print([m for m in sys.modules if m.startswith(('scipy.stats', 'scipy.optimize', 'mujoco'))]); "
    code += "from study.measures.intervals import wilson; print(wilson(3, 4).value, 'scipy.stats' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, check=True)
    assert result.stdout.splitlines() == ["[]", "0.75 True"]


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(cli.main, ["--version"]).output.startswith("vantage")


@pytest.mark.parametrize("args", [["nonsense"], ["serve", "--port", "99999"], ["serve", "--workers", "0"]])
def test_bad_input_is_status_2(args: list[str]) -> None:
    result = CliRunner().invoke(cli.main, args)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize("error", [BadToken("This link is used up."), StorageFull("Full."), StoreError("Not a database.")])
def test_an_expected_error_is_one_sentence(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    @click.command()
    def command() -> None:
        raise error

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: command)
    result = CliRunner().invoke(cli.main, ["tasks"])
    assert result.exit_code == 2
    assert result.stderr == f"Error: {error}\n" and result.stdout == ""


def test_an_unexpected_error_is_logged_and_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @click.command()
    def command() -> None:
        raise ZeroDivisionError("inner detail")

    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path))
    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: command)
    result = CliRunner().invoke(cli.main, ["tasks"])
    assert result.exit_code == 1
    assert "inner detail" not in result.output and "Traceback" not in result.output
    log = tmp_path / "log" / "cli.log"
    assert str(log) in result.stderr and "inner detail" in log.read_text()


def test_doctor_prints_json_alone_and_fails_for_a_damaged_database(tmp_path: Path) -> None:
    damaged = tmp_path / "vantage.db"
    damaged.write_bytes(b"this is no database, whatever its name says" * 50)
    result = CliRunner().invoke(cli.main, ["doctor", "--json", "--db", str(damaged)])
    told = json.loads(result.stdout)
    assert result.exit_code == 1 and told["ok"] is False
    assert [check["name"] for check in told["checks"] if check["required"] and not check["ok"]] == ["database"]


def test_doctor_succeeds_only_if_everything_required_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "_renderer", lambda: doctor.Check("libosmesa", False, True, "not found", "Install it."))  # type: ignore[attr-defined]
    result = CliRunner().invoke(cli.main, ["doctor", "--db", str(tmp_path / "vantage.db")])
    assert result.exit_code == 1
    assert "MISSING libosmesa" in result.output and "Install it." in result.output


@pytest.mark.parametrize("args", [["replay", "--all"], ["export", "--out", "x"], ["play", "--task", "own-size-001a"]])
def test_a_mistyped_database_is_refused_and_not_made(tmp_path: Path, args: list[str]) -> None:
    wanted = tmp_path / "none.db"
    result = CliRunner().invoke(cli.main, [*args, "--db", str(wanted)])
    assert result.exit_code == 2
    assert "does not exist" in result.output
    assert not wanted.exists()


def test_an_export_of_an_unknown_study_leaves_the_earlier_export_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    out = tmp_path / "out"
    assert CliRunner().invoke(cli.main, ["export", "--out", str(out)]).exit_code == 0
    before = sorted(path.name for path in out.iterdir())
    for wrong in (["--study", "typo"], ["--episode", "nope"]):
        result = CliRunner().invoke(cli.main, ["export", "--out", str(out), *wrong])
        assert result.exit_code != 0
        assert "nothing was written" in result.output
    assert sorted(path.name for path in out.iterdir()) == before


def test_doctor_sees_a_home_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(cli.main, ["doctor", "--json"])
    assert result.exit_code == 1
    assert "is a file" in result.output


def test_a_failed_job_ends_with_words_for_its_page_and_its_log_has_the_rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @click.command()
    def command() -> None:
        raise StorageFull(f"The disk is full: could not write {tmp_path}/x.")

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: command)
    assert str(tmp_path) in CliRunner().invoke(cli.main, ["tasks"]).stderr
    result = CliRunner().invoke(cli.main, ["tasks"], env={"VANTAGE_JOB": "job_1"})
    first, last = result.stderr.splitlines()
    assert str(tmp_path) in first and last == f"Error: {StorageFull.public}" and result.exit_code == 2


def test_the_log_of_commands_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path))
    monkeypatch.setattr(cli, "MAX_LOG_BYTES", 2_000)
    for number in range(40):
        cli._log(ValueError(f"fault {number:03} " + "x" * 100))
    assert {path.name for path in (tmp_path / "log").iterdir()} == {"cli.log", "cli.log.1"}
    assert sum(path.stat().st_size for path in (tmp_path / "log").iterdir()) < 3 * 2_000
    assert "fault 039" in (tmp_path / "log" / "cli.log").read_text()
