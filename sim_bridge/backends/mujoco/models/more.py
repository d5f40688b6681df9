"""Clothes, instruments and odds and ends whose outline alone tells what they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Cavity,
    Model,
    Part,
    Solid,
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
    tube,
)
from sim_bridge.backends.mujoco.models.food import leaf
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.packages import contents_colour
from sim_bridge.backends.mujoco.models.turned import loop_solids, tube_solids, turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import handle, vessel

BRASS: dict[str, Any] = {"rgb": (0.85, 0.66, 0.24), "specular": 0.9, "shininess": 0.8, "tint": True}


@maker
def jeans() -> Model:
    """Trousers laid flat, denim with seams."""
    half = [(0.0, 0.10), (0.02, 0.10), (0.09, -0.52), (0.20, -0.52), (0.225, 0.20), (0.20, 0.44), (0.0, 0.44)]
    outline = [(x, y) for x, y in half] + [(-x, y) for x, y in reversed(half) if x > 0]
    denim = tx.fabric((0.20, 0.30, 0.50), 4, 128)
    cloth = extrude(outline, 0.022, texture=denim, rgb=(1, 1, 1), specular=0.0, tint=True)
    seam: dict[str, Any] = {"rgb": (0.80, 0.58, 0.26), "specular": 0.0}
    seams = [box(0.40, 0.004, 0.001, **seam).moved(y=0.40, z=0.022), box(0.004, 0.15, 0.001, **seam).moved(y=0.22, z=0.022)]
    seams += [box(0.10, 0.003, 0.001, **seam).turned("z", 35 * s).moved(s * 0.13, 0.32, 0.022) for s in (-1, 1)]
    seams += [box(0.10, 0.006, 0.001, **seam).moved(s * 0.145, -0.50, 0.022) for s in (-1, 1)]
    button = lathe([(0.009, 0.022), (0.008, 0.026), (0, 0.027)], 16, **BRASS).moved(y=0.42)
    loops = [box(0.012, 0.05, 0.004, texture=denim, rgb=(0.8, 0.8, 0.8)).moved(x, 0.41, 0.021) for x in (-0.15, -0.06, 0.06, 0.15)]
    return model(cloth, seams, button, loops, collider="box")


def catmull(points: Any, steps: int = 5) -> Any:
    """A smooth curve through points in space."""
    p = np.asarray(points, float)
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    out = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1], p[i], p[i + 1], p[i + 2]
        out += [
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            for t in np.arange(steps) / steps
        ]
    return np.array([*out, p[-2]])


@maker
def sock() -> Model:
    """A white sock on its side, with coloured heel, toe and stripes."""
    white: dict[str, Any] = {"rgb": (0.90, 0.90, 0.88), "specular": 0.0, "tint": True}
    red: dict[str, Any] = {"rgb": (0.72, 0.14, 0.14), "specular": 0.0}
    leg = catmull(
        [(0, 0.20, 0), (0, 0.10, 0), (0.002, 0.02, 0), (0.022, -0.045, 0), (0.075, -0.078, 0), (0.14, -0.088, 0), (0.175, -0.088, 0)], 6
    )
    along = np.linspace(0, 1, len(leg))
    radius = np.interp(along, [0, 0.3, 0.5, 0.62, 0.8, 0.94, 1.0], [0.045, 0.045, 0.047, 0.045, 0.04, 0.036, 0.020])
    body = tube(leg, radius.tolist(), 20, **white)
    toe = tube(leg[-8:], (radius[-8:] * 1.03).tolist(), 20, **red)
    heel = ball(0.043, 12, 20, **red).scaled(1, 1, 0.98).moved(0.004, -0.058, 0)
    stripes = [tube([(0, y, 0), (0, y + 0.012, 0)], 0.0462, 20, **red) for y in (0.125, 0.155)]
    cuff = tube([(0, 0.178, 0), (0, 0.204, 0)], 0.0475, 20, **white)
    return model([p.scaled(1, 1, 0.34) for p in (body, toe, heel, *stripes, cuff)])


@maker
def necktie() -> Model:
    outline = [(0.0, -0.70), (0.048, -0.64), (0.016, -0.02), (0.026, 0.03), (-0.026, 0.03), (-0.016, -0.02), (-0.048, -0.64)]
    y, x = np.mgrid[0:256, 0:64]
    stripes = ((y + 2 * x) % 48 < 14)[..., None]
    image = np.where(stripes, np.array([190, 40, 46]), np.array([24, 36, 84])).astype(np.uint8)
    knot = rounded_box(0.052, 0.045, 0.02, 4, rgb=(0.10, 0.15, 0.34), specular=0.2).moved(y=0.02)
    collar = tube(arc(0.07, 200, 340, 16, "xy", (0, 0.11, 0.006)), 0.006, 8, rgb=(0.10, 0.15, 0.34))
    return model(extrude(outline, 0.006, texture=image, rgb=(1, 1, 1), specular=0.2, tint=True), knot, collar, collider="box")


@maker
def tote() -> Model:
    cloth: dict[str, Any] = {"texture": tx.fabric((0.88, 0.82, 0.68), 3, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    body = rounded_box(0.38, 0.12, 0.38, 7, 16, 30, **cloth)
    straps = [
        tube(arc(0.085, 0, 180, 18, "xz", (0, y, 0.36)) * np.array([1, 1, 1]), 0.009, 8, rgb=(0.45, 0.28, 0.16)) for y in (-0.05, 0.05)
    ]
    tops = [box(0.022, 0.004, 0.07, rgb=(0.45, 0.28, 0.16)).moved(x, y * 1.12, 0.30) for x in (-0.085, 0.085) for y in (-0.05, 0.05)]
    mouth = box(0.32, 0.07, 0.002, **DARK).moved(z=0.378)
    return model(body, straps, tops, mouth, hollow=True)


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
def measuring_cup() -> Model:
    body = turned([(0.042, 0), (0.046, 0.004), (0.050, 0.095), (0.052, 0.10)], 0.0025, 0.004, 36, **CLEAR)
    spout = ellipsoid(0.03, 0.022, 0.010, **CLEAR).moved(x=-0.052, z=0.098)
    marks = [
        lathe([(0.0475 + 0.0003 * k, z), (0.0475 + 0.0003 * k, z + 0.0016)], 8, 46, rgb=(0.80, 0.10, 0.10), emission=0.2).turned("z", -113)
        for k, z in enumerate(np.linspace(0.02, 0.085, 6))
    ]
    words = lathe(
        [(0.0482, 0.028), (0.0505, 0.074)],
        10,
        50,
        texture=tx.plate_text("ml", (0.94, 0.97, 0.97), (0.80, 0.10, 0.10), (96, 96)),
        rgb=(1, 1, 1),
    ).turned("z", -62)
    grip = handle(0.048, 0.052, 0.036, 0.06, 0.007, **CLEAR)
    return vessel_model(body, spout, marks, words, grip, solids=loop_solids(0.048, 0.052, 0.036, 0.06, 0.007))


@maker
def duck() -> Model:
    yellow: dict[str, Any] = {"rgb": (0.98, 0.80, 0.12), "specular": 0.5, "shininess": 0.6, "tint": True}
    body = [
        ellipsoid(0.085, 0.062, 0.05, 14, 22, **yellow).moved(z=0.026),
        ellipsoid(0.03, 0.03, 0.02, **yellow).turned("y", 35).moved(x=0.042, z=0.045),
    ]
    head = [ball(0.023, 14, 20, **yellow).moved(-0.026, 0, 0.066)]
    beak = [ellipsoid(0.022, 0.020, 0.007, rgb=(0.95, 0.42, 0.08)).moved(-0.054, 0, 0.061)]
    eyes = [ball(0.0035, 8, 10, **DARK).moved(-0.042, s * 0.012, 0.073) for s in (-1, 1)]
    wings = [ellipsoid(0.042, 0.010, 0.026, **yellow).turned("y", 18).moved(0.012, s * 0.030, 0.034) for s in (-1, 1)]
    return model(body, head, beak, eyes, wings)


@maker
def stake() -> Model:
    """A pointed wooden stake."""
    post = box(0.045, 0.045, 0.45, texture=tx.wood((0.74, 0.56, 0.34), 3, 128), rgb=(1, 1, 1), specular=0.05).moved(z=0.10)
    tip = lathe([(0, 0), (0.0318, 0.10)], 4, texture=tx.wood((0.80, 0.62, 0.40), 4, 64), rgb=(1, 1, 1)).turned("z", 45)
    return model([p.turned("y", 90).moved(z=0.0225) for p in (post, tip)], collider="box")


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
def pencil_case() -> Model:
    pouch = rounded_box(0.21, 0.07, 0.055, 4, 14, 30, texture=tx.fabric((0.16, 0.30, 0.58), 3, 128), rgb=(1, 1, 1), specular=0.0, tint=True)
    zip_line = [box(0.19, 0.006, 0.003, **STEEL).moved(z=0.0535), box(0.018, 0.006, 0.004, rgb=(0.85, 0.70, 0.20)).moved(x=0.095, z=0.055)]
    pencils = [
        tube([(-0.02 + 0.0, y, 0.05), (0.15, y * 1.4, 0.062)], 0.0036, 6, rgb=c)
        for y, c in ((-0.008, (0.95, 0.72, 0.12)), (0.004, (0.80, 0.15, 0.12)))
    ]
    tips = [ellipsoid(0.012, 0.005, 0.005, rgb=(0.88, 0.72, 0.50)).moved(0.152, y * 1.4, 0.0622) for y in (-0.008, 0.004)]
    image = tx.plate_text("pencil case", (0.93, 0.92, 0.86), (0.1, 0.1, 0.1), (256, 72))
    tags = [box(0.12, 0.001, 0.03, only=["front"], texture=image, rgb=(1, 1, 1)).moved(y=-0.0362, z=0.013).turned("z", a) for a in (0, 180)]
    return model(pouch, zip_line, pencils, tips, tags, collider="box")


@maker
def drink_dispenser() -> Model:
    base = [
        lathe([(0, 0), (0.13, 0), (0.13, 0.012), (0.02, 0.03), (0, 0.03)], 30, **STEEL),
        lathe([(0.02, 0.03), (0.02, 0.16), (0.09, 0.17), (0, 0.17)], 26, **STEEL),
    ]
    tank = vessel([(0.09, 0.17), (0.105, 0.18), (0.105, 0.42), (0.095, 0.44)], 0.004, 0.006, 36, **CLEAR)
    juice = lathe([(0, 0.18), (0.099, 0.182), (0.099, 0.36), (0, 0.36)], 32, rgb=contents_colour("orange"), alpha=0.85, specular=0.4)
    lid = lathe([(0.108, 0.436), (0.108, 0.452), (0.03, 0.462), (0.012, 0.465), (0.018, 0.482), (0, 0.486)], 30, **STEEL)
    tap = [
        tube([(0, -0.10, 0.20), (0, -0.145, 0.20)], 0.011, 12, **STEEL),
        tube([(0, -0.14, 0.20), (0, -0.142, 0.17)], 0.008, 10, **STEEL),
        box(0.008, 0.012, 0.045, **DARK).moved(y=-0.135, z=0.205),
    ]
    slices = [
        lathe([(0.03, 0), (0.03, 0.005), (0, 0.005)], 18, rgb=(0.98, 0.85, 0.30))
        .turned("x", 80)
        .turned("z", a)
        .moved(0.05 * math.cos(a), 0.05 * math.sin(a), z)
        for a, z in ((0.6, 0.26), (2.6, 0.31), (4.4, 0.24))
    ]
    return model(base, juice, slices, tank, lid, tap)


@maker
def iron() -> Model:
    """A clothes iron."""
    sole = [(-0.11, -0.055), (0.02, -0.058), (0.09, -0.035), (0.14, 0.0), (0.09, 0.035), (0.02, 0.058), (-0.11, 0.055)]
    body = [
        extrude(sole, 0.008, **STEEL),
        extrude([(x * 0.96, y * 0.96) for x, y in sole], 0.035, rgb=(0.20, 0.42, 0.68), specular=0.5, tint=True).moved(z=0.008),
    ]
    body.append(extrude([(x * 0.7 - 0.02, y * 0.7) for x, y in sole], 0.02, rgb=(0.93, 0.94, 0.95), specular=0.5).moved(z=0.043))
    grip = tube(
        [(-0.10, 0, 0.05), (-0.105, 0, 0.10), (-0.06, 0, 0.115), (0.03, 0, 0.11), (0.06, 0, 0.075), (0.065, 0, 0.055)],
        0.013,
        12,
        rgb=(0.16, 0.34, 0.56),
        tint=True,
    )
    cord = tube([(-0.105, 0, 0.10), (-0.15, 0.01, 0.11), (-0.19, 0.03, 0.06), (-0.18, 0.06, 0.006), (-0.12, 0.10, 0.005)], 0.004, 8, **DARK)
    dial = lathe([(0.022, 0.062), (0.022, 0.068), (0, 0.07)], 20, **DARK).moved(x=0.0)
    return model(body, grip, cord, dial)


@maker
def pocketknife() -> Model:
    red: dict[str, Any] = {"rgb": (0.80, 0.08, 0.08), "specular": 0.6, "shininess": 0.6, "tint": True}
    scales = [rounded_box(0.091, 0.026, 0.007, 6, 12, 28, **red).moved(z=z) for z in (0.0, 0.011)]
    liner = rounded_box(0.089, 0.024, 0.006, 8, 8, 24, **STEEL).moved(z=0.006)
    blade = extrude([(0.04, 0.004), (0.10, 0.006), (0.118, -0.004), (0.09, -0.010), (0.04, -0.010)], 0.002, **STEEL).moved(z=0.008)
    opener = extrude([(-0.04, 0.0), (-0.045, 0.035), (-0.035, 0.042), (-0.032, 0.0)], 0.002, **STEEL).moved(z=0.009)
    cross = [box(0.010, 0.003, 0.0008, **WHITE).moved(z=0.0178), box(0.003, 0.010, 0.0008, **WHITE).moved(z=0.0178)]
    return model(scales, liner, blade, opener, cross, ring(0.006, 0.0012, 18, 6, **STEEL).moved(x=-0.05, z=0.009))


@maker
def walker() -> Model:
    """A walking frame."""
    metal: dict[str, Any] = {"rgb": (0.78, 0.79, 0.81), "specular": 0.8, "shininess": 0.7}
    parts: list[Any] = []
    for s in (-1, 1):
        parts.append(
            tube([(s * 0.30, -0.25, 0.0), (s * 0.26, -0.18, 0.82), (s * 0.26, 0.14, 0.84), (s * 0.30, 0.24, 0.0)], 0.013, 10, **metal)
        )
        parts.append(tube([(s * 0.28, -0.21, 0.40), (s * 0.28, 0.20, 0.40)], 0.011, 10, **metal))
        parts.append(tube([(s * 0.26, -0.14, 0.835), (s * 0.26, 0.02, 0.84)], 0.019, 12, **DARK))
        parts += [lathe([(0, 0), (0.019, 0), (0.017, 0.05), (0, 0.05)], 14, **DARK).moved(s * 0.30, y, 0) for y in (-0.25, 0.24)]
    parts += [tube([(-0.265, 0.17, z), (0.265, 0.17, z)], 0.012, 10, **metal) for z in (0.78, 0.42)]
    return model(parts, solid=False, collider="box")


@maker
def goggles() -> Model:
    """Swimming goggles."""
    parts: list[Any] = []
    for s in (-1, 1):
        parts.append(
            ring(0.028, 0.006, 28, 8, rgb=(0.10, 0.30, 0.65), specular=0.4, tint=True)
            .scaled(1.15, 0.85, 1)
            .turned("x", 90)
            .moved(s * 0.038, 0, 0.028)
        )
        parts.append(
            lathe([(0.029, 0), (0, 0.004)], 26, rgb=(0.35, 0.60, 0.85), alpha=0.6, specular=1.0, shininess=0.9)
            .scaled(1.15, 0.85, 1)
            .turned("x", 90)
            .moved(s * 0.038, -0.005, 0.028)
        )
    parts.append(tube([(-0.010, -0.004, 0.030), (0.010, -0.004, 0.030)], 0.004, 8, **DARK))
    strap = arc(0.075, 8, 172, 26, "xy", (0, 0.005, 0.028)) * np.array([1.0, 1.1, 1.0])
    parts.append(tube(strap, 0.005, 8, **DARK).scaled(1, 1, 1.6).moved(z=-0.017))
    return model(parts)


@maker
def bracelet() -> Model:
    beads = [
        ball(0.0065, 10, 14, rgb=((0.80, 0.62, 0.20), (0.20, 0.50, 0.62))[k % 2], specular=0.9, shininess=0.8).moved(
            0.032 * math.cos(a), 0.032 * math.sin(a), 0.0065
        )
        for k, a in enumerate(np.linspace(0, 2 * math.pi, 16, endpoint=False))
    ]
    return model(beads, ring(0.032, 0.0012, 30, 6, **BRASS).moved(z=0.0065))


@maker
def dart() -> Model:
    parts = [
        tube([(0, 0, 0), (0.035, 0, 0)], [0.0005, 0.0013], 8, **STEEL),
        tube([(0.033, 0, 0), (0.040, 0, 0), (0.085, 0, 0), (0.090, 0, 0)], [0.002, 0.0036, 0.0036, 0.002], 12, **BRASS),
        tube([(0.088, 0, 0), (0.125, 0, 0)], 0.0018, 8, **DARK),
    ]
    fin = [(0.115, 0.0), (0.128, 0.020), (0.152, 0.022), (0.156, 0.0)]
    flights = [extrude(fin, 0.0008, rgb=(0.80, 0.12, 0.12), tint=True).moved(z=-0.0004).turned("x", a) for a in (45, 135, 225, 315)]
    return model([p.moved(z=0.016) for p in (*parts, *flights)])


@maker
def green_leaf() -> Model:
    return model(
        leaf(0.11, 0.062, 4, 0, 0.06),
        tube([(-0.03, 0, 0.001), (0.0, 0, 0.001), (0.06, 0, 0.001)], [0.0016, 0.0014, 0.0008], 6, rgb=(0.45, 0.55, 0.25)),
    )


@maker
def envelope() -> Model:
    """A closed letter with stamp and address."""
    paper = box(0.22, 0.11, 0.003, rgb=(0.96, 0.95, 0.92), specular=0.05, tint=True)
    lines = [
        box(w, 0.0025, 0.0004, only=["top"], rgb=(0.20, 0.22, 0.40)).moved(-0.0 + w / 2 - 0.03, -0.012 - 0.012 * k, 0.003)
        for k, w in enumerate((0.08, 0.07, 0.055))
    ]
    stamp = [
        box(0.028, 0.032, 0.0005, only=["top"], rgb=(0.75, 0.18, 0.16)).moved(0.088, 0.033, 0.003),
        box(0.02, 0.024, 0.0004, only=["top"], rgb=(0.95, 0.85, 0.60)).moved(0.088, 0.033, 0.0036),
    ]
    return model(paper, lines, stamp, collider="box")


@maker
def cotton_ball() -> Model:
    rng = np.random.default_rng(4)
    tufts = [
        ball(0.010, 7, 10, rgb=(0.98, 0.98, 0.97), specular=0.0).moved(*map(float, 0.012 * d / np.linalg.norm(d)))
        for d in rng.normal(0, 1, (22, 3))
    ]
    return model(tufts, collider="sphere")


@maker
def hook() -> Model:
    """A wall hook."""
    plate_part = rounded_box(0.04, 0.008, 0.08, 8, **STEEL)
    curve = tube([(0, -0.004, 0.05), (0, -0.03, 0.045), (0, -0.04, 0.025), (0, -0.052, 0.03), (0, -0.055, 0.045)], 0.005, 10, **STEEL)
    return model(
        plate_part,
        curve,
        ball(0.007, **STEEL).moved(0, -0.055, 0.047),
        [ellipsoid(0.008, 0.003, 0.008, **DARK).moved(0, -0.004, z) for z in (0.012, 0.07)],
    )


@maker
def desk_organizer() -> Model:
    wood: dict[str, Any] = {"texture": tx.wood((0.72, 0.54, 0.34), 3, 128), "rgb": (1, 1, 1), "specular": 0.1, "tint": True}
    x, y, t = 0.24, 0.12, 0.006
    walls = (
        [box(x, t, h, **wood).moved(y=yy) for h, yy in ((0.07, -y / 2), (0.10, 0.0), (0.13, y / 2))]
        + [box(t, y, 0.10, **wood).moved(x=xx) for xx in (-x / 2, 0.0, x / 2)]
        + [box(x, y, t, **wood)]
    )
    pens: list[Part] = []
    for k, c in enumerate(((0.80, 0.12, 0.12), (0.12, 0.30, 0.70), (0.95, 0.72, 0.12), (0.10, 0.10, 0.12))):
        pens.append(tube([(0.04 + 0.016 * k, 0.03, 0.01), (0.05 + 0.018 * k, 0.04, 0.17)], 0.004, 8, rgb=c))
    cards = [
        box(0.09, 0.002, 0.10, rgb=c).moved(-0.06, -0.03 + 0.010 * k, 0.01)
        for k, c in enumerate(((0.96, 0.90, 0.55), (0.93, 0.93, 0.93), (0.70, 0.85, 0.95)))
    ]
    return model(walls, pens, cards, hollow=True, collider="box")


@maker
def garden_light() -> Model:
    post = lathe([(0.03, 0), (0.012, 0.02), (0.010, 0.42), (0.012, 0.45), (0, 0.45)], 18, **DARK)
    glass_part = lathe([(0.035, 0.45), (0.05, 0.56), (0, 0.56)], 6, rgb=(0.98, 0.92, 0.70), alpha=0.8, emission=0.5)
    roof = lathe([(0.075, 0.56), (0.0, 0.62)], 6, **DARK)
    under = lathe([(0.0, 0.559), (0.075, 0.559)], 6, **DARK).turned("z", 0)
    return model(post, glass_part, roof, under, solid=False, collider="cylinder")


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
def baseball_glove() -> Model:
    leather: dict[str, Any] = {"rgb": (0.55, 0.31, 0.14), "specular": 0.25, "tint": True}
    parts: list[Any] = [ellipsoid(0.18, 0.07, 0.19, 16, 24, **leather).moved(z=0.10)]
    for x, a, h in ((-0.075, -24, 0.13), (-0.036, -9, 0.155), (0.004, 3, 0.16), (0.042, 15, 0.145)):
        finger = rounded_box(0.044, 0.05, h, 3.2, 12, 20, **leather).turned("y", a).moved(x, -0.012, 0.13)
        parts.append(finger)
    parts.append(rounded_box(0.05, 0.055, 0.13, 3.2, 12, 20, **leather).turned("y", 52).moved(0.068, -0.014, 0.055))
    web = [
        tube([(0.066, -0.02, 0.16), (0.135, -0.022, 0.145)], 0.006, 8, rgb=(0.40, 0.21, 0.09)),
        tube([(0.072, -0.02, 0.19), (0.142, -0.022, 0.165)], 0.006, 8, rgb=(0.40, 0.21, 0.09)),
        tube([(0.085, -0.02, 0.13), (0.105, -0.022, 0.20)], 0.006, 8, rgb=(0.40, 0.21, 0.09)),
    ]
    palm = ellipsoid(0.11, 0.02, 0.11, rgb=(0.42, 0.23, 0.10), specular=0.1).moved(0.0, -0.034, 0.11)
    cuff = rounded_box(0.15, 0.075, 0.05, 4, **leather).moved(z=-0.012)
    laces = [box(0.036, 0.004, 0.004, rgb=(0.85, 0.72, 0.50)).moved(-0.056 + 0.04 * k, -0.048, 0.205) for k in range(3)]
    return model(parts, web, palm, cuff, laces)


@maker
def statue() -> Model:
    """A marble bust on a plinth."""
    stone: dict[str, Any] = {
        "texture": tx.speckle((0.86, 0.85, 0.82), (0.76, 0.75, 0.73), 3, 128, 0.3, 30, 0.4),
        "rgb": (1, 1, 1),
        "specular": 0.25,
    }
    plinth = [box(0.20, 0.20, 0.03, **stone), box(0.16, 0.16, 0.10, **stone).moved(z=0.03), box(0.18, 0.18, 0.02, **stone).moved(z=0.13)]
    chest_part = ellipsoid(0.26, 0.15, 0.18, 14, 26, **stone).moved(z=0.23)
    neck = lathe([(0.048, 0.27), (0.038, 0.32), (0.042, 0.36)], 20, **stone)
    head = [
        ellipsoid(0.125, 0.145, 0.175, 16, 26, **stone).moved(z=0.42),
        ellipsoid(0.022, 0.04, 0.042, **stone).moved(0, -0.072, 0.412),
        ellipsoid(0.05, 0.03, 0.02, **stone).moved(0, -0.062, 0.372),
    ]
    hair = [
        ball(0.022, 8, 10, **stone).moved(0.06 * math.cos(a) * q, 0.062 * math.sin(a) * q + 0.012, 0.455 + 0.048 * (1 - q * q))
        for q in (0.45, 0.8, 1.0)
        for a in np.linspace(-0.4, math.pi + 0.4, 9)
    ]
    return model(
        plinth,
        chest_part,
        neck,
        head,
        hair,
        [ellipsoid(0.02, 0.014, 0.012, rgb=(0.6, 0.59, 0.57)).moved(s * 0.028, -0.064, 0.435) for s in (-1, 1)],
    )


@maker
def boxing_gloves() -> Model:
    parts: list[Any] = []
    for s in (-1, 1):
        look: dict[str, Any] = {"rgb": (0.78, 0.08, 0.08), "specular": 0.6, "shininess": 0.6, "tint": True}
        parts += [
            ellipsoid(0.14, 0.19, 0.14, 16, 24, **look).moved(s * 0.085, -0.04, 0.07),
            ellipsoid(0.06, 0.12, 0.07, 12, 18, **look).turned("z", s * 18).moved(s * 0.022, -0.02, 0.085),
        ]
        parts += [
            tube([(s * 0.085, 0.03, 0.068), (s * 0.085, 0.14, 0.068)], [0.052, 0.058], 20, **look),
            tube([(s * 0.085, 0.10, 0.068), (s * 0.085, 0.135, 0.068)], 0.060, 20, **WHITE),
        ]
    return model(parts)


@maker
def magazine_rack() -> Model:
    wood: dict[str, Any] = {"texture": tx.wood((0.60, 0.40, 0.24), 5, 128), "rgb": (1, 1, 1), "specular": 0.2}
    sides = [box(0.018, 0.26, 0.34, **wood).moved(x=s * 0.20) for s in (-1, 1)]
    bars = [box(0.39, 0.012, 0.04, **wood).moved(y=s * 0.10, z=z) for s in (-1, 1) for z in (0.06, 0.15, 0.24)] + [
        box(0.39, 0.20, 0.012, **wood).moved(z=0.05)
    ]
    issues = [
        box(
            0.30 - 0.02 * k,
            0.006,
            0.33 - 0.02 * (k % 2),
            texture=tx.plate_text("magazine", c, (0.97, 0.97, 0.95), (192, 192)),
            rgb=(1, 1, 1),
            specular=0.3,
        )
        .turned("x", -6)
        .moved(0, -0.06 + 0.035 * k, 0.06)
        for k, c in enumerate(((0.72, 0.16, 0.18), (0.16, 0.40, 0.62), (0.20, 0.48, 0.30)))
    ]
    return model(sides, bars, issues, hollow=True, collider="box")


@maker
def coffee_grinder() -> Model:
    wood: dict[str, Any] = {"texture": tx.wood((0.48, 0.28, 0.15), 5, 128), "rgb": (1, 1, 1), "specular": 0.3, "tint": True}
    base = [
        box(0.13, 0.13, 0.11, **wood),
        box(0.14, 0.14, 0.012, **wood),
        box(0.14, 0.14, 0.012, **wood).moved(z=0.11),
        box(0.09, 0.006, 0.05, **wood).moved(y=-0.067, z=0.025),
        ball(0.008, **BRASS).moved(0, -0.075, 0.05),
    ]
    dome = vessel(smooth_profile([(0.02, 0.122), (0.045, 0.14), (0.058, 0.17)], 4), 0.002, 0.004, 32, **STEEL)
    beans = [
        ellipsoid(0.012, 0.008, 0.006, 5, 8, rgb=(0.24, 0.13, 0.07))
        .turned("z", 50 * k)
        .moved(0.035 * math.cos(2.4 * k) * (k / 24) ** 0.5, 0.035 * math.sin(2.4 * k) * (k / 24) ** 0.5, 0.162)
        for k in range(24)
    ]
    crank = [
        tube([(0, 0, 0.16), (0, 0, 0.20), (0.02, 0, 0.205), (0.13, 0, 0.205)], 0.004, 8, **STEEL),
        ball(0.015, **wood).moved(0.13, 0, 0.218),
    ]
    return model(base, dome, beans, crank)


@maker
def set_triangle() -> Model:
    """A drawing triangle."""
    look: dict[str, Any] = {"rgb": (0.30, 0.62, 0.80), "alpha": 0.7, "specular": 0.6, "tint": True}
    bars = [
        extrude([(0, 0), (0.20, 0), (0.145, 0.025), (0.025, 0.025)], 0.002, **look),
        extrude([(0, 0), (0.025, 0.025), (0.025, 0.145), (0, 0.20)], 0.002, **look),
        extrude([(0.20, 0), (0, 0.20), (0.025, 0.145), (0.145, 0.025)], 0.002, **look),
    ]
    marks = [
        box(0.0008, 0.006 if k % 5 else 0.010, 0.0004, only=["top"], **DARK).moved(0.012 + 0.008 * k, 0.006, 0.0021) for k in range(21)
    ]
    return model(bars, marks, collider="box")


@maker
def tennis_racket() -> Model:
    frame: dict[str, Any] = {"rgb": (0.75, 0.12, 0.14), "specular": 0.5, "shininess": 0.6, "tint": True}
    string: dict[str, Any] = {"rgb": (0.94, 0.94, 0.90), "specular": 0.2}
    a, b, middle = 0.118, 0.158, 0.162
    t = np.linspace(0, 2 * math.pi, 49)
    head = tube(np.stack([a * np.cos(t), middle + b * np.sin(t), np.zeros(49)], 1), 0.0105, 10, caps=False, **frame)
    strings: list[Part] = []
    for x in np.linspace(-0.10, 0.10, 14):
        reach = b * math.sqrt(1 - (x / a) ** 2)
        strings.append(box(0.0022, 2 * reach, 0.0016, **string).moved(float(x), middle, -0.0008))
    for y in np.linspace(-0.14, 0.14, 18):
        reach = a * math.sqrt(1 - (y / b) ** 2)
        strings.append(box(2 * reach, 0.0022, 0.0016, **string).moved(0, middle + float(y), -0.0008))
    throat = [
        tube(
            catmull([(s * 0.075, middle - 0.122, 0), (s * 0.045, -0.02, 0), (s * 0.014, -0.10, 0), (s * 0.008, -0.16, 0)], 4),
            0.0095,
            10,
            **frame,
        )
        for s in (-1, 1)
    ]
    y, x = np.mgrid[0:128, 0:64]
    wrap = np.where(((y + x) % 20 < 3)[..., None], np.array([12, 12, 12]), np.array([44, 44, 46])).astype(np.uint8)
    grip = tube([(0, -0.165, 0), (0, -0.345, 0)], 0.0165, 8, texture=wrap, rgb=(1, 1, 1), specular=0.1)
    butt = tube([(0, -0.342, 0), (0, -0.352, 0)], 0.019, 8, **DARK)
    return model(head, strings, throat, grip, butt)


@maker
def umbrella() -> Model:
    """A rolled umbrella standing on its tip."""
    t = np.linspace(0, 1, 26)
    profile = [
        (float(r), float(z))
        for r, z in zip(np.interp(t, [0, 0.1, 0.5, 0.8, 0.93, 1], [0.004, 0.016, 0.030, 0.040, 0.034, 0.020]), 0.07 + 0.52 * t, strict=True)
    ]
    cloth: dict[str, Any] = {"rgb": (0.16, 0.26, 0.52), "specular": 0.15, "tint": True}
    canopy = lathe([(0.0, 0.07), *profile, (0.006, 0.595)], 96, **cloth)

    def pleats(v: Any) -> Any:
        angle = np.arctan2(v[:, 1], v[:, 0]) + 5.0 * v[:, 2]
        return v * np.stack([1 + 0.26 * np.sin(8 * angle)] * 2 + [np.ones(len(v))], 1)

    strap = lathe([(0.0345, 0.39), (0.0345, 0.412)], 36, rgb=(0.11, 0.18, 0.38), specular=0.1)
    rod = [lathe([(0, 0), (0.0035, 0.002), (0.0045, 0.075), (0, 0.08)], 14, **STEEL), lathe([(0.0045, 0.58), (0.0045, 0.70)], 14, **STEEL)]
    wood: dict[str, Any] = {"texture": tx.wood((0.48, 0.28, 0.14), 3), "rgb": (1.0, 1.0, 1.0), "specular": 0.4}
    hook = tube(
        np.concatenate([[(0, 0, 0.66), (0, 0, 0.78)], arc(0.042, 180, 20, 12, "xz", (0.042, 0, 0.79)), [(0.080, 0, 0.795)]]),
        0.0105,
        12,
        **wood,
    )
    return model(canopy.mapped(pleats), strap, rod, hook)


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
def sleeping_bag() -> Model:
    """A quilted sleeping bag, laid out, its opening at the head showing the lining."""
    rows, around = 90, 28
    y = np.linspace(-1.0, 1.0, rows)
    width = np.interp(y, [-1.0, -0.97, -0.8, 0.3, 0.62, 0.8, 0.93, 1.0], [0.10, 0.20, 0.26, 0.38, 0.40, 0.34, 0.24, 0.06])
    high = np.interp(y, [-1.0, -0.95, -0.7, 0.5, 0.66, 1.0], [0.02, 0.07, 0.085, 0.085, 0.05, 0.018]) * (
        1 - 0.22 * np.abs(np.sin(y * math.pi * 6)) ** 6
    )
    a = np.linspace(0, 2 * math.pi, around + 1)
    x = width[:, None] * np.cos(a)
    z = np.where(np.sin(a) > 0, high[:, None] * np.sin(a), 0.02 * np.sin(a)) + 0.02
    from sim_bridge.backends.mujoco.meshes.shapes import grid_faces

    points = np.stack([x, np.broadcast_to(y[:, None], x.shape), z], -1).reshape(-1, 3)
    shell = Part(points, grid_faces(rows, around + 1)[:, ::-1], rgb=(0.12, 0.32, 0.62), specular=0.2, tint=True)
    lining = ellipsoid(0.54, 0.52, 0.05, 10, 30, rgb=(0.95, 0.55, 0.16), specular=0.1).moved(y=0.70, z=0.062)
    fold = tube(
        catmull([(-0.36, 0.60, 0.045), (-0.2, 0.52, 0.095), (0, 0.50, 0.105), (0.2, 0.52, 0.095), (0.36, 0.60, 0.045)], 5),
        0.022,
        10,
        rgb=(0.12, 0.32, 0.62),
        specular=0.2,
    )
    zip_ = tube([(0.30, 0.50, 0.075), (0.29, 0.1, 0.082), (0.27, -0.35, 0.080)], 0.006, 6, rgb=(0.92, 0.92, 0.90), specular=0.4)
    return model(shell, lining, fold, zip_)


def slab(corners: Any, **looks: Any) -> tuple[Part, Solid]:
    """A wall between eight corners, in the order of (x, y, z) signs (−−−, −−+, −+−, −++, +−−, …): what is seen and what collides."""
    c = np.asarray(corners, float)
    unit = box(1, 1, 1, **looks)

    def bent(v: Any) -> Any:
        s = np.stack([v[:, 0] + 0.5, v[:, 1] + 0.5, v[:, 2]], 1)
        weight = [np.prod([s[:, k] if (i >> (2 - k)) & 1 else 1 - s[:, k] for k in range(3)], axis=0) for i in range(8)]
        return sum(w[:, None] * q for w, q in zip(weight, c, strict=True))

    return unit.mapped(bent), Solid(c)


def open_box(
    bottom: tuple[float, float], top: tuple[float, float], high: float, wall: float, **looks: Any
) -> tuple[list[Part], tuple[Solid, ...], Cavity]:
    """Four slanting walls and a floor: parts, contact pieces and the space inside (a box as wide as the floor)."""
    parts, solids = [], []

    def rim(size: tuple[float, float], inset: float) -> list[tuple[float, float]]:
        x, y = size[0] / 2 - inset, size[1] / 2 - inset
        return [(-x, -y), (x, -y), (x, y), (-x, y)]

    for k in range(4):
        ends = (k, (k + 1) % 4)
        outer = [[(*rim(size, 0.0)[e], z) for size, z in ((bottom, 0.0), (top, high))] for e in ends]
        inner = [[(*rim(size, wall)[e], z) for size, z in ((bottom, 0.0), (top, high))] for e in ends]
        part, solid = slab([*outer[0], *inner[0], *outer[1], *inner[1]], **looks)
        parts.append(part)
        solids.append(solid)
    part, solid = slab(
        [(x, y, z) for x in (-bottom[0] / 2, bottom[0] / 2) for y in (-bottom[1] / 2, bottom[1] / 2) for z in (0.0, wall)], **looks
    )
    half = (bottom[0] / 2 - wall, bottom[1] / 2 - wall, (high - wall) / 2)
    cavity = Cavity(half=half, offset=np.array([0.0, 0.0, (high + wall) / 2]))
    return [*parts, part], (*solids, solid), cavity


@maker
def recycling_bin(colour: tuple[float, float, float] = (0.10, 0.28, 0.62)) -> Model:
    """An open plastic bin with three chasing arrows on its front and back."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.35, "tint": True}
    walls, solids, cavity = open_box((0.34, 0.26), (0.42, 0.32), 0.34, 0.006, **look)
    lip = [box(0.44, 0.02, 0.022, **look).moved(y=s * 0.162, z=0.322) for s in (-1, 1)] + [
        box(0.02, 0.34, 0.022, **look).moved(x=s * 0.212, z=0.322) for s in (-1, 1)
    ]
    lean = math.degrees(math.atan2(0.03, 0.34))
    white: dict[str, Any] = {"rgb": (0.96, 0.96, 0.95), "specular": 0.1}
    arrows: list[Part] = []
    for k in range(3):
        bar = extrude(
            [(-0.028, 0.050), (0.018, 0.050), (0.018, 0.064), (0.044, 0.041), (0.018, 0.018), (0.018, 0.032), (-0.018, 0.032)],
            0.0015,
            **white,
        )
        arrows.append(bar.turned("z", 120.0 * k))
    sign = [p.turned("x", 90 + lean).moved(y=-0.1452, z=0.17) for p in arrows]
    return model(walls, lip, sign, [p.turned("z", 180) for p in sign], hollow=True, solids=(*solids, *pieces(*lip)), cavity=cavity)


@maker
def laundry_basket(colour: tuple[float, float, float] = (0.94, 0.94, 0.92)) -> Model:
    """A plastic basket of slats with two handles."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.3, "tint": True}
    bottom, top, high, wall = (0.44, 0.30), (0.56, 0.40), 0.27, 0.006
    _, solids, cavity = open_box(bottom, top, high, wall, **look)
    parts: list[Any] = [box(*bottom, wall, **look)]
    for z, t in ((0.0, 0.045), (high - 0.05, 0.05)):
        lower = tuple(b + (u - b) * z / high for b, u in zip(bottom, top, strict=True))
        upper = tuple(b + (u - b) * (z + t) / high for b, u in zip(bottom, top, strict=True))
        band, _, _ = open_box((lower[0], lower[1]), (upper[0], upper[1]), t, wall, **look)
        parts += [p.moved(z=z) for p in band[:4]]
    for share in np.linspace(-0.44, 0.44, 12):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (share * bb[0] + dx, s * (bb[1] / 2 - inset), z)
                        for dx in (-0.011, 0.011)
                        for inset in (0.0, wall)
                        for bb, z in ((bottom, 0.02), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    for share in np.linspace(-0.42, 0.42, 8):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (s * (bb[0] / 2 - inset), share * bb[1] + dy, z)
                        for inset in (0.0, wall)
                        for dy in (-0.011, 0.011)
                        for bb, z in ((bottom, 0.02), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    grey: dict[str, Any] = {"rgb": (0.36, 0.52, 0.66), "specular": 0.3}
    rim = [box(0.58, 0.024, 0.022, **grey).moved(y=s * 0.200, z=high - 0.012) for s in (-1, 1)] + [
        box(0.024, 0.42, 0.022, **grey).moved(x=s * 0.280, z=high - 0.012) for s in (-1, 1)
    ]
    grips = [
        tube(
            catmull(
                [(s * 0.285, -0.07, high), (s * 0.315, -0.05, high + 0.005), (s * 0.315, 0.05, high + 0.005), (s * 0.285, 0.07, high)], 4
            ),
            0.011,
            10,
            **grey,
        )
        for s in (-1, 1)
    ]
    return model(parts, rim, grips, hollow=True, solids=(*solids, *pieces(*rim, *grips)), cavity=cavity)


@maker
def shopping_basket(colour: tuple[float, float, float] = (0.78, 0.12, 0.12)) -> Model:
    """The plastic basket of a shop, its two wire handles raised."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.35, "tint": True}
    bottom, top, high, wall = (0.36, 0.23), (0.43, 0.29), 0.22, 0.005
    _, solids, cavity = open_box(bottom, top, high, wall, **look)
    parts: list[Any] = [box(*bottom, wall, **look)]
    for z, t in ((0.0, 0.03), (0.085, 0.02), (0.15, 0.07)):
        lower = tuple(b + (u - b) * z / high for b, u in zip(bottom, top, strict=True))
        upper = tuple(b + (u - b) * (z + t) / high for b, u in zip(bottom, top, strict=True))
        band, _, _ = open_box((lower[0], lower[1]), (upper[0], upper[1]), t, wall, **look)
        parts += [p.moved(z=z) for p in band[:4]]
    for share in np.linspace(-0.46, 0.46, 15):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (share * bb[0] + dx, s * (bb[1] / 2 - inset), z)
                        for dx in (-0.005, 0.005)
                        for inset in (0.0, wall)
                        for bb, z in ((bottom, 0.01), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    for share in np.linspace(-0.44, 0.44, 10):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (s * (bb[0] / 2 - inset), share * bb[1] + dy, z)
                        for inset in (0.0, wall)
                        for dy in (-0.005, 0.005)
                        for bb, z in ((bottom, 0.01), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    wire: list[Part] = []
    bars: list[Solid] = []
    for s in (-1, 1):
        path = [
            (s * 0.14, -0.135, high - 0.03),
            (s * 0.035, -0.12, high + 0.12),
            (s * 0.03, 0.12, high + 0.12),
            (s * 0.14, 0.135, high - 0.03),
        ]
        wire.append(tube(catmull(path[:2], 2), 0.0035, 8, **STEEL))
        wire.append(tube(path[2:], 0.0035, 8, **STEEL))
        wire.append(tube(path[1:3], 0.0035, 8, **STEEL))
        wire.append(tube([(s * 0.033, -0.05, high + 0.12), (s * 0.032, 0.05, high + 0.12)], 0.011, 10, **DARK))
        bars += tube_solids(path, 0.0035)
    return model(parts, wire, hollow=True, solids=(*solids, *bars), cavity=cavity)


@maker
def newspaper() -> Model:
    """A folded newspaper: a title, a headline, columns and a picture that name nobody."""
    paper = (0.93, 0.92, 0.88)
    page = np.full((320, 260, 3), np.array(paper) * 255, np.uint8)

    def put(image: Any, top: int, left: int) -> None:
        page[top : top + image.shape[0], left : left + image.shape[1]] = image

    put(tx.plate_text("Daily News", paper, (0.08, 0.08, 0.08), (236, 46)), 8, 12)
    page[58:60, 10:250] = page[66:67, 10:250] = 40
    put(tx.plate_text("Sun after rain", paper, (0.12, 0.12, 0.12), (236, 34)), 72, 12)
    rng = np.random.default_rng(3)
    for column in range(4):
        left = 12 + 60 * column
        for row in range(112, 312, 5):
            if column in (1, 2) and 120 <= row < 205:
                continue
            page[row : row + 2, left : left + int(rng.uniform(40, 53))] = 96
    y, x = np.mgrid[0:80, 0:112]
    sky = np.where((y < 48 - 10 * np.sin(x / 17.0))[..., None], np.array([196, 200, 204]), np.array([112, 116, 110]))
    sun = (np.hypot(x - 78, y - 20) < 11)[..., None]
    put(np.where(sun, np.array([240, 238, 226]), sky).astype(np.uint8), 122, 73)
    fold: dict[str, Any] = {"rgb": paper, "specular": 0.02}
    sheets = [rounded_box(0.29, 0.36, 0.005, 9, 6, 28, **fold).moved(x=0.001 * k, z=0.0045 * k) for k in range(4)]
    cover = box(0.284, 0.352, 0.0012, only=["top"], texture=page, rgb=(1, 1, 1), specular=0.02).moved(x=0.003, z=0.0185)
    return model(sheets, cover, collider="box")
