"""Own tasks of Physical Structure: what fits where, what lies under a cloth; layouts, then the simulator."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from data.generators import physical_structure as structure
from data.generators.balance import position, report
from data.generators.framework import Rejected, generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.physical_structure import (
    ALIKE,
    BOX_INSIDE,
    COVER,
    COVERED,
    FIT,
    FIT_ACTIONS,
    NAMES,
    PARCELS,
    ROOM,
    TOO_LARGE,
)
from data.generators.registry import bundled
from data.playable import assess
from data.task import Task
from sim_bridge.backends.mujoco.catalogue import Catalogue
from sim_bridge.spec import Vec3

ITEMS = 30
DRAFTS = {g.slug: generate(g, seed=1, pairs=ITEMS).tasks for g in structure.GENERATORS}
BUNDLED = {g.slug: [t for t in bundled() if t.subcategory == g.subcategory] for g in structure.GENERATORS}
EACH = pytest.mark.parametrize("slug", sorted(DRAFTS))


def extents(task: Task) -> dict[str, Vec3]:
    """Words (or the category of what has none) → true extents."""
    return {task.names.get(o.handle, o.category): o.size_m for o in task.scene.objects if o.size_m is not None}


@EACH
def test_every_draft_comes_out_within_the_budget_and_in_balance(slug: str) -> None:
    assert len(DRAFTS[slug]) == 2 * ITEMS
    assert all(len(t.gt_trajectory) <= 29 for t in DRAFTS[slug])
    places = Counter(position(t) for t in DRAFTS[slug])
    assert max(places.values()) - min(places.values()) <= 2 and len(places) == len(DRAFTS[slug][0].question.options)
    (row,) = report([t for t in DRAFTS[slug] if int(t.task_id.split("-")[2][:3]) <= 10])["subcategories"]
    assert row["problems"] == []


@EACH
def test_twenty_are_bundled_in_balance_and_playable_without_the_asset_pack(slug: str) -> None:
    assert len(BUNDLED[slug]) == 20
    (row,) = report(BUNDLED[slug])["subcategories"]
    assert row["problems"] == []
    shelf = Catalogue(None)
    for task in BUNDLED[slug]:
        assert assess(task, shelf).missing == []
        assert len(task.views["random_walk"]) == 30 and task.evidence


# --- Rigid Containment ------------------------------------------------------------------------------------------------


def test_boxes_have_the_catalogues_inner_shape() -> None:
    shelf = Catalogue(None)
    for kind, shares in BOX_INSIDE.items():
        match = shelf.lookup(kind)
        cavity = shelf.model(match).cavity
        assert cavity is not None and cavity.half is not None and match.real_size_m is not None
        found = [2 * float(h) / s for h, s in zip(cavity.half, match.real_size_m, strict=True)]
        assert found == pytest.approx(shares, abs=0.01)


def test_three_or_four_objects_two_for_the_large_container_and_sometimes_none_for_the_small() -> None:
    seen: Counter[tuple[int, ...]] = Counter()
    for task in DRAFTS["fit"]:
        things = [v for w, v in extents(task).items() if w not in task.question.options]
        levels = tuple(sorted(round(_level(v)) for v in things))
        assert levels in ((0, 1, 2, 2), (1, 2, 2))
        seen[levels] += 1
        assert sorted(task.question.options) == sorted(f"{n} {task.question.options[0].split(' ', 1)[1]}" for n in NAMES)
    assert seen[(0, 1, 2, 2)] > seen[(1, 2, 2)] > 0


def _level(size: Vec3) -> float:
    import math

    return math.log(size[0] / structure.WIDTH_M) / math.log(structure.STEP)


def test_extents_leave_exactly_one_assignment_with_a_margin() -> None:
    for task in DRAFTS["fit"]:
        sizes = extents(task)
        kind = next(o.category for o in task.scene.objects if o.category in BOX_INSIDE)
        room = {w: tuple(s * k for s, k in zip(sizes[w], BOX_INSIDE[kind], strict=True)) for w in task.question.options}
        things = {w: v for w, v in sizes.items() if w not in room}
        for thing, box in itertools.product(things.values(), room.values()):
            ratios = [b / t for t, b in zip(thing[:2], box[:2], strict=True)]
            assert min(ratios) > ROOM - 0.01 or max(ratios) < 1 / TOO_LARGE + 0.01  # it fits with room, or is clearly too large
        ways = [w for w in itertools.product(room, repeat=len(things)) if _all_fit(dict(zip(things, w, strict=True)), things, room)]
        assert len(ways) == 1
        assert task.question.ask is not None
        asked = task.names[task.question.ask.things[0]]
        assert dict(zip(things, ways[0], strict=True))[asked] == task.gold.accepted[0]


def _all_fit(way: dict[str, str], things: dict[str, Vec3], room: dict[str, tuple[float, ...]]) -> bool:
    for box, (x, y, z) in ((b, room[b]) for b in room):
        load = [things[t] for t, into in way.items() if into == box]
        if any(t[0] > x or t[1] > y for t in load):
            return False
        flat = sum(t[0] for t in load) <= x or sum(t[1] for t in load) <= y
        if not flat and sum(t[2] for t in load) > z:
            return False
    return True


def test_what_changes_size_looks_the_same_from_the_start() -> None:
    tasks = {t.task_id: t for t in DRAFTS["fit"]}
    for task in tasks.values():
        for one, other in zip(task.scene.objects, tasks[task.twin or ""].scene.objects, strict=True):
            assert one.size_m and other.size_m and one.handle == other.handle
            assert one.size_m[0] / one.pose.position_m[1] == pytest.approx(other.size_m[0] / other.pose.position_m[1], rel=1e-3)
            assert one.pose.position_m[0] / one.pose.position_m[1] == pytest.approx(
                other.pose.position_m[0] / other.pose.position_m[1], abs=1e-3
            )


# --- Deformable -------------------------------------------------------------------------------------------------------


def test_what_lies_under_the_cloth_has_its_bounds() -> None:
    shelf = Catalogue(None)
    for kind, (size, height) in COVERED.items():
        assert shelf.lookup(kind).real_size_m == pytest.approx(size, abs=0.002)
        assert 0.96 * height >= 0.05 and 1.02 * height <= 0.15
    for task in DRAFTS["cloth"]:
        (thing,) = (o for o in task.scene.objects if o.category != "cloth")
        (cloth,) = (o for o in task.scene.objects if o.category == "cloth")
        assert thing.size_m and 0.05 <= thing.size_m[2] <= 0.15
        assert cloth.size_m and max(cloth.size_m) <= 0.50
        assert task.scene.camera.hfov_deg == 70.0
        assert thing.handle not in task.names and task.names == {cloth.handle: "cloth"}
        unseen = {e.step for e in task.evidence if e.kind == "unseen" and e.handle == thing.handle}
        assert unseen == set(range(len(task.gt_trajectory) + 1))  # never a pixel of it, in view 0 least of all


def test_the_options_under_the_cloth_are_two_alike_pairs() -> None:
    seen: Counter[str] = Counter()
    for task in DRAFTS["cloth"]:
        options = {o.replace(" ", "_") for o in task.question.options}
        pairs = [p for p in ALIKE if set(p) <= options]
        assert len(options) == 4 and len(pairs) == 2
        golds = {str(t.gold.accepted[0]).replace(" ", "_") for t in DRAFTS["cloth"] if t.task_id in (task.task_id, task.twin)}
        assert golds in [set(p) for p in pairs]
        seen[str(task.gold.accepted[0])] += 1
    assert len(set(seen.values())) == 1 and len(seen) == len(COVERED)


# --- in the simulator -------------------------------------------------------------------------------------------------


def test_smaller_containers_refuse_and_everything_goes_in(lab: Lab) -> None:
    task = next(t for t in BUNDLED["fit"] if str(t.gold.accepted[0]).startswith("medium"))
    playing = play(lab, task)
    assert problems(FIT, playing) == []
    refused = [i for i, s in enumerate(playing.steps) if not s.ok]
    steps = tuple(s for i, s in enumerate(playing.steps) if i not in refused)
    assert structure.judge_fit(Playing(task, steps)) == "a smaller container was not tried"
    assert structure.judge_fit(Playing(task, playing.steps[:-4])) == "not everything is inside"


def test_without_what_fills_the_large_container_more_than_one_assignment_works(lab: Lab) -> None:
    pair = structure.fit(random.Random("loose"), 4, None)
    first = pair.halves[0]
    assert len(first.things) == 6 and structure.nothing_small(4)
    fewer = replace(first, things=tuple(t for t in first.things if t.key != "third"), evidence=(), path=())
    with pytest.raises(Rejected, match="more than one assignment works"):
        structure._only_one_way(lab, replace(pair, halves=(fewer,), first_view="tried", actions=FIT_ACTIONS))


def test_a_settled_cloth_hides_the_thing_in_every_view(lab: Lab) -> None:
    task = BUNDLED["cloth"][0]
    playing = play(lab, task)
    assert problems(COVER, playing) == []
    (thing,) = task.essential
    assert all(s.visible.get(thing, 0) == 0 for s in playing.steps)
    state = playing.first.state
    assert state is not None
    away = tuple(o if o.category == "cloth" else msgspec.structs.replace(o, aabb_max_m=(*o.aabb_max_m[:2], 0.2)) for o in state.objects)
    taller = replace(
        playing.first,
        state=state.model_copy(update={"objects": away}) if hasattr(state, "model_copy") else msgspec.structs.replace(state, objects=away),
    )
    assert structure.judge_cover(Playing(task, (taller, *playing.steps[1:]))) == "its height is out of bounds"


def test_everything_that_may_be_put_away_is_recognised() -> None:
    shelf = Catalogue(None)
    assert {shelf.lookup(k).grade for k in (*PARCELS, *BOX_INSIDE, *COVERED)} <= {"exact", "alias", "labelled"}
