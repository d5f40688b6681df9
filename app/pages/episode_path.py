"""What an episode was like, for whoever runs the study: where the camera went, how long each step took and what was believed after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from sim_bridge.houses.plan import Plan
from sim_bridge.houses.read import plan_of
from sim_bridge.kinematics import heading, rotation_matrix
from sim_bridge.spec import Object, Phase, Pose, Scene
from study.course import Moment
from study.export_columns import response_ms

WIDTH_PX, HEIGHT_PX = 440, 400
"""The plan is no larger than that."""
MARGIN_M, AROUND_M = 0.2, 2.0
"""Left around walls; and around the camera's places and the boxes, as far as there are walls."""

Point = tuple[float, float]


def times(steps: Sequence[Moment]) -> list[tuple[float | None, float | None]]:
    """Per step, in seconds: from the view before it being on the screen to the press, and from the press to its own view being there.

    The second is told by the step after it, so the last step has none; nor has one after which the page was opened again.
    """
    shown: list[float | None] = []
    for step, after in [*pairwise(steps), *((last, None) for last in steps[-1:])]:
        known = after is not None and after.epoch == step.epoch and None not in (step.client_time_ms, after.painted_ms)
        passed = after.painted_ms - step.client_time_ms if known else -1.0  # type: ignore[union-attr, operator]
        shown.append(_seconds(passed if passed >= 0 else None))
    return [(_seconds(response_ms(step)), until) for step, until in zip(steps, shown, strict=True)]


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else round(ms / 1000, 2)


def plan(scene: Scene, steps: Sequence[Moment]) -> dict[str, Any]:
    """The room from above, to draw: pixels from the upper left corner, up is +y.

    Args:
        scene: walls are those of its room or house, with the openings of doors; objects those with a size, turned as they lie.
        steps: of one episode.

    Returns:
        ``width``, ``height``; ``walls``: (x1, y1, x2, y2) each, also such as lie outside; ``boxes``: part of the task → outlines;
        ``path``: per step its place, the direction in which the camera looks (unit length, less where it looks up or down) and the part
        of the task; ``fov``: radians.
    """
    walls = _walls(scene)
    boxes = {phase.name: _outlines(scene, phase) for phase in scene.phases or (Phase(""),)}
    poses = [step.pose for step in steps]
    points = [(pose.position_m[0], pose.position_m[1]) for pose in poses]
    points += [p for outlines in boxes.values() for outline in outlines for p in outline]
    corners = [p for wall in walls for p in wall]
    (left, right), (low, high) = (_ends([p[axis] for p in points], [p[axis] for p in corners]) for axis in (0, 1))
    scale = min(WIDTH_PX / (right - left), HEIGHT_PX / (high - low))

    def at(point: Sequence[float]) -> list[float]:
        return [round((point[0] - left) * scale, 1), round((high - point[1]) * scale, 1)]

    return {
        "width": round((right - left) * scale),
        "height": round((high - low) * scale),
        "walls": [at(start) + at(end) for start, end in walls],
        "boxes": {name: [[at(p) for p in outline] for outline in outlines] for name, outlines in boxes.items()},
        "path": [at(pose.position_m) + _looks(pose) + [step.phase] for step, pose in zip(steps, poses, strict=True)],
        "fov": round(math.radians(scene.camera.hfov_deg), 3),
    }


def _ends(things: list[float], walls: list[float]) -> tuple[float, float]:
    """From where to where the plan goes along an axis: no farther beyond the walls than their margin, save where things are."""
    low, high = min(walls) - MARGIN_M, max(walls) + MARGIN_M
    return min(max(low, min(things) - AROUND_M), min(things) - MARGIN_M), max(min(high, max(things) + AROUND_M), max(things) + MARGIN_M)


def _looks(pose: Pose) -> list[float]:
    """Where a camera looks on the plan: its −z axis seen from above; straight down, the direction in which it would walk."""
    matrix = rotation_matrix(pose.quaternion_xyzw)
    x, y = -matrix[0][2], -matrix[1][2]
    if math.hypot(x, y) < 1e-3:
        x, y = heading(pose)
    return [round(x, 3), round(-y, 3)]


def _walls(scene: Scene) -> list[tuple[Point, Point]]:
    """Stretches of wall, metres."""
    if scene.house is not None:
        return _house_walls(plan_of(scene.house))
    x0, y0, x1, y1 = scene.room.bounds_m
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def _house_walls(house: Plan) -> list[tuple[Point, Point]]:
    """Walls of a house without what is open in them."""
    found = []
    for wall in house.walls:
        along = 0 if wall.along == "x" else 1
        doors = [d for d in house.doors if d.along == wall.along and abs(d.centre_m[1 - along] - wall.at_m) < 1e-3]
        low = wall.low_m
        for door in sorted(doors, key=lambda d: d.centre_m[along]):
            start, end = door.centre_m[along] - door.width_m / 2, door.centre_m[along] + door.width_m / 2
            if low <= start and end <= wall.high_m:
                found.append((wall.point(low), wall.point(start)))
                low = end
        found.append((wall.point(low), wall.point(wall.high_m)))
    return found


def _outlines(scene: Scene, phase: Phase) -> list[list[Point]]:
    """Outlines from above of the boxes that are there in a part of the task, metres."""
    here = [one for one in scene.objects if one.handle not in phase.hidden and one.size_m is not None]
    return [_outline(one, phase.moved.get(one.handle, one.pose)) for one in here]


def _outline(one: Object, pose: Pose) -> list[Point]:
    matrix = rotation_matrix(pose.quaternion_xyzw)
    half = [side * by / 2 for side, by in zip(one.size_m or (0.0, 0.0, 0.0), one.scale, strict=True)]
    lift = half[2] if one.origin == "base" else 0.0
    own = [(i * half[0], j * half[1], k * half[2] + lift) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    x, y = ([pose.position_m[axis] + sum(m * c for m, c in zip(matrix[axis], corner, strict=True)) for corner in own] for axis in (0, 1))
    return _hull(sorted({(round(a, 4), round(b, 4)) for a, b in zip(x, y, strict=True)}))


def _hull(points: list[Point]) -> list[Point]:
    """The corners around sorted points, counter-clockwise (Andrew's monotone chain)."""

    def chain(some: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return chain(points) + chain(points[::-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def table(steps: Sequence[Moment], beliefs: dict[int, tuple[str, int | None]]) -> pd.DataFrame:
    """The steps with times and beliefs.

    Args:
        steps: of one episode.
        beliefs: step → the last answer noted there in words, and its confidence (percent).
    """
    said = [beliefs.get(step.seq, ("", None)) for step in steps]
    thought, waited = zip(*times(steps), strict=True)
    return pd.DataFrame(
        {
            "Step": [step.seq for step in steps],
            "Action": [step.action for step in steps],
            "Worked": ["yes" if step.ok else "no" for step in steps],
            "View to press, s": pd.array(thought, dtype="Float64"),
            "Press to next view, s": pd.array(waited, dtype="Float64"),
            "Belief": [answer for answer, _ in said],
            "Confidence": pd.array([sure for _, sure in said], dtype="Int64"),
            "x, m": [round(step.pose.position_m[0], 2) for step in steps],
            "y, m": [round(step.pose.position_m[1], 2) for step in steps],
            "z, m": [round(step.pose.position_m[2], 2) for step in steps],
        }
    )
