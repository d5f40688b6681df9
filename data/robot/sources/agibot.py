"""AgiBot World folders: two arms, one video per camera, labels per task.

::

    task_info/task_<id>.json                                        [{episode_id, task_name, init_scene_text, label_info.action_config[…]}]
    observations/<task>/<episode>/videos/{head_color,hand_left_color,hand_right_color}.mp4
    observations/<task>/<episode>/truth.json                        only sources that know the poses
    parameters/<task>/<episode>/camera/{head,hand_left,hand_right}_{intrinsic_params,extrinsic_params_aligned}.json

The release comes as tar files of ranges of episodes. One that was unpacked into a folder of its own name puts that folder between the task
and its episodes (``observations/475/702578-743685/743559/videos``), or above the task (``parameters/648533-663145/327/648642``):
episodes and matrices are found there too, and an episode has the same name wherever it lies.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from data.robot import beside, cameras, truth, video, views
from data.robot.errors import Outside
from data.robot.folder import MAX_LOOKED, Folder, Unreadable, joined
from data.robot.records import Calibration, EpisodeRecord, Report, Segment, ViewRecord, clean
from data.robot.sources.base import Source
from data.robot.views import Options

VIDEOS = "videos"
"""The folder of an episode's videos."""
CAMERAS: Mapping[str, str] = {"head_color": "head", "hand_left_color": "left-gripper", "hand_right_color": "right-gripper"}
"""Video → view."""
LABELS = ("label_info", "lable_info")
"""The release's files and its description spell it differently."""
DEPTH = 3
"""Folders between a task and its episodes that are looked through."""
_RANGE = re.compile(r"\d+-\d+(\.tar)?")
"""A folder that has the name of a tar file of the release."""
_PARAMETERS: Mapping[str, str] = {"head": "head", "left-gripper": "hand_left", "right-gripper": "hand_right"}


def found(folder: Folder) -> bool:
    """Whether this is such a folder."""
    return bool(folder.folders("observations"))


def nearly(folder: Folder) -> str:
    """What is said of a folder with the release's videos that is not laid out as the release is."""
    for where in islice(folder.walk(), MAX_LOOKED):
        if any(name.rpartition(".")[0] in CAMERAS and name.lower().endswith(video.SUFFIXES) for name in folder.files(where)):
            place = f"their place is observations/<task>/<episode>/{VIDEOS}"
            return f"AgiBot videos lie in {where or 'it'}, but not below a folder observations: {place}."
    return ""


@dataclass
class _Label:
    """What ``task_info`` says of an episode."""

    task: str = ""
    segments: list[Segment] = field(default_factory=list)


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their numbers."""
    labels, named = _labels(folder, report)
    matrices = _Matrices(folder)
    beside.strays(folder, "", report)
    beside.strays(folder, "observations", report)
    tasks_of: dict[str, list[str]] = defaultdict(list)
    for task, number in labels:
        tasks_of[number].append(task)
    there: dict[str, set[str]] = defaultdict(set)
    for top in folder.folders("observations"):
        try:
            alone = VIDEOS in folder.folders(f"observations/{top}")
            places = [f"observations/{top}"] if alone else list(_inside(folder, f"observations/{top}", report))
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "unreadable", f"observations/{top}", str(error), "not looked at")
            continue
        if not places:
            report.add("empty", f"observations/{top}", "The folder holds no episode.", "nothing to import")
        for where in places:
            report.seen += 1
            number = where.rpartition("/")[2]
            task = _task(where, named, tasks_of[number])
            if not task:
                what = f"An episode lies here without a folder of its task: its place is observations/<task>/{number}/{VIDEOS}."
                report.add("unsupported", where, what, "episode left out")
                continue
            there[task].add(number)
            made = _episode(folder, where, task, number, labels.get((task, number)), task in named, matrices, report, options)
            if made is not None:
                yield made
    for task, file in sorted(named.items()):
        absent = [number for known, number in labels if known == task and number not in there[task]]
        if not there[task]:
            report.add("contradiction", file, f"observations/{task} is not there.", "its labels not used")
        elif absent:
            what = f"{len(absent)} episodes are labelled but not there: {', '.join(absent[:5])}{' …' if len(absent) > 5 else ''}."
            report.add("contradiction", file, what, "the others imported")


def _task(where: str, named: Mapping[str, str], labelling: Sequence[str]) -> str:
    """The task of an episode: the nearest folder above it that has labels; else the first that is no range of episodes; else the one task
    whose labels name the episode. Empty: it cannot be told.

    Args:
        where: the episode's folder.
        named: tasks with a file of labels.
        labelling: those of them that name the episode.
    """
    above = where.split("/")[1:-1]
    if known := next((name for name in reversed(above) if name in named), ""):
        return known
    usual = next((name for name in above if name != "observations" and not _RANGE.fullmatch(name)), "")
    return usual or (labelling[0] if len(labelling) == 1 else "")


def _inside(folder: Folder, where: str, report: Report, depth: int = DEPTH) -> Iterator[str]:
    """The folders of the episodes below one of a task: those that hold videos; a folder in which no such folder lies counts as one, too."""
    beside.strays(folder, where, report)
    for name in folder.folders(where):
        inner = joined(where, name)
        try:
            deeper = depth > 1 and not _holds_videos(folder, inner) and any(_episodes_below(folder, inner, depth - 1))
        except (Outside, Unreadable):
            deeper = False  # whoever looks into the folder says so
        if deeper:
            yield from _inside(folder, inner, report, depth - 1)
        else:
            yield inner


def _holds_videos(folder: Folder, where: str) -> bool:
    return VIDEOS in folder.folders(where) or bool(_videos(folder, where))


def _videos(folder: Folder, where: str) -> list[str]:
    return [name for name in folder.files(where) if name.lower().endswith(video.SUFFIXES)]


def _episodes_below(folder: Folder, where: str, depth: int) -> Iterator[bool]:
    for name in folder.folders(where):
        inner = joined(where, name)
        try:
            yield _holds_videos(folder, inner) or (depth > 1 and any(_episodes_below(folder, inner, depth - 1)))
        except (Outside, Unreadable):
            yield False


def _episode(
    folder: Folder,
    where: str,
    task: str,
    number: str,
    label: _Label | None,
    labelled: bool,
    matrices: _Matrices,
    report: Report,
    options: Options,
) -> EpisodeRecord | None:
    place = f"{where}/{VIDEOS}"
    try:
        if VIDEOS not in folder.folders(where) and _videos(folder, where):
            place = where
        names = folder.files(place)
        folder.path(where)
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "unreadable", where, str(error), "episode left out")
        return None
    mapping = views.chosen(CAMERAS, options)
    there: dict[str, ViewRecord] = {}
    for name in names:
        stem, _, ending = name.rpartition(".")
        view = views.view_of(stem, mapping)
        if view is not None and f".{ending.lower()}" in video.SUFFIXES:
            record = views.video_view(folder, f"{place}/{name}", stem, report, every_frame=options.every_frame)
            if record is not None:
                there[view] = record
    others = [
        stem
        for stem, _, ending in (n.rpartition(".") for n in names)
        if not views.view_of(stem, mapping) and f".{ending.lower()}" in video.SUFFIXES
    ]
    if others and set(mapping.values()) - set(there):
        what = f"Other cameras are there: {', '.join(others)}."
        report.add("missing_view", place, what, "not used (choose one with --view)")
    if not names:
        report.add("empty", place, "There is no video.", "episode left out")
        return None
    if label is None:
        why = "task_info does not name this episode." if labelled else f"There is no task_info/task_{task}.json that can be read."
        report.add("labels", where, why, "imported without task and labels")
    there = beside.calibrated(folder, there, _calibrations(folder, matrices.place(task, where), there, report), report, CALIBRATION)
    return views.episode(
        folder,
        f"{task}/{number}",
        "dual",
        there,
        report,
        where=where,
        task=label.task if label else "",
        segments=label.segments if label else (),
        truth_file=f"{where}/{truth.FILE}",
    )


class _Matrices:
    """Where the camera matrices of each episode lie; looked for once, and only where they do not lie in the usual place."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._found: dict[str, list[str]] | None = None

    def place(self, task: str, where: str) -> str:
        """The folder with the files of an episode's cameras, there or not.

        Args:
            task: the episode's task.
            where: the episode's folder.
        """
        number = where.rpartition("/")[2]
        usual = f"parameters/{task}/{number}/camera"
        try:
            if self.folder.path(usual).is_dir():
                return usual
            if self._found is None:
                self._found = {}
                for inner in self.folder.walk("parameters"):
                    if inner.endswith("/camera"):
                        self._found.setdefault(inner.split("/")[-2], []).append(inner)
        except (Outside, Unreadable):
            return usual  # whoever opens the files says so
        return next((inner for inner in self._found.get(number, ()) if task in inner.split("/")), usual)


def _calibrations(folder: Folder, place: str, there: Mapping[str, ViewRecord], report: Report) -> dict[str, Calibration]:
    made = {}
    for view in there:
        base = f"{place}/{_PARAMETERS[view]}" if view in _PARAMETERS else ""
        intrinsic, extrinsic = f"{base}_intrinsic_params.json", f"{base}_extrinsic_params_aligned.json"
        try:
            if base and folder.has(intrinsic):
                made[view] = Calibration(kind=CALIBRATION.name, file=intrinsic, extrinsic=extrinsic if folder.has(extrinsic) else "")
        except Outside as error:
            report.add("outside", intrinsic, str(error), "imported without its matrices")
    return made


def _labels(folder: Folder, report: Report) -> tuple[dict[tuple[str, str], _Label], dict[str, str]]:
    """(task, episode) → label, and task → its file."""
    labels: dict[tuple[str, str], _Label] = {}
    named: dict[str, str] = {}
    tasks = set(folder.folders("observations"))
    for file in (joined(where, name) for where in folder.walk("task_info") for name in folder.files(where)):
        name = file.rpartition("/")[2]
        task = name.removesuffix(".json").removeprefix("task_")
        if not name.endswith(".json") or not (name.startswith("task_") or task in tasks):
            continue
        try:
            value = folder.json(file)
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "labels of this task not used")
            continue
        if not isinstance(value, list):
            report.add("unreadable", file, "The file holds no list of episodes.", "labels of this task not used")
            continue
        named[task] = file
        for place, entry in enumerate(value):
            number = entry.get("episode_id") if isinstance(entry, dict) else None
            if not isinstance(number, int | str) or isinstance(number, bool):
                report.add("labels", file, f"Entry {place} names no episode_id.", "entry not used")
                continue
            label = _label(entry, file, report)
            if labels.setdefault((task, str(number)), label) != label:
                report.add("contradiction", file, f"Episode {number} is there twice with different labels.", "the first one used")
    return labels, named


def _label(entry: dict[str, Any], file: str, report: Report) -> _Label:
    info: dict[str, Any] = next((entry[name] for name in LABELS if isinstance(entry.get(name), dict)), {})
    config = info.get("action_config")
    segments, wrong = [], 0
    for action in config if isinstance(config, list) else ():
        try:
            start, end = int(action["start_frame"]), int(action["end_frame"])
            said, skill = clean(action.get("action_text") or ""), clean(action.get("skill") or "")
            segments.append(Segment(start=start, end=end, text=said, skill=skill))
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong += 1
    if wrong:
        report.add("labels", file, f"Episode {entry['episode_id']}: {wrong} labelled stretches have no numbers.", "these not used")
    return _Label(clean(entry.get("task_name") or ""), segments)


def _matrices(folder: Folder, calibration: Calibration) -> tuple[cameras.Array, list[cameras.Array] | None]:
    """K and world-to-camera poses from AgiBot's intrinsics and camera-to-base extrinsics."""
    value = cameras.cached_json(folder, calibration.file)
    inner = value.get("intrinsic") if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        raise Unreadable(f"{calibration.file} has no “intrinsic”.")
    fx, fy, cx, cy = (cameras.numbers(inner.get(name), (), f"{calibration.file}: intrinsic.{name}") for name in ("fx", "fy", "ppx", "ppy"))
    k = cameras.intrinsic(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]], float), calibration.file)
    if not calibration.extrinsic:
        return k, None
    value = cameras.cached_json(folder, calibration.extrinsic)
    entries = value if isinstance(value, list) else [value]
    poses = []
    for number, entry in enumerate(entries):
        inner = entry.get("extrinsic") if isinstance(entry, dict) else None
        if not isinstance(inner, dict):
            raise Unreadable(f"{calibration.extrinsic}: entry {number} has no “extrinsic”.")
        what = f"{calibration.extrinsic}: entry {number}"
        turn = cameras.numbers(inner.get("rotation_matrix"), (3, 3), f"{what}, rotation_matrix")
        shift = cameras.numbers(inner.get("translation_vector"), (3,), f"{what}, translation_vector")
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn.T, -turn.T @ shift
        poses.append(pose)
    if not poses:
        raise Unreadable(f"{calibration.extrinsic} is an empty list.")
    return k, poses


CALIBRATION = cameras.Form("agibot", _matrices)
"""An intrinsics file, and one of extrinsics."""
SOURCE = Source("agibot", "AgiBot World folder", found, read, marked=True, calibration=CALIBRATION, nearly=nearly)
