"""What each stage of a verification shows, and what its votes mean for a task."""

from __future__ import annotations

import random

import msgspec

from annotation.reviewing.kind import Choice, Settings
from annotation.reviewing.rows import Review
from annotation.verifying import verifications
from annotation.verifying.evidence import FirstView, Rest
from data.store import Store
from data.task import Task
from study import disputes

EVERYBODY = 1_000_000
"""Slots of what is open for everybody."""
EXCLUDED = (
    "SELECT 1 FROM paused_people p WHERE p.verification_id = t.scope AND p.staff_id = {person} "
    "UNION ALL SELECT 1 FROM verification_items i JOIN task_people m ON m.task_hash = i.task_hash "
    "WHERE i.subject = t.subject AND m.staff_id = {person} AND m.part <> 'verified'"
)
"""SQL: who may not verify the thing ``t``: the paused, and whoever wrote, recorded or settled its task."""


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


def right_answers(store: Store, subject: str) -> frozenset[str]:
    """Those of the first stage's answers to this thing that are right."""
    task = task_of(store, subject)
    said = store.query(
        "SELECT DISTINCT v.vote FROM reviews r JOIN review_votes v USING (review_id) WHERE r.subject = ? AND v.axis = 'answer'", [subject]
    )
    return frozenset(row["vote"] for row in said if disputes.is_gold(task, row["vote"]))


def first_view(store: Store, review: Review) -> FirstView:
    """What is shown before the first vote."""
    raise NotImplementedError


def rest(store: Store, review: Review) -> Rest:
    """What is released after it."""
    raise NotImplementedError


def _shuffled(options: tuple[str, ...], review: Review) -> list[str]:
    order = list(options)
    random.Random(review.review_id).shuffle(order)
    return order
