"""A simulator of coloured boxes in numpy: no graphics library, no assets, deterministic. For tests, teaching and dry runs.

The picture is ray-cast at up to 160 columns and enlarged by whole pixels. Physical actions follow simple rules instead of physics.

Known `Object.params`:

* ``color``: one of `COLORS`; default: by handle.
* ``locked`` (bool): `open` fails.
* ``velocity_m`` ([x, y, z]): displacement per step of a dynamic object, so that replaying and restoring differ if they are wrong.
* ``fault`` (``hang``, ``crash``, ``error``, ``slow`` or ``memory``, which takes all there is): what goes wrong when an action is
  executed (not while replaying); ``fault_on``: only for this action name; ``fault_s``: seconds of ``slow``; ``fault_once``: path of a
  file, created when the fault strikes, that prevents it from striking again. ``SIM_BRIDGE_TOY_FAULT=hang:turn_left`` does the same for
  every session.
"""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS, Action
from sim_bridge.backend import ActionOutcome
from sim_bridge.encoding import encode_frame
from sim_bridge.errors import BadRequest, SceneError
from sim_bridge.kinematics import heading, looking, moved, rotation_matrix
from sim_bridge.spec import Ability, Camera, Contact, Frame, Hands, Object, ObjectState, Observation, PixelBox, Pose, Relation, Scene
from sim_bridge.timing import measure

VERSION = "2"
COLORS: dict[str, tuple[int, int, int]] = {
    "red": (214, 60, 52),
    "green": (66, 160, 71),
    "blue": (45, 110, 200),
    "yellow": (242, 196, 48),
    "orange": (240, 130, 30),
    "purple": (130, 76, 170),
    "white": (236, 236, 232),
    "black": (45, 45, 48),
    "brown": (128, 88, 58),
    "pink": (232, 130, 170),
}
_PARAMS = {"color", "locked", "velocity_m", "fault", "fault_on", "fault_s", "fault_once"}
_FAULTS = ("hang", "crash", "error", "slow", "memory")
_MAX_COLUMNS = 160
"""Rays per row; wider images enlarge each ray's colour to a block of whole pixels."""
_AHEAD_M = 1.5
"""`put_on_floor` puts the object this far ahead of the camera."""
_LETS_GO = ("put", "put_on_floor", "put_back", "place_on_slope")
"""Actions that need their object in the hand, and take it out."""
_REACH_M = 3.0
"""What is farther from the camera than this cannot be handled."""


class Thing(msgspec.Struct):
    """Changeable state of one object."""

    position: tuple[float, float, float]
    """Box centre, world frame."""
    quaternion: tuple[float, float, float, float]
    open: bool = False
    filled: bool = False
    removed: bool = False
    """A cloth that has been taken away."""


DARKENED = {"dim": 0.45, "night": 0.15}
"""Share of the brightness that is left; lamps light nothing here."""


class World(msgspec.Struct):
    """Everything that changes during a session; its MessagePack form is the snapshot."""

    camera: Pose
    things: dict[str, Thing]
    phase: str = ""
    held: str | None = None
    steps: int = 0


class _Session:
    def __init__(self, scene: Scene, start: Pose) -> None:
        self.scene, self.start = scene, start
        self.objects = {thing.handle: thing for thing in scene.objects}
        self.sizes = {thing.handle: _size(thing) for thing in scene.objects}
        self.world = World(start, {})
        self.enter_phase(scene.phases[0].name if scene.phases else "")

    def enter_phase(self, name: str) -> None:
        moved = next((p.moved for p in self.scene.phases if p.name == name), {})
        things = {h: self._placed(obj, moved.get(h, obj.pose)) for h, obj in self.objects.items()}
        self.world = World(self.start, things, name, steps=self.world.steps)

    def _placed(self, obj: Object, pose: Pose) -> Thing:
        x, y, z = pose.position_m
        height = self.sizes[obj.handle][2]
        if obj.on_floor:
            z = self.scene.room.floor_z_m + height / 2
        elif obj.origin == "base":
            z += height / 2
        return Thing((x, y, z), pose.quaternion_xyzw)

    def hidden(self, handle: str) -> bool:
        """Absent in this phase, or taken away."""
        world = self.world
        absent = next((p.hidden for p in self.scene.phases if p.name == world.phase), ())
        return handle in absent or world.things[handle].removed

    @property
    def lighting(self) -> str:
        """The light of this phase."""
        return next((p.lighting for p in self.scene.phases if p.name == self.world.phase), "") or self.scene.lighting

    def carry(self) -> None:
        """Keep what is held at the lower right of the view, upright and turned with the camera."""
        held, camera = self.world.held, self.world.camera
        if held is None:
            return
        radius = math.dist(self.sizes[held], (0.0, 0.0, 0.0)) / 2
        away = max(0.6, 2.0 * radius)
        turn = np.array(rotation_matrix(camera.quaternion_xyzw))
        x, y, z = turn @ np.array([0.4, -0.35, -1.0]) * away + np.array(camera.position_m)
        ahead = heading(camera)
        yaw = math.atan2(-ahead[0], ahead[1]) / 2
        thing = self.world.things[held]
        thing.position, thing.quaternion = (float(x), float(y), float(z)), (0.0, 0.0, math.sin(yaw), math.cos(yaw))


class ToyBackend:
    """See the module's docstring."""

    name = "toy"
    deterministic = True
    capabilities = (*ACTIONS, "phases", "phase_light", "dynamic", "view_counts", "audit", "hands", "masks", "camera_steps")

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}

    def fingerprint(self) -> dict[str, str]:
        return {"backend": f"toy {VERSION}", "numpy": np.__version__}

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        for i, obj in enumerate(scene.objects):
            _check_params(obj.params, f"scene.objects[{i}].params")
        self._sessions[session] = _Session(scene, start)
        return self._seen(session, render, render)

    def act(self, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        state = self._sessions[session]
        if render:
            for obj in state.scene.objects:
                _fault(obj.params, action.name)
            _fault(_environment_fault(), action.name)
        for handle, obj in state.objects.items():
            velocity = obj.params.get("velocity_m")
            if obj.dynamic and velocity is not None:
                thing = state.world.things[handle]
                thing.position = _add(thing.position, velocity)
        state.world.steps += 1
        if action.name in CAMERA_ACTIONS:
            state.world.camera = moved(state.scene.camera, state.world.camera, action.name)
            state.carry()
            return ActionOutcome(True, "", self._seen(session, render, visible))
        reason, frames = self._physical(session, state, action, render)
        observation = self._seen(session, render, visible)
        return ActionOutcome(not reason, reason, msgspec.structs.replace(observation, frames=(*frames, *observation.frames)))

    def observe(self, session: str) -> Observation:
        return self._observation(session, True)

    def set_phase(self, session: str, phase: str, render: bool = True, visible: bool = True) -> Observation:
        state = self._sessions[session]
        if phase not in {p.name for p in state.scene.phases}:
            raise BadRequest(f"phase: expected one of {[p.name for p in state.scene.phases]}, got {phase!r}")
        state.enter_phase(phase)
        return self._seen(session, render, visible)

    def state(self, session: str) -> tuple[list[ObjectState], list[Relation]]:
        state = self._sessions[session]
        visible = _visible(state, _render(state, state.world.camera)[1])
        objects = []
        for handle, obj in state.objects.items():
            thing = state.world.things[handle]
            low, high = _aabb(thing, state.sizes[handle])
            objects.append(
                ObjectState(
                    handle=handle,
                    category=obj.category,
                    pose=Pose(thing.position, thing.quaternion),
                    aabb_min_m=low,
                    aabb_max_m=high,
                    visible_pixels=visible.get(handle, 0),
                    present=not state.hidden(handle),
                    room=state.scene.room.kind,
                    flags={"open": thing.open, "filled": thing.filled, "held": handle == state.world.held},
                )
            )
        return objects, self._relations(state)

    def views(self, session: str, poses: Sequence[Pose]) -> list[Frame]:
        state = self._sessions[session]
        return [encode_frame(_render(state, pose)[0]) for pose in poses]

    def visible(self, session: str, poses: Sequence[Pose]) -> list[dict[str, int]]:
        state = self._sessions[session]
        return [_visible(state, _render(state, pose)[1]) for pose in poses]

    def masks(self, session: str, pose: Pose | None) -> tuple[np.ndarray, tuple[str, ...]]:
        state = self._sessions[session]
        return _render(state, pose or state.world.camera)[1], tuple(state.objects)

    def hands(self, session: str) -> Hands:
        """Boxes of which each can do everything."""
        return Hands(_REACH_M, dict.fromkeys(self._sessions[session].objects, get_args(Ability)))

    def audit(self, session: str) -> tuple[dict[str, dict[str, bool]], list[Contact]]:
        """By boxes: what has nothing within 5 mm floats, what overlaps by more than 3 mm interpenetrates."""
        state = self._sessions[session]
        room, things = state.scene.room, state.world.things
        present = [h for h in things if not state.hidden(h)]
        boxes = {h: np.array(_aabb(things[h], state.sizes[h])) for h in present}
        inner = np.array([(*room.bounds_m[:2], room.floor_z_m), (*room.bounds_m[2:], room.floor_z_m + room.height_m)])
        gaps = {(a, b): _gap(boxes[a], boxes[b]) for i, a in enumerate(present) for b in present[i + 1 :]}
        contacts = [
            Contact(a, b, _middle(np.maximum(boxes[a][0], boxes[b][0]), np.minimum(boxes[a][1], boxes[b][1])), max(0.0, gap))
            for (a, b), gap in gaps.items()
            if gap < 0.003
        ]
        flags = {}
        for h in present:
            low, high = boxes[h]
            margin = min(float((low - inner[0]).min()), float((inner[1] - high).min()))
            near = [margin, *(gap for pair, gap in gaps.items() if h in pair)]
            flags[h] = {
                "floating": min(near) > 0.005,
                "interpenetrating": min(near) < -0.003,
                "moved_after_settling": state.objects[h].dynamic and any(state.objects[h].params.get("velocity_m") or ()),
                "out_of_room": not bool((((low + high) / 2 >= inner[0]) & ((low + high) / 2 <= inner[1])).all()),
                "never_visible": not self._shows(state, h, boxes[h], inner),
            }
        return flags, contacts

    @staticmethod
    def _shows(state: _Session, handle: str, box: np.ndarray, inner: np.ndarray) -> bool:
        """Whether a camera 0.6 m beside it, from one of eight directions and from within the room, sees it."""
        x, y, z = _middle(*box)
        away = 0.6 + float(np.linalg.norm(box[1] - box[0])) / 2
        for yaw in range(0, 360, 45):
            ahead = heading(looking(0.0, 0.0, 0.0, yaw_deg=float(yaw)))
            eye = (x - away * ahead[0], y - away * ahead[1], z)
            within = bool(((np.array(eye) >= inner[0]) & (np.array(eye) <= inner[1])).all())
            if within and handle in _visible(state, _render(state, looking(*eye, yaw_deg=float(yaw)))[1]):
                return True
        return False

    def snapshot(self, session: str) -> bytes:
        return msgspec.msgpack.encode(self._sessions[session].world)

    def restore(self, session: str, snapshot: bytes) -> None:
        try:
            world = msgspec.msgpack.decode(snapshot, type=World)
        except msgspec.MsgspecError as problem:
            raise BadRequest(f"snapshot: not a state of this backend ({problem})") from None
        if world.things.keys() != self._sessions[session].objects.keys():
            raise BadRequest(f"snapshot: of another scene, its objects are {sorted(world.things)}")
        self._sessions[session].world = world

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)

    def _seen(self, session: str, render: bool, visible: bool) -> Observation:
        """The observation, or without drawing anything what is known of it."""
        if render or visible:
            return self._observation(session, render)
        state = self._sessions[session]
        return Observation((), state.world.camera, {}, _clipped(state), state.world.phase)

    def _observation(self, session: str, render: bool) -> Observation:
        state = self._sessions[session]
        with measure("render"):
            rgb, ids = _render(state, state.world.camera)
        frames = (encode_frame(rgb),) if render else ()
        return Observation(frames, state.world.camera, _visible(state, ids), _clipped(state), state.world.phase, _boxes(state, ids))

    def _relations(self, state: _Session) -> list[Relation]:
        apart = [h for h in state.objects if not state.hidden(h) and h != state.world.held]
        boxes = {h: _aabb(state.world.things[h], state.sizes[h]) for h in apart}
        found = []
        for a, (low_a, high_a) in boxes.items():
            for b, (low_b, high_b) in boxes.items():
                center = state.world.things[a].position
                if a == b or not all(low_b[k] <= center[k] <= high_b[k] for k in (0, 1)):
                    continue
                if all(low_b[k] <= low_a[k] and high_a[k] <= high_b[k] for k in (0, 1, 2)):
                    found.append(Relation("inside", a, b))
                elif abs(low_a[2] - high_b[2]) < 0.01:
                    found.append(Relation("on", a, b))
        return found

    def _physical(self, session: str, state: _Session, action: Action, render: bool) -> tuple[str, tuple[Frame, ...]]:
        """Execute a physical action; returns the reason of a failure (empty: done) and frames before the last."""
        things, objects = state.world.things, action.objects
        if reason := _out_of_reach(state, action):
            return reason, ()
        first = objects[0] if objects else ""
        name = action.name
        if name == "pick_up":
            return self._pick_up(state, first), ()
        if name in _LETS_GO:
            if reason := self._let_go(state, action, first):
                return reason, ()
            if name == "place_on_slope":
                return "", self._slide(session, state, first, render)
        elif name in ("open", "close"):
            return _turn(state, first, name == "open"), ()
        elif name == "fill":
            things[first].filled = True
        elif name == "pour":
            source, target = things[objects[1]], things[objects[2]]
            if not source.filled:
                return f"{_say(objects[1])} is empty", ()
            frames = () if not render else self._observation(session, True).frames
            source.filled, target.filled = False, True
            return "", frames
        elif name == "remove_cloth":
            things[first].removed = True
        return "", ()

    def _pick_up(self, state: _Session, handle: str) -> str:
        if state.world.held:
            return f"{_say(state.world.held)} is already in the hand"
        if handle not in _visible(state, _render(state, state.world.camera)[1]):
            return f"{_say(handle)} is not in view"
        state.world.held = handle
        state.carry()
        return ""

    def _let_go(self, state: _Session, action: Action, handle: str) -> str:
        things = state.world.things
        if action.name == "put":
            if reason := self._put(state, handle, action.args[1], action.objects[1]):
                return reason
        elif action.name == "put_back":
            things[handle] = state._placed(state.objects[handle], state.objects[handle].pose)
        else:
            ahead = heading(state.world.camera)
            x, y, _ = state.world.camera.position_m
            z = state.scene.room.floor_z_m + state.sizes[handle][2] / 2
            things[handle].position = (x + _AHEAD_M * ahead[0], y + _AHEAD_M * ahead[1], z)
        state.world.held = None
        return ""

    def _put(self, state: _Session, handle: str, relation: str, target: str) -> str:
        if handle == target:
            return "an object cannot be put onto itself"
        size, room = state.sizes[handle], state.sizes[target]
        low, high = _aabb(state.world.things[target], room)
        x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
        if relation == "inside":
            if any(s > r for s, r in zip(size, room, strict=True)):
                return f"{_say(handle)} does not fit into {_say(target)}"
            z = low[2] + size[2] / 2
        else:
            z = high[2] + size[2] / 2
        state.world.things[handle] = Thing((x, y, z), (0.0, 0.0, 0.0, 1.0), filled=state.world.things[handle].filled)
        return ""

    def _slide(self, session: str, state: _Session, handle: str, render: bool) -> tuple[Frame, ...]:
        """Three moves of 5 cm along the heading, a frame before each."""
        frames: list[Frame] = []
        ahead = heading(state.world.camera)
        for _ in range(3):
            if render:
                frames += self._observation(session, True).frames
            thing = state.world.things[handle]
            thing.position = _add(thing.position, (0.05 * ahead[0], 0.05 * ahead[1], 0.0))
        return tuple(frames)


def create() -> ToyBackend:
    """The backend, for `python -m sim_bridge worker --backend toy`."""
    return ToyBackend()


def _out_of_reach(state: _Session, action: Action) -> str:
    """Why the hand cannot do this to these things; empty: it can."""
    for handle in action.objects:
        if state.hidden(handle):
            return f"{_say(handle)} is not there"
    first = action.objects[0] if action.objects else ""
    if action.name in _LETS_GO and state.world.held != first:
        return f"{_say(first)} is not in the hand"
    for handle in action.objects:
        if handle != state.world.held and _away(state, handle) > _REACH_M:
            return f"{_say(handle)} is too far away"
    return ""


def _turn(state: _Session, handle: str, to_open: bool) -> str:
    """Open or close a thing; why not, or empty."""
    thing = state.world.things[handle]
    if to_open and state.objects[handle].params.get("locked"):
        return f"{_say(handle)} is locked"
    if thing.open == to_open:
        return f"{_say(handle)} is {'open' if to_open else 'closed'} already"
    thing.open = to_open
    return ""


def _render(state: _Session, camera: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Ray-cast one view.

    Returns:
        rgb of shape (H, W, 3) uint8, and ids of shape (H, W): 0 room, i for the i-th object (from 1).
    """
    spec = state.scene.camera
    block = math.ceil(spec.width / _MAX_COLUMNS)
    origin, rays = _rays(spec, camera, block)
    rgb, depth = _room(state, origin, rays)
    ids = np.zeros(depth.shape, dtype=np.int32)
    for i, (handle, obj) in enumerate(state.objects.items(), 1):
        if state.hidden(handle):
            continue
        thing = state.world.things[handle]
        t, shade = _hit_box(thing, state.sizes[handle], origin, rays)
        nearer = t < depth
        color = np.array(COLORS[_color(obj)], dtype=np.float64)
        if thing.filled:
            color = color * 0.5 + np.array([30.0, 90.0, 140.0]) * 0.5
        if thing.open:
            color = color * 0.6 + 100.0
        rgb[nearer] = color * shade[nearer, None]
        depth = np.where(nearer, t, depth)
        ids[nearer] = i
    rgb *= DARKENED.get(state.lighting, 1.0)
    pixels = np.clip(np.rint(rgb), 0, 255).astype(np.uint8)
    if block > 1:
        pixels, ids = (np.repeat(np.repeat(a, block, axis=0), block, axis=1) for a in (pixels, ids))
    return np.ascontiguousarray(pixels[: spec.height, : spec.width]), ids[: spec.height, : spec.width]


def _visible(state: _Session, ids: np.ndarray) -> dict[str, int]:
    """handle → pixels, of the objects that show."""
    counts = np.bincount(ids[ids > 0], minlength=len(state.objects) + 1)
    return {handle: int(counts[i]) for i, handle in enumerate(state.objects, 1) if counts[i]}


def _boxes(state: _Session, ids: np.ndarray) -> dict[str, PixelBox]:
    """handle → the box around its pixels, of the objects that show."""
    found: dict[str, PixelBox] = {}
    for i, handle in enumerate(state.objects, 1):
        rows, columns = np.nonzero(ids == i)
        if len(rows):
            found[handle] = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
    return found


def _rays(spec: Camera, camera: Pose, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Camera origin (3,) and ray directions (3, rows, columns), world frame, length 1 along the optical axis."""
    columns, rows = math.ceil(spec.width / block), math.ceil(spec.height / block)
    half = math.tan(math.radians(spec.hfov_deg) / 2)
    pixel = 2 * half / spec.width
    x = ((np.arange(columns) + 0.5) * block - spec.width / 2) * pixel
    y = (spec.height / 2 - (np.arange(rows) + 0.5) * block) * pixel
    right, up, back = np.array(rotation_matrix(camera.quaternion_xyzw)).T[:, :, None, None]
    return np.array(camera.position_m), right * x[None, None, :] + up * y[None, :, None] - back


def _slabs(low: np.ndarray, high: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per axis, the distances at which each ray enters and leaves the slab between two planes: shapes (3, rows, columns)."""
    inverse = 1.0 / np.where(np.abs(rays) < 1e-12, 1e-12, rays)
    a, b = (low - origin)[:, None, None] * inverse, (high - origin)[:, None, None] * inverse
    return np.minimum(a, b), np.maximum(a, b)


def _room(state: _Session, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inner faces of the room as tinted checkers (tiles of 0.4 m); beyond it a striped sky and green ground with tiles of 1 m."""
    room = state.scene.room
    low = np.array([room.bounds_m[0], room.bounds_m[1], room.floor_z_m])
    high = np.array([room.bounds_m[2], room.bounds_m[3], room.floor_z_m + room.height_m])
    enters, leaves = _slabs(low, high, origin, rays)
    enter, leave, face = enters.max(axis=0), leaves.min(axis=0), leaves.argmin(axis=0)
    inside = (leave > np.maximum(enter, 0.0)) & (leave > 1e-6)
    hue = np.random.default_rng(room.seed).uniform(-18, 18, size=3)
    tints = np.array([[198.0, 190.0, 176.0], [182.0, 190.0, 198.0], [150.0, 124.0, 100.0]]) + hue

    at = origin[:, None, None] + rays * np.where(inside, leave, 0.0)
    u, v = np.where(face == 0, at[1], at[0]), np.where(face == 2, at[1], at[2])
    tiles = (np.floor(u * 2.5 + 1e-9) + np.floor(v * 2.5 + 1e-9)) % 2
    ceiling = (face == 2) & (rays[2] > 0)
    light = tiles * 20.0 - 10.0 + 10.0 * np.sin(1.7 * u) + 6.0 * np.cos(2.3 * v) + 70.0 * ceiling
    rgb = tints[face] + light[..., None]
    depth = np.where(inside, leave, np.inf)
    if not inside.all():
        outside, rgb_outside, depth_outside = ~inside, *_outdoors(room.floor_z_m, origin, rays)
        rgb[outside], depth[outside] = rgb_outside[outside], depth_outside[outside]
    return rgb, depth


def _outdoors(ground_z_m: float, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    azimuth = np.arctan2(rays[1], rays[0])
    elevation = rays[2] / np.sqrt((rays**2).sum(axis=0))
    rgb = np.stack([150 + 40 * elevation + 8 * np.sin(9 * azimuth), 185 + 30 * elevation, 225 + 20 * np.cos(5 * azimuth)], axis=-1)
    t = np.where(rays[2] < -1e-9, (ground_z_m - origin[2]) / np.minimum(rays[2], -1e-9), np.inf)
    ground = (t > 1e-6) & (t < 500.0)
    reach = np.where(ground, t, 0.0)
    tiles = (np.floor(origin[0] + rays[0] * reach) + np.floor(origin[1] + rays[1] * reach)) % 2
    rgb[ground] = np.array([96.0, 122.0, 84.0]) + 14.0 * tiles[ground][:, None]
    return rgb, np.where(ground, t, np.inf)


def _hit_box(thing: Thing, size: tuple[float, float, float], origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance along each ray to the box (inf: none) and the brightness of the face it meets."""
    turn = np.array(rotation_matrix(thing.quaternion))
    local = np.tensordot(turn.T, rays, axes=1)
    half = np.array(size) / 2
    enters, leaves = _slabs(-half, half, (origin - np.array(thing.position)) @ turn, local)
    enter, leave, face = enters.max(axis=0), leaves.min(axis=0), enters.argmax(axis=0)
    hit = (enter < leave) & (enter > 1e-6)
    toward = np.choose(face, local) < 0
    shade = np.array([0.82, 0.68, 0.97])[face] - np.where(toward, 0.0, 0.1)
    return np.where(hit, enter, np.inf), shade


def _clipped(state: _Session) -> bool:
    """Camera outside the room or inside an object."""
    room, here = state.scene.room, state.world.camera.position_m
    x_min, y_min, x_max, y_max = room.bounds_m
    ceiling = room.floor_z_m + room.height_m
    if not (x_min < here[0] < x_max and y_min < here[1] < y_max and room.floor_z_m < here[2] < ceiling):
        return True
    for handle, thing in state.world.things.items():
        if not state.hidden(handle) and handle != state.world.held:
            local = (np.array(here) - np.array(thing.position)) @ np.array(rotation_matrix(thing.quaternion))
            if np.all(np.abs(local) < np.array(state.sizes[handle]) / 2):
                return True
    return False


def _size(obj: Object) -> tuple[float, float, float]:
    base = obj.size_m or ((obj.height_m,) * 3 if obj.height_m else (0.3, 0.3, 0.3))
    x, y, z = (extent * s for extent, s in zip(base, obj.scale, strict=True))
    return x, y, z


def _aabb(thing: Thing, size: tuple[float, float, float]) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    reach = np.abs(np.array(rotation_matrix(thing.quaternion))) @ (np.array(size) / 2)
    low, high = np.array(thing.position) - reach, np.array(thing.position) + reach
    return (float(low[0]), float(low[1]), float(low[2])), (float(high[0]), float(high[1]), float(high[2]))


def _away(state: _Session, handle: str) -> float:
    """Metres from the camera to the nearest point of an object's box."""
    low, high = _aabb(state.world.things[handle], state.sizes[handle])
    return math.dist(
        state.world.camera.position_m, [min(max(c, a), b) for c, a, b in zip(state.world.camera.position_m, low, high, strict=True)]
    )


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """Distance of two boxes (low, high); negative by how far the smaller overlap goes."""
    apart = np.maximum(a[0] - b[1], b[0] - a[1])
    return float(np.linalg.norm(np.maximum(apart, 0.0))) if (apart > 0).any() else float(apart.max())


def _middle(low: np.ndarray, high: np.ndarray) -> tuple[float, float, float]:
    x, y, z = ((low + high) / 2).tolist()
    return x, y, z


def _add(a: tuple[float, float, float], b: Sequence[float]) -> tuple[float, float, float]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _say(handle: str) -> str:
    return handle.replace("_", " ")


def _color(obj: Object) -> str:
    return obj.params.get("color") or list(COLORS)[zlib.crc32(obj.handle.encode()) % len(COLORS)]


def _check_params(params: dict[str, Any], where: str) -> None:
    unknown = sorted(set(params) - _PARAMS)
    if unknown:
        raise SceneError(f"{where}.{unknown[0]}: the toy backend knows {', '.join(sorted(_PARAMS))}, got {params[unknown[0]]!r}")
    if params.get("color") is not None and str(params["color"]) not in COLORS:
        raise SceneError(f"{where}.color: expected one of {', '.join(COLORS)}, got {params['color']!r}")
    if params.get("fault") is not None and params["fault"] not in _FAULTS:
        raise SceneError(f"{where}.fault: expected one of {', '.join(_FAULTS)}, got {params['fault']!r}")
    velocity = params.get("velocity_m")
    if velocity is not None and not (
        isinstance(velocity, list | tuple) and len(velocity) == 3 and all(isinstance(v, int | float) for v in velocity)
    ):
        raise SceneError(f"{where}.velocity_m: expected three numbers in metres per step, got {velocity!r}")


def _environment_fault() -> dict[str, Any]:
    kind, _, action = os.environ.get("SIM_BRIDGE_TOY_FAULT", "").partition(":")
    return {"fault": kind, "fault_on": action or None} if kind else {}


def _fault(params: dict[str, Any], action: str) -> None:
    """Go wrong on purpose, if `params` ask for it."""
    kind = params.get("fault")
    if not kind or params.get("fault_on") not in (None, action):
        return
    once = params.get("fault_once")
    if once:
        if Path(once).exists():
            return
        Path(once).touch()
    if kind == "hang":
        time.sleep(3600)
    elif kind == "crash":
        os._exit(13)
    elif kind == "slow":
        time.sleep(float(params.get("fault_s", 0.5)))
    elif kind == "error":
        raise RuntimeError("the toy simulator was told to fail")
    elif kind == "memory":
        taken = []
        while True:
            # Address space alone: nothing is written there, so only a limit is felt.
            taken.append(np.empty(1 << 28, np.uint8))
