"""On what a layout stands, and among what: the floor, a table, a counter, a bed.

A layout is drafted as if on the floor. A `Stage` lifts it, and `besides` adds what is there besides, the same in both twins: it stands
where it hides nothing of what is asked about from the start camera, and is of no kind that could be taken for one that is asked about.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from data.generators.framework import CLEAR_LOCAL, Rejected
from data.generators.layout import LIVED_IN, Place, Thing, footprint, room_about
from data.generators.surfaces import Board, Top, stand
from data.generators.things import SIZES_M, thing
from sim_bridge.spec import Vec3

AMONG, TABLE, COUNTER, BED = "on the floor among other things", "on a table", "on a counter", "on a bed"
STAGES = (AMONG, TABLE, COUNTER, BED)
Kind = tuple[str, float, float]
"""Category of a support, how it is turned (degrees), and how large it is of its kind (a scale)."""
ACROSS: Mapping[str, tuple[Kind, ...]] = {
    TABLE: (("wooden_table", 0.0, 1.1), ("lab_table", 0.0, 1.0), ("low_table", 0.0, 1.2)),
    COUNTER: (("counter", 0.0, 1.0), ("sideboard", 0.0, 1.05)),
    BED: (("plain_bed", 90.0, 1.0), ("plain_bed", -90.0, 1.0)),
}
"""Supports that lie across the view: wide, and no deeper than a table."""
AHEAD: Mapping[str, tuple[Kind, ...]] = {
    TABLE: (("wooden_table", 90.0, 1.1), ("lab_table", 90.0, 1.0), ("low_table", 90.0, 1.25)),
    COUNTER: (("counter", 90.0, 1.0), ("counter", -90.0, 1.0), ("sideboard", 90.0, 1.05)),
    BED: (("plain_bed", 0.0, 1.0),),
}
"""Supports that lie along the view: deep, and a bed with its foot to the camera."""
ROOMS: Mapping[str, tuple[str, ...]] = {
    BED: ("bedroom", "childs_room"),
    COUNTER: ("kitchen", "dining_room", "utility_room", "workshop", "lab", "storage_room", "hall", "office"),
    TABLE: tuple(k for k in LIVED_IN if k != "bathroom"),
}
"""Kinds of rooms in which such furniture stands in the middle; other layouts lie in any."""
SUPPORT_Y_M = 1.42
"""Distance of a support's middle from the start camera, unless a layout says otherwise."""
LARGE_M: dict[str, Vec3] = {"dining_table": (1.70, 1.15, 0.74), "desk": (1.70, 1.15, 0.74), "coffee_table": (1.75, 1.15, 0.42)}
"""Large tables, extents in metres."""
INSET_M = 0.03
"""What stands on a support keeps this distance from its edge."""
TAKEN_FOR_ANOTHER = ("baseball", "gift_box", "grapefruit", "pillar_candle", "softball", "treasure_chest", "tumbler")
"""Kinds that somebody may take for another one that is asked about (a box, an orange, a candle, a mug)."""
OTHERS = tuple(sorted(k for k, size in SIZES_M.items() if max(size) < 0.3 and k not in TAKEN_FOR_ANOTHER))
CLEAR_DEG = 0.5
"""Free angle between what is asked about and what stands beside it, from the start camera."""


@dataclass(frozen=True)
class Stage:
    """Where a layout stands: on a top, or on the floor."""

    top: Top | None = None

    @property
    def height_m(self) -> float:
        return self.top.z_m if self.top else 0.0

    @property
    def furniture(self) -> tuple[Thing, ...]:
        return (self.top.support,) if self.top else ()

    def holds(self, things: Sequence[Thing]) -> bool:
        """Whether all stand on the top, clear of its edge (on the floor: yes)."""
        return self.top is None or all(self.top.over_m(t) < -INSET_M for t in things)

    def lifted(self, things: Sequence[Thing]) -> tuple[Thing, ...]:
        """The things at the stage's height."""
        return tuple(replace(t, z_m=round(self.height_m + (t.z_m or 0.0), 5)) for t in things) if self.top else tuple(things)


def stage(numbers: random.Random, layout: str, kinds: Mapping[str, Sequence[Kind]] = ACROSS, *, near_m: float | None = None) -> Stage:
    """The floor or a top, by the layout's name.

    Args:
        kinds: layout → supports to draw from; a layout that is not there stands on the floor.
        near_m: distance of the support's near edge from the start camera; None: its middle is `SUPPORT_Y_M` away.
    """
    if layout not in kinds:
        return Stage()
    category, yaw_deg, scale = numbers.choice(list(kinds[layout]))
    at_origin = stand("support", category, (0.0, 0.0), yaw_deg=yaw_deg, scale=scale)
    y = SUPPORT_Y_M if near_m is None else near_m + footprint(at_origin.thing)[1] / 2
    # A sideboard's top is not in the middle of its floor: the layout's middle is that of the top.
    x = -at_origin.tops[-1].point((0.0, 0.0))[0]
    return Stage(stand("support", category, (x, y), yaw_deg=yaw_deg, scale=scale).tops[-1])


def large_table(numbers: random.Random, layout: str) -> Stage:
    """The floor, or a table deep enough for two rows of things: the catalogue's, at a large size, its middle `SUPPORT_Y_M` away."""
    if layout != TABLE:
        return Stage()
    kind = numbers.choice(sorted(LARGE_M))
    wide, deep, high = LARGE_M[kind]
    board = Board(high, (-wide / 2, -deep / 2, wide / 2, deep / 2))
    return Stage(Top(Thing("table", kind, (0.0, SUPPORT_Y_M), LARGE_M[kind], essential=False), board))


def lived_in(numbers: random.Random, layout: str) -> dict[str, Any]:
    """Fields of `Pair`: where the layout lies, and a room in which it may stand on what its name says."""
    place = Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))
    return {"place": place, "room": room_about(numbers, place, CLEAR_LOCAL, kinds=ROOMS.get(layout, LIVED_IN))}


def besides(numbers: random.Random, on: Stage, sides: Sequence[Sequence[Thing]], taken: Collection[str]) -> tuple[Thing, ...]:
    """What stands there besides, and the support; `sides` are the things of the twins as drafted, on the floor.

    Raises:
        Rejected: there is no room for them.
    """
    wanted = numbers.randrange(2, 4) if on.top else numbers.randrange(4, 7)
    last_words = {kind.rpartition("_")[2] for kind in taken}
    kinds = numbers.sample([k for k in OTHERS if k.rpartition("_")[2] not in last_words], wanted)
    found: list[Thing] = []
    for kind in kinds:
        for _ in range(80):
            xy = (numbers.uniform(-1.2, 1.2), numbers.uniform(0.95, 2.65))
            one = thing(f"beside_{len(found)}", kind, xy, words="", essential=False, yaw_deg=numbers.choice((0.0, 90.0, 180.0, 270.0)))
            if on.holds([one]) and all(_apart(one, t) for side in (*sides, found) for t in side) and _hides_none(one, sides):
                found.append(one)
                break
        else:
            if not found:
                raise Rejected("no room for what stands besides")
    return (*on.furniture, *on.lifted(found))


def _apart(one: Thing, other: Thing) -> bool:
    """5 cm at least between their footprints."""
    return any(abs(one.xy[i] - other.xy[i]) > (footprint(one)[i] + footprint(other)[i]) / 2 + 0.05 for i in (0, 1))


def _hides_none(one: Thing, sides: Sequence[Sequence[Thing]]) -> bool:
    """Neither before nor behind what is asked about, as the start camera sees it: both can be named."""
    at, wide = _span_deg(one)
    return all(abs(at - _span_deg(t)[0]) > wide + _span_deg(t)[1] + CLEAR_DEG for side in sides for t in side)


def _span_deg(one: Thing) -> tuple[float, float]:
    """Bearing and half its width, from the start camera."""
    return math.degrees(math.atan2(one.xy[0], one.xy[1])), math.degrees(math.atan2(max(footprint(one)) / 2, math.hypot(*one.xy)))
