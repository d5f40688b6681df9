"""Audits of what is in the database: kept whole, and read by whoever looks at one task."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import msgspec

from annotation.auditing.report import summary
from annotation.auditing.running import Report
from annotation.verifying.evidence import Flag
from data.rows import Json
from data.store import Store, dumps, new_id, now

LOOKED_AT = "looked_at"
"""Key of a kept summary: content hashes of all tasks that the audit looked at, so that what was not looked at is not taken for sound."""
Scope = Literal["study", "project", "dataset"]


class AuditRow(msgspec.Struct, frozen=True):
    """One audit."""

    audit_id: str
    scope: str
    of: str
    """Id of the study or project, name of the data set."""
    summary: str
    """`report.summary` as JSON text."""
    at: str


class LookedAt(msgspec.Struct, frozen=True):
    """One audit with its summary read."""

    audit_id: str
    scope: str
    of: str
    summary: Annotated[dict[str, Any], Json]
    at: str


class FindingRow(msgspec.Struct, frozen=True):
    """One finding of an audit."""

    audit_id: str
    n: int
    check_id: str
    severity: str
    row_id: str
    task_hash: str
    """Empty: the row is no task, or a robot question."""
    evidence: str


def keep(store: Store, scope: Scope, of: str, report: Report, told: Mapping[str, Any] | None = None) -> str:
    """Store a report; returns its audit's id. Earlier audits of the same stay.

    `told`: the summary, where it says more than `report.summary`.
    """
    audit_id = new_id("audit")
    tasks = [] if scope == "project" else sorted({task.content_hash for _, task in report.audited.tasks})
    whole = {**(told or summary(report)), LOOKED_AT: tasks}
    with store.atomic() as db:
        db.table("audits").insert({"audit_id": audit_id, "scope": scope, "of": of, "summary": dumps(whole), "at": now()})
        db.table("audit_findings").insert_all(
            {
                "audit_id": audit_id,
                "n": n,
                "check_id": check.id,
                "severity": check.severity,
                "row_id": finding.row.row_id,
                "task_hash": finding.row.task.content_hash if finding.row.task is not None and scope != "project" else "",
                "evidence": finding.evidence,
            }
            for n, (check, finding) in enumerate((check, finding) for check in report.ran for finding in report.findings[check.id])
        )
    return audit_id


def latest(store: Store, scope: Scope, of: str) -> AuditRow | None:
    """The newest audit of a study, project or data set."""
    return store.row("SELECT * FROM audits WHERE scope = ? AND of = ? ORDER BY at DESC, audit_id DESC LIMIT 1", AuditRow, [scope, of])


def newest(store: Store) -> list[LookedAt]:
    """The newest audit of each study, project and data set."""
    return store.rows(
        "SELECT a.audit_id, a.scope, a.of, json_remove(a.summary, '$.looked_at') AS summary, a.at FROM audits a WHERE a.audit_id = "
        "(SELECT n.audit_id FROM audits n WHERE n.scope = a.scope AND n.of = a.of ORDER BY n.at DESC, n.audit_id DESC LIMIT 1) "
        "ORDER BY a.at, a.audit_id",
        LookedAt,
    )


def looked_at(store: Store, audit_id: str, task_hashes: Collection[str]) -> set[str]:
    """Those of some tasks that an audit looked at."""
    rows = store.query(
        "SELECT j.value AS task_hash FROM audits a, json_each(a.summary, '$.looked_at') j WHERE a.audit_id = ? "
        "AND j.value IN (SELECT value FROM json_each(?))",
        [audit_id, dumps(sorted(task_hashes))],
    )
    return {str(row["task_hash"]) for row in rows}


def findings(store: Store, audit_id: str) -> list[FindingRow]:
    """All findings of an audit, in the order of the checks."""
    return store.rows("SELECT * FROM audit_findings WHERE audit_id = ? ORDER BY n", FindingRow, [audit_id])


def findings_of(store: Store, task_hash: str) -> tuple[Flag, ...]:
    """What the newest audits that looked at it found in a task: each finding once, errors first."""
    found = store.rows(
        "SELECT f.* FROM audit_findings f JOIN audits a USING (audit_id) WHERE f.task_hash = ? AND a.audit_id = "
        "(SELECT n.audit_id FROM audits n WHERE n.scope = a.scope AND n.of = a.of ORDER BY n.at DESC, n.audit_id DESC LIMIT 1) "
        "ORDER BY f.n",
        FindingRow,
        [task_hash],
    )
    flags = dict.fromkeys(Flag(row.check_id, row.severity, row.evidence) for row in found)
    order = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(flags, key=lambda flag: order.get(flag.severity, 3)))
