"""Lamps in the embedded simulator: a lit lamp glows and lights what is near it, in the dark above all."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

import msgspec
import numpy as np
from PIL import Image

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Frame, Object, Phase, Pose, Room, Scene

LAMP, BALL, TABLE = "object_1", "object_2", "object_3"
LAMPS = ("table_lamp", "desk_lamp", "lantern", "floor_lamp")


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def scene(category: str, lit: bool, lighting: str, *more: Object) -> Scene:
    on_floor = category == "floor_lamp"
    lamp = Pose((-0.45, 1.0, 0.0) if on_floor else (-0.2, 1.0, 0.5))
    return Scene(
        camera=Camera(160, 120, 75.0),
        room=Room((-2.0, -2.0, 2.0, 2.0), furnished=False),
        objects=(
            Object(LAMP, category, lamp, origin="base", params={"lit": lit}),
            Object(BALL, "tennis_ball", Pose((0.0, 0.75, 0.5)), origin="base"),
            Object(TABLE, "console_table", Pose((0.2, 0.9, 0.0)), origin="base", size_m=(1.0, 0.7, 0.5)),
            *more,
        ),
        lighting=lighting,
    )


def picture(frame: Frame) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(frame.data)).convert("RGB"), float)


def brightness(backend: MujocoBackend, made: Scene) -> np.ndarray:
    frame = backend.load("s", made, looking(0.0, -0.3, 1.3, 0.0, -25.0), 0).frames[-1]
    return np.asarray(picture(frame).mean(-1))


@pytest.mark.parametrize("category", LAMPS)
def test_a_lit_lamp_lights_the_table_in_the_dark(backend: MujocoBackend, category: str) -> None:
    dark, lit = (brightness(backend, scene(category, on, "dim")) for on in (False, True))
    table = np.s_[75:95, 70:120]
    assert lit[table].mean() > 1.1 * dark[table].mean() + 2.0
    assert lit.max() > 190, "its bulb or shade glows"
    assert dark.max() < 190


@pytest.mark.parametrize("lighting", ["day", "evening", "side"])
def test_by_other_light_it_is_seen_whether_a_lamp_is_lit(backend: MujocoBackend, lighting: str) -> None:
    dark, lit = (brightness(backend, scene("table_lamp", on, lighting)) for on in (False, True))
    assert np.abs(lit - dark).max() > 20
    assert lit.mean() < 1.35 * dark.mean(), "the room keeps its light"


def test_a_lamp_says_whether_it_is_lit(backend: MujocoBackend) -> None:
    for lit in (True, False):
        backend.load("s", scene("table_lamp", lit, "day"), looking(0.0, -0.3, 1.3, 0.0, -25.0), 0)
        assert backend.state("s")[0][0].flags["lit"] is lit


def test_the_light_goes_with_the_lamp(backend: MujocoBackend) -> None:
    made = scene("lantern", True, "dim")
    backend.load("s", made, looking(0.0, -0.1, 1.1, 0.0, -20.0), 0)
    wall = np.s_[0:40, 20:140]
    backend.act("s", parse_action(f"pick_up({LAMP})"))
    near = picture(backend.observe("s").frames[-1]).mean(-1)[wall].mean()
    for _ in range(4):
        backend.act("s", parse_action("move_backward"))
    assert picture(backend.observe("s").frames[-1]).mean(-1)[wall].mean() < near


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ((Object("object_9", "apple", Pose((1.0, 1.0, 1.0)), params={"lit": True}),), "params.lit: a apple is no lamp here"),
        (
            (Object("object_9", "lantern", Pose((1.0, 1.0, 1.0)), params={"lit": 1}),),
            "scene.objects[3].params.lit: expected true or false, got 1",
        ),
        (
            tuple(Object(f"object_{9 + k}", "lantern", Pose((1.0, 0.3 * k, 0.2)), params={"lit": True}) for k in range(4)),
            "object_12: params.lit: the renderer has room for 4 lit lamps",
        ),
    ],
)
def test_what_cannot_shine_is_refused(backend: MujocoBackend, objects: Any, words: str) -> None:
    with pytest.raises(SceneError) as raised:
        backend.load("s", scene("table_lamp", True, "dim", *objects), looking(0.0, -0.3, 1.3, 0.0, -25.0), 0)
    assert words in str(raised.value)


def test_a_phase_lights_another_lamp_and_a_snapshot_of_it_comes_back_as_it_was(backend: MujocoBackend) -> None:
    more = Object("object_4", "table_lamp", Pose((0.6, 1.0, 0.5)), origin="base")
    phases = (Phase("one"), Phase("two", lighting="night", lit={LAMP: False, "object_4": True}))
    made = msgspec.structs.replace(scene("table_lamp", True, "day", more), phases=phases)
    eye = looking(0.0, -0.3, 1.3, 0.0, -25.0)
    day = backend.load("s", made, eye, 0).frames[-1]
    night = backend.set_phase("s", "two").frames[-1]
    assert picture(night).mean() < 0.3 * picture(day).mean()
    assert {o.handle: o.flags["lit"] for o in backend.state("s")[0] if "lit" in o.flags} == {LAMP: False, "object_4": True}
    kept = backend.snapshot("s")
    backend.load("t", made, eye, 0)
    backend.restore("t", kept)
    assert backend.observe("t").frames[-1].pixel_hash == night.pixel_hash
    assert backend.set_phase("t", "one").frames[-1].pixel_hash == day.pixel_hash


def test_at_night_a_lamp_lights_a_round_and_nothing_else(backend: MujocoBackend) -> None:
    lamp = Object(LAMP, "floor_lamp", Pose((0.0, 0.0, 0.0)), origin="base", params={"lit": True})
    room = Room((-2.0, -2.0, 2.0, 2.0), furnished=False)
    made = Scene(camera=Camera(160, 120, 75.0), room=room, objects=(lamp,), lighting="night")
    low = backend.load("s", made, looking(0.0, -1.9, 1.3, 0.0, -40.0), 0)
    seen = np.asarray(picture(low.frames[-1]).mean(-1))
    assert seen.max() > 100 and (seen < 1).mean() > 0.3


def test_a_phase_that_lights_what_is_no_lamp_is_refused(backend: MujocoBackend) -> None:
    made = msgspec.structs.replace(scene("table_lamp", True, "day"), phases=(Phase("one", lit={BALL: True}),))
    with pytest.raises(SceneError, match=r"phases\[0\].lit: object_2: a tennis_ball is no lamp"):
        backend.load("s", made, looking(0.0, -0.3, 1.3, 0.0, -25.0), 0)
