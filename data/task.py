"""The task: one immutable, content-hashed question about one scene.

A changed gold is a new task that `supersedes` the old one (design §2.1). The canonical JSON is UTF-8, keys sorted,
no blanks, no NaN; the content hash is the SHA-256 of it.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.spec import Pose, Scene

AnswerForm = Literal["yes_no", "choice", "count", "number", "sequence", "blanks", "assignment", "pair", "free_text"]
"""How an answer is given.

* ``yes_no``: one of two options whose texts are yes and no.
* ``choice``: one option.
* ``count``: a whole number ≥ 0 (options may exist and then restrict it).
* ``number``: a decimal number.
* ``sequence``: all items, ordered (stacking: bottom to top).
* ``blanks``: one option per blank, ordered.
* ``assignment``: every item to one target (item → container), order free.
* ``pair``: named blanks with their own options (Action Order Inference: ``A``, ``C``).
* ``free_text``: words.
"""

Answer = str | list[str] | dict[str, str]
"""An answer as recorded: text for one value, a list for sequence and blanks, a mapping for assignment and pair."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Question(_Frozen):
    """What is asked, and in which form it is answered."""

    text: str
    """The question as people and models read it."""
    form: AnswerForm
    """How the answer is given."""
    options: tuple[str, ...] = ()
    """Options of a choice, or items to order or assign, in source order; shown shuffled."""
    blanks: tuple[tuple[str, ...], ...] = ()
    """Options per blank (``blanks``, ``pair``), in blank order."""
    blank_names: tuple[str, ...] = ()
    """Names of the blanks (``pair``: A, C; ``blanks``: the text of the step), same length as `blanks`."""
    targets: tuple[str, ...] = ()
    """Targets of an ``assignment``."""
    note: str = ""
    """Clarification the interface must show, e.g. "Order from bottom to top."; never a hint."""


class Gold(_Frozen):
    """The right answer; never leaves the server before the answer is final, and then only where a protocol allows it."""

    accepted: tuple[Answer, ...] = Field(min_length=1)
    """Every answer that counts as right, in the texts of the question's options; the first is the canonical one."""
    chance: float = Field(ge=0.0, le=1.0)
    """Probability that a uniformly random well-formed answer is right."""
    derivation: str = ""
    """Where it comes from: ``recorded`` (imported) or the generator's rule with its margin."""


class Provenance(_Frozen):
    """Where the task comes from."""

    dataset: str
    """``esi-bench`` for released rows, ``vantage`` for own tasks."""
    row_id: str = ""
    """The source's own id (ESI-Bench ``id``, "0001" … "3502")."""
    file: str = ""
    """File name relative to the imported folder; empty for generated tasks."""
    licence: str = ""
    generator: str = ""
    """Importer or generator name and version."""
    seed: int | None = None


class Evidence(_Frozen):
    """One fact that a task's ground-truth trajectory shows; a check replays the trajectory and looks for it."""

    kind: Literal["seen", "unseen", "relation", "no_relation", "flag", "level", "done", "failed"]
    """* ``seen`` / ``unseen``: `handle` has at least `low` (at most `high`) pixels in the view of the step.
    * ``relation`` / ``no_relation``: `name` (inside, on, touching, under) holds between `handle` and `other`, or not.
    * ``flag`` / ``level``: the simulator's flag `name` of `handle` is true (`low` 0: false), its number `name` lies in [low, high].
    * ``done`` / ``failed``: the step's action succeeds, or fails with a reason that contains `name`."""
    step: int = -1
    """Index into the played steps: 0 the start view, −1 the last one; a phase change is a step."""
    handle: str = ""
    other: str = ""
    name: str = ""
    low: float | None = None
    high: float | None = None


class View(_Frozen):
    """One frozen camera view with its source label."""

    label: str
    pose: Pose


class Task(_Frozen):
    """One task document. Build with `Task(...)`; store and compare by `content_hash`."""

    schema_version: int = 1
    task_id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,119}$")
    """Stable id: ``esi-0676``, ``own-size-003a``. Several versions (content hashes) of one id may exist; never a hint at the gold."""
    supersedes: str | None = None
    """Content hash of the version this one replaces."""
    category: str
    """One of the 10 categories of `data.subcategories`."""
    subcategory: str
    """One of its subcategories; unique only together with the category."""
    question: Question
    gold: Gold
    scene: Scene
    start: Pose
    """Start pose of the camera."""
    names: dict[str, str] = {}
    """handle → the words by which the question names that object. Objects absent here are neutral handles ("object 3")."""
    actions: tuple[str, ...] = CAMERA_ACTIONS
    """Action names available in this task."""
    essential: tuple[str, ...] = ()
    """Handles the answer depends on: these must be recognisable for the task to be playable."""
    required_features: tuple[str, ...] = ()
    """Backend capabilities without which the task makes no sense: action names, ``mirror``, ``phases``, ``native_scene``, …"""
    budget: int = Field(default=30, ge=1, le=1000)
    """Observations allowed, the first view included (`science.md` 8)."""
    views: dict[str, tuple[View, ...]] = {}
    """Frozen view sets by name, e.g. ``recorded`` (the source's own views) or ``random_walk``."""
    gt_trajectory: tuple[str, ...] = ()
    """Canonical actions that reveal the answer, where known."""
    evidence: tuple[Evidence, ...] = ()
    """What the trajectory shows; empty: every essential object is seen well on the way."""
    twin: str | None = None
    """task_id of the gold-flipped twin."""
    tags: dict[str, str] = {}
    """Small facts for analysis (layout, polarity, congruence); never shown to participants."""
    provenance: Provenance
    source: dict[str, Any] = {}
    """The source row kept whole, decoded, for export and for production backends."""
    shown: dict[str, Any] = {}
    """A question about pictures that exist (multi-view QA): what is shown of it, gold aside; its `scene` is then empty. Otherwise empty."""

    @field_validator("scene", mode="before")
    @classmethod
    def _scene(cls, value: Any) -> Any:
        return _convert(value, Scene, "scene")

    @field_validator("start", mode="before")
    @classmethod
    def _start(cls, value: Any) -> Any:
        return _convert(value, Pose, "start")

    @field_validator("views", mode="before")
    @classmethod
    def _views(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            name: tuple(
                View(label=v.label, pose=_convert(v.pose, Pose, f"views.{name}"))
                if isinstance(v, View)
                else View(label=v["label"], pose=_convert(v["pose"], Pose, f"views.{name}"))
                for v in views
            )
            for name, views in value.items()
        }

    @model_validator(mode="after")
    def _consistent(self) -> Task:
        handles = [o.handle for o in self.scene.objects]
        if len(set(handles)) != len(handles):
            raise ValueError(f"scene.objects: handles must be unique, got {handles!r}")
        for field in ("names", "essential"):
            for handle in getattr(self, field):
                if handle not in handles:
                    raise ValueError(f"{field}: no object {handle!r} in the scene")
        for name in self.actions:
            if name not in ACTIONS:
                raise ValueError(f"actions: {name!r} is no action")
        return self

    def document(self) -> dict[str, Any]:
        """The task as plain JSON values (`source` is the task's own dictionary: do not change it)."""
        doc = self.model_dump(mode="python", exclude={"scene", "start", "views", "source"})
        doc["source"] = self.source
        doc["scene"] = msgspec.to_builtins(self.scene)
        # What came later is left out where it says nothing, so that older documents keep their hash.
        if not self.evidence:
            del doc["evidence"]
        if self.scene.house is None:
            del doc["scene"]["house"]
        if not self.shown:
            del doc["shown"]
        doc["start"] = msgspec.to_builtins(self.start)
        doc["views"] = {n: [{"label": v.label, "pose": msgspec.to_builtins(v.pose)} for v in views] for n, views in self.views.items()}
        return doc

    def canonical_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, UTF-8 text, shortest floats, no NaN or infinity (ValueError)."""
        doc = self.document()
        # msgspec is five times faster than json on a row's thousands of numbers, but writes NaN as null
        source = msgspec.json.encode(doc.pop("source"), order="sorted")
        if b"null" in source:
            json.dumps(self.source, allow_nan=False)
        views = doc.pop("views")  # poses are finite: `_convert` saw to it
        json.dumps(doc, allow_nan=False)
        doc["views"] = views
        doc["source"] = msgspec.Raw(source)
        return msgspec.json.encode(doc, order="sorted").decode()

    @property
    def content_hash(self) -> str:
        """SHA-256 hex of the canonical JSON."""
        return hash_of(self.canonical_json())

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Read a task document; raises pydantic's ValidationError naming the field, ValueError for text that is no JSON."""
        try:
            document = msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise ValueError(f"This is no task document: {error}.") from None
        return cls(**document) if isinstance(document, dict) else cls.model_validate(document)


def hash_of(document: str) -> str:
    """SHA-256 hex of a task's canonical JSON."""
    return hashlib.sha256(document.encode()).hexdigest()


def _convert(value: Any, kind: type, field: str) -> Any:
    """Read `value` as `kind`; structs go through plain values too, so that 0 becomes 0.0 and equal tasks hash equally."""
    if type(value) is Pose and all(type(v) is float and v - v == 0.0 for v in (*value.position_m, *value.quaternion_xyzw)):
        return value
    try:
        value = msgspec.to_builtins(value)
        value = msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"{field}: {error}") from None
    if isinstance(value, Pose) and not all(map(math.isfinite, (*value.position_m, *value.quaternion_xyzw))):
        raise ValueError(f"{field}: must be finite numbers, got {value!r}")
    return value
