"""Own tasks of Spatial Relations: in a line, which triangle, touching; from a start view at the height of what everything stands on."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import PUBLISHED, Thing, from_above, slide
from data.generators.measuring import asked, gap_m, middle, off_line_m
from data.generators.stages import ACROSS, AMONG, BED, STAGES, TABLE, Kind, Stage, besides, lived_in, stage
from data.generators.things import BLOCK, thing
from data.task import Answer, Ask
from sim_bridge.spec import Camera

FLOOR_VIEW_M = 0.05
"""Height of a start view above floor or furniture: what stands farther back hardly stands higher in the picture."""
ABOVE_M = {True: 1.30, False: 1.55}
"""Height above furniture, and above the floor, from which things 0.9 m apart are seen at nearly the same scale."""
TRIES = 300
"""Layouts tried per draft."""
SMALL = (
    "alarm_clock", "apple", "bell_pepper", "bowl", "broccoli", "can", "candle", "coconut", "cupcake", "goblet", "hourglass",
    "ice_cream_cone", "light_bulb", "measuring_cup", "mug", "orange", "pear", "pepper_grinder", "pine_cone", "snow_globe", "teapot",
    "tennis_ball", "vase",
)  # fmt: skip
ALIKE_FROM_ABOVE = (frozenset({"apple", "bell_pepper", "mug", "orange"}), frozenset({"pear", "tennis_ball"}))
"""Kinds that look alike from above, small and of one colour: one of each set is among three."""
EQUAL_M = 0.005
"""Sides that differ by less count as equal (the layout makes them equal to a rounding error)."""
UNEQUAL = 1.2
"""Sides that count as unequal differ by at least this factor."""
SIDE_M = (0.36, 0.72)
"""Shortest and longest side of a triangle."""
FOOTPRINT_RATIO = 2.0
"""The widest thing of a triangle is at most so many times as wide as the narrowest."""
HEIGHT_RATIO = 1.6
"""The tallest thing of a triangle is at most so many times as tall as the lowest: from above, tops of tall things lean away from the middle
of the picture, and a triangle of a tall and two low ones would look like another."""
DEEP: Mapping[str, tuple[Kind, ...]] = {
    TABLE: (("wooden_table", 0.0, 1.15), ("wooden_table", 90.0, 1.15), ("low_table", 90.0, 1.6)),
    BED: (("plain_bed", 0.0, 1.0), ("plain_bed", 90.0, 1.0), ("plain_bed", -90.0, 1.0)),
}
"""Furniture that has room for a triangle of any shape."""
APART_DEG = 2.0
"""Free angle between two things of a triangle, from the start view."""
ON_LINE_M = 0.01
CONTACT_GAP_M = 0.05
OFF_LINE_M = (0.15, 0.30)
"""Distance of the middle thing from the line of the outer two where the answer is no."""


def line(numbers: random.Random, item: Item) -> Pair:
    """Three things in a line across the view; in the twin the middle one stands farther back or nearer."""
    where = stage(numbers, item.layout, ACROSS)
    aligned, bent = next(filter(None, (_bent(numbers, where) for _ in range(TRIES))), ([], []))
    if not aligned:
        raise Rejected("the middle thing is too close to the line or too far from it, or the furniture is too small")
    order = numbers.sample([t.key for t in aligned], 3)
    straight, off = _staged(numbers, where, aligned, bent)
    return Pair(
        ask=Ask(what="aligned", things=tuple(order)),
        form="yes_no",
        options=("yes", "no"),
        halves=(Half(straight, "yes", "congruent"), Half(off, "no", "incongruent")),
        camera_z_m=_eye(where),
        **lived_in(numbers, item.layout),
        path=_over(where, 1.4),
        margin=f"on the line, or {_off_line(bent):.2f} m off it",
        note="In one line: the middles of all three, as seen from straight above. Where they are not, "
        f"one stands {100 * OFF_LINE_M[0]:.0f} cm or more off the line through the other two.",
    )


def _bent(numbers: random.Random, where: Stage) -> tuple[list[Thing], list[Thing]] | None:
    """Three things in a line, and with the middle one off it; None where they do not stand well."""
    slope, spacing = math.tan(math.radians(numbers.uniform(-18, 18))), numbers.uniform(0.34, 0.42)
    kinds, away = _told_apart(numbers), numbers.uniform(1.3, 1.5)
    aligned = [thing(f"thing_{i}", k, ((i - 1) * spacing, away + slope * (i - 1) * spacing)) for i, k in enumerate(kinds)]
    factor = numbers.choice((1.16, 1.20, 0.85, 0.82))
    bent = [slide(t, factor) if i == 1 else t for i, t in enumerate(aligned)]
    good = OFF_LINE_M[0] <= _off_line(bent) <= OFF_LINE_M[1] and where.holds(aligned) and where.holds(bent)
    return (aligned, bent) if good else None


def _staged(numbers: random.Random, where: Stage, *sides: Sequence[Thing]) -> list[tuple[Thing, ...]]:
    """The things of each side where they stand, with what stands besides."""
    more = besides(numbers, where, sides, {t.category for side in sides for t in side})
    return [(*where.lifted(side), *more) for side in sides]


def _over(where: Stage, y_m: float, height_m: float | None = None, camera: Camera = PUBLISHED) -> tuple[str, ...]:
    """The way to above a point straight ahead, looking down."""
    high = ABOVE_M[where.top is not None] if height_m is None else height_m
    return from_above((0.0, y_m), _eye(where), where.height_m + high, camera)


def _eye(where: Stage) -> float:
    """Height of the start camera, metres above the floor."""
    return round(where.height_m + FLOOR_VIEW_M, 4)


def _told_apart(numbers: random.Random) -> list[str]:
    """Three kinds that are told apart from above too."""
    while True:
        kinds = numbers.sample(SMALL, 3)
        if all(len(alike & set(kinds)) < 2 for alike in ALIKE_FROM_ABOVE):
            return kinds


def _off_line(things: list[Thing]) -> float:
    (x0, y0), (x1, y1), (x2, y2) = (t.xy for t in things)
    return abs((x2 - x0) * (y0 - y1) - (x0 - x1) * (y2 - y0)) / math.dist((x0, y0), (x2, y2))


def triangle(numbers: random.Random, item: Item) -> Pair:
    """Three things in a triangle, turned anyhow; sliding them along their lines of sight makes it another kind of triangle."""
    where = stage(numbers, item.layout, DEEP)
    layouts = next(filter(None, (_three_kinds(numbers, where) for _ in range(TRIES))), None)
    if layouts is None:
        raise Rejected("the sides are too alike, too unlike, too short or too long, or a thing hides another or is much wider")
    options = ("equilateral", "isosceles", "scalene")
    first, second = item.dealt("gold", (("equilateral", "isosceles"), ("isosceles", "scalene"), ("scalene", "equilateral")))
    order = numbers.sample([t.key for t in layouts[first]], 3)
    one, other = _staged(numbers, where, layouts[first], layouts[second])
    return Pair(
        ask=Ask(what="triangle", things=tuple(order)),
        form="choice",
        options=options,
        halves=(Half(one, first, "neutral"), Half(other, second, "neutral")),
        camera_z_m=_eye(where),
        **lived_in(numbers, item.layout),
        path=_over(where, 1.4),
        margin=f"sides equal, or different by at least {UNEQUAL - 1:.0%}",
        note="Equilateral: all three sides are equal. Isosceles: two sides are equal. Scalene: no side equals another. "
        f"The corners are the middles of the things. Sides are equal to the centimetre, or one is longer than the other by "
        f"{UNEQUAL - 1:.0%} or more.",
    )


def _three_kinds(numbers: random.Random, where: Stage) -> dict[str, list[Thing]] | None:
    """An equilateral triangle and what slides make of it: the same outlines in the first view."""
    side, turn = numbers.uniform(SIDE_M[0], 0.8 * SIDE_M[1] if where.top else SIDE_M[1]), numbers.uniform(0, 120)
    angles = [math.radians(turn + 120 * i) for i in range(3)]
    corners = [(side / math.sqrt(3) * math.sin(a), 1.4 + side / math.sqrt(3) * math.cos(a)) for a in angles]
    equal = [thing(f"thing_{i}", k, xy) for i, (k, xy) in enumerate(zip(_told_apart(numbers), corners, strict=True))]
    slides = [f for i, k in itertools.permutations(range(3), 2) if (f := _same_side(corners, i, k, side))]
    if not slides or not where.holds(equal) or not _well_placed(equal):
        return None
    slides = [numbers.choice(slides), *([numbers.uniform(0.78, 1.25) for _ in range(3)] for _ in range(10))]
    layouts = {"equilateral": equal}
    for i, factors in enumerate(slides):
        made = [slide(t, f) for t, f in zip(equal, factors, strict=True)]
        # Sides are equal by the solved slide only, never by accident.
        if _well_placed(made) and where.holds(made) and triangle_kind(made) == (kind := "scalene" if i else "isosceles"):
            layouts.setdefault(kind, made)
    return layouts if len(layouts) == 3 else None


def _same_side(corners: Sequence[tuple[float, float]], moved: int, centre: int, side: float) -> list[float]:
    """Slides by which one corner of an equilateral triangle comes to the other place at the same distance from another corner."""
    (px, py), (ax, ay) = corners[moved], corners[centre]
    # |t·p − a| = side has two solutions; one is t = 1 and their product is (|a|² − side²) / |p|².
    t = (ax * ax + ay * ay - side * side) / (px * px + py * py)
    return [t if i == moved else 1.0 for i in range(3)] if abs(t - 1) > 0.05 else []


def _well_placed(things: Sequence[Thing]) -> bool:
    """Sides and widths within their bounds, and no thing before another as the start camera sees them."""
    sides = [math.dist(a.xy, b.xy) for a, b in itertools.combinations(things, 2)]
    widths = [max(t.extent_m[:2]) for t in things]
    heights = [t.extent_m[2] for t in things]
    if min(sides) < SIDE_M[0] or max(sides) > SIDE_M[1] or max(widths) > FOOTPRINT_RATIO * min(widths):
        return False
    if max(heights) > HEIGHT_RATIO * min(heights):
        return False
    spans = sorted(
        (math.degrees(math.atan2(t.xy[0], t.xy[1])), math.degrees(math.atan2(w / 2, t.xy[1]))) for t, w in zip(things, widths, strict=True)
    )
    return all(b - a > ra + rb + APART_DEG for (a, ra), (b, rb) in itertools.pairwise(spans))


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
    return {3: "equilateral", 1: "isosceles", 0: "scalene"}.get(sum(equal), "none")


BEFORE_A_BOX = (
    "apple", "basketball", "bowl", "bucket", "coconut", "grapefruit", "mug", "orange", "pear", "plant_pot", "pumpkin", "soccer_ball",
    "softball", "teapot", "tennis_ball", "vase", "volleyball",
)  # fmt: skip
"""Things that touch an upright face with their deepest point."""
TOUCHING = (
    *((front, "box") for front in BEFORE_A_BOX),
    *((front, back) for front in ("baseball", "bowl", "softball", "tennis_ball") for back in ("candle", "mug", "spray_can")
      if (front, back) != ("softball", "mug")),
)  # fmt: skip
"""The front thing and a taller one behind it with upright sides, so that they meet wherever the front one is widest."""


NEAR_BY = Camera(move_step_m=0.15, turn_step_deg=30.0)
"""From near, a step of 25 cm leads past what it should lead to."""


def contact(numbers: random.Random, item: Item) -> Pair:
    """One thing before another, touching it or not; the gap runs along the line of sight, where it looks smallest."""
    where, boxed = stage(numbers, item.layout, ACROSS), item.dealt("boxed", (True, False))
    meeting, apart = next(filter(None, (_meeting(numbers, where, boxed) for _ in range(TRIES))), ((), ()))
    if not meeting:
        raise Rejected("the furniture is too small")
    gap = _gap(apart)
    face = meeting[0].xy[1] + meeting[0].reach_m
    order = ("front", "back") if item.turn("order", 2) else ("back", "front")
    touching, parted = _staged(numbers, where, meeting, apart)
    return Pair(
        ask=Ask(what="touching", things=order),
        form="yes_no",
        options=("yes", "no"),
        halves=(Half(touching, "yes", "congruent"), Half(parted, "no", "incongruent")),
        camera_z_m=_eye(where),
        **lived_in(numbers, item.layout),
        path=_over(where, face - 0.15 if boxed else face, 1.05 if boxed else 0.80, NEAR_BY),
        margin=f"touching, or {gap:.2f} m apart",
        camera=NEAR_BY,
        note="In this task one step is 15 cm and one turn 30°.",
    )


def _meeting(numbers: random.Random, where: Stage, boxed: bool) -> tuple[tuple[Thing, Thing], tuple[Thing, Thing]] | None:
    """A front thing and one behind it that meet, and the two apart; None where they do not stand well."""
    face = numbers.uniform(1.2, 1.5)
    front_kind, back_kind = numbers.choice([pair for pair in TOUCHING if (pair[1] == "box") == boxed])
    wide, deep, high = (0.38, 0.22, 0.26) if where.top else (0.45, 0.30, 0.30)
    size = (numbers.uniform(wide, wide + 0.15), deep, numbers.uniform(high, high + 0.08))
    back = thing("back", BLOCK, (0.0, 0.0), words="box", size_m=size) if boxed else thing("back", back_kind, (0.0, 0.0))
    front = thing("front", front_kind, (0.0, 0.0))
    # Round things meet where both are deepest; half a millimetre into each other: surely touching.
    front = replace(front, xy=(numbers.uniform(-0.08, 0.08) if boxed else 0.0, face - front.reach_m + 0.0005))
    back = replace(back, xy=(0.0, face + back.reach_m))
    gap = numbers.uniform(0.08, 0.12)
    nearer = (slide(front, 1 - gap / face), back)
    apart = (front, slide(back, 1 + gap / face)) if numbers.random() < 0.5 else nearer
    return ((front, back), apart) if where.holds((front, back)) and where.holds(apart) else None


def _gap(pair: Sequence[Thing]) -> float:
    front, back = pair
    return back.xy[1] - back.reach_m - front.xy[1] - front.reach_m


def _three(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return dict(zip("abc", (names[t] for t in ask.things), strict=False))


ALIGNED = wordings(
    _three,
    "Do the {a}, the {b} and the {c} stand in a straight line?",
    "Are the {a}, the {b} and the {c} in one straight line?",
    "Would one straight line run through the {a}, the {b} and the {c}?",
)
FORMED = wordings(
    _three,
    "Which kind of triangle do the {a}, the {b} and the {c} form?",
    "The {a}, the {b} and the {c} are the corners of a triangle. Of which kind is it?",
    "Think of straight lines from the {a} to the {b}, on to the {c}, and back: which kind of triangle is that?",
)
TOUCHED = wordings(
    _three,
    "Are the {a} and the {b} touching each other?",
    "Do the {a} and the {b} touch?",
    "Is the {a} in contact with the {b}?",
)


def judge_line(playing: Playing) -> Answer:
    """On one line to a centimetre, or clearly off it."""
    off = off_line_m([middle(o) for o in asked(playing)])
    return "yes" if off < ON_LINE_M else "no" if OFF_LINE_M[0] * 0.9 < off < OFF_LINE_M[1] * 1.1 else "unclear"


def judge_triangle(playing: Playing) -> Answer:
    """The kind of triangle that the middles of the boxes form."""
    return kind_of([middle(o) for o in asked(playing)])


def judge_contact(playing: Playing) -> Answer:
    """Touching by the simulator's surfaces, or a gap of more than 5 cm between the boxes."""
    a, b = asked(playing)
    state = playing.first.state
    touching = any(r.kind == "touching" and {r.subject, r.object} == {a.handle, b.handle} for r in (state.relations if state else ()))
    gap = gap_m(a, b)
    return "yes" if touching and gap < 0.002 else "no" if not touching and gap > CONTACT_GAP_M else "unclear"


_TOPIC = "Spatial Relations"
_PIXEL = "from above a pixel of the picture is less than 4 mm"
LINE = Generator(
    "line", _TOPIC, "Linear Alignment", line, "the middles lie on one straight line, or one clearly off it", {"aligned": ALIGNED}, 1,
    judge_line, layouts=STAGES, version="6",
    tells=f"On the line to a centimetre, or {OFF_LINE_M[0]:.2f} to {OFF_LINE_M[1]:.2f} m off it where neighbours are 0.34 to 0.42 m "
    f"apart: a bend of 20° and more, and {_PIXEL}. People tell lengths that differ by 2.9 % (Teghtsoonian 1971, Psychological Review "
    "78, 71–80); the offset is more than a third of a neighbour's distance.",
    beyond="How small an offset somebody notices; lines of more than three things, or lines that climb.",
)  # fmt: skip
TRIANGLE = Generator(
    "triangle", _TOPIC, "Geometric Configuration", triangle, "the three distances between middles", {"triangle": FORMED}, 3,
    judge_triangle, layouts=(AMONG, TABLE, BED), version="6",
    tells=f"Sides are equal to {EQUAL_M * 1000:.0f} mm, or differ by at least {UNEQUAL - 1:.0%}: seven times the 2.9 % by which people "
    "tell lengths (Teghtsoonian 1971, Psychological Review 78, 71–80). Of the three things the tallest is at most "
    f"{HEIGHT_RATIO} times as tall as the lowest, so that the leaning of their tops, seen from 1.25 m above or more, changes the ratio of "
    "two sides by less than 5 %.",
    beyond="Other figures than triangles; angles; memory of a figure that is no longer in view.",
)  # fmt: skip
CONTACT = Generator(
    "contact", _TOPIC, "Physical Contact", contact, "surfaces meet, or a gap of more than 5 cm", {"touching": TOUCHED}, 1, judge_contact,
    layouts=STAGES, version="6",
    tells="Touching, or 8 to 12 cm apart: from the side or from above, 1 m away, a gap of 4.5° and 39 pixels, where normal sight resolves "
    "1/60° (ISO 8596).",
    beyond="Hair-thin gaps; whether one carries, presses or holds the other; more than two things.",
)  # fmt: skip
GENERATORS = (LINE, TRIANGLE, CONTACT)
