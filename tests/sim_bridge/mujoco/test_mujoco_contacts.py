"""Contact flags say what a close picture shows: two things touch if and only if their masks meet, seen along the gap."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import geometry, gl
from sim_bridge.backends.mujoco.engine.geometry import Surface
from sim_bridge.backends.mujoco.engine.judging import TOUCH_M
from sim_bridge.backends.mujoco.meshes.shapes import box, lathe
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from tests.present import present

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

ROUND = ("tennis_ball", "basketball", "orange", "tumbler", "beer_glass", "bowl", "vase", "plate", "wine_bottle", "candle", "plant_pot")
FLAT = ("box_of_crackers", "book", "box_of_cereal")
GAPS_M = (0.0, 0.0012, 0.0, 0.0045, 0.009, 0.03)
"""Some that count as contact, some that do not; none within a millimetre of the tolerance."""
CAMERA = Camera(240, 180, 4.0)
"""From 1.5 m: half a millimetre per pixel, and nearly parallel rays."""
AWAY_M = 1.5


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def shape(backend: MujocoBackend, category: Any, turn: Any) -> Any:
    """Corners of a category's model about its box centre, turned about z."""
    catalogue = backend.catalogue
    model = catalogue.model(catalogue.lookup(category)).normalised()
    points = np.concatenate([p.vertices[np.unique(p.faces)] for p in model.parts])
    c, s = math.cos(turn), math.sin(turn)
    return points @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T


def pairs() -> Iterator[Any]:
    """30 pairs: two categories, a turn of each, side by side or stacked, and the gap between their extreme points."""
    numbers = random.Random(7)
    for k in range(30):
        stacked = k % 2 == 1
        one = numbers.choice(FLAT if stacked else (*ROUND, *FLAT))
        other = numbers.choice((*ROUND, *FLAT))
        turns = tuple(numbers.uniform(0.0, 2 * math.pi) if c in FLAT else 0.0 for c in (one, other))
        yield pytest.param(one, other, turns, stacked, GAPS_M[k % 6], id=f"{one}-{other}-{'on' if stacked else 'beside'}-{GAPS_M[k % 6]}")


@pytest.mark.parametrize(("one", "other", "turns", "stacked", "gap_m"), pairs())
def test_flags_agree_with_the_masks_of_a_close_picture(
    backend: MujocoBackend, one: Any, other: Any, turns: Any, stacked: Any, gap_m: Any
) -> None:
    a, b = shape(backend, one, turns[0]), shape(backend, other, turns[1])
    # The extreme points, which face each other: of all that are extreme, their middle.
    axis = 2 if stacked else 0
    end = a[a[:, axis] > a[:, axis].max() - 1e-6].mean(0)
    start = b[b[:, axis] < b[:, axis].min() + 1e-6].mean(0)
    base = np.array([0.0, 0.0, 1.2])
    centre = base + end - start + np.eye(3)[axis] * gap_m
    objects = tuple(
        Object(f"object_{n}", category, Pose(tuple(at.tolist()), (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2))))
        for n, category, at, turn in ((1, one, base, turns[0]), (2, other, centre, turns[1]))
    )
    middle = base + end + np.eye(3)[axis] * gap_m / 2
    x, y, z = middle.tolist()
    eye = looking(x, y - AWAY_M, z)
    backend.load("s", Scene(CAMERA, Room(furnished=False), objects, settle_steps=0), eye, 0)
    s = backend._sessions["s"]
    mask = backend._renderers.get(s.world).segments(s.data, *backend._eye(eye))
    shown = seen_gap_m(mask)
    touching = any(r.kind == "touching" for r in backend.state("s")[1])
    assert touching is (shown < TOUCH_M), f"the picture shows {1e3 * shown:.1f} mm, placed {1e3 * gap_m:.1f} mm apart"
    assert shown == pytest.approx(gap_m, abs=max(0.0012, 0.1 * gap_m)), "the picture shows the gap that was asked for"
    contacts = backend.audit("s")[1]
    assert len(contacts) == int(touching)
    if touching:
        assert contacts[0].gap_m == pytest.approx(gap_m, abs=0.0006)
        assert abs(contacts[0].position_m[axis] - middle[axis]) < 0.002, "the contact lies between the two"


def seen_gap_m(mask: Any) -> Any:
    """Smallest distance between the masks of the two objects, at the depth of the gap; 0 where pixels of both are neighbours."""
    first, second = (np.argwhere(border(mask == k)) for k in (0, 1))
    assert len(first) > 40 and len(second) > 40, "both are in the picture"
    apart = np.sqrt(((first[:, None] - second[None]) ** 2).sum(2)).min()
    pixel_m = 2 * AWAY_M * math.tan(math.radians(CAMERA.hfov_deg) / 2) / CAMERA.width
    return float(max(0.0, apart - 1.0) * pixel_m)


def border(mask: Any) -> Any:
    """Pixels of a mask with a neighbour outside of it."""
    inner = mask.copy()
    for axis in (0, 1):
        for by in (1, -1):
            inner &= np.roll(mask, by, axis)
    return mask & ~inner


# --- the distance itself ---------------------------------------------------------------------------------------------------------------


def test_triangle_distances_are_exact() -> None:
    """Against points sampled densely on both triangles of 300 random pairs."""
    numbers = np.random.default_rng(0)
    t = numbers.normal(size=(300, 3, 3))
    u = numbers.normal(size=(300, 3, 3)) + numbers.normal(size=(300, 1, 3))
    exact, on_t, on_u, *_ = geometry._measure(t, u, 100.0)
    grid = np.array([(i / 24, j / 24) for i in range(25) for j in range(25 - i)])
    spread = [
        c[:, None, 0] + grid[None, :, :1] * (c[:, 1] - c[:, 0])[:, None] + grid[None, :, 1:] * (c[:, 2] - c[:, 0])[:, None] for c in (t, u)
    ]
    sampled = np.array([np.sqrt(((p[:, None] - q[None]) ** 2).sum(2)).min() for p, q in zip(*spread, strict=True)])
    assert (exact <= sampled + 1e-9).all() and (sampled - exact).max() < 0.12
    assert np.allclose(np.linalg.norm(on_t - on_u, axis=1), exact)
    assert 10 < int((exact == 0).sum()) < 200, "some cross, most do not"


def test_large_faces_without_corners_nearby_are_measured() -> None:
    """Two crossed bars: no corner of one is near the other."""
    bar = box(1.0, 0.02, 0.02)
    one = Surface.of(bar.vertices, bar.faces)
    for gap in (0.001, 0.004, 0.02):
        other = bar.turned("z", 90.0).moved(z=0.02 + gap)
        found = geometry.near_pairs(one, Surface.of(other.vertices, other.faces), 0.01).nearest()
        assert (found is None) if gap > 0.01 else present(found)[0] == pytest.approx(gap)


def test_inside_of_material_is_told_from_inside_of_a_hollow() -> None:
    """A thick bowl: points in its wall are within, points in its hollow and around it are not."""
    bowl = lathe([(0.0, 0.0), (0.1, 0.0), (0.1, 0.1), (0.08, 0.1), (0.08, 0.02), (0.0, 0.02)], 40)
    points = np.array([(0.09, 0.001, 0.05), (0.002, 0.001, 0.01), (0.001, 0.002, 0.06), (0.2, 0.0, 0.05), (0.0, 0.0, 0.2)])
    assert geometry.within(points, Surface.of(bowl.vertices, bowl.faces)).tolist() == [True, True, False, False, False]


def test_a_hollow_between_sheets_drawn_from_one_side_is_no_material(backend: MujocoBackend) -> None:
    """A closed gift box with ribbons that face outwards alone: nothing within it lies in its material, and a mug in it crosses nothing."""
    gift = Object("object_1", "gift_box", Pose((0.0, 1.5, 0.0)), origin="base", size_m=(0.251, 0.251, 0.247))
    mug = Object("object_2", "mug", Pose((0.0, 1.5, 0.006)), origin="base")
    backend.load(
        "s", Scene(camera=CAMERA, room=Room((-2.0, -1.0, 2.0, 3.0), furnished=False), objects=(gift, mug)), Pose((0.0, 0.0, 1.0)), 0
    )
    flags, _ = backend.audit("s")
    assert not flags["object_1"]["interpenetrating"] and not flags["object_2"]["interpenetrating"]
    model = backend.catalogue.model(backend.catalogue.lookup("gift_box"))
    surfaces = np.concatenate([p.vertices[p.faces] for p in model.parts])
    triangles = Surface.of(surfaces.reshape(-1, 3), np.arange(3 * len(surfaces)).reshape(-1, 3))
    hollow = np.random.default_rng(1).uniform((-0.1, -0.1, 0.02), (0.1, 0.1, 0.13), (500, 3))
    assert not geometry.within(hollow, triangles).any()
