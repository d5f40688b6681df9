"""Tables of episodes and of what stands beside them as Parquet and CSV, with a data dictionary (`study.export_columns`)."""

from __future__ import annotations

import json
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from data.fidelity import fidelity, selected_on_answer
from data.spreadsheets import ENCODING, LOOKED_AT, csv_cell
from data.store import dumps
from study import clocks
from study.analysis import evidence
from study.analysis.stored_paths import belief_right
from study.coding import coded_score, exact
from study.export_columns import STEP_VALUES, TABLES, AnswerRow, BeliefRow, EpisodeRow, LabelRow, own_columns
from study.exports.beside import event_rows, participant_rows, study_row, task_row, visible_columns
from study.exports.card import Config
from study.exports.episodes import Episode
from study.exports.form import Format, Making, Take
from study.exports.people import form_rows, people_of, quality_row
from study.labels.everything import Label
from study.ordering import picked
from study.page_events import scales
from study.tabular import Row, Time, arrow_array, arrow_schema, write_dictionary

BATCH = 16_384
"""Rows of a table in memory at once (and those of one episode more), and in a row group of its Parquet file: about 30 MB of steps."""


class TableWriter:
    """One table as ``<name>.parquet`` and ``<name>.csv``, written in batches. Use it in a ``with``: the files are whole after it."""

    def __init__(self, folder: Path, name: str, model: type[Row], values: Mapping[str, Callable[[Any], Any]] | None = None) -> None:
        """
        Args:
            folder: where the two files go; made if it is not there.
            name: of the files.
            model: says the columns and their types.
            values: column → its value for one record; None: records are rows of `model`.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = arrow_schema(model)
        names = self._schema.names
        self._values = [values[name] if values else operator.attrgetter(name) for name in names]
        self._waiting: list[list[Any]] = [[] for _ in names]
        self._parquet = pq.ParquetWriter(folder / f"{name}.parquet", self._schema, compression="zstd")
        self._csv = (folder / f"{name}.csv").open("wb")
        self._csv.write((",".join(names) + "\n").encode(ENCODING))

    def add(self, records: Iterable[Any]) -> int:
        """Write rows, each from one record; returns how many."""
        found = list(records)
        return self.add_columns([map(value, found) for value in self._values])

    def add_columns(self, columns: Sequence[Iterable[Any]]) -> int:
        """Write rows given by column, in the table's order; returns how many."""
        before = len(self._waiting[0])
        for waiting, more in zip(self._waiting, columns, strict=True):
            waiting.extend(more)
        added = len(self._waiting[0]) - before
        if len(self._waiting[0]) >= BATCH:
            self._flush()
        return added

    def _flush(self) -> None:
        kinds = self._schema.types
        arrays = [arrow_array(values, kind) for values, kind in zip(self._waiting, kinds, strict=True)]
        self._parquet.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        cells = [_as_cells(values, array) for values, array in zip(self._waiting, arrays, strict=True)]
        pa_csv.write_csv(pa.RecordBatch.from_arrays(cells, self._schema.names), self._csv, pa_csv.WriteOptions(include_header=False))
        for waiting in self._waiting:
            waiting.clear()

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None and self._waiting[0]:
                self._flush()
        finally:
            self._parquet.close()
            self._csv.close()


FIRST_LETTERS = pa.array(sorted(LOOKED_AT), pa.string())


def _as_cells(values: list[Any], array: pa.Array) -> pa.Array:
    """A column's cells as `csv_cell` gives them: times as their text, and texts one by one only where that can change something."""
    if pa.types.is_timestamp(array.type):
        return pa.array(values, pa.string())
    if pa.types.is_string(array.type) and pc.any(pc.is_in(pc.utf8_slice_codeunits(array, 0, 1), FIRST_LETTERS)).as_py():
        return pa.array(map(csv_cell, values), pa.string())
    return _in_digits(array) if pa.types.is_floating(array.type) else array


LARGE = 1e9
"""Arrow writes numbers above it with an exponent, which spreadsheets show with a few digits only: readings of a clock in milliseconds."""


def _in_digits(array: pa.Array) -> pa.Array:
    """Numbers as they are written without an exponent, exactly as many digits as tell each from its neighbours."""
    largest = pc.max(pc.abs(array)).as_py()
    if largest is None or not LARGE < largest < 1e18 or not pc.all(pc.is_finite(array)).as_py():
        return array
    exact = [None if value is None else Decimal(repr(value)).normalize() for value in array.to_pylist()]
    places = max(-min(int(value.as_tuple().exponent), 0) for value in exact if value is not None)
    return pa.array(exact, pa.decimal128(38, places)) if places < 20 else array


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """The tables; each row is handed on as soon as its batch is full."""
    folder = making.folder / "tables"
    with ExitStack() as files:
        own = {"steps": STEP_VALUES}
        writers = {name: files.enter_context(TableWriter(folder, name, model, own.get(name))) for name, model in TABLES.items()}

        tasks: set[str] = set()

        def add(table: str, records: Iterable[Any]) -> None:
            making.counts[table] += writers[table].add(records)

        def take(episode: Episode) -> None:
            add("episodes", [episode_row(episode)])
            add("steps", episode.steps)
            add("beliefs", belief_rows(episode))
            add("looks", episode.looks)
            add("reports", episode.reports)
            add("labels", map(label_row, episode.labels))
            add("answers", [answer_row(episode)] if episode.row.answer_raw is not None else [])
            add("events", event_rows(episode))
            making.counts["visible"] += writers["visible"].add_columns(visible_columns(episode))
            if episode.row.task_hash not in tasks:
                tasks.add(episode.row.task_hash)
                add("tasks", [task_row(making.store.get_task(episode.row.task_hash), episode.row.task_hash)])

        yield take
        for study_id in making.studies:
            add("studies", [study_row(making.store, study_id, making.modes)])
            add("participants", participant_rows(making.store, study_id, making.people, making.modes))
            for person in people_of(making.store, study_id, making.people, making.modes):
                add("forms", form_rows(making.store, person))
                add("quality", [quality_row(making.store, person)])
    write_dictionary(folder, TABLES)


def label_row(label: Label) -> Row:
    """What a coder said as its row of the table."""
    told = msgspec.structs.asdict(label)
    return LabelRow(**{**told, "belief": label.belief or None, "at": Time(label.at)})


def episode_row(episode: Episode) -> Row:
    """An episode as its row of the table."""
    row, task, protocol = episode.row, episode.task, episode.row.settings
    kinds = Counter(step.kind for step in episode.steps)
    told = msgspec.structs.asdict(row) | {"flags": dumps([*row.flags, *(["problem_reported"] if episode.reports else [])])}
    own = own_columns(row, task)
    pieces = evidence.wanted(task) if row.met.acts else ()
    declared, evidence_seq = evidence.reached(pieces, evidence.observed((s.seq, s.kind, s.visible) for s in episode.steps))
    shown = scales(one.data["detail"] for one in episode.happened if one.kind == "page" and one.data["what"] == "scaled")
    same = EpisodeRow.model_fields.keys() & told.keys() - own.keys() - {"actions"}
    values: dict[str, Any] = dict(
        **{name: told[name] for name in same},
        participant_number=row.number,
        study_version=row.version if row.study_id else None,
        task_id=task.task_id,
        category=task.category,
        subcategory=task.subcategory,
        dataset=task.provenance.dataset,
        source_row_id=task.provenance.row_id,
        fidelity=how.words if (how := fidelity(task)) is not None else "",
        selected_on_answer=selected_on_answer(task),
        budget=row.pictures or row.met.budget(task, protocol.budget),
        history=protocol.history,
        enlarge=protocol.enlarge,
        shown_scale=shown[0][0] if shown else None,
        shown_scale_least=min(shown)[0] if shown else None,
        shown_scale_most=max(shown)[0] if shown else None,
        shown_smooth=any(smooth for _, smooth in shown) if shown else None,
        objects=protocol.objects,
        answer_form=protocol.answer_form,
        belief_bar=protocol.belief_bar,
        probe_every=protocol.probe_every,
        clipping="forbid" if protocol.forbids_clipping(task) else "flag",
        time_limit_s=clocks.task_limit_s(protocol, row),
        actions=json.dumps(list(task.actions)),
        options_shown=json.dumps([task.question.options[i] for i in row.option_order.options], ensure_ascii=False),
        observations=len(episode.steps) if row.met.stepped else row.met.views,
        **own,
        content=min(task.task_id, task.twin or task.task_id),
        evidence_declared=declared,
        evidence_seq=evidence_seq,
        excluded_by=dumps(list(episode.left_out)),
        failed_actions=sum(step.kind == "action" and not step.ok for step in episode.steps),
        stays=kinds["stay"],
        openings=row.epoch,
    )
    return EpisodeRow(**values)


def belief_rows(episode: Episode) -> Iterator[BeliefRow]:
    """What was thought, as rows of the table."""
    shown = picked(episode.task.question.options, episode.row.option_order.options)
    for one in episode.beliefs:
        told = msgspec.structs.asdict(one) | {"server_time": Time(one.server_time)}
        yield BeliefRow(**told, correct=belief_right(episode.task, one, shown))


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
        code=row.code,
        coders=row.coders,
        correct_coded=_correct_by_code(episode),
        settled_task_hash=row.settled_task_hash,
        correct_settled=row.correct_settled,
        client_time_ms=told["answer_client_ms"],
        server_time=told["answered_at"],
    )


def _correct_by_code(episode: Episode) -> bool | None:
    row, task = episode.row, episode.task
    if row.code is not None:
        return coded_score(task, row.code).correct_strict
    shown = picked(task.question.options, row.option_order.options)
    return bool(row.correct_strict) if exact(task, json.loads(row.answer_raw or "null"), shown) else None


def configs(making: Making) -> tuple[Config, ...]:
    """Those with rows: the library cannot load a table without."""
    written = [(name, model) for name, model in TABLES.items() if making.counts[name]]
    return tuple(Config(name, (f"tables/{name}.parquet",), model.__doc__ or "") for name, model in written)


FORMAT = Format(
    name="tables",
    title="Tables",
    text="Episodes, steps, answers, tasks, participants, events, what was visible, … as Parquet and CSV, with a data dictionary.",
    counts=tuple(TABLES),
    write=write,
    configs=configs,
)
