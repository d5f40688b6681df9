"""The page Log: the newest first, by its filters, a page at a time; of other studies, of answers, votes, golds and platform ids nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.services import Settings
from data.store import told_by
from study import access, audit_log, participants
from study.access import EVERY_STUDY
from study.studies import Recruitment, create_study
from tests.homes import fresh_store

SECRET = "near the lamp, voted wrong"


def draw(grant: object) -> None:
    """The script of the page, as the menu calls it."""
    from app.pages import log as page

    page.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Two studies with a researcher each, one recruited person in the first, and events with what nobody may read."""
    store = fresh_store(tmp_path)
    one = create_study(store, "Study One", state="live", recruitment=Recruitment(external_study="abc")).study_id
    two = create_study(store, "Study Two", state="live").study_id
    _, grant = access.enter_recruited(store, {"PROLIFIC_PID": "pid-0a1b2c3d", "STUDY_ID": "abc", "SESSION_ID": "session-9z8y7x"})
    person = str(grant.participant_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    store.event("answered", {"raw": SECRET, "answer": SECRET}, study_id=one, participant_id=person)
    store.event("qa_item_review_voted", {"verdict": SECRET, "item": "qa_1"}, actor=SECRET[:4], study_id=one, subject=SECRET)
    store.event("gold_settled", {"gold": SECRET}, study_id=one, subject="ds_" + "0" * 20)
    store.event("outcome", {"code": SECRET, "external_id": "pid-0a1b2c3d"}, study_id=one, participant_id=person)
    store.event("study_state", {"state": "closed", "note": SECRET}, actor="command line", study_id=two)
    store.event("backed_up", {"files": 12, "bytes": 99, "sums_sha256": "f" * 64}, actor="command line")
    services.install(SimpleNamespace(store=store, settings=Settings()))  # type: ignore[arg-type]
    kit = SimpleNamespace(store=store, one=one, two=two, person=person, people={}, who="")
    for name, role, study in (
        ("ann", "researcher", one),
        ("far", "researcher", two),
        ("all", "owner", EVERY_STUDY),
        ("bob", "annotator", one),
    ):
        token = access.create_invite(store, role, study, label=name)
        kit.people[name] = SimpleNamespace(**dict(zip(("cookie", "grant"), access.enter(store, token), strict=True)))
    monkeypatch.setattr(identity, "page_cookie", lambda: kit.people[kit.who].cookie)
    yield kit
    services.install(None)
    store.close()


def opened(kit: SimpleNamespace, who: str) -> AppTest:
    kit.who = who
    test = AppTest.from_function(draw, kwargs={"grant": kit.people[who].grant}, default_timeout=30).run()
    assert not test.exception, test.exception
    return test


def table(test: AppTest) -> Any:
    return test.dataframe[0].value


def test_each_sees_their_study_and_who_has_all_sees_what_is_of_none(kit: SimpleNamespace) -> None:
    mine, theirs, everything = (table(opened(kit, who)) for who in ("ann", "far", "all"))
    assert set(mine["Study"]) == {"Study One"} and set(theirs["Study"]) == {"Study Two"}
    assert {"Study One", "Study Two", ""} <= set(everything["Study"])
    assert "took a backup" in set(everything["What"]) and "took a backup" not in set(mine["What"])
    assert (
        list(everything["No."]) == sorted(everything["No."], reverse=True)
        and len(everything) == kit.store.one("SELECT count(*) AS n FROM events")["n"]
    )
    kit.who = "bob"
    refused = AppTest.from_function(draw, kwargs={"grant": kit.people["bob"].grant}, default_timeout=30).run()
    assert refused.exception and "needs the role" in refused.exception[0].message


@pytest.mark.parametrize("who", ["ann", "far", "all"])
def test_answers_votes_golds_and_platform_ids_are_not_told(kit: SimpleNamespace, who: str) -> None:
    words = table(opened(kit, who)).to_csv()
    for secret in (SECRET, "pid-0a1b2c3d", "session-9z8y7x", "qa_1", kit.person, "wrong"):
        assert secret not in words, secret


def test_the_filters_find_what_they_say(kit: SimpleNamespace) -> None:
    test = opened(kit, "all")
    test.selectbox(key="log_kind").select("participant_state").run()
    assert list(table(test)["Details"]) == ["event consent, state consented", "event welcome, state welcomed"]
    assert set(table(test)["Participant"]) == {"P000"} == set(table(test)["By"])
    test.selectbox(key="log_kind").select("").run()
    test.selectbox(key="log_side").select("programs").run()
    assert set(table(test)["By"]) == {"command line", "setup", SECRET[:4]}
    test.selectbox(key="log_side").select("").run()
    test.text_input(key="log_who").input("p0").run()
    assert len(table(test)) >= 5 and set(table(test)["Participant"]) == {"P000"}
    for nobody in ("P007", "' OR 1"):
        test.text_input(key="log_who").input(nobody).run()
        assert "Empty a field" in test.info[0].value and not test.dataframe
    test.text_input(key="log_who").input("").run()
    test.selectbox(key="log_study").select(kit.two).run()
    assert set(table(test)["Study"]) == {"Study Two"}


def test_days_are_those_of_the_readers_clock(kit: SimpleNamespace) -> None:
    from datetime import UTC, date, datetime

    with told_by(lambda: datetime(2025, 3, 1, 23, 30, tzinfo=UTC)):
        kit.store.event("early", study_id=kit.one)
    test = opened(kit, "ann")
    test.date_input(key="log_to").set_value(date(2025, 3, 1)).run()
    assert list(table(test)["What"]) == ["early"]
    test.date_input(key="log_from").set_value(date(2025, 3, 1)).run()
    assert list(table(test)["What"]) == ["early"]
    test.date_input(key="log_to").set_value(date(2025, 2, 28)).run()
    assert not test.dataframe


def test_a_long_log_is_read_a_page_at_a_time(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "PAGE_SIZE", 4)
    test = opened(kit, "all")
    seen, whole = list(table(test)["No."]), kit.store.one("SELECT count(*) AS n FROM events")["n"]
    while not next(button for button in test.button if button.label == "Earlier").disabled:
        next(button for button in test.button if button.label == "Earlier").click().run()
        assert not test.exception
        seen += list(table(test)["No."])
    assert seen == sorted(seen, reverse=True) and len(set(seen)) == len(seen) == whole
    next(button for button in test.button if button.label == "Later").click().run()
    assert list(table(test)["No."])[-1] > seen[-1]


def test_a_step_belongs_to_the_study_and_the_person_of_its_episode(kit: SimpleNamespace) -> None:
    sql = (
        "INSERT INTO episodes (episode_id, task_hash, study_id, participant_id, agent_kind, paradigm, protocol, seed, option_order, state, "
    )
    sql += "created_at) VALUES (?, ?, ?, ?, 'human', 'active', '{}', 0, '[]', 'active', '2026-01-01')"
    kit.store.db.execute("PRAGMA foreign_keys=OFF")
    with kit.store.atomic() as db:
        db.execute(sql, ["ep_" + "1" * 20, "x", kit.one, kit.person])
    kit.store.event("step", {"seq": 3, "action": SECRET}, episode_id="ep_" + "1" * 20)
    (step,) = audit_log.entries(kit.store, kit.one, kind="step")
    assert (step.who, step.by, step.about, step.told) == ("P000", "P000", "ep_" + "1" * 20, "seq 3")
    assert audit_log.entries(kit.store, kit.two, kind="step") == [] and len(audit_log.entries(kit.store, EVERY_STUDY, kind="step")) == 1


def test_the_log_only_grows(kit: SimpleNamespace) -> None:
    for change in ("UPDATE events SET actor = 'x'", "DELETE FROM events"):
        with pytest.raises(Exception, match="only grow"), kit.store.atomic() as db:
            db.execute(change)
