"""What somebody has verified so far, and how long it took them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotation import adjudicating
from annotation.reviewing import things, votes
from annotation.reviewing.kind import VOID
from annotation.reviewing.kinds.tasks import ANY_KIND, KIND, TRAINING, kind_of
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import queue
from annotation.verifying.showing import task_of
from data.store import Store

LONGEST_MINUTES = 20.0
"""So much of one task counts as work at most: whoever takes longer was elsewhere."""


class Past(msgspec.Struct, frozen=True):
    """One thing that somebody has judged, or said that they cannot."""

    review_id: str
    question: str
    exercise: bool
    assigned_at: str
    decided_at: str | None
    votes: Mapping[str, Vote]
    skipped: str | None
    """Why they could not judge it; None: they did."""
    outcome: str
    """What became of the task, once it is closed; empty: not told, or not yet."""
    yours: Mapping[str, bool] = msgspec.field(default_factory=dict)
    """Axis → whether their votes pass it; empty as long as nothing is told."""
    right: Mapping[str, bool] = msgspec.field(default_factory=dict)
    """Axis → whether the majority passes it, or it is known to pass; empty as long as nothing is told."""
    held: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Axis → which reasons hold by somebody who took no part, where people named different ones."""


class _Hours(msgspec.Struct, frozen=True):
    hours: float


def history(store: Store, verification_id: str, who: str, *, limit: int = 200) -> list[Past]:
    """What somebody has judged, newest first. Whether a thing was a hidden control is not told."""
    found = store.rows(
        f"SELECT * FROM reviews WHERE kind IN {ANY_KIND} AND reviewer = ? AND scope = ? "
        "AND (decided_at IS NOT NULL OR skipped IS NOT NULL) "
        "ORDER BY moved_at DESC, rowid DESC LIMIT ?",
        Review, [who, verification_id, limit],
    )  # fmt: skip
    return [_past(store, review) for review in found]


def hours(store: Store, verification_id: str, who: str) -> float:
    """Hours that somebody worked on a verification: from each thing's being given to what they last stored on it, `LONGEST_MINUTES` at
    most."""
    row = store.row(
        "SELECT coalesce(sum(min((julianday(coalesce(decided_at, moved_at)) - julianday(assigned_at)) * 24.0, ?)), 0.0) AS hours "
        f"FROM reviews WHERE kind IN {ANY_KIND} AND reviewer = ? AND scope = ? AND (state <> '{VOID}' OR stages > 0)",
        _Hours, [LONGEST_MINUTES / 60, who, verification_id],
    )  # fmt: skip
    return row.hours if row else 0.0


def _past(store: Store, review: Review) -> Past:
    """One entry. A task that is verified again is open: nothing of it is told until that is over."""
    closed = review.kind == TRAINING or things.get(store, kind_of(review), review.subject).state != KIND.waiting
    told = queue.feedback(store, review.review_id, review.reviewer) if closed else None
    outcome, held = "", {}
    if told is not None and not told.exercise:
        decision = votes.outcome(store, KIND, review.subject, review.round)
        outcome = "" if decision is None else KIND.words[KIND.states[KIND.waiting][decision.event]].label
        held = {axis: why for axis in told.right if (why := adjudicating.what_holds(store, review.subject, axis, review.round))}
    return Past(
        review_id=review.review_id,
        question=task_of(store, review.subject).question.text,
        exercise=review.kind == TRAINING,
        assigned_at=review.assigned_at,
        decided_at=review.decided_at,
        votes=votes.votes_of(store, review.review_id),
        skipped=review.skipped,
        outcome=outcome,
        yours=told.yours if told else {},
        right=told.right if told else {},
        held=held,
    )
