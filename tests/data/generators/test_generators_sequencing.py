"""Own tasks of Action Sequencing: candidates that fit or barely do not, look-alikes, golds from the start view, tried in the simulator."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from data.generators.balance import answer_text, report
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.registry import bundled
from data.generators.sequencing import JUST_FITS, KINDS, MARGIN, ORDER, SIZE_M, judge_order
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Object

ITEMS = 20
DRAFTS = generate(ORDER, seed=1, pairs=ITEMS).tasks
BUNDLED = [t for t in bundled() if t.subcategory == ORDER.subcategory]


def roles(task: Task) -> tuple[Object, dict[str, Object], dict[str, Object]]:
    """The middle thing; bases and tops by side."""
    objects = {o.handle: o for o in task.scene.objects}
    (middle,) = (objects[h] for h, w in task.names.items() if not w.startswith(("left ", "right ")))
    base = task.question.blank_names[0].lower()
    bases = {w.split()[0]: objects[h] for h, w in task.names.items() if w.endswith(base) and w != base}
    tops = {w.split()[0]: objects[h] for h, w in task.names.items() if w.startswith(("left ", "right ")) and not w.endswith(base)}
    return middle, bases, tops


def scale(o: Object) -> float:
    assert o.size_m is not None
    return o.size_m[0] / SIZE_M[o.category][0]


def test_every_draft_comes_out_in_balance() -> None:
    assert len(DRAFTS) == 2 * ITEMS
    golds = Counter(answer_text(t) for t in DRAFTS)
    assert len(golds) == 4 and set(golds.values()) == {ITEMS // 2}
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == []
    assert all(len(t.gt_trajectory) + 1 <= 20 and t.gold.chance == 0.25 for t in DRAFTS)


def test_twenty_are_bundled_in_balance_and_playable_without_the_asset_pack() -> None:
    assert len(BUNDLED) == 20
    (row,) = report(BUNDLED)["subcategories"]
    assert row["problems"] == []
    shelf = Catalogue(None)
    for task in BUNDLED:
        assert assess(task, shelf).missing == []
        assert len(task.views["random_walk"]) == 30 and task.evidence


def test_one_candidate_fits_and_the_other_barely_does_not() -> None:
    for task in DRAFTS:
        middle, bases, tops = roles(task)
        assert set(bases) == set(tops) == {"left", "right"}
        gold = task.gold.accepted[0]
        assert isinstance(gold, dict)
        base_side, top_side = (gold[name] for name in task.question.blank_names)
        for side, base in bases.items():
            room = JUST_FITS[(base.category, middle.category)] * scale(base) / scale(middle)
            assert room == pytest.approx(1 + MARGIN if side == base_side else 1 / (1 + MARGIN), rel=2e-3)
        for side, top in tops.items():
            room = JUST_FITS[(middle.category, top.category)] * scale(middle) / scale(top)
            assert room == pytest.approx(1 + MARGIN if side == top_side else 1 / (1 + MARGIN), rel=2e-3)
    assert 0.05 < MARGIN < 0.15


def test_each_role_has_a_look_alike_of_another_kind() -> None:
    for task in DRAFTS:
        _, bases, tops = roles(task)
        unnamed = {o.category for o in task.scene.objects if o.handle not in task.names}
        assert any(
            unnamed >= {k.like_base, k.like_top} for k in KINDS if k.base == bases["left"].category and k.top == tops["left"].category
        )
        assert not unnamed & {bases["left"].category, tops["left"].category}


def test_sizes_are_the_catalogues() -> None:
    shelf = Catalogue(None)
    for kind, size in SIZE_M.items():
        match = shelf.lookup(kind)
        assert match.grade in ("exact", "alias") and match.real_size_m is not None
        flat = kind != "roasting_pan"
        assert match.real_size_m[: 3 if flat else 2] == pytest.approx(size[: 3 if flat else 2], rel=0.06), kind


def test_left_and_right_are_meant_from_the_start_view() -> None:
    for task in DRAFTS:
        assert "as you see them at the start" in task.question.note
        middle, bases, tops = roles(task)
        x0, y0, _ = task.start.position_m
        ahead = (middle.pose.position_m[0] - x0, middle.pose.position_m[1] - y0)
        for side, o in (*bases.items(), *tops.items()):
            to = (o.pose.position_m[0] - x0, o.pose.position_m[1] - y0)
            right = ahead[1] * to[0] - ahead[0] * to[1]
            assert (side == "right") == (right > 0)


def test_twins_look_alike_because_larger_candidates_stand_farther_away() -> None:
    tasks = {t.task_id: t for t in DRAFTS}
    for task in tasks.values():
        x0, y0, _ = task.start.position_m
        for one, other in zip(task.scene.objects, tasks[task.twin or ""].scene.objects, strict=True):
            assert one.size_m and other.size_m
            far = [math.dist((x0, y0), o.pose.position_m[:2]) for o in (one, other)]
            assert one.size_m[0] / far[0] == pytest.approx(other.size_m[0] / far[1], rel=1e-3)


# --- in the simulator -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["001a", "004b"])
def test_wrong_candidates_are_refused_and_right_ones_go_in(number: str, lab: Lab) -> None:
    (task,) = (t for t in BUNDLED if t.task_id.endswith(number))
    playing = play(lab, task, pictures=False)
    assert problems(ORDER, playing) == []
    assert judge_order(playing) == task.gold.accepted[0]
    tried = tuple(s for s in playing.steps if s.ok)
    assert judge_order(Playing(task, tried)) == "not tried"
    assert judge_order(Playing(task, playing.steps[:-1])) == "unfinished"
