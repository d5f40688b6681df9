"""The item: one five-choice question about the synchronized views of one moment of a robot episode.

Items are immutable documents; an edit makes another one. Canonical JSON and content hash are made as those of a task
(`data.task`): UTF-8, keys sorted, no blanks, no NaN; SHA-256. Coordinates are continuous pixels of the original image, (0, 0)
the top-left corner of the top-left pixel, x to the right, y down.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from annotation.qa.errors import BadItem
from annotation.qa.parts.colours import Colour
from annotation.qa.registry import REGISTERED
from data.robot.records import VIEWS as VIEWS
from data.robot.records import Arm as Arm

if TYPE_CHECKING:
    Subtask = str
else:
    Subtask = Literal[REGISTERED]
"""Slug of a registered subtask; documents with another one are refused."""
Letter = Literal["A", "B", "C", "D", "E"]
Kind = Literal["box", "track", "grasp"]
"""* ``box``: two points, top-left and bottom-right.
* ``track``: a polyline of two or more points, in the order of the motion.
* ``grasp``: two points, where the fingers close."""

LETTERS: tuple[Letter, ...] = ("A", "B", "C", "D", "E")
VIEW_WORDS: Mapping[str, str] = {
    "left-gripper": "left gripper view",
    "head": "head view",
    "right-gripper": "right gripper view",
    "view1": "view 1",
    "view2": "view 2",
    "view3": "view 3",
    "view4": "view 4",
}
"""View → how a question calls it."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Point = tuple[Number, Number]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Mark(_Frozen):
    """One drawn thing on one view. Its points may be incomplete while it is drawn: `rules` says so."""

    id: str = Field(min_length=1, max_length=80)
    view: str
    kind: Kind
    colour: Colour
    points: tuple[Point, ...]


class Absence(_Frozen):
    """That a view does not show the object which a colour marks in the others: a mark that draws nothing."""

    view: str
    colour: Colour


class Cube(_Frozen):
    """One labelled unit cube of the 5×5×5 grid in the reference camera's frame: x right, y forward, z up, each from 1 to 5."""

    colour: Colour
    label: str = Field(default="", max_length=80)
    cell: tuple[int, int, int]

    @field_validator("cell")
    @classmethod
    def _inside(cls, value: tuple[int, int, int]) -> tuple[int, int, int]:
        if not all(1 <= v <= 5 for v in value):
            raise ValueError(f"each of x, y, z is from 1 to 5, got {value!r}")
        return value


class ViewImage(_Frozen):
    """One image with where it comes from."""

    view: str
    image: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of the original file's bytes."""
    width: int = Field(ge=1)
    """Of the original, pixels."""
    height: int = Field(ge=1)
    file: str = ""
    """Path inside its source."""
    frame_index: int | None = None
    timestamp_s: Number | None = None
    transform: Literal["", "flip_vertical"] = ""
    """What a derived set does to the original before it is shown."""


class Distractor(_Frozen):
    """How a wrong option was made."""

    kind: str = Field(min_length=1, max_length=40)
    """One of the subtask's kinds."""
    note: str = Field(default="", max_length=500)
    episode: str = ""
    """Where an option image comes from, if not from the item's own episode and moment."""
    moment: str = ""


class Derived(_Frozen):
    """That an item was made from another by a rule."""

    kind: Literal["single", "flip", "reject"]
    item_id: str
    content_hash: str


class Item(_Frozen):
    """One item document. An author's unfinished work is an item too: `rules.check` lists what is missing."""

    schema_version: int = 1
    item_id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,119}$")
    subtask: Subtask
    arm: Arm
    source: str = Field(max_length=200)
    """The robot source: ``agibot``, ``bridge``, …"""
    episode: str = Field(default="", max_length=200)
    moment: str = Field(default="", max_length=200)
    views: tuple[ViewImage, ...]
    reference_view: str
    marks: tuple[Mark, ...] = ()
    absent: tuple[Absence, ...] = ()
    """Cross-View Matching: where an object that has a colour is out of sight."""
    cubes: tuple[Cube, ...] = ()
    """3D Consistency: where the boxed objects truly are."""
    slots: dict[str, str] = {}
    """What fills the template's braces."""
    question: str = Field(default="", max_length=6000)
    options: dict[Letter, Annotated[str, Field(max_length=2000)]] = {}
    option_images: dict[Letter, ViewImage] = {}
    """Viewpoint Identification only."""
    gold: Letter | None = None
    hard: tuple[Letter, ...] = ()
    """The one or two distractors that come close."""
    provenance: dict[Letter, Distractor] = {}
    """How each distractor was made."""
    unique_confirmed: bool = False
    """The author states that no reading makes another option right."""
    derived: Derived | None = None

    def document(self) -> dict[str, Any]:
        """The item as plain JSON values; what a published item never has is left out where it says nothing."""
        doc = self.model_dump(mode="json")
        if self.derived is None:
            del doc["derived"]
        if not self.absent:
            del doc["absent"]
        for image in (*doc["views"], *doc["option_images"].values()):
            if not image["transform"]:
                del image["transform"]
        return doc

    def canonical_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, UTF-8 text, shortest floats."""
        return msgspec.json.encode(self.document(), order="sorted").decode()

    @property
    def content_hash(self) -> str:
        """SHA-256 hex of the canonical JSON."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()

    def change(self, **fields: Any) -> Item:
        """Another item with these fields replaced, validated.

        Raises:
            BadItem: a value is of the wrong form.
        """
        unknown = set(fields) - set(Item.model_fields)
        if unknown:
            raise BadItem(f"An item has no field {', '.join(sorted(unknown))}.")
        try:
            return Item(**{name: fields.get(name, getattr(self, name)) for name in Item.model_fields})
        except ValidationError as error:
            raise BadItem(_sentence(error)) from None

    def view(self, name: str) -> ViewImage | None:
        """The image of a view, or None."""
        return next((view for view in self.views if view.view == name), None)

    def on(self, view: str) -> list[Mark]:
        """The marks on one view."""
        return [mark for mark in self.marks if mark.view == view]

    @classmethod
    def read(cls, document: str | bytes | Mapping[str, Any]) -> Item:
        """Read a document.

        Raises:
            BadItem: it is no item; the message names the field.
        """
        text = document if isinstance(document, str | bytes) else json.dumps(document, ensure_ascii=False)
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise BadItem(_sentence(error)) from None


def read_marks(value: Any) -> tuple[Mark, ...]:
    """Marks from plain JSON values, as the canvas sends them.

    Raises:
        BadItem: some value is no mark, or two marks have the same id.
    """
    if not isinstance(value, list):
        raise BadItem(f"marks: a list of marks is needed, got {type(value).__name__}.")
    found = []
    for number, entry in enumerate(value):
        try:
            found.append(Mark.model_validate_json(json.dumps(entry)))
        except ValidationError as error:
            raise BadItem(f"marks.{number}: {_sentence(error)}") from None
    ids = [mark.id for mark in found]
    if len(set(ids)) < len(ids):
        raise BadItem("marks: two marks have the same id; nothing was saved.")
    return tuple(found)


def _sentence(error: ValidationError) -> str:
    """The first error in words; the others are counted."""
    errors = error.errors(include_url=False)
    where = ".".join(str(part) for part in errors[0]["loc"]) or "document"
    shown = repr(errors[0]["input"])
    got = shown if len(shown) <= 80 else shown[:77] + "…"
    more = f" ({len(errors) - 1} more.)" if len(errors) > 1 else ""
    return f"{where}: {errors[0]['msg'][:1].lower()}{errors[0]['msg'][1:]}, got {got}.{more}"
