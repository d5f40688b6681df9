"""All generators, and the tasks that come with the product."""

from __future__ import annotations

import functools
from importlib import import_module
from pathlib import Path

from data.generators.framework import BUNDLED_SEED, Generator
from data.generators.novelty import Known
from data.generators.practice import practice
from data.subcategories import SUBCATEGORIES
from data.task import Task

MODULES: tuple[str, ...] = (
    "specular",
    "cognitive",
    "grounding",
    "glass",
    "metric",
    "distances",
    "spatial",
    "enumerative",
    "illumination",
    "temporal",
    "watching",
    "slopes",
    "stacks",
    "fitting",
    "covering",
    "volumes",
    "sequencing",
)
"""The registry: modules of this package, each with a tuple ``GENERATORS``."""
_ORDER = {s.key: i for i, s in enumerate(SUBCATEGORIES)}
GENERATORS: tuple[Generator, ...] = tuple(
    sorted(
        (g for name in MODULES for g in import_module(f"data.generators.{name}").GENERATORS),
        key=lambda g: _ORDER[(g.category, g.subcategory)],
    )
)
"""Every generator, in the subcategories' order."""
FOLDER = Path(__file__).parent.parent / "bundled"
"""The bundled benchmark: one file per task, made by ``vantage tasks generate`` with the bundled seed and checked."""


class UnknownGenerator(Exception):
    """No generator makes this subcategory; the message lists those that exist."""


HELD_OUT = range(900_001, 900_101)
"""Seeds kept for test sets that nobody has seen: neither the bundled tasks nor an example, a test or a trial is made with one of them."""


def named(subcategory: str) -> tuple[Generator, ...]:
    """The generators of a subcategory (several where the name occurs in two categories), or the one with this slug.

    Args:
        subcategory: ``Linear Alignment``, ``Spatial Relations / Linear Alignment`` or ``line``.

    Raises:
        UnknownGenerator: there is none.
    """
    found = tuple(g for g in GENERATORS if subcategory in (g.subcategory, g.slug, f"{g.category} / {g.subcategory}"))
    if not found:
        raise UnknownGenerator(f"No generator makes {subcategory!r}. Known: {', '.join(g.subcategory for g in GENERATORS)}.")
    return found


def judging(task: Task) -> Generator | None:
    """The generator whose judge derives the answer to what a task asks; None: nobody's does."""
    ask = task.question.ask
    kind = (task.category, task.subcategory)
    return next((g for g in GENERATORS if ask and (g.category, g.subcategory) == kind and ask.what in g.asks), None)


@functools.lru_cache(maxsize=1)
def _bundled() -> tuple[Task, ...]:
    read = [Task.from_json(f.read_text(encoding="utf-8")) for f in sorted(FOLDER.glob("own-*.json"))]
    return tuple(sorted(read, key=lambda t: (_ORDER[(t.category, t.subcategory)], t.task_id)))


def known(seed: int) -> Known:
    """What tasks of a seed must not repeat: the bundled ones; none for the seed of the bundled themselves."""
    return Known(() if seed == BUNDLED_SEED else _bundled())


def benchmark() -> list[Task]:
    """The own tasks of the bundled benchmark, in the generators' order."""
    return list(_bundled())


def bundled() -> list[Task]:
    """The own tasks that come with the product: the practice task first, then the benchmark in the generators' order."""
    return [practice(), *_bundled()]
