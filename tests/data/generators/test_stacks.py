"""Own tasks of Stacking & Stability: sizes alone decide, and every order was tried; recomputed from the document alone."""

from __future__ import annotations

import itertools
from collections import Counter

import msgspec
import numpy as np
import pytest

from data.generators import stacks
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.stacks import FALLEN, FIRM, LEAST_ROOM, STACK, VESSELS, how_it_stands
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import geometry
from sim_bridge.spec import Object, ObjectState, Pose
from tests.data.generators.recomputing import asked, made_by

BUNDLED = made_by("stack")
DRAFTS = generate(STACK, seed=11, pairs=24).tasks


def covers(upper: Object, lower: Object) -> bool:
    """Whether what the upper stands on is wider than the lower's opening, by the drawn shares; else it falls into it."""
    assert upper.size_m is not None and lower.size_m is not None
    shares = {"recycling_bin": (0.91, 0.75), "tank": (0.95, 1.0), "tumbler": (0.95, 0.94), "water_glass": (0.93, 0.82)}
    base, opening = upper.size_m[0] * shares[upper.category][1], lower.size_m[0] * shares[lower.category][0]
    assert base >= 1.07 * opening or 1.07 * upper.size_m[0] <= opening or upper.size_m[0] == lower.size_m[0]
    return base > opening


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_only_order_that_stands_follows_from_the_sizes(task: Task) -> None:
    things = asked(task)
    right = [order for order in itertools.permutations(things) if all(covers(b, a) for a, b in itertools.pairwise(order))]
    assert [[task.names[o.handle] for o in order] for order in right] == list(task.gold.accepted)
    assert task.gold.chance == pytest.approx(1 / 6) and len(task.gt_trajectory) <= 19


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_from_the_start_no_size_shows(task: Task) -> None:
    """Width over distance is the same for all in a row, and for each thing in both twins; the others differ by less than a size."""
    x, y, _ = task.start.position_m
    seen = [o.size_m[0] / np.hypot(o.pose.position_m[0] - x, o.pose.position_m[1] - y) for o in asked(task) if o.size_m is not None]
    assert max(seen) / min(seen) < 1.25
    assert all(o.params["bears_at_rim"] is True for o in asked(task))


def test_names_tell_nothing_and_the_list_is_in_every_order_equally_often() -> None:
    by_id = {t.task_id: t for t in DRAFTS}
    orders: Counter[tuple[int, ...]] = Counter()
    for task in by_id.values():
        twin = by_id[task.twin or ""]
        assert task.names == twin.names and task.gold.accepted != twin.gold.accepted
        assert len({o.category for o in asked(task)}) == 1
        orders[tuple(task.question.options.index(w) for w in task.gold.accepted[0])] += 1
    assert len(orders) == 6 and len(set(orders.values())) == 1, orders
    assert {o.category for t in DRAFTS for o in asked(t)} == set(VESSELS) and len({t.tags["layout"] for t in DRAFTS}) == 3


def test_shares_of_vessels_are_those_of_the_drawn_mesh() -> None:
    shelf = Catalogue(None)
    for kind, vessel in VESSELS.items():
        match = shelf.lookup(kind)
        size = np.array(vessel.size_m)
        assert match.real_size_m is not None and np.ptp(np.log(size / np.array(match.real_size_m))) < 0.2
        model = shelf.model(match).normalised(size)
        offsets = np.cumsum([0] + [len(p.vertices) for p in model.parts[:-1]])
        vertices = np.concatenate([p.vertices for p in model.parts])
        faces = np.concatenate([p.faces + n for p, n in zip(model.parts, offsets, strict=True)])
        along = np.linspace(0.0, 0.998, 250)
        points = along[:, None] * np.array([[size[0] / 2, 0.0]])
        top = geometry.heights(vertices, faces, points)
        under = -geometry.heights(vertices * [1, 1, -1], faces[:, ::-1], points)
        rim, foot = along[top >= size[2] / 2 - 0.004], along[under <= -size[2] / 2 + 0.004]
        assert vessel.opening >= rim.min() - 0.04 and abs(vessel.base - foot.max()) < 0.03, kind
        step = stacks.step_of(vessel)
        assert step * vessel.opening >= LEAST_ROOM - 1e-3 and step * vessel.base >= (LEAST_ROOM - 1e-3) * vessel.opening


def state(handle: str, low: tuple[float, float, float], high: tuple[float, float, float], tilt_deg: float = 0.0) -> ObjectState:
    half = np.radians(tilt_deg) / 2
    x, y, z = ((a + b) / 2 for a, b in zip(low, high, strict=True))
    turned = (float(np.sin(half)), 0.0, 0.0, float(np.cos(half)))
    return ObjectState(handle, "thing", Pose((x, y, z), turned), low, high, 0)


BELOW = state("a", (0, 0, 0), (0.2, 0.2, 0.1))


@pytest.mark.parametrize(
    ("upper", "found"),
    [
        (state("b", (0, 0, 0.1), (0.2, 0.2, 0.2)), "firm"),
        (state("b", (0, 0, 0.021), (0.2, 0.2, 0.2)), "nested"),  # above the 2 cm, without the margin
        (state("b", (0.2, 0, 0), (0.4, 0.2, 0.1)), "fallen"),  # beside it
        (state("b", (0.195, 0, 0.1), (0.395, 0.2, 0.2)), "fallen"),  # outlines share next to nothing
        (state("b", (0, 0, 0.1), (0.2, 0.2, 0.2), tilt_deg=45), "fallen"),
        (state("b", (0, 0, 0.1), (0.2, 0.2, 0.2), tilt_deg=20), "unclear"),
    ],
)
def test_standing_is_height_overlap_and_uprightness_with_margins(upper: ObjectState, found: str) -> None:
    assert how_it_stands(BELOW, upper) == found
    assert (stacks.ABOVE_M, stacks.OVERLAP, stacks.UPRIGHT) == (0.02, 0.1, 0.9)
    for bound, firm, fallen in zip((0.02, 0.1, 0.9), FIRM, FALLEN, strict=True):
        assert fallen < bound < firm


def test_bundled_stacks_are_playable_without_the_asset_pack() -> None:
    shelf = Catalogue(None)
    for task in BUNDLED:
        assert assess(task, shelf).missing == [] and len(task.views["random_walk"]) == 30 and task.evidence


def test_a_bundled_stack_stands_and_is_judged_from_bottom_to_top(lab: Lab) -> None:
    task = BUNDLED[0]
    playing = play(lab, task, pictures=False)
    assert problems(STACK, playing) == []
    assert stacks.judge_stack(playing) == list(task.gold.accepted[0])
    assert stacks.judge_stack(Playing(task, playing.steps[:1])) == "fallen"


def test_every_order_is_tried_and_only_those_that_stand_are_right(lab: Lab) -> None:
    task = BUNDLED[0]
    assert stacks.tried(lab, task) == []
    right = task.gold.accepted[0]
    assert isinstance(right, list)
    more = task.gold.model_copy(update={"accepted": (right, right[::-1])})
    (told,) = stacks.tried(lab, task.model_copy(update={"gold": more}))
    assert told == f"gold.accepted: {' > '.join(right[::-1])} does not stand when it is tried"


def test_a_rim_carries_whatever_covers_it_only_where_the_scene_asks_for_it(lab: Lab) -> None:
    """The largest on the smallest: nine points of its outline miss the rim."""
    task = next(t for t in BUNDLED if asked(t)[0].category == "tumbler")
    small, _, large = sorted(asked(task), key=lambda o: o.size_m or ())
    for bears in (True, False):
        objects = tuple(msgspec.structs.replace(o, params={**o.params, "bears_at_rim": bears}) for o in task.scene.objects)
        with lab.open(msgspec.structs.replace(task.scene, objects=objects), task.start) as trial:
            for action in (*stacks.APPROACH, f"pick_up({large.handle})", f"put({large.handle}, on, {small.handle})"):
                trial.act(action, pictures=False)
            there = trial.objects()
        gap = there[large.handle].aabb_min_m[2] - there[small.handle].aabb_max_m[2]
        assert (abs(gap) < 0.003) == bears
