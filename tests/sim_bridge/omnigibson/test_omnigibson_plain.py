"""What the OmniGibson adapter works out by itself: lens, configuration, objects, walks, releases, settings. No simulator, no stand-in."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from data.importers.esi import build
from data.importers.importer import Imported
from data.importers.reading import RawRow
from data.playable import needs_of
from sim_bridge.backends.omnigibson import camera, config, deeds, settings, walking
from sim_bridge.backends.omnigibson.backend import OmniGibsonBackend, gap
from sim_bridge.backends.omnigibson.session import Record, Session, read_record
from sim_bridge.backends.omnigibson.world import carried
from sim_bridge.errors import BadRequest, SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

LENS = Camera(1280, 720, 63.3)
START = looking(0.0, -1.0, 1.2)


def scene(*objects: Object, **more: Any) -> Scene:
    return Scene(LENS, Room(), objects, **more)


def thing(handle: str = "object_1", category: str = "mug", **more: Any) -> Object:
    return Object(handle, category, more.pop("pose", Pose((0.0, 0.0, 0.5))), **more)


# -- lens --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hfov", "focal"), [(100.0, 8.79), (70.0, 14.96), (55.0, 20.13)])
def test_the_focal_length_gives_the_field_of_view(hfov: float, focal: float) -> None:
    """Figures of the released generators, at the 20.955 mm of a USD camera."""
    assert camera.focal_length_mm(hfov, 20.955) == pytest.approx(focal, abs=0.01)
    assert camera.hfov_deg(camera.focal_length_mm(hfov, 20.955), 20.955) == pytest.approx(hfov)


def test_the_released_runners_lens_has_63_degrees_across_and_38_up() -> None:
    across = camera.hfov_deg(17.0, 20.955)
    assert across == pytest.approx(63.3, abs=0.05)
    assert camera.vfov_deg(Camera(1280, 720, across)) == pytest.approx(38.2, abs=0.1)


def test_a_point_ahead_falls_in_the_middle_and_one_to_the_right_right_of_it() -> None:
    pixels, ahead = camera.projected(
        LENS, looking(0.0, 0.0, 1.0), np.array([[0.0, 2.0, 1.0], [1.0, 2.0, 1.0], [0.0, 2.0, 2.0], [0.0, -2.0, 1.0]])
    )
    assert pixels[0] == pytest.approx([640.0, 360.0]) and pixels[1][0] > 640 and pixels[2][1] < 360
    assert ahead == pytest.approx([2.0, 2.0, 2.0, -2.0])


def test_the_edge_of_the_view_is_at_half_the_field_of_view() -> None:
    x = 3.0 * math.tan(math.radians(63.3 / 2))
    pixels, _ = camera.projected(LENS, looking(0.0, 0.0, 0.0), np.array([[x, 3.0, 0.0]]))
    assert pixels[0][0] == pytest.approx(1280.0)


def test_without_segmentation_what_is_hidden_is_not_seen() -> None:
    lens, eye = Camera(64, 48, 90.0), looking(0.0, 0.0, 1.0)
    box = ((-0.5, 2.0, 0.5), (0.5, 2.5, 1.5))
    open_view = np.full((48, 64), 2.2, np.float32)
    assert camera.shown_by_depth(lens, eye, *box, open_view) > 100
    assert camera.shown_by_depth(lens, eye, *box, np.full((48, 64), 1.0, np.float32)) == 0
    assert camera.shown_by_depth(lens, looking(0.0, 0.0, 1.0, yaw_deg=180.0), *box, open_view) == 0


@pytest.mark.parametrize(("lag", "most", "renders", "equal"), [(0, 20, 5, True), (3, 20, 5, True), (9, 20, 10, True), (30, 12, 12, False)])
def test_a_picture_is_rendered_until_two_in_a_row_are_the_same_or_the_cap_is_reached(
    lag: int, most: int, renders: int, equal: bool
) -> None:
    count = itertools.count(1)
    now = [0]

    def look() -> np.ndarray:
        return np.full((4, 4, 3), min(now[0], lag) * 5, np.uint8)

    seen, spent, same = camera.settled(lambda: now.__setitem__(0, next(count)), look, lambda v: v, 4, most)
    assert (spent, same) == (renders, equal)
    assert not equal or int(seen[0, 0, 0]) == lag * 5


def test_noise_of_less_than_one_level_counts_as_the_same() -> None:
    a = np.full((10, 10, 3), 100, np.uint8)
    b = a.copy()
    b[:3] += 3
    assert camera.alike(a, b) and not camera.alike(a, a + 1) and not camera.alike(a, a[:5])


# -- configuration -----------------------------------------------------------------------------------------------------------------------


def test_a_room_of_a_building_is_loaded_as_the_released_runner_loads_it() -> None:
    made = config.environment_config(scene(source_scene="Rs_int", source_room="kitchen_0"))
    assert (
        made["scene"] | {"load_room_instances": ["kitchen_0"], "not_load_object_categories": ["ceilings", "carpet", "walls"]}
        == made["scene"]
    )
    assert made["scene"]["type"] == "InteractiveTraversableScene" and made["scene"]["scene_model"] == "Rs_int"
    assert (made["env"]["action_frequency"], made["env"]["rendering_frequency"], made["env"]["physics_frequency"]) == (30, 30, 120)
    assert made["render"] == {"viewer_width": 1280, "viewer_height": 720} and made["task"] == {"type": "DummyTask"}


@pytest.mark.parametrize(
    "whole",
    [
        scene(source_scene="Rs_int", source_room="full_scene"),
        scene(source_scene="Rs_int"),
        scene(thing(category="mirror"), source_scene="Rs_int", source_room="bedroom_0"),
        scene(thing(), source_scene="Rs_int", source_room="bedroom_0", phases=(Phase("one"), Phase("two"))),
    ],
    ids=["said", "no room", "mirror", "phases"],
)
def test_what_needs_the_whole_building_gets_it(whole: Scene) -> None:
    assert config.environment_config(whole)["scene"]["load_room_instances"] is None


def test_a_cloth_makes_time_finer_and_leaves_nothing_out() -> None:
    made = config.environment_config(scene(thing(), source_scene="Rs_int", source_room="bedroom_0"), {"object_1"})
    assert made["env"]["physics_frequency"] == 240 and made["env"]["action_frequency"] == made["env"]["rendering_frequency"] == 60
    assert made["scene"]["not_load_object_categories"] is None


def test_clearing_asks_for_the_times_and_size_of_what_comes_next() -> None:
    asked = config.clear_arguments(config.environment_config(scene()))
    assert asked == {"physics_dt": 1 / 120, "rendering_dt": 1 / 30, "sim_step_dt": 1 / 30, "viewer_width": 1280, "viewer_height": 720}


def test_scenes_that_differ_in_objects_alone_share_their_surroundings() -> None:
    a, b = scene(thing(), source_scene="Rs_int", source_room="x_0"), scene(source_scene="Rs_int", source_room="x_0", lighting="dim")
    assert config.stage_key(a) == config.stage_key(b)
    for other in (
        msgspec.structs.replace(a, source_room="y_0"),
        msgspec.structs.replace(a, camera=Camera(640, 480, 63.3)),
        msgspec.structs.replace(a, objects=(thing(category="robot"),)),
    ):
        assert config.stage_key(other) != config.stage_key(a)
    assert config.stage_key(a, {"object_1"}) != config.stage_key(a)


@pytest.mark.parametrize(
    ("made", "how", "part"),
    [
        (thing(size_m=(0.1, 0.2, 0.3), scale=(2.0, 1.0, 1.0)), "add", {"bounding_box": [0.2, 0.2, 0.3], "fixed_base": True, "model": None}),
        (
            thing(model="abcdef", scale=(2.0, 2.0, 2.0), dynamic=True),
            "add",
            {"scale": [2.0, 2.0, 2.0], "fixed_base": False, "model": "abcdef"},
        ),
        (thing(category="mirror", size_m=(0.04, 1.0, 1.6)), "add", {"model": "tytkbq", "category": "mirror"}),
        (thing(category="ramp", size_m=(1.0, 0.6, 0.04)), "block", {"scale": [1.0, 0.6, 0.04], "primitive_type": "Cube"}),
        (thing(category="robot"), "robot", {"name": "bridge_object_1"}),
        (thing(model="scene_native"), "find", {}),
    ],
    ids=["sized", "scaled", "mirror", "ramp", "robot", "native"],
)
def test_an_object_is_made_of_what_the_scene_says(made: Object, how: str, part: dict[str, Any]) -> None:
    (planned,) = config.plan(scene(made))
    assert planned.how == how and part.items() <= planned.config.items()
    assert not {"scale", "bounding_box"} <= planned.config.keys(), "DatasetObject takes one of the two"


def test_furniture_that_carries_something_is_the_buildings_own_and_what_stands_on_it_is_not() -> None:
    table = thing("object_1", "breakfast_table", size_m=(1.0, 1.0, 0.6), pose=Pose((0.0, 0.0, 0.3)))
    jar = thing("object_2", "jar", size_m=(0.1, 0.1, 0.2), pose=Pose((0.1, 0.0, 0.7)))
    assert [p.how for p in config.plan(scene(table, jar, source_scene="Rs_int"))] == ["stand", "add"]
    assert [p.how for p in config.plan(scene(table, jar))] == ["add", "add"], "outside a building it has to be there"


def test_a_thing_of_the_building_is_known_by_kind_and_place() -> None:
    there = [config.There(f"sofa_{n}", "sofa", "m", (float(n), 0.0, 0.4)) for n in range(3)]
    assert config.already_there(thing(category="sofa", pose=Pose((1.1, 0.0, 0.5))), there) == "sofa_1"
    assert config.already_there(thing(category="sofa", model="m", pose=Pose((2.05, 0.0, 0.4))), there) == "sofa_2"
    for other in (
        thing(category="chair", pose=Pose((1.0, 0.0, 0.4))),
        thing(category="sofa", model="other", pose=Pose((1.0, 0.0, 0.4))),
        thing(category="sofa", pose=Pose((1.5, 0.0, 0.4))),
        thing(category="sofa", pose=Pose((1.0, 0.0, 1.4))),
    ):
        assert config.already_there(other, there) is None


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        (thing(pose=Pose((1.0, 2.0, 0.5))), (1.0, 2.0, 0.5)),
        (thing(pose=Pose((1.0, 2.0, 0.5)), origin="base"), (1.0, 2.0, 0.7)),
        (thing(pose=Pose((1.0, 2.0, 0.5)), on_floor=True), (1.0, 2.0, 0.3)),
    ],
    ids=["centre", "base", "floor"],
)
def test_the_middle_of_a_box_follows_from_what_its_position_means(placed: Object, expected: tuple[float, float, float]) -> None:
    assert config.centre_of(placed, placed.pose, 0.4, 0.1) == pytest.approx(expected)


def test_a_process_without_the_gpus_dynamics_refuses_cloth_by_name() -> None:
    with pytest.raises(SceneError, match=r"objects\[0\]\.category: a cloth \(towel\).*PHYSICS=particles"):
        config.check_physics(scene(thing(category="towel")), {"object_1"}, "rigid")
    config.check_physics(scene(thing(category="towel")), {"object_1"}, "particles")
    assert config.cloths_of(scene(thing(category="towel"), thing("object_2")), lambda c: {"cloth"} if c == "towel" else ()) == {"object_1"}


# -- settings ----------------------------------------------------------------------------------------------------------------------------


def test_physics_decide_what_a_worker_can_do(tmp_path: Path) -> None:
    rigid = OmniGibsonBackend(settings.read({}))
    wet = OmniGibsonBackend(settings.read({"SIM_BRIDGE_OMNIGIBSON_PHYSICS": "particles", "OMNIGIBSON_DATA_PATH": str(tmp_path)}))
    assert {"fill", "pour", "remove_cloth", "cloth", "liquid"} & set(rigid.capabilities) == set()
    assert {"fill", "pour", "remove_cloth", "cloth", "liquid"} <= set(wet.capabilities)
    assert not rigid.deterministic and not rigid.stage.engine.started, "saying what it can does not start the simulator"


# -- hands -------------------------------------------------------------------------------------------------------------------------------


def test_a_thing_lies_in_a_vessel_by_the_released_rule() -> None:
    vessel = ((0.0, 0.0, 0.0), (0.4, 0.4, 0.3))
    assert deeds.lies_in(((0.1, 0.1, 0.05), (0.2, 0.2, 0.4)), vessel)
    assert deeds.lies_in(((-0.04, 0.1, 0.05), (0.2, 0.2, 0.4)), vessel), "5 cm beyond the rim are allowed"
    assert not deeds.lies_in(((-0.06, 0.1, 0.05), (0.2, 0.2, 0.4)), vessel)
    assert not deeds.lies_in(((0.1, 0.1, 0.26), (0.2, 0.2, 0.5)), vessel), "its bottom is not 5 cm below the rim"


@pytest.mark.parametrize("hfov", [55.0, 63.3, 100.0])
def test_what_is_held_is_in_view_at_the_lower_right_whatever_the_lens(hfov: float) -> None:
    lens, eye = Camera(1280, 720, hfov), looking(1.0, 2.0, 1.2, yaw_deg=40.0, pitch_deg=-20.0)
    held = deeds.held_pose(lens, eye, (0.1, 0.1, 0.2))
    pixels, ahead = camera.projected(lens, eye, np.array([held.position_m]))
    assert 640 < pixels[0][0] < 1280 and 360 < pixels[0][1] < 720 and ahead[0] > 0


def test_spots_of_the_floor_are_ahead_and_those_in_use_are_not_free() -> None:
    eye = looking(0.0, 0.0, 1.2, yaw_deg=90.0)
    spots = deeds.floor_spots(eye, (0.2, 0.2, 0.3))
    assert all(x < 0 for x, _ in spots) and spots[0][1] == pytest.approx(0.0)
    blocked = [((spots[0][0] - 0.1, -0.1, 0.0), (spots[0][0] + 0.1, 0.1, 0.5))]
    assert not deeds.is_free(spots[0], (0.2, 0.2, 0.3), 0.0, blocked)
    assert deeds.is_free(spots[1], (0.2, 0.2, 0.3), 0.0, blocked)
    assert deeds.is_free(spots[0], (0.2, 0.2, 0.3), 0.0, [((-2.0, -2.0, 1.5), (2.0, 2.0, 1.6))]), "under a lamp there is room"


def test_water_goes_with_its_vessel_turned_and_moved() -> None:
    before, after = Pose((1.0, 0.0, 0.0)), Pose((0.0, 2.0, 1.0), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    assert carried(np.array([[1.1, 0.0, 0.05]]), before, after)[0] == pytest.approx([0.0, 2.1, 1.05])


def test_a_vessel_is_filled_from_two_per_cent_of_its_volume() -> None:
    assert [deeds.is_filled(w) for w in ((19.0, 1000.0), (20.0, 1000.0), (0.0, 0.0), None)] == [False, True, False, False]


def test_boxes_that_cross_have_no_gap() -> None:
    one = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert gap(one, ((0.5, 0.5, 0.5), (2.0, 2.0, 2.0))) == 0.0
    assert gap(one, ((4.0, 5.0, 0.0), (6.0, 6.0, 1.0))) == pytest.approx(5.0)


# -- walks -------------------------------------------------------------------------------------------------------------------------------


def test_a_robot_is_where_its_way_leads_and_looks_along_it() -> None:
    start, way = Pose((0.0, 0.0, 0.1), (0.0, 0.0, 1.0, 0.0)), [(2.0, 0.0), (2.0, 1.0)]
    assert walking.length_m(start, way) == 3.0
    assert walking.along(start, way, 0.0) == start
    assert walking.along(start, way, 0.5).position_m == (0.5, 0.0, 0.1)
    end = walking.along(start, way, 9.0)
    assert end.position_m == (2.0, 1.0, 0.1) and end.quaternion_xyzw == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


@pytest.mark.parametrize(
    ("params", "words"), [({"path": [[0, "x"]]}, "path"), ({"path": 3}, "path"), ({"step_m": 0.0}, "step_m"), ({"step_m": True}, "step_m")]
)
def test_a_walk_that_makes_no_sense_is_refused_by_name(params: dict[str, Any], words: str) -> None:
    with pytest.raises(SceneError, match=rf"scene\.objects\[0\]\.params\.{words}"):
        config.check_world(scene(thing(category="robot", params=params)), START)


def test_only_a_robot_walks() -> None:
    with pytest.raises(SceneError, match=r"params\.path"):
        config.check_world(scene(thing(params={"path": []})), START)


# -- snapshots ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [Record(START, held="object_9"), Record(START, poses={"object_9": START}), Record(START, phase="never")])
def test_a_snapshot_of_another_scene_is_refused(record: Record) -> None:
    here = Session(scene(thing()), START, 0, frozenset(), (), Record(START))
    with pytest.raises(BadRequest, match="another scene"):
        read_record(msgspec.msgpack.encode(record), here)
    assert read_record(msgspec.msgpack.encode(Record(START, held="object_1")), here).held == "object_1"


# -- rows of the released form -----------------------------------------------------------------------------------------------------------


def small_row() -> dict[str, str]:
    """A made-up row in the form of the release: three things on the floor of a room."""
    placed = [
        {"category": c, "model": m, "position": [x, 1.0, 0.1], "quaternion_xyzw": [0, 0, 0, 1]}
        for c, m, x in (("candle", "aaaaaa", 0.0), ("teacup", "bbbbbb", 0.5), ("carton", "cccccc", 1.0))
    ]
    poses = [{"position": [0.5, -1.0 - i, 0.03], "quaternion_xyzw": [0.7071068, 0, 0, 0.7071068]} for i in range(2)]
    payload = {
        "objects": [{"_key": f"obj{n}", "_indices": [n], **record} for n, record in enumerate(placed, 1)],
        "camera_poses": [{"_key": f"{n}.png", **pose} for n, pose in enumerate(poses)],
        "floor_name": "floors_abcdef_0",
    }
    texts = {
        "id": "0001",
        "big_task": "Spatial Relations",
        "small_task": "Linear Alignment",
        "runner_task": "line",
        "scene": "Rs_int",
        "room": "living_room_0",
        "question": "Are the candle, the teacup and the carton in a line?",
        "answer": "yes",
        "answer_type": "choice",
    }
    return texts | {
        "options_json": msgspec.json.encode(["yes", "no"]).decode(),
        "image_paths_json": "[]",
        "metadata_json": msgspec.json.encode(payload).decode(),
    }


def test_a_row_of_the_released_form_becomes_a_room_with_its_things() -> None:
    made = build(RawRow(file="Spatial Relations/Linear Alignment/Rs_int/living_room_0/q.json", value=small_row()))
    assert isinstance(made, Imported), made
    there = made.task.scene
    config.check_world(there, made.task.start)
    assert config.environment_config(there)["scene"]["load_room_instances"] == ["living_room_0"]
    planned = config.plan(there)
    assert sorted((p.how, p.config["category"], p.config["model"]) for p in planned) == [
        ("add", "candle", "aaaaaa"),
        ("add", "carton", "cccccc"),
        ("add", "teacup", "bbbbbb"),
    ]


def test_what_tasks_need_of_the_source_is_listed_once_with_how_many_need_it() -> None:
    made = build(RawRow(file="Spatial Relations/Linear Alignment/Rs_int/living_room_0/q.json", value=small_row()))
    assert isinstance(made, Imported)
    assert needs_of([made.task, made.task]) == [
        {"building": "Rs_int", "tasks": 2},
        {"category": "candle", "model": "aaaaaa", "tasks": 2},
        {"category": "carton", "model": "cccccc", "tasks": 2},
        {"category": "teacup", "model": "bbbbbb", "tasks": 2},
    ]
