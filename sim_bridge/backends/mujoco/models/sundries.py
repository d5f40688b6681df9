"""Small things of kitchen and table, each told by its outline and colours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, Part, arc, ball, box, ellipsoid, lathe, model, rounded_box, smooth_profile, tube
from sim_bridge.backends.mujoco.models.food import leaf
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, WHITE, maker

WOODEN: dict[str, Any] = {"rgb": (0.58, 0.38, 0.22), "specular": 0.15}
GREEN: dict[str, Any] = {"rgb": (0.24, 0.50, 0.18), "specular": 0.15}


def _across(part: Part) -> Part:
    """A turned part laid on its side, along x."""
    return part.turned("y", 90.0)


@maker
def rolled_slice() -> Model:
    """A slice of ham rolled up: pink outside, the spiral of meat and fat at both ends, one edge lying over."""
    skin = tx.speckle((0.90, 0.58, 0.55), (0.97, 0.86, 0.82), 3, 64, 0.25, 8, 0.2)
    turns = np.linspace(0, 5.2 * math.pi, 60)
    spiral = [(r * math.cos(a), r * math.sin(a), 0.0) for a, r in zip(turns, np.linspace(0.0015, 0.0078, 60), strict=True)]
    body = lathe(
        [(0.0, -0.043), (0.0074, -0.043), (0.0080, -0.041), (0.0080, 0.041), (0.0074, 0.043), (0.0, 0.043)],
        24,
        texture=skin,
        rgb=(1, 1, 1),
        specular=0.3,
    )
    ends = [tube([(x, y, z) for x, y, _ in spiral], 0.0006, 5, rgb=(0.98, 0.90, 0.86)).moved(z=0.0) for z in (-0.0432, 0.0432)]
    flap = box(0.0022, 0.0085, 0.084, texture=skin, rgb=(1, 1, 1), specular=0.3).moved(0.0078, 0.003, -0.042)
    return model([p.turned("x", 90.0) for p in (body, *ends, flap)], collider="cylinder")


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
    grip = _across(
        lathe(smooth_profile([(0.0, 0), (0.011, 0.002), (0.013, 0.04), (0.015, 0.10), (0.010, 0.125), (0, 0.127)], 4), 20, **DARK)
    )
    return model(cup, coffee, ears, spouts, neck, grip.moved(0.072, 0, 0.036), collider="hull")


@maker
def centerpiece() -> Model:
    """Flowers and leaves in a low bowl, with a candle in their middle."""
    bowl = lathe(smooth_profile([(0, 0), (0.06, 0), (0.10, 0.03), (0.12, 0.07), (0.115, 0.07), (0.09, 0.03), (0, 0.02)], 3), 36, **WHITE)
    parts: list[Any] = [bowl, lathe([(0.11, 0.06), (0, 0.066)], 28, **GREEN)]
    for k in range(12):
        a = 2 * math.pi * k / 12
        x, y = 0.095 * math.cos(a), 0.095 * math.sin(a)
        parts.append(leaf(0.11, 0.05, 8, math.degrees(a), 0.2, rgb=(0.20, 0.44, 0.16)).moved(0.6 * x, 0.6 * y, 0.07))
        colour = ((0.85, 0.16, 0.28), (0.96, 0.74, 0.22), (0.94, 0.92, 0.92))[k % 3]
        petals = [leaf(0.034, 0.026, 26, 45 * j, 0.2, rgb=colour) for j in range(8)]
        parts += [p.moved(x, y, 0.085 + 0.012 * (k % 2)) for p in (*petals, ball(0.010, 8, 12, rgb=(0.95, 0.78, 0.20)))]
    candle = lathe([(0.022, 0.05), (0.022, 0.19), (0.0, 0.195)], 24, rgb=(0.96, 0.93, 0.84), specular=0.3)
    wick = tube([(0, 0, 0.19), (0, 0, 0.207)], 0.0016, 6, **DARK)
    return model(parts, candle, wick, collider="cylinder")


@maker
def chili_plant() -> Model:
    """A bush in a pot with red peppers hanging from it."""
    pot = lathe(
        [(0.0, 0.0), (0.055, 0.0), (0.075, 0.11), (0.082, 0.11), (0.082, 0.13), (0.068, 0.13), (0.066, 0.115), (0, 0.115)],
        32,
        rgb=(0.72, 0.40, 0.26),
        specular=0.1,
    )
    parts: list[Any] = [pot, lathe([(0.068, 0.116), (0, 0.12)], 24, rgb=(0.22, 0.15, 0.10))]
    for k in range(11):
        a, up = 2.39996 * k, 0.20 + 0.016 * k
        x, y = (0.105 - 0.006 * k) * math.cos(a), (0.105 - 0.006 * k) * math.sin(a)
        parts.append(tube([(0, 0, 0.12), (0.3 * x, 0.3 * y, 0.7 * up), (x, y, up)], 0.004, 7, rgb=(0.30, 0.46, 0.18)))
        parts += [leaf(0.10, 0.040, 16, math.degrees(a) + d, 0.3, rgb=(0.18, 0.45, 0.16)).moved(x * 0.7, y * 0.7, up) for d in (-70, 0, 70)]
        pepper = tube([(0, 0, 0), (0.004, 0, -0.03), (0.012, 0, -0.062)], [0.010, 0.008, 0.001], 10, rgb=(0.86, 0.08, 0.06), specular=0.6)
        parts.append(pepper.turned("z", math.degrees(a)).moved(x * 1.12, y * 1.12, up - 0.008))
    return model(parts, collider="cylinder")


@maker
def lobster() -> Model:
    """A cooked lobster seen from above: claws ahead, eight legs, a tail of rings that ends in a fan, long feelers."""
    red: dict[str, Any] = {"rgb": (0.80, 0.14, 0.07), "specular": 0.45}
    parts: list[Any] = [ellipsoid(0.075, 0.13, 0.05, **red).moved(0, 0.03, 0.028)]
    parts += [ellipsoid(0.066 - 0.006 * k, 0.036, 0.040 - 0.003 * k, **red).moved(0, -0.045 - 0.024 * k, 0.022) for k in range(6)]
    parts += [ellipsoid(0.030, 0.055, 0.010, **red).turned("z", d).moved(0.0009 * d, -0.205, 0.010) for d in (-46, -23, 0, 23, 46)]
    for s in (-1, 1):
        parts.append(tube([(s * 0.030, 0.07, 0.026), (s * 0.085, 0.10, 0.028), (s * 0.085, 0.15, 0.024)], [0.011, 0.012, 0.012], 10, **red))
        parts.append(ellipsoid(0.055, 0.10, 0.030, **red).turned("z", s * 8).moved(s * 0.088, 0.195, 0.022))
        parts.append(ellipsoid(0.022, 0.075, 0.022, **red).turned("z", s * 22).moved(s * 0.052, 0.205, 0.022))
        parts += [
            tube(
                [(s * 0.03, 0.05 - 0.022 * k, 0.024), (s * 0.075, 0.055 - 0.028 * k, 0.034), (s * 0.105, 0.05 - 0.034 * k, 0.002)],
                0.004,
                7,
                **red,
            )
            for k in range(4)
        ]
        parts.append(tube([(s * 0.010, 0.09, 0.032), (s * 0.04, 0.20, 0.060), (s * 0.13, 0.30, 0.050)], [0.0028, 0.002, 0.0008], 6, **red))
        parts.append(ball(0.006, 8, 10, **DARK).moved(s * 0.014, 0.092, 0.042))
    return model(parts, collider="hull")


@maker
def jade_roller() -> Model:
    """A face roller: a green stone drum in a gold fork at one end, a small one at the other."""
    gold: dict[str, Any] = {"rgb": (0.86, 0.68, 0.28), "specular": 0.9, "shininess": 0.8}
    jade: dict[str, Any] = {
        "texture": tx.speckle((0.42, 0.66, 0.46), (0.62, 0.80, 0.62), 5, 64, 0.3, 16, 0.3),
        "rgb": (1, 1, 1),
        "specular": 0.6,
    }
    parts: list[Any] = [
        _across(lathe([(0, 0), (0.007, 0.0), (0.0085, 0.045), (0.007, 0.09), (0, 0.09)], 20, **jade)).moved(-0.045, 0, 0.013)
    ]
    for s, reach, half in ((1, 0.028, 0.024), (-1, 0.018, 0.013)):
        x = s * 0.045
        fork = [(x, 0, 0), (x + s * 0.008, 0, 0), (x + s * 0.012, half, 0), (x + s * reach, half, 0)]
        parts += [tube([(a, m * b, 0.013) for a, b, _ in fork], 0.0018, 8, **gold) for m in (-1, 1)]
        drum = lathe(
            [(0, -half), (half * 0.48, -half), (half * 0.54, -half * 0.5), (half * 0.54, half * 0.5), (half * 0.48, half), (0, half)],
            24,
            **jade,
        )
        parts.append(drum.turned("x", 90.0).moved(x + s * reach, 0, 0.013))
    return model(parts, collider="hull")


@maker
def peeler() -> Model:
    """A vegetable peeler: a black grip, and a slotted steel blade in a bow across its end."""
    grip = _across(
        lathe(smooth_profile([(0.0, 0.0), (0.009, 0.004), (0.011, 0.05), (0.010, 0.09), (0.006, 0.10), (0, 0.10)], 4), 18, **DARK)
    )
    bow = [tube([(0.0, 0, 0), (0.018, s * 0.028, 0), (0.045, s * 0.030, 0)], 0.004, 10, **STEEL) for s in (-1, 1)]
    blades = [box(0.005, 0.058, 0.0016, **STEEL).turned("y", d).moved(0.045 + x, 0, -0.0008) for x, d in ((-0.005, 18), (0.004, -18))]
    return model(grip.moved(-0.10, 0, 0), bow, blades, collider="hull")


@maker
def muffin_cups() -> Model:
    """A stack of fluted paper cups for muffins, one beside it."""

    def cup(colour: tuple[float, float, float]) -> Part:
        paper = lathe([(0, 0.0), (0.024, 0.0), (0.035, 0.032), (0.034, 0.032), (0.023, 0.001), (0, 0.001)], 72, rgb=colour, specular=0.05)
        return paper.mapped(lambda v: v * np.stack([f := 1 + 0.05 * np.cos(36 * np.arctan2(v[:, 1], v[:, 0])), f, np.ones(len(v))], 1))

    colours = ((0.95, 0.55, 0.62), (0.96, 0.94, 0.90), (0.55, 0.78, 0.86))
    stack = [cup(colours[k % 3]).moved(z=0.006 * k) for k in range(9)]
    return model(stack, cup(colours[0]).moved(0.078, 0.012, 0), collider="hull")


@maker
def kabob() -> Model:
    """Pieces of meat, pepper and onion on a wooden skewer."""
    parts: list[Any] = [tube([(-0.13, 0, 0.014), (0.13, 0, 0.014)], 0.0018, 8, rgb=(0.80, 0.66, 0.44))]
    meat = {"texture": tx.speckle((0.46, 0.26, 0.15), (0.26, 0.14, 0.09), 3, 64, 0.3, 10, 0.2), "rgb": (1, 1, 1), "specular": 0.3}
    for k, x in enumerate(np.linspace(-0.085, 0.085, 8)):
        if k % 2 == 0:
            parts.append(rounded_box(0.026, 0.028, 0.027, 4.0, 10, 18, **meat).turned("x", 20 * k).moved(float(x), 0, 0.0))
        else:
            colour = ((0.82, 0.12, 0.08), (0.30, 0.58, 0.16), (0.96, 0.95, 0.88), (0.95, 0.74, 0.14))[k // 2]
            parts.append(box(0.007, 0.030, 0.030, rgb=colour, specular=0.4).turned("x", 15 * k).moved(float(x), 0, 0.0))
    return model(parts, collider="hull")


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
def receipt() -> Model:
    """A shop's receipt: a narrow strip of paper with printed lines, prices and a total."""
    image = Image.new("RGB", (128, 320), (250, 249, 244))
    draw = ImageDraw.Draw(image)
    draw.text((30, 8), "RECEIPT", fill=(20, 20, 22), font=tx.font(16))
    for k in range(11):
        draw.line((12, 44 + 19 * k, 40 + (37 * k) % 40, 44 + 19 * k), fill=(60, 60, 64), width=4)
        draw.line((96, 44 + 19 * k, 116, 44 + 19 * k), fill=(60, 60, 64), width=4)
    draw.text((12, 258), "TOTAL 12.80", fill=(10, 10, 12), font=tx.font(16))
    draw.line((10, 250, 118, 250), fill=(20, 20, 22), width=2)
    for x in range(14, 114, 5):
        draw.line((x, 288, x, 312), fill=(10, 10, 12), width=1 + (x * 7) % 3)
    paper = box(0.058, 0.145, 0.0008, texture=np.asarray(image), rgb=(1, 1, 1), divide=12)
    return model(paper.mapped(lambda v: v + np.stack([0 * v[:, 0], 0 * v[:, 0], 1.6 * v[:, 1] ** 2], 1)), collider="box")


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


@maker
def shell_with_pearl() -> Model:
    """An open oyster shell, dark outside and bright inside, with a pearl in it."""
    ribs = lambda v: v * np.stack([r := 1 + 0.05 * np.cos(18 * np.arctan2(v[:, 1], v[:, 0])), r, np.ones(len(v))], 1)  # noqa: E731

    def half() -> list[Part]:
        outer = lathe(smooth_profile([(0, 0), (0.018, 0.002), (0.028, 0.010), (0.027, 0.011)], 4), 54, rgb=(0.46, 0.42, 0.38), specular=0.1)
        inner = lathe(smooth_profile([(0.027, 0.011), (0.017, 0.004), (0, 0.002)], 4), 54, rgb=(0.96, 0.92, 0.93), specular=0.8)
        return [outer.mapped(ribs), inner.mapped(ribs)]

    upper = [p.turned("x", 74).moved(0, 0.024, 0.020) for p in half()]
    return model(
        half(), upper, ball(0.0105, 14, 22, rgb=(0.97, 0.95, 0.92), specular=1.0, shininess=0.9).moved(0, -0.002, 0.0125), collider="hull"
    )
