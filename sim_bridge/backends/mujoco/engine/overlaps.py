"""Scenes in which one fixed object is swallowed by another cannot be meant: they are refused, with the field's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim_bridge.backends.mujoco.engine import geometry
from sim_bridge.backends.mujoco.engine.geometry import Surface
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Phase, Pose, Scene

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.engine.building import Placed

SWALLOWED_SHARE = 0.8
"""Share of a thing's volume in another's material from which on the scene is refused. Released scenes have up to 0.6 (sandwiches that a
physics engine left in each other); lesser overlaps are flagged by an audit (`judging.audit`)."""
_STEPS = 6
"""Points per axis at which a volume is looked at."""


def refuse(scene: Scene, placed: Sequence[Placed]) -> None:
    """Look at every pair of fixed, opaque, solid objects that are present together.

    Raises:
        SceneError: one of them lies in the other's material, nearly all of it.
    """
    solid = [
        i for i, p in enumerate(placed) if not (p.dynamic or p.model.hollow or p.match.hollow or p.model.cavity or p.model.transparent)
    ]
    for phase in scene.phases or (None,):
        poses = {i: _pose(scene, placed[i], i, phase) for i in solid}
        there = [i for i in solid if phase is None or placed[i].handle not in phase.hidden]
        for k, i in enumerate(there):
            for j in there[k + 1 :]:
                small, large = sorted((i, j), key=lambda n: float(np.prod(placed[n].size_m)))
                if _swallowed(placed[small], poses[small], placed[large], poses[large]) >= SWALLOWED_SHARE:
                    where = f"scene.objects[{max(i, j)}].pose" if phase is None else f"scene.phases[{phase.name}]"
                    raise SceneError(
                        f"{where}: {placed[small].handle} lies inside {placed[large].handle}, which is solid; move one of them, "
                        f"got positions {poses[small].position_m!r} and {poses[large].position_m!r}"
                    )


def _pose(scene: Scene, p: Placed, index: int, phase: Phase | None) -> Pose:
    """Where the middle of a thing's box is in a phase (a moved one that is put on the floor keeps its height)."""
    moved = phase.moved.get(p.handle) if phase is not None else None
    if moved is None:
        return p.home
    o = scene.objects[index]
    x, y, z = moved.position_m
    if o.on_floor:
        return Pose((x, y, p.home.position_m[2]), moved.quaternion_xyzw)
    if o.origin == "base":
        up = np.array(rotation_matrix(moved.quaternion_xyzw))[:, 2] * float(p.size_m[2]) / 2
        return Pose((x + float(up[0]), y + float(up[1]), z + float(up[2])), moved.quaternion_xyzw)
    return moved


def _swallowed(a: Placed, pose_a: Pose, b: Placed, pose_b: Pose) -> float:
    """Share of a's volume that lies in b's material."""
    apart = np.array(pose_a.position_m) - np.array(pose_b.position_m)
    if float(np.linalg.norm(apart)) > float(np.linalg.norm(b.size_m)) / 2:
        return 0.0
    steps = (np.arange(_STEPS) + 0.5) / _STEPS - 0.5
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3) * a.size_m
    in_box = (np.abs(_seen_from(grid, pose_a, pose_b)) <= b.size_m / 2).all(1)
    if float(in_box.mean()) < SWALLOWED_SHARE / 2:
        return 0.0
    own = grid[geometry.within(grid, Surface.of(a.vertices, a.faces))]
    points = own if len(own) >= _STEPS else grid
    return float(geometry.within(_seen_from(points, pose_a, pose_b), Surface.of(b.vertices, b.faces)).mean())


def _seen_from(points: Array, pose: Pose, other: Pose) -> Array:
    """Points of one object's frame in another's."""
    world = points @ np.array(rotation_matrix(pose.quaternion_xyzw)).T + np.array(pose.position_m)
    return np.asarray((world - np.array(other.position_m)) @ np.array(rotation_matrix(other.quaternion_xyzw)))
