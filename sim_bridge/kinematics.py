"""Published camera kinematics (ESI-Bench's released runner) as pure functions on `Pose`; every backend uses these.

right = R·(1, 0, 0); the heading is horizontal and perpendicular to it, whatever the pitch. Moves are 0.25 m along the heading,
along the horizontal right, or along world z; turns are 15° about world z, pitches 15° about the camera's own x axis, without a clamp.
A scene's camera may have wider steps (`Camera.move_step_m`, `Camera.turn_step_deg`); all else is the same then.

Exactness: an orientation is R = Rz(yaw)·Ry(roll)·Rx(pitch), in which a turn adds to yaw alone and a pitch to pitch alone.
Angles are rounded to 9 decimals of a degree and positions to 12 decimals of a metre, far coarser than what floats lose and far finer
than what a renderer resolves. So actions that cancel return the very same pose, bit for bit, in whatever order they come: no drift,
however long the episode.
"""

from __future__ import annotations

import math

from sim_bridge.actions import CAMERA_ACTIONS, MIN_CAMERA_Z_M, MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.spec import Camera, Pose, Quat, Vec3

POSITION_DECIMALS = 12
"""Positions in metres; up to 1 km a float holds them to 1e-13."""
ANGLE_DECIMALS = 9
"""Angles in degrees; a round trip through a quaternion loses about 1e-14°."""

_TURNS = {"turn_left": 1.0, "turn_right": -1.0}
_PITCHES = {"turn_up": 1.0, "turn_down": -1.0}


def apply_camera_action(pose: Pose, action: str, *, step_m: float = MOVE_STEP_M, turn_deg: float = TURN_STEP_DEG) -> Pose:
    """The camera pose after one camera action.

    Args:
        pose: world pose before; any unit quaternion.
        action: one of the ten names in `CAMERA_ACTIONS`.
        step_m: how far a move leads, metres; another than the published one where views were recorded at other distances, or where the
            scene's camera says so (`moved`).
        turn_deg: how far a turn leads, degrees; the same holds.

    Returns:
        The pose after, in canonical form (see `canonical`).

    Raises:
        ValueError: `action` is no camera action.

    Example:
        >>> apply_camera_action(looking(0.0, 0.0, 1.5), "move_forward").position_m
        (0.0, 0.25, 1.5)
    """
    if action not in CAMERA_ACTIONS:
        raise ValueError(f"no camera action: got {action!r}, expected one of {', '.join(CAMERA_ACTIONS)}")
    x, y, z = _snap_position(pose.position_m)
    yaw, roll, pitch = angles_deg(pose.quaternion_xyzw)
    if action in _TURNS:
        yaw = _wrap(yaw + turn_deg * _TURNS[action])
    elif action in _PITCHES:
        pitch = _wrap(pitch + turn_deg * _PITCHES[action])
    elif action == "move_up":
        z += step_m
    elif action == "move_down":
        z = max(MIN_CAMERA_Z_M, z - step_m)
    else:
        dx, dy = _horizontal_step(yaw, action, step_m)
        x, y = x + dx, y + dy
    return Pose(_snap_position((x, y, z)), _quaternion(yaw, roll, pitch))


def moved(camera: Camera, pose: Pose, action: str) -> Pose:
    """The pose after one camera action, by the steps of a scene's camera; see `apply_camera_action`."""
    return apply_camera_action(pose, action, step_m=camera.move_step_m, turn_deg=camera.turn_step_deg)


def canonical(pose: Pose) -> Pose:
    """The rounded pose; idempotent. A host passes start poses through this, so that an action and its inverse
    give back the first pose exactly.

    Raises:
        ValueError: the quaternion has no direction (all zeros) or a number is not finite.
    """
    return Pose(_snap_position(pose.position_m), _quaternion(*angles_deg(pose.quaternion_xyzw)))


def looking(x_m: float, y_m: float, z_m: float, yaw_deg: float = 0.0, pitch_deg: float = 0.0) -> Pose:
    """An upright camera at a world position.

    Args:
        yaw_deg: heading, counter-clockwise seen from above; 0 looks along +y, 90 along −x.
        pitch_deg: 0 looks level, positive up, −90 straight down.
    """
    return canonical(Pose((x_m, y_m, z_m), _quaternion(yaw_deg, 0.0, pitch_deg + 90.0)))


def heading(pose: Pose) -> tuple[float, float]:
    """Unit vector (x, y) that `move_forward` follows, world frame."""
    yaw = math.radians(angles_deg(pose.quaternion_xyzw)[0])
    return -math.sin(yaw), math.cos(yaw)


def angles_deg(quaternion: Quat) -> tuple[float, float, float]:
    """(yaw, roll, pitch) in degrees, rounded, with R = Rz(yaw)·Ry(roll)·Rx(pitch); pitch 0 looks straight down, 90 is level.

    yaw and pitch lie in [0, 360), roll in [−90, 90]; roll is 0 for every upright camera. Where the right axis is
    vertical (roll ±90°, no camera of any released task) yaw is taken as 0.
    """
    norm = math.sqrt(sum(c * c for c in quaternion))
    if not (math.isfinite(norm) and norm > 1e-9):
        raise ValueError(f"no orientation: got quaternion_xyzw {quaternion!r}, expected a unit quaternion")
    x, y, z, w = (c / norm for c in quaternion)
    r00, r10, r20 = 1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)
    roll = math.degrees(math.atan2(-r20, math.hypot(r00, r10)))
    if math.hypot(r00, r10) < 1e-6:
        r01, r11 = 2 * (x * y - z * w), 1 - 2 * (x * x + z * z)
        return 0.0, round(roll, ANGLE_DECIMALS) + 0.0, _wrap(math.degrees(math.atan2(math.copysign(1.0, -r20) * r01, r11)))
    r21, r22 = 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    yaw, pitch = math.degrees(math.atan2(r10, r00)), math.degrees(math.atan2(r21, r22))
    return _wrap(yaw), round(roll, ANGLE_DECIMALS) + 0.0, _wrap(pitch)


def rotation_matrix(quaternion: Quat) -> tuple[Vec3, Vec3, Vec3]:
    """Rows of the rotation matrix camera → world: columns are right, up, and backward (the camera looks along −z)."""
    norm = math.sqrt(sum(c * c for c in quaternion))
    x, y, z, w = (c / norm for c in quaternion)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def angle_between_deg(a: Quat, b: Quat) -> float:
    """Rotation angle between two unit orientations in degrees, q and −q being the same."""
    na, nb = math.sqrt(sum(c * c for c in a)), math.sqrt(sum(c * c for c in b))
    minus = math.sqrt(sum((p / na - q / nb) ** 2 for p, q in zip(a, b, strict=True)))
    plus = math.sqrt(sum((p / na + q / nb) ** 2 for p, q in zip(a, b, strict=True)))
    return math.degrees(4.0 * math.asin(min(1.0, min(minus, plus) / 2.0)))


def _horizontal_step(yaw_deg: float, action: str, step_m: float) -> tuple[float, float]:
    """Displacement (x, y) in metres of a horizontal move."""
    yaw = math.radians(yaw_deg)
    right, forward = (math.cos(yaw), math.sin(yaw)), (-math.sin(yaw), math.cos(yaw))
    axis, sign = {
        "move_forward": (forward, 1.0),
        "move_backward": (forward, -1.0),
        "move_right": (right, 1.0),
        "move_left": (right, -1.0),
    }[action]
    # Rounded before it is added, so that adding and subtracting it cancel.
    return sign * round(step_m * axis[0], POSITION_DECIMALS), sign * round(step_m * axis[1], POSITION_DECIMALS)


def _quaternion(yaw_deg: float, roll_deg: float, pitch_deg: float) -> Quat:
    """Unit quaternion xyzw of Rz(yaw)·Ry(roll)·Rx(pitch), sign chosen so that w ≥ 0 (then the first non-zero of z, y, x is positive)."""
    (cz, sz), (cy, sy), (cx, sx) = ((math.cos(math.radians(a) / 2), math.sin(math.radians(a) / 2)) for a in (yaw_deg, roll_deg, pitch_deg))
    x = cz * cy * sx - sz * sy * cx
    y = cz * sy * cx + sz * cy * sx
    z = sz * cy * cx - cz * sy * sx
    w = cz * cy * cx + sz * sy * sx
    # Half-turns leave residues of 1e-17 whose sign would otherwise decide the sign of the whole quaternion.
    x, y, z, w = (0.0 if abs(c) < 1e-15 else c for c in (x, y, z, w))
    leading = next((c for c in (w, z, y, x) if c != 0.0), 1.0)
    sign = -1.0 if leading < 0.0 else 1.0
    return sign * x + 0.0, sign * y + 0.0, sign * z + 0.0, sign * w + 0.0


def _wrap(degrees: float) -> float:
    """The angle in [0, 360), rounded last, so that equal decimals are equal floats."""
    return round(degrees % 360.0, ANGLE_DECIMALS) % 360.0


def _snap_position(position_m: Vec3) -> Vec3:
    if not all(math.isfinite(c) for c in position_m):
        raise ValueError(f"position must be finite: got {position_m!r}")
    x, y, z = (round(c, POSITION_DECIMALS) + 0.0 for c in position_m)
    return x, y, z
