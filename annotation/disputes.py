"""The queue of disputed gold answers: take disputes in, judge them, settle them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotation.reviewing import claims, things, votes
from annotation.reviewing.kinds.gold_disputes import CANNOT_TELL, KIND, SETTLED
from annotation.reviewing.rows import Review, Vote
from data.store import Store
from data.task import Answer, Task
from study import disputes
from study.disputes import Dispute
from study.trajectories import took_part


class Line(msgspec.Struct, frozen=True):
    """One dispute in a researcher's list."""

    dispute: Dispute
    task_id: str
    state: str
    told: str
    """What its state means, as a sentence."""


class _Staff(msgspec.Struct, frozen=True):
    staff_id: str


class Finding(msgspec.Struct, frozen=True):
    """What somebody found of a disputed gold."""

    who: str
    """Their staff id."""
    answer: str | None
    """In the question's words; None: it cannot be told."""
    confidence: int | None
    """0–100."""
    defects: tuple[str, ...]
    """As sentences; empty: none shows."""
    comment: str


def take_in(store: Store, study_id: str, *, actor: str) -> list[Dispute]:
    """Take the disputes that the study's rule finds into the queue; returns the new ones.

    Raises:
        UnknownStudy: there is none.
    """
    doubted = disputes.by_rule(store, study_id)
    if not doubted:
        return []
    with store.atomic():
        found = disputes.keep_by_rule(store, study_id, doubted)
        for dispute in found:
            _queue(store, dispute, actor)
    return found


def raise_one(store: Store, study_id: str, task_hash: str, why: str, *, actor: str) -> Dispute:
    """Dispute a gold by hand; see `study.disputes.raise_one`."""
    with store.atomic():
        dispute = disputes.raise_one(store, study_id, task_hash, why, actor=actor)
        _queue(store, dispute, actor)
    return dispute


def next_dispute(store: Store, study_id: str, judge: str) -> Review:
    """The judge's unfinished dispute, or the next one.

    Raises:
        NothingToReview: nothing waits for this person.
    """
    take_in(store, study_id, actor="")
    return claims.next_review(store, KIND, study_id, judge)


def judge(store: Store, review_id: str, who: str, answer: Vote, finding: Vote) -> Review:
    """Keep what a judge finds.

    Raises:
        BadVote, BadTransition, NotYours, UnknownReview: as `annotation.reviewing.votes.give`.
    """
    return votes.give(store, KIND, review_id, who, KIND.stages[0].name, {"answer": answer, "finding": finding})


def settle(store: Store, subject: str, accepted: Sequence[Answer], *, why: str, actor: str) -> Task:
    """Give a task whose gold does not hold its new one; see `study.disputes.settle`.

    Raises:
        BadDispute: as there.
        BadTransition: it was not judged that the gold does not hold.
    """
    with store.atomic():
        things.move(store, KIND, subject, "settle", actor, why=why)
        new = disputes.settle(store, subject, accepted, why=why, actor=actor)
        # an actor may be the command line
        if store.row("SELECT staff_id FROM staff WHERE staff_id = ?", _Staff, [actor]) is not None:
            for content_hash in (new.content_hash, new.supersedes or ""):
                took_part(store, content_hash, actor, SETTLED)
        return new


def again(store: Store, subject: str, why: str, *, actor: str) -> None:
    """Have a dispute judged once more, by somebody who has not seen it. What was found before stays.

    Raises:
        BadDispute: no reason is given.
        BadTransition: it is not judged yet, or settled.
    """
    if not why.strip():
        raise disputes.BadDispute("Say why it is to be judged again.")
    things.move(store, KIND, subject, "again", actor, why=why.strip())


def found(store: Store, subject: str) -> Finding | None:
    """What was found of a dispute in its last round; None: nothing yet."""
    thing = things.get(store, KIND, subject)
    done = [one for one in votes.reviews(store, KIND, subject) if one.round == thing.round and one.decided_at is not None]
    if not done:
        return None
    said = votes.votes_of(store, done[-1].review_id)
    defect = said["finding"]
    reasons = KIND.stages[0].axis("finding").reasons
    answer = None if said["answer"].vote == CANNOT_TELL else said["answer"].vote
    return Finding(done[-1].reviewer, answer, said["answer"].confidence, tuple(reasons[name] for name in defect.reasons), defect.comment)


def listed(store: Store, study_id: str) -> list[Line]:
    """All disputes of a study, oldest first."""
    rows = store.rows("SELECT * FROM disputes WHERE study_id = ? ORDER BY raised_at, subject", Dispute, [study_id])
    found = []
    for dispute in rows:
        state = things.get(store, KIND, dispute.subject).state
        words = KIND.words[state]
        found.append(Line(dispute, store.get_task(dispute.task_hash).task_id, state, words.told or words.label))
    return found


def _queue(store: Store, dispute: Dispute, actor: str) -> None:
    things.put(store, KIND, dispute.subject, dispute.study_id, "raised", actor=actor)
    things.move(store, KIND, dispute.subject, "submit", actor)
