"""BridgeData V2 raw folders: one arm, up to four cameras, one JPEG per frame.

::

    …/<stamp>/raw/traj_group0/traj0/images0/im_0.jpg …   images1, images2, images3 likewise: the views 1 to 4
                                    lang.txt             the instruction: the first line that speaks of no confidence
                                    cameras.json, truth.json   only sources that know them

``obs_dict.pkl``, ``policy_out.pkl`` and ``agent_data.pkl`` are never opened: a pickle can run any program. So the images have no clock of
their own here; the release was recorded at 5 frames per second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from data.robot import beside, truth, views
from data.robot.errors import Outside
from data.robot.folder import MAX_LOOKED, Folder, Unreadable
from data.robot.records import VIEWS, EpisodeRecord, Report, ViewRecord
from data.robot.sources.base import Source
from data.robot.views import Options

FPS = 5.0
"""Rate of the release (BridgeData V2: control at 5 Hz)."""
CAMERAS: Mapping[str, str] = {f"images{k}": f"view{k + 1}" for k in range(4)}
"""Folder → view."""
_TRAJECTORY = re.compile(r"traj\d+")
_IMAGES = re.compile(r"images\d+")
_FRAME = re.compile(r"im_(\d+)\.(?:jpe?g|png)", re.IGNORECASE)
MAX_FRAMES = 100_000


def found(folder: Folder) -> bool:
    """Whether a trajectory lies somewhere in it."""
    return any(_is_trajectory(folder, where) for where in islice(folder.walk(), MAX_LOOKED))


def _is_trajectory(folder: Folder, where: str) -> bool:
    """A folder ``traj<n>``, or any that holds ``images<n>`` folders."""
    return bool(_TRAJECTORY.fullmatch(PurePosixPath(where).name)) or any(_IMAGES.fullmatch(name) for name in folder.folders(where))


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their paths."""
    for where in folder.walk():
        if not _IMAGES.fullmatch(PurePosixPath(where).name):  # there each image is looked at
            beside.strays(folder, where, report)
        if _is_trajectory(folder, where):
            report.seen += 1
            made = _episode(folder, where, report, options)
            if made is not None:
                yield made


def _episode(folder: Folder, where: str, report: Report, options: Options) -> EpisodeRecord | None:
    prefix = f"{where}/" if where else ""
    mapping = views.chosen(CAMERAS, options)
    there: dict[str, ViewRecord] = {}
    folders = folder.folders(where)
    if not folders:
        report.add("empty", where or ".", "The trajectory holds no images.", "episode left out")
        return None
    for camera in folders:
        view = views.view_of(camera, mapping)
        if view is None:
            if _IMAGES.fullmatch(camera):
                report.add("unsupported", prefix + camera, f"{camera} is a fifth camera: four views are shown.", "view left out")
            continue
        record = _view(folder, prefix + camera, camera, report)
        if record is not None:
            there[view] = record
    there = beside.matrices(folder, f"{prefix}cameras.json", there, report)
    return views.episode(
        folder,
        where or ".",
        "single",
        {view: there[view] for view in VIEWS["single"] if view in there},
        report,
        where=where or ".",
        task=_task(folder, where, prefix, report),
        fps=FPS,
        truth_file=f"{prefix}{truth.FILE}",
    )


def _view(folder: Folder, where: str, camera: str, report: Report) -> ViewRecord | None:
    numbered: dict[int, str] = {}
    try:
        names = folder.files(where)
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "unreadable", where, str(error), "view left out")
        return None
    for name in names:
        match = _FRAME.fullmatch(name)
        if match is None:
            continue
        number = int(match[1])
        if number in numbered:
            report.add("contradiction", f"{where}/{name}", f"Frame {number} is there twice.", f"{numbered[number]} used")
        else:
            numbered[number] = name
    if not numbered:
        report.add("empty", where, f"{camera} holds no image im_0.jpg, im_1.jpg, …", "view left out")
        return None
    if max(numbered) >= MAX_FRAMES:
        report.add("contradiction", where, f"Frame numbers go up to {max(numbered)}.", "view left out")
        return None
    return views.image_view(folder, where, [numbered.get(k, "") for k in range(max(numbered) + 1)], camera, report)


def _task(folder: Folder, where: str, prefix: str, report: Report) -> str:
    """The instruction as the release's converter reads ``lang.txt``: lines with “confidence” are the annotators' ratings, the first of the
    others counts. Without one, the name of the task's folder."""
    if said := beside.instruction(folder, [f"{prefix}lang.txt"], report, lambda line: "confidence" not in line.casefold()):
        return said
    report.add("labels", where or ".", "There is no lang.txt with an instruction.", "the name of the task's folder taken")
    parts = PurePosixPath(where).parts
    # <scene>/<task>/<NN>/<stamp>/raw/traj_group0/traj0
    name = parts[-6] if len(parts) >= 6 and parts[-3] == "raw" else ""
    return name.replace("_", " ")


SOURCE = Source("bridge", "BridgeData V2 raw folder", found, read)
