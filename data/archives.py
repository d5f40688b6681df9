"""Archives that come from outside: the one place where they are unpacked.

An archive is unpacked whole or not at all, into a folder of its own; nothing in it decides where else something is written.
"""

from __future__ import annotations

import io
import shutil
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from data.foreign import Unreadable
from data.names import printed
from data.store import os_error

MAX_ENTRIES = 200_000
"""Files and folders that an archive may name, wanted or not."""
MAX_PART = 200
"""Longest name of a file or folder in it, in bytes; file systems take 255."""
MAX_PATH = 1_000
"""Longest path in it, in bytes."""
PIECE = 1 << 20
"""Bytes unpacked at a time."""


@dataclass(frozen=True)
class Bounds:
    """What is unpacked at most."""

    files: int = 20_000
    bytes: int = 200 * 1024 * 1024
    """Of all files together, unpacked."""


def unpack(data: bytes, folder: Path, wanted: Callable[[PurePosixPath], bool], bounds: Bounds | None = None) -> int:
    """Write the wanted files of a zip archive below a folder.

    Args:
        data: the archive.
        folder: an empty folder; it is empty again where this raises.
        wanted: which files are written, by their path in the archive; others are passed over unread.
        bounds: what is unpacked at most.

    Returns:
        How many files were written.

    Raises:
        Unreadable: no archive, a damaged one, too much in it, or a name that leads outside, is too long, a link, or stands for two things.
        StoreError: the files cannot be written (full disk, …).
    """
    bounds = bounds or Bounds()
    try:
        return _unpack(data, folder, wanted, bounds)
    except BaseException:
        for path in folder.iterdir() if folder.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _unpack(data: bytes, folder: Path, wanted: Callable[[PurePosixPath], bool], bounds: Bounds) -> int:
    with _opened(data) as archive:
        entries = [(entry, path) for entry in archive.infolist() if not entry.filename.endswith("/") and wanted(path := _path(entry))]
        if len(entries) > bounds.files or sum(entry.file_size for entry, _ in entries) > bounds.bytes:
            raise Unreadable(f"The archive is too large: at most {bounds.files:,} files and {bounds.bytes >> 20} MiB unpacked are read.")
        _distinct([path for _, path in entries])
        left = bounds.bytes
        for entry, path in entries:
            left -= _write(archive, entry, folder.joinpath(*path.parts), left)
        return len(entries)


def _opened(data: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # damaged archives raise whatever the parts of the reader raise, from struct.error to OverflowError
        raise Unreadable(f"Is no archive that can be read: {_words(error)}.") from None
    if len(archive.infolist()) > MAX_ENTRIES:
        raise Unreadable(f"The archive is too large: it names {len(archive.infolist()):,} files, at most {MAX_ENTRIES:,} are looked at.")
    return archive


def _path(entry: zipfile.ZipInfo) -> PurePosixPath:
    """Where an entry lies in the archive, which is inside it and can be written.

    Raises:
        Unreadable: it does not.
    """
    name = entry.filename
    path, shown = PurePosixPath(name), printed(name)[:120]
    if path.is_absolute() or ".." in path.parts or "\\" in name or name[1:2] == ":" or not path.parts:
        raise Unreadable(f"The archive names a file outside itself: {shown!r}. Nothing was read.")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Unreadable(f"The archive holds a link: {shown!r}. Nothing was read; pack the file itself.")
    try:
        sizes = [len(part.encode()) for part in path.parts]
    except UnicodeEncodeError:
        sizes = [MAX_PART + 1]
    if max(sizes) > MAX_PART or sum(sizes) + len(sizes) > MAX_PATH or any(ord(letter) < 32 for letter in name):
        raise Unreadable(f"The archive holds a name that cannot be written: {shown!r}. Nothing was read; give it a shorter, plain name.")
    return path


def _distinct(paths: list[PurePosixPath]) -> None:
    """No path stands twice, or for a file and for a folder; upper and lower case are one, as on many file systems.

    Raises:
        Unreadable: one does.
    """
    seen = {path.as_posix().casefold() for path in paths}
    folders = {parent.as_posix().casefold() for path in paths for parent in path.parents}
    if len(seen) < len(paths):
        raise Unreadable("The archive names a file twice. Nothing was read.")
    if both := sorted(seen & folders):
        raise Unreadable(f"The archive has a file and a folder of one name: {both[0][:120]!r}. Nothing was read.")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, left: int) -> int:
    """One file; returns its size. A header may say less than there is: what is unpacked is counted."""
    size, shown = 0, printed(entry.filename)[:120]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as out, _reading(archive, entry, shown) as packed:
            while piece := _piece(packed, shown):
                size += len(piece)
                if size > left or size > entry.file_size:
                    raise Unreadable(f"The archive holds more than it says, in {shown!r}. Nothing was read.")
                out.write(piece)
    except OSError as error:
        raise os_error(error, "unpack the archive") from error
    return size


def _reading(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, shown: str) -> zipfile.ZipExtFile:
    try:
        if entry.flag_bits & 1:
            raise ValueError("it is locked with a password")
        return archive.open(entry)  # type: ignore[return-value]
    except Exception as error:  # as for `_opened`
        raise Unreadable(f"Is no archive that can be read: {_words(error)}, in {shown!r}. Nothing was read.") from None


def _piece(packed: zipfile.ZipExtFile, shown: str) -> bytes:
    try:
        return packed.read(PIECE)
    except Exception as error:  # zlib.error, lzma.LZMAError, BadZipFile, EOFError and others, as the packing is
        raise Unreadable(f"Is no archive that can be read: {_words(error)}, in {shown!r}. Nothing was read.") from None


def _words(error: Exception) -> str:
    words = printed(" ".join(str(error).split()))[:160].rstrip(".")
    return words if words.isprintable() and words else type(error).__name__
