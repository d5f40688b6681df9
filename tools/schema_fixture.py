"""Write the newest schema's fixture for the tests: the database of the schema before, brought up to date.

``python tools/schema_fixture.py``; run it again whenever a migration that is not released yet has changed.
"""

from __future__ import annotations

import sqlite3 as reading  # Python's own: the one that writes cannot dump
import tempfile
from pathlib import Path

from sqlite_utils.utils import sqlite3

from data.home import Home
from data.migrations import NAMES
from data.store import Store

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "study" / "fixtures"


def main() -> None:
    """Write it."""
    before, newest = NAMES[-2:]
    with tempfile.TemporaryDirectory() as folder:
        home = Home.from_env(Path(folder) / "vantage.db")
        connection = sqlite3.connect(str(home.db))
        connection.executescript((FIXTURES / f"schema_{before}.sql").read_text(encoding="utf-8"))
        connection.close()
        Store.open(home).close()
        connection = reading.connect(str(home.db))
        path = FIXTURES / f"schema_{newest}.sql"
        path.write_text("".join(f"{line}\n" for line in connection.iterdump()), encoding="utf-8")
        connection.close()
    print(f"{path.name} is written.")


if __name__ == "__main__":
    main()
