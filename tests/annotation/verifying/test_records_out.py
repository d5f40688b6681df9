"""Records of a verification come out whole: undone is not empty, and the counts agree with the database."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from annotation.auditing.check import Audited, Check, Finding
from annotation.auditing.findings import keep
from annotation.auditing.reading import of_tasks
from annotation.auditing.running import audit
from annotation.verifying import exporting, items, queue
from data.store import StoreError
from tests.annotation.verifying.conftest import Verifying


def there(audited: Audited) -> Iterator[Finding]:
    for row in audited.rows:
        yield Finding(row, "It is there.")


ALWAYS = Check(id="always", severity="warning", about="All.", fix="Mend it.", look=there)


def test_all_that_was_said_comes_out_in_three_forms(v: Verifying, tmp_path: Path) -> None:
    v.begin(4)
    against = {"ann": ("", "correctness", "nontriviality"), "ben": ("", "answerability", "nontriviality"), "cat": ("", "", "")}
    for who, failed in against.items():
        for axis in failed:
            v.verify(who, *([axis] if axis else []))
    queue.cannot_judge(v.store, v.look(v.claim("ann")).review_id, "ann", "=too dark")
    v.claim("ben")
    report = exporting.export(v.store, v.id, tmp_path / "out")
    assert report["ok"] and report["status"] == {"retained": 2, "rejected": 1, "in_verification": 1}
    assert report["reconciled"]["votes"] == {"exported": 47, "database": 47}
    tasks = pq.read_table(tmp_path / "out" / "tasks.parquet").to_pylist()
    assert [(t["status"], t["contested"], t["correctness"]) for t in tasks] == [
        ("retained", False, 3), ("retained", True, 2), ("rejected", False, 3), ("in_verification", None, None),
    ]  # fmt: skip
    assert tasks[2]["failed"] == ["nontriviality"]
    votes = [json.loads(line) for line in (tmp_path / "out" / "votes.jsonl").read_text().splitlines()]
    assert {vote["status"] for vote in votes} == {"given", "skipped", "open"}
    assert [vote["vote"] for vote in votes if vote["status"] == "open"] == [None]
    with (tmp_path / "out" / "rejections.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["axis"], row["axis_failed"], row["reviewer"]) for row in rows] == [
        ("nontriviality", rows[0]["axis_failed"], "ann"), ("nontriviality", rows[0]["axis_failed"], "ben"),
    ]  # fmt: skip
    assert json.loads(rows[0]["reasons"]) == ["category_prior"]
    figures = pq.read_table(tmp_path / "out" / "agreement.parquet").to_pylist()
    assert {f["measure"] for f in figures} == {"passed", "raw", "alpha", "fleiss", "ac1"}
    assert {f["paused"] for f in figures} == {"with", "without"}
    assert all(f["value"] is not None or f["reason"] for f in figures)
    with pytest.raises(StoreError, match="is not empty"):
        exporting.export(v.store, v.id, tmp_path / "out")


def test_the_audit_comes_out_whole_and_what_was_not_looked_at_is_not_empty(v: Verifying, tmp_path: Path) -> None:
    v.begin(3)
    first, second, third = (item.task_hash for item in items.items_of(v.store, v.id))
    never = Check(id="never", severity="error", about="None.", fix="Leave it.", look=lambda audited: iter(()))
    asks = Check(id="asks", severity="note", about="A model.", fix="Ask.", look=lambda audited: iter(()), needs="endpoint")
    other = v.task(9)
    keep(v.store, "dataset", "old", audit(of_tasks([v.store.get_task(third)]), [ALWAYS]))
    keep(v.store, "dataset", "old", audit(of_tasks([other]), [ALWAYS]))  # the newest of this set looked at none of these tasks
    keep(v.store, "dataset", "d", audit(of_tasks([v.store.get_task(first), v.store.get_task(second), other]), [ALWAYS, never, asks]))
    keep(v.store, "study", "s", audit(of_tasks([v.store.get_task(first)]), [ALWAYS]))
    report = exporting.export(v.store, v.id, tmp_path / "out")
    assert report["ok"] and (report["audited"], report["not_audited"]) == (2, 1)
    assert report["reconciled"]["findings"] == {"exported": 2, "database": 2}, "one finding that two audits have is one"
    rows = pq.read_table(tmp_path / "out" / "audit.parquet").to_pylist()
    told = [(r["scope"], r["check"], r["status"], r["tasks"], r["looked_at"], r["rows"]) for r in rows]
    assert told == [
        ("dataset", "always", "found", 2, 2, 3), ("dataset", "never", "nothing", 0, 2, 0), ("dataset", "asks", "not_run", None, 2, None),
        ("study", "always", "found", 1, 1, 1),
    ]  # fmt: skip
    assert rows[2]["reason"] and rows[0]["fix"] == "Mend it."
    tasks = [json.loads(line)["findings"] for line in (tmp_path / "out" / "tasks.jsonl").read_text().splitlines()]
    assert tasks == [1, 1, None]
    found = [json.loads(line) for line in (tmp_path / "out" / "findings.jsonl").read_text().splitlines()]
    assert [(one["check"], one["text"]) for one in found] == [("always", "It is there.")] * 2


def test_a_count_that_does_not_agree_is_told(v: Verifying, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    v.begin(1)
    task = v.store.get_task(items.items_of(v.store, v.id)[0].task_hash)
    keep(v.store, "dataset", "d", audit(of_tasks([task]), [ALWAYS]))
    monkeypatch.setattr(exporting, "of_task", lambda store, task_hash: ())
    report = exporting.export(v.store, v.id, tmp_path / "out")
    assert not report["ok"] and report["problems"] == ["findings: 0 exported, 1 in the database."]
