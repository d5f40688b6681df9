"""Scenes that fill a room or a building: mirrors, cognitive maps."""

from __future__ import annotations

import math
from typing import Any

from data.importers import fields
from data.importers.drafts import (
    HFOV_DEG,
    Draft,
    Part,
    Recorded,
    named,
    standing,
    views,
)
from data.importers.fields import FieldError
from data.importers.room_views import render_of, room_views
from data.importers.rows import Row
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Pose, Vec3

MIRROR_HALF_WIDTH_M = 0.485
"""Half the width of the one mirror model of the release (greatest half-width recorded)."""
MIRROR_RIM_M = 0.04
"""Width of the frame that does not reflect (ours)."""
EDGE_M = 0.05
"""Distance of a reflection's middle from the mirror's edge at which it clearly counts as inside or outside."""
BEHIND_MIRROR = "the mirror hides the object of the question"
NOT_IN_FIRST_VIEW = "the object of the question is outside the runner's first view"


def mirror(row: Row) -> Draft:
    """A mirror and the things before it, from the recorded camera."""
    data, render = row.question_data, render_of(row)
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
    recorded, room = room_views(render)
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
    axes = zip(*rotation_matrix(start.quaternion_xyzw), strict=True)
    right, up, back = (sum(a * o for a, o in zip(axis, offset, strict=True)) for axis in axes)
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


READERS = (cognitivemap, mirror)
"""One per released runner module, named like it."""
