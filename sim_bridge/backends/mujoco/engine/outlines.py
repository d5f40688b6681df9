"""Where a shape lies in the current view, from poses alone: the rectangle around it, and how much of another it would hide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_bridge.backends.mujoco.engine.building import rotation
from sim_bridge.backends.mujoco.engine.session import Session
from sim_bridge.backends.mujoco.meshes.shapes import Array

NEAREST_M = 0.01
"""Points nearer to the eye's plane than this are not drawn."""


@dataclass(frozen=True)
class Outline:
    """A rectangle in the picture, whose sides lie at −1 and 1."""

    low: Array
    high: Array
    nearest_m: float
    farthest_m: float
    """Distances of the shape's points from the eye."""
    whole: bool
    """Whether the shape lies wholly in the picture."""

    def hides(self, other: Outline) -> float:
        """The share of another rectangle that lies behind this one, 0 to 1; 0 where this one is not before it."""
        if self.nearest_m + self.farthest_m >= other.nearest_m + other.farthest_m:
            return 0.0
        common = np.minimum(self.high, other.high) - np.maximum(self.low, other.low)
        return float(np.prod(np.maximum(common, 0.0)) / np.prod(other.high - other.low))


def outline(s: Session, points: Array) -> Outline | None:
    """The rectangle of world points (N, 3) in the current view; None: nothing of it is in the picture."""
    camera = s.world.scene.camera
    across = math.tan(math.radians(camera.hfov_deg) / 2)
    own = (points - np.array(s.camera.position_m)) @ rotation(s.camera.quaternion_xyzw)
    drawn = own[-own[:, 2] > NEAREST_M]
    if not len(drawn):
        return None
    picture = drawn[:, :2] / -drawn[:, 2:] / (across, across * camera.height / camera.width)
    low, high = np.maximum(picture.min(0), -1.0), np.minimum(picture.max(0), 1.0)
    if (high - low <= 0.0).any():
        return None
    away = np.linalg.norm(own, axis=1)
    whole = len(drawn) == len(own) and bool((np.abs(picture) < 1.0).all())
    return Outline(low, high, float(away.min()), float(away.max()), whole)
