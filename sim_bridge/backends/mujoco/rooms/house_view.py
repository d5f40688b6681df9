"""What a camera in a house sees: the spot hangs in its room, and rooms that no line through open doors reaches are left out.

A function of the scene and the camera's pose alone, so frames repeat.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.rooms import house_shell, lights
from sim_bridge.houses import Plan, plan_of
from sim_bridge.houses.outline import Point
from sim_bridge.spec import HouseDoor, Scene

HIDDEN_GROUP = 5
"""Geom group of what a picture leaves out; never drawn."""


class HouseView:
    """Per frame: the spot in the camera's room, and rooms hidden that no line through open doors reaches. Exact: hiding changes no pixel
    but the shadows that things in unseen rooms would cast."""

    def __init__(self, scene: Scene, model: mujoco.MjModel, geom_spaces: NDArray[np.int64]) -> None:
        """
        Args:
            geom_spaces: geom id → bit set of the rooms that it belongs to; 0: always shown.
        """
        assert scene.house is not None
        self.plan: Plan = plan_of(scene.house)
        self._scene, self._model = scene, model
        self._geom_spaces = geom_spaces
        self._group = model.geom_group.copy()
        self._index = {name: i for i, name in enumerate(self.plan.names)}
        self._spot = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_LIGHT, "spot"))
        ceiling = scene.room.floor_z_m + scene.room.height_m
        self._lights: list[tuple[Array, Array]] = []
        for space in house_shell.spaces(scene):
            if scene.lighting == "side":
                self._lights.append(lights.window_spot(space))
            else:
                self._lights.append((np.array([*space.middle, ceiling - 0.1]), np.array([0.0, 0.01, -1.0])))
        self._everywhere = (1 << len(self.plan.names)) - 1

    def room_of(self, position: Array) -> str | None:
        """The room in which a camera is; None outside, in a wall, or above the ceiling."""
        r = self._scene.room
        if not r.floor_z_m <= position[2] <= r.floor_z_m + r.height_m:
            return None
        return self.plan.room_at((float(position[0]), float(position[1])))

    def prepare(self, data: mujoco.MjData, position: Array, rotation: Array, mirror: Array | None = None) -> None:
        """Set light and visibility for one picture from a camera pose (rotation camera → world).

        Where the room of a mirror (world point `mirror`) is seen, every room is shown: any may show in it.
        """
        name = self.room_of(position)
        visible = self._everywhere if name is None else self.visible(name, position, rotation)
        if mirror is not None:
            there = self.room_of(mirror)
            if there is None or visible >> self._index[there] & 1:
                visible = self._everywhere
        hidden = (self._geom_spaces != 0) & ((self._geom_spaces & visible) == 0)
        self._model.geom_group[:] = np.where(hidden, HIDDEN_GROUP, self._group)
        if self._spot >= 0:
            at = self._lights[self._index[name]] if name is not None else self._lights[0]
            data.light_xpos[self._spot], data.light_xdir[self._spot] = at

    def visible(self, name: str, position: Array, rotation: Array) -> int:
        """Bit set of the rooms that some line of sight through doorways reaches (a few more where rooms are L-shaped)."""
        eye = float(position[0]), float(position[1])
        start, span = self._fan(rotation)
        seen = 1 << self._index[name]

        def walk(room: str, low: float, high: float, way: tuple[str, ...]) -> None:
            nonlocal seen
            for door in self.plan.doors:
                if room not in door.rooms:
                    continue
                other = door.rooms[0] if door.rooms[1] == room else door.rooms[1]
                if other in way:
                    continue
                ends = _door_angles(door, eye, start)
                if ends is None:
                    a, b = low, high  # in the doorway itself
                else:
                    a, b = max(low, ends[0]), min(high, ends[1])
                if a < b:
                    seen |= 1 << self._index[other]
                    walk(other, a, b, (*way, other))

        if span >= math.pi:
            # Looking steeply up or down the picture spans all directions: everything a door can show counts.
            for part in (0.0, 0.5 * math.pi, math.pi, 1.5 * math.pi):
                start = part
                walk(name, -math.pi / 4, math.pi / 4, (name,))
        else:
            walk(name, -span / 2, span / 2, (name,))
        return seen

    def _fan(self, rotation: Array) -> tuple[float, float]:
        """(heading of the picture's middle, angle that the picture spans seen from above), radians; π and more: all directions."""
        c = self._scene.camera
        x = math.tan(math.radians(c.hfov_deg) / 2)
        y = x * c.height / c.width
        rays = np.array([(sx * x, sy * y, -1.0) for sx in (-1, 1) for sy in (-1, 1)]) @ rotation.T
        ahead = -rotation[:, 2]
        flat = np.hypot(rays[:, 0], rays[:, 1])
        # The vertical line lies in the picture where both of its ends' image coordinates do.
        up = rotation.T @ np.array([0.0, 0.0, 1.0 if ahead[2] > 0 else -1.0])
        steep = up[2] < 0 and abs(up[0] / up[2]) <= x and abs(up[1] / up[2]) <= y
        if steep or float(np.hypot(ahead[0], ahead[1])) < 1e-6 or float(flat.min()) < 1e-6:
            return 0.0, 2 * math.pi
        middle = math.atan2(ahead[1], ahead[0])
        away = [(math.atan2(r[1], r[0]) - middle + math.pi) % (2 * math.pi) - math.pi for r in rays]
        return middle, min(2 * math.pi, 2 * max(abs(a) for a in away) + 0.02)


def _door_angles(door: HouseDoor, eye: Point, start: float) -> tuple[float, float] | None:
    """Smallest and largest angle from the heading `start` under which a doorway is seen from above; None from within it."""
    half = door.width_m / 2 + 0.01
    x, y = door.centre_m
    a, b = ((x - half, y), (x + half, y)) if door.along == "x" else ((x, y - half), (x, y + half))
    offset = abs(eye[1] - y) if door.along == "x" else abs(eye[0] - x)
    if offset < 0.08:
        return None
    first, second = ((math.atan2(p[1] - eye[1], p[0] - eye[0]) - start + math.pi) % (2 * math.pi) - math.pi for p in (a, b))
    if abs(first - second) > math.pi:
        # It lies across the direction opposite to the heading.
        return max(first, second), min(first, second) + 2 * math.pi
    return min(first, second), max(first, second)


def view_of(scene: Scene, model: mujoco.MjModel) -> HouseView | None:
    """The view of a compiled scene with a house, None for a single room. Bodies named ``space…`` hold what belongs to rooms."""
    if scene.house is None:
        return None
    sets = np.zeros(model.ngeom, np.int64)
    for g in range(model.ngeom):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, int(model.geom_bodyid[g])) or ""
        if name.startswith("space"):
            sets[g] = int(name[5:].split(".")[0])
    return HouseView(scene, model, sets)
