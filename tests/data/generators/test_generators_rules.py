"""Own tasks without a simulator: twins, balance, margins, ids, budgets, determinism."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.tasks import command
from data.generators import balance, framework, spatial
from data.generators.framework import MAX_ATTEMPTS, Generator, Half, Pair, Rejected, generate
from data.generators.layout import Thing, path_poses
from data.generators.registry import FOLDER, GENERATORS, UnknownGenerator, benchmark, bundled, named
from data.generators.things import SIZES_M
from data.playable import RECOGNISABLE, assess
from data.task import Ask, Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Object
from tests.present import present

TASKS = bundled()
TWINS = {t.task_id: t for t in TASKS}
QUICK = ("size", "distance", "line", "triangle", "contact", "mirror", "counting")
"""Kinds drafted in no time and without a simulator."""
PAIRS = [(t, TWINS[t.twin]) for t in TASKS if t.twin and t.task_id.endswith("a")]


def where(task: Task) -> dict[str, Object]:
    return {o.handle: o for o in task.scene.objects}


def test_there_are_enough_and_the_practice_task_comes_first() -> None:
    assert len(PAIRS) >= 8 and len({t.subcategory for t in TASKS}) >= 5
    assert TASKS[0].tags == {"practice": "yes"} and TASKS[0].twin is None
    assert [t.content_hash for t in TASKS] == [t.content_hash for t in bundled()]


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=[a.task_id[:-1] for a, _ in PAIRS])
def test_twins_differ_in_gold_and_in_nothing_else_that_is_shown(a: Task, b: Task) -> None:
    assert a.gold.accepted != b.gold.accepted
    assert b.twin == a.task_id
    assert a.question == b.question
    assert a.names == b.names
    assert (a.actions, a.budget, a.start, a.scene.room, a.scene.camera) == (b.actions, b.budget, b.start, b.scene.room, b.scene.camera)
    assert [(p.name, p.budget_share) for p in a.scene.phases] == [(p.name, p.budget_share) for p in b.scene.phases]
    assert {a.tags["looks"], b.tags["looks"]} in ({"congruent", "incongruent"}, {"neutral"})


def test_every_subcategory_is_balanced() -> None:
    filed = {g.subcategory for g in GENERATORS if list(FOLDER.glob(f"own-{g.slug}-*.json"))}
    rows = balance.report(benchmark())["subcategories"]
    assert {r["subcategory"]: r["problems"] for r in rows if r["subcategory"] in filed and r["problems"]} == {}
    assert {r["subcategory"]: r["tasks"] for r in rows if r["tasks"] < 20} == {} and len(filed) >= 25


def test_the_bundle_is_as_large_and_as_various_as_its_page_says() -> None:
    tasks = {t.task_id: t for t in benchmark()}
    kinds: dict[tuple[str, str], list[Task]] = {}
    for task in tasks.values():
        kinds.setdefault((task.category, task.subcategory), []).append(task)
    assert len(tasks) >= 600 and set(kinds) == {(g.category, g.subcategory) for g in GENERATORS} and len(kinds) == 29
    for kind, some in kinds.items():
        assert len(some) >= 20, kind
        assert len({t.tags["layout"] for t in some}) >= 3 and len({(present(t.question.ask).what, t.tags["wording"]) for t in some}) >= 3, (
            kind
        )
        assert all(t.twin is not None and tasks[t.twin].twin == t.task_id for t in some), kind
        assert all(3 * (len(t.gt_trajectory) + 1) <= 2 * t.budget for t in some), kind
    assert len({t.scene.room.kind for t in tasks.values() if t.scene.house is None}) >= 8


def test_polarities_come_equally_often() -> None:
    kinds: dict[str, Counter[str]] = {}
    for task in (t for t in TASKS if "polarity" in t.tags):
        kinds.setdefault(task.subcategory, Counter())[task.tags["polarity"]] += 1
    assert kinds and all(len(c) == 2 and len(set(c.values())) == 1 for c in kinds.values()), kinds


def test_which_twin_is_called_a_says_nothing_about_the_gold() -> None:
    drafts = [t for g in GENERATORS if g.slug in QUICK for t in generate(g, seed=3, pairs=30).tasks]
    for tasks in (drafts, [t for t in TASKS if t.twin]):
        yes = Counter(t.task_id[-1] for t in tasks if t.gold.accepted[0] == "yes")
        assert len(yes) == 2 and min(yes.values()) > 0.35 * sum(yes.values()), yes
        congruent = Counter(t.task_id[-1] for t in tasks if t.tags["looks"] == "congruent")
        assert len(congruent) == 2 and min(congruent.values()) > 0.35 * sum(congruent.values()), congruent


def test_handles_do_not_follow_the_gold() -> None:
    tasks = generate(named("Spatial Distance")[0], seed=5, pairs=40).tasks
    low = [min(t.names, key=lambda h: int(h.split("_")[1])) for t in tasks]
    right = sum(t.names[h] == t.gold.accepted[0] for t, h in zip(tasks, low, strict=True))
    assert 0.15 < right / len(tasks) < 0.5  # one of three named things


@pytest.mark.parametrize("task", TASKS, ids=[t.task_id for t in TASKS])
def test_trajectories_fit_the_budget_and_stay_in_the_room(task: Task) -> None:
    assert 0 < len(task.gt_trajectory) <= task.budget - 1
    x0, y0, x1, y1 = task.scene.room.bounds_m
    parts = [task.gt_trajectory]
    if task.scene.phases:
        (split,) = task.gt_phase_starts
        parts = [task.gt_trajectory[:split], task.gt_trajectory[split:]]
        assert max(map(len, parts)) <= task.budget * task.scene.phases[0].budget_share - 1
    for pose in (p for part in parts for p in path_poses(task.start, part, task.scene.camera)):
        x, y, z = pose.position_m
        assert x0 + 0.2 < x < x1 - 0.2 and y0 + 0.2 < y < y1 - 0.2 and 0.01 <= z <= task.scene.room.height_m - 0.2


def test_everything_is_recognisable_without_the_asset_pack() -> None:
    shelf = Catalogue(None)
    for task in TASKS:
        assert assess(task, shelf).missing == [], task.task_id
        for thing in task.scene.objects:
            assert shelf.lookup(thing.category).grade in RECOGNISABLE, thing.category


def test_sizes_of_the_table_are_the_catalogues() -> None:
    shelf = Catalogue(None)
    for category, size in SIZES_M.items():
        assert shelf.lookup(category).real_size_m == pytest.approx(size, rel=0.06), category


def test_the_larger_one_is_larger_by_its_margin() -> None:
    for task in (t for t in TASKS if t.subcategory == "Dimensional Size"):
        sizes = {w: where(task)[h].size_m for h, w in task.names.items() if " near the " in w}
        (one, a), (other, b) = sorted(sizes.items(), key=lambda item: item[1] or ())
        assert a and b and 1.2 <= b[2] / a[2] <= 1.31
        wanted = other if task.tags["polarity"] == "larger" else one
        assert wanted.endswith(str(task.gold.accepted[0]))


def test_golds_of_layouts_follow_from_where_things_stand() -> None:
    for task in (t for t in TASKS if t.category == "Spatial Relations"):
        assert task.question.ask is not None
        objects = [where(task)[h] for h in task.question.ask.things]
        things = [Thing(o.handle, o.category, o.pose.position_m[:2], (0.1, 0.1, 0.1)) for o in objects]
        if task.subcategory == "Linear Alignment":
            middle = min(range(3), key=lambda i: sum(math.dist(things[i].xy, t.xy) for t in things))
            ends = [t for i, t in enumerate(things) if i != middle]
            off = spatial._off_line([ends[0], things[middle], ends[1]])
            assert off < 0.002 if task.gold.accepted[0] == "yes" else 0.15 <= off <= 0.3
        elif task.subcategory == "Geometric Configuration":
            assert spatial.triangle_kind(things) == task.gold.accepted[0]
        else:
            front, back = objects  # one behind the other, along one of the two axes
            assert front.size_m and back.size_m
            gap = max(abs(a - b) for a, b in zip(front.pose.position_m[:2], back.pose.position_m[:2], strict=True))
            gap -= front.size_m[1] / 2 + back.size_m[1] / 2
            assert -0.002 < gap <= 0 if task.gold.accepted[0] == "yes" else gap > 0.05


def test_counts_are_the_number_of_things() -> None:
    for task in (t for t in TASKS if t.category == "Enumerative Perception"):
        kinds = Counter(o.category for o in task.scene.objects)
        assert task.question.ask is not None
        assert str(kinds[task.question.ask.category]) == task.gold.accepted[0]


def test_a_generator_that_cannot_place_its_things_says_which_rule_failed_and_moves_on() -> None:
    def never(numbers: object, number: int) -> Pair:
        raise Rejected("no room")

    result = generate(Generator("never", "Spatial Relations", "Physical Contact", never, "none", {}), seed=1, pairs=2)
    assert result.tasks == [] and result.rejected == {"no room": 2 * MAX_ATTEMPTS}


def test_rules_common_to_all_reject_bad_pairs() -> None:
    def pair(*things: Thing, golds: tuple[str, str] = ("yes", "no"), path: int = 3) -> Pair:
        halves = (Half(things, golds[0], "neutral"), Half(things, golds[1], "neutral"))
        return Pair(Ask(what="touching"), "yes_no", ("yes", "no"), halves, 0.1, ("move_up",) * path, "none")

    mug = Thing("a", "mug", (0.0, 1.0), (0.1, 0.1, 0.1))
    framework.check(pair(mug))
    for bad, rule in (
        (pair(mug, golds=("yes", "yes")), "opposite golds"),
        (pair(mug, path=30), "longer than the budget"),
        (pair(Thing("a", "mug", (3.0, 1.0), (0.1, 0.1, 0.1))), "outside the free floor"),
        (pair(mug, Thing("b", "mug", (0.05, 1.0), (0.1, 0.1, 0.1))), "overlap"),
    ):
        with pytest.raises(Rejected, match=rule):
            framework.check(bad)


def test_an_unknown_subcategory_lists_the_known_ones() -> None:
    with pytest.raises(UnknownGenerator, match="Dimensional Size, Spatial Distance"):
        named("Soup")


def test_the_command_writes_one_file_per_task(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["generate", "Linear Alignment", "--count", "1", "--seed", "7", "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0
    files = sorted(p.name for p in tmp_path.iterdir())
    assert files == ["own-line-s7-001a.json", "own-line-s7-001b.json"]
    assert Task.from_json((tmp_path / files[0]).read_text()).provenance.seed == 7
    assert json.loads(result.stdout)["subcategories"][0]["tasks"] == 2
