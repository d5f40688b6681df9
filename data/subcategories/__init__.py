"""The kinds of questions: the ten categories and twenty-nine subcategories of ESI-Bench, each declared once in a module of this package.

The names, runner modules and answer forms are the released benchmark's. The definitions are in our own words. ESI-Bench says that
its agents deploy perception, locomotion and manipulation, and that its tasks rest on four systems of core knowledge (objects, layout
and geometry, number, goal-directed agents); which subcategory leans on which is **our reading**, as are `needs` and `chance`.

Key = (category, subcategory): "Spatial Relations" is both a category and a subcategory of "Specular Reflection".
"""

from __future__ import annotations

from importlib import import_module

from data.subcategories.kind import FEATURES, Ability, Faculty, Knowledge, Reading, Subcategory

__all__ = [
    "BY_KEY",
    "CATEGORIES",
    "FEATURES",
    "MODULES",
    "RUNNERS",
    "SUBCATEGORIES",
    "Ability",
    "Faculty",
    "Knowledge",
    "Reading",
    "Subcategory",
    "UnknownSubcategory",
    "find",
]

MODULES: tuple[str, ...] = (
    "physical_structure",
    "physical_dynamics",
    "specular_reflection",
    "perceptual_grounding",
    "metric_comparison",
    "spatial_relations",
    "cognitive_mapping",
    "enumerative_perception",
    "temporal_understanding",
    "action_sequencing",
)
"""The registry: modules of this package, each with a tuple ``SUBCATEGORIES``; the paper's order of categories."""


def _declared() -> tuple[Subcategory, ...]:
    return tuple(kind for name in MODULES for kind in import_module(f"{__name__}.{name}").SUBCATEGORIES)


SUBCATEGORIES: tuple[Subcategory, ...] = _declared()
"""Every subcategory, in the order of the registry."""
BY_KEY: dict[tuple[str, str], Subcategory] = {s.key: s for s in SUBCATEGORIES}
CATEGORIES: tuple[str, ...] = tuple(dict.fromkeys(s.category for s in SUBCATEGORIES))
"""The categories."""
RUNNERS: tuple[str, ...] = tuple(sorted({s.runner for s in SUBCATEGORIES if s.runner}))
"""The released runner modules."""


class UnknownSubcategory(Exception):
    """No such subcategory; the message lists those of the category, or the categories."""


def find(category: str, subcategory: str) -> Subcategory:
    """The subcategory with this key.

    Raises:
        UnknownSubcategory: none is declared under it.
    """
    if (found := BY_KEY.get((category, subcategory))) is not None:
        return found
    known = [s.name for s in SUBCATEGORIES if s.category == category]
    if known:
        raise UnknownSubcategory(f"{category!r} has no subcategory {subcategory!r}; it has: {', '.join(known)}.")
    raise UnknownSubcategory(f"There is no category {category!r}; known categories: {', '.join(CATEGORIES)}.")
