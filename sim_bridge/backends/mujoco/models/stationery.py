"""Books, paper, and what one writes and works with at a desk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import (
    Colour,
    Model,
    Part,
    box,
    ellipsoid,
    extrude,
    lathe,
    model,
    ring,
    rounded_box,
    smooth_profile,
    tube,
)
from sim_bridge.backends.mujoco.models.making import DARK, STEEL, WHITE, maker, pick
from sim_bridge.backends.mujoco.models.pieces_of_things import WOODEN, across, kept_image
from sim_bridge.backends.mujoco.models.vessels import vessel


@maker
def book(title: str = "", thick: float = 0.03, wide: float = 0.16, tall: float = 0.235, soft: bool = False, spiral: bool = False) -> Model:
    """A closed book lying flat, its title on both covers and on the spine."""
    ground = pick(title or "book", "cover")
    ink: Colour = (0.96, 0.93, 0.85) if sum(ground) < 1.7 else (0.15, 0.12, 0.10)
    cover = 0.0008 if soft else 0.0025
    front = tx.plate_text(title, ground, ink, (256, 352)) if title else None
    look: dict[str, Any] = {"rgb": ground, "specular": 0.2, "tint": True}
    face: dict[str, Any] = {"texture": front, "rgb": (1, 1, 1), "specular": 0.2} if front is not None else look
    lip = 0.0 if soft else 0.003
    pages = box(wide - 2 * lip, tall - 2 * lip, thick - 2 * cover, rgb=(0.94, 0.91, 0.83), specular=0.02).moved(x=lip / 2, z=cover)
    lids = [
        box(wide, tall, cover, **look),
        box(wide, tall, cover, **look).moved(z=thick - cover),
        box(wide, tall, 0.0004, only=["top"], **face).moved(z=thick),
    ]
    parts: list[Any] = [pages, lids]
    if spiral:
        parts += [
            ring(thick * 0.62, 0.0012, 14, 6, **STEEL).turned("x", 90).moved(-wide / 2, y, thick / 2)
            for y in np.linspace(-tall * 0.44, tall * 0.44, 22)
        ]
    else:
        parts.append(box(cover, tall, thick, **look).moved(x=-wide / 2))
        if title and thick > 0.012:
            spine = tx.plate_text(title, ground, ink, (384, 64))
            parts.append(
                box(tall * 0.9, 0.0006, thick * 0.8, only=["front"], texture=spine, rgb=(1, 1, 1))
                .turned("z", -90)
                .moved(x=-wide / 2 - cover / 2 - 0.0004, z=thick * 0.1)
            )
    return model(parts, collider="box")


@maker
def pencil() -> Model:
    yellow: dict[str, Any] = {"rgb": (0.95, 0.72, 0.12), "specular": 0.3, "tint": True}
    parts = [
        lathe([(0.0036, 0.02), (0.0036, 0.165)], 6, **yellow),
        lathe([(0.0012, 0.004), (0.0037, 0.0205)], 12, rgb=(0.86, 0.70, 0.48)),
        lathe([(0, 0), (0.0013, 0.0045)], 10, **DARK),
    ]
    parts += [
        lathe([(0.0039, 0.163), (0.0039, 0.176)], 14, **STEEL),
        lathe([(0.0036, 0.175), (0.0036, 0.187), (0, 0.188)], 14, rgb=(0.90, 0.52, 0.52)),
    ]
    return model([p.turned("y", 90).moved(z=0.0039) for p in parts], collider="box")


@maker
def crayon(colour: tuple[float, float, float] = (0.80, 0.12, 0.12)) -> Model:
    body = lathe(
        [(0, 0), (0.0045, 0), (0.0045, 0.078), (0.0038, 0.079), (0.0012, 0.092), (0, 0.092)], 18, rgb=colour, specular=0.3, tint=True
    )
    paper = lathe(
        [(0.0047, 0.008), (0.0047, 0.070)],
        18,
        texture=tx.bands(
            (colour, colour, (0.08, 0.08, 0.08), colour, colour, colour, colour, colour, colour, (0.08, 0.08, 0.08), colour, colour), 1, "v"
        ),
        rgb=(0.86, 0.86, 0.86),
        specular=0.05,
    )
    return model([p.turned("y", 90).moved(z=0.0047) for p in (body, paper)], collider="cylinder")


@maker
def marker(colour: tuple[float, float, float] = (0.10, 0.20, 0.65)) -> Model:
    parts = [
        lathe([(0, 0), (0.008, 0), (0.0085, 0.003), (0.0085, 0.095)], 22, **WHITE),
        lathe([(0, 0.093), (0.0093, 0.093), (0.0088, 0.14), (0.006, 0.143), (0, 0.143)], 22, rgb=colour, tint=True),
        lathe([(0.0087, 0.0), (0.0087, 0.008)], 22, rgb=colour, tint=True),
    ]
    return model([p.turned("y", 90).moved(z=0.0093) for p in parts], collider="cylinder")


@maker
def paintbrush() -> Model:
    handle = lathe(
        smooth_profile([(0, 0), (0.005, 0.004), (0.008, 0.05), (0.006, 0.11), (0.011, 0.13)], 4),
        18,
        rgb=(0.70, 0.16, 0.12),
        specular=0.5,
        tint=True,
    ).scaled(1.3, 0.7, 1)
    ferrule = box(0.05, 0.016, 0.036, **STEEL).moved(z=0.128)
    hair = box(0.048, 0.013, 0.06, texture=tx.wood((0.62, 0.46, 0.28), 2, 64), rgb=(1, 1, 1), specular=0.0).moved(z=0.163)
    return model([p.turned("y", 90).turned("x", 90) for p in (handle, ferrule, hair)], collider="box")


@maker
def clipboard() -> Model:
    board = box(0.23, 0.32, 0.004, texture=tx.wood((0.50, 0.32, 0.18), 5, 128), rgb=(1, 1, 1), specular=0.1)
    lines = np.full((128, 96, 3), 246, np.uint8)
    lines[14::9, 8:88] = 150
    paper = box(0.205, 0.275, 0.002, only=["top", "front", "left", "right"], texture=kept_image(lines), rgb=(1, 1, 1), specular=0.0).moved(
        y=-0.012, z=0.004
    )
    clip = [
        box(0.10, 0.03, 0.006, **STEEL).moved(y=0.138, z=0.005),
        tube([(-0.04, 0.148, 0.014), (0.04, 0.148, 0.014)], 0.006, 10, **STEEL),
    ]
    return model(board, paper, clip, collider="box")


@maker
def pencil_holder() -> Model:
    cup = vessel([(0.036, 0), (0.038, 0.10)], 0.003, 0.004, 30, rgb=(0.16, 0.17, 0.19), specular=0.3, tint=True)
    colours = ((0.95, 0.72, 0.12), (0.80, 0.12, 0.12), (0.12, 0.30, 0.70), (0.15, 0.50, 0.25))
    pens: list[Part] = []
    for k, colour in enumerate(colours):
        a = 1.6 * k
        pens.append(
            tube(
                [(0.012 * math.cos(a), 0.012 * math.sin(a), 0.01), (0.028 * math.cos(a), 0.028 * math.sin(a), 0.16)], 0.0038, 8, rgb=colour
            )
        )
        pens.append(
            lathe([(0, 0.016), (0.0037, 0)], 8, rgb=(0.88, 0.72, 0.50))
            .scaled(1, 1, 1)
            .moved(0.0282 * math.cos(a), 0.0282 * math.sin(a), 0.159)
        )
    return model(cup, pens, hollow=True, collider="cylinder")


@maker
def sticky_note() -> Model:
    return model(
        box(0.076, 0.076, 0.012, rgb=(0.98, 0.90, 0.35), specular=0.02, tint=True),
        box(0.06, 0.003, 0.0004, only=["top"], rgb=(0.30, 0.30, 0.35)).moved(y=0.012, z=0.012),
        box(0.05, 0.003, 0.0004, only=["top"], rgb=(0.30, 0.30, 0.35)).moved(x=-0.005, y=-0.004, z=0.012),
        collider="box",
    )


@maker
def glue_stick() -> Model:
    body = lathe([(0, 0), (0.011, 0), (0.011, 0.07), (0.0125, 0.071), (0.0125, 0.09), (0, 0.091)], 26, **WHITE)
    return model(
        body,
        lathe(
            [(0.0113, 0.012), (0.0113, 0.062)],
            26,
            texture=tx.label("glue stick", (0.95, 0.80, 0.15), (0.75, 0.15, 0.12), 2, (384, 240)),
            rgb=(1, 1, 1),
        ),
        collider="cylinder",
    )


@maker
def pencil_case() -> Model:
    pouch = rounded_box(0.21, 0.07, 0.055, 4, 14, 30, texture=tx.fabric((0.16, 0.30, 0.58), 3, 128), rgb=(1, 1, 1), specular=0.0, tint=True)
    zip_line = [box(0.19, 0.006, 0.003, **STEEL).moved(z=0.0535), box(0.018, 0.006, 0.004, rgb=(0.85, 0.70, 0.20)).moved(x=0.095, z=0.055)]
    pencils = [
        tube([(-0.02 + 0.0, y, 0.05), (0.15, y * 1.4, 0.062)], 0.0036, 6, rgb=c)
        for y, c in ((-0.008, (0.95, 0.72, 0.12)), (0.004, (0.80, 0.15, 0.12)))
    ]
    tips = [ellipsoid(0.012, 0.005, 0.005, rgb=(0.88, 0.72, 0.50)).moved(0.152, y * 1.4, 0.0622) for y in (-0.008, 0.004)]
    image = tx.plate_text("pencil case", (0.93, 0.92, 0.86), (0.1, 0.1, 0.1), (256, 72))
    tags = [box(0.12, 0.001, 0.03, only=["front"], texture=image, rgb=(1, 1, 1)).moved(y=-0.0362, z=0.013).turned("z", a) for a in (0, 180)]
    return model(pouch, zip_line, pencils, tips, tags, collider="box")


@maker
def envelope() -> Model:
    """A closed letter with stamp and address."""
    paper = box(0.22, 0.11, 0.003, rgb=(0.96, 0.95, 0.92), specular=0.05, tint=True)
    lines = [
        box(w, 0.0025, 0.0004, only=["top"], rgb=(0.20, 0.22, 0.40)).moved(-0.0 + w / 2 - 0.03, -0.012 - 0.012 * k, 0.003)
        for k, w in enumerate((0.08, 0.07, 0.055))
    ]
    stamp = [
        box(0.028, 0.032, 0.0005, only=["top"], rgb=(0.75, 0.18, 0.16)).moved(0.088, 0.033, 0.003),
        box(0.02, 0.024, 0.0004, only=["top"], rgb=(0.95, 0.85, 0.60)).moved(0.088, 0.033, 0.0036),
    ]
    return model(paper, lines, stamp, collider="box")


@maker
def desk_organizer() -> Model:
    wood: dict[str, Any] = {"texture": tx.wood((0.72, 0.54, 0.34), 3, 128), "rgb": (1, 1, 1), "specular": 0.1, "tint": True}
    x, y, t = 0.24, 0.12, 0.006
    walls = (
        [box(x, t, h, **wood).moved(y=yy) for h, yy in ((0.07, -y / 2), (0.10, 0.0), (0.13, y / 2))]
        + [box(t, y, 0.10, **wood).moved(x=xx) for xx in (-x / 2, 0.0, x / 2)]
        + [box(x, y, t, **wood)]
    )
    pens: list[Part] = []
    for k, c in enumerate(((0.80, 0.12, 0.12), (0.12, 0.30, 0.70), (0.95, 0.72, 0.12), (0.10, 0.10, 0.12))):
        pens.append(tube([(0.04 + 0.016 * k, 0.03, 0.01), (0.05 + 0.018 * k, 0.04, 0.17)], 0.004, 8, rgb=c))
    cards = [
        box(0.09, 0.002, 0.10, rgb=c).moved(-0.06, -0.03 + 0.010 * k, 0.01)
        for k, c in enumerate(((0.96, 0.90, 0.55), (0.93, 0.93, 0.93), (0.70, 0.85, 0.95)))
    ]
    return model(walls, pens, cards, hollow=True, collider="box")


@maker
def magazine_rack() -> Model:
    wood: dict[str, Any] = {"texture": tx.wood((0.60, 0.40, 0.24), 5, 128), "rgb": (1, 1, 1), "specular": 0.2}
    sides = [box(0.018, 0.26, 0.34, **wood).moved(x=s * 0.20) for s in (-1, 1)]
    bars = [box(0.39, 0.012, 0.04, **wood).moved(y=s * 0.10, z=z) for s in (-1, 1) for z in (0.06, 0.15, 0.24)] + [
        box(0.39, 0.20, 0.012, **wood).moved(z=0.05)
    ]
    issues = [
        box(
            0.30 - 0.02 * k,
            0.006,
            0.33 - 0.02 * (k % 2),
            texture=tx.plate_text("magazine", c, (0.97, 0.97, 0.95), (192, 192)),
            rgb=(1, 1, 1),
            specular=0.3,
        )
        .turned("x", -6)
        .moved(0, -0.06 + 0.035 * k, 0.06)
        for k, c in enumerate(((0.72, 0.16, 0.18), (0.16, 0.40, 0.62), (0.20, 0.48, 0.30)))
    ]
    return model(sides, bars, issues, hollow=True, collider="box")


@maker
def set_triangle() -> Model:
    """A drawing triangle."""
    look: dict[str, Any] = {"rgb": (0.30, 0.62, 0.80), "alpha": 0.7, "specular": 0.6, "tint": True}
    bars = [
        extrude([(0, 0), (0.20, 0), (0.145, 0.025), (0.025, 0.025)], 0.002, **look),
        extrude([(0, 0), (0.025, 0.025), (0.025, 0.145), (0, 0.20)], 0.002, **look),
        extrude([(0.20, 0), (0, 0.20), (0.025, 0.145), (0.145, 0.025)], 0.002, **look),
    ]
    marks = [
        box(0.0008, 0.006 if k % 5 else 0.010, 0.0004, only=["top"], **DARK).moved(0.012 + 0.008 * k, 0.006, 0.0021) for k in range(21)
    ]
    return model(bars, marks, collider="box")


@maker
def newspaper() -> Model:
    """A folded newspaper: a title, a headline, columns and a picture that name nobody."""
    paper = (0.93, 0.92, 0.88)
    page = np.full((320, 260, 3), np.array(paper) * 255, np.uint8)

    def put(image: Any, top: int, left: int) -> None:
        page[top : top + image.shape[0], left : left + image.shape[1]] = image

    put(tx.plate_text("Daily News", paper, (0.08, 0.08, 0.08), (236, 46)), 8, 12)
    page[58:60, 10:250] = page[66:67, 10:250] = 40
    put(tx.plate_text("Sun after rain", paper, (0.12, 0.12, 0.12), (236, 34)), 72, 12)
    rng = np.random.default_rng(3)
    for column in range(4):
        left = 12 + 60 * column
        for row in range(112, 312, 5):
            if column in (1, 2) and 120 <= row < 205:
                continue
            page[row : row + 2, left : left + int(rng.uniform(40, 53))] = 96
    y, x = np.mgrid[0:80, 0:112]
    sky = np.where((y < 48 - 10 * np.sin(x / 17.0))[..., None], np.array([196, 200, 204]), np.array([112, 116, 110]))
    sun = (np.hypot(x - 78, y - 20) < 11)[..., None]
    put(np.where(sun, np.array([240, 238, 226]), sky).astype(np.uint8), 122, 73)
    fold: dict[str, Any] = {"rgb": paper, "specular": 0.02}
    sheets = [rounded_box(0.29, 0.36, 0.005, 9, 6, 28, **fold).moved(x=0.001 * k, z=0.0045 * k) for k in range(4)]
    cover = box(0.284, 0.352, 0.0012, only=["top"], texture=page, rgb=(1, 1, 1), specular=0.02).moved(x=0.003, z=0.0185)
    return model(sheets, cover, collider="box")


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
    return model([across(p).moved(-0.30, 0, 0.028) for p in (roll, core)], piece, collider="box")


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
