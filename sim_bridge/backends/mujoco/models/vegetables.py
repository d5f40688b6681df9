"""Vegetables and mushrooms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, Part, ball, lathe, model, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import kinds
from sim_bridge.backends.mujoco.models.pieces_of_things import LEAF, leaf, ribbed


@kinds("pumpkin")
def _pumpkin(kind: str) -> Model:
    shape = lathe(
        smooth_profile(
            [(0.01, 0.02), (0.05, 0.0), (0.10, 0.03), (0.115, 0.075), (0.10, 0.12), (0.05, 0.145), (0.012, 0.132), (0, 0.128)], 5
        ),
        60,
        texture=tx.speckle((0.90, 0.46, 0.08), (0.84, 0.40, 0.07), 2, 128, 0.4, 24, 0.5),
        rgb=(1, 1, 1),
        specular=0.2,
    )
    stem = tube([(0, 0, 0.12), (0.004, 0, 0.15), (0.02, 0, 0.178)], [0.016, 0.012, 0.010], 7, rgb=(0.40, 0.42, 0.20))
    return model(ribbed(shape, 10, 0.16), stem, collider="sphere")


@kinds("pattypan_squash")
def _pattypan_squash(kind: str) -> Model:
    shape = lathe(
        smooth_profile([(0, 0), (0.03, 0.004), (0.058, 0.02), (0.06, 0.028), (0.035, 0.046), (0, 0.05)], 4),
        48,
        rgb=(0.95, 0.85, 0.30),
        specular=0.3,
    )
    return model(ribbed(shape, 12, 0.12), tube([(0, 0, 0.048), (0, 0, 0.066)], 0.007, 8, **LEAF))


@kinds("bell_pepper")
def _bell_pepper(kind: str) -> Model:
    shape = lathe(
        smooth_profile(
            [(0.008, 0.004), (0.022, 0.0), (0.034, 0.02), (0.041, 0.058), (0.038, 0.082), (0.018, 0.092), (0.006, 0.084), (0, 0.083)], 5
        ),
        48,
        rgb=(0.80, 0.10, 0.07),
        specular=0.7,
        shininess=0.7,
        tint=True,
    )
    return model(ribbed(shape, 4, 0.16), tube([(0, 0, 0.08), (0.001, 0, 0.098), (0.008, 0, 0.112)], [0.007, 0.005, 0.006], 8, **LEAF))


@kinds("cucumber", "zucchini")
def _cucumber(kind: str) -> Model:
    dark, pale = ((0.16, 0.36, 0.12), (0.30, 0.50, 0.20)) if kind == "cucumber" else ((0.14, 0.32, 0.10), (0.36, 0.52, 0.22))
    x = np.linspace(-0.105, 0.105, 16)
    radii = 0.021 * np.clip(1 - np.abs(x / 0.108) ** 5, 0.12, 1)
    body = tube(
        np.stack([x, 0 * x, 0.010 * (x / 0.1) ** 2 + 0.021], 1),
        radii.tolist(),
        18,
        texture=tx.bands((dark, dark, pale), 9, "u", 128, 0.06),
        rgb=(1, 1, 1),
        specular=0.35,
    )
    stem = tube([(0.104, 0, 0.032), (0.122, 0, 0.036)], [0.007, 0.006], 7, rgb=(0.45, 0.52, 0.28))
    return model(body, stem)


@kinds("carrot")
def _carrot(kind: str) -> Model:
    x = np.linspace(0, 0.18, 12)
    body = tube(
        np.stack([x, 0 * x, 0 * x + 0.018], 1), (0.018 * (1 - (x / 0.186) ** 1.2)).tolist(), 16, rgb=(0.93, 0.46, 0.10), specular=0.2
    )
    return model(body, [leaf(0.10, 0.02, 15, 180 + a, 0.1).moved(0.003, 0, 0.018) for a in (-25, -8, 8, 25)])


@kinds("sweet_corn")
def _sweet_corn(kind: str) -> Model:
    x = np.linspace(-0.09, 0.09, 14)
    yy, xx = np.mgrid[0:256, 0:128]
    grain = ((yy % 10 > 1) & (xx % 8 > 1))[..., None]
    image = np.where(grain, np.array([250, 208, 70]), np.array([196, 146, 30])).astype(np.uint8)
    body = tube(
        np.stack([x, 0 * x, 0 * x + 0.024], 1),
        (0.023 * np.clip(1 - np.clip((x - 0.02) / 0.075, 0, 1) ** 2.4, 0.1, 1)).tolist(),
        20,
        texture=image,
        rgb=(1, 1, 1),
        specular=0.4,
    )
    husk = [
        leaf(0.15, 0.05, 12, 180 + a, -0.06, rgb=(0.58, 0.70, 0.30)).turned("z", 180).moved(-0.10, 0, 0.02 + 0.012 * abs(s))
        for a, s in ((-16, 0), (16, 0), (0, 1))
    ]
    return model(body, husk, tube([(-0.09, 0, 0.024), (-0.115, 0, 0.024)], 0.009, 8, rgb=(0.72, 0.74, 0.45)))


@kinds("celery")
def _celery(kind: str) -> Model:
    stalks = []
    for k in range(5):
        y = (k - 2) * 0.016
        stalks.append(
            tube(
                [(-0.15, y * 0.6, 0.014 + 0.006 * (k % 2)), (0.02, y, 0.016 + 0.008 * (k % 2)), (0.14, y * 1.7, 0.022)],
                [0.012, 0.010, 0.006],
                8,
                rgb=(0.66, 0.78, 0.38),
                specular=0.2,
            )
        )
        stalks += [
            leaf(0.05, 0.035, 15 * (j - 1), (j - 1) * 30, 0.2, rgb=(0.36, 0.58, 0.20)).moved(0.135, y * 1.7, 0.022) for j in range(3)
        ]
    return model(stalks)


@kinds("head_cabbage", "head_lettuce")
def _head_cabbage(kind: str) -> Model:
    base, vein = ((0.62, 0.76, 0.42), (0.80, 0.88, 0.62)) if kind == "head_cabbage" else ((0.46, 0.68, 0.24), (0.66, 0.80, 0.42))
    image = tx.speckle(base, vein, 7, 256, 0.32, 26, 0.3)
    core = ball(0.072, 22, 36, texture=image, rgb=(1, 1, 1), specular=0.2).scaled(1, 1, 0.92).moved(z=0.068)
    outer = []
    for k in range(7):
        a = 360 / 7 * k
        petal = ball(0.080, 14, 24, texture=image, rgb=(0.88, 0.97, 0.84), specular=0.2)
        keep = (petal.vertices[:, 0] > 0.012) & (petal.vertices[:, 2] < 0.035 + 0.012 * math.sin(3 * k))
        f = petal.faces[keep[petal.faces].all(1)]
        shell = Part(
            np.concatenate([petal.vertices, petal.vertices * 0.985]),
            np.concatenate([f, f[:, ::-1] + len(petal.vertices)]),
            uv=np.concatenate([petal.uv, petal.uv]),
            texture=image,
            rgb=(0.86, 0.96, 0.80),
        )
        outer.append(shell.scaled(1, 0.62, 1).turned("y", 8 + 5 * (k % 2)).turned("z", a).moved(z=0.07))
    return model(core, outer, collider="sphere")


@kinds("cauliflower", "broccoli")
def _cauliflower(kind: str) -> Model:
    colour = (0.95, 0.92, 0.80) if kind == "cauliflower" else (0.18, 0.40, 0.14)
    rng = np.random.default_rng(3)
    curds = []
    for k in range(70):
        z = 0.05 + 0.95 * (k + 0.5) / 70
        a, q = 2.39996 * k, math.sqrt(max(0.0, 1 - (z - 0.05) ** 2))
        curds.append(
            ball(0.014 + 0.003 * rng.random(), 6, 9, rgb=colour, specular=0.05).moved(
                0.058 * q * math.cos(a), 0.058 * q * math.sin(a), 0.03 + 0.045 * z
            )
        )
    stalk = lathe([(0, 0), (0.022, 0), (0.03, 0.05), (0, 0.06)], 16, rgb=(0.72, 0.80, 0.52))
    leaves = (
        [
            leaf(0.085, 0.06, 52, 60 * k, -0.25, rgb=(0.40, 0.60, 0.28)).moved(
                0.018 * math.cos(k * 1.047), 0.018 * math.sin(k * 1.047), 0.004
            )
            for k in range(6)
        ]
        if kind == "cauliflower"
        else []
    )
    return model(curds, stalk, leaves, collider="sphere")


@kinds("artichoke")
def _artichoke(kind: str) -> Model:
    scales = []
    for k in range(64):
        t = (k + 0.5) / 64
        a, z = 2.39996 * k, 0.012 + 0.075 * t
        q = 0.040 * math.sin(math.pi * (0.22 + 0.72 * t)) ** 0.8
        tip = (
            leaf(0.034, 0.026, 62 + 22 * t, 0, -0.25, rgb=(0.36 + 0.12 * (k % 2), 0.52, 0.26))
            .turned("z", math.degrees(a))
            .moved(q * math.cos(a), q * math.sin(a), z)
        )
        scales.append(tip)
    core = lathe(smooth_profile([(0.014, 0), (0.036, 0.018), (0.036, 0.05), (0.014, 0.085), (0, 0.09)], 4), 24, rgb=(0.40, 0.52, 0.26))
    return model(core, scales, tube([(0, 0, 0.01), (0, 0, -0.035)], 0.011, 10, rgb=(0.50, 0.60, 0.34)), collider="cylinder")


@kinds("mushroom", "chanterelle")
def _mushroom(kind: str) -> Model:
    if kind == "mushroom":
        cap = lathe(
            smooth_profile([(0.006, 0.030), (0.024, 0.026), (0.030, 0.034), (0.024, 0.050), (0, 0.056)], 4),
            28,
            rgb=(0.90, 0.83, 0.72),
            specular=0.15,
        )
        gills = lathe([(0.024, 0.0255), (0.006, 0.030)], 28, rgb=(0.45, 0.32, 0.24))
        return model(
            cap,
            gills,
            lathe(smooth_profile([(0, 0), (0.011, 0.001), (0.009, 0.02), (0.010, 0.034)], 4), 20, rgb=(0.95, 0.92, 0.85)),
            collider="cylinder",
        )
    cone = lathe(
        smooth_profile(
            [(0, 0), (0.008, 0.002), (0.011, 0.03), (0.028, 0.060), (0.040, 0.068), (0.034, 0.066), (0.014, 0.052), (0, 0.046)], 4
        ),
        40,
        texture=tx.bands(((0.95, 0.66, 0.18), (0.86, 0.54, 0.12)), 18, "u"),
        rgb=(1, 1, 1),
        specular=0.05,
    )
    return model(ribbed(cone, 7, 0.10))


@kinds("garlic")
def _garlic(kind: str) -> Model:
    bulb = ribbed(
        lathe(
            smooth_profile([(0.006, 0), (0.022, 0.006), (0.027, 0.020), (0.016, 0.038), (0.006, 0.048), (0.004, 0.062), (0, 0.063)], 4),
            40,
            texture=tx.bands(((0.96, 0.94, 0.90), (0.90, 0.85, 0.84)), 9, "u", 128, 0.05),
            rgb=(1, 1, 1),
            specular=0.1,
        ),
        9,
        0.12,
    )
    return model(bulb)


@kinds("bok_choy", "spinach")
def _bok_choy(kind: str) -> Model:
    white = (0.92, 0.94, 0.86) if kind == "bok_choy" else (0.50, 0.66, 0.30)
    parts: list[Any] = []
    for k in range(9):
        a = 40.0 * k
        r = 0.010 + 0.008 * (k % 2)
        base = np.array([r * math.cos(math.radians(a)), r * math.sin(math.radians(a)), 0.0])
        out = np.array([math.cos(math.radians(a)), math.sin(math.radians(a)), 0.0])
        parts.append(
            tube(
                [base, base + out * 0.008 + [0, 0, 0.05], base + out * 0.020 + [0, 0, 0.09]],
                [0.010, 0.008, 0.005],
                8,
                rgb=white,
                specular=0.2,
            )
        )
        parts.append(
            leaf(0.085, 0.06, 62 - 8 * (k % 2), a, 0.15, rgb=(0.16, 0.40, 0.14)).moved(*(base + out * 0.016 + np.array([0, 0, 0.075])))
        )
    return model(parts, collider="cylinder")


@kinds("green_bean")
def _green_bean(kind: str) -> Model:
    x = np.linspace(-0.06, 0.06, 14)
    return model(
        tube(
            np.stack([x, 0.006 * np.sin(x * 26), 0.004 + 0 * x], 1),
            (0.0042 * np.clip(1 - np.abs(x / 0.0615) ** 6, 0.1, 1)).tolist(),
            10,
            rgb=(0.28, 0.52, 0.14),
            specular=0.3,
        )
    )
