"""A supervisor for one worker at one address: on a machine with a simulator that may crash, hang, or need a fresh process now and then.

``python -m sim_bridge worker --keep …`` runs it. It starts the worker as a process, tells what the worker tells (one JSON line), asks its
``/healthz`` every second, ends it when it is past a request's deadline or frozen, and starts it again at the same port with the same
token. Clients see `WorkerLost` and resume. (`pool.Pool` does the same for workers of its own machine, and places sessions on them.)
"""

from __future__ import annotations

import contextlib
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
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import IO, Any

from sim_bridge.worker import TOKEN_VARIABLE, end_s

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

    def _start(self) -> subprocess.Popen[bytes]:
        package = Path(__file__).resolve().parent
        command = [sys.executable, str(package / "_start.py"), str(package.parent), "worker", *self._options, "--port", str(self._port)]
        command += ["--parent", str(os.getpid())]
        log.info("starting a worker at %s:%s", self._address, self._port or "(a free port)")
        environment = {**os.environ, TOKEN_VARIABLE: self._token}
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment, start_new_session=True)

    def _greet(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait for the worker's line and tell it once; whether another start would not help."""
        assert process.stdout is not None
        said = self._line(process, process.stdout)
        if "error" in said:
            print(json.dumps(said), flush=True)
            return not self._told
        if "port" in said:
            self._port = int(said["port"])
            if not self._told:
                print(json.dumps({**said, "kept": True, **({"token": self._made} if self._made else {})}), flush=True)
                self._told = True
        return False

    def _line(self, process: subprocess.Popen[bytes], out: IO[bytes]) -> dict[str, Any]:
        """The line of JSON that a starting worker prints; empty: it ended, or took too long."""
        ends, text = time.monotonic() + START_S, b""
        while not text.endswith(b"\n") and not self._stop.is_set() and time.monotonic() < ends:
            if select.select([out], [], [], 0.2)[0]:
                part = os.read(out.fileno(), 65_536)
                if not part:
                    return {}
                text += part
        with contextlib.suppress(ValueError):
            said = json.loads(text)
            return said if isinstance(said, dict) else {}
        return {}

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Until the worker ends, hangs, or is to be stopped."""
        misses = 0
        while not self._stop.is_set() and process.poll() is None:
            status = _health(self._address, self._port)
            misses = 0 if status == 200 else misses + 1
            if status == 503:
                log.warning("the worker hangs: past the deadline of its request")
                return
            if misses >= MISSES:
                log.warning("the worker is frozen: it answers no question about its health")
                return
            self._stop.wait(HEALTH_S)
        if not self._stop.is_set():
            log.warning("the worker ended with status %s", process.poll())

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Ask it to end where it was told to stop, and end it and its helpers when it does not."""
        if self._stop.is_set() and process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(end_s() + GRACE_S)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _health(address: str, port: int) -> int:
    """HTTP status of ``/healthz``; 0: no answer."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(address, f"[{address}]" if ":" in address else address)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{host}:{port}/healthz", timeout=HEALTH_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as problem:
        return problem.code
    except OSError:
        return 0
