"""Marks drawn into a picture, after the table in `annotation.qa.drawn.marks_style`: the picture that people and models answer.

The shapes of a mark are those of ``app/components/canvas/markshapes.js``, one for one; a test compares the pixels of both. A pixel, or a
part of one, is covered as far as it lies inside a shape: half its side minus the signed distance of its centre from the shape's border.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from annotation.qa.drawn.marks_style import STYLE, unit_px
from annotation.qa.items import Mark, Point

CLOSER = 2
"""Parts of a pixel along each axis where a border passes through it; more do not come nearer to the browser's smoothing (measured)."""
SQUARE = 8
"""Side of the squares of pixels that are settled together."""

TOUCHING = 0.01
"""Names that cover less of each other than this, in square units, only touch."""

Field = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """One thing that is painted, in continuous pixels of the image."""

    kind: Literal["line", "polygon", "disc", "plate"]
    """``line``: an open polyline with round ends and joins; ``plate``: the rectangle between two points, with round corners."""
    points: tuple[Point, ...]
    colour: str
    """sRGB, ``#rrggbb``."""
    alpha: float = 1.0
    size: float = 0.0
    """Half the width of a line, the radius of a disc, the corner radius of a plate."""
    stroke: float | None = None
    """Paint the border of this width instead of the inside."""


def draw(image: Image.Image, marks: Iterable[Mark]) -> Image.Image:
    """A copy of the image with the marks and their colours' names drawn on it, at its own size. Marks that are half drawn are left out."""
    pixels = np.array(image.convert("RGB"))
    whole = [mark for mark in marks if len(mark.points) >= 2]
    for mark, corner in zip(whole, name_corners(whole, image.width, image.height), strict=True):
        for shape in shapes(mark, image.width, image.height, corner):
            paint(pixels, shape)
    return Image.fromarray(pixels)


def shapes(mark: Mark, width: int, height: int, corner: Point | None = None) -> Iterator[Shape]:
    """What is painted of a mark, first things first: its lines, its signs, its name.

    Args:
        mark: whole.
        width: of the image, pixels.
        height: of the image, pixels.
        corner: top left corner of the name's field (`name_corners`); None: where it is with no other mark near.
    """
    unit, colour = unit_px(width, height), STYLE.colours[mark.colour]
    for ink, alpha, wide in ((STYLE.edge_colour, STYLE.edge_alpha, STYLE.edge_width), (colour, 1.0, STYLE.line_width)):
        if mark.kind == "box":
            yield Shape("plate", mark.points, ink, alpha, stroke=wide * unit)
        else:
            yield Shape("line", _under_the_head(mark, unit), ink, alpha, size=wide * unit / 2)
    if mark.kind == "grasp":
        for point in mark.points:
            yield from _outlined("disc", (point,), colour, unit, STYLE.finger_radius * unit)
    elif mark.kind == "track":
        yield from _outlined("disc", mark.points[:1], STYLE.start_colour, unit, STYLE.start_radius * unit)
        for point in mark.points[1:-1]:
            yield Shape("disc", (point,), colour, size=STYLE.way_radius * unit)
        yield from _outlined("polygon", _head(mark.points, unit), colour, unit)
    yield from _name(mark, corner or _corners(mark, width, height, unit)[0], unit)


def _outlined(
    kind: Literal["disc", "polygon", "plate"], points: tuple[Point, ...], colour: str, unit: float, size: float = 0.0
) -> list[Shape]:
    return [
        Shape(kind, points, colour, size=size),
        Shape(kind, points, STYLE.edge_colour, STYLE.outline_alpha, size, STYLE.outline_width * unit),
    ]


def _end(points: Sequence[Point]) -> tuple[float, float, float]:
    """The direction in which a polyline ends, as a unit vector, and the length of its last piece that has one."""
    (bx, by) = points[-1]
    ax, ay = next((point for point in reversed(points) if point != points[-1]), (bx - 1.0, by))
    long = float(np.hypot(bx - ax, by - ay))
    return (bx - ax) / long, (by - ay) / long, long


def _under_the_head(mark: Mark, unit: float) -> tuple[Point, ...]:
    """The line of a track ends under its head, so that the tip is the last point."""
    if mark.kind != "track":
        return mark.points
    ux, uy, long = _end(mark.points)
    back = min(long, STYLE.arrow_under * unit)
    x, y = mark.points[-1]
    return (*mark.points[:-1], (x - ux * back, y - uy * back))


def _head(points: Sequence[Point], unit: float) -> tuple[Point, ...]:
    (ux, uy, _), (x, y) = _end(points), points[-1]
    long, half = STYLE.arrow_length * unit, STYLE.arrow_half * unit
    bx, by = x - ux * long, y - uy * long
    return (x, y), (bx - uy * half, by + ux * half), (bx + uy * half, by - ux * half)


def name_corners(marks: Sequence[Mark], width: int, height: int) -> list[Point]:
    """Where the field of each mark's name has its top left corner: at the first of its places that no earlier name covers, or where it is
    covered least."""
    unit = unit_px(width, height)
    taken: list[tuple[float, float, float, float]] = []
    corners = []
    for mark in marks:
        wide, high = _field(mark, unit)
        best, least = None, np.inf
        for left, top in _corners(mark, width, height, unit):
            covered = sum(
                max(0.0, min(left + wide, x1) - max(left, x0)) * max(0.0, min(top + high, y1) - max(top, y0)) for x0, y0, x1, y1 in taken
            )
            if covered < least - TOUCHING * unit * unit:
                best, least = (left, top), covered
            if least < TOUCHING * unit * unit:
                break
        assert best is not None
        corners.append(best)
        taken.append((*best, best[0] + wide, best[1] + high))
    return corners


def _field(mark: Mark, unit: float) -> tuple[float, float]:
    """Width and height of a name's field."""
    long = sum(STYLE.glyphs[letter].advance for letter in mark.colour) - STYLE.letter_gap
    return (long + 2 * STYLE.tag_pad) * unit, STYLE.tag_height * unit


def _corners(mark: Mark, width: int, height: int, unit: float) -> list[Point]:
    """Where a name's field may be, the best first: above the mark (below its highest point where there is no room), at its other corners
    or ends, beside it. Only the first may be what the image has no room for."""
    wide, high = _field(mark, unit)
    (x0, y0), (x1, y1) = mark.points[0], mark.points[-1]
    if mark.kind == "box":
        lift, out = STYLE.tag_lift_box * unit, STYLE.tag_out * unit
        above, below = y0 - high - lift, y1 + lift
        places = [
            (x0 - out, y0 + lift if above < 0 else above), (x1 - wide + out, above), (x0 - out, below), (x1 - wide + out, below),
            (x0 - wide - lift, y0), (x1 + lift, y0), (x0 - wide - lift, y1 - high), (x1 + lift, y1 - high),
        ]  # fmt: skip
    else:
        lift, out = STYLE.tag_lift_line * unit, wide / 2
        (x, y), (low_x, low_y) = min(mark.points, key=lambda point: point[1]), max(mark.points, key=lambda point: point[1])
        above = y - high - lift
        places = [
            (x - out, y + lift if above < 0 else above), (x1 - out, y1 - high - lift), (x0 - out, y0 - high - lift),
            (low_x - out, low_y + lift),
            (x1 + lift, y1 - high / 2), (x1 - wide - lift, y1 - high / 2), (x0 + lift, y0 - high / 2), (x0 - wide - lift, y0 - high / 2),
        ]  # fmt: skip
    most = max(0.0, width - wide)
    inside = [(min(max(left, 0.0), most), top) for left, top in places]
    return [inside[0], *(place for place in inside[1:] if 0 <= place[1] <= height - high)]


def _name(mark: Mark, corner: Point, unit: float) -> Iterator[Shape]:
    """The colour's name on a field of the colour."""
    (left, top), (wide, high) = corner, _field(mark, unit)
    field = ((left, top), (left + wide, top + high))
    yield from _outlined("plate", field, STYLE.colours[mark.colour], unit, STYLE.tag_corner * unit)
    x, y = left + STYLE.tag_pad * unit, top + STYLE.tag_line * unit
    for letter in mark.colour:
        for stroke in STYLE.glyphs[letter].strokes:
            points = tuple((x + gx * unit, y - gy * unit) for gx, gy in stroke)
            yield Shape("line", points, STYLE.letters[mark.colour], size=STYLE.letter_width * unit / 2)
        x += STYLE.glyphs[letter].advance * unit


def paint(pixels: npt.NDArray[np.uint8], shape: Shape) -> None:
    """Paint a shape over an image, in place.

    Args:
        pixels: shape (H, W, 3), uint8.
        shape: what to paint.
    """
    corners = np.array(shape.points)
    reach = shape.size + (shape.stroke or 0.0) / 2 + 1.0
    low = np.maximum(np.floor(corners.min(axis=0) - reach).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0) + reach).astype(int), (pixels.shape[1], pixels.shape[0]))
    if (low >= high).any():
        return
    cover = (_cover(shape, low, high) * shape.alpha)[..., None]
    ink = np.array([int(shape.colour[k : k + 2], 16) for k in (1, 3, 5)], float)
    part = pixels[low[1] : high[1], low[0] : high[0]]
    part[...] = np.rint(part * (1.0 - cover) + ink * cover).astype(np.uint8)


def _cover(shape: Shape, low: npt.NDArray[np.int_], high: npt.NDArray[np.int_]) -> Field:
    """How far a shape covers the pixels from `low` to before `high`, 0 to 1.

    A distance changes by no more than one goes, so squares of pixels that the border does not come near are settled by their middles; where
    it passes through a pixel, that is looked at in parts.
    """
    width, height = high - low
    x, y = np.meshgrid(low[0] + np.arange(0, width, SQUARE) + SQUARE / 2, low[1] + np.arange(0, height, SQUARE) + SQUARE / 2)
    away = distance(shape, x, y)

    def pixels(of: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return of.repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)[:height, :width]

    cover = pixels((away < 0).astype(float)).copy()
    rows, columns = np.nonzero(pixels(np.abs(away) < SQUARE * 0.71 + 1.0))
    x, y = columns + low[0] + 0.5, rows + low[1] + 0.5
    away = distance(shape, x, y)
    cover[rows, columns] = away < 0
    border = np.abs(away) < 0.75
    fine = (np.arange(CLOSER) + 0.5) / CLOSER - 0.5
    dx, dy = (part.ravel() for part in np.meshgrid(fine, fine))
    parts = distance(shape, x[border][:, None] + dx, y[border][:, None] + dy)
    cover[rows[border], columns[border]] = np.clip(0.5 - parts * CLOSER, 0.0, 1.0).mean(axis=1)
    return cover


def distance(shape: Shape, x: Field, y: Field) -> Field:
    """Signed distance of points from what is painted of a shape, pixels; negative inside."""
    if shape.kind == "line":
        return _to_line(shape.points, x, y) - shape.size
    if shape.kind == "disc":
        ((cx, cy),) = shape.points
        inside = np.hypot(x - cx, y - cy) - shape.size
    elif shape.kind == "plate":
        (x0, y0), (x1, y1) = shape.points
        over = np.abs(x - (x0 + x1) / 2) - (x1 - x0) / 2 + shape.size, np.abs(y - (y0 + y1) / 2) - (y1 - y0) / 2 + shape.size
        beyond = np.hypot(np.maximum(over[0], 0.0), np.maximum(over[1], 0.0))
        inside = beyond + np.minimum(np.maximum(*over), 0.0) - shape.size
    else:
        ring = (*shape.points, shape.points[0])
        inside = _to_line(ring, x, y) * np.where(_within(ring, x, y), -1.0, 1.0)
    return inside if shape.stroke is None else np.abs(inside) - shape.stroke / 2


def _to_line(points: Sequence[Point], x: Field, y: Field) -> Field:
    """Distance from a polyline."""
    nearest = np.full(x.shape, np.inf)
    for (ax, ay), (bx, by) in pairwise(points):
        dx, dy = bx - ax, by - ay
        along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy or 1.0), 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(x - ax - along * dx, y - ay - along * dy))
    return nearest


def _within(ring: Sequence[Point], x: Field, y: Field) -> npt.NDArray[np.bool_]:
    """Whether points lie inside a closed polyline."""
    odd = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in pairwise(ring):
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd
