"""One normaliser, one scorer: every answer form, both readings, and nothing that crashes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.task import Gold, Question, Task
from study.scoring import is_no_answer, normalise, score

SHARED = Path(__file__).resolve().parents[3] / "shared" / "esi-bench" / "json_clean"

CHOICE = Question(text="?", form="choice", options=("near the bowl", "near the red lamp"))
YES_NO = Question(text="?", form="yes_no", options=("Yes", "No"))
COUNT = Question(text="?", form="count", options=("0", "1", "2", "3"))
SEQUENCE = Question(text="?", form="sequence", options=("cup", "paper cup", "plate"))
BLANKS = Question(text="?", form="blanks", blanks=(("turn left", "turn right"), ("living_room_0", "kitchen_0")), blank_names=("1", "2"))
PAIR = Question(text="?", form="pair", blanks=(("left", "right"), ("above", "below")), blank_names=("A", "C"))
ASSIGNMENT = Question(text="?", form="assignment", options=("apple", "melon"), targets=("small box", "big box"))
NUMBER = Question(text="?", form="number")
SIDES = Question(text="?", form="choice", options=("left", "right"))
TRIANGLE = Question(text="?", form="choice", options=("isosceles", "random"))
ROOMS = Question(text="?", form="choice", options=("living_room_0", "bed_0"))
NEARER = Question(text="?", form="choice", options=("toy_car", "mug"))
VESSELS = Question(text="?", form="choice", options=("jug", "bowl"))
HIDDEN = Question(text="?", form="choice", options=("hat", "mug", "pen", "cap"))
FREE = Question(text="?", form="free_text")


@pytest.mark.parametrize(
    ("question", "raw", "expected"),
    [
        (CHOICE, "near the bowl", "near the bowl"),
        (CHOICE, "  Near_the  BOWL ", "near the bowl"),
        (CHOICE, "bowl", "near the bowl"),
        (CHOICE, "I think it is the one near the red lamp.", "near the red lamp"),
        (CHOICE, "B", "near the red lamp"),
        (CHOICE, "(a)", "near the bowl"),
        (CHOICE, "B. near the red lamp", "near the red lamp"),
        (CHOICE, "A. near the red lamp", None),
        (CHOICE, "near the bowl or near the red lamp", None),
        (CHOICE, "near", None),
        (CHOICE, "C", None),
        (CHOICE, "not sure", None),
        (CHOICE, "n/a", None),
        (CHOICE, 1, None),
        (YES_NO, "yes", "Yes"),
        (YES_NO, True, "Yes"),
        (YES_NO, "No.", "No"),
        (YES_NO, "No, it is not", "No"),
        (YES_NO, "maybe", None),
        (COUNT, 2, "2"),
        (COUNT, 2.0, "2"),
        (COUNT, " 02 ", "2"),
        (COUNT, "There are 3 of them", "3"),
        (COUNT, "C", "2"),
        (COUNT, "7", None),
        (COUNT, 2.5, None),
        (COUNT, -1, None),
        (COUNT, "-1", None),
        (COUNT, True, None),
        (COUNT, "a", "0"),
        (COUNT, "none", None),
        (SEQUENCE, ["plate", "cup", "paper cup"], ["plate", "cup", "paper cup"]),
        (SEQUENCE, '["plate", "cup", "paper cup"]', ["plate", "cup", "paper cup"]),
        (SEQUENCE, "1) plate 2) paper cup 3) cup", ["plate", "paper cup", "cup"]),
        (SEQUENCE, "plate, cup", None),
        (SEQUENCE, ["plate", "cup", "cup"], None),
        (BLANKS, ["turn left", "kitchen_0"], ["turn left", "kitchen_0"]),
        (BLANKS, "turn left | kitchen_0", ["turn left", "kitchen_0"]),
        (BLANKS, {"1": "turn left", "2": "kitchen_0"}, ["turn left", "kitchen_0"]),
        (BLANKS, ["turn left"], None),
        (BLANKS, ["kitchen_0", "turn left"], None),
        (PAIR, {"A": "left", "C": "below"}, {"A": "left", "C": "below"}),
        (PAIR, '{"answer_A": "left", "answer_C": "below"}', {"A": "left", "C": "below"}),
        (PAIR, "The base is to the right, the other one above it", {"A": "right", "C": "above"}),
        (PAIR, {"A": "left"}, None),
        (ASSIGNMENT, {"melon": "big box", "apple": "small box"}, {"apple": "small box", "melon": "big box"}),
        (
            ASSIGNMENT,
            [{"_key": "apple", "value": "small box"}, {"_key": "melon", "value": "big box"}],
            {"apple": "small box", "melon": "big box"},
        ),
        (ASSIGNMENT, "apple: small box\nmelon -> big box", {"apple": "small box", "melon": "big box"}),
        (ASSIGNMENT, {"apple": "small box"}, None),
        (ASSIGNMENT, {"apple": "small box", "melon": "bag"}, None),
        (NUMBER, "1,5", "1.5"),
        (NUMBER, ".5", "0.5"),
        (NUMBER, "-,5", "-0.5"),
        (NUMBER, "5.", "5"),
        (NUMBER, "about .5 metres", "0.5"),
        (NUMBER, 2, "2"),
        (NUMBER, "about 2.5 metres", "2.5"),
        (NUMBER, "inf", None),
        (NUMBER, float("nan"), None),
        (FREE, "  a   towel ", "a towel"),
        (FREE, "unsure", None),
    ],
)
def test_answers_are_read_in_the_questions_own_words(question: Question, raw: object, expected: object) -> None:
    assert normalise(question.form, question, raw) == expected


def test_letters_follow_the_order_that_was_shown() -> None:
    assert normalise("choice", CHOICE, "A", shown=("near the red lamp", "near the bowl")) == "near the red lamp"


def test_an_option_that_reads_like_no_answer_is_an_answer() -> None:
    question = Question(text="?", form="choice", options=("none", "one"))
    assert normalise("choice", question, "None") == "none"
    assert not is_no_answer("none", question.options)
    assert is_no_answer("none")


def graded(
    make_task: Callable[..., Task], category: str, subcategory: str, question: Question, gold: object, raw: object
) -> tuple[bool, bool, bool]:
    task = make_task(category=category, subcategory=subcategory, question=question, gold=Gold(accepted=(gold,), chance=0.5))  # type: ignore[arg-type]
    result = score(task, raw)
    return result.answered, result.correct_strict, result.correct_lenient


@pytest.mark.parametrize(
    ("category", "subcategory", "question", "gold", "raw", "expected"),
    [
        ("Perceptual Grounding", "Material Transparency", YES_NO, "No", "it is outside", (True, False, True)),
        ("Perceptual Grounding", "Material Transparency", YES_NO, "Yes", "not inside", (True, False, False)),
        ("Physical Dynamics", "Inclined Plane", YES_NO, "Yes", "not slide", (True, False, True)),
        ("Physical Dynamics", "Inclined Plane", YES_NO, "No", "it will slide", (True, False, True)),
        ("Physical Dynamics", "Inclined Plane", YES_NO, "Yes", "unstable", (True, False, False)),
        ("Spatial Relations", "Linear Alignment", YES_NO, "No", "not collinear", (True, False, True)),
        ("Spatial Relations", "Physical Contact", YES_NO, "No", "separate", (True, False, True)),
        ("Specular Reflection", "Reflection Authoring", YES_NO, "Yes", "y", (True, False, False)),
        ("Specular Reflection", "Correspondence", SIDES, "left", "the left one", (True, False, False)),
        ("Spatial Relations", "Geometric Configuration", TRIANGLE, "random", "random triangle", (True, True, True)),
        ("Spatial Relations", "Geometric Configuration", TRIANGLE, "random triangle", "random", (True, True, True)),
        ("Spatial Relations", "Geometric Configuration", TRIANGLE, "random", "scalene", (True, True, True)),
        ("Cognitive Mapping", "Traversable Passage", ROOMS, "living_room_0", "living room 0", (True, False, False)),
        ("Cognitive Mapping", "Traversable Passage", ROOMS, "living_room_0", "Living_Room_0", (True, True, True)),
        ("Metric Comparison", "Dimensional Size", CHOICE, "near the red lamp", "the red lamp", (True, False, True)),
        ("Metric Comparison", "Spatial Distance", NEARER, "toy_car", "toy car", (True, True, True)),
        ("Metric Comparison", "Spatial Distance", NEARER, "toy_car", "near", (True, False, True)),
        ("Metric Comparison", "Spatial Distance", NEARER, "toy_car", "far", (True, False, False)),
        ("Physical Structure", "Liquid Volume", VESSELS, "bowl", "the right one", (True, False, True)),
        ("Physical Structure", "Deformable", HIDDEN, "pen", "C", (True, True, True)),
        ("Metric Comparison", "Dimensional Size", CHOICE, "near the red lamp", "B", (True, False, True)),
        ("Temporal Understanding", "Agent Observation", COUNT, "2", "C", (True, True, True)),
        ("Metric Comparison", "Dimensional Size", CHOICE, "near the bowl", "not sure", (False, False, False)),
        ("Metric Comparison", "Dimensional Size", CHOICE, "near the bowl", None, (False, False, False)),
        ("Metric Comparison", "Dimensional Size", CHOICE, "near the bowl", "gibberish", (True, False, False)),
    ],
)  # fmt: skip
def test_strict_and_lenient_readings(
    make_task: Callable[..., Task],
    category: str,
    subcategory: str,
    question: Any,
    gold: str,
    raw: str | None,
    expected: tuple[bool, bool, bool],
) -> None:
    assert graded(make_task, category, subcategory, question, gold, raw) == expected


def test_any_accepted_order_counts_and_every_pair_must_match(make_task: Callable[..., Task]) -> None:
    orders = (["cup", "paper cup", "plate"], ["plate", "cup", "paper cup"])
    task = make_task(question=SEQUENCE, gold=Gold(accepted=orders, chance=1 / 3))
    assert [score(task, list(order)).correct_strict for order in orders] == [True, True]
    assert not score(task, ["paper cup", "cup", "plate"]).correct_lenient
    task = make_task(question=ASSIGNMENT, gold=Gold(accepted=({"melon": "big box", "apple": "small box"},), chance=0.25))
    assert score(task, {"apple": "small box", "melon": "big box"}).correct_strict
    assert not score(task, {"apple": "small box", "melon": "small box"}).correct_lenient


def test_counts_have_a_distance(make_task: Callable[..., Task]) -> None:
    task = make_task(
        category="Enumerative Perception", subcategory="Counting w Occlusion", question=COUNT, gold=Gold(accepted=("3",), chance=0.25)
    )
    assert (score(task, "2").absolute_error, score(task, "2").soft_score) == (1.0, pytest.approx(2 / 3))  # type: ignore[comparison-overlap]
    assert score(task, 3).soft_score == 1.0


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(raw=ANYTHING, which=st.sampled_from([CHOICE, YES_NO, COUNT, SEQUENCE, BLANKS, PAIR, ASSIGNMENT, NUMBER, FREE]))
@settings(max_examples=300, deadline=None)
def test_nothing_crashes_and_what_is_read_reads_the_same_again(raw: object, which: Question) -> None:
    value = normalise(which.form, which, raw)
    if value is not None:
        assert normalise(which.form, which, value) == value
        assert json.loads(json.dumps(value)) == value


@pytest.mark.skipif(not SHARED.is_dir(), reason="the released rows are not here")
def test_every_released_gold_is_right_and_every_other_option_wrong() -> None:
    from data.importers.esi import import_rows

    wrong, count = [], 0
    for outcome in import_rows([SHARED]):
        task = getattr(outcome, "task", None)
        if task is None:
            continue
        count += 1
        for gold in task.gold.accepted:
            result = score(task, gold)
            if not (result.answered and result.correct_strict and result.correct_lenient):
                wrong.append((task.task_id, gold))
            if normalise(task.question.form, task.question, gold) is None:
                wrong.append((task.task_id, "unreadable", gold))  # type: ignore[arg-type]
        if task.question.form in ("choice", "yes_no", "count"):
            others = [option for option in task.question.options if option not in task.gold.accepted]
            wrong += [
                (task.task_id, option) for option in others if score(task, option).correct_strict or score(task, option).correct_lenient
            ]
    assert wrong == []
    assert count > 1000
