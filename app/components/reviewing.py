"""Components of those who judge robot questions and moments: `look`, `judge`, `sifter`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.components import Component, _mount

LOOK = Component("look", ("qa", "canvas", "look"))
JUDGE = Component("judge", ("qa", "confidence", "judge"), ("page", "answer"))
SIFTER = Component("sifter", ("qa", "sifter"))


def look(
    item: str,
    *,
    views: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    kinds: Sequence[str],
    colours: Sequence[str],
    key: str,
    pins: list[dict[str, Any]] | None = None,
    review: str = "",
) -> Any:
    """The drawing component to look at only, close together: the colours' names stand at the marks, so there is no list of them.

    Args:
        item: the item's id.
        views: as `app.components.canvas`.
        marks: all there are.
        kinds: what may have been drawn.
        colours: the colours in use.
        key: the component's identity.
        pins: comments pinned to the pictures (`app.pages.qa_talk.pins`); None: none are shown and none can be made.
        review: the answered review in which a reviewer pins comments; empty: whoever makes the item, or leads, does.

    Returns:
        The component's result, empty: it sends comments itself (``/api/qa/comments/{item}``), and the page runs after each.
    """
    data = {"item": item, "views": views, "marks": marks, "kinds": list(kinds), "colours": list(colours), "readonly": True, "help": None}
    return _mount(LOOK)(key=key, data=data | {"pins": pins, "review": review}, on_said_change=lambda: None)


def judge(data: dict[str, Any], *, key: str, on_moved: Callable[[], None]) -> Any:
    """A reviewer's answer to one item and, when it is stored, their verdict. It sends both itself (``/api/qa/review/{review}``).

    Args:
        data: ``phase`` (``answer``, ``decide``, or ``nothing``: there is no item now), ``undo`` (words on the way back to the ``last``
            one, or empty) and ``over`` (codes of refusals after which the page is to say where things stand). Where there is an item also
            ``review``, ``question`` and ``options`` (``{letter, text, image, width, height}``) and ``reason`` (characters of a reason for
            skipping). While deciding also ``answer``, ``confidence``, ``saved`` (ISO
            time), ``gold``, ``hard``, ``provenance`` (letter → words), ``choices`` (``{vote, label, key, explained}``: what the verdict
            can be; one of them is explained by reasons), ``ask`` (said where none is chosen), ``reasons`` (key, words), ``needed``
            (verdict → why a comment is needed, or empty) and ``longest`` (characters of a comment).
        key: the component's identity; one for all reviews, so that the focus stays.
        on_moved: called in the run after something was stored, or was over; `.moved` is ``{did, review}``, `did` being ``answer``,
            ``decide``, ``skip`` or ``undo``. Whether it was done is for the database to say.
    """
    return _mount(JUDGE)(key=key, data=data, on_moved_change=on_moved)


def sifter(data: dict[str, Any], *, key: str, on_moved: Callable[[], None]) -> Any:
    """One moment at a time: its pictures side by side, its figures, and whether it is kept. It sends that itself
    (``/api/qa/moment/{moment}``).

    Args:
        data: ``moment``, ``title``, ``views`` (``{name, url, width, height, facts: [{label, value, bad}]}``), ``facts`` of it all,
            ``reasons`` to drop it (key, words),
            ``next`` (addresses to load ahead), ``last`` (the moment decided last, or empty), ``undo`` (words on the way back to it).
        key: the component's identity.
        on_moved: called in the run after it was stored; `.moved` is ``{did, moment}``, `did` being ``decide`` or ``undo``.
    """
    return _mount(SIFTER)(key=key, data=data, on_moved_change=on_moved)
