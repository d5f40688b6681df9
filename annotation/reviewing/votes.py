"""What reviewers say, stage by stage: each stage is stored before the server releases what the next one shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from annotation.reviewing import things
from annotation.reviewing.errors import BadVote, NotYours, TooLate, UnknownReview
from annotation.reviewing.kind import VOID, Axis, Choice, Kind, Stage
from annotation.reviewing.rows import Review, StoredVote, Vote
from annotation.reviewing.verdicts import Decision, Round, Votes
from data.store import Store, dumps, now
from study.states import after


class _Count(msgspec.Struct, frozen=True):
    n: int


MAX_REASON = 400
"""Longest reason for skipping, characters."""
MAX_COMMENT = 4000
"""Longest comment, characters."""


def release(store: Store, kind: Kind, review_id: str, reviewer: str, stage: str) -> Any:
    """What a stage shows, for the reviewer who has stored all stages before it.

    Raises:
        NotYours: not yet, or somebody else's review.
        UnknownReview: there is none.
    """
    review = own(store, kind, review_id, reviewer)
    if review.stages < kind.place(stage):
        raise NotYours(kind.early)
    return kind.stage(stage).shows(store, review)


def give(store: Store, kind: Kind, review_id: str, reviewer: str, stage: str, votes: Votes, *, guide: str = "") -> Review:
    """Store one stage of a review. The last stage completes it, and the kind's rule decides whether the round is over.

    Args:
        store: the database.
        kind: its kind.
        review_id: the review.
        reviewer: its reviewer.
        stage: which stage.
        votes: axis → vote, for every axis of the stage.
        guide: the version of the guide that lay open, where the kind has one (table ``guides``).

    Raises:
        BadVote: an axis, a reason or words are missing, or a value is of the wrong form; nothing is stored.
        BadTransition: not this stage's turn, or the review has ended.
        NotYours: somebody else's review.
        UnknownReview: there is none.
    """
    asked = kind.stage(stage).asked(store, own(store, kind, review_id, reviewer))
    votes = _read(store, kind, asked, review_id, votes)
    _check_form(asked, votes)
    with store.atomic() as db:
        review = own(store, kind, review_id, reviewer)
        event = asked.event or votes[asked.axes[0].name].vote
        state, at = after(kind.review, review.state, event), now()
        before = votes_of(store, review_id)
        for axis in asked.axes:
            _check_words(axis, votes[axis.name], needs_words(store, asked, review, before, axis, votes[axis.name].vote))
        for axis in asked.axes:
            said = votes[axis.name]
            store.insert(
                "review_votes",
                {"review_id": review_id, "stage": stage, "axis": axis.name, "vote": said.vote, "confidence": said.confidence}
                | {"reasons": dumps(list(said.reasons)), "comment": said.comment, "at": at, "guide": guide},
            )
        ended = state in kind.ends
        db.execute(
            "UPDATE reviews SET state = ?, stages = stages + 1, moved_at = ?, decided_at = ? WHERE review_id = ?",
            [state, at, at if ended else None, review_id],
        )
        told = {"stage": stage, "votes": {name: msgspec.to_builtins(said) for name, said in votes.items()}}
        things.tell_review(store, kind, review, "decided" if ended else "answered", told, actor=reviewer, at=at)
        if ended:
            _decide(store, kind, review, reviewer, at)
    return get(store, kind, review_id)


def stand(store: Store, kind: Kind, review: Review, stage: str, said: Votes) -> bool:
    """Whether these are the votes that are stored for a stage: whoever sends them again has lost a reply, not another verdict.

    Raises:
        BadVote: one of them cannot be read.
    """
    stored = votes_of(store, review.review_id)
    read = _read(store, kind, kind.stage(stage).asked(store, review), review.review_id, said)
    return all(axis in stored and _meant(stored[axis]) == _meant(vote) for axis, vote in read.items())


def _meant(vote: Vote) -> tuple[str, int | None, frozenset[str], str]:
    return vote.vote, vote.confidence, frozenset(vote.reasons), vote.comment.strip()


def skip(store: Store, kind: Kind, review_id: str, reviewer: str, why: str) -> None:
    """End a review that its reviewer cannot do: its slot is free for somebody else, and they are not given the thing again.

    Args:
        store: the database.
        kind: its kind.
        review_id: the review.
        reviewer: its reviewer.
        why: the reason, for leads.

    Raises:
        BadVote: no reason is given, or one longer than `MAX_REASON`.
        BadTransition: the review has ended.
        NotYours: somebody else's review.
        UnknownReview: there is none.
    """
    said = why.strip()
    if not said or len(said) > MAX_REASON:
        raise BadVote(f"Say in a few words why you cannot judge it (1 to {MAX_REASON} characters, got {len(said)}).")
    with store.atomic() as db:
        review = own(store, kind, review_id, reviewer)
        if is_skipped(review, why):
            return
        things.void(store, kind, review, f"skipped: {said}")
        db.execute("UPDATE reviews SET skipped = ? WHERE review_id = ?", [said, review_id])
        things.tell_review(store, kind, review, "skipped", {"why": said}, actor=reviewer)


def is_skipped(review: Review, why: str) -> bool:
    """Whether it was skipped for this reason: it is asked for again, because the reply got lost."""
    return review.skipped == why.strip()


def take_back(store: Store, kind: Kind, review_id: str, reviewer: str) -> Review:
    """Take the last stage of a completed review back, so that it is asked again. The votes that were given stand in the events.

    Raises:
        TooLate: the thing is no longer in this round of review (nor does its kind reopen it), or the review is not complete.
        NotYours: somebody else's review.
        UnknownReview: there is none.
    """
    with store.atomic() as db:
        review = own(store, kind, review_id, reviewer)
        if is_taken_back(store, kind, review):
            return review
        if (why := taken_back_late(store, kind, review_id, reviewer)) is not None:
            raise TooLate(why)
        if things.get(store, kind, review.subject).state != kind.waiting:
            things.move(store, kind, review.subject, kind.reopens, reviewer)
        last, at = kind.stages[-1], now()
        db.execute("DELETE FROM review_votes WHERE review_id = ? AND stage = ?", [review_id, last.name])
        db.execute(
            "UPDATE reviews SET state = ?, stages = stages - 1, moved_at = ?, decided_at = NULL WHERE review_id = ?",
            [kind.before_last, at, review_id],
        )
        things.tell_review(store, kind, review, "taken_back", {"stage": last.name}, actor=reviewer, at=at)
    return get(store, kind, review_id)


def is_taken_back(store: Store, kind: Kind, review: Review) -> bool:
    """Whether the last thing that was done with a review is that its verdict was taken back: then it is asked for again, because
    the reply got lost."""
    last = store.one(
        "SELECT kind FROM events WHERE subject = ? AND data ->> '$.review' = ? ORDER BY seq DESC LIMIT 1",
        [review.subject, review.review_id],
    )
    return last is not None and last["kind"] == f"{kind.review_told}_taken_back"


def taken_back_late(store: Store, kind: Kind, review_id: str, reviewer: str) -> str | None:
    """Why a verdict cannot be taken back, as a sentence; None: it can.

    Raises:
        NotYours, UnknownReview: as `take_back`.
    """
    review = own(store, kind, review_id, reviewer)
    thing = things.get(store, kind, review.subject)
    if review.state not in kind.ends:
        return "There is no verdict of yours to take back."
    reopened = bool(kind.reopens) and kind.reopens in kind.states[thing.state]
    if (thing.state != kind.waiting and not reopened) or thing.round != review.round:
        label = kind.words[thing.state].label.lower()
        return f"Your verdict cannot be taken back: with it the {kind.noun} has moved on and is {label} now."
    return None


def _decide(store: Store, kind: Kind, review: Review, reviewer: str, at: str) -> None:
    thing = things.get(store, kind, review.subject)
    decision = kind.rule(Round(thing.needed, completed(store, kind, review.subject, review.round), kind.facts(store, thing)))
    if decision is not None:
        told = {"axes": dict(decision.axes), "contested": decision.contested} if decision.axes else {}
        things.move(store, kind, review.subject, decision.event, reviewer, why=decision.why, at=at, told=told)


def outcome(store: Store, kind: Kind, subject: str, round_: int) -> Decision | None:
    """What the rule says of a round now; for audits, and for reading an old round."""
    thing = things.get(store, kind, subject)
    return kind.rule(Round(thing.needed, completed(store, kind, subject, round_), kind.facts(store, thing)))


def completed(store: Store, kind: Kind, subject: str, round_: int) -> tuple[Votes, ...]:
    """The votes of a round's completed reviews, oldest first."""
    rows = store.rows(
        "SELECT v.* FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = ? AND r.subject = ? AND r.round = ? "
        "AND r.decided_at IS NOT NULL ORDER BY r.decided_at, r.rowid",
        StoredVote, [kind.name, subject, round_],
    )  # fmt: skip
    found: dict[str, dict[str, Vote]] = {}
    for row in rows:
        found.setdefault(row.review_id, {})[row.axis] = row.said
    return tuple(found.values())


def needs_words(store: Store, stage: Stage, review: Review, before: Votes, axis: Axis, vote: str) -> str:
    """Why a vote needs a comment, as a sentence; empty: it needs none. The page asks this too, so that it says the same as the refusal."""
    return (choice.comment if (choice := axis.choices_by_vote.get(vote)) else "") or stage.comment(store, review, before, vote)


def get(store: Store, kind: Kind, review_id: str) -> Review:
    """A review.

    Raises:
        UnknownReview: there is none.
    """
    found = store.row("SELECT * FROM reviews WHERE review_id = ? AND kind = ?", Review, [review_id, kind.name])
    if found is None:
        raise UnknownReview(f"There is no review {review_id[:60]!r} here.")
    return found


def own(store: Store, kind: Kind, review_id: str, reviewer: str) -> Review:
    """A review, for its reviewer.

    Raises:
        NotYours: it belongs to somebody else.
        UnknownReview: there is none.
    """
    review = get(store, kind, review_id)
    if review.reviewer != reviewer:
        raise NotYours("This review belongs to somebody else.")
    return review


def reviews(store: Store, kind: Kind, subject: str) -> list[Review]:
    """All reviews of a thing, oldest first."""
    return store.rows("SELECT * FROM reviews WHERE kind = ? AND subject = ? ORDER BY assigned_at, rowid", Review, [kind.name, subject])


def completed_by(store: Store, kind: Kind, scope: str, reviewer: str) -> int:
    """How many reviews of a project or study somebody has completed."""
    row = store.row(
        "SELECT count(*) AS n FROM reviews WHERE kind = ? AND reviewer = ? AND scope = ? AND decided_at IS NOT NULL",
        _Count, [kind.name, reviewer, scope],
    )  # fmt: skip
    return row.n if row else 0


def open_version(store: Store, kind: Kind, subject: str, reviewer: str) -> tuple[int, str] | None:
    """The version of a thing that somebody has under review now, and its scope; None where there is no such review."""
    row = store.row(
        "SELECT * FROM reviews WHERE kind = ? AND subject = ? AND reviewer = ? AND decided_at IS NULL AND state <> ?",
        Review, [kind.name, subject, reviewer, VOID],
    )  # fmt: skip
    return None if row is None else (row.version, row.scope)


def votes_of(store: Store, review_id: str) -> Mapping[str, Vote]:
    """Axis → vote of one review, as far as it is stored."""
    rows = store.rows("SELECT * FROM review_votes WHERE review_id = ? ORDER BY at, rowid", StoredVote, [review_id])
    return {row.axis: row.said for row in rows}


def _read(store: Store, kind: Kind, stage: Stage, review_id: str, votes: Votes) -> Votes:
    """The votes, with those that are written in words read as their axis reads them."""
    review, found = get(store, kind, review_id), dict(votes)
    for axis in stage.axes:
        said = votes.get(axis.name)
        if axis.reads is not None and said is not None and said.vote not in {choice.vote for choice in axis.choices}:
            value = axis.reads(store, review, said.vote)
            if value is None:
                raise BadVote(f"{axis.label} cannot be read: {axis.ask} Got {said.vote[:80]!r}.")
            found[axis.name] = msgspec.structs.replace(said, vote=value)
    return found


def _check_form(stage: Stage, votes: Votes) -> None:
    if set(votes) != {axis.name for axis in stage.axes}:
        asked = ", ".join(axis.name for axis in stage.axes)
        raise BadVote(f"The stage {stage.name!r} asks for {asked}; got {', '.join(votes) or 'nothing'}.")
    for axis in stage.axes:
        said = votes[axis.name]
        if axis.reads is None and said.vote not in {choice.vote for choice in axis.choices}:
            raise BadVote(f"{axis.label} is one of {', '.join(choice.vote for choice in axis.choices)}, got {said.vote!r}.")
        sure = said.confidence
        if sure is not None and not axis.confidence:
            raise BadVote(f"{axis.label} takes no confidence, got {sure!r}.")
        if sure is not None and not (isinstance(sure, int) and not isinstance(sure, bool) and 0 <= sure <= 100):
            raise BadVote(f"Confidence is a whole number from 0 to 100, got {sure!r}.")
        if len(said.comment) > MAX_COMMENT:
            raise BadVote(f"A comment has at most {MAX_COMMENT} characters, got {len(said.comment)}.")


def _check_words(axis: Axis, said: Vote, needed: str) -> None:
    choice = axis.choices_by_vote.get(said.vote) or Choice(said.vote, said.vote)
    unknown = [reason for reason in said.reasons if reason not in axis.reasons]
    if unknown or (choice.explained and axis.reasons and not said.reasons):
        raise BadVote(f"“{choice.label}” gives one or more reasons of {', '.join(axis.reasons)}; got {', '.join(unknown) or 'none'}.")
    if said.reasons and not choice.explained:
        raise BadVote(f"“{choice.label}” has no reasons against it: choose another vote, or leave them out.")
    if needed and not said.comment.strip():
        raise BadVote(needed)
