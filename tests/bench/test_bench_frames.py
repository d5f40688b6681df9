"""The benchmarks of frames and memory run, and their JSON has the figures they promise (nothing here is about how fast)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.commands.bench import BENCHES, command
from bench.frames import KINDS, Times, figures
from bench.memory import episodes
from bench.start_views import compare, first_tasks
from data.generators.registry import FOLDER, GENERATORS
from sim_bridge.validation import check_scene


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(command, [*arguments, "--backend", "toy", "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_benchmark_is_listed_and_has_help() -> None:
    for name in BENCHES:
        assert CliRunner().invoke(command, [name, "--help"]).exit_code == 0


def test_frames_reports_every_kind_for_one_session_and_eight() -> None:
    said = run("frames", "--actions", "20", "--kind", "house")
    assert set(said["scenes"]) == {"house"} and (said["sessions"], said["workers"]) == (8, 2)
    for found in said["scenes"].values():
        assert found["one"]["actions"] == 20 and found["eight"]["actions"] == 8 * 5
        assert 0 < found["one"]["p50"] <= found["one"]["p95"]
    assert {"load_average", "load_average_before", "cores", "picture"} <= set(said)


def test_actions_with_several_pictures_stand_apart() -> None:
    found = figures([Times([10.0, 30.0, 20.0], [("pour", 900.0, 7)]), Times([40.0], [("pour", 700.0, 6), ("fill", 5.0, 3)])])
    assert found["actions"] == 4 and found["p50"] == 30.0
    assert found["several"]["pour"] == {"p50": 900.0, "p95": 900.0, "actions": 2, "pictures": 7}
    assert found["several"]["fill"]["actions"] == 1


def test_every_scene_of_the_benchmarks_makes_sense() -> None:
    for make in KINDS.values():
        check_scene(make().scene)
    made = list(episodes(24))
    for kind in made:
        check_scene(kind.scene)
    assert len({repr(kind.scene) for kind in made}) == 24, "no scene comes twice"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_reports_its_marks() -> None:
    said = run("memory", "--episodes", "2")
    assert [m["episodes"] for m in said["marks"]] == [2] and said["marks"][0]["rss_mb"] > 10


def test_the_start_views_of_two_bundles_are_drawn_in_turn(tmp_path: Path) -> None:
    for name in ("own-size-001a.json", "own-size-001b.json", "own-distance-001a.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    said = run("frames", "--bundle", str(tmp_path), "--bundle", str(tmp_path), "--rounds", "3")
    kinds = {f"{g.category} / {g.subcategory}" for g in GENERATORS if g.slug in ("size", "distance")}
    assert set(said["subcategories"]) == kinds and said["rounds"] == 3
    for row in said["subcategories"].values():
        assert row["old"] > 0 and row["new"] > 0 and row["ratio"] == pytest.approx(row["new"] / row["old"], abs=0.01)
    assert {"median_ratio", "worst_ratio"} <= set(said)


def test_bundles_are_compared_by_medians_over_what_both_have() -> None:
    said = compare({"a": [1.0, 2.0, 90.0], "b": [10.0], "c": [4.0], "old alone": [500.0]}, {"a": [3.0], "b": [11.0], "c": [20.0]})
    assert said["subcategories"]["a"] == {"old": 2.0, "new": 3.0, "ratio": 1.5}
    assert said["old"] == {"median": 4.0, "worst": 10.0} and said["new"] == {"median": 11.0, "worst": 20.0}
    assert (said["median_ratio"], said["worst_ratio"]) == (2.75, 2.0)
    assert "new" not in compare({"a": [1.0]}, {})


def test_one_task_of_every_subcategory_of_the_bundle_is_taken() -> None:
    found = first_tasks(FOLDER)
    assert list(found) == [f"{g.category} / {g.subcategory}" for g in GENERATORS]


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["frames", "--bundle", str(tmp_path), "--backend", "toy"])
    assert done.exit_code == 1 and "expected a folder of task files" in done.output
    again = ["--bundle", str(tmp_path)] * 3
    assert CliRunner().invoke(command, ["frames", *again]).exit_code == 2
