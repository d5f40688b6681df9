"""Where an episode lies in a video of many (v3.0): the metadata say so in seconds, and the frames' own times decide what these mean.

A dataset's declared rate is often not the video's (30 declared, 29.97 recorded), and writers differ in what they count the seconds by. So
each reading of the seconds is held to all episodes of a file at once: over the length of a file a wrong one does not fit, however small
the difference of the rates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from data.robot import video
from data.robot.folder import Unreadable

SLACK = 0.5
"""Frames by which seconds may miss a frame: beyond, the neighbour is as near."""


@dataclass(frozen=True)
class Placed:
    """What the metadata say of one episode in a file."""

    index: int
    length: int
    """Frames."""
    start: float
    """Seconds."""
    end: float


@dataclass(frozen=True)
class Reading:
    """One way to read seconds."""

    words: str
    """What it means for the dataset; empty for the usual one."""
    first: Callable[[video.Facts, float, Placed], float]
    """(video, declared rate, episode) → number of its first frame, not rounded."""
    last: Callable[[video.Facts, float, Placed], float]
    """The same for the frame after its last."""
    slack: float = SLACK
    """Frames by which its seconds may miss a frame."""

    def fits(self, facts: video.Facts, fps: float, one: Placed) -> bool:
        """Whether an episode's seconds hold as many frames as it has, all of them in the file."""
        first, last = self.first(facts, fps, one), self.last(facts, fps, one)
        inside = first > -SLACK and round(first) + one.length <= facts.frames
        exact = abs(last - first - one.length) <= SLACK and abs(first - round(first)) <= self.slack
        return 0 <= one.start < one.end and inside and exact


def at(facts: video.Facts, seconds: float) -> float:
    """The number of the frame at a time of the video, with its share of the way to the next; beyond the ends by the video's rate."""
    times, rate = facts.times, facts.fps or 1.0
    right = bisect_left(times, seconds)
    if right == 0:
        return (seconds - times[0]) * rate
    if right == len(times):
        return len(times) - 1 + (seconds - times[-1]) * rate
    return right - (times[right] - seconds) / (times[right] - times[right - 1])


READINGS = (
    Reading("", lambda facts, fps, one: at(facts, one.start), lambda facts, fps, one: at(facts, one.end)),
    Reading(
        "the seconds of its episodes count frames at the declared rate, not at the video's",
        lambda facts, fps, one: one.start * fps,
        lambda facts, fps, one: one.end * fps,
        slack=0.1,  # whoever counts so writes whole frames
    ),
    Reading(
        "its episodes begin by the video's clock and end by the declared rate",
        lambda facts, fps, one: at(facts, one.start),
        lambda facts, fps, one: at(facts, one.start) + (one.end - one.start) * fps,
    ),
)
"""In the order in which they are tried; the first that fits all episodes of a file is taken, else the one that fits most."""


def reading(facts: video.Facts, fps: float, placed: Sequence[Placed]) -> Reading:
    """How the seconds of a file's episodes are to be read."""
    return max(READINGS, key=lambda one: sum(one.fits(facts, fps, episode) for episode in placed))


def first_frame(facts: video.Facts, fps: float, how: Reading, one: Placed, file: str) -> int:
    """The number of the first frame of an episode in its file.

    Raises:
        Unreadable: its seconds and its length contradict each other or the video.
    """
    if how.fits(facts, fps, one):
        return max(0, round(how.first(facts, fps, one)))
    said = f"seconds {one.start:.3f} to {one.end:.3f} of {file}"
    if not 0 <= one.start < one.end:
        raise Unreadable(f"Its place makes no sense: {said}.")
    first, last = how.first(facts, fps, one), how.last(facts, fps, one)
    gap = 1 / (facts.fps or fps)
    if last > facts.frames + SLACK:
        what = f"its place ({said}) reaches beyond the video's {facts.times[-1] + gap:.3f} seconds: stale numbers?"
        raise Unreadable(f"Its length is {one.length} frames, but {what}")
    raise Unreadable(f"Its length is {one.length} frames, but its place ({said}) holds {round(last - first, 1):g}.")


def differs(facts: video.Facts, declared: float | None) -> bool:
    """Whether a declared rate is not the one of a video's frames, as far as their times tell."""
    return bool(declared and facts.fps and video.apart(facts.fps, declared, facts.grain))
