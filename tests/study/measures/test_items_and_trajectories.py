"""Items, means and figures of trajectories give published or counted numbers, and say why where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from study.measures.items import items
from study.measures.means import bootstrapped, mean, weights
from study.measures.trajectories import DISTINCT, Distinct, repeated, viewpoints

# LSAT section 6 (Bock & Lieberman 1970, Psychometrika 35, 179-197): counts of the patterns 00000, 00001, ... 11111 of five items
LSAT = [
    3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15, 10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298,
]  # fmt: skip


def test_the_items_of_a_published_test() -> None:
    rows = [(person, item) for pattern, n in enumerate(LSAT) for person in [pattern] * n for item in range(5)]
    right = [bool(pattern >> (4 - item) & 1) for pattern, item in rows]
    person = [k // 5 for k in range(len(rows))]
    found = items(right, person, [item for _, item in rows], [None] * len(rows), [None] * len(rows))
    assert [item.difficulty.value for item in found] == pytest.approx([0.924, 0.709, 0.553, 0.763, 0.87])
    assert [item.discrimination.value for item in found] == pytest.approx([0.1128, 0.1532, 0.1728, 0.1444, 0.1216], abs=5e-5)
    assert all(item.flags == () and item.p_below_chance is None for item in found)


def test_items_are_flagged_and_none_is_dropped() -> None:
    """Ten people, eight items: the last is right for those alone who are wrong elsewhere; the one before is wrong for all, and they are
    sure of it."""
    right, person, task, chance, confidence = [], [], [], [], []
    for who in range(20):
        for what in range(8):
            good = who % 2 == 0 if what < 6 else (False if what == 6 else who % 2 == 1)
            good = (not good) if (who + what) % 9 == 0 and what < 6 else good
            right.append(good)
            person.append(who)
            task.append(what)
            chance.append(0.5)
            confidence.append(90.0 if what == 6 else 60.0)
    found = items(right, person, task, chance, confidence)
    assert len(found) == 8
    assert found[7].flags == ("negative_discrimination",)
    assert set(found[6].flags) == {"below_chance", "confidently_wrong"} and found[6].discrimination.value is None
    assert "everybody is wrong" in found[6].discrimination.reason
    assert all(item.flags == () for item in found[:6])


def test_an_easy_subset_does_not_count_as_ability() -> None:
    """Two groups of equal ability, one of which met easy items beside the common one: without centring the common item seems to
    discriminate."""
    right, person, task = [], [], []
    for who in range(40):
        easy = who < 20
        for what in range(5):
            right.append(what < 4 if easy else what == 4)
            person.append(who)
            task.append(f"{'easy' if easy else 'hard'}{what}")
        right.append(easy)
        person.append(who)
        task.append("common")
    common = items(right, person, task, [None] * len(right), [None] * len(right))
    assert next(item for item in common if item.task == "common").discrimination.reason == "its people are all alike elsewhere"


def test_few_people_have_a_reason() -> None:
    [found] = items([True, False], ["a", "b"], ["x", "x"], [0.5, 0.5], [None, None])
    assert found.discrimination.value is None and "other answers" in found.discrimination.reason and found.difficulty.value == 0.5
    assert items([], [], [], [], []) == []


def test_the_two_way_bootstrap_comes_near_its_complete_enumeration() -> None:
    """Two persons and two tasks with the answers 1 0 / 1 1: of all 16 resamples of rows and columns the mean is 0.75 and the variance
    0.078125."""
    person, task, y = ["a", "a", "b", "b"], ["x", "y", "x", "y"], np.array([1.0, 0.0, 1.0, 1.0])
    drawn = np.concatenate([block @ y / block.sum(axis=1) for block in weights(person, task, resamples=20_000, seed=3)])
    assert drawn.mean() == pytest.approx(0.75, abs=0.01) and drawn.var() == pytest.approx(0.078125, abs=0.01)
    found = bootstrapped(0.75, "share", lambda block: block @ y / block.sum(axis=1), person, task, seed=3)
    assert found.interval == (0.0, 1.0) and "conservative" in found.method
    assert bootstrapped(1.0, "share", lambda block: block @ y, ["a"], ["x"]).interval is None


def test_a_mean_says_why_it_has_no_interval() -> None:
    assert mean([], [], []).value is None
    assert mean([3.0, 4.0], ["a", "a"], ["x", "y"]).interval is None
    assert mean([3.0, 4.0, 5.0, 3.0], list("aabb"), list("xyxy"), "steps").method.startswith("steps; tasks like these")


@pytest.mark.parametrize(
    ("poses", "rule", "count"),
    [
        ([], DISTINCT, 0),
        ([((0, 0, 1), 0, 0), ((0, 0, 1), 15, 0), ((0, 0, 1), 30, 0)], DISTINCT, 1),
        ([((0, 0, 1), 0, 0), ((0, 0, 1), 45, 0)], DISTINCT, 2),
        ([((0, 0, 1), 170, 0), ((0, 0, 1), -170, 0)], DISTINCT, 1),
        ([((0, 0, 1), 0, 0), ((0, 0.75, 1), 0, 0), ((0, 1.0, 1), 0, 0)], DISTINCT, 2),
        ([((0, 0, 1), 0, 0), ((0, 0.75, 1), 0, 0), ((0, 1.0, 1), 0, 0)], Distinct(0.5, 30.0), 2),
        ([((0, 0, 1), 0, 0), ((0, 0, 1), 0, -60), ((0, 0, 1), 90, -60)], Distinct(1.0, 40.0), 3),
        ([((0, 0, 1), 0, -90), ((0, 0, 1), 90, -90)], DISTINCT, 1),
    ],
)
def test_viewpoints_are_distinct_by_place_or_direction(poses: list[Any], rule: Distinct, count: int) -> None:
    assert viewpoints(poses, rule) == count


def test_repeated_actions_are_held_against_a_random_order_of_the_same() -> None:
    assert repeated("llll") == (1.0, 1.0)
    share, chance = repeated("llrr") or (0, 0)
    assert (share, chance) == (pytest.approx(2 / 3), pytest.approx(1 / 3))  # type: ignore[comparison-overlap]
    # over all 6 orders of llrr the mean share of equal pairs is the chance
    orders = {"llrr": 2 / 3, "rrll": 2 / 3, "lrlr": 0.0, "rlrl": 0.0, "lrrl": 1 / 3, "rllr": 1 / 3}
    assert sum(orders.values()) / 6 == pytest.approx(chance)
    assert repeated("l") is None
