"""`vantage doctor` on backups, stray and changed files, recordings, the renderer and settings: each line says what to do."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import app
from app import cli
from app.commands import doctor_kept
from data import abilities, soundness
from data.backup import manifest
from data.frames import FrameStore
from data.generators.registry import bundled
from data.home import Home
from data.recordings import keep, on_recording
from data.store import Store
from study import safekeeping, taken_back

ROOT = Path(app.__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.from_env(tmp_path / "home" / "vantage.db")
    store = Store.open(home)
    FrameStore(home.frames)
    for task in list(bundled())[:2]:
        store.put_task(task)
    store.close()
    return home


@pytest.fixture(autouse=True)
def no_renderer_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_kept, "fingerprint_of", lambda _: {"backend": "mujoco", "mujoco": "9.9"})


def told(home: Home, name: str, *args: str) -> dict[str, Any]:
    said = CliRunner().invoke(cli.main, ["doctor", "--json", "--db", str(home.db), *args])
    return next(check for check in json.loads(said.stdout)["checks"] if check["name"] == name)


def test_the_age_of_the_newest_backup_is_told_and_an_old_lost_or_missing_one_is_a_fault(home: Home, tmp_path: Path) -> None:
    assert told(home, "backup")["found"] == "none was ever taken" and "vantage backup FOLDER" in told(home, "backup")["advice"]
    done = safekeeping.back_up(home, tmp_path / "backups", program="test", actor="tester")
    check = told(home, "backup")
    assert check["ok"] and check["found"] == f"the newest is 0 hours old, verified when it was written: {done.path}"
    ledger = tmp_path / "backups" / manifest.LEDGER_HERE
    ledger.rename(tmp_path / "aside")
    assert "has no taken-back.jsonl" in told(home, "backup")["found"]
    (tmp_path / "aside").rename(ledger)
    shutil.rmtree(done.path)
    assert not told(home, "backup")["ok"] and "where there is none now" in told(home, "backup")["found"]


def test_a_backup_of_last_month_is_old(home: Home, tmp_path: Path) -> None:
    done = safekeeping.back_up(home, tmp_path / "backups", program="test", actor="tester")
    (home.root / taken_back.PLACES).unlink()
    old = taken_back.Place(at="2020-01-01T00:00:00.000Z", path=str(done.path), files=1, bytes=1, sums_sha256="")
    taken_back.note(home, old)
    check = told(home, "backup")
    assert not check["ok"] and not check["required"] and " days old" in check["found"]


def test_frame_files_that_nothing_names_are_counted_once_they_are_no_steps_of_now(home: Home) -> None:
    path = home.frames / "ab" / f"{'ab' * 32}.webp"
    path.parent.mkdir()
    path.write_bytes(b"x" * 1000)
    assert told(home, "strays")["ok"]
    hour_ago = time.time() - soundness.JUST_KEPT_S - 1
    os.utime(path, (hour_ago, hour_ago))
    check = told(home, "strays")
    assert not check["ok"] and check["found"].startswith("1 of 1 frame files are named by no row") and "erase --again" in check["advice"]
    assert CliRunner().invoke(cli.main, ["participants", "erase", "--again", "--db", str(home.db)]).exit_code == 0
    assert told(home, "strays")["ok"] and not path.exists()


def test_a_frame_whose_pixels_are_not_those_of_its_name_is_told(home: Home, make_frame: Any) -> None:
    store, frames = Store(home), FrameStore(home.frames)
    refs = [frames.put(make_frame(shade)) for shade in (10, 200)]
    with store.atomic() as db:
        refs[0].record(db)
        # the second's bytes under the first's name, and a row that agrees with the bytes
        shutil.copy(frames.path(refs[1].pixel_hash), frames.path(refs[0].pixel_hash))
        db.execute("UPDATE frames SET file_hash = ?", [refs[1].file_hash])
    store.close()
    check = told(home, "frames", "--all")
    assert not check["ok"] and "other pixels than its name says" in check["found"]


@pytest.fixture
def make_frame() -> Any:
    import numpy as np

    from sim_bridge.encoding import encode_frame

    return lambda shade: encode_frame(np.full((12, 16, 3), shade, np.uint8))


def test_a_recording_that_a_task_is_played_on_and_that_is_gone_is_told(home: Home, recording_folder: Path) -> None:
    digest, recording = keep(home, recording_folder)
    store = Store(home)
    task = next(
        task for task in bundled() if not task.scene.phases and not set(task.required_features) & {"pick_up", "put", "fill", "pour"}
    )
    store.put_task(on_recording(task, digest, recording))
    store.close()
    assert told(home, "recordings")["found"] == "1 named by tasks, 0 missing"
    shutil.rmtree(home.recordings / digest)
    check = told(home, "recordings")
    assert check["required"] and not check["ok"] and digest[:12] in check["found"]


@pytest.fixture
def recording_folder(tmp_path: Path) -> Path:
    from PIL import Image

    from sim_bridge.backends.recorded.recording import MANIFEST

    folder = tmp_path / "recording"
    folder.mkdir()
    Image.new("RGB", (64, 48), (90, 120, 30)).save(folder / "a.png")
    view = {"file": "a.png", "position_m": [0, 0, 1], "quaternion_xyzw": [0.7071067811865476, 0, 0, 0.7071067811865476]}
    camera = {"width": 64, "height": 48}
    (folder / MANIFEST).write_text(json.dumps({"camera": camera, "views": [view]}))
    return folder


def test_episodes_that_go_on_under_another_renderer_are_told(home: Home) -> None:
    store = Store(home)
    hashes = store.task_hashes()
    sql = "INSERT INTO episodes (episode_id, task_hash, agent_kind, paradigm, protocol, seed, option_order, state, backend, fingerprint, "
    sql += "created_at) VALUES (?, ?, 'human', 'active', '{}', 0, '[]', ?, 'mujoco', ?, '2026-01-01')"
    with store.atomic() as db:
        for number, (state, version) in enumerate((("active", "9.9"), ("active", "8"), ("completed", "8"), ("completed", "9.9"))):
            db.execute(sql, [f"ep_{number}", hashes[0], state, f'{{"backend":"mujoco","mujoco":"{version}"}}'])
    store.close()
    check = told(home, "simulator")
    assert not check["ok"] and check["found"].endswith("; 2 recorded episodes are of another, 1 of them go on")


def test_a_misspelt_setting_is_told_and_the_worth_of_a_secret_is_not() -> None:
    assert doctor_kept.settings({"VANTAGE_HOM": "/x", "VANTAGE_HOME": "/y"}).found == "VANTAGE_HOM: no setting of this version"
    shown = doctor_kept.settings({"VANTAGE_WORKER_TOKEN": "s3cret", "VANTAGE_HOME": "/y", "PATH": "/bin"})
    assert shown.ok and shown.found == "VANTAGE_HOME=/y VANTAGE_WORKER_TOKEN=…"


def test_every_setting_that_the_program_reads_is_known_to_the_doctor() -> None:
    rooms = ("app", "annotation", "study", "data", "sim_bridge", "tools")
    files = [path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".sh")]
    read = {name for path in files for name in re.findall(r"\bVANTAGE_[A-Z_]+\b", path.read_text(encoding="utf-8"))}
    assert read == set(doctor_kept.SETTINGS)


def test_the_renderer_is_asked_in_a_process_of_its_own() -> None:
    assert abilities.fingerprint_of("toy")["backend"].startswith("toy ")
