"""Own tasks of Rigid Containment: things of one shape in three sizes, and containers in three; what goes where when all is put away.

Every thing fits its own container with room to spare and is too large for the next smaller one; what would be put where another belongs
does not go in any more, so that exactly one assignment works. One thing is asked about, or all of them. In the twin two things have
exchanged their sizes; each stands as far away as it is large, so that the start shows neither.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected, begin_well, build
from data.generators.lab import Lab, Playing, Trial
from data.generators.layout import Thing, slide
from data.generators.measuring import height_m, present
from data.generators.things import several
from data.task import Answer, Ask, Evidence, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Camera, Vec3

EYE_M = 0.05
"""Height of the start view above what everything stands on: below nearly every rim, and what is slid hardly moves in the picture."""
NAMES = ("small", "medium", "large")
"""How the containers are called, by their size."""
WIDTH_M = 0.115
"""Width of the smallest thing."""
ROOM = 1.12
"""A container is wider, deeper and higher inside than what fills it by this factor."""
TOO_LARGE = 1.14
"""A thing is larger than the next smaller container inside by this factor."""
STEP = ROOM * TOO_LARGE
"""Ratio of one size to the next."""
NEAR_M = 0.76
"""Distance at which the smallest thing stands."""
BOXES_M = 1.0
"""Distance of the containers."""


@dataclass(frozen=True)
class Shape:
    """A shape of things, and what has it: depth and height as shares of the width."""

    deep: float
    high: float
    things: tuple[str, ...]
    """Closed things of about that shape, 12 to 19 cm wide without being toys, with nothing that stands out: a bow, a handle or feet would
    let two of them cross."""
    containers: tuple[str, ...]
    """Whose own proportions are near enough to all three sizes that the simulator does not lay them on a side."""


SHAPES: dict[str, Shape] = {
    "boxy": Shape(
        0.80, 0.34, ("cookie_tin", "first_aid_kit", "packing_box", "treasure_chest"),
        ("storage_box", "wooden_box", "tank"),
    ),
    "flat": Shape(
        0.72, 0.22, ("cookie_tin", "first_aid_kit", "hardback", "packing_box", "paperback_book"), ("storage_box", "wooden_box"),
    ),
    "long": Shape(
        0.50, 0.24, ("cookie_tin", "loaf_of_bread", "packing_box", "treasure_chest"), ("storage_box", "wooden_box"),
    ),
    "round": Shape(
        0.95, 0.60, ("can", "cookie_tin", "packing_box", "pillar_candle", "toilet_paper"), ("tank",),
    ),
}  # fmt: skip
HIGH_SHAPES = ("boxy", "round")
BOX_INSIDE: dict[str, Vec3] = {
    "storage_box": (0.8991, 0.9241, 0.8729),
    "wooden_box": (0.8974, 0.7867, 0.8375),
    "tank": (0.9510, 0.9225, 0.9648),
}
"""Inner extents of a container as shares of its outer ones (a test compares with the catalogue)."""
BOX_RIM = {"storage_box": 0.8898, "wooden_box": 0.9, "tank": 0.9859}
"""Height of the rim as a share of the outer height."""
LIDDED = ("storage_box", "wooden_box")
"""These have a lid, which stands open."""
WORDS = {
    "storage_box": "storage box", "wooden_box": "wooden box", "tank": "glass tank", "toilet_paper": "roll of toilet paper",
    "hardback": "hardcover book", "paperback_book": "paperback", "pillar_candle": "candle",
}  # fmt: skip
MIXED, APART, ON_TABLE = "in a row on the floor", "containers on one side", "on a table"
LAYOUTS = (MIXED, APART, ON_TABLE)
TABLE: tuple[str, Vec3, float] = ("dining_table", (2.10, 1.14, 0.74), 1.09)
"""The table, its size and the distance of its middle."""
SPREAD = 0.72
"""Everything stands between these bearings, as x over distance."""
APPROACH = ("move_up",) * 3 + ("move_forward",) + ("turn_down",) * 3
"""To where everything is seen from above and in reach."""
ACTIONS = (*CAMERA_ACTIONS, "pick_up", "put", "put_on_floor", "put_back")
LEVELS = ((0, 1), (1, 2), (0, 2))
"""Sizes that two things exchange between twins."""
ONE, ALL = "fits", "assigned"


def thing_m(shape: Shape, level: int) -> Vec3:
    """Extents of a thing that belongs into the container of a level (0 small, 1 medium, 2 large: two of them fill it)."""
    w = WIDTH_M * STEP**level
    return w, w * shape.deep, w * shape.high


def inside_m(shape: Shape, level: int) -> Vec3:
    """Inner extents of a container: room for one thing of its level, the large one for two, one on the other."""
    x, y, z = thing_m(shape, level)
    return x * ROOM, y * ROOM, z * ROOM * (2 if level == 2 else 1)


def fit(numbers: random.Random, item: Item, lab: Lab | None) -> Pair:
    """Three or four things, three containers: two things exchange their sizes between the twins."""
    # On a table the low ones' bottoms are thinner than the clearance that hands keep from what is below.
    shape = SHAPES[item.dealt("shape", sorted(SHAPES)) if item.layout != ON_TABLE else item.dealt("shape on a table", HIGH_SHAPES)]
    kind, kinds = numbers.choice(shape.containers), numbers.sample(shape.things, 4)
    asks = (ONE, ALL)[item.turn("asks", 2, 3)]
    levels = LEVELS[item.turn("levels", 3)]
    # The other sizes go to those that the twins share. Sometimes nothing is for the small container.
    spare = asks == ONE and levels == (1, 2) and numbers.random() < 0.5
    rest = list(_less((1, 2, 2) if spare else (0, 1, 2, 2), levels))
    columns = _columns(numbers, shape, kind, item.layout)
    box_words = [f"{name} {WORDS[kind]}" for name in NAMES]
    order = _places(levels, item.turn("place", 3), numbers) if asks == ONE else [0, 1, 2]
    on: tuple[Thing, ...] = ()
    height = 0.0
    if item.layout == ON_TABLE:
        category, size, y = TABLE
        on, height = (Thing("support", category, (0.0, y), size, essential=False),), size[2]

    def lifted(one: Thing) -> Thing:
        return replace(one, z_m=height) if height else one

    boxes = []
    for level in range(3):
        x, y, z = (v / share for v, share in zip(inside_m(shape, level), BOX_INSIDE[kind], strict=True))
        at = (columns[4 + level] * BOXES_M, BOXES_M)
        params = {"open": True} if kind in LIDDED else {}
        boxes.append(lifted(Thing(f"box_{level}", kind, at, (x, y, z), words=box_words[level], vessel=True, params=params)))

    def half(sizes: Sequence[int]) -> Half:
        things = []
        for n, (category, level, column) in enumerate(zip(kinds, (*sizes, *rest), columns, strict=False)):
            words = WORDS.get(category, category.replace("_", " "))
            one = Thing(f"thing_{n}", category, (column * NEAR_M, NEAR_M), thing_m(shape, 0), words=words, dynamic=True)
            things.append(lifted(slide(one, STEP**level)))
        home = dict(zip((t.key for t in things), (*sizes, *rest), strict=True))
        path, refused = [*APPROACH], []
        for key, level in home.items():
            path.append(f"pick_up({{{key}}})")
            if asks == ALL or key == "thing_0":  # what decides: the container below refuses it
                for less in range(level) if asks == ONE else range(max(level - 1, 0), level):
                    refused.append(Evidence(kind="failed", step=len(path) + 1, name="does not fit"))
                    path.append(f"put({{{key}}}, inside, {{box_{less}}})")
            path.append(f"put({{{key}}}, inside, {{box_{level}}})")
        if asks == ONE:
            path += ["move_forward", "turn_down"]
        held = tuple(Evidence(kind="relation", name="inside", handle=key, other=f"box_{level}") for key, level in home.items())
        seen = tuple(Evidence(kind="seen", step=len(APPROACH), handle=t.key) for t in (*things, *boxes))
        gold: Answer = {t.words: box_words[home[t.key]] for t in things} if asks == ALL else box_words[sizes[0]]
        return Half((*things, *boxes, *on), gold, path=tuple(path), evidence=(*seen, *refused, *held))

    first, second = (half(levels), half(levels[::-1]))
    things = [t for t in first.things if t.key.startswith("thing_")]
    about: dict[str, object] = {}
    if asks == ALL:
        numbers.shuffle(things)
        about = {"question_more": {"targets": tuple(box_words)}, "chance": (1 / 3) ** len(things)}
    made = Pair(
        ask=Ask(what=asks, things=("thing_0", *(f"box_{i}" for i in order)) if asks == ONE else tuple(t.key for t in things)),
        form="choice" if asks == ONE else "assignment",
        options=tuple(box_words[i] for i in order) if asks == ONE else tuple(t.words for t in things),
        halves=(first, second),
        camera_z_m=round(height + EYE_M, 3),
        path=(),
        margin=f"{ROOM - 1:.0%} room where it fits, {TOO_LARGE - 1:.0%} too large for the next smaller container",
        note="Each thing goes into one of the containers as it stands or lies at the start, and nothing reaches over a rim. A container "
        "may hold several things, beside each other or one on the other.",
        tags={"sizes": " ".join(NAMES[i] for i in levels), "shape": next(n for n, s in SHAPES.items() if s is shape), "asks": asks},
        actions=ACTIONS,
        **about,  # type: ignore[arg-type]
    )
    _only_one_way([thing_m(shape, level) for level in (*levels, *rest)], [inside_m(shape, level) for level in range(3)], [*levels, *rest])
    if lab is not None:
        twins = build(FIT, made, seed=item.seed, number=item.number, numbers=random.Random(0))
        begin_well(twins, lab)
        for problem in tried(lab, twins[0]):
            raise Rejected(problem)
    return made


def _places(levels: tuple[int, int], first: int, numbers: random.Random) -> list[int]:
    """The containers in the order of the options: the twins' two right ones at place `first` and the next, in either order."""
    one, two = numbers.sample(levels, 2)
    order = [next(i for i in range(3) if i not in levels)] * 3
    order[first], order[(first + 1) % 3] = one, two
    return order


def _less(values: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...]:
    left = list(values)
    for value in taken:
        left.remove(value)
    return tuple(left)


def _columns(numbers: random.Random, shape: Shape, kind: str, layout: str) -> list[float]:
    """Directions (x / y) of the four things and then the three containers, side by side in a random order, none before another."""
    wide = [WIDTH_M / NEAR_M] * 4 + [inside_m(shape, i)[0] / BOX_INSIDE[kind][0] / 0.93 for i in range(3)]
    order = numbers.sample(range(7), 7)
    if layout == APART:
        order = sorted(order, key=lambda i: i < 4, reverse=numbers.random() < 0.5)
    gap = (2 * SPREAD - sum(wide)) / 6
    if gap < 0.012:
        raise Rejected("there is no room side by side")
    at, found = -SPREAD, [0.0] * 7
    for i in order:
        found[i] = at + wide[i] / 2
        at += wide[i] + gap
    return found


# --- only one assignment works ----------------------------------------------------------------------------------------


def _only_one_way(things: Sequence[Vec3], boxes: Sequence[Vec3], home: Sequence[int]) -> None:
    """Raises:
    Rejected: by their extents another assignment than `home` works too, or that one does not.
    """
    ways = [
        way for way in itertools.product(range(len(boxes)), repeat=len(things)) if all(_fits(things, boxes[b], way, b) for b in set(way))
    ]
    if ways != [tuple(home)]:
        raise Rejected("not exactly one assignment works")


def _fits(things: Sequence[Vec3], room: Vec3, way: Sequence[int], box: int) -> bool:
    """Whether what is assigned to a box goes in upright, side by side or one on the other, all below its rim."""
    load = [t for t, b in zip(things, way, strict=True) if b == box]
    if any(t[i] > room[i] for t in load for i in range(3)):
        return False
    beside = any(sum(t[i] for t in load) <= room[i] for i in (0, 1))
    return beside or sum(t[2] for t in load) <= room[2]


def tried(lab: Lab, task: Task) -> list[str]:
    """What is wrong with a task of this version when one tries what lies next to its gold: every thing is refused by the container below
    its own, and what is put on another thing in its container stands out or is refused."""
    ask = task.question.ask
    if ask is None or task.provenance.generator.partition(" ")[2] in ("", "1", "2", "3", "4"):
        return []
    # Small pictures do: nobody looks at them.
    with lab.open(msgspec.structs.replace(task.scene, camera=Camera(width=160, height=120)), task.start) as trial:
        for action in APPROACH:
            trial.act(action, pictures=False)
        return list(_wrong(trial, task))


def _wrong(trial: Trial, task: Task) -> Iterator[str]:
    sizes = {o.handle: o.size_m for o in task.scene.objects if o.size_m}
    category = {o.handle: o.category for o in task.scene.objects}
    boxes = sorted((h for h, c in category.items() if c in BOX_INSIDE), key=lambda h: sizes[h][0])
    things = sorted((h for h in task.names if h not in boxes), key=lambda h: sizes[h][0])
    start = trial.snapshot()
    base = min(o.aabb_min_m[2] for o in trial.state().objects if o.handle in boxes)
    rims = {b: base + sizes[b][2] * BOX_RIM[category[b]] for b in boxes}
    level = {h: round((sizes[h][0] / WIDTH_M - 1) / (STEP - 1)) if sizes[h][0] < 1.5 * WIDTH_M else 2 for h in things}
    for h in things:
        if level[h] and _goes(trial, start, (h,), boxes[level[h] - 1], rims):
            yield "a thing fits into the container below its own"
    small = [h for h in things if level[h] == 0]
    medium = [h for h in things if level[h] == 1]
    if small and medium and _goes(trial, start, (medium[0], small[0]), boxes[1], rims):
        yield "two things fit into the medium container"
    if _goes(trial, start, (*(h for h in things if level[h] == 2), (small or medium)[0]), boxes[2], rims):
        yield "three things fit into the large container"


def _goes(trial: Trial, start: bytes, things: Sequence[str], box: str, rims: Mapping[str, float]) -> bool:
    """Whether the things, put into the container one after the other, all end in it and below its rim."""
    trial.restore(start)
    for thing in things:
        deeds = (f"pick_up({thing})", f"put({thing}, inside, {box})")
        if not all(trial.act(deed, pictures=False).ok for deed in deeds):
            return False
    state = trial.state()
    held = {(r.subject, r.object) for r in state.relations if r.kind == "inside"}
    return all((t, box) in held for t in things) and all(o.aabb_max_m[2] <= rims[box] for o in state.objects if o.handle in things)


# --- question and judge -----------------------------------------------------------------------------------------------


def _one(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    asked, *boxes = (names[t] for t in ask.things)
    *first, last = (f"the {box}" for box in boxes)
    return {"asked": asked, "boxes": f"{', '.join(first)} or {last}", **_called(boxes[0])}


def _called(box: str) -> dict[str, str]:
    """What one and several of the containers are called without their size: ``glass tank`` gives tank and tanks."""
    word = box.rpartition(" ")[2]
    return {"box": word, "several": several(word)}


def _all(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    *first, last = (f"the {names[t]}" for t in ask.things)
    return {"things": f"{', '.join(first)} and {last}"}


ASKS = {
    ONE: wordings(
        _one,
        "Everything is put away at the same time. Which {box} is for the {asked}: {boxes}?",
        "All things are put into {several} together. Into which {box} does the {asked} go: {boxes}?",
        "Where does the {asked} belong, once everything is put away: {boxes}?",
    ),
    ALL: wordings(
        _all,
        "Everything is put away at the same time. Which container is for each of these: {things}?",
        "All things are put away together. Into which container does each of these go: {things}?",
        "Where does each of these belong, once everything is put away: {things}?",
    ),
}


def judge_fit(playing: Playing) -> Answer:
    """Where everything ends: of one thing after every smaller container has refused it, of all after each was refused by the next smaller
    one."""
    objects, task = present(playing), playing.task
    asked = playing.ask.things
    of_all = playing.ask.what == ALL
    boxes = [h for h, words in task.names.items() if words in task.question.targets] if of_all else list(asked[1:])
    boxes.sort(key=lambda h: height_m(objects[h]))
    inside = {r.subject: r.object for r in playing.states()[-1].relations if r.kind == "inside"}
    if not all(handle in inside for handle in task.names if handle not in boxes):
        return "not everything is inside"
    refused = {s.action for s in playing.steps if not s.ok and "does not fit" in s.reason}
    for thing in asked if of_all else asked[:1]:
        at = boxes.index(inside[thing])
        for box in boxes[max(at - 1, 0) : at] if of_all else boxes[:at]:
            if f"put({thing}, inside, {box})" not in refused:
                return "a smaller container was not tried"
    if of_all:
        return {task.names[thing]: task.names[inside[thing]] for thing in asked}
    return task.names[inside[asked[0]]]


FIT = Generator(
    "fit",
    "Physical Structure",
    "Rigid Containment",
    fit,
    "the smallest container that takes each thing; the only assignment of all things that works by their extents, and what lies next to it "
    "is tried by hand",
    ASKS,
    cycle=3,
    judge=judge_fit,
    tried=tried,
    needs_lab=True,
    layouts=LAYOUTS,
    version="7",
    tells=f"{ROOM - 1:.0%} room where a thing fits, {TOO_LARGE - 1:.0%} too large for the next smaller container, four times the 2.9 % by "
    "which people tell lengths (Teghtsoonian 1971, Psychological Review 78, 71–80); trying settles it.",
    beyond="Things of different shapes in one task, things that must be turned on their side, and soft things.",
)
GENERATORS = (FIT,)
