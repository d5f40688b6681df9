"""Vessels: what they hold, how the water in them looks, and what becomes of it when they move.

State per vessel in ``session.extra(handle)``: ``water`` (particles in it), ``overflowed``, ``drawn`` (pose and amount that its body of
water was last drawn for). Drops that lie about are the scene's drop bodies above `PARKED_Z_M`. Particles are never made or lost: those of
all vessels, the drops and the rest of the pool are always `Pool.count`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.engine import liquid
from sim_bridge.backends.mujoco.engine.building import GROUP_CLEAR, PARKED_Z_M
from sim_bridge.backends.mujoco.engine.liquid import BODY_POINTS, RINGS, SEGMENTS, Basin, Pool
from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.backends.mujoco.meshes.shapes import Array, ball
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.models.vessels import FAMILY
from sim_bridge.errors import SceneError

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed, World
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.backends.mujoco.meshes.shapes import Model
    from sim_bridge.spec import Object, Scene

WATER_RGBA = (0.36, 0.60, 0.80, 0.62)
DROP_RGBA = (0.40, 0.64, 0.84, 0.80)
FILLED_SHARE = 0.2
"""A vessel is *filled* from this share of its capacity on (OmniGibson's `Filled`)."""
DROP_SCALE = 1.35
"""Drops are drawn larger than the spheres, so that a stream looks joined."""
MAX_VESSELS = 24
"""Vessels of one scene that may hold water; a vessel costs 0.02 ms per physics step (measured)."""
LEAST_PARTICLES = 25
"""The smallest vessel that the water is sized for holds at least so many particles, even if a bucket beside it cannot be filled then."""
NOWHERE = np.array([0.0, 0.0, PARKED_Z_M])


class Vessel(Entity):
    """A thing that holds liquid.

    Parameters (`Object.params`): ``water_ml`` the water it starts with; ``fillable`` true, or the millilitres that filling gives;
    ``vessel`` measures of a vessel of its own shape (`vessels.FAMILY`, and ``clear``) in place of the catalogue's.
    Every vessel may be filled and poured into, up to `MAX_VESSELS` of a scene; where all are ``fillable: false``, there is no water.
    The pool is sized for those with water or ``fillable: true`` where there are any, else for all.
    """

    params = ("water_ml", "fillable", "vessel")
    follows = True

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        super().__init__(placed, thing, scene)
        self.basin: Basin | None = None
        cavity = placed.model.cavity
        if liquid.holds_liquid(cavity):
            assert cavity is not None
            self.basin = liquid.basin(cavity)
        self.pool: Pool | None = None
        self._body_ids = np.zeros(0, int)
        self._drop_ids = np.zeros(0, int)
        where = f"scene.objects[{scene.objects.index(thing)}].params"
        for name in ("water_ml", "fillable"):
            if thing.params.get(name) and self.basin is None:
                raise SceneError(f"{where}.{name}: {thing.category!r} holds no liquid")
        water = float(thing.params.get("water_ml", 0.0))
        if self.basin is not None and water > self.basin.capacity_ml:
            raise SceneError(f"{where}.water_ml: it holds {self.basin.capacity_ml:.0f} ml, got {water:g}")

    # --- choosing and building ---------------------------------------------------------------------------------------

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        return liquid.holds_liquid(model.cavity) or any(name in thing.params for name in cls.params)

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        water, fillable, measures = (thing.params.get(name) for name in cls.params)
        if water is not None and not (_number(water) and 0 <= water <= 100_000):
            raise SceneError(f"{where}.params.water_ml: expected millilitres from 0 to 100000, got {water!r}")
        if fillable is not None and not isinstance(fillable, bool) and not (_number(fillable) and 0 < fillable <= 100_000):
            raise SceneError(f"{where}.params.fillable: expected true, false or the millilitres that filling gives, got {fillable!r}")
        if measures is not None:
            if not isinstance(measures, dict) or not all(isinstance(k, str) for k in measures):
                raise SceneError(f"{where}.params.vessel: expected measures by name ({', '.join(FAMILY)}, clear), got {measures!r}")
            try:
                make("vessel_of", **measures)
            except (ValueError, TypeError) as error:
                raise SceneError(f"{where}.params.vessel: {error}") from error

    @classmethod
    def shape(cls, thing: Object, model: Model) -> Model:
        measures = thing.params.get("vessel")
        if measures is None:
            return model
        shaped = make("vessel_of", **({"clear": model.transparent} | measures))
        if shaped.transparent:
            return shaped
        biggest = max(model.parts, key=lambda p: float(np.prod(np.ptp(p.vertices, axis=0) + 1e-4)))
        return shaped.coloured(biggest.rgb)

    @property
    def marked(self) -> bool:
        """Whether the water of the scene is sized for it."""
        return bool(self.thing.params.get("water_ml")) or bool(self.thing.params.get("fillable"))

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        vessels = [e for p in placed for e in p.entities if isinstance(e, Vessel) and e.basin is not None]
        marked = [v for v in vessels if v.marked]
        dry = all(v.thing.params.get("fillable") is False for v in vessels)
        if self.basin is None or (dry and not marked) or (len(vessels) > MAX_VESSELS and not marked):
            return
        if len(vessels) > MAX_VESSELS:
            raise SceneError(f"scene.objects: expected at most {MAX_VESSELS} vessels in a scene with water, got {len(vessels)}")
        capacities = [v.basin.capacity_ml for v in marked or vessels if v.basin is not None]
        # A little more than they can hold, since what has been spilled is still there; less where that is coarse for the smallest.
        least = min(capacities) / LEAST_PARTICLES * liquid.POOL
        self.pool = Pool.sized(max(min(1.15 * sum(capacities), least), 1.05 * sum(map(_start_ml, vessels))))
        self._name = f"{self.handle} water"
        _add_body(builder, self._name, self.basin)
        if self is vessels[0]:
            _add_drops(builder, self.pool)

    def bind(self, world: World) -> None:
        if self.pool is None:
            return
        m = world.model
        world.skin_object[m.skin(self._name).id] = world.objects.index(self.placed)
        self._body_ids = np.array([m.body_mocapid[m.body(f"{self._name} {k}").id] for k in range(BODY_POINTS)])
        self._drop_ids = np.array([m.body_mocapid[m.body(f"drop {k}").id] for k in range(self.pool.count)])

    # --- per session -------------------------------------------------------------------------------------------------

    def enter(self, s: Session) -> None:
        if self.pool is not None:
            s.extra(self.handle)["water"] = min(round(_start_ml(self) / self.pool.particle_ml), self.full)

    def follow(self, s: Session) -> None:
        if self.pool is None or self.basin is None:
            return
        state = s.extra(self.handle)
        if not state["water"] and "drawn" not in state:
            return
        d, body = s.data, self.placed.body
        now = [*d.xpos[body].tolist(), *d.xquat[body].tolist(), state["water"]]
        if state.get("drawn") == now:
            return
        up = d.xmat[body].reshape(3, 3)[2]
        if state["water"] and not self.basin.upright(up) and d.xpos[body][2] > PARKED_Z_M / 2:
            stays = int(self.basin.keeps(up) * self.full)
            if state["water"] > stays:
                self._spill(s, state["water"] - stays, up)
                state["water"] = now[-1] = stays
        self.draw(s, state["water"])
        if state["water"]:
            state["drawn"] = now
        else:
            del state["drawn"]

    def advance(self, s: Session) -> None:
        state = s.extras.get(self.handle, {})
        if state.get("overflowed"):  # true for the action after which it is seen
            state["overflowed"] -= 1

    def flags(self, s: Session) -> dict[str, bool]:
        if self.basin is None:
            return {}
        state = s.extras.get(self.handle, {})
        return {"filled": self.share(s) >= FILLED_SHARE, "overflowing": bool(state.get("overflowed"))}

    def levels(self, s: Session) -> dict[str, float]:
        if self.basin is None:
            return {}
        ml = self.pool.particle_ml if self.pool is not None else 0.0
        return {"water_ml": self.water(s) * ml, "capacity_ml": self.basin.capacity_ml}

    # --- water -------------------------------------------------------------------------------------------------------

    @property
    def full(self) -> int:
        """Particles that are its capacity."""
        assert self.pool is not None and self.basin is not None
        return max(1, int(self.basin.capacity_ml / self.pool.particle_ml))

    def water(self, s: Session) -> int:
        """Particles in it."""
        return int(s.extras.get(self.handle, {}).get("water", 0))

    def share(self, s: Session) -> float:
        """Share of its capacity."""
        return self.water(s) / self.full if self.pool is not None else 0.0

    def draw(self, s: Session, count: int, up: Array | None = None) -> None:
        """Shape its body of water for `count` particles at its present pose; `up` (own frame) inclines the surface of flowing water."""
        assert self.basin is not None
        if count <= 0:
            s.data.mocap_pos[self._body_ids] = NOWHERE
            return
        position, turn = s.data.xpos[self.placed.body], s.data.xmat[self.placed.body].reshape(3, 3)
        s.data.mocap_pos[self._body_ids] = self.basin.body(turn[2] if up is None else up, count / self.full) @ turn.T + position

    def drops(self, s: Session) -> NDArray[np.bool_]:
        """Which drops of the scene lie about (bool per drop)."""
        return np.asarray(s.data.mocap_pos[self._drop_ids, 2] > PARKED_Z_M / 2)

    def show_drops(self, s: Session, indices: NDArray[np.intp], points: Array) -> None:
        s.data.mocap_pos[self._drop_ids[indices]] = points

    def _spill(self, s: Session, count: int, up: Array) -> None:
        """Water that a tipped vessel loses: drops on what is below its lip."""
        assert self.pool is not None and self.basin is not None
        free = np.flatnonzero(~self.drops(s))[:count]
        turn, position = s.data.xmat[self.placed.body].reshape(3, 3), s.data.xpos[self.placed.body]
        rim = self.basin.rim
        lip = rim[int(np.argmin(rim @ up))] @ turn.T + position
        away = lip - position
        away[2] = 0.0
        away /= max(float(np.linalg.norm(away)), 1e-6)
        radius = self.pool.radius_m
        k = np.arange(len(free))
        # A sunflower pattern: even, and the same every time.
        r, a = 1.7 * radius * np.sqrt(k + 0.5), k * 2.399963
        x = lip[0] + away[0] * (0.03 + 0.5 * r) + r * np.cos(a)
        y = lip[1] + away[1] * (0.03 + 0.5 * r) + r * np.sin(a)
        points = np.stack([x, y, np.zeros(len(free))], 1)
        for point in points:
            point[2] = ground(s, np.array([point[0], point[1], lip[2] + 0.01]), self.placed.body) + DROP_SUNK * radius
        self.show_drops(s, free, points)


DROP_SUNK = -0.8
"""A drop that lies is drawn with its centre this many radii above the ground: a flat cap."""


def ground(s: Session, start: Array, without: int) -> float:
    """Height of what is visible below a point, except one body; the room's floor if there is nothing."""
    group = np.array([1, 1, 1, 0, 0, 0], np.uint8)
    hit = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(s.world.model, s.data, start, np.array([0.0, 0.0, -1.0]), group, 1, without, hit)
    floor = s.world.scene.room.floor_z_m
    return floor if distance < 0 else max(floor, float(start[2] - distance))


def vessels(s: Session) -> list[Vessel]:
    """All vessels of a scene with water."""
    return [e for e in s.world.entities if isinstance(e, Vessel) and e.pool is not None]


def vessel_of(p: Placed) -> Vessel | None:
    """The object's vessel, if it holds liquid."""
    return next((e for e in p.entities if isinstance(e, Vessel) and e.basin is not None), None)


def left_in_pool(s: Session) -> int:
    """Particles that are in no vessel and lie nowhere."""
    every = vessels(s)
    if not every or every[0].pool is None:
        return 0
    return every[0].pool.count - sum(v.water(s) for v in every) - int(every[0].drops(s).sum())


def _start_ml(v: Vessel) -> float:
    return float(v.thing.params.get("water_ml", 0.0))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _bones(builder: Builder, names: Sequence[str]) -> None:
    for name in names:
        builder.spec.worldbody.add_body(name=name, mocap=True, pos=NOWHERE.tolist())


def _add_body(builder: Builder, name: str, basin: Basin) -> None:
    """A closed mesh whose every point is a body of its own: bottom fan, rings, surface with an edge of its own."""
    names = [f"{name} {k}" for k in range(BODY_POINTS)]
    _bones(builder, names)

    def ring(k: int) -> NDArray[np.int64]:
        return 1 + k * SEGMENTS + np.arange(SEGMENTS)

    def around(a: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.roll(a, -1)

    top = BODY_POINTS + np.arange(SEGMENTS)  # the last ring again: the surface is flat up to its edge
    faces = [np.stack([np.zeros(SEGMENTS, int), around(ring(0)), ring(0)], 1)]
    for k in range(RINGS - 1):
        a, b = ring(k), ring(k + 1)
        faces += [np.stack([a, around(a), around(b)], 1), np.stack([a, around(b), b], 1)]
    faces.append(np.stack([np.full(SEGMENTS, BODY_POINTS - 1), top, around(top)], 1))
    full = basin.body(basin.axis, 1.0)
    points = np.concatenate([full, full[ring(RINGS - 1)]])
    bone_of = np.concatenate([np.arange(BODY_POINTS), ring(RINGS - 1)])
    vertices = [np.flatnonzero(bone_of == k).tolist() for k in range(BODY_POINTS)]
    _skin(builder, name, points, np.concatenate(faces), names, full, vertices, WATER_RGBA)


def _add_drops(builder: Builder, pool: Pool) -> None:
    """One mesh of little balls, each a body of its own."""
    names = [f"drop {k}" for k in range(pool.count)]
    _bones(builder, names)
    shape = ball(pool.radius_m * DROP_SCALE, 6, 10)
    used, index = np.unique(np.round(shape.vertices, 7), axis=0, return_inverse=True)
    faces = index.ravel()[shape.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    n = len(used)
    every = np.concatenate([faces + k * n for k in range(pool.count)])
    vertices = [list(range(k * n, (k + 1) * n)) for k in range(pool.count)]
    _skin(builder, "drops", np.tile(used, (pool.count, 1)), every, names, np.zeros((pool.count, 3)), vertices, DROP_RGBA)


def _skin(
    builder: Builder,
    name: str,
    points: Array,
    faces: Array,
    bones: Sequence[str],
    bind: Array,
    vertices: Sequence[Sequence[int]],
    rgba: Sequence[float],
) -> None:
    skin = builder.spec.add_skin(name=name)
    skin.vert = points.astype(np.float32).ravel().tolist()
    skin.face = np.asarray(faces, np.int32).ravel().tolist()
    skin.bodyname = list(bones)
    skin.bindpos = bind.astype(np.float32).ravel().tolist()
    skin.bindquat = [1.0, 0.0, 0.0, 0.0] * len(bones)
    skin.vertid = [list(v) for v in vertices]
    skin.vertweight = [[1.0] * len(v) for v in vertices]
    skin.rgba = list(rgba)
    skin.group = GROUP_CLEAR


ENTITIES = (Vessel,)
