"""Water: fill a vessel, pour from one into another.

``fill(a, with_water)`` fills a vessel that stands in reach or is held, to `FILL_SHARE` of its capacity or to what the scene declares.

``pour(x, from, a, to, b)``: water has no handle of its own, so `x` names the vessel whose water it is, which is `a`. The vessel is lifted
and tilted over `b` until it is empty; what does not fit runs over the rim, what stays in a neck stays; then it is put back or held again.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage
from sim_bridge.backends.mujoco.engine import containment
from sim_bridge.backends.mujoco.engine.building import Placed, rotation, walls
from sim_bridge.backends.mujoco.engine.liquid import GRAVITY_M_S2, POUR_NECK_PARTICLES, STEP_S, Basin, Flow
from sim_bridge.backends.mujoco.engine.session import Session, pose_of, put_pose, settle_pose, show
from sim_bridge.backends.mujoco.entities.vessel import DROP_SUNK, NOWHERE, Vessel, ground, left_in_pool, vessel_of, vessels
from sim_bridge.backends.mujoco.meshes.shapes import Array, Solid
from sim_bridge.spec import Pose, Quat

FILL_SHARE = 0.9
FULL_SHARE = 0.88
"""From here on a vessel is full."""
LAST_TILT_DEG = 160.0
"""At 126° two fifths of the particles stay behind, at 158° none (measured)."""
CLEAR_M = 0.015
"""The lip of the tilted vessel stays this far above the rim below it."""
OFF_TABLE_M = 0.006
"""The tilted vessel stays this far above what the other stands on."""
SHORT_OF_MIDDLE = 0.45
"""The lip stays this share of the mouth's radius short of its middle: what flows out goes on forward."""
MOST_BACK_M = 0.12
"""Farthest that the vessel is drawn back where the water shoots out."""
AROUND_M = 0.6
"""Things nearer than this to the vessels may catch spilled water."""
EMPTY_S, BACK_S, REST_S = 0.5, 0.4, 0.8
"""Times of a pour: to let the last of the water out, to turn back, to come to rest."""
MOST_S = 4.5
"""Longest time that the water is given to flow."""
TURN_RAD_S, CREEP_RAD_S = 1.5, 0.5
"""Fastest and slowest tilting: spheres heap up a little, so that tilting for standing water alone would leave some behind."""
MOST_LEAN_RAD = 0.7
"""Steepest surface of water that flows out."""
AHEAD_SHARE = 0.3
"""The vessel is tilted for so much less water than is in it, as a share of what was in it at first."""


def fill(stage: Stage, action: Action) -> None:
    """Fill a vessel with water."""
    (handle,) = action.objects
    p = stage.need_in_reach(handle)
    s = stage.s
    vessel = _vessel(s, p)
    _need_open(s, vessel)
    limit = vessel.thing.params.get("fillable")
    assert vessel.pool is not None
    share = FILL_SHARE if limit is None or isinstance(limit, bool) else min(1.0, float(limit) / _capacity_ml(vessel))
    want = round(share * vessel.full) - vessel.water(s)
    if vessel.share(s) >= FULL_SHARE or want <= 0:
        raise Failed(f"{handle} is full")
    _dry(s, vessel, want - left_in_pool(s))
    want = min(want, left_in_pool(s))
    if want <= 0:
        raise Failed("there is no more water")
    state, before = s.extra(handle), vessel.water(s)
    for k in range(1, 4):
        state["water"] = before + round(want * k / 3)
        show(s)
        if k < 3:
            stage.take_picture()


def pour(stage: Stage, action: Action) -> None:
    """Pour the water of one vessel into another."""
    what, source, target = action.objects
    s = stage.s
    if source == target:
        raise Failed(f"{source} cannot be poured into itself")
    stage.object(what), stage.object(source), stage.object(target)
    b = stage.need_in_reach(target)
    a = stage.need_in_reach(source)
    if s.held != source:
        stage.need_free_hand()
        if not a.physical.graspable:
            raise Failed(f"{source} is too big or too heavy to pick up")
    if what != source:
        raise Failed(f"{what} is nothing that can be poured from {source}")
    out, into = _vessel(s, a), vessel_of(b)
    if into is None or into.pool is None:
        raise Failed(f"{target} is no vessel that water could be poured into")
    _need_open(s, out)
    _need_open(s, into)
    inside = [p.handle for p in containment.contents(s, a)]
    if inside:
        raise Failed(f"{inside[0]} is in {source} and would fall out")
    if out.water(s) == 0:
        raise Failed(f"there is nothing in {source}")
    _Pouring(stage, out, into).run()


DEEDS = {"fill": fill, "pour": pour}


# --- conditions -------------------------------------------------------------------------------------------------------


def _vessel(s: Session, p: Placed) -> Vessel:
    vessel = vessel_of(p)
    if vessel is None:
        raise Failed(f"{p.handle} does not hold water")
    if vessel.pool is None:
        raise Failed("there is no water here")
    return vessel


def _need_open(s: Session, vessel: Vessel) -> None:
    if containment.closed(s, vessel.placed):
        raise Failed(f"{vessel.handle} is closed")
    up = s.data.xmat[vessel.placed.body].reshape(3, 3)[2]
    assert vessel.basin is not None
    if float(up @ vessel.basin.axis) < 0.97:
        raise Failed(f"{vessel.handle} does not stand upright")


def _capacity_ml(vessel: Vessel) -> float:
    assert vessel.basin is not None
    return vessel.basin.capacity_ml


def _dry(s: Session, any_vessel: Vessel, count: int) -> None:
    """Give spilled drops back to the pool, those of the lowest number first."""
    lying = np.flatnonzero(any_vessel.drops(s))[: max(count, 0)]
    if len(lying):
        any_vessel.show_drops(s, lying, NOWHERE)


# --- pouring ----------------------------------------------------------------------------------------------------------


class _Pouring:
    """One pour from start to end."""

    def __init__(self, stage: Stage, out: Vessel, into: Vessel) -> None:
        assert out.basin is not None and into.basin is not None and out.pool is not None
        self.stage, self.s, self.out, self.into = stage, stage.s, out, into
        self.basin: Basin = out.basin
        s = self.s
        self.home = pose_of(s, out.placed)
        self.start_turn = rotation(self.home.quaternion_xyzw)
        target = pose_of(s, into.placed)
        self.mouth = rotation(target.quaternion_xyzw) @ into.basin.mouth + np.array(target.position_m)
        self.mouth_radius = into.basin.mouth_radius
        self.way = self._side()
        self.upright = self._facing()
        rim = self.basin.rim @ self.upright.T
        self.lip = self.basin.rim[int(np.argmax(rim @ self.way))]
        self.axis = np.cross([0.0, 0.0, 1.0], self.way)
        self.tilts = np.radians(np.arange(0.0, LAST_TILT_DEG + 1, 4.0))
        self.keeps = np.minimum.accumulate([self.basin.keeps(self._turn(float(t))[2]) for t in self.tilts])
        self.first_tilt = self._tilt_for(out.share(s))
        self.clear = float(np.clip(0.035 / math.tan(max(self.first_tilt, 0.15)), CLEAR_M, 0.07))
        self.lifts = self._lifts()
        self.offs = self._offs()
        others = [
            v for v in vessels(s) if v not in (out, into) and self._near(v.placed) and not s.absent(v.handle) and not s.carried(v.handle)
        ]
        self.all = [out, into, *others]
        self.count = out.water(s) + into.water(s)
        self.tilt = self.back = 0.0

    # --- geometry ----------------------------------------------------------------------------------------------------

    def _side(self) -> Array:
        """Horizontal direction in which the water goes: across the view, from the side where the vessel is and there is room."""
        s = self.s
        right = rotation(s.camera.quaternion_xyzw)[:, 0].copy()
        right[2] = 0.0
        right /= max(float(np.linalg.norm(right)), 1e-9)
        from_right = float((np.array(self.home.position_m) - self.mouth) @ right) > 0
        ways = [-right, right] if from_right else [right, -right]
        reach = float(max(self.out.placed.size_m))
        for way in ways:
            low = self.mouth + np.minimum(-way * (reach + 0.1), 0) - [0.02, 0.02, 0.0]
            high = self.mouth + np.maximum(-way * (reach + 0.1), 0) + [0.02, 0.02, reach]
            if all(
                self._apart(p, low, high)
                for p in s.world.objects
                if p not in (self.out.placed, self.into.placed) and not s.absent(p.handle)
            ):
                return np.asarray(way)
        return np.asarray(ways[0])

    def _apart(self, p: Placed, low: Array, high: Array) -> bool:
        a, b = self.stage.box(p.handle)
        return bool((a > high).any() or (b < low).any())

    def _facing(self) -> Array:
        """The upright attitude for pouring: a vessel with a handle turns its other side towards the target."""
        x, y, _ = self.out.placed.size_m
        if abs(x - y) < 0.08 * max(x, y):
            return self.start_turn
        lip = -self.start_turn[:, 0]
        angle = math.atan2(self.way[1], self.way[0]) - math.atan2(lip[1], lip[0])
        return np.asarray(_about([0.0, 0.0, 1.0], angle) @ self.start_turn)

    def _turn(self, tilt: float) -> Array:
        return np.asarray(_about(self.axis, tilt) @ self.upright)

    def _tilt_for(self, share: float) -> float:
        """The least tilt at which no more than `share` of the capacity stays in."""
        return float(np.interp(-share, -self.keeps, self.tilts))

    def _height(self, tilt: float) -> float:
        """Height of the lip above the target's rim: greater while the vessel is beside it, and so that a tall one stays off the table."""
        return max(CLEAR_M, self.clear * (1 - tilt / 1.4), float(np.interp(tilt, self.tilts, self.lifts)))

    def _lifts(self) -> Array:
        """For each tilt, the height of the lip above the target's rim at which its lowest point clears what the target stands on."""
        stands = float(self.stage.box(self.into.handle)[0][2]) - float(self.mouth[2])
        return np.array([stands + OFF_TABLE_M - self._lowest(float(tilt)) for tilt in self.tilts])

    def _lowest(self, tilt: float) -> float:
        """Height of the vessel's lowest point above its lip (negative) at a tilt."""
        return float(((self.out.placed.vertices - self.lip) @ self._turn(tilt)[2]).min())

    def _offs(self) -> Array:
        """For each tilt, how far the lip stays short of the target's middle, so that neither body meets the other."""
        s, depth = self.s, float(max(self.out.placed.size_m))
        target = self.into.placed
        pose = pose_of(s, target)
        points = target.vertices @ rotation(pose.quaternion_xyzw).T + np.array(pose.position_m) - self.mouth
        beside = float((-(points[points[:, 2] > -depth] @ self.way)).max()) + 0.004
        found = []
        for tilt in self.tilts:
            hanging = (self.out.placed.vertices - self.lip) @ self._turn(float(tilt)).T
            low = hanging[hanging[:, 2] < -self._height(float(tilt)) + 0.002]
            need = beside + float((low @ self.way).max()) if len(low) else 0.0
            found.append(max(SHORT_OF_MIDDLE * self.mouth_radius, need))
        return np.minimum.accumulate(found)

    def _pose(self, tilt: float) -> tuple[Array, Array]:
        """Position and attitude at a tilt: the lip beside the target's rim at first, then over its middle."""
        turn = self._turn(tilt)
        off = float(np.interp(tilt, self.tilts, self.offs))
        lip = self.mouth + np.array([0.0, 0.0, self._height(tilt)]) - self.way * (off + self.back)
        return lip - turn @ self.lip, turn

    def _near(self, p: Placed) -> bool:
        low, high = self.stage.box(p.handle)
        away = np.maximum(np.maximum(low - self.mouth, self.mouth - high), 0.0)
        return float(np.linalg.norm(away[:2])) < AROUND_M

    def _around(self) -> list[tuple[tuple[Solid, ...], Array, Array]]:
        """Everything else that water may fall on."""
        s = self.s
        mine = {v.handle for v in self.all}
        found: list[tuple[tuple[Solid, ...], Array, Array]] = []
        for p in s.world.objects:
            if p.handle in mine or s.absent(p.handle) or s.carried(p.handle) or not self._near(p):
                continue
            pose = pose_of(s, p)
            found.append((_solids(p), np.array(pose.position_m), rotation(pose.quaternion_xyzw)))
        for piece in s.world.furniture:
            if float(np.linalg.norm(np.maximum(np.abs(piece.rotation.T @ (self.mouth - piece.centre))[:2] - piece.half[:2], 0))) < AROUND_M:
                found.append(((Solid.box(piece.half),), piece.centre, piece.rotation))
        return found

    # --- the course of it --------------------------------------------------------------------------------------------

    def run(self) -> None:
        s, out = self.s, self.out
        assert out.pool is not None
        radius = out.pool.radius_m
        basins = [v.basin for v in self.all if v.basin is not None]
        floor = s.world.scene.room.floor_z_m
        flow = Flow(basins, self.count, radius, floor, self._around(), neck=POUR_NECK_PARTICLES, funnel=(1, 0.9 * CLEAR_M))
        self.flow = flow
        self.free = np.flatnonzero(~out.drops(s))[: self.count]
        places = []
        for i, v in enumerate(self.all):
            pose = pose_of(s, v.placed)
            position, turn = (np.array(pose.position_m), rotation(pose.quaternion_xyzw)) if i else self._pose(0.0)
            flow.pose(i, position, turn)
            if i < 2:  # the water of bystanders stays where it is
                places.append(basins[i].packed(v.water(s), radius) @ turn.T + position)
        flow.put(np.concatenate(places))
        flow.relax()
        before = out.water(s)

        self._show(still=True)
        self.stage.take_picture()
        self._let_flow(before)
        self._go(EMPTY_S, math.radians(LAST_TILT_DEG))
        self._show()
        self.stage.take_picture()
        flow.take_funnel()
        self._go(BACK_S, 0.0)
        self._rest()
        self._finish()

    def _go(self, seconds: float, tilt: float | None = None) -> None:
        """Run the flow for a time; with `tilt` the vessel turns there evenly."""
        steps, start = round(seconds / STEP_S), self.tilt
        for i in range(1, steps + 1):
            if tilt is not None:
                self._turn_to(start + (tilt - start) * i / steps)
            self.flow.run(1)

    def _turn_to(self, tilt: float) -> None:
        self.tilt = tilt
        self.flow.pose(0, *self._pose(tilt))

    def _let_flow(self, before: int) -> None:
        """Tilt as far as what is still in the vessel asks for, a little ahead of it, until it is empty."""
        shares = [0.12, 0.4, 0.65, 0.9]
        ahead = AHEAD_SHARE * before / self.out.full
        left = before
        for i in range(round(MOST_S / STEP_S)):
            if i % 5 == 0:
                left = int(self.flow.inside(0).sum())
                self._aim()
            wanted = self._tilt_for(max(left / self.out.full - ahead, 0.0)) if left > 0.03 * before else math.radians(LAST_TILT_DEG)
            slowest, fastest = self.tilt + CREEP_RAD_S * STEP_S, self.tilt + TURN_RAD_S * STEP_S
            self._turn_to(min(max(wanted, slowest), fastest, math.radians(LAST_TILT_DEG)))
            self.flow.run(1)
            if shares and left <= (1 - shares[0]) * before:
                shares.pop(0)
                self._show()
                self.stage.take_picture()
            if left <= 0.03 * before:
                break

    def _aim(self) -> None:
        """Draw the vessel back as far as what is in the air would fall beyond the middle of the mouth."""
        flow = self.flow
        points, speed = flow.points - self.mouth, flow.velocities
        air = ~flow.inside(0) & (points[:, 2] > 0.2 * flow.radius) & (np.linalg.norm(points[:, :2], axis=1) < 0.15)
        if int(air.sum()) < 3:
            return
        height, down = points[air, 2], speed[air, 2]
        seconds = (down + np.sqrt(down**2 + 2 * GRAVITY_M_S2 * height)) / GRAVITY_M_S2
        beyond = float(((points[air] + speed[air] * seconds[:, None]) @ self.way).mean())
        self.back = float(np.clip(self.back + np.clip(0.15 * beyond, -0.002, 0.002), 0.0, MOST_BACK_M))

    def _rest(self) -> None:
        """Until nothing that is in no vessel moves, or for so long."""
        for _ in range(round(REST_S / STEP_S / 10)):
            self.flow.run(10)
            moving = self.flow.speeds > 0.05
            if not (moving & (self.flow.owners() < 0)).any():
                break

    def _show(self, still: bool = False) -> None:
        """The scene as the flow is now: the vessel in the air, water in vessels as bodies, the rest as drops (`still`: no drops yet)."""
        s, flow = self.s, self.flow
        position, turn = flow.where(0)
        put_pose(s, self.out.placed, Pose(_vec(position), _quaternion(turn)))
        settle_pose(s)
        points, owner = flow.points, flow.owners()
        loose = (owner < 0) & (not still)
        for i, v in enumerate(self.all):
            assert v.basin is not None
            mine = owner == i
            number = v.water(s) if still or i > 1 else 0
            if not still:
                number += int(mine.sum())
                where, frame = flow.where(i)
                up = frame[2] if i else self._flowing_up(number)
                over = ((points - where) @ frame) @ up - v.basin.surface(up, number / v.full)
                # What has heaped up a little is part of the body; what falls in, or still has to follow the tilt, is not.
                above = mine & ((over > 2.0 * flow.radius) | ((over > 0.7 * flow.radius) & (flow.speeds > 0.15)))
                # Drops are drawn larger than their spheres and would show through an opaque wall.
                seen = (
                    above
                    if v.placed.model.transparent
                    else above & ((points - where) @ frame @ v.basin.axis > v.basin.mouth @ v.basin.axis)
                )
                loose |= seen
                number -= int(above.sum())
            v.draw(s, min(number, v.full), self._flowing_up(number) if i == 0 else None)
        self.out.show_drops(s, self.free, np.where(loose[:, None], points, NOWHERE))
        settle_pose(s)

    def _flowing_up(self, number: int) -> Array:
        """What is up for the surface of water that flows out (own frame): it leans to the lip as far as what is still there asks."""
        standing = self._tilt_for(number / self.out.full)
        return np.asarray(self._turn(max(min(standing, self.tilt), self.tilt - MOST_LEAN_RAD))[2])

    def _finish(self) -> None:
        """Everything at rest: amounts, drops where they lie, the vessel back where it was."""
        s, flow = self.s, self.flow
        points, owner = flow.points, flow.owners()
        self._brim(points, owner)
        spilled = np.flatnonzero(owner < 0)
        for i, v in enumerate(self.all):
            mine = np.flatnonzero(owner == i)
            held = v.water(s) if i > 1 else 0
            room = max(v.full - held, 0)
            # What a vessel cannot take runs down on it and lies around its foot.
            over = mine[room:]
            points[over] = self._foot(v, len(over))
            spilled = np.concatenate([spilled, over])
            state = s.extra(v.handle)
            state["water"] = held + min(len(mine), room)
            state.pop("drawn", None)
            v.draw(s, 0)
        put_pose(s, self.out.placed, self.home)
        self.out.show_drops(s, self.free, NOWHERE)
        settle_pose(s)
        for j in spilled:
            x, y, z = points[j]
            floor = ground(s, np.array([x, y, z + 0.5 * flow.radius]), -1)
            points[j] = x, y, floor + DROP_SUNK * flow.radius
        self.out.show_drops(s, self.free[spilled], points[spilled])
        if len(spilled) and s.extra(self.into.handle)["water"] >= 0.8 * self.into.full:
            s.extra(self.into.handle)["overflowed"] = 2
        show(s)

    def _brim(self, points: Array, owner: NDArray[np.int64]) -> None:
        """A vessel that has run over is full to the brim: spheres leave up to an eighth of it empty, which water would fill."""
        flow, into = self.flow, self.into
        assert into.basin is not None
        where, frame = flow.where(1)
        mine, lost = owner == 1, np.flatnonzero(owner < 0)
        heights = ((points[mine] - where) @ frame) @ into.basin.axis
        at_rim = int((heights > float(into.basin.mouth @ into.basin.axis) - flow.radius).sum())
        missing = into.full - int(mine.sum())
        if len(lost) < 3 or at_rim < 2 or not 0 < missing <= 0.2 * into.full:
            return
        nearest = lost[np.argsort(np.linalg.norm(points[lost] - self.mouth, axis=1), kind="stable")]
        owner[nearest[:missing]] = 1

    def _foot(self, v: Vessel, count: int) -> Array:
        """Places around a vessel's foot."""
        low, high = self.stage.box(v.handle)
        middle, radius = (low + high) / 2, float((high - low)[:2].max()) / 2
        k = np.arange(count)
        away = radius + self.flow.radius * (1.0 + 0.08 * k)
        return np.stack(
            [middle[0] + away * np.cos(2.399963 * k), middle[1] + away * np.sin(2.399963 * k), np.full(count, low[2] + 0.01)], 1
        )


def _solids(p: Placed) -> tuple[Solid, ...]:
    """Contact shape of a thing, as the scene's own physics has it."""
    if p.model.solids:
        return p.model.solids
    if p.model.cavity is not None:
        return walls(p.model.cavity, p.size_m)
    if p.model.collider in ("box", "cylinder", "shell"):
        return (Solid.box(p.size_m / 2),)
    return (Solid(np.concatenate([part.vertices for part in p.model.parts])),)


def _about(axis: Array | list[float], angle: float) -> Array:
    """Rotation matrix about a unit axis, right-handed."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k))


def _quaternion(turn: Array) -> Quat:
    """xyzw of a rotation matrix."""
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(turn).ravel())
    return float(q[1]), float(q[2]), float(q[3]), float(q[0])


def _vec(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
