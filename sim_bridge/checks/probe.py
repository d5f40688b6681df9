"""What checks share: how one is registered, how it fails, and the probe with its scene.

The scene is a bare room of 6 × 6 m with three things of known size and place, so that geometry can be checked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from websockets.sync.client import ClientConnection, connect

from sim_bridge.actions import CAMERA_ACTIONS, inverse_of
from sim_bridge.client import Calls
from sim_bridge.errors import BridgeError, SceneError
from sim_bridge.kinematics import angle_between_deg, looking
from sim_bridge.protocol import MAX_MESSAGE_BYTES, HelloReply, Reply, decode_reply
from sim_bridge.spec import Camera, Frame, Object, Pose, Room, Scene

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
TILTED = looking(0.2, -1.3, 1.1, yaw_deg=25.0, pitch_deg=20.0)
"""A start whose heading, right and pitch are all oblique, so that mixed-up axes show."""


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
