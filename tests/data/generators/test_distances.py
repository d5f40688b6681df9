"""Own tasks of Spatial Distance: gaps recomputed from the document, what stands on what, and what the start view hides."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from data.generators.balance import report
from data.generators.distances import DISTANCE, KINDS, LAYOUTS
from data.generators.framework import generate
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Object
from tests.data.generators.recomputing import Floats, axes, base, eye, made_by

BUNDLED = made_by("distance")
DRAFTS = generate(DISTANCE, seed=12, pairs=18).tasks


def corners(o: Object) -> tuple[Floats, Floats]:
    """Least and greatest (x, y) of what stands upright."""
    assert o.size_m is not None
    half = np.abs(axes(o.pose.quaternion_xyzw)[:2, :2]) @ np.array(o.size_m[:2]) / 2
    return base(o)[:2] - half, base(o)[:2] + half


def gap(one: Object, other: Object) -> float:
    (a, b), (c, d) = corners(one), corners(other)
    return float(np.linalg.norm(np.maximum(np.maximum(a - d, c - b), 0.0)))


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_gold_is_the_smaller_or_larger_gap_by_a_half_or_more(task: Task) -> None:
    ask = task.question.ask
    assert ask is not None
    there = {o.handle: o for o in task.scene.objects}
    gaps = {task.names[h]: gap(there[h], there[ask.against]) for h in ask.things}
    near, far = sorted(gaps, key=lambda name: gaps[name])
    assert task.gold.accepted[0] == {"closer": near, "farther": far}[ask.what]
    assert gaps[far] >= 1.5 * gaps[near] and gaps[far] - gaps[near] >= 0.08


@pytest.mark.parametrize("task", DRAFTS, ids=lambda t: t.task_id)
def test_what_differs_between_twins_lies_along_the_line_of_sight(task: Task) -> None:
    twin = next(t for t in DRAFTS if t.task_id == task.twin)
    moved = 0
    for one, other in zip(task.scene.objects, twin.scene.objects, strict=True):
        assert one.size_m and other.size_m and one.category == other.category
        a, b = base(one)[:2] - eye(task)[:2], base(other)[:2] - eye(task)[:2]
        assert abs(a[0] * b[1] - a[1] * b[0]) < 2e-4 and a @ b > 0
        assert one.size_m[0] / np.linalg.norm(a) == pytest.approx(other.size_m[0] / np.linalg.norm(b), rel=1e-3)
        moved += bool(np.linalg.norm(a - b) > 0.01)
    assert moved == (1 if _beside(task) else 2) and len(task.gt_trajectory) <= 19


def _beside(task: Task) -> bool:
    """Whether one of the two stands beside the reference: their depths overlap."""
    ask = task.question.ask
    assert ask is not None
    there = {o.handle: o for o in task.scene.objects}
    ahead = base(there[ask.against])[:2] - eye(task)[:2]
    axis = int(np.argmax(np.abs(ahead)))
    (a, b) = corners(there[ask.against])
    return any(a[axis] < base(there[h])[axis] < b[axis] for h in ask.things)


def test_layouts_wordings_kinds_and_what_things_stand_on_vary() -> None:
    assert {t.tags["layout"] for t in DRAFTS} == set(LAYOUTS) and len({t.tags["wording"] for t in DRAFTS}) == 4
    high = Counter(round(min(o.pose.position_m[2] for o in t.scene.objects if o.handle in t.essential), 2) for t in DRAFTS)
    assert sum(n for z, n in high.items() if z > 0.3) == 12 and len(high) >= 3
    assert len({o.category for t in DRAFTS for o in t.scene.objects if o.handle in t.essential} & set(KINDS)) >= 12
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == [] and {t.tags["looks"] for t in DRAFTS} >= {"congruent", "incongruent"}


def test_everything_is_recognised_without_the_asset_pack() -> None:
    shelf = Catalogue(None)
    kinds = {o.category for t in DRAFTS for o in t.scene.objects}
    assert {k: shelf.lookup(k).grade for k in kinds if shelf.lookup(k).grade not in ("exact", "alias", "labelled")} == {}
