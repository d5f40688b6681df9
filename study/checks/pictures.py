"""The pictures of the checks, drawn by code: letters on black that are a few steps of grey lighter, and digits of coloured dots.

The dots follow the principle of pseudo-isochromatic plates (Stilling, Ishihara), in colours of our own: a figure and its ground differ in
hue as people with full colour vision see it, and hardly at all as somebody sees it who lacks one kind of cone (Machado et al. 2009); every
dot's lightness is varied by more than the two colours differ in it. Screens are not calibrated, so that a plate that is missed says no more
than that the colours of a task may be missed too.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from PIL import Image, ImageDraw

Rgb = tuple[int, int, int]

GREYS: Mapping[str, int] = {"H": 32, "T": 22, "K": 15, "N": 10, "P": 6, "R": 3}
"""Letters on black → their grey value, of 255."""
SURE = ("H", "T", "K", "N")
"""Letters that a screen shows whose dark parts can be told apart: in a dim scene of ours, what matters is lighter than the last of them
against what surrounds it."""
HARD = ("P", "R")
"""Letters that good screens show in dark rooms; seen or not, both are right."""
ABSENT = ("C", "M")
"""Letters that are offered and not drawn."""

PLATES: Mapping[str, tuple[str, Rgb, Rgb]] = {
    "plate_all": ("8", (70, 96, 150), (214, 200, 150)),
    "plate_red": ("5", (225, 83, 75), (73, 128, 83)),
    "plate_green": ("3", (227, 71, 98), (71, 160, 88)),
    "plate_both": ("6", (226, 180, 85), (74, 217, 92)),
    "plate_blue": ("2", (83, 203, 228), (83, 222, 72)),
}
"""Plate → its digit, the colour of the digit's dots, and that of the ground. The first is seen by everybody who sees; ``red`` and ``green``
are missed where those cones are lacking, ``both`` in either case, ``blue`` where the blue ones are."""
SIDE_PX, MOST_DOTS, GAP_PX = 300, 900, 1.2
"""Side of a plate, most dots of one, and the least space between two."""
JITTER = 0.16
"""By how much a dot's lightness is varied, as a share."""

_SEGMENTS = {
    "a": (0.0, 0.0, 1.0, 0.0),
    "b": (1.0, 0.0, 1.0, 0.5),
    "c": (1.0, 0.5, 1.0, 1.0),
    "d": (0.0, 1.0, 1.0, 1.0),
    "e": (0.0, 0.5, 0.0, 1.0),
    "f": (0.0, 0.0, 0.0, 0.5),
    "g": (0.0, 0.5, 1.0, 0.5),
}
_DIGITS = {"2": "abged", "3": "abgcd", "5": "afgcd", "6": "afgedc", "8": "abcdefg"}


@cache
def picture(name: str) -> bytes:
    """A picture as PNG.

    Raises:
        KeyError: there is none of that name.
    """
    image = DRAWN[name]()
    kept = io.BytesIO()
    image.save(kept, "PNG")
    return kept.getvalue()


def contrast() -> Image.Image:
    """The letters of `GREYS` in a row on black, the lightest first, each in a frame of its own so that none is missed for its place."""
    image = Image.new("RGB", (100 * len(GREYS), 120), (0, 0, 0))
    draw = ImageDraw.Draw(image)
    for number, (letter, grey) in enumerate(GREYS.items()):
        _letter(draw, letter, 100 * number + 26, 24, grey)
    return image


_STROKES = {
    "H": ((0, 0, 0, 1), (1, 0, 1, 1), (0, 0.5, 1, 0.5)),
    "T": ((0, 0, 1, 0), (0.5, 0, 0.5, 1)),
    "K": ((0, 0, 0, 1), (1, 0, 0, 0.5), (0, 0.5, 1, 1)),
    "N": ((0, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 0)),
    "P": ((0, 0, 0, 1), (0, 0, 1, 0), (1, 0, 1, 0.5), (0, 0.5, 1, 0.5)),
    "R": ((0, 0, 0, 1), (0, 0, 1, 0), (1, 0, 1, 0.5), (0, 0.5, 1, 0.5), (0.3, 0.5, 1, 1)),
}


def _letter(draw: ImageDraw.ImageDraw, letter: str, left: int, top: int, grey: int) -> None:
    for x0, y0, x1, y1 in _STROKES[letter]:
        draw.line((left + 48 * x0, top + 72 * y0, left + 48 * x1, top + 72 * y1), fill=(grey, grey, grey), width=12)


def plate(name: str) -> Image.Image:
    """A disc of dots in which a digit has another colour."""
    digit, figure, ground = PLATES[name]
    numbers = random.Random(name)
    mask = _digit_mask(digit)
    image = Image.new("RGB", (SIDE_PX, SIDE_PX), (244, 244, 240))
    draw = ImageDraw.Draw(image)
    placed, held = np.zeros((MOST_DOTS, 3)), 0
    middle = SIDE_PX / 2
    for tries in range(12_000):
        radius = numbers.uniform(6.5, 10.5) if tries < 4000 else numbers.uniform(3.0, 5.0)
        x, y = numbers.uniform(0, SIDE_PX), numbers.uniform(0, SIDE_PX)
        if (x - middle) ** 2 + (y - middle) ** 2 > (middle - radius - 2) ** 2:
            continue
        there = placed[:held]
        if ((there[:, 0] - x) ** 2 + (there[:, 1] - y) ** 2 < (there[:, 2] + radius + GAP_PX) ** 2).any():
            continue
        placed[held] = x, y, radius
        held += 1
        colour = figure if mask.getpixel((int(x), int(y))) else ground
        share = 1 + numbers.uniform(-JITTER, JITTER)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=tuple(min(255, round(part * share)) for part in colour))
        if held >= MOST_DOTS:
            break
    return image


def _digit_mask(digit: str) -> Image.Image:
    mask = Image.new("1", (SIDE_PX, SIDE_PX))
    draw = ImageDraw.Draw(mask)
    left, top, wide, high = 0.34 * SIDE_PX, 0.20 * SIDE_PX, 0.32 * SIDE_PX, 0.60 * SIDE_PX
    for segment in _DIGITS[digit]:
        x0, y0, x1, y1 = _SEGMENTS[segment]
        draw.line((left + wide * x0, top + high * y0, left + wide * x1, top + high * y1), fill=1, width=38)
    for segment in _DIGITS[digit]:
        x0, y0, x1, y1 = _SEGMENTS[segment]
        for x, y in ((x0, y0), (x1, y1)):
            at = (left + wide * x, top + high * y)
            draw.ellipse((at[0] - 19, at[1] - 19, at[0] + 19, at[1] + 19), fill=1)
    return mask


DRAWN: Mapping[str, Callable[[], Image.Image]] = {"contrast": contrast} | {name: (lambda name=name: plate(name)) for name in PLATES}
"""Name of a picture → what draws it."""
