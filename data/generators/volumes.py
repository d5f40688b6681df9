"""Own tasks of Liquid Volume: which of two vessels of different shape holds more or less.

Their capacities are about the same at first; the twin has the other one farther away and larger by as much, so that both first views are
alike. Filling one and pouring it into the other tells: it runs over, or leaves room.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair
from data.generators.lab import Playing
from data.generators.layout import Thing, slide
from data.generators.stages import Stage, besides
from data.generators.surfaces import stand
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Vec3

EYE_M = 0.05
"""Height of the start view above what everything stands on: below every rim, and what is slid along the line of sight hardly moves."""
VESSELS: dict[str, tuple[Vec3, float]] = {
    "mug": ((0.1178, 0.0830, 0.0960), 405.8),
    "coffee_cup": ((0.1096, 0.0855, 0.0720), 250.6),
    "paper_cup": ((0.0830, 0.0830, 0.1010), 315.5),
    "teacup": ((0.1420, 0.1420, 0.0590), 226.2),
    "wineglass": ((0.0827, 0.0827, 0.2050), 403.1),
    "goblet": ((0.0847, 0.0847, 0.1600), 382.7),
    "cocktail_glass": ((0.1080, 0.1080, 0.1580), 176.3),
    "beer_glass": ((0.0780, 0.0780, 0.1900), 583.1),
    "water_glass": ((0.0720, 0.0720, 0.1250), 357.6),
    "tumbler": ((0.0840, 0.0840, 0.0900), 393.1),
    "bowl": ((0.1600, 0.1600, 0.0650), 767.3),
    "beaker": ((0.0900, 0.0800, 0.1020), 374.7),
    "measuring_cup": ((0.1556, 0.1039, 0.1030), 629.2),
    "pitcher": ((0.1987, 0.1318, 0.2166), 2190.6),
    "vase": ((0.1440, 0.1440, 0.2600), 2290.2),
}
"""Extents (metres) and capacity (ml) at scale 1; a test compares with the catalogue."""
FAMILIES = (
    ("mug", "coffee_cup", "paper_cup", "teacup"), ("wineglass", "goblet", "cocktail_glass"), ("beer_glass", "water_glass", "tumbler"),
    ("bowl",), ("beaker", "measuring_cup"), ("pitcher", "vase"),
)  # fmt: skip
"""Vessels of one family are never compared: their names are too near to each other."""
PAIRS = tuple((a, b) for one, two in itertools.combinations(FAMILIES, 2) for a in one for b in two)
WORDS = {"wineglass": "wine glass"}
HANDLED = ("mug", "coffee_cup", "measuring_cup", "pitcher")
"""Their handle points outwards."""
EVEN_ML = (280.0, 420.0)
"""Capacities before one is enlarged."""
GROWN = (1.100, 1.125)
"""The larger one is larger by this factor in every direction, and farther away by as much."""
UNEVEN = 0.015
"""Capacities are even to this share before one is enlarged."""
LEAST = 1.25
"""The larger capacity is larger by at least this factor in every version."""
AT_M = 0.58
EDGE_M = 0.28
"""From the start camera to the front edge of the furniture."""
ON: dict[str, tuple[str, ...]] = {
    "on a table": ("wooden_table", "lab_table"),
    "on a counter": ("counter", "sideboard"),
}
LAYOUTS = ("on the floor among other things", *ON)
APPROACH = ("move_up",) * 2 + ("turn_down",) * 2
ACTIONS = (*CAMERA_ACTIONS, "pick_up", "put_on_floor", "put_back", "fill", "pour")


def volume(numbers: random.Random, item: Item) -> Pair:
    """Two vessels that hold about as much; in each twin another one is farther away, and larger by as much as it is farther."""
    kinds = numbers.sample(item.dealt("kinds", PAIRS), 2)
    factor, even = round(numbers.uniform(*GROWN), 4), numbers.uniform(*EVEN_ML)
    height = 0.0
    furniture: tuple[Thing, ...] = ()
    if item.layout in ON:
        kind = numbers.choice(ON[item.layout])
        flat = stand("support", kind, (0.0, 0.0)).thing.extent_m[1]
        support = stand("support", kind, (round(numbers.uniform(-0.2, 0.2), 3), round(EDGE_M + flat / 2, 3)))
        height, furniture = support.tops[-1].z_m, (support.thing,)
    apart = numbers.uniform(0.16, 0.18)
    vessels = []
    for i, kind in enumerate(kinds):
        size, ml = VESSELS[kind]
        scale = round((even * numbers.uniform(1 - UNEVEN, 1 + UNEVEN) / ml) ** (1 / 3), 4)
        vessels.append(
            Thing(
                f"vessel_{i}", kind, ((-1) ** (i + 1) * apart, AT_M), size, scale, z_m=height or None, dynamic=True,
                params={"fillable": True},
                words=WORDS.get(kind, kind.replace("_", " ")), yaw_deg=180.0 if kind in HANDLED and i == 0 else 0.0,
            )
        )  # fmt: skip
    shown = [t.extent_m[0] * t.extent_m[2] for t in vessels]
    looks_larger = 0 if shown[0] > shown[1] else 1
    wanted = ("more", "less")[item.turn("wanted", 2, 2)]
    order = numbers.sample((0, 1), 2)
    poured = item.turn("poured", 2)
    into = 1 - poured
    sides = [tuple(slide(t, factor) if i == larger else t for i, t in enumerate(vessels)) for larger in (0, 1)]
    if not furniture:
        furniture = besides(numbers, Stage(), sides, kinds)
    path = (
        *APPROACH, f"fill({{vessel_{poured}}}, with_water)", f"pour({{vessel_{poured}}}, from, {{vessel_{poured}}}, to, {{vessel_{into}}})",
        "move_forward", "turn_down", "turn_down",
    )  # fmt: skip

    def half(larger: int) -> Half:
        ml = [VESSELS[t.category][1] * t.scale**3 for t in sides[larger]]
        after, runs_over = len(APPROACH) + 2, poured == larger
        told = (
            Evidence(kind="flag", step=after, handle=f"vessel_{into}", name="overflowing")
            if runs_over
            else Evidence(kind="level", step=after, handle=f"vessel_{into}", name="water_ml", low=0.5 * ml[into], high=0.85 * ml[into])
        )
        evidence = (
            Evidence(kind="done", step=after - 1),
            Evidence(kind="done", step=after),
            told,
            *(Evidence(kind="seen", step=n, handle=t.key) for t in sides[larger] for n in (len(APPROACH), -1)),
        )
        gold = larger if wanted == "more" else 1 - larger
        return Half(
            (*sides[larger], *furniture), vessels[gold].words, "congruent" if larger == looks_larger else "incongruent", evidence=evidence,
            tags={"poured": "runs over" if runs_over else "leaves room", "capacities_ml": " ".join(f"{v:.0f}" for v in ml)},
        )  # fmt: skip

    return Pair(
        ask=Ask(what=WANTED[wanted], things=tuple(vessels[i].key for i in order)),
        form="choice",
        options=tuple(vessels[i].words for i in order),
        halves=(half(0), half(1)),
        camera_z_m=round(height + EYE_M, 3),
        path=path,
        margin=f"at least {factor**3 * (1 - UNEVEN) / (1 + UNEVEN):.2f} times as much",
        tags={"polarity": wanted},
        actions=ACTIONS,
    )


WANTED = {"more": "larger_volume", "less": "smaller_volume"}


def _words(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    one, other = (names[t] for t in ask.things)
    return {"one": one, "other": other, "much": "more" if ask.what == WANTED["more"] else "less"}


WAYS = wordings(
    _words,
    "Which holds {much}: the {one} or the {other}?",
    "Of the {one} and the {other}, which one holds {much}?",
    "Full to the brim, which of them holds {much} water, the {one} or the {other}?",
)


def judge_volume(playing: Playing) -> Answer:
    """By what became of the water of one vessel in the other: it ran over, or left room; the capacities must say the same."""
    poured = next(i for i, s in enumerate(playing.steps) if s.action.startswith("pour("))
    source, target = (playing.steps[poured].action.split(", ")[k].rstrip(")") for k in (2, 4))
    full, after = playing.steps[poured - 1].state, playing.steps[poured].state
    if full is None or after is None:
        return "no state"
    given = playing.object(source, full).levels["water_ml"]
    left, there = (playing.object(h, after).levels["water_ml"] for h in (source, target))
    capacities = {h: playing.object(h, after).levels["capacity_ml"] for h in (source, target)}
    names, more = playing.task.names, playing.ask.what == WANTED["more"]
    if max(capacities.values()) < LEAST * min(capacities.values()) or left > 0.1 * given:
        return "too alike"
    if given - left - there >= 0.1 * given and capacities[source] > capacities[target]:
        return names[source if more else target]
    if there <= 0.85 * capacities[target] and given - left - there < 0.1 * given and capacities[target] > capacities[source]:
        return names[target if more else source]
    return "undecided"


VOLUME = Generator(
    "volume",
    "Physical Structure",
    "Liquid Volume",
    volume,
    "the greater or lesser capacity, shown by filling one vessel and pouring it into the other",
    dict.fromkeys(WANTED.values(), WAYS),
    cycle=2,
    judge=judge_volume,
    layouts=LAYOUTS,
    version="4",
    tells="The larger one holds 1.29 to 1.47 times as much. Poured over, a fifth or more runs over or stays free below the "
    "rim: argued from the pictures. By the outer shape alone people misjudge such differences, since taller vessels seem to hold more "
    "(Raghubir & Krishna 1999, Journal of Marketing Research 36, 313–326).",
    beyond="Vessels of one shape, how much a part filling is, and liquids other than water.",
)
GENERATORS = (VOLUME,)
