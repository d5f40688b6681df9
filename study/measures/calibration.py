"""Calibration: how well stated confidence tells whether answers are right.

p is the stated probability that one's own answer is right, y whether it is. Answers without a confidence are no part of it.

* Brier score, mean (p − y)² (Brier 1950, Monthly Weather Review 78, 1–3, summed over both classes, which is twice this), with Murphy's
  decomposition (1973, J. Applied Meteorology 12, 595–600) and its two terms within groups (Stephenson, Coelho & Jolliffe 2008, Weather and
  Forecasting 23, 752–757): score = REL − RES + UNC + WBV − WBC. REL and RES are biased upwards with few answers per group.
* Expected calibration error Σ (n_k/N)|f_k − o_k| with its root-mean-square and largest bin (Naeini, Cooper & Hauskrecht 2015, AAAI; Nixon
  et al. 2019, CVPR Workshops; Kumar, Liang & Ma 2019, NeurIPS). It is biased upwards for few answers, so what perfect calibration would
  give stands beside it.
* Type-2 AUROC, the probability that a right answer has the higher confidence of a right and a wrong one, ties half (Galvin et al. 2003,
  Psychonomic Bulletin & Review 10, 843–876; Fleming & Lau 2014, Frontiers in Human Neuroscience 8, 443), for each participant.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from study.measures.accuracy import SHARES, mean_of_people, share
from study.measures.intervals import Floats, Whole
from study.measures.means import bootstrapped, mean
from study.measures.record import Measure

BINS = 10
DRAWS = 1000
"""Sets of answers that are drawn for the error under perfect calibration."""
WIDTH = "bins of equal width, closed on the right; 0 lies in the first"
ADAPTIVE = "bins of about equal counts; equal confidences share a bin"
NONE_GIVEN = "no answer has a confidence"


@dataclass(frozen=True)
class Brier:
    """The Brier score and what it is made of; all None where there is no answer with a confidence."""

    score: Measure
    base_rate: float | None
    """Score of whoever always states the share of right answers: it equals `uncertainty`."""
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    within_variance: float | None
    within_covariance: float | None
    """Twice the covariance within groups."""


@dataclass(frozen=True)
class Bin:
    """One point of a reliability diagram. Empty bins have none."""

    low: float
    high: float
    """Smallest and largest confidence in it, 0 to 1."""
    confidence: float
    """Mean confidence, 0 to 1."""
    right: Measure
    """Share of right answers, with the interval by participants and tasks."""


@dataclass(frozen=True)
class Error:
    """The expected calibration error over one set of bins."""

    error: Measure
    rms: float | None
    largest: float | None
    expected: float | None
    """The error that perfect calibration would give with these confidences."""
    bins: str


def equal_width(p: Sequence[float] | Floats, bins: int = BINS) -> Whole:
    """Number of the bin of each confidence: bins of equal width, closed on the right; 0 lies in the first."""
    # 0.3 × 10 is a little more than 3
    scaled = np.asarray(p, dtype=np.float64) * bins
    return np.clip(np.ceil(np.round(scaled, 9)).astype(np.int64) - 1, 0, bins - 1)


def adaptive(p: Sequence[float] | Floats, bins: int = BINS) -> Whole:
    """Number of the bin of each confidence: bins of about equal counts, equal confidences in one bin, however many there are."""
    each = np.asarray(p, dtype=np.float64)
    edges = np.unique(np.quantile(each, np.arange(1, bins) / bins, method="inverted_cdf")) if len(each) else each
    return np.unique(np.searchsorted(edges, each, side="left"), return_inverse=True)[1].astype(np.int64).ravel()


def brier(
    p: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    *,
    group: Whole | None = None,
) -> Brier:
    """The Brier score with its decomposition.

    Args:
        p: confidences, 0 to 1.
        y: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        group: number of each answer's group; None: bins of equal width.
    """
    stated, right = np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(stated):
        return Brier(Measure(None, 0, "Brier score", reason=NONE_GIVEN), None, None, None, None, None, None)
    group = equal_width(stated) if group is None else np.asarray(group, dtype=np.int64)
    n, f, o = _means(stated, right, group)
    total, base = len(stated), float(right.mean())
    f_of, o_of = f[group], o[group]
    return Brier(
        score=mean(np.square(stated - right), person, task, "Brier score", within=SHARES),
        base_rate=base * (1 - base),
        reliability=float((n * np.square(f - o))[n > 0].sum() / total),
        resolution=float((n * np.square(o - base))[n > 0].sum() / total),
        uncertainty=base * (1 - base),
        within_variance=float(np.square(stated - f_of).mean()),
        within_covariance=float(2 * ((right - o_of) * (stated - f_of)).mean()),
    )


def calibration_error(
    p: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    *,
    bins: int = BINS,
    equal_counts: bool = False,
    seed: int = 0,
) -> Error:
    """The expected calibration error, with the interval of the two-way bootstrap.

    Args:
        p: confidences, 0 to 1.
        y: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        bins: how many at most.
        equal_counts: bins of about equal counts, not of equal width.
        seed: of what is drawn.
    """
    stated, right = np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)
    kind = ADAPTIVE if equal_counts else WIDTH
    method = f"expected calibration error, at most {bins} {kind}"
    if not len(stated):
        return Error(Measure(None, 0, method, reason=NONE_GIVEN), None, None, None, kind)
    group = adaptive(stated, bins) if equal_counts else equal_width(stated, bins)
    n, f, o = _means(stated, right, group)
    off = np.abs(f - o)[n > 0]
    part = n[n > 0] / len(stated)
    member = np.zeros((len(stated), len(n)))
    member[np.arange(len(stated)), group] = 1.0
    apart = (stated - right)[:, None] * member

    def figure(weight: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            found: Floats = np.abs(weight @ apart).sum(axis=1) / weight.sum(axis=1)
        return found

    draw = np.random.default_rng(seed)
    drawn = (draw.random((DRAWS, len(stated))) < stated).astype(np.float64)
    expected = float((np.abs((stated - drawn) @ member).sum(axis=1) / len(stated)).mean())
    return Error(
        error=bootstrapped(float((part * off).sum()), method, figure, person, task, seed=seed),
        rms=float(np.sqrt((part * np.square(off)).sum())),
        largest=float(off.max()),
        expected=expected,
        bins=kind,
    )


def reliability(
    p: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    person: Sequence[Hashable],
    task: Sequence[Hashable],
    *,
    group: Whole | None = None,
) -> list[Bin]:
    """The points of a reliability diagram, by confidence.

    Args:
        p: confidences, 0 to 1.
        y: 1 or 0 for each answer.
        person: who gave it.
        task: at which task.
        group: number of each answer's bin; None: bins of equal width.
    """
    stated, right = np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)
    group = equal_width(stated) if group is None else np.asarray(group, dtype=np.int64)
    found = []
    for k in np.unique(group):
        those = np.flatnonzero(group == k).tolist()
        there = share(right[those], [person[i] for i in those], [task[i] for i in those])
        found.append(Bin(float(stated[those].min()), float(stated[those].max()), float(stated[those].mean()), there))
    return found


def auroc(confidence: Sequence[float] | Floats, right: Sequence[float] | Floats) -> float | None:
    """The area under the type-2 curve of one participant; None without both a right and a wrong answer."""
    stated, good = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=bool)
    many, few = int(good.sum()), int((~good).sum())
    if not many or not few:
        return None
    ranks = scipy.stats.rankdata(stated)
    return float((ranks[good].sum() - many * (many + 1) / 2) / (many * few))


def auroc_of_people(p: Sequence[float] | Floats, y: Sequence[float] | Floats, person: Sequence[Hashable]) -> tuple[Measure, int]:
    """The mean of the participants' type-2 AUROC, and how many have none since they have no right or no wrong answer."""
    method = "type-2 AUROC of each participant, mean over participants, t quantile of participants − 1"
    stated, right = np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(stated):
        return Measure(None, 0, method, reason=NONE_GIVEN), 0
    places: dict[Hashable, list[int]] = {}
    for k, who in enumerate(person):
        places.setdefault(who, []).append(k)
    each = {who: auroc(stated[those], right[those]) for who, those in places.items()}
    found = [area for area in each.values() if area is not None]
    n = sum(len(places[who]) for who, area in each.items() if area is not None)
    made = mean_of_people(found, method, n=n, within=SHARES)
    if not found:
        made = replace(made, reason="nobody has both a right and a wrong answer with a confidence")
    return made, len(each) - len(found)


def _means(p: Floats, y: Floats, group: Whole) -> tuple[Floats, Floats, Floats]:
    """Answers, mean confidence and share of right ones of each group; NaN in an empty one."""
    n = np.bincount(group).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return n, np.bincount(group, weights=p) / n, np.bincount(group, weights=y) / n
