"""Accuracy of a study's trials: over answers, as one verdict per task, over matched tasks, and the differences of paradigms.

All take the trials of a group as they are, those that declared rules leave out among them, and a `Choice` that says whether these count;
each measure says how many were left out and how many were not answered (measurement 17, 24).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from study.analysis.choice import Choice
from study.analysis.trials import Trial, Truth, paradigms_of
from study.measures.accuracy import NO_ANSWER, Tasks, gap, mean_of_people, share
from study.measures.comparisons import Test, holm, sign_flip
from study.measures.record import Measure
from study.measures.verdicts import Verdicts, verdicts

FAMILY = "Holm over the comparisons of all pairs of paradigms"
DIFFERENCE = "difference of participants' own shares in both (fixed tasks), t quantile of participants − 1"


@dataclass(frozen=True)
class Comparison:
    """The accuracy of one paradigm less that of another, on tasks answered in both."""

    one: str
    """The paradigm that is subtracted."""
    other: str
    random: Measure
    """On tasks like these: the result."""
    fixed: Measure
    """On exactly these tasks, over the participants who answered in both."""
    test: Test
    """Sign flips of the participants' differences, on exactly these tasks."""
    p_holm: float | None
    """Adjusted for the family; None: the test has no p."""
    family: int
    """Comparisons that have a p."""
    tasks: int
    """Answered in both."""


def by(rows: Iterable[Trial], *names: str) -> dict[tuple[str, ...], list[Trial]]:
    """Trials in groups by the values of these fields, in order of first appearance: ``by(rows, "paradigm", "category")``."""
    found: dict[tuple[str, ...], list[Trial]] = defaultdict(list)
    for row in rows:
        found[tuple(getattr(row, name) for name in names)].append(row)
    return dict(found)


def counted(rows: Iterable[Trial], choice: Choice) -> list[Trial]:
    """The trials that count: of the chosen paradigms, with or without those that declared rules leave out."""
    return [
        row for row in rows if (not choice.paradigms or row.paradigm in choice.paradigms) and (choice.with_excluded or not row.excluded)
    ]


def excluded(rows: Iterable[Trial], choice: Choice) -> int:
    """How many trials of the chosen paradigms declared rules leave out; 0 where they count."""
    if choice.with_excluded:
        return 0
    return sum(bool(row.excluded) and (not choice.paradigms or row.paradigm in choice.paradigms) for row in rows)


def scored(rows: Iterable[Trial], truth: Truth) -> list[tuple[Trial, bool]]:
    """The trials that have an answer whose truth is known, with it."""
    return [(row, found) for row in rows if (found := row.right(truth)) is not None]


def told(measure: Measure, rows: Sequence[Trial], choice: Choice, n: int | None = None) -> Measure:
    """A measure with how many of its trials were not answered and how many were left out."""
    missing = len(counted(rows, choice)) - (measure.n if n is None else n)
    return replace(measure, n_missing=missing, n_excluded=excluded(rows, choice))


def accuracy_of(rows: Sequence[Trial], choice: Choice, *, tasks: Tasks = "random") -> Measure:
    """The share of right answers, as a mean over answers.

    Args:
        rows: of one group.
        choice: which of them count, and by which reading they are right.
        tasks: of which tasks the interval speaks.
    """
    found = scored(counted(rows, choice), choice.truth)
    made = share([right for _, right in found], [row.person for row, _ in found], [row.task_id for row, _ in found], tasks=tasks)
    if made.reason == NO_ANSWER:
        made = replace(made, reason="nobody has answered yet" if not counted(rows, choice) else "none of these tasks has a scored answer")
    return told(made, rows, choice)


def verdicts_of(rows: Sequence[Trial], choice: Choice) -> Verdicts:
    """One verdict per task: the share of tasks whose majority is right; ties and tasks without a majority are not correct."""
    found = scored(counted(rows, choice), choice.truth)
    made = verdicts(
        [right for _, right in found],
        [row.person for row, _ in found],
        [row.task_id for row, _ in found],
        [row.answer for row, _ in found],
        seed=choice.seed,
    )
    return replace(made, share=told(made.share, rows, choice, n=len(found)))


def chance_of(rows: Iterable[Trial], choice: Choice) -> float | None:
    """The share that random well-formed answers would get right: the mean over the answers that count; None: there is none."""
    levels = [row.chance for row in counted(rows, choice) if row.chance is not None and row.right(choice.truth) is not None]
    return sum(levels) / len(levels) if levels else None


def matched(rows: Iterable[Trial], choice: Choice, across: tuple[str, ...] = ("paradigm",)) -> list[Trial]:
    """The trials of tasks that were answered in every compared paradigm.

    Args:
        rows: of all that are compared.
        choice: which of them count.
        across: what is compared, such as ``("agent", "paradigm")``.
    """
    all_rows = list(rows)
    answered = by((row for row, _ in scored(counted(all_rows, choice), choice.truth)), *across)
    shared = set.intersection(*({row.task_id for row in group} for group in answered.values())) if answered else set()
    return [row for row in all_rows if row.task_id in shared]


def person_differences(rows: Iterable[tuple[Trial, bool]], one: str, other: str) -> dict[str, float]:
    """Participant → their share of right answers in `other` less that in `one`; those who answered in both alone."""
    shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: {one: [], other: []})
    for row, right in rows:
        if row.paradigm in (one, other):
            shares[row.person][row.paradigm].append(right)
    means = {
        person: (sum(found[other]) / len(found[other]), sum(found[one]) / len(found[one]))
        for person, found in shares.items()
        if found[one] and found[other]
    }
    return {person: high - low for person, (high, low) in means.items()}


def comparisons_of(rows: Sequence[Trial], choice: Choice) -> list[Comparison]:
    """The differences of all pairs of paradigms, each on the tasks answered in both, in the declared order of paradigms."""
    pairs = list(combinations(paradigms_of(counted(rows, choice)), 2))
    made = [_compared(rows, choice, one, other) for one, other in pairs]
    tested = [k for k, found in enumerate(made) if found.test.p is not None]
    adjusted = dict(zip(tested, holm([found.test.p for found in made if found.test.p is not None]), strict=True))
    return [replace(found, p_holm=adjusted.get(k), family=len(tested)) for k, found in enumerate(made)]


def _compared(rows: Sequence[Trial], choice: Choice, one: str, other: str) -> Comparison:
    both = [row for row in rows if row.paradigm in (one, other)]
    shared = matched(both, choice)
    found = scored(counted(shared, choice), choice.truth)
    if not found:
        found, shared = [], both
    random = gap(
        [right for _, right in found],
        [row.person for row, _ in found],
        [row.task_id for row, _ in found],
        [int(row.paradigm == other) for row, _ in found],
    )
    if random.value is None:
        random = replace(random, reason="no task was answered in both")
    each = person_differences(found, one, other)
    test = sign_flip(list(each.values()), seed=choice.seed)
    fixed = mean_of_people(list(each.values()), DIFFERENCE)
    return Comparison(one, other, told(random, shared, choice), fixed, test, None, 0, len({row.task_id for row, _ in found}))
