"""Own tasks of Action Sequencing: what goes below, what goes on top.

Three levels: a wide thing as the base, a smaller one that must stand in it, and what is laid on top, into the middle one. For the base and
for the top there are two candidates of one kind. One fits; the other barely does not: the base is a tenth too narrow, the top a tenth too
wide. The larger candidate stands farther away by as much as it is larger, so that from the start view both look alike; in the twin they
have changed places.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, footprint, slide
from data.generators.stages import OTHERS
from data.generators.things import SIZES_M
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import ObjectState, Pose, Vec3

FLOOR_VIEW_M = 0.015
"""Height of a start view at floor level: nobody looks into anything, and what stands farther back stands higher by little more than a
pixel (at 5 cm by four, which told 52 of 80 bases)."""
RATIO = 1.2
"""Larger candidate : smaller candidate, in size and in distance. What just fits lies in between, by the same factor from both."""
MARGIN = math.sqrt(RATIO) - 1
NEAR_M = 0.95
"""Distance of a smaller candidate from the camera."""
BASE_DEG, TOP_DEG = 26.0, 12.5
"""Bearings of the candidates on either side of the middle thing."""

SIZE_M: dict[str, Vec3] = {
    "bowl": SIZES_M["bowl"],
    "bucket": SIZES_M["bucket"],
    "coconut": (0.116, 0.116, 0.120),
    "croissant": (0.125, 0.072, 0.058),
    "cupcake": (0.084, 0.084, 0.074),
    "grapefruit": (0.106, 0.106, 0.099),
    "loaf_of_bread": (0.312, 0.100, 0.090),
    "mixing_bowl": (0.258, 0.258, 0.118),
    "orange": (0.078, 0.078, 0.075),
    "paperback_book": (0.125, 0.190, 0.022),
    "plant_pot": SIZES_M["plant_pot"],
    "pumpkin": (0.230, 0.220, 0.182),
    "roasting_pan": (0.442, 0.280, 0.131),
    "shopping_basket": (0.430, 0.290, 0.351),
    "storage_box": (0.436, 0.316, 0.236),
    "tomato": (0.080, 0.080, 0.065),
    "wooden_box": (0.312, 0.229, 0.160),
}
"""Extents at scale 1; a roasting pan here is a deep one."""
OPEN = ("storage_box", "wooden_box")
"""These have a lid, which stands open."""
WORDS = {"mixing_bowl": "bowl", "paperback_book": "paperback"}
JUST_FITS: dict[tuple[str, str], float] = {
    ("storage_box", "mixing_bowl"): 1.136,
    ("storage_box", "plant_pot"): 1.203,
    ("storage_box", "roasting_pan"): 0.887,
    ("shopping_basket", "mixing_bowl"): 0.853,
    ("shopping_basket", "roasting_pan"): 0.792,
    ("roasting_pan", "bowl"): 1.646,
    ("mixing_bowl", "orange"): 2.923,
    ("mixing_bowl", "grapefruit"): 2.180,
    ("mixing_bowl", "pumpkin"): 0.976,
    ("bowl", "cupcake"): 1.504,
    ("bowl", "coconut"): 0.928,
    ("plant_pot", "coconut"): 1.661,
    ("roasting_pan", "paperback_book"): 1.950,
    ("roasting_pan", "loaf_of_bread"): 1.177,
}
"""(outer, inner) → the largest scale of the inner thing that the outer one takes at scale 1, measured."""


@dataclass(frozen=True)
class Kinds:
    """One hierarchy: what belongs below, in the middle and on top, the look-alikes of base and top, and the scale of the middle one."""

    base: str
    middle: str
    top: str
    like_base: str
    like_top: str
    scale: float


KINDS = (
    Kinds("storage_box", "mixing_bowl", "orange", "wooden_box", "tomato", 0.40),
    Kinds("roasting_pan", "bowl", "cupcake", "mixing_bowl", "croissant", 0.85),
    Kinds("shopping_basket", "mixing_bowl", "grapefruit", "bucket", "orange", 0.34),
    Kinds("storage_box", "roasting_pan", "paperback_book", "wooden_box", "loaf_of_bread", 0.42),
    Kinds("storage_box", "mixing_bowl", "pumpkin", "wooden_box", "grapefruit", 0.50),
    Kinds("roasting_pan", "bowl", "coconut", "mixing_bowl", "grapefruit", 0.85),
    Kinds("shopping_basket", "mixing_bowl", "orange", "bucket", "tomato", 0.36),
    Kinds("storage_box", "plant_pot", "coconut", "wooden_box", "grapefruit", 0.50),
    Kinds("storage_box", "roasting_pan", "loaf_of_bread", "wooden_box", "croissant", 0.42),
    Kinds("shopping_basket", "roasting_pan", "paperback_book", "bucket", "loaf_of_bread", 0.34),
    Kinds("storage_box", "mixing_bowl", "grapefruit", "wooden_box", "orange", 0.50),
    Kinds("shopping_basket", "mixing_bowl", "pumpkin", "bucket", "grapefruit", 0.34),
    Kinds("shopping_basket", "roasting_pan", "loaf_of_bread", "bucket", "croissant", 0.34),
)
ARC, IN_FRONT, AMONG = "in an arc", "tops in front", "among other things"
LAYOUTS = (ARC, IN_FRONT, AMONG)
GROWN = (0.90, 1.04)
"""Distances are drawn anew by a factor in this range; a hand still reaches the farthest candidate."""
ASIDE = (0.87, 1.13)
"""Each of the four candidates stands nearer or farther by a factor of its own, the same in both twins: how large one looks beside another,
and how high it stands in the picture, says nothing of which is larger."""
FLAT_PAN = 0.101 / 0.131
"""Height of a roasting pan in the middle, of the deep one's."""
UP, DOWN = 3, 3
"""Steps up and turns down from the start, to look into everything while a hand still reaches it, and past what is in the hand."""


def order(numbers: random.Random, item: Item) -> Pair:
    """Two bases, two tops, one thing in the middle; in the twin larger and smaller have changed sides."""
    k, grown = item.dealt("kinds", KINDS), numbers.uniform(*GROWN)
    top_deg, forward = (13.5, 0.86) if item.layout == IN_FRONT else (TOP_DEG, 1.0)
    base_word, middle_word, top_word = (WORDS.get(w, w.replace("_", " ")) for w in (k.base, k.middle, k.top))
    middle_size = SIZE_M[k.middle]
    if k.middle == "roasting_pan":
        middle_size = (middle_size[0], middle_size[1], middle_size[2] * FLAT_PAN)
    middle = Thing(
        "middle", k.middle, (numbers.uniform(-0.01, 0.01), 1.05 * grown), size_m=middle_size, scale=k.scale, words=middle_word, dynamic=True
    )  # fmt: skip
    base_scale = k.scale / JUST_FITS[(k.base, k.middle)] / math.sqrt(RATIO)
    top_scale = k.scale * JUST_FITS[(k.middle, k.top)] / math.sqrt(RATIO)
    base_m, top_m = grown * (NEAR_M + numbers.uniform(0.02, 0.06)), grown * forward * (NEAR_M + numbers.uniform(-0.05, 0.0))
    jitter = {side: numbers.uniform(-1.2, 1.2) for side in (-1, 1)}
    aside = {(role, side): numbers.uniform(*ASIDE) for role in ("base", "top") for side in (-1, 1)}
    other_side = numbers.choice((-1, 1))
    others = tuple(
        Thing(
            key,
            kind,
            _at(side * 19.5, 1.6),
            size_m=SIZE_M[kind],
            scale=min(1.0, width / max(SIZE_M[kind])),
            essential=False,
            params=_lid(kind),
        )
        for key, kind, side, width in (("like_top", k.like_top, other_side, 0.10), ("like_base", k.like_base, -other_side, 0.16))
    )
    others += _besides(numbers, k) if item.layout == AMONG else ()

    def candidates(role: str, kind: str, word: str, bearing: float, distance: float, scale: float, large: int) -> dict[int, Thing]:
        found = {}
        for side in (-1, 1):
            name = f"{'left' if side < 0 else 'right'} {word}"
            at = _at(side * bearing + jitter[side], distance * aside[role, side])
            one = Thing(f"{role}_{side}", kind, at, size_m=SIZE_M[kind], scale=scale, words=name, dynamic=True, params=_lid(kind))
            found[side] = slide(one, RATIO) if side == large else one
        return found

    def half(base_side: int, top_side: int) -> Half:
        bases = candidates("base", k.base, base_word, BASE_DEG, base_m, base_scale, base_side)
        tops = candidates("top", k.top, top_word, top_deg, top_m, top_scale, -top_side)
        wrong_base, wrong_top = f"base_{-base_side}", f"top_{-top_side}"
        right_base, right_top = f"base_{base_side}", f"top_{top_side}"
        path = (
            *("move_up",) * UP,
            *("turn_down",) * DOWN,
            "pick_up({middle})",
            f"put({{middle}}, inside, {{{wrong_base}}})",
            f"put({{middle}}, inside, {{{right_base}}})",
            f"pick_up({{{wrong_top}}})",
            f"put({{{wrong_top}}}, inside, {{middle}})",
            f"put_back({{{wrong_top}}})",
            f"pick_up({{{right_top}}})",
            f"put({{{right_top}}}, inside, {{middle}})",
        )
        n = UP + DOWN
        evidence = (
            *(Evidence(kind="done", step=n + i) for i in (1, 3, 4, 6, 7, 8)),
            *(Evidence(kind="failed", step=n + i, name="does not fit") for i in (2, 5)),
            Evidence(kind="relation", step=-1, handle="middle", name="inside", other=right_base),
            *(Evidence(kind="seen", step=n, handle=key) for key in ("middle", right_base, right_top, wrong_base, wrong_top)),
        )
        gold = {_blank(base_word): _word(base_side), _blank(top_word): _word(top_side)}
        return Half((middle, *bases.values(), *tops.values(), *others), gold, path=path, evidence=evidence)

    a = numbers.choice((-1, 1))
    c = a if item.turn("sides", 2) else -a  # twins turn both, so that two items have all four answers
    return Pair(
        ask=Ask(what="order", things=("base_-1", "base_1", "top_-1", "top_1"), against="middle"),
        form="pair",
        options=(),
        halves=(half(a, c), half(-a, -c)),
        camera_z_m=FLOOR_VIEW_M,
        pitch_deg=round(numbers.uniform(2.5, 5.5), 2),
        path=(),
        margin=f"{MARGIN:.0%} too narrow or too wide, or as much to spare",
        note=f"Only one {base_word} is wide enough, and only one {top_word} is small enough. "
        "Left and right are meant as you see them at the start.",
        chance=0.25,
        question_more={"blanks": (("left", "right"), ("left", "right")), "blank_names": (_blank(base_word), _blank(top_word))},
        actions=(*CAMERA_ACTIONS, "pick_up", "put", "put_on_floor", "put_back"),
    )


def _besides(numbers: random.Random, k: Kinds) -> tuple[Thing, ...]:
    """Things of other kinds on the floor behind all candidates, small ones that hide nothing.

    Raises:
        Rejected: there is no room for them.
    """
    words = {word for kind in (k.base, k.middle, k.top, k.like_base, k.like_top) for word in kind.split("_")}
    found: list[Thing] = []
    for kind in numbers.sample([o for o in OTHERS if not words & set(o.split("_"))], numbers.randrange(3, 6)):
        for _ in range(60):
            at = (numbers.uniform(-1.35, 1.35), numbers.uniform(1.85, 2.6))
            one = Thing(f"beside_{len(found)}", kind, at, SIZES_M[kind], essential=False, yaw_deg=numbers.choice((0.0, 90.0, 180.0, 270.0)))
            if all(math.dist(at, t.xy) > (max(footprint(one)) + max(footprint(t))) / 2 + 0.05 for t in found):
                found.append(one)
                break
        else:
            raise Rejected("no room for what stands besides")
    return tuple(found)


def _at(bearing_deg: float, distance_m: float) -> tuple[float, float]:
    """A place seen from the start, bearings to the right."""
    a = math.radians(bearing_deg)
    return (distance_m * math.sin(a), distance_m * math.cos(a))


def _lid(kind: str) -> dict[str, bool]:
    return {"open": True} if kind in OPEN else {}


def _blank(words: str) -> str:
    """The name of the place for the answer about a thing: a sentence begins with it."""
    return words[:1].upper() + words[1:]


def _word(side: int) -> str:
    return "left" if side < 0 else "right"


def _two(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    base, top = (names[ask.things[i]].removeprefix("left ") for i in (0, 2))
    return {"base": base, "top": top, "middle": names[ask.against]}


WHICH_TWO = wordings(
    _two,
    "Into which {base} does the {middle} fit, and which {top} fits into the {middle}: the left or the right one?",
    "The {middle} is to stand in one {base}, and one {top} is to lie in the {middle}. Of each, is it the left or the right one?",
    "You want to put the {middle} into a {base} and then a {top} into the {middle}. Which {base} and which {top} will do, left or right?",
    "Only one {base} takes the {middle}, and the {middle} takes only one {top}. Which are they: the left or the right one of each?",
)


def judge_order(playing: Playing) -> Answer:
    """What stands in what at the end, and that the other candidates were tried and did not fit."""
    task, middle = playing.task, playing.ask.against
    bases_asked, tops_asked = playing.ask.things[:2], playing.ask.things[2:]
    first, last = playing.first.state, playing.states()[-1]
    there = {o.handle: o for o in (first.objects if first else ())}
    inside = {(r.subject, r.object) for r in last.relations if r.kind == "inside"}
    # What stands out over the rim of the middle thing is on it, by the simulator's words.
    held = inside | {(r.subject, r.object) for r in last.relations if r.kind == "on"}
    bases = [h for h in bases_asked if (middle, h) in inside]
    tops = [h for h in tops_asked if (h, middle) in held]
    if len(bases) != 1 or len(tops) != 1:
        return "unfinished"
    failed = {s.action for s in playing.steps if not s.ok}
    wanted = {f"put({middle}, inside, {o})" for o in bases_asked if o != bases[0]}
    wanted |= {f"put({o}, inside, {middle})" for o in tops_asked if o != tops[0]}
    if not wanted <= failed:
        return "not tried"
    sides = (side_of(there[handle], there[middle], task.start) for handle in (bases[0], tops[0]))
    return dict(zip(task.question.blank_names, sides, strict=True))


def side_of(thing: ObjectState, other: ObjectState, camera: Pose) -> str:
    """Left or right of the other, as the camera sees it."""
    right = [row[0] for row in rotation_matrix(camera.quaternion_xyzw)]
    across = sum(r * (a - b) for r, a, b in zip(right, thing.pose.position_m, other.pose.position_m, strict=True))
    return "right" if across > 0 else "left"


ORDER = Generator(
    "order",
    "Action Sequencing",
    "Action Order Inference",
    order,
    "tried by hand: the middle thing stands in one base and does not fit into the other; one top fits into the middle thing, the other not",
    {"order": WHICH_TWO},
    2,
    judge_order,
    layouts=LAYOUTS,
    version="7",
    tells=f"{MARGIN:.0%} too narrow or too wide, or as much to spare; candidates differ by {RATIO - 1:.0%}, seven times the 2.9 % by "
    "which people tell lengths (Teghtsoonian 1971, Psychological Review 78, 71–80), and trying settles it.",
    beyond="Longer sequences, and orders that must be kept though each step alone is possible.",
)
GENERATORS = (ORDER,)
