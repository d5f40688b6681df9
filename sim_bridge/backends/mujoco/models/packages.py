"""Packages that bear their name: the shape says what kind of package it is, the print says of what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.pieces import pieces
from sim_bridge.backends.mujoco.meshes.shapes import (
    Colour,
    Model,
    Part,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    rounded_box,
    smooth_profile,
    standing,
    tube,
)
from sim_bridge.backends.mujoco.models.making import CLEAR, DARK, STEEL, WHITE, maker, pick
from sim_bridge.backends.mujoco.models.turned import turned, vessel_model
from sim_bridge.backends.mujoco.models.vessels import handle, vessel

CREAM: Colour = (0.95, 0.92, 0.84)
LIDS: tuple[Colour, ...] = (
    (0.75, 0.12, 0.10),
    (0.90, 0.72, 0.16),
    (0.15, 0.32, 0.55),
    (0.18, 0.42, 0.22),
    (0.80, 0.80, 0.80),
    (0.20, 0.20, 0.22),
)
GLASS_TINTS: tuple[Colour, ...] = ((0.36, 0.20, 0.08), (0.12, 0.30, 0.14), (0.80, 0.90, 0.90), (0.85, 0.75, 0.45), (0.70, 0.30, 0.15))

_CONTENTS: tuple[tuple[str, Colour], ...] = (
    ("strawberr", (0.75, 0.08, 0.12)),
    ("raspberr", (0.70, 0.08, 0.22)),
    ("tomato", (0.80, 0.14, 0.08)),
    ("ketchup", (0.80, 0.10, 0.06)),
    ("catsup", (0.80, 0.10, 0.06)),
    ("hot sauce", (0.80, 0.12, 0.05)),
    ("sriracha", (0.80, 0.12, 0.05)),
    ("salsa", (0.75, 0.16, 0.08)),
    ("marinara", (0.72, 0.14, 0.06)),
    ("spaghetti", (0.74, 0.16, 0.06)),
    ("cranberr", (0.62, 0.05, 0.14)),
    ("mustard", (0.90, 0.70, 0.10)),
    ("honey", (0.88, 0.58, 0.08)),
    ("maple", (0.50, 0.24, 0.06)),
    ("oil", (0.85, 0.72, 0.20)),
    ("vinegar", (0.55, 0.30, 0.12)),
    ("soy", (0.18, 0.09, 0.05)),
    ("milk", (0.95, 0.95, 0.92)),
    ("cream", (0.95, 0.93, 0.86)),
    ("mayonnaise", (0.94, 0.91, 0.78)),
    ("sugar", (0.95, 0.94, 0.92)),
    ("salt", (0.95, 0.95, 0.95)),
    ("flour", (0.94, 0.92, 0.86)),
    ("peanut", (0.72, 0.48, 0.22)),
    ("chocolate", (0.32, 0.17, 0.09)),
    ("cocoa", (0.40, 0.23, 0.13)),
    ("coffee", (0.26, 0.15, 0.09)),
    ("pepper", (0.22, 0.18, 0.16)),
    ("cumin", (0.60, 0.44, 0.20)),
    ("curry", (0.85, 0.62, 0.12)),
    ("tumeric", (0.90, 0.65, 0.10)),
    ("turmeric", (0.90, 0.65, 0.10)),
    ("paprika", (0.72, 0.18, 0.08)),
    ("chil", (0.70, 0.15, 0.08)),
    ("cinnamon", (0.50, 0.28, 0.14)),
    ("basil", (0.25, 0.42, 0.20)),
    ("sage", (0.48, 0.55, 0.42)),
    ("dill", (0.34, 0.45, 0.20)),
    ("pesto", (0.30, 0.45, 0.15)),
    ("olive", (0.55, 0.58, 0.18)),
    ("orange", (0.95, 0.55, 0.10)),
    ("lemon", (0.95, 0.88, 0.30)),
    ("lime", (0.62, 0.80, 0.20)),
    ("apple", (0.85, 0.70, 0.25)),
    ("grape", (0.38, 0.12, 0.40)),
    ("carrot", (0.92, 0.48, 0.10)),
    ("wine", (0.35, 0.05, 0.12)),
    ("whiskey", (0.72, 0.42, 0.10)),
    ("rum", (0.55, 0.28, 0.08)),
    ("tequila", (0.88, 0.80, 0.50)),
    ("vodka", (0.88, 0.94, 0.96)),
    ("water", (0.75, 0.88, 0.95)),
    ("beer", (0.70, 0.42, 0.10)),
    ("cola", (0.20, 0.10, 0.06)),
    ("jelly", (0.60, 0.10, 0.25)),
    ("jam", (0.62, 0.08, 0.16)),
    ("pickle", (0.42, 0.50, 0.16)),
    ("tea", (0.60, 0.34, 0.12)),
    ("lavender", (0.60, 0.50, 0.78)),
)


def contents_colour(text: str) -> Colour:
    """Colour of the stuff inside, where the words tell it."""
    for word, known in _CONTENTS:
        if word in text:
            return known
    colour: Colour = pick(text, "contents")
    return colour


def label_colours(text: str) -> tuple[Colour, Colour]:
    """Ground and stripe of a label; the ground is pale or strong, so that the words stand out."""
    stripe = contents_colour(text)
    if max(stripe) - min(stripe) < 0.15:
        stripe = pick(text, "stripe")
    return (CREAM, stripe) if pick(text, "ground", (0, 1, 1)) else (stripe, CREAM)


def _wrap(r: float, low: float, high: float, text: str, segments: int = 40, copies: int = 4) -> Part:
    """A paper label around a cylinder."""
    ground, stripe = label_colours(text)
    width = 768
    height = int(np.clip(width * (high - low) / (2 * math.pi * r), 96, 512))
    return lathe(
        [(r, low), (r, high)], segments, texture=tx.label(text, ground, stripe, copies, (width, height)), rgb=(1, 1, 1), specular=0.1
    ).turned("z", -45)


def _cap(r: float, low: float, high: float, colour: Colour) -> Part:
    """A ribbed screw cap."""
    return lathe([(0, low), (r, low), (r, high - 0.002), (r - 0.002, high), (0, high)], 28, rgb=colour, specular=0.3)


_BOTTLES: dict[str, tuple[Sequence[tuple[float, float]], float, float, float, float]] = {
    # outline, label from, label to, cap radius, cap height
    "sauce": ([(0.030, 0), (0.033, 0.004), (0.033, 0.105), (0.028, 0.128), (0.014, 0.160), (0.013, 0.185)], 0.018, 0.095, 0.016, 0.024),
    "wine": ([(0.034, 0), (0.037, 0.005), (0.037, 0.170), (0.030, 0.205), (0.0155, 0.240), (0.0145, 0.290)], 0.045, 0.140, 0.0155, 0.028),
    "liquor": ([(0.038, 0), (0.041, 0.005), (0.041, 0.165), (0.034, 0.190), (0.016, 0.215), (0.015, 0.255)], 0.030, 0.140, 0.0175, 0.028),
    "soda": ([(0.030, 0), (0.034, 0.008), (0.034, 0.120), (0.030, 0.150), (0.014, 0.190), (0.0125, 0.205)], 0.050, 0.115, 0.0145, 0.016),
    "beer": ([(0.029, 0), (0.031, 0.004), (0.031, 0.125), (0.026, 0.150), (0.014, 0.185), (0.0125, 0.225)], 0.035, 0.110, 0.0135, 0.008),
    "cosmetic": ([(0.028, 0), (0.031, 0.005), (0.031, 0.130), (0.027, 0.142), (0.016, 0.148), (0.0155, 0.154)], 0.025, 0.115, 0.020, 0.030),
    "squat": ([(0.026, 0), (0.028, 0.004), (0.028, 0.060), (0.024, 0.068), (0.0155, 0.072), (0.0155, 0.078)], 0.010, 0.054, 0.0175, 0.018),
    "spice": ([(0.021, 0), (0.0225, 0.003), (0.0225, 0.075), (0.020, 0.082), (0.017, 0.085), (0.017, 0.088)], 0.014, 0.066, 0.0215, 0.022),
    "detergent": ([(0.050, 0), (0.055, 0.008), (0.055, 0.150), (0.045, 0.180), (0.022, 0.200), (0.021, 0.215)], 0.035, 0.140, 0.026, 0.030),
}


def bottle_style(text: str) -> str:
    """The silhouette that such a product usually has."""
    table = (
        ("wine", ("wine", "champagne", "sake", "port")),
        ("liquor", ("vodka", "whiskey", "rum", "tequila", "gin", "brandy", "cognac", "liquor", "liqueur", "bourbon", "vermouth")),
        ("beer", ("beer", "ale", "cider")),
        (
            "soda",
            (
                "soda",
                "water",
                "pop",
                "cola",
                "lemonade",
                "juice",
                "tonic",
                "ginger beer",
                "icetea",
                "tea",
                "milk",
                "milkshake",
                "smoothie",
                "coffee",
                "drink",
                "energy",
            ),
        ),
        (
            "cosmetic",
            (
                "shampoo",
                "conditioner",
                "lotion",
                "soap",
                "skin",
                "face",
                "cold cream",
                "cleans",
                "sunscreen",
                "baby oil",
                "bath",
                "body",
                "gel",
                "moisturizer",
                "toner",
                "deodorant",
                "hair",
                "mouthwash",
                "bubble",
            ),
        ),
        (
            "squat",
            (
                "medicine",
                "pill",
                "aspirin",
                "antihistamine",
                "supplement",
                "vitamin",
                "perfume",
                "cologne",
                "ink",
                "glue",
                "polish",
                "essential",
                "lavender",
                "paint",
                "alcohol",
                "eye",
                "nail",
                "vanilla",
                "extract",
            ),
        ),
        (
            "spice",
            (
                "powder",
                "ground",
                "seed",
                "spice",
                "seasoning",
                "pepper",
                "sage",
                "ginger",
                "fennel",
                "clove",
                "nutmeg",
                "mace",
                "cinnamon",
                "cumin",
                "coriander",
                "basil",
                "oregano",
                "thyme",
                "salt",
                "cocoa",
                "leaves",
                "paprika",
                "sesame seeds",
                "poppy",
            ),
        ),
        (
            "detergent",
            (
                "detergent",
                "bleach",
                "softener",
                "cleaner",
                "disinfectant",
                "solvent",
                "pesticide",
                "lubricant",
                "caulk",
                "lacquer",
                "repellent",
                "antifreeze",
                "motor",
                "fertilizer",
                "weed",
            ),
        ),
    )
    if "sesame oil" in text or "olive oil" in text or "almond oil" in text or "cooking oil" in text:
        return "sauce"
    for style, words in table:
        if any(text.startswith(w) or f" {w}" in text for w in words):
            return style
    return "sauce"


@maker
def bottle(text: str, style: str = "", clear: bool = False) -> Model:
    """A bottle of something. `clear`: empty and see-through below the label, as a container."""
    style = style or bottle_style(text)
    outline, low, high, cap_r, cap_h = _BOTTLES[style]
    top = outline[-1][1]
    profile = [outline[0], *smooth_profile(outline[1:], 3)]
    r = max(p[0] for p in profile)
    inside = contents_colour(text)
    if clear:
        shell = turned(profile, 0.0016, 0.003, 36, **CLEAR)
        tag = _wrap(r + 0.0006, low + (high - low) * 0.62, high, text)
    else:
        opaque = style in ("cosmetic", "squat", "detergent", "spice")
        tint = pick(text, "plastic", ((0.93, 0.93, 0.90), (0.20, 0.42, 0.62), (0.90, 0.85, 0.70), (0.35, 0.60, 0.45), (0.85, 0.50, 0.30)))
        glass = {"wine": (0.10, 0.16, 0.09), "beer": (0.32, 0.17, 0.06)}.get(style, inside)
        look: dict[str, Any] = {"rgb": tint if opaque else glass, "specular": 0.6 if not opaque else 0.35, "shininess": 0.7, "tint": True}
        body = lathe([(0, 0), *profile, (0, top)], 36, **look)
        tag = _wrap(r + 0.0006, low, high, text)
    cap = _cap(cap_r, top - 0.004, top + cap_h - 0.004, (0.72, 0.60, 0.25) if style == "beer" else pick(text, "cap", LIDS))
    if clear:
        return vessel_model(shell, tag, cap, solids=pieces(cap))
    return model(body, tag, cap, collider="cylinder")


@maker
def jar(text: str = "", clear: bool = False) -> Model:
    """A glass jar with a screw lid; the contents show above and below the label."""
    profile = [(0.034, 0), (0.038, 0.004), *smooth_profile([(0.0385, 0.010), (0.0385, 0.078), (0.036, 0.090), (0.033, 0.094)], 3)]
    glass = turned(profile, 0.002, 0.003, 36, **CLEAR)
    lid = lathe(
        [(0, 0.092), (0.0365, 0.092), (0.0365, 0.108), (0.034, 0.110), (0, 0.110)], 36, rgb=pick(text or "jar", "lid", LIDS), specular=0.5
    )
    if clear:
        tags = [] if not text else [_wrap(0.0391, 0.058, 0.084, text)]
        return vessel_model(glass, lid, tags, solids=pieces(lid))
    stuff = lathe([(0, 0.004), (0.0355, 0.004), (0.0362, 0.084), (0.033, 0.088), (0, 0.088)], 32, rgb=contents_colour(text), specular=0.2)
    return model(glass.part, stuff, lid, _wrap(0.0391, 0.016, 0.076, text), hollow=False, collider="cylinder")


@maker
def can(text: str = "", tall: bool = False, flat: bool = False) -> Model:
    """A food tin; `tall` a drink can, `flat` a sardine or pet-food tin."""
    if tall:
        r, h = 0.033, 0.122
        profile = [
            (0, 0.004),
            (0.024, 0.002),
            (0.026, 0),
            (r, 0.012),
            (r, h - 0.014),
            (0.027, h - 0.002),
            (0.027, h),
            (0.025, h),
            (0.024, h - 0.004),
            (0, h - 0.004),
        ]
        low, high = 0.013, h - 0.015
    else:
        r, h = (0.045, 0.036) if flat else (0.0375, 0.105)
        profile = [
            (0, 0.002),
            (r - 0.002, 0.002),
            (r - 0.002, 0),
            (r + 0.001, 0),
            (r + 0.001, 0.003),
            (r, 0.004),
            (r, h - 0.004),
            (r + 0.001, h - 0.003),
            (r + 0.001, h),
            (r - 0.002, h),
            (r - 0.002, h - 0.003),
            (0, h - 0.003),
        ]
        low, high = 0.005, h - 0.005
    metal = lathe(profile, 40, **STEEL)
    tab = [box(0.014, 0.022, 0.0012, **STEEL).moved(y=-0.006, z=h - 0.003)] if tall or flat else []
    tags = [_wrap(r + 0.0004, low, high, text)] if text else []
    return model(metal, tab, tags, collider="cylinder")


@maker
def canister(text: str = "") -> Model:
    body = lathe([(0, 0), (0.05, 0), (0.05, 0.13), (0, 0.13)], 40, rgb=(0.80, 0.22, 0.16), specular=0.5, tint=True)
    lid = lathe([(0.052, 0.128), (0.052, 0.142), (0.02, 0.148), (0.008, 0.15), (0.012, 0.162), (0, 0.166)], 40, **STEEL)
    return model(body, lid, [_wrap(0.0506, 0.03, 0.10, text)] if text else [], collider="cylinder")


_BOX_SIZES: tuple[tuple[float, float, float], ...] = ((0.16, 0.055, 0.22), (0.14, 0.07, 0.18), (0.11, 0.06, 0.16), (0.18, 0.06, 0.13))


@maker
def carton(text: str, wide: float = 0.0, deep: float = 0.0, high: float = 0.0) -> Model:
    """A printed cardboard box; the words are on every side and on top."""
    x, y, z = (wide, deep, high) if wide else pick(text, "box", _BOX_SIZES)
    ground = contents_colour(text) if pick(text, "boxground", (0, 1)) else pick(text, "boxcolour")
    if max(ground) < 0.3:
        ground = pick(text, "boxcolour")
    stripe = CREAM if sum(ground) < 2.2 else pick(text, "boxstripe")
    image, where = tx.carton_faces(text, ground, stripe, (x, y, z))
    return model(box(x, y, z, uv_of=where, texture=image, rgb=(1, 1, 1), specular=0.12, tint=True), collider="box")


@maker
def gable_carton(text: str) -> Model:
    """A milk-type carton with a gable top."""
    x, z = 0.085, 0.19
    ground, stripe = label_colours(text)
    image, where = tx.carton_faces(text, ground, stripe, (x, x, z))
    body = box(x, x, z, uv_of=where, texture=image, rgb=(1, 1, 1), specular=0.1)
    roof = standing(extrude([(-x / 2, 0), (x / 2, 0), (0.0, 0.045)], x, rgb=ground, specular=0.1)).moved(y=x / 2, z=z)
    fin = box(0.006, x, 0.018, rgb=stripe, specular=0.1).moved(z=z + 0.040)
    cap = lathe([(0.014, 0), (0.014, 0.014), (0, 0.014)], 20, rgb=stripe).turned("y", 50).moved(0.022, 0, z + 0.024)
    return model(body, roof, fin, cap, collider="box")


@maker
def shaker(text: str = "", clear: bool = False) -> Model:
    """A spice shaker with a holed dome."""
    body_look: dict[str, Any] = CLEAR if not text else {"rgb": contents_colour(text), "specular": 0.5}
    body = lathe([(0, 0), (0.021, 0), (0.0225, 0.003), (0.0225, 0.066), (0.019, 0.072), (0, 0.072)], 32, **body_look)
    dome = lathe(smooth_profile([(0.0205, 0.070), (0.0205, 0.082), (0.016, 0.092), (0.0, 0.096)], 3), 30, **STEEL)
    holes = [
        ellipsoid(0.0032, 0.0032, 0.002, 4, 8, rgb=(0.05, 0.05, 0.05)).moved(q * math.cos(a), q * math.sin(a), z)
        for q, z, n in ((0.0, 0.0955, 1), (0.007, 0.0945, 6))
        for a in np.linspace(0, 2 * math.pi, n, endpoint=False)
    ]
    tags = [_wrap(0.0234, 0.010, 0.060, text)] if text else []
    return model(body, dome, holes, tags, collider="cylinder")


@maker
def table_shaker(letter: str) -> Model:
    """Salt or pepper shaker for the table: glass with the stuff inside, steel top, its letter in front."""
    stuff = (0.96, 0.96, 0.96) if letter == "S" else (0.16, 0.13, 0.12)
    glass_part = vessel([(0.020, 0), (0.022, 0.003), (0.017, 0.062)], 0.0018, 0.003, 12, **CLEAR)
    inside = lathe([(0, 0.004), (0.0195, 0.004), (0.0165, 0.042), (0, 0.042)], 24, rgb=stuff, specular=0.05)
    dome = lathe(smooth_profile([(0.0185, 0.060), (0.0185, 0.070), (0.014, 0.080), (0.0, 0.084)], 3), 30, **STEEL)
    count = 1 if letter == "S" else 3
    holes = [
        ellipsoid(0.004, 0.004, 0.002, 4, 8, rgb=(0.04, 0.04, 0.04)).moved(
            0.006 * (count > 1) * math.cos(a), 0.006 * (count > 1) * math.sin(a), 0.0832
        )
        for a in np.linspace(0, 2 * math.pi, count, endpoint=False)
    ]
    word = "salt" if letter == "S" else "pepper"
    tag = lathe(
        [(0.0208, 0.022), (0.0188, 0.046)],
        28,
        texture=tx.label(word, (0.97, 0.97, 0.95), (0.97, 0.97, 0.95), 4, (512, 112)),
        rgb=(1, 1, 1),
        specular=0.1,
    ).turned("z", -45)
    return model(glass_part, inside, dome, holes, tag, collider="cylinder")


@maker
def grinder(text: str = "pepper") -> Model:
    wood: dict[str, Any] = {
        "rgb": (0.42, 0.24, 0.12) if text == "pepper" else (0.72, 0.52, 0.32),
        "specular": 0.4,
        "shininess": 0.5,
        "tint": True,
    }
    body = lathe(
        [*smooth_profile([(0.028, 0), (0.030, 0.01), (0.022, 0.05), (0.020, 0.09), (0.027, 0.13), (0.024, 0.142)], 4), (0, 0.142)],
        32,
        **wood,
    )
    head = lathe(smooth_profile([(0.022, 0.143), (0.028, 0.155), (0.026, 0.178), (0.012, 0.190), (0.0, 0.192)], 4), 32, **wood)
    knob = ellipsoid(0.014, 0.014, 0.014, **STEEL).moved(z=0.197)
    return model(body, head, knob, lathe([(0.0245, 0.139), (0.0245, 0.146)], 32, **STEEL), collider="cylinder")


@maker
def atomizer(text: str = "") -> Model:
    """A trigger spray bottle."""
    tint = pick(text or "spray", "spray", ((0.90, 0.92, 0.94), (0.25, 0.55, 0.80), (0.30, 0.65, 0.40), (0.90, 0.60, 0.20)))
    body = lathe(
        [
            (0, 0),
            (0.036, 0),
            *smooth_profile([(0.040, 0.006), (0.040, 0.11), (0.030, 0.15), (0.015, 0.175), (0.014, 0.185)], 3),
            (0, 0.185),
        ],
        36,
        rgb=tint,
        specular=0.4,
        tint=True,
    )
    head = [
        box(0.075, 0.026, 0.026, rgb=(0.95, 0.95, 0.95)).moved(x=-0.012, z=0.198),
        lathe([(0.017, 0.178), (0.017, 0.200), (0, 0.200)], 20, rgb=(0.95, 0.95, 0.95)),
    ]
    nozzle = box(0.014, 0.016, 0.016, rgb=(0.80, 0.15, 0.12)).moved(x=-0.056, z=0.203)
    trigger = tube([(-0.034, 0, 0.198), (-0.042, 0, 0.178), (-0.036, 0, 0.155)], [0.007, 0.006, 0.005], 8, rgb=(0.80, 0.15, 0.12))
    return model(body, head, nozzle, trigger, [_wrap(0.0425, 0.022, 0.092, text)] if text else [], collider="cylinder")


@maker
def dispenser(text: str = "soap") -> Model:
    """A pump bottle."""
    tint = pick(text, "pump", ((0.92, 0.93, 0.93), (0.55, 0.78, 0.80), (0.90, 0.78, 0.72), (0.70, 0.82, 0.60)))
    body = lathe(
        [(0, 0), (0.034, 0), (0.037, 0.005), (0.037, 0.115), (0.030, 0.128), (0.014, 0.132), (0.014, 0.140), (0, 0.140)],
        36,
        rgb=tint,
        specular=0.4,
        tint=True,
    )
    pump = [
        lathe([(0.0165, 0.136), (0.0165, 0.150), (0.006, 0.154), (0.006, 0.172), (0, 0.172)], 24, **WHITE),
        rounded_box(0.028, 0.024, 0.012, 4, **WHITE).moved(z=0.170),
    ]
    pump.append(tube([(-0.008, 0, 0.177), (-0.040, 0, 0.178), (-0.048, 0, 0.170)], 0.0045, 10, **WHITE))
    return model(body, pump, _wrap(0.0376, 0.022, 0.105, text), collider="cylinder")


@maker
def jug_of(text: str) -> Model:
    """A plastic gallon jug with a handle."""
    stuff = contents_colour(text)
    body = rounded_box(0.15, 0.15, 0.20, 6, rgb=stuff, specular=0.3, tint=True)
    shoulder = lathe([(0.070, 0.185), (0.030, 0.245), (0.024, 0.250), (0.024, 0.262), (0, 0.262)], 28, rgb=stuff, specular=0.3, tint=True)
    cap = lathe([(0.027, 0.250), (0.027, 0.270), (0, 0.270)], 24, rgb=pick(text, "cap", LIDS))
    grip = handle(0.045, 0.19, 0.042, 0.085, 0.010, rgb=stuff, specular=0.3)
    ground, stripe = label_colours(text)
    image = tx.label(text, ground, stripe, 1, (320, 256))
    tags = [
        box(0.115, 0.002, 0.095, only=["front", "back"], texture=image, rgb=(1, 1, 1)).moved(y=-0.0752, z=0.05).turned("z", a)
        for a in (0, 90, 180, 270)
    ]
    return model(body, shoulder, cap, grip, tags, collider="box")


@maker
def bag(text: str) -> Model:
    """A filled pouch with crimped ends."""
    ground = pick(text, "bag")
    image = tx.label(text, ground, CREAM if sum(ground) < 2.0 else (0.30, 0.20, 0.12), 2, (768, 384))
    p = rounded_box(0.17, 0.075, 0.23, 2.6, 20, 36, rgb=(1, 1, 1), specular=0.35, shininess=0.6)
    v = p.vertices.copy()
    t = v[:, 2] / 0.23
    pinch = np.clip(np.minimum(t, 1 - t) * 5, 0.05, 1) ** 0.7
    v[:, 1] *= pinch
    v[:, 0] = np.sign(v[:, 0]) * np.minimum(np.abs(v[:, 0]) * (1 + 0.5 * (1 - pinch)), 0.085)
    u = np.where(v[:, 1] <= 0, 0.25 + v[:, 0] / 0.17 * 0.5, 0.75 - v[:, 0] / 0.17 * 0.5)
    body = Part(v, p.faces, uv=np.stack([u, t], 1), texture=image, rgb=(1, 1, 1), specular=0.35, shininess=0.6)
    crimp = [box(0.165, 0.004, 0.014, rgb=CREAM).moved(z=z) for z in (-0.004, 0.22)]
    return model(body, crimp, collider="box")


@maker
def pack(text: str) -> Model:
    """A flat shrink-wrapped tray package."""
    ground = pick(text, "packground")
    tray_part = box(0.20, 0.14, 0.03, rgb=(0.92, 0.92, 0.90), specular=0.2)
    stuff = rounded_box(0.185, 0.125, 0.035, 5, rgb=contents_colour(text), specular=0.4).moved(z=0.014)
    image = tx.label(text, CREAM, ground, 1, (384, 256))
    tag = [box(0.13, 0.09, 0.002, only=["top"], texture=image, rgb=(1, 1, 1)).moved(z=0.048)]
    tag += [
        box(0.17, 0.002, 0.026, only=["front"], texture=tx.label(text, CREAM, ground, 1, (512, 96)), rgb=(1, 1, 1))
        .moved(y=-0.071, z=0.002)
        .turned("z", a)
        for a in (0, 180)
    ]
    return model(tray_part, stuff, tag, collider="box")


@maker
def bucket_of(text: str) -> Model:
    body = lathe([(0, 0), (0.085, 0), (0.095, 0.20), (0.098, 0.205), (0.098, 0.215), (0, 0.215)], 40, **WHITE | {"tint": True})
    bail = tube(
        np.array([(0.098 * math.cos(a), 0.01, 0.19 - 0.07 * math.sin(a)) for a in np.linspace(0, math.pi, 20)]) * np.array([1, 1, 1])
        + np.array([0, -0.1, 0]) * 0,
        0.003,
        8,
        **STEEL,
    )
    ground, stripe = label_colours(text)
    tag = lathe(
        [(0.0888, 0.04), (0.0938, 0.16)], 40, texture=tx.label(text, ground, stripe, 4, (768, 192)), rgb=(1, 1, 1), specular=0.1
    ).turned("z", -45)
    return model(body, bail, tag, collider="cylinder")


@maker
def tube_of(text: str) -> Model:
    """A squeeze tube lying on its side."""
    ground, stripe = label_colours(text)
    body = lathe(
        [(0, 0), (0.018, 0), (0.019, 0.01), (0.019, 0.11), (0.016, 0.14), (0, 0.14)],
        30,
        texture=tx.label(text, ground, stripe, 2, (512, 384)),
        rgb=(1, 1, 1),
        specular=0.3,
    )
    v = body.vertices.copy()
    flat = np.clip((v[:, 2] - 0.03) / 0.11, 0, 1)
    v[:, 1] *= 1 - 0.93 * flat
    v[:, 0] *= 1 + 0.35 * flat
    cap = lathe([(0, -0.022), (0.015, -0.022), (0.015, 0), (0, 0)], 24, rgb=stripe)
    return model(Part(v, body.faces, uv=body.uv, texture=body.texture, rgb=(1, 1, 1), specular=0.3), cap, collider="hull")


@maker
def spray_can(text: str = "paint") -> Model:
    body = lathe([(0, 0), (0.031, 0), (0.033, 0.004), (0.033, 0.15), (0.026, 0.165), (0.016, 0.172), (0, 0.172)], 36, **STEEL)
    cap = lathe([(0.026, 0.162), (0.026, 0.195), (0.023, 0.2), (0, 0.2)], 30, rgb=pick(text, "spraycap"), specular=0.3)
    return model(body, cap, _wrap(0.0335, 0.008, 0.148, text), collider="cylinder")


@maker
def ink_bottle() -> Model:
    body = rounded_box(0.055, 0.055, 0.045, 7, rgb=(0.05, 0.07, 0.22), specular=0.8, shininess=0.8)
    cap = lathe([(0, 0.044), (0.017, 0.044), (0.017, 0.062), (0, 0.062)], 24, **DARK)
    tag = [
        box(0.042, 0.001, 0.026, only=["front"], texture=tx.label("ink", CREAM, (0.10, 0.14, 0.40), 1, (256, 160)), rgb=(1, 1, 1))
        .moved(y=-0.028, z=0.009)
        .turned("z", a)
        for a in (0, 90, 180, 270)
    ]
    return model(body, cap, tag, collider="box")


@maker
def perfume(text: str = "perfume") -> Model:
    glass_part = box(0.06, 0.03, 0.075, **CLEAR | {"alpha": 0.45})
    liquid = box(0.052, 0.022, 0.055, rgb=(0.92, 0.72, 0.55), alpha=0.9, specular=0.6).moved(z=0.004)
    neck = lathe([(0.009, 0.075), (0.009, 0.082), (0, 0.082)], 20, rgb=(0.80, 0.66, 0.30), specular=0.8)
    cap = box(0.028, 0.022, 0.030, rgb=(0.80, 0.66, 0.30), specular=0.9, shininess=0.8).moved(z=0.082)
    tag = [
        box(0.046, 0.001, 0.026, only=["front"], texture=tx.label(text, CREAM, (0.80, 0.66, 0.30), 1, (320, 160)), rgb=(1, 1, 1))
        .moved(y=-0.0158, z=0.026)
        .turned("z", a)
        for a in (0, 180)
    ]
    return model(glass_part, liquid, neck, cap, tag, collider="box")


@maker
def cup_of(text: str) -> Model:
    """A plastic dairy cup with a foil lid."""
    ground, stripe = label_colours(text)
    body = lathe([(0, 0), (0.028, 0), (0.036, 0.085), (0.040, 0.088), (0.040, 0.090), (0, 0.091)], 36, **WHITE)
    tag = lathe(
        [(0.0294, 0.010), (0.0362, 0.080)], 36, texture=tx.label(text, ground, stripe, 4, (768, 224)), rgb=(1, 1, 1), specular=0.1
    ).turned("z", -45)
    return model(body, tag, collider="cylinder")


@maker
def squeeze_bottle(text: str = "", colour: Colour = (0.80, 0.10, 0.08)) -> Model:
    body = lathe(
        [(0, 0), (0.028, 0), (0.031, 0.005), (0.031, 0.13), (0.026, 0.145), (0, 0.148)],
        36,
        rgb=contents_colour(text) if text else colour,
        specular=0.3,
        tint=True,
    )
    tip = lathe([(0.028, 0.142), (0.027, 0.156), (0.012, 0.162), (0.003, 0.195), (0, 0.195)], 28, rgb=CREAM)
    return model(body, tip, [_wrap(0.0315, 0.025, 0.115, text)] if text else [], collider="cylinder")


@maker
def pill_bottle() -> Model:
    body = lathe([(0, 0), (0.020, 0), (0.0205, 0.06), (0.017, 0.066), (0, 0.066)], 30, rgb=(0.88, 0.42, 0.06), alpha=0.62, specular=0.6)
    pills = [
        ellipsoid(0.012, 0.008, 0.006, 6, 10, rgb=(0.95, 0.95, 0.93))
        .turned("x", 40 * k)
        .moved(0.009 * math.cos(2.1 * k), 0.009 * math.sin(2.1 * k), 0.005 + 0.0035 * k)
        for k in range(9)
    ]
    cap = lathe([(0.0205, 0.063), (0.0205, 0.080), (0, 0.080)], 30, **WHITE)
    tag = lathe(
        [(0.0209, 0.022), (0.0211, 0.054)],
        32,
        texture=tx.label("pills", (0.97, 0.97, 0.97), (0.30, 0.45, 0.70), 2, (512, 128)),
        rgb=(1, 1, 1),
    )
    return model(body, pills, cap, tag, collider="cylinder")
