"""One episode: a set-up, hands that follow their ways, things that physics moves unless a hand holds them.

A held thing is fixed to its hand from the moment the fingers have closed until they open; before and after, gravity and contacts alone
move it. Arms and hands are moved along their joint angles exactly; nothing pushes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.tabletop.motion import REACH_M, OutOfReach, Solver, Way, rotation_vector
from sim_bridge.backends.mujoco.tabletop.setting import TIMESTEP_S, Built

SOLVE_EVERY = 5
"""Joint angles are solved every 20 ms and interpolated between."""
SETTLE_S = 0.6


@dataclass
class Track:
    """What happened, by frame."""

    fps: float
    qpos: NDArray[np.float64]
    """(N, nq)."""
    things: NDArray[np.float64]
    """(N, named, 7): place and (w, x, y, z) of each of `Built.named`."""
    hands: dict[str, NDArray[np.float64]]
    """(N, 7) by hand: between the finger tips."""
    openings: dict[str, NDArray[np.float64]]
    """(N,) metres between the fingers."""
    worst_reach_m: float = 0.0

    @property
    def frames(self) -> int:
        return len(self.qpos)


@dataclass
class _Grip:
    """What a hand holds."""

    number: int
    """In `Built.named`."""
    offset: Array
    """Its place in the hand's frame; for the drawer, where the hand took it."""
    relative: Array
    """Its orientation in the hand's frame."""
    position: Array
    """Where the hand had it in the step before; for the drawer, how far it was open."""
    rotation: Array


@dataclass
class Player:
    """Moves one set-up. `settle` first, plan with `pose_of`, then `play` once."""

    built: Built
    data: mujoco.MjData = field(init=False)
    solvers: dict[str, Solver] = field(init=False)

    def __post_init__(self) -> None:
        model = self.built.model
        self.data = mujoco.MjData(model)
        scratch = mujoco.MjData(model)
        self.solvers = {m.name: Solver(model, scratch, m) for m in self.built.setup.mounts}
        self._angles = {name: s.posture.copy() for name, s in self.solvers.items()}

    def settle(self, seconds: float = SETTLE_S) -> None:
        """Let the things come to rest."""
        for solver in self.solvers.values():
            self.data.qpos[solver.qpos] = solver.posture
        for _ in range(round(seconds / TIMESTEP_S)):
            self._still()
            mujoco.mj_step(self.built.model, self.data)
        self._still()
        mujoco.mj_forward(self.built.model, self.data)

    def _still(self) -> None:
        for solver in self.solvers.values():
            self.data.qvel[solver.dof] = 0
            self.data.qvel[solver.finger_dofs] = 0

    def pose_of(self, number: int) -> tuple[Array, Array]:
        """Place of the middle of one of `Built.named` and its orientation, now."""
        body = self.data.body(self.built.named[number].body)
        return body.xpos.copy(), body.xmat.reshape(3, 3).copy()

    def _ways(self, ways: dict[str, Way], steps: int) -> tuple[dict[str, Array], float]:
        """Joint angles and finger places at every step, (steps, 9) by hand, and the worst distance from what was asked."""
        out, worst = {}, 0.0
        for name, way in ways.items():
            solver = self.solvers[name]
            q = self._angles[name]
            marks = np.arange(0, steps + SOLVE_EVERY, SOLVE_EVERY)
            solved = np.zeros((len(marks), 9))
            before: tuple[Array, Array, float] | None = None
            for i, mark in enumerate(marks):
                position, rotation, opening = way.at(mark * TIMESTEP_S)
                same = before is not None and np.array_equal(before[0], position) and np.array_equal(before[1], rotation)
                if not same:
                    q, left = solver.solve(q, position, rotation, 150 if i == 0 else 25)
                    worst = max(worst, left)
                    if left > REACH_M:
                        where = ", ".join(f"{v:.3f}" for v in position)
                        raise OutOfReach(f"{name} hand at {mark * TIMESTEP_S:.2f} s: {left * 1000:.0f} mm short of ({where}) m")
                solved[i, :7], solved[i, 7:] = q, opening / 2
                before = (position, rotation, opening)
            grid = np.arange(steps + 1)
            out[name] = np.stack([np.interp(grid, marks, solved[:, k]) for k in range(9)], 1)
        return out, worst

    def play(self, ways: dict[str, Way], fps: float, frames: int) -> Track:
        """Run the ways and record `frames` frames.

        Raises:
            OutOfReach: naming hand, time and place, where an arm cannot follow.
        """
        model, data = self.built.model, self.data
        steps = round((frames - 1) / fps / TIMESTEP_S) + 1
        angles, worst = self._ways(ways, steps)
        names = {named.name: k for k, named in enumerate(self.built.named)}
        held: dict[str, _Grip] = {}
        n = len(self.built.named)
        track = Track(
            fps,
            np.zeros((frames, model.nq)),
            np.zeros((frames, n, 7)),
            {h: np.zeros((frames, 7)) for h in ways},
            {h: np.zeros(frames) for h in ways},
            worst,
        )
        frame = 0
        for step in range(steps):
            time = step * TIMESTEP_S
            for name, solver in self.solvers.items():
                now, then = angles[name][step], angles[name][step + 1]
                data.qpos[solver.qpos], data.qpos[solver.fingers] = now[:7], now[7:]
                data.qvel[solver.dof] = (then[:7] - now[:7]) / TIMESTEP_S
                data.qvel[solver.finger_dofs] = (then[7:] - now[7:]) / TIMESTEP_S
            mujoco.mj_kinematics(model, data)
            for name, way in ways.items():
                self._hold(name, way, time, names, held)
            if frame < frames and step == round(frame / fps / TIMESTEP_S):
                mujoco.mj_forward(model, data)
                self._record(track, frame, ways)
                frame += 1
            mujoco.mj_step(model, data)
        return track

    def _hold(self, hand: str, way: Way, time: float, names: dict[str, int], held: dict[str, _Grip]) -> None:
        """Fix what a hand holds at this time to it; let go of what it holds no more."""
        data = self.data
        site = data.site(f"{hand}.grasp")
        at, turn = site.xpos.copy(), site.xmat.reshape(3, 3).copy()
        wanted = next((thing for start, end, thing in way.holds if start <= time < end), None)
        if wanted is None:
            if hand in held:
                k = held.pop(hand).number
                if k >= len(self.built.things):
                    data.qvel[self.built.model.joint("drawer").dofadr[0]] = 0
                    return
                data.qvel[self.built.things[k].dof : self.built.things[k].dof + 6] = 0
            return
        k = names[wanted]
        if k >= len(self.built.things):
            self._pull(hand, k, at, held)
            return
        placed = self.built.things[k]
        if hand not in held:
            body = data.body(f"thing{k}")
            there, lies = body.xpos.copy(), body.xmat.reshape(3, 3).copy()
            held[hand] = _Grip(k, turn.T @ (there - at), turn.T @ lies, there, lies)
        grip = held[hand]
        position, rotation = at + turn @ grip.offset, turn @ grip.relative
        q = np.zeros(4)
        mujoco.mju_mat2Quat(q, np.ascontiguousarray(rotation).ravel())
        data.qpos[placed.qpos : placed.qpos + 3], data.qpos[placed.qpos + 3 : placed.qpos + 7] = position, q
        # Its speed is that of the hand, from where the hand had it a step ago: what lies in it is carried along.
        data.qvel[placed.dof : placed.dof + 3] = (position - grip.position) / TIMESTEP_S
        data.qvel[placed.dof + 3 : placed.dof + 6] = rotation_vector(grip.rotation.T @ rotation) / TIMESTEP_S
        grip.position, grip.rotation = position, rotation

    def _pull(self, hand: str, k: int, at: Array, held: dict[str, _Grip]) -> None:
        """The drawer follows the hand along its slide."""
        data, joint = self.data, self.built.model.joint("drawer")
        adr, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
        if hand not in held:
            held[hand] = _Grip(k, at, np.eye(3), data.qpos[adr : adr + 1].copy(), np.eye(3))
        grip = held[hand]
        along = data.body("drawer").xmat.reshape(3, 3) @ joint.axis
        place = float(np.clip((at - grip.offset) @ along, *joint.range))
        data.qvel[dof] = (place - grip.position[0]) / TIMESTEP_S
        data.qpos[adr] = place
        grip.position = np.array([place])

    def _record(self, track: Track, frame: int, ways: dict[str, Way]) -> None:
        data = self.data
        track.qpos[frame] = data.qpos
        for k, named in enumerate(self.built.named):
            body = data.body(named.body)
            track.things[frame, k, :3], track.things[frame, k, 3:] = body.xpos, body.xquat
        for name in ways:
            site = data.site(f"{name}.grasp")
            q = np.zeros(4)
            mujoco.mju_mat2Quat(q, site.xmat)
            track.hands[name][frame, :3], track.hands[name][frame, 3:] = site.xpos, q
            fingers = self.solvers[name].fingers
            track.openings[name][frame] = float(data.qpos[fingers].sum())
