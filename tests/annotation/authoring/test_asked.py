"""Every form of answer can be authored: what is missing is said, and the right answer scores as right and no other does."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.authoring.asked import FORMS
from annotation.authoring.draft import ROOM_KINDS, Draft, compose, missing
from data.task import Answer, Task
from sim_bridge.backends.mujoco.rooms.kinds import STYLES
from study.scoring import score

ROUTE = ("Cognitive Mapping", "Long-Term Navigation")
FIT = ("Physical Structure", "Rigid Containment")
ORDER = ("Action Sequencing", "Action Order Inference")
STAGE: dict[str, Any] = {
    "things": [{"key": "k1", "category": "mug", "essential": True, "words": "mug"}], "question": "Which?", "argument": "It is far.",
}  # fmt: skip
ROOMS = ["kitchen", "bedroom", "office"]
WAY: dict[str, Any] = STAGE | {
    "form": "blanks",
    "blanks": [{"name": "First room", "options": ROOMS, "right": "kitchen"}, {"name": "Second room", "options": ROOMS, "right": "office"}],
}
TWO: dict[str, Any] = STAGE | {
    "form": "pair",
    "blanks": [
        {"name": "Box", "options": ["left", "right"], "right": "left"},
        {"name": "Ball", "options": ["left", "right"], "right": "left"},
    ],
}
WHERE: dict[str, Any] = STAGE | {
    "form": "assignment", "options": ["book", "ball"], "targets": ["crate", "basket", "chest"],
    "assigned": {"book": "crate", "ball": "chest", "gone": "crate"},
}  # fmt: skip


def draft(kind: tuple[str, str], fields: dict[str, Any]) -> Draft:
    return Draft.model_validate({"category": kind[0], "subcategory": kind[1]} | fields)


def made(kind: tuple[str, str], fields: dict[str, Any]) -> Task:
    assert missing(draft(kind, fields), twin=False) == []
    return compose(draft(kind, fields), "authored-1", "family")


@pytest.mark.parametrize(
    ("kind", "fields", "gold", "wrong", "chance"),
    [
        (ROUTE, WAY, ["kitchen", "office"], ["office", "kitchen"], 1 / 9),
        (ORDER, TWO, {"Box": "left", "Ball": "left"}, {"Box": "left", "Ball": "right"}, 1 / 4),
        (FIT, WHERE, {"book": "crate", "ball": "chest"}, {"book": "crate", "ball": "basket"}, 1 / 9),
    ],
)
def test_an_answer_of_several_parts_is_a_task_and_is_scored(
    kind: tuple[str, str], fields: dict[str, Any], gold: Answer, wrong: Answer, chance: float
) -> None:
    task = made(kind, fields)
    assert task.gold.accepted == (gold,) and task.gold.chance == pytest.approx(chance)
    assert score(task, gold).correct_strict and not score(task, wrong).correct_strict
    assert Task.from_json(task.canonical_json()) == task


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (WAY | {"blanks": []}, "Add the blanks that are to be filled in."),
        (TWO | {"blanks": TWO["blanks"][:1]}, "A pair has two blanks: add them."),
        (TWO | {"blanks": [TWO["blanks"][0]] * 2}, "Each blank needs a name of its own."),
        (TWO | {"blanks": [TWO["blanks"][0], TWO["blanks"][1] | {"name": " "}]}, "Each blank needs a name of its own."),
        (WAY | {"blanks": [WAY["blanks"][0] | {"right": "hall"}]}, "Blank 1: say which option is right."),
        (WAY | {"blanks": [WAY["blanks"][0] | {"options": ["kitchen"]}]}, "Blank 1: give at least two options."),
        (WAY | {"blanks": [WAY["blanks"][0] | {"options": [*ROOMS, "kitchen "]}]}, "Blank 1: an option is empty, or there twice."),
        (WHERE | {"options": []}, "Give what is to be assigned, one a line."),
        (WHERE | {"targets": ["crate"]}, "Give at least two targets to which things can be assigned."),
        (WHERE | {"targets": ["crate", "basket", " crate"]}, "A target is empty, or there twice."),
        (WHERE | {"assigned": {"book": "crate"}}, "Say where 'ball' belongs."),
        (WHERE | {"assigned": WHERE["assigned"] | {"ball": "cellar"}}, "Say where 'ball' belongs."),
        (STAGE | {"form": "number", "gold": "far"}, "The right answer 'far' is no number."),
        (STAGE | {"form": "number", "gold": "inf"}, "The right answer 'inf' is no number."),
        (STAGE | {"form": "count", "gold": "²"}, "A count is a whole number."),
        (STAGE | {"form": "yes_no", "options": ["yes", "maybe"], "gold": "yes"}, "A question of yes or no has the options yes and no."),
        (WAY | {"house_rooms": 5, "about_rooms": ["ballroom"]}, "The question asks about the ballroom"),
    ],
)
def test_what_an_answer_of_several_parts_lacks_is_said(fields: dict[str, Any], said: str) -> None:
    found = missing(draft(ROUTE, fields), twin=False)
    assert len(found) == 1 and found[0].startswith(said), found


def test_an_empty_house_asks_about_its_rooms() -> None:
    task = made(ROUTE, WAY | {"things": [], "house_rooms": 5, "asks": "regions", "about_rooms": ["kitchen"], "given": "to your left"})
    assert task.question.ask is not None and task.question.ask.rooms == ("kitchen",) and task.question.ask.given == "to your left"
    assert task.scene.house is not None and task.scene.house.rooms == 5
    assert missing(draft(ROUTE, WAY | {"things": []}), twin=False)[0] == "Place at least one thing."


def test_a_form_takes_its_own_fields_alone() -> None:
    task = made(ROUTE, WAY | {"options": ["left over"], "targets": ["left over"]})
    assert task.question.options == () and task.question.targets == ()
    task = made(FIT, WHERE | {"blanks": WAY["blanks"]})
    assert task.question.blanks == () and task.question.blank_names == ()


def test_an_author_can_choose_every_form_and_every_room() -> None:
    assert set(FORMS) == set(Task.model_fields["question"].annotation.model_fields["form"].annotation.__args__)  # type: ignore[union-attr]
    assert sorted(ROOM_KINDS) == sorted(STYLES)
