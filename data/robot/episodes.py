"""Imported episodes, and what is read from their source when it is asked for: a still, the cameras, the truth."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.robot import cameras as matrices
from data.robot import cells, video, views
from data.robot import truth as truths
from data.robot.errors import RobotError, UnknownEpisode
from data.robot.folder import Folder
from data.robot.images import Picture
from data.robot.records import VIEWS, Camera, EpisodeRecord, Truth, ViewRecord
from data.robot.sources import FORMS
from data.store import Store


@dataclass(frozen=True)
class SourceInfo:
    """One imported source."""

    source_id: str
    kind: str
    name: str
    root: str
    licence: str
    episodes: int
    frames: int
    incomplete: int
    """Episodes without all views."""
    report: dict[str, Any]
    """As `records.Report.as_json` made it."""
    created_at: str


@dataclass(frozen=True)
class Episode:
    """One imported episode."""

    episode_id: str
    source_id: str
    source_name: str
    key: str
    arm: str
    task: str
    frames: int
    fps: float | None
    record: EpisodeRecord
    root: str
    """The source's folder."""


@dataclass(frozen=True)
class Still:
    """One image of one view at one frame."""

    data: bytes
    """The original image's bytes; for a frame of a video, or an image turned by EXIF, a lossless PNG."""
    width: int
    height: int
    file: str
    """Path inside the source."""
    frame_index: int
    """Number of the frame in `file` (or of the file in its folder), from 0."""
    timestamp_s: float | None
    """Seconds from the start of the episode, by this view's own clock; None without one."""


def list_sources(store: Store) -> list[SourceInfo]:
    """The imported sources, oldest first."""
    rows = store.query("SELECT * FROM robot_sources ORDER BY created_at, rowid")
    whole = " ".join(f"WHEN '{arm}' THEN {len(names)}" for arm, names in VIEWS.items())
    counted = {
        row["source_id"]: row
        for row in store.query(
            "SELECT source_id, count(*) AS episodes, sum(frames) AS frames, "
            f"sum((SELECT count(*) FROM json_each(document, '$.views')) < CASE arm {whole} END) AS incomplete "
            "FROM robot_episodes GROUP BY source_id"
        )
    }
    nothing = {"episodes": 0, "frames": 0, "incomplete": 0}
    return [
        SourceInfo(
            **{name: row[name] for name in ("source_id", "kind", "name", "root", "licence", "created_at")},
            **{name: counted.get(row["source_id"], nothing)[name] for name in nothing},
            report=json.loads(row["report"]),
        )
        for row in rows
    ]


_SELECT = "SELECT e.*, s.name AS source_name, s.root FROM robot_episodes e JOIN robot_sources s USING (source_id)"


def episodes(store: Store, *, source_id: str | None = None, arm: str | None = None) -> list[Episode]:
    """Imported episodes in the order of their import."""
    wanted = {"e.source_id": source_id, "e.arm": arm}
    where = " AND ".join(f"{name} = ?" for name, value in wanted.items() if value is not None)
    values = [value for value in wanted.values() if value is not None]
    return [_episode(row) for row in store.query(f"{_SELECT} {'WHERE ' + where if where else ''} ORDER BY e.rowid", values)]


def get_episode(store: Store, episode_id: str) -> Episode:
    """The episode.

    Raises:
        UnknownEpisode: there is none.
    """
    row = store.one(f"{_SELECT} WHERE e.episode_id = ?", [episode_id])
    if row is None:
        raise UnknownEpisode(f"There is no robot episode {episode_id[:60]!r} here.")
    return _episode(row)


def find(store: Store, name: str) -> Episode:
    """The episode of an id, or of a name in its source that no other episode has.

    Raises:
        UnknownEpisode: there is none, or there are several of this name.
    """
    rows = store.query(f"{_SELECT} WHERE e.episode_id = ? OR e.key = ? ORDER BY e.rowid", [name, name])
    if len(rows) != 1:
        which = (
            f"{len(rows)} robot episodes are called {name[:60]!r}: name one by its id"
            if rows
            else f"There is no robot episode {name[:60]!r} here"
        )
        raise UnknownEpisode(f"{which}.")
    return _episode(rows[0])


def _episode(row: Mapping[str, Any]) -> Episode:
    names = ("episode_id", "source_id", "source_name", "key", "arm", "task", "frames", "fps", "root")
    return Episode(**{name: row[name] for name in names}, record=EpisodeRecord.model_validate_json(row["document"]))


def still(store: Store, episode: Episode, view: str, index: int) -> Still:
    """One view of one frame, read from the source.

    Args:
        store: the database.
        episode: which.
        view: one of its views.
        index: frame of the episode; views with another rate, or with frames dropped, are matched by time.

    Raises:
        UnknownEpisode: there is no such view or frame.
        RobotError: the source is not there any more, or this image cannot be read.
    """
    record, folder = _view(episode, view, index), _folder(episode)
    number, time = _place(folder, episode, record, index)
    if number in record.bad:
        raise RobotError(f"{view} has no readable image at frame {index} of {episode.key}: it was missing or broken when it was imported.")
    if record.kind == "images":
        file = f"{record.file}/{record.files[number]}" if record.file else record.files[number]
        found = views.load(folder, file)
        _as_imported(found, record, file)
        return Still(found.data, found.width, found.height, file, number, time)
    if record.kind == "table":
        found = cells.still(folder, record.file, record.camera, record.first + number)
    else:
        found = video.still(folder.path(record.file), record.first + number, record.file)
    _as_imported(found, record, f"Frame {record.first + number} of {record.file}")
    return Still(found.data, found.width, found.height, record.file, record.first + number, time)


def _as_imported(found: Picture, record: ViewRecord, what: str) -> None:
    if (found.width, found.height) != (record.width, record.height):
        raise RobotError(f"{what} has changed since it was imported: its size is another. Import the source again.")


def cameras(store: Store, episode: Episode, index: int) -> dict[str, Camera]:
    """View → its camera at a frame; views without calibration are left out.

    Raises:
        UnknownEpisode: there is no such frame.
        RobotError: the source is not there any more, or a file of it has changed.
    """
    found = {}
    for view, record in episode.record.views.items():
        _view(episode, view, index)
        if record.calibration is not None:
            found[view] = matrices.read(_folder(episode), FORMS[record.calibration.kind], record.calibration, record, index)
    return found


def truth(store: Store, episode: Episode, index: int) -> Truth | None:
    """What is true at a frame; None where the source does not know.

    Raises:
        UnknownEpisode: there is no such frame.
        RobotError: the source is not there any more, or its file has changed.
    """
    if not 0 <= index < episode.frames:
        raise UnknownEpisode(f"Episode {episode.key} has {episode.frames} frames, number {index} is not one of them.")
    return truths.read(_folder(episode), episode.record.truth, index) if episode.record.truth else None


def _view(episode: Episode, view: str, index: int) -> ViewRecord:
    record = episode.record.views.get(view)
    if record is None:
        there = ", ".join(episode.record.views)
        raise UnknownEpisode(f"Episode {episode.key} has no view {view[:40]!r}; there: {there}.")
    if not 0 <= index < episode.frames:
        raise UnknownEpisode(f"Episode {episode.key} has {episode.frames} frames, number {index} is not one of them.")
    return record


def _folder(episode: Episode) -> Folder:
    root = Path(episode.root)
    if not root.is_dir():
        raise RobotError(f"The folder of the source {episode.source_name} is not there any more: {root}. Put it back, or import it again.")
    return Folder(root)


def _place(folder: Folder, episode: Episode, record: ViewRecord, index: int) -> tuple[int, float | None]:
    """The frame of a view that stands at the episode's frame `index`, and its time in the view's clock."""
    reference = episode.record.views[views.clock(episode.record.arm, episode.record.views)]
    if record.kind != "video" or reference.kind != "video":
        return index, round(index / episode.fps, 6) if episode.fps else None
    times = views.times(folder, record)
    if reference == record:
        return index, times[index]
    wanted = views.times(folder, reference)[index]
    right = min(bisect_left(times, wanted), len(times) - 1)
    number = right - 1 if right > 0 and wanted - times[right - 1] <= times[right] - wanted else right
    return number, times[number]
