"""Ground-truth passive: the pictures along the ground-truth trajectory, in order, without a word of the actions (measurement 4).

The set is frozen (`study.ground_truth`): everybody is shown the same bytes. A picture on the way of an action (a slide, a pour) is a
picture of its own.
"""

from __future__ import annotations

from data.task import Task
from study.paradigms.paradigm import Paradigm, not_in_scene


def _unfit(task: Task) -> str:
    return not_in_scene(task) or ("" if task.gt_trajectory else "has no ground-truth trajectory: record one")


PARADIGM = Paradigm(
    name="gt_passive",
    meaning="the pictures along the ground-truth trajectory, one after the other, and no action",
    published="ground_truth",
    unfit=_unfit,
    opens="frames",
    component="play",
    frozen="ground_truth",
    disputes=True,
)
