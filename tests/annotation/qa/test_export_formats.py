"""Formats of exports of robot questions declare themselves; one alone is written when it is asked for; tables keep their types."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from annotation.qa import projects
from annotation.qa.exports import FORMATS, MODULES
from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.published.exporting import MANIFEST, export
from annotation.qa.work import pool
from app import cli
from data.store import Store
from study.errors import ExportRefused
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[3]
OWN = {
    "published": {"affordance", "step"},
    "tables": {"items.jsonl", "items.parquet", "hours.parquet", "comments.parquet", "data_dictionary.json", "data_dictionary.md"},
    "coco": {"affordance", "step", "coco.json"},
    "datasets": {"affordance", "step", "questions.parquet", "data_dictionary.json", "data_dictionary.md"},
}
"""Format → what it alone leaves in the folder, beside the card and the manifest. Folders of items are there for pictures."""


@pytest.fixture
def project(store: Store, sound: Callable[..., Item]) -> Project:
    project = projects.create_project(store, "Formats", trial_batch=0)
    for slug in ("affordance", "step"):
        pool.admit(store, project.project_id, sound(slug), state="accepted", actor="lea", why="test")
    pool.create_item(store, project.project_id, sound("step").change(gold=None, hard=()), "ann")
    return project


@pytest.mark.parametrize("name", list(OWN))
def test_one_format_alone_is_written(store: Store, project: Project, name: str, tmp_path: Path) -> None:
    report = export(store, project.project_id, tmp_path / "out", None, only=[name]).model_dump()
    assert {path.name for path in (tmp_path / "out").iterdir()} - {"README.md", MANIFEST} == OWN[name]
    assert bool(list((tmp_path / "out").rglob("QA.json"))) is (name == "published")
    for form in FORMATS:
        assert all(bool(report[count]) is (form.name == name) for count in form.counts if count != "boxes")


def test_the_table_of_comments_holds_where_each_is_pinned(store: Store, project: Project, tmp_path: Path) -> None:
    item = pool.items(store, project.project_id)[0].item
    mark = item.marks[0]
    pool.comment(store, item.item_id, "lea", "All of it")
    pool.comment(store, item.item_id, "lea", "This one", pool.Pin(mark.view, 3.5, 4, mark.id))
    export(store, project.project_id, tmp_path / "out", None, only=["tables"])
    rows = pq.read_table(tmp_path / "out" / "comments.parquet").to_pylist()
    assert [[row[name] for name in ("text", "view", "mark", "x", "y")] for row in rows] == [
        ["All of it", None, None, None, None], ["This one", mark.view, mark.id, 3.5, 4],
    ]  # fmt: skip
    told = json.loads((tmp_path / "out" / "data_dictionary.json").read_text())
    assert {line["column"] for line in told if line["table"] == "comments"} == set(rows[0])


def test_formats_declare_themselves_and_are_found_by_name_nowhere_else() -> None:
    counts = [name for form in FORMATS for name in form.counts]
    assert len(set(counts)) == len(counts) and len({form.name for form in FORMATS}) == len(FORMATS) == len(MODULES)
    assert all(form.title and form.text.endswith(".") for form in FORMATS)
    names = {form.name for form in FORMATS} | set(MODULES)
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for room in ("app", "annotation", "study", "tools")
        for path in (ROOT / room).rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Compare)
        for value in (node.left, *node.comparators)
        if isinstance(value, ast.Constant) and value.value in names
    ]
    assert found == []


def test_an_unknown_format_is_refused_in_a_sentence_before_anything_is_written(store: Store, project: Project, tmp_path: Path) -> None:
    with pytest.raises(ExportRefused, match="no export format 'excel': choose from published, tables, coco, datasets"):
        export(store, project.project_id, tmp_path / "out", None, only=["excel"])
    assert not (tmp_path / "out").exists()
    result = CliRunner().invoke(cli.main, ["qa", "export", "--out", "x", "--format", "excel"])
    assert result.exit_code == 2 and all(form.name in result.output for form in FORMATS)


def test_pandas_takes_the_table_for_what_the_dictionary_says(store: Store, project: Project, tmp_path: Path) -> None:
    export(store, project.project_id, tmp_path / "out", None)
    told = json.loads((tmp_path / "out" / "data_dictionary.json").read_text())
    items = {entry["column"]: entry["type"] for entry in told if entry["table"] == "items"}
    frame = pd.read_parquet(tmp_path / "out" / "items.parquet")
    assert list(frame.columns) == list(items)
    kinds = {"text": "string", "integer": "int64", "true/false": "bool", "time (UTC)": "datetime64[ms, UTC]"}
    assert {column: str(kind) for column, kind in frame.dtypes.items()} == {column: kinds[kind] for column, kind in items.items()}
    assert frame["gold"].isna().tolist() == (frame["status"] == "draft").tolist()
    assert (tmp_path / "out" / "items.jsonl").read_text().count("\n") == len(frame) == 3
    questions = pd.read_parquet(tmp_path / "out" / "questions.parquet")
    assert list(questions.columns) == [entry["column"] for entry in told if entry["table"] == "questions"]
