"""Dimensional Size from the scene document alone: which is larger, by how much, and that both look alike at first."""

from __future__ import annotations

import numpy as np

from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.lab import Lab, play
from data.generators.metric import LAYOUTS, SIZE
from data.generators.stages import TABLE
from data.generators.things import SIZES_M
from data.task import Task
from tests.data.generators.recomputing import asked, base, eye

DRAFTS = generate(SIZE, seed=1, pairs=16).tasks


def lengths(task: Task) -> np.ndarray:
    return np.array([max(o.size_m or ()) for o in asked(task)])


def test_the_gold_is_the_larger_or_smaller_one_by_a_fifth_at_least() -> None:
    assert len(DRAFTS) == 32 and {t.tags["layout"] for t in DRAFTS} == set(LAYOUTS)
    for task in DRAFTS:
        assert task.question.ask is not None
        wanted = {"larger": np.argmax, "smaller": np.argmin}[task.question.ask.what](lengths(task))
        assert task.gold.accepted == (task.question.options[int(wanted)],)
        assert 1.2 <= lengths(task).max() / lengths(task).min() <= 1.31


def test_neither_is_so_large_that_it_would_be_none_of_its_kind() -> None:
    for task in DRAFTS:
        natural = max(SIZES_M[asked(task)[0].category])
        assert lengths(task).max() <= 1.7 * natural, asked(task)[0].category


def test_both_look_alike_from_the_start() -> None:
    for task in DRAFTS:
        far = np.array([np.linalg.norm((base(o) - eye(task))[:2]) for o in asked(task)])
        seen = lengths(task) / far
        assert seen.max() / seen.min() < 1.11


def test_on_a_table_all_stand_on_its_top() -> None:
    tables = [t for t in DRAFTS if t.tags["layout"] == TABLE]
    assert tables
    for task in tables:
        heights = {o.pose.position_m[2] for o in task.scene.objects}
        top = max(o.size_m[2] for o in task.scene.objects if o.pose.position_m[2] == 0.0 and o.size_m)
        assert heights == {0.0, top}


def test_the_proof_is_short_and_balanced() -> None:
    assert all(len(t.gt_trajectory) <= 20 * t.budget // 30 for t in DRAFTS)
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == []


def test_one_is_carried_to_the_other(lab: Lab) -> None:
    task = next(t for t in DRAFTS if t.tags["layout"] == TABLE)
    assert problems(SIZE, play(lab, task, pictures=False)) == []
