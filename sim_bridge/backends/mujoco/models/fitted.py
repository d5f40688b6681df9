"""Furniture that is built for its place: kitchen runs, rugs, shelves of a store, racks. Models stand on z = 0 and face −y."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model, Part, ball, box, lathe, model, tube

STEEL: dict[str, Any] = {"rgb": (0.74, 0.75, 0.76), "specular": 0.7, "shininess": 0.6}
DARK: dict[str, Any] = {"rgb": (0.10, 0.10, 0.11), "specular": 0.3}

FRONTS: tuple[Colour, ...] = ((0.93, 0.92, 0.89), (0.80, 0.84, 0.86), (0.72, 0.78, 0.70), (0.90, 0.84, 0.72), (0.55, 0.62, 0.68))
DEPTH_M, TOP_M = 0.60, 0.90


def kitchen_run(length: float, seed: int, without: frozenset[str] = frozenset()) -> tuple[Model, list[str]]:
    """Base cabinets under one worktop, with sink, hob and oven where they fit.

    Args:
        length: of the worktop, metres; a module is about 60 cm wide.
        seed: decides the order of the modules and the colours.
        without: modules to leave out, of ``sink``, ``oven``, ``dishwasher`` (objects of the task look like them).

    Returns:
        The model and the modules from left to right.
    """
    rng = np.random.default_rng([seed, 41])
    n = max(1, int(length / 0.6))
    wide = length / n
    modules = ["doors"] * n
    wanted = [m for m in ("sink", "oven", "drawers", "dishwasher") if m not in without]
    places = [int(k) for k in rng.permutation(n)]
    if n >= 4:  # sink and hob apart
        places.sort(key=lambda k: (abs(k - (n - 1) / 2) < 0.6, k % 2))
    for name, k in zip(wanted, places, strict=False):
        modules[k] = name
    front: dict[str, Any] = {"rgb": FRONTS[int(rng.integers(len(FRONTS)))], "specular": 0.12}
    parts: list[Part] = [
        box(length, DEPTH_M - 0.06, 0.10, only=("front",), rgb=(0.20, 0.19, 0.18)).moved(y=0.03),
        box(length, DEPTH_M - 0.03, TOP_M - 0.14, only=("left", "right", "front", "back"), **front).moved(y=0.015, z=0.10),
    ]
    top = tx.wood((0.62, 0.46, 0.30), seed % 3, 256, 5.0) if rng.random() < 0.5 else tx.speckle((0.42, 0.42, 0.44), (0.34, 0.34, 0.36), 3)
    worktop: dict[str, Any] = {"texture": top, "rgb": (1.0, 1.0, 1.0), "specular": 0.2}
    for k, name in enumerate(modules):
        x = -length / 2 + wide * (k + 0.5)
        parts += _module(name, wide, x, front)
        if name == "sink":
            parts += _worktop_with_hole(wide, x, worktop)
        else:
            parts.append(box(wide, DEPTH_M + 0.02, 0.04, divide=2, **worktop).moved(x, -0.01, TOP_M - 0.04))
    parts.append(
        box(length, 0.012, 0.47, only=("front",), texture=tx.tiles((0.88, 0.88, 0.86), 3, 256, 5, (0.74, 0.73, 0.71), 0.015)).moved(
            y=DEPTH_M / 2 - 0.006, z=TOP_M
        )
    )
    return model(parts, collider="box", solid=False), modules


def _handle(x: float, y: float, z: float, long: float = 0.14) -> Part:
    return box(long, 0.018, 0.014, **STEEL).moved(x, y - 0.02, z)


def _module(name: str, wide: float, x: float, front: dict[str, Any]) -> list[Part]:
    y = -DEPTH_M / 2 + 0.022
    low, high = 0.12, TOP_M - 0.06

    def door(cx: float, w: float, z0: float, z1: float) -> Part:
        return box(w - 0.008, 0.018, z1 - z0 - 0.008, only=("front", "left", "right", "top", "bottom"), **front).moved(cx, y, z0 + 0.004)

    if name == "drawers":
        edges = np.linspace(low, high, 4)
        parts = [door(x, wide, a, b) for a, b in itertools.pairwise(edges)]
        return parts + [_handle(x, y, float(b) - 0.05) for b in edges[1:]]
    if name == "oven":
        parts = [
            box(wide - 0.01, 0.02, 0.10, **STEEL).moved(x, y, high - 0.10),
            box(wide - 0.01, 0.022, high - low - 0.22, rgb=(0.07, 0.07, 0.08), specular=0.6).moved(x, y, low + 0.11),
            box(wide - 0.01, 0.02, 0.10, **STEEL).moved(x, y, low),
            box(wide - 0.12, 0.03, 0.018, **STEEL).moved(x, y - 0.03, high - 0.16),
        ]
        parts += [
            lathe([(0.018, 0), (0.018, 0.02), (0, 0.022)], 12, **DARK).turned("x", 90).moved(x + k * 0.1, y - 0.01, high - 0.05)
            for k in (-1.5, -0.5, 0.5, 1.5)
        ]
        glass = box(0.56, 0.50, 0.006, rgb=(0.05, 0.05, 0.06), specular=0.7, shininess=0.8).moved(x, -0.01, TOP_M)
        rings = [
            lathe([(0.075, 0), (0.09, 0.0012)], 24, rgb=(0.30, 0.30, 0.32), specular=0.2).moved(
                x + sx * 0.14, -0.01 + sy * 0.12, TOP_M + 0.0062
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        return [*parts, glass, *rings]
    if name == "dishwasher":
        return [
            box(wide - 0.008, 0.02, high - low - 0.12, rgb=(0.80, 0.81, 0.82), specular=0.5).moved(x, y, low),
            box(wide - 0.008, 0.022, 0.11, **DARK).moved(x, y, high - 0.11),
            box(wide - 0.14, 0.03, 0.018, **STEEL).moved(x, y - 0.02, high - 0.15),
        ]
    parts = [door(x + s * wide / 4, wide / 2, low, high) for s in (-1, 1)]
    parts += [box(0.014, 0.018, 0.14, **STEEL).moved(x + s * 0.05, y - 0.02, high - 0.2) for s in (-1, 1)]
    if name == "sink":
        parts += _basin(x)
    return parts


def _worktop_with_hole(wide: float, x: float, look: dict[str, Any]) -> list[Part]:
    """Four strips around a basin of 0.44 × 0.38 m."""
    z, side, deep = TOP_M - 0.04, (wide - 0.44) / 2, DEPTH_M + 0.02
    back, front = (deep - 0.38) / 2 - 0.02, (deep - 0.38) / 2 + 0.02
    return [
        *(box(side, deep, 0.04, **look).moved(x + s * (0.22 + side / 2), -0.01, z) for s in (-1, 1) if side > 0.005),
        box(0.44, back, 0.04, **look).moved(x, -0.01 + deep / 2 - back / 2, z),
        box(0.44, front, 0.04, **look).moved(x, -0.01 - deep / 2 + front / 2, z),
    ]


def _basin(x: float) -> list[Part]:
    y = 0.01
    floor = np.array([[-0.22, -0.19, 0], [0.22, -0.19, 0], [0.22, 0.19, 0], [-0.22, 0.19, 0]]) + np.array([x, y, TOP_M - 0.17])
    rim = floor + np.array([0, 0, 0.172])
    parts = [Part(floor, np.array([[0, 1, 2], [0, 2, 3]]), **STEEL)]
    for i in range(4):
        j = (i + 1) % 4
        q = np.array([floor[j], floor[i], rim[i], rim[j]])
        parts.append(Part(q, np.array([[0, 1, 2], [0, 2, 3]]), **STEEL))
    bend = [(x, y + 0.23, TOP_M), (x, y + 0.23, TOP_M + 0.20)]
    bend += [(x, y + 0.23 - 0.09 * (1 - math.cos(t)), TOP_M + 0.20 + 0.07 * math.sin(t)) for t in np.linspace(0.3, math.pi, 6)]
    parts.append(tube(bend, 0.012, 8, **STEEL))
    return parts


def wall_cabinets(length: float, seed: int) -> Model:
    """Cabinets above a kitchen run; hangs with its lower edge at z = 0."""
    rng = np.random.default_rng([seed, 41])
    n = max(1, int(length / 0.6))
    rng.permutation(n)
    front: dict[str, Any] = {"rgb": FRONTS[int(rng.integers(len(FRONTS)))], "specular": 0.12}
    wide = length / n
    parts = [box(length, 0.33, 0.62, divide=2, **front).moved(y=0.01)]
    for k in range(n):
        x = -length / 2 + wide * (k + 0.5)
        parts.append(box(wide - 0.008, 0.018, 0.61, **front).moved(x, -0.165, 0.005))
        parts.append(box(0.014, 0.016, 0.12, **STEEL).moved(x + (wide / 2 - 0.05) * (1 if k % 2 == 0 else -1), -0.185, 0.05))
    return model(parts, collider="box")


def rug(wide: float, deep: float, seed: int, kind: str = "lozenge") -> Model:
    """A rug 8 mm thick."""
    pairs: tuple[tuple[Colour, Colour], ...] = (
        ((0.52, 0.18, 0.17), (0.86, 0.76, 0.58)),
        ((0.20, 0.28, 0.42), (0.80, 0.77, 0.68)),
        ((0.72, 0.66, 0.56), (0.46, 0.36, 0.28)),
        ((0.28, 0.38, 0.32), (0.82, 0.76, 0.62)),
        ((0.44, 0.40, 0.42), (0.80, 0.72, 0.66)),
    )
    base, accent = pairs[seed % len(pairs)]
    texture = tx.soft_rug(base, accent, kind, round(deep / wide, 1))
    return model(
        box(wide, deep, 0.008, only=("top", "front", "back", "left", "right"), divide=3, texture=texture, specular=0.0), collider="box"
    )


def round_table(wide: float = 0.8, high: float = 0.74, colour: Colour = (0.50, 0.34, 0.22)) -> Model:
    """A round table on one foot."""
    wood: dict[str, Any] = {"texture": tx.wood(colour, 3, 256, 5.0), "rgb": (1, 1, 1), "specular": 0.2}
    r = wide / 2
    top = lathe([(0, high - 0.03), (r, high - 0.03), (r, high), (0, high)], 32, **wood)
    foot = lathe([(0.22, 0), (0.20, 0.03), (0.04, 0.06), (0.04, high - 0.03)], 24, **DARK)
    return model(top, foot, solid=False, collider="box")


def gondola(seed: int, double: bool = True, long: float = 2.4) -> Model:
    """A low shop shelf filled with packages in rows of one kind, from both sides or from the front alone."""
    rng = np.random.default_rng([seed, 43])
    high, deep = 1.5, 0.8 if double else 0.42
    white: dict[str, Any] = {"rgb": (0.88, 0.88, 0.87), "specular": 0.2}
    parts: list[Part] = [box(long, 0.03, high, divide=3, **white).moved(y=0.0 if double else deep / 2 - 0.015)]
    parts += [box(0.03, deep, high, **white).moved(x=s * (long / 2 - 0.015)) for s in (-1, 1)]
    palette: tuple[Colour, ...] = (
        (0.80, 0.20, 0.16),
        (0.94, 0.76, 0.18),
        (0.20, 0.46, 0.26),
        (0.18, 0.34, 0.64),
        (0.90, 0.88, 0.82),
        (0.86, 0.48, 0.16),
        (0.46, 0.22, 0.46),
    )
    for z in (0.10, 0.45, 0.80, 1.15):
        parts.append(box(long, deep, 0.025, **white).moved(z=z - 0.025))
        for side in (-1, 1) if double else (-1,):
            rim = box(long, 0.012, 0.05, rgb=(0.70, 0.12, 0.12), specular=0.2).moved(y=side * deep / 2, z=z - 0.045)
            parts.append(rim)
            x = -long / 2 + 0.06
            while x < long / 2 - 0.18:
                w, tall = float(rng.uniform(0.10, 0.17)), float(rng.uniform(0.14, 0.27))
                colour = palette[int(rng.integers(len(palette)))]
                for _ in range(int(rng.integers(2, 4))):
                    if x > long / 2 - w - 0.03:
                        break
                    if rng.random() < 0.93:
                        y = side * (deep / 4 + 0.04) if double else -0.04
                        parts.append(
                            box(w - 0.012, deep * (0.30 if double else 0.6), tall, rgb=colour, specular=0.15).moved(x + w / 2, y, z)
                        )
                    x += w
                x += 0.015
    return model(parts, collider="box")


def shop_fridge(long: float = 1.3) -> Model:
    """A tall cooler with a glass front and drinks in rows."""
    rng = np.random.default_rng(47)
    body: dict[str, Any] = {"rgb": (0.86, 0.87, 0.88), "specular": 0.35}
    parts: list[Part] = [
        box(long, 0.62, 0.18, **body),
        box(long, 0.62, 0.22, **body).moved(z=1.78),
        box(long, 0.02, 1.6, rgb=(0.92, 0.95, 0.97), emission=0.25).moved(y=0.30, z=0.18),
        *(box(0.04, 0.62, 1.6, **body).moved(x=s * (long / 2 - 0.02), z=0.18) for s in (-1, 0, 1)),
        box(long - 0.1, 0.01, 0.12, rgb=(0.16, 0.40, 0.66), emission=0.2).moved(y=-0.312, z=1.83),
    ]
    colours: tuple[Colour, ...] = ((0.75, 0.12, 0.10), (0.15, 0.50, 0.25), (0.90, 0.60, 0.12), (0.20, 0.40, 0.75), (0.92, 0.92, 0.90))
    for z in (0.24, 0.62, 1.00, 1.38):
        parts.append(box(long - 0.06, 0.5, 0.02, rgb=(0.80, 0.82, 0.84)).moved(y=0.03, z=z - 0.02))
        x = -long / 2 + 0.1
        while x < long / 2 - 0.08:
            c = colours[int(rng.integers(5))]
            for _ in range(3):
                if x < long / 2 - 0.08 and abs(x) > 0.06:
                    parts.append(
                        lathe([(0.036, 0), (0.036, 0.16), (0.014, 0.21), (0.014, 0.25), (0, 0.25)], 10, rgb=c, specular=0.4).moved(
                            x, -0.15, z
                        )
                    )
                x += 0.085
    return model(parts, collider="box")


def dumbbell_rack() -> Model:
    """Two rows of dumbbells on a slanted rack."""
    parts: list[Part] = [box(0.05, 0.5, 0.05, **DARK).moved(x=s * 0.6) for s in (-1, 1)]
    parts += [tube([(s * 0.6, -0.2, 0.03), (s * 0.6, 0.15, 0.85)], 0.025, 8, **DARK) for s in (-1, 1)]
    for row, (y, z) in enumerate(((-0.08, 0.35), (0.08, 0.72))):
        parts += [tube([(-0.62, y + d, z), (0.62, y + d, z)], 0.014, 6, **STEEL) for d in (-0.07, 0.07)]
        for k in range(5):
            x, r = -0.48 + 0.24 * k, 0.045 + 0.006 * (k if row == 0 else 4 - k)
            parts.append(tube([(x, y - 0.12, z + 0.05), (x, y + 0.12, z + 0.05)], 0.014, 8, **STEEL))
            parts += [
                lathe([(0, -0.03), (r, -0.03), (r, 0.03), (0, 0.03)], 12, **DARK).turned("x", 90).moved(x, y + s * 0.10, z + 0.05)
                for s in (-1, 1)
            ]
    return model(parts, solid=False, collider="box")


def weight_bench() -> Model:
    """A flat bench with a bar on its stand."""
    pad: dict[str, Any] = {"rgb": (0.16, 0.16, 0.18), "specular": 0.25}
    parts = [box(0.30, 1.15, 0.07, **pad).moved(z=0.40), box(0.06, 1.0, 0.05, **STEEL).moved(z=0.34)]
    parts += [box(0.5, 0.06, 0.05, **STEEL).moved(y=s * 0.45) for s in (-1, 1)] + [
        box(0.05, 0.05, 0.36, **STEEL).moved(y=s * 0.45) for s in (-1, 1)
    ]
    parts += [box(0.05, 0.05, 0.98, **STEEL).moved(s * 0.42, 0.5) for s in (-1, 1)] + [box(0.84, 0.04, 0.04, **STEEL).moved(y=0.5, z=0.2)]
    parts.append(tube([(-0.95, 0.46, 1.0), (0.95, 0.46, 1.0)], 0.014, 8, **STEEL))
    for s in (-1, 1):
        parts += [
            lathe([(0.02, -0.02), (r, -0.02), (r, 0.02), (0.02, 0.02)], 20, **DARK).turned("y", 90).moved(s * x, 0.46, 1.0)
            for r, x in ((0.2, 0.78), (0.15, 0.84))
        ]
    return model(parts, solid=False, collider="box")


def garage_door(wide: float, high: float) -> Model:
    """A sectional door, closed."""
    white: dict[str, Any] = {"rgb": (0.84, 0.85, 0.85), "specular": 0.2}
    parts = [box(wide, 0.03, high / 5 - 0.012, divide=2, **white).moved(z=high / 5 * k + 0.006) for k in range(5)]
    parts += [box(0.08, 0.05, high + 0.06, rgb=(0.55, 0.56, 0.57)).moved(x=s * (wide / 2 + 0.04)) for s in (-1, 1)]
    parts.append(box(wide + 0.16, 0.05, 0.08, rgb=(0.55, 0.56, 0.57)).moved(z=high))
    parts.append(box(0.22, 0.03, 0.03, **DARK).moved(y=-0.03, z=0.55))
    return model(parts, collider="box")


def storage_rack(seed: int, long: float = 1.2, high: float = 1.85) -> Model:
    """A metal rack with cardboard boxes, bins and cans of paint."""
    rng = np.random.default_rng([seed, 53])
    steel: dict[str, Any] = {"rgb": (0.45, 0.48, 0.52), "specular": 0.4}
    deep = 0.45
    parts: list[Part] = [
        box(0.04, 0.04, high, **steel).moved(sx * (long / 2 - 0.02), sy * (deep / 2 - 0.02)) for sx in (-1, 1) for sy in (-1, 1)
    ]
    card = tx.speckle((0.70, 0.54, 0.36), (0.66, 0.50, 0.33), 5, 64)
    for z in np.linspace(0.1, high - 0.05, 4):
        parts.append(box(long, deep, 0.03, **steel).moved(z=float(z) - 0.03))
        if z > high - 0.2:
            continue
        x = -long / 2 + 0.05
        while x < long / 2 - 0.2:
            what = int(rng.integers(4))
            w = float(rng.uniform(0.24, 0.40)) if what < 2 else 0.19 if what == 2 else 0.30
            if x + w > long / 2 - 0.04:
                break
            cx = x + w / 2
            if what < 2:
                tall = float(rng.uniform(0.18, 0.36))
                parts.append(box(w - 0.03, 0.34, tall, texture=card, rgb=(1, 1, 1), specular=0.0).moved(cx, -0.02, float(z)))
                parts.append(
                    box(0.05, 0.345, tall + 0.002, only=("front", "top"), rgb=(0.82, 0.74, 0.58), specular=0.1).moved(cx, -0.022, float(z))
                )
            elif what == 2:
                c: Colour = ((0.80, 0.82, 0.84), (0.30, 0.45, 0.65), (0.70, 0.30, 0.22))[int(rng.integers(3))]
                parts.append(
                    lathe([(0, 0), (0.085, 0), (0.085, 0.19), (0.078, 0.195), (0, 0.19)], 16, rgb=c, specular=0.4).moved(
                        cx, -0.04, float(z)
                    )
                )
            else:
                c = ((0.20, 0.42, 0.66), (0.75, 0.30, 0.18), (0.36, 0.38, 0.40))[int(rng.integers(3))]
                parts.append(box(w - 0.02, 0.36, 0.17, rgb=c, specular=0.3).moved(cx, -0.02, float(z)))
            x += w + 0.02
    return model(parts, solid=False, collider="box")


def chalk_board(wide: float = 2.4, high: float = 1.1) -> Model:
    """A green board with a wooden frame and a ledge; hangs with its lower edge at z = 0."""
    frame: dict[str, Any] = {"texture": tx.wood((0.55, 0.38, 0.24), 2, 128, 4.0), "rgb": (1, 1, 1), "specular": 0.1}
    parts = [box(wide, 0.02, high, rgb=(0.13, 0.27, 0.21), specular=0.05)]
    parts += [box(0.05, 0.035, high, **frame).moved(x=s * wide / 2) for s in (-1, 1)]
    parts += [box(wide + 0.05, 0.035, 0.05, **frame).moved(z=z) for z in (0.0, high - 0.05)]
    parts.append(box(wide * 0.8, 0.09, 0.02, **frame).moved(y=-0.05, z=-0.01))
    parts += [box(0.08, 0.012, 0.012, rgb=(0.95, 0.95, 0.92)).moved(x, -0.06, 0.011) for x in (-0.3, -0.18, 0.25)]
    return model(parts, collider="box")


def mirror_cabinet() -> Model:
    """A bathroom cabinet to hang above a washbasin."""
    white: dict[str, Any] = {"rgb": (0.93, 0.93, 0.92), "specular": 0.3}
    parts = [box(0.6, 0.14, 0.6, **white)]
    parts += [box(0.292, 0.014, 0.59, **white).moved(s * 0.149, -0.077, 0.005) for s in (-1, 1)]
    parts += [ball(0.012, 6, 10, **STEEL).moved(s * 0.03, -0.095, 0.1) for s in (-1, 1)]
    return model(parts, collider="box")


def bunk(wide: float = 0.95, long: float = 1.9, seed: int = 0) -> Model:
    """A child's bed with a low rail; the head is at the back."""
    wood: dict[str, Any] = {"rgb": (0.94, 0.93, 0.90), "specular": 0.15}
    covers: tuple[Colour, ...] = ((0.30, 0.56, 0.78), (0.86, 0.44, 0.52), (0.40, 0.66, 0.46), (0.93, 0.76, 0.32))
    cover = covers[seed % 4]
    parts = [
        box(wide, 0.04, 0.80, **wood).moved(y=long / 2 - 0.02),
        box(wide, 0.04, 0.50, **wood).moved(y=-long / 2 + 0.02),
        *(box(0.03, long - 0.08, 0.22, **wood).moved(x=s * (wide / 2 - 0.015), z=0.18) for s in (-1, 1)),
        box(wide - 0.06, long - 0.08, 0.20, rgb=(0.95, 0.95, 0.93), specular=0.0).moved(z=0.24),
        box(wide - 0.03, long * 0.62, 0.05, texture=tx.bands((cover, (0.95, 0.94, 0.90)), 4, "v", 128), rgb=(1, 1, 1), specular=0.0).moved(
            y=-long * 0.16, z=0.42
        ),
        *(box(0.012, long * 0.62, 0.14, rgb=cover, specular=0.0).moved(x=s * (wide / 2 - 0.012), y=-long * 0.16, z=0.32) for s in (-1, 1)),
        box(wide * 0.7, 0.36, 0.11, rgb=(0.97, 0.97, 0.96), specular=0.0).moved(y=long / 2 - 0.26, z=0.44),
    ]
    return model(parts, solid=False, collider="box")
