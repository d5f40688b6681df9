"""A recording: a folder of pictures (PNG, JPEG, WebP) with a manifest that says where each was taken.

``recording.json``::

    {"camera": {"width": 960, "height": 540, "hfov_deg": 75.0},
     "step_m": 0.5, "step_deg": 30.0,
     "views": [{"file": "0001.png", "position_m": [0, -2, 1.2], "quaternion_xyzw": [0.7071, 0, 0, 0.7071], "label": "start"}]}

Poses are as everywhere on the bridge (`sim_bridge.spec`): metres, z up, the camera looks along its own −z. The first view is the start.
"""

from __future__ import annotations

import hashlib
import io
import math
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image, UnidentifiedImageError

from sim_bridge.actions import MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import canonical
from sim_bridge.spec import Camera, Pose, Quat, Room, Scene, Vec3
from sim_bridge.validation import MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE_PX, check_pose

MANIFEST = "recording.json"
FORMATS = ("PNG", "JPEG", "WEBP")
MAX_VIEWS = 10_000
PREFIX = "recording:"
"""Begins the `Scene.source_scene` of a scene that is a recording; its digest follows."""


class RecordedView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture."""

    file: str
    """Name of the picture, in the folder of the manifest or below it."""
    position_m: Vec3
    quaternion_xyzw: Quat
    label: str = ""
    """What the source calls it; never shown to whoever takes part."""

    @property
    def pose(self) -> Pose:
        """Where the camera was, in canonical form."""
        return canonical(Pose(self.position_m, self.quaternion_xyzw))


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest."""

    camera: Camera
    views: tuple[RecordedView, ...]
    step_m: float = MOVE_STEP_M
    """How far a move leads here, metres: about as far as neighbouring views are apart."""
    step_deg: float = TURN_STEP_DEG
    """How far a turn leads, degrees."""
    source: str = ""
    """Where the pictures are from, and under which terms."""
    posed: bool = True
    """Whether the poses are those of cameras; otherwise they are made up, only the order of the views means something, and nobody acts."""


def read(folder: Path) -> Recording:
    """The manifest of a folder, with every picture looked at.

    Raises:
        SceneError: it cannot be read, or a picture is missing, is none or has another size; the message names the field.
    """
    path = folder / MANIFEST
    try:
        recording = msgspec.json.decode(path.read_bytes(), type=Recording)
    except OSError as problem:
        raise SceneError(f"{path}: {problem.strerror or problem}. A recording is a folder with a {MANIFEST}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise SceneError(f"{path}: {problem}") from None
    if not 1 <= len(recording.views) <= MAX_VIEWS:
        raise SceneError(f"{path}: views: expected 1 to {MAX_VIEWS}, got {len(recording.views)}")
    for name, step in (("step_m", recording.step_m), ("step_deg", recording.step_deg)):
        if not (math.isfinite(step) and step > 0):
            raise SceneError(f"{path}: {name}: expected a number above 0, got {step!r}")
    poses: dict[Pose, int] = {}
    for number, view in enumerate(recording.views):
        where = f"{path}: views[{number}]"
        check_pose(Pose(view.position_m, view.quaternion_xyzw), where, SceneError)
        if (other := poses.setdefault(view.pose, number)) != number:
            raise SceneError(f"{where}: stands where views[{other}] does: one pose has one picture")
        _look(folder, view.file, recording.camera, f"{where}.file")
    return recording


def _within(folder: Path, name: str, where: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not name:
        raise SceneError(f"{where}: expected a file within the folder, got {name!r}")
    return path


def _look(folder: Path, name: str, camera: Camera, where: str) -> None:
    """Whether a file is a picture of the size that the manifest says."""
    try:
        with Image.open(_within(folder, name, where), formats=FORMATS) as image:
            size = image.size
    except FileNotFoundError:
        raise SceneError(f"{where}: there is no file {name!r}") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as problem:
        raise SceneError(f"{where}: {name!r} is no PNG, JPEG or WebP picture ({problem})") from None
    if size != (camera.width, camera.height):
        asked = f"{camera.width} × {camera.height}"
        raise SceneError(f"{where}: {name!r} has {size[0]} × {size[1]} pixels, the camera of the recording {asked}")
    if max(size) > MAX_IMAGE_SIDE_PX or size[0] * size[1] > MAX_IMAGE_PIXELS:
        raise SceneError(f"{where}: {name!r} has {size[0]} × {size[1]} pixels; at most {MAX_IMAGE_PIXELS} in all can be shown")


def pixels(folder: Path, view: RecordedView) -> np.ndarray:
    """The picture's own pixels: shape (H, W, 3), uint8, row 0 at the top. Transparency is left out; nothing is scaled or turned.

    Raises:
        SceneError: it cannot be read any more.
    """
    try:
        data = _within(folder, view.file, view.file).read_bytes()
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, UnidentifiedImageError) as problem:
        raise SceneError(f"{view.file}: the picture cannot be read any more ({problem})") from None


def digest(folder: Path) -> str:
    """SHA-256 over the manifest and all its pictures: names a recording for good.

    Raises:
        SceneError: as `read`.
    """
    recording = read(folder)
    found = hashlib.sha256((folder / MANIFEST).read_bytes())
    for view in recording.views:
        found.update(view.file.encode() + b"\0" + hashlib.sha256((folder / view.file).read_bytes()).digest())
    return found.hexdigest()


def scene_of(recording: Recording, name: str) -> Scene:
    """The scene of a recording that is kept under `name`."""
    return Scene(camera=recording.camera, room=Room(furnished=False), source_scene=f"{PREFIX}{name}", settle_steps=0)
