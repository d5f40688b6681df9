"""Drafts and whole items of a subtask: what those who sample, generate and begin them share."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from annotation.qa.errors import QaError
from annotation.qa.items import LETTERS, VIEWS, Distractor, Item, Kind, Mark, ViewImage
from annotation.qa.parts.colours import Colour
from annotation.qa.scenes.moment import Moment
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import Scenery, Subtask
from data.robot.records import Body
from data.store import Store


def draft(store: Store, moment: Moment, subtask: Subtask, *, seed: int, reference: str | None = None) -> Item:
    """An item as it begins: the moment's views, a reference view, what is known of the slots, the question, and option images where
    options are images.

    Args:
        store: the database.
        moment: complete.
        subtask: its declaration.
        seed: decides what is drawn: a choice that fills a slot, option images.
        reference: the reference view; default: ``head`` or ``view1``.

    Raises:
        QaError: the subtask is not for the moment's arm.
    """
    if moment.arm not in subtask.arms:
        raise QaError(f"{subtask.name} is for {' and '.join(subtask.arms)} arm robots; this moment has a {moment.arm} arm.")
    rng = random.Random(f"{moment.moment_id} {subtask.slug} {seed}")
    scenery = Scenery(moment.source[:200], moment.arm, moment.episode[:200], moment.moment_id, moment.views)
    slots = subtask.slots_from(store, moment, rng) if subtask.slots_from is not None else {}
    item = blank(scenery, subtask.slug, reference or ("head" if moment.arm == "dual" else "view1"), slots)
    if subtask.images is not None:
        item = subtask.images.propose(store, item, moment, rng)
    return item.change(question=subtask.question(item))


def begun(sight: Sight, subtask: Subtask, rng: random.Random, reference: str | None = None) -> Item:
    """`draft` on the moment that is looked at."""
    return draft(sight.store, sight.scene.moment, subtask, seed=rng.randrange(2**30), reference=reference)


def blank(scenery: Scenery, subtask: str, reference_view: str, slots: dict[str, str] | None = None) -> Item:
    """An item with nothing but its views."""
    return Item.read(
        {
            "item_id": "qa-sample",
            "subtask": subtask,
            "arm": scenery.arm,
            "source": scenery.source,
            "episode": scenery.episode,
            "moment": scenery.moment,
            "views": [view.model_dump(mode="json") for view in scenery.views],
            "reference_view": reference_view,
            "slots": slots or {},
        }
    )


def finish(item: Item, rng: random.Random, texts: Sequence[str], kinds: Sequence[str], **fields: object) -> Item:
    """The item with options: the first text is right; letters are drawn; the first one or two distractors are the hard ones.

    Args:
        item: with marks and slots.
        rng: the draw.
        texts: the right option, then the distractors.
        kinds: how each distractor was made.
        **fields: other fields to set.
    """
    letters = list(LETTERS)
    rng.shuffle(letters)
    options = {letter: texts[letters.index(letter)] for letter in LETTERS}
    return item.change(
        **fields,
        options=options,
        gold=letters[0],
        hard=tuple(sorted(letters[1 : rng.randint(2, 3)])),
        provenance={letter: Distractor(kind=kind) for letter, kind in zip(letters[1:], kinds, strict=True)},
        unique_confirmed=True,
    )


def some_box(rng: random.Random, view: ViewImage) -> tuple[tuple[float, float], tuple[float, float]]:
    """A box somewhere in a view."""
    w, h = rng.uniform(0.08, 0.25) * view.width, rng.uniform(0.08, 0.25) * view.height
    x, y = rng.uniform(0, view.width - w), rng.uniform(0, view.height - h)
    return ((round(x, 2), round(y, 2)), (round(x + w, 2), round(y + h, 2)))


def some_points(rng: random.Random, view: ViewImage, count: int) -> tuple[tuple[float, float], ...]:
    """Points of a line somewhere in a view, each at least a tenth of the image from the one before."""
    points: list[tuple[float, float]] = []
    while len(points) < count:
        x, y = round(rng.uniform(1, view.width - 1), 2), round(rng.uniform(1, view.height - 1), 2)
        if not points or abs(x - points[-1][0]) / view.width + abs(y - points[-1][1]) / view.height > 0.1:
            points.append((x, y))
    return tuple(points)


TASKS = ("put the cup on the plate", "move the spoon into the pot", "open the drawer", "pour the water into the bowl", "close the box lid")
"""Task texts of sampled items."""
THINGS = ("cup", "spoon", "bowl", "bottle", "sponge", "pear")
"""Object words of sampled items."""


# for generators


def mark_of(number: int, view: str, kind: Kind, colour: Colour, points: Any) -> Mark:
    """A mark whose points are rounded to hundredths of a pixel."""
    rounded = tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
    return Mark(id=f"m{number}", view=view, kind=kind, colour=colour, points=rounded)


def references(sight: Sight, rng: random.Random, *, moving: bool = False) -> list[str]:
    """The views that can be the reference, in drawn order; with `moving` also, last, those of cameras on a hand.

    A way drawn in a view that moves along with it would be hard to read.
    """
    if sight.scene.moment.arm == "dual":
        return ["head"]
    views = [view for view in rng.sample(VIEWS["single"], 4) if moving or not sight.moves(view)]
    return sorted(views, key=sight.moves) or ["view1"]


def word(thing: Body) -> str:
    """What an object is called in a question: its category, so that no colour word is in it."""
    return str(thing.category or thing.name).replace("_", " ")
