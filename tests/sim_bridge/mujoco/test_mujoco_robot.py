"""The second robot of the embedded simulator: it goes its way action by action, looks where it goes and stops at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

import numpy as np

from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, ObjectState, Phase, Pose, Room, Scene

ROBOT, BALL = "object_1", "object_2"
PATH = [[0.5, 0.5], [0.5, 1.7]]
"""1.5 m to the right, then 1.2 m away."""


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def scene(phases: tuple[Phase, ...] = (), **params: object) -> Scene:
    return Scene(
        camera=Camera(160, 120, 75.0),
        room=Room((-2.5, -2.5, 2.5, 2.5), furnished=False),
        objects=(
            Object(ROBOT, "robot", Pose((-1.0, 0.5, 0.0)), origin="base", params={"path": PATH} | params),
            Object(BALL, "basketball", Pose((1.5, -0.5, 0.0)), origin="base", dynamic=True),
        ),
        phases=phases,
    )


START = looking(0.0, -2.0, 1.4, 0.0, -15.0)


def robot(backend: MujocoBackend) -> ObjectState:
    return backend.state("s")[0][0]


def heading_deg(state: ObjectState) -> float:
    """Direction in which its face looks, degrees from +x."""
    *_, z, w = state.pose.quaternion_xyzw
    return math.degrees(2 * math.atan2(z, w)) - 90.0


def test_every_action_takes_it_one_step_further_whatever_the_action_is(backend: MujocoBackend) -> None:
    backend.load("s", scene(), START, 0)
    for n, action in enumerate(("wait", "turn_left", "move_up", f"pick_up({BALL})", "turn_right"), 1):
        backend.act("s", parse_action(action))
        gone = min(0.5 * n, 2.7)
        assert robot(backend).levels["path_m"] == pytest.approx(gone)
        x, y, _ = robot(backend).pose.position_m
        assert (x, y) == pytest.approx((-1.0 + gone, 0.5) if gone <= 1.5 else (0.5, 0.5 + gone - 1.5))


def test_it_looks_where_it_goes_and_stops_at_the_end(backend: MujocoBackend) -> None:
    backend.load("s", scene(), START, 0)
    assert heading_deg(robot(backend)) == pytest.approx(-90.0)
    assert robot(backend).flags == robot(backend).flags | {"walking": True, "arrived": False}
    backend.act("s", parse_action("wait"))
    assert heading_deg(robot(backend)) == pytest.approx(0.0), "to the right"
    for _ in range(3):
        backend.act("s", parse_action("wait"))
    assert heading_deg(robot(backend)) == pytest.approx(90.0), "away"
    for _ in range(3):
        outcome = backend.act("s", parse_action("wait"))
    assert robot(backend).flags == robot(backend).flags | {"walking": False, "arrived": True}
    assert robot(backend).pose.position_m[:2] == pytest.approx((0.5, 1.7))
    before = outcome.observation.frames[-1].pixel_hash
    assert [f.pixel_hash for f in backend.act("s", parse_action("wait")).observation.frames] == [before], "nothing moves any more"


def test_waiting_shows_its_motion_in_several_pictures(backend: MujocoBackend) -> None:
    backend.load("s", scene(), START, 0)
    frames = backend.act("s", parse_action("wait")).observation.frames
    assert len({f.pixel_hash for f in frames}) == 4


def test_wheels_roll_without_slipping(backend: MujocoBackend) -> None:
    backend.load("s", scene(step_m=0.3), START, 0)
    backend.act("s", parse_action("wait"))
    s = backend._sessions["s"]
    wheel = next(part for part in s.world.object(ROBOT).entities[0].hung if part.name.endswith("wheel_left"))  # type: ignore[attr-defined]
    turn = s.data.xmat[s.world.object(ROBOT).body].reshape(3, 3).T @ s.data.xmat[wheel.body].reshape(3, 3)
    angle = math.atan2(turn[2, 1], turn[1, 1])
    assert angle % (2 * math.pi) == pytest.approx(0.3 / 0.138 % (2 * math.pi), rel=0.03)


def test_the_step_is_the_scenes(backend: MujocoBackend) -> None:
    backend.load("s", scene(step_m=0.2), START, 0)
    backend.act("s", parse_action("wait"))
    backend.act("s", parse_action("turn_left"))
    assert robot(backend).levels["path_m"] == pytest.approx(0.4)


def test_it_begins_anew_in_every_phase_and_stays_away_where_it_is_hidden(backend: MujocoBackend) -> None:
    phases = (Phase("before", hidden=(ROBOT,)), Phase("after", moved={ROBOT: Pose((-1.0, -0.5, 0.0))}))
    backend.load("s", scene(phases), START, 0)
    backend.act("s", parse_action("wait"))
    assert not robot(backend).present
    backend.set_phase("s", "after")
    assert robot(backend).pose.position_m[:2] == pytest.approx((-1.0, -0.5))
    backend.act("s", parse_action("wait"))
    way = np.array([1.5, 1.0]) / math.hypot(1.5, 1.0)
    assert robot(backend).pose.position_m[:2] == pytest.approx((-1.0 + 0.5 * way[0], -0.5 + 0.5 * way[1]))


def test_restoring_brings_back_its_place_and_what_follows(backend: MujocoBackend) -> None:
    actions = ("wait", "turn_left", "wait", "turn_right", "wait")
    backend.load("s", scene(), START, 0)
    backend.act("s", parse_action("wait"))
    saved = backend.snapshot("s")

    def hashes() -> list[str]:
        return [f.pixel_hash for a in actions for f in backend.act("s", parse_action(a)).observation.frames]

    first = hashes()
    backend.restore("s", saved)
    assert hashes() == first
    backend.load("s", scene(), START, 0)
    backend.act("s", parse_action("wait"))
    assert hashes() == first


def test_it_is_too_big_to_pick_up(backend: MujocoBackend) -> None:
    backend.load("s", scene(path=[]), looking(-1.0, -0.6, 1.2, 0.0, -10.0), 0)
    assert backend.act("s", parse_action(f"pick_up({ROBOT})")).reason == f"{ROBOT} is too big or too heavy to pick up"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"path": [[0, 0], [1]]}, "scene.objects[0].params.path: expected up to 200 points [x, y] in metres"),
        ({"path": [[0, 0], [9, 0]]}, "params.path[1]: expected a point inside the room, got (9.0, 0.0)"),
        ({"step_m": 0}, "scene.objects[0].params.step_m: expected metres per action from 0.05 to 5, got 0"),
    ],
)
def test_paths_that_make_no_sense_are_refused(backend: MujocoBackend, params: dict[str, Any], words: str) -> None:
    with pytest.raises(SceneError) as raised:
        backend.load("s", scene(**params), START, 0)
    assert words in str(raised.value)
