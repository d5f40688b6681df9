"""Procedural objects by name: the list of the modules that make them. A new module is its file and one line here."""

from __future__ import annotations

import inspect
from typing import Any

from sim_bridge.backends.mujoco.meshes.shapes import Model
from sim_bridge.backends.mujoco.models import (
    bakery,
    baskets,
    bathroom,
    cabinets,
    clothes,
    cloths_and_ramps,
    cookware,
    devices,
    fruit,
    hand_tools,
    house,
    instruments,
    kitchen_tools,
    laboratory,
    lamps,
    meals,
    openable,
    ornaments,
    packages,
    plants,
    playthings,
    robot,
    stationery,
    sweets,
    vegetables,
    vessels,
)
from sim_bridge.backends.mujoco.models.making import MAKERS

MODULES = (
    bakery,
    baskets,
    bathroom,
    cabinets,
    clothes,
    cloths_and_ramps,
    cookware,
    devices,
    fruit,
    hand_tools,
    house,
    instruments,
    kitchen_tools,
    laboratory,
    lamps,
    meals,
    openable,
    ornaments,
    packages,
    plants,
    playthings,
    robot,
    stationery,
    sweets,
    vegetables,
    vessels,
)
"""Every module that makes objects; importing it registers its makers."""


def make(name: str, **settings: Any) -> Model:
    """Build a model by maker name."""
    return MAKERS[name](**settings)


def settings_of(name: str) -> tuple[str, ...]:
    """The settings a maker takes."""
    return tuple(inspect.signature(MAKERS[name]).parameters)
