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
    on_said: Callable[[], None] | None = None,
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
        on_said: called in the run in which somebody pinned a comment; `.said` is ``{view, mark, x, y, text}``.
    """
    data = {"item": item, "views": views, "marks": marks, "kinds": list(kinds), "colours": list(colours), "readonly": True, "help": None}
    return _mount(LOOK)(key=key, data=data | {"pins": pins}, on_said_change=on_said or (lambda: None))


def judge(
    data: dict[str, Any],
    *,
    key: str,
    on_answer: Callable[[], None],
    on_decide: Callable[[], None],
    on_skip: Callable[[], None],
    on_undo: Callable[[], None],
) -> Any:
    """A reviewer's answer to one item and, when it is stored, their verdict.

    Args:
        data: ``review``, ``phase`` (``answer`` or ``decide``), ``n`` (changes with every refusal), ``said`` (the server's refusal),
            ``question`` and ``options`` (``{letter, text, image, width, height}``), ``undo`` (words on the way back to the ``last`` one,
            or empty) and ``reason`` (characters of a reason for skipping). While deciding also ``answer``, ``confidence``, ``saved`` (ISO
            time), ``gold``, ``hard``, ``provenance`` (letter → words), ``choices`` (``{vote, label, key, explained}``: what the verdict
            can be; one of them is explained by reasons), ``ask`` (said where none is chosen), ``reasons`` (key, words), ``needed``
            (verdict → why a comment is needed, or empty) and ``longest`` (characters of a comment).
        key: the component's identity; one for all reviews, so that the focus stays.
        on_answer: called in the run in which the person answered; the value is `.answer`: ``{review, answer, confidence}``.
        on_decide: the same for `.decide`: ``{review, verdict, reasons, comment}``.
        on_skip: the same for `.skip`: ``{review, why}``.
        on_undo: the same for `.undo`: the review whose verdict is taken back.
    """
    return _mount(JUDGE)(
        key=key, data=data, on_answer_change=on_answer, on_decide_change=on_decide, on_skip_change=on_skip, on_undo_change=on_undo
    )


def sifter(data: dict[str, Any], *, key: str, on_decide: Callable[[], None], on_undo: Callable[[], None]) -> Any:
    """One moment at a time: its pictures side by side, its figures, and whether it is kept.

    Args:
        data: ``moment``, ``title``, ``views`` (``{name, url, width, height, facts: [{label, value, bad}]}``), ``facts`` of it all,
            ``reasons`` to drop it (key, words),
            ``next`` (addresses to load ahead), ``said``, ``n``, ``undo`` (words, or empty).
        key: the component's identity.
        on_decide: called in the run of a decision; `.decide` is ``{moment, verdict, reason, note}``.
        on_undo: called in the run in which the last decision is taken back; `.undo` is the moment's id.
    """
    return _mount(SIFTER)(key=key, data=data, on_decide_change=on_decide, on_undo_change=on_undo)
