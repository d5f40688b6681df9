"""Who is on which worker of a pool, and who waits in which line."""

from __future__ import annotations

import bisect
import itertools
import logging
import threading
import time
from collections.abc import Mapping, Sequence

from sim_bridge.client import Client
from sim_bridge.placement import READY, Slot

log = logging.getLogger("sim_bridge.pool")

Ticket = tuple[bool, bool, int]
"""Of somebody who waits: whether they go last, whether they are new, and when they came; in this order."""


class Places:
    """Sessions and their workers; `changed` guards all of it and the slots.

    Args:
        slots: the workers.
        idle_evict_s: when all places are taken, a session unused for this long gives its place up; None: never.
    """

    def __init__(self, slots: Sequence[Slot], idle_evict_s: float | None) -> None:
        self.slots, self._idle_evict_s = slots, idle_evict_s
        self.changed = threading.Condition()
        """Notified whenever a place may have become free."""
        self.pins: dict[str, Slot] = {}
        self.lost: set[str] = set()
        """Sessions whose worker was lost: they come before new ones when they return."""
        self._lines: dict[str, list[Ticket]] = {}
        """Line (`placement.line_of`) → waiting tickets in order: those that go last come last, returning sessions before new ones, then
        first come, first served."""
        self._tickets = itertools.count()

    @property
    def waiting(self) -> int:
        """How many wait, in all lines."""
        with self.changed:
            return sum(len(line) for line in self._lines.values())

    def queue(self, session: str, line: str, last: bool) -> tuple[Ticket, list[Ticket]]:
        """A new ticket, and the line that it stands in. With `changed` held."""
        ticket = (last, session not in self.lost, next(self._tickets))
        waiting = self._lines.setdefault(line, [])
        bisect.insort(waiting, ticket)
        self.changed.notify_all()
        return ticket, waiting

    def connection(self, session: str) -> Client | None:
        """That of a placed session; None: it has no place, or is not connected yet. With `changed` held."""
        slot = self.pins.get(session)
        return slot.sessions.get(session) if slot else None

    def put(self, session: str, slot: Slot) -> None:
        """Place a session, which is not connected yet. With `changed` held."""
        slot.sessions[session] = None
        self.pins[session] = slot
        self.changed.notify_all()

    def free(self, candidates: Sequence[Slot], like: Mapping[str, str] | None) -> tuple[Slot | None, Client | None]:
        """The least loaded ready worker with a free place, one that draws alike before others; and the connection of the idle session that
        had to make room. With `changed` held."""
        ready = [slot for slot in candidates if slot.state == READY]
        free = [slot for slot in ready if len(slot.sessions) < slot.places]
        if free:
            return min(free, key=lambda slot: (like is not None and slot.fingerprint != like, len(slot.sessions))), None
        if self._idle_evict_s is None:
            return None, None
        idle = [
            (client.last_used, session, slot)
            for slot in ready
            for session, client in slot.sessions.items()
            if client is not None and time.monotonic() - client.last_used > self._idle_evict_s
        ]
        if not idle:
            return None, None
        _, session, slot = min(idle, key=lambda entry: entry[0])
        log.info("session %s has been idle and gives its place up", session)
        self.lost.add(session)
        del self.pins[session]
        return slot, slot.sessions.pop(session)

    def unpin(self, session: str) -> Client | None:
        """Take a session's place away; returns its connection."""
        with self.changed:
            slot = self.pins.pop(session, None)
            client = slot.sessions.pop(session, None) if slot else None
            self.changed.notify_all()
        return client

    def vacate(self, slot: Slot) -> list[Client]:
        """Take the places of all its sessions away; returns their connections. With `changed` held."""
        clients = [client for client in slot.sessions.values() if client is not None]
        for session in slot.sessions:
            self.lost.add(session)
            self.pins.pop(session, None)
        slot.sessions.clear()
        return clients
