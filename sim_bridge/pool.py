"""Supervised worker processes: started, watched, replaced; sessions placed on the least loaded, with a fair queue.

A worker is disposable: one that dies or hangs is killed and started again, and its sessions are resumed by whoever owns them
(`acquire` again, then `Client.load` with a snapshot or the list of actions). Workers on other machines are used by address.
One pool may have workers of several simulators; a session is placed on a worker of the one that it asks for, and waits in its line.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sim_bridge import placement
from sim_bridge.client import Client
from sim_bridge.errors import BridgeError, Busy, NoWorker, UnknownSession, WorkerLost
from sim_bridge.placement import AWAY, READY, SUSPECT, Slot
from sim_bridge.places import Places, Ticket
from sim_bridge.protocol import MAX_SESSIONS
from sim_bridge.remote import Remote
from sim_bridge.supervisor import HEALTH_DEADLINE_S, Start, Supervisor
from sim_bridge.worker import TOKEN_VARIABLE

log = logging.getLogger("sim_bridge.pool")

SPARE_S = 1.0
"""Seconds between two questions whether somebody can do without their session."""
HEALTH_INTERVAL_S = 1.0
"""Time between health checks; a hung worker is replaced within this after its request's deadline."""


@dataclass(frozen=True)
class WorkerStatus:
    """One worker as the pool sees it."""

    pid: int | None
    """Process id; None for a worker reached by address, or while there is no process."""
    address: str
    """ws://host:port; empty while it starts."""
    state: str
    """starting, ready, suspect or down."""
    sessions: int
    """Sessions placed on it."""
    rss_mb: float
    """Resident memory at the last health check."""
    restarts: int
    """How often it had to be replaced."""
    busy_s: float
    """Seconds its simulator had been on one request at the last health check."""
    message: str
    """Why it is down or was replaced last; empty if all is well."""
    backend: str = ""
    """Name of its simulator; empty: it has not said so yet."""
    places: int = 0
    """Sessions that may be placed on it; 0: it has not said so yet."""
    latency_ms: float | None = None
    """How long a question to it takes there and back, milliseconds, the median of the last health checks; None: not measured."""
    local: bool = True
    """Whether it is a process of this pool."""


class Pool:
    """Workers on this machine and elsewhere, behind one door. Thread-safe.

    Args:
        backend: simulator of the local workers (see `sim_bridge.host.create_backend`). Sessions that ask for none are placed on it; where
            there are no local workers, on the one that all `addresses` have.
        others: further simulators, each with local workers of its own.
        workers: local worker processes, of each simulator.
        addresses: workers on other machines, ``ws://host:port``, or `Remote` with tokens of their own; they are watched but not started.
        token: the bearer token of `addresses`; local workers get a new random one each time.
        max_sessions_per_worker: more wait in line; fewer are placed on a worker that says that it keeps fewer.
        python: interpreter of the local workers, with sim_bridge installed unless it is this one.
        log_dir: folder for ``worker-<n>.log``; None: this process's stderr.
        env: variables added to the workers' environment.
        idle_evict_s: when all places are taken, a session unused for this long gives its place up (it can be resumed); None: never.
        health_interval_s: time between health checks.

    Example:
        >>> pool = Pool(backend="toy", workers=2)
        >>> pool.start()
        >>> client = pool.acquire("episode-1")
        >>> pool.stop()
    """

    def __init__(
        self,
        *,
        backend: str = "mujoco",
        others: Sequence[str] = (),
        workers: int = 1,
        addresses: Sequence[str | Remote] = (),
        token: str | None = None,
        max_sessions_per_worker: int = MAX_SESSIONS,
        python: str = sys.executable,
        log_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        idle_evict_s: float | None = 300.0,
        health_interval_s: float = HEALTH_INTERVAL_S,
    ) -> None:
        self._backend = backend
        self.spare: Callable[[], bool] | None = None
        """Asked while somebody waits: gives up a session that nobody uses now, and says whether it did."""
        slots = [Slot(spec=spec) for spec in dict.fromkeys((backend, *others)) for _ in range(workers)]
        shared = token or os.environ.get(TOKEN_VARIABLE, "")
        for one in addresses:
            remote = one if isinstance(one, Remote) else Remote(one)
            slots.append(Slot(address=remote.address, token=remote.token or shared, local=False))
        self._places = Places(slots, idle_evict_s)
        start = Start(python, max_sessions_per_worker, Path(log_dir) if log_dir is not None else None, dict(env or {}))
        self._supervisor = Supervisor(self._places, start, health_interval_s)

    def start(self) -> None:
        """Start the workers; returns at once, `acquire` waits until one is ready."""
        with self._places.changed:
            if self._supervisor.stopping:
                raise WorkerLost("The simulator pool has been stopped; make a new one.")
            self._supervisor.start()

    def stop(self) -> None:
        """End every worker started here and close all connections; waits until they are gone."""
        self._supervisor.stop()

    def __enter__(self) -> Pool:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def acquire(
        self,
        session: str,
        *,
        backend: str = "",
        needs: Sequence[str] = (),
        like: Mapping[str, str] | None = None,
        wait_s: float = 30.0,
        on_wait: Callable[[int], None] | None = None,
        last: bool = False,
        spare: Callable[[], bool] | None = None,
    ) -> Client:
        """A connection to the worker that serves `session`: the one it is placed on, else the least loaded with a free place.

        Args:
            session: any id; it stays on that worker until `release`, eviction or the worker's loss.
            backend: name of the simulator that it is placed on; empty: the pool's own.
            needs: capabilities that the session needs: workers of that simulator that have them come into question, if there are any. Where
                `backend` is empty and the pool's own simulator lacks one of `placement.ROUTED`, another simulator that has it is taken.
            like: fingerprint of the worker that it was on: one that draws alike is taken before others.
            wait_s: how long to wait in line.
            on_wait: called with the place in line (1 = next) whenever it changes, on the calling thread; with `AWAY` while no worker of
                that simulator is there.
            last: wait behind everybody who did not say so (models behind people).
            spare: asked each second on the calling thread, while next in line, to give up a session that somebody can do without; says
                whether it did. Default: the pool's own, where one waits at all.

        Raises:
            Busy: no place within `wait_s`; `place` says how far the line had moved.
            NoWorker: no worker of that simulator was there within `wait_s`.
            WorkerLost: no worker of that simulator can be started, the pool has none of it, or the pool was stopped.
            BadRequest: the pool's workers have several simulators, and none is asked for.
        """
        ends = time.monotonic() + wait_s
        ticket: Ticket | None = None
        line: list[Ticket] = []
        told, asked = 0, -1.0
        spare = spare or (self.spare if wait_s > 0 else None)
        try:
            while True:
                evicted: Client | None = None
                ask: Callable[[], bool] | None = None
                with self._places.changed:
                    wanted = placement.wanted(self._places.slots, self._backend, backend, needs)
                    candidates = placement.candidates(self._places.slots, self._backend, wanted, needs)
                    self._check_usable(candidates, wanted)
                    client = self._places.connection(session)
                    if client is not None:
                        return client
                    slot, place = None, 1
                    if session not in self._places.pins:
                        if ticket is None:
                            ticket, line = self._places.queue(session, placement.line_of(self._places.slots, wanted, needs), last)
                        place = line.index(ticket) + 1
                        if place == 1:
                            slot, evicted = self._places.free(candidates, like)
                    away = slot is None and placement.away(candidates)
                    shown = AWAY if away else place
                    if slot is not None:
                        line.pop(0)
                        ticket = None
                        self._places.put(session, slot)
                    elif ticket is not None and place == 1 and not away and spare is not None and time.monotonic() - asked >= SPARE_S:
                        ask, asked = spare, time.monotonic()
                    elif shown == told or on_wait is None:
                        left = ends - time.monotonic()
                        if left <= 0:
                            if away:
                                raise NoWorker(placement.missing(candidates, wanted or self._backend))
                            taken = f"All simulator places are taken: place {place} in line after {wait_s:g} s."
                            raise Busy(f"{taken} Try again shortly.", place)
                        # Woken when something changes; the second only serves idle sessions that come of age.
                        self._places.changed.wait(min(left, 1.0))
                        continue
                if evicted is not None:
                    evicted.close()
                if ask is not None:
                    ask()
                    continue
                if slot is None:
                    told = shown
                    assert on_wait is not None
                    on_wait(shown)
                    continue
                connected = self._connect(slot, session)
                if connected is not None:
                    return connected
        finally:
            if ticket is not None:
                with self._places.changed:
                    line.remove(ticket)
                    self._places.changed.notify_all()

    def client(self, session: str) -> Client:
        """The connection of a placed session.

        Raises:
            UnknownSession: it has no place (never acquired, released, evicted, or its worker was lost): acquire it again.
        """
        with self._places.changed:
            client = self._places.connection(session)
        if client is None:
            raise UnknownSession(f"Session {session!r} has no place in the pool: acquire it again.")
        return client

    def token_of(self, session: str) -> str:
        """The bearer token of the worker a session is placed on, for further connections to it.

        Raises:
            UnknownSession: as `client`.
        """
        self.client(session)
        with self._places.changed:
            return self._places.pins[session].token

    def release(self, session: str) -> None:
        """Give the place up and let the worker forget the session; unknown sessions are ignored."""
        client = self._places.unpin(session)
        if client is None:
            return
        try:
            client.close_session(session, deadline_s=HEALTH_DEADLINE_S)
        except BridgeError as problem:
            # The worker drops it by itself when it needs the place.
            log.info("session %s could not be closed: %s", session, problem)
        client.close()

    def report_lost(self, session: str) -> None:
        """The caller saw `WorkerLost`: gives the place up and has the worker looked at; if it is dead or hung it is replaced.

        Returns at once; the next `acquire` of this session goes before new ones.
        """
        with self._places.changed:
            slot = self._places.pins.get(session)
            self._places.lost.add(session)
            if slot is not None and slot.state == READY:
                slot.enter(SUSPECT)
        client = self._places.unpin(session)
        if client is not None:
            client.close()
        self._supervisor.look()

    def status(self) -> list[WorkerStatus]:
        """What every worker is doing."""
        with self._places.changed:
            return [
                WorkerStatus(
                    pid=slot.process.pid if slot.process else None,
                    address=slot.address,
                    state=slot.state,
                    sessions=len(slot.sessions),
                    rss_mb=slot.rss_mb,
                    restarts=slot.restarts,
                    busy_s=slot.busy_s,
                    message=slot.message,
                    backend=slot.backend,
                    places=slot.places,
                    latency_ms=round(median(slot.latencies), 2) if slot.latencies and slot.state in (READY, SUSPECT) else None,
                    local=slot.local,
                )
                for slot in self._places.slots
            ]

    @property
    def waiting(self) -> int:
        """Length of the line."""
        return self._places.waiting

    def _check_usable(self, candidates: Sequence[Slot], wanted: str) -> None:
        if self._supervisor.stopping:
            raise WorkerLost("The simulator pool has been stopped.")
        if not self._supervisor.started:
            raise WorkerLost("The simulator pool has not been started.")
        if not self._places.slots:
            raise WorkerLost("The simulator pool has no workers: give it workers=1 or addresses.")
        if not candidates:
            there = ", ".join(sorted({slot.backend for slot in self._places.slots}))
            raise WorkerLost(f"No worker here has the simulator {wanted}; there are workers of: {there}.")
        if all(slot.hopeless for slot in candidates):
            raise WorkerLost(f"No simulator worker can be started: {candidates[0].message}")

    def _connect(self, slot: Slot, session: str) -> Client | None:
        """Connect a placed session; None: the worker went away meanwhile, take another place."""
        client = None
        try:
            client = Client(slot.address, slot.token, name=session)
        except WorkerLost as problem:
            log.info("%s", problem)
        except BaseException:
            self._places.unpin(session)
            raise
        with self._places.changed:
            if (
                client is not None
                and client.hello.backend == slot.backend
                and self._places.pins.get(session) is slot
                and session in slot.sessions
            ):
                slot.sessions[session] = client
                self._places.lost.discard(session)
                self._places.changed.notify_all()
                return client
            if slot.state == READY:
                slot.enter(SUSPECT)
        self._places.unpin(session)
        if client is not None:
            client.close()
        self._supervisor.look()
        return None
