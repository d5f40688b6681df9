"""The worked example of hands, in the embedded simulator: everything on its list can be done, with views to spare."""

from __future__ import annotations

import msgspec
import pytest

from data.generators.worked import HAND_ACTIONS, hands
from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.spec import Camera

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

WAY = (
    *("turn_down", "turn_down", "turn_left", "turn_right", "move_up", "move_down", "wait"),
    *("pick_up(object_3)", "place_on_slope(object_3)", "remove_cloth(object_9)", "pick_up(object_5)", "put_back(object_5)"),
    *("fill(object_5, with_water)", "pick_up(object_5)", "pour(object_5, from, object_5, to, object_6)", "put_on_floor(object_5)"),
    *("pick_up(object_6)", "put(object_6, inside, object_4)", "open(object_1)", "close(object_1)"),
)
"""Object 3 is a ball, 4 an open box, 5 a beaker, 6 a bowl, 9 a cloth, 1 the closed box."""


def test_every_action_of_the_list_works_within_the_views() -> None:
    task = hands()
    assert {parse_action(action).name for action in WAY} >= set(HAND_ACTIONS) and len(WAY) < task.budget
    backend = create()
    try:
        scene = msgspec.structs.replace(task.scene, camera=Camera(64, 48, task.scene.camera.hfov_deg))
        backend.load("s", scene, task.start, 0)
        for action in WAY:
            outcome = backend.act("s", parse_action(action), render=False)
            assert outcome.ok, (action, outcome.reason)
    finally:
        backend.shutdown()
