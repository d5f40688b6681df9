"""How a mark looks: the one table from which the browser draws (``marks_style.js``, made from it) and from which
`annotation.qa.drawn.drawing` draws the picture that is answered.

Lengths are in units. On a screen that is edited on, a unit is a CSS pixel at every zoom. In the picture that is answered it is `unit_px`
pixels of the image: what somebody sees whose view is `REFERENCE_PX` high. Colour names are written with the strokes of `GLYPHS` and not in
a font, since no two machines need have the same font.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from annotation.qa.parts.colours import Colour

VERSION = 3
"""Named by every export with drawn copies. Version 1, of exports that name none: other colours, no edges, start signs or names. Version 2:
names may cover each other."""
REFERENCE_PX = 320
"""Three views of 4:3 beside each other on a page 1280 pixels wide are about this high."""

Stroke = tuple[tuple[float, float], ...]
Hex = str

X_HEIGHT, ASCENDER, DESCENDER = 5.6, 8.2, -2.4
"""Of the letters, in units above the line they stand on."""


@dataclass(frozen=True)
class Glyph:
    """A letter as strokes; x to the right, y upwards from the line it stands on."""

    advance: float
    """From its own origin to that of the next letter."""
    strokes: tuple[Stroke, ...]


def _arc(cx: float, cy: float, rx: float, ry: float, start_deg: float, end_deg: float) -> Stroke:
    """A part of an ellipse as a polyline, counted from the right, anticlockwise."""
    steps = max(3, round(abs(end_deg - start_deg) / 22.5))
    turns = (math.radians(start_deg + (end_deg - start_deg) * k / steps) for k in range(steps + 1))
    return tuple((round(cx + rx * math.cos(a), 2), round(cy + ry * math.sin(a), 2)) for a in turns)


def _glyphs() -> dict[str, Glyph]:
    gap, wide, half = 1.8, 4.6, 2.3
    bowl = _arc(half, X_HEIGHT / 2, half, X_HEIGHT / 2, 0, 360)
    arch = _arc(half, X_HEIGHT - half, half, half, 180, 0)

    def letter(width: float, *strokes: Stroke) -> Glyph:
        return Glyph(width + gap, strokes)

    def stem(x: float, low: float, high: float) -> Stroke:
        return (x, high), (x, low)

    return {
        "a": letter(wide, bowl, stem(wide, 0, X_HEIGHT)),
        "b": letter(wide, bowl, stem(0, 0, ASCENDER)),
        "d": letter(wide, bowl, stem(wide, 0, ASCENDER)),
        "e": letter(wide, ((0.0, X_HEIGHT / 2), *_arc(half, X_HEIGHT / 2, half, X_HEIGHT / 2, 0, 315))),
        "g": letter(wide, bowl, ((wide, X_HEIGHT), *_arc(half, DESCENDER + 2, half, 2, 0, -150))),
        "i": letter(0.6, stem(0.3, 0, X_HEIGHT), ((0.3, 7.8), (0.3, 7.9))),
        "k": letter(4.2, stem(0, 0, ASCENDER), ((4.0, X_HEIGHT), (0.0, 2.1)), ((1.5, 3.4), (4.2, 0.0))),
        "l": letter(0.6, stem(0.3, 0, ASCENDER)),
        "n": letter(wide, stem(0, 0, X_HEIGHT), (*arch, (wide, 0.0))),
        "o": letter(wide, bowl),
        "p": letter(wide, bowl, stem(0, DESCENDER, X_HEIGHT)),
        "r": letter(3.2, stem(0, 0, X_HEIGHT), _arc(2.1, X_HEIGHT - 2.1, 2.1, 2.1, 180, 55)),
        "u": letter(wide, ((0.0, X_HEIGHT), *_arc(half, half, half, half, 180, 360), (wide, X_HEIGHT)), stem(wide, 0, X_HEIGHT)),
        "w": letter(6.4, ((0.0, X_HEIGHT), (1.7, 0.0), (3.2, X_HEIGHT), (4.7, 0.0), (6.4, X_HEIGHT))),
        "y": letter(4.4, ((0.0, X_HEIGHT), (2.2, 0.0)), ((4.4, X_HEIGHT), (1.5, -1.8), (0.4, DESCENDER))),
    }


@dataclass(frozen=True)
class Style:
    """Everything that a drawing of marks decides."""

    version: int = VERSION
    colours: Mapping[Colour, Hex] = field(
        default_factory=lambda: {
            "red": "#e3202b",
            "yellow": "#ffd60a",
            "green": "#14a44d",
            "blue": "#1769ff",
            "pink": "#ff6db8",
            "purple": "#8a3fd6",
            "orange": "#ff8c1a",
        }
    )
    """sRGB, in the order of the keys 1 to 7. Each is told apart from its neighbours by lightness as well as by hue."""
    letters: Mapping[Colour, Hex] = field(
        default_factory=lambda: {
            "red": "#ffffff",
            "yellow": "#14171c",
            "green": "#14171c",
            "blue": "#ffffff",
            "pink": "#14171c",
            "purple": "#ffffff",
            "orange": "#14171c",
        }
    )
    """What can be read on each colour (WCAG contrast at least 4.5)."""
    line_width: float = 2.5
    edge_width: float = 4.5
    """The dark line below each line, so that every colour is seen on every picture."""
    edge_colour: Hex = "#0c0e12"
    edge_alpha: float = 0.62
    outline_width: float = 1.0
    """Around discs, arrow heads and names; drawn in the edge's colour."""
    outline_alpha: float = 0.7
    start_radius: float = 3.5
    """The disc at the start of a track."""
    start_colour: Hex = "#ffffff"
    way_radius: float = 2.5
    """The discs at the points between."""
    finger_radius: float = 4.5
    """The discs at both ends of a grasp line."""
    arrow_length: float = 12.0
    """The head at the end of a track: its tip is the last point."""
    arrow_half: float = 5.5
    arrow_under: float = 8.0
    """How far before the tip the line ends, under the head."""
    tag_height: float = 15.0
    """The colour's name beside a mark: nobody has to tell marks apart by colour alone."""
    tag_pad: float = 4.5
    tag_corner: float = 3.0
    tag_line: float = 11.0
    """The line that the letters stand on, from the top of the name's field."""
    tag_lift_box: float = 2.0
    """Between the field and the top of a box."""
    tag_lift_line: float = 8.0
    """Between the field and the highest point of a track or grasp line."""
    tag_out: float = 1.0
    """How far the field of a box begins left of it."""
    letter_width: float = 1.3
    letter_gap: float = 1.8
    """What a letter's advance has beyond its strokes: the last letter of a name does without."""
    glyphs: Mapping[str, Glyph] = field(default_factory=_glyphs)


STYLE = Style()


def unit_px(width: int, height: int) -> float:
    """Pixels of an image to one unit, in the picture that is answered."""
    return max(1.0, min(width, height) / REFERENCE_PX)


def module() -> str:
    """The ES module through which the browser has the table."""
    return f"// Made from annotation/qa/drawn/marks_style.py.\nexport const STYLE = {json.dumps(asdict(STYLE), separators=(',', ':'))};\n"
