"""Fruit, vegetables, bread, sweets, dishes: proper shapes and colours."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Array,
    Colour,
    Model,
    Part,
    Solid,
    Texture,
    arc,
    ball,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import kinds, maker

STEM: dict[str, Any] = {"rgb": (0.34, 0.24, 0.12), "specular": 0.05}
LEAF: dict[str, Any] = {"rgb": (0.22, 0.48, 0.16), "specular": 0.1}


def leaf(length: float, width: float, tilt_deg: float, turn_deg: float, bend: float = 0.3, **looks: Any) -> Part:
    """A pointed leaf from the origin outward along x, curved downward, two-sided."""
    t = np.linspace(0, 1, 8)
    w = width / 2 * np.sin(np.pi * np.clip(t * 0.96 + 0.04, 0, 1)) ** 0.8
    z = -bend * length * t**2
    rows = [np.stack([t * length, s * w, z + 0.15 * np.abs(s) * w], 1) for s in (-1.0, 0.0, 1.0)]
    v = np.concatenate(rows)
    n = len(t)
    faces = []
    for r in range(2):
        for i in range(n - 1):
            a, b, c, d = r * n + i, r * n + i + 1, (r + 1) * n + i, (r + 1) * n + i + 1
            faces += [(a, b, d), (a, d, c)]
    f = np.array(faces)
    two = Part(np.concatenate([v, v - np.array([0, 0, 1e-4])]), np.concatenate([f, f[:, ::-1] + len(v)]), **(LEAF | looks))
    return two.turned("y", -tilt_deg).turned("z", turn_deg)


def skin(part: Part, texture: np.ndarray, **looks: Any) -> Part:
    return part.looks(texture=texture, rgb=(1.0, 1.0, 1.0), **looks)


def _ribbed(part: Part, ribs: int, depth: float) -> Part:
    """Press vertical grooves into a round body (pumpkins, peppers)."""

    def groove(v: Array) -> Array:
        a = np.arctan2(v[:, 1], v[:, 0])
        factor = 1 - depth * (1 - np.abs(np.cos(ribs * a / 2)))
        return v * np.stack([factor, factor, np.ones(len(v))], 1)

    return part.mapped(groove)


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


_ROUND: dict[str, tuple[list[tuple[float, float]], Colour, Colour, float]] = {
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
    outline, colour, second, share = _ROUND[kind]
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
    shell = _ribbed(
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
    return model(_ribbed(shape, 10, 0.16), stem, collider="sphere")


@kinds("pattypan_squash")
def _pattypan_squash(kind: str) -> Model:
    shape = lathe(
        smooth_profile([(0, 0), (0.03, 0.004), (0.058, 0.02), (0.06, 0.028), (0.035, 0.046), (0, 0.05)], 4),
        48,
        rgb=(0.95, 0.85, 0.30),
        specular=0.3,
    )
    return model(_ribbed(shape, 12, 0.12), tube([(0, 0, 0.048), (0, 0, 0.066)], 0.007, 8, **LEAF))


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
    return model(_ribbed(shape, 4, 0.16), tube([(0, 0, 0.08), (0.001, 0, 0.098), (0.008, 0, 0.112)], [0.007, 0.005, 0.006], 8, **LEAF))


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
    return model(_ribbed(cone, 7, 0.10))


@kinds("garlic")
def _garlic(kind: str) -> Model:
    bulb = _ribbed(
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
    shell = _ribbed(
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


@kinds("ice_cream_cone")
def _ice_cream_cone(kind: str) -> Model:
    yy, xx = np.mgrid[0:128, 0:128]
    waffle = (((xx + yy) % 16 < 3) | ((xx - yy) % 16 < 3))[..., None]
    image = np.where(waffle, np.array([150, 92, 40]), np.array([214, 156, 84])).astype(np.uint8)
    cone = lathe([(0, 0), (0.026, 0.11), (0.027, 0.114), (0.024, 0.114)], 30, texture=image, rgb=(1, 1, 1), specular=0.05)
    scoop = ball(
        0.031, 16, 26, texture=tx.speckle((0.97, 0.80, 0.84), (0.93, 0.70, 0.76), 4, 64, 0.4, 12, 0.4), rgb=(1, 1, 1), specular=0.15
    ).moved(z=0.134)
    skirt = [
        ball(0.008, 6, 10, rgb=(0.96, 0.78, 0.82)).moved(0.026 * math.cos(a), 0.026 * math.sin(a), 0.118)
        for a in np.linspace(0, 2 * math.pi, 12, endpoint=False)
    ]
    return model(cone, scoop, skirt, collider="hull")


@kinds("lollipop")
def _lollipop(kind: str) -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    spiral = ((np.arctan2(y, x) / (2 * math.pi) * 2 + np.hypot(x, y) * 3) % 1 < 0.5)[..., None]
    image = np.where(spiral, np.array([225, 40, 60]), np.array([250, 240, 235])).astype(np.uint8)
    outline = [(0.035 * math.cos(a), 0.035 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 36, endpoint=False)]
    disc = standing(extrude(outline, 0.010, texture=image, rgb=(1, 1, 1), specular=0.6, shininess=0.7)).moved(y=0.005, z=0.125)
    return model(disc, tube([(0, 0, 0), (0, 0, 0.10)], 0.0026, 8, rgb=(0.96, 0.95, 0.92)))


@kinds("candy_cane")
def _candy_cane(kind: str) -> Model:
    path = np.concatenate([np.array([[0, 0, z] for z in np.linspace(0, 0.11, 12)]), arc(0.022, 180, 10, 12, "xz", (0.022, 0, 0.112))])
    image = np.zeros((128, 128, 3), np.uint8)
    yy, xx = np.mgrid[0:128, 0:128]
    image[:] = np.where((((xx / 128 + yy / 128 * 9) % 1) < 0.5)[..., None], np.array([214, 26, 40]), np.array([250, 248, 246]))
    return model(tube(path, 0.0065, 14, texture=image, rgb=(1, 1, 1), specular=0.6))


@kinds("peppermint_candy", "mint")
def _peppermint_candy(kind: str) -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    swirl = ((np.arctan2(y, x) / (2 * math.pi) * 6 + np.hypot(x, y) * 0.8) % 1 < 0.5)[..., None]
    image = np.where(swirl, np.array([220, 30, 44]), np.array([250, 248, 246])).astype(np.uint8)
    outline = [(0.012 * math.cos(a), 0.012 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 28, endpoint=False)]
    candy = extrude(outline, 0.009, texture=image, rgb=(1, 1, 1), specular=0.6)
    twists = [
        lathe([(0.002, 0.010), (0.010, 0.026), (0.001, 0.020)], 9, rgb=(0.92, 0.95, 0.97), alpha=0.7, specular=0.8)
        .turned("y", a)
        .moved(z=0.0045)
        for a in (90, -90)
    ]
    return model(candy, twists)


@kinds("marshmallow")
def _marshmallow(kind: str) -> Model:
    return model(
        lathe(
            smooth_profile([(0, 0), (0.014, 0), (0.016, 0.004), (0.016, 0.026), (0.014, 0.030), (0, 0.030)], 4),
            26,
            rgb=(0.98, 0.96, 0.95),
            specular=0.05,
            tint=True,
        ),
        collider="cylinder",
    )


@kinds("sugar_cube")
def _sugar_cube(kind: str) -> Model:
    return model(
        box(
            0.017,
            0.017,
            0.015,
            texture=tx.speckle((0.97, 0.97, 0.96), (0.88, 0.88, 0.87), 2, 64, 0.4, 3, 0.1),
            rgb=(1, 1, 1),
            specular=0.3,
        ),
        collider="box",
    )


@kinds("ice_cube")
def _ice_cube(kind: str) -> Model:
    return model(
        rounded_box(0.03, 0.03, 0.028, 7, rgb=(0.82, 0.93, 0.99), alpha=0.62, specular=1.0, shininess=0.9),
        ellipsoid(0.012, 0.010, 0.010, rgb=(0.97, 0.99, 1.0), alpha=0.75).moved(z=0.014),
        collider="box",
    )


@kinds("whiskey_stone")
def _whiskey_stone(kind: str) -> Model:
    return model(
        box(
            0.022,
            0.022,
            0.022,
            texture=tx.speckle((0.42, 0.43, 0.45), (0.30, 0.31, 0.33), 5, 64, 0.4, 10, 0.3),
            rgb=(1, 1, 1),
            specular=0.3,
        ),
        collider="box",
    )


@kinds("easter_egg", "raw_egg", "hard_boiled_egg")
def _easter_egg(kind: str) -> Model:
    outline = smooth_profile(_ROUND["egg"][0], 5)
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
