"""Tasks whose verdict is known: what is wrong with them is one thing, and no study is drawn from them."""

from __future__ import annotations

import itertools

import pytest

from annotation.reviewing.kinds.tasks import AXES
from annotation.verifying import items, known
from annotation.verifying.errors import BadVerification
from data.generators.registry import benchmark
from data.subcategories import SUBCATEGORIES
from data.task import CHECKS
from study import drafting, scoring
from study.errors import StudyError
from tests.annotation.verifying.conftest import Verifying


def test_each_way_of_making_a_task_wrong_is_used_and_fails_one_axis() -> None:
    found = list(itertools.islice(known.faulty(1), 40))
    assert {one.task.provenance.generator.rpartition(" ")[2] for one in found} == {fault.name for fault in known.FAULTS}
    assert len({one.of for one in found}) == len(found)
    for one in found:
        assert list(one.expected.values()) == ["fail"] and set(one.expected) <= set(AXES)
        assert one.of not in one.task.task_id and one.task.provenance.dataset == CHECKS and one.task.twin is None


def test_the_wrong_gold_is_wrong_and_everything_else_is_the_same() -> None:
    by_id = {task.task_id: task for task in benchmark()}
    for one in itertools.islice(known.faulty(1), 40):
        if one.expected == {"correctness": "fail"} and one.task.question == by_id[one.of].question:
            assert not scoring.score(by_id[one.of], one.task.gold.accepted[0]).correct_strict
            assert (one.task.scene, one.task.gt_trajectory) == (by_id[one.of].scene, by_id[one.of].gt_trajectory)
            return
    pytest.fail("no wrong gold among them")


def test_a_stranger_is_in_no_scene() -> None:
    categories = {thing.category for task in benchmark() for thing in task.scene.objects}
    assert not categories & {category for _, category in known.STRANGERS}


def test_sound_ones_take_turns_among_the_subcategories_that_are_beyond_doubt() -> None:
    beyond = {one.key for one in SUBCATEGORIES if one.known_sound}
    found = [(one.task.category, one.task.subcategory) for one in itertools.islice(known.sound(2), len(beyond))]
    assert set(found) == beyond and len(beyond) >= 10


def test_controls_are_none_of_the_tasks_themselves_nor_their_twins(v: Verifying) -> None:
    tasks = benchmark()[:40]
    for task in tasks:
        v.store.put_task(task)
    v.verification = items.start(v.store, "V", [task.content_hash for task in tasks], actor="lead")
    assert known.take_in(v.store, v.id, "control", 12, actor="lead") == 12
    assert known.take_in(v.store, v.id, "training", 4, seed=9, actor="lead") == 4
    verified = {task.task_id for task in tasks} | {task.twin for task in tasks}
    there = [v.store.get_task(item.task_hash) for part in ("control", "training") for item in items.items_of(v.store, v.id, part)]
    bases = [task.provenance.row_id if task.provenance.dataset == CHECKS else task.task_id for task in there]
    assert len(set(bases)) == 16 and not verified & set(bases)
    with pytest.raises(BadVerification, match="are left"):
        known.take_in(v.store, v.id, "control", 1000, actor="lead")
    assert len(items.items_of(v.store, v.id, "control")) == 12


def test_no_study_is_drawn_from_what_is_made_wrong(v: Verifying) -> None:
    wrong = next(known.faulty(1)).task
    v.store.put_task(wrong)
    v.task(1)
    with pytest.raises(StudyError, match="on purpose"):
        drafting.choose(v.store, names=[wrong.task_id])
    found = drafting.choose(v.store, categories=[wrong.category, "Perceptual Grounding"], datasets=[CHECKS, "vantage"])
    assert wrong.content_hash not in found.tasks and v.task(1).content_hash in found.tasks
