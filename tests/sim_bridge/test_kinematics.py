"""The published camera kinematics: exact steps, exact inverses, no drift."""

import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import angle_between_deg, angles_deg, apply_camera_action, canonical, heading, looking, rotation_matrix
from sim_bridge.spec import Pose

INVERSE = {
    "move_forward": "move_backward",
    "move_left": "move_right",
    "move_up": "move_down",
    "turn_left": "turn_right",
    "turn_up": "turn_down",
}
INVERSE |= {b: a for a, b in INVERSE.items()}

START = looking(0.0, 0.0, 1.5)

unit = st.floats(-1, 1).filter(lambda c: abs(c) > 1e-3)
poses = st.builds(
    lambda p, q: Pose(p, tuple(c / math.sqrt(sum(d * d for d in q)) for c in q)),
    st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(10, 20)),
    st.tuples(unit, unit, unit, unit),
)


def after(pose: Any, *actions: Any) -> Any:
    for action in actions:
        pose = apply_camera_action(pose, action)
    return pose


@pytest.mark.parametrize(
    ("action", "position"),
    [
        ("move_forward", (0.0, 0.25, 1.5)),
        ("move_backward", (0.0, -0.25, 1.5)),
        ("move_left", (-0.25, 0.0, 1.5)),
        ("move_right", (0.25, 0.0, 1.5)),
        ("move_up", (0.0, 0.0, 1.75)),
        ("move_down", (0.0, 0.0, 1.25)),
    ],
)
def test_moves_from_a_level_camera_that_looks_along_y(action: str, position: tuple[float, float, float]) -> None:
    moved = apply_camera_action(START, action)
    assert moved.position_m == position
    assert moved.quaternion_xyzw == START.quaternion_xyzw


def test_turn_left_is_counter_clockwise_seen_from_above() -> None:
    assert heading(after(START, *["turn_left"] * 6)) == pytest.approx((-1.0, 0.0))
    assert heading(after(START, *["turn_right"] * 6)) == pytest.approx((1.0, 0.0))


def test_turn_up_raises_the_optical_axis() -> None:
    r = rotation_matrix(after(START, "turn_up").quaternion_xyzw)
    assert (-r[0][2], -r[1][2], -r[2][2]) == pytest.approx((0.0, math.cos(math.radians(15)), math.sin(math.radians(15))))


def test_heading_stays_horizontal_whatever_the_pitch() -> None:
    for pitch in range(24):
        pose = after(START, *["turn_up"] * pitch)
        assert after(pose, "move_forward").position_m == (0.0, 0.25, 1.5)
        assert after(pose, "move_right").position_m == (0.25, 0.0, 1.5)


def test_there_is_no_pitch_clamp_and_24_steps_make_a_full_loop() -> None:
    seen = {after(START, *["turn_up"] * n).quaternion_xyzw for n in range(24)}
    assert len(seen) == 24
    assert after(START, *["turn_up"] * 24) == START
    assert after(START, *["turn_left"] * 24) == START


def test_move_down_stops_at_one_centimetre() -> None:
    assert after(looking(0, 0, 0.2), "move_down").position_m[2] == 0.01
    assert after(looking(0, 0, 0.2), "move_down", "move_down").position_m[2] == 0.01


def test_a_camera_below_one_centimetre_jumps_up_with_move_down() -> None:
    assert after(looking(0, 0, -3.0), "move_down").position_m[2] == 0.01


def test_other_actions_leave_a_low_camera_low() -> None:
    assert after(looking(0, 0, -3.0), "move_forward", "turn_left").position_m[2] == -3.0


def test_up_and_down_cancel_from_the_clamp() -> None:
    low = after(looking(0, 0, 0.1), "move_down")
    assert after(low, "move_up", "move_down") == low
    assert after(low, "turn_left", "turn_right") == low


def test_unknown_action_is_refused() -> None:
    with pytest.raises(ValueError, match="no camera action: got 'jump'"):
        apply_camera_action(START, "jump")


@pytest.mark.parametrize("quaternion", [(0.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 1.0), (math.inf, 0.0, 0.0, 1.0)])
def test_a_quaternion_without_direction_is_refused(quaternion: Any) -> None:
    with pytest.raises(ValueError, match="expected a unit quaternion"):
        canonical(Pose((0.0, 0.0, 0.0), quaternion))


@settings(deadline=None)
@given(poses)
def test_canonical_is_idempotent_and_moves_nothing_visible(pose: Any) -> None:
    snapped = canonical(pose)
    assert canonical(snapped) == snapped
    assert math.dist(snapped.position_m, pose.position_m) < 1e-12
    assert angle_between_deg(snapped.quaternion_xyzw, pose.quaternion_xyzw) < 1e-6


@settings(deadline=None)
@given(poses, st.lists(st.sampled_from([a for a in CAMERA_ACTIONS if a != "move_down"]), max_size=15), st.randoms(use_true_random=False))
def test_actions_that_cancel_return_the_same_pose_bit_for_bit(pose: Any, actions: Any, order: Any) -> None:
    start = canonical(pose)
    turns = [a for a in actions if a.startswith("turn")]
    undone = [INVERSE[a] for a in turns]
    both = turns + undone
    order.shuffle(both)
    assert after(start, *both) == start
    assert after(start, *actions, *(INVERSE[a] for a in reversed(actions))) == start


def test_thirty_actions_there_and_back_do_not_drift() -> None:
    start, rng = canonical(Pose((1.2345678, -0.7654321, 1.42), (0.61, 0.11, 0.13, 0.77))), random.Random(3)
    actions = [rng.choice([a for a in CAMERA_ACTIONS if a != "move_down"]) for _ in range(15)]
    assert after(start, *actions, *(INVERSE[a] for a in reversed(actions))) == start


@settings(max_examples=50, deadline=None)
@given(poses, st.lists(st.sampled_from(CAMERA_ACTIONS), max_size=30))
def test_every_pose_along_an_episode_is_a_unit_quaternion_near_plain_arithmetic(pose: Any, actions: Any) -> None:
    import numpy as np

    here = canonical(pose)
    rotation, position = np.array(rotation_matrix(here.quaternion_xyzw)), np.array(here.position_m)
    c, s = math.cos(math.radians(15)), math.sin(math.radians(15))
    about_z, about_x = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    for action in actions:
        here = apply_camera_action(here, action)
        right = rotation[:, 0]
        flat = np.array([right[0], right[1], 0.0])
        flat /= np.linalg.norm(flat)
        ahead = np.cross([0, 0, 1], flat)
        step = {"move_forward": ahead, "move_backward": -ahead, "move_right": flat, "move_left": -flat}.get(action)
        if step is not None:
            position = position + 0.25 * step
        elif action == "move_up":
            position = position + np.array([0, 0, 0.25])
        elif action == "move_down":
            position = np.array([position[0], position[1], max(0.01, position[2] - 0.25)])
        else:
            rotation = {
                "turn_left": about_z @ rotation,
                "turn_right": about_z.T @ rotation,
                "turn_up": rotation @ about_x,
                "turn_down": rotation @ about_x.T,
            }[action]
        assert abs(math.sqrt(sum(q * q for q in here.quaternion_xyzw)) - 1) < 1e-14
        assert np.allclose(np.array(rotation_matrix(here.quaternion_xyzw)), rotation, atol=1e-7)
        assert np.allclose(here.position_m, position, atol=1e-7)


def test_upright_cameras_have_no_roll() -> None:
    assert angles_deg(looking(1, 2, 3, yaw_deg=40, pitch_deg=-20).quaternion_xyzw) == (40.0, 0.0, 70.0)
