"""Balancing is uniform within one by construction and changes nothing but letters and colours; derived sets are pure transformations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.qa import derive, projects, rules
from annotation.qa.items import LETTERS, Item, Mark
from annotation.qa.parts import marks
from annotation.qa.parts.colours import COLOURS, named, recolour
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import NONE_ABOVE, NONE_TEXT
from annotation.qa.work import balance, pool
from data.store import Store
from tests.present import present


def many(sound: Callable[..., Item], slug: str, count: int, start: int = 0) -> list[Item]:
    arms = SUBTASKS[slug].arms
    return [sound(slug, seed, arms[seed % len(arms)]) for seed in range(start, start + count)]


def meaning(item: Item, letter: Any) -> object:
    """What an option stands for, whatever its letter and colour are called: its image, its words, or the marks of its colour."""
    if item.option_images:
        return item.option_images[letter].image
    words = named(item.options[letter])
    if SUBTASKS[item.subtask].option_kind != "colour" or not words:
        return item.options[letter]
    shapes = sorted((m.view, m.points) for m in item.marks if m.colour == words[0])
    return (recolour(item.options[letter], dict.fromkeys(COLOURS, "red")), shapes)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(slug=st.sampled_from(sorted(SUBTASKS)), count=st.integers(1, 23), seed=st.integers(0, 999), start=st.integers(0, 400))
def test_letters_and_colours_are_within_one_for_any_number_of_items(
    sound: Callable[..., Item], slug: Any, count: Any, seed: Any, start: Any
) -> None:
    items = many(sound, slug, count, start)
    moved = [move.item for move in balance.plan(items, seed, again=True)]
    assert balance.report(moved)["within_one"]
    before = {item.item_id: item for item in items}
    for item in moved:
        old = before[item.item_id]
        assert rules.check(item) == []
        assert meaning(item, present(item.gold)) == meaning(old, old.gold)
        assert sorted(map(repr, (meaning(item, x) for x in LETTERS))) == sorted(map(repr, (meaning(old, x) for x in LETTERS)))
        assert sorted(map(repr, (meaning(item, x) for x in item.hard))) == sorted(map(repr, (meaning(old, x) for x in old.hard)))
        assert {repr(meaning(item, x)): d for x, d in item.provenance.items()} == {
            repr(meaning(old, x)): d for x, d in old.provenance.items()
        }
        assert (item.question, item.slots, item.cubes) == (old.question, old.slots, old.cubes)
        red = [m for m in old.marks if m.colour == "red"]
        assert slug != "matching" or red == [m for m in item.marks if m.colour == "red"]


def test_a_plan_is_repeatable_and_a_balanced_set_stays(sound: Callable[..., Item]) -> None:
    items = many(sound, "trajectory", 12)
    one, two = balance.plan(items, 3), balance.plan(reversed(items), 3)
    assert [m.item for m in one] == [m.item for m in two] != [m.item for m in balance.plan(items, 4)]
    assert balance.plan([m.item for m in one], 5) == []


def test_no_letter_goes_with_a_colour_an_arm_or_a_choice(sound: Callable[..., Item]) -> None:
    items = [move.item for move in balance.plan(many(sound, "distance", 100), 1, again=True)]
    pairs = Counter((item.gold, SUBTASKS["distance"].gold_colour(item)) for item in items)
    assert max(pairs.values()) < 12
    for key in ({"arm": "dual"}, {"arm": "single"}, {"slots": {"extreme": "shortest"}}):
        part = [item for item in items if all(getattr(item, name) == value for name, value in key.items())]
        letters = Counter(item.gold for item in part)
        assert max(letters.values()) - min(letters.values()) <= 2


def test_an_unfinished_item_is_not_balanced(sound: Callable[..., Item]) -> None:
    with pytest.raises(ValueError, match="has no right option"):
        balance.plan([sound("step").change(gold=None)], 1)


def test_uneven_sets_are_reported(sound: Callable[..., Item]) -> None:
    items = [i for i in many(sound, "step", 60) if i.gold == "A"]
    row = balance.report(items)["subtasks"]["step"]
    assert row["letters"]["A"] == len(items) > 1 and not row["within_one"]


def test_balancing_a_project_makes_versions_that_say_what_moved(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(store, "B", reviewers_per_item=1, trial_batch=0, seed=9)
    for seed in range(6):
        pool.admit(store, project.project_id, sound("affordance", seed), state="accepted", actor="lea", why="test")
    draft = pool.create_item(store, project.project_id, sound("affordance", 99), "ann")
    report = balance.apply(store, project.project_id, "lea")
    assert report["within_one"] and report["seed"] == 9
    moved = [s for s in pool.items(store, project.project_id, state="accepted") if s.version > 1]
    assert len(moved) == report["moved"] == 6
    version = pool.history(store, moved[0].item.item_id)[-1]
    assert (version.kind, version.editor) == ("balance", "lea") and version.why.startswith("balanced with seed 9: ")
    assert pool.get(store, draft.item.item_id).version == 1
    assert balance.apply(store, project.project_id, "lea")["moved"] == 0


# derived sets


@pytest.mark.parametrize("kind", derive.KINDS)
def test_derived_items_keep_what_rules_are_left_and_name_their_origin(sound: Callable[..., Item], kind: Any) -> None:
    made = 0
    for slug, subtask in SUBTASKS.items():
        for arm in subtask.arms:
            for item in (sound(slug, seed, arm) for seed in range(8)):
                (derived,) = derive.derive([item], kind).items or (None,)
                if derived is None:
                    assert derive.excluded(item, kind)
                    continue
                made += 1
                assert rules.check(derived) == []
                assert (derived.item_id, present(derived.derived).content_hash) == (f"{item.item_id}.{kind}", item.content_hash)
                assert derive.derive([item], kind).items == [derived]
                assert Item.read(derived.canonical_json()) == derived
                assert derive.excluded(derived, kind)
    assert made > 20


def test_the_single_view_set_keeps_the_head_or_view_1(sound: Callable[..., Item]) -> None:
    assert derive.derive([sound(s) for s in SUBTASKS], "single").counts().keys() <= {"distance", "consistency", "planning", "step"}
    item = derive.derive([sound("distance")], "single").items[0]
    assert [view.view for view in item.views] == ["head"]
    assert "Three synchronized views" not in item.question and "One view" in item.question
    elsewhere = next(i for i in (sound("distance", s, "single") for s in range(40)) if i.reference_view != "view1")
    assert "another view than view1" in derive.excluded(elsewhere, "single")


def test_the_upside_down_set_turns_all_but_the_grippers(sound: Callable[..., Item]) -> None:
    item = sound("affordance", 3)
    flipped = derive.derive([item], "flip").items[0]
    assert {v.view: v.transform for v in flipped.views} == {"left-gripper": "", "head": "flip_vertical", "right-gripper": ""}
    assert (flipped.gold, flipped.options, flipped.question) == (item.gold, item.options, item.question)
    for old, new in zip(item.marks, flipped.marks, strict=True):
        assert new.points == (tuple((x, 480 - y) for x, y in old.points) if old.view == "head" else old.points)


@settings(max_examples=80, deadline=None)
@given(
    kind=st.sampled_from(("box", "track", "grasp")),
    xy=st.tuples(*[st.integers(0, 500)] * 4),
    height=st.integers(501, 900),
)
def test_a_mark_flipped_twice_is_the_same(kind: Any, xy: tuple[int, ...], height: int) -> None:
    x0, y0, x1, y1 = xy
    if kind == "box":
        (x0, x1), (y0, y1) = sorted((x0, x1)), sorted((y0, y1))
    mark = Mark(id="m", view="head", kind=kind, colour="red", points=((float(x0), float(y0)), (float(x1), float(y1))))
    once = marks.flip(mark, height)
    assert marks.flip(once, height) == mark
    assert kind != "box" or (once.points[0][0] <= once.points[1][0] and once.points[0][1] <= once.points[1][1])


def test_the_rejection_set_puts_none_of_the_above_at_e(sound: Callable[..., Item]) -> None:
    item = sound("step")
    rejected = derive.derive([item], "reject").items[0]
    assert (rejected.gold, rejected.options["E"]) == ("E", NONE_ABOVE)
    wrong = [item.options[x] for x in LETTERS if x != item.gold]
    assert [rejected.options[x] for x in "ABCD"] == wrong  # type: ignore[index]
    assert derive.excluded(sound("distance"), "reject") == "There is no rejection set of Distance Judgement."


def test_rejection_leaves_out_matching_items_with_none_as_a_distractor(sound: Callable[..., Item]) -> None:
    items = [sound("matching", seed) for seed in range(40)]
    with_none = [i for i in items if any(t == NONE_TEXT for x, t in i.options.items() if x != i.gold)]
    made = derive.derive(items, "reject")
    assert set(made.left_out) == {i.item_id for i in with_none} and made.items
    assert all("becomes right too" in why for why in made.left_out.values())


def test_viewpoint_rejection_keeps_four_images(sound: Callable[..., Item]) -> None:
    item = sound("viewpoint")
    rejected = derive.derive([item], "reject").items[0]
    assert sorted(rejected.option_images) == list("ABCD")
    assert item.option_images[present(item.gold)].image not in {image.image for image in rejected.option_images.values()}
