"""Robot sample: camera matrices, depth and poses agree with the pictures to the pixel and the millimetre."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

import sim_bridge.backends.mujoco  # noqa: F401 - sets the renderer's environment before MuJoCo is imported
from sim_bridge.backends.mujoco.engine import gl

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")

mujoco = pytest.importorskip("mujoco")

from sim_bridge.backends.mujoco.tabletop import film  # noqa: E402
from sim_bridge.backends.mujoco.tabletop.setting import TABLE_Z_M  # noqa: E402
from sim_bridge.backends.mujoco.tabletop.show import Staged, stage  # noqa: E402

CAMERAS = {"dual": ("left.camera", "head", "right.camera"), "single": ("view1", "view2", "view3", "arm.camera")}
EDGE_M = 0.003
NOT_IN_THE_MIDDLE = ("toilet roll", "banana")
"""Things that have nothing at the middle of their box."""


@dataclass
class Look:
    """One camera at one frame."""

    k: np.ndarray
    to_camera: np.ndarray
    owner: np.ndarray
    """Body of each pixel."""
    depth: np.ndarray


@dataclass
class Filmed:
    staged: Staged
    camera: film.Film
    data: mujoco.MjData  # type: ignore[name-defined]
    looked: dict[tuple[int, str], Look] = field(default_factory=dict)

    def at(self, frame: int) -> None:
        self.data.qpos[:] = self.staged.track.qpos[frame]
        mujoco.mj_forward(self.staged.built.model, self.data)

    @property
    def frames(self) -> list[int]:
        return [int(f) for f in np.linspace(0, self.staged.track.frames - 1, 4)]

    def body(self, k: int) -> int:
        return int(self.staged.built.model.body(self.staged.built.named[k].body).id)


@pytest.fixture(scope="module", params=["dual", "single"])
def filmed(request: pytest.FixtureRequest) -> Iterator[tuple[str, Filmed]]:
    staged = stage(request.param, "place", 0, (0, 7), 5)
    camera = film.Film(staged.built.model)
    yield request.param, Filmed(staged, camera, mujoco.MjData(staged.built.model))
    camera.close()


def rotation(wxyz: np.ndarray) -> np.ndarray:
    w, x, y, z = wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def seen(filmed: Filmed, frame: int, camera: str) -> Look:
    """What a camera sees; each is drawn once."""
    if (frame, camera) not in filmed.looked:
        filmed.at(frame)
        filmed.looked[frame, camera] = Look(
            film.intrinsics(filmed.staged.built.model, camera),
            film.world_to_camera(filmed.data, camera),
            filmed.camera.bodies(filmed.data, camera),
            filmed.camera.shot(filmed.data, camera).depth_m,
        )
    return filmed.looked[frame, camera]


def places(f: Filmed, look: Look, frame: int, i: int) -> np.ndarray:
    """Pixels of a thing as points in its own frame."""
    rows, columns = np.nonzero(look.owner == f.body(i))
    pose = f.staged.track.things[frame, i]
    found: np.ndarray = (points(look.k, look.to_camera, rows, columns, look.depth[rows, columns]) - pose[:3]) @ rotation(pose[3:])
    return found


def points(k: np.ndarray, to_camera: np.ndarray, rows: np.ndarray, columns: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """World points of pixel middles at their depth."""
    rays = np.stack([(columns + 0.5 - k[0, 2]) / k[0, 0], (rows + 0.5 - k[1, 2]) / k[1, 1], np.ones(len(rows))], 1)
    camera = rays * depth[:, None]
    found: np.ndarray = (camera - to_camera[:3, 3]) @ to_camera[:3, :3]
    return found


def test_the_projected_middle_of_a_thing_falls_on_its_pixels_in_every_view(filmed: tuple[str, Filmed]) -> None:
    arm, f = filmed
    checked = dict.fromkeys(CAMERAS[arm], 0)
    for frame in f.frames:
        for camera in CAMERAS[arm]:
            look = seen(f, frame, camera)
            for i, named in enumerate(f.staged.built.named):
                p = look.to_camera[:3, :3] @ f.staged.track.things[frame, i, :3] + look.to_camera[:3, 3]
                if p[2] < 0.05 or named.noun in NOT_IN_THE_MIDDLE:
                    continue
                u, v = (look.k @ p)[:2] / p[2]
                if not (0 <= u < film.WIDTH and 0 <= v < film.HEIGHT):  # type: ignore[attr-defined]
                    continue
                row, column = int(v), int(u)
                if look.owner[row, column] != f.body(i):
                    # Something may stand before it; nothing behind may be seen through it.
                    assert look.depth[row, column] < p[2], f"{camera} frame {frame}: {named.name} is not where its pose says"
                checked[camera] += look.owner[row, column] == f.body(i)
    fewest = {"left.camera": 1, "right.camera": 1, "arm.camera": 2}
    assert all(n >= fewest.get(camera, 12) for camera, n in checked.items()), checked


def test_every_pixel_of_a_thing_lies_within_its_box_at_its_depth(filmed: tuple[str, Filmed]) -> None:
    arm, f = filmed
    pixels = 0
    for frame in f.frames:
        for camera in CAMERAS[arm]:
            look = seen(f, frame, camera)
            for i, named in enumerate(f.staged.built.named):
                local = places(f, look, frame, i)
                if len(local):
                    outside = np.abs(local) - named.size_m / 2
                    assert outside.max() < EDGE_M, f"{camera} {frame}: {named.name} is {outside.max() * 1000:.1f} mm out of its box"
                    pixels += len(local)
    assert pixels > 20_000


def test_things_fill_their_boxes(filmed: tuple[str, Filmed]) -> None:
    """The extents are not merely large enough: seen from all views and frames, each thing comes near the ends of its longest axis."""
    arm, f = filmed
    for i, named in enumerate(f.staged.built.named):
        local = np.concatenate([places(f, seen(f, frame, camera), frame, i) for frame in f.frames for camera in CAMERAS[arm]])
        axis = int(np.argmax(named.size_m))
        assert len(local), named.name
        assert np.ptp(local[:, axis]) > 0.8 * named.size_m[axis], named.name


def test_the_table_is_flat_at_its_height(filmed: tuple[str, Filmed]) -> None:
    arm, f = filmed
    look = seen(f, 0, CAMERAS[arm][1])
    rows, columns = np.nonzero(look.owner == 0)
    found = points(look.k, look.to_camera, rows, columns, look.depth[rows, columns])
    heights = found[found[:, 0] > 0.32, 2]  # beyond the plate that an arm stands on
    # Below are the edges of its top; nothing of it stands out.
    assert (np.abs(heights - TABLE_Z_M) < 0.0005).sum() > 40_000
    assert not ((heights > TABLE_Z_M + 0.0005) & (heights < TABLE_Z_M + 0.01)).any()


def test_hand_cameras_move_with_their_hands(filmed: tuple[str, Filmed]) -> None:
    _, f = filmed
    moved = 0.0
    for hand in f.staged.track.hands:
        relative, where = [], []
        for frame in f.frames:
            f.at(frame)
            pose = f.staged.track.hands[hand][frame]
            camera = np.linalg.inv(film.world_to_camera(f.data, f"{hand}.camera"))
            relative.append(
                np.concatenate([rotation(pose[3:]).T @ (camera[:3, 3] - pose[:3]), (rotation(pose[3:]).T @ camera[:3, :3]).ravel()])
            )
            where.append(camera[:3, 3])
        assert np.ptp(np.array(relative), axis=0).max() < 1e-6
        moved = max(moved, float(np.linalg.norm(np.ptp(np.array(where), axis=0))))
    assert moved > 0.1


def test_hand_cameras_see_their_fingers(filmed: tuple[str, Filmed]) -> None:
    _, f = filmed
    model = f.staged.built.model
    for hand in f.staged.track.hands:
        owner = seen(f, 0, f"{hand}.camera").owner
        for k in (1, 2):
            assert (owner == model.body(f"{hand}.finger{k}").id).sum() > 3000


def test_a_picture_is_the_same_twice(filmed: tuple[str, Filmed]) -> None:
    arm, f = filmed
    f.at(f.frames[2])
    first = [f.camera.shot(f.data, camera) for camera in CAMERAS[arm]]
    again = film.Film(f.staged.built.model)
    second = [again.shot(f.data, camera) for camera in CAMERAS[arm]]
    again.close()
    f.camera.activate()
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a.rgb, b.rgb)
        assert np.array_equal(a.depth_m, b.depth_m)
