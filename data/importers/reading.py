"""Finding and reading released files: rows, summary lists, and what is neither. Nothing here raises for bad input."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

MAX_BYTES = 32 * 1024 * 1024
"""Largest file read; the largest released row has 0.84 MB."""
MAX_DEPTH = 64
"""Nesting allowed in a row; released rows need 12."""
_NO_BRACKETS = bytes(b for b in range(256) if b not in b"[]{}")


@dataclass(frozen=True)
class Rejection:
    """A row that did not become a task."""

    file: str
    """Name relative to the given folder."""
    field: str
    """The field at fault; empty where the file as a whole is."""
    reason: str
    """One sentence."""


@dataclass(frozen=True)
class SummaryFile:
    """A per-category summary list; not a row."""

    file: str
    rows: tuple[str, ...]
    """The files it lists, relative to its folder."""


@dataclass(frozen=True)
class RawRow:
    """One row file as parsed; nothing about its fields is known yet."""

    file: str
    value: dict[str, Any]


class _Unreadable(Exception):
    def __init__(self, reason: str, field: str = "") -> None:
        self.reason, self.field = reason, field


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[RawRow | Rejection | SummaryFile]:
    """Every row under `paths`, in order; each file once.

    Args:
        paths: row files, folders (searched for ``*.json``, sorted, links to folders not followed), and summary lists. A summary list
            named by itself stands for the rows it lists; one met in a folder is only recognised.
    """
    seen: set[str] = set()
    for path in paths:
        path = Path(path)
        if os.path.isdir(path):  # noqa: PTH112 - never raises
            for file in _json_files(path):
                if isinstance(file, OSError):
                    yield Rejection(_relative(Path(file.filename), path), "", f"The folder cannot be read: {file.strerror}.")
                elif _first_time(file, seen):
                    yield _read(file, _relative(file, path))
            continue
        if not _first_time(path, seen):
            continue
        entry = _read(path, _printable(path.name))
        yield entry
        if isinstance(entry, SummaryFile):
            yield from _listed(path.parent, entry, seen)


def _listed(folder: Path, summary: SummaryFile, seen: set[str]) -> Iterator[RawRow | Rejection | SummaryFile]:
    for i, name in enumerate(summary.rows):
        if reason := _unsafe(name):
            yield Rejection(summary.file, f"json_paths[{i}]", reason)
        elif _first_time(folder / name, seen):
            entry = _read(folder / name, _printable(name))
            if isinstance(entry, SummaryFile):
                yield Rejection(summary.file, f"json_paths[{i}]", f"Names another summary list, {name!r}; summary lists name row files.")
            else:
                yield entry


def _unsafe(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if not name.strip() or "\0" in name:
        return "Is no file name."
    if path.is_absolute() or ".." in path.parts or (len(name) > 1 and name[1] == ":"):
        return f"Must stay inside the list's folder, got {name[:120]!r}."
    return ""


def _first_time(file: Path, seen: set[str]) -> bool:
    key = os.path.abspath(file)  # noqa: PTH100 - must not touch the file: it may be a looping link
    return key not in seen and not seen.add(key)  # type: ignore[func-returns-value]


def _json_files(folder: Path) -> Iterator[Path | OSError]:
    errors: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=errors.append):  # links to folders are not followed
        folders.sort()
        for name in sorted(files):
            if name.lower().endswith(".json"):
                yield Path(root) / name
    yield from errors


def _relative(file: Path, folder: Path) -> str:
    return _printable(file.relative_to(folder).as_posix())


def _printable(name: str) -> str:
    """A file name that can be stored and printed (names on disk may be no valid text)."""
    return name.encode("utf-8", "backslashreplace").decode()


def _read(file: Path, name: str) -> RawRow | Rejection | SummaryFile:
    try:
        value = parse_json(_bytes(file))
        if not isinstance(value, dict):
            raise _Unreadable(f"Is no row: the file holds a {_kind(value)}, a row is an object.")
        if "json_paths" in value and "metadata_json" not in value:
            listed = value["json_paths"]
            if not isinstance(listed, list) or not all(isinstance(n, str) for n in listed):
                raise _Unreadable("A summary list must hold a list of file names.", "json_paths")
            return SummaryFile(name, tuple(listed))
    except _Unreadable as error:
        return Rejection(name, error.field, error.reason)
    return RawRow(name, value)


def _kind(value: Any) -> str:
    return {list: "list", str: "text", bool: "true/false", type(None): "null"}.get(type(value), "number")


def _bytes(file: Path) -> bytes:
    try:
        status = os.stat(file)  # noqa: PTH116 - a name with a NUL must raise ValueError here, not later
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
            raise _Unreadable("Is no regular file.")
        if status.st_size > MAX_BYTES:
            raise _Unreadable(f"Is too large: {status.st_size / 2**20:.0f} MiB, at most {MAX_BYTES // 2**20} MiB are read.")
        with file.open("rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise _Unreadable(f"Cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise _Unreadable("Has a name that is no file name.") from None


def parse_json(data: bytes | str) -> Any:
    """Strict JSON: UTF-8, no NaN or infinity, no repeated keys, bounded depth.

    Raises:
        _Unreadable: with one sentence (kept private: callers get rejections).
    """
    if isinstance(data, bytes):
        if not data.strip():
            raise _Unreadable("Is empty.")
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:4].count(0) >= 2:
            raise _Unreadable("Is UTF-16 or UTF-32 text; it must be UTF-8.")
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _Unreadable(f"Is no UTF-8 text (byte {error.start}).") from None
    try:
        value = json.loads(data, parse_constant=_refuse, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise _Unreadable(f"Is no JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _Unreadable(f"Nests deeper than {MAX_DEPTH} levels.") from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise _Unreadable(f"Holds a number that cannot be read: {error}.") from None
    if _too_deep(data):
        raise _Unreadable(f"Nests deeper than {MAX_DEPTH} levels.")
    return value


def _too_deep(valid_json: str) -> bool:
    """Whether lists and objects nest far deeper than `MAX_DEPTH` (twice as deep for certain).

    Works on the brackets alone, because walking every number of a row is ten times slower. Single brackets inside texts leave a few
    unmatched ones; that is why a few left over do not count.
    """
    if valid_json.count("[") + valid_json.count("{") <= MAX_DEPTH:
        return False
    brackets = valid_json.encode("ascii", "replace").translate(None, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):  # each pass removes the innermost level
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return len(brackets) > 2 * MAX_DEPTH


def _refuse(constant: str) -> Any:
    raise _Unreadable(f"Holds {constant}, which is no JSON number.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [k for k, _ in pairs]
        twice = next(k for k in names if names.count(k) > 1)
        raise _Unreadable(f"Names the key {twice[:60]!r} twice in one object.")
    return record


def content_key(row: dict[str, Any]) -> str:
    """Equal for rows whose fields are all equal but ``id`` (the benchmark's exact duplicates), and for the same row again.

    SHA-256 over the fields but ``id``, by name.
    """
    digest = hashlib.sha256()
    for name in sorted(row):
        if name != "id":
            value = row[name] if isinstance(row[name], str) else json.dumps(row[name], sort_keys=True)
            for part in (name, type(row[name]).__name__, value):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
