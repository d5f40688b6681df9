"""A robot that walks its recorded way: where it is follows from how far it has gone, so that resuming is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from sim_bridge.errors import SceneError
from sim_bridge.rotations import about_z
from sim_bridge.spec import Object, Pose

STEP_M = 0.5
"""Way of one action where the object states none, as in the embedded simulator."""
MAX_POINTS = 200

Point = tuple[float, float]


def check_walk(thing: Object, where: str) -> None:
    """The path and the step make sense.

    Raises:
        SceneError: names the setting.
    """
    path, step = thing.params.get("path", []), thing.params.get("step_m", STEP_M)
    if not isinstance(path, (list, tuple)) or len(path) > MAX_POINTS or not all(_is_point(p) for p in path):
        raise SceneError(f"{where}.path: expected up to {MAX_POINTS} points [x, y] in metres, got {path!r}")
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.05 <= step <= 5.0:
        raise SceneError(f"{where}.step_m: expected metres per action from 0.05 to 5, got {step!r}")


def _is_point(value: object) -> bool:
    pair = isinstance(value, (list, tuple)) and len(value) == 2
    return pair and all(isinstance(c, (int, float)) and not isinstance(c, bool) and math.isfinite(c) for c in value)  # type: ignore[attr-defined]


def points(thing: Object) -> list[Point]:
    """The way of a robot, without its start."""
    return [(float(x), float(y)) for x, y in thing.params.get("path", ())]


def step_m(thing: Object) -> float:
    """How far it goes with every action."""
    return float(thing.params.get("step_m", STEP_M))


def length_m(start: Pose, way: Sequence[Point]) -> float:
    """Length of a way from where the robot stands."""
    return sum(math.dist(a, b) for a, b in pairwise([start.position_m[:2], *way]))


def along(start: Pose, way: Sequence[Point], gone_m: float) -> Pose:
    """Where it is after `gone_m` metres, looking where it goes; at its start as the scene has it."""
    left, x, y, yaw = gone_m, start.position_m[0], start.position_m[1], None
    for a, b in pairwise([start.position_m[:2], *way]):
        part = math.dist(a, b)
        if left <= 0 or part == 0:
            continue
        share = min(1.0, left / part)
        x, y, yaw = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), math.atan2(b[1] - a[1], b[0] - a[0])
        left -= part
    if yaw is None:
        return start
    return Pose((x, y, start.position_m[2]), about_z(yaw))
