"""What a researcher does about one person while a study runs: more time, giving places back, rejecting, ending. (`study.messages` writes to
them.)

Each is one transaction with an event that says who did it and why, and each is refused in a sentence where it does not fit.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from data.store import Store, now, written
from study import payments, seats, slots
from study.episode import EpisodeEngine
from study.errors import StudyError
from study.participants import PARTICIPANT, end_early, get_participant, study_of
from study.records import ParticipantRecord
from study.rejections import BY_NAME, REASONS, EarlyEnd, Rejection, rejection
from study.returning import IN_WORDS, OUTCOME_OF
from study.studies import Study
from study.words import person as person_name

MOST_MINUTES = 7 * 24 * 60
"""Most that somebody is given at once: a week."""
LONGEST_WHY = 500
EndedAs = Literal["technical", "stopped", "screened_out"]
ENDINGS: dict[EndedAs, EarlyEnd] = {"technical": "fail", "stopped": "stop", "screened_out": "screen_out"}
"""Outcome that a researcher may give to somebody under way → the event that gives it."""


class Refused(StudyError):
    """Nothing can be done here; the message says why, and what can be done instead."""

    code = "refused_for_person"
    status = 409


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """How long somebody's places are kept for them."""

    held: int
    """Tasks that they have been given and not ended, practice aside."""
    reserved: int
    """Places that are kept for later in their session."""
    until: str | None
    """Then others may be given them, unless something is heard of the person before; None: they are kept until the study ends."""


def lease(store: Store, study: Study, participant_id: str) -> Lease | None:
    """What somebody has places for, and until when; None: for nothing."""
    found = store.one(
        "SELECT (SELECT count(*) FROM slots WHERE participant_id = :id AND state = 'held' AND practice = 0) AS held, "
        "(SELECT count(*) FROM slots WHERE claimed_by = :id) AS reserved, "
        "max(coalesce((SELECT seen_at FROM seats WHERE participant_id = :id), ''), "
        "coalesce((SELECT max(assigned_at) FROM slots WHERE participant_id = :id), ''), "
        "coalesce((SELECT v.at FROM episodes e JOIN events v USING (episode_id) WHERE e.participant_id = :id "
        "ORDER BY e.created_at DESC, v.seq DESC LIMIT 1), '')) AS last",
        {"id": participant_id},
    )
    if found is None or not found["held"] + found["reserved"]:
        return None
    if study.hold_minutes is None or not found["last"]:
        return Lease(held=found["held"], reserved=found["reserved"], until=None)
    ends = written(datetime.fromisoformat(found["last"]) + timedelta(minutes=study.hold_minutes))
    return Lease(
        held=found["held"], reserved=found["reserved"], until=max(ends, seats.extended(store, study.study_id).get(participant_id, ""))
    )


def extend(store: Store, participant_id: str, minutes: int, *, why: str, actor: str) -> str:
    """Keep somebody's places for so much longer than they would be kept otherwise, also if nothing is heard of them.

    Seconds per question (`Protocol.time_limit_s`) are a rule of measurement, the same for all: nobody is given more of them.

    Args:
        store: the database.
        participant_id: whose.
        minutes: 1 to a week's.
        why: kept in the log.
        actor: who gives it.

    Returns:
        Until when they are kept now.

    Raises:
        Refused: they have no places (any more), or the study keeps all places anyway.
    """
    if not 1 <= minutes <= MOST_MINUTES:
        raise Refused(f"More time is given in minutes from 1 to {MOST_MINUTES} (a week), got {minutes}.")
    with store.atomic():
        person, who = _known(store, participant_id)
        _under_way(person, who)
        held = lease(store, study_of(store, person), participant_id)
        if held is None:
            raise Refused(
                f"{who} holds no place that could be kept for longer. If they come back by their link they are given what is free."
            )
        if held.until is None:
            raise Refused(f"{who}’s places are kept until the study ends (it has no hold_minutes): there is nothing to extend.")
        until = written(datetime.fromisoformat(max(held.until, now())) + timedelta(minutes=minutes))
        _told(store, "time_extended", person, {"minutes": minutes, "until": until, "why": _why(why)}, actor)
    return until


def give_back(store: Store, engine: EpisodeEngine, participant_id: str, *, why: str, actor: str) -> int:
    """Offer somebody's open places to others: the task that they hold is ``returned``, what is reserved is free. Their part goes on: if
    they come back by their link they are given what is free then, and no task twice. (`end` is for whoever is not to come back.)

    Returns:
        How many places that were.

    Raises:
        Refused: they hold none, or have come to their end.
    """
    with store.atomic():
        person, who = _known(store, participant_id)
        _under_way(person, who)
        held = store.query(
            "SELECT s.slot_id, (SELECT e.episode_id FROM episodes e WHERE e.slot_id = s.slot_id AND e.state IN ('created', 'active')) "
            "AS episode_id FROM slots s WHERE s.participant_id = ? AND s.state = 'held' AND s.practice = 0",
            [participant_id],
        )
        reserved = store.query("SELECT slot_id FROM slots WHERE claimed_by = ?", [participant_id])
        if not held and not reserved:
            raise Refused(f"{who} holds no place, and none is reserved for them: there is nothing to give back.")
        left = [row["episode_id"] for row in held if row["episode_id"]]
        for row in held:
            if row["episode_id"]:
                engine.end(row["episode_id"], "return", actor=actor, release=False)
            else:
                slots.move(store, row["slot_id"], "return")
        seats.give_up(store, participant_id, "given back by a researcher")
        _told(store, "places_given_back", person, {"held": len(held), "reserved": len(reserved), "why": _why(why)}, actor)
    for episode_id in left:
        engine.release(episode_id)
    return len(held) + len(reserved)


def end(store: Store, engine: EpisodeEngine, participant_id: str, outcome: EndedAs, *, why: str, actor: str) -> str:
    """End somebody's part before its end. What they did is kept and counts; the task that goes on is ``returned``. They are told so, and
    paid by the study's rule for this outcome.

    Returns:
        Their new state.

    Raises:
        Refused: they have not agreed to take part yet, or have come to their end.
    """
    with store.atomic():
        person, who = _known(store, participant_id)
        _under_way(person, who)
        left = end_early(store, engine, participant_id, ENDINGS[outcome], actor=actor)
        _told(store, "session_ended", person, {"outcome": outcome, "why": _why(why)}, actor)
    for episode_id in left:
        engine.release(episode_id)
    return get_participant(store, participant_id).state


def reject(store: Store, engine: EpisodeEngine, participant_id: str, reason: str, *, why: str, actor: str) -> Rejection:
    """Do not accept somebody's data. Their answers are ``rejected``, which opens the places for others; the data stay, marked with the
    reason. Who is still at it is brought to an end. What is due to them stays due: not to count data is another decision than not to pay.

    Args:
        store: the database.
        engine: ends their episodes.
        participant_id: whose.
        reason: a name of `study.rejections.REASONS`.
        why: which rule, what happened; kept in the log and shown beside pay and in the comparison with a platform's list.
        actor: who rejects.

    Raises:
        Refused: they did nothing, have not agreed, took their data back, or were rejected before; or the reason is none.
    """
    known = BY_NAME.get(reason)
    if known is None:
        raise Refused(f"{reason[:40]!r} is no reason to reject somebody; there are: {', '.join(one.name for one in REASONS)}.")
    with store.atomic():
        person, who = _known(store, participant_id)
        if (before := rejection(store, participant_id)) is not None:
            raise Refused(f"{who} was rejected before ({before.words}). That stands.")
        if person.state == "withdrawn":
            raise Refused(f"{who} took their data back: nothing of theirs counts, and there is nothing to reject.")
        done = store.query("SELECT episode_id FROM episodes WHERE participant_id = ? AND state = 'completed'", [participant_id])
        under_way = "stop" in PARTICIPANT[person.state]
        if not done and not under_way:
            raise Refused(f"{who} has answered nothing ({person.state}): there is nothing to reject.")
        _told(store, "participant_rejected", person, {"reason": reason, "why": _why(why), "answers": len(done), "ended": under_way}, actor)
        left = end_early(store, engine, participant_id, known.ends, actor=actor) if under_way else []
        for row in done:
            engine.end(row["episode_id"], "reject", actor=actor, release=False)
        payments.settle(store, participant_id)
    for episode_id in left:
        engine.release(episode_id)
    kept = rejection(store, participant_id)
    assert kept is not None
    return kept


def ended_by_staff(store: Store, participant_id: str) -> bool:
    """Whether a researcher brought somebody to their end."""
    sql = (
        "SELECT 1 AS yes FROM events WHERE participant_id = ? "
        "AND (kind = 'session_ended' OR (kind = 'participant_rejected' AND data ->> '$.ended'))"
    )
    return store.one(sql, [participant_id]) is not None


def _known(store: Store, participant_id: str) -> tuple[ParticipantRecord, str]:
    """Somebody whose data are here, and how they are called."""
    person = get_participant(store, participant_id)
    if store.one("SELECT 1 AS yes FROM events WHERE participant_id = ? AND kind = 'erased'", [participant_id]):
        raise Refused(f"The data of {person_name(person.number)} were erased: there is nothing left to act on.")
    return person, person_name(person.number)


def _under_way(person: ParticipantRecord, who: str) -> None:
    if "stop" in PARTICIPANT[person.state]:
        return
    if person.state in ("entered", "welcomed"):
        raise Refused(f"{who} has not agreed to take part yet: nothing has begun.")
    ended = {"finished": "has finished", "withdrawn": "took their data back", "declined": "did not agree to take part"}
    told = ended.get(person.state, f"has come to their end ({IN_WORDS[OUTCOME_OF[person.state]]})")
    raise Refused(f"{who} {told}: it is too late for that.")


def _why(why: str) -> str:
    why = " ".join(why.split())
    if not why or len(why) > LONGEST_WHY:
        raise Refused(f"Say why, in 1 to {LONGEST_WHY} characters: the log keeps it. Write no names.")
    return why


def _told(store: Store, kind: str, person: ParticipantRecord, data: dict[str, object], actor: str) -> None:
    store.event(kind, data, actor=actor, study_id=person.study_id, participant_id=person.participant_id)
