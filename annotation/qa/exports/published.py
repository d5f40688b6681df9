"""The tree as published: ``<subtask>/QA<nnn>/QA.json`` beside its pictures and marks.

``QA.json`` holds what the public evaluation scripts read (``question``, ``options``, ``correct``, ``images``), the files beside it, and
under ``item`` the whole document, from which an import makes the same item again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.qa.exports.form import Format, Making, Take, Written
from annotation.qa.items import LETTERS
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work.blind import neutral


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """``QA.json`` and ``marks.json`` in each item's folder."""

    def take(written: Written) -> None:
        folder = making.folder / written.entry.folder
        write_json(folder / "marks.json", marks(written))
        write_json(folder / "QA.json", published(written))
        making.counts["items"] += 1

    yield take


def published(written: Written) -> dict[str, Any]:
    """The content of ``QA.json``. ``images`` lists what is given to a model, in that order: the released vision script reads ``path``
    relative to the file and says ``illustration`` before the picture."""
    entry = written.entry
    item = entry.item
    subtask = SUBTASKS[item.subtask]
    return {
        "id": item.item_id,
        "subtask": subtask.name,
        "domain": subtask.domain,
        "question": item.question,
        "options": {letter: item.options[letter] for letter in LETTERS},
        "correct": item.gold,
        "images": [{"path": given.file, "illustration": given.illustration} for given in written.given],
        "clean_images": written.clean,
        "drawn_images": written.drawn,
        "option_images": written.options,
        "not_visible": [{"view": there.view, "colour": there.colour} for there in item.absent],
        "marks": "marks.json",
        "status": entry.status,
        "version": entry.version,
        "content_hash": item.content_hash,
        "item": item.document(),
    }


def marks(written: Written) -> dict[str, Any]:
    """The content of ``marks.json``: sizes of the views, and the marks in an order that says nothing of the right one."""
    item = written.entry.item
    views = SUBTASKS[item.subtask].shown(item)
    sizes = {view.view: {"width": view.width, "height": view.height, "file": written.clean.get(view.view, "")} for view in views}
    return {"views": sizes, "marks": [mark.model_dump(mode="json") for mark in neutral(item)]}


def write_json(path: Path, value: Any) -> None:
    """One JSON file, indented, ending in a line break."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


FORMAT = Format(
    name="published",
    title="Folders of items",
    text="Every accepted item as published: QA.json for the public evaluation scripts, beside its pictures and marks.",
    counts=("items",),
    write=write,
)
