"""Released rows, one of each runner, become tasks."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from msgspec import structs

from data.importers.geometry import straightened
from data.playable import assess
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.rotations import yaw_of
from tests.data.released_rows import (
    BUILDERS,
    CAMERA,
    action_row,
    around,
    change_row,
    confusion_row,
    counting_row,
    deformable_row,
    distance_row,
    keyed,
    line_row,
    robot_row,
    size_row,
    stacking_row,
    task_of,
    thing,
)


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
