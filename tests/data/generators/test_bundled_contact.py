"""Bundled Physical Contact tasks: what a close picture along the gap shows agrees with the gold, as the surfaces and the physics do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from data.generators.registry import bundled
from data.generators.spatial import CONTACT_GAP_M
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.engine import gl, judging
from sim_bridge.kinematics import heading, looking
from sim_bridge.spec import Camera

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

CLOSE = Camera(240, 180, 12.0)
"""From 1.5 m: 1.3 mm per pixel."""
AWAY_M = 1.5
TASKS = [task for task in bundled() if task.subcategory == "Physical Contact"]


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend()
    yield made
    made.shutdown()


def test_there_are_at_least_twenty_and_half_of_them_touch() -> None:
    golds = [task.gold.accepted[0] for task in TASKS]
    assert len(golds) >= 20 and golds.count("yes") == golds.count("no")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_masks_meet_if_and_only_if_the_gold_says_so(backend: MujocoBackend, task: Any) -> None:
    # what stands besides could stand before the close picture
    objects = tuple(o for o in task.scene.objects if o.handle in task.question.ask.things)
    scene = msgspec.structs.replace(task.scene, camera=CLOSE, objects=objects)
    backend.load("s", scene, task.start, 0)
    s = backend._sessions["s"]
    view = judging._View(s)
    clouds = [view.surface(k).triangles.reshape(-1, 3) for k in (0, 1)]
    # the gap runs along the line of sight of the start view; the close picture is taken across it
    along = np.array([*heading(task.start), 0.0])
    front, back = sorted((0, 1), key=lambda k: clouds[k].mean(0) @ along)
    depth = clouds[front] @ along
    end = clouds[front][depth > depth.max() - 1e-3].mean(0)
    middle = end + along * ((clouds[back] @ along).min() - depth.max()) / 2
    across = np.array([along[1], -along[0], 0.0])
    x, y, z = middle - AWAY_M * across
    eye = looking(x, y, z, yaw_deg=math.degrees(math.atan2(-across[0], across[1])))
    mask = backend._renderers.get(s.world).segments(s.data, *backend._eye(eye))
    pixel_m = 2 * AWAY_M * math.tan(math.radians(CLOSE.hfov_deg) / 2) / CLOSE.width
    apart_m = (gap_px(mask, front, back) - 1) * pixel_m
    backend.close("s")
    assert apart_m < judging.TOUCH_M if task.gold.accepted[0] == "yes" else apart_m > CONTACT_GAP_M - 2 * pixel_m


def gap_px(mask: Any, one: Any, other: Any) -> Any:
    """Smallest distance between pixels of the two masks; 1 where they are neighbours."""
    first, second = np.argwhere(mask == one), np.argwhere(mask == other)
    assert len(first) > 100 and len(second) > 100, "both are in the picture"
    tops, rows = edges(first), edges(second)
    return float(np.sqrt(((tops[:, None] - rows[None]) ** 2).sum(2)).min())


def edges(pixels: Any) -> Any:
    """First and last pixel of each row: the gap runs level."""
    rows: dict[str, Any] = {}
    for y, x in pixels:
        low, high = rows.get(y, (x, x))
        rows[y] = (min(low, x), max(high, x))
    return np.array([(y, x) for y, ends in rows.items() for x in ends])
