"""All generators, and the tasks that come with the product."""

from __future__ import annotations

import functools
from pathlib import Path

from data.generators.enumerative import COUNTING
from data.generators.framework import BUNDLED_SEED, Generator, generate
from data.generators.metric import DISTANCE, SIZE
from data.generators.practice import practice
from data.generators.spatial import CONTACT, LINE, TRIANGLE
from data.generators.temporal import CHANGE
from data.task import Task

GENERATORS: tuple[Generator, ...] = (SIZE, DISTANCE, LINE, TRIANGLE, CONTACT, COUNTING, CHANGE)
"""In the order of the taxonomy."""
FOLDER = Path(__file__).parent.parent / "bundled"
"""The bundled benchmark: one file per task, made by ``vantage tasks generate`` with the bundled seed and checked."""


class UnknownGenerator(Exception):
    """No generator makes this subcategory; the message lists those that exist."""


def named(subcategory: str) -> tuple[Generator, ...]:
    """The generators of a subcategory (several where the name occurs in two categories), or the one with this slug.

    Raises:
        UnknownGenerator: there is none.
    """
    found = tuple(g for g in GENERATORS if subcategory in (g.subcategory, g.slug))
    if not found:
        raise UnknownGenerator(f"No generator makes {subcategory!r}. Known: {', '.join(g.subcategory for g in GENERATORS)}.")
    return found


@functools.lru_cache(maxsize=1)
def _bundled() -> tuple[Task, ...]:
    files = sorted(FOLDER.glob("own-*.json"))
    made = {g.slug for g in GENERATORS if any(f.name.startswith(f"own-{g.slug}-") for f in files)}
    read = [Task.from_json(f.read_text(encoding="utf-8")) for f in files]
    # Kinds without files come as drafts, which need no simulator.
    drafts = [t for g in GENERATORS if g.slug not in made and not g.needs_lab for t in generate(g, seed=BUNDLED_SEED, pairs=g.cycle).tasks]
    order = {(g.category, g.subcategory): i for i, g in enumerate(GENERATORS)}
    return tuple(sorted((*read, *drafts), key=lambda t: (order.get((t.category, t.subcategory), len(order)), t.task_id)))


def bundled() -> list[Task]:
    """The own tasks that come with the product: the practice task first, then the benchmark in the generators' order."""
    return [practice(), *_bundled()]
