"""Sets whose golds prefer an answer or a place, and sets of few things (ESI-Bench Table 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import scipy

from annotation.auditing.balance import balance, closed_answers, golds, places, position_test
from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.shortcuts import LEVEL, flat, named_categories
from data.task import Task
from study.measures.comparisons import holm

Rows = list[tuple[Row, Task]]
NARROW = 0.5
"""Normalised entropy of the things' categories below which a set is narrow (the published categories lie between 0.72 and 0.92)."""
FEW = 20
"""Smaller kinds are not called narrow."""


def _unbalanced(audited: Audited) -> Iterator[Finding]:
    tested: list[tuple[tuple[str, str], Rows, tuple[str, ...], int, float, float]] = []
    for kind, rows in audited.by_kind().items():
        tasks = [task for _, task in rows]
        classes = closed_answers(tasks)
        if classes < 2:
            continue
        (most, count), *_ = golds(tasks).most_common(1)
        # the most frequent of K: tested for every one of them
        p = min(1.0, classes * float(scipy.stats.binomtest(count, len(rows), 1 / classes, alternative="greater").pvalue))
        tested.append((kind, rows, most, count, 1 / classes, p))
    for (kind, rows, most, count, chance, _), p in zip(tested, holm([t[-1] for t in tested]), strict=True):
        if p >= LEVEL:
            continue
        entropy = balance([task for _, task in rows]).answers
        for row, task in rows:
            if tuple(part.strip().lower() for part in flat(task.gold.accepted[0])) == most:
                yield Finding(
                    row,
                    f"Its gold {task.gold.accepted[0]!r} is that of {count} of {len(rows)} questions of {' / '.join(kind)} "
                    f"({count / len(rows):.2f} against {chance:.2f} by chance, adjusted p {p:.2g}; answer balance {entropy or 0:.2f}).",
                )


def _places(audited: Audited) -> Iterator[Finding]:
    tested: list[tuple[tuple[str, str], Rows, int, Counter[int], float]] = []
    for kind, rows in audited.by_kind().items():
        if len({task.question.options for _, task in rows}) == 1:
            continue  # one order for all, such as yes before no: the place says what the answer says
        for number, counts in places(task for _, task in rows).items():
            if number > 1 and sum(counts.values()) >= 5 * number:  # what χ² needs
                tested.append((kind, rows, number, counts, position_test([counts[i] for i in range(number)])[1]))
    for (kind, rows, number, counts, _), p in zip(tested, holm([t[-1] for t in tested]), strict=True):
        if p >= LEVEL:
            continue
        place, count = counts.most_common(1)[0]
        for row, task in rows:
            gold, options = task.gold.accepted[0], task.question.options
            if len(options) == number and isinstance(gold, str) and gold in options and options.index(gold) == place:
                yield Finding(
                    row,
                    f"Its gold {gold!r} is option {place + 1} of {number}, as in {count} of {sum(counts.values())} questions of "
                    f"{' / '.join(kind)} with {number} options (χ² against equal places, adjusted p {p:.2g}).",
                )


def _narrow(audited: Audited) -> Iterator[Finding]:
    for kind, rows in audited.by_kind().items():
        found = balance([task for _, task in rows]).objects
        counted = Counter(category for _, task in rows for category in named_categories(task))
        if len(rows) < FEW or not counted or (found is not None and found >= NARROW):
            continue
        category, count = counted.most_common(1)[0]
        value = "one category" if found is None else f"object diversity {found:.2f}"
        for row, task in rows:
            if category in named_categories(task):
                yield Finding(row, f"{count} of {len(rows)} questions of {' / '.join(kind)} are about a {category} ({value}).")


CHECKS = (
    Check(
        id="answers-unbalanced",
        severity="warning",
        about="Kinds whose questions all offer the same answers and whose golds prefer one of them beyond chance (exact binomial for "
        "the most frequent one, times their number, Holm over the kinds). Saying it always scores above chance.",
        fix="Add questions with the other answers, or report the majority rate beside every score.",
        look=_unbalanced,
        source="ESI-Bench Table 6",
    ),
    Check(
        id="gold-position",
        severity="warning",
        about="Kinds whose gold stands at one place among the stored options more often than at others (χ², Holm over kinds, five "
        "expected in each place at the least). A runner that shows options as stored gives the answer away.",
        fix="Shuffle the options of every row, or for every showing.",
        look=_places,
        source="ESI-Bench Table 6",
    ),
    Check(
        id="objects-narrow",
        severity="note",
        about=f"Kinds whose questions are about few categories of things: normalised entropy under {NARROW} in {FEW} questions or more. "
        "Scores say little of other things.",
        fix="Use more categories, each about equally often.",
        look=_narrow,
        source="ESI-Bench Table 6",
    ),
)
