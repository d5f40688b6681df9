"""The stations at which tasks are given: the practice task, and one task after the other."""

from __future__ import annotations

from study import assignment
from study.errors import NoTaskLeft
from study.paradigms import paradigm
from study.place import Here, Place
from study.probing import protocol_of
from study.records import SlotRecord
from study.sittings import Cut, cuts_in
from study.stations.seats import free_what_others_left
from study.wording import say


def practice(here: Here) -> Place | None:
    """The practice task, until it is done or given back; a study with a tutorial has worked examples instead."""
    if here.study.tutorial is not None:
        return None
    person = here.person.participant_id
    slot = assignment.held(here.store, person, practice=True) or assignment.assign_practice(here.store, person)
    return None if slot is None else shows(here, slot, "practice")


def task(here: Here) -> Place | None:
    """The task that is held, or the next one; None: all are done, or none is left.

    Before a new one is given, tasks that others have left for longer than the study's `hold_minutes` are timed out and their places freed.
    """
    slot = assignment.held(here.store, here.person.participant_id)
    if slot is None:
        free_what_others_left(here)
        try:
            slot = assignment.assign(here.store, here.person.participant_id)
        except NoTaskLeft:
            return None
    return shows(here, slot, "task", timed_out_note(here, say("task.go_on")))


def timed_out_note(here: Here, then: str = "") -> str:
    """A sentence for somebody whose last task was timed out, until they have acted in the next one."""
    rows = here.store.query(
        "SELECT s.state, s.trial_index, coalesce(e.last_seq, -1) AS last_seq FROM slots s LEFT JOIN episodes e USING (slot_id) "
        "WHERE s.participant_id = ? AND s.practice = 0 ORDER BY s.trial_index DESC LIMIT 2",
        [here.person.participant_id],
    )
    before = rows[1:] if rows and rows[0]["state"] == "held" and rows[0]["last_seq"] < 1 else rows
    if before and (cut := _cut(here)) is not None and cut.trial == before[0]["trial_index"]:
        return " ".join(filter(None, (say("task.session_time_up"), then)))
    if not before or before[0]["state"] != "timed_out":
        return ""
    if before[0]["last_seq"] < 0:
        # It was only made ready and never seen: who goes on with another one has lost nothing.
        return "" if then else say("task.away", minutes=here.study.hold_minutes)
    return " ".join(filter(None, (say("task.timed_out", minutes=here.study.hold_minutes), then)))


def _cut(here: Here) -> Cut | None:
    """Where somebody's time ended their last session."""
    return next(reversed(cuts_in(here.store, here.study, here.person.participant_id)), None)


def shows(here: Here, slot: assignment.Slot | SlotRecord, stage: str, note: str = "", part: str = "") -> Place:
    """The place of somebody who holds a slot."""
    return here.at(stage, episode_id=_episode(here, slot), component=paradigm(slot.paradigm).component, note=note, part=part)


def _episode(here: Here, slot: assignment.Slot | SlotRecord) -> str:
    """The episode of a held slot, created on first use."""
    sql = "SELECT episode_id FROM episodes WHERE slot_id = ? ORDER BY created_at DESC LIMIT 1"
    if known := here.store.one(sql, [slot.slot_id]):
        return str(known["episode_id"])
    protocol = protocol_of(here.study, here.person.number)
    if slot.practice:
        protocol = protocol.model_copy(update={"show_feedback": True, "time_limit_s": None})
    if slot.practice and here.study.tutorial is not None:
        # Everything on the list of a worked example can be tried, however few views the tasks allow.
        protocol = protocol.model_copy(update={"budget": None})
    with here.store.atomic():
        # two pages of one person may ask at once
        known = here.store.one(sql, [slot.slot_id])
        return str(known["episode_id"]) if known else here.engine.create(slot.task_hash, slot_id=slot.slot_id, protocol=protocol)
