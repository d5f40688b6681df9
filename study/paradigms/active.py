"""Active exploration: every observation after the first follows from an action of one's own."""

from __future__ import annotations

from study.paradigms.paradigm import Paradigm, not_in_scene

PARADIGM = Paradigm(
    name="active",
    meaning="every observation follows from an own action",
    published="active",
    unfit=not_in_scene,
    opens="start_view",
    component="play",
    acts=True,
    released_results=True,
    disputes=True,
)
