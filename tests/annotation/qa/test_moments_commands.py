"""``vantage qa sample``, ``moments``, ``triage``, ``generate-items`` and ``truth`` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from annotation.qa import moments as chosen
from annotation.qa.items import LETTERS
from annotation.qa.projects import create_project, get_project
from annotation.qa.scenes.sight import Sight
from annotation.qa.work import pool
from app.cli import main
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present


def vantage(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["qa", *arguments], env={"VANTAGE_HOME": str(home), "VANTAGE_DEBUG": "1"})


@pytest.fixture
def project(store: Store, robots: Robots, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(Sight, "_behind_robot", lambda sight, view, one: False)
    return create_project(store, "P", trial_batch=0).project_id


def test_from_episodes_to_checked_items(store: Store, robots: Robots, project: str, tmp_path: Path) -> None:
    robots.add("single", tasks=1, episodes=2)
    done = vantage(tmp_path, "sample", "--per-episode", "2", "--seed", "4", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["added"] == 4
    assert "4 new moments." in done.stderr and "thresholds: sharpness 20" in done.stderr
    for moment in chosen.moments(store, project)[:3]:
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    shown = vantage(tmp_path, "moments", "--json")
    assert shown.exit_code == 0 and json.loads(shown.stdout)["kept"] == {"useful": 3} and "kept: useful 3" in shown.stderr
    made = vantage(tmp_path, "generate-items", "distance", "--count", "2", "--author", "set-up", "--drafts", "--json")
    assert made.exit_code == 0 and len(json.loads(made.stdout)["distance"]) == 2
    checked = vantage(tmp_path, "truth", "--json")
    assert checked.exit_code == 0 and json.loads(checked.stdout) == {
        "agrees": 2, "contradicts": 0, "unclear": 0, "unknown": 0, "ok": True, "items": [],
    }  # fmt: skip
    stored = pool.items(store, project)[0]
    other = LETTERS[(LETTERS.index(stored.item.gold) + 1) % 5]
    pool.save(store, stored.item.item_id, stored.item.change(gold=other), stored.version, "ann")
    caught = vantage(tmp_path, "truth", "--json")
    found = json.loads(caught.stdout)
    assert caught.exit_code == 1 and (found["agrees"], found["contradicts"], found["ok"]) == (1, 1, False)
    assert found["items"][0]["item"] == stored.item.item_id and found["items"][0]["problems"][0]["field"] == "gold"
    assert "distance grasping" not in caught.stderr and "The poses say that" in caught.stderr
    pool.move(store, stored.item.item_id, "discard", "lead", "wrong")
    assert vantage(tmp_path, "truth").exit_code == 0, "a discarded item is no fault"


def test_more_than_the_moments_allow_is_exit_1(store: Store, robots: Robots, project: str, tmp_path: Path) -> None:
    robots.add("single", tasks=1, episodes=1)
    assert vantage(tmp_path, "sample", "--per-episode", "1").exit_code == 0
    done = vantage(tmp_path, "generate-items", "all", "--json")
    assert done.exit_code == 1 and set(map(len, json.loads(done.stdout).values())) == {0}, "no moment is kept"
    for _ in range(3):
        vantage(tmp_path, "sample", "--per-episode", "30")
    full = vantage(tmp_path, "sample")
    assert full.exit_code == 1 and "0 new moments." in full.stderr


def test_thresholds_are_changed_and_judged_anew(store: Store, robots: Robots, project: str, tmp_path: Path) -> None:
    robots.add("single", tasks=1, episodes=2)
    vantage(tmp_path, "sample", "--per-episode", "1")
    strict = vantage(tmp_path, "moments", "--set", "sharpness=1000000", "--json")
    assert strict.exit_code == 0 and json.loads(strict.stdout)["filtered"] == {"blurred": 2} and "2 more held back" in strict.stderr
    assert get_project(store, project).thresholds.sharpness == 1e6
    for wrong in ("sharpness", "sharpness=much", "beauty=3", "dark=7"):
        refused = vantage(tmp_path, "moments", "--set", wrong)
        assert refused.exit_code == 2 and "such as sharpness=20" in refused.stderr, wrong


def test_triage_is_off_until_named_and_can_be_forgotten(store: Store, robots: Robots, project: str, tmp_path: Path) -> None:
    robots.add("single", tasks=1, episodes=1)
    vantage(tmp_path, "sample", "--per-episode", "1")
    off = CliRunner().invoke(main, ["qa", "triage"], env={"VANTAGE_HOME": str(tmp_path)})
    assert off.exit_code != 0 and "Triage is off" in off.output
    assert "--model" in vantage(tmp_path, "triage", "--url", "http://127.0.0.1:9/v1").stderr
    down = vantage(tmp_path, "triage", "--url", "http://127.0.0.1:9/v1", "--model", "looker", "--json")
    assert down.exit_code == 1 and json.loads(down.stdout)["answered"] == 0 and "is it running" in down.stderr
    assert present(get_project(store, project).triage).key_variable == "VANTAGE_TRIAGE_KEY"
    assert vantage(tmp_path, "triage", "--off").exit_code == 0 and get_project(store, project).triage is None
    assert chosen.funnel(store, project).triaged == 0
