"""The store: tasks, transactions, migrations, append-only records, refusals."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from data import store as store_module
from data.home import Home
from data.migrations import MIGRATIONS, NAMES
from data.store import StorageFull, Store, StoreError, TaskNotFound
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from tests.homes import fresh_store

ROOT = Path(__file__).parents[2]


def make_task(task_id: str = "own-size-001", gold: str = "near the bowl", **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "task_id": task_id,
        "category": "Metric Comparison",
        "subcategory": "Dimensional Size",
        "question": Question(
            text="Which cup is larger: the one near the bowl, or the one near the lamp?",
            form="choice",
            options=("near the bowl", "near the lamp"),
        ),
        "gold": Gold(accepted=(gold,), chance=0.5),
        "scene": Scene(camera=Camera(64, 48), room=Room(), objects=(Object("object_1", "cup", Pose((0, 1, 0))),)),
        "start": Pose((0.0, 0.0, 1.0), (0.7071067811865476, 0.0, 0.0, 0.7071067811865476)),
        "provenance": Provenance(dataset="vantage"),
    }
    return Task(**(fields | changes))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


def test_a_task_comes_back_as_it_was_put(store: Store) -> None:
    task = make_task()
    assert store.put_task(task) == "imported"
    assert store.put_task(task) == "duplicate"
    assert store.get_task(task.content_hash) == task
    assert store.find_task("own-size-001") == task
    assert [t.task_id for t in store.tasks(dataset="vantage", subcategory="Dimensional Size")] == ["own-size-001"]
    assert list(store.tasks(dataset="esi-bench")) == []


def test_rows_that_differ_only_in_id_are_kept_once_and_found_by_both_ids(store: Store) -> None:
    first, second = make_task("esi-0001"), make_task("esi-0002")
    assert store.put_task(first, dedup_key="k") == "imported"
    assert store.put_task(second, dedup_key="k") == "duplicate"
    assert store.find_task("esi-0002") == first


def test_a_new_version_of_an_id_is_the_one_found(store: Store) -> None:
    old, new = make_task(), make_task(gold="near the lamp")
    store.put_task(old)
    store.put_task(new)
    assert store.find_task("own-size-001") == new
    assert store.task_hashes() == [new.content_hash]
    assert store.get_task(old.content_hash) == old


def test_an_unknown_task_is_named(store: Store) -> None:
    with pytest.raises(TaskNotFound, match="'nothing'"):
        store.find_task("nothing")


@pytest.mark.parametrize(
    "statement", ["UPDATE events SET kind = 'x'", "DELETE FROM events", "UPDATE tasks SET twin = 'x'", "DELETE FROM tasks"]
)
def test_events_and_tasks_only_grow(store: Store, statement: str) -> None:
    store.put_task(make_task())
    store.event("something")
    with pytest.raises(Exception, match="only grow"), store.atomic() as db:
        db.execute(statement)
    assert store.one("SELECT count(*) AS n FROM events") == {"n": 1}


def test_an_exception_rolls_everything_back_and_an_inner_one_only_the_inner_part(store: Store) -> None:
    with pytest.raises(RuntimeError), store.atomic():
        store.event("lost")
        raise RuntimeError
    with store.atomic():
        store.event("outer")
        with pytest.raises(RuntimeError), store.atomic():
            store.event("inner")
            raise RuntimeError
    assert [row["kind"] for row in store.query("SELECT kind FROM events")] == ["outer"]


def test_read_then_write_in_many_threads_loses_nothing(store: Store) -> None:
    store.event("counter", {"n": 0})
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                with store.atomic():
                    row = store.one("SELECT count(*) AS n FROM events")
                    assert row is not None
                    store.event("counter", {"n": row["n"]})
        except BaseException as error:
            errors.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [row["n"] for row in store.query("SELECT json_extract(data, '$.n') AS n FROM events ORDER BY seq")] == list(range(0, 1)) + list(
        range(1, 121)
    )


def test_the_connection_is_durable_and_checked(store: Store) -> None:
    assert [next(iter(store.one(f"PRAGMA {name}").values())) for name in ("journal_mode", "synchronous", "foreign_keys")] == ["wal", 2, 1]  # type: ignore[union-attr]


def test_an_old_sqlite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module.sqlite3, "sqlite_version", "3.40.1")  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match="pysqlite3"):
        Store.open(Home.from_env(tmp_path / "vantage.db"))
    assert not (tmp_path / "vantage.db").exists()


def test_nothing_else_opens_a_database_to_write() -> None:
    """A second SQLite in the process would break the locks of the first, and another connection would miss the settings."""
    opener = re.compile(r"^\s*(import|from) (sqlite3|pysqlite3)|sqlite3\.connect\((?!.*mode=ro)|[^_\w]Database\(")
    found = {
        str(path.relative_to(ROOT))
        for room in ("app", "annotation", "study", "data", "sim_bridge", "bench")
        for path in (ROOT / room).rglob("*.py")
        if any(opener.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    # a backup opens its own copies, and what is restored into is first asked whether anybody has it open: by the store's own library
    copies = {"data/backup/taking.py", "data/backup/restoring.py"}
    assert found == {"data/store.py", *copies}
    library = "from sqlite_utils.utils import sqlite3"
    assert all(library in (ROOT / name).read_text(encoding="utf-8") for name in found)


def test_a_full_disk_is_said_and_leaves_nothing_half_written(store: Store) -> None:
    store.put_task(make_task())
    pages = next(iter(store.one("PRAGMA page_count").values()))  # type: ignore[union-attr]
    store.query(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StorageFull, match="free some space"), store.atomic():
        for n in range(400):
            store.event("big", {"text": "x" * 2000, "n": n})
    assert store.one("SELECT count(*) AS n FROM events") == {"n": 0}
    store.query("PRAGMA max_page_count=1000000")
    store.event("goes on")
    assert store.one("SELECT count(*) AS n FROM events") == {"n": 1}


def test_rubbish_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"\x00rubbish" * 1000)
    with pytest.raises(StoreError, match="not a readable database"):
        Store.open(Home.from_env(path))


def test_a_newer_schema_is_refused(store: Store) -> None:
    with store.atomic() as db:
        db["_sqlite_migrations"].insert({"migration_set": MIGRATIONS.name, "name": "9999", "applied_at": "later"})  # type: ignore[union-attr]
    with pytest.raises(StoreError, match="newer version"):
        Store.open(store.home)


def test_many_openers_at_once_migrate_once(tmp_path: Path) -> None:
    home, errors = Home.from_env(tmp_path / "vantage.db"), []

    def work() -> None:
        try:
            Store.open(home).close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [m.name for m in MIGRATIONS.applied(Store.open(home).db)] == list(NAMES)


def test_two_databases_in_one_folder_keep_their_files_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Home.from_env(tmp_path / "vantage.db").frames == tmp_path / "frames"
    assert Home.from_env(tmp_path / "x.db").frames == tmp_path / "x.db-files" / "frames"
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    assert Home.from_env().db == tmp_path / "home" / "vantage.db"


def test_ids_are_read_from_an_index_in_the_order_asked(store: Store) -> None:
    tasks = [make_task(f"own-size-{n:03d}", gold="near the lamp" if n % 2 else "near the bowl") for n in range(5)]
    for task in tasks:
        store.put_task(task)
    hashes = [task.content_hash for task in reversed(tasks)]
    assert store.task_ids(hashes) == [task.task_id for task in reversed(tasks)]
    sql = "SELECT content_hash, task_id FROM tasks INDEXED BY tasks_facts WHERE content_hash = 'fff'"
    plan = store.query(f"EXPLAIN QUERY PLAN {sql}")
    assert any("COVERING INDEX tasks_facts" in row["detail"] for row in plan)
    with pytest.raises(TaskNotFound, match="No task has the content hash 'fff'"):
        store.task_ids(["fff"])
