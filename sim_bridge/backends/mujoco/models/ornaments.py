"""What is set up to be looked at: candles, trophies, shells, glass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Model, Part, Solid, ball, box, ellipsoid, lathe, model, ring, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, WHITE, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import WOODEN, box_inside, box_walls, kept_image
from sim_bridge.backends.mujoco.models.turned import turned, vessel_model


@maker
def gem(colour: tuple[float, float, float] = (0.80, 0.05, 0.15)) -> Model:
    sides = 8
    cut = lathe([(0, 0), (0.012, 0.011), (0.008, 0.016), (0, 0.016)], sides, rgb=colour, specular=1.0, shininess=0.9, tint=True)
    flat = Part(
        cut.vertices[cut.faces].reshape(-1, 3),
        np.arange(len(cut.faces) * 3).reshape(-1, 3),
        rgb=colour,
        specular=1.0,
        shininess=0.9,
        tint=True,
    )
    return model(flat)


@maker
def crystal() -> Model:
    look: dict[str, Any] = {"rgb": (0.62, 0.45, 0.82), "alpha": 0.85, "specular": 1.0, "shininess": 0.9, "tint": True}
    parts = []
    for k, (h, r, tilt) in enumerate(((0.09, 0.014, 0), (0.06, 0.011, 24), (0.055, 0.010, -22), (0.045, 0.009, 32), (0.04, 0.008, -34))):
        spike = lathe([(0, -0.01), (r, -0.01), (r, h * 0.72), (0, h)], 6, **look)
        v = spike.vertices[spike.faces].reshape(-1, 3)
        parts.append(Part(v, np.arange(len(v)).reshape(-1, 3), **look).turned("x", tilt).turned("z", 72.0 * k).moved(z=0.012))
    base = ellipsoid(
        0.06, 0.05, 0.026, texture=tx.speckle((0.45, 0.42, 0.44), (0.30, 0.28, 0.30), 3, 64, 0.5, 10, 0.3), rgb=(1, 1, 1)
    ).moved(z=0.010)
    return model(parts, base)


@maker
def seashell() -> Model:
    """A scallop, ribs up."""
    n, m = 37, 12
    vertices, faces = [], []
    for i in range(n):
        a = math.radians(-72 + 144 * i / (n - 1))
        rib = 1 + 0.04 * math.cos(i / (n - 1) * 9 * 2 * math.pi)
        for j in range(m):
            t = j / (m - 1)
            r = 0.06 * t * (0.93 + 0.07 * math.cos(a)) * (rib if t > 0.9 else 1)
            dome = 0.020 * math.sin(math.pi * min(t * 0.98 + 0.02, 1)) * math.cos(a * 0.9)
            vertices.append((r * math.sin(a), r * math.cos(a), dome * (1 + 0.12 * math.cos(i / (n - 1) * 9 * 2 * math.pi)) + 0.001))
    for i in range(n - 1):
        for j in range(m - 1):
            a0, b0 = i * m + j, (i + 1) * m + j
            faces += [(a0, a0 + 1, b0 + 1), (a0, b0 + 1, b0)]
    v, f = np.array(vertices), np.array(faces)
    uv = np.stack([np.repeat(np.linspace(0, 1, n), m), np.tile(np.linspace(0, 1, m), n)], 1)
    image = tx.bands(((0.93, 0.74, 0.62), (0.96, 0.88, 0.80), (0.86, 0.58, 0.48)), 9, "u", 128, 0.02, True)
    top = Part(
        np.concatenate([v, v * [1, 1, 0.0]]),
        np.concatenate([f[:, ::-1], f + len(v)]),
        uv=np.concatenate([uv, uv]),
        texture=image,
        rgb=(1, 1, 1),
        specular=0.3,
    )
    ears = box(0.034, 0.010, 0.004, rgb=(0.93, 0.80, 0.70)).moved(y=0.002)
    return model(top, ears)


@maker
def conch() -> Model:
    """A spiral sea snail shell."""
    turns, n, k = 4.5, 150, 14
    vertices = []
    for i in range(n + 1):
        t = i / n
        a, grow = turns * 2 * math.pi * t, math.exp(-2.5 * (1 - t))
        centre = np.array([0.045 * grow * math.cos(a), 0.045 * grow * math.sin(a), 0.13 * (1 - grow)])
        out = np.array([math.cos(a), math.sin(a), 0])
        for j in range(k):
            b = 2 * math.pi * j / k
            spike = 1.0 + (0.35 if (i % 10 == 0 and abs(b - 0.9) < 0.4) else 0.0)
            vertices.append(centre + 0.046 * grow * (math.cos(b) * out * spike + math.sin(b) * np.array([0, 0, 1.25])))
    faces = []
    for i in range(n):
        for j in range(k):
            a0, a1, b0, b1 = i * k + j, i * k + (j + 1) % k, (i + 1) * k + j, (i + 1) * k + (j + 1) % k
            faces += [(a0, b0, b1), (a0, b1, a1)]
    v = np.array(vertices)
    uv = np.stack([np.tile(np.arange(k) / k, n + 1), np.repeat(np.linspace(0, 6, n + 1), k)], 1)
    shell = Part(
        v,
        np.array(faces),
        uv=uv,
        texture=tx.bands(((0.90, 0.76, 0.60), (0.96, 0.90, 0.80), (0.76, 0.52, 0.38)), 3, "v", 128, 0.2, True),
        rgb=(1, 1, 1),
        specular=0.4,
    )
    lip = ellipsoid(0.075, 0.022, 0.11, 12, 20, rgb=(0.95, 0.62, 0.55), specular=0.6).turned("x", 6).moved(0.062, 0.012, -0.01)
    return model(
        Part(shell.vertices, shell.faces, uv=shell.uv, texture=shell.texture, rgb=(1, 1, 1), specular=0.4).turned("y", 80),
        lip.turned("y", 80),
    )


@maker
def statue() -> Model:
    """A marble bust on a plinth."""
    stone: dict[str, Any] = {
        "texture": tx.speckle((0.86, 0.85, 0.82), (0.76, 0.75, 0.73), 3, 128, 0.3, 30, 0.4),
        "rgb": (1, 1, 1),
        "specular": 0.25,
    }
    plinth = [box(0.20, 0.20, 0.03, **stone), box(0.16, 0.16, 0.10, **stone).moved(z=0.03), box(0.18, 0.18, 0.02, **stone).moved(z=0.13)]
    chest_part = ellipsoid(0.26, 0.15, 0.18, 14, 26, **stone).moved(z=0.23)
    neck = lathe([(0.048, 0.27), (0.038, 0.32), (0.042, 0.36)], 20, **stone)
    head = [
        ellipsoid(0.125, 0.145, 0.175, 16, 26, **stone).moved(z=0.42),
        ellipsoid(0.022, 0.04, 0.042, **stone).moved(0, -0.072, 0.412),
        ellipsoid(0.05, 0.03, 0.02, **stone).moved(0, -0.062, 0.372),
    ]
    hair = [
        ball(0.022, 8, 10, **stone).moved(0.06 * math.cos(a) * q, 0.062 * math.sin(a) * q + 0.012, 0.455 + 0.048 * (1 - q * q))
        for q in (0.45, 0.8, 1.0)
        for a in np.linspace(-0.4, math.pi + 0.4, 9)
    ]
    return model(
        plinth,
        chest_part,
        neck,
        head,
        hair,
        [ellipsoid(0.02, 0.014, 0.012, rgb=(0.6, 0.59, 0.57)).moved(s * 0.028, -0.064, 0.435) for s in (-1, 1)],
    )


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


@maker
def tank() -> Model:
    """An open glass tank."""
    t, x, y, z = 0.006, 0.40, 0.25, 0.28
    walls = [
        box(x, t, z, **CLEAR).moved(y=-y / 2 + t / 2),
        box(x, t, z, **CLEAR).moved(y=y / 2 - t / 2),
        box(t, y, z, **CLEAR).moved(x=-x / 2 + t / 2),
        box(t, y, z, **CLEAR).moved(x=x / 2 - t / 2),
        box(x, y, t, **CLEAR),
    ]
    frame = [box(x + 0.008, 0.012, 0.014, **DARK).moved(y=s * (y / 2 - 0.002), z=h) for s in (-1, 1) for h in (0, z - 0.01)]
    frame += [box(0.012, y + 0.008, 0.014, **DARK).moved(x=s * (x / 2 - 0.002), z=h) for s in (-1, 1) for h in (0, z - 0.01)]
    return model(walls, frame, hollow=True, collider="shell", solids=box_walls(x, y, z, t), cavity=box_inside(x, y, z, t))


@maker
def cloche() -> Model:
    t = np.linspace(0, 88, 12)
    dome = [(0.11 * math.cos(math.radians(a)), 0.10 + 0.12 * math.sin(math.radians(a))) for a in t]
    shell = lathe([(0.11, 0.0), *dome, *[(max(r - 0.003, 0), z - 0.002) for r, z in reversed(dome)], (0.107, 0.0)], 40, **CLEAR)
    knob = ball(0.015, **CLEAR | {"alpha": 0.6}).moved(z=0.232)
    return model(shell, knob, hollow=True, collider="cylinder")


@maker
def hourglass() -> Model:
    half = smooth_profile([(0.004, 0), (0.010, 0.012), (0.034, 0.035), (0.040, 0.065), (0.036, 0.085)], 5)
    upper = lathe(half, 30, **CLEAR).moved(z=0.10)
    lower = lathe([(r, -z) for r, z in reversed(half)], 30, **CLEAR).moved(z=0.10)
    wood: dict[str, Any] = {"rgb": (0.45, 0.27, 0.14), "specular": 0.3, "tint": True}
    plates = [lathe([(0, 0), (0.055, 0), (0.055, 0.012), (0.05, 0.015), (0, 0.015)], 30, **wood).moved(z=z) for z in (0, 0.185)]
    posts = [
        tube([(0.046 * math.cos(a), 0.046 * math.sin(a), 0.012), (0.046 * math.cos(a), 0.046 * math.sin(a), 0.188)], 0.005, 8, **wood)
        for a in (0.5, 2.6, 4.7)
    ]
    sand = lathe([(0, 0.018), (0.033, 0.018), (0.036, 0.032), (0.02, 0.048), (0, 0.056)], 26, rgb=(0.86, 0.70, 0.42), specular=0.0)
    top_sand = lathe([(0.004, 0.104), (0.012, 0.115), (0.026, 0.128), (0, 0.122)], 26, rgb=(0.86, 0.70, 0.42), specular=0.0)
    return model(upper, lower, plates, posts, sand, top_sand, collider="cylinder")


@maker
def snow_globe() -> Model:
    base = lathe(
        [(0, 0), (0.046, 0), (0.048, 0.006), (0.040, 0.020), (0.034, 0.026), (0, 0.026)],
        36,
        rgb=(0.40, 0.16, 0.12),
        specular=0.4,
        tint=True,
    )
    globe = ball(0.045, 20, 36, **CLEAR | {"alpha": 0.2}).moved(z=0.064)
    snow = lathe([(0.034, 0.030), (0.026, 0.037), (0, 0.041)], 30, rgb=(0.97, 0.97, 0.98), specular=0.0)
    man = [
        ball(0.011, 10, 16, rgb=(0.98, 0.98, 0.98)).moved(-0.012, 0, 0.047),
        ball(0.008, 10, 16, rgb=(0.98, 0.98, 0.98)).moved(-0.012, 0, 0.063),
    ]
    hat = lathe([(0.007, 0), (0.0055, 0), (0.0055, 0.009), (0, 0.009)], 14, **DARK).moved(-0.012, 0, 0.069)
    tree = [
        lathe([(0.013 - 0.003 * k, 0), (0.002, 0.016)], 14, rgb=(0.10, 0.40, 0.18)).moved(0.016, 0.004, 0.042 + 0.010 * k) for k in range(3)
    ]
    flakes = [
        ball(0.0013, 5, 7, rgb=(1, 1, 1)).moved(*p) for p in np.random.default_rng(4).normal(0, 0.015, (26, 3)) + np.array([0, 0, 0.075])
    ]
    return model(base, snow, man, hat, tree, flakes, globe, collider="cylinder")


@maker
def ashtray() -> Model:
    look: dict[str, Any] = CLEAR | {"alpha": 0.5, "rgb": (0.55, 0.62, 0.62)}
    body = turned([(0.055, 0), (0.060, 0.004), (0.060, 0.032), (0.056, 0.036)], 0.010, 0.010, 40, holds_liquid=False, **look)
    butt = [
        tube([(0.02, 0.012, 0.016), (-0.004, -0.006, 0.016)], 0.004, 8, **WHITE),
        tube([(0.02, 0.012, 0.016), (0.03, 0.02, 0.016)], 0.0041, 8, rgb=(0.85, 0.55, 0.25)),
    ]
    ash = ellipsoid(0.05, 0.05, 0.008, rgb=(0.35, 0.34, 0.33)).moved(z=0.012)
    rests = [
        box(0.016, 0.012, 0.008, rgb=(0.25, 0.28, 0.28)).moved(0.055 * math.cos(a), 0.055 * math.sin(a), 0.030) for a in (0.3, 2.4, 4.5)
    ]
    return vessel_model(body, butt, ash, rests)


@maker
def trophy() -> Model:
    gold: dict[str, Any] = {"rgb": (0.83, 0.64, 0.18), "specular": 0.9, "shininess": 0.8, "tint": True}
    base = [box(0.11, 0.11, 0.05, **DARK), box(0.07, 0.002, 0.025, **gold).moved(y=-0.056, z=0.012)]
    outline = smooth_profile([(0.035, 0.05), (0.012, 0.07), (0.010, 0.10), (0.030, 0.13), (0.062, 0.17), (0.068, 0.22), (0.075, 0.24)], 4)
    cup = turned(outline, 0.004, 0.08, 40, **gold)
    ears = [
        tube([(0.055, 0, 0.150), (0.100, 0, 0.165), (0.112, 0, 0.205), (0.090, 0, 0.225), (0.070, 0, 0.222)], 0.006, 10, **gold).turned(
            "z", a
        )
        for a in (0, 180)
    ]
    return vessel_model(cup, base, ears, solids=(Solid.box([0.055, 0.055, 0.025], [0, 0, 0.025]),))


@maker
def candle(kind: str = "pillar") -> Model:
    radius, high, wax = {
        "pillar": (0.035, 0.13, (0.93, 0.89, 0.78)),
        "beeswax": (0.030, 0.12, (0.86, 0.62, 0.20)),
        "red": (0.035, 0.10, (0.70, 0.12, 0.12)),
    }[kind]
    image = _honeycomb() if kind == "beeswax" else None
    body = lathe(
        [(0, 0), (radius, 0), (radius, high - 0.004), (radius - 0.004, high), (0, high - 0.004)],
        36,
        rgb=(1, 1, 1) if image is not None else wax,
        texture=image,
        specular=0.2,
        tint=image is None,
    )
    wick = tube([(0, 0, high - 0.004), (0.001, 0, high + 0.008), (0.003, 0, high + 0.014)], 0.0012, 6, rgb=(0.1, 0.08, 0.07))
    flame = ellipsoid(0.010, 0.010, 0.028, rgb=(0.99, 0.72, 0.22), emission=0.9, specular=0.0).moved(x=0.003, z=high + 0.024)
    return model(body, wick, flame, collider="cylinder")


def _honeycomb() -> np.ndarray:
    yy, xx = np.mgrid[0:128, 0:256].astype(float)
    row = np.floor(yy / 9)
    dx = (xx + (row % 2) * 8) % 16 - 8
    dy = yy % 9 - 4.5
    edge = (np.abs(dx) > 6.2) | (np.abs(dy) > 3.4)
    image = np.where(edge[..., None], np.array([0.70, 0.46, 0.12]), np.array([0.90, 0.68, 0.26]))
    return kept_image(tx.to_image(image))


@maker
def candle_holder() -> Model:
    brass: dict[str, Any] = {"rgb": (0.72, 0.55, 0.22), "specular": 0.8, "shininess": 0.7, "tint": True}
    foot = lathe(
        [
            *smooth_profile(
                [(0.05, 0), (0.05, 0.006), (0.014, 0.02), (0.010, 0.08), (0.018, 0.12), (0.010, 0.14), (0.032, 0.155), (0.030, 0.160)], 4
            ),
            (0.0, 0.158),
        ],
        36,
        **brass,
    )
    wax = lathe([(0.011, 0.156), (0.010, 0.30), (0, 0.301)], 24, **WHITE)
    flame = ellipsoid(0.010, 0.010, 0.028, rgb=(0.99, 0.72, 0.22), emission=0.9).moved(z=0.322)
    return model(foot, wax, flame, tube([(0, 0, 0.30), (0, 0, 0.312)], 0.0012, 6, **DARK), collider="cylinder")
