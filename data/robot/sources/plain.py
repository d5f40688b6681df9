"""Plain folders of images, in one of two layouts, at any depth::

    <moment>/{left-gripper,head,right-gripper}.png       one folder per moment: an episode of one frame
    <episode>/{view1,view2,view3,view4}/000.jpg …         one folder per view: an episode of as many frames

A view may be a video too (``head.mp4``). Beside them may lie ``task.txt`` (or ``lang.txt``), ``cameras.json`` and ``truth.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from data.robot import beside, truth, video, views
from data.robot.errors import Outside
from data.robot.folder import MAX_LOOKED, Folder, Unreadable, joined
from data.robot.records import VIEWS, Arm, EpisodeRecord, Report, ViewRecord
from data.robot.sources.base import Source
from data.robot.views import IMAGES, NEVER, Options

_PICTURES = IMAGES + NEVER
_NUMBER = re.compile(r"(\d+)(?!.*\d)")
LEAST_COMMON = 0.5
"""File numbers mean frames when views share at least this part of them; else files are matched by their order."""


def found(folder: Folder) -> bool:
    """Whether a view's image, video or folder lies somewhere in it."""
    return any(_entries(folder, where, {}) or _pictures(folder, where) for where in islice(folder.walk(), MAX_LOOKED))


def read(folder: Folder, report: Report, options: Options) -> Iterator[EpisodeRecord]:
    """The episodes in the order of their paths."""
    inner: set[str] = set()
    for where in folder.walk():
        if inner.intersection((where, *map(str, PurePosixPath(where).parents))):
            continue
        beside.strays(folder, where, report)
        entries = _entries(folder, where, options.cameras, report)
        if entries:
            inner |= {joined(where, name) for name in entries.values()}
            report.seen += 1
            made = _episode(folder, where, entries, report, options)
            if made is not None:
                yield made
        elif names := _pictures(folder, where):
            known = ", ".join(view for arm in VIEWS.values() for view in arm)
            what = f"{len(names)} images ({names[0]}, …) have no view's name ({known}): rename them, or say which is which (--view)."
            report.add("missing_view", where or ".", what, "folder left out")
        elif not folder.names(where):
            report.add("empty", where or ".", "The folder is empty.", "nothing to import")


def _pictures(folder: Folder, where: str) -> list[str]:
    return [name for name in folder.files(where) if _ending(name) in _PICTURES]


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def _entries(folder: Folder, where: str, cameras: Mapping[str, str], report: Report | None = None) -> dict[str, str]:
    """View → name of its image, video or folder; the first in the order of names counts."""
    found: dict[str, str] = {}
    for name in folder.names(where):
        ending = _ending(name)
        is_folder = (folder.root / joined(where, name)).is_dir()
        if not is_folder and ending not in _PICTURES + video.SUFFIXES:
            continue
        view = _view(name if is_folder else name[: -len(ending)], cameras)
        if view and found.setdefault(view, name) != name and report is not None:
            what = f"{found[view]} and {name} are both the view {view}."
            report.add("contradiction", joined(where, name), what, f"{found[view]} used")
    return found


def _view(name: str, cameras: Mapping[str, str]) -> str:
    if view := views.view_of(name, cameras):
        return view
    plain = re.sub(r"[\s_]+", "-", name.lower())
    return plain if any(plain in arm for arm in VIEWS.values()) else ""


def _episode(folder: Folder, where: str, entries: Mapping[str, str], report: Report, options: Options) -> EpisodeRecord | None:
    arm: Arm = "dual" if any(view in VIEWS["dual"] for view in entries) else "single"
    if strange := [view for view in entries if view not in VIEWS[arm]]:
        what = f"Views of both kinds of robots lie together: {', '.join(entries)}."
        report.add("contradiction", where or ".", what, f"{', '.join(strange)} left out")
    there: dict[str, ViewRecord] = {}
    sequences: dict[str, list[str]] = {}
    for view in VIEWS[arm]:
        name = entries.get(view)
        if name is None:
            continue
        file = joined(where, name)
        try:
            if folder.path(file).is_dir():
                sequences[view] = [n for n in folder.files(file) if _ending(n) in _PICTURES]
                continue
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "unreadable", file, str(error), "view left out")
            continue
        if _ending(name) in video.SUFFIXES:
            record = views.video_view(folder, file, name.rpartition(".")[0], report, every_frame=options.every_frame)
        else:
            record = views.image_view(folder, where, [name], name.rpartition(".")[0], report)
        if record is not None:
            there[view] = record
    for view, names in _aligned(sequences, where or ".", report).items():
        file = joined(where, entries[view])
        if not names:
            report.add("empty", file, "The folder holds no images.", "view left out")
            continue
        record = views.image_view(folder, file, names, entries[view], report)
        if record is not None:
            there[view] = record
    return views.episode(
        folder,
        where or ".",
        arm,
        beside.matrices(folder, joined(where, "cameras.json"), there, report),
        report,
        where=where or ".",
        task=beside.instruction(folder, [joined(where, "task.txt"), joined(where, "lang.txt")], report),
        truth_file=joined(where, truth.FILE),
    )


def _aligned(sequences: Mapping[str, list[str]], where: str, report: Report) -> dict[str, list[str]]:
    """View → file name of each frame, empty where one is missing.

    Files are matched by the last number in their names where these agree between views, else by their order.
    """
    full = {view: names for view, names in sequences.items() if names}
    numbered = {view: _numbers(names) for view, names in full.items()}
    if len(full) < 2 or not all(numbered.values()):
        return dict(sequences)
    everything = sorted(set().union(*numbered.values()))
    common = set.intersection(*(set(found) for found in numbered.values()))
    if len(common) < LEAST_COMMON * max(len(found) for found in numbered.values()):
        counts = ", ".join(f"{view} {len(names)}" for view, names in full.items())
        what = f"The numbers in the file names differ between the views ({counts} files): their clocks may not agree."
        report.add("unsynchronised", where, what, "files matched by their order")
        return dict(sequences)
    return {view: [numbered[view].get(number, "") for number in everything] if view in full else [] for view in sequences}


def _numbers(names: list[str]) -> dict[int, str]:
    """Number → file; empty where a name has none, or two have the same."""
    found: dict[int, str] = {}
    for name in names:
        match = _NUMBER.search(name.rpartition(".")[0])
        if match is None or int(match[1]) in found:
            return {}
        found[int(match[1])] = name
    return found


SOURCE = Source("plain", "plain folders of images", found, read)
