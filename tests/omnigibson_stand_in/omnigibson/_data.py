"""The stand-in's data set: one building of two rooms, and a few categories with a model or two.

With ``OMNIGIBSON_STAND_IN_DATA`` (JSON: ``scenes``, ``rooms``, ``cloths``), those buildings and rooms are there too, and every category has
every model, as a cube; what is a cloth is named.
"""

from __future__ import annotations

import json
import os

MORE = json.loads(os.environ.get("OMNIGIBSON_STAND_IN_DATA") or "{}")
SCENES = ["Rs_int", *MORE.get("scenes", ())]
ROOMS = list(dict.fromkeys(["living_room_0", "kitchen_0", *MORE.get("rooms", ())]))
MODELS = {
    "box_of_crackers": {"aaaaaa": (0.2, 0.06, 0.24)},
    "mug": {"bbbbbb": (0.12, 0.09, 0.1), "cccccc": (0.13, 0.1, 0.11)},
    "microwave": {"dddddd": (0.5, 0.4, 0.3)},
    "cloth": {"eeeeee": (0.5, 0.5, 0.02)},
    "table": {"ffffff": (1.0, 0.6, 0.7)},
    "mirror": {"tytkbq": (0.04, 1.0, 1.6)},
}
ABILITIES: dict[str, dict[str, object]] = {
    "box_of_crackers": {"rigidBody": {}},
    "mug": {"fillable": {}, "rigidBody": {}},
    "microwave": {"openable": {}},
    "cloth": {"cloth": {}},
    "mirror": {"rigidBody": {}},
    "table": {"rigidBody": {}},
    **{category: {"cloth": {}} for category in MORE.get("cloths", ())},
}
CUBE_M = (0.2, 0.2, 0.2)


def models(category: str) -> list[str]:
    if category not in MODELS and not MORE:
        raise FileNotFoundError(category)
    return sorted(MODELS.get(category, ["aaaaaa"]))


def size(category: str, model: str) -> tuple[float, ...]:
    return MODELS.get(category, {}).get(model, CUBE_M) if MORE else MODELS[category][model]


def usd_path(category: str, model: str) -> str:
    """A path that is there exactly if the model is."""
    known = bool(MORE) or model in MODELS.get(category, {})
    return os.__file__ if known else os.path.join(os.sep, "no", category, f"{model}.usd")  # noqa: PTH118
