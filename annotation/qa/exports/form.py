"""What an export format of items is: a name, words, the counts that it reports, and how it writes one item after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from annotation.qa.items import LETTERS, VIEW_WORDS, Item
from annotation.qa.stored import Stored
from annotation.qa.subtasks import SUBTASKS
from data.store import Store
from study.exports.card import Config
from study.tables import Row


@dataclass(frozen=True)
class Entry:
    """One item to write, under the number that names its folder."""

    item: Item
    number: int
    status: str = "accepted"
    version: int = 1

    @property
    def folder(self) -> str:
        """``matching/QA012``."""
        return f"{self.item.subtask}/QA{self.number:03d}"


@dataclass(frozen=True)
class Given:
    """One picture of the question as it is given to whoever answers."""

    file: str
    """Its name in the item's folder."""
    illustration: str
    """What it is, in words: ``head view``, ``Image A``."""


@dataclass(frozen=True)
class Written:
    """An item whose pictures lie in its folder. Without pictures the mappings are empty."""

    entry: Entry
    clean: dict[str, str] = field(default_factory=dict)
    """View → file name of the picture without marks."""
    drawn: dict[str, str] = field(default_factory=dict)
    """View → file name of the copy with its marks, where it has some."""
    options: dict[str, str] = field(default_factory=dict)
    """Letter → file name, where options are pictures."""
    legible: dict[str, str] = field(default_factory=dict)
    """File name → that of a PNG of the same pixels, where models do not take the file itself."""

    @property
    def given(self) -> list[Given]:
        """The pictures in the order in which they are asked about: views, marked where the question is about marks, then options."""
        shown = [view.view for view in SUBTASKS[self.entry.item.subtask].shown(self.entry.item) if view.view in self.clean]
        files = [(self.drawn.get(view) or self.clean[view], VIEW_WORDS.get(view, view)) for view in shown]
        files += [(self.options[letter], f"Image {letter}") for letter in LETTERS if letter in self.options]
        return [Given(self.legible.get(file, file), words) for file, words in files]


Take = Callable[[Written], None]
"""Receives one item with its pictures."""


@dataclass(frozen=True)
class Making:
    """One export that is being written."""

    folder: Path
    """Where the format writes. The folder appears under its name when the export is whole."""
    images: bool
    """Whether pictures are wanted."""
    store: Store | None = None
    """The project's database; None for a derived set, which has no items but those that are written."""
    stored: Sequence[Stored] = ()
    """Every item of the project, in whatever state."""
    folders: dict[str, str] = field(default_factory=dict)
    """Item → its folder, of those that have been written."""
    counts: Counter[str] = field(default_factory=Counter)
    """What has been written so far; each format adds to the counts that it declares."""


def nothing(making: Making) -> tuple[Config, ...]:
    """What a format declares that writes nothing for data-set libraries."""
    return ()


@dataclass(frozen=True)
class Format:
    """One form of an export of items.

    Example:
        >>> @contextmanager
        ... def write(making: Making) -> Iterator[Take]:
        ...     with (making.folder / "questions.txt").open("w", encoding="utf-8") as file:
        ...         yield lambda written: print(written.entry.item.question, file=file)
    """

    name: str
    """By which it is chosen: ``vantage qa export --format NAME``."""
    title: str
    """A few words for a list of choices."""
    text: str
    """What it holds and what it is for, in a sentence."""
    counts: tuple[str, ...]
    """Names of what it counts, for the report."""
    write: Callable[[Making], AbstractContextManager[Take]]
    """Opens the format's files, gives what takes the items one by one, and closes the files behind them."""
    configs: Callable[[Making], tuple[Config, ...]] = nothing
    """What the data card says that can be loaded of it, once it is written."""
    folders: bool = True
    """Whether it needs the items one by one, in folders with their pictures: none are made where no format does."""
    tables: Mapping[str, type[Row]] = field(default_factory=dict)
    """Its tables by the names of their files, for the data dictionary."""
