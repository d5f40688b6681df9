"""Own tasks of Physical Dynamics: slopes with friction on either side of the tangent, stacks of which every order was tried."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import pytest

from data.generators import physical_dynamics as dynamics
from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.layout import HERE, Thing
from data.generators.physical_dynamics import (
    CURVED_M,
    FALLEN,
    FIRM,
    FLAT_M,
    FRICTION_MARGIN,
    MASSES_KG,
    RESTITUTION,
    SLIDES_M,
    SLOPE,
    STACK,
    STACK_WORDS,
    how_it_stands,
)
from data.generators.registry import bundled
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco import create, gl
from sim_bridge.backends.mujoco.catalogue import Catalogue
from sim_bridge.backends.mujoco.deeds import slope as deed
from sim_bridge.local import LocalClient
from sim_bridge.spec import ObjectState, Pose

ITEMS = 30
SLOPES = generate(SLOPE, seed=1, pairs=ITEMS).tasks
BUNDLED = {g.slug: [t for t in bundled() if t.subcategory == g.subcategory] for g in dynamics.GENERATORS}
EACH = pytest.mark.parametrize("slug", sorted(BUNDLED))


@EACH
def test_twenty_are_bundled_in_balance_and_playable_without_the_asset_pack(slug: str) -> None:
    assert len(BUNDLED[slug]) == 20
    (row,) = report(BUNDLED[slug])["subcategories"]
    assert row["problems"] == []
    shelf = Catalogue(None)
    for task in BUNDLED[slug]:
        assert assess(task, shelf).missing == []
        assert len(task.views["random_walk"]) == 30 and task.evidence


# --- Inclined Plane ---------------------------------------------------------------------------------------------------


def thing_of(task: Task) -> dict[str, float]:
    (thing,) = (o for o in task.scene.objects if o.category != "ramp")
    return {k: float(v) for k, v in thing.params.items()}


def test_slopes_are_balanced_and_steep_ones_stay_as_often_as_they_slide() -> None:
    assert len(SLOPES) == 2 * ITEMS
    (row,) = report(SLOPES)["subcategories"]
    assert row["problems"] == []
    assert Counter(str(t.gold.accepted[0]) for t in SLOPES) == {"yes": ITEMS, "no": ITEMS}
    steep = Counter(str(t.gold.accepted[0]) for t in SLOPES if float(t.tags["angle_deg"]) > 25)
    assert steep["yes"] == steep["no"] > 0


def test_angles_friction_mass_and_restitution_keep_their_bounds() -> None:
    angles = []
    for task in SLOPES:
        (ramp,) = (o for o in task.scene.objects if o.category == "ramp")
        assert ramp.size_m is not None
        angle = math.degrees(math.atan2(ramp.size_m[2], ramp.size_m[0]))
        angles.append(angle)
        assert 10 <= angle <= 45 and angle == pytest.approx(float(task.tags["angle_deg"]), abs=0.05)
        assert "friction" not in ramp.params  # the thing's own coefficient counts, as the declared model says
        own, tangent = thing_of(task), math.tan(math.radians(angle))
        assert own["restitution"] == RESTITUTION == 0.1
        if task.gold.accepted[0] == "yes":
            assert own["friction"] >= (1 + FRICTION_MARGIN) * tangent - 1e-3
        else:
            assert own["friction"] <= (1 - FRICTION_MARGIN) * tangent + 1e-3
        assert "dry friction" in task.gold.derivation
    assert min(angles) < 13 and max(angles) > 40
    assert len({thing_of(t)["friction"] for t in SLOPES}) > ITEMS  # drawn, not fixed
    masses = {thing_of(t)["mass_kg"] for t in SLOPES}
    assert len(masses) > ITEMS / 2


def test_mass_is_shifted_about_the_usual_one_and_the_same_in_both_twins() -> None:
    tasks = {t.task_id: t for t in SLOPES}
    for task in tasks.values():
        (kind,) = (o.category for o in task.scene.objects if o.category != "ramp")
        assert 0.69 <= thing_of(task)["mass_kg"] / MASSES_KG[kind] <= 1.41
        assert thing_of(task)["mass_kg"] == thing_of(tasks[task.twin or ""])["mass_kg"]
        assert thing_of(task)["friction"] != thing_of(tasks[task.twin or ""])["friction"]


def test_the_trial_has_the_published_thresholds() -> None:
    assert (deed.SLID_M, deed.FELL_M, deed.WATCH_S) == (0.03, 0.05, 30 / 60)
    assert dynamics.STAYS_M < deed.SLID_M < dynamics.SLID_M


def test_things_on_slopes_and_in_stacks_are_recognised_and_of_their_size() -> None:
    shelf = Catalogue(None)
    for kind, size in {**SLIDES_M, **FLAT_M, **CURVED_M}.items():
        match = shelf.lookup(kind)
        assert match.grade in ("exact", "alias", "labelled") and match.real_size_m is not None
        ratios = [a / b for a, b in zip(size, match.real_size_m, strict=True)]
        assert max(ratios) / min(ratios) < 3.0, kind


# --- Stacking & Stability ---------------------------------------------------------------------------------------------


def state(handle: str, low: tuple[float, float, float], high: tuple[float, float, float], tilt_deg: float = 0.0) -> ObjectState:
    half = math.radians(tilt_deg) / 2
    x, y, z = ((a + b) / 2 for a, b in zip(low, high, strict=True))
    return ObjectState(
        handle=handle, category="thing", pose=Pose((x, y, z), (math.sin(half), 0.0, 0.0, math.cos(half))), aabb_min_m=low, aabb_max_m=high,
        present=True,
        visible_pixels=0,
    )  # fmt: skip


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
    assert (dynamics.ABOVE_M, dynamics.OVERLAP, dynamics.UPRIGHT) == (0.02, 0.1, 0.9)
    for bound, firm, fallen in zip((0.02, 0.1, 0.9), FIRM, FALLEN, strict=True):
        assert fallen < bound < firm


def test_stacks_accept_all_stable_orders_of_two_or_three_but_never_every_order() -> None:
    counts: Counter[int] = Counter()
    for task in BUNDLED["stack"]:
        asked = task.question.options
        counts[len(asked)] += 1
        orders = {tuple(order) for order in task.gold.accepted}
        every = set(itertools.permutations(asked))
        assert orders < every and len(orders) == len(task.gold.accepted) == int(task.tags["stable_orders"])
        assert task.gold.chance == pytest.approx(len(orders) / len(every))
        assert "bottom to top" in task.question.text and all(w in task.question.text for w in asked)
        assert task.gt_trajectory[-2:] == ("wait", "wait")  # 60 steps of 1/60 s
        assert isinstance(task.first_view, str)
    assert set(counts) == {2, 3}


def test_a_stack_stands_on_one_footprint() -> None:
    for task in BUNDLED["stack"]:
        areas = [o.size_m[0] * o.size_m[1] for o in task.scene.objects if o.size_m is not None]
        assert min(areas) >= dynamics.ALIKE * max(areas)
        assert all(o.category in STACK_WORDS or task.names[o.handle] == o.category.replace("_", " ") for o in task.scene.objects)


# --- in the simulator -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if not gl.available():
        pytest.skip("the software renderer libOSMesa is not installed")
    client = LocalClient(create())
    yield Lab(client)
    client.close()


def test_a_thing_stays_on_one_twin_s_slope_and_slides_on_the_other_s(lab: Lab) -> None:
    steep = [t for t in BUNDLED["slope"] if float(t.tags["angle_deg"]) > 25][:2]
    golds = set()
    for task in steep:
        playing = play(lab, task)
        assert problems(SLOPE, playing) == []
        assert SLOPE.judge is not None and SLOPE.judge(playing) == task.gold.accepted[0]
        golds.add(task.gold.accepted[0])
        assert dynamics.judge_slope(Playing(task, playing.steps[:1])) == "untried"
    assert golds == {"yes", "no"}


def test_a_bundled_stack_stands_and_is_judged_from_bottom_to_top(lab: Lab) -> None:
    task = BUNDLED["stack"][0]
    playing = play(lab, task)
    assert problems(STACK, playing) == []
    assert dynamics.judge_stack(playing) == list(task.gold.accepted[0])
    assert dynamics.judge_stack(Playing(task, playing.steps[:1])) == "fallen"


def test_every_order_is_tried_by_hand(lab: Lab) -> None:
    book = Thing("book", "book", (-0.25, 1.0), FLAT_M["book"], words="book", dynamic=True)
    tin = Thing("tin", "cookie_tin", (0.2, 1.0), FLAT_M["cookie_tin"], words="cookie tin", dynamic=True)
    duck = Thing("duck", "duck", (0.2, 1.0), CURVED_M["duck"], words="toy duck", dynamic=True)
    assert dynamics.stable_orders(lab, [book, tin], HERE) == [(0, 1), (1, 0)]
    assert dynamics.stable_orders(lab, [book, duck], HERE) == [(0, 1)]  # the duck on the book; no book stays on a duck
