"""Tools and small machines of the kitchen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Model,
    Part,
    arc,
    ball,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.packages import contents_colour
from sim_bridge.backends.mujoco.models.pieces_of_things import BRASS, WOOD, across, clock_dial, kept_image
from sim_bridge.backends.mujoco.models.turned import loop_solids, turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import handle, vessel


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
    shell = lathe([(0.062, 0), (0.042, 0.19)], 4, texture=kept_image(image), rgb=(1, 1, 1), specular=0.7).turned("z", 45).scaled(1, 0.75, 1)
    rim = [box(0.094, 0.072, 0.008, **STEEL), box(0.064, 0.05, 0.006, **DARK).moved(z=0.188)]
    grip = tube([(-0.025, 0, 0.19), (-0.022, 0, 0.225), (0.022, 0, 0.225), (0.025, 0, 0.19)], 0.006, 10, **DARK)
    return model(shell, rim, grip, collider="box")


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
def meat_thermometer() -> Model:
    face = clock_dial("°C")
    disc = lathe([(0, 0), (0.028, 0), (0.028, 0.012), (0.025, 0.014), (0, 0.014)], 32, **STEEL)
    dial = extrude(
        [(0.024 * math.cos(a), 0.024 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 30, endpoint=False)],
        0.001,
        texture=face,
        rgb=(1, 1, 1),
    ).moved(z=0.014)
    probe = tube([(0, 0, 0), (0, 0, -0.12), (0, 0, -0.13)], [0.002, 0.002, 0.0006], 8, **STEEL)
    return model([p.turned("x", 35) for p in (disc, dial, probe)])


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
def portafilter() -> Model:
    """The holder of ground coffee of an espresso machine: a steel basket with two ears and spouts, and a black handle."""
    cup = lathe(
        smooth_profile(
            [(0, 0.012), (0.024, 0.012), (0.030, 0.018), (0.032, 0.046), (0.035, 0.050), (0.031, 0.050), (0.028, 0.020), (0, 0.020)], 3
        ),
        36,
        **STEEL,
    )
    coffee = lathe([(0.029, 0.042), (0.0, 0.043)], 30, rgb=(0.22, 0.13, 0.08), specular=0.0)
    ears = [box(0.014, 0.018, 0.005, **STEEL).moved(0, s * 0.038, 0.043) for s in (-1, 1)]
    spouts = [tube([(0, 0, 0.014), (0, s * 0.010, 0.008), (0, s * 0.016, 0.0)], 0.0045, 10, **STEEL) for s in (-1, 1)]
    neck = tube([(0.030, 0, 0.036), (0.075, 0, 0.036)], 0.006, 12, **STEEL)
    grip = across(
        lathe(smooth_profile([(0.0, 0), (0.011, 0.002), (0.013, 0.04), (0.015, 0.10), (0.010, 0.125), (0, 0.127)], 4), 20, **DARK)
    )
    return model(cup, coffee, ears, spouts, neck, grip.moved(0.072, 0, 0.036), collider="hull")


@maker
def peeler() -> Model:
    """A vegetable peeler: a black grip, and a slotted steel blade in a bow across its end."""
    grip = across(
        lathe(smooth_profile([(0.0, 0.0), (0.009, 0.004), (0.011, 0.05), (0.010, 0.09), (0.006, 0.10), (0, 0.10)], 4), 18, **DARK)
    )
    bow = [tube([(0.0, 0, 0), (0.018, s * 0.028, 0), (0.045, s * 0.030, 0)], 0.004, 10, **STEEL) for s in (-1, 1)]
    blades = [box(0.005, 0.058, 0.0016, **STEEL).turned("y", d).moved(0.045 + x, 0, -0.0008) for x, d in ((-0.005, 18), (0.004, -18))]
    return model(grip.moved(-0.10, 0, 0), bow, blades, collider="hull")


@maker
def place_mat() -> Model:
    """A woven mat for one place at a table, with a hem and a fringe at both ends."""
    woven = tx.bands(((0.86, 0.76, 0.56), (0.62, 0.42, 0.22), (0.86, 0.76, 0.56), (0.90, 0.84, 0.70)), 8, "u", 256)
    mat = box(0.42, 0.30, 0.004, texture=woven, rgb=(1, 1, 1), specular=0.0)
    hem = [box(0.42, 0.010, 0.0045, rgb=(0.52, 0.34, 0.18)).moved(y=s * 0.145) for s in (-1, 1)]
    fringe = [
        box(0.022, 0.004, 0.002, rgb=(0.90, 0.84, 0.70)).moved(s * 0.220, float(y), 0.0)
        for s in (-1, 1)
        for y in np.linspace(-0.145, 0.145, 25)
    ]
    return model(mat, hem, fringe, collider="box")


@maker
def steamer() -> Model:
    """A round bamboo steamer with its lid."""
    bamboo: dict[str, Any] = {"rgb": (0.84, 0.68, 0.42), "specular": 0.15}
    side = lathe([(0.105, 0), (0.115, 0), (0.115, 0.062), (0.105, 0.062), (0.105, 0.0)], 40, **bamboo)
    bands = [
        lathe([(0.1155, z), (0.117, z + 0.002), (0.117, z + 0.012), (0.1155, z + 0.014)], 40, rgb=(0.68, 0.50, 0.28))
        for z in (0.004, 0.044)
    ]
    lid = lathe([(0.118, 0.062), (0.118, 0.086), (0.100, 0.092), (0.0, 0.100)], 40, **bamboo)
    weave = [
        box(0.19 - 0.012 * abs(k), 0.008, 0.002, rgb=(0.70, 0.52, 0.30)).turned("z", d).moved(*o, 0.096)
        for d in (0, 90)
        for k in range(-5, 6, 2)
        for o in [((0.0, 0.018 * k) if d == 0 else (0.018 * k, 0.0))]
    ]
    knob = tube(arc(0.020, 0, 180, 10, "xz", (0, 0, 0.098)), 0.004, 8, rgb=(0.60, 0.42, 0.22))
    return model(side, bands, lid, weave, knob, collider="cylinder")
