"""Things that open: the lids, doors and drawers of a model, each a body of its own that hangs on the thing.

How far a thing is open is a number from 0 (closed) to 1 (as far as it goes), one for all of its parts: the doors of a pair open together.
It is kept as ``open`` in the session's extras; the poses of the parts follow from it and from the thing's pose, so that closing brings
them back exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.engine.building import GROUP_CLEAR, GROUP_OPAQUE, add_solids, collider_looks
from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.errors import SceneError

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed, World
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.backends.mujoco.meshes.shapes import Array, Mobile, Model
    from sim_bridge.spec import Object, Scene

OPEN_FROM = 0.5
"""A thing counts as open from this share of its travel on."""
WALKERS = ("home_robot",)
"""Makers whose moving parts are limbs, not lids."""


@dataclass
class Hung:
    """One moving part in a compiled world."""

    mobile: Mobile
    name: str
    body: int = -1
    mocap: int = -1

    def pose(self, share: float, position: Array, quat: Array) -> tuple[Array, Array]:
        """World position and wxyz attitude of the part's frame, which is the thing's own frame when closed.

        Args:
            share: of the travel; beyond 0..1 for wheels.
            position: of the thing, world.
            quat: wxyz attitude of the thing.
        """
        m = self.mobile
        if m.kind == "slide":
            offset, turn = m.axis * (m.travel * share), np.array([1.0, 0.0, 0.0, 0.0])
        else:
            half = m.travel * share / 2
            turn = np.array([math.cos(half), *(math.sin(half) * m.axis)])
            turned = np.zeros(3)
            mujoco.mju_rotVecQuat(turned, m.anchor, turn)
            offset = m.anchor - turned
        shifted, product = np.zeros(3), np.zeros(4)
        mujoco.mju_rotVecQuat(shifted, offset, quat)
        mujoco.mju_mulQuat(product, quat, turn)
        return position + shifted, product


def hang(builder: Builder, body: mujoco.MjsBody, placed: Placed, mobiles: tuple[Mobile, ...], solid: bool = True) -> list[Hung]:
    """Add the moving parts of an object as bodies whose poses are set by hand; they do not collide with the object itself."""
    hung = []
    for mobile in mobiles:
        name = f"{body.name}.{mobile.name}"
        part_body = builder.spec.worldbody.add_body(name=name, mocap=True, pos=list(body.pos), quat=list(body.quat))
        for part in mobile.parts:
            builder.show(part_body, part, GROUP_CLEAR if part.alpha < 0.99 else GROUP_OPAQUE)
        if solid and mobile.solids:
            add_solids(builder, part_body, mobile.solids, 1.0, collider_looks(placed.physical, "friction" in placed.params))
            builder.spec.add_exclude(bodyname1=body.name, bodyname2=name)
        placed.more_bodies.append(name)
        hung.append(Hung(mobile, name))
    return hung


def host_pose(s: Session, p: Placed) -> tuple[Array, Array]:
    """Position and wxyz attitude of an object from the state itself: body poses lag one substep behind it while physics runs."""
    if p.dynamic:
        return s.data.qpos[p.qpos : p.qpos + 3], s.data.qpos[p.qpos + 3 : p.qpos + 7]
    return s.data.mocap_pos[p.mocap], s.data.mocap_quat[p.mocap]


class Openable(Entity):
    """``open``: true, false or the share 0..1 at the start; ``locked``: true makes `open` fail."""

    params: ClassVar[tuple[str, ...]] = ("open", "locked")
    follows: ClassVar[bool] = True
    steps: ClassVar[bool] = True

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        super().__init__(placed, thing, scene)
        self.hung: list[Hung] = []

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        opens = bool(model.mobiles) and match.maker not in WALKERS
        for name in cls.params:
            if name in thing.params and not opens:
                raise SceneError(f"scene.objects: {thing.handle}: params.{name}: a {thing.category} has nothing that opens here")
        return opens

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        _share(thing.params.get("open", False), f"{where}.params.open")
        locked = thing.params.get("locked", False)
        if not isinstance(locked, bool):
            raise SceneError(f"{where}.params.locked: expected true or false, got {locked!r}")

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        self.hung = hang(builder, body, self.placed, self.placed.model.mobiles)

    def bind(self, world: World) -> None:
        for part in self.hung:
            part.body = world.model.body(part.name).id
            part.mocap = int(world.model.body_mocapid[part.body])
        self.cavity_body = next((part.body for part in self.hung if part.mobile.carries), -1)

    # --- per session -------------------------------------------------------------------------------------------------

    @property
    def locked(self) -> bool:
        return bool(self.thing.params.get("locked", False))

    def share(self, s: Session) -> float:
        """How far it is open now, 0..1."""
        return float(s.extras.get(self.handle, {}).get("open", 0.0))

    def set(self, s: Session, share: float) -> None:
        """Open it that far; the parts move with the next `follow`."""
        s.extra(self.handle)["open"] = share

    def shift(self, share: float) -> Array:
        """How far what lies in a drawer has come along, own frame; zeros where nothing is carried."""
        carrier = next((part.mobile for part in self.hung if part.mobile.carries), None)
        return carrier.axis * (carrier.travel * share) if carrier is not None else np.zeros(3)

    def enter(self, s: Session) -> None:
        self.set(s, _share(self.thing.params.get("open", False), "params.open"))
        self.follow(s)

    def step(self, s: Session) -> None:
        self.follow(s)

    def load(self, s: Session) -> None:
        """What presses on a lid presses on the thing: bodies that are set by hand take any load and pass on none, so that a thing whose lid
        is under load would be weightless."""
        if not self.placed.dynamic:
            return
        m, d = s.world.model, s.data
        lids = [part.body for part in self.hung]
        bodies = m.geom_bodyid[d.contact.geom]
        total, local = np.zeros(6), np.zeros(6)
        for i in np.nonzero(np.isin(bodies, lids).any(1))[0]:
            mujoco.mj_contactForce(m, d, int(i), local)
            contact = d.contact[int(i)]
            # contact frames have their axes as rows and point from the first body to the second one, as the force on that one does
            force, torque = contact.frame.reshape(3, 3).T @ local[:3], contact.frame.reshape(3, 3).T @ local[3:]
            sign = 1.0 if bodies[i, 1] in lids else -1.0
            total += sign * np.concatenate([force, torque + np.cross(contact.pos - d.xipos[self.placed.body], force)])
        d.xfrc_applied[self.placed.body] = total

    def follow(self, s: Session) -> None:
        position, quat = host_pose(s, self.placed)
        share = self.share(s)
        for part in self.hung:
            s.data.mocap_pos[part.mocap], s.data.mocap_quat[part.mocap] = part.pose(share, position, quat)

    def vertices(self, s: Session, rest: Array) -> Array:
        share, moved = self.share(s), rest.copy()
        if share == 0.0:
            return moved
        at = sum(len(p.vertices) for p in self.placed.model.parts)
        for part in self.hung:
            count = sum(len(p.vertices) for p in part.mobile.parts)
            offset, quat = part.pose(share, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
            matrix = np.zeros(9)
            mujoco.mju_quat2Mat(matrix, quat)
            moved[at : at + count] = rest[at : at + count] @ matrix.reshape(3, 3).T + offset
            at += count
        return moved

    def flags(self, s: Session) -> dict[str, bool]:
        return {"open": self.share(s) >= OPEN_FROM, "locked": self.locked}

    def levels(self, s: Session) -> dict[str, float]:
        return {"open": self.share(s)}


def _share(value: Any, where: str) -> float:
    """``open`` of an object's params as a share."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)) and 0.0 <= value <= 1.0:
        return float(value)
    raise SceneError(f"{where}: expected true, false or a number from 0 (closed) to 1 (open), got {value!r}")


ENTITIES = (Openable,)
