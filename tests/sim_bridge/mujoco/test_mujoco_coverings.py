"""What a ramp is covered with is seen from above, not from behind, and changes nothing of how things slide."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.entities.ramp import Ramp
from sim_bridge.backends.mujoco.meshes import coverings
from sim_bridge.backends.mujoco.meshes.coverings import COVERINGS
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

ABOVE, BEHIND = looking(-0.35, -0.55, 0.75, -30.0, -42.0), looking(0.9, 0.0, 0.10, 90.0, 0.0)
TURNED = (0.0, 0.0, 1.0, 0.0)


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def scene(surface: Any, **of_ramp: Any) -> Scene:
    ramp = Object("object_1", "ramp", Pose((0.0, 0.0, 0.0), TURNED), on_floor=True, params={"surface": surface}, **of_ramp)
    book = Object("object_2", "book", Pose((-0.25, 0.35, 0.0)), on_floor=True, dynamic=True, params={"friction": 0.3})
    return Scene(Camera(160, 120, 60.0), Room(furnished=False, seed=3), (ramp, book), settle_steps=5)


def test_each_covering_is_told_from_every_other_by_its_colour_or_its_pattern() -> None:
    """Colours as seen (mean sRGB) or contrast within the picture differ by a twelfth of the range."""
    found = {}
    for name in COVERINGS:
        picture = coverings.image(name, 0.6, 0.3).astype(float)
        assert picture.shape == (300, 600, 3)
        found[name] = np.array([*picture.mean((0, 1)), 2 * picture.mean(2).std()])
    near = {pair: float(np.abs(found[pair[0]] - found[pair[1]]).max()) for pair in itertools.combinations(COVERINGS, 2)}
    assert min(near.values()) >= 255 / 12, min(near.items(), key=lambda kv: kv[1])


def test_the_covering_shows_from_above_and_not_from_behind(backend: Any) -> None:
    pictures = {}
    for name in ("sandpaper", "ice", "steel"):
        seen = backend.load("s", scene(name), ABOVE, 0).frames[-1]
        behind = backend.load("s", scene(name), BEHIND, 0).frames[-1]
        pictures[name] = decode_frame(seen).astype(int), decode_frame(behind).astype(int)
    for a, b in itertools.combinations(pictures, 2):
        assert (np.abs(pictures[a][0] - pictures[b][0]).max(2) > 25).mean() > 0.08, (a, b)
        assert np.array_equal(pictures[a][1], pictures[b][1]), (a, b)


@pytest.mark.parametrize("of_ramp", [{}, {"size_m": (0.6, 0.3, 0.05)}], ids=["wedge", "plank"])
def test_a_covering_sets_no_friction(backend: Any, of_ramp: dict[str, Any]) -> None:
    moves = []
    for name in ("sandpaper", "ice"):
        backend.load("s", scene(name, **of_ramp), ABOVE, 0)
        assert backend.act("s", parse_action("place_on_slope(object_2)"), render=False).ok
        s = backend._session("s")
        moves.append(next(e for e in s.world.entities if isinstance(e, Ramp)).levels(s)["slide_m"])
    assert moves[0] == moves[1] and (of_ramp or moves[0] > 0.03)


@pytest.mark.parametrize("value", ["velvet", 3, ["ice"]])
def test_an_unknown_covering_is_refused_with_the_known_ones(backend: Any, value: Any) -> None:
    with pytest.raises(SceneError, match=r"objects\[0\]\.params\.surface: expected one of sandpaper, rubber, "):
        backend.load("s", scene(value), ABOVE, 0)
