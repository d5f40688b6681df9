"""Exports of episodes as other programs read them: pandas, pyarrow and the Hugging Face library."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from data.frames import FrameStore
from data.task import Task
from study.episode import EpisodeEngine
from tests.present import present

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")  # read when the library is imported

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.frames import decode
from data.store import Store
from study.export import export
from study.export_columns import TABLES
from study.exports import MODULES as EVERY_FORM
from study.protocol import Protocol
from study.tabular import dictionary


def play(engine: EpisodeEngine, view: Any, actions: tuple[str, ...], answer: str, confidence: int | None) -> None:
    for seq, action in enumerate(actions, 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.answer(view.episode_id, view.epoch, answer, confidence)


@pytest.fixture
def out(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> Path:
    """An export of two finished episodes, one of which states a confidence, and one that goes on."""
    began = begin(make_task("toy-002"))
    engine.belief(began.episode_id, began.epoch, 1, "near the bowl", 30)
    engine.report_problem(began.episode_id, began.epoch, "It stutters.")
    play(engine, began, ("turn_left", "move_up"), "near the lamp", 99)
    play(engine, begin(protocol=Protocol(confidence_required=False)), ("turn_left",), "near the bowl", None)
    begin()
    export(store, frames, tmp_path / "out", only=EVERY_FORM)
    return tmp_path / "out"


def load(folder: Path, name: str | None, cache: Path) -> datasets.Dataset:
    return datasets.load_dataset(str(folder), name, split="train", cache_dir=str(cache))


PANDAS = {"text": "string", "number": "float64", "integer": "int64", "true/false": "bool", "time (UTC)": "datetime64[ms, UTC]"}
EMPTY = PANDAS | {"integer": "Int64", "true/false": "boolean"}
"""What a column of the dictionary's types is to pandas; the second where cells may be empty."""


def test_pandas_takes_every_column_for_what_the_dictionary_says(out: Path) -> None:
    told = json.loads((out / "tables" / "data_dictionary.json").read_text())
    assert told == dictionary(TABLES) and {entry["table"] for entry in told} == set(TABLES)
    for name in TABLES:
        frame = pd.read_parquet(out / "tables" / f"{name}.parquet")
        entries = {entry["column"]: entry for entry in told if entry["table"] == name}
        assert list(frame.columns) == list(entries), "each column is in the dictionary, and each entry is a column"
        for column, entry in entries.items():
            kind, numpy = str(frame[column].dtype), (EMPTY if entry["may_be_empty"] else PANDAS)[entry["type"]]
            assert kind.lower() == numpy.lower() and kind != "object", (name, column)
            assert entry["may_be_empty"] or not frame[column].isna().any(), (name, column)


def test_numbers_that_are_empty_stay_whole_and_times_have_their_zone(out: Path) -> None:
    answers = pd.read_parquet(out / "tables" / "answers.parquet")
    assert answers["confidence"].fillna(-1).tolist() == [99, -1] and answers["correct_strict"].dtype == bool
    episodes = pd.read_parquet(out / "tables" / "episodes.parquet")
    assert episodes["answered"].isna().tolist() == [False, False, True]
    assert (datetime.now(UTC) - episodes["created_at"].max()) < timedelta(hours=1) and episodes["created_at"].is_monotonic_increasing
    assert (episodes["finished_at"] - episodes["started_at"]).dropna().ge(timedelta(0)).all() and episodes["finished_at"].isna().sum() == 1
    table = pq.read_table(out / "tables" / "steps.parquet")
    assert table.schema.field("server_time").type == pa.timestamp("ms", tz="UTC") and table.schema.field("seq").type == pa.int64()


def test_a_csv_has_the_values_of_its_parquet_file(out: Path) -> None:
    for name in TABLES:
        parquet = pd.read_parquet(out / "tables" / f"{name}.parquet")
        times = [column for column in parquet if str(parquet[column].dtype).startswith("datetime")]
        text = pd.read_csv(out / "tables" / f"{name}.csv", dtype_backend="numpy_nullable", parse_dates=times)
        assert list(text.columns) == list(parquet.columns)
        for column in parquet:
            if str(parquet[column].dtype) in ("Int64", "int64", "boolean", "bool") or column in times:
                assert text[column].isna().tolist() == parquet[column].isna().tolist(), (name, column)
                assert text[column].dropna().tolist() == parquet[column].dropna().tolist(), (name, column)
    raw = (out / "tables" / "answers.csv").read_text(encoding="utf-8-sig").splitlines()
    place = raw[0].split(",").index("confidence")
    assert "99" in raw[1].split(",") and ",99.0" not in raw[1] and place > 0


def test_the_library_loads_trajectories_and_tables(out: Path, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    filled = [name for name in TABLES if len(pd.read_parquet(out / "tables" / f"{name}.parquet"))]
    assert {"episodes", "steps", "answers"} <= set(filled)
    assert datasets.get_dataset_config_names(str(out)) == ["trajectories", *filled]
    rows = load(out, None, tmp_path / "cache")
    assert rows.features["image"] == datasets.Image() and rows.features["earlier_images"] == datasets.List(datasets.Image())
    assert rows.features["server_time"] == datasets.Value("timestamp[ms, tz=UTC]")
    assert rows.features["position_m"] == datasets.List(datasets.Value("float64"))
    kept = store.query("SELECT s.* FROM steps s JOIN episodes e USING (episode_id) ORDER BY e.created_at, e.episode_id, s.seq")
    assert [(row["episode_id"], row["step"]) for row in rows] == [(step["episode_id"], step["seq"]) for step in kept]
    for row, step in zip(rows, kept, strict=True):
        assert np.array_equal(np.asarray(row["image"]), decode(frames.kept(store, step["pixel_hash"])))
        following = next((s for s in kept if (s["episode_id"], s["seq"]) == (row["episode_id"], row["step"] + 1)), None)
        assert row["action"] == (following["action"] if following else "") and row["is_last"] is (following is None)
        assert row["is_first"] is (row["step"] == 0) and len(row["quaternion_xyzw"]) == 4
    assert rows[0]["task_id"] == "toy-002" and rows[0]["answer"] == '"near the lamp"' and rows[0]["correct"] is True
    assert set(rows[0]["options"]) == {"near the bowl", "near the lamp"} and rows[0]["accepted"] == ["near the lamp"]
    for name in filled:
        loaded = load(out, name, tmp_path / "cache")
        assert loaded.column_names == pq.read_schema(out / "tables" / f"{name}.parquet").names and loaded.num_rows > 0
    assert next(iter(datasets.load_dataset(str(out), "answers", split="train", streaming=True)))["confidence"] == 99


def test_a_large_export_is_several_files_and_a_table_without_rows_is_not_offered(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("study.exports.trajectories.BATCH", 2)
    monkeypatch.setattr("study.exports.trajectories.SHARD_BYTES", 1)
    view = begin()
    for seq in range(1, 5):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    export(store, frames, tmp_path / "out", only=EVERY_FORM)
    assert len(list((tmp_path / "out" / "trajectories").glob("*.parquet"))) == 5
    assert load(tmp_path / "out", None, tmp_path / "cache")["step"][:] == [0, 1, 2, 3, 4]
    assert datasets.get_dataset_config_names(str(tmp_path / "out")) == ["trajectories", "episodes", "steps", "tasks", "events", "visible"]


def test_a_frame_that_is_gone_is_an_empty_picture_and_told_once(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    row = store.one("SELECT pixel_hash FROM steps WHERE seq = 1")
    frames.path(present(row)["pixel_hash"]).unlink()
    report = export(store, frames, tmp_path / "out", only=["trajectories"], unfinished=True)
    assert report.problems == 1 and export(store, frames, tmp_path / "both", only=EVERY_FORM, unfinished=True).problems == 1
    rows = load(tmp_path / "out", None, tmp_path / "cache")
    assert [picture is None for picture in rows["image"]] == [False, True]
    assert export(store, frames, tmp_path / "bare", only=["trajectories"], images="none").problems == 0
    assert load(tmp_path / "bare", None, tmp_path / "cache2")["image"][:] == [None, None]
