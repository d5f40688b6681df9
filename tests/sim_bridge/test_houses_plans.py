"""Plans of houses: different by seed, sound, with true graphs, ways, turns and maps. No simulator."""

import io
import itertools
import math
from typing import Any

import pytest
from PIL import Image

from sim_bridge import houses
from sim_bridge.houses import drawing, navigation, plan_of, routes
from sim_bridge.houses.outline import WALL_M, inset, outline, overlap
from sim_bridge.spec import House, HouseDoor, HouseLayout, HouseRoom, HouseWindow
from tests.present import present

SEEDS = range(24)
HOUSES = [houses.plan(seed, rooms) for rooms in range(3, 9) for seed in SEEDS]


def four(*doors: Any, rooms: Any = None) -> HouseLayout:
    """Rooms a b / c d in a square of 6 m, 3 m each; doors as (room, room, middle of the opening, along)."""
    rooms = rooms or (
        HouseRoom("a", "kitchen", ((0.0, 3.0, 3.0, 6.0),)),
        HouseRoom("b", "bedroom", ((3.0, 3.0, 6.0, 6.0),)),
        HouseRoom("c", "office", ((0.0, 0.0, 3.0, 3.0),)),
        HouseRoom("d", "living_room", ((3.0, 0.0, 6.0, 3.0),)),
    )
    return HouseLayout(rooms, tuple(HouseDoor((x, y), at, along) for x, y, at, along in doors))


AB, CD = ("a", "b", (3.0, 4.5), "y"), ("c", "d", (3.0, 1.5), "y")
AC, BD = ("a", "c", (1.5, 3.0), "x"), ("b", "d", (4.5, 3.0), "x")
RING = houses.Plan(four(AB, CD, AC, BD))
CHAIN = houses.Plan(four(AB, AC, BD))


def test_seeds_give_many_different_room_graphs() -> None:
    forms = {p.signature() for p in HOUSES}
    assert len(forms) >= 40  # the product promises 12
    assert len({p.signature() for p in HOUSES if len(p.rooms) == 6}) >= 6
    assert {p.scheme for p in HOUSES} == {"corridor", "ring", "centre", "rooms"}


def test_there_are_trees_loops_corridors_and_walls_without_doors() -> None:
    assert any(p.loops == 0 for p in HOUSES) and any(p.loops == 1 for p in HOUSES) and any(p.loops >= 2 for p in HOUSES)
    corridors = [p for p in HOUSES if p.scheme == "corridor"]
    assert all(len(p.graph["hallway"]) >= 2 for p in corridors) and any(len(p.graph["hallway"]) >= 5 for p in corridors)
    assert sum(bool(p.wall_neighbours) for p in HOUSES) > len(HOUSES) / 2
    assert any(len(r.rects_m) == 2 for p in HOUSES for r in p.rooms)


def test_the_same_seed_gives_the_same_house() -> None:
    houses.plan.cache_clear()
    again = [houses.plan(seed, rooms) for rooms in range(3, 9) for seed in SEEDS]
    assert again == HOUSES
    # Written down, so that another version of Python or of the program shows.
    assert houses.plan(2, 7).names == ("living room", "kitchen", "bedroom", "bathroom", "office", "storage room", "hallway")
    assert houses.plan(2, 7).bounds_m == (-4.25, -5.1, 4.25, 5.05)


def test_every_house_is_sound() -> None:
    for p in HOUSES:
        assert p.problem() == ""
        boxes = [r for room in p.rooms for r in room.rects_m]
        assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
        for room in p.rooms:
            assert 1.3 <= min(min(r[2] - r[0], r[3] - r[1]) for r in room.rects_m) <= 6.6
            assert 3.0 < p.area_m2(room.name) < 45
            assert p.room_at(p.centre(room.name)) == room.name
        for name, others in p.graph.items():
            kind = p.room(name).kind
            assert others and (kind != "bathroom" or len(others) == 1), "nobody walks through a bathroom"


def test_doors_join_the_rooms_on_both_sides_and_leaves_leave_each_other_alone() -> None:
    for p in HOUSES:
        leaves = [p.leaf_segment(d) for d in p.doors]
        for i, d in enumerate(p.doors):
            x, y = d.centre_m
            sides = [(x, y - 0.2), (x, y + 0.2)] if d.along == "x" else [(x - 0.2, y), (x + 0.2, y)]
            assert {p.room_at(s) for s in sides} == set(d.rooms)
            if leaves[i]:
                assert p.room_at(present(leaves[i])[1]) == d.leaf
            for j, leaf in enumerate(leaves):
                if leaf and j != i:
                    assert math.dist(leaf[1], d.centre_m) > 0.4


def test_the_outline_of_an_l_and_its_inset() -> None:
    ring = outline([(0.0, 0.0, 4.0, 2.0), (0.0, 2.0, 2.0, 4.0)])
    assert len(ring) == 6
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2
    assert area == pytest.approx(12.0)
    inner = inset(ring, 0.5)
    assert set(inner) == {(0.5, 0.5), (3.5, 0.5), (3.5, 1.5), (1.5, 1.5), (1.5, 3.5), (0.5, 3.5)}


def test_equal_graphs_have_equal_signatures_and_others_do_not() -> None:
    chain_elsewhere = houses.Plan(four(AC, CD, BD))
    star_like = houses.Plan(four(AB, CD, BD))
    assert CHAIN.signature() == chain_elsewhere.signature() == star_like.signature() != RING.signature()
    assert RING.loops == 1 and CHAIN.loops == 0
    assert CHAIN.wall_neighbours == (("c", "d"),) and RING.wall_neighbours == ()


def test_shortest_routes_and_whether_they_are_the_only_ones() -> None:
    assert routes.shortest(CHAIN, "c", "d").rooms == ("c", "a", "b", "d")
    assert routes.unique_shortest(CHAIN, "c", "d")
    assert {r.rooms for r in routes.routes(RING, "a", "d")} == {("a", "b", "d"), ("a", "c", "d")}
    assert not routes.unique_shortest(RING, "a", "d"), "two ways of the same length"
    assert routes.unique_shortest(RING, "a", "b"), "the other way has three doors"
    assert routes.shortest(RING, "a", "b").length_m == pytest.approx(3.0)
    with pytest.raises(KeyError, match="no room 'attic'"):
        routes.routes(RING, "a", "attic")


def test_turns_follow_from_the_direction_of_entering() -> None:
    # From c north into a, right into b, right into d.
    assert [(t.room, t.direction) for t in routes.turns(CHAIN, ("c", "a", "b", "d"))] == [("a", "right"), ("b", "right")]
    assert [(t.room, t.direction) for t in routes.turns(CHAIN, ("d", "b", "a", "c"))] == [("b", "left"), ("a", "left")]
    row = (
        HouseRoom("a", "office", ((0.0, 0.0, 3.0, 3.0),)),
        HouseRoom("b", "office", ((3.0, 0.0, 6.0, 3.0),)),
        HouseRoom("c", "office", ((6.0, 0.0, 9.0, 3.0),)),
    )
    through = houses.Plan(four(("a", "b", (3.0, 1.5), "y"), ("b", "c", (6.0, 1.5), "y"), rooms=row))
    (turn,) = routes.turns(through, ("a", "b", "c"))
    assert turn.direction == "straight" and turn.angle_deg == 0 and turn.clear
    with pytest.raises(ValueError, match="no door between 'a' and 'c'"):
        routes.turns(through, ("a", "c", "b"))


def test_walking_goes_through_doors_and_around_things() -> None:
    grid = navigation.grid(CHAIN)
    way = grid.path((1.5, 1.5), (4.5, 1.5))
    assert all(grid.is_free(p) for p in present(way))
    length = sum(math.dist(p, q) for p, q in itertools.pairwise(present(way)))
    assert 7.0 < length < 9.5, "around through a and b; the wall between c and d has no door"
    assert navigation.grid(RING).distance_m((1.5, 1.5), (4.5, 1.5)) == pytest.approx(3.0, abs=0.05)
    assert navigation.grid(CHAIN, [(0.0, 3.3, 3.0, 3.6)]).path((1.5, 1.5), (4.5, 1.5)) is None
    past = navigation.grid(RING, [(1.4, 1.0, 1.6, 2.0)]).path((0.8, 1.5), (2.4, 1.5))
    assert len(present(past)) > 2 and max(abs(p[1] - 1.5) for p in present(past)) > 0.5
    assert not navigation.grid(RING).is_free((3.0, 4.5 + 0.45)) and navigation.grid(RING).is_free((3.0 + WALL_M, 4.55))


def test_every_room_can_be_walked_to() -> None:
    for p in HOUSES[::7]:
        for name in p.names[1:]:
            straight = math.dist(p.centre(p.names[0]), p.centre(name))
            assert navigation.distance_between(p, p.names[0], name) >= straight - 0.15


def test_maps_show_every_room() -> None:
    p = houses.plan(2, 7)
    image = Image.open(io.BytesIO(drawing.png(p, pixels_per_m=40)))
    x0, _y0, x1, y1 = p.bounds_m
    assert image.width == pytest.approx((x1 - x0 + 1.2) * 40, abs=2)
    for r in p.rooms:
        x, y = p.inner(r.name)[0]
        pixel = image.getpixel((round((x - x0 + 0.6 + 0.2) * 40), round((y1 + 0.6 - y - 0.12) * 40)))
        assert "#{:02x}{:02x}{:02x}".format(*present(pixel)[:3]) == drawing.COLOURS[r.kind]  # type: ignore[index]
    text = drawing.svg(p, way=[(0.0, 0.0), (1.0, 1.0)], furniture=[((0.0, 0.0, 1.0, 1.0), "table")])
    assert all(f">{name}</text>" in text for name in p.names)


def test_refusals_name_the_field() -> None:
    for arguments, message in (((1, 2), "rooms: expected 3 to 9, got 2"), ((1, 10), "rooms: expected 3"), ((-1, 5), "seed: expected")):
        with pytest.raises(ValueError, match=message):
            houses.plan(*arguments)


ROOMS = four().rooms
BAD_LAYOUTS = [
    (four(AB, AC), "layout.doors: no way from 'a' to 'd'"),
    (four(("a", "d", (3.0, 3.0), "y"), AC, BD), r"layout.doors\[0\].centre_m: expected a place within the wall that a and d share"),
    (four(("a", "b", (3.0, 3.1), "y"), AC, BD), r"layout.doors\[0\].centre_m"),
    (four(("a", "e", (3.0, 4.5), "y")), r"layout.doors\[0\].rooms"),
    (HouseLayout(ROOMS[:2], ()), "layout.rooms: expected 3 to 9, got 2"),
    (HouseLayout((*ROOMS[:3], HouseRoom("d", "office", ((2.0, 0.0, 6.0, 3.0),))), ()), r"layout.rooms\[3\].rects_m: overlaps 'c'"),
    (HouseLayout((*ROOMS[:3], HouseRoom("a", "office", ((3.0, 0.0, 6.0, 3.0),))), ()), r"layout.rooms\[0\].name"),
    (HouseLayout((*ROOMS[:3], HouseRoom("d", "office", ((3.0, 0.0, 3.4, 3.0),))), ()), r"layout.rooms\[3\].rects_m: expected rectangles"),
    (
        HouseLayout(ROOMS, RING.doors, (HouseWindow("a", (1.5, 3.0), "x"),)),
        r"layout.windows\[0\].centre_m: expected a place within an outer",
    ),
]


@pytest.mark.parametrize(("layout", "message"), BAD_LAYOUTS)
def test_impossible_layouts_are_refused_by_field(layout: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_of(House(layout=layout))


def test_an_explicit_layout_is_taken_as_it_is() -> None:
    assert plan_of(House(layout=RING.layout)).graph == {"a": ("b", "c"), "b": ("a", "d"), "c": ("a", "d"), "d": ("b", "c")}


def test_nine_rooms_and_open_plans() -> None:
    """Other houses than the ones without: those stay as they are (`test_the_same_seed_gives_the_same_house`)."""
    widths = []
    for rooms in range(5, 10):
        for seed in range(8):
            p = houses.plan(seed, rooms, open_plan=True)
            assert p.problem() == "" and len(p.rooms) == rooms
            wide = [d for d in p.doors if d.width_m >= 1.8 and not d.leaf]
            kinds = [{p.room(n).kind for n in d.rooms} for d in wide]
            assert any(k <= {"living_room", "dining_room", "kitchen"} for k in kinds), (seed, rooms)
            widths.append(max(d.width_m for d in wide))
            assert all(p.graph[name] for name in p.names)
    assert max(widths) <= 3.0 and sum(w > 2.2 for w in widths) > len(widths) / 2
    schemes = {houses.plan(seed, 9).scheme for seed in range(16)}
    assert "corridor" in schemes and {len(houses.plan(seed, 9).rooms) for seed in range(16)} == {9}
    assert plan_of(House(3, 7, open_plan=True)) == houses.plan(3, 7, open_plan=True) != houses.plan(3, 7)
