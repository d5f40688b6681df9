"""Scenes in which time passes: what changed between two visits, and a robot that walks before the observer."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from data.fidelity import SHIFTED
from data.importers import fields
from data.importers.drafts import (
    OTHER_OBJECTS,
    Draft,
    Part,
    Recorded,
    Time,
    boxed,
    category_of,
    floor_under,
    model_of,
    spoken,
    views,
    words_in,
)
from data.importers.fields import FieldError
from data.importers.geometry import Box, Point, centre, extent, off_way_m, straightened
from data.importers.room_views import render_of
from data.importers.rows import Row
from sim_bridge.rotations import about_z
from sim_bridge.spec import Pose

LIDDED = ("cedar_chest",)
"""Boxes that stand open: their contents are looked at, and nothing is opened in these rows."""
NO_WALK = "the row records no walk of the robot"
OTHER_WALK = "the recorded walk passes another number of objects than the row answers"
WAY_TOLERANCE_M = 0.01
"""The robot's way is told by as few corners as keep it within this distance of every recorded place."""
PACE_M = 0.5
"""Way of the robot with every action (ours: the release shows the end of the walk only)."""
WALK_ACTIONS = 20
"""A long walk is made quicker, so that it ends within so many actions and some are left to look."""


def unobserved_changes(row: Row) -> Draft:
    """Open boxes whose contents differ between two phases; the recorded close-up of box 0 in the second phase."""
    data, render = row.question_data, render_of(row)
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
        lid = {"open": True} if category_of(container, f"{where}[{i}].container") in LIDDED else {}
        part = boxed(f"box_{i}", container, f"{where}[{i}].container", box, 0.0, words=words, params=colour | lid, vessel=True)
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
        phases=tuple(Time(name, tuple(keys)) for name, keys in absent.items()),
        defects=tuple(defects),
        tags={"task_type": str(data.get("task_type", ""))[:60], SHIFTED: "of what lies in the boxes"},
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
    """Hidden objects, and a robot that walks its recorded way while the observer acts; the observer's last recorded view.

    The release shows the end of the walk alone. What it asks about is the walk, so here the robot sets out where it is recorded to have
    begun (at the observer's place) and goes on with every action.
    """
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
    start = fields.pose(poses[last], f"metadata_json.observer_poses.{last}")
    recorded = views(
        "observer", [{**fields.mapping(v, "metadata_json.observer_poses"), "_key": k} for k, v in poses.items()], "metadata_json"
    )
    way = _way(payload)
    top = fields.number(payload.get("robot_bbox_top_z", 1.7), "metadata_json.robot_bbox_top_z")
    robot = _robot(way, floor, round(max(0.5, top - floor), 3))
    wrong = sorted({spoken(p.category) for p in parts if not words_in(row.question, p.category)})
    defects = [OTHER_OBJECTS] if wrong else []
    if len(way) < 2:
        defects.append(NO_WALK)
    elif not _passes(row, way, parts):
        defects.append(OTHER_WALK)
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
    pace = robot.params.get("step_m", PACE_M)
    steps = math.ceil(round(length / pace, 3))
    return Draft(
        (*parts, robot),
        start,
        tuple(recorded),
        floor,
        actions=("wait",),
        walked=tuple(way),
        defects=tuple(defects),
        note=f"The robot walks while you act: {pace:g} m with each of your first {steps} actions. Then it stands still.",
        tags={"walk_m": f"{length:.2f}"},
    )


def _way(payload: dict[str, Any]) -> list[Point]:
    """Where the robot went, from the record of its steps."""
    steps = fields.listing(payload.get("step_log", []), "metadata_json.step_log")
    places: list[Point] = []
    for i, step in enumerate(steps):
        x, y = fields.numbers(
            fields.mapping(step, f"metadata_json.step_log[{i}]").get("robot_xy"), 2, f"metadata_json.step_log[{i}].robot_xy"
        )
        if not places or math.dist(places[-1], (x, y)) > WAY_TOLERANCE_M:
            places.append((x, y))
    return straightened(places, WAY_TOLERANCE_M)


def _robot(way: list[Point], floor_m: float, height_m: float) -> Part:
    """The robot at the beginning of its way, looking along it (its front faces −y where it is not turned)."""
    params: dict[str, Any] = {}
    x, y, yaw = 0.0, 0.0, 0.0
    if way:
        x, y = way[0]
    if len(way) > 1:
        length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
        yaw = math.atan2(way[1][1] - y, way[1][0] - x) + math.pi / 2
        params = {"path": [[round(v, 4) for v in p] for p in way[1:]], "step_m": round(max(PACE_M, length / WALK_ACTIONS), 3)}
    return Part("robot", "robot", Pose((x, y, floor_m), about_z(yaw)), base=True, height_m=height_m, on_floor=True, params=params)


def _passes(row: Row, way: list[Point], parts: list[Part]) -> bool:
    """Whether the walk comes within the asked distance of as many things as the row answers."""
    near = fields.number(row.payload.get("proximity_thresh", 1.0), "metadata_json.proximity_thresh")
    passed = sum(min(off_way_m(p.pose.position_m[:2], a, b) for a, b in itertools.pairwise(way)) < near for p in parts)
    letters = row.options if isinstance(row.options, dict) else {}
    return str(passed) == str(letters.get(row.answer, row.answer)).strip()


READERS = (multiagent, unobserved_changes)
"""One per released runner module, named like it."""
