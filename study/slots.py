"""Slots move through their states; a place that comes free is offered again as a new slot."""

from __future__ import annotations

from collections.abc import Iterable

from data.store import Store, new_id, now
from study import states, yoking
from study.errors import BadTransition
from study.paradigms import paradigm
from study.records import SlotRecord


def move(store: Store, slot_id: str, event: str) -> str:
    """Apply `event` to a slot; returns its new state. When that state frees the place, a new free slot replaces it.

    Raises:
        BadTransition: impossible in its state, or no such slot.
    """
    with store.atomic() as db:
        slot = store.row("SELECT * FROM slots WHERE slot_id = ?", SlotRecord, [slot_id])
        if slot is None:
            raise BadTransition(f"There is no slot {slot_id!r}.")
        state, at = states.after(states.SLOT, slot.state, event), now()
        db.execute("UPDATE slots SET state = ?, closed_at = coalesce(closed_at, ?) WHERE slot_id = ?", [state, at, slot_id])
        store.event(
            "slot_state",
            {"slot": slot_id, "event": event, "state": state},
            at=at,
            study_id=slot.study_id,
            participant_id=slot.participant_id,
        )
        replaced = store.one("SELECT 1 AS yes FROM slots WHERE replaces = ?", [slot_id])
        if states.FREES_SLOT[state] and not states.FREES_SLOT[slot.state] and not replaced and not slot.practice:
            add(store, slot.study_id, slot.task_hash, slot.paradigm, mode=slot.mode, version=slot.version, replaces=slot_id)
    return state


def hold(store: Store, slot_id: str, participant_id: str, *, version: int, trial: int) -> SlotRecord:
    """Give a free slot to somebody.

    Args:
        store: the database.
        slot_id: the slot.
        participant_id: who gets it.
        version: of the study, in which they take part.
        trial: 1 for their first task; 0 for practice.

    Raises:
        BadTransition: it is not free, or there is none.
    """
    with store.atomic() as db:
        slot = store.row("SELECT * FROM slots WHERE slot_id = ?", SlotRecord, [slot_id])
        if slot is None:
            raise BadTransition(f"There is no slot {slot_id!r}.")
        state, at = states.after(states.SLOT, slot.state, "assign"), now()
        db.execute(
            "UPDATE slots SET state = ?, participant_id = ?, trial_index = ?, assigned_at = ?, version = ?, claimed_by = NULL "
            "WHERE slot_id = ?",
            [state, participant_id, trial, at, version, slot_id],
        )
        way = paradigm(slot.paradigm)
        if way.partner and not slot.practice:
            yoking.take(store, slot_id, slot.study_id, slot.mode, slot.task_hash, way)
        data = {"slot": slot_id, "task": slot.task_hash, "paradigm": slot.paradigm, "trial_index": trial}
        store.event("assigned", data, at=at, study_id=slot.study_id, participant_id=participant_id)
    kept = store.row("SELECT * FROM slots WHERE slot_id = ?", SlotRecord, [slot_id])
    assert kept is not None
    return kept


def add(
    store: Store,
    study_id: str,
    task_hash: str,
    paradigm: str,
    *,
    mode: str,
    version: int,
    practice: bool = False,
    replaces: str | None = None,
) -> str:
    """A new free slot of a kind of run (`study.states.MODES`); returns its id."""
    slot_id = new_id("sl")
    with store.atomic():
        store.insert(
            "slots",
            {"slot_id": slot_id, "study_id": study_id, "task_hash": task_hash, "paradigm": paradigm, "practice": int(practice)}
            | {"state": "free", "replaces": replaces, "created_at": now(), "mode": mode, "version": version},
        )
    return slot_id


def add_all(store: Store, study_id: str, places: Iterable[tuple[str, str]], *, mode: str, version: int) -> None:
    """New free slots of a kind of run, each a task (content hash) in a paradigm; there may be tens of thousands."""
    at = now()
    rows = [(new_id("sl"), study_id, task_hash, paradigm, at, mode, version) for task_hash, paradigm in places]
    with store.atomic() as db:
        db.conn.executemany(
            "INSERT INTO slots (slot_id, study_id, task_hash, paradigm, practice, state, created_at, mode, version) "
            "VALUES (?, ?, ?, ?, 0, 'free', ?, ?, ?)",
            rows,
        )
