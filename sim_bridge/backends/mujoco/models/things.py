"""Balls, tools, stationery, toys, instruments, devices and other small things."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Colour,
    Model,
    Part,
    Texture,
    arc,
    ball,
    box,
    ellipsoid,
    extrude,
    grid_faces,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker, pick
from sim_bridge.backends.mujoco.models.packages import CREAM
from sim_bridge.backends.mujoco.models.vessels import vessel

WOOD: dict[str, Any] = {"rgb": (0.72, 0.50, 0.28), "specular": 0.2}
GOLD: dict[str, Any] = {"rgb": (0.85, 0.66, 0.22), "specular": 0.9, "shininess": 0.8}
_DIAMETERS = {
    "tennis": 0.067,
    "baseball": 0.074,
    "softball": 0.097,
    "basketball": 0.24,
    "soccer": 0.22,
    "volleyball": 0.21,
    "bowling": 0.217,
    "golf": 0.0427,
    "pool": 0.057,
    "ping_pong": 0.040,
    "beach": 0.35,
}


@maker
def sports_ball(kind: str) -> Model:
    shine = {"bowling": 0.9, "pool": 0.9, "golf": 0.5, "beach": 0.5}.get(kind, 0.15)
    return model(
        ball(_DIAMETERS[kind] / 2, 20, 40, texture=tx.sports_ball(kind), rgb=(1, 1, 1), specular=shine, shininess=0.8), collider="sphere"
    )


@maker
def football() -> Model:
    t = np.linspace(-1, 1, 17)
    body = lathe([(0.085 * (1 - abs(a) ** 2.2) ** 0.75, 0.14 * a) for a in t], 30, rgb=(0.45, 0.22, 0.10), specular=0.2).turned("y", 90)
    rings = [lathe([(0.0615, 0.082), (0.0565, 0.092)], 30, **WHITE).turned("y", a) for a in (90, -90)]
    laces = [box(0.08, 0.006, 0.003, **WHITE).moved(z=0.084)] + [
        box(0.004, 0.026, 0.003, **WHITE).moved(x=x, z=0.085) for x in np.linspace(-0.035, 0.035, 6)
    ]
    return model(body, rings, laces)


@maker
def balloon(colour: tuple[float, float, float] = (0.85, 0.12, 0.16)) -> Model:
    body = lathe(
        smooth_profile([(0.004, 0), (0.03, 0.03), (0.10, 0.13), (0.125, 0.22), (0.10, 0.31), (0.05, 0.35), (0, 0.36)], 5),
        34,
        rgb=colour,
        specular=0.8,
        shininess=0.8,
        tint=True,
    )
    knot = lathe([(0.012, -0.014), (0.003, 0.0), (0.006, 0.006)], 14, rgb=colour, tint=True)
    string = tube([(0, 0, -0.012), (0.012, 0.004, -0.08), (-0.008, 0, -0.16), (0.004, 0, -0.22)], 0.0012, 5, rgb=(0.9, 0.9, 0.88))
    return model(body, knot, string)


@maker
def dice() -> Model:
    s = 0.018
    body = box(s, s, s, rgb=(0.96, 0.95, 0.93), specular=0.4)
    pips: list[Part] = []
    spots = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
        5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
        6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
    }
    for value, (axis, degrees) in {1: ("x", 0), 6: ("x", 180), 2: ("x", 90), 5: ("x", -90), 3: ("y", 90), 4: ("y", -90)}.items():
        for u, v in spots[value]:
            dot = ellipsoid(0.0036, 0.0036, 0.0012, 4, 10, rgb=(0.05, 0.05, 0.06)).moved(0.0048 * u, 0.0048 * v, s / 2 - 0.0001)
            pips.append(dot.turned(axis, degrees).moved(z=s / 2))
    return model(body, pips, collider="box")


@maker
def book(title: str = "", thick: float = 0.03, wide: float = 0.16, tall: float = 0.235, soft: bool = False, spiral: bool = False) -> Model:
    """A closed book lying flat, its title on both covers and on the spine."""
    ground = pick(title or "book", "cover")
    ink: Colour = (0.96, 0.93, 0.85) if sum(ground) < 1.7 else (0.15, 0.12, 0.10)
    cover = 0.0008 if soft else 0.0025
    front = tx.plate_text(title, ground, ink, (256, 352)) if title else None
    look: dict[str, Any] = {"rgb": ground, "specular": 0.2, "tint": True}
    face: dict[str, Any] = {"texture": front, "rgb": (1, 1, 1), "specular": 0.2} if front is not None else look
    lip = 0.0 if soft else 0.003
    pages = box(wide - 2 * lip, tall - 2 * lip, thick - 2 * cover, rgb=(0.94, 0.91, 0.83), specular=0.02).moved(x=lip / 2, z=cover)
    lids = [
        box(wide, tall, cover, **look),
        box(wide, tall, cover, **look).moved(z=thick - cover),
        box(wide, tall, 0.0004, only=["top"], **face).moved(z=thick),
    ]
    parts: list[Any] = [pages, lids]
    if spiral:
        parts += [
            ring(thick * 0.62, 0.0012, 14, 6, **STEEL).turned("x", 90).moved(-wide / 2, y, thick / 2)
            for y in np.linspace(-tall * 0.44, tall * 0.44, 22)
        ]
    else:
        parts.append(box(cover, tall, thick, **look).moved(x=-wide / 2))
        if title and thick > 0.012:
            spine = tx.plate_text(title, ground, ink, (384, 64))
            parts.append(
                box(tall * 0.9, 0.0006, thick * 0.8, only=["front"], texture=spine, rgb=(1, 1, 1))
                .turned("z", -90)
                .moved(x=-wide / 2 - cover / 2 - 0.0004, z=thick * 0.1)
            )
    return model(parts, collider="box")


@maker
def pencil() -> Model:
    yellow: dict[str, Any] = {"rgb": (0.95, 0.72, 0.12), "specular": 0.3, "tint": True}
    parts = [
        lathe([(0.0036, 0.02), (0.0036, 0.165)], 6, **yellow),
        lathe([(0.0012, 0.004), (0.0037, 0.0205)], 12, rgb=(0.86, 0.70, 0.48)),
        lathe([(0, 0), (0.0013, 0.0045)], 10, **DARK),
    ]
    parts += [
        lathe([(0.0039, 0.163), (0.0039, 0.176)], 14, **STEEL),
        lathe([(0.0036, 0.175), (0.0036, 0.187), (0, 0.188)], 14, rgb=(0.90, 0.52, 0.52)),
    ]
    return model([p.turned("y", 90).moved(z=0.0039) for p in parts], collider="box")


@maker
def crayon(colour: tuple[float, float, float] = (0.80, 0.12, 0.12)) -> Model:
    body = lathe(
        [(0, 0), (0.0045, 0), (0.0045, 0.078), (0.0038, 0.079), (0.0012, 0.092), (0, 0.092)], 18, rgb=colour, specular=0.3, tint=True
    )
    paper = lathe(
        [(0.0047, 0.008), (0.0047, 0.070)],
        18,
        texture=tx.bands(
            (colour, colour, (0.08, 0.08, 0.08), colour, colour, colour, colour, colour, colour, (0.08, 0.08, 0.08), colour, colour), 1, "v"
        ),
        rgb=(0.86, 0.86, 0.86),
        specular=0.05,
    )
    return model([p.turned("y", 90).moved(z=0.0047) for p in (body, paper)], collider="cylinder")


@maker
def marker(colour: tuple[float, float, float] = (0.10, 0.20, 0.65)) -> Model:
    parts = [
        lathe([(0, 0), (0.008, 0), (0.0085, 0.003), (0.0085, 0.095)], 22, **WHITE),
        lathe([(0, 0.093), (0.0093, 0.093), (0.0088, 0.14), (0.006, 0.143), (0, 0.143)], 22, rgb=colour, tint=True),
        lathe([(0.0087, 0.0), (0.0087, 0.008)], 22, rgb=colour, tint=True),
    ]
    return model([p.turned("y", 90).moved(z=0.0093) for p in parts], collider="cylinder")


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
def paintbrush() -> Model:
    handle = lathe(
        smooth_profile([(0, 0), (0.005, 0.004), (0.008, 0.05), (0.006, 0.11), (0.011, 0.13)], 4),
        18,
        rgb=(0.70, 0.16, 0.12),
        specular=0.5,
        tint=True,
    ).scaled(1.3, 0.7, 1)
    ferrule = box(0.05, 0.016, 0.036, **STEEL).moved(z=0.128)
    hair = box(0.048, 0.013, 0.06, texture=tx.wood((0.62, 0.46, 0.28), 2, 64), rgb=(1, 1, 1), specular=0.0).moved(z=0.163)
    return model([p.turned("y", 90).turned("x", 90) for p in (handle, ferrule, hair)], collider="box")


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
def rolling_pin() -> Model:
    body = lathe(
        [(0, -0.13), (0.027, -0.13), (0.029, -0.125), (0.029, 0.125), (0.027, 0.13), (0, 0.13)],
        28,
        texture=tx.wood((0.80, 0.60, 0.36), 4, 128),
        rgb=(1, 1, 1),
        specular=0.2,
        tint=True,
    )
    grips = [
        lathe(smooth_profile([(0.008, 0.13), (0.012, 0.15), (0.015, 0.19), (0.010, 0.22), (0, 0.224)], 4), 20, **WOOD).turned("x", a)
        for a in (0, 180)
    ]
    return model([p.turned("y", 90).moved(z=0.029) for p in (body, *grips)], collider="cylinder")


@maker
def squeegee() -> Model:
    grip = tube([(0, 0, 0), (0, 0, 0.15)], [0.013, 0.011], 12, rgb=(0.12, 0.40, 0.70), tint=True)
    head = [box(0.25, 0.014, 0.018, **STEEL).moved(z=0.150), box(0.25, 0.004, 0.026, **DARK).moved(z=0.166)]
    return model(grip, head)


@maker
def corkscrew() -> Model:
    t = np.linspace(0, 5 * 2 * math.pi, 70)
    worm = tube(
        np.stack([0.0045 * np.cos(t), 0.0045 * np.sin(t), 0.066 - 0.066 * t / t[-1]], 1),
        np.linspace(0.0016, 0.0008, 70).tolist(),
        7,
        **STEEL,
    )
    shank = tube([(0, 0, 0.064), (0, 0, 0.100)], 0.003, 10, **STEEL)
    grip = tube(
        [(-0.048, 0, 0.108), (-0.02, 0, 0.108), (0, 0, 0.108), (0.02, 0, 0.108), (0.048, 0, 0.108)],
        [0.008, 0.0105, 0.0095, 0.0105, 0.008],
        14,
        rgb=(0.45, 0.25, 0.12),
        specular=0.4,
        tint=True,
    )
    return model(worm, shank, grip)


@maker
def grater() -> Model:
    image = np.full((128, 256, 3), 188, np.uint8)
    yy, xx = np.mgrid[0:128, 0:256]
    holes = (((xx % 18) - 9) ** 2 + (((yy + 9 * ((xx // 18) % 2)) % 18) - 9) ** 2 < 16) & (yy > 10) & (yy < 118)
    image[holes] = (45, 45, 48)
    shell = lathe([(0.062, 0), (0.042, 0.19)], 4, texture=_keep(image), rgb=(1, 1, 1), specular=0.7).turned("z", 45).scaled(1, 0.75, 1)
    rim = [box(0.094, 0.072, 0.008, **STEEL), box(0.064, 0.05, 0.006, **DARK).moved(z=0.188)]
    grip = tube([(-0.025, 0, 0.19), (-0.022, 0, 0.225), (0.022, 0, 0.225), (0.025, 0, 0.19)], 0.006, 10, **DARK)
    return model(shell, rim, grip, collider="box")


_KEPT: dict[bytes, np.ndarray] = {}


def _keep(image: np.ndarray) -> np.ndarray:
    """One array per content, so that equal images become one texture."""
    return _KEPT.setdefault(image.tobytes(), image)


@maker
def whisk() -> Model:
    grip = tube([(0, 0, 0), (0, 0, 0.11)], [0.010, 0.008], 12, **STEEL)
    t = np.linspace(0, math.pi, 18)
    wires = [
        tube(
            np.stack(
                [
                    0.044 * np.cos(t) * np.sin(t) ** 0.6 * math.cos(a),
                    0.044 * np.cos(t) * np.sin(t) ** 0.6 * math.sin(a),
                    0.11 + 0.15 * np.sin(t),
                ],
                1,
            ),
            0.0013,
            5,
            **STEEL,
        )
        for a in np.linspace(0, math.pi, 5, endpoint=False)
    ]
    return model(grip, wires)


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
def light_bulb() -> Model:
    bulb = lathe(
        smooth_profile([(0.013, 0.026), (0.016, 0.036), (0.029, 0.060), (0.031, 0.078), (0.022, 0.100), (0, 0.107)], 5),
        32,
        rgb=(0.98, 0.96, 0.88),
        alpha=0.85,
        specular=0.9,
        emission=0.15,
    )
    thread = [ring(0.0125, 0.0018, 26, 6, **STEEL).moved(z=z) for z in np.linspace(0.008, 0.024, 5)] + [
        lathe([(0.004, 0.002), (0.012, 0.006), (0.0125, 0.028)], 24, **STEEL)
    ]
    return model(bulb, thread, lathe([(0, 0), (0.004, 0), (0.006, 0.003)], 14, **DARK))


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
def clipboard() -> Model:
    board = box(0.23, 0.32, 0.004, texture=tx.wood((0.50, 0.32, 0.18), 5, 128), rgb=(1, 1, 1), specular=0.1)
    lines = np.full((128, 96, 3), 246, np.uint8)
    lines[14::9, 8:88] = 150
    paper = box(0.205, 0.275, 0.002, only=["top", "front", "left", "right"], texture=_keep(lines), rgb=(1, 1, 1), specular=0.0).moved(
        y=-0.012, z=0.004
    )
    clip = [
        box(0.10, 0.03, 0.006, **STEEL).moved(y=0.138, z=0.005),
        tube([(-0.04, 0.148, 0.014), (0.04, 0.148, 0.014)], 0.006, 10, **STEEL),
    ]
    return model(board, paper, clip, collider="box")


@maker
def pencil_holder() -> Model:
    cup = vessel([(0.036, 0), (0.038, 0.10)], 0.003, 0.004, 30, rgb=(0.16, 0.17, 0.19), specular=0.3, tint=True)
    colours = ((0.95, 0.72, 0.12), (0.80, 0.12, 0.12), (0.12, 0.30, 0.70), (0.15, 0.50, 0.25))
    pens: list[Part] = []
    for k, colour in enumerate(colours):
        a = 1.6 * k
        pens.append(
            tube(
                [(0.012 * math.cos(a), 0.012 * math.sin(a), 0.01), (0.028 * math.cos(a), 0.028 * math.sin(a), 0.16)], 0.0038, 8, rgb=colour
            )
        )
        pens.append(
            lathe([(0, 0.016), (0.0037, 0)], 8, rgb=(0.88, 0.72, 0.50))
            .scaled(1, 1, 1)
            .moved(0.0282 * math.cos(a), 0.0282 * math.sin(a), 0.159)
        )
    return model(cup, pens, hollow=True, collider="cylinder")


@maker
def sticky_note() -> Model:
    return model(
        box(0.076, 0.076, 0.012, rgb=(0.98, 0.90, 0.35), specular=0.02, tint=True),
        box(0.06, 0.003, 0.0004, only=["top"], rgb=(0.30, 0.30, 0.35)).moved(y=0.012, z=0.012),
        box(0.05, 0.003, 0.0004, only=["top"], rgb=(0.30, 0.30, 0.35)).moved(x=-0.005, y=-0.004, z=0.012),
        collider="box",
    )


@maker
def glue_stick() -> Model:
    body = lathe([(0, 0), (0.011, 0), (0.011, 0.07), (0.0125, 0.071), (0.0125, 0.09), (0, 0.091)], 26, **WHITE)
    return model(
        body,
        lathe(
            [(0.0113, 0.012), (0.0113, 0.062)],
            26,
            texture=tx.label("glue stick", (0.95, 0.80, 0.15), (0.75, 0.15, 0.12), 2, (384, 240)),
            rgb=(1, 1, 1),
        ),
        collider="cylinder",
    )


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
def meat_thermometer() -> Model:
    face = _dial("°C")
    disc = lathe([(0, 0), (0.028, 0), (0.028, 0.012), (0.025, 0.014), (0, 0.014)], 32, **STEEL)
    dial = extrude(
        [(0.024 * math.cos(a), 0.024 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 30, endpoint=False)],
        0.001,
        texture=face,
        rgb=(1, 1, 1),
    ).moved(z=0.014)
    probe = tube([(0, 0, 0), (0, 0, -0.12), (0, 0, -0.13)], [0.002, 0.002, 0.0006], 8, **STEEL)
    return model([p.turned("x", 35) for p in (disc, dial, probe)])


def _dial(text: str = "", hours: bool = False) -> np.ndarray:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (192, 192), (246, 244, 238))
    draw = ImageDraw.Draw(image)
    for k in range(12 if hours else 24):
        a = 2 * math.pi * k / (12 if hours else 24)
        x, y = 96 + 74 * math.sin(a), 96 - 74 * math.cos(a)
        if hours:
            draw.text((x, y), str(k or 12), fill=(20, 20, 24), font=tx.font(24), anchor="mm")
        else:
            draw.line(
                [96 + 66 * math.sin(a), 96 - 66 * math.cos(a), 96 + 84 * math.sin(a), 96 - 84 * math.cos(a)], fill=(20, 20, 24), width=3
            )
    if hours:
        draw.line([96, 96, 96 + 34 * math.sin(5.3), 96 - 34 * math.cos(5.3)], fill=(20, 20, 24), width=8)
        draw.line([96, 96, 96 + 56 * math.sin(1.05), 96 - 56 * math.cos(1.05)], fill=(20, 20, 24), width=5)
    else:
        draw.line([96, 96, 96 + 62 * math.sin(0.8), 96 - 62 * math.cos(0.8)], fill=(190, 30, 24), width=6)
        draw.text((96, 130), text, fill=(20, 20, 24), font=tx.font(24), anchor="mm")
    return _keep(np.asarray(image))


def clock_face() -> np.ndarray:
    return _dial(hours=True)


@maker
def alarm_clock() -> Model:
    red: dict[str, Any] = {"rgb": (0.78, 0.12, 0.12), "specular": 0.7, "shininess": 0.7, "tint": True}
    drum = lathe([(0, 0), (0.045, 0), (0.047, 0.003), (0.047, 0.042), (0.044, 0.045), (0, 0.045)], 40, **red)
    outline = [(0.041 * math.cos(a), 0.041 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 36, endpoint=False)]
    face = extrude(outline, 0.001, texture=clock_face(), rgb=(1, 1, 1), specular=0.1).moved(z=0.0452)
    body = [p.turned("x", 90).moved(0, 0.022, 0.062) for p in (drum, face)]
    bells = [
        lathe(smooth_profile([(0.020, 0), (0.018, 0.008), (0.0, 0.016)], 3), 24, **STEEL).turned("y", a).moved(0.028 * s, 0, 0.105)
        for s, a in ((-1, -28), (1, 28))
    ]
    feet = [tube([(0.022 * s, 0, 0.022), (0.036 * s, 0, 0.0)], 0.004, 8, **STEEL) for s in (-1, 1)]
    hammer = [tube([(0, 0, 0.108), (0, 0, 0.122)], 0.002, 6, **STEEL), ball(0.005, **STEEL).moved(z=0.124)]
    return model(body, bells, feet, hammer, collider="box")


@maker
def wall_clock() -> Model:
    drum = lathe([(0, 0), (0.15, 0), (0.155, 0.01), (0.15, 0.035), (0.14, 0.035), (0.138, 0.025), (0, 0.025)], 48, **DARK | {"tint": True})
    face = extrude(
        [(0.139 * math.cos(a), 0.139 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 44, endpoint=False)],
        0.001,
        texture=clock_face(),
        rgb=(1, 1, 1),
        specular=0.05,
    ).moved(z=0.026)
    return model([p.turned("x", 90).moved(z=0.155) for p in (drum, face)], collider="box")


@maker
def globe() -> Model:
    land = tx.noise(128, 256, 12, 64, 5)
    y = np.abs(np.linspace(-1, 1, 128))[:, None]
    image = np.where((land > 0.53)[..., None], np.array([0.36, 0.55, 0.26]), np.array([0.16, 0.42, 0.70]))
    image = np.where((y > 0.88)[..., None] & (land > 0.40)[..., None], 0.95, image)
    grid = ((np.arange(256)[None, :] % 32 == 0) | (np.arange(128)[:, None] % 21 == 0))[..., None]
    image = np.where(grid, image * 0.8, image)
    sphere = ball(0.12, 24, 40, texture=_keep(tx.to_image(image)), rgb=(1, 1, 1), specular=0.5, shininess=0.6).turned("y", 23).moved(z=0.20)
    meridian = tube(arc(0.132, -68, 112, 26, "xz", (0, 0, 0.20)), 0.005, 8, **GOLD)
    stand = lathe(
        smooth_profile([(0, 0), (0.075, 0), (0.072, 0.012), (0.018, 0.025), (0.011, 0.05), (0.014, 0.068), (0, 0.07)], 4),
        30,
        rgb=(0.42, 0.24, 0.12),
        specular=0.4,
        tint=True,
    )
    return model(sphere, meridian, stand, collider="cylinder")


@maker
def toy_car(colour: tuple[float, float, float] = (0.82, 0.12, 0.12)) -> Model:
    body = standing(
        extrude(
            [(-0.055, 0.010), (0.055, 0.010), (0.056, 0.022), (0.050, 0.028), (0.030, 0.031), (-0.038, 0.031), (-0.055, 0.027)],
            0.048,
            rgb=colour,
            specular=0.7,
            shininess=0.7,
            tint=True,
        )
    ).moved(y=0.024)
    cabin = standing(
        extrude([(-0.036, 0.030), (0.026, 0.030), (0.012, 0.048), (-0.026, 0.048)], 0.040, rgb=(0.16, 0.20, 0.26), specular=0.8)
    ).moved(y=0.020)
    roof = standing(
        extrude([(-0.026, 0.046), (0.012, 0.046), (0.011, 0.050), (-0.024, 0.050)], 0.041, rgb=colour, specular=0.7, tint=True)
    ).moved(y=0.0205)
    wheels: list[Part] = []
    for x in (-0.033, 0.034):
        for s in (-1, 1):
            wheels += [
                lathe([(0, -0.004), (0.012, -0.004), (0.013, 0.004), (0, 0.004)], 20, **DARK).turned("x", 90).moved(x, s * 0.024, 0.013),
                lathe([(0, -0.0048), (0.006, -0.0048), (0.006, 0.0048), (0, 0.0048)], 14, **STEEL)
                .turned("x", 90)
                .moved(x, s * 0.024, 0.013),
            ]
    lamps = [ellipsoid(0.004, 0.009, 0.006, 6, 8, rgb=(0.98, 0.95, 0.75), emission=0.3).moved(0.055, s * 0.016, 0.022) for s in (-1, 1)]
    return model(body, cabin, roof, wheels, lamps, collider="box")


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
def computer_mouse() -> Model:
    body = ellipsoid(0.062, 0.105, 0.052, 16, 26, rgb=(0.16, 0.16, 0.18), specular=0.4, tint=True)
    v = body.vertices.copy()
    v[:, 2] = np.maximum(v[:, 2], -0.010)
    shape = Part(v, body.faces, rgb=(0.16, 0.16, 0.18), specular=0.4, tint=True).moved(z=0.010)
    wheel = (
        lathe([(0, -0.004), (0.008, -0.004), (0.008, 0.004), (0, 0.004)], 16, rgb=(0.5, 0.5, 0.52)).turned("y", 90).moved(0, 0.026, 0.030)
    )
    split = box(0.0012, 0.05, 0.0006, rgb=(0.02, 0.02, 0.02)).turned("x", -24).moved(0, 0.030, 0.030)
    cable = tube([(0, 0.05, 0.006), (0.005, 0.09, 0.003), (-0.01, 0.13, 0.003), (0.01, 0.18, 0.003)], 0.0024, 7, **DARK)
    return model(shape, wheel, split, cable)


@maker
def computer_keyboard() -> Model:
    keys = []
    for r in range(5):
        n = (15, 14, 14, 13, 8)[r]
        widths = np.full(n, 0.0225) if r < 4 else np.array([0.028, 0.028, 0.028, 0.13, 0.028, 0.028, 0.028, 0.028])
        x = -float(widths.sum()) / 2
        for w in widths:
            keys.append(
                box(float(w) - 0.003, 0.017, 0.007, rgb=(0.40, 0.41, 0.44), specular=0.2).moved(
                    x + float(w) / 2, 0.045 - 0.0215 * r, 0.0175
                )
            )
            x += float(w)
    return model(box(0.36, 0.13, 0.018, **DARK | {"tint": True}), keys, collider="box")


@maker
def monitor() -> Model:
    y, x = np.mgrid[0:96, 0:160]
    screen = tx.to_image(np.stack([0.10 + 0.10 * x / 160, 0.22 + 0.22 * y / 96, 0.42 + 0.20 * (1 - y / 96)], -1))
    panel = [
        box(0.54, 0.03, 0.32, **DARK).moved(y=0.0, z=0.12),
        box(0.52, 0.001, 0.295, only=["front"], texture=_keep(screen), rgb=(1, 1, 1), specular=0.5, emission=0.25).moved(
            y=-0.0155, z=0.134
        ),
    ]
    stand = [box(0.06, 0.025, 0.16, **DARK).moved(y=0.03), rounded_box(0.24, 0.17, 0.014, 8, **DARK)]
    return model(panel, stand, collider="box")


@maker
def digital_camera() -> Model:
    body = rounded_box(0.10, 0.032, 0.062, 6, rgb=(0.18, 0.18, 0.20), specular=0.4, tint=True)
    lens = [
        lathe([(0, 0), (0.024, 0), (0.024, 0.010), (0.020, 0.010), (0.020, 0.020), (0.014, 0.020), (0.012, 0.015), (0, 0.015)], 30, **STEEL)
        .turned("x", 90)
        .moved(0.008, -0.015, 0.030),
        lathe([(0.013, 0), (0, 0.003)], 24, rgb=(0.08, 0.06, 0.16), specular=1.0, shininess=0.9)
        .turned("x", 90)
        .moved(0.008, -0.031, 0.030),
    ]
    extras = [
        box(0.018, 0.002, 0.009, rgb=(0.95, 0.95, 0.90), specular=0.8).moved(-0.03, -0.0162, 0.046),
        lathe([(0.007, 0.060), (0.007, 0.066), (0, 0.066)], 18, **STEEL).moved(-0.032, 0, 0),
        box(0.012, 0.012, 0.003, **STEEL).moved(x=-0.008, z=0.0615),
        box(0.058, 0.001, 0.042, rgb=(0.06, 0.08, 0.12), specular=0.8).moved(-0.012, 0.0163, 0.010),
    ]
    return model(body, lens, extras, collider="box")


@maker
def webcam() -> Model:
    body = rounded_box(0.085, 0.03, 0.03, 4, **DARK | {"tint": True}).moved(z=0.035)
    lens = [
        lathe([(0, 0), (0.011, 0), (0.011, 0.004), (0, 0.004)], 22, **STEEL).turned("x", 90).moved(0, -0.014, 0.05),
        lathe([(0.008, 0), (0, 0.003)], 20, rgb=(0.05, 0.05, 0.15), specular=1.0).turned("x", 90).moved(0, -0.0182, 0.05),
    ]
    clip = [
        box(0.03, 0.02, 0.012, **DARK).moved(z=0.024),
        box(0.045, 0.05, 0.006, **DARK).moved(z=0.018),
        box(0.045, 0.006, 0.03, **DARK).moved(y=0.022),
    ]
    return model(body, lens, clip)


@maker
def router() -> Model:
    body = rounded_box(0.20, 0.13, 0.03, 8, **DARK | {"tint": True})
    masts = [tube([(x, 0.06, 0.02), (x, 0.066, 0.15)], [0.006, 0.004], 10, **DARK) for x in (-0.08, 0.08)]
    lights = [
        ellipsoid(0.005, 0.002, 0.004, 5, 8, rgb=(0.30, 0.95, 0.40), emission=0.8).moved(-0.06 + 0.02 * k, -0.066, 0.015) for k in range(6)
    ]
    return model(body, masts, lights, collider="box")


@maker
def boxed(text: str) -> Model:
    """A product in its printed sales box."""
    image, where = tx.carton_faces(text, (0.94, 0.94, 0.95), pick(text, "boxed"), (0.24, 0.08, 0.18))
    return model(box(0.24, 0.08, 0.18, uv_of=where, texture=image, rgb=(1, 1, 1), specular=0.2), collider="box")


@maker
def jigsaw_piece() -> Model:
    def edge(x0: float, y0: float, x1: float, y1: float, knob: float) -> list[tuple[float, float]]:
        d = np.array([x1 - x0, y1 - y0])
        n = np.array([d[1], -d[0]])
        points = [np.array([x0, y0])]
        if knob:
            middle = np.array([x0, y0]) + d * 0.5
            points += [
                middle + d * (0.20 * math.cos(a)) + n * knob * (0.20 + 0.17 * math.sin(a) + 0.02)
                for a in np.linspace(math.radians(222), math.radians(-42), 14)
            ]
        return [(float(p[0]), float(p[1])) for p in points]

    s = 0.012
    outline = [*edge(-s, -s, s, -s, 1.0), *edge(s, -s, s, s, -1.0), *edge(s, s, -s, s, 1.0), *edge(-s, s, -s, -s, -1.0)]
    return model(
        extrude(
            outline,
            0.0035,
            texture=tx.speckle((0.30, 0.55, 0.80), (0.92, 0.60, 0.25), 3, 64, 0.4, 24, 0.2),
            rgb=(1, 1, 1),
            specular=0.1,
            tint=True,
        )
    )


@maker
def gem(colour: tuple[float, float, float] = (0.80, 0.05, 0.15)) -> Model:
    sides = 8
    cut = lathe([(0, 0), (0.012, 0.011), (0.008, 0.016), (0, 0.016)], sides, rgb=colour, specular=1.0, shininess=0.9, tint=True)
    flat = Part(
        cut.vertices[cut.faces].reshape(-1, 3),
        np.arange(len(cut.faces) * 3).reshape(-1, 3),
        rgb=colour,
        specular=1.0,
        shininess=0.9,
        tint=True,
    )
    return model(flat)


@maker
def crystal() -> Model:
    look: dict[str, Any] = {"rgb": (0.62, 0.45, 0.82), "alpha": 0.85, "specular": 1.0, "shininess": 0.9, "tint": True}
    parts = []
    for k, (h, r, tilt) in enumerate(((0.09, 0.014, 0), (0.06, 0.011, 24), (0.055, 0.010, -22), (0.045, 0.009, 32), (0.04, 0.008, -34))):
        spike = lathe([(0, -0.01), (r, -0.01), (r, h * 0.72), (0, h)], 6, **look)
        v = spike.vertices[spike.faces].reshape(-1, 3)
        parts.append(Part(v, np.arange(len(v)).reshape(-1, 3), **look).turned("x", tilt).turned("z", 72.0 * k).moved(z=0.012))
    base = ellipsoid(
        0.06, 0.05, 0.026, texture=tx.speckle((0.45, 0.42, 0.44), (0.30, 0.28, 0.30), 3, 64, 0.5, 10, 0.3), rgb=(1, 1, 1)
    ).moved(z=0.010)
    return model(parts, base)


@maker
def seashell() -> Model:
    """A scallop, ribs up."""
    n, m = 37, 12
    vertices, faces = [], []
    for i in range(n):
        a = math.radians(-72 + 144 * i / (n - 1))
        rib = 1 + 0.04 * math.cos(i / (n - 1) * 9 * 2 * math.pi)
        for j in range(m):
            t = j / (m - 1)
            r = 0.06 * t * (0.93 + 0.07 * math.cos(a)) * (rib if t > 0.9 else 1)
            dome = 0.020 * math.sin(math.pi * min(t * 0.98 + 0.02, 1)) * math.cos(a * 0.9)
            vertices.append((r * math.sin(a), r * math.cos(a), dome * (1 + 0.12 * math.cos(i / (n - 1) * 9 * 2 * math.pi)) + 0.001))
    for i in range(n - 1):
        for j in range(m - 1):
            a0, b0 = i * m + j, (i + 1) * m + j
            faces += [(a0, a0 + 1, b0 + 1), (a0, b0 + 1, b0)]
    v, f = np.array(vertices), np.array(faces)
    uv = np.stack([np.repeat(np.linspace(0, 1, n), m), np.tile(np.linspace(0, 1, m), n)], 1)
    image = tx.bands(((0.93, 0.74, 0.62), (0.96, 0.88, 0.80), (0.86, 0.58, 0.48)), 9, "u", 128, 0.02, True)
    top = Part(
        np.concatenate([v, v * [1, 1, 0.0]]),
        np.concatenate([f[:, ::-1], f + len(v)]),
        uv=np.concatenate([uv, uv]),
        texture=image,
        rgb=(1, 1, 1),
        specular=0.3,
    )
    ears = box(0.034, 0.010, 0.004, rgb=(0.93, 0.80, 0.70)).moved(y=0.002)
    return model(top, ears)


@maker
def conch() -> Model:
    """A spiral sea snail shell."""
    turns, n, k = 4.5, 150, 14
    vertices = []
    for i in range(n + 1):
        t = i / n
        a, grow = turns * 2 * math.pi * t, math.exp(-2.5 * (1 - t))
        centre = np.array([0.045 * grow * math.cos(a), 0.045 * grow * math.sin(a), 0.13 * (1 - grow)])
        out = np.array([math.cos(a), math.sin(a), 0])
        for j in range(k):
            b = 2 * math.pi * j / k
            spike = 1.0 + (0.35 if (i % 10 == 0 and abs(b - 0.9) < 0.4) else 0.0)
            vertices.append(centre + 0.046 * grow * (math.cos(b) * out * spike + math.sin(b) * np.array([0, 0, 1.25])))
    faces = []
    for i in range(n):
        for j in range(k):
            a0, a1, b0, b1 = i * k + j, i * k + (j + 1) % k, (i + 1) * k + j, (i + 1) * k + (j + 1) % k
            faces += [(a0, b0, b1), (a0, b1, a1)]
    v = np.array(vertices)
    uv = np.stack([np.tile(np.arange(k) / k, n + 1), np.repeat(np.linspace(0, 6, n + 1), k)], 1)
    shell = Part(
        v,
        np.array(faces),
        uv=uv,
        texture=tx.bands(((0.90, 0.76, 0.60), (0.96, 0.90, 0.80), (0.76, 0.52, 0.38)), 3, "v", 128, 0.2, True),
        rgb=(1, 1, 1),
        specular=0.4,
    )
    lip = ellipsoid(0.075, 0.022, 0.11, 12, 20, rgb=(0.95, 0.62, 0.55), specular=0.6).turned("x", 6).moved(0.062, 0.012, -0.01)
    return model(
        Part(shell.vertices, shell.faces, uv=shell.uv, texture=shell.texture, rgb=(1, 1, 1), specular=0.4).turned("y", 80),
        lip.turned("y", 80),
    )


@maker
def pine_cone() -> Model:
    scales = []
    for k in range(90):
        t = (k + 0.5) / 90
        a = 2.39996 * k
        q, z = 0.030 * math.sin(math.pi * (0.12 + 0.80 * (1 - t) ** 0.8)) ** 0.9, 0.004 + 0.082 * t
        piece = ellipsoid(
            0.020 * (1 - 0.45 * t), 0.015 * (1 - 0.4 * t), 0.005, 5, 8, rgb=((0.42, 0.26, 0.14), (0.50, 0.33, 0.18))[k % 2], specular=0.1
        )
        scales.append(piece.moved(x=0.004).turned("y", -28).turned("z", math.degrees(a)).moved(q * math.cos(a), q * math.sin(a), z))
    return model(scales, lathe(smooth_profile([(0, 0), (0.022, 0.008), (0.024, 0.04), (0, 0.085)], 4), 16, rgb=(0.30, 0.18, 0.10)))


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
def boot(kind: str = "rubber") -> Model:
    """One boot: rubber (tall, smooth) or hiking (laced)."""
    look: dict[str, Any] = (
        {"rgb": (0.12, 0.36, 0.22), "specular": 0.6, "shininess": 0.6, "tint": True}
        if kind == "rubber"
        else {"texture": tx.speckle((0.50, 0.33, 0.17), (0.42, 0.27, 0.13), 2, 64, 0.4, 12, 0.3), "rgb": (1, 1, 1), "specular": 0.1}
    )
    high = 0.32 if kind == "rubber" else 0.17
    foot = rounded_box(0.095, 0.27, 0.10, 2.8, 16, 28, **look)
    v = foot.vertices.copy()
    toe = np.clip((-v[:, 1] - 0.01) / 0.12, 0, 1)
    v[:, 2] *= 1 - 0.32 * toe
    foot = Part(v, foot.faces, **{**look, "uv": foot.uv}).moved(z=0.02)
    shaft = vessel([(0.046, 0.04), (0.046, 0.10), (0.050, high)], 0.004, 0.09, 30, **look).scaled(1, 1.22, 1).moved(y=0.068)
    sole = extrude(
        [
            (x * 0.052, y * 0.142)
            for x, y in (
                (math.copysign(abs(math.cos(a)) ** 0.7, math.cos(a)), math.copysign(abs(math.sin(a)) ** 0.8, math.sin(a)))
                for a in np.linspace(0, 2 * math.pi, 30, endpoint=False)
            )
        ],
        0.024,
        rgb=(0.14, 0.12, 0.11) if kind == "hiking" else (0.72, 0.62, 0.36),
    )
    extra: list[Any] = []
    if kind == "rubber":
        extra.append(ring(0.051, 0.006, 30, 8, rgb=(0.72, 0.62, 0.36)).scaled(1, 1.22, 1).moved(y=0.068, z=high))
    else:
        extra.append(ring(0.051, 0.010, 30, 8, **DARK).scaled(1, 1.22, 1).moved(y=0.068, z=high - 0.004))
        for k in range(6):
            y, z = -0.042 + 0.013 * k, 0.108 + 0.013 * k
            extra.append(tube([(-0.026, y, z), (0.026, y + 0.010, z + 0.010)], 0.0028, 6, rgb=(0.85, 0.20, 0.14)))
            extra.append(tube([(0.026, y, z), (-0.026, y + 0.010, z + 0.010)], 0.0028, 6, rgb=(0.85, 0.20, 0.14)))
    return model(foot, shaft, sole, extra)


@maker
def pillow(colour: tuple[float, float, float] = (0.92, 0.91, 0.88)) -> Model:
    """A bed pillow: full in the middle, drawn in at the middle of its edges, with pointed corners and creases that run from them."""
    n = 37
    u, v = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    x = 0.30 * u * (1 - 0.09 * (1 - v**2) * u**2)
    y = 0.21 * v * (1 - 0.11 * (1 - u**2) * v**2)
    full = 0.075 * np.maximum((1 - u**4) * (1 - v**4), 0.0) ** 0.62
    crease = 1 - 0.10 * np.maximum(np.abs(u * v), 0) ** 1.5 * np.abs(np.sin(9 * np.arctan2(1 - np.abs(v) + 0.02, 1 - np.abs(u) + 0.02)))
    top = np.stack([x, y, 0.078 + full * crease], -1).reshape(-1, 3)
    bottom = np.stack([x, y, 0.074 - full], -1).reshape(-1, 3)
    faces = grid_faces(n, n)
    look: dict[str, Any] = {"rgb": colour, "specular": 0.0, "tint": True}
    edge = np.concatenate([np.arange(n) * n, (n - 1) * n + np.arange(n), (np.arange(n) * n + n - 1)[::-1], np.arange(n)[::-1]])
    seam = tube(top[edge] * np.array([1, 1, 0]) + np.array([0, 0, 0.076]), 0.0035, 6, rgb=tuple(0.86 * c for c in colour), specular=0.0)
    return model(Part(top, faces[:, ::-1], **look), Part(bottom, faces, **look), seam)


@maker
def ping_pong_paddle() -> Model:
    blade = extrude([(0.078 * math.cos(a), 0.083 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 40, endpoint=False)], 0.006, **WOOD)
    rubber = [
        extrude(
            [(0.077 * math.cos(a), 0.082 * math.sin(a)) for a in np.linspace(math.radians(-62), math.radians(242), 40)],
            0.003,
            rgb=c,
            specular=0.1,
            tint=i == 0,
        ).moved(z=z)
        for i, (z, c) in enumerate(((0.0058, (0.78, 0.10, 0.10)), (-0.0028, (0.08, 0.08, 0.08))))
    ]
    grip = rounded_box(0.030, 0.10, 0.024, 5, **WOOD).moved(0, -0.125, -0.009)
    return model([p.moved(z=0.009) for p in (blade, *rubber, grip)])


@maker
def dumbbell() -> Model:
    bar = tube([(-0.07, 0, 0.045), (0.07, 0, 0.045)], 0.014, 14, **STEEL)
    weights = [
        lathe([(0, 0), (0.043, 0), (0.045, 0.004), (0.045, 0.046), (0.043, 0.05), (0, 0.05)], 6, **DARK | {"tint": True})
        .turned("y", 90)
        .moved(x, 0, 0.045)
        for x in (-0.12, 0.07)
    ]
    return model(bar, weights, collider="box")


@maker
def microscope() -> Model:
    white: dict[str, Any] = WHITE | {"tint": True}
    base = [
        rounded_box(0.14, 0.20, 0.03, 8, **white),
        box(0.045, 0.04, 0.26, **white).moved(y=0.07, z=0.02),
        box(0.05, 0.13, 0.05, **white).moved(y=0.03, z=0.25),
    ]
    stage = [box(0.13, 0.12, 0.012, **DARK).moved(y=-0.02, z=0.12), box(0.07, 0.025, 0.0015, **CLEAR).moved(y=-0.03, z=0.132)]
    tubes = [
        lathe([(0, 0), (0.013, 0), (0.016, 0.03), (0.016, 0.06), (0, 0.06)], 20, **STEEL).moved(0, -0.03, 0.16),
        lathe([(0, 0.0), (0.028, 0.0), (0.028, 0.025), (0, 0.025)], 26, **DARK).moved(0, -0.03, 0.215),
    ]
    eyepiece = (
        lathe([(0, 0), (0.020, 0), (0.018, 0.09), (0.021, 0.095), (0.021, 0.115), (0, 0.115)], 24, **DARK)
        .turned("x", 40)
        .moved(0, -0.015, 0.285)
    )
    knobs = [
        lathe([(0, -0.045), (0.024, -0.045), (0.024, -0.030), (0, -0.030)], 24, **DARK).turned("y", a).moved(0, 0.07, 0.09)
        for a in (90, -90)
    ]
    lamp = lathe([(0, 0.03), (0.022, 0.03), (0.018, 0.045), (0, 0.045)], 20, rgb=(0.98, 0.97, 0.85), emission=0.4).moved(0, -0.03, 0)
    return model(base, stage, tubes, eyepiece, knobs, lamp)


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
def electric_hand_mixer() -> Model:
    body = rounded_box(0.075, 0.17, 0.06, 4, rgb=(0.93, 0.93, 0.92), specular=0.5, tint=True).moved(z=0.17)
    grip = tube([(0, -0.06, 0.225), (0, -0.05, 0.262), (0, 0.045, 0.262), (0, 0.07, 0.225)], 0.013, 12, rgb=(0.75, 0.12, 0.12))
    beaters: list[Part] = []
    for x in (-0.018, 0.018):
        beaters.append(tube([(x, -0.05, 0.02), (x, -0.05, 0.175)], 0.0028, 8, **STEEL))
        t = np.linspace(0, math.pi, 12)
        for a in (0, math.pi / 2, math.pi, 1.5 * math.pi):
            beaters.append(
                tube(
                    np.stack(
                        [x + 0.018 * np.sin(t) * math.cos(a), -0.05 + 0.018 * np.sin(t) * math.sin(a), 0.004 + 0.075 * (1 - np.cos(t)) / 2],
                        1,
                    ),
                    0.0016,
                    6,
                    **STEEL,
                )
            )
    return model(body, grip, beaters)


@maker
def dvd() -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    a = np.arctan2(y, x)
    image = tx.to_image(np.stack([0.72 + 0.22 * np.cos(2 * a), 0.72 + 0.22 * np.cos(2 * a + 2), 0.76 + 0.22 * np.cos(2 * a + 4)], -1))
    disc = lathe(
        [(0.0075, 0), (0.06, 0), (0.06, 0.0012), (0.0075, 0.0012), (0.0075, 0)], 48, rgb=(0.8, 0.8, 0.84), specular=1.0, shininess=0.9
    )
    top = extrude(
        [(0.0585 * math.cos(b), 0.0585 * math.sin(b)) for b in np.linspace(0, 2 * math.pi, 44, endpoint=False)],
        0.0002,
        texture=_keep(image),
        rgb=(1, 1, 1),
        specular=1.0,
        shininess=0.9,
    ).moved(z=0.0012)
    hole = [
        lathe([(0.019, 0.0016), (0.0, 0.0017)], 26, rgb=(0.85, 0.87, 0.9), specular=0.6),
        lathe([(0.0075, 0.0018), (0.0, 0.0019)], 22, **DARK),
    ]
    return model(disc, top, hole)


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
def flower(kind: str = "daisy") -> Model:
    from sim_bridge.backends.mujoco.models.food import LEAF, leaf

    colour = {"daisy": (0.97, 0.97, 0.95), "daffodil": (0.98, 0.86, 0.20), "poinsettia": (0.80, 0.08, 0.10)}[kind]
    petals = [
        leaf(0.045, 0.020 if kind == "daisy" else 0.028, 14, 360 / (14 if kind == "daisy" else 6) * k, 0.1, rgb=colour)
        for k in range(14 if kind == "daisy" else 6)
    ]
    middle = (
        ellipsoid(0.022, 0.022, 0.012, rgb=(0.96, 0.76, 0.12))
        if kind == "daisy"
        else lathe([(0.010, 0), (0.018, 0.025), (0.014, 0.024), (0, 0.004)], 20, rgb=(0.96, 0.62, 0.10))
    )
    head = [p.turned("x", 28).moved(z=0.25) for p in (*petals, middle.moved(z=0.004))]
    return model(
        head,
        tube([(0, 0, 0), (0.004, 0, 0.12), (0, 0, 0.25)], 0.003, 8, **LEAF),
        leaf(0.09, 0.022, 40, 30).moved(z=0.08),
        leaf(0.08, 0.022, 40, 200).moved(z=0.11),
    )


@maker
def potted(kind: str = "poinsettia") -> Model:
    """A flowering plant in its pot."""
    from sim_bridge.backends.mujoco.models.food import leaf
    from sim_bridge.backends.mujoco.models.vessels import plant_pot

    pot_part = [p.scaled(0.62) for p in plant_pot().parts]
    soil = lathe([(0.068, 0.118), (0, 0.120)], 26, rgb=(0.22, 0.15, 0.10), specular=0.0)
    parts: list[Any] = []
    if kind == "poinsettia":
        for n, z, size, colour, tilt in (
            (9, 0.17, 0.13, (0.18, 0.40, 0.16), -2),
            (8, 0.215, 0.12, (0.80, 0.08, 0.10), 8),
            (6, 0.235, 0.09, (0.86, 0.12, 0.12), 24),
        ):
            parts += [leaf(size, size * 0.5, tilt, 360 / n * k + 20 * n, 0.25, rgb=colour).moved(z=z) for k in range(n)]
        parts += [
            ball(0.007, 6, 9, rgb=(0.95, 0.80, 0.20)).moved(0.012 * math.cos(a), 0.012 * math.sin(a), 0.245)
            for a in np.linspace(0, 2 * math.pi, 6, endpoint=False)
        ]
        parts.append(tube([(0, 0, 0.11), (0, 0, 0.24)], 0.006, 8, rgb=(0.30, 0.42, 0.16)))
    else:
        colour = (0.98, 0.86, 0.20)
        for k in range(5):
            a = 1.256 * k
            top = np.array([0.045 * math.cos(a), 0.045 * math.sin(a), 0.30 + 0.02 * (k % 2)])
            parts.append(
                tube(
                    [(0.02 * math.cos(a), 0.02 * math.sin(a), 0.11), (0.03 * math.cos(a), 0.03 * math.sin(a), 0.21), top],
                    0.003,
                    7,
                    rgb=(0.30, 0.52, 0.20),
                )
            )
            face = [
                *[leaf(0.035, 0.024, 10, 60 * j, 0.1, rgb=colour) for j in range(6)],
                lathe([(0.008, 0), (0.014, 0.022), (0.011, 0.021), (0, 0.004)], 16, rgb=(0.96, 0.58, 0.10)),
            ]
            parts += [p.turned("y", 55).turned("z", math.degrees(a)).moved(*top) for p in face]
            parts += [leaf(0.17, 0.016, 68, 72 * k + 36 + d, 0.25).moved(z=0.115) for d in (0, 20)]
    return model(pot_part, soil, parts, collider="cylinder")


@maker
def straw() -> Model:
    image = tx.bands(((0.88, 0.12, 0.14), (0.97, 0.97, 0.96)), 9, "v", 128)
    return model(
        tube(
            [(-0.10, 0, 0.004), (0.05, 0, 0.004), (0.062, 0, 0.007), (0.105, 0, 0.030)],
            0.0035,
            10,
            caps=False,
            texture=image,
            rgb=(1, 1, 1),
            specular=0.4,
        )
    )


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
def chess_set() -> Model:
    squares = tx.to_image(
        np.where(
            ((np.arange(128)[:, None] // 16 + np.arange(128)[None, :] // 16) % 2)[..., None] > 0,
            np.array([0.35, 0.20, 0.11]),
            np.array([0.90, 0.80, 0.62]),
        )
    )
    board = [
        box(0.40, 0.40, 0.018, rgb=(0.30, 0.17, 0.09), specular=0.4),
        box(0.36, 0.36, 0.001, only=["top"], texture=_keep(squares), rgb=(1, 1, 1), specular=0.3).moved(z=0.018),
    ]
    pawn = [
        (0, 0),
        (0.013, 0),
        (0.012, 0.005),
        (0.006, 0.012),
        (0.005, 0.026),
        (0.009, 0.028),
        (0.006, 0.031),
        (0.008, 0.038),
        (0.006, 0.045),
        (0, 0.047),
    ]
    king = [
        (0, 0),
        (0.015, 0),
        (0.014, 0.007),
        (0.008, 0.016),
        (0.006, 0.045),
        (0.011, 0.048),
        (0.007, 0.052),
        (0.011, 0.068),
        (0.004, 0.073),
        (0.004, 0.082),
        (0, 0.082),
    ]
    men: list[Part] = []
    for side, colour in ((-1, (0.94, 0.88, 0.74)), (1, (0.16, 0.11, 0.08))):
        for k in range(8):
            x = -0.1575 + 0.045 * k
            men.append(lathe(pawn, 12, rgb=colour, specular=0.4).moved(x, side * 0.1125, 0.018))
            men.append(
                lathe([(r, z * (0.75 + 0.25 * (k in (3, 4)))) for r, z in king], 12, rgb=colour, specular=0.4).moved(
                    x, side * 0.1575, 0.018
                )
            )
    return model(board, men, collider="box")
