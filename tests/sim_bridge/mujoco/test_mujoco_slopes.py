"""Slopes in the embedded simulator: what is put on them slides exactly when its friction is too small, as fast as it should."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.entities.ramp import Ramp
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.1, -1.2, 0.6, 0.0, -25.0)
TINY = Camera(96, 72, 75.0)
EMPTY = Room(furnished=False, seed=3)
PUT = parse_action("place_on_slope(object_2)")
GRAVITY_M_S2 = 9.81
WATCH_S = 0.5


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def scene(
    angle: float = 20.0,
    category: str = "book",
    *,
    friction: Any = None,
    size: Any = None,
    ramp: Any = None,
    camera: Any = TINY,
    dynamic: bool = True,
    more: Any = (),
    **params: Any,
) -> Scene:
    on_slope = {} if friction is None else {"friction": friction}
    return Scene(
        camera,
        EMPTY,
        (
            ramp or Object("object_1", "ramp", Pose((0.0, 0.0, 0.0)), on_floor=True, params={"angle_deg": angle, **params}),
            Object("object_2", category, Pose((0.45, -0.35, 0.0)), on_floor=True, dynamic=dynamic, size_m=size, params=on_slope),
            *more,
        ),
        settle_steps=5,
    )


def trial(backend: Any, built: Any, start: Any = START) -> Any:
    """(slid, fell, XY move in metres) of object 2 on the slope."""
    backend.load("s", built, start, 0)
    outcome = backend.act("s", PUT, render=False)
    assert outcome.ok, outcome.reason
    s = backend._session("s")
    (ramp,) = (e for e in s.world.entities if isinstance(e, Ramp))
    flags, levels = ramp.flags(s), ramp.levels(s)
    return flags["slid"], flags["fell"], levels["slide_m"]


LOW_THINGS = (("book", None), ("can_of_tuna", None), ("box_of_cereal", (0.10, 0.09, 0.04)), ("box_of_crackers", (0.16, 0.10, 0.05)))
"""Things that are lower than wide: they slide before they topple, up to 45°."""
SHARES = (0.5, 0.8, 0.95, 1.05, 1.3)
"""Friction as a share of the slope's tangent."""


@pytest.mark.parametrize("angle", [10, 15, 20, 25, 30, 35, 40, 45])
def test_a_thing_slides_exactly_when_its_friction_is_below_the_slopes_tangent(backend: Any, angle: int) -> None:
    """40 cases, as near as 5 % to the threshold; the way is that of a body under gravity and sliding friction."""
    for k, share in enumerate(SHARES):
        category, size = LOW_THINGS[(angle // 5 + k) % len(LOW_THINGS)]
        slope = math.radians(angle)
        friction = share * math.tan(slope)
        slid, fell, way = trial(backend, scene(angle, category, friction=friction, size=size))
        acceleration = GRAVITY_M_S2 * (math.sin(slope) - friction * math.cos(slope))
        expected = max(0.0, acceleration) * WATCH_S**2 / 2 * math.cos(slope)
        if share > 1:
            assert way < 0.001, (category, friction)
        else:
            assert way == pytest.approx(expected, rel=0.05, abs=0.005), (category, friction)
        assert not fell
        if not 0.025 < expected < 0.035:
            assert slid == (expected > 0.03)


def test_the_mass_does_not_matter(backend: Any) -> None:
    ways = []
    for mass in (0.05, 2.0):
        built = scene(25.0, friction=0.3)
        thing = msgspec.structs.replace(built.objects[1], params={"friction": 0.3, "mass_kg": mass})
        ways.append(trial(backend, msgspec.structs.replace(built, objects=(built.objects[0], thing)))[2])
    assert ways[0] == pytest.approx(ways[1], rel=0.03) and ways[0] > 0.1


def test_without_a_friction_of_its_own_the_catalogues_decides_or_the_ramps(backend: Any) -> None:
    assert trial(backend, scene(25.0))[2] < 0.002
    rough = Object("object_1", "ramp", Pose((0.0, 0.0, 0.0)), on_floor=True, params={"angle_deg": 25.0, "friction": 0.2})
    assert trial(backend, scene(ramp=rough))[0]


def test_a_ball_rolls_down(backend: Any) -> None:
    slid, _, way = trial(backend, scene(15.0, "tennis_ball"))
    slope = math.radians(15.0)
    # A solid ball that rolls: five sevenths of the frictionless acceleration; a hollow one: three fifths.
    assert slid and way == pytest.approx(5 / 7 * GRAVITY_M_S2 * math.sin(slope) * WATCH_S**2 / 2 * math.cos(slope), rel=0.15)


def test_what_slides_over_the_edge_of_a_table_falls(backend: Any) -> None:
    half = math.radians(35.0) / 2
    table = Object("object_3", "box_of_cereal", Pose((0.0, 0.0, 0.25)), size_m=(0.42, 0.4, 0.5))
    plank = Object("object_1", "ramp", Pose((0.0, 0.0, 0.62), (0.0, math.sin(half), 0.0, math.cos(half))), size_m=(0.4, 0.3, 0.02))
    slid, fell, _ = trial(backend, scene(ramp=plank, more=(table,), category="book", friction=0.01), looking(0.1, -1.2, 0.9, 0.0, -30.0))
    assert slid and fell


def test_the_pictures_show_the_slide_and_the_same_actions_give_the_same_pictures(backend: Any) -> None:
    camera = Camera(160, 120, 75.0)
    built = scene(30.0, "box_of_cereal", friction=0.2, size=(0.1, 0.09, 0.05), camera=camera)
    backend.load("s", built, START, 0)
    snapshot = backend.snapshot("s")
    actions = [PUT, parse_action("wait"), parse_action("move_left"), parse_action("turn_down")]
    play: Callable[..., Any] = lambda: [f.pixel_hash for a in actions for f in backend.act("s", a).observation.frames]  # noqa: E731
    first = play()
    assert len(set(first[:7])) == 7
    backend.restore("s", snapshot)
    assert play() == first
    backend.load("t", built, START, 0)
    assert [f.pixel_hash for a in actions for f in backend.act("t", a).observation.frames] == first


def test_what_is_in_the_hand_is_put_on_the_slope(backend: Any) -> None:
    backend.load("s", scene(15.0, "mug", friction=0.9), START, 0)
    assert backend.act("s", parse_action("pick_up(object_2)")).ok
    assert backend.act("s", PUT).ok
    ramp, mug = backend.state("s")[0]
    assert not mug.flags["held"] and not ramp.flags["slid"]
    x, y, z, w = mug.pose.quaternion_xyzw
    up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert math.degrees(math.acos(up[2])) == pytest.approx(15.0, abs=0.5)
    assert mug.pose.position_m[0] < -0.15 and mug.aabb_min_m[2] > 0.08


@pytest.mark.parametrize("angle", [10.0, 33.0, 45.0])
def test_a_ramp_has_the_angle_asked_for_in_its_shape_and_in_its_contacts(backend: Any, angle: float) -> None:
    backend.load("s", scene(angle), START, 0)
    ramp = backend.state("s")[0][0]
    low, high = np.array(ramp.aabb_min_m), np.array(ramp.aabb_max_m)
    assert math.degrees(math.atan2(high[2] - low[2], high[0] - low[0])) == pytest.approx(angle, abs=0.01)
    s = backend._session("s")
    (entity,) = (e for e in s.world.entities if isinstance(e, Ramp))
    assert math.degrees(entity.slope(s).angle_rad) == pytest.approx(angle, abs=0.01)


def test_a_tilted_plank_is_a_ramp_with_a_block_below_it(backend: Any) -> None:
    half = math.radians(24.0) / 2
    plank = Object("object_1", "ramp", Pose((0.0, 0.0, 0.105), (0.0, math.sin(half), 0.0, math.cos(half))), size_m=(0.45, 0.3, 0.02))
    slid, _, way = trial(backend, scene(ramp=plank, friction=0.2))
    slope = math.radians(24.0)
    expected = GRAVITY_M_S2 * (math.sin(slope) - 0.2 * math.cos(slope)) * WATCH_S**2 / 2 * math.cos(slope)
    assert slid and way == pytest.approx(expected, rel=0.12)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ramp": Object("object_1", "book", Pose((0.0, 0.0, 0.0)), on_floor=True)}, "there is no slope here"),
        ({"dynamic": False, "more": (Object("object_3", "apple", Pose((1.0, 0.0, 0.0)), dynamic=True),)}, "object_2 stays where it is put"),
    ],
)
def test_it_says_why_nothing_can_be_put_on_a_slope(backend: Any, change: dict[str, Any], reason: str) -> None:
    backend.load("s", scene(**change), START, 0)
    outcome = backend.act("s", PUT)
    assert not outcome.ok and outcome.reason.startswith(reason)


def test_a_slope_out_of_reach_or_taken_is_refused_and_nothing_moves(backend: Any) -> None:
    backend.load("s", scene(camera=Camera(320, 240, 60.0)), looking(0.1, -2.6, 0.6, 0.0, -12.0), 0)
    assert backend.act("s", PUT).reason == "object_2 is too far away"
    vase = Object("object_3", "bowl", Pose((-0.2, 0.0, 0.24)))
    backend.load("s", scene(more=(vase,)), START, 0)
    before = backend.state("s")[0][1].pose
    outcome = backend.act("s", PUT)
    assert outcome.reason == "object_3 is in the way on object_1"
    assert np.allclose(backend.state("s")[0][1].pose.position_m, before.position_m, atol=1e-3)


@pytest.mark.parametrize(
    ("ramp", "message"),
    [
        ({"params": {"angle_deg": 75}}, r"scene.objects\[0\].params.angle_deg: expected 2 to 60 degrees, got 75"),
        ({"params": {"angle_deg": True}}, r"angle_deg: expected 2 to 60 degrees, got True"),
        (
            {"params": {"angle_deg": 20}, "size_m": (0.5, 0.3, 0.3)},
            r"a ramp 0.5 m long and 0.3 m high slopes 31.0°; .*0.1820 m high, got 20",
        ),
    ],
)
def test_ramps_that_make_no_sense_are_refused(backend: Any, ramp: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        backend.load("s", scene(ramp=Object("object_1", "ramp", Pose((0.0, 0.0, 0.0)), **ramp)), START, 0)
