"""Importing into the store: parts that add up, duplicates by content, nothing half-imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.tasks import command
from data.importers import run
from data.importers.esi import import_rows
from data.importers.run import ImportReport, import_paths
from data.store import Store, StoreError
from data.task import Task
from tests.homes import fresh_store


def line(number: int, question: int | None = None) -> dict[str, str]:
    camera = {"_key": "0.png", "position": [0, -1, 0.05], "quaternion_xyzw": [0.7071068, 0, 0, 0.7071068]}
    objects = [
        {"_key": f"obj{i}", "category": n, "position": [0.3 * i, 0, 0.05], "quaternion_xyzw": [0, 0, 0, 1]}
        for i, n in enumerate(("mug", "bottle", "grinder"), 1)
    ]
    return {
        "id": f"{number:04d}", "big_task": "Spatial Relations", "small_task": "Linear Alignment", "runner_task": "line", "scene": "Rs_int",
        "room": "kitchen_0", "question": f"Are the mug, bottle and grinder in a line? ({number if question is None else question})",
        "answer": "yes", "answer_type": "choice", "options_json": '["yes","no"]', "image_paths_json": "[]",
        "metadata_json": json.dumps({"camera_poses": [camera], "objects": objects}),
    }  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path / "home")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three rows, a copy of the second under another id, two broken ones and a summary list."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"{number}.json").write_text(json.dumps(line(number)))
    (folder / "4-copy.json").write_text(json.dumps(line(4, question=2)))
    (folder / "5-broken.json").write_text("{")
    (folder / "6-wrong.json").write_text(json.dumps({**line(6), "answer": "perhaps"}))
    (folder / "all.json").write_text(json.dumps({"json_paths": ["1.json", "2.json"]}))
    return folder


def test_parts_add_up_and_copies_are_recognised_by_content(store: Store, rows: Path) -> None:
    report = import_paths(store, [rows])
    assert (report.rows, report.imported, report.duplicates) == (6, 3, 1)
    assert [(r.file, r.field) for r in report.rejected] == [("5-broken.json", ""), ("6-wrong.json", "answer")]
    assert report.rows == report.imported + report.duplicates + len(report.rejected)
    assert store.find_task("esi-0004") == store.find_task("esi-0002")


def test_a_second_import_finds_only_duplicates(store: Store, rows: Path) -> None:
    import_paths(store, [rows])
    again = import_paths(store, [rows])
    assert (again.rows, again.imported, again.duplicates, len(again.rejected)) == (6, 0, 4, 2)


def test_a_changed_gold_is_a_new_version_of_the_task(store: Store, rows: Path) -> None:
    import_paths(store, [rows])
    (rows / "1.json").write_text(json.dumps({**line(1), "answer": "no"}))
    assert import_paths(store, [rows / "1.json"]).imported == 1
    assert store.find_task("esi-0001").gold.accepted == ("no",)


def test_a_failed_write_leaves_nothing_of_its_batch(store: Store, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store.put_task
    written: list[str] = []

    def full_disk(self: Store, task: Task, dedup_key: str | None = None) -> str:
        if len(written) == 2:
            raise StoreError("The disk is full.")
        written.append(task.task_id)
        return kept(self, task, dedup_key)

    monkeypatch.setattr(Store, "put_task", full_disk)
    with pytest.raises(StoreError):
        import_paths(store, [rows])
    assert store.task_hashes() == []
    monkeypatch.undo()
    assert import_paths(store, [rows]).imported == 3


def test_batches_do_not_change_the_report(store: Store, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "BATCH_ROWS", 2)
    report = import_paths(store, [rows])
    assert isinstance(report, ImportReport) and (report.rows, report.imported, report.duplicates) == (6, 3, 1)


def test_the_command_names_rows_that_cannot_be_played_as_recorded(tmp_path: Path) -> None:
    text = json.dumps(line(1)).replace("[0, -1, 0.05]", "[0, -100, 150]")  # centimetres
    (tmp_path / "cm.json").write_text(text)
    done = CliRunner().invoke(command, ["import", str(tmp_path / "cm.json"), "--db", str(tmp_path / "x.db")])
    assert done.exit_code == 0 and "1 of those imported: the recorded lengths are those of no room in metres" in done.stderr
    assert "(cm.json)" in done.stderr


def test_an_importer_of_another_version_brings_rows_in_again(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [e.dedup_key for e in import_rows([rows / "1.json"])]  # type: ignore[union-attr]
    monkeypatch.setattr("data.importers.esi.VERSION", "esi-bench importer 99")
    assert keys != [e.dedup_key for e in import_rows([rows / "1.json"])]  # type: ignore[union-attr]


def test_the_command_prints_json_alone_and_says_by_its_status_whether_all_rows_came_in(tmp_path: Path, rows: Path) -> None:
    database = str(tmp_path / "x.db")
    bad = CliRunner().invoke(command, ["import", str(rows), "--db", database, "--json"])
    assert bad.exit_code == 1
    report = json.loads(bad.stdout)
    assert set(report) == {"rows", "imported", "duplicates", "rejected", "defective", "seconds"}
    assert report["rejected"][1]["file"] == "6-wrong.json" and set(report["rejected"][1]) == {"file", "field", "reason"}
    assert report["defective"] == []
    good = CliRunner().invoke(command, ["import", str(rows / "1.json"), "--db", database, "--json"])
    assert good.exit_code == 0 and json.loads(good.stdout)["duplicates"] == 1


def test_coverage_names_every_subcategory_and_what_is_missing(tmp_path: Path, rows: Path) -> None:
    database = str(tmp_path / "x.db")
    CliRunner().invoke(command, ["import", str(rows), "--db", database])
    found = json.loads(CliRunner().invoke(command, ["coverage", "--db", database, "--json"]).stdout)
    assert len(found["subcategories"]) == 29 and (found["imported"], found["playable"], found["share"]) == (3, 0, 0.0)
    assert found["categories"]["grinder"]["grade"] == "none" and found["grades"]["none"] >= 1
    lines = next(s for s in found["subcategories"] if s["subcategory"] == "Linear Alignment")
    assert lines["imported"] == 3 and lines["playable"] == 0
    assert lines["reasons"]["no recognisable model of: grinder"] == 3


def test_a_path_where_nothing_is_is_said_in_full_and_before_an_import_coverage_says_what_comes_first(tmp_path: Path) -> None:
    database = str(tmp_path / "x.db")
    missing = tmp_path / "other" / "json"
    wrong = CliRunner().invoke(command, ["import", str(missing), "--db", database])
    assert wrong.exit_code == 1 and f"{missing}: Cannot be read: No such file" in wrong.stderr
    nothing = CliRunner().invoke(command, ["coverage", "--db", database])
    assert nothing.exit_code == 1 and "Import rows first: vantage tasks import PATH." in nothing.stderr and "0 of 0" not in nothing.output


def test_an_import_that_was_stopped_while_rows_were_tried_goes_on_with_them_when_it_is_done_again(
    tmp_path: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    monkeypatch.setattr("app.commands.tasks.try_rows", lambda store: tried.append(len(list(store.tasks(dataset="esi-bench")))))
    argv = ["import", str(rows / "1.json"), "--db", str(tmp_path / "x.db")]
    for more in ([], [], ["--no-try"]):
        assert CliRunner().invoke(command, [*argv, *more]).exit_code == 0
    assert tried == [1, 1], "the second import brings nothing in, and tries what was left"
