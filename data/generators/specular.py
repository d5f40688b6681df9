"""Own tasks of Specular Reflection: is it seen in the mirror, which of two reflected things is nearer, which of three is mirrored.

All start at a person's height. *Reflection Authoring*: a thing behind the viewer, seen in the mirror over a table or counter; in the twin a
small one of its kind stands on the far edge of that furniture, on the same line of sight. *Spatial Relations*: the mirror stands on a
counter, and what it shows stands behind the viewer on small tables whose tops lie below the mirror's edge. *Correspondence*: three equal
things on a table before a narrow mirror.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.generators.drawing import Item, named, wordings
from data.generators.framework import BUDGET, Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, footprint
from data.generators.mirrors import (
    AWAY_M,
    DISTANCE_M,
    KINDS,
    XY,
    Glass,
    a_place,
    bearing_deg,
    extent_of,
    in_room,
    mirror_and_things,
    mirrored,
    on_ray,
    on_top,
    plausible,
    round_about,
    standing,
)  # fmt: skip
from data.generators.surfaces import Top, stand
from data.generators.things import SIZES_M, several
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import TURN_STEP_DEG
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Camera

HFOV_DEG = 75.0
NEARER_HFOV_DEG = 60.0
"""Narrower where things are far behind the viewer: they look small in the mirror."""
MAX_YAW_DEG = 28.0
EDGE_DEG = 4.0
"""An image keeps this angle from the mirror's edges, inside or outside."""
WHICH_WIDTH_M = 0.42
WHICH_EDGE_DEG = 2.5
"""The same for a thing before a narrow mirror."""
NEARER_M = 0.35
"""Least difference of two things' distances from the camera."""
AMONG = "among other things"


def _turns(p: XY) -> tuple[str, ...]:
    """Turns that bring a point to the middle of the view."""
    n = round(bearing_deg(p) / TURN_STEP_DEG)
    return ("turn_right",) * n if n >= 0 else ("turn_left",) * -n


# --- through the mirror? ----------------------------------------------------------------------------------------------


SEEN = 0.6
"""Share of a thing's height that is seen over the books."""
TRIES = 400
"""Mirrors and places tried per draft."""
BEFORE: Mapping[str, float] = {"console_table": 1.15, "sideboard": 1.0, "counter": 1.0, "lab_table": 0.95}
"""Furniture between the viewer and the mirror, and how large it is of its kind (a scale)."""
BOOK_M = (0.25, 0.14)
BOOKS = ((0.36, 0.14, 0.12), (0.14, 0.24, 0.34), (0.22, 0.32, 0.22), (0.56, 0.46, 0.30), (0.40, 0.40, 0.42))
"""Width and depth of each of the books that lie in a row before a thing and hide every foot, which would tell what stands there; their
colours."""
BEFORE_IT_M = 0.02
"""Free depth between the books and the thing."""
UPRIGHT = tuple(k for k in KINDS if SIZES_M[k][2] >= 0.75 * max(SIZES_M[k]))
"""High enough to be known by their upper half."""
THROUGH_M = (0.33, 0.39)
"""Largest extent of a thing that is seen in the mirror."""
THROUGH_WIDTH_M = {"a wide mirror": 1.3, "a narrow mirror": 0.95, AMONG: 1.15}
"""Layout → width of the mirror."""


def through(numbers: random.Random, item: Item) -> Pair:
    """A thing outside the view whose image is in the mirror; in the twin it stands before the mirror, on the same line of sight."""
    kind = item.dealt("kind", plausible(UPRIGHT, THROUGH_M[0]))
    category, extent = numbers.choice(sorted(BEFORE)), extent_of(numbers, kind, *THROUGH_M)
    for last in (*(False,) * (TRIES - 1), True):
        try:
            glass, real, before = _two_places(numbers, THROUGH_WIDTH_M[item.layout])
            factor = math.hypot(*before) / math.hypot(*glass.image(real))
            facing = numbers.choice((0.0, 180.0))
            direct = standing("thing", kind, before, extent * factor, kind.replace("_", " "), yaw_deg=facing)
            top = _before(category, direct)
            if _furniture_between(top, glass.hit(real), real) or _furniture_between(top, (0.0, 0.0), real):
                raise Rejected("the furniture would hide the thing from the mirror")
            break
        except Rejected:
            if last:
                raise
    far, reach = before[1] + footprint(direct)[1] / 2 + EDGE_M, before[1] - footprint(direct)[1] / 2 - BEFORE_IT_M
    # What stands on the furniture here is the image of what stands on the floor there, scaled about the eye.
    eye = top.z_m / (1 - factor)
    high = (eye - top.z_m) * (1 - reach / far) + 0.003
    hidden = (eye - top.z_m) * (1 - before[1] / far)
    if direct.extent_m[2] - hidden < SEEN * direct.extent_m[2]:
        raise Rejected("too little of the thing would be seen over the books")
    middles = [(top.support.xy[0] + (i - 1.5) * BOOK_M[0], reach - BOOK_M[1] / 2) for i in range(4)]
    books = tuple(
        Thing(f"book_{i}", "book", at, (*BOOK_M, round(high, 4)), z_m=top.z_m, essential=False, params={"color": list(color)})
        for i, (at, color) in enumerate(zip(middles, numbers.sample(BOOKS, 4), strict=True))
    )
    there = standing("thing", kind, real, extent, kind.replace("_", " "), yaw_deg=facing)
    here = replace(direct, z_m=top.z_m)
    lines = [((0.0, 0.0), before), ((0.0, 0.0), glass.hit(real)), (glass.hit(real), real)]
    more = on_top(numbers, top, lines, (*books, direct), {kind, "book"}, 2) if item.layout == AMONG else ()
    rest = (glass.thing(1.8), top.support, *books, *more)
    return Pair(
        ask=Ask(what="seen_in_mirror", things=("thing",)),
        form="yes_no",
        options=("yes", "no"),
        halves=(
            Half(
                (there, *rest),
                "yes",
                "incongruent",
                path=(*_turns(real), "turn_down"),
                evidence=(Evidence(kind="unseen", step=0, handle="thing"), Evidence(kind="seen", handle="thing")),
            ),
            Half(
                (here, *rest),
                "no",
                "congruent",
                path=("move_up", "move_up", *("turn_down",) * 2),
                evidence=(Evidence(kind="seen", step=0, handle="thing"), Evidence(kind="seen", handle="thing")),
            ),
        ),
        camera_z_m=round(eye, 4),
        path=(),
        margin=f"{EDGE_DEG:.0f}° from the mirror's edges",
        features=("mirror",),
        camera=Camera(hfov_deg=HFOV_DEG),
        place=(place := a_place(numbers)),
        room=round_about(numbers, place),
        free_layout=True,
    )


EDGE_M = 0.012
"""The far edge of the furniture is so far behind what stands on it."""


def _before(category: str, direct: Thing) -> Top:
    """The top of furniture across the view whose far edge is close behind a thing that is to stand on it."""
    scale = BEFORE[category]
    far = direct.xy[1] + footprint(direct)[1] / 2 + EDGE_M
    top = stand("support", category, (0.0, 0.0), scale=scale).tops[-1]
    back = top.point((0.0, top.depth_m / 2))[1]
    return stand("support", category, (0.0, far - back), scale=scale).tops[-1]


ROUND_M = 0.12


def _furniture_between(top: Top, a: XY, b: XY) -> bool:
    """Whether the way from one point to another passes over or under the furniture, or close by."""
    wide, deep = footprint(top.support)
    steps = [(a[0] + (b[0] - a[0]) * i / 40, a[1] + (b[1] - a[1]) * i / 40) for i in range(41)]
    x, y = top.support.xy
    return any(abs(p[0] - x) < wide / 2 + ROUND_M and abs(p[1] - y) < deep / 2 + ROUND_M for p in steps)


def _two_places(numbers: random.Random, width_m: float) -> tuple[Glass, XY, XY]:
    """A mirror, a place outside the view whose image is in it, and the place before it on the line of sight to that image."""
    yaw = numbers.choice((-1, 1)) * numbers.uniform(16.0, MAX_YAW_DEG)
    glass = Glass((numbers.uniform(-0.15, 0.15), DISTANCE_M), yaw, width_m)
    left, right = glass.edges_deg()
    toward = math.radians(numbers.uniform(left + EDGE_DEG, right - EDGE_DEG))
    far = numbers.uniform(3.3, 4.4)
    image = (far * math.sin(toward), far * math.cos(toward))
    real = glass.image(image)
    if not in_room(real) or glass.depth(real) < AWAY_M:
        raise Rejected("the thing's place lies outside the free floor")
    if abs(bearing_deg(real)) < HFOV_DEG / 2 + 10:
        raise Rejected("the thing would be seen directly as well")
    before = on_ray(image, numbers.uniform(0.72, 0.85))
    if glass.depth(before) < AWAY_M:
        raise Rejected("the twin would stand too close to the mirror")
    if glass.shows(before, -EDGE_DEG):
        raise Rejected("the twin would have a reflection of its own")
    return glass, real, before


def judge_through(playing: Playing) -> Answer:
    """Directly seen in the start view: no; otherwise yes, if the mirror's plane shows it."""
    mirror, (one,) = mirror_and_things(playing)
    if playing.first.visible.get(one.handle, 0) > 0:
        return "no" if not mirrored(playing, mirror, one) else "both"
    return "yes" if mirrored(playing, mirror, one) else "neither"


# --- which is nearer? -------------------------------------------------------------------------------------------------


NEARER_MIRROR = {"a facing mirror": (0.0, 7.0), "a turned mirror": (7.0, 13.0), AMONG: (0.0, 10.0)}
"""Layout → least and greatest turn of the mirror, degrees."""
CARRIERS: Mapping[str, float] = {"counter": 1.0, "sideboard": 1.15, "lab_table": 1.0}
"""Furniture that a mirror stands on, and how large it is of its kind (a scale)."""
MIRROR_HIGH_M = 0.95
BACK_M = 0.10
"""The mirror's middle is so far before the back edge of what it stands on."""
FRAME_M = 0.05
"""Width of a mirror's frame."""
OVER_M = (0.30, 0.38)
"""Height of the eye over what the mirror stands on."""
BELOW = 0.003
"""Slope by which the foot of a mirrored thing lies below the line over the lowest that the mirror shows."""
LOWEST_M, HIGHEST_M = 0.25, 0.80
"""Heights of the tables behind the viewer."""


def nearer(numbers: random.Random, item: Item) -> Pair:
    """Two things behind the viewer, both in the mirror; sliding the image of one along its line of sight changes which is nearer."""
    least, most = NEARER_MIRROR[item.layout]
    category, yaw = numbers.choice(sorted(CARRIERS)), numbers.choice((-1, 1)) * numbers.uniform(least, most)
    glass = Glass((numbers.uniform(-0.1, 0.1), DISTANCE_M), yaw, 1.56)
    carrier = _under(category, glass)
    left, right = glass.edges_deg()
    bearings = [numbers.uniform(left + EDGE_DEG, -4.0), numbers.uniform(4.0, right - EDGE_DEG)]
    kinds, still = numbers.sample(plausible(UPRIGHT, THROUGH_M[0]), 2), numbers.randrange(2)
    eye = carrier.z_m + numbers.uniform(*OVER_M)

    def table(at: XY) -> float:
        """Height of the table on which a thing with this image stands."""
        edge_y = glass.hit(glass.image(at))[1]
        # Neither over the frame nor over the mirrored front edge of the furniture is more seen than the thing itself.
        slope = min((eye - carrier.z_m - FRAME_M) / edge_y, (eye - carrier.z_m) / (edge_y + carrier.depth_m - BACK_M))
        return eye - (slope + BELOW) * at[1]

    def ray(bearing: float, distance: float) -> XY:
        return distance * math.sin(math.radians(bearing)), distance * math.cos(math.radians(bearing))

    def good(image: XY) -> bool:
        spot = glass.image(image)
        far_round = abs(bearing_deg(spot)) > HFOV_DEG / 2 + 14
        return in_room(spot, 0.4) and glass.depth(spot) >= AWAY_M and far_round and LOWEST_M <= table(image) <= HIGHEST_M

    image_m = numbers.uniform(5.0, 5.5)
    resting = ray(bearings[still], image_m)
    base, slid = math.hypot(*glass.image(resting)), 1 - still
    found: dict[bool, XY] = {}
    for step in range(42, 71):
        image = ray(bearings[slid], step / 10)
        if not good(image) or math.dist(glass.image(image), glass.image(resting)) < 0.9:
            continue
        gap = math.hypot(*glass.image(image)) - base
        if gap < -NEARER_M:
            found[True] = image  # the last one: nearest to the threshold that keeps the margin
        elif gap > NEARER_M and False not in found:
            found[False] = image
    if len(found) < 2 or not good(resting):
        raise Rejected("no place for both twins")
    extent, scale = numbers.uniform(0.28, 0.31), numbers.uniform(0.28, 0.31) / image_m
    names = ("A", "B") if item.turn("names", 2) else ("B", "A")
    lines = [((0.0, 0.0), glass.hit(glass.image(i))) for i in (resting, *found.values())]
    more = on_top(numbers, carrier, lines, (_standing(glass),), kinds, 2) if item.layout == AMONG else ()
    words = [f"object {names[i]} ({kinds[i].replace('_', ' ')})" for i in (0, 1)]
    looks_nearer = still if extent > scale * image_m else slid

    def half(slid_is_nearer: bool) -> Half:
        image = found[slid_is_nearer]
        things = [replace(glass.thing(MIRROR_HIGH_M), z_m=carrier.z_m), carrier.support, *more]
        spots = []
        for i in (0, 1):
            at, size = (resting, extent) if i == still else (image, scale * math.hypot(*image))
            spots.append(glass.image(at))
            under = stand(f"under_{i}", "side_table", spots[i], scale=table(at) / 0.5)
            things.append(under.thing)
            things.append(replace(standing(f"thing_{i}", kinds[i], spots[i], size, words[i]), z_m=round(under.tops[-1].z_m, 5)))
        gold = slid if slid_is_nearer else still
        turns, at_turn = _past(spots)
        return Half(
            tuple(things),
            names[gold],
            "congruent" if gold == looks_nearer else "incongruent",
            path=("turn_down", *turns),
            evidence=(
                *(Evidence(kind="unseen", step=0, handle=f"thing_{i}") for i in (0, 1)),
                *(Evidence(kind="seen", step=1 + at_turn[i], handle=f"thing_{i}") for i in (0, 1)),
            ),
        )

    return Pair(
        ask=Ask(what="nearer", things=("thing_0", "thing_1") if names[0] == "A" else ("thing_1", "thing_0")),
        form="choice",
        options=("A", "B"),
        halves=(half(True), half(False)),
        camera_z_m=round(eye, 4),
        path=(),
        margin=f"at least {NEARER_M} m",
        note="A and B are names for this question alone; nothing in the room bears them. Near is meant from where you stand to the thing "
        "itself, not to its image.",
        features=("mirror",),
        camera=Camera(hfov_deg=NEARER_HFOV_DEG),
        place=(place := a_place(numbers)),
        room=round_about(numbers, place),
        free_layout=True,
    )


def _under(category: str, glass: Glass) -> Top:
    """The top of furniture that is turned as the mirror and carries it near its back edge."""
    scale = CARRIERS[category]
    top = stand("carrier", category, (0.0, 0.0), yaw_deg=glass.yaw_deg, scale=scale).tops[-1]
    x, y = top.point((0.0, top.depth_m / 2 - BACK_M))
    return stand("carrier", category, (glass.middle[0] - x, glass.middle[1] - y), yaw_deg=glass.yaw_deg, scale=scale).tops[-1]


def _standing(glass: Glass) -> Thing:
    """The mirror, and what the eye needs free before it."""
    return replace(glass.thing(MIRROR_HIGH_M), size_m=(glass.width_m, 0.10, MIRROR_HIGH_M))


def _past(spots: Sequence[XY]) -> tuple[tuple[str, ...], list[int]]:
    """The turns, all one way, that bring one spot and then the other to the middle of the view, and after how many each is there.

    Raises:
        Rejected: they are so many that the proof would be too long.
    """
    whole = round(360 / TURN_STEP_DEG)
    right = [round(bearing_deg(p) / TURN_STEP_DEG) % whole for p in spots]
    left = [(whole - n) % whole for n in right]
    way, at = min((("turn_right", right), ("turn_left", left)), key=lambda one: max(one[1]))
    if max(at) + 2 > BUDGET * 2 // 3:
        raise Rejected("turning round to both takes too many steps")
    return (way,) * max(at), at


def judge_nearer(playing: Playing) -> Answer:
    """The nearer one by distance from the start camera, where the mirror shows both and neither is seen directly."""
    mirror, things = mirror_and_things(playing)
    if len(things) != 2 or any(playing.first.visible.get(t.handle, 0) for t in things):
        return "seen directly"
    if not all(mirrored(playing, mirror, t) for t in things):
        return "not mirrored"
    eye = playing.task.start.position_m
    distances = [math.dist(eye[:2], t.pose.position_m[:2]) for t in sorted(things, key=lambda t: playing.ask.things.index(t.handle))]
    if abs(distances[0] - distances[1]) < NEARER_M * 0.9:
        return "too close"
    return playing.task.question.options[distances.index(min(distances))]


# --- which one is mirrored? -------------------------------------------------------------------------------------------


ROWS = {"side by side": 0.0, "in a slanting row": 0.2, AMONG: 0.0}
"""Layout → how far the outer of three things stand before and behind the middle one."""
ROW_TABLES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "side by side": (("counter", 1.0), ("lab_table", 1.0), ("wooden_table", 1.15)),
    "in a slanting row": (("wooden_table", 1.2),),
    AMONG: (("counter", 1.05), ("lab_table", 1.1), ("wooden_table", 1.2)),
}
"""Layout → what the three stand on: furniture, and how large it is of its kind (a scale)."""
ROW_M = (0.20, 0.26)
"""Largest extent of each of the three."""
OVER_ROW_M = 0.35
"""Height of the start view over it."""
ROW_CLEAR = (-1.6, -0.6, 1.6, 2.6)


def which(numbers: random.Random, item: Item) -> Pair:
    """Three equal things before a narrow mirror that shows one of them; in the twin the mirror is turned and shows another."""
    kind = item.dealt("kind", plausible(KINDS, ROW_M[0]))
    order = ("left", "middle", "right")
    golds = item.dealt("gold", ((0, 1), (1, 2), (2, 0)))
    slant, (category, scale) = numbers.choice((-1, 1)) * ROWS[item.layout], numbers.choice(ROW_TABLES[item.layout])
    top = stand("support", category, (0.0, 0.95), scale=scale).tops[-1]
    extent = extent_of(numbers, kind, *ROW_M)
    for last in (*(False,) * (TRIES - 1), True):
        spots = [(-numbers.uniform(0.48, 0.6), 1.0), (numbers.uniform(-0.05, 0.05), 0.9), (numbers.uniform(0.48, 0.6), 1.0)]
        spots = [(x, y + (i - 1) * slant + numbers.uniform(-0.08, 0.08)) for i, (x, y) in enumerate(spots)]
        row = [replace(standing(name, kind, spot, extent, ""), z_m=top.z_m) for name, spot in zip(order, spots, strict=True)]
        if all(top.over_m(t) < -0.02 for t in row):
            break
        if last:
            raise Rejected("the furniture is too small")
    glasses: dict[int, Glass] = {}
    for middle in numbers.sample([x / 10 for x in range(-7, 8)], 15):
        fitting = {gold: _fitting((middle, DISTANCE_M + 0.1), spots, gold) for gold in golds}
        if all(fitting.values()):
            glasses = {gold: found[len(found) // 2] for gold, found in fitting.items()}
            break
    else:
        raise Rejected("no turn of the mirror shows exactly one thing")
    lines = [((0.0, 0.0), spot) for spot in spots]
    lines += [(end, glasses[gold].hit(spots[gold])) for gold in golds for end in ((0.0, 0.0), spots[gold])]
    more = on_top(numbers, top, lines, row, {kind}, 2) if item.layout == AMONG else ()
    turned = item.turn("places", 3, each=3)

    def half(gold: int) -> Half:
        return Half(
            (glasses[gold].thing(1.7), top.support, *row, *more),
            order[gold],
            evidence=(*(Evidence(kind="seen", step=step, handle=name) for step in (0, 6, -1) for name in order),),
        )

    return Pair(
        ask=Ask(what="reflected", category=kind),
        form="choice",
        options=tuple(order[(i + turned) % 3] for i in range(3)),
        halves=(half(golds[0]), half(golds[1])),
        camera_z_m=round(top.z_m + OVER_ROW_M, 4),
        # From above the start first, where the mirror shows the same thing still; then down on its turn and the three.
        path=(*("move_up",) * 4, *("turn_down",) * 2, *("move_forward",) * 3, *("turn_down",) * 2),
        margin=f"{WHICH_EDGE_DEG:.0f}° from the mirror's edges",
        note="Left, middle and right are meant as you see them at the start.",
        features=("mirror",),
        camera=Camera(hfov_deg=HFOV_DEG),
        first_view="argued: the three things are equal, so the reflection itself does not tell which it is; the turn of the mirror does",
        place=(place := a_place(numbers)),
        room=round_about(numbers, place, ROW_CLEAR),
        free_layout=True,
    )


def _fitting(middle: XY, spots: Sequence[XY], gold: int) -> list[Glass]:
    """Mirrors at `middle` that show the thing `gold` and no other, by their turn."""
    found = []
    for degrees in range(-30, 31):
        glass = Glass(middle, float(degrees), WHICH_WIDTH_M)
        shown = [glass.shows(p, WHICH_EDGE_DEG if i == gold else -WHICH_EDGE_DEG) for i, p in enumerate(spots)]
        if shown == [i == gold for i in range(3)] and min(glass.distance(p) for p in spots) >= AWAY_M:
            found.append(glass)
    return found


def judge_which(playing: Playing) -> Answer:
    """The one of three whose image the mirror shows to the start camera; named by its place in the start view."""
    mirror, things = mirror_and_things(playing)
    shown = [t for t in things if mirrored(playing, mirror, t)]
    if len(shown) != 1 or len(things) != 3:
        return f"{len(shown)} mirrored"
    right = rotation_matrix(playing.task.start.quaternion_xyzw)
    order = sorted(things, key=lambda t: sum(right[k][0] * t.pose.position_m[k] for k in range(3)))
    return ("left", "middle", "right")[order.index(shown[0])]


# --- common -----------------------------------------------------------------------------------------------------------


def _one(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    words = named(names[ask.things[0]])
    return {"it": words, "It": words[:1].upper() + words[1:]}


def _two(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return {"first": names[ask.things[0]], "second": names[ask.things[1]]}


def _all_three(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return {"them": several(ask.category)}


SEEN_IN_MIRROR = wordings(
    _one,
    "In the first view you can see {it}. Do you see it in the mirror?",
    "{It} is in your first view. Is what you see of it a mirror image?",
    "When you start, you see {it}. Do you see it by way of the mirror?",
)
WHICH_IS_NEARER = wordings(
    _two,
    "In the mirror you can see {first} and {second}. In the room itself, which of them is closer to where you stand at the start, A or B?",
    "The mirror shows you {first} and {second}. Which of the two is really nearer to the place where you start, A or B?",
    "You see two reflections: {first} and {second}. Which of these things stands closer in the room to where you are at the start, A or B?",
)
WHICH_IS_REFLECTED = wordings(
    _all_three,
    "Which of the three {them} do you see in the mirror: the left, the middle or the right one?",
    "The mirror shows you one of the three {them}. Is it the left, the middle or the right one?",
    "Of the three {them}, which one is it whose reflection you see: the left, the middle or the right one?",
)

_TOPIC = "Specular Reflection"
_DEGREE = "a degree of the picture is 8 pixels or more, and normal sight resolves 1/60° (ISO 8596)"
GENERATORS = (
    Generator(
        "mirror", _TOPIC, "Reflection Authoring", through, "seen in the mirror only, or directly only", {"seen_in_mirror": SEEN_IN_MIRROR},
        1, judge_through, layouts=tuple(THROUGH_WIDTH_M), version="6",
        tells=f"A mirrored thing's image is {EDGE_DEG:.0f}° from the mirror's edges, a thing before the mirror stands clear of it by "
        f"{AWAY_M:.0f} m: {_DEGREE}.",
        beyond="Curved, tinted or broken mirrors; reflections in water, windows or metal; images of images.",
    ),
    Generator(
        "nearer", _TOPIC, "Spatial Relations", nearer, "the lesser distance from the start camera", {"nearer": WHICH_IS_NEARER}, 1,
        judge_nearer, layouts=tuple(NEARER_MIRROR), version="6",
        tells=f"The distances differ by {NEARER_M} m or more, of 0.7 to 2.4 m: a seventh at least. In real rooms people tell such "
        "distances, in virtual ones less surely (Naceri, Moscatelli & Chellali 2015, Frontiers in Human Neuroscience 9:511); seen "
        "from 1.2 m above the floor and more, the feet of the tables on which the two stand are 50 pixels or more apart in height "
        "(computed over 120 drafts).",
        beyond="How a distance is judged from the mirror alone: a participant may turn round.",
    ),
    Generator(
        "mirrored", _TOPIC, "Correspondence", which, "the only one of three that the mirror shows", {"reflected": WHICH_IS_REFLECTED}, 3,
        judge_which, layouts=tuple(ROWS), version="6",
        tells=f"The image is {WHICH_EDGE_DEG}° inside the mirror's edges, the images of the other two as much outside: {_DEGREE}.",
        beyond="Matching by looks: the three are equal, so that only the geometry of the mirror tells.",
    ),
)  # fmt: skip
