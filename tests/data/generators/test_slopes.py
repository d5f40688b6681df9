"""Own tasks of Inclined Plane: what decides is seen, and follows from a handbook with a margin; recomputed from the document alone."""

from __future__ import annotations

import math
from collections import Counter

import msgspec
import numpy as np
import pytest

from data.generators import slopes
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.layout import path_poses
from data.generators.slopes import KINDS, SLOPE
from data.playable import assess
from data.task import Task
from sim_bridge import friction
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.catalogue.physical import physical
from sim_bridge.backends.mujoco.deeds import slope as deed
from sim_bridge.backends.mujoco.meshes.coverings import COVERINGS
from sim_bridge.spec import Object
from tests.data.generators.recomputing import axes, made_by

BUNDLED = made_by("slope")
DRAFTS = generate(SLOPE, seed=11, pairs=30).tasks

# CRC Handbook of Chemistry and Physics, static, clean and dry; ice: OpenStax University Physics 1, table 6.1. Typed again from the source.
HANDBOOK = {
    ("wood", "wood"): (0.25, 0.5), ("wood", "leather"): (0.3, 0.4), ("wood", "rubber"): (1, 4), ("wood", "ice"): (0.03, 0.4),
    ("metal", "steel"): (0.58, 0.58), ("metal", "leather"): (0.6, 0.6), ("metal", "glass"): (0.5, 0.7), ("metal", "rubber"): (1, 4),
    ("metal", "ice"): (0.03, 0.4), ("glass", "steel"): (0.5, 0.7), ("plastic", "steel"): (0.2, 0.2), ("plastic", "rubber"): (1, 4),
}  # fmt: skip
MADE_OF = {
    "wooden_box": "wood", "tray": "wood", "treasure_chest": "wood", "cookie_tin": "metal", "roasting_pan": "metal",
    "baking_sheet": "metal", "ashtray": "glass", "tupperware": "plastic",
}  # fmt: skip


def parts(task: Task) -> tuple[Object, Object]:
    """(ramp, thing)."""
    assert task.question.ask is not None
    there = {o.handle: o for o in task.scene.objects}
    return there[task.question.ask.against], there[task.question.ask.things[0]]


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_gold_follows_from_angle_and_materials_with_a_quarter_of_margin(task: Task) -> None:
    ramp, thing = parts(task)
    assert ramp.size_m is not None and "friction" not in thing.params and "friction" not in ramp.params
    tangent = ramp.size_m[2] / ramp.size_m[0]
    low, high = HANDBOOK[MADE_OF[thing.category], ramp.params["surface"]]
    assert 10 <= math.degrees(math.atan(tangent)) <= 45
    if task.gold.accepted[0] == "yes":
        assert tangent <= 0.75 * low + 1e-3
    else:
        assert tangent >= 1.25 * high - 1e-3


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_start_does_not_show_the_face_and_the_view_before_the_trial_does(task: Task) -> None:
    """The camera is below the plane of the slope or behind a box at the start, and above that plane before the thing is put on it."""
    ramp, _ = parts(task)
    assert ramp.size_m is not None
    x, _, z = ramp.size_m
    turned = axes(ramp.pose.quaternion_xyzw)
    normal = turned @ np.array([z, 0.0, x]) / math.hypot(x, z)
    on_it = np.array(ramp.pose.position_m) + np.array([0.0, 0.0, z / 2])

    def above(position: tuple[float, float, float]) -> float:
        return float((np.array(position) - on_it) @ normal)

    poses = path_poses(task.start, task.gt_trajectory)
    if task.tags["layout"] != "screened":
        assert above(poses[0].position_m) < 0
    assert above(poses[len(task.gt_trajectory) - 2].position_m) > 0.1


def test_twins_differ_in_what_is_seen_alone_and_golds_are_even() -> None:
    tasks = {t.task_id: t for t in DRAFTS}
    decides: Counter[str] = Counter()
    for task in tasks.values():
        twin = tasks[task.twin or ""]
        (ramp, thing), (other, same) = parts(task), parts(twin)
        assert msgspec.structs.replace(thing, handle="") == msgspec.structs.replace(same, handle="")
        covered, steep = ramp.params["surface"] != other.params["surface"], ramp.size_m != other.size_m
        assert covered != steep
        decides["surface" if covered else "angle"] += 1
        assert len(task.gt_trajectory) <= 19
    assert min(decides.values()) >= 15, decides
    assert Counter(str(t.gold.accepted[0]) for t in DRAFTS) == {"yes": 30, "no": 30}
    assert len({t.tags["layout"] for t in DRAFTS}) == 3 and len({parts(t)[1].category for t in DRAFTS}) == len(KINDS)


def test_kinds_are_made_of_what_they_are_said_to_be_and_recognised() -> None:
    shelf = Catalogue(None)
    for name, kind in KINDS.items():
        match = shelf.lookup(name)
        assert physical(match, kind.size_m).surface == kind.material == MADE_OF[name]
        assert match.real_size_m is not None
        ratios = [a / b for a, b in zip(kind.size_m, match.real_size_m, strict=True)]
        assert max(ratios) / min(ratios) < 1.15, name
    for task in BUNDLED:
        assert assess(task, shelf).missing == [] and len(task.views["random_walk"]) == 30


def test_the_table_is_of_coverings_that_are_drawn_and_the_simulator_takes_the_middle() -> None:
    assert {surface for _, surface in friction.RANGES} <= set(COVERINGS)
    assert all(0 < low <= high for low, high in friction.RANGES.values())
    assert friction.coefficient("wood", "wood") == pytest.approx(0.375) and friction.coefficient("paper", "ice") is None
    assert {pair: friction.RANGES[pair] for pair in HANDBOOK} == HANDBOOK


def test_the_trial_has_the_published_thresholds() -> None:
    assert (deed.SLID_M, deed.FELL_M, deed.WATCH_S) == (0.03, 0.05, 30 / 60)
    assert slopes.STAYS_M < deed.SLID_M < slopes.SLID_M


def test_the_simulator_uses_the_coefficient_of_the_two_materials(lab: Lab) -> None:
    """A tin on steel rests at 25° and slides at 35°: between them lies the coefficient 0.58, far from the tin's own 0.40."""
    golds = []
    task = next(t for t in BUNDLED if parts(t)[1].category in ("cookie_tin", "roasting_pan", "baking_sheet"))
    for degrees in (25.0, 35.0):
        things = []
        for o in task.scene.objects:
            if o.category == "ramp":
                a = math.radians(degrees)
                o = msgspec.structs.replace(o, size_m=(0.5 * math.cos(a), 0.3, 0.5 * math.sin(a)), params={"surface": "steel"})
            things.append(o)
        changed = task.model_copy(update={"scene": msgspec.structs.replace(task.scene, objects=tuple(things)), "evidence": ()})
        golds.append(slopes.judge_slope(play(lab, changed, pictures=False)))
    assert golds == ["yes", "no"]


def test_a_pair_of_twins_is_proven_and_judged(lab: Lab) -> None:
    pair = [t for t in BUNDLED if t.task_id.startswith("own-slope-002")]
    for task in pair:
        playing = play(lab, task, pictures=False)
        assert problems(SLOPE, playing) == []
        assert slopes.judge_slope(playing) == task.gold.accepted[0]
        assert slopes.judge_slope(Playing(task, playing.steps[:1])) == "untried"
    assert {t.gold.accepted[0] for t in pair} == {"yes", "no"}
