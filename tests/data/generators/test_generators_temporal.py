"""Own tasks of Temporal Understanding: what the boxes hold at two visits, and items in the simulator."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace

import msgspec
import pytest

from data.generators import temporal
from data.generators.balance import report
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.temporal import CHANGE, CONTENTS, FORMS, HAPPENED
from data.task import Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.kinematics import angles_deg
from sim_bridge.spec import Object

ITEMS = 30
CHANGES = generate(CHANGE, seed=1, pairs=ITEMS).tasks
TWINS = {t.task_id: t for t in CHANGES}


def first_ten(tasks: list[Task]) -> list[Task]:
    """What the bundle has."""
    return [t for t in tasks if int(t.task_id.split("-")[-1][:3]) <= 10]


# --- Unobserved Change ------------------------------------------------------------------------------------------------


def held(task: Task) -> list[dict[str, set[str]]]:
    """Per visit: words of a box → the categories in it, from the document."""
    assert task.question.ask is not None
    boxes = {h: task.names[h] for h in task.question.ask.things}
    where = {o.handle: o for o in task.scene.objects}

    def box_of(thing: Object) -> str:
        return min(boxes, key=lambda h: math.dist(where[h].pose.position_m[:2], thing.pose.position_m[:2]))

    visits: list[dict[str, set[str]]] = []
    for phase in task.scene.phases:
        found: dict[str, set[str]] = {w: set() for w in boxes.values()}
        for o in task.scene.objects:
            if o.handle not in boxes and o.handle not in phase.hidden:
                found[boxes[box_of(o)]].add(o.category)
        visits.append(found)
    return visits


def test_golds_follow_from_what_the_boxes_hold() -> None:
    assert len(CHANGES) == 2 * ITEMS
    for task in CHANGES:
        before, after = held(task)
        assert all(len(v) <= 1 for v in (*before.values(), *after.values()))
        changed = [w for w in before if before[w] != after[w]]
        gold = task.gold.accepted[0]
        if task.tags["form"] == "detect":
            assert gold == ("yes" if changed else "no")
        elif task.tags["form"] == "which":
            assert changed == [gold] and len(before) == 3
        else:
            (was,), (now,) = before.values(), after.values()
            assert gold == ("no change" if was == now else "add" if not was else "remove" if not now else "replace")


def test_all_three_forms_come_and_the_golds_of_each_are_balanced() -> None:
    for tasks in (CHANGES, first_ten(CHANGES)):
        golds: dict[str, Counter[str]] = defaultdict(Counter)
        for t in tasks:
            golds[t.tags["form"]][str(t.gold.accepted[0])] += 1
        assert {form: len(found) for form, found in golds.items()} == {"detect": 2, "which": 3, "identify": 4}
        assert all(len(set(found.values())) == 1 for found in golds.values())
    assert Counter(FORMS) == {"detect": 3, "which": 3, "identify": 4}


def test_an_empty_box_at_the_first_visit_decides_nothing() -> None:
    golds = {t.gold.accepted[0] for t in CHANGES if t.tags["form"] == "identify" and not any(held(t)[0].values())}
    assert golds == {"add", "no change"}
    golds = {t.gold.accepted[0] for t in CHANGES if t.tags["form"] == "identify" and any(held(t)[0].values())}
    assert golds == {"replace", "remove", "no change"}


def test_every_visit_can_be_looked_at_within_its_share_of_the_budget() -> None:
    for task in CHANGES:
        (one,) = task.gt_phase_starts
        for phase, actions in zip(task.scene.phases, (one, len(task.gt_trajectory) - one), strict=True):
            assert actions + 1 <= phase.budget_share * task.budget
        assert len(task.scene.phases) == 2 and sum(p.budget_share for p in task.scene.phases) == 1


def test_nothing_lies_in_a_box_of_its_own_colour() -> None:
    for task in (t for t in CHANGES if t.tags["form"] == "which"):
        for visit in held(task):
            for words, categories in visit.items():
                assert not categories & set(temporal.SAME_COLOUR[words.split()[0]])


def test_boxes_stand_in_every_order() -> None:
    orders = set()
    for task in (t for t in generate(CHANGE, seed=2, pairs=100).tasks if t.tags["form"] == "which"):
        forward = math.radians(angles_deg(task.start.quaternion_xyzw)[0])
        right = (math.cos(forward), math.sin(forward))
        boxes = [o for o in task.scene.objects if task.names.get(o.handle, "").endswith("box")]
        boxes.sort(key=lambda o: o.pose.position_m[0] * right[0] + o.pose.position_m[1] * right[1])
        orders.add(tuple(task.names[o.handle] for o in boxes))
    assert len(orders) == 6


# --- the set -------------------------------------------------------------------------------------------------------------


def test_sets_are_balanced() -> None:
    for tasks in (CHANGES, first_ten(CHANGES)):
        (row,) = report(tasks)["subcategories"]
        assert row["problems"] == [], row


def test_sizes_are_the_catalogues() -> None:
    shelf = Catalogue(None)
    for category, size in CONTENTS.items():
        match = shelf.lookup(category)
        assert match.grade in ("exact", "alias") and match.real_size_m == pytest.approx(size, abs=0.002), category


# --- in the simulator -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ("which", "identify"))
def test_looking_into_the_boxes_twice_tells(form: str, lab: Lab) -> None:
    one = next(t for t in CHANGES if t.tags["form"] == form and t.tags["layout"].endswith(("box", "boxes")) and any(held(t)[1].values()))
    played = play(lab, one, pictures=False)
    assert problems(CHANGE, played) == []
    shown = played.first.visible
    assert set(one.names) <= set(shown) and not (set(shown) - set(one.names))
    # The judge goes by what the simulator says of the second visit, not by the document.
    last = played.last.state
    assert last is not None and any(r.kind == "inside" for r in last.relations)
    places = [o for o in last.objects if o.handle in one.names]
    emptied = replace(played.last, state=msgspec.structs.replace(last, objects=places))
    assert temporal.judge_change(Playing(one, (*played.steps[:-1], emptied))) != temporal.judge_change(played)


def test_happenings_are_the_options() -> None:
    assert {t.question.options for t in CHANGES if t.tags["form"] == "identify"} == {HAPPENED}
