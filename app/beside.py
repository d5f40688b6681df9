"""Which app processes serve one database: each keeps a locked file in the home's ``run/apps``; the lock ends with its process.

Several app processes of one machine may share a database: the store is written in transactions, frames are addressed by content, and who
may act on an episode is decided by its epoch in the database, so a task opened in one process is taken over from another as from another
tab. Workers, the pages' sessions and rate limits belong to each process alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from data.home import Home
from data.store import os_error


@dataclass(frozen=True)
class Running:
    """An app process that serves this database."""

    pid: int
    address: str


@contextlib.contextmanager
def registered(home: Home, address: str) -> Iterator[list[Running]]:
    """Be known to others as serving the database of `home` at `address`; yields those who were there before.

    Raises:
        StoreError: the home cannot be written.
    """
    home.prepare()
    folder = home.run / "apps"
    own = folder / f"{os.getpid()}.json"
    try:
        folder.mkdir(exist_ok=True, mode=0o700)
        # One at a time, so that nobody takes a file for a dead process's between its creation and its lock.
        with (folder / "lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            others = _others(folder)
            # Held open, and so locked, until the block ends.
            held = own.open("w")
            fcntl.flock(held, fcntl.LOCK_EX)
            held.write(json.dumps(asdict(Running(os.getpid(), address))))
            held.flush()
    except OSError as error:
        raise os_error(error, f"write {own}") from error
    with held:
        try:
            yield others
        finally:
            own.unlink(missing_ok=True)


def running(home: Home) -> list[Running]:
    """The app processes that serve the database of `home` now."""
    folder = home.run / "apps"
    if not folder.is_dir():
        return []
    with (folder / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        return _others(folder)


def _others(folder: Path) -> list[Running]:
    """Live processes with a file in `folder`; files of dead ones are removed."""
    found = []
    for path in sorted(folder.glob("*.json")):
        with path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found.append(Running(**json.load(file)))
                continue
        path.unlink(missing_ok=True)
    return found


def sentence(others: list[Running]) -> str:
    """What it means to serve a database that `others` serve already."""
    where = ", ".join(f"{other.address} (process {other.pid})" for other in others)
    return (
        f"This database is also served by {where}. That is allowed: studies, people and episodes are shared, each app has simulators of "
        "its own, and a task opened in one is taken over from the other."
    )
