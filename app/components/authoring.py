"""Components of those who make robot questions: `starter`, `author`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

AUTHOR = Component("author", ("qa", "author"))
STARTER = Component("starter", ("qa", "starter"))


def author(data: dict[str, Any], *, key: str, on_moved: Callable[[], None], on_left: Callable[[], None]) -> Any:
    """The editor of one item. It reads and saves by itself (``/api/qa/item/{item}``, ``/api/qa/marks/{item}``), so the page need not run.

    Args:
        data: ``item``, ``rev`` and ``state`` as the page knows them, ``declared``: what its subtask declares
            (`app.pages.qa_author`), ``title``, ``about`` and ``where`` in words, ``earlier`` and ``later``: the person's open items beside
            it (or None), and ``more``: whether another of this subtask can be begun.
        key: the component's identity.
        on_moved: called in the run after it was sent to review, or where the next is wanted; `.moved` is ``{next}``: whether it is.
        on_left: called when the person leaves; `.left` is ``{home}`` or ``{item}``: where to.

    Returns:
        The component's result, empty: what the person did is told to the callbacks.
    """
    return _mount(AUTHOR)(key=key, data=data, on_moved_change=on_moved, on_left_change=on_left)


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
