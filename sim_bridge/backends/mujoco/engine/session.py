"""One session's changing state, and the physics that every part shares: poses, steps, what is carried.

An object is a free body (`dynamic`) or a fixed one (mocap) that deeds may set somewhere else. What is in the hand, and what is inside
it, takes no part in the physics: it waits far below the world while physics runs and is shown at the hand again afterwards.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import msgspec
import mujoco
import numpy as np

from sim_bridge.backends.mujoco.engine.building import PARKED_Z_M, Placed, World, rotation, wxyz
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.kinematics import angles_deg
from sim_bridge.rotations import about_z
from sim_bridge.spec import Phase, Pose, Quat, Scene

TIMESTEP_S = 0.004
"""One physics step."""
HELD_ASIDE = 0.42
"""Share of the half picture, to the right and down, at which the middle of a small held thing is seen."""
HELD_AHEAD_M = (0.12, 0.75)
"""A thing is held this far ahead of the eye: one that is small enough for `HELD_SHARE` at the greater distance, so that what is larger
looks larger; the smallest nearer, to be seen at all."""
HELD_NEARER = 12.0
"""What is less than the greater distance over this from its middle to its corners is held nearer."""
HELD_MARGIN = 0.04
"""Share of the half picture that stays free between a held thing and the picture's edges."""
HELD_SHARE = (0.46, 0.62)
"""The most of the picture's width and height that a held thing takes."""
HELD_OFF_FLOOR_M = 0.005
"""The lowest point of a held thing is kept at least this high above the floor."""


class Carried(msgspec.Struct, forbid_unknown_fields=True):
    """A thing that goes with the hand."""

    handle: str
    offset_m: tuple[float, float, float]
    """Its centre from the held object's centre, in the upright frame that turns with the camera's heading."""
    quaternion_xyzw: Quat
    """Its attitude in that frame."""
    home: Pose
    """Where it was before it was picked up."""


@dataclass
class Session:
    """What changes while an episode runs. `extras` and `hand` belong to the snapshot, as do camera, phase and physics state."""

    world: World
    data: mujoco.MjData
    camera: Pose
    phase: str
    scene: Scene
    """As it was loaded: `world` is it as the present phase lights it."""
    hand: tuple[Carried, ...] = ()
    """What is held (first) and what is inside it; empty: the hand is free."""
    extras: dict[str, dict[str, Any]] = field(default_factory=dict)
    """handle → state of its entities, plain values. ``{"gone": True}`` takes an object away (a lifted cloth)."""
    steps: int = 0
    """Actions since the phase began."""

    @property
    def held(self) -> str | None:
        return self.hand[0].handle if self.hand else None

    def extra(self, handle: str) -> dict[str, Any]:
        """The changeable extra state of one object."""
        return self.extras.setdefault(handle, {})

    def phase_now(self) -> Phase | None:
        """The phase of the scene that is played; None: the scene has none, or none has begun."""
        return next((p for p in self.world.scene.phases if p.name == self.phase), None)

    def absent(self, handle: str) -> bool:
        """Hidden in this phase, or taken away."""
        phase = self.phase_now()
        return bool(self.extras.get(handle, {}).get("gone")) or (phase is not None and handle in phase.hidden)

    def carried(self, handle: str) -> bool:
        """Whether an object is in the hand or goes along with what is."""
        return any(c.handle == handle for c in self.hand)


def pose_of(s: Session, p: Placed) -> Pose:
    """Pose of an object's box centre now, world frame."""
    x, q = s.data.xpos[p.body], s.data.xquat[p.body]
    return Pose((float(x[0]), float(x[1]), float(x[2])), (float(q[1]), float(q[2]), float(q[3]), float(q[0])))


def put_pose(s: Session, p: Placed, pose: Pose) -> None:
    """Set an object's pose, at rest. Call `settle_pose` before anything reads poses again."""
    if p.dynamic:
        s.data.qpos[p.qpos : p.qpos + 3] = pose.position_m
        s.data.qpos[p.qpos + 3 : p.qpos + 7] = wxyz(pose.quaternion_xyzw)
        s.data.qvel[p.dof : p.dof + 6] = 0
    else:
        s.data.mocap_pos[p.mocap] = pose.position_m
        s.data.mocap_quat[p.mocap] = wxyz(pose.quaternion_xyzw)


def parked(index: int) -> Pose:
    """Where the index-th object waits while it is absent or carried, metres apart from the others."""
    return Pose((3.0 * index, 0.0, PARKED_Z_M))


def settle_pose(s: Session) -> None:
    """Poses from the state alone. `mj_step` leaves them one substep behind, which would make restored frames differ."""
    m, d = s.world.model, s.data
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_camlight(m, d)
    mujoco.mj_flex(m, d)


def advance(s: Session, steps: int) -> None:
    """Run physics for `steps` steps of `TIMESTEP_S`; nothing carried or absent takes part. Ends with poses that are up to date."""
    away = [(i, p) for i, p in enumerate(s.world.objects) if s.absent(p.handle) or s.carried(p.handle)]
    for i, p in away:
        put_pose(s, p, parked(i))
    entities = s.world.entities
    followers = [e for e in entities if e.follows]
    if s.world.dynamic:
        pinned = [(i, p) for i, p in away if p.dynamic]
        steppers = [e for e in entities if e.steps]
        for _ in range(steps):
            for e in steppers:
                e.step(s)
            mujoco.mj_step(s.world.model, s.data)
            for i, p in pinned:
                put_pose(s, p, parked(i))
            for e in followers:
                e.load(s)
                e.follow(s)
    show(s)


def show(s: Session) -> None:
    """Put what is carried at the hand, let the moving parts follow their objects, and bring all poses up to date."""
    if s.hand:
        turn = upright(s)
        drawn, lift = hand_place(s)
        centre = drawn + np.array([0.0, 0.0, lift])
        for c in s.hand:
            position = centre + rotation(turn) @ np.array(c.offset_m)
            pose = Pose((float(position[0]), float(position[1]), float(position[2])), _times(turn, c.quaternion_xyzw))
            put_pose(s, s.world.object(c.handle), pose)
    settle_pose(s)
    following = [e for e in s.world.entities if e.follows]
    if following:
        for e in following:
            e.follow(s)
        settle_pose(s)


def upright(s: Session) -> Quat:
    """The upright frame that turns with the camera's heading: what is held stays upright in it, so that a full glass does not spill."""
    return about_z(math.radians(angles_deg(s.camera.quaternion_xyzw)[0]))


def hand_place(s: Session) -> tuple[Array, float]:
    """Where the middle of the held object is drawn (world, metres), and how far above that it is kept so as not to be in the floor.

    The hand is at the lower right of the view. It follows the camera's pitch, and is `HELD_AHEAD_M` ahead, or as far as it takes for the
    whole held thing, with what is in it, to keep `HELD_MARGIN` from the picture's edges and to fill no more than `HELD_SHARE` of it. A
    camera close to the floor has no such place above the floor: therefore what is held is drawn before everything else (`render`), and its
    pose is lifted.
    """
    look, turn = rotation(s.camera.quaternion_xyzw), rotation(upright(s))
    corners = np.concatenate([_corners(s, c) for c in s.hand]) @ turn.T
    x, y, z = (corners @ look).T  # right, up, towards the eye; from the held object's middle
    camera = s.world.scene.camera
    across = math.tan(math.radians(camera.hfov_deg) / 2)
    upward = across * camera.height / camera.width
    radius = float(np.linalg.norm(np.ptp(corners, axis=0))) / 2
    ahead = max(float(np.clip(HELD_NEARER * radius, *HELD_AHEAD_M)), float(z.max()) + HELD_AHEAD_M[0])
    while True:
        depth = ahead - z
        right = min(HELD_ASIDE * across * ahead, float(((1 - HELD_MARGIN) * across * depth - x).min()))
        up = max(-HELD_ASIDE * upward * ahead, float((-(1 - HELD_MARGIN) * upward * depth - y).max()))
        wide, high = np.ptp((right + x) / depth) / (2 * across), np.ptp((up + y) / depth) / (2 * upward)
        if wide <= HELD_SHARE[0] and high <= HELD_SHARE[1]:
            break
        ahead *= 1.05
    drawn = np.array(s.camera.position_m) + look @ np.array([right, up, -ahead])
    lowest = float(drawn[2] + corners[:, 2].min())
    return drawn, max(0.0, s.world.scene.room.floor_z_m + HELD_OFF_FLOOR_M - lowest)


def _corners(s: Session, c: Carried) -> Array:
    """Corners (8, 3) of the box of a carried thing in the upright frame, from the held object's middle; metres."""
    vertices = own_shape(s, s.world.object(c.handle))
    low, high = vertices.min(0), vertices.max(0)
    box = np.array(list(itertools.product(*zip(low, high, strict=True))))
    return np.asarray(box @ rotation(c.quaternion_xyzw).T + np.array(c.offset_m))


def in_hand_lift(s: Session) -> float | None:
    """How far above its drawn place what is held is kept now; None: nothing is held, or a deed has it elsewhere (a vessel that pours)."""
    if not s.hand:
        return None
    drawn, lift = hand_place(s)
    p = s.world.object(s.hand[0].handle)
    away = np.abs(s.data.xpos[p.body] - drawn - np.array([0.0, 0.0, lift])).max()
    turned = np.abs(s.data.xmat[p.body].reshape(3, 3) - rotation(_times(upright(s), s.hand[0].quaternion_xyzw))).max()
    return lift if away < 1e-6 and turned < 1e-6 else None


def keep_first_place(s: Session, handle: str, pose: Pose) -> None:
    """Remember where a thing stood before it was first picked up."""
    s.extra(handle).setdefault("first_place", [list(pose.position_m), list(pose.quaternion_xyzw)])


def first_place(s: Session, handle: str) -> Pose | None:
    """Where a thing stood in this phase before it was first picked up; None: it never was."""
    kept = s.extras.get(handle, {}).get("first_place")
    if kept is None:
        return None
    (x, y, z), (qx, qy, qz, qw) = kept
    return Pose((x, y, z), (qx, qy, qz, qw))


def relative(s: Session, p: Placed, centre: Array) -> Carried:
    """How `p` goes along with a hand whose held object has its centre at `centre` (world) now."""
    turn = upright(s)
    pose = pose_of(s, p)
    offset = rotation(turn).T @ (np.array(pose.position_m) - centre)
    x, y, z, w = turn
    return Carried(p.handle, (float(offset[0]), float(offset[1]), float(offset[2])), _times((-x, -y, -z, w), pose.quaternion_xyzw), pose)


def _times(a: Quat, b: Quat) -> Quat:
    """Hamilton product a·b of xyzw quaternions: first b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


quaternion_product = _times


def own_shape(s: Session, p: Placed) -> Array:
    """Vertices (N, 3) of an object in its own frame, its lid or door where it stands; metres."""
    vertices = p.vertices
    for entity in p.entities:
        vertices = entity.vertices(s, vertices)
    return vertices
