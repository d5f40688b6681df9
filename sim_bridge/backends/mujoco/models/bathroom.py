"""What stands about in a bathroom: washing, care, medicine."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, Texture, arc, ball, box, ellipsoid, lathe, model, ring, rounded_box, tube
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.packages import CREAM
from sim_bridge.backends.mujoco.models.pieces_of_things import BRASS, across, catmull


@maker
def toothbrush() -> Model:
    look: dict[str, Any] = {"rgb": (0.16, 0.50, 0.78), "specular": 0.4, "tint": True}
    body = tube(
        [(-0.095, 0, 0.006), (-0.02, 0, 0.008), (0.03, 0, 0.006), (0.055, 0, 0.006), (0.093, 0, 0.006)],
        [0.0065, 0.0065, 0.004, 0.0035, 0.005],
        12,
        **look,
    ).scaled(1, 1, 0.75)
    bristles = [
        box(0.0035, 0.0026, 0.012, rgb=(0.95, 0.96, 0.97) if (i + j) % 3 else (0.30, 0.60, 0.85)).moved(
            0.066 + 0.0048 * i, (j - 1) * 0.0036, 0.0075
        )
        for i in range(6)
        for j in range(3)
    ]
    return model(body, bristles, collider="box")


@maker
def razor() -> Model:
    grip = tube(
        [(0, 0, 0), (0, 0.004, 0.05), (0, 0, 0.10), (0, -0.006, 0.125)],
        [0.006, 0.0075, 0.005, 0.004],
        12,
        rgb=(0.12, 0.35, 0.62),
        specular=0.4,
        tint=True,
    )
    head = [
        box(0.042, 0.012, 0.010, **DARK).moved(y=-0.01, z=0.124),
        box(0.036, 0.0015, 0.002, **STEEL).moved(y=-0.0168, z=0.128),
        box(0.036, 0.0015, 0.002, **STEEL).moved(y=-0.0168, z=0.132),
    ]
    return model(grip, head)


@maker
def squeegee() -> Model:
    grip = tube([(0, 0, 0), (0, 0, 0.15)], [0.013, 0.011], 12, rgb=(0.12, 0.40, 0.70), tint=True)
    head = [box(0.25, 0.014, 0.018, **STEEL).moved(z=0.150), box(0.25, 0.004, 0.026, **DARK).moved(z=0.166)]
    return model(grip, head)


@maker
def tweezers() -> Model:
    arms = [
        tube(
            [(0, 0, 0), (0.02, s * 0.005, 0), (0.055, s * 0.011, 0), (0.10, s * 0.003, 0)], [0.0026, 0.0026, 0.003, 0.0008], 8, **STEEL
        ).moved(z=0.004)
        for s in (-1, 1)
    ]
    return model(arms, ball(0.004, **STEEL).moved(z=0.004))


@maker
def lip_balm() -> Model:
    body = lathe(
        [(0, 0), (0.008, 0), (0.008, 0.05), (0.0085, 0.05), (0.0085, 0.067), (0, 0.068)],
        24,
        rgb=(0.90, 0.35, 0.45),
        specular=0.5,
        tint=True,
    )
    return model(
        body,
        lathe(
            [(0.0083, 0.006), (0.0083, 0.046)], 24, texture=tx.label("lip balm", CREAM, (0.90, 0.35, 0.45), 2, (300, 240)), rgb=(1, 1, 1)
        ),
        collider="cylinder",
    )


@maker
def soap_bar() -> Model:
    return model(
        rounded_box(0.085, 0.055, 0.026, 4, rgb=(0.93, 0.86, 0.70), specular=0.3, tint=True),
        rounded_box(0.05, 0.028, 0.003, 4, rgb=(0.86, 0.78, 0.60)).moved(z=0.0248),
        collider="box",
    )


@maker
def sponge_block() -> Model:
    return model(
        rounded_box(
            0.11,
            0.07,
            0.026,
            10,
            texture=tx.speckle((0.96, 0.82, 0.24), (0.84, 0.66, 0.12), 4, 128, 0.22, 6, 0.05),
            rgb=(1, 1, 1),
            specular=0.0,
        ),
        box(0.108, 0.068, 0.008, rgb=(0.16, 0.44, 0.24), specular=0.0).moved(z=0.0245),
        collider="box",
    )


@functools.lru_cache(maxsize=1)
def _quilted() -> Texture:
    """Embossed tissue over the outline of a roll, with darker rims: rolls in front of each other are told apart, white on white."""
    v = 1 - (np.arange(256)[:, None] + 0.5) / 256
    u = (np.arange(256)[None, :] + 0.5) / 256
    rims = 0.24 * np.exp(-(((v - 0.127) / 0.012) ** 2)) + 0.24 * np.exp(-(((v - 0.5) / 0.012) ** 2))
    dots = 0.06 * (np.sin(u * 2 * math.pi * 24) * np.sin(v * 2 * math.pi * 28) > 0.55)
    sheets = 0.10 * (np.abs(u * 3 % 1.0 - 0.5) < 0.008)
    return tx.to_image(np.ones(3) * (1 - rims - dots - sheets)[..., None])


@maker
def toilet_roll() -> Model:
    return model(
        lathe(
            [(0.02, 0), (0.054, 0), (0.054, 0.10), (0.02, 0.10), (0.02, 0.0)], 36, texture=_quilted(), rgb=(0.92, 0.91, 0.90), specular=0.0
        ),
        lathe([(0.0198, 0.10), (0.0198, 0.0)], 30, rgb=(0.60, 0.48, 0.34)),
        box(0.0012, 0.04, 0.10, rgb=(0.96, 0.95, 0.94), specular=0.0).moved(x=0.054, y=-0.018),
        collider="cylinder",
    )


@maker
def syringe() -> Model:
    barrel = lathe([(0.0085, 0), (0.0085, 0.085)], 22, **CLEAR)
    liquid = lathe([(0, 0.002), (0.0072, 0.002), (0.0072, 0.035), (0, 0.035)], 20, rgb=(0.35, 0.70, 0.90), alpha=0.8)
    plunger = [
        lathe([(0, 0.035), (0.0074, 0.035), (0.0074, 0.043), (0, 0.043)], 20, **DARK),
        box(0.004, 0.004, 0.075, **WHITE).moved(z=0.043),
        lathe([(0, 0.116), (0.012, 0.116), (0.012, 0.119), (0, 0.119)], 22, **WHITE),
    ]
    wings = [lathe([(0, 0.083), (0.017, 0.083), (0.017, 0.086), (0, 0.086)], 22, **WHITE)]
    needle = [
        lathe([(0.003, -0.010), (0.004, 0.0), (0.0085, 0.0)], 14, **WHITE),
        tube([(0, 0, -0.045), (0, 0, -0.009)], 0.0007, 6, **STEEL),
    ]
    marks = [lathe([(0.0087, z), (0.0087, z + 0.001)], 6, 80, **DARK) for z in np.linspace(0.012, 0.075, 9)]
    return model([p.turned("y", 90).moved(z=0.017) for p in (barrel, liquid, *plunger, *wings, *needle, *marks)])


@maker
def digital_thermometer() -> Model:
    body = rounded_box(0.13, 0.020, 0.012, 5, rgb=(0.93, 0.94, 0.95), specular=0.4, tint=True)
    tip = tube([(0.06, 0, 0.006), (0.085, 0, 0.006), (0.10, 0, 0.006)], [0.006, 0.0035, 0.002], 12, **STEEL)
    screen = [
        box(
            0.034,
            0.013,
            0.001,
            only=["top"],
            texture=tx.plate_text("36.6", (0.66, 0.74, 0.62), (0.08, 0.10, 0.08), (256, 96)),
            rgb=(1, 1, 1),
        ).moved(x=-0.016, z=0.0122),
        ellipsoid(0.010, 0.008, 0.003, rgb=(0.20, 0.45, 0.75)).moved(x=-0.048, z=0.012),
    ]
    return model(body, tip, screen)


@maker
def denture() -> Model:
    gum: dict[str, Any] = {"rgb": (0.90, 0.48, 0.50), "specular": 0.6, "shininess": 0.6}
    parts: list[Any] = []
    for level, flip in ((0.0, 1), (0.026, -1)):
        curve = arc(0.024, 170, 370, 20, "xy") * np.array([1.0, 1.25, 1.0])
        parts.append(tube(curve + np.array([0, 0, level]), 0.0065, 10, **gum))
        for a in np.radians(np.linspace(176, 364, 13)):
            tooth = rounded_box(0.0062, 0.0048, 0.009, 4, 8, 12, rgb=(0.97, 0.95, 0.88), specular=0.6)
            x, y = 0.0245 * math.cos(a), 0.0305 * math.sin(a)
            z = level + (0.003 if flip > 0 else -0.012)
            parts.append(tooth.turned("z", math.degrees(math.atan2(y / 1.55, x)) + 90).moved(x, y, z))
    return model(parts, collider="box")


@maker
def deodorant_stick() -> Model:
    body = rounded_box(0.06, 0.032, 0.10, 5, 14, 28, rgb=(0.93, 0.94, 0.95), specular=0.4)
    cap = rounded_box(0.058, 0.030, 0.045, 4, 12, 26, rgb=(0.20, 0.45, 0.70), specular=0.5, tint=True).moved(z=0.088)
    image = tx.plate_text("deodorant", (0.20, 0.45, 0.70), (0.97, 0.97, 0.97), (256, 128))
    tags = [
        box(0.052, 0.0012, 0.05, only=["front"], texture=image, rgb=(1, 1, 1)).moved(y=-0.0163, z=0.026).turned("z", a) for a in (0, 180)
    ]
    return model(body, cap, tags, collider="box")


@maker
def cotton_ball() -> Model:
    rng = np.random.default_rng(4)
    tufts = [
        ball(0.010, 7, 10, rgb=(0.98, 0.98, 0.97), specular=0.0).moved(*map(float, 0.012 * d / np.linalg.norm(d)))
        for d in rng.normal(0, 1, (22, 3))
    ]
    return model(tufts, collider="sphere")


@maker
def rubber_glove() -> Model:
    """A household glove laid flat."""
    look: dict[str, Any] = {"rgb": (0.96, 0.80, 0.16), "specular": 0.4, "tint": True}
    parts = [
        tube([(0, -0.165, 0), (0, -0.10, 0), (0, -0.03, 0), (0, 0.02, 0), (0, 0.055, 0)], [0.056, 0.050, 0.046, 0.052, 0.040], 24, **look)
    ]
    for x, lean, length in ((-0.036, -10, 0.075), (-0.013, -3, 0.095), (0.011, 4, 0.09), (0.034, 11, 0.07)):
        tip = np.array([x + length * math.sin(math.radians(lean)), 0.045 + length * math.cos(math.radians(lean)), 0.0])
        base = np.array([x, 0.035, 0.0])
        parts.append(
            tube(
                catmull([base, (base + tip) / 2, tip, tip + (tip - base) * 0.06], 4),
                [0.0125] * 9 + [0.011, 0.009, 0.006, 0.002],
                12,
                **look,
            )
        )
    parts.append(
        tube(
            catmull([(0.03, -0.03, 0), (0.062, 0.0, 0), (0.082, 0.035, 0), (0.086, 0.047, 0)], 4),
            [0.018] * 6 + [0.016, 0.0145, 0.014, 0.013, 0.011, 0.008, 0.003],
            12,
            **look,
        )
    )
    parts.append(ring(0.056, 0.004, 30, 8, **look).turned("x", 90).moved(y=-0.163))
    return model([p.scaled(1, 1, 0.42) for p in parts])


@maker
def lipstick() -> Model:
    """A lipstick, open, turned up."""
    case = lathe(
        [(0, 0), (0.0095, 0), (0.0095, 0.034), (0.0085, 0.0345), (0, 0.0345)], 28, rgb=(0.08, 0.08, 0.09), specular=0.8, shininess=0.7
    )
    collar = lathe([(0.0082, 0.034), (0.0082, 0.050), (0, 0.050)], 28, **BRASS)
    bullet = lathe(
        [(0.0066, 0.049), (0.0066, 0.072), (0.0058, 0.0745), (0.003, 0.076), (0, 0.0762)],
        28,
        rgb=(0.78, 0.06, 0.14),
        specular=0.6,
        tint=True,
    )
    slant = bullet.mapped(lambda v: np.stack([v[:, 0], v[:, 1], v[:, 2] - np.where(v[:, 2] > 0.06, (v[:, 0] + 0.0066) * 0.85, 0.0)], 1))
    return model(case, collar, slant)


@maker
def jade_roller() -> Model:
    """A face roller: a green stone drum in a gold fork at one end, a small one at the other."""
    gold: dict[str, Any] = {"rgb": (0.86, 0.68, 0.28), "specular": 0.9, "shininess": 0.8}
    jade: dict[str, Any] = {
        "texture": tx.speckle((0.42, 0.66, 0.46), (0.62, 0.80, 0.62), 5, 64, 0.3, 16, 0.3),
        "rgb": (1, 1, 1),
        "specular": 0.6,
    }
    parts: list[Any] = [
        across(lathe([(0, 0), (0.007, 0.0), (0.0085, 0.045), (0.007, 0.09), (0, 0.09)], 20, **jade)).moved(-0.045, 0, 0.013)
    ]
    for s, reach, half in ((1, 0.028, 0.024), (-1, 0.018, 0.013)):
        x = s * 0.045
        fork = [(x, 0, 0), (x + s * 0.008, 0, 0), (x + s * 0.012, half, 0), (x + s * reach, half, 0)]
        parts += [tube([(a, m * b, 0.013) for a, b, _ in fork], 0.0018, 8, **gold) for m in (-1, 1)]
        drum = lathe(
            [(0, -half), (half * 0.48, -half), (half * 0.54, -half * 0.5), (half * 0.54, half * 0.5), (half * 0.48, half), (0, half)],
            24,
            **jade,
        )
        parts.append(drum.turned("x", 90.0).moved(x + s * reach, 0, 0.013))
    return model(parts, collider="hull")
