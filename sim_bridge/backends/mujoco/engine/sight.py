"""What a picture needs of a world: which shapes may be left out of it, and how narrow its shadow map may be.

Leaving out is exact: a shape is left out only if neither it nor its shadow reaches into the view, so no pixel changes. Drawing without a
graphics card takes as long for what is behind the camera as for what is before it.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.rooms import lights
from sim_bridge.spec import Scene

SHADOW_REACH_M = 15.0
"""A shadow is followed this far beyond what casts it, which is farther than any room is wide."""
NEAR_M = 0.01
"""What is nearer to the camera than this is not drawn (`world.build`)."""
RAYS = 17, 13
"""Lines of sight by which the seen part of a room is found, across and up."""
WIDER = 1.12
"""The shadow map is wider than those lines by this factor: the farthest corner may lie between two of them."""
NARROWEST_DEG = 15.0


class Sight:
    """The view of one camera in one world. A function of the scene, the camera's pose and where things are: frames repeat."""

    def __init__(self, scene: Scene, model: mujoco.MjModel) -> None:
        c, r = scene.camera, scene.room
        x = math.tan(math.radians(c.hfov_deg) / 2)
        self._half = np.array([x, x * c.height / c.width])
        signs = np.array([(a, b, d) for a in (-1, 1) for b in (-1, 1) for d in (-1, 1)], float)
        self._corners = model.geom_aabb[:, None, :3] + signs * model.geom_aabb[:, None, 3:]
        self._whole = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE.value
        self._spot = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_LIGHT, "spot"))
        self._night = scene.lighting == "night"
        """The scene's lamps cast the shadows then, each in its own narrow cone."""
        x0, y0, x1, y1 = r.bounds_m
        self._box = np.array([[x0, y0, r.floor_z_m], [x1, y1, r.floor_z_m + r.height_m]])
        across, up = np.meshgrid(np.linspace(-1, 1, RAYS[0]) * self._half[0], np.linspace(-1, 1, RAYS[1]) * self._half[1])
        self._rays = np.stack([across.ravel(), up.ravel(), -np.ones(across.size)], 1)

    def unneeded(self, data: mujoco.MjData, position: Array, rotation: Array) -> NDArray[np.bool_]:
        """Which geoms neither show in a picture from a camera pose (rotation camera → world) nor cast a shadow into it.

        Of what a mirror shows nothing is known here.
        """
        if self._night:
            return np.zeros(len(data.geom_xpos), bool)
        corners = data.geom_xpos[:, None] + self._corners @ data.geom_xmat.reshape(-1, 3, 3).swapaxes(1, 2)
        light = data.light_xpos[self._spot]
        near = np.maximum(np.linalg.norm(corners - light, axis=2).min(1), 0.1)
        shadows = corners + (corners - light) * (SHADOW_REACH_M / near)[:, None, None]
        seen = np.concatenate([corners, shadows], 1) @ rotation - position @ rotation
        ahead = -seen[..., 2]
        beyond = [ahead < NEAR_M]
        for axis, half in enumerate(self._half):
            beyond += [seen[..., axis] > half * ahead, seen[..., axis] < -half * ahead]
        return np.asarray(np.any([b.all(1) for b in beyond], axis=0) & ~self._whole)

    def shadow_scale(self, data: mujoco.MjData, position: Array, rotation: Array) -> float:
        """Share of the light's cone that the shadow map spans: as far as the camera sees the room, and at most `lights.SHADOW_DEG`."""
        if self._night:
            return 1.0
        most = lights.SHADOW_DEG / lights.CUTOFF_DEG
        low, high = self._box
        if not ((position > low) & (position < high)).all():
            return most
        rays = self._rays @ rotation.T
        with np.errstate(divide="ignore"):
            far = np.where(rays > 0, (high - position) / rays, np.where(rays < 0, (low - position) / rays, np.inf)).min(1)
        seen = np.concatenate([position + rays * far[:, None], position[None]]) - data.light_xpos[self._spot]
        cosine = seen @ data.light_xdir[self._spot] / np.maximum(np.linalg.norm(seen, axis=1), 1e-9)
        if cosine.min() < 0.02:
            return most
        widest = math.degrees(math.atan(math.tan(math.acos(min(float(cosine.min()), 1.0))) * WIDER))
        return min(most, max(widest, NARROWEST_DEG) / lights.CUTOFF_DEG)
