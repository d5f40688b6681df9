"""3D Spatial Consistency: which set of grid triplets describes the five boxed objects?"""

from __future__ import annotations

import random

from annotation.qa import cubes as grid
from annotation.qa.subtasks.base import (
    FRAME_TEXT,
    LETTERS,
    STANDARD,
    VIEWS,
    Cube,
    Distractor,
    Item,
    Mark,
    MarkRule,
    Problem,
    Proposal,
    Scenery,
    Subtask,
    blank,
    colours_drawn,
    finish,
    one_per_view,
    some_box,
    view_word,
)


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


def check(item: Item) -> list[Problem]:
    problems = []
    for mark in item.marks:
        if mark.view != item.reference_view:
            problems.append(Problem(f"marks.{mark.id}", f"The {mark.colour} box belongs in the reference view, {item.reference_view}."))
    problems += one_per_view(item.marks, "boxes")
    drawn = colours_drawn(item.marks)
    missing = [colour for colour in STANDARD if colour not in drawn]
    if missing:
        problems.append(Problem("marks", f"Five boxes are needed, one of each colour; missing: {', '.join(missing)}."))
    placed = [cube.colour for cube in item.cubes]
    truth = grid.cells(item.cubes)
    if sorted(placed) != sorted(STANDARD):
        problems.append(Problem("cubes", "Place one cube of each colour in the grid: " + ", ".join(STANDARD) + "."))
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
            problems.append(Problem(f"options.{letter}", f"Option {letter} must place each of the five boxes once."))
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
    frame=True,
    uses_cubes=True,
    advice="Every distractor should break the order along an axis that can be seen.",
    single_view=True,
)
