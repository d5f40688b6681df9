"""A recording of a robot episode: pictures of its cameras as views that the backend ``recorded`` shows (`data.recordings`).

Poses come from the source's camera matrices. Where it has none, the pictures can be taken in their order alone: they are then shown one
beside the other or one after the other, and nobody can act among them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec
import numpy as np
import scipy
from PIL import Image

from data.files import replace_folder
from data.robot import episodes, images
from data.robot import records as robot
from data.robot.episodes import Episode
from data.robot.errors import RobotError, UnknownEpisode
from data.store import Store
from sim_bridge.backends.recorded import recording as recordings
from sim_bridge.backends.recorded.recording import MANIFEST, RecordedView, Recording
from sim_bridge.kinematics import angle_between_deg, looking
from sim_bridge.spec import Camera, Pose

ASSUMED_HFOV_DEG = 60.0
"""Of cameras whose matrices are not known; no pixel follows from it."""
SAME_HFOV_DEG = 1.0
"""Cameras of one recording differ by so much at most."""
STEP_M, STEP_DEG = (0.05, 5.0), (5.0, 90.0)
"""Bounds of the steps of a recording, which are otherwise as its neighbouring views are apart."""
_OURS = np.diag([1.0, -1.0, -1.0])
"""From a camera that looks along its own −z (ours) to one that looks along its +z with y down (robot sources)."""


@dataclass(frozen=True)
class Filmed:
    """What became of an episode's pictures."""

    recording: Recording
    left_out: tuple[str, ...]
    """Each with the reason, in a sentence."""


@dataclass(frozen=True)
class _Shot:
    view: str
    frame: int
    size: tuple[int, int]
    hfov_deg: float | None
    pose: Pose | None
    data: bytes

    @property
    def named(self) -> str:
        return f"{self.view} at frame {self.frame}"


def film(
    store: Store, episode: Episode, out: Path, *, views: Sequence[str] = (), frames: Sequence[int] = (0,), in_order: bool = False
) -> Filmed:
    """Write the recording of an episode into a new folder.

    Args:
        store: the database.
        episode: which.
        out: a folder that is not there yet; it is there whole afterwards, or not at all.
        views: of these cameras, the first of whose pictures is the start; empty: of all, and what does not fit to the first is left out.
        frames: at these frames of the episode.
        in_order: without poses, whatever the source knows of them.

    Raises:
        RobotError: a picture that is asked for is missing or broken, has another size or field of view than the first, or has no pose; the
            message names it.
        UnknownEpisode: there is no such view or frame.
    """
    if out.exists():
        raise RobotError(f"{out} is there already: name a folder that is not.")
    left_out: list[str] = []
    kept: list[_Shot] = []
    for shot in _shots(
        store, episode, tuple(views) or tuple(episode.record.views), frames, in_order, strict=bool(views), left_out=left_out
    ):
        why = _unlike(kept, shot, in_order)
        if why and views and "earlier" not in why:
            raise RobotError(f"{shot.named} {why}. Leave this view out.")
        if why:
            left_out.append(f"{shot.named} {why}.")
        else:
            kept.append(shot)
    if not kept:
        raise RobotError(f"Nothing of episode {episode.key} can be shown: {' '.join(left_out) or 'it has no views.'}")
    recording = _recording(kept, episode, in_order)
    replace_folder(out, lambda folder: _write(folder, recording, kept))
    return Filmed(recordings.read(out), tuple(left_out))


def _shots(
    store: Store, episode: Episode, views: Sequence[str], frames: Sequence[int], in_order: bool, *, strict: bool, left_out: list[str]
) -> Iterator[_Shot]:
    for frame in frames:
        known = {} if in_order else episodes.cameras(store, episode, frame)
        for view in views:
            try:
                still = episodes.still(store, episode, view, frame)
            except RobotError as error:
                if strict or isinstance(error, UnknownEpisode):
                    raise
                left_out.append(str(error))
                continue
            camera = known.get(view)
            yield _Shot(view, frame, (still.width, still.height), _hfov(camera), _pose(camera), still.data)


def _unlike(kept: Sequence[_Shot], shot: _Shot, in_order: bool) -> str:
    """Why a picture cannot be a view beside those that are kept; empty: it can."""
    if not in_order and shot.pose is None:
        return "has no pose: its source has no matrices of this camera that say where it stood (--in-order shows pictures without poses)"
    if not kept:
        return ""
    first = kept[0]
    if shot.size != first.size:
        return f"has {shot.size[0]} × {shot.size[1]} pixels, {first.named} {first.size[0]} × {first.size[1]}"
    if not in_order and abs((shot.hfov_deg or 0.0) - (first.hfov_deg or 0.0)) > SAME_HFOV_DEG:
        return f"has a horizontal field of view of {shot.hfov_deg:.1f}°, {first.named} {first.hfov_deg:.1f}°"
    if not in_order and shot.pose in [one.pose for one in kept]:
        return "stands where an earlier picture does, and one pose has one picture"
    return ""


def _hfov(camera: robot.Camera | None) -> float | None:
    return None if camera is None else math.degrees(2 * math.atan(camera.width / (2 * camera.k[0][0])))


def _pose(camera: robot.Camera | None) -> Pose | None:
    """Where a camera stood, in the axes of the bridge."""
    if camera is None or camera.world_to_camera is None:
        return None
    matrix = np.array(camera.world_to_camera, float)
    turn, shift = matrix[:3, :3], matrix[:3, 3]
    x, y, z = (float(v) for v in -turn.T @ shift)
    qx, qy, qz, qw = (float(v) for v in scipy.spatial.transform.Rotation.from_matrix(turn.T @ _OURS).as_quat())
    return RecordedView("", (x, y, z), (qx, qy, qz, qw)).pose


def _recording(kept: Sequence[_Shot], episode: Episode, in_order: bool) -> Recording:
    first = kept[0]
    poses = [looking(float(n), 0.0, 1.0) if in_order or shot.pose is None else shot.pose for n, shot in enumerate(kept)]
    views = tuple(
        RecordedView(f"{shot.view}-{shot.frame:06d}{_suffix(shot)}", pose.position_m, pose.quaternion_xyzw, f"{shot.view}/{shot.frame}")
        for shot, pose in zip(kept, poses, strict=True)
    )
    step_m, step_deg = _steps(poses)
    return Recording(
        Camera(*first.size, round(first.hfov_deg or ASSUMED_HFOV_DEG, 6)),
        views,
        step_m=step_m,
        step_deg=step_deg,
        source=f"{episode.source_name}, episode {episode.key}",
        posed=not in_order,
    )


def _steps(poses: Sequence[Pose]) -> tuple[float, float]:
    """How far a move and a turn lead: about as far as neighbouring views are apart."""
    near = [min((math.dist(a.position_m, b.position_m), angle_between_deg(a.quaternion_xyzw, b.quaternion_xyzw)) for b in poses if b != a)
            for a in poses if len(poses) > 1]  # fmt: skip
    ways, turns = [way for way, _ in near if way > 0], [turn for _, turn in near if turn > 0]
    step_m = median(ways) if ways else 0.25
    step_deg = median(turns) if turns else 15.0
    return round(min(max(step_m, STEP_M[0]), STEP_M[1]), 6), round(min(max(step_deg, STEP_DEG[0]), STEP_DEG[1]), 6)


def _suffix(shot: _Shot) -> str:
    found = images.suffix(shot.data, shot.named)
    return found if found in (".png", ".jpg", ".webp") else ".png"


def _write(folder: Path, recording: Recording, kept: Sequence[_Shot]) -> None:
    for view, shot in zip(recording.views, kept, strict=True):
        data = shot.data
        if images.suffix(data, shot.named) not in (".png", ".jpg", ".webp"):
            data = images.png(Image.open(io.BytesIO(data)).convert("RGB"))
        (folder / view.file).write_bytes(data)
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(recording), indent=1))
