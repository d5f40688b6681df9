"""The things own tasks are made of: procedural models at their true size, so that no task needs the asset pack.

Sizes are the catalogue's natural extents in metres (a test compares).
"""

from __future__ import annotations

from typing import Any

from data.generators.layout import Thing
from sim_bridge.spec import Vec3

SIZES_M: dict[str, Vec3] = {
    "bowl": (0.160, 0.160, 0.065),
    "bucket": (0.288, 0.274, 0.248),
    "goblet": (0.085, 0.085, 0.160),
    "mug": (0.118, 0.083, 0.096),
    "pillar_candle": (0.070, 0.070, 0.168),
    "plant_pot": (0.244, 0.244, 0.210),
    "soccer_ball": (0.220, 0.220, 0.220),
    "teapot": (0.264, 0.163, 0.158),
    "tennis_ball": (0.067, 0.067, 0.067),
    "vase": (0.144, 0.144, 0.260),
}

BLOCK = "packing_box"
"""A closed cardboard box of any size: reference, occluder, wall."""
OPEN_BOX = "carton"
"""An open box that things can lie in."""


def thing(key: str, category: str, xy: tuple[float, float], **more: Any) -> Thing:
    """A thing of the table, named by its category unless `words` says otherwise."""
    words = more.pop("words", category.replace("_", " "))
    return Thing(key, category, xy, more.pop("size_m", None) or SIZES_M[category], words=words, **more)


SEVERAL = {"toilet_paper": "rolls of toilet paper", "tupperware": "plastic food boxes"}
"""Kinds whose name is not one thing's."""


def several(category: str) -> str:
    """A kind of thing as one says it of several: ``soccer_ball`` gives ``soccer balls``; `SEVERAL` first.

    The endings are those of the catalogue's names; a test spells out all that are counted.
    """
    if category in SEVERAL:
        return SEVERAL[category]
    words = category.replace("_", " ")
    if words.endswith(("x", "ch", "tomato", "potato")):
        return words + "es"
    if words.endswith("y") and words[-2] not in "aeiou":
        return words[:-1] + "ies"
    return words + "s"
