"""A worker as a process of this machine: started, heard out, ended with all its helpers. What watches workers goes through here."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from sim_bridge.worker import OUT_OF_MEMORY_STATUS, TOKEN_VARIABLE

MAX_LOG_BYTES = 10_000_000
"""A worker's log beyond this is set aside once when the worker starts."""
LOOK_S = 0.02
"""Between two looks whether a process that was asked to end has ended."""


class WorkerProcess:
    """A worker that was started here; it ends with the thread that started it (see `worker.run_worker`).

    Args:
        options: of the command ``worker``.
        token: its bearer token; handed over in the environment, where the process list does not show it.
        python: its interpreter, with sim_bridge installed unless it is this one.
        env: variables added to its environment.
        errors: where its stderr goes; None: to this process's.

    Raises:
        OSError: the interpreter cannot be run.
    """

    def __init__(
        self,
        options: Sequence[str],
        token: str,
        *,
        python: str = sys.executable,
        env: Mapping[str, str] | None = None,
        errors: IO[bytes] | None = None,
    ) -> None:
        package = Path(__file__).resolve().parent
        root = str(package.parent) if python == sys.executable else ""
        self._process = subprocess.Popen(
            [python, str(package / "_start.py"), root, "worker", *options, "--parent", str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **(env or {}), TOKEN_VARIABLE: token},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._out: IO[bytes] = self._process.stdout
        os.set_blocking(self._out.fileno(), False)
        self._said = b""
        self.silent = False
        """Whether its stdout is closed."""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, negative for a signal; None: it was not ended from here yet, even where it has ended by itself."""
        return self._process.returncode

    def line(self, wait_s: float = 0.0) -> dict[str, Any]:
        """The line of JSON that it prints when it is ready, or why it cannot be; empty: nothing yet, after `wait_s` at the latest."""
        if not self.silent and not self._said.endswith(b"\n") and select.select([self._out], [], [], wait_s)[0]:
            part = os.read(self._out.fileno(), 65_536)
            self._said += part
            self.silent = not part
        if not self._said.endswith(b"\n"):
            return {}
        try:
            said = json.loads(self._said)
        except ValueError:
            said = None
        return said if isinstance(said, dict) else {"error": f"it printed {self._said[:200]!r} where its address was expected"}

    def ended(self) -> bool:
        """Whether it has ended; it is left unreaped where the system allows, so that its group id cannot pass to a stranger."""
        if self._process.returncode is None and hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self._process.poll() is not None

    def ask_to_end(self) -> None:
        """SIGTERM: a worker ends after the request it is at."""
        if not self.ended():
            self._process.terminate()

    def end(self, at: float = 0.0) -> None:
        """Wait for its end until `at` (monotonic), then kill it and everything in its process group, whatever it started."""
        while not self.ended() and time.monotonic() < at:
            time.sleep(LOOK_S)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self._out.close()


def status_words(code: int | None) -> str:
    """How a process ended."""
    if code == OUT_OF_MEMORY_STATUS:
        return f"exit status {code} (out of memory)"
    return f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"


@contextlib.contextmanager
def log_file(folder: Path | None, index: int) -> Iterator[IO[bytes] | None]:
    """Where the stderr of a numbered worker goes: ``worker-<n>.log`` in a folder; None without one."""
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"worker-{index}.log"
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    with path.open("ab") as out:
        yield out


def last_words(folder: Path | None, index: int) -> str:
    """The last line of a worker's log, if there is one."""
    if folder is None:
        return ""
    path = folder / f"worker-{index}.log"
    with contextlib.suppress(OSError), path.open("rb") as lines:
        lines.seek(max(0, path.stat().st_size - 2000))
        words = lines.read().decode("utf-8", "replace").strip().splitlines()
        return f"; last in {path}: {words[-1]}" if words else ""
    return ""
