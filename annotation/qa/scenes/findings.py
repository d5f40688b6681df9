"""What poses say of an item: agreement, contradiction, or that it cannot be told; and which object a box stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotation.qa.errors import Problem
from annotation.qa.items import Mark
from annotation.qa.scenes import geometry
from annotation.qa.scenes.scene import Scene, known_objects
from data.robot.records import Body

LEAST_OVERLAP = 0.3
"""A box that overlaps no object's projection more than this (shared by joint area) stands for none."""
RIVAL = 0.75
"""Another object that a box overlaps at least this share as well as the best one makes it ambiguous."""

Status = Literal["agrees", "contradicts", "unclear", "unknown"]


@dataclass(frozen=True)
class Finding:
    """What the poses say of an item."""

    status: Status
    """``unclear``: a box is ambiguous, or two distances too close to tell; ``unknown``: no truth here, or a subtask without a judge."""
    problems: list[Problem] = field(default_factory=list)


UNKNOWN = Finding("unknown")


def identify(scene: Scene, mark: Mark) -> tuple[Body | None, Problem | None]:
    """The object that a box stands for, or what hinders."""
    what = f"The {mark.colour} box in {mark.view}"
    camera = scene.cameras.get(mark.view)
    if camera is None or len(mark.points) != 2:
        return None, Problem(f"marks.{mark.id}", f"{what} cannot be held to the poses: the view is not calibrated, or the box half drawn.")
    drawn = (mark.points[0], mark.points[1])
    scored: list[tuple[float, Body]] = []
    for body in known_objects(scene.truth):
        box = geometry.bounds(camera, body.size, body.pose)
        scored.append((geometry.overlap(drawn, box) if box is not None else 0.0, body))
    scored.sort(key=lambda entry: -entry[0])
    if not scored or scored[0][0] < LEAST_OVERLAP:
        return None, Problem(f"marks.{mark.id}", f"{what} is on no known object: the poses cannot say what is in it.")
    best, thing = scored[0]
    if len(scored) > 1 and scored[1][0] >= RIVAL * best:
        rival = scored[1][1]
        words = f"{what} may be the {thing.name} or the {rival.name}: draw it closer around one of them."
        return None, Problem(f"marks.{mark.id}", words)
    return thing, None


def boxed(scene: Scene, marks: Sequence[Mark]) -> tuple[dict[str, Body], list[Problem]]:
    """Colour → object, and the boxes for which that cannot be told."""
    found: dict[str, Body] = {}
    problems = []
    for mark in marks:
        thing, problem = identify(scene, mark)
        if thing is not None:
            found[mark.colour] = thing
        elif problem is not None:
            problems.append(problem)
    return found, problems
