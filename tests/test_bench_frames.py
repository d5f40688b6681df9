"""The benchmarks of frames and memory run, and their JSON has the figures they promise (nothing here is about how fast)."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from app.commands.bench import BENCHES, command
from bench.frames import KINDS, Times, figures
from bench.memory import episodes
from sim_bridge.validation import check_scene


def run(*arguments: str) -> dict:
    done = CliRunner().invoke(command, [*arguments, "--backend", "toy", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


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
    for made in KINDS.values():
        check_scene(made().scene)
    made = list(episodes(24))
    for kind in made:
        check_scene(kind.scene)
    assert len({repr(kind.scene) for kind in made}) == 24, "no scene comes twice"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_reports_its_marks() -> None:
    said = run("memory", "--episodes", "2")
    assert [m["episodes"] for m in said["marks"]] == [2] and said["marks"][0]["rss_mb"] > 10
