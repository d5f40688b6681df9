"""The ledger of payments: what is due to each participant, and what was paid. Rows are only added; a mistake is mended by a correction.

What is due for a session is written once, by the study's own rule and the time as it was measured, when its outcome is told or when the
ledger is looked at; nobody is due twice, and nobody who came to an end is left out. A payment pays what is open and no more, so paying
again pays nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal

import msgspec

from data.spreadsheets import csv_cell
from data.store import Store, new_id, now
from study.errors import StudyError
from study.outcome_of import TRYING, ended
from study.participants import get_participant, study_of
from study.paying import HOUR_MS, money
from study.records import ParticipantRecord
from study.rejections import rejection
from study.returning import OutcomeName
from study.studies import Study
from study.time_spent import Spent, time_of

Kind = Literal["due", "correction", "bonus", "paid"]
MINUTE_MS = 60_000
KINDS: dict[str, str] = {
    "due": "what a session is worth by the study's rule",
    "correction": "what is due in addition, or less",
    "bonus": "what is paid on top",
    "paid": "what was paid",
}


class BadPayment(StudyError):
    """An entry that the ledger cannot take; the message says why, and what can be done."""

    code = "bad_payment"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `payments`."""

    payment_id: str
    participant_id: str
    session: int
    kind: Kind
    hundredths: int
    """Of the currency's unit; of a correction it may be negative."""
    currency: str
    reference: str
    """Where the same thing stands elsewhere, such as a transfer's number; the same reference is taken once."""
    why: str
    actor: str
    at: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One participant's pay."""

    participant_id: str
    number: int
    state: str
    outcome: str
    """A name of `study.returning.OUTCOMES`; empty: on their way."""
    mode: str
    tasks: int
    """Done, practice aside."""
    spent: Spent | None
    """Where their time went; None: of whoever had their data erased."""
    due: int
    """Hundredths: sessions, corrections and bonuses."""
    paid: int
    currency: str
    promised: int = 0
    """What they are due by the study's rule and is not written yet (`settle`); of whoever is on their way: if they ended now."""
    rejected: str = ""
    """Why a researcher did not accept their data, in words; empty: so it is not. What is due stays due."""
    minimum: int = 0
    """Hundredths an hour below which one is warned; 0: none."""

    @property
    def open(self) -> int:
        """Still to pay; less than nothing: too much was paid."""
        return self.due - self.paid

    @property
    def per_hour(self) -> int | None:
        """Hundredths for an hour as measured, waiting for us included and time away not; None: nothing can be said yet."""
        if self.spent is None or self.spent.paid_ms < MINUTE_MS or not self.outcome or not self.due:
            return None
        return round(self.due * HOUR_MS / self.spent.paid_ms)

    @property
    def too_low(self) -> bool:
        """Whether that lies below the study's minimum."""
        return self.per_hour is not None and 0 < self.per_hour < self.minimum

    @property
    def owed(self) -> str:
        """In words: ``paid``, ``open``, ``too much``, ``nothing due`` or ``on their way``."""
        if self.open > 0 or (self.outcome and self.promised):
            return "open"
        if self.open < 0:
            return "too much"
        return "paid" if self.paid else "nothing due" if self.outcome else "on their way"


def settle(store: Store, participant_id: str) -> list[Entry]:
    """Write what is due to somebody by the study's rule and is not written yet: for each session that they finished, and for what they did
    of another one when they came to an end. Asked again it writes nothing.

    Returns:
        What was written.
    """
    person = get_participant(store, participant_id)
    study = study_of(store, person)
    if not study.pay.currency or person.mode in TRYING:
        return []
    with store.atomic():
        outcome = ended(person)
        known = {entry.session: entry.hundredths for entry in entries(store, participant_id) if entry.kind == "due"}
        owed = [(session, amount) for session, amount in _owed(store, study, person, outcome, known) if session not in known]
        why, refused = _why(outcome), rejection(store, participant_id)
        if refused is not None:
            why += f"; their data were rejected ({refused.words})"
        return [_write(store, study, person, "due", session, amount, why=why) for session, amount in owed]


def _owed(
    store: Store, study: Study, person: ParticipantRecord, outcome: OutcomeName | None, known: dict[int, int], *, now_too: bool = False
) -> list[tuple[int, int]]:
    """(session, hundredths) that somebody is due by the study's rule and that is not `known`; with `now_too` also what the session under
    way is worth as it stands, as if they ended it."""
    each = min(study.trials, len(study.tasks)) or 1
    tasks = done(store, person.participant_id)
    finished = study.sessions if outcome == "done" else min(study.sessions, tasks // each)
    new = [session for session in range(1, finished + 1) if session not in known]
    rule = _rule(study, outcome or "stopped")
    begun = finished < study.sessions and (outcome is not None or now_too) and rule is not None and finished + 1 not in known
    if not new and not begun:
        return []
    ms = _unpaid_ms(store, study, person, known)
    owed = [(session, study.pay.for_session(ms // len(new))) for session in new]
    if begun and rule is not None:
        # where time is paid, that of sessions that are paid just now is not paid twice
        left = 0 if new and study.pay.per_session is None else ms
        owed.append((finished + 1, study.pay.for_part(rule, tasks - finished * each, each, left)))
    return owed


def _unpaid_ms(store: Store, study: Study, person: ParticipantRecord, known: dict[int, int]) -> int:
    """Somebody's paid time that no session was paid for yet. It is measured from coming in, so earlier sessions' hours are taken off."""
    ms = time_of(store, person.participant_id).paid_ms
    if study.pay.per_hour:
        ms -= round(sum(known.values()) * HOUR_MS / (study.pay.per_hour * 100))
    return max(0, ms)


def _rule(study: Study, outcome: OutcomeName) -> Literal["nothing", "by_tasks", "by_time", "amount", "in_full"] | None:
    """How an unfinished session is paid; None: whoever did not agree to take part did nothing that is paid."""
    return {
        "stopped": study.pay.stopped,
        "technical": study.pay.technical,
        "screened_out": study.pay.screened_out,
        "full": study.pay.screened_out,
    }.get(outcome)


def _why(outcome: OutcomeName | None) -> str:
    return f"by the study's rule: {outcome or 'a session finished'}"


def done(store: Store, participant_id: str) -> int:
    """Tasks that somebody did, practice aside; of whoever took their data back: as many as they had done then."""
    row = store.one(
        "SELECT count(*) AS n FROM slots s WHERE s.participant_id = ? AND s.practice = 0 AND (s.state = 'completed' OR "
        "(s.state IN ('withdrawn', 'rejected') AND EXISTS (SELECT 1 FROM episodes e JOIN answers a USING (episode_id) "
        "WHERE e.slot_id = s.slot_id)))",
        [participant_id],
    )
    return int(row["n"]) if row else 0


def entries(store: Store, participant_id: str) -> list[Entry]:
    """All of somebody's entries, oldest first."""
    return store.rows("SELECT * FROM payments WHERE participant_id = ? ORDER BY at, rowid", Entry, [participant_id])


def record(
    store: Store, participant_id: str, kind: Kind, amount: int | None, *, actor: str, why: str = "", reference: str = "", session: int = 1
) -> Entry | None:
    """Add an entry.

    Args:
        store: the database.
        participant_id: whose.
        kind: ``correction``, ``bonus`` or ``paid``; ``due`` is written by `settle` alone.
        amount: hundredths; None, of a payment: all that is open.
        actor: who says so.
        why: needed for a correction and a bonus.
        reference: where the same thing stands elsewhere; an entry of this kind and reference that is there already is not written again.
        session: which.

    Returns:
        The entry; None: it was there already, or nothing was open.

    Raises:
        BadPayment: the study pays nobody; or the amount is none, or more than is open; or a reason is missing.
    """
    person = get_participant(store, participant_id)
    study = study_of(store, person)
    if not study.pay.currency:
        raise BadPayment("This study pays nobody: give its settings a currency and an amount first (pay.currency, pay.per_session).")
    if person.mode in TRYING:
        raise BadPayment("This is somebody of staff who tried the study out, or a simulated person: nobody to pay.")
    settle(store, participant_id)
    with store.atomic():
        own = entries(store, participant_id)
        if reference and any((one.kind, one.reference, one.session) == (kind, reference, session) for one in own):
            return None
        left = sum(one.hundredths for one in own if one.kind != "paid") - sum(one.hundredths for one in own if one.kind == "paid")
        amount = _checked(kind, amount, left, why, study.pay.currency)
        if amount == 0:
            return None
        return _write(store, study, person, kind, session, amount, why=why, reference=reference, actor=actor)


def _checked(kind: Kind, amount: int | None, left: int, why: str, currency: str) -> int:
    """The amount of an entry, if it can be written."""
    if kind == "due":
        raise BadPayment("What is due is written by the study's own rule. Write a correction instead.")
    if kind == "paid":
        if left <= 0 or amount is None:
            return max(0, left)
        if not 0 < amount <= left:
            raise BadPayment(
                f"{money(left, currency)} are open, got {money(amount, currency)}: nobody is paid more than is due. Write a bonus or a "
                "correction first if it is meant."
            )
        return amount
    if amount is None or amount == 0 or (kind == "bonus" and amount < 0):
        raise BadPayment(f"A {kind} needs an amount{' above 0' if kind == 'bonus' else ''}.")
    if not why.strip():
        raise BadPayment(f"Say why this {kind} is made: the ledger keeps it.")
    return amount


def _write(
    store: Store,
    study: Study,
    person: ParticipantRecord,
    kind: Kind,
    session: int,
    amount: int,
    *,
    why: str = "",
    reference: str = "",
    actor: str = "",
) -> Entry:
    """Add an entry with its event; part of the caller's transaction."""
    entry = Entry(
        payment_id=new_id("pay"),
        participant_id=person.participant_id,
        session=session,
        kind=kind,
        hundredths=amount,
        currency=study.pay.currency,
        reference=reference,
        why=why,
        actor=actor,
        at=now(),
    )
    store.insert("payments", msgspec.structs.asdict(entry))
    told = {"payment": entry.payment_id, "kind": kind, "hundredths": amount, "currency": entry.currency, "session": session}
    store.event("payment", told, at=entry.at, actor=actor, study_id=person.study_id, subject=entry.payment_id)
    return entry


def settle_all(store: Store, study_id: str, mode: str = "live") -> int:
    """Write what is due to everybody of a study and is not written yet; returns how many entries that were."""
    rows = store.query("SELECT participant_id FROM participants WHERE study_id = ? AND mode = ? ORDER BY number", [study_id, mode])
    return sum(len(settle(store, row["participant_id"])) for row in rows)


def accounts(store: Store, study_id: str, mode: str = "live") -> list[Account]:
    """The pay of everybody of a study as it stands, in the order in which they came. Nothing is written (`settle_all`).

    Args:
        store: the database.
        study_id: the study.
        mode: which kind of run.
    """
    sql = "SELECT * FROM participants WHERE study_id = ? AND mode = ? ORDER BY number"
    return [account(store, person) for person in store.rows(sql, ParticipantRecord, [study_id, mode])]


def account(store: Store, person: ParticipantRecord) -> Account:
    """One participant's pay as it stands."""
    study, own, outcome = study_of(store, person), entries(store, person.participant_id), ended(person)
    erased = store.one("SELECT 1 AS yes FROM events WHERE participant_id = ? AND kind = 'erased'", [person.participant_id])
    due = sum(entry.hundredths for entry in own if entry.kind != "paid")
    known = {entry.session: entry.hundredths for entry in own if entry.kind == "due"}
    promised = 0
    if study.pay.currency and person.mode not in TRYING:
        promised = sum(amount for _, amount in _owed(store, study, person, outcome, known, now_too=outcome is None))
    minimum, refused = study.pay.minimum_per_hour, rejection(store, person.participant_id)
    return Account(
        participant_id=person.participant_id,
        number=person.number,
        state=person.state,
        outcome=outcome or "",
        mode=person.mode,
        tasks=done(store, person.participant_id),
        spent=None if erased else time_of(store, person.participant_id),
        due=due,
        paid=sum(entry.hundredths for entry in own if entry.kind == "paid"),
        currency=own[-1].currency if own else study.pay.currency,
        promised=promised,
        rejected="" if refused is None else refused.words,
        minimum=0 if minimum is None else round(minimum * 100),
    )


def for_recruiter(store: Store, study_id: str, mode: str = "live") -> list[dict[str, str]]:
    """What is open to pay, by the platform's id: for the recruiter alone. Who came by no platform stands there by their pseudonym."""
    rows = store.query("SELECT participant_id, external_id, external_session FROM recruitment WHERE study_id = ?", [study_id])
    whom = {row["participant_id"]: (row["external_id"], row["external_session"]) for row in rows}
    lines = []
    for one in accounts(store, study_id, mode):
        if one.open > 0:
            person, visit = whom.get(one.participant_id, ("", ""))
            lines.append(
                {"platform_id": person, "submission": visit, "participant": one.participant_id, "outcome": one.outcome}
                | {"amount": f"{Decimal(one.open) / 100:.2f}", "currency": one.currency}
            )
    return lines


COLUMNS = ("platform_id", "submission", "participant", "outcome", "amount", "currency")
"""Of the recruiter's file."""


def as_csv(lines: Sequence[Mapping[str, str]]) -> str:
    """The recruiter's file; no cell of it is a formula in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([csv_cell(line[name]) for name in COLUMNS] for line in lines)
    return out.getvalue()
