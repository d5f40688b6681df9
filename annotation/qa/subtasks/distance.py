"""Distance Judgement: which boxed object is nearest to, or farthest from, the gripper? The boxes are in one view only."""

from __future__ import annotations

import random
from collections import Counter

from annotation.qa.subtasks.base import (
    STANDARD,
    VIEWS,
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
    count_views,
    finish,
    folded,
    one_per_view,
    option_colours,
    same_colours,
    some_box,
    view_word,
)

SIDES = ("left", "right")


def question(item: Item) -> str:
    extreme = item.slots.get("extreme", "") or "shortest"
    views = f"{count_views(item)} of one moment are given; only {view_word(item)} has coloured boxes. "
    if len(item.views) == 1:
        views = f"One view is given, {view_word(item)}, with coloured boxes. "
    return f"{views}Which option has the {extreme} grasping distance?"


def write(colour: str, side: str | None) -> str:
    """An option: with a gripper for a dual arm."""
    return f"Grab the item in the {colour} box" + (f" with the {side} gripper" if side else "")


def options(item: Item) -> Proposal:
    """One option per box. For a dual arm each takes the gripper of the image half in which its box lies; the author may change it."""
    texts = []
    for colour in colours_drawn(item.marks):
        mark = next(m for m in item.marks if m.colour == colour)
        view = item.view(mark.view)
        side = None
        if item.arm == "dual" and view is not None and mark.points:
            side = "left" if sum(x for x, _ in mark.points) / len(mark.points) < view.width / 2 else "right"
        known = next((t for t in item.options.values() if f"the {colour} box" in t), None)
        texts.append(known or write(colour, side))
    return colour_options(item, texts)


def gripper(text: str) -> str | None:
    """The gripper that an option names."""
    found = [side for side in SIDES if f"{side} gripper" in folded(text)]
    return found[0] if len(found) == 1 else None


def check(item: Item) -> list[Problem]:
    problems = []
    views = sorted({m.view for m in item.marks})
    if len(views) > 1:
        problems.append(Problem("marks", f"All boxes must lie in one view, they lie in {', '.join(views)}."))
    elif views and views[0] != item.reference_view:
        problems.append(
            Problem("reference_view", f"The boxes lie in {views[0]}, the question speaks of {item.reference_view}: choose one view.")
        )
    colours, unclear = option_colours(item)
    problems += unclear + one_per_view(item.marks, "boxes") + same_colours(item, colours, STANDARD)
    if "none" in colours.values():
        problems.append(Problem("options", "This subtask has no None option."))
    keys: Counter[tuple[str, str | None]] = Counter()
    for letter, text in item.options.items():
        side = gripper(text)
        if item.arm == "dual" and text.strip() and side is None:
            problems.append(Problem(f"options.{letter}", f"Option {letter} must say which gripper grabs, left or right."))
        if item.arm == "single" and side is not None:
            problems.append(Problem(f"options.{letter}", f"Option {letter} names the {side} gripper, this robot has one arm."))
        if letter in colours:
            keys[(colours[letter], side)] += 1
    for (colour, side), n in keys.items():
        if n > 1:
            problems.append(Problem("options", f"{n} options say {colour}{f' with the {side} gripper' if side else ''}: each must differ."))
    if item.provenance and item.derived is None and not any(d.kind == "near_in_image" for d in item.provenance.values()):
        problems.append(
            Problem("provenance", "At least one distractor must look near in the image and be far in space: mark it, or choose one.")
        )
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    reference = "head" if scenery.arm == "dual" else rng.choice(VIEWS["single"])
    item = blank(scenery, "distance", reference, {"extreme": rng.choice(("shortest", "longest"))})
    view = next(v for v in scenery.views if v.view == reference)
    colours = rng.sample(STANDARD, 5)
    marks = tuple(Mark(id=f"m{k}", view=reference, kind="box", colour=c, points=some_box(rng, view)) for k, c in enumerate(colours))
    texts = [write(c, rng.choice(SIDES) if scenery.arm == "dual" else None) for c in colours]
    item = finish(item, rng, texts, ["near_in_image", "middle", "far", "far"], marks=marks)
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="distance",
    name="Distance Judgement",
    asked="which of several objects is nearest to, or farthest from, a gripper",
    domain="spatial",
    arms=("dual", "single"),
    marks=MarkRule(("box",), STANDARD, "one"),
    option_kind="colour",
    slots=(Slot("extreme", "Which distance is asked for", ("shortest", "longest")),),
    distractors={
        "near_in_image": "Looks nearest (or farthest) in the image and is not.",
        "middle": "Between the extremes.",
        "far": "Clearly not.",
        "other_gripper": "The right object with the wrong gripper.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    advice="One distractor should look near in the image and be far in space.",
    single_view=True,
    rejection=False,
)
