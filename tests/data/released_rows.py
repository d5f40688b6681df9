"""Made-up rows as ESI-Bench releases them, one of each runner, for tests."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from data.importers.esi import build
from data.importers.importer import Imported
from data.importers.reading import RawRow
from data.subcategories import SUBCATEGORIES
from data.task import Task

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
