"""What each stage of a verification shows, and what its votes mean for a task."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec

from annotation.reviewing.kind import Choice, Settings
from annotation.reviewing.rows import Review
from annotation.verifying import checklist, flags, verifications
from annotation.verifying.evidence import Evidence, FirstView, Picture, Rest
from data import subcategories
from data.fidelity import fidelity
from data.store import Store, TaskNotFound
from data.task import Task
from study import disputes, frozen
from study.words import answer_in_words

NOT_MADE = "The evidence of this task is not made yet."
"""Said where nobody has tried to make it."""

EVERYBODY = 1_000_000
"""Slots of what is open for everybody."""
GIVEN = "given"
"""The part of somebody who was given a task to verify and has seen its first view: they are never its participant (measurement 16)."""
VERIFIED = "verified"
"""The part of somebody who was shown its answer, as a verifier: they are not given it again, in this verification or another."""
EXCLUDED = (
    "SELECT 1 FROM paused_people p WHERE p.verification_id = t.scope AND p.staff_id = {person} "
    f"UNION ALL SELECT 1 FROM verification_items i JOIN task_people m ON m.task_hash = i.task_hash AND m.part <> '{GIVEN}' "
    "WHERE i.subject = t.subject AND m.staff_id = {person} "
    # CROSS JOIN: from the person, since a task may have thousands of slots
    "UNION ALL SELECT 1 FROM grants g CROSS JOIN grants h ON h.session_id = g.session_id "
    "CROSS JOIN slots l ON l.participant_id = h.participant_id "
    "JOIN verification_items i ON i.task_hash = l.task_hash AND i.subject = t.subject WHERE g.staff_id = {person} "
    "UNION ALL SELECT 1 FROM grants g JOIN grants h ON h.session_id = g.session_id AND h.role = 'participant' "
    "JOIN verifications w ON w.study_id = h.study_id WHERE g.staff_id = {person} AND w.verification_id = t.scope "
    "AND NOT coalesce(w.document ->> '$.allow_own_study', 0)"
)
"""SQL: who may not verify the thing ``t``: the paused; whoever wrote, recorded, settled or has verified its task, also elsewhere; who met
it as a participant; and participants of the study whose tasks these are."""


class Item(msgspec.Struct, frozen=True):
    """A row of `verification_items`."""

    subject: str
    verification_id: str
    task_hash: str
    part: str
    """``task``, ``control`` or ``training``."""
    expected: str
    explains: str
    follows: str | None


class _Document(msgspec.Struct, frozen=True):
    document: str


def item_of(store: Store, subject: str) -> Item:
    """The reviewed thing of this id; it exists wherever a review names it."""
    found = store.row("SELECT * FROM verification_items WHERE subject = ?", Item, [subject])
    assert found is not None, f"no verification item {subject!r}"
    return found


def task_of(store: Store, subject: str) -> Task:
    """Its task."""
    return store.get_task(item_of(store, subject).task_hash)


def settings(store: Store, scope: str, *, everybody: bool = False) -> Settings:
    """Slots and times of a verification."""
    found = verifications.get(store, scope)
    protocol = found.protocol
    return Settings(EVERYBODY if everybody else protocol.slots, found.study_id, protocol.hold_minutes)


def offers(store: Store, review: Review) -> tuple[Choice, ...]:
    """The options among which the first stage's answer is, in this reviewer's order."""
    question = task_of(store, review.subject).question
    if question.form not in ("choice", "yes_no", "count") or not question.options:
        return ()
    return tuple(Choice(option, option) for option in _shuffled(question.options, review))


def reads(store: Store, review: Review, written: str) -> str | None:
    """A written answer in the question's words; None: it cannot be read."""
    return disputes.read(task_of(store, review.subject), written)


def right_answers(store: Store, subject: str, kinds: Mapping[str, str]) -> frozenset[str]:
    """Those of the first stage's answers to this thing that are right; `kinds`: part of a verification → name of the kind of its things."""
    task = task_of(store, subject)
    said = store.query(
        "SELECT DISTINCT v.vote FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = ? AND r.subject = ? "
        "AND v.axis = 'answer'",
        [kinds[item_of(store, subject).part], subject],
    )
    return frozenset(row["vote"] for row in said if disputes.is_gold(task, row["vote"]))


def first_view(store: Store, review: Review) -> FirstView:
    """What is shown before the first vote."""
    return first_view_of(store, task_of(store, review.subject), review)


def first_view_of(store: Store, task: Task, review: Review) -> FirstView:
    """What a participant sees of a task at its start, in the order of options that this review has."""
    question = task.question
    chosen = question.form in ("choice", "yes_no", "count")
    return FirstView(
        question=question.text,
        note=question.note,
        form=question.form,
        options=tuple(_shuffled(question.options, review)) if chosen else tuple(sorted(question.options)),
        blanks=tuple(tuple(sorted(blank)) for blank in question.blanks),
        blank_names=question.blank_names,
        targets=tuple(sorted(question.targets)),
        pictures=start_pictures(store, task),
    )


def start_pictures(store: Store, task: Task) -> tuple[Picture, ...]:
    """The kept start view of a task; empty: none is kept."""
    for name in (frozen.EVIDENCE, frozen.GROUND_TRUTH, frozen.RANDOM_WALK):
        if found := _picture(store, task.content_hash, name):
            return (found,)
    return ()


def rest(store: Store, review: Review) -> Rest:
    """What is released after it."""
    task = task_of(store, review.subject)
    found = evidence_of(store, task.content_hash)
    told = found is not None and bool(found.moments)
    twin = _twin(store, task)
    declared, how = subcategories.BY_KEY.get((task.category, task.subcategory)), fidelity(task)
    return Rest(
        answers=tuple(answer_in_words(answer) for answer in task.gold.accepted),
        derivation=task.gold.derivation,
        evidence=found if told else None,
        why_none="" if told else NOT_MADE if found is None else " ".join(found.notes),
        checklist=checklist.filled(task, found),
        flags=flags.of_task(store, task.content_hash),
        twin=None if twin is None else first_view_of(store, twin, review),
        twin_answers=() if twin is None else tuple(answer_in_words(answer) for answer in twin.gold.accepted),
        definition=declared.definition if declared else "",
        budget=task.budget,
        can_take_over=told,
        fidelity="" if how is None else how.sentence,
    )


def pictures(store: Store, review: Review, part: str) -> tuple[Picture, ...]:
    """The pictures of one part alone (``first``, ``moment`` or ``twin``; of another none), as `first_view` and `rest` have them, since a
    trajectory has thirty and each is asked for. Whoever calls sees to it that they are released."""
    if part == "moment":
        found = evidence_of(store, item_of(store, review.subject).task_hash)
        return () if found is None else tuple(moment.picture for moment in found.moments)
    task = task_of(store, review.subject)
    shown = task if part == "first" else _twin(store, task) if part == "twin" else None
    return () if shown is None else start_pictures(store, shown)


def evidence_of(store: Store, task_hash: str) -> Evidence | None:
    """What was made of a task; without moments: it was tried, and its notes say why there is nothing. None: not tried yet."""
    row = store.row("SELECT document FROM task_evidence WHERE task_hash = ?", _Document, [task_hash])
    return None if row is None else msgspec.json.decode(row.document, type=Evidence)


def _picture(store: Store, task_hash: str, name: str) -> Picture | None:
    return store.row(
        "SELECT f.pixel_hash, f.width, f.height FROM frozen_views v JOIN frames f USING (pixel_hash) "
        "WHERE v.task_hash = ? AND v.name = ? AND v.n = 0",
        Picture, [task_hash, name],
    )  # fmt: skip


def _twin(store: Store, task: Task) -> Task | None:
    if task.twin is None:
        return None
    try:
        return store.find_task(task.twin)
    except TaskNotFound:
        return None


def _shuffled(options: tuple[str, ...], review: Review) -> list[str]:
    order = list(options)
    random.Random(review.review_id).shuffle(order)
    return order
