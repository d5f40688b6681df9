"""What an export format of items is: a name, words, the counts that it reports, and how it writes one item after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.qa.items import LETTERS, VIEW_WORDS, Item
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work.stored import Stored
from data.store import Store
from study.exports.form import Declared
from study.tabular import Row


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
    project_id: str = ""
    """The project; empty for a derived set."""
    stored: Sequence[Stored] = ()
    """Every item of the project, in whatever state."""
    folders: dict[str, str] = field(default_factory=dict)
    """Item → its folder, of those that have been written."""
    counts: Counter[str] = field(default_factory=Counter)
    """What has been written so far; each format adds to the counts that it declares."""


@dataclass(frozen=True)
class Format(Declared[Making, Written]):
    """One form of an export of items: ``vantage qa export --format NAME``.

    Example:
        >>> @contextmanager
        ... def write(making: Making) -> Iterator[Take]:
        ...     with (making.folder / "questions.txt").open("w", encoding="utf-8") as file:
        ...         yield lambda written: print(written.entry.item.question, file=file)
    """

    folders: bool = True
    """Whether it needs the items one by one, in folders with their pictures: none are made where no format does."""
    tables: Mapping[str, type[Row]] = field(default_factory=dict)
    """Its tables by the names of their files, for the data dictionary."""
