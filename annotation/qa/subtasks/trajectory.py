"""Trajectory Selection: which coloured track most likely completes the task?"""

from __future__ import annotations

import random

from annotation.qa.subtasks.base import (
    STANDARD,
    TASKS,
    Item,
    Mark,
    MarkRule,
    Problem,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    blank,
    colour_options,
    colours_drawn,
    finish,
    one_per_view,
    option_colours,
    same_colours,
    sentence,
    some_points,
)


def question(item: Item) -> str:
    task = sentence(item.slots.get("task", "")).rstrip(".")
    return f"{task}: which colour track most likely completes the task?"


def options(item: Item) -> Proposal:
    """One option per colour drawn."""
    return colour_options(item, [colour.capitalize() for colour in colours_drawn(item.marks)])


def check(item: Item) -> list[Problem]:
    colours, unclear = option_colours(item)
    problems = unclear + one_per_view(item.marks, "tracks") + same_colours(item, colours, STANDARD)
    missing = [colour for colour in STANDARD if colour not in colours_drawn(item.marks)]
    if missing:
        problems.append(Problem("marks", f"Five tracks are needed, one of each colour; missing: {', '.join(missing)}."))
    seen: dict[tuple[str, tuple[tuple[float, float], ...]], Mark] = {}
    for mark in item.marks:
        same = seen.setdefault((mark.view, mark.points), mark)
        if same is not mark:
            problems.append(Problem(f"marks.{mark.id}", f"The {mark.colour} and the {same.colour} track in {mark.view} are the same line."))
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    views = rng.sample(scenery.views, rng.randint(1, 2))
    item = blank(scenery, "trajectory", views[0].view, {"task": rng.choice(TASKS)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(
        Mark(id=f"m{k}{n}", view=view.view, kind="track", colour=colour, points=some_points(rng, view, rng.randint(3, 6)))
        for k, colour in enumerate(colours)
        for n, view in enumerate(views)
    )
    item = finish(item, rng, [c.capitalize() for c in colours], ["misses", "collision", "wrong_end", "by_hand"], marks=marks)
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="trajectory",
    name="Trajectory Selection",
    asked="which drawn track completes the task",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(("track",), STANDARD, "any"),
    option_kind="colour",
    slots=(Slot("task", "What the robot is to do"),),
    distractors={
        "misses": "Passes beside the object.",
        "collision": "Leads through something, seen in another view.",
        "wrong_end": "Ends at the wrong place.",
        "by_hand": "Another wrong track.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    advice="One track alone may be feasible in all views together.",
)
