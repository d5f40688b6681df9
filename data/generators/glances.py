"""Does the first view give the answer away? A ridge classifier on its pixels, judged on pairs of twins that it has not learned from.

Per subcategory the classes are the answers, or, where tasks have options of their own, the place of the gold among them. One pair of twins
is held out at a time (leave-one-group-out cross-validation). In every fold the classes weigh alike: golds are exactly even, so that a class
of which one is held out is rarer in the rest, and a classifier that follows frequencies would be wrong more often than by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.generators.balance import answer_text, position
from data.generators.lab import Lab, pixels
from data.task import Task
from sim_bridge.spec import Frame

Floats = NDArray[np.float64]
GRID = (24, 32)
"""A picture becomes the mean colours of so many rows and columns of patches."""
RIDGE = 1.0
"""Beside a kernel whose mean over a picture with itself is 1."""


def glance(frame: Frame) -> Floats:
    """The mean colours of a picture's patches, shape (GRID[0] · GRID[1] · 3,), 0..255."""
    picture = pixels(frame)
    (rows, columns), (high, wide, _) = GRID, picture.shape
    cut = picture[: high // rows * rows, : wide // columns * columns]
    return np.asarray(cut.reshape(rows, high // rows, columns, wide // columns, 3).mean((1, 3)).ravel(), dtype=np.float64)


def first_glance(task: Task, lab: Lab) -> Floats:
    """The first view of a task, shape (features,)."""
    with lab.open(task.scene, task.start) as trial:
        return glance(trial.first.observation.frames[-1])


def classes(tasks: Sequence[Task]) -> list[str]:
    """What is to be guessed of each task of one subcategory: its answer, or the place of the gold among options of its own."""
    fixed = len({(frozenset(t.question.options), repr(t.question.blanks)) for t in tasks}) == 1
    return [answer_text(t) if fixed or position(t) is None else str(position(t)) for t in tasks]


def guessed(features: Floats, known: Sequence[str], group: Sequence[str]) -> list[bool]:
    """Whether each class is guessed from the features of the other groups.

    Args:
        features: shape (tasks, features).
        known: the class of each task.
        group: to which group each belongs; twins are one.
    """
    names = sorted(set(known))
    each = np.array([names.index(name) for name in known])
    spread = features.std(0)
    x = (features - features.mean(0))[:, spread > 0] / spread[spread > 0]
    kernel = x @ x.T
    kernel /= max(float(np.trace(kernel)) / len(x), 1e-9)
    told = [False] * len(x)
    of = np.array([sorted(set(group)).index(g) for g in group])
    for held in range(int(of.max()) + 1):
        learn = np.flatnonzero(of != held)
        count = np.bincount(each[learn], minlength=len(names))
        weight = len(learn) / (np.count_nonzero(count) * count[each[learn]])
        wanted = np.eye(len(names))[each[learn]] - 1 / len(names)
        alpha = np.linalg.solve(kernel[np.ix_(learn, learn)] + RIDGE * np.diag(1 / weight), wanted)
        for n in np.flatnonzero(of == held):
            told[n] = bool(np.argmax(kernel[n, learn] @ alpha) == each[n])
    return told


def report(tasks: Sequence[Task], features: Floats) -> list[dict[str, Any]]:
    """Per subcategory: how many golds are guessed from the first view, of how many, and by chance."""
    kinds = sorted({(t.category, t.subcategory) for t in tasks})
    rows = []
    for kind in kinds:
        mine = [n for n, t in enumerate(tasks) if (t.category, t.subcategory) == kind]
        some = [tasks[n] for n in mine]
        told = guessed(features[mine], classes(some), [min(t.task_id, t.twin or t.task_id) for t in some])
        rows.append(
            {
                "category": kind[0], "subcategory": kind[1], "right": sum(told), "tasks": len(told),
                "chance": round(1 / len(set(classes(some))), 4),
            }
        )  # fmt: skip
    return rows
