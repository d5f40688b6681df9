"""A platform's list against who took part: every kind of difference is found once, explained, and says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli import main
from data.frames import FrameStore
from data.store import Store
from data.task import Task
from study import access, erasure, outcomes, participants, payments
from study.paying import Pay
from study.reconcile_kinds import BY_NAME, KINDS
from study.reconciling import Ours, compare, reconcile
from study.recruiter_list import STATUSES, BadList, Claim, read_list
from study.returning import OUTCOMES, Return, Returns
from study.studies import Recruitment, create_study
from tests.present import present

HEADER = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,Archived at,Time taken,"
    "Completion code,Total approvals,Fluent languages,Age,Sex"
)
"""As Prolific writes it (an export of 2024 in a public repository)."""
CODES = {"done": "CDONE1", "screened_out": "CSCREEN1", "full": "CFULL1", "no_consent": "CNO1", "stopped": "CSTOP1", "technical": "CTECH1"}
WAY = {
    "done": ("welcome", "consent", "practise", "finish"),
    "screened_out": ("welcome", "consent", "screen_out"),
    "full": ("welcome", "consent", "turn_away"),
    "no_consent": ("welcome", "decline"),
    "stopped": ("welcome", "consent", "stop"),
    "technical": ("welcome", "consent", "fail"),
    "on the way": ("welcome", "consent"),
}


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    task = make_task()
    store.put_task(task)
    return create_study(
        store, "S", state="live", tasks=(task.content_hash,), trials=1, recruitment=Recruitment(external_study="abc"),
        returns=Returns(**{name: Return(code=code) for name, code in CODES.items()}),  # type: ignore[arg-type]
        pay=Pay(currency="GBP", per_session=Decimal("6.00"), minimum_per_hour=Decimal(9)),
    )  # fmt: skip


def come(store: Store, name: str, outcome: str) -> str:
    _, grant = access.enter_recruited(store, {"PROLIFIC_PID": name, "STUDY_ID": "abc", "SESSION_ID": f"s-{name}"})
    for event in WAY[outcome]:
        participants.advance(store, present(grant.participant_id), event)
    if outcome != "on the way":
        outcomes.conclude(store, present(grant.participant_id))
    return str(grant.participant_id)


ROWS: tuple[tuple[str, str, str, str, str], ...] = (
    # the person, what they did here, the platform's status, the code they brought, the class
    ("a01", "done", "APPROVED", "CDONE1", "agrees"),
    ("a02", "done", "AWAITING REVIEW", "cdone1", "to_approve"),
    ("a03", "on the way", "RETURNED", "", "left"),
    ("a04", "stopped", "TIMED-OUT", "", "ended_otherwise"),
    ("a05", "on the way", "ACTIVE", "", "under_way"),
    ("a06", "", "RETURNED", "", "never_came"),
    ("a07", "done", "AWAITING REVIEW", "NOCODE", "nocode_finished"),
    ("a08", "done", "AWAITING REVIEW", "GUESSED", "wrong_code"),
    ("a09", "stopped", "AWAITING REVIEW", "CDONE1", "other_outcomes_code"),
    ("a10", "done", "RETURNED", "", "returned_finished"),
    ("a11", "done", "TIMED-OUT", "", "timed_out_finished"),
    ("a12", "done", "REJECTED", "", "rejected_finished"),
    ("a13", "done", "SCREENED OUT", "", "screened_there"),
    ("a14", "done", "ACTIVE", "", "not_returned_yet"),
    ("a15", "on the way", "APPROVED", "", "approved_not_finished"),
    ("a16", "stopped", "AWAITING REVIEW", "NOCODE", "nocode_not_finished"),
    ("a17", "stopped", "REJECTED", "", "rejected_worked"),
    ("a18", "preview", "APPROVED", "CDONE1", "trying_out"),
    ("a01", "", "RETURNED", "", "second_submission"),
    ("a02", "again", "AWAITING REVIEW", "CDONE1", "row_twice"),
    ("", "", "APPROVED", "CDONE1", "no_person"),
    ("a19", "", "APPROVED", "CDONE1", "unknown"),
    ("a22", "screened_out", "SCREENED OUT", "CSCREEN1", "agrees"),
    ("a26", "full", "AWAITING REVIEW", "CFULL1", "agrees"),
    ("a23", "no_consent", "AWAITING REVIEW", "CNO1", "agrees"),
    ("a24", "technical", "APPROVED", "CTECH1", "agrees"),
    ("a25", "no_consent", "RETURNED", "", "ended_otherwise"),
)
HERE_ALONE = (("a20", "done", "not_in_list"), ("a21", "stopped", "left_not_in_list"))


@pytest.fixture
def everything(store: Store, study: Any, tmp_path: Path) -> Path:
    """A list with every kind of mismatch, and the people it is about."""
    lines = [HEADER]
    for number, (name, did, status, code, _) in enumerate(ROWS):
        if did in WAY:
            come(store, name, did)
        elif did == "preview":
            person = come(store, name, "done")
            with store.atomic() as db:
                db.execute("UPDATE participants SET mode = 'preview' WHERE participant_id = ?", [person])
        submission = f"s-{name}" if did in (*WAY, "preview", "again") else f"other-{number}"
        times = "2026-11-24T09:00:00.000Z,2026-11-24T09:30:00.000Z"
        lines.append(f'{submission},{name},{status},Not Applicable,{times},,,1800,{code},12,"English, German",31,Female')
    for name, did, _ in HERE_ALONE:
        come(store, name, did)
    access.enter(store, access.create_invite(store, "participant", study.study_id))
    path = tmp_path / "prolific_export.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_every_kind_of_mismatch_is_found_once_and_explained(store: Store, study: Any, everything: Path) -> None:
    found = reconcile(store, study.study_id, everything)
    expected = [kind for *_, kind in ROWS] + [kind for *_, kind in HERE_ALONE]
    assert [finding.kind for finding in found.findings] == expected
    assert set(expected) == set(BY_NAME)  # the list has a case of every class there is
    assert [finding.row for finding in found.findings] == [*range(2, 2 + len(ROWS)), None, None]
    for finding in found.findings:
        assert finding.sentence.endswith(".") and "{" not in finding.sentence and "None" not in finding.sentence
        assert finding.todo or BY_NAME[finding.kind].agrees
    assert found.differences == sum(not BY_NAME[kind].agrees for kind in expected) and found.by_invitation == 1
    assert sum(found.counts.values()) == len(found.findings)


def test_sentences_name_what_is_there_and_here(store: Store, study: Any, everything: Path) -> None:
    told = {finding.person: finding.sentence for finding in reconcile(store, study.study_id, everything).findings if finding.row != 20}
    assert told["a09"] == "P007 ended early here and was given CSTOP1, but brought CDONE1, the code of “finished”."
    assert told["a07"] == "P005 finished here and was given the code CDONE1, and brought none; the platform says AWAITING REVIEW."
    assert told["a15"] == "P013 is on their way here (0 tasks done), and is approved there."
    assert told["a22"].startswith("P017 was screened out here and brought that outcome's code")


STATES = ("", *CODES)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    people=st.lists(
        st.tuples(st.sampled_from("pqrstu"), st.sampled_from(STATES), st.sampled_from(("live", "bot"))), unique_by=lambda one: one[0]
    ),
    rows=st.lists(
        st.tuples(
            st.sampled_from(("", *"pqrstuvw")), st.sampled_from(sorted(set(STATUSES.values()))),
            st.sampled_from(("", "CDONE1", "CSTOP1", "NONE0")), st.sampled_from(("", "1", "2", "3")),
        ),
        max_size=9,
    ),
)  # fmt: skip
def test_each_row_and_each_person_is_in_exactly_one_class(people: list[Any], rows: list[Any]) -> None:
    ours = [
        Ours(participant_id=f"p_{n}", number=n, person=name, mode=mode, outcome=outcome, given={outcome: CODES[outcome]} if outcome else {})
        for n, (name, outcome, mode) in enumerate(people)
    ]
    claims = [Claim(row=n, person=p, status=s, code=c, submission=sub) for n, (p, s, c, sub) in enumerate(rows, 2)]
    found = compare(claims, ours, {code: name for name, code in CODES.items()})
    assert [one.row for one in found if one.row] == [claim.row for claim in claims]
    seen = {claim.person for claim in claims}
    main = [one.participant_id for one in found if one.participant_id and one.kind not in ("second_submission", "row_twice")]
    assert len(main) == len(set(main))
    for one in ours:
        twice = all(f.kind == "row_twice" for f in found if f.person == one.person and f.row)
        assert (one.participant_id in main) or one.mode == "bot" or (one.person in seen and twice)


def test_what_the_platform_paid_is_noted_once(store: Store, study: Any, everything: Path) -> None:
    def run(*more: str) -> Result:
        return CliRunner().invoke(main, ["study", "reconcile", study.study_id, str(everything), "--db", str(store.home.db), *more])

    first = json.loads(run("--json", "--note-paid").stdout)
    # a01 and a24 are due a session; a15 is approved and due nothing
    assert first["payments_noted"] == 2 and first["differences"] == 18
    assert json.loads(run("--json", "--note-paid").stdout)["payments_noted"] == 0
    paid = [one.paid for one in payments.accounts(store, study.study_id) if one.paid]
    assert paid == [600, 600]
    told = run()
    assert told.exit_code == 3 and "→ Approve it" in told.stdout and "18 differences." in told.stderr
    assert "    1  finished here, no code there" in told.stdout


def test_a_plain_list_and_columns_of_another_name(store: Store, study: Any, tmp_path: Path) -> None:
    come(store, "a", "done")
    path = tmp_path / "plain.csv"
    path.write_text("who;Entered;State\na;CDONE1;granted\n")
    with pytest.raises(BadList, match="no column with the platform's id of the person"):
        reconcile(store, study.study_id, path)
    found = reconcile(store, study.study_id, path, {"person": "Who", "code": "entered"})
    assert found.counts == {"agrees": 1} and found.differences == 0
    path.write_text("person\na\n")  # nothing but ids: they came, and brought no code
    assert reconcile(store, study.study_id, path).counts == {"nocode_finished": 1}


@pytest.mark.parametrize(
    ("text", "columns", "sentence"),
    [
        ("", {}, "cannot be read as a list: it is empty"),
        ("a,b\n", {}, "no column with the platform's id"),
        ("person,status\nx,LOST\n", {}, "line 2: the status 'LOST' is none that is known"),
        ("person\nx\n", {"person": "pid"}, "has no column 'pid' for person"),
        ("person\nx\n", {"persn": "person"}, "no 'persn' to name a column for"),
        ('person,code\n"x,1\n', {}, "quotation marks that are never closed"),
        ("person,person\nx,y\n", {}, "names the column 'person' twice"),
    ],
)
def test_a_list_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path, text: str, columns: dict[str, str], sentence: str) -> None:
    path = tmp_path / "list.csv"
    path.write_text(text)
    with pytest.raises(BadList, match=sentence):
        read_list(path, columns)


def test_whose_data_were_erased_is_named_as_a_possibility(store: Store, frames: FrameStore, study: Any, tmp_path: Path) -> None:
    erasure.erase(store, frames, come(store, "gone", "done"))
    path = tmp_path / "list.csv"
    path.write_text("person,status,code\ngone,APPROVED,CDONE1\n")
    (finding,) = reconcile(store, study.study_id, path).findings
    assert finding.kind == "unknown" and "1 of this study's people had their data erased" in finding.sentence


def test_the_commands_show_and_write_the_ledger(store: Store, study: Any, tmp_path: Path) -> None:
    person = come(store, "pid-7", "done")
    run: Callable[..., Any] = lambda *words: CliRunner().invoke(main, ["study", *words, "--db", str(store.home.db)])  # noqa: E731
    file = tmp_path / "pay.csv"
    shown = run("pay", study.study_id, "--csv", str(file))
    assert "due 6.00 GBP, paid 0.00 GBP" in shown.stdout and "pid-7" not in shown.stdout
    assert file.read_text().splitlines()[1] == f"pid-7,s-pid-7,{person},done,6.00,GBP"
    assert file.stat().st_mode & 0o077 == 0
    assert "paid 6.00 GBP" in run("payment", person, "paid").stdout
    assert "Nothing was written" in run("payment", person, "paid").stdout
    refused = run("payment", person, "bonus", "1.50")
    assert refused.exit_code == 2 and "Say why this bonus is made" in refused.stderr
    assert run("payment", person, "bonus", "1.505", "--why", "x").exit_code == 2
    (told,) = json.loads(run("pay", study.study_id, "--json").stdout)["people"]
    assert (told["due"], told["paid"], told["owed"], told["wall_ms"]) == (
        600,
        600,
        "paid",
        sum(told["spent"][f"{k}_ms"] for k in ("shown", "thinking", "waiting", "away")),
    )


def test_the_registry_has_each_class_once() -> None:
    assert len(BY_NAME) == len(KINDS) and {one.name for one in OUTCOMES} == set(CODES)
