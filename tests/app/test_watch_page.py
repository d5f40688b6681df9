"""The page Watch as Streamlit runs it: nobody, people at their tasks, and what can be done about one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.pages import parts
from app.pages.watch_simulators import lacking
from data.frames import FrameStore
from data.task import Gold, Provenance, Question, Task
from sim_bridge.pool import WorkerStatus
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access, intervening, messages, participants, reports
from study.episode import EpisodeEngine
from study.studies import create_study
from tests.homes import fresh_store

WORKERS = [
    WorkerStatus(
        pid=1, address="ws://a", state="ready", sessions=2, rss_mb=150.4, restarts=0, busy_s=0.0, message="", backend="toy", places=12,
        latency_ms=0.4,
    ),
    WorkerStatus(
        pid=None, address="", state="down", sessions=0, rss_mb=0.0, restarts=2, busy_s=0.0,
        message="exit status 12 (out of memory); last in /home/x/log/worker-1.log: killed", backend="toy",
    ),
    WorkerStatus(
        pid=None, address="ws://gpu:7000", state="down", sessions=0, rss_mb=0.0, restarts=0, busy_s=0.0, local=False,
        message="Cannot use the worker at ws://gpu:7000: it refuses the token.",
    ),
]  # fmt: skip


class _Pool:
    waiting = 3

    def status(self) -> list[WorkerStatus]:
        return WORKERS

    def release(self, session: str) -> None:
        pass


def draw(grant: object) -> None:
    """The script of the page, as the navigation calls it."""
    from app.pages import researcher_watch

    researcher_watch.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A study of two tasks, its researcher, and a way to let people come."""
    store = fresh_store(tmp_path)
    tasks = [
        Task(
            task_id=f"toy-{n}", category="Metric Comparison", subcategory="Dimensional Size",
            question=Question(text="Which is larger?", form="choice", options=("the mug", "the bowl")),
            gold=Gold(accepted=("the bowl",), chance=0.5), scene=Scene(camera=Camera(64, 48), room=Room()), start=Pose((0.0, 0.0, 1.0 + n)),
            provenance=Provenance(dataset="vantage"),
        )
        for n in range(2)
    ]  # fmt: skip
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "Many", state="live", tasks=tuple(task.content_hash for task in tasks), trials=2, per_task=2)
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    frames, pool = FrameStore(store.home.frames), _Pool()
    engine = EpisodeEngine(store, frames, pool)  # type: ignore[arg-type]
    services.install(SimpleNamespace(store=store, engine=engine, home=store.home, frames=frames, pool=pool))  # type: ignore[arg-type]
    monkeypatch.setattr(identity, "page_cookie", lambda: cookie)
    monkeypatch.setattr(parts, "_KEPT", {})

    def come() -> str:
        person = participants.add_participant(store, study.study_id)
        for event in ("welcome", "consent"):
            participants.advance(store, person, event)
        engine.take_over(participants.place(store, engine, person).episode_id or "")
        return person

    def open_page() -> AppTest:
        test = AppTest.from_function(draw, kwargs={"grant": grant}, default_timeout=30).run()
        assert not test.exception, test.exception
        return test

    yield SimpleNamespace(store=store, study=study, engine=engine, come=come, open=open_page, grant=grant)
    services.install(None)
    store.close()


def said(test: AppTest) -> str:
    assert not test.exception, test.exception
    return " ".join(
        str(part.value)
        for kind in ("html", "info", "success", "error", "caption", "text")
        for part in test.get(kind)
        if hasattr(part, "value")
    )


def done(test: AppTest) -> str:
    """What was done, as it is read."""
    return str(test.success[0].value).replace("\\", "").replace(":small[]", "")


def press(test: AppTest, label: str) -> AppTest:
    next(button for button in test.button if button.label == label).click().run()
    return test


def chosen(kit: SimpleNamespace, person: str, what: str) -> AppTest:
    test = kit.open()
    test.session_state["watched"] = person
    test.run()
    assert not test.exception, test.exception
    test.session_state[f"acting-{person}/0"] = what
    found: AppTest = test.run()
    return found


def test_before_anybody_came_the_page_says_what_to_do(kit: SimpleNamespace) -> None:
    told = said(kit.open())
    assert "Nobody has come yet: make a participant link" in told and "Nobody is under way" in told and "Nobody waits" in told


def test_people_workers_and_reports_are_told_without_names_of_files(kit: SimpleNamespace) -> None:
    first, _ = kit.come(), kit.come()
    reports.report(kit.store, first, "task", "It is <b>dark</b>.")
    test = kit.open()
    people = test.dataframe[0].value
    assert (
        list(people["Who"]) == ["P000", "P001"] and list(people["Where"]) == ["task 1 of 2"] * 2 and list(people["There"]) == ["here"] * 2
    )
    assert [text.value for text in test.text] == ["It is <b>dark</b>."]
    workers = next(table.value for table in test.dataframe if "Last trouble" in table.value)
    assert list(workers["State"]) == ["ready", "down", "down"]
    assert list(workers["Where"]) == ["this machine", "this machine", "ws://gpu:7000"]
    refused = "Cannot use the worker at ws://gpu:7000: it refuses the token."
    assert list(workers["Last trouble"]) == ["", "exit status 12 (out of memory)", refused]
    assert (workers["Kind"][0], workers["Episodes"][0], workers["Places"][0], workers["There and back (ms)"][0]) == ("toy", 2, 12, 0.4)
    assert f"Simulator 3: {refused}" in said(test) and "Simulator 2: exit status 12 (out of memory)" in said(test)
    assert "/home/x" not in str(test.main)


def test_what_the_study_needs_of_simulators_that_are_not_there_is_told(kit: SimpleNamespace) -> None:
    person = kit.come()
    assert "is ready:" not in said(kit.open())
    episode = kit.store.one("SELECT episode_id FROM slots JOIN episodes USING (slot_id) WHERE slots.participant_id = ?", [person])
    with kit.store.atomic() as db:
        db.execute("UPDATE episodes SET backend = 'omnigibson', last_seq = 0 WHERE episode_id = ?", [episode["episode_id"]])
    told = said(kit.open())
    assert "No simulator of the kind omnigibson is ready: 1 task that was begun on it waits for it. Nothing is moved" in told
    (sentence,) = lacking([], {"rows": "toy", "others": "toy"}, {})
    assert sentence.startswith("No simulator of the kind toy is ready: tasks of rows, others are played on it. Nothing is moved")


def test_a_task_that_was_given_back_is_told_at_once_though_its_person_goes_on(kit: SimpleNamespace) -> None:
    person = kit.come()
    test = kit.open()
    assert "given back or left" not in said(test)
    intervening.give_back(kit.store, kit.engine, person, why="the room closes", actor="staff-1")
    assert "Nobody has stopped on the way" in said(test.run())
    kit.engine.take_over(participants.place(kit.store, kit.engine, person).episode_id or "")
    participants.stop(kit.store, kit.engine, kit.come())
    test.run()
    before = said(test)
    assert "given back or left too long, most often first: " in before
    intervening.give_back(kit.store, kit.engine, person, why="the room closes", actor="staff-1")
    assert said(test.run()).partition("most often first")[2] != before.partition("most often first")[2]


def test_more_time_and_a_message_from_the_page(kit: SimpleNamespace) -> None:
    person = kit.come()
    test = chosen(kit, person, "extend")
    next(field for field in test.text_input if field.label == "Why").set_value("the bus is late")
    press(test, "Give more time")
    assert "P000: their places are kept until" in done(test) and "P000: their places are kept until" in done(test.run())
    drawn = [(part.type, getattr(part, "value", "")) for part in test.main if part.type in ("header", "success")]
    assert [kind for kind, _ in drawn[:3]] == ["header", "header", "success"] and drawn[1][1].startswith("P000"), "above it nothing moves"
    event = kit.store.one("SELECT actor FROM events WHERE kind = 'time_extended'")
    assert event is not None and event["actor"] == kit.grant.staff_id
    test = chosen(kit, person, "write")
    next(field for field in test.text_area if field.label == "Message").set_value("the mug and the bowl")
    press(test, "Send")
    assert "holds words of a task" in test.error[0].value and messages.messages(kit.store, person) == []


def test_a_rejection_needs_a_reason_words_and_a_tick(kit: SimpleNamespace) -> None:
    person = kit.come()
    test = chosen(kit, person, "reject")
    press(test, "Reject")
    assert "Choose the reason" in test.error[0].value
    next(box for box in test.selectbox if box.label == "Reason").select("technical")
    next(box for box in test.checkbox if box.label == "Their data are not to count").check()
    press(test, "Reject")
    assert test.error[0].value.startswith("Say why, in 1 to 500 characters")
    next(field for field in test.text_input if field.label == "Why").set_value("the screen stayed black")
    press(test, "Reject")
    assert "P000: rejected (a technical failure of ours: the screen stayed black)" in done(test)
    assert participants.get_participant(kit.store, person).state == "failed"


def test_what_was_refused_or_done_is_still_there_when_the_page_has_been_read_again(kit: SimpleNamespace) -> None:
    person = kit.come()
    test = chosen(kit, person, "extend")
    press(test, "Give more time")
    test.run()
    assert test.error[0].value.startswith("Say why, in 1 to 500 characters")
    next(field for field in test.text_input if field.label == "Why").set_value("the bus is late")
    press(test, "Give more time")
    test.run()
    assert "P000: their places are kept until" in done(test) and not test.error


def test_sixty_people_are_on_two_pages_and_only_who_is_away_can_be_shown(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(60):
        person = participants.add_participant(kit.store, kit.study.study_id)
        participants.advance(kit.store, person, "welcome")
    test = kit.open()
    assert len(test.dataframe[0].value) == 50
    assert next(iter(press(test, "After").dataframe[0].value["Who"])) == "P050"
    next(box for box in test.checkbox if box.label == "Only who is not here").check().run()
    assert any("Everybody under way is here" in str(info.value) for info in test.info)


def test_a_person_of_another_study_is_nobody_here(kit: SimpleNamespace) -> None:
    other: Any = create_study(kit.store, "Other", state="live", tasks=kit.study.tasks, trials=1)
    stranger = participants.add_participant(kit.store, other.study_id)
    test = kit.open()
    test.session_state["watched"] = stranger
    test.run()
    assert not any(button.label == "They want their data back…" for button in test.button)
