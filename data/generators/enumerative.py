"""Own tasks of Enumerative Perception: things of a kind behind boxes, dividers and stacks, among look-alikes, and in closed boxes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from data.generators.counting import (
    ALIKE_AFAR,
    CATEGORY,
    COUNT,
    EYE_M,
    KINDS,
    SIZES_M,
    TWO_LOOKS,
    Route,
    behind,
    counted,
    covered,
    judge,
    kinds_of,
    route,
    thing,
)  # fmt: skip
from data.generators.drawing import Item
from data.generators.framework import Generator, Pair, Rejected
from data.generators.layout import Thing
from data.generators.stages import TABLE, Stage, large_table
from data.generators.surfaces import Support, stand
from data.generators.things import BLOCK
from sim_bridge.actions import CAMERA_ACTIONS, MOVE_STEP_M
from sim_bridge.spec import Vec3

# --- Counting w Occlusion ---------------------------------------------------------------------------------------------


BOXES: dict[str, tuple[tuple[float, float], ...]] = {
    "two before three": ((-0.38, 1.20), (0.38, 1.20), (-0.76, 1.76), (0.0, 1.76), (0.76, 1.76)),
    "three before two": ((-0.62, 1.20), (0.0, 1.16), (0.62, 1.20), (-0.42, 1.84), (0.42, 1.84)),
    "zigzag": ((-0.80, 1.50), (-0.34, 1.18), (0.12, 1.74), (0.34, 1.14), (0.80, 1.62)),
    TABLE: ((-0.31, 1.15), (0.31, 1.15), (-0.56, 1.56), (0.0, 1.56), (0.56, 1.56)),
}
"""Layout → middles of the boxes."""
HIDERS = (BLOCK, BLOCK, "cedar_chest", "toy_box")
"""What a box is."""
CLOSED_FRONTS = ("counter", "sideboard")
ON_FURNITURE = "on and behind furniture"
TABLE_LOOKS = route("up 1, left 2, forward 6, tilt 4", "right 4")
"""From above behind what stands on a table."""


def mirrored(numbers: random.Random, places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The places, or their mirror image."""
    side = numbers.choice((-1, 1))
    return [(side * x, y) for x, y in places]


def occluded(numbers: random.Random, item: Item) -> Pair:
    """Five boxes on the floor or on a table, or a long piece of furniture; things of the kind asked for, or of another, stand behind."""
    kind, other = kinds_of(numbers, item, KINDS)
    if item.layout == ON_FURNITURE:
        return _behind_furniture(numbers, item, kind, other)
    on = large_table(numbers, item.layout)
    height, smaller = (on.height_m, 0.62) if on.furniture else (None, 1.0)
    boxes, spots = [], []
    for i, (x, y) in enumerate(mirrored(numbers, BOXES[item.layout])):
        size = (numbers.uniform(0.36, 0.42) * smaller, 0.24 * smaller, numbers.uniform(0.40, 0.46) * smaller)
        at = (x + numbers.uniform(-0.05, 0.05) * smaller, y + numbers.uniform(-0.04, 0.04) * smaller)
        box = Thing(f"box_{i}", numbers.choice(HIDERS), at, size, z_m=height, essential=False)
        spot = behind(box, numbers.uniform(0.10, 0.13), numbers.uniform(-0.03, 0.03))
        if not all(covered(thing("", k, spot, z_m=height, yaw_deg=yaw), box, 0.97) for k in (kind, other) for yaw in (0.0, 90.0)):
            raise Rejected("a box is too small to hide what is behind it")
        boxes.append(box)
        spots.append(thing("", kind, spot, z_m=height))
    if on.furniture and not on.holds([*boxes, *spots]):
        raise Rejected("a thing would stand over the edge")
    # One of the other kind stands in view, so that what there is besides never tells that every spot holds what is asked for.
    xy = (numbers.uniform(-0.06, 0.06), 1.09) if on.furniture else (numbers.uniform(-0.5, 0.5), numbers.uniform(0.92, 0.98))
    return counted(
        numbers,
        item,
        kind,
        fixed=(*on.furniture, *boxes),
        seen=(thing("seen_0", other, xy, z_m=height, yaw_deg=numbers.choice((0.0, 90.0, 180.0))),),
        spots=spots,
        others=[other] * len(spots),
        way=TABLE_LOOKS if on.furniture else TWO_LOOKS,
        least=1 + item.turn("least", 2, 2),
        margin="each one wholly hidden from the start, seen from above",
    )


def _behind_furniture(numbers: random.Random, item: Item, kind: str, other: str) -> Pair:
    """Some things on a sideboard or a counter, others on the floor behind it."""
    support = stand("support", numbers.choice(CLOSED_FRONTS), (numbers.uniform(-0.1, 0.1), numbers.uniform(1.30, 1.42)))
    shown = 1 + numbers.randrange(2)
    seen = _on_top(numbers, support, [kind] * shown + [other] * numbers.randrange(1, 3))
    spots = _behind_it(numbers, support.thing, (kind, other), (-0.50, -0.25, 0.0, 0.25, 0.50))
    return counted(
        numbers,
        item,
        kind,
        fixed=(support.thing,),
        seen=seen,
        spots=spots,
        others=[other] * len(spots),
        way=TWO_LOOKS,
        least=shown + item.turn("least", 2, 2),
        margin="those on the floor wholly hidden from the start, seen from above",
    )


def _on_top(numbers: random.Random, support: Support, kinds: Sequence[str]) -> list[Thing]:
    """Small things in a row on the top of a support."""
    top = support.tops[-1]
    columns = numbers.sample([(k - 2) * 0.22 for k in range(5)], len(kinds))
    return [
        top.put(f"seen_{i}", k, (x + numbers.uniform(-0.02, 0.02), numbers.uniform(-0.08, 0.04)), size_m=SIZES_M[k], words="")
        for i, (k, x) in enumerate(zip(kinds, columns, strict=True))
    ]


def _behind_it(numbers: random.Random, by: Thing, kinds: Sequence[str], columns: Sequence[float]) -> list[tuple[float, float]]:
    """Spots on the floor behind a piece of furniture, by their place along its width."""
    spots = [behind(by, numbers.uniform(0.14, 0.36), x + numbers.uniform(-0.03, 0.03)) for x in columns]
    if not all(covered(thing("", k, spot, yaw_deg=yaw), by, 0.97) for spot in spots for k in kinds for yaw in (0.0, 90.0)):
        raise Rejected("a piece of furniture is too small to hide what is behind it")
    return spots


# --- Spatial Segmentation ---------------------------------------------------------------------------------------------


CHAIRS: dict[str, tuple[tuple[float, float], ...]] = {
    "row": ((-0.86, 1.62), (0.0, 1.62), (0.86, 1.62)),
    "arrow": ((-0.86, 1.50), (0.0, 1.74), (0.86, 1.50)),
    "steps": ((-0.86, 1.50), (0.0, 1.62), (0.86, 1.74)),
    ON_FURNITURE: ((-1.02, 1.56), (1.02, 1.56)),
}
"""Layout → middles of the armchairs; with furniture, on either side of a sideboard."""


def segmented(numbers: random.Random, item: Item) -> Pair:
    """Three armchairs part the floor: some things lie before them, others behind."""
    kind, other = kinds_of(numbers, item, KINDS)
    chairs = []
    for i, (x, y) in enumerate(mirrored(numbers, CHAIRS[item.layout])):
        at = (x + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.03, 0.03))
        yaw = numbers.choice((0.0, 180.0))
        chairs.append(Thing(f"chair_{i}", "armchair", at, (0.78, 0.70, 0.74), yaw_deg=yaw, essential=False))
    spots = []
    for chair in chairs:
        for side in (-1, 1):
            spot = behind(chair, numbers.uniform(0.14, 0.40), side * numbers.uniform(0.09, 0.15))
            if not all(covered(thing("", k, spot, yaw_deg=yaw), chair, 0.75) for k in (kind, other) for yaw in (0.0, 90.0)):
                raise Rejected("an armchair is too small to hide what is behind it")
            spots.append(spot)
    board = None
    if item.layout == ON_FURNITURE:
        board = stand("support", "sideboard", (0.0, 1.56), scale=0.85)
        spots += _behind_it(numbers, board.thing, (kind, other), (-0.36, -0.12, 0.12, 0.36))
        chairs.append(board.thing)
    spots = numbers.sample(spots, 5)
    shown = numbers.randrange(1, 3)
    if board is not None:
        seen = _on_top(numbers, board, [kind] * shown + [other])
    else:
        front = numbers.sample((-0.55, -0.18, 0.18, 0.55), shown + 1)
        seen = _before(numbers, front, [kind] * shown + [other])
    return counted(
        numbers,
        item,
        kind,
        fixed=chairs,
        seen=seen,
        spots=spots,
        others=numbers.sample([other, other, "", "", ""], 5),
        way=route("up 1, left 2, forward 8, tilt 4", "right 4"),
        margin="those behind the dividers wholly hidden from the start, seen from above",
    )


def _before(numbers: random.Random, columns: Sequence[float], kinds: Sequence[str]) -> list[Thing]:
    """Small things on the floor before everything else."""
    return [
        thing(f"seen_{i}", k, (x, numbers.uniform(0.92, 1.06)), yaw_deg=numbers.choice((0.0, 90.0, 180.0)))
        for i, (k, x) in enumerate(zip(kinds, columns, strict=True))
    ]


# --- Merged Observation -----------------------------------------------------------------------------------------------

STACKED = ("toilet_paper", "tupperware", "wooden_box")
"""With upright sides, flat tops on which the next stands, and nothing to see through: a mug's handle shows what is behind it."""


PILES: dict[str, tuple[float, tuple[float, float, float]]] = {
    "side by side": (1.0, (0.0, 0.0, 0.0)),
    "in steps": (1.05, (-0.6, 0.0, 0.6)),
    "middle apart": (1.1, (0.0, 0.7, 0.0)),
    TABLE: (1.0, (0.0, 0.3, 0.0)),
}
"""Layout → (spread to the sides, steps in depth) of three stacks, in widths and depths of the thing."""


def merged(numbers: random.Random, item: Item) -> Pair:
    """Stacks of one kind close together; behind a stack may stand one more."""
    spread, steps = PILES[item.layout]
    side = numbers.choice((-1, 1))
    kind, high_rank = item.against("kind", STACKED)
    wide, deep, high = SIZES_M[kind]
    on = large_table(numbers, item.layout)
    height = on.height_m if on.furniture else 0.0
    seen: list[Thing] = []
    spots: list[Thing] = []
    for i in range(3):
        levels = numbers.choice((2, 3) if deep < 0.12 else (3, 3, 4))  # a deep thing needs a higher stack to be hidden
        x = (i - 1) * wide * spread * numbers.uniform(1.05, 1.15)
        at = (x, 1.50 + side * steps[i] * deep + numbers.uniform(-0.02, 0.02))
        # Set back a little from layer to layer, as hands stack: the edges show how many there are.
        back = [0.0, *numbers.sample((0.010, 0.016, 0.022), levels - 1)]
        pile = [thing(f"pile_{i}_{k}", kind, (at[0], at[1] + back[k]), z_m=height + k * high or None) for k in range(levels)]
        seen += pile
        whole = replace(pile[0], size_m=(wide, deep, high * levels))
        spot = behind(whole, deep / 2 + numbers.uniform(0.008, 0.015))
        if not covered(thing("", kind, spot, z_m=height or None), whole):
            raise Rejected("a stack is too low to hide what is behind it")
        spots.append(thing("", kind, spot, z_m=height or None))
    if on.furniture and not on.holds([*seen, *spots]):
        raise Rejected("a thing would stand over the edge")
    return counted(
        numbers,
        item,
        kind,
        fixed=on.furniture,
        seen=seen,
        spots=spots,
        others=[""] * 3,
        least=len(seen),
        rank=2 * high_rank,
        yaws=(0.0,),
        way=route("up 1, forward 7, tilt 4") if on.furniture else route("down 2, forward 2", "up 1, forward 5, tilt 4"),
        margin="those behind the stacks wholly hidden from the start, seen from above",
    )


# --- Category Ambiguity -----------------------------------------------------------------------------------------------

ALIKE = (("peach", "orange"), ("tennis_ball", "lemon"), ("potato", "bun"), ("plum", "kiwi"))
"""Pairs whose renders from the start camera, 1.6 m away, differ by 25 to 40 of 255 within the two outlines together (unlike small things
differ by 65 to 85), and which differ in shape or surface, not in a tint of red alone, when they are read from near."""


AROUND: dict[str, tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]] = {
    "two boxes": (
        ((-0.30, 1.34), (0.30, 1.34)),
        ((-0.66, 1.30), (-0.45, 1.08), (-0.15, 1.06), (0.15, 1.06), (0.45, 1.08), (0.66, 1.30)),
    ),
    "apart": (
        ((-0.46, 1.34), (0.46, 1.34)),
        ((-0.60, 1.06), (-0.36, 1.04), (-0.12, 1.10), (0.12, 1.32), (0.36, 1.06), (0.60, 1.06)),
    ),
    "one behind": (
        ((-0.34, 1.28), (0.36, 1.46)),
        ((-0.68, 1.24), (-0.48, 1.02), (-0.16, 1.02), (0.10, 1.10), (0.36, 1.06), (0.64, 1.22)),
    ),
    TABLE: (
        ((-0.26, 1.40), (0.26, 1.40)),
        ((-0.52, 1.34), (-0.34, 1.14), (-0.11, 1.12), (0.11, 1.12), (0.34, 1.14), (0.52, 1.34)),
    ),
}
"""Layout → (middles of the two boxes, places before and beside them)."""


def ambiguous(numbers: random.Random, item: Item) -> Pair:
    """Things of two kinds that look alike from afar, two of them behind boxes; how many are of which kind varies."""
    kind, other = item.dealt("kind", [pair[::way] for pair in ALIKE for way in (1, -1)])
    hiding, free = AROUND[item.layout]
    side, on = numbers.choice((-1, 1)), large_table(numbers, item.layout)
    height, size = (on.height_m, (0.28, 0.16, 0.28)) if on.furniture else (None, (0.34, 0.20, 0.36))
    boxes = [
        Thing(f"box_{i}", numbers.choice(HIDERS), (side * x + numbers.uniform(-0.03, 0.03), y), size, z_m=height, essential=False)
        for i, (x, y) in enumerate(hiding)
    ]
    spots = []
    for box in boxes:
        spot = behind(box, numbers.uniform(0.09, 0.12), numbers.uniform(-0.03, 0.03))
        if not all(covered(thing("", k, spot, z_m=height, yaw_deg=yaw), box, 0.97) for k in (kind, other) for yaw in (0.0, 90.0)):
            raise Rejected("a box is too small to hide what is behind it")
        spots.append(thing("", kind, spot, z_m=height))
    least = 1 + item.turn("least", 2, 2)
    few = least + 2 * item.turn("rank", 2)
    hidden = numbers.randrange(2)  # of the kind, in the twin with fewer
    shown = few - hidden
    places = numbers.sample([(side * x, y) for x, y in free], 5)
    if shown > len(places):
        raise Rejected("too few places for the counts")
    seen = [
        thing(
            f"seen_{i}",
            kind if i < shown else other,
            (x + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.03, 0.03)),
            z_m=height,
            yaw_deg=numbers.uniform(0, 360),
        )
        for i, (x, y) in enumerate(places)
    ]
    return counted(
        numbers,
        item,
        kind,
        fixed=(*on.furniture, *boxes),
        seen=seen,
        spots=spots,
        others=[other, other],
        way=_nearer(on),
        least=least,
        near=0,
        margin="one of the kind behind a box, seen from near",
    )


def _nearer(on: Stage) -> Route:
    """Nearer, to read what is seen from the start; then to above what is behind the boxes, left and right."""
    if not on.furniture:
        return route("down 2, forward 2", "forward 4, left 1, tilt 4", "right 2")
    down = round((EYE_M - on.height_m - 0.33) / MOVE_STEP_M)
    return route(f"down {down}, forward 2", f"up {down}, forward 4, left 1, tilt 4", "right 2")


# --- Structural Enclosure ---------------------------------------------------------------------------------------------

ENCLOSURES: dict[str, tuple[Vec3, float]] = {
    "packing_box": ((0.400, 0.302, 0.280), 0.006),
    "storage_box": ((0.436, 0.316, 0.236), 0.006),
    "wooden_box": ((0.312, 0.229, 0.160), 0.012),
    "gift_box": ((0.251, 0.251, 0.247), 0.005),
    "cooler": ((0.570, 0.355, 0.340), 0.037),
}
"""Closed boxes that open: extents, and the height of the floor inside with a little air."""
ENCLOSED = ("apple", "mug", "tennis_ball", "toy_car", "lemon")
ON_SIDE_TABLES = "on side tables"
"""The two far boxes stand on side tables."""
SIDE_TABLE_BOXES = tuple(sorted(k for k, (size, _) in ENCLOSURES.items() if size[0] < 0.45))
CLOSED: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.44, 1.15), (-0.44, 1.88), (0.44, 1.15), (0.44, 1.88)),
    "wide": ((-0.42, 1.18), (-0.66, 1.86), (0.42, 1.18), (0.66, 1.86)),
    "narrow": ((-0.62, 1.20), (-0.40, 1.90), (0.62, 1.20), (0.40, 1.90)),
    ON_SIDE_TABLES: ((-0.46, 1.15), (-0.44, 1.86), (0.46, 1.15), (0.44, 1.86)),
}
"""Layout → middles of the boxes: left, near and far, then right."""


def enclosed(numbers: random.Random, item: Item) -> Pair:
    """Four closed boxes that open, some of them empty, and a few things beside them."""
    kind, high_rank = item.against("kind", ENCLOSED)
    other = numbers.choice([k for k in ENCLOSED if k != kind and {k, kind} != ALIKE_AFAR])
    boxes, spots, tables = [], [], []
    for i, (x, y) in enumerate(CLOSED[item.layout]):
        high = 0.0
        at = (x + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.03, 0.03))
        if item.layout == ON_SIDE_TABLES and i % 2:
            table = stand(f"table_{i}", "side_table", at)
            tables.append(table.thing)
            high = table.tops[-1].z_m
        category = numbers.choice(SIDE_TABLE_BOXES if high else sorted(ENCLOSURES))
        size, floor = ENCLOSURES[category]
        boxes.append(Thing(f"box_{i}", category, at, size, z_m=high or None, essential=False, vessel=True))
        spots.append(thing("", kind, (at[0] + numbers.uniform(-0.02, 0.02), at[1] + numbers.uniform(-0.015, 0.015)), z_m=high + floor))
    shown = numbers.randrange(1, 3)
    front = numbers.sample((-0.48, -0.16, 0.16, 0.48), shown)
    seen = [thing(f"seen_{i}", kind, (x, 0.86), yaw_deg=numbers.choice((0.0, 90.0, 180.0))) for i, x in enumerate(front)]
    return counted(
        numbers,
        item,
        kind,
        fixed=(*tables, *boxes),
        seen=seen,
        spots=spots,
        others=("", "", "", other),  # in a box that never holds what is asked for: that it is there says nothing of the count
        way=route("forward 4, tilt 4, open({box_0}), open({box_2})", "forward 3, open({box_1}), open({box_3})"),
        least=shown,
        rank=2 * high_rank,
        margin="one more in a closed box, seen when it is open",
        actions=(*CAMERA_ACTIONS, "open", "close"),
        note="All of them are in the part of the room that you see when you start: in view, or in one of the four closed boxes there, "
        "which can be opened. Nothing else opens.",
    )


def _generator(
    slug: str, subcategory: str, draft: Callable[..., Pair], layouts: Iterable[str], beyond: str, version: str = "6"
) -> Generator:
    rule = "the number of things of the category asked for"
    return Generator(
        slug, CATEGORY, subcategory, draft, rule, {"count": COUNT}, judge=judge, layouts=tuple(layouts), version=version, tells=WHOLE,
        beyond=beyond,
    )  # fmt: skip


WHOLE = "Numbers differ by a whole thing, which is seen with 60 pixels or more (of 640 × 480) when one stops to look."
"""What tells the answers of counting apart."""
COUNTING = _generator(
    "counting", "Counting w Occlusion", occluded, (*BOXES, ON_FURNITURE), "Counting of more than a handful, and of things that move.", "8"
)
GENERATORS = (
    COUNTING,
    _generator("divided", "Spatial Segmentation", segmented, CHAIRS, "Several rooms: armchairs part one floor.", "8"),
    _generator("stacked", "Merged Observation", merged, PILES, "Heaps: things stand upright in columns.", "8"),
    _generator("alike", "Category Ambiguity", ambiguous, AROUND, "Kinds that differ in a tint alone."),
    _generator("boxed", "Structural Enclosure", enclosed, CLOSED, "Locks, and boxes in boxes.", "8"),
)
