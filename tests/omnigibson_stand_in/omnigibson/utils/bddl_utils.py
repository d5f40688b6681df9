"""What categories can do, as the data set's taxonomy says it."""

from __future__ import annotations

from typing import Any

from .._data import ABILITIES
from .._noted import note


class _Taxonomy:
    def get_synset_from_category(self, category: str) -> str | None:
        return f"{category}.n.01" if category in ABILITIES else None

    def get_abilities(self, synset: str) -> dict[str, Any]:
        return ABILITIES[synset.partition(".")[0]]


_TAXONOMY = _Taxonomy()


def __getattr__(name: str) -> Any:
    if name == "OBJECT_TAXONOMY":
        note("utils.bddl_utils.OBJECT_TAXONOMY")
        return _TAXONOMY
    raise AttributeError(name)
