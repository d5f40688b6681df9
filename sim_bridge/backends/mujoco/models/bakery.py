"""Bread, cakes, pies and biscuits, and their dough."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Model,
    Part,
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
from sim_bridge.backends.mujoco.models.making import kinds, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import ribbed


@kinds("baguette")
def _baguette(kind: str) -> Model:
    crust = (0.72, 0.45, 0.18)
    x = np.linspace(-0.29, 0.29, 24)
    body = tube(
        np.stack([x, 0 * x, 0.032 + 0 * x], 1),
        (0.036 * np.clip(1 - np.abs(x / 0.295) ** 4, 0.1, 1)).tolist(),
        18,
        texture=tx.speckle(crust, (0.60, 0.34, 0.12), 3, 128, 0.4, 24, 0.4),
        rgb=(1, 1, 1),
        specular=0.1,
    ).scaled(1, 1, 0.85)
    cuts = [
        ellipsoid(0.075, 0.018, 0.006, 6, 14, rgb=(0.95, 0.84, 0.62)).turned("z", 24).moved(q, 0, 0.0575)
        for q in np.linspace(-0.20, 0.20, 5)
    ]
    return model(body, cuts)


@kinds("croissant")
def _croissant(kind: str) -> Model:
    path = arc(0.06, 205, 335, 23, "xy")
    wave = 1 + 0.13 * np.abs(np.sin(np.linspace(0, 7 * math.pi, 23)))
    radii = 0.030 * np.sin(np.linspace(0.12, math.pi - 0.12, 23)) ** 0.7 * wave
    body = tube(
        path,
        radii.tolist(),
        16,
        texture=tx.bands(((0.80, 0.52, 0.20), (0.66, 0.38, 0.12), (0.86, 0.62, 0.30)), 7, "v", 128, 0.03, True),
        rgb=(1, 1, 1),
        specular=0.25,
    )
    return model(body.scaled(1, 1, 0.85).moved(z=0.026))


@kinds("donut", "bagel")
def _donut(kind: str) -> Model:
    crust = (0.72, 0.45, 0.18)
    if kind == "donut":
        parts: list[Any] = [ring(0.028, 0.0155, 40, 16, rgb=crust, specular=0.1).scaled(1, 1, 0.85)]
        icing = ring(0.028, 0.0162, 40, 16, rgb=(0.90, 0.45, 0.60), specular=0.4, tint=True).scaled(1, 1, 0.85)
        v = icing.vertices
        keep = v[:, 2] > -0.001 + 0.002 * np.sin(7 * np.arctan2(v[:, 1], v[:, 0]))
        parts.append(Part(v, icing.faces[keep[icing.faces].all(1)], rgb=(0.90, 0.45, 0.60), specular=0.4, tint=True))
        rng = np.random.default_rng(5)
        for _ in range(40):
            a, b = rng.uniform(0, 2 * math.pi), rng.uniform(0.25, math.pi - 0.25)
            q = 0.028 + 0.0165 * math.cos(b)
            sprinkle = tube(
                [(-0.003, 0, 0), (0.003, 0, 0)],
                0.0009,
                6,
                rgb=tuple(rng.choice([[0.95, 0.9, 0.3], [0.3, 0.6, 0.9], [0.95, 0.95, 0.95], [0.4, 0.75, 0.4]]).tolist()),
            )
            parts.append(
                sprinkle.turned("z", float(rng.uniform(0, 180))).moved(q * math.cos(a), q * math.sin(a), 0.0142 * math.sin(b) + 0.0008)
            )
        return model(parts, collider="cylinder")
    body = ring(
        0.034,
        0.021,
        40,
        16,
        texture=tx.speckle((0.76, 0.50, 0.22), (0.62, 0.36, 0.14), 2, 128, 0.4, 30, 0.4),
        rgb=(1, 1, 1),
        specular=0.25,
    ).scaled(1, 1, 0.8)
    return model(body, collider="cylinder")


@kinds("muffin", "cupcake")
def _muffin(kind: str) -> Model:
    cup = lathe(
        [(0, 0), (0.025, 0), (0.035, 0.040)],
        40,
        texture=tx.bands(((0.86, 0.72, 0.50), (0.74, 0.58, 0.36)), 26, "u"),
        rgb=(1, 1, 1),
        specular=0.05,
    )
    top = lathe(
        smooth_profile([(0.034, 0.038), (0.042, 0.046), (0.036, 0.062), (0.018, 0.072), (0, 0.074)], 4),
        32,
        texture=tx.speckle((0.70, 0.44, 0.18), (0.25, 0.13, 0.08), 6, 128, 0.14, 10, 0.08),
        rgb=(1, 1, 1),
        specular=0.05,
    )
    return model(cup, top, collider="cylinder")


@kinds("cake", "chocolate_cake", "cheesecake", "carrot_cake")
def _cake(kind: str) -> Model:
    crumb = (0.93, 0.80, 0.56)
    icing, inside = {
        "chocolate_cake": ((0.30, 0.16, 0.08), (0.40, 0.23, 0.12)),
        "cheesecake": ((0.97, 0.91, 0.70), (0.97, 0.91, 0.70)),
    }.get(kind, ((0.96, 0.93, 0.90), crumb))
    arc_deg = 300.0
    base_colour = (0.66, 0.42, 0.18) if kind == "cheesecake" else (0.93, 0.86, 0.78)
    body = lathe([(0, 0.006), (0.11, 0.006), (0.11, 0.07), (0.105, 0.075), (0, 0.075)], 50, arc_deg, rgb=icing, specular=0.15)
    crust_part = lathe([(0, 0), (0.112, 0), (0.112, 0.012)], 50, arc_deg, rgb=base_colour)
    cut = [box(0.108, 0.001, 0.068, rgb=inside, specular=0.0).moved(x=0.054, z=0.006).turned("z", a) for a in (0.0, arc_deg)]
    filling = (
        [box(0.108, 0.0016, 0.008, rgb=icing).moved(x=0.054, z=0.036).turned("z", a) for a in (0.0, arc_deg)]
        if kind != "cheesecake"
        else []
    )
    deco = [
        ball(0.011, 8, 12, rgb=(0.75, 0.08, 0.10) if kind != "chocolate_cake" else (0.95, 0.92, 0.86), specular=0.5).moved(
            0.085 * math.cos(math.radians(a)), 0.085 * math.sin(math.radians(a)), 0.081
        )
        for a in range(20, 300, 35)
    ]
    slices = []
    for k in range(5):
        around = [math.radians(arc_deg / 5 * (k + step / 4)) for step in range(5)]
        rim = [
            (r * math.cos(a), r * math.sin(a), z) for a in around for r, z in ((0.112, 0.0), (0.112, 0.012), (0.11, 0.07), (0.105, 0.075))
        ]
        slices.append(Solid(np.array([(0, 0, 0), (0, 0, 0.075), *rim])))
    return model(body, crust_part, cut, filling, deco, solids=(*slices, *pieces(*deco)))


@kinds("pie", "quiche", "cheese_tart", "tart")
def _pie(kind: str) -> Model:
    filling_colour = {
        "pie": (0.80, 0.54, 0.24),
        "quiche": (0.93, 0.78, 0.36),
        "cheese_tart": (0.96, 0.86, 0.56),
        "tart": (0.75, 0.14, 0.16),
    }[kind]
    shell = ribbed(
        lathe([(0, 0), (0.085, 0), (0.108, 0.032), (0.102, 0.034), (0.098, 0.026), (0, 0.024)], 72, rgb=(0.80, 0.56, 0.28), specular=0.05),
        36,
        0.05,
    )
    second = (0.35, 0.50, 0.18) if kind == "quiche" else (0.66, 0.40, 0.15)
    filling = lathe(
        [(0.098, 0.026), (0.06, 0.031), (0, 0.033)],
        40,
        texture=tx.speckle(filling_colour, second, 8, 128, 0.2, 12, 0.15),
        rgb=(1, 1, 1),
        specular=0.2,
    )
    lattice = (
        [
            box(0.19 * math.sqrt(max(0.05, 1 - (o / 0.1) ** 2)), 0.012, 0.005, rgb=(0.84, 0.60, 0.30)).moved(y=o, z=0.030).turned("z", a)
            for a in (0, 90)
            for o in (-0.06, -0.02, 0.02, 0.06)
        ]
        if kind == "pie"
        else []
    )
    return model(shell, filling, lattice, collider="cylinder")


@kinds("scone", "bap", "bread_roll", "bun")
def _scone(kind: str) -> Model:
    body = lathe(
        smooth_profile([(0, 0), (0.036, 0), (0.045, 0.014), (0.040, 0.034), (0.022, 0.046), (0, 0.048)], 4),
        32,
        texture=tx.speckle((0.80, 0.55, 0.26), (0.90, 0.72, 0.44), 3, 128, 0.4, 20, 0.4),
        rgb=(1, 1, 1),
        specular=0.12,
    )
    return model(body, collider="cylinder")


@kinds("hotdog_bun")
def _hotdog_bun(kind: str) -> Model:
    body = rounded_box(
        0.15, 0.055, 0.045, 3, texture=tx.speckle((0.80, 0.54, 0.24), (0.88, 0.66, 0.36), 3, 128, 0.4, 30, 0.4), rgb=(1, 1, 1)
    )
    return model(body, box(0.12, 0.006, 0.006, rgb=(0.97, 0.90, 0.74)).moved(z=0.0415))


@kinds("bread", "banana_bread", "meat_loaf")
def _bread(kind: str) -> Model:
    crust = (0.72, 0.45, 0.18)
    crumb = (0.93, 0.80, 0.56)
    colour = {"bread": crust, "banana_bread": (0.52, 0.30, 0.13), "meat_loaf": (0.42, 0.22, 0.13)}[kind]
    inner = {"bread": crumb, "banana_bread": (0.80, 0.62, 0.34), "meat_loaf": (0.56, 0.34, 0.24)}[kind]
    body = rounded_box(
        0.20,
        0.10,
        0.09,
        3.6,
        16,
        30,
        texture=tx.speckle(colour, tuple(0.8 * c for c in colour), 4, 128, 0.4, 24, 0.4),
        rgb=(1, 1, 1),
        specular=0.1,
    )
    slices = [
        rounded_box(0.012, 0.095, 0.085, 4, 12, 20, rgb=inner).turned("y", 72 - 8 * k).moved(0.105 + 0.03 * k, 0, 0.03) for k in range(2)
    ]
    return model(body, slices, rounded_box(0.004, 0.088, 0.080, 4, 12, 20, rgb=inner).moved(x=0.0985, z=0.004))


@kinds("pita")
def _pita(kind: str) -> Model:
    return model(
        lathe(
            smooth_profile([(0, 0), (0.07, 0.001), (0.085, 0.006), (0.07, 0.011), (0, 0.013)], 4),
            40,
            texture=tx.speckle((0.90, 0.78, 0.56), (0.62, 0.42, 0.22), 5, 128, 0.16, 12, 0.12),
            rgb=(1, 1, 1),
            specular=0.0,
        ),
        collider="cylinder",
    )


@kinds("pretzel")
def _pretzel(kind: str) -> Model:
    right = [(0.002, -0.047), (0.034, -0.036), (0.056, -0.006), (0.058, 0.028), (0.038, 0.046), (0.016, 0.034)]
    loop = [
        (-0.034, -0.038),
        (-0.014, -0.010),
        (0.0, 0.010),
        *right[::-1],
        *[(-x, y) for x, y in right[1:]],
        (0.0, 0.010),
        (0.014, -0.010),
        (0.034, -0.038),
    ]
    high = [0.014, 0.008, 0.004] + [0.0] * 11 + [0.016, 0.014, 0.014]
    p = np.array([(x, y, z) for (x, y), z in zip(loop, high, strict=True)])
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    path = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1], p[i], p[i + 1], p[i + 2]
        path += [
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3) for t in (0, 0.25, 0.5, 0.75)
        ]
    path.append(p[-2])
    radius = 0.0105 * np.clip(np.minimum(np.arange(len(path)), np.arange(len(path))[::-1]) / 10 + 0.5, 0.5, 1)
    crust = tube(path, radius.tolist(), 12, rgb=(0.58, 0.30, 0.10), specular=0.4, shininess=0.6)
    rng = np.random.default_rng(4)
    salt = []
    for k in range(5, len(path) - 5, 1):
        q = np.asarray(path[k])
        salt.append(
            box(0.0024, 0.0024, 0.002, rgb=(0.97, 0.97, 0.96))
            .turned("z", float(rng.uniform(0, 90)))
            .moved(float(q[0] + rng.uniform(-0.005, 0.005)), float(q[1] + rng.uniform(-0.005, 0.005)), float(q[2]) + 0.0092)
        )
    return model(crust, salt)


@kinds("macaron")
def _macaron(kind: str) -> Model:
    shell: dict[str, Any] = {"rgb": (0.90, 0.55, 0.65), "specular": 0.2, "tint": True}
    halves = [
        lathe(smooth_profile([(0.0, 0), (0.020, 0.0), (0.022, 0.004), (0.020, 0.009), (0.0, 0.012)], 3), 28, **shell)
        .turned("x", a)
        .moved(z=z)
        for a, z in ((180, 0.012), (0, 0.017))
    ]
    return model(halves, lathe([(0, 0.011), (0.0205, 0.011), (0.0205, 0.018), (0, 0.018)], 28, rgb=(0.97, 0.90, 0.86)), collider="cylinder")


@kinds("cookie")
def _cookie(kind: str) -> Model:
    return model(
        lathe(
            smooth_profile([(0, 0), (0.032, 0), (0.036, 0.004), (0.03, 0.010), (0, 0.012)], 3),
            30,
            texture=tx.speckle((0.78, 0.55, 0.28), (0.25, 0.13, 0.07), 3, 64, 0.16, 8, 0.06),
            rgb=(1, 1, 1),
        ),
        collider="cylinder",
    )


@kinds("pizza_dough", "bagel_dough")
def _pizza_dough(kind: str) -> Model:
    return model(
        lathe(
            smooth_profile([(0, 0), (0.05, 0.001), (0.062, 0.016), (0.04, 0.038), (0, 0.044)], 4),
            30,
            rgb=(0.95, 0.90, 0.78),
            specular=0.05,
        ),
        collider="sphere",
    )


@maker
def muffin_cups() -> Model:
    """A stack of fluted paper cups for muffins, one beside it."""

    def cup(colour: tuple[float, float, float]) -> Part:
        paper = lathe([(0, 0.0), (0.024, 0.0), (0.035, 0.032), (0.034, 0.032), (0.023, 0.001), (0, 0.001)], 72, rgb=colour, specular=0.05)
        return paper.mapped(lambda v: v * np.stack([f := 1 + 0.05 * np.cos(36 * np.arctan2(v[:, 1], v[:, 0])), f, np.ones(len(v))], 1))

    colours = ((0.95, 0.55, 0.62), (0.96, 0.94, 0.90), (0.55, 0.78, 0.86))
    stack = [cup(colours[k % 3]).moved(z=0.006 * k) for k in range(9)]
    return model(stack, cup(colours[0]).moved(0.078, 0.012, 0), collider="hull")
