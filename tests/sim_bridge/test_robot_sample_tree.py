"""Robot sample: the files of both trees are what their formats say, belong together, and import without a complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import sim_bridge.backends.mujoco  # noqa: F401 - sets the renderer's environment before MuJoCo is imported
from data.robot.episodes import cameras, episodes, still, truth
from data.robot.importing import import_source
from sim_bridge.__main__ import main
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.samples.plan import FPS
from sim_bridge.samples.robot import OutNotEmpty, write
from tests.homes import fresh_store

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")

pytest.importorskip("mujoco")
av = pytest.importorskip("av")

SEED = 1


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("sample") / "robot-sample"
    with pytest.MonkeyPatch.context() as patch:
        for arm in FPS:
            patch.setitem(FPS, arm, 2)  # a third of the pictures
        return out, write(out, episodes=1, seed=SEED, processes=1)


def loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_dual_tree_has_what_its_format_says(sample: tuple[Path, dict[str, Any]]) -> None:
    root = sample[0] / "agibot"
    (info,) = root.glob("task_info/task_*.json")
    task = info.stem.removeprefix("task_")
    (entry,) = loaded(info)
    folder = root / "observations" / task / str(entry["episode_id"])
    frames = loaded(folder / "truth.json")["frames"]
    for name in ("head_color", "hand_left_color", "hand_right_color"):
        with av.open(str(folder / "videos" / f"{name}.mp4")) as video:
            stream = video.streams.video[0]
            assert stream.codec_context.name in ("av1", "libdav1d")
            assert (stream.width, stream.height) == (640, 480)
            assert sum(1 for _ in video.decode(stream)) == frames
    parts = entry["label_info"]["action_config"]
    assert [p["start_frame"] for p in parts] == sorted(p["start_frame"] for p in parts)
    assert all(0 <= p["start_frame"] < p["end_frame"] < frames and p["action_text"] and p["skill"] for p in parts)
    depth = sorted((folder / "depth").glob("head_depth_*.png"))
    assert [d.name for d in depth] == [f"head_depth_{k:06d}.png" for k in range(frames)]
    with Image.open(depth[0]) as picture:
        values = np.asarray(picture)
        assert picture.mode.startswith("I;16")
    assert values.shape == (480, 640)
    assert 400 < np.median(values) < 2000
    for name in ("head", "hand_left", "hand_right"):
        k = loaded(root / "parameters" / task / folder.name / "camera" / f"{name}_intrinsic_params.json")["intrinsic"]
        assert set(k) == {"fx", "fy", "ppx", "ppy"}
        poses = loaded(root / "parameters" / task / folder.name / "camera" / f"{name}_extrinsic_params_aligned.json")
        assert len(poses) == (1 if name == "head" else frames)
        turn = np.array(poses[0]["extrinsic"]["rotation_matrix"])
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
        assert np.linalg.det(turn) > 0


def test_the_single_tree_has_what_its_format_says(sample: tuple[Path, dict[str, Any]]) -> None:
    (folder,) = (sample[0] / "bridge").glob("*/*/*/*/raw/traj_group0/traj0")
    frames = loaded(folder / "truth.json")["frames"]
    matrices = loaded(folder / "cameras.json")
    for k in range(4):
        pictures = sorted((folder / f"images{k}").iterdir(), key=lambda p: int(p.stem.removeprefix("im_")))
        assert [p.name for p in pictures] == [f"im_{n}.jpg" for n in range(frames)]
        with Image.open(pictures[0]) as picture:
            assert (picture.format, picture.size) == ("JPEG", (640, 480))
        assert np.array(matrices[f"images{k}"]["world_to_camera"]).shape == ((4, 4) if k < 3 else (frames, 4, 4))
    words = (folder / "lang.txt").read_text(encoding="utf-8").splitlines()[0]
    assert words.endswith(".")


def test_both_trees_import_without_a_complaint(sample: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    store = fresh_store(tmp_path)
    try:
        for name, arm, views in (("agibot", "dual", 3), ("bridge", "single", 4)):
            done = import_source(store, sample[0] / name)
            assert list(done.report.problems) == []
            (episode,) = episodes(store, arm=arm)
            middle = episode.frames // 2
            found = cameras(store, episode, middle)
            state = truth(store, episode, middle)
            assert len(found) == views
            assert state is not None
            assert all(still(store, episode, view, middle).width == 640 for view in found)
    finally:
        store.close()


def test_depth_and_truth_agree_with_the_written_matrices(sample: tuple[Path, dict[str, Any]]) -> None:
    """From files alone: where the head camera sees the middle of a thing, the depth picture ends within the thing."""
    root = sample[0] / "agibot"
    (folder,) = root.glob("observations/*/*")
    camera = root / "parameters" / folder.parent.name / folder.name / "camera"
    k = loaded(camera / "head_intrinsic_params.json")["intrinsic"]
    pose = loaded(camera / "head_extrinsic_params_aligned.json")[0]["extrinsic"]
    turn, at = np.array(pose["rotation_matrix"]), np.array(pose["translation_vector"])
    with Image.open(folder / "depth" / "head_depth_000000.png") as picture:
        depth = np.asarray(picture) / 1000.0
    agreed = 0
    for thing in loaded(folder / "truth.json")["objects"]:
        x, y, z = turn.T @ (np.array(thing["poses"][0][:3]) - at)
        u, v = k["fx"] * x / z + k["ppx"], k["fy"] * y / z + k["ppy"]
        if 0 <= u < 640 and 0 <= v < 480:
            agreed += abs(depth[int(v), int(u)] - z) < np.linalg.norm(thing["size"]) / 2 + 0.002
    assert agreed >= 4


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("not a sample", encoding="utf-8")
    with pytest.raises(OutNotEmpty, match="no robot sample"):
        write(tmp_path, episodes=1)
    assert (tmp_path / "letters.txt").read_text(encoding="utf-8") == "not a sample"


def test_wrong_settings_are_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robot-sample", "--out", str(tmp_path / "x"), "--episodes", "0"]) == 2
    assert "--episodes: expected 1 or more, got 0" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
