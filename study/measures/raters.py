"""How often each rater is right, from votes alone and from items whose answer is known.

`dawid_skene` gives every rater a table of confusions (Dawid & Skene 1979, Applied Statistics 28, 20–28). For axes of two categories with
few votes an item `one_coin` is steadier: one accuracy a rater, with a weak prior, and the items whose answer is known held at it, which
also tells right from wrong where votes alone would fit as well the other way round. What an item *is* stays the majority's vote: the model
only reports.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from study.measures.record import Measure

Floats = NDArray[np.float64]

PRIOR = (1.5, 1.2)
"""Beta distribution of an accuracy before any vote: almost flat, a little above one half."""
FEWEST = 10
"""Votes below which an estimate is mostly the prior."""
_CLOSE = 1e-8
ONE_COIN = f"one-coin Dawid–Skene model by EM, Beta({PRIOR[0]}, {PRIOR[1]}) prior, known items held at their answer"

Rating = tuple[Hashable, Hashable, Hashable]
"""(rater, item, category)."""


@dataclass(frozen=True)
class Confusions:
    """What Dawid and Skene's model finds."""

    prior: Floats
    """Share of each category, shape (categories,)."""
    tables: Mapping[Hashable, Floats]
    """Rater → how often (true category as row) what was said (as column)."""
    items: Mapping[Hashable, Floats]
    """Item → the probability of each category."""

    def accuracy(self, rater: Hashable) -> float:
        """How often a rater is right, over the categories as they occur."""
        return float(self.prior @ np.diag(self.tables[rater]))


def dawid_skene(ratings: Sequence[Rating], categories: Sequence[Hashable], *, rounds: int = 1000) -> Confusions:
    """Dawid and Skene's model, by EM from the shares of the votes.

    Args:
        ratings: all of them; one rater may rate an item more than once.
        categories: all that could be chosen.
        rounds: at most so many; it ends earlier where nothing changes.
    """
    raters, items = _numbers(r[0] for r in ratings), _numbers(r[1] for r in ratings)
    place = {category: k for k, category in enumerate(categories)}
    said = np.zeros((len(raters), len(items), len(place)))
    for rater, item, category in ratings:
        said[raters[rater], items[item], place[category]] += 1
    believed = said.sum(axis=0)
    believed /= believed.sum(axis=1, keepdims=True)
    prior, tables = believed.mean(axis=0), np.zeros((len(raters), len(place), len(place)))
    for _ in range(rounds):
        prior = believed.mean(axis=0)
        tables = np.einsum("ij,ail->ajl", believed, said)
        tables /= np.maximum(tables.sum(axis=2, keepdims=True), 1e-300)
        with np.errstate(divide="ignore"):
            logs = np.log(prior)[None, :] + np.einsum("ail,ajl->ij", said, np.maximum(np.log(tables), -1e3))
        logs -= logs.max(axis=1, keepdims=True)
        after = np.exp(logs)
        after /= after.sum(axis=1, keepdims=True)
        moved, believed = float(np.abs(after - believed).max()), after
        if moved < _CLOSE:
            break
    return Confusions(
        prior, {rater: tables[k] for rater, k in raters.items()}, {item: believed[k] for item, k in items.items()}
    )  # fmt: skip


def one_coin(
    ratings: Sequence[tuple[Hashable, Hashable, bool]], known: Mapping[Any, bool] | None = None, *, rounds: int = 1000
) -> dict[Hashable, Measure]:  # fmt: skip
    """The accuracy of each rater on a yes-or-no axis.

    Args:
        ratings: (rater, item, vote).
        known: item → its answer, where it is known.
        rounds: at most so many; it ends earlier where nothing changes.

    Returns:
        Rater → estimate, in the order in which they appear; `n` is their votes. Undefined with fewer than three raters, and where every
        vote is the same.
    """
    known = known or {}
    raters, items = _numbers(r[0] for r in ratings), _numbers(r[1] for r in ratings)
    who = np.asarray([raters[r[0]] for r in ratings], dtype=np.int64)
    what = np.asarray([items[r[1]] for r in ratings], dtype=np.int64)
    yes = np.asarray([bool(r[2]) for r in ratings])
    votes = np.bincount(who, minlength=len(raters))
    why = "two raters alone tell nothing of each other" if len(raters) < 3 and not known else ""
    if not why and len(yes) and not known and (yes.all() or not yes.any()):
        why = "every vote is the same"
    if why:
        return {rater: Measure(None, int(votes[k]), ONE_COIN, reason=why) for rater, k in raters.items()}
    held = {items[item]: answer for item, answer in known.items() if item in items}
    places = np.asarray(sorted(held), dtype=np.int64)
    answers = np.asarray([float(held[k]) for k in sorted(held)])
    given = np.maximum(np.bincount(what, minlength=len(items)), 1)
    believed = np.bincount(what, weights=yes, minlength=len(items)) / given
    believed[places] = answers
    free = np.ones(len(items), dtype=bool)
    free[places] = False
    accuracy = np.full(len(raters), 0.5)
    a, b = PRIOR
    for _ in range(rounds):
        right = np.where(yes, believed[what], 1 - believed[what])
        after = (np.bincount(who, weights=right, minlength=len(raters)) + a - 1) / (votes + a + b - 2)
        moved, accuracy = float(np.abs(after - accuracy).max()), after
        if moved < _CLOSE:
            break
        share = float(np.clip(believed[free].mean() if free.any() else 0.5, 1e-6, 1 - 1e-6))
        odds = np.log(accuracy / (1 - accuracy))
        logs = np.log(share / (1 - share)) + np.bincount(what, weights=np.where(yes, odds[who], -odds[who]), minlength=len(items))
        believed = 1 / (1 + np.exp(-logs))
        believed[places] = answers
    few = f"fewer than {FEWEST} votes: mostly what was assumed beforehand"
    return {
        rater: Measure(float(accuracy[k]), int(votes[k]), ONE_COIN, reason=few if votes[k] < FEWEST else "")
        for rater, k in raters.items()
    }  # fmt: skip


def _numbers(names: object) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    for name in names:  # type: ignore[attr-defined]
        found.setdefault(name, len(found))
    return found
