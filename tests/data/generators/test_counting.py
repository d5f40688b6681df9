"""Counting kinds, from the scene document alone: how many there are, what the start view cannot show, and what stands on furniture."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from data.generators.enumerative import ENCLOSURES, GENERATORS, ON_FURNITURE, ON_SIDE_TABLES
from data.generators.framework import generate
from data.generators.stages import TABLE
from data.task import Task
from sim_bridge.spec import Object
from tests.data.generators.recomputing import Floats, axes, eye, middle, view

DRAFTS = {g.slug: generate(g, seed=1, pairs=16).tasks for g in GENERATORS}
EACH = pytest.mark.parametrize("slug", sorted(DRAFTS))
RAISED = (TABLE, ON_FURNITURE, ON_SIDE_TABLES)
"""Layouts in which things stand on furniture."""


def corners(o: Object) -> Floats:
    assert o.size_m is not None
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    found: Floats = middle(o) + signs * np.array(o.size_m) @ axes(o.pose.quaternion_xyzw).T
    return found


def blocked(start: Floats, end: Floats, by: Object) -> bool:
    """Whether a straight line enters the box around a thing."""
    assert by.size_m is not None
    turned, half = axes(by.pose.quaternion_xyzw), np.array(by.size_m) / 2
    points = np.linspace(start, end, 400)
    inside = np.abs((points - middle(by)) @ turned) < half
    return bool(inside.all(axis=1).any())


def hidden(task: Task, o: Object) -> bool:
    """Whether each corner of a thing lies behind one thing or another, or it is in a closed box."""
    others = [b for b in task.scene.objects if b.handle not in task.essential or b.category == o.category]
    if any(b.category in ENCLOSURES and blocked(middle(o) - 1e-6, middle(o), b) for b in others):
        return True
    return all(any(blocked(eye(task), c, b) for b in others if b.handle != o.handle) for c in corners(o) * 0.999 + 0.001 * middle(o))


@EACH
def test_the_gold_is_how_many_there_are_and_what_differs_is_hidden(slug: str) -> None:
    tasks = {t.task_id: t for t in DRAFTS[slug]}
    for task in tasks.values():
        kind = task.question.ask.category if task.question.ask else ""
        there = [o for o in task.scene.objects if o.category == kind]
        assert task.gold.accepted == (str(len(there)),)
        theirs = {o.handle: o for o in tasks[task.twin or ""].scene.objects}
        differing = [o for o in task.scene.objects if theirs.get(o.handle) != o]
        assert len(differing) <= 1 and all(hidden(task, o) for o in differing)


@EACH
def test_the_note_says_where_they_are_and_they_are_there(slug: str) -> None:
    for task in DRAFTS[slug]:
        note, kind = task.question.note, task.question.ask.category if task.question.ask else ""
        assert "the part of the room that you see when you start" in note
        assert ("four closed boxes" in note) == ("open" in task.actions) == (slug == "boxed")
        right, ahead = view(task)
        across = np.tan(np.radians(task.scene.camera.hfov_deg / 2))
        for o in task.scene.objects:
            if o.category == kind:
                away = (middle(o) - eye(task))[:2]
                assert abs(away @ right) < across * (away @ ahead), "beside the first view"
        if slug == "boxed":
            assert sum(o.category in ENCLOSURES for o in task.scene.objects) == 4


@EACH
def test_things_also_stand_on_furniture(slug: str) -> None:
    raised = [t for t in DRAFTS[slug] if t.tags["layout"] in RAISED]
    assert len(raised) >= 4
    for task in raised:
        high = [o for o in task.scene.objects if o.pose.position_m[2] > 0.3]
        assert high, task.task_id
        for o in high:
            below = [b for b in task.scene.objects if b.handle != o.handle and b.size_m and blocked(middle(o), middle(o) * [1, 1, 0], b)]
            assert below, f"{o.category} hangs in the air"
