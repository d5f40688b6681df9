"""Finding and reading released files: rows, summary lists, and what is neither. Nothing here raises for bad input."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from data.foreign import Unreadable, file_bytes, json_value
from data.names import printed

MAX_BYTES = 32 * 1024 * 1024
"""Largest file read; the largest released row has 0.84 MB."""


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
        entry = _read(path, printed(path.name))
        yield entry
        if isinstance(entry, SummaryFile):
            yield from _listed(path.parent, entry, seen)


def _listed(folder: Path, summary: SummaryFile, seen: set[str]) -> Iterator[RawRow | Rejection | SummaryFile]:
    for i, name in enumerate(summary.rows):
        if reason := _unsafe(name):
            yield Rejection(summary.file, f"json_paths[{i}]", reason)
        elif _first_time(folder / name, seen):
            entry = _read(folder / name, printed(name))
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
    return printed(file.relative_to(folder).as_posix())


def _read(file: Path, name: str) -> RawRow | Rejection | SummaryFile:
    try:
        # Half a surrogate pair is named by its field, later.
        value = json_value(file_bytes(file, MAX_BYTES), halves="keep", only_utf8=True)
    except Unreadable as error:
        return Rejection(name, "", error.reason)
    if not isinstance(value, dict):
        return Rejection(name, "", f"Is no row: the file holds a {_kind(value)}, a row is an object.")
    if "json_paths" in value and "metadata_json" not in value:
        listed = value["json_paths"]
        if not isinstance(listed, list) or not all(isinstance(n, str) for n in listed):
            return Rejection(name, "json_paths", "A summary list must hold a list of file names.")
        return SummaryFile(name, tuple(listed))
    return RawRow(name, value)


def _kind(value: Any) -> str:
    return {list: "list", str: "text", bool: "true/false", type(None): "null"}.get(type(value), "number")


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
