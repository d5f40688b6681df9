"""Rows of the database with types: a `msgspec.Struct` whose fields are columns.

`read` checks every value against its field, so a misspelt column or a wrong type is an error where the row is read, not later.
A column that holds JSON text says so with `Json`; a yes/no column is an INTEGER 0 or 1 in the database and a ``bool`` here.
`columns` is the way back.

Example:
    >>> class Seen(msgspec.Struct, frozen=True):
    ...     seq: int
    ...     ok: bool
    ...     visible: Annotated[dict[str, int], Json]
    >>> read(Seen, {"seq": 3, "ok": 1, "visible": '{"object_1":40}'})
    Seen(seq=3, ok=True, visible={'object_1': 40})
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)


class Json:
    """Marks a field whose column holds JSON text: ``Annotated[dict[str, int], Json]``."""


class BadRow(Exception):
    """A row of the database is not of the type that it is read as; the message names the type, the column and the value's fault."""


def read(of: type[Row], row: Mapping[str, Any]) -> Row:
    """One row as `of`.

    Args:
        of: the type; fields with a default may be missing from the row, columns without a field are left out.
        row: column → value.

    Returns:
        The typed row.

    Raises:
        BadRow: a column is missing or its value is of another type.
    """
    values = dict(row)
    for name, decode in _decoders(of).items():
        if values.get(name) is not None:
            values[name] = decode(values[name])
    try:
        return msgspec.convert(values, of)
    except msgspec.ValidationError as error:
        raise BadRow(f"A row read as {of.__name__}: {error}.") from None


def columns(row: msgspec.Struct) -> dict[str, Any]:
    """Column → value as the database keeps it: the way back of `read`."""
    hints = _hints(type(row))
    return {name: _kept(getattr(row, name), name in _json_fields(type(row))) for name in hints}


def _kept(value: Any, as_json: bool) -> Any:
    if value is None:
        return None
    if as_json:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return int(value) if isinstance(value, bool) else value


@cache
def _hints(of: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(of, include_extras=True)


@cache
def _json_fields(of: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(name for name, hint in _hints(of).items() if get_origin(hint) is Annotated and Json in get_args(hint)[1:])


@cache
def _decoders(of: type[msgspec.Struct]) -> dict[str, Callable[[Any], Any]]:
    """Field → what turns its column's value into the field's."""
    decoders: dict[str, Callable[[Any], Any]] = {}
    for name, hint in _hints(of).items():
        if name in _json_fields(of):
            decoders[name] = _from_json(of.__name__, name, get_args(hint)[0])
        elif hint is bool or bool in get_args(hint):
            decoders[name] = _truth
    return decoders


def _truth(value: Any) -> Any:
    return bool(value) if value in (0, 1) else value


def _from_json(of: str, name: str, hint: Any) -> Callable[[Any], Any]:
    """The decoder of a field of JSON text. A frozen struct is decoded once for each text: most steps stand where the one before ended."""
    frozen = isinstance(hint, type) and issubclass(hint, msgspec.Struct) and hint.__struct_config__.frozen
    plain = lru_cache(maxsize=4096)(msgspec.json.Decoder(hint).decode) if frozen else msgspec.json.Decoder().decode

    def decode(value: Any) -> Any:
        try:
            return plain(value)
        except msgspec.ValidationError as error:
            raise BadRow(f"A row read as {of}: {name}: {error}.") from None
        except (msgspec.DecodeError, TypeError) as error:
            raise BadRow(f"A row read as {of}: {name} is no JSON text ({error}).") from None

    return decode
