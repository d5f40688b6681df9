"""A glass that stands in another one is seen through it: hands take it out, and what it keeps from standing there is named."""

from __future__ import annotations

import pytest

from data.generators.lab import Lab
from data.generators.registry import bundled
from sim_bridge.backends.mujoco.engine import gl

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")

GREEN, PURPLE, RED = "object_2", "object_3", "object_1"
FELL_IN = ("move_forward", f"pick_up({PURPLE})", f"put({PURPLE}, on, {GREEN})")


def test_the_inner_glass_is_picked_up_through_the_outer_one(lab: Lab) -> None:
    task = next(task for task in bundled() if task.task_id == "own-stack-009a")
    with lab.open(task.scene, task.start) as trial:
        *_, fallen = [trial.act(action) for action in FELL_IN]
        assert fallen.ended == f"{PURPLE} is inside {GREEN} now"
        trial.act(f"pick_up({RED})")
        refused = trial.act(f"put({RED}, on, {GREEN})")
        assert refused.reason == f"there is no free flat place on {GREEN} for {RED} while {PURPLE} is inside it"
        trial.act(f"put_back({RED})")
        assert PURPLE not in trial.act("wait").observation.visible, "its pixels are those of the glass before it"
        taken = trial.act(f"pick_up({PURPLE})")
        assert (taken.ok, taken.reason) == (True, "")
        assert trial.act(f"put_on_floor({PURPLE})").ok
        assert trial.objects()[PURPLE].pose.position_m[2] < trial.objects()[GREEN].pose.position_m[2]


def test_glass_behind_a_box_is_not_in_view(lab: Lab) -> None:
    """What is left out is glass alone."""
    task = next(task for task in bundled() if task.task_id == "own-stack-009a")
    with lab.open(task.scene, task.start) as trial:
        for _ in range(12):
            trial.act("turn_left")
        assert trial.act(f"pick_up({PURPLE})").reason == f"{PURPLE} is not in view"
