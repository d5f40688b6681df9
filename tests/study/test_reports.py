"""What participants report outside a task is kept once, counted, and shown with what they report within one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from data.store import Store
from data.task import Task
from study import participants, reports, roster
from study.episode import EpisodeEngine
from study.errors import BadAnswer
from study.noting import MAX_REPORTS
from study.studies import create_study
from tests.present import present


@pytest.fixture
def person(store: Store, make_task: Callable[..., Task]) -> str:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1)
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


def test_a_report_is_kept_once_with_where_it_was_written(store: Store, engine: EpisodeEngine, person: str) -> None:
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    at = reports.report(store, person, "thanks", " The picture was dark. ")
    assert reports.report(store, person, "thanks", "The picture was dark.") == at
    engine.report_problem(view.episode_id, view.epoch, "It hangs.")
    assert [(one.where, one.text) for one in reports.reports_of(store, person)] == [
        ("thanks", "The picture was dark."),
        ("toy-001", "It hangs."),
    ]
    study = participants.get_participant(store, person).study_id
    assert [one.reports for one in roster.people(store, study).rows] == [2]


def test_nothing_a_book_and_a_flood_are_refused_in_words(store: Store, person: str) -> None:
    for text in ("", "  ", "x" * 5001):
        with pytest.raises(BadAnswer, match="1 to 5000 characters"):
            reports.report(store, person, "consent", text)
    for number in range(MAX_REPORTS):
        reports.report(store, person, "consent", f"{number}")
    with pytest.raises(BadAnswer, match="a great many"):
        reports.report(store, person, "consent", "one more")
