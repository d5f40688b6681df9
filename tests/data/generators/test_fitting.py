"""Own tasks of Rigid Containment: assignments recomputed from the document, shapes, layouts, and what trying shows."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from data.generators import fitting
from data.generators.balance import report
from data.generators.fitting import ALL, BOX_INSIDE, BOX_RIM, FIT, LAYOUTS, ONE, ROOM, SHAPES, TOO_LARGE
from data.generators.framework import Rejected, generate, problems
from data.generators.lab import Lab, Playing, play
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Object
from tests.data.generators.recomputing import Floats, base, eye, made_by

BUNDLED = made_by("fit")
DRAFTS = generate(FIT, seed=12, pairs=24).tasks
SHELF = Catalogue(None)


def numbered(number: str) -> Task:
    return next(t for t in DRAFTS if t.task_id.endswith(number))


def parts(task: Task) -> tuple[list[Object], list[Object]]:
    """Things and containers."""
    named = [o for o in task.scene.objects if o.handle in task.names]
    boxes = [o for o in named if task.names[o.handle].split()[0] in ("small", "medium", "large")]
    return [o for o in named if o not in boxes], boxes


def inside(box: Object) -> Floats:
    """Inner extents, by the catalogue's model."""
    cavity = SHELF.model(SHELF.lookup(box.category)).normalised(box.size_m).cavity
    assert cavity is not None and cavity.half is not None
    found: Floats = np.abs(cavity.matrix) @ np.array(cavity.half) * 2
    return found


def goes_in(load: list[Floats], room: Floats) -> bool:
    """Whether upright boxes go into another, in rows along one side or piled up."""
    if any((size > room).any() for size in load):
        return False
    return bool((np.sum(load, axis=0) <= room).any())


@pytest.mark.parametrize("task", [*BUNDLED, *DRAFTS], ids=lambda t: t.task_id)
def test_extents_leave_exactly_one_assignment_and_it_is_the_gold(task: Task) -> None:
    ask = task.question.ask
    things, boxes = parts(task)
    sizes = [np.array(o.size_m) for o in things]
    rooms = [inside(b) for b in boxes]
    ways = []
    for way in itertools.product(range(3), repeat=len(things)):
        loads = [[s for s, w in zip(sizes, way, strict=True) if w == b] for b in range(3)]
        if all(goes_in(load, room) for load, room in zip(loads, rooms, strict=True) if load):
            ways.append({task.names[t.handle]: task.names[boxes[w].handle] for t, w in zip(things, way, strict=True)})
    assert len(ways) == 1 and ask is not None
    gold = task.gold.accepted[0]
    assert gold == ways[0] if ask.what == ALL else gold == ways[0][task.names[ask.things[0]]]
    for size, room in itertools.product(sizes, rooms):
        ratios = room[:2] / size[:2]
        assert ratios.min() > ROOM - 0.02 or ratios.max() < 1 / TOO_LARGE + 0.02  # it fits with room, or is clearly too large


@pytest.mark.parametrize("task", DRAFTS, ids=lambda t: t.task_id)
def test_what_changes_size_looks_the_same_from_the_start(task: Task) -> None:
    twin = next(t for t in DRAFTS if t.task_id == task.twin)
    moved = 0
    for one, other in zip(task.scene.objects, twin.scene.objects, strict=True):
        assert one.size_m and other.size_m and one.category == other.category
        a, b = base(one)[:2] - eye(task)[:2], base(other)[:2] - eye(twin)[:2]
        assert one.size_m[0] / np.linalg.norm(a) == pytest.approx(other.size_m[0] / np.linalg.norm(b), rel=1e-3)
        moved += bool(np.linalg.norm(a - b) > 0.05)
    assert moved == 2 and len(task.gt_trajectory) <= 19


def test_questions_shapes_layouts_and_wordings_vary() -> None:
    asks = Counter(t.question.ask.what for t in DRAFTS if t.question.ask)
    assert asks == {ONE: 24, ALL: 24}
    assert {t.tags["shape"] for t in DRAFTS} == set(SHAPES) and {t.tags["layout"] for t in DRAFTS} == set(LAYOUTS)
    assert len({t.tags["wording"] for t in DRAFTS}) == 3
    assert sum(eye(t)[2] > 0.7 for t in DRAFTS) >= 12  # on a table
    of_one = [t for t in DRAFTS if t.question.form == "choice"]
    places = Counter(t.question.options.index(str(t.gold.accepted[0])) for t in of_one)
    assert set(places.values()) == {8}
    of_all = [t for t in DRAFTS if t.question.form == "assignment"]
    assert all(t.gold.chance == pytest.approx((1 / 3) ** 4) and len(t.question.targets) == 3 for t in of_all)
    (row,) = report([t for t in DRAFTS if int(t.task_id.rsplit("-", 1)[1][:3]) <= 12])["subcategories"]
    assert row["problems"] == []


def test_boxes_have_the_catalogues_inner_shape() -> None:
    for kind, shares in BOX_INSIDE.items():
        match = SHELF.lookup(kind)
        model = SHELF.model(match)
        assert model.cavity is not None and model.cavity.half is not None and match.real_size_m is not None
        found = [2 * float(h) / s for h, s in zip(model.cavity.half, match.real_size_m, strict=True)]
        assert found == pytest.approx(shares, abs=0.01)
        rim = float(model.cavity.offset[2]) + float(model.cavity.half[2]) - float(model.bounds[0][2])
        assert rim / match.real_size_m[2] == pytest.approx(BOX_RIM[kind], abs=0.01)
    for task in BUNDLED:
        assert assess(task, SHELF).missing == [] and len(task.views["random_walk"]) == 30 and task.evidence


def test_without_what_fills_the_large_container_more_than_one_assignment_works() -> None:
    shape = SHAPES["boxy"]
    rooms = [fitting.inside_m(shape, level) for level in range(3)]
    fitting._only_one_way([fitting.thing_m(shape, level) for level in (0, 1, 2, 2)], rooms, [0, 1, 2, 2])
    with pytest.raises(Rejected, match="not exactly one assignment works"):
        fitting._only_one_way([fitting.thing_m(shape, level) for level in (0, 1, 2)], rooms, [0, 1, 2])


def test_what_lies_next_to_the_gold_is_tried(lab: Lab) -> None:
    """A thing that is made small enough for the container below its own is caught."""
    task = numbered("012a")
    assert fitting.tried(lab, task) == []
    medium = sorted(parts(task)[1], key=lambda o: o.size_m or ())[1]
    wide = tuple(replaced(o, 1.3) if o.handle == medium.handle else o for o in task.scene.objects)
    scene = task.scene.__class__(**{**{f: getattr(task.scene, f) for f in task.scene.__struct_fields__}, "objects": wide})
    assert "a thing fits into the container below its own" in fitting.tried(lab, task.model_copy(update={"scene": scene}))


def replaced(o: Object, factor: float) -> Object:
    assert o.size_m is not None
    x, y, z = o.size_m
    return o.__class__(**{**{f: getattr(o, f) for f in o.__struct_fields__}, "size_m": (x * factor, y * factor, z * factor)})


@pytest.mark.parametrize(("number", "form"), [("004a", "choice"), ("012a", "assignment")])
def test_smaller_containers_refuse_and_everything_goes_in(number: str, form: str, lab: Lab) -> None:
    task = numbered(number)
    assert task.question.form == form and any(e.kind == "failed" for e in task.evidence)
    playing = play(lab, task, pictures=False)
    assert problems(FIT, playing) == []
    steps = tuple(s for s in playing.steps if s.ok)
    assert fitting.judge_fit(Playing(task, steps)) == "a smaller container was not tried"
    early = tuple(replace(s) for s in playing.steps[:-4])
    assert fitting.judge_fit(Playing(task, early)) == "not everything is inside"
