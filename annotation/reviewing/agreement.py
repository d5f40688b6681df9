"""How much reviewers agree: shares of equal pairs, and Krippendorff's alpha, per axis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import msgspec

from annotation.reviewing.kind import Kind
from data.store import Store
from study.measures.agreement import krippendorff


class _Cast(msgspec.Struct, frozen=True):
    subject: str
    round: int
    version: int
    axis: str
    vote: str


class Agreement(msgspec.Struct, frozen=True):
    """Agreement on one axis."""

    axis: str
    units: int
    """Rounds of a thing with at least two votes on it."""
    equal_pairs: float | None
    alpha: float | None


def percent_agreement(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Share of the pairs of values of one unit that are equal, over all units; None without a pair."""
    same = [a == b for values in units for a, b in combinations(values, 2)]
    return sum(same) / len(same) if same else None


def by_axis(store: Store, kind: Kind, scope: str) -> list[Agreement]:
    """Agreement of the completed reviews of a project or study, axis by axis in the order of the stages. A unit is one round of one version
    of one thing."""
    units: dict[str, dict[tuple[str, int, int], list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in store.stream(
        "SELECT r.subject, r.round, r.version, v.axis, v.vote FROM reviews r JOIN review_votes v USING (review_id) "
        "WHERE r.kind = ? AND r.scope = ? AND r.decided_at IS NOT NULL",
        _Cast, [kind.name, scope],
    ):  # fmt: skip
        units[row.axis][row.subject, row.round, row.version].append(row.vote)
    found = []
    for axis in (axis.name for stage in kind.stages for axis in stage.axes):
        votes = list(units[axis].values())
        found.append(Agreement(axis, sum(len(v) > 1 for v in votes), percent_agreement(votes), krippendorff(votes)))
    return found
