"""All generators, and the tasks that come with the product."""

from __future__ import annotations

import functools

from data.generators.enumerative import COUNTING
from data.generators.framework import BUNDLED_SEED, Generator, generate
from data.generators.metric import DISTANCE, SIZE
from data.generators.practice import practice
from data.generators.spatial import CONTACT, LINE, TRIANGLE
from data.generators.temporal import CHANGE
from data.task import Task

GENERATORS: tuple[Generator, ...] = (SIZE, DISTANCE, LINE, TRIANGLE, CONTACT, COUNTING, CHANGE)


class UnknownGenerator(Exception):
    """No generator makes this subcategory; the message lists those that exist."""


def named(subcategory: str) -> Generator:
    """The generator of a subcategory (or with this slug).

    Raises:
        UnknownGenerator: there is none.
    """
    for generator in GENERATORS:
        if subcategory in (generator.subcategory, generator.slug):
            return generator
    raise UnknownGenerator(f"No generator makes {subcategory!r}. Known: {', '.join(g.subcategory for g in GENERATORS)}.")


@functools.lru_cache(maxsize=1)
def _bundled() -> tuple[Task, ...]:
    return tuple(t for g in GENERATORS for t in generate(g, seed=BUNDLED_SEED, pairs=g.cycle).tasks)


def bundled() -> list[Task]:
    """The own tasks that come with the product: the practice task first, then pairs of twins. Deterministic, needs no simulator."""
    return [practice(), *_bundled()]
