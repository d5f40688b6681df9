"""Mass, friction and graspability of the catalogue's things. Imports without MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.catalogue import Match
    from sim_bridge.spec import Vec3

BULK_DENSITY_KG_M3 = 350.0
"""Mass of a household thing by the volume of its box, where nothing better is known."""
MAX_HAND_MASS_KG = 10.0
MAX_HAND_SIZE_M = 0.7
"""A hand takes what weighs no more and whose longest edge is no longer."""


@dataclass(frozen=True)
class Physical:
    """Physical properties of one thing at one size."""

    mass_kg: float
    friction: float = 0.7
    """Sliding coefficient."""
    restitution: float = 0.0
    """Share of the speed that a bounce keeps, 0 to 1."""
    graspable: bool = True
    density_source: str = "bulk density of the box"


def physical(match: Match, size_m: Vec3) -> Physical:
    """Properties of a thing of this kind and size (metres)."""
    mass = min(max(size_m[0] * size_m[1] * size_m[2] * BULK_DENSITY_KG_M3, 0.01), 40.0)
    return Physical(mass, graspable=mass <= MAX_HAND_MASS_KG and max(size_m) <= MAX_HAND_SIZE_M)
