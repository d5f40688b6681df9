"""Cross-View Matching: which coloured box in the other views holds the object of the red box in the reference view?"""

from __future__ import annotations

import random

from annotation.qa.errors import Problem
from annotation.qa.items import VIEWS, Item, Letter, Mark
from annotation.qa.parts.colours import CANDIDATES, COLOURS, named
from annotation.qa.scenes.findings import Finding, Status, identify
from annotation.qa.scenes.scene import Scene, known_objects
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks.base import (
    NONE_TEXT,
    MarkRule,
    NoneCell,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    colour_options,
    colours_drawn,
    is_none,
    one_per_view,
    option_colours,
    same_colours,
    view_word,
)
from annotation.qa.subtasks.making import THINGS, begun, blank, finish, mark_of, references, some_box, word

LEAST_OVERLAP, SAME_BOX = 0.15, 0.9
"""Shares of two boxes' common part in their union between which one covers the object of the other only in part."""


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
    problems += _absences(item)
    gold = colours.get(item.gold) if item.gold else None
    if gold and gold != "none":
        problems += _right_box(item, gold)
    return problems


def _absences(item: Item) -> list[Problem]:
    """What marks of absence contradict."""
    problems = []
    drawn = colours_drawn(item.marks)
    others = [view.view for view in item.views if view.view != item.reference_view]
    for there in item.absent:
        said = f"{there.colour.capitalize()} is said to be out of sight in {there.view}"
        if there.view not in others or there.colour == "red":
            problems.append(Problem("absent", f"{said}: only candidates in the other views can be."))
        elif any(m.colour == there.colour for m in item.on(there.view)):
            problems.append(Problem("absent", f"{said}, and a {there.colour} box is drawn there: keep one of the two."))
        elif there.colour not in drawn:
            problems.append(Problem("absent", f"{said}, but nothing {there.colour} is drawn: draw it where it is seen, or take this back."))
    return problems


def _right_box(item: Item, gold: str) -> list[Problem]:
    """The right object is boxed in every other view, or said to be out of sight there; one view at least must show it."""
    others = [view.view for view in item.views if view.view != item.reference_view]
    boxed = {m.view for m in item.marks if m.colour == gold}
    absent = {there.view for there in item.absent if there.colour == gold}
    if others and absent.issuperset(others):
        return [Problem("absent", f"The right object, {gold}, is out of sight in every other view: nobody can match what no view shows.")]
    return [
        Problem(
            "marks", f"The right object's {gold} box is missing in {view}: draw it on the same object, or say that it is not visible there."
        )
        for view in others
        if view not in boxed | absent
    ]


def known(item: Item) -> dict[Letter, str]:
    """None beside a right box is one kind; a box that overlaps the right one, and is not the same, another."""
    gold = SUBTASK.gold_colour(item)
    if gold is None:
        return {}
    right = {mark.view: mark for mark in item.marks if mark.colour == gold}
    found: dict[Letter, str] = {}
    for letter, text in item.options.items():
        if is_none(text):
            found[letter] = "none"
        elif any(m.colour == text.lower() and m.view in right and _overlap(m, right[m.view]) for m in item.marks if m.colour != gold):
            found[letter] = "overlapping"
    return found


def unfit(item: Item, letter: Letter) -> dict[str, str]:
    """The option that no box is correct is made in one way, and no box in that way."""
    if not item.options.get(letter, "").strip():
        return {}
    if is_none(item.options[letter]):
        why = "it says that no box is correct, so it is made as “None” although one box is right."
        return {kind: why for kind in SUBTASK.distractors if kind != "none"}
    return {"none": "it names a box, so it is not made as “None”: choose how this box was chosen."}


def _overlap(one: Mark, other: Mark) -> bool:
    """Whether two boxes share a part that is neither a sliver nor nearly all of both."""
    if len(one.points) != 2 or len(other.points) != 2:
        return False
    (ax0, ay0), (ax1, ay1) = one.points
    (bx0, by0), (bx1, by1) = other.points
    both = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    either = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - both
    return either > 0 and LEAST_OVERLAP <= both / either < SAME_BOX


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


# generated from poses


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The same object in every other view, or none."""
    scene = sight.scene
    dual = scene.moment.arm == "dual"
    for view in references(sight, rng):
        others = [v for v in VIEWS["dual" if dual else "single"] if v != view]
        there = {other: {s.thing.name: s for s in sight.seen(other)} for other in others}
        for sought in rng.sample(here := sight.seen(view), len(here)):
            in_all = all(sought.thing.name in there[other] for other in others)
            if not (in_all or none):
                continue
            same = {t.name for t in known_objects(scene.truth) if t.category == sought.thing.category}
            strangers = sorted({key for found in there.values() for key in found} - {sought.thing.name})
            strangers = sorted(rng.sample(strangers, len(strangers)), key=lambda key: key not in same)
            wanted = 4 if none else 3
            if len(strangers) < wanted:
                continue
            colours = rng.sample(CANDIDATES, 4)
            holders = strangers[:wanted] if none else [sought.thing.name, *strangers[:wanted]]
            marks = [mark_of(0, view, "box", "red", sought.box)]
            for colour, key in zip(colours, holders, strict=True):
                for other in others:
                    if key in there[other]:
                        marks.append(mark_of(len(marks), other, "box", colour, there[other][key].box))
            names = [colour.capitalize() for colour in colours]
            texts = [NONE_TEXT, *names] if none else [names[0], *names[1:], NONE_TEXT]
            kinds = ["same_category" if key in same else "close_by" for key in strangers[:wanted]] + ([] if none else ["none"])
            item = begun(sight, SUBTASK, rng, view).change(slots={"item": word(sought.thing)})
            item = finish(item, rng, texts, kinds, marks=tuple(marks))
            return item.change(question=question(item))
    return None


# held to poses


def truth(scene: Scene, item: Item) -> Finding:
    """Whether the boxes of the right colour, and no others, are on the object of the red box."""
    red = [m for m in item.marks if m.colour == "red" and m.view == item.reference_view]
    if len(red) != 1 or item.gold is None:
        return Finding("unclear", [Problem("marks", "The red box or the right option is missing.")])
    sought, problem = identify(scene, red[0])
    if sought is None:
        return Finding("unclear", [problem] if problem else [])
    gold = item.options.get(item.gold, "")
    wanted = None if is_none(gold) else (named(gold) or [""])[0]
    problems, wrong = [], []
    for mark in item.marks:
        if mark.colour == "red" or mark.view not in scene.cameras:
            continue
        thing, problem = identify(scene, mark)
        if thing is None:
            problems += [problem] if problem is not None else []
        elif thing is sought and mark.colour != wanted:
            wrong.append(Problem(f"marks.{mark.id}", f"The {mark.colour} box in {mark.view} is on the {sought.name} of the red box too."))
        elif thing is not sought and mark.colour == wanted:
            wrong.append(Problem("gold", f"The {mark.colour} box in {mark.view} is on the {thing.name}, the red one on the {sought.name}."))
    status: Status = "contradicts" if wrong else "unclear" if problems else "agrees"
    return Finding(status, [*problems, *wrong])


SUBTASK = Subtask(
    slug="matching",
    name="Cross-View Matching",
    asked="the same object must be found in another view",
    domain="spatial",
    arms=("dual", "single"),
    marks=MarkRule(("box",), COLOURS, "apart", absent=True),
    option_kind="colour",
    slots=(Slot("item", "What is in the red box, in one or two words"),),
    distractors={
        "same_category": "Another object of the same kind.",
        "close_by": "An object close to the right one.",
        "overlapping": "A box that covers the right object only in part.",
        "none": "“None” although one box is right.",
        "elsewhere": "Another object, of another kind and somewhere else.",
    },
    question=question,
    options=options,
    check=check,
    sample=sample,
    make=make,
    per_moment=2,
    truth=truth,
    none_cell=NoneCell(none_is_gold, sample, "with a right box"),
    known=known,
    unfit=unfit,
    advice="A colour stands for the same object in every view. Choose distractors of the same kind, close by, or partly overlapping. "
    "Where a view does not show the right object, say so: another has to.",
)
