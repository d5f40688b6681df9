"""Own tasks of Liquid Volume: capacities recomputed from the document, how vessels look, and what pouring shows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.volumes import FAMILIES, LAYOUTS, LEAST, VESSELS, VOLUME
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import liquid
from tests.data.generators.recomputing import asked, base, eye, made_by

BUNDLED = made_by("volume")
DRAFTS = generate(VOLUME, seed=12, pairs=18).tasks
SHELF = Catalogue(None)


def capacity_ml(category: str, size: tuple[float, float, float]) -> float:
    """By Simpson's rule over the profile of the model's inside, scaled to the size."""
    cavity = SHELF.model(SHELF.lookup(category)).normalised(size).cavity
    assert cavity is not None
    z, r = np.array(cavity.profile, float).T
    at = np.linspace(z[0], z[-1], 4001)
    areas = np.pi * np.interp(at, z, r) ** 2
    local = (at[1] - at[0]) / 3 * (areas[0] + areas[-1] + 4 * areas[1:-1:2].sum() + 2 * areas[2:-1:2].sum())
    return float(local * abs(np.linalg.det(cavity.matrix)) * 1e6)


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_the_gold_is_the_greater_or_lesser_capacity(task: Task) -> None:
    ask = task.question.ask
    assert ask is not None
    held = {task.names[o.handle]: capacity_ml(o.category, o.size_m) for o in asked(task) if o.size_m}
    small, large = sorted(held, key=lambda w: held[w])
    assert task.gold.accepted[0] == {"larger_volume": large, "smaller_volume": small}[ask.what]
    assert held[large] >= 1.24 * held[small]
    if task in DRAFTS:
        assert held[large] <= 1.5 * held[small]


@pytest.mark.parametrize("task", DRAFTS, ids=lambda t: t.task_id)
def test_in_both_twins_each_vessel_looks_as_large(task: Task) -> None:
    twin = next(t for t in DRAFTS if t.task_id == task.twin)
    for one, other in zip(asked(task), asked(twin), strict=True):
        assert one.size_m and other.size_m
        far = [np.linalg.norm(base(o)[:2] - eye(t)[:2]) for o, t in ((one, task), (other, twin))]
        assert one.size_m[2] / far[0] == pytest.approx(other.size_m[2] / far[1], rel=1e-3)
    assert not any({o.category for o in asked(task)} <= set(family) for family in FAMILIES)
    assert len(task.gt_trajectory) <= 19


def test_layouts_wordings_vessels_and_what_is_poured_vary() -> None:
    assert {t.tags["layout"] for t in DRAFTS} == set(LAYOUTS) and len({t.tags["wording"] for t in DRAFTS}) == 3
    assert len({o.category for t in DRAFTS for o in asked(t)}) >= 12
    assert {round(base(asked(t)[0])[2], 2) for t in DRAFTS} >= {0.0, 0.74}
    poured = Counter((t.tags["poured"], t.tags["looks"]) for t in DRAFTS)
    assert len(poured) == 4 and min(poured.values()) >= 6
    (row,) = report(DRAFTS)["subcategories"]
    assert row["problems"] == []


def test_capacities_are_those_measured_by_filling() -> None:
    measured = {}
    for kind, (size, ml) in VESSELS.items():
        match = SHELF.lookup(kind)
        assert match.real_size_m == pytest.approx(size, abs=0.002) and match.grade == "exact"
        cavity = SHELF.model(match).normalised(size).cavity
        assert cavity is not None
        vessel = liquid.basin(cavity)
        assert vessel.capacity_ml == pytest.approx(ml, rel=0.02)
        particle_ml = ml / 110
        measured[kind] = liquid.measured_capacity(vessel, particle_ml, seconds=0.5) * particle_ml / ml
    # Grains fill every vessel to about the same share, so that capacities compare as the fillings do, within the margin.
    assert max(measured.values()) / min(measured.values()) < LEAST, measured


@pytest.mark.parametrize("poured", ["runs over", "leaves room"])
def test_pouring_shows_which_vessel_holds_more(poured: str, lab: Lab) -> None:
    task = next(t for t in BUNDLED if t.tags["poured"] == poured)
    playing = play(lab, task, pictures=False)
    assert problems(VOLUME, playing) == []
    other = next(o for o in task.question.options if o not in task.gold.accepted)
    swapped = task.model_copy(update={"gold": task.gold.model_copy(update={"accepted": (other,)})})
    assert "the simulator does not confirm the gold" in problems(VOLUME, Playing(swapped, playing.steps))
