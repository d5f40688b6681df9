"""What an export format is: a name, words, the counts that it reports, and how it writes one episode after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from data.frames import FrameStore
from data.store import Store
from study.errors import ExportRefused
from study.exports.card import Config
from study.exports.choice import Pictures
from study.exports.episodes import Episode

M = TypeVar("M")
T = TypeVar("T")
F = TypeVar("F", bound="Declared[Any, Any]")

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
    studies: tuple[str, ...]
    """Studies of which it tells."""
    people: frozenset[str] | None
    """Only these of their participants; None: all."""
    images: Pictures
    """How pictures are written."""
    modes: tuple[str, ...]
    """Kinds of runs of whose people it tells."""
    unfinished: bool
    """Whether forms with one file per finished episode also hold practice and episodes without a final answer."""
    problems: list[Problem] = field(default_factory=list)
    """What could not be written; the rest of the export is whole."""
    counts: Counter[str] = field(default_factory=Counter)
    """What has been written so far; each format adds to the counts that it declares."""


def nothing(making: object) -> tuple[Config, ...]:
    """What a format declares that writes nothing for data-set libraries."""
    return ()


@dataclass(frozen=True)
class Declared(Generic[M, T]):
    """What every form of an export says of itself, whatever it is of: `M` is one export being written, `T` one thing handed to the form."""

    name: str
    """By which it is chosen: ``--format NAME``."""
    title: str
    """A few words for a list of choices."""
    text: str
    """What it holds and what it is for, in a sentence."""
    counts: tuple[str, ...]
    """Names of what it counts, for the report."""
    write: Callable[[M], AbstractContextManager[Callable[[T], None]]]
    """Opens the form's files, gives what takes the things one by one, and closes the files behind them."""
    by_default: bool = True
    """Whether it is written where no form is named."""
    pictures: bool = False
    """Whether it holds the pictures."""
    configs: Callable[[M], tuple[Config, ...]] = nothing
    """What the data card says that can be loaded of it, once it is written."""


@dataclass(frozen=True)
class Format(Declared[Making, Episode]):
    """One form of an export of episodes: ``vantage export --format NAME``.

    Example:
        >>> @contextmanager
        ... def write(making: Making) -> Iterator[Take]:
        ...     with (making.folder / "answers.txt").open("w") as file:
        ...         yield lambda episode: print(episode.row.answer, file=file)
    """

    card: bool = False
    """Whether it is made for data-set libraries, so that the export gets a data card."""


def named(forms: Sequence[F], names: Sequence[str]) -> tuple[F, ...]:
    """The forms with these names, in the order of the list; those that are written by default where none is named.

    Raises:
        ExportRefused: there is no form of that name; the message lists them.
    """
    known = {form.name for form in forms}
    for name in names:
        if name not in known:
            raise ExportRefused(f"There is no export format {name[:40]!r}: choose from {', '.join(form.name for form in forms)}.")
    return tuple(form for form in forms if (form.name in names if names else form.by_default))
