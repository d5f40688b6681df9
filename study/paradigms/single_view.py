"""Single view: the start view only. In a task with phases it is the first phase's, before anything has changed."""

from __future__ import annotations

from study.paradigms.paradigm import Paradigm, not_in_scene

PARADIGM = Paradigm(
    name="single_view",
    meaning="the start view only, of a task in parts the first part's, and no action",
    published="single",
    unfit=not_in_scene,
    opens="start_view",
    component="play",
)
