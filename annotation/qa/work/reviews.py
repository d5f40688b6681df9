"""Reviews of robot questions: an answer while blind, then the right answer, then a verdict (`annotation.reviewing`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Item
from annotation.qa.work import comments as spoken
from annotation.qa.work.stored import Stored, get
from annotation.reviewing import claims, votes
from annotation.reviewing.errors import NotYours
from annotation.reviewing.kinds.robot_questions import ANSWER, FLAGGED, KIND, VERDICT
from annotation.reviewing.rows import Vote
from data.rows import Json
from data.store import Store


class Review(msgspec.Struct, frozen=True):
    """One person's review of an item."""

    review_id: str
    item_id: str
    version: int
    round: int
    reviewer: str
    state: str
    answer: str | None
    confidence: int | None
    reasons: Annotated[tuple[str, ...], Json]
    comment: str
    assigned_at: str
    answered_at: str | None
    decided_at: str | None
    skipped: str | None = None
    """Why the reviewer could not judge it."""

    @property
    def counts(self) -> bool:
        """Whether it ended with a verdict."""
        return self.state in KIND.ends


def next_review(store: Store, project_id: str, reviewer: str) -> tuple[Review, dict[str, Any]]:
    """The reviewer's unfinished review, or a new one: of the items that they neither wrote nor have seen the answer of, the one that lacks
    the fewest reviews, and of those the one that was sent in first.

    Returns:
        The review, and the item as it may be shown before the answer (`blind.blind`); after it, use `reveal`.

    Raises:
        NothingToReview: no item waits for this person.
    """
    claimed = claims.next_review(store, KIND, project_id, reviewer)
    return read(store, claimed.review_id), ANSWER.shows(store, claimed)


def waiting_for(store: Store, project_id: str, reviewer: str) -> int:
    """How many items could be given to this reviewer now; counted up to `claims.MOST`."""
    return claims.waiting_for(store, KIND, project_id, reviewer)


def starved(store: Store, project_id: str, people: Sequence[str]) -> list[str]:
    """Items in review that cannot get the reviews they need from these people: too many wrote them or have seen their answer."""
    return claims.starved(store, KIND, project_id, people)


def answer_review(store: Store, review_id: str, reviewer: str, answer: str, confidence: int | None = None) -> Item:
    """Give the answer; only then is the whole item, with its right answer, returned.

    Raises:
        BadTransition: answered before, or void.
        NotYours: somebody else's review.
        BadVote: no letter, or a confidence outside 0–100.
    """
    votes.give(store, KIND, review_id, reviewer, ANSWER.name, {ANSWER.name: Vote(answer, confidence)})
    return reveal(store, review_id, reviewer)


def reveal(store: Store, review_id: str, reviewer: str) -> Item:
    """The whole item of a review that has been answered.

    Raises:
        NotYours: not yet answered, or somebody else's.
    """
    item = votes.release(store, KIND, review_id, reviewer, VERDICT.name)
    assert isinstance(item, Item)
    return item


def heard(store: Store, review_id: str, reviewer: str) -> list[spoken.Comment]:
    """The comments that the reviewer of an answered review may read, oldest first: all but those of the others who review the same round,
    whose verdicts are to be independent of this one.

    Raises:
        NotYours: not yet answered, or somebody else's.
    """
    review = votes.own(store, KIND, review_id, reviewer)
    if review.stages < KIND.place(VERDICT.name):
        raise NotYours(KIND.early)
    beside = {other.reviewer for other in votes.reviews(store, KIND, review.subject) if other.round == review.round} - {reviewer}
    return [said for said in spoken.comments(store, review.subject) if said.author not in beside]


def words_needed(store: Store, review_id: str, reviewer: str) -> dict[str, str]:
    """Verdict → why it needs a comment, as a sentence; empty where it needs none. For an answered review.

    Raises:
        NotYours: not yet answered, or somebody else's.
    """
    review = votes.own(store, KIND, review_id, reviewer)
    if review.stages < KIND.place(VERDICT.name):
        raise NotYours(KIND.early)
    before, (axis,) = votes.votes_of(store, review_id), VERDICT.axes
    return {choice.vote: votes.needs_words(store, VERDICT, review, before, axis, choice.vote) for choice in axis.choices}


def decide(store: Store, review_id: str, reviewer: str, verdict: str, *, reasons: Sequence[str] = (), comment: str = "") -> Stored:
    """Find the item clean, or flag it. The K-th clean review accepts it; any flag sends it back.

    Args:
        store: the database.
        review_id: an answered review.
        reviewer: its reviewer.
        verdict: ``clean`` or ``flag``.
        reasons: for a flag, one or more of its reasons.
        comment: needed for a flag, for every trial item (it is the author's feedback), and where one answered otherwise and still finds
            the item clean.

    Raises:
        BadVote: no such verdict, or reason or comment missing.
        BadTransition: not answered yet, decided already, or void.
    """
    said = Vote(verdict, None, tuple(reasons), comment)
    return get(store, votes.give(store, KIND, review_id, reviewer, VERDICT.name, {VERDICT.name: said}).subject)


def skip(store: Store, review_id: str, reviewer: str, why: str) -> None:
    """Give an item back that one cannot judge: it goes to somebody else, and never again to this person. The lead sees the reason.

    Raises:
        BadVote: no reason, or too long a one.
        BadTransition: the review has ended.
        NotYours: somebody else's review.
    """
    votes.skip(store, KIND, review_id, reviewer, why)


def can_take_back(store: Store, review_id: str, reviewer: str) -> bool:
    """Whether `take_back` would do it."""
    return votes.taken_back_late(store, KIND, review_id, reviewer) is None


def take_back(store: Store, review_id: str, reviewer: str) -> None:
    """Take a verdict back, to give another: possible while the item is in the same round of review. Both stand in the events.

    Raises:
        TooLate: the item has moved on.
        NotYours: somebody else's review.
    """
    votes.take_back(store, KIND, review_id, reviewer)


def read(store: Store, review_id: str) -> Review:
    """One review.

    Raises:
        UnknownItem: there is none.
    """
    row = store.row("SELECT * FROM qa_reviews WHERE review_id = ?", Review, [review_id])
    if row is None:
        raise UnknownItem(f"There is no review {review_id[:60]!r} here.")
    return row


def reviews(store: Store, item_id: str) -> list[Review]:
    """All reviews of an item, oldest first; for leads, and for authors once a round is over."""
    return store.rows("SELECT * FROM qa_reviews WHERE item_id = ? ORDER BY assigned_at, seq", Review, [item_id])


def feedback(store: Store, item_id: str) -> list[Review]:
    """The decided reviews of an item, as its author may read them."""
    return [review for review in reviews(store, item_id) if review.counts]


def flagged_version(store: Store, item_id: str) -> int | None:
    """The newest version of an item that a reviewer sent back."""
    return max((review.version for review in feedback(store, item_id) if review.state == FLAGGED), default=None)
