"""Supervised worker processes: started, watched, replaced; sessions placed on the least loaded, with a fair queue.

A worker is disposable: one that dies or hangs is killed and started again, and its sessions are resumed by whoever owns them
(`acquire` again, then `Client.load` with a snapshot or the list of actions). Workers on other machines are used by address.
One pool may have workers of several simulators; a session is placed on a worker of the one that it asks for, and waits in its line.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import json
import logging
import os
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO

from sim_bridge import placement
from sim_bridge.client import Client
from sim_bridge.errors import BridgeError, Busy, NoWorker, UnknownSession, WorkerLost
from sim_bridge.placement import AWAY, DOWN, READY, STARTING, SUSPECT, Slot
from sim_bridge.protocol import MAX_SESSIONS
from sim_bridge.remote import Remote
from sim_bridge.worker import OUT_OF_MEMORY_STATUS, TOKEN_VARIABLE

log = logging.getLogger("sim_bridge.pool")

SPARE_S = 1.0
"""Seconds between two questions whether somebody can do without their session."""
HEALTH_INTERVAL_S = 1.0
"""Time between health checks; a hung worker is replaced within this after its request's deadline."""
HEALTH_DEADLINE_S = 2.0
"""The network thread answers in a millisecond; after two misses of this the whole process is taken for frozen."""
START_TIMEOUT_S = 120.0
"""A simulator may compile shaders or load assets on its first start."""
HOPE_S = 120.0
"""A worker that has run here before, or that something outside killed as it started, can be started again: people wait for it this long."""
STOP_TIMEOUT_S = 3.0
"""Time to end by itself after SIGTERM."""
MAX_LOG_BYTES = 10_000_000
"""A worker's log beyond this is set aside once when the worker starts."""


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
        self._backend, self._python, self._env = backend, python, dict(env or {})
        self._max_sessions, self._idle_evict_s, self._health_interval_s = max_sessions_per_worker, idle_evict_s, health_interval_s
        self.spare: Callable[[], bool] | None = None
        """Asked while somebody waits: gives up a session that nobody uses now, and says whether it did."""
        self._log_dir = Path(log_dir) if log_dir is not None else None
        self._slots = [Slot(spec=spec) for spec in dict.fromkeys((backend, *others)) for _ in range(workers)]
        shared = token or os.environ.get(TOKEN_VARIABLE, "")
        for one in addresses:
            remote = one if isinstance(one, Remote) else Remote(one)
            self._slots.append(Slot(address=remote.address, token=remote.token or shared, local=False))
        self._changed = threading.Condition()
        """Guards everything below and the slots; notified whenever a place may have become free."""
        self._pins: dict[str, Slot] = {}
        self._lost: set[str] = set()
        """Sessions whose worker was lost: they come before new ones when they return."""
        self._lines: dict[str, list[tuple[bool, bool, int]]] = {}
        """Line (`placement.line_of`) → waiting tickets in order: those that go last come last, returning sessions before new ones, then
        first come, first served."""
        self._tickets = itertools.count()
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the workers; returns at once, `acquire` waits until one is ready."""
        with self._changed:
            if self._stopping:
                raise WorkerLost("The simulator pool has been stopped; make a new one.")
            if self._thread is not None:
                return
            # Linux ends a worker when the thread that started it ends, so one thread that lives as long as the pool starts them all.
            self._thread = threading.Thread(target=self._supervise, name="bridge-pool", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End every worker started here and close all connections; waits until they are gone."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

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
        ticket: tuple[bool, bool, int] | None = None
        line: list[tuple[bool, bool, int]] = []
        told, asked = 0, -1.0
        spare = spare or (self.spare if wait_s > 0 else None)
        try:
            while True:
                evicted: Client | None = None
                ask: Callable[[], bool] | None = None
                with self._changed:
                    wanted = placement.wanted(self._slots, self._backend, backend, needs)
                    candidates = placement.candidates(self._slots, self._backend, wanted, needs)
                    self._check_usable(candidates, wanted)
                    pinned = self._pins.get(session)
                    client = pinned.sessions.get(session) if pinned else None
                    if client is not None:
                        return client
                    slot, place = None, 1
                    if pinned is None:
                        if ticket is None:
                            ticket = (last, session not in self._lost, next(self._tickets))
                            line = self._lines.setdefault(placement.line_of(self._slots, wanted, needs), [])
                            bisect.insort(line, ticket)
                            self._changed.notify_all()
                        place = line.index(ticket) + 1
                        if place == 1:
                            slot, evicted = self._free_slot(candidates, like)
                    away = slot is None and placement.away(candidates)
                    shown = AWAY if away else place
                    if slot is not None:
                        line.pop(0)
                        ticket = None
                        slot.sessions[session] = None
                        self._pins[session] = slot
                        self._changed.notify_all()
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
                        self._changed.wait(min(left, 1.0))
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
                with self._changed:
                    line.remove(ticket)
                    self._changed.notify_all()

    def client(self, session: str) -> Client:
        """The connection of a placed session.

        Raises:
            UnknownSession: it has no place (never acquired, released, evicted, or its worker was lost): acquire it again.
        """
        with self._changed:
            slot = self._pins.get(session)
            client = slot.sessions.get(session) if slot else None
        if client is None:
            raise UnknownSession(f"Session {session!r} has no place in the pool: acquire it again.")
        return client

    def token_of(self, session: str) -> str:
        """The bearer token of the worker a session is placed on, for further connections to it.

        Raises:
            UnknownSession: as `client`.
        """
        self.client(session)
        with self._changed:
            return self._pins[session].token

    def release(self, session: str) -> None:
        """Give the place up and let the worker forget the session; unknown sessions are ignored."""
        client = self._unpin(session)
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
        with self._changed:
            slot = self._pins.get(session)
            self._lost.add(session)
            if slot is not None and slot.state == READY:
                self._enter(slot, SUSPECT)
        client = self._unpin(session)
        if client is not None:
            client.close()
        self._wake.set()

    def status(self) -> list[WorkerStatus]:
        """What every worker is doing."""
        with self._changed:
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
                for slot in self._slots
            ]

    @property
    def waiting(self) -> int:
        """Length of the line."""
        with self._changed:
            return sum(len(line) for line in self._lines.values())

    # -- places ----------------------------------------------------------------------------------------------------------------------

    def _check_usable(self, candidates: Sequence[Slot], wanted: str) -> None:
        if self._stopping:
            raise WorkerLost("The simulator pool has been stopped.")
        if self._thread is None:
            raise WorkerLost("The simulator pool has not been started.")
        if not self._slots:
            raise WorkerLost("The simulator pool has no workers: give it workers=1 or addresses.")
        if not candidates:
            there = ", ".join(sorted({slot.backend for slot in self._slots}))
            raise WorkerLost(f"No worker here has the simulator {wanted}; there are workers of: {there}.")
        if all(slot.hopeless for slot in candidates):
            raise WorkerLost(f"No simulator worker can be started: {candidates[0].message}")

    def _free_slot(self, candidates: Sequence[Slot], like: Mapping[str, str] | None) -> tuple[Slot | None, Client | None]:
        """The least loaded ready worker with a free place, one that draws alike before others; and the connection of the idle session that
        had to make room."""
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
        self._lost.add(session)
        del self._pins[session]
        return slot, slot.sessions.pop(session)

    def _connect(self, slot: Slot, session: str) -> Client | None:
        """Connect a placed session; None: the worker went away meanwhile, take another place."""
        client = None
        try:
            client = Client(slot.address, slot.token, name=session)
        except WorkerLost as problem:
            log.info("%s", problem)
        except BaseException:
            self._unpin(session)
            raise
        with self._changed:
            if client is not None and client.hello.backend == slot.backend and self._pins.get(session) is slot and session in slot.sessions:
                slot.sessions[session] = client
                self._lost.discard(session)
                self._changed.notify_all()
                return client
            if slot.state == READY:
                self._enter(slot, SUSPECT)
        self._unpin(session)
        if client is not None:
            client.close()
        self._wake.set()
        return None

    def _unpin(self, session: str) -> Client | None:
        with self._changed:
            slot = self._pins.pop(session, None)
            client = slot.sessions.pop(session, None) if slot else None
            self._changed.notify_all()
        return client

    def _enter(self, slot: Slot, state: str) -> None:
        slot.state, slot.since = state, time.monotonic()

    # -- supervision: everything below runs on the supervisor's thread -----------------------------------------------------------------

    def _supervise(self) -> None:
        while not self._stopping:
            for index, slot in enumerate(self._slots):
                try:
                    self._tend(index, slot)
                except Exception:
                    # The supervisor must outlive any surprise of one worker.
                    log.exception("watching worker %d failed", index)
                    self._replace(slot, "watching it failed; see the log")
            waiting = any(slot.state in (STARTING, SUSPECT) for slot in self._slots)
            self._wake.wait(min(0.1, self._health_interval_s) if waiting else self._health_interval_s)
            self._wake.clear()
        self._end_all()

    def _tend(self, index: int, slot: Slot) -> None:
        """Bring one worker a step further: start it, notice that it is ready, check its health."""
        if slot.local and slot.process is None:
            if time.monotonic() >= slot.retry_at:
                self._spawn(index, slot)
        elif slot.process is not None and _has_ended(slot.process):
            error = _announced(slot).get("error")
            _kill(slot.process)
            self._replace(slot, f"ended with {_status_words(slot.process.returncode)}{self._last_words(index)}", error)
        elif slot.state in (STARTING, DOWN):
            self._welcome(slot)
        else:
            self._examine(slot)

    def _spawn(self, index: int, slot: Slot) -> None:
        token = secrets.token_urlsafe(24)
        slot.first_start = slot.first_start or time.monotonic()
        package = Path(__file__).resolve().parent
        root = str(package.parent) if self._python == sys.executable else ""
        command = [self._python, str(package / "_start.py"), root, "worker", "--backend", slot.spec, "--port", "0"]
        command += ["--max-sessions", str(self._max_sessions), "--parent", str(os.getpid())]
        with self._log_file(index) as errors:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env={**os.environ, **self._env, TOKEN_VARIABLE: token},
                    start_new_session=True,
                )
            except OSError as problem:
                with self._changed:
                    slot.message, slot.hopeless = f"cannot run {self._python!r}: {problem.strerror or problem}", True
                    slot.retry_at = time.monotonic() + 30.0
                    self._enter(slot, DOWN)
                    self._changed.notify_all()
                return
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        with self._changed:
            slot.process, slot.token, slot.address, slot.announced, slot.misses = process, token, "", b"", 0
            self._enter(slot, STARTING)

    def _welcome(self, slot: Slot) -> None:
        """Whether a worker that starts, or a remote one that was away, is ready now."""
        if slot.local:
            address = _announced(slot).get("address")
            if not address:
                if time.monotonic() - slot.since > START_TIMEOUT_S:
                    self._replace(slot, f"was not ready after {START_TIMEOUT_S:g} s")
                return
            with self._changed:
                slot.address = address
        elif time.monotonic() < slot.retry_at:
            return
        try:
            control = Client(slot.address, slot.token, name="supervisor", connect_timeout_s=HEALTH_DEADLINE_S)
            hung = control.health(deadline_s=HEALTH_DEADLINE_S).overdue
        except BridgeError as problem:
            self._replace(slot, str(problem))
            return
        if hung:
            control.close()
            self._replace(slot, "hung: past the deadline of its request; it has to be restarted where it runs")
            return
        with self._changed:
            slot.control, slot.hopeless, slot.misses = control, False, 0
            said = control.hello
            slot.backend, slot.capabilities, slot.fingerprint = said.backend, frozenset(said.capabilities), said.fingerprint
            slot.places = min(self._max_sessions, said.places or self._max_sessions)
            slot.latencies.clear()
            if slot.restarts == 0:
                slot.message = ""
            self._enter(slot, READY)
            self._changed.notify_all()
        log.info("worker %s is ready (%s)", slot.address, control.hello.backend)

    def _examine(self, slot: Slot) -> None:
        """Health of a ready or suspect worker."""
        assert slot.control is not None
        began = time.perf_counter()
        try:
            health = slot.control.health(deadline_s=HEALTH_DEADLINE_S)
        except BridgeError as problem:
            slot.misses += 1
            if slot.misses >= 2:
                self._replace(slot, str(problem))
            return
        with self._changed:
            progressed = health.busy_s < slot.busy_s or health.busy_s == 0.0
            slot.misses, slot.rss_mb, slot.busy_s = 0, health.rss_mb, health.busy_s
            slot.latencies.append((time.perf_counter() - began) * 1e3)
            if slot.state == SUSPECT and progressed and not health.overdue:
                self._enter(slot, READY)
                self._changed.notify_all()
            elif slot.state == READY and time.monotonic() - slot.since > 5.0:
                slot.failures = 0
        if health.overdue:
            self._replace(slot, f"hung: {health.busy_s:.0f} s on one request, past its deadline")

    def _replace(self, slot: Slot, why: str, hopeless: str | None = None) -> None:
        """Take a worker out of service, kill it if it is ours, and plan its return; its sessions lose their place."""
        was_ready = slot.state in (READY, SUSPECT)
        process = slot.process
        # Its status if it ended by itself or was ended from outside; here it may still run.
        ended = process.returncode if process is not None else None
        if process is not None:
            _kill(process)
        log.warning("worker %s: %s", slot.address or "(starting)", why)
        with self._changed:
            lasted = was_ready and time.monotonic() - slot.since > 5.0
            slot.failures = 0 if lasted else slot.failures + 1
            if was_ready:
                slot.seen_well = time.monotonic()
            killed = ended is not None and ended in (-signal.SIGKILL, -signal.SIGTERM)
            since = slot.first_start if killed and slot.seen_well is None else slot.seen_well
            hope = since is not None and time.monotonic() - since < HOPE_S
            slot.hopeless = hopeless is not None or (not was_ready and slot.failures >= 3 and not hope)
            slot.message = hopeless or why
            slot.restarts += was_ready or process is not None
            delay = 0.0 if slot.failures == 0 else min(30.0, 0.1 * 2**slot.failures)
            slot.retry_at = time.monotonic() + (delay if slot.local else max(1.0, delay))
            slot.process, slot.busy_s, slot.rss_mb, slot.misses = None, 0.0, 0.0, 0
            clients = [client for client in (*slot.sessions.values(), slot.control) if client is not None]
            for session in slot.sessions:
                self._lost.add(session)
                self._pins.pop(session, None)
            slot.sessions.clear()
            slot.control = None
            if slot.local:
                slot.address = ""
            self._enter(slot, DOWN)
            self._changed.notify_all()
        for client in clients:
            client.close()

    def _end_all(self) -> None:
        with self._changed:
            clients = [c for slot in self._slots for c in (*slot.sessions.values(), slot.control) if c is not None]
            processes = [slot.process for slot in self._slots if slot.process is not None]
            for slot in self._slots:
                slot.sessions.clear()
                slot.control = slot.process = None
                self._enter(slot, DOWN)
            self._pins.clear()
            self._changed.notify_all()
        for process in processes:
            process.terminate()
        for client in clients:
            client.close()
        ends = time.monotonic() + STOP_TIMEOUT_S
        for process in processes:
            while not _has_ended(process) and time.monotonic() < ends:
                time.sleep(0.02)
            # The group too: a simulator may have started helpers.
            _kill(process)

    @contextlib.contextmanager
    def _log_file(self, index: int) -> Iterator[IO[bytes] | None]:
        if self._log_dir is None:
            yield None
            return
        self._log_dir.mkdir(parents=True, exist_ok=True)
        path = self._log_dir / f"worker-{index}.log"
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with path.open("ab") as out:
            yield out

    def _last_words(self, index: int) -> str:
        """The last line of a worker's log, if there is one."""
        if self._log_dir is None:
            return ""
        path = self._log_dir / f"worker-{index}.log"
        with contextlib.suppress(OSError), path.open("rb") as lines:
            lines.seek(max(0, path.stat().st_size - 2000))
            words = lines.read().decode("utf-8", "replace").strip().splitlines()
            return f"; last in {path}: {words[-1]}" if words else ""
        return ""


def _announced(slot: Slot) -> dict[str, str]:
    """What a starting worker has said on stdout so far: its address, its error, or nothing yet."""
    stdout: IO[bytes] | None = slot.process.stdout if slot.process else None
    if stdout is not None and not slot.announced.endswith(b"\n") and select.select([stdout], [], [], 0)[0]:
        slot.announced += os.read(stdout.fileno(), 65_536)
    if not slot.announced.endswith(b"\n"):
        return {}
    try:
        said = json.loads(slot.announced)
    except ValueError:
        return {"error": f"it printed {slot.announced[:200]!r} where its address was expected"}
    return said if isinstance(said, dict) else {}


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; it is left unreaped where the system allows, so that its group id cannot pass to a stranger."""
    if process.returncode is None and hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a worker and everything in its process group."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _status_words(code: int) -> str:
    if code == OUT_OF_MEMORY_STATUS:
        return f"exit status {code} (out of memory)"
    return f"signal {-code}" if code < 0 else f"exit status {code}"
