"""Is a published tree sound? Read as the public evaluation script reads it, and, where documents are there, by all rules."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.qa import rules
from annotation.qa.drawn.pictures import opened
from annotation.qa.errors import QaError
from annotation.qa.items import LETTERS, Item, ViewImage
from annotation.qa.published.exporting import LEGIBLE_COPY, MANIFEST
from annotation.qa.published.importing import (
    ADDRESS,
    MAX_JSON_BYTES,
    Found,
    beside,
    clean_files,
    files,
    listed,
    picture_bytes,
    picture_file,
    read,
)
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import folded
from annotation.qa.work import balance
from annotation.qa.work.blind import neutral
from data.foreign import Unreadable, json_file


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a file."""

    file: str
    field: str
    sentence: str


@dataclass
class Checked:
    """What a check found."""

    items: int = 0
    documents: int = 0
    """Items that carry their whole document; the others are read as published alone."""
    images: int = 0
    """Image files looked at."""
    marks_style: int | None = None
    """Version of the style of the drawn copies (`annotation.qa.drawn.marks_style`); None: the tree has no manifest."""
    faults: list[Fault] = field(default_factory=list)
    balance: dict[str, Any] = field(default_factory=dict)
    """`balance.report`, for the items with documents."""
    letters: dict[str, dict[str, int]] = field(default_factory=dict)
    """Folder of a subtask → letter → right answers."""

    @property
    def ok(self) -> bool:
        """Whether there is something, and nothing is wrong."""
        return self.items > 0 and not self.faults

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        return {
            "ok": self.ok,
            "items": self.items,
            "documents": self.documents,
            "images": self.images,
            "marks_style": self.marks_style,
            "faults": [vars(fault) for fault in self.faults],
            "letters": self.letters,
            "balance": self.balance,
        }


def check_tree(root: Path, *, images: bool = True, balanced: bool = False) -> Checked:
    """Look at every ``QA.json`` below a folder.

    Args:
        root: the folder.
        images: look at the image files too. A tree that was exported without them says so itself.
        balanced: letters and colours that are not within one of uniform are a fault.

    Returns:
        Counts, faults and figures.
    """
    manifest = _manifest(root)
    # Exports that name no style are from before there were two.
    report = Checked(marks_style=None if manifest is None else manifest.get("marks_style", 1))
    images = images and bool((manifest or {}).get("images", True))
    ids: dict[str, str] = {}
    items: list[Item] = []
    letters: dict[str, Counter[str]] = defaultdict(Counter)
    for path in files(root):
        name = path.relative_to(root).as_posix()
        report.items += 1
        try:
            found = read(path)
        except QaError as error:
            report.faults.append(_fault(name, str(error)))
            continue
        folder = path.parent.parent.relative_to(root).as_posix() if path.parent != root else "."
        letters[folder][found.content["correct"]] += 1
        report.faults += [Fault(name, where, sentence) for where, sentence in _published(found)]
        if images:
            report.faults += [Fault(name, where, sentence) for where, sentence in _given(found, root, report)]
        if found.item is None:
            continue
        report.documents += 1
        items.append(found.item)
        if (other := ids.setdefault(found.item.item_id, name)) != name:
            report.faults.append(Fault(name, "id", f"It has the same id as {other}."))
        report.faults += [Fault(name, where, sentence) for where, sentence in _document(found, found.item)]
        if images:
            for where, sentence in _images(found, found.item, report):
                report.faults.append(Fault(name, where, sentence))
    report.letters = {folder: {x: count[x] for x in LETTERS} for folder, count in sorted(letters.items())}
    report.balance = balance.report(item for item in items if item.gold is not None)
    if balanced:
        for slug, row in report.balance["subtasks"].items():
            if not row["within_one"]:
                report.faults.append(Fault(slug, "correct", "The right answers' letters or colours are not within one of uniform."))
    return report


def _manifest(root: Path) -> dict[str, Any] | None:
    """What a tree says of itself; None where it does not, or not readably."""
    try:
        found = json_file(root / MANIFEST, MAX_JSON_BYTES)
    except Unreadable:
        return None
    return found if isinstance(found, dict) else None


def _fault(name: str, text: str) -> Fault:
    where, _, rest = text.partition(": ")
    return Fault(name, where, rest) if rest and " " not in where else Fault(name, "", text)


def _published(found: Found) -> Iterator[tuple[str, str]]:
    """What any reader sees."""
    same = defaultdict(list)
    for letter, text in found.content["options"].items():
        if not text.strip():
            yield f"options.{letter}", f"Option {letter} is empty."
        same[folded(text)].append(letter)
    for letters in same.values():
        if len(letters) > 1 and found.item is None:
            yield "options", f"Options {', '.join(letters)} say the same."


def _document(found: Found, item: Item) -> Iterator[tuple[str, str]]:
    for problem in rules.check(item):
        yield problem.field, problem.sentence
    content = found.content
    if content.get("id") != item.item_id:
        yield "id", f"The file says {content.get('id')!r}, the document {item.item_id!r}."
    if content.get("content_hash") != item.content_hash:
        yield "content_hash", "The document is not the one that was exported: its hash differs."
    try:
        marks = json_file(beside(found.path, content.get("marks", "marks.json")), MAX_JSON_BYTES)["marks"]
    except (QaError, Unreadable, LookupError, TypeError) as error:
        yield "marks", f"The marks cannot be read: {error}"
        return
    if marks != [mark.model_dump(mode="json") for mark in neutral(item)]:
        yield "marks", "marks.json and the document do not hold the same marks."


def _given(found: Found, root: Path, report: Checked) -> Iterator[tuple[str, str]]:
    """The pictures that the released vision script gives to a model: it skips what is missing with a warning, and asks all the same."""
    try:
        pictures = listed(found.content)
    except QaError as error:
        fault = _fault("", str(error))
        yield fault.field, fault.sentence
        return
    for picture in pictures:
        if picture.path.startswith(ADDRESS):
            continue
        try:
            file = picture_file(found, picture, root)
            opened(file.read_bytes(), picture.path).load()
            report.images += 1
        except (QaError, OSError) as error:
            fault = _fault("", str(error))
            yield picture.where, fault.sentence
    if found.item is not None:
        yield from _complete(found, found.item, [Path(picture.path).name for picture in pictures])


def _complete(found: Found, item: Item, pictures: list[str]) -> Iterator[tuple[str, str]]:
    """Whether a model gets what a person sees: every view, drawn where it has marks, and every option that is a picture."""
    drawn, clean, options = found.content.get("drawn_images"), clean_files(found.content), found.content.get("option_images")
    copies, choices = (value if isinstance(value, dict) else {} for value in (drawn, options))
    for view in SUBTASKS[item.subtask].shown(item):
        file = (copies if item.on(view.view) else clean).get(view.view)
        if not _among(file, pictures):
            yield "images", f"The {view.view} view{' with its marks' if item.on(view.view) else ''} ({file}) is not listed."
    for letter in item.option_images:
        if not _among(choices.get(letter), pictures):
            yield "images", f"The picture of option {letter} ({choices.get(letter)}) is not listed."


def _among(file: Any, pictures: list[str]) -> bool:
    """Whether a file, or its copy that models take, is listed."""
    return isinstance(file, str) and (file in pictures or f"{Path(file).stem}{LEGIBLE_COPY}" in pictures)


def _images(found: Found, item: Item, report: Checked) -> Iterator[tuple[str, str]]:
    named_files = clean_files(found.content)
    copies = found.content.get("drawn_images") or {}
    options = found.content.get("option_images") or {}
    wanted: list[tuple[str, Any, ViewImage, bool]] = []
    for view in SUBTASKS[item.subtask].shown(item):
        wanted.append((f"clean_images.{view.view}", named_files.get(view.view), view, True))
        if item.on(view.view):
            wanted.append((f"drawn_images.{view.view}", copies.get(view.view), view, False))
    wanted += [(f"option_images.{letter}", options.get(letter), image, True) for letter, image in item.option_images.items()]
    for where, name, image, original in wanted:
        try:
            data = picture_bytes(beside(found.path, name))
            report.images += 1
            size = opened(data, str(name)).size
        except QaError as error:
            yield where, str(error)
            continue
        if size != (image.width, image.height):
            yield where, f"{name} has {size[0]}×{size[1]} pixels, the document says {image.width}×{image.height}."
        if original and not image.transform and hashlib.sha256(data).hexdigest() != image.image:
            yield where, f"{name} is not the original: its SHA-256 differs."
