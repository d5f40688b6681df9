"""The stand-in's data set: one building, and a few categories with a model or two."""

from __future__ import annotations

import os

from .._noted import noted

MODELS = {
    "box_of_crackers": {"aaaaaa": (0.2, 0.06, 0.24)},
    "mug": {"bbbbbb": (0.12, 0.09, 0.1), "cccccc": (0.13, 0.1, 0.11)},
    "microwave": {"dddddd": (0.5, 0.4, 0.3)},
    "cloth": {"eeeeee": (0.5, 0.5, 0.02)},
    "table": {"ffffff": (1.0, 0.6, 0.7)},
    "mirror": {"tytkbq": (0.04, 1.0, 1.6)},
}


@noted
def get_available_og_scenes() -> list[str]:
    return ["Rs_int"]


@noted
def get_all_object_category_models(category: str) -> list[str]:
    if category not in MODELS:
        raise FileNotFoundError(category)
    return sorted(MODELS[category])


def usd_path(category: str, model: str) -> str:
    """A path that is there exactly if the model is."""
    return os.__file__ if model in MODELS.get(category, {}) else os.path.join(os.sep, "no", category, f"{model}.usd")  # noqa: PTH118
