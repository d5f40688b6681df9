"""What a decoded video frame is, and the picture that is shown of it: upright RGB of 8 bits per channel, pixel by pixel as stored.

The import and every later use ask here, so that nothing is imported that cannot be shown, and what a player would show otherwise is said.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from PIL import Image

from data.robot.errors import BadVideo

_QUARTERS = {
    (1, 0, 0, 1): 1,
    (-1, 0, 0, 1): 2,
    (-1, 0, 0, -1): 3,
    (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5,
    (0, 1, -1, 0): 6,
    (0, -1, -1, 0): 7,
    (0, -1, 1, 0): 8,
}
"""Display matrix (a, b, c, d): stored x, y are shown at a·x + c·y, b·x + d·y → orientation as EXIF counts them."""
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""Orientation → what makes it upright."""
_WORDS = {
    2: "mirrored",
    3: "turned by 180°",
    4: "mirrored upside down",
    5: "turned by 90° clockwise and mirrored",
    6: "turned by 90° clockwise",
    7: "turned by 90° counter-clockwise and mirrored",
    8: "turned by 90° counter-clockwise",
}
_SLACK = 0.01
"""Of a quarter turn's cosine: matrices are written in fixed point."""
_WIDE = (16, 18)
"""Transfer functions of a wide range: SMPTE 2084 and HLG (ITU-T H.273)."""


class Refused(BadVideo):
    """A form that cannot be shown, for `fault` (a key of `records.FAULTS`)."""

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True)
class Form:
    """What the pixels of a frame are."""

    orientation: int = 1
    """As EXIF counts: 1 is upright; 0: by no quarter turn."""
    aspect: Fraction = Fraction(1)
    """Width of a pixel to its height."""
    interlaced: bool = False
    bits: int = 8
    grey: bool = False
    transparent: bool = False
    wide: bool = False

    def remarks(self, what: str) -> Iterator[tuple[str, str, str]]:
        """(fault, sentence, what is done) for each thing that a player would show otherwise."""
        if self.orientation != 1:
            yield "turned", f"{what} is {_WORDS[self.orientation]} by its metadata.", "shown upright; the file is as it was"
        if self.aspect != 1:
            yield "form", f"{what} has pixels that are not square ({self.aspect.numerator}:{self.aspect.denominator}).", "shown unstretched"
        if self.interlaced:
            yield "form", f"{what} is interlaced: each frame holds two half pictures of different times.", "shown as stored"
        if self.bits > 8:
            yield "bit_depth", f"{what} has {self.bits} bits per channel.", "shown with 8"
        if self.transparent:
            yield "form", f"{what} is partly transparent.", "shown without its transparency"
        if self.wide:
            yield "form", f"{what} has colours of a wide range (HDR).", "shown as stored, paler than in a player"


def form(picture: Any, aspect: Fraction | None, what: str) -> Form:
    """The form of a decoded frame.

    Args:
        picture: a frame of PyAV.
        aspect: of a pixel, as the stream says; None: it does not say.
        what: how a message calls the video.

    Raises:
        Refused: it cannot be shown.
    """
    orientation, stretch = _turned(picture)
    bits = max(component.bits for component in picture.format.components)
    found = Form(
        orientation,
        (aspect or Fraction(1)) * stretch,
        bool(picture.interlaced_frame),
        bits,
        len(picture.format.components) == 1 and not picture.format.has_palette,
        _alpha(picture.format.name),
        picture.color_trc in _WIDE,
    )
    if not found.orientation:
        raise Refused("turned", f"{what} is turned by its metadata by no quarter turn: only quarter turns can be undone. Save it upright.")
    if found.grey and bits > 8:
        raise Refused("bit_depth", f"{what} is grey with {bits} bits; camera images have 8. Convert it (depth is no camera image).")
    return found


def upright(picture: Any, orientation: int) -> Image.Image:
    """The picture of a frame as it is shown, RGB."""
    image: Image.Image = picture.to_image()
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def size(picture: Any, orientation: int) -> tuple[int, int]:
    """Width and height of the picture as it is shown."""
    return (picture.height, picture.width) if orientation >= 5 else (picture.width, picture.height)


def _turned(picture: Any) -> tuple[int, Fraction]:
    """The orientation of a frame, and by how much its matrix stretches it."""
    data = next((bytes(side) for side in picture.side_data if side.type.name == "DISPLAYMATRIX"), None)
    if data is None or len(data) < 36:
        return 1, Fraction(1)
    a, b, _, c, d = struct.unpack("=9i", data[:36])[:5]
    across, down = math.hypot(a, b), math.hypot(c, d)
    if not across or not down:
        return 0, Fraction(1)
    turn = _quarter(a, across), _quarter(b, across), _quarter(c, down), _quarter(d, down)
    stretch = Fraction(across / down).limit_denominator(1000)
    return _QUARTERS.get(turn, 0), stretch


def _quarter(value: float, length: float) -> int:
    """−1, 0 or 1; 2 where a part of a matrix is none of them."""
    share = value / length
    return next((whole for whole in (-1, 0, 1) if abs(share - whole) < _SLACK), 2)


def _alpha(name: str) -> bool:
    return name.startswith(("yuva", "rgba", "bgra", "argb", "abgr", "ya", "gbrap", "ayuv", "vuya"))
