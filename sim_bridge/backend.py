"""What a simulator must offer to serve episodes: the contract every backend implements and `conformance` checks.

All calls happen on one thread (the worker's main thread). A backend keeps many sessions; the host evicts by `close`.
Use `sim_bridge.kinematics` for the camera and `sim_bridge.encoding` for frames; wrap rendering in `sim_bridge.timing.measure("render")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_bridge.actions import Action
from sim_bridge.spec import Contact, Frame, Hands, ObjectState, Observation, Pose, Relation, Scene


class ActionOutcome:
    """Result of one action.

    Attributes:
        ok: False when a well-formed action failed physically; the step counts all the same.
        reason: plain words for a person, empty when ok ("the door is locked", "nothing there to pick up").
        observation: frames after the action, the last being the observation.
        ended: how what was done ended, where that is not what the action's name says, naming objects by handle ("object_2 did not stay on
            object_1"); empty otherwise, and when not ok.
    """

    __slots__ = ("ended", "observation", "ok", "reason")

    def __init__(self, ok: bool, reason: str, observation: Observation, ended: str = "") -> None:
        self.ok, self.reason, self.observation, self.ended = ok, reason, observation, ended


class Backend(Protocol):
    """A simulator behind the bridge."""

    name: str
    """Short name: mujoco, recorded, omnigibson, toy."""
    deterministic: bool
    """True: the same scene and action list give the same pixel hashes on this machine, after restore and replay too."""
    capabilities: tuple[str, ...]
    """Action names this backend can execute (among `sim_bridge.actions.ACTIONS`), plus features: ``phases``, ``mirror``, ``dynamic``,
    ``view_counts`` (it has `visible`), ``audit`` (it has `audit`), ``hands`` (it has `hands`),
    ``masks`` (it has `masks`), ``routes`` (it is `Routed`).

    Three more members are optional: ``deadlines_s`` (see `sim_bridge.protocol.HelloReply`), ``start()``, which a worker calls on its main
    thread before it says where it listens, and ``stop()``, which it calls last and gives up after a while: the process may end in it."""

    def fingerprint(self) -> dict[str, str]:
        """Everything that may change pixels: backend and renderer versions, GL_RENDERER, asset pack hash."""
        ...

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        """Build `scene`, put the camera at `start`, settle, and return the first observation.

        `scene` has passed `sim_bridge.validation.check_scene` and `start` is canonical (`sim_bridge.kinematics.canonical`).
        `render=False` (a resumption follows) may return an observation without frames.

        Raises:
            SceneError: the scene cannot be built; the message names the field.
        """
        ...

    def act(self, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        """Execute one action. `render=False` (nobody looks) may leave the frames out; `visible=False` (replay) the counts of pixels too."""
        ...

    def observe(self, session: str) -> Observation:
        """The current view, without acting."""
        ...

    def set_phase(self, session: str, phase: str, render: bool = True, visible: bool = True) -> Observation:
        """Switch to a named phase of the scene; the camera returns to the start pose. `render` and `visible` as in `act`."""
        ...

    def state(self, session: str) -> tuple[list[ObjectState], list[Relation]]:
        """Objects and relations now."""
        ...

    def views(self, session: str, poses: Sequence[Pose]) -> list[Frame]:
        """Render given cameras without moving the session's own."""
        ...

    def visible(self, session: str, poses: Sequence[Pose]) -> list[dict[str, int]]:
        """handle → pixels in the view from each given camera, all counted; objects with none are absent. Only with ``view_counts``."""
        ...

    def masks(self, session: str, pose: Pose | None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """What each pixel shows. Only with ``masks``.

        Args:
            pose: the camera; None: the session's own view, with what the hand holds.

        Returns:
            Numbers of shape (H, W) of the scene's camera, row 0 at the top: 0 the room, n the n-th handle; and the handles.
        """
        ...

    def hands(self, session: str) -> Hands:
        """What a hand can do in the session's scene; it follows from the kinds of its objects alone. Only with ``hands``."""
        ...

    def audit(self, session: str) -> tuple[dict[str, dict[str, bool]], list[Contact]]:
        """What is wrong with the scene now, and where objects touch. Changes nothing. Only with ``audit``.

        Returns:
            handle → ``floating``, ``interpenetrating``, ``moved_after_settling``, ``out_of_room``, ``never_visible``; and the contacts.
        """
        ...

    def snapshot(self, session: str) -> bytes:
        """Complete state of the session (physics, camera, phase, held object) as bytes, no pickle."""
        ...

    def restore(self, session: str, snapshot: bytes) -> None:
        """Set the session to `snapshot`; the next frame equals the one at the time of the snapshot."""
        ...

    def close(self, session: str) -> None:
        """Forget the session; unknown sessions are ignored."""
        ...


class Routed(Backend, Protocol):
    """A backend that declares ``routes``."""

    def route(
        self, session: str, start_xy_m: Sequence[float], goal_xy_m: Sequence[float]
    ) -> tuple[list[tuple[float, float]], float] | None:
        """The shortest way on the floor: (x, y) in metres and its length; None: there is none. Only with ``routes``."""
        ...

    def floor_map(self, session: str) -> tuple[NDArray[np.bool_], float] | None:
        """Where one can walk, (rows, columns), and metres per cell; None: the scene has no map. Only with ``routes``."""
        ...
