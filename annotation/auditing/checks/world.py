"""Cameras and objects where nothing can be, views that do not show what they should, and golds of one view."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.checks.payload import data_of, meta, objects, rules_by_kind, tells
from data.importers import drafts, fields
from data.importers.scenes_rooms import BEHIND_MIRROR, NOT_IN_FIRST_VIEW
from data.task import Task

UNDER_M = 0.1
"""A thing lies below the floor where its middle does by this much."""
ABOVE_M = 4.0
"""Of the floor: higher than any ceiling of a room that is looked at from within."""
ACROSS_M = 30.0
"""From the start view to what belongs to it."""


def _lost(task: Task) -> str:
    floor = task.scene.room.floor_z_m
    low, high = (floor - UNDER_M, floor + ABOVE_M)
    if task.scene.house is not None:
        low, high = -UNDER_M, 20.0
    for thing in task.scene.objects:
        x, y, z = thing.pose.position_m
        away = math.dist((x, y), task.start.position_m[:2])
        words = f"A {thing.category.replace('_', ' ')} is recorded at ({x:.2f}, {y:.2f}, {z:.2f}) m"
        if z < low:
            return f"{words}: {floor - z:.2f} m below the floor."
        if z > high:
            return f"{words}: {z - floor:.2f} m above the floor."
        if away > ACROSS_M:
            return f"{words}: {away:.1f} m from the start view."
    return ""


def _objects(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        if not task.shown and (said := _lost(task)):
            yield Finding(row, said)


def _cameras(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        if task.shown:
            continue
        floor = task.scene.room.floor_z_m
        x, y, z = task.start.position_m
        if z < floor - UNDER_M / 2:
            yield Finding(row, f"The start view is at z = {z:.2f} m, {floor - z:.2f} m below the floor.")
        elif z > floor + ABOVE_M + 2 and task.scene.house is None:
            yield Finding(row, f"The start view is at z = {z:.2f} m, {z - floor:.2f} m above the floor.")
        elif task.scene.objects and min(math.dist((x, y), o.pose.position_m[:2]) for o in task.scene.objects) > ACROSS_M:
            yield Finding(row, f"The start view is at ({x:.2f}, {y:.2f}) m, more than {ACROSS_M:.0f} m from everything the row places.")
        elif drafts.NO_ROOM in task.defects:
            yield Finding(row, f"The places of camera and things fit no room in metres ({drafts.NO_ROOM}).")


def _inside(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        if drafts.INSIDE in task.defects:
            x, y, z = task.start.position_m
            yield Finding(
                row, f"The start view at ({x:.2f}, {y:.2f}, {z:.2f}) m lies within the recorded box of a thing: it shows its inside."
            )


@tells
def _view_of_gold(row: Row) -> str | None:
    """Action Order Inference: directions are those of one recorded view; the released runner begins at another."""
    payload = meta(row)
    views, asked = payload["stage0_initial_views"], payload["qa_per_view"]
    start = next(
        i
        for i in (0, 2, 1, 3)
        if all(v is True for k, v in views[i].items() if k.startswith("exist_")) and asked[i].get("opposite_sides") is True
    )
    gold = json.loads(row.raw["answer"])
    there = {f"answer_{name}": asked[start][f"rel_{name}_correct"] for name in ("A", "C")}
    if start != payload["qa"]["view_idx"] and there != gold:
        own, other = (", ".join(f"{k[-1]} {v}" for k, v in sorted(pair.items())) for pair in (gold, there))
        return f"The gold ({own}) holds from view {payload['qa']['view_idx']}; the runner begins at view {start}, where it is {other}."
    return None


def _asked_unseen(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        if BEHIND_MIRROR in task.defects:
            if said := _before_it(row):
                yield Finding(row, said)
        elif NOT_IN_FIRST_VIEW in task.defects:
            hfov = task.scene.camera.hfov_deg
            yield Finding(row, f"The question says that the thing is seen in the image, but the start view of {hfov}° does not reach it.")


@tells
def _before_it(row: Row) -> str | None:
    """The mirror before the thing, where it is so by the half-width that the row itself records; the importer takes the widest recorded."""
    data = data_of(row)
    glass, thing = data["scene_setup"]["mirror"], data["placement"][0]
    normal, at = fields.numbers(glass["normal_xy"], 2, "normal_xy"), fields.vec3(glass["position"], "position")
    eye, there = fields.vec3(data["render"]["camera_pose"]["position"], "position"), fields.vec3(thing["real_position"], "position")
    depths = [sum((p - a) * n for p, a, n in zip(point, at, normal, strict=False)) for point in (eye, there)]
    share = depths[0] / (depths[0] - depths[1])
    across = [e + (t - e) * share - a for e, t, a in zip(eye, there, at, strict=True)]
    offset, half = abs(-across[0] * normal[1] + across[1] * normal[0]), fields.number(glass["half_width_m"], "half_width_m")
    if offset >= half:
        return None
    return (
        "The question says that the thing is seen in the image, but from the start view the mirror stands before it: the line of "
        "sight meets "
        f"it {offset:.2f} m from its middle, and it is {half:.2f} m wide to each side."
    )


@tells
def _never_seen(row: Row) -> str | None:
    payload = meta(row)
    for name in ("exist_target_obj", "exist_obj_container", "exist_near", "exist_far"):
        if name in payload and not any(v is True for v in fields.indexed(payload[name], name).values()):
            return f"By the recorded masks no view shows what the question is about ({name} is false in all {len(payload[name])} views)."
    return None


@tells
def _one_never_seen(row: Row) -> str | None:
    """Masks of several things, by (thing, view). (Those of what is under glass or of furniture of the source are false throughout.)"""
    payload = meta(row)
    for name in ("exist_task_obj", "exist_ref_obj", "exist_obj"):
        masks = fields.indexed(payload[name], name) if name in payload else {}
        for thing in sorted({key[0] for key in masks if len(key) == 2}):
            views = [value for key, value in masks.items() if key[0] == thing]
            if not any(value is True for value in views):
                category = objects(row)[f"{name.removeprefix('exist_')}{thing}"]["category"]
                return f"By the recorded masks none of {len(views)} views shows the {category.replace('_', ' ')}, which the question names."
    return None


_OF_SEVERAL = (("Metric Comparison", "Dimensional Size"), ("Spatial Relations", "Physical Contact"))
_RECORDED = (
    ("Perceptual Grounding", "Partial Occlusion"),
    ("Perceptual Grounding", "View Hallucination"),
    ("Perceptual Grounding", "Material Transparency"),
    ("Metric Comparison", "Spatial Distance"),
)
CHECKS = (
    Check(
        id="object-out-of-world",
        severity="error",
        about="Things that lie more than 10 cm below the floor (they fell through it), more than 4 m above it, or more than 30 m from "
        "the start view.",
        fix="Leave the row out, or place the thing again and let it settle.",
        look=_objects,
    ),
    Check(
        id="camera-out-of-world",
        severity="error",
        about="Start views below the floor, more than 6 m above it, or more than 30 m from everything that the row places.",
        fix="Leave the row out, or record the start view again.",
        look=_cameras,
    ),
    Check(
        id="camera-inside-object",
        severity="error",
        about="Start views within the recorded box of a thing.",
        fix="Move the start view out of the thing.",
        look=_inside,
    ),
    Check(
        id="gold-of-another-view",
        severity="error",
        about="Golds that hold from one view only, where the runner's first view is another: left and right are then others.",
        fix="Take the gold that the row records for the start view, or begin at the gold's view.",
        look=rules_by_kind({("Action Sequencing", "Action Order Inference"): _view_of_gold}),
    ),
    Check(
        id="asked-not-in-first-view",
        severity="warning",
        about="Questions about what is seen “in this image”, whose thing the runner's first view (63.3°, narrower than the one it was made "
        "with) does not show, directly or in the mirror.",
        fix="Begin with the recorded field of view, or leave the row out.",
        look=_asked_unseen,
    ),
    Check(
        id="never-in-view",
        severity="error",
        about="Rows by whose recorded masks no view shows a thing that the question is about.",
        fix="Leave the row out, or record views that show it.",
        look=rules_by_kind(dict.fromkeys(_RECORDED, _never_seen) | dict.fromkeys(_OF_SEVERAL, _one_never_seen)),
    ),
)
