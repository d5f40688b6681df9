"""Which things are inside, on, under or beside which: relations follow what is seen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl, judging
from sim_bridge.backends.mujoco.engine.containment import bottom_and_rim, to_world
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene
from tests.present import present

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.0, -1.8, 1.4, 0.0, -20.0)
BALL: dict[str, Any] = {"size_m": (0.05, 0.05, 0.05)}


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def thing(
    handle: Any,
    category: Any,
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0),
    **more: Any,
) -> Object:
    return Object(handle, category, Pose((x, y, z), turn), **{"origin": "base", **more})


def scene(*objects: Any, **more: Any) -> Scene:
    return Scene(Camera(64, 48), Room((-2.5, -2.5, 2.5, 2.5), furnished=False), objects, **{"settle_steps": 0, **more})


def related(backend: MujocoBackend, *objects: Any, **more: Any) -> Any:
    backend.load("s", scene(*objects, **more), START, 0)
    return {(r.kind, r.subject, r.object) for r in backend.state("s")[1]}


def about(axis: Any, degrees: Any) -> Any:
    half = math.radians(degrees) / 2
    return (*(math.sin(half) * v for v in axis), math.cos(half))


def test_a_ball_dropped_in_a_box_is_inside_and_one_beside_it_is_not(backend: MujocoBackend) -> None:
    found = related(
        backend,
        thing("box", "tank", 0.0, 0.5, dynamic=True),
        thing("in", "tennis_ball", 0.02, 0.5, 0.5, dynamic=True),
        thing("beside", "tennis_ball", 0.5, 0.5, 0.5, dynamic=True),
        settle_steps=400,
    )
    assert ("inside", "in", "box") in found
    assert ("touching", "box", "in") in found, "it lies on the bottom"
    assert not {r for r in found if "beside" in r}


@pytest.mark.parametrize("category", ["mug", "bowl", "tank", "vase", "bucket"])
@pytest.mark.parametrize(
    ("turn", "size_factor"),
    [((0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0)), (about((1.0, 0.0, 0.0), 50.0), (1.3, 1.1, 0.8)), (about((0.6, 0.8, 0.0), -85.0), (2, 2, 2))],
    ids=["upright", "tilted and stretched", "lying and large"],
)
def test_the_cavity_decides_however_the_container_stands(backend: MujocoBackend, category: str, turn: Any, size_factor: Any) -> None:
    """A small ball in the middle of the cavity, with its middle just below the rim, and with its middle just above it."""
    container = thing("c", category, 0.0, 0.0, 1.0, turn, origin="center", scale=size_factor)
    backend.load("s", scene(container), START, 0)
    s = backend._sessions["s"]
    c = s.world.objects[0]
    low, rim = bottom_and_rim(present(c.model.cavity))
    heights = {"middle": (low + rim) / 2, "below": rim - 0.003, "above": rim + 0.003, "out": rim + 0.1}
    places = {name: to_world(s, c, present(c.model.cavity), np.array([[0.0, 0.0, z]]))[0] for name, z in heights.items()}
    balls = [Object(name, "tennis_ball", Pose(tuple(place.tolist())), size_m=(0.004, 0.004, 0.004)) for name, place in places.items()]
    assert {r for r in related(backend, container, *balls) if r[0] == "inside"} == {("inside", "middle", "c"), ("inside", "below", "c")}


def test_most_of_the_volume_must_be_in_the_cavity(backend: MujocoBackend) -> None:
    """A rod stands in a mug: its lower third is inside, its middle is not."""
    for length, inside in ((0.08, True), (0.3, False)):
        rod = thing("rod", "candle", 0.0, 0.0, 0.008, size_m=(0.02, 0.02, length))
        assert (("inside", "rod", "mug") in related(backend, thing("mug", "mug"), rod)) is inside


def test_what_is_nested_is_inside_both(backend: MujocoBackend) -> None:
    found = related(
        backend,
        thing("bucket", "bucket"),
        thing("mug", "mug", 0.0, 0.0, 0.01),
        thing("ball", "tennis_ball", -0.015, 0.0, 0.025, size_m=(0.03, 0.03, 0.03)),
    )
    inside = {r for r in found if r[0] == "inside"}
    assert inside == {("inside", "mug", "bucket"), ("inside", "ball", "mug"), ("inside", "ball", "bucket")}


def test_what_an_upturned_glass_covers_is_under_it(backend: MujocoBackend) -> None:
    glass = thing("glass", "tumbler", 0.0, 0.0, 0.05, about((1.0, 0.0, 0.0), 180.0), origin="center")
    found = related(backend, glass, thing("ball", "tennis_ball", 0.0, 0.0, 0.005, size_m=(0.03, 0.03, 0.03)))
    assert ("under", "ball", "glass") in found and ("inside", "ball", "glass") not in found


def test_a_stack_rests_one_thing_on_the_next(backend: MujocoBackend) -> None:
    book: dict[str, Any] = {"size_m": (0.3, 0.2, 0.04)}
    found = related(backend, thing("a", "book", **book), thing("b", "book", 0.02, 0.0, 0.04, **book), thing("c", "mug", 0.0, 0.0, 0.08))
    assert {r for r in found if r[0] == "on"} == {("on", "b", "a"), ("on", "c", "b")}
    assert {r for r in found if r[0] == "under"} == {("under", "a", "b"), ("under", "b", "c")}
    assert {r for r in found if r[0] == "touching"} == {("touching", "a", "b"), ("touching", "b", "c")}


@pytest.mark.parametrize(("gap_m", "on", "touching"), [(0.0, True, True), (0.004, True, False), (0.008, False, False)])
def test_a_gap_of_more_than_five_millimetres_carries_nothing(backend: MujocoBackend, gap_m: float, on: bool, touching: bool) -> None:
    found = related(backend, thing("book", "book", size_m=(0.3, 0.2, 0.04)), thing("mug", "mug", 0.0, 0.0, 0.04 + gap_m))
    assert (("on", "mug", "book") in found, ("touching", "book", "mug") in found) == (on, touching)


def test_what_stands_beside_or_leans_is_not_on(backend: MujocoBackend) -> None:
    crate = thing("crate", "box_of_crackers", 0.0, 0.0, size_m=(0.2, 0.2, 0.2))
    beside = thing("beside", "box_of_crackers", 0.2, 0.0, size_m=(0.2, 0.2, 0.2))
    found = related(backend, crate, beside)
    assert found == {("touching", "crate", "beside")}
    # A book of 30 cm at 70° that touches the crate's upper edge with its side.
    angle = math.radians(70.0)
    along, away = np.array([-math.cos(angle), 0.0, math.sin(angle)]), np.array([math.sin(angle), 0.0, math.cos(angle)])
    foot = np.array([0.1 + 0.2 / math.tan(angle), 0.0, 0.0])
    centre = foot + along * 0.15 + away * 0.0105
    book = Object("book", "book", Pose(tuple(centre.tolist()), about((0.0, 1.0, 0.0), -20.0)), size_m=(0.02, 0.2, 0.3))
    assert related(backend, crate, book) == {("touching", "crate", "book")}


def test_a_ball_under_a_table_is_under_it_and_one_on_it_is_on_it(backend: MujocoBackend) -> None:
    backend.load("s", scene(thing("table", "console_table")), START, 0)
    top = backend.state("s")[0][0].aabb_max_m[2]
    found = related(backend, thing("table", "console_table"), thing("low", "tennis_ball"), thing("high", "tennis_ball", 0.1, 0.0, top))
    assert found >= {("under", "low", "table"), ("on", "high", "table"), ("touching", "table", "high")}
    assert not {("on", "low", "table"), ("inside", "low", "table"), ("touching", "table", "low"), ("under", "high", "table")} & found


def test_absent_things_have_no_relations(backend: MujocoBackend) -> None:
    pair = (thing("a", "book", size_m=(0.3, 0.2, 0.04)), thing("b", "mug", 0.0, 0.0, 0.04))
    assert related(backend, *pair, phases=(Phase("gone", hidden=("b",)), Phase("back"))) == set()
    backend.set_phase("s", "back")
    assert ("on", "b", "a") in {(r.kind, r.subject, r.object) for r in backend.state("s")[1]}


def test_levels_come_from_entities(backend: MujocoBackend) -> None:
    backend.load("s", scene(thing("ramp", "ramp", params={"angle_deg": 20.0}), thing("ball", "tennis_ball", 1.0)), START, 0)
    ramp, ball = backend.state("s")[0]
    assert ramp.levels["angle_deg"] == pytest.approx(20.0, abs=0.1) and ball.levels == {}


# --- the audit ------------------------------------------------------------------------------------------------------------------------


def flagged(backend: MujocoBackend, *objects: Any, **more: Any) -> Any:
    backend.load("s", scene(*objects, **more), START, 0)
    found, _ = backend.audit("s")
    return {(handle, flag) for handle, flags in found.items() for flag, on in flags.items() if on}


def test_a_sound_scene_has_no_flags(backend: MujocoBackend) -> None:
    things = (
        thing("book", "book", 0.0, 0.5, size_m=(0.3, 0.2, 0.04), dynamic=True),
        thing("mug", "mug", 0.0, 0.5, 0.04, dynamic=True),
        thing("bowl", "bowl", 0.6, 0.5, dynamic=True),
        thing("ball", "tennis_ball", 0.6, 0.5, 0.1, dynamic=True, **BALL),
        thing("fridge", "fridge", -1.5, 1.5),
        thing("picture", "picture", 0.0, 2.49, 1.5),
    )
    assert flagged(backend, *things, settle_steps=400) == set()


def test_each_fault_has_its_flag(backend: MujocoBackend) -> None:
    found = flagged(
        backend,
        thing("air", "mug", -1.0, 0.0, 0.7),
        thing("on_air", "tennis_ball", -1.0, 1.0, 1.03),
        thing("air_too", "book", -1.0, 1.0, 1.0, size_m=(0.3, 0.2, 0.03)),
        thing("crossing", "box_of_crackers", 1.0, 0.0, size_m=(0.2, 0.2, 0.2)),
        thing("crossed", "box_of_crackers", 1.15, 0.1, size_m=(0.2, 0.2, 0.2)),
        thing("sunk", "mug", 0.5, 1.0, -0.02),
        thing("beyond", "mug", 0.0, 3.5),
        thing("block", "box_of_crackers", 2.0, 1.9, size_m=(0.5, 0.5, 1.2)),
    )
    assert {h for h, flag in found if flag == "floating"} == {"air", "air_too", "on_air"}
    assert {h for h, flag in found if flag == "interpenetrating"} - {"beyond"} == {"crossing", "crossed", "sunk"}
    assert {h for h, flag in found if flag == "out_of_room"} == {"beyond"}
    assert {h for h, flag in found if flag == "never_visible"} == {"beyond"}
    assert not {h for h, flag in found if flag == "moved_after_settling"}


def test_what_is_shut_in_is_never_visible(backend: MujocoBackend) -> None:
    shut_in = thing("shut_in", "tennis_ball", -0.05, 0.0, 0.1, size_m=(0.04, 0.04, 0.04))
    found = flagged(backend, thing("microwave", "microwave"), shut_in, thing("outside", "tennis_ball", 0.0, -0.6))
    assert {h for h, flag in found if flag == "never_visible"} == {"shut_in"}


def test_what_still_falls_has_not_settled_and_the_audit_moves_nothing(backend: MujocoBackend) -> None:
    ball = thing("ball", "tennis_ball", 0.0, 0.5, 1.0, dynamic=True)
    resting = thing("book", "book", 0.5, 0.5, dynamic=True, size_m=(0.3, 0.2, 0.04))
    found = flagged(backend, ball, resting, settle_steps=50)
    assert {h for h, flag in found if flag == "moved_after_settling"} == {"ball"}
    before = backend.snapshot("s")
    backend.audit("s")
    assert backend.snapshot("s") == before


def test_counting_in_views_agrees_with_standing_there(backend: MujocoBackend) -> None:
    s = scene(thing("mug", "mug", 0.0, 0.3), thing("glass", "water_glass", 0.2, 0.3), thing("behind", "tennis_ball", 0.2, 0.6))
    backend.load("s", s, START, 0)
    poses = [START, looking(0.2, -0.2, 0.2), looking(0.0, 1.5, 0.3, 180.0), looking(0.0, -0.5, 0.3, 180.0)]
    counted = backend.visible("s", poses)
    for pose, expected in zip(poses, counted, strict=True):
        backend.load("t", msgspec.structs.replace(s, room=s.room), pose, 0)
        assert {o.handle: o.visible_pixels for o in backend.state("t")[0] if o.visible_pixels} == expected
    assert counted[1]["behind"] > 0, "it shows through the glass"
    assert counted[3] == {}


def test_relations_of_a_busy_scene_are_found_by_box_first(backend: MujocoBackend) -> None:
    """80 things in a grid, of which few are near each other: only those are compared triangle by triangle."""
    things = [thing(f"o{n}", "mug", -2.0 + 0.4 * (n % 10), -1.6 + 0.4 * (n // 10)) for n in range(80)]
    backend.load("s", scene(*things, thing("last", "mug", -2.0, -1.6, 0.096)), START, 0)
    view = judging._View(backend._sessions["s"])
    assert list(view.pairs(margin=judging.REST_M)) == [(0, 80)]


@pytest.mark.parametrize(("category", "inside"), [("freezer", True), ("armchair", False), ("sofa", False), ("bed", False)])
def test_a_hollow_model_without_a_stated_cavity_holds_what_it_surrounds_or_covers(category: str, inside: bool) -> None:
    """A chest freezer and seats of the model pack: what is in the box of a seat lies on it."""
    catalogue = Catalogue.load()
    if not catalogue.pack_present:
        pytest.skip("needs the object model pack")
    backend = MujocoBackend(catalogue)
    match = catalogue.lookup(category)
    assert match.hollow and catalogue.model(match).cavity is None
    ball = Object("ball", "tennis_ball", Pose((0.0, 0.0, 0.6 * present(match.real_size_m)[2])))
    assert (("inside", "ball", "c") in related(backend, thing("c", category), ball)) is inside
    backend.shutdown()
