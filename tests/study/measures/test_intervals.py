"""Intervals give published numbers, and say why where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from study.measures.intervals import accuracy, clopper_pearson, difference, one_way_variance, two_way_variance, wilson

# Newcombe, R. G. (1998). Statistics in Medicine 17, 857-872, table I, methods 3 and 5
NEWCOMBE = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]
# Shrout, P. E. & Fleiss, J. L. (1979). Psychological Bulletin 86, 420-428: 6 targets × 4 judges
TARGETS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)


@pytest.mark.parametrize(("right", "n", "by_wilson", "exact"), NEWCOMBE)
def test_one_share(right: int, n: int, by_wilson: tuple[float, float], exact: tuple[float, float]) -> None:
    assert wilson(right, n).interval == pytest.approx(by_wilson, abs=5e-5)
    assert clopper_pearson(right, n).interval == pytest.approx(exact, abs=5e-5)
    assert wilson(right, n).value == right / n


def test_the_variances_of_a_crossed_mean_are_those_of_the_analysis_of_variance() -> None:
    n, k = TARGETS.shape
    row, column = (numbers.ravel().astype(np.int64) for numbers in np.indices(TARGETS.shape))
    errors = ((TARGETS - TARGETS.mean()) / TARGETS.size).ravel()[None, :]
    by_row, by_column = one_way_variance(errors, row)[0], one_way_variance(errors, column)[0]
    assert (by_row, by_column) == pytest.approx((11.2417 / (n * k), 32.4861 / (n * k)), abs=1e-4)
    both = two_way_variance(errors, row, column)[0]
    assert both == pytest.approx(by_row + by_column - np.square(errors).sum()) and both > max(by_row, by_column)


def test_a_difference_of_two_arms_is_the_second_less_the_first() -> None:
    right = [1, 0, 1, 1, 0, 0, 1, 0]
    arm = [1, 1, 1, 1, 0, 0, 0, 0]
    found = difference(right, list("aabbaabb"), list("wxwxyzyz"), arm)
    assert found.value == pytest.approx(0.5) and found.interval is not None
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(0.5) and low < 0.5
    assert difference(right, list("aabbaabb"), list("wxwxyzyz"), [1 - one for one in arm]).value == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (wilson(0, 0), "there is no answer"),
        (accuracy([], [], []), "there is no answer"),
        (accuracy([1, 0], ["a", "a"], ["x", "y"]), "two participants"),
        (accuracy([1, 1, 1, 1], list("aabb"), list("xyxy")), "all answers are alike"),
        (difference([1, 0], ["a", "b"], ["x", "y"], [0, 0]), "one of the two has no answer"),
    ],
)
def test_what_cannot_be_said_has_a_reason_and_no_interval(found: object, why: str) -> None:
    assert why in found.reason and found.interval is None  # type: ignore[attr-defined]
