"""What a deed works with: the session's objects by handle, the conditions every deed shares, time that passes, pictures on the way."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.engine.building import Placed
from sim_bridge.backends.mujoco.engine.session import TIMESTEP_S, Session, advance, own_shape, pose_of, put_pose, show
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.spec import Frame, Pose

REACH_M = 1.5
"""A hand reaches what has a point of its box within this distance of the camera: two steps from where one stands."""
MIN_SEEN_PIXELS = 12
"""Pixels of the current view that must show an object before a hand can go for it."""
MAX_FRAMES = 8
"""Pictures of one action, the observation included."""


class Failed(Exception):
    """A well-formed action that is physically impossible now; the text is the reason in plain words, naming objects by handle."""


class Stage:
    """One action being done.

    Attributes:
        s: the session.
        frames: pictures taken on the way, before the observation.
        ended: see `sim_bridge.backend.ActionOutcome`.
    """

    def __init__(
        self,
        session: Session,
        picture: Callable[[], Frame] | None,
        visible: Callable[[], dict[str, int]],
        through: Callable[[str], int],
    ) -> None:
        """
        Args:
            picture: renders the current view; None while replaying, when nobody looks.
            visible: counts the pixels of every object in the current view, by handle; of glass only what is before other glass.
            through: counts those of one object with other glass left out.
        """
        self.s = session
        self.frames: list[Frame] = []
        self.ended = ""
        self._picture, self._visible, self._through = picture, visible, through

    # --- objects -----------------------------------------------------------------------------------------------------

    def object(self, handle: str) -> Placed:
        """The object, which must be there.

        Raises:
            Failed: no such object, or it is absent now.
        """
        found = next((p for p in self.s.world.objects if p.handle == handle), None)
        if found is None or self.s.absent(handle):
            raise Failed(f"{handle} is not there")
        return found

    def pose(self, handle: str) -> Pose:
        """Where an object is now, world frame."""
        return pose_of(self.s, self.object(handle))

    def box(self, handle: str) -> tuple[Array, Array]:
        """World box (low, high) of an object now, metres."""
        return box_of(self.s, self.object(handle))

    def move(self, handle: str, pose: Pose) -> None:
        """Set an object somewhere, at rest, with what belongs to it."""
        p = self.object(handle)
        before = pose_of(self.s, p)
        put_pose(self.s, p, pose)
        show(self.s)
        for entity in p.entities:
            entity.moved(self.s, before, pose)

    # --- conditions --------------------------------------------------------------------------------------------------

    def need_free_hand(self) -> None:
        """Go on only with an empty hand.

        Raises:
            Failed: something is in the hand.
        """
        if self.s.held is not None:
            raise Failed(f"{self.s.held} is in the hand already")

    def need_in_hand(self, handle: str) -> Placed:
        """The object, which must be in the hand.

        Raises:
            Failed: it is not.
        """
        p = self.object(handle)
        if self.s.held != handle:
            raise Failed(f"{handle} is not in the hand")
        return p

    def need_in_reach(self, handle: str) -> Placed:
        """Seen in the current view, be it through glass, and near enough, or in the hand.

        Raises:
            Failed: says which of the two is missing.
        """
        p = self.object(handle)
        if self.s.held == handle:
            return p
        if self._visible().get(handle, 0) < MIN_SEEN_PIXELS and self._through(handle) < MIN_SEEN_PIXELS:
            raise Failed(f"{handle} is not in view")
        low, high = self.box(handle)
        eye = np.array(self.s.camera.position_m)
        distance = float(np.linalg.norm(np.maximum(np.maximum(low - eye, eye - high), 0.0)))
        if distance > REACH_M:
            raise Failed(f"{handle} is too far away")
        return p

    # --- time --------------------------------------------------------------------------------------------------------

    def run(self, seconds: float, frames: int = 1) -> None:
        """Let physics run; with `frames` > 1 pictures are taken at even times on the way (the last moment is the observation)."""
        steps = max(1, round(seconds / TIMESTEP_S))
        frames = max(1, min(frames, MAX_FRAMES))
        done = 0
        for k in range(1, frames + 1):
            upto = round(steps * k / frames)
            advance(self.s, upto - done)
            done = upto
            if k < frames:
                self.take_picture()

    def animate(self, update: Callable[[float], None], seconds: float, frames: int = 4) -> None:
        """Move something by hand while physics runs: ``update(t)`` is called with t from 0 to 1 before every physics step.

        Pictures are taken as in `run`.
        """
        steps = max(2, round(seconds / TIMESTEP_S))
        frames = max(1, min(frames, MAX_FRAMES))
        at = {round(steps * k / frames) for k in range(1, frames)}
        for i in range(1, steps + 1):
            update(i / steps)
            advance(self.s, 1)
            if i in at:
                self.take_picture()

    def take_picture(self) -> None:
        """A picture on the way; none while replaying."""
        if self._picture is not None and len(self.frames) < MAX_FRAMES - 1:
            self.frames.append(self._picture())


def box_of(s: Session, p: Placed) -> tuple[Array, Array]:
    """World box (low, high) of an object's visible shape now, metres."""
    corners = shape_of(s, p)
    return corners.min(0), corners.max(0)


def shape_of(s: Session, p: Placed) -> Array:
    """World vertices (N, 3) of an object as it is now: `Placed.vertices` with its lid or door where it stands; metres."""
    return np.asarray(own_shape(s, p) @ s.data.xmat[p.body].reshape(3, 3).T + s.data.xpos[p.body])


def bodies_of(m: mujoco.MjModel, p: Placed) -> list[int]:
    """The object's body and those of its lid, doors or drawer."""
    return [p.body, *(m.body(name).id for name in p.more_bodies)]
