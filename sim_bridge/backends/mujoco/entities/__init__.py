"""Entities: objects that own their physics. `KINDS` is the list of them; a new one is its module and one line here."""

from __future__ import annotations

from sim_bridge.backends.mujoco.entities import cloth, lamp, openable, ramp, robot, vessel
from sim_bridge.backends.mujoco.entities.base import Entity

KINDS: tuple[type[Entity], ...] = (
    *cloth.ENTITIES,
    *ramp.ENTITIES,
    *vessel.ENTITIES,
    *openable.ENTITIES,
    *lamp.ENTITIES,
    *robot.ENTITIES,
)
"""Every kind of entity, in the order in which they are built."""


def known_params() -> tuple[str, ...]:
    """Names of `Object.params` that some entity understands."""
    return tuple(dict.fromkeys(name for kind in KINDS for name in kind.params))
