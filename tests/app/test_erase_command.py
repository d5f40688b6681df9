"""``vantage participants``: whom it finds, what it asks, what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from study import access
from study.studies import Recruitment, create_study


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which two people came by a recruitment link."""
    home = Home.from_env(tmp_path / "vantage.db")
    store = Store.open(home)
    task = next(iter(bundled()))
    store.put_task(task)
    create_study(store, "S", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="abc"))
    for name in ("one", "two"):
        access.enter_recruited(store, {"PROLIFIC_PID": f"pid-{name}", "STUDY_ID": "abc"})
    store.close()
    return home


def vantage(home: Home, *args: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, [*args, "--db", str(home.db)], input=answer)


def listed(home: Home) -> list[dict[str, Any]]:
    return list(json.loads(vantage(home, "participants", "list", "--json").stdout))


def test_the_list_names_nobody_by_the_platforms_id(home: Home) -> None:
    assert [row["number"] for row in listed(home)] == [0, 1]
    assert "pid-" not in vantage(home, "participants", "list").output


def test_an_erasure_asks_first_and_then_finds_the_person_by_the_platforms_id(home: Home) -> None:
    refused = vantage(home, "participants", "erase", "--external-id", "pid-one", answer="n\n")
    assert refused.exit_code == 1 and not (home.root / "erasures.jsonl").exists()
    done = vantage(home, "participants", "erase", "--external-id", "pid-one", "--yes", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [entry["participant_id"] for entry in told["erased"]] == [listed(home)[0]["participant_id"]]
    assert [row["state"] for row in listed(home)] == ["withdrawn", "entered"]
    assert "pid-one" not in (home.root / "erasures.jsonl").read_text()
    assert (home.root / "erasures.jsonl").stat().st_mode & 0o077 == 0
    again = vantage(home, "participants", "erase", "--external-id", "pid-one", "--yes")
    assert again.exit_code == 2 and "nothing was erased" in again.stderr


@pytest.mark.parametrize("args", [(), ("p_x", "--external-id", "y"), ("p_x", "--again")])
def test_exactly_one_way_of_naming_whom(home: Home, args: tuple[str, ...]) -> None:
    assert vantage(home, "participants", "erase", *args).exit_code == 2


def test_exports_that_still_hold_the_data_are_named(home: Home) -> None:
    store = Store.open(home)
    out = home.root / "exports" / "x" / "vantage-export"
    out.mkdir(parents=True)
    row = {
        "job_id": "j",
        "kind": "export",
        "argv": json.dumps(["vantage", "export", "--out", str(out)]),
        "state": "done",
        "created_at": "t",
    }
    store.insert("jobs", row)
    store.close()
    person = listed(home)[1]["participant_id"]
    assert str(out) in vantage(home, "participants", "erase", person, "--yes").stdout


def test_doctor_finds_erased_people_in_a_restored_database(home: Home) -> None:
    kept = home.db.read_bytes()
    assert vantage(home, "participants", "erase", listed(home)[0]["participant_id"], "--yes").exit_code == 0

    def erasures() -> dict[str, object]:
        return next(c for c in json.loads(vantage(home, "doctor", "--json").stdout)["checks"] if c["name"] == "erasures")

    assert erasures()["ok"] is True
    for path in home.root.glob("vantage.db*"):
        path.unlink()
    home.db.write_bytes(kept)
    assert erasures()["ok"] is False
    assert "erased 0 episodes" in vantage(home, "participants", "erase", "--again").stdout
    assert erasures()["ok"] is True
    assert "Nothing to erase" in vantage(home, "participants", "erase", "--again").stdout
