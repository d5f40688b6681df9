"""What a backup says of itself: ``backup.json`` and ``SHA256SUMS``, and whether it is still so."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from data.files import PIECE
from data.foreign import Unreadable, file_bytes, json_file
from data.home import DATABASE_NAME
from data.migrations import NAMES
from data.store import StoreError, os_error

FORMAT = 1
"""Number of the layout that this version writes; it reads all up to it."""
SUMS = "SHA256SUMS"
"""One line a file: its SHA-256, two spaces, its path. Every file of the backup but this one."""
ABOUT = "backup.json"
"""`About` as JSON."""
LEDGER_HERE = "taken-back.jsonl"
"""The ledger of what people took back (`study.taken_back`), in a home, in each backup, and beside the backups."""
MAX_SUMS_BYTES = 1 << 30
"""Largest list of files that is read: some seven million files."""

_LINE = re.compile(r"([0-9a-f]{64})  ([^\n\\]+)")

Tell = Callable[[str, int, int], None]
"""Told how far something has come: what is being done, bytes done, bytes of all."""


class NotABackup(StoreError):
    """There is no backup in this folder."""

    code = "not_a_backup"


class BackupDamaged(StoreError):
    """A backup is cut short, or a file of it is not the one that was written."""

    code = "backup_damaged"


class NewerBackup(StoreError):
    """A newer version of this program wrote the backup."""

    code = "newer_backup"


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds."""

    format: int
    at: str
    """When the database was copied: nothing later is in it."""
    program: str
    """Version of the program that took it."""
    schema: list[str]
    """Steps of the schema that the database has."""
    files: int
    """Files named in `SUMS`, this one among them."""
    bytes: int
    """Of all of them but this one."""
    frames: int
    """Frames that the database names and that are here."""
    rows: dict[str, int]
    """Table → its rows."""
    damaged: list[str] = []
    """Frames that the database names and that the home itself lacked, or held with other bytes."""


def sums(files: dict[str, str]) -> bytes:
    """The text of `SUMS`: path → SHA-256, in the order of the paths."""
    return "".join(f"{files[path]}  {path}\n" for path in sorted(files)).encode()


def listed(folder: Path) -> dict[str, str]:
    """Path → SHA-256 of every file that a backup names.

    Raises:
        NotABackup: there is no list.
        BackupDamaged: it is no list of ours.
    """
    try:
        text = file_bytes(folder / SUMS, MAX_SUMS_BYTES).decode()
    except (Unreadable, UnicodeDecodeError):
        if not (folder / SUMS).is_file():
            raise NotABackup(_none(folder)) from None
        raise BackupDamaged(f"{folder / SUMS} cannot be read: the backup is damaged. Take an older one.") from None
    found: dict[str, str] = {}
    *lines, rest = text.split("\n")
    if rest:
        raise BackupDamaged(f"{folder / SUMS} ends within a line: the backup was cut short. Take an older one.")
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        path = PurePosixPath(match[2]) if match else PurePosixPath("/")
        if match is None or path.is_absolute() or ".." in path.parts or path.as_posix() != match[2] or match[2] in found:
            raise BackupDamaged(f"{folder / SUMS}: line {number} is not as it was written. The backup was changed; take an older one.")
        found[match[2]] = match[1]
    return found


def about(folder: Path) -> About:
    """What a backup says of itself; its files are not looked at.

    Raises:
        NotABackup: it says nothing.
        BackupDamaged: what it says cannot be read.
        NewerBackup: it is of a newer version.
    """
    if not folder.is_dir() or not (folder / ABOUT).is_file():
        raise NotABackup(_none(folder))
    try:
        document = json_file(folder / ABOUT)
        number = document.get("format") if isinstance(document, dict) else None
        if isinstance(number, int) and number > FORMAT:
            raise NewerBackup(
                f"{folder} is a backup of format {number}, this version reads up to {FORMAT}. Update this installation and restore then."
            )
        found = msgspec.convert(document, About)
    except (Unreadable, msgspec.ValidationError) as error:
        raise BackupDamaged(f"{folder / ABOUT} cannot be read: {error} The backup is damaged; take an older one.") from None
    if unknown := [name for name in found.schema if name not in NAMES]:
        raise NewerBackup(
            f"{folder} holds a database with schema step {unknown[-1]}, this version knows steps up to {NAMES[-1]}. "
            "Update this installation and restore then."
        )
    return found


def verify(folder: Path, tell: Tell | None = None) -> About:
    """Hold every file of a backup to its SHA-256, and the list to what lies there.

    Raises:
        NotABackup: it is none.
        BackupDamaged: a file is missing, changed, or one too many; the message names the first.
        NewerBackup: it is of a newer version.
    """
    found, files = about(folder), listed(folder)
    complete(folder, found, files)
    done = 0
    for path, sha256 in files.items():
        size, seen = digest(folder / path)
        if seen != sha256:
            raise BackupDamaged(changed(folder / path))
        done += size
        if tell is not None:
            tell("verifying", done, found.bytes)
    return found


def complete(folder: Path, found: About, files: dict[str, str]) -> None:
    """Whether the list names as many files as were written, the database among them, and whether they are the files that lie there.

    Raises:
        BackupDamaged: it is not so.
    """
    if len(files) != found.files or not {ABOUT, DATABASE_NAME} <= set(files):
        raise BackupDamaged(
            f"{folder / SUMS} names {len(files)} files, {found.files} were written: it was cut short. Take an older backup."
        )
    there = set(walk(folder)) - {SUMS}
    if missing := sorted(set(files) - there):
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        raise BackupDamaged(f"{folder / missing[0]}{more} missing: the backup was cut short or a file was deleted. Take an older one.")
    if added := sorted(there - set(files)):
        raise BackupDamaged(f"{folder / added[0]} does not belong to this backup. Move it elsewhere, then try again.")


def changed(path: Path) -> str:
    """The sentence for a file whose bytes are other ones."""
    return f"{path} is not the file that was written: it was cut short or changed. Nothing was restored; take an older backup."


def walk(folder: Path) -> Iterator[str]:
    """Paths of all files below a folder, with slashes, in a fixed order; links are not followed, and none is a file."""
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(here, name)
            if not path.is_symlink():
                yield path.relative_to(folder).as_posix()


def digest(path: Path) -> tuple[int, str]:
    """(size in bytes, SHA-256) of a file.

    Raises:
        StoreError: it cannot be read.
    """
    found, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                found.update(piece)
                size += len(piece)
    except OSError as error:
        raise os_error(error, f"read {path}") from error
    return size, found.hexdigest()


def _none(folder: Path) -> str:
    if not folder.is_dir():
        return f"There is no folder {folder}. Name the folder of one backup, such as vantage-20261129T213000Z."
    inside = sorted(path.parent.name for path in folder.glob(f"*/{ABOUT}"))
    if inside:
        return f"{folder} is no backup, but holds {len(inside)}. Name one of them; the newest is {inside[-1]}."
    if (folder / DATABASE_NAME).is_file():
        return (
            f"{folder} holds a database without {ABOUT} and {SUMS}: a copy made by hand. --by-hand restores it, its files held to its rows."
        )
    return f"{folder} is no backup: it has no {ABOUT} and no {SUMS}. Name a folder that `vantage backup` wrote."
