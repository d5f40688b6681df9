"""What the counting kinds share: how many things of a kind a room holds, where some cannot be seen from the start.

The start camera is 1.25 m above the floor and looks 30° down. Twins differ by one thing of the kind asked for, at a spot that the start
view cannot see: behind a box, an armchair or a stack, or in a closed box. What is seen at first is at most the least option, so that it
narrows the answer down no further than the options do; the gold's rank among the options is uniform over two items.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from data.generators.drawing import Item, wordings
from data.generators.framework import ENOUGH_PIXELS, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, footprint, path_poses
from data.generators.things import several
from data.task import Answer, Ask, Evidence
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
KINDS = ("apple", "bowl", "lemon", "mug", "tennis_ball", "toilet_paper", "toy_car")
"""Told apart from above and from afar."""
ALIKE_AFAR = {"lemon", "tennis_ball"}
"""But for these two, which never stand together."""
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


COUNT = wordings(
    lambda ask, names, options: {"things": several(ask.category)},
    "How many {things} are there in this room?",
    "Count the {things} in this room: how many are there?",
    "What is the number of {things} in this room?",
)
"""As one asks in a room; the released rows say "objects of category …"."""


WHERE = "All of them are in the part of the room that you see when you start, in view or hidden there."
"""Where what is counted is: nobody need look round the rest of a lived-in room."""
SHUT = "No closed box and no closed furniture holds one."


def thing(key: str, kind: str, xy: tuple[float, float], **more: object) -> Thing:
    """A small thing at its true size."""
    return Thing(key, kind, xy, SIZES_M[kind], **more)  # type: ignore[arg-type]


def covered(one: Thing, by: Thing, inset: float = 1.0, eye_m: float = EYE_M) -> bool:
    """Whether the box of `by`, shrunk to `inset` of its width and height, hides the whole box of `one` from a camera that high over the
    origin.

    What a convex body hides is convex: the eight corners decide.
    """
    (w, d), h = footprint(by), by.extent_m[2] * inset
    low = (by.xy[0] - w * inset / 2, by.xy[1] - d / 2, by.z_m or 0.0)
    high = (by.xy[0] + w * inset / 2, by.xy[1] + d / 2, (by.z_m or 0.0) + h)
    (a, b), z = footprint(one), one.z_m or 0.0
    for sx, sy, top in itertools.product((-1, 1), (-1, 1), (0.001, one.extent_m[2])):
        corner = (one.xy[0] + sx * a / 2, one.xy[1] + sy * b / 2, z + top)
        enter, leave = 0.0, 1.0
        for eye, c, lo, hi in zip((0.0, 0.0, eye_m), corner, low, high, strict=True):
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

    extra: dict[str, object] = {"tags": {"seen_first": str(shown)}, "note": f"{WHERE} {SHUT}", **more}
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
    return kind, numbers.choice([k for k in kinds if k != kind and {k, kind} != ALIKE_AFAR])


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
