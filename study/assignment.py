"""Who does which task next, and in which paradigm: one slot in one transaction. Nobody meets the same content twice, nor a twin of it, nor
the same task in another paradigm, nor a moment in two questions about pictures. The order of groups and paradigms is counterbalanced or
drawn, as the paradigms say."""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store, now
from study import glimpses, slots, states
from study.errors import NoTaskLeft
from study.paradigms.paradigm import Paradigm
from study.records import SlotRecord
from study.studies import Study, get_study, lay_out

PROBES = 32
"""How often a task is drawn in the hope that nobody has had it, before all are counted."""


@dataclass(frozen=True)
class Slot:
    """A place that a participant holds."""

    slot_id: str
    study_id: str
    participant_id: str
    task_hash: str
    paradigm: str
    practice: bool
    trial_index: int
    """1 for the first task; 0 for practice."""


def assign(store: Store, participant_id: str) -> Slot:
    """The participant's current slot, or the next one. Asking again gives the same one until it is closed.

    Args:
        store: the database.
        participant_id: the participant.

    Returns:
        The held slot.

    Raises:
        NoTaskLeft: they have done all their tasks, or none is left that they may do.
    """
    while True:
        person = store.row(
            "SELECT participant_id, study_id, number, version, mode FROM participants WHERE participant_id = ?", _Person, [participant_id]
        )
        if person is None:
            raise NoTaskLeft(f"There is no participant {participant_id!r}.")
        study = get_study(store, person.study_id, person.version)
        # Everything that is long to read is read before the lock; what was read is looked at again inside it.
        own = _own(store, participant_id)
        if held := next((slot for slot in own if slot.state == "held"), None):
            return _slot(held)
        if sum(slot.state == "completed" for slot in own) >= study.trials:
            raise NoTaskLeft("You have done all tasks of this study.")
        trial, done = len(own) + 1, [slot.task_hash for slot in own]
        if any(way.once_everywhere for way in study.ways):
            done += _met_elsewhere(store, participant_id)
        _made(store, study, person.mode)
        chosen = _choose(store, study, person.mode, person.number, trial, done)
        with store.atomic() as db:
            if _own(store, participant_id) != own:
                continue
            ended = "SELECT 1 AS yes FROM participants WHERE participant_id = ? AND state IN ('stopped', 'withdrawn')"
            if store.one(ended, [participant_id]):
                raise NoTaskLeft("You have ended your part in this study.")
            if chosen is None:
                raise NoTaskLeft("There is no further task for you in this study.")
            free = _free(store, study, chosen)
            if _used(store, study, chosen) != chosen.used or (free is None and study.per_task is not None):
                continue
            slot_id = free or slots.add(store, study.study_id, chosen.task_hash, chosen.paradigm, mode=chosen.mode, version=person.version)
            return _hold(store, db, slot_id, person, trial)


def held(store: Store, participant_id: str, *, practice: bool = False) -> Slot | None:
    """The place that the participant holds now, read without a lock."""
    slot = store.row(
        "SELECT * FROM slots WHERE participant_id = ? AND practice = ? AND state = 'held' ORDER BY trial_index",
        SlotRecord,
        [participant_id, practice],
    )
    return None if slot is None else _slot(slot)


def assign_practice(store: Store, participant_id: str) -> Slot | None:
    """The participant's practice slot while they hold it, or a new one; None where the study has no practice task, or they are done."""
    with store.atomic() as db:
        person = store.row(
            "SELECT participant_id, study_id, number, version, mode FROM participants WHERE participant_id = ?", _Person, [participant_id]
        )
        if person is None:
            raise NoTaskLeft(f"There is no participant {participant_id!r}.")
        study = get_study(store, person.study_id, person.version)
        if study.practice_task is None:
            return None
        own = store.row(
            "SELECT * FROM slots WHERE participant_id = ? AND practice = 1 ORDER BY assigned_at DESC LIMIT 1", SlotRecord, [participant_id]
        )
        if own is not None:
            return _slot(own) if own.state == "held" else None
        slot_id = slots.add(
            store, study.study_id, study.practice_task, study.ways[0].name, mode=person.mode, version=person.version, practice=True
        )
        return _hold(store, db, slot_id, person, 0)


@dataclass(frozen=True)
class Overdue:
    """A held place in which nothing has happened for too long."""

    slot_id: str
    episode_id: str | None
    """Its episode; None where it was never created."""


def overdue(store: Store, study: Study) -> list[Overdue]:
    """The held places of a study that are due to be timed out (`Study.hold_minutes`), practice aside.

    A sign of life is anything that the person does: opening the task, a step, a belief, looking back, a report.
    """
    if study.hold_minutes is None:
        return []
    limit = datetime.fromisoformat(now()) - timedelta(minutes=study.hold_minutes)
    rows = store.query(
        "SELECT s.slot_id, e.episode_id, "
        "coalesce((SELECT v.at FROM events v WHERE v.episode_id = e.episode_id ORDER BY v.seq DESC LIMIT 1), s.assigned_at) AS last "
        "FROM slots s LEFT JOIN episodes e USING (slot_id) "
        "WHERE s.study_id = ? AND s.state = 'held' AND s.practice = 0",
        [study.study_id],
    )
    return [Overdue(row["slot_id"], row["episode_id"]) for row in rows if datetime.fromisoformat(row["last"]) < limit]


def balanced_order(n: int, row: int) -> list[int]:
    """Row `row` of a Williams design over `n` conditions: each stands in each place, and after each other one, equally often."""
    if n == 0:
        return []
    first = [0] + [(k + 1) // 2 if k % 2 else n - k // 2 for k in range(1, n)]
    order = [(value + row) % n for value in first]
    return order[::-1] if n % 2 and (row // n) % 2 else order


class _Person(msgspec.Struct, frozen=True):
    participant_id: str
    study_id: str
    number: int
    version: int
    mode: str


class _Facts(msgspec.Struct, frozen=True):
    """What decides who may be given a task."""

    content_hash: str
    task_id: str
    category: str
    subcategory: str
    twin: str | None
    supersedes: str | None


@dataclass(frozen=True)
class _Chosen:
    task_hash: str
    paradigm: str
    mode: str
    used: int
    """How many people had or have it when it was chosen."""


def _own(store: Store, participant_id: str) -> list[SlotRecord]:
    return store.rows("SELECT * FROM slots WHERE participant_id = ? AND practice = 0 ORDER BY trial_index", SlotRecord, [participant_id])


def _free(store: Store, study: Study, chosen: _Chosen) -> str | None:
    """A free place at a task."""
    row = store.one(
        "SELECT slot_id FROM slots WHERE study_id = ? AND mode = ? AND state = 'free' AND practice = 0 AND task_hash = ? "
        "AND paradigm = ? LIMIT 1",
        [study.study_id, chosen.mode, chosen.task_hash, chosen.paradigm],
    )
    return str(row["slot_id"]) if row else None


def _made(store: Store, study: Study, mode: str) -> None:
    """Make the places of a kind of run of whom somebody is the first."""
    sql = "SELECT 1 AS yes FROM slots WHERE study_id = ? AND mode = ? AND practice = 0 LIMIT 1"
    if study.per_task is not None and store.one(sql, [study.study_id, mode]) is None:
        lay_out(store, study, mode)


def _used(store: Store, study: Study, chosen: _Chosen) -> int:
    row = store.one(
        "SELECT count(*) AS n FROM slots WHERE study_id = ? AND mode = ? AND state IN ('held', 'completed') AND practice = 0 "
        "AND task_hash = ? AND paradigm = ?",
        [study.study_id, chosen.mode, chosen.task_hash, chosen.paradigm],
    )
    return int(row["n"]) if row else 0


def _choose(store: Store, study: Study, mode: str, number: int, trial: int, done: Sequence[str]) -> _Chosen | None:
    """The next task and its paradigm: the group and paradigm whose turn it is, then the least used task, then a seeded draw."""
    tasks = _study_tasks(store, study)
    met = [*done, *([study.practice_task] if study.practice_task else [])]
    barred = tasks.barred(_facts(store, met)) | tasks.glimpsed(store, met)
    draw = random.Random(f"{study.seed}/{number}/{trial}")
    for way, group in _turn(study, number, trial, tasks):
        members = tasks.groups[way.grouping][group]
        if chosen := _unused(store, study, mode, way, members, barred, draw) or _least_used(store, study, mode, way, members, barred, draw):
            return chosen
    return None


def _unused(
    store: Store, study: Study, mode: str, way: Paradigm, members: Sequence[str], barred: set[str], draw: random.Random
) -> _Chosen | None:
    """A task that nobody has or had, any of them equally likely; None where a few draws meet none: there may be one all the same.

    In a large study most tasks are such, so that nothing needs to be counted.
    """
    for _ in range(PROBES):
        chosen = _Chosen(draw.choice(members), way.name, mode, 0)
        if chosen.task_hash in barred or _used(store, study, chosen):
            continue
        if study.per_task is None or _free(store, study, chosen) is not None:
            return chosen
    return None


def _least_used(
    store: Store, study: Study, mode: str, way: Paradigm, members: Sequence[str], barred: set[str], draw: random.Random
) -> _Chosen | None:
    """The task that the fewest people have or had, drawn among equals; None: there is none that may be given."""
    used: dict[str, int] = defaultdict(int)
    for state in ("held", "completed"):
        # One state at a time, so that the index gives the groups in order; plain tuples: there may be as many as there were episodes.
        counted = store.db.execute(
            "SELECT task_hash, count(*) FROM slots WHERE study_id = ? AND mode = ? AND state = ? AND practice = 0 AND paradigm = ? "
            "GROUP BY task_hash",
            [study.study_id, mode, state, way.name],
        )
        for task_hash, times in counted.fetchall():
            used[task_hash] += times
    by_use: dict[int, list[str]] = defaultdict(list)
    for task_hash in members:
        if task_hash not in barred:
            by_use[used.get(task_hash, 0)].append(task_hash)
    for use in sorted(by_use):
        left = by_use[use]
        while left:
            place = draw.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            chosen = _Chosen(left.pop(), way.name, mode, use)
            if study.per_task is None or _free(store, study, chosen) is not None:
                return chosen
    return None


class _StudyTasks:
    """The tasks of a study, ready to be asked. Neither a study's list nor a task ever changes."""

    def __init__(self, found: Sequence[_Facts], shown: Mapping[str, frozenset[str]]) -> None:
        self.groups: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in ("category", "subcategory")}
        """``category`` or ``subcategory`` → its values → content hashes, in order, so that equal draws give equal tasks."""
        self._by: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in ("task_id", "twin", "supersedes")}
        for task in sorted(found, key=lambda task: task.content_hash):
            for name, groups in self.groups.items():
                groups[getattr(task, name)].append(task.content_hash)
            for name, values in self._by.items():
                if (value := getattr(task, name)) is not None:
                    values[value].add(task.content_hash)

        self._shown = shown
        self._showing: dict[str, set[str]] = defaultdict(set)
        for content_hash, names in shown.items():
            for name in names:
                self._showing[name].add(content_hash)

    def glimpsed(self, store: Store, met: Sequence[str]) -> set[str]:
        """Content hashes of the tasks that show a moment which one of the tasks `met` has shown."""
        if not self._shown:
            return set()
        known = {**self._shown, **glimpses.shown_by(store, set(met) - set(self._shown))}
        return {other for task in met for name in known.get(task, ()) for other in self._showing.get(name, ())}

    def barred(self, met: Sequence[_Facts]) -> set[str]:
        """Content hashes of the tasks that somebody may not be given who has met `met`: the same, in another version, or a twin."""
        ids = {t.task_id for t in met}
        twins = {t.twin for t in met if t.twin}
        hashes = {t.content_hash for t in met} | {t.supersedes for t in met if t.supersedes}
        found = set(hashes)
        for name, values in (("supersedes", hashes), ("task_id", ids | twins), ("twin", ids | twins)):
            for value in values:
                found |= self._by[name].get(value, set())
        return found


_KEPT: WeakKeyDictionary[Store, dict[tuple[str, str], _StudyTasks]] = WeakKeyDictionary()
"""Store → study and its list of tasks → these tasks, once they were asked for."""


def _study_tasks(store: Store, study: Study) -> _StudyTasks:
    kept = _KEPT.setdefault(store, {})
    key = (study.study_id, f"{study.version} {hash(study.tasks)}")
    if key not in kept:
        pictures = not all(way.simulated for way in study.ways)
        kept[key] = _StudyTasks(_facts(store, study.tasks), glimpses.shown_by(store, study.tasks) if pictures else {})
    return kept[key]


def _turn(study: Study, number: int, trial: int, tasks: _StudyTasks) -> list[tuple[Paradigm, str]]:
    """Which paradigm and group have their turn at this trial, and which come instead where nothing of theirs is left.

    A condition is a group of tasks in a paradigm, so that the orders of groups and of paradigms are balanced together.
    """
    conditions = [(way, group) for way in study.ways for group in sorted(tasks.groups[way.grouping])]
    if all(way.drawn_blocks for way in study.ways):
        return _drawn_turn(study, number, trial, conditions)
    order = balanced_order(len(conditions), number)
    return [conditions[order[(trial - 1 + k) % len(order)]] for k in range(len(order))]


def _drawn_turn(study: Study, number: int, trial: int, conditions: Sequence[tuple[Paradigm, str]]) -> list[tuple[Paradigm, str]]:
    """A block of trials holds each condition once, in an order drawn for the person."""
    if not conditions:
        return []
    block, place = divmod(trial - 1, len(conditions))

    def draw(condition: tuple[Paradigm, str]) -> str:
        way, group = condition
        named = group if len(study.ways) == 1 else f"{way.name}/{group}"
        return hashlib.sha256(f"{study.seed}/{number}/block {block}/{named}".encode()).hexdigest()

    order = sorted(conditions, key=draw)
    return order[place:] + order[:place]


def _met_elsewhere(store: Store, participant_id: str) -> list[str]:
    """Content hashes of what the same person was given in other studies: the same browser, or the same id of a recruitment site."""
    rows = store.query(
        "SELECT DISTINCT l.task_hash FROM slots l WHERE l.participant_id <> :me AND l.participant_id IN ("
        "SELECT o.participant_id FROM grants g JOIN grants o USING (session_id) WHERE g.participant_id = :me "
        "UNION SELECT o.participant_id FROM recruitment r JOIN recruitment o ON (o.source, o.external_id) = (r.source, r.external_id) "
        "WHERE r.participant_id = :me)",
        {"me": participant_id},
    )
    return [row["task_hash"] for row in rows]


def _facts(store: Store, hashes: Sequence[str]) -> list[_Facts]:
    """Each task once, in no order; read from an index, without their documents."""
    return store.rows(
        "SELECT content_hash, task_id, category, subcategory, twin, supersedes FROM tasks INDEXED BY tasks_facts "
        "WHERE content_hash IN (SELECT value FROM json_each(?))",
        _Facts,
        [json.dumps(list(hashes))],
    )


def _hold(store: Store, db: Any, slot_id: str, person: _Person, trial: int) -> Slot:
    slot = store.row("SELECT * FROM slots WHERE slot_id = ?", SlotRecord, [slot_id])
    assert slot is not None
    state, at = states.after(states.SLOT, slot.state, "assign"), now()
    db.execute(
        "UPDATE slots SET state = ?, participant_id = ?, trial_index = ?, assigned_at = ?, version = ? WHERE slot_id = ?",
        [state, person.participant_id, trial, at, person.version, slot_id],
    )
    data = {"slot": slot_id, "task": slot.task_hash, "paradigm": slot.paradigm, "trial_index": trial}
    store.event("assigned", data, at=at, study_id=slot.study_id, participant_id=person.participant_id)
    return _slot(msgspec.structs.replace(slot, participant_id=person.participant_id, trial_index=trial))


def _slot(slot: SlotRecord) -> Slot:
    assert slot.participant_id is not None
    assert slot.trial_index is not None
    return Slot(
        slot_id=slot.slot_id,
        study_id=slot.study_id,
        participant_id=slot.participant_id,
        task_hash=slot.task_hash,
        paradigm=slot.paradigm,
        practice=slot.practice,
        trial_index=slot.trial_index,
    )
