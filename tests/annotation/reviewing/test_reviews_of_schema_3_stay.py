"""Reviews that were made before kinds were declared are the same reviews afterwards."""

from __future__ import annotations

from pathlib import Path

from sqlite_utils.utils import sqlite3

from annotation.qa.work import pool
from data.home import Home
from data.store import Store

SCHEMA_3 = Path(__file__).parents[2] / "study" / "fixtures" / "schema_0003.sql"
AT = "2026-11-28T09:0{}:00.000Z"
COLUMNS = "review_id, item_id, version, round, reviewer, state, answer, confidence, reasons, comment, assigned_at, answered_at, decided_at"
MADE = [
    ("r1", 1, 1, "ben", "clean", "B", 80, "[]", "fine", AT.format(1), AT.format(2), AT.format(3)),
    ("r2", 1, 1, "cem", "flagged", "C", None, '["wrong","ambiguous"]', "see C", AT.format(1), AT.format(3), AT.format(4)),
    ("r3", 1, 1, "dan", "void", "A", 50, "[]", "", AT.format(1), AT.format(2), None),
    ("r4", 1, 1, "eve", "void", None, None, "[]", "", AT.format(2), None, None),
    ("r5", 2, 2, "fay", "assigned", None, None, "[]", "", AT.format(5), None, None),
    ("r6", 2, 2, "gil", "answered", "B", 0, "[]", "", AT.format(6), AT.format(7), None),
]


def test_every_review_reads_as_before(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    connection = sqlite3.connect(str(home.db))
    connection.executescript(SCHEMA_3.read_text())
    connection.execute("DELETE FROM qa_reviews")
    connection.executemany(
        f"INSERT INTO qa_reviews ({COLUMNS}) VALUES (?, 'qa_1', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", MADE
    )  # fmt: skip
    connection.execute("UPDATE qa_items SET round = 2")
    connection.commit()
    before = connection.execute(f"SELECT {COLUMNS} FROM qa_reviews ORDER BY rowid").fetchall()
    connection.close()
    store = Store.open(home)
    assert [tuple(row.values()) for row in store.query(f"SELECT {COLUMNS} FROM qa_reviews ORDER BY seq")] == before
    assert [review.review_id for review in pool.reviews(store, "qa_1")] == ["r1", "r2", "r3", "r4", "r5", "r6"]
    assert [review.reasons for review in pool.feedback(store, "qa_1")] == [(), ("wrong", "ambiguous")]
    rows = store.query("SELECT review_id, scope, slot, stages FROM reviews ORDER BY review_id")
    assert [(row["slot"], row["stages"]) for row in rows] == [(1, 2), (2, 2), (None, 1), (None, 0), (1, 0), (2, 1)]
    assert {row["scope"] for row in rows} == {"qp_1"}
    assert store.one("SELECT live FROM qa_items") == {"live": 2}
    votes = store.query("SELECT stage, vote, comment FROM review_votes WHERE review_id IN ('r1', 'r2') ORDER BY review_id, stage")
    assert [tuple(row.values()) for row in votes] == [
        ("answer", "B", ""), ("verdict", "clean", "fine"), ("answer", "C", ""), ("verdict", "flag", "see C"),
    ]  # fmt: skip
