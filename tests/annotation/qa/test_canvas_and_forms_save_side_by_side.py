"""The canvas saves marks, a form saves texts, two people save at once: nobody's work is lost and nobody is stopped without need."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotation.qa import projects
from annotation.qa.errors import BadItem, Conflict
from annotation.qa.items import Item
from annotation.qa.work import pool
from annotation.qa.work.canvas_marks import MarksChanged, PoolMarks
from data.store import Store
from study.errors import BadTransition


@pytest.fixture
def drawn(store: Store, sound: Callable[..., Item]) -> str:
    project = projects.create_project(store, "C", trial_batch=0, reviewers_per_item=1)
    return pool.create_item(store, project.project_id, sound("distance").change(marks=()), "ann").item.item_id


BOX = {"id": "a", "view": "head", "kind": "box", "colour": "red", "points": [[10.5, 20.25], [30.0, 40.0]]}


def test_marks_have_a_revision_of_their_own(store: Store, drawn: str) -> None:
    marks = PoolMarks(store)
    assert marks.load(drawn) == (0, [])
    assert marks.save(drawn, 0, [BOX], "ann") == 1
    pool.edit(store, drawn, 2, "ann", question="Which?")
    assert marks.load(drawn) == (1, [BOX])
    assert marks.save(drawn, 1, [BOX, BOX | {"id": "b", "colour": "blue"}], "ann") == 2
    assert pool.get(store, drawn).item.question == "Which?"
    assert [v.kind for v in pool.history(store, drawn)] == ["create", "marks", "edit", "marks"]


def test_an_old_revision_of_marks_is_refused_with_the_code_that_the_canvas_knows(store: Store, drawn: str) -> None:
    marks = PoolMarks(store)
    marks.save(drawn, 0, [BOX], "ann")
    with pytest.raises(MarksChanged) as caught:
        marks.save(drawn, 0, [], "lea")
    assert (caught.value.code, caught.value.version) == ("marks_changed", 1)
    assert marks.load(drawn) == (1, [BOX])
    with pytest.raises(BadItem):
        marks.save(drawn, 1, [BOX | {"kind": "circle"}], "ann")
    assert marks.study_of(drawn) is None and marks.study_of("qa_nobody") is None


def test_a_form_does_not_overwrite_what_was_drawn_meanwhile(store: Store, drawn: str) -> None:
    PoolMarks(store).save(drawn, 0, [BOX], "ann")
    saved = pool.edit(store, drawn, 1, "ann", question="Which?", hard=("B",))
    item = pool.get(store, drawn).item
    assert (saved.rev, item.question, item.hard, len(item.marks)) == (3, "Which?", ("B",), 1)


def test_two_forms_that_change_the_same_field_clash_and_others_do_not(store: Store, drawn: str) -> None:
    pool.edit(store, drawn, 1, "ann", question="One?")
    pool.edit(store, drawn, 1, "lea", hard=("C",))
    pool.edit(store, drawn, 1, "lea", question="One?", hard=("C",))
    with pytest.raises(Conflict, match="changed question of this item"):
        pool.edit(store, drawn, 1, "lea", question="Two?")
    item = pool.get(store, drawn).item
    assert (item.question, item.hard) == ("One?", ("C",))


def test_marks_of_an_item_in_review_cannot_be_saved(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(store, "C", trial_batch=0)
    stored = pool.create_item(store, project.project_id, sound("distance"), "ann")
    pool.submit(store, stored.item.item_id, "ann", 1)
    with pytest.raises(BadTransition):
        PoolMarks(store).save(stored.item.item_id, 1, [], "ann")
