"""The calling end of the bridge: one WebSocket connection to one worker."""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
import zlib
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI, WebSocketException
from websockets.sync.client import ClientConnection, connect

from sim_bridge import errors
from sim_bridge.errors import BridgeError, UnsupportedVersion, WorkerLost
from sim_bridge.protocol import (
    MAX_MESSAGE_BYTES,
    VERSION,
    Act,
    Close,
    Done,
    ErrorReply,
    FloorMap,
    FloorMapReply,
    Health,
    HealthReply,
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
    decode_reply,
    encode,
)
from sim_bridge.spec import Frame, Pose, Scene
from sim_bridge.validation import MAX_VIEWS

log = logging.getLogger("sim_bridge.client")

VIEWS_PER_MESSAGE = 6
"""Poses per `views` message: six lossless 1280×720 frames stay well below the message limit."""

R = TypeVar("R", bound=Reply)

_CLASSES: dict[str, type[BridgeError]] = {
    cls.code: cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, BridgeError)
}


class Calls:
    """The requests of the protocol as methods; a subclass says how one is answered.

    Every method raises the `sim_bridge.errors` class that the other end names.
    """

    hello: HelloReply
    """The other end's answer to the handshake."""

    def _ask(self, request: Request, expected: type[R]) -> R:
        raise NotImplementedError

    def load(
        self,
        session: str,
        scene: Scene,
        start: Pose,
        *,
        actions: Sequence[str] = (),
        seed: int = 0,
        seq: int = 0,
        replay: Sequence[str] = (),
        snapshot: bytes | None = None,
        deadline_s: float = 60.0,
    ) -> StepReply:
        """Build a session, or resume it at `seq` from `snapshot` and then `replay` (see `protocol.Load`)."""
        request = Load(
            session=session,
            seq=seq,
            scene=scene,
            start=start,
            actions=tuple(actions),
            seed=seed,
            replay=tuple(replay),
            snapshot=snapshot,
            deadline_s=deadline_s,
        )
        return self._ask(request, StepReply)

    def act(self, session: str, seq: int, action: str, *, pictures: bool = True, deadline_s: float = 30.0) -> StepReply:
        """Execute one action; a repeated `seq` returns the same reply with `replayed` true. Without `pictures` it has no frames."""
        return self._ask(Act(session=session, seq=seq, action=action, pictures=pictures, deadline_s=deadline_s), StepReply)

    def set_phase(self, session: str, seq: int, phase: str, *, deadline_s: float = 30.0) -> StepReply:
        """Switch to a named phase."""
        return self._ask(SetPhase(session=session, seq=seq, phase=phase, deadline_s=deadline_s), StepReply)

    def observe(self, session: str, *, deadline_s: float = 30.0) -> StepReply:
        """The current view, without acting."""
        return self._ask(Observe(session=session, deadline_s=deadline_s), StepReply)

    def state(self, session: str, *, audit: bool = False, deadline_s: float = 30.0) -> StateReply:
        """Objects and relations now; for judges and logs. `audit` adds contacts and flags of what is wrong with the scene."""
        return self._ask(State(session=session, audit=audit, deadline_s=deadline_s), StateReply)

    def views(self, session: str, poses: Sequence[Pose], *, deadline_s: float = 60.0) -> tuple[Frame, ...]:
        """One frame per given camera; the session's own camera stays. `deadline_s` holds for each message of a few poses."""
        frames: list[Frame] = []
        for i in range(0, len(poses), VIEWS_PER_MESSAGE):
            part = tuple(poses[i : i + VIEWS_PER_MESSAGE])
            frames += self._ask(Views(session=session, poses=part, deadline_s=deadline_s), ViewsReply).frames
        return tuple(frames)

    def visible(self, session: str, poses: Sequence[Pose], *, deadline_s: float = 60.0) -> tuple[dict[str, int], ...]:
        """Pixels of every object (handle → pixels, those with none left out) in the view from each given camera.

        Raises:
            BadRequest: the worker cannot count them.
        """
        found: list[dict[str, int]] = []
        for i in range(0, len(poses), MAX_VIEWS):
            part = tuple(poses[i : i + MAX_VIEWS])
            reply = self._ask(Views(session=session, poses=part, frames=False, visible=True, deadline_s=deadline_s), ViewsReply)
            if len(reply.visible) != len(part):
                raise errors.BadRequest(f"visible: the worker is too old to count pixels in views, it counted {len(reply.visible)}")
            found += reply.visible
        return tuple(found)

    def masks(self, session: str, pose: Pose | None = None, *, deadline_s: float = 60.0) -> tuple[NDArray[np.uint16], tuple[str, ...]]:
        """Which object each pixel of a view shows.

        Args:
            pose: the camera; None: the session's own view, with what the hand holds.

        Returns:
            Numbers of shape (H, W), row 0 at the top: 0 the room, n the n-th handle; and the handles of what shows, in the scene's order.

        Raises:
            BadRequest: the worker tells no pixels apart.
        """
        reply = self._ask(Masks(session=session, pose=pose, deadline_s=deadline_s), MasksReply)
        numbers = np.frombuffer(zlib.decompress(reply.pixels), "<u2").astype(np.uint16).reshape(reply.height, reply.width)
        return numbers, reply.handles

    def route(
        self, session: str, start_xy_m: tuple[float, float], goal_xy_m: tuple[float, float], *, deadline_s: float = 30.0
    ) -> tuple[tuple[tuple[float, float], ...], float]:
        """The shortest way between two places of the floor, (x, y) in metres, and its length; no points where there is none.

        Raises:
            BadRequest: the worker has no maps.
        """
        reply = self._ask(Route(session=session, start_xy_m=start_xy_m, goal_xy_m=goal_xy_m, deadline_s=deadline_s), RouteReply)
        return reply.points_m, reply.length_m

    def floor_map(self, session: str, *, deadline_s: float = 30.0) -> tuple[NDArray[np.bool_], float] | None:
        """Where one can walk: (rows, columns) of bool, the origin of the world in its middle, rows along y; and metres per cell. None: the
        scene has no map.

        Raises:
            BadRequest: the worker has no maps.
        """
        reply = self._ask(FloorMap(session=session, deadline_s=deadline_s), FloorMapReply)
        if not reply.rows:
            return None
        return np.frombuffer(zlib.decompress(reply.cells), np.uint8).reshape(reply.rows, reply.columns) > 0, reply.cell_m

    def snapshot(self, session: str, *, deadline_s: float = 30.0) -> bytes:
        """State of the session, for `restore` or `load`."""
        return self._ask(Snapshot(session=session, deadline_s=deadline_s), SnapshotReply).snapshot

    def restore(self, session: str, seq: int, snapshot: bytes, *, deadline_s: float = 30.0) -> StepReply:
        """Go back to a snapshot."""
        return self._ask(Restore(session=session, seq=seq, snapshot=snapshot, deadline_s=deadline_s), StepReply)

    def close_session(self, session: str, *, deadline_s: float = 30.0) -> None:
        """Let the worker forget the session."""
        self._ask(Close(session=session, deadline_s=deadline_s), Done)

    def health(self, *, deadline_s: float = 5.0) -> HealthReply:
        """How busy the worker is; answered even while its simulator works (but not while this client waits for another reply)."""
        return self._ask(Health(deadline_s=deadline_s), HealthReply)

    def request(self, request: Request) -> Reply:
        """Send any protocol request and return its reply, errors raised."""
        return self._ask(request, Reply)


class Client(Calls):
    """One connection to a worker; calls from several threads take turns.

    Args:
        address: ``ws://host:port`` or ``wss://host:port``.
        token: the worker's bearer token.
        name: who is calling, for the worker's log.
        connect_timeout_s: for connecting and the handshake.

    Attributes:
        hello: the worker's answer to the handshake: backend, capabilities, fingerprint.
        last_used: `time.monotonic()` of the last request.

    Raises:
        WorkerLost: the worker cannot be reached or refuses the token.
        UnsupportedVersion: it speaks no common protocol version.

    Every call raises the `sim_bridge.errors` class that the worker names. A lost connection is opened again and the request sent once
    more with the same (session, seq), so nothing is executed twice; if that fails too, or a deadline passes, it is `WorkerLost`.
    """

    def __init__(self, address: str, token: str, *, name: str = "", connect_timeout_s: float = 5.0) -> None:
        self.address = address
        self._token, self._name, self._connect_timeout_s = token, name, connect_timeout_s
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._stack = contextlib.ExitStack()
        self._connection: ClientConnection | None = None
        self._closed = False
        self.last_used = time.monotonic()
        self.hello: HelloReply = self._connect()

    def close(self) -> None:
        """Close the connection; the sessions stay on the worker. May be called from another thread while a request waits."""
        self._closed = True
        if not self._lock.acquire(blocking=False):
            connection = self._connection
            if connection is not None:
                connection.close_socket()
            self._lock.acquire()
        try:
            self._disconnect()
        finally:
            self._lock.release()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _ask(self, request: Request, expected: type[R]) -> R:
        self.last_used = time.monotonic()
        with self._lock:
            request.id = next(self._ids)
            request.deadline_s = patience_s(request, self.hello)
            data = encode(request)
            if len(data) > MAX_MESSAGE_BYTES:
                kind = type(request).__name__
                raise errors.BadRequest(f"{kind}: the message has {len(data)} bytes, at most {MAX_MESSAGE_BYTES} may be sent")
            ends = time.monotonic() + request.deadline_s
            try:
                if self._connection is None:
                    self._reconnect()
                reply = self._exchange(data, request.id, ends)
            except (WebSocketException, OSError) as problem:
                log.info("connection to %s lost (%r); repeating the request once", self.address, problem)
                self._disconnect()
                reply = self._retry(data, request.id, ends)
        return unwrap(reply, expected)

    def _retry(self, data: bytes, request_id: int, ends: float) -> Reply:
        try:
            self._reconnect()
            return self._exchange(data, request_id, ends)
        except (WebSocketException, OSError) as problem:
            self._disconnect()
            lost = f"The connection to the worker at {self.address} was lost ({_plain(problem)})"
            raise WorkerLost(f"{lost}; resume the session.") from problem

    def _exchange(self, data: bytes, request_id: int, ends: float) -> Reply:
        assert self._connection is not None
        self._connection.send(data)
        while True:
            try:
                message = self._connection.recv(timeout=max(0.0, ends - time.monotonic()))
            except TimeoutError:
                # A late reply would be taken for the next one's: this connection is done.
                self._disconnect()
                raise WorkerLost(f"The worker at {self.address} did not answer within its deadline; resume the session.") from None
            if isinstance(message, str):
                raise BridgeError(f"The worker at {self.address} sent text, expected MessagePack: is it a bridge worker?")
            try:
                reply: Reply = decode_reply(message)
            except msgspec.MsgspecError as problem:
                raise BridgeError(f"The worker at {self.address} sent a reply that does not fit the protocol: {problem}") from None
            if reply.id in (request_id, 0):
                return reply

    def _reconnect(self) -> None:
        """Open the connection again, to the same simulator.

        Raises:
            WorkerLost: refused or unreachable, or another simulator listens there now.
        """
        said = self._connect()
        if (said.backend, said.fingerprint) != (self.hello.backend, self.hello.fingerprint):
            self._disconnect()
            raise WorkerLost(f"Another simulator listens at {self.address} now ({said.backend}); resume the session.")

    def _connect(self) -> HelloReply:
        """Open the connection and say hello.

        Raises:
            WorkerLost: refused or unreachable.
            UnsupportedVersion: it speaks another protocol version.
        """
        if self._closed:
            raise WorkerLost(f"The client of {self.address} has been closed.")
        self._stack = contextlib.ExitStack()
        try:
            self._connection = self._stack.enter_context(
                connect(
                    self.address,
                    additional_headers={"Authorization": f"Bearer {self._token}"},
                    compression=None,
                    max_size=MAX_MESSAGE_BYTES,
                    open_timeout=self._connect_timeout_s,
                    close_timeout=1.0,
                    # A worker is local or named on purpose; a proxy meant for the web has no place between.
                    proxy=None,
                )
            )
        except InvalidStatus as problem:
            status = problem.response.status_code
            hint = "it refuses the token" if status == 401 else f"it answered HTTP {status}"
            raise WorkerLost(f"Cannot use the worker at {self.address}: {hint}.") from problem
        except InvalidURI as problem:
            raise WorkerLost(f"Not a worker address: expected ws://host:port, got {self.address!r}.") from problem
        except (InvalidHandshake, WebSocketException, OSError) as problem:
            raise WorkerLost(f"Cannot reach the worker at {self.address}: {_plain(problem)}.") from problem
        hello = Hello(id=next(self._ids), versions=(VERSION, VERSION), client=self._name)
        try:
            said = unwrap(self._exchange(encode(hello), hello.id, time.monotonic() + self._connect_timeout_s), HelloReply)
            if said.version != VERSION:
                raise UnsupportedVersion(f"it speaks bridge protocol {said.version}, here it is {VERSION}")
            return said
        except UnsupportedVersion as problem:
            self._disconnect()
            told = str(problem).rstrip(".")
            raise UnsupportedVersion(f"Cannot use the worker at {self.address}: {told}. Install the same release there and here.") from None
        except (WebSocketException, OSError) as problem:
            self._disconnect()
            raise WorkerLost(f"The worker at {self.address} closed the connection: {_plain(problem)}.") from problem
        except BridgeError:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        self._connection = None
        try:
            self._stack.close()
        except (WebSocketException, OSError) as problem:
            log.debug("closing the connection to %s: %r", self.address, problem)


def patience_s(request: Request, hello: HelloReply) -> float:
    """Seconds to wait for a request's answer: what the caller says, or longer where the worker says that it may take longer."""
    kind = str(type(request).__struct_config__.tag)
    return min(3600.0, max(request.deadline_s, hello.deadlines_s.get(kind, 0.0)))


def unwrap(reply: Reply, expected: type[R]) -> R:
    """The reply itself, or the error it carries, raised."""
    if isinstance(reply, ErrorReply):
        raise _CLASSES.get(reply.code, BridgeError)(reply.message)
    if not isinstance(reply, expected):
        raise BridgeError(f"The worker answered with {type(reply).__name__}, expected {expected.__name__}: is it of another version?")
    return reply


def _plain(problem: BaseException) -> str:
    """A failure in a few words, without a class name or errno where possible."""
    return (getattr(problem, "strerror", None) or str(problem) or type(problem).__name__).rstrip(".")
