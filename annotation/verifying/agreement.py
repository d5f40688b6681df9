"""How much verifiers agree, per axis and category, and how well each of them judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotation.reviewing.kinds.tasks import AXES
from annotation.verifying import verifications
from annotation.verifying.cast import Cast, casts, last_whole_rounds
from data.store import Store
from data.subcategories import CATEGORIES
from study.measures import agreement as measures
from study.measures.agreement import Agreement
from study.measures.intervals import wilson
from study.measures.raters import one_coin
from study.measures.record import Measure

ALL = "all"
"""In place of a category: all of them."""
KEEP = "overall"
"""In place of an axis: whether a verdict passes all three."""


@dataclass(frozen=True)
class AxisAgreement:
    """Agreement on one axis in one category."""

    axis: str
    category: str
    passed: Measure
    """Share of the votes that pass it: where it is near 1, κ and α say little."""
    figures: Agreement


@dataclass(frozen=True)
class Person:
    """How somebody judges."""

    staff_id: str
    verdicts: int
    """On tasks, in whole rounds and others."""
    controls: int
    on_controls: Mapping[str, Measure]
    """Axis, and `KEEP` for all three of a control together → share of known verdicts that they gave."""
    estimated: Mapping[str, Measure]
    """Axis → accuracy by the votes of all, with the controls held at what they are."""
    paused: bool


def agreement_of(
    store: Store, verification_id: str, *, without: Collection[str] = (), resamples: int = measures.RESAMPLES, seed: int = 0
) -> list[AxisAgreement]:  # fmt: skip
    """Agreement per axis, over all categories and in each that has a whole round.

    Args:
        store: the database.
        verification_id: the verification.
        without: people whose rounds do not count.
        resamples: draws for the intervals; 0: none.
        seed: of the draws.

    Raises:
        UnknownVerification: there is none.
    """
    slots = verifications.get(store, verification_id).protocol.slots
    return of_casts(last_whole_rounds(casts(store, verification_id), slots, without=without), resamples=resamples, seed=seed)


def of_casts(found: Sequence[Cast], *, resamples: int = measures.RESAMPLES, seed: int = 0) -> list[AxisAgreement]:
    """Agreement per category and axis of these verdicts."""
    seen = {cast.category for cast in found}
    out = []
    for category in (ALL, *(name for name in CATEGORIES if name in seen)):
        rounds: dict[tuple[str, int], list[Cast]] = {}
        for cast in found:
            if category in (ALL, cast.category):
                rounds.setdefault((cast.subject, cast.round), []).append(cast)
        for axis in (*AXES, KEEP):
            votes = [[_vote(cast, axis) for cast in given] for given in rounds.values()]
            flat = [vote for given in votes for vote in given]
            passed = Measure(
                sum(flat) / len(flat) if flat else None, len(flat), "share of votes that pass", reason="" if flat else "there is no vote"
            )
            figures = measures.agreement(measures.counts(votes, (False, True)), resamples=resamples, seed=seed)
            out.append(AxisAgreement(axis, category, passed, figures))
    return out


def _vote(cast: Cast, axis: str) -> bool:
    return cast.keeps if axis == KEEP else cast.passes[axis]


def people(store: Store, verification_id: str) -> list[Person]:
    """Everybody who has judged in a verification, with their accuracy on controls and by the votes of all.

    Raises:
        UnknownVerification: there is none.
    """
    on_tasks, on_controls = casts(store, verification_id), casts(store, verification_id, "control")
    rows = store.query("SELECT staff_id FROM paused_people WHERE verification_id = ?", [verification_id])
    paused = {row["staff_id"] for row in rows}
    estimates = accuracies(on_tasks, on_controls)
    names = dict.fromkeys(cast.reviewer for cast in (*on_tasks, *on_controls))
    return [
        Person(
            who,
            sum(cast.reviewer == who for cast in on_tasks),
            sum(cast.reviewer == who for cast in on_controls),
            _known(on_controls, who),
            {axis: estimates[axis][who] for axis in AXES if who in estimates[axis]},
            who in paused,
        )
        for who in names
    ]


def accuracies(on_tasks: Sequence[Cast], on_controls: Sequence[Cast]) -> dict[str, dict[str, Measure]]:
    """Axis → person → how often they are right, by the one-coin model over all their votes, with the controls held at what they are.

    What a task is stays its majority: this only reports.
    """
    found = {}
    for axis in AXES:
        said = [(cast.reviewer, (cast.subject, cast.round), cast.passes[axis]) for cast in (*on_tasks, *on_controls)]
        known = {(cast.subject, cast.round): cast.expected[axis] == "pass" for cast in on_controls if axis in cast.expected}
        found[axis] = {str(who): measure for who, measure in one_coin(said, known).items()}
    return found


def _known(on_controls: Sequence[Cast], who: str) -> dict[str, Measure]:
    own = [cast for cast in on_controls if cast.reviewer == who and cast.expected]
    right = {axis: [cast.passes[axis] == (cast.expected[axis] == "pass") for cast in own if axis in cast.expected] for axis in AXES}
    right[KEEP] = [all(cast.passes[axis] == (verdict == "pass") for axis, verdict in cast.expected.items()) for cast in own]
    return {axis: wilson(sum(given), len(given)) for axis, given in right.items()}
