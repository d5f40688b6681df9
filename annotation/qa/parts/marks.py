"""Marks as geometry: what makes one sound, what a flip does to it. Coordinates as in `annotation.qa.items`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from annotation.qa.errors import Problem
from annotation.qa.items import Absence, Mark, Point, ViewImage

Coloured = TypeVar("Coloured", Mark, Absence)

MIN_BOX_PX = 4.0
"""A box narrower or lower than this (pixels of the original) was a slip of the hand."""
MIN_LINE_PX = 4.0
"""The same for the length of a grasp line or a track."""
WORDS: Mapping[str, str] = {"box": "box", "track": "track", "grasp": "grasp line"}
"""Kind → what people call it."""


def length(points: Sequence[Point]) -> float:
    """Length of a polyline, pixels."""
    return float(sum(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5 for (ax, ay), (bx, by) in pairwise(points)))


def problems(marks: Iterable[Mark], views: Sequence[ViewImage]) -> list[Problem]:
    """What is wrong with marks as drawn things: outside the image, half drawn, twice the same id."""
    sizes = {view.view: view for view in views}
    found: list[Problem] = []
    seen: set[str] = set()
    for mark in marks:
        where, name = f"marks.{mark.id}", f"The {mark.colour} {WORDS[mark.kind]} in {mark.view}"
        if mark.id in seen:
            found.append(Problem(where, f"Two marks have the id {mark.id!r}: give each its own."))
        seen.add(mark.id)
        if (view := sizes.get(mark.view)) is None:
            found.append(Problem(where, f"{name} lies on a view that this item does not have."))
            continue
        if mark.kind != "track" and len(mark.points) != 2:
            found.append(Problem(where, f"{name} is half drawn: it has {_points(mark)}, two are needed. Finish or delete it."))
            continue
        if mark.kind == "track" and len(mark.points) < 2:
            found.append(Problem(where, f"{name} is half drawn: it has {_points(mark)}, two or more are needed. Finish or delete it."))
            continue
        if mark.kind == "box":
            (x0, y0), (x1, y1) = mark.points
            if x1 - x0 < MIN_BOX_PX or y1 - y0 < MIN_BOX_PX:
                found.append(Problem(where, f"{name} is smaller than {MIN_BOX_PX:g} pixels: draw it again from its top left corner."))
        elif length(mark.points) < MIN_LINE_PX:
            found.append(Problem(where, f"{name} is shorter than {MIN_LINE_PX:g} pixels: draw it again."))
        if not all(0 <= x <= view.width and 0 <= y <= view.height for x, y in mark.points):
            found.append(Problem(where, f"{name} leaves the image ({view.width}×{view.height} pixels): move it inside."))
    return found


def _points(mark: Mark) -> str:
    return "no point" if not mark.points else "one point" if len(mark.points) == 1 else f"{len(mark.points)} points"


def flip(mark: Mark, height: int) -> Mark:
    """The mark on the image turned upside down (top and bottom exchanged); a box keeps its first point at the top left."""
    points = tuple((x, height - y) for x, y in mark.points)
    if mark.kind == "box" and len(points) == 2:
        (x0, y0), (x1, y1) = points
        points = ((x0, y1), (x1, y0))
    return mark.model_copy(update={"points": points})


def recoloured(marks: Iterable[Coloured], mapping: Mapping[str, str]) -> tuple[Coloured, ...]:
    """The marks, of whatever sort, with their colours exchanged at once; colours that `mapping` does not name stay."""
    return tuple(mark.model_copy(update={"colour": mapping.get(mark.colour, mark.colour)}) for mark in marks)
