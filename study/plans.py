"""Analysis and exclusion plans, locked: the text, its SHA-256 and when, beside the state that the study was in (measurement 18).

A lock never changes. A changed plan is another lock beside the one before, and reports say so.
"""

from __future__ import annotations

import hashlib

import msgspec

from data.foreign import Unreadable, decoded
from data.store import Store, now
from study.errors import StudyError
from study.studies import get_study

LARGEST = 200_000
"""Bytes of a plan at most; what is longer belongs into a register, whose address and number are a plan too."""


class BadPlan(StudyError):
    """A text that cannot be locked as a plan."""

    code = "bad_plan"


class Plan(msgspec.Struct, frozen=True):
    """One locked plan."""

    n: int
    """1 for the first of the study."""
    name: str
    """Of the file, or what its maker called it."""
    text: str
    """Empty where the file is no text."""
    sha256: str
    """Of the file's bytes, as ``sha256sum`` computes it."""
    state: str
    """The state of the study when it was locked."""
    version: int
    """The published version then; 0: none."""
    actor: str
    locked_at: str

    @property
    def beforehand(self) -> bool:
        """Whether it was locked before the study went live."""
        return self.state in ("draft", "pilot")


def lock_plan(store: Store, study_id: str, data: bytes, *, name: str = "", actor: str) -> Plan:
    """Lock a plan. The same file as the newest one is no other lock.

    Args:
        store: the database.
        study_id: the study.
        data: the file. Of one that is no text (a PDF) its hash alone is kept.
        name: as in `Plan`.
        actor: who locks it.

    Raises:
        UnknownStudy: there is no such study.
        BadPlan: it is empty or too long.
    """
    if not data.strip():
        raise BadPlan("The plan is empty: write who is left out by which rule, and what is computed, before the data are seen.")
    if len(data) > LARGEST:
        raise BadPlan(f"The plan has {len(data):,} bytes, and {LARGEST:,} can be kept: register it elsewhere and lock its address.")
    try:
        text = decoded(data).text
    except Unreadable:
        text = ""
    with store.atomic():
        study = get_study(store, study_id)
        before = plans(store, study_id)
        sha256 = hashlib.sha256(data).hexdigest()
        if before and before[-1].sha256 == sha256:
            return before[-1]
        plan = Plan(len(before) + 1, name, text, sha256, study.state, study.version, actor, now())
        store.insert("plan_locks", {"study_id": study_id, **msgspec.structs.asdict(plan)})
        store.event("plan_locked", {"n": plan.n, "sha256": sha256, "state": study.state}, actor=actor, study_id=study_id, at=plan.locked_at)
    return plan


def plans(store: Store, study_id: str) -> list[Plan]:
    """The locked plans of a study, oldest first."""
    return store.rows("SELECT * FROM plan_locks WHERE study_id = ? ORDER BY n", Plan, [study_id])
