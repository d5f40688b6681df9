"""Fruit, berries and nuts, whole and cut."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Array,
    Colour,
    Model,
    Part,
    Texture,
    arc,
    ball,
    box,
    ellipsoid,
    lathe,
    model,
    ring,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import kinds, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import LEAF, STEM, leaf, ribbed


def skin(part: Part, texture: np.ndarray, **looks: Any) -> Part:
    return part.looks(texture=texture, rgb=(1.0, 1.0, 1.0), **looks)


def _creased(v: Array) -> Array:
    """Press the seam of a stone fruit into one side."""
    a = np.arctan2(v[:, 1], v[:, 0]) + math.pi / 2
    factor = 1 - 0.10 * np.exp(-((a / 0.22) ** 2))
    return v * np.stack([factor, factor, np.ones(len(v))], 1)


@functools.lru_cache(maxsize=8)
def _star(size: int) -> NDArray[np.bool_]:
    """Where five pointed sepals lie on the skin of a tomato: over the shoulder, so that they are seen from the side."""
    down, around = np.meshgrid((np.arange(size) + 0.5) / size, (np.arange(size) + 0.5) / size * 2 * math.pi, indexing="ij")
    return np.asarray(down < 0.09 + 0.21 * np.abs(np.cos(2.5 * around)) ** 5)


def _starred(skin_image: Texture) -> Texture:
    green = np.array(LEAF["rgb"]) * 255
    return np.where(_star(len(skin_image))[..., None], green, skin_image).astype(np.uint8)


ROUND: dict[str, tuple[list[tuple[float, float]], Colour, Colour, float]] = {
    # outline (radius, height), skin, second colour, share of the second
    "apple": (
        [(0.004, 0.012), (0.014, 0.002), (0.030, 0.008), (0.039, 0.036), (0.036, 0.058), (0.020, 0.071), (0.006, 0.064), (0, 0.058)],
        (0.72, 0.10, 0.08),
        (0.88, 0.66, 0.22),
        0.25,
    ),
    "orange": (
        [(0, 0), (0.018, 0.003), (0.034, 0.018), (0.039, 0.038), (0.034, 0.060), (0.016, 0.074), (0, 0.075)],
        (0.95, 0.52, 0.08),
        (0.93, 0.46, 0.05),
        0.4,
    ),
    "grapefruit": (
        [(0, 0), (0.024, 0.004), (0.046, 0.024), (0.053, 0.050), (0.046, 0.078), (0.022, 0.097), (0, 0.098)],
        (0.95, 0.66, 0.26),
        (0.93, 0.52, 0.30),
        0.35,
    ),
    "lemon": (
        [
            (0, 0),
            (0.006, 0.004),
            (0.010, 0.010),
            (0.024, 0.026),
            (0.029, 0.046),
            (0.024, 0.066),
            (0.010, 0.082),
            (0.006, 0.088),
            (0, 0.091),
        ],
        (0.96, 0.85, 0.16),
        (0.93, 0.80, 0.10),
        0.4,
    ),
    "lime": (
        [(0, 0), (0.006, 0.003), (0.018, 0.014), (0.025, 0.033), (0.018, 0.052), (0.006, 0.063), (0, 0.066)],
        (0.40, 0.62, 0.12),
        (0.48, 0.68, 0.18),
        0.4,
    ),
    "kiwi": (
        [(0, 0), (0.014, 0.003), (0.023, 0.018), (0.025, 0.034), (0.022, 0.050), (0.012, 0.063), (0, 0.066)],
        (0.45, 0.32, 0.16),
        (0.52, 0.38, 0.20),
        0.5,
    ),
    "peach": (
        [(0, 0), (0.016, 0.002), (0.032, 0.016), (0.037, 0.036), (0.032, 0.056), (0.014, 0.068), (0.004, 0.063), (0, 0.060)],
        (0.95, 0.66, 0.38),
        (0.85, 0.28, 0.20),
        0.45,
    ),
    "nectarine": (
        [(0, 0), (0.016, 0.002), (0.030, 0.016), (0.034, 0.034), (0.030, 0.052), (0.012, 0.063), (0.003, 0.058), (0, 0.056)],
        (0.80, 0.22, 0.12),
        (0.95, 0.62, 0.20),
        0.35,
    ),
    "apricot": (
        [(0, 0), (0.011, 0.002), (0.021, 0.012), (0.024, 0.025), (0.021, 0.038), (0.009, 0.046), (0, 0.042)],
        (0.95, 0.62, 0.22),
        (0.92, 0.46, 0.22),
        0.3,
    ),
    "plum": (
        [(0, 0), (0.012, 0.002), (0.024, 0.014), (0.028, 0.032), (0.024, 0.048), (0.010, 0.058), (0, 0.055)],
        (0.30, 0.08, 0.24),
        (0.40, 0.14, 0.30),
        0.4,
    ),
    "mango": (
        [(0, 0), (0.020, 0.004), (0.038, 0.026), (0.042, 0.052), (0.034, 0.084), (0.016, 0.104), (0, 0.108)],
        (0.90, 0.60, 0.16),
        (0.76, 0.22, 0.16),
        0.4,
    ),
    "pear": (
        [
            (0.004, 0.008),
            (0.016, 0),
            (0.036, 0.016),
            (0.041, 0.038),
            (0.032, 0.064),
            (0.020, 0.084),
            (0.014, 0.102),
            (0.006, 0.112),
            (0, 0.112),
        ],
        (0.74, 0.74, 0.22),
        (0.66, 0.60, 0.18),
        0.35,
    ),
    "avocado": (
        [(0, 0), (0.018, 0.002), (0.034, 0.018), (0.038, 0.040), (0.028, 0.070), (0.016, 0.092), (0.006, 0.102), (0, 0.103)],
        (0.16, 0.22, 0.10),
        (0.24, 0.32, 0.12),
        0.45,
    ),
    "papaya": (
        [(0, 0), (0.022, 0.004), (0.050, 0.036), (0.056, 0.075), (0.044, 0.125), (0.026, 0.165), (0.008, 0.184), (0, 0.186)],
        (0.93, 0.66, 0.18),
        (0.45, 0.58, 0.18),
        0.4,
    ),
    "pomegranate": (
        [(0, 0), (0.020, 0.003), (0.040, 0.022), (0.046, 0.046), (0.040, 0.070), (0.018, 0.084), (0.010, 0.088)],
        (0.72, 0.14, 0.14),
        (0.82, 0.34, 0.20),
        0.4,
    ),
    "tomato": (
        [(0, 0.004), (0.016, 0), (0.034, 0.012), (0.040, 0.032), (0.033, 0.052), (0.014, 0.060), (0.004, 0.055), (0, 0.054)],
        (0.84, 0.12, 0.06),
        (0.80, 0.16, 0.07),
        0.4,
    ),
    "beefsteak_tomato": (
        [(0, 0.004), (0.022, 0), (0.044, 0.014), (0.051, 0.036), (0.042, 0.058), (0.018, 0.066), (0.005, 0.060), (0, 0.059)],
        (0.84, 0.12, 0.06),
        (0.80, 0.16, 0.07),
        0.4,
    ),
    "cherry_tomato": (
        [(0, 0), (0.007, 0.001), (0.013, 0.008), (0.014, 0.015), (0.011, 0.023), (0.004, 0.028), (0, 0.027)],
        (0.86, 0.13, 0.06),
        (0.82, 0.18, 0.08),
        0.4,
    ),
    "onion": (
        [
            (0.004, 0),
            (0.020, 0.004),
            (0.038, 0.022),
            (0.041, 0.040),
            (0.030, 0.062),
            (0.012, 0.074),
            (0.006, 0.088),
            (0.003, 0.100),
            (0, 0.101),
        ],
        (0.78, 0.52, 0.22),
        (0.70, 0.42, 0.16),
        0.4,
    ),
    "potato": (
        [(0, 0), (0.016, 0.004), (0.031, 0.024), (0.034, 0.050), (0.030, 0.076), (0.016, 0.096), (0, 0.100)],
        (0.70, 0.54, 0.32),
        (0.60, 0.44, 0.24),
        0.35,
    ),
    "turnip": (
        [(0.002, 0), (0.004, 0.016), (0.026, 0.034), (0.040, 0.056), (0.034, 0.078), (0.012, 0.090), (0, 0.091)],
        (0.95, 0.93, 0.90),
        (0.55, 0.22, 0.45),
        0.4,
    ),
    "rutabaga": (
        [(0.003, 0), (0.010, 0.014), (0.040, 0.038), (0.052, 0.066), (0.042, 0.092), (0.014, 0.106), (0, 0.107)],
        (0.86, 0.70, 0.40),
        (0.46, 0.24, 0.38),
        0.4,
    ),
    "watermelon": (
        [(0, 0), (0.05, 0.006), (0.105, 0.055), (0.122, 0.13), (0.105, 0.205), (0.05, 0.254), (0, 0.26)],
        (0.20, 0.42, 0.14),
        (0.44, 0.60, 0.28),
        0.4,
    ),
    "coconut": (
        [(0, 0), (0.028, 0.006), (0.052, 0.034), (0.058, 0.062), (0.050, 0.092), (0.024, 0.116), (0, 0.120)],
        (0.36, 0.22, 0.12),
        (0.28, 0.17, 0.09),
        0.5,
    ),
    "egg": (
        [(0, 0), (0.010, 0.001), (0.020, 0.012), (0.0225, 0.024), (0.019, 0.040), (0.010, 0.053), (0, 0.057)],
        (0.90, 0.76, 0.62),
        (0.88, 0.72, 0.56),
        0.3,
    ),
    "butternut_squash": (
        [(0, 0), (0.026, 0.003), (0.050, 0.030), (0.052, 0.060), (0.036, 0.095), (0.031, 0.14), (0.032, 0.20), (0.024, 0.222), (0, 0.226)],
        (0.88, 0.68, 0.40),
        (0.84, 0.62, 0.34),
        0.4,
    ),
    "gourd": (
        [
            (0, 0),
            (0.028, 0.004),
            (0.050, 0.032),
            (0.048, 0.066),
            (0.026, 0.096),
            (0.022, 0.120),
            (0.026, 0.142),
            (0.016, 0.166),
            (0, 0.170),
        ],
        (0.90, 0.62, 0.14),
        (0.24, 0.44, 0.16),
        0.45,
    ),
    "eggplant": (
        [(0, 0), (0.026, 0.004), (0.042, 0.040), (0.040, 0.085), (0.028, 0.135), (0.020, 0.165), (0, 0.170)],
        (0.17, 0.07, 0.20),
        (0.22, 0.09, 0.25),
        0.3,
    ),
}


@maker
def fruit(kind: str) -> Model:
    """Round fruit, vegetables and eggs by name."""
    outline, colour, second, share = ROUND[kind]
    seed = sum(map(ord, kind))
    if kind == "watermelon":
        texture = tx.bands((colour, second), 9, "u", 256, 0.35, False, seed)
    elif kind in ("turnip", "rutabaga"):
        texture = tx.bands((second, colour, colour), 1, "v", 128, 0.25, True, seed)
    else:
        texture = tx.speckle(colour, second, seed, 128, share, 40 if share < 0.5 else 10, 0.5)
    if "tomato" in kind:
        texture = _starred(texture)
    shine = 0.05 if kind in ("kiwi", "coconut", "potato", "peach", "egg") else 0.45
    body = skin(lathe(smooth_profile(outline, 4), 32), texture, specular=shine, shininess=0.5, tint=kind == "egg")
    if kind in ("peach", "apricot", "nectarine", "plum"):
        body = body.mapped(_creased)
    top = outline[-1][1]
    parts: list[Any] = [body]
    if kind in ("apple", "pear", "tomato", "beefsteak_tomato", "cherry_tomato", "plum", "gourd", "eggplant", "mango", "avocado"):
        reach = {"apple": 0.022, "pear": 0.024, "cherry_tomato": 0.006, "gourd": 0.02, "eggplant": 0.03}.get(kind, 0.010)
        thick = 0.006 if kind in ("gourd", "eggplant") else 0.0016
        parts.append(
            tube(
                [(0, 0, top - 0.004), (0.001, 0, top + reach * 0.5), (0.004, 0, top + reach)],
                thick,
                7,
                **(LEAF if "tomato" in kind or kind in ("gourd", "eggplant") else STEM),
            )
        )
    if "tomato" in kind or kind == "eggplant":
        size = 0.6 * max(p[0] for p in outline)
        parts += [leaf(size, size * 0.35, 5, 72 * k).moved(z=top + 0.001) for k in range(5)]
    if kind == "apple":
        parts.append(leaf(0.026, 0.012, 35, 20).moved(z=top + 0.012))
    if kind in ("mango", "papaya", "avocado", "watermelon", "butternut_squash", "potato", "eggplant"):
        flat = 0.82 if kind == "mango" else 1.0
        parts = [p.turned("y", 90).scaled(1, 1, flat) for p in parts]
    if kind == "pomegranate":
        parts.append(lathe([(0.010, 0.086), (0.009, 0.096), (0.015, 0.108), (0.007, 0.098), (0, 0.094)], 12, rgb=(0.70, 0.26, 0.14)))
    if kind in ("turnip", "rutabaga", "onion"):
        green = (0.30, 0.52, 0.20) if kind != "onion" else (0.80, 0.62, 0.30)
        parts += [
            tube([(0, 0, top - 0.004), (0.010 * math.cos(a), 0.010 * math.sin(a), top + 0.03)], [0.003, 0.0015], 6, rgb=green)
            for a in (0.3, 2.2, 4.4)
        ]
    if kind == "coconut":
        parts += [
            ellipsoid(0.012, 0.012, 0.006, 6, 10, rgb=(0.10, 0.07, 0.05)).moved(0.016 * math.cos(a), 0.016 * math.sin(a), top - 0.003)
            for a in (0.5, 2.6, 4.7)
        ]
    return model(parts, collider="sphere" if kind not in ("pear", "avocado", "butternut_squash", "gourd", "eggplant", "papaya") else "hull")


@maker
def half_fruit(kind: str) -> Model:
    """A fruit cut in half, the cut face up: skin below, flesh, core on top."""
    faces: dict[str, tuple[float, float, Colour, Colour, Colour]] = {
        # length, width, skin, flesh, core
        "coconut_fruit": (0.12, 0.12, (0.34, 0.21, 0.12), (0.97, 0.96, 0.93), (0.88, 0.88, 0.84)),
        "avocado": (0.11, 0.075, (0.17, 0.24, 0.10), (0.86, 0.88, 0.48), (0.42, 0.26, 0.13)),
        "mango": (0.11, 0.08, (0.86, 0.50, 0.16), (0.98, 0.76, 0.22), (0.95, 0.84, 0.55)),
        "papaya": (0.19, 0.11, (0.85, 0.62, 0.20), (0.97, 0.55, 0.22), (0.10, 0.08, 0.08)),
        "lemon": (0.09, 0.06, (0.96, 0.85, 0.16), (0.98, 0.94, 0.60), (0.97, 0.95, 0.85)),
        "orange": (0.078, 0.078, (0.95, 0.52, 0.08), (0.98, 0.66, 0.20), (0.98, 0.90, 0.75)),
        "grapefruit": (0.10, 0.10, (0.95, 0.66, 0.26), (0.93, 0.40, 0.36), (0.98, 0.86, 0.78)),
        "kiwi": (0.062, 0.05, (0.45, 0.32, 0.16), (0.52, 0.74, 0.20), (0.93, 0.95, 0.80)),
        "apple": (0.078, 0.075, (0.72, 0.10, 0.08), (0.97, 0.94, 0.80), (0.85, 0.78, 0.55)),
        "peach": (0.073, 0.073, (0.93, 0.52, 0.32), (0.97, 0.72, 0.36), (0.48, 0.24, 0.14)),
        "watermelon": (0.26, 0.24, (0.20, 0.42, 0.14), (0.88, 0.18, 0.18), (0.93, 0.30, 0.28)),
        "pumpkin": (0.22, 0.21, (0.90, 0.45, 0.08), (0.96, 0.70, 0.30), (0.88, 0.56, 0.20)),
        "butternut_squash": (0.22, 0.10, (0.88, 0.68, 0.40), (0.97, 0.66, 0.24), (0.85, 0.50, 0.16)),
        "vidalia_onion": (0.082, 0.082, (0.86, 0.66, 0.32), (0.97, 0.96, 0.90), (0.90, 0.92, 0.80)),
        "rutabaga": (0.11, 0.10, (0.58, 0.34, 0.40), (0.97, 0.88, 0.60), (0.95, 0.84, 0.55)),
        "sweet_potato": (0.10, 0.075, (0.62, 0.30, 0.22), (0.95, 0.56, 0.18), (0.97, 0.68, 0.30)),
        "zucchini": (0.18, 0.045, (0.18, 0.38, 0.12), (0.90, 0.93, 0.70), (0.84, 0.88, 0.60)),
    }
    x, y, outer, flesh, core = faces[kind]
    t = np.linspace(-90, 0, 9)
    shell = lathe([(math.cos(math.radians(a)), math.sin(math.radians(a))) for a in t], 36, rgb=outer, specular=0.2).scaled(
        x / 2, y / 2, min(y, x) / 2
    )
    cut = lathe([(1.0, 0.0), (0.0, 0.0)], 36, rgb=outer).scaled(x / 2, y / 2, 1)
    pulp = lathe([(0.93, 0.001), (0.90, 0.0025), (0.0, 0.0025)], 36, rgb=flesh, specular=0.35).scaled(x / 2, y / 2, 1)
    parts: list[Any] = [shell, cut, pulp]
    if kind in ("avocado", "peach", "mango"):
        parts.append(ellipsoid(x * 0.36, y * 0.45, y * 0.30, rgb=core, specular=0.3).moved(x=x * 0.08, z=0.004))
    elif kind in ("lemon", "orange", "grapefruit"):
        parts += [box(y * 0.88, 0.0015, 0.001, rgb=core).turned("z", a).moved(z=0.0026) for a in range(0, 180, 36)]
    elif kind == "vidalia_onion":
        parts += [ring(y * f, 0.0011, 36, 6, rgb=(0.82, 0.86, 0.66)).moved(z=0.0025) for f in (0.16, 0.26, 0.36)]
    elif kind in ("kiwi", "papaya", "watermelon"):
        parts.append(
            lathe([(0.34, 0.0028), (0.0, 0.0032)], 30, rgb=core if kind != "papaya" else (0.90, 0.42, 0.16)).scaled(x / 2, y / 2, 1)
        )
        seeds = np.random.default_rng(1)
        for _ in range(26):
            a, q = seeds.uniform(0, 2 * math.pi), seeds.uniform(0.34, 0.62)
            parts.append(
                ellipsoid(0.02 * x + 0.002, 0.012 * x + 0.0015, 0.002, 4, 6, rgb=(0.08, 0.06, 0.05)).moved(
                    q * x / 2 * math.cos(a), q * y / 2 * math.sin(a), 0.0035
                )
            )
    elif kind in ("pumpkin", "butternut_squash"):
        wide, at = (0.62, 0.0) if kind == "pumpkin" else (0.30, -0.24 * x)
        parts.append(
            lathe([(wide, 0.0028), (0.0, 0.0030)], 30, rgb=(0.80, 0.44, 0.10))
            .scaled(x / 2, min(wide * x, 0.75 * y) / wide / 2, 1)
            .moved(x=at)
        )
        seeds = np.random.default_rng(2)
        for _ in range(40 if kind == "pumpkin" else 16):
            a, q = float(seeds.uniform(0, 2 * math.pi)), float(seeds.uniform(0.0, 0.85))
            seed = ellipsoid(0.016, 0.009, 0.005, 5, 8, rgb=(0.96, 0.90, 0.74)).scaled(0.8).turned("z", float(seeds.uniform(0, 180)))
            parts.append(seed.moved(at + q * wide * x / 2 * math.cos(a), q * min(wide * x, 0.75 * y) / 2 * math.sin(a), 0.004))
    elif kind == "coconut_fruit":
        parts.append(lathe([(0.82, 0.003), (0.72, 0.0031), (0.0, 0.0031)], 36, rgb=(0.80, 0.80, 0.76)).scaled(x / 2, y / 2, 1))
    elif kind == "apple":
        parts += [ellipsoid(0.008, 0.004, 0.002, 5, 8, rgb=(0.25, 0.14, 0.08)).moved(0.007 * s, 0, 0.003) for s in (-1, 1)]
    return model(parts, collider="hull")


@kinds("grape", "cherry", "olive", "gooseberry", "blueberry", "cranberry", "pearl", "moth_ball", "pea")
def _small_round(kind: str) -> Model:
    sizes: dict[str, tuple[float, float, Colour]] = {
        "grape": (0.018, 0.023, (0.40, 0.12, 0.38)),
        "cherry": (0.022, 0.021, (0.62, 0.04, 0.08)),
        "olive": (0.017, 0.024, (0.44, 0.48, 0.14)),
        "gooseberry": (0.018, 0.019, (0.68, 0.76, 0.32)),
        "blueberry": (0.013, 0.012, (0.20, 0.22, 0.45)),
        "cranberry": (0.014, 0.015, (0.65, 0.06, 0.10)),
        "pearl": (0.012, 0.012, (0.94, 0.92, 0.90)),
        "moth_ball": (0.02, 0.02, (0.96, 0.96, 0.97)),
        "pea": (0.009, 0.009, (0.40, 0.62, 0.18)),
    }
    w, h, colour = sizes[kind]
    shine = {"pearl": 1.0, "moth_ball": 0.1}.get(kind, 0.6)
    texture = tx.bands(((0.68, 0.76, 0.32), (0.80, 0.86, 0.50)), 10, "u") if kind == "gooseberry" else None
    body = ellipsoid(
        w, w, h, 14, 24, rgb=colour if texture is None else (1, 1, 1), texture=texture, specular=shine, shininess=0.7, tint=True
    ).moved(z=h / 2)
    extra: list[Any] = []
    if kind == "cherry":
        extra.append(tube([(0, 0, h - 0.002), (0.003, 0, h + 0.015), (0.012, 0, h + 0.034)], 0.0009, 6, rgb=(0.30, 0.42, 0.14)))
    if kind == "olive":
        extra.append(ellipsoid(0.006, 0.006, 0.004, 6, 10, rgb=(0.80, 0.16, 0.10)).moved(z=h - 0.001))
    if kind == "grape":
        extra.append(tube([(0, 0, h - 0.001), (0.001, 0, h + 0.006)], 0.001, 6, rgb=(0.45, 0.40, 0.18)))
    if kind == "blueberry":
        extra.append(lathe([(0.0, h - 0.0009), (0.0022, h - 0.0006)], 20, rgb=(0.10, 0.10, 0.22)))
        extra += [
            ellipsoid(0.0026, 0.0012, 0.0008, 5, 8, rgb=(0.13, 0.13, 0.28))
            .turned("y", -38)
            .moved(x=0.0029, z=h - 0.0002)
            .turned("z", 72.0 * k)
            for k in range(5)
        ]
    return model(body, extra, collider="sphere")


@kinds("raspberry", "blackberry")
def _raspberry(kind: str) -> Model:
    colour = (0.78, 0.12, 0.20) if kind == "raspberry" else (0.13, 0.06, 0.15)
    beads = []
    for k in range(46):
        z = 1 - 2 * (k + 0.5) / 46
        a, q = 2.39996 * k, math.sqrt(max(0, 1 - z * z))
        shrink = 1 - 0.25 * (z < 0) * -z
        beads.append(
            ball(0.0031, 6, 8, rgb=colour, specular=0.5).moved(
                0.0085 * q * shrink * math.cos(a), 0.0085 * q * shrink * math.sin(a), 0.011 + 0.0105 * -z
            )
        )
    return model(beads, ellipsoid(0.017, 0.017, 0.021, rgb=colour).moved(z=0.011), collider="sphere")


@kinds("strawberry")
def _strawberry(kind: str) -> Model:
    image = tx.speckle((0.82, 0.10, 0.10), (0.86, 0.16, 0.12), 5, 128, 0.3, 20, 0.4).copy()
    for k in range(90):
        y, x = int(18 + (k * 61) % 92), int((k * 47) % 126)
        image[y : y + 3, x : x + 2] = (242, 214, 120)
    body = lathe(
        smooth_profile([(0, 0), (0.006, 0.003), (0.014, 0.016), (0.018, 0.030), (0.013, 0.038), (0, 0.040)], 4),
        28,
        texture=image,
        rgb=(1, 1, 1),
        specular=0.4,
    )
    return model(
        body,
        [leaf(0.016, 0.008, 10, 60 * k).moved(z=0.0395) for k in range(6)],
        tube([(0, 0, 0.039), (0.002, 0, 0.048)], 0.0012, 6, **LEAF),
        collider="hull",
    )


@kinds("acorn")
def _acorn(kind: str) -> Model:
    nut = lathe(smooth_profile([(0, 0), (0.0015, 0.002), (0.008, 0.010), (0.009, 0.020)], 4), 24, rgb=(0.62, 0.42, 0.18), specular=0.5)
    cap = lathe(
        smooth_profile([(0.0095, 0.018), (0.0108, 0.021), (0.008, 0.028), (0, 0.030)], 4),
        24,
        texture=tx.speckle((0.36, 0.25, 0.14), (0.24, 0.16, 0.09), 1, 64, 0.5, 4),
        rgb=(1, 1, 1),
        specular=0.05,
    )
    return model(nut, cap, tube([(0, 0, 0.029), (0.001, 0, 0.036)], 0.0012, 6, **STEM), collider="hull")


@kinds("hazelnut")
def _hazelnut(kind: str) -> Model:
    shell = tx.bands(((0.60, 0.36, 0.16), (0.52, 0.30, 0.13)), 12, "u", 128, 0.03, True)
    nut = lathe(
        smooth_profile([(0, 0), (0.007, 0.001), (0.0098, 0.008), (0.007, 0.016), (0.001, 0.0195), (0, 0.020)], 4),
        24,
        texture=shell,
        rgb=(1, 1, 1),
        specular=0.4,
    )
    base = lathe(
        [(0, -0.0009), (0.0055, -0.0004), (0.0082, 0.0035)],
        20,
        texture=tx.speckle((0.82, 0.68, 0.48), (0.66, 0.50, 0.32), 3, 64, 0.5, 6, 0.2),
        rgb=(1, 1, 1),
        specular=0.0,
    )
    return model([p.turned("x", 118) for p in (nut, base)], collider="sphere")


@kinds("walnut")
def _walnut(kind: str) -> Model:
    shell = ribbed(
        ball(
            0.019,
            18,
            36,
            texture=tx.speckle((0.72, 0.55, 0.34), (0.50, 0.35, 0.19), 3, 128, 0.45, 10, 0.25),
            rgb=(1, 1, 1),
            specular=0.05,
        ),
        14,
        0.09,
    ).scaled(1, 0.92, 1.1)
    return model(shell, ring(0.0195, 0.0016, 30, 6, rgb=(0.58, 0.42, 0.24)).turned("x", 90), collider="sphere")


@kinds("banana")
def _banana(kind: str) -> Model:
    path = arc(0.105, 215, 325, 18, "xz", (0, 0, 0.11))
    radii = 0.017 * np.clip(np.sin(np.linspace(0.22, math.pi - 0.22, 18)) ** 0.45, 0.3, 1)
    body = tube(path, radii.tolist(), 7, rgb=(0.95, 0.82, 0.18), specular=0.2, tint=True)
    ends = [
        tube([path[0], path[0] + np.array([-0.006, 0, 0.016])], [0.006, 0.005], 7, rgb=(0.45, 0.40, 0.14)),
        ball(0.006, 6, 8, rgb=(0.16, 0.12, 0.07)).moved(*path[-1]),
    ]
    return model(body, ends)


@kinds("pineapple")
def _pineapple(kind: str) -> Model:
    body_profile = smooth_profile([(0.02, 0), (0.045, 0.008), (0.056, 0.07), (0.052, 0.13), (0.034, 0.172), (0.0, 0.176)], 4)
    yy, xx = np.mgrid[0:256, 0:256].astype(float)
    u, v = xx / 256 * 14, yy / 256 * 9
    edge = np.minimum(np.abs((u + v) % 2 - 1), np.abs((u - v) % 2 - 1))
    shade = np.clip(edge * 2.6, 0, 1)[..., None]
    eye = (np.hypot((u + v) % 2 - 1, (u - v) % 2 - 1) > 1.25)[..., None]
    image = tx.to_image(
        np.where(eye, np.array([0.40, 0.26, 0.10]), np.array([0.36, 0.26, 0.08]) * (1 - shade) + np.array([0.86, 0.60, 0.18]) * shade)
    )
    crown = []
    for ring_index, (n, tilt, length) in enumerate(((8, 20, 0.085), (8, 45, 0.11), (7, 66, 0.125), (4, 82, 0.13))):
        crown += [leaf(length, 0.020, tilt, 360 / n * k + 17 * ring_index, 0.25, rgb=(0.26, 0.46, 0.22)).moved(z=0.172) for k in range(n)]
    return model(lathe(body_profile, 36, texture=image, rgb=(1, 1, 1), specular=0.15), crown, collider="cylinder")


@kinds("grape_bunch")
def _grape_bunch(kind: str) -> Model:
    rng = np.random.default_rng(2)
    beads = [
        ellipsoid(0.020, 0.020, 0.023, 8, 12, rgb=(0.40, 0.12, 0.38), specular=0.6).moved(
            *map(float, (*(rng.normal(0, 1, 2) * (0.004 + 0.024 * z)), 0.01 + z))
        )
        for z in np.linspace(0.0, 0.11, 42)
    ]
    return model(beads, tube([(0, 0, 0.11), (0.006, 0, 0.15)], 0.003, 7, **STEM))
