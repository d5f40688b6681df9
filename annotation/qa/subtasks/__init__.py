"""The subtasks of robot questions, each one declared module; `annotation.qa.registry` lists them."""

from __future__ import annotations

from importlib import import_module

from annotation.qa.errors import BadItem
from annotation.qa.registry import REGISTERED
from annotation.qa.subtasks.base import Subtask


def _declared(slug: str) -> Subtask:
    """What the module of this name declares.

    Raises:
        TypeError: it declares no subtask of its own name.
    """
    subtask = getattr(import_module(f"{__name__}.{slug}"), "SUBTASK", None)
    if not isinstance(subtask, Subtask) or subtask.slug != slug:
        raise TypeError(f"{__name__}.{slug} is registered, so it must declare SUBTASK, a Subtask with the slug {slug!r}; got {subtask!r}.")
    return subtask


SUBTASKS: dict[str, Subtask] = {slug: _declared(slug) for slug in REGISTERED}
"""Slug → subtask, in the published order."""


def named(slug: str) -> Subtask:
    """The subtask of this slug, or of its published name.

    Raises:
        BadItem: there is none.
    """
    wanted = slug.casefold().replace("_", " ").replace("-", " ").strip()
    for subtask in SUBTASKS.values():
        if wanted in (subtask.slug.replace("_", " "), subtask.name.casefold().replace("-", " ")):
            return subtask
    raise BadItem(f"There is no subtask {slug!r}; known: {', '.join(SUBTASKS)}.")
