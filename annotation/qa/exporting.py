"""The benchmark as published: one folder per item with ``QA.json``, images and marks; tables of all items; boxes in COCO form.

``<root>/<subtask>/QA<nnn>/QA.json`` holds what the public evaluation script reads (``question``, ``options``, ``correct``), the files
beside it, and under ``item`` the whole document, from which an import makes the same item again. An export appears whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from annotation.qa import pool
from annotation.qa.blind import neutral
from annotation.qa.colours import COLOURS
from annotation.qa.errors import PictureBroken
from annotation.qa.items import LETTERS, Item
from annotation.qa.marks_style import STYLE
from annotation.qa.pictures import ImageMissing, Reader, drawn, shown
from annotation.qa.projects import get_project
from annotation.qa.subtasks import SUBTASKS
from data.files import replace_folder
from data.store import Store, now, os_error
from study.errors import ExportRefused
from study.tables import Row, arrow_schema

MANIFEST = "vantage_qa.json"
"""Marks a folder as an export of ours: such a folder may be replaced."""
PROBLEMS = "problems.json"
"""Items that an export lacks; not there where it lacks none."""
FORMAT = 1

Progress = Callable[[int, int], None]


class QaItemRow(Row):
    """One row per item of the project, in whatever state."""

    item_id: str
    """Item."""
    folder: str
    """Folder of the item in this export; empty: not in it."""
    subtask: str
    """Slug of the subtask."""
    domain: str
    """spatial or robotic."""
    status: str
    """draft, in_review, accepted, flagged, discarded."""
    trial: bool
    """Trial item of a new author: never part of the benchmark."""
    origin: str
    """authored here, or imported."""
    version: int
    """Current version."""
    rounds: int
    """Rounds of review."""
    content_hash: str
    """SHA-256 of the item document."""
    arm: str
    """dual or single."""
    source: str
    """Robot source."""
    episode: str
    """Episode in the source."""
    moment: str
    """Moment of the episode."""
    question: str
    """The question."""
    option_a: str
    """Option A."""
    option_b: str
    """Option B."""
    option_c: str
    """Option C."""
    option_d: str
    """Option D."""
    option_e: str
    """Option E."""
    gold: str | None
    """Letter of the right option; empty: not marked yet."""
    gold_colour: str | None
    """Colour of the right option, where options are colours."""
    hard: str
    """Letters of the hard distractors, JSON list."""
    marks: int
    """Drawn marks."""
    author: str
    """Pseudonymous author."""
    reviews: int
    """Reviews in which an answer was given."""
    clean: int
    """Clean reviews of the last round."""
    matches: int
    """Reviews whose answer was the author's."""
    created_at: str
    """Server time, ISO-8601 UTC."""
    updated_at: str
    """Server time of the last change."""
    document: str
    """The whole item document, JSON."""


class Lacking(BaseModel):
    """An item that could not be written."""

    item_id: str
    folder: str
    """Where it would lie."""
    why: str
    """In words that name no file of this computer."""


class QaExport(BaseModel):
    """What an export holds."""

    items: int = 0
    """Folders written."""
    rows: int = 0
    """Items in the tables, in any state."""
    images: int = 0
    """Clean images, option images included."""
    drawn: int = 0
    """Drawn copies."""
    boxes: int = 0
    """Annotations in the COCO file."""
    subtasks: dict[str, int] = {}
    """Folders per subtask."""
    problems: list[Lacking] = []
    """Accepted items without a folder, since an original of theirs is missing or was changed; also in ``problems.json``."""


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


def export(
    store: Store, project_id: str, out: Path, images: Reader | None, *, progress: Progress | None = None
) -> QaExport:  # fmt: skip
    """Write a project: the tree of its accepted items, and tables of all.

    Args:
        store: the database.
        project_id: the project.
        out: the folder to write; an earlier export there is replaced.
        images: reads originals; None: without images.
        progress: called with (items done, items in all).

    Returns:
        Counts. An item of which an original is missing or changed gets no folder and is named; the rest is there.

    Raises:
        ExportRefused: `out` holds something else.
        ImageMissing, PictureBroken: not one item could be written, so that an earlier export stays.
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    project = get_project(store, project_id)
    everything = pool.items(store, project_id)
    entries = [Entry(s.item, s.number, s.state, s.version) for s in everything if s.state == "accepted" and not s.trial]
    folders = {entry.item.item_id: entry.folder for entry in entries}

    def write(folder: Path) -> QaExport:
        report = write_tree(folder, entries, images, about={"project": project.name, "project_id": project_id}, progress=progress)
        lacking = {problem.item_id for problem in report.problems}
        there = {item_id: place for item_id, place in folders.items() if item_id not in lacking}
        rows = [_row(store, stored, there.get(stored.item.item_id, "")) for stored in everything]
        report.rows = len(rows)
        with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
            for row in rows:
                line = row.model_dump() | {"document": json.loads(row.document), "hard": json.loads(row.hard)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        table = pa.Table.from_pylist([row.model_dump() for row in rows], schema=arrow_schema(QaItemRow))
        pq.write_table(table, folder / "items.parquet", compression="zstd")
        return report

    return replacing(out, write)


def export_entries(
    entries: Sequence[Entry], out: Path, images: Reader | None, *, about: dict[str, Any], progress: Progress | None = None
) -> QaExport:
    """Write a tree of these items alone (a derived set); as `export`."""
    return replacing(out, lambda folder: write_tree(folder, entries, images, about=about, progress=progress))


def replacing(out: Path, write: Callable[[Path], QaExport]) -> QaExport:
    """Let `write` fill a new folder, then put it in the place of `out`."""
    out = out.absolute()
    if out.exists() and not (out.is_dir() and ((out / MANIFEST).is_file() or not any(out.iterdir()))):
        raise ExportRefused(f"{out} is no QA export of this program: name an empty or new folder.")
    try:
        return replace_folder(out, write)
    except OSError as error:
        raise os_error(error, f"write the export {out}") from error


def write_tree(
    folder: Path, entries: Sequence[Entry], images: Reader | None, *, about: dict[str, Any], progress: Progress | None = None
) -> QaExport:
    """The tree, the COCO file and the manifest."""
    report = QaExport()
    places: dict[str, dict[str, str]] = {}
    broken: ImageMissing | PictureBroken | None = None
    for done, entry in enumerate(entries, start=1):
        try:
            places[entry.item.item_id] = _write_item(folder / entry.folder, entry, images, report)
        except (ImageMissing, PictureBroken) as error:
            broken = broken or error
            report.problems.append(Lacking(item_id=entry.item.item_id, folder=entry.folder, why=error.for_people))
            continue
        finally:
            if progress:
                progress(done, len(entries))
        report.items += 1
        report.subtasks[entry.item.subtask] = report.subtasks.get(entry.item.subtask, 0) + 1
    if broken is not None and not report.items:
        raise broken
    if report.problems:
        _write(folder / PROBLEMS, [problem.model_dump() for problem in report.problems])
    boxes = coco([entry for entry in entries if entry.item.item_id in places], places)
    report.boxes = len(boxes["annotations"])
    _write(folder / "coco.json", boxes)
    _write(
        folder / MANIFEST,
        {"made_by": "vantage", "format": FORMAT, "created_at": now(), "images": images is not None, "marks_style": STYLE.version}
        | about
        | {"counts": report.model_dump()},
    )
    return report


def _write_item(folder: Path, entry: Entry, images: Reader | None, report: QaExport) -> dict[str, str]:
    """One folder; returns view → file name. Every picture is made before the folder, so that an item is whole or not there."""
    item = entry.item
    files: dict[str, str] = {}
    copies: dict[str, str] = {}
    options: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    views = SUBTASKS[item.subtask].shown(item)
    if images is not None:
        for view in views:
            data, suffix = shown(view, images(view.image))
            files[view.view] = f"{view.view}{suffix}"
            contents[files[view.view]] = data
            if own := [mark for mark in neutral(item) if mark.view == view.view]:
                copies[view.view] = f"{view.view}_drawn.png"
                contents[copies[view.view]] = drawn(view, data, own)
        for letter, option in item.option_images.items():
            data, suffix = shown(option, images(option.image))
            options[letter] = f"option_{letter}{suffix}"
            contents[options[letter]] = data
    folder.mkdir(parents=True)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    report.drawn += len(copies)
    report.images += len(contents) - len(copies)
    sizes = {view.view: {"width": view.width, "height": view.height, "file": files.get(view.view, "")} for view in views}
    _write(folder / "marks.json", {"views": sizes, "marks": [mark.model_dump(mode="json") for mark in neutral(item)]})
    _write(folder / "QA.json", published(entry, files, copies, options))
    return files


def published(entry: Entry, files: dict[str, str], copies: dict[str, str], options: dict[str, str]) -> dict[str, Any]:
    """The content of ``QA.json``."""
    item = entry.item
    subtask = SUBTASKS[item.subtask]
    return {
        "id": item.item_id,
        "subtask": subtask.name,
        "domain": subtask.domain,
        "question": item.question,
        "options": {letter: item.options[letter] for letter in LETTERS},
        "correct": item.gold,
        "images": files,
        "drawn_images": copies,
        "option_images": options,
        "marks": "marks.json",
        "status": entry.status,
        "version": entry.version,
        "content_hash": item.content_hash,
        "item": item.document(),
    }


def coco(entries: Iterable[Entry], places: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The boxes of these items in COCO form, under the ids of ``marks.json``: one category per colour, each box with its outline as
    ``segmentation``, so that masks can be made and shown. A view without boxes is there too: empty is not undone."""
    pictures: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for entry in entries:
        item = entry.item
        if "box" not in SUBTASKS[item.subtask].marks.kinds:
            continue
        for view in item.views:
            name = places.get(item.item_id, {}).get(view.view)
            picture = {"id": len(pictures) + 1, "file_name": f"{entry.folder}/{name}" if name else "", "width": view.width}
            pictures.append(picture | {"height": view.height, "item_id": item.item_id, "view": view.view, "status": entry.status})
            for mark in (m for m in neutral(item) if m.view == view.view):
                (x0, y0), (x1, y1) = mark.points
                box = {"id": len(annotations) + 1, "image_id": picture["id"], "category_id": COLOURS.index(mark.colour) + 1, "iscrowd": 0}
                shape = {"bbox": [x0, y0, x1 - x0, y1 - y0], "area": (x1 - x0) * (y1 - y0)}
                outline = [x0, y0, x1, y0, x1, y1, x0, y1]
                annotations.append(box | shape | {"segmentation": [outline], "mark_id": mark.id})
    categories = [{"id": k, "name": colour, "supercategory": "box"} for k, colour in enumerate(COLOURS, start=1)]
    return {
        "info": {"description": "Boxes of multi-view QA items"},
        "licenses": [],
        "images": pictures,
        "annotations": annotations,
        "categories": categories,
    }


def _row(store: Store, stored: pool.Stored, folder: str) -> QaItemRow:
    item = stored.item
    reviews = pool.reviews(store, item.item_id)
    answered = [r for r in reviews if r.answer is not None]
    golds = {r.version: pool.at_version(store, item.item_id, r.version).gold for r in answered}
    options: dict[str, Any] = {f"option_{letter.lower()}": item.options.get(letter, "") for letter in LETTERS}
    return QaItemRow(
        **options,
        **{name: getattr(item, name) for name in ("item_id", "subtask", "content_hash", "arm", "source", "episode", "moment", "question")},
        **{name: getattr(stored, name) for name in ("trial", "origin", "version", "author", "created_at", "updated_at")},
        folder=folder,
        domain=SUBTASKS[item.subtask].domain,
        status=stored.state,
        rounds=stored.round,
        gold=item.gold,
        gold_colour=SUBTASKS[item.subtask].gold_colour(item),
        hard=json.dumps(list(item.hard)),
        marks=len(item.marks),
        reviews=len(answered),
        clean=sum(r.state == "clean" and r.round == stored.round for r in reviews),
        matches=sum(r.answer == golds[r.version] for r in answered),
        document=item.canonical_json(),
    )


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
