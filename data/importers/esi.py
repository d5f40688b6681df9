"""The ESI-Bench importer: released row files in, tasks or reasoned rejections out.

Format facts are those of the released repository; where it leaves something open (a mirror's size, the height of furniture), the
choice is made here, said in a docstring and, where it concerns one row, in the task's tags.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from data.importers import scenes_changing, scenes_counted, scenes_physics, scenes_rooms, scenes_things
from data.importers.answers import read_answer
from data.importers.drafts import DATASET, Draft, assemble
from data.importers.drafts import IMPORTER as VERSION
from data.importers.fields import FieldError
from data.importers.importer import Imported, Importer
from data.importers.reading import RawRow, Rejection, SummaryFile, read_files
from data.importers.rows import Row, read_row, suspect, unstorable
from data.task import Task

_MODULES = (scenes_changing, scenes_counted, scenes_physics, scenes_rooms, scenes_things)
_SCENES: dict[str, Callable[[Row], Draft]] = {reader.__name__: reader for module in _MODULES for reader in module.READERS}
"""Released runner module → how its scenes are read; a reader is named like its runner."""


def read_rows(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Task | Rejection | SummaryFile]:
    """Read released rows: files, folders, summary lists (see `reading.read_files`). Never raises for bad input."""
    for entry in import_rows(paths):
        yield entry.task if isinstance(entry, Imported) else entry


def import_rows(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Imported | Rejection | SummaryFile]:
    """Like `read_rows`, with the file and the duplicate key of every task."""
    for entry in read_files(paths):
        yield build(entry) if isinstance(entry, RawRow) else entry


def build(raw: RawRow) -> Imported | Rejection:
    """One parsed row to a task, or why not."""
    row: Row | None = None
    try:
        row = read_row(raw)
        question, gold = read_answer(row)
        task = assemble(row, _SCENES[row.kind.runner](row), question, gold)
        if suspect(raw):
            task.content_hash  # noqa: B018 - fails here for what cannot be written as JSON
        return Imported(task, raw.file, f"{VERSION}:{row.dedup_key}")
    except FieldError as error:
        return Rejection(raw.file, error.field, _sentence(error.reason))
    except ValidationError as error:
        first = error.errors()[0]
        return Rejection(raw.file, ".".join(str(p) for p in first["loc"]) or "row", _sentence(str(first["msg"])))
    except ValueError as error:  # infinity, half surrogates, nesting beyond what can be written
        cause = unstorable(row.source(), "row") if row is not None else FieldError("", str(error))
        return Rejection(raw.file, cause.field.removeprefix("row."), _sentence(cause.reason))


def _sentence(reason: str) -> str:
    reason = reason.encode("utf-8", "backslashreplace").decode()[:400]
    return reason[:1].upper() + reason[1:] + ("" if reason.endswith((".", "…")) else ".")


LOOKED = 2_000
"""Files looked at to see whether a folder holds any ``.json``."""


def holds(path: Path) -> bool:
    """Whether it is a ``.json`` file, or a folder with one among the first files in it."""
    if os.path.isdir(path):  # noqa: PTH112 - never raises, nor does walking
        names = (name for _, _, files in os.walk(path) for name in files)
        return any(name.lower().endswith(".json") for name in islice(names, LOOKED))
    return path.suffix.lower() == ".json"


IMPORTER = Importer(
    name="esi",
    dataset=DATASET,
    label="released ESI-Bench rows",
    holds=holds,
    rows=import_rows,
    hint="name the release's json_clean folder, one of its files, or a summary list",
)
