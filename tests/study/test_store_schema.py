"""Databases of every released schema open and keep what they hold; derived rows say what their events say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils.utils import sqlite3

from data.home import Home
from data.migrations import NAMES
from data.store import Store
from study.episode import EpisodeEngine

FIXTURES = Path(__file__).parent / "fixtures"


def shape(store: Store) -> dict[str, str]:
    """Name → definition of every table, index and trigger, blanks aside."""
    rows = store.query("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    return {row["name"]: " ".join(row["sql"].split()) for row in rows}


def test_there_is_a_fixture_of_every_schema() -> None:
    assert sorted(path.stem for path in FIXTURES.glob("schema_*.sql")) == [f"schema_{name}" for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_an_old_database_is_brought_up_to_date_and_keeps_its_rows(tmp_path: Path, name: str) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    connection = sqlite3.connect(str(home.db))
    connection.executescript((FIXTURES / f"schema_{name}.sql").read_text())
    connection.close()
    store = Store.open(home)
    assert shape(store) == shape(Store.open(Home.from_env(tmp_path / "new.db")))
    assert store.find_task("toy-001").question.form == "choice"
    assert store.query("SELECT seq, action FROM steps ORDER BY seq") == [{"seq": 0, "action": "start"}, {"seq": 1, "action": "turn_left"}]
    assert store.one("SELECT answer, confidence FROM answers") == {"answer": '"near the lamp"', "confidence": 70}
    with pytest.raises(Exception, match="only grow"), store.atomic() as db:
        db.execute("DELETE FROM events")


def test_what_schema_4_derives_is_filled_for_what_was_there_before(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    connection = sqlite3.connect(str(home.db))
    connection.executescript((FIXTURES / "schema_0003.sql").read_text())
    boxes = [[], [{"id": "m1"}], [{"id": "m1"}], [{"id": "m2"}], []]
    for version, marks in enumerate(boxes, 2):
        row = ("qa_1", version, "0" * 64, json.dumps({"marks": marks}), "edit", "", "staff_1", "2026-11-28T09:00:00.000Z")
        connection.execute("INSERT INTO qa_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.execute("UPDATE robot_episodes SET document = ?", [json.dumps({"views": {"view2": {}, "view1": {}}})])
    told = {
        "qa_item": {"item": "qa_1", "event": "create"},
        "moment_decided": {"moment": "mo_1", "project": "qp_1"},
        "qa_balanced": {"project": "qp_1", "seed": 1},
        "qa_error_coded": {"result": "rs_1"},
        "qa_project_created": {"project_id": "qp_1"},
        "job_created": {"job": "job_1"},
    }
    for kind, data in told.items():
        connection.execute("INSERT INTO events (at, kind, data) VALUES ('2026-11-28', ?, ?)", [kind, json.dumps(data)])
    connection.commit()
    before = connection.execute("SELECT seq, at, kind, actor, study_id, participant_id, episode_id, data FROM events").fetchall()
    connection.close()
    store = Store.open(home)
    assert store.one("SELECT marks_rev FROM qa_items") == {"marks_rev": 3}
    assert store.one("SELECT views FROM robot_episodes") == {"views": '["view1","view2"]'}
    subjects = {row["kind"]: row["subject"] for row in store.query("SELECT kind, subject FROM events")}
    assert [subjects[kind] for kind in told] == ["qa_1", "mo_1", "qp_1", "rs_1", "qp_1", None]
    assert {row["subject"] for row in store.query("SELECT subject FROM events WHERE seq <= 16")} == {None}
    sql = "SELECT seq, at, kind, actor, study_id, participant_id, episode_id, data FROM events"
    assert [tuple(row.values()) for row in store.query(sql)] == before
    for change in ("UPDATE events SET data = ''", "UPDATE events SET subject = ''", "DELETE FROM events"):
        with pytest.raises(Exception, match="only grow"), store.atomic() as db:
            db.execute(change)


def test_views_of_a_robot_episode_follow_its_document(tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    store.insert("robot_sources", {"source_id": "s", "kind": "plain", "name": "n", "root": "/", "created_at": "2026"})
    row = {"episode_id": "e", "source_id": "s", "key": "k", "arm": "dual", "frames": 1, "created_at": "2026"}
    store.insert("robot_episodes", row | {"document": '{"views":{"b":{},"a":{}}}'})
    assert store.one("SELECT views FROM robot_episodes") == {"views": '["a","b"]'}
    with store.atomic() as db:
        db.execute("UPDATE robot_episodes SET document = ?", ['{"views":{"c":{}}}'])
    assert store.one("SELECT views FROM robot_episodes") == {"views": '["c"]'}


def test_every_foreign_key_has_an_index_that_begins_with_its_column(store: Store) -> None:
    """Without one, SQLite reads the whole child table for every parent that is deleted."""
    keys = store.query(
        'SELECT m.name AS child, f.id, group_concat(f."from") AS columns FROM sqlite_master m, pragma_foreign_key_list(m.name) f '
        "WHERE m.type = 'table' GROUP BY m.name, f.id"
    )
    begin = store.query(
        'SELECT m.name AS child, i.name AS "index", c.name AS first FROM sqlite_master m, pragma_index_list(m.name) i, '
        "pragma_index_xinfo(i.name) c WHERE m.type = 'table' AND i.partial = 0 AND c.seqno = 0"
    )
    found = {(row["child"], row["first"]) for row in begin}
    assert ("steps", "event_seq") in found and len(keys) > 25
    assert [key for key in keys if (key["child"], key["columns"]) not in found] == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM recruitment WHERE participant_id = 'p'",
        "SELECT participant_id FROM recruitment WHERE external_id = 'x'",
        "SELECT o.participant_id FROM recruitment r JOIN recruitment o ON (o.source, o.external_id) = (r.source, r.external_id) "
        "WHERE r.participant_id = 'p'",
        "SELECT job_id FROM jobs WHERE owner = 'me' ORDER BY created_at DESC LIMIT 10",
        "SELECT 1 FROM grants WHERE participant_id = 'p'",
        "SELECT 1 FROM events WHERE participant_id = 'p'",
        "SELECT 1 FROM events WHERE actor = 'p' AND actor <> ''",
        "SELECT at, kind FROM events WHERE subject = 'mo' ORDER BY seq DESC LIMIT 1",
        "SELECT episode_id FROM episodes WHERE study_id = 's' AND mode = 'live' ORDER BY created_at DESC, episode_id DESC LIMIT 50",
        "SELECT episode_id FROM episodes WHERE mode = 'live' ORDER BY created_at DESC, episode_id DESC LIMIT 50",
    ],
)
def test_what_is_asked_of_one_person_or_thing_reads_no_whole_table(store: Store, sql: str) -> None:
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {sql}")]
    assert plan and not [line for line in plan if (line.startswith("SCAN") and "USING" not in line) or "TEMP B-TREE" in line]


def test_derived_rows_say_what_their_events_say(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left", client_time_ms=12.5, frame_painted_ms=3.0)
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 20)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    for table, columns in {
        "steps": (
            "seq",
            "epoch",
            "kind",
            "action",
            "sim_action",
            "ok",
            "reason",
            "pixel_hash",
            "clipped",
            "phase",
            "client_time_ms",
            "painted_ms",
        ),
        "beliefs": ("epoch", "n", "seq", "confidence"),
        "answers": ("epoch", "seq", "confidence", "stopped_by"),
    }.items():
        rows = store.query(f"SELECT t.*, e.data, e.at FROM {table} t JOIN events e ON e.seq = t.event_seq")
        assert rows
        for row in rows:
            told = json.loads(row["data"])
            assert {name: row[name] for name in columns} == {name: told[name] for name in columns}
            assert row["server_time"] == row["at"]


def test_server_sequence_numbers_only_grow(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    for seq in range(1, 4):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    numbers = [row["event_seq"] for row in store.query("SELECT event_seq FROM steps ORDER BY seq")]
    assert numbers == sorted(set(numbers))
