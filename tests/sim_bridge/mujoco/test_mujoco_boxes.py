"""Where things are in a view, and what hands can do with them, as the embedded simulator tells it."""

from __future__ import annotations

import ctypes.util

import numpy as np
import pytest

from sim_bridge.backends.mujoco.engine.render import _extents
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

pytestmark = pytest.mark.skipif(not ctypes.util.find_library("OSMesa"), reason="libOSMesa is missing: the embedded simulator cannot draw")


def test_a_box_is_the_smallest_around_the_pixels_of_an_object() -> None:
    owners = np.full((6, 8), -1, np.int32)
    owners[1, 2] = owners[4, 5] = 1
    owners[0, 7] = 2
    assert _extents(owners, 3).tolist() == [[0, 8, 6, 0, 0], [2, 2, 1, 6, 5], [1, 7, 0, 8, 1]]


def test_the_boxes_of_a_step_hold_the_pixels_of_each_object_and_no_more_than_sampling_misses() -> None:
    from sim_bridge.backends.mujoco.backend import MujocoBackend

    backend = MujocoBackend()
    scene = Scene(
        Camera(320, 240, 75.0),
        Room(bounds_m=(-2.6, -2.6, 2.6, 2.6), kind="kitchen", seed=4, keep_clear_m=(-1.2, -1.9, 1.2, 1.0)),
        (
            Object("table", "dining_table", Pose((0.0, 0.0, 0.37)), size_m=(1.2, 0.8, 0.74)),
            Object("glass", "wineglass", Pose((0.2, -0.1, 0.74)), origin="base"),
            Object("box", "gift_box", Pose((-0.3, -0.1, 0.74)), origin="base", params={"open": False}),
            Object("apple", "apple", Pose((-0.1, 0.2, 0.74)), origin="base", dynamic=True),
        ),
    )
    seen = backend.load("s", scene, looking(0.0, -0.95, 1.3, 0.0, -34.0), 0)
    assert seen.boxes.keys() == seen.visible.keys() == {"table", "glass", "box", "apple"}
    world, renderer = backend._sessions["s"].world, backend._renderers.get(backend._sessions["s"].world)
    owners = renderer.segments(backend._sessions["s"].data, *backend._eye(seen.camera))
    for index, placed in enumerate(world.objects):
        rows, columns = np.nonzero(owners == index)
        exact = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
        assert abs(np.array(seen.boxes[placed.handle]) - exact).max() <= 2, placed.handle
    told = backend.hands("s")
    assert told.reach_m == 1.5
    assert told.can == {
        "table": ("carry",),
        "glass": ("take", "hold", "carry", "water"),
        "box": ("take", "open", "hold", "carry"),
        "apple": ("take",),
    }


def test_a_mask_tells_what_is_seen_through_glass_and_the_glass_around_it() -> None:
    from data.generators.registry import bundled
    from sim_bridge.backends.mujoco.backend import MujocoBackend

    task = next(task for task in bundled() if task.subcategory == "Material Transparency" and task.gold.accepted[0] == "yes")
    flask = next(iter(task.vessels))
    acorn = next(h for h in task.essential if h != flask)
    backend = MujocoBackend()
    seen = backend.load("s", task.scene, task.start, 0)
    numbers, handles = backend.masks("s", None)
    shown = {handle: int((numbers == n).sum()) for n, handle in enumerate(handles, 1)}
    counted = backend.visible("s", [seen.camera])[0]
    assert shown[acorn] == counted[acorn] > 0, "it is seen through the glass"
    assert 0 < shown[flask] < counted[flask] - counted[acorn], "the glass is told where none of the scene's things is behind it"
