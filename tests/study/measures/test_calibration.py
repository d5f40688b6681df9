"""Calibration gives published and documented numbers, its decomposition is exact, and what cannot be said has a reason."""

from __future__ import annotations

import numpy as np
import pytest

from study.measures.calibration import adaptive, auroc, auroc_of_people, brier, calibration_error, equal_width, reliability

# Brier, G. W. (1950). Monthly Weather Review 78, 1-3, table 1: P = 0.19, summed over both classes
BRIER_1950 = ([0.7, 0.9, 0.8, 0.4, 0.2, 0, 0, 0, 0, 0.1], [0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
# Hanley, J. A. & McNeil, B. J. (1982). Radiology 143, 29-36: ratings 1 to 5 of 58 normal and 51 abnormal images, area 0.893
ROC_1982 = ((33, 6, 6, 11, 2), (3, 2, 2, 11, 33))


def who(n: int) -> tuple[list[int], list[int]]:
    """So many answers of several people to several tasks."""
    return [k % 3 for k in range(n)], [k // 3 for k in range(n)]


def test_the_score_is_half_of_what_brier_printed_and_that_of_a_documented_example() -> None:
    found = brier(*BRIER_1950, *who(10))
    assert found.score.value == pytest.approx(0.19 / 2)
    # the documentation of scikit-learn's brier_score_loss
    assert brier([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0], *who(4)).score.value == pytest.approx(0.0375)


def test_with_one_group_for_each_confidence_three_terms_are_the_score() -> None:
    p, y = BRIER_1950
    found = brier(p, y, *who(10), group=np.unique(p, return_inverse=True)[1])
    assert (found.reliability, found.resolution, found.uncertainty) == pytest.approx((0.095, 0.21, 0.21))
    assert (found.within_variance, found.within_covariance) == pytest.approx((0, 0))
    assert found.base_rate == found.uncertainty


def test_within_groups_two_more_terms_are_needed() -> None:
    """Computed by hand for groups 0.1–0.3 and 0.6–0.9 (terms of Stephenson, Coelho & Jolliffe 2008)."""
    p, y, group = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9, 0.9], [0, 0, 1, 0, 1, 1, 1, 0], np.array([0, 0, 0, 1, 1, 1, 1, 1])
    found = brier(p, y, *who(8), group=group)
    terms = (found.score.value, found.reliability, found.resolution, found.uncertainty, found.within_variance, found.within_covariance)
    assert terms == pytest.approx((0.23125, 0.0269166667, 0.0166666667, 0.25, 0.011, 0.04))


@pytest.mark.parametrize("seed", range(5))
def test_the_five_terms_are_the_score_whatever_the_bins(seed: int) -> None:
    draw = np.random.default_rng(seed)
    p = draw.integers(0, 101, 90) / 100
    y = (draw.random(90) < 0.6).astype(float)
    found = brier(p, y, *who(90), group=adaptive(p) if seed % 2 else None)
    total = (found.reliability or 0) - (found.resolution or 0) + (found.uncertainty or 0)
    assert total + (found.within_variance or 0) - (found.within_covariance or 0) == pytest.approx(found.score.value, abs=1e-12)


def test_the_calibration_error_is_that_of_a_documented_example() -> None:
    """The documentation of torchmetrics' binary_calibration_error: L1 0.29, L2 0.2918, largest 0.3167."""
    found = calibration_error([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1], *who(5), bins=2)
    assert (found.error.value, found.rms, found.largest) == pytest.approx((0.29, 0.2918, 0.3167), abs=6e-5)


def test_bins_are_closed_on_the_right_and_zero_lies_in_the_first() -> None:
    assert equal_width([0, 0.1, 0.1000001, 0.3, 0.7, 0.95, 1.0]).tolist() == [0, 0, 1, 2, 6, 9, 9]
    assert equal_width(np.arange(1, 101) / 100).tolist() == [k // 10 for k in range(100)]


def test_bins_of_equal_counts_never_split_what_is_equal() -> None:
    p = np.array([0.5] * 30 + [0.6] * 5 + [0.9] * 40 + [1.0] * 25)
    group = adaptive(p)
    assert len({(a, b) for a, b in zip(p.tolist(), group.tolist(), strict=True)}) == len(set(p.tolist()))
    assert group.max() <= 3 and adaptive([0.5] * 10).max() == 0
    spread = adaptive(np.arange(100) / 100)
    assert np.bincount(spread).tolist() == [10] * 10


def test_perfectly_calibrated_people_have_about_the_error_that_is_expected_of_them() -> None:
    draw = np.random.default_rng(1)
    p = draw.integers(50, 101, 2000) / 100
    y = (draw.random(2000) < p).astype(float)
    person, task = [k % 40 for k in range(2000)], [k // 40 for k in range(2000)]
    found = calibration_error(p, y, person, task, seed=2)
    assert found.expected == pytest.approx(found.error.value, abs=0.012) and found.error.interval is not None
    again = calibration_error(p, y, person, task, seed=2)
    assert again == found
    over = calibration_error(np.full(2000, 1.0), y, person, task)
    assert over.error.value == pytest.approx(1 - y.mean()) and over.expected == 0


def test_the_points_of_a_diagram_are_of_bins_with_answers() -> None:
    person, task = who(6)
    points = reliability([0.2, 0.2, 0.9, 0.9, 1.0, 0.95], [0, 1, 1, 1, 1, 0], person, task)
    assert [(point.low, point.high, point.right.n) for point in points] == [(0.2, 0.2, 2), (0.9, 0.9, 2), (0.95, 1.0, 2)]
    assert points[0].right.value == 0.5 and points[2].confidence == pytest.approx(0.975)


def test_the_area_is_that_of_the_published_ratings() -> None:
    rating = [k + 1 for counts in ROC_1982 for k, n in enumerate(counts) for _ in range(n)]
    positive = [0] * sum(ROC_1982[0]) + [1] * sum(ROC_1982[1])
    assert auroc(rating, positive) == pytest.approx(0.893, abs=6e-4)


def test_the_area_of_confidence_counts() -> None:
    """Counts of Fleming (2017), Neuroscience of Consciousness 2017(1), nix007, example of one subject; the area is computed."""
    s1, s2 = (52, 32, 35, 37, 26, 12, 4, 2), (2, 5, 15, 22, 33, 38, 40, 45)
    levels = (4, 3, 2, 1, 1, 2, 3, 4)
    confidence = [level for counts in (s1, s2) for level, n in zip(levels, counts, strict=True) for _ in range(n)]
    right = [int((k < 4) == (which == 0)) for which, counts in enumerate((s1, s2)) for k, n in enumerate(counts) for _ in range(n)]
    assert auroc(confidence, right) == pytest.approx(0.7370156, abs=1e-6)


def test_people_who_are_always_right_drop_out_and_are_counted() -> None:
    found, out = auroc_of_people([0.9, 0.4, 0.9, 0.4, 0.8, 0.8], [1, 0, 0, 1, 1, 1], ["a", "a", "b", "b", "c", "c"])
    assert found.value == 0.5 and out == 1 and found.n == 4
    none, out = auroc_of_people([0.9, 0.4], [1, 1], ["a", "b"])
    assert none.value is None and out == 2 and "both a right and a wrong answer" in none.reason


def test_confidence_that_was_never_given_is_a_sentence() -> None:
    for found in (brier([], [], [], []).score, calibration_error([], [], [], []).error, auroc_of_people([], [], [])[0]):
        assert found.value is None and found.reason == "no answer has a confidence"
    assert reliability([], [], [], []) == []
