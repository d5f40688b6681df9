"""Generated tasks beside those that people made, matched by subcategory (ESI-Bench, Table 7): equally many of each, drawn by a seed.

Table 7 compares what agents reach when they act, on both subsets. How many tasks it has, and whether more than the category was matched,
the paper does not say; here the subcategory is, every number stands beside
its n and interval, and the gap is generated less authored, in points.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict

import msgspec

from annotation.reviewing.kinds import tasks
from data.store import Store, dumps
from data.task import AUTHORED
from study.labels.shown import ACTIVE
from study.measures.intervals import accuracy, clustered, clustered_difference, difference
from study.measures.record import Measure

PEOPLE = "people"
AVERAGE = "mean of the agents"
GENERATED = "vantage"
"""`Provenance.dataset` of generated tasks."""


class _Task(msgspec.Struct, frozen=True):
    content_hash: str
    dataset: str
    category: str
    subcategory: str


class _Reached(msgspec.Struct, frozen=True):
    agent_kind: str
    agent_name: str
    person: str
    task_hash: str
    correct: bool


class Pair(msgspec.Struct, frozen=True):
    """One subcategory."""

    category: str
    subcategory: str
    generated: tuple[str, ...]
    """Content hashes that were drawn, equally many on both sides."""
    authored: tuple[str, ...]
    there: tuple[int, int]
    """How many there were to draw from: generated, authored."""


class Figure(msgspec.Struct, frozen=True):
    """A share of right answers, or the difference of two, in per cent or points."""

    value: float | None
    """None: it cannot be said; `reason` says why."""
    low: float | None
    """Bounds, 95 %; None: `reason` says why there are none."""
    high: float | None
    n: int
    """Answers that it is of."""
    method: str
    reason: str


class Row(msgspec.Struct, frozen=True):
    """One kind of agent, acting. Intervals speak of tasks like these, and of people like these."""

    agent: str
    generated: Figure
    authored: Figure
    gap: Figure
    """Generated less authored, points."""
    tasks: tuple[int, int]
    """Generated and authored tasks that were answered."""
    people: int
    """How many people answered; of a model 1."""


class Matched(msgspec.Struct, frozen=True):
    """Both subsets and what agents reached on them."""

    seed: int
    retained: bool
    """Only tasks that a verification retained."""
    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]

    @property
    def size(self) -> int:
        """Tasks of each subset."""
        return sum(len(pair.authored) for pair in self.pairs)


def matched(store: Store, *, seed: int = 0, retained: bool = True) -> Matched:
    """Draw matched subsets and compare them.

    Args:
        store: the database.
        seed: decides the draw; equal tasks and seeds give equal draws.
        retained: only tasks that a verification retained; otherwise all.
    """
    there: dict[tuple[str, str], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for task in _tasks(store, retained):
        there[(task.category, task.subcategory)][task.dataset == AUTHORED].append(task.content_hash)
    pairs = tuple(_drawn(key, *both, seed) for key, both in sorted(there.items()) if all(both))
    return Matched(seed, retained, pairs, _rows(store, pairs))


def _drawn(key: tuple[str, str], generated: list[str], authored: list[str], seed: int) -> Pair:
    n = min(len(generated), len(authored))
    chosen = [tuple(sorted(random.Random(f"{seed}/{'/'.join(key)}/{i}").sample(some, n))) for i, some in enumerate((generated, authored))]
    return Pair(*key, generated=chosen[0], authored=chosen[1], there=(len(generated), len(authored)))


def _tasks(store: Store, retained: bool) -> list[_Task]:
    """The latest versions of both data sets, in the order of their hashes."""
    only = (
        "AND EXISTS (SELECT 1 FROM verification_items i JOIN reviewed r ON r.kind = :kind AND r.subject = i.subject "
        "WHERE i.task_hash = t.content_hash AND i.part = 'task' AND r.state = 'retained')"
    )
    return store.rows(
        "SELECT t.content_hash, t.dataset, t.category, t.subcategory FROM tasks t WHERE t.dataset IN (:generated, :authored) "
        "AND NOT EXISTS (SELECT 1 FROM tasks n WHERE n.task_id = t.task_id AND n.version > t.version) "
        f"{only if retained else ''} ORDER BY t.content_hash",
        _Task,
        {"kind": tasks.NAME, "generated": GENERATED, "authored": AUTHORED},
    )


def _rows(store: Store, pairs: tuple[Pair, ...]) -> tuple[Row, ...]:
    """What each agent reached, acting, in runs that count."""
    sides = {task: side for pair in pairs for side, drawn in enumerate((pair.generated, pair.authored)) for task in drawn}
    reached = store.rows(
        "SELECT e.agent_kind, e.agent_name, coalesce(e.participant_id, e.episode_id) AS person, e.task_hash, s.correct_strict AS correct "
        "FROM episodes e JOIN scores s ON s.episode_id = e.episode_id AND s.task_hash = e.task_hash "
        "WHERE e.paradigm IN (SELECT value FROM json_each(?)) "
        "AND e.mode = 'live' AND e.state = 'completed' AND e.task_hash IN (SELECT value FROM json_each(?)) "
        "ORDER BY e.agent_kind, e.agent_name, e.rowid",
        _Reached,
        [dumps(ACTIVE), dumps(sorted(sides))],
    )
    agents: dict[tuple[bool, str], list[_Reached]] = defaultdict(list)
    for one in reached:
        human = one.agent_kind == "human"
        agents[human, PEOPLE if human else one.agent_name or one.agent_kind].append(one)
    rows = [_row(agent, human, given, sides) for (human, agent), given in sorted(agents.items())]
    return (*rows, *([_average(rows)] if len(rows) > 1 else []))


def _row(agent: str, human: bool, given: list[_Reached], sides: dict[str, int]) -> Row:
    """People are crossed with tasks; a model is one answerer, whose answers hang together by task alone."""
    side = [sides[one.task_hash] for one in given]
    figures = []
    for which in (0, 1):
        own = [one for one, at in zip(given, side, strict=True) if at == which]
        right, tasks = [float(one.correct) for one in own], [one.task_hash for one in own]
        figures.append(accuracy(right, [one.person for one in own], tasks) if human else clustered(right, tasks))
    right, tasks = [float(one.correct) for one in given], [one.task_hash for one in given]
    generated = [int(at == 0) for at in side]
    gap = difference(right, [one.person for one in given], tasks, generated) if human else clustered_difference(right, tasks, generated)
    answered = [len({one.task_hash for one, at in zip(given, side, strict=True) if at == which}) for which in (0, 1)]
    people = len({one.person for one in given}) if human else 1
    return Row(agent, _figure(figures[0]), _figure(figures[1]), _figure(gap), tasks=(answered[0], answered[1]), people=people)


def _figure(found: Measure) -> Figure:
    low, high = found.interval or (None, None)
    value, low, high = (None if x is None else 100 * x for x in (found.value, low, high))
    return Figure(value, low, high, found.n, found.method, found.reason)


def _average(rows: list[Row]) -> Row:
    """The plain mean of the agents, as the paper's last column: of those that answered on both sides."""
    both = [row for row in rows if row.gap.value is not None]

    def mean(figures: list[Figure]) -> Figure:
        values = [figure.value for figure in figures if figure.value is not None]
        reason = "a plain mean of agents has no interval" if values else "no agent answered on both sides"
        n = sum(figure.n for figure in figures)
        return Figure(math.fsum(values) / len(values) if values else None, None, None, n, "plain mean of the agents", reason)

    tasks = (max((row.tasks[0] for row in both), default=0), max((row.tasks[1] for row in both), default=0))
    return Row(
        AVERAGE, mean([row.generated for row in both]), mean([row.authored for row in both]), mean([row.gap for row in both]),
        tasks=tasks, people=sum(row.people for row in both),
    )  # fmt: skip
