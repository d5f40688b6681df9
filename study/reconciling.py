"""What a recruitment platform says against what is here: each row of its list and each of our people is in exactly one class
(`study.reconcile_kinds`), which says what it means and what to do.

The platform knows who came, which code they brought and what it paid; the database knows what they did and which code they were given. The
comparison is a pure function over both; reading the file and the database is apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from data.store import Store
from study import payments
from study.outcome_of import TRYING, ended
from study.reconcile_kinds import BY_NAME, KINDS
from study.records import ParticipantRecord
from study.recruiter_list import Claim, read_list
from study.rejections import rejections
from study.returning import IN_WORDS, OUTCOMES
from study.studies import get_study
from study.words import person as person_name


class Ours(msgspec.Struct, frozen=True, kw_only=True):
    """One of our people who came from the platform."""

    participant_id: str
    number: int
    person: str
    """The platform's id."""
    submission: str = ""
    """The platform's id of the visit with which they first came."""
    mode: str = "live"
    outcome: str = ""
    """A name of `OUTCOMES`; empty: on their way."""
    given: Mapping[str, str] = {}
    """Outcome → the code that they were given with it."""
    tasks: int = 0
    """Done."""
    rejected: str = ""
    """Why a researcher did not accept their data; empty: so it is not."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A row of theirs with a person of ours, or one of the two alone."""

    kind: str
    """A name of `KINDS`."""
    row: int | None
    """Line of the file; None: only here."""
    person: str
    """The platform's id."""
    submission: str
    participant_id: str
    """Ours; empty: only there."""
    who: str
    """``P012``; empty: only there."""
    sentence: str
    """What it is."""
    todo: str
    """What to do; empty: nothing."""


@dataclass(frozen=True)
class Reconciled:
    """What came of it."""

    findings: tuple[Finding, ...]
    by_invitation: int = 0
    """People who came by an invitation link, whom no platform knows."""
    notes: tuple[str, ...] = field(default=())
    """What had to be assumed to read the list."""

    @property
    def counts(self) -> dict[str, int]:
        """Class → how many, in the order of the registry; only those that there are."""
        found = [finding.kind for finding in self.findings]
        return {kind.name: found.count(kind.name) for kind in KINDS if kind.name in found}

    @property
    def differences(self) -> int:
        """Findings that are no agreement."""
        return sum(not BY_NAME[finding.kind].agrees for finding in self.findings)


def compare(claims: Sequence[Claim], people: Sequence[Ours], codes: Mapping[str, str], erased: int = 0) -> tuple[Finding, ...]:
    """Put each row and each person into one class.

    Args:
        claims: rows of the platform's list.
        people: ours who came from it.
        codes: every code that the study has or had → its outcome.
        erased: how many people's data were erased, whose ids are not known here any more.

    Returns:
        Findings: rows in their order, then who is in no row.
    """
    known = {one.person: one for one in people}
    owners = {code.casefold(): one for one in people for code in one.given.values() if code}
    every_code = {code.casefold(): outcome for code, outcome in codes.items()}
    rows: dict[str, list[Claim]] = defaultdict(list)
    first: dict[str, Claim] = {}
    findings: dict[int, Finding] = {}
    for claim in claims:
        before = first.setdefault(claim.submission, claim) if claim.submission else claim
        if before is not claim:
            findings[claim.row] = _finding("row_twice", claim, known.get(claim.person), other=f"line {before.row}")
        elif not claim.person:
            findings[claim.row] = _finding("no_person", claim, None)
        else:
            rows[claim.person].append(claim)
    for whose, own in rows.items():
        one = known.get(whose)
        main = _main(own, one)
        for claim in own:
            if one is None:
                out = claim.status in ("returned", "timed_out", "open")
                told = f"; {erased} of this study's people had their data erased, and one of them may be meant" if erased else ""
                findings[claim.row] = _finding("never_came" if out else "unknown", claim, None, erased=told)
            elif claim is not main:
                named = f"submission {main.submission}" if main.submission else f"line {main.row}"
                findings[claim.row] = _finding("second_submission", claim, one, other=named)
            else:
                findings[claim.row] = _of_both(claim, one, every_code, owners)
    found = [findings[row] for row in sorted(findings)]
    for one in people:
        if one.person not in rows and one.mode not in TRYING:
            kind = "not_in_list" if one.outcome == "done" else "left_not_in_list"
            found.append(_finding(kind, Claim(row=0, person=one.person, submission=one.submission), one))
    return tuple(found)


def _main(own: Sequence[Claim], one: Ours | None) -> Claim:
    """The row of somebody's that their visit here belongs to: that of their first visit, else one with the code that they were given, else
    the first."""
    if one is None:
        return own[0]
    given = {code.casefold() for code in one.given.values() if code}
    tests: tuple[Callable[[Claim], bool], ...] = (
        lambda claim: bool(one.submission) and claim.submission == one.submission,
        lambda claim: claim.code.casefold() in given,
        lambda claim: claim.status == "paid",
    )
    return next((claim for test in tests for claim in own if test(claim)), own[0])


def _of_both(claim: Claim, one: Ours, codes: Mapping[str, str], owners: Mapping[str, Ours]) -> Finding:
    """Somebody whom both sides know."""
    if one.mode in TRYING:
        return _finding("trying_out", claim, one)
    code, given = claim.code.casefold(), one.given.get(one.outcome, "").casefold()
    right = bool(code) and code == given
    if code and not right:
        other = codes.get(code)
        owner = owners.get(code)
        if other is not None or owner is not None:
            whose = IN_WORDS[other] if other else f"another person ({person_name(owner.number)})" if owner else ""
            # Who was given another code before, and then went on, brought what they had.
            return _finding("other_outcomes_code", claim, one, other=f"“{whose}”" if other else whose)
        return _finding("wrong_code", claim, one)
    if one.outcome == "done":
        return _finding(_finished(claim.status, right or not given), claim, one)
    return _finding(_unfinished(claim.status, right, one.outcome), claim, one)


def _finished(status: str, coded: bool) -> str:
    """The class of whoever finished, and brought the right code or none; `coded`: the right one, or there is none to bring."""
    if status in ("paid", "waiting"):
        return ("agrees" if status == "paid" else "to_approve") if coded else "nocode_finished"
    return {
        "returned": "returned_finished",
        "timed_out": "timed_out_finished",
        "rejected": "rejected_finished",
        "screened_out": "screened_there",
    }.get(status, "not_returned_yet")


def _unfinished(status: str, right: bool, outcome: str) -> str:
    """The class of whoever did not finish, and brought their own outcome's code or none."""
    if right and status != "rejected":
        return "agrees"
    if status == "paid":
        return "approved_not_finished"
    if status == "rejected":
        return "rejected_worked"
    if status == "waiting":
        return "nocode_not_finished"
    if status == "open" and not outcome:
        return "under_way"
    return "ended_otherwise" if outcome else "left"


def _finding(name: str, claim: Claim, one: Ours | None, *, other: str = "", erased: str = "") -> Finding:
    kind = BY_NAME[name]
    outcome = "" if one is None else IN_WORDS.get(one.outcome, "is on their way")
    values = {
        "who": "Somebody" if one is None else person_name(one.number),
        "said": claim.said or "nothing",
        "code": claim.code or claim.submission or "none",
        "given": "" if one is None else one.given.get(one.outcome, "") or "no code",
        "outcome": f"was {outcome}" if outcome in ("screened out", IN_WORDS["technical"]) else outcome,
        "tasks": "" if one is None else one.tasks,
        "other": other,
        "erased": erased,
    }
    return Finding(
        kind=name,
        row=claim.row or None,
        person=claim.person,
        submission=claim.submission,
        participant_id="" if one is None else one.participant_id,
        who="" if one is None else person_name(one.number),
        sentence=kind.says.format(**values) + _rejected(one),
        todo=kind.todo,
    )


def _rejected(one: Ours | None) -> str:
    return "" if one is None or not one.rejected else f" Their data were rejected here ({one.rejected}); what is due to them stays due."


def reconcile(store: Store, study_id: str, path: Path, columns: Mapping[str, str] | None = None) -> Reconciled:
    """Compare a platform's list with a study.

    Args:
        store: the database.
        study_id: the study.
        path: the list, CSV.
        columns: what is wanted (`COLUMNS`) → how its column is called in this list, where it is called otherwise.

    Raises:
        UnknownStudy: there is none.
        BadList: the list cannot be read, or has no column for the person.
    """
    get_study(store, study_id)
    return reconcile_claims(store, study_id, *read_list(path, columns or {}))


def reconcile_claims(store: Store, study_id: str, claims: Sequence[Claim], notes: Sequence[str] = ()) -> Reconciled:
    """The same of a list that is read already (`study.recruiter_list.read_rows`)."""
    people = _people(store, study_id)
    erased = store.one("SELECT count(DISTINCT participant_id) AS n FROM events WHERE kind = 'erased' AND study_id = ?", [study_id])
    came = store.one(
        "SELECT count(*) AS n FROM participants p WHERE p.study_id = ? AND p.mode IN ('live', 'pilot') "
        "AND NOT EXISTS (SELECT 1 FROM recruitment r WHERE r.participant_id = p.participant_id)",
        [study_id],
    )
    gone = int(erased["n"]) if erased else 0
    found = compare(claims, people, _codes(store, study_id), gone)
    return Reconciled(found, max(0, (int(came["n"]) if came else 0) - gone), tuple(notes))


def _people(store: Store, study_id: str) -> list[Ours]:
    """Ours who came from a platform, of every kind of run."""
    rows = store.query(
        "SELECT p.*, r.external_id, r.external_session FROM recruitment r JOIN participants p USING (participant_id) "
        "WHERE r.study_id = ? ORDER BY p.number",
        [study_id],
    )
    given: dict[str, dict[str, str]] = defaultdict(dict)
    for row in store.query(
        "SELECT o.participant_id, o.outcome, o.code FROM outcomes o JOIN participants p USING (participant_id) WHERE p.study_id = ?",
        [study_id],
    ):
        given[row["participant_id"]][row["outcome"]] = row["code"]
    people, refused = [], rejections(store, study_id)
    for row in rows:
        person = msgspec.convert(row | {"shared_computer": bool(row["shared_computer"])}, ParticipantRecord)
        own = given[person.participant_id]
        outcome = ended(person) or ""
        if person.state == "withdrawn" and "done" in own:
            outcome = "done"
        people.append(
            Ours(
                participant_id=person.participant_id,
                number=person.number,
                person=row["external_id"],
                submission=row["external_session"],
                mode=person.mode,
                outcome=outcome,
                given=own or _promised(store, person, outcome),
                tasks=payments.done(store, person.participant_id),
                rejected=refused[person.participant_id].words if person.participant_id in refused else "",
            )
        )
    return people


def _promised(store: Store, person: ParticipantRecord, outcome: str) -> dict[str, str]:
    """The code of whoever has not seen their last page yet, as it would be."""
    returns = get_study(store, person.study_id, person.version).returns
    code = next((returns.of(one.name).code for one in OUTCOMES if one.name == outcome), "")
    return {outcome: code} if code and not returns.personal else {}


def _codes(store: Store, study_id: str) -> dict[str, str]:
    """Every code of every version of the study → its outcome."""
    versions: Iterable[int | None] = [
        row["version"] for row in store.query("SELECT version FROM study_versions WHERE study_id = ? ORDER BY version", [study_id])
    ] or [None]
    studies = [get_study(store, study_id, version) for version in versions]
    return {code: one.name for study in studies for one in OUTCOMES if (code := study.returns.of(one.name).code)}


def note_paid(store: Store, found: Reconciled, claims: Iterable[Claim], *, actor: str) -> int:
    """Write into the ledger what the platform has approved of people who are due something; each submission once.

    Returns:
        How many payments were written.
    """
    paid = {claim.row: claim for claim in claims if claim.status == "paid"}
    written = 0
    for finding in found.findings:
        if finding.row in paid and finding.participant_id and finding.kind not in ("second_submission", "row_twice", "trying_out"):
            reference = finding.submission or f"line {finding.row}"
            written += payments.record(store, finding.participant_id, "paid", None, actor=actor, reference=reference) is not None
    return written
