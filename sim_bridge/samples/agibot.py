"""The dual-arm sample in the layout of AgiBot World: task_info, observations (AV1 videos, depth) and camera parameters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from sim_bridge import priority
from sim_bridge.errors import BridgeError
from sim_bridge.samples import truth
from sim_bridge.samples.lens import soft

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.tabletop.show import Staged

VIDEOS = {"head": "head_color", "left.camera": "hand_left_color", "right.camera": "hand_right_color"}
PARAMETERS = {"head": "head", "left.camera": "hand_left", "right.camera": "hand_right"}
TASK = 900
"""Number of the first task; real ones end in the seven hundreds."""
QUALITY = {"preset": "11", "crf": "27", "svtav1-params": "lp=1:film-grain=0"}


class EncoderMissing(BridgeError):
    """The dual-arm sample needs PyAV with an AV1 encoder: `pip install av` (or `sim_bridge[samples]`)."""

    code = "encoder_missing"


class Video:
    """One AV1 file, written frame by frame."""

    def __init__(self, path: Path, fps: int, width: int, height: int) -> None:
        try:
            import av
        except ImportError as problem:
            raise EncoderMissing(EncoderMissing.__doc__ or "") from problem
        os.environ.setdefault("SVT_LOG", "1")  # errors alone: the encoder describes itself at length for every file
        path.parent.mkdir(parents=True, exist_ok=True)
        self._av = av
        self._file = av.open(str(path), "w")
        self._stream = self._file.add_stream("libsvtav1", rate=fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.gop_size = 8
        self._stream.options = dict(QUALITY)

    def add(self, rgb: np.ndarray) -> None:
        """Write one picture, (rows, columns, 3), uint8."""
        frame = self._av.VideoFrame.from_ndarray(rgb, format="rgb24")
        for packet in self._stream.encode(frame):
            self._file.mux(packet)
        priority.ordinary()

    def close(self) -> None:
        """Write what the encoder still holds, and end the file."""
        for packet in self._stream.encode():
            self._file.mux(packet)
        self._file.close()
        priority.ordinary()


def write_episode(staged: Staged, root: Path, task: int, episode: int) -> dict[str, Any]:
    """Film one episode into the tree; returns its entry of task_info."""
    from sim_bridge.backends.mujoco.tabletop import film, setting

    model, track = staged.built.model, staged.track
    folder = root / "observations" / str(task) / str(episode)
    (folder / "depth").mkdir(parents=True, exist_ok=True)
    videos = {c: Video(folder / "videos" / f"{name}.mp4", int(track.fps), setting.WIDTH, setting.HEIGHT) for c, name in VIDEOS.items()}
    extrinsics: dict[str, list[Any]] = {c: [] for c in VIDEOS}
    for frame, views in enumerate(film.footage(model, track.qpos, list(VIDEOS))):
        for c, (shot, to_camera) in views.items():
            videos[c].add(soft(shot.rgb))
            if c == "head":
                millimetres = np.clip(np.rint(shot.depth_m * 1000.0), 0, 65535).astype(np.uint16)
                Image.fromarray(millimetres).save(folder / "depth" / f"head_depth_{frame:06d}.png", compress_level=4)
            pose = np.linalg.inv(to_camera)
            extrinsics[c].append(
                {
                    "extrinsic": {
                        "rotation_matrix": np.round(pose[:3, :3], 8).tolist(),
                        "translation_vector": np.round(pose[:3, 3], 8).tolist(),
                    }
                }
            )
    for video in videos.values():
        video.close()
    parameters = root / "parameters" / str(task) / str(episode) / "camera"
    for c, name in PARAMETERS.items():
        k = film.intrinsics(model, c)
        intrinsic = {"fx": k[0, 0], "fy": k[1, 1], "ppx": k[0, 2], "ppy": k[1, 2]}
        truth.write_json(parameters / f"{name}_intrinsic_params.json", {"intrinsic": intrinsic})
        rows = extrinsics[c] if c != "head" else extrinsics[c][:1]
        truth.write_json(parameters / f"{name}_extrinsic_params_aligned.json", rows)
    truth.write_json(folder / "truth.json", truth.document(staged))
    last = track.frames - 1
    return {
        "episode_id": episode,
        "task_id": task,
        "task_name": staged.task.rstrip("."),
        "init_scene_text": staged.scene_text,
        "label_info": {
            "action_config": [
                {
                    "start_frame": min(int(d.start_s * track.fps), last),
                    "end_frame": min(int(d.end_s * track.fps), last),
                    "action_text": d.text,
                    "skill": d.skill,
                }
                for d in sorted(staged.script.deeds, key=lambda d: d.start_s)
            ]
        },
    }
