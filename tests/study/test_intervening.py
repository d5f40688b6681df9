"""What a researcher does about one person: more time, places back, an end, a rejection, a message; each refused where it does not fit."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store, told_by
from study import assignment, erasure, intervening, line, messages, outcomes, participants, payments, reconciling, seats
from study.episode import EpisodeEngine
from study.exports.beside import participant_rows
from study.intervening import Refused
from study.messages import BadMessage
from study.paying import Pay
from study.recruiter_list import Claim
from study.rejections import rejection
from study.studies import Recruitment, create_study
from tests.present import present

WHO = "staff-1"
CATEGORIES = ("Metric Comparison", "Enumerative Perception", "Temporal Understanding")


@pytest.fixture
def make(store: Store, make_task: Any) -> Any:
    tasks = [make_task(f"t{n}", category=CATEGORIES[n]) for n in range(3)]
    for task in tasks:
        store.put_task(task)

    def study(**fields: Any) -> Any:
        fields = {"trials": 3, "per_task": 1, "hold_minutes": 30, "recruitment": Recruitment(external_study="abc")} | fields
        return create_study(store, "S", state="live", tasks=tuple(task.content_hash for task in tasks), **fields)

    return study


def come(store: Store, study: Any, **more: Any) -> str:
    person = participants.add_participant(store, study.study_id, **more)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


def play(store: Store, engine: Any, person: str, tasks: int) -> Any:
    """So many tasks, then the next place."""
    for _ in range(tasks):
        view = engine.open(participants.place(store, engine, person).episode_id)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    return participants.place(store, engine, person)


def told(store: Store, person: str, kind: str) -> dict[str, Any]:
    row = store.one("SELECT actor, data FROM events WHERE participant_id = ? AND kind = ?", [person, kind])
    assert row is not None
    return {"actor": row["actor"], **json.loads(row["data"])}


def states(store: Store, person: str) -> list[str]:
    return [row["state"] for row in store.query("SELECT state FROM slots WHERE participant_id = ? ORDER BY trial_index", [person])]


def later(minutes: float) -> Any:
    return told_by(lambda: datetime.now(UTC) + timedelta(minutes=minutes))


def test_who_is_given_more_time_keeps_their_places_and_another_does_not(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(trials=2)
    first = come(store, study)
    engine.open(play(store, engine, first, 1).episode_id)
    second = come(store, study)
    assert participants.place(store, engine, second).stage == "waiting"
    before = intervening.lease(store, study, first)
    assert before is not None and (before.held, before.reserved) == (1, 0)
    until = intervening.extend(store, first, 60, why="the network of the room is down", actor=WHO)
    assert before.until is not None
    assert datetime.fromisoformat(until) - datetime.fromisoformat(before.until) == timedelta(minutes=60)
    assert told(store, first, "time_extended") == {
        "actor": WHO, "minutes": 60, "until": until, "why": "the network of the room is down",
    }  # fmt: skip
    with later(45):
        assert seats.stale(store, study, "live") == [] and assignment.overdue(store, study, "live") == []
        assert participants.place(store, engine, second).stage == "waiting"
    with later(120):
        assert participants.place(store, engine, second).stage == "task"
    assert states(store, first) == ["completed", "timed_out"]


def test_without_reserved_sessions_more_time_counts_too(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(per_task=None)
    person = come(store, study)
    engine.open(present(participants.place(store, engine, person).episode_id))
    with later(45):
        assert len(assignment.overdue(store, study, "live")) == 1
    intervening.extend(store, person, 60, why="asked for it", actor=WHO)
    with later(45):
        assert assignment.overdue(store, study, "live") == []


def test_places_given_back_are_somebody_elses_and_the_person_may_come_back(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(trials=2)
    first, second = come(store, study), come(store, study)
    engine.open(present(participants.place(store, engine, first).episode_id))
    assert participants.place(store, engine, second).stage == "waiting" and line.of(store, second) is not None
    assert intervening.give_back(store, engine, first, why="asleep", actor=WHO) == 2
    assert told(store, first, "places_given_back") == {"actor": WHO, "held": 1, "reserved": 1, "why": "asleep"}
    assert states(store, first) == ["returned"] and participants.get_participant(store, first).state == "practised"
    with pytest.raises(Refused, match=r"^P000 holds no place, and none is reserved for them: there is nothing to give back\.$"):
        intervening.give_back(store, engine, first, why="asleep", actor=WHO)
    assert participants.place(store, engine, second).stage == "task"
    assert participants.place(store, engine, first).stage == "waiting"
    participants.stop(store, engine, second)
    assert participants.place(store, engine, first).stage == "task"


def test_whom_a_researcher_ends_keeps_what_they_did_and_reads_who_ended_it(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    person = come(store, study)
    engine.open(play(store, engine, person, 2).episode_id)
    assert intervening.end(store, engine, person, "stopped", why="the room closes", actor=WHO) == "stopped"
    assert states(store, person) == ["completed", "completed", "returned"]
    assert told(store, person, "session_ended") == {"actor": WHO, "outcome": "stopped", "why": "the room closes"}
    assert intervening.ended_by_staff(store, person) and outcomes.conclude(store, person).outcome == "stopped"
    with pytest.raises(Refused, match=r"^P000 has come to their end \(ended early\): it is too late for that\.$"):
        intervening.end(store, engine, person, "technical", why="again", actor=WHO)


def test_somebody_who_ended_their_part_themselves_was_not_ended_by_staff(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make())
    participants.stop(store, engine, person)
    assert not intervening.ended_by_staff(store, person)


def test_who_ended_it_themselves_is_not_told_that_staff_did_when_their_data_are_rejected_later(
    store: Store, engine: EpisodeEngine, make: Any
) -> None:
    person = come(store, make())
    play(store, engine, person, 1)
    participants.stop(store, engine, person)
    intervening.reject(store, engine, person, "duplicate", why="the same person came twice", actor=WHO)
    assert participants.get_participant(store, person).state == "stopped"
    assert not intervening.ended_by_staff(store, person)
    with pytest.raises(Refused, match=r"has come to their end \(ended early\): it is too late"):
        intervening.end(store, engine, person, "stopped", why="the room closes", actor=WHO)


def test_a_rejected_persons_places_are_given_to_somebody_else_and_the_data_stay(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    first, second = come(store, study), come(store, study)
    play(store, engine, first, 3)
    assert participants.get_participant(store, first).state == "finished"
    assert participants.place(store, engine, second).stage == "full"
    done = intervening.reject(store, engine, first, "duplicate", why="took part as P007", actor=WHO)
    assert done.words == "the same person took part before: took part as P007"
    assert states(store, first) == ["rejected"] * 3
    participants.advance(store, second, "look_again")
    assert play(store, engine, second, 3).stage == "thanks"
    kept = store.query("SELECT state FROM episodes JOIN answers USING (episode_id) WHERE participant_id = ?", [first])
    assert [row["state"] for row in kept] == ["rejected"] * 3
    rows = {row.participant_id: row for row in participant_rows(store, study.study_id)}
    assert (rows[first].rejected, rows[first].rejected_why) == ("duplicate", "took part as P007")
    assert (rows[second].rejected, rows[second].rejected_why) == ("", "")
    with pytest.raises(
        Refused, match=r"^P000 was rejected before \(the same person took part before: took part as P007\)\. That stands\.$"
    ):
        intervening.reject(store, engine, first, "technical", why="again", actor=WHO)


@pytest.mark.parametrize(("reason", "state"), [("technical", "failed"), ("declared_rule", "stopped"), ("not_eligible", "screened_out")])
def test_who_is_rejected_on_the_way_comes_to_an_end(store: Store, engine: EpisodeEngine, make: Any, reason: str, state: str) -> None:
    study = make()
    person = come(store, study)
    engine.open(play(store, engine, person, 1).episode_id)
    intervening.reject(store, engine, person, reason, why="rule 2 of the plan", actor=WHO)
    assert participants.get_participant(store, person).state == state
    assert states(store, person) == ["rejected", "returned"]
    assert intervening.ended_by_staff(store, person)
    assert store.query("SELECT * FROM slots WHERE claimed_by IS NOT NULL") == []
    free = store.one("SELECT count(*) AS n FROM slots WHERE state = 'free' AND practice = 0")
    assert free is not None and free["n"] == 3


def test_what_is_due_to_a_rejected_person_stays_due_and_the_reason_stands_beside_it(store: Store, engine: EpisodeEngine, make: Any) -> None:
    pay = Pay(currency="EUR", per_session=Decimal("9.00"), minimum_per_hour=Decimal("12.82"))
    study = make(pay=pay)
    person = come(store, study, recruitment={"source": "prolific", "external_id": "abc-1"})
    play(store, engine, person, 3)
    intervening.reject(store, engine, person, "declared_rule", why="rule 2", actor=WHO)
    due, = payments.entries(store, person)  # fmt: skip
    assert (due.hundredths, due.kind) == (900, "due")
    assert due.why == "by the study's rule: done; their data were rejected (a rule of the study, declared before its data: rule 2)"
    account = payments.account(store, participants.get_participant(store, person))
    assert (account.open, account.rejected) == (900, "a rule of the study, declared before its data: rule 2")
    found = reconciling.reconcile_claims(
        store, study.study_id, [Claim(row=2, person="abc-1", submission="s1", status="waiting", said="waiting")]
    )
    only, = found.findings  # fmt: skip
    assert only.sentence.endswith(
        "Their data were rejected here (a rule of the study, declared before its data: rule 2); what is due to them stays due."
    )


def test_nobody_is_rejected_for_how_they_answer(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make())
    for reason in ("too_fast", "straight_lining", ""):
        with pytest.raises(Refused, match="is no reason to reject somebody; there are: declared_rule, technical"):
            intervening.reject(store, engine, person, reason, why="x", actor=WHO)


@pytest.mark.parametrize("act", ["extend", "give_back", "end", "reject"])
def test_nothing_is_done_without_a_reason_or_to_whom_it_does_not_fit(
    store: Store, frames: FrameStore, engine: EpisodeEngine, make: Any, act: str
) -> None:
    study = make()
    new = participants.add_participant(store, study.study_id)
    person = come(store, study)
    engine.open(present(participants.place(store, engine, person).episode_id))
    before = store.query("SELECT count(*) AS n FROM events")

    def do(whom: str, why: str = "because") -> Any:
        match act:
            case "extend":
                return intervening.extend(store, whom, 5, why=why, actor=WHO)
            case "give_back":
                return intervening.give_back(store, engine, whom, why=why, actor=WHO)
            case "end":
                return intervening.end(store, engine, whom, "technical", why=why, actor=WHO)
            case _:
                return intervening.reject(store, engine, whom, "technical", why=why, actor=WHO)

    for why in ("", "  \n ", "x" * 501):
        with pytest.raises(Refused, match=r"^Say why, in 1 to 500 characters"):
            do(person, why)
    with pytest.raises(Refused, match=r"P000 has (not agreed|answered nothing)"):
        do(new)
    assert store.query("SELECT count(*) AS n FROM events") == before
    assert states(store, person) == ["held"]
    participants.withdraw(store, engine, person)
    with pytest.raises(Refused, match="took their data back"):
        do(person)
    gone = come(store, study)
    engine.open(present(participants.place(store, engine, gone).episode_id))
    erasure.erase(store, frames, gone)
    with pytest.raises(Refused, match=r"^The data of P002 were erased: there is nothing left to act on\.$"):
        do(gone)


def test_more_time_needs_a_limit_and_a_place(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make(hold_minutes=None))
    with pytest.raises(Refused, match="holds no place that could be kept for longer"):
        intervening.extend(store, person, 5, why="x", actor=WHO)
    participants.place(store, engine, person)
    with pytest.raises(Refused, match="kept until the study ends"):
        intervening.extend(store, person, 5, why="x", actor=WHO)
    for minutes in (0, -1, 10_081):
        with pytest.raises(Refused, match=r"from 1 to 10080 \(a week\)"):
            intervening.extend(store, person, minutes, why="x", actor=WHO)


def test_a_message_is_read_between_two_tasks_and_never_in_one(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make())
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    sent = messages.send(store, person, "Please go on\nwithout hurry.", actor=WHO)
    assert participants.place(store, engine, person).stage == "task"
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    here = participants.place(store, engine, person)
    assert (here.stage, here.part) == ("message", sent.message_id)
    other = come(store, make())
    messages.has_read(store, other, sent.message_id)
    assert participants.place(store, engine, person).stage == "message"
    for _ in range(2):
        messages.has_read(store, person, sent.message_id)
    assert participants.place(store, engine, person).stage == "task"
    kept, = messages.messages(store, person)  # fmt: skip
    assert kept.text == "Please go on without hurry." and kept.read_at is not None and kept.actor == WHO
    assert len(store.query("SELECT * FROM events WHERE kind = 'message_read'")) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "1 to 300 characters, this one has 0"),
        ("x" * 301, "this one has 301"),
        ("Look at the LAMP again.", "holds words of a task that P000 does or will do .“lamp”."),
        ("It is near the bowl", "“near the bowl”"),
    ],
)
def test_a_message_without_words_or_with_those_of_a_task_is_refused(
    store: Store, engine: EpisodeEngine, make: Any, text: str, says: str
) -> None:
    person = come(store, make())
    participants.place(store, engine, person)
    with pytest.raises(BadMessage, match=says):
        messages.send(store, person, text, actor=WHO)
    assert messages.messages(store, person) == []


def test_messages_are_for_who_still_comes_by_and_not_without_end(store: Store, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make())
    for n in range(messages.MOST_UNREAD):
        messages.send(store, person, f"Sentence {n}.", actor=WHO)
    with pytest.raises(BadMessage, match="3 messages that they have not read yet"):
        messages.send(store, person, "One more.", actor=WHO)
    participants.stop(store, engine, person)
    with pytest.raises(BadMessage, match=r"P000 is at the end \(stopped\) and would not read it"):
        messages.send(store, person, "Goodbye.", actor=WHO)


def test_a_message_and_its_receipt_go_with_the_person(store: Store, frames: FrameStore, engine: EpisodeEngine, make: Any) -> None:
    person = come(store, make())
    sent = messages.send(store, person, "A sentence of its own.", actor=WHO)
    messages.has_read(store, person, sent.message_id)
    erasure.erase(store, frames, person)
    assert store.query("SELECT * FROM events WHERE kind IN ('message', 'message_read')") == []
    assert rejection(store, person) is None
