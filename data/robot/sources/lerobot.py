"""LeRobot datasets v3.0 (many episodes per file) and v2.1 (one file per episode): tables in Parquet, one video per camera.

v3.0 says per episode and camera which file and which seconds of it are the episode's; published sets contradict themselves here and
there (tasks that no table knows, stale file numbers after a conversion, lengths that differ from the seconds), so every statement is held
to the others and to the videos.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data import names
from data.robot import video, views
from data.robot.errors import BadVideo, Outside
from data.robot.folder import Folder, Unreadable
from data.robot.records import VIEWS, Arm, EpisodeRecord, Report, ViewRecord, clean
from data.robot.sources.base import Source
from data.robot.views import Options

INFO = "meta/info.json"
VIDEO_PATHS = {
    3: "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    2: "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
}
DATA_PATHS = {
    3: "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    2: "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
}
MAX_ROWS = 20_000_000
"""Longer tables are not read."""
_FIELD = re.compile(r"\{(\w+)(?::0?(\d{1,2})d)?\}")
_SIDES = ("wrist", "hand", "gripper", "arm")
_HEADS = ("head", "high", "top", "center", "front", "main", "ego", "base")


def found(folder: Folder) -> bool:
    """Whether this is such a folder."""
    return folder.has(INFO)


@dataclass
class _Set:
    """What the dataset says of itself."""

    version: int
    """3 or 2."""
    fps: float
    cameras: dict[str, tuple[int, int] | None]
    """Camera → declared width and height."""
    video_path: str
    data_path: str
    chunk: int
    info: Mapping[str, Any]


@dataclass
class _Row:
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


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their numbers."""
    views.strays(folder, "", report)
    known = _set(folder, report)
    arm, mapping = assign(list(known.cameras), options.cameras)
    if unused := [camera for camera in known.cameras if camera not in mapping]:
        what = f"More cameras than a moment shows; not used: {', '.join(unused)}."
        report.add("unsupported", INFO, what, "imported without them (choose others with --view)")
    rows = _rows(folder, known, report)
    _totals(folder, known, rows, report)
    _data(folder, known, rows, report)
    spoilt = _overlaps(known, rows, report) if known.version == 3 else set()
    for row in rows:
        report.seen += 1
        there: dict[str, ViewRecord] = {}
        for camera, view in mapping.items():
            if (row.index, camera) in spoilt:
                continue
            record = _view(folder, known, row, camera, report, options)
            if record is not None:
                there[view] = record
        key = f"{row.index:06d}"
        made = views.episode(
            folder,
            key,
            arm,
            there,
            report,
            where=f"episode {row.index}",
            task="; ".join(row.tasks),
            fps=known.fps,
            whole_files=known.version == 2,
        )
        if made is not None:
            yield made


def assign(cameras: Sequence[str], chosen: Mapping[str, str]) -> tuple[Arm, dict[str, str]]:
    """Which view each camera is.

    Args:
        cameras: keys of the dataset, as ``observation.images.cam_left_wrist``.
        chosen: camera (key, or its last part) → view, from whoever imports; then no other camera is used.

    Returns:
        The arm, and camera → view. Two cameras that are a left and a right wrist, hand or gripper, with one that looks from above or in
        front, are a dual arm robot; else the first four are the views of a single arm.
    """
    if chosen:
        mapping = {}
        for name, view in chosen.items():
            matching = [c for c in cameras if c == name or _short(c) == name]
            if not matching:
                raise Unreadable(f"{INFO} has no camera {name!r}; there: {', '.join(map(_short, cameras)) or 'none'}.")
            mapping[matching[0]] = view
        return ("dual" if any(view in VIEWS["dual"] for view in mapping.values()) else "single"), mapping
    sides = {
        side: [c for c in cameras if side in _short(c).lower() and any(word in _short(c).lower() for word in _SIDES)]
        for side in ("left", "right")
    }
    others = [c for c in cameras if c not in sides["left"] + sides["right"]]
    heads = sorted(
        (c for c in others if any(word in _short(c).lower() for word in _HEADS)),
        key=lambda c: next(k for k, word in enumerate(_HEADS) if word in _short(c).lower()),
    )
    if sides["left"] and sides["right"] and heads:
        return "dual", {sides["left"][0]: "left-gripper", heads[0]: "head", sides["right"][0]: "right-gripper"}
    return "single", dict(zip(cameras, VIEWS["single"], strict=False))


def _short(camera: str) -> str:
    return camera.rpartition(".")[2]


# metadata


def _set(folder: Folder, report: Report) -> _Set:
    info = folder.json(INFO)
    if not isinstance(info, dict) or not isinstance(info.get("features"), dict):
        raise Unreadable(f"{INFO} holds no features.")
    said = str(info.get("codebase_version", ""))
    match = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.\d+)?", said)
    version = int(match[1]) if match else 0
    if version not in (2, 3):
        raise Unreadable(f"{INFO} says codebase_version {clean(said, 40)!r}; v3.0 and v2.1 are read.")
    fps = info.get("fps")
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not math.isfinite(fps) or not 0 < fps <= 1000:
        raise Unreadable(f"{INFO} says fps {clean(fps, 40)}; a number above 0 is needed.")
    cameras: dict[str, tuple[int, int] | None] = {}
    stored = 0
    for key, feature in info["features"].items():
        kind = feature.get("dtype") if isinstance(feature, dict) else None
        if kind == "image":
            stored += 1
            what = f"The camera {key} is stored inside the tables, not as video."
            report.add("unsupported", INFO, what, "view left out (convert it to videos with LeRobot's tools)")
        if kind != "video" or _is_depth(key, feature):
            continue
        if why := names.fault(key):
            report.add("outside", INFO, f"The camera's name {clean(key, 80)!r} {why}.", "view left out")
            continue
        cameras[key] = _size(feature)
    if not cameras:
        also = f" {stored} are stored as images inside the tables: convert them to videos with LeRobot's tools." if stored else ""
        raise Unreadable(f"{INFO} names no camera with video.{also}")
    chunk = info.get("chunks_size", 1000)
    return _Set(
        version,
        float(fps),
        cameras,
        str(info.get("video_path") or VIDEO_PATHS[version]),
        str(info.get("data_path") or DATA_PATHS[version]),
        chunk if isinstance(chunk, int) and not isinstance(chunk, bool) and chunk > 0 else 1000,
        info,
    )


def _is_depth(key: str, feature: Mapping[str, Any]) -> bool:
    inner = {**_dict(feature.get("info")), **_dict(feature.get("video_info"))}
    return bool(inner.get("video.is_depth_map") or inner.get("is_depth_map")) or "depth" in key.lower()


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _size(feature: Mapping[str, Any]) -> tuple[int, int] | None:
    """Declared width and height, where the feature's names say which is which."""
    shape, names = feature.get("shape"), feature.get("names")
    if isinstance(shape, list) and isinstance(names, list) and len(shape) == len(names) and "height" in names and "width" in names:
        width, height = shape[names.index("width")], shape[names.index("height")]
        if isinstance(width, int) and isinstance(height, int):
            return width, height
    return None


def _rows(folder: Folder, known: _Set, report: Report) -> list[_Row]:
    """The metadata's episodes in the order of their numbers, each once."""
    found: dict[int, _Row] = {}
    source = _rows_3(folder, known, report) if known.version == 3 else _rows_2(folder, report)
    for where, row in source:
        if row.index in found:
            if row != found[row.index]:
                what = f"Episode {row.index} is there twice, with different content."
                report.add("contradiction", where, what, "the first one used")
            continue
        found[row.index] = row
    return [found[index] for index in sorted(found)]


def _rows_3(folder: Folder, known: _Set, report: Report) -> Iterator[tuple[str, _Row]]:
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
            table = _table(folder, file, wanted)
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "its episodes left out")
            continue
        for value in table.to_pylist():
            index, length = _whole(value.get("episode_index")), _whole(value.get("length"))
            if index is None or length is None or length < 1:
                report.add("unreadable", file, "A row has no episode_index or no length.", "episode left out")
                continue
            row = _Row(index, length, _texts(value.get("tasks")))
            row.data = _pair(value.get("data/chunk_index"), value.get("data/file_index"))
            row.rows = _pair(value.get("dataset_from_index"), value.get("dataset_to_index"))
            for camera in known.cameras:
                place = _pair(value.get(f"videos/{camera}/chunk_index"), value.get(f"videos/{camera}/file_index"))
                times = [value.get(f"videos/{camera}/{name}") for name in per_video[2:]]
                if place is not None and all(isinstance(t, int | float) and math.isfinite(t) for t in times):
                    row.videos[camera] = (*place, float(times[0]), float(times[1]))
            yield file, row


def _rows_2(folder: Folder, report: Report) -> Iterator[tuple[str, _Row]]:
    file = "meta/episodes.jsonl"
    for number, value in _lines(folder, file, report):
        index, length = _whole(value.get("episode_index")), _whole(value.get("length"))
        if index is None or length is None or length < 1:
            report.add("unreadable", file, f"Line {number} has no episode_index or no length.", "episode left out")
            continue
        yield file, _Row(index, length, _texts(value.get("tasks")))


def _lines(folder: Folder, file: str, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers."""
    text = folder.read(file, 512 * 1024 * 1024).decode("utf-8-sig", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield number, value
        else:
            report.add("unreadable", file, f"Line {number} is no JSON object.", "line left out")


def _table(folder: Folder, file: str, columns: Sequence[str]) -> pa.Table:
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
            table = parquet.read(columns=[name for name in columns if name in there])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"{file} is no Parquet file that can be read: {clean(error, 200)}.") from None
    folder.use(file)
    return table


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or int(value) != value or not 0 <= value < 2**31:
        return None
    return int(value)


def _pair(one: Any, other: Any) -> tuple[int, int] | None:
    first, second = _whole(one), _whole(other)
    return None if first is None or second is None else (first, second)


def _texts(value: Any) -> list[str]:
    return [clean(text) for text in value if isinstance(text, str)] if isinstance(value, list) else []


# holding statements to each other


def _totals(folder: Folder, known: _Set, rows: Sequence[_Row], report: Report) -> None:
    there = {"total_episodes": len(rows), "total_frames": sum(row.length for row in rows)}
    for name, count in there.items():
        said = known.info.get(name)
        if said is not None and said != count:
            what = f"{INFO} says {name} {clean(said, 40)}, the episodes' metadata make {count}."
            report.add("contradiction", INFO, what, "the episodes' metadata used")
    tasks = _tasks(folder, known, report)
    if tasks is None:
        return
    said = known.info.get("total_tasks")
    if said is not None and said != len(tasks):
        report.add("contradiction", INFO, f"{INFO} says total_tasks {clean(said, 40)}, the table of tasks has {len(tasks)}.", "not used")
    strangers = [row for row in rows if any(task not in tasks for task in row.tasks)]
    if strangers:
        example = next(task for task in strangers[0].tasks if task not in tasks)
        numbers = views.numbers(row.index for row in strangers)
        what = f"{len(strangers)} of {len(rows)} episodes ({numbers}) name a task that the table of tasks lacks, as “{clean(example, 80)}”."
        report.add("contradiction", _tasks_file(known), what, "the episodes' own words used")
    if silent := [row.index for row in rows if not row.tasks]:
        report.add("labels", "meta", f"Episodes {views.numbers(silent)} name no task.", "imported without")


def _tasks_file(known: _Set) -> str:
    return "meta/tasks.parquet" if known.version == 3 else "meta/tasks.jsonl"


def _tasks(folder: Folder, known: _Set, report: Report) -> set[str] | None:
    file = _tasks_file(known)
    try:
        if known.version == 2:
            return {clean(value.get("task")) for _, value in _lines(folder, file, report) if isinstance(value.get("task"), str)}
        table = _table(folder, file, ["task", "__index_level_0__"])
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "the episodes' own words used")
        return None
    return {clean(text) for column in table.columns for text in column.to_pylist() if isinstance(text, str)}


def _data(folder: Folder, known: _Set, rows: Sequence[_Row], report: Report) -> None:
    """Hold the episodes' lengths and places to the tables of their steps. The tables are not needed for images: faults are only named."""
    if not folder.folders("data"):
        return
    if known.version == 2:
        wrong = [(row.index, count) for row in rows if (count := _count(folder, known, row)) not in (None, row.length)]
        for index, count in wrong[:20]:
            report.add("contradiction", f"episode {index}", f"Its table has {count} rows, its length is another.", "the video used")
        return
    counted: dict[tuple[int, int], Counter[int] | None] = {}
    stale: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.rows is not None and row.rows[1] - row.rows[0] != row.length:
            stale["have another number of rows (dataset_from_index to dataset_to_index) than their length"].append(row.index)
        if row.data is None:
            continue
        if row.data not in counted:
            counted[row.data] = _in_file(folder, known, row.data)
        inside = counted[row.data]
        if inside is None:
            stale["point to a data file that is not there or cannot be read"].append(row.index)
        elif row.index not in inside:
            stale["point to a data file that does not hold them"].append(row.index)
        elif inside[row.index] != row.length:
            stale["have another number of rows in their data file than their length"].append(row.index)
    for words, indices in stale.items():
        report.add("contradiction", "meta/episodes", f"Episodes {views.numbers(indices)} {words}.", "images are not concerned; imported")


def _count(folder: Folder, known: _Set, row: _Row) -> int | None:
    try:
        file = filled(known.data_path, {"episode_chunk": row.index // known.chunk, "episode_index": row.index})
        return _table(folder, file, ["episode_index"]).num_rows
    except (Outside, Unreadable):
        return 0


def _in_file(folder: Folder, known: _Set, place: tuple[int, int]) -> Counter[int] | None:
    """Episode → its rows in a data file."""
    try:
        table = _table(folder, filled(known.data_path, {"chunk_index": place[0], "file_index": place[1]}), ["episode_index"])
    except (Outside, Unreadable):
        return None
    return Counter(value for value in table.column(0).to_pylist() if isinstance(value, int)) if table.num_columns else None


def _overlaps(known: _Set, rows: Sequence[_Row], report: Report) -> set[tuple[int, str]]:
    """(episode, camera) whose seconds of a video are another episode's too: which of them is right cannot be told."""
    spoilt: set[tuple[int, str]] = set()
    half = 0.5 / known.fps
    for camera in known.cameras:
        placed = sorted((row.videos[camera][:2], row.videos[camera][2:], row.index) for row in rows if camera in row.videos)
        longest: tuple[tuple[int, int], float, int] | None = None
        for file, (start, end), index in placed:
            if longest is not None and longest[0] == file and start < longest[1] - half:
                what = f"The episodes {longest[2]} and {index} claim the same seconds of {camera}: file numbers or times are stale."
                report.add("contradiction", f"episode {index}", what, "view left out of both")
                spoilt |= {(longest[2], camera), (index, camera)}
            if longest is None or longest[0] != file or end > longest[1]:
                longest = (file, end, index)
    return spoilt


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
    if "{" in path or "}" in path:
        raise Unreadable(f"{INFO}: the path {clean(template, 120)!r} cannot be filled in.")
    return path


# one camera of one episode


def _view(folder: Folder, known: _Set, row: _Row, camera: str, report: Report, options: Options) -> ViewRecord | None:
    where = f"episode {row.index}"
    try:
        if known.version == 2:
            values: dict[str, int | str] = {"episode_chunk": row.index // known.chunk, "episode_index": row.index, "video_key": camera}
            file, first, count = filled(known.video_path, values), 0, None
            facts = _facts(folder, file)
            if facts.frames != row.length:
                what = f"Its length is {row.length}, {file} has {facts.frames} frames."
                report.add("contradiction", where, what, "the frames of the video imported")
        else:
            if camera not in row.videos:
                raise Unreadable(f"The metadata do not say where its video of {camera} is.")
            chunk, number, start, end = row.videos[camera]
            file = filled(known.video_path, {"chunk_index": chunk, "file_index": number, "video_key": camera})
            facts = _facts(folder, file)
            first, count = _stretch(facts, known.fps, row.length, start, end, file), row.length
    except (Outside, Unreadable, BadVideo) as error:
        fault = "outside" if isinstance(error, Outside) else "unreadable" if isinstance(error, BadVideo) else "contradiction"
        report.add(fault, where, str(error), f"{camera} left out")
        return None
    if (size := known.cameras[camera]) is not None and size != (facts.width, facts.height):
        what = f"{INFO} says that {camera} has {size[0]}×{size[1]} pixels, {file} has {facts.width}×{facts.height}."
        report.add("sizes", file, what, "the video's size used")
    if facts.fps is not None and abs(facts.fps / known.fps - 1) > 0.01:
        what = f"{INFO} says {known.fps:g} frames per second, {file} has {facts.fps:g}."
        report.add("contradiction", file, what, "the video's rate used")
    return views.video_view(folder, file, camera, report, first=first, frames=count, every_frame=options.every_frame)


def _facts(folder: Folder, file: str) -> video.Facts:
    path = folder.path(file)
    if not path.is_file():
        raise BadVideo(f"{file} is not there.")
    return video.facts(path, file)


def _stretch(facts: video.Facts, fps: float, length: int, start: float, end: float, file: str) -> int:
    """The number of the first frame of an episode in its file.

    Raises:
        Unreadable: the seconds and the length contradict each other or the video.
    """
    half = 0.5 / (facts.fps or fps)
    said = f"seconds {start:.3f} to {end:.3f} of {file}"
    if not 0 <= start < end:
        raise Unreadable(f"Its place makes no sense: {said}.")
    if abs((end - start) * fps - length) > 0.5:
        raise Unreadable(f"Its length is {length} frames, but its place ({said}) holds {(end - start) * fps:.1f}.")
    if end > facts.times[-1] + 3 * half:
        raise Unreadable(f"Its place ({said}) reaches beyond the video's {facts.times[-1] + 2 * half:.3f} seconds: stale numbers?")
    first, last = bisect_left(facts.times, start - half), bisect_left(facts.times, end - half)
    if last - first != length:
        raise Unreadable(f"Its length is {length} frames, the video has {last - first} at its place ({said}).")
    return first


SOURCE = Source("lerobot", "LeRobot dataset v3.0 or v2.1", found, read, marked=True, calibration=None)
