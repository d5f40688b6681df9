"""Own tasks of Unobserved Change: what changed between two visits.

*Unobserved Change*: open boxes, a table, a chest, seen at floor level at first, so that what lies in, on or behind them shows only after
some steps; two visits with half of the observations each. Twins begin with the same picture at both visits.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair
from data.generators.lab import Playing, Step
from data.generators.layout import Thing
from data.generators.measuring import middle
from data.generators.things import OPEN_BOX, SIZES_M, thing
from data.task import Answer, Ask, Evidence
from sim_bridge.spec import Vec3

CATEGORY = "Temporal Understanding"

# --- Unobserved Change ------------------------------------------------------------------------------------------------

EYE_M = 0.12
"""Below the rim: the start view shows the boxes and nothing of their contents, so that twins begin with the same picture."""
PHASES = ("phase_1", "phase_2")
FORMS = ("detect", "which", "identify", "identify", "detect", "which", "identify", "detect", "which", "identify")
"""Form of the question by the item's number."""
KINDS = ("replace", "remove", "add")
"""What happens to a box, over the items of a form in turn."""
HAPPENED = (*KINDS, "no change")
TWO_KINDS = (("replace", "no change"), ("remove", "add"), ("add", "no change"), ("replace", "remove"))
"""What happens in the two twins of an item that asks what happened: each as often as the others, "no change" with and without contents."""
COLOURS = ("brown", "red", "yellow")
CONTENTS: dict[str, Vec3] = {
    "alarm_clock": (0.096, 0.046, 0.131),
    "apple": (0.079, 0.079, 0.079),
    "bowl": SIZES_M["bowl"],
    "duck": (0.121, 0.070, 0.088),
    "goblet": SIZES_M["goblet"],
    "lemon": (0.058, 0.058, 0.091),
    "mug": SIZES_M["mug"],
    "pillar_candle": SIZES_M["pillar_candle"],
    "tennis_ball": SIZES_M["tennis_ball"],
    "toilet_paper": (0.109, 0.108, 0.100),
    "toy_car": (0.112, 0.058, 0.050),
}
"""What lies in the boxes, at its true size (a test compares with the catalogue)."""
SAME_COLOUR = {
    "brown": (),
    "red": ("alarm_clock", "apple", "mug", "toy_car"),
    "yellow": ("duck", "goblet", "lemon", "tennis_ball"),
}
"""What is hard to see in a box of its own colour."""
TINTS = {"brown": (0.56, 0.37, 0.22), "red": (0.85, 0.12, 0.10), "yellow": (1.0, 0.94, 0.15)}
"""Of the coloured boxes; light enough that one sees what lies in them."""
LAYOUTS = ("box", "table", "chest")
"""Where something may lie where one place is asked about: in an open box, on a table above the eye, behind a chest."""
WHERE = {"box": "in", "table": "on", "chest": "behind"}
"""Last word of a place's name → how what is there is said to lie."""
INTO_BOX = ("move_up",) * 3 + ("move_forward",) * 2 + ("turn_down",) * 4
ONTO_TABLE = ("move_up",) * 3 + ("turn_down",) * 2
ROUND_CHEST = {s: (f"move_{s}",) * 2 + ("move_forward",) * 3 + (f"turn_{o}",) * 4 for s, o in (("right", "left"), ("left", "right"))}
"""From the start to where one sees behind a chest, round its one side or the other."""
INTO_THREE = ("move_up",) * 4 + ("move_forward",) + ("turn_down",) * 4
TABLE_M: Vec3 = (0.5, 0.5, 0.5)
CHEST_M: Vec3 = (0.44, 0.24, 0.36)
HELD_M = 0.5
"""What lies no farther from a place's middle, and nearer to it than to the others, is what it holds."""
VISITS = "There are two parts: in part 2 you come back later. In between the room is not shown, and you cannot go back to part 1."
STAYS_SHUT = "The chest is shut and stays so."


@dataclass(frozen=True)
class _Story:
    """What one side's boxes hold at the two visits; empty text: nothing."""

    gold: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    tags: dict[str, str]


def change(numbers: random.Random, item: Item) -> Pair:
    """One place or three boxes, looked into twice."""
    whole, rest = (item.number - 1) // len(FORMS), item.turn("form", len(FORMS))
    form = FORMS[rest]
    turn = whole * FORMS.count(form) + FORMS[:rest].count(form)
    stories: tuple[_Story, _Story]
    if form == "which":
        stories = _which(numbers, turn)
        options = tuple(f"{colour} box" for colour in COLOURS)
    else:
        kinds = (KINDS[turn % len(KINDS)], "no change") if form == "detect" else TWO_KINDS[turn % len(TWO_KINDS)]
        first, second = _two(CONTENTS, numbers)
        stories = _one_box(kinds[0], form, first, second), _one_box(kinds[1], form, first, second, empty=kinds[0] == "add")
        options = ("yes", "no") if form == "detect" else HAPPENED
    boxes, spots, look = _three(numbers) if form == "which" else _one(numbers, item.layout)
    return Pair(
        ask=Ask(what=ASKED_OF[form], things=tuple(b.key for b in boxes)),
        form="yes_no" if form == "detect" else "choice",
        options=options,
        halves=(_half(stories, 0, boxes, spots, len(look)), _half(stories, 1, boxes, spots, len(look))),
        camera_z_m=EYE_M,
        path=look + look,
        phase_path=len(look),
        margin="things of different kinds, or an empty box",
        note=f"{VISITS} {STAYS_SHUT}" if form != "which" and item.layout == "chest" else VISITS,
        phases=PHASES,
        tags={"form": form, **({"layout": "three boxes"} if form == "which" else {})},
    )


ASKED_OF = {"detect": "changed", "which": "which_changed", "identify": "what_changed"}


CHANGED = wordings(
    lambda ask, names, options: {"there": _there(ask, names)},
    "Did what is {there} change between part 1 and part 2?",
    "Between part 1 and part 2, did what is {there} change?",
    "Is what is {there} in part 2 different from part 1?",
)
WHICH = wordings(
    lambda ask, names, options: dict(zip(("one", "two", "three"), (names[t] for t in ask.things), strict=True)),
    "In which box did something change between part 1 and part 2: the {one}, the {two} or the {three}?",
    "Between part 1 and part 2 something changed in one box. In which: the {one}, the {two} or the {three}?",
    "In part 2 one box does not hold what it held in part 1. Which: the {one}, the {two} or the {three}?",
)
HAPPENED_THERE = wordings(
    lambda ask, names, options: {"there": _there(ask, names)},
    "What happened {there} between part 1 and part 2?",
    "Between part 1 and part 2, what happened {there}?",
    "What has happened {there} by the beginning of part 2?",
)


def _there(ask: Ask, names: Mapping[str, str]) -> str:
    """Where the place is that is asked about, as "behind the chest"."""
    words = names[ask.things[0]]
    return f"{WHERE[words.split()[-1]]} the {words}"


def _two(kinds: Sequence[str] | dict[str, Vec3], numbers: random.Random) -> tuple[str, str]:
    first, second = numbers.sample(sorted(kinds), 2)
    return first, second


def _one_box(kind: str, form: str, first: str, second: str, empty: bool = False) -> _Story:
    before = {"replace": first, "remove": first, "add": "", "no change": "" if empty else first}[kind]
    after = {"replace": second, "remove": "", "add": first, "no change": before}[kind]
    gold = kind if form == "identify" else ("no" if kind == "no change" else "yes")
    return _Story(gold, (before,), (after,), {"change": kind})


def _which(numbers: random.Random, turn: int) -> tuple[_Story, _Story]:
    """Three boxes; in each twin another one changes, in the same manner."""
    kind, changed = KINDS[turn % 3], (turn % 3, (turn + 1) % 3)
    while True:
        *held, new = numbers.sample(sorted(CONTENTS), 4)
        bad = [c in SAME_COLOUR[colour] for c, colour in zip(held, COLOURS, strict=True)]
        if not any(bad) and not any(new in SAME_COLOUR[COLOURS[i]] for i in changed):
            break
    if kind == "add":
        held = [("" if i in changed else content) for i, content in enumerate(held)]

    def story(box: int) -> _Story:
        after = [({"replace": new, "remove": "", "add": new}[kind] if i == box else content) for i, content in enumerate(held)]
        return _Story(f"{COLOURS[box]} box", tuple(held), tuple(after), {"change": kind})

    return story(changed[0]), story(changed[1])


Places = tuple[tuple[Thing, ...], list[tuple[float, float, float]], tuple[str, ...]]
"""Places, where in them something lies (x, y, height), and the way from the start to where one sees it."""


def _three(numbers: random.Random) -> Places:
    """Three open boxes in a row."""
    places = numbers.sample((-0.5, 0.0, 0.5), 3)
    y = numbers.uniform(0.96, 1.04)
    boxes = tuple(
        Thing(
            f"box_{i}",
            OPEN_BOX,
            (x, y),
            (0.40, 0.36, 0.24),
            words=f"{colour} box",
            vessel=True,
            essential=False,
            params={"color": list(TINTS[colour])},
        )
        for i, (x, colour) in enumerate(zip(places, COLOURS, strict=True))
    )
    return boxes, [(b.xy[0] + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.01, 0.03), WALL_OF_BOX_M) for b in boxes], INTO_THREE


def _one(numbers: random.Random, layout: str) -> Places:
    """One place by its layout."""
    x, side = numbers.uniform(-0.1, 0.1), numbers.choice(sorted(ROUND_CHEST))
    if layout == "box":
        y = numbers.uniform(0.82, 0.94)
        box = thing("box_0", OPEN_BOX, (x, y), words="box", size_m=(0.42, 0.34, 0.24), vessel=True)
        return (box,), [(x + numbers.uniform(-0.04, 0.04), y + numbers.uniform(-0.02, 0.03), WALL_OF_BOX_M)], INTO_BOX
    if layout == "table":
        y = numbers.uniform(0.9, 1.0)
        table = thing("box_0", "side_table", (x, y), words="table", size_m=TABLE_M)
        return (table,), [(x + numbers.uniform(-0.1, 0.1), y + numbers.uniform(0.06, 0.14), TABLE_M[2])], ONTO_TABLE
    y = numbers.uniform(0.64, 0.7)
    chest = thing("box_0", "cedar_chest", (x / 2, y), words="wooden chest", size_m=CHEST_M)
    return (chest,), [(x / 2, y + CHEST_M[1] / 2 + numbers.uniform(0.17, 0.22), 0.0)], ROUND_CHEST[side]


WALL_OF_BOX_M = 0.002
"""Thickness of an open box's ground, on which things lie (drawn between 1 and 3 mm thick)."""


def _half(
    stories: tuple[_Story, _Story], which: int, boxes: tuple[Thing, ...], spots: Sequence[tuple[float, float, float]], looked: int
) -> Half:  # fmt: skip
    """One side. Both sides have the same things; what a side does not need is hidden at both visits."""
    own = stories[which]
    contents = sorted({(i, c) for s in stories for held in (s.before, s.after) for i, c in enumerate(held) if c})
    things = [Thing(f"{c}_{i}", c, spots[i][:2], CONTENTS[c], z_m=spots[i][2]) for i, c in contents]
    hidden = {
        name: tuple(f"{c}_{i}" for i, c in contents if held[i] != c) for name, held in zip(PHASES, (own.before, own.after), strict=True)
    }
    evidence = []
    for held, begins, ends in ((own.before, 0, looked), (own.after, looked + 1, -1)):
        evidence += [Evidence(kind="unseen", step=begins, handle=f"{c}_{i}") for i, c in enumerate(held) if c]
        evidence += [Evidence(kind="seen", step=ends, handle=f"{c}_{i}", low=CLEAR_PIXELS) for i, c in enumerate(held) if c]
        relation = {OPEN_BOX: "inside", "side_table": "on"}.get(boxes[0].category)
        evidence += [
            Evidence(kind="relation", name=relation, step=ends, handle=f"{c}_{i}", other=f"box_{i}")
            for i, c in enumerate(held)
            if c and relation
        ]
        evidence += [Evidence(kind="seen", step=ends, handle=b.key, low=BOX_PIXELS) for b in boxes]
    return Half((*boxes, *things), own.gold, hidden=hidden, evidence=tuple(evidence), tags=own.tags)


CLEAR_PIXELS = 150
"""What one looks for is seen at least that large (of 640 × 480); look-alikes are told apart at that size."""
BOX_PIXELS = 4000
"""A box that one looks into."""


def judge_change(playing: Playing) -> Answer:
    """What the places hold at the end of the second visit, against the end of the first, by category."""
    ends = [playing.steps[i - 1] for i, s in enumerate(playing.steps) if s.action.startswith("phase:")] + [playing.last]
    before, after = _held(playing, ends[0]), _held(playing, ends[-1])
    changed = [box for box in before if before[box] != after[box]]
    if playing.ask.what == "changed":
        return "yes" if changed else "no"
    if playing.ask.what == "which_changed":
        return playing.task.names[changed[0]] if len(changed) == 1 else "not exactly one box changed"
    (was,), (now,) = before.values(), after.values()
    return "no change" if was == now else "add" if not was else "remove" if not now else "replace"


def _held(playing: Playing, step: Step) -> dict[str, list[str]]:
    """Handle of a place that is asked about → the categories of what lies there."""
    objects = {o.handle: o for o in (step.state.objects if step.state else ()) if o.present}
    held: dict[str, list[str]] = {place: [] for place in playing.ask.things}
    for handle, o in objects.items():
        place = min(held, key=lambda p: math.dist(middle(o), middle(objects[p])))
        if handle not in held and math.dist(middle(o), middle(objects[place])) <= HELD_M:
            held[place].append(o.category)
    return {place: sorted(categories) for place, categories in held.items()}


CHANGE = Generator(
    "change",
    CATEGORY,
    "Unobserved Change",
    change,
    "what the places hold at the two visits",
    {"changed": CHANGED, "which_changed": WHICH, "what_changed": HAPPENED_THERE},
    cycle=1,
    judge=judge_change,
    walk=False,
    layouts=LAYOUTS,
    version="7",
    tells="Things of different kinds, each 150 pixels or more where one looks, or nothing at all; 60 pixels are enough to know a small "
    "thing in a lossless picture (`ENOUGH_PIXELS`). Both visits are seen from the same start.",
    beyond="Changes of place or attitude; changes while somebody looks; more than two visits, or minutes between them.",
)
GENERATORS = (CHANGE,)
