"""The 5×5×5 grid: triplet texts, orders along the axes, and candidate sets that break an order.

Cells are (x, y, z) from 1 to 5 in the reference camera's frame: x right, y forward, z up.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from annotation.qa.items import Cube
from annotation.qa.parts.colours import COLOURS
from annotation.qa.parts.likeness import grow

Cells = Mapping[str, tuple[int, int, int]]
"""Colour → cell."""
AXES = ("x", "y", "z")
GRID = 5

_TRIPLET = re.compile(
    r"\(\s*(" + "|".join(COLOURS) + r")\b[^,()]*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)",
    re.IGNORECASE,
)


def cells(cubes: Sequence[Cube]) -> dict[str, tuple[int, int, int]]:
    """The cubes as colour → cell."""
    return {cube.colour: cube.cell for cube in cubes}


def write(where: Cells) -> str:
    """The triplet text of a set.

    Example:
        >>> write({"red": (1, 2, 3), "blue": (5, 5, 1)})
        '(Red box, 1, 2, 3), (Blue box, 5, 5, 1)'
    """
    return ", ".join(f"({colour.capitalize()} box, {x}, {y}, {z})" for colour, (x, y, z) in where.items())


def read(text: str) -> dict[str, tuple[int, int, int]] | None:
    """The set that a triplet text states; None where the text holds anything else, a colour twice, or a number outside 1 to 5."""
    found = [(m[1].lower(), (int(m[2]), int(m[3]), int(m[4]))) for m in _TRIPLET.finditer(text)]
    rest = _TRIPLET.sub("", text)
    if not found or re.search(r"[^\s,;.{}\[\]]", rest) or len({colour for colour, _ in found}) < len(found):
        return None
    return dict(found) if all(1 <= v <= GRID for _, cell in found for v in cell) else None


def broken_axes(truth: Cells, other: Cells) -> list[str]:
    """The axes along which `other` orders two of the boxes differently than `truth` (before, level, after)."""
    pairs = list(combinations(sorted(truth), 2))
    return [
        axis
        for k, axis in enumerate(AXES)
        if any(_sign(truth[a][k] - truth[b][k]) != _sign(other[a][k] - other[b][k]) for a, b in pairs if a in other and b in other)
    ]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def perturb(truth: Cells, rng: random.Random, count: int = 4) -> list[tuple[dict[str, tuple[int, int, int]], bool]]:
    """Candidate sets for the wrong options: each breaks an order of `truth` along some axis, no two are equal, and the true set is not the
    one that resembles all others (`likeness`).

    Args:
        truth: where the boxes are.
        rng: the draw; the same generator state gives the same sets.
        count: how many.

    Returns:
        (set, whether it differs from the truth in one coordinate axis of two boxes alone: a hard one), hard ones first, one at least.

    Raises:
        ValueError: fewer than two boxes, so that no order exists.
    """
    if len(truth) < 2:
        raise ValueError(f"an order needs two boxes or more, got {len(truth)}")

    def vary(where: dict[str, tuple[int, int, int]]) -> dict[str, tuple[int, int, int]]:
        changed = dict(where)
        _disturb(changed, rng)
        return changed

    return grow(dict(truth), count, rng, vary, lambda c: bool(broken_axes(truth, c)) and len(set(c.values())) == len(c))


def _disturb(where: dict[str, tuple[int, int, int]], rng: random.Random) -> None:
    """Exchange one coordinate of two boxes, or move one box past another along one axis."""
    a, b = rng.sample(sorted(where), 2)
    axis = rng.randrange(3)
    va, vb = where[a][axis], where[b][axis]
    if va == vb:
        va = rng.choice([v for v in range(1, GRID + 1) if v != va])
    else:
        va, vb = vb, va
    for name, value in ((a, va), (b, vb)):
        cell = list(where[name])
        cell[axis] = value
        where[name] = (cell[0], cell[1], cell[2])
