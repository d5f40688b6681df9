"""What is audited: a folder of files, the tasks of a study or data set in the store, or a project's robot questions; as one form of row.

Nothing here raises for a bad file: a file that is meant as a row and cannot be read is a row with the reason, any other is named among
what was left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from annotation.auditing.check import Audited, Row
from annotation.qa.errors import QaError
from annotation.qa.evaluating.evaluation import task_of
from annotation.qa.items import Item
from annotation.qa.projects import get_project
from annotation.qa.work.stored import items
from data.foreign import Unreadable, json_value
from data.importers.esi import build
from data.importers.importer import Imported
from data.importers.reading import RawRow, SummaryFile, read_files
from data.store import Store
from data.task import Task
from study.studies import get_study

FIELDS = (
    "id",
    "big_task",
    "small_task",
    "runner_task",
    "scene",
    "room",
    "question",
    "answer",
    "answer_type",
    "options_json",
    "image_paths_json",
    "metadata_json",
)
"""The twelve fields of a released row."""
ENOUGH = 3
"""An object with this many of them is meant as a row; one with fewer is a foreign file."""
_DECODED = {"options_json": "options", "image_paths_json": "image_paths", "metadata_json": "metadata"}
Tell = Callable[[int, int, str], None]


def nobody(done: int, total: int, what: str) -> None:
    """Progress that nobody asked for."""


def read_path(path: Path, tell: Tell = nobody) -> Audited:
    """Every row under a file or folder: released rows and own task documents, mixed as they come."""
    rows: list[Row] = []
    others: dict[str, str] = {}
    for n, entry in enumerate(read_files([path]), start=1):
        if isinstance(entry, SummaryFile):
            others[entry.file] = f"A list of {len(entry.rows)} rows, no row itself."
        elif isinstance(entry, RawRow):
            row = read_raw(entry)
            if row is None:
                others[entry.file] = "Neither a released row nor a task: it has none of their fields."
            else:
                rows.append(row)
        elif entry.reason.startswith("Is no row"):
            others[entry.file] = entry.reason
        else:
            rows.append(Row(Path(entry.file).stem, entry.file, None, f"{entry.field + ': ' if entry.field else ''}{entry.reason}"))
        if n % 500 == 0:
            tell(n, 0, "files read")
    others.update(_no_json(path))
    return Audited(rows, others, progress=tell)


def read_raw(raw: RawRow) -> Row | None:
    """One decoded file as a row; None: it is neither a released row nor a task document."""
    value = raw.value
    if "task_id" in value and "scene" in value:
        return _own(value, raw.file)
    if sum(name in value for name in FIELDS) < ENOUGH:
        return None
    built = build(raw)
    decoded = {_DECODED.get(name, name): _decoded(name, found) for name, found in value.items()}
    row_id = str(value.get("id") or Path(raw.file).stem)[:120]
    if isinstance(built, Imported):
        return Row(row_id, raw.file, built.task, raw=decoded)
    return Row(row_id, raw.file, None, f"{built.field + ': ' if built.field else ''}{built.reason}", decoded)


def _own(value: dict[str, Any], file: str) -> Row:
    try:
        task = Task(**value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = f"{where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ')}"
        return Row(str(value["task_id"])[:120], file, None, f"Is no task: {said[:300]}.", value)
    except (ValueError, TypeError) as error:
        return Row(str(value["task_id"])[:120], file, None, f"Is no task: {str(error)[:300]}", value)
    return Row(task.task_id, file, task, raw=task.source)


def _decoded(name: str, value: Any) -> Any:
    if name not in _DECODED or not isinstance(value, str):
        return value
    try:
        return json_value(value, halves="keep")
    except Unreadable:
        return value


def _no_json(path: Path) -> dict[str, str]:
    if not path.is_dir():
        return {}
    endings = Counter(file.suffix.lower() or "no ending" for file in path.rglob("*") if file.suffix.lower() != ".json" and file.is_file())
    return {f"*{ending}": f"{count} files that are no .json; they were not looked at." for ending, count in sorted(endings.items())}


def of_tasks(tasks: Iterable[Task], tell: Tell = nobody) -> Audited:
    """Tasks that are in hand."""
    return Audited([_row(task) for task in tasks], progress=tell)


def _row(task: Task) -> Row:
    return Row(task.provenance.row_id or task.task_id, task.provenance.file, task, raw=task.source)


def of_study(store: Store, study_id: str, tell: Tell = nobody) -> Audited:
    """The tasks of a study.

    Raises:
        UnknownStudy: it is not here.
    """
    return of_tasks(_stored(store, get_study(store, study_id).tasks), tell)


def of_dataset(store: Store, dataset: str, tell: Tell = nobody) -> Audited:
    """Every task of a data set in the store, in its latest version."""
    return of_tasks(store.tasks(dataset=dataset), tell)


def _stored(store: Store, hashes: Iterable[str]) -> Iterator[Task]:
    for task_hash in hashes:
        yield store.get_task(task_hash)


def of_project(store: Store, project_id: str, tell: Tell = nobody) -> Audited:
    """A project's robot questions that are not discarded, each as the task that it would be asked as.

    Raises:
        UnknownItem: it is not here.
    """
    project = get_project(store, project_id).project_id
    found = [_question(stored.item, project) for stored in items(store, project) if stored.state != "discarded"]
    return Audited(found, progress=tell)


def _question(item: Item, project_id: str) -> Row:
    try:
        return Row(item.item_id, "", task_of(item, project_id), raw=item.document())
    except (QaError, ValueError, ZeroDivisionError) as error:
        return Row(item.item_id, "", None, str(error)[:400], item.document())
