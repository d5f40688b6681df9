"""An audit's report as plain values: the summary, and a line for every finding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.auditing.check import Finding
from annotation.auditing.running import Report
from data.store import StoreError

EXAMPLES = 3


def summary(report: Report) -> dict[str, Any]:
    """``{rows, checks: [{id, severity, rows, examples, fix}], …}``: one entry for every check that ran, also where it found nothing.

    ``rows`` of a check counts different rows, however often one was found; ``others`` names the files that are no rows.
    """
    return {
        "rows": len(report.audited.rows),
        "checks": [
            {
                "id": check.id,
                "severity": check.severity,
                "rows": len({(f.row.file, f.row.row_id) for f in report.findings[check.id]}),
                "examples": [_line(check.id, finding) for finding in report.findings[check.id][:EXAMPLES]],
                "fix": check.fix,
            }
            for check in report.ran
        ],
        "not_run": [{"id": name, "why": why} for name, why in report.skipped.items()],
        "others": dict(report.audited.others),
    }


def lines(report: Report) -> Iterator[dict[str, str]]:
    """``{row_id, file, check_id, evidence}`` for every finding, in the order of the checks."""
    for check in report.ran:
        for finding in report.findings[check.id]:
            yield _line(check.id, finding)


def _line(check_id: str, finding: Finding) -> dict[str, str]:
    return {"row_id": finding.row.row_id, "file": finding.row.file, "check_id": check_id, "evidence": finding.evidence}


def write_lines(report: Report, path: Path) -> int:
    """Write the findings as JSON lines; returns how many.

    Raises:
        StoreError: the file cannot be written.
    """
    found = [json.dumps(line, ensure_ascii=False) + "\n" for line in lines(report)]
    try:
        path.write_text("".join(found), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise StoreError(f"The findings cannot be written to {path}: {error.strerror}.") from None
    return len(found)
