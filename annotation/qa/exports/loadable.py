"""Questions and pictures as rows that the Hugging Face library loads: one Parquet file, pictures in it, as is its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.qa.exports.form import Format, Making, Take, Written
from annotation.qa.items import LETTERS
from annotation.qa.subtasks import SUBTASKS
from study.exports.card import PICTURE, Config, with_pictures

FILE = "questions.parquet"
BATCH = 64
"""Items in memory at once, and in a row group of the file: some 100 MB of pictures."""

_TEXT = pa.string()
_COLUMNS: dict[str, pa.DataType] = {
    "id": _TEXT,
    "subtask": _TEXT,
    "subtask_name": _TEXT,
    "domain": _TEXT,
    "arm": _TEXT,
    "source": _TEXT,
    "episode": _TEXT,
    "moment": _TEXT,
    "reference_view": _TEXT,
    "question": _TEXT,
    "options": pa.list_(_TEXT),
    "correct": _TEXT,
    "hard": pa.list_(_TEXT),
    "illustrations": pa.list_(_TEXT),
    "derived": _TEXT,
    "content_hash": _TEXT,
}
"""``options`` are A to E; ``illustrations`` says what each of the ``images`` is; ``derived`` names the derived set, if it is one."""


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """The file, a batch of items at a time."""
    columns = _COLUMNS | ({"images": pa.list_(PICTURE)} if making.images else {})
    schema = with_pictures(pa.schema([pa.field(name, kind, nullable=name in ("correct", "images")) for name, kind in columns.items()]))
    with pq.ParquetWriter(making.folder / FILE, schema, compression="zstd") as writer:
        waiting: list[dict[str, Any]] = []

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
            making.counts["loadable"] += len(waiting)
            waiting.clear()

        def take(written: Written) -> None:
            waiting.append(_row(making.folder, written))
            if len(waiting) >= BATCH:
                flush()

        yield take
        if waiting:
            flush()


def _row(root: Path, written: Written) -> dict[str, Any]:
    item = written.entry.item
    files = [f"{written.entry.folder}/{given.file}" for given in written.given]
    same = ("subtask", "arm", "source", "episode", "moment", "reference_view", "question", "content_hash")
    return {
        **{name: getattr(item, name) for name in same},
        "id": item.item_id,
        "subtask_name": SUBTASKS[item.subtask].name,
        "domain": SUBTASKS[item.subtask].domain,
        "options": [item.options[letter] for letter in LETTERS],
        "correct": item.gold,
        "hard": list(item.hard),
        "illustrations": [given.illustration for given in written.given],
        "derived": item.derived.kind if item.derived else "",
        "images": [{"bytes": (root / file).read_bytes(), "path": file} for file in files],
    }


def configs(making: Making) -> tuple[Config, ...]:
    """The rows, with their pictures where there are some."""
    if not making.counts["loadable"]:
        return ()
    with_images = " with its pictures as a model gets them" if making.images else ""
    return (Config("items", (FILE,), f"an item{with_images}", split="test"),)


FORMAT = Format(
    name="datasets",
    title="Rows for the Hugging Face library",
    text="Every accepted item with its pictures as a model gets them; `datasets.load_dataset(FOLDER)` reads them by the data card.",
    counts=("loadable",),
    write=write,
    configs=configs,
)
