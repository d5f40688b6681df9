"""Generated tasks beside those that people made, matched by subcategory (ESI-Bench, Table 7): equally many of each, drawn by a seed.

Table 7 compares what agents reach when they act, on both subsets. How many tasks it has, and whether more than the category was matched,
the paper does not say; here the subcategory is, every number stands beside its n, and the gap is generated less authored, in points.
"""

from __future__ import annotations

import random
from collections import defaultdict

import msgspec

from annotation.reviewing.kinds import tasks
from data.store import Store, dumps
from data.task import AUTHORED
from study.labels.shown import ACTIVE

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


class Row(msgspec.Struct, frozen=True):
    """One kind of agent, acting."""

    agent: str
    generated: float | None
    """Share of right answers, percent; None: no answers."""
    authored: float | None
    gap: float | None
    """Generated less authored, points."""
    answers: tuple[int, int]
    """Answers on generated and on authored tasks."""
    tasks: tuple[int, int]
    """Tasks that were answered."""


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
        "SELECT e.agent_kind, e.agent_name, e.task_hash, s.correct_strict AS correct FROM episodes e "
        "JOIN scores s ON s.episode_id = e.episode_id AND s.task_hash = e.task_hash "
        "WHERE e.paradigm IN (SELECT value FROM json_each(?)) "
        "AND e.mode = 'live' AND e.state = 'completed' AND e.task_hash IN (SELECT value FROM json_each(?)) "
        "ORDER BY e.agent_kind, e.agent_name, e.rowid",
        _Reached,
        [dumps(ACTIVE), dumps(sorted(sides))],
    )
    agents: dict[str, tuple[list[_Reached], list[_Reached]]] = defaultdict(lambda: ([], []))
    for one in reached:
        agents["people" if one.agent_kind == "human" else one.agent_name or one.agent_kind][sides[one.task_hash]].append(one)
    return tuple(_row(agent, *both) for agent, both in sorted(agents.items()))


def _row(agent: str, generated: list[_Reached], authored: list[_Reached]) -> Row:
    one, other = (_percent(side) for side in (generated, authored))
    gap = None if one is None or other is None else one - other
    answers, of = (len(generated), len(authored)), (_different(generated), _different(authored))
    return Row(agent, one, other, gap, answers, of)


def _percent(side: list[_Reached]) -> float | None:
    return 100 * sum(one.correct for one in side) / len(side) if side else None


def _different(side: list[_Reached]) -> int:
    return len({one.task_hash for one in side})
