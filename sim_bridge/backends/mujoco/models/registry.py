"""Procedural objects by name: the list of the modules that make them. A new module is its file and one line here."""

from __future__ import annotations

import inspect
from typing import Any

from sim_bridge.backends.mujoco.meshes.shapes import Model
from sim_bridge.backends.mujoco.models import (
    cabinets,
    cloths_and_ramps,
    food,
    house,
    lamps,
    more,
    oddments,
    openable,
    packages,
    robot,
    sundries,
    things,
    vessels,
)
from sim_bridge.backends.mujoco.models.making import MAKERS

MODULES = (
    vessels,
    packages,
    food,
    things,
    house,
    more,
    cloths_and_ramps,
    openable,
    cabinets,
    lamps,
    robot,
    sundries,
    oddments,
)
"""Every module that makes objects; importing it registers its makers."""


def make(name: str, **settings: Any) -> Model:
    """Build a model by maker name."""
    return MAKERS[name](**settings)


def settings_of(name: str) -> tuple[str, ...]:
    """The settings a maker takes."""
    return tuple(inspect.signature(MAKERS[name]).parameters)
