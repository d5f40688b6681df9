"""Golds that can be guessed from a row's text, without looking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.shortcuts import ENOUGH, FAMILIES, LEVEL, signal
from study.measures.comparisons import holm
from study.measures.intervals import wilson

_RULE = (
    f"A conditional logit, cross-validated in ten folds with twins and repeated questions in one fold, against the share of the most "
    f"frequent gold (or chance, if that is higher); exact binomial, one-sided, at {LEVEL} with Holm over the kinds and Bonferroni over "
    f"the signals. Kinds with fewer "
    f"than {ENOUGH} different questions are not tested: so few could give no alarm."
)


def _look(name: str) -> Callable[[Audited], Iterator[Finding]]:
    def look(audited: Audited) -> Iterator[Finding]:
        row_of: dict[int, Row] = {id(task): row for row, task in audited.tasks}
        tested = [(kind, signal(map(itemgetter(1), rows), name)) for kind, rows in audited.by_kind().items()]
        made = [(kind, found) for kind, found in tested if found is not None]
        for (kind, found), p in zip(made, holm([min(1.0, found.p * len(FAMILIES)) for _, found in made]), strict=True):
            if p >= LEVEL:
                continue
            low, high = wilson(found.right, found.n).interval or (0.0, 1.0)
            share = (
                f"{found.right} of {found.n} questions of {' / '.join(kind)}, {found.right / found.n:.2f} [{low:.2f}, {high:.2f}] against "
                f"{found.against:.2f}, adjusted p {p:.2g}"
            )
            for choice in found.guessed:
                gold = choice.task.gold.accepted[0]
                yield Finding(row_of[id(choice.task)], f"Its gold {gold!r} is guessed from {FAMILIES[name][0]}: {share}.")

    return look


CHECKS = tuple(
    Check(
        id=f"predictable-{name}",
        severity="warning",
        about=f"Golds of a kind that are guessed from {told} more often than always saying the most frequent gold is right: part of its "
        f"score needs no looking. {_RULE}",
        fix="Balance the signal against the gold (twins with opposite golds, permuted options, other things), and report the baseline "
        "beside every score.",
        look=_look(name),
        source="ESI-Bench App. H.3",
    )
    for name, (told, _) in FAMILIES.items()
)
