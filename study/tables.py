"""The rows of the exported tables. Column names, types and the data dictionary all come from these models."""

from __future__ import annotations

import functools
import json
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NewType

import pyarrow as pa
from msgspec import Meta
from pydantic import BaseModel, ConfigDict, Field, create_model

from data.task import Task
from sim_bridge.spec import Pose, Quat
from study.paradigms import PARADIGMS
from study.paradigms.paradigm import Paradigm
from study.protocol import Protocol
from study.steps import Step

Time = NewType("Time", str)
"""A moment of the server's clock as ISO-8601 text in UTC; in Parquet a time stamp with its zone."""


class Row(BaseModel):
    """Base of all table rows; the text under a field is its entry in the data dictionary."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _EpisodeRow(Row):
    """Columns that every episode fills, however its task was met."""

    episode_id: str
    """Episode; key of this table and of all others."""
    study_id: str | None
    """Study, if it belongs to one."""
    participant_id: str | None
    """Pseudonymous participant; recruitment ids are never exported."""
    participant_number: int | None
    """Order of entry into the study, from 0; decides the counterbalancing row."""
    shared_computer: bool | None
    """The participant came at a computer that somebody else had used before, or that is for several people one after the other (by a kiosk
    link, by the button *Next person*, or as another person in the same browser); empty for models."""
    trial_index: int | None
    """Position of this task in the participant's sequence, from 1; 0 is practice."""
    practice: bool
    """Practice task: gives feedback, does not count."""
    agent_kind: str
    """human, model, script or gym."""
    agent_name: str
    """Name of the model or script; empty for people."""
    task_id: str
    """Stable task id."""
    task_hash: str
    """SHA-256 of the task document (its version)."""
    category: str
    """Task category; multiview_qa: the domain, spatial or robotic."""
    subcategory: str
    """Task subcategory; unique only together with the category. multiview_qa: the subtask."""
    dataset: str
    """Source of the task: esi-bench, vantage, multiview-qa, …"""
    source_row_id: str
    """Row id in the source."""
    paradigm: str
    """How the task was met."""
    budget: int
    """Observations allowed, the first view included; 1 where nobody acts."""
    history: str
    """Which earlier frames could be looked at: none, last5, all."""
    enlarge: bool
    """Whether frames could be enlarged."""
    objects: str
    """Which objects an action could name: numbered (with their numbers on the picture), unnumbered, or listed (every object seen)."""
    answer_form: str
    """Whether options were shown (options) or not (free_text)."""
    actions: str
    """Actions offered in this episode, JSON list: those of the task that the simulator has."""
    belief_bar: bool
    """Whether the current answer and confidence were asked for at every step."""
    clipping: str
    """What a move into a wall or a thing did: flag (done, and flagged) or forbid (a failed step, the camera stayed)."""
    seed: int
    """Decides option order and object numbering of this episode."""
    options_shown: str
    """Options in the order shown, JSON list."""
    state: str
    """active, completed, returned, timed_out, rejected."""
    observations: int
    """Observations used, the first view included; 1 where nobody acts."""
    failed_actions: int
    """Steps whose action failed physically."""
    stays: int
    """Steps a model lost to text that was no action."""
    looked_back: int
    """How often an earlier frame was looked at."""
    openings: int
    """How often the episode was opened (1: never reloaded or resumed)."""
    answered: bool | None
    """False: ended with no answer or "not sure". Empty: not ended."""
    correct_strict: bool | None
    """Right as it stands."""
    correct_lenient: bool | None
    """Right as the released scorer of this subcategory reads it."""
    chance: float | None
    """Probability that a random well-formed answer is right."""
    confidence: int | None
    """Stated probability (0–100) that the answer is right; empty: untouched."""
    stopped_by: str | None
    """Why it ended: answer, budget, time_limit, or a model's confidence_threshold, model_stop, max_steps."""
    backend: str
    """Simulator."""
    deterministic: bool | None
    """Whether that simulator promises equal pixels for equal actions."""
    fingerprint: str
    """Versions that may change pixels, JSON."""
    flags: str
    """Marks for analysis, JSON list: clipped, resume_differs, resumed_unverified, other_backend, confidence_stop."""
    created_at: Time
    """Server time, ISO-8601 UTC, milliseconds."""
    started_at: Time | None
    """Server time of the first opening."""
    finished_at: Time | None
    """Server time of the end."""


def _episode_columns() -> dict[str, Any]:
    """The columns of the table of episodes: those of all, and each paradigm's own where it says."""
    ways = "; ".join(f"{way.name} ({way.meaning})" for way in PARADIGMS)
    columns = {name: (field.annotation, field.description or "") for name, field in _EpisodeRow.model_fields.items()}
    columns["paradigm"] = (str, f"{columns['paradigm'][1].rstrip('.')}: {ways}.")
    for way in PARADIGMS:
        for column in way.columns:
            names = list(columns)
            at = names.index(column.after) + 1 if column.after else len(names)
            columns = dict([*list(columns.items())[:at], (column.name, (column.kind, column.meaning)), *list(columns.items())[at:]])
    return {name: (kind, Field(description=meaning)) for name, (kind, meaning) in columns.items()}


EpisodeRow = create_model("EpisodeRow", __base__=Row, __doc__="One row per episode.", **_episode_columns())


def own_columns(way: Paradigm, task: Task, protocol: Protocol) -> dict[str, Any]:
    """What an episode has in the columns that single paradigms declare."""
    values: dict[str, Any] = {}
    for declared in PARADIGMS:
        for column in declared.columns:
            held = task.source.get(column.name, "") if column.of == "source" else getattr(protocol, column.name)
            values[column.name] = held if declared is way else column.empty
    return values


def _pose_columns(when: str, position: str, orientation: str) -> dict[str, tuple[Any, str]]:
    see = f"See {when}_x_m."
    return {
        f"{when}_x_m": (float, position),
        f"{when}_y_m": (float, see),
        f"{when}_z_m": (float, see),
        f"{when}_quaternion_xyzw": (str, orientation),
    }


_STEP_COLUMNS: dict[str, dict[str, tuple[Any, str]]] = {
    "pose_before": _pose_columns(
        "before",
        "Camera position before the action, metres, world frame, z up.",
        "Camera orientation before the action, JSON list, scalar last; the camera looks along −z.",
    ),
    "pose_after": _pose_columns("after", "Camera position of the observation.", "Camera orientation of the observation."),
    "more_frames": {"frames": (int, "Frames of this step; the last is the observation.")},
    "timing_ms": {"simulator_ms": (float | None, "Time in the simulator process, milliseconds.")},
    "server_time": {"server_time": (Time, "When the step was on disk, ISO-8601 UTC, milliseconds.")},
}
"""Fields of a step that a table holds in other columns: column → (type, meaning). All others are columns as they are."""


def _step_columns() -> dict[str, Any]:
    """The columns of the table of steps, from the step's own fields (`study.steps.Step`)."""
    columns: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(Step, include_extras=True).items():
        kind, *notes = typing.get_args(hint)
        if typing.get_origin(kind) in (typing.Literal, dict):
            kind = str
        said = next(note.description for note in notes if isinstance(note, Meta))
        for column, (of, meaning) in _STEP_COLUMNS.get(name, {name: (kind, said)}).items():
            columns[column] = (of, Field(description=meaning))
    return columns


StepRow = create_model("StepRow", __base__=Row, __doc__="One row per observation; seq 0 is the first view.", **_step_columns())


@functools.lru_cache(maxsize=1024)
def _quaternion(xyzw: Quat) -> str:
    """As JSON; turns go in steps of 15°, so few attitudes stand in many rows."""
    return json.dumps(xyzw)


def _pose_values(field: str, when: str) -> dict[str, Callable[[Step], Any]]:
    pose: Callable[[Step], Pose] = operator.attrgetter(field)
    return {
        f"{when}_x_m": lambda step: pose(step).position_m[0],
        f"{when}_y_m": lambda step: pose(step).position_m[1],
        f"{when}_z_m": lambda step: pose(step).position_m[2],
        f"{when}_quaternion_xyzw": lambda step: _quaternion(pose(step).quaternion_xyzw),
    }


_STEP_VALUES: dict[str, Callable[[Step], Any]] = {
    **_pose_values("pose_before", "before"),
    **_pose_values("pose_after", "after"),
    "frames": lambda step: len(step.more_frames) + 1,
    "visible": lambda step: json.dumps(step.visible),
    "boxes": lambda step: json.dumps(step.boxes),
    "simulator_ms": lambda step: step.timing_ms.get("total"),
}
STEP_VALUES: dict[str, Callable[[Step], Any]] = {name: _STEP_VALUES.get(name, operator.attrgetter(name)) for name in StepRow.model_fields}
"""Column of the table of steps → its value for a step. A million steps go through here, so no `StepRow` is built and checked for each."""


class BeliefRow(Row):
    """One row per change of the current answer or confidence."""

    episode_id: str
    """Episode."""
    epoch: int
    """Which opening of the episode."""
    n: int
    """The sender's count of changes in that opening."""
    seq: int
    """Step that was shown."""
    event_seq: int
    """The server's monotonic sequence number."""
    answer: str | None
    """Current answer, JSON; empty where it was incomplete or unreadable."""
    raw: str
    """As it was given, JSON."""
    confidence: int | None
    """0–100; empty: untouched."""
    server_time: Time
    """When it was on disk."""


class AnswerRow(Row):
    """One row per final answer."""

    episode_id: str
    """Episode."""
    seq: int
    """Step that was shown when the answer was given."""
    event_seq: int
    """The server's monotonic sequence number."""
    form: str
    """Answer form of the question."""
    answer: str | None
    """As understood, in the question's words, JSON; empty: no answer."""
    raw: str
    """As it was given, JSON."""
    gold: str
    """Accepted answers, JSON list."""
    confidence: int | None
    """0–100; empty: untouched."""
    reasoning: str
    """A model's own words."""
    stopped_by: str
    """Why it ended."""
    answered: bool
    """False: no answer."""
    correct_strict: bool
    """Right as it stands."""
    correct_lenient: bool
    """Right as the released scorer reads it."""
    chance: float
    """Probability that a random well-formed answer is right."""
    absolute_error: float | None
    """Counting and numbers: distance to the nearest accepted value."""
    soft_score: float | None
    """Counting: max(0, 1 − error / 3)."""
    scorer: str
    """Version of the scorer."""
    server_time: Time
    """When it was on disk."""


class ReportRow(Row):
    """One row per problem that a person reported."""

    episode_id: str
    """Episode."""
    seq: int
    """Step that was shown; −1: none yet."""
    event_seq: int
    """The server's monotonic sequence number."""
    text: str
    """As it was written."""
    server_time: Time
    """When it was on disk."""


TABLES: dict[str, type[Row]] = {
    "episodes": EpisodeRow, "steps": StepRow, "beliefs": BeliefRow, "answers": AnswerRow, "reports": ReportRow,
}  # fmt: skip
"""Table name → its row model."""

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
"""A column of this type holds whole picture files, as the Hugging Face library has them in Parquet."""


Picture = NewType("Picture", dict[str, Any])
"""A picture in a table: ``bytes``, the whole file, and ``path``, a name for it under which nothing need lie."""

_ARROW: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    Time: pa.timestamp("ms", tz="UTC"),
    list[str]: pa.list_(pa.string()),
    list[float]: pa.list_(pa.float64()),
    Picture: PICTURE,
    list[Picture]: pa.list_(PICTURE),
}
_NAMES: dict[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true/false",
    Time: "time (UTC)",
    list[str]: "list of texts",
    list[float]: "list of numbers",
    Picture: "picture",
    list[Picture]: "list of pictures",
}


def column_type(annotation: Any) -> tuple[Any, bool]:
    """(type, may be empty) of a field."""
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        kinds = [kind for kind in typing.get_args(annotation) if kind is not type(None)]
        return kinds[0], True
    return annotation, False


def arrow_schema(model: type[Row]) -> pa.Schema:
    """The Parquet schema of a table: descriptions as metadata of its fields, and what pandas and the Hugging Face library take each for.

    Without that, pandas makes numbers with a point of integers that may be empty, and objects of truth values.
    """
    fields = []
    for name, field in model.model_fields.items():
        kind, nullable = column_type(field.annotation)
        # the Hugging Face library knows pictures only in columns that may be empty
        nullable |= _holds_pictures(_ARROW[kind])
        fields.append(pa.field(name, _ARROW[kind], nullable=nullable, metadata={"description": field.description or ""}))
    pandas = {"index_columns": [], "column_indexes": [], "columns": [_for_pandas(field) for field in fields], "pandas_version": "2.2.0"}
    metadata = {"pandas": json.dumps(pandas)}
    if any(_holds_pictures(field.type) for field in fields):
        features = {field.name: _feature(field.type) for field in fields}
        metadata["huggingface"] = json.dumps({"info": {"features": features}})
    return pa.schema(fields, metadata=metadata)


_PANDAS = {
    pa.int64(): ("int64", "Int64"),
    pa.bool_(): ("bool", "boolean"),
    pa.float64(): ("float64", "float64"),
    pa.string(): ("unicode", "string"),
    _ARROW[Time]: ("datetimetz", "datetime64[ms]"),
}
"""Type → (what it is, the pandas type that can be empty)."""


def _for_pandas(field: pa.Field) -> dict[str, Any]:
    """A column's entry in the metadata that pandas reads."""
    kind, numpy = _PANDAS.get(field.type, ("object", "object"))
    if not field.nullable and numpy in ("Int64", "boolean"):
        numpy = kind
    zone = {"timezone": field.type.tz} if pa.types.is_timestamp(field.type) else None
    return {"name": field.name, "field_name": field.name, "pandas_type": kind, "numpy_type": numpy, "metadata": zone}


def _holds_pictures(kind: pa.DataType) -> bool:
    return PICTURE in (kind, kind.value_type if pa.types.is_list(kind) else None)


def _feature(kind: pa.DataType) -> Any:
    """A column's entry in the metadata that the Hugging Face library reads; its older versions know lists in this form alone."""
    if kind == PICTURE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    return {"_type": "Value", "dtype": {pa.float64(): "float64"}.get(kind, str(kind))}


def arrow_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column of a table; times are given as text."""
    return pa.array(values, pa.string()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(values, type=kind)


def record_batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    """Rows of a model as a batch of its table."""
    columns = [arrow_array([getattr(row, field.name) for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def dictionary(tables: Mapping[str, type[Row]] = TABLES) -> list[dict[str, Any]]:
    """The data dictionary: one entry per column."""
    return [
        {"table": table, "column": name, "type": _NAMES[column_type(field.annotation)[0]], "may_be_empty": column_type(field.annotation)[1]}
        | {"description": field.description}
        for table, model in tables.items()
        for name, field in model.model_fields.items()
    ]


def dictionary_markdown(tables: Mapping[str, type[Row]] = TABLES) -> str:
    """The data dictionary as Markdown."""
    lines = ["# Data dictionary", "", "Generated from the row models. Empty cells mean: not applicable or not given.", ""]
    for table, model in tables.items():
        lines += [f"## {table}", "", model.__doc__ or "", "", "| column | type | may be empty | meaning |", "|---|---|---|---|"]
        for entry in dictionary({table: model}):
            meaning = entry["description"].replace("|", "\\|")
            lines.append(f"| `{entry['column']}` | {entry['type']} | {'yes' if entry['may_be_empty'] else 'no'} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def write_dictionary(folder: Path, tables: Mapping[str, type[Row]]) -> None:
    """``data_dictionary.json`` and ``.md`` beside the tables that they explain."""
    (folder / "data_dictionary.json").write_text(json.dumps(dictionary(tables), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "data_dictionary.md").write_text(dictionary_markdown(tables), encoding="utf-8")
