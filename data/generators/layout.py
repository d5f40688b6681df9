"""Things in a layout: where they stand, how a layout gets into a room, and moves that a camera cannot see.

Layouts live in a local frame: the camera stands over (0, 0) and looks along +y, x to the right, metres. `Place` turns the layout into
one of four headings and puts it somewhere in the world, the same for both twins; `HERE` leaves it where it is (houses).

The tool for twins (measurement 26) is `slide`: a thing moved along its line of sight and scaled with its distance keeps its outline in
the picture; at floor level its foot hardly moves either.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim_bridge.kinematics import looking, moved
from sim_bridge.rotations import turned_about_z
from sim_bridge.spec import Camera, Object, Pose, Quat, Room, Vec3

LIVED_IN = (
    "living_room",
    "dining_room",
    "bedroom",
    "office",
    "kitchen",
    "childs_room",
    "lab",
    "workshop",
    "utility_room",
    "library",
    "meeting_room",
    "storage_room",
    "bathroom",
    "hall",
)
"""Kinds of rooms that `room_about` draws from: each has furniture, islands and small things of its own."""


@dataclass(frozen=True)
class Thing:
    """One object of a layout."""

    key: str
    """Name within the item; never leaves the generator."""
    category: str
    xy: tuple[float, float]
    size_m: Vec3 | None = None
    """True extents at scale 1, own axes; None: the catalogue's real size (then nothing may rest on its extents)."""
    scale: float = 1.0
    z_m: float | None = None
    """Height of its lower face above the floor; None: it stands on it."""
    yaw_deg: float = 0.0
    words: str = ""
    """How the question names it; empty: neutral."""
    essential: bool = True
    color: str | None = None
    vessel: bool = False
    """Others may lie in it: the overlap rule passes over it."""
    dynamic: bool = False
    """A free body: physics moves it, hands can use it."""
    params: dict[str, Any] = field(default_factory=dict)
    """Further settings of the simulator's objects (``angle_deg``, ``water_ml``, ``path`` in the local frame, …)."""
    attitude_xyzw: Quat | None = None
    """Attitude in the local frame instead of `yaw_deg` (a thing lying on its side, a leaning mirror)."""

    @property
    def reach_m(self) -> float:
        """Half its depth towards the camera (yaw 0)."""
        return self.extent_m[1] / 2

    @property
    def extent_m(self) -> Vec3:
        """Extents along its own axes.

        Raises:
            ValueError: its size is the catalogue's.
        """
        if self.size_m is None:
            raise ValueError(f"{self.key}: its size is the catalogue's and not known here")
        x, y, z = (v * self.scale for v in self.size_m)
        return x, y, z


def slide(thing: Thing, factor: float) -> Thing:
    """Move a thing along its line of sight to `factor` times its distance, and scale it so that it looks as large as before."""
    return replace(thing, xy=(thing.xy[0] * factor, thing.xy[1] * factor), scale=thing.scale * factor)


def thing_inside(thing: Thing, size_m: Vec3, wall_m: float = 0.015) -> Thing:
    """The thing on the floor of a box with walls of `wall_m`."""
    return replace(thing, z_m=wall_m, size_m=size_m)


def footprint(thing: Thing) -> tuple[float, float]:
    """Horizontal extents of the turned box along the local axes."""
    c, s = abs(math.cos(math.radians(thing.yaw_deg))), abs(math.sin(math.radians(thing.yaw_deg)))
    x, y, _ = thing.extent_m
    return (c * x + s * y, s * x + c * y)


def collide(a: Thing, b: Thing) -> bool:
    """Whether two upright boxes overlap by more than 1 mm; what is in a vessel, above the floor, or of unknown size does not count."""
    if a.vessel or b.vessel or a.z_m is not None or b.z_m is not None or a.size_m is None or b.size_m is None:
        return False
    return all(abs(a.xy[i] - b.xy[i]) + 0.001 < (footprint(a)[i] + footprint(b)[i]) / 2 for i in (0, 1))


@dataclass(frozen=True)
class Place:
    """Where a layout lies in the world: turned about the vertical, then moved."""

    turn_deg: float = 0.0
    origin: tuple[float, float] = (0.0, 0.0)

    def point(self, xy: tuple[float, float]) -> tuple[float, float]:
        """A point of the local frame in the world, metres to 5 decimals."""
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return (round(self.origin[0] + c * xy[0] - s * xy[1], 5), round(self.origin[1] + s * xy[0] + c * xy[1], 5))

    def box(self, local: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """An axis-parallel rectangle (turns by right angles only)."""
        corners = [self.point((x, y)) for x in local[::2] for y in local[1::2]]
        xs, ys = [c[0] for c in corners], [c[1] for c in corners]
        return (min(xs), min(ys), max(xs), max(ys))

    def attitude(self, thing: Thing) -> Quat:
        """How a thing stands in the world, quaternion xyzw to 9 decimals: its own attitude or yaw, turned with the place."""
        turn_deg = (0.0 if thing.attitude_xyzw else thing.yaw_deg) + self.turn_deg
        x, y, z, w = (round(v, 9) for v in turned_about_z(thing.attitude_xyzw or (0.0, 0.0, 0.0, 1.0), math.radians(turn_deg)))
        return x, y, z, w

    def pose(self, thing: Thing) -> Pose:
        """Pose of the middle of its lower face."""
        x, y = self.point(thing.xy)
        return Pose((x, y, round(thing.z_m or 0.0, 5)), self.attitude(thing))

    def camera(self, x: float, y: float, z: float, yaw_deg: float = 0.0, pitch_deg: float = 0.0) -> Pose:
        """A camera given in the local frame; yaw 0 looks along local +y, counter-clockwise positive; pitch 0 is level."""
        return looking(*self.point((x, y)), z, yaw_deg=yaw_deg + self.turn_deg, pitch_deg=pitch_deg)

    def object(self, thing: Thing, handle: str) -> Object:
        """A thing as an object of a scene: pose, colour and path in the world, and its size where it has one."""
        params = dict(thing.params)
        if thing.color:
            params["color"] = thing.color
        if "path" in params:
            params["path"] = [list(self.point((x, y))) for x, y in params["path"]]
        size = None
        if thing.size_m is not None:
            x, y, z = (round(v, 5) for v in thing.extent_m)
            size = (x, y, z)
        return Object(
            handle=handle,
            category=thing.category,
            pose=self.pose(thing),
            origin="base",
            size_m=size,
            scale=(1.0, 1.0, 1.0) if thing.size_m is not None else (thing.scale,) * 3,
            on_floor=thing.z_m is None and not thing.dynamic,
            dynamic=thing.dynamic,
            params=params,
        )


HERE = Place()
PUBLISHED = Camera()
"""The camera of most tasks, its steps those of the release."""


def room_about(
    numbers: random.Random,
    place: Place,
    clear: tuple[float, float, float, float],
    *,
    kinds: Sequence[str] = LIVED_IN,
    margins_m: tuple[float, float] = (0.9, 1.6),
    wide_m: tuple[float, float] = (1.9, 2.7),
    without: Sequence[str] = (),
) -> Room:
    """A lived-in room around a layout: other every time in kind, size, proportions and where in it the layout lies.

    Furniture, things on it and on the floor come from the room's seed and keep out of `clear`.

    Args:
        numbers: the item's random numbers.
        place: where the layout lies; turns by right angles only.
        clear: (x_min, y_min, x_max, y_max) that the task needs free, local frame: where things stand, the camera starts and goes, and what
            lies between.
        kinds: kinds of rooms to draw from.
        margins_m: least and greatest distance of a wall from `clear`, drawn for each of three.
        wide_m: the same for the fourth, where islands find room: the far one in half of the rooms, else the left or right one.
        without: categories that the room must not show, beside those of the item's things on both sides (which `framework.build` adds):
            further options of the question, say.

    Example:
        >>> place = Place(90.0 * numbers.randrange(4))
        >>> Pair(…, place=place, room=room_about(numbers, place, (-1.5, -0.5, 1.5, 2.9)))
    """
    a, b, c, d = clear
    wide = numbers.choice((0, 2, 3, 3))
    west, south, east, north = (round(numbers.uniform(*(wide_m if k == wide else margins_m)), 2) for k in range(4))
    return Room(
        bounds_m=place.box((a - west, b - south, c + east, d + north)),
        kind=numbers.choice(list(kinds)),
        seed=numbers.randrange(1 << 30),
        keep_clear_m=place.box(clear),
        arrangement="lived_in",
        without=tuple(sorted(without)),
    )


def from_above(centre: tuple[float, float], camera_z_m: float, height_m: float, camera: Camera = PUBLISHED) -> tuple[str, ...]:
    """Actions to a camera `height_m` above the floor over `centre` (to the nearest step), looking straight down."""
    step = camera.move_step_m
    up = max(0, round((height_m - camera_z_m) / step))
    right, forward = round(centre[0] / step), round(centre[1] / step)
    sideways = ("move_right",) * right if right >= 0 else ("move_left",) * -right
    return ("move_up",) * up + sideways + ("move_forward",) * forward + ("turn_down",) * round(90 / camera.turn_step_deg)


def path_poses(start: Pose, path: Sequence[str], camera: Camera = PUBLISHED) -> list[Pose]:
    """Camera poses along a trajectory, the start included; physical actions leave the camera where it is."""
    poses = [start]
    for action in path:
        name = action.split("(")[0]
        moves = name.startswith(("move_", "turn_"))
        poses.append(moved(camera, poses[-1], name) if moves else poses[-1])
    return poses
