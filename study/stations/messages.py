"""The station at which a message of the researcher's is read: between tasks, and never beside a picture."""

from __future__ import annotations

from study import messages
from study.place import Here, Place


def unread(here: Here) -> Place | None:
    """The oldest message that the person has not read, once no task of theirs is open."""
    found = messages.unread(here.store, here.person.participant_id)
    if found is None:
        return None
    playing = "SELECT 1 AS yes FROM episodes WHERE participant_id = ? AND state = 'active' LIMIT 1"
    return None if here.store.one(playing, [here.person.participant_id]) else here.at("message", part=found.message_id)
