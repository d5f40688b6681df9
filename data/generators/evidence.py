"""Does the ground-truth trajectory reveal the answer? Played in a simulator, judged by segmentation."""

from __future__ import annotations

from dataclasses import dataclass

from data.task import Task
from sim_bridge.actions import parse_action
from sim_bridge.backend import Backend
from sim_bridge.spec import Frame

ENOUGH_PIXELS = 60
"""Pixels (of 640 × 480) at which a small thing is recognised in a lossless frame; about 8 × 8."""


@dataclass(frozen=True)
class Evidence:
    """What one playing of the ground-truth trajectory showed."""

    first: Frame
    """The start view."""
    at_start: dict[str, int]
    """handle → pixels in the start view."""
    at_end: tuple[dict[str, int], ...]
    """The same at the end of the trajectory, per phase."""
    clipped: bool
    """Whether any view on the way was inside something."""


def gather(task: Task, backend: Backend, session: str = "evidence") -> Evidence:
    """Play the trajectory (each phase its own part) and note what is visible at its start and end."""
    split = int(task.tags.get("gt_phase_1_actions", len(task.gt_trajectory)))
    parts = [p for p in (task.gt_trajectory[:split], task.gt_trajectory[split:]) if p]
    opening = backend.load(session, task.scene, task.start, task.provenance.seed or 0)
    clipped, at_end = opening.clipped, []
    try:
        for i, part in enumerate(parts):
            if i > 0:
                backend.set_phase(session, task.scene.phases[i].name)
            for n, action in enumerate(part):
                seen = backend.act(session, parse_action(action), render=n == len(part) - 1).observation
                clipped = clipped or seen.clipped
            at_end.append(dict(seen.visible))
    finally:
        backend.close(session)
    return Evidence(opening.frames[-1], dict(opening.visible), tuple(at_end), clipped)


def missing(task: Task, found: Evidence) -> list[str]:
    """Essential handles that no end of the trajectory shows well enough, and anything else that makes the trajectory no proof."""
    best = {h: max((seen.get(h, 0) for seen in found.at_end), default=0) for h in task.essential}
    reasons = [f"{handle} shows {pixels} pixels" for handle, pixels in best.items() if pixels < ENOUGH_PIXELS]
    return reasons + (["the camera passes through something"] if found.clipped else [])
