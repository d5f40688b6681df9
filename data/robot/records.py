"""Robot episodes as they are kept: where each view's frames lie in the source, and nothing of the pixels.

Frames are counted from 0. World frame: metres, z up, right-handed. Camera frame: OpenCV axes (x right, y down, z forward). Pixels are
continuous, (0, 0) the top-left corner of the top-left pixel, as those of marks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from data.names import printed

Arm = Literal["dual", "single"]

VIEWS: Mapping[str, tuple[str, ...]] = {
    "dual": ("left-gripper", "head", "right-gripper"),
    "single": ("view1", "view2", "view3", "view4"),
}
"""Arm → the views that a moment shows."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Matrix = tuple[tuple[float, ...], ...]


def clean(text: object, most: int = 2000) -> str:
    """Text of a source on one line, without what is no valid text, cut at `most` characters; blanks other than spaces stay as written."""
    words = re.sub(" {2,}", " ", printed(text, None)).strip()
    return words if len(words) <= most else words[: most - 1] + "…"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Calibration(_Frozen):
    """Where the matrices of one camera lie in the source; read when they are needed."""

    kind: str
    """Name of their form: ``matrices`` (one file with ``k`` and ``world_to_camera`` per camera), or one that the source declares."""
    file: str
    """Path inside the source; where the form has two files, that of the intrinsics."""
    extrinsic: str = ""
    """Path of the extrinsics where they lie in a file of their own; empty: they do not, or there are none."""
    key: str = ""
    """The camera's name in a file of several."""


class ViewRecord(_Frozen):
    """One camera of one episode."""

    kind: Literal["video", "images", "table"]
    camera: str
    """The camera's name in the source: ``head_color``, ``images0``, ``observation.images.top``."""
    file: str
    """Path inside the source: the video, the folder of the images, or the table in whose column ``camera`` they are."""
    files: tuple[str, ...] = ()
    """``images``: file name of each frame; empty: this frame is missing or cannot be read."""
    first: int = 0
    """``video``, ``table``: number of the episode's first frame or row in the file (one file may hold several episodes)."""
    frames: int
    """Frames of this view."""
    fps: Number | None = None
    """``video``, ``table``: the file's own rate."""
    width: int
    """Of a frame as it is shown, pixels."""
    height: int
    calibration: Calibration | None = None
    bad: tuple[int, ...] = ()
    """Frames of this view that are missing or cannot be read."""
    turned: bool = False
    """Some frames are turned by their metadata (an EXIF orientation, a video's display matrix) and are shown upright."""


class Segment(_Frozen):
    """A labelled stretch of an episode."""

    start: int
    """First frame."""
    end: int
    """First frame after it."""
    text: str = ""
    skill: str = ""


class EpisodeRecord(_Frozen):
    """One episode as found in its source."""

    key: str
    """Its name in the source, unique there: ``327/648642``."""
    arm: Arm
    task: str = ""
    """The instruction, in the source's words."""
    fps: Number | None = None
    """The episode's clock: frame k stands at k / fps seconds."""
    frames: int
    """Frames that every view has."""
    views: dict[str, ViewRecord]
    """View of the product (`VIEWS`) → its camera. May lack some: then the report says so."""
    segments: tuple[Segment, ...] = ()
    truth: str = ""
    """Path of the truth file inside the source; empty: none."""

    @property
    def complete(self) -> bool:
        """Whether every view of the arm is there."""
        return all(view in self.views for view in VIEWS[self.arm])

    def sound(self, index: int) -> bool:
        """Whether every view has a readable image at this frame, as far as the import looked."""
        return 0 <= index < self.frames and all(index not in view.bad for view in self.views.values())


@dataclass(frozen=True)
class Camera:
    """A pinhole camera without distortion."""

    width: int
    """Image size, pixels."""
    height: int
    k: Matrix
    """3×3: focal lengths and principal point, pixels."""
    world_to_camera: Matrix | None
    """4×4: world point (metres) → camera point; None: unknown."""


@dataclass(frozen=True)
class Body:
    """One object at one frame."""

    name: str
    category: str
    size: tuple[float, float, float]
    """Full extents in its own frame, metres."""
    pose: tuple[float, ...]
    """x, y, z (centre, metres), qw, qx, qy, qz."""

    @property
    def position(self) -> tuple[float, float, float]:
        """Its centre in the world, metres."""
        x, y, z = self.pose[:3]
        return x, y, z


@dataclass(frozen=True)
class Gripper:
    """One gripper at one frame."""

    pose: tuple[float, ...]
    """x, y, z (between the finger tips, metres), qw, qx, qy, qz."""
    opening_m: float | None


@dataclass(frozen=True)
class TruthEvent:
    """Something that happens in an episode."""

    frame: int
    what: str
    object: str
    gripper: str


@dataclass(frozen=True)
class Truth:
    """What is true at one frame of an episode whose source knows it."""

    frame: int
    up: tuple[float, float, float]
    objects: tuple[Body, ...]
    grippers: dict[str, Gripper]
    """``left`` and ``right``, or ``arm``."""
    events: tuple[TruthEvent, ...]
    """Of the whole episode."""


@dataclass(frozen=True)
class Problem:
    """One fault of a source."""

    where: str
    """File, folder or episode, inside the source."""
    what: str
    """What is wrong, one sentence."""
    did: str
    """What was done about it: ``left out``, ``imported without it``, …"""
    fault: str
    """A word for programs: one of `FAULTS`."""


FAULTS: Mapping[str, str] = {
    "missing_view": "a camera is not there",
    "missing_frames": "images are missing in a view",
    "unreadable": "a file cannot be read as what it should be",
    "truncated": "a video or image ends early",
    "contradiction": "two places of the source say different things",
    "unsynchronised": "views differ in their number of frames or in their rate",
    "sizes": "images of one view differ in size, or a size is not the declared one",
    "turned": "an image or video is turned by its metadata",
    "bit_depth": "an image or video has more than 8 bits per channel",
    "form": "a video's pixels are not square, interlaced, transparent or of a wide range: programs show them differently",
    "clock": "the videos of an episode start at different times of their own clocks",
    "animated": "an image file holds several pictures",
    "too_large": "an image or file is larger than is read",
    "outside": "a path leaves the source",
    "archive": "an archive lies where a folder is needed",
    "empty": "a folder is empty",
    "calibration": "camera matrices are not sound",
    "truth": "a truth file is not sound",
    "labels": "task or segment labels are missing or not sound",
    "unsupported": "a form that is not read",
    "gone": "an episode imported earlier is not in the source any more",
}


@dataclass(frozen=True)
class NotRead:
    """Files of a source that nothing was read from, and that look alike."""

    like: str
    """Path of the first of them."""
    files: int
    """How many they are."""


@dataclass
class Report:
    """What an import found wrong, and what it did about it."""

    problems: list[Problem] = field(default_factory=list)
    seen: int = 0
    """Episodes looked at."""
    not_read: list[NotRead] = field(default_factory=list)
    """What lies in the source and is no part of an episode: no fault, but nothing is passed over without a word."""
    _noted: set[Problem] = field(default_factory=set)

    def add(self, fault: str, where: str, what: str, did: str = "left out") -> None:
        """Note a fault; the same one is noted once."""
        assert fault in FAULTS, fault
        problem = Problem(printed(where, 500), printed(what), did, fault)
        if problem not in self._noted:
            self._noted.add(problem)
            self.problems.append(problem)

    def counts(self) -> dict[str, int]:
        """Fault → how many."""
        found: dict[str, int] = {}
        for problem in self.problems:
            found[problem.fault] = found.get(problem.fault, 0) + 1
        return dict(sorted(found.items()))

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "episodes_seen": self.seen,
            "counts": self.counts(),
            "problems": [vars(problem) for problem in self.problems],
            "not_read": [vars(group) for group in self.not_read],
        }
