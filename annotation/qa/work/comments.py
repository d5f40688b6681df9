"""Words between the people who work on an item, about all of it or pinned to a place in its pictures. They only grow."""

from __future__ import annotations

import msgspec

from annotation.qa.errors import QaError
from annotation.qa.items import VIEW_WORDS, Item
from annotation.qa.parts.marks import WORDS
from annotation.qa.work.stored import get, version_of
from annotation.reviewing.votes import MAX_COMMENT
from data.rows import columns
from data.store import Store, new_id, now

MAX_TEXT = MAX_COMMENT
"""Longest comment, characters."""


class Pin(msgspec.Struct, frozen=True):
    """The place that a comment is about."""

    view: str
    """View of the item."""
    x: float
    """Pixels of the original image, from its left edge; of a mark: where it stood when the comment was made."""
    y: float
    """The same, from its upper edge."""
    mark: str | None = None
    """Id of the mark to which it is pinned and which it follows; None: a point of the view."""


class Comment(msgspec.Struct, frozen=True):
    """What somebody said about an item."""

    comment_id: str
    item_id: str
    version: int
    """The version that was current then."""
    author: str
    text: str
    at: str
    view: str | None = None
    """As in `Pin`; None: it is about the whole item."""
    mark: str | None = None
    x: float | None = None
    y: float | None = None


def comment(store: Store, item_id: str, author: str, text: str, pin: Pin | None = None) -> str:
    """Say something about an item; returns the comment's id. Reviewers read comments only after they have answered: the app sees to it.

    A pin to a mark that the item does not have (any more) is kept as one to the point. What somebody pins to one place twice in the same
    words is kept once: they sent it again because the reply got lost.

    Raises:
        QaError: nothing is said, or too much, or the pin lies in none of its views.
        UnknownItem: there is no such item.
    """
    if not text.strip() or len(text) > MAX_TEXT:
        raise QaError(f"A comment has 1 to {MAX_TEXT} characters, got {len(text.strip())}.")
    with store.atomic():
        said = Comment(new_id("co"), item_id, version_of(store, item_id), author, text, now())
        if pin is not None:
            item = get(store, item_id).item
            image = item.view(pin.view)
            if image is None or not (0 <= pin.x <= image.width and 0 <= pin.y <= image.height):
                raise QaError("The place that the comment is pinned to lies in no picture of this item. Choose it anew.")
            known = pin.mark if any(mark.id == pin.mark and mark.view == pin.view for mark in item.marks) else None
            said = msgspec.structs.replace(said, view=pin.view, mark=known, x=pin.x, y=pin.y)
            if again := next((one for one in comments(store, item_id) if _same(one, said)), None):
                return again.comment_id
        store.insert("qa_comments", columns(said))
    return said.comment_id


def _same(one: Comment, other: Comment) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in ("author", "text", "view", "mark", "x", "y"))


def comments(store: Store, item_id: str) -> list[Comment]:
    """The comments on an item, oldest first."""
    return store.rows("SELECT * FROM qa_comments WHERE item_id = ? ORDER BY at, rowid", Comment, [item_id])


def pin_numbers(found: list[Comment]) -> dict[str, int]:
    """Comment → the number of its pin, of all comments on an item; pins keep their numbers, for comments only grow."""
    return {said.comment_id: number for number, said in enumerate((said for said in found if said.view is not None), start=1)}


def place_in_words(item: Item, said: Comment) -> str:
    """What a comment is pinned to: ``red box, head view``; empty where it is about the whole item."""
    if said.view is None:
        return ""
    where = VIEW_WORDS.get(said.view, said.view)
    if said.mark is None:
        return f"a place, {where}"
    mark = next((mark for mark in item.marks if mark.id == said.mark), None)
    return f"its mark is deleted, {where}" if mark is None else f"{mark.colour} {WORDS[mark.kind]}, {VIEW_WORDS.get(mark.view, mark.view)}"
