"""Supports for generators: the table agrees with the drawn meshes, things put on them stay there, and bad places are refused."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from data.generators.framework import Generator, Half, Pair, build
from data.generators.layout import LIVED_IN, Place, room_about
from data.generators.surfaces import FURNITURE, OPEN_M, fits, stand
from data.generators.things import thing
from data.task import Ask
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.meshes.surfaces import tops
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Room, Scene
from sim_bridge.validation import check_scene
from tests.present import present


@pytest.mark.parametrize("category", FURNITURE)
def test_the_table_of_supports_is_what_is_drawn(category: Any) -> None:
    kind, catalogue = FURNITURE[category], Catalogue(None)
    match = catalogue.lookup(category)
    assert repr(match) == repr(Catalogue.load().lookup(category)), "the same with and without the pack"
    assert np.allclose(kind.size_m, present(match.real_size_m), atol=0.002)
    model = catalogue.model(match).normalised()
    drawn = [(t.z_m + float(model.size[2]) / 2, t.edge, t.free_height_m) for t in tops(model)]
    for board in kind.boards:
        z, edge, free = min(drawn, key=lambda d: abs(d[0] - board.z_m))
        assert abs(z - board.z_m) < 0.001 and np.allclose(edge, board.rect_m, atol=0.025), (category, edge)
        assert free == pytest.approx(board.free_m, abs=0.003) or (free == 9.0 and board.free_m == OPEN_M)


def test_things_put_on_supports_are_where_the_layout_says_and_turn_with_it() -> None:
    table = stand("t", "wooden_table", (0.4, 1.5), yaw_deg=90.0)
    (top,) = table.tops
    mug = top.put("m", "mug", (0.5, 0.1), yaw_deg=30.0)
    assert mug.xy == pytest.approx((0.3, 2.0)) and mug.z_m == 0.74 and mug.words == "mug"
    assert not table.thing.essential and table.thing.words == ""
    vase = top.put("v", "vase", (0.3, 0.1))
    assert fits(top, (mug, vase)) and not fits(top, (mug, replace(vase, xy=mug.xy)))
    half = stand("s", "open_shelf", (0.0, 0.0), scale=0.5)
    assert half.tops[1].z_m == pytest.approx(0.241) and half.tops[1].free_m == pytest.approx(0.169)


def test_places_over_the_edge_and_things_too_high_are_refused() -> None:
    shelf = stand("s", "open_shelf", (0.0, 1.0))
    with pytest.raises(ValueError, match=r"m: at \(0.4, 0.0\) a mug stands 0.051 m over the edge of the open_shelf"):
        shelf.tops[0].put("m", "mug", (0.4, 0.0))
    with pytest.raises(ValueError, match=r"a post of 0.340 m does not fit under 0.338 m in the open_shelf"):
        shelf.tops[0].put("p", "post", (0.0, 0.0), size_m=(0.1, 0.1, 0.34))
    with pytest.raises(KeyError):
        stand("s", "four_poster", (0.0, 0.0))


@pytest.mark.skipif(not gl.available(), reason="libOSMesa is not installed (apt-get install libosmesa6)")
def test_free_bodies_rest_on_every_support() -> None:
    """Dropped from where the layout puts them, they stay within 5 mm: what is drawn is what carries."""
    place, objects, wanted = Place(), [], {}  # type: ignore[var-annotated]
    for i, category in enumerate(FURNITURE):
        support = stand(f"s{i}", category, (2.2 * (i % 3), 2.4 * (i // 3)))
        objects.append(place.object(support.thing, f"object_{len(objects) + 1}"))
        for top in support.tops:
            handle = f"object_{len(objects) + 1}"
            put = top.put("x", "tennis_ball", (0.05, 0.02), dynamic=True, size_m=(0.08, 0.08, 0.08))
            objects.append(replace_category(place.object(put, handle)))
            wanted[handle] = put.z_m
    scene = Scene(Camera(64, 48, 75.0), Room((-1.5, -1.5, 6.0, 6.5), furnished=False), tuple(objects), settle_steps=120)
    backend = create()
    backend.load("s", scene, looking(2.0, -1.0, 1.5), 0)
    states = {o.handle: o for o in backend.state("s")[0]}
    backend.shutdown()
    for handle, z in wanted.items():
        assert abs(states[handle].aabb_min_m[2] - z) < 0.005, (handle, z, states[handle].aabb_min_m)  # type: ignore[operator]


def replace_category(o: Any) -> Any:
    """A box that does not roll."""
    import msgspec

    return msgspec.structs.replace(o, category="packing_box")


def test_rooms_about_a_layout_differ_and_leave_its_floor_clear() -> None:
    made = []
    for k in range(120):
        numbers = random.Random(k)
        place = Place(90.0 * numbers.randrange(4), (1.0, -2.0))
        clear = (-1.2, -0.5, 1.2, 2.6)
        room = room_about(numbers, place, clear, without=("banana",))
        check_scene(Scene(Camera(), room))
        a, b, c, d = room.bounds_m
        p, q, r, s = room.keep_clear_m  # type: ignore[misc]
        gaps = (p - a, q - b, c - r, d - s)
        assert (
            all(0.89 < g < 2.71 for g in gaps)
            and sum(g > 1.85 for g in gaps) == 1
            and room.arrangement == "lived_in"
            and room.without == ("banana",)
        )
        assert {round(r - p, 6), round(s - q, 6)} == {2.4, 3.1}
        made.append(room)
    assert {r.kind for r in made} == set(LIVED_IN) and len({r.seed for r in made}) == 120
    assert len({tuple(round(v, 1) for v in r.bounds_m) for r in made}) > 100


def test_a_lived_in_room_avoids_the_kinds_of_both_twins() -> None:
    def draft(numbers: Any, number: Any) -> Pair:
        place = Place()
        halves = tuple(Half((thing("a", kind, (0.0, 1.0)), thing("b", "vase", (0.5, 1.5))), gold=(kind,)) for kind in ("mug", "teapot"))  # type: ignore[arg-type]
        return Pair(
            Ask(what="thing"), "choice", ("mug", "teapot"), halves, 1.0, (), "none", place=place,
            room=room_about(numbers, place, (-1.0, -0.5, 1.0, 2.0)),
        )  # fmt: skip

    generator = Generator("looks", "Perceptual Grounding", "View Hallucination", draft, "rule", {"thing": lambda *_: "Which is it?"})
    tasks = build(generator, draft(random.Random(1), 1), seed=7, number=1, numbers=random.Random(1))
    first, second = (t.scene.room for t in tasks)
    assert first == second and set(first.without) == {"mug", "teapot", "vase"}
    assert math.isclose(first.floor_z_m, 0.0)
