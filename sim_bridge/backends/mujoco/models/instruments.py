"""Musical instruments and a microphone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, arc, ball, box, extrude, lathe, model, ring, standing, tube
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import BRASS, GOLD, WOOD


@maker
def guitar() -> Model:
    outline = []
    for a in np.linspace(0, 2 * math.pi, 60, endpoint=False):
        y = 0.24 * math.cos(a)
        w = 0.185 * math.sqrt(max(0.0, 1 - math.cos(a) ** 2)) ** 0.9
        waist = 1 - 0.30 * math.exp(-(((y - 0.06) / 0.07) ** 2)) - 0.16 * (y > 0.06)
        outline.append((math.copysign(w * waist, math.sin(a)), y))
    side = extrude(outline, 0.10, rgb=(0.42, 0.22, 0.10), specular=0.5, tint=True)
    top = extrude(
        [(x * 0.985, y * 0.985) for x, y in outline],
        0.002,
        texture=tx.wood((0.86, 0.62, 0.34), 6, 256),
        rgb=(1, 1, 1),
        specular=0.5,
        shininess=0.6,
    ).moved(z=0.1)
    hole = [
        lathe([(0.048, 0), (0, 0.0005)], 30, **DARK).moved(0, 0.065, 0.1028),
        ring(0.051, 0.003, 34, 6, rgb=(0.35, 0.18, 0.08)).moved(0, 0.065, 0.102),
    ]
    bridge = box(0.14, 0.025, 0.010, **DARK).moved(0, -0.10, 0.101)
    neck = [box(0.052, 0.42, 0.022, rgb=(0.30, 0.17, 0.09)).moved(0, 0.40, 0.092), box(0.050, 0.46, 0.004, **DARK).moved(0, 0.37, 0.114)]
    frets = [box(0.050, 0.002, 0.0012, **STEEL).moved(0, 0.17 + 0.42 * (1 - 0.944**k) * 0.98, 0.1178) for k in range(1, 15)]
    head = [box(0.075, 0.15, 0.018, rgb=(0.34, 0.19, 0.10)).moved(0, 0.68, 0.092)]
    pegs = [
        tube([(s * 0.037, 0.63 + 0.045 * k, 0.10), (s * 0.058, 0.63 + 0.045 * k, 0.10)], 0.006, 8, **STEEL)
        for s in (-1, 1)
        for k in range(3)
    ]
    strings = [box(0.0014, 0.76, 0.0012, **STEEL).moved(-0.019 + 0.0076 * k, 0.28, 0.121) for k in range(6)]
    parts = [p.moved(0, 0.24, 0) for p in (side, top, *hole, bridge, *neck, *frets, *head, *pegs, *strings)]
    return model([standing(p).moved(z=0.0) for p in parts])


@maker
def violin() -> Model:
    half = [
        (0.0, -0.178),
        (0.05, -0.176),
        (0.092, -0.15),
        (0.104, -0.11),
        (0.098, -0.07),
        (0.078, -0.045),
        (0.082, -0.035),
        (0.062, -0.012),
        (0.056, 0.015),
        (0.064, 0.045),
        (0.074, 0.056),
        (0.070, 0.066),
        (0.082, 0.095),
        (0.080, 0.13),
        (0.055, 0.165),
        (0.02, 0.176),
    ]
    outline = [*half, *[(-x, y) for x, y in reversed(half) if x > 0]]
    varnish: dict[str, Any] = {"rgb": (0.52, 0.22, 0.07), "specular": 0.7, "shininess": 0.7, "tint": True}
    body = [
        extrude(outline, 0.034, **varnish),
        extrude(
            [(x * 1.03, y * 1.02) for x, y in outline], 0.004, texture=tx.wood((0.62, 0.28, 0.09), 7, 256), rgb=(1, 1, 1), specular=0.7
        ).moved(z=0.034),
    ]
    neck = [box(0.026, 0.16, 0.018, **varnish).moved(0, 0.24, 0.026), box(0.028, 0.25, 0.005, **DARK).moved(0, 0.205, 0.046)]
    scroll = [
        ring(0.010, 0.006, 20, 8, **varnish).turned("y", 90).moved(0, 0.365, 0.034),
        box(0.022, 0.055, 0.018, **varnish).moved(0, 0.335, 0.026),
    ]
    pegs = [
        tube([(s * 0.010, y, 0.036), (s * 0.036, y, 0.036)], 0.004, 8, **DARK)
        for s, y in ((-1, 0.325), (1, 0.335), (-1, 0.345), (1, 0.315))
    ]
    tail = [box(0.035, 0.09, 0.006, **DARK).moved(0, -0.125, 0.048), box(0.042, 0.004, 0.026, **WOOD).moved(0, -0.03, 0.038)]
    holes = [
        tube([(s * 0.040, -0.055, 0.0385), (s * 0.034, -0.03, 0.0385), (s * 0.042, -0.005, 0.0385)], 0.003, 6, **DARK) for s in (-1, 1)
    ]
    strings = [box(0.001, 0.40, 0.001, **STEEL).moved(-0.009 + 0.006 * k, 0.115, 0.057) for k in range(4)]
    return model(body, neck, scroll, pegs, tail, holes, strings)


@maker
def violin_case() -> Model:
    outline = [
        (-0.39, -0.06),
        (-0.36, -0.10),
        (0.10, -0.13),
        (0.36, -0.13),
        (0.40, -0.09),
        (0.40, 0.09),
        (0.36, 0.13),
        (0.10, 0.13),
        (-0.36, 0.10),
        (-0.39, 0.06),
    ]
    black: dict[str, Any] = {"texture": tx.fabric((0.12, 0.12, 0.14), 2, 128), "rgb": (1, 1, 1), "specular": 0.05}
    shells = [extrude(outline, 0.055, **black), extrude(outline, 0.055, **black).moved(z=0.058)]
    seam = extrude([(x * 1.01, y * 1.02) for x, y in outline], 0.006, **STEEL).moved(z=0.0535)
    grip = tube([(0.0, -0.13, 0.057), (0.0, -0.16, 0.057), (0.12, -0.16, 0.057), (0.12, -0.13, 0.057)], 0.008, 8, rgb=(0.35, 0.20, 0.10))
    latches = [box(0.03, 0.006, 0.03, **GOLD).moved(x, -0.132, 0.042) for x in (-0.02, 0.28)]
    return model(shells, seam, grip, latches, collider="box")


@maker
def microphone() -> Model:
    head = ball(0.026, 14, 22, texture=tx.bands(((0.55, 0.56, 0.58), (0.30, 0.31, 0.33)), 24, "v", 128), rgb=(1, 1, 1), specular=0.7).moved(
        z=0.185
    )
    parts = [
        lathe([(0, 0), (0.011, 0), (0.013, 0.005), (0.019, 0.15), (0.021, 0.165), (0, 0.165)], 26, **DARK | {"tint": True}),
        head,
        ring(0.026, 0.003, 26, 8, **STEEL).moved(z=0.178),
        box(0.007, 0.004, 0.02, rgb=(0.7, 0.7, 0.72)).moved(y=-0.0165, z=0.10),
    ]
    return model([p.turned("y", 90).moved(z=0.026) for p in parts])


@maker
def bell(length: float = 0.2, mouth: float = 0.06, throat: float = 0.008) -> Model:
    """A flaring brass bell along +x."""
    profile = [(throat + (mouth - throat) * (t**4), -length * (1 - t)) for t in np.linspace(0, 1, 14)]
    inner = [(max(r - 0.0015, 0.001), z) for r, z in reversed(profile)]
    return model(lathe([*profile, *inner], 32, **BRASS).turned("y", 90))


@maker
def trumpet() -> Model:
    flare = [p.moved(0.24, 0, 0.0) for p in bell(0.20, 0.061).parts]
    loop = [
        tube([(0.05, 0, 0), (-0.12, 0, 0)], 0.0085, 12, **BRASS),
        tube(arc(0.035, 90, 270, 14, "xz", (-0.12, 0, -0.035)), 0.0085, 12, **BRASS),
        tube([(-0.12, 0, -0.07), (0.10, 0, -0.07)], 0.0085, 12, **BRASS),
        tube(arc(0.035, 90, -90, 14, "xz", (0.10, 0.012, -0.035)), 0.0085, 12, **BRASS),
        tube([(0.10, 0.012, 0.0), (-0.24, 0.012, 0.0)], 0.006, 12, **BRASS),
    ]
    mouthpiece = lathe([(0.005, 0), (0.006, 0.03), (0.013, 0.05), (0.012, 0.052), (0.004, 0.042)], 20, **STEEL).turned("y", -90)
    valves = [
        lathe([(0, -0.05), (0.013, -0.05), (0.013, 0.05), (0, 0.05)], 20, **BRASS).moved(-0.04 + 0.032 * k, 0.006, -0.035) for k in range(3)
    ]
    caps = [
        lathe([(0.004, 0.05), (0.004, 0.062), (0.010, 0.063), (0.010, 0.068), (0, 0.068)], 16, **STEEL).moved(
            -0.04 + 0.032 * k, 0.006, -0.035
        )
        for k in range(3)
    ]
    return model(flare, loop, mouthpiece.moved(-0.235, 0.012, 0), valves, caps)


@maker
def trombone() -> Model:
    flare = [p.moved(0.36, 0, 0.0) for p in bell(0.30, 0.09, 0.011).parts]
    tubes = [
        tube([(0.08, 0, 0), (-0.30, 0, 0)], 0.010, 12, **BRASS),
        tube(arc(0.045, 90, 270, 14, "xy", (-0.30, 0.045, 0)), 0.010, 12, **BRASS),
        tube([(-0.30, 0.09, 0), (-0.05, 0.09, 0)], 0.009, 12, **BRASS),
        tube([(-0.08, 0.09, 0), (-0.08, 0.09, -0.03), (0.0, 0.09, -0.03), (0.72, 0.09, -0.03)], 0.007, 12, **STEEL),
        tube(arc(0.05, 90, -90, 14, "xz", (0.72, 0.09, -0.08)), 0.007, 12, **BRASS),
        tube([(0.72, 0.09, -0.13), (-0.10, 0.09, -0.13)], 0.007, 12, **STEEL),
    ]
    braces = [tube([(x, 0.09, -0.03), (x, 0.09, -0.13)], 0.004, 8, **BRASS) for x in (0.02, 0.10)]
    braces += [tube([(x, 0, 0), (x, 0.09, 0)], 0.004, 8, **BRASS) for x in (-0.12, -0.22)]
    mouth = (
        lathe([(0.006, 0), (0.008, 0.03), (0.014, 0.05), (0.012, 0.052), (0.004, 0.042)], 20, **STEEL)
        .turned("y", -90)
        .moved(-0.10, 0.09, -0.13)
    )
    return model(flare, tubes, braces, mouth)


@maker
def saxophone() -> Model:
    t = np.linspace(0, 1, 30)
    path = np.concatenate([
        np.stack([0 * t, 0 * t, 0.52 - 0.42 * t], 1),
        arc(0.055, 180, 360, 14, "xz", (0.055, 0, 0.10)),
        np.stack([0.11 + 0.03 * t[::3], 0 * t[::3], 0.10 + 0.17 * t[::3]], 1),
    ])  # fmt: skip
    along = np.linspace(0, 1, len(path))
    radii = (0.010 + 0.030 * along**1.2 + 0.028 * np.clip(along - 0.85, 0, 1) / 0.15 * (along > 0.85)).tolist()
    body = tube(path, radii, 20, caps=False, **BRASS)
    neck = tube([(0, 0, 0.52), (0, 0, 0.56), (-0.03, 0, 0.59), (-0.09, 0, 0.585)], [0.010, 0.010, 0.009, 0.007], 12, **BRASS)
    mouthpiece = tube([(-0.085, 0, 0.585), (-0.15, 0, 0.565)], [0.011, 0.006], 12, **DARK)
    keys = [
        lathe([(0.012, 0), (0.012, 0.006), (0, 0.007)], 16, **STEEL).turned("x", 90).moved(0, -0.014 - 0.028 * k / 9, 0.48 - 0.042 * k)
        for k in range(9)
    ]
    rods = [tube([(0.018 + 0.012 * s, -0.022, 0.50), (0.024 + 0.012 * s, -0.042, 0.12)], 0.003, 6, **BRASS) for s in (0, 1)]
    inside = lathe([(0.060, 0), (0.0, -0.03)], 20, rgb=(0.30, 0.22, 0.08)).moved(0.14, 0, 0.268)
    return model(body, neck, mouthpiece, keys, rods, inside)
