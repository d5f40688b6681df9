"""Own tasks in the embedded simulator: twins begin alike, and their ground-truth trajectories show what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from data.generators.evidence import gather, missing
from data.generators.registry import GENERATORS, bundled
from data.task import Task
from sim_bridge.backends.mujoco import create, gl
from sim_bridge.encoding import decode_frame
from sim_bridge.spec import Frame

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")

TASKS = {t.task_id: t for t in bundled()}
FIRST_VIEW_DIFFERENCE = 1.0
"""Mean absolute difference of two start views, 0..255: the bound every pair keeps."""


@pytest.fixture(scope="module")
def backend() -> Iterator[object]:
    yield create()


def pixels(frame: Frame) -> np.ndarray:
    return decode_frame(frame).astype(float)


@pytest.mark.parametrize("slug", [g.slug for g in GENERATORS])
def test_twins_begin_alike_and_end_apart(slug: str, backend) -> None:  # type: ignore[no-untyped-def]
    a, b = TASKS[f"own-{slug}-001a"], TASKS[f"own-{slug}-001b"]
    found = {t.task_id: gather(t, backend) for t in (a, b)}
    for task in (a, b):
        assert missing(task, found[task.task_id]) == [], task.task_id
    difference = np.abs(pixels(found[a.task_id].first) - pixels(found[b.task_id].first)).mean()
    assert difference < FIRST_VIEW_DIFFERENCE
    if slug in ("counting", "change"):
        assert difference == 0  # the same picture, to the last pixel
        _hidden_at_first(a, found[a.task_id].at_start)
        _hidden_at_first(b, found[b.task_id].at_start)


def _hidden_at_first(task: Task, at_start: dict[str, int]) -> None:
    boxes = {o.handle for o in task.scene.objects if o.category in ("packing_box", "carton")}
    assert set(at_start) <= boxes


def test_the_practice_task_can_be_solved_by_its_trajectory(backend) -> None:  # type: ignore[no-untyped-def]
    task = TASKS["own-practice-001"]
    found = gather(task, backend)
    assert missing(task, found) == []
    assert "object_2" not in found.at_start
