"""Breaks between tasks: offered after so many tasks or minutes. A break is nobody's task time, and time away."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from data.rows import Json
from data.store import Store, now


class Breaks(BaseModel):
    """When a break is offered. Whoever does not need one goes on at once."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    every_tasks: int | None = Field(default=None, ge=1, le=500)
    """n: after every n-th task; None: not by their number."""
    every_minutes: float | None = Field(default=None, gt=0, le=600)
    """At the end of a task, when this many minutes have gone by since the last break, or since the first task; None: not by time."""
    text: str = Field(default="", max_length=2000)
    """Words of the page; empty: our own."""


class _Told(msgspec.Struct, frozen=True):
    at: str
    kind: str
    data: Annotated[dict[str, Any], Json]


class _Began(msgspec.Struct, frozen=True):
    at: str | None


def is_due(store: Store, breaks: Breaks, participant_id: str, done: int) -> bool:
    """Whether a break is to be offered to somebody who has done so many tasks, and was not ended yet."""
    if breaks.every_tasks is None and breaks.every_minutes is None:
        return False
    told = _told(store, participant_id)
    if any(one.kind == "break_ended" and one.data["done"] == done for one in told):
        return False
    if any(one.kind == "break_began" and one.data["done"] == done for one in told):
        return True
    if breaks.every_tasks is not None and done % breaks.every_tasks == 0:
        return True
    if breaks.every_minutes is None:
        return False
    first = store.row(
        "SELECT min(e.started_at) AS at FROM episodes e JOIN slots s USING (slot_id) WHERE e.participant_id = ? AND s.practice = 0",
        _Began,
        [participant_id],
    )
    since = max([one.at for one in told if one.kind == "break_ended"] + ([first.at] if first and first.at else []), default=None)
    return (
        since is not None and (datetime.fromisoformat(now()) - datetime.fromisoformat(since)).total_seconds() >= 60 * breaks.every_minutes
    )


def begin(store: Store, participant_id: str, done: int) -> None:
    """Keep that a break was offered; once."""
    _once(store, "break_began", participant_id, done)


def end(store: Store, participant_id: str, done: int) -> None:
    """Somebody goes on; once."""
    _once(store, "break_ended", participant_id, done)


def _once(store: Store, kind: str, participant_id: str, done: int) -> None:
    with store.atomic():
        if not any(one.kind == kind and one.data["done"] == done for one in _told(store, participant_id)):
            store.event(kind, {"done": done}, participant_id=participant_id)


def _told(store: Store, participant_id: str) -> list[_Told]:
    return store.rows(
        "SELECT at, kind, data FROM events WHERE participant_id = ? AND kind IN ('break_began', 'break_ended') ORDER BY seq",
        _Told,
        [participant_id],
    )
