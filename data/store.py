"""The store: one SQLite database, written only through `Store.atomic`.

WAL, ``synchronous=FULL`` (a committed row survives a power cut), foreign keys on, one connection per thread. Debian's SQLite 3.40.1
has the WAL-reset bug that can corrupt a database with two writers (fixed in 3.51.3), so the store refuses an older library.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

import msgspec
from sqlite_utils import Database
from sqlite_utils.utils import sqlite3

from data import disks
from data.home import Home
from data.migrations import MIGRATIONS, NAMES
from data.rows import Row, read
from data.task import REHEARSAL, Task, hash_of
from sim_bridge.errors import Refusal

MINIMUM_SQLITE = (3, 51, 3)
"""First release with the WAL-reset fix."""
BUSY_TIMEOUT_MS = 5000
"""How long a writer waits for a writer of another process."""
TURN_S = 60.0
"""How long a thread waits for its turn among the writers of this process, seconds: a thousand who come at once are let in within it."""


class StoreError(Refusal):
    """The store cannot do this; the message says what, where and what to do."""

    code = "store_error"
    status = 500
    public = "The server could not read or save what this needs. What was saved is kept; tell whoever runs this study."


class StorageFull(StoreError):
    """The disk is full; nothing of the failed write was kept."""

    code = "storage_full"
    status = 507
    public = "The server has no room left, so this was not saved. What was saved before is kept; tell whoever runs this study."


class StoreBusy(StoreError):
    """Another program held the database longer than the busy timeout."""

    code = "store_busy"
    status = 503
    public = "The server is busy, so this was not saved. What was saved before is kept; try again in a moment."


class Unstorable(StoreError):
    """A whole number beyond 64 bits, or half a character: no database can hold it, and no reader of an export could read it."""

    code = "unstorable"
    status = 400
    public = "This holds a number that is too large, or half an emoji or another broken character. Take it out and try again."


class TaskNotFound(StoreError):
    """No task with this id or content hash."""

    code = "not_found"
    status = 404
    public = "There is no such task here."


def now() -> str:
    """The server's time: ISO-8601 UTC with milliseconds."""
    return written(_clock())


def written(at: datetime) -> str:
    """A time as the database keeps it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _machine() -> datetime:
    return datetime.now(UTC)


_clock: Callable[[], datetime] = _machine


@contextmanager
def told_by(clock: Callable[[], datetime]) -> Iterator[None]:
    """Within the block `now` tells what `clock` says, in the whole process: for dry runs, in which days pass within minutes."""
    global _clock
    _clock, before = clock, _clock
    try:
        yield
    finally:
        _clock = before


def new_id(prefix: str) -> str:
    """A random opaque id, 80 bits: ``ep_3f…``."""
    return f"{prefix}_{secrets.token_hex(10)}"


def dumps(value: Any) -> str:
    """Compact JSON text; refuses NaN and infinity."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class TaskKind(msgspec.Struct, frozen=True):
    """Of what kind a task is."""

    category: str
    subcategory: str
    dataset: str


class Store:
    """One database. Safe to use from many threads: each gets its own connection."""

    def __init__(self, home: Home, *, reading: bool = False) -> None:
        """Use `Store.open`, which also migrates, or `Store.reading`."""
        self.home, self.writable = home, not reading
        self._local = threading.local()
        # SQLite lets writers sleep and look again, longer and longer: whoever comes last may be first, and some are never. Here each waits
        # until the one before is done.
        self._turn = threading.Lock()
        self._task = lru_cache(maxsize=256)(self._load_task)

    @classmethod
    def open(cls, home: Home | None = None) -> Store:
        """Open (and create or migrate) the database of `home`.

        Returns:
            The store.

        Raises:
            StoreError: SQLite too old, not a database, written by a newer version of this program, or on another machine's disk.
            StorageFull: no room to create it.
        """
        _check_sqlite()
        home = home or Home.from_env()
        if where := disks.shared(home):
            raise StoreError(where)
        store = cls(home)
        try:
            home.prepare()
            with (home.run / "migrate.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                with _first(home):
                    store._migrate()
        except OSError as error:
            raise os_error(error, f"open the store in {home.root}") from error
        return store

    @classmethod
    def reading(cls, home: Home | None = None) -> Store:
        """Open a database that is only going to be read: as `open` does, and also where its folder cannot be written (a read-only disk,
        another person's files). Writing to such a store is refused.

        Raises:
            StoreError: as `open`; or it cannot be written and is of an older schema, or needs recovery after a crash.
        """
        home = home or Home.from_env()
        try:
            return cls.open(home)
        except StoreError as error:
            if not _unwritable(error.__cause__) or not home.db.is_file():
                raise
        store = cls(home, reading=True)
        applied = store._applied()
        if len(applied) < len(NAMES):
            raise StoreError(
                f"{home.db} has schema step {applied[-1] if applied else 'none'}, this version needs {NAMES[-1]}, and the database cannot "
                "be written: open it once where it can be, or copy it to a folder of yours and name the copy with --db."
            )
        return store

    def _applied(self) -> list[str]:
        """Names of the schema steps that the database has.

        Raises:
            StoreError: some are unknown to this version.
        """
        with self._translated("read"):
            applied = [m.name for m in MIGRATIONS.applied(self.db)]
        if unknown := [name for name in applied if name not in NAMES]:
            raise StoreError(
                f"{self.home.db} has schema step {unknown[-1]}, this version knows steps up to {NAMES[-1]}. "
                "It was written by a newer version: update this installation, or name another database with --db."
            )
        return applied

    def _migrate(self) -> None:
        if len(self._applied()) < len(NAMES):
            with self.atomic() as db:
                MIGRATIONS.apply(db)

    @property
    def db(self) -> Database:
        """This thread's connection, for reading. Write inside `atomic`."""
        db = getattr(self._local, "db", None)
        if db is None:
            with self._translated("open"):
                where = self.home.db.as_uri() if self.writable else _read_only_uri(self.home)
                connection = sqlite3.connect(where, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, uri=True)
                db = Database(connection)
                db.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
                if self.writable:
                    db.execute("PRAGMA journal_mode=WAL")
                    db.execute("PRAGMA synchronous=FULL")
                db.execute("PRAGMA foreign_keys=ON")
            self._local.db = db
        return db

    @contextmanager
    def atomic(self) -> Iterator[Database]:
        """One transaction: BEGIN IMMEDIATE, committed (and on disk) at the end, rolled back on any exception.

        Inside another `atomic` of the same thread it is a savepoint. (sqlite-utils' own `atomic` begins deferred, so a
        read followed by a write fails at once when another writer got in between.)
        """
        db = self.db
        with self._translated("write"):
            if db.conn.in_transaction:
                with db.atomic():
                    yield db
                return
            if not self._turn.acquire(timeout=TURN_S):
                raise StoreBusy(f"{self.home.db}: other writers of this program took longer than {TURN_S:g} s.")
            try:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                except BaseException:
                    db.rollback()
                    raise
                try:
                    db.execute("COMMIT")
                except BaseException:
                    db.rollback()
                    raise
            finally:
                self._turn.release()

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _disk_full(self.home)):
                raise StorageFull(
                    f"The disk that holds {self.home.db} is full. Nothing was lost; free some space, then try again."
                ) from error
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StoreBusy(
                    f"{self.home.db} was busy for more than {BUSY_TIMEOUT_MS // 1000} s: another program is writing. Try again."
                ) from error
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise StoreError(
                    f"{self.home.db} is not a readable database ({error}). Name another with --db, or restore a backup."
                ) from error
            raise StoreError(f"Could not {what} {self.home.db}: {error}.") from error
        except OverflowError as error:
            if "SQLite" not in str(error):  # another calculation's
                raise
            raise Unstorable(f"A whole number is too large for {self.home.db}: it holds 64 bits.") from error
        except UnicodeEncodeError as error:
            if error.reason != "surrogates not allowed":
                raise
            where = f"character {error.start + 1} of {len(error.object)}"
            raise Unstorable(f"A text holds half a character ({where}), which {self.home.db} cannot hold.") from error

    def query(self, sql: str, params: Sequence[Any] | dict[str, Any] = ()) -> list[dict[str, Any]]:
        """Rows of a read as dictionaries."""
        with self._translated("read"):
            return list(self.db.query(sql, params))

    def one(self, sql: str, params: Sequence[Any] | dict[str, Any] = ()) -> dict[str, Any] | None:
        """The first row of a read, or None."""
        rows = self.query(sql, params)
        return rows[0] if rows else None

    def rows(self, sql: str, of: type[Row], params: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Rows of a read as `of`, checked (`data.rows`).

        Raises:
            BadRow: a column is missing or of another type.
        """
        return [read(of, row) for row in self.query(sql, params)]

    def row(self, sql: str, of: type[Row], params: Sequence[Any] | dict[str, Any] = ()) -> Row | None:
        """The first row of a read as `of`, or None."""
        found = self.one(sql, params)
        return None if found is None else read(of, found)

    def stream(self, sql: str, of: type[Row], params: Sequence[Any] | dict[str, Any] = ()) -> Iterator[Row]:
        """Rows of a read as `of`, one at a time: for what does not fit into memory. The read lasts as long as the iteration."""
        with self._translated("read"):
            for row in self.db.query(sql, params):
                yield read(of, row)

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Write one row; part of the surrounding `atomic`. Returns its rowid. Table and column names are the program's own, never input."""
        if not self.db.conn.in_transaction:
            with self.atomic():
                return self.insert(table, row)
        statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        return int(self.db.execute(statement, list(row.values())).lastrowid or 0)

    def event(
        self,
        kind: str,
        data: dict[str, Any] | None = None,
        *,
        at: str | None = None,
        actor: str = "",
        study_id: str | None = None,
        participant_id: str | None = None,
        episode_id: str | None = None,
        subject: str | None = None,
    ) -> int:
        """Append one event; part of the surrounding `atomic`.

        Args:
            kind: what happened, in snake case.
            data: what else is known, as JSON values.
            at: when; None: now.
            actor: who did it (staff id, reviewer, program); empty for a participant, whose id stands beside.
            study_id: the study.
            participant_id: the person.
            episode_id: the episode.
            subject: id of what it is about where that is another thing: an item, a moment, a result, a project.

        Returns:
            Its sequence number.
        """
        row = {"at": at or now(), "kind": kind, "actor": actor, "study_id": study_id, "participant_id": participant_id}
        return self.insert("events", row | {"episode_id": episode_id, "subject": subject, "data": dumps(data or {})})

    def last_event(self) -> int:
        """Number of the newest event, 0 where there is none: it changes whenever anything is noted."""
        row = self.one("SELECT max(seq) AS seq FROM events")
        return int((row and row["seq"]) or 0)

    @contextmanager
    def anew(self) -> Iterator[Store]:
        """This database through a connection of its own, closed at the end: what it reads is committed, whatever this thread has begun."""
        other = Store(self.home, reading=not self.writable)
        try:
            yield other
        finally:
            other.close()

    def close(self) -> None:
        """Close this thread's connection; those of other threads close with their threads."""
        db = getattr(self._local, "db", None)
        if db is not None:
            db.close()
            del self._local.db

    # tasks

    def put_task(self, task: Task, dedup_key: str | None = None) -> Literal["imported", "duplicate"]:
        """Keep a task document.

        Args:
            task: the task.
            dedup_key: equal for rows that differ only in their id; None: the content hash itself.

        Returns:
            ``imported``, or ``duplicate`` when the same content (or the same `dedup_key`) is there already. The id of a
            duplicate then also finds the kept task.
        """
        document = task.canonical_json()
        content_hash = hash_of(document)
        with self.atomic() as db:
            known = self.one(
                "SELECT content_hash, task_id FROM tasks WHERE content_hash = ? OR dedup_key = ?", [content_hash, dedup_key or content_hash]
            )
            if known:
                if known["task_id"] != task.task_id:
                    db.execute(
                        "INSERT INTO task_aliases (task_id, content_hash) VALUES (?, ?) ON CONFLICT DO NOTHING",
                        [task.task_id, known["content_hash"]],
                    )
                return "duplicate"
            last = self.one("SELECT max(version) AS version FROM tasks WHERE task_id = ?", [task.task_id])
            self.insert(
                "tasks",
                {
                    "content_hash": content_hash,
                    "task_id": task.task_id,
                    "version": ((last or {}).get("version") or 0) + 1,
                    "dedup_key": dedup_key or content_hash,
                    "dataset": task.provenance.dataset,
                    "category": task.category,
                    "subcategory": task.subcategory,
                    "twin": task.twin,
                    "supersedes": task.supersedes,
                    "document": document,
                    "created_at": now(),
                },
            )
        return "imported"

    def get_task(self, content_hash: str) -> Task:
        """The task with this content hash.

        Raises:
            TaskNotFound: there is none.
        """
        return self._task(content_hash)

    def _load_task(self, content_hash: str) -> Task:
        row = self.one("SELECT document FROM tasks WHERE content_hash = ?", [content_hash])
        if row is None:
            raise TaskNotFound(f"No task has the content hash {content_hash!r} in {self.home.db}.")
        if hash_of(row["document"]) != content_hash:
            raise StoreError(f"The document of task {content_hash} in {self.home.db} was changed after it was stored. Restore a backup.")
        return Task.from_json(row["document"])

    def find_task(self, task_id: str) -> Task:
        """The latest version of a task id; the id of a dropped duplicate finds the kept task.

        Raises:
            TaskNotFound: no such id; the message says how to get tasks.
        """
        row = self.one("SELECT content_hash FROM tasks WHERE task_id = ? ORDER BY version DESC LIMIT 1", [task_id]) or self.one(
            "SELECT content_hash FROM task_aliases WHERE task_id = ?", [task_id]
        )
        if row is None:
            raise TaskNotFound(
                f"No task {task_id!r} in {self.home.db}. Import tasks with `vantage tasks import`, or list them with `vantage tasks list`."
            )
        return self.get_task(row["content_hash"])

    def task_hashes(self, dataset: str | None = None, category: str | None = None, subcategory: str | None = None) -> list[str]:
        """Content hashes of the latest version of every task id, ordered by id."""
        wanted = {"dataset": dataset, "category": category, "subcategory": subcategory}
        # a rehearsal is nobody's task but its author's, and only who names it finds it
        of = [f"t.{name} = :{name}" for name, value in wanted.items() if value is not None]
        where = " AND ".join([*of, *([] if dataset else [f"t.dataset <> '{REHEARSAL}'"])])
        rows = self.query(
            "SELECT t.content_hash FROM tasks t WHERE NOT EXISTS "
            "(SELECT 1 FROM tasks n WHERE n.task_id = t.task_id AND n.version > t.version)"
            + (f" AND {where}" if where else "")
            # ids such as esi-0002 and esi-0010 sort as text
            + " ORDER BY t.task_id",
            {name: value for name, value in wanted.items() if value is not None},
        )
        return [row["content_hash"] for row in rows]

    def task_ids(self, hashes: Sequence[str]) -> list[str]:
        """Ids of tasks by content hash, in the order asked; read from an index, without their documents.

        Raises:
            TaskNotFound: one of them is not there.
        """
        rows = self.query(
            "SELECT content_hash, task_id FROM tasks INDEXED BY tasks_facts WHERE content_hash IN (SELECT value FROM json_each(?))",
            [dumps(list(hashes))],
        )
        found = {row["content_hash"]: row["task_id"] for row in rows}
        if missing := next((one for one in hashes if one not in found), None):
            raise TaskNotFound(f"No task has the content hash {missing!r} in {self.home.db}.")
        return [found[one] for one in hashes]

    def task_counts(self, by: Literal["dataset", "category", "subcategory"]) -> dict[str, int]:
        """How many task ids there are for each value of `by`, in the order of the values; rehearsals are not counted."""
        rows = self.query(
            f"SELECT {by}, count(DISTINCT task_id) AS n FROM tasks WHERE dataset <> '{REHEARSAL}' GROUP BY {by} ORDER BY {by}"
        )
        return {row[by]: row["n"] for row in rows}

    def tasks(self, dataset: str | None = None, category: str | None = None, subcategory: str | None = None) -> Iterator[Task]:
        """Latest versions of the tasks, ordered by id, read one at a time."""
        for content_hash in self.task_hashes(dataset, category, subcategory):
            yield self._load_task(content_hash)

    def task_kinds(self, hashes: Sequence[str]) -> list[TaskKind]:
        """Of what kind each of these tasks is, by content hash; those that are not there are left out."""
        sql = "SELECT category, subcategory, dataset FROM tasks WHERE content_hash IN (SELECT value FROM json_each(?))"
        return self.rows(sql, TaskKind, [dumps(list(hashes))])

    def subcategory_counts(self, categories: Sequence[str] = (), datasets: Sequence[str] = ()) -> dict[str, int]:
        """Subcategory → task ids, of these categories and data sets alone (none: all)."""
        rows = self.query(
            "SELECT subcategory, count(DISTINCT task_id) AS n FROM tasks WHERE "
            "(? = '[]' OR category IN (SELECT value FROM json_each(?))) AND (? = '[]' OR dataset IN (SELECT value FROM json_each(?))) "
            "GROUP BY subcategory ORDER BY subcategory",
            [part for names in (categories, datasets) for part in [dumps(list(names))] * 2],
        )
        return {row["subcategory"]: row["n"] for row in rows}

    def practice(self) -> set[str]:
        """Content hashes of tasks that are there to practise on: none of a study's own."""
        return {row["content_hash"] for row in self.query("SELECT content_hash FROM tasks WHERE task_id LIKE '%practice%'")}

    def tasks_stand(self) -> tuple[int, int]:
        """Changes whenever a task comes or anything is noted."""
        row = self.one("SELECT count(*) AS n FROM tasks")
        return self.last_event(), int(row["n"]) if row else 0

    def reject_import(self, file: str, field: str, reason: str) -> None:
        """Keep why an imported row was not taken."""
        self.insert("import_rejections", {"at": now(), "file": file, "field": field, "reason": reason})


def rewrite(home: Home, patience_s: float) -> None:
    """Write one page of the database with what it holds: a committed transaction as any other, which changes nothing.

    Args:
        home: whose database.
        patience_s: how long to wait for another writer (seconds).

    Raises:
        sqlite3.Error: as SQLite says; the caller tells what it means.
    """
    with closing(sqlite3.connect(f"{home.db.as_uri()}?mode=rw", timeout=patience_s, isolation_level=None, uri=True)) as db:
        db.execute("PRAGMA synchronous=FULL")
        db.execute("BEGIN IMMEDIATE")
        db.execute(f"PRAGMA user_version={db.execute('PRAGMA user_version').fetchone()[0]}")
        db.execute("COMMIT")


def _check_sqlite() -> None:
    """Refuse a library with the WAL-reset bug."""
    found = tuple(int(part) for part in sqlite3.sqlite_version.split("."))
    if found < MINIMUM_SQLITE:
        raise StoreError(
            f"SQLite {sqlite3.sqlite_version} can corrupt a database with several writers (its WAL-reset bug); "
            f"{'.'.join(map(str, MINIMUM_SQLITE))} or newer is needed. Install the package pysqlite3 ≥ 0.6.1."
        )


@contextmanager
def _first(home: Home) -> Iterator[None]:
    """The opening of a database, which makes it where there is none: then it is its owner's alone, and SQLite's log follows its rights.

    Raises:
        StoreError: there is a file without a byte.
    """
    if home.db.exists():
        if home.db.is_file() and not home.db.stat().st_size:
            raise StoreError(
                f"{home.db} is an empty file, no database: a copy or a restore may have failed. Put a backup there, "
                "or delete the file to begin with a new database."
            )
        yield
        return
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _unwritable(cause: BaseException | None) -> bool:
    """Whether something failed only because a file or folder may not be written."""
    if isinstance(cause, OSError):
        return cause.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _read_only_uri(home: Home) -> str:
    """How SQLite reads a database it may not write. Where a write-ahead log lies beside it (a writer is at work, or was killed), the log is
    read too; a database closed in good order has none, and needs `immutable` because no log can be made."""
    log = home.db.with_name(home.db.name + "-wal")
    return f"{home.db.as_uri()}?mode=ro" if log.exists() else f"{home.db.as_uri()}?mode=ro&immutable=1"


def _disk_full(home: Home) -> bool:
    """Whether the file system of `home` has no room left (SQLite reports some full disks as an I/O error)."""
    return shutil.disk_usage(home.root).free < 1 << 20


def os_error(error: OSError, what: str) -> StoreError:
    """The store's word for an operating-system error while doing `what`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StorageFull(f"The disk is full: could not {what}. Nothing was lost; free some space, then try again.")
    return StoreError(f"Could not {what}: {error.strerror or error}.")


HASH = re.compile(r"^[0-9a-f]{64}$")
"""A SHA-256 in hexadecimal."""
