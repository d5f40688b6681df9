"""The plan and the table of an episode's steps say where the camera was, where it looked and how long a person thought."""

from __future__ import annotations

import math

import msgspec
import pytest

from app.pages import episode_path
from app.pages.episode_path import Moment
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene


def moment(seq: int, pose: Pose, pressed: float | None = None, painted: float | None = None) -> Moment:
    return Moment(seq, "move_forward", True, msgspec.json.encode(pose).decode(), pressed, painted)


@pytest.mark.parametrize("yaw", [0.0, 90.0, -34.0])
def test_where_a_camera_looks_from_above(yaw: float) -> None:
    """`looking` takes a turn to the left from +y, degrees."""
    x, y = episode_path.looking(looking(0.0, 0.0, 1.0, yaw, 0.0))
    assert math.hypot(x, y) == pytest.approx(1.0)
    assert (x, y) == pytest.approx((-math.sin(math.radians(yaw)), math.cos(math.radians(yaw))))


def test_the_plan_has_every_place_and_the_table_times_of_presses_that_did_not_wait() -> None:
    box = Object("object_1", "box", Pose((1.0, 1.0, 0.5)), size_m=(1.0, 1.0, 1.0))
    scene = Scene(camera=Camera(64, 48), room=Room(), objects=(box,))
    first, second, third = (Pose((0.0, y, 1.0)) for y in (0.0, 0.3, 0.6))
    steps = [moment(0, first), moment(1, second, 2500.0, 1000.0), moment(2, third, 900.0, 1000.0)]
    drawn = episode_path.plan(scene, steps)
    assert [f">{seq}</text>" in drawn for seq in (0, 1, 2)] == [True] * 3 and drawn.count("<rect") == 2 and 'role="img"' in drawn
    told = episode_path.table(steps, {1: ("the bowl", 70)})
    assert told["View to press, s"].isna().tolist() == [True, False, True] and told["View to press, s"][1] == 1.5
    assert (told["Belief"][1], told["Confidence"][1], told["y, m"][2]) == ("the bowl", 70, 0.6)
