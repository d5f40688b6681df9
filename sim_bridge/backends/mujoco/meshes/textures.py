"""Procedural images: woods, tiles, fabrics, ball patterns and package labels. Deterministic in their seed; nothing is downloaded."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sim_bridge.backends.mujoco.meshes.shapes import Colour, Grained, Texture

Field = NDArray[np.float64]


def noise(height: int, width: int, seed: int, cell: int = 64, octaves: int = 4, stretch: float = 1.0) -> Field:
    """Cloudy values in 0..1; `stretch` > 1 draws them out along x. Wraps at the edges, so that it tiles."""
    total, weight, amplitude = np.zeros((height, width)), 0.0, 1.0
    for octave in range(octaves):
        size = max(1, cell >> octave)
        rows, columns = max(2, height // size), max(2, int(width // (size * stretch)))
        values = np.random.default_rng([seed, octave]).random((rows, columns))
        wrapped = np.pad(values, 2, mode="wrap")
        scale_y, scale_x = height / rows, width / columns
        big = Image.fromarray((wrapped * 255).astype(np.uint8)).resize(
            (round((columns + 4) * scale_x), round((rows + 4) * scale_y)), Image.Resampling.BICUBIC
        )
        y0, x0 = round(2 * scale_y), round(2 * scale_x)
        total += amplitude * np.asarray(big)[y0 : y0 + height, x0 : x0 + width] / 255.0
        weight += amplitude
        amplitude *= 0.5
    return total / weight


def to_image(values: Field) -> Texture:
    """Values from 0 to 1 as bytes."""
    return np.clip(values * 255.0, 0, 255).astype(np.uint8)


def _tint(base: Colour, brightness: Field) -> Texture:
    return to_image(np.array(base) * brightness[..., None])


@functools.lru_cache(maxsize=64)
def wood(base: Colour = (0.55, 0.36, 0.2), seed: int = 0, size: int = 256, rings: float = 8.0) -> Texture:
    """A sawn board whose grain runs along u: growth rings as long lines, about `rings` of them, bent a little, over fine fibres."""
    warp = noise(size, size, seed, size // 2, 3, 4.0)
    fibre = noise(size, size, seed + 101, max(2, size // 48), 2, 24.0)
    tone = noise(size, size, seed + 202, size // 4, 3, 8.0)
    v = np.arange(size)[:, None] / size
    phase = (v * round(rings) + 2.4 * warp + 0.35 * tone) % 1.0
    # Early wood passes slowly into late wood, which ends at once.
    ring = phase**2.2 * np.clip((1 - phase) / 0.12, 0, 1)
    return _tint(base, 0.86 + 0.16 * tone + 0.13 * fibre - 0.20 * ring).view(Grained)


@functools.lru_cache(maxsize=32)
def planks(base: Colour, seed: int = 0, size: int = 768, rows: int = 8, joints: bool = True) -> Texture:
    """Floorboards along x; covers `rows` boards and tiles."""
    out, height = np.zeros((size, size, 3)), size // rows
    for i in range(rows):
        rng = np.random.default_rng([seed, 7, i])
        split = int(rng.integers(size // 8, size * 7 // 8))
        for lo, hi in ((0, split), (split, size)):
            f = noise(height, size, int(rng.integers(1 << 30)), max(height // 2, 4), 2, 10.0)[:, lo:hi]
            tone = 0.84 + 0.28 * rng.random()
            warm = 1 + 0.03 * rng.standard_normal()
            board = np.array([base[0] * warm, base[1], base[2] / warm]) * (tone * (0.78 + 0.40 * f))[..., None]
            if joints:
                board[:, 0] *= 0.5
                board[:, -1] *= 0.8
            out[i * height : (i + 1) * height, lo:hi] = board
        if joints:
            out[i * height] *= 0.5
            out[i * height + height - 1] *= 0.78
    return to_image(out)


@functools.lru_cache(maxsize=32)
def tiles(
    base: Colour, seed: int = 0, size: int = 512, count: int = 4, joint: Colour = (0.55, 0.54, 0.52), variation: float = 0.028
) -> Texture:
    """Square tiles with joints; covers `count` × `count` tiles and wraps."""
    out = np.array(base) * (0.95 + 0.09 * noise(size, size, seed, size // 8, 4)[..., None])
    step, rng = size // count, np.random.default_rng([seed, 11])
    for i in range(count):
        for j in range(count):
            out[i * step : (i + 1) * step, j * step : (j + 1) * step] *= 1 + variation * rng.standard_normal()
    width = max(2, size // (count * 42))
    for k in range(count):
        out[k * step : k * step + width] = joint
        out[:, k * step : k * step + width] = joint
    return to_image(out)


@functools.lru_cache(maxsize=32)
def plaster(base: Colour, seed: int = 0, size: int = 256) -> Texture:
    """A painted wall."""
    return _tint(base, 0.965 + 0.05 * noise(size, size, seed, 32, 2))


@functools.lru_cache(maxsize=32)
def stripes(base: Colour, seed: int = 0, size: int = 256, count: int = 8) -> Texture:
    """Quiet vertical wallpaper stripes."""
    x = np.arange(size) * count * 2 // size % 2
    return _tint(base, (0.975 + 0.035 * x)[None, :] * (0.985 + 0.025 * noise(size, size, seed, 32, 2)))


@functools.lru_cache(maxsize=16)
def drape(base: Colour, seed: int = 0) -> Texture:
    """Soft folds of a hanging cloth, as brightness along u."""
    x = np.linspace(0, 1, 128)
    folds = 0.86 + 0.12 * np.cos(x * 2 * math.pi * 3.5) + 0.03 * np.sin(x * 2 * math.pi * 9 + seed)
    return _tint(base, np.broadcast_to(folds, (16, 128)))


GRASS: Colour = (0.50, 0.64, 0.34)


@functools.lru_cache(maxsize=8)
def lawn(seed: int = 0) -> Texture:
    """Grass, seen from above."""
    return _tint(GRASS, 0.86 + 0.18 * noise(128, 128, seed + 9, 32, 2))


@functools.lru_cache(maxsize=8)
def outdoors(seed: int = 0) -> Texture:
    """A view over gardens to trees and sky, 20 m tall with the horizon at eye height (6.5 m above its lower edge); wraps around."""
    w, h = 1024, 512
    y = np.linspace(20.0, 0.0, h)[:, None]  # metres above the lower edge
    far = 8.6 + 2.6 * (noise(8, w, seed, 96, 2)[4] - 0.35)[None, :]
    close = 6.9 + 3.4 * np.clip(noise(8, w, seed + 5, 160, 3)[4] - 0.5, 0, 1)[None, :]
    clouds = np.clip(noise(h, w, seed + 1, 128, 3, 3.0) - 0.52, 0, 1)[..., None] * 1.1
    up = np.clip((y - 6.5) / 13.5, 0, 1)[..., None]
    sky = np.array([0.80, 0.89, 0.97]) * (1 - up) + np.array([0.50, 0.70, 0.94]) * up
    image = np.broadcast_to(sky, (h, w, 3)) * (1 - clouds) + clouds
    leaves = noise(h, w, seed + 2, 24, 2)[..., None]
    image = np.where((y < far)[..., None], np.array([0.47, 0.58, 0.50]) * (0.82 + 0.25 * leaves), image)
    image = np.where((y < close)[..., None], np.array([0.30, 0.44, 0.24]) * (0.72 + 0.5 * leaves), image)
    meadow = np.array(GRASS) * (0.85 + 0.2 * noise(h, w, seed + 3, 32, 2, 4.0)[..., None])
    return to_image(np.where((y < 6.4)[..., None], meadow, image))


@functools.lru_cache(maxsize=64)
def fabric(base: Colour, seed: int = 0, size: int = 256, period: int = 4) -> Texture:
    """Woven stuff."""
    y, x = np.mgrid[0:size, 0:size]
    weave = 0.5 + 0.25 * np.sin(x * 2 * math.pi / period) + 0.25 * np.sin(y * 2 * math.pi / period)
    return _tint(base, 0.78 + 0.2 * weave + 0.16 * noise(size, size, seed, 32))


@functools.lru_cache(maxsize=32)
def carpet(base: Colour, seed: int = 0, size: int = 512) -> Texture:
    """A carpet of short pile."""
    # No detail finer than a few texels: it would shimmer, and a lossless frame of it is twice as large.
    return _tint(base, 0.74 + 0.18 * noise(size, size, seed + 3, 8, 2) + 0.2 * noise(size, size, seed, 64, 3))


@functools.lru_cache(maxsize=16)
def rug(base: Colour, accent: Colour, seed: int = 0, size: int = 384) -> Texture:
    """A bordered rug with a lozenge field."""
    y, x = np.mgrid[0:size, 0:size] / size
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    lozenge = (np.abs((x * 6) % 1 - 0.5) + np.abs((y * 6) % 1 - 0.5)) < 0.28
    mark = ((edge > 0.05) & (edge < 0.085)) | ((edge > 0.11) & lozenge)
    out = np.where(mark[..., None], np.array(accent), np.array(base))
    return to_image(out * (0.82 + 0.25 * np.random.default_rng([seed, 5]).random((size, size)))[..., None])


@functools.lru_cache(maxsize=24)
def soft_rug(base: Colour, accent: Colour, kind: str = "lozenge", proportion: float = 0.7, size: int = 256) -> Texture:
    """A woven rug: a border and lozenges, stripes or plain; `proportion` is its depth by its width. No fine grain."""
    h = max(32, int(size * min(max(proportion, 0.2), 3.0)))
    y, x = np.mgrid[0:h, 0:size] / size
    top = h / size
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, top - y))
    border = (edge > 0.035) & (edge < 0.065)
    if kind == "stripes":
        field = ((y * 9) % 1.0 < 0.4) & (edge > 0.065)
    elif kind == "plain":
        field = np.zeros_like(border)
    else:
        field = ((np.abs((x * 5) % 1 - 0.5) + np.abs((y * 5) % 1 - 0.5)) < 0.27) & (edge > 0.10)
    out = np.where((border | field)[..., None], np.array(accent), np.array(base))
    return to_image(out * (0.90 + 0.16 * noise(h, size, 5, 32, 2))[..., None])


@functools.lru_cache(maxsize=64)
def speckle(
    base: Colour, spots: Colour, seed: int = 0, size: int = 128, amount: float = 0.5, cell: int = 16, soft: float = 0.12
) -> Texture:
    """Blotches of a second colour: skins, stone, bread, cork."""
    f = noise(size, size, seed, cell, 4)
    cut = np.quantile(f, 1 - amount)
    mix = np.clip((f - cut) / soft + 0.5, 0, 1)[..., None]
    return to_image((np.array(base) * (1 - mix) + np.array(spots) * mix) * (0.95 + 0.1 * noise(size, size, seed + 1, 8, 2))[..., None])


@functools.lru_cache(maxsize=64)
def bands(
    colours: tuple[Colour, ...], counts: int = 1, axis: str = "u", size: int = 128, wave: float = 0.0, soft: bool = False, seed: int = 0
) -> Texture:
    """Stripes of the given colours along u (around) or v (upward), repeated `counts` times, edges waved by `wave`."""
    y, x = np.mgrid[0:size, 0:size] / size
    t = (x if axis == "u" else 1 - y) + wave * (noise(size, size, seed, 32, 3) - 0.5)
    p = (t * counts % 1.0) * len(colours)
    palette = np.array(colours)
    k = np.floor(p).astype(int) % len(colours)
    if not soft:
        return to_image(palette[k])
    f = (p - np.floor(p))[..., None]
    return to_image(palette[k] * (1 - f) + palette[(k + 1) % len(colours)] * f)


def _sphere_directions(height: int = 128, width: int = 256) -> tuple[Field, Field, Field]:
    """Unit directions of the pixels of a longitude/latitude image; v = 0 (bottom row) is the south pole."""
    latitude = (0.5 - (np.arange(height) + 0.5) / height) * math.pi
    longitude = (np.arange(width) + 0.5) / width * 2 * math.pi
    la, lo = np.meshgrid(latitude, longitude, indexing="ij")
    return np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)


def _seam(width: float, size: int = 128) -> Field:
    """Where the tennis-ball seam runs (1 on the seam)."""
    x, y, z = _sphere_directions(size, 2 * size)
    t = np.linspace(0, 2 * math.pi, 240)
    a, b = 0.75, 0.25
    curve = np.stack([a * np.cos(t) + b * np.cos(3 * t), a * np.sin(t) - b * np.sin(3 * t), 2 * math.sqrt(a * b) * np.sin(2 * t)])
    nearest = np.max(np.stack([x, y, z], -1) @ curve, -1)
    return np.asarray(np.arccos(np.clip(nearest, -1, 1)) < width, float)


@functools.lru_cache(maxsize=32)
def sports_ball(kind: str) -> Texture:
    """Skins of well-known balls on a longitude/latitude image."""
    x, y, z = _sphere_directions()
    if kind == "tennis":
        fuzz = 0.86 + 0.14 * np.random.default_rng(1).random(x.shape)
        return to_image(np.where(_seam(0.055)[..., None] > 0, np.array([0.97, 0.97, 0.93]), np.array([0.80, 0.90, 0.16]) * fuzz[..., None]))
    if kind in ("baseball", "softball"):
        base = np.array([0.95, 0.94, 0.90]) if kind == "baseball" else np.array([0.90, 0.95, 0.25])
        near, seam = _seam(0.11), _seam(0.022)
        stitches = (near > 0) & ((np.arange(x.shape[1])[None, :] + 2 * np.arange(x.shape[0])[:, None]) % 7 < 2)
        out = np.where(stitches[..., None], np.array([0.80, 0.08, 0.10]), base)
        return to_image(np.where(seam[..., None] > 0, np.array([0.55, 0.45, 0.42]), out))
    if kind == "basketball":
        lines = (np.abs(x) < 0.025) | (np.abs(y) < 0.025) | (np.abs(np.abs(x) - 0.62 - 0.28 * z * z) < 0.025)
        pebbles = 0.9 + 0.1 * np.random.default_rng(2).random(x.shape)
        return to_image(np.where(lines[..., None], np.array([0.08, 0.07, 0.07]), np.array([0.85, 0.40, 0.12]) * pebbles[..., None]))
    if kind == "soccer":
        phi = (1 + math.sqrt(5)) / 2
        five = np.array(
            [(0, s, t * phi) for s in (-1, 1) for t in (-1, 1)]
            + [(s, t * phi, 0) for s in (-1, 1) for t in (-1, 1)]
            + [(t * phi, 0, s) for s in (-1, 1) for t in (-1, 1)],
            float,
        )
        six = np.array(
            [(s, t, u) for s in (-1, 1) for t in (-1, 1) for u in (-1, 1)]
            + [p for s in (-1, 1) for t in (-1, 1) for p in ((0, s / phi, t * phi), (s / phi, t * phi, 0), (t * phi, 0, s / phi))],
            float,
        )
        d = np.stack([x, y, z], -1)
        near_five = np.max(d @ (five / np.linalg.norm(five, axis=1, keepdims=True)).T, -1)
        hexagons = np.sort(d @ (six / np.linalg.norm(six, axis=1, keepdims=True)).T, -1)
        black = near_five > 0.936
        line = (hexagons[..., -1] - hexagons[..., -2] < 0.022) & ~black
        return to_image(np.where(black[..., None], 0.07, np.where(line[..., None], 0.45, 0.95)) * np.ones(3))
    if kind == "volleyball":
        a = np.abs(np.stack([x, y, z], -1))
        face = np.argmax(a, -1)
        d = np.stack([x, y, z], -1)
        across = np.take_along_axis(d, ((face + 1) % 3)[..., None], -1)[..., 0] / np.max(a, -1)
        edge = np.sort(a, -1)
        line = (edge[..., 2] - edge[..., 1] < 0.03) | (np.abs(np.abs(across) - 0.33) < 0.025)
        panel = np.where((np.abs(across) < 0.33)[..., None], np.array([0.95, 0.82, 0.18]), np.array([0.95, 0.95, 0.93]))
        panel = np.where(((np.abs(across) >= 0.33) & (across > 0))[..., None], np.array([0.14, 0.30, 0.68]), panel)
        return to_image(np.where(line[..., None], 0.35, panel))
    if kind == "bowling":
        swirl = noise(128, 256, 9, 64, 4)
        out = np.array([0.08, 0.12, 0.38]) * (0.6 + 0.9 * swirl[..., None])
        for u, v in ((-0.10, 0.12), (0.10, 0.12), (0.0, -0.16)):
            hole = np.array([u, v, math.sqrt(1 - u * u - v * v)])
            out[(x * hole[0] + y * hole[1] + z * hole[2]) > 0.995] = 0.01
        return to_image(out)
    if kind == "golf":
        n = 300
        k = np.arange(n) + 0.5
        la, lo = np.arccos(1 - 2 * k / n), math.pi * (1 + math.sqrt(5)) * k
        centres = np.stack([np.cos(lo) * np.sin(la), np.sin(lo) * np.sin(la), np.cos(la)])
        near = np.max(np.stack([x, y, z], -1) @ centres, -1)
        return to_image(np.where(near[..., None] > 0.9965, 0.80, 0.97) * np.ones(3))
    if kind == "pool":
        out = np.where((np.abs(z) < 0.55)[..., None], np.array([0.93, 0.72, 0.08]), np.array([0.96, 0.95, 0.92]))
        spot = np.maximum(x, -x)
        out = np.where((spot > 0.90)[..., None], np.array([0.97, 0.97, 0.95]), out)
        image = Image.fromarray(to_image(out))
        draw = ImageDraw.Draw(image)
        for u in (0, 128, 256):
            draw.text((u, 64), "9", fill=(15, 15, 15), font=font(26), anchor="mm")
        return np.asarray(image)
    if kind == "ping_pong":
        return to_image(np.full((*x.shape, 3), 0.97) * np.where(np.abs(z[..., None]) < 0.015, 0.90, 1.0))
    if kind == "beach":
        wedge = (np.arange(256) * 6 // 256) % 6
        colours = np.array(
            [[0.9, 0.15, 0.15], [0.97, 0.97, 0.97], [0.15, 0.45, 0.9], [0.97, 0.97, 0.97], [0.98, 0.82, 0.15], [0.97, 0.97, 0.97]]
        )
        return to_image(np.broadcast_to(colours[wedge], (128, 256, 3)).copy())
    raise ValueError(f"unknown ball {kind!r}")


@functools.lru_cache(maxsize=128)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's bundled font."""
    return ImageFont.load_default(size)


def fit_words(draw: ImageDraw.ImageDraw, text: str, width: float, height: float, largest: int = 96) -> tuple[list[str], int]:
    """Break `text` into lines and choose the largest font size that fits the box."""
    words = text.split()
    best: tuple[list[str], int] = ([text], 6)
    for lines in range(1, len(words) + 1):
        rows: list[str] = []
        target, row = len(text) / lines, ""
        for word in words:
            if row and len(rows) < lines - 1 and len(row) + len(word) / 2 >= target:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}".strip()
        rows.append(row)
        size = min(largest, int(height / (1.18 * len(rows))))
        while size > best[1]:
            wide = max(draw.textlength(r, font=font(size)) for r in rows)
            if wide <= width:
                best = (rows, size)
                break
            # Widths grow nearly in proportion to the size: go to just above where it will fit.
            size = min(size - 1, int(size * width / wide) + 2)
    return best


def _write(draw: ImageDraw.ImageDraw, text: str, box: tuple[float, float, float, float], ink: tuple[int, int, int]) -> None:
    x0, y0, x1, y1 = box
    lines, size = fit_words(draw, text, x1 - x0, y1 - y0)
    step = size * 1.12
    y = (y0 + y1) / 2 - step * (len(lines) - 1) / 2
    for line in lines:
        draw.text(((x0 + x1) / 2, y), line, fill=ink, font=font(size), anchor="mm")
        y += step


def _rgb255(colour: Colour) -> tuple[int, int, int]:
    return tuple(int(np.clip(c * 255, 0, 255)) for c in colour)  # type: ignore[return-value]


def readable_ink(colour: Colour) -> tuple[int, int, int]:
    """Dark or light ink, whichever can be read on a colour."""
    luminance = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
    return (24, 22, 20) if luminance > 0.52 else (250, 248, 240)


@functools.lru_cache(maxsize=256)
def label(text: str, ground: Colour, stripe: Colour, copies: int = 3, size: tuple[int, int] = (768, 256)) -> Texture:
    """A wrap-around label that shows its words `copies` times, so that some copy faces every viewer."""
    width, height = size
    image = Image.new("RGB", size, _rgb255(ground))
    draw = ImageDraw.Draw(image)
    bar = height // 12
    draw.rectangle([0, 0, width, bar], fill=_rgb255(stripe))
    draw.rectangle([0, height - bar - 1, width, height], fill=_rgb255(stripe))
    step = width / copies
    for k in range(copies):
        margin = step * (0.08 if copies > 1 else 0.04)
        _write(draw, text, (k * step + margin, bar * 1.6, (k + 1) * step - margin, height - bar * 1.6), readable_ink(ground))
    return np.asarray(image)


@functools.lru_cache(maxsize=256)
def carton_faces(
    text: str, ground: Colour, stripe: Colour, widths: tuple[float, float, float], size: int = 512
) -> tuple[Texture, dict[str, tuple[float, float, float, float]]]:
    """One image with a printed front, side and top for a box of (x, y, z) `widths`; and where each side of the box finds its part."""
    wide, deep, high = widths
    scale = size / max(wide + deep, 1e-6)
    front, side = max(24, int(wide * scale)), max(24, int(deep * scale))
    tall, lid = max(24, int(min(high * scale, 2 * size))), max(24, int(min(deep * scale, 2 * size)))
    image = Image.new("RGB", (front + side, tall + lid), _rgb255(ground))
    draw = ImageDraw.Draw(image)
    for x0, width, y0, height in ((0, front, lid, tall), (front, side, lid, tall), (0, front, 0, lid)):
        bar = max(2, min(width, height) // 10)
        draw.rectangle([x0, y0, x0 + width - 1, y0 + bar], fill=_rgb255(stripe))
        draw.rectangle([x0, y0 + height - bar - 1, x0 + width - 1, y0 + height - 1], fill=_rgb255(stripe))
        _write(draw, text, (x0 + width * 0.06, y0 + bar * 1.5, x0 + width * 0.94, y0 + height - bar * 1.5), readable_ink(ground))
    w, h = front + side, tall + lid
    f, s = front / w, tall / h
    where = {
        "front": (0, 0, f, s),
        "back": (0, 0, f, s),
        "right": (f, 0, 1, s),
        "left": (f, 0, 1, s),
        "top": (0, s, f, 1),
        "bottom": (0.0, 0.0, f * 0.02, s * 0.01),
    }
    return np.asarray(image), where


@functools.lru_cache(maxsize=32)
def plate_text(text: str, ground: Colour, ink: Colour, size: tuple[int, int] = (256, 128)) -> Texture:
    """Words on a plain ground (displays, tags, covers)."""
    image = Image.new("RGB", size, _rgb255(ground))
    _write(ImageDraw.Draw(image), text, (size[0] * 0.05, size[1] * 0.05, size[0] * 0.95, size[1] * 0.95), _rgb255(ink))
    return np.asarray(image)
