"""What hands can do in the embedded simulator, and why they sometimes cannot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

from sim_bridge.actions import parse_action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Relation, Room, Scene

APPLE, BOWL, TABLE, BALL, BOX, CABINET = (f"object_{n}" for n in range(1, 7))


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def thing(handle: str, category: str, x: float, y: float, z: float = 0.0, **more: object) -> Object:
    return Object(handle, category, Pose((x, y, z)), origin="base", **more)  # type: ignore[arg-type]


SCENE = Scene(
    camera=Camera(160, 120, 75.0),
    room=Room((-2.5, -2.5, 2.5, 2.5), furnished=False),
    objects=(
        thing(APPLE, "apple", -0.15, 0.75, 0.5, dynamic=True),
        thing(BOWL, "bowl", 0.2, 0.75, 0.5, dynamic=True),
        thing(TABLE, "coffee_table", 0.0, 0.9, size_m=(1.2, 0.7, 0.5)),
        thing(BALL, "basketball", 1.2, 0.2, dynamic=True),
        thing(BOX, "book", -0.4, 0.8, 0.5, dynamic=True),
        thing(CABINET, "wardrobe", -1.8, 1.9),
    ),
)
START = looking(0.0, -0.2, 1.2, 0.0, -30.0)


@pytest.fixture
def act(backend: MujocoBackend) -> Iterator[Callable[..., Any]]:
    backend.load("s", SCENE, START, 0)

    def do(text: str) -> ActionOutcome:
        return backend.act("s", parse_action(text))

    yield do
    backend.close("s")


def held(backend: MujocoBackend) -> str | None:
    return next((o.handle for o in backend.state("s")[0] if o.flags["held"]), None)


def where(backend: MujocoBackend, handle: str) -> tuple[float, float, float]:
    return where_in(backend, "s", handle)


def where_in(backend: MujocoBackend, session: str, handle: str) -> tuple[float, float, float]:
    return next(o.pose.position_m for o in backend.state(session)[0] if o.handle == handle)


def test_a_held_thing_is_seen_and_goes_with_the_camera(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    assert act(f"pick_up({APPLE})").ok
    seen = []
    for action in ("turn_left", "move_backward", "turn_up", "turn_up", "turn_right"):
        outcome = act(action)
        seen.append(outcome.observation.visible[APPLE])
    assert held(backend) == APPLE
    assert min(seen) > 100
    assert max(seen) - min(seen) < 0.2 * max(seen), "it stays at one place of the view"


def test_a_held_thing_is_seen_where_a_wall_is_nearer_than_the_hand(backend: MujocoBackend) -> None:
    backend.load("wall", SCENE, START, 0)
    first = backend.act("wall", parse_action(f"pick_up({APPLE})")).observation.visible[APPLE]
    seen = [backend.act("wall", parse_action(a)).observation.visible.get(APPLE, 0) for a in ("turn_left", *["move_left"] * 14)]
    assert backend.observe("wall").camera.position_m[0] < -2.3, "the wall is nearer than the hand"
    assert min(seen) > 0.9 * first
    backend.close("wall")


def test_what_is_in_a_bowl_goes_with_the_bowl(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(f"pick_up({APPLE})")
    placed = act(f"put({APPLE}, inside, {BOWL})")
    assert placed.ok
    assert len(placed.observation.frames) > 1, "settling is watched"
    assert Relation("inside", APPLE, BOWL) in backend.state("s")[1]
    assert act(f"pick_up({BOWL})").ok
    act("move_backward")
    assert Relation("inside", APPLE, BOWL) in backend.state("s")[1]
    assert act(f"put_back({BOWL})").ok
    assert Relation("inside", APPLE, BOWL) in backend.state("s")[1]
    assert where(backend, BOWL) == pytest.approx((0.2, 0.75, where(backend, BOWL)[2]), abs=0.02)


def test_a_thing_put_on_the_table_lies_on_it(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(f"pick_up({APPLE})")
    assert act(f"put({APPLE}, on, {TABLE})").ok
    assert Relation("on", APPLE, TABLE) in backend.state("s")[1]
    assert held(backend) is None


def test_a_thing_put_on_the_floor_lies_there(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(f"pick_up({BOX})")
    act("turn_right")
    act("turn_right")
    act("turn_right")
    act("turn_right")
    act("turn_right")
    act("turn_right")
    outcome = act(f"put_on_floor({BOX})")
    assert outcome.ok, outcome.reason
    low = next(o.aabb_min_m[2] for o in backend.state("s")[0] if o.handle == BOX)
    assert low == pytest.approx(0.0, abs=0.005)


ROW = tuple(f"object_{n}" for n in range(1, 5))


@pytest.fixture
def row(backend: MujocoBackend) -> Iterator[Callable[..., Any]]:
    """Four things in a row on the floor, seen from 15 cm above it."""
    places = zip(ROW, ("orange", "mixing_bowl", "candle", "apple"), (-0.3, -0.05, 0.2, 0.42), (0.9, 1.1, 0.95, 1.1), strict=True)
    objects = tuple(thing(handle, category, x, y, dynamic=True) for handle, category, x, y in places)
    start = looking(0.0, 0.0, 0.15, 0.0, 0.0)
    backend.load("row", Scene(SCENE.camera, SCENE.room, objects), start, 0)
    yield lambda text: backend.act("row", parse_action(text))
    backend.close("row")


def test_what_is_put_on_the_floor_hides_nothing_and_is_seen(row: Callable[..., Any]) -> None:
    at_first = row("wait").observation.visible
    for handle in ROW:
        assert row(f"pick_up({handle})").ok
        placed = row(f"put_on_floor({handle})")
        assert placed.ok, placed.reason
        seen = placed.observation.visible
        assert seen[handle] >= 60
        for other in ROW:
            assert seen[other] >= min(0.8 * at_first[other], 60), (handle, other)


def test_put_back_is_the_place_before_the_first_pick_up(backend: MujocoBackend, row: Callable[..., Any]) -> None:
    first = where_in(backend, "row", ROW[0])
    for text in ("pick_up", "put_on_floor", "pick_up", "put_back"):
        assert row(f"{text}({ROW[0]})").ok, text
    assert where_in(backend, "row", ROW[0]) == pytest.approx(first, abs=0.005)
    row(f"pick_up({ROW[0]})")
    row(f"put_on_floor({ROW[0]})")
    kept = backend.snapshot("row")
    row(f"pick_up({ROW[0]})")
    backend.restore("row", kept)
    for text in ("pick_up", "put_back"):
        assert row(f"{text}({ROW[0]})").ok, text
    assert where_in(backend, "row", ROW[0]) == pytest.approx(first, abs=0.005)


@pytest.mark.parametrize(
    ("before", "action", "reason"),
    [
        ([], f"put({APPLE}, on, {TABLE})", f"{APPLE} is not in the hand"),
        ([f"pick_up({APPLE})"], f"pick_up({BOWL})", f"{APPLE} is in the hand already"),
        ([f"pick_up({APPLE})"], f"put({APPLE}, inside, {APPLE})", f"{APPLE} cannot be put there, because {APPLE} is in the hand too"),
        ([f"pick_up({APPLE})"], f"put({APPLE}, inside, {TABLE})", f"{TABLE} has no inside that anything could be put into"),
        ([], f"pick_up({CABINET})", f"{CABINET} is too far away"),
        ([], f"pick_up({BALL})", f"{BALL} is not in view"),
        ([], "pick_up(object_99)", "object_99 is not there"),
        ([], f"pick_up({TABLE})", f"{TABLE} is too big or too heavy to pick up"),
        (
            ["turn_right"] * 5 + ["move_forward", f"pick_up({BALL})"] + ["turn_left"] * 5 + ["move_forward"],
            f"put({BALL}, inside, {BOWL})",
            f"{BALL} does not fit into {BOWL}",
        ),
    ],
)
def test_what_is_impossible_is_a_step_with_its_reason(
    backend: MujocoBackend, act: Callable[..., Any], before: Any, action: str, reason: str
) -> None:
    for step in before:
        outcome = act(step)
        assert outcome.ok, (step, outcome.reason)
    was = [(o.handle, o.pose) for o in backend.state("s")[0]]
    outcome = act(action)
    assert (outcome.ok, outcome.reason) == (False, reason)
    assert len(outcome.observation.frames) == 1
    now = [(o.handle, o.pose) for o in backend.state("s")[0]]
    for (_, a), (_, b) in zip(was, now, strict=True):
        assert a.position_m == pytest.approx(b.position_m, abs=2e-3), "nothing has happened"


def test_a_full_bowl_has_no_room_left(backend: MujocoBackend) -> None:
    objects = (thing("object_1", "bowl", 0.0, 0.7, 0.5, dynamic=True), thing("object_2", "coffee_table", 0.0, 0.9, size_m=(1.2, 0.7, 0.5)))
    fruit = tuple(thing(f"object_{n}", "orange", -0.5 + 0.12 * (n - 3), 1.0, 0.5, dynamic=True) for n in range(3, 12))
    backend.load("full", Scene(SCENE.camera, SCENE.room, objects + fruit), START, 0)
    reasons = []
    for n in range(3, 12):
        taken = backend.act("full", parse_action(f"pick_up(object_{n})"))
        assert taken.ok, taken.reason
        put = backend.act("full", parse_action(f"put(object_{n}, inside, object_1)"))
        if not put.ok:
            reasons.append(put.reason)
            backend.act("full", parse_action(f"put_back(object_{n})"))
    assert reasons, "a bowl does not hold nine oranges"
    assert all("object_1" in reason for reason in reasons)
    backend.close("full")


def test_a_session_resumes_with_something_in_the_hand(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(f"pick_up({APPLE})")
    act(f"put({APPLE}, inside, {BOWL})")
    act(f"pick_up({BOWL})")
    kept = backend.snapshot("s")
    walk = ["turn_left", f"put({BOWL}, on, {TABLE})", "wait", f"pick_up({BOX})", "move_backward", f"put_back({BOX})", "wait"]
    first = [act(step).observation.frames[-1].pixel_hash for step in walk]
    backend.restore("s", kept)
    again = [act(step).observation.frames[-1].pixel_hash for step in walk]
    assert again == first


def test_a_bowl_in_a_box_takes_what_it_takes_outside_and_a_closed_box_in_it_takes_nothing(backend: MujocoBackend) -> None:
    """The wall of the bowl is thin: what lies in it is nearer to the box than things otherwise keep."""
    crate, inner, ball = "object_1", "object_2", "object_3"
    for category, size, fits in (("mixing_bowl", (0.17, 0.17, 0.078), True), ("shoe_box", (0.30, 0.20, 0.15), False)):
        scene = Scene(
            camera=Camera(160, 120, 75.0),
            room=Room((-2.5, -2.5, 2.5, 2.5), furnished=False),
            objects=(
                thing(crate, "storage_box", -0.3, 0.6, size_m=(0.40, 0.30, 0.20), dynamic=True, params={"open": True}),
                thing(inner, category, 0.25, 0.6, size_m=size, dynamic=True),
                thing(ball, "orange", 0.0, 0.4, size_m=(0.12, 0.12, 0.12), dynamic=True),
            ),
        )
        backend.load("t", scene, looking(0.0, -0.4, 1.0, 0.0, -40.0), 0)
        for action in (f"pick_up({inner})", f"put({inner}, inside, {crate})", f"pick_up({ball})"):
            assert backend.act("t", parse_action(action)).ok, action
        target = inner if fits else crate
        assert backend.act("t", parse_action(f"put({ball}, inside, {target})")).ok == fits
        backend.close("t")


BOXES = Scene(
    camera=Camera(160, 120, 75.0),
    room=Room((-2.5, -2.5, 2.5, 2.5), furnished=False),
    objects=(
        thing("object_1", "wooden_box", 0.0, 0.7, size_m=(0.234, 0.214, 0.170), params={"open": True}),
        thing("object_2", "shoe_box", -0.4, 0.7, dynamic=True, size_m=(0.187, 0.150, 0.064)),
        thing("object_3", "packing_box", 0.4, 0.7, dynamic=True, size_m=(0.187, 0.150, 0.064)),
    ),
)


@pytest.mark.parametrize("order", [("object_2", "object_3"), ("object_3", "object_2")])
def test_two_boxes_fill_a_third_in_either_order_and_stay(backend: MujocoBackend, order: tuple[str, str]) -> None:
    """Also the one whose thin lids would give way to a fall."""
    backend.load("s", BOXES, START, 0)
    for handle in order:
        for text in (f"pick_up({handle})", f"put({handle}, inside, object_1)"):
            outcome = backend.act("s", parse_action(text))
            assert outcome.ok, outcome.reason
    heights = [where(backend, handle)[2] for handle in order]
    for _ in range(3):
        backend.act("s", parse_action("wait"))
    assert [where(backend, handle)[2] for handle in order] == pytest.approx(heights, abs=0.002)
    assert heights[1] + 0.064 / 2 < 0.170, "below the rim"
    backend.close("s")


def test_a_box_with_a_closed_box_in_it_is_picked_up_with_it(backend: MujocoBackend) -> None:
    small, kit = "object_1", "object_2"
    scene = Scene(
        camera=Camera(160, 120, 75.0),
        room=Room((-2.5, -2.5, 2.5, 2.5), furnished=False),
        objects=(
            thing(small, "wooden_box", 0.0, 0.7, dynamic=True, size_m=(0.144, 0.131, 0.052), params={"open": True}),
            thing(kit, "first_aid_kit", -0.4, 0.7, dynamic=True, size_m=(0.115, 0.092, 0.039)),
        ),
    )
    backend.load("s", scene, START, 0)
    for text in (f"pick_up({kit})", f"put({kit}, inside, {small})", f"pick_up({small})"):
        outcome = backend.act("s", parse_action(text))
        assert outcome.ok, outcome.reason
    assert held(backend) == small
    assert Relation("inside", kit, small) in backend.state("s")[1]
    backend.close("s")
