"""Pictures of robot episodes are views that the backend ``recorded`` shows: the files' own pixels, where their cameras stood."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from app.cli import main
from data.recordings import keep, on_recording
from data.robot import episodes as robot
from data.robot.errors import RobotError
from data.robot.importing import import_source
from data.robot.recording import film
from sim_bridge.backends.recorded.backend import RecordedBackend
from sim_bridge.encoding import decode_frame
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.local import LocalClient
from sim_bridge.spec import Camera, Room, Scene
from study import fits, rendering
from study.paradigms import paradigm
from study.runtime import running
from study.studies import create_study
from tests.study.conftest import build_task

VIEWS = ("view1", "view2", "view3", "view4")
LEVEL = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
"""World axes → axes of a level camera that looks along the world's +y (x right, y down, z forward)."""


def calibrated(x: float, focal: float = 32.0) -> dict[str, Any]:
    """Matrices of a camera at (x, 0, 1) that looks along +y."""
    shift = [-x, 1.0, 0.0]
    pose = [[*row, t] for row, t in zip(LEVEL, shift, strict=True)] + [[0, 0, 0, 1]]
    return {"k": [[focal, 0, 32], [0, focal, 24], [0, 0, 1]], "world_to_camera": pose}


@pytest.fixture
def episode(store: Any, make: Any, tmp_path: Path) -> Any:
    """Builds and imports an episode of four cameras, two frames; `cameras` has the matrices, `sizes` other sizes, `missing` no file."""

    def build(cameras: dict[str, Any] | None = None, sizes: dict[str, tuple[int, int]] | None = None, missing: tuple[Any, ...] = ()) -> Any:
        root = tmp_path / "source"
        for place, view in enumerate(VIEWS):
            for number in (0, 1):
                if (view, number) not in missing:
                    width, height = (sizes or {}).get(view, (64, 48))
                    make.image(root / f"run/{view}/{number}.png", number + 20 * place, width, height)
        if cameras:
            make.json(root / "run/cameras.json", cameras)
        import_source(store, root)
        (found,) = robot.episodes(store)
        return found

    return build


ALL = {view: calibrated(float(n)) for n, view in enumerate(VIEWS)}


def test_each_picture_is_a_view_where_its_camera_stood(store: Any, episode: Any, tmp_path: Path) -> None:
    done = film(store, episode(ALL), tmp_path / "out")
    assert done.left_out == () and done.recording.posed and done.recording.step_m == 1.0
    assert done.recording.camera == Camera(64, 48, 90.0)
    assert [view.position_m for view in done.recording.views] == [(float(n), 0.0, 1.0) for n in range(4)]
    right, up, back = zip(*rotation_matrix(done.recording.views[0].quaternion_xyzw), strict=True)
    assert np.allclose((right, up, back), [(1, 0, 0), (0, 0, 1), (0, -1, 0)], atol=1e-9), "it looks along +y, upright"
    home, task = store.home, build_task("robot-1")
    digest, recording = keep(home, tmp_path / "out")
    made = on_recording(task, digest, recording)
    client = LocalClient(RecordedBackend(home.recordings))
    shown = client.load("s", made.scene, made.start)
    for n, view in enumerate(VIEWS):
        assert np.array_equal(decode_frame(shown.observation.frames[-1]), np.asarray(Image.open(tmp_path / f"source/run/{view}/0.png")))
        if n < 3:
            shown = client.act("s", n + 1, "move_right")
            assert shown.ok, shown.reason


def test_a_camera_that_stands_still_has_one_picture_and_the_others_are_named(store: Any, episode: Any, tmp_path: Path) -> None:
    done = film(store, episode(ALL), tmp_path / "out", frames=(0, 1))
    assert len(done.recording.views) == 4
    assert done.left_out[0] == "view1 at frame 1 stands where an earlier picture does, and one pose has one picture."


def test_what_does_not_fit_to_the_first_picture_is_named_and_what_is_asked_for_refused(store: Any, episode: Any, tmp_path: Path) -> None:
    cameras = {"view1": ALL["view1"], "view2": ALL["view2"], "view3": calibrated(2.0, focal=60.0)}
    found = episode(cameras, sizes={"view2": (80, 60)})
    done = film(store, found, tmp_path / "out")
    assert [view.label for view in done.recording.views] == ["view1/0"]
    assert done.left_out[0] == "view2 at frame 0 has 80 × 60 pixels, view1 at frame 0 64 × 48."
    assert "view3 at frame 0 has a horizontal field of view of 56.1°, view1 at frame 0 90.0°" in done.left_out[1]
    assert "view4 at frame 0 has no pose" in done.left_out[2] and "--in-order" in done.left_out[2]
    with pytest.raises(RobotError, match=r"view2 at frame 0 has 80 × 60 pixels, .* Leave this view out"):
        film(store, found, tmp_path / "asked", views=("view1", "view2"))
    assert not (tmp_path / "asked").exists()


def test_a_missing_picture_is_named(store: Any, episode: Any, tmp_path: Path) -> None:
    found = episode(ALL, missing=(("view2", 1),))
    done = film(store, found, tmp_path / "out", frames=(1,))
    assert len(done.recording.views) == 3 and "view2 has no readable image at frame 1" in done.left_out[0]
    with pytest.raises(RobotError, match="view2 has no readable image at frame 1"):
        film(store, found, tmp_path / "asked", views=("view2",), frames=(1,))


def test_without_poses_pictures_are_shown_in_their_order_and_nobody_acts_there(store: Any, episode: Any, tmp_path: Path) -> None:
    found = episode()
    with pytest.raises(RobotError, match="Nothing of episode run can be shown: view1 at frame 0 has no pose"):
        film(store, found, tmp_path / "out")
    done = film(store, found, tmp_path / "out", frames=(0, 1), in_order=True)
    assert [view.label for view in done.recording.views][:5] == ["view1/0", "view2/0", "view3/0", "view4/0", "view1/1"]
    digest, recording = keep(store.home, tmp_path / "out")
    task = on_recording(build_task("robot-2"), digest, recording)
    store.put_task(task)
    assert task.actions == () and "has no actions" in paradigm("active").unfit(task) and not paradigm("multi_view").unfit(task)
    study = create_study(store, "Passive", tasks=(task.content_hash,), paradigms=("multi_view", "single_view"))
    assert all(one.fit for one in fits.fits(store, study.tasks, study.ways, "en"))
    with running(store.home, backend="toy", others=("recorded",)) as runtime:
        wanted = [(task.content_hash, "random_walk")]
        assert rendering.render(runtime.store, runtime.frames, runtime.pool, wanted, wait_s=60.0) == [], "beside the server's own"
        shown = runtime.store.query("SELECT pixel_hash FROM frozen_views WHERE task_hash = ? ORDER BY n", [task.content_hash])
        first = runtime.frames.kept(runtime.store, shown[0]["pixel_hash"])
    assert len(shown) == 8
    picture = Image.open(tmp_path / "source/run/view1/0.png")
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(first)).convert("RGB")), np.asarray(picture))


def test_from_a_robot_episode_to_a_task_by_commands(store: Any, episode: Any, tmp_path: Path) -> None:
    episode(ALL)
    store.put_task(build_task("robot-3", scene=Scene(camera=Camera(64, 48), room=Room()), names={}))
    db = ["--db", str(store.home.db)]
    done = CliRunner().invoke(main, ["qa", "recording", "run", str(tmp_path / "out"), "--view", "view2", "--view", "view1", "--json", *db])
    assert done.exit_code == 0, done.output
    assert [view["label"] for view in json.loads(done.stdout)["recording"]["views"]] == ["view2/0", "view1/0"]
    made = CliRunner().invoke(main, ["tasks", "recorded", str(tmp_path / "out"), "--task", "robot-3", *db])
    assert made.exit_code == 0 and "robot-3.recorded: 2 views." in made.stderr
    for argv, says in (
        (["qa", "recording", "nobody", str(tmp_path / "o2"), *db], "There is no robot episode 'nobody' here."),
        (["qa", "recording", "run", str(tmp_path / "out"), *db], "is there already"),
        (["qa", "recording", "run", str(tmp_path / "o2"), "--view", "head", *db], "has no view 'head'; there: view1, view2, view3, view4"),
        (["qa", "recording", "run", str(tmp_path / "o2"), "--frame", "9", *db], "has 2 frames, number 9 is not one of them"),
        (["qa", "recording", "run", str(tmp_path / "o2"), "--frame", "0", "--every", "2", *db], "not both"),
    ):
        told = CliRunner().invoke(main, argv)
        assert told.exit_code == 2 and says in told.stderr and not (tmp_path / "o2").exists()


def test_the_frames_of_a_lerobot_episode_are_shown_in_order_as_the_videos_have_them(store: Any, make: Any, tmp_path: Path) -> None:
    import_source(store, make.lerobot_3(tmp_path / "set"))
    found = robot.find(store, "000001")
    done = film(store, found, tmp_path / "out", views=("head",), frames=range(0, 12, 4), in_order=True)
    assert [view.label for view in done.recording.views] == ["head/0", "head/4", "head/8"]
    shown = [(tmp_path / "out" / view.file).read_bytes() for view in done.recording.views]
    assert [make.number_in(data) for data in shown] == [10, 14, 18] and shown[1] == robot.still(store, found, "head", 4).data
    with pytest.raises(RobotError, match="has no pose"):
        film(store, found, tmp_path / "posed", views=("head",))


def test_cameras_of_an_agibot_episode_stand_where_its_matrices_say(store: Any, make: Any, tmp_path: Path) -> None:
    make.agibot(tmp_path / "a")
    import_source(store, tmp_path / "a")
    (found,) = robot.episodes(store)
    done = film(store, found, tmp_path / "out", frames=(5,))
    for view, name in zip(done.recording.views, (one.label.split("/")[0] for one in done.recording.views), strict=True):
        matrix = np.array(robot.cameras(store, found, 5)[name].world_to_camera)
        assert np.allclose(matrix @ (*view.position_m, 1.0), (0, 0, 0, 1), atol=1e-5), "the camera is its own origin"
        forward = -np.array(rotation_matrix(view.quaternion_xyzw))[:, 2]
        assert np.allclose(matrix[:3, :3] @ forward, (0, 0, 1), atol=1e-5), "it looks along its z"
    assert len(done.recording.views) + len(done.left_out) == 3 and done.recording.views
