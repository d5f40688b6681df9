"""Own tasks of Agent Observation: where the robot goes, what is near its way, and an item in the simulator."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from data.generators import watching
from data.generators.balance import report
from data.generators.framework import first_views, generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.registry import benchmark
from data.generators.watching import BENDS_DEG, FARTHER_M, NEARER_M, PASSED, PASSING, RUG, RUG_M, STEP_M
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.kinematics import rotation_matrix
from tests.present import present

ITEMS = 30
WALKS = generate(PASSING, seed=1, pairs=ITEMS).tasks
TWINS = {t.task_id: t for t in WALKS}


def way_of(task: Task) -> np.ndarray:
    """Points of the robot's way from the document, shape (N, 2), metres."""
    robot = next(o for o in task.scene.objects if o.category == "robot")
    return np.array([robot.pose.position_m[:2], *robot.params["path"]])


def off_m(point: tuple[float, float], way: np.ndarray) -> float:
    """Least distance of a point from a way that is cut into pieces of a centimetre."""
    pieces = [a + (b - a) * np.linspace(0, 1, 80)[:, None] for a, b in itertools.pairwise(way)]
    return float(np.linalg.norm(np.concatenate(pieces) - np.array(point), axis=1).min())


def things(task: Task) -> list[Any]:
    robot = next(o.handle for o in task.scene.objects if o.category == "robot")
    return [o for o in task.scene.objects if o.handle in task.essential and o.handle != robot]


def test_golds_are_the_things_near_the_way_recomputed_from_the_document() -> None:
    assert len(WALKS) == 2 * ITEMS
    for task in WALKS:
        off = {o.handle: off_m(o.pose.position_m[:2], way_of(task)) for o in things(task)}
        assert len(off) == 8 and not any(NEARER_M + 0.01 < d < FARTHER_M - 0.01 for d in off.values())
        near = sum(off[o.handle] < 1.0 for o in things(task) if o.category == present(task.question.ask).category)
        assert task.gold.accepted == (str(near),)


def test_twins_share_all_but_the_robots_way() -> None:
    for task in WALKS:
        ours, theirs = ({o.handle: o for o in t.scene.objects} for t in (task, TWINS[task.twin or ""]))
        (handle,) = (h for h in ours if ours[h] != theirs[h])
        assert task.names[handle] == "robot" and ours[handle].pose == theirs[handle].pose
        assert len(way_of(task)) > watching.MIN_WAYPOINTS


def test_the_whole_way_lies_in_the_start_view() -> None:
    for task in WALKS:
        camera = task.scene.camera
        across = math.tan(math.radians(camera.hfov_deg) / 2)
        for x, y in way_of(task):
            for z in (0.0, 1.2):  # the robot's foot and head
                away = (np.array([x, y, z]) - task.start.position_m) @ np.array(rotation_matrix(task.start.quaternion_xyzw))
                assert abs(away[0]) < across * -away[2] and abs(away[1]) < across * camera.height / camera.width * -away[2]


def test_two_rugs_of_the_told_size_lie_about() -> None:
    for task in WALKS:
        rugs = [o for o in task.scene.objects if o.category == RUG]
        assert len(rugs) == 2 and all(o.size_m == RUG_M for o in rugs) and "1 m long and 1 m wide" in task.question.note


def test_the_proof_takes_at_most_two_thirds_of_the_budget() -> None:
    for task in WALKS:
        assert len(task.gt_trajectory) <= 20 * task.budget // 30
        assert "wait" in task.actions and not task.views


def test_counts_layouts_and_kinds_are_balanced() -> None:
    for tasks in ([t for t in WALKS if int(t.task_id.split("-")[-1][:3]) <= 10], WALKS):
        assert len(set(Counter(t.gold.accepted[0] for t in tasks).values())) == 1
        (row,) = report(tasks)["subcategories"]
        assert row["problems"] == [], row
    assert {t.tags["layout"] for t in WALKS} == set(BENDS_DEG)


def test_sizes_are_the_catalogues() -> None:
    shelf = Catalogue(None)
    for category, size in PASSED.items():
        match = shelf.lookup(category)
        assert match.grade in ("exact", "alias") and match.real_size_m == pytest.approx(size, abs=0.002), category


def test_the_robot_walks_and_the_judge_counts_what_it_passed(lab: Lab) -> None:
    one, two = (t for t in benchmark() if t.task_id in ("own-passing-001a", "own-passing-001b"))
    played = play(lab, one, pictures=False)
    assert problems(PASSING, played) == []
    robot = next(h for h, w in one.names.items() if w == "robot")
    places = [s.pose.position_m[:2] for st in played.states() for s in st.objects if s.handle == robot]
    walked = np.linalg.norm(np.diff(np.array(places), axis=0), axis=1)
    assert (walked > 0.3).sum() == int(one.tags["waypoints"]) and walked.max() <= STEP_M + 0.01
    with lab.open(two.scene, two.start) as trial:
        assert first_views(one, played, trial.first.observation.frames[-1]) == ""
    # Nothing is concluded from half a walk.
    assert watching.judge_passing(Playing(one, played.steps[:6])) not in one.question.options
