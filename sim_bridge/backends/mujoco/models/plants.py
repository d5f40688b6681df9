"""Flowers, pot plants, wreaths and leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, arc, ball, ellipsoid, lathe, model, ring, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import DARK, WHITE, kinds, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import LEAF, leaf
from sim_bridge.backends.mujoco.models.vessels import plant_pot


@kinds("sunflower")
def _sunflower(kind: str) -> Model:
    petals = [leaf(0.075, 0.026, 8, 360 / 22 * k, 0.05, rgb=(0.97, 0.76, 0.10)).moved(z=0.004 * (k % 2)) for k in range(22)]
    disc = lathe(
        smooth_profile([(0.045, 0.0), (0.042, 0.010), (0, 0.014)], 3),
        28,
        texture=tx.speckle((0.28, 0.17, 0.08), (0.16, 0.10, 0.05), 4, 64, 0.5, 4),
        rgb=(1, 1, 1),
        specular=0.0,
    )
    head = [p.turned("x", 68).moved(0, -0.02, 0.46) for p in (*petals, disc)]
    stem = tube([(0, 0, 0), (0.004, 0, 0.22), (0, -0.012, 0.46)], 0.008, 8, **LEAF)
    return model(head, stem, leaf(0.14, 0.08, 25, 20).moved(z=0.17), leaf(0.13, 0.08, 25, 200).moved(z=0.26))


@maker
def pine_cone() -> Model:
    scales = []
    for k in range(90):
        t = (k + 0.5) / 90
        a = 2.39996 * k
        q, z = 0.030 * math.sin(math.pi * (0.12 + 0.80 * (1 - t) ** 0.8)) ** 0.9, 0.004 + 0.082 * t
        piece = ellipsoid(
            0.020 * (1 - 0.45 * t), 0.015 * (1 - 0.4 * t), 0.005, 5, 8, rgb=((0.42, 0.26, 0.14), (0.50, 0.33, 0.18))[k % 2], specular=0.1
        )
        scales.append(piece.moved(x=0.004).turned("y", -28).turned("z", math.degrees(a)).moved(q * math.cos(a), q * math.sin(a), z))
    return model(scales, lathe(smooth_profile([(0, 0), (0.022, 0.008), (0.024, 0.04), (0, 0.085)], 4), 16, rgb=(0.30, 0.18, 0.10)))


@maker
def flower(kind: str = "daisy") -> Model:

    colour = {"daisy": (0.97, 0.97, 0.95), "daffodil": (0.98, 0.86, 0.20), "poinsettia": (0.80, 0.08, 0.10)}[kind]
    petals = [
        leaf(0.045, 0.020 if kind == "daisy" else 0.028, 14, 360 / (14 if kind == "daisy" else 6) * k, 0.1, rgb=colour)
        for k in range(14 if kind == "daisy" else 6)
    ]
    middle = (
        ellipsoid(0.022, 0.022, 0.012, rgb=(0.96, 0.76, 0.12))
        if kind == "daisy"
        else lathe([(0.010, 0), (0.018, 0.025), (0.014, 0.024), (0, 0.004)], 20, rgb=(0.96, 0.62, 0.10))
    )
    head = [p.turned("x", 28).moved(z=0.25) for p in (*petals, middle.moved(z=0.004))]
    return model(
        head,
        tube([(0, 0, 0), (0.004, 0, 0.12), (0, 0, 0.25)], 0.003, 8, **LEAF),
        leaf(0.09, 0.022, 40, 30).moved(z=0.08),
        leaf(0.08, 0.022, 40, 200).moved(z=0.11),
    )


@maker
def potted(kind: str = "poinsettia") -> Model:
    """A flowering plant in its pot."""

    pot_part = [p.scaled(0.62) for p in plant_pot().parts]
    soil = lathe([(0.068, 0.118), (0, 0.120)], 26, rgb=(0.22, 0.15, 0.10), specular=0.0)
    parts: list[Any] = []
    if kind == "poinsettia":
        for n, z, size, colour, tilt in (
            (9, 0.17, 0.13, (0.18, 0.40, 0.16), -2),
            (8, 0.215, 0.12, (0.80, 0.08, 0.10), 8),
            (6, 0.235, 0.09, (0.86, 0.12, 0.12), 24),
        ):
            parts += [leaf(size, size * 0.5, tilt, 360 / n * k + 20 * n, 0.25, rgb=colour).moved(z=z) for k in range(n)]
        parts += [
            ball(0.007, 6, 9, rgb=(0.95, 0.80, 0.20)).moved(0.012 * math.cos(a), 0.012 * math.sin(a), 0.245)
            for a in np.linspace(0, 2 * math.pi, 6, endpoint=False)
        ]
        parts.append(tube([(0, 0, 0.11), (0, 0, 0.24)], 0.006, 8, rgb=(0.30, 0.42, 0.16)))
    else:
        colour = (0.98, 0.86, 0.20)
        for k in range(5):
            a = 1.256 * k
            top = np.array([0.045 * math.cos(a), 0.045 * math.sin(a), 0.30 + 0.02 * (k % 2)])
            parts.append(
                tube(
                    [(0.02 * math.cos(a), 0.02 * math.sin(a), 0.11), (0.03 * math.cos(a), 0.03 * math.sin(a), 0.21), top],
                    0.003,
                    7,
                    rgb=(0.30, 0.52, 0.20),
                )
            )
            face = [
                *[leaf(0.035, 0.024, 10, 60 * j, 0.1, rgb=colour) for j in range(6)],
                lathe([(0.008, 0), (0.014, 0.022), (0.011, 0.021), (0, 0.004)], 16, rgb=(0.96, 0.58, 0.10)),
            ]
            parts += [p.turned("y", 55).turned("z", math.degrees(a)).moved(*top) for p in face]
            parts += [leaf(0.17, 0.016, 68, 72 * k + 36 + d, 0.25).moved(z=0.115) for d in (0, 20)]
    return model(pot_part, soil, parts, collider="cylinder")


@maker
def green_leaf() -> Model:
    return model(
        leaf(0.11, 0.062, 4, 0, 0.06),
        tube([(-0.03, 0, 0.001), (0.0, 0, 0.001), (0.06, 0, 0.001)], [0.0016, 0.0014, 0.0008], 6, rgb=(0.45, 0.55, 0.25)),
    )


GREEN: dict[str, Any] = {"rgb": (0.24, 0.50, 0.18), "specular": 0.15}


@maker
def wreath(kind: str = "heart") -> Model:
    """A wreath for a door: red flowers in a ring with a bow, or green twigs."""
    petal, twig = ((0.80, 0.08, 0.16), (0.55, 0.05, 0.12)) if kind == "heart" else ((0.16, 0.42, 0.16), (0.10, 0.30, 0.12))
    parts: list[Any] = [ring(0.10, 0.016, 36, 8, rgb=twig)]
    for k in range(30):
        a = 2 * math.pi * k / 30
        at = (0.10 * math.cos(a), 0.10 * math.sin(a), 0.010 + 0.006 * (k % 2))
        parts += [leaf(0.036, 0.022, 22, 120 * j + 40 * k, 0.2, rgb=petal).moved(*at) for j in range(3)]
        if k % 3 == 0:
            parts.append(ball(0.007, 7, 10, rgb=(0.98, 0.86, 0.88) if kind == "heart" else (0.85, 0.10, 0.08)).moved(at[0], at[1], 0.026))
    bow: dict[str, Any] = {"rgb": (0.96, 0.90, 0.90) if kind == "heart" else (0.80, 0.08, 0.10), "specular": 0.3}
    parts += [ellipsoid(0.052, 0.030, 0.016, **bow).turned("z", s * 20).moved(s * 0.028, -0.10, 0.030) for s in (-1, 1)]
    parts.append(ball(0.011, 8, 12, **bow).moved(0, -0.10, 0.034))
    return model([p.turned("x", 90.0).moved(z=0.12) for p in parts], collider="box")


@maker
def tassel() -> Model:
    """A hanging ornament: a loop, a wound head, and many threads."""
    thread: dict[str, Any] = {"rgb": (0.72, 0.12, 0.20), "specular": 0.2, "tint": True}
    loop = tube(arc(0.012, -80, 260, 18, "xz", (0, 0, 0.142)), 0.0018, 8, **thread)
    head = lathe(smooth_profile([(0, 0.100), (0.009, 0.100), (0.013, 0.114), (0.008, 0.128), (0, 0.130)], 4), 24, **thread)
    band = lathe([(0.0105, 0.094), (0.0125, 0.097), (0.0105, 0.101)], 24, rgb=(0.90, 0.72, 0.30), specular=0.7)
    skirt = [
        tube(
            [(0.009 * math.cos(a), 0.009 * math.sin(a), 0.097), (0.016 * q * math.cos(a), 0.016 * q * math.sin(a), 0.0)],
            0.0016,
            6,
            **thread,
        )
        for a, q in ((2.39996 * k, 0.35 + 0.75 * (k % 5) / 4) for k in range(46))
    ]
    return model(loop, head, band, skirt, collider="hull")


@maker
def centerpiece() -> Model:
    """Flowers and leaves in a low bowl, with a candle in their middle."""
    bowl = lathe(smooth_profile([(0, 0), (0.06, 0), (0.10, 0.03), (0.12, 0.07), (0.115, 0.07), (0.09, 0.03), (0, 0.02)], 3), 36, **WHITE)
    parts: list[Any] = [bowl, lathe([(0.11, 0.06), (0, 0.066)], 28, **GREEN)]
    for k in range(12):
        a = 2 * math.pi * k / 12
        x, y = 0.095 * math.cos(a), 0.095 * math.sin(a)
        parts.append(leaf(0.11, 0.05, 8, math.degrees(a), 0.2, rgb=(0.20, 0.44, 0.16)).moved(0.6 * x, 0.6 * y, 0.07))
        colour = ((0.85, 0.16, 0.28), (0.96, 0.74, 0.22), (0.94, 0.92, 0.92))[k % 3]
        petals = [leaf(0.034, 0.026, 26, 45 * j, 0.2, rgb=colour) for j in range(8)]
        parts += [p.moved(x, y, 0.085 + 0.012 * (k % 2)) for p in (*petals, ball(0.010, 8, 12, rgb=(0.95, 0.78, 0.20)))]
    candle = lathe([(0.022, 0.05), (0.022, 0.19), (0.0, 0.195)], 24, rgb=(0.96, 0.93, 0.84), specular=0.3)
    wick = tube([(0, 0, 0.19), (0, 0, 0.207)], 0.0016, 6, **DARK)
    return model(parts, candle, wick, collider="cylinder")


@maker
def chili_plant() -> Model:
    """A bush in a pot with red peppers hanging from it."""
    pot = lathe(
        [(0.0, 0.0), (0.055, 0.0), (0.075, 0.11), (0.082, 0.11), (0.082, 0.13), (0.068, 0.13), (0.066, 0.115), (0, 0.115)],
        32,
        rgb=(0.72, 0.40, 0.26),
        specular=0.1,
    )
    parts: list[Any] = [pot, lathe([(0.068, 0.116), (0, 0.12)], 24, rgb=(0.22, 0.15, 0.10))]
    for k in range(11):
        a, up = 2.39996 * k, 0.20 + 0.016 * k
        x, y = (0.105 - 0.006 * k) * math.cos(a), (0.105 - 0.006 * k) * math.sin(a)
        parts.append(tube([(0, 0, 0.12), (0.3 * x, 0.3 * y, 0.7 * up), (x, y, up)], 0.004, 7, rgb=(0.30, 0.46, 0.18)))
        parts += [leaf(0.10, 0.040, 16, math.degrees(a) + d, 0.3, rgb=(0.18, 0.45, 0.16)).moved(x * 0.7, y * 0.7, up) for d in (-70, 0, 70)]
        pepper = tube([(0, 0, 0), (0.004, 0, -0.03), (0.012, 0, -0.062)], [0.010, 0.008, 0.001], 10, rgb=(0.86, 0.08, 0.06), specular=0.6)
        parts.append(pepper.turned("z", math.degrees(a)).moved(x * 1.12, y * 1.12, up - 0.008))
    return model(parts, collider="cylinder")
