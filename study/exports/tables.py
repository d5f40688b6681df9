"""Tables of episodes, steps, beliefs and answers, as Parquet and CSV, with a data dictionary; `study.tables` declares the columns."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from study.exports.episodes import Belief, Episode
from study.exports.form import Format, Making, Take
from study.tables import TABLES, AnswerRow, BeliefRow, EpisodeRow, Row, arrow_schema, dictionary, dictionary_markdown, step_values

BATCH = 16_384
"""Rows of a table in memory at once, and in a row group of its Parquet file: about 30 MB of steps."""


class TableWriter:
    """One table as ``<name>.parquet`` and ``<name>.csv``, written in batches. Use it in a ``with``: the files are whole after it."""

    def __init__(self, folder: Path, name: str, model: type[Row]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._columns, self._schema = tuple(model.model_fields), arrow_schema(model)
        self._waiting: list[Mapping[str, Any]] = []
        self._parquet = pq.ParquetWriter(folder / f"{name}.parquet", self._schema, compression="zstd")
        self._file = (folder / f"{name}.csv").open("w", encoding="utf-8", newline="")
        self._csv = csv.writer(self._file)
        self._csv.writerow(self._columns)

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row: column → value."""
        self._waiting.append(row)
        if len(self._waiting) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        columns = [[row[name] for row in self._waiting] for name in self._columns]
        self._waiting.clear()
        arrays = [pa.array(values, type=kind) for values, kind in zip(columns, self._schema.types, strict=True)]
        self._parquet.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        # Numbers need no guard, and the writer leaves a cell empty for None: only texts and truths are looked at one by one.
        plain = [values if pa.types.is_integer(a.type) or pa.types.is_floating(a.type) else [csv_cell(v) for v in values]
                 for values, a in zip(columns, arrays, strict=True)]  # fmt: skip
        self._csv.writerows(zip(*plain, strict=True))

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None and self._waiting:
                self._flush()
        finally:
            self._parquet.close()
            self._file.close()


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: texts beginning with ``= + - @``, a tab or a line break get an apostrophe before."""
    if isinstance(value, str):
        return "'" + value if value[:1] in _GUARDED and value.lstrip(" ")[:1] in _FORMULA else value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


_FORMULA = frozenset("=+-@\t\r\n")
_GUARDED = _FORMULA | {" "}


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """The tables; each row is handed on as soon as its batch is full."""
    folder = making.folder / "tables"
    with ExitStack() as files:
        writers = {name: files.enter_context(TableWriter(folder, name, model)) for name, model in TABLES.items()}

        def add(table: str, row: Mapping[str, Any]) -> None:
            writers[table].add(row)
            making.counts[table] += 1

        def take(episode: Episode) -> None:
            add("episodes", episode_row(episode).model_dump())
            for step in episode.steps:
                add("steps", step_values(step))
            for belief in episode.beliefs:
                add("beliefs", belief_row(belief).model_dump())
            if episode.row.answer_raw is not None:
                add("answers", answer_row(episode).model_dump())

        yield take
    (folder / "data_dictionary.json").write_text(json.dumps(dictionary(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "data_dictionary.md").write_text(dictionary_markdown(), encoding="utf-8")


def episode_row(episode: Episode) -> EpisodeRow:
    """An episode as its row of the table."""
    row, task, protocol = episode.row, episode.task, episode.protocol
    kinds = Counter(step.kind for step in episode.steps)
    asked = protocol.paradigm == "multiview_qa"
    told = msgspec.structs.asdict(row)
    same = EpisodeRow.model_fields.keys() & told.keys() - {"actions"}
    return EpisodeRow(
        **{name: told[name] for name in same},
        participant_number=row.number,
        task_id=task.task_id,
        category=task.category,
        subcategory=task.subcategory,
        dataset=task.provenance.dataset,
        source_row_id=task.provenance.row_id,
        budget=protocol.budget or task.budget,
        history=protocol.history,
        enlarge=protocol.enlarge,
        answer_form=protocol.answer_form,
        belief_bar=protocol.belief_bar,
        clipping=protocol.clipping,
        actions=json.dumps(list(task.actions)),
        options_shown=json.dumps([task.question.options[i] for i in row.option_order["options"]], ensure_ascii=False),
        observations=1 if asked else len(episode.steps),
        item_hash=task.source.get("item_hash", "") if asked else "",
        variant=task.source.get("variant", "") if asked else "",
        time_limit_s=protocol.time_limit_s if asked else None,
        external_references=protocol.external_references if asked else None,
        failed_actions=sum(step.kind == "action" and not step.ok for step in episode.steps),
        stays=kinds["stay"],
        openings=row.epoch,
    )


def belief_row(belief: Belief) -> BeliefRow:
    """A belief as its row of the table."""
    return BeliefRow(**msgspec.structs.asdict(belief))


def answer_row(episode: Episode) -> AnswerRow:
    """A final answer as its row of the table."""
    row, task = episode.row, episode.task
    details: defaultdict[str, Any] = defaultdict(lambda: None, row.details or {})
    told = msgspec.structs.asdict(row)
    truth: dict[str, Any] = {name: bool(told[name]) for name in ("answered", "correct_strict", "correct_lenient")}
    return AnswerRow(
        **{name: told[name] for name in ("episode_id", "answer", "confidence", "reasoning", "stopped_by", "chance", "scorer")},
        **truth,
        seq=told["answer_seq"],
        event_seq=told["answer_event"],
        form=task.question.form,
        raw=told["answer_raw"],
        gold=json.dumps(list(task.gold.accepted), ensure_ascii=False),
        absolute_error=details["absolute_error"],
        soft_score=details["soft_score"],
        server_time=told["answered_at"],
    )


FORMAT = Format(
    name="tables",
    title="Tables",
    text="Episodes, steps, beliefs and answers as Parquet and CSV, with a data dictionary.",
    counts=tuple(TABLES),
    write=write,
)
