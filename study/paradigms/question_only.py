"""Question only: the text alone, without any picture. What can be answered so needs no looking (measurement 23)."""

from __future__ import annotations

from study.paradigms.paradigm import Paradigm, not_in_scene

PARADIGM = Paradigm(
    name="question_only",
    meaning="the question alone, and no picture",
    unfit=not_in_scene,
    opens="words",
    component="play",
    views=0,
)
