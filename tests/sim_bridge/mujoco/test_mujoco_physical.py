"""Things weigh, slide and bounce as at home, a hand takes what it could, and they collide where they are seen."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.catalogue.masses import MASSES
from sim_bridge.backends.mujoco.catalogue.physical import BULK_DENSITY_KG_M3, Physical, graspable, physical
from sim_bridge.backends.mujoco.meshes import contact, pieces
from sim_bridge.backends.mujoco.meshes.shapes import Solid, box, model, tube
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.tools import agreement
from tests.present import present


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The catalogue as installed."""
    return Catalogue.load()


def known(catalogue: Catalogue, category: Any) -> Physical:
    match = catalogue.lookup(category)
    return physical(match, present(match.real_size_m))


@pytest.mark.parametrize(
    ("category", "low_kg", "high_kg"),
    [
        ("apple", 0.12, 0.25),
        ("egg", 0.05, 0.07),
        ("tennis_ball", 0.056, 0.060),
        ("bowling_ball", 5.0, 7.3),
        ("mug", 0.25, 0.45),
        ("wineglass", 0.1, 0.25),
        ("book", 0.3, 0.8),
        ("pencil", 0.004, 0.01),
        ("watermelon", 4.0, 10.0),
        ("bottle_of_soda", 0.3, 1.2),
        ("box_of_cereal", 0.3, 1.2),
        ("bag_of_flour", 0.6, 2.5),
        ("can_of_soup", 0.3, 0.7),
        ("dining_table", 20.0, 60.0),
        ("sofa", 30.0, 90.0),
    ],
)
def test_a_thing_weighs_what_it_weighs_at_home(catalogue: Catalogue, category: str, low_kg: float, high_kg: float) -> None:
    assert low_kg <= known(catalogue, category).mass_kg <= high_kg


def test_the_table_knows_hundreds_of_things_and_every_category_has_a_sane_mass(catalogue: Catalogue) -> None:
    assert len(MASSES) > 400
    for category in vocabulary.known():
        match = catalogue.lookup(category)
        if not match.recognisable:
            continue
        p = known(catalogue, category)
        density = p.mass_kg / np.prod(present(match.real_size_m))
        assert 0.1 < density < 8000, (category, density)
        assert 0 < p.friction <= 1.0 and 0 <= p.restitution < 1, category


def test_twice_as_long_is_eight_times_as_heavy(catalogue: Catalogue) -> None:
    match = catalogue.lookup("mug")
    once, twice = (physical(match, tuple(k * v for v in present(present(match)).real_size_m)).mass_kg for k in (1.0, 2.0))  # type: ignore[arg-type, union-attr]
    assert twice == pytest.approx(8 * once)


def test_what_nobody_listed_gets_a_bulk_density(catalogue: Catalogue) -> None:
    match = catalogue.lookup("mug")
    strange = type(match)("odd_thing", "exact", maker="odd_maker", shape=lambda _: None)
    p = physical(strange, (0.1, 0.1, 0.1))
    assert p.mass_kg == pytest.approx(BULK_DENSITY_KG_M3 / 1000) and "bulk" in p.density_source


def test_surfaces_differ_and_balls_bounce(catalogue: Catalogue) -> None:
    assert known(catalogue, "rubber_boot").friction > known(catalogue, "chopping_board").friction > known(catalogue, "ice_cube").friction
    assert known(catalogue, "ping_pong_ball").restitution > known(catalogue, "tennis_ball").restitution > 0.5
    assert known(catalogue, "mug").restitution == 0


def test_a_hand_takes_what_is_light_and_small_or_slim(catalogue: Catalogue) -> None:
    for category in ("mug", "apple", "book", "broom", "guitar", "suitcase", "laundry_basket", "bottle_of_soda"):
        assert known(catalogue, category).graspable, category
    for category in ("sofa", "dining_table", "fridge", "boulder", "radiator", "electrical_outlet", "toilet", "mirror", "christmas_tree"):
        assert not known(catalogue, category).graspable, category
    assert graspable(9.9, (0.6, 0.6, 0.6)) and not graspable(10.1, (0.1, 0.1, 0.1)) and not graspable(1.0, (0.8, 0.8, 0.1))
    assert graspable(1.0, (1.5, 0.3, 0.1)) and not graspable(6.0, (1.5, 0.3, 0.1))


def test_it_needs_no_simulator() -> None:
    code = "import sys; from sim_bridge.backends.mujoco.catalogue import Catalogue; "
    code += "from sim_bridge.backends.mujoco.catalogue.physical import physical; "
    code += "m = Catalogue.load().lookup('table_lamp'); physical(m, m.real_size_m); Catalogue.load().model(m); "
    code += "sys.exit(any(m == 'mujoco' or m.startswith(('mujoco.', 'scipy')) for m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    assert run.returncode == 0


# --- contact ----------------------------------------------------------------------------------------------------------


def test_a_table_is_its_top_and_its_legs() -> None:
    table = make("table", kind="side")
    shape = contact.contact_shape(table)
    assert 5 <= len(shape) <= 12
    assert agreement.measure(replace(table, solids=shape)).worst_mm < 1
    assert agreement.measure(replace(table, collider="box", solids=())).worst_mm > 100


def test_a_box_a_can_and_a_ball_stay_primitives() -> None:
    for maker, settings in (("boxed", {"text": "router"}), ("sports_ball", {"kind": "soccer"})):
        assert contact.contact_shape(make(maker, **settings)) == ()


def test_a_bent_bar_is_cut_and_what_lies_inside_another_piece_is_left_out() -> None:
    hook = model(tube([(0, 0, 0), (0, 0, 0.2), (0.1, 0, 0.25), (0.2, 0, 0.2), (0.2, 0, 0)], 0.01))
    assert len(contact.contact_shape(hook)) >= 4
    nested = model(box(0.2, 0.2, 0.2, rgb=(1, 0, 0)), box(0.1, 0.1, 0.1, rgb=(0, 1, 0)).moved(z=0.05), box(0.1, 0.1, 0.1).moved(x=0.3))
    assert len(contact.contact_shape(nested)) == 2


def test_a_flat_sheet_gets_some_thickness() -> None:
    sheet = np.array([(0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0), (0, 0.1, 0)], float)
    assert np.ptp(pieces.thick(sheet)[:, 2]) == pytest.approx(pieces.THINNEST_M)


def test_the_measure_sees_a_lie() -> None:
    cube = model(box(0.1, 0.1, 0.1))
    honest = replace(cube, solids=(Solid.box([0.05, 0.05, 0.05], [0, 0, 0.05]),))
    assert agreement.measure(honest).worst_mm < 0.2
    lying = replace(cube, solids=(Solid.box([0.05, 0.05, 0.04], [0, 0, 0.04]),))
    assert agreement.measure(lying).top_mm == pytest.approx(20, abs=1)


CARRIED = """
    apple orange pear egg lemon banana_bread bread bun cheese cookie hamburger avocado eggplant cucumber carrot tomato mug bowl plate
    saucer wineglass water_glass tumbler beaker erlenmeyer_flask vase plant_pot bucket tray baking_sheet frying_pan mixing_bowl
    chopping_board table_knife rolling_pin canister tupperware carafe teapot can_of_soup jar_of_honey box_of_cereal
    bottle_of_hot_sauce carton_of_milk milk_carton bag_of_flour boxed_router shoe_box packing_box shopping_basket
    recycling_bin first_aid_kit candle book textbook hammer drill scissors screwdriver stapler tape_measure
    cellulose_tape remote_control alarm_clock dice toy_car tennis_ball soccer_ball bowling_ball dumbbell"""
SUPPORTS = """side_table console_table dining_table conference_table coffee_table shelf sideboard safe filing_cabinet"""


@pytest.mark.parametrize("category", [*CARRIED.split(), *SUPPORTS.split()])
def test_seen_and_colliding_surface_agree_within_three_millimetres(catalogue: Catalogue, category: Any) -> None:
    match = catalogue.lookup(category)
    found = agreement.measure(catalogue.model(match))
    assert found.worst_mm <= 3.0, found


def test_hollow_things_are_hollow(catalogue: Catalogue) -> None:
    for category in ("wicker_basket", "carton", "laundry_basket", "recycling_bin", "shopping_basket", "hingeless_jar", "measuring_cup"):
        made = catalogue.model(catalogue.lookup(category))
        assert made.cavity is not None and len(made.solids) >= 5, category
        middle = made.cavity.matrix @ np.zeros(3) + made.cavity.offset
        if made.cavity.round:
            middle = (
                made.cavity.matrix @ np.array([0, 0, sum(h for h, _ in made.cavity.profile) / len(made.cavity.profile)])
                + made.cavity.offset
            )
        # No contact piece covers the middle of the inside.
        for q in made.solids:
            low, high = q.points.min(0), q.points.max(0)
            assert not ((middle > low + 1e-3) & (middle < high - 1e-3)).all() or not q.is_box, category
