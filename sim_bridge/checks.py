"""What a backend must do, as small named checks: each builds its own session, looks at one promise, and fails with what it saw.

`sim_bridge.conformance` runs them. The scene is a bare room of 6 × 6 m with three things of known size and place, so that geometry
can be checked.
"""

from __future__ import annotations

import itertools
import math
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS, inverse_of
from sim_bridge.client import Calls, Client
from sim_bridge.encoding import decode_frame, pixel_hash
from sim_bridge.errors import ActionError, BadRequest, BridgeError, OutOfOrder, SceneError, UnknownSession
from sim_bridge.kinematics import angle_between_deg, apply_camera_action, looking, moved, rotation_matrix
from sim_bridge.protocol import (
    MAX_MESSAGE_BYTES,
    VERSION,
    Act,
    ErrorReply,
    Health,
    HealthReply,
    Hello,
    HelloReply,
    Reply,
    decode_reply,
    encode,
)
from sim_bridge.spec import Camera, Frame, Object, Phase, Pose, Room, Scene

FEATURES = (
    "phases", "phase_light", "mirror", "dynamic", "view_counts", "audit", "hands", "masks", "recorded", "camera_steps", "routes",
    "cloth", "robot_walk", "native_scene", "native_models", "transparent", "open_containers", "liquid",
)  # fmt: skip
"""Capabilities that are no action names. Those of the second row are phenomena that nothing here can check: cloths, a robot that walks, a
building and models of the source's own, see-through vessels, open boxes, water."""
POSITION_TOLERANCE_M = 1e-6
ANGLE_TOLERANCE_DEG = 1e-4
"""A backend may hold poses in single precision."""
INVERSE = {name: inverse_of(name) for name in CAMERA_ACTIONS}
TOUR = ("turn_left", "move_forward", "turn_up", "move_right", "turn_right", "turn_right", "move_backward", "turn_down", "move_up")
"""Camera actions that visit every kind of motion and keep the scene in view."""
START = looking(0.0, -1.5, 1.2)
"""Level camera that looks along +y at the middle of the room."""


class Failed(Exception):
    """A promise is not kept; the message says what was seen."""


class NotApplicable(Exception):
    """The backend does not claim what this check looks at; the message says what is missing."""


@dataclass(frozen=True)
class Check:
    """One promise."""

    name: str
    explanation: str
    run: Callable[[Probe], None]
    wire: bool
    """Needs a network address, not only a backend object."""


CHECKS: list[Check] = []


def check(explanation: str, *, wire: bool = False) -> Callable[[Callable[[Probe], None]], Callable[[Probe], None]]:
    """Register a check under its function's name."""

    def register(function: Callable[[Probe], None]) -> Callable[[Probe], None]:
        CHECKS.append(Check(function.__name__, explanation, function, wire))
        return function

    return register


class Probe:
    """What checks share: the connection, the scene, and fresh session ids.

    Args:
        client: the connection under test.
        address, token: of the worker, for the wire checks; empty for a backend in this process.
        categories: two categories the backend has objects of, used with explicit sizes; the second is hollow.

    Attributes:
        openable, ramp, cloth: categories of things with an action of their own; where the backend has none, its check does not apply.
    """

    openable, ramp, cloth = "microwave", "ramp", "cloth"

    def __init__(self, client: Calls, hello: HelloReply, categories: tuple[str, str], address: str = "", token: str = "") -> None:
        self.client, self.hello, self.address, self.token = client, hello, address, token
        self.categories = categories
        self._count = itertools.count(1)
        self._opened: list[str] = []

    def scene(self, **changes: Any) -> Scene:
        """The scene, with fields of `Scene` replaced; of a backend of recorded views, its sample recording."""
        if "recorded" in self.hello.capabilities:
            whole = Scene(camera=Camera(96, 72, 90.0), room=Room(furnished=False), source_scene="recording:sample", settle_steps=0)
            return msgspec.structs.replace(whole, **changes)
        large, small = self.categories
        objects = (
            Object("object_1", large, Pose((0.0, 1.2, 0.5)), size_m=(0.6, 0.5, 1.0)),
            Object("object_2", small, Pose((1.6, 0.8, 1.1)), size_m=(0.3, 0.3, 0.3)),
            Object("object_3", small, Pose((-0.9, 1.0, 1.0)), size_m=(0.3, 0.3, 0.3)),
        )
        base = Scene(camera=Camera(96, 72, 90.0), room=Room(furnished=False), objects=objects, settle_steps=0)
        return msgspec.structs.replace(base, **changes)

    def session(self) -> str:
        """A session id nobody used; closed when the check ends."""
        name = f"check-{next(self._count)}"
        self._opened.append(name)
        return name

    def loaded(self, scene: Scene | None = None, start: Pose = START, **options: Any) -> str:
        """A session with `scene` loaded."""
        session = self.session()
        self.client.load(session, scene or self.scene(), start, **options)
        return session

    def special(self, category: str, scene: Scene, start: Pose) -> str:
        """A session of a scene that needs `category`; skips the check where the backend cannot build it."""
        session = self.session()
        try:
            self.client.load(session, scene, start)
        except SceneError as problem:
            raise NotApplicable(f"the backend cannot show a {category}: {problem}") from None
        return session

    def walk(self, session: str, actions: Sequence[str], first: int = 1) -> list[str]:
        """Execute actions; the pixel hash of the observation after each."""
        return [self.last(self.client.act(session, first + i, a).observation.frames).pixel_hash for i, a in enumerate(actions)]

    def tidy(self) -> None:
        """Close the sessions of the check."""
        while self._opened:
            self.client.close_session(self._opened.pop())

    def last(self, frames: Sequence[Frame]) -> Frame:
        """The observation among the frames of a step."""
        require(len(frames) > 0, "the observation has no frame")
        return frames[-1]

    def need(self, *capabilities: str) -> None:
        """Skip the check unless the backend claims these."""
        missing = [c for c in capabilities if c not in self.hello.capabilities]
        if missing:
            raise NotApplicable(f"the backend does not declare {', '.join(missing)}")

    def need_rendering(self) -> None:
        """Skip the check where views are recorded: such a backend shows its own scenes, at their own size."""
        if "recorded" in self.hello.capabilities:
            raise NotApplicable("the backend shows recorded views and builds no scene")

    def need_determinism(self) -> None:
        """Skip the check unless the backend claims to be deterministic."""
        if not self.hello.deterministic:
            raise NotApplicable("the backend declares that it is not deterministic")

    def connection(self, token: str | None = None) -> ClientConnection:
        """A raw WebSocket connection, for messages a proper client never sends."""
        bearer = self.token if token is None else token
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        options: dict[str, Any] = {"compression": None, "max_size": MAX_MESSAGE_BYTES, "close_timeout": 1.0, "proxy": None}
        wire: ClientConnection = connect(self.address, additional_headers=headers, **options)
        return wire


def ask(wire: ClientConnection, message: bytes | str) -> Reply:
    """Send one raw message and decode the answer."""
    wire.send(message)
    answer = wire.recv(timeout=10)
    require(isinstance(answer, bytes), f"expected a binary message, got the text {answer[:80]!r}")
    assert isinstance(answer, bytes)
    reply: Reply = decode_reply(answer)
    return reply


def require(condition: bool, message: str) -> None:
    """Fail with `message` unless `condition` holds."""
    if not condition:
        raise Failed(message)


def same_pose(expected: Pose, got: Pose, where: str) -> None:
    """Fail unless two poses agree within the tolerances."""
    off = math.dist(expected.position_m, got.position_m)
    turned = angle_between_deg(expected.quaternion_xyzw, got.quaternion_xyzw)
    good = off <= POSITION_TOLERANCE_M and turned <= ANGLE_TOLERANCE_DEG
    require(good, f"{where}: the camera is {off:.3g} m and {turned:.3g}° off; expected {expected}, got {got}")


def refused(expected: type[BridgeError], call: Callable[[], object], what: str) -> BridgeError:
    """Fail unless `call` raises exactly the error class `expected`."""
    try:
        answer = call()
    except BridgeError as problem:
        if isinstance(problem, expected):
            return problem
        raise Failed(f"{what}: expected the error {expected.code!r}, got {problem.code!r} ({problem})") from None
    raise Failed(f"{what}: expected the error {expected.code!r}, got {type(answer).__name__}")


# -- handshake ---------------------------------------------------------------------------------------------------------------------------


@check("hello names the protocol version, the backend, and capabilities among which are the ten camera actions")
def hello(probe: Probe) -> None:
    said = probe.hello
    require(said.version == VERSION, f"version {said.version}, expected {VERSION}")
    require(bool(said.backend), "the backend has no name")
    unknown = sorted(set(said.capabilities) - set(ACTIONS) - set(FEATURES))
    require(not unknown, f"capabilities that the protocol does not know: {', '.join(unknown)}")
    missing = [a for a in CAMERA_ACTIONS if a not in said.capabilities]
    require(not missing, f"camera actions missing among the capabilities: {', '.join(missing)}")


@check("the fingerprint says what may change pixels (versions, renderer), as non-empty strings")
def fingerprint(probe: Probe) -> None:
    said = probe.hello.fingerprint
    require(bool(said), "the fingerprint is empty")
    empty = [k for k, v in said.items() if not v]
    require(not empty, f"empty entries: {', '.join(empty)}")


@check("a client of another protocol version is refused with unsupported_version", wire=True)
def version_refused(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, encode(Hello(id=7, versions=(VERSION + 98, VERSION + 99))))
    good = isinstance(reply, ErrorReply) and reply.code == "unsupported_version"
    require(good, f"expected the error 'unsupported_version', got {reply}")


@check("a missing or wrong bearer token is refused with HTTP 401", wire=True)
def token_required(probe: Probe) -> None:
    for token in ("", "wrong", probe.token[:-1], probe.token + "x"):
        try:
            with probe.connection(token):
                raise Failed(f"a connection with {'no' if not token else 'a wrong'} token was accepted")
        except InvalidStatus as problem:
            status = problem.response.status_code
            require(status == 401, f"expected HTTP 401, got {status}")


@check("requests before hello are refused with bad_request", wire=True)
def hello_first(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, encode(Act(id=3, session="s", seq=1, action="turn_left")))
    require(isinstance(reply, ErrorReply) and reply.code == "bad_request", f"expected the error 'bad_request', got {reply}")


@check("malformed messages get bad_request and the connection goes on working", wire=True)
def malformed_messages(probe: Probe) -> None:
    pack = msgspec.msgpack.encode
    broken: list[tuple[str, bytes | str]] = [
        ("no MessagePack", b"\xc1\xff\x00"),
        ("an empty message", b""),
        ("a cut-off message", encode(Act(session="s", seq=1, action="turn_left"))[:-3]),
        ("text", "hello"),
        ("a number", pack(5)),
        ("a message without type", pack({"session": "s"})),
        ("an unknown type", pack({"type": "explode"})),
        ("a missing field", pack({"type": "act", "session": "s"})),
        ("a wrong type", pack({"type": "act", "session": 5, "seq": "one", "action": []})),
    ]
    with probe.connection() as wire:
        require(isinstance(ask(wire, encode(Hello(id=1))), HelloReply), "hello was not answered")
        for what, message in broken:
            reply = ask(wire, message)
            good = isinstance(reply, ErrorReply) and reply.code == "bad_request"
            require(good, f"{what}: expected the error 'bad_request', got {reply}")
        require(isinstance(ask(wire, encode(Hello(id=2))), HelloReply), "after malformed messages, hello was not answered")


@check("fields a worker does not know are ignored, so that newer clients can add some", wire=True)
def unknown_fields_ignored(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, msgspec.msgpack.encode({"type": "hello", "id": 9, "versions": [1, VERSION], "colour": "blue"}))
    require(isinstance(reply, HelloReply) and reply.id == 9, f"expected a hello reply with id 9, got {reply}")


@check("health is answered with memory, sessions and no overdue request, and /healthz without a token", wire=True)
def health(probe: Probe) -> None:
    probe.loaded()
    with probe.connection() as wire:
        reply = ask(wire, encode(Health(id=4)))
    require(isinstance(reply, HealthReply) and reply.id == 4, f"expected a health reply with id 4, got {reply}")
    assert isinstance(reply, HealthReply)
    require(reply.sessions >= 1 and reply.rss_mb > 0 and not reply.overdue, f"implausible health: {reply}")
    url = probe.address.replace("ws", "http", 1).rstrip("/") + "/healthz"
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10) as answer:
            status = answer.status
    except urllib.error.HTTPError as problem:
        status = problem.code
    require(status == 200, f"GET /healthz: expected HTTP 200, got {status}")


# -- loading and frames ------------------------------------------------------------------------------------------------------------------


@check("load returns the first observation, with the camera at the start pose and the given seq")
def first_observation(probe: Probe) -> None:
    start = looking(0.3, -1.4, 1.3, yaw_deg=10.0, pitch_deg=-5.0)
    reply = probe.client.load(probe.session(), probe.scene(), start, seq=3)
    require(reply.ok and reply.seq == 3 and not reply.replayed, f"ok {reply.ok}, seq {reply.seq}, replayed {reply.replayed}")
    probe.last(reply.observation.frames)
    same_pose(start, reply.observation.camera, "after load")
    same_pose(start, reply.before, "before, after load")


@check("frames have exactly the camera's width and height")
def frame_size(probe: Probe) -> None:
    probe.need_rendering()
    for width, height in ((160, 120), (201, 97), (64, 64)):
        reply = probe.client.load(probe.session(), probe.scene(camera=Camera(width, height, 70.0)), START)
        frame = probe.last(reply.observation.frames)
        shape = decode_frame(frame).shape
        good = (frame.width, frame.height) == (width, height) and shape == (height, width, 3)
        require(good, f"asked for {width}×{height}: the frame says {frame.width}×{frame.height} and decodes to {shape}")


@check("frames are lossless WebP")
def frame_lossless(probe: Probe) -> None:
    reply = probe.client.load(probe.session(), probe.scene(), START)
    frame = probe.last(reply.observation.frames)
    require(frame.media_type == "image/webp", f"media type {frame.media_type!r}")
    good = frame.data[:4] == b"RIFF" and frame.data[8:12] == b"WEBP" and b"VP8L" in frame.data[:64]
    require(good, f"the data is no lossless WebP, it starts with {frame.data[:16]!r}")


@check("pixel_hash is the SHA-256 of the decoded pixels as the specification defines it")
def hash_of_pixels(probe: Probe) -> None:
    session = probe.session()
    frames = [*probe.client.load(session, probe.scene(), START).observation.frames]
    for i, action in enumerate(TOUR[:3], 1):
        frames += probe.client.act(session, i, action).observation.frames
    for frame in frames:
        expected = pixel_hash(decode_frame(frame))
        require(frame.pixel_hash == expected, f"the frame says {frame.pixel_hash}, its pixels give {expected}")


@check("frames show something, and change when the camera moves or turns")
def frames_follow_camera(probe: Probe) -> None:
    session = probe.session()
    frame = probe.last(probe.client.load(session, probe.scene(), START).observation.frames)
    colors = len(np.unique(decode_frame(frame).reshape(-1, 3), axis=0))
    require(colors > 3, f"the first frame has {colors} colour(s)")
    hashes = [frame.pixel_hash, *probe.walk(session, ("turn_left", "move_forward", "turn_up", "move_right", "move_up"))]
    require(len(set(hashes)) == len(hashes), f"{len(hashes)} different views gave {len(set(hashes))} different frames")


@check("the horizontal field of view is the camera's: an object 35° to the right shows at 100° and not at 50°")
def field_of_view(probe: Probe) -> None:
    probe.need_rendering()
    for hfov, shows in ((100.0, True), (50.0, False)):
        reply = probe.client.load(probe.session(), probe.scene(camera=Camera(96, 72, hfov)), START)
        seen = reply.observation.visible.get("object_2", 0)
        require((seen > 0) == shows, f"field of view {hfov:g}°: {seen} pixels of the object 35° to the right")


# -- kinematics --------------------------------------------------------------------------------------------------------------------------

TILTED = looking(0.2, -1.3, 1.1, yaw_deg=25.0, pitch_deg=20.0)
"""A start whose heading, right and pitch are all oblique, so that mixed-up axes show."""


def _kinematics(action: str) -> Callable[[Probe], None]:
    def run(probe: Probe) -> None:
        session = probe.loaded(start=TILTED)
        here = TILTED
        for seq in (1, 2, 3):
            here = apply_camera_action(here, action)
            same_pose(here, probe.client.act(session, seq, action).observation.camera, f"after {seq} × {action}")

    run.__name__ = f"kinematics_{action}"
    return run


for _action in CAMERA_ACTIONS:
    check(f"{_action} changes the pose exactly as published (0.25 m on the horizontal heading, 15° turns)")(_kinematics(_action))


@check("a camera whose scene says how far its steps lead goes that far")
def camera_steps(probe: Probe) -> None:
    probe.need("camera_steps")
    camera = Camera(96, 72, 90.0, move_step_m=0.5, turn_step_deg=30.0)
    reply = probe.client.load(session := probe.session(), probe.scene(camera=camera), TILTED)
    here = reply.observation.camera
    for seq, action in enumerate(CAMERA_ACTIONS, 1):
        here = moved(camera, here, action)
        same_pose(here, probe.client.act(session, seq, action).observation.camera, f"step {seq}, {action}")


@check("an action and its inverse give back the pose, for all ten, and 30 actions there and back do not drift")
def inverse_actions(probe: Probe) -> None:
    session, seq = probe.loaded(start=TILTED), 0
    for action, inverse in INVERSE.items():
        probe.client.act(session, seq + 1, action)
        seq += 2
        same_pose(TILTED, probe.client.act(session, seq, inverse).observation.camera, f"{action}, {inverse}")
    there = [*TOUR, "turn_left", "move_forward", "turn_up", "move_left", "turn_down", "move_forward"]
    for action in [*there, *(INVERSE[a] for a in reversed(there))]:
        seq += 1
        pose = probe.client.act(session, seq, action).observation.camera
    same_pose(TILTED, pose, f"{2 * len(there)} actions there and back")


@check("move_down stops at 0.01 m, and lifts a camera that is lower to 0.01 m")
def move_down_clamp(probe: Probe) -> None:
    for z in (0.2, -0.5):
        session = probe.loaded(start=looking(0.0, -1.5, z))
        for seq in (1, 2):
            got = probe.client.act(session, seq, "move_down").observation.camera.position_m[2]
            require(abs(got - 0.01) <= POSITION_TOLERANCE_M, f"from {z} m, {seq} × move_down: expected 0.01 m, got {got} m")


@check("pitch has no limit: 24 × turn_up pass through the zenith and make a full loop")
def no_pitch_clamp(probe: Probe) -> None:
    session, here = probe.loaded(), START
    for seq in range(1, 25):
        here = apply_camera_action(here, "turn_up")
        pose = probe.client.act(session, seq, "turn_up").observation.camera
        same_pose(here, pose, f"after {seq} × turn_up")
    same_pose(START, pose, "after the full loop")


@check("moves follow the horizontal heading even when the camera looks straight down")
def heading_ignores_pitch(probe: Probe) -> None:
    start = looking(0.0, -1.0, 1.5, yaw_deg=-30.0, pitch_deg=-90.0)
    session, here = probe.loaded(start=start), start
    for seq, action in enumerate(("move_forward", "move_left", "turn_down", "move_forward"), 1):
        here = apply_camera_action(here, action)
        same_pose(here, probe.client.act(session, seq, action).observation.camera, f"step {seq}, {action}")


@check("the camera passes through objects and walls")
def no_collision(probe: Probe) -> None:
    start = looking(0.0, -1.5, 0.6)
    session, here = probe.loaded(start=start), start
    for seq in range(1, 21):
        here = apply_camera_action(here, "move_forward")
        reply = probe.client.act(session, seq, "move_forward")
    require(reply.ok, f"the last move failed: {reply.reason}")
    same_pose(here, reply.observation.camera, "20 × move_forward through an object and the wall")


@check("a step's before is the camera of the step before it")
def before_is_previous_camera(probe: Probe) -> None:
    session = probe.session()
    camera = probe.client.load(session, probe.scene(), START).observation.camera
    for seq, action in enumerate(TOUR, 1):
        reply = probe.client.act(session, seq, action)
        require(reply.before == camera, f"step {seq}: before is {reply.before}, the camera was {camera}")
        camera = reply.observation.camera


# -- actions -----------------------------------------------------------------------------------------------------------------------------


@check("text that is no action is refused with action_error, costs no seq and moves nothing")
def unknown_action_refused(probe: Probe) -> None:
    session = probe.loaded()
    for text in ("fly_away", "", "turn_left()()", "pick_up", "TURN_LEFT", "turn_left; turn_left", "x" * 5000):
        refused(ActionError, lambda text=text: probe.client.act(session, 1, text), f"action {text[:40]!r}")  # type: ignore[misc]
    same_pose(START, probe.client.observe(session).observation.camera, "after refused actions")
    require(probe.client.act(session, 1, "turn_left").seq == 1, "seq 1 cannot be used after refused actions")


@check("an action outside the list given to load is refused with action_error")
def disallowed_action_refused(probe: Probe) -> None:
    session = probe.loaded(actions=("turn_left", "turn_right"))
    refused(ActionError, lambda: probe.client.act(session, 1, "move_forward"), "move_forward where only turns are allowed")
    require(probe.client.act(session, 1, "turn_left").ok, "an allowed action failed")


@check("an action with an object that the scene has not is refused with action_error")
def unknown_object_refused(probe: Probe) -> None:
    probe.need("pick_up")
    session = probe.loaded()
    refused(ActionError, lambda: probe.client.act(session, 1, "pick_up(object_99)"), "pick_up(object_99)")


@check("load refuses allowed actions that do not exist or that the backend has not")
def impossible_actions_refused(probe: Probe) -> None:
    impossible = ["fly_away", *(a for a in ACTIONS if a not in probe.hello.capabilities)]
    for name in impossible:
        call = lambda name=name: probe.client.load(probe.session(), probe.scene(), START, actions=(name,))  # noqa: E731
        refused(BadRequest, call, f"load with action {name!r}")


@check("a well-formed action that fails physically is a step: not ok, a reason in words, an observation, and its seq is used")
def failed_action_is_a_step(probe: Probe) -> None:
    probe.need("put")
    session = probe.loaded()
    reply = probe.client.act(session, 1, "put(object_2, on, object_1)")
    require(not reply.ok and bool(reply.reason), f"putting down what is not held: ok {reply.ok}, reason {reply.reason!r}")
    probe.last(reply.observation.frames)
    same_pose(START, reply.observation.camera, "after the failed action")
    refused(OutOfOrder, lambda: probe.client.act(session, 0, "turn_left"), "seq 0 after the failed step 1")
    require(probe.client.act(session, 2, "turn_left").ok, "the step after a failed one failed")


@check("where views are recorded, an action towards none is a step: not ok, a reason in words, and the camera stays")
def no_recorded_view_is_a_step(probe: Probe) -> None:
    probe.need("recorded")
    session = probe.loaded()
    for seq in range(1, 50):
        before = probe.client.observe(session).observation
        reply = probe.client.act(session, seq, "move_left")
        if not reply.ok:
            break
    require(not reply.ok and bool(reply.reason), "49 × move_left never came to the end of the recorded views")
    same_pose(before.camera, reply.observation.camera, "after the failed action")
    same = probe.last(reply.observation.frames).pixel_hash == probe.last(before.frames).pixel_hash
    require(same, "the failed action shows another picture")


# -- sequence numbers --------------------------------------------------------------------------------------------------------------------


@check("repeating a seq returns the stored reply (replayed) and does not act twice")
def retry_acts_once(probe: Probe) -> None:
    session = probe.loaded()
    first = probe.client.act(session, 1, "move_forward")
    again = probe.client.act(session, 1, "move_forward")
    require(again.replayed and not first.replayed, f"replayed: first {first.replayed}, repeated {again.replayed}")
    require(again.observation == first.observation, "the repeated reply has another observation")
    expected = apply_camera_action(START, "move_forward")
    same_pose(expected, probe.client.observe(session).observation.camera, "after the repeated step")


@check("a repeat on a new connection, as after a lost reply, does not act twice", wire=True)
def retry_on_new_connection(probe: Probe) -> None:
    session = probe.loaded()
    first = probe.client.act(session, 1, "turn_left")
    with Client(probe.address, probe.token) as other:
        again = other.act(session, 1, "turn_left")
    require(again.replayed, "the repeated reply is not marked as replayed")
    require(again.observation == first.observation, "the repeated reply has another observation")


@check("an older seq is refused with out_of_order and any later one is accepted")
def sequence_order(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, ("turn_left", "turn_left"))
    for old in (0, 1):
        refused(OutOfOrder, lambda old=old: probe.client.act(session, old, "turn_right"), f"seq {old} after 2")  # type: ignore[misc]
    require(probe.client.act(session, 9, "turn_right").seq == 9, "seq 9 after 2 was not accepted")
    expected = apply_camera_action(START, "turn_left")
    same_pose(expected, probe.client.observe(session).observation.camera, "after refused and accepted steps")


# -- state and views ---------------------------------------------------------------------------------------------------------------------


@check("state lists every object once, with its category and a box around its pose of the size asked for")
def state_of_objects(probe: Probe) -> None:
    probe.need_rendering()
    session, scene = probe.loaded(), probe.scene()
    objects = {o.handle: o for o in probe.client.state(session).objects}
    require(sorted(objects) == [o.handle for o in scene.objects], f"handles: {sorted(objects)}")
    for asked in scene.objects:
        got = objects[asked.handle]
        require(got.category == asked.category and got.present, f"{asked.handle}: category {got.category!r}, present {got.present}")
        assert asked.size_m is not None
        for axis, size in enumerate(asked.size_m):
            low, high, center = got.aabb_min_m[axis], got.aabb_max_m[axis], asked.pose.position_m[axis]
            where = f"{asked.handle}, axis {'xyz'[axis]}: box from {low:.3f} to {high:.3f}"
            require(abs((low + high) / 2 - center) < 0.05, f"{where}, asked for centre {center:.3f}")
            require(abs(high - low - size) < max(0.02, 0.1 * size), f"{where}, asked for extent {size:.3f}")


@check("visible counts the pixels of the objects in the frame and agrees with state, within what a coarser sampling may miss")
def visible_pixels(probe: Probe) -> None:
    probe.need_rendering()
    session = probe.session()
    reply = probe.client.load(session, probe.scene(), START)
    for seq in range(len(TOUR) + 1):
        observation = reply.observation
        state = {o.handle: o.visible_pixels for o in probe.client.state(session).objects}
        shown = {handle: pixels for handle, pixels in state.items() if pixels}
        # A step's counts may come from a quarter of the pixels, to keep steps fast; what matters is who is visible, and about how much.
        far = {
            handle
            for handle in {*observation.visible, *shown}
            if abs(observation.visible.get(handle, 0) - shown.get(handle, 0)) > 16 + 0.3 * shown.get(handle, 0)
        }
        require(not far, f"step {seq}: {sorted(far)} differ: the observation has {observation.visible}, state has {shown}")
        if seq < len(TOUR):
            reply = probe.client.act(session, seq + 1, TOUR[seq])
    require(bool(observation.visible), "nothing is visible at the end of the tour")


@check("boxes lie in the frame and each has room for the pixels that are counted of its object")
def pixel_boxes(probe: Probe) -> None:
    probe.need_rendering()
    session, scene = probe.session(), probe.scene()
    seen = probe.client.load(session, scene, START).observation
    for handle, (x0, y0, x1, y1) in seen.boxes.items():
        inside = 0 <= x0 < x1 <= scene.camera.width and 0 <= y0 < y1 <= scene.camera.height
        require(inside, f"{handle}: the box {(x0, y0, x1, y1)} is not within {scene.camera.width} × {scene.camera.height}")
        room = (x1 - x0) * (y1 - y0)
        require(seen.visible.get(handle, 0) <= room, f"{handle}: {seen.visible.get(handle)} pixels in a box of {room}")


@check("hands says of every object what can be done with its kind, and the reach is that of the actions")
def hands_are_told(probe: Probe) -> None:
    probe.need("hands")
    scene = probe.scene()
    told = probe.client.load(probe.session(), scene, START).hands
    require(told is not None, "load returned no hands")
    assert told is not None
    missing = {o.handle for o in scene.objects} - told.can.keys()
    require(not missing, f"nothing is said of {sorted(missing)}")
    require(told.reach_m is None or told.reach_m > 0, f"reach_m is {told.reach_m}")


@check("an object straight ahead covers the pixels that its box projects to, and none when the camera looks away")
def visible_pixels_plausible(probe: Probe) -> None:
    probe.need_rendering()
    session, scene = probe.session(), probe.scene()
    reply = probe.client.load(session, scene, START)
    seen, box = reply.observation.visible.get("object_1", 0), _projected_box(scene, scene.objects[0], START)
    require(0.3 * box <= seen <= 1.1 * box + 20, f"object_1 covers {seen} pixels, its box projects to a rectangle of {box:.0f}")
    for seq in range(1, 13):
        reply = probe.client.act(session, seq, "turn_left")
    seen = reply.observation.visible.get("object_1", 0)
    require(seen == 0, f"after turning round, object_1 behind the camera covers {seen} pixels")


@check("observe changes nothing: same pose, same seq, and the same pixels where deterministic")
def observe_is_passive(probe: Probe) -> None:
    session = probe.loaded()
    step = probe.client.act(session, 1, "turn_left")
    for _ in range(2):
        seen = probe.client.observe(session)
        require(seen.seq == 1, f"seq {seen.seq}, expected 1")
        same_pose(step.observation.camera, seen.observation.camera, "after observe")
        if probe.hello.deterministic:
            same = probe.last(seen.observation.frames).pixel_hash == probe.last(step.observation.frames).pixel_hash
            require(same, "observing again gave other pixels")


@check("views renders given cameras in order and leaves the session's own camera alone")
def views_leave_camera(probe: Probe) -> None:
    session = probe.loaded()
    before = probe.client.act(session, 1, "turn_left").observation
    poses = [looking(0.0, -1.5, 1.2), looking(1.0, -1.0, 1.5, 30.0, -10.0), looking(-1.0, 0.0, 1.0, -60.0)]
    frames = probe.client.views(session, poses)
    require(len(frames) == len(poses), f"asked for {len(poses)} views, got {len(frames)}")
    require(len({f.pixel_hash for f in frames}) == len(poses), "different cameras gave equal frames")
    after = probe.client.observe(session).observation
    same_pose(before.camera, after.camera, "after views")
    if probe.hello.deterministic:
        same = probe.last(after.frames).pixel_hash == probe.last(before.frames).pixel_hash
        require(same, "after views, observe gives other pixels")
        own = probe.client.views(session, [before.camera])[0].pixel_hash
        require(own == probe.last(before.frames).pixel_hash, "a view from the session's own camera differs from its observation")


@check("counting the pixels of objects in given views agrees with standing there, and leaves the session's own camera alone")
def views_count_pixels(probe: Probe) -> None:
    probe.need("view_counts")
    session = probe.loaded()
    poses = [START]
    for action in TOUR:
        poses.append(apply_camera_action(poses[-1], action))
    counted = probe.client.visible(session, poses)
    require(len(counted) == len(poses), f"asked for {len(poses)} views, got counts for {len(counted)}")
    same_pose(START, probe.client.observe(session).observation.camera, "after counting")
    for step, expected in enumerate(counted):
        if step:
            probe.client.act(session, step, TOUR[step - 1])
        seen = {o.handle: o.visible_pixels for o in probe.client.state(session).objects if o.visible_pixels}
        require(seen == expected, f"view {step}: counted {expected}, standing there state says {seen}")
    require(any(counted), "no view shows an object")
    wrong = Pose((math.nan, 0.0, 0.0))
    refused(BadRequest, lambda: probe.client.visible(session, [wrong]), f"counting from {wrong}")


@check("the masks of a view show what is counted in it, each thing inside its own, and leave the session's camera alone")
def masks_agree_with_counts(probe: Probe) -> None:
    probe.need("masks")
    probe.need("view_counts")
    session = probe.loaded()
    camera = probe.scene().camera
    poses = [START]
    for action in TOUR:
        poses.append(apply_camera_action(poses[-1], action))
    counted = probe.client.visible(session, poses)
    for n, (pose, expected) in enumerate(zip(poses, counted, strict=True)):
        numbers, handles = probe.client.masks(session, pose)
        require(numbers.shape == (camera.height, camera.width), f"view {n}: masks have the shape {numbers.shape}")
        shown = {handle: int((numbers == k).sum()) for k, handle in enumerate(handles, 1)}
        require(all(shown.values()), f"view {n}: {[h for h, pixels in shown.items() if not pixels]} is named and shows nowhere")
        # through glass more is counted than stands in front
        more = {handle: pixels for handle, pixels in shown.items() if pixels > expected.get(handle, 0)}
        require(not more, f"view {n}: masks show {more}, counted were {expected}")
        require(bool(shown) == bool(expected), f"view {n}: masks show {sorted(shown)}, counted were {sorted(expected)}")
    same_pose(START, probe.client.observe(session).observation.camera, "after masks")
    own, named = probe.client.masks(session)
    given, also = probe.client.masks(session, START)
    require(named == also and bool((own == given).all()), "the session's own view has other masks than the same view when it is named")
    wrong = Pose((math.nan, 0.0, 0.0))
    refused(BadRequest, lambda: probe.client.masks(session, wrong), f"masks from {wrong}")


@check("an audit names what hangs in the air, what is in another thing, what is out of the room and unseen, and changes nothing")
def audit_finds(probe: Probe) -> None:
    probe.need("audit")
    large, small = probe.scene().objects[:2]
    box = msgspec.structs.replace(small, category=large.category)
    placed = {
        "object_1": Pose((0.0, 1.2, 0.5)),
        "object_2": Pose((1.6, 0.8, 0.15)),
        "object_3": Pose((1.9, 0.8, 0.15)),
        "object_4": Pose((-1.2, 0.5, 1.1)),
        "object_5": Pose((-1.2, -1.0, 0.15)),
        "object_6": Pose((-1.35, -1.1, 0.15)),
        "object_7": Pose((0.0, 8.0, 0.15)),
    }
    things = [msgspec.structs.replace(large if h == "object_1" else box, handle=h, pose=pose) for h, pose in placed.items()]
    session = probe.loaded(probe.scene(objects=tuple(things)))
    before = probe.client.observe(session).observation
    found = probe.client.state(session, audit=True)
    flags = {o.handle: o.flags for o in found.objects}
    expected = {
        "floating": {"object_4"},
        "interpenetrating": {"object_5", "object_6"},
        "out_of_room": {"object_7"},
        "never_visible": {"object_7"},
        "moved_after_settling": set(),
    }
    for flag, handles in expected.items():
        got = {h for h, named in flags.items() if named.get(flag)}
        # Beyond the wall it may count as in the wall or in the air as well.
        require(got - {"object_7"} == handles - {"object_7"}, f"{flag}: expected {sorted(handles)}, got {sorted(got)}")
    require(flags["object_7"].get("out_of_room", False), "the thing beyond the wall is not out of the room")
    touching = {(c.subject, c.object) for c in found.contacts}
    require(("object_2", "object_3") in touching, f"two boxes side by side do not touch: {sorted(touching)}")
    after = probe.client.observe(session).observation
    same_pose(before.camera, after.camera, "after the audit")
    if probe.hello.deterministic:
        require(probe.last(before.frames).pixel_hash == probe.last(after.frames).pixel_hash, "after the audit other pixels show")


# -- determinism, snapshots, replay ------------------------------------------------------------------------------------------------------


@check("the same scene and actions give the same pixel hashes")
def determinism(probe: Probe) -> None:
    probe.need_determinism()
    runs = []
    for _ in range(2):
        session = probe.session()
        first = probe.last(probe.client.load(session, probe.scene(), START, seed=5).observation.frames).pixel_hash
        runs.append([first, *probe.walk(session, TOUR)])
    different = [i for i, (a, b) in enumerate(zip(*runs, strict=True)) if a != b]
    require(not different, f"steps with other pixels in the second run: {different}")


@check("every step carries a snapshot; restoring it gives back pose and pixels, and the same continuation")
def restore(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, TOUR[:3])
    kept = probe.client.act(session, 4, TOUR[3])
    require(kept.snapshot is not None, "the step has no snapshot")
    assert kept.snapshot is not None
    onward = probe.walk(session, TOUR[4:], first=5)
    back = probe.client.restore(session, 50, kept.snapshot)
    require(back.seq == 50, f"seq {back.seq}, expected 50")
    same_pose(kept.observation.camera, back.observation.camera, "after restore")
    again = probe.walk(session, TOUR[4:], first=51)
    if probe.hello.deterministic:
        same = probe.last(back.observation.frames).pixel_hash == probe.last(kept.observation.frames).pixel_hash
        require(same, "the restored frame has other pixels")
        require(again == onward, "continuing from the restored state gave other pixels")


@check("snapshot on request equals the state now: a new session loaded with it shows the same")
def load_from_snapshot(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, TOUR)
    now = probe.client.observe(session).observation
    reply = probe.client.load(probe.session(), probe.scene(), START, seq=9, snapshot=probe.client.snapshot(session))
    require(reply.seq == 9, f"seq {reply.seq}, expected 9")
    same_pose(now.camera, reply.observation.camera, "in the new session")
    if probe.hello.deterministic:
        same = probe.last(now.frames).pixel_hash == probe.last(reply.observation.frames).pixel_hash
        require(same, "the new session shows other pixels")


@check("load with a list of actions to replay ends at the same pose and pixels as executing them")
def load_by_replay(probe: Probe) -> None:
    session = probe.loaded(seed=2)
    hashes = probe.walk(session, TOUR)
    onward = probe.walk(session, ("turn_left", "move_backward"), first=len(TOUR) + 1)
    expected = START
    for action in TOUR:
        expected = apply_camera_action(expected, action)
    resumed = probe.session()
    reply = probe.client.load(resumed, probe.scene(), START, seed=2, seq=len(TOUR), replay=TOUR)
    same_pose(expected, reply.observation.camera, "after the replay")
    require(len(reply.observation.frames) >= 1, "the replay ends without a frame")
    again = probe.walk(resumed, ("turn_left", "move_backward"), first=len(TOUR) + 1)
    if probe.hello.deterministic:
        require(probe.last(reply.observation.frames).pixel_hash == hashes[-1], "the replay ends with other pixels")
        require(again == onward, "continuing after the replay gave other pixels")


@check("load with a snapshot and the actions after it ends at the same pixels")
def load_by_snapshot_and_replay(probe: Probe) -> None:
    probe.need_determinism()
    session = probe.loaded()
    probe.walk(session, TOUR[:4])
    snapshot = probe.client.snapshot(session)
    hashes = probe.walk(session, TOUR[4:], first=5)
    reply = probe.client.load(probe.session(), probe.scene(), START, seq=len(TOUR), snapshot=snapshot, replay=TOUR[4:])
    require(probe.last(reply.observation.frames).pixel_hash == hashes[-1], "snapshot and replay end with other pixels")


@check("a snapshot that is none is refused with bad_request, and the session survives")
def bad_snapshot_refused(probe: Probe) -> None:
    session = probe.loaded()
    good = probe.client.snapshot(session)
    for what, data in (("random bytes", b"\x00\x01garbage"), ("an empty snapshot", b""), ("a cut-off snapshot", good[: len(good) // 2])):
        refused(BadRequest, lambda data=data: probe.client.restore(session, 1, data), what)  # type: ignore[misc]
    require(probe.client.act(session, 1, "turn_left").ok, "after refused snapshots the session does not act")


@check("a replay that contains no action is refused with action_error and leaves no session behind")
def bad_replay_refused(probe: Probe) -> None:
    session = probe.session()
    bad = ("turn_left", "fly_away")
    refused(ActionError, lambda: probe.client.load(session, probe.scene(), START, replay=bad), "replay with 'fly_away'")
    refused(UnknownSession, lambda: probe.client.observe(session), "observe after the refused load")


@check("with an object in motion, restoring and replaying give back its pose, the pixels, and the same continuation")
def moving_objects_resume(probe: Probe) -> None:
    probe.need("dynamic")
    probe.need_determinism()
    things = [msgspec.structs.replace(o, dynamic=o.handle == "object_3") for o in probe.scene().objects]
    scene = probe.scene(objects=tuple(things))
    session, tour = probe.loaded(scene), ("turn_left", "turn_right", "move_backward", "turn_left", "turn_right", "turn_left")
    probe.walk(session, tour[:3])
    snapshot = probe.client.snapshot(session)
    onward = probe.walk(session, tour[3:], first=4)
    pose = _pose_of(probe, session, "object_3")
    for how, options in (("snapshot", {"snapshot": snapshot}), ("replay", {"replay": tour[:3]})):
        resumed = probe.session()
        probe.client.load(resumed, scene, START, seq=3, **options)
        require(probe.walk(resumed, tour[3:], first=4) == onward, f"{how}: continuing gave other pixels")
        at = _pose_of(probe, resumed, "object_3")
        require(at == pose, f"{how}: the moving object ends at {at}, expected {pose}")


# -- phases ------------------------------------------------------------------------------------------------------------------------------


@check("a phase hides and moves objects, puts the camera back to the start, and names itself in the observation")
def phases(probe: Probe) -> None:
    probe.need("phases")
    session = probe.session()
    moved = Pose((0.9, 1.0, 1.0))
    both = (Phase("before", hidden=("object_1",)), Phase("after", moved={"object_3": moved}))
    first = probe.client.load(session, probe.scene(phases=both), START).observation
    require(first.phase == "before", f"the first phase is {first.phase!r}, expected 'before'")
    require("object_1" not in first.visible, f"object_1 is hidden in 'before' but shows {first.visible.get('object_1')} pixels")
    present = {o.handle: o.present for o in probe.client.state(session).objects}
    require(not present.get("object_1", False), "state says that the hidden object is present")
    probe.client.act(session, 1, "turn_left")
    second = probe.client.set_phase(session, 2, "after")
    require(second.observation.phase == "after" and second.seq == 2, f"phase {second.observation.phase!r}, seq {second.seq}")
    same_pose(START, second.observation.camera, "after the phase change")
    require(second.observation.visible.get("object_1", 0) > 0, "object_1 should show in 'after'")
    at = next(o.pose.position_m for o in probe.client.state(session).objects if o.handle == "object_3")
    require(math.dist(at, moved.position_m) < 0.05, f"object_3 should be at {moved.position_m}, is at {at}")
    refused(BadRequest, lambda: probe.client.set_phase(session, 3, "never"), "phase 'never'")


@check("a replay may contain phase changes, and a snapshot keeps the phase")
def phases_resume(probe: Probe) -> None:
    probe.need("phases")
    scene = probe.scene(phases=(Phase("before", hidden=("object_1",)), Phase("after")))
    session = probe.loaded(scene)
    probe.client.act(session, 1, "turn_left")
    probe.client.set_phase(session, 2, "after")
    last = probe.client.act(session, 3, "move_forward")
    replayed = probe.client.load(probe.session(), scene, START, seq=3, replay=("turn_left", "phase:after", "move_forward"))
    restored = probe.client.load(probe.session(), scene, START, seq=3, snapshot=last.snapshot)
    for how, reply in (("replay", replayed), ("snapshot", restored)):
        require(reply.observation.phase == "after", f"{how}: phase {reply.observation.phase!r}, expected 'after'")
        same_pose(last.observation.camera, reply.observation.camera, how)
        if probe.hello.deterministic:
            same = probe.last(reply.observation.frames).pixel_hash == probe.last(last.observation.frames).pixel_hash
            require(same, f"{how}: other pixels")


@check("a phase's own light shows in its pictures and in no other's, and moves nothing")
def phase_light(probe: Probe) -> None:
    probe.need("phases", "phase_light")
    session = probe.session()
    scene = probe.scene(phases=(Phase("first"), Phase("second", lighting="dim"), Phase("third")))
    first = probe.client.load(session, scene, START).observation
    second = probe.client.set_phase(session, 1, "second").observation
    third = probe.client.set_phase(session, 2, "third").observation
    hashes = [probe.last(o.frames).pixel_hash for o in (first, second, third)]
    require(hashes[0] != hashes[1], "the picture is the same in another light")
    if probe.hello.deterministic:
        require(hashes[0] == hashes[2], "the picture is another one when the first light is back")
    require(first.visible == second.visible, f"other things are seen in another light: {first.visible} and {second.visible}")


# -- sessions ----------------------------------------------------------------------------------------------------------------------------


@check("every request for a session that is not held is refused with unknown_session")
def unknown_session(probe: Probe) -> None:
    calls: dict[str, Callable[[], object]] = {
        "act": lambda: probe.client.act("nobody", 1, "turn_left"),
        "observe": lambda: probe.client.observe("nobody"),
        "state": lambda: probe.client.state("nobody"),
        "views": lambda: probe.client.views("nobody", [START]),
        "snapshot": lambda: probe.client.snapshot("nobody"),
        "restore": lambda: probe.client.restore("nobody", 1, b""),
        "phase": lambda: probe.client.set_phase("nobody", 1, "after"),
    }
    for name, call in calls.items():
        refused(UnknownSession, call, name)


@check("closing a session twice, or one that never was, is no error; a closed one is gone")
def close_is_idempotent(probe: Probe) -> None:
    session = probe.loaded()
    probe.client.close_session(session)
    probe.client.close_session(session)
    probe.client.close_session("nobody")
    refused(UnknownSession, lambda: probe.client.observe(session), "observe after close")


@check("loading a session again starts it afresh")
def load_again(probe: Probe) -> None:
    session = probe.session()
    first = probe.client.load(session, probe.scene(), START).observation
    probe.walk(session, TOUR)
    again = probe.client.load(session, probe.scene(), START)
    require(again.seq == 0, f"seq {again.seq}, expected 0")
    same_pose(START, again.observation.camera, "after loading again")
    if probe.hello.deterministic:
        same = probe.last(again.observation.frames).pixel_hash == probe.last(first.frames).pixel_hash
        require(same, "the first frame has other pixels than the first time")
    require(probe.client.act(session, 1, "turn_left").seq == 1, "seq 1 is not accepted after loading again")


@check("three sessions in turns, two of them in one scene, show what each shows alone")
def sessions_are_independent(probe: Probe) -> None:
    probe.need_determinism()
    tours = [TOUR[:5], TOUR[3:8], ("move_forward", "move_forward", "turn_right", "turn_up", "move_left")]
    other = probe.scene(room=Room(bounds_m=(-4.0, -4.0, 4.0, 4.0), furnished=False, seed=3))
    scenes = [probe.scene(), probe.scene(), other]
    alone = []
    for scene, tour in zip(scenes, tours, strict=True):
        alone.append(probe.walk(probe.loaded(scene), tour))
        probe.tidy()
    sessions = [probe.loaded(scene) for scene in scenes]
    together: list[list[str]] = [[], [], []]
    for step in range(5):
        for k in range(3):
            together[k] += probe.walk(sessions[k], tours[k][step : step + 1], first=step + 1)
    different = [k + 1 for k in range(3) if together[k] != alone[k]]
    require(not different, f"sessions with other pixels than alone: {different}")


# -- bad input ---------------------------------------------------------------------------------------------------------------------------


@check("a scene that makes no sense is refused with scene_error that names the field, and the next good one loads")
def bad_scenes_refused(probe: Probe) -> None:
    probe.need_rendering()
    scene = probe.scene()
    thing, swap = scene.objects[0], msgspec.structs.replace
    nan, inf = math.nan, math.inf
    bad: list[tuple[str, Scene]] = [
        ("handle", probe.scene(objects=(thing, thing))),
        ("size_m", probe.scene(objects=(swap(thing, size_m=(1.0, -1.0, 1.0)),))),
        ("size_m", probe.scene(objects=(swap(thing, size_m=(1.0, inf, 1.0)),))),
        ("position_m", probe.scene(objects=(swap(thing, pose=Pose((nan, 0.0, 0.0))),))),
        ("quaternion_xyzw", probe.scene(objects=(swap(thing, pose=Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))),))),
        ("origin", probe.scene(objects=(swap(thing, origin="corner"),))),
        ("width", probe.scene(camera=Camera(0, 120, 90.0))),
        ("camera", probe.scene(camera=Camera(1_000_000, 1_000_000, 90.0))),
        ("hfov_deg", probe.scene(camera=Camera(160, 120, 400.0))),
        ("bounds_m", probe.scene(room=Room(bounds_m=(3.0, -3.0, -3.0, 3.0)))),
        ("height_m", probe.scene(room=Room(height_m=nan))),
        ("lighting", probe.scene(lighting="disco")),
        ("hidden", probe.scene(phases=(Phase("before", hidden=("object_99",)),))),
        ("name", probe.scene(phases=(Phase("before"), Phase("before")))),
        ("params", probe.scene(objects=(swap(thing, params={"no_such_setting": 1}),))),
    ]
    for field, wrong in bad:
        problem = refused(SceneError, lambda wrong=wrong: probe.client.load(probe.session(), wrong, START), f"scene with a bad {field}")  # type: ignore[misc]
        require(field in str(problem), f"the message does not name the field {field!r}: {problem}")
    require(probe.client.load(probe.session(), scene, START).ok, "after refused scenes a good one does not load")


@check("where views are recorded, a scene that is no recording is refused with scene_error that names the field, and the next one loads")
def bad_recordings_refused(probe: Probe) -> None:
    probe.need("recorded")
    scene = probe.scene()
    large, _ = probe.categories
    bad: list[tuple[str, Scene]] = [
        ("source_scene", probe.scene(source_scene=None)),
        ("source_scene", probe.scene(source_scene="recording:../elsewhere")),
        ("camera", probe.scene(camera=Camera(scene.camera.width + 1, scene.camera.height, scene.camera.hfov_deg))),
        ("objects", probe.scene(objects=(Object("object_1", large, Pose((0.0, 1.2, 0.5)), size_m=(0.6, 0.5, 1.0)),))),
        ("phases", probe.scene(phases=(Phase("before"), Phase("after")))),
    ]
    for field, wrong in bad:
        problem = refused(SceneError, lambda wrong=wrong: probe.client.load(probe.session(), wrong, START), f"recording with a bad {field}")  # type: ignore[misc]
        require(field in str(problem), f"the refusal of a bad {field} does not name it: {problem}")
    probe.client.load(probe.session(), scene, START)


@check("poses that are not finite, out of range or without direction are refused with bad_request")
def bad_poses_refused(probe: Probe) -> None:
    session = probe.loaded()
    wrong = [
        Pose((math.nan, 0.0, 0.0)),
        Pose((0.0, math.inf, 0.0)),
        Pose((0.0, 0.0, 1e30)),
        Pose((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)),
        Pose((0.0, 0.0, 1.0), (math.nan, 0.0, 0.0, 1.0)),
    ]
    for pose in wrong:
        refused(BadRequest, lambda pose=pose: probe.client.load(probe.session(), probe.scene(), pose), f"start {pose}")  # type: ignore[misc]
        refused(BadRequest, lambda pose=pose: probe.client.views(session, [pose]), f"view {pose}")  # type: ignore[misc]
    require(probe.client.act(session, 1, "turn_left").ok, "after refused poses the session does not act")


def _pose_of(probe: Probe, session: str, handle: str) -> Pose:
    return next(o.pose for o in probe.client.state(session).objects if o.handle == handle)


def _projected_box(scene: Scene, thing: Object, camera: Pose) -> float:
    """Area in pixels of the rectangle around an axis-aligned object's projected corners, cut at the image's edges."""
    assert thing.size_m is not None
    width, height = scene.camera.width, scene.camera.height
    focal = width / 2 / math.tan(math.radians(scene.camera.hfov_deg) / 2)
    corners = np.array(thing.pose.position_m) + np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(thing.size_m)
    local = (corners - np.array(camera.position_m)) @ np.array(rotation_matrix(camera.quaternion_xyzw))
    x = np.clip(width / 2 + focal * local[:, 0] / -local[:, 2], 0, width)
    y = np.clip(height / 2 - focal * local[:, 1] / -local[:, 2], 0, height)
    return float((x.max() - x.min()) * (y.max() - y.min()))
