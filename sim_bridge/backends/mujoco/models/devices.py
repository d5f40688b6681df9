"""Clocks, computers, cameras, lamps and other devices."""

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
    ring,
    rounded_box,
    sheet,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, WHITE, maker, pick
from sim_bridge.backends.mujoco.models.pieces_of_things import GOLD, clock_dial, kept_image


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


def clock_face() -> np.ndarray:
    return clock_dial(hours=True)


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
    sphere = (
        ball(0.12, 24, 40, texture=kept_image(tx.to_image(image)), rgb=(1, 1, 1), specular=0.5, shininess=0.6).turned("y", 23).moved(z=0.20)
    )
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
        box(0.52, 0.001, 0.295, only=["front"], texture=kept_image(screen), rgb=(1, 1, 1), specular=0.5, emission=0.25).moved(
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
        texture=kept_image(image),
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
def garden_light() -> Model:
    post = lathe([(0.03, 0), (0.012, 0.02), (0.010, 0.42), (0.012, 0.45), (0, 0.45)], 18, **DARK)
    glass_part = lathe([(0.035, 0.45), (0.05, 0.56), (0, 0.56)], 6, rgb=(0.98, 0.92, 0.70), alpha=0.8, emission=0.5)
    roof = lathe([(0.075, 0.56), (0.0, 0.62)], 6, **DARK)
    under = lathe([(0.0, 0.559), (0.075, 0.559)], 6, **DARK).turned("z", 0)
    return model(post, glass_part, roof, under, solid=False, collider="cylinder")


@maker
def fire_alarm() -> Model:
    """A red pull station for a wall: its name in white, and a white T-shaped handle."""
    face = tx.plate_text("FIRE", (0.80, 0.08, 0.08), (1.0, 1.0, 1.0), (256, 96))
    body = rounded_box(0.10, 0.045, 0.14, 12.0, 10, 24, rgb=(0.80, 0.08, 0.08), specular=0.4)
    sign = sheet(0.080, 0.030, face, rgb=(1, 1, 1)).moved(0, -0.0235, 0.095)
    handle = [box(0.060, 0.012, 0.016, **WHITE).moved(0, -0.026, 0.060), box(0.016, 0.012, 0.040, **WHITE).moved(0, -0.026, 0.022)]
    pull = sheet(0.040, 0.012, tx.plate_text("PULL DOWN", (0.94, 0.94, 0.94), (0.7, 0.05, 0.05), (256, 72)), rgb=(1, 1, 1)).moved(
        0, -0.0325, 0.062
    )
    return model(body, sign, handle, pull, collider="box")


@maker
def headset() -> Model:
    """Headphones with a microphone on a stalk."""
    band = tube(arc(0.085, 0, 180, 16, "xz", (0, 0, 0.055)), 0.007, 10, **DARK)
    pads = [
        lathe(smooth_profile([(0, -0.012), (0.032, -0.012), (0.038, 0), (0.032, 0.012), (0, 0.012)], 3), 28, **DARK)
        .turned("y", 90)
        .moved(s * 0.080, 0, 0.045)
        for s in (-1, 1)
    ]
    shells = [
        lathe([(0, 0), (0.030, 0), (0.026, 0.010), (0, 0.011)], 28, **STEEL).turned("y", 90 * s).moved(s * 0.092, 0, 0.045) for s in (-1, 1)
    ]
    stalk = tube([(-0.085, -0.012, 0.030), (-0.075, -0.07, 0.008), (-0.045, -0.095, 0.006)], 0.003, 8, **DARK)
    return model(band, pads, shells, stalk, ellipsoid(0.018, 0.014, 0.012, **DARK).moved(-0.040, -0.097, 0.006), collider="hull")


@maker
def vent_grille() -> Model:
    """A white ventilator for a wall: a square frame with slanted slats."""
    frame = [
        box(w, 0.03, h, **WHITE).moved(x, 0, z)
        for w, h, x, z in ((0.24, 0.022, 0, 0), (0.24, 0.022, 0, 0.218), (0.022, 0.24, -0.109, 0), (0.022, 0.24, 0.109, 0))
    ]
    slats = [box(0.20, 0.028, 0.004, rgb=(0.88, 0.88, 0.87)).turned("x", 40).moved(0, 0, float(z)) for z in np.linspace(0.032, 0.200, 9)]
    dark = box(0.20, 0.002, 0.20, rgb=(0.12, 0.12, 0.13)).moved(0, 0.014, 0.02)
    return model(frame, slats, dark, collider="box")


@maker
def wall_light() -> Model:
    """A lamp for a wall: a round plate, a bent arm, and a glowing shade."""
    plate = lathe([(0, 0), (0.05, 0), (0.05, 0.012), (0, 0.014)], 28, **STEEL).turned("x", 90).moved(0, 0.0, 0.10)
    arm = tube([(0, -0.01, 0.10), (0, -0.07, 0.09), (0, -0.10, 0.12)], 0.008, 10, **STEEL)
    shade = lathe([(0.045, 0.12), (0.075, 0.235), (0.073, 0.235), (0.043, 0.122)], 32, rgb=(0.95, 0.86, 0.66), emission=0.3)
    bulb = ball(0.024, 10, 16, rgb=(1.0, 0.97, 0.85), emission=0.6).moved(0, 0, 0.17)
    return model(plate, arm, shade.moved(0, -0.10, 0), bulb.moved(0, -0.10, 0), collider="hull")


@maker
def handheld_console() -> Model:
    """A portable game console: a screen between a cross and four coloured buttons."""
    body = rounded_box(0.19, 0.085, 0.018, 10.0, 10, 28, rgb=(0.20, 0.21, 0.24), specular=0.4)
    image = tx.bands(((0.28, 0.62, 0.92), (0.28, 0.62, 0.92), (0.34, 0.70, 0.26), (0.52, 0.34, 0.18)), 1, "v", 64)[::-1]
    screen = box(0.100, 0.062, 0.001, texture=np.ascontiguousarray(image), rgb=(1, 1, 1), emission=0.5).moved(0, 0, 0.018)
    cross = [box(*s, 0.004, rgb=(0.85, 0.85, 0.86)).moved(-0.072, 0.010, 0.018) for s in ((0.024, 0.008), (0.008, 0.024))]
    buttons = [
        lathe([(0.0045, 0.018), (0.0045, 0.022), (0, 0.0225)], 16, rgb=c).moved(0.072 + x, 0.010 + y, 0)
        for c, x, y in (
            ((0.85, 0.15, 0.12), 0.009, 0),
            ((0.95, 0.78, 0.15), 0, -0.009),
            ((0.20, 0.60, 0.25), -0.009, 0),
            ((0.18, 0.35, 0.80), 0, 0.009),
        )
    ]
    sticks = [lathe([(0.008, 0.018), (0.008, 0.025), (0, 0.026)], 18, **DARK).moved(s * 0.072, -0.022, 0) for s in (-1, 1)]
    return model(body, screen, cross, buttons, sticks, collider="box")


@maker
def named_machine(text: str = "dehumidifier") -> Model:
    """A household machine on the floor that bears its name: slots above, a water tank below."""
    plate = tx.plate_text(text, (0.94, 0.95, 0.96), (0.10, 0.20, 0.42), (512, 128))
    body = rounded_box(0.34, 0.24, 0.56, 14.0, 12, 28, rgb=(0.94, 0.95, 0.96), specular=0.4)
    slots = [box(0.24, 0.004, 0.008, rgb=(0.20, 0.22, 0.25)).moved(0, -0.119, 0.40 + 0.02 * k) for k in range(6)]
    sign = sheet(0.28, 0.07, plate, rgb=(1, 1, 1)).moved(0, -0.1215, 0.29)
    tank = box(0.22, 0.006, 0.16, rgb=(0.42, 0.62, 0.80), specular=0.7).moved(0, -0.118, 0.06)
    display = box(0.08, 0.05, 0.002, **DARK).moved(0, -0.02, 0.559)
    return model(body, slots, sign, tank, display, collider="box")
