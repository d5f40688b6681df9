"""A made-up recording: at every pose that the checks of the contract visit there is a picture of its own, where ideal steps lead."""

from __future__ import annotations

from functools import cache

import numpy as np

from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backends.recorded.recording import RecordedView, Recording
from sim_bridge.checks.probe import INVERSE, START, TILTED, TOUR
from sim_bridge.kinematics import apply_camera_action, canonical, looking
from sim_bridge.spec import Camera, Pose

CAMERA = Camera(96, 72, 90.0)
DEPTH = 3
"""Every pose that so many actions lead to from the checks' start."""
WALKS: tuple[tuple[Pose, tuple[str, ...]], ...] = (
    (START, TOUR),
    (START, TOUR[3:8]),
    (START, ("turn_left", "move_forward", "turn_up", "move_right", "move_up")),
    (START, ("move_forward", "move_forward", "turn_right", "turn_up", "move_left")),
    (START, ("turn_up",) * 24),
    *((TILTED, (action,) * 3) for action in CAMERA_ACTIONS),
    (TILTED, (*TOUR, "turn_left", "move_forward", "turn_up", "move_left", "turn_down", "move_forward")),
    *((TILTED, (action, INVERSE[action])) for action in CAMERA_ACTIONS),
    *((looking(0.0, -1.5, z), ("move_down",) * 2) for z in (0.2, -0.5)),
    (looking(0.0, -1.0, 1.5, yaw_deg=-30.0, pitch_deg=-90.0), ("move_forward", "move_left", "turn_down", "move_forward")),
    (looking(0.0, -1.5, 0.6), ("move_forward",) * 20),
    (looking(0.3, -1.4, 1.3, yaw_deg=10.0, pitch_deg=-5.0), ()),
    (looking(1.0, -1.0, 1.5, 30.0, -10.0), ()),
    (looking(-1.0, 0.0, 1.0, -60.0), ()),
)


@cache
def sample() -> Recording:
    """The recording."""
    poses = dict.fromkeys([canonical(START)])
    edge = list(poses)
    for _ in range(DEPTH):
        edge = list(dict.fromkeys(apply_camera_action(pose, action) for pose in edge for action in CAMERA_ACTIONS))
        poses |= dict.fromkeys(edge)
    for start, walk in WALKS:
        here = canonical(start)
        poses[here] = None
        for action in walk:
            here = apply_camera_action(here, action)
            poses[here] = None
    views = (RecordedView(f"{n}.png", pose.position_m, pose.quaternion_xyzw) for n, pose in enumerate(poses))
    return Recording(CAMERA, tuple(views))


def picture(index: int) -> np.ndarray:
    """A picture of its own for each view: shape (72, 96, 3), uint8."""
    blocks = np.random.default_rng(index).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    return np.repeat(np.repeat(blocks, 8, axis=0), 8, axis=1)
