"""Is a fresh task new: what it asks, of which kinds of things, at which spots; and how many question texts it shares with a set.

Spots are seen from the start camera (to its right, ahead), so that the same layout in another corner of another room is the same layout.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from data.task import Task
from sim_bridge.kinematics import heading

SPOT_M = 0.05
"""Spots nearer than this are the same, metres."""

Spot = tuple[str, float, float]
"""Category, metres to the right of the start camera, metres ahead of it."""


def asked_spots(task: Task) -> list[Spot]:
    """What the answer depends on and where it stands, sorted by category and place."""
    ask = task.question.ask
    handles = {*task.essential, *((*ask.things, ask.against) if ask else ())}
    (x0, y0, _), (ahead_x, ahead_y) = task.start.position_m, heading(task.start)
    found = []
    for o in task.scene.objects:
        if o.handle in handles:
            x, y = o.pose.position_m[0] - x0, o.pose.position_m[1] - y0
            found.append((o.category, x * ahead_y - y * ahead_x, x * ahead_x + y * ahead_y))
    return sorted(found)


class Known:
    """Tasks that a fresh one must not repeat."""

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._asked: dict[tuple[Any, ...], list[list[Spot]]] = defaultdict(list)
        for task in tasks:
            self.add(task)

    def add(self, task: Task) -> None:
        """From now on this one is known too."""
        self._asked[_fact(task)].append(asked_spots(task))

    def has(self, task: Task) -> bool:
        """Whether a known task asks the same fact of the same categories, those offered as answers included, at the same spots (of a house:
        in the same house)."""
        spots = asked_spots(task)
        return any(_same(spots, other) for other in self._asked.get(_fact(task), ()))


def _fact(task: Task) -> tuple[Any, ...]:
    ask, house = task.question.ask, task.scene.house
    asked = (ask.what, ask.category, ask.rooms, ask.given) if ask else (task.question.text,)
    there = tuple(c for c, _, _ in asked_spots(task))
    # where the answers are kinds of things, those are asked about too
    kinds = frozenset(task.question.options) if {o.replace(" ", "_") for o in task.question.options} & {*there} else None
    return task.category, task.subcategory, asked, kinds, there, repr(house) if house else ""


def _same(one: Sequence[Spot], other: Sequence[Spot]) -> bool:
    """Whether every thing of one stands where one of its kind of the other does, one to one."""
    left = list(other)
    for category, x, y in one:
        near = next((s for s in left if s[0] == category and math.dist((x, y), s[1:]) < SPOT_M), None)
        if near is None:
            return False
        left.remove(near)
    return True


def named_in(task: Task) -> frozenset[str]:
    """Objects, kinds and rooms that its question's text names."""
    ask, question = task.question.ask, task.question
    words = {*task.names.values(), *(question.options if question.form == "choice" else ())}
    found = {w for w in words if w.lower() in question.text.lower()}
    return frozenset({*found, *((ask.category, *ask.rooms) if ask else ())} - {""})


def naming_kinds(tasks: Iterable[Task]) -> set[tuple[str, str]]:
    """Subcategories whose questions name objects or rooms, one question others than another ("the cloth" in each names nothing)."""
    named: dict[tuple[str, str], set[frozenset[str]]] = defaultdict(set)
    for task in tasks:
        named[(task.category, task.subcategory)].add(named_in(task))
    return {kind for kind, found in named.items() if len(found) > 1}


def repeated(fresh: Sequence[Task], known: Sequence[Task]) -> dict[str, Any]:
    """How many fresh tasks have a question text that a known one has.

    Returns:
        ``{"all", "naming"}``, each ``{"tasks", "repeated", "share"}``; ``naming``: of the kinds whose question names objects or rooms.
        A share is None where there is no task.
    """
    texts, kinds = {t.question.text for t in known}, naming_kinds([*known, *fresh])
    return {
        name: {
            "tasks": len(of),
            "repeated": (n := sum(t.question.text in texts for t in of)),
            "share": round(n / len(of), 4) if of else None,
        }
        for name, of in (("all", fresh), ("naming", [t for t in fresh if (t.category, t.subcategory) in kinds]))
    }
