"""Open baskets, bins, buckets and boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Cavity,
    Mobile,
    Model,
    Part,
    Solid,
    arc,
    box,
    ellipsoid,
    extrude,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, maker
from sim_bridge.backends.mujoco.models.pieces_of_things import box_inside, box_walls, catmull
from sim_bridge.backends.mujoco.models.turned import tube_solids, turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import glaze


def slab(corners: Any, **looks: Any) -> tuple[Part, Solid]:
    """A wall between eight corners, in the order of (x, y, z) signs (−−−, −−+, −+−, −++, +−−, …): what is seen and what collides."""
    c = np.asarray(corners, float)
    unit = box(1, 1, 1, **looks)

    def bent(v: Any) -> Any:
        s = np.stack([v[:, 0] + 0.5, v[:, 1] + 0.5, v[:, 2]], 1)
        weight = [np.prod([s[:, k] if (i >> (2 - k)) & 1 else 1 - s[:, k] for k in range(3)], axis=0) for i in range(8)]
        return sum(w[:, None] * q for w, q in zip(weight, c, strict=True))

    return unit.mapped(bent), Solid(c)


def open_box(
    bottom: tuple[float, float], top: tuple[float, float], high: float, wall: float, **looks: Any
) -> tuple[list[Part], tuple[Solid, ...], Cavity]:
    """Four slanting walls and a floor: parts, contact pieces and the space inside (a box as wide as the floor)."""
    parts, solids = [], []

    def rim(size: tuple[float, float], inset: float) -> list[tuple[float, float]]:
        x, y = size[0] / 2 - inset, size[1] / 2 - inset
        return [(-x, -y), (x, -y), (x, y), (-x, y)]

    for k in range(4):
        ends = (k, (k + 1) % 4)
        outer = [[(*rim(size, 0.0)[e], z) for size, z in ((bottom, 0.0), (top, high))] for e in ends]
        inner = [[(*rim(size, wall)[e], z) for size, z in ((bottom, 0.0), (top, high))] for e in ends]
        part, solid = slab([*outer[0], *inner[0], *outer[1], *inner[1]], **looks)
        parts.append(part)
        solids.append(solid)
    part, solid = slab(
        [(x, y, z) for x in (-bottom[0] / 2, bottom[0] / 2) for y in (-bottom[1] / 2, bottom[1] / 2) for z in (0.0, wall)], **looks
    )
    half = (bottom[0] / 2 - wall, bottom[1] / 2 - wall, (high - wall) / 2)
    cavity = Cavity(half=half, offset=np.array([0.0, 0.0, (high + wall) / 2]))
    return [*parts, part], (*solids, solid), cavity


@maker
def recycling_bin(colour: tuple[float, float, float] = (0.10, 0.28, 0.62)) -> Model:
    """An open plastic bin with three chasing arrows on its front and back."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.35, "tint": True}
    walls, solids, cavity = open_box((0.34, 0.26), (0.42, 0.32), 0.34, 0.006, **look)
    lip = [box(0.44, 0.02, 0.022, **look).moved(y=s * 0.162, z=0.322) for s in (-1, 1)] + [
        box(0.02, 0.34, 0.022, **look).moved(x=s * 0.212, z=0.322) for s in (-1, 1)
    ]
    lean = math.degrees(math.atan2(0.03, 0.34))
    white: dict[str, Any] = {"rgb": (0.96, 0.96, 0.95), "specular": 0.1}
    arrows: list[Part] = []
    for k in range(3):
        bar = extrude(
            [(-0.028, 0.050), (0.018, 0.050), (0.018, 0.064), (0.044, 0.041), (0.018, 0.018), (0.018, 0.032), (-0.018, 0.032)],
            0.0015,
            **white,
        )
        arrows.append(bar.turned("z", 120.0 * k))
    sign = [p.turned("x", 90 + lean).moved(y=-0.1452, z=0.17) for p in arrows]
    return model(walls, lip, sign, [p.turned("z", 180) for p in sign], hollow=True, solids=(*solids, *pieces(*lip)), cavity=cavity)


@maker
def laundry_basket(colour: tuple[float, float, float] = (0.94, 0.94, 0.92)) -> Model:
    """A plastic basket of slats with two handles."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.3, "tint": True}
    bottom, top, high, wall = (0.44, 0.30), (0.56, 0.40), 0.27, 0.006
    _, solids, cavity = open_box(bottom, top, high, wall, **look)
    parts: list[Any] = [box(*bottom, wall, **look)]
    for z, t in ((0.0, 0.045), (high - 0.05, 0.05)):
        lower = tuple(b + (u - b) * z / high for b, u in zip(bottom, top, strict=True))
        upper = tuple(b + (u - b) * (z + t) / high for b, u in zip(bottom, top, strict=True))
        band, _, _ = open_box((lower[0], lower[1]), (upper[0], upper[1]), t, wall, **look)
        parts += [p.moved(z=z) for p in band[:4]]
    for share in np.linspace(-0.44, 0.44, 12):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (share * bb[0] + dx, s * (bb[1] / 2 - inset), z)
                        for dx in (-0.011, 0.011)
                        for inset in (0.0, wall)
                        for bb, z in ((bottom, 0.02), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    for share in np.linspace(-0.42, 0.42, 8):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (s * (bb[0] / 2 - inset), share * bb[1] + dy, z)
                        for inset in (0.0, wall)
                        for dy in (-0.011, 0.011)
                        for bb, z in ((bottom, 0.02), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    grey: dict[str, Any] = {"rgb": (0.36, 0.52, 0.66), "specular": 0.3}
    rim = [box(0.58, 0.024, 0.022, **grey).moved(y=s * 0.200, z=high - 0.012) for s in (-1, 1)] + [
        box(0.024, 0.42, 0.022, **grey).moved(x=s * 0.280, z=high - 0.012) for s in (-1, 1)
    ]
    grips = [
        tube(
            catmull(
                [(s * 0.285, -0.07, high), (s * 0.315, -0.05, high + 0.005), (s * 0.315, 0.05, high + 0.005), (s * 0.285, 0.07, high)], 4
            ),
            0.011,
            10,
            **grey,
        )
        for s in (-1, 1)
    ]
    return model(parts, rim, grips, hollow=True, solids=(*solids, *pieces(*rim, *grips)), cavity=cavity)


@maker
def shopping_basket(colour: tuple[float, float, float] = (0.78, 0.12, 0.12)) -> Model:
    """The plastic basket of a shop, its two wire handles raised."""
    look: dict[str, Any] = {"rgb": colour, "specular": 0.35, "tint": True}
    bottom, top, high, wall = (0.36, 0.23), (0.43, 0.29), 0.22, 0.005
    _, solids, cavity = open_box(bottom, top, high, wall, **look)
    parts: list[Any] = [box(*bottom, wall, **look)]
    for z, t in ((0.0, 0.03), (0.085, 0.02), (0.15, 0.07)):
        lower = tuple(b + (u - b) * z / high for b, u in zip(bottom, top, strict=True))
        upper = tuple(b + (u - b) * (z + t) / high for b, u in zip(bottom, top, strict=True))
        band, _, _ = open_box((lower[0], lower[1]), (upper[0], upper[1]), t, wall, **look)
        parts += [p.moved(z=z) for p in band[:4]]
    for share in np.linspace(-0.46, 0.46, 15):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (share * bb[0] + dx, s * (bb[1] / 2 - inset), z)
                        for dx in (-0.005, 0.005)
                        for inset in (0.0, wall)
                        for bb, z in ((bottom, 0.01), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    for share in np.linspace(-0.44, 0.44, 10):
        for s in (-1, 1):
            parts.append(
                slab(
                    [
                        (s * (bb[0] / 2 - inset), share * bb[1] + dy, z)
                        for inset in (0.0, wall)
                        for dy in (-0.005, 0.005)
                        for bb, z in ((bottom, 0.01), (top, high - 0.02))
                    ],
                    **look,
                )[0]
            )
    wire: list[Part] = []
    bars: list[Solid] = []
    for s in (-1, 1):
        path = [
            (s * 0.14, -0.135, high - 0.03),
            (s * 0.035, -0.12, high + 0.12),
            (s * 0.03, 0.12, high + 0.12),
            (s * 0.14, 0.135, high - 0.03),
        ]
        wire.append(tube(catmull(path[:2], 2), 0.0035, 8, **STEEL))
        wire.append(tube(path[2:], 0.0035, 8, **STEEL))
        wire.append(tube(path[1:3], 0.0035, 8, **STEEL))
        wire.append(tube([(s * 0.033, -0.05, high + 0.12), (s * 0.032, 0.05, high + 0.12)], 0.011, 10, **DARK))
        bars += tube_solids(path, 0.0035)
    return model(parts, wire, hollow=True, solids=(*solids, *bars), cavity=cavity)


@maker
def bucket(colour: str = "grey", metal: bool = True) -> Model:
    """A tin bucket with beads around it; its bail, of dark wire with a wooden grip, hangs down in front, within the bucket's own box.

    From a standing person's height a thin bail of the bucket's colour is not seen, and a bucket without one is a waste-paper bin.
    """
    look: dict[str, Any] = STEEL | {"tint": True} if metal else glaze(colour)
    body = turned([(0.095, 0), (0.130, 0.24), (0.134, 0.245)], 0.003, 0.004, 40, **look)
    rim = ring(0.132, 0.005, 40, 8, **look).moved(z=0.243)
    beads = [ring(0.0945 + 0.146 * z, 0.0032, 40, 6, **look).moved(z=z) for z in (0.035, 0.15)]
    foot = ring(0.0945, 0.004, 40, 6, **DARK).moved(z=0.004)
    turn = math.pi * np.linspace(0, 1, 33)
    hang = np.stack([0.1387254 * np.cos(turn), -0.1264 * np.sin(turn) ** 0.7, 0.222 - 0.085 * np.sin(turn)], 1)
    bail = tube(hang, 0.0055, 10, **DARK)
    grip = tube(hang[11:22], 0.0105, 12, rgb=(0.62, 0.40, 0.20), specular=0.2)
    ears = [
        part
        for s in (-1, 1)
        for part in (
            box(0.006, 0.042, 0.05, **DARK).turned("y", s * 8.3).moved(x=s * 0.1285, z=0.175),
            ellipsoid(0.018, 0.022, 0.022, **DARK).moved(x=s * 0.134, z=0.222),
        )
    ]
    return vessel_model(body, rim, beads, foot, bail, grip, ears)


@maker
def ice_bucket() -> Model:
    body = turned(smooth_profile([(0.065, 0), (0.075, 0.01), (0.09, 0.10), (0.10, 0.19)], 4), 0.003, 0.004, 40, holds_liquid=False, **STEEL)
    rim = ring(0.1, 0.005, 40, 8, **STEEL).moved(z=0.19)
    ears = [tube(arc(0.022, -90, 90, 10, "xz", (0.093, 0, 0.15)), 0.005, 8, **STEEL).turned("z", a) for a in (0, 180)]
    cubes = [
        box(0.03, 0.03, 0.03, rgb=(0.85, 0.94, 1.0), alpha=0.55, specular=0.9)
        .turned("z", 40 * k)
        .moved(0.04 * math.cos(k * 1.3), 0.04 * math.sin(k * 1.3), 0.155)
        for k in range(5)
    ]
    return vessel_model(body, rim, ears, cubes)


@maker
def tupperware(colour: str = "blue") -> Model:
    t, x, y, z = 0.003, 0.20, 0.14, 0.08
    look: dict[str, Any] = CLEAR | {"alpha": 0.38}
    walls = (
        [box(x, t, z, **look).moved(y=s * (y / 2 - t / 2)) for s in (-1, 1)]
        + [box(t, y, z, **look).moved(x=s * (x / 2 - t / 2)) for s in (-1, 1)]
        + [box(x, y, t, **look)]
    )
    cover = [
        rounded_box(x + 0.012, y + 0.012, 0.014, 8, **glaze(colour)).moved(z=z - 0.004),
        box(x * 0.8, y * 0.75, 0.003, **glaze(colour)).moved(z=z + 0.009),
    ]
    top = Solid.box([x / 2 + 0.006, y / 2 + 0.006, 0.006], [0, 0, z + 0.005])
    lid = Mobile("lid", model(*cover).parts, "hinge", np.array([-1.0, 0, 0]), np.array([0, y / 2, z]), math.radians(105), (top,))
    inside = box_inside(x, y, z, t, door="lid")
    return model(walls, hollow=True, collider="box", solids=box_walls(x, y, z, t), cavity=inside, mobiles=(lid,))
