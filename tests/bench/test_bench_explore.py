"""Blind explorers: they reach what is near, not what is too far; they know only what they saw; shares of them are counted by task."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from app.commands.bench import command
from bench.explore import explored, figures
from data.generators.cognitive import judge_connect
from data.generators.exploring import REACH, Explorer, observations
from data.generators.registry import bundled
from data.generators.sight import EYE_M, sight_of
from data.task import Ask, Gold, Task
from sim_bridge.kinematics import looking
from sim_bridge.spec import House, HouseDoor, HouseLayout, HouseRoom

NAMES = ("hall", "kitchen", "bedroom", "office", "library", "bathroom", "storage room", "dining room", "living room")


@pytest.fixture(scope="module")
def model() -> Task:
    return next(t for t in bundled() if t.task_id.startswith("own-connect-"))


def row(model: Task, rooms: int, asked: tuple[str, str], task_id: str = "own-connect-901a") -> Task:
    """Rooms of 3 m × 3 m in a row, an open doorway from each to the next; the start is in the first and looks away."""
    made = tuple(HouseRoom(NAMES[k], "office", ((3.0 * k, 0.0, 3.0 * k + 3.0, 3.0),)) for k in range(rooms))
    doors = tuple(HouseDoor((NAMES[k], NAMES[k + 1]), (3.0 * k + 3.0, 1.5), "y", 1.2, "") for k in range(rooms - 1))
    scene = msgspec.structs.replace(model.scene, house=House(1, rooms, True, HouseLayout(made, doors)), objects=())
    question = model.question.model_copy(update={"ask": Ask(what="connected", rooms=asked)})
    start = looking(1.5, 1.5, EYE_M, yaw_deg=90.0)
    more = {"scene": scene, "question": question, "start": start, "gold": Gold(accepted=("yes",), chance=0.5, derivation="a row")}
    return model.model_copy(update={**more, "task_id": task_id, "twin": None})


def test_an_explorer_reaches_what_is_near_and_not_what_is_too_far(model: Task) -> None:
    near, far = row(model, 3, ("kitchen", "bedroom")), row(model, 9, ("dining room", "living room"))
    needed = [observations(near, judge_connect, seed) for seed in range(5)]
    assert all(n is not None and 3 < n <= near.budget for n in needed)
    # 18 m lie between, 0.6 m a step.
    assert [observations(far, judge_connect, seed) for seed in range(5)] == [None] * 5


def test_nothing_leads_to_rooms_that_are_not_joined(model: Task) -> None:
    task = row(model, 3, ("hall", "bedroom"))
    assert observations(task, judge_connect, 0) is None


def test_an_explorer_knows_only_what_was_in_the_picture(model: Task) -> None:
    task = row(model, 3, ("kitchen", "bedroom"))
    explorer = Explorer(sight_of(task.scene), task.start, task.scene.camera, wanted=(), thorough=(), numbers=random.Random(1))
    assert explorer.entered == {"hall"} and not explorer.seen
    first = [explorer.act() for _ in range(3)]
    assert set(first) in ({"turn_left"}, {"turn_right"})
    assert [set(d.rooms) for d in explorer.seen if "hall" in d.rooms] == [{"hall", "kitchen"}] and "bedroom" not in explorer.entered


def test_shares_are_of_explorations_and_intervals_over_items(model: Task) -> None:
    tasks = [
        row(model, 3, ("kitchen", "bedroom"), f"own-connect-90{n}{side}").model_copy(
            update={"twin": f"own-connect-90{n}{'b' if side == 'a' else 'a'}"}
        )
        for n in (1, 2, 3)
        for side in "ab"
    ]
    needed: dict[str, list[int | None]] = {t.task_id: [7, 9] if t.task_id[-2] != "3" else [None, 9] for t in tasks}
    said = figures(tasks, needed)
    # Three clusters of four, shares 1, 1 and 1/2: the standard error is 1/6, and t with two degrees of freedom 4.303.
    assert (said["tasks"], said["explorations"], said["reached"], said["views"]) == (6, 12, 0.833, 9)
    assert said["interval"] == [0.116, 1.0]
    needed = {t.task_id: [7, 9] for t in tasks}
    assert figures(tasks, needed)["interval"] is None


def test_the_command_says_what_was_reached_and_least(model: Task, tmp_path: Path) -> None:
    near, far = row(model, 3, ("kitchen", "bedroom")), row(model, 9, ("dining room", "living room"), "own-connect-902a")
    for task in (near, far):
        (tmp_path / f"{task.task_id}.json").write_text(task.canonical_json(), encoding="utf-8")
    done = CliRunner().invoke(command, ["explore", "--bundle", str(tmp_path), "--seeds", "3", "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["all"]["reached"] == 0.5 and said["least"] == {"task": "own-connect-902a", "reached": 0.0}
    assert said["subcategories"]["Cognitive Mapping / Connectivity"]["explorations"] == 6
    none = CliRunner().invoke(command, ["explore", "--bundle", str(tmp_path.parent / "empty"), "--json"])
    assert none.exit_code == 2


def test_explorers_that_chose_no_task_reach_the_evidence_of_the_bundled_ones() -> None:
    said = explored([t for t in bundled() if t.scene.house is not None], 2)
    assert len(said["subcategories"]) == 4
    for name, row in said["subcategories"].items():
        assert row["tasks"] >= 20 and row["reached"] >= REACH, name


def test_tasks_without_a_house_are_left_out() -> None:
    with pytest.raises(Exception, match="expected tasks in houses"):
        explored([t for t in bundled() if t.scene.house is None][:2], 1)
