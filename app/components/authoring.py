"""Components of those who make robot questions: `starter`, `author`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

AUTHOR = Component("author", ("qa", "author"))
STARTER = Component("starter", ("qa", "starter"))


def author(data: dict[str, Any], *, key: str) -> Any:
    """The editor of one item. It reads and saves by itself (``/api/qa/item/{item}``, ``/api/qa/marks/{item}``), so the page need not run.

    Args:
        data: ``item``, ``rev`` and ``state`` as the page knows them, and ``declared``: what its subtask declares (`app.pages.qa_author`).
        key: the component's identity.

    Returns:
        The component's result; `.moved` is the item's version in the run after it was sent to review.
    """
    return _mount(AUTHOR)(key=key, data=data, on_moved_change=lambda: None)


def starter(data: dict[str, Any], *, key: str, on_begin: Callable[[], None]) -> Any:
    """Where an author begins: a subtask and a kept moment.

    Args:
        data: ``project`` (its id, by which the browser asks for moments, a page at a time: `app.qa_moments_api`), ``subtasks`` (``{slug,
            name, arms, advice, target, accepted, under_way, left}``), ``sources`` (names to choose from), ``empty`` (what to do where there
            are no moments), ``blocked`` (why nothing can be begun, or empty), ``trial`` (whether quotas do not count), ``kept_back`` (why
            some are left out).
        key: the component's identity.
        on_begin: called in the run of the choice; `.begin` is ``{subtask, moment}``.
    """
    return _mount(STARTER)(key=key, data=data, on_begin_change=on_begin)
