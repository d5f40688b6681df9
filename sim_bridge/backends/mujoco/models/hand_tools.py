"""Tools of workshop and garden, locks, fire, and protection at work."""

from __future__ import annotations

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
    ring,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import GOLD, WOOD
from sim_bridge.backends.mujoco.models.vessels import vessel


@maker
def hammer_claw() -> Model:
    grip = tube(
        [(0, 0, 0), (0, 0, 0.10), (0, 0, 0.27)],
        [0.016, 0.013, 0.011],
        14,
        texture=tx.wood((0.76, 0.56, 0.32), 3, 128),
        rgb=(1, 1, 1),
        specular=0.2,
    )
    head = [
        lathe(
            [(0, -0.06), (0.015, -0.06), (0.015, -0.045), (0.011, -0.04), (0.013, 0.0), (0, 0.0)], 20, rgb=(0.35, 0.36, 0.38), specular=0.7
        )
        .turned("y", 90)
        .moved(z=0.28)
    ]
    head.append(box(0.036, 0.024, 0.030, rgb=(0.35, 0.36, 0.38), specular=0.7).moved(x=0.0, z=0.265))
    head += [
        tube(
            [(0.012, y, 0.285), (0.045, 1.5 * y, 0.29), (0.075, 2.0 * y, 0.27), (0.09, 2.1 * y, 0.25)],
            [0.011, 0.008, 0.005, 0.002],
            8,
            rgb=(0.35, 0.36, 0.38),
            specular=0.7,
        )
        for y in (-0.006, 0.006)
    ]
    return model([p.turned("x", 90).turned("z", 20).moved(z=0.016) for p in (grip, *head)])


@maker
def screwdriver_tool() -> Model:
    return model(
        [
            p.turned("y", 90).moved(z=0.015)
            for p in (
                lathe(
                    smooth_profile([(0, 0), (0.013, 0.004), (0.014, 0.06), (0.009, 0.09), (0, 0.092)], 4),
                    12,
                    rgb=(0.82, 0.14, 0.10),
                    specular=0.6,
                    tint=True,
                ),
                lathe([(0.0035, 0.09), (0.0035, 0.20), (0, 0.205)], 12, **STEEL),
            )
        ]
    )


@maker
def allen_wrench() -> Model:
    path = [(0.0, 0, 0.0), (0.07, 0, 0.0), (0.088, 0.001, 0.0), (0.094, 0.008, 0.0), (0.094, 0.034, 0.0)]
    return model(tube(path, 0.004, 6, rgb=(0.22, 0.22, 0.24), specular=0.6).moved(z=0.004))


@maker
def chisel() -> Model:
    grip = lathe(
        smooth_profile([(0, 0), (0.013, 0.003), (0.016, 0.03), (0.012, 0.09), (0.014, 0.105), (0.009, 0.115)], 4),
        18,
        **WOOD | {"tint": True},
    )
    blade = [
        box(0.02, 0.004, 0.10, **STEEL).moved(z=0.14),
        lathe([(0.007, 0.112), (0.006, 0.145)], 14, **STEEL),
        standing(extrude([(-0.01, 0), (0.01, 0), (0.01, 0.012), (-0.01, 0.012)], 0.001, **STEEL)).moved(y=-0.001, z=0.239),
    ]
    return model([p.turned("y", 90).moved(z=0.016) for p in (grip, *blade)])


@maker
def magnifying_glass() -> Model:
    rim = ring(0.045, 0.004, 40, 10, **DARK)
    lens = lathe(smooth_profile([(0.0, -0.004), (0.03, -0.003), (0.044, 0.0), (0.03, 0.003), (0.0, 0.004)], 3), 36, **CLEAR)
    grip = tube(
        [(0.049, 0, 0), (0.06, 0, 0), (0.08, 0, 0), (0.155, 0, 0)],
        [0.004, 0.004, 0.008, 0.009],
        12,
        rgb=(0.35, 0.16, 0.08),
        specular=0.5,
        tint=True,
    )
    return model([p.moved(z=0.009) for p in (rim, lens, grip)])


@maker
def lighter() -> Model:
    return model(
        rounded_box(0.024, 0.012, 0.06, 6, rgb=(0.80, 0.12, 0.14), specular=0.6, tint=True),
        box(0.022, 0.011, 0.016, **STEEL).moved(z=0.058),
        lathe([(0.005, -0.004), (0.005, 0.004)], 14, **DARK).turned("x", 90).moved(-0.005, 0, 0.074),
        box(0.009, 0.009, 0.006, rgb=(0.80, 0.12, 0.14)).moved(x=0.007, z=0.072),
    )


@maker
def match_box() -> Model:
    image, where = tx.carton_faces("matches", (0.82, 0.18, 0.12), (0.95, 0.85, 0.30), (0.055, 0.036, 0.016), 384)
    sticks = [box(0.045, 0.0022, 0.0022, rgb=(0.90, 0.78, 0.55)).moved(0.012, y, 0.009) for y in np.linspace(-0.012, 0.012, 6)]
    heads = [ellipsoid(0.005, 0.0034, 0.0034, 6, 8, rgb=(0.65, 0.10, 0.08)).moved(0.035, y, 0.010) for y in np.linspace(-0.012, 0.012, 6)]
    drawer = box(0.05, 0.032, 0.006, rgb=(0.90, 0.84, 0.70)).moved(x=0.013, z=0.002)
    return model(box(0.055, 0.036, 0.016, uv_of=where, texture=image, rgb=(1, 1, 1)), drawer, sticks, heads, collider="box")


@maker
def match() -> Model:
    return model(
        box(0.045, 0.0024, 0.0024, rgb=(0.90, 0.78, 0.55)),
        ellipsoid(0.006, 0.0038, 0.0038, 6, 8, rgb=(0.65, 0.10, 0.08)).moved(x=0.023, z=0.0014),
    )


@maker
def padlock() -> Model:
    body = rounded_box(0.045, 0.018, 0.038, 6, **GOLD | {"tint": True})
    shackle = tube(
        np.concatenate([[[0.014, 0, 0.034]], arc(0.014, 0, 180, 12, "xz", (0, 0, 0.052)), [[-0.014, 0, 0.034]]]), 0.004, 10, **STEEL
    )
    hole = [
        lathe([(0.004, 0), (0.004, 0.001), (0, 0.001)], 14, **DARK).turned("x", 90).moved(0, -0.0088, 0.019),
        box(0.003, 0.002, 0.008, **DARK).moved(y=-0.009, z=0.010),
    ]
    return model(body, shackle, hole)


@maker
def work_helmet() -> Model:
    yellow: dict[str, Any] = {"rgb": (0.96, 0.76, 0.08), "specular": 0.5, "shininess": 0.6, "tint": True}
    dome = lathe(smooth_profile([(0.112, 0.03), (0.112, 0.06), (0.095, 0.11), (0.055, 0.142), (0.0, 0.150)], 5), 40, **yellow).scaled(
        0.92, 1.12, 1
    )
    brim = lathe([(0.10, 0.026), (0.128, 0.024), (0.130, 0.028), (0.112, 0.034)], 40, **yellow).scaled(0.92, 1.12, 1)
    peak = lathe([(0.10, 0.024), (0.155, 0.014), (0.156, 0.018), (0.11, 0.034)], 24, 110, **yellow).turned("z", -145).scaled(0.92, 1.12, 1)
    ridges = [
        tube(np.stack([0 * (a := np.linspace(-1.25, 1.25, 20)) + x, 0.124 * np.sin(a), 0.035 + 0.118 * np.cos(a)], 1), 0.006, 8, **yellow)
        for x in (-0.02, 0.02)
    ]
    inside = lathe([(0.0, 0.10), (0.09, 0.05), (0.10, 0.03)], 30, **DARK).scaled(0.9, 1.1, 1)
    return model(dome, brim, peak, ridges, inside)


@maker
def tobacco_pipe() -> Model:
    wood: dict[str, Any] = {"rgb": (0.36, 0.17, 0.08), "specular": 0.7, "shininess": 0.7, "tint": True}
    bowl_part = vessel(smooth_profile([(0.012, 0), (0.018, 0.006), (0.021, 0.025), (0.018, 0.048)], 4), 0.006, 0.012, 26, **wood)
    stem = tube([(0.012, 0, 0.012), (0.05, 0, 0.020), (0.085, 0, 0.036), (0.13, 0, 0.044)], [0.009, 0.006, 0.005, 0.004], 12, **wood)
    bit = tube([(0.085, 0, 0.036), (0.13, 0, 0.0445), (0.145, 0, 0.0445)], [0.0055, 0.0045, 0.003], 10, **DARK)
    return model(bowl_part, stem, bit)


@maker
def mousetrap() -> Model:
    base = box(0.05, 0.10, 0.008, texture=tx.wood((0.80, 0.62, 0.38), 5, 128), rgb=(1, 1, 1), specular=0.05)
    bar = tube([(-0.018, 0.0, 0.010), (-0.018, 0.044, 0.012), (0.018, 0.044, 0.012), (0.018, 0.0, 0.010)], 0.0014, 6, **STEEL)
    coil = [ring(0.004, 0.001, 14, 6, **STEEL).turned("y", 90).moved(x, 0, 0.012) for x in np.linspace(-0.016, 0.016, 14)]
    trip = box(0.018, 0.022, 0.002, rgb=(0.86, 0.66, 0.20), specular=0.6).moved(0, -0.028, 0.010)
    cheese = extrude([(0, 0), (0.012, -0.005), (0.012, 0.005)], 0.007, rgb=(0.97, 0.82, 0.28)).moved(-0.006, -0.028, 0.012)
    return model(base, bar, coil, trip, cheese, tube([(0, -0.018, 0.012), (0, 0.044, 0.013)], 0.001, 6, **STEEL), collider="box")


@maker
def wheel() -> Model:
    """A skateboard wheel on its bearing."""
    tyre = lathe(
        smooth_profile([(0.012, -0.016), (0.024, -0.016), (0.027, 0.0), (0.024, 0.016), (0.012, 0.016)], 3),
        30,
        rgb=(0.92, 0.78, 0.20),
        specular=0.3,
        tint=True,
    )
    hub = lathe([(0.004, -0.012), (0.012, -0.012), (0.012, 0.012), (0.004, 0.012), (0.004, -0.012)], 24, **STEEL)
    return model([p.turned("x", 90).moved(z=0.027) for p in (tyre, hub)])


@maker
def steel_wool() -> Model:
    rng = np.random.default_rng(8)
    wires = []
    for _ in range(26):
        p = rng.normal(0, 1, (9, 3)).cumsum(0)
        p = (p - p.mean(0)) / np.abs(p - p.mean(0)).max() * np.array([0.038, 0.030, 0.020])
        wires.append(tube(p, 0.0012, 5, rgb=(0.52, 0.53, 0.55), specular=0.8))
    core = ellipsoid(
        0.062, 0.048, 0.030, texture=tx.speckle((0.46, 0.47, 0.49), (0.22, 0.22, 0.24), 5, 64, 0.5, 3, 0.1), rgb=(1, 1, 1), specular=0.6
    )
    return model(wires, core)


@maker
def stake() -> Model:
    """A pointed wooden stake."""
    post = box(0.045, 0.045, 0.45, texture=tx.wood((0.74, 0.56, 0.34), 3, 128), rgb=(1, 1, 1), specular=0.05).moved(z=0.10)
    tip = lathe([(0, 0), (0.0318, 0.10)], 4, texture=tx.wood((0.80, 0.62, 0.40), 4, 64), rgb=(1, 1, 1)).turned("z", 45)
    return model([p.turned("y", 90).moved(z=0.0225) for p in (post, tip)], collider="box")


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
