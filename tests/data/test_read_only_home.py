"""A home that cannot be written is still read: tasks are listed and shown, what happened is exported; what writes says why it cannot."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlite_utils.utils import sqlite3

from app.cli import main
from data.generators.registry import bundled
from data.home import Home
from data.store import Store, StoreError

NOBODY = 65534


@contextlib.contextmanager
def only_reading(folder: Path) -> Iterator[None]:
    """Inside, `folder` can be read and not written, not even by the superuser."""
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path in paths:
            if path.exists():
                path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.fixture
def home() -> Iterator[Home]:
    """A home with two tasks, in a folder that others may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    home = Home.from_env(folder / "home" / "vantage.db")
    store = Store.open(home)
    for task in list(bundled())[:2]:
        store.put_task(task)
    store.close()
    yield home
    shutil.rmtree(folder)


def vantage(home: Home, *args: str) -> Result:
    return CliRunner().invoke(main, [*args, "--db", str(home.db)])


@pytest.mark.parametrize("args", [("tasks", "list", "--json"), ("tasks", "show", "TASK"), ("tasks", "coverage", "--json")])
def test_commands_that_only_read_say_the_same_as_ever(home: Home, args: tuple[str, ...]) -> None:
    words = [next(iter(bundled())).task_id if word == "TASK" else word for word in args]
    usual = vantage(home, *words)
    with only_reading(home.root):
        told = vantage(home, *words)
    assert told.exit_code == usual.exit_code == 0, told.output
    assert told.stdout == usual.stdout != ""


def test_an_export_goes_elsewhere(home: Home, tmp_path: Path) -> None:
    out = home.root.parent / "out"
    out.mkdir()
    assert vantage(home, "export", "--out", str(tmp_path / "warm")).exit_code == 0
    out.parent.chmod(0o777)
    out.chmod(0o777)
    with only_reading(home.root):
        told = vantage(home, "export", "--out", str(out))
        assert told.exit_code == 0, told.output
        assert (out / "vantage_export.json").is_file()


def test_a_command_that_writes_says_in_one_sentence_why_it_cannot(home: Home, tmp_path: Path) -> None:
    assert vantage(home, "tasks", "import", str(tmp_path)).exit_code == 1  # nothing found there
    with only_reading(home.root):
        told = vantage(home, "tasks", "import", str(tmp_path))
    assert told.exit_code == 2
    assert told.stderr == f"Error: Could not open the store in {home.root}: Permission denied.\n"


def test_rows_that_a_killed_writer_left_in_the_log_are_read(home: Home) -> None:
    child = os.fork()
    if child == 0:
        connection = sqlite3.connect(str(home.db), isolation_level=None)
        connection.execute("INSERT INTO import_rejections (at, file, field, reason) VALUES ('t', 'late.json', '', '')")
        os._exit(0)
    os.waitpid(child, 0)
    assert home.db.with_name("vantage.db-wal").stat().st_size > 0
    with only_reading(home.root):
        store = Store.reading(home)
        assert store.one("SELECT file FROM import_rejections") == {"file": "late.json"}
        with pytest.raises(StoreError, match="readonly"):
            store.event("something")
        store.close()


def test_an_older_schema_that_cannot_be_brought_up_to_date_is_said(home: Home) -> None:
    home.db.unlink()
    connection = sqlite3.connect(str(home.db))
    connection.executescript((Path(__file__).parents[1] / "study" / "fixtures" / "schema_0001.sql").read_text())
    connection.close()
    with only_reading(home.root), pytest.raises(StoreError, match=r"has schema step 0001, this version needs .* copy it"):
        Store.reading(home)


def test_no_database_is_still_said_as_such(home: Home) -> None:
    home.db.unlink()
    with only_reading(home.root), pytest.raises(StoreError, match="Permission denied"):
        Store.reading(home)


def test_a_data_set_that_is_not_there_is_refused_with_those_that_are(home: Home) -> None:
    for option, wrong, there in (("--dataset", "foo", "vantage (2)"), ("--category", "Nonsense", f"{next(iter(bundled())).category} (")):
        told = vantage(home, "tasks", "list", option, wrong)
        assert told.exit_code == 2
        assert f"No task here is of {wrong!r}. There are: " in told.stderr and there in told.stderr
        assert told.stdout == ""
    assert vantage(home, "tasks", "list", "--dataset", "vantage").stdout.count("\n") == 2
