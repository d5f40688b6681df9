"""Own tasks of Spatial Relations: margins, sides and widths of thirty layouts of each kind, without a simulator."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter

import pytest

from data.generators.balance import report
from data.generators.framework import FIRST_VIEW_DIFFERENCE, MAX_ATTEMPTS, Generator, Half, Pair, Rejected, generate
from data.generators.layout import Thing, footprint
from data.generators.measuring import off_line_m
from data.generators.registry import benchmark
from data.generators.spatial import (
    CONTACT,
    CONTACT_GAP_M,
    FLOOR_VIEW_M,
    FOOTPRINT_RATIO,
    GENERATORS,
    HEIGHT_RATIO,
    LINE,
    OFF_LINE_M,
    SIDE_M,
    TOUCHING,
    TRIANGLE,
    UNEQUAL,
    kind_of,
)

ITEMS = 30


def drafts(generator: Generator) -> tuple[Pair, ...]:
    return _drafts(generator.slug)


@functools.cache
def _drafts(slug: str) -> tuple[Pair, ...]:
    (generator,) = (g for g in GENERATORS if g.slug == slug)
    made = []
    for number in range(1, ITEMS + 1):
        for attempt in itertools.count():
            try:
                made.append(generator.drafted(random.Random(f"{number}/{attempt}"), generator.item(3, number)))
                break
            except Rejected:
                assert attempt < MAX_ATTEMPTS
    return tuple(made)


def asked(pair: Pair, half: Half) -> list[Thing]:
    """What the question is about; of a touching pair the front one first."""
    return [t for t in half.things if t.key in pair.ask.things]


def bearing(thing: Thing) -> float:
    return math.degrees(math.atan2(thing.xy[0], thing.xy[1]))


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.slug)
def test_twins_stand_on_the_same_lines_of_sight_and_look_as_large(generator: Generator) -> None:
    for pair in drafts(generator):
        a, b = ({t.key: t for t in half.things} for half in pair.halves)
        assert a.keys() == b.keys() and a != b
        (height,) = {t.z_m or 0.0 for half in pair.halves for t in asked(pair, half)}
        assert pair.camera_z_m == pytest.approx(height + FLOOR_VIEW_M)
        assert pair.first_view == FIRST_VIEW_DIFFERENCE
        for key, one in a.items():
            other = b[key]
            assert bearing(one) == pytest.approx(bearing(other), abs=1e-6)
            assert one.scale / math.hypot(*one.xy) == pytest.approx(other.scale / math.hypot(*other.xy), rel=1e-6)


def test_the_middle_thing_is_on_the_line_or_off_it_by_its_margin() -> None:
    for pair in drafts(LINE):
        straight, bent = (off_line_m([t.xy for t in asked(pair, half)]) for half in pair.halves)
        assert straight < 1e-9 and OFF_LINE_M[0] <= bent <= OFF_LINE_M[1]
        assert [h.gold for h in pair.halves] == ["yes", "no"]


def test_triangles_are_of_one_kind_and_keep_their_bounds() -> None:
    seen: Counter[str] = Counter()
    for pair, half in ((p, h) for p in drafts(TRIANGLE) for h in p.halves):
        things = asked(pair, half)
        sides = sorted(math.dist(a.xy, b.xy) for a, b in itertools.combinations(things, 2))
        equal = [b / a < 1.001 for a, b in itertools.pairwise(sides)]
        assert half.gold == {2: "equilateral", 1: "isosceles", 0: "scalene"}[sum(equal)]
        assert all(e or b / a >= UNEQUAL for e, (a, b) in zip(equal, itertools.pairwise(sides), strict=True))
        assert SIDE_M[0] <= sides[0] and sides[-1] <= SIDE_M[1]
        widths, heights = [max(t.extent_m[:2]) for t in things], [t.extent_m[2] for t in things]
        assert max(widths) <= FOOTPRINT_RATIO * min(widths) and max(heights) <= HEIGHT_RATIO * min(heights)
        seen[str(half.gold)] += 1
    assert set(seen.values()) == {2 * ITEMS // 3}


def test_sides_between_equal_and_unequal_make_no_triangle() -> None:
    assert kind_of([(0.0, 0.0), (0.5, 0.0), (0.25, 0.46)]) == "none"


def test_the_gap_runs_along_the_line_of_sight_and_is_none_or_wide() -> None:
    for pair in drafts(CONTACT):
        for half in pair.halves:
            front, back = asked(pair, half)
            gap = back.xy[1] - footprint(back)[1] / 2 - front.xy[1] - footprint(front)[1] / 2
            assert -0.001 <= gap <= 0 if half.gold == "yes" else gap > CONTACT_GAP_M
            # The front one meets the back one where that has upright sides, and does not hide it.
            assert back.extent_m[2] > front.extent_m[2] * 0.6 and abs(front.xy[0]) < 0.1
    assert {c for pair in TOUCHING for c in pair} >= {"box", "mug", "soccer_ball", "candle"}


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.slug)
def test_what_stands_besides_hides_nothing_and_is_of_another_kind(generator: Generator) -> None:
    for pair in drafts(generator):
        for half in pair.halves:
            things, others = asked(pair, half), [t for t in half.things if t.key not in pair.ask.things and t.key != "support"]
            assert {t.category for t in things}.isdisjoint(t.category for t in others) and not any(t.essential for t in others)
            for one, t in itertools.product(others, things):
                wide = sum(math.degrees(math.atan2(max(footprint(o)) / 2, math.hypot(*o.xy))) for o in (one, t))
                assert one.xy[1] > t.xy[1] or abs(bearing(one) - bearing(t)) > wide


def test_proofs_take_two_thirds_of_the_budget_at_most() -> None:
    kinds = {g.slug for g in GENERATORS}
    found = [t for t in benchmark() if t.provenance.generator.split()[0] in kinds]
    assert len(found) >= 60 and all(len(t.gt_trajectory) + 1 <= t.budget * 2 / 3 for t in found)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.slug)
def test_items_are_balanced(generator: object) -> None:
    (row,) = report(generate(generator, seed=2, pairs=ITEMS).tasks)["subcategories"]  # type: ignore[arg-type]
    assert row["problems"] == [] and row["tasks"] == 2 * ITEMS
