"""Blind explorers: they reach what is near, not what is too far; they know only what they saw; shares of them are counted by task."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from app.commands.bench import command
from bench.explore import explored, figures
from bench.peering import WATCHED, Hidden, Peeker, Seen, change_views, crossing, in_picture, passing_views, place_of, while_watching
from data.generators.cognitive import judge_connect
from data.generators.exploring import REACH, Explorer, observations
from data.generators.lab import Lab
from data.generators.registry import bundled
from data.generators.sight import EYE_M, sight_of
from data.task import Ask, Gold, Task
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, HouseDoor, HouseLayout, HouseRoom, ObjectState, Pose
from tests.present import present

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


def box(x: float, y: float, z: float, wide: float, high: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    return (x - wide / 2, y - wide / 2, z), (x + wide / 2, y + wide / 2, z + high)


def looked(how: str, seed: int, near_m: float = 2.0) -> tuple[Peeker, Hidden, list[str]]:
    """An explorer at floor level before a box half a metre high, and its way to where it sees in, on or behind it."""
    low, high = box(0.0, 1.0, 0.0, 0.4, 0.5)
    start = looking(0.0, -0.5, 0.12)
    explorer = Peeker(Camera(), start, {"object_1": (low, high)}, random.Random(seed))
    place = place_of(ObjectState("object_1", "box", Pose((0.0, 1.0, 0.25)), low, high, 0), how, start.position_m)
    way = explorer.way(place, near_m)
    assert way is not None
    for action in way:
        explorer.go(action)
    return explorer, place, way


@pytest.mark.parametrize("how", ["in", "on", "behind"])
def test_an_explorer_goes_where_nothing_hides_the_place(how: str) -> None:
    ways = set()
    for seed in range(8):
        explorer, place, way = looked(how, seed)
        pose, (low, high) = explorer.poses[-1], explorer.boxes["object_1"]
        # Points of the line of sight, tried one by one: none lies in the box, but where one looks into it from above its rim.
        line = [tuple(a + (b - a) * k / 200 for a, b in zip(pose.position_m, place.at, strict=True)) for k in range(200)]
        hit = [p for p in line if all(least < v < most for least, v, most in zip(low, p, high, strict=True))]
        assert (min(p[2] for p in hit) < high[2] and max(p[2] for p in hit) > high[2] - 0.02) if how == "in" else not hit
        assert in_picture(Camera(), pose, place.at) and math.dist(pose.position_m, place.at) <= 2.0
        for at in explorer.poses:
            assert not all(least < v < most for least, v, most in zip(low, at.position_m, high, strict=True))
        ways.add(tuple(sorted(way)))
    assert len(ways) > 3, "explorers differ"


def test_what_is_looked_for_is_hidden_at_the_start_and_a_place_out_of_reach_is_given_up() -> None:
    explorer, place, _ = looked("behind", 1)
    assert bool(crossing(np.array([explorer.poses[0].position_m]), place.at, explorer.boxes["object_1"])[0])
    assert explorer.way(Hidden("object_9", (0.0, 30.0, 0.1)), 2.0) is None


def test_what_moves_is_kept_in_the_picture() -> None:
    explorer = Peeker(Camera(), looking(0.0, 0.0, 1.5, 0.0, -15.0), {}, random.Random(1))
    robot = ObjectState("object_2", "robot", Pose((0.0, 4.8, 0.2)), (-0.2, 4.6, 0.0), (0.2, 5.0, 0.5), 0)
    done = []
    for _ in range(12):
        done.append(while_watching(explorer, robot))
        if done[-1] != "wait":
            explorer.go(done[-1])
        assert in_picture(Camera(), explorer.poses[-1], (0.0, 4.8, 0.25), WATCHED)
    assert len(set(done)) > 2


def test_who_would_lose_what_moves_turns_to_its_side() -> None:
    explorer = Peeker(Camera(), looking(0.0, 0.0, 1.5, 0.0, -15.0), {}, random.Random(1))
    came, robot = (ObjectState("object_2", "robot", Pose((x, 4.8, 0.2)), (x - 0.2, 4.6, 0.0), (x + 0.2, 5.0, 0.5), 0) for x in (2.5, 3.2))
    assert while_watching(explorer, robot, came) == "turn_right"


def test_who_has_seen_what_counts_waits_for_nothing_and_looks_once_behind_what_hides() -> None:
    low, high = (-0.3, 3.9, 0.0), (0.3, 4.1, 0.44)
    things = {
        "object_1": ObjectState("object_1", "cooler", Pose((0.0, 4.0, 0.25)), low, high, 0),
        "object_3": ObjectState("object_3", "teapot", Pose((1.0, 4.0, 0.1)), *box(1.0, 4.0, 0.0, 0.2, 0.2), 0),
    }
    explorer = Peeker(Camera(), looking(0.0, 0.0, 1.5, 0.0, -15.0), {}, random.Random(1))
    room = Seen(explorer, things, "object_2", "teapot")
    room.take({"object_1": 9000, "object_3": 900})
    way = room.next_way(20)
    assert way and room.next_way(1) is None
    for action in way:
        explorer.go(action)
    eye, behind = explorer.poses[-1].position_m, place_of(things["object_1"], "behind", (0.0, 0.0, 1.5))
    assert not crossing(np.array([eye]), behind.at, (low, high))[0] and in_picture(Camera(), explorer.poses[-1], behind.at)
    room.take({"object_1": 9000, "object_3": 900})
    assert explorer.looked_at(behind, 4.0) and not explorer.looked_at(behind, 0.5)


def test_what_was_too_small_to_tell_is_looked_at_from_nearer() -> None:
    things = {"object_3": ObjectState("object_3", "mug", Pose((0.0, 5.0, 0.1)), *box(0.0, 5.0, 0.0, 0.2, 0.2), 0)}
    explorer = Peeker(Camera(), looking(0.0, 0.0, 1.5, 0.0, -15.0), {}, random.Random(1))
    room = Seen(explorer, things, "object_2", "teapot")
    room.take({"object_3": 90})
    for action in room.next_way(20) or ():
        explorer.go(action)
    assert math.dist(explorer.poses[-1].position_m, (0.0, 5.0, 0.1)) < 0.8 * 5.2


@pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")
def test_the_simulator_says_what_explorers_saw(lab: Lab) -> None:
    """A box is looked into at both visits; where a visit has two views alone nobody gets that far, and behind nothing there is nothing."""
    task = next(t for t in bundled() if t.task_id == "own-change-002a")
    needed = change_views(task, lab, [1, 2])
    assert all(n is not None and 4 < n <= task.budget for n in needed)
    assert change_views(task.model_copy(update={"budget": 4}), lab, [1]) == [None]


@pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")
def test_who_cannot_see_the_whole_walk_has_not_seen_it(lab: Lab) -> None:
    task = next(t for t in bundled() if t.task_id.startswith("own-passing-"))
    walk = sum(e.kind == "seen" and e.handle == present(task.question.ask).against for e in task.evidence)
    assert passing_views(task.model_copy(update={"budget": walk - 2}), lab, [1]) == [None]
    away = task.model_copy(update={"start": looking(*task.start.position_m[:2], 1.5, 180.0)})
    assert passing_views(away, lab, [1]) == [None]
