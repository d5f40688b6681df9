"""Is what is kept still what was stored? Every look reads only, needs no newer schema, and says how many of how many it looked at.

`vantage doctor` prints what they find; the app asks `database` as it starts, where that is cheap.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from sqlite_utils.utils import sqlite3

from data.frames import FrameDamaged, FrameStore, pixel_hash_of
from data.home import Home
from data.robot.errors import ImageMissing
from data.robot.images import ImageFolder
from data.store import HASH, StoreError
from data.task import hash_of
from sim_bridge.backends.recorded.recording import MANIFEST, PREFIX

SAMPLE = 200
"""Files looked at where not all are asked for: with one of a hundred damaged, a look finds none in one of seven cases."""
CHEAP_BYTES = 64 << 20
"""A database up to this size is looked through when the app starts: 0.15 s on two slow cores."""
JUST_KEPT_S = 3600.0
"""A frame file younger than this (seconds) may be of a step whose row is not committed yet."""
NAMED = 5
"""Damaged things that are named; the others are counted."""


@dataclass
class Look:
    """What one look found."""

    looked: int = 0
    of: int = 0
    """How many there are."""
    damaged: list[str] = field(default_factory=list)
    """What is damaged, the first few by name."""
    count: int = 0
    """How many are damaged."""

    def note(self, name: str) -> None:
        """Count something damaged."""
        self.count += 1
        if len(self.damaged) < NAMED:
            self.damaged.append(name)


def database(home: Home, *, quick: bool = False) -> str:
    """What is wrong with the database file; empty: nothing.

    Args:
        home: its home; the file is there.
        quick: structure alone, without comparing indexes with their tables and rows with what they point to: half the time.
    """
    if not home.db.stat().st_size:
        return f"{home.db} is an empty file, no database"
    try:
        with _connection(home) as db:
            found = [row[0] for row in db.execute("PRAGMA quick_check(5)" if quick else "PRAGMA integrity_check(5)")]
            if found != ["ok"]:
                return f"{home.db} is damaged: {'; '.join(found)}"
            if not quick and db.execute("PRAGMA foreign_key_check").fetchone():
                return f"{home.db} is damaged: it has rows that point nowhere"
    except sqlite3.DatabaseError as error:
        return f"{home.db}: {error}"
    return ""


def documents(home: Home) -> Look:
    """Every task and every version of a question, held to the hash that stands beside it."""
    look = Look()
    with _connection(home) as db:
        for table, name in (("tasks", "task_id"), ("qa_versions", "item_id")):
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone():
                continue
            for thing, content_hash, document in db.execute(f"SELECT {name}, content_hash, document FROM {table}"):
                look.looked += 1
                if hash_of(document) != content_hash:
                    look.note(str(thing))
    look.of = look.looked
    return look


def frames(home: Home, *, everything: bool = False) -> Look:
    """Frame files, each held to the hash of its row, and its pixels to its name."""
    store = FrameStore(home.frames, reading=True)
    with _connection(home) as db:
        look = Look(of=db.execute("SELECT count(*) FROM frames").fetchone()[0])
        some = "" if everything else f" ORDER BY random() LIMIT {SAMPLE}"
        for pixel_hash, file_hash in db.execute(f"SELECT pixel_hash, file_hash FROM frames{some}"):
            look.looked += 1
            try:
                if pixel_hash_of(store.read(pixel_hash, file_hash)) != pixel_hash:
                    look.note(f"{store.path(pixel_hash)} (other pixels than its name says)")
            except StoreError as error:
                look.note(f"{store.path(pixel_hash)} ({error.what if isinstance(error, FrameDamaged) else 'unreadable'})")
    return look


def originals(home: Home, *, everything: bool = False) -> Look:
    """Images of robot episodes that are kept here, each held to the hash that is its name."""
    folder = ImageFolder(home)
    there = [path.stem for path in _files(folder) if HASH.match(path.stem)]
    look = Look(of=len(there))
    for sha256 in there if everything or len(there) <= SAMPLE else random.sample(there, SAMPLE):
        look.looked += 1
        try:
            folder(sha256)
        except (ImageMissing, OSError):
            look.note(str(folder.path(sha256) or sha256))
    return look


def _files(folder: ImageFolder) -> Iterable[Any]:
    return sorted(folder.root.rglob("*")) if folder.root.is_dir() else ()


def strays(home: Home) -> tuple[Look, int]:
    """Frame files that no row names, and their bytes. Those of the last hour may be of steps that are just being kept."""
    with _connection(home) as db:
        named = {row[0] for row in db.execute("SELECT pixel_hash FROM frames")}
    look, size, before = Look(), 0, time.time() - JUST_KEPT_S
    for path in home.frames.glob("*/*.webp"):
        look.of += 1
        if path.stem not in named:
            with suppress(FileNotFoundError):
                status = path.stat()
                if status.st_mtime < before:
                    look.note(path.name)
                    size += status.st_size
    look.looked = look.of
    return look, size


def recordings(home: Home) -> Look:
    """Recordings that tasks are played on, each a folder."""
    look = Look()
    with _connection(home) as db:
        rows = db.execute(
            "SELECT DISTINCT json_extract(document, '$.scene.source_scene') FROM tasks WHERE document LIKE ?", [f'%"{PREFIX}%']
        )
        for digest in {str(scene).removeprefix(PREFIX) for (scene,) in rows if str(scene).startswith(PREFIX)}:
            look.of = look.looked = look.of + 1
            if not (home.recordings / digest / MANIFEST).is_file():
                look.note(digest[:12])
    return look


def fingerprints(home: Home, backend: str, here: str) -> tuple[int, int]:
    """(episodes that another renderer of this backend made than `here`, those of them that go on)."""
    with _connection(home) as db:
        found = db.execute(
            "SELECT count(*), coalesce(sum(state = 'active'), 0) FROM episodes WHERE backend = ? AND fingerprint NOT IN (?, '{}')",
            [backend, here],
        ).fetchone()
    return int(found[0]), int(found[1])


@contextmanager
def _connection(home: Home) -> Iterator[Any]:
    """The database, to read only; a damaged one raises `sqlite3.DatabaseError` where it is read."""
    db = sqlite3.connect(f"{home.db.as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        yield db
    finally:
        db.close()
