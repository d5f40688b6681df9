"""Lamps whose shade or glass glows when they are lit: the parts that emit light are those with an `emission`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model, Part, arc, ball, ellipsoid, lathe, model, ring, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.vessels import vessel

BULB: dict[str, Any] = {"rgb": (1.0, 0.93, 0.74), "emission": 1.0, "specular": 0.3}
MAKER = "lit_lamp"
GLOWS_FROM = 0.99
"""Parts that emit at least this are the bulb; those that emit less are the shade."""
SHADE: Colour = (0.97, 0.84, 0.62)


@maker
def lit_lamp(kind: str = "table") -> Model:
    """Lamps: table, floor, desk, lantern."""
    if kind in ("table", "floor"):
        high, wide, tall = (0.30, 0.15, 0.20) if kind == "table" else (1.36, 0.22, 0.28)
        shade: dict[str, Any] = {"rgb": SHADE, "emission": 0.75, "specular": 0.0}
        if kind == "table":
            foot = lathe(
                smooth_profile(
                    [(0.075, 0.0), (0.078, 0.012), (0.045, 0.03), (0.062, 0.11), (0.050, 0.18), (0.018, 0.23), (0.014, high)], 3
                ),
                26,
                rgb=(0.16, 0.36, 0.42),
                specular=0.7,
                shininess=0.7,
                tint=True,
            )
            base = [foot, lathe([(0, 0), (0.075, 0.0)], 30, **DARK)]
        else:
            pole = lathe(
                [(0.0, 0.0), (0.14, 0.0), (0.135, 0.022), (0.016, 0.034), (0.012, 0.06), (0.012, high)], 30, **DARK | {"tint": True}
            )
            base = [pole]
        hood = vessel([(wide, high), (wide * 0.66, high + tall)], 0.003, 0.0, 36, **shade)
        rims = [ring(r, 0.003, 36, 4, rgb=(0.62, 0.54, 0.40)).moved(z=z) for r, z in ((wide, high), (wide * 0.66, high + tall))]
        bulb = ball(0.032, 8, 14, **BULB).moved(z=high + 0.07)
        spider = [
            tube([(0, 0, high + 0.02), (wide * 0.95 * math.cos(a), wide * 0.95 * math.sin(a), high + 0.02)], 0.002, 5, **STEEL)
            for a in (0, 2.1, 4.2)
        ]
        socket = lathe([(0.016, high - 0.02), (0.018, high + 0.045), (0, high + 0.045)], 16, **STEEL)
        return model(base, hood, rims, bulb, spider, socket, solid=False, collider="cylinder")
    if kind == "desk":
        enamel: dict[str, Any] = {"rgb": (0.74, 0.14, 0.12), "specular": 0.6, "shininess": 0.6, "tint": True}
        elbow, head = np.array([0.0, 0.11, 0.27]), np.array([0.0, -0.10, 0.44])
        arms = [tube([(0, 0, 0.03), elbow], 0.008, 10, **STEEL), tube([elbow, head], 0.008, 10, **STEEL)]
        joints = [ball(0.016, 10, 14, **DARK).moved(*(float(v) for v in q)) for q in (elbow, head, np.array([0, 0, 0.035]))]
        base = [lathe([(0, 0), (0.095, 0), (0.092, 0.018), (0.03, 0.032), (0, 0.034)], 32, **enamel)]
        hood = lathe([(0.075, -0.085), (0.070, -0.07), (0.035, 0.0), (0.022, 0.02), (0.0, 0.025)], 32, **enamel)
        inside = lathe([(0.021, 0.0), (0.034, -0.005), (0.068, -0.07), (0.073, -0.085)][::-1], 32, rgb=(0.98, 0.95, 0.86), emission=0.75)
        bulb = ball(0.028, 10, 16, **BULB).moved(z=-0.068)
        tilt = -24.0
        shade_parts = [p.turned("x", tilt).moved(0.0, -0.115, 0.435) for p in (hood, inside.mapped(lambda v: v), bulb)]
        return model(base, arms, joints, shade_parts, solid=False, collider="box")
    if kind == "lantern":
        iron: dict[str, Any] = {"rgb": (0.15, 0.17, 0.16), "specular": 0.5, "tint": True}
        base = [
            lathe([(0, 0), (0.075, 0), (0.075, 0.015), (0.062, 0.03), (0.062, 0.06), (0.045, 0.07), (0, 0.07)], 32, **iron),
            lathe([(0.050, 0.205), (0.066, 0.205), (0.060, 0.22), (0.035, 0.24), (0.035, 0.255), (0, 0.262)], 32, **iron),
        ]
        bars = [
            tube([(0.060 * math.cos(a), 0.060 * math.sin(a), 0.05), (0.060 * math.cos(a), 0.060 * math.sin(a), 0.21)], 0.0035, 6, **iron)
            for a in np.linspace(0, 2 * math.pi, 6, endpoint=False)
        ]
        chimney = lathe(
            [(0.045, 0.07), (0.055, 0.11), (0.052, 0.16), (0.045, 0.205)], 36, **CLEAR | {"rgb": (0.96, 0.93, 0.84), "alpha": 0.18}
        )
        flame = ellipsoid(0.050, 0.050, 0.095, **BULB | {"rgb": (1.0, 0.80, 0.42)}).moved(z=0.130)
        grip = tube(arc(0.072, 8, 172, 20, "xz", (0, 0, 0.235)), 0.0035, 8, **STEEL)
        return model(base, bars, chimney, flame, grip, solid=False, collider="cylinder")
    raise KeyError(kind)


def unlit(model: Model) -> Model:
    """The lamp switched off."""
    return replace(model, parts=tuple(_dark(p) for p in model.parts))


def _dark(part: Part) -> Part:
    return replace(part, emission=0.0, rgb=(0.90, 0.88, 0.82) if part.emission >= GLOWS_FROM else part.rgb) if part.emission else part
