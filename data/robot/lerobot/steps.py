"""Where each episode's steps lie in the tables of a LeRobot dataset, and what these say of time and task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from data.robot import views
from data.robot.errors import Outside
from data.robot.folder import Folder, Unreadable
from data.robot.lerobot.metadata import Dataset, Row, table
from data.robot.records import Report

COLUMNS = ("episode_index", "frame_index", "timestamp", "task_index")


@dataclass(frozen=True)
class Steps:
    """The rows of one episode in a table."""

    first: int
    """Number of its first row."""
    count: int
    ordered: bool
    """Whether they lie together, in the order of the frames."""
    fps: float | None
    """Rows per second by their times; None: they have none."""
    grain: float
    """Share by which that rate can be off for the coarseness of the times."""
    tasks: tuple[int, ...]
    """Numbers of the tasks in the order in which they come."""


class Tables:
    """The tables of steps; each is read once."""

    def __init__(self, folder: Folder, known: Dataset) -> None:
        self._folder, self._known = folder, known
        self._read: dict[str, dict[int, Steps] | None] = {}

    def of(self, row: Row) -> dict[int, Steps] | None:
        """Episode → its steps, of the table that the metadata name for an episode; None where it cannot be read."""
        try:
            file = self._known.data_file(row)
        except Unreadable:
            return None
        if file not in self._read:
            self._read[file] = self._steps(file)
        return self._read[file]

    def _steps(self, file: str) -> dict[int, Steps] | None:
        try:
            read = table(self._folder, file, COLUMNS)
        except (Outside, Unreadable):
            return None
        if "episode_index" not in read.column_names:
            return None
        episodes = _whole(read["episode_index"])
        frames = _whole(read["frame_index"]) if "frame_index" in read.column_names else None
        times = _times(read["timestamp"]) if "timestamp" in read.column_names else None
        tasks = _whole(read["task_index"]) if "task_index" in read.column_names else None
        edges = [0, *(np.flatnonzero(np.diff(episodes)) + 1).tolist(), len(episodes)] if len(episodes) else [0]
        runs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for start, end in pairwise(edges):
            runs[int(episodes[start])].append((start, end))
        found = {}
        for index, parts in runs.items():
            start, end = parts[0]
            ordered = len(parts) == 1 and (frames is None or bool((np.diff(frames[start:end]) > 0).all()))
            fps, grain = _rate(times[start:end]) if times is not None else (None, 0.0)
            order = tuple(dict.fromkeys(tasks[start:end].tolist())) if tasks is not None else ()
            found[index] = Steps(start, sum(b - a for a, b in parts), ordered, fps, grain, order)
        return found


def _whole(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Whole numbers; −1 where there is none."""
    if pa.types.is_integer(column.type) and not column.null_count:
        return np.asarray(column.to_numpy()).astype(np.int64)
    return np.array([value if isinstance(value, int) and abs(value) < 2**62 else -1 for value in column.to_pylist()], np.int64)


def _times(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    if not pa.types.is_floating(column.type) or column.null_count:
        return None
    return np.asarray(column.to_numpy()).astype(np.float64)


def _rate(times: NDArray[np.float64]) -> tuple[float | None, float]:
    """Rows per second by the times of an episode's rows, and the share by which these can be off: they are kept in 32 bits."""
    if len(times) < 2 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        return None, 0.0
    span = float(times[-1] - times[0])
    return round((len(times) - 1) / span, 4), 2 * float(np.spacing(np.float32(np.abs(times).max()))) / span


def check(folder: Folder, known: Dataset, rows: Sequence[Row], tables: Tables, report: Report) -> None:
    """Hold the episodes' lengths and places to the tables of their steps. Videos do not need these: faults are only named."""
    if not folder.folders("data"):
        return
    if known.version == 2:
        for row in rows:
            count = sum(steps.count for steps in (tables.of(row) or {}).values())
            if count != row.length:
                what = f"Its table has {count} rows, its length is another."
                report.add("contradiction", f"episode {row.index}", what, "the video used")
        return
    stale: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.rows is not None and row.rows[1] - row.rows[0] != row.length:
            stale["have another number of rows (dataset_from_index to dataset_to_index) than their length"].append(row.index)
        if row.data is None:
            continue
        inside = tables.of(row)
        if inside is None:
            stale["point to a data file that is not there or cannot be read"].append(row.index)
        elif row.index not in inside:
            stale["point to a data file that does not hold them"].append(row.index)
        elif inside[row.index].count != row.length:
            stale["have another number of rows in their data file than their length"].append(row.index)
    for words, indices in stale.items():
        report.add("contradiction", "meta/episodes", f"Episodes {views.numbers(indices)} {words}.", "videos are not concerned; imported")
