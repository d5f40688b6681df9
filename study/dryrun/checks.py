"""What is judged of a dry run: from the event log, the study's text and its tasks alone. Nothing here comes from the assigner."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import msgspec

from data.store import Store, now
from study.dryrun import log, seats
from study.dryrun.log import Book, Cell, Lease
from study.dryrun.seats import Item
from study.paradigms import paradigm
from study.studies import Study

USUAL_CATEGORIES = 6
"""Least number of categories of a session where the study does not say (ESI-Bench App. E)."""
WITHIN, BETWEEN = 1, 2
"""By how much completed and live may differ at most: between tasks of one category, and between any."""


class Facts(msgspec.Struct, frozen=True):
    """What tells who may meet a task."""

    content_hash: str
    task_id: str
    category: str
    twin: str | None
    supersedes: str | None


class Finding(msgspec.Struct, frozen=True):
    """One thing that was judged."""

    name: str
    ok: bool
    told: str
    """In a sentence."""
    wrong: tuple[str, ...] = ()
    """What is wrong, a line each."""


@dataclass(frozen=True)
class Plan:
    """What the study's text says of places and sessions."""

    study: Study
    facts: Mapping[str, Facts]
    groups: Mapping[str, int]
    """Content hash → number of its content: equal for a task, its twin, its siblings and versions of it."""
    cells: frozenset[Cell]
    """Where there are places: tasks in paradigms in which they can be met."""

    @property
    def tasks(self) -> int:
        """Of a session."""
        return min(self.study.trials, len({self.groups[task] for task, _ in self.cells}))

    @property
    def categories(self) -> int:
        """Least number of a session."""
        there = len({self.facts[task].category for task, _ in self.cells})
        return min(self.study.min_categories or USUAL_CATEGORIES, self.tasks, there)

    def items(self, free: Collection[Cell], met: Collection[str]) -> dict[Any, Item]:
        """What may be given of these free cells to somebody who has met these tasks."""
        known = {self.groups[task] for task in met}
        return {cell: Item(self.facts[cell[0]].category, self.groups[cell[0]]) for cell in free if self.groups[cell[0]] not in known}


def plan(store: Store, study: Study) -> Plan:
    """What a study says, read anew."""
    rows = store.rows(
        "SELECT content_hash, task_id, category, twin, supersedes FROM tasks WHERE content_hash IN (SELECT value FROM json_each(?))",
        Facts,
        [msgspec.json.encode(study.tasks).decode()],
    )
    facts = {row.content_hash: row for row in rows}
    cells = frozenset(
        (content_hash, way.name) for content_hash in study.tasks for way in study.ways if not way.unfit(store.get_task(content_hash))
    )
    return Plan(study, facts, _contents(rows), cells)


def _contents(rows: Sequence[Facts]) -> dict[str, int]:
    """Content hash → number of its content, by spreading the least number along what tasks are known by."""
    numbers = {row.content_hash: at for at, row in enumerate(rows)}
    while True:
        least: dict[str, int] = {}
        for row in rows:
            for name in filter(None, (row.content_hash, row.task_id, row.twin, row.supersedes)):
                least[name] = min(least.get(name, len(rows)), numbers[row.content_hash])
        new = {
            row.content_hash: min(least[name] for name in filter(None, (row.content_hash, row.task_id, row.twin, row.supersedes)))
            for row in rows
        }
        if new == numbers:
            return numbers
        numbers = new


@dataclass
class Refusals:
    """Everybody who was told that there is nothing for them, judged at that very moment."""

    store: Store
    plan: Plan
    mode: str
    told: int = 0
    behind: int = 0
    """How often what was free was kept for somebody who waits before them."""
    wrong: list[str] = field(default_factory=list)
    _judged: dict[Any, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._book = Book(self.store, self.plan.study.study_id, self.mode)

    def judge(self, participant_id: str, stage: str, ahead: Sequence[str] = ()) -> None:
        """Whether they could have been given a session, or the rest of theirs, now.

        Args:
            participant_id: who was told.
            stage: what they were told.
            ahead: who waits before them and is there; what one of these can have is theirs.
        """
        self.told += 1
        if not self._seatable(participant_id):
            return
        if any(self._seatable(other) for other in ahead):
            self.behind += 1
            return
        self.wrong.append(f"{participant_id} was told “{stage}” after event {self.store.last_event()}, though a session was free")

    def _seatable(self, participant_id: str) -> bool:
        free = {
            (row["task_hash"], row["paradigm"])
            for row in self.store.query(
                "SELECT DISTINCT task_hash, paradigm FROM slots WHERE study_id = ? AND mode = ? AND practice = 0 AND state = 'free' "
                "AND (claimed_by IS NULL OR claimed_by = ?)",
                [self.plan.study.study_id, self.mode, participant_id],
            )
        }
        leases = self._book.leases()
        own = [lease for lease in leases if lease.participant_id == participant_id]
        completed = {lease.cell for lease in leases if lease.completed and lease.end is None}
        done = [lease.cell[0] for lease in own if lease.completed]
        in_session = done[len(done) - len(done) % self.plan.tasks :]
        met = frozenset(self.plan.facts[task].category for task in in_session)
        items = self.plan.items(partnered(free & self.plan.cells, completed), [lease.cell[0] for lease in own])
        wanted = self.plan.tasks - len(in_session)
        key = (frozenset(items), wanted, met)
        if key not in self._judged:
            self._judged[key] = seats.seatable(items, wanted, self.plan.categories, met)
        return self._judged[key]

    def finding(self) -> Finding:
        """What came of it."""
        return Finding(
            "nobody is turned away who could be seated",
            not self.wrong,
            f"{self.told} times somebody was told that there is nothing for them now; {self.behind} times a session was free and kept for "
            f"somebody before them in the line, {len(self.wrong)} times it was free for them",
            tuple(self.wrong[:20]),
        )


@dataclass(frozen=True)
class Judged:
    """A dry run, ready to be judged."""

    store: Store
    plan: Plan
    mode: str

    @cached_property
    def leases(self) -> list[Lease]:
        """Who held what."""
        return Book(self.store, self.plan.study.study_id, self.mode).leases()

    @cached_property
    def counted(self) -> Counter[Cell]:
        """Completed and live at the end: a place that nobody has touched for the study's `hold_minutes` is not live."""
        return Counter(lease.cell for lease in self.leases if lease.end is None and (lease.completed or not self.stale(lease)))

    @cached_property
    def completed(self) -> Counter[Cell]:
        """Completed at the end."""
        return Counter(lease.cell for lease in self.leases if lease.end is None and lease.completed)

    def stale(self, lease: Lease) -> bool:
        """Whether nothing has happened in a held place for too long."""
        minutes = self.plan.study.hold_minutes
        if minutes is None:
            return False
        row = self.store.one(
            "SELECT max(at) AS at FROM events WHERE seq >= ? AND (participant_id = ? OR episode_id IN "
            "(SELECT episode_id FROM episodes WHERE slot_id = ?))",
            [lease.start, lease.participant_id, lease.slot_id],
        )
        return row is not None and datetime.fromisoformat(row["at"]) < datetime.fromisoformat(now()) - timedelta(minutes=minutes)

    def sessions(self) -> dict[str, list[Lease]]:
        """Who has completed → what they did."""
        own: dict[str, list[Lease]] = defaultdict(list)
        for lease in self.leases:
            own[lease.participant_id].append(lease)
        wanted = self.plan.tasks * self.plan.study.sessions
        return {who: all_ for who, all_ in own.items() if sum(bool(lease.completed) for lease in all_) >= wanted}


def held_twice(run: Judged) -> Finding:
    """No place is held by two at any moment, and no cell by more than it has places."""
    wrong = [f"{slot} was held by {most} at once" for slot, most in log.most_at_once(run.leases).items() if most > 1]
    most = log.most_at_once(replace(lease, slot_id=" ".join(lease.cell)) for lease in run.leases)
    room = run.plan.study.per_task
    wrong += [f"{cell}: {count} at once of {room}" for cell, count in most.items() if room is not None and count > room]
    told = f"{len(run.leases)} times a place was given, no place to two at once" if not wrong else f"{len(wrong)} places were held twice"
    return Finding("no place is held twice", not wrong, told, tuple(wrong[:20]))


def balanced(run: Judged) -> Finding:
    """Per paradigm, completed and live differ by at most 1 between tasks of one category and 2 between any that fit it. A task whose place
    waits for a partner is left out."""
    wrong, told = [], []
    for way in run.plan.study.ways:
        cells = sorted(cell for cell in run.plan.cells if cell[1] == way.name)
        cells = sorted(partnered(cells, run.completed))
        spans: list[int] = []
        for category in sorted({run.plan.facts[task].category for task, _ in cells}):
            counts = [run.counted[cell] for cell in cells if run.plan.facts[cell[0]].category == category]
            spans.append(max(counts) - min(counts))
            if spans[-1] > WITHIN:
                wrong.append(f"{way.name}, {category}: from {min(counts)} to {max(counts)}")
        counts = [run.counted[cell] for cell in cells]
        if counts and max(counts) - min(counts) > BETWEEN:
            wrong.append(f"{way.name}: from {min(counts)} to {max(counts)}")
        if counts:
            told.append(f"{way.name} {min(counts)}–{max(counts)}, within a category at most {max(spans)} apart")
    return Finding("completed and live are balanced", not wrong, "; ".join(told), tuple(wrong))


def partnered(cells: Collection[Cell], completed: Collection[Cell]) -> set[Cell]:
    """Those of the cells that need no partner, or whose task somebody has completed who can be one."""
    return {(task, way) for task, way in cells if not (partner := paradigm(way).partner) or (task, partner) in completed}


def whole(run: Judged) -> Finding:
    """Everybody who completes has enough categories, and met nothing twice."""
    wrong = []
    sessions = run.sessions()
    for who, own in sessions.items():
        done = [lease.cell[0] for lease in own if lease.completed]
        for first in range(0, len(done), run.plan.tasks):
            of = {run.plan.facts[task].category for task in done[first : first + run.plan.tasks]}
            if len(of) < run.plan.categories:
                wrong.append(f"{who} completed a session of {len(of)} categories; {run.plan.categories} are the least")
        met = Counter(run.plan.groups[lease.cell[0]] for lease in own)
        wrong += [f"{who} met one content {times} times" for times in met.values() if times > 1]
    others = [own for who, own in _by_person(run).items() if who not in sessions]
    repeated = [own for own in others if len({run.plan.groups[lease.cell[0]] for lease in own}) < len(own)]
    wrong += [f"{own[0].participant_id} met a content twice" for own in repeated]
    least = min((len({run.plan.facts[x.cell[0]].category for x in own if x.completed}) for own in sessions.values()), default=0)
    told = f"{len(sessions)} completed, each with {least} categories or more; {len(wrong)} times the rule is broken"
    return Finding("who completes has enough categories and no repeat", not wrong, told, tuple(wrong[:20]))


def _by_person(run: Judged) -> dict[str, list[Lease]]:
    own: dict[str, list[Lease]] = defaultdict(list)
    for lease in run.leases:
        own[lease.participant_id].append(lease)
    return own


def log_and_table_agree(run: Judged) -> Finding:
    """What the log tells of places is what the table of places holds."""
    rows = run.store.query(
        "SELECT task_hash, paradigm, count(*) AS n FROM slots WHERE study_id = ? AND practice = 0 AND state IN ('held', 'completed') "
        "AND mode = ? GROUP BY task_hash, paradigm",
        [run.plan.study.study_id, run.mode],
    )
    table = Counter({(row["task_hash"], row["paradigm"]): row["n"] for row in rows})
    told = log.taken_at(run.leases, run.store.last_event())
    both = sorted({*told, *table})
    wrong = [f"{cell}: {told[cell]} by the log, {table[cell]} in the table" for cell in both if told[cell] != table[cell]]
    return Finding("the log and the table of places agree", not wrong, f"{sum(table.values())} places are taken", tuple(wrong[:20]))


def places_left(run: Judged) -> list[dict[str, Any]]:
    """Cells with places that nobody completed, each with the reason."""
    per_task = run.plan.study.per_task
    if per_task is None:
        return []
    free = {cell for cell in run.plan.cells if run.counted[cell] < per_task}
    able = seats.seatable(run.plan.items(free, ()), run.plan.tasks, run.plan.categories)
    left = []
    for cell in sorted(run.plan.cells):
        live = run.counted[cell] - run.completed[cell]
        missing = per_task - run.completed[cell]
        if missing <= 0:
            continue
        if live == missing:
            reason = "held by somebody whose time is not over"
        elif not partnered([cell], run.completed):
            reason = "no partner has completed the task"
        elif able:
            reason = "nobody else came"
        else:
            reason = "what is free makes no whole session any more"
        task = run.plan.facts[cell[0]].task_id
        left.append({"task": task, "paradigm": cell[1], "places": missing, "live": live, "reason": reason})
    return left


CHECKS: tuple[Callable[[Judged], Finding], ...] = (held_twice, balanced, whole, log_and_table_agree)
"""What is judged at the end of every dry run, beside the refusals (`Refusals`)."""
