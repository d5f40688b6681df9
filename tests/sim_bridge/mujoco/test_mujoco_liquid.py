"""Water in the embedded simulator: how much goes in, where it goes, and that none is made or lost."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "osmesa")
pytest.importorskip("mujoco")

from sim_bridge.actions import parse_action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.mujoco.backend import MujocoBackend
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import containment, liquid
from sim_bridge.backends.mujoco.engine.session import pose_of, put_pose, show
from sim_bridge.backends.mujoco.entities.vessel import left_in_pool, vessels
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

TABLE, GLASS, MUG, BOWL, APPLE = (f"object_{n}" for n in range(1, 6))
FULL = "fill({}, with_water)"


def pour(a: str, b: str) -> str:
    return f"pour({a}, from, {a}, to, {b})"


@pytest.fixture(scope="module")
def backend() -> Iterator[MujocoBackend]:
    made = MujocoBackend(Catalogue(None))
    yield made
    made.shutdown()


def thing(handle: str, category: str, x: float, y: float, z: float = 0.6, **more: Any) -> Object:
    return Object(handle, category, Pose((x, y, z)), origin="base", **more)


def scene(*objects: Object) -> Scene:
    table = thing(TABLE, "console_table", 0.0, 0.65, 0.0, size_m=(1.2, 0.6, 0.6))
    return Scene(camera=Camera(160, 120, 75.0), room=Room((-2, -2, 2, 2), furnished=False), objects=(table, *objects))


START = looking(0.0, 0.0, 1.05, 0.0, -30.0)
USUAL = scene(
    thing(GLASS, "water_glass", -0.2, 0.55, params={"fillable": True}),
    thing(MUG, "coffee_cup", 0.0, 0.55, params={"fillable": True}),
    thing(BOWL, "bowl", 0.25, 0.6, dynamic=True),
    thing(APPLE, "apple", 0.05, 0.75, dynamic=True),
)


@pytest.fixture
def act(backend: MujocoBackend) -> Iterator[Callable[..., Any]]:
    backend.load("s", USUAL, START, 0)

    def do(text: str) -> ActionOutcome:
        return backend.act("s", parse_action(text))

    yield do
    backend.close("s")


def water(backend: MujocoBackend) -> dict[str, float]:
    return {o.handle: o.levels["water_ml"] for o in backend.state("s")[0] if "water_ml" in o.levels}


def capacity(backend: MujocoBackend, handle: str) -> float:
    return next(o.levels["capacity_ml"] for o in backend.state("s")[0] if o.handle == handle)


def flags(backend: MujocoBackend, handle: str) -> dict[str, bool]:
    return next(o.flags for o in backend.state("s")[0] if o.handle == handle)


def count(backend: MujocoBackend) -> tuple[int, int]:
    """All particles in vessels, lying about and in the pool; the size of the pool."""
    s = backend._session("s")
    every = vessels(s)
    assert every[0].pool is not None
    lying = int(every[0].drops(s).sum())
    return sum(v.water(s) for v in every) + lying + left_in_pool(s), every[0].pool.count


# --- capacities -------------------------------------------------------------------------------------------------------


def twenty() -> list[liquid.Basin]:
    """Vessels of many shapes, each holding at least 15 % more than the one before."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("glass", {}),
        ("mug", {}),
        ("coffee_cup", {}),
        ("teacup", {}),
        ("bowl", {}),
        ("beaker", {}),
        ("stemware", {"kind": "wine"}),
        ("stemware", {"kind": "cocktail"}),
        ("open_jar", {}),
        ("vase", {"shape": 1}),
        ("vase", {"shape": 2}),
        ("pitcher", {}),
        ("bucket", {}),
        ("saucepan", {}),
        ("measuring_jug", {}),
        ("paper_cup", {}),
        ("erlenmeyer_flask", {}),
        ("vessel_of", {"floor_m": 0.05}),
        ("vessel_of", {"wall_m": 0.012}),
        ("vessel_of", {"mouth_m": 0.06, "belly_m": 0.034, "neck_m": 0.045}),
    ]
    found, wanted = [], 60.0
    for name, settings in kinds:
        model = make(name, **settings)
        assert model.cavity is not None
        scale = (wanted / (model.cavity.volume_m3 * 1e6)) ** (1 / 3)
        scaled = model.normalised(model.size * scale)
        assert scaled.cavity is not None
        found.append(liquid.basin(scaled.cavity))
        wanted *= 1.15
    return found


def test_filling_until_it_overflows_orders_twenty_vessels_as_their_volumes_do() -> None:
    every = twenty()
    true = [b.capacity_ml for b in every]
    assert true == sorted(true)
    assert min(b / a for a, b in itertools.pairwise(true)) > 1.149
    measured = []
    for b in every:
        particle_ml = b.capacity_ml / 80
        measured.append(liquid.measured_capacity(b, particle_ml) * particle_ml)
    print([round(m / t, 3) for m, t in zip(measured, true, strict=True)])
    assert measured == sorted(measured)


def test_the_level_is_where_the_volume_below_it_is_the_water() -> None:
    cavity = make("erlenmeyer_flask").cavity
    assert cavity is not None
    b = liquid.basin(cavity)
    z, r = np.array(cavity.profile).T
    for share in (0.1, 0.5, 0.9):
        heights = np.linspace(z[0], b.level(share), 4000)
        below = np.trapezoid(np.pi * np.interp(heights, z, r) ** 2, heights)
        assert below == pytest.approx(share * cavity.volume_m3, rel=2e-3)


def test_a_tilted_vessel_keeps_what_is_below_its_lip() -> None:
    b = liquid.basin(make("glass", kind="tumbler").cavity)  # type: ignore[arg-type]
    kept = [b.keeps(np.array([np.sin(t), 0.0, np.cos(t)])) for t in np.radians([5, 20, 45, 70, 95, 150])]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > 0.9 and 0.35 < kept[2] < 0.65 and kept[4] < 0.1 and kept[-1] == 0.0


# --- fill and pour ----------------------------------------------------------------------------------------------------


def test_filling_fills_to_nine_tenths_and_not_twice(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    outcome = act(FULL.format(GLASS))
    assert outcome.ok and len(outcome.observation.frames) == 3
    assert water(backend)[GLASS] == pytest.approx(0.9 * capacity(backend, GLASS), rel=0.02)
    assert flags(backend, GLASS)["filled"] and not flags(backend, MUG)["filled"]
    assert act(FULL.format(GLASS)).reason == f"{GLASS} is full"


def test_a_larger_into_a_smaller_overflows_and_the_reverse_leaves_room(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    larger, smaller = capacity(backend, GLASS), capacity(backend, MUG)
    assert larger > 1.3 * smaller
    act(FULL.format(GLASS))
    poured = act(pour(GLASS, MUG))
    assert poured.ok and 4 <= len(poured.observation.frames) <= 8
    assert flags(backend, MUG)["overflowing"]
    now = water(backend)
    assert now[MUG] > 0.93 * smaller and now[GLASS] < 0.05 * larger
    lying = int(vessels(backend._session("s"))[0].drops(backend._session("s")).sum())
    assert lying > 5
    assert act(pour(MUG, GLASS)).ok
    now = water(backend)
    assert not flags(backend, GLASS)["overflowing"]
    assert now[MUG] < 0.05 * smaller and 0.85 * smaller < now[GLASS] < 0.85 * larger
    assert count(backend)[0] == count(backend)[1]


def test_what_poured_returns_to_where_it_was(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(FULL.format(GLASS))
    s = backend._session("s")
    before = pose_of(s, s.world.object(GLASS))
    assert act(pour(GLASS, BOWL)).ok
    assert pose_of(s, s.world.object(GLASS)) == before
    assert water(backend)[BOWL] > 0.9 * 0.9 * capacity(backend, GLASS)


def test_particles_are_conserved_over_any_sequence(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    rng = random.Random(2)
    done = 0
    for _ in range(9):
        a, b = rng.sample([GLASS, MUG, BOWL], 2)
        done += act(rng.choice([FULL.format(a), pour(a, b), pour(a, b)])).ok
        total, pool = count(backend)
        assert total == pool
    assert done >= 3


def test_the_same_actions_give_the_same_pixels_and_state(backend: MujocoBackend) -> None:
    actions = [FULL.format(GLASS), pour(GLASS, MUG), f"pick_up({MUG})", "turn_left"]
    seen = []
    for _ in range(2):
        backend.load("s", USUAL, START, 0)
        frames = [f.pixel_hash for a in actions for f in backend.act("s", parse_action(a)).observation.frames]
        seen.append((frames, backend.state("s"), backend.snapshot("s")))
        backend.close("s")
    assert seen[0] == seen[1]


def test_a_snapshot_brings_the_water_back(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(FULL.format(GLASS))
    act(pour(GLASS, MUG))
    s = backend._session("s")
    lies = s.data.mocap_pos.copy()
    act("wait")
    assert np.array_equal(lies, s.data.mocap_pos), "water at rest is not moved by time"
    kept, view, levels = backend.snapshot("s"), backend.observe("s").frames[-1].pixel_hash, water(backend)
    onward = [f"pick_up({MUG})", "turn_left", f"put_back({MUG})", FULL.format(GLASS)]
    first = [act(a).observation.frames[-1].pixel_hash for a in onward]
    backend.restore("s", kept)
    assert backend.observe("s").frames[-1].pixel_hash == view and water(backend) == levels
    assert [act(a).observation.frames[-1].pixel_hash for a in onward] == first


# --- carrying ---------------------------------------------------------------------------------------------------------


def test_a_carried_glass_spills_nothing_and_shows_its_water_where_it_is(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(FULL.format(BOWL))
    before = water(backend)
    assert act(f"pick_up({BOWL})").ok
    s = backend._session("s")
    vessel = next(v for v in vessels(s) if v.handle == BOWL)
    for action in ("turn_left", "move_backward", "turn_down", "turn_right", "move_forward", "turn_up"):
        assert act(action).ok
        body = s.data.mocap_pos[vessel._body_ids]
        turn, at = s.data.xmat[vessel.placed.body].reshape(3, 3), s.data.xpos[vessel.placed.body]
        assert vessel.basin is not None
        assert vessel.basin.inside((body - at) @ turn, slack_m=1e-6).all()
    assert water(backend) == before
    assert act(f"put({BOWL}, on, {TABLE})").ok
    assert water(backend) == before


def test_a_vessel_that_falls_over_loses_its_water(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    act(FULL.format(BOWL))
    s = backend._session("s")
    p = s.world.object(BOWL)
    at = pose_of(s, p)
    put_pose(s, p, Pose(at.position_m, (0.0, 0.70710678, 0.0, 0.70710678)))
    show(s)
    assert water(backend)[BOWL] < 0.1 * capacity(backend, BOWL)
    assert count(backend)[0] == count(backend)[1]
    assert act(FULL.format(BOWL)).reason == f"{BOWL} does not stand upright"


# --- reasons ----------------------------------------------------------------------------------------------------------


def test_what_is_impossible_is_refused_with_its_reason(backend: MujocoBackend, act: Callable[..., Any]) -> None:
    for action, reason in (
        (FULL.format(APPLE), f"{APPLE} does not hold water"),
        (pour(GLASS, MUG), f"there is nothing in {GLASS}"),
        (pour(GLASS, GLASS), f"{GLASS} cannot be poured into itself"),
        (f"pour({APPLE}, from, {GLASS}, to, {MUG})", f"{APPLE} is nothing that can be poured from {GLASS}"),
    ):
        outcome = act(action)
        assert not outcome.ok and outcome.reason == reason
    act(FULL.format(GLASS))
    assert act(pour(GLASS, APPLE)).reason == f"{APPLE} is no vessel that water could be poured into"
    act(f"pick_up({APPLE})")
    assert act(pour(GLASS, MUG)).reason == f"{APPLE} is in the hand already"
    for _ in range(4):
        act("move_backward")
    assert act(FULL.format(MUG)).reason == f"{MUG} is too far away"
    act("turn_left"), act("turn_left"), act("turn_left"), act("turn_left"), act("turn_left")
    assert act(FULL.format(MUG)).reason == f"{MUG} is not in view"


def test_what_is_closed_is_neither_filled_nor_poured_into(
    backend: MujocoBackend, act: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    act(FULL.format(GLASS))
    monkeypatch.setattr(containment, "closed", lambda s, p: p.handle == MUG)
    assert act(FULL.format(MUG)).reason == f"{MUG} is closed"
    assert act(pour(GLASS, MUG)).reason == f"{MUG} is closed"


def test_water_at_the_start_is_as_declared(backend: MujocoBackend) -> None:
    first = scene(
        thing(GLASS, "water_glass", 0.0, 0.55, params={"water_ml": 200.0}), thing(MUG, "mug", 0.2, 0.55, params={"fillable": 100.0})
    )
    backend.load("s", first, START, 0)
    assert water(backend)[GLASS] == pytest.approx(200, abs=3)
    assert backend.act("s", parse_action(FULL.format(MUG))).ok
    assert water(backend)[MUG] == pytest.approx(100, abs=3)
    backend.close("s")


def test_water_shows(backend: MujocoBackend) -> None:
    def view(**params: Any) -> str:
        backend.load("s", scene(thing(GLASS, "water_glass", 0.0, 0.55, params=params)), START, 0)
        return backend.observe("s").frames[-1].pixel_hash

    assert len({view(), view(water_ml=150.0), view(water_ml=250.0)}) == 3


def test_a_scene_without_water_carries_none(backend: MujocoBackend) -> None:
    backend.load("s", scene(thing(GLASS, "water_glass", 0.0, 0.55, params={"fillable": False})), START, 0)
    s = backend._session("s")
    assert s.world.model.nskin == 0 and s.world.model.nmocap <= 3
    assert backend.act("s", parse_action(FULL.format(GLASS))).reason == "there is no water here"
    backend.close("s")


@pytest.mark.parametrize(("category", "params", "word"), [
    ("water_glass", {"water_ml": -1}, "water_ml: expected millilitres"),
    ("water_glass", {"water_ml": True}, "got True"),
    ("water_glass", {"water_ml": 5000.0}, "it holds 358 ml, got 5000"),
    ("apple", {"water_ml": 5.0}, "'apple' holds no liquid"),
    ("apple", {"fillable": True}, "'apple' holds no liquid"),
    ("water_glass", {"fillable": "yes"}, "fillable: expected true, false or"),
    ("vase", {"vessel": {"height_m": 9.0}}, "vessel: height_m"),
    ("vase", {"vessel": 3}, "vessel: expected measures by name"),
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused_by_name(backend: MujocoBackend, category: str, params: dict[str, Any], word: str) -> None:
    with pytest.raises(SceneError, match=rf"scene\.objects\[1\]\.params\..*{word}"):
        backend.load("s", scene(thing(GLASS, category, 0.0, 0.55, params=params)), START, 0)


def test_a_vessel_by_measures_takes_the_place_of_the_catalogues(backend: MujocoBackend) -> None:
    own = scene(thing(GLASS, "vase", 0.0, 0.55, params={"vessel": {"height_m": 0.12, "floor_m": 0.06, "clear": True}}))
    backend.load("s", own, START, 0)
    cavity = make("vessel_of", height_m=0.12, floor_m=0.06).cavity
    assert cavity is not None
    assert capacity(backend, GLASS) == pytest.approx(cavity.volume_m3 * 1e6)
    backend.close("s")
