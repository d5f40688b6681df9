"""A question that asks for something else takes with it what was said of the options; turned back, it brings that back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.qa import moments as chosen
from annotation.qa import projects, rules
from annotation.qa.errors import QaError
from annotation.qa.items import LETTERS, Distractor, Item, Letter
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.viewpoint import votes
from annotation.qa.work import editing, pool
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present

TURNS = {"distance": "slots", "planning": "reference_view", "step": "reference_view"}
"""Subtask → which field turns its question round, where an author says which option is right."""


def turned(item: Item) -> dict[str, Any]:
    """The field that turns an item's question round, with another value."""
    if TURNS[item.subtask] == "slots":
        return {"slots": {"extreme": "longest" if item.slots["extreme"] == "shortest" else "shortest"}}
    return {"reference_view": next(view.view for view in item.views if view.view != item.reference_view)}


@pytest.fixture
def draft(store: Store) -> Callable[[Item], str]:
    project = projects.create_project(store, "Turning", trial_batch=0)
    return lambda item: pool.create_item(store, project.project_id, item, "author").item.item_id


@pytest.mark.parametrize("slug", TURNS)
def test_right_answer_ways_and_tick_go_and_come_back_but_for_the_tick(
    store: Store, draft: Callable[[Item], str], sound: Callable[..., Item], slug: str
) -> None:
    item_id = draft(sound(slug, 2))
    first = pool.get(store, item_id).item
    rev = editing.save_fields(store, item_id, 1, "author", turned(first)).rev
    after = pool.get(store, item_id).item
    assert (after.gold, after.hard, after.provenance, after.unique_confirmed) == (None, (), {}, False)
    assert after.options == first.options and after.marks == first.marks and after.question != first.question
    back = {name: getattr(first, name) for name in turned(first)}
    editing.save_fields(store, item_id, rev, "author", back)
    again = pool.get(store, item_id).item
    assert again == first.change(unique_confirmed=False), "the tick is for its author to give anew"


def test_what_is_said_along_with_the_turn_stays(store: Store, draft: Callable[[Item], str], sound: Callable[..., Item]) -> None:
    """What waited in a browser without a network arrives in one."""
    item_id = draft(sound("distance", 2))
    first = pool.get(store, item_id).item
    other = next(letter for letter in LETTERS if letter != first.gold)
    editing.save_fields(store, item_id, 1, "author", turned(first) | {"gold": other})
    assert (pool.get(store, item_id).item.gold, pool.get(store, item_id).item.hard) == (other, ())


def test_only_the_tick_goes_with_the_words_of_a_question(store: Store, draft: Callable[[Item], str], sound: Callable[..., Item]) -> None:
    item_id = draft(sound("trajectory", 2))
    first = pool.get(store, item_id).item
    rev = editing.save_fields(store, item_id, 1, "author", {"question": first.question.upper() + " "}).rev
    assert pool.get(store, item_id).item.unique_confirmed, "the same words, written otherwise"
    rev = editing.save_fields(store, item_id, rev, "author", {"slots": {"task": "open the window"}}).rev
    rev = editing.save_fields(store, item_id, rev, "author", {}, make="question").rev
    item = pool.get(store, item_id).item
    assert (item.unique_confirmed, item.gold, item.provenance) == (False, first.gold, first.provenance)
    editing.save_fields(store, item_id, rev, "author", {"unique_confirmed": True})
    assert pool.get(store, item_id).item.unique_confirmed


def test_asking_for_the_other_gripper_and_back_leaves_all_but_the_tick(
    store: Store, draft: Callable[[Item], str], sound: Callable[..., Item]
) -> None:
    item_id = draft(sound("viewpoint", 2))
    first = pool.get(store, item_id).item
    other = "right" if first.slots["side"] == "left" else "left"
    rev = editing.save_fields(store, item_id, 1, "author", {"slots": {"side": other}}).rev
    assert pool.get(store, item_id).item.gold not in (None, first.gold) and not pool.get(store, item_id).item.unique_confirmed
    editing.save_fields(store, item_id, rev, "author", {"slots": first.slots})
    assert pool.get(store, item_id).item == first.change(unique_confirmed=False)


def made(item: Item, **kinds: str) -> Item:
    return item.change(provenance=item.provenance | {letter: Distractor(kind=kind) for letter, kind in kinds.items()})


def said(item: Item, letter: str) -> list[str]:
    return [problem.sentence for problem in rules.check(item) if problem.field == f"provenance.{letter}"]


def test_none_is_one_way_and_a_box_another(sound: Callable[..., Item]) -> None:
    item = next(one for one in (sound("matching", seed) for seed in range(20)) if not SUBTASKS["matching"].none_cell.holds(one))  # type: ignore[union-attr]
    none = next(letter for letter, text in item.options.items() if text.startswith("None"))
    box = next(letter for letter in LETTERS if letter not in (none, item.gold))
    assert said(made(item, **{box: "none"}), box) == [
        f"Option {box}: it names a box, so it is not made as “None”: choose how this box was chosen."
    ]  # fmt: skip
    assert "it says that no box is correct" in said(made(item, **{none: "close_by"}), none)[0]
    assert not said(made(item, **{box: "elsewhere"}), box) and said(made(item, **{none: "elsewhere"}), none)
    nothing = next(one for one in (sound("matching", seed) for seed in range(40)) if SUBTASKS["matching"].none_cell.holds(one))  # type: ignore[union-attr]
    wrong = next(iter(nothing.provenance))
    assert said(made(nothing, **{wrong: "none"}), wrong), "no box is right here"


@pytest.mark.parametrize(("slug", "kind"), [("planning", "wrong_arm"), ("step", "wrong_arm"), ("distance", "other_gripper")])
def test_one_arm_has_no_other(sound: Callable[..., Item], slug: str, kind: str) -> None:
    single, dual = sound(slug, 1, "single"), sound(slug, 1, "dual")
    letter = next(iter(single.provenance))
    assert "this robot has one arm" in said(made(single, **{letter: kind}), letter)[0]
    assert kind not in SUBTASKS[slug].kinds("single") and kind in SUBTASKS[slug].kinds("dual")
    other = next(iter(dual.provenance))
    assert not any("one arm" in sentence for sentence in said(made(dual, **{other: kind}), other))


def test_the_other_gripper_takes_the_right_object(sound: Callable[..., Item]) -> None:
    item = sound("distance", 1)
    gold: Letter = present(item.gold)
    letter: Letter = present(next((one for one in LETTERS if one in item.provenance), None))
    assert "it names another object than the right one" in said(made(item, **{letter: "other_gripper"}), letter)[0]
    hand = "left" if "right gripper" in item.options[gold] else "right"
    swapped = item.options[gold].replace("left gripper", "X").replace("right gripper", "X").replace("X", f"{hand} gripper")
    assert said(made(item.change(options=item.options | {letter: swapped}), **{letter: "other_gripper"}), letter) == []


def test_a_picture_is_of_the_kind_that_is_said_of_it(sound: Callable[..., Item]) -> None:
    item = sound("viewpoint", 1)
    kinds = {origin.kind: letter for letter, origin in item.provenance.items()}
    for now, other in (("distant_moment", "opposite_gripper"), ("distant_moment", "other_episode"), ("other_episode", "distant_moment")):
        letter = kinds[now]
        wrong = item.change(provenance=item.provenance | {letter: item.provenance[letter].model_copy(update={"kind": other})})
        assert "shows another picture than it says" in said(wrong, letter)[0]


def test_another_picture_never_lets_the_majority_tell(store: Store, robots: Robots) -> None:
    """Every picture that can be asked for, over and over: the item keeps the rules that it kept."""
    project = projects.create_project(store, "Pictures", trial_batch=0).project_id
    robots.add("dual", tasks=2, episodes=3)
    chosen.sample_moments(store, project, per_episode=2)
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    item_id = chosen.start_item(store, project, chosen.moments(store, project, state="kept")[0].moment_id, "viewpoint", "ann").item.item_id
    shown, refused = set(), 0
    for turn in range(24):
        stored = pool.get(store, item_id)
        letters = [letter for letter in sorted(stored.item.provenance) if stored.item.provenance[letter].kind != "opposite_gripper"]
        letter = letters[turn % len(letters)]
        try:
            editing.replace_picture(store, item_id, stored.version, "ann", letter, stored.item.provenance[letter].kind)
        except QaError as error:
            refused += 1
            assert "No other image of this kind" in str(error)
        item = pool.get(store, item_id).item
        tally = votes(item)
        assert [one for one, n in tally.items() if n == max(tally.values())] != [item.gold]
        assert {problem.field for problem in rules.check(item)} == {"unique_confirmed"}
        shown.add(item.option_images[letter].image)
    assert len(shown) > 5 and refused < 24
