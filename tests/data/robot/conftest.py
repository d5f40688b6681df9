"""Small robot sources, made here: every image holds its own frame number, so that a test can tell which frame it got."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from data.robot import video
from data.store import Store
from tests.homes import fresh_store

os.environ.setdefault("SVT_LOG", "1")  # the AV1 encoder talks much

BITS = 8
"""A frame's number is drawn as a row of black and white squares."""


def drawn(number: int, width: int = 64, height: int = 48, tint: int = 0) -> np.ndarray:
    """A picture of a frame number, (height, width, 3) uint8. `tint` (0–255) tells cameras apart in the lower half's red."""
    picture = np.full((height, width, 3), 90, np.uint8)
    cell = width // BITS
    for bit in range(BITS):
        picture[: height // 2, bit * cell : (bit + 1) * cell] = 235 if number >> bit & 1 else 20
    picture[height // 2 :, :, 0] = tint
    return picture


def number_in(data: bytes) -> int:
    """The frame number that a still shows."""
    picture = np.asarray(Image.open(io.BytesIO(data)).convert("L"), float)
    cell = picture.shape[1] // BITS
    return sum(
        (picture[2 : picture.shape[0] // 2 - 2, bit * cell + 2 : (bit + 1) * cell - 2].mean() > 128) << bit for bit in range(BITS)
    )  # fmt: skip


def write_image(path: Path, number: int, width: int = 64, height: int = 48, **save: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {"quality": 95} if path.suffix.lower() in (".jpg", ".jpeg") else {}
    Image.fromarray(drawn(number, width, height)).save(path, **options, **save)
    return path


def write_video(
    path: Path,
    frames: int,
    fps: int = 30,
    *,
    width: int = 64,
    height: int = 64,
    codec: str = "libsvtav1",
    start: int = 0,
    tint: int = 0,
    gop: int = 12,
    faststart: bool = False,
) -> Path:
    """Frames numbered from `start`; `faststart` puts the file's index before its frames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"preset": "12", "crf": "20", "g": str(gop)} if codec == "libsvtav1" else {"crf": "12", "g": str(gop)}
    video.write(
        path, (drawn(start + k, width, height, tint) for k in range(frames)), fps, codec=codec, options=options, index_first=faststart
    )
    return path


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


AGIBOT_CAMERAS = ("head_color", "hand_left_color", "hand_right_color")
LOOKING = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
"""Columns are the camera axes in the base frame: x right, y down (−z), z forward (y)."""


def agibot_episode(root: Path, task: int = 327, episode: int = 648642, frames: int = 24, **changes: Any) -> Path:
    """One episode with three AV1 videos, labels, matrices and a truth file; `changes` are (camera → number of frames)."""
    where = root / f"observations/{task}/{episode}"
    for tint, camera in enumerate(AGIBOT_CAMERAS):
        count = changes.get(camera, frames)
        if count:
            write_video(where / f"videos/{camera}.mp4", count, tint=80 * tint)
    info = root / f"task_info/task_{task}.json"
    listed = json.loads(info.read_text()) if info.exists() else []
    config = [{"start_frame": 0, "end_frame": 12, "action_text": "Pick up the cup.", "skill": "Pick"}]
    config += [{"start_frame": 12, "end_frame": frames, "action_text": "Place it.", "skill": "Place"}]
    entry = {"episode_id": episode, "task_name": "Tidy the table", "init_scene_text": "A cup.", "label_info": {"action_config": config}}
    write_json(info, [*listed, entry])
    for name in ("head", "hand_left", "hand_right"):
        base = root / f"parameters/{task}/{episode}/camera/{name}"
        write_json(Path(f"{base}_intrinsic_params.json"), {"intrinsic": {"fx": 60.0, "fy": 60.0, "ppx": 32.0, "ppy": 32.0}})
        pose = {"rotation_matrix": LOOKING, "translation_vector": [0.0, -1.0, 0.5]}
        poses = [{"extrinsic": pose}] * (1 if name == "head" else frames)
        write_json(Path(f"{base}_extrinsic_params_aligned.json"), poses)
    write_json(where / "truth.json", truth(frames))
    return where


LEROBOT_CAMERAS = ("observation.images.cam_high", "observation.images.cam_left_wrist", "observation.images.cam_right_wrist")


def lerobot_3(root: Path, lengths: tuple[int, ...] = (10, 12, 8), fps: int = 10, cameras: tuple[str, ...] = LEROBOT_CAMERAS) -> Path:
    """A v3.0 dataset. The first camera has all episodes in one file, the others one file per episode but the first two: the file
    number of a camera is not that of the data. Frames are numbered through the whole dataset."""
    columns: dict[str, list[Any]] = {"episode_index": list(range(len(lengths))), "length": list(lengths)}
    columns["tasks"] = [["fold the towel"] if k % 2 == 0 else ["open the drawer"] for k in range(len(lengths))]
    starts = [sum(lengths[:k]) for k in range(len(lengths))]
    columns |= {"data/chunk_index": [0] * len(lengths), "data/file_index": [0] * len(lengths)}
    columns |= {"dataset_from_index": starts, "dataset_to_index": [a + n for a, n in zip(starts, lengths, strict=True)]}
    for place, camera in enumerate(cameras):
        groups = [list(range(len(lengths)))] if place == 0 else [[0, 1], *([k] for k in range(2, len(lengths)))]
        for number, group in enumerate(groups):
            frames = sum(lengths[k] for k in group)
            file = root / f"videos/{camera}/chunk-000/file-{number:03d}.mp4"
            write_video(file, frames, fps, start=starts[group[0]], codec="libsvtav1" if place == 0 else "libx264", gop=4)
        inside = {k: (number, starts[k] - starts[group[0]]) for number, group in enumerate(groups) for k in group}
        columns[f"videos/{camera}/chunk_index"] = [0] * len(lengths)
        columns[f"videos/{camera}/file_index"] = [inside[k][0] for k in range(len(lengths))]
        columns[f"videos/{camera}/from_timestamp"] = [inside[k][1] / fps for k in range(len(lengths))]
        columns[f"videos/{camera}/to_timestamp"] = [(inside[k][1] + n) / fps for k, n in enumerate(lengths)]
    write_table(root / "meta/episodes/chunk-000/file-000.parquet", columns)
    write_table(root / "meta/tasks.parquet", {"task_index": [0, 1], "__index_level_0__": ["fold the towel", "open the drawer"]})
    steps = [k for k, n in enumerate(lengths) for _ in range(n)]
    write_table(root / "data/chunk-000/file-000.parquet", {"episode_index": steps, "index": list(range(len(steps)))})
    feature = {"dtype": "video", "shape": [64, 64, 3], "names": ["height", "width", "channels"]}
    info = {"codebase_version": "v3.0", "fps": fps, "total_episodes": len(lengths), "total_frames": sum(lengths), "total_tasks": 2}
    info["features"] = dict.fromkeys(cameras, feature) | {"action": {"dtype": "float32", "shape": [7], "names": None}}
    info["video_path"] = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
    info["data_path"] = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
    write_json(root / "meta/info.json", info)
    return root


def lerobot_2(root: Path, lengths: tuple[int, ...] = (6, 8), fps: int = 10, cameras: tuple[str, ...] = LEROBOT_CAMERAS[:2]) -> Path:
    """A v2.1 dataset: one file per episode and camera. Frames are numbered from 40 in each second camera."""
    for index, length in enumerate(lengths):
        for place, camera in enumerate(cameras):
            file = root / f"videos/chunk-000/{camera}/episode_{index:06d}.mp4"
            write_video(file, length, fps, start=40 * place, codec="libx264", gop=4)
        write_table(root / f"data/chunk-000/episode_{index:06d}.parquet", {"episode_index": [index] * length})
    (root / "meta").mkdir(parents=True, exist_ok=True)
    rows = [{"episode_index": k, "tasks": ["stack the blocks"], "length": n} for k, n in enumerate(lengths)]
    (root / "meta/episodes.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (root / "meta/tasks.jsonl").write_text(json.dumps({"task_index": 0, "task": "stack the blocks"}) + "\n")
    features = {camera: {"dtype": "video", "shape": [64, 64, 3], "names": ["height", "width", "channel"]} for camera in cameras}
    info = {"codebase_version": "v2.1", "fps": fps, "chunks_size": 1000, "features": features, "total_episodes": len(lengths)}
    write_json(root / "meta/info.json", info)
    return root


def write_table(path: Path, columns: dict[str, list[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def change_table(path: Path, **changes: Callable[[list[Any]], list[Any]]) -> None:
    """Rewrite columns of a table; a name's ``__`` stands for ``/``."""
    columns = pq.read_table(path).to_pydict()
    for name, change in changes.items():
        columns[name.replace("__", "/")] = change(columns[name.replace("__", "/")])
    write_table(path, columns)


def change_json(path: Path, **changes: Any) -> None:
    write_json(path, json.loads(path.read_text()) | changes)


def truth(frames: int) -> dict[str, Any]:
    pose = [0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]
    moving = [[0.01 * k, *pose[1:]] for k in range(frames)]
    mug = {"name": "red mug", "category": "mug", "size": [0.08, 0.08, 0.1], "poses": moving}
    hands = {side: {"poses": [pose] * frames, "opening_m": [0.05] * frames} for side in ("left", "right")}
    events = [{"frame": 3, "what": "grasp", "object": "red mug", "gripper": "left"}]
    return {"schema": 1, "frames": frames, "up": [0, 0, 1], "objects": [mug], "grippers": hands, "events": events}


def bridge_trajectory(root: Path, name: str = "traj0", frames: int = 6, cameras: int = 4, *, lang: str | None = "put the cup away") -> Path:
    """One trajectory in the release's folders."""
    where = root / f"toykitchen/put_cup/00/2022-01-01_00-00-00/raw/traj_group0/{name}"
    where.mkdir(parents=True, exist_ok=True)
    for camera in range(cameras):
        for k in range(frames):
            write_image(where / f"images{camera}/im_{k}.jpg", k + 50 * camera)
    if lang is not None:
        (where / "lang.txt").write_text(f"{lang}\nconfidence: 0.9\n")
    return where


def snapshot(root: Path) -> dict[str, tuple[int, int, bytes | str]]:
    """Everything in a folder: to show that nothing was altered."""
    return {
        str(p.relative_to(root)): (p.lstat().st_mtime_ns, p.lstat().st_mode, p.read_bytes() if p.is_file() else "")
        for p in sorted(root.rglob("*"))
    }


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = fresh_store(tmp_path / "home")
    yield store
    store.close()


class Make:
    """The makers above, for tests (test modules cannot import this file)."""

    drawn = staticmethod(drawn)
    number_in = staticmethod(number_in)
    image = staticmethod(write_image)
    video = staticmethod(write_video)
    json = staticmethod(write_json)
    agibot = staticmethod(agibot_episode)
    bridge = staticmethod(bridge_trajectory)
    lerobot_3 = staticmethod(lerobot_3)
    lerobot_2 = staticmethod(lerobot_2)
    cameras = LEROBOT_CAMERAS
    change_table = staticmethod(change_table)
    change_json = staticmethod(change_json)
    truth = staticmethod(truth)
    snapshot = staticmethod(snapshot)
    table = staticmethod(write_table)


@pytest.fixture(scope="session")
def make() -> type[Make]:
    return Make


@pytest.fixture
def faults() -> Callable[[Any], list[tuple[str, str]]]:
    """(fault, where) of a report, in order."""
    return lambda report: [(problem.fault, problem.where) for problem in report.problems]
