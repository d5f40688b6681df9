"""Own tasks of Perceptual Grounding: what looks alike, what stands behind, and one item of each kind in the simulator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.grounding import (
    ASIDE_DEG,
    BLUE_MUG,
    EYE_M,
    GENERATORS,
    HIDDEN,
    LOOKS,
    OCCLUDER,
    OCCLUDERS,
    Look,
    Side,
    either,
    turned,
    unlikeness,
)
from data.generators.lab import Lab, Playing, difference, play
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Object, Quat

ITEMS = 20
DRAFTS = {g.slug: generate(g, seed=1, pairs=ITEMS).tasks for g in GENERATORS}
EACH = pytest.mark.parametrize("slug", sorted(DRAFTS))
SIDES = sorted({side.category: side for look in {*LOOKS, *HIDDEN} for side in look.sides}.items())


def twins(slug: str) -> Iterator[tuple[Task, Task]]:
    """Pairs of twins, each once."""
    tasks = {t.task_id: t for t in DRAFTS[slug]}
    for task in tasks.values():
        if task.task_id.endswith("a"):
            yield task, tasks[task.twin or ""]


def rotation(attitude: Quat) -> np.ndarray:
    return np.array(rotation_matrix(attitude))


def target(task: Task) -> Object:
    """The object that is asked for; of a vessel and what may be in it, the latter."""
    return next(o for o in task.scene.objects if o.handle in task.essential and o.handle not in task.vessels)


def box_of(task: Task) -> Object:
    """What hides the target."""
    assert task.question.ask is not None
    return next(o for o in task.scene.objects if o.handle == task.question.ask.against)


def eye(task: Task) -> np.ndarray:
    return np.array(task.start.position_m)


@EACH
def test_every_draft_comes_out_and_twins_share_question_and_camera(slug: str) -> None:
    assert len(DRAFTS[slug]) == 2 * ITEMS
    for a, b in twins(slug):
        assert a.question == b.question and a.start == b.start and a.scene.room == b.scene.room
        assert a.gold.accepted != b.gold.accepted
        assert {a.gold.accepted[0], b.gold.accepted[0]} == set(a.question.options)
        assert len(a.gt_trajectory) + 1 <= 20


@EACH
def test_answers_positions_and_objects_are_balanced(slug: str) -> None:
    (row,) = report(DRAFTS[slug])["subcategories"]
    assert row["problems"] == []


@pytest.mark.parametrize("slug", ["hidden", "looks"])
def test_nothing_names_the_object_that_is_asked_for(slug: str) -> None:
    for task in DRAFTS[slug]:
        assert target(task).handle not in task.names
        assert task.question.text.endswith(f"{either(task.question.options)}?")


def test_either_puts_the_right_article() -> None:
    assert either(("mug", "orange")) == "a mug or an orange"


def test_things_are_known_and_of_their_kind() -> None:
    shelf = Catalogue(None)
    for category, side in SIDES:
        match = shelf.lookup(category)
        assert match.grade in ("exact", "alias") and match.real_size_m, category
        stretch = [a / b for a, b in zip(side.size_m, match.real_size_m, strict=True)]
        assert max(stretch) / min(stretch) < 1.9, category
    for category in OCCLUDERS:
        assert shelf.lookup(category).recognisable


def test_an_occluder_is_larger_and_its_target_fifteen_degrees_aside() -> None:
    for pair in twins("hidden"):
        aside = []
        for task in pair:
            box = box_of(task)
            look = next(look for look in HIDDEN if task.tags["pair"] == f"{look.one.category} {look.other.category}")
            side = next(s for s in look.sides if s.category == target(task).category).facing_right()
            thing = target(task)
            assert box.size_m and thing.size_m
            grown = thing.size_m[0] / side.size_m[0]
            assert all(b >= OCCLUDER * grown * t - 1e-4 for b, t in zip(box.size_m, side.extent_m, strict=True))
            middle = _middle(target(task))
            there = np.array(box.pose.position_m[:2])
            sight, behind = there - eye(task)[:2], middle - there
            turn = math.degrees(math.atan2(*behind) - math.atan2(*sight))
            aside.append((turn + 180) % 360 - 180)
        assert min(abs(turn - ASIDE_DEG) for turn in aside) < 0.5
        assert all(ASIDE_DEG - 5 < turn < ASIDE_DEG + 15 for turn in aside)


def _middle(thing: Object) -> np.ndarray:
    assert thing.size_m
    found: np.ndarray = (np.array(thing.pose.position_m) + rotation(thing.pose.quaternion_xyzw) @ np.array([0, 0, thing.size_m[2] / 2]))[:2]
    return found


def test_the_side_towards_the_camera_turns_to_the_right() -> None:
    for _, side in SIDES:
        before, after = rotation(side.attitude), rotation(side.facing_right().attitude)
        towards = before.T @ np.array([0.0, -1.0, 0.0])
        assert np.allclose(after @ towards, [1.0, 0.0, 0.0])


def test_the_box_around_a_side_is_that_of_its_attitude() -> None:
    side = Side("mug", (0.3, 0.2, 0.1), turned((0.0, 0.0, 0.0, 1.0), 90.0), 0.5)
    assert side.extent_m == pytest.approx((0.2, 0.3, 0.1))


# --- in the simulator -------------------------------------------------------------------------------------------------


@EACH
def test_twins_begin_alike_and_the_judge_tells_them_apart(slug: str, lab: Lab) -> None:
    generator = next(g for g in GENERATORS if g.slug == slug)
    played = [play(lab, task, pictures=False) for task in next(twins(slug))]
    for playing in played:
        assert problems(generator, playing) == []
    assert difference(*(p.first.frame for p in played)) < 0.5
    if slug == "hidden":
        assert all(0 < p.first.visible[target(p.task).handle] < p.last.visible[target(p.task).handle] * 2 for p in played)
    if slug == "looks":
        assert generator.judge and generator.judge(Playing(played[0].task, played[0].steps[:1])) == "not seen from another side"


def test_of_all_turns_a_pair_looks_most_alike_in_the_one_of_the_table(lab: Lab) -> None:
    found = {turn: unlikeness(lab, BLUE_MUG, turn) for turn in (0.0, 60.0, 120.0, 180.0, 240.0, 300.0)}
    assert min(found, key=lambda turn: found[turn]) == 0.0
    assert found[0.0] < 0.4 * min(v for turn, v in found.items() if turn)


def test_in_different_colours_a_pair_is_not_alike(lab: Lab) -> None:
    same = unlikeness(lab, BLUE_MUG, 0.0)
    red = replace(BLUE_MUG, other=replace(BLUE_MUG.other, rgb=(0.8, 0.1, 0.1)), color=None)
    assert unlikeness(lab, replace(red, one=replace(red.one, rgb=(0.12, 0.28, 0.75))), 0.0) > 3 * same


def test_the_camera_is_below_every_rim() -> None:
    assert all(side.extent_m[2] > 1.15 * EYE_M for look in LOOKS for side in look.sides)


@pytest.mark.parametrize("look", sorted({*LOOKS, *HIDDEN}, key=str), ids=lambda look: f"{look.one.category}-{look.other.category}")
def test_both_of_a_pair_have_one_outline_and_one_colour(look: Look, lab: Lab) -> None:
    assert unlikeness(lab, look, 0.0) < UNLIKE


UNLIKE = 25.0
"""Of 255, per pixel of the thing."""
