"""Camera matrices on disk: the common form, and what a source with a form of its own needs; `records.Camera` has axes and pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from data.robot.folder import MAX_JSON, Folder, Unreadable, parse_json
from data.robot.records import Calibration, Camera, ViewRecord

Array = np.ndarray
LARGEST = 1e9
"""No pixel, metre or ratio in a matrix is larger."""


@dataclass(frozen=True)
class Form:
    """A form in which camera matrices lie on disk; a source declares its own where it has one."""

    name: str
    """Kept with each calibration."""
    read: Callable[[Folder, Calibration], tuple[Array, list[Array] | None]]
    """The 3×3 intrinsic matrix, and 4×4 world-to-camera poses: one for the whole episode or one per frame; None: unknown."""


def read(folder: Folder, form: Form, calibration: Calibration, view: ViewRecord, index: int) -> Camera:
    """The camera of a view at one of its frames.

    Raises:
        Outside, Unreadable: the files are not there, or hold no sound matrices.
    """
    return check(folder, form, calibration, view, [index])


def check(folder: Folder, form: Form, calibration: Calibration, view: ViewRecord, indices: Sequence[int]) -> Camera:
    """The camera at the last of some frames; all of them must be sound.

    Raises:
        Outside, Unreadable: as `read`.
    """
    k, poses = form.read(folder, calibration)
    where = calibration.extrinsic or calibration.file
    if poses is None:
        return Camera(view.width, view.height, _rows(k), None)
    for index in indices:
        if len(poses) > 1 and index >= len(poses):
            raise Unreadable(f"{where} has {len(poses)} poses, there is none for frame {index}.")
        pose = poses[index if len(poses) > 1 else 0]
        turn = pose[:3, :3]
        if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-3 or np.linalg.det(turn) < 0 or np.abs(pose[3] - (0, 0, 0, 1)).max() > 1e-6:
            raise Unreadable(f"{where}: the pose of frame {index} is no rotation and translation.")
    return Camera(view.width, view.height, _rows(k), _rows(pose))


def _in_one_file(folder: Folder, calibration: Calibration) -> tuple[Array, list[Array] | None]:
    value = cached_json(folder, calibration.file)
    entry = value.get(calibration.key) if isinstance(value, dict) else None
    what = f"{calibration.file}: {calibration.key}"
    if not isinstance(entry, dict):
        raise Unreadable(f"{what} is not there.")
    k = intrinsic(numbers(entry.get("k"), (3, 3), f"{what}, k"), what)
    pose = entry.get("world_to_camera")
    if pose is None:
        return k, None
    several = _depth(pose) == 3
    poses = list(numbers(pose, (len(pose), 4, 4) if several else (4, 4), f"{what}, world_to_camera").reshape(-1, 4, 4))
    if not poses:
        raise Unreadable(f"{what}, world_to_camera is an empty list.")
    return k, poses


MATRICES = Form("matrices", _in_one_file)
"""One file with ``k`` and ``world_to_camera`` per camera."""


def _depth(value: Any) -> int:
    depth = 0
    while isinstance(value, list) and value:
        value, depth = value[0], depth + 1
    return depth


def intrinsic(k: Array, what: str) -> Array:
    """A 3×3 matrix that can be one of a camera.

    Raises:
        Unreadable: it cannot; the message names `what`.
    """
    if k[0, 0] <= 0 or k[1, 1] <= 0 or np.abs(k[2] - (0, 0, 1)).max() > 1e-9:
        raise Unreadable(f"{what}: the intrinsic matrix has no positive focal lengths, or another last row than 0 0 1.")
    return k


def numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Finite numbers of a shape.

    Raises:
        Unreadable: they are not; the message names `what`.
    """
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        raise Unreadable(f"{what}: numbers are needed.") from None
    if found.shape != shape or not (np.abs(found) < LARGEST).all():
        size = "×".join(map(str, shape)) or "one"
        raise Unreadable(f"{what}: {size} finite numbers are needed.")
    return found


def _rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(v) for v in row) for row in matrix)


def cached_json(folder: Folder, relative: str) -> Any:
    """A JSON file (matrices, truth), the last few kept until they change: one is asked for once per frame."""
    path = folder.path(relative)
    try:
        status = path.stat()
    except OSError:
        raise Unreadable(f"{relative} is not there.") from None
    return _parsed(folder.root, relative, path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _parsed(root: Path, relative: str, _path: Path, _modified: int, _size: int) -> Any:
    return parse_json(Folder(root).read(relative, MAX_JSON), relative)
