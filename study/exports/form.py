"""What an export format is: a name, words, the counts that it reports, and how it writes one episode after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from data.frames import FrameStore
from data.store import Store
from study.exports.card import Config
from study.exports.episodes import Episode

Take = Callable[[Episode], None]
"""Receives one episode, oldest first; nothing of it is kept in memory afterwards but what the format keeps."""


class Problem(NamedTuple):
    """A picture that the export lacks."""

    file: str
    """Where it would lie in the export."""
    episode_id: str
    seq: int
    """The step that it shows."""
    pixel_hash: str
    what: str
    """``missing``, ``changed``, ``unreadable`` or ``unknown``: see `data.frames.FrameDamaged`."""


@dataclass(frozen=True)
class Making:
    """One export that is being written."""

    store: Store
    frames: FrameStore
    folder: Path
    """Where the format writes; it makes its own files and folders in it. The folder appears under its name when the export is whole."""
    datasets: frozenset[str]
    """Data sets of the tasks that appear."""
    images: bool
    """Whether pictures are wanted."""
    unfinished: bool
    """Whether forms with one file per finished episode also hold practice and episodes without a final answer."""
    problems: list[Problem] = field(default_factory=list)
    """What could not be written; the rest of the export is whole."""
    counts: Counter[str] = field(default_factory=Counter)
    """What has been written so far; each format adds to the counts that it declares."""


def nothing(making: Making) -> tuple[Config, ...]:
    """What a format declares that writes nothing for data-set libraries."""
    return ()


@dataclass(frozen=True)
class Format:
    """One form of an export.

    Example:
        >>> @contextmanager
        ... def write(making: Making) -> Iterator[Take]:
        ...     with (making.folder / "answers.txt").open("w") as file:
        ...         yield lambda episode: print(episode.row.answer, file=file)
    """

    name: str
    """By which it is chosen: ``vantage export --format NAME``."""
    title: str
    """A few words for a list of choices."""
    text: str
    """What it holds and what it is for, in a sentence."""
    counts: tuple[str, ...]
    """Names of what it counts, for the report."""
    write: Callable[[Making], AbstractContextManager[Take]]
    """Opens the format's files, gives what takes the episodes one by one, and closes the files behind them."""
    configs: Callable[[Making], tuple[Config, ...]] = nothing
    """What the data card says that can be loaded of it, once it is written."""
    card: bool = False
    """Whether it is made for data-set libraries, so that the export gets a data card."""
