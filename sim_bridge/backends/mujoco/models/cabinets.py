"""Furniture and machines that open: cupboards, chests of drawers, safes, microwave, oven, dishwasher, fridge.

The front faces −y. Doors lie on the front of the carcass all around; of a pair, one carries a strip behind the gap. Where a thing has
several drawers or doors on top of one another, the top drawer or the largest door is the one that opens; the others are fronts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Mobile, Model, Part, Shape, Solid, ball, box, lathe, model, ring, tube
from sim_bridge.backends.mujoco.models.house import OAK, WALNUT, wooden
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.openable import BRASS, Extent, Looks, _flat, _sign, block, disc, lining, slab, space

DOOR_DEG = 108.0
"""How far doors open."""
FRONT: tuple[float, float, float] = (0.0, -1.0, 0.0)


def front_open(x: float, y0: float, y1: float, z0: float, z1: float, wall: float, back: float) -> tuple[list[Extent], Extent]:
    """Panels of a carcass that is open at its front y0, and the space inside."""
    a = x / 2
    panels: list[Extent] = [
        ((-a, y0, z0), (-a + wall, y1, z1)),
        ((a - wall, y0, z0), (a, y1, z1)),
        ((-a + wall, y0, z0), (a - wall, y1, z0 + wall)),
        ((-a + wall, y0, z1 - wall), (a - wall, y1, z1)),
        ((-a + wall, y1 - back, z0 + wall), (a - wall, y1, z1 - wall)),
    ]
    return panels, ((-a + wall, y0, z0 + wall), (a - wall, y1 - back, z1 - wall))


def door(
    parts: Iterable[Shape],
    side: str,
    x: float,
    y: float,
    z: float,
    solids: Iterable[Solid],
    degrees: float = DOOR_DEG,
    name: str = "door",
) -> Mobile:
    """A door whose hinge is at (x, y, z): ``left`` and ``right`` hinges are upright, ``bottom`` ones let the door fall forward."""
    axis = {"left": (0.0, 0.0, -1.0), "right": (0.0, 0.0, 1.0), "bottom": (1.0, 0.0, 0.0)}[side]
    return Mobile(name, _flat(parts), "hinge", np.array(axis), np.array([x, y, z]), math.radians(degrees), tuple(solids))


def _bar(x: float, y: float, z: float, length: float, upright: bool, radius: float = 0.008, **looks: Any) -> Part:
    """A handle standing off a front by 3 cm; (x, y, z) is its middle on the front."""
    h, off = length / 2, 0.030
    if upright:
        path = [(x, y, z - h), (x, y - off, z - h + 0.012), (x, y - off, z + h - 0.012), (x, y, z + h)]
    else:
        path = [(x - h, y, z), (x - h + 0.012, y - off, z), (x + h - 0.012, y - off, z), (x + h, y, z)]
    return tube(path, radius, 10, **looks)


def _framed(
    low: tuple[float, float, float], high: tuple[float, float, float], rim: float, frame: Looks, pane: Looks, inset: float = 0.004
) -> list[Shape]:
    """A door leaf in the xz plane: a frame around a pane."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    frames: list[Extent] = [
        ((x0, y0, z0), (x0 + rim, y1, z1)),
        ((x1 - rim, y0, z0), (x1, y1, z1)),
        ((x0 + rim, y0, z0), (x1 - rim, y1, z0 + rim)),
        ((x0 + rim, y0, z1 - rim), (x1 - rim, y1, z1)),
    ]
    glass: Extent = ((x0 + rim, y0 + inset, z0 + rim), (x1 - rim, y1, z1 - rim))
    return [[slab(f, divide=2, **frame) for f in frames], slab(glass, divide=2, **pane)]


@maker
def cupboard(kind: str = "cabinet", clear: bool = False) -> Model:
    """Carcasses with one or two doors: cabinet, wardrobe, wall, locker, display (``clear``: glass doors)."""
    x, y, z, foot = {
        "cabinet": (0.90, 0.44, 0.86, 0.06),
        "wardrobe": (1.10, 0.60, 1.95, 0.06),
        "wall": (0.60, 0.34, 0.62, 0.0),
        "locker": (0.36, 0.46, 1.60, 0.05),
        "display": (0.86, 0.40, 1.60, 0.08),
    }[kind]
    metal = kind == "locker"
    look: Looks = {"rgb": (0.42, 0.52, 0.60), "specular": 0.5, "tint": True} if metal else wooden(WALNUT if kind == "display" else OAK, 7)
    if not metal:
        look = look | {"tint": True}
    inner: Looks = {"rgb": (0.60, 0.64, 0.68), "specular": 0.2} if metal else {"rgb": (0.80, 0.66, 0.47), "specular": 0.05}
    wall, leaf = (0.012, 0.016) if metal else (0.020, 0.020)
    crown = 0.0 if metal or kind == "wall" else 0.024
    y0, y1, top = -y / 2 + leaf, y / 2, z - crown
    panels, inside = front_open(x, y0, y1, foot, top, wall, 0.010)
    parts: list[Shape] = [[slab(p, divide=3, **look) for p in panels], lining(*inside, "front", **inner)]
    solids = [block(p) for p in panels]
    if foot:
        parts.append(slab(((-x / 2 + 0.03, y0 + 0.03, 0.0), (x / 2 - 0.03, y1 - 0.01, foot)), **DARK))
        solids.append(block(((-x / 2 + 0.03, y0 + 0.03, 0.0), (x / 2 - 0.03, y1 - 0.01, foot))))
    if crown:
        slab_top: Extent = ((-x / 2 - 0.012, -y / 2 - 0.006, top), (x / 2 + 0.012, y1, z))
        parts.append(slab(slab_top, divide=3, **wooden(WALNUT, 8)))
        solids.append(block(slab_top))
    shelves: list[tuple[float, float]] = []
    for height in {"cabinet": (0.52,), "wardrobe": (0.84,), "wall": (0.5,), "locker": (0.82,), "display": (0.34, 0.66)}[kind]:
        level = inside[0][2] + height * (inside[1][2] - inside[0][2])
        board: Extent = ((inside[0][0], inside[0][1] + 0.02, level), (inside[1][0], inside[1][1], level + 0.016))
        parts.append(slab(board, divide=2, **(inner if metal else look)))
        solids.append(block(board))
        shelves.append((level, level + 0.016))
    if kind == "wardrobe":
        rail = inside[0][2] + 0.84 * (inside[1][2] - inside[0][2]) - 0.07
        parts.append(tube([(inside[0][0], 0.02, rail), (inside[1][0], 0.02, rail)], 0.012, 10, **STEEL))
        solids.append(block(((inside[0][0], 0.02 - 0.011, rail - 0.011), (inside[1][0], 0.02 + 0.011, rail + 0.011))))
    cavity = space(inside, "door" if x < 0.7 else "door_left", FRONT, shelves=_local(inside, shelves))
    pane: Looks = CLEAR if clear or kind == "display" else look
    gap = 0.001
    low, high = foot + 0.002, top - 0.002
    knob: Looks = BRASS if kind in ("wardrobe", "display") else STEEL
    if x < 0.7:
        leaves = _framed((-x / 2 + gap, -y / 2, low), (x / 2 - gap, y0, high), 0.055, look, pane)
        if metal:
            leaves.append([box(0.16, 0.003, 0.008, **DARK).moved(0, -y / 2 - 0.0005 + 0.004, high - 0.12 - 0.03 * k) for k in range(5)])
            leaves.append(_sign("24", 0.05, 0.035, -y / 2 + 0.003, high - 0.33, (0.95, 0.95, 0.95), (0.1, 0.1, 0.1)))
        leaves.append(_bar(x / 2 - 0.045, -y / 2, (low + high) / 2, 0.16, True, **knob))
        mobiles = (door(leaves, "left", -x / 2, -y / 2, 0.0, [block(((-x / 2 + gap, -y / 2, low), (x / 2 - gap, y0, high)))]),)
        return model(parts, hollow=True, collider="box", solids=tuple(solids), cavity=cavity, mobiles=mobiles)
    pair = []
    for s, side in ((-1, "left"), (1, "right")):
        a, b = (-x / 2 + gap, -gap) if s < 0 else (gap, x / 2 - gap)
        leaves = _framed((a, -y / 2, low), (b, y0, high), 0.06, look, pane)
        grip = s * 0.035
        if kind == "wardrobe":
            leaves.append(_bar(grip, -y / 2, 0.52 * (low + high), 0.22, True, **knob))
        else:
            leaves.append(
                [
                    ball(0.016, 10, 16, **knob).moved(grip, -y / 2 - 0.022, 0.62 * (low + high)),
                    tube([(grip, -y / 2, 0.62 * (low + high)), (grip, -y / 2 - 0.02, 0.62 * (low + high))], 0.006, 8, **knob),
                ]
            )
        if s > 0:
            leaves.append(slab(((-0.012, y0, low), (0.0, y0 + 0.002, high)), **look))
            leaves.append(slab(((0.0, y0, low), (0.014, y0 + 0.002, high)), **look))
        pair.append(door(leaves, side, s * x / 2, -y / 2, 0.0, [block(((a, -y / 2, low), (b, y0, high)))], name=f"door_{side}"))
    return model(parts, hollow=True, collider="box", solids=tuple(solids), cavity=cavity, mobiles=tuple(pair))


def _local(inside: Extent, shelves: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Heights of shelves from the middle of the cavity."""
    middle = (inside[0][2] + inside[1][2]) / 2
    return tuple((a - middle, b - middle) for a, b in shelves)


@maker
def drawers(kind: str = "dresser") -> Model:
    """Drawers above one another: dresser, nightstand, filing. The top one opens and is the inside; the others are fronts."""
    x, y, z, rows, foot = {
        "dresser": (0.80, 0.46, 0.82, 3, 0.06),
        "nightstand": (0.46, 0.42, 0.54, 2, 0.08),
        "filing": (0.42, 0.56, 1.02, 3, 0.03),
    }[kind]
    metal = kind == "filing"
    look: Looks = {"rgb": (0.62, 0.64, 0.62), "specular": 0.5, "tint": True} if metal else wooden(OAK, 9) | {"tint": True}
    inner: Looks = {"rgb": (0.52, 0.54, 0.54), "specular": 0.2} if metal else {"rgb": (0.82, 0.69, 0.50), "specular": 0.05}
    wall, leaf, crown = 0.018, 0.018, 0.022
    y0, y1, top = -y / 2 + leaf, y / 2, z - crown
    high = (top - foot) / rows
    level = top - high
    a = x / 2
    panels: list[Extent] = [
        ((-a, y0, foot), (-a + wall, y1, top)),
        ((a - wall, y0, foot), (a, y1, top)),
        ((-a + wall, y1 - 0.010, foot), (a - wall, y1, top)),
        ((-a + wall, y0, level - wall / 2), (a - wall, y1 - 0.010, level + wall / 2)),
        ((-a + wall, y0, foot), (a - wall, y1 - 0.010, foot + wall)),
        ((-a - 0.010, -y / 2 - 0.006, top), (a + 0.010, y1, z)),
        ((-a + 0.02, y0 + 0.02, 0.0), (a - 0.02, y1 - 0.01, foot)),
    ]
    parts: list[Shape] = [
        [slab(p, divide=3, **look) for p in panels[:5]],
        slab(panels[5], divide=3, **(look if metal else wooden(WALNUT, 8))),
    ]
    parts.append(slab(panels[6], **DARK))

    def front(z0: float, z1: float) -> list[Shape]:
        panel: Extent = ((-a + 0.002, -y / 2, z0 + 0.002), (a - 0.002, y0, z1 - 0.002))
        middle = (z0 + z1) / 2
        raised: Extent = ((-a + 0.03, -y / 2 - 0.003, z0 + 0.03), (a - 0.03, -y / 2, z1 - 0.03))
        shown: list[Shape] = [slab(panel, divide=2, **look), slab(raised, divide=2, **look)]
        if metal:
            shown.append(_bar(0, -y / 2 - 0.003, middle - 0.02, 0.12, False, 0.007, **STEEL))
            shown.append(
                _sign("A–F" if z1 > top - 0.01 else "G–Z", 0.08, 0.035, -y / 2 - 0.004, middle + 0.03, (0.95, 0.94, 0.88), (0.1, 0.1, 0.1))
            )
        else:
            xs = (-0.28 * x, 0.28 * x) if x > 0.6 else (0.0,)
            shown.append(
                [
                    [
                        ball(0.015, 10, 16, **BRASS).moved(c, -y / 2 - 0.022, middle),
                        tube([(c, -y / 2, middle), (c, -y / 2 - 0.02, middle)], 0.006, 8, **BRASS),
                    ]
                    for c in xs
                ]
            )
        return shown

    lower = []
    for k in range(rows - 1):
        parts.append(front(foot + k * high, foot + (k + 1) * high))
        lower.append(block(((-a + 0.002, -y / 2, foot + k * high), (a - 0.002, y0, foot + (k + 1) * high))))
    # The drawer: front, and a tray behind it with 4 mm of play on either side.
    side, z0, z1 = 0.010, level + wall / 2 + 0.003, top - 0.045
    bx, by0, by1 = a - wall - 0.004, y0, y1 - 0.020
    box_panels: list[Extent] = [
        ((-bx, by0, z0), (bx, by1, z0 + side)),
        ((-bx, by0, z0 + side), (-bx + side, by1, z1)),
        ((bx - side, by0, z0 + side), (bx, by1, z1)),
        ((-bx + side, by1 - side, z0 + side), (bx - side, by1, z1)),
    ]
    inside: Extent = ((-bx + side, by0, z0 + side), (bx - side, by1 - side, z1))
    drawer = Mobile(
        "drawer",
        _flat([front(level, top), [slab(p, divide=2, **inner) for p in box_panels]]),
        "slide",
        np.array([0.0, -1.0, 0.0]),
        np.zeros(3),
        0.82 * (by1 - by0),
        (block(((-a + 0.002, -y / 2, level + 0.002), (a - 0.002, y0, top - 0.002))), *(block(p) for p in box_panels)),
        carries=True,
    )
    cavity = space(inside, "drawer")
    solids = tuple(block(p) for p in panels)
    return model(parts, hollow=True, collider="box", solids=(*solids, *lower), cavity=cavity, mobiles=(drawer,))


@maker
def strongbox() -> Model:
    """A safe with a thick door, a dial and a wheel."""
    x, y, z, leaf = 0.42, 0.40, 0.44, 0.045
    steel: Looks = {"rgb": (0.30, 0.33, 0.35), "specular": 0.5, "shininess": 0.5, "tint": True}
    inner: Looks = {"rgb": (0.50, 0.52, 0.50), "specular": 0.1}
    y0 = -y / 2 + leaf
    panels, inside = front_open(x, y0, y / 2, 0.02, z, 0.035, 0.035)
    feet: list[Extent] = [
        ((sx * 0.15 - 0.03, sy * 0.13 - 0.03, 0.0), (sx * 0.15 + 0.03, sy * 0.13 + 0.03, 0.02)) for sx in (-1, 1) for sy in (-1, 1)
    ]
    leaf_box: Extent = ((-x / 2 + 0.002, -y / 2, 0.024), (x / 2 - 0.002, y0, z - 0.004))
    plug: Extent = ((inside[0][0] + 0.004, y0, inside[0][2] + 0.004), (inside[1][0] - 0.004, y0 + 0.012, inside[1][2] - 0.004))
    dial: list[Shape] = [
        lathe([(0.045, 0), (0.045, 0.012), (0.030, 0.016), (0.028, 0.030), (0, 0.032)], 30, **STEEL)
        .turned("x", 90)
        .moved(-0.06, -y / 2, 0.27),
        [box(0.003, 0.002, 0.010, **DARK).moved(0, 0, 0.033).turned("y", 30.0 * k).moved(-0.06, -y / 2 - 0.013, 0.27) for k in range(12)],
    ]
    wheel = [
        ring(0.050, 0.006, 28, 8, **BRASS).turned("x", 90).moved(0.08, -y / 2 - 0.035, 0.27),
        tube([(0.08, -y / 2, 0.27), (0.08, -y / 2 - 0.04, 0.27)], 0.010, 10, **BRASS),
    ]
    spokes = [
        tube([(0, 0, -0.05), (0, 0, 0.05)], 0.004, 6, **BRASS).turned("y", 60.0 * k).moved(0.08, -y / 2 - 0.035, 0.27) for k in range(3)
    ]
    return model(
        [slab(p, divide=2, **steel) for p in panels],
        lining(*inside, "front", **inner),
        [slab(f, **DARK) for f in feet],
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in (*panels, *feet)),
        cavity=space(((inside[0][0], inside[0][1] + 0.012, inside[0][2]), inside[1]), "door", FRONT),
        mobiles=(
            door(
                [slab(leaf_box, divide=2, **steel), slab(plug, **inner), dial, wheel, spokes],
                "right",
                x / 2,
                -y / 2,
                0.0,
                [block(leaf_box), block(plug)],
            ),
        ),
    )


BLACK_GLASS: Looks = {"rgb": (0.05, 0.05, 0.06), "specular": 0.9, "shininess": 0.9}
SMOKED: Looks = {"rgb": (0.30, 0.34, 0.36), "alpha": 0.32, "specular": 0.9, "shininess": 0.9}


@maker
def microwave_oven(clear: bool = False) -> Model:
    """A microwave oven; its window is black, or see-through with `clear`."""
    x, z, y0, y1, leaf = 0.48, 0.28, -0.165, 0.18, 0.024
    shell: Looks = WHITE | {"tint": True}
    split = 0.125
    inside: Extent = ((-0.215, y0, 0.040), (split - 0.020, y1 - 0.035, 0.255))
    (cx0, _, cz0), (cx1, cy1, cz1) = inside
    panels: list[Extent] = [
        ((-x / 2, y0, 0.012), (cx0, y1, z)),
        ((cx1, y0, 0.012), (x / 2, y1, z)),
        ((cx0, y0, 0.012), (cx1, y1, cz0)),
        ((cx0, y0, cz1), (cx1, y1, z)),
        ((cx0, cy1, cz0), (cx1, y1, cz1)),
    ]
    lit: Looks = {"rgb": (0.95, 0.93, 0.84), "specular": 0.2, "emission": 0.22}
    middle_x, middle_y = (cx0 + cx1) / 2, (y0 + cy1) / 2
    plate_z = cz0 + 0.012
    plate = lathe(
        [(0, cz0 + 0.006), (0.128, cz0 + 0.006), (0.134, plate_z + 0.002), (0.124, plate_z), (0, plate_z)],
        40,
        rgb=(0.80, 0.88, 0.90),
        specular=0.9,
    )
    hub = lathe([(0.022, cz0), (0.022, cz0 + 0.008)], 16, rgb=(0.6, 0.6, 0.62))
    lamp = box(0.002, 0.05, 0.03, rgb=(1.0, 0.97, 0.85), emission=1.0).moved(cx1 - 0.002, middle_y, cz1 - 0.06)
    vents = [
        box(0.10, 0.0015, 0.005, rgb=(0.45, 0.45, 0.46)).turned("z", 90).moved(-x / 2 - 0.0002, 0.08, 0.06 + 0.02 * k) for k in range(5)
    ]
    clock = box(
        0.085,
        0.004,
        0.04,
        only=["front"],
        texture=tx.plate_text("12:30", (0.03, 0.10, 0.08), (0.3, 0.95, 0.6), (128, 60)),
        rgb=(1, 1, 1),
        emission=0.3,
    )
    face = slab(((split + 0.002, y0 - leaf, 0.016), (x / 2 - 0.002, y0, z - 0.004)), rgb=(0.16, 0.16, 0.17), specular=0.4)
    keys = [
        box(0.020, 0.003, 0.016, rgb=(0.78, 0.78, 0.80)).moved(0.158 + 0.026 * i, y0 - leaf - 0.001, 0.050 + 0.030 * j)
        for i in range(3)
        for j in range(4)
    ]
    feet = [lathe([(0.014, 0), (0.014, 0.012)], 12, **DARK).moved(sx * 0.2, sy * 0.13) for sx in (-1, 1) for sy in (-1, 1)]
    low, high = (-x / 2 + 0.001, y0 - leaf, 0.014), (split, y0, z - 0.002)
    pane = SMOKED if clear else BLACK_GLASS
    leaves = _framed(low, high, 0.045, shell, pane, 0.002)
    leaves.append(_bar(split - 0.020, y0 - leaf, z / 2, 0.20, True, 0.008, **STEEL))
    return model(
        [slab(p, divide=2, **shell) for p in panels],
        lining(*inside, "front", **lit),
        [
            plate.moved(middle_x, middle_y),
            hub.moved(middle_x, middle_y),
            lamp,
            vents,
            face,
            clock.moved(0.183, y0 - leaf - 0.0015, 0.205),
            keys,
            feet,
        ],
        hollow=True,
        collider="box",
        solids=(
            *(block(p) for p in panels),
            *(
                block(((sx * 0.2 - 0.012, sy * 0.13 - 0.012, 0), (sx * 0.2 + 0.012, sy * 0.13 + 0.012, 0.012)))
                for sx in (-1, 1)
                for sy in (-1, 1)
            ),
            _moved(disc(0.134, cz0, plate_z), middle_x, middle_y),
        ),
        cavity=space(((cx0, y0, plate_z), inside[1]), "door", FRONT),
        mobiles=(door(leaves, "left", -x / 2, y0 - leaf, 0.0, [block((low, high))]),),
    )


def _moved(solid: Solid, x: float, y: float, z: float = 0.0) -> Solid:
    return solid.mapped(np.eye(3), np.array([x, y, z]))


@maker
def kitchen_oven(clear: bool = False) -> Model:
    """A cooker with four plates; its oven door falls forward. The window is black, or see-through with `clear`."""
    x, z, y0, y1, leaf = 0.60, 0.86, -0.28, 0.30, 0.030
    shell: Looks = WHITE | {"tint": True}
    inside: Extent = ((-0.235, y0, 0.24), (0.235, y1 - 0.05, 0.60))
    (cx0, _, cz0), (cx1, cy1, cz1) = inside
    panels: list[Extent] = [
        ((-x / 2, y0, 0.0), (cx0, y1, z)),
        ((cx1, y0, 0.0), (x / 2, y1, z)),
        ((cx0, y0, 0.0), (cx1, y1, cz0)),
        ((cx0, y0, cz1), (cx1, y1, z)),
        ((cx0, cy1, cz0), (cx1, y1, cz1)),
    ]
    enamel: Looks = {"rgb": (0.36, 0.36, 0.40), "specular": 0.4, "emission": 0.10}
    rack_z = cz0 + 0.055
    bars = [tube([(cx0 + 0.004, v, rack_z), (cx1 - 0.004, v, rack_z)], 0.0035, 6, **STEEL) for v in np.linspace(y0 + 0.03, cy1 - 0.02, 12)]
    bars += [
        tube([(u, y0 + 0.025, rack_z - 0.004), (u, cy1 - 0.015, rack_z - 0.004)], 0.0035, 6, **STEEL) for u in (cx0 + 0.02, 0.0, cx1 - 0.02)
    ]
    lamp = ball(0.018, 8, 12, rgb=(1.0, 0.92, 0.7), emission=1.0).moved(0.12, cy1 - 0.01, cz1 - 0.05)
    hob = [slab(((-x / 2 + 0.01, y0 - 0.02, z), (x / 2 - 0.01, y1 - 0.01, z + 0.010)), **DARK)]
    rings = [
        lathe([(0.085, z + 0.010), (0.085, z + 0.020), (0.06, z + 0.022), (0, z + 0.020)], 28, rgb=(0.25, 0.25, 0.26), specular=0.4).moved(
            sx * 0.145, sy * 0.135
        )
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    panel = slab(((-x / 2, y0 - leaf, 0.69), (x / 2, y0, z)), divide=2, **shell)
    knobs = [
        lathe([(0.022, 0), (0.019, 0.025), (0, 0.026)], 18, **DARK).turned("x", 90).moved(-0.22 + 0.11 * k, y0 - leaf, 0.775)
        for k in range(5)
    ]
    marks = [box(0.003, 0.002, 0.016, **WHITE).moved(-0.22 + 0.11 * k, y0 - leaf - 0.026, 0.775) for k in range(5)]
    base = slab(((-x / 2, y0 - leaf + 0.004, 0.02), (x / 2, y0, 0.155)), divide=2, **shell)
    low, high = (-x / 2 + 0.003, y0 - leaf, 0.162), (x / 2 - 0.003, y0, 0.686)
    leaves = _framed(low, high, 0.085, shell, SMOKED if clear else BLACK_GLASS, 0.003)
    leaves.append(_bar(0, y0 - leaf, 0.650, 0.44, False, 0.010, **STEEL))
    rack: Extent = ((cx0, y0 + 0.02, rack_z - 0.004), (cx1, cy1, rack_z + 0.0035))
    return model(
        [slab(p, divide=3, **shell) for p in panels],
        lining(*inside, "front", **enamel),
        [bars, lamp, hob, rings, panel, knobs, marks, base],
        hollow=True,
        collider="box",
        solids=(*(block(p) for p in panels), block(rack), block(((-x / 2 + 0.01, y0 - 0.02, z), (x / 2 - 0.01, y1 - 0.01, z + 0.020)))),
        cavity=space(((cx0, y0 + 0.02, rack_z + 0.0035), inside[1]), "door", FRONT),
        mobiles=(door(leaves, "bottom", 0.0, y0 - leaf, 0.162, [block((low, high))], 88.0),),
    )


@maker
def dish_machine() -> Model:
    """A dishwasher; its door falls forward."""
    x, z, y0, y1, leaf = 0.60, 0.84, -0.27, 0.29, 0.030
    shell: Looks = WHITE | {"tint": True}
    panels, inside = front_open(x, y0, y1, 0.10, z, 0.030, 0.030)
    (cx0, _, cz0), (cx1, cy1, cz1) = inside
    grey: Looks = {"rgb": (0.66, 0.68, 0.70), "specular": 0.6}
    rack_z = cz0 + 0.05
    wires = [
        tube([(cx0 + 0.02, v, rack_z), (cx1 - 0.02, v, rack_z)], 0.004, 6, rgb=(0.25, 0.40, 0.62))
        for v in np.linspace(y0 + 0.04, cy1 - 0.03, 9)
    ]
    wires += [
        tube([(u, y0 + 0.04, rack_z - 0.005), (u, cy1 - 0.03, rack_z - 0.005)], 0.004, 6, rgb=(0.25, 0.40, 0.62))
        for u in np.linspace(cx0 + 0.02, cx1 - 0.02, 5)
    ]
    wires += [
        tube([(u, v, rack_z), (u, v, rack_z + 0.06)], 0.003, 6, rgb=(0.25, 0.40, 0.62))
        for u in (cx0 + 0.02, cx1 - 0.02)
        for v in np.linspace(y0 + 0.05, cy1 - 0.04, 5)
    ]
    foot: Extent = ((-x / 2 + 0.01, y0 + 0.05, 0.0), (x / 2 - 0.01, y1, 0.10))
    low, high = (-x / 2 + 0.003, y0 - leaf, 0.105), (x / 2 - 0.003, y0, z - 0.003)
    front = [slab((low, (high[0], high[1], z - 0.11)), divide=2, **STEEL), slab(((low[0], low[1], z - 0.11), high), **DARK)]
    inner = slab(((low[0] + 0.03, y0, 0.14), (high[0] - 0.03, y0 + 0.0006, z - 0.04)), **grey)
    lights = [
        box(0.02, 0.004, 0.012, rgb=(0.4, 0.9, 0.5), emission=0.7).moved(0.14 + 0.04 * k, y0 - leaf - 0.001, z - 0.065) for k in range(3)
    ]
    rack: Extent = ((cx0, y0 + 0.03, rack_z - 0.006), (cx1, cy1, rack_z + 0.004))
    return model(
        [slab(p, divide=2, **shell) for p in panels],
        lining(*inside, "front", **grey),
        wires,
        slab(foot, **DARK),
        hollow=True,
        collider="box",
        solids=(*(block(p) for p in panels), block(rack), block(foot)),
        cavity=space(((cx0 + 0.02, y0 + 0.03, rack_z + 0.004), (cx1 - 0.02, cy1 - 0.02, cz1)), "door", FRONT),
        mobiles=(
            door(
                [front, inner, lights, _bar(0, y0 - leaf, z - 0.145, 0.40, False, 0.010, **STEEL)],
                "bottom",
                0.0,
                y0 - leaf,
                0.105,
                [block((low, high))],
                88.0,
            ),
        ),
    )


@maker
def refrigerator() -> Model:
    """A fridge with a freezer above; the lower, larger door opens."""
    x, z, y0, y1, leaf, split = 0.60, 1.72, -0.27, 0.32, 0.050, 1.20
    shell: Looks = {"rgb": (0.92, 0.93, 0.93), "specular": 0.5, "shininess": 0.5, "tint": True}
    white: Looks = {"rgb": (0.96, 0.97, 0.98), "specular": 0.2, "emission": 0.16}
    panels, inside = front_open(x, y0, y1, 0.04, split, 0.040, 0.045)
    (cx0, _, cz0), (cx1, cy1, cz1) = inside
    upper: Extent = ((-x / 2, y0, split), (x / 2, y1, z))
    foot: Extent = ((-x / 2 + 0.02, y0 + 0.04, 0.0), (x / 2 - 0.02, y1 - 0.02, 0.04))
    crisper: Extent = ((cx0 + 0.01, y0 + 0.05, cz0 + 0.004), (cx1 - 0.01, cy1 - 0.01, cz0 + 0.19))
    drawer = [slab(crisper, rgb=(0.78, 0.86, 0.90), specular=0.6), box(0.16, 0.008, 0.016, **WHITE).moved(0, y0 + 0.047, cz0 + 0.15)]
    plates: list[Extent] = [((cx0, y0 + 0.05, cz0 + 0.196), (cx1, cy1, cz0 + 0.206))]
    for height in (0.47, 0.74):
        plates.append(((cx0, y0 + 0.05, cz0 + height), (cx1, cy1, cz0 + height + 0.010)))
    boards = [slab(p, rgb=(0.80, 0.88, 0.92), specular=0.8) for p in plates]
    rims = [slab(((p[0][0], p[0][1] - 0.004, p[0][2] - 0.003), (p[1][0], p[0][1], p[1][2] + 0.003)), **WHITE) for p in plates]
    lamp = box(0.10, 0.06, 0.012, rgb=(1.0, 0.98, 0.90), emission=1.0).moved(0, 0.0, cz1 - 0.0125)
    freezer = slab(((-x / 2 + 0.001, y0 - leaf, split + 0.006), (x / 2 - 0.001, y0, z - 0.002)), divide=3, **shell)
    low, high = (-x / 2 + 0.001, y0 - leaf, 0.045), (x / 2 - 0.001, y0, split)
    bins = [
        [
            slab(((cx0 + 0.03, y0, h), (cx1 - 0.03, y0 + 0.040, h + 0.006)), **WHITE),
            slab(((cx0 + 0.03, y0 + 0.036, h), (cx1 - 0.03, y0 + 0.040, h + 0.055)), rgb=(0.80, 0.88, 0.92), specular=0.6),
        ]
        for h in (0.30, 0.62, 0.92)
    ]
    bin_solids = [block(((cx0 + 0.03, y0, h), (cx1 - 0.03, y0 + 0.040, h + 0.055))) for h in (0.30, 0.62, 0.92)]
    liner = slab(((cx0 + 0.01, y0, cz0 + 0.01), (cx1 - 0.01, y0 + 0.0006, cz1 - 0.01)), **white)
    seal = slab(((low[0] + 0.01, y0, low[2] + 0.01), (high[0] - 0.01, y0 + 0.0003, high[2] - 0.01)), rgb=(0.7, 0.7, 0.7))
    grip = _bar(-x / 2 + 0.05, y0 - leaf, 0.92, 0.42, True, 0.012, **STEEL)
    other = _bar(-x / 2 + 0.05, y0 - leaf, 1.42, 0.26, True, 0.012, **STEEL)
    shelves = [(p[0][2], p[1][2]) for p in plates[1:]]
    room: Extent = ((cx0, y0 + 0.045, plates[0][1][2]), (cx1, cy1, cz1 - 0.013))
    return model(
        [slab(p, divide=3, **shell) for p in panels],
        slab(upper, divide=3, **shell),
        slab(foot, **DARK),
        lining(*inside, "front", **white),
        [drawer, boards, rims, lamp, freezer, other],
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in (*panels, upper, foot, crisper, *plates)),
        cavity=space(room, "door", FRONT, shelves=_local(room, shelves)),
        mobiles=(
            door(
                [slab((low, high), divide=3, **shell), seal, liner, bins, grip],
                "right",
                x / 2,
                y0 - leaf,
                0.0,
                [block((low, high)), *bin_solids],
            ),
        ),
    )
