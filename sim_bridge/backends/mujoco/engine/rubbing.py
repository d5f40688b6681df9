"""Contacts whose friction follows from two materials: what lies on a covered ramp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim_bridge.backends.mujoco.entities.ramp import Ramp
from sim_bridge.friction import coefficient

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.engine.building import Placed


def pair(spec: mujoco.MjSpec, placed: Sequence[Placed], bodies: Sequence[mujoco.MjsBody]) -> None:
    """Give every free body on a covered ramp the coefficient of the two materials, where the table has them (`sim_bridge.friction`).

    A body that states its own ``friction`` keeps it, and so does everything on a ramp without ``surface``.
    """
    for ramp, below in zip(placed, bodies, strict=True):
        surface = str(ramp.params.get("surface", ""))
        if not surface or not any(isinstance(e, Ramp) for e in ramp.entities):
            continue
        for thing, above in zip(placed, bodies, strict=True):
            found = coefficient(thing.physical.surface, surface)
            if found is None or not thing.dynamic or "friction" in thing.params:
                continue
            for one in _colliding(below):
                for other in _colliding(above):
                    spec.add_pair(geomname1=one.name, geomname2=other.name, condim=3, friction=[found, found, 0.01, 0.001, 0.001])


def _colliding(body: mujoco.MjsBody) -> list[mujoco.MjsGeom]:
    """The contact shapes of a body, each with a name."""
    found = [geom for geom in body.geoms if geom.contype]
    for number, geom in enumerate(found):
        geom.name = f"{body.name} contact {number}"
    return found
