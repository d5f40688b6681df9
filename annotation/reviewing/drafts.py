"""What a reviewer has chosen and not sent yet, kept beside the review. It is no vote."""

from __future__ import annotations

import msgspec

from annotation.reviewing.errors import BadVote
from annotation.reviewing.rows import Review
from data.store import Store, now

MAX_DRAFT = 20_000
"""Longest draft, characters."""


class _Draft(msgspec.Struct, frozen=True):
    document: str


def save(store: Store, review: Review, document: str) -> None:
    """Keep a draft in place of the one before; whoever calls has seen to it that it is the reviewer's.

    Raises:
        BadVote: it is too long.
    """
    if len(document) > MAX_DRAFT:
        raise BadVote(f"A draft has at most {MAX_DRAFT} characters, got {len(document)}. Shorten your note.")
    with store.atomic() as db:
        db.execute(
            "INSERT INTO review_drafts (review_id, document, saved_at) VALUES (?, ?, ?) "
            "ON CONFLICT (review_id) DO UPDATE SET document = excluded.document, saved_at = excluded.saved_at",
            [review.review_id, document, now()],
        )


def newest(store: Store, review: Review) -> str | None:
    """The newest draft of its reviewer on its thing, also from an earlier review of theirs that ended; None: there is none."""
    found = store.row(
        "SELECT d.document FROM reviews r JOIN review_drafts d USING (review_id) WHERE r.kind = ? AND r.subject = ? AND r.reviewer = ? "
        "ORDER BY (r.review_id = ?) DESC, d.saved_at DESC LIMIT 1",
        _Draft, [review.kind, review.subject, review.reviewer, review.review_id],
    )  # fmt: skip
    return None if found is None else found.document
