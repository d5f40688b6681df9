"""Scenes in the embedded simulator: what is shown, where, how large, and that it repeats exactly."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from sim_bridge.actions import CAMERA_ACTIONS, parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import BadRequest, SceneError, UnknownSession
from sim_bridge.host import Host
from sim_bridge.kinematics import looking
from sim_bridge.protocol import Act, Load
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.0, -1.2, 0.4, 0.0, -10.0)
SMALL = Camera(160, 120, 75.0)
EMPTY = Room(furnished=False, seed=3)


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def thing(n: Any, category: Any, x: float = 0.0, y: float = 0.0, z: float = 0.0, **more: Any) -> Object:
    return Object(f"object_{n}", category, Pose((x, y, z)), **{"on_floor": True, **more})


def scene(*objects: Any, room: Any = EMPTY, camera: Any = SMALL, **more: Any) -> Scene:
    return Scene(camera, room, objects, **more)


def pixels(observation: Any) -> Any:
    return decode_frame(observation.frames[-1]).astype(int)


def test_the_same_scene_and_actions_give_the_same_pixels(backend: Any) -> None:
    s = scene(thing(1, "mug"), thing(2, "bottle_of_hot_sauce", 0.2), room=Room(seed=5))
    runs = []
    for name in ("a", "b"):
        hashes = [backend.load(name, s, START, 0).frames[0].pixel_hash]
        hashes += [backend.act(name, parse_action(a)).observation.frames[0].pixel_hash for a in ("turn_left", "move_up", "move_forward")]
        runs.append(hashes)
    assert runs[0] == runs[1] and len(set(runs[0])) == 4
    fresh = create()
    assert fresh.load("c", s, START, 0).frames[0].pixel_hash == runs[0][0]
    fresh.shutdown()


def test_restoring_any_step_of_a_moving_scene_gives_back_its_frame(backend: Any) -> None:
    ball = thing(1, "tennis_ball", 0.0, 0.0, 0.9, on_floor=False, dynamic=True)
    backend.load("s", scene(ball, thing(2, "mug", 0.01, 0.0, dynamic=True), settle_steps=0), START, 0)
    taken = []
    for k in range(20):
        frame = backend.act("s", parse_action(CAMERA_ACTIONS[k % 10])).observation.frames[0]
        taken.append((backend.snapshot("s"), frame.pixel_hash))
    assert len({h for _, h in taken}) > 15
    for snapshot, expected in reversed(taken):
        backend.restore("s", snapshot)
        assert backend.observe("s").frames[0].pixel_hash == expected


def test_a_falling_ball_comes_to_rest_on_the_floor(backend: Any) -> None:
    backend.load("s", scene(thing(1, "tennis_ball", 0, 0, 0.5, on_floor=False, dynamic=True), settle_steps=600), START, 0)
    (state,), _ = backend.state("s")
    assert state.aabb_min_m[2] == pytest.approx(0.0, abs=0.004)


@pytest.mark.parametrize(("hfov", "width", "height"), [(60.0, 160, 120), (100.0, 160, 90), (63.3, 192, 108)])
def test_the_horizontal_field_of_view_is_exact(backend: Any, hfov: float, width: int, height: int) -> None:
    """A small bright ball is drawn where the pinhole projection puts it."""
    ball = Object("object_1", "golf_ball", Pose((0.3, 0.0, 0.5)), size_m=(0.06, 0.06, 0.06), params={"color": "red"})
    eye = looking(0.0, -1.0, 0.5)
    with_ball = pixels(backend.load("s", scene(ball, camera=Camera(width, height, hfov)), eye, 0))
    without = pixels(backend.load("t", scene(camera=Camera(width, height, hfov)), eye, 0))
    red = (with_ball[..., 0] - with_ball[..., 1] > 60) & (np.abs(with_ball - without).sum(-1) > 60)
    focal = width / 2 / math.tan(math.radians(hfov) / 2)
    assert np.nonzero(red)[1].mean() + 0.5 == pytest.approx(width / 2 + focal * 0.3, abs=0.8)
    assert np.nonzero(red)[0].mean() + 0.5 == pytest.approx(height / 2, abs=0.8)


def test_what_stands_behind_a_box_has_no_visible_pixels(backend: Any) -> None:
    hidden = thing(1, "mug", 0.0, 0.4)
    wall = thing(2, "packing_box", 0.0, 0.1, size_m=(0.8, 0.1, 0.6))
    seen = backend.load("s", scene(hidden, wall), looking(0, -1.2, 0.2), 0).visible
    assert "object_1" not in seen and seen["object_2"] > 1000
    assert backend.load("t", scene(hidden), looking(0, -1.2, 0.2), 0).visible["object_1"] > 40


def test_contents_of_glass_are_visible_and_so_is_the_glass(backend: Any) -> None:
    seen = backend.load(
        "s", scene(thing(1, "carafe", size_m=(0.2, 0.2, 0.3)), thing(2, "cherry_tomato", size_m=(0.05, 0.05, 0.05))), START, 0
    ).visible
    assert seen["object_2"] > 10 and seen["object_1"] > seen["object_2"]
    states, relations = backend.state("s")
    assert any(r.kind == "inside" and r.subject == "object_2" and r.object == "object_1" for r in relations)
    assert states[1].visible_pixels == pytest.approx(seen["object_2"], rel=0.3)


@pytest.mark.parametrize("category", ["mug", "guitar", "toothbrush", "box_of_crackers", "tennis_ball", "sofa"])
def test_boxes_have_the_requested_size_and_place(backend: Any, category: str) -> None:
    size = (0.31, 0.17, 0.23)
    o = Object("object_1", category, Pose((0.2, 0.3, 0.0)), origin="base", size_m=size, scale=(1.0, 1.0, 1.5))
    backend.load("s", scene(o), START, 0)
    (state,), _ = backend.state("s")
    assert np.subtract(state.aabb_max_m, state.aabb_min_m) == pytest.approx((0.31, 0.17, 0.345), abs=1e-4)
    assert state.aabb_min_m[2] == pytest.approx(0.0, abs=1e-6)
    assert state.pose.position_m == pytest.approx((0.2, 0.3, 0.1725))


def test_height_alone_keeps_the_proportions_and_on_floor_sets_it_down(backend: Any) -> None:
    turned = Pose((0.0, 0.0, 5.0), (math.sin(0.4), 0.0, 0.0, math.cos(0.4)))
    backend.load("s", scene(Object("object_1", "wine_bottle", turned, height_m=0.6, on_floor=True)), START, 0)
    (state,), _ = backend.state("s")
    natural = backend.catalogue.lookup("wine_bottle").real_size_m
    low, high = np.array(state.aabb_min_m), np.array(state.aabb_max_m)
    assert low[2] == pytest.approx(0.0, abs=1e-6)
    assert (high - low)[0] == pytest.approx(natural[0] * 0.6 / natural[2], rel=0.01)


def test_a_mirror_shows_what_is_out_of_view(backend: Any) -> None:
    """The mug stands behind the camera; only the mirror can show its red."""
    mirror = Object("object_1", "mirror", Pose((0.0, 1.5, 1.0)), size_m=(1.6, 0.05, 1.8))
    mug = thing(2, "mug", 0.35, -1.6, size_m=(0.5, 0.5, 0.6), params={"color": "red"})
    eye = looking(0.0, -0.8, 0.5)
    frames = []
    for objects in ((mirror, mug), (mirror,)):
        observation = backend.load("s", scene(*objects), eye, 0)
        assert "object_2" not in observation.visible
        image = pixels(observation)
        frames.append(int(((image[..., 0] - image[..., 1] > 50) & (image[..., 0] - image[..., 2] > 50)).sum()))
    assert frames[0] > 60 and frames[1] == 0


def test_a_second_mirror_is_refused(backend: Any) -> None:
    two = [Object(f"object_{n}", "mirror", Pose((n, 1.5, 1.0))) for n in (1, 2)]
    with pytest.raises(SceneError, match=r"objects\[1\].category: the renderer reflects in one mirror"):
        backend.load("s", scene(*two), START, 0)


def test_phases_hide_and_move_objects_and_return_the_camera(backend: Any) -> None:
    phases = (Phase("before"), Phase("after", hidden=("object_1",), moved={"object_2": Pose((0.6, 0.0, 0.0))}))
    backend.load("s", scene(thing(1, "mug", -0.3), thing(2, "apple", 0.3), phases=phases), START, 0)
    first = backend.observe("s")
    assert set(first.visible) == {"object_1", "object_2"} and first.phase == "before"
    backend.act("s", parse_action("move_left"))
    after = backend.set_phase("s", "after")
    assert set(after.visible) == {"object_2"} and after.phase == "after" and after.camera == first.camera
    states, _ = backend.state("s")
    assert [s.present for s in states] == [False, True]
    assert states[1].pose.position_m[0] == pytest.approx(0.6) and states[1].aabb_min_m[2] == pytest.approx(0.0, abs=1e-6)
    assert backend.set_phase("s", "before").frames[0].pixel_hash == first.frames[0].pixel_hash
    with pytest.raises(BadRequest, match="no phase 'later'; its phases: before, after"):
        backend.set_phase("s", "later")


def test_frames_inside_walls_furniture_and_objects_are_flagged(backend: Any) -> None:
    closed = thing(1, "fridge", 0.0, 0.5)
    backend.load("s", scene(closed, thing(2, "console_table", 1.2, 0.5)), START, 0)
    assert not backend.observe("s").clipped
    for position, clipped in (((0, 0.5, 0.6), True), ((0, 3.5, 0.6), True), ((0, 0, 3.0), True), ((1.2, 0.5, 0.4), False)):
        again = backend.load("t", scene(closed, thing(2, "console_table", 1.2, 0.5)), looking(*position), 0)
        assert again.clipped is clipped, position


def test_dim_light_is_darker_and_not_black(backend: Any) -> None:
    day, dim = (pixels(backend.load(k, scene(thing(1, "mug"), lighting=k), START, 0)).mean() for k in ("day", "dim"))
    assert 8 < dim < 0.5 * day


def test_furniture_stays_clear_of_objects_start_and_ways(backend: Any) -> None:
    room = Room(bounds_m=(-2.0, -2.0, 2.0, 2.0), seed=4)
    for seed in range(4):
        room = msgspec.structs.replace(room, seed=seed)
        backend.load("s", scene(thing(1, "mug", 1.0, 1.2), thing(2, "apple", -1.1, 0.9), room=room), START, 0)
        world = backend._sessions["s"].world
        assert not backend.observe("s").clipped
        for solid in world.furniture:
            half = np.abs(solid.rotation) @ solid.half
            assert (np.abs(solid.centre[:2]) + half[:2] < 2.03).all()
            for p in ((1.0, 1.2), (-1.1, 0.9), START.position_m[:2]):
                apart = np.maximum(np.abs(solid.centre[:2] - p) - half[:2], 0)
                assert np.linalg.norm(apart) > 0.3 or solid.centre[2] - half[2] > 1.0


def test_touching_and_apart(backend: Any) -> None:
    for gap, touching in ((0.0, True), (0.03, False)):
        boxes = [thing(n, "box_of_crackers", x, size_m=(0.2, 0.2, 0.2)) for n, x in ((1, -0.1), (2, 0.1 + gap))]
        backend.load("s", scene(*boxes), START, 0)
        _, relations = backend.state("s")
        assert any(r.kind == "touching" for r in relations) is touching


BAD = [
    ({"category": "narwhal"}, r"objects\[0\].category: no recognisable model of 'narwhal'"),
    ({"size_m": (0.1, -0.1, 0.1)}, r"objects\[0\].size_m: expected numbers above 0"),
    ({"size_m": (0.1, math.nan, 0.1)}, r"objects\[0\].size_m: expected numbers above 0"),
    ({"size_m": (90.0, 90.0, 1.0)}, r"objects\[0\].size_m: object_1 is larger than the room"),
    ({"scale": (0.0, 1.0, 1.0)}, r"objects\[0\].scale: expected numbers above 0"),
    ({"height_m": 400.0}, r"objects\[0\].height_m: object_1 is larger than the room"),
    ({"pose": Pose((0, 0, 0), (0, 0, 0, 0))}, r"objects\[0\].pose.quaternion_xyzw: expected a unit quaternion"),
    ({"pose": Pose((math.inf, 0, 0))}, r"objects\[0\].pose.position_m: expected finite metres"),
    ({"origin": "top"}, r"objects\[0\].origin: expected center or base, got 'top'"),
    ({"params": {"shiny": 1}}, r"objects\[0\].params: unknown setting 'shiny'; this backend knows color, label, glass"),
    ({"params": {"color": "plaid"}}, r"objects\[0\].params.color"),
    ({"params": {"glass": True}}, r"objects\[0\].params.glass"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_objects_are_refused_by_field(backend: Any, change: dict[str, Any], message: str) -> None:
    o = msgspec.structs.replace(thing(1, "mug"), **change)
    with pytest.raises(SceneError, match=message):
        backend.load("s", scene(o), START, 0)


def test_bad_scenes_are_refused_by_field(backend: Any) -> None:
    with pytest.raises(SceneError, match="objects: expected at most 500 objects, got 501"):
        backend.load("s", scene(*[thing(n, "apple") for n in range(501)]), START, 0)
    with pytest.raises(SceneError, match=r"objects\[1\].handle: expected a handle no other object has, got 'object_1'"):
        backend.load("s", scene(thing(1, "mug"), thing(1, "apple")), START, 0)
    with pytest.raises(SceneError, match="lighting: expected day, dim, evening, side or night, got 'noon'"):
        backend.load("s", scene(lighting="noon"), START, 0)
    with pytest.raises(SceneError, match="camera: expected at most 1920×1080 pixels, got 4000×120"):
        backend.load("s", scene(camera=Camera(4000, 120)), START, 0)
    with pytest.raises(SceneError, match=r"room\.bounds_m"):
        backend.load("s", scene(room=Room(bounds_m=(1, 1, 0, 0))), START, 0)


def test_a_refused_scene_leaves_the_session_as_it_was(backend: Any) -> None:
    before = backend.load("s", scene(thing(1, "mug")), START, 0)
    with pytest.raises(SceneError):
        backend.load("s", scene(thing(1, "narwhal")), START, 0)
    assert backend.observe("s").frames[0].pixel_hash == before.frames[0].pixel_hash


def test_snapshots_of_other_scenes_and_closed_sessions_are_refused(backend: Any) -> None:
    backend.load("s", scene(thing(1, "mug")), START, 0)
    other = backend.snapshot("s")
    backend.load("t", scene(thing(1, "apple")), START, 0)
    with pytest.raises(BadRequest, match="another scene"):
        backend.restore("t", other)
    backend.close("t")
    with pytest.raises(UnknownSession):
        backend.observe("t")


def test_more_worlds_than_renderers_keep_working(backend: Any) -> None:
    first = backend.load("w0", scene(thing(1, "apple", 0.01)), START, 0)
    for k in range(1, 11):
        backend.load(f"w{k}", scene(thing(1, "apple", 0.02 * k)), START, 0)
    assert backend.observe("w0").frames[0].pixel_hash == first.frames[0].pixel_hash


def test_pixels_are_counted_where_no_action_takes_an_object_too(backend: Any) -> None:
    host = Host(backend)
    loaded = host.handle(Load(session="count", scene=scene(thing(1, "mug")), start=START, actions=CAMERA_ACTIONS))
    moved = host.handle(Act(session="count", seq=1, action="move_forward"))
    assert 0 < loaded.observation.visible["object_1"] < moved.observation.visible["object_1"]  # type: ignore[attr-defined]
    host.close()
