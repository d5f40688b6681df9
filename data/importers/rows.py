"""One released row: the twelve fields, checked and decoded (`esi_format` in the project's reference: all values are texts)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from data import names
from data.foreign import Unreadable, json_value
from data.importers import fields
from data.importers.fields import FieldError
from data.importers.reading import RawRow, content_key
from data.subcategories import BY_KEY, Subcategory, UnknownSubcategory, find

_ID = re.compile(r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")


@dataclass(frozen=True)
class Row:
    """A row whose outer form is right; its payload is still unchecked."""

    file: str
    row_id: str
    kind: Subcategory
    scene: str
    room: str
    question: str
    answer: str
    """The gold as written; JSON text for sequences, assignments and pairs."""
    answer_type: str
    options: Any
    """Decoded ``options_json``."""
    images: list[str]
    payload: dict[str, Any]
    """Decoded ``metadata_json``."""
    dedup_key: str
    """See `reading.content_key`."""

    @property
    def question_data(self) -> dict[str, Any]:
        """The nested payload of counting, mirror, cognitive map and two-phase rows."""
        return fields.mapping(self.payload.get("question_data"), "metadata_json.question_data")

    def source(self) -> dict[str, Any]:
        """The whole row, decoded."""
        return {
            "id": self.row_id,
            "big_task": self.kind.category,
            "small_task": self.kind.name,
            "runner_task": self.kind.runner,
            "scene": self.scene,
            "room": self.room,
            "question": self.question,
            "answer": self.answer,
            "answer_type": self.answer_type,
            "options": self.options,
            "image_paths": self.images,
            "metadata": self.payload,
        }


def read_row(raw: RawRow) -> Row:
    """Check the outer form of a row.

    Raises:
        FieldError: naming the field at fault.
    """
    value = raw.value
    kind = _kind(value)
    row_id = fields.text(value.get("id"), "id", longest=100)
    if not _ID.match(row_id):
        raise FieldError("id", f"must be letters, digits, '.', '_' or '-', got {fields.shown(row_id)}.")
    return Row(
        file=raw.file,
        row_id=row_id,
        kind=kind,
        scene=fields.name(value.get("scene"), "scene"),
        room=fields.name(value.get("room"), "room"),
        question=_words(value.get("question"), "question"),
        answer=_words(value.get("answer"), "answer"),
        answer_type=fields.text(value.get("answer_type"), "answer_type", longest=40),
        options=_decoded(value, "options_json"),
        images=_images(_decoded(value, "image_paths_json")),
        payload=fields.mapping(_decoded(value, "metadata_json"), "metadata_json"),
        dedup_key=content_key(value),
    )


def _kind(value: dict[str, Any]) -> Subcategory:
    category = fields.text(value.get("big_task"), "big_task", longest=100)
    name = fields.text(value.get("small_task"), "small_task", longest=100)
    try:
        kind = find(category, name)
    except UnknownSubcategory as error:
        raise FieldError("small_task" if any(category == c for c, _ in BY_KEY) else "big_task", str(error)) from None
    if not kind.runner:
        raise FieldError("small_task", f"{name} is no subcategory of the release.")
    if value.get("runner_task") != kind.runner:
        raise FieldError("runner_task", f"must be {kind.runner!r} for {name}, got {fields.shown(value.get('runner_task'))}.")
    return kind


def _words(value: Any, field: str) -> str:
    words = fields.text(value, field, longest=20_000)
    try:
        words.encode()
    except UnicodeEncodeError:
        raise FieldError(field, "holds half a surrogate pair, which is no text.") from None
    return words


def _decoded(value: dict[str, Any], field: str) -> Any:
    try:
        decoded = json_value(fields.text(value.get(field), field, longest=64 * 1024 * 1024), halves="keep")
    except Unreadable as error:
        raise FieldError(field, error.reason) from None
    return decoded


_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
_SUSPECT = (b"\\ud", b"\\uD", b"e000", b"e+000", b"0" * 300)
"""What a JSON text (all digits made 0) may hold that no JSON text may be written from: surrogates, numbers that overflow."""


def suspect(raw: RawRow) -> bool:
    """Whether a row must be tried before it counts as storable (rare; trying every row takes a quarter of an import's time)."""
    texts = [v for v in raw.value.values() if isinstance(v, str)]
    if not all(t.isascii() for t in texts):
        return True
    plain = [t.encode().translate(_DIGITS) for t in texts]
    return any(s in t for t in plain for s in _SUSPECT)


def unstorable(value: Any, field: str) -> FieldError:
    """Which part of a decoded value cannot be written as JSON text: a number that overflowed to infinity, or half a surrogate pair."""
    for path, leaf in fields.leaves(value, field):
        try:
            if isinstance(leaf, float):
                fields.number(leaf, path)
            elif isinstance(leaf, str):
                leaf.encode()
        except FieldError as error:
            return error
        except UnicodeEncodeError:
            return FieldError(path, "holds half a surrogate pair, which is no text.")
    return FieldError(field, "holds a name or number that cannot be stored.")


def _images(value: Any) -> list[str]:
    """Image names: bare file names only (they would become part of paths on export)."""
    listed = fields.listing(value, "image_paths_json")
    for i, name in enumerate(listed):
        if not isinstance(name, str) or names.fault(name):
            raise FieldError(f"image_paths_json[{i}]", f"must be a bare file name, got {fields.shown(name)}.")
    return listed


def decode_json_text(text: str, field: str) -> Any:
    """Decode JSON text inside a text field (an answer)."""
    try:
        return json_value(text, halves="keep")
    except Unreadable as error:
        raise FieldError(field, error.reason) from None
