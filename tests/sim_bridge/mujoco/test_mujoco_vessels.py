"""Vessels: what is seen, what is inside and what touches are the same surface; capacities follow from measures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sim_bridge.backends.mujoco.meshes.shapes import Model
from sim_bridge.backends.mujoco.models.making import MAKERS
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.models.vessels import FAMILY

make("mug")
OF_VESSELS = ("models.vessels", "models.cookware", "models.laboratory")
HOLLOW = {name: make(name) for name, f in MAKERS.items() if getattr(f, "__module__", "").endswith(OF_VESSELS)}
HOLLOW |= {
    name: make(name) for name in ("bucket", "ice_bucket", "tupperware", "tank", "cloche", "hourglass", "snow_globe", "trophy", "ashtray")
}
HOLLOW |= {
    "glass beer": make("glass", kind="beer"),
    "glass tumbler": make("glass", kind="tumbler"),
    "stemware cocktail": make("stemware", kind="cocktail"),
    "stemware champagne": make("stemware", kind="champagne"),
    "vase 1": make("vase", shape=1),
    "vase 2": make("vase", shape=2),
    "wok": make("pan", kind="wok"),
    "mug, wide": make("mug").normalised((0.16, 0.12, 0.08)),
}
ROUND = {name: m for name, m in HOLLOW.items() if m.cavity is not None and m.cavity.round}
AGREE_M = 0.003


def first_hit(start: np.ndarray, way: np.ndarray, model: Model) -> float:
    """Distance along a ray to the first visible triangle."""
    best = math.inf
    for part in model.parts:
        a, b, c = (part.vertices[part.faces[:, i]] for i in range(3))
        e1, e2, to = b - a, c - a, start - a
        p = np.cross(way, e2)
        det = (e1 * p).sum(1)
        with np.errstate(all="ignore"):
            u = (to * p).sum(1) / det
            q = np.cross(to, e1)
            v = (q @ way) / det
            t = (e2 * q).sum(1) / det
            good = (np.abs(det) > 1e-15) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t > 1e-6)
        if good.any():
            best = min(best, float(t[good].min()))
    return best


def contact_hit(start: np.ndarray, way: np.ndarray, model: Model) -> float:
    """Distance along a ray to the first contact wall (boxes, or boxes sheared by a scale)."""
    best = math.inf
    for solid in model.solids:
        if solid.axes is None:
            continue
        local = np.linalg.solve(solid.axes, np.stack([start - solid.points.mean(0), way], 1))
        origin, along = local[:, 0], local[:, 1]
        with np.errstate(all="ignore"):
            ends = np.stack([(-1 - origin) / along, (1 - origin) / along])
        low, high = float(np.nanmax(ends.min(0))), float(np.nanmin(ends.max(0)))
        if low <= high and high > 0:
            best = min(best, max(low, 0.0))
    return best


@pytest.mark.parametrize("name", sorted(ROUND))
def test_the_contact_shape_the_inside_and_what_is_seen_agree(name: Any) -> None:
    model = ROUND[name]
    cavity = model.cavity
    assert cavity is not None
    z, r = np.array(cavity.profile).T
    seen, touched = [], []
    for share in (0.15, 0.4, 0.65, 0.95):
        height = z[0] + share * (z[-1] - z[0])
        radius = float(np.interp(height, z, r))
        if radius < 0.006:
            continue
        for angle in np.radians([3.0, 50.0, 115.0, 200.0, 287.0]):
            local = np.array([math.cos(angle), math.sin(angle), 0.0])
            start = cavity.matrix @ np.array([0, 0, height]) + cavity.offset
            way = cavity.matrix @ local
            true = radius * float(np.linalg.norm(way))
            way = way / np.linalg.norm(way)
            if "butt" not in name and name not in ("ashtray", "ice_bucket"):  # what lies in those is seen first
                seen.append(abs(first_hit(start, way, model) - true))
            touched.append(abs(contact_hit(start, way, model) - true))
    assert touched
    assert max(touched) < AGREE_M
    assert max(seen, default=0.0) < AGREE_M


@pytest.mark.parametrize("name", sorted(ROUND))
def test_nothing_solid_stands_inside_and_the_wall_has_thickness(name: Any) -> None:
    model = ROUND[name]
    cavity = model.cavity
    assert cavity is not None and model.hollow
    z, r = np.array(cavity.profile).T
    inverse = np.linalg.inv(cavity.matrix)
    for solid in model.solids:
        centre = inverse @ (solid.centre - cavity.offset)
        inside = z[0] < centre[2] < z[-1] and math.hypot(centre[0], centre[1]) < float(np.interp(centre[2], z, r)) - AGREE_M
        assert not inside, "a contact piece is in the way"
    points = np.concatenate([(part.vertices - cavity.offset) @ inverse.T for part in model.parts])
    at_rim = points[np.abs(points[:, 2] - z[-1]) < 0.003]
    widest = float(np.hypot(at_rim[:, 0], at_rim[:, 1]).max())
    assert widest - r[-1] > 0.001, "the wall shows at the rim"


def test_what_should_hold_water_does() -> None:
    wet = {name for name, m in HOLLOW.items() if m.cavity is not None and m.cavity.holds_liquid}
    assert {"mug", "coffee_cup", "teacup", "paper_cup", "bowl", "mixing_bowl", "glass", "stemware", "beaker", "erlenmeyer_flask"} <= wet
    assert {"round_bottom_flask", "graduated_cylinder", "carafe", "pitcher", "jug", "teapot", "kettle", "watering_can", "vase"} <= wet
    assert {"bucket", "pot", "saucepan", "measuring_jug", "open_bottle", "open_jar", "goblet", "trophy", "vessel_of"} <= wet
    assert not {"plate", "colander", "funnel", "tray", "plant_pot"} & wet


def test_what_has_a_lid_names_the_lid_that_closes_it() -> None:
    for name in ("teapot", "kettle", "pot", "tupperware"):
        model = HOLLOW[name]
        assert model.cavity is not None and model.cavity.door in {m.name for m in model.mobiles}


@pytest.mark.parametrize(("name", "at_least_ml", "at_most_ml"), [
    ("mug", 300, 450), ("coffee_cup", 180, 280), ("glass", 250, 400), ("bowl", 500, 900), ("bucket", 7000, 11000),
    ("teapot", 1000, 1800), ("graduated_cylinder", 80, 120),
    ("measuring_jug", 500, 900), ("open_bottle", 500, 800),
])  # fmt: skip
def test_capacities_are_those_of_real_things(name: str, at_least_ml: int, at_most_ml: int) -> None:
    cavity = HOLLOW[name].cavity
    assert cavity is not None
    assert at_least_ml < cavity.volume_m3 * 1e6 < at_most_ml


def test_a_scaled_vessel_holds_as_much_more_as_its_scale() -> None:
    model = make("bowl")
    low = model.normalised(model.size * np.array([1.0, 1.0, 1.5]))
    assert low.cavity is not None and model.cavity is not None
    assert low.cavity.volume_m3 == pytest.approx(1.5 * model.cavity.volume_m3)


def test_twenty_vessels_look_equally_large_and_differ_in_capacity() -> None:
    capacities = []
    for k in range(20):
        model = make(
            "vessel_of", height_m=0.14, belly_m=0.045, neck_m=0.042, mouth_m=0.043, wall_m=0.002 + 0.0008 * k, floor_m=0.005 + 0.003 * k
        )
        assert model.size == pytest.approx(make("vessel_of", height_m=0.14, belly_m=0.045, neck_m=0.042, mouth_m=0.043).size, abs=1e-6)
        assert model.cavity is not None
        capacities.append(model.cavity.volume_m3)
    assert capacities == sorted(capacities, reverse=True)
    assert capacities[0] > 3.5 * capacities[-1]


@pytest.mark.parametrize(("measures", "word"), [
    ({"heigth_m": 0.1}, "heigth_m"),
    ({"height_m": 3.0}, "height_m: expected a number from 0.03 to 0.6"),
    ({"height_m": "tall"}, "got 'tall'"),
    ({"belly_at": 0.85}, "neck_at"),
    ({"floor_m": 0.14}, "no inside left"),
    ({"wall_m": 0.03, "neck_m": 0.03}, "no inside left"),
])  # fmt: skip
def test_measures_that_make_no_vessel_are_refused(measures: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        make("vessel_of", **measures)


def test_every_measure_of_the_family_changes_the_vessel() -> None:
    usual = make("vessel_of")
    for name, (default, _, _) in FAMILY.items():
        other = make("vessel_of", **{name: default * 1.1})
        assert other.cavity != usual.cavity or not np.array_equal(other.parts[0].vertices, usual.parts[0].vertices), name
