"""Questions about pictures: one participant's sample holds each moment once, whichever pictures of it a question shows."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.errors import QaError
from annotation.qa.evaluating import evaluation
from annotation.qa.items import VIEWS, Distractor, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from data.store import Store
from study import assignment, participants
from study.errors import NoTaskLeft
from study.studies import get_study
from tests.homes import fresh_store

SLUGS = ("planning", "step", "matching", "viewpoint")


def view(store: Store, moment: int, name: str) -> ViewImage:
    return ViewImage(view=name, image=ImageFolder(store.home).keep(f"{moment}/{name}".encode()), width=640, height=480)


def item_of(store: Store, slug: str, moment: int, others: list[int], number: int) -> Item:
    """A sound item of a moment; a Viewpoint item takes its wrong options from the other moments."""
    views = tuple(view(store, moment, name) for name in VIEWS["dual"])
    strangers = tuple(view(store, other, "right-gripper") for other in others)
    item = SUBTASKS[slug].sample(random.Random(number), Scenery("s", "dual", f"e{moment}", f"m{moment}", views, strangers))
    if slug == "viewpoint":
        by_image = {stranger.image: f"m{other}" for stranger, other in zip(strangers, others, strict=True)}
        item = item.change(
            provenance={
                letter: Distractor(kind=made.kind, moment=by_image.get(item.option_images[letter].image, ""), episode=made.episode)
                for letter, made in item.provenance.items()
            }
        )
    return item.change(item_id=f"qa-{slug}-{number}")


NUMBERS = itertools.count()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = fresh_store(tmp_path)
    yield store
    store.close()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_sample_holds_a_moment_once(store: Store, data: st.DataObject) -> None:
    project = projects.create_project(store, "P", trial_batch=0)
    made = data.draw(
        st.lists(st.tuples(st.sampled_from(SLUGS), st.integers(0, 7), st.permutations(range(8))), min_size=3, max_size=14, unique_by=repr)
    )
    moments: dict[str, set[str]] = {}
    for slug, moment, order in made:
        others = [other for other in order if other != moment][:3] if slug == "viewpoint" else []
        item = item_of(store, slug, moment, others, next(NUMBERS))
        pool.admit(store, project.project_id, item, state="accepted", actor="a", why="w")
        moments[item.item_id] = {f"m{m}" for m in (moment, *others)}
    study = evaluation.create_evaluation(
        store, project.project_id, "S", sample=data.draw(st.none() | st.integers(1, 14)), seed=data.draw(st.integers(0, 99))
    )
    names = {row["content_hash"]: row["task_id"] for row in store.query("SELECT content_hash, task_id FROM tasks")}
    best = max(
        n for n in range(1, len(moments) + 1)
        if n == 1 or any(all(not a & b for a, b in itertools.combinations(some, 2)) for some in itertools.combinations(moments.values(), n))
    ) if len(moments) <= 9 else len(moments)  # fmt: skip
    assert 1 <= study.trials <= best
    for _ in range(3):
        person = participants.add_participant(store, study.study_id)
        met: list[set[str]] = []
        try:
            while True:
                slot = assignment.assign(store, person)
                met.append(moments[names[slot.task_hash]])
                with store.atomic() as db:
                    db.execute("UPDATE slots SET state = 'completed' WHERE slot_id = ?", [slot.slot_id])
        except NoTaskLeft:
            pass
        assert met and len(met) <= get_study(store, study.study_id).trials
        assert all(not a & b for a, b in itertools.combinations(met, 2)), met


def test_a_moment_met_in_practice_is_not_asked(store: Store) -> None:
    project = projects.create_project(store, "P", trial_batch=0)
    made = [("planning", 0), ("step", 0), ("step", 1), ("planning", 2)]
    items = [item_of(store, slug, moment, [], next(NUMBERS)) for slug, moment in made]
    for item in items:
        pool.admit(store, project.project_id, item, state="accepted", actor="a", why="w")
    study = evaluation.create_evaluation(store, project.project_id, "S", practice=items[0].item_id)
    assert study.trials == 2
    person = participants.add_participant(store, study.study_id)
    assert assignment.assign_practice(store, person) is not None
    asked = []
    for _ in range(study.trials):
        slot = assignment.assign(store, person)
        asked.append(store.get_task(slot.task_hash).task_id)
        with store.atomic() as db:
            db.execute("UPDATE slots SET state = 'completed' WHERE slot_id = ?", [slot.slot_id])
    assert set(asked) == {items[2].item_id, items[3].item_id}


def test_a_study_whose_every_item_shows_the_moment_of_the_practice_is_refused(store: Store) -> None:
    project = projects.create_project(store, "P", trial_batch=0)
    items = [item_of(store, slug, 0, [], next(NUMBERS)) for slug in ("planning", "step")]
    for item in items:
        pool.admit(store, project.project_id, item, state="accepted", actor="a", why="w")
    with pytest.raises(QaError, match="shows a moment of the practice item"):
        evaluation.create_evaluation(store, project.project_id, "S", practice=items[0].item_id)
    assert store.one("SELECT count(*) AS n FROM studies") == {"n": 0}


def test_items_of_elsewhere_share_a_moment_where_they_share_a_picture(store: Store) -> None:
    project = projects.create_project(store, "P", trial_batch=0)
    items = [item_of(store, slug, moment, [], next(NUMBERS)) for slug, moment in (("planning", 0), ("step", 0), ("step", 1))]
    for item in items:
        pool.admit(store, project.project_id, item.change(moment=""), state="accepted", actor="a", why="w")
    assert evaluation.create_evaluation(store, project.project_id, "S").trials == 2
