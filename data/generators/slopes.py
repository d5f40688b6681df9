"""Own tasks of Inclined Plane: does a thing stay on a slope. What decides is seen: what covers the slope, or how steep it is.

Friction is dry (Coulomb), with the static coefficient of two materials from a handbook (`sim_bridge.friction`): a thing rests where it is
above the tangent of the angle. Handbooks give ranges; every slope is clear of both ends of its range by `MARGIN`. The start shows neither
the covering nor the angle: the slope is seen from behind, from a level below its face, or not at all.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing
from data.generators.things import BLOCK
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.friction import RANGES
from sim_bridge.spec import Vec3


@dataclass(frozen=True)
class Kind:
    """A thing that is put on slopes."""

    size_m: Vec3
    """True extents."""
    material: str
    """A key of `sim_bridge.friction.RANGES`."""
    words: str
    """With what it is made of, as far as the look leaves that open."""


KINDS: dict[str, Kind] = {
    "wooden_box": Kind((0.172, 0.126, 0.088), "wood", "wooden box"),
    "tray": Kind((0.202, 0.126, 0.028), "wood", "wooden tray"),
    "treasure_chest": Kind((0.177, 0.124, 0.112), "wood", "wooden chest"),
    "cookie_tin": Kind((0.180, 0.124, 0.083), "metal", "steel cookie tin"),
    "roasting_pan": Kind((0.199, 0.126, 0.045), "metal", "steel roasting pan"),
    "baking_sheet": Kind((0.180, 0.135, 0.010), "metal", "steel baking sheet"),
    "ashtray": Kind((0.133, 0.132, 0.042), "glass", "glass ashtray"),
    "tupperware": Kind((0.170, 0.122, 0.074), "plastic", "polythene food box"),
}
"""Things low enough to slide rather than topple. Their look, or their name, says what they are made of."""
MARGIN = 0.25
"""The tangent of the angle is below the least coefficient of the two materials by this share of it, or above the greatest by as much."""
FLATTEST_DEG, STEEPEST_DEG = 10.0, 45.0
"""Angles of the published tasks."""
BEYOND_DEG = 4.0
"""Angles are drawn from so much of their range, counted from the margin."""
TOPPLE_SHARE = 0.75
"""The tangent stays below this share of half the thing's width over half its height."""
SLID_M, STAYS_M = 0.045, 0.012
"""XY moves that count as slid and as stayed; the threshold is 0.03."""
LENGTH_M, WIDTH_M, HIGH_M = 0.50, 0.30, 0.16
"""Length of a slope whose covering differs between twins, width of all, and height of those that differ in the angle."""
EYE_M = 0.08
"""Below the upper edge of every slope."""
READING_PX = 4000
"""Pixels (of 640 × 480) of a slope before the thing is put on it."""
LAYOUTS = ("behind", "beside", "screened")
"""From where the start looks: at the back of the slope; at its flank, from below its face; at a box that hides it."""
SCREEN_M: Vec3 = (0.66, 0.20, 0.40)


def stays_below(material: str, surface: str) -> float:
    """Tangent of the steepest slope on which it surely stays."""
    return RANGES[material, surface][0] * (1 - MARGIN)


def slides_above(material: str, surface: str) -> float:
    """Tangent of the flattest slope on which it surely slides."""
    return RANGES[material, surface][1] * (1 + MARGIN)


@dataclass(frozen=True)
class Case:
    """Two slopes: on the first the thing stays, on the second it slides."""

    kind: str
    surfaces: tuple[str, str]
    least: tuple[float, float]
    most: tuple[float, float]
    """Tangents between which the angle of each may lie; the same for both where the surfaces differ."""

    @property
    def decides(self) -> str:
        return "angle" if self.surfaces[0] == self.surfaces[1] else "surface"


def cases(decides: str) -> list[Case]:
    """Every pair of slopes that differ in the ``surface`` or in the ``angle`` alone, with the margin and without toppling."""
    flattest, steepest = (math.tan(math.radians(a)) for a in (FLATTEST_DEG, STEEPEST_DEG))
    found = []
    for name, kind in KINDS.items():
        topples = TOPPLE_SHARE * min(kind.size_m[:2]) / kind.size_m[2]
        surfaces = [s for m, s in RANGES if m == kind.material]
        most = {s: min(stays_below(kind.material, s), steepest, topples) for s in surfaces}
        least = {s: max(slides_above(kind.material, s), flattest) for s in surfaces}
        if decides == "angle":
            for s in surfaces:
                if most[s] >= flattest and least[s] <= min(steepest, topples):
                    found.append(Case(name, (s, s), (flattest, least[s]), (most[s], min(steepest, topples))))
        else:
            for stay in surfaces:
                for slide in surfaces:
                    if least[slide] + 0.01 <= most[stay]:
                        found.append(Case(name, (stay, slide), (least[slide],) * 2, (most[stay],) * 2))
    return found


def _drawn(numbers: random.Random, least: float, most: float, *, low: bool) -> float:
    """An angle in degrees between two tangents, near the end that the margin allows: the least where it slides, the most where it stays."""
    a, b = (math.degrees(math.atan(t)) for t in (least, most))
    a, b = (max(a, b - BEYOND_DEG), b) if low else (a, min(b, a + BEYOND_DEG))
    inset = min(0.1, (b - a) / 4)
    return round(numbers.uniform(a + inset, b - inset), 2)


def slope(numbers: random.Random, item: Item) -> Pair:
    """A thing beside a slope; in the twin the slope is covered with something else, or steeper."""
    decides = "surface" if item.layout == "beside" else ("surface", "angle")[item.turn("decides", 2)]
    possible = cases(decides)
    names = sorted({c.kind for c in possible})
    name = item.dealt(f"kind by {decides}", names)
    case = numbers.choice([c for c in possible if c.kind == name])
    if decides == "surface":
        angles = [_drawn(numbers, case.least[0], case.most[0], low=numbers.random() < 0.5)] * 2
    else:
        angles = [_drawn(numbers, case.least[i], case.most[i], low=i == 0) for i in (0, 1)]
    kind, side = KINDS[name], numbers.choice((-1, 1))
    turn = numbers.choice((0.0, 180.0)) if item.layout != "behind" else 90.0
    xy = (-side * numbers.uniform(0.42, 0.46), numbers.uniform(0.92, 1.0))
    if item.layout == "beside":
        # Beside the foot of the slope nothing is hidden; the upper end lies before the eye.
        xy = (0.0, numbers.uniform(0.66, 0.72))
    thing = Thing(
        "thing", name, xy, size_m=kind.size_m, words=kind.words, dynamic=True,
        yaw_deg=turn + (90.0 if kind.size_m[1] < kind.size_m[0] else 0.0),
    )  # fmt: skip
    across, apart, more = numbers.uniform(-0.05, 0.05), numbers.uniform(0.0, 0.06), _screen(item.layout)

    def half(i: int, gold: str) -> Half:
        tangent = math.tan(math.radians(angles[i]))
        length = LENGTH_M if decides == "surface" else HIGH_M / math.sin(math.radians(angles[i]))
        size = (round(length * math.cos(math.radians(angles[i])), 4), WIDTH_M, round(length * math.sin(math.radians(angles[i])), 4))
        low, high = RANGES[kind.material, case.surfaces[i]]
        if (gold == "yes" and tangent > low * (1 - MARGIN)) or (gold == "no" and tangent < high * (1 + MARGIN)):
            raise Rejected("the angle is too near the coefficient")
        ramp = Thing(
            "ramp", "ramp", _middle(item.layout, size[0], turn, across, apart), size_m=size, yaw_deg=turn, words="slope",
            essential=False, params={"surface": case.surfaces[i]},
        )  # fmt: skip
        slid, looked = gold == "no", len(path) - 2
        evidence = (
            *((Evidence(kind="unseen", step=0, handle="ramp", high=30),) if more else ()),
            Evidence(kind="seen", step=looked, handle="ramp", low=READING_PX),
            Evidence(kind="seen", step=looked, handle="thing"),
            Evidence(kind="done", step=looked + 1),
            Evidence(kind="done", step=looked + 2),
            Evidence(kind="flag", step=looked + 2, handle="ramp", name="slid", low=1.0 if slid else 0.0),
            Evidence(kind="seen", step=looked + 2, handle="ramp", low=600),
        )
        tags = {"surface": case.surfaces[i], "angle_deg": f"{angles[i]:g}"}
        return Half((ramp, thing, *more), gold, "neutral", evidence=evidence, tags=tags)

    path = (*_way(item.layout, side), "pick_up({thing})", "place_on_slope({thing})")
    told = [
        f"tangent {math.tan(math.radians(a)):.3f} of {a:g}° against {low:g} to {high:g} for {kind.material} on {s}"
        for a, s in zip(angles, case.surfaces, strict=True)
        for low, high in (RANGES[kind.material, s],)
    ]
    return Pair(
        ask=Ask(what="stays", things=("thing",), against="ramp"),
        form="yes_no",
        options=("yes", "no"),
        halves=(half(0, "yes"), half(1, "no")),
        camera_z_m=EYE_M if item.layout != "screened" else 0.18,
        path=path,
        margin="; ".join(dict.fromkeys(told)),
        note="It stays if it moves no farther than 3 cm within half a second. All surfaces are clean and dry.",
        actions=(*CAMERA_ACTIONS, "pick_up", "place_on_slope"),
        tags={"decides": decides, "material": kind.material},
    )


def _screen(layout: str) -> tuple[Thing, ...]:
    return (Thing("screen", BLOCK, (0.0, 0.85), size_m=SCREEN_M, essential=False),) if layout == "screened" else ()


def _middle(layout: str, run: float, turn: float, across: float, apart: float) -> tuple[float, float]:
    """Where the middle of a slope of this run lies."""
    if layout == "behind":
        return across, round(0.86 + apart + run / 2, 4)
    if layout == "screened":
        return across, 1.42 + apart
    # Its upper end lies left of it at 0°, right of it at 180°; the eye is a quarter of the run from there.
    return round((run / 4) * (1 if turn == 0.0 else -1), 4), 1.12 + apart


def _way(layout: str, side: int) -> tuple[str, ...]:
    """To where the slope is seen from the side and from above, within reach of it and of the thing."""
    if layout == "behind":
        across, turn = ("move_left", "turn_right") if side < 0 else ("move_right", "turn_left")
        return ("move_up",) * 2 + (across,) * 3 + ("move_forward",) * 3 + (turn,) * 4 + ("turn_down",) * 2
    if layout == "beside":
        return ("move_up",) * 3 + ("move_forward",) + ("turn_down",) * 3
    return ("move_up",) * 4 + ("move_forward",) * 2 + ("turn_down",) * 3


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


def _words(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    return {"thing": names[ask.things[0]], "slope": names[ask.against]}


SLOPE = Generator(
    "slope",
    "Physical Dynamics",
    "Inclined Plane",
    slope,
    "dry friction with the static coefficient of the two materials (CRC Handbook of Chemistry and Physics): it stays where that is above "
    "the tangent of the angle, and has slid where it moves more than 3 cm seen from above or falls more than 5 cm below the ramp within "
    "30 steps of 1/60 s",
    {
        "stays": wordings(
            _words,
            "Will the {thing} stay where it is put on the {slope}, without sliding?",
            "The {thing} is put on the {slope} and let go. Does it stay there, without sliding?",
            "Does the {thing} rest on the {slope} without sliding, once it is put there?",
        )
    },
    cycle=1,
    judge=judge_slope,
    layouts=LAYOUTS,
    version="5",
    tells="The tangent of the angle keeps 25 % clear of the whole handbook range of the two materials, on either side, so that the answer "
    "holds for every pair of such surfaces. Coverings differ in colour and texture. Angles of twins differ by 12° or more and are seen as "
    "the edge of the slope against the floor; people tell orientations of lines apart to about 1° (Westheimer, Shimamura & McKee 1976, "
    "Journal of the Optical Society of America 66, 332–338).",
    beyond="Rolling, toppling, wet or worn surfaces, and how fast a thing slides. Trying settles the question in two actions; whether a "
    "person predicted it shows only in the confidence before the trial.",
)
GENERATORS = (SLOPE,)
