"""The paper's Table 4, live: how many of the proposed tasks pass each axis and all three, beside the published figures.

ESI-Bench, App. H.2: an axis passes with at least two of three votes, a task with all three axes; the share of pass *votes* is a second
figure. Its last row is the plain mean of the categories. Published are shares alone: no n and no agreement.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from annotation.reviewing.kinds.tasks import AXES
from annotation.verifying import verifications
from annotation.verifying.agreement import KEEP
from annotation.verifying.cast import Cast, casts, last_whole_rounds, majority
from data.store import Store
from data.subcategories import CATEGORIES

COLUMNS = (*AXES, KEEP)
AVERAGE = "Average"
PUBLISHED: Mapping[str, tuple[float, float, float, float]] = {
    "Perceptual Grounding": (94.7, 93.8, 91.6, 88.9),
    "Physical Structure": (91.3, 90.5, 88.2, 84.6),
    "Physical Dynamics": (89.8, 88.7, 86.9, 82.1),
    "Specular Reflection": (93.4, 92.1, 89.5, 86.7),
    "Spatial Relations": (92.6, 91.4, 87.8, 85.2),
    "Metric Comparison": (95.1, 94.3, 90.7, 89.4),
    "Cognitive Mapping": (96.4, 95.8, 92.6, 91.2),
    "Enumerative Perception": (87.9, 86.5, 83.9, 78.6),
    "Temporal Understanding": (90.7, 89.9, 87.1, 83.6),
    "Action Sequencing": (88.5, 87.3, 85.4, 80.9),
    AVERAGE: (92.0, 91.0, 88.4, 85.1),
}
"""Category → percent that pass correctness, answerability, non-triviality, and all three (ESI-Bench, Table 4)."""


class Row(msgspec.Struct, frozen=True):
    """One row of the table."""

    category: str
    n: int
    """Tasks with a whole round; in the last row of all categories."""
    passed: dict[str, float | None]
    """Axis, and ``overall`` → percent of tasks that pass by their majority; None: there is none."""
    votes: dict[str, float | None]
    """The same → percent of votes that pass."""
    published: dict[str, float]
    """The same → what the paper prints."""
    left_out: int
    """Tasks that do not count because a person who is left out had judged them."""


def table4(store: Store, verification_id: str, *, without: Collection[str] = ()) -> list[Row]:
    """A row for each category, then their plain mean.

    Args:
        store: the database.
        verification_id: the verification.
        without: people whose rounds do not count, such as those who are paused.

    Raises:
        UnknownVerification: there is none.
    """
    slots = verifications.get(store, verification_id).protocol.slots
    found = casts(store, verification_id)
    whole = last_whole_rounds(found, slots)
    return of_casts(last_whole_rounds(found, slots, without=without), whole)


def of_casts(counted: Sequence[Cast], whole: Sequence[Cast] = ()) -> list[Row]:
    """The table of these verdicts.

    Args:
        counted: what counts, whole rounds alone.
        whole: what would count if nobody were left out.
    """
    rounds: dict[str, dict[str, list[Cast]]] = {category: {} for category in CATEGORIES}
    for cast in counted:
        rounds[cast.category].setdefault(cast.subject, []).append(cast)
    there = {category: {cast.subject for cast in whole if cast.category == category} for category in CATEGORIES}
    rows = [_row(category, list(rounds[category].values()), len(there[category] - set(rounds[category]))) for category in CATEGORIES]
    with_some = [row for row in rows if row.n]

    def mean(of: Sequence[Mapping[str, float | None]], column: str) -> float | None:
        values = [value for row in of if (value := row[column]) is not None]
        return sum(values) / len(values) if values else None

    average = Row(
        AVERAGE,
        sum(row.n for row in rows),
        {column: mean([row.passed for row in with_some], column) for column in COLUMNS},
        {column: mean([row.votes for row in with_some], column) for column in COLUMNS},
        dict(zip(COLUMNS, PUBLISHED[AVERAGE], strict=True)),
        sum(row.left_out for row in rows),
    )
    return [*rows, average]


def _row(category: str, given: Sequence[Sequence[Cast]], left_out: int) -> Row:
    decided = [majority(one) for one in given]
    passed = {axis: _percent([by[axis] for by in decided]) for axis in AXES} | {KEEP: _percent([all(by.values()) for by in decided])}
    flat = [cast for one in given for cast in one]
    votes = {axis: _percent([cast.passes[axis] for cast in flat]) for axis in AXES} | {KEEP: _percent([cast.keeps for cast in flat])}
    return Row(category, len(given), passed, votes, dict(zip(COLUMNS, PUBLISHED[category], strict=True)), left_out)


def _percent(values: Sequence[bool]) -> float | None:
    return 100 * sum(values) / len(values) if values else None
