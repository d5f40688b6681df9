"""Bridge protocol v1: WebSocket messages, MessagePack encoded, typed.

A client opens one connection, sends `Hello`, then requests; each gets exactly one reply with the same `id`.
Requests that change a session carry (session, seq): sending the last seq again returns the cached reply
(`replayed` true) and never acts twice; any later seq is accepted; an older one is refused as ``out_of_order``.
Unknown fields are ignored (newer peers may add some); unknown types and wrong types are ``bad_request``.
"""

from __future__ import annotations

from typing import Any, Union

import msgspec

from sim_bridge.spec import Contact, Frame, Hands, ObjectState, Observation, Pose, Relation, Scene

VERSION = 1
"""The protocol version this module speaks."""
MAX_SESSIONS = 12
"""Sessions a worker keeps by default, so that twenty people play on two; one more drops the least recently used."""
MAX_MESSAGE_BYTES = 16 << 20
"""Largest message either side accepts."""


class Request(msgspec.Struct, kw_only=True, tag_field="type"):
    """Common head of every request."""

    id: int = 0
    """Chosen by the client, returned in the reply."""
    deadline_s: float = 30.0
    """After this the client gives the worker up; the host reports itself unhealthy once it is exceeded."""


class Hello(Request, kw_only=True, tag="hello"):
    """The first request of a connection."""

    versions: tuple[int, int] = (VERSION, VERSION)
    """Lowest and highest protocol version the client speaks."""
    client: str = ""


class Load(Request, kw_only=True, tag="load"):
    """Build a session. With `snapshot` or `replay` it resumes instead of starting: no intermediate renders."""

    session: str
    seq: int = 0
    scene: Scene
    start: Pose
    actions: tuple[str, ...] = ()
    """Action names this session allows; empty allows all the backend has."""
    seed: int = 0
    replay: tuple[str, ...] = ()
    """Canonical actions (or ``phase:<name>``) to execute before the first observation."""
    snapshot: bytes | None = None
    """State to restore before `replay` runs."""


class Act(Request, kw_only=True, tag="act"):
    """Do one action in a session."""

    session: str
    seq: int
    action: str
    """Canonical action text."""
    pictures: bool = True
    """False: nobody looks, so the observation has no frames; pixels are counted all the same."""


class SetPhase(Request, kw_only=True, tag="phase"):
    """Bring a session to a phase of its scene."""

    session: str
    seq: int
    phase: str


class Observe(Request, kw_only=True, tag="observe"):
    """Look once more from where the camera is."""

    session: str


class State(Request, kw_only=True, tag="state"):
    """Tell where all objects are and how they stand to each other."""

    session: str
    audit: bool = False
    """Also look for what is wrong with the scene (more flags in `ObjectState.flags`) and where objects touch; takes about a second."""


class Views(Request, kw_only=True, tag="views"):
    """Look from other poses; the session's camera stays where it is."""

    session: str
    poses: tuple[Pose, ...]
    frames: bool = True
    """Whether pictures are wanted."""
    visible: bool = False
    """Whether the pixels of every object are counted in every view; quick without pictures."""


class Masks(Request, kw_only=True, tag="masks"):
    """Which object each pixel of a view shows; of backends with ``masks``."""

    session: str
    pose: Pose | None = None
    """The camera; None: the session's own view, with what the hand holds."""


class Route(Request, kw_only=True, tag="route"):
    """The shortest way between two places of the floor; of backends with ``routes``."""

    session: str
    start_xy_m: tuple[float, float]
    goal_xy_m: tuple[float, float]


class FloorMap(Request, kw_only=True, tag="floor_map"):
    """Where one can walk; of backends with ``routes``."""

    session: str


class Snapshot(Request, kw_only=True, tag="snapshot"):
    """Give the session's state as bytes."""

    session: str


class Restore(Request, kw_only=True, tag="restore"):
    """Bring a session to a state that `Snapshot` gave."""

    session: str
    seq: int
    snapshot: bytes


class Close(Request, kw_only=True, tag="close"):
    """End a session."""

    session: str


class Health(Request, kw_only=True, tag="health"):
    """Answered by the network thread, so it works while the simulator is busy."""


AnyRequest = Union[Hello, Load, Act, SetPhase, Observe, State, Views, Masks, Route, FloorMap, Snapshot, Restore, Close, Health]  # noqa: UP007 - msgspec needs a Union on 3.10


class Reply(msgspec.Struct, kw_only=True, tag_field="type"):
    """What every answer has: the number of its request."""

    id: int = 0


class HelloReply(Reply, kw_only=True, tag="hello_reply"):
    """What the worker is and can do."""

    version: int
    backend: str
    deterministic: bool
    capabilities: tuple[str, ...]
    fingerprint: dict[str, str]
    places: int = 0
    """Sessions the worker keeps at once; 0: not told."""
    deadlines_s: dict[str, float] = {}
    """Name of a request (``load``, ``act``, …) → seconds it may take here, where that is longer than usual. Clients wait as long."""


class StepReply(Reply, kw_only=True, tag="step_reply"):
    """Reply to load, act, phase, observe and restore."""

    session: str
    seq: int
    ok: bool = True
    reason: str = ""
    ended: str = ""
    """How an action that was done ended, where that is not what its name says: ``object_2 did not stay on object_1``. Empty otherwise."""
    before: Pose
    """Camera pose before the action (equal to `observation.camera` for load and observe)."""
    observation: Observation
    snapshot: bytes | None = None
    """Compressed state after the step, for exact resumption."""
    replayed: bool = False
    """True: this is the cached reply to a repeated seq."""
    hands: Hands | None = None
    """Reply to load, from backends with ``hands``: what a hand can do in this scene. None: not told."""
    timing_ms: dict[str, float] = {}
    """queue, simulate, render, hash, encode, snapshot, total; milliseconds in the worker."""


class StateReply(Reply, kw_only=True, tag="state_reply"):
    """Objects, and relations among them."""

    objects: tuple[ObjectState, ...]
    relations: tuple[Relation, ...]
    contacts: tuple[Contact, ...] = ()
    """Filled when an audit was asked for."""


class ViewsReply(Reply, kw_only=True, tag="views_reply"):
    """A picture for each pose."""

    frames: tuple[Frame, ...]
    visible: tuple[dict[str, int], ...] = ()
    """For each pose handle → pixels, all counted; objects with none are absent. Empty unless asked for."""


class MasksReply(Reply, kw_only=True, tag="masks_reply"):
    """Which object each pixel of a view shows."""

    width: int
    height: int
    handles: tuple[str, ...]
    """Those that show, in the scene's order."""
    pixels: bytes
    """zlib: one 16-bit number, little-endian, for each pixel, rows from the top: 0 the room, n the n-th of `handles`."""


class RouteReply(Reply, kw_only=True, tag="route_reply"):
    """The shortest way on foot."""

    points_m: tuple[tuple[float, float], ...] = ()
    """(x, y) of the way, world frame; empty: there is no way, or the scene has no map."""
    length_m: float = 0.0


class FloorMapReply(Reply, kw_only=True, tag="floor_map_reply"):
    """Where one can walk."""

    rows: int = 0
    """0: the scene has no map."""
    columns: int = 0
    cell_m: float = 0.0
    """Side of a cell. The middle of the map is the origin of the world; rows follow y, columns x."""
    cells: bytes = b""
    """zlib: one byte for each cell, rows one after the other: 1 where one can walk."""


class SnapshotReply(Reply, kw_only=True, tag="snapshot_reply"):
    """A session's state."""

    snapshot: bytes


class Done(Reply, kw_only=True, tag="done"):
    """The request was carried out, and there is nothing to tell."""


class HealthReply(Reply, kw_only=True, tag="health_reply"):
    """How the worker is."""

    sessions: int
    busy_s: float
    """Seconds the simulator has been on its current request; 0 when idle."""
    overdue: bool
    """The current request is past its deadline: the supervisor should replace this worker."""
    rss_mb: float


class ErrorReply(Reply, kw_only=True, tag="error"):
    """The request was refused, or it failed."""

    code: str
    """`BridgeError.code` of the class to raise on the client's side."""
    message: str
    data: dict[str, Any] = {}


AnyReply = Union[  # noqa: UP007
    HelloReply, StepReply, StateReply, ViewsReply, MasksReply, RouteReply, FloorMapReply, SnapshotReply, Done, HealthReply, ErrorReply
]

encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(AnyRequest).decode
decode_reply = msgspec.msgpack.Decoder(AnyReply).decode
