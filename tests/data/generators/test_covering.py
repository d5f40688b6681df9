"""Own tasks of Deformable: what lies under the cloth recomputed from the document, options that look alike, and what stays hidden."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from data.generators import covering
from data.generators.balance import position, report
from data.generators.covering import ALIKE, COUPLES, COVER, COVERED, LAYOUTS
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from tests.data.generators.recomputing import axes, base, made_by

BUNDLED = made_by("cloth")
DRAFTS = generate(COVER, seed=12, pairs=24).tasks
SHELF = Catalogue(None)
PAIRS = [frozenset(pair) for pair, _ in ALIKE]


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_gold_is_what_lies_below_the_middle_of_the_cloth(task: Task) -> None:
    assert task.question.ask is not None
    cloth = next(o for o in task.scene.objects if o.handle == task.question.ask.against)
    assert cloth.category == "cloth" and cloth.size_m
    half = min(cloth.size_m[:2]) / 2
    below = []
    for o in task.scene.objects:
        if o is cloth or o.size_m is None:
            continue
        reach = np.abs(axes(o.pose.quaternion_xyzw)[:2, :2]) @ np.array(o.size_m[:2]) / 2
        if (np.abs(base(o)[:2] - base(cloth)[:2]) + reach < half).all():
            below.append(o)
    assert [o.category.replace("_", " ") for o in below] == [task.gold.accepted[0]]
    (thing,) = below
    assert thing.size_m and 0.05 <= thing.size_m[2] <= 0.15 and base(cloth)[2] > base(thing)[2] + thing.size_m[2]
    assert thing.handle not in task.names and list(task.names.values()) == ["cloth"]
    unseen = {e.step for e in task.evidence if e.kind == "unseen" and e.handle == thing.handle}
    assert unseen == set(range(len(task.gt_trajectory) + 1)) and len(unseen) <= 20  # never a pixel of it


@pytest.mark.parametrize("task", DRAFTS, ids=lambda t: t.task_id)
def test_the_options_are_two_pairs_that_look_alike_and_the_twins_have_one_of_them(task: Task) -> None:
    twin = next(t for t in DRAFTS if t.task_id == task.twin)
    options = {o.replace(" ", "_") for o in task.question.options}
    golds = {str(t.gold.accepted[0]).replace(" ", "_") for t in (task, twin)}
    assert len(options) == 4 and golds in PAIRS and options - golds in PAIRS
    assert task.scene.room and options <= set(task.scene.room.without)


def test_no_word_is_the_answer_more_often_and_layouts_and_wordings_vary() -> None:
    golds = Counter(str(t.gold.accepted[0]) for t in DRAFTS)
    offered = Counter(o for t in DRAFTS for o in t.question.options)
    assert all(2 * golds[o] == offered[o] / 2 for o in offered) and len(offered) >= 12
    assert {t.tags["layout"] for t in DRAFTS} == set(LAYOUTS) and len({t.question.text for t in DRAFTS}) == 3
    places = Counter(position(t) for t in DRAFTS)
    assert len(places) == 4 and len(set(places.values())) == 1
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == []
    assert len(COUPLES) >= 80 and {kind for pair in PAIRS for kind in pair} == set(COVERED)


def test_kinds_have_the_catalogues_shape_and_the_bounds_of_height() -> None:
    for kind, (size, height) in COVERED.items():
        match = SHELF.lookup(kind)
        assert match.real_size_m == pytest.approx(size, abs=0.002) and match.grade == "exact"
        assert 0.96 * height >= 0.05 and 1.02 * height <= 0.15
    for task in BUNDLED:
        assert assess(task, SHELF).missing == [] and len(task.views["random_walk"]) == 30


def test_a_settled_cloth_hides_the_thing_in_every_view(lab: Lab) -> None:
    task = next(t for t in DRAFTS if t.tags["layout"] == LAYOUTS[1])
    playing = play(lab, task, pictures=False)
    assert problems(COVER, playing) == []
    state = playing.first.state
    assert state is not None
    taller = tuple(
        o if o.category == "cloth" else msgspec.structs.replace(o, aabb_max_m=(*o.aabb_max_m[:2], o.aabb_max_m[2] + 0.2))
        for o in state.objects
    )
    first = replace(playing.first, state=msgspec.structs.replace(state, objects=taller))
    assert covering.judge_cover(Playing(task, (first, *playing.steps[1:]))) == "its height is out of bounds"
