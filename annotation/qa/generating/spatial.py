"""Items of the spatial subtasks from poses."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np

from annotation.qa import cubes as grid
from annotation.qa import geometry
from annotation.qa.assist import Scene, grid_for, known_objects
from annotation.qa.colours import CANDIDATES, STANDARD
from annotation.qa.generating.parts import mark, references, word
from annotation.qa.generating.sight import Seen, Sight
from annotation.qa.geometry import Array
from annotation.qa.items import LETTERS, VIEWS, Cube, Item
from annotation.qa.moments.starting import begin
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import NONE_TEXT, finish
from annotation.qa.subtasks.distance import SIDES
from annotation.qa.subtasks.distance import write as grab
from annotation.qa.truth import CLOSE_M, LEVEL_M, disorders, places_of, reach
from data.robot.records import Body, Gripper

LEAD_M = 2 * CLOSE_M
"""The right distance stands out by this; twice what the check asks."""
DRAWS = 12


def distance(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Which boxed object is nearest to, or farthest from, a gripper."""
    scene, dual = sight.scene, sight.scene.moment.arm == "dual"
    view = references(sight, rng)[0]
    things = sight.seen(view)
    sides = [side for side in SIDES if side in sight.hands] if dual else list(sight.hands)[:1]
    if len(things) * len(sides) < 5:
        return None
    things = rng.sample(things, min(5, len(things)))
    pairs = [(thing, rng.choice(sides)) for thing in things]
    rest = [(thing, side) for thing in things for side in sides if (thing, side) not in pairs]
    pairs += rng.sample(rest, 5 - len(pairs))
    extreme = rng.choice(("shortest", "longest"))
    sign = 1 if extreme == "shortest" else -1
    far = [reach(sight.hands[side], thing.thing) for thing, side in pairs]
    order = sorted(range(5), key=lambda k: sign * far[k])
    if abs(far[order[1]] - far[order[0]]) < LEAD_M:
        return None
    colours = dict(zip([id(thing) for thing in things], rng.sample(STANDARD, len(things)), strict=True))
    flat = [_flat(scene, view, sight.hands[side], thing) for thing, side in pairs]
    looks = min(order[1:], key=lambda k: sign * flat[k])
    kinds = {k: "near_in_image" if k == looks else "middle" if k in order[1:3] else "far" for k in order[1:]}
    gold_thing = pairs[order[0]][0]
    kinds |= {k: "other_gripper" for k in kinds if pairs[k][0] is gold_thing and k != looks}
    # the hard ones are what looks right, and what comes next
    rest_order = [looks, *(k for k in order[1:] if k != looks)]
    item = begin(sight.store, sight.scene.moment, "distance", seed=rng.randrange(2**30), reference=view).change(slots={"extreme": extreme})
    marks = tuple(mark(n, view, "box", colours[id(thing)], thing.box) for n, thing in enumerate(things))
    texts = [grab(colours[id(pairs[k][0])], pairs[k][1] if dual else None) for k in (order[0], *rest_order)]
    item = finish(item, rng, texts, [kinds[k] for k in rest_order], marks=marks)
    return item.change(question=SUBTASKS["distance"].question(item))


def _flat(scene: Scene, view: str, hand: Gripper, one: Seen) -> float:
    """Distance in the image from a gripper to an object, pixels."""
    pixels, _ = geometry.project(scene.cameras[view], [hand.pose[:3]])
    (x0, y0), (x1, y1) = one.box
    return float(np.hypot(pixels[0][0] - (x0 + x1) / 2, pixels[0][1] - (y0 + y1) / 2))


# consistency


def consistency(sight: Sight, rng: random.Random, none: bool) -> Item | None:
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
        item = begin(sight.store, sight.scene.moment, "consistency", seed=rng.randrange(2**30), reference=view)
        made = _told_apart(cells, known, rng)
        if made is None:
            continue
        marks = tuple(mark(n, view, "box", colour, chosen[colour].box) for n, colour in enumerate(STANDARD))
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


# matching


def matching(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The same object in every other view, or none."""
    scene = sight.scene
    dual = scene.moment.arm == "dual"
    for view in references(sight, rng):
        others = [v for v in VIEWS["dual" if dual else "single"] if v != view]
        there = {other: {id(s.thing): s for s in sight.seen(other)} for other in others}
        for sought in rng.sample(here := sight.seen(view), len(here)):
            in_all = all(id(sought.thing) in there[other] for other in others)
            if not (in_all or none):
                continue
            same = {id(t) for t in known_objects(scene.truth) if t.category == sought.thing.category}
            strangers = sorted({key for found in there.values() for key in found} - {id(sought.thing)})
            strangers = sorted(rng.sample(strangers, len(strangers)), key=lambda key: key not in same)
            wanted = 4 if none else 3
            if len(strangers) < wanted:
                continue
            colours = rng.sample(CANDIDATES, 4)
            holders = strangers[:wanted] if none else [id(sought.thing), *strangers[:wanted]]
            marks = [mark(0, view, "box", "red", sought.box)]
            for colour, key in zip(colours, holders, strict=True):
                for other in others:
                    if key in there[other]:
                        marks.append(mark(len(marks), other, "box", colour, there[other][key].box))
            names = [colour.capitalize() for colour in colours]
            texts = [NONE_TEXT, *names] if none else [names[0], *names[1:], NONE_TEXT]
            kinds = ["same_category" if key in same else "close_by" for key in strangers[:wanted]] + ([] if none else ["none"])
            item = begin(sight.store, sight.scene.moment, "matching", seed=rng.randrange(2**30), reference=view)
            item = item.change(slots={"item": word(sought.thing)})
            item = finish(item, rng, texts, kinds, marks=tuple(marks))
            return item.change(question=SUBTASKS["matching"].question(item))
    return None


# viewpoint


def viewpoint(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The gripper images that the data offer."""
    item = begin(sight.store, sight.scene.moment, "viewpoint", seed=rng.randrange(2**30))
    return item.change(unique_confirmed=True) if len(item.option_images) == len(LETTERS) else None
