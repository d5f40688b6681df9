"""Tables: typed columns with a sentence each, as Parquet, as text for a spreadsheet, as a data dictionary. Rows: `study.export_columns`."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NewType

import pyarrow as pa
from pydantic import BaseModel, ConfigDict

Time = NewType("Time", str)
"""A moment of the server's clock as ISO-8601 text in UTC; in Parquet a time stamp with its zone."""


class Row(BaseModel):
    """Base of all table rows; the text under a field is its entry in the data dictionary."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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


def dictionary(tables: Mapping[str, type[Row]]) -> list[dict[str, Any]]:
    """The data dictionary: one entry per column."""
    return [
        {"table": table, "column": name, "type": _NAMES[column_type(field.annotation)[0]], "may_be_empty": column_type(field.annotation)[1]}
        | {"description": field.description}
        for table, model in tables.items()
        for name, field in model.model_fields.items()
    ]


def dictionary_markdown(tables: Mapping[str, type[Row]]) -> str:
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
