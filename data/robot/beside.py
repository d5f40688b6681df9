"""What lies beside the images of a source: camera matrices, truths, instructions, and what cannot be looked into."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from data import names
from data.robot import cameras, truth
from data.robot.errors import Outside
from data.robot.folder import ARCHIVES, Folder, Unreadable, joined
from data.robot.records import Calibration, Report, ViewRecord, clean


def calibrated(
    folder: Folder,
    views: Mapping[str, ViewRecord],
    found: Mapping[str, Calibration],
    report: Report,
    form: cameras.Form = cameras.MATRICES,
) -> dict[str, ViewRecord]:  # fmt: skip
    """The views with those of their matrices that are sound.

    Args:
        folder: the source.
        views: view → record.
        found: view → where its matrices lie.
        report: takes the faults.
        form: the form of the matrices.
    """
    kept = dict(views)
    for view, calibration in found.items():
        record = views.get(view)
        if record is None:
            continue
        where = calibration.extrinsic or calibration.file
        if record.turned:
            what = f"{record.camera} has images turned by their metadata: whether its matrices mean the turned pixels is not known."
            report.add("calibration", where, what, "imported without its matrices")
            continue
        try:
            cameras.check(folder, form, calibration, record, range(record.frames))
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "calibration", where, str(error), "imported without its matrices")
            continue
        folder.use(calibration.file)
        folder.use(calibration.extrinsic)
        kept[view] = record.model_copy(update={"calibration": calibration})
    return kept


def sound_truth(folder: Folder, file: str, frames: int, report: Report) -> str:
    """The path of a truth file where it is there and sound; else empty."""
    try:
        if not folder.has(file):
            return ""
        truth.check(folder, file, frames)
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "truth", file, str(error), "imported without it")
        return ""
    folder.use(file)
    return file


def strays(folder: Folder, where: str, report: Report) -> None:
    """Name what lies in a folder and cannot be looked into: archives, links that leave the source, names that are no names of files."""
    try:
        path = folder.path(where or ".")
        there = sorted(os.listdir(path)) if path.is_dir() else []  # noqa: PTH208
    except (Outside, OSError):
        return
    for name in there:
        if why := names.fault(name):
            report.add("unsupported", where or ".", f"A file name {why}: {name!r}.", "not looked at")
            continue
        relative = joined(where, name)
        if name.lower().endswith(ARCHIVES) and not (path / name).is_dir():
            report.add("archive", relative, f"{relative} is an archive: unpack it beside, then import again.", "not read")
        try:
            folder.path(relative)
        except Outside as error:
            report.add("outside", relative, str(error), "not looked at")


def instruction(folder: Folder, files: Sequence[str], report: Report, says: Callable[[str], bool] = lambda line: True) -> str:
    """The first line that says something in the first of some text files that has one; else empty.

    Args:
        folder: the source.
        files: paths of the files, in the order in which they are asked.
        report: takes the faults.
        says: whether a line can be the instruction.
    """
    for file in files:
        try:
            read = folder.text(file)
        except (Outside, Unreadable) as error:
            report.add("outside" if isinstance(error, Outside) else "labels", file, str(error), "imported without it")
            continue
        if read.note:
            report.add("labels", file, read.note, "imported so")
        if said := next((words for line in read.text.splitlines() if says(line) and (words := clean(line))), ""):
            return said
    return ""


def matrices(folder: Folder, file: str, there: Mapping[str, ViewRecord], report: Report) -> dict[str, ViewRecord]:
    """The views with those of their matrices in ``cameras.json`` that are sound."""
    try:
        if not folder.has(file):
            return dict(there)
        value = folder.json(file)
    except (Outside, Unreadable) as error:
        report.add("outside" if isinstance(error, Outside) else "calibration", file, str(error), "imported without matrices")
        return dict(there)
    known = value if isinstance(value, dict) else {}
    named = {view: record.camera for view, record in there.items() if record.camera in known}
    if strange := sorted(set(map(str, known)) - {record.camera for record in there.values()}):
        what = f"{file} has matrices of cameras that are not there: {', '.join(strange[:5])}."
        report.add("contradiction", file, what, "these not used")
    return calibrated(folder, there, {v: Calibration(kind=cameras.MATRICES.name, file=file, key=name) for v, name in named.items()}, report)
