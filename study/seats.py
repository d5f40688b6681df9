"""A seat in a study: the places of a whole session, reserved when it is begun, so that whoever is let in can complete it.

What is reserved are places at tasks in paradigms (`slots.claimed_by`). Which of them comes next is planned anew whenever a task is begun
(`study.seating`), from what is free and what is reserved for this person: so places that others have left are filled first, and nobody's
session becomes impossible. A seat without a sign of life for the study's `hold_minutes` is given up as a whole as soon as somebody asks.

Studies without a number of places have nothing to reserve, and questions about pictures are given one at a time (`study.assignment`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store, now, written
from study import contents, places, seating, sittings, slots
from study.errors import NoTaskLeft
from study.places import Count
from study.records import ParticipantRecord, SlotRecord
from study.seating import Levels, Offer, Rule
from study.studies import Study, lay_out

CATEGORIES = 6
"""Least number of categories of a session where the study does not say (ESI-Bench App. E)."""
ENDED = ("stopped", "screened_out", "full", "failed", "withdrawn", "declined")
"""States of participants to whom nothing is given any more."""
_DRAWS = 2**61 - 1
HASTY = 2
"""How often a session is planned before the lock, in the hope that nobody is faster; then it is planned inside it."""


class Seat(msgspec.Struct, frozen=True):
    """Somebody's session whose places are reserved."""

    participant_id: str
    session: int
    """From 1."""
    size: int
    """Tasks of a session."""
    since: str
    seen_at: str
    """A sign of life, at times behind the last one."""


@dataclass(frozen=True)
class Supply:
    """What a study holds for one person."""

    open: tuple[Offer, ...]
    """What can be had now."""
    levels: Levels
    size: int
    """Tasks of a session: as the study says, or as many contents as it has."""
    categories: int
    """Least number of categories of a session."""


@dataclass(frozen=True)
class Draft:
    """The rest of somebody's session, as it can be had at one moment."""

    own: tuple[SlotRecord, ...]
    """What they have been given, in order."""
    claims: Mapping[tuple[str, str], str]
    """Task and paradigm → the place that is reserved for them."""
    session: int
    """From 1."""
    size: int
    """Tasks of a session."""
    begun: bool
    """Whether they have been given a task of it."""
    done: bool
    """Whether they have completed all sessions."""
    whole: bool
    """Whether the session can be completed by the study's rule."""
    rest: tuple[Offer, ...]
    """What comes now, in order; empty: nothing can be had."""
    hope: bool
    """Whether more could be had if everything came free that others hold or have reserved."""


def reserves(study: Study) -> bool:
    """Whether sessions of this study are reserved: it has a number of places, and tasks in scenes."""
    return study.per_task is not None and not any(way.drawn_blocks for way in study.ways)


def seat_of(store: Store, participant_id: str) -> Seat | None:
    """The seat that somebody has."""
    return store.row("SELECT participant_id, session, size, since, seen_at FROM seats WHERE participant_id = ?", Seat, [participant_id])


def draft(store: Store, study: Study, person: ParticipantRecord) -> Draft:
    """The rest of a person's session, or their next one, as it can be had now."""
    own = tuple(given(store, person.participant_id))
    claims = {
        (row["task_hash"], row["paradigm"]): row["slot_id"]
        for row in store.query("SELECT slot_id, task_hash, paradigm FROM slots WHERE claimed_by = ?", [person.participant_id])
    }
    held = supply(store, study, person, own, claims)
    completed = [slot for slot in own if slot.state == "completed"]
    now_in = sittings.sitting(completed, held.size, sittings.cuts_in(store, study, person.participant_id))
    session, done = now_in.ended, now_in.done
    if session >= study.sessions:
        return Draft(own, claims, session, held.size, begun=False, done=True, whole=False, rest=(), hope=False)
    begun = any((slot.trial_index or 0) > now_in.after for slot in own)
    categories = contents.contents(store, study).category
    of_session = completed[len(completed) - done :]
    met_in_it = tuple((slot.paradigm, categories.get(slot.task_hash, "")) for slot in of_session)
    rule = Rule(held.size - done, held.categories, met_in_it, early=study.session_minutes is not None)
    turn = seating.turns([way.name for way in study.ways], sorted(set(categories.values())), person.number + session)
    whole = seating.plan(held.open, held.levels, turn, rule) if held.size else None
    if whole is not None:
        return Draft(own, claims, session + 1, held.size, begun=begun, done=False, whole=True, rest=whole, hope=False)
    rest = seating.plan(held.open, held.levels, turn, seating.within_reach(held.open, rule)) if begun else None
    hope = not rest and held.size > 0 and _hope(store, study, person, own, rule, begun=begun)
    return Draft(own, claims, session + 1, held.size, begun=begun, done=False, whole=False, rest=rest or (), hope=hope)


def size_of(store: Store, study: Study, mode: str) -> int:
    """Tasks of a session: as the study says, or as many contents as it has places for."""
    return _measure(store, study, mode)[0] if reserves(study) else study.trials


def _hope(store: Store, study: Study, person: ParticipantRecord, own: Sequence[SlotRecord], rule: Rule, *, begun: bool) -> bool:
    """Whether there would be something for this person if everything came free that others hold or have reserved."""
    found = hoped(store, study, person, own)
    return bool(found) if begun else seating.can_be_had(found, rule)


def _measure(store: Store, study: Study, mode: str) -> tuple[int, int]:
    """Tasks and least number of categories of a session: as the study says, or as many as it has contents and categories."""
    tasks = contents.contents(store, study)
    kept = _MEASURED.setdefault(store, {})
    key = (study.study_id, f"{study.version} {study.trials} {study.min_categories} {hash(study.tasks)}", mode)
    full = (study.trials, min(study.min_categories or CATEGORIES, study.trials))
    if kept.get(key) != full:
        # with places that are made later (another paradigm fits) there may be more
        practice = tasks.barred(store, [study.practice_task] if study.practice_task else [])
        every = places.everywhere(store, study.study_id, mode, study.ways, also_closed=True)
        there = {count.task_hash for count in every if count.task_hash in tasks.group} - practice
        size = min(study.trials, len({tasks.group[task_hash] for task_hash in there}))
        kept[key] = (size, min(full[1], size, len({tasks.category[task_hash] for task_hash in there})))
    return kept[key]


_MEASURED: WeakKeyDictionary[Store, dict[tuple[str, str, str], tuple[int, int]]] = WeakKeyDictionary()
"""Store → study, what of it decides, and kind of run → `_measure`."""


def given(store: Store, participant_id: str) -> list[SlotRecord]:
    """What somebody has been given, practice aside, in order."""
    return store.rows("SELECT * FROM slots WHERE participant_id = ? AND practice = 0 ORDER BY trial_index", SlotRecord, [participant_id])


def supply(store: Store, study: Study, person: ParticipantRecord, own: Sequence[SlotRecord], claims: Collection[tuple[str, str]]) -> Supply:
    """What the study holds for a person who has been given `own` and for whom `claims` are reserved (tasks and paradigms)."""
    tasks = contents.contents(store, study)
    size, categories = _measure(store, study, person.mode)
    practice = [study.practice_task] if study.practice_task else []
    barred = tasks.barred(store, [*practice, *met(store, person, own)])
    held_back = Counter(tasks.category[task_hash] for task_hash in barred)
    levels = places.levels(store, study.study_id, person.mode, study.ways)
    seed = int.from_bytes(hashlib.sha256(f"{study.seed}/{person.number}".encode()).digest()[:6])

    def offers(counts: Iterable[Count], *, reserved: bool = False) -> Iterator[Offer]:
        for count in counts:
            if (group := tasks.group.get(count.task_hash)) is not None and count.task_hash not in barred:
                # among equals what is reserved already, so that little is exchanged
                draw = -1 if reserved else hash((seed, int(count.task_hash[:12], 16))) & _DRAWS
                yield Offer(count.filled, count.claimed - reserved, draw, count.way, count.category, group, count.task_hash)

    def every() -> list[Offer]:
        found = (count for way in study.ways for count in places.open_to_all(store, study.study_id, person.mode, way))
        return [offer for offer in offers(found) if (offer.task_hash, offer.way) not in claims]

    mine = list(offers(places.of_tasks(store, study.study_id, person.mode, study.ways, claims), reserved=True))
    names = tasks.groups["category"]
    if len(tasks.group) <= 2 * places.HEAD * len(names):
        return Supply((*mine, *every()), levels, size, categories)
    # of many tasks only those are read that can come next
    found, cut = [], set()
    for way, category in ((way, category) for way in study.ways for category in names):
        most = places.HEAD + held_back[category]
        counts = places.least_filled(store, study.study_id, person.mode, way, category, most)
        found += [offer for offer in offers(counts) if (offer.task_hash, offer.way) not in claims]
        cut |= {category} if len(counts) == most else set()
    if cut and not seating.is_plenty([*mine, *found], cut, size, categories):
        found = every()
    return Supply((*mine, *found), levels, size, categories)


def hoped(store: Store, study: Study, person: ParticipantRecord, own: Sequence[SlotRecord]) -> list[Offer]:
    """What a person could have if everything that others hold or have reserved came free."""
    tasks = contents.contents(store, study)
    practice = [study.practice_task] if study.practice_task else []
    barred = tasks.barred(store, [*practice, *met(store, person, own)])
    return [
        Offer(count.filled, count.claimed, 0, count.way, count.category, tasks.group[count.task_hash], count.task_hash)
        for count in places.everywhere(store, study.study_id, person.mode, study.ways)
        if count.task_hash in tasks.group and count.task_hash not in barred and count.left
    ]


def met(store: Store, person: ParticipantRecord, own: Sequence[SlotRecord]) -> list[str]:
    """Content hashes of what a person has met: in this study, in any other of this installation, and as a member of its staff."""
    here = [slot.task_hash for slot in own]
    if person.mode == "preview":
        # whoever tries a study out may do so again and again
        return here
    return here + contents.met_elsewhere(store, person.participant_id) + contents.had_a_part_in(store, person.participant_id)


def take(store: Store, study: Study, person: ParticipantRecord, *, begin: bool) -> tuple[Draft, SlotRecord | None]:
    """Reserve the rest of a person's session; with `begin` also give them its first task.

    Returns:
        What could be had, and with `begin` the place that they hold now; None where nothing could be had.

    Raises:
        NoTaskLeft: they have ended their part.
    """
    laid_out(store, study, person.mode)
    for attempt in range(HASTY + 1):
        found = draft(store, study, person) if attempt < HASTY else None
        with store.atomic() as db:
            ended = "SELECT 1 AS yes FROM participants WHERE participant_id = ? AND state IN (SELECT value FROM json_each(?))"
            if store.one(ended, [person.participant_id, json.dumps(ENDED)]):
                raise NoTaskLeft("You have ended your part in this study.")
            if found is None:
                found = draft(store, study, person)
            elif not _stands(store, study, person, found):
                continue
            first = _reserve(store, db, study, person, found) if found.rest else None
            if first is None or not begin:
                return found, None
            return found, slots.hold(store, first, person.participant_id, version=person.version, trial=len(found.own) + 1)
    raise AssertionError("what is planned inside the lock stands")


def laid_out(store: Store, study: Study, mode: str) -> None:
    """Make the places of a kind of run of whom somebody is the first."""
    if study.per_task is not None and not places.are_made(store, study.study_id, mode):
        lay_out(store, study, mode)


def give_up(store: Store, participant_id: str, why: str) -> None:
    """Free what is reserved for somebody and was not begun; twice is once."""
    with store.atomic() as db:
        claimed = store.query("SELECT slot_id, study_id FROM slots WHERE claimed_by = ?", [participant_id])
        db.execute("DELETE FROM seats WHERE participant_id = ?", [participant_id])
        db.execute("DELETE FROM waiting WHERE participant_id = ?", [participant_id])
        if claimed:
            db.execute("UPDATE slots SET claimed_by = NULL WHERE claimed_by = ?", [participant_id])
            told = {"why": why, "dropped": [row["slot_id"] for row in claimed], "added": []}
            store.event("places_reserved", told, study_id=claimed[0]["study_id"], participant_id=participant_id)


def opens_at(study: Study, found: Draft) -> str | None:
    """When the session can be begun that is next for somebody; None: at once."""
    ended = max((slot.closed_at or "" for slot in found.own if slot.state == "completed"), default="")
    if not ended or study.min_hours_between_sessions is None:
        return None
    return written(datetime.fromisoformat(ended) + timedelta(hours=study.min_hours_between_sessions))


def stale(store: Store, study: Study, mode: str) -> list[str]:
    """Participants whose seats are due to be given up: nothing was heard of them for the study's `hold_minutes`.

    A sign of life is anything that a person does in a task, and looking at their page. Who was given more time (`extended`) keeps theirs.
    """
    if study.hold_minutes is None:
        return []
    limit = before(minutes=study.hold_minutes)
    rows = store.query(
        "SELECT s.participant_id, (SELECT v.at FROM episodes e JOIN events v USING (episode_id) WHERE e.participant_id = s.participant_id "
        "ORDER BY e.created_at DESC, v.seq DESC LIMIT 1) AS last FROM seats s WHERE s.study_id = ? AND s.mode = ? AND s.seen_at < ?",
        [study.study_id, mode, limit],
    )
    late = [row["participant_id"] for row in rows if row["last"] is None or row["last"] < limit]
    kept = extended(store, study.study_id) if late else {}
    return [person for person in late if person not in kept]


def extended(store: Store, study_id: str) -> dict[str, str]:
    """Participants whose places are kept for longer than the study's `hold_minutes`, as a researcher gave them time → until when."""
    rows = store.query(
        "SELECT participant_id, max(json_extract(data, '$.until')) AS until FROM events WHERE kind = 'time_extended' AND study_id = ? "
        "GROUP BY participant_id",
        [study_id],
    )
    at = now()
    return {row["participant_id"]: row["until"] for row in rows if row["until"] > at}


def seen(store: Store, study: Study, seat: Seat) -> None:
    """Note that somebody looks at their page, from time to time."""
    if study.hold_minutes is not None and seat.seen_at < before(minutes=study.hold_minutes / 10):
        with store.atomic() as db:
            db.execute("UPDATE seats SET seen_at = ? WHERE participant_id = ?", [now(), seat.participant_id])


def before(*, minutes: float) -> str:
    """The time so long ago, as the database writes times."""
    return written(datetime.fromisoformat(now()) - timedelta(minutes=minutes))


def _stands(store: Store, study: Study, person: ParticipantRecord, found: Draft) -> bool:
    """Whether what was planned before the lock is still so: nothing of the person's has changed, the first task is as full as it was, and
    everything is still to be had."""
    if tuple(given(store, person.participant_id)) != found.own:
        return False
    kept = {row["slot_id"] for row in store.query("SELECT slot_id FROM slots WHERE claimed_by = ?", [person.participant_id])}
    if kept != set(found.claims.values()):
        return False
    if found.rest and _filled(store, study, person.mode, found.rest[0]) != found.rest[0].filled:
        return False
    wanted = [offer for offer in found.rest if (offer.task_hash, offer.way) not in found.claims]
    return all(_free(store, study, person.mode, offer) is not None for offer in wanted)


def _filled(store: Store, study: Study, mode: str, offer: Offer) -> int:
    sql = "SELECT filled FROM places WHERE study_id = ? AND mode = ? AND paradigm = ? AND task_hash = ?"
    row = store.one(sql, [study.study_id, mode, offer.way, offer.task_hash])
    return int(row["filled"]) if row else 0


def _free(store: Store, study: Study, mode: str, offer: Offer) -> str | None:
    """A place that nobody has and that is reserved for nobody."""
    sql = (
        "SELECT slot_id FROM slots WHERE study_id = ? AND mode = ? AND paradigm = ? AND task_hash = ? AND practice = 0 AND state = 'free' "
        "AND claimed_by IS NULL LIMIT 1"
    )
    row = store.one(sql, [study.study_id, mode, offer.way, offer.task_hash])
    return str(row["slot_id"]) if row else None


def _reserve(store: Store, db: Any, study: Study, person: ParticipantRecord, found: Draft) -> str:
    """Write what was planned; returns the place that comes first."""
    at, places, added = now(), {}, []
    for offer in found.rest:
        key = (offer.task_hash, offer.way)
        if key in found.claims:
            places[key] = found.claims[key]
            continue
        slot_id = _free(store, study, person.mode, offer)
        assert slot_id is not None
        db.execute("UPDATE slots SET claimed_by = ? WHERE slot_id = ?", [person.participant_id, slot_id])
        places[key] = slot_id
        added.append(slot_id)
    dropped = [slot_id for key, slot_id in found.claims.items() if key not in places]
    for slot_id in dropped:
        db.execute("UPDATE slots SET claimed_by = NULL WHERE slot_id = ?", [slot_id])
    if added or dropped:
        told = {"session": found.session, "added": added, "dropped": dropped}
        store.event("places_reserved", told, at=at, study_id=study.study_id, participant_id=person.participant_id)
    seat = {"id": person.participant_id, "study": study.study_id, "mode": person.mode, "session": found.session, "size": found.size}
    db.execute(
        "INSERT INTO seats (participant_id, study_id, mode, session, size, since, seen_at) "
        "VALUES (:id, :study, :mode, :session, :size, :at, :at) ON CONFLICT (participant_id) DO UPDATE SET seen_at = :at, "
        "session = :session, size = :size, since = CASE WHEN session = :session THEN since ELSE :at END",
        seat | {"at": at},
    )
    db.execute("DELETE FROM waiting WHERE participant_id = ?", [person.participant_id])
    return next(iter(places.values()))
