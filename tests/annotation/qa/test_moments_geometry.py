"""Geometry of synthetic cameras: projections, epipolar lines, the camera-bound frame, the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from annotation.qa.scenes import geometry


@dataclass(frozen=True)
class Lens:
    width: int
    height: int
    k: Any
    world_to_camera: Any


def looking(place: Any, at: Any, up: tuple[float, float, float] = (0.0, 0.0, 1.0), focal: float = 500.0) -> Lens:
    """A camera at `place` that looks at `at`."""
    forward = np.subtract(at, place) / np.linalg.norm(np.subtract(at, place))
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward])
    pose[:3, 3] = -pose[:3, :3] @ np.asarray(place, float)
    return Lens(640, 480, [[focal, 0, 320], [0, focal, 240], [0, 0, 1]], pose.tolist())


FRONT = looking((0, -1.5, 1.2), (0, 0, 0))
SIDE = looking((1.4, -0.6, 0.9), (0, 0, 0.1), focal=420)


def test_a_point_at_the_aim_lies_in_the_middle_and_higher_points_lie_higher() -> None:
    pixels, depth = geometry.project(FRONT, [[0, 0, 0], [0, 0, 0.1], [0.1, 0, 0]])
    assert pixels[0] == pytest.approx([320, 240]) and depth[0] == pytest.approx(np.hypot(1.5, 1.2))
    assert pixels[1][1] < 240 and pixels[1][0] == pytest.approx(320)
    assert pixels[2][0] > 320


def test_the_epipolar_line_of_a_point_runs_through_its_other_image() -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.4, 0.4, (40, 3))
    matrix = geometry.fundamental(FRONT, SIDE)
    assert matrix is not None
    here, there = geometry.project(FRONT, points)[0], geometry.project(SIDE, points)[0]
    lines = np.c_[here, np.ones(40)] @ matrix.T
    distances = np.abs((lines * np.c_[there, np.ones(40)]).sum(1)) / np.hypot(lines[:, 0], lines[:, 1])
    assert distances.max() < 1e-6
    wrong = np.abs((lines * np.c_[np.roll(there, 1, 0), np.ones(40)]).sum(1)) / np.hypot(lines[:, 0], lines[:, 1])
    assert np.median(wrong) > 5


def test_cameras_at_one_place_have_no_epipolar_lines() -> None:
    assert geometry.fundamental(FRONT, looking((0, -1.5, 1.2), (0.3, 0, 0))) is None


def test_the_camera_bound_frame_is_level_right_handed_and_looks_forward() -> None:
    axes = geometry.bound_frame(SIDE)
    assert axes is not None
    assert axes @ axes.T == pytest.approx(np.eye(3)) and np.linalg.det(axes) == pytest.approx(1)
    assert axes[2] == pytest.approx([0, 0, 1])
    assert axes[1] @ np.array([-1.4, 0.6, 0]) > 0
    # what lies on the +x side is seen on the right
    right, _ = geometry.project(SIDE, [0.2 * axes[0], -0.2 * axes[0]])
    assert right[0][0] > right[1][0]
    assert geometry.bound_frame(looking((0, 0, 2), (0, 0, 0), up=(0, 1, 0))) is None


def test_the_grid_holds_the_points_and_its_matrix_projects_as_the_camera_does() -> None:
    axes = geometry.bound_frame(FRONT)
    assert axes is not None
    points = np.random.default_rng(1).uniform([-0.3, -0.2, 0], [0.3, 0.2, 0.1], (30, 3))
    grid = geometry.grid_around(axes, points)
    inner = grid.coordinates(points)
    assert inner.min() >= 0 and inner.max() <= 5
    assert grid.cell[2] == pytest.approx(0.05), "a flat scene still gets a grid of a quarter metre height"
    assert grid.to_world(inner) == pytest.approx(points)
    flat = np.c_[inner, np.ones(30)] @ grid.matrix(FRONT).T
    assert flat[:, :2] / flat[:, 2:] == pytest.approx(geometry.project(FRONT, points)[0])


def test_a_solid_is_boxed_cut_at_the_edge_or_not_seen() -> None:
    size, pose = (0.1, 0.1, 0.1), (0, 0, 0.05, 1, 0, 0, 0)
    box = geometry.bounds(FRONT, size, pose)
    assert box is not None
    pixels, _ = geometry.project(FRONT, geometry.corners(size, pose))
    assert box[0] == pytest.approx(pixels.min(0)) and box[1] == pytest.approx(pixels.max(0))
    edge = geometry.bounds(FRONT, size, (1.22, 0, 0.05, 1, 0, 0, 0))
    assert edge is not None and edge[1][0] == 640
    assert geometry.bounds(FRONT, size, (5, 0, 0, 1, 0, 0, 0)) is None
    assert geometry.bounds(FRONT, size, (0, -3, 1.2, 1, 0, 0, 0)) is None, "behind the camera"


def test_a_turned_solid_has_turned_corners() -> None:
    half = np.sqrt(0.5)
    turned = geometry.corners((0.4, 0.2, 0.1), (1, 2, 3, half, 0, 0, half))
    assert np.ptp(turned, axis=0) == pytest.approx([0.2, 0.4, 0.1]) and turned.mean(0) == pytest.approx([1, 2, 3])


def test_overlap_of_boxes() -> None:
    a = ((0.0, 0.0), (10.0, 10.0))
    assert geometry.overlap(a, a) == 1 and geometry.overlap(a, ((5.0, 0.0), (15.0, 10.0))) == pytest.approx(1 / 3)
    assert geometry.overlap(a, ((20.0, 20.0), (30.0, 30.0))) == 0
