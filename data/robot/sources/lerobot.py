"""LeRobot datasets v3.0 (many episodes per file) and v2.1 (one file per episode): tables, and per camera videos or images in the tables.

v3.0 says per episode and camera which file and which seconds of it are the episode's; published sets contradict themselves here and
there (tasks that no table knows, stale file numbers after a conversion, lengths that differ from the seconds, a rate that is not the
video's), so every statement is held to the others and to the videos, whose own times decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from data import names
from data.robot import beside, video, views
from data.robot.cells import Column
from data.robot.errors import BadVideo, Outside
from data.robot.folder import Folder, Unreadable
from data.robot.lerobot import metadata, places, steps
from data.robot.lerobot.metadata import INFO, Dataset, Row
from data.robot.records import VIEWS, Arm, EpisodeRecord, Report, ViewRecord, clean
from data.robot.sources.base import Source
from data.robot.views import Options

_SIDES = ("wrist", "hand", "gripper", "arm")
_HEADS = ("head", "high", "top", "center", "front", "main", "ego", "base")


def found(folder: Folder) -> bool:
    """Whether this is such a folder."""
    return folder.has(INFO)


def nearly(folder: Folder) -> str:
    """What is said of a folder that has a dataset's other parts."""
    parts = [name for name in ("meta", "data", "videos") if folder.folders(name)]
    whole = len(parts) > 1 or folder.files("meta")
    return f"it looks like a LeRobot dataset ({', '.join(parts) or 'meta'}), but {INFO} is not there: download it whole." if whole else ""


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their numbers."""
    beside.strays(folder, "", report)
    known = metadata.dataset(folder, report)
    arm, mapping = assign(list(known.cameras), options.cameras)
    _cameras(known, arm, mapping, report)
    rows = metadata.rows(folder, known, report)
    tasks = _totals(folder, known, rows, report)
    tables = steps.Tables(folder, known)
    steps.check(folder, known, rows, tables, report)
    reader = _Reader(folder, known, rows, tables, report, options)
    ordered = [view for view in VIEWS[arm] if view in mapping.values()]
    for row in rows:
        report.seen += 1
        there: dict[str, ViewRecord] = {}
        for camera, view in mapping.items():
            record = reader.view(row, camera)
            if record is not None:
                there[view] = record
        made = views.episode(
            folder,
            f"{row.index:06d}",
            arm,
            there,
            report,
            where=f"episode {row.index}",
            task="; ".join(_in_order(row, tasks, tables)),
            fps=known.fps,
            whole_files=known.version == 2,
            expected=ordered,
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
            matching = [c for c in cameras if names.same(c, name) or names.same(_short(c), name)]
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


def _cameras(known: Dataset, arm: Arm, mapping: Mapping[str, str], report: Report) -> None:
    """Say once for all episodes which cameras are not used, and which views no camera gives."""
    if unused := [camera for camera in known.cameras if camera not in mapping]:
        what = f"More cameras than a moment shows; not used: {', '.join(unused)}."
        report.add("unsupported", INFO, what, "imported without them (choose others with --view)")
    if missing := [view for view in VIEWS[arm] if view not in mapping.values()]:
        have = ", ".join(f"{view} ({_short(camera)})" for camera, view in mapping.items())
        needed = "; ".join(f"{robot} arm: {', '.join(names)}" for robot, names in VIEWS.items())
        what = f"No camera of the dataset is {' or '.join(missing)}; there: {have}. A moment needs all views of a robot at once ({needed})."
        report.add("missing_view", INFO, what, "imported without them; no moments are sampled from the dataset")


def _totals(folder: Folder, known: Dataset, rows: Sequence[Row], report: Report) -> Mapping[str, int | None]:
    """Hold the dataset's totals and tasks to its episodes; the tasks with their numbers."""
    there = {"total_episodes": len(rows), "total_frames": sum(row.length for row in rows)}
    for name, count in there.items():
        said = known.info.get(name)
        if said is not None and said != count:
            what = f"{INFO} says {name} {clean(said, 40)}, the episodes' metadata make {count}."
            report.add("contradiction", INFO, what, "the episodes' metadata used")
    tasks = metadata.tasks(folder, known, report)
    if tasks is None:
        return {}
    said = known.info.get("total_tasks")
    if said is not None and said != len(tasks):
        report.add("contradiction", INFO, f"{INFO} says total_tasks {clean(said, 40)}, the table of tasks has {len(tasks)}.", "not used")
    strangers = [row for row in rows if any(task not in tasks for task in row.tasks)]
    if strangers:
        example = next(task for task in strangers[0].tasks if task not in tasks)
        numbers = views.numbers(row.index for row in strangers)
        what = f"{len(strangers)} of {len(rows)} episodes ({numbers}) name a task that the table of tasks lacks, as “{clean(example, 80)}”."
        report.add("contradiction", metadata.tasks_file(known), what, "the episodes' own words used")
    if silent := [row.index for row in rows if not row.tasks]:
        report.add("labels", "meta", f"Episodes {views.numbers(silent)} name no task.", "imported without")
    return tasks


def _in_order(row: Row, tasks: Mapping[str, int | None], tables: steps.Tables) -> list[str]:
    """An episode's tasks in the order in which its steps come to them; LeRobot writes them down in no order."""
    inside = (tables.of(row) or {}).get(row.index)
    if len(row.tasks) < 2 or inside is None:
        return row.tasks
    places: dict[int | None, int] = {number: place for place, number in enumerate(inside.tasks)}
    return sorted(row.tasks, key=lambda task: places.get(tasks.get(task), len(places)))


class _Reader:
    """The cameras of a dataset, episode by episode. What concerns all episodes alike is said once."""

    def __init__(
        self, folder: Folder, known: Dataset, rows: Sequence[Row], tables: steps.Tables, report: Report, options: Options
    ) -> None:  # fmt: skip
        self.folder, self.known, self.tables, self.report, self.options = folder, known, tables, report, options
        self._placed: dict[tuple[str, int, int], list[places.Placed]] = defaultdict(list)
        self._readings: dict[tuple[str, int, int], places.Reading] = {}
        self._columns: dict[str, tuple[str, Column]] = {}
        self._said: set[tuple[str, float]] = set()
        self._spoilt: set[tuple[int, str]] = set()
        if known.version == 3:
            self._spoilt = _overlaps(known, rows, report)
            for row in rows:
                for camera, (chunk, number, start, end) in row.videos.items():
                    self._placed[camera, chunk, number].append(places.Placed(row.index, row.length, start, end))

    def view(self, row: Row, camera: str) -> ViewRecord | None:
        """One camera of one episode, or None: then the report says why."""
        if (row.index, camera) in self._spoilt:
            return None
        try:
            return self._image(row, camera) if self.known.cameras[camera].kind == "image" else self._video(row, camera)
        except (Outside, Unreadable, BadVideo) as error:
            fault = "outside" if isinstance(error, Outside) else "unreadable" if isinstance(error, BadVideo) else "contradiction"
            self.report.add(fault, f"episode {row.index}", str(error), f"{camera} left out")
            return None

    def _video(self, row: Row, camera: str) -> ViewRecord | None:
        file = self.known.video_file(row, camera)
        path = self.folder.path(file)
        if not path.is_file():
            raise BadVideo(f"{file} is not there.")
        facts, first, count = video.facts(path, file), 0, None
        if self.known.version == 3:
            chunk, number, start, end = row.videos[camera]
            how = self._reading(facts, (camera, chunk, number), file)
            first = places.first_frame(facts, self.known.fps, how, places.Placed(row.index, row.length, start, end), file)
            count = row.length
        elif facts.frames != row.length:
            what = f"Its length is {row.length}, {file} has {facts.frames} frames."
            self.report.add("contradiction", f"episode {row.index}", what, "the frames of the video imported")
        for name, declared in (("fps", self.known.fps), (f"video.fps of {camera}", self.known.cameras[camera].fps)):
            if places.differs(facts, declared):
                self._rate(name, declared or 0.0, facts.fps or 0.0, file)
        made = views.video_view(
            self.folder, file, camera, self.report, first=first, frames=count, every_frame=self.options.every_frame
        )  # fmt: skip
        if made is not None and self.known.cameras[camera].size != (facts.width, facts.height):
            self._sizes(camera, file, (made.width, made.height), "the video's size used")
        return made

    def _image(self, row: Row, camera: str) -> ViewRecord | None:
        file = self.known.data_file(row)
        inside = (self.tables.of(row) or {}).get(row.index)
        if inside is None:
            raise Unreadable(f"{file} cannot be read, or does not hold its steps.")
        if not inside.ordered:
            raise Unreadable(f"{file}: its steps do not lie together in the order of their frame_index.")
        if inside.count != row.length and self.known.version == 3:  # of v2.1 `steps.check` has said so, and the rows that are there count
            raise Unreadable(f"Its length is {row.length} frames, {file} has {inside.count} rows of it.")
        if self._columns.get(camera, ("",))[0] != file:
            self._columns[camera] = file, Column(self.folder, file, camera)
        fps = inside.fps if inside.fps and video.apart(inside.fps, self.known.fps, inside.grain) else None
        column = self._columns[camera][1]
        made = views.table_view(
            self.folder, file, column, camera, self.report, first=inside.first, frames=inside.count, fps=fps or self.known.fps
        )
        if made is None:
            raise Unreadable(f"{file} holds no image of {camera} that can be read.")
        self._sizes(camera, f"{file}: {camera}", (made.width, made.height), "the images' size used")
        if fps:
            self._rate("fps", self.known.fps, fps, file)
        return made

    def _reading(self, facts: video.Facts, place: tuple[str, int, int], file: str) -> places.Reading:
        """How the seconds of a video's episodes are read; said once where it is not the usual way."""
        if place not in self._readings:
            how = places.reading(facts, self.known.fps, self._placed[place])
            self._readings[place] = how
            if how.words:
                what = f"{INFO} says {self.known.fps:g} frames per second, {file} has {facts.fps:g}, and {how.words}."
                self.report.add("contradiction", file, what, "frames found by their number")
        return self._readings[place]

    def _sizes(self, camera: str, where: str, size: tuple[int, int], did: str) -> None:
        declared = self.known.cameras[camera].size
        if declared is not None and declared != size:
            what = f"{INFO} says that {camera} has {declared[0]}×{declared[1]} pixels, {where} has {size[0]}×{size[1]}."
            self.report.add("sizes", where, what, did)

    def _rate(self, name: str, declared: float, measured: float, file: str) -> None:
        key = (name, round(measured, 2))
        if key not in self._said:
            self._said.add(key)
            what = f"{INFO} says {name} {declared:g}, the times of {file} are those of {measured:g} frames per second."
            self.report.add("contradiction", file, what, "the times of the frames used, here and wherever else this rate is met")


def _overlaps(known: Dataset, rows: Sequence[Row], report: Report) -> set[tuple[int, str]]:
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


SOURCE = Source("lerobot", "LeRobot dataset v3.0 or v2.1", found, read, marked=True, calibration=None, nearly=nearly)
