"""New databases for tests: all schema steps are taken once, and every further database begins as a copy of the first."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from data.home import Home
from data.store import Store


@functools.cache
def _new() -> bytes:
    """A database as `Store.open` makes it, with nothing in it."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Home.from_env(Path(folder) / "vantage.db"))
        store.close()
        assert not store.home.db.with_name("vantage.db-wal").exists()
        return store.home.db.read_bytes()


def fresh_store(folder: Path) -> Store:
    """The store of a home in `folder`; its database is new unless there is one.

    Tests of the schema, and of what opening creates, use `Store.open` itself.
    """
    home = Home.from_env(folder / "vantage.db")
    if not home.db.exists():
        home.prepare()
        home.db.write_bytes(_new())
    return Store.open(home)
