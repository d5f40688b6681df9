"""Shares of right answers, verdicts and differences give published numbers, and say why where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from study.measures import verdicts as verdicts_module
from study.measures.accuracy import FIXED, LOGIT, ONE_PERSON, ONE_TASK, RANDOM, gap, mean_of_people, share
from study.measures.comparisons import benjamini_hochberg, holm, sign_flip
from study.measures.intervals import accuracy, wilson
from study.measures.means import mean
from study.measures.verdicts import verdicts

# Student (1908). Biometrika 6, 1-25, table of sleep gained; the interval as R's t.test prints it
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
# Fisher, R. A. (1935). The Design of Experiments, § 21: Darwin's maize, differences of 15 pairs
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# Benjamini & Hochberg (1995). J. Royal Statistical Society B 57, 289-300, § 3.2
BH = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0]


def table(rows: list[str]) -> tuple[list[int], list[str], list[str]]:
    """Answers of a table of people (lines) and tasks (columns); a dot: not met."""
    found = [(int(cell), f"p{i}", f"t{j}") for i, row in enumerate(rows) for j, cell in enumerate(row) if cell != "."]
    right, person, task = zip(*found, strict=True)
    return list(right), list(person), list(task)


def test_the_interval_of_one_value_a_participant_is_students() -> None:
    found = mean_of_people(SLEEP)
    assert found.value == pytest.approx(1.58) and found.interval == pytest.approx((0.7001142, 2.4598858), abs=1e-6)


def test_with_fixed_tasks_a_balanced_table_gives_students_interval_on_participants_means() -> None:
    right, person, task = table(["110100", "010010", "101001", "011010", "101100"])
    means = [float(np.mean([int(c) for c in row])) for row in ["110100", "010010", "101001", "011010", "101100"]]
    fixed, students = share(right, person, task, tasks="fixed"), mean_of_people(means)
    assert fixed.value == pytest.approx(students.value) and fixed.interval == pytest.approx(students.interval)
    assert fixed.method == FIXED


def test_with_random_tasks_it_is_the_two_way_interval_and_says_so() -> None:
    right, person, task = table(["110100", "010010", "101001", "011010", "101100"])
    found = share(right, person, task)
    assert found.interval == accuracy(right, person, task).interval and found.method == RANDOM
    assert found.interval != share(right, person, task, tasks="fixed").interval


def test_near_one_the_interval_stays_within_the_bounds() -> None:
    right, person, task = table(["1111111111", "1111101111", "1111111111", "1111111110"])
    found = share(right, person, task)
    assert found.value == 0.95 and found.method.endswith(LOGIT) and found.interval is not None
    low, high = found.interval
    assert 0.5 < low < 0.95 < high < 1
    mirrored = share([1 - one for one in right], person, task)
    assert mirrored.interval == pytest.approx((1 - high, 1 - low))


def test_with_few_answers_the_interval_stays_within_the_bounds_too() -> None:
    found = share([1, 0, 1, 1], ["a", "a", "b", "b"], ["s", "t", "s", "t"])
    assert found.interval is not None and 0 <= found.interval[0] < 0.75 < found.interval[1] <= 1 and found.method.endswith(LOGIT)
    found = gap([1, 0, 1, 1, 0, 1], list("aabbcc"), list("ststst"), [1, 0, 0, 1, 1, 0])
    assert found.interval is not None and found.interval[0] >= -1 and found.interval[1] <= 1


def test_one_person_or_one_task_has_wilsons_interval_and_says_for_whom_it_speaks() -> None:
    assert share([1, 0, 1], ["a"] * 3, "xyz").interval == wilson(2, 3).interval
    assert share([1, 0, 1], ["a"] * 3, "xyz").method == ONE_PERSON
    assert share([1, 0, 1], "abc", "xxx").method == ONE_TASK


@pytest.mark.parametrize(
    ("right", "says"), [([1] * 28, "at most 10% of such participants would err"), ([0] * 28, "10% of such participants would be right")]
)
def test_where_all_answers_are_alike_the_reason_says_how_many_others_there_can_be(right: list[int], says: str) -> None:
    found = share(right, list(range(28)), [k % 2 for k in range(28)])
    assert found.interval is None and says in found.reason and found.value == right[0]


def test_nothing_answered_is_no_zero() -> None:
    assert share([], [], []).value is None and mean_of_people([]).value is None
    assert gap([1, 0], "ab", "xy", [1, 1]).value is None
    assert verdicts([], [], [], []).share.value is None


def test_a_gap_says_of_which_tasks_its_interval_speaks() -> None:
    right, arm = [1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    random, fixed = (gap(right, list("aabbaabb"), list("wxwxyzyz"), arm, tasks=tasks) for tasks in ("random", "fixed"))
    assert random.value == fixed.value == 0.5 and random.method == RANDOM and fixed.method == FIXED


def test_one_verdict_a_task_counts_ties_and_no_majority_apart() -> None:
    of = {"won": [("a", 1), ("b", 1), ("c", 0)], "lost": [("a", 0), ("b", 0), ("c", 1)], "tie": [("a", 1), ("b", 0)]}
    rows = [(task, person, right, "gold" if right else "other") for task, said in of.items() for person, right in said]
    rows += [("apart", "a", 0, "x"), ("apart", "b", 0, "y"), ("apart", "c", 0, "z")]
    found = verdicts([bool(r) for _, _, r, _ in rows], [p for _, p, _, _ in rows], [t for t, _, _, _ in rows], [s for *_, s in rows])
    assert (found.right, found.wrong, found.undecided, found.share.value, found.share.n) == (1, 1, 2, 0.25, 4)


def test_right_answers_are_one_answer_however_they_are_worded() -> None:
    found = verdicts([True, True, False], "abc", "xxx", ["2", "two", "3"])
    assert (found.right, found.share.value) == (1, 1.0)


def test_the_resampling_of_verdicts_comes_near_its_complete_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people and two tasks: of the 16 equally likely resamples the share is 0, 1/2 or 1 as counted here by hand."""
    monkeypatch.setattr(verdicts_module, "RESAMPLES", 4000)
    found = verdicts([True, False, True, True], ["a", "a", "b", "b"], ["x", "y", "x", "y"], ["g", "o", "g", "g"])
    # x is won by a and b alike; y is a tie, so it is won only where b is drawn twice (1 of 4)
    assert found.share.value == 0.5 and found.share.interval == (0.0, 1.0)


def test_sign_flips_give_fishers_count_for_darwins_maize() -> None:
    found = sign_flip(DARWIN)
    assert found.p == pytest.approx(2 * 863 / 32768, abs=1e-12) and "all 2^15" in found.method


def test_drawn_sign_flips_are_never_zero_and_come_near_the_count() -> None:
    many = sign_flip([*DARWIN, 0, 0], seed=1)
    assert many.p == pytest.approx(0.0527, abs=0.01) and "seed 1" in many.method
    assert (sign_flip([1.0] * 40).p or 0) >= 1 / 10000
    assert sign_flip([1.0]).p is None and sign_flip([0.0, 0.0]).p == 1.0


def test_adjusted_p_values_are_those_of_the_papers() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert sum(p <= 0.05 for p in holm(BH)) == 3 and sum(p <= 0.05 for p in benjamini_hochberg(BH)) == 4
    assert benjamini_hochberg(BH)[:5] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625, 0.0603])
    assert holm([]) == [] and benjamini_hochberg([]) == []
    with pytest.raises(ValueError, match="not defined"):
        holm([0.1, float("nan")])


def test_other_numbers_than_right_and_wrong_end_where_they_can() -> None:
    """Actions are at least none, and differences of them are no shares."""
    few = ([1.0, 30.0, 2.0], ["a", "b", "c"], ["x", "y", "x"])
    assert (mean(*few).interval or (0,))[0] < 0 and (mean(*few, within=(0.0, np.inf)).interval or (1,))[0] == 0
    more = gap([9.0, 12.0, 1.0, 3.0], ["a", "b", "a", "b"], ["x", "y", "y", "x"], [1, 1, 0, 0], within=(-np.inf, np.inf))
    assert more.interval is not None and more.interval[1] > 1
