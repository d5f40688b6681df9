"""Questions against their scene and against each other."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.checks.payload import data_of, meta, names, objects, plain, question, rules_by_kind, tells
from annotation.auditing.checks.records import COUNTING
from data.importers import fields
from data.task import Task
from sim_bridge.spec import Object, Pose

SAME_M = 0.02
"""Things of two rows stand in the same place where they are no farther apart along any axis."""


def _unnamed(row: Row, categories: list[str]) -> str | None:
    missing = sorted({plain(category) for category in categories if not names(row, category)})
    if not missing:
        return None
    there = ", ".join(sorted({plain(category) for category in categories}))
    absent = ", ".join(missing)
    return f"The question asks {question(row)[:160]!r}, but the things of the scene are {there}: it does not name the {absent}."


def _keys(*keys: str) -> Any:
    @tells
    def rule(row: Row) -> str | None:
        return _unnamed(row, [objects(row)[key]["category"] for key in keys])

    return rule


@tells
def _size(row: Row) -> str | None:
    return _unnamed(row, [objects(row)[key]["category"] for key in ("ref_obj1", "ref_obj2", "task_obj1")])


@tells
def _slope(row: Row) -> str | None:
    return _unnamed(row, [objects(row)["task_obj"]["category"]])


@tells
def _stack(row: Row) -> str | None:
    return _unnamed(row, list(meta(row)["object_categories"]))


@tells
def _pour(row: Row) -> str | None:
    return _unnamed(row, [meta(row)["left_category"], meta(row)["right_category"]])


@tells
def _storage(row: Row) -> str | None:
    payload = meta(row)
    if "each object" not in question(row):
        return _unnamed(row, [payload["containee"]["cat"]])
    there = [payload["containee"]["cat"], *(extra["cat"] for extra in fields.keyed(payload.get("extras"), "extras").values())]
    asked = [line[2:].strip() for line in question(row).splitlines() if line.startswith("- ")]
    if absent := [item for item in asked if plain(item) not in map(plain, there)]:
        return f"The question asks for the {absent[0]}, but the things of the scene are {', '.join(map(plain, there))}."
    return None


@tells
def _containers(row: Row) -> str | None:
    there = {plain(c["cat"]) for c in fields.keyed(meta(row)["containers"], "containers").values()}
    for option in row.raw["options"]:
        said = plain(option)
        if said not in there and said.partition(" ")[2] not in there:
            return f"The option {option!r} names no container of the scene: they are {', '.join(sorted(there))}."
    return None


@tells
def _hierarchy(row: Row) -> str | None:
    hierarchy = meta(row)["hierarchy"]
    return _unnamed(row, [hierarchy[key] for key in ("obj_A_cat", "obj_C_cat", "obj_fixed_cat")])


@tells
def _counted(row: Row) -> str | None:
    placed = [thing["category"] for thing in data_of(row)["render"]["resolved_objects"].get("targets", [])]
    asked = re.search(r'category "([^"]+)"', question(row))
    if placed and asked and any(plain(category) != plain(asked.group(1)) for category in placed):
        found = ", ".join(f"{placed.count(c)} × {plain(c)}" for c in sorted(set(placed)))
        return f"The question asks for {plain(asked.group(1))!r}; what the row places to be counted is {found}."
    return None


@tells
def _mirrored(row: Row) -> str | None:
    return _unnamed(row, [thing["category"] for thing in data_of(row)["placement"]])


@tells
def _walked(row: Row) -> str | None:
    return _unnamed(row, [meta(row)["object_category"]])


@tells
def _regional(row: Row) -> str | None:
    inner = data_of(row)
    if inner["case_type"] == "objects_same_region":
        return None
    return _unnamed(row, [inner.get("object_category") or inner["object_name"]])


@tells
def _rooms(row: Row) -> str | None:
    inner = data_of(row)
    path = inner.get("graph_shortest_region_path") or inner["path_views"]["room_sequence"]
    ends = [room for room in (path[0], path[-1]) if plain(room) not in plain(question(row))]
    return f"The question does not name {ends[0]}, an end of the recorded path {' > '.join(path)}." if ends else None


_NAMED = {
    ("Spatial Relations", "Geometric Configuration"): _keys("obj1", "obj2", "obj3"),
    ("Spatial Relations", "Linear Alignment"): _keys("obj1", "obj2", "obj3"),
    ("Spatial Relations", "Physical Contact"): _keys("obj1", "obj2"),
    ("Metric Comparison", "Dimensional Size"): _size,
    ("Metric Comparison", "Spatial Distance"): _keys("obj_near", "obj_far", "obj_ref"),
    ("Perceptual Grounding", "Material Transparency"): _keys("obj_small", "obj_container"),
    ("Perceptual Grounding", "Partial Occlusion"): _keys("target"),
    ("Perceptual Grounding", "View Hallucination"): _keys("target"),
    ("Physical Dynamics", "Inclined Plane"): _slope,
    ("Physical Dynamics", "Stacking & Stability"): _stack,
    ("Physical Structure", "Liquid Volume"): _pour,
    ("Physical Structure", "Rigid Containment"): _storage,
    ("Action Sequencing", "Action Order Inference"): _hierarchy,
    ("Specular Reflection", "Correspondence"): _mirrored,
    ("Specular Reflection", "Reflection Authoring"): _mirrored,
    ("Specular Reflection", "Spatial Relations"): _mirrored,
    ("Temporal Understanding", "Agent Observation"): _walked,
    ("Cognitive Mapping", "Regional Boundary"): _regional,
    ("Cognitive Mapping", "Connectivity"): _rooms,
    ("Cognitive Mapping", "Traversable Passage"): _rooms,
    **{("Enumerative Perception", name): _counted for name in COUNTING},
}


@tells
def _occluder(row: Row) -> str | None:
    things = objects(row)
    occluder, target = plain(things["occluder"]["category"]), plain(things["target"]["category"])
    options = {plain(option) for option in row.raw["options"]}
    if occluder in options:
        same = "it is of the same category" if occluder == target else "it is one of the options"
        return f"What hides the {target} is itself a {occluder}, before it: {same}, so that the question has no one answer."
    return None


@tells
def _uncovered(row: Row) -> str | None:
    def first(name: str) -> bool:
        found = fields.indexed(meta(row)[name], name)
        value = found[min(found)]
        return value is True

    if first("exist_target_obj") and not first("exist_occluder_obj"):
        return "By the recorded masks the start view shows the target and nothing of what should hide it."
    return None


TURNED = 0.9995
"""Two things are turned alike from this absolute product of their quaternions (about 4°)."""


def _ordered(task: Task) -> list[Object]:
    return sorted(task.scene.objects, key=lambda o: (o.category, o.model or "", o.pose.position_m))


def _same_pose(one: Pose, other: Pose) -> bool:
    turned = abs(sum(a * b for a, b in zip(one.quaternion_xyzw, other.quaternion_xyzw, strict=True)))
    return math.dist(one.position_m, other.position_m) <= SAME_M and turned >= TURNED


def _same_world(one: Task, other: Task) -> bool:
    first, second = _ordered(one), _ordered(other)
    if len(first) != len(second) or (not first and not _same_pose(one.start, other.start)):
        return False
    if (one.scene.house, one.scene.lighting, one.scene.phases) != (other.scene.house, other.scene.lighting, other.scene.phases):
        return False
    for a, b in zip(first, second, strict=True):
        if (a.category, a.model, a.size_m, a.scale, a.params) != (b.category, b.model, b.size_m, b.scale, b.params):
            return False
        if not _same_pose(a.pose, b.pose):
            return False
    return True


def _alike(audited: Audited) -> Iterator[tuple[Row, Row]]:
    """Pairs of rows that ask the same of the same things in the same place: (an earlier one, a later one); every later row once."""
    groups: dict[Any, list[tuple[Row, Task]]] = defaultdict(list)
    for row, task in audited.tasks:
        if task.shown:
            continue
        things = tuple(sorted(o.category for o in task.scene.objects))
        groups[row.kind, plain(task.question.text), task.scene.source_scene, task.scene.source_room, things].append((row, task))
    for rows in groups.values():
        for n, (row, task) in enumerate(rows):
            for earlier, other in rows[:n]:
                if _same_world(task, other):
                    yield earlier, row
                    break


def _gold(task: Task) -> list[str]:
    """All accepted answers, in the words of the options."""
    return sorted(map(str, task.gold.accepted))


def _exact(one: Row, other: Row) -> bool:
    left, right = ({k: v for k, v in row.raw.items() if k != "id"} for row in (one, other))
    return bool(left) and left == right


def _near_duplicate(audited: Audited) -> Iterator[Finding]:
    for earlier, row in _alike(audited):
        assert row.task is not None and earlier.task is not None
        if _gold(row.task) == _gold(earlier.task) and not _exact(earlier, row):
            yield Finding(
                row,
                f"Asks the same as row {earlier.row_id} ({earlier.file or 'in the store'}) of the same things in the same places "
                f"(within {SAME_M:.2f} m), with the same gold.",
                (earlier.row_id,),
            )


def _opposite(audited: Audited) -> Iterator[Finding]:
    told: set[int] = set()
    for earlier, row in _alike(audited):
        assert row.task is not None and earlier.task is not None
        one, other = _gold(earlier.task), _gold(row.task)
        if one == other or not _same_pose(earlier.task.start, row.task.start):
            continue
        for found, own, against, theirs in ((row, other, earlier, one), (earlier, one, row, other)):
            if id(found) not in told:
                told.add(id(found))
                yield Finding(
                    found,
                    f"Row {against.row_id} ({against.file or 'in the store'}) asks the same of the same things in the same places, and "
                    f"its gold is {', '.join(theirs)}, not {', '.join(own)}.",
                    (against.row_id,),
                )


CHECKS = (
    Check(
        id="question-names-absent",
        severity="error",
        about="Questions that do not name the things which their row places (or name others): what is asked about is not in the scene. "
        "Words count as a name with blanks or underscores and in the plural.",
        fix="Ask about what is there, or leave the row out.",
        look=rules_by_kind(_NAMED),
    ),
    Check(
        id="option-names-absent",
        severity="warning",
        about="Rigid Containment: options whose words are those of no container of the scene (“medium container” for a toy box).",
        fix="Write the options with the containers' own names.",
        look=rules_by_kind({("Physical Structure", "Rigid Containment"): _containers}),
    ),
    Check(
        id="occluder-is-an-option",
        severity="error",
        about="Partial Occlusion: what hides the target is of a category among the options, so that it answers the question itself.",
        fix="Hide the target behind something else.",
        look=rules_by_kind({("Perceptual Grounding", "Partial Occlusion"): _occluder}),
    ),
    Check(
        id="occluder-not-in-view",
        severity="warning",
        about="Partial Occlusion: by the recorded masks the start view shows the target and no occluder.",
        fix="Place the occluder between the start view and the target.",
        look=rules_by_kind({("Perceptual Grounding", "Partial Occlusion"): _uncovered}),
    ),
    Check(
        id="duplicate-near",
        severity="warning",
        about="Rows that are not equal, but ask the same of the same things in the same places (within 2 cm) with the same gold: another "
        "seed, another order of the options, another file name.",
        fix="Keep one of them.",
        look=_near_duplicate,
    ),
    Check(
        id="same-question-other-gold",
        severity="error",
        about="Rows that ask the same of the same things in the same places (within 2 cm) from the same start view and have different "
        "golds: one of them is wrong.",
        fix="Find out which is right; leave the other one out.",
        look=_opposite,
    ),
)
