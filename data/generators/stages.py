"""On what a layout stands, and among what: the floor, the floor among other things, a table.

A layout is drafted as if on the floor. A `Stage` lifts it, and `besides` adds what is there besides, the same in both twins: it stands
where it hides nothing of what is asked about from the start camera, and is of no kind that could be taken for one that is asked about.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from data.generators.framework import Rejected
from data.generators.layout import Thing, footprint
from data.generators.things import SIZES_M, thing
from sim_bridge.spec import Vec3

FLOOR, AMONG, TABLE = "on the floor", "on the floor among other things", "on a table"
STAGES = (FLOOR, AMONG, TABLE)
TABLES: dict[str, Vec3] = {"dining_table": (1.70, 1.15, 0.74), "desk": (1.70, 1.15, 0.74), "coffee_table": (1.75, 1.15, 0.42)}
"""Tables and their sizes here, metres: large ones of their kind."""
TABLE_Y_M = 1.42
"""Distance of a table's middle from the start camera."""
INSET_M = 0.04
"""What stands on a table keeps this distance from its edge."""
TAKEN_FOR_ANOTHER = ("baseball", "gift_box", "grapefruit", "pillar_candle", "softball", "treasure_chest", "tumbler")
"""Kinds that somebody may take for another one that is asked about (a box, an orange, a candle, a mug)."""
OTHERS = tuple(sorted(k for k, size in SIZES_M.items() if max(size) < 0.3 and k not in TAKEN_FOR_ANOTHER))
CLEAR_DEG = 0.5
"""Free angle between what is asked about and what stands beside it, from the start camera."""


@dataclass(frozen=True)
class Stage:
    """Where a layout stands."""

    height_m: float
    furniture: tuple[Thing, ...] = ()

    def holds(self, things: Sequence[Thing]) -> bool:
        """Whether all stand on the table (on the floor: yes)."""
        if not self.furniture:
            return True
        table = self.furniture[0]
        half = [table.extent_m[i] / 2 - INSET_M for i in (0, 1)]
        return all(abs(t.xy[i] - table.xy[i]) + footprint(t)[i] / 2 < half[i] for t in things for i in (0, 1))

    def lifted(self, things: Sequence[Thing]) -> tuple[Thing, ...]:
        """The things at the stage's height."""
        return tuple(replace(t, z_m=round(self.height_m + (t.z_m or 0.0), 5)) for t in things) if self.furniture else tuple(things)


def stage(numbers: random.Random, layout: str) -> Stage:
    """The floor or a table, by the layout's name."""
    if layout != TABLE:
        return Stage(0.0)
    kind = numbers.choice(sorted(TABLES))
    table = Thing("table", kind, (0.0, TABLE_Y_M), TABLES[kind], essential=False)
    return Stage(TABLES[kind][2], (table,))


def besides(numbers: random.Random, layout: str, on: Stage, sides: Sequence[Sequence[Thing]], taken: Collection[str]) -> tuple[Thing, ...]:
    """What stands there besides (none on the bare floor), and the table; `sides` are the things of the twins as drafted, on the floor.

    Raises:
        Rejected: there is no room for them.
    """
    if layout == FLOOR:
        return on.furniture
    wanted = numbers.randrange(2, 4) if on.furniture else numbers.randrange(4, 7)
    last_words = {kind.rpartition("_")[2] for kind in taken}
    kinds = numbers.sample([k for k in OTHERS if k.rpartition("_")[2] not in last_words], wanted)
    found: list[Thing] = []
    for kind in kinds:
        for _ in range(60):
            xy = (numbers.uniform(-1.2, 1.2), numbers.uniform(0.95, 2.65))
            one = thing(f"beside_{len(found)}", kind, xy, words="", essential=False, yaw_deg=numbers.choice((0.0, 90.0, 180.0, 270.0)))
            if on.holds([one]) and all(_apart(one, t) for side in (*sides, found) for t in side) and _hides_none(one, sides):
                found.append(one)
                break
        else:
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
