"""Power: the drawn sets have the gap that was asked for, nothing is seldom taken for something, and the figures of a reference come out."""

from __future__ import annotations

import numpy as np
import pytest

from study.measures.power import Point, Spread, found_at, intercept, power


def plan(people: int, tasks: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`each` people per task and arm, drawn; nobody has a task twice."""
    draw = np.random.default_rng(0)
    person = np.concatenate([draw.permutation(people)[: 2 * each] for _ in range(tasks)])
    return person, np.repeat(np.arange(tasks), 2 * each), np.tile(np.repeat([0, 1], each), tasks)


@pytest.mark.parametrize("accuracy", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("sd", [0.0, 1.2, 2.0])
def test_an_intercept_gives_the_accuracy_that_was_asked_for(accuracy: float, sd: float) -> None:
    logits = intercept(accuracy, sd) + sd * np.random.default_rng(1).normal(size=400_000)
    assert (1 / (1 + np.exp(-logits))).mean() == pytest.approx(accuracy, abs=0.003)


def test_power_of_28_people_and_40_tasks_is_as_an_independent_simulation_found() -> None:
    """600 sets each there: .015 at no gap, .117 at 5 points, .488 at 10, .852 at 15, .975 at 20, from an accuracy of about .556."""
    found = power(*plan(28, 40, 5), accuracy=0.556, sets=600, seed=3)
    assert [point.power for point in found] == pytest.approx([0.015, 0.117, 0.488, 0.852, 0.975], abs=0.06)
    assert found[0].power <= 0.05
    assert [point.found for point in found] == pytest.approx([point.gap for point in found], abs=0.012)
    assert all(point.low <= point.power <= point.high for point in found)
    at = found_at(found)
    assert at is not None and 0.12 < at < 0.16


def test_equal_seeds_give_equal_figures_and_more_spread_of_gains_less_power() -> None:
    of = plan(12, 20, 3)
    first, again = (power(*of, gaps=(0.2,), sets=500, seed=1) for _ in range(2))
    assert first == again
    (wild,) = power(*of, gaps=(0.2,), sets=500, seed=1, spread=Spread(person_paradigm=1.5, task_paradigm=1.5))
    assert wild.power < first[0].power


def test_the_gap_that_is_found_often_enough_lies_between_two_simulated_ones() -> None:
    def point(gap: float, share: float) -> Point:
        return Point(gap, share, 0.0, 1.0, gap)

    assert found_at([point(0.1, 0.6), point(0.2, 1.0)]) == pytest.approx(0.15)
    assert found_at([point(0.1, 0.6)]) is None and found_at([point(0.0, 0.02), point(0.05, 0.82)]) == pytest.approx(0.0488, abs=1e-3)


def test_what_cannot_be_simulated_is_said() -> None:
    person, task, arm = plan(4, 4, 1)
    with pytest.raises(ValueError, match="accuracies lie between 0 and 1"):
        power(person, task, arm, accuracy=0.9, gaps=(0.2,))
    with pytest.raises(ValueError, match="has no answer"):
        power(person, task, arm * 0)
