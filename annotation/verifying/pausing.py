"""Pausing somebody who verifies: their open reviews are given back, and they get nothing more until they go on."""

from __future__ import annotations

import msgspec

from annotation.reviewing import things
from annotation.reviewing.kind import VOID
from annotation.reviewing.kinds.tasks import ANY_KIND, kind_of
from annotation.reviewing.rows import Review
from annotation.verifying import verifications
from annotation.verifying.errors import BadVerification
from data.store import Store, now


class PausedPerson(msgspec.Struct, frozen=True):
    """A row of `paused_people`."""

    verification_id: str
    staff_id: str
    why: str
    at: str


def pause(store: Store, verification_id: str, staff_id: str, why: str, *, actor: str) -> int:
    """Give somebody nothing more of a verification. What they have decided stays, and is reported with and without them.

    Args:
        store: the database.
        verification_id: the verification.
        staff_id: who is paused.
        why: for leads.
        actor: who pauses them.

    Returns:
        How many open reviews of theirs were given back.

    Raises:
        UnknownVerification: there is none.
        BadVerification: no reason, or nobody of this id works here.
    """
    verifications.get(store, verification_id)
    if not why.strip():
        raise BadVerification("Say why this person is paused.")
    if store.one("SELECT 1 FROM staff WHERE staff_id = ?", [staff_id]) is None:
        raise BadVerification(f"Nobody with the id {staff_id[:60]!r} works here.")
    with store.atomic() as db:
        db.execute(
            "INSERT INTO paused_people (verification_id, staff_id, why, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [verification_id, staff_id, why.strip(), now()],
        )
        found = open_reviews(store, verification_id, staff_id)
        for review in found:
            things.void(store, kind_of(review), review, "its reviewer was paused")
        told = {"verification": verification_id, "staff": staff_id, "why": why.strip(), "given_back": len(found)}
        store.event("verifier_paused", told, actor=actor)
    return len(found)


def resume(store: Store, verification_id: str, staff_id: str, *, actor: str) -> None:
    """Let somebody go on who was paused.

    Raises:
        UnknownVerification: there is none.
        BadVerification: they are not paused.
    """
    verifications.get(store, verification_id)
    if not is_paused(store, verification_id, staff_id):
        raise BadVerification("This person is not paused here.")
    with store.atomic() as db:
        db.execute("DELETE FROM paused_people WHERE verification_id = ? AND staff_id = ?", [verification_id, staff_id])
        store.event("verifier_resumed", {"verification": verification_id, "staff": staff_id}, actor=actor)


def paused(store: Store, verification_id: str) -> list[PausedPerson]:
    """Who is paused in a verification, the first one first."""
    return store.rows("SELECT * FROM paused_people WHERE verification_id = ? ORDER BY at, staff_id", PausedPerson, [verification_id])


def is_paused(store: Store, verification_id: str, staff_id: str) -> bool:
    """Whether somebody is paused."""
    return store.one("SELECT 1 FROM paused_people WHERE verification_id = ? AND staff_id = ?", [verification_id, staff_id]) is not None


def open_reviews(store: Store, verification_id: str, staff_id: str) -> list[Review]:
    """The reviews that somebody has under way in a verification, of tasks, controls and exercises; the first one first."""
    return store.rows(
        f"SELECT * FROM reviews WHERE kind IN {ANY_KIND} AND reviewer = ? AND scope = ? AND decided_at IS NULL "
        f"AND state <> '{VOID}' ORDER BY assigned_at, rowid",
        Review, [staff_id, verification_id],
    )  # fmt: skip
