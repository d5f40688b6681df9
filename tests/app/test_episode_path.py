"""The plan and the table of an episode's steps say where the camera was, where it looked and how long each part of a step took."""

from __future__ import annotations

import math

import msgspec
import pytest

from app.pages import episode_path
from sim_bridge.houses.derive import plan as house_plan
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, Object, Phase, Pose, Room, Scene
from study.course import Moment

LEVEL = looking(0.0, 0.0, 1.0)


def moment(seq: int, pose: Pose = LEVEL, pressed: float | None = None, painted: float | None = None, **more: object) -> Moment:
    at = msgspec.json.encode(pose).decode()
    return Moment(seq=seq, action="move_forward", pose_after=at, client_time_ms=pressed, painted_ms=painted, **more)  # type: ignore[arg-type]


def room(*objects: Object, **fields: object) -> Scene:
    return Scene(camera=Camera(64, 48), room=Room(), objects=objects, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("yaw", [0.0, 90.0, -34.0])
def test_where_a_camera_looks_on_the_plan(yaw: float) -> None:
    """`looking` takes a turn to the left from +y, degrees; on the plan up is +y."""
    (_, _, x, y, _), = episode_path.plan(room(), [moment(0, looking(0.0, 0.0, 1.0, yaw))])["path"]  # fmt: skip
    assert (x, y) == pytest.approx((-math.sin(math.radians(yaw)), -math.cos(math.radians(yaw))), abs=1e-3)


def test_a_camera_that_looks_straight_down_has_the_direction_in_which_it_would_walk() -> None:
    (_, _, x, y, _), = episode_path.plan(room(), [moment(0, looking(0.0, 0.0, 1.0, 90.0, -90.0))])["path"]  # fmt: skip
    assert (x, y) == pytest.approx((-1.0, 0.0), abs=1e-3)


def test_boxes_are_turned_as_they_lie_and_those_of_each_part_of_the_task() -> None:
    turned = Object(
        "object_1", "box", Pose((0.0, 0.0, 0.5), (0.0, 0.0, math.sin(math.pi / 8), math.cos(math.pi / 8))), size_m=(1.0, 1.0, 1.0)
    )
    hidden = Object("object_2", "box", LEVEL, size_m=(1.0, 1.0, 1.0))
    parts = (Phase("before", hidden=("object_2",)), Phase("after", moved={"object_1": Pose((1.0, 0.0, 0.5))}))
    drawn = episode_path.plan(room(turned, hidden, phases=parts), [moment(0)])
    scale = math.dist(drawn["walls"][0][:2], drawn["walls"][0][2:]) / 6
    assert [len(drawn["boxes"][name]) for name in ("before", "after")] == [1, 2]

    def across(outline: list[list[float]]) -> float:
        return (max(x for x, _ in outline) - min(x for x, _ in outline)) / scale

    assert len(drawn["boxes"]["before"][0]) == 4
    assert across(drawn["boxes"]["before"][0]) == pytest.approx(math.sqrt(2), abs=0.01)
    assert across(drawn["boxes"]["after"][0]) == pytest.approx(1.0, abs=0.01)


def test_the_plan_shows_what_is_around_the_way_and_the_boxes_and_no_more() -> None:
    far = Room(bounds_m=(-20.0, -20.0, 0.5, 20.0))
    scene = Scene(camera=Camera(64, 48), room=far)
    drawn = episode_path.plan(scene, [moment(0), moment(1, looking(0.0, 2.0, 1.0)), moment(2, looking(0.0, 2.0, 1.0))])
    across, up = episode_path.AROUND_M + 0.5 + episode_path.MARGIN_M, 2.0 + 2 * episode_path.AROUND_M
    assert drawn["width"] / drawn["height"] == pytest.approx(across / up, abs=0.01)
    assert drawn["path"][0][1] - drawn["path"][1][1] == pytest.approx(drawn["height"] * 2.0 / up, abs=1.0)


def test_walls_are_those_of_the_room_or_of_the_house_with_its_doors_open() -> None:
    assert len(episode_path.plan(room(), [moment(0)])["walls"]) == 4
    house = House(seed=3, rooms=4)
    made = house_plan(3, 4)
    drawn = episode_path.plan(room(house=house), [moment(0)])
    x0, _, x1, _ = made.bounds_m
    points = [wall[k : k + 2] for wall in drawn["walls"] for k in (0, 2)]
    scale = (max(x for x, _ in points) - min(x for x, _ in points)) / (x1 - x0)
    length = sum(math.dist(wall[:2], wall[2:]) for wall in drawn["walls"]) / scale
    whole = sum(wall.length_m for wall in made.walls)
    assert length == pytest.approx(whole - sum(door.width_m for door in made.doors), abs=0.1)


def test_a_step_has_two_times_where_both_clocks_are_known() -> None:
    steps = [
        moment(0),
        moment(1, pressed=2500.0, painted=1000.0),
        moment(2, pressed=2600.0, painted=2900.0, queued_ms=300.0),  # it waited: it answered an earlier view
        moment(3, pressed=9000.0, painted=3100.0),
        moment(4, pressed=60000.0, painted=50000.0, epoch=2),  # the page was opened again between
    ]
    assert episode_path.times(steps) == [(None, None), (1.5, 0.4), (None, 0.5), (5.9, None), (10.0, None)]
    told = episode_path.table(steps, {1: ("the bowl", 70)})
    assert told["View to press, s"].isna().tolist() == [True, False, True, False, False] and told["View to press, s"][1] == 1.5
    assert (told["Belief"][1], told["Confidence"][1], told["z, m"][2]) == ("the bowl", 70, 1.0)
