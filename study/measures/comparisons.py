"""Tests of differences, and their correction where there are many.

* sign flips of participants' differences (Fisher 1935, The Design of Experiments, § 21): on exactly these tasks; with B draws
  p = (b + 1)/(B + 1) (Phipson & Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9, 39).
* Holm 1979, Scandinavian J. Statistics 6, 65–70, for families of planned comparisons; Benjamini & Hochberg 1995, J. Royal Statistical
  Society B 57, 289–300, for screens such as the flags of items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from study.measures.intervals import Floats

EXACT_UP_TO = 15
"""So many participants have all 2^P sign flips counted."""
DRAWS = 9999


@dataclass(frozen=True)
class Test:
    """A test of a difference."""

    p: float | None
    """Two-sided; None: it cannot be said."""
    method: str
    reason: str = ""


def sign_flip(differences: Sequence[float] | Floats, *, seed: int = 0, draws: int = DRAWS) -> Test:
    """Whether participants' differences have a mean of 0, two-sided.

    Args:
        differences: one for each participant.
        seed: of the draws, where not all flips are counted.
        draws: how many.
    """
    each = np.asarray(differences, dtype=np.float64)
    n = len(each)
    if n < 2:
        return Test(None, "sign-flip permutation", "it needs two participants who answered in both")
    if not each.any():
        return Test(1.0, "sign-flip permutation; every difference is 0")
    found = abs(each.sum())
    # sums that are equal but for the last digits are ties, and ties count
    found -= 1e-9 * np.abs(each).sum()
    if n <= EXACT_UP_TO:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return Test(float((np.abs(signs @ each) >= found).mean()), f"sign-flip permutation of {n} participants, all 2^{n} flips")
    signs = np.random.default_rng(seed).integers(0, 2, size=(draws, n), dtype=np.int8) * 2 - 1
    beyond = int((np.abs(signs @ each) >= found).sum())
    return Test((beyond + 1) / (draws + 1), f"sign-flip permutation of {n} participants, {draws} draws, seed {seed}")


def holm(p: Sequence[float]) -> list[float]:
    """p values adjusted for a family of comparisons, in their order.

    Raises:
        ValueError: one is no number.
    """
    order, found, running = _ordered(p), [0.0] * len(p), 0.0
    for rank, k in enumerate(order):
        running = max(running, min(1.0, p[k] * (len(p) - rank)))
        found[k] = running
    return found


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """p values adjusted to hold the share of false finds, in their order.

    Raises:
        ValueError: one is no number.
    """
    order, found, running = _ordered(p), [0.0] * len(p), 1.0
    for rank in range(len(order), 0, -1):
        k = order[rank - 1]
        running = min(running, p[k] * len(p) / rank)
        found[k] = running
    return found


def _ordered(p: Sequence[float]) -> list[int]:
    if any(math.isnan(one) for one in p):
        raise ValueError("a p value that is not defined belongs to no family: leave it out and list it")
    return sorted(range(len(p)), key=lambda k: p[k])
