"""Meals and what goes on a plate with them: dishes, meat, fish, cheese and eggs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Model,
    arc,
    ball,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.fruit import ROUND
from sim_bridge.backends.mujoco.models.making import DARK, kinds, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import leaf


@kinds("pizza")
def _pizza(kind: str) -> Model:
    base = lathe(
        smooth_profile([(0, 0), (0.14, 0), (0.15, 0.008), (0.145, 0.016), (0.132, 0.011), (0, 0.010)], 3),
        44,
        rgb=(0.82, 0.58, 0.28),
        specular=0.05,
    )
    cheese = lathe(
        [(0.134, 0.0115), (0, 0.0125)],
        44,
        texture=tx.speckle((0.93, 0.76, 0.32), (0.80, 0.26, 0.10), 9, 128, 0.3, 16, 0.2),
        rgb=(1, 1, 1),
        specular=0.2,
    )
    rng = np.random.default_rng(7)
    tops = []
    for k in range(14):
        q, b = 0.115 * math.sqrt(rng.random()), 2.39996 * k
        tops.append(
            lathe([(0.017, 0.011), (0.017, 0.015), (0, 0.0155)], 18, rgb=(0.66, 0.12, 0.08), specular=0.3).moved(
                q * math.cos(b), q * math.sin(b), 0
            )
        )
        if k % 2:
            tops.append(
                ellipsoid(0.02, 0.012, 0.004, 6, 10, rgb=(0.22, 0.42, 0.14)).moved(q * math.cos(b + 0.5), q * math.sin(b + 0.5), 0.014)
            )
    return model(base, cheese, tops, collider="cylinder")


@kinds("club_sandwich", "sandwich")
def _club_sandwich(kind: str) -> Model:
    bread: dict[str, Any] = {"rgb": (0.93, 0.82, 0.60), "specular": 0.02}
    s = 0.055
    square = [(-s, -s), (s, -s), (s, s * 0.7), (s * 0.8, s), (-s * 0.8, s), (-s, s * 0.7)]
    layers: list[Any] = []
    z = 0.0
    rng = np.random.default_rng(1)
    for level in range(2 if kind == "club_sandwich" else 1):
        layers.append(extrude(square, 0.013, **bread).moved(z=z))
        layers.append(extrude([(x * 1.02, y * 1.02) for x, y in square], 0.011, rgb=(0.70, 0.44, 0.18)).moved(z=z + 0.001))
        z += 0.013
        for k in range(12):
            a = 30 * k + 9 * level
            layers.append(
                leaf(0.045, 0.042, -14 + 8 * rng.random(), a, -0.10 + 0.3 * rng.random(), rgb=(0.34, 0.62, 0.18)).moved(
                    0.026 * math.cos(math.radians(a)), 0.026 * math.sin(math.radians(a)), z + 0.003
                )
            )
        z += 0.005
        layers += [
            lathe([(0.026, 0), (0.026, 0.006), (0, 0.006)], 22, rgb=(0.84, 0.16, 0.10), specular=0.4).moved(x, y, z)
            for x, y in ((-0.026, -0.026), (0.027, -0.024), (-0.024, 0.027), (0.027, 0.027))
        ]
        z += 0.006
        layers.append(box(0.112, 0.108, 0.004, rgb=(0.97, 0.78, 0.26), specular=0.3).turned("z", 6).moved(z=z))
        z += 0.004
        layers.append(rounded_box(0.112, 0.108, 0.007, 8, 8, 24, rgb=(0.86, 0.52, 0.46), specular=0.2).moved(z=z))
        z += 0.007
    layers.append(extrude(square, 0.013, **bread).moved(z=z))
    layers.append(extrude([(x * 1.02, y * 1.02) for x, y in square], 0.011, rgb=(0.70, 0.44, 0.18)).moved(z=z + 0.001))
    layers.append(extrude([(x * 0.93, y * 0.93) for x, y in square], 0.0008, rgb=(0.82, 0.60, 0.32)).moved(z=z + 0.0128))
    return model(layers, collider="box")


@kinds("salad")
def _salad(kind: str) -> Model:
    rng = np.random.default_rng(6)
    bowl_part = lathe(
        smooth_profile([(0, 0), (0.05, 0), (0.09, 0.03), (0.11, 0.075), (0.106, 0.075), (0.086, 0.034), (0.04, 0.01), (0, 0.01)], 4),
        40,
        rgb=(0.58, 0.38, 0.20),
        specular=0.25,
    )
    bits: list[Any] = []
    for k in range(46):
        q, a = 0.088 * math.sqrt(rng.random()), 2.39996 * k
        z = 0.075 - 0.3 * q + 0.012 * rng.random()
        bits.append(
            leaf(
                0.05,
                0.036,
                float(rng.uniform(-25, 45)),
                float(rng.uniform(0, 360)),
                0.3,
                rgb=((0.30, 0.56, 0.16), (0.46, 0.68, 0.24), (0.22, 0.46, 0.14))[k % 3],
            ).moved(q * math.cos(a), q * math.sin(a), z)
        )
    bits += [
        ball(0.013, 8, 12, rgb=(0.84, 0.12, 0.08), specular=0.5).moved(0.06 * math.cos(b), 0.06 * math.sin(b), 0.082)
        for b in (0.4, 1.7, 3.0, 4.4, 5.6)
    ]
    bits += [
        lathe([(0.015, 0), (0.015, 0.004), (0, 0.004)], 16, rgb=(0.84, 0.90, 0.66))
        .turned("x", 30)
        .moved(0.03 * math.cos(b), 0.03 * math.sin(b), 0.085)
        for b in (1.0, 3.6, 5.2)
    ]
    return model(bowl_part, bits, collider="cylinder")


@kinds("taco")
def _taco(kind: str) -> Model:
    half_disc = [(0.075 * math.cos(a), -0.02 + 0.085 * math.sin(a)) for a in np.linspace(-0.25, math.pi + 0.25, 26)]
    image = tx.speckle((0.94, 0.76, 0.36), (0.80, 0.54, 0.20), 5, 64, 0.3, 10, 0.2)
    folded = [
        standing(extrude(half_disc, 0.003, texture=image, rgb=(1, 1, 1), specular=0.1))
        .moved(z=0.041)
        .turned("x", -s * 13)
        .moved(y=s * 0.007 + 0.0015)
        for s in (-1, 1)
    ]
    rng = np.random.default_rng(4)
    fill = []
    for k in range(30):
        x = float(rng.uniform(-0.055, 0.055))
        fill.append(
            ball(0.010, 6, 8, rgb=((0.40, 0.22, 0.12), (0.34, 0.60, 0.18), (0.84, 0.16, 0.10), (0.97, 0.80, 0.26))[k % 4]).moved(
                x, float(rng.uniform(-0.008, 0.008)), 0.035 + 0.075 * (1 - (x / 0.078) ** 2) * float(rng.uniform(0.8, 1.08))
            )
        )
    return model(folded, fill)


@kinds("meatball", "meatball_raw")
def _meatball(kind: str) -> Model:
    rng = np.random.default_rng(6)
    crust = tx.speckle((0.46, 0.27, 0.16), (0.26, 0.14, 0.08), 3, 128, 0.55, 7, 0.25)
    body = ball(0.018, 18, 28, texture=crust, rgb=(1, 1, 1), specular=0.25)
    lumpy = body.mapped(
        lambda v: (
            v * (1 + 0.03 * np.sin(v @ np.array([420.0, 260.0, 130.0])) + 0.025 * np.cos(v @ np.array([-190.0, 380.0, 300.0])))[:, None]
        )
    )
    herbs = []
    for _ in range(34):
        d = rng.normal(size=3)
        q = d / np.linalg.norm(d) * 0.0182
        herbs.append(
            ellipsoid(0.0028, 0.0014, 0.0012, 4, 6, rgb=(0.22, 0.40, 0.12)).turned("z", float(rng.uniform(0, 180))).moved(*map(float, q))
        )
    return model(lumpy, herbs, collider="sphere")


@kinds("salmon", "fish")
def _salmon(kind: str) -> Model:
    fillet = rounded_box(
        0.18,
        0.075,
        0.028,
        2.6,
        14,
        30,
        texture=tx.bands(((0.95, 0.55, 0.38), (0.98, 0.72, 0.58), (0.95, 0.55, 0.38)), 9, "u", 128, 0.15, True),
        rgb=(1, 1, 1),
        specular=0.3,
    )
    return model(fillet)


@kinds("hotdog_frank", "sausage")
def _hotdog_frank(kind: str) -> Model:
    path = arc(0.30, 76, 104, 12, "xz", (0, 0, -0.285))
    return model(tube(path, [0.006, *[0.012] * 10, 0.006], 14, rgb=(0.72, 0.30, 0.18), specular=0.5, shininess=0.6))


@kinds("pork_chop")
def _pork_chop(kind: str) -> Model:
    meat = extrude(
        [(0.075 * math.cos(a) * (1 + 0.25 * math.cos(a)), 0.05 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 26, endpoint=False)],
        0.022,
        rgb=(0.80, 0.52, 0.40),
        specular=0.2,
    )
    fat = extrude(
        [(0.079 * math.cos(a) * (1 + 0.25 * math.cos(a)), 0.053 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 26, endpoint=False)],
        0.018,
        rgb=(0.96, 0.90, 0.80),
    ).moved(z=0.002)
    bone = tube([(-0.055, 0.0, 0.012), (-0.10, -0.02, 0.012)], [0.009, 0.012], 10, rgb=(0.93, 0.89, 0.80))
    return model(meat, fat, bone)


@kinds("drumstick")
def _drumstick(kind: str) -> Model:
    meat = lathe(
        smooth_profile([(0, 0), (0.028, 0.006), (0.036, 0.035), (0.022, 0.075), (0.010, 0.10)], 4),
        26,
        texture=tx.speckle((0.66, 0.36, 0.12), (0.50, 0.24, 0.07), 4, 64, 0.4, 16, 0.3),
        rgb=(1, 1, 1),
        specular=0.4,
    )
    bone = tube([(0, 0, 0.09), (0, 0, 0.135)], 0.008, 10, rgb=(0.93, 0.88, 0.78))
    return model(
        [
            p.turned("y", 90).moved(z=0.03)
            for p in (
                meat,
                bone,
                ball(0.010, rgb=(0.93, 0.88, 0.78)).moved(0.005, 0, 0.138),
                ball(0.010, rgb=(0.93, 0.88, 0.78)).moved(-0.005, 0, 0.138),
            )
        ]
    )


@kinds("swiss_cheese", "cheese")
def _swiss_cheese(kind: str) -> Model:
    wedge = extrude([(0, 0), (0.13, -0.045), (0.13, 0.045)], 0.055, rgb=(0.96, 0.80, 0.30), specular=0.15)
    rng = np.random.default_rng(2)
    holes = []
    for k in range(16):
        x, z = float(rng.uniform(0.04, 0.12)), float(rng.uniform(0.008, 0.047))
        side = -1 if k % 2 else 1
        holes.append(ellipsoid(0.012, 0.003, 0.012, 6, 12, rgb=(0.74, 0.56, 0.14)).turned("z", -side * 19).moved(x, side * x * 0.346, z))
    holes += [
        ellipsoid(0.013, 0.013, 0.003, 6, 12, rgb=(0.74, 0.56, 0.14)).moved(x, y, 0.055)
        for x, y in ((0.05, 0.005), (0.09, -0.015), (0.105, 0.02))
    ]
    return model(wedge, holes)


@kinds("mozzarella")
def _mozzarella(kind: str) -> Model:
    return model(ellipsoid(0.08, 0.08, 0.065, 16, 26, rgb=(0.97, 0.96, 0.92), specular=0.35), collider="sphere")


@kinds("easter_egg", "raw_egg", "hard_boiled_egg")
def _easter_egg(kind: str) -> Model:
    outline = smooth_profile(ROUND["egg"][0], 5)
    if kind == "easter_egg":
        body = lathe(
            outline,
            36,
            texture=tx.bands(
                ((0.85, 0.25, 0.45), (0.97, 0.88, 0.30), (0.30, 0.62, 0.85), (0.97, 0.95, 0.92), (0.42, 0.74, 0.40)), 1, "v", 128, 0.06
            ),
            rgb=(1, 1, 1),
            specular=0.5,
        )
    else:
        body = lathe(outline, 36, rgb=(0.90, 0.76, 0.62) if kind == "raw_egg" else (0.97, 0.96, 0.93), specular=0.3)
    return model(body, collider="sphere")


@maker
def rolled_slice() -> Model:
    """A slice of ham rolled up: pink outside, the spiral of meat and fat at both ends, one edge lying over."""
    skin = tx.speckle((0.90, 0.58, 0.55), (0.97, 0.86, 0.82), 3, 64, 0.25, 8, 0.2)
    turns = np.linspace(0, 5.2 * math.pi, 60)
    spiral = [(r * math.cos(a), r * math.sin(a), 0.0) for a, r in zip(turns, np.linspace(0.0015, 0.0078, 60), strict=True)]
    body = lathe(
        [(0.0, -0.043), (0.0074, -0.043), (0.0080, -0.041), (0.0080, 0.041), (0.0074, 0.043), (0.0, 0.043)],
        24,
        texture=skin,
        rgb=(1, 1, 1),
        specular=0.3,
    )
    ends = [tube([(x, y, z) for x, y, _ in spiral], 0.0006, 5, rgb=(0.98, 0.90, 0.86)).moved(z=0.0) for z in (-0.0432, 0.0432)]
    flap = box(0.0022, 0.0085, 0.084, texture=skin, rgb=(1, 1, 1), specular=0.3).moved(0.0078, 0.003, -0.042)
    return model([p.turned("x", 90.0) for p in (body, *ends, flap)], collider="cylinder")


@maker
def lobster() -> Model:
    """A cooked lobster seen from above: claws ahead, eight legs, a tail of rings that ends in a fan, long feelers."""
    red: dict[str, Any] = {"rgb": (0.80, 0.14, 0.07), "specular": 0.45}
    parts: list[Any] = [ellipsoid(0.075, 0.13, 0.05, **red).moved(0, 0.03, 0.028)]
    parts += [ellipsoid(0.066 - 0.006 * k, 0.036, 0.040 - 0.003 * k, **red).moved(0, -0.045 - 0.024 * k, 0.022) for k in range(6)]
    parts += [ellipsoid(0.030, 0.055, 0.010, **red).turned("z", d).moved(0.0009 * d, -0.205, 0.010) for d in (-46, -23, 0, 23, 46)]
    for s in (-1, 1):
        parts.append(tube([(s * 0.030, 0.07, 0.026), (s * 0.085, 0.10, 0.028), (s * 0.085, 0.15, 0.024)], [0.011, 0.012, 0.012], 10, **red))
        parts.append(ellipsoid(0.055, 0.10, 0.030, **red).turned("z", s * 8).moved(s * 0.088, 0.195, 0.022))
        parts.append(ellipsoid(0.022, 0.075, 0.022, **red).turned("z", s * 22).moved(s * 0.052, 0.205, 0.022))
        parts += [
            tube(
                [(s * 0.03, 0.05 - 0.022 * k, 0.024), (s * 0.075, 0.055 - 0.028 * k, 0.034), (s * 0.105, 0.05 - 0.034 * k, 0.002)],
                0.004,
                7,
                **red,
            )
            for k in range(4)
        ]
        parts.append(tube([(s * 0.010, 0.09, 0.032), (s * 0.04, 0.20, 0.060), (s * 0.13, 0.30, 0.050)], [0.0028, 0.002, 0.0008], 6, **red))
        parts.append(ball(0.006, 8, 10, **DARK).moved(s * 0.014, 0.092, 0.042))
    return model(parts, collider="hull")


@maker
def kabob() -> Model:
    """Pieces of meat, pepper and onion on a wooden skewer."""
    parts: list[Any] = [tube([(-0.13, 0, 0.014), (0.13, 0, 0.014)], 0.0018, 8, rgb=(0.80, 0.66, 0.44))]
    meat = {"texture": tx.speckle((0.46, 0.26, 0.15), (0.26, 0.14, 0.09), 3, 64, 0.3, 10, 0.2), "rgb": (1, 1, 1), "specular": 0.3}
    for k, x in enumerate(np.linspace(-0.085, 0.085, 8)):
        if k % 2 == 0:
            parts.append(rounded_box(0.026, 0.028, 0.027, 4.0, 10, 18, **meat).turned("x", 20 * k).moved(float(x), 0, 0.0))
        else:
            colour = ((0.82, 0.12, 0.08), (0.30, 0.58, 0.16), (0.96, 0.95, 0.88), (0.95, 0.74, 0.14))[k // 2]
            parts.append(box(0.007, 0.030, 0.030, rgb=colour, specular=0.4).turned("x", 15 * k).moved(float(x), 0, 0.0))
    return model(parts, collider="hull")
