"""Cameras as geometry: projections, epipolar lines, the camera-bound frame and the 5×5×5 grid in it.

A camera looks along +z of its own frame, x to the right and y down (OpenCV). Points of the world are metres, z up. Pixels are those of
marks: continuous, (0, 0) the top-left corner of the top-left pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_bridge.rotations import unit_matrix

Array = NDArray[np.float64]
Box = tuple[tuple[float, float], tuple[float, float]]
"""Top-left and bottom-right, pixels."""

UP: tuple[float, float, float] = (0.0, 0.0, 1.0)
NEAR_M = 0.01
"""What is nearer to the camera than this is not projected."""
GRID = 5
"""Cells along each axis."""


class Camera(Protocol):
    """What is known of a view's camera at one moment (`data.robot.records.Camera`)."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def k(self) -> Any:
        """3×3, pixels."""

    @property
    def world_to_camera(self) -> Any:
        """4×4, metres; None where only the intrinsics are known."""


def calibrated(camera: Camera) -> bool:
    """Whether points of the world can be projected."""
    return camera.world_to_camera is not None


def project(camera: Camera, points: Any) -> tuple[Array, Array]:
    """Points of the world → pixels.

    Args:
        camera: calibrated.
        points: (n, 3), metres.

    Returns:
        Pixels (n, 2) and depths (n,), metres along the optical axis; pixels of points behind the camera mean nothing.
    """
    pose = np.asarray(camera.world_to_camera, float)
    seen = np.asarray(points, float).reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3]
    flat = seen @ np.asarray(camera.k, float).T
    depth = seen[:, 2]
    return flat[:, :2] / np.where(np.abs(depth) < 1e-9, 1e-9, depth)[:, None], depth


def inside(camera: Camera, pixel: Sequence[float]) -> bool:
    """Whether a pixel lies in the image."""
    return 0 <= pixel[0] <= camera.width and 0 <= pixel[1] <= camera.height


def fundamental(one: Camera, other: Camera) -> Array | None:
    """The matrix F that maps a pixel of `one` to its epipolar line (a, b, c) in `other`: a·x + b·y + c = 0.

    Returns:
        (3, 3) of Frobenius norm 1; None where both cameras stand at the same place, so that a point has no line.
    """
    pose, other_pose = np.asarray(one.world_to_camera, float), np.asarray(other.world_to_camera, float)
    move = other_pose @ np.linalg.inv(pose)
    rotation, shift = move[:3, :3], move[:3, 3]
    if np.linalg.norm(shift) < 1e-6:
        return None
    cross = np.array([[0, -shift[2], shift[1]], [shift[2], 0, -shift[0]], [-shift[1], shift[0], 0]])
    matrix = np.linalg.inv(np.asarray(other.k, float)).T @ cross @ rotation @ np.linalg.inv(np.asarray(one.k, float))
    return np.asarray(matrix / np.linalg.norm(matrix), float)


def rotation(quaternion_wxyz: Sequence[float]) -> Array:
    """The 3×3 rotation of a quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(quaternion_wxyz, float) / np.linalg.norm(quaternion_wxyz)
    return np.array(unit_matrix((x, y, z, w)))


def corners(size: Sequence[float], pose: Sequence[float]) -> Array:
    """The eight corners (8, 3) of a box in the world, from its full extents (metres) and its pose [x, y, z, qw, qx, qy, qz]."""
    signs = np.array([[sx, sy, sz] for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)])
    return np.asarray(signs * (np.asarray(size, float) / 2) @ rotation(pose[3:7]).T + np.asarray(pose[:3], float))


def bounds(camera: Camera, size: Sequence[float], pose: Sequence[float]) -> Box | None:
    """The box around a solid's projection, cut at the image's edges; None where it is not in the image or reaches behind the camera."""
    pixels, depth = project(camera, corners(size, pose))
    if depth.min() < NEAR_M:
        return None
    low, high = np.maximum(pixels.min(0), 0), np.minimum(pixels.max(0), [camera.width, camera.height])
    if (high - low).min() <= 0:
        return None
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def area(box: Box) -> float:
    """Square pixels."""
    (x0, y0), (x1, y1) = box
    return max(0.0, x1 - x0) * max(0.0, y1 - y0)


def shared(a: Box, b: Box) -> float:
    """Common area of two boxes, square pixels."""
    return area(
        (
            (max(a[0][0], b[0][0]), max(a[0][1], b[0][1])),
            (min(a[1][0], b[1][0]), min(a[1][1], b[1][1])),
        )
    )


def overlap(a: Box, b: Box) -> float:
    """Shared area by joint area, 0 to 1."""
    common = shared(a, b)
    joint = area(a) + area(b) - common
    return common / joint if joint > 0 else 0.0


def bound_frame(camera: Camera, up: Sequence[float] = UP) -> Array | None:
    """The camera-bound frame: z against gravity, y the viewing direction laid level, x = y × z.

    Returns:
        (3, 3): rows are the x, y and z axes in the world; None where the camera looks straight up or down.
    """
    z = np.asarray(up, float) / np.linalg.norm(up)
    axis = np.asarray(camera.world_to_camera, float)[2, :3]
    level = axis - axis @ z * z
    if np.linalg.norm(level) < 1e-3:
        return None
    y = level / np.linalg.norm(level)
    return np.stack([np.cross(y, z), y, z])


@dataclass(frozen=True)
class Grid:
    """A 5×5×5 grid in a camera-bound frame."""

    axes: Array
    """(3, 3): rows are x, y, z in the world."""
    low: Array
    """(3,): the near left low corner in the frame's own coordinates, metres."""
    cell: Array
    """(3,): size of a cell along each axis, metres."""

    def coordinates(self, points: Any) -> Array:
        """Points of the world (n, 3) → grid coordinates (n, 3), 0 to 5 inside the grid."""
        return (np.asarray(points, float).reshape(-1, 3) @ self.axes.T - self.low) / self.cell

    def to_world(self, points: Any) -> Array:
        """Grid coordinates (n, 3) → points of the world (n, 3)."""
        return (np.asarray(points, float).reshape(-1, 3) * self.cell + self.low) @ self.axes

    def matrix(self, camera: Camera) -> Array:
        """(3, 4): grid coordinates → pixels of `camera`, homogeneous."""
        place = np.eye(4)
        place[:3, :3] = self.axes.T * self.cell
        place[:3, 3] = self.low @ self.axes
        return np.asarray(camera.k, float) @ (np.asarray(camera.world_to_camera, float) @ place)[:3]


def grid_around(axes: Array, points: Any, *, margin: float = 0.05, least_m: float = 0.25) -> Grid:
    """The grid whose cells just hold these points.

    Args:
        axes: rows of the camera-bound frame.
        points: (n, 3) in the world: the corners of the objects.
        margin: room on either side, as a share of the extent.
        least_m: the grid is at least so long along each axis, upward from the lowest point and centred otherwise.
    """
    local = np.asarray(points, float).reshape(-1, 3) @ axes.T
    low, extent = local.min(0), np.ptp(local, axis=0)
    low, extent = low - margin * extent, (1 + 2 * margin) * extent
    lacking = np.maximum(0.0, least_m - extent)
    return Grid(axes, low - lacking * np.array([0.5, 0.5, 0.0]), (extent + lacking) / GRID)
