"""Affordance Recognition: which coloured grasp line is most likely to succeed? Each colour stands exactly once over all views."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from annotation.qa.errors import Problem
from annotation.qa.items import Item, Mark
from annotation.qa.parts.colours import STANDARD
from annotation.qa.scenes import geometry
from annotation.qa.scenes.geometry import Array
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import (
    MarkRule,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    colour_options,
    colours_drawn,
    option_colours,
    same_colours,
)
from annotation.qa.subtasks.making import THINGS, begun, blank, finish, mark_of, references, some_points, word
from data.robot import episodes as robot
from data.robot.records import Body, TruthEvent

LEAST_LINE = 0.018
"""A grasp line is at least so long, as a share of the image's width,"""
APART = 0.014
"""and its ends are on average so far from those of any other line."""


def question(item: Item) -> str:
    thing = item.slots.get("item", "").strip()
    if not thing:
        return "Which colour-coded line is the grasp most likely to succeed?"
    return f"To grasp the {thing}, which colour-coded line is the grasp most likely to succeed?"


def options(item: Item) -> Proposal:
    """One option per colour drawn."""
    return colour_options(item, [colour.capitalize() for colour in colours_drawn(item.marks)])


def check(item: Item) -> list[Problem]:
    colours, unclear = option_colours(item)
    problems = unclear + same_colours(item, colours, STANDARD)
    counts = Counter(mark.colour for mark in item.marks)
    for colour in STANDARD:
        if counts[colour] != 1:
            more = f"; there are {counts[colour]}: keep one of them" if counts[colour] else ""
            problems.append(Problem("marks", f"One {colour} line is needed, in whichever view shows it best{more}."))
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    item = blank(scenery, "affordance", rng.choice(scenery.views).view, {"item": rng.choice(THINGS)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(
        Mark(id=f"m{k}", view=view.view, kind="grasp", colour=colour, points=some_points(rng, view, 2))
        for k, colour in enumerate(colours)
        for view in [rng.choice(scenery.views)]
    )
    item = finish(item, rng, [c.capitalize() for c in colours], ["orientation", "collision", "instability", "orientation"], marks=marks)
    return item.change(question=question(item))


# generated from poses


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
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
    item = begun(sight, SUBTASK, rng, view).change(slots={"item": word(thing)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(mark_of(n, view, "grasp", colour, line) for n, (colour, line) in enumerate(zip(colours, drawn, strict=True)))
    item = finish(item, rng, [colour.capitalize() for colour in colours], [kind for _, _, kind in lines[1:]], marks=marks)
    return item.change(question=question(item))


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


SUBTASK = Subtask(
    slug="affordance",
    name="Affordance Recognition",
    asked="where the fingers should grasp an object",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(("grasp",), STANDARD, "any"),
    option_kind="colour",
    slots=(Slot("item", "What is to be grasped, where several things could be", required=False),),
    distractors={
        "orientation": "The fingers close along the wrong direction.",
        "collision": "The fingers hit something.",
        "instability": "The object would slip or tip.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    make=make,
    advice="The ends of a line are where the fingers close.",
)
