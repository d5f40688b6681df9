"""Scenes that cannot be built are refused at once, with the field's name; what is missing on the machine is said."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.local import LocalClient
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.0, -1.5, 1.4)
ROOT = Path(__file__).resolve().parents[3]
FLIPPED = math.sqrt(0.5)


@pytest.fixture(scope="module")
def client() -> Iterator[LocalClient]:
    made = MujocoBackend(Catalogue(None))
    yield LocalClient(made)
    made.shutdown()


def thing(n: Any, category: str = "mug", x: float = 0.0, y: float = 0.0, z: float = 0.0, **more: Any) -> Object:
    return Object(f"object_{n}", category, Pose((x, y, z)), **{"origin": "base", **more})


def crate(n: Any, x: Any, size: float = 0.3, **more: Any) -> Any:
    return thing(n, "box_of_crackers", x, size_m=(size, size, size), **more)


def scene(*objects: Any, **more: Any) -> Scene:
    return Scene(**{"camera": Camera(64, 48), "room": Room(furnished=False), "objects": objects, "settle_steps": 0, **more})


REFUSED = [
    (scene(thing(1, "griffin")), r"scene\.objects\[0\]\.category: .*'griffin'"),
    (scene(thing(1), thing(2, "unicorn")), r"scene\.objects\[1\]\.category"),
    (scene(crate(1, 0.0), crate(2, 0.02, 0.2)), r"scene\.objects\[1\]\.pose: object_2 lies inside object_1, which is solid"),
    (scene(crate(1, 0.0), thing(3), crate(2, 0.0)), r"scene\.objects\[2\]\.pose: object_"),
    (scene(thing(1, "book", size_m=(9.0, 9.0, 0.1))), r"scene\.objects\[0\]\.size_m: object_1 is larger than the room"),
    (scene(thing(1, height_m=50.0)), r"scene\.objects\[0\]\.height_m: object_1 is larger than the room"),
    (scene(thing(1, scale=(900.0, 1.0, 1.0))), r"scene\.objects\[0\]\.scale: object_1 is larger than the room"),
    (scene(*(thing(n) for n in range(10_000))), r"scene\.objects: expected at most \d+ objects, got 10000"),
    (scene(thing(1, size_m=(0.1, 0.0, 0.1))), r"scene\.objects\[0\]\.size_m: .*got \(0\.1, 0\.0, 0\.1\)"),
    (scene(thing(1, x=math.nan)), r"scene\.objects\[0\]\.pose\.position_m: .*nan"),
    (scene(thing(1, size_m=(math.inf, 1.0, 1.0))), r"scene\.objects\[0\]\.size_m"),
    (scene(camera=Camera(64, 48, math.nan)), r"scene\.camera\.hfov_deg"),
    (scene(camera=Camera(100_000, 48)), r"scene\.camera\.width"),
    (scene(camera=Camera(3000, 1200)), r"scene\.camera: expected at most 1920×1080"),
    (scene(room=Room(bounds_m=(0.0, 0.0, 0.1, 0.1))), r"scene\.room\.bounds_m"),
    (scene(room=Room(height_m=1000.0)), r"scene\.room\.height_m"),
    (scene(settle_steps=10**9), r"scene\.settle_steps"),
]


@pytest.mark.parametrize(("wrong", "message"), REFUSED, ids=[message.replace("\\", "")[:48] for _, message in REFUSED])
def test_a_scene_that_cannot_be_built_is_refused_by_field(client: LocalClient, wrong: Any, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        client.load("s", wrong, START)


def test_things_that_only_touch_overlap_a_little_or_are_hollow_are_built(client: LocalClient) -> None:
    """Released scenes hold such things: half of one in the other, something in a box, the same place at different times."""
    good = [
        (crate(1, 0.0), crate(2, 0.3)),
        (crate(1, 0.0), crate(2, 0.16)),
        (thing(1, "tank"), thing(2, "tennis_ball", z=0.01)),
        (crate(1, 0.0), crate(2, 0.0, 0.2, dynamic=True)),
    ]
    for objects in good:
        assert client.load("s", scene(*objects), START).ok
    places = (Phase("first", hidden=("object_2",)), Phase("second", hidden=("object_1",)))
    assert client.load("s", scene(crate(1, 0.0), crate(2, 0.0), phases=places), START).ok
    together = (Phase("first"), Phase("second", moved={"object_2": Pose((0.01, 0.0, 0.0))}))
    with pytest.raises(SceneError, match=r"scene\.phases\[second\]: object_"):
        client.load("s", scene(crate(1, 0.0), crate(2, 1.0), phases=together), START)


def test_the_turned_box_of_a_thing_decides_not_its_upright_one(client: LocalClient) -> None:
    """A board that stands on edge beside a block: their upright boxes cross, they do not."""
    board = Object("object_2", "book", Pose((0.0, 0.45, 0.3), (FLIPPED, 0.0, 0.0, FLIPPED)), size_m=(0.4, 0.6, 0.04))
    assert client.load("s", scene(thing(1, "box_of_crackers", size_m=(0.6, 0.8, 0.5)), board), START).ok


def test_refusals_leave_the_worker_working(client: LocalClient) -> None:
    with pytest.raises(SceneError):
        client.load("s", scene(thing(1, "griffin")), START)
    assert client.load("s", scene(thing(1)), START).ok


# --- without the asset pack -----------------------------------------------------------------------------------------------------------


def test_without_the_asset_pack_the_simulator_builds_shapes_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIM_BRIDGE_ASSETS", str(tmp_path))
    backend = create()
    try:
        assert backend.fingerprint()["assets"] == "procedural"
        client = LocalClient(backend)
        assert client.load("s", scene(thing(1, "mug", z=1.3), thing(2, "bowl", 0.4)), START).observation.visible
        needs = next(c for c in ("teddy_bear", "swivel_chair", "grand_piano") if not backend.catalogue.lookup(c).recognisable)
        with pytest.raises(SceneError, match=r"scene\.objects\[0\]\.category: .*model pack, which is not installed.*build_assets"):
            client.load("s", scene(thing(1, needs)), START)
        # Furniture comes from the pack where there is one; a room is furnished without it too.
        assert client.load("s", scene(thing(1, "mug"), room=Room(kind="bedroom", seed=2)), START).ok
    finally:
        backend.shutdown()


def test_the_doctor_names_a_missing_asset_pack(tmp_path: Path) -> None:
    environment = {**os.environ, "SIM_BRIDGE_ASSETS": str(tmp_path), "VANTAGE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "app.cli", "doctor", "--json"]
    said = json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout)
    pack = next(check for check in said["checks"] if check["name"] == "asset pack")
    assert pack["found"] == "not built" and not pack["ok"] and not pack["required"]
    assert "vantage assets build" in pack["advice"]


def test_a_scene_survives_the_wire_as_it_was(client: LocalClient) -> None:
    """What is refused above is refused by its contents, not by its form."""
    good = scene(thing(1), crate(2, 0.5))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(good), type=Scene) == good
