"""Cross-View Matching: which coloured box in the other views holds the object of the red box in the reference view?"""

from __future__ import annotations

import random

from annotation.qa.colours import CANDIDATES
from annotation.qa.subtasks.base import (
    COLOURS,
    NONE_TEXT,
    THINGS,
    VIEWS,
    Item,
    Mark,
    MarkRule,
    NoneCell,
    Problem,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    blank,
    colour_options,
    colours_drawn,
    finish,
    is_none,
    one_per_view,
    option_colours,
    same_colours,
    some_box,
    view_word,
)


def question(item: Item) -> str:
    thing = item.slots.get("item", "").strip() or "object"
    return (
        f"In {view_word(item)} the {thing} is in a red box. Which coloured box holds the same {thing} in the other "
        f"view{'s' if len(item.views) != 2 else ''}?"
    )


def options(item: Item) -> Proposal:
    """One option per candidate colour; with fewer than five, the None option fills up."""
    candidates = [c for c in colours_drawn(m for m in item.marks if m.view != item.reference_view) if c != "red"]
    texts = [c.capitalize() for c in candidates]
    return colour_options(item, texts if len(texts) >= 5 else [*texts, NONE_TEXT])


def none_is_gold(item: Item) -> bool:
    """Whether the right option is that no box is correct."""
    return item.gold is not None and is_none(item.options.get(item.gold, ""))


def check(item: Item) -> list[Problem]:
    problems = []
    red = [m for m in item.marks if m.colour == "red"]
    if len(red) != 1:
        problems.append(
            Problem("marks", f"One red box in the reference view ({item.reference_view}) is needed, there are {len(red)} red boxes.")
        )
    for mark in red:
        if mark.view != item.reference_view:
            problems.append(Problem(f"marks.{mark.id}", f"The red box belongs in the reference view, {item.reference_view}."))
    for mark in item.marks:
        if mark.colour != "red" and mark.view == item.reference_view:
            problems.append(
                Problem(f"marks.{mark.id}", f"The {mark.colour} box lies in the reference view: candidates belong in the other views.")
            )
    colours, unclear = option_colours(item)
    problems += unclear + one_per_view(item.marks, "boxes")
    candidates = item.change(marks=tuple(m for m in item.marks if m.colour != "red"))
    problems += same_colours(candidates, colours, CANDIDATES)
    nones = [letter for letter, colour in colours.items() if colour == "none"]
    if len(nones) > 1:
        problems.append(Problem("options", f"Options {' and '.join(nones)} both say that no box is correct: keep one."))
    gold = colours.get(item.gold) if item.gold else None
    if gold and gold != "none":
        for view in item.views:
            if view.view != item.reference_view and not any(m.colour == gold for m in item.on(view.view)):
                problems.append(
                    Problem(
                        "marks", f"The right object's {gold} box is missing in {view.view}: draw it on the same object in every other view."
                    )
                )
    return problems


def sample(rng: random.Random, scenery: Scenery, none: bool | None = None) -> Item:
    none = rng.random() < 0.25 if none is None else none
    reference = "head" if scenery.arm == "dual" else rng.choice(VIEWS["single"])
    item = blank(scenery, "matching", reference, {"item": rng.choice(THINGS)})
    chosen = rng.sample(CANDIDATES, 4)
    seen = next(v for v in scenery.views if v.view == reference)
    marks = [Mark(id="m0", view=reference, kind="box", colour="red", points=some_box(rng, seen))]
    for k, colour in enumerate(chosen):
        others = [v for v in scenery.views if v.view != reference]
        for view in others if k == 0 and not none else rng.sample(others, rng.randint(1, len(others))):
            marks.append(Mark(id=f"m{len(marks)}", view=view.view, kind="box", colour=colour, points=some_box(rng, view)))
    texts = [colour.capitalize() for colour in chosen]
    texts = [NONE_TEXT, *texts] if none else [texts[0], NONE_TEXT, *texts[1:]]
    kinds = ["same_category", "close_by", "overlapping", "same_category"] if none else ["none", "same_category", "close_by", "overlapping"]
    item = finish(item, rng, texts, kinds, marks=tuple(marks))
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="matching",
    name="Cross-View Matching",
    asked="the same object must be found in another view",
    domain="spatial",
    arms=("dual", "single"),
    marks=MarkRule(("box",), COLOURS, "matching"),
    option_kind="colour",
    slots=(Slot("item", "What is in the red box, in one or two words"),),
    distractors={
        "same_category": "Another object of the same kind.",
        "close_by": "An object close to the right one.",
        "overlapping": "A box that covers the right object only in part.",
        "none": "“None” although one box is right.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    none_cell=NoneCell(none_is_gold, sample, "with a right box"),
    advice="Choose distractors of the same kind, close by, or partly overlapping.",
)
