"""AgiBot World folders: two arms, one video per camera, labels per task.

::

    task_info/task_<id>.json                                        [{episode_id, task_name, init_scene_text, label_info.action_config[…]}]
    observations/<task>/<episode>/videos/{head_color,hand_left_color,hand_right_color}.mp4
    observations/<task>/<episode>/truth.json                        only sources that know the poses
    parameters/<task>/<episode>/camera/{head,hand_left,hand_right}_{intrinsic_params,extrinsic_params_aligned}.json
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data.robot import cameras, truth, video, views
from data.robot.errors import Outside
from data.robot.folder import Folder, Unreadable
from data.robot.records import Calibration, EpisodeRecord, Report, Segment, ViewRecord, clean
from data.robot.sources.base import Source
from data.robot.views import Options

CAMERAS: Mapping[str, str] = {"head_color": "head", "hand_left_color": "left-gripper", "hand_right_color": "right-gripper"}
"""Video → view."""
_PARAMETERS: Mapping[str, str] = {"head": "head", "left-gripper": "hand_left", "right-gripper": "hand_right"}


def found(folder: Folder) -> bool:
    """Whether this is such a folder."""
    return bool(folder.folders("observations"))


@dataclass
class _Label:
    """What ``task_info`` says of an episode."""

    task: str = ""
    segments: list[Segment] = field(default_factory=list)


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their numbers."""
    labels, named = _labels(folder, report)
    views.strays(folder, "", report)
    views.strays(folder, "observations", report)
    for task in folder.folders("observations"):
        views.strays(folder, f"observations/{task}", report)
        there = folder.folders(f"observations/{task}")
        if not there:
            report.add("empty", f"observations/{task}", "The folder holds no episode.", "nothing to import")
        for number in there:
            report.seen += 1
            made = _episode(folder, task, number, labels.get((task, number)), task in named, report, options)
            if made is not None:
                yield made
        absent = [number for known, number in labels if known == task and number not in there]
        if absent:
            what = f"{len(absent)} episodes are labelled but not there: {', '.join(absent[:5])}{' …' if len(absent) > 5 else ''}."
            report.add("contradiction", named[task], what, "the others imported")
    for task in sorted(set(named) - set(folder.folders("observations"))):
        report.add("contradiction", named[task], f"observations/{task} is not there.", "its labels not used")


def _episode(
    folder: Folder, task: str, number: str, label: _Label | None, labelled: bool, report: Report, options: Options
) -> EpisodeRecord | None:  # fmt: skip
    where = f"observations/{task}/{number}"
    try:
        names = folder.files(f"{where}/videos")
        folder.path(where)
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "unreadable", where, str(error), "episode left out")
        return None
    mapping = views.chosen(CAMERAS, options)
    there: dict[str, ViewRecord] = {}
    for name in names:
        stem, _, ending = name.rpartition(".")
        view = mapping.get(stem)
        if view is not None and f".{ending.lower()}" in video.SUFFIXES:
            record = views.video_view(folder, f"{where}/videos/{name}", stem, report, every_frame=options.every_frame)
            if record is not None:
                there[view] = record
    others = [name.rpartition(".")[0] for name in names if name.rpartition(".")[0] not in mapping]
    if others and set(mapping.values()) - set(there):
        what = f"Other cameras are there: {', '.join(others)}."
        report.add("missing_view", f"{where}/videos", what, "not used (choose one with --view)")
    if not names:
        report.add("empty", f"{where}/videos", "There is no video.", "episode left out")
        return None
    if label is None:
        why = "task_info does not name this episode." if labelled else f"There is no task_info/task_{task}.json that can be read."
        report.add("labels", where, why, "imported without task and labels")
    there = views.calibrated(folder, there, _calibrations(folder, task, number, there, report), report, CALIBRATION)
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


def _calibrations(
    folder: Folder, task: str, number: str, there: Mapping[str, ViewRecord], report: Report
) -> dict[str, Calibration]:  # fmt: skip
    made = {}
    for view in there:
        base = f"parameters/{task}/{number}/camera/{_PARAMETERS[view]}" if view in _PARAMETERS else ""
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
    for name in folder.files("task_info"):
        file = f"task_info/{name}"
        if not (name.startswith("task_") and name.endswith(".json")):
            continue
        task = name[len("task_") : -len(".json")]
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
    info = entry.get("label_info")
    config = info.get("action_config") if isinstance(info, dict) else None
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
SOURCE = Source("agibot", "AgiBot World folder", found, read, marked=True, calibration=CALIBRATION)
