"""Homes that earlier versions wrote open, and export the very frames they had stored."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from data.frames import FrameStore, pixel_hash_of
from data.home import Home
from data.migrations import NAMES
from data.store import Store
from sim_bridge.host import Host
from study.export import export
from study.replay import episode_ids, replay
from tests.study.conftest import InlinePool

HOMES = Path(__file__).parent / "fixtures" / "homes"
PICTURES = {".png", ".webp"}


@pytest.fixture(scope="module", params=NAMES[:-1])
def unpacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home as its version left it."""
    folder = tmp_path_factory.mktemp(f"schema_{request.param}")
    with tarfile.open(HOMES / f"schema_{request.param}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def stored(unpacked: Path) -> list[tuple[str, int, str, str, str]]:
    """Episode, step, action, hash of the picture and of those on the way (JSON): by SQL, before anything of ours touches the database."""
    with sqlite3.connect(unpacked / "vantage.db") as connection:
        return connection.execute("SELECT episode_id, seq, action, pixel_hash, more_frames FROM steps ORDER BY episode_id, seq").fetchall()


@pytest.fixture(scope="module")
def opened(unpacked: Path, stored: list[tuple[str, int, str, str, str]]) -> Iterator[Store]:
    store = Store.open(Home.from_env(unpacked / "vantage.db"))
    yield store
    store.close()


def test_an_old_home_exports_the_frames_it_had_stored(opened: Store, stored: list[tuple[str, int, str, str, str]], tmp_path: Path) -> None:
    assert len(stored) >= 7
    export(opened, FrameStore(opened.home.frames), tmp_path / "out")
    exported = {pixel_hash_of(p.read_bytes()) for p in (tmp_path / "out").rglob("*") if p.suffix in PICTURES}
    assert exported == {row[3] for row in stored} | {frame for row in stored for frame in json.loads(row[4])}
    steps = pd.read_parquet(next((tmp_path / "out").rglob("steps.parquet")))
    found = sorted(steps[["episode_id", "seq", "action", "pixel_hash"]].itertuples(index=False, name=None))
    assert found == sorted(row[:4] for row in stored)


def test_an_old_home_keeps_answers_and_confidence(opened: Store, tmp_path: Path) -> None:
    export(opened, FrameStore(opened.home.frames), tmp_path / "out")
    answers = pd.read_parquet(next((tmp_path / "out").rglob("answers.parquet")))
    assert {('"soccer ball"', 80), ('"vase"', 30)} <= set(answers[["answer", "confidence"]].itertuples(index=False, name=None))


def test_an_old_toy_episode_replays_with_equal_poses_results_and_answers(opened: Store, pool: InlinePool) -> None:
    report = replay(opened, FrameStore(opened.home.frames), pool, episode_ids(opened, "toy"))
    assert report.ok and report.steps >= 4, report.differences
    assert {one.verdict for one in report.replayed} <= {"bit-exact", "equal"}


@pytest.fixture(scope="module")
def host() -> Host:
    from sim_bridge.backends.mujoco import create

    return Host(create(), max_sessions=4)


def test_every_old_episode_replays_and_says_what_was_compared(opened: Store, pool: InlinePool, host: Host) -> None:
    """In the real simulator, with the hands from schema 3 on: a difference in a pose or result would have to be a change on purpose."""
    pool.host = host
    ids = episode_ids(opened, "mujoco")
    report = replay(opened, FrameStore(opened.home.frames), pool, ids)
    assert report.ok and report.differing == 0, report.differences
    assert [one.episode for one in report.replayed] == ids and report.steps == report.verified + report.equal + report.changed >= 3
    for one in report.replayed:
        assert one.recorded_with.startswith("mujoco ")
        if one.verdict == "changed":
            assert one.reasons and all(reason in one.sentence for reason in one.reasons)
        else:
            assert one.sentence.endswith(": poses, results and answers equal, pixels not compared") or one.verdict == "bit-exact"


def test_old_episodes_with_hands_are_among_them_from_schema_3_on(opened: Store, unpacked: Path) -> None:
    schema = unpacked.name.removeprefix("schema_")[:4]
    hands = opened.query("SELECT 1 FROM steps WHERE action LIKE 'pick_up(%' OR action LIKE 'put%(%'")
    assert bool(hands) == (int(schema) >= 3)
