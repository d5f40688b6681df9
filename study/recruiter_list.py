"""A recruitment platform's list of submissions: Prolific's export, or a plain table with a column for the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from data.foreign import Unreadable, file_bytes, table
from study.errors import StudyError

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "person": ("participant_id", "person", "prolific_pid", "participant", "worker_id", "survey_code"),
    "submission": ("submission_id", "submission", "session_id", "assignment_id"),
    "status": ("status", "state", "assignmentstatus"),
    "code": ("completion_code", "entered_code", "code", "answer.code"),
    "started": ("started_at", "started", "accepttime"),
    "completed": ("completed_at", "completed", "submittime"),
    "took": ("time_taken", "seconds"),
}
"""What is wanted of a row → how its column may be called, in lower case with underlines: Prolific's export first, then a plain list."""
STATUSES: Mapping[str, str] = {
    "approved": "paid",
    "partially_approved": "paid",
    "paid": "paid",
    "granted": "paid",
    "awaiting_review": "waiting",
    "submitted": "waiting",
    "completed": "waiting",
    "": "waiting",
    "returned": "returned",
    "timed_out": "timed_out",
    "rejected": "rejected",
    "screened_out": "screened_out",
    "active": "open",
    "reserved": "open",
    "processing": "open",
}
"""A platform's word for where a submission stands, in lower case with underlines → what it means here."""
NO_CODE = ("", "nocode")
"""What stands in a list where no code was brought."""


class BadList(StudyError):
    """The platform's list cannot be read; the message says where and what to do."""

    code = "bad_list"
    public = "The platform's list cannot be read: `vantage study reconcile` says where, and what to do."


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the platform's list."""

    row: int
    """Line of the file."""
    person: str
    submission: str = ""
    status: str = "waiting"
    """A value of `STATUSES`."""
    said: str = ""
    """The status in the platform's word."""
    code: str = ""
    """As it was brought; empty: none."""


def read_list(path: Path, columns: Mapping[str, str]) -> tuple[list[Claim], list[str]]:
    """The rows of a platform's list, and what had to be assumed.

    Raises:
        BadList: it cannot be read, a named column is not there, or none is the person's.
    """
    try:
        data = file_bytes(path)
    except Unreadable as error:
        raise BadList(f"{path} cannot be read as a list: {error.clause}") from None
    return read_rows(data, str(path), columns)


def read_rows(data: bytes, path: str, columns: Mapping[str, str]) -> tuple[list[Claim], list[str]]:
    """The same of a list that was handed over.

    Args:
        data: the list.
        path: what it is called, for messages.
        columns: as `read_list` takes them.

    Raises:
        BadList: as `read_list` does.
    """
    own = {name: _column(called) for name, called in columns.items()}
    if unknown := sorted(set(own) - set(COLUMNS)):
        raise BadList(f"There is no {unknown[0]!r} to name a column for. Use one of: {', '.join(COLUMNS)}.")
    wanted = {called for names in COLUMNS.values() for called in names} | set(own.values())
    try:
        found = table(data, wanted=wanted)
        places = _where(found.columns, own, path)
        claims = [_claim(line, cells, places, path) for line, cells in found.rows]
    except Unreadable as error:
        raise BadList(f"{path} cannot be read as a list: {error.clause}") from None
    return claims, list(found.notes)


def _column(called: str) -> str:
    return "_".join(called.strip().lower().replace("-", " ").split())


def _where(columns: Sequence[str], own: Mapping[str, str], path: str) -> dict[str, str]:
    """What is wanted → its column in this list."""
    for name, called in own.items():
        if called not in columns:
            raise BadList(f"{path} has no column {called!r} for {name}. It has: {', '.join(filter(None, columns))}.")
    places = {name: own.get(name) or next((c for c in called if c in columns), "") for name, called in COLUMNS.items()}
    if not places["person"]:
        raise BadList(
            f"{path} has no column with the platform's id of the person. It has: {', '.join(filter(None, columns)) or 'none'}. Say "
            "which one it is (by command: --column person=NAME)."
        )
    return places


def _claim(line: int, cells: dict[str, str] | Unreadable, places: Mapping[str, str], path: str) -> Claim:
    if isinstance(cells, Unreadable):
        raise BadList(f"{path}, line {line}: {cells.reason} Mend the line, or export the list again.")
    told = {name: cells.get(column, "").strip() for name, column in places.items() if column}
    status = _column(told.get("status", ""))
    if status not in STATUSES:
        raise BadList(
            f"{path}, line {line}: the status {told['status'][:40]!r} is none that is known here. Known are "
            f"{', '.join(filter(None, STATUSES))}."
        )
    code = told.get("code", "")
    return Claim(
        row=line,
        person=told["person"],
        submission=told.get("submission", ""),
        status=STATUSES[status],
        said=told.get("status", ""),
        code="" if code.lower() in NO_CODE else code,
    )
