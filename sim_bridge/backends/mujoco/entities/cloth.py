"""A cloth that lies over what stands below it.

Where the scene puts it is where it is let go: it falls over everything below that height and settles, once, while the world is built
(`cloth.drape`). What is drawn afterwards is a fixed mesh that costs nothing; it has no contact shape. How it looks while it is lifted
are further meshes that wait out of sight (`deeds.cloth`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sim_bridge.backends.mujoco.catalogue.lookup import colour_of
from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.backends.mujoco.meshes import cloth
from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
from sim_bridge.backends.mujoco.models.cloths_and_ramps import CLOTHS, PATTERNS, sheet_looks
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Pose

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed, World
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.spec import Object, Scene

SMALLEST_M, LARGEST_M = 0.08, 1.6
"""Extents of a sheet that the grid of points can fold believably."""
FLAT_M = 0.05
"""A box higher than this is no flat sheet."""
COVERED_SHARE = 0.5
"""A thing is covered when this share of its vertices lies below the cloth."""


class Cloth(Entity):
    """A sheet of cloth. Parameters: ``pattern``, one of `cloths_and_ramps.PATTERNS`; ``drape`` false: it lies folded in its own pose, as
    it also does where the scene gives it a box higher than `FLAT_M`.

    Attributes:
        covered: handles of what it lies over, at the build.
        anchor: the point on the floor below its middle; origin of the meshes while it is lifted.
        stages: mocap ids of those meshes, in order.
    """

    params: ClassVar[tuple[str, ...]] = ("pattern", "drape")

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        super().__init__(placed, thing, scene)
        if self.drapes(thing):
            placed.physical = replace(placed.physical, graspable=False)
        self.covered: tuple[str, ...] = ()
        self.anchor: Array = np.zeros(3)
        self.stages: list[int] = []
        self._names: list[str] = []
        for phase in scene.phases:
            if placed.handle in phase.moved and self.drapes(thing):
                raise SceneError(
                    f"scene.phases: {placed.handle} is a cloth, which lies as it fell; hide it in a phase instead of moving it, "
                    f"got moved {phase.moved[placed.handle].position_m!r}"
                )

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        return match.maker == "cloth"

    @classmethod
    def drapes(cls, thing: Object) -> bool:
        """Whether it falls over things; otherwise it lies folded."""
        flat = thing.size_m is None or thing.size_m[2] * thing.scale[2] <= FLAT_M
        return bool(thing.params.get("drape", flat))

    @classmethod
    def shape(cls, thing: Object, model: Model) -> Model:
        if cls.drapes(thing):
            return model
        colour = colour_of(thing.params.get("color"))
        folded = make("cloth_folded")
        return folded.coloured(colour) if colour is not None else folded

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        pattern, drape = thing.params.get("pattern"), thing.params.get("drape")
        if pattern is not None and pattern not in PATTERNS:
            raise SceneError(f"{where}.params.pattern: expected one of {', '.join(PATTERNS)}, got {pattern!r}")
        if drape is not None and not isinstance(drape, bool):
            raise SceneError(f"{where}.params.drape: expected true or false, got {drape!r}")

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        p = self.placed
        if not self.drapes(self.thing):
            return
        size = (float(p.size_m[0]), float(p.size_m[1]))
        if min(size) < SMALLEST_M or max(size) > LARGEST_M or p.dynamic:
            what = "a cloth cannot be dynamic" if p.dynamic else f"a cloth measures {SMALLEST_M} to {LARGEST_M} m, got {size!r}"
            raise SceneError(f"scene.objects: {p.handle}: {what}")
        turn = np.array(rotation_matrix(p.home.quaternion_xyzw))
        flat = math.hypot(turn[0, 0], turn[1, 0])
        yaw = (float(turn[0, 0]) / flat, float(turn[1, 0]) / flat) if flat > 1e-6 else (1.0, 0.0)
        x, y, z = p.home.position_m
        self.anchor = np.array([x, y, self.scene.room.floor_z_m])
        let_go = math.inf if self.thing.on_floor else z
        others = [o for o in placed if o is not p and not any(isinstance(e, Cloth) for e in o.entities)]
        solids = [(o, _world(o) - self.anchor) for o in others]
        draped = cloth.drape(size, [_below(v, o.faces, let_go - self.anchor[2]) for o, v in solids], yaw)
        self.covered = tuple(o.handle for o, v in solids if _under(v, draped.rest))
        self._show(builder, body, draped, size)

    def _show(self, builder: Builder, body: mujoco.MjsBody, draped: cloth.Draped, size: tuple[float, float]) -> None:
        """Replace the flat sheet by the settled one, and add the bodies of the lifted ones."""
        p = self.placed
        looks = self._looks(size)
        rest = cloth.mesh(draped.rest, **looks)
        low, high = rest.vertices.min(0), rest.vertices.max(0)
        middle = (low + high) / 2
        part = rest.mapped(lambda v: v - middle)
        centre = self.anchor + middle
        p.home = Pose((float(centre[0]), float(centre[1]), float(centre[2])))
        p.size_m, p.vertices, p.faces = high - low, part.vertices, part.faces
        p.model = replace(p.model, parts=(part,), solids=(), solid=False)
        for geom in list(body.geoms):
            builder.spec.delete(geom)
        body.pos, body.quat = list(p.home.position_m), [1.0, 0.0, 0.0, 0.0]
        builder.show(body, part, 1)
        for k, points in enumerate(draped.lifts):
            name = f"{body.name}_lift{k}"
            stage = builder.spec.worldbody.add_body(name=name, pos=out_of_sight(k).tolist(), mocap=True)
            builder.show(stage, cloth.mesh(points, **looks), 1)
            self._names.append(name)
        p.more_bodies += self._names

    def _looks(self, size: tuple[float, float]) -> dict[str, Any]:
        """The sheet's own image, or one of another pattern or colour; a colour given by the scene is the part's own by now."""
        kind = dict(self.placed.match.settings).get("kind", "cloth")
        _, colour, pattern = CLOTHS[kind]
        if "color" in self.thing.params:
            colour = self.placed.model.parts[0].rgb
        return sheet_looks(self.thing.params.get("pattern", pattern), colour, size)

    def bind(self, world: World) -> None:
        self.stages = [int(world.model.body_mocapid[world.model.body(name).id]) for name in self._names]

    def flags(self, s: Session) -> dict[str, bool]:
        return {"removed": bool(s.extras.get(self.handle, {}).get("gone"))}


def out_of_sight(k: int) -> Array:
    """Where the k-th mesh of a lifted cloth waits."""
    return np.array([-3.0 * (k + 1), -3.0, -500.0])


def _world(p: Placed) -> Array:
    return np.asarray(p.vertices @ np.array(rotation_matrix(p.home.quaternion_xyzw)).T + np.array(p.home.position_m))


def _below(vertices: Array, faces: np.ndarray, height: float) -> tuple[Array, np.ndarray]:
    """The triangles that are not wholly above a height."""
    return vertices, faces[vertices[faces][:, :, 2].min(1) < height] if math.isfinite(height) else faces


def _under(vertices: Array, sheet: cloth.FloatGrid) -> bool:
    """Whether most points lie below a sheet: each under the highest of the sheet's points around it."""
    points = sheet.reshape(3, -1)
    inside = (vertices[:, 0] > points[0].min()) & (vertices[:, 0] < points[0].max())
    inside &= (vertices[:, 1] > points[1].min()) & (vertices[:, 1] < points[1].max())
    if inside.mean() < COVERED_SHARE:
        return False
    chosen = vertices[:: max(1, len(vertices) // 400)]
    near = (np.abs(chosen[:, None, 0] - points[0]) < 0.02) & (np.abs(chosen[:, None, 1] - points[1]) < 0.02)
    over = np.where(near, points[2], -np.inf).max(1)
    return bool((over > chosen[:, 2]).mean() >= COVERED_SHARE)


ENTITIES = (Cloth,)
