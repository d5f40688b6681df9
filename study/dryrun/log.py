"""What the event log tells of places: who held which from when to when. Nothing else is read, so that it judges the assigner."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store
from study.states import FREES_SLOT

Cell = tuple[str, str]
"""A task (content hash) and a paradigm."""


class Happened(msgspec.Struct, frozen=True):
    """An event that gives a place or takes it away."""

    seq: int
    kind: str
    at: str
    participant_id: str | None
    data: Annotated[dict[str, Any], Json]


@dataclass
class Lease:
    """A place while somebody has it: held, then for good if they completed its task."""

    slot_id: str
    cell: Cell
    participant_id: str
    trial: int
    start: int
    """Number of the event that gave it."""
    completed: int | None = None
    """Number of the event of its answer."""
    end: int | None = None
    """Number of the event by which the place came free again; None: it did not."""

    def holds(self, seq: int) -> bool:
        """Whether the place is taken after event number `seq`."""
        return self.start <= seq and (self.end is None or self.end > seq)


class Book:
    """The leases of a study's people of one kind of run, practice aside; read on from where it was read last."""

    def __init__(self, store: Store, study_id: str, mode: str) -> None:
        self._store, self._study_id, self._mode, self._read = store, study_id, mode, 0
        self._people: set[str] = set()
        self._of: dict[str, list[Lease]] = defaultdict(list)
        self._all: list[Lease] = []

    def leases(self) -> list[Lease]:
        """Every lease so far, oldest first."""
        happened = self._store.rows(
            "SELECT seq, kind, at, participant_id, data FROM events WHERE seq > ? AND study_id = ? "
            "AND kind IN ('participant_entered', 'assigned', 'slot_state') ORDER BY seq",
            Happened,
            [self._read, self._study_id],
        )
        for event in happened:
            self._read = event.seq
            self._take(event)
        return self._all

    def _take(self, event: Happened) -> None:
        told, who = event.data, event.participant_id or ""
        if event.kind == "participant_entered":
            if told["mode"] == self._mode:
                self._people.add(who)
        elif event.kind == "assigned":
            if told["trial_index"] and who in self._people:
                lease = Lease(told["slot"], (told["task"], told["paradigm"]), who, told["trial_index"], event.seq)
                self._all.append(lease)
                self._of[lease.slot_id].append(lease)
        else:
            for lease in self._of.get(told["slot"], ()):
                if told["state"] == "completed":
                    lease.completed = lease.completed or event.seq
                elif FREES_SLOT[told["state"]] and lease.end is None:
                    lease.end = event.seq


def taken_at(found: Iterable[Lease], seq: int) -> Counter[Cell]:
    """How many places of each cell are taken after event number `seq`."""
    return Counter(lease.cell for lease in found if lease.holds(seq))


def most_at_once(found: Iterable[Lease]) -> dict[str, int]:
    """Place → by how many leases it was held at once, at most: starts and ends in order, running sum."""
    turns = sorted(
        (seq, change, lease.slot_id) for lease in found for seq, change in ((lease.start, 1), (lease.end, -1)) if seq is not None
    )
    now: Counter[str] = Counter()
    most: dict[str, int] = {}
    for _, change, slot_id in turns:
        now[slot_id] += change
        most[slot_id] = max(most.get(slot_id, 0), now[slot_id])
    return most


def claimed_at_once(store: Store, study_id: str) -> dict[str, int]:
    """Place → for how many people it was reserved at once, at most. Who comes to a place that was reserved for them has it reserved no
    longer."""
    happened = store.rows(
        "SELECT seq, kind, at, participant_id, data FROM events WHERE study_id = ? AND kind IN ('places_reserved', 'assigned') "
        "ORDER BY seq",
        Happened,
        [study_id],
    )
    holders: dict[str, set[str]] = defaultdict(set)
    most: dict[str, int] = {}
    for event in happened:
        who = event.participant_id or ""
        added = event.data.get("added", ())
        for slot_id in (*event.data.get("dropped", ()), *filter(None, [event.data.get("slot")])):
            holders[slot_id].discard(who)
        for slot_id in added:
            holders[slot_id].add(who)
            most[slot_id] = max(most.get(slot_id, 0), len(holders[slot_id]))
    return most
