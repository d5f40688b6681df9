"""Metadata only: the question and an unordered list of the kinds of things that it is about; no picture.

The kinds are those of the things that the question names and the one that it counts, never of what is to be found out, so the list is the
same for tasks that differ only in gold.
"""

from __future__ import annotations

from data.task import Task
from study.objects import spoken_of
from study.paradigms.paradigm import Paradigm, not_in_scene


def _unfit(task: Task) -> str:
    if why := not_in_scene(task):
        return why
    return "" if spoken_of(task) else "names no kind of thing, so that there is nothing to list"


PARADIGM = Paradigm(
    name="metadata_only",
    meaning="the question and the kinds of things that it is about, in no order, and no picture",
    unfit=_unfit,
    opens="words",
    component="play",
    views=0,
    tells=spoken_of,
)
