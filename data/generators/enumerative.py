"""Own tasks of Enumerative Perception: how many things of a kind a room holds, where some cannot be seen from the start.

The start camera is 1.25 m above the floor and looks 30° down. Twins differ by one thing of the kind asked for, at a spot that the start
view cannot see: behind a box, an armchair or a stack, or in a closed box. What is seen at first is at most the least option, so that it
narrows the answer down no further than the options do; the gold's rank among the options is uniform over two items.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from data.generators.drawing import Item, wordings
from data.generators.framework import ENOUGH_PIXELS, Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, footprint, path_poses
from data.generators.things import BLOCK, several
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import looking
from sim_bridge.spec import Vec3

CATEGORY = "Enumerative Perception"
EYE_M = 1.25
PITCH_DEG = -30.0
NEAR_PIXELS = 400
"""Pixels (of 640 × 480) at which look-alikes are told apart; about 20 × 20."""
OPTIONS = 4
"""Consecutive numbers offered."""
SIZES_M: dict[str, Vec3] = {
    "apple": (0.079, 0.079, 0.079),
    "bowl": (0.160, 0.160, 0.065),
    "bun": (0.090, 0.090, 0.049),
    "can": (0.077, 0.077, 0.105),
    "jewelry_box": (0.250, 0.185, 0.129),
    "kiwi": (0.050, 0.050, 0.066),
    "lemon": (0.058, 0.058, 0.091),
    "mug": (0.118, 0.083, 0.096),
    "orange": (0.078, 0.078, 0.075),
    "peach": (0.074, 0.072, 0.068),
    "plum": (0.056, 0.054, 0.066),
    "potato": (0.100, 0.068, 0.068),
    "tennis_ball": (0.067, 0.067, 0.067),
    "toilet_paper": (0.109, 0.108, 0.100),
    "tomato": (0.080, 0.080, 0.065),
    "toy_car": (0.112, 0.058, 0.050),
    "tupperware": (0.212, 0.152, 0.092),
    "wooden_box": (0.218, 0.160, 0.112),
}
"""What is counted and what stands among it: all edges ≤ 0.25 m, not all < 0.05 m. The catalogue's extents (a test compares), but for
the wooden box, which is made smaller to be stacked."""
KINDS = ("apple", "bowl", "can", "lemon", "mug", "tennis_ball", "toilet_paper", "toy_car")
"""Told apart from above and from afar."""
_STEPS = {
    "up": "move_up",
    "down": "move_down",
    "left": "move_left",
    "right": "move_right",
    "forward": "move_forward",
    "back": "move_backward",
    "tilt": "turn_down",
    "raise": "turn_up",
}


# --- parts of all kinds -----------------------------------------------------------------------------------------------


COUNT = wordings(
    lambda ask, names, options: {"things": several(ask.category)},
    "How many {things} are there in this room?",
    "Count the {things} in this room: how many are there?",
    "What is the number of {things} in this room?",
)
"""As one asks in a room; the released rows say "objects of category …"."""


def thing(key: str, kind: str, xy: tuple[float, float], **more: object) -> Thing:
    """A small thing at its true size."""
    return Thing(key, kind, xy, SIZES_M[kind], **more)  # type: ignore[arg-type]


def covered(one: Thing, by: Thing, inset: float = 1.0) -> bool:
    """Whether the box of `by`, shrunk to `inset` of its width and height, hides the whole box of `one` from the start camera.

    What a convex body hides is convex: the eight corners decide.
    """
    (w, d), h = footprint(by), by.extent_m[2] * inset
    low = (by.xy[0] - w * inset / 2, by.xy[1] - d / 2, by.z_m or 0.0)
    high = (by.xy[0] + w * inset / 2, by.xy[1] + d / 2, (by.z_m or 0.0) + h)
    (a, b), z = footprint(one), one.z_m or 0.0
    for sx, sy, top in itertools.product((-1, 1), (-1, 1), (0.001, one.extent_m[2])):
        corner = (one.xy[0] + sx * a / 2, one.xy[1] + sy * b / 2, z + top)
        enter, leave = 0.0, 1.0
        for eye, c, lo, hi in zip((0.0, 0.0, EYE_M), corner, low, high, strict=True):
            if abs(c - eye) < 1e-12:
                enter, leave = (enter, leave) if lo <= eye <= hi else (1.0, 0.0)
                continue
            t0, t1 = sorted(((lo - eye) / (c - eye), (hi - eye) / (c - eye)))
            enter, leave = max(enter, t0), min(leave, t1)
        if enter >= leave:
            return False
    return True


def behind(by: Thing, gap_m: float, side_m: float = 0.0) -> tuple[float, float]:
    """A spot `gap_m` behind the back of an occluder on the line of sight past its middle, `side_m` off it."""
    y = by.xy[1] + footprint(by)[1] / 2 + gap_m
    return (by.xy[0] * y / by.xy[1] + side_m, y)


@dataclass(frozen=True)
class Route:
    """A trajectory with the steps at which one looks around: the ends of its legs."""

    path: tuple[str, ...]
    stops: tuple[int, ...]
    """Step of each (0 is the start view)."""

    def nearest(self, xy: tuple[float, float]) -> int:
        """The stop (not the start) whose camera is nearest above a spot."""
        poses = path_poses(looking(0.0, 0.0, EYE_M, pitch_deg=PITCH_DEG), self.path)
        return min(self.stops, key=lambda s: math.dist(poses[s].position_m[:2], xy))


def route(*legs: str) -> Route:
    """Legs such as ``"up 1, forward 8, tilt 4"``; a word in braces is a physical action, as it is."""
    path: list[str] = []
    stops = []
    for leg in legs:
        for part in leg.split(", "):
            if "(" in part:
                path.append(part)
            else:
                word, times = part.split()
                path += [_STEPS[word]] * int(times)
        stops.append(len(path))
    return Route(tuple(path), tuple(stops))


TWO_LOOKS = route("up 1, left 2, forward 8, tilt 4", "right 4")
"""From above behind what stands in the middle, left and right."""


def counted(
    numbers: random.Random,
    item: Item,
    kind: str,
    *,
    fixed: Sequence[Thing],
    seen: Sequence[Thing],
    spots: Sequence[tuple[float, float] | Thing],
    others: Sequence[str],
    way: Route,
    margin: str,
    least: int | None = None,
    yaws: Sequence[float] = (0.0, 90.0, 180.0, 270.0),
    rank: int | None = None,
    near: int | None = None,
    **more: object,
) -> Pair:
    """Twins: `fixed` (occluders) and `seen` stand in both; at the `spots`, invisible from the start, are things of the kind asked for
    and otherwise what `others` says, ``""`` for nothing.

    Args:
        spots: places, or things whose category is changed and which keep their height above the floor.
        others: what a spot holds without a thing of the kind; as many as spots.
        least: the least option; None: what is seen, or one more.
        yaws: headings of what is at the spots.
        rank: of the fewer twin's count among the options; None: 0 or 2 in turn.
        near: the stop at which what is seen from the start is seen well enough to be told apart; None: the start.
    """
    shown = sum(t.category == kind for t in seen)
    first = least if least is not None else max(1, shown + numbers.randrange(2))
    few = first + (2 * item.turn("rank", 2) if rank is None else rank) - shown
    if few < 0 or few + 1 > len(spots):
        raise Rejected("too few hidden spots for the counts")
    order = numbers.sample(range(len(spots)), len(spots))
    headings = [numbers.choice(yaws) for _ in spots]

    def put(i: int, category: str) -> Thing:
        spot = spots[i]
        z = spot.z_m if isinstance(spot, Thing) else None
        xy = spot.xy if isinstance(spot, Thing) else spot
        return thing(f"spot_{i}", category, xy, z_m=z, yaw_deg=headings[i])

    def half(count: int) -> Half:
        inside = {order[i]: kind if i < count else others[i] for i in range(len(spots))}
        hidden = [put(i, category) for i, category in sorted(inside.items()) if category]
        evidence = [Evidence(kind="unseen", step=0, handle=t.key, high=0) for t in hidden]
        evidence += [Evidence(kind="seen", step=way.nearest(t.xy), handle=t.key) for t in hidden]
        evidence += [Evidence(kind="seen", step=0, handle=t.key) for t in seen]
        if near is not None:
            evidence += [Evidence(kind="seen", step=way.stops[near], handle=t.key, low=NEAR_PIXELS) for t in seen]
        evidence += [Evidence(kind="done", step=i) for i, a in enumerate(way.path, start=1) if "(" in a]
        return Half((*fixed, *seen, *hidden), str(shown + count), "neutral", evidence=tuple(evidence))

    extra: dict[str, object] = {"tags": {"seen_first": str(shown)}, **more}
    return Pair(
        ask=Ask(what="count", category=kind),
        form="choice",
        options=tuple(str(first + i) for i in range(OPTIONS)),
        halves=(half(few), half(few + 1)),
        camera_z_m=EYE_M,
        pitch_deg=PITCH_DEG,
        path=way.path,
        margin=margin,
        **extra,  # type: ignore[arg-type]
    )


def kinds_of(numbers: random.Random, item: Item, kinds: Sequence[str]) -> tuple[str, str]:
    """The kind asked for and another one."""
    kind = item.dealt("kind", kinds)
    return kind, numbers.choice([k for k in kinds if k != kind])


def judge(playing: Playing) -> Answer:
    """How many things of the category asked for are present, if each of them is seen well when the camera comes to rest somewhere: at
    the start, or at the last step of a run of the same action."""
    kind = playing.ask.category
    steps = playing.steps
    rests = [s for i, s in enumerate(steps) if i == 0 or i == len(steps) - 1 or steps[i + 1].action != s.action]
    state = playing.last.state
    found = [o.handle for o in (state.objects if state else ()) if o.present and o.category == kind]
    if any(max(s.visible.get(h, 0) for s in rests) < ENOUGH_PIXELS for h in found):
        return "not each of them is seen"
    return str(len(found))


# --- Counting w Occlusion ---------------------------------------------------------------------------------------------


BOXES: dict[str, tuple[tuple[float, float], ...]] = {
    "two before three": ((-0.38, 1.20), (0.38, 1.20), (-0.76, 1.76), (0.0, 1.76), (0.76, 1.76)),
    "three before two": ((-0.62, 1.20), (0.0, 1.16), (0.62, 1.20), (-0.42, 1.84), (0.42, 1.84)),
    "zigzag": ((-0.80, 1.50), (-0.34, 1.18), (0.12, 1.74), (0.34, 1.14), (0.80, 1.62)),
}
"""Layout → middles of the boxes."""


def mirrored(numbers: random.Random, places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The places, or their mirror image."""
    side = numbers.choice((-1, 1))
    return [(side * x, y) for x, y in places]


def occluded(numbers: random.Random, item: Item) -> Pair:
    """Five boxes; behind each stands something, of the kind asked for or of another."""
    kind, other = kinds_of(numbers, item, KINDS)
    boxes = []
    for i, (x, y) in enumerate(mirrored(numbers, BOXES[item.layout])):
        size = (numbers.uniform(0.36, 0.42), 0.24, numbers.uniform(0.40, 0.46))
        at = (x + numbers.uniform(-0.05, 0.05), y + numbers.uniform(-0.04, 0.04))
        boxes.append(Thing(f"box_{i}", BLOCK, at, size, essential=False))
    spots = []
    for box in boxes:
        spot = behind(box, numbers.uniform(0.10, 0.13), numbers.uniform(-0.03, 0.03))
        if not all(covered(thing("", k, spot, yaw_deg=yaw), box, 0.97) for k in (kind, other) for yaw in (0.0, 90.0)):
            raise Rejected("a box is too small to hide what is behind it")
        spots.append(spot)
    return counted(
        numbers,
        item,
        kind,
        fixed=boxes,
        seen=(),
        spots=spots,
        others=[other] * len(spots),
        way=TWO_LOOKS,
        least=1 + item.turn("least", 2, 2),
        margin="each one wholly hidden from the start, seen from above",
    )


# --- Spatial Segmentation ---------------------------------------------------------------------------------------------


CHAIRS: dict[str, tuple[tuple[float, float], ...]] = {
    "row": ((-0.86, 1.62), (0.0, 1.62), (0.86, 1.62)),
    "arrow": ((-0.86, 1.50), (0.0, 1.74), (0.86, 1.50)),
    "steps": ((-0.86, 1.50), (0.0, 1.62), (0.86, 1.74)),
}
"""Layout → middles of the armchairs."""


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
    spots = numbers.sample(spots, 5)
    shown = numbers.randrange(1, 3)
    front = numbers.sample((-0.55, -0.18, 0.18, 0.55), shown + 1)
    seen = [
        thing(f"seen_{i}", kind if i < shown else other, (x, numbers.uniform(0.92, 1.06)), yaw_deg=numbers.choice((0.0, 90.0, 180.0)))
        for i, x in enumerate(front)
    ]
    return counted(
        numbers,
        item,
        kind,
        fixed=chairs,
        seen=seen,
        spots=spots,
        others=numbers.sample([other, other, "", "", ""], 5),
        way=route("up 1, left 2, forward 9, tilt 4", "right 4"),
        margin="those behind the dividers wholly hidden from the start, seen from above",
    )


# --- Merged Observation -----------------------------------------------------------------------------------------------

STACKED = ("can", "toilet_paper", "tupperware", "wooden_box", "jewelry_box")
"""With upright sides and nothing to see through: a mug's handle shows what is behind it."""


PILES: dict[str, tuple[float, tuple[float, float, float]]] = {
    "side by side": (1.0, (0.0, 0.0, 0.0)),
    "in steps": (1.05, (-0.6, 0.0, 0.6)),
    "middle apart": (1.1, (0.0, 0.7, 0.0)),
}
"""Layout → (spread to the sides, steps in depth) of three stacks, in widths and depths of the thing."""


def merged(numbers: random.Random, item: Item) -> Pair:
    """Stacks of one kind close together; behind a stack may stand one more."""
    spread, steps = PILES[item.layout]
    side = numbers.choice((-1, 1))
    kind, _ = kinds_of(numbers, item, STACKED)
    wide, deep, high = SIZES_M[kind]
    seen: list[Thing] = []
    spots = []
    for i in range(3):
        levels = numbers.choice((2, 3) if deep < 0.12 else (3, 3, 4))  # a deep thing needs a higher stack to be hidden
        x = (i - 1) * wide * spread * numbers.uniform(1.05, 1.15)
        at = (x, 1.50 + side * steps[i] * deep + numbers.uniform(-0.02, 0.02))
        # Set back a little from layer to layer, as hands stack: the edges show how many there are.
        back = [0.0, *numbers.sample((0.010, 0.016, 0.022), levels - 1)]
        pile = [thing(f"pile_{i}_{k}", kind, (at[0], at[1] + back[k]), z_m=k * high if k else None) for k in range(levels)]
        seen += pile
        whole = replace(pile[0], size_m=(wide, deep, high * levels))
        spot = behind(whole, deep / 2 + numbers.uniform(0.008, 0.015))
        if not covered(thing("", kind, spot), whole):
            raise Rejected("a stack is too low to hide what is behind it")
        spots.append(spot)
    return counted(
        numbers,
        item,
        kind,
        fixed=(),
        seen=seen,
        spots=spots,
        others=[""] * 3,
        least=len(seen),
        yaws=(0.0,),
        way=route("down 2, forward 2", "up 1, forward 5, tilt 4"),
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
}
"""Layout → (middles of the two boxes, places before and beside them)."""


def ambiguous(numbers: random.Random, item: Item) -> Pair:
    """Things of two kinds that look alike from afar, two of them behind boxes; how many are of which kind varies."""
    kind, other = item.dealt("kind", [pair[::way] for pair in ALIKE for way in (1, -1)])
    hiding, free = AROUND[item.layout]
    side = numbers.choice((-1, 1))
    boxes = [
        Thing(f"box_{i}", BLOCK, (side * x + numbers.uniform(-0.03, 0.03), y), (0.34, 0.20, 0.36), essential=False)
        for i, (x, y) in enumerate(hiding)
    ]
    spots = []
    for box in boxes:
        spot = behind(box, numbers.uniform(0.09, 0.12), numbers.uniform(-0.03, 0.03))
        if not all(covered(thing("", k, spot, yaw_deg=yaw), box, 0.97) for k in (kind, other) for yaw in (0.0, 90.0)):
            raise Rejected("a box is too small to hide what is behind it")
        spots.append(spot)
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
            yaw_deg=numbers.uniform(0, 360),
        )
        for i, (x, y) in enumerate(places)
    ]
    return counted(
        numbers,
        item,
        kind,
        fixed=boxes,
        seen=seen,
        spots=spots,
        others=[other, other],
        way=route("down 2, forward 2", "forward 4, left 1, tilt 4", "right 2"),
        least=least,
        near=0,
        margin="one of the kind behind a box, seen from near",
    )


# --- Structural Enclosure ---------------------------------------------------------------------------------------------

ENCLOSURES: dict[str, tuple[Vec3, float]] = {
    "packing_box": ((0.400, 0.302, 0.280), 0.006),
    "storage_box": ((0.436, 0.316, 0.236), 0.006),
    "wooden_box": ((0.312, 0.229, 0.160), 0.012),
    "gift_box": ((0.251, 0.251, 0.247), 0.005),
    "cooler": ((0.570, 0.355, 0.340), 0.037),
}
"""Closed boxes that open: extents, and the height of the floor inside with a little air."""
ENCLOSED = ("mug", "tennis_ball", "toy_car", "lemon", "can")


CLOSED: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.44, 1.15), (-0.44, 1.88), (0.44, 1.15), (0.44, 1.88)),
    "wide": ((-0.42, 1.18), (-0.66, 1.86), (0.42, 1.18), (0.66, 1.86)),
    "narrow": ((-0.62, 1.20), (-0.40, 1.90), (0.62, 1.20), (0.40, 1.90)),
}
"""Layout → middles of the boxes: left, near and far, then right."""


def enclosed(numbers: random.Random, item: Item) -> Pair:
    """Four closed boxes that open, some of them empty, and a few things beside them."""
    kind, other = kinds_of(numbers, item, ENCLOSED)
    boxes, spots = [], []
    for i, (x, y) in enumerate(CLOSED[item.layout]):
        category = numbers.choice(sorted(ENCLOSURES))
        size, floor = ENCLOSURES[category]
        at = (x + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.03, 0.03))
        boxes.append(Thing(f"box_{i}", category, at, size, essential=False, vessel=True))
        spots.append(thing("", kind, (at[0] + numbers.uniform(-0.02, 0.02), at[1] + numbers.uniform(-0.015, 0.015)), z_m=floor))
    shown = numbers.randrange(1, 3)
    front = numbers.sample((-0.48, -0.16, 0.16, 0.48), shown)
    seen = [thing(f"seen_{i}", kind, (x, 0.86), yaw_deg=numbers.choice((0.0, 90.0, 180.0))) for i, x in enumerate(front)]
    return counted(
        numbers,
        item,
        kind,
        fixed=boxes,
        seen=seen,
        spots=spots,
        others=numbers.sample([other, "", "", ""], 4),
        way=route("forward 4, tilt 4, open({box_0}), open({box_2})", "forward 3, open({box_1}), open({box_3})"),
        least=shown,
        margin="one more in a closed box, seen when it is open",
        actions=(*CAMERA_ACTIONS, "open", "close"),
    )


def _generator(slug: str, subcategory: str, draft: Callable[..., Pair], layouts: Iterable[str], beyond: str) -> Generator:
    rule = "the number of things of the category asked for"
    return Generator(
        slug, CATEGORY, subcategory, draft, rule, {"count": COUNT}, judge=judge, layouts=tuple(layouts), version="4", tells=WHOLE,
        beyond=beyond,
    )  # fmt: skip


WHOLE = "Numbers differ by a whole thing, which is seen with 60 pixels or more (of 640 × 480) when one stops to look."
"""What tells the answers of counting apart."""
COUNTING = _generator("counting", "Counting w Occlusion", occluded, BOXES, "Counting of more than a handful, and of things that move.")
GENERATORS = (
    COUNTING,
    _generator("divided", "Spatial Segmentation", segmented, CHAIRS, "Several rooms: armchairs part one floor."),
    _generator("stacked", "Merged Observation", merged, PILES, "Heaps: things stand upright in columns."),
    _generator("alike", "Category Ambiguity", ambiguous, AROUND, "Kinds that differ in a tint alone."),
    _generator("boxed", "Structural Enclosure", enclosed, CLOSED, "Locks, and boxes in boxes."),
)
