"""How far a verification is, and what of it wants a second look."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotation.reviewing import claims
from annotation.reviewing.kinds.tasks import KIND, KIND_OF
from annotation.verifying import verifications
from annotation.verifying.verifications import Verification
from data.store import Store


class Progress(msgspec.Struct, frozen=True):
    """A verification in numbers."""

    verification: Verification
    states: dict[str, int]
    """State of `annotation.reviewing.kinds.tasks.KIND` → tasks in it."""
    votes: int
    """Verdicts that count towards the tasks' current rounds."""
    open: int
    """Reviews of tasks that are under way."""
    controls: int
    exercises: int
    unsent: int
    """Tasks, controls and exercises that wait for their evidence."""

    @property
    def tasks(self) -> int:
        """Tasks in it, without versions that were replaced."""
        return sum(n for state, n in self.states.items() if state != "replaced")

    @property
    def decided(self) -> int:
        """Tasks that are retained or rejected."""
        return self.states.get("retained", 0) + self.states.get("rejected", 0)


class Contested(msgspec.Struct, frozen=True):
    """A task that was kept although most of its reviewers, each on an axis of their own, would not have kept it."""

    subject: str
    task_hash: str
    task_id: str
    at: str


class _State(msgspec.Struct, frozen=True):
    state: str
    n: int


class _Count(msgspec.Struct, frozen=True):
    n: int


def progress(store: Store, verification_id: str) -> Progress:
    """How far it is.

    Raises:
        UnknownVerification: there is none.
    """
    found = verifications.get(store, verification_id)
    counted = {part: _states(store, verification_id, part) for part in KIND_OF}
    under_way = "SELECT count(*) AS n FROM reviews WHERE kind = ? AND scope = ? AND decided_at IS NULL AND state <> 'void'"
    open_now = _count(store, under_way, [KIND.name, verification_id])
    # what lives in a task's current round is open or decided
    live = _count(store, "SELECT coalesce(sum(live), 0) AS n FROM reviewed WHERE kind = ? AND scope = ?", [KIND.name, verification_id])
    return Progress(
        verification=found,
        states=counted["task"],
        votes=live - open_now,
        open=open_now,
        controls=sum(counted["control"].values()),
        exercises=sum(counted["training"].values()),
        unsent=sum(states.get("proposed", 0) for states in counted.values()),
    )


def listed(store: Store) -> list[Verification]:
    """Every verification, newest first."""
    return store.rows("SELECT * FROM verifications ORDER BY created_at DESC, rowid DESC", Verification)


def contested(store: Store, verification_id: str) -> list[Contested]:
    """The retained tasks that people rejected on different axes, in the order of their decision."""
    # the index holds the decisions that were contested; of those the ones that stand are a thing's last
    return store.rows(
        "SELECT i.subject, i.task_hash, k.task_id, e.at FROM events e INDEXED BY events_contested "
        "CROSS JOIN reviewed t ON t.kind = ? AND t.subject = e.subject AND t.state = 'retained' "
        "CROSS JOIN verification_items i ON i.subject = e.subject AND +i.verification_id = ? JOIN tasks k ON k.content_hash = i.task_hash "
        f"WHERE e.kind = '{KIND.told_of}' AND e.data ->> '$.contested' = 1 "
        "AND e.seq = (SELECT max(l.seq) FROM events l WHERE l.subject = e.subject AND l.kind = e.kind) ORDER BY e.seq",
        Contested, [KIND.name, verification_id],
    )  # fmt: skip


def starved(store: Store, verification_id: str, people: Sequence[str]) -> list[str]:
    """Things that cannot get their votes from these people: too many of them made the task or have seen its answer."""
    return claims.starved(store, KIND, verification_id, people)


def _states(store: Store, verification_id: str, part: str) -> dict[str, int]:
    sql = "SELECT state, count(*) AS n FROM reviewed WHERE kind = ? AND scope = ? GROUP BY state"
    found = {row.state: row.n for row in store.rows(sql, _State, [KIND_OF[part].name, verification_id])}
    return {state: found[state] for state in KIND.states if state in found}


def _count(store: Store, sql: str, params: Sequence[str]) -> int:
    row = store.row(sql, _Count, params)
    return row.n if row else 0
