"""The backend of recorded views: see the package's docstring."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import PIL

from sim_bridge.actions import CAMERA_ACTIONS, Action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.recorded import recording as recordings
from sim_bridge.backends.recorded.nearest import after, nearest
from sim_bridge.backends.recorded.recording import PREFIX, Recording
from sim_bridge.encoding import encode_frame
from sim_bridge.errors import BadRequest, SceneError
from sim_bridge.spec import Contact, Frame, Hands, ObjectState, Observation, Pose, Relation, Scene
from sim_bridge.timing import measure

VERSION = 1
FOLDER = "SIM_BRIDGE_RECORDINGS"
"""Environment variable: the folder in which each recording lies in a folder named by its digest."""
NONE_THERE = "there is no recorded view in that direction"
SAMPLE = "sample"
"""A recording that is made up, with which the contract is checked (`sim_bridge.backends.recorded.sample`)."""


class Kept:
    """A recording as sessions use it."""

    def __init__(self, recording: Recording, picture: Callable[[int], np.ndarray]) -> None:
        self.recording, self._picture = recording, picture
        self.poses = tuple(view.pose for view in recording.views)
        self._frames: dict[int, Frame] = {}

    def frame(self, index: int) -> Frame:
        """A view's frame: the picture's own pixels."""
        if index not in self._frames:
            with measure("render"):
                rgb = self._picture(index)
            if len(self._frames) >= 64:
                self._frames.pop(next(iter(self._frames)))
            self._frames[index] = encode_frame(rgb)
        return self._frames[index]


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that changes in a session."""

    view: int


class _Session:
    def __init__(self, kept: Kept, at: int) -> None:
        self.kept, self.start, self.at = kept, at, at


class RecordedBackend:
    """See the package's docstring.

    Args:
        folder: where recordings lie, each in a folder named by its digest; None: what `FOLDER` names.
    """

    name = "recorded"
    deterministic = True
    capabilities = (*CAMERA_ACTIONS, "recorded")

    def __init__(self, folder: Path | None = None) -> None:
        named = os.environ.get(FOLDER, "")
        self._folder = folder or (Path(named) if named else None)
        self._kept: dict[str, Kept] = {}
        self._sessions: dict[str, _Session] = {}

    def fingerprint(self) -> dict[str, str]:
        # Pixels are the files' own; only the decoder of JPEG could change them.
        return {"backend": f"recorded {VERSION}", "pillow": PIL.__version__}

    def _recording(self, scene: Scene) -> Kept:
        said = scene.source_scene or ""
        name = said.removeprefix(PREFIX)
        if not said.startswith(PREFIX) or not name.isalnum():
            raise SceneError(f"scene.source_scene: expected {PREFIX}<digest>, the name of a recording, got {said[:80]!r}")
        if name not in self._kept:
            self._kept[name] = self._read(name)
        kept = self._kept[name]
        if scene.camera != kept.recording.camera:
            raise SceneError(f"scene.camera: the recording was made with {kept.recording.camera}, got {scene.camera}")
        if scene.objects or scene.phases:
            what = "objects" if scene.objects else "phases"
            raise SceneError(f"scene.{what}: a recording shows what its pictures show and nothing else, got {len(getattr(scene, what))}")
        return kept

    def _read(self, name: str) -> Kept:
        if name == SAMPLE:
            from sim_bridge.backends.recorded.sample import picture, sample

            return Kept(sample(), picture)
        if self._folder is None:
            raise SceneError(f"scene.source_scene: this worker has no recordings: name their folder in {FOLDER}")
        folder = self._folder / name
        recording = recordings.read(folder)
        return Kept(recording, lambda index: recordings.pixels(folder, recording.views[index]))

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        kept = self._recording(scene)
        at = nearest(kept.poses, start, kept.recording.step_m, kept.recording.step_deg)
        if at is None:
            raise SceneError(f"start: the recording has no view near {start.position_m}")
        self._sessions[session] = _Session(kept, at)
        return self._seen(session, render)

    def act(self, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        state = self._sessions[session]
        recording = state.kept.recording
        found = after(state.kept.poses, state.at, action.name, recording.step_m, recording.step_deg)
        if found is None:
            return ActionOutcome(False, NONE_THERE, self._seen(session, render))
        state.at = found
        return ActionOutcome(True, "", self._seen(session, render))

    def observe(self, session: str) -> Observation:
        return self._seen(session, True)

    def _seen(self, session: str, render: bool) -> Observation:
        state = self._sessions[session]
        frames = (state.kept.frame(state.at),) if render else ()
        return Observation(frames=frames, camera=state.kept.poses[state.at], visible={})

    def set_phase(self, session: str, phase: str, render: bool = True, visible: bool = True) -> Observation:
        raise BadRequest(f"phase: a recording has no phases, got {phase!r}")

    def state(self, session: str) -> tuple[list[ObjectState], list[Relation]]:
        return [], []

    def views(self, session: str, poses: Sequence[Pose]) -> list[Frame]:
        """The recorded view at each pose.

        Raises:
            SceneError: there is none near one of them.
        """
        kept = self._sessions[session].kept
        found = [nearest(kept.poses, pose, kept.recording.step_m, kept.recording.step_deg) for pose in poses]
        for pose, index in zip(poses, found, strict=True):
            if index is None:
                raise SceneError(f"views: the recording has no view near {pose.position_m}")
        return [kept.frame(index) for index in found if index is not None]

    def visible(self, session: str, poses: Sequence[Pose]) -> list[dict[str, int]]:
        raise BadRequest("visible: what a picture shows is not known of recorded views")

    def masks(self, session: str, pose: Pose | None) -> tuple[np.ndarray, tuple[str, ...]]:
        raise BadRequest("masks: what a pixel of a picture shows is not known of recorded views")

    def hands(self, session: str) -> Hands:
        raise BadRequest("hands: nothing can be handled in recorded views")

    def audit(self, session: str) -> tuple[dict[str, dict[str, bool]], list[Contact]]:
        raise BadRequest("audit: recorded views have no scene to look through")

    def snapshot(self, session: str) -> bytes:
        return msgspec.json.encode(_State(self._sessions[session].at))

    def restore(self, session: str, snapshot: bytes) -> None:
        state = self._sessions[session]
        try:
            at = msgspec.json.decode(snapshot, type=_State).view
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise BadRequest(f"snapshot: expected the state of recorded views: {problem}") from None
        if not 0 <= at < len(state.kept.poses):
            raise BadRequest(f"snapshot: expected the number of one of {len(state.kept.poses)} views, got {at!r}")
        state.at = at

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)
