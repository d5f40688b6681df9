"""Odds and ends of wardrobe, desk and wall, each told by its outline and colours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

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
from sim_bridge.backends.mujoco.models.food import leaf
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, WHITE, maker

WOODEN: dict[str, Any] = {"rgb": (0.58, 0.38, 0.22), "specular": 0.15}
GREEN: dict[str, Any] = {"rgb": (0.24, 0.50, 0.18), "specular": 0.15}


def _across(part: Part) -> Part:
    """A turned part laid on its side, along x."""
    return part.turned("y", 90.0)


@maker
def wrapping_roll() -> Model:
    """A roll of gift wrap with coloured stripes and dots, a piece of it unrolled."""
    image = Image.new("RGB", (256, 256), (196, 30, 46))
    draw = ImageDraw.Draw(image)
    for i in range(8):
        for j in range(8):
            x, y = 32 * i + 16 * (j % 2), 32 * j
            draw.ellipse((x + 5, y + 5, x + 19, y + 19), fill=(250, 214, 90) if (i + j) % 2 else (250, 248, 240))
    paper = np.asarray(image)
    roll = lathe([(0.012, 0.0), (0.028, 0.0), (0.028, 0.60), (0.012, 0.60)], 32, texture=np.tile(paper, (3, 1, 1)), rgb=(1, 1, 1))
    core = lathe([(0.010, -0.004), (0.012, -0.004), (0.012, 0.604), (0.010, 0.604)], 20, rgb=(0.62, 0.48, 0.32))
    piece = box(0.60, 0.26, 0.0015, texture=np.tile(paper, (1, 2, 1)), rgb=(1, 1, 1)).moved(0.0, -0.13, 0.0)
    return model([_across(p).moved(-0.30, 0, 0.028) for p in (roll, core)], piece, collider="box")


@maker
def antlers() -> Model:
    """A pair of stag's antlers on a piece of skull, laid flat."""
    bone: dict[str, Any] = {"rgb": (0.72, 0.60, 0.44), "specular": 0.15}
    parts: list[Any] = [ellipsoid(0.085, 0.045, 0.040, rgb=(0.86, 0.80, 0.68), specular=0.1).moved(0, -0.095, 0.020)]
    for s in (-1, 1):
        beam = [
            (s * x, y, z)
            for x, y, z in (
                (0.030, -0.085, 0.020),
                (0.10, -0.070, 0.024),
                (0.18, -0.020, 0.026),
                (0.23, 0.060, 0.022),
                (0.215, 0.125, 0.018),
            )
        ]
        parts.append(tube(beam, [0.015, 0.014, 0.012, 0.009, 0.002], 10, **bone))
        for (x, y, z), (dx, dy), r in (
            (beam[1], (0.02, 0.085), 0.009),
            (beam[2], (-0.035, 0.090), 0.008),
            (beam[2], (0.075, -0.035), 0.008),
            (beam[3], (0.045, 0.030), 0.006),
        ):
            tine = [(x, y, z), (x + s * dx * 0.6, y + dy * 0.5, z + 0.004), (x + s * dx, y + dy, z + 0.008)]
            parts.append(tube(tine, [r, r * 0.8, 0.0015], 8, **bone))
    return model(parts, collider="hull")


@maker
def plant_stand() -> Model:
    """A stand for one pot: a ring with slats on four splayed legs."""
    top = [ring(0.13, 0.010, 32, 10, **DARK).moved(z=0.40)]
    slats = [box(0.25, 0.016, 0.008, **WOODEN).turned("z", 45 * k).moved(z=0.392) for k in range(4)]
    legs = [
        tube([(0.12 * math.cos(a), 0.12 * math.sin(a), 0.40), (0.15 * math.cos(a), 0.15 * math.sin(a), 0.0)], 0.009, 10, **DARK)
        for a in np.radians([45, 135, 225, 315])
    ]
    brace = ring(0.136, 0.006, 32, 8, **DARK).moved(z=0.16)
    return model(top, slats, legs, brace, collider="cylinder", solid=False)


@maker
def blueprint() -> Model:
    """The plan of a building: white walls and doors on a blue sheet, its long edges curling up."""
    image = Image.new("RGB", (512, 360), (28, 74, 140))
    draw = ImageDraw.Draw(image)
    ink = (236, 242, 250)
    draw.rectangle((14, 14, 498, 346), outline=ink, width=3)
    for x0, y0, x1, y1 in ((50, 50, 250, 190), (250, 50, 420, 140), (50, 190, 180, 310), (180, 190, 330, 310), (250, 140, 420, 190)):
        draw.rectangle((x0, y0, x1, y1), outline=ink, width=6)
    for x, y in ((150, 190), (250, 110), (120, 310), (330, 140)):
        draw.arc((x - 22, y - 22, x + 22, y + 22), 180, 270, fill=ink, width=3)
        draw.line((x, y, x, y - 22), fill=ink, width=3)
    for y in (230, 250, 270, 290):
        draw.line((352, y, 470, y), fill=ink, width=2)
    paper = box(0.59, 0.42, 0.001, texture=np.asarray(image), rgb=(1, 1, 1), specular=0.05, divide=14)
    curled = paper.mapped(lambda v: v + np.stack([0 * v[:, 0], 0 * v[:, 0], 9.0 * np.maximum(np.abs(v[:, 0]) - 0.20, 0.0) ** 2], 1))
    return model(curled, collider="box")


@maker
def tape_dispenser() -> Model:
    """A desk dispenser: a heavy foot with a hollow for the roll of sticky tape, and teeth at its nose."""
    side = [
        (-0.065, 0),
        (0.085, 0),
        (0.085, 0.012),
        (0.055, 0.030),
        (0.030, 0.020),
        (0.0, 0.012),
        (-0.030, 0.020),
        (-0.052, 0.052),
        (-0.065, 0.045),
    ]
    foot = extrude(side, 0.055, rgb=(0.16, 0.17, 0.20), specular=0.5, tint=True)
    body = foot.turned("x", 90.0).moved(y=0.0275)
    clear: dict[str, Any] = {"rgb": (0.93, 0.88, 0.62), "specular": 0.7}
    roll = (
        lathe([(0.017, -0.010), (0.034, -0.010), (0.034, 0.010), (0.017, 0.010), (0.017, -0.010)], 36, **clear)
        .turned("x", 90.0)
        .moved(0, 0, 0.050)
    )
    hub = lathe([(0, -0.014), (0.016, -0.014), (0.016, 0.014), (0, 0.014)], 24, rgb=(0.80, 0.80, 0.82)).turned("x", 90.0).moved(0, 0, 0.050)
    strip = box(0.075, 0.018, 0.0008, **clear).turned("y", 24).moved(0.052, 0, 0.058)
    teeth = [box(0.002, 0.003, 0.007, **STEEL).moved(0.086, y, 0.028) for y in np.linspace(-0.011, 0.011, 6)]
    nose = box(0.004, 0.028, 0.022, **STEEL).moved(0.084, 0, 0.010)
    return model(body, roll, hub, strip, teeth, nose, collider="hull")


@maker
def thread_spool() -> Model:
    """A spool of sewing thread with its needle."""
    rims = [lathe([(0, z), (0.016, z), (0.016, z + 0.004), (0, z + 0.004)], 28, **WOODEN) for z in (0.0, 0.036)]
    wound = tx.bands(((0.78, 0.12, 0.20), (0.62, 0.06, 0.14)), 22, "v", 128)
    thread = lathe(
        [(0.0, 0.004), (0.0135, 0.004), (0.0145, 0.020), (0.0135, 0.036), (0, 0.036)], 28, texture=wound, rgb=(1, 1, 1), tint=True
    )
    loose = tube(
        [(0.0143, 0, 0.02), (0.022, 0.01, 0.008), (0.030, 0.004, 0.0008), (0.046, 0.012, 0.0008)], 0.0007, 5, rgb=(0.78, 0.12, 0.20)
    )
    needle = tube([(0.0, -0.0165, 0.002), (0.0, -0.0165, 0.052)], [0.0007, 0.0002], 6, **STEEL)
    return model(rims, thread, loose, needle, collider="cylinder")


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
def wreath(kind: str = "heart") -> Model:
    """A wreath for a door: red flowers in a ring with a bow, or green twigs."""
    petal, twig = ((0.80, 0.08, 0.16), (0.55, 0.05, 0.12)) if kind == "heart" else ((0.16, 0.42, 0.16), (0.10, 0.30, 0.12))
    parts: list[Any] = [ring(0.10, 0.016, 36, 8, rgb=twig)]
    for k in range(30):
        a = 2 * math.pi * k / 30
        at = (0.10 * math.cos(a), 0.10 * math.sin(a), 0.010 + 0.006 * (k % 2))
        parts += [leaf(0.036, 0.022, 22, 120 * j + 40 * k, 0.2, rgb=petal).moved(*at) for j in range(3)]
        if k % 3 == 0:
            parts.append(ball(0.007, 7, 10, rgb=(0.98, 0.86, 0.88) if kind == "heart" else (0.85, 0.10, 0.08)).moved(at[0], at[1], 0.026))
    bow: dict[str, Any] = {"rgb": (0.96, 0.90, 0.90) if kind == "heart" else (0.80, 0.08, 0.10), "specular": 0.3}
    parts += [ellipsoid(0.052, 0.030, 0.016, **bow).turned("z", s * 20).moved(s * 0.028, -0.10, 0.030) for s in (-1, 1)]
    parts.append(ball(0.011, 8, 12, **bow).moved(0, -0.10, 0.034))
    return model([p.turned("x", 90.0).moved(z=0.12) for p in parts], collider="box")


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
def vest() -> Model:
    """A waistcoat laid flat: deep neck, arm holes, a row of buttons, pockets."""
    half = [(0.0, -0.30), (0.10, -0.34), (0.24, -0.28), (0.23, 0.05), (0.17, 0.16), (0.19, 0.30), (0.10, 0.33), (0.0, 0.02)]
    cloth = tx.fabric((0.20, 0.22, 0.30), 5, 128)
    fronts = [extrude([(s * x, y) for x, y in half], 0.014, texture=cloth, rgb=(1, 1, 1), specular=0.0, tint=True) for s in (-1, 1)]
    back = extrude([(-0.10, 0.33), (-0.05, 0.28), (0.05, 0.28), (0.10, 0.33), (0.16, 0.0), (-0.16, 0.0)], 0.006, rgb=(0.48, 0.50, 0.58))
    buttons = [
        lathe([(0.008, 0.014), (0.007, 0.018), (0, 0.018)], 14, rgb=(0.86, 0.84, 0.78)).moved(0.014, y, 0)
        for y in np.linspace(-0.26, -0.04, 5)
    ]
    pockets = [box(0.09, 0.010, 0.002, rgb=(0.10, 0.11, 0.16)).turned("z", s * 8).moved(s * 0.12, -0.14, 0.014) for s in (-1, 1)]
    return model(back, fronts, buttons, pockets, collider="box")


@maker
def tassel() -> Model:
    """A hanging ornament: a loop, a wound head, and many threads."""
    thread: dict[str, Any] = {"rgb": (0.72, 0.12, 0.20), "specular": 0.2, "tint": True}
    loop = tube(arc(0.012, -80, 260, 18, "xz", (0, 0, 0.142)), 0.0018, 8, **thread)
    head = lathe(smooth_profile([(0, 0.100), (0.009, 0.100), (0.013, 0.114), (0.008, 0.128), (0, 0.130)], 4), 24, **thread)
    band = lathe([(0.0105, 0.094), (0.0125, 0.097), (0.0105, 0.101)], 24, rgb=(0.90, 0.72, 0.30), specular=0.7)
    skirt = [
        tube(
            [(0.009 * math.cos(a), 0.009 * math.sin(a), 0.097), (0.016 * q * math.cos(a), 0.016 * q * math.sin(a), 0.0)],
            0.0016,
            6,
            **thread,
        )
        for a, q in ((2.39996 * k, 0.35 + 0.75 * (k % 5) / 4) for k in range(46))
    ]
    return model(loop, head, band, skirt, collider="hull")


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
def pet_bed() -> Model:
    """A round bed for a cat or a dog: a soft rim, lower in front, around a cushion."""
    rim = ring(0.24, 0.075, 40, 14, texture=tx.fabric((0.52, 0.40, 0.30), 3, 128), rgb=(1, 1, 1), specular=0.0, tint=True).moved(z=0.075)
    low = rim.mapped(lambda v: v * np.stack([np.ones(len(v)), np.ones(len(v)), np.where(v[:, 1] < -0.12, 0.55, 1.0)], 1))
    cushion = lathe(
        smooth_profile([(0, 0.0), (0.20, 0.0), (0.22, 0.04), (0.10, 0.075), (0, 0.07)], 4), 36, rgb=(0.93, 0.88, 0.78), specular=0.0
    )
    return model(low, cushion, collider="hull")


@maker
def glove_pair() -> Model:
    """A pair of padded gloves with broad fingers, laid side by side."""
    parts: list[Any] = []
    for s in (-1, 1):
        white: dict[str, Any] = {"rgb": (0.93, 0.93, 0.92), "specular": 0.1, "tint": True}
        black: dict[str, Any] = {"rgb": (0.10, 0.11, 0.13), "specular": 0.2}
        hand = [rounded_box(0.105, 0.11, 0.036, 6.0, 10, 20, **white), box(0.080, 0.055, 0.030, **black).moved(0, -0.075, 0.003)]
        hand += [
            tube([(x, 0.045, 0.018), (x * 1.18, 0.045 + long, 0.016)], [0.015, 0.013], 12, **white)
            for x, long in ((-0.039, 0.075), (-0.013, 0.095), (0.013, 0.092), (0.039, 0.068))
        ]
        hand.append(tube([(s * -0.050, -0.01, 0.018), (s * -0.088, 0.045, 0.016)], [0.016, 0.012], 12, **white))
        hand.append(box(0.06, 0.05, 0.002, rgb=(0.20, 0.62, 0.25)).moved(0, 0.0, 0.0355))
        parts += [p.turned("z", -6 * s).moved(s * 0.105, 0, 0) for p in hand]
    return model(parts, collider="box")


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
