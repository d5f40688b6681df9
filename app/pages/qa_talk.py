"""What people say about an item, on the pages of authors, reviewers and leads: the thread, and comments pinned to its pictures."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from annotation.qa.items import Item
from annotation.qa.work import pool
from annotation.qa.work.pool import MAX_TEXT, Comment
from app.pages import qa_parts, said
from app.pages.parts import sheet, when
from data.store import Store

SAID = "qa-talk"
"""Where it is said why a comment was not kept."""


@dataclass(frozen=True)
class Talk:
    """Comments as one reader is shown them."""

    item: Item
    found: list[Comment]
    """Those that the reader may read, oldest first."""
    numbers: dict[str, int]
    """Comment → number of its pin; the same for everybody."""
    names: dict[str, str]
    """Author → what the reader calls them."""


def reviewers(store: Store, item_id: str) -> set[str]:
    """Who reviewed an item: authors are not told their names."""
    return {review.reviewer for review in pool.reviews(store, item_id)}


def open_talk(
    store: Store, item: Item, *, hidden: Set[str] = frozenset(), found: list[Comment] | None = None, me: str | None = None
) -> Talk:  # fmt: skip
    """The comments on an item for one reader.

    Args:
        store: the database.
        item: the item.
        hidden: people whose names the reader is not told.
        found: the comments that the reader may read; None: all of them.
        me: a reader who is told nobody's name, such as a reviewer; None: names are told.
    """
    every = pool.comments(store, item.item_id)
    heard = every if found is None else found
    people = {said.author for said in heard}
    if me is None:
        names = qa_parts.names(store, people - hidden) | dict.fromkeys(people & hidden, "A reviewer")
    else:
        author = pool.get(store, item.item_id).author
        names = {who: "You" if who == me else "Its author" if who == author else "Somebody else" for who in people}
    return Talk(item, heard, pool.pin_numbers(every), names)


def pins(talk: Talk) -> list[dict[str, Any]]:
    """The pinned comments as the drawing component takes them (`pins.js`)."""
    return [
        {"number": talk.numbers[said.comment_id], "view": said.view, "mark": said.mark, "x": said.x, "y": said.y,
         "who": talk.names[said.author], "text": said.text}
        for said in talk.found
        if said.view is not None
    ]  # fmt: skip


def thread(talk: Talk) -> None:
    """The comments one below the other; those with a pin carry its number and what it is about."""
    if not talk.found:
        st.caption("Nobody has said anything. Reviewers read comments after they have answered.")
    for one in talk.found:
        where = pool.place_in_words(talk.item, one)
        number = f"<b class='pinnumber'>{talk.numbers[one.comment_id]}</b> " if where else ""
        about = f" · {where}" if where else ""
        st.html(
            f"<div class='qa'>{number}<span class='muted'>{escape(talk.names[one.author])}, {when(one.at)}, "
            f"version {one.version}{escape(about)}</span><p style='white-space:pre-line'>{escape(one.text)}</p></div>"
        )


def form(say: Callable[[str], Any], item_id: str) -> None:
    """Where one says something about the whole item."""
    paper = sheet(f"say-{item_id}")
    with st.form(paper.key, border=False):
        text = st.text_area("Say something about this item", max_chars=MAX_TEXT, height=80, key=f"{paper.key}-text")
        st.caption("About a mark or a place: press Comment (J) at the pictures, then the mark or the place.")
        if st.form_submit_button("Add the comment"):

            def add() -> None:
                say(text)
                paper.used()

            if said.twice(SAID) or qa_parts.guarded(add, SAID, item_id, deed=SAID):
                st.rerun()
        said.show(SAID, item_id)
