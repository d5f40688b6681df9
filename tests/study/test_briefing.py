"""The instructions of a study that writes none of its own: what its people will meet, and what every task asks of them (measurement 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study import participants
from study.briefing import instructions_of, welcome_of
from study.episode import EpisodeEngine
from study.protocol import Protocol
from study.stations import instructions
from study.studies import Study, create_study
from study.tutorial.settings import Tutorial

HINTS = ("behind", "hidden", "hard", "trick", "mislead", "illusion", "careful", "first view", "different side", "another side", "above")
"""Words that would say what makes tasks hard."""


def study(*ways: str, **more: Any) -> Study:
    return Study(study_id="s", name="S", tasks=("a", "b", "c"), trials=2, paradigms=ways, tutorial=Tutorial(), **more)


@pytest.mark.parametrize(
    ("ways", "said", "unsaid"),
    [
        (("active",), ["You see the place through a camera"], ["pictures of the place", "In some tasks", "No picture"]),
        (("single_view", "gt_passive"), ["You look at pictures"], ["through a camera", "In some tasks", "No picture"]),
        (("question_only",), ["No picture of the place is shown"], ["through a camera", "pictures of the place that"]),
        (
            ("active", "yoked"),
            ["In some tasks you see the place through", "In some tasks you look at pictures"],
            ["no picture of the place"],
        ),
    ],
)
def test_they_tell_what_people_of_these_paradigms_meet_and_nothing_else(ways: Any, said: list[str], unsaid: list[str]) -> None:
    told = instructions_of(study(*ways))
    assert all(words in told for words in said) and not any(words in told for words in unsaid)
    for words in ("There are 2 tasks", "as much evidence as you need", "only when you are confident", "0 to 100 percent", "stop at any"):
        assert words in told
    assert not [hint for hint in HINTS if hint in told.lower()] and len(told.split()) <= 190


def test_they_follow_the_protocol_and_give_way_to_the_studys_own_words() -> None:
    quiet = instructions_of(study("active", protocol=Protocol(belief_bar=False, confidence_required=False)))
    assert "you can say how likely" in quiet and "note what you think" not in quiet
    assert instructions_of(study("active", instructions=" Look. ")) == "Look."
    assert instructions_of(study("active").model_copy(update={"tutorial": None})) == ""


def test_a_study_with_a_practice_task_has_them_too_and_they_say_how_things_are_handled() -> None:
    told = instructions_of(study("active").model_copy(update={"tutorial": None, "practice_task": "p"}))
    assert "First comes a task for practice" in told and "examples" not in told
    assert "“Do it”" in told and "the picture has the numbers" in told and len(told.split()) <= 190
    unnumbered = study("active", protocol=Protocol(objects="unnumbered")).model_copy(update={"tutorial": None, "practice_task": "p"})
    assert "“Do it”" in instructions_of(unnumbered) and "numbers" not in instructions_of(unnumbered)
    assert "“Do it”" not in instructions_of(study("single_view").model_copy(update={"tutorial": None, "practice_task": "p"}))


def test_the_welcome_says_how_many_tasks_there_are_and_gives_way_to_the_studys_own_words() -> None:
    assert welcome_of(study("active")).endswith("There are 2 tasks.")
    one = study("active").model_copy(update={"trials": 1, "practice_task": "p"})
    assert "There is one task. First comes a task for practice" in welcome_of(one)
    assert "at most 30 minutes" in welcome_of(study("active", session_minutes=30))
    assert welcome_of(study("active", welcome="Hello.")) == "Hello."


def test_they_are_read_once_before_the_worked_examples(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    made = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, tutorial=Tutorial())
    person = participants.add_participant(store, made.study_id)
    participants.decide(store, person, "consent")
    assert participants.place(store, engine, person).stage == "instructions"
    instructions.go_on(store, person)
    assert participants.place(store, engine, person).stage == "practice"
