"""The task: one immutable, content-hashed question about one scene.

A changed gold is a new task that `supersedes` the old one. The canonical JSON is UTF-8, keys sorted, no blanks, no NaN; the content hash is
the SHA-256 of it. **What stands at its default is not written**, at any depth, so that a field that is added later changes no older hash; a
default therefore never changes. Documents of version 1 wrote every field: they are read and written as they were (`data.task_v1`).
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, cast

import msgspec
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from data import task_v1
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.spec import Pose, Scene, Vec3

VERSION = 2
"""Version of new task documents; those of version 1 are read too."""
REHEARSAL = "rehearsal"
"""`Provenance.dataset` of what somebody plays while they make a task of it: no list of tasks has it."""
AUTHORED = "human-authored"
"""`Provenance.dataset` of tasks that people made here, proven in the simulator like the generated ones."""
SIM_SEED = 0
"""Seed with which a simulator loads every scene: when a task is proven, played, resumed and replayed, so that it looks the same to all."""

CHECKS = "vantage-checks"
"""Data set of tasks that are made wrong on purpose, to see how well people verify: no study is drawn from it."""

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


class Ask(_Frozen):
    """What a question asks, in the terms that a judge needs; the wording follows from it. Never shown to whoever answers."""

    what: str = Field(pattern=r"^[a-z][a-z_]{0,39}$")
    """Which of its generator's questions it is: ``larger``, ``smaller``, ``closer``, ``count``, ``belongs``, …"""
    things: tuple[str, ...] = ()
    """Handles of what is asked about, in the order in which the question names it."""
    against: str = ""
    """Handle of what they are compared with, or lie behind, in, on or under; empty: nothing."""
    rooms: tuple[str, ...] = ()
    """Rooms of the house that the question is about, from the first to the last of a way."""
    category: str = ""
    """The category that is counted."""
    given: str = ""
    """What the question states beside what it asks, in words: where the first doorway lies from the start."""


class Said(_Frozen):
    """A question's words in another language, each in the place of the one that it stands for."""

    text: str
    options: tuple[str, ...] = ()
    blanks: tuple[tuple[str, ...], ...] = ()
    blank_names: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    note: str = ""
    names: dict[str, str] = {}
    """Words of `Task.names` → the words that stand for them."""


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
    ask: Ask | None = None
    """What is asked, for judges: they read this and never the wording. None where no judge derives the answer (released rows)."""
    language: str = "en"
    """Of these words, a BCP 47 tag."""
    languages: dict[str, Said] = {}
    """Other language → the same question in it. Answers are kept in the words above, whichever were read."""

    @model_validator(mode="after")
    def _same_in_all(self) -> Question:
        for tag, said in self.languages.items():
            for name in ("options", "blanks", "blank_names", "targets"):
                own, other = getattr(self, name), getattr(said, name)
                if _shape(own) != _shape(other):
                    raise ValueError(f"languages.{tag}.{name}: expected a word for each of {own!r}, got {other!r}")
            for words in (said.options, said.targets, *said.blanks):
                if len(set(words)) < len(words):
                    raise ValueError(f"languages.{tag}: two answers read alike in {words!r}")
            if bool(self.note) != bool(said.note):
                raise ValueError(f"languages.{tag}.note: expected what stands for {self.note!r}, got {said.note!r}")
        return self

    def asks_in(self, language: str) -> bool:
        """Whether the question can be asked in a language."""
        return language == self.language or language in self.languages


def _shape(words: tuple[str, ...] | tuple[tuple[str, ...], ...]) -> list[int]:
    """How many words stand in each place."""
    return [len(part) if isinstance(part, tuple) else 1 for part in words]


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

    schema_version: int = VERSION
    """1 or 2. A document of version 1 stays one, with its content hash; the fields of version 2 are filled from its tags and wording."""
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
    """Observations allowed, the first view included (measurement 8)."""
    clipping: Literal["flag", "forbid"] = "flag"
    """What a move does that would end with the camera inside a wall or a thing, where a protocol leaves it to the task (measurement 7):
    it is done and the view flagged, as released rows are published; or the camera stays and the move is a failed step (own houses)."""
    views: dict[str, tuple[View, ...]] = {}
    """Frozen view sets by name, e.g. ``recorded`` (the source's own views) or ``random_walk``."""
    gt_trajectory: tuple[str, ...] = ()
    """Canonical actions that reveal the answer, where known."""
    gt_phase_starts: tuple[int, ...] = ()
    """Where in `gt_trajectory` the second and every later phase begins."""
    evidence: tuple[Evidence, ...] = ()
    """What the trajectory shows; empty: every essential object is seen well on the way."""
    settled: dict[str, Vec3] | None = None
    """Where everything lay at the start when the task was proven: handle → box centre, metres, world frame. None: not recorded."""
    vessels: tuple[str, ...] = ()
    """Handles of what something is in, or could be, so that its contents must show."""
    defects: tuple[str, ...] = ()
    """Why the task cannot be played as its source records it, each in a few words."""
    first_view: float | str | None = None
    """How much the twins' first views may differ (mean absolute difference per channel, 0..255), or the argument why one view does not
    suffice. None: neither is claimed (released rows)."""
    twin: str | None = None
    """task_id of the gold-flipped twin."""
    tags: dict[str, str] = {}
    """Small facts for analysis (layout, polarity, congruence): nothing executes them, and participants never see them."""
    provenance: Provenance
    source: dict[str, Any] = {}
    """The source row kept whole, decoded, for export and for production backends."""
    shown: dict[str, Any] = {}
    """A question about pictures that exist (multi-view QA): what is shown of it, gold aside; its `scene` is then empty. Otherwise empty."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        version = value.get("schema_version", VERSION)
        if version == 1:
            return task_v1.upgraded(value)
        if version != VERSION:
            raise ValueError(f"schema_version: this program reads 1 and {VERSION}, got {version!r}; a newer one may have written it")
        return value

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
        ask = self.question.ask
        named = {
            "names": self.names,
            "essential": self.essential,
            "vessels": self.vessels,
            "settled": self.settled or (),
            "question.ask": (*ask.things, *((ask.against,) if ask.against else ())) if ask else (),
        }
        for field, those in named.items():
            for handle in those:
                if handle not in handles:
                    raise ValueError(f"{field}: no object {handle!r} in the scene")
        marks = (0, *self.gt_phase_starts, len(self.gt_trajectory))
        if self.gt_phase_starts and (len(self.gt_phase_starts) >= len(self.scene.phases) or list(marks) != sorted(marks)):
            raise ValueError(
                f"gt_phase_starts: should rise, one for each of the {len(self.scene.phases)} phases but the first, "
                f"within the {len(self.gt_trajectory)} actions; got {self.gt_phase_starts!r}"
            )
        for name in self.actions:
            if name not in ACTIONS:
                raise ValueError(f"actions: {name!r} is no action")
        return self

    def document(self) -> dict[str, Any]:
        """The task as plain JSON values, as it is kept (`source` is the task's own dictionary: do not change it)."""
        doc: dict[str, Any] = _plain(self, _written_v1 if self.schema_version == 1 else _written)
        return doc

    def canonical_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, UTF-8 text, shortest floats, no NaN or infinity (ValueError)."""
        doc = self.document()
        # msgspec is five times faster than json on a row's thousands of numbers, but writes NaN as null
        large = {name: doc.pop(name) for name in ("source", "views") if name in doc}
        json.dumps(doc, allow_nan=False)
        if "views" in large:  # poses are finite: `_convert` saw to it
            doc["views"] = large["views"]
        if "source" in large:
            source = msgspec.json.encode(large["source"], order="sorted")
            if b"null" in source:
                json.dumps(self.source, allow_nan=False)
            doc["source"] = msgspec.Raw(source)
        return msgspec.json.encode(doc, order="sorted").decode()

    @property
    def proof_views(self) -> int:
        """Observations that the ground-truth trajectory takes, the first view included; 0: the task has none."""
        return 1 + len(self.gt_trajectory) + len(self.scene.phases[1:]) if self.gt_trajectory else 0

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


def converted(task: Task) -> Task:
    """The task as a document of version 2: the same question, gold, scene and proof, with another content hash.

    It keeps its id, which is what says that both are the same task; it does not `supersede` the old document, since no gold has changed.

    Raises:
        ValueError: it is an own task whose wording is none of version 1, so that nobody can say what it asks.
    """
    if task.schema_version == VERSION:
        return task
    if task.provenance.dataset == "vantage" and task.provenance.generator.partition(" ")[0] != "practice" and task.question.ask is None:
        raise ValueError(f"question.text: not a wording that {task.provenance.generator!r} had, so what it asks is not known; write `ask`")
    tags = {name: value for name, value in task.tags.items() if name not in task_v1.EXECUTED}
    return task.model_copy(update={"schema_version": VERSION, "tags": tags})


# --- writing ----------------------------------------------------------------------------------------------------------

ALWAYS = {("Task", "schema_version"), ("Task", "actions")}
"""Written at their default too: what the camera can do is said elsewhere and may grow."""
_Written = Callable[[type, str, Any, Any], bool]
"""(type, field, value, default) → whether the field is written; a field without a default has the default `_NONE`."""
_NONE = object()


def _written(of: type, name: str, value: Any, default: Any) -> bool:
    """The rule of version 2: what stands at its default is not written. −0 is not 0, and 1 is not 1.0: both print differently."""
    return default is _NONE or value != default or repr(value) != repr(default) or (of.__name__, name) in ALWAYS


def _written_v1(of: type, name: str, value: Any, default: Any) -> bool:
    """The rule of version 1: every field that it had, but those that came late only where they say something."""
    return name in task_v1.FIELDS[of.__name__] and ((of.__name__, name) not in task_v1.LATE or bool(value))


def _plain(value: Any, written: _Written) -> Any:
    """Plain JSON values of models and structs; dictionaries keep what they hold. A pose is one value and always whole."""
    if type(value) is Pose:
        return msgspec.to_builtins(value)
    if isinstance(value, (BaseModel, msgspec.Struct)):
        kind = type(value)
        return {
            name: _plain(found, written) for name, default in _defaults(kind) if written(kind, name, found := getattr(value, name), default)
        }
    if isinstance(value, dict):
        return {key: _plain(found, written) for key, found in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(found, written) for found in value]
    return value


@functools.cache
def _defaults(kind: type) -> tuple[tuple[str, Any], ...]:
    return tuple(_each_default(kind))


def _each_default(kind: type) -> Iterator[tuple[str, Any]]:
    if issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            yield name, _NONE if field.is_required() else field.get_default(call_default_factory=True)
    else:
        for known in msgspec.structs.fields(cast(type[msgspec.Struct], kind)):
            if known.default_factory is not msgspec.NODEFAULT:
                yield known.name, known.default_factory()
            else:
                yield known.name, _NONE if known.default is msgspec.NODEFAULT else known.default


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
