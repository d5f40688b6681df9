"""The benchmark of long lists draws the real pages and asks the real routes, and says which take too long (not how long here)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from bench import lists as bench
from data.store import Store
from tests.homes import fresh_store


def test_every_page_and_list_is_measured_on_what_was_made(tmp_path: Any) -> None:
    store: Store = fresh_store(tmp_path)
    project, author, lead = bench.made(store, 40, 80)
    assert store.query("SELECT state, count(*) AS n FROM moments GROUP BY state") == [{"state": "kept", "n": 80}]
    assert store.query("PRAGMA foreign_key_check") == []
    own = store.query("SELECT count(*) AS n FROM qa_items WHERE author = ?", [author.grant.staff_id])[0]["n"]
    assert own == 5
    figures = bench.measured(store, project, author, lead, 1)
    store.close()
    assert {"author", "moments", "last", "own items", "items", "items search", *(f"lead {part}" for part in bench.PARTS)} < set(figures)
    assert all(figure.keys() == {"first", "again", "cpu"} for figure in figures.values())


@pytest.mark.parametrize(("seconds", "status", "missed"), [(0.2, 0, []), (1.2, 1, ["author"])])
def test_what_takes_longer_than_a_second_is_named(monkeypatch: pytest.MonkeyPatch, seconds: float, status: int, missed: list[str]) -> None:
    monkeypatch.setattr(bench, "made", lambda *_: ("p", None, None))
    monkeypatch.setattr(bench, "measured", lambda *_: {"author": {"first": 9.0, "again": seconds, "cpu": 0.1}})
    said = CliRunner().invoke(bench.command, ["--json"])
    assert said.exit_code == status
    assert json.loads(said.stdout)["missed"] == missed
    assert ("Missed: author takes 1.2 s." in said.stderr) == bool(missed)


def test_too_few_moments_are_refused() -> None:
    said = CliRunner().invoke(bench.command, ["--items", "100", "--moments", "150"])
    assert said.exit_code == 2 and "at least two moments for each item" in said.stderr
