"""Trajectory Selection: which coloured track most likely completes the task?"""

from __future__ import annotations

import random

import numpy as np

from annotation.qa.errors import Problem
from annotation.qa.items import Item, Mark
from annotation.qa.parts.colours import STANDARD
from annotation.qa.scenes import geometry
from annotation.qa.scenes.geometry import Array
from annotation.qa.scenes.moment import Moment
from annotation.qa.scenes.motion import legs, motion, step_of
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import (
    MarkRule,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    colour_options,
    colours_drawn,
    one_per_view,
    option_colours,
    same_colours,
    sentence,
)
from annotation.qa.subtasks.making import TASKS, begun, blank, finish, mark_of, references, some_points
from data.store import Store


def question(item: Item) -> str:
    task = sentence(item.slots.get("task", "")).rstrip(".")
    return f"{task}: which colour track most likely completes the task?"


def options(item: Item) -> Proposal:
    """One option per colour drawn."""
    return colour_options(item, [colour.capitalize() for colour in colours_drawn(item.marks)])


def check(item: Item) -> list[Problem]:
    colours, unclear = option_colours(item)
    problems = unclear + one_per_view(item.marks, "tracks") + same_colours(item, colours, STANDARD)
    missing = [colour for colour in STANDARD if colour not in colours_drawn(item.marks)]
    if missing:
        problems.append(Problem("marks", f"Five tracks are needed, one of each colour; missing: {', '.join(missing)}.", len(missing)))
    seen: dict[tuple[str, tuple[tuple[float, float], ...]], Mark] = {}
    for mark in item.marks:
        same = seen.setdefault((mark.view, mark.points), mark)
        if same is not mark:
            problems.append(Problem(f"marks.{mark.id}", f"The {mark.colour} and the {same.colour} track in {mark.view} are the same line."))
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    views = rng.sample(scenery.views, rng.randint(1, 2))
    item = blank(scenery, "trajectory", views[0].view, {"task": rng.choice(TASKS)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(
        Mark(id=f"m{k}{n}", view=view.view, kind="track", colour=colour, points=some_points(rng, view, rng.randint(3, 6)))
        for k, colour in enumerate(colours)
        for n, view in enumerate(views)
    )
    item = finish(item, rng, [c.capitalize() for c in colours], ["misses", "collision", "wrong_end", "by_hand"], marks=marks)
    return item.change(question=question(item))


def slots_from(store: Store, moment: Moment, rng: random.Random) -> dict[str, str]:
    return {"task": moment.task} if moment.task.strip() else {}


# generated from poses


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
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
    task = step_of(sight, moving)
    if len(tracks) < 5 or not task:
        return None
    item = begun(sight, SUBTASK, rng, view).change(slots={"task": task})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(mark_of(n, view, "track", colour, track) for n, (colour, track) in enumerate(zip(colours, tracks, strict=True)))
    item = finish(item, rng, [colour.capitalize() for colour in colours], kinds, marks=marks)
    return item.change(question=question(item))


def _thinned(pixels: Array, tolerance_px: float = 4.0) -> Array:
    """A track with its turning points only, (k, 2)."""
    return legs(np.c_[pixels, np.zeros(len(pixels))], tolerance_px)[:, :2]


def _led(track: Array, end: Array) -> Array:
    """The track, bent so that it ends elsewhere: turned and stretched about its start."""
    was, want = complex(*(track[-1] - track[0])), complex(*(end - track[0]))
    ratio = want / was
    moved = (track - track[0]) @ np.array([1, 1j]) * ratio
    return np.asarray(np.c_[moved.real, moved.imag] + track[0], float)


SUBTASK = Subtask(
    slug="trajectory",
    name="Trajectory Selection",
    asked="which drawn track completes the task",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(("track",), STANDARD, "any"),
    option_kind="colour",
    slots=(Slot("task", "What the robot is to do"),),
    distractors={
        "misses": "Passes beside the object.",
        "collision": "Leads through something, as at least one view shows.",
        "wrong_end": "Ends at the wrong place.",
        "by_hand": "Another wrong track.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    slots_from=slots_from,
    make=make,
    advice="One track alone may be feasible in all views together.",
)
