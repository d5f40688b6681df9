"""Figures of one trajectory: how many distinct viewpoints, and how often an action follows itself.

ESI-Bench, App. K, calls a trajectory diverse that has observations from several "meaningfully distinct" viewpoints, without a threshold;
directional bias (the same direction again and again) it names without a formula. Both are declared here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

Pose = tuple[tuple[float, float, float], float, float]
"""Position in metres (world frame, z up), yaw and pitch in degrees, as `study.analysis.trials.View`."""


@dataclass(frozen=True)
class Distinct:
    """When two viewpoints are distinct, and how many make a trajectory diverse."""

    metres: float = 1.0
    """So far apart, or"""
    degrees: float = 45.0
    """looking in directions that differ so much."""
    viewpoints: int = 2
    """So many, each distinct from all others."""


DISTINCT = Distinct()
"""As declared; a study says how much its figure hangs on it by `SENSITIVITY`."""
SENSITIVITY: tuple[Distinct, ...] = tuple(
    Distinct(metres, degrees, viewpoints) for viewpoints in (2, 3) for metres, degrees in ((0.5, 30.0), (1.0, 45.0), (2.0, 90.0))
)


def viewpoints(poses: Sequence[Pose], rule: Distinct = DISTINCT, *, most: int | None = None) -> int:
    """Distinct viewpoints of a trajectory: in order, each that is distinct from all that count before it.

    Args:
        poses: in order.
        rule: when two are distinct.
        most: counting ends here; None: all are counted.
    """
    found: list[tuple[tuple[float, float, float], tuple[float, float, float]]] = []
    level = math.cos(math.radians(rule.degrees)) + 1e-9
    for position, yaw, pitch in poses:
        looks = direction(yaw, pitch)
        # distances and angles come in steps of an action, so the bound itself counts
        if all(
            math.dist(position, other) >= rule.metres - 1e-6 or sum(a * b for a, b in zip(looks, there, strict=True)) <= level
            for other, there in found
        ):
            found.append((position, looks))
            if len(found) == most:
                break
    return len(found)


@lru_cache(maxsize=4096)
def direction(yaw_deg: float, pitch_deg: float) -> tuple[float, float, float]:
    """Unit vector along which a camera of this heading looks, world frame, z up."""
    yaw, pitch = math.radians(yaw_deg), math.radians(pitch_deg)
    return -math.sin(yaw) * math.cos(pitch), math.cos(yaw) * math.cos(pitch), math.sin(pitch)


def repeated(actions: Sequence[Hashable]) -> tuple[float, float] | None:
    """How often an action follows itself, and how often it would in a random order of the same actions.

    Args:
        actions: of one trajectory, in order; failed ones are kept.

    Returns:
        (share of consecutive pairs that are equal, its expectation Σ n_a(n_a − 1)/(n(n − 1))); None with fewer than two actions.
    """
    n = len(actions)
    if n < 2:
        return None
    equal = sum(one == other for one, other in pairwise(actions))
    chance = sum(k * (k - 1) for k in Counter(actions).values()) / (n * (n - 1))
    return equal / (n - 1), chance
