"""``vantage bench rows``: how near the scenes of playable released rows come to what the rows record.

For each row, its scene is loaded once: middles and boxes of things against the recorded ones (read from the row's own source here, not by
the importer), the start camera against the task's, and what the row calls visible from its own cameras, by pixels, at the field of view
with which the release was generated. What is not recorded is not compared.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say, time_left
from data.abilities import EMBEDDED, abilities_of
from data.home import Home
from data.importers import fields
from data.importers.fields import FieldError
from data.importers.geometry import tilt_deg, yaw_of
from data.playable import judge
from data.store import Store
from data.subcategories import BY_KEY
from data.task import SIM_SEED, Task
from sim_bridge.errors import BridgeError
from sim_bridge.pool import Pool
from sim_bridge.spec import Camera, ObjectState, Pose, Vec3

NEAR_M = 0.01
"""Recorded and built are the same within this."""
GENERATED_DEG = {"counting": 100.0, "unobserved_changes": 100.0, "mirror": 100.0, "deformable": 70.0}
"""Runner → horizontal field of view of the release's generator where it was not the runner's 63.3°."""
WIDTH, HEIGHT = 960, 540
VIEWS = 3
"""Recorded views of a row that are looked at: evenly over those from which it calls something visible."""


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


_SEEN = {
    "distance": lambda p: _by_number(p, "camera_poses", {"obj_near": "exist_near", "obj_far": "exist_far"}),
    "transparent": lambda p: _by_number(p, "camera_poses", {"obj_container": "exist_obj_container", "obj_small": "exist_obj_small"}),
    "occlusion": lambda p: _by_number(p, "views", {"target": "exist_target_obj", "occluder": "exist_occluder_obj"}),
    "angle_confusion": lambda p: _by_number(p, "views", {"target": "exist_target_obj"}),
    "counting": _closeups,
}


@click.command("rows")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Only every so many of the playable rows, by id.")
@db_option
@json_option
def command(every: int, db: Path | None, as_json: bool) -> None:
    """How near the scenes of playable released rows come to what the rows record."""
    store, able = Store.reading(Home.from_env(db)), abilities_of(EMBEDDED)
    judged = judge(store, able.catalogue, able.capabilities)
    runners = {kind.key for kind in BY_KEY.values() if kind.runner}
    tasks = [t for t in store.tasks() if t.source and (t.category, t.subcategory) in runners and judged(t).playable][::every]
    found = measure(tasks)
    if as_json:
        print_json(found)
        return
    for name in ("places", "boxes", "start_cameras", "visible"):
        click.echo(f"{found[name]['within']:>5} of {found[name]['compared']:<5} {name.replace('_', ' ')}")
        for why, count in found[name]["rest"].items():
            click.echo(f"{'':>15}{count} × {why}")


def measure(tasks: list[Task]) -> dict[str, Any]:
    """Load every task's scene and compare.

    Returns:
        For ``places`` (middles; of things without a recorded box, and those that stand in, along the floor alone), ``boxes``,
        ``start_cameras`` (as the worker shows them, within 1e-6) and ``visible``: ``compared``, ``within``, ``share``, ``rest`` (why → how
        many) and ``listed`` (task and thing of each of the rest); ``failed``: tasks whose scene was refused, and why.
    """
    told: dict[str, Any] = {
        n: {"compared": 0, "within": 0, "rest": Counter(), "listed": []} for n in ("places", "boxes", "start_cameras", "visible")
    }
    failed: dict[str, str] = {}

    def note(name: str, task: Task, good: bool, thing: str, why: str) -> None:
        told[name]["compared"] += 1
        told[name]["within"] += good
        if not good:
            told[name]["rest"][why] += 1
            told[name]["listed"].append(f"{task.task_id} {thing}: {why}")

    begun = monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="vantage-bench-") as logs,
        Pool(backend=EMBEDDED, workers=1, max_sessions_per_worker=4, log_dir=Path(logs)) as pool,
    ):
        client = pool.acquire("rows", wait_s=120.0)
        for n, task in enumerate(tasks, start=1):
            hfov = GENERATED_DEG.get(task.source["runner_task"], task.scene.camera.hfov_deg)
            scene = msgspec.structs.replace(task.scene, camera=Camera(width=WIDTH, height=HEIGHT, hfov_deg=hfov))
            try:
                first = client.load(f"row{n}", scene, task.start, actions=task.actions, seed=SIM_SEED, deadline_s=300.0)
                states = client.state(f"row{n}").objects
                _compare(task, first.observation.camera, states, note)
                looked = _looked(seen(task))
                counts = client.visible(f"row{n}", [camera for camera, _, _ in looked])
                for (_, category, place), count in zip(looked, counts, strict=True):
                    handle = _nearest(states, category, place)
                    if handle:
                        note("visible", task, count.get(handle, 0) > 0, category, "hidden here")
                client.close_session(f"row{n}")
            except (BridgeError, FieldError) as error:
                failed[task.task_id] = str(error)[:200]
            if n % 25 == 0 and n < len(tasks):
                say(f"{n} of {len(tasks)} rows{time_left(monotonic() - begun, n, len(tasks) - n)}")
    for found in told.values():
        found["rest"] = dict(found["rest"].most_common())
        found["share"] = round(found["within"] / found["compared"], 4) if found["compared"] else None
    return {"rows": len(tasks), **told, "failed": failed}


def _compare(task: Task, camera: Pose, states: tuple[ObjectState, ...], note: Any) -> None:
    away = max(abs(a - b) for a, b in zip(camera.position_m, task.start.position_m, strict=True))
    shown, meant = camera.quaternion_xyzw, task.start.quaternion_xyzw  # one rotation has two quaternions
    off = min(max(abs(a - sign * b) for a, b in zip(shown, meant, strict=True)) for sign in (1, -1))
    note("start_cameras", task, max(away, off) <= 1e-6, "camera", "elsewhere")
    things = {o.handle: o for o in task.scene.objects}
    by_category: dict[str, list[ObjectState]] = defaultdict(list)
    for state in states:
        by_category[state.category].append(state)
    for fact in facts(task):
        near = by_category[fact.category]
        if not near:
            note("places", task, False, fact.category, "not there")
            continue
        state = min(near, key=lambda s: math.dist(_middle(s)[:2], fact.middle[:2]))
        near.remove(state)
        thing, middle = things[state.handle], _middle(state)
        turned = _turned(thing.pose)
        if fact.box is None or fact.stands_in:
            away = math.dist(state.pose.position_m[:2], fact.middle[:2])
            note(
                "places",
                task,
                away <= NEAR_M,
                fact.category,
                "only its root is recorded" if fact.box is None else "another kind stood there",
            )
            continue
        shifted = thing.on_floor and abs(middle[2] - fact.middle[2]) > NEAR_M and math.dist(middle[:2], fact.middle[:2]) <= NEAR_M
        why = "set on our floor" if shifted else turned or "otherwise"
        note("places", task, math.dist(middle, fact.middle) <= NEAR_M, fact.category, why)
        ends = zip((*state.aabb_min_m, *state.aabb_max_m), (*fact.box[0], *fact.box[1]), strict=True)
        note("boxes", task, max(abs(a - b) for a, b in ends) <= NEAR_M, fact.category, why)


def _turned(pose: Pose) -> str:
    """Whether a thing is turned so that the box of our model is not that of the recorded one."""
    if tilt_deg(pose.quaternion_xyzw) > 2:
        return "lies tilted"
    off = math.degrees(yaw_of(pose.quaternion_xyzw)) % 90
    return "turned by no right angle" if min(off, 90 - off) > 2 else ""


def _middle(state: ObjectState) -> Vec3:
    low, high = state.aabb_min_m, state.aabb_max_m
    return ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2)


def _nearest(states: tuple[ObjectState, ...], category: str, place: Vec3 | None) -> str:
    """Handle of the thing that is meant; empty: none."""
    near = [s for s in states if not category or s.category == category]
    if not near or (place is None and len(near) > 1):
        return ""
    return min(near, key=lambda s: math.dist(_middle(s)[:2], place[:2]) if place else 0.0).handle


def _looked(views: list[tuple[Pose, str, Vec3 | None]]) -> list[tuple[Pose, str, Vec3 | None]]:
    step = max(1, len(views) // VIEWS)
    return views[::step][:VIEWS]
