"""Decided tasks, page by page: how each axis went, and what people said against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from annotation.reviewing.kinds.tasks import AXES, KIND, REST
from annotation.verifying.cast import Cast, casts, majority
from data.rows import Json
from data.store import Store, dumps

PAGE = 20
"""Tasks on one page."""
REASONS: Mapping[str, Mapping[str, str]] = {axis.name: axis.reasons for axis in KIND.stage(REST).axes}
"""Axis → reason → its sentence."""


class Against(msgspec.Struct, frozen=True):
    """What one person said against a task on one axis."""

    reviewer: str
    axis: str
    reasons: tuple[str, ...]
    """Names of the axis's reasons; empty: non-triviality that failed because the first view told them."""
    comment: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its reasons as sentences."""
        return tuple(REASONS[self.axis][reason] for reason in self.reasons) or ("The first view told them, and they were right.",)


class Decided(msgspec.Struct, frozen=True):
    """A task whose round is over."""

    subject: str
    task_id: str
    category: str
    subcategory: str
    question: str
    state: str
    round: int
    verdicts: int
    passes: dict[str, int]
    """Axis → how many verdicts pass it."""
    failed: tuple[str, ...]
    """Axes that did not pass by the majority."""
    against: tuple[Against, ...]
    why: str
    """Why a further look was asked for; empty: it was not."""


class _Found(msgspec.Struct, frozen=True):
    subject: str
    task_id: str
    category: str
    subcategory: str
    question: str
    state: str
    round: int


class _Failed(msgspec.Struct, frozen=True):
    review_id: str
    axis: str
    reasons: Annotated[tuple[str, ...], Json]
    comment: str


class _Why(msgspec.Struct, frozen=True):
    subject: str
    why: str


class _Count(msgspec.Struct, frozen=True):
    n: int


_LIST = (
    "SELECT x.subject, t.task_id, t.category, t.subcategory, t.document ->> '$.question.text' AS question, x.state, x.round "
    "FROM verification_items i CROSS JOIN reviewed x ON x.kind = ? AND x.subject = i.subject JOIN tasks t ON t.content_hash = i.task_hash "
    "WHERE +i.verification_id = ? AND i.subject IN (SELECT value FROM json_each(?))"
)


def in_state(store: Store, verification_id: str, state: str, *, page: int = 1, size: int = PAGE) -> list[Decided]:
    """One page of the tasks in a state, what was sent in first coming first.

    Args:
        store: the database.
        verification_id: the verification.
        state: ``retained`` or ``rejected``; of a task in verification, what stands is its votes so far.
        page: from 1.
        size: tasks on a page.
    """
    rows = store.rows(
        "SELECT subject FROM reviewed WHERE kind = ? AND scope = ? AND state = ? ORDER BY live DESC, queued LIMIT ? OFFSET ?",
        _Subject, [KIND.name, verification_id, state, size, (page - 1) * size],
    )  # fmt: skip
    return of_subjects(store, verification_id, [row.subject for row in rows])


def of_subjects(store: Store, verification_id: str, subjects: Sequence[str]) -> list[Decided]:
    """These tasks, in this order."""
    found = {row.subject: row for row in store.rows(_LIST, _Found, [KIND.name, verification_id, dumps(list(subjects))])}
    return _told(store, verification_id, [found[subject] for subject in subjects if subject in found])


def count(store: Store, verification_id: str, state: str) -> int:
    """How many tasks are in a state."""
    sql = "SELECT count(*) AS n FROM reviewed WHERE kind = ? AND scope = ? AND state = ?"
    row = store.row(sql, _Count, [KIND.name, verification_id, state])
    return row.n if row else 0


def second_looks(store: Store, verification_id: str) -> list[Decided]:
    """Tasks that are verified again because somebody asked for it."""
    rows = store.rows(
        "SELECT subject FROM reviewed WHERE kind = ? AND scope = ? AND state = ? AND round > 1 ORDER BY queued",
        _Subject, [KIND.name, verification_id, KIND.waiting],
    )  # fmt: skip
    return of_subjects(store, verification_id, [row.subject for row in rows])


class _Subject(msgspec.Struct, frozen=True):
    subject: str


def _told(store: Store, verification_id: str, found: Sequence[_Found]) -> list[Decided]:
    subjects = dumps([row.subject for row in found])
    given: dict[str, list[Cast]] = defaultdict(list)
    rounds = {row.subject: row.round for row in found}
    for cast in casts(store, verification_id, only=rounds):
        if cast.round == rounds[cast.subject]:
            given[cast.subject].append(cast)
    failed: dict[str, list[_Failed]] = defaultdict(list)
    for row in store.rows(
        "SELECT v.review_id, v.axis, v.reasons, v.comment FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = ? "
        "AND r.subject IN (SELECT value FROM json_each(?)) AND r.decided_at IS NOT NULL AND v.stage = ? ORDER BY v.at, v.rowid",
        _Failed, [KIND.name, subjects, REST],
    ):  # fmt: skip
        failed[row.review_id].append(row)
    asked = {
        row.subject: row.why
        for row in store.rows(
            "SELECT e.subject, e.data ->> '$.why' AS why FROM events e WHERE e.subject IN (SELECT value FROM json_each(?)) AND e.kind = ? "
            "AND e.data ->> '$.event' = 'again' ORDER BY e.seq",
            _Why, [subjects, KIND.told_of],
        )
    }  # fmt: skip
    return [_decided(row, given[row.subject], failed, asked.get(row.subject, "")) for row in found]


def _decided(row: _Found, given: Sequence[Cast], failed: Mapping[str, Sequence[_Failed]], why: str) -> Decided:
    by_majority = majority(given)
    against = tuple(
        Against(cast.reviewer, said.axis, said.reasons, said.comment)
        for cast in given
        for said in failed[cast.review_id]
        if not cast.passes[said.axis]
    )
    return Decided(
        row.subject, row.task_id, row.category, row.subcategory, row.question, row.state, row.round, len(given),
        {axis: sum(cast.passes[axis] for cast in given) for axis in AXES},
        tuple(axis for axis in AXES if given and not by_majority[axis]), against, why,
    )  # fmt: skip
