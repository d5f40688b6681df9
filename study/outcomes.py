"""What came of somebody's taking part, and what they are given to go back with: only after it is certain that everything is on disk.

A code is worth money to whoever holds it, and proof to whoever pays: it is given once, for the outcome that stands in the database as
another connection reads it, and a row of `outcomes` says that it was given.
"""

from __future__ import annotations

import secrets

import msgspec

from data.store import Store, now
from study import payments
from study.errors import StudyError
from study.outcome_of import TRYING, ended
from study.participants import get_participant, study_of
from study.records import OutcomeRecord, ParticipantRecord
from study.returning import OUTCOMES, OutcomeName, address
from study.studies import Study

SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""What personal codes end in: no sign that looks like another."""
PERSONAL = 6
"""How many of them."""


class NotKept(StudyError):
    """What a participant did is not certain to be on disk; they are given no code yet, and nothing is lost by waiting."""

    code = "not_kept"
    status = 503


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody at their end is given."""

    outcome: OutcomeName
    code: str = ""
    """Empty: none."""
    link: str = ""
    """Filled in; empty: none."""
    redirect: bool = False
    """Whether the page goes there by itself."""
    debriefing: str = ""
    """What they read before."""
    tried: bool = False
    """Staff tried the study out: what people are given then is kept back."""


def conclude(store: Store, participant_id: str) -> Ending:
    """What somebody who has come to an end is given. What they did is read again through a connection of its own first, so that it is
    committed, and so is the row that says which code they have, before anything of it is told.

    Asking again gives the same.

    Args:
        store: the database.
        participant_id: who.

    Raises:
        NotKept: they are at no end, or what another connection reads is not all there.
    """
    with store.anew() as committed:
        person, outcome = _confirmed(committed, participant_id)
        given = _given(committed, participant_id)
    study = study_of(store, person)
    if person.state == "withdrawn" and (before := [row for row in given if row.outcome != "no_consent"]):
        # what they were promised before they took their data back stays promised
        outcome = _name(before[-1].outcome)
    way = study.returns.of(outcome)
    debriefing = study.debriefing if outcome in study.returns.debriefed else ""
    if person.mode in TRYING:
        return Ending(outcome=outcome, debriefing=debriefing, tried=bool(way.code or way.link))
    if outcome not in {row.outcome for row in given}:
        _give(store, study, person, outcome)
    with store.anew() as committed:
        kept = next((row for row in _given(committed, participant_id) if row.outcome == outcome), None)
        recruited = committed.one("SELECT external_id FROM recruitment WHERE participant_id = ?", [participant_id])
    if kept is None:
        raise NotKept("We could not make sure yet that everything is saved. Please wait a moment, and try again.")
    link = address(way, kept.code, recruited["external_id"] if recruited else "") if way.link else ""
    return Ending(outcome=outcome, code=kept.code, link=link, redirect=way.how == "redirect", debriefing=debriefing)


def _confirmed(committed: Store, participant_id: str) -> tuple[ParticipantRecord, OutcomeName]:
    """Somebody's outcome, if all that it rests on is there."""
    person = get_participant(committed, participant_id)
    outcome = ended(person)
    if outcome is None:
        raise NotKept(f"The participant {participant_id} is on their way ({person.state}): there is no outcome yet.")
    told = committed.one(
        "SELECT 1 AS yes FROM events WHERE participant_id = ? AND kind = 'participant_state' AND json_extract(data, '$.state') = ?",
        [participant_id, person.state],
    )
    lacking = committed.one(
        "SELECT s.slot_id FROM slots s WHERE s.participant_id = ? AND s.state = 'completed' AND NOT EXISTS "
        "(SELECT 1 FROM episodes e JOIN answers a USING (episode_id) WHERE e.slot_id = s.slot_id AND e.state = 'completed')",
        [participant_id],
    )
    # an erased person is a tombstone: their events are gone on purpose
    if lacking is not None or (told is None and person.state != "withdrawn"):
        raise NotKept("We could not make sure yet that everything is saved. Please wait a moment, and try again.")
    return person, outcome


def _given(store: Store, participant_id: str) -> list[OutcomeRecord]:
    """What somebody was told before, oldest first."""
    return store.rows("SELECT * FROM outcomes WHERE participant_id = ? ORDER BY told_at, rowid", OutcomeRecord, [participant_id])


def _give(store: Store, study: Study, person: ParticipantRecord, outcome: OutcomeName) -> None:
    """Note which code somebody has; asked for twice at once, the first counts."""
    with store.atomic():
        if any(row.outcome == outcome for row in _given(store, person.participant_id)):
            return
        code, at = study.returns.of(outcome).code, now()
        if code and study.returns.personal:
            code += "-" + "".join(secrets.choice(SIGNS) for _ in range(PERSONAL))
        row = {"participant_id": person.participant_id, "outcome": outcome, "code": code, "version": study.version, "told_at": at}
        store.insert("outcomes", row)
        store.event("outcome", {"outcome": outcome}, at=at, study_id=study.study_id, participant_id=person.participant_id)
        payments.settle(store, person.participant_id)


def _name(kept: str) -> OutcomeName:
    """An outcome as the database has it."""
    return next(outcome.name for outcome in OUTCOMES if outcome.name == kept)
