"""A second robot that rolls along a path of its own: with every action it goes on by `step_m`, whatever the action is.

The path starts where the robot stands and leads over the points of ``path`` in order; at the last one it stops for good. It looks where
it goes: the turn at a corner is spread over the way before and after it. Where it is follows from one number, the way it has gone, so
that restoring is exact. It is moved by hand: it goes through what is in its way, but pushes free bodies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sim_bridge.backends.mujoco.engine.session import pose_of, put_pose
from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.backends.mujoco.entities.openable import WALKERS, Hung, hang, host_pose
from sim_bridge.errors import SceneError
from sim_bridge.rotations import about_z, yaw_of
from sim_bridge.spec import Pose

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed, World
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
    from sim_bridge.spec import Object, Scene

STEP_M = 0.5
"""Way of one action where the object states none."""
BEND_M = 0.2
"""A turn begins that far before a corner and ends as far behind it (at most half of the way to the next one)."""
STRIDE_M = 1.3
"""Way of one swing of the arms to and fro; no multiple of the usual step, or pictures would show the arms always alike."""
MAX_POINTS = 200


class Robot(Entity):
    """``path``: [[x, y], …], world metres on the floor; ``step_m``: way per action, 0.05 to 5 (default 0.5)."""

    params: ClassVar[tuple[str, ...]] = ("path", "step_m")
    follows: ClassVar[bool] = True
    steps: ClassVar[bool] = True

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        super().__init__(placed, thing, scene)
        self.points = [(float(x), float(y)) for x, y in thing.params.get("path", ())]
        self.step_m = float(thing.params.get("step_m", STEP_M))
        self.hung: list[Hung] = []
        x0, y0, x1, y1 = scene.room.bounds_m
        for i, (x, y) in enumerate(self.points):
            if not (x0 < x < x1 and y0 < y < y1):
                raise SceneError(f"scene.objects: {thing.handle}: params.path[{i}]: expected a point inside the room, got {(x, y)!r}")

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        walks = match.maker in WALKERS
        for name in cls.params:
            if name in thing.params and not walks:
                raise SceneError(f"scene.objects: {thing.handle}: params.{name}: a {thing.category} does not walk")
        if walks and thing.dynamic:
            raise SceneError(f"scene.objects: {thing.handle}: dynamic: a robot moves by itself, expected false")
        return walks

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        path, step = thing.params.get("path", []), thing.params.get("step_m", STEP_M)
        if not isinstance(path, (list, tuple)) or len(path) > MAX_POINTS or not all(_is_point(q) for q in path):
            raise SceneError(f"{where}.params.path: expected up to {MAX_POINTS} points [x, y] in metres, got {path!r}")
        if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.05 <= step <= 5.0:
            raise SceneError(f"{where}.params.step_m: expected metres per action from 0.05 to 5, got {step!r}")

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        self.hung = hang(builder, body, self.placed, self.placed.model.mobiles, solid=False)

    def bind(self, world: World) -> None:
        for part in self.hung:
            part.body = world.model.body(part.name).id
            part.mocap = int(world.model.body_mocapid[part.body])

    # --- per session -------------------------------------------------------------------------------------------------

    def enter(self, s: Session) -> None:
        pose = pose_of(s, self.placed)
        x, y, z = pose.position_m
        yaw = yaw_of(pose.quaternion_xyzw)
        s.extra(self.handle).update(x=x, y=y, z=z, yaw=yaw, path_m=0.0, shown_m=0.0)
        self.follow(s)

    def advance(self, s: Session) -> None:
        if s.absent(self.handle) or s.carried(self.handle) or not self.busy(s):
            return
        way = _Way(s.extra(self.handle), self.points)
        gone = min(self._gone(s) + self.step_m, way.length)
        s.extra(self.handle)["path_m"] = gone
        self._stand(s, way, gone)

    def glide(self, s: Session, share: float) -> None:
        """Show it part of the way of one action further; `advance` then completes the action."""
        if s.absent(self.handle) or s.carried(self.handle) or not self.busy(s):
            return
        way = _Way(s.extra(self.handle), self.points)
        self._stand(s, way, min(self._gone(s) + share * self.step_m, way.length))

    def busy(self, s: Session) -> bool:
        return not s.absent(self.handle) and self._gone(s) < _Way(s.extra(self.handle), self.points).length

    def step(self, s: Session) -> None:
        self.follow(s)

    def follow(self, s: Session) -> None:
        position, quat = host_pose(s, self.placed)
        state = s.extra(self.handle)
        shown = float(state.get("shown_m", 0.0))
        way = _Way(state, self.points)
        # The arms hang straight down where it starts and where it stops.
        swing = math.sin(2 * math.pi * shown / STRIDE_M) * min(1.0, shown / BEND_M, (way.length - shown) / BEND_M)
        for part in self.hung:
            if part.mobile.name.startswith("wheel"):
                radius = float(part.mobile.anchor[2] - min(p.vertices[:, 2].min() for p in part.mobile.parts))
                share = shown / (2 * math.pi * radius)
            else:
                share = swing if part.mobile.name.endswith("left") else -swing
            s.data.mocap_pos[part.mocap], s.data.mocap_quat[part.mocap] = part.pose(share, position, quat)

    def flags(self, s: Session) -> dict[str, bool]:
        walking = self.busy(s)
        return {"walking": walking, "arrived": bool(self.points) and not walking}

    def levels(self, s: Session) -> dict[str, float]:
        return {"path_m": self._gone(s)}

    # --- inside ------------------------------------------------------------------------------------------------------

    def _gone(self, s: Session) -> float:
        return float(s.extra(self.handle).get("path_m", 0.0))

    def _stand(self, s: Session, way: _Way, gone: float) -> None:
        state = s.extra(self.handle)
        (x, y), yaw = way.at(gone)
        state["shown_m"] = gone
        put_pose(s, self.placed, Pose((x, y, float(state["z"])), about_z(yaw)))


class _Way:
    """The path from where the robot stood at the beginning of the phase."""

    def __init__(self, state: dict[str, Any], points: list[tuple[float, float]]) -> None:
        places = [np.array([state.get("x", 0.0), state.get("y", 0.0)])]
        for q in points:
            if float(np.linalg.norm(np.array(q) - places[-1])) > 0.01:
                places.append(np.array(q))
        self._places: Array = np.array(places)
        steps = np.diff(self._places, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        self._marks = np.concatenate([[0.0], np.cumsum(lengths)])
        # Its front faces −y when it is not turned.
        headings = np.unwrap([float(state.get("yaw", 0.0)), *(math.atan2(dx, -dy) for dx, dy in steps)])
        turns: list[tuple[float, float]] = [(0.0, headings[0])]
        for i, (length, mark) in enumerate(zip(lengths, self._marks, strict=False)):
            turns.append((mark + min(BEND_M, length / 2), headings[i + 1]))
            turns.append((mark + max(length - BEND_M, length / 2), headings[i + 1]))
        self._turn_at, self._turn_to = np.array(turns).T

    @property
    def length(self) -> float:
        return float(self._marks[-1])

    def at(self, gone: float) -> tuple[tuple[float, float], float]:
        """Place and yaw (radians; 0 faces −y) after `gone` metres."""
        x, y = (float(np.interp(gone, self._marks, self._places[:, k])) for k in (0, 1))
        return (x, y), float(np.interp(gone, self._turn_at, self._turn_to))


def _is_point(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in value)
    )


ENTITIES = (Robot,)
