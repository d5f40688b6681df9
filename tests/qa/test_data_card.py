"""An export is read by the Hugging Face library as its data card says."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")  # read when the library is imported

import datasets

from annotation.qa import pool, projects
from annotation.qa.exporting import export
from annotation.qa.subtasks import SUBTASKS
from data.store import Store


def test_the_table_of_items_is_read(store: Store, sound, tmp_path: Path) -> None:
    project = projects.create_project(store, "Card", trial_batch=0)
    for slug in SUBTASKS:
        pool.admit(store, project.project_id, sound(slug), state="accepted", actor="lea", why="test")
    export(store, project.project_id, tmp_path / "out", None)
    items = str(tmp_path / "out" / "items.parquet")
    read = datasets.load_dataset("parquet", data_files=items, split="train", cache_dir=str(tmp_path / "cache"))
    assert sorted(read["subtask"]) == sorted(SUBTASKS)
