"""From what a row records to a task: parts, start view and views of one scene, and their assembly.

A `Draft` speaks the source's keys (``obj_near``, ``task_obj2``); `assemble` turns them into opaque handles. Nothing a participant may
see depends on a key: handles are numbered by a hash of the question and the words by which it names the object.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from data.fidelity import SHIFTED
from data.importers import fields
from data.importers.fields import FieldError
from data.importers.geometry import Box, Point, bounds_xy, centre, extent, own_size, rounded
from data.importers.rows import Row
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.rotations import tilt_deg
from sim_bridge.spec import Camera, Object, Phase, Pose, Quat, Room, Scene, Vec3

DATASET = "esi-bench"
IMPORTER = "esi-bench importer 3"
"""Part of the duplicate key: a later importer brings in new versions of the same rows."""
UPRIGHT: Quat = (0.0, 0.0, 0.0, 1.0)
HFOV_DEG = 63.3
"""Horizontal field of view of the released runner's camera (17 mm on 20.995 mm at 16:9)."""
HFOV_CLOTH_DEG = 70.0
"""The one field of view the released runner sets itself (Deformable)."""
LARGEST_M = 10.0
"""Of anything in a room, and of the height of eyes and things above its floor; the release has 3.4, 2.7 and 1.6 m."""
ACROSS_M = 30.0
"""From the start view to anything in its room."""
NEAREST_M = 0.1
"""Within which of the start view not all objects can lie; the release has 0.31 m."""
SAME_M = 0.01
"""A place that is no farther off is the recorded one."""
STANDING_M = (0.06, 0.5)
"""Heights that a root pose above the floor may stand for; beyond, the root is not the middle of the box."""
_UPRIGHT = re.compile(
    r"(?:^|_)(?:atomizer|beaker|bottle|bowl|box|bucket|can|candle|canister|carafe|carton|cup|dispenser|flask|glass|goblet|grinder|hourglass|"
    r"jar|jug|kettle|mug|pitcher|pot|shaker|stick|trophy|tube|vase|wineglass)(?:_|$)|bottle$|glass$|cup$|pot$"
)
"""Things whose size is their height. Of others (a pita, a toy train) the recorded height says little about the size: the catalogue's
real size serves."""
LICENCE = "MIT"
OTHER_OBJECTS = "the question names other objects than the row records"
FALLEN = "a recorded object lies below the floor"
BELOW = "the recorded start view lies below the floor"
INSIDE = "the recorded start view is inside an object"
OUTSIDE = "a recorded object lies outside the room"
NO_ROOM = "the recorded lengths are those of no room in metres (centimetres or millimetres?)"
OTHER_ANSWER = "the answer is another object than the row records"


@dataclass(frozen=True)
class Recorded:
    """One of the source's own views."""

    label: str
    pose: Pose


@dataclass(frozen=True)
class Part:
    """One object as the source records it."""

    key: str
    category: str
    pose: Pose
    """Centre of the box, world frame (see `base`)."""
    size_m: Vec3 | None = None
    """Own axes; None: the catalogue's size, or `height_m`."""
    height_m: float | None = None
    scale: Vec3 = (1.0, 1.0, 1.0)
    base: bool = False
    """Whether the pose is that of the lower face."""
    on_floor: bool = False
    above_m: float = 0.0
    """Of its recorded box over the floor; where it is set on the floor, it stands that much lower than recorded."""
    words: str = ""
    """The words by which the question names it; empty: it stays neutral."""
    essential: bool = True
    """Whether the answer depends on recognising it."""
    vessel: bool = False
    """Whether something is inside it, or could be, and that must be seen."""
    dynamic: bool = False
    model: str | None = None
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Time:
    """One named time of a scene that has several."""

    name: str
    absent: tuple[str, ...] = ()
    """Keys of what is not there then."""
    lighting: str = ""
    """Light of this time, as `Phase.lighting`."""


@dataclass(frozen=True)
class Draft:
    """One scene as the source records it, and what it takes to play it."""

    parts: tuple[Part, ...]
    start: Pose
    views: tuple[Recorded, ...] = ()
    """The source's own views."""
    floor_z_m: float = 0.0
    actions: tuple[str, ...] = ()
    """What the released runner offers beside the ten camera actions."""
    features: tuple[str, ...] | None = None
    """Needs that differ from the subcategory's."""
    phases: tuple[Time, ...] = ()
    note: str = ""
    """What the question needs beside the subcategory's note, where this scene is shown otherwise than in the release."""
    room_xy: tuple[float, float, float, float] | None = None
    """Recorded extent of the room."""
    walked: tuple[Point, ...] = ()
    """Where somebody walks: in the room, and free of its furniture."""
    hfov_deg: float = HFOV_DEG
    defects: tuple[str, ...] = ()
    """Why the row cannot be played as it is, in words."""
    tags: dict[str, str] = field(default_factory=dict)
    question: tuple[Question, Gold] | None = None
    """Question and gold that belong to this start view, where they differ from the row's."""


def words_in(question: str, category: str) -> str:
    """The words of `category` as the question writes them ("can of coffee", "feta_box"); empty if it does not.

    A plural counts ("three pasta_boxs").
    """
    words, text = category.lower().replace("_", " ").strip(), question.lower().replace("_", " ")
    if not words or len(text) != len(question):  # a letter whose lower case is longer
        return ""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        rest = next((text[end + len(s) :] for s in ("es", "s", "") if text[end:].startswith(s)), "")
        if not (at and text[at - 1].isalnum()) and not rest[:1].isalnum():
            return question[at:end]
        at = text.find(words, at + 1)
    return ""


def spoken(category: str) -> str:
    """A category as one says it."""
    return category.replace("_", " ")


def category_of(record: dict[str, Any], where: str) -> str:
    """The category of a recorded thing, by either of the release's two names for it."""
    key = "category" if "category" in record or "cat" not in record else "cat"
    return fields.name(record.get(key), f"{where}.{key}")


def model_of(record: dict[str, Any]) -> str | None:
    """The model of a recorded thing; None where it is no plain name."""
    model = record.get("model")
    return model if isinstance(model, str) and re.fullmatch(r"[A-Za-z0-9_]{1,40}", model) else None


def boxed(key: str, record: dict[str, Any], where: str, box: Box, floor_z: float, **more: Any) -> Part:
    """A part whose world box is recorded: it decides place and size, the recorded rotation decides the axes."""
    turned = fields.quat(record.get("quaternion_xyzw", UPRIGHT), f"{where}.quaternion_xyzw")
    size = extent(box)
    if min(size) <= 0:
        raise FieldError(where, "has a box without volume.")
    return Part(
        key=key,
        category=category_of(record, where),
        pose=Pose(_rounded3(centre(box)), turned),
        size_m=_rounded3(own_size(size, turned)),
        on_floor=abs(box[0][2] - floor_z) < 0.05,
        above_m=box[0][2] - floor_z,
        model=model_of(record),
        **more,
    )


def standing(key: str, record: dict[str, Any], where: str, floor_z: float = 0.0, **more: Any) -> Part:
    """A part of which only the root pose is recorded: an upright package or vessel is as high as twice its
    root above the floor, where plausible; anything else has the catalogue's real size."""
    position = fields.vec3(record.get("position", record.get("real_position")), f"{where}.position")
    turned = fields.quat(record.get("quaternion_xyzw", UPRIGHT), f"{where}.quaternion_xyzw")
    category, height = category_of(record, where), 2 * (position[2] - floor_z)
    upright = tilt_deg(turned) < 15 and _UPRIGHT.search(category) is not None
    return Part(
        key=key,
        category=category,
        pose=Pose(_rounded3(position), turned),
        height_m=round(height, 4) if upright and STANDING_M[0] <= height <= STANDING_M[1] else None,
        on_floor=height < 2 * STANDING_M[1],
        model=model_of(record),
        **more,
    )


def _rounded3(v: Sequence[float]) -> Vec3:
    x, y, z = rounded(v, 5)
    return (x, y, z)


def floor_under(boxes: Sequence[Box], default: float = 0.0) -> float:
    """Height of the floor from the boxes of things that lie on it: their median lower face, without those that fell through it."""
    lows = sorted(b[0][2] for b in boxes if abs(b[0][2]) < 1.5)
    if not lows:
        return default
    middle = lows[len(lows) // 2]
    return 0.0 if abs(middle) < 0.1 else round(middle, 3)


def views(label: str, records: Any, where: str, *, under: str = "") -> list[Recorded]:
    """Recorded views of a list or ``_key`` object; those without a readable pose are left out."""
    items = records.items() if isinstance(records, dict) else enumerate(records if isinstance(records, list) else [])
    out = []
    for n, record in items:
        inner = record.get(under) if under and isinstance(record, dict) else record
        try:
            name = record.get("_key", n) if isinstance(record, dict) else n
            out.append(Recorded(label=f"{label}/{str(name)[:60]}", pose=fields.pose(inner, where)))
        except FieldError:
            continue
    return out


def named(parts: Sequence[Part], row: Row) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Give every part the words by which the question names it; a part it does not name is a defect of the row."""
    out = tuple(replace(p, words=words_in(row.question, p.category)) for p in parts)
    return out, () if all(p.words for p in out) else (OTHER_OBJECTS,)


def assemble(row: Row, draft: Draft, question: Question, gold: Gold) -> Task:
    """Build the task."""
    if draft.question is not None:
        question, gold = draft.question
    if draft.note:
        question = question.model_copy(update={"note": f"{question.note} {draft.note}".strip()})
    handles = _handles(question.text, draft.parts)
    defects = (*draft.defects, *_implausible(draft))
    objects = tuple(sorted((_object(p, handles[p.key]) for p in draft.parts), key=lambda o: int(o.handle.split("_")[1])))
    moved = any(part.on_floor and abs(part.above_m) > SAME_M for part in draft.parts)
    tags = {SHIFTED: "of what the row lets sink into the floor or float over it", **draft.tags} if moved else draft.tags
    counts: dict[str, int] = {}
    for part in draft.parts:
        counts[part.words] = counts.get(part.words, 0) + 1
    scene = Scene(
        camera=Camera(width=960, height=540, hfov_deg=draft.hfov_deg),
        room=_room(row, draft),
        objects=objects,
        phases=tuple(
            Phase(
                name=time.name,
                hidden=tuple(sorted(handles[k] for k in time.absent)),
                budget_share=round(1 / len(draft.phases), 4),
                lighting=time.lighting,
            )
            for time in draft.phases
        ),
        source_scene=row.scene,
        source_room=row.room,
    )
    return Task(
        task_id=f"esi-{row.row_id.lower()}",
        category=row.kind.category,
        subcategory=row.kind.name,
        question=question,
        gold=gold,
        scene=scene,
        start=draft.start,
        names={handles[p.key]: p.words for p in draft.parts if p.words and counts[p.words] == 1},
        actions=(*CAMERA_ACTIONS, *draft.actions),
        essential=tuple(sorted(handles[p.key] for p in draft.parts if p.essential)),
        required_features=draft.features if draft.features is not None else row.kind.needs,
        views=_recorded(draft.views),
        vessels=tuple(sorted(handles[p.key] for p in draft.parts if p.vessel)),
        defects=tuple(dict.fromkeys(defects)),
        tags=tags,
        provenance=Provenance(dataset=DATASET, row_id=row.row_id, file=row.file, licence=LICENCE, generator=IMPORTER),
        source=row.source(),
    )


def _recorded(listed: Sequence[Recorded]) -> dict[str, Any]:
    """As plain values: the task makes its own `View` of each."""
    return {"recorded": [{"label": v.label, "pose": v.pose} for v in listed]} if listed else {}


def _handles(question: str, parts: Sequence[Part]) -> dict[str, str]:
    """key → ``object_n``. The order follows from a hash of the question and the object's words (its category where it has none), so
    that it is the same whichever object plays which role; like objects follow by a hash of where they stand."""

    def order(part: Part) -> tuple[bytes, bytes]:
        label = part.words or part.category
        place = ",".join(f"{v:.3f}" for v in part.pose.position_m)
        return (_digest(question, label), _digest(question, label, place, part.key))

    return {part.key: f"object_{n}" for n, part in enumerate(sorted(parts, key=order), start=1)}


def _digest(*texts: str) -> bytes:
    return hashlib.sha256("\0".join(texts).encode()).digest()


def _object(part: Part, handle: str) -> Object:
    return Object(
        handle=handle,
        category=part.category,
        pose=part.pose,
        origin="base" if part.base else "center",
        size_m=part.size_m,
        height_m=part.height_m,
        scale=part.scale,
        on_floor=part.on_floor,
        dynamic=part.dynamic,
        model=part.model,
        params=part.params,
    )


def _implausible(draft: Draft) -> list[str]:
    """What of the recorded poses and sizes cannot be in the room."""
    out = [BELOW] if draft.start.position_m[2] < draft.floor_z_m - 0.5 else []
    heights = [draft.start.position_m[2], *(part.pose.position_m[2] for part in draft.parts)]
    lengths = [side for part in draft.parts for side in part.size_m or ()]
    away = [math.dist(part.pose.position_m[:2], draft.start.position_m[:2]) for part in draft.parts]
    large = max(heights) > draft.floor_z_m + LARGEST_M or max(lengths, default=0.0) > LARGEST_M or min(away, default=0.0) > ACROSS_M
    small = max(away, default=NEAREST_M) < NEAREST_M and abs(draft.start.position_m[2] - draft.floor_z_m) < NEAREST_M
    if large or small:
        out.append(NO_ROOM)
    for part in draft.parts:
        x, y, z = part.pose.position_m
        if z < draft.floor_z_m - 0.5:
            out.append(FALLEN)
        elif math.dist((x, y), draft.start.position_m[:2]) > ACROSS_M or z > draft.floor_z_m + 10:
            out.append(OUTSIDE)
    return out


def inside(part: Part, point: Vec3) -> bool:
    """Whether a point lies in a part's box, 1 cm under its surface."""
    if part.size_m is None:
        return False
    offset = [p - c for p, c in zip(point, part.pose.position_m, strict=True)]
    axes = zip(*rotation_matrix(part.pose.quaternion_xyzw), strict=True)
    return all(abs(sum(a * o for a, o in zip(axis, offset, strict=True))) < s / 2 - 0.01 for axis, s in zip(axes, part.size_m, strict=True))


def _room(row: Row, draft: Draft) -> Room:
    """A room around everything recorded: start, objects and views, with a margin to walk around them."""
    sx, sy, _ = draft.start.position_m
    points: list[tuple[float, float]] = [(sx, sy)]
    for part in draft.parts:
        x, y, z = part.pose.position_m
        if abs(z - draft.floor_z_m) < 10 and math.dist((x, y), (sx, sy)) < 12:
            reach = max(part.size_m[:2]) / 2 if part.size_m else 0.2
            points += [(x - reach, y - reach), (x + reach, y + reach)]
    points += [p for p in draft.walked if math.dist(p, (sx, sy)) < ACROSS_M]
    clear = bounds_xy(points, 0.3)
    for view in draft.views:
        x, y, z = view.pose.position_m
        if abs(z - draft.floor_z_m) < 4 and math.dist((x, y), (sx, sy)) < 6:
            points.append((x, y))
    x0, y0, x1, y1 = bounds_xy(points, 1.0)
    if draft.room_xy is not None and math.dist(draft.room_xy[:2], draft.room_xy[2:]) < 30:
        x0, y0 = min(x0, draft.room_xy[0]), min(y0, draft.room_xy[1])
        x1, y1 = max(x1, draft.room_xy[2]), max(y1, draft.room_xy[3])
    x0, x1 = _at_least(x0, x1, 4.0)
    y0, y1 = _at_least(y0, y1, 4.0)
    kind = "hall" if row.room == "full_scene" else re.sub(r"_?\d*$", "", row.room) or "room"
    seed = int.from_bytes(_digest(row.scene, row.room)[:4], "big") >> 1
    a, b, c, d = rounded((x0, y0, x1, y1), 3)
    e, f, g, h = rounded(clear, 3)
    return Room(bounds_m=(a, b, c, d), floor_z_m=draft.floor_z_m, kind=kind, seed=seed, keep_clear_m=(e, f, g, h))


def _at_least(low: float, high: float, length: float) -> tuple[float, float]:
    grow = max(0.0, length - (high - low)) / 2
    return low - grow, high + grow
