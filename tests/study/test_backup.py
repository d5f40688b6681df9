"""A home is copied while people play, comes back elsewhere without a difference, and whoever took their data back since stays out of it."""

from __future__ import annotations

import itertools
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from app import beside, services
from app.cli import main
from data import soundness
from data.backup import manifest, restoring, taking
from data.backup.manifest import BackupDamaged, NewerBackup, NotABackup
from data.frames import FrameStore
from data.home import Home
from data.migrations import NAMES
from data.store import StorageFull, Store, StoreBusy, StoreError
from data.task import Task
from study import access, erasure, participants, safekeeping, taken_back
from study.episode import EpisodeEngine
from study.studies import Recruitment, create_study
from tests.present import present

HOMES = Path(__file__).parent / "fixtures" / "homes"
WHO: dict[str, Any] = {"program": "test", "actor": "tester"}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where backups go: outside the home."""
    return tmp_path_factory.mktemp("kept") / "backups"


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home.from_env(tmp_path_factory.mktemp("other") / "home" / "vantage.db")


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    task = make_task()
    store.put_task(task)
    return create_study(store, "S", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="abc"))


@pytest.fixture
def play(store: Store, engine: EpisodeEngine, study: Any) -> Callable[[str], str]:
    """Somebody is recruited and plays their task to its end; returns who."""

    def one(name: str) -> str:
        _, grant = access.enter_recruited(store, {"PROLIFIC_PID": name, "STUDY_ID": "abc", "SESSION_ID": "x"})
        for event in ("welcome", "consent"):
            participants.advance(store, present(grant.participant_id), event)
        view = engine.open(present(participants.place(store, engine, present(grant.participant_id)).episode_id))
        for seq, action in enumerate(("turn_left", "turn_left", "move_forward"), 1):
            engine.act(view.episode_id, view.epoch, seq, action)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
        return str(grant.participant_id)

    return one


@pytest.fixture
def taken(store: Store, play: Callable[[str], str], folder: Path) -> taking.Taken:
    """A backup of two people's tasks."""
    play("one")
    play("two")
    return safekeeping.back_up(store.home, folder, **WHO)


def tables(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, by the interpreter's own SQLite."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: sorted(db.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}


def pictures(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "frames").glob("*/*.webp")}


def nothing_left(folder: Path) -> bool:
    return [path.name for path in folder.iterdir() if path.name not in (taking.LOCK, manifest.LEDGER_HERE)] == []


# taken while people play


@pytest.fixture
def playing(begin: Callable[..., Any], engine: EpisodeEngine) -> Iterator[list[int]]:
    """Three people act as fast as they can; the list grows by one a step."""
    views, steps, stop = [begin(tab=str(n)) for n in range(3)], [0], threading.Event()
    failed: list[BaseException] = []

    def act(view: Any) -> None:
        try:
            for seq, action in zip(itertools.count(1), itertools.cycle(("turn_left", "move_forward")), strict=False):
                if stop.is_set() or seq >= view.budget - 1:
                    return
                engine.act(view.episode_id, view.epoch, seq, action)
                steps[0] += 1
        except BaseException as error:
            failed.append(error)
        finally:
            engine.store.close()

    threads = [threading.Thread(target=act, args=(view,)) for view in views]
    for thread in threads:
        thread.start()
    yield steps
    stop.set()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_backup_taken_while_people_play_comes_back_elsewhere_without_a_difference(
    store: Store, play: Callable[[str], str], playing: list[int], folder: Path, elsewhere: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "PAGES_AT_ONCE", 4)  # many pieces, with steps between them
    before, during = playing[0], []
    play("one")
    done = safekeeping.back_up(store.home, folder, **WHO, tell=lambda what, *_: during.append((what, playing[0])))
    assert len([what for what, _ in during if what == "database"]) > 10 and during[-1][1] > before
    copied = tables(done.path / "vantage.db")
    assert {row[0] for row in copied["frames"]} == {Path(name).stem for name in pictures(done.path)}
    assert subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=done.path, check=False).returncode == 0
    with sqlite3.connect(done.path / "vantage.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert (done.about.rows["steps"], done.about.frames) == (len(copied["steps"]), len(copied["frames"]))

    safekeeping.bring_back(done.path, elsewhere, actor="tester")
    back = tables(elsewhere.db)
    (restored,) = [row for row in back["events"] if row[2] == "restored"]
    back["events"].remove(restored)
    changed = {name for name in copied if copied[name] != back[name]}
    assert changed == {"sqlite_sequence"}  # the event of the restore itself was counted
    assert pictures(elsewhere.root) == pictures(done.path)
    assert soundness.database(elsewhere) == "" and soundness.frames(elsewhere, everything=True).count == 0


def test_a_frame_that_goes_with_its_person_begins_the_copy_again(
    store: Store, frames: FrameStore, begin: Callable[..., Any], engine: EpisodeEngine, folder: Path
) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    copies: list[int] = []

    def lose(what: str, done: int, whole: int) -> None:
        if what == "database" and done == whole:
            copies.append(done)
            if len(copies) == 1:
                with store.atomic() as db:  # as `erasure` does it: the row, then the file
                    row = store.one("SELECT pixel_hash FROM steps WHERE seq = 1")
                    db.execute("DELETE FROM steps WHERE seq = 1")
                    db.execute("DELETE FROM frames WHERE pixel_hash = ?", [present(row)["pixel_hash"]])
                frames.path(present(row)["pixel_hash"]).unlink()

    done = safekeeping.back_up(store.home, folder, **WHO, tell=lose)
    assert len(copies) == 2 and done.about.frames == 1 == len(pictures(done.path))


# who took their data back since


def test_who_withdrew_after_the_backup_stays_withdrawn_where_the_first_home_is_lost(
    store: Store, engine: EpisodeEngine, play: Callable[[str], str], taken: taking.Taken, folder: Path, elsewhere: Home
) -> None:
    person = play("three")
    late = safekeeping.back_up(store.home, folder, **WHO)
    participants.withdraw(store, engine, person)
    assert taken_back.carry(store) == []
    shutil.rmtree(store.home.frames)  # the machine is gone
    assert ("withdrawn",) not in {row[:1] for row in sqlite3.connect(late.path / "vantage.db").execute("SELECT state FROM participants")}
    done = safekeeping.bring_back(late.path, elsewhere, actor="tester")
    assert done.applied.withdrawn == [person] and done.applied.erased == []
    assert done.ledgers == (folder / manifest.LEDGER_HERE,)
    other = Store.open(elsewhere)
    assert participants.get_participant(other, person).state == "withdrawn"
    assert {row["state"] for row in other.query("SELECT state FROM episodes WHERE participant_id = ?", [person])} == {"withdrawn"}
    assert [row["n"] for row in other.query("SELECT count(*) AS n FROM participants WHERE state <> 'withdrawn'")] == [2]
    # the restored home knows it by itself from now on
    assert [entry.participant_id for entry in taken_back.known(other)] == [person]
    other.close()


def test_who_was_erased_after_the_backup_is_erased_in_the_restored_home(
    store: Store, frames: FrameStore, play: Callable[[str], str], taken: taking.Taken, folder: Path, elsewhere: Home
) -> None:
    (person,) = [row["participant_id"] for row in store.query("SELECT participant_id FROM recruitment WHERE external_id = 'two'")]
    erasure.erase(store, frames, person, reason="asked by mail")
    taken_back.carry(store)
    done = safekeeping.bring_back(taken.path, elsewhere, actor="tester")
    assert done.applied.erased == [person]
    other = Store.open(elsewhere)
    assert erasure.remains(other) == [] and other.query("SELECT 1 FROM episodes WHERE participant_id = ?", [person]) == []
    assert {row["external_id"] for row in other.query("SELECT external_id FROM recruitment")} == {"one"}
    other.close()
    assert b'"two"' not in elsewhere.db.read_bytes()


def test_a_restore_in_place_asks_the_database_that_it_replaces(
    store: Store, engine: EpisodeEngine, play: Callable[[str], str], taken: taking.Taken, folder: Path
) -> None:
    (person,) = [row["participant_id"] for row in store.query("SELECT participant_id FROM recruitment WHERE external_id = 'one'")]
    participants.withdraw(store, engine, person)
    home = store.home
    store.close()
    (folder / manifest.LEDGER_HERE).unlink()  # nothing was carried
    done = safekeeping.bring_back(taken.path, home, actor="tester", replace=True)
    assert done.applied.withdrawn == [person] and done.aside is not None
    assert {row[0] for row in tables(done.aside / "vantage.db")["recruitment"]} and pictures(done.aside)
    assert not list(home.root.glob("restoring-*"))


def test_a_ledger_can_be_named_and_one_that_cannot_be_read_stops_the_restore(
    store: Store, play: Callable[[str], str], taken: taking.Taken, folder: Path, elsewhere: Home, tmp_path: Path
) -> None:
    person = store.query("SELECT participant_id, study_id FROM participants LIMIT 1")[0]
    named = tmp_path / "later.jsonl"
    named.write_text(json.dumps(person | {"what": "withdrawn"}) + "\n{not json\n")
    with pytest.raises(StoreError, match="line 2 cannot be read"):
        safekeeping.bring_back(taken.path, elsewhere, actor="tester", ledgers=[named])
    assert not elsewhere.db.exists()
    named.write_text(json.dumps(person | {"what": "withdrawn"}) + "\n")
    done = safekeeping.bring_back(taken.path, elsewhere, actor="tester", ledgers=[named])
    assert done.applied.withdrawn == [person["participant_id"]]
    with pytest.raises(StoreError, match="There is no ledger"):
        safekeeping.bring_back(taken.path, elsewhere, actor="tester", ledgers=[tmp_path / "none"])


def test_a_folder_that_is_not_there_gets_no_ledger_and_is_told(store: Store, taken: taking.Taken, folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()  # an empty mount point
    assert taken_back.carry(store) == [folder] and list(folder.iterdir()) == []
    said = CliRunner().invoke(main, ["participants", "erase", "--again", "--json", "--db", str(store.home.db)])
    assert json.loads(said.stdout)["erased"] == [] and f"{folder} holds backups, and could not be told" in said.stderr


# homes of earlier versions


@pytest.mark.parametrize("schema", NAMES[:-1])
def test_a_backup_of_every_earlier_schema_is_taken_as_it_is_and_restored_into_this_one(
    schema: str, tmp_path: Path, folder: Path, elsewhere: Home
) -> None:
    with tarfile.open(HOMES / f"schema_{schema}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    home = Home.from_env(tmp_path / "vantage.db")
    before = tables(home.db)
    done = safekeeping.back_up(home, folder, **WHO)
    assert tables(home.db) == before == tables(done.path / "vantage.db")  # not migrated
    assert done.about.schema[-1] == schema and done.about.frames == len(before["frames"]) > 0
    safekeeping.bring_back(done.path, elsewhere, actor="tester")
    store = Store.open(elsewhere)
    wanted = "SELECT episode_id, seq, action, pixel_hash FROM steps ORDER BY episode_id, seq"
    with sqlite3.connect(home.db) as old:
        assert [tuple(row.values()) for row in store.query(wanted)] == old.execute(wanted).fetchall()
    assert soundness.frames(elsewhere, everything=True).count == 0
    store.close()


@pytest.mark.parametrize("schema", NAMES[:-1])
def test_a_copy_made_by_hand_of_every_earlier_schema_is_restored_when_asked_for(schema: str, tmp_path: Path, elsewhere: Home) -> None:
    with tarfile.open(HOMES / f"schema_{schema}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    with pytest.raises(NotABackup, match="--by-hand restores it"):
        safekeeping.bring_back(tmp_path, elsewhere, actor="tester")
    done = safekeeping.bring_back(tmp_path, elsewhere, actor="tester", by_hand=True)
    assert done.taken_at == "" and pictures(elsewhere.root) == pictures(tmp_path)
    next((tmp_path / "frames").glob("*/*.webp")).unlink()
    with pytest.raises(BackupDamaged, match="is missing in the backup"):
        safekeeping.bring_back(tmp_path, elsewhere, actor="tester", by_hand=True, replace=True)
    assert soundness.frames(elsewhere, everything=True).count == 0  # as it was


# what is no whole backup


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("harm", [flip, cut, Path.unlink])
@pytest.mark.parametrize("what", ["vantage.db", "frames/*/*.webp", "backup.json", "SHA256SUMS"])
def test_a_backup_that_was_cut_or_changed_is_refused_and_nothing_is_lost(
    what: str, harm: Any, taken: taking.Taken, elsewhere: Home
) -> None:
    harm(next(iter(taken.path.glob(what))))
    with pytest.raises(StoreError) as refused:
        manifest.verify(taken.path)
    assert isinstance(refused.value, BackupDamaged | NotABackup | NewerBackup)
    with pytest.raises(type(refused.value)) as said:
        safekeeping.bring_back(taken.path, elsewhere, actor="tester")
    assert str(taken.path) in str(said.value) and str(said.value).count("\n") == 0
    assert not elsewhere.db.exists() and not list(elsewhere.root.glob("restoring-*"))


def test_a_file_too_many_and_a_line_too_few_are_seen(taken: taking.Taken, elsewhere: Home) -> None:
    (taken.path / "more.txt").write_text("x")
    with pytest.raises(BackupDamaged, match=r"more\.txt does not belong"):
        manifest.verify(taken.path)
    (taken.path / "more.txt").unlink()
    lines = (taken.path / "SHA256SUMS").read_text().splitlines(keepends=True)
    frame = next(line for line in lines if "frames/" in line)
    (taken.path / "SHA256SUMS").write_text("".join(line for line in lines if line != frame))
    (taken.path / frame.split("  ")[1].strip()).unlink()
    with pytest.raises(BackupDamaged, match="was cut short"):
        manifest.verify(taken.path)
    (taken.path / "SHA256SUMS").write_text("".join(lines).replace("  frames", "  ../frames", 1))
    with pytest.raises(BackupDamaged, match="is not as it was written"):
        manifest.verify(taken.path)


@pytest.mark.parametrize(("field", "value"), [("format", 99), ("schema", [*NAMES, "0999"])])
def test_a_backup_of_a_newer_version_asks_for_an_update(field: str, value: Any, taken: taking.Taken, elsewhere: Home) -> None:
    about = json.loads((taken.path / "backup.json").read_text())
    (taken.path / "backup.json").write_text(json.dumps(about | {field: value}))
    with pytest.raises(NewerBackup, match="Update this installation"):
        safekeeping.bring_back(taken.path, elsewhere, actor="tester")
    assert not elsewhere.db.exists()


def test_a_folder_that_is_no_backup_says_which_are(taken: taking.Taken, folder: Path, elsewhere: Home, tmp_path: Path) -> None:
    empty = elsewhere.root.parent
    for path, said in ((folder, f"the newest is {taken.path.name}"), (tmp_path / "none", "There is no folder"), (empty, "is no backup")):
        with pytest.raises(NotABackup, match=said):
            safekeeping.bring_back(path, elsewhere, actor="tester")


# where it cannot be written


def test_a_full_disk_in_the_middle_leaves_nothing_and_says_so(store: Store, play: Callable[[str], str], folder: Path) -> None:
    """Files may not grow beyond a limit: the database does (SQLite's word for it), then an image does (ours)."""
    play("one")
    (store.home.root / "images" / "ab").mkdir(parents=True)
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = store.home.db.stat().st_size
    (store.home.root / "images" / "ab" / "large").write_bytes(b"x" * 4 * size)
    for limit in (size // 2, 2 * size):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "app.cli", "backup", str(folder), "--db", str(store.home.db)],
            preexec_fn=lambda most=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),  # type: ignore[misc]
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and "disk is full" in done.stderr and "Traceback" not in done.stderr, done.stderr
        assert nothing_left(folder)
    assert safekeeping.back_up(store.home, folder, **WHO).about.files > 0


def test_too_little_room_is_said_before_anything_is_written(
    store: Store, play: Callable[[str], str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play("one")
    monkeypatch.setattr(taking, "SPARE_BYTES", 1 << 60)
    with pytest.raises(StorageFull, match=r"MB free, a backup of .* needs"):
        safekeeping.back_up(store.home, folder, **WHO)
    assert nothing_left(folder)


def test_a_frame_that_the_home_lacks_stops_the_backup_unless_it_is_meant(
    store: Store, frames: FrameStore, play: Callable[[str], str], folder: Path, elsewhere: Home
) -> None:
    play("one")
    lost = present(store.one("SELECT pixel_hash FROM steps WHERE seq = 2"))["pixel_hash"]
    frames.path(lost).unlink()
    with pytest.raises(StoreError, match=r"1 of the frames .* --despite-damage"):
        safekeeping.back_up(store.home, folder, **WHO)
    assert nothing_left(folder)
    done = safekeeping.back_up(store.home, folder, **WHO, despite_damage=True)
    assert done.about.damaged == [lost]
    safekeeping.bring_back(done.path, elsewhere, actor="tester")
    assert soundness.frames(elsewhere, everything=True).count == 1


def test_a_killed_backup_is_swept_away_by_the_next_and_two_at_once_are_not_taken(
    store: Store, play: Callable[[str], str], folder: Path
) -> None:
    play("one")
    folder.mkdir()
    half = folder / f".{taking.PREFIX}20200101T000000Z{taking.PARTIAL}"
    half.mkdir()
    (half / "vantage.db").write_bytes(b"half")
    with taking._alone(folder), pytest.raises(StoreBusy, match="Another backup is being taken"):
        safekeeping.back_up(store.home, folder, **WHO)
    assert half.exists()
    safekeeping.back_up(store.home, folder, **WHO)
    assert not half.exists() and len(taking.backups(folder)) == 1


def test_older_backups_go_when_the_newer_one_is_whole(
    store: Store, play: Callable[[str], str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play("one")
    first = [safekeeping.back_up(store.home, folder, **WHO).path.name for _ in range(2)]
    done = safekeeping.back_up(store.home, folder, **WHO, keep=2)
    assert done.pruned == first[:1] and [path.name for path in taking.backups(folder)] == [first[1], done.path.name]


def test_a_backup_inside_the_home_or_of_no_home_is_refused(store: Store, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="would be lost with it"):
        safekeeping.back_up(store.home, store.home.root / "backups", **WHO)
    with pytest.raises(StoreError, match="There is no database"):
        safekeeping.back_up(Home.from_env(tmp_path / "no" / "vantage.db"), folder, **WHO)
    assert not folder.exists()


# where there is something already


def test_a_home_with_data_is_replaced_only_when_asked_and_one_in_use_never(
    store: Store, play: Callable[[str], str], taken: taking.Taken
) -> None:
    home = store.home
    with pytest.raises(restoring.HomeHasData, match="--replace"):
        safekeeping.bring_back(taken.path, home, actor="tester")
    with pytest.raises(restoring.HomeInUse, match="Stop the app"):
        safekeeping.bring_back(taken.path, home, actor="tester", replace=True)
    assert not list(home.root.glob("before-restore-*"))
    store.close()
    with beside.registered(home, "http://127.0.0.1:1"):
        said = CliRunner().invoke(main, ["restore", str(taken.path), "--replace", "--db", str(home.db)])
        assert said.exit_code == 2 and "An app serves" in said.output and "http://127.0.0.1:1" in said.output
    said = CliRunner().invoke(main, ["restore", str(taken.path), "--replace", "--db", str(home.db), "--json"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert told["rows"]["steps"] == taken.about.rows["steps"] and Path(told["replaced"]).is_dir()


def test_a_database_of_another_name_keeps_its_files_beside_it(taken: taking.Taken, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = Home.from_env(tmp_path_factory.mktemp("named") / "mine.db")
    safekeeping.bring_back(taken.path, home, actor="tester")
    assert soundness.database(home) == "" and soundness.frames(home, everything=True).looked == taken.about.frames
    safekeeping.bring_back(taken.path, home, actor="tester", replace=True)
    assert soundness.frames(home, everything=True).count == 0


# the commands


def test_the_commands_say_what_they_did_and_a_check_writes_nothing(
    store: Store, play: Callable[[str], str], folder: Path, elsewhere: Home
) -> None:
    play("one")
    db = str(store.home.db)
    said = CliRunner().invoke(main, ["backup", str(folder), "--db", db, "--json"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert told["frames"] == len(pictures(store.home.root)) and told["sums_sha256"]
    assert CliRunner().invoke(main, ["restore", told["path"], "--check"]).exit_code == 0
    flip(next(Path(told["path"]).glob("frames/*/*")))
    refused = CliRunner().invoke(main, ["restore", told["path"], "--check"])
    assert refused.exit_code == 2 and "is not the file that was written" in refused.output
    said = CliRunner().invoke(main, ["backup", str(folder), "--db", db])
    assert said.exit_code == 0 and "read again" in said.stdout
    last = taking.backups(folder)[-1]
    done = CliRunner().invoke(main, ["restore", str(last), "--db", str(elsewhere.db)])
    assert done.exit_code == 0 and "restored, 1 studies" in done.stdout


def test_a_full_disk_in_the_middle_of_a_restore_leaves_the_home_as_it_was(store: Store, taken: taking.Taken, elsewhere: Home) -> None:
    safekeeping.bring_back(taken.path, elsewhere, actor="tester")
    before = tables(elsewhere.db)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "app.cli", "restore", str(taken.path), "--replace", "--db", str(elsewhere.db)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (taken.path.joinpath("vantage.db").stat().st_size // 2,) * 2),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "disk is full" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert tables(elsewhere.db) == before and pictures(elsewhere.root) == pictures(taken.path)
    assert not list(elsewhere.root.glob("restoring-*")) and not list(elsewhere.root.glob("before-restore-*"))


def test_an_erasure_by_command_tells_the_backups_and_says_which_it_could_not_reach(
    store: Store, play: Callable[[str], str], taken: taking.Taken, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    person = play("three")
    ledger = folder / manifest.LEDGER_HERE
    erase = ["participants", "erase", "--yes", "--db", str(store.home.db)]
    assert CliRunner().invoke(main, [*erase, person]).exit_code == 0
    assert [entry.participant_id for entry in taken_back.read(ledger)] == [person]
    ledger.unlink()
    said = CliRunner().invoke(main, [*erase, "--external-id", "one"])
    assert said.exit_code == 0 and f"{folder} holds backups, and could not be told" in said.stderr


def test_a_running_app_carries_the_ledger(
    store: Store, engine: EpisodeEngine, play: Callable[[str], str], taken: taking.Taken, folder: Path
) -> None:
    person = play("three")
    participants.withdraw(store, engine, person)
    services.Services.carry(SimpleNamespace(store=store))  # type: ignore[arg-type]
    assert [entry.what for entry in taken_back.read(folder / manifest.LEDGER_HERE) if entry.participant_id == person] == ["withdrawn"]
