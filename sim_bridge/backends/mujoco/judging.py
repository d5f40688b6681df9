"""What judges are told of a session: every object's state, the relations between objects, and whether the camera is clipped."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco import geometry
from sim_bridge.backends.mujoco.session import Session, pose_of
from sim_bridge.backends.mujoco.shapes import Array
from sim_bridge.backends.mujoco.world import Placed
from sim_bridge.spec import ObjectState, Relation

TOUCH_M = 0.004
"""Two hulls nearer than this touch."""


def states(s: Session, pixels: NDArray[np.int64]) -> list[ObjectState]:
    """State of every object, in the scene's order.

    Args:
        pixels: pixels per object in the current view (`WorldRenderer.visible` with step 1).
    """
    found = []
    for i, p in enumerate(s.world.objects):
        low, high = box(s, p)
        present = not s.absent(p.handle)
        found.append(
            ObjectState(
                handle=p.handle,
                category=p.category,
                pose=pose_of(s, p),
                aabb_min_m=_vec(low),
                aabb_max_m=_vec(high),
                visible_pixels=int(pixels[i]) if present else 0,
                present=present,
                flags=_flags(s, p),
                room=s.world.scene.source_room or s.world.scene.room.kind,
            )
        )
    return found


def relations(s: Session) -> list[Relation]:
    """inside, on, touching and under among the objects that are present."""
    found = []
    present = [not s.absent(p.handle) for p in s.world.objects]
    boxes = [box(s, p) for p in s.world.objects]
    for i, a in enumerate(s.world.objects):
        for j, b in enumerate(s.world.objects):
            if i == j or not (present[i] and present[j]):
                continue
            (low_a, high_a), (low_b, high_b) = boxes[i], boxes[j]
            if (low_a > high_b + 0.02).any() or (high_a < low_b - 0.02).any():
                continue
            centre = (low_a + high_a) / 2
            smaller = bool(np.prod(high_a - low_a) < np.prod(high_b - low_b))
            if b.match.hollow and smaller and (centre > low_b).all() and (centre < high_b).all():
                found.append(Relation("inside", a.handle, b.handle))
            elif abs(low_a[2] - high_b[2]) < 0.02 and geometry.overlap_share(low_a, high_a, low_b, high_b) > 0.05:
                found += [Relation("on", a.handle, b.handle), Relation("under", b.handle, a.handle)]
            if i < j and _distance(s, a, b) < TOUCH_M:
                found.append(Relation("touching", a.handle, b.handle))
    return found


def clipped(s: Session) -> bool:
    """Whether the camera is outside the room, within a hand's breadth of its walls' surface, or inside furniture or an object."""
    return clipped_at(s, np.array(s.camera.position_m, float))


def clipped_at(s: Session, eye: Array) -> bool:
    """`clipped` for any point of the world."""
    r = s.world.scene.room
    x0, y0, x1, y1 = r.bounds_m
    low, high = np.array([x0, y0, r.floor_z_m]), np.array([x1, y1, r.floor_z_m + r.height_m])
    margin = np.array([geometry.NEAR_M, geometry.NEAR_M, 0.0])
    if (eye < low + margin).any() or (eye > high - margin).any():
        return True
    for solid in s.world.furniture:
        if _within(eye, solid.centre, solid.rotation, solid.half):
            local = solid.rotation.T @ (eye - solid.centre)
            if (
                solid.always
                or geometry.enclosed(local, solid.vertices, solid.faces)
                or geometry.nearer_than(local, solid.vertices, solid.faces)
            ):
                return True
    for p in s.world.objects:
        turn, centre = s.data.xmat[p.body].reshape(3, 3), s.data.xpos[p.body]
        if _within(eye, centre, turn, p.size_m / 2):
            local = turn.T @ (eye - centre)
            if geometry.enclosed(local, p.vertices, p.faces) or geometry.nearer_than(local, p.vertices, p.faces):
                return True
    return False


def box(s: Session, p: Placed) -> tuple[Array, Array]:
    """World box (low, high) of an object now, metres."""
    corners = p.vertices @ s.data.xmat[p.body].reshape(3, 3).T + s.data.xpos[p.body]
    return corners.min(0), corners.max(0)


def _distance(s: Session, a: Placed, b: Placed) -> float:
    """Smallest distance between the hulls of the objects' parts, metres; negative where they overlap."""
    m = s.world.model
    best = 1.0
    for i in _geoms(m, a.body):
        for j in _geoms(m, b.body):
            best = min(best, mujoco.mj_geomDistance(m, s.data, i, j, 0.05, None))
    return best


def _geoms(model: mujoco.MjModel, body: int) -> list[int]:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return [g for g in range(first, first + count) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]


def _flags(s: Session, p: Placed) -> dict[str, bool]:
    flags = {"held": s.held == p.handle}
    for entity in p.entities:
        flags |= entity.flags(s)
    return flags


def _within(point: Array, centre: Array, turn: Array, half: Array) -> bool:
    return bool((np.abs(turn.T @ (point - centre)) <= half + geometry.NEAR_M).all())


def _vec(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
