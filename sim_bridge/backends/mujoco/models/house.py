"""Boxes, baskets, furniture and decoration that the asset pack lacks, and simple furniture where no pack is installed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Cavity,
    Colour,
    Model,
    Solid,
    arc,
    ball,
    box,
    ellipsoid,
    lathe,
    model,
    ring,
    rounded_box,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.turned import tube_solids, turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import vessel

OAK: Colour = (0.70, 0.52, 0.32)
WALNUT: Colour = (0.42, 0.27, 0.16)


def wooden(colour: Colour = OAK, seed: int = 0) -> dict[str, Any]:
    return {"texture": tx.wood(colour, seed), "rgb": (1.0, 1.0, 1.0), "specular": 0.2, "shininess": 0.4}


@maker
def mirror() -> Model:
    """The frame of a mirror; the world adds the reflecting plane in front of it."""
    return model(box(0.8, 0.04, 1.2, rgb=(0.35, 0.24, 0.15), specular=0.2, tint=True), collider="box")


@maker
def cardboard_box(
    open_top: bool = False,
    colour: tuple[float, float, float] = (0.72, 0.54, 0.36),
    wide: float = 0.40,
    deep: float = 0.30,
    high: float = 0.28,
) -> Model:
    look: dict[str, Any] = {
        "texture": tx.speckle(colour, (colour[0] * 0.95, colour[1] * 0.95, colour[2] * 0.95), 3, 128, 0.4, 40, 0.5),
        "rgb": (1, 1, 1),
        "specular": 0.02,
        "tint": True,
    }
    t = 0.004
    parts = (
        [box(wide, t, high, **look).moved(y=s * (deep - t) / 2) for s in (-1, 1)]
        + [box(t, deep, high, **look).moved(x=s * (wide - t) / 2) for s in (-1, 1)]
        + [box(wide, deep, t, **look)]
    )
    if open_top:
        for s in (-1, 1):
            parts.append(box(wide, deep * 0.42, t, **look).moved(y=s * deep * 0.21).turned("x", s * 42).moved(y=s * deep / 2, z=high))
            parts.append(box(wide * 0.42, deep, t, **look).moved(x=s * wide * 0.21).turned("y", -s * 48).moved(x=s * wide / 2, z=high))
    else:
        parts.append(box(wide, deep, t, **look).moved(z=high - t))
        parts.append(box(wide * 1.002, 0.05, 0.001, rgb=(0.84, 0.70, 0.46), specular=0.5).moved(z=high))
        parts += [box(0.001, 0.05, high * 0.3, rgb=(0.84, 0.70, 0.46), specular=0.5).moved(x=s * wide / 2, z=high * 0.7) for s in (-1, 1)]
        parts += [box(wide, 0.0015, 0.0006, only=["top"], rgb=(0.45, 0.32, 0.2)).moved(z=high + 0.001)]
    if not open_top:
        return model(parts, hollow=True, collider="box")
    flaps = pieces(*parts[5:])
    half = (wide / 2 - t, deep / 2 - t, (high - t) / 2)
    inside = Cavity(half=half, offset=np.array([0.0, 0.0, (high + t) / 2]))
    walls = [Solid.box([wide / 2, t / 2, high / 2], [0, s * (deep - t) / 2, high / 2]) for s in (-1, 1)]
    walls += [Solid.box([t / 2, deep / 2, high / 2], [s * (wide - t) / 2, 0, high / 2]) for s in (-1, 1)]
    return model(parts, hollow=True, solids=(*walls, Solid.box([wide / 2, deep / 2, t / 2], [0, 0, t / 2]), *flaps), cavity=inside)


@maker
def basket(handle: bool = True) -> Model:
    y, x = np.mgrid[0:128, 0:256]
    weave = ((x // 16 + y // 8) % 2)[..., None]
    shade = (0.75 + 0.25 * np.abs(np.sin(x * math.pi / 16)) * np.abs(np.sin(y * math.pi / 8)))[..., None]
    image = tx.to_image(np.where(weave, np.array([0.70, 0.50, 0.28]), np.array([0.58, 0.39, 0.20])) * shade)
    look: dict[str, Any] = {"texture": image, "rgb": (1, 1, 1), "specular": 0.05}
    body = turned([(0.13, 0), (0.15, 0.02), (0.17, 0.17), (0.175, 0.18)], 0.008, 0.010, 40, holds_liquid=False, **look)
    rim = ring(0.174, 0.009, 44, 8, rgb=(0.55, 0.37, 0.19)).moved(z=0.18)
    bow = arc(0.165, 5, 175, 22, "xz", (0, 0, 0.17))
    grip = [tube(bow, 0.008, 8, rgb=(0.58, 0.39, 0.20))] if handle else []
    bars = tube_solids(bow[::3], 0.008) if handle else ()
    return vessel_model(body, rim, grip, solids=bars).mapped(np.diag([1.0, 0.75, 1.0]), np.zeros(3))


@maker
def table(kind: str = "dining") -> Model:
    x, y, z = {
        "dining": (1.4, 0.85, 0.74),
        "coffee": (1.1, 0.6, 0.42),
        "console": (1.1, 0.36, 0.80),
        "desk": (1.3, 0.65, 0.74),
        "side": (0.5, 0.5, 0.5),
        "conference": (2.6, 1.1, 0.74),
        "lab": (1.8, 0.7, 0.9),
    }[kind]
    look = wooden(WALNUT if kind in ("coffee", "console") else OAK, 3) if kind != "lab" else {"rgb": (0.20, 0.22, 0.24), "specular": 0.3}
    parts: list[Any] = [box(x, y, 0.032, divide=4, **look).moved(z=z - 0.032)]
    legs = wooden(WALNUT if kind in ("coffee", "console") else OAK, 4) if kind != "lab" else STEEL
    parts += [box(0.06, 0.06, z - 0.032, **legs).moved(sx * (x / 2 - 0.06), sy * (y / 2 - 0.06)) for sx in (-1, 1) for sy in (-1, 1)]
    parts += [box(x - 0.14, 0.02, 0.07, **legs).moved(y=s * (y / 2 - 0.06), z=z - 0.10) for s in (-1, 1)]
    parts += [box(0.02, y - 0.14, 0.07, **legs).moved(x=s * (x / 2 - 0.06), z=z - 0.10) for s in (-1, 1)]
    if kind == "desk":
        parts.append(box(0.38, y - 0.08, 0.46, **look).moved(x=x / 2 - 0.23, z=0.16))
        parts += [box(0.34, 0.014, 0.13, **wooden(WALNUT, 5)).moved(x / 2 - 0.23, -y / 2 + 0.037, 0.18 + 0.148 * k) for k in range(3)]
        parts += [box(0.10, 0.02, 0.014, **STEEL).moved(x / 2 - 0.23, -y / 2 + 0.025, 0.24 + 0.148 * k) for k in range(3)]
    if kind == "coffee":
        parts.append(box(x - 0.16, y - 0.16, 0.018, **look).moved(z=0.14))
    return model(parts, solid=False, collider="box")


@maker
def chair(kind: str = "dining") -> Model:
    look = wooden(OAK if kind == "dining" else WALNUT, 6)
    h = 0.45
    parts: list[Any] = [
        rounded_box(0.43, 0.42, 0.04, 9, texture=tx.fabric((0.55, 0.24, 0.20), 2, 128), rgb=(1, 1, 1), specular=0.0, tint=True).moved(
            z=h - 0.01
        ),
        box(0.43, 0.42, 0.03, **look).moved(z=h - 0.035),
    ]
    parts += [box(0.04, 0.04, h - 0.03, **look).moved(s * 0.185, -0.185) for s in (-1, 1)] + [
        box(0.04, 0.04, 0.92, **look).moved(s * 0.185, 0.19) for s in (-1, 1)
    ]
    parts += [box(0.35, 0.022, 0.07, **look).moved(y=0.19, z=z) for z in (0.60, 0.72, 0.84)]
    parts += [box(0.35, 0.02, 0.03, **look).moved(y=s * 0.185, z=0.2) for s in (-1, 1)]
    return model(parts, solid=False, collider="box")


@maker
def swivel_chair() -> Model:
    cloth: dict[str, Any] = {"texture": tx.fabric((0.16, 0.18, 0.24), 3, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    parts: list[Any] = [
        rounded_box(0.48, 0.46, 0.08, 5, **cloth).moved(z=0.42),
        rounded_box(0.44, 0.07, 0.52, 5, **cloth).turned("x", -8).moved(y=0.22, z=0.54),
        lathe([(0.03, 0.10), (0.03, 0.42)], 16, **DARK),
    ]
    for k in range(5):
        a = 2 * math.pi * k / 5 + 0.3
        end = (0.30 * math.cos(a), 0.30 * math.sin(a), 0.07)
        parts += [tube([(0, 0, 0.11), end], [0.024, 0.015], 8, **DARK), ball(0.028, 8, 12, **DARK).moved(end[0], end[1], 0.028)]
    parts += [tube([(s * 0.22, 0.10, 0.44), (s * 0.29, 0.08, 0.62), (s * 0.29, -0.14, 0.63)], 0.018, 8, **DARK) for s in (-1, 1)]
    parts.append(box(0.06, 0.03, 0.16, **DARK).moved(y=0.23, z=0.44))
    return model(parts, solid=False, collider="box")


@maker
def seat(kind: str = "ottoman") -> Model:
    colours: dict[str, Colour] = {
        "ottoman": (0.20, 0.26, 0.46),
        "footstool": (0.55, 0.36, 0.26),
        "stool": OAK,
        "bench": OAK,
        "music": (0.10, 0.10, 0.10),
    }
    x, y, z = {
        "ottoman": (0.50, 0.50, 0.42),
        "footstool": (0.42, 0.30, 0.30),
        "stool": (0.34, 0.34, 0.46),
        "bench": (1.2, 0.36, 0.45),
        "music": (0.60, 0.34, 0.50),
    }[kind]
    if kind in ("ottoman", "footstool", "music"):
        cloth: dict[str, Any] = {"texture": tx.fabric(colours[kind], 3, 128, 16), "rgb": (1, 1, 1), "specular": 0.05, "tint": True}
        thick = 0.28 if kind == "ottoman" else 0.11
        parts: list[Any] = [rounded_box(x, y, thick, 8, 16, 32, **cloth).moved(z=z - thick)]
        parts += [
            lathe([(0.014, 0), (0.024, z - thick + 0.02)], 14, **wooden(WALNUT, 2)).moved(sx * (x / 2 - 0.06), sy * (y / 2 - 0.06))
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        parts += [
            ball(0.012, 6, 10, rgb=tuple(0.7 * c for c in colours[kind])).moved(sx * x * 0.22, sy * y * 0.22, z - 0.004)
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        return model(parts, solid=False, collider="box")
    look = wooden(OAK, 5)
    top = (
        lathe([(0, z - 0.035), (x / 2, z - 0.035), (x / 2, z - 0.005), (x / 2 - 0.01, z), (0, z)], 36, **look)
        if kind == "stool"
        else box(x, y, 0.04, divide=3, **look).moved(z=z - 0.04)
    )
    legs = [
        tube([(sx * (x / 2 - 0.02), sy * (y / 2 - 0.02), 0), (sx * (x / 2 - 0.08), sy * (y / 2 - 0.08), z - 0.03)], 0.018, 10, **look)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    bars = [
        tube([(sx * (x / 2 - 0.045), -y / 2 + 0.05, 0.18), (sx * (x / 2 - 0.045), y / 2 - 0.05, 0.18)], 0.011, 8, **look) for sx in (-1, 1)
    ]
    return model(top, legs, bars, solid=False, collider="box")


@maker
def cabinet(kind: str = "sideboard") -> Model:
    """Boxes with doors, drawers or shelves."""
    x, y, z = {
        "shelf": (0.85, 0.30, 1.75),
        "tv": (1.4, 0.42, 0.48),
        "sideboard": (1.4, 0.45, 0.82),
        "counter": (1.8, 0.60, 0.95),
        "low": (0.8, 0.30, 0.9),
    }[kind]
    look, dark = wooden(OAK, 7), wooden(WALNUT, 8)
    parts: list[Any] = []
    if kind in ("shelf", "low"):
        parts += [box(0.022, y, z, divide=2, **look).moved(x=s * (x / 2 - 0.011)) for s in (-1, 1)] + [
            box(x, 0.01, z, divide=2, **look).moved(y=y / 2 - 0.005)
        ]
        n = 5 if kind == "shelf" else 3
        parts += [box(x - 0.04, y - 0.01, 0.02, **look).moved(z=0.04 + (z - 0.06) * k / n) for k in range(n + 1)]
        rng = np.random.default_rng(5)
        for k in range(n):
            u = -x / 2 + 0.05
            while u < x / 2 - 0.12:
                w, tall = float(rng.uniform(0.02, 0.05)), float(rng.uniform(0.18, 0.27))
                if rng.random() < 0.8 and tall < (z - 0.06) / n - 0.04:
                    colour = ((0.55, 0.16, 0.14), (0.16, 0.28, 0.45), (0.20, 0.38, 0.24), (0.72, 0.60, 0.38), (0.30, 0.24, 0.22))[
                        int(rng.integers(5))
                    ]
                    parts.append(box(w - 0.002, y * 0.62, tall, rgb=colour, specular=0.1).moved(u + w / 2, 0.0, 0.06 + (z - 0.06) * k / n))
                u += w
        return model(parts, solid=False, collider="box")
    parts.append(box(x, y, z - 0.05, divide=3, **look).moved(z=0.05))
    parts.append(box(x - 0.06, y - 0.06, 0.05, **DARK))
    parts.append(box(x + 0.03, y + 0.02, 0.028, divide=3, **dark).moved(z=z))
    columns, rows = {
        "tv": (3, 1),
        "sideboard": (4, 1),
        "counter": (3, 1),
    }[kind]
    w, h = (x - 0.04) / columns, (z - 0.10) / rows
    for i in range(columns):
        for j in range(rows):
            cx, cz = -x / 2 + 0.02 + w * (i + 0.5), 0.075 + h * j
            parts.append(box(w - 0.014, 0.016, h - 0.014, divide=2, **look).moved(cx, -y / 2 - 0.006, cz))
            knob_x = cx + (0.0 if rows > 1 else (w / 2 - 0.05) * (1 if i % 2 == 0 else -1))
            parts.append(ball(0.014, 8, 12, **STEEL).moved(knob_x, -y / 2 - 0.026, cz + h / 2))
    return model(parts, hollow=True, collider="box")


@maker
def open_shelf() -> Model:
    """Four boards between two sides, open before and behind, with nothing on them: 0.9 m wide, 0.36 m deep, 1.2 m high."""
    x, y, z, thick = 0.90, 0.36, 1.20, 0.022
    look = wooden(OAK, 6)
    parts: list[Any] = [box(thick, y, z, divide=3, **look).moved(x=s * (x - thick) / 2) for s in (-1, 1)]
    parts += [box(x - 2 * thick, y - 0.01, thick, divide=3, **look).moved(z=at) for at in (0.10, 0.46, 0.82)]
    parts.append(box(x - 2 * thick, y - 0.01, thick, divide=3, **look).moved(z=z - thick))
    return model(parts, solid=False, collider="box")


@maker
def plain_bed() -> Model:
    """A made bed without pillows: the blanket lies flat, 1.0 × 2.0 m, 0.46 m high; the head stands at the back."""
    look = wooden(OAK, 9)
    cover: dict[str, Any] = {"texture": tx.fabric((0.36, 0.48, 0.62), 6, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    x, y, z = 1.0, 2.0, 0.46
    parts: list[Any] = [
        box(x, y, z - 0.24, divide=3, **look).moved(z=0.10),
        box(x - 0.02, y - 0.02, 0.14, divide=4, **cover).moved(z=z - 0.14),
        box(x, 0.04, 0.86, divide=3, **look).moved(y=y / 2 + 0.02),
    ]
    parts += [box(0.06, 0.06, 0.10, **look).moved(sx * (x / 2 - 0.04), sy * (y / 2 - 0.04)) for sx in (-1, 1) for sy in (-1, 1)]
    return model(parts, solid=False, collider="box")


def island_counter(long: float = 1.6, seed: int = 0) -> Model:
    """A kitchen island: cabinets under a worktop that stands out by 0.25 m over the side where one sits (−y). Centred at the origin."""
    deep, high, out = 0.90, 0.92, 0.25
    colour: Colour = ((0.93, 0.92, 0.89), (0.80, 0.84, 0.86), (0.72, 0.78, 0.70), (0.90, 0.84, 0.72), (0.55, 0.62, 0.68))[seed % 5]
    front: dict[str, Any] = {"rgb": colour, "specular": 0.12}
    n = max(2, round(long / 0.55))
    wide = (long - 0.08) / n
    body = deep - out - 0.06
    parts: list[Any] = [
        box(long - 0.08, body, high - 0.04, divide=2, **front).moved(y=out / 2),
        box(long, deep, 0.04, divide=3, **wooden(WALNUT, seed)).moved(z=high - 0.04),
    ]
    for k in range(n):
        x = -(long - 0.08) / 2 + wide * (k + 0.5)
        parts.append(box(wide - 0.016, 0.016, high - 0.22, **front).moved(x, out / 2 + body / 2 + 0.008, 0.12))
        parts.append(box(0.12, 0.014, 0.012, **STEEL).moved(x, out / 2 + body / 2 + 0.023, high - 0.16))
    return model(parts, collider="box", solid=False).normalised()


@maker
def sofa(seats: int = 3) -> Model:
    x = {1: 0.88, 2: 1.55, 3: 2.05}[seats]
    cloth: dict[str, Any] = {"texture": tx.fabric((0.42, 0.46, 0.52), 4, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    parts: list[Any] = [
        box(x, 0.85, 0.26, divide=3, **cloth).moved(z=0.10),
        rounded_box(x, 0.22, 0.62, 8, 12, 30, **cloth).moved(y=0.33, z=0.22),
    ]
    parts += [rounded_box(0.18, 0.85, 0.42, 8, 12, 30, **cloth).moved(x=s * (x / 2 - 0.09), z=0.18) for s in (-1, 1)]
    w = (x - 0.36) / seats
    parts += [rounded_box(w - 0.01, 0.62, 0.15, 7, 12, 30, **cloth).moved(-x / 2 + 0.18 + w * (k + 0.5), -0.08, 0.33) for k in range(seats)]
    parts += [
        lathe([(0.022, 0), (0.03, 0.11)], 12, **wooden(WALNUT, 1)).moved(sx * (x / 2 - 0.1), sy * 0.35) for sx in (-1, 1) for sy in (-1, 1)
    ]
    return model(parts, collider="box")


@maker
def bed() -> Model:
    look = wooden(OAK, 9)
    white: dict[str, Any] = {"texture": tx.fabric((0.93, 0.92, 0.90), 5, 128), "rgb": (1, 1, 1), "specular": 0.0}
    cover: dict[str, Any] = {"texture": tx.fabric((0.36, 0.48, 0.62), 6, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    parts: list[Any] = [
        box(1.5, 2.05, 0.22, divide=3, **look).moved(z=0.10),
        rounded_box(1.44, 1.98, 0.22, 9, 12, 36, **white).moved(z=0.28),
        rounded_box(1.50, 1.45, 0.16, 9, 12, 36, **cover).moved(y=-0.26, z=0.36),
        box(1.5, 0.05, 0.95, divide=3, **look).moved(y=1.02),
    ]
    parts += [rounded_box(0.62, 0.40, 0.13, 3, 12, 26, **white).moved(x=s * 0.36, y=0.72, z=0.47) for s in (-1, 1)]
    parts += [box(0.07, 0.07, 0.12, **look).moved(sx * 0.70, sy * 0.97) for sx in (-1, 1) for sy in (-1, 1)]
    return model(parts, collider="box")


@maker
def washer() -> Model:
    glass = (
        lathe([(0.16, 0), (0.16, 0.02), (0.13, 0.03), (0.11, 0.02), (0, 0.018)], 36, rgb=(0.30, 0.36, 0.42), specular=0.9)
        .turned("x", 90)
        .moved(0, -0.30, 0.42)
    )
    return model(
        box(0.60, 0.60, 0.85, divide=2, **WHITE | {"tint": True}),
        ring(0.17, 0.022, 40, 10, **STEEL).turned("x", 90).moved(0, -0.305, 0.42),
        glass,
        box(0.58, 0.01, 0.11, rgb=(0.84, 0.84, 0.86)).moved(y=-0.302, z=0.72),
        lathe([(0.03, 0), (0.027, 0.03), (0, 0.031)], 20, **STEEL).turned("x", 90).moved(0.05, -0.305, 0.775),
        hollow=True,
        collider="box",
    )


@maker
def toilet() -> Model:
    bowl_part = (
        vessel([(0.12, 0), (0.13, 0.03), (0.12, 0.18), (0.19, 0.36), (0.195, 0.39)], 0.03, 0.16, 36, **WHITE)
        .scaled(0.95, 1.25, 1)
        .moved(y=-0.12)
    )
    lid = lathe([(0, 0.392), (0.20, 0.392), (0.195, 0.412), (0, 0.418)], 36, **WHITE).scaled(0.95, 1.22, 1).moved(y=-0.12)
    return model(
        bowl_part,
        lid,
        rounded_box(0.40, 0.18, 0.40, 9, **WHITE).moved(y=0.20, z=0.36),
        rounded_box(0.42, 0.20, 0.035, 8, **WHITE).moved(y=0.20, z=0.75),
        tube([(-0.17, 0.105, 0.68), (-0.13, 0.085, 0.68)], 0.008, 8, **STEEL),
        collider="box",
    )


@maker
def sink() -> Model:
    basin = vessel([(0.06, 0.68), (0.20, 0.74), (0.28, 0.83), (0.285, 0.84)], 0.02, 0.05, 40, **WHITE).scaled(1, 0.8, 1)
    return model(
        basin,
        lathe([(0.10, 0), (0.07, 0.2), (0.07, 0.55), (0.10, 0.70), (0, 0.70)], 30, **WHITE),
        box(0.10, 0.05, 0.02, **STEEL).moved(y=0.19, z=0.83),
        tube([(0, 0.19, 0.84), (0, 0.19, 0.96), (0, 0.12, 1.0), (0, 0.06, 0.95)], 0.012, 10, **STEEL),
        solid=False,
        collider="box",
    )


@maker
def bathtub() -> Model:
    x, y, z = 1.7, 0.75, 0.58
    parts = (
        [box(x, 0.06, z, divide=3, **WHITE).moved(y=s * (y / 2 - 0.03)) for s in (-1, 1)]
        + [box(0.10, y, z, **WHITE).moved(x=s * (x / 2 - 0.05)) for s in (-1, 1)]
        + [box(x, y, 0.14, divide=3, **WHITE)]
    )
    return model(
        parts,
        tube([(-0.80, 0, z), (-0.80, 0, z + 0.12), (-0.68, 0, z + 0.13)], 0.014, 10, **STEEL),
        hollow=True,
        collider="shell",
        solid=False,
    )


@maker
def radiator() -> Model:
    return model(
        [rounded_box(0.07, 0.10, 0.58, 6, 10, 18, **WHITE | {"tint": True}).moved(-0.40 + 0.08 * k, 0, 0.06) for k in range(11)],
        tube([(-0.43, 0, 0.11), (0.43, 0, 0.11)], 0.02, 10, **WHITE),
        tube([(-0.43, 0, 0.58), (0.43, 0, 0.58)], 0.02, 10, **WHITE),
        collider="box",
    )


@maker
def ac() -> Model:
    return model(
        rounded_box(0.85, 0.20, 0.28, 10, **WHITE),
        [box(0.76, 0.004, 0.008, **DARK).moved(y=-0.10, z=0.03 + 0.022 * k) for k in range(3)],
        collider="box",
    )


@maker
def speaker() -> Model:
    cones = [
        lathe([(r, 0), (r * 0.45, 0.002), (r * 0.4, 0.012), (0, 0.018)], 30, **DARK).turned("x", 90).moved(0, -0.1105, z)
        for r, z in ((0.08, 0.13), (0.035, 0.27))
    ]
    rims = [ring(r, 0.006, 34, 8, **STEEL).turned("x", 90).moved(0, -0.112, z) for r, z in ((0.082, 0.13), (0.037, 0.27))]
    return model(box(0.22, 0.22, 0.36, **wooden(WALNUT, 3)), cones, rims, collider="box")


@maker
def fan() -> Model:
    parts: list[Any] = [lathe([(0, 0), (0.11, 0), (0.10, 0.025), (0.02, 0.035), (0.015, 0.25), (0, 0.25)], 30, **WHITE | {"tint": True})]
    blades = [
        ellipsoid(0.13, 0.012, 0.07, 8, 14, rgb=(0.30, 0.50, 0.75), specular=0.4).turned("x", 25).moved(x=0.065).turned("y", 120.0 * k)
        for k in range(3)
    ]
    cage = [
        ring(r, 0.0022, 40, 5, **STEEL).turned("x", 90).moved(y=dy)
        for r, dy in ((0.15, -0.03), (0.15, 0.03), (0.11, -0.045), (0.07, -0.05))
    ]
    cage += [
        tube(
            [(0, -0.052, 0), (0.15 * math.cos(a), -0.03, 0.15 * math.sin(a)), (0.15 * math.cos(a), 0.03, 0.15 * math.sin(a))],
            0.0016,
            5,
            **STEEL,
        )
        for a in np.linspace(0, 2 * math.pi, 18, endpoint=False)
    ]
    hub = lathe([(0, -0.055), (0.035, -0.055), (0.035, 0.06), (0, 0.06)], 24, **WHITE).turned("x", 90)
    parts += [p.moved(z=0.36) for p in (*blades, *cage, hub)]
    return model(parts)


@maker
def potted_plant(high: float = 0.9) -> Model:
    from sim_bridge.backends.mujoco.models.pieces_of_things import leaf

    pot_part = vessel([(0.10, 0), (0.14, 0.24), (0.15, 0.25)], 0.01, 0.2, 30, rgb=(0.80, 0.78, 0.74), specular=0.2, tint=True)
    soil = lathe([(0.13, 0.225), (0, 0.23)], 24, rgb=(0.22, 0.15, 0.10), specular=0.0)
    leaves = []
    for k in range(26):
        t = k / 26
        leaves.append(
            leaf(0.42 * high, 0.10 * high, 78 - 46 * t, 137.5 * k, 0.35, rgb=(0.16 + 0.08 * (k % 3), 0.42 + 0.05 * (k % 2), 0.16)).moved(
                z=0.23 + 0.35 * (high - 0.25) * (1 - t)
            )
        )
    stem = tube([(0, 0, 0.2), (0, 0, 0.23 + 0.4 * (high - 0.25))], 0.012, 8, rgb=(0.36, 0.30, 0.18))
    return model(pot_part, soil, leaves, stem, solid=False, collider="cylinder")


@maker
def picture(variant: int = 0) -> Model:
    """A framed picture: soft landscapes without anything nameable in front."""
    y = np.mgrid[0:96, 0:128][0] / 96.0
    skies = ((0.95, 0.72, 0.48), (0.60, 0.78, 0.92), (0.82, 0.70, 0.82), (0.70, 0.84, 0.80), (0.93, 0.86, 0.66), (0.52, 0.62, 0.78))
    lands = ((0.42, 0.34, 0.30), (0.34, 0.50, 0.30), (0.36, 0.32, 0.48), (0.24, 0.42, 0.44), (0.62, 0.46, 0.28), (0.22, 0.28, 0.38))
    image = np.broadcast_to(np.array(skies[variant % 6]), (96, 128, 3)) * (1.05 - 0.35 * y[..., None])
    for layer in range(3):
        line = 0.45 + 0.16 * layer + 0.10 * (tx.noise(96, 128, 31 * variant + layer, 48, 3)[40] - 0.5)[None, :]
        image = np.where((y > line)[..., None], np.array(lands[variant % 6]) * (0.75 + 0.2 * layer), image)
    frame = wooden(WALNUT, variant)
    wide, high = 0.62, 0.46
    parts = [
        box(wide, 0.02, high, **frame),
        box(wide - 0.05, 0.0215, high - 0.05, only=["front"], rgb=(0.95, 0.94, 0.91)).moved(z=0.025),
        box(wide - 0.14, 0.022, high - 0.14, only=["front"], texture=tx.to_image(image), rgb=(1, 1, 1), specular=0.1).moved(z=0.07),
    ]
    return model(parts, collider="box")


@maker
def coatrack() -> Model:
    look = wooden(WALNUT, 4)
    parts: list[Any] = [tube([(0, 0, 0.02), (0, 0, 1.75)], [0.024, 0.018], 12, **look), ball(0.03, **look).moved(z=1.77)]
    for k in range(3):
        a = 2 * math.pi * k / 3
        parts.append(tube([(0, 0, 0.28), (0.26 * math.cos(a), 0.26 * math.sin(a), 0.0)], 0.017, 8, **look))
    for k in range(6):
        a = math.pi * k / 3
        z = 1.62 if k % 2 else 1.42
        parts += [
            tube(
                [(0, 0, z - 0.06), (0.11 * math.cos(a), 0.11 * math.sin(a), z), (0.15 * math.cos(a), 0.15 * math.sin(a), z + 0.08)],
                0.011,
                8,
                **look,
            ),
            ball(0.016, 8, 10, **look).moved(0.15 * math.cos(a), 0.15 * math.sin(a), z + 0.085),
        ]
    return model(parts, solid=False, collider="cylinder")


@maker
def easel() -> Model:
    look = wooden(OAK, 2)
    legs = [tube([(s * 0.32, -0.12, 0), (s * 0.05, 0.04, 1.5)], 0.016, 8, **look) for s in (-1, 1)] + [
        tube([(0, 0.48, 0), (0, 0.05, 1.42)], 0.016, 8, **look)
    ]
    ledge = [box(0.62, 0.08, 0.025, **look).turned("x", 0).moved(y=-0.09, z=0.62), box(0.36, 0.02, 0.03, **look).moved(y=-0.02, z=1.2)]
    canvas = box(0.56, 0.02, 0.62, rgb=(0.95, 0.94, 0.90), specular=0.0).turned("x", -7).moved(y=-0.09, z=0.645)
    return model(legs, ledge, canvas, solid=False, collider="box")


@maker
def log() -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    rings = tx.to_image(np.array([0.80, 0.62, 0.40]) * (0.82 + 0.18 * np.sin(np.hypot(x, y) * 46))[..., None])
    bark = tx.speckle((0.36, 0.26, 0.18), (0.24, 0.17, 0.12), 5, 128, 0.5, 12, 0.25)
    body = tube([(-0.24, 0, 0.07), (0.24, 0, 0.07)], 0.07, 26, caps=False, texture=bark, rgb=(1, 1, 1), specular=0.0)
    from sim_bridge.backends.mujoco.meshes.shapes import extrude

    end = extrude(
        [(0.07 * math.cos(a), 0.07 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 26, endpoint=False)],
        0.001,
        texture=rings,
        rgb=(1, 1, 1),
        specular=0.0,
    )
    return model(body, [end.turned("y", 90 * s).moved(0.24 * s, 0, 0.07) for s in (-1, 1)])


@maker
def whiteboard() -> Model:
    return model(
        box(1.2, 0.03, 0.85, **STEEL).moved(z=0.75),
        box(1.14, 0.032, 0.79, only=["front"], **WHITE).moved(z=0.78),
        [tube([(s * 0.55, 0, 0.03), (s * 0.55, 0, 0.8)], 0.016, 8, **STEEL) for s in (-1, 1)],
        [box(0.05, 0.5, 0.03, **STEEL).moved(x=s * 0.55) for s in (-1, 1)],
        solid=False,
    )


@maker
def store_shelf() -> Model:
    parts: list[Any] = [box(1.2, 0.02, 1.8, divide=3, rgb=(0.80, 0.81, 0.82)).moved(y=0.2)]
    parts += [box(1.2, 0.42, 0.03, divide=2, rgb=(0.86, 0.87, 0.88)).moved(z=z) for z in (0.12, 0.55, 0.98, 1.41)]
    parts += [box(1.2, 0.012, 0.05, rgb=(0.75, 0.20, 0.16)).moved(y=-0.215, z=z - 0.01) for z in (0.12, 0.55, 0.98, 1.41)]
    parts += [box(0.04, 0.44, 1.8, **STEEL).moved(x=s * 0.6) for s in (-1, 1)]
    rng = np.random.default_rng(11)
    for z in (0.15, 0.58, 1.01, 1.44):
        u = -0.55
        while u < 0.5:
            w, h = float(rng.uniform(0.09, 0.16)), float(rng.uniform(0.14, 0.30))
            c = tuple(float(v) for v in rng.uniform(0.45, 0.80, 3) * np.array([1.0, 0.95, 0.88]))
            parts.append(box(w - 0.012, 0.2, h, rgb=c, specular=0.15).moved(u + w / 2, -0.06, z))
            u += w
    return model(parts, solid=False, collider="box")


@maker
def cloth_folded(colour: tuple[float, float, float] = (0.62, 0.72, 0.80)) -> Model:
    look: dict[str, Any] = {"texture": tx.fabric(colour, 3, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    return model([rounded_box(0.34 - 0.004 * k, 0.24, 0.032, 6, 10, 26, **look).moved(z=0.028 * k) for k in range(3)], collider="box")


@maker
def tissue_box() -> Model:
    image, where = tx.carton_faces("tissues", (0.70, 0.82, 0.90), (0.96, 0.96, 0.96), (0.23, 0.12, 0.09), 384)
    from sim_bridge.backends.mujoco.models.pieces_of_things import leaf

    slot = ellipsoid(0.12, 0.035, 0.003, rgb=(0.25, 0.25, 0.28)).moved(z=0.09)
    tuft = [leaf(0.085, 0.075, 70 + 6 * k, 120 * k + 15, -0.3, rgb=(0.98, 0.98, 0.98)).moved(0.012 * (k - 1), 0, 0.088) for k in range(3)]
    return model(box(0.23, 0.12, 0.09, uv_of=where, texture=image, rgb=(1, 1, 1), specular=0.05), slot, tuft, collider="box")


@maker
def switch() -> Model:
    return model(
        rounded_box(0.08, 0.012, 0.12, 12, **WHITE),
        box(0.03, 0.01, 0.055, rgb=(0.86, 0.86, 0.85)).turned("x", 6).moved(y=-0.006, z=0.034),
        collider="box",
    )


@maker
def paper_towel_roll() -> Model:
    base = lathe([(0, 0), (0.075, 0), (0.075, 0.012), (0.008, 0.016), (0.008, 0.30), (0.013, 0.31), (0, 0.32)], 30, **STEEL)
    roll = lathe([(0.02, 0.02), (0.058, 0.02), (0.058, 0.28), (0.02, 0.28), (0.02, 0.02)], 34, rgb=(0.96, 0.96, 0.95), specular=0.0)
    return model(
        base, roll, box(0.0012, 0.07, 0.26, rgb=(0.96, 0.96, 0.95), specular=0.0).moved(x=0.058, y=-0.03, z=0.02), collider="cylinder"
    )


@maker
def clear_box() -> Model:
    """An open acrylic box."""
    t, x, y, z = 0.004, 0.2, 0.2, 0.15
    look: dict[str, Any] = CLEAR
    return model(
        [box(x, t, z, **look).moved(y=s * (y - t) / 2) for s in (-1, 1)],
        [box(t, y, z, **look).moved(x=s * (x - t) / 2) for s in (-1, 1)],
        box(x, y, t, **look),
        hollow=True,
        collider="box",
    )
