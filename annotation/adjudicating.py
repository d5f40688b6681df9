"""The queue of what one person who took no part decides: disputed gold answers, and disputed reasons of a rejection.

Both are kinds of reviewed things with one slot and one stage; whoever decides sees neither who said what nor, of a gold, what anybody said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from annotation import disputes as golds
from annotation.reviewing import claims, drafts, things, votes
from annotation.reviewing.errors import BadVote, NothingToReview, NotYours, UnknownReview
from annotation.reviewing.kind import VOID, Axis, Kind
from annotation.reviewing.kinds import gold_disputes, reason_disputes, tasks
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import reasons, showing
from annotation.verifying.errors import Ended
from annotation.verifying.evidence import FirstView, Picture, Rest
from data.store import Store
from data.task import Task
from study import disputes, frozen
from study.trajectories import took_part

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (gold_disputes.KIND, reason_disputes.KIND)}
"""Name → kind, of everything that is adjudicated."""
ANY = "(" + ", ".join(f"'{name}'" for name in KINDS) + ")"
KEPT = "What you chose is kept as a draft."


class Shown(msgspec.Struct, frozen=True):
    """What whoever decides is shown."""

    about: str
    """What is to be found out, in a sentence or two."""
    first: FirstView
    """The question, and the start view where one is kept."""
    views: tuple[Picture, ...]
    """Further pictures of the task, in order, without what was done; empty where `rest` has them."""
    rest: Rest | None
    """Everything that a verifier sees; None: whoever decides may not see the answer."""
    axes: tuple[Axis, ...]
    """What is asked, with the choices and reasons of this very thing."""


@dataclass(frozen=True)
class Disagreement:
    """Disputed reasons in a lead's list."""

    task: Task
    axis: str
    given: tuple[str, ...]
    """What each person says against the task, as sentences; not who."""
    stands: str
    """Where it stands, as a sentence."""
    holds: str
    """What was found; empty: nothing yet."""


def next_one(store: Store, who: str, studies: Sequence[str], verifications: Sequence[str]) -> Review:
    """The unfinished adjudication of somebody, or the next: a disputed gold first, then disputed reasons.

    Args:
        store: the database.
        who: their staff id.
        studies: whose disputes they may judge.
        verifications: whose reasons they may judge.

    Raises:
        NothingToReview: nothing waits for them.
    """
    wanted = [(gold_disputes.KIND, scope) for scope in studies] + [(reason_disputes.KIND, scope) for scope in verifications]
    for study in studies:
        golds.take_in(store, study, actor="")
    for verification in verifications:
        take_in(store, verification, actor="")
    own = store.row(
        f"SELECT * FROM reviews WHERE kind IN {ANY} AND reviewer = ? AND decided_at IS NULL AND state <> '{VOID}' "
        "ORDER BY assigned_at LIMIT 1",
        Review, [who],
    )  # fmt: skip
    if own is not None and (own.kind, own.scope) in {(kind.name, scope) for kind, scope in wanted}:
        wanted.insert(0, (KINDS[own.kind], own.scope))
    told = []
    for kind, scope in wanted:
        try:
            review = claims.next_review(store, kind, scope, who)
        except NothingToReview as nothing:
            told.append(str(nothing))
            continue
        took_part(store, task_of(store, review).content_hash, who, gold_disputes.PART)
        return review
    raise NothingToReview(" ".join(dict.fromkeys(told)) or "Nothing waits to be adjudicated here.")


def take_in(store: Store, verification_id: str, *, actor: str) -> int:
    """Take the disagreements of a verification's rejections into the queue; returns how many are new."""
    new = [one.subject for one in reasons.found(store, verification_id, tasks.NAME) if not _known(store, one.subject)]
    if new:
        with store.atomic():
            for subject in new:
                if not _known(store, subject):
                    things.put(store, reason_disputes.KIND, subject, verification_id, "raised", actor=actor)
                    things.move(store, reason_disputes.KIND, subject, "submit", actor)
    return len(new)


def review_of(store: Store, review_id: str, who: str) -> Review:
    """An adjudication, for whoever has it.

    Raises:
        NotYours: it belongs to somebody else.
        UnknownReview: there is none.
    """
    found = store.row(f"SELECT * FROM reviews WHERE review_id = ? AND kind IN {ANY}", Review, [review_id])
    if found is None:
        raise UnknownReview(f"There is no review {review_id[:60]!r} here.")
    if found.reviewer != who:
        raise NotYours("This review belongs to somebody else.")
    return found


def study_of(store: Store, review: Review) -> str | None:
    """The study that an adjudication belongs to; None: it stands in none."""
    return KINDS[review.kind].settings(store, review.scope).study_id


def task_of(store: Store, review: Review) -> Task:
    """The task that it is about."""
    if review.kind == reason_disputes.NAME:
        return reasons.about(store, review.subject)
    return store.get_task(disputes.dispute_of(store, review.subject).task_hash)


def shown(store: Store, review: Review) -> Shown:
    """What an adjudication shows; of a disputed gold nothing that tells it."""
    kind, task = KINDS[review.kind], task_of(store, review)
    asked = kind.stages[0].asked(store, review)
    if review.kind == reason_disputes.NAME:
        given: reasons.Disputed = votes.release(store, kind, review.review_id, review.reviewer, asked.name)
        axis = replace(asked.axes[0], reasons={name: reason_disputes.REASONS[name] for name in given.reasons})
        place = _item(review)
        label = tasks.KIND.stage(tasks.REST).axis(given.axis).label.lower()
        about = f"{len(given.given)} people reject this task on {label}, each for other reasons. Which of the reasons hold?"
        return Shown(about, showing.first_view(store, place), (), showing.rest(store, place), (axis,))
    about = "Somebody doubts the answer of this task. Answer it yourself, from what you see or try, and say whether a defect of it shows."
    first = showing.first_view_of(store, task, review)
    further = views(store, task)
    return Shown(about, first, further[1:] if first.pictures and further[:1] == first.pictures else further, None, asked.axes)


def pictures(store: Store, review: Review, part: str) -> tuple[Picture, ...]:
    """The pictures of one part of what is shown, alone: ``first``, ``view``, or of disputed reasons a part of `showing.pictures`."""
    if review.kind == reason_disputes.NAME:
        return showing.pictures(store, _item(review), part)
    found = shown(store, review)
    return found.first.pictures if part == "first" else found.views if part == "view" else ()


def views(store: Store, task: Task) -> tuple[Picture, ...]:
    """The pictures of a task that are kept for everybody, in order: along its trajectory, else of a walk from the start, else the first
    view that somebody had. None of them says what was done."""
    for name in (frozen.GROUND_TRUTH, frozen.EVIDENCE, frozen.RANDOM_WALK):
        found = store.rows(
            "SELECT f.pixel_hash, f.width, f.height FROM frozen_views v JOIN frames f USING (pixel_hash) "
            "WHERE v.task_hash = ? AND v.name = ? ORDER BY v.n",
            Picture, [task.content_hash, name],
        )  # fmt: skip
        if found:
            return tuple(found)
    return tuple(
        store.rows(
            "SELECT f.pixel_hash, f.width, f.height FROM episodes e JOIN steps s ON s.episode_id = e.episode_id AND s.seq = 0 "
            "JOIN frames f USING (pixel_hash) WHERE e.task_hash = ? ORDER BY e.rowid LIMIT 1",
            Picture, [task.content_hash],
        )
    )  # fmt: skip


def judge(store: Store, review_id: str, who: str, said: Mapping[str, Vote]) -> Review:
    """Store what somebody finds.

    Raises:
        BadVote: something is missing, cannot be read, or is no reason that was named; nothing is stored.
        Ended: the review has ended meanwhile.
        BadTransition, NotYours, UnknownReview: as `annotation.reviewing.votes.give`.
    """
    with store.atomic():
        review = under_way(store, review_id, who)
        kind = KINDS[review.kind]
        if review.kind == reason_disputes.NAME:
            named = reasons.disputed(store, review.subject, tasks.NAME).reasons
            if other := sorted({name for one in said.values() for name in one.reasons} - set(named)):
                raise BadVote(f"The reasons in question are {', '.join(named)}; got {', '.join(other)}.")
        return votes.give(store, kind, review_id, who, kind.stages[0].name, said)


def judged_so(store: Store, review: Review, said: Mapping[str, Vote]) -> None:
    """Whether what stands for a decided review is this.

    Raises:
        BadVote: it cannot be read.
        Ended: it is something else, as from another window of the same person.
    """
    kind = KINDS[review.kind]
    if not votes.stand(store, kind, review, kind.stages[0].name, said):
        raise Ended(
            "You have judged this already, perhaps in another window; what you said there stands, and this was not stored. U takes it back "
            "as long as nothing is built upon it."
        )


def skip(store: Store, review_id: str, who: str, why: str) -> None:
    """Give it back for good: its place goes to somebody else.

    Raises:
        BadVote: no reason, or too long a one.
        Ended, NotYours, UnknownReview: as `judge`.
    """
    with store.atomic():
        if votes.is_skipped(review_of(store, review_id, who), why):
            return
        review = under_way(store, review_id, who)
        votes.skip(store, KINDS[review.kind], review_id, who, why)


def last_judged(store: Store, who: str) -> Review | None:
    """The newest adjudication of somebody that can be taken back: nothing was built upon it yet; None: there is none."""
    last = store.row(
        f"SELECT * FROM reviews WHERE kind IN {ANY} AND reviewer = ? AND decided_at IS NOT NULL "
        "ORDER BY decided_at DESC, rowid DESC LIMIT 1",
        Review, [who],
    )  # fmt: skip
    return last if last is not None and votes.taken_back_late(store, KINDS[last.kind], last.review_id, who) is None else None


def undo(store: Store, review_id: str, who: str) -> Review:
    """Take an adjudication back, so that it is asked again.

    Raises:
        TooLate: something was built upon it, such as a new gold.
        NotYours, UnknownReview: as `judge`.
    """
    with store.atomic():
        review = review_of(store, review_id, who)
        return votes.take_back(store, KINDS[review.kind], review_id, who)


def save_draft(store: Store, review_id: str, who: str, document: str) -> bool:
    """Keep what somebody has chosen and not yet sent.

    Returns:
        Whether it is kept: a draft that arrives after its verdict has been stored is not.

    Raises:
        BadVote: it is too long.
        NotYours, UnknownReview: as `judge`.
    """
    with store.atomic():
        review = review_of(store, review_id, who)
        if review.decided_at is None:
            drafts.save(store, review, document)
        return review.decided_at is None


def draft_of(store: Store, review_id: str, who: str) -> str | None:
    """The newest draft of somebody on the thing of a review; None: there is none."""
    return drafts.newest(store, review_of(store, review_id, who))


def under_way(store: Store, review_id: str, who: str) -> Review:
    """A review that can still be decided.

    Raises:
        Ended: it has ended.
        NotYours, UnknownReview: as `judge`.
    """
    review = review_of(store, review_id, who)
    if review.state != VOID:
        return review
    if review.skipped is not None:
        raise Ended(f"You said that you cannot judge this; somebody else has it now. {KEPT}")
    minutes = KINDS[review.kind].settings(store, review.scope).hold_minutes
    raise Ended(f"This was held for you for {minutes} minutes; then its place was free for somebody else. {KEPT} Go on with the next.")


def disagreements(store: Store, verification_id: str) -> list[Disagreement]:
    """The rejections of a verification whose people name different reasons, and where each stands; nothing is written."""
    named = reason_disputes.REASONS
    told = []
    for one in reasons.found(store, verification_id, tasks.NAME):
        state = things.get(store, reason_disputes.KIND, one.subject).state if _known(store, one.subject) else "raised"
        given = tuple(" ".join(named[name] for name in names) for names in one.given)
        words = reason_disputes.KIND.words[state]
        found = what_holds(store, one.item, one.axis, one.round)
        told.append(Disagreement(reasons.about(store, one.subject), one.axis, given, words.told or words.label, found))
    return told


def what_holds(store: Store, item: str, axis: str, round_: int) -> str:
    """What somebody who took no part found of disputed reasons, as a sentence; empty: nothing is disputed there, or not decided."""
    subject = f"{item}/{axis}/{round_}"
    if not _known(store, subject):
        return ""
    thing = things.get(store, reason_disputes.KIND, subject)
    decision = votes.outcome(store, reason_disputes.KIND, subject, thing.round) if thing.state == "resolved" else None
    return "" if decision is None else decision.why


def _item(review: Review) -> Review:
    """A review of disputed reasons as one of the task under verification."""
    return msgspec.structs.replace(review, subject=review.subject.partition("/")[0])


def _known(store: Store, subject: str) -> bool:
    return store.one("SELECT 1 AS yes FROM reviewed WHERE kind = ? AND subject = ?", [reason_disputes.NAME, subject]) is not None
