"""The eight subtasks, each a small declared thing."""

from __future__ import annotations

from annotation.qa.errors import BadItem
from annotation.qa.subtasks import affordance, consistency, distance, matching, planning, step, trajectory, viewpoint
from annotation.qa.subtasks.base import Subtask

SUBTASKS: dict[str, Subtask] = {
    module.SUBTASK.slug: module.SUBTASK for module in (matching, distance, viewpoint, consistency, planning, step, trajectory, affordance)
}
"""Slug → subtask, in the published order."""


def named(slug: str) -> Subtask:
    """The subtask of this slug, or of its published name.

    Raises:
        BadItem: there is none.
    """
    wanted = slug.casefold().replace("_", " ").replace("-", " ").strip()
    for subtask in SUBTASKS.values():
        if wanted in (subtask.slug, subtask.name.casefold().replace("-", " ")):
            return subtask
    raise BadItem(f"There is no subtask {slug!r}; known: {', '.join(SUBTASKS)}.")
