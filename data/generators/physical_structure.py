"""Own tasks of Physical Structure: what fits where, which vessel holds more, what lies under a cloth.

*Rigid Containment*: boxes of one shape in three sizes, and containers in three. Every object fits its own container with room to spare and
is too large for the next smaller one; what would be put where another thing belongs does not go in any more.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from data.generators.drawing import wordings
from data.generators.framework import CLEAR_LOCAL, FIRST_VIEW_DIFFERENCE, ROOM_KINDS, ROOM_LOCAL, Generator, Half, Pair, Rejected, build
from data.generators.lab import Lab, Playing, Trial, difference
from data.generators.layout import HERE, Place, Thing, path_poses, slide
from data.generators.measuring import height_m, present
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Camera, Frame, Room, Vec3

CATEGORY = "Physical Structure"
FLOOR_VIEW_M = 0.05
"""Height of a start view at floor level: below every rim, and what is slid along the line of sight hardly moves in the picture."""

# --- Rigid Containment ------------------------------------------------------------------------------------------------

NAMES = ("small", "medium", "large")
"""How the containers are called, by their size."""
WIDTH_M = 0.115
"""Width of the smallest object."""
DEEP, HIGH = 0.80, 0.34
"""Depth and height of every object, as shares of its width."""
ROOM = 1.12
"""A container is wider, deeper and higher inside than what fills it by this factor."""
TOO_LARGE = 1.14
"""An object is larger than the next smaller container inside by this factor."""
STEP = ROOM * TOO_LARGE
"""Ratio of one size to the next."""
NEAR_M = 0.76
"""Distance at which the smallest object stands."""
BOX_INSIDE: dict[str, Vec3] = {"storage_box": (0.8991, 0.9241, 0.8729), "wooden_box": (0.8974, 0.7867, 0.8375)}
"""Inner extents of an open box as shares of its outer ones (a test compares with the catalogue)."""
BOX_RIM = {"storage_box": 0.8898, "wooden_box": 0.9}
"""Height of the rim of an open box as a share of its outer height."""
PARCELS = ("cookie_tin", "first_aid_kit", "shoe_box", "packing_box", "toy_box", "treasure_chest")
"""Closed boxes of about one shape, with nothing that stands out on top or below: a bow, a handle or feet would let two of them cross."""
FIT_ACTIONS = (*CAMERA_ACTIONS, "pick_up", "put", "put_on_floor", "put_back")
FIT_APPROACH = ("move_up",) * 3 + ("move_forward",) + ("turn_down",) * 3
"""From where everything is seen from above and in reach."""


def parcel_m(level: int) -> Vec3:
    """Extents of an object that belongs into the container of a level (0 small, 1 medium, 2 large: two of them fill it)."""
    w = WIDTH_M * STEP**level
    return w, w * DEEP, w * HIGH


def inside_m(level: int) -> Vec3:
    """Inner extents of a container: room for one object of its level, the large one for two, one on the other."""
    x, y, z = parcel_m(level)
    return x * ROOM, y * ROOM, z * ROOM * (2 if level == 2 else 1)


def fit(numbers: random.Random, number: int, lab: Lab | None) -> Pair:
    """Four objects, three containers: the asked object and another exchange their sizes between the twins."""
    kind = ("storage_box", "wooden_box")[number // 2 % 2]
    asked, other, *pair = numbers.sample(PARCELS, 4)
    levels = ((0, 1), (1, 2), (0, 2))[number % 3]
    # The other sizes go to those that the twins share. Sometimes nothing is for the small container.
    rest = list(_less((1, 2, 2) if nothing_small(number) else (0, 1, 2, 2), levels))
    columns = _columns(numbers, kind)
    box_words = [f"{name} {kind.replace('_', ' ')}" for name in NAMES]
    order = _places(levels, (number + number // 3) % 3, numbers)

    boxes = []
    for level in range(3):
        outer = tuple(v / share for v, share in zip(inside_m(level), BOX_INSIDE[kind], strict=True))
        size: Vec3 = (outer[0], outer[1], outer[2])
        y = 1.0
        boxes.append(
            Thing(f"box_{level}", kind, (columns[4 + level] * y, y), size, words=box_words[level], vessel=True, params={"open": True})
        )

    def half(asked_level: int, other_level: int) -> Half:
        parcels = []
        for key, category, level, column in zip(
            ("asked", "other", "third", "fourth"), (asked, other, *pair), (asked_level, other_level, *rest), columns, strict=False
        ):  # fmt: skip
            base = Thing(key, category, (column * NEAR_M, NEAR_M), parcel_m(0), words=category.replace("_", " "), dynamic=True)
            parcels.append(slide(base, STEP**level))
        home = {t.key: level for t, level in zip(parcels, (asked_level, other_level, *rest), strict=True)}
        path = [*FIT_APPROACH, "pick_up({asked})"]
        refused: list[Evidence] = []
        for level in range(asked_level):
            refused.append(Evidence(kind="failed", step=len(path) + 1, name="does not fit"))
            path.append(f"put({{asked}}, inside, {{box_{level}}})")
        path.append(f"put({{asked}}, inside, {{box_{asked_level}}})")
        for key, level in sorted(home.items()):
            if key != "asked":
                path += [f"pick_up({{{key}}})", f"put({{{key}}}, inside, {{box_{level}}})"]
        path += ["move_up", "move_forward", "turn_down"]
        held = tuple(Evidence(kind="relation", name="inside", handle=key, other=f"box_{level}") for key, level in home.items())
        seen = tuple(Evidence(kind="seen", step=len(FIT_APPROACH), handle=t.key) for t in (*parcels, *boxes))
        return Half((*parcels, *boxes), box_words[asked_level], "neutral", path=tuple(path), evidence=(*seen, *refused, *held))

    first, second = (half(*levels), half(*reversed(levels)))
    made = Pair(
        ask=Ask(what="fits", things=("asked", *(f"box_{i}" for i in order))),
        form="choice",
        options=tuple(box_words[i] for i in order),
        halves=(first, second),
        camera_z_m=FLOOR_VIEW_M,
        path=(),
        margin=f"{ROOM - 1:.0%} room where it fits, {TOO_LARGE - 1:.0%} too large for the next smaller container",
        note="Each thing stands upright in one of the boxes, and nothing stands out over a rim. A box may hold several things.",
        tags={"sizes": " ".join(NAMES[i] for i in levels)},
        actions=FIT_ACTIONS,
        place=HERE,
    )
    if lab is not None:
        _only_one_way(lab, made)
    return made


def nothing_small(number: int) -> bool:
    """Whether the item has three objects, none for the small container: half of those in which the asked one belongs elsewhere."""
    return number % 3 == 1 and number // 3 % 2 == 1


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


def _columns(numbers: random.Random, kind: str) -> list[float]:
    """Directions (x / y) of the four objects and then the three containers, side by side in a random order, none before another."""
    wide = [parcel_m(0)[0] / NEAR_M] * 4 + [inside_m(i)[0] / BOX_INSIDE[kind][0] / 0.93 for i in range(3)]
    order = numbers.sample(range(7), 7)
    gap = (1.44 - sum(wide)) / 6
    at, found = -0.72, [0.0] * 7
    for i in order:
        found[i] = at + wide[i] / 2
        at += wide[i] + gap
    return found


def _only_one_way(lab: Lab, pair: Pair) -> None:
    """Try every way of putting the objects of one side into the containers, by doing it; the twin's objects have the same extents.

    Raises:
        Rejected: none works, more than one, or another one than the gold says.
    """
    task = build(FIT, pair, seed=0, number=0, numbers=random.Random(0))[0]
    assert task.question.ask is not None
    asked, *boxes = task.question.ask.things
    parcels = [h for h in task.names if h not in boxes]
    extents = {o.handle: o.size_m for o in task.scene.objects}
    # Small pictures do: nobody looks at them.
    with lab.open(msgspec.structs.replace(task.scene, camera=Camera(160, 120)), task.start) as trial:
        for action in FIT_APPROACH:
            trial.act(action)
        before = trial.snapshot()
        rims = {b: (size[2] if (size := extents[b]) else 0.0) * BOX_RIM[category] for b, category in _kinds(trial).items() if b in boxes}
        found: dict[tuple[str, frozenset[str]], bool] = {}

        def together(box: str, things: frozenset[str]) -> bool:
            """Whether these go into the box in some order; what has no room with fewer has none with more."""
            key = (box, things)
            if key not in found:
                known = any(not works for (b, less), works in found.items() if b == box and less < things)
                orders = {tuple(extents[t] for t in order): order for order in itertools.permutations(sorted(things))}
                found[key] = not known and any(_goes(trial, before, order, box, rims[box]) for order in orders.values())
            return found[key]

        singles = [[b for b in boxes if together(b, frozenset({h}))] for h in parcels]
        ways = []
        for way in itertools.product(*singles):
            loads = {b: frozenset(h for h, into in zip(parcels, way, strict=True) if into == b) for b in boxes}
            if all(together(b, things) for b, things in sorted(loads.items(), key=lambda load: len(load[1])) if things):
                ways.append(dict(zip(parcels, way, strict=True)))
    if len(ways) != 1:
        raise Rejected("no assignment works" if not ways else "more than one assignment works")
    if task.names[ways[0][asked]] != task.gold.accepted[0]:
        raise Rejected("the only assignment that works is another one")


def _kinds(trial: Trial) -> dict[str, str]:
    return {o.handle: o.category for o in trial.state().objects}


def _goes(trial: Trial, before: bytes, things: Sequence[str], box: str, rim_m: float) -> bool:
    """Whether the things, put into the box one after the other, all end in it and below its rim."""
    trial.restore(before)
    for thing in things:
        if not (trial.act(f"pick_up({thing})").ok and trial.act(f"put({thing}, inside, {box})").ok):
            return False
    state = trial.state()
    held = {(r.subject, r.object) for r in state.relations if r.kind == "inside"}
    return all((t, box) in held for t in things) and all(o.aabb_max_m[2] <= rim_m for o in state.objects if o.handle in things)


def _boxes(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    asked, *boxes = (names[t] for t in ask.things)
    *first, last = (f"the {box}" for box in boxes)
    return {"asked": asked, "boxes": f"{', '.join(first)} or {last}"}


def judge_fit(playing: Playing) -> Answer:
    """The container in which the asked object ends, after every smaller one has refused it and with every object in a container."""
    objects, (asked, *options) = present(playing), playing.ask.things
    boxes = sorted(options, key=lambda h: height_m(objects[h]))
    inside = {r.subject: r.object for r in playing.states()[-1].relations if r.kind == "inside"}
    if not all(handle in inside for handle in playing.task.names if handle not in boxes):
        return "not everything is inside"
    refused = {s.action for s in playing.steps if not s.ok and "does not fit" in s.reason}
    for box in boxes:
        if inside[asked] == box:
            return playing.task.question.options[options.index(box)]
        if f"put({asked}, inside, {box})" not in refused:
            return "a smaller container was not tried"
    return "in none"


# --- Deformable -------------------------------------------------------------------------------------------------------

COVERED: dict[str, tuple[Vec3, float]] = {
    "loaf_of_bread": ((0.3119, 0.0999, 0.0900), 0.100),
    "dumbbell": ((0.2400, 0.0780, 0.0900), 0.100),
    "eggplant": ((0.2008, 0.0857, 0.0857), 0.100),
    "banana": ((0.1883, 0.0328, 0.0777), 0.090),
    "teapot": ((0.2642, 0.1625, 0.1582), 0.120),
    "croissant": ((0.1250, 0.0719, 0.0577), 0.090),
}
"""Extents at scale 1 (a test compares with the catalogue) and the height at which it lies under the cloth, metres. All are oblong: seen
along their length they look alike under a cloth, seen from the side each has its own outline."""
ALIKE = (("loaf_of_bread", "dumbbell"), ("eggplant", "croissant"), ("banana", "teapot"))
"""Those that look most alike from the start; every four options are two of these pairs, so that no word is the answer more often."""
CLOTH_M = 0.48
LIFT_M = 0.40
"""Height from which the cloth falls."""
CLOTH_Y_M = 0.86
CLOTH_COLOURS = ("red", "teal", "orange", "purple", "beige", "green")
LEAST_M, MOST_M = 0.05, 0.15
"""Heights of what is under a cloth."""
SAME_AT_FIRST = 1.5
"""From the start, any two options under the cloth differ by no more than this (the same measure as below)."""
TELLING = 1.0
"""From the side or from above, any two options under the cloth differ by at least this much (mean per channel over the picture, 0..255)."""
COVER_START = (0.35, -25.0)
"""Height and pitch of the start view."""
COVER_PATH = (
    *("move_right",) * 3, *("move_forward",) * 3, *("turn_left",) * 6, "move_forward",
    *("move_up",) * 2, "move_forward", *("turn_down",) * 3,
)  # fmt: skip
"""To the side of the cloth, then over it."""
ASIDE, ABOVE = 13, len(COVER_PATH)
"""Steps at which the shape is seen from the side and from above."""


def cover(numbers: random.Random, number: int, lab: Lab | None) -> Pair:
    """One oblong thing under a cloth, seen along its length at first; in the twin another one that looks alike from there."""
    mine, others = list(itertools.permutations(range(len(ALIKE)), 2))[number % 6]
    options = numbers.sample((*ALIKE[mine], *ALIKE[others]), 4)
    one, two = ALIKE[mine] if numbers.random() < 0.5 else ALIKE[mine][::-1]
    rest = [o for o in options if o not in (one, two)]
    # The twins' answers stand at places 0 and 2 or 1 and 3, in turn: every place comes equally often.
    options = [one, rest[0], two, rest[1]] if number % 2 else [rest[0], one, rest[1], two]
    grown, aside, turned = numbers.uniform(0.96, 1.02), numbers.uniform(-0.02, 0.02), numbers.choice((90.0, 270.0))
    colour = numbers.choice(CLOTH_COLOURS)
    place = Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))
    bounds, clear = place.box(ROOM_LOCAL), place.box(CLEAR_LOCAL)
    room = Room(
        bounds_m=bounds, kind=numbers.choice(ROOM_KINDS), seed=numbers.randrange(1 << 30), keep_clear_m=clear
    )  # fmt: skip

    def half(kind: str) -> Half:
        size, height = COVERED[kind]
        thing = Thing("thing", kind, (aside, CLOTH_Y_M), size, round(height * grown / size[2], 4), yaw_deg=turned)
        cloth = Thing(
            "cloth", "cloth", (aside, CLOTH_Y_M), (CLOTH_M, CLOTH_M, 0.003), z_m=LIFT_M, words="cloth", essential=False, color=colour
        )  # fmt: skip
        unseen = tuple(Evidence(kind="unseen", step=n, handle="thing") for n in range(len(COVER_PATH) + 1))
        seen = tuple(Evidence(kind="seen", step=n, handle="cloth", low=3000) for n in (0, ASIDE, ABOVE))
        return Half((thing, cloth), kind.replace("_", " "), evidence=(*unseen, *seen))

    pair = Pair(
        ask=Ask(what="under", against="cloth"),
        form="choice",
        options=tuple(o.replace("_", " ") for o in options),
        halves=(half(one), half(two)),
        camera_z_m=COVER_START[0],
        pitch_deg=COVER_START[1],
        path=COVER_PATH,
        margin=f"any two options under this cloth differ by at least {TELLING:g} of 255 from the side or from above",
        camera=Camera(hfov_deg=70.0),
        place=place,
        room=room,
    )
    if lab is not None:
        _tell_apart(lab, pair, [half(o) for o in (one, two, *rest)])
    return pair


def _tell_apart(lab: Lab, pair: Pair, halves: list[Half]) -> None:
    """Put every option under the cloth, the twins' first, and compare the pictures.

    Raises:
        Rejected: two options look alike from the side and from above, or unlike from the start.
    """
    looks: list[tuple[Frame, ...]] = []
    for each in halves:
        task = build(COVER, replace(pair, halves=(each,), first_view="one option"), seed=0, number=0, numbers=random.Random(0))[0]
        poses = path_poses(task.start, COVER_PATH)
        with lab.open(task.scene, task.start) as trial:
            looks.append(trial.frames([poses[ASIDE], poses[ABOVE], poses[0]]))
        if len(looks) == 2 and difference(looks[0][-1], looks[1][-1]) > FIRST_VIEW_DIFFERENCE:
            raise Rejected("the first views of the twins differ too much")
    for (*a, first), (*b, other) in itertools.combinations(looks, 2):
        if difference(first, other) > SAME_AT_FIRST:
            raise Rejected("two options look unlike from the start")
        if max(difference(x, y) for x, y in zip(a, b, strict=True)) < TELLING:
            raise Rejected("two options look alike under the cloth")


def _what_is_under(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"What is under the {names[ask.against]}?"


def judge_cover(playing: Playing) -> Answer:
    """What lies under the cloth: the one thing within the cloth's outline and below its top that is seen in no view."""
    state = playing.first.state
    if state is None:
        return "no state"
    cloth = playing.object(playing.ask.against, state)
    if any(cloth.aabb_max_m[i] - cloth.aabb_min_m[i] > 0.5 for i in (0, 1)):
        return "the cloth is too large"
    under = [
        o for o in state.objects
        if o.handle != cloth.handle and all(cloth.aabb_min_m[i] < v < cloth.aabb_max_m[i] for i, v in enumerate(o.pose.position_m))
    ]  # fmt: skip
    if len(under) != 1 or any(step.visible.get(under[0].handle) for step in playing.steps):
        return "not one hidden thing"
    if not LEAST_M <= height_m(under[0]) <= MOST_M:
        return "its height is out of bounds"
    return under[0].category.replace("_", " ")


FIT = Generator(
    "fit", CATEGORY, "Rigid Containment", fit,
    "the smallest container that takes the object; the only assignment of all objects that works when every one is tried",
    {
        "fits": wordings(
            _boxes,
            "Everything is put away at the same time. Which box is for the {asked}: {boxes}?",
            "All things are put into boxes together. Into which box does the {asked} go: {boxes}?",
            "Where does the {asked} belong, once everything is put away: {boxes}?",
        )
    },
    cycle=6, judge=judge_fit, needs_lab=True, version="4",
)  # fmt: skip
COVER = Generator(
    "cloth", CATEGORY, "Deformable", cover, "the object that was placed under the cloth; its height is between 5 and 15 cm",
    {"under": _what_is_under}, cycle=6, judge=judge_cover, needs_lab=True,
)  # fmt: skip
GENERATORS = (FIT, COVER)
