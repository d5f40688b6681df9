"""Open and close: lids, doors and drawers move by hand while physics runs on, as far as nothing is in the way."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage, bodies_of, box_of, shape_of
from sim_bridge.backends.mujoco.engine import containment
from sim_bridge.backends.mujoco.engine.building import Placed, World
from sim_bridge.backends.mujoco.engine.session import pose_of, put_pose, settle_pose
from sim_bridge.backends.mujoco.entities.openable import OPEN_FROM, Hung, Openable
from sim_bridge.backends.mujoco.meshes.shapes import Array, Solid
from sim_bridge.spec import Pose

MOVE_S = 0.6
"""Time of one opening or closing."""
FRAMES = 4
"""Pictures of it, the observation included."""
STEPS = 24
"""Positions at which the way of a lid or door is tested."""
PRESS_M = 0.003
"""A lid or door may press that far into something before that is in its way: contacts are soft."""
WALL_M = 0.006
"""The same for walls and furniture."""
FIRST_SHARE = 0.2
"""What a lid meets this early lies on it."""


def open_(stage: Stage, action: Action) -> None:
    """Open something as far as nothing is in the way, at least half."""
    (handle,) = action.objects
    p, e = _openable(stage, handle)
    start = e.share(stage.s)
    if start >= 1.0:
        raise Failed(f"{handle} is open already")
    if e.locked:
        raise Failed(f"{handle} is locked")
    way = _Way(stage, p, e)
    share, blocker = way.clear_until(start, 1.0)
    if share < OPEN_FROM or share - start < 0.05:
        if start >= OPEN_FROM:
            raise Failed(f"{handle} is open already")
        if blocker is None:
            raise Failed(f"there is no room to open {handle}")
        low, _ = box_of(stage.s, blocker)
        _, high = box_of(stage.s, p)
        on_top = share < FIRST_SHARE and low[2] > high[2] - 0.03
        raise Failed(f"{blocker.handle} is on {handle}" if on_top else f"{blocker.handle} is in the way")
    _move(stage, p, e, way.carried, start, share)


def close(stage: Stage, action: Action) -> None:
    """Close something entirely."""
    (handle,) = action.objects
    p, e = _openable(stage, handle)
    start = e.share(stage.s)
    if start <= 0.0:
        raise Failed(f"{handle} is closed already")
    way = _Way(stage, p, e)
    share, blocker = way.clear_until(start, 0.0)
    if share > 0.0:
        raise Failed(f"{blocker.handle} is in the way" if blocker else f"there is no room to close {handle}")
    _move(stage, p, e, way.carried, start, 0.0)


DEEDS = {"open": open_, "close": close}


# --- inside -----------------------------------------------------------------------------------------------------------


def _openable(stage: Stage, handle: str) -> tuple[Placed, Openable]:
    p = stage.object(handle)
    found = next((e for e in p.entities if isinstance(e, Openable)), None)
    if found is None:
        raise Failed(f"{handle} has nothing that opens")
    stage.need_in_reach(handle)
    return p, found


def _move(stage: Stage, p: Placed, e: Openable, carried: list[Placed], start: float, end: float) -> None:
    """Move the parts from one share to another while physics runs; what lies in a drawer comes along."""
    s = stage.s
    # Free bodies move on by themselves and are shifted; fixed ones are set from where they started, so that they come back exactly.
    homes = {thing.handle: pose_of(s, thing) for thing in carried if not thing.dynamic}
    turn = s.data.xmat[p.body].reshape(3, 3).copy()
    last = [start]

    def update(t: float) -> None:
        share = end if t >= 1.0 else start + (end - start) * t * t * (3.0 - 2.0 * t)
        e.set(s, share)
        total, step = turn @ (e.shift(share) - e.shift(start)), turn @ (e.shift(share) - e.shift(last[0]))
        last[0] = share
        for thing in carried:
            if thing.dynamic:
                s.data.qpos[thing.qpos : thing.qpos + 3] += step
            else:
                home = homes[thing.handle]
                x, y, z = (round(float(a + b), 12) for a, b in zip(home.position_m, total, strict=True))
                put_pose(s, thing, Pose((x, y, z), home.quaternion_xyzw))

    befores = [pose_of(s, thing) for thing in carried]
    stage.animate(update, MOVE_S, FRAMES)
    for thing, before in zip(carried, befores, strict=True):
        for entity in thing.entities:
            entity.moved(s, before, pose_of(s, thing))


class _Way:
    """Where the parts of one thing may go.

    Attributes:
        carried: what moves with its drawer.
    """

    def __init__(self, stage: Stage, p: Placed, e: Openable) -> None:
        self._s, self._p, self._e = stage.s, p, e
        s = stage.s
        self.carried = containment.contents(s, p) if e.cavity_body >= 0 else []
        self._held = s.carried(p.handle)
        self._start = e.share(s)
        self._others = [
            o for o in s.world.objects if o is not p and o not in self.carried and not s.absent(o.handle) and not s.carried(o.handle)
        ]

    def clear_until(self, start: float, end: float) -> tuple[float, Placed | None]:
        """How far the way is clear, and what is in it then (None: nothing, or a wall).

        What touches a part already does not count unless the part comes nearer.
        """
        if self._held:
            return end, None
        s, e = self._s, self._e
        share, found = end, None
        try:
            walls_before, before = self._into_walls(), {o.handle: self._distance(o) for o in self._others}
            clear = start
            for i in range(1, STEPS + 1):
                e.set(s, start + (end - start) * i / STEPS)
                e.follow(s)
                settle_pose(s)
                blocked, found = self._into_walls() > max(WALL_M, walls_before + 0.001), None
                if not blocked:
                    found = next((o for o in self._others if self._distance(o) < min(-PRESS_M, before[o.handle] - 0.001)), None)
                    found = found or self._too_high()
                if blocked or found is not None:
                    share = clear
                    break
                clear = start + (end - start) * i / STEPS
        finally:
            e.set(s, start)
            e.follow(s)
            settle_pose(s)
        return share, found

    def _distance(self, o: Placed) -> float:
        """Smallest distance between the moving parts and an object, metres; at most 0.05."""
        s, m = self._s, self._s.world.model
        low, high = box_of(s, o)
        best = 0.05
        for part in self._e.hung:
            points = _points(s.data, part)
            if (points.min(0) > high + 0.02).any() or (points.max(0) < low - 0.02).any():
                continue
            for i in _contact_shapes(m, part.body):
                for j in (g for body in bodies_of(m, o) for g in _contact_shapes(m, body)):
                    best = min(best, mujoco.mj_geomDistance(m, s.data, i, j, 0.05, None))
        return best

    def _into_walls(self) -> float:
        """How deep a moving part is in a wall or in solid furniture, metres."""
        s = self._s
        x0, y0, x1, y1 = s.world.scene.room.bounds_m
        deepest = 0.0
        for part in self._e.hung:
            points = _points(s.data, part)
            low, high = points.min(0), points.max(0)
            deepest = max(deepest, x0 - float(low[0]), y0 - float(low[1]), float(high[0]) - x1, float(high[1]) - y1)
            for solid in _solids(s.data, part):
                deepest = max([deepest, *(_overlap(solid, box) for box in _near_furniture(s.world, low, high))])
        return deepest

    def _too_high(self) -> Placed | None:
        """What lies in a drawer and meets the thing around it, because it stands out over the drawer's rim."""
        s, p = self._s, self._p
        if not self.carried:
            return None
        turn, centre = s.data.xmat[p.body].reshape(3, 3), s.data.xpos[p.body]
        shift = self._e.shift(self._e.share(s)) - self._e.shift(self._start)
        for thing in self.carried:
            points = (shape_of(s, thing) - centre) @ turn + shift
            low, high = points.min(0) + PRESS_M, points.max(0) - PRESS_M
            for solid in p.model.solids:
                if (solid.points.min(0) < high).all() and (solid.points.max(0) > low).all():
                    return thing
        return None


def _points(data: mujoco.MjData, part: Hung) -> Array:
    """World corners of a part's contact shape."""
    corners = np.concatenate([solid.points for solid in part.mobile.solids])
    return np.asarray(corners @ data.xmat[part.body].reshape(3, 3).T + data.xpos[part.body])


def _solids(data: mujoco.MjData, part: Hung) -> Iterator[Solid]:
    for solid in part.mobile.solids:
        yield solid.mapped(data.xmat[part.body].reshape(3, 3), data.xpos[part.body])


def _contact_shapes(m: mujoco.MjModel, body: int) -> list[int]:
    """Contact geoms of a body, or what is seen of it where it has none."""
    own = range(int(m.body_geomadr[body]), int(m.body_geomadr[body]) + int(m.body_geomnum[body]))
    return [g for g in own if m.geom_contype[g]] or [g for g in own if m.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]


def _near_furniture(world: World, low: Array, high: Array) -> Iterator[Solid]:
    """Boxes of walls and of furniture with a solid inside near a world box."""
    for piece in world.furniture:
        reach = np.abs(piece.rotation) @ piece.half
        if piece.always and (low < piece.centre + reach).all() and (high > piece.centre - reach).all():
            yield Solid.box(piece.half, piece.centre, piece.rotation)


def _overlap(a: Solid, b: Solid) -> float:
    """How deep two convex pieces overlap along the best of their own axes, metres; 0 where they are apart.

    Exact for boxes but for edges that cross, where it may say too much.
    """
    axes = [q.axes / np.linalg.norm(q.axes, axis=0) for q in (a, b) if q.axes is not None]
    depth = np.inf
    for axis in np.concatenate([q.T for q in axes]):
        u, v = a.points @ axis, b.points @ axis
        depth = min(depth, float(min(u.max() - v.min(), v.max() - u.min())))
        if depth <= 0:
            return 0.0
    return float(depth)
