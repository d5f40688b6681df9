"""Is a moment clear and synchronized? Figures of its images, and the thresholds that they are held to.

A moment that fails is filtered, never deleted: its reason and figures stay, and a person may take it all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field

MEASURED_WIDTH = 320
"""Images are measured at this width (pixels), so that thresholds mean the same at every resolution."""
SIGNATURE = (16, 12)
"""Columns and rows of the small grey picture by which moments are compared."""
DARK, BRIGHT = 16, 250
"""Grey levels (0–255) at or below, or above which a pixel holds no detail."""

REASONS: Mapping[str, str] = {
    "unreadable": "An image could not be read.",
    "blurred": "A view is blurred.",
    "dark": "A view is too dark.",
    "blown": "A view is overexposed.",
    "unsynchronised": "The views were taken at different times.",
    "near_duplicate": "It looks like another moment of its episode.",
}
"""Why the rules filter a moment."""


class Thresholds(BaseModel):
    """What a project asks of a moment's images."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sharpness: float = Field(default=20.0, ge=0)
    """Least variance of the Laplacian of a view's grey image at 320 pixels width. A blurred camera picture has a few units, a sharp one
    a hundred or more."""
    dark: float = Field(default=0.7, ge=0, le=1)
    """Largest share of pixels without detail for want of light."""
    blown: float = Field(default=0.6, ge=0, le=1)
    """Largest share of overexposed pixels."""
    skew_s: float = Field(default=0.05, ge=0)
    """Largest difference between the timestamps of the views, seconds."""
    duplicate: float = Field(default=1.5, ge=0)
    """Moments of one episode whose small grey pictures differ by less than this in every view (mean difference, grey levels) are
    duplicates."""


@dataclass(frozen=True)
class Clarity:
    """Figures of one image."""

    sharpness: float
    """Variance of the Laplacian, grey levels squared."""
    dark: float
    """Share of pixels without detail for want of light."""
    blown: float
    """Share of overexposed pixels."""
    signature: str
    """16×12 grey levels, row by row, as hexadecimal."""


def measure(image: Image.Image) -> Clarity:
    """The figures of an image."""
    grey = _measured(image)
    levels = np.asarray(grey, np.float64)
    return Clarity(
        round(sharpness(levels), 2),
        round(float((levels <= DARK).mean()), 4),
        round(float((levels >= BRIGHT).mean()), 4),
        _small(grey),
    )


def signature(image: Image.Image) -> str:
    """The signature alone, as `measure` has it."""
    return _small(_measured(image))


def _measured(image: Image.Image) -> Image.Image:
    """An image as it is measured: grey, and not wider than `MEASURED_WIDTH`."""
    grey = image.convert("L")
    if grey.width <= MEASURED_WIDTH:
        return grey
    # one filter for the shrinking: a sharper one would add edges of its own
    return grey.resize((MEASURED_WIDTH, max(3, round(grey.height * MEASURED_WIDTH / grey.width))), Image.Resampling.BOX)


def _small(grey: Image.Image) -> str:
    return np.asarray(grey.resize(SIGNATURE, Image.Resampling.BOX), np.uint8).tobytes().hex()


def sharpness(levels: NDArray[np.float64]) -> float:
    """Variance of the Laplacian (four neighbours) of a grey image (rows, columns); 0 for an image smaller than 3×3."""
    if min(levels.shape) < 3:
        return 0.0
    middle = levels[1:-1, 1:-1]
    laplacian = levels[:-2, 1:-1] + levels[2:, 1:-1] + levels[1:-1, :-2] + levels[1:-1, 2:] - 4 * middle
    return float(laplacian.var())


def difference(one: str, other: str) -> float:
    """Mean difference of two signatures, grey levels."""
    a, b = (np.frombuffer(bytes.fromhex(text), np.uint8).astype(np.float64) for text in (one, other))
    return float(np.abs(a - b).mean())


def likeness(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    """How far two moments are apart (view → signature each): the largest difference over their common views; infinite without any."""
    common = [view for view in one if view in other]
    return max((difference(one[view], other[view]) for view in common), default=float("inf"))


def skew_s(timestamps: Sequence[float | None]) -> float | None:
    """Largest difference between the timestamps that are known, seconds; None with fewer than two."""
    known = [t for t in timestamps if t is not None]
    return round(max(known) - min(known), 6) if len(known) > 1 else None


@dataclass(frozen=True)
class Verdict:
    """What the rules say of a moment."""

    reason: str
    """One of `REASONS`; empty: nothing against it."""
    sentence: str
    """With figures and the threshold."""


CLEAR = Verdict("", "")


def judge(figures: Mapping[str, Any], thresholds: Thresholds) -> Verdict:
    """The first rule that a moment breaks.

    Args:
        figures: ``views`` (view → `Clarity` as a mapping), ``skew_s`` (seconds or None), ``nearest`` (difference to the most alike moment
            of its episode, grey levels, or None).
        thresholds: the project's.
    """
    if (skew := figures.get("skew_s")) is not None and skew > thresholds.skew_s:
        return Verdict("unsynchronised", f"The views are {skew:.3f} s apart, at most {thresholds.skew_s:g} s is allowed.")
    for view, one in figures["views"].items():
        if one["dark"] > thresholds.dark:
            return Verdict("dark", f"{one['dark']:.0%} of {view} is black, at most {thresholds.dark:.0%} is allowed.")
        if one["blown"] > thresholds.blown:
            return Verdict("blown", f"{one['blown']:.0%} of {view} is white, at most {thresholds.blown:.0%} is allowed.")
        if one["sharpness"] < thresholds.sharpness:
            return Verdict("blurred", f"{view} has a sharpness of {one['sharpness']:g}, at least {thresholds.sharpness:g} is needed.")
    if (nearest := figures.get("nearest")) is not None and nearest < thresholds.duplicate:
        return Verdict(
            "near_duplicate",
            f"It differs from another moment of its episode by {nearest:.2f} grey levels, {thresholds.duplicate:g} are needed.",
        )
    return CLEAR
