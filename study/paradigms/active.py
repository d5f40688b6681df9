"""Active exploration: every observation after the first follows from an action of one's own."""

from __future__ import annotations

from data.task import Task
from study.paradigms.paradigm import Paradigm, not_in_scene


def _unfit(task: Task) -> str:
    return not_in_scene(task) or ("" if task.actions else "has no actions: where its pictures were taken is not known")


PARADIGM = Paradigm(
    name="active",
    meaning="every observation follows from an own action",
    published="active",
    unfit=_unfit,
    opens="start_view",
    component="play",
    acts=True,
    released_results=True,
    disputes=True,
)
