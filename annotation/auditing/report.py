"""An audit's report as plain values: the summary, and a line for every finding."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotation.auditing.balance import table
from annotation.auditing.check import Finding
from annotation.auditing.running import Report
from data.store import StoreError
from study.measures.rounding import half_up

EXAMPLES = 3


def summary(report: Report) -> dict[str, Any]:
    """``{rows, checks: [{id, severity, rows, examples, fix}], …}``: one entry for every check that ran, also where it found nothing.

    ``rows`` of a check counts different rows, however often one was found; ``subcategories`` has for each check that found something
    (category, subcategory) and such rows, the most first; ``others`` names the files that are no rows; ``balance`` is
    Table 6 (`balance.table`), unrounded.
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
        "subcategories": {check.id: where for check in report.ran if (where := _where(report.findings[check.id]))},
        "not_run": [{"id": name, "why": why} for name, why in report.skipped.items()],
        "others": dict(report.audited.others),
        "balance": [asdict(line) for line in table({k: [t for _, t in rows] for k, rows in report.audited.by_kind().items()})],
    }


def _where(found: Sequence[Finding]) -> list[tuple[str, str, int]]:
    """Subcategories in which a check found something, with how many rows of each; rows that are no task are in none."""
    rows = {(finding.row.file, finding.row.row_id, *finding.row.kind) for finding in found if finding.row.task}
    count = Counter((category, name) for _, _, category, name in rows)
    return [(*kind, n) for kind, n in sorted(count.items(), key=lambda item: (-item[1], item[0]))]


def where_in_words(where: Sequence[Sequence[Any]]) -> str:
    """``Dimensional Size 20, Material Transparency 20``; of two subcategories with one name, with their categories."""
    names = Counter(name for _, name, _ in where)
    return ", ".join(f"{name if names[name] == 1 else f'{category}: {name}'} {n:,}" for category, name, n in where)


BALANCE_HEAD = ("category", "tasks", "answers", "answers, pooled", "objects", "objects, pooled", "option places")
BALANCE_WORDS = (
    "Normalised entropy, 0 (always the same) to 1 (all equally often): of the golds, of the kinds of things that the questions are about, "
    "and of the golds' places among the options. A category is the mean of its subcategories; pooled: its tasks taken together. "
    "–: undefined, since there is one answer, one kind of thing or no place alone."
)


def balance_lines(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Table 6 of a summary in words, under `BALANCE_HEAD`: two decimals, halves up."""
    return [
        (
            line["category"] or "Mean of the categories",
            str(line["n"]),
            _of(line, "answer_balance"),
            half_up(line["answer_balance_pooled"], 2),
            _of(line, "object_diversity"),
            half_up(line["object_diversity_pooled"], 2),
            half_up(line["position_entropy"], 2),
        )
        for line in found
    ]


BASELINES_HEAD = (
    "category",
    "tasks",
    "majority",
    "chance",
    "question alone",
    "with kinds of things",
    "text model: words",
    "text model: things",
)
BASELINES_WORDS = (
    "Right answers in per cent, with 95 % intervals over clusters of tasks (twins and rows that say the same are one). Majority: always "
    "the most frequent answer of the subcategory. Text model: a small cross-validated model of the words, or of the kinds of things; "
    "–: too few different questions."
)


def baselines_lines(found: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Table 5 of a summary in words, under `BASELINES_HEAD`: one decimal, halves up."""
    return [
        (
            line["category"],
            str(line["n"]),
            _percent(line["majority"]),
            _percent(line["chance"]),
            *(_arm(one) for one in line["arms"].values()),
            *(_percent(one["right"] / one["n"] if one["n"] else None) for one in line["text_model"].values()),
        )
        for line in found["categories"]
    ]


def _percent(share: float | None) -> str:
    return half_up(None if share is None else 100 * share, 1)


def _arm(one: Mapping[str, Any]) -> str:
    if one["accuracy"] is None:
        return half_up(None, 1)
    found: tuple[float, float] | None = one["interval"]
    between = "" if found is None else f" [{_percent(max(found[0], 0.0))}, {_percent(min(found[1], 1.0))}]"
    notes = [f"{one[name]} {name}" for name in ("unanswered", "missing", "unfit") if one[name]]
    return f"{_percent(one['accuracy'])}{between}" + (f" ({', '.join(notes)})" if notes else "")


def _of(line: Mapping[str, Any], name: str) -> str:
    defined, all_of_them = line[f"{name}_of"], line["subcategories"]
    part = f" ({defined} of {all_of_them} subcategories)" if 0 < defined < all_of_them else ""
    return half_up(line[name], 2) + part


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
