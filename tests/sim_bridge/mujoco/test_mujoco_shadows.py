"""A small thing on the floor has a shadow there, as the one beside it: in tasks of physical contact the shadow is the cue."""

from __future__ import annotations

import os

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.encoding import decode_frame
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene


def test_a_candle_beside_a_bowl_has_a_shadow_as_the_bowl_has() -> None:
    backend = MujocoBackend(Catalogue(None))
    pictures = {}
    for shown in ((), ("bowl",), ("candle",)):
        objects = tuple(Object("object_1", c, Pose((-0.25, 0.8, 0.0)), origin="base") for c in shown)
        scene = Scene(Camera(640, 480, 60.0), Room((-2.5, -2.5, 2.5, 2.5), furnished=False), objects)
        seen = backend.load("s", scene, looking(-0.25, 0.0, 0.3, 0.0, -15.0), 0)
        session = backend._session("s")
        segments = backend._renderers.get(session.world).segments(session.data, *backend._eye(session.camera))
        pictures[shown] = decode_frame(seen.frames[-1]).astype(int).sum(2), segments >= 0
    backend.shutdown()
    floor, _ = pictures[()]
    for shown in (("bowl",), ("candle",)):
        picture, thing = pictures[shown]
        darker = (floor - picture > 20) & ~thing
        assert darker.sum() >= MIN_PIXELS, (shown, int(darker.sum()))
        # It touches the thing: what floats has a lit strip below it.
        grown = np.zeros_like(thing)
        grown[1:-1, 1:-1] = thing[2:, 1:-1] | thing[:-2, 1:-1] | thing[1:-1, 2:] | thing[1:-1, :-2]
        assert (darker & grown).sum() >= 3, shown


MIN_PIXELS = 10
