"""What audits found in the tasks of a verification, whole: every check of each audit that looked at one, also those that found nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.auditing.findings import LookedAt, findings, looked_at, newest
from data.store import Store
from study.tabular import Row, Time


class AuditRow(Row):
    """One check of one audit."""

    audit_id: str
    """The audit: the newest one of its set."""
    scope: str
    """What was audited: study or dataset."""
    of: str
    """Id of the study, name of the data set."""
    at: Time
    """When."""
    check: str
    """The check."""
    severity: str | None
    """How grave a finding is; empty: the check did not run."""
    status: str
    """found; nothing (it ran and found nothing in these tasks); not_run."""
    tasks: int | None
    """Tasks of this verification in which it found something; empty: it did not run."""
    looked_at: int
    """Tasks of this verification at which the audit looked."""
    rows: int | None
    """Rows of the whole set in which it found something."""
    fix: str
    """What to do about a finding."""
    reason: str
    """Why it did not run."""


@dataclass(frozen=True)
class Audits:
    """The newest audits that looked at tasks of a verification."""

    rows: list[AuditRow]
    audited: frozenset[str]
    """Content hashes of tasks at which one looked."""
    pairs: int
    """Different (task, finding) pairs in the database."""


def audits(store: Store, task_hashes: Sequence[str]) -> Audits:
    """What the newest audit of each set says of these tasks."""
    asked, audited, rows, pairs = set(task_hashes), set[str](), list[AuditRow](), set[tuple[str, str, str, str]]()
    for audit in newest(store):
        if audit.scope == "project":  # robot questions are no tasks
            continue
        found = [one for one in findings(store, audit.audit_id) if one.task_hash in asked]
        here = looked_at(store, audit.audit_id, asked) | {one.task_hash for one in found}
        if not here:
            continue
        audited |= here
        pairs |= {(one.task_hash, one.check_id, one.severity, one.evidence) for one in found}
        by_check: dict[str, set[str]] = defaultdict(set)
        for one in found:
            by_check[one.check_id].add(one.task_hash)
        rows += _rows(audit, len(here), by_check)
    return Audits(rows, frozenset(audited), len(pairs))


def _rows(audit: LookedAt, here: int, found: Mapping[str, set[str]]) -> Iterator[AuditRow]:
    def row(check: Mapping[str, Any], status: str, **more: Any) -> AuditRow:
        values = {"severity": check.get("severity"), "tasks": None, "rows": None, "fix": check.get("fix", ""), "reason": "", **more}
        return AuditRow(
            audit_id=audit.audit_id, scope=audit.scope, of=audit.of, at=Time(audit.at), check=check["id"], status=status, looked_at=here,
            **values,
        )  # fmt: skip

    for check in audit.summary.get("checks", []):
        tasks = len(found.get(check["id"], ()))
        yield row(check, "found" if tasks else "nothing", tasks=tasks, rows=check["rows"])
    for check in audit.summary.get("not_run", []):
        yield row(check, "not_run", reason=check["why"])
