"""What the environment says about a worker; everything else follows from the scene."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sim_bridge.errors import BadRequest

PHYSICS = "SIM_BRIDGE_OMNIGIBSON_PHYSICS"
"""``rigid`` (default) or ``particles``: the GPU's dynamics, without which there is no water and no cloth. A process has one of them."""
SEGMENTATION = "SIM_BRIDGE_OMNIGIBSON_SEGMENTATION"
"""``on`` (default) or ``off``: without it, what is visible is judged by projected boxes and depth, and there are no masks."""
RENDERS = "SIM_BRIDGE_OMNIGIBSON_RENDERS"
"""``least,most`` renders of one picture (default ``6,20``)."""
RELEASE = "SIM_BRIDGE_OMNIGIBSON_RELEASE"
"""``any``: run on a release the adapter does not know."""
DATA = ("OMNIGIBSON_DATA_PATH", "OMNIGIBSON_DATASET_PATH", "OMNIGIBSON_ASSET_PATH")
"""OmniGibson's own variables that name folders which must exist when it is imported."""
RIGID, PARTICLES = "rigid", "particles"


@dataclass(frozen=True)
class Settings:
    """How a worker runs."""

    physics: str = RIGID
    segmentation: bool = True
    least_renders: int = 6
    most_renders: int = 20
    any_release: bool = False


def read(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that environment variables name.

    Raises:
        BadRequest: a variable has a value it cannot have, or names a folder that is not there; the message names the variable.
    """
    physics = _one_of(environment, PHYSICS, RIGID, (RIGID, PARTICLES))
    segmentation = _one_of(environment, SEGMENTATION, "on", ("on", "off")) == "on"
    any_release = _one_of(environment, RELEASE, "", ("", "any")) == "any"
    renders = environment.get(RENDERS, "6,20").split(",")
    if len(renders) != 2 or not all(n.strip().isdecimal() for n in renders) or not 1 <= int(renders[0]) <= int(renders[1]) <= 200:
        raise BadRequest(f"{RENDERS}: expected two numbers, least,most, from 1 to 200, got {environment.get(RENDERS)!r}")
    for name in DATA:
        if environment.get(name) and not Path(environment[name]).expanduser().is_dir():
            raise BadRequest(f"{name}: the folder {environment[name]!r} is not there; OmniGibson does not start without it")
    return Settings(physics, segmentation, int(renders[0]), int(renders[1]), any_release)


def _one_of(environment: Mapping[str, str], name: str, default: str, values: tuple[str, ...]) -> str:
    value = environment.get(name, default)
    if value not in values:
        raise BadRequest(f"{name}: expected {' or '.join(v for v in values if v)}, got {value!r}")
    return value
