"""Bodies of requests: which numbers and words they may hold, and one decoder that refuses all others in a sentence.

Every number and text of a body is bounded where its type is declared, by the names below, so that nothing behind a route meets a number
that the database cannot hold, a text without end, or half a character.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
from msgspec import Meta

MAX_DEPTH = 24
"""Lists and objects inside each other; the deepest body of ours, an item's fields, has 6."""
MAX_INTEGER = 2**63 - 1
"""The largest whole number that the database holds."""
_MAX_DIGITS = 19

Id = Annotated[str, Meta(max_length=120)]
"""Names a thing that the server made (an episode), or that an author named (a task)."""
Word = Annotated[str, Meta(max_length=200)]
"""One of a declared list, or a short name; which ones there are is checked where the list is."""
Words = Annotated[str, Meta(max_length=20_000)]
"""A text that somebody wrote. What keeps it may allow less, and says so."""
Output = Annotated[str, Meta(max_length=256 * 1024)]
"""What a model wrote."""
Epoch = Annotated[int, Meta(ge=0, le=2**31 - 1)]
"""How often an episode was opened."""
SequenceNumber = Annotated[int, Meta(ge=0, le=2**31 - 1)]
"""Number of a step, or of a change of the answer."""
Revision = Annotated[int, Meta(ge=0, le=2**31 - 1)]
"""Version of an item, as the page read it."""
Count = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Seed = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
"""Decides a random order; 0 to 2⁶³ − 1."""
Percent = Annotated[int, Meta(ge=0, le=100)]
Share = Annotated[float, Meta(ge=0, le=1)]
Pixels = Annotated[int, Meta(ge=0, le=100_000)]
"""A width or height of a window or screen, CSS pixels."""
Ratio = Annotated[float, Meta(ge=0, le=100)]
"""Device pixels per CSS pixel, or a zoom."""
Fields = Annotated[dict[str, Any], Meta(max_length=200)]
"""A small JSON object whose form is checked where it is used."""
Milliseconds = Annotated[float, Meta(ge=-1e15, le=1e15)]
"""A browser's clock; checked for nothing but being a moment."""

Kind = TypeVar("Kind", bound=msgspec.Struct)


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """Base of every body: fields that it does not declare are refused, so that a mistyped one is not silently left out."""


class BadBody(ValueError):
    """A body that cannot be read; the message is a sentence for whoever sent it."""


def decode(raw: bytes, kind: type[Kind]) -> Kind:
    """The body as `kind`.

    Raises:
        BadBody: it is no JSON, or not of this form; the message names the field.
    """
    value = _json(raw)
    _check(value)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise BadBody(_in_words(str(error))) from None


def _json(raw: bytes) -> Any:
    try:
        return json.loads(
            raw.decode("utf-8"), object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_no_number
        )
    except UnicodeDecodeError as error:
        raise BadBody(f"The request is no UTF-8 text (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        what = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise BadBody(f"The request is no JSON: {what}, line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise BadBody(_TOO_DEEP) from None


_TOO_DEEP = f"The request holds lists or objects more than {MAX_DEPTH} deep."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadBody(f"The field {_shown(twice)} is there twice.")
    return found


def _integer(text: str) -> int:
    # Python reads numbers of thousands of digits slowly, and refuses still longer ones with an error of its own.
    if len(text.lstrip("-")) > _MAX_DIGITS or abs(int(text)) > MAX_INTEGER:
        raise BadBody(f"A number is too large: whole numbers go up to {MAX_INTEGER}.")
    return int(text)


def _number(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise BadBody("A number is too large.")
    return value


def _no_number(text: str) -> NoReturn:
    raise BadBody(f"{text} is no number in JSON.")


def _check(value: Any) -> None:
    """Refuse what no field may hold, however free its form: nesting without end, half characters, NUL."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
    while waiting:
        here, field, depth = waiting.pop()
        if isinstance(here, str):
            _check_text(here, field)
        elif isinstance(here, dict | list):
            if depth >= MAX_DEPTH:
                raise BadBody(_TOO_DEEP)
            for name, inner in _members(here):
                _check_text(name, field)
                waiting.append((inner, field or name, depth + 1))


def _members(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    return iter(value.items()) if isinstance(value, dict) else (("", inner) for inner in value)


_HALF = re.compile("[\ud800-\udfff]")


def _check_text(text: str, field: str) -> None:
    where = f" in {_shown(field)}" if field else ""
    if half := _HALF.search(text):
        raise BadBody(
            f"The text{where} holds half an emoji or another broken character (character {half.start() + 1}). "
            "Take it out, or type it again, and send once more."
        )
    if "\0" in text:
        raise BadBody(f"The text{where} holds a character that is none (NUL, character {text.index(chr(0)) + 1}). Take it out.")


def _shown(name: str) -> str:
    return repr(_HALF.sub("�", name[:60]))


_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)
_LONG = re.compile(r"Expected `(?P<what>str|array|object)` of length <= (?P<most>\d+)")
_BETWEEN = re.compile(r"Expected `(?:int|float)` (?P<sign>[<>]=) (?P<bound>\S+)")
_LACKS = re.compile(r"Object (?P<how>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)


def _in_words(message: str) -> str:
    """A sentence for what msgspec says."""
    place = _PLACE.match(message)
    what, path = (place["what"], (place["path"] or "").lstrip(".")) if place else (message, "")
    where = f"The field {_shown(path)}" if path else "The request"
    if lacks := _LACKS.match(what):
        known = "is missing" if lacks["how"].startswith("missing") else "is not known here"
        return f"The field {_shown(lacks['name'])}{f' of {_shown(path)}' if path else ''} {known}."
    if long := _LONG.match(what):
        return f"{where} is too long: at most {long['most']} {'characters' if long['what'] == 'str' else 'entries'}."
    if between := _BETWEEN.match(what):
        return f"{where} must be at {'most' if between['sign'] == '<=' else 'least'} {between['bound']}."
    return f"{where} has the wrong form: {what[:1].lower()}{what[1:200]}."
