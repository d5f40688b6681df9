"""Rooms and houses in the embedded simulator: furnished sensibly, lit everywhere, the same each time, and refused by field."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from sim_bridge import houses
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import SceneError
from sim_bridge.houses import navigation
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, HouseDoor, HouseLayout, HouseRoom, Object, Pose, Room, Scene
from sim_bridge.validation import check_scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

from sim_bridge.backends.mujoco.rooms import furnished, house_shell, lights
from sim_bridge.backends.mujoco.rooms.furnishing import overlaps
from sim_bridge.backends.mujoco.rooms.kinds import STYLES

SMALL = Camera(160, 120, 75.0)
PLAN = houses.plan(2, 7)
START = looking(*PLAN.centre("living room"), 1.5)


def house(
    plan: Any = PLAN, rooms_n: int = 7, seed: int = 2, camera: Any = SMALL, labels: bool = False, objects: Any = (), **more: Any
) -> Scene:
    return Scene(camera, plan.bounding_room(), objects, house=House(seed, rooms_n, labels), **more)


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


@pytest.fixture(scope="module")
def session(backend: Any) -> str:
    backend.load("house", house(), START, 0)
    return "house"


def views(backend: Any, session: str, *poses: Any) -> Any:
    return [decode_frame(f).astype(int) for f in backend.views(session, poses)]


# --- furniture --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(STYLES))
def test_furniture_stands_in_the_room_clear_of_doors_and_of_other_furniture(kind: Any, catalogue: Catalogue) -> None:
    for seed, (x, y) in enumerate(((2.3, 1.9), (1.7, 1.5), (4.0, 3.0))):
        scene = Scene(SMALL, Room((-x, -y, x, y), kind=kind, seed=seed))
        (space,), (pieces,) = house_shell.spaces(scene), furnished.furnish(scene, looking(0, 0, 1.5), [], catalogue)
        standing = [p for p in pieces if not p.on_wall and not p.flat]
        assert len(standing) >= 2, (kind, seed)
        for i, p in enumerate(standing):
            assert space.holds(p.footprint) or p.category == "chair", (kind, seed, p.category)
            assert abs(p.centre_m[2] - float(p.model.size[2]) / 2) < 1e-6
            for door in space.keep:
                assert not overlaps(p.footprint, door), (kind, seed, p.category)
            for q in standing[:i]:
                chairs = {"chair", "stool", "desk_chair", "bar_stool"} & {p.category, q.category}
                assert chairs or not overlaps(p.footprint, q.footprint), (kind, seed, p.category, q.category)


def test_furniture_faces_the_right_way(catalogue: Catalogue) -> None:
    facing = 0
    for seed in range(6):
        scene = Scene(SMALL, Room((-2.4, -2.1, 2.4, 2.1), kind="living_room", seed=seed))
        by_name = {p.category: p for p in furnished.furnish(scene, looking(2.0, 1.6, 1.5), [], catalogue)[0]}
        for name in ("sofa", "tv_stand", "bookcase"):
            p = by_name.get(name)
            if p is not None:  # its back is at a wall: ahead there is room, behind there is none
                ahead, behind = (np.array(p.centre_m[:2]) + s * p.forward * (float(p.model.size[1]) / 2 + 0.2) for s in (1, -1))
                assert (abs(ahead) < (2.4, 2.1)).all() and not (abs(behind) < (2.4, 2.1)).all()
        if {"sofa", "tv_stand"} <= set(by_name):
            sofa, stand = by_name["sofa"], by_name["tv_stand"]
            facing += float(sofa.forward @ stand.forward) < -0.99
            assert by_name["television"].centre_m[2] > stand.top_m
    assert facing >= 4


def test_no_furniture_looks_like_an_object_of_the_task(catalogue: Catalogue) -> None:
    objects = (
        Object("object_1", "sofa", Pose((0.0, 0.0, 0.0)), on_floor=True),
        Object("object_2", "straight_chair", Pose((1, 0, 0)), on_floor=True),
    )
    for kind, name in (("living_room", "sofa"), ("dining_room", "chair")):
        scene = Scene(SMALL, Room((-4, -3, 4, 3), kind=kind, seed=1), objects)
        pieces = furnished.furnish(scene, looking(0, 0, 1.5), [], catalogue)[0]
        assert name not in {p.category for p in pieces} and pieces


def test_every_room_of_a_furnished_house_can_be_walked_to(catalogue: Catalogue) -> None:
    for seed, n in ((2, 7), (9, 6), (12, 8), (4, 5), (1, 3)):
        plan = houses.plan(seed, n)
        scene = house(plan, n, seed)
        furniture = furnished.furnish(scene, looking(*plan.centre(plan.names[0]), 1.5), [], catalogue)
        assert sum(map(len, furniture)) > 4 * n
        feet = [p.footprint for pieces in furniture for p in pieces if not p.on_wall and not p.flat]
        floor = navigation.grid(plan, feet)
        for name in plan.names:
            doors = [d for d in plan.doors if name in d.rooms]
            assert floor.path(doors[0].centre_m, plan.doors[0].centre_m) is not None, (seed, n, name)


# --- houses -----------------------------------------------------------------------------------------------------------


def test_a_house_looks_the_same_each_time(backend: Any, session: str) -> None:
    again = create()
    poses = [looking(*PLAN.centre(name), 1.5, 40.0, -10.0) for name in PLAN.names]
    again.load("again", house(), START, 0)
    for a, b in zip(views(backend, session, *poses), views(again, "again", *reversed(poses))[::-1], strict=True):
        assert (a == b).all()
    again.shutdown()


def test_leaving_out_rooms_that_cannot_be_seen_changes_no_pixel(backend: Any, session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    s = backend._sessions[session]
    renderer = backend._renderers.get(s.world)
    view = renderer._view
    rng = np.random.default_rng(3)
    free = np.argwhere(navigation.empty_grid(PLAN).free)
    left_out = 0
    for _ in range(24):
        x, y = navigation.empty_grid(PLAN).middle(tuple(free[rng.integers(len(free))]))
        eye = backend._eye(looking(x, y, float(rng.choice([0.5, 1.5])), float(rng.uniform(0, 360)), float(rng.choice([0, -20, 30, -70]))))
        lean = renderer.picture(s.data, *eye)
        few = renderer._scene.ngeom
        # An eye in every room at once, all around: nothing is left out.
        with monkeypatch.context() as patch:
            patch.setattr(view, "visible", lambda *_: view._everywhere)
            patch.setattr(renderer._sight, "unneeded", lambda *_: np.zeros(s.world.model.ngeom, bool))
            full = renderer.picture(s.data, *eye)
        assert (lean == full).all()
        left_out += few < 0.6 * renderer._scene.ngeom
    assert left_out >= 12


def test_the_next_room_shows_through_a_door_and_not_through_a_wall(backend: Any) -> None:
    """A red ball stands in the room east of the eye: seen through the open door, hidden by the same wall without it."""
    row = [HouseRoom(name, "storage_room", ((3.0 * i, 0.0, 3.0 * i + 3.0, 3.0),)) for i, name in enumerate(("a", "b", "c"))]
    ball = Object("object_1", "golf_ball", Pose((4.2, 1.5, 1.2)), size_m=(0.4, 0.4, 0.4), params={"color": "red"})
    seen = []
    for first in (("a", "b", (3.0, 1.5)), ("a", "b", (3.0, 0.6))):
        doors = (HouseDoor(first[:2], first[2], "y"), HouseDoor(("b", "c"), (6.0, 0.6), "y"))
        scene = Scene(
            SMALL, Room((0.0, 0.0, 9.0, 3.0), height_m=2.6, furnished=False), (ball,), house=House(layout=HouseLayout(tuple(row), doors))
        )
        eye = looking(0.6, 1.5, 1.2, -90.0)
        seen.append(backend.load("ball", scene, eye, 0).visible.get("object_1", 0))
        assert not backend.observe("ball").clipped
        inside_wall = backend.load("wall", scene, looking(3.0, 2.7, 1.2), 0)
        assert inside_wall.clipped
    assert seen[0] > 20 and seen[1] == 0


def test_no_room_is_black_or_burnt_out(backend: Any, session: str) -> None:
    for name in PLAN.names:
        for image in views(backend, session, *(looking(*PLAN.centre(name), 1.5, yaw, -10.0) for yaw in (0, 120, 240))):
            assert 70 < image.mean() < 225, name


def test_names_are_shown_only_where_asked_for_and_large_enough_to_read(backend: Any) -> None:
    plan = houses.plan(9, 6)
    big = Camera(640, 480, 75.0)
    for labels in (False, True):
        backend.load(f"labels {labels}", house(plan, 6, 9, big, labels), looking(*plan.centre("kitchen"), 1.5), 0)
    for name in ("kitchen", "hallway"):
        tallest = 0
        for yaw in range(0, 360, 90):
            plain, named = (views(backend, f"labels {k}", looking(*plan.centre(name), 1.5, yaw, 12.0))[0] for k in (False, True))
            rows = np.flatnonzero((np.abs(plain - named).max(2) > 40).any(1))
            tallest = max(tallest, len(rows))
        assert tallest >= 24, f"{name}: its plate is {tallest} pixels tall at best"


# --- light ------------------------------------------------------------------------------------------------------------


def test_light_changes_the_pixels_and_not_the_geometry(backend: Any) -> None:
    eye = looking(-1.8, -1.4, 1.5, -50.0, -12.0)
    images, models = {}, {}
    for lighting in ("day", "side", "evening", "dim"):
        scene = Scene(SMALL, Room((-2.3, -1.9, 2.3, 1.9), kind="office", seed=4), lighting=lighting)
        images[lighting] = decode_frame(backend.load(lighting, scene, eye, 0).frames[0]).astype(int)
        models[lighting] = backend._sessions[lighting].world.model
    for name, model in models.items():
        assert np.array_equal(model.geom_pos, models["day"].geom_pos) and np.array_equal(model.mesh_vert, models["day"].mesh_vert)
        if name != "day":
            assert (np.abs(images[name] - images["day"]).max(2) > 8).mean() > 0.5
    assert images["day"].mean() > images["evening"].mean() > images["dim"].mean() > 8
    warm = images["evening"][..., 0].mean() - images["evening"][..., 2].mean()
    assert warm > images["day"][..., 0].mean() - images["day"][..., 2].mean() + 8


@pytest.mark.parametrize("down", [False, True])
def test_a_lit_lamp_brightens_what_is_near_it(down: bool, backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(SMALL, Room((-2.0, -2.0, 2.0, 2.0), seed=4, furnished=False), lighting="dim", settle_steps=int(down))
    eye = looking(0.0, -1.6, 1.2, 0.0, -25.0)
    dark = decode_frame(backend.load("dark", scene, eye, 0).frames[0]).astype(int)
    plain = lights.add

    def with_lamp(spec: Any, s: Any) -> None:
        plain(spec, s)
        lights.add_lamp(spec.worldbody.add_body(pos=[0.0, 0.6, 1.2]), (0.0, 0.0, 0.0), down=down)

    monkeypatch.setattr(lights, "add", with_lamp)
    other = msgspec.structs.replace(scene, settle_steps=10 + int(down))
    lit = decode_frame(backend.load("lit", other, eye, 0).frames[0]).astype(int)
    gain = (lit - dark).sum(2)
    assert gain.min() >= 0 and gain[80:].mean() > 25 and gain.max() > 90


def test_the_lamp_hangs_in_the_room_of_the_camera(backend: Any, session: str) -> None:
    s = backend._sessions[session]
    spot = s.world.model.light("spot").id
    for name in PLAN.names:
        views(backend, session, looking(*PLAN.centre(name), 1.5))
        assert PLAN.room_at(tuple(s.data.light_xpos[spot][:2])) == name


# --- bad input and other backends ---------------------------------------------------------------------------------------


def test_impossible_houses_are_refused_by_field() -> None:
    good = house()
    replace = msgspec.structs.replace
    cases = [
        (replace(good, house=House(2, 2)), r"scene.house.rooms: expected 3 to 9, got 2"),
        (replace(good, house=House(2, 10)), r"scene.house.rooms: expected 3 to 9, got 10"),
        (replace(good, house=House(-1, 7)), r"scene.house.seed: expected a whole number from 0 up"),
        (replace(good, room=Room((0, 0, 5, 5))), r"scene.room.bounds_m: expected the rectangle around the house"),
        (replace(good, room=replace(good.room, height_m=1.9)), r"scene.room.height_m: expected 2.3 to 4 m in a house, got 1.9"),
        (replace(good, house=House(layout=HouseLayout((), ()))), r"scene.house.layout.rooms: expected 3 to 9, got 0"),
        (replace(good, lighting="noon"), r"scene.lighting: expected day, dim, evening, side or night, got 'noon'"),
    ]
    check_scene(good)
    for scene, message in cases:
        with pytest.raises(SceneError, match=message):
            check_scene(scene)
    for value in ("five", 4.5, None, True):
        document = msgspec.to_builtins(good)
        document["house"]["seed"] = value
        with pytest.raises(msgspec.ValidationError, match="int"):
            msgspec.convert(document, Scene)


def test_an_unknown_kind_of_room_is_a_living_room(backend: Any) -> None:
    eye = looking(0.0, -1.5, 1.5)
    first, second = (
        backend.load(k, Scene(SMALL, Room(kind=k, seed=3)), eye, 0).frames[0].pixel_hash for k in ("living_room", "zeppelin_hangar")
    )
    assert first == second


def test_the_toy_accepts_houses_and_every_light() -> None:
    toy = ToyBackend()
    for lighting in ("day", "dim", "evening", "side"):
        assert toy.load("s", house(lighting=lighting), START, 0).frames


def test_the_view_from_above_holds_the_whole_house(backend: Any) -> None:
    scene = house()
    pose = furnished.top_view(scene)
    x0, y0, x1, y1 = PLAN.bounds_m
    z = scene.room.floor_z_m + scene.room.height_m
    across = math.tan(math.radians(SMALL.hfov_deg) / 2)
    for x, y in ((x0, y0), (x1, y1)):
        dx, dy, dz = x - pose.position_m[0], y - pose.position_m[1], pose.position_m[2] - z
        assert abs(dx) / dz < across and abs(dy) / dz < across * 0.75
