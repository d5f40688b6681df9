"""Own tasks of Enumerative Perception: what is counted, what the start view hides, and one item of each kind in the simulator."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from data.generators.balance import report
from data.generators.counting import COUNT, EYE_M, KINDS, OPTIONS, SIZES_M, covered, judge, route, thing
from data.generators.enumerative import ALIKE, ENCLOSURES, GENERATORS, STACKED
from data.generators.framework import generate, problems
from data.generators.lab import Lab, Playing, play
from data.generators.layout import Thing
from data.generators.registry import benchmark
from data.generators.things import several
from data.task import Ask, Task
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue

ITEMS = 20
DRAFTS = {g.slug: generate(g, seed=1, pairs=ITEMS).tasks for g in GENERATORS}
EACH = pytest.mark.parametrize("slug", sorted(DRAFTS))


def present(task: Task) -> int:
    """Objects of the category asked for in the document."""
    assert task.question.ask is not None
    return sum(o.category == task.question.ask.category for o in task.scene.objects)


@pytest.mark.parametrize("slug", ["boxed", "counting", "divided"])
def test_something_else_stands_there_whatever_the_count(slug: str) -> None:
    for task in DRAFTS[slug]:
        assert task.question.ask is not None
        kinds = {o.category for o in task.scene.objects if o.handle in task.essential}
        assert len(kinds - {task.question.ask.category}) == 1, task.task_id


@EACH
def test_every_draft_comes_out_and_counts_what_stands_there(slug: str) -> None:
    tasks = DRAFTS[slug]
    assert len(tasks) == 2 * ITEMS
    for task in tasks:
        assert task.gold.accepted == (str(present(task)),)
        options = [int(o) for o in task.question.options]
        assert options == list(range(options[0], options[0] + OPTIONS)) and options[0] >= 1
        assert len(task.gt_trajectory) <= 20 * task.budget // 30 and task.start.position_m[2] == EYE_M


@EACH
def test_twins_differ_by_one_thing_at_a_spot_that_is_hidden_at_first(slug: str) -> None:
    tasks = {t.task_id: t for t in DRAFTS[slug]}
    for task in tasks.values():
        other = tasks[task.twin or ""]
        assert abs(present(task) - present(other)) == 1
        ours, theirs = ({o.handle: o for o in t.scene.objects} for t in (task, other))
        differing = {h for h in ours.keys() | theirs.keys() if ours.get(h) != theirs.get(h)}
        unseen = {e.handle for t in (task, other) for e in t.evidence if e.kind == "unseen" and e.step == 0}
        assert differing and differing <= unseen


@EACH
def test_what_is_seen_at_first_narrows_nothing_down(slug: str) -> None:
    for task in DRAFTS[slug]:
        if slug != "alike":  # there nobody knows at first what is of the kind
            assert int(task.tags["seen_first"]) <= int(task.question.options[0])
    shares = Counter(
        (int(t.question.options[0]) - int(t.tags["seen_first"]), t.question.options.index(str(t.gold.accepted[0]))) for t in DRAFTS[slug]
    )
    if slug in ("stacked", "boxed"):  # the least option is what is seen, whatever the gold
        assert {d for d, _ in shares} == {0} and set(shares.values()) == {ITEMS // 2}


@EACH
def test_ranks_kinds_and_questions_are_balanced(slug: str) -> None:
    (row,) = report(DRAFTS[slug])["subcategories"]
    assert [p for p in row["problems"] if not p.startswith("the question alone")] == []
    assert row["question_only"] <= row["majority"] + 2 * (0.25 * 0.75 / len(DRAFTS[slug])) ** 0.5  # as far as chance goes


def test_look_alikes_come_in_varied_shares() -> None:
    shares = {present(t) / len(t.essential) for t in DRAFTS["alike"]}
    assert len(shares) >= 5 and min(shares) < 0.3 and max(shares) > 0.6


def test_some_closed_boxes_are_empty_and_some_are_not() -> None:
    for task in DRAFTS["boxed"]:
        boxes = [o for o in task.scene.objects if o.category in ENCLOSURES]
        assert len(boxes) == 4 and not any(o.params.get("open") for o in boxes)
        assert sum(a.startswith("open(") for a in task.gt_trajectory) == 4
        assert {"open", "close"} <= set(task.actions)


def test_things_are_small_known_and_of_their_real_size() -> None:
    shelf = Catalogue(None)
    for category in {*KINDS, *STACKED, *(c for pair in ALIKE for c in pair)}:
        match, size = shelf.lookup(category), SIZES_M[category]
        assert match.grade in ("exact", "alias")
        assert max(size) <= 0.25 and max(size) >= 0.05
        if category == "wooden_box":  # the same shape, smaller
            assert match.real_size_m
            ratios = [a / b for a, b in zip(size, match.real_size_m, strict=True)]
            assert max(ratios) - min(ratios) < 0.01
        else:
            assert match.real_size_m == pytest.approx(size, abs=0.002)
    for category, (size, floor) in ENCLOSURES.items():
        match = shelf.lookup(category)
        assert match.real_size_m == pytest.approx(size, abs=0.002)
        cavity = shelf.model(match).cavity
        assert cavity is not None and cavity.half is not None
        assert 0.0 < floor - (cavity.offset[2] - cavity.half[2]) < 0.005  # a little air above the inner floor


def test_a_box_hides_what_is_wholly_behind_it_and_nothing_else() -> None:
    box = Thing("box", "packing_box", (0.0, 1.5), (0.4, 0.24, 0.44))
    assert covered(thing("a", "mug", (0.0, 1.75)), box)
    for xy in ((0.0, 1.25), (0.25, 1.75), (0.0, 2.6), (1.0, 1.75)):
        assert not covered(thing("a", "mug", xy), box), xy
    low = replace(box, size_m=(0.4, 0.24, 0.05))
    assert not covered(thing("a", "mug", (0.0, 1.75)), low)


def test_a_route_stops_at_the_end_of_each_leg() -> None:
    way = route("up 1, forward 4, tilt 4", "open({box}), right 2")
    assert len(way.path) == 12 and way.stops == (9, 12)
    assert way.path[9] == "open({box})"
    assert way.nearest((-1.0, 1.0)) == 9 and way.nearest((1.0, 1.0)) == 12


def test_the_question_names_its_category() -> None:
    ask = Ask(what="count", category="tennis_ball")
    assert COUNT[0](ask, {}, ()) == "How many tennis balls are there in this room?"


def test_what_is_counted_is_said_in_the_plural() -> None:
    said = {t.question.ask.category: several(t.question.ask.category) for t in benchmark() if t.question.ask and t.question.ask.category}
    assert set(said.values()) <= {
        "apples", "basketballs", "bowls", "buckets", "buns", "cans", "gift boxes", "globes", "goblets", "hourglasses", "jewelry boxes",
        "jugs", "kettles", "kiwis", "lanterns", "lemons", "mugs", "oranges", "peaches", "pillar candles", "plant pots",
        "plastic food boxes", "plums", "potatoes", "pumpkins", "rolls of toilet paper", "snow globes", "soccer balls", "teapots",
        "tennis balls", "tomatoes", "toy cars", "trophies", "vases", "volleyballs", "wooden boxes",
    }  # fmt: skip


# --- in the simulator -------------------------------------------------------------------------------------------------


@EACH
def test_a_trajectory_shows_every_one_and_the_judge_counts_them(slug: str, lab: Lab) -> None:
    generator = next(g for g in GENERATORS if g.slug == slug)
    task = max(DRAFTS[slug][4:6], key=present)  # of the two, the one that certainly hides one of the kind
    playing = play(lab, task, pictures=False)
    assert problems(generator, playing) == []
    assert judge(Playing(task, playing.steps[:1])) == "not each of them is seen"
