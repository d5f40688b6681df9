"""Pots, pans, kettles, trays: cookware with real wall thickness."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Model, Solid, arc, ball, box, ellipsoid, lathe, model, ring, smooth_profile, tube
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import box_inside, box_walls, hinged_lid, kept_image, underside_disc
from sim_bridge.backends.mujoco.models.turned import (
    Profile,
    circle,
    inner_profile,
    loop_solids,
    tube_solids,
    turned,
    vessel_model,
    wall_solids,
)
from sim_bridge.backends.mujoco.models.vessels import glaze, handle, vessel


@maker
def kettle() -> Model:
    """A stove kettle with a lid that lifts at the back, beneath the bail."""
    look: dict[str, Any] = STEEL | {"tint": True}
    outline = smooth_profile([(0.085, 0), (0.095, 0.006), (0.094, 0.05), (0.066, 0.12), (0.042, 0.137)], 5)
    body = turned(outline, 0.002, 0.003, 40, door="lid", **look)
    cover = [lathe([(0.043, 0.1372), (0.041, 0.140), (0.0, 0.1425)], 36, **look), underside_disc(0.043, 0.1374, **look)]
    cover.append(ball(0.013, **DARK).moved(z=0.153))
    path = [(-0.080, 0, 0.065), (-0.115, 0, 0.090), (-0.135, 0, 0.125)]
    spout = tube(path, [0.020, 0.015, 0.010], 14, **STEEL)
    bail = arc(0.075, 15, 165, 16, "xz", (0, 0, 0.128))
    grip = tube(bail, 0.009, 10, **DARK)
    more = (*tube_solids(path, [0.020, 0.015, 0.010]), *tube_solids(bail[::3], 0.009))
    return vessel_model(body, spout, grip, solids=more, mobiles=(hinged_lid(cover, 0.043, 0.1374, 0.144, 75.0),))


@maker
def electric_kettle() -> Model:
    base = lathe([(0, 0), (0.085, 0), (0.085, 0.018), (0.07, 0.024), (0, 0.024)], 36, **DARK)
    body = lathe([(0.074, 0.026), (0.076, 0.03), (0.060, 0.205), (0.058, 0.21), (0.03, 0.225), (0, 0.226)], 40, **STEEL | {"tint": True})
    lid = lathe([(0.057, 0.209), (0.05, 0.222), (0, 0.232)], 32, **DARK)
    spout = ellipsoid(0.05, 0.03, 0.03, **STEEL).turned("y", 30).moved(x=-0.066, z=0.195)
    grip = tube([(0.062, 0, 0.205), (0.105, 0, 0.200), (0.112, 0, 0.15), (0.105, 0, 0.07), (0.078, 0, 0.055)], 0.011, 12, **DARK)
    gauge = box(0.012, 0.004, 0.09, rgb=(0.55, 0.75, 0.9), alpha=0.9).moved(y=-0.0685, z=0.07)
    return model(base, body, lid, spout, grip, gauge, collider="cylinder")


@maker
def pot(kind: str = "stock") -> Model:
    """Cooking pots with two handles, and a lid that lifts at the back."""
    r, h = {"stock": (0.12, 0.19), "sauce": (0.10, 0.10), "dutch": (0.13, 0.12)}[kind]
    look: dict[str, Any] = STEEL | {"tint": True} if kind != "dutch" else glaze("red")
    body = turned([(r * 0.95, 0), (r, 0.008), (r, h)], 0.003, 0.005, 44, door="lid", **look)
    cover = [
        lathe([(r * 1.02, h + 0.0004), (r, h + 0.008), (r * 0.5, h + 0.028), (0, h + 0.032)], 44, **look),
        underside_disc(r * 1.02, h + 0.0004, **look),
        lathe([(0.008, h + 0.03), (0.008, h + 0.042), (0.02, h + 0.048), (0.018, h + 0.056), (0, h + 0.058)], 20, **DARK),
    ]
    path = [(r - 0.002, -0.04, h * 0.78), (r + 0.035, -0.035, h * 0.80), (r + 0.035, 0.035, h * 0.80), (r - 0.002, 0.04, h * 0.78)]
    grips = [tube(path, 0.007, 10, **DARK).turned("z", a) for a in (0, 180)]
    loops = tube_solids(path, 0.007) + tube_solids(np.array(path) * [-1, -1, 1], 0.007)
    return vessel_model(body, grips, solids=loops, mobiles=(hinged_lid(cover, r * 1.02, h, h + 0.03, 82.0),))


@maker
def saucepan(wide: float = 0.18, high: float = 0.10) -> Model:
    """An open pan with one long handle."""
    r = wide / 2
    look: dict[str, Any] = STEEL | {"tint": True}
    body = turned([(r * 0.94, 0), (r, 0.008), (r, high)], 0.0025, 0.004, 44, **look)
    path = [(r - 0.004, 0, high * 0.86), (r + 0.04, 0, high * 0.92), (r + 0.17, 0, high)]
    grip = tube(path, [0.007, 0.009, 0.011], 12, **DARK)
    return vessel_model(body, ring(r, 0.002, 44, 8, **look).moved(z=high), grip, solids=tube_solids(path, [0.007, 0.009, 0.011]))


@maker
def measuring_jug(high: float = 0.105, wide: float = 0.105) -> Model:
    """A glass measuring jug with red marks, a handle and a lip."""
    r = wide / 2
    body = turned([(r * 0.86, 0), (r * 0.90, 0.004), (r, high - 0.004), (r * 1.03, high)], 0.0035, 0.006, 40, **CLEAR)
    lip = ellipsoid(0.030, 0.024, 0.012, **CLEAR).moved(x=-r * 1.02, z=high - 0.004)
    marks = []
    for k in range(6):
        z = high * (0.18 + 0.12 * k)
        outer = r * float(np.interp(z / high, [0.04, 1.0], [0.90, 1.0])) + 0.0007
        reach = 46.0 if k % 2 else 26.0
        marks.append(
            lathe([(outer, z - 0.001), (outer, z + 0.001)], 8, reach, rgb=(0.80, 0.12, 0.10), specular=0.0).turned("z", -90 - reach / 2)
        )
    loop = handle(r, high * 0.52, 0.042, high * 0.66, 0.006, **CLEAR | {"alpha": 0.45})
    return vessel_model(body, lip, marks, loop, solids=loop_solids(r - 0.002, high * 0.52, 0.042, high * 0.66, 0.006))


@maker
def pan(kind: str = "frying") -> Model:
    profile: Profile = (
        [(0.10, 0), (0.115, 0.006), (0.135, 0.045), (0.137, 0.047)]
        if kind == "frying"
        else smooth_profile([(0.05, 0), (0.09, 0.015), (0.14, 0.06), (0.165, 0.105)], 5)
    )
    z = profile[-1][1]
    body = turned(profile, 0.003, 0.004, 44, holds_liquid=False, **DARK | {"tint": True})
    r = profile[-1][0]
    path = [(r - 0.002, 0, z - 0.008), (r + 0.04, 0, z + 0.004), (r + 0.20, 0, z + 0.022)]
    grip = tube(path, [0.008, 0.010, 0.012], 12, rgb=(0.22, 0.13, 0.08))
    return vessel_model(body, grip, solids=tube_solids(path, [0.008, 0.010, 0.012]))


@maker
def tray(kind: str = "serving") -> Model:
    """Flat rectangular trays with a rim."""
    x, y, h, look = {
        "serving": (0.42, 0.30, 0.035, {"rgb": (0.45, 0.28, 0.15), "specular": 0.3, "tint": True}),
        "baking": (0.40, 0.30, 0.02, {"rgb": (0.33, 0.34, 0.36), "specular": 0.6}),
        "roasting": (0.38, 0.28, 0.07, STEEL),
        "cafeteria": (0.42, 0.30, 0.02, {"rgb": (0.75, 0.30, 0.12), "specular": 0.3, "tint": True}),
    }[kind]
    t = 0.006
    parts = [box(x, y, t, **look)]
    parts += [box(x, t, h, **look).moved(y=s * (y / 2 - t / 2)) for s in (-1, 1)]
    parts += [box(t, y, h, **look).moved(x=s * (x / 2 - t / 2)) for s in (-1, 1)]
    if kind in ("serving", "roasting"):
        parts += [
            tube(
                [(x / 2, -0.05, h), (x / 2 + 0.025, -0.045, h + 0.025), (x / 2 + 0.025, 0.045, h + 0.025), (x / 2, 0.05, h)],
                0.006,
                8,
                **look,
            ).turned("z", a)
            for a in (0, 180)
        ]
    return model(parts, hollow=True, collider="box", solids=box_walls(x, y, h, t), cavity=box_inside(x, y, h, t))


@maker
def colander() -> Model:
    image = np.full((128, 256, 3), 190, np.uint8)
    yy, xx = np.mgrid[0:128, 0:256]
    holes = ((xx % 16 - 8) ** 2 + (yy % 16 - 8) ** 2 < 16) & (yy > 16)
    image[holes] = 40
    profile = smooth_profile([(0.05, 0.012), (0.09, 0.03), (0.12, 0.08), (0.127, 0.115)], 5)
    bowl_part = turned(profile, 0.002, 0.002, 44, holds_liquid=False, rgb=(1, 1, 1), texture=kept_image(image), specular=0.6)
    foot = lathe([(0.05, 0), (0.052, 0.02), (0.048, 0.02), (0.046, 0)], 36, **STEEL)
    rim = ring(0.128, 0.004, 44, 8, **STEEL).moved(z=0.115)
    ears = [
        tube([(0.126, -0.035, 0.112), (0.158, -0.03, 0.114), (0.158, 0.03, 0.114), (0.126, 0.035, 0.112)], 0.005, 8, **STEEL).turned("z", a)
        for a in (0, 180)
    ]
    under = Solid(np.concatenate([circle(0.050, 0.0), circle(0.052, 0.018)]))
    return vessel_model(bowl_part, foot, rim, ears, solids=(under,))


@maker
def funnel() -> Model:
    outline = [(0.006, 0), (0.009, 0.06), (0.055, 0.115), (0.057, 0.125)]
    cone = vessel(outline, 0.002, 0.0, 36, rgb=(0.85, 0.30, 0.15), specular=0.4, tint=True)
    return model(cone, hollow=True, collider="cylinder", solids=tuple(wall_solids(inner_profile(outline, 0.002, 0.0), 0.004)))
