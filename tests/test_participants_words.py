"""What participants are told of the simulator is so."""

from __future__ import annotations

from sim_bridge.actions import MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.backends.mujoco.deeds.stage import REACH_M
from study.wording import say


def test_the_practice_tells_how_far_a_press_goes_and_a_hand_reaches() -> None:
    for figure in (f"{MOVE_STEP_M * 100:g} cm", f"{TURN_STEP_DEG:g}°", f"{REACH_M:g} m"):
        assert figure in say("task.practice_told")
