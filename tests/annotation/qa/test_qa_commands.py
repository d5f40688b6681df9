"""``vantage qa`` from end to end: a simulated project is exported, checked, imported, balanced, derived; results on it become a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import main


def vantage(home: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["qa", *map(str, arguments)], env={"VANTAGE_HOME": str(home), "VANTAGE_DEBUG": "1"})


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("qa")
    done = vantage(folder, "simulate", "--items", 16, "--seed", 3, "--out", folder / "out", "--json")  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output
    return folder, folder / "out", json.loads(done.stdout)


def test_a_simulated_project_ends_consistent(simulated: tuple[Path, Path, dict[str, Any]]) -> None:
    _, _, report = simulated
    assert report["ok"] and report["problems"] == []
    assert (report["accepted"], report["clean_reviews_per_accepted_item"]) == (16, {"2": 16})
    assert report["balance"]["within_one"]
    assert report["trial_items"] >= 12 and report["then"]["export"]["items"] == 16


def test_the_simulation_is_the_same_for_the_same_seed() -> None:
    from annotation.qa.trying.simulate import simulate

    one, two = (simulate(items=24, authors=3, reviewers=4, seed=5) for _ in range(2))
    volatile = {"seconds"}
    assert {k: v for k, v in one.items() if k not in volatile} == {k: v for k, v in two.items() if k not in volatile}


def test_a_simulation_with_too_few_reviewers_is_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["qa", "simulate", "--items", "8", "--reviewers", "1", "--per-item", "2"])
    assert done.exit_code == 2 and "An item needs 2 reviewers, there are 1." in done.stderr


def test_out_and_in_and_out_again(simulated: tuple[Path, Path, dict[str, Any]], tmp_path: Path) -> None:
    _, out, _ = simulated
    assert json.loads(vantage(tmp_path, "check", out, "--balanced", "--json").stdout)["ok"]
    taken = vantage(tmp_path, "import-items", out, "--into", "Copy", "--json")
    assert taken.exit_code == 0 and json.loads(taken.stdout)["imported"] == 16
    assert vantage(tmp_path, "export", "--out", tmp_path / "again").exit_code == 0
    assert vantage(tmp_path, "check", tmp_path / "again", "--balanced").exit_code == 0
    assert vantage(tmp_path, "balance", "--dry-run").exit_code == 0
    assert "0 items moved" in vantage(tmp_path, "balance").stderr
    for kind in ("single", "flip", "reject"):
        done = vantage(tmp_path, "derive", kind, "--out", tmp_path / kind, "--json")
        assert done.exit_code == 0, done.output
        made = json.loads(done.stdout)
        assert made["items"] + len(made["left_out"]) == 16
        assert vantage(tmp_path, "check", tmp_path / kind).exit_code == 0
    for path in (tmp_path / "again").rglob("QA.json"):
        qa = json.loads(path.read_text())
        path.write_text(json.dumps(qa | {"r1": {"model": "m", "choice": "A", "explanation": f"Answer: {qa['correct']}"}}))
    assert vantage(tmp_path, "results", "import", tmp_path / "again").exit_code == 0
    table = json.loads(vantage(tmp_path, "results", "table", "--json").stdout)
    assert table["runs"][0]["all"]["accuracy"] == 1.0 and table["scatter"][0]["spatial"] == 1.0
    assert "| m | full | 100.0 |" in vantage(tmp_path, "results", "table").stdout


def test_what_is_wrong_is_said_and_ends_with_status_1_or_2(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = vantage(tmp_path, "check", empty)
    assert done.exit_code == 1 and "No QA.json lies below this folder" in done.stderr
    done = vantage(tmp_path, "export", "--out", tmp_path / "x")
    assert done.exit_code == 2 and "Name a project with --project; there is: none." in done.stderr
    done = vantage(tmp_path, "export", "--project", "qp_none", "--out", tmp_path / "x")
    assert done.exit_code == 2 and "There is no QA project 'qp_none' here." in done.stderr
