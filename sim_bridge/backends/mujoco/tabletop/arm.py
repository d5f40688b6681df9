"""A seven-joint arm with a two-finger gripper and a camera on its hand: geometry of our own, joints as MuJoCo joints.

The chain is roll–pitch–roll–pitch–roll–pitch–roll along each body's own z axis (shoulder, elbow and wrist are each one point), so that
every pose within reach has a solution for each place of the elbow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.engine.building import GROUP_COLLIDER, Builder
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Part, box, lathe, ring, rounded_box, tube

GROUP_MOVES = 3
"""Geom group of what moves: arms and things."""
SHOULDER_M = 0.12
"""From the mount to the shoulder's point."""
WRIST_M = 0.06
"""From the wrist's point to the hand."""
GRASP_M = 0.133
"""From the hand's flange to the point between the finger tips; the fingers end 12 mm beyond."""
MAX_OPENING_M = 0.112
FINGER_M = (0.024, 0.012, 0.078)
"""A finger: width, thickness in the direction of closing, length."""
FINGER_START_M = GRASP_M + 0.012 - FINGER_M[2]
CAMERA_AT_M = (0.082, 0.0, 0.005)
"""The hand camera in the hand's body frame: on the side that faces away from the robot when the hand points down."""
CAMERA_AIM_M = (0.0, 0.0, 0.205)
HAND_FOVY_DEG = 64.0
LIMITS_DEG = (175.0, 130.0, 175.0, 155.0, 175.0, 140.0, 178.0)


@dataclass(frozen=True)
class Look:
    """Colours of an arm."""

    shell: Colour
    joint: Colour
    accent: Colour

    def body(self) -> dict[str, Any]:
        """Looks of the shell."""
        return {"rgb": self.shell, "specular": 0.35, "shininess": 0.5}

    def cap(self) -> dict[str, Any]:
        """Looks of the joints."""
        return {"rgb": self.joint, "specular": 0.4, "shininess": 0.5}

    def mark(self) -> dict[str, Any]:
        """Looks of the coloured marks."""
        return {"rgb": self.accent, "specular": 0.3, "shininess": 0.4}


WHITE = Look((0.90, 0.90, 0.91), (0.20, 0.21, 0.23), (0.10, 0.42, 0.78))
BLACK = Look((0.17, 0.17, 0.19), (0.34, 0.35, 0.37), (0.82, 0.42, 0.08))
RUBBER: dict[str, Any] = {"rgb": (0.09, 0.09, 0.10), "specular": 0.15, "shininess": 0.2}
METAL: dict[str, Any] = {"rgb": (0.62, 0.64, 0.67), "specular": 0.6, "shininess": 0.6}


@dataclass(frozen=True)
class Mount:
    """Where an arm is fixed and how long it is."""

    name: str
    position_m: tuple[float, float, float]
    out: tuple[float, float, float]
    """Direction of the first joint's axis, away from the mount."""
    forward: tuple[float, float, float]
    upper_m: float
    fore_m: float
    look: Look
    posture_deg: tuple[float, ...]
    """Joint angles that the elbow is drawn towards."""
    hand_turn_deg: float = 0.0
    """How the hand is turned on its flange, so that the last joint stays far from its stops."""

    @property
    def rotation(self) -> Array:
        """Base frame → world: z is `out`, x as near to `forward` as that allows."""
        z = np.asarray(self.out, float) / np.linalg.norm(self.out)
        x = np.asarray(self.forward, float) - z * float(np.dot(self.forward, z))
        x /= np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z], 1)


def quaternion(rotation: Array) -> list[float]:
    """(w, x, y, z) of a rotation matrix."""
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(rotation, float).ravel())
    return [float(v) for v in q]


def _across(radius: float, length: float, **looks: Any) -> Part:
    """A cylinder along y about the origin, with bevelled ends: the housing of a pitch joint."""
    bevel = 0.15 * radius
    profile = [(0, 0), (radius - bevel, 0), (radius, bevel), (radius, length - bevel), (radius - bevel, length), (0, length)]
    return lathe(profile, 16, **looks).moved(z=-length / 2).turned("x", 90)


def _along(radii: tuple[float, float], z0: float, z1: float, **looks: Any) -> Part:
    a, b = radii
    return lathe([(0, z0), (a, z0), (b, z1), (0, z1)], 16, **looks)


def add(builder: Builder, mount: Mount) -> None:
    """Add an arm to the model: bodies ``<name>.1`` … ``<name>.7``, joints ``<name>.j1`` … ``.j7``, fingers ``<name>.f1``, ``.f2``, the
    site ``<name>.grasp`` and the camera ``<name>.camera``. Nothing of it takes part in contacts: whoever moves it keeps it clear."""
    look, name = mount.look, mount.name
    base = builder.spec.worldbody.add_body(name=f"{name}.0", pos=list(mount.position_m), quat=quaternion(mount.rotation))
    show(builder, base, lathe([(0, 0), (0.085, 0), (0.085, 0.018), (0.066, 0.03), (0.062, 0.055), (0, 0.055)], 28, **look.cap()))
    lengths = (0.0, SHOULDER_M, mount.upper_m * 0.5, mount.upper_m * 0.5, mount.fore_m * 0.5, mount.fore_m * 0.5, WRIST_M)
    axes = ((0, 0, 1), (0, 1, 0)) * 3 + ((0, 0, 1),)
    parts = _links(mount)
    body = base
    for i, (length, axis) in enumerate(zip(lengths, axes, strict=True)):
        turn = math.radians(mount.hand_turn_deg) / 2 if i == len(axes) - 1 else 0.0
        body = body.add_body(name=f"{name}.{i + 1}", pos=[0, 0, length], quat=[math.cos(turn), 0, 0, math.sin(turn)], gravcomp=1)
        limit = math.radians(LIMITS_DEG[i])
        body.add_joint(name=f"{name}.j{i + 1}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis), range=[-limit, limit], armature=0.1)
        body.mass, body.inertia = 1.0, [0.01, 0.01, 0.01]
        body.explicitinertial = True
        for part in parts[i]:
            show(builder, body, part)
    _hand(builder, body, mount)


def _links(mount: Mount) -> list[list[Part]]:
    look, upper, fore = mount.look, mount.upper_m, mount.fore_m
    return [
        [_along((0.062, 0.060), 0.055, 0.085, **look.body()), rounded_box(0.115, 0.085, 0.125, 4.0, 8, 16, **look.body()).moved(z=0.062)],
        [_across(0.052, 0.128, **look.cap()), _along((0.047, 0.046), 0.0, upper * 0.5 - 0.004, **look.body())],
        [
            _along((0.049, 0.049), -0.002, 0.012, **look.mark()),
            _along((0.046, 0.041), 0.012, upper * 0.5, **look.body()),
        ],
        [_across(0.048, 0.108, **look.cap()), _along((0.040, 0.039), 0.0, fore * 0.5 - 0.004, **look.body())],
        [_along((0.042, 0.042), -0.002, 0.010, **look.mark()), _along((0.039, 0.034), 0.010, fore * 0.5, **look.body())],
        [_across(0.040, 0.090, **look.cap()), _along((0.034, 0.034), 0.0, WRIST_M - 0.006, **look.body())],
        [],
    ]


def _hand(builder: Builder, body: mujoco.MjsBody, mount: Mount) -> None:
    """Flange, palm, rail, fingers and camera on the last link."""
    look, name = mount.look, mount.name
    palm_top = FINGER_START_M
    for part in (
        _along((0.040, 0.040), -0.006, 0.010, **look.cap()),
        rounded_box(0.062, 0.120, palm_top - 0.018, 6.0, 8, 16, **look.body()).moved(z=0.008),
        box(0.034, 0.150, 0.012, **METAL).moved(z=palm_top - 0.012),
        # The camera's bracket and housing; the lens is where the camera looks from.
        box(0.058, 0.030, 0.006, **look.cap()).moved(x=0.052, z=-0.004),
        rounded_box(0.026, 0.092, 0.024, 6.0, 8, 16, **look.cap()).moved(x=CAMERA_AT_M[0], z=-0.022),
        ring(0.008, 0.003, 16, 6, **METAL).moved(x=CAMERA_AT_M[0], z=0.001),
    ):
        show(builder, body, part)
    width, thick, long = FINGER_M
    for k, sign in ((1, 1.0), (2, -1.0)):
        finger = body.add_body(name=f"{name}.finger{k}", pos=[0, 0, FINGER_START_M], gravcomp=1)
        finger.add_joint(
            name=f"{name}.f{k}",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[0, sign, 0],
            range=[0, MAX_OPENING_M / 2],
            armature=0.1,
        )
        finger.mass, finger.inertia, finger.explicitinertial = 0.1, [1e-4, 1e-4, 1e-4], True
        show(builder, finger, box(width, thick, long, **look.cap()).moved(y=sign * (thick / 2 + 0.002)))
        show(builder, finger, box(width + 0.006, thick + 0.008, 0.020, **look.body()).moved(y=sign * (thick / 2 + 0.005), z=-0.002))
        show(builder, finger, box(width - 0.003, 0.002, 0.034, **RUBBER).moved(y=sign * 0.001, z=long - 0.036))
        finger.add_geom(
            name=f"{name}.pad{k}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[width / 2, thick / 2, long / 2],
            pos=[0, sign * (thick / 2 + 0.001), long / 2],
            group=GROUP_COLLIDER,
            contype=0,
            conaffinity=0,
            mass=0,
        )
    body.add_geom(
        name=f"{name}.palm",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.031, 0.066, palm_top / 2 - 0.004],
        pos=[0, 0, palm_top / 2],
        group=GROUP_COLLIDER,
        contype=0,
        conaffinity=0,
        mass=0,
    )
    body.add_site(name=f"{name}.grasp", pos=[0, 0, GRASP_M])
    ahead = np.array(CAMERA_AIM_M) - np.array(CAMERA_AT_M)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [1.0, 0.0, 0.0])
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(right, ahead), -ahead], 1)
    body.add_camera(name=f"{name}.camera", pos=list(CAMERA_AT_M), quat=quaternion(turn), fovy=HAND_FOVY_DEG)


def show(builder: Builder, body: mujoco.MjsBody, part: Part) -> None:
    """Show a part of a body that moves."""
    builder.show(body, part, GROUP_MOVES)


def cable(points: Any, radius: float = 0.006) -> Part:
    """A cable along points."""
    return tube(points, radius, 8, **RUBBER)
