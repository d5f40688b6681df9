"""What is wrong with settings is said in its reader's words, with the setting and the value, and without the program's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study.drafting import BadStudy, Choice, check_name, draft, edit, free_name, last_choice, use
from study.errors import BadTransition
from study.studies import being_edited, create_study, get_study, publish, revise
from study.versions import discard, is_edited


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    tasks = [make_task(f"toy-{number}") for number in range(2)]
    for task in tasks:
        store.put_task(task)
    return create_study(store, "Rooms", tasks=tuple(task.content_hash for task in tasks), trials=1)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"trials": 0}, "trials: it has to be 1 or more, got “0”."),
        ({"trials": "many"}, "trials: it has to be a whole number, got “many”."),
        ({"sessions": 99}, "sessions: it has to be 50 or less, got “99”."),
        ({"pay": {"currency": "BANANA"}}, "pay.currency: a currency is three capital letters such as EUR, got “BANANA”."),
        ({"pay": {"per_session": "9.505", "currency": "EUR"}}, "pay.per_session: it has 2 decimals at most, got “9.505”."),
        (
            {"returns": {"done": {"link": "ftp://x"}}},
            "returns.done.link: a return link begins with https:// and a host name, got “ftp://x”.",
        ),
        (
            {"ethics": {"basis": "whatever"}},
            "ethics.basis: it has to be one of , approval, determination or demonstration, got “whatever”.",
        ),
        ({"protocol": {"budgets": 3}}, "There is no setting protocol.budgets."),
        (
            {"returns": {"done": {"code": "SAME1"}, "stopped": {"code": "same1"}}},
            "returns: the code same1 stands for “finished” and for “ended early”: whoever brings it could be either; use two codes.",
        ),
    ],
)
def test_a_refused_setting_is_one_plain_sentence(store: Store, study: Any, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(BadStudy) as refused:
        edit(store, study.study_id, settings)
    assert str(refused.value) == says.replace("one of , approval", "one of approval")
    assert being_edited(store, study.study_id) == study


def test_a_study_has_a_name_of_its_own(store: Store, study: Any) -> None:
    for name, says in (("  ", "Give the study a name"), (" rooms ", "Another study is called “rooms”"), ("x" * 201, "201 characters")):
        with pytest.raises(BadStudy, match=says):
            draft(store, name, study.tasks, {})
    with pytest.raises(BadStudy, match="Give the study a name"):
        edit(store, study.study_id, {"name": ""})
    assert check_name(store, "Rooms", study.study_id) == "Rooms" and free_name(store, "Rooms") == "Rooms 2"
    edit(store, study.study_id, {"name": "Rooms", "trials": 2})


def test_what_was_changed_since_the_last_version_can_be_discarded(store: Store, study: Any) -> None:
    with pytest.raises(BadTransition, match="never published"):
        discard(store, study.study_id)
    publish(store, study.study_id)
    revise(store, study.study_id, trials=2)
    assert is_edited(store, study.study_id)
    assert discard(store, study.study_id, actor="a").trials == 1
    assert being_edited(store, study.study_id) == get_study(store, study.study_id) and not is_edited(store, study.study_id)


def test_the_choice_by_which_tasks_were_found_is_kept(store: Store, study: Any) -> None:
    assert last_choice(store, study.study_id) == Choice()
    choice = Choice(datasets=("vantage",), per_category=3, playable=False)
    use(store, study.study_id, choice, study.tasks[:1])
    assert last_choice(store, study.study_id) == choice and being_edited(store, study.study_id).tasks == study.tasks[:1]
