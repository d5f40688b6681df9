"""Things that open in the embedded simulator: what is inside is hidden until then, and nothing opens or closes through something."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

import mujoco
import numpy as np

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine.building import Placed, rotation
from sim_bridge.backends.mujoco.engine.containment import bottom_and_rim
from sim_bridge.backends.mujoco.engine.render import WorldRenderer, context
from sim_bridge.backends.mujoco.engine.session import Session, pose_of, show
from sim_bridge.backends.mujoco.engine.world import build
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, ObjectState, Pose, Relation, Room, Scene

ON_TABLES = [
    "wooden_box",
    "jewelry_box",
    "toy_box",
    "gift_box",
    "shoe_box",
    "toolbox",
    "tackle_box",
    "lunch_box",
    "first_aid_kit",
    "cooler",
    "cookie_tin",
    "storage_box",
    "cedar_chest",
    "treasure_chest",
    "packing_box",
    "bread_box",
    "trash_can",
    "pizza_box",
    "cookie_jar",
    "tea_caddy",
    "stockpot",
    "saucepot",
    "dutch_oven",
    "microwave",
    "safe",
    "wall_cabinet",
]
FURNITURE = ("oven", "dishwasher", "fridge", "cabinet", "wardrobe", "dresser", "nightstand", "filing_cabinet", "locker")
OPAQUE = (*ON_TABLES, *FURNITURE)
CLEAR = ("hinged_jar", "china_cabinet")

THING, CONTENT, TABLE, OTHER = "object_1", "object_2", "object_3", "object_4"


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def thing(handle: str, category: str, x: float, y: float, z: float = 0.0, **more: object) -> Object:
    return Object(handle, category, Pose((x, y, z)), origin="base", **more)  # type: ignore[arg-type]


def scene(*objects: Object, **more: object) -> Scene:
    table = thing(TABLE, "console_table", 0.0, 1.0, size_m=(1.4, 0.9, 0.45))
    settings: dict[str, object] = {"camera": Camera(160, 120, 75.0), "room": Room((-2.0, -2.0, 2.0, 2.5), furnished=False)} | more
    return Scene(objects=(*objects, table), **settings)  # type: ignore[arg-type]


ABOVE = looking(0.0, 0.25, 1.45, 0.0, -42.0)
BEFORE = looking(0.0, 0.0, 1.1, 0.0, -25.0)


def state(backend: MujocoBackend, handle: str) -> ObjectState:
    return next(o for o in backend.state("s")[0] if o.handle == handle)


def inside(backend: MujocoBackend, a: str, b: str) -> bool:
    return Relation("inside", a, b) in backend.state("s")[1]


# --- the models -------------------------------------------------------------------------------------------------------


def gallery(categories: tuple[str, ...], opened: bool = False) -> tuple[Session, list[tuple[Placed, int]]]:
    """Things that open in one hall, each with a ball on the floor of its inside; the pairs are a thing and its ball's index."""
    catalogue = Catalogue(None)
    objects: list[Object] = []
    for i, category in enumerate(categories):
        model = catalogue.model(catalogue.lookup(category)).normalised()
        cavity = model.cavity
        assert cavity is not None
        low, rim = bottom_and_rim(cavity)
        wide = 2 * min(r for _, r in cavity.profile) if cavity.round else 2 * min(cavity.half[:2])
        high = (cavity.shelves[0][0] if cavity.shelves else rim) - low
        ball = min(0.08, 0.7 * wide, 0.7 * high)
        place = np.array([-9.0 + 3 * (i % 7), -9.0 + 3 * (i // 7), model.size[2] / 2])
        x, y, z = (float(v) for v in place + cavity.matrix @ np.array([0, 0, low]) + cavity.offset + np.array([0, 0, ball / 2 + 0.001]))
        objects.append(Object(f"object_{2 * i + 1}", category, Pose(tuple(map(float, place))), params={"open": opened}))  # type: ignore[arg-type]
        objects.append(Object(f"object_{2 * i + 2}", "tennis_ball", Pose((x, y, z)), size_m=(ball, ball, ball)))
    # With one free body in the hall every contact shape is built.
    objects.append(Object("object_999", "tennis_ball", Pose((11.0, 11.0, 1.0)), dynamic=True))
    hall = Scene(
        camera=Camera(120, 90, 60.0), room=Room((-12, -12, 12, 12), height_m=4.0, furnished=False), objects=tuple(objects), lighting="dim"
    )
    start = Pose((0.0, 0.0, 1.5))
    world = build(hall, start, catalogue, f"gallery {opened} {len(categories)}")
    s = Session(world, mujoco.MjData(world.model), start, "", hall)
    mujoco.mj_forward(world.model, s.data)
    for entity in world.entities:
        entity.enter(s)
    show(s)
    return s, [(p, k + 1) for k, p in enumerate(world.objects[:-1]) if k % 2 == 0]


@pytest.fixture(scope="module")
def closed_hall() -> Iterator[Any]:
    context().make_current()
    s, pairs = gallery(OPAQUE)
    renderer = WorldRenderer(s.world)
    yield s, pairs, renderer
    renderer.close()


def pixels(s: Session, renderer: WorldRenderer, target: np.ndarray, eye: np.ndarray, index: int) -> int:
    way = target - eye
    yaw, pitch = np.degrees(np.arctan2(-way[0], way[1])), np.degrees(np.arctan2(way[2], np.hypot(way[0], way[1])))
    pose = looking(float(eye[0]), float(eye[1]), float(eye[2]), float(yaw), float(pitch))
    context().make_current()
    renderer.activate()
    return int(renderer.visible(s.data, np.array(pose.position_m), rotation(pose.quaternion_xyzw), step=1)[index])


def test_closed_things_hide_what_is_in_them_from_all_sides(closed_hall: Any) -> None:
    s, pairs, renderer = closed_hall
    for p, ball in pairs:
        centre, size = np.array(p.home.position_m), p.size_m
        reach = 0.3 + 0.8 * float(max(size))
        for k, angle in enumerate(np.radians([0, 60, 120, 180, 240, 300])):
            eye = centre + np.array([reach * np.sin(angle), -reach * np.cos(angle), (0.02, 1.1)[k % 2] * float(max(size))])
            assert pixels(s, renderer, centre, eye, ball) == 0, p.category


def test_glass_shows_what_is_in_it_while_closed() -> None:
    context().make_current()
    s, pairs = gallery(CLEAR)
    renderer = WorldRenderer(s.world)
    for p, ball in pairs:
        target = s.data.xpos[s.world.objects[ball].body].copy()
        assert pixels(s, renderer, target, target + np.array([0.2, -0.25 - float(p.size_m[1]), 0.2]), ball) > 8, p.category
    renderer.close()


def test_open_things_show_what_is_in_them() -> None:
    context().make_current()
    s, pairs = gallery(OPAQUE, opened=True)
    renderer = WorldRenderer(s.world)
    for p, ball in pairs:
        cavity = p.model.cavity
        assert cavity is not None
        way = s.data.xmat[p.body].reshape(3, 3) @ cavity.matrix @ np.asarray(cavity.opening)
        target = s.data.xpos[s.world.objects[ball].body].copy()
        if p.category in ("dresser", "nightstand", "filing_cabinet"):
            continue  # what lies in a drawer comes along only when it is opened by hand
        distance = 0.3 + float(max(p.size_m))
        assert pixels(s, renderer, target, target + way * distance + np.array([0.0, -0.03, 0.03]), ball) > 5, p.category
    renderer.close()


def test_what_is_touched_inside_is_where_it_is_seen(closed_hall: Any) -> None:
    s, pairs, _ = closed_hall
    rng, seen, touched = np.random.default_rng(0), np.array([0, 1, 1, 0, 0, 0], np.uint8), np.array([0, 0, 0, 0, 1, 0], np.uint8)
    m, hit, normal = s.world.model, np.zeros(1, np.int32), np.zeros(3)
    for p, ball in pairs:
        cavity = p.model.cavity
        assert cavity is not None
        low, rim = bottom_and_rim(cavity)
        z = low + 0.4 * ((cavity.shelves[0][0] if cavity.shelves else rim) - low)
        origin = cavity.matrix @ np.array([0, 0, z]) + cavity.offset + s.data.xpos[p.body]
        rays = rng.normal(size=(120, 3))
        if p.category in ("oven", "dishwasher"):
            rays[:, 2] = np.abs(rays[:, 2])  # things stand on their racks, whose wires let the eye through
        off = 0
        for ray in rays / np.linalg.norm(rays, axis=1)[:, None]:
            a = mujoco.mj_ray(m, s.data, origin, ray, seen, 1, s.world.objects[ball].body, hit)
            b = mujoco.mj_ray(m, s.data, origin, ray, touched, 1, s.world.objects[ball].body, hit, normal)
            off += abs((a - b) * float(normal @ ray)) > 0.003
        assert off <= 3, f"{p.category}: {off} of 120 rays"


# --- open and close ---------------------------------------------------------------------------------------------------


def test_a_ball_dropped_into_an_open_box_is_hidden_when_it_is_closed_and_seen_again_when_opened(backend: MujocoBackend) -> None:
    box = thing(THING, "wooden_box", 0.0, 0.95, 0.45, params={"open": True})
    backend.load("s", scene(box, thing(CONTENT, "tennis_ball", 0.03, 0.95, 0.85, dynamic=True), settle_steps=200), ABOVE, 0)
    assert inside(backend, CONTENT, THING)
    closed = backend.act("s", parse_action(f"close({THING})"))
    assert closed.ok
    assert len(closed.observation.frames) == 4
    assert CONTENT not in closed.observation.visible
    assert state(backend, CONTENT).visible_pixels == 0
    assert inside(backend, CONTENT, THING)
    opened = backend.act("s", parse_action(f"open({THING})"))
    assert opened.ok
    assert state(backend, CONTENT).visible_pixels > 10
    assert state(backend, THING).flags["open"]
    assert state(backend, THING).levels["open"] == 1.0


@pytest.mark.parametrize("category", ["gift_box", "microwave", "cabinet", "nightstand", "trash_can", "bread_box", "packing_box"])
def test_opening_and_closing_brings_back_the_very_picture(backend: MujocoBackend, category: str) -> None:
    backend.load("s", scene(thing(THING, category, 0.0, 0.95, 0.45)), BEFORE, 0)
    before = backend.observe("s").frames[-1].pixel_hash
    opened = backend.act("s", parse_action(f"open({THING})"))
    assert opened.ok, opened.reason
    assert len({f.pixel_hash for f in (*opened.observation.frames, backend.observe("s").frames[-1])} | {before}) == 5, "it is seen to move"
    assert backend.act("s", parse_action(f"close({THING})")).ok
    assert backend.observe("s").frames[-1].pixel_hash == before


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_lies_in_a_drawer_comes_along_and_goes_back(backend: MujocoBackend, dynamic: bool) -> None:
    low = 0.45 + 0.3215  # the floor of the top drawer
    backend.load(
        "s",
        scene(thing(THING, "nightstand", 0.0, 0.95, 0.45), thing(CONTENT, "book", 0.0, 0.95, low, dynamic=dynamic)),
        looking(0.0, -0.1, 1.6, 0, -45),
        0,
    )
    assert inside(backend, CONTENT, THING)
    before = state(backend, CONTENT)
    assert before.visible_pixels == 0
    assert backend.act("s", parse_action(f"open({THING})")).ok
    out = state(backend, CONTENT)
    assert out.visible_pixels > 10
    assert out.pose.position_m[1] < before.pose.position_m[1] - 0.2
    assert inside(backend, CONTENT, THING)
    assert backend.act("s", parse_action(f"pick_up({CONTENT})")).ok
    assert backend.act("s", parse_action(f"put_back({CONTENT})")).ok
    assert backend.act("s", parse_action(f"close({THING})")).ok
    assert state(backend, CONTENT).pose.position_m == pytest.approx(before.pose.position_m, abs=1e-9 if not dynamic else 0.01)
    assert state(backend, CONTENT).visible_pixels == 0


def test_a_thing_put_into_an_open_drawer_is_hidden_in_it(backend: MujocoBackend) -> None:
    backend.load(
        "s",
        scene(thing(THING, "nightstand", 0.0, 1.0, 0.45, params={"open": True}), thing(CONTENT, "apple", 0.5, 0.7, 0.45, dynamic=True)),
        looking(0.0, -0.1, 1.6, 0, -45),
        0,
    )
    for action in (f"pick_up({CONTENT})", f"put({CONTENT}, inside, {THING})", f"close({THING})"):
        outcome = backend.act("s", parse_action(action))
        assert outcome.ok, f"{action}: {outcome.reason}"
    assert inside(backend, CONTENT, THING)
    assert state(backend, CONTENT).visible_pixels == 0


def test_a_cabinet_takes_what_fits_under_its_shelf_and_no_more(backend: MujocoBackend) -> None:
    mug, bottle = thing(CONTENT, "mug", 0.5, 0.7, 0.45, dynamic=True), thing(OTHER, "bottle_of_wine", 0.55, 0.9, 0.45, dynamic=True)
    cabinet = thing(THING, "wall_cabinet", 0.0, 1.1, 0.45, params={"open": True})
    backend.load("s", scene(cabinet, mug, bottle), looking(0.0, -0.1, 1.2, 0, -25), 0)
    assert backend.act("s", parse_action(f"pick_up({CONTENT})")).ok
    assert backend.act("s", parse_action(f"put({CONTENT}, inside, {THING})")).ok
    assert inside(backend, CONTENT, THING)
    assert state(backend, CONTENT).aabb_min_m[2] == pytest.approx(0.45 + 0.02, abs=0.004), "it stands on the floor of the cabinet"
    assert backend.act("s", parse_action(f"pick_up({OTHER})")).ok
    outcome = backend.act("s", parse_action(f"put({OTHER}, inside, {THING})"))
    assert outcome.reason == f"{OTHER} does not fit into {THING}", "the shelf is in its way"


REFUSED = {
    "open already": ({"open": True}, None, f"open({THING})", f"{THING} is open already"),
    "closed already": ({}, None, f"close({THING})", f"{THING} is closed already"),
    "locked": ({"locked": True}, None, f"open({THING})", f"{THING} is locked"),
    "nothing opens": ({}, thing(OTHER, "apple", 0.3, 0.8, 0.45), f"open({OTHER})", f"{OTHER} has nothing that opens"),
    "something lies on the lid": ({}, thing(OTHER, "book", 0.0, 0.95, 0.611), f"open({THING})", f"{OTHER} is on {THING}"),
    "something loose lies on the lid": (
        {},
        thing(OTHER, "book", 0.0, 0.95, 0.611, dynamic=True),
        f"open({THING})",
        f"{OTHER} is on {THING}",
    ),
    "contents stand out": (
        {"open": True},
        thing(OTHER, "bottle_of_wine", 0.0, 0.95, 0.462),
        f"close({THING})",
        f"{OTHER} is in the way",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_opened_or_closed_is_said_plainly(backend: MujocoBackend, case: str) -> None:
    params, other, action, reason = REFUSED[case]
    objects = [thing(THING, "wooden_box", 0.0, 0.95, 0.45, params=params), *([other] if other else [])]
    backend.load("s", scene(*objects), ABOVE, 0)
    level = state(backend, THING).levels["open"]
    outcome = backend.act("s", parse_action(action))
    assert (outcome.ok, outcome.reason) == (False, reason)
    assert state(backend, THING).levels["open"] == level


def test_far_or_unseen_things_are_not_opened(backend: MujocoBackend) -> None:
    backend.load("s", scene(thing(THING, "wooden_box", 0.0, 0.95, 0.45)), looking(0.0, -1.5, 1.2, 0.0, -20.0), 0)
    assert backend.act("s", parse_action(f"open({THING})")).reason == f"{THING} is too far away"
    backend.load("s", scene(thing(THING, "wooden_box", 0.0, 0.95, 0.45)), looking(0.0, 0.2, 1.2, 180.0, -20.0), 0)
    assert backend.act("s", parse_action(f"open({THING})")).reason == f"{THING} is not in view"


def test_a_door_stops_at_what_stands_before_it(backend: MujocoBackend) -> None:
    microwave = thing(THING, "microwave", 0.0, 1.0, 0.45)
    crate = thing(OTHER, "packing_box", 0.0, 0.50, 0.45, size_m=(0.5, 0.2, 0.2))
    backend.load("s", scene(microwave, crate), looking(0.0, -0.1, 1.3, 0.0, -35.0), 0)
    assert backend.act("s", parse_action(f"open({THING})")).reason == f"{OTHER} is in the way"


def test_a_lid_opens_as_far_as_the_wall_behind_it_lets_it(backend: MujocoBackend) -> None:
    room = Room((-2.0, -2.0, 2.0, 2.0), furnished=False)
    backend.load("s", scene(thing(THING, "toy_box", 0.0, 1.785, 0.0), room=room), looking(0.0, 0.6, 1.2, 0.0, -40.0), 0)
    assert backend.act("s", parse_action(f"open({THING})")).ok
    assert 0.5 <= state(backend, THING).levels["open"] < 1.0
    lid = backend._sessions["s"].world.object(THING)
    vertices = lid.entities[0].vertices(backend._sessions["s"], lid.vertices)
    assert float(vertices[:, 1].max()) + 1.785 < 2.0 + 0.01


def test_a_box_in_the_hand_opens_and_shows_what_is_in_it(backend: MujocoBackend) -> None:
    box, ball = thing(THING, "wooden_box", 0.0, 0.95, 0.45), thing(CONTENT, "golf_ball", 0.0, 0.95, 0.463, dynamic=True)
    backend.load("s", scene(box, ball), ABOVE, 0)
    assert backend.act("s", parse_action(f"pick_up({THING})")).ok
    assert state(backend, CONTENT).visible_pixels == 0
    assert backend.act("s", parse_action(f"open({THING})")).ok
    backend.act("s", parse_action("turn_left"))
    assert state(backend, THING).flags == state(backend, THING).flags | {"held": True, "open": True}
    assert inside(backend, CONTENT, THING)
    lid = backend._sessions["s"].world.object(THING).entities[0].hung[0]  # type: ignore[attr-defined]
    s = backend._sessions["s"]
    away = np.linalg.norm(s.data.xpos[lid.body] - np.array(pose_of(s, s.world.object(THING)).position_m))
    assert away < 0.5, "the lid goes with the box"


def test_a_picture_that_is_restored_is_the_same_and_so_is_what_follows(backend: MujocoBackend) -> None:
    objects = (
        thing(THING, "cedar_chest", 0.0, 1.0, 0.45, params={"open": 0.6}),
        thing(CONTENT, "golf_ball", 0.02, 0.9, 0.9, dynamic=True),
        thing(OTHER, "nightstand", -0.75, 1.0, 0.45),
    )
    backend.load("s", scene(*objects), ABOVE, 0)
    saved = backend.snapshot("s")
    actions = (f"close({THING})", "move_backward", f"open({OTHER})", f"open({THING})", "turn_left", f"close({OTHER})")

    def hashes() -> list[str]:
        return [f.pixel_hash for a in actions for f in backend.act("s", parse_action(a)).observation.frames]

    first = hashes()
    backend.restore("s", saved)
    assert hashes() == first
    backend.load("s", scene(*objects), ABOVE, 0)
    assert hashes() == first


@pytest.mark.parametrize(
    ("category", "params", "words"),
    [
        ("wooden_box", {"open": 1.5}, "scene.objects[0].params.open: expected true, false or a number from 0"),
        ("wooden_box", {"locked": "yes"}, "scene.objects[0].params.locked: expected true or false, got 'yes'"),
        ("apple", {"open": True}, "params.open: a apple has nothing that opens here"),
    ],
)
def test_settings_that_make_no_sense_are_refused(backend: MujocoBackend, category: str, params: dict[str, Any], words: str) -> None:
    with pytest.raises(SceneError) as raised:
        backend.load("s", scene(thing(THING, category, 0.0, 0.95, 0.45, params=params)), ABOVE, 0)
    assert words in str(raised.value)


@pytest.mark.parametrize("opened", [True, False])
def test_a_camera_in_an_open_wardrobe_is_in_nothing(backend: MujocoBackend, opened: bool) -> None:
    wardrobe = thing(THING, "wardrobe", 0.0, 0.6, params={"open": opened})
    room = Room((-2.5, -2.5, 2.5, 2.5), furnished=False)
    found = backend.load("s", Scene(Camera(64, 48), room, (wardrobe,)), looking(0.0, 0.6, 1.1, 180.0, 0.0), 0)
    assert found.clipped is (not opened)
