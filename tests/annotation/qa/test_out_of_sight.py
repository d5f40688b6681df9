"""Cross-View Matching where a view does not show the object: a mark of absence takes the place of its box, and is kept with the item."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from annotation.qa import projects, rules
from annotation.qa.errors import BadItem
from annotation.qa.items import VIEWS, Absence, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import balance, blind, pool, versions
from annotation.qa.work.canvas_marks import PoolMarks, read, wire

VIEWS_OF = tuple(ViewImage(view=view, image=f"{n:064x}", width=640, height=480) for n, view in enumerate(VIEWS["single"]))


@pytest.fixture(scope="module")
def item() -> Item:
    """A sound item whose right box is drawn in all three other views."""
    made = SUBTASKS["matching"].sample(random.Random(5), Scenery("bridge", "single", "e", "m", VIEWS_OF), False)  # type: ignore[call-arg]
    assert not rules.check(made) and not made.absent
    return made


def right(item: Item) -> str:
    colour = SUBTASKS["matching"].gold_colour(item)
    assert colour is not None
    return colour


def without(item: Item, *views: str, said: bool = True) -> Item:
    """The item without the right box in these views; `said`: with marks of absence instead."""
    marks = tuple(m for m in item.marks if not (m.colour == right(item) and m.view in views))
    absent = tuple(Absence(view=view, colour=right(item)) for view in views) if said else ()  # type: ignore[arg-type]
    return item.change(marks=marks, absent=absent)


def others(item: Item) -> list[str]:
    return [view.view for view in item.views if view.view != item.reference_view]


def sentences(item: Item) -> str:
    return " ".join(problem.sentence for problem in rules.check(item))


def test_a_mark_of_absence_stands_for_the_box_of_a_view_that_does_not_show_the_object(item: Item) -> None:
    one, two, three = others(item)
    assert "missing in" in sentences(without(item, one, said=False))
    assert not rules.check(without(item, one)) and not rules.check(without(item, one, two))
    assert "nobody can match what no view shows" in sentences(without(item, one, two, three))


def test_what_a_mark_of_absence_contradicts_is_said(item: Item) -> None:
    one = others(item)[0]
    colour = right(item)
    said: Callable[..., Any] = lambda view, colour: sentences(item.change(absent=(Absence(view=view, colour=colour),)))  # noqa: E731
    assert "keep one of the two" in said(one, colour)
    assert "only candidates in the other views" in said(item.reference_view, colour) and "only candidates" in said(one, "red")
    unused = next(c for c in ("yellow", "green", "blue", "pink", "purple", "orange") if c not in {m.colour for m in item.marks})
    assert f"nothing {unused} is drawn" in said(one, unused)
    distance = SUBTASKS["distance"].sample(random.Random(1), Scenery("bridge", "single", "e", "m", VIEWS_OF))
    assert "has no marks of absence" in sentences(distance.change(absent=(Absence(view="view1", colour="red"),)))


def test_documents_without_one_are_as_they_were_and_no_one_who_answers_learns_of_it(item: Item) -> None:
    assert "absent" not in item.document()
    there = without(item, others(item)[0])
    assert Item.read(there.canonical_json()) == there and there.content_hash != without(item, others(item)[0], said=False).content_hash
    assert "absent" not in blind.blind(there)
    changes = {change.field: change.after for change in versions.diff(item, there)}
    assert changes[f"absent.{others(item)[0]} {right(item)}"] == "not visible"


def test_balancing_gives_it_the_new_colour_of_its_box(item: Item) -> None:
    there = without(item, others(item)[0])
    for seed in range(6):
        (move,) = balance.plan([there], seed, again=True)
        assert not rules.check(move.item)
        assert [a.colour for a in move.item.absent] == [right(move.item)]


def test_it_is_saved_loaded_and_merged_in_the_list_of_marks(store: Any, item: Item) -> None:
    project = projects.create_project(store, "Out of sight", trial_batch=0)
    item_id = pool.create_item(store, project.project_id, item, "author").item.item_id
    marks = PoolMarks(store)
    there = without(item, others(item)[0])
    rev = marks.save(item_id, marks.load(item_id)[0], wire(there), "author")
    kept = pool.get(store, item_id).item
    assert (kept.marks, kept.absent) == (there.marks, there.absent) and marks.load(item_id) == (rev, wire(there))
    assert read(wire(there)) == (there.marks, there.absent)
    assert marks.save(item_id, rev, wire(there)[:-1], "author") == rev + 1, "taking it back is a change of the marks"
    for wrong in ({"kind": "absent", "view": "view1", "colour": "mauve"}, {"kind": "absent", "colour": "red"}):
        with pytest.raises(BadItem, match="no mark of absence"):
            read([wrong])
    with pytest.raises(BadItem, match="twice"):
        read(wire(there)[-1:] * 2)
