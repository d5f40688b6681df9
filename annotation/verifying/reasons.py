"""Rejections whose people name different reasons: found in the votes, and what is told of them to whoever looks which hold."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

import msgspec

from annotation.verifying.showing import task_of
from data.rows import Json
from data.store import Store
from data.task import Task


class Disputed(msgspec.Struct, frozen=True):
    """One axis of a rejected task, with the reasons that are held against it; not who gave which."""

    item: str
    """The task under verification (`verification_items.subject`)."""
    axis: str
    round: int
    given: tuple[tuple[str, ...], ...]
    """The reasons of each person who failed it and named some."""

    @property
    def subject(self) -> str:
        """Id of the disagreement."""
        return f"{self.item}/{self.axis}/{self.round}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """All that are named, each once, in alphabetical order."""
        return tuple(sorted({name for names in self.given for name in names}))


class _Named(msgspec.Struct, frozen=True):
    subject: str
    axis: str
    round: int
    reasons: Annotated[tuple[str, ...], Json]


_NAMED = (
    "SELECT r.subject, v.axis, r.round, v.reasons FROM reviews r JOIN review_votes v USING (review_id) "
    "WHERE r.kind = ? AND r.subject IN ({subjects}) AND r.decided_at IS NOT NULL AND v.vote = 'fail' AND v.reasons <> '[]' "
    "ORDER BY r.subject, v.axis, v.reasons"
)


def found(store: Store, verification_id: str, kind: str) -> list[Disputed]:
    """Disagreements in the last round of a verification's rejected tasks: an axis that at least two people fail with reasons, of which no
    two people share one.

    Args:
        store: the database.
        verification_id: the verification.
        kind: name of the kind of its tasks.
    """
    rejected = (
        "SELECT x.subject FROM reviewed x JOIN verification_items i ON i.subject = x.subject AND i.part = 'task' "
        "WHERE x.kind = ? AND x.scope = ? AND x.state = 'rejected' AND x.round = r.round"
    )
    rows = store.rows(_NAMED.format(subjects=rejected), _Named, [kind, kind, verification_id])
    by_axis: dict[tuple[str, str, int], list[tuple[str, ...]]] = defaultdict(list)
    for row in rows:
        by_axis[row.subject, row.axis, row.round].append(row.reasons)
    return [
        Disputed(*place, tuple(given))
        for place, given in by_axis.items()
        if len(given) > 1 and sum(map(len, given)) == len({name for names in given for name in names})
    ]


def disputed(store: Store, subject: str, kind: str) -> Disputed:
    """The disagreement of this id, as its votes have it; `kind` as in `found`."""
    item, axis, number = subject.split("/")
    rows = store.rows(_NAMED.format(subjects="?"), _Named, [kind, item])
    return Disputed(item, axis, int(number), tuple(row.reasons for row in rows if row.axis == axis and row.round == int(number)))


def about(store: Store, subject: str) -> Task:
    """The task that it is about."""
    return task_of(store, subject.partition("/")[0])
