"""The verdicts that people gave, as every figure of a verification reads them.

A round counts once it is whole: all its places are filled with verdicts. Of a task whose verification began anew, the last whole round
counts; earlier ones stay in the records. A task that a new version replaced no longer counts. Hidden controls and exercises are parts of
their own and never counted with tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated

import msgspec

from annotation.reviewing.kinds.tasks import AXES, BY_PART, PASSES
from annotation.reviewing.rows import Vote
from annotation.verifying import verifications
from annotation.verifying.showing import right_answers
from data.rows import Json
from data.store import Store, dumps

REPLACED = "replaced"


class _Row(msgspec.Struct, frozen=True):
    review_id: str
    subject: str
    task_hash: str
    task_id: str
    category: str
    subcategory: str
    expected: Annotated[dict[str, str], Json]
    state: str
    round: int
    reviewer: str
    decided_at: str
    told: str
    answer: str
    correctness: str
    answerability: str
    nontriviality: str


class Cast(msgspec.Struct, frozen=True):
    """One person's verdict on one thing."""

    review_id: str
    subject: str
    task_hash: str
    task_id: str
    category: str
    subcategory: str
    expected: Mapping[str, str]
    """Axis → ``pass`` or ``fail``, where it is known."""
    state: str
    """Of the thing now."""
    round: int
    reviewer: str
    decided_at: str
    passes: Mapping[str, bool]
    """Axis → whether it passes; non-triviality follows from both stages (measurement 15)."""

    @property
    def keeps(self) -> bool:
        """Whether all three axes pass."""
        return all(self.passes.values())


def casts(store: Store, verification_id: str, part: str = "task", *, only: Collection[str] | None = None) -> list[Cast]:
    """Every complete verdict on the things of one part, in the order in which they were taken in and judged; all rounds.

    Args:
        store: the database.
        verification_id: the verification.
        part: ``task``, ``control`` or ``training``.
        only: of these things; None: of all.

    Raises:
        UnknownVerification: there is none.
    """
    verifications.get(store, verification_id)
    votes = ", ".join(f"max(v.vote) FILTER (WHERE v.axis = '{axis}') AS {axis}" for axis in ("told", "answer", *AXES))
    # the sign keeps a search for few things from reading all of the verification
    whose = "i.verification_id" if only is None else "+i.verification_id"
    these = "" if only is None else "AND i.subject IN (SELECT value FROM json_each(?)) "
    rows = store.rows(
        "SELECT r.review_id, r.subject, i.task_hash, t.task_id, t.category, t.subcategory, i.expected, x.state, r.round, r.reviewer, "
        f"r.decided_at, {votes} FROM verification_items i JOIN reviews r ON r.kind = ? AND r.subject = i.subject AND r.decided_at "
        "IS NOT NULL JOIN reviewed x ON x.kind = r.kind AND x.subject = r.subject JOIN tasks t ON t.content_hash = i.task_hash "
        f"JOIN review_votes v USING (review_id) WHERE {whose} = ? AND i.part = ? {these}GROUP BY r.review_id "
        "ORDER BY i.rowid, r.round, r.decided_at, r.rowid",
        _Row, [BY_PART[part], verification_id, part, *([] if only is None else [dumps(sorted(only))])],
    )  # fmt: skip
    # which answers are right is only asked where somebody said that the first view tells
    right: dict[str, frozenset[str]] = {}
    for row in rows:
        if row.told == "yes" and row.subject not in right:
            right[row.subject] = right_answers(store, row.subject, BY_PART)
    return [_cast(row, right.get(row.subject, frozenset())) for row in rows]


def _cast(row: _Row, right: frozenset[str]) -> Cast:
    said = {axis: Vote(getattr(row, axis)) for axis in ("told", "answer", *AXES)}
    return Cast(
        row.review_id, row.subject, row.task_hash, row.task_id, row.category, row.subcategory, row.expected, row.state, row.round,
        row.reviewer, row.decided_at, {axis: PASSES[axis](said, {"right": right}) for axis in AXES},
    )  # fmt: skip


def last_whole_rounds(found: Iterable[Cast], slots: int, *, without: Collection[str] = ()) -> list[Cast]:
    """The verdicts of each thing's last whole round.

    Args:
        found: from `casts`.
        slots: verdicts that a whole round has.
        without: people whose verdicts do not count: a round that had one of theirs is no longer whole.
    """
    rounds: dict[tuple[str, int], list[Cast]] = {}
    for cast in found:
        if cast.state != REPLACED:
            rounds.setdefault((cast.subject, cast.round), []).append(cast)
    last: dict[str, int] = {}
    for (subject, round_), given in rounds.items():
        if len(given) >= slots:
            last[subject] = max(round_, last.get(subject, 0))
    chosen = [given for (subject, round_), given in rounds.items() if last.get(subject) == round_]
    return [cast for given in chosen if not any(c.reviewer in without for c in given) for cast in given]


def majority(given: Collection[Cast]) -> dict[str, bool]:
    """Axis → whether more than half of the verdicts of one round pass it."""
    yes = Counter(axis for cast in given for axis, passes in cast.passes.items() if passes)
    return {axis: yes[axis] * 2 > len(given) for axis in AXES}
