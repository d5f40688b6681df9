"""Rows of reviewing as the database keeps them (`data.rows`)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from data.rows import Json


class Thing(msgspec.Struct, frozen=True):
    """Where a reviewed thing stands."""

    subject: str
    """Its id."""
    scope: str
    """The project or study that it belongs to."""
    state: str
    version: int
    round: int
    """Rounds of review so far; the current one, while it is in review."""
    live: int
    """Reviews of the current round that are not void: under way or decided."""
    needed: int
    """Reviews that a round of it has: its slots."""


class Review(msgspec.Struct, frozen=True):
    """One person's review in one round."""

    review_id: str
    kind: str
    scope: str
    subject: str
    version: int
    round: int
    slot: int | None
    """Its place in the round, from 1; None once it is void."""
    reviewer: str
    state: str
    stages: int
    """Stages that are stored. From 1 on the reviewer knows what the first of them released."""
    assigned_at: str
    moved_at: str
    """When the reviewer last did something: the time from which it is held."""
    decided_at: str | None
    skipped: str | None = None
    """Why the reviewer could not judge it, in their words; such a review is void."""


class Vote(msgspec.Struct, frozen=True):
    """What one reviewer said on one axis."""

    vote: str
    confidence: int | None = None
    """0–100: the probability that the vote is right; None: not given."""
    reasons: Annotated[tuple[str, ...], Json] = ()
    comment: str = ""


class StoredVote(msgspec.Struct, frozen=True):
    """A vote with its place."""

    review_id: str
    stage: str
    axis: str
    vote: str
    confidence: int | None
    reasons: Annotated[tuple[str, ...], Json]
    comment: str
    at: str

    @property
    def said(self) -> Vote:
        """The vote alone."""
        return Vote(self.vote, self.confidence, self.reasons, self.comment)
