"""Own tasks of Physical Dynamics: does it stay on the slope, and in which order does a stack stand.

The simulator's friction. Sliding friction is dry (Coulomb), with one coefficient per contact: the object's own, because the ramp states
none. An object rests on a slope where its coefficient is above the tangent of the angle, and slides where it is below. Nothing in the
picture shows the coefficient: the twins of a slope look alike to the last pixel.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping

from data.generators.framework import CLEAR_LOCAL, ROOM_LOCAL, Generator, Half, Pair, Rejected
from data.generators.lab import Lab, Playing, Trial
from data.generators.layout import Place, Thing
from data.generators.things import SIZES_M
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Camera, ObjectState, Room, Scene, Vec3

# --- Inclined Plane ---------------------------------------------------------------------------------------------------

SLIDES_M: dict[str, Vec3] = {
    "bar_soap": (0.085, 0.055, 0.028),
    "book": (0.161, 0.235, 0.030),
    "bowl": SIZES_M["bowl"],
    "cookie_tin": (0.240, 0.165, 0.111),
    "jewelry_box": (0.250, 0.185, 0.129),
    "shoe_box": (0.335, 0.205, 0.120),
    "teapot": SIZES_M["teapot"],
    "toy_car": (0.112, 0.058, 0.050),
}
"""Things low enough to slide rather than topple, true extents."""
SLOPE_LENGTH_M, SLOPE_WIDTH_M = 0.60, 0.30
FLAT_DEG, STEEP_DEG = (10.5, 21.0), (27.0, 44.0)
"""Angles that look safe and angles that do not; the published range is 10 to 45."""
FRICTION_MARGIN = 0.18
"""The coefficient differs from the tangent of the angle by at least this share of it."""
EXCESS = 0.045
"""A sliding coefficient lies below the tangent by at least this over cos²θ: then it goes well beyond the 3 cm in half a second."""
SLID_M, STAYS_M = 0.045, 0.012
"""XY moves that count as slid and as stayed; the threshold is 0.03."""
RESTITUTION = 0.1
TOPPLE_SHARE = 0.75
"""The tangent stays below this share of half the thing's width over half its height."""


def slope(numbers: random.Random, number: int) -> Pair:
    """A thing beside a ramp; in the twin the same thing has another coefficient of friction."""
    steep = number % 2 == 1
    kind = sorted(SLIDES_M)[(number - 1 + (number - 1) // len(SLIDES_M)) % len(SLIDES_M)]
    angle = round(numbers.uniform(*(STEEP_DEG if steep else FLAT_DEG)), 1)
    tangent, cosine = math.tan(math.radians(angle)), math.cos(math.radians(angle))
    size = SLIDES_M[kind]
    if tangent > TOPPLE_SHARE * min(size[0], size[1]) / size[2]:
        raise Rejected("the thing would topple rather than slide")
    highest_slide = min(tangent * (1 - FRICTION_MARGIN), tangent - EXCESS / cosine**2)
    if highest_slide < 0.02:
        raise Rejected("no friction is low enough to slide on this angle")
    slides = round(numbers.uniform(max(0.02, highest_slide - 0.2), highest_slide), 3)
    stays = round(numbers.uniform(tangent * (1 + FRICTION_MARGIN), tangent * (1 + FRICTION_MARGIN) + 0.25), 3)
    mass = round(numbers.uniform(0.7, 1.4), 2)
    side = numbers.choice((-1, 1))
    facing = numbers.choice((0.0, 180.0)) + numbers.uniform(-24, 24)
    ramp_size = (round(SLOPE_LENGTH_M * cosine, 4), SLOPE_WIDTH_M, round(SLOPE_LENGTH_M * math.sin(math.radians(angle)), 4))
    ramp = Thing(
        "ramp", "ramp", (side * 0.22, numbers.uniform(1.15, 1.25)), size_m=ramp_size, yaw_deg=round(facing, 1), words="slope",
        essential=False,
    )  # fmt: skip
    words = kind.replace("_", " ")
    at = (-side * numbers.uniform(0.38, 0.44), numbers.uniform(0.95, 1.05))

    def half(friction: float, gold: str) -> Half:
        thing = Thing(
            "thing",
            kind,
            at,
            size_m=size,
            words=words,
            yaw_deg=round(facing + (90.0 if size[1] < size[0] else 0.0), 1),
            dynamic=True,
            params={"friction": friction, "restitution": RESTITUTION, "mass_kg": round(MASSES_KG[kind] * mass, 3)},
        )
        looks = "congruent" if (gold == "no") == steep else "incongruent"
        slid = gold == "no"
        evidence = (
            Evidence(kind="done", step=1),
            Evidence(kind="done", step=2),
            Evidence(kind="flag", step=2, handle="ramp", name="slid", low=1.0 if slid else 0.0),
            Evidence(kind="seen", step=2, handle="ramp", low=600),
            Evidence(kind="seen", step=2, handle="thing"),
        )
        return Half((ramp, thing), gold, looks, evidence=evidence, tags={"friction": f"{friction:g}"})

    halves = (half(stays, "yes"), half(slides, "no"))
    return Pair(
        ask=Ask(what="stays", things=("thing",), against="ramp"),
        form="yes_no",
        options=("yes", "no"),
        halves=halves,
        camera_z_m=0.45,
        pitch_deg=-18.0,
        path=("pick_up({thing})", "place_on_slope({thing})"),
        margin=f"friction {stays:g} or {slides:g} against {tangent:.3f}, the tangent of {angle:g}°",
        note="It stays if it moves no farther than 3 cm within half a second.",
        actions=(*CAMERA_ACTIONS, "pick_up", "place_on_slope"),
        tags={"angle_deg": f"{angle:g}"},
    )


MASSES_KG: dict[str, float] = {
    "bar_soap": 0.11,
    "book": 0.48,
    "bowl": 0.35,
    "cookie_tin": 0.38,
    "jewelry_box": 1.1,
    "shoe_box": 0.25,
    "teapot": 0.85,
    "toy_car": 0.09,
}


def _will_it_stay(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"Will the {names[ask.things[0]]} stay where it is put on the {names[ask.against]}, without sliding?"


def judge_slope(playing: Playing) -> Answer:
    """What the ramp says of the last thing put on it, with a margin on either side of the 3 cm."""
    state = playing.states()[-1]
    for o in state.objects:
        move = o.levels.get("slide_m")
        if move is None:
            continue
        gone = o.flags.get("slid", False) or o.flags.get("fell", False)
        return "no" if gone and move > SLID_M else "yes" if not gone and move < STAYS_M else "unclear"
    return "untried"


# --- Stacking & Stability ---------------------------------------------------------------------------------------------

FLAT_M: dict[str, Vec3] = {
    "book": (0.161, 0.235, 0.030),
    "can_of_soup": (0.077, 0.077, 0.105),
    "canister": (0.104, 0.104, 0.166),
    "cookie_tin": (0.240, 0.165, 0.111),
    "jewelry_box": (0.250, 0.185, 0.129),
    "packing_box": (0.200, 0.160, 0.140),
    "paperback_book": (0.125, 0.190, 0.040),
    "shoe_box": (0.280, 0.180, 0.110),
    "tea_caddy": (0.114, 0.114, 0.157),
    "tupperware": (0.212, 0.152, 0.092),
}
"""Things with a flat top, extents."""
CURVED_M: dict[str, Vec3] = {
    "bell_pepper": (0.083, 0.083, 0.115),
    "cheese": (0.130, 0.090, 0.057),
    "coconut": (0.116, 0.116, 0.120),
    "croissant": (0.125, 0.072, 0.058),
    "cupcake": (0.084, 0.084, 0.074),
    "duck": (0.121, 0.070, 0.088),
    "loaf_of_bread": (0.312, 0.100, 0.090),
    "onion": (0.083, 0.083, 0.131),
    "pear": (0.082, 0.082, 0.136),
    "pineapple": (0.186, 0.186, 0.296),
    "pumpkin": (0.230, 0.220, 0.182),
    "teapot": SIZES_M["teapot"],
    "tomato": (0.080, 0.080, 0.065),
    "toy_car": (0.112, 0.058, 0.050),
    "work_helmet": (0.239, 0.320, 0.145),
}
"""Things of which trying alone tells what they carry; nothing that another could lie in."""
STACK_EYE_M = 0.06
"""At this height no top is seen."""
ALIKE = 0.2
"""The smallest footprint is at least this share of the largest: lower than 0.1 counts as not stacked."""
ABOVE_M, OVERLAP, UPRIGHT = 0.02, 0.1, 0.9
"""Stacked: its bottom is this far above the other's, their outlines from above share this much (intersection over union), and its own
vertical keeps this cosine."""
FIRM = (0.024, 0.15, 0.97)
"""The same three with a margin: an order counts as stable only above all of them."""
REST_M = 0.002
"""What moves less than this in half a second is at rest."""
FALLEN = (0.015, 0.05, 0.88)
"""An order counts as unstable only below one of them."""
STACK_WORDS = {"paperback_book": "paperback", "packing_box": "cardboard box", "duck": "toy duck", "tea_caddy": "tea tin"}


def how_it_stands(lower: ObjectState, upper: ObjectState) -> str:
    """``firm``, ``fallen``, ``nested`` (upright and above, but in the other) or ``unclear``."""
    rise = upper.aabb_min_m[2] - lower.aabb_min_m[2]
    shared = _overlap(lower, upper)
    upright = float(rotation_matrix(upper.pose.quaternion_xyzw)[2][2])
    found = (rise, shared, upright)
    if all(v >= f for v, f in zip(found, FIRM, strict=True)):
        return "firm"
    if rise < FIRM[0] and shared >= OVERLAP and upright >= UPRIGHT:
        return "nested"
    return "fallen" if any(v < f for v, f in zip(found, FALLEN, strict=True)) else "unclear"


def _overlap(a: ObjectState, b: ObjectState) -> float:
    """Intersection over union of two boxes from above."""
    sides = [min(a.aabb_max_m[i], b.aabb_max_m[i]) - max(a.aabb_min_m[i], b.aabb_min_m[i]) for i in (0, 1)]
    both = max(sides[0], 0.0) * max(sides[1], 0.0)
    areas = [math.prod(o.aabb_max_m[i] - o.aabb_min_m[i] for i in (0, 1)) for o in (a, b)]
    return both / (sum(areas) - both)


def stack(numbers: random.Random, number: int, lab: Lab | None) -> Pair:
    """Three things beside each other, or two in every fifth item; every order is tried."""
    if lab is None:
        raise Rejected("which orders stand is known only by trying")
    count = 2 if number % 5 == 0 else 3
    sizes = _alike(numbers, 2 if number % 2 and count == 3 else 1, count)
    kinds = list(sizes)
    widths = [max(sizes[k][:2]) for k in kinds]
    gap = numbers.uniform(0.10, 0.14)
    left = -(sum(widths) + 2 * gap) / 2
    things = []
    for k, w in zip(kinds, widths, strict=True):
        at = (round(left + w / 2, 3), round(numbers.uniform(0.98, 1.06), 3))
        named = STACK_WORDS.get(k, k.replace("_", " "))
        things.append(Thing(k, k, at, size_m=sizes[k], words=named, dynamic=True))
        left += w + gap
    place = Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))
    stable = stable_orders(lab, things, place)
    if not stable:
        raise Rejected("no order is stable")
    if len(stable) == math.factorial(len(things)):
        raise Rejected("all orders are stable")
    mixed = numbers.sample(stable, len(stable))
    orders: list[Answer] = [[things[i].words for i in order] for order in mixed]
    first = mixed[0]
    # The question's list, read in every order in turn, is right: its own order says nothing.
    turns = list(itertools.permutations(range(count)))
    asked = [""] * count
    for where, thing in zip(turns[(number // 5 if count == 2 else number) % len(turns)], first, strict=True):
        asked[where] = things[thing].words
    pile = [things[i].key for i in first]
    path = ["move_up", "move_up", "turn_down"]
    for lower, upper in itertools.pairwise(pile):
        path += [f"pick_up({{{upper}}})", f"put({{{upper}}}, on, {{{lower}}})"]
    evidence = [Evidence(kind="done", step=s) for s in range(4, len(path) + 1)]
    evidence += [Evidence(kind="seen", step=-1, handle=k, low=200) for k in pile]
    path += ["wait", "wait"]
    return Pair(
        ask=Ask(what="stack", things=tuple(next(t.key for t in things if t.words == words) for words in asked)),
        form="sequence",
        options=tuple(asked),
        halves=(Half(tuple(things), orders[0], accepted=tuple(orders[1:]), evidence=tuple(evidence)),),
        camera_z_m=STACK_EYE_M,
        pitch_deg=6.0,
        path=tuple(path),
        margin=f"{len(stable)} of {math.factorial(count)} orders stand, still so after another second; the others clearly fall",
        note="Each thing stands as it is, in the middle of the one below. Where several orders stand, each of them is right.",
        actions=(*CAMERA_ACTIONS, "pick_up", "put", "put_on_floor", "put_back", "wait"),
        chance=len(stable) / math.factorial(len(things)),
        place=place,
        tags={"stable_orders": str(len(stable)), "things": str(count)},
        first_view="argued: from the floor no top is seen, and what stands on what shows only when it is let go",
    )


def _alike(numbers: random.Random, flat: int, count: int) -> dict[str, Vec3]:
    """So many things of footprints that are alike, in a random order, of which so many have a flat top."""
    for _ in range(200):
        drawn = numbers.sample(sorted(FLAT_M), flat) + numbers.sample(sorted(CURVED_M), count - flat)
        sizes = {k: FLAT_M.get(k) or CURVED_M[k] for k in numbers.sample(drawn, count)}
        areas = [x * y for x, y, _ in sizes.values()]
        if min(areas) >= ALIKE * max(areas):
            return sizes
    raise Rejected("the footprints are too unlike")


def stable_orders(lab: Lab, things: list[Thing], place: Place) -> list[tuple[int, ...]]:
    """Every order, bottom to top, tried with the deeds a person has.

    Raises:
        Rejected: an order neither stands nor falls clearly.
    """
    room = Room(bounds_m=place.box(ROOM_LOCAL), kind="office", keep_clear_m=place.box(CLEAR_LOCAL))
    handles = [f"object_{i}" for i, _ in enumerate(things, start=1)]
    scene = Scene(
        camera=Camera(width=240, height=180),
        room=room,
        objects=tuple(place.object(t, h) for t, h in zip(things, handles, strict=True)),
        settle_steps=30,
    )
    stable = []
    with lab.open(scene, place.camera(0.0, 0.0, 0.56, pitch_deg=-9.0)) as trial:
        start = trial.snapshot()
        for order in itertools.permutations(range(len(things))):
            trial.restore(start)
            stack = [handles[i] for i in order]
            if all(_stays(trial, stack[: n + 1]) for n in range(1, len(stack))) and _still(trial, stack):
                stable.append(order)
    return stable


def _stays(trial: Trial, stack: list[str]) -> bool:
    """Put the last on the one before; whether everything stands."""
    for action in (f"pick_up({stack[-1]})", f"put({stack[-1]}, on, {stack[-2]})"):
        reply = trial.act(action)
        if not reply.ok and action.startswith("pick_up"):
            raise Rejected("a thing cannot be picked up")
        if not reply.ok:  # there is no place on it, as whoever tries is told
            return False
    return _stands(trial.objects(), stack)


def _still(trial: Trial, stack: list[str]) -> bool:
    """Whether it still stands after 60 steps of 1/60 s, and rests.

    Raises:
        Rejected: it does not, so it was never stable.
    """
    trial.act("wait")
    before = trial.objects()
    trial.act("wait")
    after = trial.objects()
    if not _stands(after, stack):
        raise Rejected("an order falls late")
    if any(math.dist(before[h].pose.position_m, after[h].pose.position_m) > REST_M for h in stack):
        raise Rejected("an order does not come to rest")
    return True


def _stands(objects: dict[str, ObjectState], stack: list[str]) -> bool:
    found = [how_it_stands(objects[a], objects[b]) for a, b in itertools.pairwise(stack)]
    if "fallen" in found:
        return False
    if "nested" in found:
        raise Rejected("a thing lies in another")
    if "unclear" in found:
        raise Rejected("an order neither stands nor falls clearly")
    return True


def _how_to_stack(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    *first, last = (f"the {names[t]}" for t in ask.things)
    return f"In which order, from bottom to top, do {', '.join(first)} and {last} make a stack that stands?"


def judge_stack(playing: Playing) -> Answer:
    """The order in which things stand at the end, where they stand firmly."""
    names, things = playing.task.names, playing.ask.things
    there = sorted((o for o in playing.states()[-1].objects if o.handle in things), key=lambda o: o.aabb_min_m[2])
    if any(how_it_stands(a, b) != "firm" for a, b in itertools.pairwise(there)):
        return "fallen"
    return [names[o.handle] for o in there]


_TOPIC = "Physical Dynamics"
SLOPE = Generator(
    "slope",
    _TOPIC,
    "Inclined Plane",
    slope,
    "dry friction with the thing's own coefficient: it stays where that is above the tangent of the angle, and has slid where it moves "
    "more than 3 cm seen from above or falls more than 5 cm below the ramp within 30 steps of 1/60 s",
    {"stays": _will_it_stay},
    judge=judge_slope,
)
STACK = Generator(
    "stack",
    _TOPIC,
    "Stacking & Stability",
    stack,
    "every order tried by hand on one footprint; it stands where each bottom is 2 cm above the one below, the outlines from above overlap "
    "by 0.1 or more, and each keeps upright to a cosine of 0.9",
    {"stack": _how_to_stack},
    judge=judge_stack,
    needs_lab=True,
)
GENERATORS = (SLOPE, STACK)
