"""What a verifier does: get the next task, look, judge, give up, take back; drafts and feedback on the way.

Exercises come first. Among the tasks stand hidden controls, one at a place of its own in every stretch of tasks whose length follows from
the protocol's share, so that nobody can tell which they are.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Annotated

import msgspec

from annotation.reviewing import claims, drafts, things, votes
from annotation.reviewing.errors import NothingToReview, NotYours, TooLate, UnknownReview
from annotation.reviewing.kind import VOID, Kind
from annotation.reviewing.kinds.tasks import (
    ANY_KIND,
    CONTROL,
    CONTROL_KIND,
    EVERY_KIND,
    FIRST,
    KIND,
    PASSES,
    REST,
    TRAINING,
    TRAINING_KIND,
    facts,
    kind_of,
)
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import guides, items, pausing, verifications
from annotation.verifying.errors import Closed, Edited, Ended, Expired, Paused
from annotation.verifying.evidence import FirstView, Rest
from annotation.verifying.showing import GIVEN, VERIFIED, item_of
from annotation.verifying.verifications import Verification
from data.rows import Json
from data.store import Store
from study.access import same_people
from study.trajectories import took_part

KEPT = "What you chose is kept as a draft."


class _Expected(msgspec.Struct, frozen=True):
    expected: Annotated[dict[str, str], Json]
    explains: str


class _Count(msgspec.Struct, frozen=True):
    n: int


class Feedback(msgspec.Struct, frozen=True):
    """What somebody is told of a judgement of theirs, once nothing can be changed by it."""

    yours: dict[str, bool]
    """Axis → whether their votes pass it."""
    right: dict[str, bool]
    """Axis → whether it passes: as it is known of an exercise, as the majority has it of a task."""
    explains: str
    """Why, for an exercise; empty: nothing is written."""
    exercise: bool

    @property
    def agrees(self) -> bool:
        """Whether they are told the same on every axis."""
        return all(self.yours[axis] == passes for axis, passes in self.right.items())


def next_item(store: Store, verification_id: str, who: str) -> Review:
    """The unfinished review of somebody, or the next: an exercise, a task, or a hidden control.

    Raises:
        UnknownVerification: there is none.
        Closed: it is closed.
        Paused: they get nothing for now.
        NothingToReview: nothing waits for them.
    """
    verification = verifications.get(store, verification_id)
    if verification.state != "open":
        raise Closed(f"The verification {verification.name!r} is closed. Thank you for your work.")
    if pausing.is_paused(store, verification_id, who):
        raise Paused("You are paused in this verification, so nothing is given to you for now. Whoever leads it can say why.")
    for kind in EVERY_KIND:
        claims.give_back(store, kind, verification_id)
    for review in pausing.open_reviews(store, verification_id, who):
        if review.kind != KIND.name or items.renew(store, review.subject, actor=who) is None:
            return _given(store, review)
    return _given(store, _exercise(store, verification, who) or _control(store, verification, who) or _task(store, verification, who))


def waits(store: Store, verification: Verification, who: str) -> bool:
    """Whether somebody has a task under way here or could be given one now; nothing is given."""
    which = verification.verification_id
    if verification.state != "open" or pausing.is_paused(store, which, who):
        return False
    return bool(pausing.open_reviews(store, which, who)) or claims.waiting_for(store, KIND, which, who, most=1) > 0


def release(store: Store, review: Review, who: str) -> FirstView | Rest:
    """What the review shows now: the first view, or, once the first stage is stored, everything.

    Raises:
        NotYours: somebody else's review.
    """
    if review.reviewer != who:
        raise NotYours("This review belongs to somebody else.")
    found = review_of(store, review.review_id, who)
    shown: FirstView | Rest = votes.release(store, kind_of(found), found.review_id, who, REST if found.stages else FIRST)
    return shown


def first_view(store: Store, review: Review, who: str) -> FirstView:
    """What its first stage showed, also afterwards."""
    found: FirstView = votes.release(store, kind_of(review), review.review_id, who, FIRST)
    return found


def look(store: Store, review_id: str, who: str, told: str, answer: str, confidence: int | None) -> Review:
    """Store what the first view tells somebody.

    Args:
        store: the database.
        review_id: the review.
        who: its reviewer.
        told: ``yes`` or ``no``: whether the first view tells it.
        answer: their answer in the question's form, or `annotation.reviewing.kinds.tasks.CANNOT_TELL`.
        confidence: 0–100; None: not given.

    Raises:
        BadVote: something is missing or cannot be read; nothing was stored.
        Expired, Edited, Paused: the review has ended; a draft that was saved is kept.
        BadTransition, NotYours, UnknownReview: as `annotation.reviewing.votes.give`.
    """
    with store.atomic():
        review = _under_way(store, review_id, who)
        given = {"told": Vote(told), "answer": Vote(answer, confidence)}
        after = votes.give(store, kind_of(review), review_id, who, FIRST, given, guide=guides.keep(store).guide)
        took_part(store, item_of(store, review.subject).task_hash, who, VERIFIED)
    return after


def judge(store: Store, review_id: str, who: str, said: Mapping[str, Vote]) -> Review:
    """Store somebody's verdict on the three axes.

    Raises:
        BadVote, Expired, Edited, Paused, BadTransition, NotYours, UnknownReview: as `look`.
    """
    with store.atomic():
        review = _under_way(store, review_id, who)
        return votes.give(store, kind_of(review), review_id, who, REST, said, guide=guides.keep(store).guide)


def judged_so(store: Store, review: Review, said: Mapping[str, Vote]) -> None:
    """Whether the verdict that stands for a judged review is this one.

    Raises:
        Ended: it is another one, as from another window of the same person.
    """
    if not votes.stand(store, kind_of(review), review, REST, said):
        raise Ended(
            "You have judged this task already, perhaps in another window; that verdict stands, and this one was not stored. U takes it "
            "back until the task is decided."
        )


def cannot_judge(store: Store, review_id: str, who: str, why: str) -> None:
    """Give a task back for good: its place goes to somebody else.

    Raises:
        BadVote: no reason, or too long a one.
        Expired, Edited, Paused, NotYours, UnknownReview: as `look`.
    """
    with store.atomic():
        if votes.is_skipped(review_of(store, review_id, who), why):
            return
        review = _under_way(store, review_id, who)
        votes.skip(store, kind_of(review), review_id, who, why)


def undo(store: Store, review_id: str, who: str) -> Review:
    """Take the last verdict back, so that it is asked again.

    Raises:
        TooLate: the task is decided, or it was an exercise, which is explained by now.
        Closed: the verification is closed.
        NotYours, UnknownReview: as `look`.
    """
    with store.atomic():
        review = review_of(store, review_id, who)
        if votes.is_taken_back(store, kind_of(review), review):
            return review  # sent again, because its reply got lost
        if review.kind == TRAINING:
            raise TooLate("This exercise has been explained to you, so its verdict stays. It counts in no table.")
        if verifications.get(store, review.scope).state != "open":
            raise Closed("This verification is closed: your verdict stays.")
        if any(other.stages for other in pausing.open_reviews(store, review.scope, who)):
            raise TooLate("Finish the task that is open, or take this one back before you begin the next.")
        return votes.take_back(store, kind_of(review), review_id, who)


def last_judged(store: Store, verification_id: str, who: str) -> Review | None:
    """The newest verdict of somebody; None: there is none."""
    return store.row(
        f"SELECT * FROM reviews WHERE kind IN {ANY_KIND} AND reviewer = ? AND scope = ? AND decided_at IS NOT NULL "
        "ORDER BY decided_at DESC, rowid DESC LIMIT 1",
        Review, [who, verification_id],
    )  # fmt: skip


def save_draft(store: Store, review_id: str, who: str, document: str, *, first: bool = False) -> bool:
    """Keep what somebody has chosen and not yet sent. It is no vote.

    Args:
        store: the database.
        review_id: the review.
        who: its reviewer.
        document: what is chosen.
        first: whether it is about the first view alone.

    Returns:
        Whether it is kept: a draft that arrives after what it became has been stored is not.

    Raises:
        BadVote: it is too long.
        NotYours, UnknownReview: as `look`.
    """
    with store.atomic():
        review = review_of(store, review_id, who)
        late = review.decided_at is not None or (first and bool(review.stages))
        if not late:
            drafts.save(store, review, document)
        return not late


def draft_of(store: Store, review_id: str, who: str) -> str | None:
    """The newest draft of somebody on the thing of a review, also from an earlier review of theirs that ended; None: there is none.

    Raises:
        NotYours, UnknownReview: as `look`.
    """
    return drafts.newest(store, review_of(store, review_id, who))


def feedback(store: Store, review_id: str, who: str) -> Feedback | None:
    """How somebody's judgement stands beside what is known; None: it is not told, or not yet.

    Of an exercise it is told at once, of a task once everybody's votes are in, and of a control never, so that it stays one.

    Raises:
        NotYours, UnknownReview: as `look`.
    """
    review = review_of(store, review_id, who)
    if review.decided_at is None or review.kind == CONTROL:
        return None
    if review.kind == TRAINING:
        known = expected(store, review.subject)
        right, explains = {axis: verdict == "pass" for axis, verdict in known.expected.items()}, known.explains
    else:
        decision = votes.outcome(store, KIND, review.subject, review.round)
        if decision is None:
            return None
        right, explains = dict(decision.axes), ""
    return Feedback(passed(store, review), right, explains, review.kind == TRAINING)


def passed(store: Store, review: Review) -> dict[str, bool]:
    """Axis → whether the votes of a completed review pass it."""
    kind = kind_of(review)
    known, said = facts(store, things.get(store, kind, review.subject)), votes.votes_of(store, review.review_id)
    return {axis: passes(said, known) for axis, passes in PASSES.items()}


def expected(store: Store, subject: str) -> _Expected:
    """The known verdict of a control or an exercise: axis → ``pass`` or ``fail``, and why."""
    found = store.row("SELECT expected, explains FROM verification_items WHERE subject = ?", _Expected, [subject])
    assert found is not None, f"no verification item {subject!r}"
    return found


def review_of(store: Store, review_id: str, who: str) -> Review:
    """A review of a task, control or exercise, for its reviewer.

    Raises:
        NotYours: it belongs to somebody else.
        UnknownReview: there is none.
    """
    found = store.row(f"SELECT * FROM reviews WHERE review_id = ? AND kind IN {ANY_KIND}", Review, [review_id])
    if found is None:
        raise UnknownReview(f"There is no review {review_id[:60]!r} here.")
    if found.reviewer != who:
        raise NotYours("This review belongs to somebody else.")
    return found


def _given(store: Store, review: Review) -> Review:
    """Note that its reviewer has it; nothing is written where that is noted already."""
    task_hash = item_of(store, review.subject).task_hash
    of = [task_hash, review.reviewer, GIVEN]
    if store.one("SELECT 1 FROM task_people WHERE task_hash = ? AND staff_id = ? AND part = ?", of) is None:
        took_part(store, task_hash, review.reviewer, GIVEN)
    return review


def _exercise(store: Store, verification: Verification, who: str) -> Review | None:
    """The next exercise, while there are any that this person has to do."""
    wanted = verification.protocol.training
    if not wanted or votes.completed_by(store, TRAINING_KIND, verification.verification_id, who) >= wanted:
        return None
    return _next(store, TRAINING_KIND, verification.verification_id, who)


def _control(store: Store, verification: Verification, who: str) -> Review | None:
    """A hidden control, where one stands at this place of this person's tasks and a task would otherwise come."""
    share, scope = verification.protocol.control_share, verification.verification_id
    so_far = store.row(
        f"SELECT count(*) AS n FROM reviews WHERE kind IN (?, ?) AND reviewer = ? AND scope = ? AND state <> '{VOID}'",
        _Count, [KIND.name, CONTROL, who, scope],
    )  # fmt: skip
    if (
        so_far is None
        or not control_stands_at(so_far.n, share, f"{scope} {who}")
        or not claims.waiting_for(store, KIND, scope, who, most=1)
    ):
        return None
    return _next(store, CONTROL_KIND, scope, who)


def control_stands_at(place: int, share: float, seed: str) -> bool:
    """Whether the thing at this place (from 0) of somebody's tasks is a control: one in every stretch of 1 / `share`, at a drawn place."""
    if share <= 0:
        return False
    stretch = math.floor(place * share)
    first, last = math.ceil(stretch / share), math.ceil((stretch + 1) / share) - 1
    return place == random.Random(f"{seed} {stretch}").randint(first, last)


def _task(store: Store, verification: Verification, who: str) -> Review:
    while True:
        review = claims.next_review(store, KIND, verification.verification_id, who)
        if items.renew(store, review.subject, actor=who) is None:
            return review


def _next(store: Store, kind: Kind, scope: str, who: str) -> Review | None:
    try:
        return claims.next_review(store, kind, scope, who)
    except NothingToReview:
        return None


def _under_way(store: Store, review_id: str, who: str) -> Review:
    """A review that can still be voted on.

    Raises:
        Expired, Edited, Paused, Ended: it has ended.
        NotYours, UnknownReview: as `review_of`.
    """
    review = review_of(store, review_id, who)
    if review.state != VOID and review.kind == KIND.name and items.newer_version(store, item_of(store, review.subject).task_hash):
        # it is renewed when the next task is given out: a refusal stores nothing
        raise Edited(f"This task was edited while you had it: its new version is verified instead. {KEPT}")
    if review.state != VOID:
        if _known_elsewhere(store, review):
            raise Ended(f"You have judged this task already, here or in another verification. {KEPT}")
        return review
    if review.skipped is not None:
        raise Ended(f"You said that you cannot judge this task; somebody else has it now. {KEPT}")
    if pausing.is_paused(store, review.scope, who):
        raise Paused(f"You were paused in this verification, and this task was given back. {KEPT}")
    if verifications.get(store, review.scope).state != "open":
        raise Closed(f"The verification was closed, and this task was given back. {KEPT}")
    if things.get(store, kind_of(review), review.subject).state == "replaced":
        raise Edited(f"This task was edited while you had it: its new version is verified instead. {KEPT}")
    minutes = verifications.get(store, review.scope).protocol.hold_minutes
    raise Expired(
        f"This task was held for you for {minutes} minutes; then its place was free for somebody else. {KEPT} Go on with the next."
    )


def _known_elsewhere(store: Store, review: Review) -> bool:
    """Whether its reviewer has judged the same task as another thing, under this name or one that the same browser held."""
    found = store.one(
        "SELECT 1 FROM verification_items i JOIN verification_items o ON o.task_hash = i.task_hash AND o.subject <> i.subject "
        f"JOIN reviews r ON r.kind IN {ANY_KIND} AND r.subject = o.subject AND r.stages > 0 "
        "WHERE i.subject = ? AND r.reviewer IN (SELECT value FROM json_each(?))",
        [review.subject, msgspec.json.encode(same_people(store, review.reviewer)).decode()],
    )
    return found is not None
