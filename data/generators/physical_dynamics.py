"""Own tasks of Physical Dynamics: does it stay on the slope, and in which order does a stack stand.

The simulator's friction. Sliding friction is dry (Coulomb), with one coefficient per contact: the object's own, because the ramp states
none. An object rests on a slope where its coefficient is above the tangent of the angle, and slides where it is below. Nothing in the
picture shows the coefficient: the twins of a slope look alike to the last pixel.
"""

from __future__ import annotations

import math
import random

from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing
from data.generators.things import SIZES_M
from data.task import Answer, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Vec3

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
FLAT_DEG, STEEP_DEG = (11.0, 21.0), (27.0, 38.0)
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
    kind = sorted(SLIDES_M)[(number - 1) % len(SLIDES_M)]
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
        "ramp", "ramp", (side * 0.22, numbers.uniform(1.15, 1.25)), size_m=ramp_size, yaw_deg=round(facing, 1), words="slope"
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
        question=f"Do you think the {words} will stay stable (not slide) when placed on the slope?",
        form="yes_no",
        options=("yes", "no"),
        halves=halves,
        camera_z_m=0.45,
        pitch_deg=-18.0,
        path=("pick_up({thing})", "place_on_slope({thing})"),
        margin=f"friction {stays:g} or {slides:g} against {tangent:.3f}, the tangent of {angle:g}°",
        note="Stable: within half a second it moves no farther than 3 cm.",
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


_TOPIC = "Physical Dynamics"
SLOPE = Generator(
    "slope",
    _TOPIC,
    "Inclined Plane",
    slope,
    "dry friction with the thing's own coefficient; it stays where that is above the tangent of the angle: moved more than 3 cm from above, "
    "or fell more than 5 cm below the ramp, within 30 steps of 1/60 s",
    judge=judge_slope,
)
GENERATORS = (SLOPE,)
