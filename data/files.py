"""Files and folders that are either whole under their name or not there."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PIECE = 1 << 20
"""Bytes read at a time."""


def write_whole(path: Path, data: bytes, half: Path | None = None) -> None:
    """Write `data` under `path` at once or not at all. `sync_folder` of its folder makes the name durable too.

    Args:
        path: the file.
        data: its bytes.
        half: folder of the half-written file, on the same disk; None: the file's own.
    """
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        sync_folder(path.parent.parent)
    temporary = (half or path.parent) / f"{path.stem[:16]}-{secrets.token_hex(6)}.tmp"
    try:
        with temporary.open("wb", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def copied(source: Path, target: Path, *, durable: bool = False) -> tuple[int, str]:
    """Copy a file's bytes, into a folder that is made where it is not there.

    Args:
        source: what is read.
        target: what is written, whole or not.
        durable: whether it is on disk on return.

    Returns:
        (size in bytes, SHA-256) of what was read.
    """
    seen, size = hashlib.sha256(), 0
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with source.open("rb") as file, target.open("wb") as out:
        while piece := file.read(PIECE):
            out.write(piece)
            seen.update(piece)
            size += len(piece)
        if durable:
            out.flush()
            os.fsync(out.fileno())
    return size, seen.hexdigest()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_folder(out: Path, write: Callable[[Path], T]) -> T:
    """Let `write` fill a new folder, then put it in the place of `out`. What was there stays until then, and where it fails."""
    partial = out.with_name(f".{out.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.mkdir(parents=True)
        result = write(partial)
        old = None
        if out.exists():
            old = out.with_name(f".{out.name}.{secrets.token_hex(4)}.old")
            out.rename(old)
        try:
            partial.rename(out)
        except OSError:
            if old is not None:
                old.rename(out)
            raise
        if old is not None:
            shutil.rmtree(old)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return result
