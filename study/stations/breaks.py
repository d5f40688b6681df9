"""The station of breaks between tasks."""

from __future__ import annotations

from study import assignment, breaks
from study.place import Here, Place


def rest(here: Here) -> Place | None:
    """A break, where one is due before the next task."""
    if not 0 < here.done < here.total * here.study.sessions:
        return None
    if not breaks.is_due(here.store, here.study.breaks, here.person.participant_id, here.done):
        return None
    held = assignment.held(here.store, here.person.participant_id)
    return here.at("break") if held is None else None
