"""Lived-in rooms: old rooms stay as they were, nothing crosses anything, nothing is in the way, nothing gives away what a task asks."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from data.generators.layout import LIVED_IN
from sim_bridge import houses
from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.engine.geometry import Surface
from sim_bridge.backends.mujoco.meshes.surfaces import tops
from sim_bridge.backends.mujoco.rooms import clutter, clutter_things
from sim_bridge.backends.mujoco.rooms.furnishing import Piece, overlaps
from sim_bridge.backends.mujoco.tools import norming
from sim_bridge.errors import SceneError
from sim_bridge.houses import navigation
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, Object, Pose, Room, Scene
from sim_bridge.validation import check_scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

from sim_bridge.backends.mujoco.engine import judging
from sim_bridge.backends.mujoco.rooms import furnished, house_shell

SMALL = Camera(160, 120, 75.0)
STORED = Path(__file__).parents[2] / "fixtures" / "rooms" / "along_walls.json"
OURS = Catalogue(None)
"""Our own models alone: the same everywhere."""


def room(kind: str, seed: int, *, half: tuple[float, float] = (3.0, 2.6), **more: Any) -> Scene:
    return Scene(SMALL, Room((-half[0], -half[1], half[0], half[1]), kind=kind, seed=seed, arrangement="lived_in", **more))


def furnished_room(scene: Scene, catalogue: Catalogue = OURS) -> list[Piece]:
    return furnished.furnish(scene, looking(0.0, 0.0, 1.5), [], catalogue)[0]


def small_things(pieces: list[Piece]) -> list[Piece]:
    names = {c for pool in clutter_things.POOLS.values() for c in pool}
    return [p for p in pieces if p.category in names and (p.on_wall or clutter.model_of(p.category) is p.model)]


def surface(p: Piece) -> Surface:
    parts = p.model.closed.parts
    offsets = np.cumsum([0] + [len(q.vertices) for q in parts[:-1]])
    v = np.concatenate([q.vertices for q in parts])
    world = v[:, 0, None] * np.append(p.right, 0.0) - v[:, 1, None] * np.append(p.forward, 0.0) + np.array(p.centre_m)
    world[:, 2] += v[:, 2]
    return Surface.of(world, np.concatenate([q.faces + o for q, o in zip(parts, offsets, strict=True)]))


def crossing(pieces: list[Piece]) -> list[tuple[str, str]]:
    """Pairs of which one's drawn surface is in the other's material (the audit's check)."""
    solid = [p for p in pieces if not p.flat]
    shapes = [surface(p) for p in solid]
    found = []
    for i, a in enumerate(shapes):
        for j in range(i):
            if judging._cross(a, shapes[j]):
                found.append((solid[i].category, solid[j].category))
    return found


def test_the_check_of_crossing_finds_a_thing_that_sinks_in() -> None:
    pieces = furnished_room(room("dining_room", 7))
    thing = next(p for p in small_things(pieces) if p.on_wall and float(p.model.size[2]) > 0.05)
    x, y, z = thing.centre_m
    sunk = [replace(p, centre_m=(x, y, z - 0.008)) if p is thing else p for p in pieces]
    assert crossing(pieces) == [] and any(thing.category in pair for pair in crossing(sunk))


# --- what was stays ---------------------------------------------------------------------------------------------------


def test_rooms_of_earlier_documents_have_the_furniture_they_had_to_the_millimetre() -> None:
    stored = json.loads(STORED.read_text())
    for name, pieces in stored.items():
        kind, seed, *more = name.split()
        if kind == "house":
            plan = houses.plan(int(seed), int(more[0]))
            scene, start = (
                Scene(SMALL, plan.bounding_room(), house=House(int(seed), int(more[0]))),
                looking(*plan.centre(plan.names[0]), 1.5),
            )
        elif more[0] == "clear":
            bounds, clear = (-2.4, -1.2, 2.4, 3.8), (-1.5, -0.5, 1.5, 2.9)
            scene, start = Scene(SMALL, Room(bounds, kind=kind, seed=int(seed), keep_clear_m=clear)), looking(0.0, 0.0, 1.0)
        else:
            scene, start = Scene(SMALL, Room((-3.0, -2.5, 3.0, 2.5), kind=kind, seed=int(seed))), looking(0.0, 0.0, 1.5)
        found = [
            [[p.category, *(round(float(v), 4) for v in p.centre_m), round(p.yaw_deg, 1)] for p in group]
            for group in furnished.furnish(scene, start, [], OURS)
        ]
        assert found == pieces, name
    assert len(stored) >= 20


def test_a_document_without_the_new_fields_means_what_it_meant() -> None:
    scene = msgspec.convert({"camera": {}, "room": {"kind": "office", "seed": 4}}, Scene)
    assert scene.room.arrangement == "along_walls" and scene.room.without == () and House().open_plan is False


# --- rooms ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LIVED_IN)
def test_nothing_crosses_anything_and_nothing_is_in_the_way(kind: Any) -> None:
    """Three seeds of every kind: 42 rooms, one of them with floor that a task needs."""
    for seed, half, clear in ((1, (3.0, 2.6), None), (2, (2.6, 3.4), (-1.4, -1.2, 1.1, 1.7)), (3, (2.2, 2.4), None)):
        scene = room(kind, seed, half=half, keep_clear_m=clear)
        (space,), pieces = house_shell.spaces(scene), furnished_room(scene)
        assert crossing(pieces) == [], (kind, seed)
        for p in pieces:
            if p.on_wall or p.flat:
                continue
            assert clear is None or not overlaps(p.footprint, clear), (kind, seed, p.category)
            assert not any(overlaps(p.footprint, door) for door in space.keep), (kind, seed, p.category)
        assert len(small_things(pieces)) >= 3, (kind, seed)


def test_small_things_stand_on_what_carries_them() -> None:
    for kind in ("dining_room", "office", "kitchen", "childs_room"):
        for seed in range(2):
            scene = room(kind, seed)
            pieces = furnished_room(scene)
            carriers = [p for p in pieces if p.category in clutter_things.PLACES]
            for thing in small_things(pieces):
                foot = thing.centre_m[2] - float(thing.model.size[2]) / 2
                levels = [c.centre_m[2] + t.z_m for c in carriers for t in tops(c.model) if overlaps(c.footprint, thing.footprint)]
                assert abs(foot) < 1e-6 or min(abs(foot - z) for z in levels) < 0.001, (kind, seed, thing.category)


def test_things_stand_on_tables_shelves_counters_beds_and_floors_and_furniture_away_from_walls() -> None:
    on: dict[str, int] = {}
    away: set[str] = set()
    for kind in LIVED_IN:
        for seed in range(3):
            scene = room(kind, seed, half=(3.4, 3.0))
            (space,), pieces = house_shell.spaces(scene), furnished_room(scene)
            for thing in small_things(pieces):
                under = [p for p in pieces if p.category in clutter_things.PLACES and overlaps(p.footprint, thing.footprint)]
                on[under[0].category if under and thing.on_wall else "floor"] = on.get(under[0].category if under else "floor", 0) + 1
            x0, y0, x1, y1 = space.bounds
            for p in pieces:
                a, b, c, d = p.footprint
                if not p.on_wall and not p.flat and min(a - x0, b - y0, x1 - c, y1 - d) > 0.5:
                    away.add(kind)
    for name in ("table", "bookcase", "kitchen_run", "bed", "desk", "floor"):
        assert on.get(name, 0) >= 3, (name, on)
    assert len(away) >= 10, f"furniture away from walls only in {sorted(away)}"


def test_two_hundred_kinds_of_small_things_are_in_use_and_each_has_a_model_of_ours() -> None:
    declared = {c for pool in clutter_things.POOLS.values() for c in pool}
    for category in declared:
        assert vocabulary.rule(category).grade != "none" and clutter.model_of(category) is not None, category
    seen: set[str] = set()
    for seed, kind in itertools.product(range(16), LIVED_IN):
        if len(seen) < 200:  # more are not asked for
            seen |= {p.category for p in small_things(furnished_room(room(kind, seed, half=(3.4, 3.0))))}
    assert len(seen) >= 200, len(seen)


def test_the_same_seed_gives_the_same_room_with_and_without_objects_it_knows_of() -> None:
    """Twins differ in their objects: where each room names the kinds of both, what is about tells nothing."""
    kinds = ("mug", "apple")
    clear = (-1.2, -1.0, 1.2, 1.0)
    plain = room("dining_room", 5, keep_clear_m=clear, without=kinds)
    described = []
    for category in kinds:
        scene = msgspec.structs.replace(plain, objects=(Object("object_1", category, Pose((0.0, 0.5, 0.0)), on_floor=True),))
        described.append([(p.category, p.centre_m, p.yaw_deg) for p in furnished_room(scene)])
    assert described[0] == described[1] and described[0]
    assert not any(clutter.alike(p.category, kinds) for p in small_things(furnished_room(plain)))


def test_what_people_call_by_one_name_is_alike() -> None:
    """By the names that the catalogue accepts where people name objects."""
    lying_about = {c for pool in clutter_things.POOLS.values() for c in pool}
    known = [c for c in vocabulary.known() if vocabulary.rule(c).grade != "none"]
    names = {c: {norming.plain(n) for n in norming.names_of([c])[0]} for c in {*known, *lying_about}}
    missed = [(a, b) for a in sorted(lying_about) for b in known if names[a] & names[b] and not clutter.alike(a, [b])]
    assert not missed, missed
    assert not clutter.alike("mug", ["candle", "shoe_box", "sofa"]) and clutter.alike("mug", ["candle", "coffee_cup"])


def test_lived_in_houses_can_be_walked_through() -> None:
    for seed, n in ((2, 7), (9, 6), (4, 5)):
        plan = houses.plan(seed, n)
        scene = Scene(SMALL, plan.bounding_room(arrangement="lived_in"), house=House(seed, n))
        groups = furnished.furnish(scene, looking(*plan.centre(plan.names[0]), 1.5), [], OURS)
        assert all(small_things(group) for group, r in zip(groups, plan.rooms, strict=True) if r.kind not in ("corridor", "bathroom"))
        for group in groups:
            assert crossing(group) == [], (seed, n)
        feet = [p.footprint for group in groups for p in group if not p.on_wall and not p.flat]
        floor = navigation.grid(plan, feet)
        for name in plan.names:
            door = next(d for d in plan.doors if name in d.rooms)
            assert floor.path(door.centre_m, plan.doors[0].centre_m) is not None, (seed, n, name)


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_bad_fields_are_refused_by_name() -> None:
    cases = [
        (room("office", 1, without=("",)), r"scene.room.without: expected categories of 1 to 200 characters"),
        (room("office", 1, without=("mug",) * 501), r"scene.room.without: expected at most 500 categories, got 501"),
        (
            Scene(SMALL, Room(arrangement="messy")),
            r"scene.room.arrangement: expected along_walls or lived_in, got 'messy'",
        ),
    ]
    for scene, message in cases:
        with pytest.raises(SceneError, match=message):
            check_scene(scene)
    check_scene(room("office", 1, without=("mug", "no_such_thing")))
