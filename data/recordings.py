"""Recorded views of tasks: pictures that exist already, kept in the home by their digest, and tasks that are played on them.

A task on a recording is another task (`on_recording`): its scene is the recording, which the backend ``recorded`` shows
(`sim_bridge.backends.recorded`). What of the first task is about a simulator (objects, actions with them, trajectories) is left out.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
from PIL import Image

from data.files import replace_folder
from data.home import Home
from data.task import Provenance, Task, View
from sim_bridge.actions import CAMERA_ACTIONS, OBJECT_ACTIONS
from sim_bridge.backends.recorded import recording as recordings
from sim_bridge.backends.recorded.recording import MANIFEST, RecordedView, Recording
from sim_bridge.errors import Refusal
from sim_bridge.spec import Camera, Pose

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
MOST_SHOWN = 30
"""Views of a multi-view showing (measurement 4): more recorded ones than these are reached by acting alone."""


class NoRecordedViews(Refusal):
    """A folder holds no recording, or none of this task."""

    code = "no_recorded_views"


def keep(home: Home, folder: Path) -> tuple[str, Recording]:
    """Keep a recording in the home.

    Args:
        home: where.
        folder: with its manifest.

    Returns:
        Its digest, and the recording.

    Raises:
        SceneError: it cannot be read; the message names the file and the field.
    """
    recording, digest = recordings.read(folder), recordings.digest(folder)
    kept = home.recordings / digest
    if not kept.is_dir():
        home.recordings.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_folder(kept, lambda out: _copy(folder, recording, out))
    return digest, recording


def _copy(folder: Path, recording: Recording, out: Path) -> None:
    for name in (MANIFEST, *(view.file for view in recording.views)):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, out / name)


def on_recording(task: Task, digest: str, recording: Recording) -> Task:
    """The task, played on a recording: its first view is the start, and only the camera moves.

    Args:
        task: the task as it was made or imported.
        digest: names the recording.
        recording: its views.

    Raises:
        NoRecordedViews: the task is played by handling things or by what changes, which no picture can.
    """
    acting = [need for need in task.required_features if need in OBJECT_ACTIONS]
    if acting or task.scene.phases:
        needs = f"the action {acting[0]}" if acting else "a scene in several parts"
        raise NoRecordedViews(f"The task {task.task_id} needs {needs}, which recorded views cannot show.")
    views = tuple(View(label=view.label or view.file, pose=view.pose) for view in recording.views)
    return Task(
        task_id=f"{task.task_id[:109]}.recorded",
        supersedes=task.content_hash,
        category=task.category,
        subcategory=task.subcategory,
        question=task.question.model_copy(update={"ask": None}),
        gold=task.gold,
        scene=recordings.scene_of(recording, digest),
        start=recording.views[0].pose,
        actions=CAMERA_ACTIONS if recording.posed else (),
        required_features=("recorded",),
        budget=task.budget,
        views={"recorded": views, "random_walk": views[:MOST_SHOWN]},
        twin=task.twin,
        tags=task.tags,
        provenance=Provenance(
            dataset=task.provenance.dataset,
            row_id=task.provenance.row_id,
            file=task.provenance.file,
            licence=recording.source or task.provenance.licence,
            generator="recorded views 1",
        ),
    )


def _pictures(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())


def _tokens(name: str) -> tuple[str, ...]:
    """A name's words and numbers: ``corner/0`` and ``corner_00.png`` have the same."""
    stem = re.sub(r"\.(png|jpe?g|webp)$", "", name.lower())
    return tuple(str(int(part)) if part.isdigit() else part for part in re.findall(r"[a-z]+|\d+", stem))


def _of_label(label: str, files: dict[Path, tuple[str, ...]]) -> Path | None:
    """The picture of a labelled view: the one file whose path ends with the label's words, the label's kind (its first word) left out if
    need be. None: there is none, or several."""
    rest = label.partition("/")[2]
    for words in filter(None, (_tokens(label), _tokens(rest) if rest and not _tokens(rest)[0].isdigit() else ())):
        found = [path for path, tokens in files.items() if tokens[-len(words) :] == words]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def released(task: Task, folder: Path, out: Path) -> tuple[Recording, tuple[str, ...]]:
    """Write the recording of a released row from a folder with its renders into `out`.

    The first of its `image_paths` that is there is the picture of the start pose; the others are found by the labels under which the row
    has the poses of its views. A picture without a pose (a map, a close-up) is left out.

    Args:
        task: an imported row.
        folder: with the renders, in any sub-folders.
        out: an empty folder for the manifest and its pictures.

    Returns:
        It, and a sentence for each picture that has a pose and was left out: it is missing, or has another size than the first.

    Raises:
        NoRecordedViews: the picture of the start is not there.
    """
    files = {path: _tokens(str(path.relative_to(folder))) for path in _pictures(folder)}
    named = [str(name) for name in task.source.get("image_paths") or ()]
    first = next((found[0] for name in named if len(found := [path for path in files if path.name == name]) == 1), None)
    if first is None:
        what = f"one picture named {', '.join(named[:3])}" if named else "names of pictures: its row has none"
        raise NoRecordedViews(f"The task {task.task_id} needs {what} in {folder}; it was not found, or there are several.")
    poses: dict[Pose, tuple[Path, str]] = {_pose(task.start): (first, "start")}
    left_out: list[str] = []
    for view in task.views.get("recorded", ()):
        path = _of_label(view.label, files)
        if path is None:
            left_out.append(f"{view.label}: no picture of this view is in the folder, or there are several.")
        elif path != first:
            poses.setdefault(_pose(view.pose), (path, view.label))
    try:
        with Image.open(first) as image:
            width, height = image.size
    except OSError:
        raise NoRecordedViews(f"{first.name}, the start view of {task.task_id}, is no picture that can be read.") from None
    camera = Camera(width, height, task.scene.camera.hfov_deg)
    views = tuple(_written(poses, folder, out, (width, height), left_out))
    recording = Recording(camera, views, step_m=SPARSE_STEP_M, step_deg=SPARSE_STEP_DEG, source=task.provenance.licence)
    (out / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(recording), indent=1))
    return recording, tuple(left_out)


SPARSE_STEP_M, SPARSE_STEP_DEG = 1.0, 45.0
"""Steps of a recording of released renders, which stand in rings, corners and rooms: neighbours are about so far apart."""


def _pose(pose: Pose) -> Pose:
    return RecordedView("", pose.position_m, pose.quaternion_xyzw).pose


def _written(
    poses: dict[Pose, tuple[Path, str]], folder: Path, out: Path, size: tuple[int, int], left_out: list[str]
) -> Iterator[RecordedView]:
    for pose, (path, label) in poses.items():
        try:
            with Image.open(path) as image:
                found = image.size
        except OSError:
            left_out.append(f"{label}: {path.name} is no picture that can be read.")
            continue
        if found != size:
            left_out.append(f"{label}: {path.name} has {found[0]} × {found[1]} pixels, the start {size[0]} × {size[1]}.")
            continue
        name = path.relative_to(folder)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, out / name)
        yield RecordedView(name.as_posix(), pose.position_m, pose.quaternion_xyzw, label)
