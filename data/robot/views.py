"""One camera of one episode, looked at once: what is there, what is missing, what cannot be read. Everything wrong goes into the report."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from data import names
from data.robot import beside, cells, pixels, video
from data.robot.errors import BadImage, BadVideo, Outside, RobotError
from data.robot.folder import Folder, joined
from data.robot.images import MAX_BYTES, Picture, fault_of, picture
from data.robot.records import VIEWS, Arm, EpisodeRecord, Report, Segment, ViewRecord

IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
"""File names that are taken for images."""
NEVER = (".gif", ".heic", ".heif", ".avif", ".jp2", ".exr", ".ppm", ".npy")
"""Pictures that are named in the report but not read."""


def numbers(values: Iterable[int], most: int = 8) -> str:
    """``3, 7, 9–12`` in words short enough for a sentence."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    words = [str(a) if a == b else f"{a}–{b}" for a, b in runs[:most]]
    return ", ".join(words) + (" …" if len(runs) > most else "")


def load(folder: Folder, relative: str) -> Picture:
    """One image of a source, wholly decoded.

    Raises:
        BadImage, Outside, Unreadable: it cannot serve; the message is a sentence.
    """
    return picture(folder.read(relative, MAX_BYTES), relative)


def image_view(folder: Folder, where: str, names: Sequence[str], camera: str, report: Report) -> ViewRecord | None:
    """A view from image files.

    Args:
        folder: the source.
        where: path of the images' folder.
        names: file name of each frame; empty where there is none.
        camera: the camera's name in the source.
        report: takes the faults.

    Returns:
        The view, or None without one readable image.
    """
    kept = list(names)
    if bad := [index for index, name in enumerate(names) if not name]:
        what = f"Images of frames {numbers(bad)} are missing ({len(bad)} of {len(names)})."
        report.add("missing_frames", where, what, "these frames left out")

    def loaded() -> Iterator[tuple[int, str, Picture | RobotError]]:
        for index, name in enumerate(names):
            if name:
                relative = joined(where, name)
                try:
                    yield index, relative, load(folder, relative)
                except RobotError as error:
                    yield index, relative, error

    found = _gathered(loaded(), where, report)
    if found is None:
        return None
    for index in found.out:
        kept[index] = ""
    missing = tuple(index for index, name in enumerate(kept) if not name)
    return ViewRecord(
        kind="images",
        camera=camera,
        file=where,
        files=tuple(kept),
        frames=len(kept),
        width=found.width,
        height=found.height,
        bad=missing,
        turned=found.turned,
    )


@dataclass(frozen=True)
class _Gathered:
    """The images of a view, looked at together."""

    width: int
    height: int
    out: tuple[int, ...]
    """Frames that cannot be used."""
    turned: bool


def _gathered(loaded: Iterable[tuple[int, str, Picture | RobotError]], where: str, report: Report) -> _Gathered | None:
    """What a view's images have in common; None without one that is readable.

    Args:
        loaded: (frame, place of its image, the image or why there is none).
        where: place of the view.
        report: takes the faults.
    """
    sizes: dict[int, tuple[int, int]] = {}
    turned, out = [], []
    for index, place, found in loaded:
        if isinstance(found, RobotError):
            fault = fault_of(found) if isinstance(found, BadImage) else "outside" if isinstance(found, Outside) else "unreadable"
            report.add(fault, place, str(found), "this frame left out")
            out.append(index)
            continue
        sizes[index] = (found.width, found.height)
        if found.turned:
            turned.append(index)
    if not sizes:
        return None
    width, height = Counter(sizes.values()).most_common(1)[0][0]
    if other := [index for index, size in sizes.items() if size != (width, height)]:
        example = sizes[other[0]]
        what = f"Frames {numbers(other)} have another size ({example[0]}×{example[1]}) than the others ({width}×{height})."
        report.add("sizes", where, what, "these frames left out")
    if turned:
        what = f"Images of frames {numbers(turned)} are turned by their EXIF orientation."
        report.add("turned", where, what, "shown upright as PNG; the originals are as they were")
    return _Gathered(width, height, tuple(sorted(out + other)), bool(turned))


def table_view(
    folder: Folder, file: str, column: cells.Column, camera: str, report: Report, *, first: int, frames: int, fps: float
) -> ViewRecord | None:
    """A view from images inside a table.

    Args:
        folder: the source.
        file: the table's path.
        column: the column of the images, read up to here.
        camera: its name.
        report: takes the faults.
        first: number of the episode's first row.
        frames: its rows.
        fps: rows per second.

    Returns:
        The view, or None without one readable image.

    Raises:
        Outside, Unreadable: the table cannot be read.
    """
    where = f"{file}: {camera}"
    rows = ((number, f"{where}, row {first + number}", found) for number, found in enumerate(column.rows(first, frames)))
    found = _gathered(rows, where, report)
    folder.use(file)
    if found is None:
        return None
    return ViewRecord(
        kind="table",
        camera=camera,
        file=file,
        first=first,
        frames=frames,
        fps=fps,
        width=found.width,
        height=found.height,
        bad=found.out,
        turned=found.turned,
    )


def video_view(
    folder: Folder, file: str, camera: str, report: Report, *, first: int = 0, frames: int | None = None, every_frame: bool = False
) -> ViewRecord | None:  # fmt: skip
    """A view from a video file, or from a stretch of it.

    Args:
        folder: the source.
        file: the video's path.
        camera: the camera's name in the source.
        report: takes the faults.
        first: number of the stretch's first frame in the file.
        frames: length of the stretch; None: to the end.
        every_frame: decode all of it; else the first and last frame are tried.

    Returns:
        The view, or None without a readable frame.

    Raises:
        VideoUnavailable: PyAV is not installed.
    """
    try:
        path = folder.path(file)
        if not path.is_file():
            raise BadVideo(f"{file} is not there." if not path.exists() else f"{file} is no regular file.")
        known = video.facts(path, file)
        count = known.frames - first if frames is None else frames
        if known.declared > known.frames and first + count >= known.frames:
            what = f"The video ends early: its index promises {known.declared} frames, {known.frames} are there."
            report.add("truncated", file, what, "the frames that are there imported")
            count = min(count, known.frames - first)
        if count <= 0:
            raise BadVideo(f"{file} holds no frame of this episode.")
        seen = video.look(path, file, first, count, every_frame=every_frame)
    except Outside as error:
        report.add("outside", file, str(error), "view left out")
        return None
    except BadVideo as error:
        report.add(error.fault if isinstance(error, pixels.Refused) else "unreadable", file, str(error), "view left out")
        return None
    folder.use(file)
    bad = tuple(seen.bad)
    _remarks(file, known, seen, count, report)
    while count - 1 in bad:  # the end is simply shorter
        count, bad = count - 1, bad[:-1]
    return ViewRecord(
        kind="video",
        camera=camera,
        file=file,
        first=first,
        frames=count,
        fps=known.fps,
        width=seen.width,
        height=seen.height,
        bad=bad,
        turned=any(form.orientation != 1 for form in seen.forms),
    )


def _remarks(file: str, known: video.Facts, seen: video.Look, count: int, report: Report) -> None:
    """Name what a player would show otherwise than it is shown here, and the frames that cannot be used."""
    for form in seen.forms:
        for fault, what, did in form.remarks(file):
            report.add(fault, file, what, did)
    if known.metadata.get("alpha_mode") == "1":
        report.add("form", file, f"{file} is partly transparent.", "shown without its transparency")
    if known.metadata.get("rotate", "0").strip() not in ("", "0") and all(form.orientation == 1 for form in seen.forms):
        what = f"{file} has a tag “rotate={known.metadata['rotate']}” without a display matrix: few programs follow it."
        report.add("turned", file, what, "shown as stored")
    if known.streams > 1:
        report.add("unsupported", file, f"{file} holds {known.streams} videos.", "the first one read")
    if broken := [number for number, fault in seen.bad.items() if fault == "unreadable"]:
        report.add("unreadable", file, f"Frames {numbers(broken)} cannot be decoded ({len(broken)} of {count}).", "these frames left out")
    if other := [number for number, fault in seen.bad.items() if fault == "sizes"]:
        what = f"Frames {numbers(other)} have another size than the others ({seen.width}×{seen.height})."
        report.add("sizes", file, what, "these frames left out")


@dataclass(frozen=True)
class Options:
    """What the person who imports a source may say about it."""

    cameras: Mapping[str, str] = field(default_factory=dict)
    """Camera of the source → view of the product, where the names do not tell."""
    every_frame: bool = False
    """Decode every frame of every video."""


def chosen(usual: Mapping[str, str], options: Options) -> dict[str, str]:
    """Camera → view: the usual ones, but for views to which whoever imports gave another camera."""
    taken = set(options.cameras.values())
    return {camera: view for camera, view in usual.items() if view not in taken} | dict(options.cameras)


def view_of(camera: str, mapping: Mapping[str, str]) -> str | None:
    """The view of a camera, by the camera's name as it is or as another system writes the same letters."""
    return mapping.get(camera) or next((view for name, view in mapping.items() if names.same(name, camera)), None)


def clock(arm: str, views: Mapping[str, ViewRecord]) -> str:
    """The view whose frames an episode counts: the head, or the first that is there."""
    return next(view for view in (("head",) if arm == "dual" else ()) + VIEWS[arm] + tuple(views) if view in views)


def episode(
    folder: Folder,
    key: str,
    arm: Arm,
    views: Mapping[str, ViewRecord],
    report: Report,
    *,
    where: str,
    task: str = "",
    fps: float | None = None,
    segments: Sequence[Segment] = (),
    truth_file: str = "",
    whole_files: bool = True,
    expected: Sequence[str] | None = None,
) -> EpisodeRecord | None:
    """Put the views of an episode together and hold them to each other.

    Args:
        folder: the source.
        key: the episode's name.
        arm: its kind of robot.
        views: view → record.
        report: takes the faults.
        where: how a fault names the episode.
        task: the instruction.
        fps: frames per second where no view has a clock of its own.
        segments: labelled stretches.
        truth_file: path of its truth, there or not; empty: it has none.
        expected: the views that the source has cameras for, where it was said already that others are missing; None: all of the arm.
        whole_files: whether each of its videos is this episode and nothing else, so that their clocks start together.

    Returns:
        The episode, or None where not one view is there.
    """
    wanted = VIEWS[arm]
    if not views:
        report.add("missing_view", where, f"None of the views {', '.join(wanted)} is there.", "episode left out")
        return None
    if missing := [view for view in (wanted if expected is None else expected) if view not in views]:
        what = f"Views are missing: {', '.join(missing)}; there: {', '.join(f'{v} ({r.camera})' for v, r in views.items())}."
        report.add("missing_view", where, what, "imported without them; no moments are sampled from it")
    reference = views[clock(arm, views)]
    counts = {view: record.frames for view, record in views.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{view} {n}" for view, n in counts.items())
        what = f"The views have different numbers of frames ({listed}): their clocks may not agree."
        report.add("unsynchronised", where, what, "the part that all have imported")
    rates = {view: record.fps for view, record in views.items() if record.fps}
    grain = max((video.facts(folder.path(r.file), r.file).grain for r in views.values() if r.kind == "video"), default=0.0)
    if rates and video.apart(max(rates.values()), min(rates.values()), grain):
        listed = ", ".join(f"{view} {rate:g}" for view, rate in rates.items())
        what = f"The views have different rates ({listed} frames per second)."
        report.add("unsynchronised", where, what, "frames matched by their time")
    sizes = {view: f"{record.width}×{record.height}" for view, record in views.items()}
    if len(set(sizes.values())) > 1:
        what = f"The views differ in size ({', '.join(f'{view} {size}' for view, size in sizes.items())})."
        report.add("sizes", where, what, "imported as they are: each view has its own pixels")
    if whole_files:
        _clocks(folder, views, where, report)
    rate = reference.fps or fps
    frames = min(_lasting(folder, record, reference) for record in views.values())
    if frames < 1:
        report.add("unsynchronised", where, "The views have no time in common.", "episode left out")
        return None
    inside = _segments(segments, frames, where, report)
    known = beside.sound_truth(folder, truth_file, frames, report) if truth_file else ""
    ordered = {view: views[view] for view in (*wanted, *views) if view in views}
    return EpisodeRecord(key=key, arm=arm, task=task, fps=rate, frames=frames, views=ordered, segments=inside, truth=known)


def times(folder: Folder, record: ViewRecord) -> list[float]:
    """Times of a video view's frames from the start of the episode, seconds.

    Raises:
        RobotError: the file is not there any more, or holds fewer frames than when it was imported.
    """
    known = video.facts(folder.path(record.file), record.file).times[record.first : record.first + record.frames]
    if len(known) < record.frames:
        raise RobotError(f"{record.file} has changed since it was imported: it holds fewer frames. Import the source again.")
    return [round(time - known[0], 6) for time in known]


def _lasting(folder: Folder, record: ViewRecord, reference: ViewRecord) -> int:
    """How many frames of the reference a view lasts, by the times of both."""
    if record == reference or record.kind != "video" or reference.kind != "video":
        return record.frames
    gap = 1 / (record.fps or reference.fps or 1.0)
    return max(1, bisect_left(times(folder, reference), times(folder, record)[-1] + 0.75 * gap))


def _clocks(folder: Folder, views: Mapping[str, ViewRecord], where: str, report: Report) -> None:
    """Name videos that start later by their own clocks than others: whether they show another time cannot be told."""
    starts = {
        view: video.facts(folder.path(record.file), record.file).times[record.first]
        for view, record in views.items()
        if record.kind == "video"
    }
    gap = 1 / max((record.fps for record in views.values() if record.fps), default=1.0)
    if starts and max(starts.values()) - min(starts.values()) > 0.5 * gap:
        listed = ", ".join(f"{view} {start:.3f} s" for view, start in starts.items())
        what = f"The videos start at different times of their own clocks ({listed})."
        report.add("clock", where, what, "frames counted from the first of each")


def _segments(segments: Sequence[Segment], frames: int, where: str, report: Report) -> tuple[Segment, ...]:
    kept, wrong = [], 0
    for segment in segments:
        start, end = max(0, segment.start), min(frames, segment.end)
        if start < end:
            kept.append(segment.model_copy(update={"start": start, "end": end}))
        wrong += (start, end) != (segment.start, segment.end)
    if wrong:
        what = f"{wrong} of {len(segments)} labelled stretches reach outside the {frames} frames."
        report.add("labels", where, what, "cut to the episode")
    return tuple(kept)
