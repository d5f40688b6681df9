"""Sound items have no problems; every fault that the rules name is found, by field, and nothing crashes on unfinished work."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.qa import rules
from annotation.qa.items import LETTERS, Cube, Distractor, Item, Mark
from annotation.qa.parts import cubes, directions, likeness
from annotation.qa.subtasks import SUBTASKS, viewpoint
from annotation.qa.subtasks.base import FRAME_TEXT, NONE_TEXT
from tests.present import present


def fields(item: Item) -> set[str]:
    return {problem.field for problem in rules.check(item)}


def sentences(item: Item) -> str:
    return " ".join(problem.sentence for problem in rules.check(item))


@pytest.mark.parametrize(("subtask", "arm"), [(s.slug, arm) for s in SUBTASKS.values() for arm in s.arms])
def test_a_sound_item_has_no_problem(sound: Callable[..., Item], subtask: str, arm: str) -> None:
    for seed in range(15):
        assert rules.check(sound(subtask, seed, arm)) == []


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_an_empty_item_gets_sentences_not_exceptions(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    empty = Item.read(
        {"item_id": "qa-1", "subtask": subtask, "arm": "dual", "source": "s", "reference_view": "head"}
        | {"views": item.document()["views"]}
    )
    found = rules.check(empty)
    assert {"question", "options", "gold"} <= {problem.field for problem in found}
    assert all(problem.sentence.endswith((".", ").")) for problem in found)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    subtask=st.sampled_from(sorted(SUBTASKS)),
    seed=st.integers(0, 50),
    texts=st.dictionaries(st.sampled_from(LETTERS), st.text(max_size=40), max_size=5),
    points=st.lists(st.tuples(st.floats(-50, 900), st.floats(-50, 900)), max_size=4),
    colour=st.sampled_from(("red", "blue", "purple")),
    view=st.sampled_from(("head", "left-gripper", "elsewhere")),
)
def test_no_unfinished_work_makes_the_rules_fail(
    sound: Callable[..., Item], subtask: Any, seed: Any, texts: Any, points: Any, colour: Any, view: Any
) -> None:
    item = sound(subtask, seed)
    kind = ("box", "track", "grasp")[seed % 3]
    mark = Mark(id="extra", view=view, kind=kind, colour=colour, points=tuple(points))  # type: ignore[arg-type]
    assert isinstance(rules.check(item.change(options=texts, marks=(*item.marks, mark), gold=None, question="")), list)


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_the_rules_of_all_subtasks(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    a, b = LETTERS[:2]
    assert "unique_confirmed" in fields(item.change(unique_confirmed=False))
    assert "gold" in fields(item.change(gold=None))
    assert "hard" in fields(item.change(hard=()))
    assert "hard" in fields(item.change(hard=(item.gold,)))
    assert "hard" in fields(item.change(hard=tuple(letter for letter in LETTERS if letter != item.gold)[:3]))
    assert "options" in fields(item.change(options={**item.options, a: "  "}))
    assert "say the same" in sentences(item.change(options={**item.options, a: item.options[b].upper() + " "}))
    assert "options.A" in fields(item.change(options={**item.options, a: "All of the above"}))
    assert "question" in fields(item.change(question=""))
    assert "views" in fields(item.change(views=item.views[1:]))
    assert "reference_view" in fields(item.change(reference_view="view1"))
    wrong = next(letter for letter in LETTERS if letter != item.gold)
    assert f"provenance.{wrong}" in fields(item.change(provenance={k: v for k, v in item.provenance.items() if k != wrong}))
    assert f"provenance.{wrong}" in fields(item.change(provenance={**item.provenance, wrong: Distractor(kind="magic")}))
    for name, value in item.slots.items():
        if SUBTASKS[subtask].slots[0].required:
            assert f"slots.{name}" in fields(item.change(slots={}))
        assert f"slots.{name}x" in fields(item.change(slots={name: value, f"{name}x": "?"}))


@pytest.mark.parametrize("subtask", ["consistency", "planning", "step"])
def test_the_frame_must_be_defined_in_words(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    assert "question" in fields(item.change(question=item.question.replace(FRAME_TEXT, "")))
    assert "+z" in sentences(item.change(question=item.question.replace("+z", "z")))


def test_five_identical_options(sound: Callable[..., Item]) -> None:
    item = sound("planning")
    found = rules.check(item.change(options=dict.fromkeys(LETTERS, "Move up, then left.")))
    assert any(p.field == "options" and "A, B, C, D, E say the same" in p.sentence for p in found)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ({"points": ((1.0, 1.0),)}, "half drawn: it has one point"),
        ({"points": ()}, "half drawn: it has no point"),
        ({"points": ((5.0, 5.0), (6.0, 50.0))}, "smaller than 4 pixels"),
        ({"points": ((50.0, 50.0), (5.0, 5.0))}, "smaller than 4 pixels"),
        ({"points": ((5.0, 5.0), (641.0, 50.0))}, "leaves the image (640×480 pixels)"),
        ({"view": "nowhere"}, "a view that this item does not have"),
        ({"kind": "track"}, "uses no track: draw a box"),
    ],
)
def test_unsound_marks_are_named(sound: Callable[..., Item], mark: dict[str, Any], words: str) -> None:
    item = sound("distance")
    changed = item.marks[0].model_copy(update=mark)
    assert words in sentences(item.change(marks=(changed, *item.marks[1:])))


# Cross-View Matching


def matching(sound: Callable[..., Item], none: bool) -> Item:
    for seed in range(200):
        item = sound("matching", seed)
        if (item.options[present(item.gold)] == NONE_TEXT) == none:
            return item
    raise AssertionError


def test_matching_needs_one_red_box_in_the_reference_view(sound: Callable[..., Item]) -> None:
    item = matching(sound, none=False)
    red = next(m for m in item.marks if m.colour == "red")
    rest = tuple(m for m in item.marks if m is not red)
    assert "One red box" in sentences(item.change(marks=rest))
    assert "belongs in the reference view" in sentences(item.change(marks=(*rest, red.model_copy(update={"view": "left-gripper"}))))
    candidate = rest[0].model_copy(update={"view": "head", "id": "x"})
    assert "candidates belong in the other views" in sentences(item.change(marks=(*item.marks, candidate)))


def test_matching_wants_the_right_object_boxed_in_every_other_view(sound: Callable[..., Item]) -> None:
    item = matching(sound, none=False)
    gold = item.options[present(item.gold)].lower()
    one_less = tuple(m for m in item.marks if not (m.colour == gold and m.view == "left-gripper"))
    assert f"{gold} box is missing in left-gripper" in sentences(item.change(marks=one_less))


def test_matching_takes_none_as_gold_and_as_distractor_but_once(sound: Callable[..., Item]) -> None:
    assert rules.check(matching(sound, none=True)) == []
    item = matching(sound, none=False)
    free = next(letter for letter in LETTERS if letter not in (item.gold,) and item.options[letter] != NONE_TEXT)
    assert "both say that no box is correct" in sentences(item.change(options={**item.options, free: "None of the boxes here"}))


def test_an_option_without_a_mark_and_a_mark_without_an_option(sound: Callable[..., Item]) -> None:
    item = sound("trajectory")
    assert "nothing purple is drawn" in sentences(item.change(options={**item.options, "A": "Purple"}))
    assert "names no colour" in sentences(item.change(options={**item.options, "A": "The long one"}))
    assert "more than one colour" in sentences(item.change(options={**item.options, "A": "Red or blue"}))


# Distance Judgement


def test_distance_keeps_its_boxes_in_one_view_and_names_grippers(sound: Callable[..., Item]) -> None:
    item = sound("distance")
    moved = item.marks[0].model_copy(update={"view": "left-gripper"})
    assert "All boxes must lie in one view" in sentences(item.change(marks=(moved, *item.marks[1:])))
    bare = item.options["A"].split(" with ")[0]
    assert "must say which gripper" in sentences(item.change(options={**item.options, "A": bare}))
    single = sound("distance", arm="single")
    assert "this robot has one arm" in sentences(
        single.change(options={**single.options, "A": single.options["A"] + " with the left gripper"})
    )
    plain = {letter: Distractor(kind="far") for letter in item.provenance}
    near, far = (sentences(item.change(provenance=plain, slots={"extreme": extreme})) for extreme in ("shortest", "longest"))
    assert "must look near in the image and be far in space" in near and "must look far in the image and be near in space" in far


@pytest.mark.parametrize(("hard", "more"), [((), ""), (("A", "B", "C", "D", "E"), "; 5 are marked")])
def test_how_many_come_close_is_said_in_the_same_words_before_and_after_one_is_right(
    sound: Callable[..., Item], hard: tuple[str, ...], more: str
) -> None:
    item = sound("distance").change(hard=hard)
    words = "Mark one or two wrong options that come close to the right answer"
    assert f"{words}{more}." in sentences(item)
    if not hard:
        assert f"{words}." in sentences(item.change(gold=None))


# Viewpoint Identification


def test_viewpoint_wants_the_true_image_the_opposite_one_and_three_kinds(sound: Callable[..., Item]) -> None:
    item = sound("viewpoint")
    images = dict(item.option_images)
    wrong = next(letter for letter in LETTERS if letter != item.gold)
    swapped = {**images, item.gold: images[wrong], wrong: images[present(item.gold)]}  # type: ignore[misc]
    assert "is not this moment's" in sentences(item.change(option_images=swapped))
    assert "are the same image" in sentences(item.change(option_images={**images, wrong: images[present(item.gold)]}))
    plain = {letter: Distractor(kind="other_episode", episode="e") for letter in item.provenance}
    assert "Each kind of distractor is needed" in sentences(item.change(provenance=plain))
    assert "is called" in sentences(item.change(options={**item.options, "A": "The left one"}))
    assert "robots" in sentences(item.change(arm="single"))


def test_viewpoint_refuses_a_right_image_that_wins_by_majority(sound: Callable[..., Item]) -> None:
    item = sound("viewpoint")
    true_side = item.option_images[present(item.gold)].view
    opposite = next(letter for letter, d in item.provenance.items() if d.kind == "opposite_gripper")
    same_side = {
        letter: image if letter == opposite else image.model_copy(update={"view": true_side})
        for letter, image in item.option_images.items()
    }
    told = sentences(item.change(option_images=same_side))
    assert "guessed by majority" in told
    letters, _, rest = told.partition("Of ")[2].partition(", which show")
    named, count = letters.split(" and "), int(rest.partition("let ")[2][0])
    other = "right" if item.slots["side"] == "left" else "left"
    assert present(item.gold) not in named and opposite not in named and f"show the {other} one" in rest

    def turned(some: Sequence[str]) -> str:
        views = {letter: same_side[letter].model_copy(update={"view": f"{other}-gripper"}) for letter in LETTERS if letter in some}
        return sentences(item.change(option_images=same_side | views))

    assert any("guessed by majority" not in turned(some) for some in itertools.combinations(named, count)), "it is enough"
    assert all("guessed by majority" in turned(some) for some in itertools.combinations(named, count - 1)), "and no fewer"
    assert viewpoint.votes(item)[present(item.gold)] <= max(n for letter, n in viewpoint.votes(item).items() if letter != item.gold)


# 3D Spatial Consistency


def test_consistency_gold_must_be_where_the_cubes_are(sound: Callable[..., Item]) -> None:
    item = sound("consistency")
    other = next(letter for letter in LETTERS if letter != item.gold)
    swapped = {**item.options, item.gold: item.options[other], other: item.options[present(item.gold)]}  # type: ignore[misc]
    assert "not where the cubes are" in sentences(item.change(options=swapped))
    assert "cubes" in fields(item.change(cubes=item.cubes[1:]))
    assert "no set of triplets" in sentences(item.change(options={**item.options, "A": "(Red box, 1, 2, 9)"}))


def test_consistency_distractors_must_break_an_order(sound: Callable[..., Item]) -> None:
    item = sound("consistency")
    truth = {c: (k + 1, k + 1, k + 1) for k, c in enumerate(("red", "yellow", "green", "blue"))} | {"pink": (1, 2, 3)}
    placed = tuple(Cube(colour=c, cell=cell) for c, cell in truth.items())  # type: ignore[arg-type]
    letter = next(letter for letter in LETTERS if letter != item.gold)
    same_order = truth | {"blue": (5, 5, 5)}
    options = {**item.options, item.gold: cubes.write(truth), letter: cubes.write(same_order)}  # type: ignore[misc]
    assert "it is right too" in sentences(item.change(cubes=placed, options=options))


cells = st.tuples(*[st.integers(1, 5)] * 3)
full = st.lists(cells, min_size=5, max_size=5, unique=True).map(
    lambda c: dict(zip(("red", "yellow", "green", "blue", "pink"), c, strict=True))
)


@settings(max_examples=60, deadline=None)
@given(truth=full, seed=st.integers(0, 9999))
def test_triplet_texts_read_back_and_candidates_break_orders(truth: dict[str, Any], seed: int) -> None:
    assert cubes.read(cubes.write(truth)) == truth
    made = cubes.perturb(truth, random.Random(seed))
    assert made == cubes.perturb(truth, random.Random(seed))
    assert len({cubes.write(c) for c, _ in made}) == 4
    assert all(cubes.broken_axes(truth, c) for c, _ in made)
    assert made[0][1]


# Action Planning and Step Execution


def test_no_two_options_go_the_same_way(sound: Callable[..., Item]) -> None:
    item = sound("planning")
    way = directions.read(item.options["A"])
    words = "Go " + " and then ".join(way) + " slowly."
    assert "Options A and B go the same way" in sentences(item.change(options={**item.options, "B": words}))
    assert "names no directions" in sentences(item.change(options={**item.options, "B": "Take it with the left gripper."}))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Move up, then to the left.", ("upward", "left")),
        ("Left gripper: forward; right arm: back.", ("forward", "backward")),
        ("Pick it up and put the cup down.", ()),
        ("Downwards, rightward, BACKWARD", ("downward", "right", "backward")),
        ("the left-hand gripper goes upright", ()),
    ],
)
def test_direction_words_are_read_and_grippers_are_not(text: str, read: tuple[Any, ...]) -> None:
    assert directions.read(text) == read


@settings(max_examples=50, deadline=None)
@given(length=st.integers(1, 5), seed=st.integers(0, 9999))
def test_written_motions_read_back_and_differ(length: int, seed: int) -> None:
    made = directions.sequences(random.Random(seed), length)
    assert len(set(made)) == 5
    for steps in made:
        assert directions.read(directions.write(steps, "Move the left gripper", "then close it")) == steps


# Trajectory Selection and Affordance Recognition


def test_tracks_may_lie_on_several_views_but_differ(sound: Callable[..., Item]) -> None:
    item = next(i for i in (sound("trajectory", seed) for seed in range(50)) if len({m.view for m in i.marks}) == 2)
    assert rules.check(item) == []
    first, second, *_ = (m for m in item.marks if m.view == item.marks[0].view)
    twin = second.model_copy(update={"points": first.points})
    others = tuple(m for m in item.marks if m.id != second.id)
    assert "are the same line" in sentences(item.change(marks=(*others, twin)))
    assert "Five tracks are needed" in sentences(item.change(marks=tuple(m for m in item.marks if m.colour != "red")))


def test_a_grasp_colour_stands_once_over_all_views(sound: Callable[..., Item]) -> None:
    item = sound("affordance")
    again = item.marks[0].model_copy(update={"id": "again", "view": "head"})
    needed = f"One {item.marks[0].colour} line is needed, in whichever view shows it best"
    assert f"{needed}; there are 2" in sentences(item.change(marks=(*item.marks, again)))
    assert f"{needed}." in sentences(item.change(marks=item.marks[1:]))


# generated options


@pytest.mark.parametrize("subtask", ["matching", "distance", "trajectory", "affordance"])
def test_options_follow_from_the_marks_and_keep_what_was_decided(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    proposal = SUBTASKS[subtask].options(item)
    assert proposal.options == item.options
    assert (proposal.gold, proposal.hard, proposal.provenance) == (item.gold, item.hard, item.provenance)
    bare = SUBTASKS[subtask].options(item.change(options={}, gold=None, hard=(), provenance={}))
    assert sorted(bare.options) == list(LETTERS) and bare.gold is None
    assert set(bare.options.values()) == set(item.options.values()) or subtask == "distance"


def test_generated_triplets_are_right_and_repeatable(sound: Callable[..., Item]) -> None:
    item = sound("consistency")
    one, two = (SUBTASKS["consistency"].options(item) for _ in range(2))
    assert one == two
    made = item.change(options=one.options, gold=one.gold, hard=one.hard, provenance=one.provenance)
    assert rules.check(made) == []


@pytest.mark.parametrize("subtask", ["consistency", "planning", "step"])
def test_the_right_option_is_not_the_one_most_like_the_others(sound: Callable[..., Item], subtask: str) -> None:
    hits = 0.0
    for seed in range(150):
        item = sound(subtask, seed)
        parts = {
            letter: [v for _, cell in sorted((cubes.read(text) or {}).items()) for v in cell] or directions.read(text)
            for letter, text in item.options.items()
        }
        best = likeness.middle(parts)  # type: ignore[arg-type]
        hits += (item.gold in best) / len(best)
    assert 0.08 < hits / 150 < 0.32
