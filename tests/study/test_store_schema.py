"""Databases of every released schema open and keep what they hold; derived rows say what their events say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlite_utils.utils import sqlite3

from data.home import Home
from data.migrations import NAMES
from data.store import Store

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


def test_derived_rows_say_what_their_events_say(begin, engine, store) -> None:
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


def test_server_sequence_numbers_only_grow(begin, engine, store) -> None:
    view = begin()
    for seq in range(1, 4):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    numbers = [row["event_seq"] for row in store.query("SELECT event_seq FROM steps ORDER BY seq")]
    assert numbers == sorted(set(numbers))
