"""What was put into simulated people, beside what the measures find in their answers.

What was put in is the expectation under the model for the trials that came to be: a population's accuracy for intervals that speak of
tasks like these, the accuracy at exactly these tasks for those that do so, and of all else the mean over the trials of what each was given.
It is computed from the minds alone; the estimates are computed from the database alone, by the functions that pages and reports use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec
import numpy as np

from data.store import Store
from study.analysis.accuracy import accuracy_of, comparisons_of
from study.analysis.choice import Choice
from study.analysis.paths import changes
from study.analysis.stored import stored
from study.analysis.trials import Trial, Trials
from study.dryrun.minds import Minds, Put
from study.dryrun.people import HOWS, LOOK_S, Meeting
from study.measures.accuracy import mean_of_people
from study.measures.calibration import auroc_of_people, brier, calibration_error
from study.measures.intervals import wilson
from study.measures.means import mean
from study.measures.record import Measure
from study.measures.trajectories import repeated

DRAWS = 200
"""Sets of answers that are drawn anew where an expectation has no closed form."""
SECONDS_A_DAY = 86_400


class Recovered(msgspec.Struct, frozen=True):
    """One measure, and what it should find."""

    measure: str
    put_in: float
    estimate: float | None
    low: float | None
    high: float | None
    holds: bool | None
    """Whether the interval holds what was put in; None: there is no interval."""
    n: int
    method: str
    reason: str


@dataclass(frozen=True)
class _Known:
    """Trials with what was put into each."""

    trials: Trials
    minds: Minds
    pairs: tuple[tuple[Trial, Put], ...]

    def of(self, paradigm: str) -> list[tuple[Trial, Put]]:
        return [(row, put) for row, put in self.pairs if row.paradigm == paradigm]


def recovered(store: Store, study_id: str, mode: str, minds: Minds, met: Sequence[Meeting], dropout: float) -> tuple[Recovered, ...]:
    """Every measure beside what was put in.

    Args:
        store: the dry run's database.
        study_id: its study.
        mode: the kind of run of its people.
        minds: what was put in.
        met: what became of the people.
        dropout: probability that somebody leaves.
    """
    trials = stored(store, study_id, mode=mode)
    known = _Known(trials, minds, tuple((row, minds.put[row.episode_id]) for row in trials.rows if row.episode_id in minds.put))
    if not known.pairs:
        return ()
    of_answers = (*_accuracies(known), *_differences(known), *_confidence(known), *_ways_of_acting(known))
    return (*of_answers, _speed(store, met), _left(met, dropout))


def _line(name: str, put_in: float, found: Measure) -> Recovered:
    low, high = found.interval or (None, None)
    holds = None if low is None or high is None else bool(low <= put_in <= high)
    return Recovered(name, float(put_in), found.value, low, high, holds, found.n, found.method, found.reason)


def _accuracies(known: _Known) -> Iterator[Recovered]:
    for way in known.minds.ways:
        of = known.of(way)
        if of:
            choice = Choice(paradigms=(way,))
            rows = [row for row, _ in of]
            yield _line(f"accuracy, {way}, tasks like these", _population(known, way, of), accuracy_of(rows, choice))
            fixed = accuracy_of(rows, choice, tasks="fixed")
            yield _line(f"accuracy, {way}, exactly these tasks", _these(known, way, of), fixed)


def _population(known: _Known, way: str, of: Sequence[tuple[Trial, Put]]) -> float:
    lapse = known.minds.traits.lapse
    return (1 - lapse) * known.minds.accuracies[way] + lapse * _luck(of)


def _these(known: _Known, way: str, of: Sequence[tuple[Trial, Put]]) -> float:
    lapse = known.minds.traits.lapse
    able = known.minds.response.of_these_tasks([put.task for _, put in of], known.minds.ways.index(way))
    return (1 - lapse) * able + lapse * _luck(of)


def _luck(of: Sequence[tuple[Trial, Put]]) -> float:
    return float(np.mean([put.luck for _, put in of]))


def _differences(known: _Known) -> Iterator[Recovered]:
    rows = [row for row, _ in known.pairs]
    for found in comparisons_of(rows, Choice()):
        shared = {row.task_id for row in rows if row.paradigm == found.one} & {row.task_id for row in rows if row.paradigm == found.other}
        arms = [[(row, put) for row, put in known.of(way) if row.task_id in shared] for way in (found.one, found.other)]
        if all(arms):
            put_in = _population(known, found.other, arms[1]) - _population(known, found.one, arms[0])
            yield _line(f"accuracy, {found.other} less {found.one}", put_in, found.random)


def _confidence(known: _Known) -> Iterator[Recovered]:
    of = [(row, put) for row, put in known.pairs if row.strict is not None and row.confidence is not None]
    who, what = [row.person for row, _ in of], [row.task_id for row, _ in of]
    c = np.asarray([(row.confidence or 0) / 100 for row, _ in of])
    y = np.asarray([float(row.strict or 0) for row, _ in of])
    p = np.asarray([put.p for _, put in of])
    yield _line("Brier score", float((p * (1 - c) ** 2 + (1 - p) * c**2).mean()), brier(c, y, who, what).score)
    yield _line("confidence less accuracy", float((c - p).mean()), mean(c - y, who, what, "mean of confidence less right"))
    draw = np.random.default_rng(0)
    again = [(draw.random(len(p)) < p).astype(np.float64) for _ in range(DRAWS)]
    yield _line("expected calibration error", _mean(lambda other: _ece(c, other), again), calibration_error(c, y, who, what).error)
    yield _line(
        "type-2 AUROC", _mean(lambda other: auroc_of_people(c, other, who)[0].value, again), auroc_of_people(c, y, who)[0]
    )  # fmt: skip


def _ece(c: np.ndarray, y: np.ndarray) -> float:
    """The calibration error over ten bins of equal width, written down once more."""
    bins = np.clip(np.ceil(np.round(c * 10, 9)).astype(int) - 1, 0, 9)
    return float(sum(abs(c[bins == k].mean() - y[bins == k].mean()) * (bins == k).mean() for k in np.unique(bins)))


def _mean(figure: Callable[[np.ndarray], float | None], sets: Sequence[np.ndarray]) -> float:
    return float(np.mean([value for one in sets if (value := figure(one)) is not None]))


def _ways_of_acting(known: _Known) -> Iterator[Recovered]:
    acted = [(row, put, known.trials.path(row.episode_id)) for row, put in known.pairs if put.acts]
    right = [(row, put, path) for row, put, path in acted if row.strict]
    if right:
        found = mean(
            [len(path.moves) for _, _, path in right],
            [row.person for row, _, _ in right],
            [row.task_id for row, _, _ in right],
            "mean number of actions before a right answer",
        )
        yield _line("actions before a right answer", float(np.mean([put.looks for _, put, _ in right])), found)
    said = [(row, changed) for row, put, path in acted if put.revisable and (changed := changes(path.beliefs)) is not None]
    if said:
        found = mean(
            [float(bool(changed)) for _, changed in said],
            [row.person for row, _ in said],
            [row.task_id for row, _ in said],
            "share of trajectories whose stated answer changed",
        )
        yield _line("belief revision rate", known.minds.traits.revises, found)
    # where the scene has a second part, the way into it stands between two actions
    again = [
        (row, put.repeats, share[0])
        for row, put, path in acted
        if put.repeats is not None and put.parts <= 1 and (share := repeated([move.action for move in path.moves])) is not None
    ]
    if again:
        found = mean(
            [share for _, _, share in again],
            [row.person for row, _, _ in again],
            [row.task_id for row, _, _ in again],
            "mean share of actions that are the one before again",
        )
        yield _line("repeated direction", float(np.mean([put for _, put, _ in again])), found)


def _speed(store: Store, met: Sequence[Meeting]) -> Recovered:
    """Geometric mean time at a view: of each person from the times of their steps, against the speed that they were given."""
    steps = store.query(
        "SELECT e.participant_id AS who, s.episode_id, s.seq, (julianday(s.server_time) - 2440000) AS day FROM steps s "
        "JOIN episodes e USING (episode_id) WHERE s.seq > 0 ORDER BY s.episode_id, s.seq"
    )
    times: dict[str, list[float]] = {}
    for before, after in pairwise(steps):
        if before["episode_id"] == after["episode_id"]:
            spent = (after["day"] - before["day"]) * SECONDS_A_DAY
            if spent > 0:
                times.setdefault(after["who"], []).append(spent)
    those = [one for one in met if one.participant_id in times]
    given = [float(np.log(LOOK_S * one.person.speed)) for one in those]
    put_in = float(np.mean(given)) if given else 0.0
    # people differ in what was put in, so the interval is of how far each estimate lies from it
    off = [float(np.log(times[one.participant_id]).mean()) - own for one, own in zip(those, given, strict=True)]
    found = mean_of_people(off, "t over participants")
    interval = None if found.interval is None else (float(np.exp(put_in + found.interval[0])), float(np.exp(put_in + found.interval[1])))
    value = None if found.value is None else float(np.exp(put_in + found.value))
    made = Measure(value, found.n, "geometric mean of seconds between two steps; t over participants", interval, found.reason)
    return _line("seconds at a view", float(np.exp(put_in)), made)


def _left(met: Sequence[Meeting], dropout: float) -> Recovered:
    """Share who left for good, of those who had a place."""
    there = [one for one in met if one.tasks]
    gone = sum(one.end in ("away", "stopped") for one in there)
    for_good = 1 - dict(HOWS)["later"]
    return _line("drop-out", dropout * for_good, wilson(gone, len(there)))
