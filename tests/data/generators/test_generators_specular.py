"""Own tasks of Specular Reflection: what the mirror shows, sizes and distances of thirty layouts of each kind, without a simulator."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from data.generators.balance import report
from data.generators.framework import Half, Pair, Rejected, generate
from data.generators.layout import Thing
from data.generators.mirrors import AWAY_M, DISTANCE_M, EXTENT_M, PLAUSIBLE, Glass, bearing_deg, from_segment, standing
from data.generators.registry import benchmark, named
from data.generators.specular import GENERATORS, HFOV_DEG, NEARER_M, THROUGH_M
from data.generators.surfaces import FURNITURE

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


def test_what_is_mirrored_is_no_giant_of_its_kind() -> None:
    for slug, most in (("mirror", PLAUSIBLE), ("mirrored", PLAUSIBLE), ("nearer", EXTENT_M[1] / THROUGH_M[0] * PLAUSIBLE)):
        grown = [t.scale for pair in drafts(slug) for half in pair.halves for t in parts(half)[1]]
        assert max(grown) <= most + 1e-9, slug


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
def test_what_stands_besides_is_off_every_line_of_sight_and_on_the_furniture(slug: str) -> None:
    seen = 0
    for half in (half for pair in drafts(slug) for half in pair.halves):
        glass, things = parts(half)
        top = next(t for t in half.things if t.category in FURNITURE)
        for one, thing in itertools.product((t for t in half.things if t.key.startswith("beside")), things):
            seen += 1
            wide = math.hypot(*one.extent_m[:2]) / 2
            assert one.category != thing.category and not one.essential and glass.distance(one.xy) > wide
            assert one.z_m == pytest.approx(top.extent_m[2] if top.category != "plain_bed" else one.z_m, abs=0.02)
            if not glass.shows(thing.xy):
                assert from_segment(one.xy, (0.0, 0.0), thing.xy) > wide
            else:
                assert from_segment(one.xy, (0.0, 0.0), glass.hit(thing.xy)) > wide
    assert seen > ITEMS


@pytest.mark.parametrize("slug", SLUGS)
def test_views_start_at_a_persons_height_and_proofs_are_short(slug: str) -> None:
    for pair in drafts(slug):
        assert 0.9 <= pair.camera_z_m <= 1.45
        assert all(len(half.path if half.path is not None else pair.path) + 1 <= 20 for half in pair.halves)


def test_the_small_thing_before_the_mirror_is_the_image_of_the_large_one_behind_the_viewer() -> None:
    for pair in drafts("mirror"):
        eye = np.array([0.0, 0.0, pair.camera_z_m])
        (glass, (there,)), (_, (here,)) = (parts(half) for half in pair.halves)
        image, foot = np.array([*glass.image(there.xy), 0.0]), np.array([*here.xy, here.z_m])
        factor = here.scale / there.scale
        assert np.allclose(foot - eye, (image - eye) * factor, atol=2e-3)
        books = [t for t in pair.halves[0].things if t.category == "book"]
        # Over the books no more is seen than over the far edge of what they lie on: the foot of neither.
        top, (support,) = here.z_m or 0.0, [t for t in pair.halves[0].things if t.category in FURNITURE]
        back = max(t.xy[1] + t.extent_m[1] / 2 for t in books)
        slope = (pair.camera_z_m - top - books[0].extent_m[2]) / back
        assert slope < (pair.camera_z_m - top) / (here.xy[1] + here.extent_m[1] / 2) and support.xy[1] > 0


def test_what_two_mirrored_things_stand_on_lies_below_what_the_mirror_shows() -> None:
    for eye, half in ((pair.camera_z_m, half) for pair in drafts("nearer") for half in pair.halves):
        glass, things = parts(half)
        low = next(t.z_m for t in half.things if t.category == "mirror") or 0.0
        for thing in things:
            z = thing.z_m or 0.0
            image, hit = glass.image(thing.xy), glass.hit(thing.xy)
            at_the_glass = eye + (z - eye) * hit[1] / image[1]
            assert low < at_the_glass < low + 0.10
            under = next(t for t in half.things if t.category == "side_table" and t.xy == thing.xy)
            assert under.extent_m[2] == pytest.approx(z, abs=1e-4)


def test_a_distance_from_a_segment_is_that_of_its_nearest_point() -> None:
    assert [from_segment(p, (0.0, 0.0), (2.0, 0.0)) for p in ((1.0, 3.0), (-3.0, 4.0), (2.0, 0.0))] == [3.0, 5.0, 0.0]


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
