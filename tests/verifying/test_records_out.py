"""Records of a verification come out whole: undone is not empty, and the counts agree with the database."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from annotation.verifying import exporting, queue
from data.store import StoreError
from tests.verifying.conftest import Verifying


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
