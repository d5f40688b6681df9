"""Sweets, ice, sugar."""

from __future__ import annotations

import math

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
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import kinds


@kinds("ice_cream_cone")
def _ice_cream_cone(kind: str) -> Model:
    yy, xx = np.mgrid[0:128, 0:128]
    waffle = (((xx + yy) % 16 < 3) | ((xx - yy) % 16 < 3))[..., None]
    image = np.where(waffle, np.array([150, 92, 40]), np.array([214, 156, 84])).astype(np.uint8)
    cone = lathe([(0, 0), (0.026, 0.11), (0.027, 0.114), (0.024, 0.114)], 30, texture=image, rgb=(1, 1, 1), specular=0.05)
    scoop = ball(
        0.031, 16, 26, texture=tx.speckle((0.97, 0.80, 0.84), (0.93, 0.70, 0.76), 4, 64, 0.4, 12, 0.4), rgb=(1, 1, 1), specular=0.15
    ).moved(z=0.134)
    skirt = [
        ball(0.008, 6, 10, rgb=(0.96, 0.78, 0.82)).moved(0.026 * math.cos(a), 0.026 * math.sin(a), 0.118)
        for a in np.linspace(0, 2 * math.pi, 12, endpoint=False)
    ]
    return model(cone, scoop, skirt, collider="hull")


@kinds("lollipop")
def _lollipop(kind: str) -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    spiral = ((np.arctan2(y, x) / (2 * math.pi) * 2 + np.hypot(x, y) * 3) % 1 < 0.5)[..., None]
    image = np.where(spiral, np.array([225, 40, 60]), np.array([250, 240, 235])).astype(np.uint8)
    outline = [(0.035 * math.cos(a), 0.035 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 36, endpoint=False)]
    disc = standing(extrude(outline, 0.010, texture=image, rgb=(1, 1, 1), specular=0.6, shininess=0.7)).moved(y=0.005, z=0.125)
    return model(disc, tube([(0, 0, 0), (0, 0, 0.10)], 0.0026, 8, rgb=(0.96, 0.95, 0.92)))


@kinds("candy_cane")
def _candy_cane(kind: str) -> Model:
    path = np.concatenate([np.array([[0, 0, z] for z in np.linspace(0, 0.11, 12)]), arc(0.022, 180, 10, 12, "xz", (0.022, 0, 0.112))])
    image = np.zeros((128, 128, 3), np.uint8)
    yy, xx = np.mgrid[0:128, 0:128]
    image[:] = np.where((((xx / 128 + yy / 128 * 9) % 1) < 0.5)[..., None], np.array([214, 26, 40]), np.array([250, 248, 246]))
    return model(tube(path, 0.0065, 14, texture=image, rgb=(1, 1, 1), specular=0.6))


@kinds("peppermint_candy", "mint")
def _peppermint_candy(kind: str) -> Model:
    y, x = np.mgrid[0:128, 0:128] / 64.0 - 1
    swirl = ((np.arctan2(y, x) / (2 * math.pi) * 6 + np.hypot(x, y) * 0.8) % 1 < 0.5)[..., None]
    image = np.where(swirl, np.array([220, 30, 44]), np.array([250, 248, 246])).astype(np.uint8)
    outline = [(0.012 * math.cos(a), 0.012 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 28, endpoint=False)]
    candy = extrude(outline, 0.009, texture=image, rgb=(1, 1, 1), specular=0.6)
    twists = [
        lathe([(0.002, 0.010), (0.010, 0.026), (0.001, 0.020)], 9, rgb=(0.92, 0.95, 0.97), alpha=0.7, specular=0.8)
        .turned("y", a)
        .moved(z=0.0045)
        for a in (90, -90)
    ]
    return model(candy, twists)


@kinds("marshmallow")
def _marshmallow(kind: str) -> Model:
    return model(
        lathe(
            smooth_profile([(0, 0), (0.014, 0), (0.016, 0.004), (0.016, 0.026), (0.014, 0.030), (0, 0.030)], 4),
            26,
            rgb=(0.98, 0.96, 0.95),
            specular=0.05,
            tint=True,
        ),
        collider="cylinder",
    )


@kinds("sugar_cube")
def _sugar_cube(kind: str) -> Model:
    return model(
        box(
            0.017,
            0.017,
            0.015,
            texture=tx.speckle((0.97, 0.97, 0.96), (0.88, 0.88, 0.87), 2, 64, 0.4, 3, 0.1),
            rgb=(1, 1, 1),
            specular=0.3,
        ),
        collider="box",
    )


@kinds("ice_cube")
def _ice_cube(kind: str) -> Model:
    return model(
        rounded_box(0.03, 0.03, 0.028, 7, rgb=(0.82, 0.93, 0.99), alpha=0.62, specular=1.0, shininess=0.9),
        ellipsoid(0.012, 0.010, 0.010, rgb=(0.97, 0.99, 1.0), alpha=0.75).moved(z=0.014),
        collider="box",
    )


@kinds("whiskey_stone")
def _whiskey_stone(kind: str) -> Model:
    return model(
        box(
            0.022,
            0.022,
            0.022,
            texture=tx.speckle((0.42, 0.43, 0.45), (0.30, 0.31, 0.33), 5, 64, 0.4, 10, 0.3),
            rgb=(1, 1, 1),
            specular=0.3,
        ),
        collider="box",
    )
