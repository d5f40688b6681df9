"""Scenes of a few things on the floor: metric comparison, perceptual grounding, spatial relations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from data.fidelity import SHIFTED
from data.importers import fields
from data.importers.drafts import (
    INSIDE,
    OTHER_ANSWER,
    OTHER_OBJECTS,
    SAME_M,
    Draft,
    Part,
    Recorded,
    boxed,
    category_of,
    floor_under,
    inside,
    named,
    spoken,
    standing,
    views,
    words_in,
)
from data.importers.fields import FieldError
from data.importers.geometry import Box, centre, own_size, rounded
from data.importers.rows import Row
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Pose, Vec3

TYPICAL_HEIGHT_M: dict[str, float] = {
    "armchair": 0.9, "bench": 0.5, "bookcase": 1.8, "bottom_cabinet": 0.8, "breakfast_table": 0.75, "cedar_chest": 0.45,
    "coffee_table": 0.45, "conference_table": 0.75, "console_table": 0.8, "deep_fryer": 0.9, "desk": 0.75, "garden_coffee_table": 0.45,
    "garden_light": 0.5, "ottoman": 0.42, "pedestal_table": 0.75, "pool_table": 0.8, "reception_desk": 1.05, "sofa": 0.85,
    "stool": 0.6, "straight_chair": 0.9, "swivel_chair": 0.95, "taboret": 0.5, "toilet": 0.75,
}  # fmt: skip
"""Heights of reference furniture (ours: the rows record its footprint only, and only the footprint matters to the distance)."""


SUNK_M = 0.06
"""A thing that lies so little beneath the top of what carries it lies on it; deeper, it is in a basin."""
OPAQUE_TOO = ("outline_vase", "pitcher", "vase")
"""Vessels that are made of glass or of something else: a row about seeing through them has them in glass."""


def _objects(row: Row, *keys: str) -> dict[str, dict[str, Any]]:
    found = fields.keyed(row.payload.get("objects"), "metadata_json.objects")
    for key in keys:
        if key not in found:
            raise FieldError(f"metadata_json.objects.{key}", f"is missing; a {row.kind.name} row needs it.")
    return {k: fields.mapping(v, f"metadata_json.objects.{k}") for k, v in found.items()}


def _cameras(row: Row) -> dict[str, Pose]:
    poses = fields.keyed(row.payload.get("camera_poses"), "metadata_json.camera_poses")
    if not poses:
        raise FieldError("metadata_json.camera_poses", "is missing; there is no start view.")
    return {k: fields.pose(v, f"metadata_json.camera_poses.{k}") for k, v in poses.items()}


def _as_views(poses: dict[str, Pose]) -> tuple[Recorded, ...]:
    return tuple(Recorded(label=f"camera/{k[:60]}", pose=p) for k, p in poses.items())


def triangle(row: Row) -> Draft:
    """Three objects; the first recorded camera below 10 cm."""
    cameras = _cameras(row)
    return _three(row, next((p for p in cameras.values() if p.position_m[2] < 0.1), next(iter(cameras.values()))), cameras)


def line(row: Row) -> Draft:
    """Three objects; the first recorded camera."""
    cameras = _cameras(row)
    return _three(row, next(iter(cameras.values())), cameras)


def _three(row: Row, start: Pose, cameras: dict[str, Pose]) -> Draft:
    objects = _objects(row, "obj1", "obj2", "obj3")
    parts, defects = named([standing(k, objects[k], f"metadata_json.objects.{k}") for k in ("obj1", "obj2", "obj3")], row)
    return Draft(parts, start, _as_views(cameras), defects=defects)


def touching(row: Row) -> Draft:
    """Two objects with recorded boxes; the first recorded camera."""
    objects, cameras = _objects(row, "obj1", "obj2"), _cameras(row)
    recorded = fields.indexed(row.payload.get("obj_aabb"), "metadata_json.obj_aabb")
    boxes: dict[str, Box] = {}
    for n in (1, 2):
        boxes[f"obj{n}"] = fields.box(recorded.get((n,)), f"metadata_json.obj_aabb.obj{n}_aabb")
    floor = floor_under(list(boxes.values()))
    parts = [boxed(k, objects[k], f"metadata_json.objects.{k}", boxes[k], floor) for k in boxes]
    # the gap decides the answer: never shift one of the two
    level = all(p.on_floor for p in parts)
    named_parts, defects = named([replace(p, on_floor=level) for p in parts], row)
    # whether surfaces meet follows from the source's exact shapes; models fitted to recorded boxes may say the opposite
    return Draft(
        named_parts, next(iter(cameras.values())), _as_views(cameras), floor, features=("native_models",), defects=defects
    )  # fmt: skip


def size(row: Row) -> Draft:
    """Two objects of one model at two scales, each with a reference object of its own; the first view that shows one such pair."""
    objects, cameras = _objects(row, "ref_obj1", "ref_obj2", "task_obj1", "task_obj2"), _cameras(row)
    lows = fields.indexed(row.payload.get("task_obj_aabb_min"), "metadata_json.task_obj_aabb_min")
    highs = fields.indexed(row.payload.get("task_obj_aabb_max"), "metadata_json.task_obj_aabb_max")
    boxes: dict[int, Box] = {}
    for n in (1, 2):
        boxes[n] = fields.box([lows.get((n,)), highs.get((n,))], f"metadata_json.task_obj{n}_aabb")
    floor = floor_under(list(boxes.values()))
    parts, missing = [], []
    for n in (1, 2):
        ref, task = objects[f"ref_obj{n}"], objects[f"task_obj{n}"]
        ref_words = words_in(row.question, category_of(ref, f"metadata_json.objects.ref_obj{n}"))
        task_words = words_in(row.question, category_of(task, f"metadata_json.objects.task_obj{n}"))
        missing += [spoken(c) for c, w in ((category_of(ref, ""), ref_words), (category_of(task, ""), task_words)) if not w]
        parts.append(standing(f"ref_obj{n}", ref, f"metadata_json.objects.ref_obj{n}", floor, words=ref_words))
        where = f"metadata_json.objects.task_obj{n}"
        words = f"{task_words} near the {ref_words}" if task_words and ref_words else ""
        part = boxed(f"task_obj{n}", task, where, boxes[n], floor, words=words)
        parts.append(replace(part, size_m=_true_size(objects, boxes, n)))
    defects = (OTHER_OBJECTS,) if missing else ()
    seen = [fields.indexed(row.payload.get(k), f"metadata_json.{k}") for k in ("exist_task_obj", "exist_ref_obj")]
    start = _first(cameras, lambda v: any(all(fields.flag(s.get((p, v))) for s in seen) for p in (1, 2)))
    return Draft(tuple(parts), start, _as_views(cameras), floor, actions=("pick_up",), defects=defects)


def _true_size(objects: dict[str, dict[str, Any]], boxes: dict[int, Box], n: int) -> Vec3:
    """Both objects are one model: its size is read where the object lies straightest, and scaled, so that their ratio is exact."""

    def record(i: int) -> tuple[Any, float]:
        where = f"metadata_json.objects.task_obj{i}"
        task = objects[f"task_obj{i}"]
        scale = fields.number(task.get("scale", 1.0), f"{where}.scale")
        if not 0.01 < scale < 100:
            raise FieldError(f"{where}.scale", f"must be a plausible scale, got {scale:g}.")
        return fields.quat(task.get("quaternion_xyzw"), f"{where}.quaternion_xyzw"), scale

    def straightness(i: int) -> float:
        return sum(max(abs(c) for c in line) for line in rotation_matrix(record(i)[0]))

    best = max((1, 2), key=lambda i: (round(straightness(i), 2), -i))
    quaternion, scale = record(best)
    low, high = boxes[best]
    own = own_size((high[0] - low[0], high[1] - low[1], high[2] - low[2]), quaternion)
    x, y, z = rounded((v / scale * record(n)[1] for v in own), 5)
    return (x, y, z)


def _first(cameras: dict[str, Pose], shows: Any) -> Pose:
    """The first view by number that shows what the runner asks for, else the first."""
    by_number = sorted(cameras.items(), key=lambda item: fields.ordinal(item[0]))
    return next((pose for key, pose in by_number if shows((fields.ordinal(key) or (0,))[0])), by_number[0][1])


def distance(row: Row) -> Draft:
    """Two small objects at corners of a piece of furniture; the first view that shows both."""
    objects, cameras = _objects(row, "obj_far", "obj_near", "obj_ref"), _cameras(row)
    small = [standing(k, objects[k], f"metadata_json.objects.{k}") for k in ("obj_far", "obj_near")]
    parts, defects = named([*small, _reference(row, objects["obj_ref"])], row)
    near, far = (fields.indexed(row.payload.get(k), f"metadata_json.{k}") for k in ("exist_near", "exist_far"))
    start = _first(cameras, lambda v: fields.flag(near.get((v,))) and fields.flag(far.get((v,))))
    tags = {}
    gaps = [fields.number(row.payload.get(k, d), f"metadata_json.{k}") for k, d in (("dist_near_centre", 0), ("dist_far_centre", 1))]
    if gaps[0] >= gaps[1]:
        tags["gold_conflict"] = "distances between centres say the opposite"
    return Draft(parts, start, _as_views(cameras), defects=defects, tags=tags)


def _reference(row: Row, record: dict[str, Any]) -> Part:
    """The reference furniture from two recorded corners of its footprint; a missing side is mirrored about its position."""
    where = "metadata_json.objects.obj_ref"
    category = category_of(record, where)
    at = fields.vec3(record.get("position"), f"{where}.position")
    known: dict[str, float] = {}
    for role in ("near", "far"):
        label = row.payload.get(f"{role}_corner")
        if label not in ("tl", "tr", "bl", "br"):
            raise FieldError(f"metadata_json.{role}_corner", f"must be one of tl, tr, bl, br, got {fields.shown(label)}.")
        corner = fields.numbers(row.payload.get(f"{role}_corner_xy"), 2, f"metadata_json.{role}_corner_xy")
        known[label[1]], known[label[0]] = corner[0], corner[1]
    left, right = _sides(known.get("l"), known.get("r"), at[0])
    bottom, top = _sides(known.get("b"), known.get("t"), at[1])
    if not (0.05 < right - left < 8 and 0.05 < top - bottom < 8):
        raise FieldError("metadata_json.near_corner_xy", "the recorded corners give no footprint.")
    height = TYPICAL_HEIGHT_M.get(category, 0.7)
    return Part(
        key="obj_ref",
        category=category,
        pose=Pose(((left + right) / 2, (bottom + top) / 2, height / 2)),
        size_m=(round(right - left, 4), round(top - bottom, 4), height),
        on_floor=True,
    )


def _sides(low: float | None, high: float | None, middle: float) -> tuple[float, float]:
    if low is None and high is not None:
        low = 2 * middle - high
    if high is None and low is not None:
        high = 2 * middle - low
    return (low or 0.0, high or 0.0)


def transparent(row: Row) -> Draft:
    """A vessel and a small object inside or behind it; the camera ``0.png``."""
    objects, cameras = _objects(row, "obj_container", "obj_small"), _cameras(row)
    boxes = {k: fields.box(objects[k], f"metadata_json.objects.{k}") for k in ("obj_container", "obj_small")}
    base = floor_under([boxes["obj_container"]])
    # the row does not record furniture: where both stand higher than the floor, a plain table carries them (ours)
    floor, parts = (0.0 if base > 0.2 else base), []
    for key, box in boxes.items():
        part = boxed(key, objects[key], f"metadata_json.objects.{key}", box, floor)
        lifted = key == "obj_small" and box[0][2] > base + 0.002  # keep the recorded height inside the vessel
        glass = {"glass": True} if key == "obj_container" and part.category in OPAQUE_TOO else {}
        parts.append(replace(part, on_floor=part.on_floor and not lifted, vessel=key == "obj_container", params=glass))
    named_parts, defects = named(parts, row)
    if base > floor:
        named_parts = (*named_parts, _table(boxes["obj_container"], base))
    start = cameras.get("0.png", next(iter(cameras.values())))
    return Draft(named_parts, start, _as_views(cameras), floor, actions=("pick_up", "put_on_floor"), defects=defects)


def _table(box: Box, top: float) -> Part:
    x, y, _ = centre(box)
    return Part("table", "breakfast_table", Pose((x, y, top / 2)), size_m=(1.2, 0.8, top), on_floor=True, essential=False)


def occlusion(row: Row) -> Draft:
    """A target, an occluder and what they stand on; the first (hard) view of the ring."""
    objects = _objects(row, "target", "occluder")
    ring = fields.keyed(row.payload.get("views"), "metadata_json.views")
    if not ring:
        raise FieldError("metadata_json.views", "is missing; there is no start view.")
    parts, floor = _on_support(objects, "target", "occluder")
    first = min(ring)
    start = fields.pose(ring[first], f"metadata_json.views.{first}")
    recorded = tuple(
        views("ring", {k: {**fields.mapping(v, "metadata_json.views"), "_key": k} for k, v in ring.items()}, "metadata_json.views")
    )
    defects = (*_gold_named(row, parts[0]), *_blocked(parts, start))
    return Draft(tuple(parts), start, recorded, floor, defects=defects, tags=_shifted(parts, objects))


def angle_confusion(row: Row) -> Draft:
    """One object on the floor or on furniture; the first ring view in which it is visible."""
    objects = _objects(row, "target")
    ring = fields.keyed(row.payload.get("views"), "metadata_json.views")
    seen = fields.indexed(row.payload.get("exist_target_obj"), "metadata_json.exist_target_obj")
    level = [(k, fields.mapping(v, f"metadata_json.views.{k}")) for k, v in ring.items()]
    level = [(k, v) for k, v in level if v.get("type") != "topdown"]
    if not level:
        raise FieldError("metadata_json.views", "has no ring view; there is no start view.")
    level.sort(key=lambda item: fields.ordinal(item[0]))
    first = next((kv for kv in level if fields.flag(seen.get((fields.ordinal(kv[0]) or (0,))[:1]))), level[0])
    parts, floor = _on_support(objects, "target")
    recorded = tuple(
        views("ring", {k: {**fields.mapping(v, "metadata_json.views"), "_key": k} for k, v in ring.items()}, "metadata_json.views")
    )
    start = fields.pose(first[1], f"metadata_json.views.{first[0]}")
    defects = (*_gold_named(row, parts[0]), *_blocked(parts, start))
    return Draft(tuple(parts), start, recorded, floor, defects=defects, tags=_shifted(parts, objects))


def _gold_named(row: Row, target: Part) -> tuple[str, ...]:
    """The recorded target must be what the answer names. (It gets no words: they would be the answer.)"""
    if words_in(row.answer, target.category):
        return ()
    return (OTHER_ANSWER,)


def _blocked(parts: list[Part], start: Pose) -> tuple[str, ...]:
    return (INSIDE,) if any(inside(p, start.position_m) for p in parts if p.key != "support") else ()


def _on_support(objects: dict[str, dict[str, Any]], *keys: str) -> tuple[list[Part], float]:
    """The objects in `keys` order, then the furniture they stand on; a floor gives its height instead."""
    support = objects.get("support", {})
    box = fields.box(support, "metadata_json.objects.support") if "aabb_max" in support else None
    on_furniture = box is not None and support.get("category") != "floors"
    floor = round(box[1][2], 3) if box is not None and not on_furniture else 0.0
    floor = 0.0 if abs(floor) < 0.1 else floor
    parts = []
    for key in keys:
        where = f"metadata_json.objects.{key}"
        part = boxed(key, objects[key], where, fields.box(objects[key], where), floor)
        part = replace(part, on_floor=not on_furniture and part.on_floor, essential=key == "target")
        parts.append(_raised(part, box[1][2]) if box is not None and on_furniture else part)
    if box is not None and on_furniture:
        parts.append(boxed("support", support, "metadata_json.objects.support", box, floor, essential=False))
    return parts, floor


def _raised(part: Part, top: float) -> Part:
    """A thing that lies wholly beneath the top of what carries it, in no basin of it, is set on that top: our model's surface is there."""
    x, y, z = part.pose.position_m
    half = part.size_m[2] / 2 if part.size_m else 0.0
    if not top - SUNK_M < z - half < z + half < top:
        return part
    return replace(part, pose=Pose((x, y, round(top + half, 5)), part.pose.quaternion_xyzw))


def _shifted(parts: list[Part], objects: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The tag of a row that has such a thing."""
    moved = [p for p in parts if p.key != "support" and not p.on_floor and _off(p, objects[p.key]) > SAME_M]
    return {SHIFTED: "of what lies within the top of what carries it"} if moved else {}


def _off(part: Part, record: dict[str, Any]) -> float:
    return abs(part.pose.position_m[2] - centre(fields.box(record, "metadata_json.objects"))[2])


READERS = (angle_confusion, distance, line, occlusion, size, touching, transparent, triangle)
"""One per released runner module, named like it."""
