"""The mirror shows a thing where geometry says: at the pixel of its reflected centre, and nowhere when no ray gets there."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.encoding import decode_frame
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

CAMERA = Camera(320, 240, 70.0)
RADIUS_M = 0.15
WIDTH_M, HEIGHT_M, THICK_M = 1.0, 1.2, 0.04
MIRROR_Y_M = 1.8
"""It stands before a wall and faces the middle of the room."""
RIM_M = 0.04
"""Frame around the glass (`world._mirror`)."""
PER_MIRROR = 5


@dataclass
class Case:
    """A mirror turned by `yaw_deg`, a ball and a camera that looks at the mirror; whether the ball shows in it, and where."""

    yaw_deg: float
    ball: np.ndarray
    eye: Pose
    shows: bool
    image: np.ndarray
    """The ball's centre behind the glass."""


def mirror_frame(yaw_deg: Any) -> Any:
    """Centre of the reflecting plane, its normal, and the level direction along it. At yaw 0 it faces −y."""
    a = math.radians(yaw_deg)
    normal = np.array([math.sin(a), -math.cos(a), 0.0])
    return np.array([0.0, MIRROR_Y_M, 1.2]) + normal * (THICK_M / 2 + 0.002), normal, np.array([math.cos(a), math.sin(a), 0.0])


def cases() -> Any:
    """Ten mirrors with three balls that show and two that do not, drawn until the whole ball is in or out, and nothing is in the way."""
    numbers = random.Random(11)
    found = []
    for k in range(10):
        yaw = numbers.uniform(-25.0, 25.0)
        centre, normal, along = mirror_frame(yaw)
        wanted = [True, True, True, False, False]
        while wanted:
            ball = np.array([numbers.uniform(-2.4, 2.4), numbers.uniform(-2.2, 2.7), numbers.uniform(0.3, 2.3)])
            place = np.array([numbers.uniform(-1.8, 1.8), numbers.uniform(-2.0, 1.0), numbers.uniform(0.6, 1.9)])
            gaze = centre - place
            yaw_deg = math.degrees(math.atan2(-gaze[0], gaze[1])) + numbers.uniform(-8, 8)
            pitch = math.degrees(math.atan2(gaze[2], math.hypot(gaze[0], gaze[1])))
            eye = looking(*place.tolist(), yaw_deg=yaw_deg, pitch_deg=pitch)  # type: ignore[misc]
            before, ahead = float((ball - centre) @ normal), float((place - centre) @ normal)
            if ahead < 0.4 or abs(before) < 0.3:
                continue
            image = ball - 2 * before * normal
            # Where the ray from the eye to the image meets the glass.
            hit = place + (image - place) * ahead / (ahead + before) if before > 0 else centre
            u, v = (hit - centre) @ along, hit[2] - centre[2]
            size = RADIUS_M * 1.3
            inside = before > 0 and abs(u) < WIDTH_M / 2 - RIM_M - size and abs(v) < HEIGHT_M / 2 - RIM_M - size
            outside = before < 0 or abs(u) > WIDTH_M / 2 + size or abs(v) > HEIGHT_M / 2 + size
            if not (inside or outside) or _between(place, hit if inside else centre, ball):
                continue
            if inside in wanted:
                wanted.remove(inside)
                found.append((k, Case(yaw, ball, eye, inside, image)))
    return found


def _between(start: Any, end: Any, ball: Any) -> Any:
    """Whether the ball itself stands in the line of sight."""
    along = end - start
    t = float(np.clip((ball - start) @ along / (along @ along), 0, 1))
    return float(np.linalg.norm(start + t * along - ball)) < 2.5 * RADIUS_M


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


@pytest.mark.parametrize("number", range(10))
def test_a_ball_shows_in_the_mirror_where_geometry_says(backend: MujocoBackend, number: int) -> None:
    here = [case for k, case in cases() if k == number]
    assert [case.shows for case in here].count(True) == 3 and len(here) == PER_MIRROR
    turn = math.radians(here[0].yaw_deg) / 2
    mirror = Object(
        "object_1", "mirror", Pose((0.0, MIRROR_Y_M, 1.2), (0.0, 0.0, math.sin(turn), math.cos(turn))), size_m=(WIDTH_M, THICK_M, HEIGHT_M)
    )
    ball = Object("object_2", "tennis_ball", Pose((0.0, -1.0, 1.0)), size_m=(2 * RADIUS_M,) * 3, params={"color": (1.0, 0.0, 0.0)})
    phases = tuple(Phase(f"p{i}", moved={"object_2": Pose(tuple(case.ball.tolist()))}) for i, case in enumerate(here))
    scene = Scene(CAMERA, Room((-3.0, -3.0, 3.0, 3.0), furnished=False), (mirror, ball), phases, settle_steps=0)
    backend.load("s", scene, here[0].eye, 0)
    s = backend._sessions["s"]
    for i, case in enumerate(here):
        backend.set_phase("s", f"p{i}")
        image = decode_frame(backend.views("s", [case.eye])[0]).astype(int)
        direct = backend._renderers.get(s.world).segments(s.data, *backend._eye(case.eye)) == 1
        reflected = red(image) & ~grown(direct)
        if not case.shows:
            assert not reflected.any(), f"pose {i}: {int(reflected.sum())} pixels of a ball that no ray reaches"
            continue
        x, y = projected(case.eye, case.image)
        rows, columns = np.nonzero(reflected)
        assert len(rows) > 20, f"pose {i}: the ball does not show at ({x:.0f}, {y:.0f})"
        radius = RADIUS_M * CAMERA.width / 2 / math.tan(math.radians(CAMERA.hfov_deg / 2)) / depth(case.eye, case.image)
        assert math.hypot(columns.mean() - x, rows.mean() - y) < 1.0 + 0.15 * radius, (
            f"pose {i}: shown elsewhere than at ({x:.0f}, {y:.0f})"
        )
        assert len(rows) == pytest.approx(math.pi * radius**2, rel=0.35), f"pose {i}: shown in another size"


def red(image: Any) -> Any:
    """Pixels of the ball, in its shade too; nothing else of the room is so red."""
    return image[..., 0] > 25 + 2.2 * np.maximum(image[..., 1], image[..., 2])


def grown(mask: Any) -> Any:
    """The mask and a pixel around it, whose colours mix at the edge."""
    out = mask.copy()
    for axis in (0, 1):
        for by in (1, -1):
            out |= np.roll(mask, by, axis)
    return out


def local(eye: Any, point: Any) -> Any:
    x, y, z, w = eye.quaternion_xyzw
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return turn.T @ (np.asarray(point) - np.asarray(eye.position_m))


def depth(eye: Any, point: Any) -> Any:
    return -float(local(eye, point)[2])


def projected(eye: Any, point: Any) -> Any:
    """Column and row of a world point."""
    x, y, z = local(eye, point)
    focal = CAMERA.width / 2 / math.tan(math.radians(CAMERA.hfov_deg / 2))
    return CAMERA.width / 2 - 0.5 - focal * x / z, CAMERA.height / 2 - 0.5 + focal * y / z
