"""Rotations as quaternions (xyzw, world frame with z up): made, composed, and read off.

The embedded simulator decides with it (`backends.mujoco.deciding`): a change here changes the fingerprint. Angles of cameras are in
`kinematics`.
"""

from __future__ import annotations

import math

from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Quat, Vec3

Matrix = tuple[Vec3, Vec3, Vec3]
"""Rows of a rotation matrix, own frame → world."""


def about_z(angle_rad: float) -> Quat:
    """A turn about the vertical, counter-clockwise seen from above."""
    return (0.0, 0.0, math.sin(angle_rad / 2), math.cos(angle_rad / 2))


def about_y(angle_rad: float) -> Quat:
    """A turn about the y axis: what points up tips towards +x."""
    return (0.0, math.sin(angle_rad / 2), 0.0, math.cos(angle_rad / 2))


def turned_about_z(attitude: Quat, angle_rad: float) -> Quat:
    """An attitude, then turned about the world's vertical, counter-clockwise seen from above."""
    (_, _, z, w), (x0, y0, z0, w0) = about_z(angle_rad), attitude
    return (w * x0 - z * y0, w * y0 + z * x0, w * z0 + z * w0, w * w0 - z * z0)


def camera_quat(yaw_rad: float, pitch_rad: float) -> Quat:
    """A level camera that looks along the heading `yaw_rad` (0 = +x, counter-clockwise), raised by `pitch_rad`."""
    # Rz(yaw − 90°) · Rx(90° + pitch): the identity camera looks down with +y up.
    a, b = (yaw_rad - math.pi / 2) / 2, (math.pi / 2 + pitch_rad) / 2
    return (math.cos(a) * math.sin(b), math.sin(a) * math.sin(b), math.sin(a) * math.cos(b), math.cos(a) * math.cos(b))


def unit_matrix(q: Quat) -> Matrix:
    """The matrix of a quaternion of length one, taken as it is; `kinematics.rotation_matrix` brings it to that length first."""
    x, y, z, w = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def yaw_of(q: Quat) -> float:
    """Heading of the frame's x axis about world z, radians."""
    x, y, z, w = q
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def tilt_deg(q: Quat) -> float:
    """Angle between the frame's z axis and world up, degrees."""
    return math.degrees(math.acos(max(-1.0, min(1.0, rotation_matrix(q)[2][2]))))
