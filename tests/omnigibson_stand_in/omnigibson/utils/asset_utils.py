from __future__ import annotations

from .. import _data
from .._noted import noted


@noted
def get_available_og_scenes() -> list[str]:
    return sorted(_data.SCENES)


@noted
def get_all_object_category_models(category: str) -> list[str]:
    return _data.models(category)
