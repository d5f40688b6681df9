"""Marks in the picture that is answered: where they were drawn, in the table's colours, with their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from annotation.qa.drawn.drawing import draw, name_corners, shapes
from annotation.qa.drawn.marks_style import STYLE, unit_px
from annotation.qa.items import Mark
from annotation.qa.parts.colours import COLOURS

WHERE = {
    "box": ((20.0, 60.0), (120.0, 130.0)),
    "track": ((20.0, 60.0), (90.0, 80.0), (150.0, 60.0)),
    "grasp": ((40.0, 60.0), (90.0, 90.0)),
}


def mark(kind: Any, colour: Any = "blue") -> Mark:
    return Mark(id="m", view="v", kind=kind, colour=colour, points=WHERE[kind])


def rgb(colour: Any) -> tuple[int, ...]:
    return tuple(int(STYLE.colours[colour][k : k + 2], 16) for k in (1, 3, 5))


def test_the_table_has_every_colour_and_can_write_its_name() -> None:
    assert tuple(STYLE.colours) == tuple(COLOURS) and set(STYLE.letters) == set(COLOURS)
    assert {letter for name in COLOURS for letter in name} == set(STYLE.glyphs)


@pytest.mark.parametrize("name", COLOURS)
def test_the_name_can_be_read_on_its_colour(name: Any) -> None:
    def light(code: str) -> float:
        parts = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
        r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    one, other = sorted((light(STYLE.colours[name]), light(STYLE.letters[name])))
    assert (other + 0.05) / (one + 0.05) >= 4.5


def test_a_box_lies_where_it_was_drawn_and_the_picture_stays_as_it_was() -> None:
    blank = Image.new("RGB", (200, 150), (128, 128, 128))
    pixels = np.asarray(draw(blank, [mark("box")]))
    line = (pixels == rgb("blue")).all(axis=2)
    # The middle of each line lies on the coordinates: 2.5 pixels wide, so the pixels on both sides are covered whole.
    assert line[90, [19, 20, 119, 120]].all() and line[[59, 60, 129, 130], 70].all()
    assert not line[90, 22:118].any() and (np.asarray(blank) == 128).all()


def test_a_track_shows_where_it_starts_and_ends_and_a_grasp_line_its_fingers() -> None:
    blank = Image.new("RGB", (200, 150), (128, 128, 128))
    track = np.asarray(draw(blank, [mark("track")]))
    assert tuple(track[60, 20]) == (255, 255, 255) and tuple(track[80, 90]) == rgb("blue")
    head = next(shape for shape in shapes(mark("track"), 200, 150) if shape.kind == "polygon")
    assert head.points[0] == WHERE["track"][-1]
    grasp = np.asarray(draw(blank, [mark("grasp")]))
    assert all(tuple(grasp[int(y) + dy, int(x)]) == rgb("blue") for x, y in WHERE["grasp"] for dy in (-3, 2))


@pytest.mark.parametrize("kind", WHERE)
def test_the_name_stands_beside_the_mark_in_the_image(kind: str) -> None:
    for points in (WHERE[kind], tuple((x + 60, y - 59) for x, y in WHERE[kind])):
        moved = mark(kind).model_copy(update={"points": points})
        field = [shape for shape in shapes(moved, 220, 150) if shape.kind == "plate"][-1]
        (x0, y0), (x1, y1) = field.points
        assert 0 <= x0 < x1 <= 220 and 0 <= y0 < y1 <= 150


def test_marks_grow_with_the_image_so_that_a_large_picture_shown_small_looks_the_same() -> None:
    assert (unit_px(160, 120), unit_px(640, 480), unit_px(1920, 1080)) == (1.0, 1.5, 3.375)
    small, large = (np.asarray(draw(Image.new("RGB", (400 * k, 320 * k), "white"), [scaled(mark("track"), k)])) for k in (1, 3))
    shrunk = np.asarray(Image.fromarray(large).resize((400, 320), Image.Resampling.BOX)).astype(int)
    assert np.abs(shrunk - small).max() < 50 and np.abs(shrunk - small).mean() < 0.3


def scaled(one: Mark, by: int) -> Mark:
    return one.model_copy(update={"points": tuple((x * by, y * by) for x, y in one.points)})


def test_a_half_drawn_mark_is_left_out_and_a_last_point_given_twice_has_a_head_all_the_same() -> None:
    blank = Image.new("RGB", (200, 150))
    assert not np.asarray(draw(blank, [mark("track").model_copy(update={"points": WHERE["track"][:1]})])).any()
    twice = mark("track").model_copy(update={"points": (*WHERE["track"], WHERE["track"][-1])})
    heads = [next(s for s in shapes(one, 200, 150) if s.kind == "polygon").points for one in (twice, mark("track"))]
    assert heads[0] == heads[1]


def test_names_of_marks_do_not_cover_each_other_where_there_is_room() -> None:
    """Boxes that nearly coincide, and lines that begin at one point: each name is read."""
    boxes = [
        Mark(id=f"m{n}", view="v", kind="box", colour=colour, points=((150.0 + 4 * n, 120.0), (250.0 + 4 * n, 200.0)))  # type: ignore[arg-type]
        for n, colour in enumerate(("blue", "purple", "yellow", "orange"))
    ]
    lines = [
        Mark(id=f"l{n}", view="v", kind="track", colour=colour, points=((60.0, 60.0), (90.0 + n, 90.0), (40.0 + 70 * n, 150.0)))  # type: ignore[arg-type]
        for n, colour in enumerate(("red", "green", "pink"))
    ]
    corners = name_corners([*boxes, *lines], 640, 480)
    unit = unit_px(640, 480)
    fields: list[Any] = []
    for mark, (left, top) in zip([*boxes, *lines], corners, strict=True):
        (x0, y0), (x1, y1) = [s for s in shapes(mark, 640, 480, (left, top)) if s.kind == "plate"][-1].points
        assert 0 <= x0 < x1 <= 640 and 0 <= y0 < y1 <= 480
        assert not [other for other in fields if min(x1, other[2]) - max(x0, other[0]) > 0 and min(y1, other[3]) - max(y0, other[1]) > 0]
        fields.append((x0, y0, x1, y1))
    own = (150.0 - STYLE.tag_out * unit, 120.0 - (STYLE.tag_height + STYLE.tag_lift_box) * unit)
    assert corners[0] == own, "the first has its own place"
