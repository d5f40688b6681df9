"""Stages: what stands on furniture stands wholly on it, in rooms where such furniture is."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from data.generators.layout import Thing
from data.generators.stages import ACROSS, AHEAD, AMONG, BED, INSET_M, ROOMS, TABLE, Stage, besides, lived_in, stage
from data.generators.things import thing

EVERY = [(kinds, layout) for kinds in (ACROSS, AHEAD) for layout in kinds]


@pytest.mark.parametrize(("kinds", "layout"), EVERY)
def test_a_top_lies_before_the_camera_and_its_edge_is_where_it_is_drawn(kinds: dict[str, tuple[object, ...]], layout: str) -> None:
    for seed in range(6):
        on = stage(random.Random(seed), layout, kinds, near_m=0.1)  # type: ignore[arg-type]
        assert on.top is not None and on.top.point((0.0, 0.0))[0] == pytest.approx(0.0, abs=1e-9)
        (support,) = on.furniture
        c, s = (abs(f(math.radians(support.yaw_deg))) for f in (math.cos, math.sin))
        assert support.xy[1] - (s * support.extent_m[0] + c * support.extent_m[1]) / 2 == pytest.approx(0.1)
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            corner = on.top.point((x * on.top.width_m / 2, y * on.top.depth_m / 2))
            assert on.top.over_m(Thing("t", "mug", corner, (0.1, 0.1, 0.1))) == pytest.approx(0.05)


def test_a_thing_near_the_edge_does_not_stand_well() -> None:
    on = stage(random.Random(1), BED)
    assert on.top is not None
    middle = thing("can", "can", on.top.point((0.0, 0.0)))
    assert on.holds([middle]) and Stage().holds([replace(middle, xy=(9.0, 9.0))])
    edge = on.top.point((on.top.width_m / 2 - middle.extent_m[0] / 2 - INSET_M / 2, 0.0))
    assert not on.holds([replace(middle, xy=edge)])
    (lifted,) = on.lifted([middle])
    assert lifted.z_m == pytest.approx(on.height_m) and on.height_m > 0.3 and Stage().lifted([middle]) == (middle,)


def test_what_stands_besides_stands_on_the_same_top() -> None:
    numbers = random.Random(4)
    on = stage(numbers, TABLE)
    asked = thing("mug", "mug", (0.0, 1.42))
    support, *others = besides(numbers, on, [[asked]], {"mug"})
    assert others and support == on.furniture[0] and all(t.z_m == pytest.approx(on.height_m) and not t.essential for t in others)
    assert all(t.z_m is None for t in besides(numbers, Stage(), [[asked]], {"mug"}))


def test_beds_stand_in_bedrooms() -> None:
    assert {lived_in(random.Random(n), BED)["room"].kind for n in range(20)} == set(ROOMS[BED])
    assert len({lived_in(random.Random(n), AMONG)["room"].kind for n in range(40)}) > 8
