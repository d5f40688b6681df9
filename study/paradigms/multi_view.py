"""Multi-view: one frozen set of views along a random walk from the start, all at once; no order but the first, and no action.

Which views: `study.walking`. Of a task in parts, half from each, shown as its parts.
"""

from __future__ import annotations

from study.frozen import RANDOM_WALK
from study.paradigms.paradigm import Paradigm, not_in_scene

VIEWS = 30
"""Views of a set; the budget of whoever acts (ESI-Bench §4.1)."""

PARADIGM = Paradigm(
    name="multi_view",
    meaning="30 views along a random walk from the start, all at once and in no order (the start view first), and no action",
    published="multi",
    unfit=not_in_scene,
    opens="grid",
    component="play",
    views=VIEWS,
    frozen=RANDOM_WALK,
)
