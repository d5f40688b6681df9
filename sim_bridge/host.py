"""One simulator, many sessions: turns protocol requests into backend calls, without any network.

The host keeps what the protocol promises, whatever the backend: scenes and poses are checked, unknown sessions and actions are refused,
a repeated (session, seq) returns the stored reply, sessions beyond the limit are dropped (least recently used first), and every
failure is a typed reply. All calls must come from one thread, the simulator's.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

import msgspec
import numpy as np

from sim_bridge.actions import ACTIONS, parse_action
from sim_bridge.backend import Backend, Routed
from sim_bridge.errors import ActionError, BadRequest, BridgeError, OutOfOrder, SceneError, UnknownSession, UnsupportedVersion
from sim_bridge.kinematics import canonical
from sim_bridge.protocol import (
    MAX_SESSIONS,
    VERSION,
    Act,
    Close,
    Done,
    ErrorReply,
    FloorMap,
    FloorMapReply,
    Hello,
    HelloReply,
    Load,
    Masks,
    MasksReply,
    Observe,
    Reply,
    Request,
    Restore,
    Route,
    RouteReply,
    SetPhase,
    Snapshot,
    SnapshotReply,
    State,
    StateReply,
    StepReply,
    Views,
    ViewsReply,
)
from sim_bridge.spec import Observation, Pose, Scene
from sim_bridge.timing import take
from sim_bridge.validation import MAX_REPLAY, MAX_VIEWS, check_deadline, check_pose, check_scene, check_seq, check_session

log = logging.getLogger("sim_bridge.host")

MAX_SNAPSHOT_BYTES = 64 << 20
"""Largest uncompressed state accepted."""
PHASE_PREFIX = "phase:"
"""An item ``phase:<name>`` in `Load.replay` is a phase change."""
BUILT_IN = ("toy", "mujoco", "recorded", "omnigibson")
"""Backends shipped with the bridge, modules of `sim_bridge.backends` with a function ``create``."""


def create_backend(name: str) -> Backend:
    """The backend called `name`: one of `BUILT_IN`, or ``module:callable`` for one of your own.

    Raises:
        BadRequest: there is no such backend, or what it needs is not installed.
    """
    if ":" in name:
        module_name, _, attribute = name.partition(":")
    elif name in BUILT_IN:
        module_name, attribute = f"sim_bridge.backends.{name}", "create"
    else:
        raise BadRequest(f"backend: expected one of {', '.join(BUILT_IN)} or module:callable, got {name!r}")
    try:
        factory = getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError) as problem:
        hint = " Install it with: pip install 'sim-bridge[mujoco]'." if name == "mujoco" else ""
        raise BadRequest(f"backend {name!r} cannot be loaded: {problem}.{hint}") from problem
    backend: Backend = factory()
    return backend


class _Hosted:
    """What the host remembers of one session."""

    def __init__(self, scene: Scene, allowed: tuple[str, ...], digest: bytes) -> None:
        self.handles = frozenset(thing.handle for thing in scene.objects)
        self.phases = tuple(phase.name for phase in scene.phases)
        self.allowed, self.scene_digest = allowed, digest
        self.camera = Pose((0.0, 0.0, 0.0))
        self.seq = 0
        self.last_digest = b""
        self.last_reply: StepReply | None = None


class Host:
    """Answers requests with a backend.

    Args:
        backend: see `sim_bridge.backend.Backend`.
        max_sessions: sessions kept at once.
    """

    def __init__(self, backend: Backend, max_sessions: int = MAX_SESSIONS) -> None:
        self.backend = backend
        self.max_sessions = max_sessions
        self.episodes = 0
        """Sessions that were started, not resumed, since this host was made."""
        self._sessions: OrderedDict[str, _Hosted] = OrderedDict()
        self._handlers: dict[type[Request], Callable[[Any, dict[str, float]], Reply]] = {
            Load: self._load,
            Act: self._act,
            SetPhase: self._set_phase,
            Observe: self._observe,
            State: self._state,
            Views: self._views,
            Masks: self._masks,
            Route: self._route,
            FloorMap: self._floor_map,
            Snapshot: self._snapshot,
            Restore: self._restore,
            Close: self._close,
        }

    @property
    def session_count(self) -> int:
        return len(self._sessions)

    def hello(self, request: Hello) -> HelloReply:
        """Agree on a protocol version: the highest both ends speak.

        Raises:
            UnsupportedVersion: there is none.
        """
        low, high = request.versions
        if not low <= VERSION <= high:
            raise UnsupportedVersion(f"This worker speaks bridge protocol {VERSION}, the client {low} to {high}: update the older one.")
        backend = self.backend
        return HelloReply(
            id=request.id,
            version=VERSION,
            backend=backend.name,
            deterministic=backend.deterministic,
            capabilities=tuple(backend.capabilities),
            fingerprint=backend.fingerprint(),
            places=self.max_sessions,
            deadlines_s=dict(getattr(backend, "deadlines_s", {})),
        )

    def handle(self, request: Request, queue_ms: float = 0.0) -> Reply:
        """Execute one request; every failure becomes an `ErrorReply`, but for the one that no reply can mend.

        Raises:
            MemoryError: there is none left; what runs on in this process cannot be trusted.
        """
        started = time.perf_counter()
        timing = {"queue": queue_ms}
        try:
            check_deadline(request.deadline_s)
            if isinstance(request, Hello):
                return self.hello(request)
            check_session(request.session)  # type: ignore[attr-defined]
            take()
            reply = self._handlers[type(request)](request, timing)
        except BridgeError as problem:
            return error_reply(request.id, problem)
        except Exception as problem:
            if out_of_memory(problem):
                raise MemoryError(f"out of memory in {type(request).__name__.lower()}") from problem
            return self._broken(request)
        reply.id = request.id
        if isinstance(reply, StepReply) and not reply.replayed:
            timing["total"] = _since(started) + queue_ms
            reply.timing_ms = timing
        return reply

    def close(self) -> None:
        """Close every session."""
        for session in list(self._sessions):
            self._drop(session)

    def _load(self, request: Load, timing: dict[str, float]) -> StepReply:
        check_seq(request.seq)
        digest = _digest(request)
        known = self._sessions.get(request.session)
        if known is not None and known.last_reply is not None and known.seq == request.seq and known.last_digest == digest:
            return self._again(request.session, known)
        check_scene(request.scene)
        check_pose(request.start, "start")
        allowed = self._allowed(request.actions)
        if len(request.replay) > MAX_REPLAY:
            raise BadRequest(f"replay: expected at most {MAX_REPLAY} actions, got {len(request.replay)}")
        hosted = _Hosted(request.scene, allowed, _scene_digest(request.scene))
        resumes = bool(request.replay) or request.snapshot is not None
        state = self._opened(request.snapshot, hosted) if request.snapshot is not None else None
        for item in request.replay:
            self._check_replay_item(item, hosted)

        self._drop(request.session)
        while len(self._sessions) >= self.max_sessions:
            oldest = next(iter(self._sessions))
            log.info("session %s is dropped to make room for %s", oldest, request.session)
            self._drop(oldest)
        self._sessions[request.session] = hosted
        start = time.perf_counter()
        try:
            backend, start_pose = self.backend, canonical(request.start)
            spared = _spared(backend.load, "render") if resumes else {}
            observation = backend.load(request.session, request.scene, start_pose, request.seed, **spared)
            if state is not None:
                backend.restore(request.session, state)
            for item in request.replay:
                self._replay(request.session, item)
            if resumes:
                observation = backend.observe(request.session)
        except BaseException:
            self._drop(request.session)
            raise
        timing["simulate"] = _since(start)
        self.episodes += not resumes
        hosted.camera = observation.camera
        reply = self._step(request.session, request.seq, digest, hosted, observation.camera, observation, timing)
        if "hands" in backend.capabilities:
            reply.hands = backend.hands(request.session)
        return reply

    def _act(self, request: Act, timing: dict[str, float]) -> StepReply:
        hosted = self._find(request.session)
        digest = _digest(request)
        if self._is_repeat(hosted, request.seq, digest):
            return self._again(request.session, hosted)
        action = parse_action(request.action, hosted.allowed)
        self._check_handles(action.objects, hosted, request.action)
        before, start = hosted.camera, time.perf_counter()
        outcome = self.backend.act(request.session, action, **({} if request.pictures else _spared(self.backend.act, "render")))
        timing["simulate"] = _since(start)
        reply = self._step(request.session, request.seq, digest, hosted, before, outcome.observation, timing)
        reply.ok, reply.reason, reply.ended = outcome.ok, outcome.reason, outcome.ended
        return reply

    def _set_phase(self, request: SetPhase, timing: dict[str, float]) -> StepReply:
        hosted = self._find(request.session)
        digest = _digest(request)
        if self._is_repeat(hosted, request.seq, digest):
            return self._again(request.session, hosted)
        self._check_phase(request.phase, hosted)
        before, start = hosted.camera, time.perf_counter()
        observation = self.backend.set_phase(request.session, request.phase)
        timing["simulate"] = _since(start)
        return self._step(request.session, request.seq, digest, hosted, before, observation, timing)

    def _restore(self, request: Restore, timing: dict[str, float]) -> StepReply:
        hosted = self._find(request.session)
        digest = _digest(request)
        if self._is_repeat(hosted, request.seq, digest):
            return self._again(request.session, hosted)
        state = self._opened(request.snapshot, hosted)
        before, start = hosted.camera, time.perf_counter()
        self.backend.restore(request.session, state)
        observation = self.backend.observe(request.session)
        timing["simulate"] = _since(start)
        return self._step(request.session, request.seq, digest, hosted, before, observation, timing)

    def _observe(self, request: Observe, timing: dict[str, float]) -> StepReply:
        hosted = self._find(request.session)
        start = time.perf_counter()
        observation = self.backend.observe(request.session)
        timing["simulate"] = _since(start)
        return StepReply(session=request.session, seq=hosted.seq, before=observation.camera, observation=observation)

    def _state(self, request: State, timing: dict[str, float]) -> StateReply:
        self._find(request.session)
        objects, relations = self.backend.state(request.session)
        if not request.audit:
            return StateReply(objects=tuple(objects), relations=tuple(relations))
        self._need("audit", "audit: the {} backend looks for nothing; ask without")
        found, contacts = self.backend.audit(request.session)
        audited = [msgspec.structs.replace(o, flags={**o.flags, **found.get(o.handle, {})}) for o in objects]
        return StateReply(objects=tuple(audited), relations=tuple(relations), contacts=tuple(contacts))

    def _views(self, request: Views, timing: dict[str, float]) -> ViewsReply:
        self._find(request.session)
        if len(request.poses) > MAX_VIEWS:
            raise BadRequest(f"poses: expected at most {MAX_VIEWS} in one request, got {len(request.poses)}")
        for i, pose in enumerate(request.poses):
            check_pose(pose, f"poses[{i}]")
        if request.visible:
            self._need("view_counts", "visible: the {} backend counts no pixels in views; ask for frames alone")
        frames = self.backend.views(request.session, request.poses) if request.frames else []
        visible = self.backend.visible(request.session, request.poses) if request.visible else []
        return ViewsReply(frames=tuple(frames), visible=tuple(visible))

    def _masks(self, request: Masks, timing: dict[str, float]) -> MasksReply:
        self._find(request.session)
        self._need("masks", "masks: the {} backend tells no pixels apart")
        if request.pose is not None:
            check_pose(request.pose, "pose")
        numbers, handles = self.backend.masks(request.session, request.pose)
        shown = np.unique(numbers[numbers > 0])
        renumbered = np.zeros(len(handles) + 1, "<u2")
        renumbered[shown] = np.arange(1, len(shown) + 1)
        height, width = numbers.shape
        pixels = zlib.compress(renumbered[numbers].tobytes(), 1)
        return MasksReply(width=width, height=height, handles=tuple(handles[n - 1] for n in shown), pixels=pixels)

    def _route(self, request: Route, timing: dict[str, float]) -> RouteReply:
        self._find(request.session)
        self._need("routes", "route: the {} backend has no map of where one can walk")
        for where, point in (("start_xy_m", request.start_xy_m), ("goal_xy_m", request.goal_xy_m)):
            check_pose(Pose((*point, 0.0)), where)
        found = cast(Routed, self.backend).route(request.session, request.start_xy_m, request.goal_xy_m)
        return RouteReply() if found is None else RouteReply(points_m=tuple(found[0]), length_m=found[1])

    def _floor_map(self, request: FloorMap, timing: dict[str, float]) -> FloorMapReply:
        self._find(request.session)
        self._need("routes", "floor_map: the {} backend has no map of where one can walk")
        found = cast(Routed, self.backend).floor_map(request.session)
        if found is None:
            return FloorMapReply()
        cells, metres = found
        rows, columns = cells.shape
        return FloorMapReply(rows=rows, columns=columns, cell_m=metres, cells=zlib.compress(cells.astype(np.uint8).tobytes(), 1))

    def _snapshot(self, request: Snapshot, timing: dict[str, float]) -> SnapshotReply:
        hosted = self._find(request.session)
        return SnapshotReply(snapshot=self._sealed(request.session, hosted))

    def _close(self, request: Close, timing: dict[str, float]) -> Done:
        self._drop(request.session)
        return Done()

    def _step(
        self,
        session: str,
        seq: int,
        digest: bytes,
        hosted: _Hosted,
        before: Pose,
        observation: Observation,
        timing: dict[str, float],
    ) -> StepReply:
        start = time.perf_counter()
        snapshot = self._sealed(session, hosted)
        timing["snapshot"] = _since(start)
        parts = take()
        timing.update(parts, simulate=max(0.0, timing["simulate"] - sum(parts.values())))
        reply = StepReply(session=session, seq=seq, before=before, observation=observation, snapshot=snapshot)
        hosted.camera, hosted.seq, hosted.last_digest, hosted.last_reply = observation.camera, seq, digest, reply
        return reply

    def _need(self, feature: str, otherwise: str) -> None:
        if feature not in self.backend.capabilities:
            raise BadRequest(otherwise.format(self.backend.name))

    def _find(self, session: str) -> _Hosted:
        hosted = self._sessions.get(session)
        if hosted is None:
            raise UnknownSession(f"This worker does not hold session {session!r} (never loaded, or dropped for others): load it again.")
        self._sessions.move_to_end(session)
        return hosted

    def _again(self, session: str, hosted: _Hosted) -> StepReply:
        self._sessions.move_to_end(session)
        assert hosted.last_reply is not None
        return msgspec.structs.replace(hosted.last_reply, replayed=True)

    def _is_repeat(self, hosted: _Hosted, seq: int, digest: bytes) -> bool:
        """Whether the request is the last one again.

        Raises:
            OutOfOrder: an older seq, or the last one with other contents.
        """
        check_seq(seq)
        if seq == hosted.seq and digest == hosted.last_digest:
            return True
        if seq <= hosted.seq:
            was = "has been used for another request" if seq == hosted.seq else "is over"
            raise OutOfOrder(f"seq: {seq} {was}, the session is at {hosted.seq}; send {hosted.seq + 1} or load the session again.")
        return False

    def _allowed(self, actions: tuple[str, ...]) -> tuple[str, ...]:
        """Action names the session may use; checks that they exist and that the backend has them."""
        able = tuple(a for a in ACTIONS if a in self.backend.capabilities)
        for name in actions:
            if name not in ACTIONS:
                raise BadRequest(f"actions: expected names among {', '.join(ACTIONS)}, got {name[:80]!r}")
            if name not in able:
                raise BadRequest(f"actions: the {self.backend.name} backend cannot {name!r}; it has {', '.join(able)}")
        return tuple(actions) or able

    def _check_handles(self, objects: tuple[str, ...], hosted: _Hosted, text: str) -> None:
        for handle in objects:
            if handle not in hosted.handles:
                raise ActionError(f"This is no action: {text[:80]!r}, the scene has no object {handle!r}.")

    def _check_phase(self, phase: str, hosted: _Hosted) -> None:
        if phase not in hosted.phases:
            raise BadRequest(f"phase: expected one of {', '.join(hosted.phases) or '(the scene has none)'}, got {phase[:64]!r}")

    def _check_replay_item(self, item: str, hosted: _Hosted) -> None:
        if item.startswith(PHASE_PREFIX):
            self._check_phase(item[len(PHASE_PREFIX) :], hosted)
        else:
            self._check_handles(parse_action(item, hosted.allowed).objects, hosted, item)

    def _replay(self, session: str, item: str) -> None:
        if item.startswith(PHASE_PREFIX):
            self.backend.set_phase(session, item[len(PHASE_PREFIX) :], **_spared(self.backend.set_phase, "render", "visible"))
        else:
            self.backend.act(session, parse_action(item), **_spared(self.backend.act, "render", "visible"))

    def _sealed(self, session: str, hosted: _Hosted) -> bytes:
        """State of the session, compressed, with the backend and scene it belongs to."""
        state = self.backend.snapshot(session)
        return msgspec.msgpack.encode((1, self.backend.name, hosted.scene_digest, zlib.compress(state, 1)))

    def _opened(self, snapshot: bytes, hosted: _Hosted) -> bytes:
        """State inside `snapshot`; refuses what belongs to another backend or scene."""
        try:
            version, backend, digest, packed = msgspec.msgpack.decode(snapshot, type=tuple[int, str, bytes, bytes])
            unpacker = zlib.decompressobj()
            state = unpacker.decompress(packed, MAX_SNAPSHOT_BYTES)
        except (msgspec.MsgspecError, zlib.error) as problem:
            raise BadRequest(f"snapshot: not readable ({problem}); use one that a worker returned") from None
        if not unpacker.eof:
            raise BadRequest(f"snapshot: cut off, or more than {MAX_SNAPSHOT_BYTES} bytes unpacked")
        if (version, backend) != (1, self.backend.name):
            raise BadRequest(f"snapshot: made by backend {backend!r} (format {version}), this is {self.backend.name!r} (format 1)")
        if digest != hosted.scene_digest:
            raise BadRequest("snapshot: made in another scene; load the scene it was made in")
        return state

    def _drop(self, session: str) -> None:
        if self._sessions.pop(session, None) is not None:
            self.backend.close(session)

    def _broken(self, request: Request) -> ErrorReply:
        """The simulator raised something unforeseen: its session can no longer be trusted."""
        session = getattr(request, "session", "")
        log.exception("%s of session %s failed", type(request).__name__, session)
        try:
            self._drop(session)
        except Exception:
            log.exception("closing session %s failed", session)
            self._sessions.pop(session, None)
        what = type(request).__name__.lower()
        text = f"The simulator failed in {what} and the session was closed: load it again. The worker's log says why."
        return error_reply(request.id, BridgeError(text))


def error_reply(request_id: int, problem: BridgeError) -> ErrorReply:
    """The reply that carries an error."""
    return ErrorReply(id=request_id, code=problem.code, message=str(problem))


def out_of_memory(problem: BaseException) -> bool:
    """Whether an exception, or what it came from, says that memory ran out; native libraries say so in words."""
    seen: BaseException | None = problem
    while seen is not None:
        words = "" if isinstance(seen, BridgeError) else str(seen).lower()
        if isinstance(seen, MemoryError) or "out of memory" in words or ("allocate" in words and "memory" in words):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _spared(method: Callable[..., object], *work: str) -> dict[str, bool]:
    """``render=False``, ``visible=False``: spares pictures and counts that nobody looks at; backends need not take them."""
    return {name: False for name in work if name in inspect.signature(method).parameters}


def _digest(request: Request) -> bytes:
    """What a request asks for, whatever its id and deadline."""
    return hashlib.sha256(msgspec.msgpack.encode(msgspec.structs.replace(request, id=0, deadline_s=0.0))).digest()


def _scene_digest(scene: Scene) -> bytes:
    try:
        return hashlib.sha256(msgspec.msgpack.encode(scene)).digest()[:12]
    except (TypeError, ValueError) as problem:
        raise SceneError(f"scene: {problem}") from None


def _since(start: float) -> float:
    """Milliseconds since a perf_counter reading."""
    return (time.perf_counter() - start) * 1e3
