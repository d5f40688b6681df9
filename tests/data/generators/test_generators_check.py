"""``vantage tasks check`` catches what is wrong with a task file: a corrupted gold, a moved object, a first view that tells."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from app.commands.tasks import command
from data.generators import checking, framework
from data.generators import lab as laboratories
from data.generators.checking import check_files
from data.generators.lab import Lab, Playing, play
from data.generators.registry import FOLDER, GENERATORS
from data.task import Task
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.client import Calls
from sim_bridge.encoding import encode_frame
from sim_bridge.errors import NoWorker
from sim_bridge.pool import Pool
from tests.lost import Lost
from tests.present import present

needs_renderer = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")
Document = dict[str, Any]


def faults(lab: Lab, folder: Path, slug: str, corrupt: Callable[[Document], None], *, whom: str = "a") -> list[str]:
    """What `check` says about the first pair of a kind after one of the two has been changed."""
    for half in "ab":
        document = json.loads((FOLDER / f"own-{slug}-001{half}.json").read_text(encoding="utf-8"))
        if half in whom:
            corrupt(document)
        (folder / f"own-{slug}-001{half}.json").write_text(json.dumps(document), encoding="utf-8")
    return [f"{e.file}: {p}" for e in check_files(sorted(folder.glob("*.json")), lab, GENERATORS) for p in e.problems]


@needs_renderer
def test_sound_files_pass(lab: Lab, tmp_path: Path) -> None:
    assert faults(lab, tmp_path, "distance", lambda d: None) == []


@needs_renderer
def test_a_corrupted_gold_is_caught(lab: Lab, tmp_path: Path) -> None:
    def flip(d: Document) -> None:
        gold = d["gold"]["accepted"][0]
        # The other of the two objects compared, which is the twin's gold.
        twin = json.loads((FOLDER / f"{d['twin']}.json").read_text(encoding="utf-8"))
        assert twin["gold"]["accepted"][0] != gold
        d["gold"]["accepted"] = twin["gold"]["accepted"]

    found = faults(lab, tmp_path, "distance", flip)
    assert any("own-distance-001a.json: the simulator does not confirm the gold" in f for f in found), found
    assert any("twins have the same gold" in f for f in found), found


@needs_renderer
def test_a_moved_object_is_caught(lab: Lab, tmp_path: Path) -> None:
    def move(d: Document) -> None:
        d["scene"]["objects"][0]["pose"]["position_m"][0] += 0.05

    found = faults(lab, tmp_path, "distance", move)
    assert any("does not lie where it did when the task was proven" in f for f in found), found


@needs_renderer
def test_a_first_view_that_tells_is_caught(lab: Lab, tmp_path: Path) -> None:
    end = play(lab, Task.from_json((FOLDER / "own-size-001a.json").read_text(encoding="utf-8")), pictures=False).last.camera

    def start_at_the_end(d: Document) -> None:
        d["start"] = json.loads(msgspec.json.encode(end))

    found = faults(lab, tmp_path, "size", start_at_the_end, whom="ab")
    assert any("the first views of the twins differ too much" in f for f in found), found


@needs_renderer
def test_a_trajectory_that_no_longer_shows_it_is_caught(lab: Lab, tmp_path: Path) -> None:
    def turn_away(d: Document) -> None:
        d["gt_trajectory"] = ["turn_left"] * 6

    found = faults(lab, tmp_path, "size", turn_away)
    assert any("evidence is missing" in f or "never seen well" in f or "does not confirm" in f for f in found), found


@needs_renderer
def test_a_file_of_version_1_is_checked_as_it_is(lab: Lab) -> None:
    file = Path(__file__).parents[2] / "fixtures" / "tasks_v1" / "own-stack-001.json"
    (entry,) = check_files([file], lab, GENERATORS)
    assert (entry.task_id, entry.problems) == ("own-stack-001", [])


@needs_renderer
def test_a_question_that_does_not_say_what_it_asks_is_caught(lab: Lab, tmp_path: Path) -> None:
    found = faults(lab, tmp_path, "distance", lambda d: d["question"].pop("ask"))
    assert "own-distance-001a.json: question.ask: distance judges closer, farther; got None" in found


@needs_renderer
def test_a_question_that_asks_for_the_opposite_is_caught(lab: Lab, tmp_path: Path) -> None:
    def flip(d: Document) -> None:
        ask = d["question"]["ask"]
        ask["what"] = {"closer": "farther", "farther": "closer"}[ask["what"]]

    found = faults(lab, tmp_path, "distance", flip)
    assert any("own-distance-001a.json: the simulator does not confirm the gold" in f for f in found), found


@needs_renderer
def test_a_lone_twin_is_said(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes((FOLDER / "own-size-001a.json").read_bytes())
    (entry,) = check_files([tmp_path / "one.json"], lab, GENERATORS)
    assert entry.problems == ["twin: 'own-size-001b' is not among these files"]


def told(calls: list[Calls], folder: Path) -> dict[str, list[str]]:
    """What is said of a pair when one of these simulators after the other takes part."""
    for half in "ab":
        (folder / f"own-size-001{half}.json").write_bytes((FOLDER / f"own-size-001{half}.json").read_bytes())
    first, *more = calls

    def another() -> Calls:
        if not more:
            raise NoWorker("No worker is there.")
        return more.pop(0)

    report = check_files(sorted(folder.glob("*.json")), Lab(first, another), GENERATORS)
    assert not more
    return {entry.task_id[-1]: entry.problems for entry in report}


@needs_renderer
def test_a_task_with_which_the_simulator_is_lost_is_played_by_another(lab: Lab, tmp_path: Path) -> None:
    assert told([Lost(lab.calls, 3), lab.calls], tmp_path) == {"a": [], "b": []}


@needs_renderer
def test_a_task_that_costs_two_simulators_fails_and_the_rest_goes_on(lab: Lab, tmp_path: Path) -> None:
    found = told([Lost(lab.calls, 3), Lost(lab.calls, 3), lab.calls], tmp_path)
    assert found == {"a": ["The worker died."], "b": []}


@needs_renderer
def test_without_another_simulator_the_rest_says_so(lab: Lab, tmp_path: Path) -> None:
    assert told([Lost(lab.calls, 3)], tmp_path) == {"a": ["The worker died."], "b": ["The worker died."]}


@needs_renderer
def test_the_command_goes_on_when_its_simulator_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for half in "ab":
        (tmp_path / f"own-size-001{half}.json").write_bytes((FOLDER / f"own-size-001{half}.json").read_bytes())
    killed: list[int] = []
    pool = Pool(workers=1)

    def kill_and_play(lab: Lab, task: Task, **how: Any) -> Playing:
        if not killed:
            killed.append(present(pool.status()[0].pid))
            os.kill(killed[0], signal.SIGKILL)
        return play(lab, task, **how)

    monkeypatch.setattr(laboratories, "Pool", lambda **_: pool)
    monkeypatch.setattr(checking, "play", kill_and_play)
    done = CliRunner().invoke(command, ["check", str(tmp_path)])
    assert len(killed) == 1
    assert (done.exit_code, done.output) == (0, "2 of 2 tasks hold.\n")


@needs_renderer
def test_generating_goes_on_when_its_simulator_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the proof of an item; what comes out is what comes out of a simulator that lives."""
    killed: list[int] = []
    pool = Pool(workers=1)

    def kill_and_play(lab: Lab, task: Task, **how: Any) -> Playing:
        if not killed:
            killed.append(present(pool.status()[0].pid))
            os.kill(killed[0], signal.SIGKILL)
        return play(lab, task, **how)

    monkeypatch.setattr(laboratories, "Pool", lambda **_: pool)
    monkeypatch.setattr(framework, "play", kill_and_play)
    done = CliRunner().invoke(command, ["generate", "looks", "--count", "1", "--seed", "7", "--out", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["subcategories"]
    assert len(killed) == 1 and (row["items"], row["tasks"]) == (1, 2) and len(list(tmp_path.glob("*.json"))) == 2


@needs_renderer
def test_an_item_that_costs_two_simulators_is_rejected_and_the_next_is_made(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = [Lost(lab.calls, 1), lab.calls]
    mortal = Lab(Lost(lab.calls, 1), lambda: more.pop(0))
    monkeypatch.setattr(laboratories, "laboratory", lambda: nullcontext(mortal))
    done = CliRunner().invoke(command, ["generate", "looks", "--count", "2", "--seed", "7", "--out", str(tmp_path), "--json"])
    assert done.exit_code == 1 and not more
    (row,) = json.loads(done.stdout)["subcategories"]
    assert (row["items"], row["tasks"], row["rejected"].pop("The worker died.")) == (1, 2, 1)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: d.update(budget="many"), "budget"),
        (lambda d: d["question"].pop("text"), "question.text"),
        (lambda d: d["gold"].update(chance=7), "gold.chance"),
        (lambda d: d.update(surprise=1), "surprise"),
        (lambda d: d["scene"]["objects"][0]["pose"].update(position_m="here"), "scene"),
    ],
)
def test_an_edited_file_fails_with_the_fields_name(change: Callable[[Document], Any], field: str, tmp_path: Path) -> None:
    document = json.loads((FOLDER / "own-size-001a.json").read_text(encoding="utf-8"))
    change(document)
    (tmp_path / "own-size-001a.json").write_text(json.dumps(document), encoding="utf-8")
    done = CliRunner().invoke(command, ["balance", str(tmp_path)])
    assert done.exit_code == 1 and "own-size-001a.json" in done.output and field in done.output, done.output
    assert "Traceback" not in done.output


def test_a_wall_shows_next_to_nothing_and_a_room_shows_enough() -> None:
    wall = np.full((480, 640, 3), 180, np.uint8)
    board = np.where((np.indices((480, 640)).sum(0) // 20 % 2)[..., None] > 0, 230, 20).astype(np.uint8).repeat(3, 2)
    half = np.where((np.arange(640) < 200)[None, :, None], board, wall)
    assert [framework.detail(encode_frame(p)) for p in (wall, board)] == [0.0, 1.0]
    assert framework.detail(encode_frame(half)) < framework.ENOUGH_DETAIL
