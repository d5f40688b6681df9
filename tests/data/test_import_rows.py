"""Released rows, one of each runner, become tasks; mutated ones become tasks or reasoned rejections, never a crash."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from data.importers.esi import build
from data.importers.geometry import straightened
from data.importers.importer import Imported
from data.importers.reading import RawRow, Rejection
from data.playable import assess
from data.subcategories import SUBCATEGORIES
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.rotations import yaw_of

Q = [0.0, 0.0, 0.0, 1.0]
CAMERA = {"position": [0.0, -1.0, 0.05], "quaternion_xyzw": [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]}


def thing(category: str, xy: tuple[float, float], z: float = 0.05, **more: Any) -> dict[str, Any]:
    return {"category": category, "model": "abcdef", "position": [*xy, z], "quaternion_xyzw": Q, **more}


def around(xy: tuple[float, float], half: float = 0.05, z: float = 0.0) -> tuple[list[float], list[float]]:
    return [xy[0] - half, xy[1] - half, z], [xy[0] + half, xy[1] + half, z + 2 * half]


def boxed(category: str, xy: tuple[float, float], half: float = 0.05, **more: Any) -> dict[str, Any]:
    low, high = around(xy, half)
    return thing(category, xy, half, aabb_min=low, aabb_max=high, **more)


def placed(xy: tuple[float, float], half: float = 0.05) -> dict[str, Any]:
    """A recorded pose with its box."""
    return {k: v for k, v in boxed("", xy, half).items() if k not in ("category", "model")}


FLOOR = {"category": "floors", "aabb_min": [-2, -2, -0.3], "aabb_max": [2, 2, 0.0], "position": [0, 0, -0.15], "quaternion_xyzw": Q}


def keyed(**items: Any) -> list[dict[str, Any]]:
    return [{"_key": k, **v} if isinstance(v, dict) else {"_key": k, "value": v} for k, v in items.items()]


def row(category: str, subcategory: str, question: str, answer: Any, options: Any, metadata: dict[str, Any], **more: Any) -> dict[str, Any]:
    runner = next(s.runner for s in SUBCATEGORIES if s.key == (category, subcategory))
    return {
        "id": "0042",
        "big_task": category,
        "small_task": subcategory,
        "runner_task": runner,
        "scene": "Rs_int",
        "room": "kitchen_0",
        "question": question,
        "answer": answer if isinstance(answer, str) else json.dumps(answer),
        "answer_type": "choice",
        "options_json": json.dumps(options),
        "image_paths_json": json.dumps(["0.png"]),
        "metadata_json": json.dumps(metadata),
        **more,
    }


def line_row(**more: Any) -> dict[str, Any]:
    names = ("red_mug", "vanilla_bottle", "pepper_grinder")
    metadata = {
        "camera_poses": [{"_key": "9.png", **CAMERA}, {"_key": "10.png", **CAMERA}],
        "objects": keyed(**{f"obj{i}": thing(n, (0.3 * i, 0.0)) for i, n in enumerate(names, 1)}),
    }
    question = "Are the red mug, vanilla bottle and pepper grinder in a line on the floor?"
    return row("Spatial Relations", "Linear Alignment", question, "yes", ["yes", "no"], metadata, **more)


def triangle_row() -> dict[str, Any]:
    made = json.loads(line_row()["metadata_json"])
    made["camera_poses"].insert(0, {"_key": "0.png", "position": [0, 0, 1.8], "quaternion_xyzw": Q})
    question = "Do the red mug, vanilla bottle and pepper grinder form an equilateral triangle, an isosceles triangle or a random triangle?"
    return row("Spatial Relations", "Geometric Configuration", question, "random triangle", ["equilateral", "isosceles", "random"], made)


def touching_row() -> dict[str, Any]:
    boxes = []
    for i, xy in ((1, (0.0, 0.0)), (2, (0.1, 0.0))):
        low, high = around(xy)
        boxes.append({"_key": f"obj{i}_aabb", "_indices": [i], "min": low, "max": high})
    metadata = {
        "camera_poses": [{"_key": "0.png", **CAMERA}],
        "objects": keyed(obj1=thing("shoe_box", (0, 0)), obj2=thing("red_ball", (0.1, 0))),
        "obj_aabb": boxes,
    }
    return row("Spatial Relations", "Physical Contact", "Are the shoe box and red ball touching each other?", "no", ["yes", "no"], metadata)


def size_row() -> dict[str, Any]:
    low1, high1 = around((0.0, 0.5), 0.1)
    low2, high2 = around((0.8, 0.5), 0.125)
    metadata = {
        "answer": "task_obj2",
        "camera_poses": keyed(**{"0.png": CAMERA, "1.png": {**CAMERA, "position": [0.4, -1.0, 0.05]}, "10.png": CAMERA}),
        "exist_ref_obj": [{"_key": "exist_ref_obj1_1", "_indices": [1, 1], "value": True}],
        "exist_task_obj": [{"_key": "exist_task_obj1_1", "_indices": [1, 1], "value": True}],
        "objects": keyed(
            ref_obj1=thing("egg", (0.2, 0.5), 0.03, scale=1.0),
            ref_obj2=thing("marshmallow", (1.0, 0.5), 0.03, scale=1.0),
            task_obj1=thing("guitar", (0.0, 0.5), 0.1, scale=1.0),
            task_obj2=thing("guitar", (0.8, 0.5), 0.125, scale=1.25),
        ),
        "task_obj_aabb_min": [{"_key": f"task_obj{i}_aabb_min", "_indices": [i], "value": v} for i, v in ((1, low1), (2, low2))],
        "task_obj_aabb_max": [{"_key": f"task_obj{i}_aabb_max", "_indices": [i], "value": v} for i, v in ((1, high1), (2, high2))],
    }
    question = "Which guitar is larger: the one near the egg, or the one near the marshmallow?"
    options = ["near the egg", "near the marshmallow"]
    return row("Metric Comparison", "Dimensional Size", question, "near the marshmallow", options, metadata)


def distance_row() -> dict[str, Any]:
    metadata = {
        "answer": "obj_near",
        "camera_poses": keyed(**{"0.png": CAMERA}),
        "d_far": 0.5, "d_near": 0.2, "dist_near_centre": 0.7, "dist_far_centre": 1.0,
        "near_corner": "br", "far_corner": "tr", "near_corner_xy": [0.5, -0.3], "far_corner_xy": [0.5, 0.3],
        "objects": keyed(
            obj_far=thing("hot_sauce", (0.9, 0.6)),
            obj_near=thing("baby_oil", (0.6, -0.4)),
            obj_ref=thing("coffee_table", (0.0, 0.0), 0.4, model="scene_native"),
        ),
    }  # fmt: skip
    question = "Which object is closer to the coffee table: the hot sauce or the baby oil?"
    return row("Metric Comparison", "Spatial Distance", question, "baby oil", ["hot sauce", "baby oil"], metadata)


def transparent_row() -> dict[str, Any]:
    metadata = {
        "answer": "obj_small is inside obj_container",
        "camera_poses": keyed(**{"0.png": CAMERA}),
        "objects": keyed(obj_container=boxed("beaker", (0, 0), 0.05, scale=1.0), obj_small=boxed("cherry", (0, 0), 0.01, scale=2.0)),
    }
    return row("Perceptual Grounding", "Material Transparency", "Is the cherry inside the beaker?", "yes", ["yes", "no"], metadata)


def occlusion_row() -> dict[str, Any]:
    metadata = {
        "objects": keyed(target=boxed("baguette", (0, 0)), occluder=boxed("scone", (0.1, 0)), support=FLOOR),
        "views": {"view_00_az250.png": {**CAMERA, "type": "ring_lateral_hard"}, "view_06_topdown.png": {**CAMERA, "type": "topdown"}},
    }
    options = ["baguette", "rolling pin"]
    question = "What is the occluded object: baguette or rolling pin?"
    return row("Perceptual Grounding", "Partial Occlusion", question, "baguette", options, metadata)


def confusion_row() -> dict[str, Any]:
    metadata = {
        "exist_target_obj": [{"_key": "exist_target_obj_1", "_indices": [1], "value": True}],
        "objects": keyed(target=boxed("webcam", (0, 0)), support=FLOOR),
        "views": keyed(
            **{
                "view_00_az000_h0.05.png": {**CAMERA, "type": "ring"},
                "view_01_az030_h0.05.png": {**CAMERA, "position": [0.5, -1, 0.05], "type": "ring"},
                "view_12_topdown.png": {**CAMERA, "type": "topdown"},
            }
        ),
    }
    options = ["motion sensor", "webcam"]
    question = "Which object is this: motion sensor or webcam?"
    return row("Perceptual Grounding", "View Hallucination", question, "webcam", options, metadata)


def slope_row() -> dict[str, Any]:
    metadata = {
        "camera_poses": [{"view_idx": i, **CAMERA, "position": [i, -1.0, 0.4]} for i in range(4)],
        "exist_step_view": [{"_key": "exist_step0001_view0", "_indices": [1, 0], "value": True}],
        "objects": keyed(task_obj={"category": "doll", "model": "fhdgrp", "pos_on_floor": [0.5, 0, 0.1], "aabb_min_init": [0, 0, 0.1],
                                   "aabb_max_init": [0.1, 0.1, 0.3]}),
        "slope": {"position": [0, 0, 0.1], "aabb_min": [0, 0, 0], "aabb_max": [1, 1, 1]},
        "slope_angle_deg": 24.5, "slope_quaternion": [0.0, 0.2119, 0.0, 0.97729], "slope_scale": [0.44, 0.3, 0.02],
        "static_friction": 1.8, "dynamic_friction": 1.3,
    }  # fmt: skip
    question = "Do you think the doll will stay stable (not slide) when placed on the slope?"
    return row("Physical Dynamics", "Inclined Plane", question, "no", ["yes", "no"], metadata)


def stacking_row() -> dict[str, Any]:
    names = ["stack_obj0", "stack_obj1", "stack_obj2"]
    categories = ["tray", "jar", "mixing_bowl"]
    sides = ("000", "090", "270")
    metadata = {
        "object_names": names, "object_categories": categories, "object_models": ["a", "b", "c"],
        "initial_poses": keyed(**{n: boxed(c, (0.3 * i, 0)) for i, (n, c) in enumerate(zip(names, categories, strict=True))}),
        "initial_cam_poses": keyed(**{f"initial_side_az{a}.png": {**CAMERA, "position": [0.3, -float(a) / 90, 0.05]} for a in sides}),
        "initial_exist_flags": keyed(**{f"exist_{n}_initial_side_az270.png": True for n in names}),
    }  # fmt: skip
    answer = [["tray", "mixing_bowl", "jar"], ["mixing_bowl", "tray", "jar"]]
    question = "How should you stack tray, jar, mixing_bowl to maximize stability?"
    return row("Physical Dynamics", "Stacking & Stability", question, answer, categories, metadata, answer_type="sequence")


def deformable_row() -> dict[str, Any]:
    low, high = around((0, 0), 0.05)
    metadata = {
        "cloth": {"category": "dinner_napkin", "model": "qmpgsg", "drop_position": [0, 0, 0.15]},
        "small_item": {"category": "can_of_coffee", "model": "zubwua", "bbox_after_cover": {"min": low, "max": high},
                       "pose_after_cover": {"position": [0, 0, 0.03], "quaternion_xyzw": Q}},
        "camera_poses": {"cloth_footprint_xy_m": 0.2},
        "render": {"main_view": {"camera_pose": CAMERA}, "room_view": {"views": [{"camera_pose": CAMERA}]}},
    }  # fmt: skip
    options = [{"option_id": o, "text": t} for o, t in zip("ABCD", ("water glass", "can of coffee", "grapefruit", "camera"), strict=True)]
    return row("Physical Structure", "Deformable", "What object is under this cloth?", "can of coffee", options, metadata)


def pour_row() -> dict[str, Any]:
    metadata = {"left_category": "mug", "left_model": "ppzttc", "right_category": "wineglass", "right_model": "euzudc",
                "obj1": {"capacity_measured": 100}, "obj2": {"capacity_measured": 200}}  # fmt: skip
    question = "Which container has a larger volume: the mug or the wineglass?"
    return row("Physical Structure", "Liquid Volume", question, "right", ["mug", "wineglass"], metadata)


def storage_row() -> dict[str, Any]:
    containers = {"big": ("bucket", 2), "fit": ("tupperware", 1), "small": ("teacup", 0)}
    poses = {"obj_containee": placed((0, 0)), "obj_extra1": placed((0.2, 0))}
    poses |= {f"obj_container_{i}": placed((0.5 + i * 0.3, 0), 0.1) for i in range(3)}
    metadata = {
        "containee": {"cat": "snow_globe", "model": "owteks", "scale": [1, 1, 1], "target_container": "fit"},
        "containers": keyed(**{k: {"cat": c, "fit_check": k, "idx": i, "model": "m"} for k, (c, i) in containers.items()}),
        "extras": keyed(extra1={"cat": "address", "model": "pbfbxj", "target_container": "big"}),
        "initial_poses": keyed(**poses),
        "orbital_views_before": keyed(**{"0": {"eye": [2, 0, 1.4], "quaternion_xyzw": Q, "exist_obj_containee": True,
                                               "exist_obj_container": keyed(exist_obj_container_0=True)}}),
    }  # fmt: skip
    answer = [{"_key": "snow globe", "value": "tupperware"}, {"_key": "address", "value": "bucket"}]
    question = "Which container does each object best fit inside?\n- snow globe\n- address\nContainers: tupperware, teacup, bucket"
    options = ["tupperware", "teacup", "bucket"]
    return row("Physical Structure", "Rigid Containment", question, answer, options, metadata, answer_type="sequence")


def action_row(first_view_shows_all: bool = True) -> dict[str, Any]:
    roles = ("obj_A_correct", "obj_A_wrong", "obj_C_correct", "obj_C_wrong", "obj_fixed")
    kinds = ("baking_sheet", "baking_sheet", "lemon", "lemon", "feta_box")
    directions = (("right", "left"), ("below", "above"), ("left", "right"), ("above", "below"))
    metadata = {
        "hierarchy": {"obj_A_cat": "baking_sheet", "obj_C_cat": "lemon", "obj_fixed_cat": "feta_box"},
        "objects": keyed(**{r: {"cat": c, "model": "m", "scale": [1, 1, 1]} for r, c in zip(roles, kinds, strict=True)}),
        "initial_poses": keyed(**{r: placed((0.3 * i, 0)) for i, r in enumerate(roles)}),
        "stage0_initial_views": [
            {"pose": {**CAMERA, "position": [i, 1, 1.4]}} | {f"exist_{r}": bool(i or first_view_shows_all) for r in roles} for i in range(4)
        ],
        "qa_per_view": [
            {"question": f"Which baking_sheet … lemon … feta_box, {a}?", "choices_A": [a, c], "choices_C": [c, a], "opposite_sides": True,
             "rel_A_correct": a, "rel_C_correct": c}
            for a, c in directions
        ],
    }  # fmt: skip
    answer, options = {"answer_A": "right", "answer_C": "left"}, {"A": ["right", "left"], "C": ["left", "right"]}
    question = "Which baking_sheet should go under the feta_box as its base, and which lemon on top?"
    return row("Action Sequencing", "Action Order Inference", question, answer, options, metadata)


def counting_row(subcategory: str = "Counting w Occlusion", category: str = "iron") -> dict[str, Any]:
    targets = [{**thing(category, (0.3 * i, 0)), "bbox": list(around((0.3 * i, 0))), "name": f"target_{i}"} for i in range(3)]
    anchor = {"category": "bookcase", "name": "bookcase_1", "bbox": list(around((0, -0.5), 0.4))}
    metadata = {
        "question_data": {
            "answer": "3", "task_type": "hidden_by_others",
            "case_metadata": {"source_entries": [{"metadata": {"anchor_object": anchor}}] * 3},
            "render": {
                "image": "q_004.png",
                "camera_poses": keyed(**{"q_003.png": CAMERA, "q_004.png": {**CAMERA, "position": [0, -2, 1.25]}}),
                "resolved_objects": {"targets": targets},
                "multi_image_input": {"room_bbox_world_xy": [-2, -2, 2, 2], "views": [{"camera_pose": CAMERA}]},
            },
        }
    }  # fmt: skip
    question = 'Considering both images, how many objects of category "iron" are present in this scene?'
    return row("Enumerative Perception", subcategory, question, "3", ["0", "1", "3", "4"], metadata)


def mirror_row() -> dict[str, Any]:
    metadata = {
        "question_data": {
            "placement": [{"category": "centerpiece", "model": "atfpvd", "real_position": [0.2, 0.8, 0.1], "visible_in_mirror": True}],
            "render": {"camera_pose": {"position": [0, 2, 0.8], "quaternion_xyzw": [0, math.sqrt(0.5), math.sqrt(0.5), 0]}},
            "scene_setup": {"mirror": {"position": [0, 0, 1.14], "quaternion_xyzw": [0, 0, math.sqrt(0.5), math.sqrt(0.5)],
                                       "normal_xy": [0.0, 1.0], "half_width_m": 0.48}},
        }
    }  # fmt: skip
    question = "In this image, you can see a centerpiece. Are you seeing it through the mirror?"
    return row("Specular Reflection", "Reflection Authoring", question, "Yes", ["yes", "no"], metadata)


def map_row() -> dict[str, Any]:
    metadata = {"question_data": {"case_type": "navigation_regions", "render": {"initial_view": {"camera_pose": CAMERA}}}}
    question = "You begin in the hall. 1. Choose. [please fill in] 2. Choose. hall_0 3. Choose. [please fill in] You have arrived."
    options = [["hall_0", "bath_0"], ["bath_0", "hall_0", "hall_1"]]
    return row("Cognitive Mapping", "Long-Term Navigation", question, "hall_0 | hall_1", options, metadata)


def robot_row() -> dict[str, Any]:
    metadata = {
        "navigation": {"final_xy": [1, 1]}, "robot_bbox_top_z": 1.7,
        "objects_meta": keyed(
            hidden_obj_0=boxed("baseball", (0, 0), placed_on="floor"),
            hidden_obj_1=boxed("baseball", (0.4, 0.4), placed_on="floor"),
            hidden_obj_2=boxed("baseball", (-2, -2), placed_on="floor"),
        ),
        "observer_poses": keyed(**{"step_00250.png": {**CAMERA, "position": [2, 2, 1.7]}, "step_00010.png": CAMERA}),
        "step_log": [{"robot_quat_xyzw": Q, "robot_xy": [x / 10, 2 * (1 - x / 10)]} for x in range(11)],
    }  # fmt: skip
    question = "How many 'baseball' objects did the robot pass within 1.0m during its walk? Answer 0, 1, 2, or 3."
    answer, options = "C", {"A": 0, "B": 1, "C": 2, "D": 3}
    return row("Temporal Understanding", "Agent Observation", question, answer, options, metadata, answer_type="count")


def change_row() -> dict[str, Any]:
    box = {"category": "carton", "model": "cdmmwy", "bbox": list(around((0, 0), 0.2))}
    metadata = {
        "question_data": {
            "task_type": "change_detection",
            "boxes": [{"container": box, "phase1_content": {"category": "teacup", "model": "a", "bbox_size_m": [0.1, 0.1, 0.1]},
                       "phase2_content": {"category": "cap", "model": "b", "bbox_size_m": [0.1, 0.1, 0.1]}}],
            "render": {"gt_view": {"image2": {"images": [{"camera_pose": CAMERA}]}}},
        }
    }  # fmt: skip
    question = "Comparing Phase 1 and Phase 2, did the contents of any box change?"
    return row("Temporal Understanding", "Unobserved Change", question, "yes", ["yes", "no"], metadata)


BUILDERS: dict[str, Callable[[], dict[str, Any]]] = {
    "action": action_row, "angle_confusion": confusion_row, "cognitivemap": map_row, "counting": counting_row, "deformable": deformable_row,
    "distance": distance_row, "line": line_row, "mirror": mirror_row, "multiagent": robot_row, "occlusion": occlusion_row, "pour": pour_row,
    "size": size_row, "slope": slope_row, "stacking": stacking_row, "storage": storage_row, "touching": touching_row,
    "transparent": transparent_row, "triangle": triangle_row, "unobserved_changes": change_row,
}  # fmt: skip


def task_of(value: dict[str, Any]) -> Task:
    built = build(RawRow("file.json", value))
    assert isinstance(built, Imported), built
    return built.task


@pytest.mark.parametrize("runner", sorted(BUILDERS))
def test_every_runner_has_rows_that_become_tasks(runner: str) -> None:
    task = task_of(BUILDERS[runner]())
    assert task.task_id == "esi-0042"
    assert task.defects == ()
    assert Task.from_json(task.canonical_json()) == task
    assert task.actions[:10] == CAMERA_ACTIONS
    assert (task.scene.camera.width, task.scene.camera.height) == (960, 540)
    x0, y0, x1, y1 = task.scene.room.bounds_m
    assert x0 < task.start.position_m[0] < x1 and y0 < task.start.position_m[1] < y1
    assert task.source["metadata"] and task.source["id"] == "0042"


@pytest.mark.parametrize(
    ("runner", "form", "accepted", "chance"),
    [
        ("line", "yes_no", "yes", 1 / 2),
        ("triangle", "choice", "random", 1 / 3),
        ("size", "choice", "near the marshmallow", 1 / 2),
        ("mirror", "yes_no", "yes", 1 / 2),
        ("pour", "choice", "wineglass", 1 / 2),
        ("deformable", "choice", "can of coffee", 1 / 4),
        ("counting", "count", "3", 1 / 4),
        ("multiagent", "count", "2", 1 / 4),
        ("cognitivemap", "blanks", ["hall_0", "hall_1"], 1 / 6),
        ("storage", "assignment", {"snow globe": "tupperware", "address": "bucket"}, 1 / 9),
        ("action", "pair", {"A": "right", "C": "left"}, 1 / 4),
    ],
)
def test_gold_is_in_the_texts_of_the_options(runner: str, form: str, accepted: Any, chance: float) -> None:
    task = task_of(BUILDERS[runner]())
    assert task.question.form == form
    assert task.gold.accepted[0] == accepted
    assert task.gold.chance == pytest.approx(chance)


def test_stacking_accepts_every_stable_order_and_says_which_end_is_the_bottom() -> None:
    task = task_of(stacking_row())
    assert task.question.form == "sequence"
    assert task.gold.accepted == (["tray", "mixing_bowl", "jar"], ["mixing_bowl", "tray", "jar"])
    assert task.gold.chance == pytest.approx(2 / 6)
    assert task.question.note == "Order from bottom to top."


def test_directions_belong_to_the_start_view() -> None:
    assert task_of(action_row()).gold.accepted == ({"A": "right", "C": "left"},)
    other = task_of(action_row(first_view_shows_all=False))
    assert other.start.position_m[0] == 2.0  # the runner tries views 0, 2, 1, 3
    assert other.gold.accepted == ({"A": "left", "C": "right"},)
    assert other.question.blanks == (("left", "right"), ("right", "left"))


@pytest.mark.parametrize(
    ("runner", "position"),
    [
        ("triangle", (0.0, -1.0, 0.05)),  # first camera below 10 cm
        ("size", (0.4, -1.0, 0.05)),  # first that shows a pair, by number
        ("angle_confusion", (0.5, -1.0, 0.05)),  # first that shows the target, not from above
        ("slope", (0.0, -1.0, 0.4)),  # labels 2, 1, 3: the first in which it is seen
        ("counting", (0.0, -2.0, 1.25)),  # the camera of the row's image
        ("multiagent", (2.0, 2.0, 1.7)),  # the last step
        ("storage", (2.0, 0.0, 1.4)),  # spelled eye
        ("stacking", (0.3, -3.3, 0.05)),  # side view 270, 0.3 m outward
        ("pour", (0.0, -1.0, 0.25)),
    ],
)
def test_start_view_is_the_runners(runner: str, position: tuple[float, float, float]) -> None:
    assert task_of(BUILDERS[runner]()).start.position_m == pytest.approx(position)


def test_field_of_view_is_the_runners() -> None:
    assert task_of(deformable_row()).scene.camera.hfov_deg == 70.0
    assert task_of(line_row()).scene.camera.hfov_deg == 63.3


def test_handles_follow_from_the_question_not_from_the_role() -> None:
    value = distance_row()
    swapped = copy.deepcopy(value)
    metadata = json.loads(swapped["metadata_json"])
    objects = {o["_key"]: o for o in metadata["objects"]}
    objects["obj_near"]["category"], objects["obj_far"]["category"] = objects["obj_far"]["category"], objects["obj_near"]["category"]
    swapped["metadata_json"], swapped["answer"] = json.dumps(metadata), "hot sauce"
    assert task_of(value).names == task_of(swapped).names
    assert {o.handle for o in task_of(value).scene.objects} == {"object_1", "object_2", "object_3"}


@pytest.mark.parametrize("runner", ["occlusion", "angle_confusion", "deformable", "counting", "multiagent"])
def test_names_never_give_the_answer_away(runner: str) -> None:
    assert task_of(BUILDERS[runner]()).names == {}


def test_both_objects_of_a_size_comparison_are_one_model_at_two_scales() -> None:
    task = task_of(size_row())
    sizes = {task.names[o.handle]: o.size_m for o in task.scene.objects if o.category == "guitar"}
    small, large = sizes["guitar near the egg"], sizes["guitar near the marshmallow"]
    assert small is not None and large is not None
    assert [b / a for a, b in zip(small, large, strict=True)] == pytest.approx([1.25] * 3)


def test_a_change_is_two_phases_with_different_contents() -> None:
    task = task_of(change_row())
    by_category = {o.category: o.handle for o in task.scene.objects}
    assert [(p.name, p.hidden, p.budget_share) for p in task.scene.phases] == [
        ("phase_1", (by_category["cap"],), 0.5),
        ("phase_2", (by_category["teacup"],), 0.5),
    ]


def test_boxes_whose_contents_are_looked_at_stand_open() -> None:
    value = change_row()
    chest = json.loads(json.dumps(value).replace("carton", "cedar_chest"))
    for made, params in ((value, {}), (chest, {"open": True})):
        task = task_of(made)
        (box,) = (o for o in task.scene.objects if o.handle in task.vessels)
        assert box.params == params
    task = task_of(chest)
    catalogue = Catalogue.load()
    assert not any("stays shut" in why for why in assess(task, catalogue).missing)
    shut = tuple(structs.replace(o, params={}) for o in task.scene.objects)
    earlier = task.model_copy(update={"scene": structs.replace(task.scene, objects=shut)})
    assert "stays shut, and nobody can open it: cedar chest" in assess(earlier, catalogue).missing
    opened = earlier.model_copy(update={"actions": (*earlier.actions, "open")})
    assert not any("stays shut" in why for why in assess(opened, catalogue).missing)


@pytest.mark.parametrize(("low_m", "expected_m", "moved"), [(0.45, 0.5, True), (0.2, 0.2, False), (0.5, 0.5, False)])
def test_what_lies_within_the_top_of_a_table_is_set_on_it_and_what_lies_in_a_basin_stays(
    low_m: float, expected_m: float, moved: bool
) -> None:
    value = confusion_row()
    metadata = json.loads(value["metadata_json"])
    for record in metadata["objects"]:
        if record["_key"] == "support":
            record.update(category="coffee_table", aabb_min=[-0.5, -0.4, 0.0], aabb_max=[0.5, 0.4, 0.5])
        else:
            record.update(aabb_min=[-0.05, -0.05, low_m], aabb_max=[0.05, 0.05, low_m + 0.02])
    task = task_of({**value, "metadata_json": json.dumps(metadata)})
    target = next(o for o in task.scene.objects if o.category == "webcam")
    assert target.size_m is not None and target.pose.position_m[2] - target.size_m[2] / 2 == pytest.approx(expected_m)
    assert ("approximate places" in task.tags) is moved


def test_furniture_that_hides_the_targets_is_built_from_its_recorded_box() -> None:
    task = task_of(counting_row())
    assert [o.category for o in task.scene.objects].count("bookcase") == 1
    assert "native_scene" not in task.required_features
    metadata = json.loads(counting_row()["metadata_json"])
    del metadata["question_data"]["case_metadata"]
    assert "native_scene" in task_of({**counting_row(), "metadata_json": json.dumps(metadata)}).required_features


def counted(category: str, subcategory: str = "Merged Observation", asked: str = "iron", **more: Any) -> dict[str, Any]:
    """A counting row that asks for one kind and records another in its place."""
    value = counting_row(subcategory, category)
    metadata = json.loads(value["metadata_json"])
    metadata["question_data"]["count_object"] = {"category": asked}
    metadata["question_data"]["render"] |= more
    return {**value, "metadata_json": json.dumps(metadata)}


def test_what_is_counted_is_the_kind_that_is_asked_for_and_the_exchange_is_told() -> None:
    task = task_of(counted("club_sandwich"))
    targets = [o for o in task.scene.objects if o.category == "iron"]
    assert [round(o.pose.position_m[0], 2) for o in sorted(targets, key=lambda o: o.pose.position_m)] == [0.0, 0.3, 0.6]
    assert all(o.size_m is None and o.on_floor for o in targets) and not task.defects
    assert task.tags["substituted"] == "club sandwich"
    same = task_of(counted("iron"))
    assert "substituted" not in same.tags and all(o.size_m for o in same.scene.objects)


def test_what_another_kind_is_stacked_on_cannot_be_counted() -> None:
    low, high = around((0.3, 0), 0.05, 0.1)
    upper = {**thing("club_sandwich", (0.3, 0), 0.15), "bbox": [low, high], "name": "upper"}
    value = counted("club_sandwich")
    metadata = json.loads(value["metadata_json"])
    metadata["question_data"]["render"]["resolved_objects"]["targets"][2] = upper
    assert any("lie on each other" in d for d in task_of({**value, "metadata_json": json.dumps(metadata)}).defects)
    metadata["question_data"]["render"]["resolved_objects"]["targets"][2] = {**upper, "bbox": list(around((0.3, 0)))}
    metadata["question_data"]["count_object"]["category"] = "club_sandwich"
    other = {**value, "question": value["question"].replace("iron", "club_sandwich"), "metadata_json": json.dumps(metadata)}
    assert any("one place" in d for d in task_of(other).defects)


def test_packages_that_are_stacked_are_as_high_as_the_layers_are_apart() -> None:
    low, high = around((0.3, 0), 0.05, 0.08)
    upper = {**thing("club_sandwich", (0.3, 0), 0.13), "bbox": [low, high], "name": "upper"}
    value = counted("club_sandwich", asked="milk_carton")
    value = {**value, "question": value["question"].replace("iron", "milk_carton")}
    metadata = json.loads(value["metadata_json"])
    metadata["question_data"]["render"]["resolved_objects"]["targets"][2] = upper
    task = task_of({**value, "metadata_json": json.dumps(metadata)})
    cartons = sorted((o for o in task.scene.objects if o.category == "milk_carton"), key=lambda o: o.pose.position_m[2])
    assert not task.defects and [o.height_m for o in cartons] == [0.08] * 3
    assert [(o.on_floor, o.origin) for o in cartons][-1] == (False, "base") and cartons[-1].pose.position_m[2] == 0.08


def test_the_light_changes_where_a_row_records_both_lights() -> None:
    both = keyed(**{"q_004.png": {**CAMERA, "lighting_phase": "normal"}, "q_005.png": {**CAMERA, "lighting_phase": "changed"}})
    task = task_of(counted("iron", "Illumination Variability", camera_poses=both))
    assert [(p.name, p.lighting, p.hidden) for p in task.scene.phases] == [("normal", "day", ()), ("changed", "dim", ())]
    assert task.required_features == ("phases", "phase_light") and "light changes" in task.question.note
    one = task_of(counted("iron", "Illumination Variability"))
    assert not one.scene.phases and one.required_features == ("light_change",) and "light changes" not in one.question.note


def test_the_robot_walks_its_recorded_way() -> None:
    task = task_of(robot_row())
    robot = next(o for o in task.scene.objects if o.category == "robot")
    assert robot.pose.position_m[:2] == (0.0, 2.0) and robot.params == {"path": [[1.0, 0.0]], "step_m": 0.5}
    assert "wait" in task.actions and "0.5 m with each of your first 5 actions" in task.question.note
    # Its front faces −y where it is not turned: it looks along its way.
    x, y = math.cos(yaw_of(robot.pose.quaternion_xyzw) - math.pi / 2), math.sin(yaw_of(robot.pose.quaternion_xyzw) - math.pi / 2)
    assert (x * math.sqrt(5), y * math.sqrt(5)) == pytest.approx((1, -2))
    x0, y0, x1, y1 = task.scene.room.bounds_m
    assert x0 < 0 < 1 < x1 and y0 < 0 < 2 < y1


def test_a_walk_that_passes_another_number_is_told() -> None:
    assert any("another number" in d for d in task_of({**robot_row(), "answer": "D"}).defects)
    metadata = json.loads(robot_row()["metadata_json"])
    del metadata["step_log"]
    assert any("no walk" in d for d in task_of({**robot_row(), "metadata_json": json.dumps(metadata)}).defects)


def test_a_long_walk_ends_within_the_budget() -> None:
    metadata = json.loads(robot_row()["metadata_json"])
    metadata["step_log"] = [{"robot_xy": [0.2 * i, 0.0]} for i in range(131)]
    task = task_of({**robot_row(), "metadata_json": json.dumps(metadata)})
    robot = next(o for o in task.scene.objects if o.category == "robot")
    assert robot.params["path"] == [[26.0, 0.0]] and robot.params["step_m"] == 1.3


def test_corners_of_a_way_keep_it_near_all_its_points() -> None:
    way = [(0.0, 0.0), (0.5, 0.004), (1.0, 0.0), (1.0, 0.5), (1.003, 1.0), (1.0, 1.5)]
    assert straightened(way, 0.01) == [(0.0, 0.0), (1.0, 0.0), (1.0, 1.5)]
    assert straightened(way, 0.001) == way and straightened([], 0.1) == [] and straightened(way[:1], 0.1) == way[:1]


def test_a_cloth_is_as_large_as_it_reaches_and_is_let_go_where_the_row_says() -> None:
    task = task_of(deformable_row())
    cloth = next(o for o in task.scene.objects if o.category == "dinner_napkin")
    assert cloth.size_m == (0.5, 0.5, 0.003) and cloth.pose.position_m == (0, 0, 0.15) and cloth.params == {"drape": True}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (counting_row(category="club_sandwich"), "names other objects"),
        ({**touching_row(), "question": "Are the pillow and textbook touching each other?"}, "names other objects"),
        ({**deformable_row(), "answer": "grapefruit"}, "another object"),
        ({**mirror_row(), "answer": "No"}, "outside the runner's first view"),
        (
            {**line_row(), "metadata_json": line_row()["metadata_json"].replace("[0.3, 0.0, 0.05]", "[0.3, 0.0, -2940.0]")},
            "below the floor",
        ),
    ],
)
def test_rows_that_contradict_themselves_are_kept_but_not_playable(value: dict[str, Any], why: str) -> None:
    assert any(why in defect for defect in task_of(value).defects)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": 42}, "id"),
        ({"id": "../x"}, "id"),
        ({"id": ""}, "id"),
        ({"big_task": "Cooking"}, "big_task"),
        ({"small_task": "Soup"}, "small_task"),
        ({"runner_task": "triangle"}, "runner_task"),
        ({"scene": "../../etc"}, "scene"),
        ({"room": "/abs"}, "room"),
        ({"question": None}, "question"),
        ({"question": "a\x00b"}, "question"),
        ({"question": "half \ud800"}, "question"),
        ({"answer": "perhaps"}, "answer"),
        ({"answer": True}, "answer"),
        ({"options_json": "[]"}, "options_json"),
        ({"options_json": '["yes","Yes"]'}, "options_json"),
        ({"options_json": "{"}, "options_json"),
        ({"options_json": ["yes", "no"]}, "options_json"),
        ({"image_paths_json": '["../x.png"]'}, "image_paths_json[0]"),
        ({"image_paths_json": '["/etc/passwd"]'}, "image_paths_json[0]"),
        ({"metadata_json": "[]"}, "metadata_json"),
        ({"metadata_json": "{}"}, "metadata_json.camera_poses"),
        ({"metadata_json": '{"a": NaN}'}, "metadata_json"),
        ({"metadata_json": '{"a": 1, "a": 2}'}, "metadata_json"),
        ({"metadata_json": '{"a": ' + "[" * 5000 + "]" * 5000 + "}"}, "metadata_json"),
    ],
)
def test_bad_fields_are_named(change: dict[str, Any], field: str) -> None:
    built = build(RawRow("file.json", {**line_row(), **change}))
    assert isinstance(built, Rejection)
    assert built.field == field
    assert built.reason.endswith(".") and "\n" not in built.reason


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("[0.3, 0.0, 0.05]", '["0.3", "0.0", "0.05"]', "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0, 1e999]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", f"[0.3, 0.0, {10**400}]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0, 1e30]", "metadata_json.objects.obj1.position"),
        ("[0.0, 0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0, 0.0]", "metadata_json.objects.obj1.quaternion_xyzw"),
        ('"obj2"', '"obj1"', "metadata_json.objects[1]._key"),
        ('"red_mug"', "7", "metadata_json.objects.obj1.category"),
        ('"red_mug"', '"../red_mug"', "metadata_json.objects.obj1.category"),
    ],
)
def test_bad_payload_fields_are_named(old: str, new: str, field: str) -> None:
    metadata = line_row()["metadata_json"]
    assert old in metadata
    built = build(RawRow("file.json", {**line_row(), "metadata_json": metadata.replace(old, new)}))
    assert isinstance(built, Rejection)
    assert built.field == field


def test_numbers_that_overflow_anywhere_in_the_source_are_refused() -> None:
    for text in ("1e999", "9" * 400 + ".0", '"\\ud800"'):
        value = line_row()["metadata_json"][:-1] + f', "note": {{"deep": [{text}]}}}}'
        built = build(RawRow("file.json", {**line_row(), "metadata_json": value}))
        assert isinstance(built, Rejection), text
        assert built.field == "metadata.note.deep[0]"


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8), st.just([]), st.just({}),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["_key", "position", "value"]), st.text(max_size=3), max_size=2),
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a JSON value."""
    found, stack = [], [value]
    while stack:
        v = stack.pop()
        for key, child in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
            found.append((v, key))
            stack.append(child)
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), runner=st.sampled_from(sorted(BUILDERS)))
def test_mutated_rows_become_tasks_or_rejections(data: st.DataObject, runner: str) -> None:
    value = BUILDERS[runner]()
    metadata = json.loads(value["metadata_json"])
    for _ in range(data.draw(st.integers(1, 3))):
        target = data.draw(st.sampled_from(["row", "metadata"]))
        spots = places(metadata) if target == "metadata" else [(value, k) for k in value]
        container, key = spots[data.draw(st.integers(0, len(spots) - 1))] if spots else (value, "id")
        if isinstance(container, dict) and data.draw(st.booleans()):
            container.pop(key, None)
        elif isinstance(container, dict) or (isinstance(key, int) and key < len(container)):
            container[key] = data.draw(JUNK)
    if "metadata_json" in value and isinstance(value["metadata_json"], str):
        value["metadata_json"] = json.dumps(metadata)
    built = build(RawRow("file.json", value))
    if isinstance(built, Imported):
        assert Task.from_json(built.task.canonical_json()).content_hash == built.task.content_hash
    else:
        assert built.file == "file.json" and built.reason.strip() and "Traceback" not in built.reason


def scaled(value: Any, factor: float) -> Any:
    """A decoded row with every place and size in it (three numbers) in another unit."""
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
        return [v * factor for v in value]
    if isinstance(value, dict):
        return {k: scaled(v, factor) for k, v in value.items()}
    return [scaled(v, factor) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("factor", [100, 1000], ids=["centimetres", "millimetres"])
@pytest.mark.parametrize("runner", sorted(set(BUILDERS) - {"pour"}))
def test_lengths_of_another_unit_are_named(runner: str, factor: float) -> None:
    """Of a camera at eye height, as the release has it; where water is poured, nothing is measured."""
    value = BUILDERS[runner]()
    metadata = value["metadata_json"].replace("-1.0, 0.05]", "-1.0, 1.5]")
    plain = build(RawRow("file.json", {**value, "metadata_json": metadata}))
    assert isinstance(plain, Imported) and not any("no room" in defect for defect in plain.task.defects)
    built = build(RawRow("file.json", {**value, "metadata_json": json.dumps(scaled(json.loads(metadata), factor))}))
    assert isinstance(built, Rejection) or any("no room" in defect for defect in built.task.defects), built


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Screenshot at 9.41.02\u202fAM.png", True),
        ("図\u3000一.png", True),
        (" blanks .png", True),
        ("e\u0301.png", True),
        ("🤖.png", True),
        ("é" * 125 + ".png", True),
        ("a\u0000.png", False),
        ("a\n.png", False),
        ("a\\b.png", False),
        ("\ud83d.png", False),
        ("é" * 126 + ".png", False),
    ],
    ids=ascii,
)
def test_an_image_may_have_any_name_of_a_file(name: str, taken: bool) -> None:
    built = build(RawRow("file.json", {**distance_row(), "image_paths_json": json.dumps([name])}))
    assert isinstance(built, Imported) == taken
    assert taken or built.field.startswith("image_paths_json")  # type: ignore[union-attr]


def lines_with(old: str, new: str) -> dict[str, Any]:
    value = line_row()
    assert old in value["metadata_json"]
    return {**value, "metadata_json": value["metadata_json"].replace(old, new)}


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (lines_with("[0.3, 0.0, 0.05]", "[0.3, 0.0, -65286.0]"), "a recorded object lies below the floor"),
        (lines_with("[0.0, -1.0, 0.05]", "[900.0, -1.0, 0.05]"), "no room in metres"),
        (lines_with("[0.0, -1.0, 0.05]", "[1e9, -1.0, 0.05]"), "outside any scene"),
        (lines_with("[0.0, -1.0, 0.05]", "[0.0, -1.0, -900.0]"), "start view lies below the floor"),
    ],
)
def test_a_row_that_is_in_no_room_is_named_and_its_neighbours_are_untouched(bad: dict[str, Any], told: str) -> None:
    good = line_row()
    built = [build(RawRow(name, value)) for name, value in (("a.json", good), ("bad.json", bad), ("z.json", good))]
    assert isinstance(built[0], Imported) and isinstance(built[2], Imported) and not built[0].task.defects
    said = [built[1].reason] if isinstance(built[1], Rejection) else list(built[1].task.defects)
    assert any(told in sentence.lower() for sentence in said), said


def test_a_kind_that_nobody_knows_is_named() -> None:
    value = json.loads(json.dumps(line_row()).replace("red_mug", "zorgblat").replace("red mug", "zorgblat"))
    found = assess(task_of(value), Catalogue.load(), CAMERA_ACTIONS)
    assert "no recognisable model of: zorgblat" in found.missing
