"""Cloths in the embedded simulator: they cover what stands below them entirely, show its shape, and can be lifted once."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.entities.cloth import Cloth
from sim_bridge.backends.mujoco.meshes import cloth as sheets
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking, rotation_matrix
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.0, -0.75, 0.5, 0.0, -30.0)
SMALL = Camera(240, 180, 70.0)
EMPTY = Room(furnished=False, seed=3)
TURNED = (0.0, 0.0, math.sin(0.3), math.cos(0.3))


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def over(
    category: Any, *, size: Any = None, sheet: Any = None, kind: str = "cloth", z: float = 0.6, more: Any = (), **params: Any
) -> Scene:
    """A cloth (object 1) let go above a thing (object 2) on the floor."""
    return Scene(
        SMALL,
        EMPTY,
        (
            Object("object_1", kind, Pose((0.0, 0.0, z), TURNED), size_m=sheet, params=params),
            Object("object_2", category, Pose((0.01, -0.005, 0.0)), on_floor=True, size_m=size),
            *more,
        ),
    )


def around(height: Any, distance: float = 0.9, views: int = 12) -> Iterator[Any]:
    """Poses on a ring about the origin that look at the middle of the thing."""
    for k in range(views):
        angle = 2 * math.pi * (k + 0.5) / views
        x, y = distance * math.sin(angle), -distance * math.cos(angle)
        yield looking(x, y, height, math.degrees(angle), -math.degrees(math.atan2(height - 0.08, distance)))


def seen(backend: Any, session: Any, pose: Any) -> Any:
    """Pixels of every object from another pose, all counted."""
    s = backend._session(session)
    counts = backend._renderers.get(s.world).visible(
        s.data, np.array(pose.position_m), np.array(rotation_matrix(pose.quaternion_xyzw)), step=1
    )
    return {p.handle: int(n) for p, n in zip(s.world.objects, counts, strict=True)}


def cloth_of(backend: Any, session: Any) -> Any:
    return next(e for e in backend._session(session).world.entities if isinstance(e, Cloth))


THINGS = {
    "box": ("box_of_cereal", {"size": (0.12, 0.08, 0.14)}),
    "bottle": ("bottle_of_hot_sauce", {}),
    "ball": ("baseball", {}),
    "mug": ("mug", {}),
    "teddy": ("teddy_bear", {"sheet": (0.95, 0.95, 0.002)}),
}


@pytest.mark.parametrize("name", THINGS)
def test_a_cloth_covers_a_thing_to_the_last_pixel_from_all_sides(backend: Any, name: str) -> None:
    category, how = THINGS[name]
    backend.load("c", over(category, **how), START, 0)  # type: ignore[arg-type]
    assert cloth_of(backend, "c").covered == ("object_2",)
    for height in (0.25, 0.6, 1.3):
        for pose in around(height):
            pixels = seen(backend, "c", pose)
            assert pixels["object_2"] == 0 and pixels["object_1"] > 200, (height, pose.position_m, pixels)


def test_a_cloth_that_is_too_small_leaves_something_to_see(backend: Any) -> None:
    backend.load("c", over("bottle_of_hot_sauce", sheet=(0.3, 0.3, 0.002)), START, 0)
    assert cloth_of(backend, "c").covered == ("object_2",)
    assert max(seen(backend, "c", pose)["object_2"] for pose in around(0.25)) > 20


def test_the_cloth_takes_the_shape_of_what_it_covers(backend: Any) -> None:
    """Its highest point lies on the thing's top; beside a tall thin one it falls off steeply, over a low one it lies flat around it."""
    tops = {}
    for name in ("box", "bottle", "ball"):
        category, how = THINGS[name]
        backend.load("c", over(category, **how), START, 0)  # type: ignore[arg-type]
        sheet, thing = backend.state("c")[0]
        tops[name] = sheet.aabb_max_m[2]
        assert 0.0 < sheet.aabb_max_m[2] - thing.aabb_max_m[2] < 0.02
        assert 0.0 <= sheet.aabb_min_m[2] < 0.004
    assert tops["ball"] < tops["box"] < tops["bottle"]


def test_lifting_shows_what_was_below_step_by_step_and_happens_once(backend: Any) -> None:
    backend.load("c", over("mug"), START, 0)
    before = backend.state("c")[0]
    outcome = backend.act("c", parse_action("remove_cloth(object_1)"))
    assert outcome.ok and outcome.reason == ""
    frames = outcome.observation.frames
    assert len(frames) == 4 and len({f.pixel_hash for f in frames}) == 4
    assert outcome.observation.visible.get("object_2", 0) > 50 and "object_1" not in outcome.observation.visible
    cloth, mug = backend.state("c")[0]
    assert not cloth.present and cloth.flags["removed"] and not before[0].flags["removed"]
    assert mug.pose == before[1].pose
    again = backend.act("c", parse_action("remove_cloth(object_1)"))
    assert not again.ok and again.reason == "object_1 is not there"
    assert backend.act("c", parse_action("pick_up(object_2)")).ok


def test_a_cloth_can_be_named_by_what_it_covers(backend: Any) -> None:
    backend.load("c", over("mug", more=(Object("object_3", "apple", Pose((0.4, 0.2, 0.0)), on_floor=True),)), START, 0)
    other = backend.act("c", parse_action("remove_cloth(object_3)"))
    assert (other.ok, other.reason) == (False, "there is no cloth over object_3")
    assert backend.act("c", parse_action("remove_cloth(object_2)")).ok
    assert not backend.state("c")[0][0].present


def test_a_cloth_out_of_reach_or_view_stays(backend: Any) -> None:
    backend.load("c", over("mug"), looking(0.0, -2.4, 0.5, 0.0, -10.0), 0)
    assert backend.act("c", parse_action("remove_cloth(object_1)")).reason == "object_1 is too far away"
    backend.load("c", over("mug"), looking(0.0, -0.75, 0.5, 180.0, -10.0), 0)
    assert backend.act("c", parse_action("remove_cloth(object_1)")).reason == "object_1 is not in view"
    assert backend.state("c")[0][0].present


def test_restoring_brings_a_lifted_cloth_back_exactly(backend: Any) -> None:
    actions = [parse_action(a) for a in ("turn_left", "turn_right", "remove_cloth(object_1)", "move_forward", "turn_down")]

    def play() -> Any:
        return [f.pixel_hash for a in actions for f in backend.act("c", a).observation.frames]

    backend.load("c", over("mug"), START, 0)
    snapshot, first = backend.snapshot("c"), backend.observe("c").frames[0].pixel_hash
    run = play()
    backend.restore("c", snapshot)
    assert backend.observe("c").frames[0].pixel_hash == first
    assert play() == run
    after = backend.snapshot("c")
    backend.load("c", over("mug"), START, 0)
    backend.restore("c", after)
    assert backend.observe("c").frames[0].pixel_hash == run[-1]


def test_a_cloth_falls_the_same_way_every_time_and_only_once_per_content(backend: Any) -> None:
    scene = over("mug")
    backend.load("c", scene, START, 0)
    kept = cloth_of(backend, "c").placed.vertices
    sheets._KEPT.clear()
    fresh = create()
    fresh.load("c", scene, START, 0)
    assert np.array_equal(cloth_of(fresh, "c").placed.vertices, kept)
    count = len(sheets._KEPT)
    # A twin: another start view and a far object elsewhere do not concern the cloth.
    far = Object("object_3", "apple", Pose((2.0, 1.0, 0.0)), on_floor=True)
    fresh.load("d", msgspec.structs.replace(scene, objects=(*scene.objects, far)), looking(0.5, -1.0, 0.5, 20.0, -20.0), 0)
    assert len(sheets._KEPT) == count
    fresh.shutdown()


def test_a_cloth_covers_only_what_is_below_the_place_where_it_is_let_go(backend: Any) -> None:
    above = Object("object_3", "soccer_ball", Pose((0.0, 0.0, 1.2)))
    backend.load("c", over("mug", more=(above,)), START, 0)
    assert cloth_of(backend, "c").covered == ("object_2",)
    assert backend.state("c")[0][0].aabb_max_m[2] < 0.15


def test_a_phase_may_take_the_cloth_away(backend: Any) -> None:
    scene = msgspec.structs.replace(over("mug"), phases=(Phase("before"), Phase("after", hidden=("object_1",))))
    assert "object_2" not in backend.load("c", scene, START, 0).visible
    assert backend.set_phase("c", "after").visible["object_2"] > 50
    moved = msgspec.structs.replace(scene, phases=(Phase("before"), Phase("after", moved={"object_1": Pose((1.0, 0.0, 0.5))})))
    with pytest.raises(SceneError, match=r"scene.phases: object_1 is a cloth"):
        backend.load("c", moved, START, 0)


def test_patterns_and_colours_show(backend: Any) -> None:
    pictures = []
    for params in ({}, {"color": "blue"}, {"color": "blue", "pattern": "stripes"}):
        pictures.append(decode_frame(backend.load("c", over("mug", **params), START, 0).frames[-1]).astype(int))  # type: ignore[arg-type]
    red, blue, striped = (p[70:150, 70:170].reshape(-1, 3).mean(0) for p in pictures)
    assert red[0] > red[2] and blue[2] > blue[0] and striped.mean() > blue.mean()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"pattern": "paisley"}, r"scene.objects\[0\].params.pattern: expected one of plain, .*got 'paisley'"),
        ({"drape": 1}, r"scene.objects\[0\].params.drape: expected true or false, got 1"),
        ({"sheet": (3.0, 3.0, 0.002)}, r"object_1: a cloth measures 0.08 to 1.6 m, got \(3.0, 3.0\)"),
    ],
)
def test_cloths_that_make_no_sense_are_refused(backend: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        backend.load("c", over("mug", **more), START, 0)


def test_a_towel_with_a_high_box_lies_folded(backend: Any) -> None:
    scene = over("mug", kind="hand_towel", sheet=(0.3, 0.2, 0.1))
    backend.load("c", msgspec.structs.replace(scene, objects=(msgspec.structs.replace(scene.objects[0], on_floor=True),)), START, 0)
    (towel,) = backend.state("c")[0]
    assert towel.aabb_max_m[2] == pytest.approx(0.1, abs=1e-3)
