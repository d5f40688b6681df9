"""Items leave Vantage: one folder per item with its pictures, and the forms of `annotation.qa.exports.FORMATS`. An export appears whole or
not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from annotation.qa.drawn.marks_style import STYLE
from annotation.qa.drawn.pictures import ImageMissing, Reader, drawn, shown
from annotation.qa.errors import PictureBroken
from annotation.qa.exports import FORMATS
from annotation.qa.exports.form import Entry, Format, Making, Written
from annotation.qa.exports.published import write_json
from annotation.qa.items import ViewImage
from annotation.qa.projects import get_project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from annotation.qa.work.blind import neutral
from data.files import replace_folder
from data.store import Store, now, os_error
from study.errors import ExportRefused
from study.exports.card import write_card
from study.exports.form import named
from study.tabular import write_dictionary

MANIFEST = "vantage_qa.json"
"""Marks a folder as an export of ours: such a folder may be replaced."""
PROBLEMS = "problems.json"
"""Items that an export lacks; not there where it lacks none."""
FORMAT = 2
"""Of the tree: 1 had an object of clean pictures as ``images`` in ``QA.json``, which the released vision script cannot read."""
LEGIBLE = (".png", ".jpg")
"""Pictures that the released scripts send as what they are; of others a model is given a PNG."""
LEGIBLE_COPY = "_shown.png"
"""How the name of such a PNG ends, after the picture's own without its suffix."""

Progress = Callable[[int, int], None]


class Lacking(BaseModel):
    """An item that could not be written."""

    item_id: str
    folder: str
    """Where it would lie."""
    why: str
    """In words that name no file of this computer."""


class QaExport(BaseModel):
    """What an export holds: the counts of its formats by name, such as ``report.items``; 0 where a format was left out."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    images: int = 0
    """Clean images, option images included."""
    drawn: int = 0
    """Drawn copies."""
    subtasks: dict[str, int] = {}
    """Folders per subtask."""
    problems: list[Lacking] = []
    """Accepted items without a folder, since an original of theirs is missing or was changed; also in ``problems.json``."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


def export(
    store: Store,
    project_id: str,
    out: Path,
    images: Reader | None,
    *,
    only: Sequence[str] = (),
    progress: Progress | None = None,
) -> QaExport:
    """Write a project: its accepted items, and tables of all.

    Args:
        store: the database.
        project_id: the project.
        out: the folder to write; an earlier export there is replaced.
        images: reads originals; None: without images.
        only: names of formats (`annotation.qa.exports.FORMATS`); empty: all of them.
        progress: called with (items done, items in all).

    Returns:
        Counts. An item of which an original is missing or changed gets no folder and is named; the rest is there.

    Raises:
        ExportRefused: `out` holds something else, or there is no such format.
        ImageMissing, PictureBroken: not one item could be written, so that an earlier export stays.
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    forms = named(FORMATS, only)
    project = get_project(store, project_id)
    everything = pool.items(store, project_id)
    entries = [Entry(s.item, s.number, s.state, s.version) for s in everything if s.state == "accepted" and not s.trial]
    about = {"project": project.name, "project_id": project_id}

    def write(folder: Path) -> QaExport:
        making = Making(folder, images is not None, store, project_id, everything)
        return _write(making, entries, images, forms, name=project.name, about=about, progress=progress)

    return _replacing(out, write)


def export_entries(
    entries: Sequence[Entry],
    out: Path,
    images: Reader | None,
    *,
    name: str,
    about: dict[str, Any],
    only: Sequence[str] = (),
    progress: Progress | None = None,
) -> QaExport:
    """Write these items alone (a derived set) under a name; as `export`."""
    forms = named(FORMATS, only)

    def write(folder: Path) -> QaExport:
        making = Making(folder, images is not None)
        return _write(making, entries, images, forms, name=name, about=about, progress=progress)

    return _replacing(out, write)


def _replacing(out: Path, write: Callable[[Path], QaExport]) -> QaExport:
    """Let `write` fill a new folder, then put it in the place of `out`."""
    out = out.absolute()
    if out.exists() and not (out.is_dir() and ((out / MANIFEST).is_file() or not any(out.iterdir()))):
        raise ExportRefused(f"{out} is no QA export of this program: name an empty or new folder.")
    try:
        return replace_folder(out, write)
    except OSError as error:
        raise os_error(error, f"write the export {out}") from error


def _write(
    making: Making,
    entries: Sequence[Entry],
    images: Reader | None,
    forms: Sequence[Format],
    *,
    name: str,
    about: dict[str, Any],
    progress: Progress | None,
) -> QaExport:
    """One pass over the items, each handed to every form; then the data card and the manifest."""
    report = QaExport.model_validate({})
    broken: ImageMissing | PictureBroken | None = None
    with ExitStack() as opened_forms:
        takers = [opened_forms.enter_context(form.write(making)) for form in forms]
        for done, entry in enumerate(entries if any(form.folders for form in forms) else (), start=1):
            try:
                written = _pictures(making.folder / entry.folder, entry, images)
            except (ImageMissing, PictureBroken) as error:
                broken = broken or error
                report.problems.append(Lacking(item_id=entry.item.item_id, folder=entry.folder, why=error.for_people))
            else:
                making.folders[entry.item.item_id] = entry.folder
                for take in takers:
                    take(written)
                report.images += len(written.clean) + len(written.options)
                report.drawn += len(written.drawn)
                report.subtasks[entry.item.subtask] = report.subtasks.get(entry.item.subtask, 0) + 1
            if progress:
                progress(done, len(entries))
        if broken is not None and not making.folders:
            raise broken
    if report.problems:
        write_json(making.folder / PROBLEMS, [problem.model_dump() for problem in report.problems])
    counts = {count: making.counts[count] for form in FORMATS for count in form.counts}
    report = QaExport.model_validate(report.model_dump() | counts)
    tables = {name: model for form in forms for name, model in form.tables.items() if (making.folder / f"{name}.parquet").is_file()}
    if tables:
        write_dictionary(making.folder, tables)
    write_card(
        making.folder,
        title="Multi-view questions about robot episodes",
        text="Each item is one question with five options, A to E, about synchronized camera views of one moment of a robot episode.",
        name=name,
        tasks=("visual-question-answering",),
        configs=sorted((config for form in forms for config in form.configs(making)), key=lambda config: config.split != "test"),
    )
    manifest = {"made_by": "vantage", "format": FORMAT, "created_at": now(), "images": making.images, "marks_style": STYLE.version}
    write_json(making.folder / MANIFEST, manifest | about | {"counts": report.model_dump()})
    return report


def _pictures(folder: Path, entry: Entry, images: Reader | None) -> Written:
    """One item's folder with its pictures, where pictures are wanted. Every picture is made before the folder, so that an item is whole or
    not there."""
    written, item = Written(entry), entry.item
    contents: dict[str, bytes] = {}

    def keep(view: ViewImage, name: str, read: Reader) -> str:
        data, suffix = shown(view, read(view.image))
        file = f"{name}{suffix}"
        contents[file] = data
        if suffix not in LEGIBLE:
            written.legible[file] = f"{name}{LEGIBLE_COPY}"
            contents[written.legible[file]] = drawn(view, data, ())
        return file

    if images is not None:
        for view in SUBTASKS[item.subtask].shown(item):
            written.clean[view.view] = file = keep(view, view.view, images)
            if own := [mark for mark in neutral(item) if mark.view == view.view]:
                written.drawn[view.view] = f"{view.view}_drawn.png"
                contents[written.drawn[view.view]] = drawn(view, contents[file], own)
        for letter, option in item.option_images.items():
            written.options[letter] = keep(option, f"option_{letter}", images)
    folder.mkdir(parents=True)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return written
