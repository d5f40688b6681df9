"""What judges measure on the simulator's states: boxes, gaps, places. World frame, metres."""

from __future__ import annotations

import math

from data.generators.lab import Playing
from sim_bridge.spec import ObjectState


def present(playing: Playing) -> dict[str, ObjectState]:
    """Handle → the object, at the start."""
    state = playing.first.state
    return {o.handle: o for o in (state.objects if state else ()) if o.present}


def asked(playing: Playing) -> list[ObjectState]:
    """The things that the question is about, in its order, at the start."""
    there = present(playing)
    return [there[h] for h in playing.ask.things]


def height_m(o: ObjectState) -> float:
    """Height of a thing's box, metres."""
    return o.aabb_max_m[2] - o.aabb_min_m[2]


def gap_m(a: ObjectState, b: ObjectState) -> float:
    """Horizontal distance of two boxes; 0 where they overlap from above."""
    apart = [max(a.aabb_min_m[i] - b.aabb_max_m[i], b.aabb_min_m[i] - a.aabb_max_m[i], 0.0) for i in (0, 1)]
    return math.hypot(*apart)


def middle(o: ObjectState) -> tuple[float, float]:
    """Middle of the box from above."""
    return (o.aabb_min_m[0] + o.aabb_max_m[0]) / 2, (o.aabb_min_m[1] + o.aabb_max_m[1]) / 2


def off_line_m(points: list[tuple[float, float]]) -> float:
    """Distance of the middle one of three points from the line of the outer two (the pair farthest apart)."""
    far = max(((0, 1, 2), (0, 2, 1), (1, 2, 0)), key=lambda t: math.dist(points[t[0]], points[t[1]]))
    (x0, y0), (x1, y1), (x2, y2) = (points[i] for i in far)
    return abs((x1 - x0) * (y0 - y2) - (x0 - x2) * (y1 - y0)) / math.dist((x0, y0), (x1, y1))
