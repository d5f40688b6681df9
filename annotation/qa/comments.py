"""Words between the people who work on an item. They only grow."""

from __future__ import annotations

import msgspec

from annotation.qa.errors import QaError
from annotation.qa.stored import version_of
from annotation.reviewing.votes import MAX_COMMENT
from data.rows import columns
from data.store import Store, new_id, now

MAX_TEXT = MAX_COMMENT
"""Longest comment, characters."""


class Comment(msgspec.Struct, frozen=True):
    """What somebody said about an item."""

    comment_id: str
    item_id: str
    version: int
    """The version that was current then."""
    author: str
    text: str
    at: str


def comment(store: Store, item_id: str, author: str, text: str) -> str:
    """Say something about an item; returns the comment's id. Reviewers read comments only after they have answered: the app sees to it.

    Raises:
        QaError: nothing is said, or too much.
        UnknownItem: there is no such item.
    """
    if not text.strip() or len(text) > MAX_TEXT:
        raise QaError(f"A comment has 1 to {MAX_TEXT} characters, got {len(text.strip())}.")
    with store.atomic():
        said = Comment(new_id("co"), item_id, version_of(store, item_id), author, text, now())
        store.insert("qa_comments", columns(said))
    return said.comment_id


def comments(store: Store, item_id: str) -> list[Comment]:
    """The comments on an item, oldest first."""
    return store.rows("SELECT * FROM qa_comments WHERE item_id = ? ORDER BY at, rowid", Comment, [item_id])
