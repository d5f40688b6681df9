"""Balance and diversity of a set (ESI-Bench Table 6): normalised entropies, and whether a set's golds prefer an answer or a place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import scipy

from annotation.auditing.shortcuts import flat, named_categories
from data.task import Task


def normalised_entropy(counts: Iterable[int], classes: int = 0) -> float | None:
    """(−Σ p·log p) / log K, 0 to 1; None where there is one class or none.

    Args:
        counts: how often each class was met.
        classes: K; 0: the classes that were met.
    """
    met = [count for count in counts if count > 0]
    k = max(classes, len(met))
    if k < 2 or not met:
        return None
    whole = sum(met)
    return -sum(count / whole * math.log(count / whole) for count in met) / math.log(k)


@dataclass(frozen=True)
class Balance:
    """The figures of one group of tasks; None: undefined."""

    n: int
    answers: float | None
    """Normalised entropy of the golds; K: the answers of a closed set, else the golds seen."""
    objects: float | None
    """Normalised entropy of the categories of things that the questions are about, one count for each task and category."""
    places: float | None
    """Normalised entropy of the golds' places among the stored options; K: the places."""


def closed_answers(tasks: Sequence[Task]) -> int:
    """How many answers all tasks offer, where all offer the same; else 0."""
    offered = {frozenset(task.question.options) for task in tasks if task.question.form in ("yes_no", "choice", "count")}
    return len(next(iter(offered))) if len(offered) == 1 and all(task.question.options for task in tasks) else 0


def golds(tasks: Iterable[Task]) -> Counter[tuple[str, ...]]:
    """How often each answer is the canonical gold, without regard to case."""
    return Counter(tuple(part.strip().lower() for part in flat(task.gold.accepted[0])) for task in tasks)


def places(tasks: Iterable[Task]) -> dict[int, Counter[int]]:
    """Number of options → place of the gold among them, from 0 → how often; of questions with one answer among options."""
    found: dict[int, Counter[int]] = {}
    for task in tasks:
        gold = task.gold.accepted[0]
        if isinstance(gold, str) and gold in task.question.options:
            found.setdefault(len(task.question.options), Counter())[task.question.options.index(gold)] += 1
    return found


def position_test(counts: Sequence[int]) -> tuple[float, float]:
    """(χ², p) of the golds' places against equal ones."""
    found = scipy.stats.chisquare(counts)
    return float(found.statistic), float(found.pvalue)


def balance(tasks: Sequence[Task]) -> Balance:
    """The figures of one subcategory's tasks."""
    categories = Counter(category for task in tasks for category in named_categories(task))
    by_number = places(tasks)
    parts = [(sum(c.values()), normalised_entropy(c.values(), k)) for k, c in by_number.items() if k > 1]
    counted = [(n, h) for n, h in parts if h is not None]
    return Balance(
        len(tasks),
        normalised_entropy(golds(tasks).values(), closed_answers(tasks)),
        normalised_entropy(categories.values()),
        sum(n * h for n, h in counted) / sum(n for n, _ in counted) if counted else None,
    )


@dataclass(frozen=True)
class CategoryBalance:
    """One category's line of Table 6."""

    category: str
    """Empty: the mean over the categories."""
    n: int
    """Tasks."""
    subcategories: int
    answer_balance: float | None
    """Mean over its subcategories; None: undefined in each."""
    answer_balance_pooled: float | None
    """Of its tasks taken together."""
    answer_balance_of: int
    """Subcategories in which it is defined."""
    object_diversity: float | None
    object_diversity_pooled: float | None
    object_diversity_of: int
    position_entropy: float | None


def table(by_kind: Mapping[tuple[str, str], Sequence[Task]]) -> list[CategoryBalance]:
    """Table 6: for each category the mean over its subcategories, and beside it the value of its tasks pooled; the mean line last.

    A subcategory with one answer, or about one kind of thing, alone is undefined and in no mean.
    """
    groups: dict[str, list[Sequence[Task]]] = {}
    for (category, _), tasks in by_kind.items():
        groups.setdefault(category, []).append(tasks)
    found = [_line(category, parts) for category, parts in groups.items()]
    if not found:
        return []
    whole = CategoryBalance(
        "", sum(one.n for one in found), sum(one.subcategories for one in found),
        _mean(one.answer_balance for one in found), _mean(one.answer_balance_pooled for one in found),
        sum(one.answer_balance_of for one in found),
        _mean(one.object_diversity for one in found), _mean(one.object_diversity_pooled for one in found),
        sum(one.object_diversity_of for one in found), _mean(one.position_entropy for one in found),
    )  # fmt: skip
    return [*found, whole]


def _line(category: str, parts: Sequence[Sequence[Task]]) -> CategoryBalance:
    each = [balance(tasks) for tasks in parts]
    pooled = balance([task for tasks in parts for task in tasks])
    return CategoryBalance(
        category, pooled.n, len(each),
        _mean(b.answers for b in each), pooled.answers, sum(b.answers is not None for b in each),
        _mean(b.objects for b in each), pooled.objects, sum(b.objects is not None for b in each),
        _mean(b.places for b in each),
    )  # fmt: skip


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
