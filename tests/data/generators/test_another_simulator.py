"""Whatever goes over many tasks with one simulator goes on with another when that one is lost, and says the same."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotation.auditing.check import Audited, Row
from annotation.auditing.checks.drawn import played
from app.commands import shortcuts
from app.commands.tasks import command
from data.generators.glances import first_glance
from data.generators.lab import Lab
from data.generators.registry import FOLDER
from data.home import Home
from data.store import Store
from data.task import Task
from sim_bridge.backends.mujoco.engine import gl
from tests.lost import Lost

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")


@pytest.fixture
def mortal(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab whose simulator dies with the first task; what commands get as theirs."""
    others = [lab.calls]
    mortal = Lab(Lost(lab.calls, 1), lambda: others.pop(0))
    monkeypatch.setattr("data.generators.lab.laboratory", lambda: nullcontext(mortal))
    return mortal


@pytest.fixture(scope="module")
def pair() -> list[Task]:
    return [Task.from_json((FOLDER / f"own-size-001{half}.json").read_text(encoding="utf-8")) for half in "ab"]


def test_an_audit_plays_on(mortal: Lab, pair: list[Task]) -> None:
    found = played(Audited([Row(task.task_id, "", task) for task in pair], lab=mortal))
    assert [drawn.refused for drawn in found] == ["", ""] and all(drawn.playing for drawn in found)


def test_pictures_of_tasks_are_drawn_on(mortal: Lab, pair: list[Task], tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    for task in pair:
        store.put_task(task)
    store.close()
    args = ["sheet", *(task.task_id for task in pair), "--out", str(tmp_path / "sheets"), "--db", str(tmp_path / "vantage.db"), "--json"]
    done = CliRunner().invoke(command, args)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["refused"] == {} and len(list((tmp_path / "sheets").glob("*.png"))) == 2


def test_first_views_are_drawn_on(mortal: Lab, lab: Lab, pair: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def report(tasks: Any, features: Any) -> list[Any]:
        seen.append(features)
        return []

    monkeypatch.setattr("data.generators.glances.report", report)
    monkeypatch.setattr(shortcuts, "POOLED", 1.0)
    shortcuts.of_first_frames(pair, as_json=True)
    assert (seen[0] == [first_glance(task, lab) for task in pair]).all()
