"""Scenes of rows in the released form against what the rows record: what agrees, what differs as the task says, what nobody can explain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from bench.row_facts import facts, seen
from bench.rows import Compared, _crosses, _hidden, compare, measure
from data.fidelity import fidelity
from data.generators.lab import Lab
from data.task import Task
from sim_bridge.spec import ObjectState, Pose
from tests.data.released_rows import BUILDERS, confusion_row, counting_row, task_of, transparent_row
from tests.lost import Lost

RECORDED = (
    "action",
    "angle_confusion",
    "counting",
    "distance",
    "line",
    "mirror",
    "occlusion",
    "size",
    "storage",
    "transparent",
    "triangle",
)
"""Runners whose rows record where their things are."""


def row_of(runner: str) -> Task:
    """A row of a runner, with kinds of things that have a model."""
    text = json.dumps(BUILDERS[runner]())
    for unknown, known in (("red_mug", "mug"), ("baby_oil", "apple"), ("hot_sauce", "banana"), ("address", "candle")):
        text = text.replace(unknown.replace("_", " "), known)
        text = text.replace(unknown, known)
    return task_of(json.loads(text))


@pytest.fixture(scope="module")
def found(lab: Lab) -> dict[str, dict[str, Any]]:
    return {runner: measure(lab, [row_of(runner)]) for runner in RECORDED}


@pytest.mark.parametrize("runner", RECORDED)
def test_what_a_row_records_is_there_and_what_differs_is_stated(found: dict[str, dict[str, Any]], runner: str) -> None:
    told = found[runner]
    assert told["failed"] == {} and (told["start_cameras"]["within"], told["start_cameras"]["compared"]) == (1, 1)
    assert told["places"]["compared"] == len(facts(row_of(runner))) > 0
    assert told["places"]["unexplained"] == {} and told["boxes"]["unexplained"] == {}, told["places"]["listed"] + told["boxes"]["listed"]


def test_what_a_row_calls_visible_is_looked_for_from_its_own_camera(found: dict[str, dict[str, Any]]) -> None:
    assert len(seen(task_of(confusion_row()))) == 1
    assert (found["angle_confusion"]["visible"]["within"], found["angle_confusion"]["visible"]["compared"]) == (1, 1)


def states_of(task: Task, shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0), wider_m: float = 0.0) -> tuple[ObjectState, ...]:
    """The things of a task as they are recorded, moved and widened."""
    made = []
    for thing in task.scene.objects:
        at = tuple(v + s for v, s in zip(thing.pose.position_m, shift_m, strict=True))
        half = [v / 2 + wider_m for v in thing.size_m or (0.1, 0.1, 0.1)]
        low, high = (tuple(v + sign * h for v, h in zip(at, half, strict=True)) for sign in (-1, 1))
        pose = Pose(at, thing.pose.quaternion_xyzw)  # type: ignore[arg-type]
        made.append(ObjectState(thing.handle, thing.category, pose, low, high, visible_pixels=0))  # type: ignore[arg-type]
    return tuple(made)


def differences(task: Task, states: tuple[ObjectState, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    places, boxes = Compared(), Compared()
    compare(task, states, places, boxes)
    return places.as_json(), boxes.as_json()


def test_what_is_elsewhere_or_larger_without_a_reason_is_unexplained() -> None:
    task = task_of(transparent_row())
    places, boxes = differences(task, states_of(task))
    assert (places["share"], boxes["share"]) == (1.0, 1.0)
    places, boxes = differences(task, states_of(task, shift_m=(0.03, 0.0, 0.0)))
    assert places["unexplained"] == {"otherwise": 2} == boxes["unexplained"] and places["stated"] == {}
    assert all(": otherwise, 3.0 cm (unexplained)" in line for line in (*places["listed"], *boxes["listed"]))
    places, boxes = differences(task, states_of(task, wider_m=0.02))
    assert places["share"] == 1.0 and boxes["unexplained"] == {"otherwise": 2}
    missing, _ = differences(task, ())
    assert missing["unexplained"] == {"not there": 2}


def sunk(value: dict[str, Any]) -> dict[str, Any]:
    """A row whose things lie 4 cm deep in the floor."""
    metadata = json.loads(value["metadata_json"])
    for target in metadata["question_data"]["render"]["resolved_objects"]["targets"]:
        target["bbox"] = [[x, y, z - 0.04] for x, y, z in target["bbox"]]
    return {**value, "metadata_json": json.dumps(metadata)}


def test_what_the_task_states_of_itself_is_told_apart(lab: Lab) -> None:
    task = task_of(sunk(counting_row()))
    told = measure(lab, [task])
    how = fidelity(task)
    assert how is not None and how.places == "approximate"
    assert told["places"]["stated"] == {"set on our floor": 3} == told["boxes"]["stated"] and told["places"]["unexplained"] == {}
    silent = task.model_copy(update={"tags": {}})
    assert measure(lab, [silent])["places"]["unexplained"] == {"set on our floor": 3}, "who does not say it does not get away with it"


@pytest.mark.parametrize(
    ("end", "crosses"),
    [((4.0, 0.0, 0.0), True), ((0.9, 0.0, 0.0), False), ((4.0, 8.0, 0.0), False), ((4.0, 0.0, 4.1), False), ((0.0, 3.0, 0.0), False)],
)
def test_what_hides_a_thing_is_between_it_and_the_camera(end: tuple[float, float, float], crosses: bool) -> None:
    assert _crosses((0.0, 0.0, 0.0), end, (1.0, -1.0, -1.0), (2.0, 1.0, 1.0)) is crosses


def test_a_thing_behind_a_larger_kind_than_the_source_shows_is_told_as_such() -> None:
    task = task_of(counting_row())
    first, *others = states_of(task)
    eye = Pose((first.pose.position_m[0] - 3.0, 0.0, 0.05))
    far = max((first, *others), key=lambda s: s.pose.position_m[0])
    words = _hidden(task.model_copy(update={"tags": {"substituted": "club sandwich"}}), eye, far, (first, *others))
    assert words == ("behind another of its kind, which is larger than what the source shows", True)
    assert _hidden(task, eye, far, (first, *others)) == ("behind another thing of the row, whose shape is ours", False)
    assert _hidden(task, eye, far, (far,)) == ("behind what furnishes the room", False)


def test_things_that_lie_askew_have_sizes_that_are_approximate() -> None:
    task = task_of(transparent_row())
    exact = fidelity(task)
    assert exact is not None and exact.sizes == "exact"
    vessel = next(o for o in task.scene.objects if o.handle in task.vessels)
    for turned, sizes in (
        ((0.0, 0.0, 0.1305, 0.9914), "approximate"),
        ((0.0, 0.0, 0.7071, 0.7071), "exact"),
        ((0.7071, 0.0, 0.0, 0.7071), "exact"),
        ((0.1305, 0.0, 0.0, 0.9914), "approximate"),
    ):
        askew = structs.replace(vessel, pose=Pose(vessel.pose.position_m, turned))
        scene = structs.replace(task.scene, objects=tuple(askew if o is vessel else o for o in task.scene.objects))
        how = fidelity(task.model_copy(update={"scene": scene}))
        assert how is not None and how.sizes == sizes, turned


def test_a_row_with_which_the_simulator_is_lost_is_measured_once_by_another(lab: Lab, found: dict[str, dict[str, Any]]) -> None:
    others = [lab.calls]
    mortal = Lab(Lost(lab.calls, 1), lambda: others.pop(0))
    assert measure(mortal, [row_of("angle_confusion")]) == found["angle_confusion"]
    assert not others
