"""Checks of what arrives over the wire that types alone cannot express: finite numbers, sane sizes, references that exist.

Every message names the field and the value. Backends may rely on scenes and poses that passed.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from sim_bridge.errors import BadRequest, BridgeError, SceneError
from sim_bridge.houses import MAX_ROOMS, MIN_ROOMS, plan_of
from sim_bridge.spec import House, Pose, Scene

MAX_COORDINATE_M = 1_000_000.0
"""Largest absolute coordinate or extent, metres. Generous: released rows hold things that fell 184 km through a floor."""
MAX_IMAGE_SIDE_PX = 4096
MAX_IMAGE_PIXELS = 4_000_000
"""About 6 MB as lossless WebP in a busy scene: several fit into one message."""
MAX_OBJECTS = 2000
MAX_PARAMS_BYTES = 65_536
MAX_VIEWS = 64
"""Poses of one `views` request."""
MAX_REPLAY = 10_000
"""Actions of one `load`."""

LIGHTING = ("day", "dim", "evening", "side", "night")
"""What `Scene.lighting` may be."""

ARRANGEMENTS = ("along_walls", "lived_in")
"""What `Room.arrangement` may be."""
MAX_WITHOUT = 500
"""Categories of `Room.without`."""

_HANDLE = re.compile(r"^[A-Za-z0-9_\-]{1,64}$")
_SESSION = re.compile(r"^[\x21-\x7e]{1,200}$")


def check_session(session: str) -> None:
    """A session id is 1 to 200 printable ASCII characters without blanks."""
    if not _SESSION.match(session):
        raise BadRequest(f"session: expected 1 to 200 printable characters without blanks, got {session[:60]!r}")


def check_deadline(deadline_s: float) -> None:
    """Deadlines are positive and at most an hour."""
    if not (math.isfinite(deadline_s) and 0 < deadline_s <= 3600):
        raise BadRequest(f"deadline_s: expected seconds in (0, 3600], got {deadline_s!r}")


def check_seq(seq: int) -> None:
    """Sequence numbers are non-negative."""
    if not 0 <= seq < 2**53:
        raise BadRequest(f"seq: expected a number from 0 up, got {seq!r}")


def check_pose(pose: Pose, where: str, error: type[BridgeError] = BadRequest) -> None:
    """Finite, within `MAX_COORDINATE_M` and with a unit quaternion (to 1 %, as recorded poses are rounded)."""
    if not all(math.isfinite(c) and abs(c) <= MAX_COORDINATE_M for c in pose.position_m):
        raise error(f"{where}.position_m: expected finite metres within ±{MAX_COORDINATE_M:.0f}, got {pose.position_m!r}")
    norm = math.sqrt(sum(c * c for c in pose.quaternion_xyzw)) if all(math.isfinite(c) for c in pose.quaternion_xyzw) else math.nan
    if not abs(norm - 1.0) <= 0.01:
        raise error(f"{where}.quaternion_xyzw: expected a unit quaternion, got {pose.quaternion_xyzw!r} of length {norm:g}")


def check_scene(scene: Scene) -> None:
    """Whether a scene makes sense, whatever the backend.

    Raises:
        SceneError: names the field (``scene.objects[3].size_m``) and the value.
    """
    camera, room = scene.camera, scene.room
    for name in ("width", "height"):
        side = getattr(camera, name)
        _require(16 <= side <= MAX_IMAGE_SIDE_PX, f"scene.camera.{name}", f"16 to {MAX_IMAGE_SIDE_PX} pixels", side)
    pixels = camera.width * camera.height
    _require(pixels <= MAX_IMAGE_PIXELS, "scene.camera", f"at most {MAX_IMAGE_PIXELS} pixels in all", pixels)
    _require(1.0 <= camera.hfov_deg <= 170.0, "scene.camera.hfov_deg", "1 to 170 degrees", camera.hfov_deg)

    _require(0.05 <= camera.move_step_m <= 2.0, "scene.camera.move_step_m", "0.05 to 2 m", camera.move_step_m)
    turn = camera.turn_step_deg
    _require(1.0 <= turn <= 90.0 and 360.0 % turn == 0.0, "scene.camera.turn_step_deg", "1 to 90 degrees, a whole part of 360", turn)

    _check_rectangle(room.bounds_m, "scene.room.bounds_m")
    if room.keep_clear_m is not None:
        _check_rectangle(room.keep_clear_m, "scene.room.keep_clear_m")
    _check_numbers((room.floor_z_m,), "scene.room.floor_z_m")
    _require(0.1 <= room.height_m <= MAX_COORDINATE_M, "scene.room.height_m", "0.1 m or more", room.height_m)
    _require(room.arrangement in ARRANGEMENTS, "scene.room.arrangement", " or ".join(ARRANGEMENTS), room.arrangement)
    _require(len(room.without) <= MAX_WITHOUT, "scene.room.without", f"at most {MAX_WITHOUT} categories", len(room.without))
    for name in room.without:
        _require(0 < len(name) <= 200, "scene.room.without", "categories of 1 to 200 characters", name[:60])
    _require(scene.lighting in LIGHTING, "scene.lighting", ", ".join(LIGHTING[:-1]) + " or " + LIGHTING[-1], scene.lighting)
    if scene.house is not None:
        _check_house(scene.house, scene)
    _require(0 <= scene.settle_steps <= 10_000, "scene.settle_steps", "0 to 10000 steps", scene.settle_steps)

    _require(len(scene.objects) <= MAX_OBJECTS, "scene.objects", f"at most {MAX_OBJECTS} objects", len(scene.objects))
    handles: set[str] = set()
    for i, thing in enumerate(scene.objects):
        where = f"scene.objects[{i}]"
        _require(bool(_HANDLE.match(thing.handle)), f"{where}.handle", "letters, digits, _ and -, 1 to 64 of them", thing.handle)
        _require(thing.handle not in handles, f"{where}.handle", "a handle no other object has", thing.handle)
        handles.add(thing.handle)
        _require(0 < len(thing.category) <= 200, f"{where}.category", "1 to 200 characters", thing.category[:60])
        check_pose(thing.pose, f"{where}.pose", SceneError)
        _require(thing.origin in ("center", "base"), f"{where}.origin", "center or base", thing.origin)
        if thing.size_m is not None:
            _check_positive(thing.size_m, f"{where}.size_m")
        if thing.height_m is not None:
            _check_positive((thing.height_m,), f"{where}.height_m")
        _check_positive(thing.scale, f"{where}.scale")
        _check_params(thing.params, f"{where}.params")

    names: set[str] = set()
    for i, phase in enumerate(scene.phases):
        where = f"scene.phases[{i}]"
        _require(0 < len(phase.name) <= 64, f"{where}.name", "1 to 64 characters", phase.name[:64])
        _require(phase.name not in names, f"{where}.name", "a name no other phase has", phase.name)
        names.add(phase.name)
        _require(0.0 < phase.budget_share <= 1.0, f"{where}.budget_share", "a share in (0, 1]", phase.budget_share)
        _require(phase.lighting in ("", *LIGHTING), f"{where}.lighting", "nothing, or " + " or ".join(LIGHTING), phase.lighting)
        for handle in phase.lit:
            _require(handle in handles, f"{where}.lit", "handles of scene.objects", handle)
        for handle in phase.hidden:
            _require(handle in handles, f"{where}.hidden", "handles of scene.objects", handle)
        for handle, pose in phase.moved.items():
            _require(handle in handles, f"{where}.moved", "handles of scene.objects", handle)
            check_pose(pose, f"{where}.moved[{handle}]", SceneError)


def _check_house(house: House, scene: Scene) -> None:
    """The house exists, and the scene's room is the rectangle around it."""
    _require(MIN_ROOMS <= house.rooms <= MAX_ROOMS, "scene.house.rooms", f"{MIN_ROOMS} to {MAX_ROOMS}", house.rooms)
    _require(0 <= house.seed < 2**63, "scene.house.seed", "a whole number from 0 up to 2**63 - 1", house.seed)
    try:
        plan = plan_of(house)
    except ValueError as error:
        raise SceneError(f"scene.house.{error}") from None
    room = scene.room
    _require(2.3 <= room.height_m <= 4.0, "scene.room.height_m", "2.3 to 4 m in a house", room.height_m)
    fits = all(abs(a - b) < 0.01 for a, b in zip(room.bounds_m, plan.bounds_m, strict=True))
    _require(fits, "scene.room.bounds_m", f"the rectangle around the house, {plan.bounds_m!r}", room.bounds_m)


def _require(good: bool, where: str, expected: str, got: object) -> None:
    if not good:
        raise SceneError(f"{where}: expected {expected}, got {got!r}")


def _check_numbers(values: tuple[float, ...], where: str) -> None:
    good = all(math.isfinite(v) and abs(v) <= MAX_COORDINATE_M for v in values)
    _require(good, where, f"finite metres within ±{MAX_COORDINATE_M:.0f}", values)


def _check_positive(values: tuple[float, ...], where: str) -> None:
    good = all(math.isfinite(v) and 0 < v <= MAX_COORDINATE_M for v in values)
    _require(good, where, f"numbers above 0 and up to {MAX_COORDINATE_M:.0f}", values)


def _check_rectangle(bounds: tuple[float, float, float, float], where: str) -> None:
    _check_numbers(bounds, where)
    x_min, y_min, x_max, y_max = bounds
    _require(x_min < x_max and y_min < y_max, where, "(x_min, y_min, x_max, y_max) with min below max", bounds)


def _check_params(params: dict[str, Any], where: str) -> None:
    _require(len(msgspec.msgpack.encode(params)) <= MAX_PARAMS_BYTES, where, f"at most {MAX_PARAMS_BYTES} bytes", "more")
    pending: list[Any] = [params]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
        elif isinstance(value, float):
            _require(math.isfinite(value), where, "finite numbers", value)
