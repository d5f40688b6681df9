"""Procedural objects by name: the list of the modules that make them. A new module is its file and one line here."""

from __future__ import annotations

import inspect
from typing import Any

from sim_bridge.backends.mujoco import (
    makers_cabinets,
    makers_food,
    makers_house,
    makers_lamps,
    makers_more,
    makers_oddments,
    makers_openable,
    makers_packages,
    makers_robot,
    makers_sundries,
    makers_surfaces,
    makers_things,
    makers_vessels,
)
from sim_bridge.backends.mujoco.makers import MAKERS
from sim_bridge.backends.mujoco.shapes import Model

MODULES = (
    makers_vessels,
    makers_packages,
    makers_food,
    makers_things,
    makers_house,
    makers_more,
    makers_surfaces,
    makers_openable,
    makers_cabinets,
    makers_lamps,
    makers_robot,
    makers_sundries,
    makers_oddments,
)
"""Every module that makes objects; importing it registers its makers."""


def make(name: str, **settings: Any) -> Model:
    """Build a model by maker name."""
    return MAKERS[name](**settings)


def settings_of(name: str) -> tuple[str, ...]:
    """The settings a maker takes."""
    return tuple(inspect.signature(MAKERS[name]).parameters)
