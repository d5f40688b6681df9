"""Mass, friction, bounce and graspability of the catalogue's things. Imports without MuJoCo.

Mass: the typical mass of the thing where the table (`masses`) knows it, else contents by the volume of the box for packages, else a bulk
density; always scaled with the volume of the object's box. Friction: one coefficient per object (its surface on dry wood); MuJoCo takes
the greater of the two in contact unless one of them has priority, so a low coefficient shows only against surfaces that are as low.

A hand takes what weighs at most `MAX_HAND_MASS_KG` and is at most `MAX_HAND_SIZE_M` long, or up to `MAX_POLE_M` if it is slim
(brooms, guitars), and is not installed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_bridge.backends.mujoco.catalogue.masses import FRICTION, INSTALLED, MASSES, PACKAGES, RESTITUTION

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.spec import Vec3

BULK_DENSITY_KG_M3 = 350.0
"""Mass of a household thing by the volume of its box, where nothing better is known."""
MAX_HAND_MASS_KG = 10.0
MAX_HAND_SIZE_M = 0.75
"""A hand takes what weighs no more and whose longest edge is no longer."""
MAX_POLE_M, MAX_POLE_WIDTH_M, MAX_POLE_KG = 1.7, 0.4, 5.0
"""Longer things can be taken if they are slim and light: length, the other two edges, mass."""
LIGHTEST_KG, HEAVIEST_KG = 0.0005, 500.0


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
    """What the mass follows from."""
    surface: str = ""
    """What it is made of, as far as friction goes: a key of `masses.FRICTION`."""


def names(match: Match) -> list[str]:
    """Names under which the table may know a match, the most telling first."""
    found = [match.category]
    if match.model_id is not None:
        return [*found, match.model_id]
    settings = dict(match.settings)
    for key in ("kind", "seats", "clear", "style"):
        value = settings.get(key)
        if value:
            found.append(f"{match.maker}:{'clear' if key == 'clear' else value}")
    return [*found, match.maker or ""]


def graspable(mass_kg: float, size_m: Vec3) -> bool:
    """Whether a hand takes a loose thing of this mass and size."""
    edges = sorted(size_m)
    if mass_kg > MAX_HAND_MASS_KG:
        return False
    return edges[2] <= MAX_HAND_SIZE_M or (edges[2] <= MAX_POLE_M and edges[1] <= MAX_POLE_WIDTH_M and mass_kg <= MAX_POLE_KG)


def physical(match: Match, size_m: Vec3) -> Physical:
    """Properties of a thing of this kind and size (metres)."""
    volume = math.prod(size_m)
    known = names(match)
    natural = match.real_size_m
    listed = next((MASSES[name] for name in known if name in MASSES), None)
    package = PACKAGES.get(match.maker or "") if "text" in dict(match.settings) and not dict(match.settings).get("clear") else None
    if package is not None and (listed is None or dict(match.settings).get("text")):
        mass, surface, source = package[0] * volume, package[1], "contents by the volume of the box"
    elif listed is not None and natural is not None:
        mass, surface, source = listed[0] * volume / math.prod(natural), listed[1], "typical mass of the thing"
    else:
        mass, surface, source = BULK_DENSITY_KG_M3 * volume, "plastic", "bulk density of the box"
    mass = min(max(mass, LIGHTEST_KG), HEAVIEST_KG)
    bounce = RESTITUTION.get(str(dict(match.settings).get("kind")), 0.0) if match.maker == "sports_ball" else 0.0
    return Physical(
        mass_kg=mass,
        friction=FRICTION[surface],
        restitution=bounce,
        graspable=not INSTALLED.intersection(known) and graspable(mass, size_m),
        density_source=source,
        surface=surface,
    )
