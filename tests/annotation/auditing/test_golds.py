"""Golds against what the row records: for every rule a faulty row, a sound one, and one on which it must be silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.annotation.auditing.rows import found, released

Change = Callable[[dict[str, Any]], None]


def place(*xy: tuple[float, float]) -> Change:
    def change(metadata: dict[str, Any]) -> None:
        for thing, (x, y) in zip(metadata["objects"], xy, strict=True):
            thing["position"] = [x, y, 0.05]

    return change


EQUILATERAL = place((0, 0), (0.5, 0), (0.25, 0.433))
ISOSCELES = place((0, 0), (0.5, 0), (0.25, 0.6))
ISOSCELES_NEARLY = place((0, 0), (0.5, 0), (0.23, 0.6))
SCALENE = place((0, 0), (0.5, 0), (0.1, 0.2))


@pytest.mark.parametrize(
    ("gold", "where", "wrong"),
    [
        ("equilateral", EQUILATERAL, False),
        ("equilateral", ISOSCELES, True),
        ("isosceles", ISOSCELES, False),
        ("isosceles", EQUILATERAL, True),
        ("isosceles", SCALENE, True),
        ("random triangle", SCALENE, False),
        ("random triangle", ISOSCELES, True),
    ],
)
def test_shape_of_a_triangle(gold: str, where: Change, wrong: bool) -> None:
    assert bool(found("gold-shape", released(runner="triangle", change=where, answer=gold))) is wrong


def test_a_random_triangle_that_is_nearly_isosceles_has_no_margin() -> None:
    row = released(runner="triangle", change=ISOSCELES_NEARLY, answer="random triangle")
    assert not found("gold-shape", row)
    assert "2.3%" in found("gold-margin", row)[0].evidence


@pytest.mark.parametrize(("gold", "off", "wrong"), [("yes", 0.0, False), ("yes", 0.1, True), ("no", 0.1, False), ("no", 0.005, True)])
def test_three_things_in_a_line(gold: str, off: float, wrong: bool) -> None:
    row = released(runner="line", change=place((0, 0), (0.3, off), (0.6, 0)), answer=gold)
    assert bool(found("gold-shape", row)) is wrong


def apart(gap: float, touching: int = 0) -> Change:
    def change(metadata: dict[str, Any]) -> None:
        metadata["obj_aabb"][1] |= {"min": [0.05 + gap, -0.05, 0.0], "max": [0.15 + gap, 0.05, 0.1]}
        metadata["touching"] = [{"_key": f"touching_{i}", "_indices": [i], "value": i < touching} for i in range(4)]

    return change


@pytest.mark.parametrize(
    ("gold", "gap", "touching", "wrong"),
    [("yes", 0.0, 4, False), ("yes", 0.01, 0, False), ("yes", 0.06, 0, True), ("no", 0.06, 0, False), ("no", -0.01, 3, True)],
)
def test_contact(gold: str, gap: float, touching: int, wrong: bool) -> None:
    assert bool(found("gold-contact", released(runner="touching", change=apart(gap, touching), answer=gold))) is wrong


def test_contact_is_silent_where_the_question_names_other_things() -> None:
    asked = "Are the pillow and board game touching each other?"
    row = released(runner="touching", change=apart(0.2), answer="yes", question=asked)
    assert not found("gold-contact", row)
    assert "it does not name the red ball, shoe box" in found("question-names-absent", row)[0].evidence


def lifted(metadata: dict[str, Any]) -> None:
    small = metadata["objects"][1]
    small |= {"aabb_min": [-0.01, -0.01, 0.3], "aabb_max": [0.01, 0.01, 0.32]}
    metadata["answer"] = "obj_small is NOT inside obj_container"


def test_containment_by_the_boxes_and_by_the_recorded_answer() -> None:
    assert not found("gold-containment", released(runner="transparent"))
    assert found("gold-containment", released(runner="transparent", answer="no"))
    assert found("gold-containment", released(runner="transparent", change=lifted))
    assert not found("gold-containment", released(runner="transparent", change=lifted, answer="no"))
    assert found("gold-state", released(runner="transparent", answer="no"))


def test_the_container_that_fits() -> None:
    other = json.dumps([{"_key": "snow globe", "value": "bucket"}, {"_key": "address", "value": "bucket"}])
    assert not found("gold-containment", released(runner="storage"))
    assert "tupperware" in found("gold-containment", released(runner="storage", answer=other))[0].evidence


def test_distance_size_and_volume() -> None:
    assert not found("gold-distance", released(runner="distance"))
    assert found("gold-distance", released(runner="distance", answer="hot sauce"))
    assert found("gold-state", released(runner="distance", answer="hot sauce"))

    def scales(metadata: dict[str, Any]) -> None:
        metadata["ref_category"] = [{"_key": f"ref{i}_category", "_indices": [i], "value": v} for i, v in ((1, "egg"), (2, "marshmallow"))]
        metadata["scale_obj"] = [{"_key": f"scale_obj{i}", "_indices": [i], "value": v} for i, v in ((1, 1.0), (2, 1.25))]

    assert not found("gold-size", released(runner="size", change=scales))
    assert found("gold-size", released(runner="size", change=scales, answer="near the egg"))
    assert not found("gold-size", released(runner="size", answer="near the egg"))  # nothing is recorded
    assert not found("gold-size", released(runner="pour"))
    assert found("gold-size", released(runner="pour", answer="left"))


def test_category_stability_and_stacks() -> None:
    assert not found("gold-category", released(runner="angle_confusion"))
    assert found("gold-category", released(runner="angle_confusion", answer="motion sensor"))

    def slid(metadata: dict[str, Any]) -> None:
        metadata["objects"][0] |= {"pos_init": [0, 0, 0.2], "pos_final": [0.3, 0, 0.05]}
        metadata |= {"ground_truth_slid": True, "ground_truth_fallen": True}

    assert not found("gold-stability", released(runner="slope", change=slid))
    assert found("gold-stability", released(runner="slope", change=slid, answer="yes"))
    assert not found("gold-stability", released(runner="slope", answer="yes"))

    def trials(metadata: dict[str, Any]) -> None:
        order = {"tray": "stack_obj0", "jar": "stack_obj1", "mixing_bowl": "stack_obj2"}
        stable = (["tray", "mixing_bowl", "jar"], ["mixing_bowl", "tray", "jar"])
        metadata["trials"] = [{"order": [order[n] for n in names], "all_stable": True} for names in stable]
        metadata["trials"].append({"order": ["stack_obj1", "stack_obj0", "stack_obj2"], "all_stable": False})

    assert not found("gold-stack", released(runner="stacking", change=trials))
    wrong = json.dumps([["jar", "tray", "mixing_bowl"]])
    assert "no recorded trial found stable" in found("gold-stack", released(runner="stacking", change=trials, answer=wrong))[0].evidence
    fewer = json.dumps([["tray", "mixing_bowl", "jar"]])
    assert "leaves out" in found("gold-stack", released(runner="stacking", change=trials, answer=fewer))[0].evidence


def walk(metadata: dict[str, Any]) -> None:
    metadata["object_category"] = "baseball"
    metadata["path_waypoints"] = [[-2, -0.75], [2, -0.75]]
    metadata["step_log"] = [{"robot_xy": [x / 10, -0.75], "robot_quat_xyzw": [0, 0, 0, 1]} for x in range(-20, 21)]
    metadata["qa"] = {"choices": {"A": 0, "B": 1, "C": 2, "D": 3}}
    metadata["true_count"] = 1


def test_what_the_robot_passed() -> None:
    assert not found("gold-passed", released(runner="multiagent", change=walk, answer="1"))
    assert "0.75, 1.15" in found("gold-passed", released(runner="multiagent", change=walk, answer="C"))[0].evidence
    assert found("gold-state", released(runner="multiagent", change=walk, answer="2"))


def test_counts_and_what_is_counted() -> None:
    assert not found("gold-count", released(runner="counting"))
    assert "places 3" in found("gold-count", released(runner="counting", answer="4"))[0].evidence

    def none(metadata: dict[str, Any]) -> None:
        metadata["question_data"]["render"]["resolved_objects"] = {}

    def other(metadata: dict[str, Any]) -> None:
        for thing in metadata["question_data"]["render"]["resolved_objects"]["targets"]:
            thing["category"] = "club_sandwich"

    assert found("nothing-to-count", released(runner="counting", change=none, answer="0"))
    assert not found("question-names-absent", released(runner="counting"))
    assert "3 × club sandwich" in found("question-names-absent", released(runner="counting", change=other))[0].evidence


def test_phases_and_mirrors() -> None:
    assert not found("gold-state", released(runner="unobserved_changes"))
    assert "replace" in found("gold-state", released(runner="unobserved_changes", answer="no"))[0].evidence

    def direct(metadata: dict[str, Any]) -> None:
        metadata["question_data"]["placement"][0] |= {"visible_in_mirror": False, "visible_directly": True}

    assert "directly alone" in found("gold-state", released(runner="mirror", change=direct))[0].evidence
    assert not found("gold-state", released(runner="mirror", change=direct, answer="No"))


def rooms(kind: str, **inner: Any) -> dict[str, Any]:
    way = "On the shortest path from a_0 to b_0, which … among these options: hall_0, bath_0, a_0?"
    question, options = {
        "Connectivity": ("Are hall_0 and bath_0 adjacent, with a direct connection between them?", ["Yes", "No"]),
        "Regional Boundary": ("Which room does lamp belong to among these options: hall_0, bath_0?", ["hall_0", "bath_0"]),
        "Traversable Passage": (way, ["hall_0", "bath_0", "a_0"]),
    }[kind]

    def change(metadata: dict[str, Any]) -> None:
        metadata["question_data"] |= inner

    more = {"question": question, "options_json": json.dumps(options), "small_task": kind}
    return released(runner="cognitivemap", change=change, **more)


def test_rooms() -> None:
    through = {"graph_shortest_region_path": ["hall_0", "kitchen_0", "hall_0", "bath_0"]}
    assert found("gold-rooms", rooms("Connectivity", **through) | {"answer": "No"})
    assert not found("gold-rooms", rooms("Connectivity", **through) | {"answer": "Yes"})
    lamp = {"assigned_region": "bath_0", "object_category": "lamp", "object_name": "lamp_1"}
    seen = {"case_type": "object_in_region", "object_name": "lamp", "object_instance_name": "lamp_1", "views": [lamp]}
    assert "assign lamp_1 to bath_0" in found("gold-rooms", rooms("Regional Boundary", **seen) | {"answer": "hall_0"})[0].evidence
    assert not found("gold-rooms", rooms("Regional Boundary", **seen) | {"answer": "bath_0"})
    twice = seen | {"views": [lamp, lamp | {"assigned_region": "hall_0", "object_name": "lamp_2"}]}
    assert found("object-in-several-rooms", rooms("Regional Boundary", **twice) | {"answer": "bath_0"})
    way = {"internal_shortest_path_regions": ["hall_0"], "path_views": {"room_sequence": ["a_0", "hall_0", "b_0"]}}
    assert not found("gold-rooms", rooms("Traversable Passage", **way) | {"answer": "hall_0"})
    assert found("gold-rooms", rooms("Traversable Passage", **way) | {"answer": "bath_0"})
    assert found("option-ruled-out", rooms("Traversable Passage", **way) | {"answer": "hall_0"})


def test_a_way_whose_only_blank_is_its_goal() -> None:
    start = "You are beginning in the hall 0. You want to navigate to the bath 0. "
    last = start + "1. Choose the next region to explore. [please fill in] You have reached the final destination."
    options = json.dumps([["bath_0", "hall_0"]])
    assert found("gold-in-question", released(runner="cognitivemap", question=last, options_json=options, answer="bath_0"))
    first = start + "1. Choose. [please fill in] 2. Choose. bath_0 You have reached the final destination."
    assert not found("gold-in-question", released(runner="cognitivemap", question=first, options_json=options, answer="hall_0"))
