"""Clothes, shoes, bags, bedding."""

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
    grid_faces,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import BRASS, catmull
from sim_bridge.backends.mujoco.models.vessels import vessel


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
def jeans() -> Model:
    """Trousers laid flat, denim with seams."""
    half = [(0.0, 0.10), (0.02, 0.10), (0.09, -0.52), (0.20, -0.52), (0.225, 0.20), (0.20, 0.44), (0.0, 0.44)]
    outline = [(x, y) for x, y in half] + [(-x, y) for x, y in reversed(half) if x > 0]
    denim = tx.fabric((0.20, 0.30, 0.50), 4, 128)
    cloth = extrude(outline, 0.022, texture=denim, rgb=(1, 1, 1), specular=0.0, tint=True)
    seam: dict[str, Any] = {"rgb": (0.80, 0.58, 0.26), "specular": 0.0}
    seams = [box(0.40, 0.004, 0.001, **seam).moved(y=0.40, z=0.022), box(0.004, 0.15, 0.001, **seam).moved(y=0.22, z=0.022)]
    seams += [box(0.10, 0.003, 0.001, **seam).turned("z", 35 * s).moved(s * 0.13, 0.32, 0.022) for s in (-1, 1)]
    seams += [box(0.10, 0.006, 0.001, **seam).moved(s * 0.145, -0.50, 0.022) for s in (-1, 1)]
    button = lathe([(0.009, 0.022), (0.008, 0.026), (0, 0.027)], 16, **BRASS).moved(y=0.42)
    loops = [box(0.012, 0.05, 0.004, texture=denim, rgb=(0.8, 0.8, 0.8)).moved(x, 0.41, 0.021) for x in (-0.15, -0.06, 0.06, 0.15)]
    return model(cloth, seams, button, loops, collider="box")


@maker
def sock() -> Model:
    """A white sock on its side, with coloured heel, toe and stripes."""
    white: dict[str, Any] = {"rgb": (0.90, 0.90, 0.88), "specular": 0.0, "tint": True}
    red: dict[str, Any] = {"rgb": (0.72, 0.14, 0.14), "specular": 0.0}
    leg = catmull(
        [(0, 0.20, 0), (0, 0.10, 0), (0.002, 0.02, 0), (0.022, -0.045, 0), (0.075, -0.078, 0), (0.14, -0.088, 0), (0.175, -0.088, 0)], 6
    )
    along = np.linspace(0, 1, len(leg))
    radius = np.interp(along, [0, 0.3, 0.5, 0.62, 0.8, 0.94, 1.0], [0.045, 0.045, 0.047, 0.045, 0.04, 0.036, 0.020])
    body = tube(leg, radius.tolist(), 20, **white)
    toe = tube(leg[-8:], (radius[-8:] * 1.03).tolist(), 20, **red)
    heel = ball(0.043, 12, 20, **red).scaled(1, 1, 0.98).moved(0.004, -0.058, 0)
    stripes = [tube([(0, y, 0), (0, y + 0.012, 0)], 0.0462, 20, **red) for y in (0.125, 0.155)]
    cuff = tube([(0, 0.178, 0), (0, 0.204, 0)], 0.0475, 20, **white)
    return model([p.scaled(1, 1, 0.34) for p in (body, toe, heel, *stripes, cuff)])


@maker
def necktie() -> Model:
    outline = [(0.0, -0.70), (0.048, -0.64), (0.016, -0.02), (0.026, 0.03), (-0.026, 0.03), (-0.016, -0.02), (-0.048, -0.64)]
    y, x = np.mgrid[0:256, 0:64]
    stripes = ((y + 2 * x) % 48 < 14)[..., None]
    image = np.where(stripes, np.array([190, 40, 46]), np.array([24, 36, 84])).astype(np.uint8)
    knot = rounded_box(0.052, 0.045, 0.02, 4, rgb=(0.10, 0.15, 0.34), specular=0.2).moved(y=0.02)
    collar = tube(arc(0.07, 200, 340, 16, "xy", (0, 0.11, 0.006)), 0.006, 8, rgb=(0.10, 0.15, 0.34))
    return model(extrude(outline, 0.006, texture=image, rgb=(1, 1, 1), specular=0.2, tint=True), knot, collar, collider="box")


@maker
def tote() -> Model:
    cloth: dict[str, Any] = {"texture": tx.fabric((0.88, 0.82, 0.68), 3, 128), "rgb": (1, 1, 1), "specular": 0.0, "tint": True}
    body = rounded_box(0.38, 0.12, 0.38, 7, 16, 30, **cloth)
    straps = [
        tube(arc(0.085, 0, 180, 18, "xz", (0, y, 0.36)) * np.array([1, 1, 1]), 0.009, 8, rgb=(0.45, 0.28, 0.16)) for y in (-0.05, 0.05)
    ]
    tops = [box(0.022, 0.004, 0.07, rgb=(0.45, 0.28, 0.16)).moved(x, y * 1.12, 0.30) for x in (-0.085, 0.085) for y in (-0.05, 0.05)]
    mouth = box(0.32, 0.07, 0.002, **DARK).moved(z=0.378)
    return model(body, straps, tops, mouth, hollow=True)


@maker
def bracelet() -> Model:
    beads = [
        ball(0.0065, 10, 14, rgb=((0.80, 0.62, 0.20), (0.20, 0.50, 0.62))[k % 2], specular=0.9, shininess=0.8).moved(
            0.032 * math.cos(a), 0.032 * math.sin(a), 0.0065
        )
        for k, a in enumerate(np.linspace(0, 2 * math.pi, 16, endpoint=False))
    ]
    return model(beads, ring(0.032, 0.0012, 30, 6, **BRASS).moved(z=0.0065))


@maker
def umbrella() -> Model:
    """A rolled umbrella standing on its tip."""
    t = np.linspace(0, 1, 26)
    profile = [
        (float(r), float(z))
        for r, z in zip(np.interp(t, [0, 0.1, 0.5, 0.8, 0.93, 1], [0.004, 0.016, 0.030, 0.040, 0.034, 0.020]), 0.07 + 0.52 * t, strict=True)
    ]
    cloth: dict[str, Any] = {"rgb": (0.16, 0.26, 0.52), "specular": 0.15, "tint": True}
    canopy = lathe([(0.0, 0.07), *profile, (0.006, 0.595)], 96, **cloth)

    def pleats(v: Any) -> Any:
        angle = np.arctan2(v[:, 1], v[:, 0]) + 5.0 * v[:, 2]
        return v * np.stack([1 + 0.26 * np.sin(8 * angle)] * 2 + [np.ones(len(v))], 1)

    strap = lathe([(0.0345, 0.39), (0.0345, 0.412)], 36, rgb=(0.11, 0.18, 0.38), specular=0.1)
    rod = [lathe([(0, 0), (0.0035, 0.002), (0.0045, 0.075), (0, 0.08)], 14, **STEEL), lathe([(0.0045, 0.58), (0.0045, 0.70)], 14, **STEEL)]
    wood: dict[str, Any] = {"texture": tx.wood((0.48, 0.28, 0.14), 3), "rgb": (1.0, 1.0, 1.0), "specular": 0.4}
    hook = tube(
        np.concatenate([[(0, 0, 0.66), (0, 0, 0.78)], arc(0.042, 180, 20, 12, "xz", (0.042, 0, 0.79)), [(0.080, 0, 0.795)]]),
        0.0105,
        12,
        **wood,
    )
    return model(canopy.mapped(pleats), strap, rod, hook)


@maker
def sleeping_bag() -> Model:
    """A quilted sleeping bag, laid out, its opening at the head showing the lining."""
    rows, around = 90, 28
    y = np.linspace(-1.0, 1.0, rows)
    width = np.interp(y, [-1.0, -0.97, -0.8, 0.3, 0.62, 0.8, 0.93, 1.0], [0.10, 0.20, 0.26, 0.38, 0.40, 0.34, 0.24, 0.06])
    high = np.interp(y, [-1.0, -0.95, -0.7, 0.5, 0.66, 1.0], [0.02, 0.07, 0.085, 0.085, 0.05, 0.018]) * (
        1 - 0.22 * np.abs(np.sin(y * math.pi * 6)) ** 6
    )
    a = np.linspace(0, 2 * math.pi, around + 1)
    x = width[:, None] * np.cos(a)
    z = np.where(np.sin(a) > 0, high[:, None] * np.sin(a), 0.02 * np.sin(a)) + 0.02

    points = np.stack([x, np.broadcast_to(y[:, None], x.shape), z], -1).reshape(-1, 3)
    shell = Part(points, grid_faces(rows, around + 1)[:, ::-1], rgb=(0.12, 0.32, 0.62), specular=0.2, tint=True)
    lining = ellipsoid(0.54, 0.52, 0.05, 10, 30, rgb=(0.95, 0.55, 0.16), specular=0.1).moved(y=0.70, z=0.062)
    fold = tube(
        catmull([(-0.36, 0.60, 0.045), (-0.2, 0.52, 0.095), (0, 0.50, 0.105), (0.2, 0.52, 0.095), (0.36, 0.60, 0.045)], 5),
        0.022,
        10,
        rgb=(0.12, 0.32, 0.62),
        specular=0.2,
    )
    zip_ = tube([(0.30, 0.50, 0.075), (0.29, 0.1, 0.082), (0.27, -0.35, 0.080)], 0.006, 6, rgb=(0.92, 0.92, 0.90), specular=0.4)
    return model(shell, lining, fold, zip_)


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
