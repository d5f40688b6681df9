"""For golds recomputed from the scene document alone: plain numpy, none of the generators' or judges' code.

A file ``test_recomputed_NAME.py`` for each group of kinds takes the bundled tasks of a generator (`made_by`) and compares their golds with
what follows from where things stand (`base`), how they stand (`axes`) and where the camera is (`eye`, `view`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.generators.registry import benchmark
from data.task import Task
from sim_bridge.spec import Object

Floats = NDArray[np.float64]


def made_by(slug: str) -> list[Task]:
    """The bundled tasks of a generator."""
    found = [t for t in benchmark() if t.provenance.generator.split()[0] == slug]
    assert len(found) >= 20, slug
    return found


def asked(task: Task) -> list[Object]:
    """What the question is about, in its order."""
    there = {o.handle: o for o in task.scene.objects}
    assert task.question.ask is not None
    return [there[h] for h in task.question.ask.things]


def axes(quaternion_xyzw: Any) -> Floats:
    """Rotation matrix: its columns are the own axes in the world."""
    x, y, z, w = quaternion_xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def base(o: Object) -> Floats:
    """Middle of the lower face, metres."""
    return np.array(o.pose.position_m)


def middle(o: Object) -> Floats:
    """Middle of its box, metres."""
    assert o.size_m is not None
    found: Floats = base(o) + axes(o.pose.quaternion_xyzw) @ np.array([0.0, 0.0, o.size_m[2] / 2])
    return found


def eye(task: Task) -> Floats:
    return np.array(task.start.position_m)


def view(task: Task) -> tuple[Floats, Floats]:
    """Unit vectors from above, (x, y): to the right of the start camera, and ahead of it."""
    turned = axes(task.start.quaternion_xyzw)
    right = turned[:2, 0] / np.linalg.norm(turned[:2, 0])
    return right, np.array([-right[1], right[0]])


def bearing_deg(task: Task, point: Floats) -> float:
    """Angle to the right of the start view's axis, from above."""
    right, ahead = view(task)
    to = point[:2] - eye(task)[:2]
    return float(np.degrees(np.arctan2(to @ right, to @ ahead)))
