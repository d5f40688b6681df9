"""Camera mathematics of the viewer camera: lens from field of view, what a box covers in a picture, when a picture has settled.

OmniGibson's camera looks along its own −z with +x right and +y up and takes quaternions with the scalar last, as the bridge does, so poses
need no conversion. Its vertical field of view follows from square pixels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim_bridge.kinematics import angle_between_deg, rotation_matrix
from sim_bridge.spec import Camera, PixelBox, Pose, Vec3

T = TypeVar("T")

POSITION_TOLERANCE_M = 1e-4
ANGLE_TOLERANCE_DEG = 0.02
"""What single precision loses of a camera's pose within a hundred metres."""
DEPTH_TOLERANCE_M = 0.05
"""How far behind its own box a pixel may lie and still show the thing."""


def focal_length_mm(hfov_deg: float, aperture_mm: float) -> float:
    """Focal length that gives a horizontal field of view.

    Args:
        hfov_deg: horizontal field of view, degrees.
        aperture_mm: horizontal aperture of the camera, millimetres.

    Example:
        >>> round(focal_length_mm(100.0, 20.955), 2)
        8.79
    """
    return aperture_mm / (2.0 * math.tan(math.radians(hfov_deg) / 2.0))


def hfov_deg(focal_mm: float, aperture_mm: float) -> float:
    """Horizontal field of view of a lens, degrees."""
    return math.degrees(2.0 * math.atan(aperture_mm / (2.0 * focal_mm)))


def vfov_deg(camera: Camera) -> float:
    """Vertical field of view of a scene's camera, degrees."""
    return math.degrees(2.0 * math.atan(math.tan(math.radians(camera.hfov_deg) / 2.0) * camera.height / camera.width))


def same_place(wanted: Pose, got: Pose, metres: float = POSITION_TOLERANCE_M, degrees: float = ANGLE_TOLERANCE_DEG) -> bool:
    """Whether two poses agree within tolerances."""
    near = math.dist(wanted.position_m, got.position_m) <= metres
    return near and angle_between_deg(wanted.quaternion_xyzw, got.quaternion_xyzw) <= degrees


def projected(camera: Camera, pose: Pose, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where points fall in the picture.

    Args:
        points: (N, 3), world frame, metres.

    Returns:
        (N, 2) pixels, (0, 0) the top left corner; (N,) distance before the camera along its axis, metres, negative behind it.
    """
    local = (points - np.array(pose.position_m)) @ np.array(rotation_matrix(pose.quaternion_xyzw))
    ahead = -local[:, 2]
    focal = camera.width / 2 / math.tan(math.radians(camera.hfov_deg) / 2)
    safe = np.where(np.abs(ahead) < 1e-9, 1e-9, ahead)
    pixels = np.stack([camera.width / 2 + focal * local[:, 0] / safe, camera.height / 2 - focal * local[:, 1] / safe], axis=1)
    return pixels, ahead


def box_in_view(camera: Camera, pose: Pose, low: Vec3, high: Vec3) -> tuple[PixelBox, float, float] | None:
    """The rectangle that a world box covers, and how near and far it lies.

    Returns:
        Pixels cut at the picture's edges, nearest and farthest distance along the axis in metres; None: it is behind, or beside the view.
    """
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))), dtype=np.float64)
    pixels, ahead = projected(camera, pose, corners)
    if (ahead <= 0.01).all():
        return None
    pixels, ahead = pixels[ahead > 0.01], ahead[ahead > 0.01]
    x0, y0 = (max(0, math.floor(v)) for v in pixels.min(axis=0))
    x1, y1 = min(camera.width, math.ceil(pixels[:, 0].max())), min(camera.height, math.ceil(pixels[:, 1].max()))
    return ((x0, y0, x1, y1), float(ahead.min()), float(ahead.max())) if x0 < x1 and y0 < y1 else None


def shown_by_depth(camera: Camera, pose: Pose, low: Vec3, high: Vec3, depth_m: NDArray[np.float32]) -> int:
    """About how many pixels show a thing, without segmentation: those of its rectangle whose depth lies within its box.

    Args:
        camera: size and field of view of the picture.
        pose: of the camera.
        low, high: least and greatest corner of the thing's box, world frame, metres.
        depth_m: (H, W) distance along the camera's axis, metres.
    """
    found = box_in_view(camera, pose, low, high)
    if found is None:
        return 0
    (x0, y0, x1, y1), near, far = found
    part = depth_m[y0:y1, x0:x1]
    return int(((part >= near - DEPTH_TOLERANCE_M) & (part <= far + DEPTH_TOLERANCE_M)).sum())


def settled(
    render: Callable[[], None], look: Callable[[], T], pixels: Callable[[T], NDArray[np.uint8]], least: int, most: int
) -> tuple[T, int, bool]:
    """Render until two pictures in a row are the same: the renderer lags behind the scene by a few frames.

    Args:
        render: renders once.
        look: reads what was rendered.
        pixels: (H, W, 3) of what was read.
        least: renders before the first look.
        most: renders after which the last picture is taken as it is.

    Returns:
        What was read last, the number of renders, and whether the last two were the same (mean difference below one of 255 levels).
    """
    for _ in range(least):
        render()
    seen = look()
    for count in range(least + 1, most + 1):
        render()
        again = look()
        if alike(pixels(seen), pixels(again)):
            return again, count, True
        seen = again
    return seen, max(least, most), False


def alike(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> bool:
    """Whether two pictures differ by less than one of 255 levels on average."""
    return a.shape == b.shape and float(np.abs(a.astype(np.int16) - b.astype(np.int16)).mean()) < 1.0


def as_pose(position: Sequence[float], quaternion: Sequence[float]) -> Pose:
    """A pose of plain numbers, its quaternion of length one."""
    x, y, z = (float(v) for v in position)
    length = math.sqrt(sum(float(q) ** 2 for q in quaternion)) or 1.0
    a, b, c, d = (float(q) / length for q in quaternion)
    return Pose((x, y, z), (a, b, c, d))
