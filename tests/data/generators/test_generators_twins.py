"""Own tasks in the embedded simulator: twins begin alike, and their ground-truth trajectories show what tells them apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.generators.framework import FIRST_VIEW_DIFFERENCE, Generator, first_views, problems
from data.generators.lab import Lab, Playing, difference, play
from data.generators.registry import GENERATORS, bundled
from data.task import Task
from sim_bridge.backends.mujoco.engine import gl

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")

TASKS = {t.task_id: t for t in bundled()}


@pytest.mark.parametrize("slug", [g.slug for g in GENERATORS if f"own-{g.slug}-001a" in TASKS])
def test_twins_begin_alike_and_end_apart(slug: str, lab: Lab) -> None:
    generator = next(g for g in GENERATORS if g.slug == slug)
    a, b = TASKS[f"own-{slug}-001a"], TASKS[f"own-{slug}-001b"]
    played = {t.task_id: play(lab, t, pictures=False) for t in (a, b)}
    for task in (a, b):
        assert problems(generator, played[task.task_id]) == [], task.task_id
        _another_wording_changes_nothing(generator, played[task.task_id])
    assert first_views(a, played[a.task_id], played[b.task_id].first.frame) == ""
    found = difference(played[a.task_id].first.frame, played[b.task_id].first.frame)
    if not isinstance(a.first_view, str):
        assert found < FIRST_VIEW_DIFFERENCE
    if slug in ("counting", "change"):
        assert found == 0  # the same picture, to the last pixel
        _hidden_at_first(a, played[a.task_id])
        _hidden_at_first(b, played[b.task_id])


def _another_wording_changes_nothing(generator: Generator, played: Playing) -> None:
    """A translated question is judged as it was."""
    asked = played.task.question.model_copy(update={"text": "Was siehst du?", "note": "Schau genau hin."})
    reworded = replace(played, task=played.task.model_copy(update={"question": asked}))
    assert generator.judge is not None
    assert generator.judge(reworded) == generator.judge(played) in played.task.gold.accepted


def _hidden_at_first(task: Task, played: Playing) -> None:
    shown = {e.handle for e in task.evidence if e.kind == "seen" and e.step == 0}
    hidden = {*task.essential} - {*(task.question.ask.things if task.question.ask else ())} - shown
    assert hidden and not hidden & set(played.first.visible)


def test_the_practice_task_can_be_solved_by_its_trajectory(lab: Lab) -> None:
    task = TASKS["own-practice-001"]
    played = play(lab, task, pictures=False)
    assert played.last.visible["object_2"] >= 60 and not any(s.clipped for s in played.steps)
    assert "object_2" not in played.first.visible
