"""The things own tasks are made of: procedural models at their true size, so that no task needs the asset pack.

Sizes are the catalogue's natural extents in metres (a test compares).
"""

from __future__ import annotations

from typing import Any

from data.generators.layout import Thing
from sim_bridge.spec import Vec3

SIZES_M: dict[str, Vec3] = {
    "alarm_clock": (0.096, 0.046, 0.131),
    "apple": (0.079, 0.079, 0.079),
    "baseball": (0.074, 0.074, 0.074),
    "basketball": (0.240, 0.240, 0.240),
    "bell_pepper": (0.083, 0.083, 0.115),
    "bowl": (0.160, 0.160, 0.065),
    "broccoli": (0.144, 0.145, 0.091),
    "bucket": (0.288, 0.274, 0.248),
    "can": (0.077, 0.077, 0.105),
    "candle": (0.070, 0.070, 0.168),
    "coconut": (0.116, 0.116, 0.120),
    "cupcake": (0.084, 0.084, 0.074),
    "gift_box": (0.251, 0.251, 0.247),
    "globe": (0.257, 0.240, 0.338),
    "goblet": (0.085, 0.085, 0.160),
    "grapefruit": (0.106, 0.106, 0.099),
    "hourglass": (0.110, 0.109, 0.200),
    "ice_cream_cone": (0.068, 0.067, 0.165),
    "jug": (0.204, 0.180, 0.269),
    "kettle": (0.241, 0.194, 0.212),
    "lantern": (0.150, 0.150, 0.310),
    "light_bulb": (0.063, 0.063, 0.107),
    "measuring_cup": (0.156, 0.104, 0.103),
    "mug": (0.118, 0.083, 0.096),
    "orange": (0.078, 0.078, 0.075),
    "pear": (0.082, 0.082, 0.136),
    "pepper_grinder": (0.060, 0.060, 0.204),
    "pillar_candle": (0.070, 0.070, 0.168),
    "pine_cone": (0.080, 0.079, 0.091),
    "pineapple": (0.186, 0.186, 0.296),
    "plant_pot": (0.244, 0.244, 0.210),
    "pumpkin": (0.230, 0.220, 0.182),
    "rubber_boot": (0.114, 0.283, 0.326),
    "snow_globe": (0.096, 0.096, 0.109),
    "soccer_ball": (0.220, 0.220, 0.220),
    "softball": (0.097, 0.097, 0.097),
    "spray_can": (0.067, 0.067, 0.200),
    "teapot": (0.264, 0.163, 0.158),
    "tennis_ball": (0.067, 0.067, 0.067),
    "treasure_chest": (0.273, 0.190, 0.172),
    "trophy": (0.236, 0.150, 0.240),
    "tumbler": (0.084, 0.084, 0.090),
    "vase": (0.144, 0.144, 0.260),
    "volleyball": (0.210, 0.210, 0.210),
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
    if words.endswith(("x", "ch", "sh", "ss", "tomato", "potato")):
        return words + "es"
    if words.endswith("y") and words[-2] not in "aeiou":
        return words[:-1] + "ies"
    return words + "s"
