"""What a runner needs of a row and does not find, and results that would overwrite each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.checks.payload import meta, rules_by_kind, tells
from data.subcategories import BY_KEY

_REQUIRED = ("id", "big_task", "small_task", "runner_task", "scene", "room", "question", "answer", "answer_type", "options", "metadata")
_TOLD = ("answer", "options", "gold", "blanks")


def _missing(audited: Audited) -> Iterator[Finding]:
    for row in audited.rows:
        if not row.raw or "item_id" in row.raw or "task_id" in row.raw or (row.task is not None and "big_task" not in row.raw):
            continue
        absent = [name for name in _REQUIRED if name not in row.raw or row.raw[name] in ("", None)]
        if absent:
            yield Finding(row, f"The row has no {', '.join(absent)}.")
        elif row.rejected and not row.rejected.startswith(_TOLD):
            yield Finding(row, f"A runner cannot read the row: {row.rejected}")


def _unreadable(audited: Audited) -> Iterator[Finding]:
    for row in audited.rows:
        if row.rejected and (not row.raw or "task_id" in row.raw or "item_id" in row.raw):
            yield Finding(row, row.rejected)


def result_name(row: Row) -> tuple[Any, ...] | None:
    """What names a row's results in the released runner: (runner, scene, room, question id)."""
    kind = BY_KEY.get(row.kind)
    if kind is None or not kind.runner or not row.raw:
        return None
    payload = meta(row)
    scene, room = row.raw.get("scene"), row.raw.get("room")
    given = payload.get("question_id")
    if kind.run_name and isinstance(payload.get("run_idx"), int):
        name = kind.run_name.format(scene=scene, room=room, index=payload["run_idx"])
    elif isinstance(given, str) and given:
        name = PurePosixPath(given).name
    elif row.file:
        name = PurePosixPath(row.file).stem
    else:
        return None
    return kind.runner, scene, room, name


def _overwritten(audited: Audited) -> Iterator[Finding]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row, _ in audited.tasks:
        if (name := result_name(row)) is not None:
            groups[name].append(row)
    for (runner, scene, room, name), rows in groups.items():
        for row in rows if len(rows) > 1 else ():
            others = [other.row_id for other in rows if other is not row]
            yield Finding(
                row,
                f"The released runner writes {runner}/{scene}/{room}/{name}_answer.json for this row and for {', '.join(others)}.",
                tuple(others),
            )


@tells
def _skipped(row: Row) -> str | None:
    name = PurePosixPath(row.file).name
    return f"The released runner skips files with “__” in their name, and this one is {name}." if "__" in name else None


def _misfiled(audited: Audited) -> Iterator[Finding]:
    for row in audited.rows:
        parts = PurePosixPath(row.file).parts
        kind = (row.raw.get("big_task"), row.raw.get("small_task"))
        folder = next((parts[i : i + 2] for i in range(len(parts) - 2) if parts[i : i + 2] in BY_KEY), None)
        if folder is not None and kind in BY_KEY and folder != kind:
            yield Finding(row, f"The row says {kind[0]} / {kind[1]}, but lies in the folder of {folder[0]} / {folder[1]}.")


CHECKS = (
    Check(
        id="field-missing",
        severity="error",
        about="Rows that lack a field which a runner needs, or hold one that cannot be read: no camera, no object, a pose that is none.",
        fix="Complete the row from its source, or leave it out.",
        look=_missing,
    ),
    Check(
        id="file-unreadable",
        severity="error",
        about="Files among the rows that are broken: cut off, not JSON, not text, or a task document that does not hold.",
        fix="Copy the file again from its source.",
        look=_unreadable,
    ),
    Check(
        id="row-misfiled",
        severity="warning",
        about="Rows that lie in the folder of another category or subcategory than they say.",
        fix="Move the file, or correct the row's category.",
        look=_misfiled,
    ),
    Check(
        id="result-overwritten",
        severity="warning",
        about="Rows for which the released runner writes the same result file (runner, scene, room, question id): the last one run "
        "replaces the results of the others. Duplicates are among them.",
        fix="Name results by the row's id.",
        look=_overwritten,
    ),
    Check(
        id="runner-skips",
        severity="warning",
        about="Rigid Containment: rows that the released runner never plays, because of their file's name.",
        fix="Rename the file, or play the row elsewhere.",
        look=rules_by_kind({("Physical Structure", "Rigid Containment"): _skipped}),
    ),
)
