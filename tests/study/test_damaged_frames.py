"""One damaged or missing picture is named wherever it is met, and the rest goes on."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from app import agent_api, cli
from data import soundness
from data.frames import FrameDamaged, FrameStore
from data.store import Store, StoreError
from study.episode import EpisodeEngine
from study.export import PROBLEMS, export
from study.replay import replay
from tests.study.conftest import InlinePool


@pytest.fixture
def played(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> str:
    """An answered episode with four different views."""
    view = begin()
    for seq, action in enumerate(("turn_left", "move_up", "move_forward"), 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    return str(view.episode_id)


def hash_at(store: Store, episode: str, seq: int) -> str:
    row = store.one("SELECT pixel_hash FROM steps WHERE episode_id = ? AND seq = ?", [episode, seq])
    assert row is not None
    return str(row["pixel_hash"])


def overwrite(store: Store, frames: FrameStore, episode: str) -> None:
    """Step 1 gets the picture of step 2, step 3 loses its file."""
    frames.path(hash_at(store, episode, 1)).write_bytes(frames.kept(store, hash_at(store, episode, 2)))
    frames.path(hash_at(store, episode, 3)).unlink()


def test_no_reader_can_leave_the_hash_out() -> None:
    assert inspect.signature(FrameStore.read).parameters["file_hash"].default is inspect.Parameter.empty


def test_a_frame_that_no_row_names_is_not_given_out(played: str, store: Store, frames: FrameStore) -> None:
    frames.path("0" * 64).parent.mkdir(exist_ok=True)
    frames.path("0" * 64).write_bytes(frames.kept(store, hash_at(store, played, 0)))
    with pytest.raises(FrameDamaged, match="No row"):
        frames.kept(store, "0" * 64)


def test_an_export_names_what_it_lacks_and_holds_the_rest(played: str, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    sound = export(store, frames, tmp_path / "sound", images="png")
    assert sound.problems == 0 and not (tmp_path / "sound" / PROBLEMS).exists()
    overwrite(store, frames, played)
    report = export(store, frames, tmp_path / "out", images="png")
    told = json.loads((tmp_path / "out" / PROBLEMS).read_text())
    assert report.problems == len(told) == 2
    named = [(problem["episode_id"], problem["seq"], problem["what"]) for problem in told]
    assert named == [(played, 1, "changed"), (played, 3, "missing")]
    assert [problem["pixel_hash"] for problem in told] == [hash_at(store, played, seq) for seq in (1, 3)]
    assert report.model_dump()["images"] == 2 and report.model_dump()["steps"] == 4
    pictures = {path.name for path in (tmp_path / "out").rglob("*.png")}
    assert pictures == {"step_001.png", "step_003.png"}
    assert {Path(problem["file"]).name for problem in told} == {"step_002.png", "step_004.png"}
    [result] = (tmp_path / "out").rglob("*_answer.json")
    assert json.loads(result.read_text())["vantage"]["missing_images"] == ["step_002.png", "step_004.png"]
    assert str(store.home.root) not in (tmp_path / "out" / PROBLEMS).read_text()


def test_the_command_writes_the_rest_and_says_so_by_its_exit_status(played: str, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    command = ["export", "--db", str(store.home.db), "--out", str(tmp_path / "out"), "--zip", "--json"]
    assert CliRunner().invoke(cli.main, command).exit_code == 0
    overwrite(store, frames, played)
    result = CliRunner().invoke(cli.main, command)
    assert result.exit_code == 3 and json.loads(result.stdout)["problems"] == 2
    assert result.stderr.splitlines()[-1].startswith("2 pictures are missing or were changed")
    assert (tmp_path / "out.zip").is_file()


def test_the_participant_and_the_replay_meet_the_damaged_ones_alone(
    played: str, engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool
) -> None:
    overwrite(store, frames, played)
    for seq in (0, 2):
        assert engine.frame(played, seq)
    for seq in (1, 3):
        with pytest.raises(FrameDamaged):
            engine.frame(played, seq)
    report = replay(store, frames, pool, [played])
    assert [(found.seq, found.what) for found in report.differences] == [(1, "file"), (3, "file")] and report.verified == 2


def test_a_frame_that_the_disk_does_not_give_is_one_lacking_picture(played: str, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    path = frames.path(hash_at(store, played, 2))
    path.unlink()
    path.mkdir()
    assert export(store, frames, tmp_path / "out", images="png").problems == 1
    assert [problem["what"] for problem in json.loads((tmp_path / "out" / PROBLEMS).read_text())] == ["unreadable"]


def test_the_doctor_counts_them_and_looks_at_all_when_asked(
    played: str, store: Store, frames: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (soundness.frames(store.home).looked, soundness.frames(store.home).count) == (4, 0)
    overwrite(store, frames, played)
    monkeypatch.setattr(soundness, "SAMPLE", 1)
    assert soundness.frames(store.home).looked == 1
    found = soundness.frames(store.home, everything=True)
    assert (found.looked, found.of, found.count) == (4, 4, 2)
    result = CliRunner().invoke(cli.main, ["doctor", "--all", "--json", "--db", str(store.home.db)])
    check = next(check for check in json.loads(result.stdout)["checks"] if check["name"] == "frames")
    assert result.exit_code == 1 and not check["ok"] and check["found"].startswith("4 of 4 frames looked at, 2 missing or changed: ")


def test_an_agent_takes_its_episode_up_although_its_view_is_damaged(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore
) -> None:
    view = begin()
    here = SimpleNamespace(engine=engine)
    assert agent_api._frame(here, view.episode_id, 0)["data"]  # type: ignore[arg-type]
    frames.path(hash_at(store, view.episode_id, 0)).unlink()
    told = agent_api._frame(here, view.episode_id, 0)  # type: ignore[arg-type]
    assert told["data"] is None and "cannot be shown" in (told["missing"] or "")
    assert engine.open(view.episode_id, tab="again").step.seq == 0
    assert engine.act(view.episode_id, 2, 1, "turn_left").image


def test_a_task_that_was_changed_in_the_database_is_not_asked(played: str, store: Store) -> None:
    content_hash = store.task_hashes()[0]
    with store.atomic() as db:
        for row in store.query("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'tasks'"):
            db.execute(f"DROP TRIGGER {row['name']}")
        db.execute("UPDATE tasks SET document = replace(document, 'larger', 'smaller')")
    with pytest.raises(StoreError, match="was changed after it was stored"):
        Store.open(store.home).get_task(content_hash)


def test_the_doctor_holds_documents_to_their_hashes(played: str, store: Store) -> None:
    assert soundness.documents(store.home).count == 0
    with store.atomic() as db:
        for row in store.query("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'tasks'"):
            db.execute(f"DROP TRIGGER {row['name']}")
        db.execute("UPDATE tasks SET document = replace(document, 'larger', 'smaller')")
    assert soundness.documents(store.home).damaged == ["toy-001"]
