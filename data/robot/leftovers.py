"""What lies in a source and was not read: looked for once, after everything else, so that nothing is passed over without a word."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from data import names
from data.robot.errors import Outside
from data.robot.folder import Folder, by_number, joined
from data.robot.records import NotRead, Report

MAX_GROUPS = 200
"""Kinds of files listed; those beyond are put together."""

WHOLE = ("episode left out", "folder left out", "view left out")
"""What a report says was done about a whole folder: its files are not named one by one, too."""


def name_the_rest(folder: Folder, report: Report) -> None:
    """Name all files of a source that nothing was read from, alike ones together, and what can be no file's name.

    Files are alike when their names and those of their folders differ in digits only.

    Args:
        folder: the source, read to its end.
        report: takes them; what it names already is not named again.
    """
    known = {problem.where for problem in report.problems}
    without = {problem.where for problem in report.problems if problem.did in WHOLE}
    groups: dict[str, tuple[str, int]] = {}
    for relative, entry in _entries(folder, report):
        if relative in folder.used or names.printed(relative, 500) in known or not without.isdisjoint(_folders(relative)):
            continue
        try:
            if entry.is_symlink():
                folder.path(relative)
        except Outside as error:
            report.add("outside", relative, str(error), "not looked at")
            continue
        alike = re.sub(r"\d+", "#", "/".join(relative.split("/")[-2:]))
        first, count = groups.get(alike, (relative, 0))
        groups[alike] = (first, count + 1)
    listed = [NotRead(names.printed(first, 500), count) for first, count in groups.values()]
    report.not_read = listed[:MAX_GROUPS]
    if rest := listed[MAX_GROUPS:]:
        report.not_read.append(NotRead(rest[0].like, sum(group.files for group in rest)))


def _folders(relative: str) -> Iterator[str]:
    while "/" in relative:
        relative = relative.rpartition("/")[0]
        yield relative


def _inside(folder: Folder, relative: str) -> bool:
    try:
        folder.path(relative)
    except Outside:
        return False
    return True


def _entries(folder: Folder, report: Report) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Each file of a source with its path, and each link that leaves it; links to folders are not followed."""
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(folder.root / here) as there:
                entries = sorted(there, key=lambda entry: by_number(entry.name))
        except OSError as error:
            report.add("unreadable", here or ".", f"The folder cannot be read: {error.strerror or error}.", "not looked at")
            continue
        below = []
        for entry in entries:
            if why := names.fault(entry.name):
                report.add("unsupported", here or ".", f"A file name {why}: {entry.name!r}.", "not looked at")
            elif entry.is_dir(follow_symlinks=False):
                below.append(joined(here, entry.name))
            elif not (entry.is_symlink() and entry.is_dir() and _inside(folder, joined(here, entry.name))):
                yield joined(here, entry.name), entry
        waiting += reversed(below)
