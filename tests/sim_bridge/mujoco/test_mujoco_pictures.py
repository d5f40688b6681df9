"""Pictures of the embedded simulator: smooth shadows, shade at feet, nothing burnt out or black, nothing left out that shows."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.encoding import decode_frame
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

BOUNDS = (-2.5, -2.5, 2.5, 2.5)


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def turned(degrees: Any) -> Any:
    return (0.0, 0.0, math.sin(math.radians(degrees) / 2), math.cos(math.radians(degrees) / 2))


def standing(number: Any, category: Any, x: Any, y: Any, *, z: float = 0.0, turn: float = 0.0, **more: Any) -> Object:
    return Object(f"object_{number}", category, Pose((x, y, z), turned(turn)), origin="base", **more)


def view(backend: Any, scene: Any, start: Any) -> Any:
    """(picture (H, W, 3) as int, renderer, session) of a loaded scene."""
    seen = backend.load("s", scene, start, 0)
    session = backend._session("s")
    return decode_frame(seen.frames[-1]).astype(int), backend._renderers.get(session.world), session


# --- what is left out -------------------------------------------------------------------------------------------------


def nothing(n: Any, *_: Any) -> Any:
    return np.zeros(n, bool)


@pytest.mark.parametrize("lighting", ["day", "side", "evening"])
def test_leaving_out_what_is_not_in_view_changes_no_pixel(backend: Any, lighting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = (standing(1, "straight_chair", 0.2, 0.9, turn=30), standing(2, "wineglass", -0.3, 0.6), standing(3, "mug", 0.0, -1.2))
    scene = Scene(Camera(160, 120, 75.0), Room(BOUNDS, kind="living_room", seed=11), objects, lighting=lighting)
    left_out = []
    _, renderer, session = view(backend, scene, looking(0.3, -0.4, 1.5))
    for heading, height, pitch in itertools.product((0.0, 100.0, 215.0), (0.15, 1.5), (-40.0, 0.0)):
        eye = backend._eye(looking(0.3, -0.4, height, heading, pitch))
        seen = renderer.picture(session.data, *eye)
        shown = ~renderer._sight.unneeded(session.data, *eye)
        left_out.append(1 - shown.mean())
        monkeypatch.setattr(renderer._sight, "unneeded", functools.partial(nothing, len(shown)))
        assert np.array_equal(seen, renderer.picture(session.data, *eye)), (heading, height, pitch)
        monkeypatch.undo()
    assert np.mean(left_out) > 0.2


# --- shadows ----------------------------------------------------------------------------------------------------------


def test_the_edge_of_a_shadow_has_no_teeth(backend: Any) -> None:
    """Of a box's straight shadow on the floor, 0.6 m from the eye; the edge is where half of the light is lost, in parts of a pixel.

    Before, with one answer of the shadow map per pixel, it strayed by `BEFORE_PX`.
    """
    start = looking(0.95, 0.75, 0.5, 30.0, -48.0)
    room = Room(BOUNDS, furnished=False, seed=3, keep_clear_m=(-0.9, 0.2, -0.3, 0.8))
    box = standing(1, "packing_box", 0.35, 0.95, turn=25, size_m=(0.3, 0.3, 0.3))
    pictures = [view(backend, Scene(Camera(640, 480, 60.0), room, things), start)[0].sum(2) for things in ((), (box,))]
    assert edge_px(pictures[1] / pictures[0]) < BEFORE_PX / 2


def edge_px(share: Any) -> Any:
    """How far the right edge of the shadow strays from a straight line: root mean square over `ROWS`, pixels.

    Args:
        share: of the light, per pixel.
    """
    where = []
    for row in share[ROWS]:
        k = int(np.flatnonzero((row[:-1] < MIDDLE) & (row[1:] >= MIDDLE))[-1])
        where.append(k + (MIDDLE - row[k]) / (row[k + 1] - row[k]))
    rows = np.arange(len(where))
    return float(np.sqrt(np.mean((where - np.polyval(np.polyfit(rows, where, 1), rows)) ** 2)))


ROWS, MIDDLE, BEFORE_PX = slice(140, 300), 0.86, 1.1
"""Rows that the edge crosses; the share of the light halfway between shadow and floor."""


@pytest.mark.parametrize("lighting", ["day", "evening", "side"])
def test_what_is_lit_bears_no_stripes(backend: Any, monkeypatch: pytest.MonkeyPatch, lighting: str) -> None:
    """Walls and a tall box that nothing shades, with and without shadows: the grain of the shadow map must not show on them."""
    box = standing(1, "packing_box", 0.2, 2.0, size_m=(0.8, 0.4, 1.4))
    scene = Scene(Camera(320, 240, 75.0), Room(BOUNDS, furnished=False, seed=3), (box,), lighting=lighting)
    _, renderer, session = view(backend, scene, looking(0.0, 0.0, 1.2))
    monkeypatch.setattr(renderer, "_decals", Nothing())
    casting = session.world.model.geom_castshadow
    kept = casting.copy()
    for heading in (0.0, 180.0):
        eye = backend._eye(looking(0.0, 0.0, 1.2, heading, 0.0))
        seen = renderer.picture(session.data, *eye).astype(int)
        casting[:] = False
        lit = renderer.picture(session.data, *eye).astype(int)
        casting[:] = kept
        lost = (lit - seen).max(2)
        owner = renderer.segments(session.data, *eye)
        # A stripe loses light against its neighbours above and below, a shadow is a patch. Skirting boards have true stripes of shadow.
        above = np.arange(240)[:, None] < SKIRTING_ROW
        stripes = (lost[1:-1] > 2) & (lost[:-2] <= 1) & (lost[2:] <= 1) & (above | (owner == 0))[1:-1]
        assert stripes.mean() < 0.0005, (heading, float(stripes.mean()))


class Nothing:
    def draw(self, *_: Any) -> None:
        pass


SKIRTING_ROW = 200
"""Above it there is wall alone, seen from the middle of the room at 1.2 m."""


# --- the shade at a foot ----------------------------------------------------------------------------------------------


def shade(backend: Any, scene: Any, start: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """(light lost to the shade at feet per pixel, picture, segments)."""
    picture, renderer, session = view(backend, scene, start)
    hand = None
    eye = backend._eye(start)
    monkeypatch.setattr(renderer._decals, "draw", lambda *_: None)
    plain = renderer.picture(session.data, *eye, hand).astype(int)
    monkeypatch.undo()
    return (plain - picture).max(2), picture, renderer.segments(session.data, *eye)


def test_a_thing_on_the_floor_or_a_table_is_shaded_at_its_foot_and_nowhere_else(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = standing(2, "coffee_table", 0.0, 1.0, size_m=(0.9, 0.6, 0.4))
    room = Room(BOUNDS, furnished=False, seed=3)
    start = looking(0.0, -0.1, 0.9, 0.0, -38.0)
    for mug, more in ((standing(1, "mug", 0.0, 0.55), ()), (standing(1, "mug", 0.05, 0.9, z=0.4), (table,))):
        lost, _, owner = shade(backend, Scene(Camera(320, 240, 60.0), room, (mug, *more)), start, monkeypatch)
        support = owner == (1 if more else -1)
        rows, columns = (np.flatnonzero((owner == 0).any(axis)) for axis in (1, 0))
        foot = np.zeros_like(support)
        foot[rows[-1] - 4 : rows[-1] + 5] = True
        assert lost[foot & support].max() > 15, more
        near = np.zeros_like(support)
        near[rows[0] : rows[-1] + 12, columns[0] - 12 : columns[-1] + 12] = True
        near[rows[-1] + 12 :] = True  # farther down a table has shade at its own feet
        assert (lost[support & ~near] > 3).sum() == 0, more


def test_a_thing_in_the_air_has_none(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(Camera(320, 240, 60.0), Room(BOUNDS, furnished=False, seed=3), (standing(1, "mug", 0.0, 0.6, z=0.1),))
    lost, _, _ = shade(backend, scene, looking(0.0, -0.1, 0.6, 0.0, -30.0), monkeypatch)
    assert lost.max() == 0


def test_what_is_held_leaves_none_behind(backend: Any) -> None:
    start = looking(0.0, -0.2, 0.6, 0.0, -40.0)
    room, camera = Room(BOUNDS, furnished=False, seed=3), Camera(320, 240, 60.0)
    empty, _, _ = view(backend, Scene(camera, room, ()), start)
    view(backend, Scene(camera, room, (standing(1, "tennis_ball", 0.0, 0.3, dynamic=True),)), start)
    outcome = backend.act("s", parse_action("pick_up(object_1)"))
    assert outcome.ok
    held = decode_frame(outcome.observation.frames[-1]).astype(int)
    # The ball is at the lower right; where it lay the floor is as in a room without it.
    assert np.abs(held - empty)[:, :150].max() == 0


def test_shade_is_no_part_of_what_is_counted(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(Camera(320, 240, 60.0), Room(BOUNDS, furnished=False, seed=3), (standing(1, "bowl", 0.0, 0.5),))
    start = looking(0.0, -0.1, 0.6, 0.0, -40.0)
    _, renderer, session = view(backend, scene, start)
    eye = backend._eye(start)
    found = renderer.masks(session.data, *eye), renderer.seen(session.data, *eye)
    monkeypatch.setattr(renderer._decals, "draw", lambda *_: None)
    assert np.array_equal(found[0], renderer.masks(session.data, *eye)) and np.array_equal(found[1], renderer.seen(session.data, *eye))


# --- exposure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lighting", ["day", "side", "evening", "dim"])
def test_nothing_is_burnt_out_or_black(backend: Any, lighting: str) -> None:
    """Over four furnished rooms from four directions at a person's height.

    Burnt out: 250 or more in all three channels, where white on white can no longer be told apart. Black: 4 or less in all three. What
    shines of itself is left aside: in the dark that is nothing here, by day the sky in a window, which is bluer than 250 in red.
    """
    burnt, black = [], []
    for kind, seed in (("living_room", 11), ("bedroom", 4), ("office", 6), ("dining_room", 9)):
        objects = (standing(1, "mug", 0.2, 0.7), standing(2, "toilet_paper", -0.3, 0.9), standing(3, "straight_chair", 0.5, 1.3, turn=120))
        scene = Scene(Camera(160, 120, 75.0), Room(BOUNDS, kind=kind, seed=seed), objects, lighting=lighting)
        _, renderer, session = view(backend, scene, looking(0.0, -0.5, 1.5))
        for heading in (0.0, 90.0, 180.0, 270.0):
            picture = renderer.picture(session.data, *backend._eye(looking(0.0, -0.5, 1.5, heading, -15.0)))
            burnt.append((picture.min(2) >= 250).mean())
            black.append((picture.max(2) <= 4).mean())
    assert max(burnt) <= 0.01 and np.mean(burnt) <= 0.002, (max(burnt), float(np.mean(burnt)))
    assert max(black) <= 0.02 and np.mean(black) <= 0.005, (max(black), float(np.mean(black)))


def test_the_patch_of_an_open_box_does_not_lie_in_it(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    box = standing(1, "packing_box", 0.0, 0.6, size_m=(0.26, 0.2, 0.2), params={"open": True})
    scene = Scene(Camera(320, 240, 60.0), Room(BOUNDS, furnished=False, seed=3), (box,))
    lost, _, owner = shade(backend, scene, looking(0.0, 0.45, 0.9, 0.0, -80.0), monkeypatch)
    assert np.median(lost[owner == 0]) == 0 and (lost[owner == 0] > 20).mean() < 0.03
