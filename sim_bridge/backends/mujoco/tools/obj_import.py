"""Reading the furniture library's OBJ models at build time: geometry, materials, decimation that keeps textures in place."""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Array = NDArray[np.float64]
Faces = NDArray[np.int64]


@dataclass(frozen=True)
class Item:
    """One entry of a library's catalogue."""

    library: str
    number: int
    name: str
    path: Path
    size_m: tuple[float, float, float]
    """Width, depth, height."""
    rotation: Array
    creator: str


@dataclass(frozen=True)
class Piece:
    """One material's triangles, metres, z up, centred in x and y, standing on z = 0."""

    vertices: Array
    faces: Faces
    uv: Array | None
    rgb: tuple[float, float, float]
    alpha: float
    shine: float
    image: Image.Image | None


def read_catalogue(folder: Path) -> dict[int, Item]:
    """The entries of an unpacked library by number."""
    fields: dict[int, dict[str, str]] = {}
    text = (folder / "PluginFurnitureCatalog.properties").read_text(encoding="latin-1")
    for line in text.splitlines():
        match = re.match(r"(\w+)#(\d+)=(.*)", line.strip())
        if match:
            fields.setdefault(int(match[2]), {})[match[1]] = match[3]
    items = {}
    for number, f in fields.items():
        if "model" not in f:
            continue
        rotation = np.array([float(v) for v in f["modelRotation"].split()]).reshape(3, 3) if "modelRotation" in f else np.eye(3)
        size = (float(f["width"]) / 100, float(f["depth"]) / 100, float(f["height"]) / 100)
        path = folder / urllib.parse.unquote(f["model"]).lstrip("/")
        name = f["name"].encode().decode("unicode_escape") if "\\u" in f["name"] else f["name"]
        items[number] = Item(folder.name, number, name, path, size, rotation, f.get("creator", "").strip())
    return items


@dataclass
class _Material:
    rgb: tuple[float, float, float] = (0.8, 0.8, 0.8)
    alpha: float = 1.0
    shine: float = 0.1
    image: Path | None = None


def _read_materials(path: Path) -> dict[str, _Material]:
    found: dict[str, _Material] = {}
    current: _Material | None = None
    if not path.is_file():
        return found
    for line in path.read_text(encoding="latin-1").splitlines():
        key, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if key == "newmtl":
            current = found.setdefault(rest, _Material())
        elif current is None or not rest:
            continue
        elif key == "Kd":
            r, g, b = (float(v) for v in rest.split()[:3])
            current.rgb = (r, g, b)
        elif key == "Ks":
            current.shine = float(np.mean([float(v) for v in rest.split()[:3]]))
        elif key == "d":
            current.alpha = float(rest.split()[-1])
        elif key == "map_Kd":
            current.image = path.parent / rest
    return found


def _number(word: str, count: int) -> int:
    value = int(word) if word else 0
    return value - 1 if value > 0 else count + value if value < 0 else -1


def read_obj(item: Item, texture_edge: int) -> list[Piece]:
    """All triangles of a model, by material, in true size."""
    positions: list[list[float]] = []
    coordinates: list[list[float]] = []
    corners: dict[str, list[tuple[int, int]]] = {}
    materials: dict[str, _Material] = {}
    current = ""
    with item.path.open(encoding="latin-1") as lines:
        for line in lines:
            if line.startswith("v "):
                positions.append([float(v) for v in line.split()[1:4]])
            elif line.startswith("vt "):
                coordinates.append([float(v) for v in line.split()[1:3]])
            elif line.startswith("f "):
                polygon = []
                for word in line.split()[1:]:
                    p, _, rest = word.partition("/")
                    polygon.append((_number(p, len(positions)), _number(rest.partition("/")[0], len(coordinates))))
                bucket = corners.setdefault(current, [])
                for j in range(1, len(polygon) - 1):
                    bucket += [polygon[0], polygon[j], polygon[j + 1]]
            elif line.startswith("usemtl"):
                current = line[6:].strip()
            elif line.startswith("mtllib"):
                materials.update(_read_materials(item.path.parent / line[6:].strip()))
    points = np.array(positions) @ item.rotation.T
    uvs = np.array(coordinates).reshape(-1, 2)
    used = np.unique([p for bucket in corners.values() for p, _ in bucket])
    low, high = points[used].min(0), points[used].max(0)
    width, depth, height = item.size_m
    scaled = (points - (low + high) / 2) * (np.array([width, height, depth]) / np.maximum(high - low, 1e-9))
    world = np.stack([scaled[:, 0], -scaled[:, 2], scaled[:, 1] + height / 2], 1)
    pieces = []
    images: dict[Path, Image.Image] = {}
    for name, bucket in corners.items():
        material = materials.get(name, _Material())
        image = None
        if material.image is not None and len(uvs) and material.image.is_file():
            if material.image not in images:
                with Image.open(material.image) as opened:
                    flat = Image.new("RGBA", opened.size, (255, 255, 255, 255))
                    flat.alpha_composite(opened.convert("RGBA"))
                    picture = flat.convert("RGB")
                picture.thumbnail((texture_edge, texture_edge))
                images[material.image] = picture
            image = images[material.image]
        index = np.array(bucket).reshape(-1, 2)
        textured = image is not None and bool((index[:, 1] >= 0).all())
        keys, inverse = np.unique(index if textured else index[:, :1], axis=0, return_inverse=True)
        faces = np.asarray(inverse).reshape(-1, 3)
        faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
        if len(faces):
            uv = uvs[keys[:, 1]] if textured else None
            pieces.append(Piece(world[keys[:, 0]], faces, uv, material.rgb, material.alpha, material.shine, image if textured else None))
    return pieces


def _islands(faces: Faces, count: int) -> NDArray[np.int64]:
    """Connected component of every vertex."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1])


def decimate(piece: Piece, target: int) -> Piece:
    """At most about `target` triangles; texture coordinates come from the nearest original vertices of the same texture island."""
    import fast_simplification
    from scipy.spatial import cKDTree

    if len(piece.faces) <= target:
        return piece
    welded, inverse = np.unique(np.round(piece.vertices, 5), axis=0, return_inverse=True)
    faces = np.asarray(inverse).reshape(-1)[piece.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    if len(faces) > target:
        points, small = fast_simplification.simplify(
            welded.astype(np.float32), faces.astype(np.int32), target_reduction=float(1 - target / len(faces)), agg=5
        )
        points, small = np.asarray(points, float), np.asarray(small, np.int64)
    else:
        points, small = welded, faces
    small = small[(small[:, 0] != small[:, 1]) & (small[:, 1] != small[:, 2]) & (small[:, 0] != small[:, 2])]
    if len(small) == 0:
        return piece
    if piece.uv is None:
        return Piece(points, small, None, piece.rgb, piece.alpha, piece.shine, piece.image)
    island = _islands(piece.faces, len(piece.vertices))
    centres = piece.vertices[piece.faces].mean(1)
    _, nearest_face = cKDTree(centres).query(points[small].mean(1))
    wanted = island[piece.faces[nearest_face, 0]]
    k = min(8, len(piece.vertices))
    _, candidates = cKDTree(piece.vertices).query(points, k=k)
    candidates = np.asarray(candidates).reshape(len(points), k)
    options = candidates[small]
    same = island[options] == wanted[:, None, None]
    chosen = np.where(same.any(-1), np.take_along_axis(options, same.argmax(-1)[..., None], -1)[..., 0], options[..., 0])
    pairs, index = np.unique(np.stack([small.ravel(), chosen.ravel()], 1), axis=0, return_inverse=True)
    return Piece(
        points[pairs[:, 0]], np.asarray(index).reshape(-1, 3), piece.uv[pairs[:, 1]], piece.rgb, piece.alpha, piece.shine, piece.image
    )


PALETTE_EDGE = 8
"""Pixels per colour of a palette image: filtering never reaches the neighbours."""


def combine_plain(pieces: list[Piece]) -> list[Piece]:
    """Join the opaque untextured pieces into one with a palette image, so that a model takes few draws."""
    plain = [p for p in pieces if p.image is None and p.alpha >= 0.99]
    rest = [p for p in pieces if not (p.image is None and p.alpha >= 0.99)]
    groups: dict[tuple[float, float, float], list[Piece]] = {}
    for p in plain:
        groups.setdefault((round(p.rgb[0], 2), round(p.rgb[1], 2), round(p.rgb[2], 2)), []).append(p)
    if not groups:
        return rest
    if len(groups) == 1:
        return [*rest, _joined(plain, None, plain[0].rgb, None)]
    colours = list(groups)
    image = Image.new("RGB", (PALETTE_EDGE * len(colours), PALETTE_EDGE))
    parts, uvs = [], []
    for i, colour in enumerate(colours):
        image.paste(tuple(int(np.clip(c, 0, 1) * 255) for c in colour), (i * PALETTE_EDGE, 0, (i + 1) * PALETTE_EDGE, PALETTE_EDGE))
        for p in groups[colour]:
            parts.append(p)
            uvs.append(np.tile([(i + 0.5) / len(colours), 0.5], (len(p.vertices), 1)))
    return [*rest, _joined(parts, np.concatenate(uvs), (1.0, 1.0, 1.0), image)]


def _joined(parts: list[Piece], uv: Array | None, rgb: tuple[float, float, float], image: Image.Image | None) -> Piece:
    offsets = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    return Piece(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.faces + o for p, o in zip(parts, offsets, strict=True)]),
        uv,
        rgb,
        1.0,
        float(np.mean([p.shine for p in parts])),
        image,
    )
