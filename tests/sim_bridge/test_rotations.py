"""Rotations are one module: made, composed and read off as their matrices say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from sim_bridge.kinematics import rotation_matrix
from sim_bridge.rotations import about_y, about_z, camera_quat, tilt_deg, turned_about_z, unit_matrix, yaw_of
from sim_bridge.spec import Quat

ANGLES = np.random.default_rng(1).uniform(-7.0, 7.0, (200, 2)).tolist()


def matrix(q: Quat) -> NDArray[np.float64]:
    return np.array(unit_matrix(q))


def attitudes() -> list[Quat]:
    drawn = np.random.default_rng(2).normal(size=(200, 4))
    return [(float(x), float(y), float(z), float(w)) for x, y, z, w in drawn / np.linalg.norm(drawn, axis=1)[:, None]]


def z_turn(angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_a_quarter_turn_takes_x_to_y_and_a_tip_takes_up_to_x() -> None:
    assert matrix(about_z(math.pi / 2)) @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert matrix(about_y(math.pi / 2)) @ [0, 0, 1] == pytest.approx([1, 0, 0])


def test_the_matrix_is_that_of_kinematics() -> None:
    for q in attitudes():
        assert matrix(q) == pytest.approx(np.array(rotation_matrix(q)), abs=1e-12)


@pytest.mark.parametrize("angle", [a for a, _ in ANGLES[:20]])
def test_turned_about_the_vertical_is_the_product_of_the_matrices(angle: float) -> None:
    assert matrix(about_z(angle)) == pytest.approx(z_turn(angle), abs=1e-12)
    for q in attitudes():
        assert matrix(turned_about_z(q, angle)) == pytest.approx(z_turn(angle) @ matrix(q), abs=1e-12)


def test_heading_and_tilt_are_read_off() -> None:
    for a, b in ANGLES:
        assert math.cos(yaw_of(about_z(a)) - a) == pytest.approx(1.0)
        assert math.cos(math.radians(tilt_deg(turned_about_z(about_y(b), a)))) == pytest.approx(math.cos(b), abs=1e-9)


def test_a_camera_looks_along_its_heading_and_has_no_roll() -> None:
    for yaw, pitch in ANGLES:
        turn = matrix(camera_quat(yaw, pitch))
        ahead = [math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), math.sin(pitch)]
        assert -turn[:, 2] == pytest.approx(ahead, abs=1e-12)
        assert turn[2, 0] == pytest.approx(0.0, abs=1e-12)
