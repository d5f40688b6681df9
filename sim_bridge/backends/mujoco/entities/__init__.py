"""Entities: objects that own their physics. The registry says which object gets which."""

from __future__ import annotations

import functools
import importlib

from sim_bridge.backends.mujoco.entities.base import Entity

_MODULES: tuple[str, ...] = ("cloth", "ramp", "vessel", "openable", "lamp", "robot")
"""Modules of this package that define entities; each has a tuple ``ENTITIES`` of classes."""


@functools.lru_cache(maxsize=1)
def kinds() -> tuple[type[Entity], ...]:
    """Every kind of entity, in the order in which they are built."""
    found: list[type[Entity]] = []
    for name in _MODULES:
        found += importlib.import_module(f"sim_bridge.backends.mujoco.entities.{name}").ENTITIES
    return tuple(found)


def known_params() -> tuple[str, ...]:
    """Names of `Object.params` that some entity understands."""
    return tuple(dict.fromkeys(name for kind in kinds() for name in kind.params))
