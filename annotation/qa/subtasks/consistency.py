"""3D Spatial Consistency: which set of grid triplets describes the five boxed objects?"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from annotation.qa.errors import Problem, QaError
from annotation.qa.items import LETTERS, VIEWS, Cube, Distractor, Item, Mark
from annotation.qa.parts import cubes as grid
from annotation.qa.parts.colours import STANDARD
from annotation.qa.scenes.findings import UNKNOWN, Finding, boxed
from annotation.qa.scenes.geometry import Array
from annotation.qa.scenes.scene import Scene, grid_for
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import FRAME_TEXT, MarkRule, Proposal, Scenery, Subtask, colours_drawn, one_per_view, view_word
from annotation.qa.subtasks.making import begun, blank, finish, mark_of, references, some_box, word
from data.robot.records import Body

LEVEL_M = 0.015
"""Objects closer than this along an axis are level along it."""
DRAWS = 12
"""Attempts to find four sets of which each contradicts the poses."""


def question(item: Item) -> str:
    return (
        f"The workspace is divided into a 5×5×5 grid whose x, y and z run from 1 to 5, in the frame of {view_word(item)}. Which set of "
        f"triplets describes the boxed objects? {FRAME_TEXT}"
    )


def options(item: Item) -> Proposal:
    """`candidates`, as they come first."""
    return candidates(item)


def candidates(item: Item, draw: int = 0) -> Proposal:
    """The true set and four that break an order, under drawn letters: reviewers meet them before any balancing.

    Drawn from the item's id and cubes, so that asking again gives the same; another `draw` gives others. Empty with fewer than two cubes.
    """
    truth = grid.cells(item.cubes)
    if len(truth) < 2:
        return Proposal({}, None)
    rng = random.Random(f"{item.item_id} {grid.write(truth)}" + (f" {draw}" if draw else ""))
    made = grid.perturb(truth, rng)
    letters = list(LETTERS)
    rng.shuffle(letters)
    sets = dict(zip(letters, [grid.write(truth), *(grid.write(cells) for cells, _ in made)], strict=True))
    hard = [letter for letter, (_, close) in zip(letters[1:], made, strict=True) if close][:2]
    return Proposal(
        {letter: sets[letter] for letter in LETTERS},
        letters[0],
        tuple(sorted(hard)),
        {letter: Distractor(kind="perturbed") for letter in LETTERS if letter != letters[0]},
    )


def redraw(item: Item, draw: int) -> Proposal:
    """`candidates` by another draw.

    Raises:
        QaError: there are no cubes to make them from.
    """
    made = candidates(item, draw)
    if not made.options:
        raise QaError("Place the cubes first: candidate sets are made from where they are.")
    return made


def check(item: Item) -> list[Problem]:
    problems = []
    for mark in item.marks:
        if mark.view != item.reference_view:
            problems.append(Problem(f"marks.{mark.id}", f"The {mark.colour} box belongs in the reference view, {item.reference_view}."))
    problems += one_per_view(item.marks, "boxes")
    drawn = colours_drawn(item.marks)
    missing = [colour for colour in STANDARD if colour not in drawn]
    if missing:
        problems.append(Problem("marks", f"Five boxes are needed, one of each colour; missing: {', '.join(missing)}.", len(missing)))
    placed = [cube.colour for cube in item.cubes]
    truth = grid.cells(item.cubes)
    if sorted(placed) != sorted(STANDARD):
        lacking = len(set(STANDARD) - set(placed)) or 1
        problems.append(Problem("cubes", "Place one cube of each colour in the grid: " + ", ".join(STANDARD) + ".", lacking))
    if len(set(truth.values())) < len(truth):
        problems.append(Problem("cubes", "Two cubes are in the same cell: each needs its own."))
    for letter, text in item.options.items():
        if not text.strip() or (item.derived is not None and letter == item.gold):
            continue
        stated = grid.read(text)
        if stated is None:
            problems.append(
                Problem(f"options.{letter}", f"Option {letter} is no set of triplets: write (Red box, x, y, z), …, numbers 1 to 5.")
            )
        elif set(stated) != set(STANDARD):
            whole = set(truth) == set(STANDARD)  # until then the options follow the cubes
            problems.append(Problem(f"options.{letter}", f"Option {letter} must place each of the five boxes once.", int(whole)))
        elif letter == item.gold and truth and stated != truth:
            problems.append(Problem("gold", f"Option {letter} is marked as right, but it is not where the cubes are."))
        elif letter != item.gold and truth and set(truth) == set(STANDARD) and not grid.broken_axes(truth, stated):
            problems.append(
                Problem(f"options.{letter}", f"Option {letter} orders the boxes along x, y and z as the right one does: it is right too.")
            )
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    reference = "head" if scenery.arm == "dual" else rng.choice(VIEWS["single"])
    item = blank(scenery, "consistency", reference)
    view = next(v for v in scenery.views if v.view == reference)
    marks = tuple(Mark(id=f"m{k}", view=reference, kind="box", colour=c, points=some_box(rng, view)) for k, c in enumerate(STANDARD))
    every = [(x, y, z) for x in range(1, 6) for y in range(1, 6) for z in range(1, 6)]
    placed = tuple(Cube(colour=c, label="", cell=cell) for c, cell in zip(STANDARD, rng.sample(every, 5), strict=True))
    truth = grid.cells(placed)
    texts = [grid.write(truth), *(grid.write(cells) for cells, _ in grid.perturb(truth, rng))]
    item = finish(item, rng, texts, ["perturbed"] * 4, marks=marks, cubes=placed)
    return item.change(question=question(item))


# generated from poses


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Where five boxed objects are in the grid."""
    scene = sight.scene
    for view in references(sight, rng):
        things = sight.seen(view)
        if len(things) < 5:
            continue
        chosen = dict(zip(rng.sample(STANDARD, 5), rng.sample(things, 5), strict=True))
        known = places_of(scene, view, {colour: one.thing for colour, one in chosen.items()})
        cells = _cells(scene, view, {colour: one.thing for colour, one in chosen.items()})
        if known is None or cells is None:
            continue
        item = begun(sight, SUBTASK, rng, view)
        made = _told_apart(cells, known, rng)
        if made is None:
            continue
        marks = tuple(mark_of(n, view, "box", colour, chosen[colour].box) for n, colour in enumerate(STANDARD))
        cubes = tuple(Cube(colour=colour, label=word(chosen[colour].thing), cell=cells[colour]) for colour in STANDARD)
        texts = [grid.write({c: cells[c] for c in STANDARD}), *(grid.write({c: s[c] for c in STANDARD}) for s, _ in made)]
        item = finish(item, rng, texts, ["perturbed"] * 4, marks=marks, cubes=cubes)
        near = sum(hard for _, hard in made)
        letters = [letter for text in texts[1:] for letter in LETTERS if item.options[letter] == text]
        return item.change(hard=tuple(sorted(letters[: max(1, min(2, near))])))
    return None


def _cells(scene: Scene, view: str, things: dict[str, Body]) -> dict[str, tuple[int, int, int]] | None:
    """Cells whose orders are those of the places: neighbours that are nearly level are put on one level. None where that merges what
    lies apart, or two into one cell."""
    known = places_of(scene, view, things)
    if known is None or scene.truth is None:
        return None
    places_m, cell_m = known
    around = grid_for(scene, view)
    assert around is not None
    coordinates = {colour: around.coordinates([thing.pose[:3]])[0] for colour, thing in things.items()}
    cells = {colour: [0, 0, 0] for colour in things}
    for k in range(3):
        order = sorted(things, key=lambda c: coordinates[c][k])
        value = int(np.clip(np.floor(coordinates[order[0]][k]) + 1, 1, grid.GRID))
        cells[order[0]][k] = value
        for before, colour in pairwise(order):
            stated = int(np.clip(np.floor(coordinates[colour][k]) + 1, 1, grid.GRID))
            apart = places_m[colour][k] - places_m[before][k]
            value = value if apart < 2 * LEVEL_M else max(value, stated)
            cells[colour][k] = value
    found = {colour: (c[0], c[1], c[2]) for colour, c in cells.items()}
    return found if len(set(found.values())) == len(found) and not disorders(found, places_m, cell_m) else None


def _told_apart(
    cells: dict[str, tuple[int, int, int]], known: tuple[dict[str, Array], Array], rng: random.Random
) -> list[tuple[dict[str, tuple[int, int, int]], bool]] | None:
    """Four wrong sets, each of which contradicts the places beyond doubt."""
    for _ in range(DRAWS):
        made = grid.perturb(cells, rng)
        if all(disorders(other, *known) for other, _ in made):
            return made
    return None


# held to poses


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


def places_of(scene: Scene, view: str, things: Mapping[str, Body]) -> tuple[dict[str, Array], Array] | None:
    """Colour → place in the camera-bound frame of a view (metres), and the size of a cell of its grid."""
    around = grid_for(scene, view)
    if around is None:
        return None
    return {colour: around.axes @ np.asarray(thing.pose[:3], float) for colour, thing in things.items()}, around.cell


def truth(scene: Scene, item: Item) -> Finding:
    """Whether cubes and the right set keep the orders of the poses, and no other set does."""
    things, problems = boxed(scene, [m for m in item.marks if m.view == item.reference_view])
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


SUBTASK = Subtask(
    slug="consistency",
    name="3D Spatial Consistency",
    asked="where five objects are along right, forward and up",
    domain="spatial",
    arms=("dual", "single"),
    marks=MarkRule(("box",), STANDARD, "reference"),
    option_kind="triplets",
    slots=(),
    distractors={"perturbed": "Coordinates exchanged or moved so that an order breaks.", "by_hand": "Written by hand."},
    question=question,
    options=options,
    check=check,
    sample=sample,
    redraw=redraw,
    make=make,
    per_moment=2,
    truth=truth,
    frame=True,
    uses_cubes=True,
    advice="Every distractor should break the order along an axis that can be seen.",
    single_view=True,
)
