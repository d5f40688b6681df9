"""Whose data a researcher did not accept, and why. They stay, marked: every figure can be had with and without them (measurement 17).

Nobody is rejected for being fast, still or stubborn, so there is no reason of that kind: what may lead to it was declared before, or is no
property of how somebody answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from data.rows import Json
from data.store import Store

EarlyEnd = Literal["stop", "screen_out", "fail"]
"""An event of `study.participants.PARTICIPANT` that ends somebody's part before its end."""


@dataclass(frozen=True)
class Reason:
    """A reason for which somebody's data are not accepted."""

    name: str
    words: str
    """For researchers."""
    ends: EarlyEnd
    """What becomes of somebody who is still at it."""


REASONS: tuple[Reason, ...] = (
    Reason("declared_rule", "a rule of the study, declared before its data", "stop"),
    Reason("technical", "a technical failure of ours", "fail"),
    Reason("duplicate", "the same person took part before", "stop"),
    Reason("not_eligible", "not one of those for whom the study is", "screen_out"),
    Reason("not_a_person", "not a participant: a trial by staff, or a program", "stop"),
)
"""The registry."""
BY_NAME: Mapping[str, Reason] = {reason.name: reason for reason in REASONS}


class Rejection(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's data were rejected."""

    participant_id: str
    reason: str
    """A name of `REASONS`."""
    why: str
    """In the researcher's words: which rule, what happened."""
    actor: str
    at: str

    @property
    def words(self) -> str:
        """Reason and words in one line."""
        return f"{BY_NAME[self.reason].words}: {self.why}"


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    participant_id: str
    actor: str
    at: str
    data: Annotated[dict[str, Any], Json]


def rejection(store: Store, participant_id: str) -> Rejection | None:
    """That of one participant; None: their data were not rejected."""
    sql = "SELECT participant_id, actor, at, data FROM events WHERE participant_id = ? AND kind = 'participant_rejected' LIMIT 1"
    found = store.row(sql, _Told, [participant_id])
    return None if found is None else _read(found)


def rejections(store: Store, study_id: str) -> dict[str, Rejection]:
    """Participant → their rejection, of a study."""
    sql = "SELECT participant_id, actor, at, data FROM events WHERE kind = 'participant_rejected' AND study_id = ?"
    return {row.participant_id: _read(row) for row in store.rows(sql, _Told, [study_id])}


def _read(row: _Told) -> Rejection:
    return Rejection(participant_id=row.participant_id, reason=row.data["reason"], why=row.data["why"], actor=row.actor, at=row.at)
