"""A supervisor for one worker at one address: on a machine with a simulator that may crash, hang, or need a fresh process now and then.

``python -m sim_bridge worker --keep …`` runs it. It starts the worker as a process, tells what the worker tells (one JSON line), asks for
its health every second, ends it when it is past a request's deadline or frozen, and starts it again at the same port with the same
token. Clients see `WorkerLost` and resume. (`pool.Pool` does the same for workers of its own machine, and places sessions on them.)
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Mapping
from types import FrameType
from typing import Any

from sim_bridge.client import Client
from sim_bridge.errors import BadRequest
from sim_bridge.process import WorkerProcess, status_words
from sim_bridge.pulse import Pulse
from sim_bridge.worker import TOKEN_VARIABLE, bracketed, end_s

log = logging.getLogger("sim_bridge.keeper")

HEALTH_S = 1.0
"""Between two questions, and the longest wait for an answer."""
MISSES = 3
"""Questions without an answer after which a process is taken for frozen."""
START_S = 900.0
"""A simulator may compile shaders on its first start."""
LASTED_S = 30.0
"""A worker that ended sooner is started again later and later."""
LATEST_S = 30.0
GRACE_S = 5.0
"""A worker that ends its hanging simulator by itself is given this much longer."""


def keep(options: Mapping[str, Any], address: str, port: int, token: str | None) -> int:
    """Run and watch a worker until SIGTERM or SIGINT; returns the exit status.

    Args:
        options: of the command ``worker``, without port and token; those that are None are left out.
        address, port: where it listens; port 0: the first one it finds is kept.
        token: default: the environment's, else a new one, which is told with the worker's line.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        end_s()
    except BadRequest as problem:
        print(json.dumps({"error": str(problem)}), flush=True)
        return 2
    return _Keeper([str(w) for k, v in options.items() if v is not None for w in (k, v)], address, port, token).run()


class _Keeper:
    def __init__(self, options: list[str], address: str, port: int, token: str | None) -> None:
        given = token or os.environ.get(TOKEN_VARIABLE) or ""
        self._made = "" if given else secrets.token_urlsafe(24)
        self._options, self._address, self._port, self._token = options, address, port, given or self._made
        self._told = False
        self._stop = threading.Event()

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        failures = 0
        while not self._stop.is_set():
            started = time.monotonic()
            process = self._start()
            try:
                hopeless = self._greet(process)
                if hopeless:
                    return 2
                self._watch(process)
            finally:
                self._end(process)
            # Status 0 is a worker that has played enough.
            well = time.monotonic() - started > LASTED_S or process.returncode == 0
            failures = 0 if well else failures + 1
            if failures > 1:
                self._stop.wait(min(LATEST_S, 0.5 * 2**failures))
        return 0

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()

    def _start(self) -> WorkerProcess:
        log.info("starting a worker at %s:%s", self._address, self._port or "(a free port)")
        return WorkerProcess([*self._options, "--port", str(self._port)], self._token)

    def _greet(self, process: WorkerProcess) -> bool:
        """Wait for the worker's line and tell it once; whether another start would not help."""
        ends, said = time.monotonic() + START_S, process.line()
        while not said and not process.silent and not self._stop.is_set() and time.monotonic() < ends:
            said = process.line(wait_s=0.2)
        if "error" in said:
            print(json.dumps(said), flush=True)
            return not self._told
        if "port" in said:
            self._port = int(said["port"])
            if not self._told:
                print(json.dumps({**said, "kept": True, **({"token": self._made} if self._made else {})}), flush=True)
                self._told = True
        return False

    def _watch(self, process: WorkerProcess) -> None:
        """Until the worker ends, hangs, or is to be stopped."""
        here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._address, self._address)
        address = f"ws://{bracketed(here)}:{self._port}"
        pulse = Pulse(lambda: Client(address, self._token, name="keeper", connect_timeout_s=HEALTH_S), MISSES)
        try:
            while not self._stop.is_set() and not process.ended():
                beat = pulse.feel(HEALTH_S)
                if beat.hopeless:
                    log.warning("the worker is replaced: %s", beat.trouble)
                    return
                self._stop.wait(HEALTH_S)
        finally:
            pulse.close()

    def _end(self, process: WorkerProcess) -> None:
        """Ask it to end where it was told to stop, and end it and its helpers when it does not."""
        wanted, by_itself = self._stop.is_set(), process.ended()
        if wanted and not by_itself:
            process.ask_to_end()
            process.end(time.monotonic() + end_s() + GRACE_S)
            return
        process.end()
        if by_itself and not wanted:
            log.warning("the worker ended with %s", status_words(process.returncode))
