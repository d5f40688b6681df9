"""The station at which a session is reserved, or its place in the line is told."""

from __future__ import annotations

from data.store import now
from study import assignment, line, seats, sittings, slots
from study.place import Here, Place
from study.wording import say


def seat(here: Here) -> Place | None:
    """Nothing where the person's places are reserved, or need not be; else that the next session can be begun, the line, or that the study
    is full."""
    if not seats.reserves(here.study):
        return None
    person = here.person.participant_id
    own = seats.seat_of(here.store, person)
    if own is not None and _goes_on(here, own):
        seats.seen(here.store, here.study, own)
        return None
    if assignment.held(here.store, person) is not None:
        return None
    if here.study.sessions > 1 and here.done and line.of(here.store, person) is None:
        found = seats.draft(here.store, here.study, here.person)
        if not found.done and not found.begun:
            return _between(here, found)
    free_what_others_left(here)
    match line.admit(here.store, here.study, here.person):
        case line.Waiting(number=number, since=since):
            return here.at("waiting", note=say("seat.waiting", number=number, since=_utc(since)))
        case line.Full():
            return here.at("full", note=say("end.full_told"))
        case _:
            return None


def _goes_on(here: Here, own: seats.Seat) -> bool:
    """Whether the session of a seat has tasks left."""
    cuts = sittings.cuts_in(here.store, here.study, here.person.participant_id)
    if not cuts:
        return here.done < own.session * own.size
    given = seats.given(here.store, here.person.participant_id)
    return sittings.sitting([slot for slot in given if slot.state == "completed"], own.size, cuts).ended < own.session


def _between(here: Here, found: seats.Draft) -> Place:
    """Between two sessions: whether the next can be begun (part ``begin``), or when (part ``later``)."""
    opens = seats.opens_at(here.study, found)
    if opens is not None and opens > now():
        return here.at("between", part="later", note=say("seat.later", at=_utc(opens)))
    cuts = sittings.cuts_in(here.store, here.study, here.person.participant_id)
    before = [say("task.session_time_up")] if cuts and cuts[-1].done == here.done else []
    return here.at("between", part="begin", note=" ".join((*before, say("seat.between"))))


def _utc(iso: str) -> str:
    """A time for whoever reads a `Place`; the page tells it by the reader's own clock."""
    return f"{iso[:10]} {iso[11:16]} UTC"


def free_what_others_left(here: Here) -> None:
    """Free what others hold or have reserved and have left too long, before somebody is given something. Their own they may go on with."""
    mode = here.person.mode
    if not assignment.overdue(here.store, here.study, mode) and not seats.stale(here.store, here.study, mode):
        return
    with here.store.atomic():
        left = assignment.overdue(here.store, here.study, mode)
        gone = seats.stale(here.store, here.study, mode)
        for place in left:
            if place.episode_id is None:
                slots.move(here.store, place.slot_id, "time_out")
            else:
                here.engine.end(place.episode_id, "time_out", actor="hold limit", release=False)
        for person in gone:
            seats.give_up(here.store, person, "hold limit")
    for place in left:
        here.engine.release(place.episode_id or "")
