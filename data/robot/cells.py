"""Images inside Parquet tables: as the data sets of Hugging Face keep them, a cell holds the file's bytes, or the path of a file."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.robot.errors import BadImage, RobotError
from data.robot.folder import Folder, Unreadable
from data.robot.images import MAX_BYTES, Picture, picture

BATCH_ROWS = 64
"""Rows decoded at a time: 64 images of 640×480 are some 30 MB."""
CACHED = 48
"""Pictures kept, as those of videos."""


def cells(folder: Folder, file: str, column: str, first: int) -> Iterator[Any]:
    """The values of a column from a row on; row groups before it are not read.

    Raises:
        Outside, Unreadable: the table cannot be read, or has no such column.
    """
    path = folder.path(file)
    if not path.is_file():
        raise Unreadable(f"{file} is not there.")
    try:
        with pq.ParquetFile(path) as parquet:
            if column not in parquet.schema_arrow.names:
                raise Unreadable(f"{file} has no column {column}.")
            passed = 0
            for group in range(parquet.num_row_groups):
                rows = parquet.metadata.row_group(group).num_rows
                if passed + rows <= first:
                    passed += rows
                    continue
                for batch in parquet.iter_batches(BATCH_ROWS, row_groups=[group], columns=[column]):
                    if passed + len(batch) > first:
                        yield from batch.column(column).slice(max(0, first - passed)).to_pylist()
                    passed += len(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"{file} is no Parquet file that can be read: {' '.join(str(error).split())[:200]}.") from None


def decoded(folder: Folder, value: Any, what: str) -> Picture:
    """The picture of a cell, wholly decoded.

    Args:
        folder: the source; a cell may hold a path in it.
        value: the cell: bytes, a path, or a mapping of both (``bytes``, ``path``).
        what: how a message calls it.

    Raises:
        BadImage, Outside, Unreadable: it is no image that can serve; the message is a sentence.
    """
    if isinstance(value, dict):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, str):
        return picture(folder.read(value, MAX_BYTES), what)
    if isinstance(value, bytes):
        return picture(value, what)
    raise BadImage(f"{what} is empty." if value is None else f"{what} is no image, but a {type(value).__name__}.")


class Column:
    """One column of images, read from front to back as an import needs it."""

    def __init__(self, folder: Folder, file: str, column: str) -> None:
        self._place = folder, file, column
        self._next = 0
        self._values = cells(*self._place, 0)
        self.what = f"{file}: {column}"

    def rows(self, first: int, count: int) -> Iterator[Picture | RobotError]:
        """The pictures of some rows, or why there is none.

        Raises:
            Outside, Unreadable: the table cannot be read.
        """
        folder, file, column = self._place
        if first != self._next:
            self._values, self._next = cells(folder, file, column, first), first
        for value in self._values:
            number, self._next = self._next, self._next + 1
            try:
                yield decoded(folder, value, f"{self.what}, row {number}")
            except RobotError as error:
                yield error
            if self._next == first + count:
                return


_kept: OrderedDict[tuple[Path, int, int, str, int], Picture] = OrderedDict()
_lock = threading.Lock()


def still(folder: Folder, file: str, column: str, row: int) -> Picture:
    """One image.

    Args:
        folder: the source.
        file: path of the table.
        column: its column.
        row: number of the row in the table.

    Raises:
        RobotError: it is not there, or cannot serve.
    """
    path = folder.path(file)
    try:
        status = path.stat()
    except OSError as error:
        raise Unreadable(f"{file} is not there: {error.strerror or error}.") from None
    key = (path, status.st_mtime_ns, status.st_size, column, row)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    value = next(cells(folder, file, column, row), None)
    found = decoded(folder, value, f"{file}: {column}, row {row}")
    with _lock:
        _kept[key] = found
        while len(_kept) > CACHED:
            _kept.popitem(last=False)
    return found
