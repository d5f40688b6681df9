"""The single-arm sample in the layout of BridgeData V2's raw folders: four folders of JPEG pictures, the sentence, camera matrices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from sim_bridge.samples import truth
from sim_bridge.samples.lens import soft

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.tabletop.show import Staged

CAMERAS = ("view1", "view2", "view3", "arm.camera")
JPEG_QUALITY = 75


def write_episode(staged: Staged, root: Path, number: int) -> dict[str, Any]:
    """Film one episode into the tree; returns where it is."""
    from sim_bridge.backends.mujoco.tabletop import film

    model, track = staged.built.model, staged.track
    task = staged.short.replace(" ", "_")
    stamp = f"2026-01-{1 + number % 28:02d}_{9 + number % 8:02d}-{(7 * number) % 60:02d}-00"
    folder = root / staged.scene / task / f"{number:02d}" / stamp / "raw" / "traj_group0" / "traj0"
    matrices: dict[str, Any] = {}
    for k, c in enumerate(CAMERAS):
        (folder / f"images{k}").mkdir(parents=True, exist_ok=True)
        matrices[f"images{k}"] = {"k": film.intrinsics(model, c).tolist(), "world_to_camera": []}
    for frame, views in enumerate(film.footage(model, track.qpos, CAMERAS)):
        for k, (shot, to_camera) in enumerate(views.values()):
            Image.fromarray(soft(shot.rgb)).save(folder / f"images{k}" / f"im_{frame}.jpg", quality=JPEG_QUALITY)
            matrices[f"images{k}"]["world_to_camera"].append(np.round(to_camera, 8).tolist())
    for k, c in enumerate(CAMERAS):
        if c != "arm.camera":
            matrices[f"images{k}"]["world_to_camera"] = matrices[f"images{k}"]["world_to_camera"][0]
    (folder / "lang.txt").write_text(f"{staged.task}\nconfidence: 1.0\n", encoding="utf-8")
    truth.write_json(folder / "cameras.json", matrices)
    truth.write_json(folder / "truth.json", truth.document(staged))
    return {"folder": str(folder.relative_to(root)), "frames": track.frames, "task": staged.task}
