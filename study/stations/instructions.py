"""The station of the instructions, before the examples and the tasks."""

from __future__ import annotations

from data.store import Store
from study.briefing import instructions_of
from study.place import Here, Place

READ = "instructions_read"
"""The event that somebody went on from them."""


def told(here: Here) -> Place | None:
    """The instructions, until somebody goes on from them; nothing where there are none (`study.briefing`). Who is past the examples already
    is not led back to them."""
    if not instructions_of(here.study) or _read(here.store, here.person.participant_id):
        return None
    return here.at("instructions")


def go_on(store: Store, participant_id: str) -> None:
    """Somebody has read them; kept once."""
    with store.atomic():
        if not _read(store, participant_id):
            store.event(READ, {}, participant_id=participant_id)


def _read(store: Store, participant_id: str) -> bool:
    return store.one("SELECT 1 AS yes FROM events WHERE participant_id = ? AND kind = ?", [participant_id, READ]) is not None
