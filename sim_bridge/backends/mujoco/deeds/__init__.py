"""Deeds: the physical actions, one module per family. Each is ``def name(stage, action) -> None`` and raises `Failed` when impossible."""

from __future__ import annotations

from collections.abc import Callable

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds import cloth, doors, hands, slope, water
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage

Deed = Callable[[Stage, Action], None]

DEEDS: dict[str, Deed] = {**hands.DEEDS, **doors.DEEDS, **cloth.DEEDS, **slope.DEEDS, **water.DEEDS}
"""Action name → how it is done; a new family is its module and its name here."""

__all__ = ["DEEDS", "Deed", "Failed", "Stage"]
