"""What came out of a verification, as tables in Parquet, CSV and JSON lines, and a report in which the counts are reconciled.

A task that nobody has judged yet has its row: its status says so, and what is not known is empty, never 0.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from annotation.reviewing.kinds.tasks import ANY_KIND, AXES, KIND
from annotation.verifying import agreement, items, listing, pausing, progress, tables, verifications
from annotation.verifying.audited import AuditRow, Audits, audits
from annotation.verifying.cast import Cast, casts, last_whole_rounds, majority
from annotation.verifying.flags import of_task
from data.rows import Json
from data.spreadsheets import ENCODING, csv_cell
from data.store import Store, StoreError
from study.tabular import Row, Time, arrow_schema, record_batch


class TaskRow(Row):
    """One task under verification."""

    subject: str
    """Id of the task in this verification."""
    task_id: str
    """Its id."""
    task_hash: str
    """Content hash: this very version."""
    category: str
    """Category."""
    subcategory: str
    """Subcategory."""
    status: str
    """proposed (waits for its evidence), in_verification, retained, rejected, or replaced by a new version."""
    verdicts: int
    """Verdicts of the round that counts: the last whole one, else those so far."""
    correctness: int | None
    """Of these, how many pass correctness; empty: there is no verdict."""
    answerability: int | None
    """The same of answerability."""
    nontriviality: int | None
    """The same of non-triviality, which follows from both stages."""
    failed: list[str]
    """Axes that fail by the majority of a whole round."""
    contested: bool | None
    """Kept although most, each on an axis of their own, would not have kept it; empty: it is not decided."""
    findings: int | None
    """What audits found in it; empty: none looked at it."""


class VoteRow(Row):
    """One vote on one axis, or a review that has none."""

    review_id: str
    """The review."""
    subject: str
    """The task in this verification."""
    part: str
    """task, control or training: controls and training count in no table."""
    round: int
    """Round of verification."""
    reviewer: str
    """Staff id."""
    status: str
    """given; open (not finished); void (given back, overtaken); skipped (could not judge it)."""
    stage: str | None
    """Stage of the vote; empty: no vote."""
    axis: str | None
    """Axis of the vote."""
    vote: str | None
    """The vote."""
    confidence: int | None
    """0–100; empty: not given."""
    reasons: list[str]
    """Names of reasons."""
    comment: str
    """In their words."""
    guide: str
    """Version of the guide that lay open (sha256)."""
    at: Time | None
    """When the vote was given."""


class RejectionRow(Row):
    """What one person said against one rejected task on one axis."""

    subject: str
    """The task in this verification."""
    task_id: str
    """Its id."""
    axis: str
    """Axis."""
    axis_failed: bool
    """Whether the axis failed by the majority."""
    reviewer: str
    """Staff id."""
    reasons: list[str]
    """Names of reasons; empty: the first view told them, and they were right."""
    comment: str
    """In their words."""


class AgreementRow(Row):
    """One figure of agreement."""

    axis: str
    """Axis, or overall."""
    category: str
    """Category, or all."""
    paused: str
    """with or without the people who are paused."""
    measure: str
    """passed, raw, alpha, fleiss or ac1."""
    value: float | None
    """The figure; empty: the reason says why."""
    low: float | None
    """Lower bound, 95 %."""
    high: float | None
    """Upper bound."""
    n: int
    """Tasks; of passed: votes."""
    method: str
    """How."""
    reason: str
    """Why there is no value or no interval."""


class FindingRow(Row):
    """What an audit found in a task."""

    subject: str
    """The task in this verification."""
    task_id: str
    """Its id."""
    check: str
    """Check of the audit."""
    severity: str
    """How grave."""
    text: str
    """What was found."""


class _Voted(msgspec.Struct, frozen=True):
    review_id: str
    subject: str
    part: str
    round: int
    reviewer: str
    state: str
    skipped: str | None
    stage: str | None
    axis: str | None
    vote: str | None
    confidence: int | None
    reasons: Annotated[tuple[str, ...] | None, Json]
    comment: str | None
    guide: str | None
    at: str | None


class _Item(msgspec.Struct, frozen=True):
    subject: str
    task_id: str
    task_hash: str
    category: str
    subcategory: str
    state: str


def export(store: Store, verification_id: str, out: Path) -> dict[str, Any]:
    """Write the tables and ``report.json`` into a new folder; returns the report.

    Raises:
        UnknownVerification: there is none.
        StoreError: the folder is not empty.
    """
    found = verifications.get(store, verification_id)
    if out.exists() and any(out.iterdir()):
        raise StoreError(f"{out} is not empty. Name a new folder.")
    given = casts(store, verification_id)
    things = store.rows(
        "SELECT i.subject, t.task_id, i.task_hash, t.category, t.subcategory, x.state FROM verification_items i "
        "JOIN reviewed x ON x.kind = ? AND x.subject = i.subject JOIN tasks t ON t.content_hash = i.task_hash "
        "WHERE i.verification_id = ? AND i.part = 'task' ORDER BY i.rowid",
        _Item, [KIND.name, verification_id],
    )  # fmt: skip
    contested = {one.subject for one in progress.contested(store, verification_id)}
    so_far: dict[str, list[Cast]] = defaultdict(list)
    for cast in given:
        so_far[cast.subject].append(cast)
    whole: dict[str, list[Cast]] = defaultdict(list)
    for cast in last_whole_rounds(given, found.protocol.slots):
        whole[cast.subject].append(cast)
    audited = audits(store, [thing.task_hash for thing in things])
    flags = {thing.subject: of_task(store, thing.task_hash) for thing in things}
    found_in = {thing.subject: len(flags[thing.subject]) if thing.task_hash in audited.audited else None for thing in things}
    tasks = [_task(thing, whole.get(thing.subject, so_far[thing.subject]), whole, contested, found_in[thing.subject]) for thing in things]
    rejected = listing.of_subjects(store, verification_id, [thing.subject for thing in things if thing.state == "rejected"])
    made: dict[str, tuple[type[Row], Sequence[Row]]] = {
        "tasks": (TaskRow, tasks),
        "retained": (TaskRow, [task for task in tasks if task.status == "retained"]),
        "rejections": (
            RejectionRow,
            [
                RejectionRow(
                    subject=one.subject, task_id=one.task_id, axis=said.axis, axis_failed=said.axis in one.failed, reviewer=said.reviewer,
                    reasons=list(said.reasons), comment=said.comment,
                )
                for one in rejected
                for said in one.against
            ],
        ),
        "votes": (VoteRow, _votes(store, verification_id)),
        "agreement": (AgreementRow, _agreement(store, verification_id)),
        "findings": (
            FindingRow,
            [
                FindingRow(subject=thing.subject, task_id=thing.task_id, check=flag.check, severity=flag.severity, text=flag.text)
                for thing in things
                for flag in flags[thing.subject]
            ],
        ),
        "audit": (AuditRow, audited.rows),
    }  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    for name, (model, rows) in made.items():
        _write(out, name, model, rows)
    report = _report(store, verification_id, made, len(rejected), audited)
    report["table4"] = msgspec.to_builtins(tables.table4(store, verification_id))
    (out / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False), encoding="utf-8")
    return report


def _task(thing: _Item, given: Sequence[Cast], whole: Mapping[str, object], contested: set[str], findings: int | None) -> TaskRow:
    decided = thing.subject in whole and thing.state in ("retained", "rejected")
    counted = {axis: sum(cast.passes[axis] for cast in given) if given else None for axis in AXES}
    return TaskRow(
        subject=thing.subject, task_id=thing.task_id, task_hash=thing.task_hash, category=thing.category, subcategory=thing.subcategory,
        correctness=counted["correctness"], answerability=counted["answerability"], nontriviality=counted["nontriviality"],
        status=thing.state, verdicts=len(given), failed=[axis for axis, ok in majority(given).items() if not ok] if decided else [],
        contested=thing.subject in contested if decided else None, findings=findings,
    )  # fmt: skip


def _votes(store: Store, verification_id: str) -> list[VoteRow]:
    rows = store.rows(
        "SELECT r.review_id, r.subject, i.part, r.round, r.reviewer, r.state, r.skipped, v.stage, v.axis, v.vote, v.confidence, v.reasons, "
        f"v.comment, v.guide, v.at FROM verification_items i JOIN reviews r ON r.kind IN {ANY_KIND} "
        "AND r.subject = i.subject LEFT JOIN review_votes v USING (review_id) WHERE i.verification_id = ? ORDER BY i.rowid, r.assigned_at, "
        "r.rowid, v.at, v.rowid",
        _Voted, [verification_id],
    )  # fmt: skip
    return [
        VoteRow(
            review_id=row.review_id, subject=row.subject, part=row.part, round=row.round, reviewer=row.reviewer, status=_status(row),
            stage=row.stage, axis=row.axis, vote=row.vote, confidence=row.confidence, reasons=list(row.reasons or ()),
            comment=row.comment or "", guide=row.guide or "", at=None if row.at is None else Time(row.at),
        )
        for row in rows
    ]  # fmt: skip


def _status(row: _Voted) -> str:
    if row.state == "void":
        return "void" if row.skipped is None else "skipped"
    return "given" if row.state == "judged" else "open"


def _agreement(store: Store, verification_id: str) -> list[AgreementRow]:
    paused = [one.staff_id for one in pausing.paused(store, verification_id)]
    found = []
    for label, without in (("with", []), ("without", paused)):
        for one in agreement.agreement_of(store, verification_id, without=without):
            figures = {"passed": one.passed, "raw": one.figures.raw, "alpha": one.figures.alpha}
            for name, figure in (figures | {"fleiss": one.figures.fleiss, "ac1": one.figures.ac1}).items():
                low, high = figure.interval or (None, None)
                found.append(
                    AgreementRow(
                        axis=one.axis, category=one.category, paused=label, measure=name, value=figure.value, low=low, high=high,
                        n=figure.n, method=figure.method, reason=figure.reason,
                    )
                )  # fmt: skip
    return found


def _write(out: Path, name: str, model: type[Row], rows: Sequence[Row]) -> None:
    schema = arrow_schema(model)
    pq.write_table(pa.Table.from_batches([record_batch(rows, schema)], schema=schema), out / f"{name}.parquet", compression="zstd")
    lines = [row.model_dump(mode="json") for row in rows]
    with (out / f"{name}.csv").open("w", encoding=ENCODING, newline="") as file:
        writer = csv.writer(file)
        writer.writerow(schema.names)
        for line in lines:
            cells = [json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value for value in line.values()]
            writer.writerow(["" if cell is None else csv_cell(cell) for cell in cells])
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    (out / f"{name}.jsonl").write_text(text, encoding="utf-8")


def _report(
    store: Store, verification_id: str, made: Mapping[str, tuple[type[Row], Sequence[Row]]], rejected: int, audited: Audits
) -> dict[str, Any]:  # fmt: skip
    """Counts of the tables beside those of the database, which must agree."""
    stands = progress.progress(store, verification_id)
    by_status = Counter(task.status for task in made["tasks"][1])  # type: ignore[attr-defined]
    stored = store.query(
        f"SELECT count(*) AS n FROM review_votes v JOIN reviews r USING (review_id) WHERE r.scope = ? AND r.kind IN {ANY_KIND}",
        [verification_id],
    )[0]["n"]
    pairs = {
        "tasks": (len(made["tasks"][1]), len(items.items_of(store, verification_id))),
        "retained": (len(made["retained"][1]), stands.states.get("retained", 0)),
        "rejected": (rejected, stands.states.get("rejected", 0)),
        "votes": (sum(row.vote is not None for row in made["votes"][1]), stored),  # type: ignore[attr-defined]
    }
    if len({task.task_hash for task in made["tasks"][1]}) == len(made["tasks"][1]):  # type: ignore[attr-defined]
        pairs["findings"] = (len(made["findings"][1]), audited.pairs)
    wrong = [f"{name}: {own} exported, {there} in the database." for name, (own, there) in pairs.items() if own != there]
    if sum(by_status.values()) != pairs["tasks"][1]:
        wrong.append("The statuses of the tasks do not add up.")
    return {
        "verification_id": verification_id,
        "name": stands.verification.name,
        "status": dict(by_status),
        "audited": len(audited.audited),
        "not_audited": sum(task.findings is None for task in made["tasks"][1]),  # type: ignore[attr-defined]
        "rows": {name: len(rows) for name, (_, rows) in made.items()},
        "reconciled": {name: {"exported": own, "database": there} for name, (own, there) in pairs.items()},
        "problems": wrong,
        "ok": not wrong,
    }
