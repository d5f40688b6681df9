"""Items of the robotic subtasks from the way that a gripper really takes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from annotation.qa import directions, geometry
from annotation.qa.colours import STANDARD
from annotation.qa.directions import Direction
from annotation.qa.generating.parts import mark, references, word
from annotation.qa.generating.sight import Sight
from annotation.qa.geometry import Array
from annotation.qa.items import Item
from annotation.qa.moments.starting import begin, segment_text
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import finish
from data.robot import episodes as robot
from data.robot.records import Body, TruthEvent

STEP_M = 0.04
"""A motion has a direction where it leads at least this far along it."""
DEEDS = {"grasp": "close it", "release": "open it", "pour": "tip it"}
"""Event of a truth file → what the gripper does then, in an option."""
TASKS = {"grasp": "Take hold of the {}", "release": "Put down the {}", "open": "Pull the {} open"}
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


def _in_words(hand: str, parts: Sequence[Sequence[Direction]], deeds: Sequence[str]) -> str:
    """A motion as an option says it."""
    words = []
    for n, (steps, deed) in enumerate(zip(parts, deeds, strict=True)):
        words.append((f"move {hand} " if n == 0 else "then move it ") + ", ".join(steps))
        words += [deed if n < len(parts) - 1 else f"then {deed}"] if deed else []
    text = ", ".join(words)
    return text[:1].upper() + text[1:] + "."


def _task(sight: Sight, moving: Motion, slug: str) -> str:
    """The task that this motion, and no more, completes; empty where there are no words for it."""
    task = sight.scene.moment.task.strip()
    if not moving.events:
        return segment_text(sight.store, sight.scene.moment) or task
    last = moving.events[-1]
    if slug == "planning":
        whole = moving.events[0].what == "grasp" and task.casefold().startswith(WHOLE.get(last.what, "\n"))
        return task if whole else ""
    if last.what not in TASKS or not last.object:
        return ""
    arm = "" if sight.scene.moment.arm == "single" else f" with the {moving.hand} arm"
    return TASKS[last.what].format(last.object) + arm


def _way(sight: Sight, rng: random.Random, slug: str, events: int, fewest: int, most: int) -> Item | None:
    moving, view = motion(sight, events), references(sight, rng)[0]
    camera, truth = sight.scene.cameras.get(view), sight.scene.truth
    axes = geometry.bound_frame(camera, truth.up) if camera is not None and truth is not None else None
    if moving is None or axes is None:
        return None
    parts = [directions_of(stretch.path, axes) for stretch in moving.stretches]
    right = tuple(step for part in parts for step in part)
    if not all(parts) or not fewest <= len(right) <= most:
        return None
    wrong = _other_ways(right, rng)
    task = _task(sight, moving, slug)
    if wrong is None or not task:
        return None
    item = begin(sight.store, sight.scene.moment, slug, seed=rng.randrange(2**30), reference=view).change(slots={"task": task})
    hand = "the gripper" if item.arm == "single" else f"the {moving.hand} gripper"
    cuts = [0, *(int(n) for n in np.cumsum([len(part) for part in parts]))]
    deeds = [stretch.deed for stretch in moving.stretches]
    ways = [right, *(steps for steps, _ in wrong)]
    texts = [_in_words(hand, [way[a:b] for a, b in pairwise(cuts)], deeds) for way in ways]
    item = finish(item, rng, texts, [kind for _, kind in wrong])
    return item.change(question=SUBTASKS[slug].question(item))


def planning(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The whole of a pick and place."""
    return _way(sight, rng, "planning", 2, 3, 7)


def step(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Up to the next deed."""
    return _way(sight, rng, "step", 1, 1, 4)


def _other_ways(right: tuple[Direction, ...], rng: random.Random) -> list[tuple[tuple[Direction, ...], str]] | None:
    """Four other sequences, each of which leads elsewhere: not only the same directions in another order."""
    found: dict[tuple[Direction, ...], str] = {}
    sums = [net(right)]
    for _ in range(200):
        # made from each other as well as from the right one, so that the right one is not in the middle
        steps = list(rng.choice([right, *found]))
        k = rng.randrange(len(steps))
        turned = rng.random() < 0.5
        opposite = next(d for d in directions.DIRECTIONS if d == directions.OPPOSITE[steps[k]])
        steps[k] = opposite if turned else rng.choice([d for d in directions.DIRECTIONS if d != steps[k]])
        way = tuple(steps)
        if any(a == b for a, b in pairwise(way)) or way == right or way in found:
            continue
        if any(np.abs(net(way) - other).sum() < 2 for other in sums):
            continue
        found[way] = "reversed" if turned else "misses"
        sums.append(net(way))
        if len(found) == 4:
            return list(found.items())
    return None


def net(steps: Sequence[str]) -> Array:
    """Where unit steps lead together: (3,)."""
    total = np.zeros(3)
    for step in steps:
        k = directions.DIRECTIONS.index(step)
        total[k // 2] += -1 if k % 2 else 1
    return total


# trajectory


def trajectory(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The gripper's true way in the reference view, and others that end elsewhere."""
    moving, view = motion(sight), references(sight, rng)[0]
    camera = sight.scene.cameras.get(view)
    if moving is None or camera is None:
        return None
    pixels, depth = geometry.project(camera, moving.path)
    size = np.array([camera.width, camera.height], float)
    if depth.min() < geometry.NEAR_M or (pixels < 4).any() or (pixels > size - 4).any():
        return None
    true = _thinned(pixels)
    if np.linalg.norm(true[-1] - true[0]) < 0.12 * size[0]:
        return None
    tracks = [true]
    kinds: list[str] = []
    ends = [one.middle for one in sight.seen(view)]
    for _ in range(80):
        if len(tracks) == 5:
            break
        if ends and len(kinds) % 2 == 0:
            end, kind = rng.choice(ends), "wrong_end"
        else:
            angle = rng.choice((-1, 1)) * rng.uniform(0.5, 1.2)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            end, kind = true[0] + turn @ (true[-1] - true[0]) * rng.uniform(0.8, 1.2), "misses"
        if (end < 6).any() or (end > size - 6).any() or min(np.linalg.norm(end - track[-1]) for track in tracks) < 0.1 * size[0]:
            continue
        track = _led(true, end)
        if (track >= 2).all() and (track <= size - 2).all():
            tracks.append(track)
            kinds.append(kind)
    task = _task(sight, moving, "trajectory")
    if len(tracks) < 5 or not task:
        return None
    item = begin(sight.store, sight.scene.moment, "trajectory", seed=rng.randrange(2**30), reference=view).change(slots={"task": task})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(mark(n, view, "track", colour, track) for n, (colour, track) in enumerate(zip(colours, tracks, strict=True)))
    item = finish(item, rng, [colour.capitalize() for colour in colours], kinds, marks=marks)
    return item.change(question=SUBTASKS["trajectory"].question(item))


def _thinned(pixels: Array, tolerance_px: float = 4.0) -> Array:
    """A track with its turning points only, (k, 2)."""
    return legs(np.c_[pixels, np.zeros(len(pixels))], tolerance_px)[:, :2]


def _led(track: Array, end: Array) -> Array:
    """The track, bent so that it ends elsewhere: turned and stretched about its start."""
    was, want = complex(*(track[-1] - track[0])), complex(*(end - track[0]))
    ratio = want / was
    moved = (track - track[0]) @ np.array([1, 1j]) * ratio
    return np.c_[moved.real, moved.imag] + track[0]


# affordance

LEAST_LINE = 0.018
"""A grasp line is at least so long, as a share of the image's width,"""
APART = 0.014
"""and its ends are on average so far from those of any other line."""


def affordance(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Where the fingers will really close on an object that lies still until then, and four lines where they cannot: one above the other,
    into the object, and at its edge."""
    assert sight.scene.truth is not None
    frame = sight.scene.moment.frame_index
    coming = [event for event in sight.scene.truth.events if event.what == "grasp" and event.frame > frame]
    for view in references(sight, rng, moving=True) if coming else []:
        item = _grasps(sight, rng, coming[0], view)
        if item is not None:
            return item
    return None


def _grasps(sight: Sight, rng: random.Random, event: TruthEvent, view: str) -> Item | None:
    truth, camera, found = sight.scene.truth, sight.scene.cameras.get(view), _grip(sight, event, view)
    if truth is None or camera is None or found is None:
        return None
    thing, centre, across, along, half = found
    size, turned = np.asarray(thing.size, float), geometry.rotation(thing.pose[3:7])
    up = np.asarray(truth.up, float)
    long, high = (float(np.abs(turned.T @ axis) @ size) for axis in (along, up))
    slanted = (across + rng.choice((-1, 1)) * along) / np.sqrt(2)
    edge, side = 0.46 * long * along, rng.choice((-1, 1))
    lines = [
        (centre - half * across, centre + half * across, ""),
        (centre - 0.5 * high * up, centre + 0.5 * high * up, "orientation"),
        (centre, centre + side * 2 * half * across, "collision"),
        (centre - half * across + edge, centre + half * across + edge, "instability"),
        (centre - 0.2 * half * slanted - 0.5 * edge, centre + 1.7 * half * slanted - 0.5 * edge, "collision"),
    ]
    drawn: list[Array] = []
    for a, b, _ in lines:
        pixels, depth = geometry.project(camera, np.stack([a, b]))
        outside = depth.min() < geometry.NEAR_M or not all(geometry.inside(camera, pixel) for pixel in pixels)
        if outside or np.linalg.norm(pixels[1] - pixels[0]) < LEAST_LINE * camera.width:
            return None
        drawn.append(pixels)
    if any(_apart(one, other) < APART * camera.width for k, one in enumerate(drawn) for other in drawn[:k]):
        return None
    item = begin(sight.store, sight.scene.moment, "affordance", seed=rng.randrange(2**30), reference=view)
    item = item.change(slots={"item": word(thing)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(mark(n, view, "grasp", colour, line) for n, (colour, line) in enumerate(zip(colours, drawn, strict=True)))
    item = finish(item, rng, [colour.capitalize() for colour in colours], [kind for _, _, kind in lines[1:]], marks=marks)
    return item.change(question=SUBTASKS["affordance"].question(item))


def _grip(sight: Sight, event: TruthEvent, view: str) -> tuple[Body, Array, Array, Array, float] | None:
    """The object of a coming grasp as it lies now, the point between the fingers, the directions across and along the fingers, and half
    their distance (metres); None where it is not seen well, or moves before it is grasped."""
    thing = next((one.thing for one in sight.seen(view) if one.thing.name == event.object), None)
    then = robot.truth(sight.store, sight.episode, event.frame)
    hand = then.grippers.get(event.gripper) if then is not None else None
    if thing is None or then is None or hand is None or not hand.opening_m:
        return None
    later = next(body for body in then.objects if body.name == thing.name)
    if np.linalg.norm(np.subtract(later.position, thing.position)) > 0.01:
        return None
    axes = geometry.rotation(hand.pose[3:7])
    # the hand's y axis is the direction in which its fingers open
    return thing, np.asarray(hand.pose[:3], float), axes[:, 1], axes[:, 0], hand.opening_m / 2


def _apart(one: Array, other: Array) -> float:
    """Mean distance of the ends of two lines, whichever way round; pixels."""
    return min(float(np.linalg.norm(one - other[::order], axis=1).mean()) for order in (1, -1))
