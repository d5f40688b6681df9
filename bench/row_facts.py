"""What released rows record of where their things are and of what is seen, read from the row's own source and not by the importer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from data.importers import fields
from data.importers.fields import FieldError
from data.task import Task
from sim_bridge.spec import Pose, Vec3


@dataclass(frozen=True)
class Fact:
    """One thing as its row records it."""

    category: str
    middle: Vec3
    box: tuple[Vec3, Vec3] | None = None
    """None: only where its root is."""
    stands_in: bool = False
    """Whether another kind was loaded in its place: then only its place is recorded."""


def facts(task: Task) -> list[Fact]:
    """What a row records of where its things are; empty where it records nothing that can be compared."""
    return list(_FACTS.get(task.source["runner_task"], _none)(task.source["metadata"]))


def _none(payload: dict[str, Any]) -> Iterator[Fact]:
    return iter(())


def _boxed(record: dict[str, Any], box: Any) -> Fact:
    low, high = fields.box(box, "box")
    middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
    return Fact(str(record.get("category", record.get("cat"))), msgspec.convert(middle, Vec3), (low, high))


def _of_objects(payload: dict[str, Any]) -> Iterator[Fact]:
    for key, record in fields.keyed(payload.get("objects"), "objects").items():
        if record.get("model") == "scene_native" or key == "support":
            continue
        if "aabb_min" in record:
            yield _boxed(record, record)
        else:
            yield Fact(record["category"], fields.vec3(record["position"], "position"))


def _of_sizes(payload: dict[str, Any]) -> Iterator[Fact]:
    lows, highs = (fields.indexed(payload.get(f"task_obj_aabb_{end}"), end) for end in ("min", "max"))
    for key, record in fields.keyed(payload.get("objects"), "objects").items():
        number = fields.ordinal(key)
        yield (
            _boxed(record, [lows[number], highs[number]])
            if key.startswith("task") and number in lows
            else Fact(record["category"], fields.vec3(record["position"], "position"))
        )


def _of_counts(payload: dict[str, Any]) -> Iterator[Fact]:
    data = payload["question_data"]
    asked = data.get("count_object", {}).get("category")
    for group, listed in data["render"].get("resolved_objects", {}).items():
        for record in listed if group in ("targets", "confusers", "containers") else ():
            found = _boxed(record, record["bbox"])
            swapped = group == "targets" and asked and asked != found.category
            yield replace(found, category=asked, stands_in=True) if swapped else found


def _of_mirror(payload: dict[str, Any]) -> Iterator[Fact]:
    for record in payload["question_data"].get("placement", []):
        yield Fact(record["category"], fields.vec3(record["real_position"], "position"))


def _of_cloth(payload: dict[str, Any]) -> Iterator[Fact]:
    yield _boxed(payload["small_item"], payload["small_item"]["bbox_after_cover"])


def _of_walk(payload: dict[str, Any]) -> Iterator[Fact]:
    for record in fields.keyed(payload.get("objects_meta"), "objects_meta").values():
        yield _boxed(record, record)


def _of_containers(payload: dict[str, Any]) -> Iterator[Fact]:
    poses = fields.keyed(payload.get("initial_poses"), "initial_poses")
    records = {"obj_containee": payload["containee"]}
    records |= {f"obj_container_{c.get('idx')}": c for c in fields.keyed(payload.get("containers"), "containers").values()}
    for key, record in records.items():
        if key in poses:
            yield _boxed(record, poses[key])


def _of_boxes(payload: dict[str, Any]) -> Iterator[Fact]:
    for record in payload["question_data"]["boxes"]:
        yield _boxed(record["container"], record["container"]["bbox"])


def _of_poses(payload: dict[str, Any]) -> Iterator[Fact]:
    poses = fields.keyed(payload.get("initial_poses"), "initial_poses")
    for key, record in fields.keyed(payload.get("objects"), "objects").items():
        if key in poses:
            yield _boxed(record, poses[key])


_FACTS = {
    "triangle": _of_objects, "line": _of_objects, "distance": _of_objects, "transparent": _of_objects, "occlusion": _of_objects,
    "angle_confusion": _of_objects, "size": _of_sizes, "counting": _of_counts, "mirror": _of_mirror, "deformable": _of_cloth,
    "multiagent": _of_walk, "unobserved_changes": _of_boxes, "action": _of_poses,
    "storage": _of_containers,
}  # fmt: skip


def seen(task: Task) -> list[tuple[Pose, str, Vec3 | None]]:
    """(camera, category, place) of what a row says is visible from its own cameras."""
    payload, runner = task.source["metadata"], task.source["runner_task"]
    found = []
    try:
        for camera, record in _SEEN.get(runner, _nothing)(payload):
            place = record.get("position", record.get("target_position"))
            found.append((camera, record.get("category", ""), fields.vec3(place, "position") if place is not None else None))
    except (FieldError, KeyError):
        return []
    return found


def _nothing(payload: dict[str, Any]) -> Iterator[tuple[Pose, dict[str, Any]]]:
    return iter(())


def _by_number(payload: dict[str, Any], cameras: str, flags: dict[str, str]) -> Iterator[tuple[Pose, dict[str, Any]]]:
    """Views numbered in their keys, and flags by thing and number."""
    objects = fields.keyed(payload.get("objects"), "objects")
    for key, record in fields.keyed(payload.get(cameras), cameras).items():
        number = fields.ordinal(key)[:1]
        for name, of in flags.items():
            if fields.flag(fields.indexed(payload.get(of), of).get(number)) and record.get("type") != "topdown":
                yield fields.pose(record, key), objects[name]


def _closeups(payload: dict[str, Any]) -> Iterator[tuple[Pose, dict[str, Any]]]:
    for record in payload["question_data"]["render"].get("target_closeups", []):
        if record.get("visibility", {}).get("is_visible") is True:
            yield fields.pose(record["camera_pose"], "camera_pose"), record


_SEEN: Mapping[str, Callable[[dict[str, Any]], Iterator[tuple[Pose, dict[str, Any]]]]] = {
    "distance": lambda p: _by_number(p, "camera_poses", {"obj_near": "exist_near", "obj_far": "exist_far"}),
    "transparent": lambda p: _by_number(p, "camera_poses", {"obj_container": "exist_obj_container", "obj_small": "exist_obj_small"}),
    "occlusion": lambda p: _by_number(p, "views", {"target": "exist_target_obj", "occluder": "exist_occluder_obj"}),
    "angle_confusion": lambda p: _by_number(p, "views", {"target": "exist_target_obj"}),
    "counting": _closeups,
}
