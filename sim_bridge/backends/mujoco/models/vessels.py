"""Cups, bowls, glasses, laboratory ware, vases, pots: lathes with real wall thickness."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Cavity,
    Colour,
    Mobile,
    Model,
    Part,
    Shape,
    Solid,
    arc,
    ball,
    box,
    ellipsoid,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.turned import (
    Profile,
    circle,
    hollowed,
    inner_profile,
    loop_solids,
    shell,
    tube_solids,
    turned,
    vessel_model,
    wall_solids,
)


def vessel(outside: Profile, wall: float, floor: float | None = None, segments: int = 36, **looks: Any) -> Part:
    """The visible part alone of an open vessel: the outer profile from the bottom up, and an inner wall `wall` metres inside."""
    return shell(outside, inner_profile(outside, wall, floor), segments, **looks)


def handle(radius: float, z: float, reach: float, height: float, thick: float, **looks: Any) -> Part:
    """A loop handle on the +x side of a round body."""
    points = arc(1.0, 90, -90, 14, "xz")
    points = points * np.array([reach, 1.0, height / 2]) + np.array([radius - thick * 0.3, 0.0, z])
    return tube(points, thick, 10, **looks)


CERAMIC: dict[str, Colour] = {
    "white": (0.93, 0.92, 0.89),
    "red": (0.74, 0.16, 0.13),
    "blue": (0.16, 0.30, 0.58),
    "green": (0.25, 0.45, 0.33),
    "sand": (0.82, 0.72, 0.56),
    "grey": (0.48, 0.49, 0.51),
    "terracotta": (0.73, 0.41, 0.28),
    "teal": (0.14, 0.45, 0.47),
    "yellow": (0.92, 0.74, 0.24),
}


def glaze(colour: str) -> dict[str, Any]:
    return {"rgb": CERAMIC[colour], "specular": 0.5, "shininess": 0.6, "tint": True}


def _lid(cover: Iterable[Shape], radius: float, low: float, high: float, degrees: float = 105.0) -> Mobile:
    """A round lid between two heights that hangs at the back (+y) and opens upward."""
    disc = Solid(np.concatenate([circle(radius, low), circle(radius, (low + high) / 2), circle(radius * 0.4, high)]))
    return Mobile("lid", model(*cover).parts, "hinge", np.array([-1.0, 0, 0]), np.array([0, radius, low]), math.radians(degrees), (disc,))


def _underside(radius: float, z: float, **looks: Any) -> Part:
    """The lower face of a lid."""
    return lathe([(0.0, z), (radius, z)], 36, **looks)


def _box_solids(x: float, y: float, z: float, t: float) -> tuple[Solid, ...]:
    """Contact shape of an open box that stands on z = 0: four walls and a floor of thickness `t`."""
    walls = [Solid.box([x / 2, t / 2, z / 2], [0, s * (y / 2 - t / 2), z / 2]) for s in (-1, 1)]
    walls += [Solid.box([t / 2, y / 2, z / 2], [s * (x / 2 - t / 2), 0, z / 2]) for s in (-1, 1)]
    return (*walls, Solid.box([x / 2, y / 2, t / 2], [0, 0, t / 2]))


def _box_inside(x: float, y: float, z: float, t: float, door: str = "") -> Cavity:
    return Cavity(half=(x / 2 - t, y / 2 - t, (z - t) / 2), offset=np.array([0, 0, (z + t) / 2]), door=door)


FAMILY: dict[str, tuple[float, float, float]] = {
    "height_m": (0.14, 0.03, 0.60),
    "base_m": (0.030, 0.008, 0.20),
    "belly_m": (0.042, 0.008, 0.25),
    "belly_at": (0.45, 0.10, 0.90),
    "neck_m": (0.036, 0.006, 0.25),
    "neck_at": (0.80, 0.20, 0.97),
    "mouth_m": (0.038, 0.006, 0.25),
    "wall_m": (0.003, 0.001, 0.03),
    "floor_m": (0.006, 0.001, 0.15),
}
"""Measures of `vessel_of`: default, least, greatest. Radii are outer ones; ``belly_at`` and ``neck_at`` are shares of the height."""


@maker
def vessel_of(clear: bool = True, colour: str = "white", **measures: float) -> Model:
    """A vessel of the family that `FAMILY` spans: base, belly, neck and mouth on a smooth outline, wall and floor of any thickness.

    Vessels of one outline differ in capacity by wall and floor; vessels of one capacity differ in outline.

    Raises:
        ValueError: a measure is unknown, out of its range, or leaves no inside.
    """
    for name, value in measures.items():
        if name not in FAMILY:
            raise ValueError(f"{name}: unknown measure; known are {', '.join(FAMILY)}")
        _, low, high = FAMILY[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise ValueError(f"{name}: expected a number from {low} to {high}, got {value!r}")
    m = {name: float(measures.get(name, FAMILY[name][0])) for name in FAMILY}
    h, wall, floor = m["height_m"], m["wall_m"], m["floor_m"]
    if m["belly_at"] >= m["neck_at"] - 0.05:
        raise ValueError(f"neck_at: expected more than belly_at + 0.05, got {m['neck_at']!r} above {m['belly_at']!r}")
    if floor >= 0.9 * h or min(m["belly_m"], m["neck_m"], m["mouth_m"]) - wall < 0.004:
        raise ValueError(f"wall_m, floor_m: the vessel has no inside left, got a wall of {wall!r} and a floor of {floor!r}")
    outline = smooth_profile(
        [
            (m["base_m"], 0.0),
            (m["belly_m"], h * m["belly_at"]),
            (m["neck_m"], h * m["neck_at"]),
            (m["mouth_m"], h),
        ],
        6,
    )
    look: dict[str, Any] = CLEAR if clear else glaze(colour)
    return vessel_model(turned([(r, z) for r, z in outline], wall, floor, 40, **look))


@maker
def mug(colour: str = "red") -> Model:
    look = glaze(colour)
    body = turned([(0.036, 0), (0.040, 0.004), (0.0415, 0.02), (0.0415, 0.094), (0.040, 0.096)], 0.0035, 0.006, **look)
    return vessel_model(body, handle(0.0415, 0.048, 0.031, 0.058, 0.0058, **look), solids=loop_solids(0.0405, 0.048, 0.031, 0.058, 0.005))


@maker
def coffee_cup(colour: str = "white") -> Model:
    look = glaze(colour)
    cup = turned(smooth_profile([(0.024, 0), (0.026, 0.004), (0.036, 0.025), (0.041, 0.060), (0.043, 0.072)], 4), 0.003, 0.005, **look)
    return vessel_model(cup, handle(0.040, 0.040, 0.024, 0.036, 0.0042, **look), solids=loop_solids(0.039, 0.040, 0.024, 0.036, 0.004))


@maker
def teacup(colour: str = "white") -> Model:
    look = glaze(colour)
    outline = [(0.030, 0), (0.050, 0.006), (0.070, 0.014), (0.071, 0.016)]
    saucer = turned(outline, 0.004, 0.004, holds_liquid=False, **look)
    cup = turned(
        smooth_profile([(0.022, 0), (0.026, 0.004), (0.040, 0.024), (0.045, 0.048), (0.047, 0.055)], 4), 0.0025, 0.004, **look
    ).moved(0.0042)
    band = lathe([(0.0466, 0.0), (0.0471, 0.004)], 36, rgb=(0.72, 0.58, 0.22), specular=0.6).moved(z=0.049)
    loop = handle(0.043, 0.037, 0.022, 0.030, 0.0035, **look)
    return vessel_model(cup, saucer.part, band, loop, solids=(*saucer.solids, *loop_solids(0.042, 0.037, 0.022, 0.030, 0.0035)))


@maker
def paper_cup(lid: bool = False) -> Model:
    body = turned([(0.028, 0), (0.040, 0.098), (0.0415, 0.101)], 0.002, 0.008, rgb=(0.92, 0.90, 0.86), tint=True, specular=0.1)
    sleeve = lathe([(0.0318, 0.028), (0.0372, 0.072)], 36, rgb=(0.62, 0.44, 0.28), specular=0.05)
    if lid:
        top = lathe([(0.0425, 0.099), (0.043, 0.106), (0.037, 0.112), (0, 0.112)], 32, rgb=(0.16, 0.16, 0.17))
        return model(body.part, sleeve, top, hollow=True, collider="cylinder")
    return vessel_model(body, sleeve)


@maker
def soda_cup() -> Model:
    image = tx.bands(((0.85, 0.12, 0.12), (0.95, 0.94, 0.92)), 6, "u")
    shell = vessel([(0.031, 0), (0.045, 0.148), (0.047, 0.152)], 0.002, 0.008, rgb=(1, 1, 1), texture=image, specular=0.1)
    lid = lathe([(0.048, 0.150), (0.048, 0.157), (0.040, 0.160), (0, 0.160)], 32, **WHITE)
    straw = tube([(0.008, 0, 0.12), (0.012, 0, 0.22)], 0.003, 8, rgb=(0.9, 0.2, 0.2))
    return model(shell, lid, straw, collider="cylinder")


@maker
def bowl(colour: str = "blue", wide: float = 0.16, high: float = 0.065, wall: float = 0.004) -> Model:
    r = wide / 2
    profile = smooth_profile([(r * 0.45, 0), (r * 0.48, high * 0.06), (r * 0.78, high * 0.34), (r * 0.95, high * 0.75), (r, high)], 5)
    return vessel_model(turned(profile, wall, high * 0.10, **glaze(colour)))


@maker
def mixing_bowl(steel: bool = True) -> Model:
    look: dict[str, Any] = STEEL | {"tint": True} if steel else glaze("yellow")
    profile = smooth_profile([(0.055, 0), (0.09, 0.02), (0.118, 0.07), (0.125, 0.115)], 5)
    rim = ring(0.126, 0.003, 40, 8, **look).moved(z=0.115)
    return vessel_model(turned(profile, 0.002, 0.003, 40, **look), rim)


@maker
def plate(colour: str = "white", wide: float = 0.25) -> Model:
    r = wide / 2
    profile = [(r * 0.55, 0), (r * 0.60, 0.003), (r * 0.72, 0.008), (r * 0.98, 0.020), (r, 0.022)]
    rim = lathe([(r * 0.90, 0.0188), (r * 0.96, 0.0208)], 48, rgb=(0.20, 0.36, 0.60), specular=0.4)
    return vessel_model(turned(profile, 0.004, 0.004, 48, holds_liquid=False, **glaze(colour)), rim)


@maker
def cake_stand() -> Model:
    foot = lathe(
        [
            (0, 0),
            (0.07, 0),
            (0.068, 0.006),
            (0.02, 0.018),
            (0.012, 0.05),
            (0.014, 0.09),
            (0.03, 0.10),
            (0.14, 0.104),
            (0.148, 0.112),
            (0.14, 0.112),
            (0, 0.110),
        ],
        48,
        **glaze("white"),
    )
    return model(foot, collider="cylinder")


@maker
def glass(kind: str = "water") -> Model:
    """Drinking glasses, empty and see-through."""
    outlines: dict[str, Profile] = {
        "water": [(0.028, 0), (0.030, 0.002), (0.036, 0.125)],
        "beer": smooth_profile([(0.030, 0), (0.031, 0.010), (0.028, 0.03), (0.034, 0.10), (0.039, 0.165), (0.036, 0.19)], 4),
        "tumbler": [(0.037, 0), (0.040, 0.003), (0.042, 0.090)],
    }
    return vessel_model(turned(outlines[kind], 0.002, 0.008, 36, **CLEAR))


@maker
def beer_mug() -> Model:
    look: dict[str, Any] = CLEAR
    body = vessel([(0.042, 0), (0.045, 0.006), (0.042, 0.03), (0.042, 0.12), (0.045, 0.14)], 0.004, 0.012, **look)
    beer = lathe([(0, 0.013), (0.037, 0.013), (0.037, 0.110), (0, 0.110)], 30, rgb=(0.92, 0.62, 0.10), alpha=0.75, specular=0.5)
    foam = lathe([(0.0375, 0.110), (0.040, 0.138), (0.030, 0.152), (0, 0.156)], 30, rgb=(0.97, 0.95, 0.88), specular=0.05)
    return model(body, beer, foam, handle(0.043, 0.075, 0.042, 0.085, 0.008, **look), collider="cylinder")


@maker
def stemware(kind: str = "wine") -> Model:
    bowls: dict[str, Profile] = {
        "wine": smooth_profile([(0.004, 0.095), (0.030, 0.110), (0.041, 0.140), (0.038, 0.175), (0.033, 0.205)], 5),
        "cocktail": [(0.004, 0.100), (0.052, 0.155), (0.054, 0.158)],
        "goblet": smooth_profile([(0.006, 0.070), (0.034, 0.085), (0.042, 0.115), (0.041, 0.160)], 5),
        "champagne": smooth_profile([(0.004, 0.100), (0.020, 0.115), (0.025, 0.16), (0.022, 0.225)], 5),
    }
    look: dict[str, Any] = CLEAR if kind != "goblet" else {"rgb": (0.78, 0.62, 0.22), "specular": 0.9, "shininess": 0.8, "tint": True}
    top = list(bowls[kind])
    stem = [(0.034, 0), (0.033, 0.003), (0.008, 0.010), (0.004, 0.03), (0.004, top[0][1])]
    outside = [*stem[:-1], *top]
    inside = inner_profile(top, 0.0018, 0.004)
    inside[0] = (inside[0][0], min(inside[0][1], 0.006))
    body = hollowed(outside, inside, 0.0018, 36, **look)
    return vessel_model(body)


def _marks(r: float, low: float, high: float, count: int, segments: int = 6) -> list[Part]:
    """White graduation marks on the front of laboratory glass."""
    marks = []
    for k in range(count):
        z = low + (high - low) * k / max(count - 1, 1)
        reach = 50.0 if k % 2 == 0 else 28.0
        piece = lathe([(r, z - 0.0009), (r, z + 0.0009)], segments, reach, rgb=(0.97, 0.97, 0.97), specular=0.0, emission=0.15)
        marks.append(piece.turned("z", -90 - reach / 2))
    return marks


@maker
def beaker() -> Model:
    body = turned([(0.034, 0), (0.037, 0.003), (0.037, 0.096), (0.040, 0.100)], 0.002, 0.003, **CLEAR)
    spout = ellipsoid(0.020, 0.016, 0.008, **CLEAR).moved(x=0.040, z=0.098)
    return vessel_model(body, spout, _marks(0.0376, 0.02, 0.085, 8))


@maker
def erlenmeyer_flask() -> Model:
    profile = [(0.040, 0), (0.044, 0.004), (0.042, 0.014), (0.0155, 0.095), (0.0150, 0.128), (0.0185, 0.132)]
    return vessel_model(turned(profile, 0.002, 0.003, **CLEAR), _marks(0.0365, 0.030, 0.031, 1))


@maker
def round_bottom_flask() -> Model:
    t = np.linspace(-86, 70, 14)
    sphere = [(0.045 * math.cos(math.radians(a)), 0.045 + 0.045 * math.sin(math.radians(a))) for a in t]
    # A cork ring, on which such flasks stand.
    stand = ring(0.027, 0.008, 28, 8, rgb=(0.62, 0.45, 0.28), specular=0.05).moved(z=0.002)
    under = Solid(np.concatenate([circle(0.035, -0.006), circle(0.030, 0.010)]))
    return vessel_model(turned([*sphere, (0.0145, 0.090), (0.0140, 0.135), (0.0175, 0.138)], 0.002, 0.003, **CLEAR), stand, solids=(under,))


@maker
def graduated_cylinder() -> Model:
    foot = lathe([(0, 0), (0.034, 0), (0.034, 0.006), (0.016, 0.012), (0.014, 0.014), (0, 0.014)], 6, **CLEAR)
    body = turned([(0.013, 0.012), (0.0135, 0.23), (0.016, 0.235)], 0.0016, 0.003, **CLEAR)
    under = Solid(np.concatenate([circle(0.034, 0.0, 6), circle(0.034, 0.006, 6), circle(0.016, 0.012, 6)]))
    return vessel_model(body, foot, _marks(0.0141, 0.04, 0.22, 14), solids=(under,))


@maker
def test_tube() -> Model:
    t = np.linspace(-90, 0, 8)
    end = [(0.009 * math.cos(math.radians(a)), 0.009 + 0.009 * math.sin(math.radians(a))) for a in t]
    body = vessel([*end, (0.009, 0.145), (0.0105, 0.148)], 0.0012, 0.002, 24, **CLEAR)
    liquid = lathe([*[(0.84 * r, z + 0.0012) for r, z in end], (0.0076, 0.055), (0, 0.055)], 20, rgb=(0.15, 0.45, 0.85), alpha=0.85)
    return model(body, liquid, hollow=True, collider="cylinder")


@maker
def petri_dish() -> Model:
    return vessel_model(
        turned([(0.044, 0), (0.045, 0.014)], 0.0015, 0.0015, 40, holds_liquid=False, **CLEAR),
        vessel([(0.048, 0.020), (0.048, 0.008)], 0.0012, 0.0, 40, **CLEAR),
    )


@maker
def reagent_bottle() -> Model:
    """Laboratory bottle with a ground stopper, empty."""
    body = vessel(
        smooth_profile([(0.034, 0), (0.038, 0.004), (0.038, 0.085), (0.034, 0.100), (0.017, 0.112), (0.0155, 0.128), (0.019, 0.132)], 3),
        0.002,
        0.003,
        **CLEAR,
    )
    stopper = lathe(
        [(0, 0.118), (0.0125, 0.118), (0.014, 0.134), (0.010, 0.138), (0.017, 0.152), (0.010, 0.158), (0, 0.158)],
        24,
        **CLEAR | {"alpha": 0.5},
    )
    return model(body, stopper, hollow=True, collider="cylinder")


@maker
def spirit_lamp() -> Model:
    body = vessel(smooth_profile([(0.030, 0), (0.040, 0.006), (0.042, 0.03), (0.026, 0.052), (0.016, 0.060)], 4), 0.002, 0.003, **CLEAR)
    spirit = lathe([(0, 0.004), (0.037, 0.006), (0.039, 0.026), (0, 0.026)], 30, rgb=(0.35, 0.45, 0.85), alpha=0.7)
    collar = lathe([(0.017, 0.058), (0.017, 0.070), (0.006, 0.072), (0.006, 0.080), (0, 0.080)], 24, rgb=(0.72, 0.55, 0.20), specular=0.8)
    wick = tube([(0, 0, 0.06), (0, 0, 0.088)], 0.004, 8, **WHITE)
    flame = ellipsoid(0.013, 0.013, 0.038, rgb=(0.98, 0.62, 0.12), emission=0.8).moved(z=0.102)
    return model(body, spirit, collar, wick, flame, collider="cylinder")


@maker
def carafe() -> Model:
    profile = smooth_profile([(0.050, 0), (0.060, 0.010), (0.062, 0.055), (0.030, 0.135), (0.026, 0.180), (0.042, 0.245)], 5)
    return vessel_model(turned(profile, 0.0025, 0.005, 40, **CLEAR))


@maker
def pitcher(clear: bool = True, colour: str = "blue") -> Model:
    look: dict[str, Any] = CLEAR if clear else glaze(colour)
    profile = smooth_profile([(0.052, 0), (0.060, 0.010), (0.066, 0.07), (0.055, 0.155), (0.060, 0.205), (0.063, 0.215)], 4)
    lip = ellipsoid(0.050, 0.034, 0.018, **look).moved(x=-0.058, z=0.208)
    loop = handle(0.059, 0.125, 0.052, 0.125, 0.0075, **look)
    return vessel_model(turned(profile, 0.003, 0.006, 40, **look), lip, loop, solids=loop_solids(0.060, 0.125, 0.051, 0.125, 0.007))


@maker
def jug(colour: str = "sand") -> Model:
    look = glaze(colour)
    profile = smooth_profile([(0.055, 0), (0.075, 0.02), (0.090, 0.09), (0.070, 0.17), (0.034, 0.215), (0.034, 0.245), (0.042, 0.262)], 4)
    loop = handle(0.048, 0.205, 0.060, 0.11, 0.009, **look)
    return vessel_model(turned(profile, 0.004, 0.008, 40, **look), loop, solids=loop_solids(0.050, 0.205, 0.058, 0.11, 0.008))


@maker
def teapot(colour: str = "white") -> Model:
    """A teapot with a lid that lifts at the back."""
    look = glaze(colour)
    outline = smooth_profile([(0.045, 0), (0.052, 0.004), (0.078, 0.04), (0.078, 0.075), (0.050, 0.112), (0.038, 0.116)], 5)
    body = turned(outline, 0.004, 0.006, 40, door="lid", **look)
    cover = [
        lathe(
            smooth_profile(
                [(0.039, 0.1162), (0.038, 0.122), (0.018, 0.134), (0.006, 0.137), (0.012, 0.146), (0.009, 0.155), (0.0, 0.158)], 4
            ),
            32,
            **look,
        ),
        _underside(0.039, 0.1164, **look),
    ]
    path = [(-0.066, 0, 0.045), (-0.098, 0, 0.058), (-0.115, 0, 0.090), (-0.132, 0, 0.115)]
    spout = tube(path, [0.019, 0.015, 0.011, 0.009], 14, **look)
    grip = handle(0.070, 0.068, 0.050, 0.080, 0.0075, **look)
    dots = lathe([(0.0795, 0.050), (0.0795, 0.060)], 48, rgb=(0.20, 0.36, 0.60), specular=0.4)
    more = (*loop_solids(0.072, 0.068, 0.048, 0.080, 0.007), *tube_solids(path, [0.019, 0.015, 0.011, 0.009]))
    return vessel_model(body, spout, grip, dots, solids=more, mobiles=(_lid(cover, 0.039, 0.1164, 0.136),))


@maker
def kettle() -> Model:
    """A stove kettle with a lid that lifts at the back, beneath the bail."""
    look: dict[str, Any] = STEEL | {"tint": True}
    outline = smooth_profile([(0.085, 0), (0.095, 0.006), (0.094, 0.05), (0.066, 0.12), (0.042, 0.137)], 5)
    body = turned(outline, 0.002, 0.003, 40, door="lid", **look)
    cover = [lathe([(0.043, 0.1372), (0.041, 0.140), (0.0, 0.1425)], 36, **look), _underside(0.043, 0.1374, **look)]
    cover.append(ball(0.013, **DARK).moved(z=0.153))
    path = [(-0.080, 0, 0.065), (-0.115, 0, 0.090), (-0.135, 0, 0.125)]
    spout = tube(path, [0.020, 0.015, 0.010], 14, **STEEL)
    bail = arc(0.075, 15, 165, 16, "xz", (0, 0, 0.128))
    grip = tube(bail, 0.009, 10, **DARK)
    more = (*tube_solids(path, [0.020, 0.015, 0.010]), *tube_solids(bail[::3], 0.009))
    return vessel_model(body, spout, grip, solids=more, mobiles=(_lid(cover, 0.043, 0.1374, 0.144, 75.0),))


@maker
def electric_kettle() -> Model:
    base = lathe([(0, 0), (0.085, 0), (0.085, 0.018), (0.07, 0.024), (0, 0.024)], 36, **DARK)
    body = lathe([(0.074, 0.026), (0.076, 0.03), (0.060, 0.205), (0.058, 0.21), (0.03, 0.225), (0, 0.226)], 40, **STEEL | {"tint": True})
    lid = lathe([(0.057, 0.209), (0.05, 0.222), (0, 0.232)], 32, **DARK)
    spout = ellipsoid(0.05, 0.03, 0.03, **STEEL).turned("y", 30).moved(x=-0.066, z=0.195)
    grip = tube([(0.062, 0, 0.205), (0.105, 0, 0.200), (0.112, 0, 0.15), (0.105, 0, 0.07), (0.078, 0, 0.055)], 0.011, 12, **DARK)
    gauge = box(0.012, 0.004, 0.09, rgb=(0.55, 0.75, 0.9), alpha=0.9).moved(y=-0.0685, z=0.07)
    return model(base, body, lid, spout, grip, gauge, collider="cylinder")


@maker
def watering_can(colour: str = "green") -> Model:
    look = glaze(colour)
    body = turned([(0.095, 0), (0.10, 0.006), (0.10, 0.17), (0.095, 0.178)], 0.003, 0.004, 36, **look)
    half_top = lathe([(0.098, 0.176), (0.05, 0.186), (0.0, 0.19)], 20, 180, **look).turned("z", 90)
    path = [(-0.085, 0, 0.05), (-0.17, 0, 0.13), (-0.25, 0, 0.23)]
    spout = tube(path, [0.024, 0.018, 0.014], 14, **look)
    rose = lathe([(0.014, 0), (0.042, 0.035), (0.036, 0.042), (0, 0.046)], 24, **STEEL).turned("y", -48).moved(-0.248, 0, 0.228)
    bow = [(0.09, 0, 0.05), (0.165, 0, 0.09), (0.165, 0, 0.20), (0.06, 0, 0.255), (-0.04, 0, 0.22), (-0.05, 0, 0.175)]
    grip = tube(bow, 0.010, 10, **look)
    more = (*tube_solids(path, [0.024, 0.018, 0.014]), *tube_solids(bow, 0.010), Solid(rose.vertices))
    return vessel_model(body, half_top, spout, rose, grip, solids=more)


_VASES: tuple[Profile, ...] = (
    smooth_profile([(0.040, 0), (0.055, 0.02), (0.072, 0.09), (0.060, 0.16), (0.030, 0.21), (0.030, 0.23), (0.045, 0.26)], 5),
    smooth_profile([(0.045, 0), (0.048, 0.01), (0.034, 0.08), (0.036, 0.15), (0.060, 0.25), (0.066, 0.27)], 5),
    smooth_profile([(0.050, 0), (0.085, 0.05), (0.092, 0.10), (0.060, 0.155), (0.038, 0.17), (0.042, 0.19)], 5),
)


@maker
def vase(shape: int = 0, colour: str = "teal", clear: bool = False) -> Model:
    look: dict[str, Any] = CLEAR if clear else glaze(colour)
    bands: list[Part] = []
    if not clear:
        profile = _VASES[shape]
        k = len(profile) // 2
        (r0, z0), (r1, z1) = profile[k], profile[k + 1]
        bands = [lathe([(r0 + 0.0009, z0), (r1 + 0.0009, z1)], 40, rgb=(0.90, 0.84, 0.66), specular=0.4)]
    return vessel_model(turned(_VASES[shape], 0.0035, 0.008, 40, **look), bands)


@maker
def plant_pot(colour: str = "terracotta") -> Model:
    look = glaze(colour) | {"specular": 0.05}
    pot = turned([(0.075, 0), (0.105, 0.16), (0.118, 0.162), (0.122, 0.205), (0.120, 0.21)], 0.008, 0.012, 40, holds_liquid=False, **look)
    return vessel_model(pot)


@maker
def tank() -> Model:
    """An open glass tank."""
    t, x, y, z = 0.006, 0.40, 0.25, 0.28
    walls = [
        box(x, t, z, **CLEAR).moved(y=-y / 2 + t / 2),
        box(x, t, z, **CLEAR).moved(y=y / 2 - t / 2),
        box(t, y, z, **CLEAR).moved(x=-x / 2 + t / 2),
        box(t, y, z, **CLEAR).moved(x=x / 2 - t / 2),
        box(x, y, t, **CLEAR),
    ]
    frame = [box(x + 0.008, 0.012, 0.014, **DARK).moved(y=s * (y / 2 - 0.002), z=h) for s in (-1, 1) for h in (0, z - 0.01)]
    frame += [box(0.012, y + 0.008, 0.014, **DARK).moved(x=s * (x / 2 - 0.002), z=h) for s in (-1, 1) for h in (0, z - 0.01)]
    return model(walls, frame, hollow=True, collider="shell", solids=_box_solids(x, y, z, t), cavity=_box_inside(x, y, z, t))


@maker
def cloche() -> Model:
    t = np.linspace(0, 88, 12)
    dome = [(0.11 * math.cos(math.radians(a)), 0.10 + 0.12 * math.sin(math.radians(a))) for a in t]
    shell = lathe([(0.11, 0.0), *dome, *[(max(r - 0.003, 0), z - 0.002) for r, z in reversed(dome)], (0.107, 0.0)], 40, **CLEAR)
    knob = ball(0.015, **CLEAR | {"alpha": 0.6}).moved(z=0.232)
    return model(shell, knob, hollow=True, collider="cylinder")


@maker
def hourglass() -> Model:
    half = smooth_profile([(0.004, 0), (0.010, 0.012), (0.034, 0.035), (0.040, 0.065), (0.036, 0.085)], 5)
    upper = lathe(half, 30, **CLEAR).moved(z=0.10)
    lower = lathe([(r, -z) for r, z in reversed(half)], 30, **CLEAR).moved(z=0.10)
    wood: dict[str, Any] = {"rgb": (0.45, 0.27, 0.14), "specular": 0.3, "tint": True}
    plates = [lathe([(0, 0), (0.055, 0), (0.055, 0.012), (0.05, 0.015), (0, 0.015)], 30, **wood).moved(z=z) for z in (0, 0.185)]
    posts = [
        tube([(0.046 * math.cos(a), 0.046 * math.sin(a), 0.012), (0.046 * math.cos(a), 0.046 * math.sin(a), 0.188)], 0.005, 8, **wood)
        for a in (0.5, 2.6, 4.7)
    ]
    sand = lathe([(0, 0.018), (0.033, 0.018), (0.036, 0.032), (0.02, 0.048), (0, 0.056)], 26, rgb=(0.86, 0.70, 0.42), specular=0.0)
    top_sand = lathe([(0.004, 0.104), (0.012, 0.115), (0.026, 0.128), (0, 0.122)], 26, rgb=(0.86, 0.70, 0.42), specular=0.0)
    return model(upper, lower, plates, posts, sand, top_sand, collider="cylinder")


@maker
def snow_globe() -> Model:
    base = lathe(
        [(0, 0), (0.046, 0), (0.048, 0.006), (0.040, 0.020), (0.034, 0.026), (0, 0.026)],
        36,
        rgb=(0.40, 0.16, 0.12),
        specular=0.4,
        tint=True,
    )
    globe = ball(0.045, 20, 36, **CLEAR | {"alpha": 0.2}).moved(z=0.064)
    snow = lathe([(0.034, 0.030), (0.026, 0.037), (0, 0.041)], 30, rgb=(0.97, 0.97, 0.98), specular=0.0)
    man = [
        ball(0.011, 10, 16, rgb=(0.98, 0.98, 0.98)).moved(-0.012, 0, 0.047),
        ball(0.008, 10, 16, rgb=(0.98, 0.98, 0.98)).moved(-0.012, 0, 0.063),
    ]
    hat = lathe([(0.007, 0), (0.0055, 0), (0.0055, 0.009), (0, 0.009)], 14, **DARK).moved(-0.012, 0, 0.069)
    tree = [
        lathe([(0.013 - 0.003 * k, 0), (0.002, 0.016)], 14, rgb=(0.10, 0.40, 0.18)).moved(0.016, 0.004, 0.042 + 0.010 * k) for k in range(3)
    ]
    flakes = [
        ball(0.0013, 5, 7, rgb=(1, 1, 1)).moved(*p) for p in np.random.default_rng(4).normal(0, 0.015, (26, 3)) + np.array([0, 0, 0.075])
    ]
    return model(base, snow, man, hat, tree, flakes, globe, collider="cylinder")


@maker
def bucket(colour: str = "grey", metal: bool = True) -> Model:
    """A bucket with its bail folded down to one side."""
    look: dict[str, Any] = STEEL | {"tint": True} if metal else glaze(colour)
    body = turned([(0.095, 0), (0.130, 0.24), (0.134, 0.245)], 0.003, 0.004, 40, **look)
    rim = ring(0.132, 0.005, 40, 8, **look).moved(z=0.243)
    bail = tube(arc(0.140, 0, 180, 20, "xz"), 0.004, 8, **STEEL).turned("x", 112.0).moved(z=0.232)
    ears = [ellipsoid(0.012, 0.02, 0.024, **STEEL).moved(x=s * 0.135, z=0.228) for s in (-1, 1)]
    return vessel_model(body, rim, bail, ears)


@maker
def ice_bucket() -> Model:
    body = turned(smooth_profile([(0.065, 0), (0.075, 0.01), (0.09, 0.10), (0.10, 0.19)], 4), 0.003, 0.004, 40, holds_liquid=False, **STEEL)
    rim = ring(0.1, 0.005, 40, 8, **STEEL).moved(z=0.19)
    ears = [tube(arc(0.022, -90, 90, 10, "xz", (0.093, 0, 0.15)), 0.005, 8, **STEEL).turned("z", a) for a in (0, 180)]
    cubes = [
        box(0.03, 0.03, 0.03, rgb=(0.85, 0.94, 1.0), alpha=0.55, specular=0.9)
        .turned("z", 40 * k)
        .moved(0.04 * math.cos(k * 1.3), 0.04 * math.sin(k * 1.3), 0.155)
        for k in range(5)
    ]
    return vessel_model(body, rim, ears, cubes)


@maker
def pot(kind: str = "stock") -> Model:
    """Cooking pots with two handles, and a lid that lifts at the back."""
    r, h = {"stock": (0.12, 0.19), "sauce": (0.10, 0.10), "dutch": (0.13, 0.12)}[kind]
    look: dict[str, Any] = STEEL | {"tint": True} if kind != "dutch" else glaze("red")
    body = turned([(r * 0.95, 0), (r, 0.008), (r, h)], 0.003, 0.005, 44, door="lid", **look)
    cover = [
        lathe([(r * 1.02, h + 0.0004), (r, h + 0.008), (r * 0.5, h + 0.028), (0, h + 0.032)], 44, **look),
        _underside(r * 1.02, h + 0.0004, **look),
        lathe([(0.008, h + 0.03), (0.008, h + 0.042), (0.02, h + 0.048), (0.018, h + 0.056), (0, h + 0.058)], 20, **DARK),
    ]
    path = [(r - 0.002, -0.04, h * 0.78), (r + 0.035, -0.035, h * 0.80), (r + 0.035, 0.035, h * 0.80), (r - 0.002, 0.04, h * 0.78)]
    grips = [tube(path, 0.007, 10, **DARK).turned("z", a) for a in (0, 180)]
    loops = tube_solids(path, 0.007) + tube_solids(np.array(path) * [-1, -1, 1], 0.007)
    return vessel_model(body, grips, solids=loops, mobiles=(_lid(cover, r * 1.02, h, h + 0.03, 82.0),))


@maker
def saucepan(wide: float = 0.18, high: float = 0.10) -> Model:
    """An open pan with one long handle."""
    r = wide / 2
    look: dict[str, Any] = STEEL | {"tint": True}
    body = turned([(r * 0.94, 0), (r, 0.008), (r, high)], 0.0025, 0.004, 44, **look)
    path = [(r - 0.004, 0, high * 0.86), (r + 0.04, 0, high * 0.92), (r + 0.17, 0, high)]
    grip = tube(path, [0.007, 0.009, 0.011], 12, **DARK)
    return vessel_model(body, ring(r, 0.002, 44, 8, **look).moved(z=high), grip, solids=tube_solids(path, [0.007, 0.009, 0.011]))


@maker
def measuring_jug(high: float = 0.105, wide: float = 0.105) -> Model:
    """A glass measuring jug with red marks, a handle and a lip."""
    r = wide / 2
    body = turned([(r * 0.86, 0), (r * 0.90, 0.004), (r, high - 0.004), (r * 1.03, high)], 0.0035, 0.006, 40, **CLEAR)
    lip = ellipsoid(0.030, 0.024, 0.012, **CLEAR).moved(x=-r * 1.02, z=high - 0.004)
    marks = []
    for k in range(6):
        z = high * (0.18 + 0.12 * k)
        outer = r * float(np.interp(z / high, [0.04, 1.0], [0.90, 1.0])) + 0.0007
        reach = 46.0 if k % 2 else 26.0
        marks.append(
            lathe([(outer, z - 0.001), (outer, z + 0.001)], 8, reach, rgb=(0.80, 0.12, 0.10), specular=0.0).turned("z", -90 - reach / 2)
        )
    loop = handle(r, high * 0.52, 0.042, high * 0.66, 0.006, **CLEAR | {"alpha": 0.45})
    return vessel_model(body, lip, marks, loop, solids=loop_solids(r - 0.002, high * 0.52, 0.042, high * 0.66, 0.006))


@maker
def open_bottle(clear: bool = True, colour: str = "green") -> Model:
    """A bottle without its cork, empty."""
    look: dict[str, Any] = CLEAR if clear else glaze(colour)
    outline = [
        (0.033, 0),
        *smooth_profile([(0.036, 0.006), (0.036, 0.140), (0.031, 0.165), (0.0155, 0.200)], 4),
        (0.0145, 0.245),
        (0.0165, 0.247),
        (0.0165, 0.256),
    ]
    return vessel_model(turned(outline, 0.0025, 0.006, 36, **look))


@maker
def open_jar(clear: bool = True, colour: str = "sand") -> Model:
    """A jar without its lid, empty."""
    look: dict[str, Any] = CLEAR if clear else glaze(colour)
    outline = [
        (0.040, 0),
        (0.044, 0.005),
        *smooth_profile([(0.0445, 0.012), (0.0445, 0.105), (0.0405, 0.120), (0.0385, 0.124)], 3),
        (0.0385, 0.140),
    ]
    return vessel_model(turned(outline, 0.0025, 0.005, 36, **look), ring(0.0385, 0.0016, 36, 8, **look).moved(z=0.130))


@maker
def pan(kind: str = "frying") -> Model:
    profile: Profile = (
        [(0.10, 0), (0.115, 0.006), (0.135, 0.045), (0.137, 0.047)]
        if kind == "frying"
        else smooth_profile([(0.05, 0), (0.09, 0.015), (0.14, 0.06), (0.165, 0.105)], 5)
    )
    z = profile[-1][1]
    body = turned(profile, 0.003, 0.004, 44, holds_liquid=False, **DARK | {"tint": True})
    r = profile[-1][0]
    path = [(r - 0.002, 0, z - 0.008), (r + 0.04, 0, z + 0.004), (r + 0.20, 0, z + 0.022)]
    grip = tube(path, [0.008, 0.010, 0.012], 12, rgb=(0.22, 0.13, 0.08))
    return vessel_model(body, grip, solids=tube_solids(path, [0.008, 0.010, 0.012]))


@maker
def tray(kind: str = "serving") -> Model:
    """Flat rectangular trays with a rim."""
    x, y, h, look = {
        "serving": (0.42, 0.30, 0.035, {"rgb": (0.45, 0.28, 0.15), "specular": 0.3, "tint": True}),
        "baking": (0.40, 0.30, 0.02, {"rgb": (0.33, 0.34, 0.36), "specular": 0.6}),
        "roasting": (0.38, 0.28, 0.07, STEEL),
        "cafeteria": (0.42, 0.30, 0.02, {"rgb": (0.75, 0.30, 0.12), "specular": 0.3, "tint": True}),
    }[kind]
    t = 0.006
    parts = [box(x, y, t, **look)]
    parts += [box(x, t, h, **look).moved(y=s * (y / 2 - t / 2)) for s in (-1, 1)]
    parts += [box(t, y, h, **look).moved(x=s * (x / 2 - t / 2)) for s in (-1, 1)]
    if kind in ("serving", "roasting"):
        parts += [
            tube(
                [(x / 2, -0.05, h), (x / 2 + 0.025, -0.045, h + 0.025), (x / 2 + 0.025, 0.045, h + 0.025), (x / 2, 0.05, h)],
                0.006,
                8,
                **look,
            ).turned("z", a)
            for a in (0, 180)
        ]
    return model(parts, hollow=True, collider="box", solids=_box_solids(x, y, h, t), cavity=_box_inside(x, y, h, t))


@maker
def colander() -> Model:
    image = np.full((128, 256, 3), 190, np.uint8)
    yy, xx = np.mgrid[0:128, 0:256]
    holes = ((xx % 16 - 8) ** 2 + (yy % 16 - 8) ** 2 < 16) & (yy > 16)
    image[holes] = 40
    profile = smooth_profile([(0.05, 0.012), (0.09, 0.03), (0.12, 0.08), (0.127, 0.115)], 5)
    bowl_part = turned(profile, 0.002, 0.002, 44, holds_liquid=False, rgb=(1, 1, 1), texture=_freeze(image), specular=0.6)
    foot = lathe([(0.05, 0), (0.052, 0.02), (0.048, 0.02), (0.046, 0)], 36, **STEEL)
    rim = ring(0.128, 0.004, 44, 8, **STEEL).moved(z=0.115)
    ears = [
        tube([(0.126, -0.035, 0.112), (0.158, -0.03, 0.114), (0.158, 0.03, 0.114), (0.126, 0.035, 0.112)], 0.005, 8, **STEEL).turned("z", a)
        for a in (0, 180)
    ]
    under = Solid(np.concatenate([circle(0.050, 0.0), circle(0.052, 0.018)]))
    return vessel_model(bowl_part, foot, rim, ears, solids=(under,))


_FROZEN: dict[bytes, np.ndarray] = {}


def _freeze(image: np.ndarray) -> np.ndarray:
    """One array per content, so that equal images become one texture."""
    return _FROZEN.setdefault(image.tobytes(), image)


@maker
def funnel() -> Model:
    outline = [(0.006, 0), (0.009, 0.06), (0.055, 0.115), (0.057, 0.125)]
    cone = vessel(outline, 0.002, 0.0, 36, rgb=(0.85, 0.30, 0.15), specular=0.4, tint=True)
    return model(cone, hollow=True, collider="cylinder", solids=tuple(wall_solids(inner_profile(outline, 0.002, 0.0), 0.004)))


@maker
def ashtray() -> Model:
    look: dict[str, Any] = CLEAR | {"alpha": 0.5, "rgb": (0.55, 0.62, 0.62)}
    body = turned([(0.055, 0), (0.060, 0.004), (0.060, 0.032), (0.056, 0.036)], 0.010, 0.010, 40, holds_liquid=False, **look)
    butt = [
        tube([(0.02, 0.012, 0.016), (-0.004, -0.006, 0.016)], 0.004, 8, **WHITE),
        tube([(0.02, 0.012, 0.016), (0.03, 0.02, 0.016)], 0.0041, 8, rgb=(0.85, 0.55, 0.25)),
    ]
    ash = ellipsoid(0.05, 0.05, 0.008, rgb=(0.35, 0.34, 0.33)).moved(z=0.012)
    rests = [
        box(0.016, 0.012, 0.008, rgb=(0.25, 0.28, 0.28)).moved(0.055 * math.cos(a), 0.055 * math.sin(a), 0.030) for a in (0.3, 2.4, 4.5)
    ]
    return vessel_model(body, butt, ash, rests)


@maker
def tupperware(colour: str = "blue") -> Model:
    t, x, y, z = 0.003, 0.20, 0.14, 0.08
    look: dict[str, Any] = CLEAR | {"alpha": 0.38}
    walls = (
        [box(x, t, z, **look).moved(y=s * (y / 2 - t / 2)) for s in (-1, 1)]
        + [box(t, y, z, **look).moved(x=s * (x / 2 - t / 2)) for s in (-1, 1)]
        + [box(x, y, t, **look)]
    )
    cover = [
        rounded_box(x + 0.012, y + 0.012, 0.014, 8, **glaze(colour)).moved(z=z - 0.004),
        box(x * 0.8, y * 0.75, 0.003, **glaze(colour)).moved(z=z + 0.009),
    ]
    top = Solid.box([x / 2 + 0.006, y / 2 + 0.006, 0.006], [0, 0, z + 0.005])
    lid = Mobile("lid", model(*cover).parts, "hinge", np.array([-1.0, 0, 0]), np.array([0, y / 2, z]), math.radians(105), (top,))
    inside = _box_inside(x, y, z, t, door="lid")
    return model(walls, hollow=True, collider="box", solids=_box_solids(x, y, z, t), cavity=inside, mobiles=(lid,))


@maker
def goblet() -> Model:
    return stemware("goblet")


@maker
def trophy() -> Model:
    gold: dict[str, Any] = {"rgb": (0.83, 0.64, 0.18), "specular": 0.9, "shininess": 0.8, "tint": True}
    base = [box(0.11, 0.11, 0.05, **DARK), box(0.07, 0.002, 0.025, **gold).moved(y=-0.056, z=0.012)]
    outline = smooth_profile([(0.035, 0.05), (0.012, 0.07), (0.010, 0.10), (0.030, 0.13), (0.062, 0.17), (0.068, 0.22), (0.075, 0.24)], 4)
    cup = turned(outline, 0.004, 0.08, 40, **gold)
    ears = [
        tube([(0.055, 0, 0.150), (0.100, 0, 0.165), (0.112, 0, 0.205), (0.090, 0, 0.225), (0.070, 0, 0.222)], 0.006, 10, **gold).turned(
            "z", a
        )
        for a in (0, 180)
    ]
    return vessel_model(cup, base, ears, solids=(Solid.box([0.055, 0.055, 0.025], [0, 0, 0.025]),))


@maker
def candle(kind: str = "pillar") -> Model:
    radius, high, wax = {
        "pillar": (0.035, 0.13, (0.93, 0.89, 0.78)),
        "beeswax": (0.030, 0.12, (0.86, 0.62, 0.20)),
        "red": (0.035, 0.10, (0.70, 0.12, 0.12)),
    }[kind]
    image = _honeycomb() if kind == "beeswax" else None
    body = lathe(
        [(0, 0), (radius, 0), (radius, high - 0.004), (radius - 0.004, high), (0, high - 0.004)],
        36,
        rgb=(1, 1, 1) if image is not None else wax,
        texture=image,
        specular=0.2,
        tint=image is None,
    )
    wick = tube([(0, 0, high - 0.004), (0.001, 0, high + 0.008), (0.003, 0, high + 0.014)], 0.0012, 6, rgb=(0.1, 0.08, 0.07))
    flame = ellipsoid(0.010, 0.010, 0.028, rgb=(0.99, 0.72, 0.22), emission=0.9, specular=0.0).moved(x=0.003, z=high + 0.024)
    return model(body, wick, flame, collider="cylinder")


def _honeycomb() -> np.ndarray:
    yy, xx = np.mgrid[0:128, 0:256].astype(float)
    row = np.floor(yy / 9)
    dx = (xx + (row % 2) * 8) % 16 - 8
    dy = yy % 9 - 4.5
    edge = (np.abs(dx) > 6.2) | (np.abs(dy) > 3.4)
    image = np.where(edge[..., None], np.array([0.70, 0.46, 0.12]), np.array([0.90, 0.68, 0.26]))
    return _freeze(tx.to_image(image))


@maker
def candle_holder() -> Model:
    brass: dict[str, Any] = {"rgb": (0.72, 0.55, 0.22), "specular": 0.8, "shininess": 0.7, "tint": True}
    foot = lathe(
        [
            *smooth_profile(
                [(0.05, 0), (0.05, 0.006), (0.014, 0.02), (0.010, 0.08), (0.018, 0.12), (0.010, 0.14), (0.032, 0.155), (0.030, 0.160)], 4
            ),
            (0.0, 0.158),
        ],
        36,
        **brass,
    )
    wax = lathe([(0.011, 0.156), (0.010, 0.30), (0, 0.301)], 24, **WHITE)
    flame = ellipsoid(0.010, 0.010, 0.028, rgb=(0.99, 0.72, 0.22), emission=0.9).moved(z=0.322)
    return model(foot, wax, flame, tube([(0, 0, 0.30), (0, 0, 0.312)], 0.0012, 6, **DARK), collider="cylinder")
