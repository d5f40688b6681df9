"""A home made from a backup: everything is read, held to its hash, migrated and looked through in a folder of its own, and only then takes
the place of what was there, which is kept beside it."""

from __future__ import annotations

import fcntl
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlite_utils.utils import sqlite3

from data.backup.manifest import ABOUT, LEDGER_HERE, BackupDamaged, NotABackup, Tell, about, changed, complete, listed, walk
from data.files import copied, sync_folder
from data.frames import FrameStore
from data.home import DATABASE_NAME, Home
from data.store import StorageFull, StoreBusy, StoreError, os_error

T = TypeVar("T")

BEFORE = "before-restore-"
"""What the name of the folder begins with in which the data lie that a restore has replaced."""
STAGE = "restoring-"
"""What the name of the folder begins with in which a restore is put together."""
DATA = ("frames", "recordings", "images", "erasures.jsonl", LEDGER_HERE)
"""What a home holds beside its database that a backup replaces; logs, exports and the list of backups stay."""


class HomeInUse(StoreBusy):
    """Some program has the database open."""

    code = "home_in_use"


class HomeHasData(StoreError):
    """There are data where a backup is to be restored."""

    code = "home_has_data"


def restore(
    backup: Path, home: Home, finish: Callable[[Home], T], *, replace: bool = False, by_hand: bool = False, tell: Tell | None = None
) -> tuple[T, Path | None]:
    """Put a backup into a home.

    Args:
        backup: the folder of one backup.
        home: new or empty, or with data that are to be replaced.
        finish: gets the new home while it stands aside: migrates, does again what must be; where it raises, nothing has changed.
        replace: take away data that are there; they are kept in a folder of the home.
        by_hand: the folder is a copy of a home without sums: its database and frames are held to the rows alone.
        tell: told how far it has come.

    Returns:
        What `finish` returned, and the folder of what was replaced, if something was.

    Raises:
        NotABackup, BackupDamaged, NewerBackup: what is wrong with the backup; nothing has changed.
        HomeInUse, HomeHasData: what is wrong with the home; nothing has changed.
        StorageFull, StoreError: it cannot be written; nothing has changed.
    """
    files = _files(backup, by_hand)
    if backup.resolve().is_relative_to(home.root.resolve()):
        # what is replaced is moved aside, and must not be what is read
        raise StoreError(f"{backup} lies in the home {home.root} itself. Move the backup elsewhere, or name another home.")
    there = _there(home)
    if there and not replace:
        raise HomeHasData(
            f"The home {home.root} has data already ({there[0].name}): nothing was changed. Name a new home with --db or VANTAGE_HOME, or "
            "give --replace to put the backup in their place; they are then kept in a folder beside it."
        )
    stage = home.root / f"{STAGE}{secrets.token_hex(4)}"
    try:
        home.prepare()
        with _closed(home):
            for left in home.root.glob(f"{STAGE}*"):
                shutil.rmtree(left)  # of a restore that was killed before it had changed anything
            try:
                _room(backup, files, home)
                stage.mkdir(mode=0o700)
                _copy(backup, files, stage, tell or (lambda *_: None))
                result = finish(Home(root=stage, db=stage / DATABASE_NAME))
                _whole(stage)
                aside = _swap(home, stage)
            finally:
                shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise os_error(error, f"restore into {home.root}") from error
    return result, aside


def _files(backup: Path, by_hand: bool) -> dict[str, str | None]:
    """Path → SHA-256 of what is restored; None: nothing says."""
    if by_hand:
        if (backup / ABOUT).exists() or not (backup / DATABASE_NAME).is_file():
            said = "has a list of sums: restore it without --by-hand" if (backup / ABOUT).exists() else f"holds no {DATABASE_NAME}"
            raise NotABackup(f"{backup} {said}.")
        below = {"frames", "recordings", "images"}
        names = {DATABASE_NAME, f"{DATABASE_NAME}-wal", "erasures.jsonl", LEDGER_HERE}
        return {path: None for path in walk(backup) if path in names or path.split("/")[0] in below}
    found, files = about(backup), listed(backup)
    complete(backup, found, files)
    return dict(files)


def _there(home: Home) -> list[Path]:
    """Data in a home."""
    found = [path for path in (home.db, _beside(home.db, "-wal")) if path.exists()]
    for name in DATA:
        path = home.root / name
        if path.is_file() or (path.is_dir() and next(walk(path), None)):
            found.append(path)
    return found


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def _closed(home: Home) -> Iterator[None]:
    """Nobody has the home's database open, and nobody opens it within the block.

    Raises:
        HomeInUse: somebody has.
    """
    with (home.run / "migrate.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HomeInUse(_in_use(home)) from None
        if home.db.is_file() and home.db.stat().st_size and not _free(home.db):
            raise HomeInUse(_in_use(home))
        yield


def _free(database: Path) -> bool:
    """Whether no other connection is open: a connection in exclusive mode can only be the only one."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0.2)) as db:
        try:
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            return (error.sqlite_errorcode & 0xFF) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        except sqlite3.DatabaseError:
            return True  # damaged: perhaps why it is replaced
    return True


def _in_use(home: Home) -> str:
    return f"A program has {home.db} open: nothing was changed. Stop the app and commands that use it, then restore again."


def _room(backup: Path, files: dict[str, str | None], home: Home) -> None:
    wanted, free = sum((backup / path).stat().st_size for path in files), shutil.disk_usage(home.root).free
    if free < wanted:
        raise StorageFull(
            f"The disk of {home.root} has {free / 2**20:,.0f} MB free, the backup takes {wanted / 2**20:,.0f} MB. Nothing was changed; "
            "free some space, or name a home on another disk."
        )


def _copy(backup: Path, files: dict[str, str | None], stage: Path, tell: Tell) -> None:
    """Every file, held to its sum while it is read."""
    whole, done = sum((backup / path).stat().st_size for path in files), 0
    for path, sha256 in files.items():
        size, seen = copied(backup / path, stage / path, durable=True)
        if sha256 is not None and seen != sha256:
            raise BackupDamaged(changed(backup / path))
        done += size
        tell("restoring", done, whole)


def _whole(stage: Path) -> None:
    """The new home once more, as it will stand there: the database is sound, and every frame that it names is here with its bytes.

    Raises:
        BackupDamaged: it is not so.
    """
    frames = FrameStore(stage / "frames", reading=True)
    known: set[str] = set()
    if (stage / ABOUT).is_file():
        known = set(about(stage).damaged)
        (stage / ABOUT).unlink()
    with closing(sqlite3.connect(stage / DATABASE_NAME, isolation_level=None)) as db:
        try:
            found = [row[0] for row in db.execute("PRAGMA integrity_check(1)")]
            rows = db.execute("SELECT pixel_hash, file_hash FROM frames").fetchall()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as error:
            found, rows = [str(error)], []
    if found != ["ok"]:
        raise BackupDamaged(f"The database of the backup is damaged ({found[0]}). Nothing was changed; take an older backup.")
    for pixel_hash, file_hash in rows:
        if pixel_hash in known:
            continue
        try:
            frames.read(pixel_hash, file_hash)
        except StoreError:
            raise BackupDamaged(
                f"The frame {pixel_hash[:12]}… that the database names is missing in the backup, or was changed. Nothing was changed; "
                "take an older backup."
            ) from None
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            _beside(stage / DATABASE_NAME, suffix).unlink()


def _swap(home: Home, stage: Path) -> Path | None:
    """Put what is ready in its place, the database last; returns where the former data lie, if there were some."""
    aside = None
    old = [path for path in (home.db, _beside(home.db, "-wal"), _beside(home.db, "-shm"), *(home.root / n for n in DATA)) if path.exists()]
    if _there(home):
        aside = home.root / f"{BEFORE}{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
        aside.mkdir(mode=0o700)
        for path in old:
            path.rename(aside / (DATABASE_NAME + path.name[len(home.db.name) :] if path.name.startswith(home.db.name) else path.name))
        sync_folder(aside)
    for name in DATA:
        path = home.root / name
        if path.is_dir():
            shutil.rmtree(path)  # of folders alone
        if (stage / name).exists():
            (stage / name).rename(path)
    sync_folder(home.root)
    (stage / DATABASE_NAME).rename(home.db)
    sync_folder(home.db.parent)
    return aside
