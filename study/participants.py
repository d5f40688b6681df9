"""Participants by pseudonymous id, and their way through a study: welcome → consent → practice → tasks → thanks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from data.store import Store, new_id, now
from study import line, seats, slots, states
from study.episode import EpisodeEngine
from study.errors import BadTransition, NoTaskLeft
from study.place import Here, Place
from study.progress import parts
from study.records import ParticipantRecord
from study.stations import STATIONS
from study.stations.tasks import timed_out_note
from study.studies import Study, get_study
from study.wording import say, speaking

_EARLY = {"stop": "stopped", "screen_out": "screened_out", "turn_away": "full", "fail": "failed", "withdraw": "withdrawn"}
PARTICIPANT: states.Machine = {
    "entered": {"welcome": "welcomed", "withdraw": "withdrawn"},
    "welcomed": {"consent": "consented", "decline": "declined", "withdraw": "withdrawn"},
    "consented": {"practise": "practised", **_EARLY},
    "practised": {"finish": "finished", **_EARLY},
    "finished": {"withdraw": "withdrawn"},
    "stopped": {"withdraw": "withdrawn"},
    "screened_out": {"withdraw": "withdrawn"},
    "full": {"look_again": "consented", "withdraw": "withdrawn"},
    "failed": {"withdraw": "withdrawn"},
    "declined": {"welcome": "welcomed"},
    "withdrawn": {},
}
"""A participant's progress. Declining can be reconsidered; stopping and withdrawing cannot. ``stopped``: they ended early and what they did
is kept; who stops before the consent has declined. ``screened_out``: the study's own rule lets them go no further; ``failed``: our
technique kept them from going on; ``full``: no place is left for them, and they can ask again whether there is one. Each can come before
the end only, and keeps what was done."""


def add_participant(
    store: Store, study_id: str, recruitment: Mapping[str, str] | None = None, *, shared: str = "", mode: str | None = None
) -> str:
    """A participant of a study; the same recruited person gives the same participant.

    Args:
        store: the database.
        study_id: the study.
        recruitment: source, external_id and, where known, external_study, external_session; kept in a table of its own.
        shared: how it is known that they use a computer after somebody else, or before; empty: it is not.
        mode: which kind of run they belong to (`study.states.MODES`); None: what the study's state says.

    Returns:
        The pseudonymous participant id.
    """
    with store.atomic():
        if recruitment is not None and (known := known_as(store, study_id, recruitment)):
            return known.participant_id
        participant_id, at = new_id("p"), now()
        study = get_study(store, study_id)
        mode = mode or states.MODE_OF[study.state]
        last = store.one("SELECT coalesce(max(number), -1) AS n FROM participants WHERE study_id = ?", [study_id])
        store.insert(
            "participants",
            {"participant_id": participant_id, "study_id": study_id, "number": (last or {"n": -1})["n"] + 1}
            | {"state": "entered", "created_at": at, "shared_computer": bool(shared)}
            | {"version": study.version, "mode": mode},
        )
        if recruitment is not None:
            store.insert(
                "recruitment",
                {"participant_id": participant_id, "study_id": study_id, "created_at": at}
                | {name: str(recruitment.get(name, ""))[:200] for name in ("source", "external_id", "external_study", "external_session")},
            )
        store.event(
            "participant_entered", {"version": study.version, "mode": mode}, at=at, study_id=study_id, participant_id=participant_id
        )
        if shared:
            store.event("shared_computer", {"by": shared}, at=at, study_id=study_id, participant_id=participant_id)
    return participant_id


def get_participant(store: Store, participant_id: str) -> ParticipantRecord:
    """The participant's row.

    Raises:
        NoTaskLeft: there is none.
    """
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [participant_id])
    if person is None:
        raise NoTaskLeft(f"There is no participant {participant_id!r}.")
    return person


_ENDS = ("finished", "stopped", "screened_out", "full", "failed", "withdrawn", "declined")


def episodes_of(store: Store, participant_id: str) -> list[str]:
    """Ids of their episodes."""
    return [row["episode_id"] for row in store.query("SELECT episode_id FROM episodes WHERE participant_id = ?", [participant_id])]


def advance(store: Store, participant_id: str, event: str, *, actor: str = "") -> str:
    """Apply an event of `PARTICIPANT`, such as ``consent``; returns the new state. `actor`: who of the staff did it; empty: themselves.

    A repeated event (a double click, a reload) changes nothing.

    Raises:
        BadTransition: impossible now.
    """
    with store.atomic() as db:
        person, at = get_participant(store, participant_id), now()
        try:
            state = states.after(PARTICIPANT, person.state, event)
        except BadTransition:
            if any(event in events and events[event] == person.state for events in PARTICIPANT.values()):
                return person.state
            raise
        study = study_of(store, person) if event == "consent" else None
        consent = None if study is None else study.consent_version
        db.execute(
            "UPDATE participants SET state = ?, consent_version = coalesce(?, consent_version), "
            "consented_at = CASE WHEN ? IS NULL THEN consented_at ELSE ? END, "
            "finished_at = CASE WHEN ? THEN ? ELSE finished_at END WHERE participant_id = ?",
            [state, consent, consent, at, state in _ENDS, at, participant_id],
        )
        if state in _ENDS:
            seats.give_up(store, participant_id, state)
        data = {"event": event, "state": state} | ({} if study is None else _agreed(study))
        store.event("participant_state", data, at=at, actor=actor, study_id=person.study_id, participant_id=participant_id)
    return state


def _agreed(study: Study) -> dict[str, str]:
    """What somebody agreed to: the version of the text, and which text it was."""
    return {"consent_version": study.consent_version, "consent_sha256": hashlib.sha256(study.consent.encode()).hexdigest()}


def known_as(store: Store, study_id: str, recruitment: Mapping[str, str]) -> ParticipantRecord | None:
    """The participant that a recruited person is already, found by source and external_id."""
    return store.row(
        "SELECT p.* FROM recruitment r JOIN participants p USING (participant_id) "
        "WHERE r.study_id = ? AND r.source = ? AND r.external_id = ?",
        ParticipantRecord,
        [study_id, recruitment["source"], recruitment["external_id"]],
    )


def decide(store: Store, participant_id: str, choice: Literal["consent", "decline"]) -> str:
    """Welcome and consent at once, as the page of a link asks for both; returns the state. Who has decided before stays as they are."""
    with store.atomic():
        state = get_participant(store, participant_id).state
        if state == "entered" or (state, choice) == ("declined", "consent"):
            state = advance(store, participant_id, "welcome")
        return advance(store, participant_id, choice) if state == "welcomed" else state


UNDECIDED = frozenset(("entered", "welcomed", "declined"))
"""States in which the consent is still to be asked for, or may be asked for again."""


_WITHOUT_TASK: Mapping[str, Any] = {
    "entered": "welcome",
    "welcomed": "consent",
    "declined": "declined",
    "stopped": "stopped",
    "screened_out": "screened_out",
    "full": "full",
    "failed": "failed",
    "withdrawn": "withdrawn",
}
"""State → where somebody in it stands, whatever the study holds."""


_PASSED: Mapping[str, str] = {"consented": "practise", "practised": "finish"}
"""State → what moves somebody on who has passed all its stations."""


def study_of(store: Store, person: ParticipantRecord) -> Study:
    """The study that somebody takes part in, in the version that was published when they came."""
    return get_study(store, person.study_id, person.version)


@contextmanager
def spoken_to(store: Store, participant_id: str | None) -> Iterator[None]:
    """Within it, what is said is said in the language of somebody's study."""
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [participant_id or ""])
    with speaking("en" if person is None else study_of(store, person).language):
        yield


def _here(store: Store, engine: EpisodeEngine, participant_id: str) -> Here:
    person = get_participant(store, participant_id)
    counted = store.one(
        "SELECT count(*) AS n FROM slots WHERE participant_id = ? AND practice = 0 AND state = 'completed'", [participant_id]
    )
    return Here(store, engine, study_of(store, person), person, counted["n"] if counted else 0)


def progress(store: Store, engine: EpisodeEngine, participant_id: str) -> tuple[int, int]:
    """How many parts of the whole session somebody has done, and how many there are."""
    return parts(_here(store, engine, participant_id))


def place(store: Store, engine: EpisodeEngine, participant_id: str) -> Place:
    """Where the participant stands now; creates the practice episode or the next task's where one is due.

    Before a new task is given, tasks that others have left for longer than the study's `hold_minutes` are timed out and their places freed.

    Args:
        store: the database.
        engine: runs the episodes (creating one needs no simulator).
        participant_id: the participant.

    Returns:
        The place; asking again gives the same until something is done.
    """
    # Mostly nothing is due: then nothing is locked. What is due is done step by step, and each step looks again before it writes.
    here = _here(store, engine, participant_id)
    person = here.person
    if person.state in _WITHOUT_TASK:
        return here.at(_WITHOUT_TASK[person.state], note=say("end.full_told") if person.state == "full" else "")
    for station in STATIONS[person.state]:
        if (due := station(here)) is not None:
            if due.stage == "full":
                advance(store, participant_id, "turn_away")
            return due
    if person.state in _PASSED:
        if get_participant(store, participant_id).state == person.state:  # else they stopped on another page meanwhile
            advance(store, participant_id, _PASSED[person.state])
        return place(store, engine, participant_id)
    return here.at("thanks", note=timed_out_note(here))


def begin_session(store: Store, engine: EpisodeEngine, participant_id: str) -> Place:
    """Begin the next session, where one is due: its places are reserved, or the person stands in the line; returns the next place."""
    here = place(store, engine, participant_id)
    if (here.stage, here.part) == ("between", "begin"):
        person = get_participant(store, participant_id)
        line.admit(store, study_of(store, person), person)
    return place(store, engine, participant_id)


def skip(store: Store, engine: EpisodeEngine, participant_id: str) -> Place:
    """Give the current task back (it cannot be shown, or the person asks to): its place is offered to others; returns the next place."""
    here = place(store, engine, participant_id)
    if here.stage == "practice":
        with store.atomic():
            engine.end(here.episode_id or "", "return", actor=participant_id, release=False)
            if study_of(store, get_participant(store, participant_id)).tutorial is None:
                advance(store, participant_id, "practise")
    elif here.stage == "task":
        engine.end(here.episode_id or "", "return", actor=participant_id)
    return place(store, engine, participant_id)


def stop(store: Store, engine: EpisodeEngine, participant_id: str) -> str:
    """The participant ends early and leaves what they did: the task that goes on is ``returned`` (which frees its place and simulator),
    what is answered stays. Before the consent this is declining; who has finished or stopped stays as they are.

    Returns:
        The new state.
    """
    with store.atomic():
        state = get_participant(store, participant_id).state
        if state in UNDECIDED:
            return decide(store, participant_id, "decline")
        if "stop" not in PARTICIPANT[state]:
            return state
        left = end_early(store, engine, participant_id, "stop")
    for episode_id in left:
        engine.release(episode_id)
    return get_participant(store, participant_id).state


def end_early(
    store: Store, engine: EpisodeEngine, participant_id: str, event: Literal["stop", "screen_out", "fail"], *, actor: str = ""
) -> list[str]:
    """Somebody's part ends before its end, and what they did is kept: the task that goes on is ``returned``, which frees its place. Part of
    the caller's transaction; returns the episodes whose simulators are to be released after it. `actor`: who ends it; empty: they do.

    Raises:
        BadTransition: their part is over already.
    """
    left = _leave(store, engine, participant_id, "return", actor)
    advance(store, participant_id, event)
    return left


def withdraw(store: Store, engine: EpisodeEngine, participant_id: str, *, actor: str = "") -> None:
    """The participant takes their data back: every episode and slot becomes ``withdrawn`` and frees its place. `actor`: as of `advance`."""
    with store.atomic():
        own = _leave(store, engine, participant_id, "withdraw", actor)
        advance(store, participant_id, "withdraw", actor=actor)
    for episode_id in own:
        engine.release(episode_id)


def _leave(store: Store, engine: EpisodeEngine, participant_id: str, event: str, actor: str = "") -> list[str]:
    """End those of the participant's episodes that `event` can end, and give back what they hold; part of the caller's transaction. Returns
    the episodes, whose simulators are still to be released."""
    rows = store.query("SELECT episode_id, state FROM episodes WHERE participant_id = ?", [participant_id])
    own = [row["episode_id"] for row in rows if event in states.EPISODE[row["state"]]]
    for episode_id in own:
        engine.end(episode_id, event, actor=actor or participant_id, release=False)
    # what was given and whose episode was never made
    for row in store.query("SELECT slot_id FROM slots WHERE participant_id = ? AND state = 'held'", [participant_id]):
        slots.move(store, row["slot_id"], event)
    return own
