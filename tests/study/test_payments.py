"""The ledger: what is due by the study's rule once, what is open paid once, measured hourly pay with a warning below the minimum."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from data.store import Store
from data.task import Task
from study import access, outcomes, participants, payments
from study.episode import EpisodeEngine
from study.paying import Pay, hundredths, money
from study.payments import BadPayment
from study.studies import Recruitment, create_study
from tests.present import present

PAY = Pay(currency="EUR", per_session=Decimal("9.00"), minimum_per_hour=Decimal("12.82"))


@pytest.fixture
def make(store: Store, make_task: Callable[..., Task]) -> Any:
    tasks = [
        make_task(f"t{n}", category=c) for n, c in enumerate(("Metric Comparison", "Enumerative Perception", "Temporal Understanding"))
    ]
    for task in tasks:
        store.put_task(task)

    def study(**fields: Any) -> Any:
        fields = {"trials": 3, "pay": PAY, "recruitment": Recruitment(external_study="abc")} | fields
        return create_study(store, "S", state="live", tasks=tuple(task.content_hash for task in tasks), **fields)

    return study


def play(store: Store, engine: Any, study: Any, tasks: int, *events: str, minutes: float | None = None, **more: Any) -> str:
    """Somebody who does so many tasks, then what `events` say; they came in so many minutes ago."""
    person = participants.add_participant(store, study.study_id, **more)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    for _ in range(tasks):
        view = engine.open(participants.place(store, engine, person).episode_id)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    participants.place(store, engine, person)
    for event in events:
        participants.advance(store, person, event)
    if minutes is not None:
        came = (datetime.now(UTC) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        with store.atomic() as db:
            db.execute("UPDATE participants SET created_at = ? WHERE participant_id = ?", [came, person])
    return person


def one(store: Store, person: str) -> payments.Account:
    return payments.account(store, participants.get_participant(store, person))


def test_who_finishes_is_due_a_session_once(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = play(store, engine, make(), 3)
    assert [(e.kind, e.hundredths, e.session) for e in payments.settle(store, person)] == [("due", 900, 1)]
    assert payments.settle(store, person) == []
    outcomes.conclude(store, person)
    account = one(store, person)
    assert (account.due, account.paid, account.open, account.owed, account.outcome) == (900, 0, 900, "open", "done")


def test_the_code_and_what_is_due_are_written_together(
    store: Store, engine: EpisodeEngine, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = play(store, engine, make(), 3)
    with monkeypatch.context() as patch:
        patch.setattr(payments, "settle", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            outcomes.conclude(store, person)
    assert store.query("SELECT * FROM outcomes") == []
    outcomes.conclude(store, person)
    assert one(store, person).due == 900


@pytest.mark.parametrize(
    ("event", "rule", "due"),
    [
        ("stop", {"stopped": "by_tasks"}, 600),
        ("stop", {"stopped": "nothing"}, 0),
        ("stop", {"stopped": "in_full"}, 900),
        ("stop", {"stopped": "amount", "amount": "1.50"}, 150),
        ("stop", {"stopped": "by_time"}, 642),  # half an hour at 12.82, rounded up, and a little for the tenths of a second
        ("fail", {}, 900),
        ("screen_out", {"screened_out": "amount", "amount": "0.10"}, 10),
    ],
)
def test_who_does_not_finish_is_paid_by_the_studys_rule(
    store: Store, engine: EpisodeEngine, make: Any, monkeypatch: pytest.MonkeyPatch, event: str, rule: dict[str, str], due: int
) -> None:
    monkeypatch.setattr("study.time_spent.SILENT_MS", 10**9)
    study = make(pay=Pay(**{"currency": "EUR", "per_session": "9.00", "minimum_per_hour": "12.82"} | rule))  # type: ignore[arg-type]
    person = play(store, engine, study, 2, event, minutes=30)
    payments.settle(store, person)
    assert one(store, person).due == pytest.approx(due, abs=1)


def test_who_declines_or_only_looks_in_is_due_nothing(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    person = participants.add_participant(store, study.study_id)
    participants.stop(store, engine, person)
    assert payments.settle(store, person) == [] and one(store, person).owed == "nothing due"
    assert payments.settle(store, play(store, engine, study, 1)) == []


def test_by_the_hour_waiting_is_paid_and_time_away_is_not(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(pay=Pay(currency="GBP", per_hour=Decimal(10)))
    person = play(store, engine, study, 3, minutes=60)  # an hour without a sign of life before the first task: away
    payments.settle(store, person)
    account = one(store, person)
    assert account.spent is not None and account.spent.away_ms >= 3_500_000
    assert account.due == hundredths(Decimal(10) * account.spent.paid_ms / 3_600_000) < 10


def test_several_sessions_are_due_one_by_one(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(trials=1, sessions=3)
    person = play(store, engine, study, 1)
    with store.atomic() as db:
        db.execute("UPDATE participants SET state = 'practised', finished_at = NULL")  # the first session of three
    assert [(e.session, e.hundredths) for e in payments.settle(store, person)] == [(1, 900)]
    assert payments.settle(store, person) == []
    payments.record(store, person, "paid", None, actor="ann")
    participants.advance(store, person, "finish")
    assert [(e.session, e.hundredths) for e in payments.settle(store, person)] == [(2, 900), (3, 900)]
    assert one(store, person).open == 1800


def test_paying_pays_what_is_open_and_paying_again_pays_nothing(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = play(store, engine, make(), 3)
    paid = payments.record(store, person, "paid", None, actor="ann", reference="batch-1")
    assert paid is not None and paid.hundredths == 900
    assert payments.record(store, person, "paid", None, actor="ann", reference="batch-1") is None
    assert payments.record(store, person, "paid", None, actor="ann") is None
    assert one(store, person).owed == "paid"
    payments.record(store, person, "bonus", 250, actor="ann", why="the server was slow", reference="bonus-1")
    assert payments.record(store, person, "bonus", 250, actor="ann", why="the server was slow", reference="bonus-1") is None
    assert one(store, person).open == 250
    assert present(payments.record(store, person, "paid", 250, actor="ann")).hundredths == 250
    assert store.one("SELECT count(*) AS n FROM events WHERE kind = 'payment'") == {"n": 4}


@pytest.mark.parametrize(
    ("kind", "amount", "why", "sentence"),
    [
        ("paid", 901, "", "9.00 EUR are open, got 9.01 EUR"),
        ("paid", -1, "", "nobody is paid more than is due"),
        ("bonus", 0, "x", "needs an amount above 0"),
        ("bonus", -5, "x", "needs an amount above 0"),
        ("correction", 100, " ", "Say why this correction is made"),
        ("due", 100, "x", "written by the study's own rule"),
    ],
)
def test_what_the_ledger_does_not_take(
    store: Store, engine: EpisodeEngine, make: Any, kind: Any, amount: int, why: str, sentence: str
) -> None:
    person = play(store, engine, make(), 3)
    with pytest.raises(BadPayment, match=sentence):
        payments.record(store, person, kind, amount, actor="ann", why=why)
    assert one(store, person).due == 900


def test_a_study_that_pays_nobody_has_no_ledger(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = play(store, engine, make(pay=Pay()), 3)
    outcomes.conclude(store, person)
    with pytest.raises(BadPayment, match="pays nobody"):
        payments.record(store, person, "paid", 1, actor="ann")
    assert store.query("SELECT * FROM payments") == []


def test_the_ledger_only_grows(store: Store, engine: EpisodeEngine, make: Any) -> None:
    payments.settle(store, play(store, engine, make(), 3))
    for sql in ("UPDATE payments SET hundredths = 1", "DELETE FROM payments"):
        with pytest.raises(Exception, match="only grow"), store.atomic() as db:
            db.execute(sql)


def test_hourly_pay_below_the_minimum_is_told(store: Store, engine: EpisodeEngine, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("study.time_spent.SILENT_MS", 10**9)
    slow, fast = play(store, engine, make(), 3, minutes=60), play(store, engine, make(), 3, minutes=10)
    for person in (slow, fast):
        payments.settle(store, person)
    assert one(store, slow).too_low and one(store, slow).per_hour == pytest.approx(900, rel=0.01)
    assert not one(store, fast).too_low


def test_the_recruiters_list_names_whom_to_pay_and_no_one_else_is_named(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    _, grant = access.enter_recruited(store, {"PROLIFIC_PID": "pid-1", "STUDY_ID": "abc", "SESSION_ID": "sub-1"})
    for event in ("welcome", "consent", "practise", "finish"):
        participants.advance(store, present(grant.participant_id), event)
    play(store, engine, study, 0, "stop")
    assert payments.for_recruiter(store, study.study_id) == []  # nobody has looked yet, so nothing is written
    assert payments.account(store, participants.get_participant(store, present(grant.participant_id))).promised == 900
    assert payments.settle_all(store, study.study_id) == 2 and payments.settle_all(store, study.study_id) == 0
    (line,) = payments.for_recruiter(store, study.study_id)
    assert (line["platform_id"], line["submission"], line["amount"], line["currency"]) == ("pid-1", "sub-1", "9.00", "EUR")
    payments.record(store, present(grant.participant_id), "paid", None, actor="ann")
    assert payments.for_recruiter(store, study.study_id) == []
    told = [one.participant_id for one in payments.accounts(store, study.study_id)]
    assert grant.participant_id in told and "pid-1" not in str(told)


@pytest.mark.parametrize("mode", ["preview", "bot"])
def test_trying_out_is_not_paid(store: Store, engine: EpisodeEngine, make: Any, mode: str) -> None:
    person = participants.add_participant(store, make().study_id, mode=mode)
    for event in ("welcome", "consent", "practise", "finish"):
        participants.advance(store, person, event)
    assert payments.settle(store, person) == []
    with pytest.raises(BadPayment, match="nobody to pay"):
        payments.record(store, person, "paid", 1, actor="ann")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"currency": "eur"}, "three capital letters"),
        ({"per_session": "9"}, "needs a currency"),
        ({"currency": "EUR"}, "one of the two"),
        ({"currency": "EUR", "per_session": "9", "per_hour": "9"}, "one of the two"),
        ({"currency": "EUR", "per_session": "9"}, "by_time needs an hourly amount"),
        ({"currency": "EUR", "per_session": "9.001", "minimum_per_hour": "12"}, "decimal places"),
        ({"currency": "EUR", "per_session": "-1", "minimum_per_hour": "12"}, "greater than or equal to 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(fields: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Pay.model_validate(fields)


def test_amounts_are_never_a_hundredth_too_little() -> None:
    assert [hundredths(Decimal(text)) for text in ("9", "0.001", "1.005", "0")] == [900, 1, 101, 0]
    assert money(1250, "EUR") == "12.50 EUR" and money(-5, "EUR") == "-0.05 EUR"
