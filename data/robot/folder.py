"""A source's folder: files are looked up inside it only, read as what they should be, and never written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from data import foreign, names
from data.robot.errors import NoSource, Outside, RobotError

MAX_JSON = 128 * 1024 * 1024
"""Largest JSON file read."""
LONGEST_PATH = 3000
"""Letters of a path inside a source."""
MAX_LOOKED = 20_000
"""Folders looked into to find out the kind of a source."""
ARCHIVES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
_MAGIC = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")


class Unreadable(RobotError):
    """A file of a source that is not what it should be; the message names it."""

    code = "unreadable"


class Folder:
    """One folder and what lies in it. Paths are text, relative to it, with ``/``."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.used: set[str] = set()
        """Files that were read, or that frames will be read from: an import names the others."""

    @classmethod
    def open(cls, root: Path) -> Folder:
        """The folder of a source.

        Raises:
            NoSource: it is not there, is no folder (an archive), or is empty.
        """
        if not root.exists():
            raise NoSource(f"{root} is not there.")
        if root.is_file():
            if is_archive(root):
                raise NoSource(f"{root} is an archive: unpack it, then name the folder.")
            raise NoSource(f"{root} is a file: name the folder of the source.")
        if not root.is_dir():
            raise NoSource(f"{root} is no folder.")
        try:
            if not any(root.iterdir()):
                raise NoSource(f"{root} is empty.")
        except OSError as error:
            raise NoSource(f"{root} cannot be read: {error.strerror or error}.") from None
        return cls(root)

    def path(self, relative: str) -> Path:
        """The file or folder, there or not.

        Raises:
            Outside: the path leaves the folder (absolute, with ``..``, through a link), or can be no path.
        """
        pure = PurePosixPath(relative)
        if "\0" in relative or "\\" in relative or pure.is_absolute() or ".." in pure.parts:
            raise Outside(f"{relative[:200]!r} leaves the source: paths in it are relative, without “..”.")
        if (why := next(filter(None, map(names.fault, pure.parts)), "")) or len(relative) > LONGEST_PATH:
            raise Outside(f"{relative[:80]!r} is no path: it {why or f'has more than {LONGEST_PATH} letters'}.")
        path = self.root / pure
        try:
            resolved = path.resolve()
        except (OSError, RuntimeError):
            raise Outside(f"{relative[:200]} is a link that leads nowhere.") from None
        if not resolved.is_relative_to(self.root):
            raise Outside(f"{relative[:200]} is a link that leaves the source: copy the file it points to into its place (cp -rL).")
        return path

    def has(self, relative: str) -> bool:
        """Whether a regular file is there.

        Raises:
            Outside: see `path`.
        """
        return self.path(relative).is_file()

    def read(self, relative: str, limit: int) -> bytes:
        """A file's bytes.

        Raises:
            Outside: see `path`.
            Unreadable: no regular file, larger than `limit` bytes, or the system refuses.
        """
        path = self.path(relative)
        try:
            if not path.is_file():
                raise Unreadable(f"{relative} is not there." if not path.exists() else f"{relative} is no regular file.")
            if (size := path.stat().st_size) > limit:
                raise Unreadable(f"{relative} has {size / 2**20:.0f} MiB, at most {limit // 2**20} MiB are read.")
            data = path.read_bytes()
        except OSError as error:
            raise Unreadable(f"{relative} cannot be read: {error.strerror or error}.") from None
        self.use(relative)
        return data

    def use(self, relative: str) -> None:
        """Note that a file is used."""
        if relative:
            self.used.add(str(PurePosixPath(relative)))

    def json(self, relative: str) -> Any:
        """A JSON file's value; NaN and infinity are refused.

        Raises:
            Outside, Unreadable: see `read`; or it is no JSON.
        """
        return parse_json(self.read(relative, MAX_JSON), relative)

    def text(self, relative: str, limit: int = 1 << 20) -> foreign.Decoded:
        """A small text file, in any encoding that can be told; empty where it is not there.

        Raises:
            Outside, Unreadable: see `read`; or it is no text.
        """
        if not self.has(relative):
            return foreign.Decoded("")
        try:
            return foreign.decoded(self.read(relative, limit), guess=True)
        except foreign.Unreadable as error:
            raise unreadable(relative, error) from None

    def names(self, relative: str = "") -> list[str]:
        """What lies in a folder, numbers in it in the order of numbers; empty where there is no folder. Hidden files, and what is no name
        (`data.names`), are left out.

        Raises:
            Outside: see `path`.
            Unreadable: the system refuses.
        """
        path = self.path(relative or ".")
        try:
            return sorted((n for n in os.listdir(path) if n[0] != "." and not names.fault(n)), key=by_number) if path.is_dir() else []  # noqa: PTH208
        except OSError as error:
            raise Unreadable(f"{relative} cannot be read: {error.strerror or error}.") from None

    def folders(self, relative: str = "") -> list[str]:
        """Names of the folders in a folder; links that leave the source count, so that whoever looks into them is told."""
        here = self.path(relative or ".")
        return [name for name in self.names(relative) if (here / name).is_dir()]

    def files(self, relative: str = "") -> list[str]:
        """Names of the files (and links to files) in a folder."""
        here = self.path(relative or ".")
        return [name for name in self.names(relative) if not (here / name).is_dir()]

    def walk(self, relative: str = "") -> Iterator[str]:
        """This folder and all below, each before what it holds; links to folders are not followed."""
        waiting = [relative]
        while waiting:
            here = waiting.pop()
            yield here
            below = [joined(here, name) for name in self.folders(here)]
            waiting += [path for path in reversed(below) if not (self.root / path).is_symlink()]


def joined(where: str, name: str) -> str:
    """A path inside a folder of the source; `where` may be empty."""
    return f"{where}/{name}" if where else name


def parse_json(data: bytes, what: str) -> Any:
    """A JSON value.

    Raises:
        Unreadable: it is none; NaN and infinity are refused too.
    """
    try:
        return foreign.json_value(data, halves="keep")  # `records.clean` mends what is kept
    except foreign.Unreadable as error:
        raise unreadable(what, error) from None


def unreadable(what: str, error: foreign.Unreadable) -> Unreadable:
    """The sentence of a reader of foreign text about a file of a source."""
    return Unreadable(f"{what} {error.reason[:1].lower()}{error.reason[1:]}")


def by_number(name: str) -> list[tuple[int, int, str]]:
    """Sort key: ``im_2`` before ``im_10``."""
    return [(0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def is_archive(path: Path) -> bool:
    """Whether a file is a packed archive, by its name or its first bytes."""
    if path.suffix.lower() in ARCHIVES:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(263)
    except OSError:
        return False
    return head.startswith(_MAGIC) or head[257:262] == b"ustar"
