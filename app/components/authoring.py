"""Components of those who make robot questions and tasks: `starter`, `itemlist`, `author`, `taskmaker`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

AUTHOR = Component("author", ("qa", "author"))
STARTER = Component("starter", ("qa", "starter"))
ITEMLIST = Component("itemlist", ("qa", "itemlist"))
TASKMAKER = Component("taskmaker", ("qa", "taskmaker"))


def author(data: dict[str, Any], *, key: str, on_left: Callable[[], None]) -> Any:
    """The editor of one item. It reads and saves by itself (``/api/qa/item/{item}``, ``/api/qa/marks/{item}``), sends comments
    (``/api/qa/comments/{item}``) and begins the next of its subtask (``/api/qa/item/{item}/next``), so the page need not run.

    Args:
        data: ``item``, ``rev`` and ``state`` as the page knows them, ``declared``: what its subtask declares
            (`app.pages.qa_author`), ``title``, ``about`` and ``where`` in words, ``earlier`` and ``later``: the person's items beside it
            in their list (or None), ``pins``: comments pinned to its pictures (`app.pages.qa_talk.pins`), and ``more``: whether
            another of this subtask can be begun.
        key: the component's identity.
        on_left: called when the person leaves; `.left` is ``{home}`` or ``{item}``: where to.

    Returns:
        The component's result, empty: what the person did is told to the callbacks.
    """
    # after what it sends to review (`moved`) and after a comment (`said`) the page runs, to read what is new
    return _mount(AUTHOR)(key=key, data=data, on_left_change=on_left, on_moved_change=lambda: None, on_said_change=lambda: None)


def starter(data: dict[str, Any], *, key: str, on_begun: Callable[[], None]) -> Any:
    """Where an author begins: a subtask and a kept moment. It begins the item itself (``/api/qa/moments/{project}``).

    Args:
        data: ``project`` (its id, by which the browser asks for moments, a page at a time: `app.qa_moments_api`), ``subtasks`` (``{slug,
            name, arms, advice, target, accepted, under_way, left}``), ``first`` (the slug that is needed most, or empty), ``sources``
            (names to choose from), ``empty`` (what to do where there are no moments), ``blocked`` (why nothing can be begun, or empty),
            ``trial`` (whether quotas do not count), ``kept_back`` (why some are left out).
        key: the component's identity.
        on_begun: called in the run after it was begun; `.begun` is the item's id.
    """
    return _mount(STARTER)(key=key, data=data, on_begun_change=on_begun)


def itemlist(data: dict[str, Any], *, key: str, on_look: Callable[[], None], on_open: Callable[[], None]) -> Any:
    """Items in a list, which the browser fetches a page at a time (`app.qa_list_api`).

    Args:
        data: ``project``, ``whose`` (``mine`` or ``all``), ``page`` (how many at once), ``look`` (``words``, ``subtask``, ``state``,
            ``author``, ``sort``, ``shown``: what to begin with), ``subtasks``, ``states``, ``authors`` and ``people`` (to whom items can be
            given) as (value, words) pairs, ``moves`` (``{event, label, states}``: what can be done with several) and ``empty`` (said where
            there is no item).
        key: the component's identity.
        on_look: called in the run after filters changed; `.look` is as above.
        on_open: called in the run of a choice; `.open` is the item's id.
    """
    return _mount(ITEMLIST)(key=key, data=data, on_look_change=on_look, on_open_change=on_open)


def taskmaker(data: dict[str, Any], *, key: str) -> Any:
    """The editor of a task that somebody makes. It reads, saves and builds by itself (``/api/author/{draft}``).

    Args:
        data: ``draft`` and its ``rev`` as the page knows it, ``about`` (``name``, ``definition``, ``actions`` and ``rule`` in words),
            ``models`` (categories of things that can be shown), ``rooms``, ``lighting`` and ``forms`` to choose from.
        key: the component's identity.
    """
    return _mount(TASKMAKER)(key=key, data=data)
