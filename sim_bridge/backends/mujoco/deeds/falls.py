"""What was put on a thing and does not stay there: followed until it rests, and told."""

from __future__ import annotations

import math

import numpy as np

from sim_bridge.backends.mujoco.deeds.stage import Stage
from sim_bridge.backends.mujoco.engine import judging
from sim_bridge.backends.mujoco.engine.building import Placed
from sim_bridge.backends.mujoco.engine.session import Session, pose_of
from sim_bridge.spec import Pose

STILL = 0.05
"""What moves no faster (m/s, rad/s) once it has settled is at rest: nothing more is waited for."""
FALL_S, FALL_PARTS = 0.3, 5
"""What still moves is followed in so many parts of so long at most, each with a picture before it: a bottle that topples off an orange
lies after 1.3 s."""
FALLEN_M = 0.03
"""What stays on a thing keeps within this distance of where it was let go."""


def come_to_rest(stage: Stage, p: Placed, target: Placed, let_go: Pose) -> None:
    """Follow what was put on something until it rests, and say where it is if that is not on it.

    Args:
        stage: of the action, after the usual settling.
        p: what was put down.
        target: what it was put on.
        let_go: where it was let go.
    """
    s = stage.s
    for _ in range(FALL_PARTS if p.dynamic else 0):
        if _speed(s, p) < STILL:
            break
        stage.take_picture()
        stage.run(FALL_S)
    lies = judging.lies(s, p, target)
    if lies == "inside":
        stage.ended = f"{p.handle} is inside {target.handle} now"
    elif not lies and math.dist(pose_of(s, p).position_m, let_go.position_m) > FALLEN_M:
        stage.ended = f"{p.handle} did not stay on {target.handle}"


def _speed(s: Session, p: Placed) -> float:
    """The largest part of its velocity, m/s or rad/s."""
    return float(np.abs(s.data.qvel[p.dof : p.dof + 6]).max())
