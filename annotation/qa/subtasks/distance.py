"""Distance Judgement: which boxed object is nearest to, or farthest from, the gripper? The boxes are in one view only."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import numpy as np

from annotation.qa.errors import Problem
from annotation.qa.items import LETTERS, VIEWS, Item, Letter, Mark
from annotation.qa.parts.colours import STANDARD, named
from annotation.qa.scenes import geometry
from annotation.qa.scenes.findings import Finding, boxed
from annotation.qa.scenes.scene import Scene
from annotation.qa.scenes.sight import Seen, Sight
from annotation.qa.subtasks.base import (
    MarkRule,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    colour_options,
    colours_drawn,
    count_views,
    folded,
    one_per_view,
    option_colours,
    same_colours,
    view_word,
)
from annotation.qa.subtasks.making import begun, blank, finish, mark_of, references, some_box
from data.robot.records import Body, Gripper

SIDES = ("left", "right")
EXTREMES = ("shortest", "longest")
CLOSE_M = 0.02
"""Distances that differ by less than this cannot be told apart."""
LEAD_M = 2 * CLOSE_M
"""In a generated item the right distance stands out by this."""


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
        texts.append(write(colour, side))
    return colour_options(item, texts, lambda colour: {write(colour, side) for side in (None, *SIDES)})


def gripper(text: str) -> str | None:
    """The gripper that an option names."""
    found = [side for side in SIDES if f"{side} gripper" in folded(text)]
    return found[0] if len(found) == 1 else None


def known(item: Item) -> dict[Letter, str]:
    """The right object taken with the other gripper."""
    colours, _ = option_colours(item)
    right = colours.get(item.gold) if item.gold else None
    return {letter: "other_gripper" for letter, colour in colours.items() if letter != item.gold and colour == right}


def unfit(item: Item, letter: Letter) -> dict[str, str]:
    """Another object is not the right one with the other gripper."""
    colours, _ = option_colours(item)
    right = colours.get(item.gold) if item.gold else None
    if right is None or letter not in colours or colours[letter] == right:
        return {}
    return {"other_gripper": f"it names another object than the right one, {right}: choose how this object was chosen."}


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
            Problem(
                "provenance",
                f"At least one distractor must {_looks(item)}: mark it, or choose one.",
                int(len(item.provenance) == len(LETTERS) - 1),  # until then it is one of those that are still to be said
            )
        )
    return problems


def _looks(item: Item) -> str:
    """What a distractor that misleads does, by the distance that is asked for."""
    longest = item.slots.get("extreme") == "longest"
    return "look far in the image and be near in space" if longest else "look near in the image and be far in space"


def sample(rng: random.Random, scenery: Scenery) -> Item:
    reference = "head" if scenery.arm == "dual" else rng.choice(VIEWS["single"])
    item = blank(scenery, "distance", reference, {"extreme": rng.choice(EXTREMES)})
    view = next(v for v in scenery.views if v.view == reference)
    colours = rng.sample(STANDARD, 5)
    marks = tuple(Mark(id=f"m{k}", view=reference, kind="box", colour=c, points=some_box(rng, view)) for k, c in enumerate(colours))
    texts = [write(c, rng.choice(SIDES) if scenery.arm == "dual" else None) for c in colours]
    item = finish(item, rng, texts, ["near_in_image", "middle", "far", "far"], marks=marks)
    return item.change(question=question(item))


# generated from poses


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Which boxed object is nearest to, or farthest from, a gripper."""
    scene, dual = sight.scene, sight.scene.moment.arm == "dual"
    view = references(sight, rng)[0]
    things = sight.seen(view)
    sides = [side for side in SIDES if side in sight.hands] if dual else list(sight.hands)[:1]
    if len(things) * len(sides) < 5:
        return None
    things = rng.sample(things, min(5, len(things)))
    pairs = [(thing, rng.choice(sides)) for thing in things]
    rest = [(thing, side) for thing in things for side in sides if (thing, side) not in pairs]
    pairs += rng.sample(rest, 5 - len(pairs))
    extreme = rng.choice(EXTREMES)
    sign = 1 if extreme == "shortest" else -1
    distances = [reach(sight.hands[side], thing.thing) for thing, side in pairs]
    order = sorted(range(5), key=lambda k: sign * distances[k])
    if abs(distances[order[1]] - distances[order[0]]) < LEAD_M:
        return None
    colours = dict(zip([id(thing) for thing in things], rng.sample(STANDARD, len(things)), strict=True))
    flat = [_flat(scene, view, sight.hands[side], thing) for thing, side in pairs]
    looks = min(order[1:], key=lambda k: sign * flat[k])
    kinds = {k: "near_in_image" if k == looks else "middle" if k in order[1:3] else "far" for k in order[1:]}
    gold_thing = pairs[order[0]][0]
    kinds |= {k: "other_gripper" for k in kinds if pairs[k][0] is gold_thing and k != looks}
    # the hard ones are what looks right, and what comes next
    rest_order = [looks, *(k for k in order[1:] if k != looks)]
    item = begun(sight, SUBTASK, rng, view).change(slots={"extreme": extreme})
    marks = tuple(mark_of(n, view, "box", colours[id(thing)], thing.box) for n, thing in enumerate(things))
    texts = [write(colours[id(pairs[k][0])], pairs[k][1] if dual else None) for k in (order[0], *rest_order)]
    item = finish(item, rng, texts, [kinds[k] for k in rest_order], marks=marks)
    return item.change(question=question(item))


def _flat(scene: Scene, view: str, hand: Gripper, one: Seen) -> float:
    """Distance in the image from a gripper to an object, pixels."""
    pixels, _ = geometry.project(scene.cameras[view], [hand.pose[:3]])
    (x0, y0), (x1, y1) = one.box
    return float(np.hypot(pixels[0][0] - (x0 + x1) / 2, pixels[0][1] - (y0 + y1) / 2))


# held to poses


def reaches(scene: Scene, item: Item, things: Mapping[str, Body]) -> dict[str, float]:
    """Letter → grasping distance in metres, where the option's box and gripper are known."""
    assert scene.truth is not None
    hands = scene.truth.grippers
    found = {}
    for letter, text in item.options.items():
        colours = named(text)
        hand = hands.get(gripper(text) or "") if item.arm == "dual" else next(iter(hands.values()), None)
        if len(set(colours)) == 1 and colours[0] in things and hand is not None:
            found[str(letter)] = reach(hand, things[colours[0]])
    return found


def reach(hand: Gripper, thing: Body) -> float:
    """Metres from a gripper's grasp point to an object's centre."""
    return float(np.linalg.norm(np.subtract(hand.pose[:3], thing.pose[:3])))


def truth(scene: Scene, item: Item) -> Finding:
    """Whether the right option stands out by its distance."""
    things, problems = boxed(scene, item.marks)
    far = reaches(scene, item, things)
    extreme = item.slots.get("extreme", "")
    if item.gold is None or extreme not in EXTREMES:
        return Finding("unclear", [*problems, Problem("gold", "The right option or the wanted extreme is not chosen yet.")])
    if item.gold not in far:
        return Finding("unclear", [*problems, Problem("gold", f"The distance of option {item.gold} cannot be told from the poses.")])
    sign = 1 if extreme == "shortest" else -1
    rivals = {letter: value for letter, value in far.items() if letter != item.gold}
    if not rivals:
        return Finding("unclear", problems or [Problem("options", "Only one option can be held to the poses.")])
    rival = min(rivals, key=lambda letter: sign * rivals[letter])
    lead = sign * (rivals[rival] - far[item.gold])
    figures = f"{item.gold} {far[item.gold]:.2f} m, {rival} {rivals[rival]:.2f} m"
    if lead < -CLOSE_M:
        words = f"The poses say that {rival} has the {extreme} grasping distance, not {item.gold} ({figures})."
        return Finding("contradicts", [*problems, Problem("gold", words)])
    if lead < CLOSE_M:
        words = f"{item.gold} and {rival} are too close to tell ({figures}): the {extreme} distance must stand out."
        return Finding("unclear", [*problems, Problem("gold", words)])
    return Finding("unclear" if problems or len(far) < len(item.options) else "agrees", problems)


SUBTASK = Subtask(
    slug="distance",
    name="Distance Judgement",
    asked="which of several objects is nearest to, or farthest from, a gripper",
    domain="spatial",
    arms=("dual", "single"),
    marks=MarkRule(("box",), STANDARD, "one"),
    option_kind="colour",
    slots=(Slot("extreme", "Which distance is asked for", EXTREMES),),
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
    slots_from=lambda store, moment, rng: {"extreme": rng.choice(EXTREMES)},
    make=make,
    per_moment=2,
    truth=truth,
    two_arms=("other_gripper",),
    known=known,
    unfit=unfit,
    advice="The grasping distance is that from the point between the gripper's fingers to the object's middle, in space. "
    "One distractor should look right in the image and not be it.",
    single_view=True,
    rejection=False,
)
