"""Can anything be written now? Asked of the disk and of the database themselves, and kept for a moment, so that asking costs little."""

from __future__ import annotations

import errno
import os
import secrets
import threading
import time
from pathlib import Path

from sqlite_utils.utils import sqlite3

from data.home import Home
from data.store import rewrite

KEPT_S = 5.0
"""How long an answer stands (seconds): whoever asks every second causes one write in five."""
PATIENCE_S = 2.0
"""How long another writer may hold the database before it counts as stuck (seconds)."""
SIZE = 16 * 1024
"""Bytes written to see whether there is room: a step's row and a small frame."""

WORDS = {
    "full": "There is no room left: free some space.",
    "read_only": "The files or their disk cannot be written: look at their owner, their rights and the mount.",
    "busy": "Another program holds the database: end it, or wait.",
    "damaged": "The database cannot be read: run `vantage doctor`.",
    "failing": "The disk refuses to write: look at the system's log.",
}
"""What each answer means, for whoever runs the server."""


class WriteProbe:
    """The question for one home. Thread-safe; one write at a time, whoever asks."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._found: tuple[float, str] | None = None

    def trouble(self) -> str:
        """Why nothing can be written now, one of `WORDS`; empty: it can. At most `KEPT_S` old."""
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] > KEPT_S:
                said = trouble(self._home)
                self._found = time.monotonic(), said
            return self._found[1]


def trouble(home: Home) -> str:
    """Why nothing can be written now, one of `WORDS`; empty: it can. Writes a small file where frames lie, and a page of the database."""
    try:
        _file(home.frames / "tmp")
        rewrite(home, PATIENCE_S)
    except OSError as error:
        return _of_system(error.errno)
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        return {
            sqlite3.SQLITE_FULL: "full",
            sqlite3.SQLITE_READONLY: "read_only",
            sqlite3.SQLITE_CANTOPEN: "read_only",
            sqlite3.SQLITE_BUSY: "busy",
            sqlite3.SQLITE_LOCKED: "busy",
            sqlite3.SQLITE_NOTADB: "damaged",
            sqlite3.SQLITE_CORRUPT: "damaged",
        }.get(code, "failing")
    return ""


def _of_system(number: int | None) -> str:
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "full"
    return "read_only" if number in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT) else "failing"


def _file(folder: Path) -> None:
    """A frame's worth of bytes, on disk and gone again. `FrameStore.sweep` takes away what a killed process leaves."""
    path = folder / f"probe-{secrets.token_hex(6)}.tmp"
    try:
        with path.open("wb", buffering=0) as file:
            if file.write(b"\0" * SIZE) != SIZE:
                raise OSError(errno.ENOSPC, "short write")
            os.fsync(file.fileno())
    finally:
        path.unlink(missing_ok=True)
