"""The way that a gripper takes next, in the world and in words: turning points, directions, and the task that it completes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.qa.parts import directions
from annotation.qa.parts.directions import Direction
from annotation.qa.scenes.geometry import Array
from annotation.qa.scenes.moment import segment_text
from annotation.qa.scenes.sight import Sight
from data.robot import episodes as robot
from data.robot.records import TruthEvent

STEP_M = 0.04
"""A motion has a direction where it leads at least this far along it."""
DEEDS = {"grasp": "close it", "release": "open it", "pour": "tip it"}
"""Event of a truth file → what the gripper does then, in an option."""
STEPS = {"grasp": "Take hold of the {}", "release": "Put down the {}", "open": "Pull the {} open"}
"""Event → the step that ends with it, in a question. Up to pouring is no step of its own."""
WHOLE = {"release": "put ", "pour": "pour ", "open": "open "}
"""Event after a grasp → how the task begins that is complete with it."""
POINTS = 16
"""Frames of a stretch that are looked at."""


@dataclass(frozen=True)
class Stretch:
    """A gripper's way up to a deed."""

    path: Array
    """(n, 3): its grasp point in the world, metres."""
    deed: str
    """What it does at the end: ``close it``, ``open it``, or nothing that has a word here."""


@dataclass(frozen=True)
class Motion:
    """What one gripper does next."""

    hand: str
    stretches: tuple[Stretch, ...]
    """One per event, in order."""
    events: tuple[TruthEvent, ...]
    """Empty where the source tells none."""

    @property
    def path(self) -> Array:
        """(n, 3) in the world, all stretches."""
        return np.concatenate([stretch.path for stretch in self.stretches])


def motion(sight: Sight, events: int = 1) -> Motion | None:
    """The way of the gripper that is the next to do something, up to that event (or to the next `events` of its own); without events, of
    the one that moves most up to the end of the labelled stretch. None where it hardly moves."""
    frame, episode = sight.scene.moment.frame_index, sight.episode
    assert sight.scene.truth is not None
    coming = [event for event in sight.scene.truth.events if event.frame > frame and event.gripper in sight.hands]
    if coming:
        hand = coming[0].gripper
        mine = tuple(event for event in coming if event.gripper == hand)[:events]
        stops = [(event.frame, DEEDS.get(event.what, "")) for event in mine]
        if len(stops) < events:
            return None
    else:
        ends = [segment.end - 1 for segment in episode.record.segments if segment.start <= frame < segment.end]
        if not ends or not sight.hands:
            return None
        stops, mine = [(min(ends[0], episode.frames - 1), "")], ()
        hand = max(sight.hands, key=lambda name: _length(_path(sight, name, frame, stops[0][0])))
    stretches = []
    for stop, deed in stops:
        if stop - frame < 3 or stop >= episode.frames:
            return None
        stretches.append(Stretch(_path(sight, hand, frame, stop), deed))
        frame = stop
    made = Motion(hand, tuple(stretches), mine)
    return made if _length(made.path) >= 2 * STEP_M else None


def _path(sight: Sight, hand: str, start: int, end: int) -> Array:
    """(n, 3): a gripper's places from one frame to another."""
    frames = np.unique(np.linspace(start, end, POINTS).round().astype(int))
    truths = [robot.truth(sight.store, sight.episode, int(frame)) for frame in frames]
    return np.array([truth.grippers[hand].pose[:3] for truth in truths if truth is not None and hand in truth.grippers], float)


def _length(path: Array) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) if len(path) > 1 else 0.0


def legs(path: Array, tolerance_m: float = 0.03) -> Array:
    """The turning points (k, 3) of a path: points nearer than `tolerance_m` to the line between their neighbours are left out."""
    keep = {0, len(path) - 1}
    stack = [(0, len(path) - 1)]
    while stack:
        a, b = stack.pop()
        inner = np.arange(a + 1, b)
        if not len(inner):
            continue
        line, away = path[b] - path[a], path[inner] - path[a]
        along = np.clip(away @ line / max(float(line @ line), 1e-12), 0, 1)
        off = np.linalg.norm(away - along[:, None] * line, axis=1)
        if off.max() > tolerance_m:
            middle = int(inner[off.argmax()])
            keep.add(middle)
            stack += [(a, middle), (middle, b)]
    return path[sorted(keep)]


def directions_of(path: Array, axes: Array) -> tuple[Direction, ...]:
    """The directions of a path in a camera-bound frame, leg by leg, the longest part of a leg first; what is shorter than `STEP_M` is not
    said, nor what repeats the one before."""
    said: list[Direction] = []
    for leg in np.diff(legs(path), axis=0) @ axes.T:
        for k in sorted(range(3), key=lambda k: -abs(leg[k])):
            if abs(leg[k]) >= STEP_M:
                word = directions.DIRECTIONS[2 * k + (leg[k] < 0)]
                if not said or said[-1] != word:
                    said.append(word)
    return tuple(said)


def step_of(sight: Sight, moving: Motion) -> str:
    """The step that this motion, and no more, completes; empty where there are no words for it."""
    if not moving.events:
        return _said(sight)
    last = moving.events[-1]
    if last.what not in STEPS or not last.object:
        return ""
    arm = "" if sight.scene.moment.arm == "single" else f" with the {moving.hand} arm"
    return STEPS[last.what].format(last.object) + arm


def task_of(sight: Sight, moving: Motion) -> str:
    """The moment's task, where this motion is the whole of it; empty where it is not."""
    if not moving.events:
        return _said(sight)
    task = sight.scene.moment.task.strip()
    begins = WHOLE.get(moving.events[-1].what)
    whole = begins is not None and moving.events[0].what == "grasp" and task.casefold().startswith(begins)
    return task if whole else ""


def _said(sight: Sight) -> str:
    """What the source says of the stretch that the motion leads to the end of."""
    return segment_text(sight.store, sight.scene.moment) or sight.scene.moment.task.strip()
