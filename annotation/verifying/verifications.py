"""A verification: a set of tasks that people verify, with its settings."""

from __future__ import annotations

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from data.store import Store
from study.errors import StudyError


class UnknownVerification(StudyError):
    """There is no verification of this id."""

    code = "unknown_verification"
    status = 404


class Protocol(BaseModel):
    """How tasks are verified: the document of a verification."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slots: int = Field(default=3, ge=1, le=9)
    """People per task and round; an odd number decides always."""
    hold_minutes: int = Field(default=60, ge=1, le=7 * 24 * 60)
    """A task that is not finished after so long is given to somebody else."""
    control_share: float = Field(default=0.1, ge=0.0, le=0.5)
    """Share of what each person is given that is a hidden control."""
    training: int = Field(default=4, ge=0, le=100)
    """Exercises before the first task that counts; 0: none."""
    visible_from: int = Field(default=400, ge=1)
    """Pixels from which a thing counts as seen in a view."""
    allow_own_study: bool = False
    """Whether participants of the verification's study may verify tasks that they have not met."""


class Verification(msgspec.Struct, frozen=True):
    """A row of `verifications`."""

    verification_id: str
    name: str
    study_id: str | None
    """The study whose tasks these are; None: a set of its own."""
    document: str
    state: str
    """``open`` or ``closed``."""
    created_at: str

    @property
    def protocol(self) -> Protocol:
        """Its settings."""
        return Protocol.model_validate_json(self.document)


def get(store: Store, verification_id: str) -> Verification:
    """A verification.

    Raises:
        UnknownVerification: there is none.
    """
    found = store.row("SELECT * FROM verifications WHERE verification_id = ?", Verification, [verification_id])
    if found is None:
        raise UnknownVerification(f"There is no verification {verification_id[:60]!r} here.")
    return found


def all_of(store: Store) -> list[Verification]:
    """Every verification, the newest first."""
    return store.rows("SELECT * FROM verifications ORDER BY created_at DESC, rowid DESC", Verification)
