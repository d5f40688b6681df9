"""What a LeRobot dataset says of itself: its features, its episodes, its tasks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from data import foreign, names
from data.robot.errors import Outside
from data.robot.folder import Folder, Unreadable, unreadable
from data.robot.records import Report, clean

INFO = "meta/info.json"
VIDEO_PATHS = {
    3: "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    2: "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
}
DATA_PATHS = {
    3: "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    2: "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
}
MAX_LINES = 512 * 1024 * 1024
"""Bytes of a JSON Lines file that is read."""
MAX_ROWS = 20_000_000
"""Longer tables are not read."""
_FIELD = re.compile(r"\{(\w+)(?::0?(\d{1,2})d)?\}")


@dataclass(frozen=True)
class CameraFeature:
    """One camera of a dataset."""

    kind: Literal["video", "image"]
    """``image``: its frames lie inside the tables of steps."""
    size: tuple[int, int] | None
    """Declared width and height, pixels."""
    fps: float | None
    """Declared for this camera; None: it does not say."""


@dataclass
class Dataset:
    """What the dataset says of itself."""

    version: int
    """3 or 2."""
    fps: float
    cameras: dict[str, CameraFeature]
    video_path: str
    data_path: str
    chunk: int
    info: Mapping[str, Any]

    def video_file(self, row: Row, camera: str) -> str:
        """Path of an episode's video.

        Raises:
            Unreadable: the metadata do not say where it is.
        """
        if self.version == 2:
            values: dict[str, int | str] = {"episode_chunk": row.index // self.chunk, "episode_index": row.index, "video_key": camera}
            return filled(self.video_path, values)
        if camera not in row.videos:
            raise Unreadable(f"The metadata do not say where its video of {camera} is.")
        chunk, number, _, _ = row.videos[camera]
        return filled(self.video_path, {"chunk_index": chunk, "file_index": number, "video_key": camera})

    def data_file(self, row: Row) -> str:
        """Path of the table with an episode's steps.

        Raises:
            Unreadable: the metadata do not say where it is.
        """
        if self.version == 2:
            return filled(self.data_path, {"episode_chunk": row.index // self.chunk, "episode_index": row.index})
        if row.data is None:
            raise Unreadable("The metadata do not say where its table is.")
        return filled(self.data_path, {"chunk_index": row.data[0], "file_index": row.data[1]})


@dataclass
class Row:
    """One episode of the metadata."""

    index: int
    length: int
    tasks: list[str] = field(default_factory=list)
    data: tuple[int, int] | None = None
    """v3: chunk and file of its rows."""
    rows: tuple[int, int] | None = None
    """v3: its rows in the whole dataset, from and to."""
    videos: dict[str, tuple[int, int, float, float]] = field(default_factory=dict)
    """v3: camera → chunk, file, from and to in seconds."""


def dataset(folder: Folder, report: Report) -> Dataset:
    """The features of a dataset.

    Raises:
        Unreadable: it is no dataset that is read; the message says why.
    """
    info = folder.json(INFO)
    if not isinstance(info, dict) or not isinstance(info.get("features"), dict):
        raise Unreadable(f"{INFO} holds no features.")
    said = str(info.get("codebase_version", ""))
    match = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.\d+)?", said)
    version = int(match[1]) if match else 0
    if version not in (2, 3):
        raise Unreadable(f"{INFO} says codebase_version {clean(said, 40)!r}; v3.0 and v2.1 are read.")
    fps = _rate(info.get("fps"))
    if fps is None:
        raise Unreadable(f"{INFO} says fps {clean(info.get('fps'), 40)}; a number above 0 is needed.")
    cameras: dict[str, CameraFeature] = {}
    for key, feature in info["features"].items():
        kind = feature.get("dtype") if isinstance(feature, dict) else None
        if kind not in ("video", "image"):
            continue
        if _is_depth(key, feature):
            report.add("unsupported", INFO, f"The camera {clean(key, 80)} is a depth camera.", "view left out")
            continue
        if why := names.fault(key):
            report.add("outside", INFO, f"The camera's name {clean(key, 80)!r} {why}.", "view left out")
            continue
        cameras[key] = CameraFeature(kind, _size(feature), _rate(_inner(feature).get("video.fps")))
    if not cameras:
        raise Unreadable(f"{INFO} names no camera with video or images.")
    chunk = info.get("chunks_size", 1000)
    return Dataset(
        version,
        fps,
        cameras,
        str(info.get("video_path") or VIDEO_PATHS[version]),
        str(info.get("data_path") or DATA_PATHS[version]),
        chunk if isinstance(chunk, int) and not isinstance(chunk, bool) and chunk > 0 else 1000,
        info,
    )


def _rate(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 < value <= 1000:
        return None
    return float(value)


def _is_depth(key: str, feature: Mapping[str, Any]) -> bool:
    inner = _inner(feature)
    return bool(inner.get("video.is_depth_map") or inner.get("is_depth_map")) or "depth" in key.lower()


def _inner(feature: Mapping[str, Any]) -> dict[str, Any]:
    return {**_dict(feature.get("info")), **_dict(feature.get("video_info"))}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _size(feature: Mapping[str, Any]) -> tuple[int, int] | None:
    """Declared width and height, where the feature's names say which is which."""
    shape, sides = feature.get("shape"), feature.get("names")
    if isinstance(shape, list) and isinstance(sides, list) and len(shape) == len(sides) and "height" in sides and "width" in sides:
        width, height = shape[sides.index("width")], shape[sides.index("height")]
        if isinstance(width, int) and isinstance(height, int):
            return width, height
    return None


def rows(folder: Folder, known: Dataset, report: Report) -> list[Row]:
    """The metadata's episodes in the order of their numbers, each once."""
    found: dict[int, Row] = {}
    for where, row in _rows_3(folder, known, report) if known.version == 3 else _rows_2(folder, report):
        if row.index in found:
            if row != found[row.index]:
                what = f"Episode {row.index} is there twice, with different content."
                report.add("contradiction", where, what, "the first one used")
            continue
        found[row.index] = row
    return [found[index] for index in sorted(found)]


def _rows_3(folder: Folder, known: Dataset, report: Report) -> Iterator[tuple[str, Row]]:
    files = [
        f"meta/episodes/{chunk}/{name}"
        for chunk in folder.folders("meta/episodes")
        for name in folder.files(f"meta/episodes/{chunk}")
        if name.endswith(".parquet")
    ]
    if not files:
        raise Unreadable("meta/episodes holds no Parquet file: the dataset has no episodes, or was not downloaded whole.")
    per_video = ("chunk_index", "file_index", "from_timestamp", "to_timestamp")
    wanted = ["episode_index", "length", "tasks", "data/chunk_index", "data/file_index", "dataset_from_index", "dataset_to_index"]
    wanted += [f"videos/{camera}/{name}" for camera in known.cameras for name in per_video]
    for file in files:
        try:
            read = table(folder, file, wanted)
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "its episodes left out")
            continue
        for value in read.to_pylist():
            index, length = _whole(value.get("episode_index")), _whole(value.get("length"))
            if index is None or length is None or length < 1:
                report.add("unreadable", file, "A row has no episode_index or no length.", "episode left out")
                continue
            row = Row(index, length, _texts(value.get("tasks")))
            row.data = _pair(value.get("data/chunk_index"), value.get("data/file_index"))
            row.rows = _pair(value.get("dataset_from_index"), value.get("dataset_to_index"))
            for camera in known.cameras:
                place = _pair(value.get(f"videos/{camera}/chunk_index"), value.get(f"videos/{camera}/file_index"))
                times = [value.get(f"videos/{camera}/{name}") for name in per_video[2:]]
                if place is not None and all(isinstance(t, int | float) and math.isfinite(t) for t in times):
                    row.videos[camera] = (*place, float(times[0]), float(times[1]))
            yield file, row


def _rows_2(folder: Folder, report: Report) -> Iterator[tuple[str, Row]]:
    file = "meta/episodes.jsonl"
    for number, value in _lines(folder, file, report):
        index, length = _whole(value.get("episode_index")), _whole(value.get("length"))
        if index is None or length is None or length < 1:
            report.add("unreadable", file, f"Line {number} has no episode_index or no length.", "episode left out")
            continue
        yield file, Row(index, length, _texts(value.get("tasks")))


def tasks_file(known: Dataset) -> str:
    """Path of the table of tasks."""
    return "meta/tasks.parquet" if known.version == 3 else "meta/tasks.jsonl"


def tasks(folder: Folder, known: Dataset, report: Report) -> dict[str, int | None] | None:
    """Task → its number; None where the table cannot be read."""
    file = tasks_file(known)
    try:
        if known.version == 2:
            listed = [value for _, value in _lines(folder, file, report) if isinstance(value.get("task"), str)]
            return {clean(value["task"]): _whole(value.get("task_index")) for value in listed}
        read = table(folder, file, ["task", "__index_level_0__", "task_index"])
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "the episodes' own words used")
        return None
    found: dict[str, int | None] = {}
    for value in read.to_pylist():
        for text in value.values():
            if isinstance(text, str):
                found.setdefault(clean(text), _whole(value.get("task_index")))
    return found


def _lines(folder: Folder, file: str, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers."""
    try:
        text = foreign.decoded(folder.read(file, MAX_LINES), only_utf8=True).text
    except foreign.Unreadable as error:
        raise unreadable(file, error) from None
    for number, value in foreign.json_lines(text, nan="null", halves="keep"):
        if isinstance(value, dict):
            yield number, value
        else:
            report.add("unreadable", file, f"Line {number} is no JSON object.", "line left out")


def table(folder: Folder, file: str, columns: Sequence[str]) -> pa.Table:
    """Those of some columns that a Parquet file has.

    Raises:
        Outside, Unreadable: it cannot be read.
    """
    path = folder.path(file)
    if not path.is_file():
        raise Unreadable(f"{file} is not there.")
    try:
        with pq.ParquetFile(path) as parquet:
            if parquet.metadata.num_rows > MAX_ROWS:
                raise Unreadable(f"{file} has {parquet.metadata.num_rows:,} rows, at most {MAX_ROWS:,} are read.")
            there = set(parquet.schema_arrow.names)
            read = parquet.read(columns=[name for name in columns if name in there])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"{file} is no Parquet file that can be read: {clean(error, 200)}.") from None
    folder.use(file)
    return read


def filled(template: str, values: Mapping[str, int | str]) -> str:
    """A path template with its fields filled in; only plain fields and zero-padded numbers are known.

    Raises:
        Unreadable: it names another field.
    """

    def put(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise Unreadable(f"{INFO}: the path {clean(template, 120)!r} has the unknown field {match[1]!r}.")
        value = values[match[1]]
        return f"{value:0{int(match[2])}d}" if match[2] and isinstance(value, int) else str(value)

    path = _FIELD.sub(put, template)
    if "{" in _FIELD.sub("", template) or "}" in _FIELD.sub("", template):
        raise Unreadable(f"{INFO}: the path {clean(template, 120)!r} cannot be filled in.")
    return path


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or int(value) != value or not 0 <= value < 2**31:
        return None
    return int(value)


def _pair(one: Any, other: Any) -> tuple[int, int] | None:
    first, second = _whole(one), _whole(other)
    return None if first is None or second is None else (first, second)


def _texts(value: Any) -> list[str]:
    return [clean(text) for text in value if isinstance(text, str)] if isinstance(value, list) else []
