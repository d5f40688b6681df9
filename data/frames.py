"""Rendered frames as files, addressed by what they show: ``frames/<aa>/<pixel hash>.webp``.

Half-written files lie in a folder of their own, ``frames/tmp``, so that nobody has to read the folders of frames to find them.
A frame is on disk, whole and under its final name, before the row that names it is committed (file fsynced, renamed, directory
fsynced; also when the file was there already, since another writer may not have synced the directory yet).
"""

from __future__ import annotations

import errno
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import UnidentifiedImageError
from sqlite_utils import Database

from data.files import sync_folder, write_whole
from data.store import HASH, Store, StoreError, now, os_error
from sim_bridge import encoding
from sim_bridge.encoding import MEDIA_TYPE
from sim_bridge.spec import Frame

_BROKEN = (errno.EIO, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ELOOP)
"""What the system says of a file that it cannot read; other errors, such as too many open files, pass."""
STALE_TMP_S = 60.0
"""A half-written file this old (seconds) belongs to no living writer."""


class FrameDamaged(StoreError):
    """A frame file is missing or not what was stored."""

    code = "frame_damaged"
    public = "A view is missing or was changed on the server, so it cannot be shown. What you did is kept; tell whoever runs this study."

    def __init__(self, message: str, what: str = "changed") -> None:
        """
        Args:
            message: for whoever runs the program: which file, and what to do.
            what: ``missing``, ``changed`` (other bytes than were stored), ``unreadable`` or ``unknown`` (no row names it).
        """
        super().__init__(message)
        self.what = what


@dataclass(frozen=True)
class FrameRef:
    """A kept frame: what the store's `frames` table holds of it."""

    pixel_hash: str
    """SHA-256 of shape and raw RGB: the identity."""
    file_hash: str
    """SHA-256 of the file's bytes: guards integrity."""
    media_type: str
    width: int
    height: int
    bytes: int

    def record(self, db: Database) -> None:
        """Write the row of this frame; part of the caller's transaction."""
        db.execute(
            "INSERT INTO frames (pixel_hash, file_hash, media_type, width, height, bytes, created_at) VALUES (?,?,?,?,?,?,?) "
            "ON CONFLICT (pixel_hash) DO UPDATE SET file_hash = excluded.file_hash, bytes = excluded.bytes "
            "WHERE file_hash <> excluded.file_hash",
            [self.pixel_hash, self.file_hash, self.media_type, self.width, self.height, self.bytes, now()],
        )


class FrameStore:
    """A folder of frames. Safe to use from many threads and processes."""

    def __init__(self, root: Path, *, reading: bool = False) -> None:
        """Use `root` (a home's ``frames``); half-written files of dead writers are swept away, unless it is only `reading`.

        Raises:
            StoreError: the folder cannot be made.
        """
        self.root = root
        if reading:
            return
        try:
            self.half.mkdir(parents=True, exist_ok=True)
            self.sweep()
        except OSError as error:
            raise os_error(error, f"use the frame folder {root}") from error

    @property
    def half(self) -> Path:
        """Where files lie while they are written."""
        return self.root / "tmp"

    def sweep(self) -> int:
        """Delete half-written files older than a minute; returns how many. Reads their folder alone."""
        before, count = time.time() - STALE_TMP_S, 0
        for path in self.half.glob("*.tmp"):
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
                    count += 1
            except FileNotFoundError:
                continue
        return count

    def path(self, pixel_hash: str) -> Path:
        """Where the frame lies (or would).

        Raises:
            StoreError: not a pixel hash.
        """
        if not HASH.match(pixel_hash):
            raise StoreError(f"A frame is named by 64 hexadecimal digits, got {pixel_hash[:80]!r}.")
        return self.root / pixel_hash[:2] / f"{pixel_hash}.webp"

    def put(self, frame: Frame) -> FrameRef:
        """Keep a frame; on return it is on disk.

        Returns:
            Its reference; `FrameRef.record` writes the row.

        Raises:
            StorageFull: no room; nothing was kept.
            StoreError: not a lossless WebP frame, or the folder cannot be written.
        """
        if frame.media_type != MEDIA_TYPE:
            raise StoreError(f"Frames are kept as {MEDIA_TYPE}, got {frame.media_type!r} from the simulator.")
        path = self.path(frame.pixel_hash)
        data = frame.data
        try:
            kept = _existing(path, frame)
            if kept is None:
                write_whole(path, data, self.half)
            else:
                data = kept
            sync_folder(path.parent)
        except OSError as error:
            raise os_error(error, f"keep a frame in {self.root}") from error
        file_hash = hashlib.sha256(data).hexdigest()
        return FrameRef(frame.pixel_hash, file_hash, frame.media_type, frame.width, frame.height, len(data))

    def read(self, pixel_hash: str, file_hash: str) -> bytes:
        """The file's bytes, which are those that were stored.

        Args:
            pixel_hash: the frame.
            file_hash: what the store says of its bytes; `kept` looks it up.

        Raises:
            FrameDamaged: missing, or other bytes than were stored.
        """
        path = self.path(pixel_hash)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            advice = "Restore it from a backup; `vantage doctor --all` counts the others."
            raise FrameDamaged(f"The frame file {path} is missing. {advice}", "missing") from None
        except OSError as error:
            if error.errno in _BROKEN:
                said = f"The frame file {path} cannot be read: {error.strerror}. Restore it from a backup."
                raise FrameDamaged(said, "unreadable") from error
            raise os_error(error, f"read the frame {path}") from error
        if hashlib.sha256(data).hexdigest() != file_hash:
            raise FrameDamaged(f"The frame file {path} was changed after it was stored. Restore it from a backup.")
        return data

    def kept(self, store: Store, pixel_hash: str) -> bytes:
        """The bytes of a frame as the store knows it: the one way to read a frame whose file hash is not at hand.

        Raises:
            FrameDamaged: missing, other bytes than were stored, or unknown to the store.
        """
        row = store.one("SELECT file_hash FROM frames WHERE pixel_hash = ?", [pixel_hash])
        if row is None:
            raise FrameDamaged(f"No row of {store.home.db} names the frame {pixel_hash[:80]!r}: restore a backup.", "unknown")
        return self.read(pixel_hash, row["file_hash"])


def decode(data: bytes) -> np.ndarray:
    """Pixels of an encoded frame: shape (H, W, 3), uint8, RGB.

    Raises:
        FrameDamaged: not an image.
    """
    try:
        return encoding.decode_frame(data)
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise FrameDamaged(f"A frame cannot be decoded: {error}.") from error


def pixel_hash_of(data: bytes) -> str:
    """The pixel hash of an encoded frame, computed from its pixels (`sim_bridge.spec.Frame.pixel_hash`)."""
    return encoding.pixel_hash(decode(data))


def _existing(path: Path, frame: Frame) -> bytes | None:
    """Bytes of the kept file when it shows the frame's pixels; None when it must be written (absent or damaged)."""
    try:
        kept = path.read_bytes()
    except FileNotFoundError:
        return None
    if kept == frame.data:
        return kept
    try:
        return kept if pixel_hash_of(kept) == frame.pixel_hash else None
    except FrameDamaged:
        return None
