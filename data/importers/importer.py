"""What an importer of a data set declares about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from data.importers.reading import Rejection, SummaryFile
from data.task import Task


@dataclass(frozen=True)
class Imported:
    """A row that became a task."""

    task: Task
    file: str
    """Name relative to the given folder."""
    dedup_key: str
    """Equal for rows that are the same but for their id; changes with the importer's version."""


@dataclass(frozen=True)
class Importer:
    """One data set's way into the store."""

    name: str
    """Its name on the command line: that of its module."""
    dataset: str
    """What the provenance of its tasks says."""
    label: str
    """What people call it: "released ESI-Bench rows"."""
    holds: Callable[[Path], bool]
    """Whether a path looks like one of its files or folders. A look: nothing is read whole."""
    rows: Callable[[Iterable[Path]], Iterator[Imported | Rejection | SummaryFile]]
    """Every row under some paths: a task, or where and why not. Never raises for bad input; lists of rows are told and are no rows."""
    hint: str
    """What to name on the command line, said where no row was found."""
