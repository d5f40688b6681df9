"""A draft: a task while a person makes it. Metres and degrees, world frame, z up; turns counter-clockwise seen from above."""

from __future__ import annotations

import hashlib
import math
from typing import Annotated, Any

import msgspec
from pydantic import Field, ValidationError, model_validator

from annotation.authoring.asked import Asked, Frozen, Line
from annotation.authoring.errors import BadDraft
from data.subcategories import UnknownSubcategory, find
from data.task import AUTHORED, Ask, Gold, Provenance, Task
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.houses import plan
from sim_bridge.kinematics import looking
from sim_bridge.rotations import about_z
from sim_bridge.spec import Camera, House, Object, Phase, Pose, Quat, Room, Scene

PARTS = ("phase_1", "phase_2")
"""Names of a task's parts where it has two."""
ROOM_KINDS = (
    "living_room", "bedroom", "childs_room", "office", "dining_room", "kitchen", "bathroom", "corridor", "store", "lab", "classroom",
    "garage", "storage_room", "restaurant", "gym", "hall",
)  # fmt: skip
"""Kinds of rooms that look different in the embedded simulator."""
LIGHTING = ("day", "dim", "evening", "side")
MAX_THINGS = 60
BUDGET = 30

Metres = Annotated[float, Field(ge=-50.0, le=50.0, allow_inf_nan=False)]
Degrees = Annotated[float, Field(ge=-3600.0, le=3600.0, allow_inf_nan=False)]


class Rest(Frozen):
    """Where a thing came to rest: the pose of its box centre."""

    position_m: tuple[Metres, Metres, Metres]
    quaternion_xyzw: Quat


class Placed(Frozen):
    """One object of a draft."""

    key: str = Field(pattern=r"^k[0-9]{1,4}$")
    """Its name within the draft; never leaves it."""
    category: str = Field(min_length=1, max_length=100)
    x_m: Metres = 0.0
    y_m: Metres = 1.5
    z_m: Metres | None = None
    """Height of its lower face; None: it stands on the floor."""
    turn_deg: Degrees = 0.0
    scale: float = Field(default=1.0, ge=0.05, le=20.0)
    size_m: tuple[float, float, float] | None = None
    """Extents along its own axes; None: the catalogue's."""
    loose: bool = False
    """Physics moves it: it falls, rolls, and can be taken."""
    rest: Rest | None = None
    """Where it settled; any change of its place takes this back."""
    words: Line = ""
    """How the question names it; empty: not at all."""
    essential: bool = False
    """The answer depends on it, so it must be seen well on the way."""
    vessel: bool = False
    """Something is in it, or could be."""
    absent: tuple[int, ...] = ()
    """In which parts (1, 2) it is not there."""
    moved: tuple[Metres, Metres] | None = None
    """Where it stands in part 2 instead."""
    params: dict[str, Any] = {}
    """Further settings that the simulator knows for its kind."""


class Eye(Frozen):
    """The start view."""

    x_m: Metres = 0.0
    y_m: Metres = 0.0
    z_m: Metres = 0.5
    yaw_deg: Degrees = 0.0
    """0 looks along +y."""
    pitch_deg: Degrees = 0.0
    """0 is level, positive up."""

    @property
    def pose(self) -> Pose:
        """It as a camera."""
        return looking(self.x_m, self.y_m, self.z_m, yaw_deg=self.yaw_deg, pitch_deg=self.pitch_deg)


class Draft(Asked):
    """The document of a draft."""

    category: str
    subcategory: str
    # the world
    room_kind: str = "living_room"
    seed: int = Field(default=1, ge=0, le=2**31 - 1)
    """Chooses furniture, textures and colours; of a house its layout too."""
    furnished: bool = True
    bounds_m: tuple[Metres, Metres, Metres, Metres] = (-2.4, -1.2, 2.4, 3.8)
    clear_m: tuple[Metres, Metres, Metres, Metres] | None = (-1.5, -0.5, 1.5, 2.9)
    """What furniture leaves free."""
    house_rooms: int = Field(default=0, ge=0, le=8)
    """Rooms of a house (3 to 9); 0: one room."""
    lighting: str = "day"
    settle_steps: int = Field(default=30, ge=0, le=2000)
    """Physics steps before the first view."""
    things: tuple[Placed, ...] = Field(default=(), max_length=MAX_THINGS)
    parts: int = Field(default=1, ge=1, le=2)
    eye: Eye = Eye()
    width: int = Field(default=640, ge=64, le=1280)
    height: int = Field(default=480, ge=48, le=960)
    hfov_deg: float = Field(default=75.0, ge=20.0, le=120.0)
    actions: tuple[str, ...] = CAMERA_ACTIONS
    budget: int = Field(default=BUDGET, ge=5, le=100)
    # the proof
    path: tuple[str, ...] = Field(default=(), max_length=200)
    """The recorded trajectory: canonical actions, objects by handle."""
    path_starts: tuple[int, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Draft:
        keys = [thing.key for thing in self.things]
        if len(set(keys)) < len(keys):
            raise ValueError("two things have the same key")
        for name in self.actions:
            if name not in ACTIONS:
                raise ValueError(f"actions: {name!r} is no action")
        if self.house_rooms in (1, 2):
            raise ValueError("house_rooms: a house has 3 to 9 rooms")
        if self.bounds_m[2] - self.bounds_m[0] < 1 or self.bounds_m[3] - self.bounds_m[1] < 1:
            raise ValueError("bounds_m: a room is at least 1 m wide and deep")
        if self.lighting not in LIGHTING:
            raise ValueError(f"lighting: one of {', '.join(LIGHTING)}")
        return self


def read(value: Any) -> Draft:
    """A draft from plain JSON values.

    Raises:
        BadDraft: it is none; the message names the field.
    """
    try:
        draft = Draft.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
        where = _where(first["loc"], value)
        raise BadDraft(f"{where} {said}. The change was not kept." if where else f"{said}. The change was not kept.") from None
    try:
        find(draft.category, draft.subcategory)
    except UnknownSubcategory as error:
        raise BadDraft(str(error)) from None
    return draft


def _where(place: tuple[int | str, ...], value: Any) -> str:
    """Where a document is no draft, as its author knows it: a thing by its words, a field by its name without the unit."""
    names = [str(part).removesuffix("_m").removesuffix("_deg").replace("_", " ") for part in place if not isinstance(part, int)]
    if len(place) < 2 or place[0] != "things" or not isinstance(place[1], int):
        return f"{' of '.join(reversed(names))}:" if names else ""
    thing = value["things"][place[1]]
    words = (thing.get("words") or thing.get("category") or "thing") if isinstance(thing, dict) else "thing"
    return f"{' of '.join([*reversed(names[1:]), f'the {str(words)[:60]}']).replace('_', ' ')}:"


def handles(draft: Draft, family: str) -> dict[str, str]:
    """Key → handle in the scene. The order follows from the draft's family alone, so twins and versions keep it and it tells nothing."""
    keys = sorted((thing.key for thing in draft.things), key=lambda key: hashlib.sha256(f"{family}\0{key}".encode()).digest())
    return {key: f"object_{n}" for n, key in enumerate(keys, 1)}


def scene(draft: Draft, family: str) -> Scene:
    """What a simulator builds."""
    named = handles(draft, family)
    objects = sorted((_object(thing, named[thing.key]) for thing in draft.things), key=lambda o: int(o.handle.split("_")[1]))
    return Scene(
        camera=Camera(draft.width, draft.height, draft.hfov_deg),
        room=_room(draft),
        objects=tuple(objects),
        phases=tuple(_phase(draft, named, n, name) for n, name in enumerate(PARTS, 1)) if draft.parts == 2 else (),
        lighting=draft.lighting,
        settle_steps=draft.settle_steps,
        house=House(draft.seed, draft.house_rooms) if draft.house_rooms else None,
    )


def _room(draft: Draft) -> Room:
    if draft.house_rooms:
        return msgspec.structs.replace(plan(draft.seed, draft.house_rooms).bounding_room(), furnished=draft.furnished)
    return Room(draft.bounds_m, kind=draft.room_kind, seed=draft.seed, furnished=draft.furnished, keep_clear_m=draft.clear_m)


def rooms_of(draft: Draft) -> tuple[str, ...]:
    """Names of the rooms of a draft's house; none where it is one room."""
    return plan(draft.seed, draft.house_rooms).names if draft.house_rooms else ()


def upright(turn_deg: float) -> Quat:
    """The attitude of what stands and is turned."""
    _, _, z, w = about_z(math.radians(turn_deg))
    return 0.0, 0.0, round(z, 9), round(w, 9)


def _object(thing: Placed, handle: str) -> Object:
    if thing.rest is not None:
        pose, origin = Pose(thing.rest.position_m, thing.rest.quaternion_xyzw), "center"
    else:
        pose, origin = Pose((thing.x_m, thing.y_m, thing.z_m or 0.0), upright(thing.turn_deg)), "base"
    return Object(
        handle, thing.category, pose, origin=origin, size_m=thing.size_m, scale=(thing.scale,) * 3,
        on_floor=thing.rest is None and thing.z_m is None and not thing.loose, dynamic=thing.loose, params=thing.params,
    )  # fmt: skip


def _phase(draft: Draft, named: dict[str, str], n: int, name: str) -> Phase:
    moved = {}
    for thing in draft.things:
        if n == 2 and thing.moved is not None:
            pose = _object(thing, named[thing.key]).pose
            moved[named[thing.key]] = Pose((*thing.moved, pose.position_m[2]), pose.quaternion_xyzw)
    hidden = tuple(sorted(named[thing.key] for thing in draft.things if n in thing.absent))
    return Phase(name, hidden=hidden, moved=moved, budget_share=0.5)


def missing(draft: Draft, *, twin: bool) -> list[str]:
    """What is still to be filled in before there is a task, each a sentence."""
    found = []
    if not draft.things and not draft.house_rooms:
        found.append("Place at least one thing.")
    if not draft.question.strip():
        found.append("Write the question.")
    found += draft.unanswered()
    if not any(thing.essential for thing in draft.things) and draft.things:
        found.append("Mark what the answer depends on.")
    unknown = {*draft.about, *([draft.against] if draft.against else [])} - {thing.key for thing in draft.things}
    if unknown:
        found.append("The question asks about a thing that is no longer there: choose again what it is about.")
    if lost := [room for room in draft.about_rooms if room not in rooms_of(draft)]:
        found.append(f"The question asks about the {lost[0]}, which this scene does not have: choose again which rooms it is about.")
    if not twin and not draft.argument.strip():
        found.append("Say why one view does not suffice, or make a twin.")
    return found


def ask(draft: Draft, named: dict[str, str]) -> Ask | None:
    """What is asked, in the generators' terms; None where it is none of their questions."""
    if not draft.asks:
        return None
    things = tuple(named[key] for key in draft.about if key in named)
    return Ask(
        what=draft.asks, things=things, against=named.get(draft.against, ""), rooms=draft.about_rooms, category=draft.counted,
        given=draft.given.strip(),
    )  # fmt: skip


def compose(
    draft: Draft, task_id: str, family: str, *, twin: str | None = None, first_view: float | None = None, with_path: bool = True
) -> Task:
    """The task that a draft is.

    Args:
        draft: complete (`missing` names nothing).
        task_id: its id.
        family: what handles are drawn from.
        twin: id of its twin; None: it has none, and its argument stands for it.
        first_view: how much the twins' first views may differ.
        with_path: whether the recorded trajectory belongs to it.

    Raises:
        BadDraft: these fields make no task; the message names the field.
    """
    named = handles(draft, family)
    physical = tuple(a for a in draft.actions if a not in CAMERA_ACTIONS)
    needs = find(draft.category, draft.subcategory).needs if draft.parts == 2 else ()
    try:
        return Task(
            task_id=task_id,
            category=draft.category,
            subcategory=draft.subcategory,
            question=draft.asked(ask(draft, named)),
            gold=Gold(
                accepted=(draft.accepted,), chance=draft.chance, derivation=f"by its author{'; ' if draft.reason else ''}{draft.reason}"
            ),
            scene=scene(draft, family),
            start=draft.eye.pose,
            names={named[thing.key]: thing.words.strip() for thing in draft.things if thing.words.strip()},
            actions=draft.actions,
            essential=tuple(sorted(named[thing.key] for thing in draft.things if thing.essential)),
            required_features=tuple(dict.fromkeys((*needs, *physical))),
            budget=draft.budget,
            gt_trajectory=draft.path if with_path else (),
            gt_phase_starts=draft.path_starts if with_path else (),
            vessels=tuple(sorted(named[thing.key] for thing in draft.things if thing.vessel)),
            first_view=first_view if twin else draft.argument.strip(),
            twin=twin,
            provenance=Provenance(dataset=AUTHORED, generator="author 1"),
        )
    except (ValidationError, ValueError) as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ") if isinstance(error, ValidationError) else str(error)
        raise BadDraft(f"This makes no task yet: {said}.") from None
