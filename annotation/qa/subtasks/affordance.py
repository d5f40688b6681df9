"""Affordance Recognition: which coloured grasp line is most likely to succeed? Each colour stands exactly once over all views."""

from __future__ import annotations

import random
from collections import Counter

from annotation.qa.subtasks.base import (
    STANDARD,
    THINGS,
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
    option_colours,
    same_colours,
    some_points,
)


def question(item: Item) -> str:
    thing = item.slots.get("item", "").strip()
    if not thing:
        return "Which colour-coded line is the grasp most likely to succeed?"
    return f"To grasp the {thing}, which colour-coded line is the grasp most likely to succeed?"


def options(item: Item) -> Proposal:
    """One option per colour drawn."""
    return colour_options(item, [colour.capitalize() for colour in colours_drawn(item.marks)])


def check(item: Item) -> list[Problem]:
    colours, unclear = option_colours(item)
    problems = unclear + same_colours(item, colours, STANDARD)
    counts = Counter(mark.colour for mark in item.marks)
    for colour in STANDARD:
        if counts[colour] != 1:
            n = counts[colour] or "no"
            problems.append(
                Problem("marks", f"There {'is' if n == 'no' else 'are'} {n} {colour} line{'' if n == 'no' else 's'}: one over all views.")
            )
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    item = blank(scenery, "affordance", rng.choice(scenery.views).view, {"item": rng.choice(THINGS)})
    colours = rng.sample(STANDARD, 5)
    marks = tuple(
        Mark(id=f"m{k}", view=view.view, kind="grasp", colour=colour, points=some_points(rng, view, 2))
        for k, colour in enumerate(colours)
        for view in [rng.choice(scenery.views)]
    )
    item = finish(item, rng, [c.capitalize() for c in colours], ["orientation", "collision", "instability", "orientation"], marks=marks)
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="affordance",
    name="Affordance Recognition",
    asked="where the fingers should grasp an object",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(("grasp",), STANDARD, "any"),
    option_kind="colour",
    slots=(Slot("item", "What is to be grasped, where several things could be", required=False),),
    distractors={
        "orientation": "The fingers close along the wrong direction.",
        "collision": "The fingers hit something.",
        "instability": "The object would slip or tip.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    advice="The ends of a line are where the fingers close.",
)
