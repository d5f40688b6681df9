"""Scenes in which things of one kind are counted: hidden, divided, merged, among look-alikes, in containers, in two lights."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from data.fidelity import SUBSTITUTED
from data.importers import fields
from data.importers.drafts import (
    OTHER_OBJECTS,
    Draft,
    Part,
    Time,
    boxed,
    category_of,
    floor_under,
    spoken,
    views,
    words_in,
)
from data.importers.fields import FieldError
from data.importers.room_views import render_of, room_views
from data.importers.rows import Row
from sim_bridge.spec import Pose

NO_OBJECTS = "the row records no objects to count"
OTHER_NUMBER = "the row records another number of objects than it answers"
ONE_PLACE = "two of the objects to count stand in one place"
ONE_PLACE_M = 0.02
"""Middles nearer than that are one place: nobody can count what stands in each other."""
STACKED = "objects to count lie on each other, at the height of another kind of object"
LAYER_M = 0.03
"""What lies higher than the lowest by more lies on something."""
STACKS = re.compile(r"(?:^|_)(?:box|boxed|carton|can|tin|pack)(?:_|$)")
"""Kinds that lie on each other as high as the row has its layers: packages, which come in many sizes."""
LIGHTS = {"normal": "day", "changed": "dim"}
"""A row's word for the light → ours. That the light goes down to a few hundredths is the data set's rule; how far in this row, and by
which lamps, is not recorded."""
TWO_LIGHTS = "There are two parts. Between them the light changes and nothing else; you cannot go back to part 1."


def counting(row: Row) -> Draft:
    """Targets, look-alikes and containers as recorded; furniture that hides or divides is built from its recorded box.

    Most rows ask for one kind and load another (a club sandwich) in its place: here the kind that is asked for stands at the recorded
    places, at its own size, and the exchange is reported.
    """
    render = render_of(row)
    where = "metadata_json.question_data.render"
    image = fields.text(render.get("image"), f"{where}.image", longest=400).rsplit("/", 1)[-1]
    cameras = fields.keyed(render.get("camera_poses"), f"{where}.camera_poses")
    if image not in cameras:
        raise FieldError(f"{where}.camera_poses", f"has no entry for {fields.shown(image)}; there is no start view.")
    start = fields.pose(cameras[image], f"{where}.camera_poses.{image}")
    resolved = fields.mapping(render.get("resolved_objects", {}), f"{where}.resolved_objects")
    groups = {g: fields.listing(resolved.get(g, []), f"{where}.resolved_objects.{g}") for g in ("targets", "confusers", "containers")}
    boxes = [
        fields.box(fields.mapping(o, f"{where}.resolved_objects").get("bbox"), f"{where}.resolved_objects.bbox")
        for g, listed in groups.items() if g != "targets" or not groups["containers"] for o in listed
    ]  # fmt: skip
    floor = floor_under(boxes)
    asked = _asked(row)
    lowest = min((fields.box(t.get("bbox"), f"{where}.bbox")[0][2] for t in groups["targets"] if isinstance(t, dict)), default=floor)
    parts: list[Part] = []
    for group, listed in groups.items():
        for i, record in enumerate(listed):
            at = f"{where}.resolved_objects.{group}[{i}]"
            box = fields.box(record.get("bbox"), f"{at}.bbox")
            part = boxed(f"{group}_{i}", record, at, box, floor)
            # recorded as visual-only at a fixed height: some sink into the floor a little
            low = abs(box[0][2] - floor) < 0.12 and not record.get("container_name")
            if group == "targets":
                low = low and box[0][2] < lowest + LAYER_M
                part = _as_asked(part, asked, box[0][2])
            parts.append(replace(part, on_floor=low, base=part.base and not low, vessel=group == "containers"))
    parts = _layered(parts, asked)
    recorded = {spoken(category_of(t, f"{where}.resolved_objects.targets")) for t in groups["targets"]}
    stood_in = sorted(recorded - {spoken(asked)}) if asked else []
    furniture, anchored = _anchors(row, floor)
    corner_views, room = room_views(render)
    corner_views += views("closeup", render.get("target_closeups"), where, under="camera_pose")
    features = row.kind.needs
    if row.kind.hidden_by_furniture and not anchored:
        features = (*features, "native_scene")
    lit = _lights(cameras)
    if lit and "light_change" in features:
        features = ("phases", "phase_light")
    tags = {"task_type": str(row.question_data.get("task_type", ""))[:60]}
    if stood_in:
        tags[SUBSTITUTED] = ", ".join(stood_in)[:200]
    return Draft(
        (*parts, *furniture),
        start,
        tuple(corner_views),
        floor,
        actions=("pick_up", "put", "put_back", *(("open", "close") if groups["containers"] else ())),
        features=features,
        phases=lit,
        note=TWO_LIGHTS if lit else "",
        room_xy=room,
        defects=_defects(row, [p for p in parts if p.key.startswith("targets_")]),
        tags=tags,
    )


def _asked(row: Row) -> str:
    """The category that the question counts, as the row records it; empty where the question does not name it."""
    record = row.question_data.get("count_object")
    category = record.get("category") if isinstance(record, dict) else None
    return category if isinstance(category, str) and words_in(row.question, category) else ""


def _as_asked(part: Part, asked: str, low_m: float) -> Part:
    """A target as the kind that is asked for; another than the recorded one keeps the place, and its size is the catalogue's."""
    if not asked or asked == part.category:
        return part
    x, y, _ = part.pose.position_m
    standing = Pose((x, y, low_m), part.pose.quaternion_xyzw)
    return replace(part, category=asked, pose=standing, size_m=None, base=True, model=None)


def _layered(parts: list[Part], asked: str) -> list[Part]:
    """Targets of another kind than recorded that lie on each other, as high as the layers are apart; others as they are."""
    targets = [p for p in parts if p.key.startswith("targets_") and p.size_m is None]
    apart = [abs(a.pose.position_m[2] - b.pose.position_m[2]) for i, a in enumerate(targets) for b in targets[:i] if _one_place(a, b)]
    if not apart or min(apart) < LAYER_M or not STACKS.search(asked):
        return parts
    return [replace(p, height_m=round(min(apart), 4)) if p in targets else p for p in parts]


def _one_place(a: Part, b: Part) -> bool:
    return math.dist(a.pose.position_m[:2], b.pose.position_m[:2]) < ONE_PLACE_M


def _lights(cameras: dict[str, Any]) -> tuple[Time, ...]:
    """The two lights that a row records, the normal one first; empty where it does not record both."""
    recorded = {c.get("lighting_phase") for c in cameras.values() if isinstance(c, dict)}
    return tuple(Time(name, lighting=light) for name, light in LIGHTS.items()) if set(LIGHTS) <= recorded else ()


def _anchors(row: Row, floor: float) -> tuple[list[Part], bool]:
    """Furniture that hides or divides the targets, and whether every target has its own recorded."""
    cases = row.question_data.get("case_metadata")
    entries = cases.get("source_entries") if isinstance(cases, dict) else None
    found: dict[str, Part] = {}
    complete = bool(entries)
    for i, entry in enumerate(entries if isinstance(entries, list) else []):
        where = f"metadata_json.question_data.case_metadata.source_entries[{i}].metadata.anchor_object"
        metadata = entry.get("metadata") if isinstance(entry, dict) else None
        anchor = metadata.get("anchor_object") if isinstance(metadata, dict) else None
        if not isinstance(anchor, dict) or "bbox" not in anchor:
            complete = False
            continue
        name = str(anchor.get("name", f"anchor_{i}"))[:100]
        if name not in found:
            part = boxed(name, anchor, where, fields.box(anchor["bbox"], f"{where}.bbox"), floor, essential=False)
            found[name] = replace(part, key=f"anchor_{name}")
    return list(found.values()), complete


def _defects(row: Row, targets: list[Part]) -> tuple[str, ...]:
    if any(not words_in(row.question, t.category) for t in targets):
        return (OTHER_OBJECTS,)
    if not targets:
        return (NO_OBJECTS,)
    if str(len(targets)) != row.answer.strip():
        return (OTHER_NUMBER,)
    over = [a for i, a in enumerate(targets) for b in targets if a is not b and _one_place(a, b)]
    if any(t.on_floor for t in over) and any(t.size_m is None and t.height_m is None for t in over):
        return (STACKED,)
    places = [t.pose.position_m for t in targets]
    near = any(math.dist(a, b) < ONE_PLACE_M for i, a in enumerate(places) for b in places[:i])
    return (ONE_PLACE,) if near else ()


READERS = (counting,)
"""One per released runner module, named like it."""
