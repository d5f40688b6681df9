"""Questions and pictures as rows that the Hugging Face library loads: one Parquet file, pictures in it, as is its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq

from annotation.qa.exports.form import Format, Making, Take, Written
from annotation.qa.items import LETTERS
from annotation.qa.subtasks import SUBTASKS
from study.exports.card import Config
from study.tabular import Picture, Row, arrow_schema, record_batch

FILE = "questions.parquet"
BATCH = 64
"""Items in memory at once, and in a row group of the file: some 100 MB of pictures."""


class QuestionRow(Row):
    """One row per accepted item, with what a model is given."""

    id: str
    """Item."""
    subtask: str
    """Slug of the subtask."""
    subtask_name: str
    """The subtask as published."""
    domain: str
    """spatial or robotic."""
    arm: str
    """dual or single."""
    source: str
    """Robot source."""
    episode: str
    """Episode in the source."""
    moment: str
    """Moment of the episode."""
    reference_view: str
    """The view that the question speaks from."""
    question: str
    """The question."""
    options: list[str]
    """Options A to E."""
    correct: str | None
    """Letter of the right option."""
    hard: list[str]
    """Letters of the hard distractors."""
    not_visible: list[str]
    """Views in which the object that a colour marks is out of sight: ``view2 yellow``."""
    images: list[Picture]
    """The pictures in the order in which a model gets them: views, drawn where the question is about marks, then options that are pictures;
    none where the export was made without pictures."""
    illustrations: list[str]
    """What each of the images is."""
    derived: str
    """The derived set that it belongs to: single, flip or reject; empty: none."""
    content_hash: str
    """SHA-256 of the item document."""


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """The file, a batch of items at a time."""
    schema = arrow_schema(QuestionRow)
    with pq.ParquetWriter(making.folder / FILE, schema, compression="zstd") as writer:
        waiting: list[QuestionRow] = []

        def flush() -> None:
            writer.write_batch(record_batch(waiting, schema))
            making.counts["loadable"] += len(waiting)
            waiting.clear()

        def take(written: Written) -> None:
            waiting.append(_row(making.folder, written))
            if len(waiting) >= BATCH:
                flush()

        yield take
        if waiting:
            flush()


def _row(root: Path, written: Written) -> QuestionRow:
    item = written.entry.item
    files = [f"{written.entry.folder}/{given.file}" for given in written.given]
    same = ("subtask", "arm", "source", "episode", "moment", "reference_view", "question", "content_hash")
    return QuestionRow(
        **{name: getattr(item, name) for name in same},
        id=item.item_id,
        subtask_name=SUBTASKS[item.subtask].name,
        domain=SUBTASKS[item.subtask].domain,
        options=[item.options[letter] for letter in LETTERS],
        correct=item.gold,
        hard=list(item.hard),
        not_visible=[f"{there.view} {there.colour}" for there in item.absent],
        images=[Picture({"bytes": (root / file).read_bytes(), "path": file}) for file in files],
        illustrations=[given.illustration for given in written.given],
        derived=item.derived.kind if item.derived else "",
    )


def configs(making: Making) -> tuple[Config, ...]:
    """The rows, where there are some: the library cannot load a table without."""
    return (Config("items", (FILE,), QuestionRow.__doc__ or "", split="test"),) if making.counts["loadable"] else ()


FORMAT = Format(
    name="datasets",
    title="Rows for the Hugging Face library",
    text="Every accepted item with its pictures as a model gets them; datasets.load_dataset(FOLDER) reads them by the data card.",
    counts=("loadable",),
    write=write,
    configs=configs,
    tables={"questions": QuestionRow},
)
