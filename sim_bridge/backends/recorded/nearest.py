"""Which recorded view a camera action leads to.

The action says where it would lead: the ideal pose, by the published kinematics, with the recording's own step instead of 0.25 m and 15°.
How far a view is from there is counted in steps: metres by `step_m` plus the angle between the two orientations by `step_deg`. The nearest
view is shown, if it is **less than one step away**: nearer to where the action would lead than where one stands. Else there is no view in
that direction, and the camera stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim_bridge.kinematics import angle_between_deg, apply_camera_action
from sim_bridge.spec import Pose

NEAR = 1.0
"""A view counts as being there when it is less than so many steps away."""


def steps_between(a: Pose, b: Pose, step_m: float, step_deg: float) -> float:
    """How far two poses are apart, in steps of a recording."""
    return math.dist(a.position_m, b.position_m) / step_m + angle_between_deg(a.quaternion_xyzw, b.quaternion_xyzw) / step_deg


def nearest(poses: Sequence[Pose], to: Pose, step_m: float, step_deg: float) -> int | None:
    """The index of the pose nearest to `to`; the first of several that are; None: none is less than a step away."""
    away, index = min((steps_between(pose, to, step_m, step_deg), index) for index, pose in enumerate(poses))
    return index if away < NEAR else None


def after(poses: Sequence[Pose], here: int, action: str, step_m: float, step_deg: float) -> int | None:
    """Where a camera action leads from view `here`; None: there is no view in that direction.

    An action that leads nowhere by itself (down, on the floor) leaves the camera where it is.
    """
    ideal = apply_camera_action(poses[here], action, step_m=step_m, turn_deg=step_deg)
    if ideal == poses[here]:
        return here
    found = nearest(poses, ideal, step_m, step_deg)
    return None if found == here else found
