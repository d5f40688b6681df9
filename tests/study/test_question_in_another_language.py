"""A question in another language: only tasks that carry it are offered, and what is kept are the task's own words."""

from __future__ import annotations

from typing import Any

import pytest

from data.store import Store
from data.task import Gold, Question, Said, Task
from study.fits import fits
from study.paradigms import paradigm
from study.tongue import tongue

GERMAN = Said(text="Was ist größer?", options=("der rote Kasten", "der blaue Kasten"), names={"red box": "roter Kasten"})


def spoken(task: Task, said: Said = GERMAN) -> Task:
    """A task whose question is there in German too."""
    own = task.question
    return task.model_copy(update={"question": type(own).model_validate(own.model_dump() | {"languages": {"de": said.model_dump()}})})


@pytest.fixture
def task(make_task: Any) -> Task:
    asked = Question(text="Which is larger?", form="choice", options=("the red one", "the blue one"))
    made: Task = make_task("two", question=asked, gold=Gold(accepted=("the red one",), chance=0.5))
    return made


def test_only_tasks_that_carry_their_question_in_it_fit_a_study_in_another_language(store: Store, task: Task) -> None:
    both = spoken(task.model_copy(update={"task_id": "both"}))
    for one in (task, both):
        store.put_task(one)
    hashes = [task.content_hash, both.content_hash]
    (active,) = fits(store, hashes, [paradigm("active")], "de")
    assert active.fit == (both.content_hash,)
    assert [(one.task_id, one.why) for one in active.unfit] == [(task.task_id, "has its question in en and not in de")]
    assert [one.fit for one in fits(store, hashes, [paradigm("active")])] == [tuple(hashes)]
    assert [one.fit for one in fits(store, hashes, [paradigm("active")], "qps-ploc")] == [tuple(hashes)], "a language for trying takes all"


def test_a_task_without_other_languages_keeps_its_hash(task: Task) -> None:
    assert "language" not in task.canonical_json()
    assert Task.from_json(spoken(task).canonical_json()) == spoken(task) and spoken(task).content_hash != task.content_hash


def test_what_is_read_is_german_and_what_is_kept_the_task_s_own_words(task: Task) -> None:
    words = tongue(spoken(task), "de")
    assert words is not None and tongue(spoken(task), "en") is None and tongue(task, "de") is None
    told = {"text": "Which?", "options": ["the blue one", "the red one"], "blanks": [], "blank_names": [], "targets": [], "note": ""}
    assert words.question(told) | {"form": ""} == told | {
        "form": "", "text": "Was ist größer?", "options": ["der blaue Kasten", "der rote Kasten"]
    }  # fmt: skip
    for answer in ("the red one", ["the blue one", "the red one"], {"the red one": "the blue one"}, None, "7"):
        assert words.given(words.answer(answer)) == answer
    step = {"objects": [{"handle": "object_1", "name": "red box"}, {"handle": "object_2", "name": "object 2"}], "held": None}
    assert [thing["name"] for thing in words.step(step)["objects"]] == ["roter Kasten", "object 2"]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (Said(text="Was?", options=("eins",)), "languages.de.options: expected a word for each"),
        (Said(text="Was?", options=("eins", "eins")), "two answers read alike"),
        (Said(text="Was?", options=("eins", "zwei"), note="Achtung"), "languages.de.note"),
    ],
)
def test_words_that_do_not_fit_their_question_are_refused(task: Task, said: Said, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        spoken(task, said)
