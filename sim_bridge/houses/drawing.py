"""The map of a house seen from above, as PNG or SVG: for documentation and researchers, never for participants."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from html import escape
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from sim_bridge.houses.outline import WALL_M, Point, Rect
from sim_bridge.houses.plan import Plan

MARGIN_M = 0.6
COLOURS = {
    "living_room": "#f3e6cf",
    "kitchen": "#dfeadb",
    "bedroom": "#dde4f2",
    "childs_room": "#f4dfe6",
    "bathroom": "#d5ebef",
    "office": "#e9e2f0",
    "dining_room": "#f5edc8",
    "storage_room": "#e2e0dc",
    "corridor": "#efeeea",
}
_WALL, _INK, _LEAF, _GLASS, _THING, _WAY = "#3c3c40", "#26262a", "#9a7a52", "#79b4dc", "#b9aa96", "#c2362f"

Shape = tuple[str, dict[str, Any]]


def shapes(
    plan: Plan, furniture: Sequence[tuple[Rect, str]] = (), way: Sequence[Point] = (), marks: Sequence[tuple[Point, str]] = ()
) -> list[Shape]:
    """The map as polygons, lines and words in world metres, in drawing order."""
    out: list[Shape] = []
    for r in plan.rooms:
        out += [("polygon", {"points": list(_corners(rect)), "fill": _WALL}) for rect in (_grown(q, WALL_M / 2) for q in r.rects_m)]
    for r in plan.rooms:
        out.append(("polygon", {"points": list(plan.inner(r.name)), "fill": COLOURS.get(r.kind, "#ececec")}))
    for d in plan.doors:
        half, deep = d.width_m / 2, WALL_M / 2 + 0.005
        x, y = d.centre_m
        rect = (x - half, y - deep, x + half, y + deep) if d.along == "x" else (x - deep, y - half, x + deep, y + half)
        out.append(("polygon", {"points": list(_corners(rect)), "fill": "#fbfaf7"}))
        leaf = plan.leaf_segment(d)
        if leaf:
            out.append(("line", {"points": list(leaf), "stroke": _LEAF, "width": 0.045}))
            out.append(("line", {"points": _swing(d.centre_m, leaf, d.along, half), "stroke": _LEAF, "width": 0.012}))
    for w in plan.windows:
        x, y = w.centre_m
        half = w.width_m / 2
        ends = [(x - half, y), (x + half, y)] if w.along == "x" else [(x, y - half), (x, y + half)]
        out.append(("line", {"points": ends, "stroke": _GLASS if w.kind == "window" else _LEAF, "width": 0.07}))
    for rect, _ in furniture:
        out.append(("polygon", {"points": list(_corners(rect)), "fill": _THING}))
    if len(way) > 1:
        out.append(("line", {"points": list(way), "stroke": _WAY, "width": 0.05}))
        out += [("dot", {"at": p, "radius": 0.09, "fill": _WAY}) for p in (way[0], way[-1])]
    for at, text in marks:
        out.append(("dot", {"at": at, "radius": 0.07, "fill": _INK}))
        out.append(("text", {"at": (at[0], at[1] + 0.22), "text": text, "size": 0.22}))
    for r in plan.rooms:
        out.append(("text", {"at": plan.centre(r.name), "text": r.name, "size": 0.3}))
    x0, y0, _, _ = plan.bounds_m
    foot = y0 - MARGIN_M * 0.55
    out.append(("line", {"points": [(x0, foot), (x0 + 2.0, foot)], "stroke": _INK, "width": 0.03}))
    out.append(("text", {"at": (x0 + 2.35, foot), "text": "2 m", "size": 0.24}))
    return out


def png(plan: Plan, *, pixels_per_m: float = 70.0, **more: Any) -> bytes:
    """The map as PNG, north (+y) up; `more` as for `shapes`."""
    image = picture(plan, pixels_per_m=pixels_per_m, **more)
    buffer = io.BytesIO()
    image.save(buffer, "png", optimize=True)
    return buffer.getvalue()


def picture(plan: Plan, *, pixels_per_m: float = 70.0, **more: Any) -> Image.Image:
    """The map as a Pillow image; drawn at twice the size and halved, so that edges are smooth."""
    k = 2 * pixels_per_m
    x0, y0, x1, y1 = plan.bounds_m
    size = math.ceil((x1 - x0 + 2 * MARGIN_M) * k), math.ceil((y1 - y0 + 2 * MARGIN_M) * k)
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)

    def px(p: Point) -> Point:
        return (p[0] - x0 + MARGIN_M) * k, (y1 + MARGIN_M - p[1]) * k

    for kind, a in shapes(plan, **more):
        if kind == "polygon":
            draw.polygon([px(p) for p in a["points"]], fill=a["fill"])
        elif kind == "line":
            draw.line([px(p) for p in a["points"]], fill=a["stroke"], width=max(1, round(a["width"] * k)), joint="curve")
        elif kind == "dot":
            (x, y), r = px(a["at"]), a["radius"] * k
            draw.ellipse([x - r, y - r, x + r, y + r], fill=a["fill"])
        else:
            draw.text(px(a["at"]), a["text"], fill=_INK, font=ImageFont.load_default(max(8, round(a["size"] * k))), anchor="mm")
    return image.resize((size[0] // 2, size[1] // 2), Image.Resampling.LANCZOS)


def svg(plan: Plan, **more: Any) -> str:
    """The map as SVG text, one unit a centimetre."""
    x0, y0, x1, y1 = plan.bounds_m
    wide, high = (x1 - x0 + 2 * MARGIN_M) * 100, (y1 - y0 + 2 * MARGIN_M) * 100

    def px(p: Point) -> str:
        return f"{(p[0] - x0 + MARGIN_M) * 100:.1f},{(y1 + MARGIN_M - p[1]) * 100:.1f}"

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" font-family="sans-serif">']
    lines.append(f'<rect width="{wide:.0f}" height="{high:.0f}" fill="#ffffff"/>')
    for kind, a in shapes(plan, **more):
        if kind == "polygon":
            lines.append(f'<polygon points="{" ".join(px(p) for p in a["points"])}" fill="{a["fill"]}"/>')
        elif kind == "line":
            points = " ".join(px(p) for p in a["points"])
            lines.append(f'<polyline points="{points}" fill="none" stroke="{a["stroke"]}" stroke-width="{a["width"] * 100:.1f}"/>')
        elif kind == "dot":
            x, y = px(a["at"]).split(",")
            lines.append(f'<circle cx="{x}" cy="{y}" r="{a["radius"] * 100:.1f}" fill="{a["fill"]}"/>')
        else:
            x, y = px(a["at"]).split(",")
            size = a["size"] * 100
            lines.append(
                f'<text x="{x}" y="{y}" font-size="{size:.0f}" fill="{_INK}" text-anchor="middle" dominant-baseline="middle">'
                f"{escape(a['text'])}</text>"
            )
    return "\n".join([*lines, "</svg>", ""])


def _corners(r: Rect) -> tuple[Point, ...]:
    return (r[0], r[1]), (r[2], r[1]), (r[2], r[3]), (r[0], r[3])


def _grown(r: Rect, by: float) -> Rect:
    return r[0] - by, r[1] - by, r[2] + by, r[3] + by


def _swing(centre: Point, leaf: tuple[Point, Point], along: str, half: float) -> list[Point]:
    """The quarter circle that the free end of a leaf describes, from open to closed."""
    (hx, hy), (ex, ey) = leaf
    open_at = math.atan2(ey - hy, ex - hx)
    closed_at = math.atan2(0.0, centre[0] - hx) if along == "x" else math.atan2(centre[1] - hy, 0.0)
    turn = (closed_at - open_at + math.pi) % (2 * math.pi) - math.pi
    radius = math.hypot(ex - hx, ey - hy)
    return [(hx + radius * math.cos(open_at + turn * t / 12), hy + radius * math.sin(open_at + turn * t / 12)) for t in range(13)]
