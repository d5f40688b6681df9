"""What follows from an edit: question and options keep step until the author writes them, and nothing written is overwritten."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from annotation.qa import projects, rules
from annotation.qa.errors import BadItem, Conflict, QaError
from annotation.qa.items import VIEWS, Cube, Distractor, Mark, ViewImage
from annotation.qa.parts import cubes as grid
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import NONE_TEXT, Scenery
from annotation.qa.subtasks.consistency import candidates
from annotation.qa.subtasks.making import blank
from annotation.qa.work import editing, pool
from tests.present import present

SCENE = Scenery(
    "agibot",
    "dual",
    "episode",
    "moment",
    tuple(ViewImage(view=view, image=f"{n:064x}", width=640, height=480) for n, view in enumerate(VIEWS["dual"])),
    tuple(ViewImage(view="left-gripper", image=f"{n:064x}", width=640, height=480) for n in range(10, 13)),
)


def fresh(slug: str, reference: str = "head") -> Any:
    return blank(SCENE, slug, reference)


def whole(slug: str) -> Any:
    return SUBTASKS[slug].sample(random.Random(3), SCENE)


def box(colour: Any, n: int = 0) -> Mark:
    return Mark(id=f"m{colour}{n}", view="head", kind="box", colour=colour, points=((10.0, 10.0), (60.0, 60.0)))


@pytest.fixture
def draft(store: Any) -> Any:
    """Put an item into a project as its author's draft."""
    project = projects.create_project(store, "Editing", trial_batch=0)
    return lambda item: pool.create_item(store, project.project_id, item, "author")


def test_the_question_follows_slots_and_view_until_it_is_written_by_hand(store: Any, draft: Any) -> None:
    item_id = draft(fresh("matching")).item.item_id
    rev = editing.save_fields(store, item_id, 1, "author", {"slots": {"item": "cup"}}).rev
    assert pool.get(store, item_id).item.question.startswith("In the head view the cup is in a red box.")
    rev = editing.save_fields(store, item_id, rev, "author", {"reference_view": "left-gripper"}).rev
    assert pool.get(store, item_id).item.question.startswith("In the left gripper view the cup")
    rev = editing.save_fields(store, item_id, rev, "author", {"question": "Which box has the cup?"}).rev
    rev = editing.save_fields(store, item_id, rev, "author", {"slots": {"item": "mug"}}).rev
    assert pool.get(store, item_id).item.question == "Which box has the cup?"
    editing.save_fields(store, item_id, rev, "author", {}, make="question")
    assert "the mug is in a red box" in pool.get(store, item_id).item.question
    assert rev == 5, "what follows is written with what it follows from"


def test_options_follow_what_is_drawn_and_what_was_said_of_them_stays_where_they_stay(store: Any, draft: Any) -> None:
    item_id = draft(fresh("distance")).item.item_id
    rev = pool.save_marks(store, item_id, [box("red"), box("blue")], 1, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    assert pool.get(store, item_id).item.options == {
        "A": "Grab the item in the red box with the left gripper", "B": "Grab the item in the blue box with the left gripper",
    }  # fmt: skip
    told = {"gold": "B", "hard": ["A"], "provenance": {"A": {"kind": "far", "note": "", "episode": "", "moment": ""}}}
    rev = editing.save_fields(store, item_id, rev, "author", told).rev
    swapped = {"A": "Grab the item in the red box with the right gripper", "B": "Grab the item in the blue box with the left gripper"}
    rev = editing.save_fields(store, item_id, rev, "author", {"options": swapped}).rev
    rev = pool.save_marks(store, item_id, [box("blue"), box("green")], rev, "author").rev
    editing.save_fields(store, item_id, rev, "author", {})
    item = pool.get(store, item_id).item
    assert (item.options["A"], item.options["B"]) == ("Grab the item in the green box with the left gripper", swapped["B"])
    assert (item.gold, item.hard, item.provenance) == ("B", (), {})


def test_undo_brings_back_what_was_said_of_the_options_that_come_back(store: Any, draft: Any) -> None:
    """All wrong options explained; a box too many, a candidate's box, the right one's box: each is taken away again, or put back."""
    others = ("left-gripper", "right-gripper")
    boxes = [box("red"), *(box(c).model_copy(update={"view": others[0]}) for c in ("yellow", "green", "blue", "pink"))]
    item_id = draft(fresh("matching")).item.item_id

    def drawn(marks: list[Mark]) -> Any:
        rev = pool.save_marks(store, item_id, marks, pool.get(store, item_id).version, "author").rev
        editing.save_fields(store, item_id, rev, "author", {})
        return pool.get(store, item_id).item

    first = drawn(boxes)
    kinds = {"A": "same_category", "C": "close_by", "D": "overlapping", "E": "none"}
    told = {
        "gold": "B",
        "hard": ["C"],
        "provenance": {x: {"kind": kind, "note": f"note {x}", "episode": "", "moment": ""} for x, kind in kinds.items()},
    }
    assert first.options == {"A": "Yellow", "B": "Green", "C": "Blue", "D": "Pink", "E": NONE_TEXT}
    editing.save_fields(store, item_id, pool.get(store, item_id).version, "author", told)
    whole_item = pool.get(store, item_id).item

    purple = box("purple").model_copy(update={"view": others[0]})
    assert drawn([*boxes, purple]).options["E"] == "Purple"
    assert drawn(boxes) == whole_item, "a box too many is undone"
    without_blue = drawn([*boxes[:3], boxes[4]])
    assert "Blue" not in without_blue.options.values() and without_blue.hard == ()
    assert drawn(boxes) == whole_item, "a candidate's box is brought back"
    assert drawn([*boxes[:2], *boxes[3:]]).gold is None
    assert drawn(boxes) == whole_item, "the right one's box is brought back"

    # Another box of that colour is another object: nothing is known of it.
    elsewhere = boxes[3].model_copy(update={"points": ((100.0, 10.0), (160.0, 60.0))})
    drawn([*boxes[:3], boxes[4]])
    again = drawn([*boxes[:3], boxes[4], elsewhere])
    letter = next(x for x, text in again.options.items() if text == "Blue")
    assert letter not in again.provenance and again.hard == ()
    # What was decided in between stays.
    drawn([*boxes[:2], *boxes[3:]])
    chosen = next(x for x, text in pool.get(store, item_id).item.options.items() if text == "Pink")
    editing.save_fields(store, item_id, pool.get(store, item_id).version, "author", {"gold": chosen})
    back = drawn(boxes)
    assert back.options[back.gold] == "Pink" and "Green" in back.options.values()


def test_none_comes_after_the_colours_however_often_is_saved_while_boxes_are_drawn(store: Any, draft: Any) -> None:
    boxes = [box("red"), *(box(c).model_copy(update={"view": "left-gripper"}) for c in ("yellow", "green", "blue", "pink"))]
    item_id = draft(fresh("matching")).item.item_id
    for number in range(1, len(boxes) + 1):
        rev = pool.save_marks(store, item_id, boxes[:number], pool.get(store, item_id).version, "author").rev
        editing.save_fields(store, item_id, rev, "author", {})
    assert pool.get(store, item_id).item.options == {"A": "Yellow", "B": "Green", "C": "Blue", "D": "Pink", "E": NONE_TEXT}


def test_what_is_written_by_hand_is_not_taken_for_an_undo(store: Any, draft: Any) -> None:
    item_id = draft(fresh("distance")).item.item_id
    rev = pool.save_marks(store, item_id, [box("red"), box("blue")], 1, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    swapped = {x: text.replace("left gripper", "right gripper") for x, text in pool.get(store, item_id).item.options.items()}
    rev = editing.save_fields(store, item_id, rev, "author", {"options": swapped, "gold": "B"}).rev
    rev = pool.save_marks(store, item_id, [box("red")], rev, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    assert pool.get(store, item_id).item.gold is None
    rev = pool.save_marks(store, item_id, [box("red"), box("blue")], rev, "author").rev
    editing.save_fields(store, item_id, rev, "author", {})
    assert (pool.get(store, item_id).item.options, pool.get(store, item_id).item.gold) == (swapped, "B"), "with the gripper it had"


def test_what_becomes_right_is_no_distractor_any_more() -> None:
    item = whole("planning")
    other = item.hard[0]
    found = editing.consequences(item, item.change(gold=other))
    assert other not in found["hard"] and other not in found["provenance"]


def test_candidate_sets_follow_the_cubes_until_one_is_written_by_hand(store: Any, draft: Any) -> None:
    item_id = draft(fresh("consistency")).item.item_id
    cubes = [Cube(colour=c, cell=(n, n, 1)).model_dump() for n, c in enumerate(("red", "yellow", "green", "blue", "pink"), start=1)]  # type: ignore[arg-type]
    rev = editing.save_fields(store, item_id, 1, "author", {"cubes": cubes}).rev
    first = pool.get(store, item_id).item
    assert first.options[present(first.gold)].startswith("(Red box, 1, 1, 1)") and set(first.provenance) == set("ABCDE") - {first.gold}
    rev = editing.save_fields(store, item_id, rev, "author", {"cubes": [*cubes[:4], cubes[4] | {"cell": [5, 4, 2]}]}).rev
    second = pool.get(store, item_id).item
    assert second.options[present(second.gold)].endswith("(Pink box, 5, 4, 2)")
    other = next(letter for letter in "ABCDE" if letter != second.gold)
    rev = editing.save_fields(store, item_id, rev, "author", {"options": second.options | {other: "(Red box, 1, 1, 1)"}}).rev
    rev = editing.save_fields(store, item_id, rev, "author", {"cubes": cubes}).rev
    assert pool.get(store, item_id).item.options[other] == "(Red box, 1, 1, 1)"  # type: ignore[index]

    one, two = (editing.again(store, pool.get(store, item_id).item, "options", draw)["options"] for draw in (1, 2))
    true = grid.write(grid.cells(pool.get(store, item_id).item.cubes))
    assert true in one.values() and true in two.values() and one != two
    assert not [
        p for p in rules.check(pool.get(store, item_id).item.change(**editing.again(store, first, "options", 7))) if "options" in p.field
    ]
    with pytest.raises(QaError, match="Place the cubes first"):
        editing.again(store, fresh("consistency"), "options")


def test_the_true_set_is_at_every_letter_as_often() -> None:
    """A reviewer who learns where it stands would not be blind."""
    cubes = tuple(Cube(colour=c, cell=(n, n, 1)) for n, c in enumerate(("red", "yellow", "green", "blue", "pink"), start=1))  # type: ignore[arg-type]
    item = fresh("consistency").change(cubes=cubes)
    golds = Counter(candidates(item.change(item_id=f"qa-{n}")).gold for n in range(500))
    assert set(golds) == set("ABCDE") and min(golds.values()) > 60
    made = candidates(item)
    assert candidates(item) == made and candidates(item, 1).options != made.options
    assert made.gold not in made.hard and 1 <= len(made.hard) <= 2


def test_asking_for_the_other_gripper_makes_its_image_the_right_one() -> None:
    item = whole("viewpoint")
    other = "right" if item.slots["side"] == "left" else "left"
    changed = item.change(slots={"side": other})
    after = changed.change(**editing.consequences(item, changed))
    assert after.option_images[after.gold].view == f"{other}-gripper" and after.provenance[item.gold].kind == "opposite_gripper"
    assert f"the {other} gripper's view" in after.question and after.gold not in after.provenance


def test_a_clash_of_one_field_writes_nothing_and_other_fields_do_not_clash(store: Any, draft: Any) -> None:
    item_id = draft(fresh("step")).item.item_id
    editing.save_fields(store, item_id, 1, "lead", {"slots": {"task": "open the drawer"}})
    with pytest.raises(Conflict) as clash:
        editing.save_fields(store, item_id, 1, "author", {"slots": {"task": "close the drawer"}, "gold": "A"})
    assert clash.value.version == 2 and pool.get(store, item_id).item.gold is None
    editing.save_fields(store, item_id, 1, "author", {"options": {"A": "Move left."}})
    item = pool.get(store, item_id).item
    assert (item.options, item.slots["task"]) == ({"A": "Move left."}, "open the drawer")


@pytest.mark.parametrize(
    ("values", "said"), [({"marks": []}, "marks: no field"), ({"gold": "F"}, "gold:"), ({"cubes": [{"cell": [0, 1, 1]}]}, "cubes.0")]
)
def test_a_value_of_the_wrong_form_is_named(store: Any, draft: Any, values: dict[str, Any], said: str) -> None:
    item_id = draft(fresh("step")).item.item_id
    with pytest.raises(BadItem, match=said):
        editing.save_fields(store, item_id, 1, "author", values)
    assert pool.get(store, item_id).version == 1


@pytest.mark.parametrize("slug", SUBTASKS)
def test_what_is_left_is_counted_from_the_start_and_never_grows(slug: str) -> None:
    """An item is made one thing at a time: with each right thing fewer are left, and each is counted before it is done."""
    made, subtask = whole(slug), SUBTASKS[slug]
    item = made.change(
        marks=(), cubes=(), options={}, option_images={}, gold=None, hard=(), provenance={}, unique_confirmed=False, slots={}
    )
    item = item.change(question=subtask.question(item))
    left = [sum(problem.things for problem in rules.check(item))]

    def done(**fields: Any) -> None:
        nonlocal item
        after = item.change(**fields)
        item = after.change(**editing.consequences(item, after))
        left.append(sum(problem.things for problem in rules.check(item)))

    done(slots=made.slots)
    # The views and colours in the order in which one draws: what is right is in every view.
    marks = sorted({(mark.view, mark.colour): mark for mark in made.marks}.values(), key=lambda mark: mark.view != made.reference_view)
    for number in range(len(marks)):
        done(marks=tuple(marks[: number + 1]))
    for number in range(len(made.cubes)):
        done(cubes=made.cubes[: number + 1])
    if subtask.option_kind in ("images", "triplets"):
        done(options=made.options, option_images=made.option_images, gold=made.gold, hard=made.hard, provenance=made.provenance)
    else:
        texts = item.options if subtask.option_kind == "colour" else {}
        for letter in "ABCDE":
            if letter not in texts:
                done(options=item.options | {letter: made.options[letter]})
        said = {folded_text(text): letter for letter, text in made.options.items()}
        gold = next(x for x, text in item.options.items() if said[folded_text(text)] == made.gold)
        done(gold=gold)
        hard = tuple(x for x, text in item.options.items() if said[folded_text(text)] in made.hard)
        done(hard=hard)
        for letter in sorted(set("ABCDE") - {gold}):
            done(provenance=item.provenance | {letter: made.provenance[said[folded_text(item.options[letter])]]})
    done(unique_confirmed=True)
    assert left == sorted(left, reverse=True) and left[-1] == 0, str(left)
    assert left[0] >= {"images": 3, "triplets": 12, "colour": 12, "directions": 12, "text": 12}[subtask.option_kind], left


def folded_text(text: str) -> str:
    """An option for comparison: which gripper takes it is the author's to say."""
    return text.replace("left", "").replace("right", "") if text.startswith("Grab") else text


def test_what_an_item_tells_of_its_wrong_options_is_filled_in_when_one_becomes_right(store: Any, draft: Any) -> None:
    def at(colour: Any, x: float) -> Mark:
        return Mark(id=f"m{colour}", view="left-gripper", kind="box", colour=colour, points=((x, 10.0), (x + 80.0, 60.0)))

    item = fresh("matching").change(marks=(box("red"), at("yellow", 20), at("green", 60), at("blue", 200), at("pink", 22)))
    item = item.change(**editing.consequences(item, item))
    found = editing.consequences(item, item.change(gold="A"))["provenance"]
    assert {letter: origin.kind for letter, origin in found.items()} == {"B": "overlapping", "E": "none"}, "pink is the same box as yellow"
    own = item.provenance | {"B": Distractor(kind="close_by")}
    kept = item.change(provenance=own)
    assert editing.consequences(kept, kept.change(gold="A"))["provenance"]["B"].kind == "close_by", "what the author said stays"
    none = editing.consequences(item, item.change(gold="E"))
    assert "provenance" not in none, "nothing is known where no box is right"


@pytest.mark.parametrize(
    "text", ["Grab the tin of corn", "Grab the orange", "Grab the red tin, not the blue one", "Grab the round fruit in the red box"]
)
def test_what_an_author_writes_into_an_option_is_never_taken_back(store: Any, draft: Any, text: str) -> None:
    item_id = draft(fresh("distance")).item.item_id
    rev = pool.save_marks(store, item_id, [box("red"), box("blue")], 1, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    told = {"gold": "B", "provenance": {"A": {"kind": "far", "note": "", "episode": "", "moment": ""}}}
    rev = editing.save_fields(store, item_id, rev, "author", told).rev
    written = {**pool.get(store, item_id).item.options, "A": text}
    rev = editing.save_fields(store, item_id, rev, "author", {"options": written}).rev
    assert pool.get(store, item_id).item.options == written
    # Nor by what is saved afterwards: a tick, another mark, the mark itself deleted.
    rev = editing.save_fields(store, item_id, rev, "author", {"unique_confirmed": True}).rev
    item = pool.get(store, item_id).item
    assert (item.options, item.provenance["A"].kind) == (written, "far")
    rev = pool.save_marks(store, item_id, [box("red"), box("blue"), box("green")], rev, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    assert pool.get(store, item_id).item.options == written | {"C": "Grab the item in the green box with the left gripper"}
    rev = pool.save_marks(store, item_id, [box("blue"), box("green")], rev, "author").rev
    editing.save_fields(store, item_id, rev, "author", {})
    item = pool.get(store, item_id).item
    assert item.options["A"] == text and rules.check(item), "the rules say what is wrong with it"


def test_two_options_of_one_colour_with_different_grippers_stay(store: Any, draft: Any) -> None:
    item_id = draft(fresh("distance")).item.item_id
    rev = pool.save_marks(store, item_id, [box("red"), box("blue")], 1, "author").rev
    rev = editing.save_fields(store, item_id, rev, "author", {}).rev
    written = {**pool.get(store, item_id).item.options, "C": "Grab the item in the red box with the right gripper"}
    rev = editing.save_fields(store, item_id, rev, "author", {"options": written}).rev
    editing.save_fields(store, item_id, rev, "author", {"gold": "B"})
    assert pool.get(store, item_id).item.options == written
