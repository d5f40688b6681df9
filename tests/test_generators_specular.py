"""Own tasks of Specular Reflection: what the mirror shows, sizes and distances of thirty layouts of each kind, without a simulator."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest

from data.generators.balance import report
from data.generators.framework import Half, Pair, Rejected, generate
from data.generators.layout import Thing
from data.generators.registry import benchmark, named
from data.generators.specular import (
    AWAY_M,
    DISTANCE_M,
    EXTENT_M,
    GENERATORS,
    HFOV_DEG,
    NEARER_M,
    Glass,
    _from_segment,
    bearing_deg,
    standing,
)

ITEMS = 30


def drafts(slug: str) -> list[Pair]:
    (generator,), made = named(slug), []
    for number in range(1, ITEMS + 1):
        for attempt in itertools.count():
            try:
                made.append(generator.drafted(random.Random(f"{number}/{attempt}"), generator.item(3, number)))
                break
            except Rejected:
                assert attempt < 100
    return made


def parts(half: Half) -> tuple[Glass, list[Thing]]:
    """The mirror of a side, and the things before it."""
    mirror = next(t for t in half.things if t.category == "mirror")
    return Glass(mirror.xy, mirror.yaw_deg, mirror.extent_m[0]), [t for t in half.things if t.key.startswith("thing") or t.key in ORDER]


ORDER = ("left", "middle", "right")
SLUGS = tuple(g.slug for g in GENERATORS)


def test_a_mirror_image_lies_as_far_behind_the_plane_as_the_thing_before_it() -> None:
    glass = Glass((0.2, 2.0), 20.0, 1.0)
    point = (-0.4, 0.6)
    assert glass.image(glass.image(point)) == pytest.approx(point)
    assert glass.depth(glass.image(point)) == pytest.approx(-glass.depth(point)) and glass.depth(point) > 0
    assert glass.distance(glass.middle) == 0 and glass.distance(point) >= glass.depth(point)


@pytest.mark.parametrize("slug", SLUGS)
def test_mirrors_and_things_keep_their_bounds(slug: str) -> None:
    for pair in drafts(slug):
        for half in pair.halves:
            glass, things = parts(half)
            assert abs(glass.yaw_deg) <= 30 and abs(glass.middle[1] - DISTANCE_M) <= 0.15
            assert things and all(EXTENT_M[0] - 1e-9 <= max(t.extent_m) <= EXTENT_M[1] + 1e-9 for t in things)
            assert all(glass.distance(t.xy) >= AWAY_M for t in things)


def test_it_is_seen_in_the_mirror_alone_or_directly_alone_on_the_same_line_of_sight() -> None:
    for pair in drafts("mirror"):
        bearings = []
        for half in pair.halves:
            glass, (thing,) = parts(half)
            direct = abs(bearing_deg(thing.xy)) < HFOV_DEG / 2
            assert (glass.shows(thing.xy), direct) == ((True, False) if half.gold == "yes" else (False, True))
            bearings.append(bearing_deg(glass.image(thing.xy) if half.gold == "yes" else thing.xy))
        left, right = glass.edges_deg()
        assert bearings[0] == pytest.approx(bearings[1]) and left < bearings[0] < right


def test_the_nearer_one_is_nearer_by_its_margin_and_both_are_mirrored() -> None:
    for pair in drafts("nearer"):
        for half in pair.halves:
            glass, things = parts(half)
            assert all(glass.shows(t.xy) and abs(bearing_deg(t.xy)) > HFOV_DEG / 2 for t in things)
            near, far = sorted(things, key=lambda t: math.hypot(*t.xy))
            assert math.hypot(*far.xy) - math.hypot(*near.xy) >= NEARER_M
            assert near.words.startswith(f"object {half.gold} ")


def test_one_of_three_equal_things_is_mirrored() -> None:
    golds: Counter[str] = Counter()
    for pair in drafts("mirrored"):
        for half in pair.halves:
            glass, things = parts(half)
            assert [t.key for t in things if glass.shows(t.xy)] == [half.gold]
            assert len({(t.category, t.scale) for t in things}) == 1
            assert [t.key for t in sorted(things, key=lambda t: t.xy[0])] == list(ORDER)
            golds[str(half.gold)] += 1
    assert set(golds.values()) == {2 * ITEMS // 3}


def test_a_thing_of_another_size_is_refused() -> None:
    with pytest.raises(Rejected, match="too small or too large"):
        standing("thing", "vase", (0.0, 0.0), 0.5, "vase")


@pytest.mark.parametrize("slug", SLUGS)
def test_what_stands_beside_the_mirror_is_off_every_line_of_sight(slug: str) -> None:
    seen = 0
    for half in (half for pair in drafts(slug) for half in pair.halves):
        glass, things = parts(half)
        for one, thing in itertools.product((t for t in half.things if t.key.startswith("beside")), things):
            seen += 1
            wide = math.hypot(*one.extent_m[:2]) / 2
            assert one.category != thing.category and not one.essential and glass.distance(one.xy) > wide
            assert _from_segment(one.xy, (0.0, 0.0), thing.xy) > wide
            if glass.shows(thing.xy):
                assert all(_from_segment(one.xy, end, glass.hit(thing.xy)) > wide for end in ((0.0, 0.0), thing.xy))
    assert seen > ITEMS


def test_a_distance_from_a_segment_is_that_of_its_nearest_point() -> None:
    assert [_from_segment(p, (0.0, 0.0), (2.0, 0.0)) for p in ((1.0, 3.0), (-3.0, 4.0), (2.0, 0.0))] == [3.0, 5.0, 0.0]


def test_the_line_of_sight_meets_the_glass_between_camera_and_image() -> None:
    glass, p = Glass((0.0, 2.0), 0.0, 1.0), (1.0, 1.0)
    assert glass.hit(p) == pytest.approx((2 / 3, 2.0))


def test_proofs_take_two_thirds_of_the_budget_at_most() -> None:
    drawn = [t for t in benchmark() if t.provenance.generator in {f"{g.slug} {g.version}" for g in GENERATORS}]
    assert all(len(t.gt_trajectory) + 1 <= t.budget * 2 / 3 for t in drawn)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.slug)
def test_items_are_balanced(generator: object) -> None:
    (row,) = report(generate(generator, seed=2, pairs=ITEMS).tasks)["subcategories"]  # type: ignore[arg-type]
    assert row["problems"] == [] and row["tasks"] == 2 * ITEMS
