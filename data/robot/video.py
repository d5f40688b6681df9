"""Video frames by number: the file's own index of presentation times, then a seek and an exact decode. Needs the extra ``[robot]`` (PyAV).

The container is chosen by the file's first bytes, never guessed by FFmpeg: a text file called ``.mp4`` could else make it open others.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from data.robot import pixels
from data.robot.errors import BadVideo, VideoUnavailable
from data.robot.images import MAX_PIXELS, Picture, png
from sim_bridge import priority

SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi")
"""File names that are taken for videos."""
MAX_FRAMES = 2_000_000
"""A file with more is not read; LeRobot's largest files (200 MB) hold some 100,000."""
CACHED_FRAMES = 48
"""Decoded frames kept as PNG: a page shows four views and goes back and forth; about 20 MB."""


def library() -> ModuleType:
    """PyAV.

    Raises:
        VideoUnavailable: it is not installed; the message says how to get it.
    """
    try:
        import av
    except ImportError:
        raise VideoUnavailable("Videos need the extra [robot]: pip install 'vantage-studies[robot]' (PyAV).") from None
    return av


@dataclass(frozen=True)
class Facts:
    """What a video file says of itself, without decoding it."""

    width: int
    """Of a frame as it is stored, pixels."""
    height: int
    times: tuple[float, ...]
    """Presentation time of each frame, seconds, ascending."""
    ticks: tuple[int, ...]
    """The same in the stream's own units."""
    tick_s: float
    """Such a unit, seconds."""
    declared: int
    """Frames that its index promises to show (an edit list may hide some); 0: it does not say."""
    fps: float | None
    """Frames per second by the distances of neighbouring frames, dropped ones aside; None with one frame."""
    codec: str
    aspect: Fraction | None
    """Width of a pixel to its height; None: it does not say."""
    metadata: Mapping[str, str]
    """What the stream says of itself in words, names in small letters."""
    streams: int
    """Videos in the file; the first is read."""

    @property
    def frames(self) -> int:
        return len(self.times)

    @property
    def grain(self) -> float:
        """Share by which its rate can be off for the coarseness of its times."""
        return 2 * self.tick_s / (self.times[-1] - self.times[0]) if len(self.times) > 1 else 1.0


EXACT = 0.0005
"""Share by which two rates may differ without a word: 29.97 and 30 are twice as far apart."""


def apart(one: float, other: float, grain: float) -> bool:
    """Whether two rates differ: by more than `EXACT`, and by more than the share by which their times can be off."""
    return abs(one / other - 1) > max(EXACT, grain)


def facts(path: Path, what: str) -> Facts:
    """Frame times and size of a video; cached until the file changes.

    Args:
        path: the file.
        what: how a message calls it.

    Raises:
        BadVideo: it cannot be read.
        VideoUnavailable: PyAV is not installed.
    """
    return _facts(*_identity(path, what), what)


def _identity(path: Path, what: str) -> tuple[Path, int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise BadVideo(f"{what} is not there: {error.strerror or error}.") from None
    return path, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=256)
def _facts(path: Path, _modified: int, size: int, what: str) -> Facts:
    if size == 0:
        raise BadVideo(f"{what} is empty.")
    with _opened(path, what) as (container, stream):
        av, ticks, hidden = library(), [], 0
        try:
            for packet in stream.container.demux(stream):
                hidden += bool(packet.size and packet.is_discard)
                if packet.pts is not None and packet.size and not packet.is_discard:
                    ticks.append(packet.pts)
                    if len(ticks) > MAX_FRAMES:
                        raise BadVideo(f"{what} has more than {MAX_FRAMES:,} frames.")
        except av.FFmpegError as error:
            if not ticks:
                raise BadVideo(f"{what} cannot be read: {_reason(error)}.") from None
        if not ticks:
            raise BadVideo(f"{what} holds no frame.")
        if container.format.name == "avi" and stream.codec_context.has_b_frames:
            raise BadVideo(
                f"{what} is an AVI file whose frames are stored out of order, and AVI keeps no times of them: convert it to MP4."
            )
        hidden += len(ticks) - len(set(ticks))  # of several at one time the first is shown
        ticks = sorted(set(ticks))
        base = float(stream.time_base or 0)
        return Facts(
            width=stream.width,
            height=stream.height,
            times=tuple(round(tick * base, 9) for tick in ticks),
            ticks=tuple(ticks),
            tick_s=base,
            declared=max(0, int(stream.frames or 0) - hidden),
            fps=_rate(ticks, base),
            codec=stream.codec_context.name,
            aspect=stream.sample_aspect_ratio,
            metadata={str(name).lower(): str(value) for name, value in stream.metadata.items()},
            streams=len(container.streams.video),
        )


def _rate(ticks: list[int], tick_s: float) -> float | None:
    """Frames per second: the mean distance of neighbours, without those that stand for dropped frames.

    The median alone would be off by a percent where times are whole milliseconds.
    """
    gaps = np.diff(ticks)
    gaps = gaps[gaps > 0]
    if not len(gaps) or not tick_s:
        return None
    usual = gaps[(gaps < 1.5 * np.median(gaps)) & (gaps > 0.5 * np.median(gaps))]
    return round(1 / (float(usual.mean()) * tick_s), 4)


@contextmanager
def _opened(path: Path, what: str) -> Iterator[tuple[Any, Any]]:
    """The open container and its first video stream."""
    av = library()
    try:
        container = av.open(str(path), mode="r", format=_format(path, what))
    except (av.FFmpegError, OSError, ValueError) as error:
        raise BadVideo(f"{what} cannot be opened as a video: {_reason(error)}. It may have been cut off while it was copied.") from None
    with container:
        if not container.streams.video:
            raise BadVideo(f"{what} holds no video.")
        stream = container.streams.video[0]
        if stream.codec_context is None:
            raise BadVideo(f"{what} is compressed in a way that is not known here.")
        if not stream.width or not stream.height or stream.width * stream.height > MAX_PIXELS:
            raise BadVideo(f"{what} has frames of {stream.width}×{stream.height} pixels, at most {MAX_PIXELS:,} are read.")
        yield container, stream


def _format(path: Path, what: str) -> str:
    with path.open("rb") as file:
        head = file.read(16)
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip"):
        return "mp4"
    if head[:4] == b"\x1a\x45\xdf\xa3":
        return "matroska"
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return "avi"
    raise BadVideo(f"{what} is no MP4, Matroska/WebM or AVI file.")


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return " ".join(str(text).split()).rstrip(".") or type(error).__name__


_kept: OrderedDict[tuple[Path, int, int, int], Picture] = OrderedDict()
_lock = threading.Lock()


def still(path: Path, index: int, what: str) -> Picture:
    """One frame as PNG (lossless of the decoded picture), upright.

    Args:
        path: the video.
        index: number of the frame in the file, in the order of presentation.
        what: how a message calls it.

    Raises:
        BadVideo: there is no such frame, it cannot be decoded, or not be shown.
        VideoUnavailable: PyAV is not installed.
    """
    key = (*_identity(path, what), index)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found, form = _frame(path, index, what)
    image = pixels.upright(found, form.orientation)
    picture = Picture(png(image), image.width, image.height, form.orientation != 1)
    with _lock:
        _kept[key] = picture
        while len(_kept) > CACHED_FRAMES:
            _kept.popitem(last=False)
    return picture


def _frame(path: Path, index: int, what: str) -> tuple[Any, pixels.Form]:
    """One decoded frame and its form; see `still`."""
    known = facts(path, what)
    if not 0 <= index < known.frames:
        raise BadVideo(f"{what} has {known.frames} frames, number {index} is not one of them.")
    tick = known.ticks[index]
    with _opened(path, what) as (container, stream):
        try:
            # where the key frame that the index names lies later than promised: from the start
            found = _decoded(container, stream, tick, tick) or _decoded(container, stream, known.ticks[0], tick)
        except (library().FFmpegError, OSError) as error:
            raise BadVideo(f"Frame {index} of {what} cannot be reached: {_reason(error)}.") from None
        if found is None:
            raise BadVideo(f"Frame {index} of {what} cannot be decoded.")
        return found, pixels.form(found, known.aspect, what)


def _decoded(container: Any, stream: Any, start: int, tick: int) -> Any:
    """The picture shown at `tick`, decoding from the key frame before `start`; None where it is not there or broken."""
    container.seek(start, stream=stream, backward=True)
    for picture in _pictures(container, stream):
        if picture.pts == tick:
            return picture
        if picture.pts is not None and picture.pts > tick:
            return None
    return None


def _pictures(container: Any, stream: Any) -> Iterator[Any]:
    """The sound pictures from here on; a packet that cannot be decoded is passed over."""
    errors = library().FFmpegError
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            pictures = packet.decode()
        except StopIteration:
            return
        except (errors, OSError):
            continue
        yield from (picture for picture in pictures if not picture.is_corrupt)


@dataclass(frozen=True)
class Look:
    """A stretch of a video, looked at as it will be used."""

    width: int
    """Of its frames as they are shown, pixels."""
    height: int
    forms: tuple[pixels.Form, ...]
    """Of the frames that were decoded, each once."""
    bad: Mapping[int, str]
    """Number in the stretch → fault (a key of `records.FAULTS`) of each frame that cannot be used."""


SAMPLED = 3
"""Frames of a stretch that an import decodes: the first, one in the middle, the last. Where one of them fails, all are."""


def look(path: Path, what: str, first: int, count: int, *, every_frame: bool = False) -> Look:
    """Try frames of a stretch by the way that `still` goes.

    Args:
        path: the video.
        what: how a message calls it.
        first: number of the stretch's first frame in the file.
        count: its length.
        every_frame: decode all; else a few, and all where one of them fails.

    Raises:
        BadVideo: not one frame can be shown; the message says why.
    """
    wanted = sorted({round(k * (count - 1) / (SAMPLED - 1)) for k in range(SAMPLED)})
    found: dict[int, tuple[tuple[int, int], pixels.Form]] = {}
    try:
        for number in () if every_frame else wanted:
            picture, form = _frame(path, first + number, what)
            found[number] = (pixels.size(picture, form.orientation), form)
    except pixels.Refused:
        raise
    except BadVideo:
        found = {}
    if every_frame or len(found) < len(wanted) or len({shown for shown, _ in found.values()}) > 1:
        wanted, found = list(range(count)), _every_one(path, what, first, count)
    if not found:
        raise BadVideo(f"No frame of {what} can be decoded.")
    width, height = Counter(shown for shown, _ in found.values()).most_common(1)[0][0]
    bad = {number: "unreadable" for number in wanted if number not in found}
    bad |= {number: "sizes" for number, (shown, _) in found.items() if shown != (width, height)}
    return Look(width, height, tuple(dict.fromkeys(form for _, form in found.values())), dict(sorted(bad.items())))


def _every_one(path: Path, what: str, first: int, count: int) -> dict[int, tuple[tuple[int, int], pixels.Form]]:
    """Number in the stretch → size and form of each frame that can be decoded; reads the stretch once, in order."""
    known = facts(path, what)
    wanted = {tick: number for number, tick in enumerate(known.ticks[first : first + count])}
    end = max(wanted, default=0)
    found: dict[int, tuple[tuple[int, int], pixels.Form]] = {}
    with _opened(path, what) as (container, stream):
        if first:
            try:
                container.seek(known.ticks[first], stream=stream, backward=True)
            except (library().FFmpegError, OSError) as error:
                raise BadVideo(f"Frame {first} of {what} cannot be reached: {_reason(error)}.") from None
        for picture in _pictures(container, stream):
            if picture.pts in wanted:
                form = pixels.form(picture, known.aspect, what)
                found[wanted[picture.pts]] = (pixels.size(picture, form.orientation), form)
            if picture.pts is not None and picture.pts > end:
                break
    return found


def write(
    path: Path,
    frames: Iterable[np.ndarray],
    fps: int,
    *,
    codec: str = "libsvtav1",
    options: dict[str, str] | None = None,
    index_first: bool = True,
) -> None:
    """Write frames ((height, width, 3) uint8) as MP4; for samples and tests. `index_first`: what is cut off can still be read in part."""
    av = library()
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"} if index_first else {}) as container:
        stream = None
        for picture in frames:
            if stream is None:
                stream = container.add_stream(codec, rate=fps, options=options or {})
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            priority.ordinary()
        if stream is not None:
            container.mux(stream.encode(None))
            priority.ordinary()
