"""What the makers of items share."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from annotation.qa.generating.sight import Sight
from annotation.qa.items import VIEWS, Item, Kind, Mark

Maker = Callable[[Sight, random.Random, bool], Item | None]
"""(sight, the draw, whether no box shall be right) → an item that may still break a rule, or None where the moment does not allow one."""


def mark(number: int, view: str, kind: Kind, colour: str, points: Any) -> Mark:
    """A mark whose points are rounded to hundredths of a pixel."""
    rounded = tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
    return Mark(id=f"m{number}", view=view, kind=kind, colour=colour, points=rounded)  # type: ignore[arg-type]


def references(sight: Sight, rng: random.Random, *, moving: bool = False) -> list[str]:
    """The views that can be the reference, in drawn order; with `moving` also, last, those of cameras on a hand.

    A way drawn in a view that moves along with it would be hard to read.
    """
    if sight.scene.moment.arm == "dual":
        return ["head"]
    views = [view for view in rng.sample(VIEWS["single"], 4) if moving or not sight.moves(view)]
    return sorted(views, key=sight.moves) or ["view1"]


def word(thing: Any) -> str:
    """What an object is called in a question: its category, so that no colour word is in it."""
    return str(thing.category or thing.name).replace("_", " ")
