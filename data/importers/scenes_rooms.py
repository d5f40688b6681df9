"""Scenes that fill a room or a building: counting, mirrors, cognitive maps, unobserved change, the walking robot."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from data.importers import fields
from data.importers.drafts import (
    HFOV_DEG,
    OTHER_OBJECTS,
    Draft,
    Part,
    Recorded,
    boxed,
    category_of,
    floor_under,
    model_of,
    named,
    spoken,
    standing,
    views,
    words_in,
)
from data.importers.fields import FieldError
from data.importers.geometry import Box, centre, extent, rotation
from data.importers.rows import Row
from sim_bridge.spec import Pose, Vec3

MIRROR_HALF_WIDTH_M = 0.485
"""Half the width of the one mirror model of the release (greatest half-width recorded)."""
MIRROR_RIM_M = 0.04
"""Width of the frame that does not reflect (ours)."""
EDGE_M = 0.05
"""Distance of a reflection's middle from the mirror's edge at which it clearly counts as inside or outside."""
BEHIND_MIRROR = "the mirror hides the object of the question"
NOT_IN_FIRST_VIEW = "the object of the question is outside the runner's first view"


def _render(row: Row) -> dict[str, Any]:
    return fields.mapping(row.question_data.get("render"), "metadata_json.question_data.render")


def _room_views(render: dict[str, Any]) -> tuple[list[Recorded], tuple[float, float, float, float] | None]:
    multi = render.get("multi_image_input")
    if not isinstance(multi, dict):
        return [], None
    recorded = views("corner", multi.get("views"), "metadata_json.question_data.render.multi_image_input", under="camera_pose")
    box = multi.get("room_bbox_world_xy")
    if box is None:
        return recorded, None
    x0, y0, x1, y1 = fields.numbers(box, 4, "metadata_json.question_data.render.multi_image_input.room_bbox_world_xy")
    return recorded, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def counting(row: Row) -> Draft:
    """Targets, look-alikes and containers as recorded; furniture that hides or divides is built from its recorded box."""
    render = _render(row)
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
    parts: list[Part] = []
    for group, listed in groups.items():
        for i, record in enumerate(listed):
            at = f"{where}.resolved_objects.{group}[{i}]"
            box = fields.box(record.get("bbox"), f"{at}.bbox")
            part = boxed(f"{group}_{i}", record, at, box, floor)
            # recorded as visual-only at a fixed height: some sink into the floor a little
            low = abs(box[0][2] - floor) < 0.12 and not record.get("container_name")
            parts.append(replace(part, on_floor=low, vessel=group == "containers"))
    furniture, anchored = _anchors(row, floor)
    corner_views, room = _room_views(render)
    corner_views += views("closeup", render.get("target_closeups"), where, under="camera_pose")
    features = row.kind.needs
    if row.kind.hidden_by_furniture and not anchored:
        features = (*features, "native_scene")
    return Draft(
        (*parts, *furniture),
        start,
        tuple(corner_views),
        floor,
        actions=("pick_up", "put", "put_back"),
        features=features,
        room_xy=room,
        defects=_count_defects(row, groups["targets"]),
        tags={"task_type": str(row.question_data.get("task_type", ""))[:60]},
    )


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


def _count_defects(row: Row, targets: list[Any]) -> tuple[str, ...]:
    kinds = sorted(
        {category_of(fields.mapping(t, "metadata_json.question_data.render.resolved_objects.targets"), "category") for t in targets}
    )
    wrong = [spoken(k) for k in kinds if not words_in(row.question, k)]
    if wrong:
        return (OTHER_OBJECTS,)
    if not targets:
        return ("the row records no objects to count",)
    return () if str(len(targets)) == row.answer.strip() else ("the row records another number of objects than it answers",)


def mirror(row: Row) -> Draft:
    """A mirror and the things before it, from the recorded camera."""
    data, render = row.question_data, _render(row)
    setup = fields.mapping(data.get("scene_setup"), "metadata_json.question_data.scene_setup")
    where = "metadata_json.question_data.scene_setup.mirror"
    glass = fields.mapping(setup.get("mirror"), where)
    pose = fields.pose(glass, where)
    placed = fields.listing(data.get("placement"), "metadata_json.question_data.placement")
    things = []
    for i, record in enumerate(placed):
        at = f"metadata_json.question_data.placement[{i}]"
        things.append(standing(f"placement_{i}", {**fields.mapping(record, at), "position": record.get("real_position")}, at))
    if not things:
        raise FieldError("metadata_json.question_data.placement", "is empty; a mirror row needs objects.")
    parts, defects = named(things, row)
    start = fields.pose(render.get("camera_pose"), "metadata_json.question_data.render.camera_pose")
    half, contradiction = _mirror_half_width(glass, where, start, placed, things)
    height = max(0.5, 2 * pose.position_m[2] - 0.04)
    # the mirror's own +x axis is its normal (recorded normal and rotation agree in every row)
    size = (0.04, round(2 * (half + MIRROR_RIM_M), 3), round(height, 3))
    frame = Part("mirror", "mirror", pose, size_m=size, essential=False)
    recorded, room = _room_views(render)
    gold_views = render.get("gt_view_input")
    if isinstance(gold_views, dict):
        recorded += views("orbit", gold_views.get("views"), "metadata_json.question_data.render.gt_view_input", under="camera_pose")
    sets = setup.get("render_views")
    for name, listed in (sets if isinstance(sets, dict) else {}).items():
        recorded += views(str(name)[:40], listed, f"metadata_json.question_data.scene_setup.render_views.{name}")
    if row.kind.asks_of_the_image:
        contradiction = (*contradiction, *_not_shown(row, glass, where, start, things[0], half + MIRROR_RIM_M))
    return Draft((*parts, frame), start, tuple(recorded), room_xy=room, defects=(*defects, *contradiction))


def _not_shown(row: Row, glass: dict[str, Any], where: str, start: Pose, thing: Part, half_width: float) -> tuple[str, ...]:
    """The question says that the object is in the image. Rows were made at 100°, the runner shows 63.3°: some objects fall outside. And
    some stand behind the mirror, which hides them: the release does not say how far its mirror reaches down."""
    x, y, z = thing.pose.position_m
    nx, ny = fields.numbers(glass.get("normal_xy"), 2, f"{where}.normal_xy")
    at = fields.vec3(glass.get("position"), f"{where}.position")
    depth = (x - at[0]) * nx + (y - at[1]) * ny
    if row.answer.strip().lower() == "yes":  # what is seen is the image behind the mirror
        x, y = x - 2 * depth * nx, y - 2 * depth * ny
    elif depth < 0:  # mirrored to the front, it is seen exactly where the line of sight to it meets the glass
        before = (x - 2 * depth * nx, y - 2 * depth * ny, z)
        if _reflection_offset(start.position_m, before, at, (nx, ny)) < half_width:
            return (BEHIND_MIRROR,)
    offset = [p - e for p, e in zip((x, y, z), start.position_m, strict=True)]
    right, up, back = (sum(a * o for a, o in zip(axis, offset, strict=True)) for axis in zip(*rotation(start.quaternion_xyzw), strict=True))
    half = math.tan(math.radians(HFOV_DEG / 2))
    shown = back < 0 and abs(right) < -back * half and abs(up) < -back * half * 9 / 16
    return () if shown else (NOT_IN_FIRST_VIEW,)


def _mirror_half_width(
    glass: dict[str, Any], where: str, start: Pose, placed: list[Any], things: list[Part]
) -> tuple[float, tuple[str, ...]]:
    """A width of mirror that shows exactly the reflections recorded as visible from the start; none: the row contradicts itself.

    The release says neither width nor height of its mirror; up to its greatest recorded half-width any cut may be its edge.
    """
    normal = fields.numbers(glass.get("normal_xy"), 2, f"{where}.normal_xy")
    at = fields.vec3(glass.get("position"), f"{where}.position")
    inside, outside = 0.0, MIRROR_HALF_WIDTH_M + 1
    for record, thing in zip(placed, things, strict=True):
        offset = _reflection_offset(start.position_m, thing.pose.position_m, at, normal)
        if record.get("visible_in_mirror", True) is True:
            inside = max(inside, offset)
        else:
            outside = min(outside, offset)
    if inside > MIRROR_HALF_WIDTH_M or inside + 2 * EDGE_M > outside:
        return MIRROR_HALF_WIDTH_M, ("no mirror shows exactly the recorded reflections",)
    return min(MIRROR_HALF_WIDTH_M, (inside + outside) / 2), ()


def _reflection_offset(eye: Vec3, thing: Vec3, at: Vec3, normal: tuple[float, ...]) -> float:
    """Distance from the mirror's middle, along its width, of the point where the eye sees the thing's reflection; infinite behind it."""
    nx, ny = normal
    d_eye = (eye[0] - at[0]) * nx + (eye[1] - at[1]) * ny
    d_thing = (thing[0] - at[0]) * nx + (thing[1] - at[1]) * ny
    if d_eye <= 0 or d_thing <= 0:
        return math.inf
    image = (thing[0] - 2 * d_thing * nx, thing[1] - 2 * d_thing * ny)
    share = d_eye / (d_eye + d_thing)
    hit = (eye[0] + (image[0] - eye[0]) * share - at[0], eye[1] + (image[1] - eye[1]) * share - at[1])
    return abs(-hit[0] * ny + hit[1] * nx)


def cognitivemap(row: Row) -> Draft:
    """A building; the first of the recorded first views."""
    data = row.question_data
    render = fields.mapping(data.get("render", {}), "metadata_json.question_data.render")
    places = [(r, n) for n in ("initial_view", "overview_view", "source_view") for r in (render, data) if isinstance(r.get(n), dict)]
    rooms = [v for r in (render, data) for v in _room_corners(r)]
    if places:
        record, name = places[0]
        start = fields.pose(record[name].get("camera_pose"), f"metadata_json.question_data.{name}.camera_pose")
    elif rooms:
        start = rooms[0].pose
    else:
        raise FieldError("metadata_json.question_data.render.initial_view", "is missing; there is no start view.")
    recorded = list({(v.label, v.pose): v for v in rooms}.values())
    path = data.get("path_views")
    if isinstance(path, dict):
        recorded += views("path", path.get("views"), "metadata_json.question_data.path_views", under="camera_pose")
    floor = fields.number(data.get("floor_z", 0.0), "metadata_json.question_data.floor_z")
    return Draft((), start, tuple(recorded), round(floor, 3), tags={"case_type": str(data.get("case_type", ""))[:60]})


def _room_corners(record: dict[str, Any]) -> list[Recorded]:
    out: list[Recorded] = []
    listed = record.get("room_views")
    for i, room in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(room, dict):
            label = f"room/{str(room.get('_key', i))[:40]}"
            out += views(label, room.get("views"), "metadata_json.question_data.room_views", under="camera_pose")
    return out


def unobserved_changes(row: Row) -> Draft:
    """Open boxes whose contents differ between two phases; the recorded close-up of box 0 in the second phase."""
    data, render = row.question_data, _render(row)
    where = "metadata_json.question_data.boxes"
    boxes = fields.listing(data.get("boxes"), where)
    if not boxes:
        raise FieldError(where, "is empty; a row needs boxes.")
    parts: list[Part] = []
    absent: dict[str, list[str]] = {"phase_1": [], "phase_2": []}
    defects: list[str] = []
    for i, value in enumerate(boxes):
        record = fields.mapping(value, f"{where}[{i}]")
        container = fields.mapping(record.get("container"), f"{where}[{i}].container")
        box = fields.box(container.get("bbox"), f"{where}[{i}].container.bbox")
        label = record.get("position_label")
        words = words_in(row.question, f"{label} box") if isinstance(label, str) else ""
        colour = {"color": label} if label in ("brown", "red", "yellow") else {}
        part = boxed(f"box_{i}", container, f"{where}[{i}].container", box, 0.0, words=words, params=colour, vessel=True)
        parts.append(part)
        if box[0][2] > 0.15:
            parts.append(_stand(f"stand_{i}", box))
        inside = [_content(record.get(f"phase{n}_content"), f"{where}[{i}].phase{n}_content", box) for n in (1, 2)]
        if (
            inside[0] is not None
            and inside[1] is not None
            and (inside[0].category, inside[0].model) == (inside[1].category, inside[1].model)
        ):
            parts.append(replace(inside[0], key=f"content_{i}"))
            continue
        for n, content in enumerate(inside, start=1):
            if content is not None:
                parts.append(replace(content, key=f"content_{i}_{n}"))
                absent[f"phase_{3 - n}"].append(f"content_{i}_{n}")
    start, recorded = _closeups(render)
    return Draft(
        tuple(parts),
        start,
        tuple(recorded),
        phases=tuple((name, tuple(keys)) for name, keys in absent.items()),
        defects=tuple(defects),
        tags={"task_type": str(data.get("task_type", ""))[:60]},
    )


def _stand(key: str, box: Box) -> Part:
    """A plain table under a box that stands on furniture (the row records that furniture's name, not its size)."""
    (x, y, _), (wide, deep, _), top = centre(box), extent(box), box[0][2]
    size = (round(wide + 0.3, 3), round(deep + 0.3, 3), round(top, 3))
    return Part(key, "breakfast_table", Pose((x, y, top / 2)), size_m=size, on_floor=True, essential=False)


def _content(value: Any, where: str, box: Box) -> Part | None:
    """What lies in a box during one phase; absent = empty. The row records its size only: it stands in the middle of the box."""
    if value is None:
        return None
    record = fields.mapping(value, where)
    size = fields.vec3(record.get("bbox_size_m"), f"{where}.bbox_size_m")
    if min(size) <= 0:
        raise FieldError(f"{where}.bbox_size_m", "must be positive.")
    x, y, _ = centre(box)
    wall = 0.02
    room = extent(box)
    if size[0] > room[0] - 2 * wall and size[1] <= room[0] - 2 * wall and size[0] <= room[1] - 2 * wall:
        pose = Pose((x, y, box[0][2] + wall), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))  # fits only when turned
    else:
        pose = Pose((x, y, box[0][2] + wall))
    return Part("", category_of(record, where), pose, size_m=size, base=True, model=model_of(record))


def _closeups(render: dict[str, Any]) -> tuple[Pose, list[Recorded]]:
    """Start view and all recorded views. One released row has no close-ups of the second phase: then those of the first serve, or the
    overview."""
    gold = fields.mapping(render.get("gt_view", {}), "metadata_json.question_data.render.gt_view")
    shots: dict[str, list[Recorded]] = {}
    for name in ("image2", "image1"):
        listed = gold.get(name)
        where = f"metadata_json.question_data.render.gt_view.{name}.images"
        if isinstance(listed, dict):
            shots[name] = views(f"closeup/{name}", listed.get("images"), where, under="camera_pose")
    for name, value in fields.keyed(render.get("image"), "metadata_json.question_data.render.image").items():
        overview = value.get("camera_poses") if isinstance(value, dict) else None
        shots[f"overview/{name}"] = views(f"overview/{str(name)[:20]}", overview, "metadata_json.question_data.render.image")
    recorded = [v for listed in shots.values() for v in listed]
    if not recorded:
        raise FieldError("metadata_json.question_data.render.gt_view.image2.images", "is missing; there is no start view.")
    return recorded[0].pose, recorded


def multiagent(row: Row) -> Draft:
    """Hidden objects and a robot; the observer's last recorded view. The walk is in the source."""
    payload = row.payload
    objects = fields.keyed(payload.get("objects_meta"), "metadata_json.objects_meta")
    boxes = {
        k: fields.box(fields.mapping(v, f"metadata_json.objects_meta.{k}"), f"metadata_json.objects_meta.{k}") for k, v in objects.items()
    }
    floor = floor_under([b for k, b in boxes.items() if objects[k].get("placed_on", "floor") == "floor"])
    parts = [boxed(k, objects[k], f"metadata_json.objects_meta.{k}", b, floor) for k, b in boxes.items()]
    poses = fields.keyed(payload.get("observer_poses"), "metadata_json.observer_poses")
    if not poses:
        raise FieldError("metadata_json.observer_poses", "is missing; there is no start view.")
    last = max(poses, key=fields.ordinal)
    navigation = fields.mapping(payload.get("navigation"), "metadata_json.navigation")
    x, y = fields.numbers(navigation.get("final_xy"), 2, "metadata_json.navigation.final_xy")
    steps = fields.listing(payload.get("step_log"), "metadata_json.step_log")
    turned = (0.0, 0.0, 0.0, 1.0)
    if steps:
        last_step = fields.mapping(steps[-1], "metadata_json.step_log")
        turned = fields.quat(last_step.get("robot_quat_xyzw"), "metadata_json.step_log.robot_quat_xyzw")
    top = fields.number(payload.get("robot_bbox_top_z", 1.7), "metadata_json.robot_bbox_top_z")
    robot = Part("robot", "robot", Pose((x, y, floor), turned), base=True, height_m=round(max(0.5, top - floor), 3), on_floor=True)
    start = fields.pose(poses[last], f"metadata_json.observer_poses.{last}")
    recorded = views(
        "observer", [{**fields.mapping(v, "metadata_json.observer_poses"), "_key": k} for k, v in poses.items()], "metadata_json"
    )
    wrong = sorted({spoken(p.category) for p in parts if not words_in(row.question, p.category)})
    return Draft(
        (*parts, robot),
        start,
        tuple(recorded),
        floor,
        defects=(OTHER_OBJECTS,) if wrong else (),
    )


READERS = (cognitivemap, counting, mirror, multiagent, unobserved_changes)
"""One per released runner module, named like it."""
