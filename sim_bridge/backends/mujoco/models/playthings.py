"""Balls, games, toys and what is used in sports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Model,
    Part,
    ball,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import BRASS, WOOD, catmull, kept_image

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
        box(0.36, 0.36, 0.001, only=["top"], texture=kept_image(squares), rgb=(1, 1, 1), specular=0.3).moved(z=0.018),
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
