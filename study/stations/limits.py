"""The station at which a session ends whose time is up between two tasks; where one is open, its page ends it."""

from __future__ import annotations

from study import assignment, clocks
from study.place import Here, Place


def session(here: Here) -> Place | None:
    """Nothing is ever due: where too little is left for a further task, that is kept, and the next station sees it."""
    if here.study.session_minutes is None or assignment.held(here.store, here.person.participant_id) is not None:
        return None
    if not _too_little(here):
        return None
    with here.store.atomic():
        # two pages of one person may ask at once
        if _too_little(here):
            clocks.end_session(here.store, here.person)
    return None


def _too_little(here: Here) -> bool:
    left = clocks.session_left_s(here.store, here.study, here.person)
    return left is not None and left < min(clocks.LEAST_S, 60 * (here.study.session_minutes or 0) / 10)
