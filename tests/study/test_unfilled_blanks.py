"""A recruitment link whose blanks were not filled in lets nobody in, whatever platform's they are; real ids do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study import access
from study.blanks import is_blank
from study.drafting import BadStudy, draft
from study.errors import BadToken
from study.studies import Recruitment, create_study

BLANKS = [
    "{{%PROLIFIC_PID%}}",
    "{{PROLIFIC_PID}}",
    "{%PROLIFIC_PID%}",
    "%7B%7B%25PROLIFIC_PID%25%7D%7D",
    "%257B%257B%2525PROLIFIC_PID%2525%257D%257D",
    "${e://Field/PROLIFIC_PID}",
    "${m://ExternalDataReference}",
    "${workerId}",
    "$workerId",
    "$(PID)",
    "ASSIGNMENT_ID_NOT_AVAILABLE",
    "%SURVEY_CODE%",
    "%%SURVEY_CODE%%",
    "[%RID%]",
    "[PID_value]",
    "[[PID]]",
    "{TOKEN:TOKEN}",
    "{{participantId}}",
    "{{ participant_id }}",
    "<participant id>",
    "<<PID>>",
    "<%= pid %>",
    "#{pid}",
    "##PID##",
    "@@PID@@",
    "*|PID|*",
    "__PID__",
    "--PID--",
    ":pid",
    "%s",
    "PROLIFIC_PID",
    "prolific-pid",
    "PARTICIPANT_ID",
    "workerId",
    "your_id",
    "undefined",
    "null",
    "None",
    "NaN",
    "[object Object]",
    "???",
    "xxx",
    "...",
]
IDS = [
    "5f8a1b2c3d4e5f6071829304",
    "A1B2C3D4E5F6G7",
    "12345",
    "1",
    "anna.mueller+3@uni.example",
    "Anna Müller 3",
    "山田-07",
    "c56a4180-65aa-42ec-a945-5fd21dec0538",
    "user_17",
    "id7",
    "pid-17",
    "a%b",
    "QWxhZGRpbg==",
    "x1",
    "lab:7",
    "#12",
]


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    task = make_task("t")
    store.put_task(task)
    return create_study(store, "S", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="65f"))


@pytest.mark.parametrize("value", BLANKS)
def test_a_blank_is_no_person_and_no_study(store: Store, study: Any, value: str) -> None:
    for params in ({"PROLIFIC_PID": value, "STUDY_ID": "65f"}, {"PROLIFIC_PID": f" {value} ", "STUDY_ID": "65f"}):
        with pytest.raises(BadToken, match="did not fill in PROLIFIC_PID"):
            access.enter_recruited(store, params)
    with pytest.raises(BadToken, match=r"did not fill in STUDY_ID|belongs to no open study"):
        access.enter_recruited(store, {"PROLIFIC_PID": "5f8a", "STUDY_ID": value})
    assert store.query("SELECT * FROM participants") == store.query("SELECT * FROM events WHERE kind = 'participant_entered'") == []


@pytest.mark.parametrize("value", IDS)
def test_an_id_lets_its_person_in(store: Store, study: Any, value: str) -> None:
    access.enter_recruited(store, {"PROLIFIC_PID": value, "STUDY_ID": "65f", "SESSION_ID": "{{%SESSION_ID%}}"})
    kept = store.one("SELECT external_id, external_session FROM recruitment")
    assert kept == {"external_id": value, "external_session": ""}  # a visit without an id is no reason to turn a person away


def test_the_parameters_own_name_is_no_value() -> None:
    assert is_blank("Panel-Number", "panel_number") and not is_blank("Panel-Number", "person")


def test_a_study_is_not_made_with_the_blank_in_the_place_of_its_id(store: Store, study: Any) -> None:
    with pytest.raises(BadStudy, match="not the blank for it"):
        draft(store, "T", study.tasks, {"recruitment": {"external_study": "{{%STUDY_ID%}}"}})
