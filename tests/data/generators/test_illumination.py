"""Own tasks of Illumination Variability: golds from the documents, what the first lamp's light shows, and what the second's."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from data.generators import illumination
from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.illumination import ASIDE_M, DARK_M, KINDS, LAMP, LAMP_M, LIGHT_M, LIGHTING, LIT_M, judge_lit
from data.generators.lab import Lab, Playing, pixels, play
from data.generators.registry import benchmark
from data.generators.things import BLOCK
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.entities.lamp import NIGHT_ASIDE_M, NIGHT_BELOW_M  # type: ignore[attr-defined]
from sim_bridge.backends.mujoco.meshes.shapes import Part
from sim_bridge.backends.mujoco.rooms.house_shell import smooth_edges
from sim_bridge.backends.mujoco.rooms.lights import NIGHT_CONE_DEG, rounds
from sim_bridge.spec import Object
from tests.present import present

ITEMS = 20
DRAFTS = generate(LIGHTING, seed=1, pairs=ITEMS).tasks
TWINS = {t.task_id: t for t in DRAFTS}


def lit_of(task: Task) -> list[list[Object]]:
    """The lamps that are lit in each phase, from the document alone."""
    lamps = [o for o in task.scene.objects if o.category == LAMP]
    return [[o for o in lamps if phase.lit.get(o.handle, o.params["lit"])] for phase in task.scene.phases]


def shone_on(thing: Object, lamp: Object, height_m: float = 0.1) -> bool:
    """Whether a cone of light, straight down from beside the lamp's pole, reaches a thing at some height: plain geometry."""
    x, y, _ = lamp.pose.position_m
    _, _, qz, qw = lamp.pose.quaternion_xyzw
    yaw = 2 * math.atan2(qz, qw)
    light = np.array([x + ASIDE_M * math.sin(yaw), y - ASIDE_M * math.cos(yaw)])
    away = np.linalg.norm(np.array(thing.pose.position_m[:2]) - light)
    return bool(away < (LIGHT_M - height_m) * math.tan(math.radians(NIGHT_CONE_DEG)))


def test_golds_are_what_two_lamps_show_together_and_not_what_they_show_each() -> None:
    assert len(DRAFTS) == 2 * ITEMS
    for task in DRAFTS:
        counted = [o for o in task.scene.objects if o.category == present(task.question.ask).category]
        first, second = ({o.handle for o in counted for lamp in lamps if shone_on(o, lamp)} for lamps in lit_of(task))
        assert task.gold.accepted == (str(len(first | second)),)
        assert first | second == {o.handle for o in counted}
        assert first & second, "some are seen twice, so that adding the two counts up is wrong"
        assert len(first) == int(task.tags["seen_first"]) <= int(task.question.options[0])


def test_no_edge_of_a_round_of_light_lies_on_a_box() -> None:
    for task in DRAFTS:
        boxes = [o for o in task.scene.objects if o.category == BLOCK]
        assert len(boxes) == 2
        for box in boxes:
            w, d, h = present(box.size_m)
            for x, y, _ in rounds(task.scene):
                steps = [
                    np.array([a * w, b * d, c * h]) for a in np.linspace(-0.5, 0.5, 9) for b in np.linspace(-0.5, 0.5, 9) for c in (0, 1)
                ]
                points = np.array(box.pose.position_m) + steps
                if abs(box.pose.quaternion_xyzw[2] ** 2 - 0.5) < 0.1:  # a quarter turn
                    points[:, :2] = np.array(box.pose.position_m[:2]) + np.array(steps)[:, 1::-1]
                away = np.linalg.norm(points[:, :2] - (x, y), axis=1)
                lit = away < (LIGHT_M - points[:, 2]) * math.tan(math.radians(NIGHT_CONE_DEG))
                assert lit.all() or not lit.any(), task.task_id


def test_another_lamp_is_lit_in_each_part_and_nothing_moves() -> None:
    for task in DRAFTS:
        one, two = lit_of(task)
        assert len(one) == len(two) == 1 and one != two and task.scene.lighting == "night"
        assert all(not phase.hidden and not phase.moved for phase in task.scene.phases)
        assert {"phases", "phase_light"} <= set(task.required_features) and not task.views


def test_twins_differ_in_the_second_lamps_light_alone() -> None:
    for task in DRAFTS:
        ours, theirs = ({o.handle: o for o in t.scene.objects} for t in (task, TWINS[task.twin or ""]))
        (handle,) = (h for h in ours if ours[h] != theirs[h])
        ((first,), (second,)) = lit_of(task)
        for height in (0.0, 0.2):
            assert not shone_on(ours[handle], first, height)
        assert shone_on(ours[handle], second)


def test_the_proof_takes_at_most_two_thirds_of_the_budget_and_each_part_its_share() -> None:
    for task in DRAFTS:
        (begin,) = task.gt_phase_starts
        assert len(task.gt_trajectory) <= 20 * task.budget // 30
        for phase, actions in zip(task.scene.phases, (begin, len(task.gt_trajectory) - begin), strict=True):
            assert actions + 1 <= phase.budget_share * task.budget


def test_three_layouts_and_all_kinds_come_and_ranks_are_balanced() -> None:
    assert len({t.tags["layout"] for t in DRAFTS}) >= 3
    assert set(Counter(present(t.question.ask).category for t in DRAFTS).values()) == {2 * ITEMS // len(KINDS)}
    (row,) = report(DRAFTS)["subcategories"]
    assert [p for p in row["problems"] if not p.startswith("the question alone")] == []
    ranks = Counter(
        (int(t.tags["seen_first"]) - int(t.question.options[0]) > 0, t.question.options.index(t.gold.accepted[0])) for t in DRAFTS
    )
    assert set(ranks.values()) == {ITEMS // 2}


def test_the_lamp_is_the_simulators() -> None:
    match = Catalogue(None).lookup(LAMP)
    assert match.real_size_m == pytest.approx(LAMP_M, abs=0.01)
    assert NIGHT_ASIDE_M == (0.0, -ASIDE_M)
    assert pytest.approx(1.36 + 0.07 - NIGHT_BELOW_M, abs=0.02) == LIGHT_M  # the bulb hangs 7 cm above the pole's end
    reach = [(LIGHT_M - z) * math.tan(math.radians(NIGHT_CONE_DEG)) for z in (0.0, 0.15)]
    assert reach[1] > LIT_M and reach[0] < DARK_M


def test_what_decides_is_black_in_the_first_light_and_bright_in_the_second(lab: Lab) -> None:
    task, twin = (t for t in benchmark() if t.task_id in ("own-lighting-001a", "own-lighting-001b"))
    played, other = play(lab, task), play(lab, twin)
    assert problems(LIGHTING, played) == [] and problems(LIGHTING, other) == []
    second = illumination.SECOND
    for step in range(second):  # the whole first part, whatever one looks at
        assert (pixels(played.steps[step].frame) == pixels(other.steps[step].frame)).all()
    apart = max(np.abs(pixels(a.frame) - pixels(b.frame)).max() for a, b in zip(played.steps[second:], other.steps[second:], strict=True))
    assert apart > 60
    # The judge goes by the light: with one part alone, or the same lamp twice, it says so.
    assert judge_lit(Playing(task, played.steps[:second])) not in task.question.options
    alike = (*played.steps[:second], replace(played.steps[second], state=played.first.state), *played.steps[second + 1 :])
    assert judge_lit(Playing(task, alike)) == "the light does not change"


def test_the_floor_is_fine_where_a_round_of_light_ends() -> None:
    scene = DRAFTS[0].scene
    found = rounds(scene)
    assert len(found) == 2
    for (x, y, radius), lamp in zip(found, (o for o in scene.objects if o.category == LAMP), strict=True):
        _, _, qz, qw = lamp.pose.quaternion_xyzw
        yaw = 2 * math.atan2(qz, qw)
        middle = np.array(lamp.pose.position_m[:2]) + ASIDE_M * np.array([math.sin(yaw), -math.cos(yaw)])
        assert np.allclose((x, y), middle, atol=1e-6)
        assert radius == pytest.approx(LIGHT_M * math.tan(math.radians(NIGHT_CONE_DEG)), abs=0.01)
    texture = np.zeros((8, 8, 3), np.uint8)
    plain = Part(
        np.array([[0, 0, 0], [0.03, 0, 0], [0, 0.03, 0], [3, 3, 0]], float),
        np.array([[0, 1, 2], [1, 3, 2]]),
        uv=np.zeros((4, 2)),
        texture=texture,
    )
    finer = smooth_edges(plain, [(0.0, 0.0, 0.03)])
    areas = [np.linalg.norm(np.cross(q - p, r - p)) / 2 for p, q, r in finer.vertices[finer.faces]]
    before = [np.linalg.norm(np.cross(q - p, r - p)) / 2 for p, q, r in plain.vertices[plain.faces]]
    assert sum(areas) == pytest.approx(sum(before)) and len(areas) > len(before) and min(areas) < min(before) / 10
    assert smooth_edges(plain, []).faces.tolist() == plain.faces.tolist()
