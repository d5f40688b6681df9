"""Own tasks of Material Transparency: vessels, what lies in or behind them, and one item in the simulator."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.glass import BEHIND_M, GLASSES, SMALL, SMALL_M, STANDS, TRANSPARENCY, judge_transparency
from data.generators.lab import Lab, difference, play
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Object
from tests.present import present

ITEMS = 20
DRAFTS = generate(TRANSPARENCY, seed=1, pairs=ITEMS).tasks
TWINS = list(zip(DRAFTS[::2], DRAFTS[1::2], strict=True))


def target(task: Task) -> Object:
    """The small thing."""
    return next(o for o in task.scene.objects if o.handle in task.essential and o.handle not in task.vessels)


def eye(task: Task) -> np.ndarray:
    return np.array(task.start.position_m)


def test_every_draft_comes_out_and_is_balanced() -> None:
    assert len(DRAFTS) == 2 * ITEMS and all(a.twin == b.task_id and a.question == b.question and a.start == b.start for a, b in TWINS)
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == []


def test_small_things_have_the_catalogues_size() -> None:
    for category, size in SMALL_M.items():
        assert Catalogue(None).lookup(category).real_size_m == pytest.approx(size, abs=0.001)


def test_glasses_are_see_through_and_have_their_floor_where_the_table_says() -> None:
    shelf = Catalogue(None)
    for glass in GLASSES:
        match = shelf.lookup(glass.category)
        model = shelf.model(match, glass=bool(glass.params.get("glass")))
        assert model.transparent and tuple(model.size) == pytest.approx(glass.size_m, abs=0.001)
        cavity = model.cavity
        assert cavity is not None
        low = min(float(p.vertices[:, 2].min()) for p in model.parts)
        bottom = cavity.profile[0][0] if cavity.profile else -cavity.half[2]
        floor = float((cavity.matrix @ np.array([0.0, 0.0, bottom]) + cavity.offset)[2]) - low
        assert glass.floor_m == pytest.approx(floor, abs=0.0005), glass.category


def test_a_thing_behind_the_glass_is_the_image_of_the_one_inside() -> None:
    for a, b in TWINS:
        inside, behind = sorted((a, b), key=lambda t: t.gold.accepted[0] == "no")
        one, other = target(inside), target(behind)
        vessel = next(o for o in inside.scene.objects if o.handle in inside.vessels)
        assert vessel.size_m and one.size_m and other.size_m
        factor = other.size_m[0] / one.size_m[0]
        ray = np.array(one.pose.position_m) - eye(inside)
        assert np.allclose(np.array(other.pose.position_m) - eye(inside), ray * factor, atol=2e-4)
        assert max(other.size_m) <= SMALL * min(vessel.size_m)
        # Measured along the line of sight of the layout, whichever way the room turns it.
        reach = np.linalg.norm((np.array(other.pose.position_m) - eye(inside))[:2]) - other.size_m[1] / 2
        back = np.linalg.norm((np.array(vessel.pose.position_m) - eye(inside))[:2]) + vessel.size_m[1] / 2
        assert reach - back == pytest.approx(BEHIND_M, abs=0.003)
        # Inside: the thing's box lies within the vessel's, well off its sides; behind: outside it.
        for task, thing in ((inside, one), (behind, other)):
            off = np.abs(np.array(thing.pose.position_m[:2]) - vessel.pose.position_m[:2]) + max(present(thing.size_m)[:2]) / 2
            assert (off < np.array(vessel.size_m[:2]) / 2).all() == (task is inside)


def test_the_hand_tells_and_most_vessels_are_seen_from_the_front_alone() -> None:
    tasks = [t for pair in TWINS for t in pair]
    for task in tasks:
        assert {"pick_up", "put_back"} <= set(task.actions) and task.gt_trajectory[0] == f"pick_up({present(task.question.ask).against})"
        assert len(task.gt_trajectory) <= 20 * task.budget // 30
        around = [o for o in task.scene.objects if o.handle not in (*task.essential, *task.vessels)]
        assert len(around) == {"in the open": 0, "on furniture": 1, "in a shelf": 1}.get(task.tags["layout"], 4)
    assert set(Counter(t.tags["layout"] for t in tasks)) == set(STANDS)


def test_twins_begin_alike_and_the_judge_tells_them_apart(lab: Lab) -> None:
    played = [play(lab, task, pictures=False) for task in TWINS[0]]
    assert [problems(TRANSPARENCY, playing) for playing in played] == [[], []]
    assert difference(*(p.first.frame for p in played)) < 0.5
    assert {judge_transparency(p) for p in played} == {"yes", "no"}
