"""Cups, bowls, glasses, jugs, vases: lathes with real wall thickness."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model, Part, Solid, arc, ellipsoid, lathe, model, ring, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import CLEAR, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import hinged_lid, underside_disc
from sim_bridge.backends.mujoco.models.turned import Profile, hollowed, inner_profile, loop_solids, shell, tube_solids, turned, vessel_model


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
        underside_disc(0.039, 0.1164, **look),
    ]
    path = [(-0.066, 0, 0.045), (-0.098, 0, 0.058), (-0.115, 0, 0.090), (-0.132, 0, 0.115)]
    spout = tube(path, [0.019, 0.015, 0.011, 0.009], 14, **look)
    grip = handle(0.070, 0.068, 0.050, 0.080, 0.0075, **look)
    dots = lathe([(0.0795, 0.050), (0.0795, 0.060)], 48, rgb=(0.20, 0.36, 0.60), specular=0.4)
    more = (*loop_solids(0.072, 0.068, 0.048, 0.080, 0.007), *tube_solids(path, [0.019, 0.015, 0.011, 0.009]))
    return vessel_model(body, spout, grip, dots, solids=more, mobiles=(hinged_lid(cover, 0.039, 0.1164, 0.136),))


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
def goblet() -> Model:
    return stemware("goblet")
