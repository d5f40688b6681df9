"""Files are their owner's alone, a damaged or empty database is said at start, and health tells when nothing can be written."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from sqlite_utils.utils import sqlite3
from starlette.applications import Starlette

from app import cli, services
from app.routes import routes
from app.services import Services, Settings
from data import probe, soundness
from data.frames import FrameStore
from data.generators.registry import bundled
from data.home import Home
from data.store import Store, StoreError


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A database with some pages in it, closed in good order."""
    home = Home.from_env(tmp_path / "vantage.db")
    store = Store.open(home)
    FrameStore(home.frames)
    for task in list(bundled())[:12]:
        store.put_task(task)
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return home


def noise(home: Home, share: float) -> None:
    """4 KB of noise at a share of the file, not at the edge of a page."""
    with home.db.open("r+b") as file:
        file.seek(int(home.db.stat().st_size * share) + 700)
        file.write(bytes((n * 7919 + 13) % 251 for n in range(4096)))


# the file itself


def test_an_empty_file_is_no_new_database(tmp_path: Path) -> None:
    path = tmp_path / "vantage.db"
    path.touch()
    with pytest.raises(StoreError, match="is an empty file"):
        Store.open(Home.from_env(path))
    result = CliRunner().invoke(cli.main, ["doctor", "--json", "--db", str(path)])
    check = next(check for check in json.loads(result.stdout)["checks"] if check["name"] == "database")
    assert result.exit_code == 1 and not check["ok"] and "empty file" in check["found"]
    path.unlink()
    Store.open(Home.from_env(path)).close()


@pytest.mark.parametrize("share", [0.2, 0.4, 0.5, 0.7, 0.9])
def test_noise_in_the_middle_is_said_at_start_and_by_the_doctor(home: Home, share: float) -> None:
    assert soundness.database(home) == soundness.database(home, quick=True) == ""
    noise(home, share)
    assert soundness.database(home, quick=True) and soundness.database(home)
    with pytest.raises(StoreError, match="restore a backup"):
        Services.start(home, Settings(backend="toy", workers=1))
    result = CliRunner().invoke(cli.main, ["doctor", "--json", "--db", str(home.db)])
    assert result.exit_code == 1
    assert not next(check for check in json.loads(result.stdout)["checks"] if check["name"] == "database")["ok"]


# who may read


def test_everything_that_commands_write_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("VANTAGE_HOME", None)
    cli_of = [sys.executable, "-P", "-m", "app.cli"]
    for command in (
        ["tasks", "list", "--db", "vantage.db"],
        ["tasks", "list", "--db", "other.db"],
        ["export", "--db", "vantage.db", "--out", "out", "--zip"],
        ["tasks", "list", "--no-such-option"],
    ):
        subprocess.run([*cli_of, *command], cwd=folder, env=env, umask=0o022, capture_output=True, check=False)
    made = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert {"vantage.db", "other.db", "out.zip", "frames", "log"} <= {path.name for path in made}
    assert [(path, oct(path.stat().st_mode)) for path in made if path.stat().st_mode & 0o077] == []


def test_a_database_made_by_a_program_of_ones_own_is_private_too(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        tmp_path.chmod(0o755)
        store = Store.open(Home.from_env(tmp_path / "vantage.db"))
        store.event("x")
        files = sorted(tmp_path.glob("vantage.db*"))
        assert len(files) == 3 and [path.stat().st_mode & 0o777 for path in files] == [0o600] * 3
        store.close()
    finally:
        os.umask(before)


def test_the_doctor_says_what_others_may_read(home: Home) -> None:
    for folder in (home.root, *home.root.parents):
        if folder.stat().st_uid == os.getuid() and str(folder).startswith(f"{gettempdir()}/"):
            folder.chmod(0o755)

    def found() -> dict[str, Any]:
        told = json.loads(CliRunner().invoke(cli.main, ["doctor", "--json", "--db", str(home.db)]).stdout)
        return next(check for check in told["checks"] if check["name"] == "private")

    assert found()["ok"]
    home.db.chmod(0o644)
    assert not found()["ok"] and str(home.db) in found()["found"]


# can anything be written


def test_a_home_that_can_be_written_is_left_as_it_was(home: Home) -> None:
    before = sorted(path.name for path in home.root.rglob("*"))
    content = sqlite3.connect(home.db).execute("SELECT count(*), sum(length(document)) FROM tasks").fetchone()
    assert probe.trouble(home) == ""
    assert sorted(path.name for path in home.root.rglob("*") if "-wal" not in path.name and "-shm" not in path.name) == before
    assert sqlite3.connect(home.db).execute("SELECT count(*), sum(length(document)) FROM tasks").fetchone() == content


@pytest.mark.parametrize("limit", [0, 4096, 64 * 1024])
def test_no_room_is_told_by_writing(home: Home, limit: int) -> None:
    """A limit of file sizes stands for a full disk: below a frame's size, and below the database's."""
    script = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {resource.RLIM_INFINITY}));"
        "from pathlib import Path; from data import probe; from data.home import Home;"
        "print(probe.trouble(Home.from_env(Path(sys.argv[1]))))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-P", "-c", script, str(home.db)], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == ("full" if limit < probe.SIZE else "")


def test_a_held_and_a_damaged_database_are_told_apart(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "PATIENCE_S", 0.02)
    other = sqlite3.connect(home.db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert probe.trouble(home) == "busy"
    other.close()
    assert probe.trouble(home) == ""
    home.db.write_bytes(b"no database at all, whatever its name" * 200)
    assert probe.trouble(home) == "damaged"


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.ENOSPC, "full"), (errno.EDQUOT, "full"), (errno.EROFS, "read_only"), (errno.EACCES, "read_only"), (errno.EIO, "failing")],
)
def test_what_the_system_says_has_a_word(home: Home, monkeypatch: pytest.MonkeyPatch, number: int, word: str) -> None:
    def fail(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(probe, "_file", fail)
    assert probe.trouble(home) == word and word in probe.WORDS


def health(running: Any) -> tuple[int, dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": "GET", "path": "/healthz", "raw_path": b"/healthz", "query_string": b"", "scheme": "http"}
    scope |= {"root_path": "", "http_version": "1.1", "headers": [(b"host", b"app.example")], "client": ("127.0.0.1", 9)}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    services.install(running)
    try:
        asyncio.run(Starlette(routes=routes())(scope, receive, send))  # type: ignore[arg-type]
    finally:
        services.install(None)
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_health_says_when_nothing_can_be_written_and_asks_the_disk_seldom(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    asked: list[str] = []

    def answered(word: str) -> Callable[[Home], str]:
        return lambda home: asked.append(word) or word  # type: ignore[func-returns-value]

    running = SimpleNamespace(
        store=Store.open(home),
        pool=SimpleNamespace(status=lambda: [SimpleNamespace(state="ready")]),
        reading=ThreadPoolExecutor(1),
        probe=probe.WriteProbe(home),
    )
    assert health(running) == (200, {"ok": True, "database": "ok", "writing": "ok", "workers": 1, "ready": 1})
    monkeypatch.setattr(probe, "trouble", answered("full"))
    assert health(running)[0] == 200 and asked == []  # what was found a moment ago stands
    monkeypatch.setattr(probe, "KEPT_S", -1.0)
    status, told = health(running)
    assert (status, told["ok"], told["writing"]) == (503, False, "full") and asked == ["full"]
    assert str(home.root) not in json.dumps(told)
    running.reading.shutdown()
