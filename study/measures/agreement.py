"""How much raters agree beyond chance: raw agreement, Krippendorff's α, Fleiss' κ, Gwet's AC1, Cohen's κ, with intervals over units.

With u a unit, m_u its ratings and n_uc those in category c, raw agreement is the mean over units with m_u ≥ 2 of
Σ_c n_uc(n_uc − 1) / (m_u(m_u − 1)). Where almost all votes are alike, κ and α fall although people agree (the paradox of kappa: Gwet 2008,
British Journal of Mathematical and Statistical Psychology 61, 29–48); so the figures and the share of each vote stand side by side.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from study.measures.record import Measure

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]

RESAMPLES = 2000
"""Draws of a bootstrap."""
MOST_UNDEFINED = 0.05
"""Share of draws that may leave a figure undefined; with more there is no interval."""
RAW = "share of equal pairs of ratings, mean over units"
ALPHA = "Krippendorff's alpha (nominal)"
FLEISS = "Fleiss' kappa"
GENERALISED = "Fleiss' kappa, generalised to units with unlike numbers of ratings"
AC1 = "Gwet's AC1"
BOOTSTRAP = "percentile bootstrap over units, the raters as they are"
_NO_PAIR = "no unit has two ratings"
_ALIKE = "all ratings are alike, so nothing can be expected of chance"


@dataclass(frozen=True)
class Agreement:
    """The figures of one axis, which belong together."""

    raw: Measure
    alpha: Measure
    fleiss: Measure
    ac1: Measure
    categories: int
    """Categories that could be chosen: AC1 depends on how many."""


def counts(units: Iterable[Sequence[Hashable]], categories: Sequence[Hashable]) -> Floats:
    """How often each category was chosen in each unit, shape (units, categories).

    Args:
        units: per unit, the ratings that were given.
        categories: all that could be chosen, those included that nobody chose.

    Raises:
        ValueError: a rating is none of them.
    """
    place = {category: k for k, category in enumerate(categories)}
    found = []
    for ratings in units:
        row = [0.0] * len(place)
        for rating in ratings:
            if rating not in place:
                raise ValueError(f"A rating is one of {', '.join(map(str, place))}, got {rating!r}.")
            row[place[rating]] += 1
        found.append(row)
    return np.asarray(found, dtype=np.float64).reshape(-1, len(place))


def agreement(
    n: Floats, *, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Agreement:  # fmt: skip
    """All figures of one axis with 95 % intervals.

    Args:
        n: from `counts`.
        groups: what units are resampled together, such as their scene; None: each for itself.
        resamples: draws of the bootstrap; 0: no intervals.
        seed: of the draws.
    """
    m = n.sum(axis=1)
    kept = m > 0
    group = [name for name, some in zip(groups, kept, strict=True) if some] if groups is not None else None
    n, m = n[kept], m[kept]
    units = int((m >= 2).sum())
    missing = int((m < 2).sum())
    equal = bool(len(m)) and bool((m == m[0]).all())
    # units with the same counts are alike in every figure: how often each pattern is drawn says all
    patterns, of = np.unique(n, axis=0, return_inverse=True) if len(n) else (n, np.zeros(0, dtype=np.int64))
    times = np.bincount(of.ravel(), minlength=len(patterns)).astype(np.float64)
    figures = _figures(patterns, times[None, :])[:, 0]
    drawn = _figures(patterns, _draws(times, of.ravel(), group, resamples, seed)) if resamples and units else None
    methods = (RAW, ALPHA, FLEISS if equal else GENERALISED, AC1)
    made = []
    for k, method in enumerate(methods):
        if not units:
            made.append(Measure(None, 0, method, reason=_NO_PAIR, n_missing=missing))
        elif np.isnan(figures[k]):
            made.append(Measure(None, units, method, reason=_ALIKE, n_missing=missing))
        else:
            interval, why = (None, "") if drawn is None else _interval(drawn[k])
            how = f"{method}; {BOOTSTRAP}, {resamples} draws, seed {seed}" if drawn is not None else method
            made.append(Measure(float(figures[k]), units, how, interval, why, n_missing=missing))
    raw, alpha, fleiss, ac1 = made
    return Agreement(raw, alpha, fleiss, ac1, n.shape[1])


def _draws(times: Floats, of: NDArray[np.int64], groups: Sequence[Hashable] | None, resamples: int, seed: int) -> Floats:
    """How often each pattern is drawn, shape (resamples, patterns)."""
    rng = np.random.default_rng(seed)
    many = int(times.sum())
    if groups is None:
        return rng.multinomial(many, times / many, size=resamples).astype(np.float64)
    numbers: dict[Hashable, int] = {}
    place = np.asarray([numbers.setdefault(name, len(numbers)) for name in groups], dtype=np.int64)
    within = np.zeros((len(numbers), len(times)))
    np.add.at(within, (place, of), 1.0)
    drawn = rng.multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)), size=resamples)
    found: Floats = drawn.astype(np.float64) @ within
    return found


def _figures(n: Floats, weight: Floats) -> Floats:
    """Raw agreement, α, κ and AC1 for each row of weights, shape (4, rows); NaN: undefined."""
    m = n.sum(axis=1)
    paired = m >= 2
    pairs = (n * (n - 1)).sum(axis=1)
    q = n.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_unit = np.where(paired, pairs / np.where(paired, m * (m - 1), 1), 0.0)
        raw = weight @ of_unit / (weight @ paired.astype(np.float64))
        # α: the margins of the coincidence matrix, and the equal pairs on its diagonal
        margins = weight @ (n * paired[:, None])
        total = margins.sum(axis=1)
        diagonal = weight @ np.where(paired, pairs / np.where(paired, m - 1, 1), 0.0)
        chance = np.square(total) - np.square(margins).sum(axis=1)
        alpha = 1 - (total - 1) * (total - diagonal) / np.where(chance > 0, chance, np.nan)
        share = weight @ (n / np.where(m, m, 1)[:, None]) / weight.sum(axis=1)[:, None]
        by_fleiss = np.square(share).sum(axis=1)
        # a share of 1 makes chance certain; sums of shares are equal to it but for the last digits
        fleiss = (raw - by_fleiss) / np.where(by_fleiss < 1 - 1e-12, 1 - by_fleiss, np.nan)
        by_gwet = (share * (1 - share)).sum(axis=1) / (q - 1) if q > 1 else np.full(len(weight), np.nan)
        ac1 = (raw - by_gwet) / (1 - by_gwet)
    return np.stack([raw, alpha, fleiss, ac1])


def _interval(drawn: Floats) -> tuple[tuple[float, float] | None, str]:
    undefined = float(np.isnan(drawn).mean())
    if undefined > MOST_UNDEFINED:
        return None, f"{undefined:.0%} of the draws leave it undefined, so there is no interval"
    low, high = np.nanpercentile(drawn, (2.5, 97.5))
    return (float(low), float(high)), f"{undefined:.1%} of the draws left it undefined" if undefined else ""


def fleiss_by_category(n: Floats) -> list[float | None]:
    """Fleiss' κ of each category against all others; the same number of ratings in each unit (Fleiss 1971, Psychological Bulletin 76)."""
    m = n.sum(axis=1)
    share = n.sum(axis=0) / n.sum()
    apart = (n * (m[:, None] - n)).sum(axis=0)
    found = []
    for k, p in enumerate(share):
        chance = len(m) * m[0] * (m[0] - 1) * p * (1 - p)
        found.append(float(1 - apart[k] / chance) if chance else None)
    return found


def krippendorff(units: Iterable[Sequence[Hashable]], level: Level = "nominal") -> float | None:
    """Krippendorff's alpha; None where no unit has two values, or all values are equal.

    Args:
        units: per unit, the values that were given, missing ones left out; units with fewer than two do not count. Numbers, where the
            level is not nominal.
        level: of measurement, which says how far two values are apart.

    Example:
        >>> krippendorff([["a", "a"], ["b", "b"], ["a", "b"]]) is not None
        True
    """
    paired = [values for values in units if len(values) > 1]
    seen = list(dict.fromkeys(value for values in paired for value in values))
    if len(seen) < 2:
        return None
    if level != "nominal":
        seen.sort(key=lambda value: float(str(value)))
    n = counts(paired, seen)
    each = 1 / (n.sum(axis=1) - 1)
    pairs = (n * each[:, None]).T @ n - np.diag(each @ n)
    margins = n.sum(axis=0)
    apart = _distances(seen, margins, level)
    total = margins.sum()
    expected = (np.outer(margins, margins) * apart).sum() / (total - 1)
    return float(1 - (pairs * apart).sum() / expected)


def _distances(values: Sequence[Hashable], margins: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "ordinal":
        # ranks of the values that occur, each in the middle of its own ratings
        numbers = np.cumsum(margins) - margins / 2
    else:
        numbers = np.asarray(values, dtype=np.float64)
    apart = np.subtract.outer(numbers, numbers)
    if level == "ratio":
        apart = apart / np.add.outer(numbers, numbers)
    return np.square(apart)


def cohen(table: Sequence[Sequence[float]] | Floats, weights: Sequence[Sequence[float]] | Floats | None = None) -> float | None:
    """Cohen's κ of two raters; None where chance alone would agree.

    Args:
        table: how often the first rater chose the row and the second the column.
        weights: how grave each disagreement is, 0 on the diagonal; None: all alike.
    """
    p = np.asarray(table, dtype=np.float64)
    p = p / p.sum()
    w = 1 - np.eye(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
    expected = float((w * np.outer(p.sum(axis=1), p.sum(axis=0))).sum())
    return 1 - float((w * p).sum()) / expected if expected else None
