"""Deeds: the physical actions, one module per family. Each is ``def name(stage, action) -> None`` and raises `Failed` when impossible."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage

Deed = Callable[[Stage, Action], None]

_MODULES: tuple[str, ...] = ("hands", "doors", "cloth", "slope", "water")
"""Modules of this package that define deeds; each has a dict ``DEEDS`` of action name → function."""

__all__ = ["Deed", "Failed", "Stage", "deeds"]


@functools.lru_cache(maxsize=1)
def deeds() -> dict[str, Deed]:
    """Action name → how it is done."""
    found: dict[str, Deed] = {}
    for name in _MODULES:
        found.update(importlib.import_module(f"sim_bridge.backends.mujoco.deeds.{name}").DEEDS)
    return found
