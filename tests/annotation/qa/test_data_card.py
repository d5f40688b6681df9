"""An export is read by the Hugging Face library as its data card says."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")  # read when the library is imported

import datasets
import numpy as np
import pytest
from PIL import Image

from annotation.qa import derive, projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.exports.form import Entry
from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.projects import Project
from annotation.qa.published.exporting import export, export_entries
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from data.store import Store

NAME = "Küche \"n': #1, *x*\u2028\x85 \U0001f9c2 $5"


@pytest.fixture
def project(store: Store) -> Project:
    """A project with an accepted item of each subtask of the dual arm, with pictures, and a draft."""
    project = projects.create_project(store, NAME, trial_batch=0)
    images = ImageFolder(store.home)

    def image(view: str, number: int) -> ViewImage:
        kept = io.BytesIO()
        Image.fromarray(np.full((96, 128, 3), 11 * number, np.uint8)).save(kept, "WEBP" if number == 3 else "PNG", lossless=True)
        return ViewImage(view=view, image=images.keep(kept.getvalue()), width=128, height=96)

    views = tuple(image(view, number) for number, view in enumerate(VIEWS["dual"], start=1))
    scenery = Scenery("agibot", "dual", "e1", "m1", views, tuple(image("left-gripper", number) for number in (4, 5, 6)))
    for slug, subtask in SUBTASKS.items():
        item = subtask.sample(random.Random(slug), scenery).change(item_id=f"qa-{slug}")
        pool.admit(store, project.project_id, item, state="accepted", actor="lea", why="test")
    pool.create_item(store, project.project_id, SUBTASKS["step"].sample(random.Random(1), scenery), "ann")
    return project


def load(folder: Path, name: str | None, split: str, cache: Path) -> Any:
    return datasets.load_dataset(str(folder), name, split=split, cache_dir=str(cache))


def test_the_folder_is_loaded_as_it_is(store: Store, project: Project, tmp_path: Path) -> None:
    out, cache = tmp_path / "out", tmp_path / "cache"
    export(store, project.project_id, out, ImageFolder(store.home))
    assert datasets.get_dataset_config_names(str(out)) == ["items", "all_items"]
    rows = load(out, None, "test", cache)
    assert rows.features["images"] == datasets.List(datasets.Image()) and rows.num_rows == len(SUBTASKS)
    assert rows.features["options"] == datasets.List(datasets.Value("string"))
    items = {stored.item.item_id: stored.item for stored in pool.items(store, project.project_id)}
    for row in rows:
        item: Item = items[row["id"]]
        assert (row["question"], row["correct"], row["subtask"]) == (item.question, item.gold, item.subtask)
        assert row["options"] == [item.options[letter] for letter in "ABCDE"] and row["hard"] == list(item.hard)  # type: ignore[index]
        assert len(row["images"]) == len(row["illustrations"]) == (6 if item.subtask == "viewpoint" else 3)
        assert all(picture.size == (128, 96) for picture in row["images"])
        drawn = {mark.view for mark in item.marks}
        if item.subtask != "viewpoint":
            colours = [len(picture.getcolors(1 << 16)) for picture in row["images"]]
            assert [count > 1 for count in colours] == [view.view in drawn for view in item.views], "marks are drawn where there are some"
    table = load(out, "all_items", "train", cache)
    assert table.num_rows == len(SUBTASKS) + 1 and set(table["status"]) == {"accepted", "draft"}
    assert datasets.load_dataset_builder(str(out), cache_dir=str(cache)).config.name == "items"
    first = next(iter(datasets.load_dataset(str(out), split="test", streaming=True)))
    assert first["id"] == rows[0]["id"] and first["images"][0].size == (128, 96)


def test_the_name_of_a_project_is_itself_in_the_head_of_the_card(store: Store, project: Project, tmp_path: Path) -> None:
    export(store, project.project_id, tmp_path / "out", None)
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(tmp_path / "out" / "README.md")
    assert card.data.to_dict()["pretty_name"] == NAME and NAME not in card.text
    assert card.data.task_categories == ["visual-question-answering"]


def test_an_export_without_pictures_and_a_derived_set_are_loaded_too(store: Store, project: Project, tmp_path: Path) -> None:
    export(store, project.project_id, tmp_path / "bare", None)
    rows = load(tmp_path / "bare", "items", "test", tmp_path / "cache")
    assert rows.num_rows == len(SUBTASKS) and {len(images) for images in rows["images"]} == {0}
    made = derive.derive((s.item for s in pool.items(store, project.project_id, state="accepted")), "reject")
    entries = [Entry(item, number) for number, item in enumerate(made.items, start=1)]
    export_entries(entries, tmp_path / "reject", ImageFolder(store.home), name="reject", about={"derived": "reject"})
    assert datasets.get_dataset_config_names(str(tmp_path / "reject")) == ["items"]
    rows = load(tmp_path / "reject", None, "test", tmp_path / "cache")
    assert set(rows["correct"]) == {"E"} and set(rows["derived"]) == {"reject"} and rows.num_rows == len(made.items)


def test_what_has_no_rows_is_not_offered(store: Store, sound: Callable[..., Item], tmp_path: Path) -> None:
    """The library cannot load a table without rows."""
    project = projects.create_project(store, "Empty", trial_batch=0)
    export(store, project.project_id, tmp_path / "out", ImageFolder(store.home))
    assert "configs" not in (tmp_path / "out" / "README.md").read_text()
    pool.create_item(store, project.project_id, sound("step"), "ann")
    export(store, project.project_id, tmp_path / "out", ImageFolder(store.home))
    assert datasets.get_dataset_config_names(str(tmp_path / "out")) == ["all_items"]
    assert load(tmp_path / "out", None, "train", tmp_path / "cache")["status"][0] == "draft"
