"""Boxes, tins, jars, pots and bins that open: real walls, a real inside, a lid on a hinge.

Every thing is built from the same panels twice, once as seen and once as contact shape, so that the two agree. The front faces −y;
lids hang at the back. Closed lids overlap or rest on the rim all around: nothing shows through a crack.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Array,
    Cavity,
    Colour,
    Mobile,
    Model,
    Part,
    Shape,
    Solid,
    arc,
    ball,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    ring,
    rounded_box,
    tube,
)
from sim_bridge.backends.mujoco.models.house import OAK, WALNUT, wooden
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker
from sim_bridge.backends.mujoco.models.vessels import vessel

Looks = dict[str, Any]
Extent = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Low and high corner of an upright panel, metres."""

BRASS: Looks = {"rgb": (0.82, 0.64, 0.26), "specular": 0.9, "shininess": 0.8}
LID_DEG = 105.0
"""How far lids open: a little beyond upright, so that they stay."""
_AROUND = ("front", "back", "left", "right")
LINING_M = 0.0005
"""An inner skin of another colour lies this far in front of the wall."""


# --- panels -----------------------------------------------------------------------------------------------------------


def slab(extent: Extent, divide: int = 1, only: Sequence[str] | None = None, **looks: Any) -> Part:
    """A panel as seen."""
    low, high = np.array(extent[0]), np.array(extent[1])
    x, y, z = (float(v) for v in high - low)
    middle = (low + high) / 2
    return box(x, y, z, divide=divide, only=only, **looks).moved(float(middle[0]), float(middle[1]), float(low[2]))


def block(extent: Extent) -> Solid:
    """The same panel as a contact piece."""
    low, high = np.array(extent[0]), np.array(extent[1])
    return Solid.box((high - low) / 2, (low + high) / 2)


def lining(low: Sequence[float], high: Sequence[float], open_side: str, **looks: Any) -> Part:
    """The inner skin of a box-shaped space, seen from within; `open_side` is ``top`` or ``front``."""
    sides = [s for s in ("front", "right", "back", "left", "top", "bottom") if s != open_side]
    inset = np.array([LINING_M] * 3)
    (x0, y0, z0), (x1, y1, z1) = np.array(low) + inset, np.array(high) - inset
    extent = ((float(x0), float(y0), float(z0)), (float(x1), float(y1), float(z1)))
    part = slab(extent, only=sides, divide=2, **looks)
    return replace(part, faces=part.faces[:, ::-1])


def tray(x: float, y: float, z0: float, z1: float, wall: float, floor: float) -> tuple[list[Extent], Extent]:
    """Panels of an open-topped box about the z axis, and the space inside up to z1."""
    a, b = x / 2, y / 2
    panels: list[Extent] = [
        ((-a, -b, z0), (a, b, z0 + floor)),
        ((-a, -b, z0 + floor), (a, -b + wall, z1)),
        ((-a, b - wall, z0 + floor), (a, b, z1)),
        ((-a, -b + wall, z0 + floor), (-a + wall, b - wall, z1)),
        ((a - wall, -b + wall, z0 + floor), (a, b - wall, z1)),
    ]
    return panels, ((-a + wall, -b + wall, z0 + floor), (a - wall, b - wall, z1))


def space(extent: Extent, door: str, opening: tuple[float, float, float] = (0.0, 0.0, 1.0), **more: Any) -> Cavity:
    """A box-shaped cavity."""
    low, high = np.array(extent[0]), np.array(extent[1])
    half = (high - low) / 2
    return Cavity(half=(float(half[0]), float(half[1]), float(half[2])), opening=opening, door=door, offset=(low + high) / 2, **more)


def _flat(shapes: Iterable[Shape]) -> tuple[Part, ...]:
    return model(shapes).parts


def lid(
    parts: Iterable[Shape], hinge_y: float, hinge_z: float, solids: Iterable[Solid], degrees: float = LID_DEG, name: str = "lid"
) -> Mobile:
    """A lid that hangs at the back and opens upward."""
    return Mobile(
        name, _flat(parts), "hinge", np.array([-1.0, 0.0, 0.0]), np.array([0.0, hinge_y, hinge_z]), math.radians(degrees), tuple(solids)
    )


def along_x(outline: Any, x0: float, x1: float, **looks: Any) -> Part:
    """A prism over an outline of (y, z) points, from x0 to x1."""
    part = extrude(outline, x1 - x0, **looks)
    return part.mapped(lambda v: v[:, [2, 0, 1]] + np.array([x0, 0.0, 0.0]))


def arch(y_half: float, height: float, z: float, start_deg: float = 0.0, end_deg: float = 180.0, steps: int = 14) -> Array:
    """(y, z) points of half an ellipse over the line at height z, from the back (0°) over the top to the front (180°)."""
    t = np.radians(np.linspace(start_deg, end_deg, steps + 1))
    return np.stack([y_half * np.cos(t), z + height * np.sin(t)], 1)


def arch_shell(outer: Array, inner: Array, x0: float, x1: float, **looks: Any) -> tuple[Part, list[Solid]]:
    """A bent plate between two arcs of equal numbers of points, along x, and its contact pieces."""
    pieces = []
    for i in range(len(outer) - 1):
        corners = [outer[i], outer[i + 1], inner[i], inner[i + 1]]
        pieces.append(Solid(np.array([(x, y, z) for x in (x0, x1) for y, z in corners])))
    return along_x(np.concatenate([outer, inner[::-1]]), x0, x1, **looks), pieces


def round_walls(inside: Sequence[tuple[float, float]], wall: float, floor: float, segments: int = 24) -> tuple[Solid, ...]:
    """Contact pieces of a round wall and floor; `inside` are (radius, z) of the inner surface from the floor up.

    The flats of a ring of 24 pieces lie within 0.5 % of the radius of the true circle, half outside and half inside.
    """
    spread = 2.0 / (1.0 + math.cos(math.pi / segments))
    angle = np.linspace(0, 2 * math.pi, segments + 1)
    pieces = []
    for (r0, z0), (r1, z1) in itertools.pairwise(inside):
        if z1 - z0 < 1e-6:
            continue
        for a, b in itertools.pairwise(angle):
            corners = [
                (r * math.cos(t), r * math.sin(t), z)
                for t in (a, b)
                for r, z in ((r0 * spread, z0), (r1 * spread, z1), ((r0 + wall) * spread, z0), ((r1 + wall) * spread, z1))
            ]
            pieces.append(Solid(np.array(corners)))
    r, z = inside[0]
    return (disc(r + wall, z - floor, z), *pieces)


def disc(radius: float, z0: float, z1: float, corners: int = 20) -> Solid:
    """A flat round contact piece about the z axis."""
    t = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    return Solid(np.array([(radius * math.cos(a), radius * math.sin(a), z) for a in t for z in (z0, z1)]))


def _sign(words: str, wide: float, high: float, y: float, z: float, ground: Colour, ink: Colour, x: float = 0.0) -> Part:
    """A lettered plate on a front at `y`, its lower edge at `z`."""
    image = tx.plate_text(
        words, ground, ink, (max(64, int(256 * min(1.0, wide / high / 2))), max(32, int(128 * min(1.0, 2 * high / wide))))
    )
    return box(wide, 0.0012, high, only=["front"], texture=image, rgb=(1, 1, 1), specular=0.05).moved(x, y, z)


# --- boxes ------------------------------------------------------------------------------------------------------------


def _flat_lidded(
    size: tuple[float, float, float],
    wall: float,
    thick: float,
    look: Looks,
    inner: Looks,
    over: float = 0.004,
    body: Iterable[Shape] = (),
    top: Iterable[Shape] = (),
    floor: float | None = None,
    lid_look: Looks | None = None,
    degrees: float = LID_DEG,
) -> Model:
    """A box of the given size, lid included, whose plate rests on the rim and stands over it by `over`.

    `body` and `top` are decorations that belong to the box and to its lid.
    """
    x, y, z = size
    rim = z - thick
    panels, inside = tray(x, y, 0.0, rim, wall, wall if floor is None else floor)
    plate: Extent = ((-x / 2 - over, -y / 2 - over, rim), (x / 2 + over, y / 2 + over, z))
    cover = lid_look or look
    lip: Extent = ((inside[0][0] + 0.002, inside[0][1] + 0.002, rim - 0.002), (inside[1][0] - 0.002, inside[1][1] - 0.002, rim))
    return model(
        [slab(p, divide=2, **look) for p in panels],
        lining(*inside, "top", **inner),
        body,
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in panels),
        cavity=space(inside, "lid"),
        mobiles=(lid([slab(plate, divide=2, **cover), slab(lip, **inner), top], y / 2 + over, rim, [block(plate), block(lip)], degrees),),
    )


def _skirted(
    size: tuple[float, float, float],
    wall: float,
    skirt: float,
    look: Looks,
    inner: Looks,
    body: Iterable[Shape] = (),
    top: Iterable[Shape] = (),
    lid_look: Looks | None = None,
) -> Model:
    """A box whose lid has a rim of its own that reaches down over the walls by `skirt`."""
    x, y, z = size
    gap = 0.0008
    bx, by = x - 2 * (wall + gap), y - 2 * (wall + gap)
    rim = z - wall
    panels, inside = tray(bx, by, 0.0, rim, wall, wall)
    cover = lid_look or look
    plate: Extent = ((-x / 2, -y / 2, rim), (x / 2, y / 2, z))
    a, b = x / 2, y / 2
    rims: list[Extent] = [
        ((-a, -b, rim - skirt), (a, -b + wall, rim)),
        ((-a, b - wall, rim - skirt), (a, b, rim)),
        ((-a, -b + wall, rim - skirt), (-a + wall, b - wall, rim)),
        ((a - wall, -b + wall, rim - skirt), (a, b - wall, rim)),
    ]
    return model(
        [slab(p, divide=2, **look) for p in panels],
        lining(*inside, "top", **inner),
        body,
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in panels),
        cavity=space(inside, "lid"),
        mobiles=(
            lid(
                [slab(plate, divide=2, **cover), [slab(r, **cover) for r in rims], top],
                y / 2,
                rim - skirt,
                [block(plate), *(block(r) for r in rims)],
            ),
        ),
    )


def _latch(x: float, y: float, z: float, look: Looks = STEEL, wide: float = 0.035, high: float = 0.05) -> list[Part]:
    """A snap latch on a front."""
    return [box(wide, 0.010, high, **look).moved(x, y, z), box(wide * 0.7, 0.006, high * 0.3, **DARK).moved(x, y - 0.007, z + high * 0.6)]


def _grip(wide: float, z: float, rise: float, radius: float, y: float = 0.0, **looks: Any) -> Part:
    """A carrying handle across the top of a lid."""
    a = wide / 2
    return tube([(-a, y, z), (-a + 0.006, y, z + rise), (a - 0.006, y, z + rise), (a, y, z)], radius, 10, **looks)


CARD: Looks = {"rgb": (0.80, 0.70, 0.56), "specular": 0.0}
VELVET: Looks = {"rgb": (0.45, 0.07, 0.13), "specular": 0.05}


def _wooden_box() -> Model:
    oak = wooden((0.62, 0.42, 0.24), 4) | {"tint": True}
    pale: Looks = {"rgb": (0.80, 0.64, 0.44), "specular": 0.05}
    clasp = [box(0.026, 0.006, 0.030, **BRASS).moved(0, -0.108, 0.118), ball(0.008, 8, 14, **BRASS).moved(0, -0.115, 0.128)]
    corners = [
        box(0.030, 0.002, 0.030, **BRASS).moved(sx * 0.136, sy * 0.1008, z) for sx in (-1, 1) for sy in (-1, 1) for z in (0.002, 0.112)
    ]
    return _flat_lidded((0.30, 0.20, 0.16), 0.010, 0.016, oak, pale, 0.006, corners, clasp)


def _jewelry_box() -> Model:
    lacquer: Looks = {"rgb": (0.40, 0.12, 0.08), "specular": 0.7, "shininess": 0.8, "tint": True}
    trim = [slab(((-0.121, -0.081, z), (0.121, 0.081, z + 0.004)), only=_AROUND, **BRASS) for z in (0.004, 0.074)]
    feet = [ball(0.009, 8, 12, **BRASS).moved(sx * 0.105, sy * 0.066, 0.002) for sx in (-1, 1) for sy in (-1, 1)]
    knob = [ball(0.010, 10, 16, **BRASS).moved(0, -0.090, 0.094), rounded_box(0.15, 0.09, 0.010, 6, **lacquer).moved(z=0.104)]
    jewel = ellipsoid(0.026, 0.026, 0.014, rgb=(0.15, 0.45, 0.75), specular=1.0, shininess=0.9).moved(z=0.115)
    glass = slab(((-0.095, -0.055, 0.0850), (0.095, 0.055, 0.0862)), rgb=(0.78, 0.84, 0.88), specular=1.0, shininess=1.0)
    return _flat_lidded((0.24, 0.16, 0.106), 0.008, 0.018, lacquer, VELVET, 0.005, [trim, feet], [knob, jewel, glass])


def _toy_box() -> Model:
    colours = ((0.85, 0.18, 0.16), (0.95, 0.78, 0.16), (0.18, 0.48, 0.78), (0.22, 0.62, 0.32))
    letters = [
        box(0.11, 0.001, 0.13, only=["front"], texture=tx.plate_text(c, colours[k], (0.98, 0.97, 0.93), (96, 112)), rgb=(1, 1, 1)).moved(
            -0.19 + 0.127 * k, -0.1808, 0.10
        )
        for k, c in enumerate("TOYS")
    ]
    look = wooden((0.84, 0.68, 0.46), 2)
    blue: Looks = {"rgb": (0.18, 0.48, 0.78), "specular": 0.3, "tint": True}
    knob = rounded_box(0.10, 0.03, 0.022, 5, **WHITE).moved(0, -0.195, 0.344)
    return _flat_lidded((0.60, 0.36, 0.37), 0.014, 0.026, look, {"rgb": (0.86, 0.74, 0.56)}, 0.010, letters, [knob], lid_look=blue)


def _gift_box() -> Model:
    paper: Looks = {"rgb": (0.72, 0.12, 0.20), "specular": 0.2, "tint": True}
    gold: Looks = {"rgb": (0.92, 0.76, 0.30), "specular": 0.6}
    bands = [
        slab(((-0.1255, -0.02, 0.148), (0.1255, 0.02, 0.2015)), only=["left", "right", "top"], **gold),
        slab(((-0.02, -0.1255, 0.148), (0.02, 0.1255, 0.2015)), only=["front", "back", "top"], **gold),
    ]
    lower = [
        slab(((-0.1235, -0.02, 0.0), (0.1235, 0.02, 0.15)), only=["left", "right"], **gold),
        slab(((-0.02, -0.1235, 0.0), (0.02, 0.1235, 0.15)), only=["front", "back"], **gold),
    ]
    bow = [
        ellipsoid(0.085, 0.04, 0.045, **gold)
        .turned("y", s * 22)
        .turned("z", a)
        .moved(0.045 * s * math.cos(math.radians(a)), 0.045 * s * math.sin(math.radians(a)), 0.221)
        for s in (-1, 1)
        for a in (20, 75)
    ]
    hollow = [slab(((-0.1215, -0.1215, 0.1955), (0.1215, 0.1215, 0.1965)), **CARD)]
    return _skirted((0.25, 0.25, 0.20), 0.003, 0.05, paper, CARD, lower, [bands, bow, ball(0.02, **gold).moved(z=0.219), hollow])


def _shoe_box() -> Model:
    card: Looks = {"rgb": (0.84, 0.42, 0.14), "specular": 0.1, "tint": True}
    dark: Looks = {"rgb": (0.28, 0.26, 0.25), "specular": 0.1}
    tag = _sign("shoes size 42", 0.09, 0.045, -0.1012, 0.022, (0.96, 0.95, 0.92), (0.1, 0.1, 0.1))
    return _skirted((0.335, 0.205, 0.12), 0.0025, 0.04, card, CARD, [tag], [], dark)


def _tool_box(words: str) -> Model:
    metal: Looks = {
        "rgb": (0.78, 0.12, 0.10) if words == "tools" else (0.14, 0.36, 0.26),
        "specular": 0.6,
        "shininess": 0.6,
        "tint": True,
    }
    tag = _sign(words, 0.16, 0.055, -0.1012, 0.035, (0.95, 0.93, 0.85), (0.1, 0.1, 0.1))
    latches = [_latch(s * 0.14, -0.108, 0.125) for s in (-1, 1)]
    ridge = along_x([(0.095, 0.0), (0.06, 0.022), (-0.06, 0.022), (-0.095, 0.0)], -0.20, 0.20, **metal).moved(z=0.172)
    handle: list[Shape] = [
        _grip(0.22, 0.19, 0.045, 0.011, **DARK),
        [box(0.03, 0.03, 0.012, **STEEL).moved(s * 0.11, 0, 0.190) for s in (-1, 1)],
    ]
    grey: Looks = {"rgb": (0.58, 0.59, 0.61), "specular": 0.3}
    return _flat_lidded((0.42, 0.20, 0.172), 0.004, 0.014, metal, grey, 0.004, [tag], [ridge, handle, latches])


def _lunch_box() -> Model:
    tin: Looks = {"rgb": (0.86, 0.20, 0.18), "specular": 0.5, "tint": True}
    stripe = slab(((-0.1205, -0.0805, 0.045), (0.1205, 0.0805, 0.070)), only=_AROUND, rgb=(0.95, 0.80, 0.22))
    tag = _sign("lunch", 0.11, 0.045, -0.0815, 0.035, (0.97, 0.95, 0.88), (0.12, 0.12, 0.12))
    top: list[Shape] = [
        _grip(0.10, 0.118, 0.032, 0.007, **DARK),
        [_latch(s * 0.08, -0.085, 0.088, wide=0.024, high=0.030) for s in (-1, 1)],
    ]
    return _flat_lidded((0.24, 0.16, 0.120), 0.004, 0.016, tin, WHITE, 0.003, [stripe, tag], [top])


def _first_aid_box() -> Model:
    red: Looks = {"rgb": (0.82, 0.10, 0.10), "specular": 0.4, "tint": True}
    cross = [box(0.10, 0.032, 0.0015, **WHITE).moved(z=0.12), box(0.032, 0.10, 0.0015, **WHITE).moved(z=0.12)]
    tag = _sign("first aid", 0.14, 0.042, -0.1012, 0.028, (0.96, 0.96, 0.96), (0.78, 0.1, 0.1))
    clips = [_latch(s * 0.10, -0.106, 0.085, WHITE, high=0.036) for s in (-1, 1)]
    return _flat_lidded((0.30, 0.20, 0.12), 0.004, 0.022, red, WHITE, 0.004, [tag], [cross, clips])


def _cooler_box() -> Model:
    blue = {"rgb": (0.12, 0.34, 0.66), "specular": 0.4, "tint": True}
    grips = [
        tube([(s * 0.252, -0.07, 0.21), (s * 0.275, -0.065, 0.23), (s * 0.275, 0.065, 0.23), (s * 0.252, 0.07, 0.21)], 0.010, 8, **WHITE)
        for s in (-1, 1)
    ]
    tap = ball(0.016, 8, 12, **WHITE).moved(0.19, -0.162, 0.045)
    lip = rounded_box(0.10, 0.03, 0.03, 5, **WHITE).moved(0, -0.172, 0.302)
    return _flat_lidded((0.50, 0.32, 0.34), 0.035, 0.050, blue, WHITE, 0.008, [grips, tap], [lip], lid_look=WHITE)


def _cookie_tin() -> Model:
    tin = {"rgb": (0.16, 0.32, 0.56), "specular": 0.7, "shininess": 0.7, "tint": True}
    inner: Looks = {"rgb": (0.80, 0.80, 0.78), "specular": 0.7}
    tag = _sign("cookies", 0.14, 0.05, -0.0808, 0.022, (0.96, 0.90, 0.74), (0.40, 0.16, 0.10))
    top = _sign("cookies", 0.16, 0.09, 0.0, 0.0, (0.96, 0.90, 0.74), (0.40, 0.16, 0.10)).turned("x", -90).moved(0, -0.045, 0.1108)
    return _skirted((0.24, 0.165, 0.11), 0.0025, 0.022, tin, inner, [tag], [top])


def _pizza_box() -> Model:
    card: Looks = {"rgb": (0.90, 0.84, 0.72), "specular": 0.02, "tint": True}
    image, where = tx.carton_faces("pizza", (0.90, 0.84, 0.72), (0.78, 0.16, 0.12), (0.36, 0.36, 0.045), 512)
    top = slab(((-0.178, -0.178, 0.0440), (0.178, 0.178, 0.0454)), only=["top"], uv_of=where, texture=image, rgb=(1, 1, 1), specular=0.02)
    tab = box(0.05, 0.006, 0.018, rgb=(0.80, 0.72, 0.58)).moved(0, -0.183, 0.022)
    return _skirted((0.36, 0.36, 0.045), 0.0025, 0.020, card, CARD, [], [top, tab])


_BOXES: dict[str, Callable[[], Model]] = {
    "wooden": _wooden_box,
    "jewelry": _jewelry_box,
    "toy": _toy_box,
    "gift": _gift_box,
    "shoe": _shoe_box,
    "tool": functools.partial(_tool_box, "tools"),
    "tackle": functools.partial(_tool_box, "fishing tackle"),
    "lunch": _lunch_box,
    "pizza": _pizza_box,
    "first_aid": _first_aid_box,
    "cooler": _cooler_box,
    "tin": _cookie_tin,
}


@maker
def opening_box(kind: str = "wooden") -> Model:
    """Boxes with a hinged lid: wooden, jewelry, toy, gift, shoe, tool, tackle, lunch, pizza, first_aid, cooler, tin."""
    return _BOXES[kind]()


@maker
def storage_bin(clear: bool = False) -> Model:
    """A plastic box with a lid; `clear` makes body and lid see-through."""
    body: Looks = CLEAR | {"rgb": (0.86, 0.92, 0.95)} if clear else {"rgb": (0.20, 0.45, 0.68), "specular": 0.4, "tint": True}
    cover: Looks = CLEAR | {"rgb": (0.80, 0.90, 0.97)} if clear else dict(WHITE)
    x, y, rim, wall = 0.40, 0.30, 0.210, 0.004
    panels, inside = tray(x, y, 0.0, rim, wall, wall)
    plate: Extent = ((-x / 2 - 0.008, -y / 2 - 0.008, rim), (x / 2 + 0.008, y / 2 + 0.008, rim + 0.018))
    rim_band = (
        [] if clear else [slab(((-x / 2 - 0.003, -y / 2 - 0.003, rim - 0.03), (x / 2 + 0.003, y / 2 + 0.003, rim)), only=_AROUND, **body)]
    )
    rise = slab(((-0.17, -0.12, rim + 0.018), (0.17, 0.12, rim + 0.026)), **cover)
    clips: list[Shape] = [
        rounded_box(0.012, 0.08, 0.06, 6, rgb=(0.25, 0.27, 0.30), specular=0.5).moved(s * 0.212, 0, rim - 0.04) for s in (-1, 1)
    ]
    return model(
        [slab(p, divide=2, **body) for p in panels],
        rim_band,
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in panels),
        cavity=space(inside, "lid"),
        mobiles=(lid([slab(plate, divide=2, **cover), rise, clips], y / 2 + 0.008, rim, [block(plate)]),),
    )


@maker
def wooden_chest(kind: str = "cedar") -> Model:
    """A chest with an arched lid and iron bands."""
    x, y, rim, rise, wall = (0.62, 0.38, 0.26, 0.13, 0.016) if kind == "cedar" else (0.26, 0.17, 0.11, 0.06, 0.009)
    wood = wooden((0.50, 0.31, 0.17), 6) | {"tint": True}
    pale: Looks = {"rgb": (0.66, 0.47, 0.29), "specular": 0.05}
    iron: Looks = {"rgb": (0.23, 0.22, 0.22), "specular": 0.7, "shininess": 0.6}
    panels, inside = tray(x, y, 0.0, rim, wall, wall)
    outer, inner = arch(y / 2, rise, rim), arch(y / 2 - wall, rise - wall, rim)
    shell, solids = arch_shell(outer, inner, -x / 2, x / 2, **wood)
    ends = [along_x(outer, s * (x / 2 - wall / 2) - wall / 2, s * (x / 2 - wall / 2) + wall / 2, **wood) for s in (-1, 1)]
    end_solids = [Solid(np.array([(s * x / 2 + d, v, w) for d in (0.0, -s * wall) for v, w in outer])) for s in (-1, 1)]
    e, w = 0.002, 0.045 * x / 0.62
    bands, straps = [], []
    for cx in (-0.33 * x, 0.33 * x):
        bands.append(
            along_x(
                np.concatenate([arch(y / 2 + e, rise + e, rim), arch(y / 2 - 0.001, rise - 0.001, rim)[::-1]]),
                cx - w / 2,
                cx + w / 2,
                **iron,
            )
        )
        straps.append(slab(((cx - w / 2, -y / 2 - e, 0.0), (cx + w / 2, y / 2 + e, rim)), only=("front", "back"), **iron))
    edge = slab(((-x / 2 - e, -y / 2 - e, rim - 0.022), (x / 2 + e, y / 2 + e, rim)), only=_AROUND, **iron)
    k = x / 0.62
    lock = [
        rounded_box(0.075 * k, 0.014, 0.09 * k, 6, **BRASS).moved(0, -y / 2 - 0.006, rim - 0.055 * k),
        ball(0.010 * k, 8, 12, **DARK).moved(0, -y / 2 - 0.014, rim - 0.02 * k),
    ]
    hasp = rounded_box(0.045 * k, 0.010, 0.05 * k, 6, **BRASS).moved(0, -y / 2 - 0.008, rim + 0.005)
    rings = [ring(0.040 * k, 0.006 * k, 20, 8, **iron).turned("y", 90).moved(s * (x / 2 + 0.010 * k), 0, 0.55 * rim) for s in (-1, 1)]
    return model(
        [slab(p, divide=2, **wood) for p in panels],
        lining(*inside, "top", **pale),
        straps,
        edge,
        lock,
        rings,
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in panels),
        cavity=space(inside, "lid"),
        mobiles=(lid([shell, ends, bands, hasp], y / 2 + e, rim, [*solids, *end_solids]),),
    )


@maker
def flap_box(colour: Colour = (0.72, 0.54, 0.36), wide: float = 0.40, deep: float = 0.30, high: float = 0.28) -> Model:
    """A cardboard box closed by two flaps that meet in the middle."""
    card: Looks = {
        "texture": tx.speckle(colour, (colour[0] * 0.95, colour[1] * 0.95, colour[2] * 0.95), 3, 128, 0.4, 40, 0.5),
        "rgb": (1, 1, 1),
        "specular": 0.02,
        "tint": True,
    }
    t = 0.004
    rim = high - t
    panels, inside = tray(wide, deep, 0.0, rim, t, t)
    ink: Looks = {"rgb": (0.40, 0.28, 0.18), "specular": 0.0}
    signs = [_sign("this side up", 0.15, 0.05, -deep / 2 - 0.0006, 0.05, colour, (0.16, 0.10, 0.06)).turned("z", a) for a in (0, 180)]
    flaps = []
    for s, name in ((-1, "left"), (1, "right")):
        plate: Extent = (
            ((-wide / 2, -deep / 2, rim), (0.0, deep / 2, high)) if s < 0 else ((0.0, -deep / 2, rim), (wide / 2, deep / 2, high))
        )
        seam = slab(((min(0.0, s * 0.0018), -deep / 2, high), (max(0.0, s * 0.0018), deep / 2, high + 0.0004)), **ink)
        flaps.append(
            Mobile(
                f"flap_{name}",
                _flat([slab(plate, divide=2, **card), seam]),
                "hinge",
                np.array([0.0, float(s), 0.0]),
                np.array([s * wide / 2, 0.0, rim]),
                math.radians(140.0),
                (block(plate),),
            )
        )
    return model(
        [slab(p, divide=2, **card) for p in panels],
        signs,
        hollow=True,
        collider="box",
        solids=tuple(block(p) for p in panels),
        cavity=space(inside, "flap_left"),
        mobiles=tuple(flaps),
    )


@maker
def bread_bin() -> Model:
    """A roll-top bread bin: its front rolls back under the roof."""
    x, y, z, wall = 0.40, 0.30, 0.22, 0.008
    wood = wooden(OAK, 3)
    metal: Looks = {"rgb": (0.86, 0.83, 0.74), "specular": 0.5, "tint": True}
    axis_z = 0.07
    roof_out, roof_in = arch(y / 2, z - axis_z, axis_z, 0, 96, 8), arch(y / 2 - 0.006, z - axis_z - 0.006, axis_z, 0, 96, 8)
    roof, roof_solids = arch_shell(roof_out, roof_in, -x / 2 + wall, x / 2 - wall, **metal)
    # Both arcs are circular about the axis; the front reaches down behind the lower panel, so that no crack shows.
    door_out, door_in = (
        arch(y / 2 - 0.008, z - axis_z - 0.008, axis_z, 88, 187, 9),
        arch(y / 2 - 0.012, z - axis_z - 0.012, axis_z, 88, 187, 9),
    )
    door, door_solids = arch_shell(door_out, door_in, -x / 2 + wall + 0.001, x / 2 - wall - 0.001, **metal)
    side = np.concatenate([arch(y / 2, z - axis_z, axis_z, 0, 180, 16), [(-y / 2, 0.0), (y / 2, 0.0)]])
    cheeks = [along_x(side, s * (x / 2 - wall / 2) - wall / 2, s * (x / 2 - wall / 2) + wall / 2, **wood) for s in (-1, 1)]
    base: Extent = ((-x / 2 + wall, -y / 2, 0.0), (x / 2 - wall, y / 2, wall))
    front: Extent = ((-x / 2 + wall, -y / 2, wall), (x / 2 - wall, -y / 2 + 0.006, axis_z))
    back: Extent = ((-x / 2 + wall, y / 2 - 0.006, wall), (x / 2 - wall, y / 2, axis_z))
    knob = [ball(0.013, 10, 16, **wooden(WALNUT, 1)).moved(0, -y / 2 - 0.004, axis_z + 0.035)]
    word = _sign("bread", 0.14, 0.045, -y / 2 - 0.0008, 0.014, (0.86, 0.83, 0.74), (0.30, 0.18, 0.10))
    cheek_solids = [Solid(np.array([(s * x / 2 + d, v, w) for d in (0.0, -s * wall) for v, w in side])) for s in (-1, 1)]
    inside: Extent = ((-x / 2 + wall, -y / 2 + 0.020, wall), (x / 2 - wall, y / 2 - 0.020, axis_z + 0.085))
    return model(
        cheeks,
        slab(base, **wood),
        slab(front, **metal),
        slab(back, **metal),
        roof,
        word,
        hollow=True,
        collider="box",
        solids=(block(base), block(front), block(back), *roof_solids, *cheek_solids),
        cavity=space(inside, "front", (0.0, -1.0, 0.0)),
        mobiles=(lid([door, knob], 0.0, axis_z, door_solids, 84.0, "front"),),
    )


# --- round things -----------------------------------------------------------------------------------------------------


def _round(
    outside: Sequence[tuple[float, float]],
    wall: float,
    floor: float,
    look: Looks,
    cover: Iterable[Shape],
    lid_disc: tuple[float, float, float],
    hinge: tuple[float, float],
    more: Iterable[Shape] = (),
    degrees: float = LID_DEG,
    holds_liquid: bool = False,
    segments: int = 44,
) -> Model:
    """A round vessel with a lid. `outside` is its outer profile (radius, z); `lid_disc` (radius, z0, z1) is the lid's contact shape."""
    radii, heights = np.array(outside, float).T
    bottom = heights[0] + floor
    inside = [(float(np.interp(bottom, heights, radii)) - wall, float(bottom))]
    inside += [(float(r) - wall, float(z)) for r, z in outside if z > bottom + 1e-6]
    return model(
        vessel(outside, wall, floor, segments, **look),
        more,
        hollow=True,
        collider="cylinder",
        solids=round_walls(inside, wall, floor),
        cavity=Cavity(profile=tuple((z, r) for r, z in inside), door="lid", holds_liquid=holds_liquid),
        mobiles=(lid(cover, hinge[0], hinge[1], [disc(*lid_disc)], degrees),),
    )


@maker
def step_bin(colour: Colour = (0.36, 0.38, 0.40)) -> Model:
    """A pedal bin."""
    look: Looks = {"rgb": colour, "specular": 0.5, "tint": True}
    cover = [
        lathe([(0.148, 0.360), (0.157, 0.360), (0.157, 0.376), (0.11, 0.396), (0.0, 0.406)], 44, **STEEL),
        lathe([(0.0, 0.3605), (0.150, 0.3605)], 44, rgb=(0.3, 0.3, 0.31)),
    ]
    bag = lathe([(0.1443, 0.352), (0.1455, 0.3605)], 44, rgb=(0.16, 0.16, 0.17), specular=0.3)
    pedal = [box(0.08, 0.06, 0.012, **STEEL).moved(y=-0.150, z=0.012), box(0.05, 0.02, 0.010, **DARK).moved(y=-0.168, z=0.023)]
    hinge = box(0.07, 0.022, 0.03, **DARK).moved(y=0.152, z=0.335)
    return _round(
        [(0.125, 0.0), (0.13, 0.008), (0.15, 0.36)],
        0.004,
        0.012,
        look,
        cover,
        (0.155, 0.360, 0.385),
        (0.157, 0.36),
        [pedal, hinge, bag],
        95,
    )


@maker
def cookie_jar(kind: str = "cookies") -> Model:
    """A ceramic jar with a lid, its contents written on it."""
    glazed: Looks = {"rgb": (0.90, 0.86, 0.76), "specular": 0.6, "shininess": 0.7, "tint": True}
    dark: Looks = {"rgb": (0.32, 0.22, 0.15), "specular": 0.5, "shininess": 0.6}
    words = tx.label(kind, (0.90, 0.86, 0.76), (0.40, 0.20, 0.12), 3, (1152, 128))
    band = lathe([(0.0955, 0.050), (0.0965, 0.115)], 44, texture=words, rgb=(1, 1, 1), specular=0.3)
    cover = [
        lathe([(0.080, 0.170), (0.092, 0.170), (0.094, 0.178), (0.075, 0.194), (0.025, 0.204), (0.0, 0.205)], 44, **dark),
        lathe([(0.0, 0.171), (0.085, 0.171)], 44, **dark),
        lathe([(0.010, 0.203), (0.009, 0.210), (0.021, 0.220), (0.021, 0.230), (0.0, 0.238)], 24, **dark),
    ]
    outside = [(0.078, 0.0), (0.088, 0.010), (0.096, 0.06), (0.096, 0.11), (0.090, 0.150), (0.088, 0.170)]
    return _round(outside, 0.005, 0.008, glazed, cover, (0.090, 0.170, 0.195), (0.094, 0.170), [band], 100, True)


@maker
def clip_jar() -> Model:
    """A glass jar whose lid is held by a wire clip."""
    outside = [(0.050, 0.0), (0.056, 0.006), (0.056, 0.115), (0.046, 0.135), (0.046, 0.145)]
    rubber: Looks = {"rgb": (0.85, 0.42, 0.16), "specular": 0.1}
    cover = [
        lathe([(0.0, 0.147), (0.050, 0.147), (0.050, 0.158), (0.040, 0.164), (0.0, 0.165)], 40, **CLEAR),
        lathe([(0.040, 0.145), (0.051, 0.145), (0.051, 0.148), (0.040, 0.148)], 40, **rubber),
        tube(arc(0.052, -150, -30, 10, "xy", (0, 0, 0.152)), 0.0018, 6, **STEEL),
        tube([(0.0, -0.052, 0.152), (0.0, -0.060, 0.145), (0.0, -0.060, 0.118)], 0.0022, 6, **STEEL),
    ]
    wire = [tube(arc(0.0475, 0, 360, 28, "xy", (0, 0, 0.139)), 0.0018, 6, **STEEL), box(0.02, 0.008, 0.024, **STEEL).moved(0, 0.051, 0.134)]
    return _round(outside, 0.003, 0.005, CLEAR, cover, (0.050, 0.145, 0.164), (0.052, 0.146), wire, 110, True)


@maker
def round_tin(words: str = "tea") -> Model:
    """A round tin with a lid that reaches down over it."""
    look: Looks = {"rgb": (0.20, 0.42, 0.30), "specular": 0.7, "shininess": 0.7, "tint": True}
    image = tx.label(words, (0.95, 0.90, 0.76), (0.70, 0.55, 0.22), 3, (768, 160))
    band = lathe([(0.0552, 0.02), (0.0552, 0.10)], 44, texture=image, rgb=(1, 1, 1), specular=0.4)
    cover = [
        lathe([(0.0562, 0.118), (0.0572, 0.118), (0.0572, 0.142), (0.0, 0.143)], 44, **look),
        lathe([(0.0562, 0.142), (0.0562, 0.118)], 44, **look),
        lathe([(0.0, 0.1405), (0.0562, 0.1405)], 44, rgb=(0.80, 0.80, 0.78), specular=0.6),
        ball(0.009, 10, 16, **BRASS).moved(z=0.148),
    ]
    return _round([(0.054, 0.0), (0.055, 0.003), (0.055, 0.14)], 0.0015, 0.003, look, cover, (0.057, 0.140, 0.143), (0.0572, 0.118), [band])
