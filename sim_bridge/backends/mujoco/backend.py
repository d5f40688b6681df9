"""The MuJoCo backend: sessions over compiled worlds (`sim_bridge.backend.Backend`).

A session is its own physics state, camera and phase; worlds and their buffers are shared and cached. One thread only.
"""

from __future__ import annotations

import platform
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.actions import CAMERA_ACTIONS, Action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.changes import newest
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.deeds import DEEDS, Failed, Stage, able
from sim_bridge.backends.mujoco.engine import judging, memory
from sim_bridge.backends.mujoco.engine.building import Placed, World, rotation
from sim_bridge.backends.mujoco.engine.render import Hand, Renderers
from sim_bridge.backends.mujoco.engine.session import Carried, Session, advance, in_hand_lift, parked, put_pose, settle_pose, show
from sim_bridge.backends.mujoco.engine.world import build, check_scene, in_phase, world_key
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.models.lamps import MAKER as LAMP
from sim_bridge.encoding import encode_frame
from sim_bridge.errors import BadRequest, SceneError, UnknownSession
from sim_bridge.kinematics import canonical, moved
from sim_bridge.spec import Contact, Frame, Hands, ObjectState, Observation, Phase, Pose, Relation, Scene
from sim_bridge.validation import check_pose

STEPS_PER_ACTION = 10
"""Physics steps after every action, 4 ms each (the released runner renders ten times)."""
MAX_IDLE_WORLDS = 4
"""Compiled worlds kept beyond those that sessions hold: 40 to 120 MB each with their buffers (measured: an empty room, a house)."""
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    """A session as bytes."""

    world: str
    camera: Pose
    phase: str
    state: bytes
    """Physics state, zlib-compressed float64."""
    hand: tuple[Carried, ...] = ()
    extras: dict[str, dict[str, Any]] = {}
    steps: int = 0
    version: int = 2


class MujocoBackend:
    """Scenes of the catalogue's objects in rectangular rooms; the ten camera actions."""

    name = "mujoco"
    deterministic = True
    capabilities = (
        *CAMERA_ACTIONS, *DEEDS, "phases", "phase_light", "mirror", "dynamic", "view_counts", "audit", "hands", "masks", "camera_steps",
        "cloth", "robot_walk",
    )  # fmt: skip

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        self.catalogue = catalogue or Catalogue.load()
        self._renderers = Renderers()
        self._worlds: OrderedDict[str, World] = OrderedDict()
        self._sessions: dict[str, Session] = {}

    # --- the contract -------------------------------------------------------------------------------------------------

    def fingerprint(self) -> dict[str, str]:
        c = self.catalogue
        return {
            "backend": self.name,
            "mujoco": mujoco.__version__,
            **self._renderers.description(),
            "assets": c.name,
            "assets_version": c.version,
            "assets_hash": c.hash,
            "machine": platform.machine(),
            "physics": str(newest(self.name)),
        }

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        """Everything is decided by `scene` and `start`; `seed` is accepted and changes nothing."""
        check_scene(scene, start)
        self._check_lamps(scene)
        first = scene.phases[0] if scene.phases else None
        world = self._world(in_phase(scene, first), canonical(start))
        self._sessions[session] = Session(world, mujoco.MjData(world.model), world.start, "", scene)
        self._enter(self._sessions[session], first)
        return self._observe(self._sessions[session], render, render)

    def act(self, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        s = self._session(session)
        if action.name in CAMERA_ACTIONS:
            s.camera = moved(s.world.scene.camera, s.camera, action.name)
            self._go_on(s)
            return ActionOutcome(True, "", self._observe(s, render, visible))
        if action.name not in DEEDS:
            return ActionOutcome(False, f"{action.name} is not possible in this simulator", self._observe(s, render, visible))
        stage = Stage(s, (lambda: self._picture(s)) if render else None, lambda: self._pixels(s), lambda h: self._through(s, h))
        reason, before = "", self.snapshot(session)
        try:
            DEEDS[action.name](stage, action)
        except Failed as failure:
            # A deed may find out half-way; then nothing of it has happened.
            reason = str(failure)
            self.restore(session, before)
            stage.frames.clear()
            stage.ended = ""
        if action.name != "wait":
            self._go_on(s)
        seen = self._observe(s, render, visible)
        return ActionOutcome(not reason, reason, msgspec.structs.replace(seen, frames=(*stage.frames, *seen.frames)), stage.ended)

    def observe(self, session: str) -> Observation:
        return self._observe(self._session(session))

    def set_phase(self, session: str, phase: str, render: bool = True, visible: bool = True) -> Observation:
        s = self._session(session)
        found = next((p for p in s.world.scene.phases if p.name == phase), None)
        if found is None:
            names = ", ".join(p.name for p in s.world.scene.phases) or "none"
            raise BadRequest(f"phase: the scene has no phase {phase!r}; its phases: {names}")
        self._enter(s, found)
        return self._observe(s, render, visible)

    def state(self, session: str) -> tuple[list[ObjectState], list[Relation]]:
        s = self._session(session)
        pixels = self._renderers.get(s.world).visible(s.data, *self._eye(s.camera), 1, _hand(s))
        return judging.states(s, pixels), judging.relations(s)

    def views(self, session: str, poses: Sequence[Pose]) -> list[Frame]:
        s = self._session(session)
        frames = []
        for i, pose in enumerate(poses):
            check_pose(pose, f"poses[{i}]")
            frames.append(encode_frame(self._renderers.get(s.world).picture(s.data, *self._eye(pose))))
        return frames

    def visible(self, session: str, poses: Sequence[Pose]) -> list[dict[str, int]]:
        s = self._session(session)
        found = []
        for i, pose in enumerate(poses):
            check_pose(pose, f"poses[{i}]")
            found.append(self._named(s, self._renderers.get(s.world).visible(s.data, *self._eye(pose), step=1)))
        return found

    def masks(self, session: str, pose: Pose | None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """What each pixel shows, also through glass."""
        s = self._session(session)
        renderer = self._renderers.get(s.world)
        owned = renderer.masks(s.data, *self._eye(pose or s.camera), _hand(s) if pose is None else None)
        handles = tuple(p.handle for p in s.world.objects)
        there = np.array([0, *(0 if s.absent(handle) else n for n, handle in enumerate(handles, 1))], np.int32)
        return there[owned + 1], handles

    def hands(self, session: str) -> Hands:
        return able.hands(self._session(session).world)

    def audit(self, session: str) -> tuple[dict[str, dict[str, bool]], list[Contact]]:
        s = self._session(session)
        renderer = self._renderers.get(s.world)
        return judging.audit(s, lambda eye, turn: renderer.visible(s.data, eye, turn, step=1)), judging.contacts(s)

    def snapshot(self, session: str) -> bytes:
        s = self._session(session)
        state = np.empty(mujoco.mj_stateSize(s.world.model, _STATE))
        mujoco.mj_getState(s.world.model, s.data, state, _STATE)
        return msgspec.msgpack.encode(_Saved(s.world.key, s.camera, s.phase, zlib.compress(state.tobytes(), 1), s.hand, s.extras, s.steps))

    def restore(self, session: str, snapshot: bytes) -> None:
        s = self._session(session)
        try:
            saved = msgspec.msgpack.decode(snapshot, type=_Saved)
            state = np.frombuffer(zlib.decompress(saved.state))
        except (msgspec.DecodeError, zlib.error, ValueError) as error:
            raise BadRequest(f"snapshot: not a snapshot of this backend ({error})") from None
        self._light(s, next((p for p in s.scene.phases if p.name == saved.phase), None))
        if saved.world != s.world.key or len(state) != mujoco.mj_stateSize(s.world.model, _STATE):
            raise BadRequest("snapshot: taken of another scene, object catalogue or program version")
        mujoco.mj_setState(s.world.model, s.data, state, _STATE)
        s.camera, s.phase = saved.camera, saved.phase
        s.hand, s.extras, s.steps = saved.hand, saved.extras, saved.steps
        show(s)

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)

    def shutdown(self) -> None:
        """Free the renderer; the backend cannot be used afterwards."""
        self._sessions.clear()
        self._worlds.clear()
        self._renderers.close()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _session(self, session: str) -> Session:
        try:
            return self._sessions[session]
        except KeyError:
            raise UnknownSession(f"session {session!r} is not loaded here") from None

    def _world(self, scene: Scene, start: Pose) -> World:
        key = world_key(scene, start, self.catalogue.hash)
        if key not in self._worlds:
            self._worlds[key] = build(scene, start, self.catalogue, key)
        self._worlds.move_to_end(key)
        held = {key, *(s.world.key for s in self._sessions.values())}
        idle = [k for k in self._worlds if k not in held]
        for old in idle[: max(0, len(idle) - MAX_IDLE_WORLDS)]:
            del self._worlds[old]
            self._renderers.drop(old)
            memory.give_back()
        return self._worlds[key]

    def _check_lamps(self, scene: Scene) -> None:
        """Refuse phases that light what is no lamp.

        Raises:
            SceneError: naming the phase.
        """
        for i, phase in enumerate(scene.phases):
            for thing in scene.objects:
                if thing.handle in phase.lit and self.catalogue.lookup(thing.category).maker != LAMP:
                    raise SceneError(f"scene.phases[{i}].lit: {thing.handle}: a {thing.category} is no lamp here")

    def _light(self, s: Session, phase: Phase | None) -> None:
        """The session's world as a phase lights it. Materials and lights are fixed when a world is compiled, so another light is another
        world; physics and geometry are the same in both, and what had moved in the old one is not kept."""
        world = self._world(in_phase(s.scene, phase), s.world.start)
        if world is not s.world:
            s.world, s.data = world, mujoco.MjData(world.model)

    def _enter(self, s: Session, phase: Phase | None) -> None:
        """Light the world as in `phase`, set every object to its pose in it, settle, and put the camera at the start."""
        self._light(s, phase)
        mujoco.mj_resetData(s.world.model, s.data)
        hidden = set(phase.hidden) if phase else set()
        for i, p in enumerate(s.world.objects):
            pose = phase.moved.get(p.handle, p.home) if phase else p.home
            if phase and p.handle in phase.moved:
                pose = self._centre_pose(s, p, pose)
            put_pose(s, p, parked(i) if p.handle in hidden else pose)
        s.camera, s.phase = s.world.start, phase.name if phase else ""
        s.hand, s.extras, s.steps = (), {}, 0
        settle_pose(s)
        for entity in s.world.entities:
            entity.enter(s)
        advance(s, s.world.scene.settle_steps)

    def _go_on(self, s: Session) -> None:
        """What one action's time brings: entities go on, physics runs for a moment, what is held follows the camera."""
        s.steps += 1
        for entity in s.world.entities:
            entity.advance(s)
        advance(s, STEPS_PER_ACTION)

    def _centre_pose(self, s: Session, p: Placed, pose: Pose) -> Pose:
        """A phase's pose follows the object's own `origin` and `on_floor`."""
        o = next(o for o in s.world.scene.objects if o.handle == p.handle)
        turn = rotation(pose.quaternion_xyzw)
        centre = np.array(pose.position_m, float)
        if o.origin == "base":
            centre = centre + turn @ np.array([0, 0, p.size_m[2] / 2])
        if o.on_floor:
            centre[2] = s.world.scene.room.floor_z_m - float((p.vertices @ turn.T)[:, 2].min())
        return Pose(_vec(centre), pose.quaternion_xyzw)

    @staticmethod
    def _eye(pose: Pose) -> tuple[Array, Array]:
        return np.array(pose.position_m, float), rotation(pose.quaternion_xyzw)

    def _observe(self, s: Session, render: bool = True, visible: bool = True) -> Observation:
        clipped = judging.clipped(s)
        counted = visible and bool(s.world.objects)
        if not (render or counted):
            return Observation((), s.camera, {}, clipped, s.phase)
        renderer = self._renderers.get(s.world)
        eye, turn = self._eye(s.camera)
        hand = _hand(s)
        frames = (encode_frame(renderer.picture(s.data, eye, turn, hand)),) if render else ()
        if not counted:
            return Observation(frames, s.camera, {}, clipped, s.phase)
        seen = renderer.seen(s.data, eye, turn, hand=hand)
        shown = self._named(s, seen[:, 0])
        boxes = {p.handle: (int(x0), int(y0), int(x1), int(y1)) for p, (_, x0, y0, x1, y1) in zip(s.world.objects, seen, strict=True)}
        return Observation(frames, s.camera, shown, clipped, s.phase, {handle: boxes[handle] for handle in shown})

    def _picture(self, s: Session) -> Frame:
        """The current view, for the pictures on the way of an action."""
        return encode_frame(self._renderers.get(s.world).picture(s.data, *self._eye(s.camera), _hand(s)))

    def _pixels(self, s: Session) -> dict[str, int]:
        """Pixels of every object in the current view, by handle, all counted."""
        return self._named(s, self._renderers.get(s.world).visible(s.data, *self._eye(s.camera), 1, _hand(s)))

    def _through(self, s: Session, handle: str) -> int:
        """Pixels of an object in the current view with other glass left out, all counted."""
        index = next(i for i, p in enumerate(s.world.objects) if p.handle == handle)
        return self._renderers.get(s.world).through_glass(s.data, *self._eye(s.camera), index, _hand(s))

    @staticmethod
    def _named(s: Session, pixels: NDArray[np.int64]) -> dict[str, int]:
        return {p.handle: int(n) for p, n in zip(s.world.objects, pixels, strict=True) if n > 0 and not s.absent(p.handle)}


def _hand(s: Session) -> Hand | None:
    """What is drawn as held in the current view."""
    lift = in_hand_lift(s)
    if lift is None:
        return None
    return Hand(np.array([s.carried(p.handle) for p in s.world.objects]), lift)


def _vec(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
