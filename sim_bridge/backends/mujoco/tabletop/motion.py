"""Hands that follow smooth ways: minimum-jerk moves between poses, and joint angles by damped least squares on MuJoCo's jacobian."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.tabletop.arm import Mount

JOINTS = 7
DAMPING = 0.03
POSTURE_GAIN = 0.08
TOLERANCE_M, TOLERANCE_RAD = 2e-4, 1e-3
PACE = 0.84
"""All moves take this share of the time they are written with."""
REACH_M = 2e-3
"""A pose counts as reached within this distance of the hand."""


def orientation(pitch_deg: float, yaw_deg: float = 0.0, roll_deg: float = 0.0) -> Array:
    """Hand → world. Pitch 90 points straight down, 0 straight ahead; yaw turns left about the vertical; roll about the approach."""
    p, w, r = np.radians([pitch_deg, yaw_deg, roll_deg])
    z = np.array([np.cos(p) * np.cos(w), np.cos(p) * np.sin(w), -np.sin(p)])
    x = np.array([np.sin(p) * np.cos(w), np.sin(p) * np.sin(w), np.cos(p)])
    y = np.cross(z, x)
    return np.stack([x * np.cos(r) + y * np.sin(r), y * np.cos(r) - x * np.sin(r), z], 1)


def min_jerk(s: float) -> float:
    """Share of the way at share `s` of the time, at rest at both ends."""
    s = min(max(s, 0.0), 1.0)
    return s * s * s * (10 + s * (6 * s - 15))


def rotation_vector(rotation: Array) -> Array:
    """Axis times angle of a rotation matrix, angle at most π."""
    q, out = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(rotation).ravel())
    mujoco.mju_quat2Vel(out, q, 1.0)
    return out


def turned(vector: Array) -> Array:
    """Rotation matrix of axis times angle."""
    angle = float(np.linalg.norm(vector))
    q, out = np.zeros(4), np.zeros(9)
    mujoco.mju_axisAngle2Quat(q, vector / angle if angle > 1e-12 else np.array([1.0, 0.0, 0.0]), angle)
    mujoco.mju_quat2Mat(out, q)
    return out.reshape(3, 3)


@dataclass(frozen=True)
class Knot:
    """A hand at rest: time, place between the finger tips, orientation, opening."""

    time_s: float
    position: Array
    rotation: Array
    opening_m: float


@dataclass
class Way:
    """What one hand does: knots in time, and when it holds what."""

    knots: list[Knot]
    holds: list[tuple[float, float, str]] = field(default_factory=list)
    """(from, until, name of the thing) in seconds."""

    @property
    def end_s(self) -> float:
        return self.knots[-1].time_s

    def at(self, time_s: float) -> tuple[Array, Array, float]:
        """Place, orientation and opening at a time."""
        i = bisect.bisect_right([k.time_s for k in self.knots], time_s) - 1
        a = self.knots[max(i, 0)]
        if i + 1 >= len(self.knots) or i < 0:
            return a.position, a.rotation, a.opening_m
        b = self.knots[i + 1]
        s = min_jerk((time_s - a.time_s) / (b.time_s - a.time_s))
        swing = rotation_vector(a.rotation.T @ b.rotation)
        return a.position + s * (b.position - a.position), a.rotation @ turned(s * swing), a.opening_m + s * (b.opening_m - a.opening_m)

    def go(self, seconds: float, position: Array | None = None, rotation: Array | None = None, opening_m: float | None = None) -> Knot:
        """Add a move from where the last one ends, at the common pace; what is not given stays."""
        a = self.knots[-1]
        knot = Knot(
            a.time_s + seconds * PACE,
            a.position if position is None else np.asarray(position, float),
            a.rotation if rotation is None else rotation,
            a.opening_m if opening_m is None else opening_m,
        )
        self.knots.append(knot)
        return knot

    def wait_until(self, time_s: float) -> None:
        """Stay where the last move ends until a time, seconds; nothing where that is over already."""
        if time_s > self.end_s:
            self.go((time_s - self.end_s) / PACE)


class OutOfReach(ValueError):
    """A pose that the arm cannot take."""


class Solver:
    """Joint angles of one arm for poses of its hand."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, mount: Mount) -> None:
        self._model, self._data = model, data
        joints = [model.joint(f"{mount.name}.j{k + 1}") for k in range(JOINTS)]
        self.qpos = np.array([j.qposadr[0] for j in joints])
        self.dof = np.array([j.dofadr[0] for j in joints])
        self.fingers = np.array([model.joint(f"{mount.name}.f{k}").qposadr[0] for k in (1, 2)])
        self.finger_dofs = np.array([model.joint(f"{mount.name}.f{k}").dofadr[0] for k in (1, 2)])
        self._limits = np.array([j.range for j in joints])
        self._site = model.site(f"{mount.name}.grasp").id
        self.posture = np.radians(mount.posture_deg)
        self._jacobian = np.zeros((6, model.nv))

    def reached(self, q: Array) -> tuple[Array, Array]:
        """Place and orientation of the hand with these joint angles."""
        self._data.qpos[self.qpos] = q
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.site_xpos[self._site].copy(), self._data.site_xmat[self._site].reshape(3, 3).copy()

    def solve(self, start: Array, position: Array, rotation: Array, steps: int = 12) -> tuple[Array, float]:
        """Joint angles near `start`, and the distance that is left, metres."""
        q = start.copy()
        left = np.inf
        for _ in range(steps):
            at, turn = self.reached(q)
            error = np.concatenate([position - at, turn @ rotation_vector(turn.T @ rotation)])
            left = float(np.linalg.norm(error[:3]))
            if left < TOLERANCE_M and float(np.linalg.norm(error[3:])) < TOLERANCE_RAD:
                break
            mujoco.mj_comPos(self._model, self._data)
            mujoco.mj_jacSite(self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site)
            j = self._jacobian[:, self.dof]
            damped = j.T @ np.linalg.inv(j @ j.T + DAMPING**2 * np.eye(6) * min(1.0, 10 * left + 0.02))
            step = damped @ error
            step += (np.eye(JOINTS) - damped @ j) @ (POSTURE_GAIN * (self.posture - q))
            q = np.clip(q + np.clip(step, -0.35, 0.35), self._limits[:, 0], self._limits[:, 1])
        return q, left
