"""A backup of a home, taken while people work.

The database is copied by SQLite's backup interface from within one read transaction, so that it is of one moment however long it takes,
however much is written meanwhile (without that transaction every write begins the copy again). Frames follow: a row is committed after
its frame, so every frame that the copy names is on disk. A frame that is not, because its person was erased meanwhile, begins the copy of
the database again.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from sqlite_utils.utils import sqlite3

from data.backup.manifest import ABOUT, FORMAT, LEDGER_HERE, SUMS, About, Tell, digest, sums, verify, walk
from data.files import copied, sync_folder
from data.frames import FrameDamaged, FrameStore
from data.home import DATABASE_NAME, Home
from data.store import StorageFull, Store, StoreBusy, StoreError, now, os_error

PREFIX = "vantage-"
"""What names of backups begin with; the time follows."""
PARTIAL = ".partial"
"""What names of unfinished ones end with; they begin with a dot."""
LOCK = ".vantage-backup.lock"
"""Held in the folder of backups while one is taken."""
PAGES_AT_ONCE = 2048
"""Pages of the database (4 KB each) copied between two words about how far it has come."""
ROUNDS = 5
"""How often the database is copied where people are erased meanwhile."""
SPARE_BYTES = 64 << 20
"""Room that is left on the disk beside a backup."""
KEPT_FOLDERS = ("recordings", "images")
"""Folders of a home, beside its frames, whose files are copied as they are: each is named by what is in it and never changes."""


@dataclass(frozen=True)
class Taken:
    """A backup that is whole, on disk, and was read again."""

    path: Path
    about: About
    sums_sha256: str
    """Of the list of its files: whoever keeps it elsewhere can tell whether anything in the backup was changed."""
    took_s: float
    pruned: list[str] = field(default_factory=list)
    """Older backups that were deleted, by name."""


class _Erased(Exception):
    """A frame went with its person after the database was copied."""


def take(
    home: Home, folder: Path, *, program: str, keep: int | None = None, despite_damage: bool = False, tell: Tell | None = None
) -> Taken:
    """Copy a home into a new folder below `folder`; an app may go on serving. It is not migrated, whatever its schema.

    Args:
        home: what is copied.
        folder: where backups lie; made where it is not there.
        program: version of this program.
        keep: how many backups stay, this one among them; None: all.
        despite_damage: copy although frames are missing or changed in the home itself; the backup names them.
        tell: told how far it has come.

    Returns:
        The backup.

    Raises:
        StoreError: no database there, a damaged one or damaged frames (see `despite_damage`), or the folder lies in the home.
        StoreBusy: another backup is being taken into this folder, or people are being erased all the time.
        StorageFull: no room. In each case nothing is left, and older backups are untouched.
    """
    begun = time.monotonic()
    if not home.db.is_file():
        raise StoreError(f"There is no database {home.db}: nothing was backed up. Name another with --db, or the home in VANTAGE_HOME.")
    if folder.resolve().is_relative_to(home.root.resolve()):
        raise StoreError(f"{folder} lies in the home {home.root} and would be lost with it. Name one elsewhere, best on another disk.")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(folder):
            for left in folder.glob(f".{PREFIX}*{PARTIAL}"):
                shutil.rmtree(left)  # of a backup that was killed
            name = _free_name(folder)
            half = folder / f".{name}{PARTIAL}"
            half.mkdir(mode=0o700)
            try:
                found = _fill(home, half, program, despite_damage, tell or _silent)
                half.rename(folder / name)
            except BaseException:
                shutil.rmtree(half, ignore_errors=True)
                raise
            sync_folder(folder)
            pruned = _prune(folder, keep)
    except OSError as error:
        raise os_error(error, f"write a backup into {folder}; nothing of it is left there") from error
    seen = hashlib.sha256((folder / name / SUMS).read_bytes()).hexdigest()
    return Taken(folder / name, found, seen, time.monotonic() - begun, pruned)


def backups(folder: Path) -> list[Path]:
    """Backups in a folder, the oldest first."""
    return sorted(path.parent for path in folder.glob(f"{PREFIX}*/{ABOUT}"))


def _silent(*_: object) -> None:
    pass


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreBusy(f"Another backup is being taken into {folder}. Wait until it is done, or name another folder.") from None
        yield


def _free_name(folder: Path) -> str:
    while True:
        name = f"{PREFIX}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        if not (folder / name).exists():
            return name
        time.sleep(0.2)


def _fill(home: Home, half: Path, program: str, despite_damage: bool, tell: Tell) -> About:
    """Everything of a backup, written, on disk and read again."""
    _room(home, half)
    files: dict[str, str] = {}
    frames, at, damaged = _consistent(home, half, files, despite_damage, tell)
    for name in KEPT_FOLDERS:
        _copy_all(home.root / name, half / name, name, files)
    for name in ("erasures.jsonl", LEDGER_HERE):
        if (home.root / name).is_file():
            files[name] = copied(home.root / name, half / name)[1]
    schema, rows = _contents(half / DATABASE_NAME)
    size = sum((half / path).stat().st_size for path in files)
    found = About(
        format=FORMAT, at=at, program=program, schema=schema, files=len(files) + 1, bytes=size, frames=frames, rows=rows, damaged=damaged
    )
    text = msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"
    (half / ABOUT).write_bytes(text)
    files[ABOUT] = hashlib.sha256(text).hexdigest()
    (half / SUMS).write_bytes(sums(files))
    _to_disk(half, size, tell)
    return verify(half, tell)


def _room(home: Home, half: Path) -> None:
    """Whether there is room for it all.

    Raises:
        StorageFull: there is not.
    """
    with closing(sqlite3.connect(f"{home.db.as_uri()}?mode=ro", uri=True)) as db:
        frames = db.execute("SELECT coalesce(sum(bytes), 0) FROM frames").fetchone()[0] if _has_table(db, "frames") else 0
    others = [home.root / name / path for name in KEPT_FOLDERS for path in walk(home.root / name)]
    wanted = home.db.stat().st_size + frames + sum(path.stat().st_size for path in others if path.exists()) + SPARE_BYTES
    free = shutil.disk_usage(half).free
    if free < wanted:
        raise StorageFull(
            f"The disk of {half.parent} has {free / 2**20:,.0f} MB free, a backup of {home.root} needs {wanted / 2**20:,.0f} MB. Nothing "
            "was written; free some space, keep fewer backups (--keep), or name a folder on another disk."
        )


def _consistent(home: Home, half: Path, files: dict[str, str], despite: bool, tell: Tell) -> tuple[int, str, list[str]]:
    """The database, and every frame that it names. Returns how many, when it was copied, and which frames the home has not whole."""
    for _ in range(ROUNDS):
        at = _copy_database(home, half / DATABASE_NAME, tell)
        try:
            frames, damaged = _copy_frames(home, half, files, tell)
        except _Erased:
            for path in (half / "frames").glob("*/*"):
                path.unlink()  # whose person was erased must not stay in a backup of after that
            files.clear()
            continue
        if damaged and not despite:
            raise StoreError(
                f"{len(damaged)} of the frames that {home.db} names are missing or were changed, {damaged[0][:12]}… first, so no backup "
                "would be whole: nothing was kept. Put them back from an earlier backup (`vantage doctor --all` names them), or give "
                "--despite-damage to back up the rest."
            )
        files[DATABASE_NAME] = digest(half / DATABASE_NAME)[1]
        return frames, at, damaged
    raise StoreBusy(f"People are being erased from {home.db} all the time, so no backup was whole. Try again when that is done.")


def _copy_database(home: Home, target: Path, tell: Tell) -> str:
    """A sound copy of one moment, in one file without a log. Returns the moment."""
    target.unlink(missing_ok=True)
    writable = os.access(home.db, os.W_OK) and os.access(home.db.parent, os.W_OK)
    store = Store(home, reading=not writable)
    try:
        source = store.db.conn
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on it is of one moment
        at = now()
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:

            def progress(_: int, left: int, pages: int) -> None:
                tell("database", (pages - left) * 4096, pages * 4096)

            source.backup(copy, pages=PAGES_AT_ONCE, progress=progress, sleep=0.001)
            source.execute("ROLLBACK")
            copy.execute("PRAGMA journal_mode=DELETE")
            wrong = [row[0] for row in copy.execute("PRAGMA integrity_check(3)")]
            if wrong != ["ok"] or copy.execute("PRAGMA foreign_key_check").fetchone():
                said = "; ".join(wrong) if wrong != ["ok"] else "rows point nowhere"
                raise StoreError(f"{home.db} is damaged ({said}): no backup was kept. Restore an earlier one; `vantage doctor` says more.")
        return at
    except sqlite3.Error as error:
        # the backup interface tells no code
        if "is full" in str(error) or _writing_fails(home, target):
            raise os_error(OSError(errno.ENOSPC, ""), f"copy {home.db} to {target.parent.parent}; nothing of it is left there") from error
        raise StoreError(f"{home.db} could not be copied: {error}. No backup was kept; `vantage doctor` looks at the database.") from error
    finally:
        store.close()


def _writing_fails(home: Home, target: Path) -> bool:
    """Whether nothing more can be written beside the copy: SQLite calls some full disks and quotas an I/O error."""
    trial = target.with_name("trial")
    try:
        with trial.open("wb", buffering=0) as file:
            file.seek(home.db.stat().st_size)
            return file.write(b"\0" * (1 << 16)) != 1 << 16
    except OSError:
        return True
    finally:
        trial.unlink(missing_ok=True)


def _copy_frames(home: Home, half: Path, files: dict[str, str], tell: Tell) -> tuple[int, list[str]]:
    """Frames that the copied database names, each held to the hash of its row. Returns how many, and those that the home has not whole."""
    here, there = FrameStore(home.frames, reading=True), FrameStore(half / "frames", reading=True)
    copied, done, damaged = 0, 0, []
    with closing(sqlite3.connect(half / DATABASE_NAME)) as db, closing(_asking(home)) as live:
        if not _has_table(db, "frames"):
            return 0, []
        whole = db.execute("SELECT coalesce(sum(bytes), 0) FROM frames").fetchone()[0]
        for pixel_hash, file_hash, size in db.execute("SELECT pixel_hash, file_hash, bytes FROM frames ORDER BY pixel_hash"):
            try:
                data = here.read(pixel_hash, file_hash)
            except FrameDamaged:
                # another renderer may have written the same pixels as other bytes, and an erasure taken the frame away
                row = live.execute("SELECT file_hash FROM frames WHERE pixel_hash = ?", [pixel_hash]).fetchone()
                if row is None or row[0] != file_hash:
                    raise _Erased from None
                damaged.append(pixel_hash)
                continue
            path = there.path(pixel_hash)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.open("wb") as file:
                file.write(data)
            files[path.relative_to(half).as_posix()] = file_hash
            copied, done = copied + 1, done + size
            tell("frames", done, whole)
    return copied, damaged


def _asking(home: Home) -> sqlite3.Connection:
    return sqlite3.connect(f"{home.db.as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=5)


def _copy_all(source: Path, target: Path, name: str, files: dict[str, str]) -> None:
    """Files of a folder as they are, but for half-written ones."""
    for path in walk(source):
        if path.endswith(".tmp") or any(part.startswith(".") for part in path.split("/")):
            continue
        if "\n" in path or "\\" in path:
            raise StoreError(f"The file {source / path!r} has a name that no list of sums can hold. Rename it; nothing was backed up.")
        try:
            files[f"{name}/{path}"] = copied(source / path, target / path)[1]
        except FileNotFoundError:
            continue  # replaced meanwhile


def _contents(database: Path) -> tuple[list[str], dict[str, int]]:
    """Steps of the schema that a database has, and how many rows each table."""
    with closing(sqlite3.connect(database)) as db:
        known = "SELECT name FROM _sqlite_migrations WHERE migration_set = 'vantage' ORDER BY name"
        schema = [row[0] for row in db.execute(known)] if _has_table(db, "_sqlite_migrations") else []
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return schema, {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def _has_table(db: sqlite3.Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name]).fetchone() is not None


def _to_disk(half: Path, whole: int, tell: Tell) -> None:
    """Every file and name durable, and out of the system's memory, so that what is read afterwards comes from the disk."""
    done = 0
    for path in walk(half):
        with (half / path).open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            done += os.fstat(file.fileno()).st_size
        tell("writing", min(done, whole), whole)
    for here, _, _ in os.walk(half):
        sync_folder(Path(here))


def _prune(folder: Path, keep: int | None) -> list[str]:
    """Delete all but the newest `keep` backups of a folder."""
    gone = backups(folder)[:-keep] if keep else []
    for path in gone:
        away = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL}")
        path.rename(away)  # none is half there under its name
        shutil.rmtree(away)
    return [path.name for path in gone]
