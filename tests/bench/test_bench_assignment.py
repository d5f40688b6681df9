"""The benchmark of assignment counts what it says."""

from __future__ import annotations

from pathlib import Path

from bench.assignment import run_assignment


def test_what_is_given_and_what_is_missing_add_up(tmp_path: Path) -> None:
    found = run_assignment(people=4, tasks=30, places=2, trials=6, folder=tmp_path)
    assert (found["given"], found["places"]) == (24, 120)
    assert found["missing"] == sum(places for *_, places in found["missing_places"]) == 120 - 24
    assert found["within"] <= 1 and found["between"] <= 2
    assert len({(task, way) for task, way, _ in found["missing_places"]}) == len(found["missing_places"])
