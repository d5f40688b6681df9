"""The thread that starts, watches and replaces the workers of a pool."""

from __future__ import annotations

import logging
import secrets
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sim_bridge.client import Client
from sim_bridge.placement import DOWN, READY, STARTING, SUSPECT, Slot
from sim_bridge.places import Places
from sim_bridge.process import WorkerProcess, last_words, log_file, status_words
from sim_bridge.pulse import Pulse

log = logging.getLogger("sim_bridge.pool")

HEALTH_DEADLINE_S = 2.0
"""The network thread answers in a millisecond; after two misses of this the whole process is taken for frozen."""
MISSES = 2
START_TIMEOUT_S = 120.0
"""A simulator may compile shaders or load assets on its first start."""
HOPE_S = 120.0
"""A worker that has run here before, or that something outside killed as it started, can be started again: people wait for it this long."""
STOP_TIMEOUT_S = 3.0
"""Time to end by itself after SIGTERM."""
LASTED_S = 5.0
"""A worker that was ready for longer did not fail at its start."""


@dataclass(frozen=True)
class Start:
    """How local workers are started."""

    python: str
    """Their interpreter."""
    max_sessions: int
    log_dir: Path | None
    """Folder for ``worker-<n>.log``; None: this process's stderr."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables added to their environment."""


class Supervisor:
    """Everything but `start`, `stop` and `look` runs on its own thread.

    Args:
        places: the workers, and who is on them.
        start: how local workers are started.
        interval_s: time between health checks.
    """

    def __init__(self, places: Places, start: Start, interval_s: float) -> None:
        self._places, self._start, self._interval_s = places, start, interval_s
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self.stopping = False

    @property
    def started(self) -> bool:
        """Whether workers were started."""
        return self._thread is not None

    def start(self) -> None:
        """Start the workers, once. With the places' `changed` held."""
        if self._thread is None:
            # Linux ends a worker when the thread that started it ends, so one thread that lives as long as the pool starts them all.
            self._thread = threading.Thread(target=self._supervise, name="bridge-pool", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End every worker started here and close all connections; waits until they are gone."""
        with self._places.changed:
            self.stopping = True
            self._places.changed.notify_all()
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

    def look(self) -> None:
        """Look at the workers now."""
        self._wake.set()

    def _supervise(self) -> None:
        while not self.stopping:
            for index, slot in enumerate(self._places.slots):
                try:
                    self._tend(index, slot)
                except Exception:
                    # The supervisor must outlive any surprise of one worker.
                    log.exception("watching worker %d failed", index)
                    self._replace(slot, "watching it failed; see the log")
            waiting = any(slot.state in (STARTING, SUSPECT) for slot in self._places.slots)
            self._wake.wait(min(0.1, self._interval_s) if waiting else self._interval_s)
            self._wake.clear()
        self._end_all()

    def _tend(self, index: int, slot: Slot) -> None:
        """Bring one worker a step further: start it, notice that it is ready, check its health."""
        if slot.local and slot.process is None:
            if time.monotonic() >= slot.retry_at:
                self._spawn(index, slot)
        elif slot.process is not None and slot.process.ended():
            error = slot.process.line().get("error")
            slot.process.end()
            self._replace(slot, f"ended with {status_words(slot.process.returncode)}{last_words(self._start.log_dir, index)}", error)
        elif slot.state in (STARTING, DOWN):
            self._welcome(slot)
        else:
            self._examine(slot)

    def _spawn(self, index: int, slot: Slot) -> None:
        token, how = secrets.token_urlsafe(24), self._start
        slot.first_start = slot.first_start or time.monotonic()
        options = ["--backend", slot.spec, "--port", "0", "--max-sessions", str(how.max_sessions)]
        with log_file(how.log_dir, index) as errors:
            try:
                process = WorkerProcess(options, token, python=how.python, env=how.env, errors=errors)
            except OSError as problem:
                with self._places.changed:
                    slot.message, slot.hopeless = f"cannot run {how.python!r}: {problem.strerror or problem}", True
                    slot.retry_at = time.monotonic() + 30.0
                    slot.enter(DOWN)
                    self._places.changed.notify_all()
                return
        with self._places.changed:
            slot.process, slot.token, slot.address = process, token, ""
            slot.enter(STARTING)

    def _welcome(self, slot: Slot) -> None:
        """Whether a worker that starts, or a remote one that was away, is ready now."""
        if slot.local:
            address = slot.process.line().get("address") if slot.process else None
            if not address:
                if time.monotonic() - slot.since > START_TIMEOUT_S:
                    self._replace(slot, f"was not ready after {START_TIMEOUT_S:g} s")
                return
            with self._places.changed:
                slot.address = address
        elif time.monotonic() < slot.retry_at:
            return
        pulse = Pulse(lambda: Client(slot.address, slot.token, name="supervisor", connect_timeout_s=HEALTH_DEADLINE_S), MISSES)
        beat = pulse.feel(HEALTH_DEADLINE_S)
        if beat.trouble or pulse.client is None:
            pulse.close()
            hung = "hung: past the deadline of its request; it has to be restarted where it runs"
            self._replace(slot, hung if beat.health is not None else beat.trouble)
            return
        said = pulse.client.hello
        with self._places.changed:
            slot.pulse, slot.hopeless = pulse, False
            slot.backend, slot.capabilities, slot.fingerprint = said.backend, frozenset(said.capabilities), said.fingerprint
            slot.places = min(self._start.max_sessions, said.places or self._start.max_sessions)
            slot.latencies.clear()
            if slot.restarts == 0:
                slot.message = ""
            slot.enter(READY)
            self._places.changed.notify_all()
        log.info("worker %s is ready (%s)", slot.address, said.backend)

    def _examine(self, slot: Slot) -> None:
        """Health of a ready or suspect worker."""
        assert slot.pulse is not None
        beat = slot.pulse.feel(HEALTH_DEADLINE_S)
        if beat.health is not None:
            with self._places.changed:
                progressed = beat.health.busy_s < slot.busy_s or beat.health.busy_s == 0.0
                slot.rss_mb, slot.busy_s = beat.health.rss_mb, beat.health.busy_s
                slot.latencies.append(beat.took_ms)
                if slot.state == SUSPECT and progressed and not beat.health.overdue:
                    slot.enter(READY)
                    self._places.changed.notify_all()
                elif slot.state == READY and time.monotonic() - slot.since > LASTED_S:
                    slot.failures = 0
        if beat.hopeless:
            self._replace(slot, beat.trouble)

    def _replace(self, slot: Slot, why: str, hopeless: str | None = None) -> None:
        """Take a worker out of service, kill it if it is ours, and plan its return; its sessions lose their place."""
        was_ready = slot.state in (READY, SUSPECT)
        process = slot.process
        # Its status if it ended by itself or was ended from outside; here it may still run.
        ended = process.returncode if process is not None else None
        if process is not None:
            process.end()
        log.warning("worker %s: %s", slot.address or "(starting)", why)
        with self._places.changed:
            lasted = was_ready and time.monotonic() - slot.since > LASTED_S
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
            slot.process, slot.busy_s, slot.rss_mb = None, 0.0, 0.0
            connections: list[Client | Pulse] = [*self._places.vacate(slot), *([slot.pulse] if slot.pulse else [])]
            slot.pulse = None
            if slot.local:
                slot.address = ""
            slot.enter(DOWN)
            self._places.changed.notify_all()
        for connection in connections:
            connection.close()

    def _end_all(self) -> None:
        with self._places.changed:
            processes, connections = [], list[Client | Pulse]()
            for slot in self._places.slots:
                connections += [*self._places.vacate(slot), *([slot.pulse] if slot.pulse else [])]
                processes += [slot.process] if slot.process else []
                slot.pulse = slot.process = None
                slot.enter(DOWN)
            self._places.changed.notify_all()
        for process in processes:
            process.ask_to_end()
        for connection in connections:
            connection.close()
        ends = time.monotonic() + STOP_TIMEOUT_S
        for process in processes:
            process.end(ends)
