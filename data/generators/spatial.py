"""Own tasks of Spatial Relations: in a line, which triangle, touching; from a start view at floor level."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing, from_above, slide
from data.generators.measuring import gap_m, middle, named, off_line_m
from data.generators.metric import ABOVE_M, FLOOR_VIEW_M
from data.generators.things import BLOCK, thing
from data.task import Answer

SMALL = ("bowl", "goblet", "mug", "pillar_candle", "tennis_ball", "vase")
EQUAL_M = 0.005
"""Sides that differ by less count as equal (the layout makes them equal to a rounding error)."""
UNEQUAL = 1.15
"""Sides that count as unequal differ by at least this factor."""
ON_LINE_M = 0.01
CONTACT_GAP_M = 0.05
OFF_LINE_M = 0.15
"""Least distance of the middle thing from the line of the outer two where the answer is no."""


def line(numbers: random.Random, number: int) -> Pair:
    """Three things in a line across the view; in the twin the middle one stands farther back or nearer."""
    slope, spacing = math.tan(math.radians(numbers.uniform(-18, 18))), numbers.uniform(0.34, 0.42)
    kinds = numbers.sample(SMALL, 3)
    aligned = [thing(f"thing_{i}", k, ((i - 1) * spacing, 1.4 + slope * (i - 1) * spacing)) for i, k in enumerate(kinds)]
    factor = numbers.choice((1.16, 1.20, 0.85, 0.82))
    bent = [slide(t, factor) if i == 1 else t for i, t in enumerate(aligned)]
    offset = _off_line(bent)
    if offset < OFF_LINE_M:
        raise Rejected("the middle thing is too close to the line")
    a, b, c = numbers.sample([t.words for t in aligned], 3)
    return Pair(
        question=f"Are the {a}, {b} and {c} in a straight line on the floor?",
        form="yes_no",
        options=("yes", "no"),
        halves=(Half(tuple(aligned), "yes", "congruent"), Half(tuple(bent), "no", "incongruent")),
        camera_z_m=FLOOR_VIEW_M,
        path=from_above((0.0, 1.4), FLOOR_VIEW_M, ABOVE_M),
        margin=f"{offset:.2f} m off the line",
    )


def _off_line(things: list[Thing]) -> float:
    (x0, y0), (x1, y1), (x2, y2) = (t.xy for t in things)
    return abs((x2 - x0) * (y0 - y1) - (x0 - x1) * (y2 - y0)) / math.dist((x0, y0), (x2, y2))


def triangle(numbers: random.Random, number: int) -> Pair:
    """Three things in a triangle; sliding one or two of them along the line of sight makes it another kind of triangle."""
    side, base_y = numbers.uniform(0.42, 0.55), 1.2
    kinds = numbers.sample(SMALL, 3)
    corners = ((-side / 2, base_y), (side / 2, base_y), (0.0, base_y + side * math.sqrt(3) / 2))
    equal = [thing(f"thing_{i}", k, xy) for i, (k, xy) in enumerate(zip(kinds, corners, strict=True))]
    apex, corner = numbers.choice((0.86, 0.88, 1.2, 1.28)), numbers.choice((1.14, 1.18, 1.22))
    isosceles = [equal[0], equal[1], slide(equal[2], apex)]
    moved = numbers.randrange(2)
    scalene = [slide(t, corner) if i == moved else t for i, t in enumerate(isosceles)]
    layouts = {"equilateral": equal, "isosceles": isosceles, "random": scalene}
    for kind, things in layouts.items():
        if triangle_kind(things) != kind:
            raise Rejected("the sides are too alike or too unlike for their kind")
    options = ("equilateral", "isosceles", "random")
    first, second = (("equilateral", "isosceles"), ("isosceles", "random"), ("random", "equilateral"))[number % 3]
    a, b, c = numbers.sample([t.words for t in equal], 3)
    return Pair(
        question=f"Do the {a}, {b} and {c} form an equilateral triangle, an isosceles triangle or a random triangle?",
        form="choice",
        options=options,
        halves=(Half(tuple(layouts[first]), first, "neutral"), Half(tuple(layouts[second]), second, "neutral")),
        camera_z_m=FLOOR_VIEW_M,
        path=from_above((0.0, 1.4), FLOOR_VIEW_M, ABOVE_M),
        margin=f"sides equal, or different by at least {UNEQUAL - 1:.0%}",
        note="Equilateral: three equal sides. Isosceles: exactly two equal sides. Random: no equal sides.",
    )


def triangle_kind(things: list[Thing]) -> str:
    """Which kind of triangle the middles form."""
    return kind_of([t.xy for t in things])


def kind_of(points: Sequence[tuple[float, float]]) -> str:
    """Kind of triangle; ``none`` where a pair of sides is neither equal nor clearly unequal."""
    sides = sorted(math.dist(a, b) for a, b in itertools.combinations(points, 2))
    equal = [abs(a - b) < EQUAL_M for a, b in itertools.combinations(sides, 2)]
    clear = [max(a, b) / min(a, b) >= UNEQUAL for a, b in itertools.combinations(sides, 2)]
    if not all(e or c for e, c in zip(equal, clear, strict=True)):
        return "none"
    return {3: "equilateral", 1: "isosceles", 0: "random"}.get(sum(equal), "none")


def contact(numbers: random.Random, number: int) -> Pair:
    """A ball before a box, touching it or not; the gap runs along the line of sight, where it looks smallest."""
    face = numbers.uniform(1.2, 1.35)
    ball = thing("ball", "soccer_ball", (0.0, 0.0))
    radius = ball.extent_m[1] / 2
    x = numbers.uniform(-0.08, 0.08)
    ball = Thing(**{**ball.__dict__, "xy": (x, face - radius + 0.0005)})  # half a millimetre into the face: surely touching
    box = thing("box", BLOCK, (0.0, face + 0.15), words="box", size_m=(numbers.uniform(0.45, 0.6), 0.30, numbers.uniform(0.30, 0.38)))
    gap = numbers.uniform(0.08, 0.12)
    if numbers.random() < 0.5:
        apart = (ball, slide(box, 1 + gap / face))
    else:
        apart = (slide(ball, 1 - gap / face), box)
    names = ("soccer ball", "box") if number % 2 else ("box", "soccer ball")
    return Pair(
        question=f"Are the {names[0]} and the {names[1]} touching each other?",
        form="yes_no",
        options=("yes", "no"),
        halves=(Half((ball, box), "yes", "congruent"), Half(apart, "no", "incongruent")),
        camera_z_m=FLOOR_VIEW_M,
        path=from_above((0.0, face - 0.15), FLOOR_VIEW_M, 1.05),
        margin=f"touching, or {gap:.2f} m apart",
    )


def judge_line(playing: Playing) -> Answer:
    """On one line to a centimetre, or clearly off it."""
    off = off_line_m([middle(o) for o in named(playing).values()])
    return "yes" if off < ON_LINE_M else "no" if off > OFF_LINE_M * 0.9 else "unclear"


def judge_triangle(playing: Playing) -> Answer:
    """The kind of triangle that the middles of the boxes form."""
    return kind_of([middle(o) for o in named(playing).values()])


def judge_contact(playing: Playing) -> Answer:
    """Touching by the simulator's surfaces, or a gap of more than 5 cm between the boxes."""
    a, b = named(playing).values()
    state = playing.first.state
    touching = any(r.kind == "touching" and {r.subject, r.object} == {a.handle, b.handle} for r in (state.relations if state else ()))
    gap = gap_m(a, b)
    return "yes" if touching and gap < 0.002 else "no" if not touching and gap > CONTACT_GAP_M else "unclear"


_TOPIC = "Spatial Relations"
LINE = Generator("line", _TOPIC, "Linear Alignment", line, "the middles lie on one straight line, or one clearly off it", judge=judge_line)
TRIANGLE = Generator("triangle", _TOPIC, "Geometric Configuration", triangle, "the three distances between middles", 3, judge_triangle)
CONTACT = Generator("contact", _TOPIC, "Physical Contact", contact, "surfaces meet, or a gap of more than 5 cm", judge=judge_contact)
GENERATORS = (LINE, TRIANGLE, CONTACT)
