"""What is held is seen whole, above the floor, whatever the camera's height and pitch: over every kind of thing that a hand takes."""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")
import mujoco

from sim_bridge.backends.mujoco.backend import MujocoBackend, _hand
from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.catalogue.physical import physical
from sim_bridge.backends.mujoco.deeds.stage import shape_of
from sim_bridge.backends.mujoco.engine.render import Renderers
from sim_bridge.backends.mujoco.engine.session import HELD_SHARE, Session, put_pose, relative, settle_pose, show
from sim_bridge.backends.mujoco.engine.world import build
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

HEIGHTS_M = (0.01, 0.05, 0.25, 0.6, 1.2, 1.7)
PITCHES_DEG = (-60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0)
PER_WORLD = 40
"""Kinds in one compiled world, to compile few."""


def graspable(catalogue: Catalogue) -> list[str]:
    """One category of every kind that a hand takes."""
    found: dict[str, Any] = {}
    for category in vocabulary.known():
        match = catalogue.lookup(category)
        if match.grade != "none" and match.real_size_m and physical(match, match.real_size_m).graspable:
            found.setdefault(catalogue.kind_of(category), category)
    return sorted(found.values())


def test_every_kind_is_seen_whole_and_above_the_floor() -> None:
    catalogue, renderers = Catalogue.load(), Renderers()
    kinds = graspable(catalogue)
    assert len(kinds) > 150
    kinds = kinds[::4]  # all 400 take half a minute
    cameras = list(itertools.product(HEIGHTS_M, PITCHES_DEG))
    turn = 0
    for first in range(0, len(kinds), PER_WORLD):
        some = kinds[first : first + PER_WORLD]
        objects = tuple(Object(f"object_{i}", c, Pose((-8.0, -8.0 + 0.4 * i, 0.0)), origin="base") for i, c in enumerate(some))
        scene = Scene(Camera(96, 72, 75.0), Room((-9.0, -9.0, 9.0, 9.0), furnished=False), objects)
        start = looking(0.0, 0.0, 1.2, 0.0, 0.0)
        world = build(scene, start, catalogue, f"held{first}")
        s = Session(world, mujoco.MjData(world.model), start, "", scene)
        for p in world.objects:
            put_pose(s, p, p.home)
        settle_pose(s)
        for entity in world.entities:
            entity.enter(s)
        renderer = renderers.get(world)
        for i, p in enumerate(world.objects):
            s.hand = (relative(s, p, np.array(p.home.position_m)),)
            for _ in range(2):
                turn += 1
                height, pitch = cameras[turn * 11 % len(cameras)]
                s.camera = looking(0.0, 0.0, height, 30.0, pitch)
                show(s)
                assert shape_of(s, p)[:, 2].min() >= 0.0, (p.match, height, pitch)
                shown = renderer.segments(s.data, *MujocoBackend._eye(s.camera), _hand(s)) == i
                where = (p.match, height, pitch, int(shown.sum()))
                assert shown.sum() >= 3, where  # a pen seen end-on; 44 times as many at 640×480
                assert not (shown[0].any() or shown[-1].any() or shown[:, 0].any() or shown[:, -1].any()), where
                wide, high = (np.ptp(np.flatnonzero(shown.any(axis))) for axis in (0, 1))
                assert wide <= HELD_SHARE[0] * 96 and high <= HELD_SHARE[1] * 72, where
            s.hand = ()
            put_pose(s, p, p.home)
            settle_pose(s)
        renderers.drop(world.key)
    renderers.close()


def test_a_larger_thing_looks_larger_in_the_hand() -> None:
    sizes = (0.09, 0.20, 0.36)
    objects = tuple(
        Object(f"object_{i}", "plant_pot", Pose((-8.0, -8.0 + 0.6 * i, 0.0)), origin="base", size_m=(w, w, 0.86 * w))
        for i, w in enumerate(sizes)
    )
    start = looking(0.0, 0.0, 1.2, 0.0, 0.0)
    scene = Scene(Camera(320, 240, 75.0), Room((-9.0, -9.0, 9.0, 9.0), furnished=False), objects)
    world, renderers = build(scene, start, Catalogue.load(), "scale"), Renderers()
    s = Session(world, mujoco.MjData(world.model), start, "", scene)
    for p in world.objects:
        put_pose(s, p, p.home)
    settle_pose(s)
    wide = []
    for i, p in enumerate(world.objects):
        s.hand = (relative(s, p, np.array(p.home.position_m)),)
        show(s)
        shown = renderers.get(world).segments(s.data, *MujocoBackend._eye(s.camera), _hand(s)) == i
        wide.append(int(np.ptp(np.flatnonzero(shown.any(0)))))
        s.hand = ()
        put_pose(s, p, p.home)
        settle_pose(s)
    renderers.close()
    assert [w / wide[0] for w in wide] == pytest.approx([w / sizes[0] for w in sizes], rel=0.15)
