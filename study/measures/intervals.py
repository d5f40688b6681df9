"""Intervals for shares of right answers, of one person or task and of participants crossed with tasks, and for differences of two shares.

Every accuracy or difference is a ratio estimate: each answer's share of its error is e = Σ over arms of ± (y − p̂)/n. With sums over
participants and over tasks, V_P = P/(P−1) Σ_i (Σ_j e)², V_T likewise, V_0 = Σ e², and the two-way cluster-robust variance is
max(V_P + V_T − V_0, V_P, V_T), with a t quantile of min(P, T) − 1 degrees of freedom (Cameron, Gelbach & Miller 2011, J. Business &
Economic Statistics 29, 238–249; the floor and the degrees of freedom as small-sample practice: Cameron & Miller 2015, J. Human Resources
50, 317–372). It speaks of people like these *and tasks like these*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from study.measures.record import Measure

LEVEL = 0.95
TWO_WAY = "two-way cluster-robust variance (participants × tasks), t quantile of min(participants, tasks) − 1"

CLUSTERED = "cluster-robust variance, t quantile of clusters − 1"

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def around(value: float, half: float, within: tuple[float, float]) -> tuple[float, float]:
    """The interval value ± half, cut where such a figure can no longer lie; what it covers stays as it was."""
    return max(value - half, within[0]), min(value + half, within[1])


def wilson(right: int, n: int) -> Measure:
    """The share `right` of `n` independent answers with Wilson's interval: of one person or of one task, never of pooled answers."""
    return _share(right, n, "wilson", "Wilson")


def clopper_pearson(right: int, n: int) -> Measure:
    """The share `right` of `n` independent answers with Clopper and Pearson's interval, for claims."""
    return _share(right, n, "exact", "Clopper–Pearson")


def _share(right: int, n: int, method: str, name: str) -> Measure:
    if n == 0:
        return Measure(None, 0, name, reason="there is no answer")
    found = scipy.stats.binomtest(right, n).proportion_ci(LEVEL, method=method)
    return Measure(right / n, n, name, (float(found.low), float(found.high)))


def accuracy(right: Sequence[float] | Floats, person: Sequence[Any], task: Sequence[Any]) -> Measure:
    """The share of right answers of people crossed with tasks, with the two-way interval.

    Args:
        right: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
    """
    y = np.asarray(right, dtype=np.float64)
    if not len(y):
        return Measure(None, 0, TWO_WAY, reason="there is no answer")
    value = float(y.mean())
    return _with_interval(value, ((y - value) / len(y))[None, :], _clusters(person), _clusters(task))


def clustered(right: Sequence[float] | Floats, cluster: Sequence[Any]) -> Measure:
    """The share of right answers of one answerer over tasks that hang together in clusters (twins, rows that say the same).

    The share is a ratio, so clusters may differ in size: G/(G − 1) Σ_g (Σ (y − p))² / n² (Cochran 1977, Sampling Techniques, 3.12).

    Args:
        right: 1 or 0 for each answer.
        cluster: to which cluster its task belongs.
    """
    y = np.asarray(right, dtype=np.float64)
    if not len(y):
        return Measure(None, 0, CLUSTERED, reason="there is no answer")
    value = float(y.mean())
    return _over_clusters(value, (y - value) / len(y), _clusters(cluster))


def clustered_difference(right: Sequence[float] | Floats, cluster: Sequence[Any], arm: Sequence[int]) -> Measure:
    """The share of one answerer in arm 1 less that in arm 0, over tasks that hang together in clusters.

    Args:
        right: 1 or 0 for each answer.
        cluster: to which cluster its task belongs.
        arm: 0 or 1: in which of the two.
    """
    y, arms = np.asarray(right, dtype=np.float64), np.asarray(arm, dtype=np.int64)
    if not (arms == 0).any() or not (arms == 1).any():
        return Measure(None, len(y), CLUSTERED, reason="one of the two has no answer")
    values, errors = differences(y[None, :], arms)
    return _over_clusters(float(values[0]), errors[0], _clusters(cluster))


def _over_clusters(value: float, errors: Floats, cluster: Whole) -> Measure:
    groups = int(cluster.max()) + 1
    if groups < 2:
        return Measure(value, len(errors), CLUSTERED, reason="an interval needs two clusters of tasks")
    variance = float(one_way_variance(errors[None, :], cluster)[0])
    if variance <= 0:
        return Measure(value, len(errors), CLUSTERED, reason="all answers are alike, so nothing tells how they would vary")
    half = float(scipy.stats.t.ppf(0.5 + LEVEL / 2, groups - 1)) * variance**0.5
    return Measure(value, len(errors), CLUSTERED, (value - half, value + half))


def difference(right: Sequence[float] | Floats, person: Sequence[Any], task: Sequence[Any], arm: Sequence[int]) -> Measure:
    """The accuracy of arm 1 less that of arm 0, with the two-way interval.

    Args:
        right: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        arm: 0 or 1: in which of the two.
    """
    y, arms = np.asarray(right, dtype=np.float64), np.asarray(arm, dtype=np.int64)
    if not (arms == 0).any() or not (arms == 1).any():
        return Measure(None, len(y), TWO_WAY, reason="one of the two has no answer")
    values, errors = differences(y[None, :], arms)
    return _with_interval(float(values[0]), errors, _clusters(person), _clusters(task))


def differences(right: Floats, arm: Whole) -> tuple[Floats, Floats]:
    """Of many sets of answers at once: the differences of the accuracies of arm 1 and arm 0, and each answer's share of their errors.

    Args:
        right: shape (sets, answers).
        arm: shape (answers,).

    Returns:
        Differences, shape (sets,); shares of errors, shape (sets, answers).
    """
    one = arm == 1
    high, low = right[:, one].mean(axis=1), right[:, ~one].mean(axis=1)
    share = np.where(one, 1.0 / one.sum(), -1.0 / (~one).sum())
    return high - low, (right - np.where(one, high[:, None], low[:, None])) * share


def two_way_variance(errors: Floats, person: Whole, task: Whole) -> Floats:
    """The two-way cluster-robust variance of many sets of answers.

    Args:
        errors: each answer's share of the error, shape (sets, answers).
        person: number of whoever gave it, from 0, shape (answers,).
        task: number of its task, from 0.

    Returns:
        Variances, shape (sets,).
    """
    by_person, by_task = (_one_way(errors, numbers) for numbers in (person, task))
    found: Floats = np.maximum(by_person + by_task - np.square(errors).sum(axis=1), np.maximum(by_person, by_task))
    return found


def one_way_variance(errors: Floats, cluster: Whole) -> Floats:
    """The variance of the clusters' sums, with G/(G − 1)."""
    return _one_way(errors, cluster)


def _one_way(errors: Floats, cluster: Whole) -> Floats:
    groups = int(cluster.max()) + 1
    # a sparse matrix sums the answers of each cluster, for all sets at once
    member = scipy.sparse.csr_matrix((np.ones(len(cluster)), (cluster, np.arange(len(cluster)))), shape=(groups, len(cluster)))
    sums = member @ errors.T
    found: Floats = groups / max(groups - 1, 1) * np.square(sums).sum(axis=0)
    return found


def quantile(person: Whole, task: Whole) -> float:
    """The t quantile of the two-way interval."""
    return float(scipy.stats.t.ppf(0.5 + LEVEL / 2, min(int(person.max()), int(task.max()))))


def _clusters(names: Sequence[Any]) -> Whole:
    """Numbers from 0 in place of names."""
    known: dict[Any, int] = {}
    return np.asarray([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _with_interval(value: float, errors: Floats, person: Whole, task: Whole) -> Measure:
    n = errors.shape[1]
    if min(int(person.max()), int(task.max())) < 1:
        return Measure(value, n, TWO_WAY, reason="an interval needs two participants and two tasks")
    variance = float(two_way_variance(errors, person, task)[0])
    if variance <= 0:
        return Measure(value, n, TWO_WAY, reason="all answers are alike, so nothing tells how they would vary")
    half = quantile(person, task) * variance**0.5
    return Measure(value, n, TWO_WAY, (value - half, value + half))
