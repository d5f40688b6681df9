"""Tasks to be looked at: the start view, the view that shows most of what the answer depends on, and beside them what the row says."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from data.fidelity import fidelity
from data.generators.lab import Lab
from data.importers.geometry import look_at
from data.task import Answer, Task
from sim_bridge.encoding import decode_frame
from sim_bridge.spec import Frame, Pose

WIDTH, HEIGHT = 640, 360
"""Of one view on a sheet, pixels."""
TEXT_WIDTH, MARGIN, LINE = 520, 10, 17
CHARACTERS = 78
"""Of a line of text."""
SEEN_PIXELS = 60
"""A thing counts as seen from there on (of 960 × 540)."""
ABOVE_M, BEFORE_M = 1.1, 0.4
"""Height over the things, and distance before them, of the view from above."""


@dataclass(frozen=True)
class Shown:
    """Two views of a task."""

    start: Frame
    revealing: Frame
    label: str
    """Which view the second is."""
    seen: tuple[int, int]
    """How many of the things that the answer depends on it shows, and of how many."""


def views_of(lab: Lab, task: Task) -> Shown:
    """Load a task's scene, in its last part where it has several, and take its two views.

    Raises:
        BridgeError: the simulator refuses the scene.
    """
    with lab.open(task.scene, task.start, actions=task.actions) as trial:
        start = trial.first.observation.frames[-1]
        part = ""
        if len(task.scene.phases) > 1:
            part = f", part {len(task.scene.phases)}"
            for phase in task.scene.phases[1:]:
                trial.phase(phase.name)
        cameras = {"the same place": task.start} if part else {}
        recorded = {f"recorded view {view.label}": view.pose for view in task.views.get("recorded", ())}
        cameras |= recorded or {"from above": _above(task, task.essential)}
        cameras |= {f"from above vessel {n}": _above(task, (handle,)) for n, handle in enumerate(task.vessels, start=1)}
        counts = dict(zip(cameras, trial.visible(list(cameras.values())), strict=True))
        label = most_telling(counts, task.essential)
        (revealing,) = trial.frames([cameras[label]])
        seen = sum(counts[label].get(handle, 0) >= SEEN_PIXELS for handle in task.essential)
        return Shown(start, revealing, f"{label}{part}", (seen, len(task.essential)))


def most_telling(counts: Mapping[str, Mapping[str, int]], essential: Sequence[str]) -> str:
    """The view that shows the most of some things, and of those the one in which the least seen of them is largest.

    Args:
        counts: view → pixels of each thing in it, those with none left out.
        essential: handles of the things.
    """

    def shows(view: str) -> tuple[int, int]:
        pixels = [counts[view].get(handle, 0) for handle in essential]
        seen = [count for count in pixels if count >= SEEN_PIXELS]
        return len(seen), min(seen, default=0)

    return max(counts, key=shows)


def _above(task: Task, handles: Sequence[str]) -> Pose:
    things = [o.pose.position_m for o in task.scene.objects if o.handle in handles] or [task.start.position_m]
    x, y, z = (sum(axis) / len(things) for axis in zip(*things, strict=True))
    return look_at((x, y - BEFORE_M, z + ABOVE_M), (x, y, z))


def told(task: Task, shown: Shown) -> list[str]:
    """What the row says of itself, in lines: question, answer, where its things are, and how near the scene comes."""
    how = fidelity(task)
    lines = [f"{task.task_id}: {task.category}, {task.subcategory}", task.question.text]
    offered = (*task.question.options, *task.question.targets)
    lines += [f"Options: {', '.join(offered)}"] if offered else []
    lines.append(f"Answer: {_words(task.gold.accepted[0])}")
    for thing in task.scene.objects:
        if thing.handle in task.essential:
            at = ", ".join(f"{v:.2f}" for v in thing.pose.position_m)
            size = " x ".join(f"{v:.2f}" for v in thing.size_m) if thing.size_m else "of the usual size"
            lines.append(f"- {thing.category.replace('_', ' ')} at ({at}) m, {size}")
    seen, of = shown.seen
    return [*lines, f"Second picture: {shown.label}; it shows {seen} of {of} things.", *([how.sentence] if how else [])]


def _words(answer: Answer) -> str:
    if isinstance(answer, dict):
        return ", ".join(f"{name}: {value}" for name, value in answer.items())
    return answer if isinstance(answer, str) else ", ".join(answer)


def sheet(task: Task, shown: Shown) -> Image.Image:
    """The two views side by side, and what the row says."""
    lines = [part for line in told(task, shown) for part in textwrap.wrap(line, CHARACTERS) or [""]]
    height = max(HEIGHT, 2 * MARGIN + LINE * len(lines))
    page = Image.new("RGB", (2 * WIDTH + TEXT_WIDTH, height), "white")
    for n, frame in enumerate((shown.start, shown.revealing)):
        page.paste(Image.fromarray(decode_frame(frame)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS), (n * WIDTH, 0))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(13)
    for n, line in enumerate(lines):
        draw.text((2 * WIDTH + MARGIN, MARGIN + LINE * n), line, fill="black", font=font)
    return page
