"""Do right answers agree with the world? Distance Judgement and 3D Spatial Consistency, held to the true poses where a source has them.

A box stands for the object whose projection it overlaps best. A grasping distance is that from the gripper's grasp point to the object's
centre. Orders along x, y and z are those of the objects' centres in the camera-bound frame of the reference view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np

from annotation.qa import cubes as grid
from annotation.qa import geometry
from annotation.qa.assist import Scene, grid_for, known_objects, scene_of
from annotation.qa.colours import named
from annotation.qa.errors import Problem
from annotation.qa.geometry import Array
from annotation.qa.items import Item, Mark
from annotation.qa.subtasks.base import is_none
from annotation.qa.subtasks.distance import gripper
from data.robot.records import Body
from data.store import Store

LEAST_OVERLAP = 0.3
"""A box that overlaps no object's projection more than this (shared by joint area) stands for none."""
RIVAL = 0.75
"""Another object that a box overlaps at least this share as well as the best one makes it ambiguous."""
CLOSE_M = 0.02
"""Distances that differ by less than this cannot be told apart."""
LEVEL_M = 0.015
"""Objects closer than this along an axis are level along it."""

Status = Literal["agrees", "contradicts", "unclear", "unknown"]


@dataclass(frozen=True)
class Finding:
    """What the poses say of an item."""

    status: Status
    """``unclear``: a box is ambiguous, or two distances too close to tell; ``unknown``: no truth here, or another subtask."""
    problems: list[Problem] = field(default_factory=list)


UNKNOWN = Finding("unknown")


def check_truth(store: Store, item: Item) -> list[Problem]:
    """What in an item contradicts the poses, or cannot be told from them; empty where all agrees or nothing is known."""
    return examine(store, item).problems


def examine(store: Store, item: Item) -> Finding:
    """Hold an item to the poses of its moment."""
    if item.subtask not in ("distance", "consistency", "matching"):
        return UNKNOWN
    scene = scene_of(store, item)
    return UNKNOWN if scene is None else against(scene, item)


def against(scene: Scene, item: Item) -> Finding:
    """As `examine`, with the scene at hand."""
    if scene.truth is None or item.reference_view not in scene.cameras or not known_objects(scene.truth):
        return UNKNOWN
    if item.subtask == "distance":
        return _distance(scene, item)
    if item.subtask == "consistency":
        return _consistency(scene, item)
    return _matching(scene, item) if item.subtask == "matching" else UNKNOWN


# which object is in a box?


def identify(scene: Scene, mark: Mark) -> tuple[Body | None, Problem | None]:
    """The object that a box stands for, or what hinders."""
    what = f"The {mark.colour} box in {mark.view}"
    camera = scene.cameras.get(mark.view)
    if camera is None or len(mark.points) != 2:
        return None, Problem(f"marks.{mark.id}", f"{what} cannot be held to the poses: the view is not calibrated, or the box half drawn.")
    drawn = (mark.points[0], mark.points[1])
    scored: list[tuple[float, Body]] = []
    for body in known_objects(scene.truth):
        box = geometry.bounds(camera, body.size, body.pose)
        scored.append((geometry.overlap(drawn, box) if box is not None else 0.0, body))
    scored.sort(key=lambda entry: -entry[0])
    if not scored or scored[0][0] < LEAST_OVERLAP:
        return None, Problem(f"marks.{mark.id}", f"{what} is on no known object: the poses cannot say what is in it.")
    best, thing = scored[0]
    if len(scored) > 1 and scored[1][0] >= RIVAL * best:
        rival = scored[1][1]
        words = f"{what} may be the {thing.name} or the {rival.name}: draw it closer around one of them."
        return None, Problem(f"marks.{mark.id}", words)
    return thing, None


def _boxed(scene: Scene, marks: Sequence[Mark]) -> tuple[dict[str, Any], list[Problem]]:
    """Colour → object, and the boxes for which that cannot be told."""
    found: dict[str, Any] = {}
    problems = []
    for mark in marks:
        thing, problem = identify(scene, mark)
        if problem is not None:
            problems.append(problem)
        else:
            found[mark.colour] = thing
    return found, problems


# distance


def reaches(scene: Scene, item: Item, things: Mapping[str, Any]) -> dict[str, float]:
    """Letter → grasping distance in metres, where the option's box and gripper are known."""
    assert scene.truth is not None
    hands = scene.truth.grippers
    found = {}
    for letter, text in item.options.items():
        colours = named(text)
        hand = hands.get(gripper(text) or "") if item.arm == "dual" else next(iter(hands.values()), None)
        if len(set(colours)) == 1 and colours[0] in things and hand is not None:
            found[str(letter)] = reach(hand, things[colours[0]])
    return found


def reach(hand: Any, thing: Any) -> float:
    """Metres from a gripper's grasp point to an object's centre."""
    return float(np.linalg.norm(np.subtract(hand.pose[:3], thing.pose[:3])))


def _distance(scene: Scene, item: Item) -> Finding:
    things, problems = _boxed(scene, item.marks)
    far = reaches(scene, item, things)
    extreme = item.slots.get("extreme", "")
    if item.gold is None or extreme not in ("shortest", "longest"):
        return Finding("unclear", [*problems, Problem("gold", "The right option or the wanted extreme is not chosen yet.")])
    if item.gold not in far:
        return Finding("unclear", [*problems, Problem("gold", f"The distance of option {item.gold} cannot be told from the poses.")])
    sign = 1 if extreme == "shortest" else -1
    rivals = {letter: value for letter, value in far.items() if letter != item.gold}
    if not rivals:
        return Finding("unclear", problems or [Problem("options", "Only one option can be held to the poses.")])
    rival = min(rivals, key=lambda letter: sign * rivals[letter])
    lead = sign * (rivals[rival] - far[item.gold])
    figures = f"{item.gold} {far[item.gold]:.2f} m, {rival} {rivals[rival]:.2f} m"
    if lead < -CLOSE_M:
        words = f"The poses say that {rival} has the {extreme} grasping distance, not {item.gold} ({figures})."
        return Finding("contradicts", [*problems, Problem("gold", words)])
    if lead < CLOSE_M:
        words = f"{item.gold} and {rival} are too close to tell ({figures}): the {extreme} distance must stand out."
        return Finding("unclear", [*problems, Problem("gold", words)])
    return Finding("unclear" if problems or len(far) < len(item.options) else "agrees", problems)


# consistency


@dataclass(frozen=True)
class Disorder:
    """Two boxes that the cells order otherwise than the world."""

    axis: str
    one: str
    other: str
    sentence: str


def disorders(cells: grid.Cells, places: Mapping[str, Array], cell_m: Array) -> list[Disorder]:
    """Where cells contradict true places.

    Args:
        cells: colour → cell.
        places: colour → (3,) metres in the camera-bound frame.
        cell_m: (3,) size of a grid cell; objects farther apart than this are not level.

    Returns:
        One entry per pair and axis that is ordered the other way, level though apart by more than a cell, or two cells apart though level.
    """
    found = []
    for one, other in combinations(sorted(set(cells) & set(places)), 2):
        for k, axis in enumerate(grid.AXES):
            stated, true = cells[other][k] - cells[one][k], float(places[other][k] - places[one][k])
            wrong = (
                (stated > 0 and true < -LEVEL_M)
                or (stated < 0 and true > LEVEL_M)
                or (stated == 0 and abs(true) > cell_m[k] + LEVEL_M)
                or (abs(stated) > 1 and abs(true) < LEVEL_M)
            )
            if wrong:
                found.append(Disorder(axis, one, other, _order(axis, one, other, true, stated)))
    return found


def _order(axis: str, one: str, other: str, true: float, stated: int) -> str:
    words = "level with" if abs(true) < LEVEL_M else f"{abs(true):.2f} m {'before' if true > 0 else 'after'}"
    said = "level" if stated == 0 else "before" if stated > 0 else "after"
    return f"Along {axis} the {one} box is {words} the {other} box in the world, the cubes say {said}."


def places_of(scene: Scene, view: str, things: Mapping[str, Any]) -> tuple[dict[str, Array], Array] | None:
    """Colour → place in the camera-bound frame of a view (metres), and the size of a cell of its grid."""
    around = grid_for(scene, view)
    if around is None:
        return None
    return {colour: around.axes @ np.asarray(thing.pose[:3], float) for colour, thing in things.items()}, around.cell


def _consistency(scene: Scene, item: Item) -> Finding:
    things, problems = _boxed(scene, [m for m in item.marks if m.view == item.reference_view])
    known = places_of(scene, item.reference_view, things)
    if known is None:
        return UNKNOWN
    places, cell_m = known
    wrong = [Problem("cubes", one.sentence) for one in disorders(grid.cells(item.cubes), places, cell_m)]
    if item.gold is not None:
        stated = grid.read(item.options.get(item.gold, "")) or {}
        for one in disorders(stated, places, cell_m)[:1]:
            sentence = one.sentence.replace("the cubes say", f"option {item.gold} says")
            wrong.append(Problem("gold", f"Option {item.gold} is marked as right, but: {sentence}"))
    if wrong:
        return Finding("contradicts", [*problems, *wrong])
    also = [
        letter
        for letter, text in item.options.items()
        if letter != item.gold and (cells := grid.read(text)) is not None and not disorders(cells, places, cell_m)
    ]
    if also and not problems:
        words = f"Option {', '.join(also)} agrees with the poses too: change it so that an order breaks by more than can be doubted."
        return Finding("contradicts", [Problem(f"options.{also[0]}", words)])
    return Finding("unclear" if problems or item.gold is None or len(item.cubes) < 2 else "agrees", problems)


# matching


def _matching(scene: Scene, item: Item) -> Finding:
    red = [m for m in item.marks if m.colour == "red" and m.view == item.reference_view]
    if len(red) != 1 or item.gold is None:
        return Finding("unclear", [Problem("marks", "The red box or the right option is missing.")])
    sought, problem = identify(scene, red[0])
    if sought is None:
        return Finding("unclear", [problem] if problem else [])
    gold = item.options.get(item.gold, "")
    wanted = None if is_none(gold) else (named(gold) or [""])[0]
    problems, wrong = [], []
    for mark in item.marks:
        if mark.colour == "red" or mark.view not in scene.cameras:
            continue
        thing, problem = identify(scene, mark)
        if thing is None:
            problems += [problem] if problem is not None else []
        elif thing is sought and mark.colour != wanted:
            wrong.append(Problem(f"marks.{mark.id}", f"The {mark.colour} box in {mark.view} is on the {sought.name} of the red box too."))
        elif thing is not sought and mark.colour == wanted:
            wrong.append(Problem("gold", f"The {mark.colour} box in {mark.view} is on the {thing.name}, the red one on the {sought.name}."))
    status: Status = "contradicts" if wrong else "unclear" if problems else "agrees"
    return Finding(status, [*problems, *wrong])
