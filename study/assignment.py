"""Who does which task next, and in which paradigm: one slot in one transaction. Nobody meets the same content twice, nor a twin of it, nor
the same task in another paradigm, nor a moment in two questions about pictures (`study.contents`).

Where places are counted, whole sessions are reserved (`study.seats`). Otherwise there is a place for whoever comes, and tasks are given one
at a time: the order of groups and paradigms is counterbalanced or drawn, as the paradigms say, and the least used task comes first."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from data.store import Store
from study import contents, seating, seats, sittings, slots
from study.errors import NoTaskLeft
from study.paradigms.paradigm import Paradigm
from study.records import ParticipantRecord, SlotRecord
from study.studies import Study, get_study

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
        person = _person(store, participant_id)
        study = get_study(store, person.study_id, person.version)
        # Everything that is long to read is read before the lock; what was read is looked at again inside it.
        own = seats.given(store, participant_id)
        if held := next((slot for slot in own if slot.state == "held"), None):
            return _slot(held)
        if seats.reserves(study):
            found, place = seats.take(store, study, person, begin=True)
            if place is None:
                raise NoTaskLeft(_DONE if found.done else _NONE)
            return _slot(place)
        completed = [slot for slot in own if slot.state == "completed"]
        if sittings.sitting(completed, study.trials, sittings.cuts_in(store, study, participant_id)).ended >= study.sessions:
            raise NoTaskLeft(_DONE)
        trial = len(own) + 1
        seats.laid_out(store, study, person.mode)
        chosen = _choose(store, study, person.mode, person.number, trial, seats.met(store, person, own))
        with store.atomic():
            if seats.given(store, participant_id) != own:
                continue
            if _person(store, participant_id).state in seats.ENDED:
                raise NoTaskLeft("You have ended your part in this study.")
            if chosen is None:
                raise NoTaskLeft(_NONE)
            free = _free(store, study, chosen)
            if _used(store, study, chosen) != chosen.used or (free is None and study.per_task is not None):
                continue
            slot_id = free or slots.add(store, study.study_id, chosen.task_hash, chosen.paradigm, mode=chosen.mode, version=person.version)
            return _slot(slots.hold(store, slot_id, participant_id, version=person.version, trial=trial))


_DONE = "You have done all tasks of this study."
_NONE = "There is no further task for you in this study."


def _person(store: Store, participant_id: str) -> ParticipantRecord:
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [participant_id])
    if person is None:
        raise NoTaskLeft(f"There is no participant {participant_id!r}.")
    return person


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
    with store.atomic():
        person = _person(store, participant_id)
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
        return _slot(slots.hold(store, slot_id, participant_id, version=person.version, trial=0))


@dataclass(frozen=True)
class Overdue:
    """A held place in which nothing has happened for too long."""

    slot_id: str
    episode_id: str | None
    """Its episode; None where it was never created."""


def overdue(store: Store, study: Study, mode: str) -> list[Overdue]:
    """The held places of a kind of run that are due to be timed out (`Study.hold_minutes`), practice aside: those whose people's seats are
    stale, and, where nothing is reserved, those in which nothing has happened.

    A sign of life is anything that the person does: opening the task, a step, a belief, looking back, a report. Who was given more time
    (`seats.extended`) keeps theirs.
    """
    if study.hold_minutes is None:
        return []
    stale = set(seats.stale(store, study, mode))
    limit = seats.before(minutes=study.hold_minutes)
    rows = store.query(
        "SELECT s.slot_id, s.participant_id, e.episode_id, t.participant_id IS NOT NULL AS seated, "
        "coalesce((SELECT v.at FROM events v WHERE v.episode_id = e.episode_id ORDER BY v.seq DESC LIMIT 1), s.assigned_at) AS last "
        "FROM slots s LEFT JOIN episodes e USING (slot_id) LEFT JOIN seats t ON t.participant_id = s.participant_id "
        "WHERE s.study_id = ? AND s.mode = ? AND s.state = 'held' AND s.practice = 0",
        [study.study_id, mode],
    )
    late = [row for row in rows if (row["participant_id"] in stale if row["seated"] else row["last"] < limit)]
    kept = seats.extended(store, study.study_id) if late else {}
    late = [row for row in late if row["participant_id"] not in kept]
    return [Overdue(row["slot_id"], row["episode_id"]) for row in late]


@dataclass(frozen=True)
class _Chosen:
    task_hash: str
    paradigm: str
    mode: str
    used: int
    """How many people had or have it when it was chosen."""


def _free(store: Store, study: Study, chosen: _Chosen) -> str | None:
    """A free place at a task."""
    row = store.one(
        "SELECT slot_id FROM slots WHERE study_id = ? AND mode = ? AND state = 'free' AND practice = 0 AND task_hash = ? "
        "AND paradigm = ? LIMIT 1",
        [study.study_id, chosen.mode, chosen.task_hash, chosen.paradigm],
    )
    return str(row["slot_id"]) if row else None


def _used(store: Store, study: Study, chosen: _Chosen) -> int:
    row = store.one(
        "SELECT count(*) AS n FROM slots WHERE study_id = ? AND mode = ? AND state IN ('held', 'completed') AND practice = 0 "
        "AND task_hash = ? AND paradigm = ?",
        [study.study_id, chosen.mode, chosen.task_hash, chosen.paradigm],
    )
    return int(row["n"]) if row else 0


def _choose(store: Store, study: Study, mode: str, number: int, trial: int, done: Sequence[str]) -> _Chosen | None:
    """The next task and its paradigm: the group and paradigm whose turn it is, then the least used task, then a seeded draw."""
    tasks = contents.contents(store, study)
    barred = tasks.barred(store, [*done, *([study.practice_task] if study.practice_task else [])])
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


def _turn(study: Study, number: int, trial: int, tasks: contents.Contents) -> list[tuple[Paradigm, str]]:
    """Which paradigm and group have their turn at this trial, and which come instead where nothing of theirs is left.

    A condition is a group of tasks in a paradigm, so that the orders of groups and of paradigms are balanced together.
    """
    conditions = [(way, group) for way in study.ways for group in sorted(tasks.groups[way.grouping])]
    if all(way.drawn_blocks for way in study.ways):
        return _drawn_turn(study, number, trial, conditions)
    groups = sorted({group for _, group in conditions})
    order = seating.turns([way.name for way in study.ways], groups, number)
    turn = {name: (n - trial + 1) % len(names) for names in (order.ways, order.categories) for n, name in enumerate(names)}
    return sorted(conditions, key=lambda condition: (turn[condition[0].name], turn[condition[1]]))


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
