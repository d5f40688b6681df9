"""A study as a researcher watches it: who is where and whether they are there, how full the places are, where people stop, what is odd."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store, told_by, written
from data.task import Task
from study import filling, intervening, messages, oddities, participants, reports, watching
from study.access import EVERY_STUDY
from study.breaks import Breaks, begin
from study.episode import EpisodeEngine
from study.filling import Cell
from study.paying import Pay
from study.stations import instructions
from study.studies import create_study
from study.watching import Watched
from tests.present import present

CATEGORIES = ("Metric Comparison", "Enumerative Perception", "Temporal Understanding")


@pytest.fixture
def make(store: Store, make_task: Any) -> Any:
    tasks = [make_task(f"t{n}", category=CATEGORIES[n]) for n in range(3)]
    for task in tasks:
        store.put_task(task)

    def study(**fields: Any) -> Any:
        fields = {"trials": 3, "per_task": 2, "tasks": tuple(task.content_hash for task in tasks)} | fields
        return create_study(store, "S", state="live", **fields)

    return study


def come(store: Store, study: Any, *events: str) -> str:
    person = participants.add_participant(store, study.study_id)
    for event in events or ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


def play(store: Store, engine: Any, person: str, tasks: int) -> Any:
    for _ in range(tasks):
        view = engine.open(participants.place(store, engine, person).episode_id)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    return participants.place(store, engine, person)


def later(minutes: float) -> Any:
    return told_by(lambda: datetime.now(UTC) + timedelta(minutes=minutes))


def seen(store: Store, study: Any) -> dict[str, Watched]:
    return {one.participant_id: one for one in watching.under_way(store, study.study_id)}


def test_each_stage_of_the_way_is_told(store: Store, engine: EpisodeEngine, make: Any, make_task: Callable[..., Task]) -> None:
    practice = make_task("practice")
    store.put_task(practice)
    study = make(trials=2, per_task=1, practice_task=practice.content_hash, breaks=Breaks(every_tasks=1))
    new = come(store, study, "welcome")
    before = come(store, study)
    practising = come(store, study)
    for person in (before, practising):
        instructions.go_on(store, person)
    view = engine.open(present(participants.place(store, engine, practising).episode_id))
    told = seen(store, study)
    assert (told[new].where, told[before].where, told[practising].where) == ("at the consent", "before the tasks", "practising")
    assert told[practising].task_id == "practice" and told[new].task_id == told[before].task_id == ""
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    view = engine.open(present(participants.place(store, engine, practising).episode_id))
    one = seen(store, study)[practising]
    assert (one.where, one.done, one.tasks, one.presence) == ("task 1 of 2", 0, 2, "here") and one.task_id
    assert participants.place(store, engine, before).stage == "waiting"
    assert seen(store, study)[before].where == "in the queue"
    assert [one.participant_id for one in watching.waiting(store, study.study_id)] == [before]
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    assert participants.place(store, engine, practising).stage == "break"
    begin(store, practising, 1)
    assert seen(store, study)[practising].where == "on a break"
    assert watching.at_stages(list(seen(store, study).values())) == {
        "consent": 1, "before": 0, "practice": 0, "waiting": 1, "break": 1, "task": 0, "between": 0,
    }  # fmt: skip


def test_whether_somebody_is_there(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    person = come(store, study)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    for n, (what, presence) in enumerate(
        (("blur", "away"), ("focus", "here"), ("offline", "offline"), ("online", "here"), ("hidden", "away"))
    ):
        engine.page_event(view.episode_id, view.epoch, n, what)
        assert seen(store, study)[person].presence == presence, what
    told = store.one("SELECT max(at) AS at FROM events WHERE kind = 'page'")
    assert told is not None and seen(store, study)[person].since == told["at"]
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert seen(store, study)[person].presence == "here"
    with later(11):
        found = watching.under_way(store, study.study_id)
        assert found[0].presence == "silent" and found[0].since == found[0].seen_at
    engine.page_event(view.episode_id, view.epoch, 9, "offline")
    with later(60):
        assert seen(store, study)[person].presence == "offline"


def test_what_staff_and_the_program_do_is_no_sign_of_life(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(hold_minutes=30)
    person = come(store, study)
    engine.open(present(participants.place(store, engine, person).episode_id))
    before = seen(store, study)[person]
    with later(20):
        intervening.extend(store, person, 30, why="x", actor="staff-1")
        messages.send(store, person, "Hello.", actor="staff-1")
        after = seen(store, study)[person]
    assert after.seen_at == before.seen_at and after.presence == "silent"


def test_who_needs_a_look_comes_first_and_who_ended_is_not_listed(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(per_task=None)
    first, second, third = (come(store, study) for _ in range(3))
    for person in (first, second):
        engine.open(present(participants.place(store, engine, person).episode_id))
    episode = seen(store, study)[second].episode_id
    engine.page_event(episode, 1, 0, "offline")
    participants.stop(store, engine, third)
    assert [one.participant_id for one in watching.under_way(store, study.study_id)] == [second, first]
    assert [one.participant_id for one in watching.under_way(store, EVERY_STUDY)] == [second, first]
    assert watching.under_way(store, study.study_id, mode="pilot") == []


def test_pay_is_measured_and_counted_again_only_when_something_new_was_kept(
    store: Store, engine: EpisodeEngine, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make(pay=Pay(currency="EUR", per_session=Decimal("9.00"), minimum_per_hour=Decimal("12.00")))
    person = come(store, study)
    view = engine.open(play(store, engine, person, 1).episode_id)
    started = datetime.now(UTC)
    with told_by(lambda: started + timedelta(minutes=5)):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
        one = seen(store, study)[person]
        pay = watching.measured(store, [one])[person]
        # who ends now is paid by the tasks done, one of three
        assert pay.currency == "EUR" and 290_000 <= pay.paid_ms <= 330_000 and pay.due == 300
        assert pay.per_hour is not None and pay.per_hour >= 1200 and not pay.too_low
        monkeypatch.setattr(watching.payments, "account", lambda *_: 1 / 0)  # type: ignore[attr-defined]
        assert watching.measured(store, [one])[person] == pay
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
        with pytest.raises(ZeroDivisionError):
            watching.measured(store, [seen(store, study)[person]])


def test_pay_of_everybody_is_told_when_what_was_measured_before_is_dropped(
    store: Store, engine: EpisodeEngine, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MOST_MEASURED", 2)
    study = make()
    people = [come(store, study) for _ in range(3)]
    assert set(watching.measured(store, list(seen(store, study).values()))) == set(people)
    participants.advance(store, people[1], "practise")  # measured anew, where no more is kept: the first one's is dropped
    assert set(watching.measured(store, list(seen(store, study).values()))) == set(people)


def test_where_people_stopped(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(per_task=None)
    declined, unasked, first_task, after_one, silent = (come(store, study, "welcome") for _ in range(5))
    participants.advance(store, declined, "decline")
    for person in (unasked, first_task, after_one, silent):
        participants.advance(store, person, "consent")
    engine.open(present(participants.place(store, engine, first_task).episode_id))
    engine.open(play(store, engine, after_one, 1).episode_id)
    participants.stop(store, engine, unasked)
    participants.stop(store, engine, first_task)
    intervening.end(store, engine, after_one, "technical", why="x", actor="staff-1")
    play(store, engine, silent, 2)
    people = watching.under_way(store, study.study_id)
    told = {one.participant_id: (one.where, one.how) for one in watching.left(store, study.study_id, people)}
    assert told == {
        declined: ("at the consent", "declined"),
        unasked: ("before the tasks", "stopped"),
        first_task: ("in the first task", "stopped"),
        after_one: ("after 1 task", "failed"),
    }
    with later(121):
        people = watching.under_way(store, study.study_id)
        newest = watching.left(store, study.study_id, people)[0]
        assert (newest.participant_id, newest.where, newest.how) == (silent, "after 2 tasks", "silent")
    given_back = watching.abandoned(store, study.study_id)
    assert sum(one.times for one in given_back) == 2 and all(one.task_id.startswith("t") for one in given_back)


def test_places_add_up_by_category_and_by_task(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make()
    first, second = come(store, study), come(store, study)
    play(store, engine, first, 3)
    engine.open(present(participants.place(store, engine, second).episode_id))
    cells = filling.by_category(store, study)
    assert [cell.name for cell in cells] == sorted(CATEGORIES)
    assert all((cell.completed, cell.live, cell.free, cell.missing) == (1, 1, 0, 0) for cell in cells)
    assert [cell.share for cell in cells] == [0.5] * 3 and cells[0].words == "1 completed, 1 live, 0 free, 0 missing"
    participants.stop(store, engine, second)
    only, = filling.by_task(store, study, CATEGORIES[0])  # fmt: skip
    assert (only.name, only.completed, only.live, only.free) == ("t0", 1, 0, 1)
    with store.atomic() as db:
        db.execute("UPDATE slots SET state = 'closed' WHERE state = 'free'")
    assert [(cell.free, cell.missing, cell.wanted) for cell in filling.by_category(store, study)] == [(0, 1, 2)] * 3
    assert filling.by_task(store, study, CATEGORIES[0], skip=1) == []
    assert filling.by_category(store, study, mode="bot") == []


def test_without_a_number_of_places_nothing_is_missing(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(per_task=None)
    person = come(store, study)
    engine.open(play(store, engine, person, 1).episode_id)
    cells = filling.by_category(store, study)
    assert sum(cell.completed for cell in cells) == 1 and sum(cell.live for cell in cells) == 1
    assert all(cell.missing == 0 for cell in cells)
    assert Cell(name="x", paradigm="active", tasks=0, free=0, live=0, completed=0, missing=0).share is None


def test_what_is_odd_has_a_line_and_what_is_not_has_none(store: Store, engine: EpisodeEngine, frames: FrameStore, make: Any) -> None:
    study, other = make(per_task=None), make(per_task=None)
    person = come(store, study)
    view = engine.open(present(participants.place(store, engine, person).episode_id))

    def odd(which: Any = study) -> dict[str, int]:
        return {one.kind: one.count for one in oddities.found(store, which.study_id, picture=frames.path)}

    assert odd() == {}
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.report_problem(view.episode_id, view.epoch, "The picture is black.")
    reports.report(store, person, "task", "I cannot hear anything.")
    for n in range(2):
        engine.page_event(view.episode_id, view.epoch, n, "offline")
    engine.open(view.episode_id)
    with store.atomic() as db:
        db.execute("UPDATE steps SET timing_ms = '{\"total\": 2500.0}', clipped = 1 WHERE seq = 1")
    lost = store.one("SELECT pixel_hash FROM steps WHERE seq = 1")
    assert lost is not None
    frames.path(lost["pixel_hash"]).unlink()
    assert odd() == {"report": 2, "offline": 2, "reopened": 1, "slow": 1, "clipped": 1, "picture": 1}
    assert odd(other) == {}
    told = oddities.reported(store, study.study_id)
    assert {(one.text, one.where, one.who) for one in told} == {
        ("The picture is black.", seen(store, study)[person].task_id, "P000"), ("I cannot hear anything.", "task", "P000"),
    }  # fmt: skip
    with later(90):
        assert odd() == {"report": 2}
    with later(25 * 60):
        assert odd() == {}


def test_a_task_without_a_first_view_is_odd_after_a_while(store: Store, engine: EpisodeEngine, make: Any) -> None:
    study = make(per_task=None)
    person = come(store, study)
    episode = participants.place(store, engine, person).episode_id
    engine.take_over(present(episode))
    assert oddities.found(store, study.study_id) == []
    with later(2):
        assert [one.kind for one in oddities.found(store, study.study_id)] == ["no_view"]
    participants.stop(store, engine, person)
    with later(2):
        assert oddities.found(store, study.study_id) == []


def test_the_first_event_since_a_time_is_found_by_halving(store: Store) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    times = [written(at + timedelta(seconds=n // 3)) for n in range(50)]
    for time in times:
        store.event("x", at=time)
    with store.atomic() as db:  # as an erasure leaves the log
        db.execute("DROP TRIGGER events_no_delete")
        db.execute("DELETE FROM events WHERE seq % 4 = 0")
    rows = store.query("SELECT seq, at FROM events ORDER BY seq")
    for time in (*times, "2025", "2027"):
        wanted = [row["seq"] for row in rows if row["at"] >= time]
        found = oddities.first_since(store, time)
        assert [row["seq"] for row in rows if row["seq"] >= found] == wanted


def test_how_long_steps_keep_a_simulator(store: Store, engine: EpisodeEngine, make: Any) -> None:
    assert oddities.speed(store) is None
    study = make(per_task=None)
    view = engine.open(present(participants.place(store, engine, come(store, study)).episode_id))
    for seq in range(1, 20):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    with store.atomic() as db:
        db.execute("UPDATE steps SET timing_ms = '{\"total\": ' || (seq + 1) || '.0}'")
    assert oddities.speed(store) == oddities.Speed(20, 10.0, 19.0)
