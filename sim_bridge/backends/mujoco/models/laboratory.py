"""Laboratory ware."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import (
    Model,
    Part,
    Solid,
    box,
    ellipsoid,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.turned import circle, turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import vessel


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


def _marks(r: float, low: float, high: float, count: int, segments: int = 6) -> list[Part]:
    """White graduation marks on the front of laboratory glass."""
    marks = []
    for k in range(count):
        z = low + (high - low) * k / max(count - 1, 1)
        reach = 50.0 if k % 2 == 0 else 28.0
        piece = lathe([(r, z - 0.0009), (r, z + 0.0009)], segments, reach, rgb=(0.97, 0.97, 0.97), specular=0.0, emission=0.15)
        marks.append(piece.turned("z", -90 - reach / 2))
    return marks


@maker
def beaker() -> Model:
    body = turned([(0.034, 0), (0.037, 0.003), (0.037, 0.096), (0.040, 0.100)], 0.002, 0.003, **CLEAR)
    spout = ellipsoid(0.020, 0.016, 0.008, **CLEAR).moved(x=0.040, z=0.098)
    return vessel_model(body, spout, _marks(0.0376, 0.02, 0.085, 8))


@maker
def erlenmeyer_flask() -> Model:
    profile = [(0.040, 0), (0.044, 0.004), (0.042, 0.014), (0.0155, 0.095), (0.0150, 0.128), (0.0185, 0.132)]
    return vessel_model(turned(profile, 0.002, 0.003, **CLEAR), _marks(0.0365, 0.030, 0.031, 1))


@maker
def round_bottom_flask() -> Model:
    t = np.linspace(-86, 70, 14)
    sphere = [(0.045 * math.cos(math.radians(a)), 0.045 + 0.045 * math.sin(math.radians(a))) for a in t]
    # A cork ring, on which such flasks stand.
    stand = ring(0.027, 0.008, 28, 8, rgb=(0.62, 0.45, 0.28), specular=0.05).moved(z=0.002)
    under = Solid(np.concatenate([circle(0.035, -0.006), circle(0.030, 0.010)]))
    return vessel_model(turned([*sphere, (0.0145, 0.090), (0.0140, 0.135), (0.0175, 0.138)], 0.002, 0.003, **CLEAR), stand, solids=(under,))


@maker
def graduated_cylinder() -> Model:
    foot = lathe([(0, 0), (0.034, 0), (0.034, 0.006), (0.016, 0.012), (0.014, 0.014), (0, 0.014)], 6, **CLEAR)
    body = turned([(0.013, 0.012), (0.0135, 0.23), (0.016, 0.235)], 0.0016, 0.003, **CLEAR)
    under = Solid(np.concatenate([circle(0.034, 0.0, 6), circle(0.034, 0.006, 6), circle(0.016, 0.012, 6)]))
    return vessel_model(body, foot, _marks(0.0141, 0.04, 0.22, 14), solids=(under,))


@maker
def test_tube() -> Model:
    t = np.linspace(-90, 0, 8)
    end = [(0.009 * math.cos(math.radians(a)), 0.009 + 0.009 * math.sin(math.radians(a))) for a in t]
    body = vessel([*end, (0.009, 0.145), (0.0105, 0.148)], 0.0012, 0.002, 24, **CLEAR)
    liquid = lathe([*[(0.84 * r, z + 0.0012) for r, z in end], (0.0076, 0.055), (0, 0.055)], 20, rgb=(0.15, 0.45, 0.85), alpha=0.85)
    return model(body, liquid, hollow=True, collider="cylinder")


@maker
def petri_dish() -> Model:
    return vessel_model(
        turned([(0.044, 0), (0.045, 0.014)], 0.0015, 0.0015, 40, holds_liquid=False, **CLEAR),
        vessel([(0.048, 0.020), (0.048, 0.008)], 0.0012, 0.0, 40, **CLEAR),
    )


@maker
def reagent_bottle() -> Model:
    """Laboratory bottle with a ground stopper, empty."""
    body = vessel(
        smooth_profile([(0.034, 0), (0.038, 0.004), (0.038, 0.085), (0.034, 0.100), (0.017, 0.112), (0.0155, 0.128), (0.019, 0.132)], 3),
        0.002,
        0.003,
        **CLEAR,
    )
    stopper = lathe(
        [(0, 0.118), (0.0125, 0.118), (0.014, 0.134), (0.010, 0.138), (0.017, 0.152), (0.010, 0.158), (0, 0.158)],
        24,
        **CLEAR | {"alpha": 0.5},
    )
    return model(body, stopper, hollow=True, collider="cylinder")


@maker
def spirit_lamp() -> Model:
    body = vessel(smooth_profile([(0.030, 0), (0.040, 0.006), (0.042, 0.03), (0.026, 0.052), (0.016, 0.060)], 4), 0.002, 0.003, **CLEAR)
    spirit = lathe([(0, 0.004), (0.037, 0.006), (0.039, 0.026), (0, 0.026)], 30, rgb=(0.35, 0.45, 0.85), alpha=0.7)
    collar = lathe([(0.017, 0.058), (0.017, 0.070), (0.006, 0.072), (0.006, 0.080), (0, 0.080)], 24, rgb=(0.72, 0.55, 0.20), specular=0.8)
    wick = tube([(0, 0, 0.06), (0, 0, 0.088)], 0.004, 8, **WHITE)
    flame = ellipsoid(0.013, 0.013, 0.038, rgb=(0.98, 0.62, 0.12), emission=0.8).moved(z=0.102)
    return model(body, spirit, collar, wick, flame, collider="cylinder")
