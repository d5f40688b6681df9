"""``vantage play`` tells the question, goes beyond a task's budget when told to, and writes what was seen as pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from PIL import Image

from app.commands.play import command
from data.generators.practice import practice
from data.home import Home
from data.store import Store


def seeded(tmp_path: Path) -> Path:
    db = tmp_path / "vantage.db"
    store = Store.open(Home.from_env(db))
    with store.atomic():
        store.put_task(practice())
    store.close()
    return db


def play(db: Path, *more: str) -> dict[str, Any]:
    done = CliRunner().invoke(command, ["--db", str(db), "--task", practice().task_id, "--backend", "toy", "--json", *more])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_pictures_are_written_one_per_observation(tmp_path: Path) -> None:
    told = play(seeded(tmp_path), "--actions", "turn_left,move_forward", "--frames", str(tmp_path / "seen"))
    assert told["question"] == practice().question.text and told["options"]
    names = sorted(p.name for p in (tmp_path / "seen").iterdir())
    assert names == ["step_001.webp", "step_002.webp", "step_003.webp"]
    first, second = (np.asarray(Image.open(tmp_path / "seen" / n)) for n in names[:2])
    assert first.shape == (480, 640, 3) and (first != second).any()


def test_a_budget_of_its_own_replaces_the_tasks(tmp_path: Path) -> None:
    db = seeded(tmp_path)
    assert play(db, "--budget", "50")["observations_left"] == 49
    assert play(db)["observations_left"] == practice().budget - 1
