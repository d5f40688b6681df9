"""A household robot: rolls on two wheels, swings its arms, looks ahead with a screen for a face. The front faces −y."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import (
    Mobile,
    Model,
    Shape,
    arc,
    ball,
    box,
    ellipsoid,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.openable import _flat

WHEEL_RADIUS_M = 0.13
"""At the natural size; a walk of 2π of it is one turn of the wheels."""
SWING_RAD = 0.45
"""How far the arms swing to either side."""
_SHELL: dict[str, Any] = {"rgb": (0.92, 0.93, 0.94), "specular": 0.6, "shininess": 0.6}
_ACCENT: dict[str, Any] = {"rgb": (0.93, 0.48, 0.10), "specular": 0.5, "shininess": 0.5, "tint": True}
_GLOW: dict[str, Any] = {"rgb": (0.35, 0.92, 0.98), "emission": 0.9, "specular": 0.0}


def _wheel(side: float) -> Mobile:
    x, r = side * 0.205, WHEEL_RADIUS_M
    tyre = lathe([(r - 0.035, -0.025), (r - 0.006, -0.025), (r, -0.016), (r, 0.016), (r - 0.006, 0.025), (r - 0.035, 0.025)], 28, **DARK)
    rim = ring(r - 0.034, 0.010, 28, 6, **_ACCENT)
    hub = lathe([(0, -0.024), (0.030, -0.024), (0.030, 0.024), (0, 0.024)], 20, **_ACCENT)
    spokes = [
        box(r - 0.04, 0.022, 0.016, **(_SHELL if k else _ACCENT)).moved(x=(r - 0.04) / 2, z=-0.008).turned("z", 72.0 * k) for k in range(5)
    ]
    knobs = [box(0.014, 0.02, 0.05, **DARK).moved(x=r + 0.001, z=-0.025).turned("z", 30.0 * k) for k in range(12)]
    parts = [p.turned("y", 90).moved(x, 0.0, r) for p in (tyre, rim, hub, *spokes, *knobs)]
    return Mobile(
        f"wheel_{'left' if side < 0 else 'right'}", _flat(parts), "hinge", np.array([1.0, 0.0, 0.0]), np.array([x, 0.0, r]), 2 * math.pi
    )


def _arm(side: float) -> Mobile:
    x, z = side * 0.205, 0.70
    upper: list[Shape] = [
        ball(0.048, 9, 14, **_ACCENT).moved(x, 0, z),
        tube([(x, 0, z), (x + side * 0.015, 0, z - 0.16), (x + side * 0.01, -0.05, z - 0.29)], [0.034, 0.030, 0.026], 12, **_SHELL),
        ball(0.034, 7, 12, **STEEL).moved(x + side * 0.012, -0.045, z - 0.285),
    ]
    hand: list[Shape] = [
        tube(
            [(x + side * 0.01, -0.05, z - 0.29), (x + side * 0.01 + d, -0.085, z - 0.34), (x + side * 0.01 + 0.4 * d, -0.11, z - 0.375)],
            0.010,
            8,
            **_ACCENT,
        )
        for d in (-0.03, 0.03)
    ]
    return Mobile(
        f"arm_{'left' if side < 0 else 'right'}", _flat([upper, hand]), "hinge", np.array([1.0, 0.0, 0.0]), np.array([x, 0.0, z]), SWING_RAD
    )


@maker
def home_robot() -> Model:
    """A friendly robot on two wheels with arms and a screen face."""
    r = WHEEL_RADIUS_M
    skirt = lathe(smooth_profile([(0.10, 0.09), (0.165, 0.12), (0.172, 0.20), (0.150, 0.26), (0.120, 0.31)], 3), 26, **DARK).scaled(
        1.0, 0.85, 1.0
    )
    torso = lathe(
        smooth_profile([(0.11, 0.28), (0.150, 0.36), (0.178, 0.52), (0.180, 0.66), (0.150, 0.76), (0.075, 0.80), (0.055, 0.82)], 3),
        30,
        **_SHELL,
    ).scaled(1.0, 0.82, 1.0)
    belt = lathe([(0.168, 0.452), (0.1745, 0.452), (0.1775, 0.485), (0.170, 0.485)], 30, **_ACCENT).scaled(1.0, 0.83, 1.0)
    neck = lathe([(0.045, 0.80), (0.045, 0.87)], 20, **STEEL)
    head = rounded_box(0.32, 0.24, 0.23, 4.5, 12, 24, **_SHELL).moved(z=0.86)
    visor = rounded_box(0.265, 0.06, 0.165, 6, 10, 20, rgb=(0.05, 0.06, 0.09), specular=0.9, shininess=0.9).moved(0, -0.098, 0.893)
    eyes = [ellipsoid(0.046, 0.012, 0.058, 8, 14, **_GLOW).moved(s * 0.062, -0.127, 0.992) for s in (-1, 1)]
    smile = tube(arc(0.050, 205, 335, 10, "xz", (0, -0.1285, 0.965)), 0.0055, 6, **_GLOW)
    ears = [
        lathe([(0, 0), (0.045, 0), (0.042, 0.022), (0, 0.024)], 24, **_ACCENT).turned("y", s * 90).moved(s * 0.150, 0, 0.975)
        for s in (-1, 1)
    ]
    antenna = [
        tube([(0.06, 0.02, 1.08), (0.075, 0.03, 1.17)], 0.005, 8, **STEEL),
        ball(0.018, 10, 14, rgb=(0.95, 0.25, 0.18), emission=0.5).moved(0.075, 0.03, 1.18),
    ]
    panel = rounded_box(0.13, 0.03, 0.11, 6, 8, 16, rgb=(0.20, 0.24, 0.30), specular=0.6).moved(0, -0.138, 0.545)
    lights = [
        ball(0.010, 8, 10, rgb=c, emission=0.8).moved(-0.036 + 0.036 * k, -0.155, 0.605)
        for k, c in enumerate(((0.95, 0.25, 0.2), (0.98, 0.80, 0.2), (0.3, 0.85, 0.4)))
    ]
    pack = rounded_box(0.20, 0.08, 0.26, 6, 8, 20, **_ACCENT).moved(0, 0.150, 0.46)
    axle = tube([(-0.19, 0, r), (0.19, 0, r)], 0.022, 12, **STEEL)
    castors = [ball(0.035, 10, 14, **DARK).moved(0, s * 0.125, 0.036) for s in (-1, 1)]
    legs = [tube([(0, s * 0.125, 0.05), (0, s * 0.09, 0.13)], 0.014, 8, **STEEL) for s in (-1, 1)]
    return model(
        [skirt, torso, belt, neck, head, visor, eyes, smile, ears, antenna, panel, lights, pack, axle, castors, legs],
        collider="box",
        mobiles=(_wheel(-1), _wheel(1), _arm(-1), _arm(1)),
    )
