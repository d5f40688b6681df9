"""Split a mesh into a few convex pieces whose hulls follow its outside: contact shapes of the pack's models, made when it is built.

Approximate convex decomposition: connected pieces first, then recursive cuts. Of the piece whose outside lies deepest inside its own hull,
the cut (axis-parallel, or through the upright axis for round things) that leaves the least depth is taken, until none lies by more than a
tolerance. Only the outside counts: points that rays from many directions reach. Depth is how far one goes from such a point along its
normal until the hull ends (against half-spaces in fixed directions), so that the inside of a bin is deep however thin it is sliced. Lengths
inside this module are in units of the tolerance. Needed at build time only: MuJoCo for the rays, SciPy for the final hulls.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.pieces import components, thick
from sim_bridge.backends.mujoco.meshes.shapes import Array

MAX_PIECES = 28
MAX_STARTERS = 14
"""Connected pieces are joined to so many before the cuts."""
MAX_GROUPS = 40
"""Smaller connected pieces join the nearest of so many."""
MAX_POINTS = 36
"""Corners of one hull."""
DEPTH_SHARE = 0.985
"""The depth that this share of the points does not exceed is how deep a piece is."""
SAMPLES = 2400
"""Points of the outside that are looked at; `GLANCE` of them to compare cuts."""
GLANCE = 250
LEVELS = 5
BESIDE = 0.05
"""Cuts are tried beside so many plane surfaces each way, this far from them."""
JOIN = 0.8
JOIN_COST = 6.0
"""Pieces are joined where the common hull is no deeper than this, and adds no more to the sum."""
FREE_AT = (0.15, 0.5, 0.85)
"""Where on a ray's way through the box free space is marked."""
RAYS = 22
"""Rays per direction and edge."""
BARE_SPACINGS, BARE_SHARE, BARE_POINTS = 1.1, 0.1, 160
"""A hull is a curtain if this share of it is farther from every point of the outside than so many ray spacings."""
CURTAIN = 1e6
NEAR = 0.3
"""Points so far outside a hull still belong to its surface."""
GLANCE_STEP = 3
CARVE_SAMPLES = 350
"""Triangles of a connected piece that are looked at where a procedural model is carved."""
SLACK = 0.5
"""Depth that costs nothing."""
FEWEST = 3
"""Connected pieces that fewer points of the outside belong to are hidden."""
GRAIN = 3
"""Decimals kept of projections, so that processors which add in another order take the same decisions."""
_CUTS = np.array([0.02, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98])
"""Where cuts are tried, as shares of the outside's points along an axis."""
_ROUGH_CUTS = np.array([0.12, 0.3, 0.5, 0.7, 0.88])
_SPOKES_DEG = (0.0, 22.5, 45.0, 67.5, 90.0, 112.5, 135.0, 157.5)


def _directions(n: int) -> Array:
    """Evenly spread directions, the axes and diagonals, and a ring of upright planes."""
    i = np.arange(n) + 0.5
    polar, turn = np.arccos(1 - 2 * i / n), math.pi * (1 + 5**0.5) * i
    around = np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], 1)
    edges = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], float)
    flat = np.array([(math.cos(t), math.sin(t), 0.0) for t in np.linspace(0, 2 * math.pi, 16, endpoint=False)])
    return np.concatenate([edges / np.linalg.norm(edges, axis=1, keepdims=True), flat, around])


DIRECTIONS = _directions(48)


@dataclass
class _Piece:
    """A part of the surface, with how far everything reaches along each direction."""

    vertices: Array
    faces: NDArray[np.int64]
    spread: Array
    """(N, K) the vertices along each direction."""
    outside: Array
    """(M, 3) points of the outside that belong to it."""
    along: Array
    """(M, 2K) the outside along each direction, then how much longer the way along its normal is than straight along the direction."""
    deep: float = 0.0
    cost: float = 0.0

    def __post_init__(self) -> None:
        self.deep, self.cost = _depth(self.spread.max(0), self.along)

    @functools.cached_property
    def edges(self) -> NDArray[np.int64]:
        """(E, 2) sides of the triangles, each once."""
        sides = np.sort(np.concatenate([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]]), axis=1)
        code = np.unique(sides[:, 0] * len(self.vertices) + sides[:, 1])
        return np.stack([code // len(self.vertices), code % len(self.vertices)], 1)


def _depths(reach: Array, along: Array) -> Array:
    """How deep those points of the outside that are in a hull lie in it, along their normals."""
    k = len(reach)
    gap = reach - along[:, :k]
    inside = gap.min(1) > -NEAR
    return np.asarray(np.maximum((gap[inside] * along[inside, k:]).min(1), 0.0))


def _cost(depth: Array) -> float:
    return float(np.maximum(depth - SLACK, 0.0).sum())


def _depth(reach: Array, along: Array, step: int = 1) -> tuple[float, float]:
    """A high percentile of the depths, and the cost for every `step`-th point given."""
    depth = _depths(reach, along)
    if not len(depth):
        return 0.0, 0.0
    rank = round(DEPTH_SHARE * (len(depth) - 1))
    return float(np.partition(depth, rank)[rank]), _cost(depth) * step


def _of(vertices: Array, faces: NDArray[np.int64], outside: Array, along: Array) -> _Piece:
    """A piece with those points of the outside that lie in its hull, whichever surface they are on: a bath's shell covers its basin."""
    used, index = np.unique(faces, return_inverse=True)
    corners = vertices[used]
    spread = np.round(corners @ DIRECTIONS.T, GRAIN)
    inside = (spread.max(0) - along[:, : len(DIRECTIONS)]).min(1) > -NEAR
    return _Piece(corners, index.reshape(-1, 3), spread, outside[inside], along[inside])


def _joined(a: _Piece, b: _Piece, everything: _Piece) -> _Piece:
    faces = np.concatenate([a.faces, b.faces + len(a.vertices)])
    return _of(np.concatenate([a.vertices, b.vertices]), faces, everything.outside, everything.along)


def _bare(vertices: Array, surface: Any, free: Any, reach: float) -> bool:
    """Whether a hull spans emptiness like a curtain between two posts: much of it is far from any surface, yet near free space.

    Args:
        vertices: points of the hull.
        surface: tree of points of the outside.
        free: tree of points that rays passed through.
        reach: what counts as far.
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(thick(vertices), qhull_options="QJ")
    t = hull.points[hull.simplices]
    area = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
    share = (np.arange(BARE_POINTS) + 0.5) / BARE_POINTS * area.sum()
    chosen = t[np.minimum(np.searchsorted(np.cumsum(area), share), len(t) - 1)]
    u = np.modf(np.arange(BARE_POINTS) * 0.754877666)[0]
    v = np.modf(np.arange(BARE_POINTS) * 0.569840291)[0]
    flip = u + v > 1
    u, v = np.where(flip, 1 - u, u), np.where(flip, 1 - v, v)
    points = chosen[:, 0] + u[:, None] * (chosen[:, 1] - chosen[:, 0]) + v[:, None] * (chosen[:, 2] - chosen[:, 0])
    away = surface.query(points)[0]
    return bool(((away > reach) & (free.query(points)[0] < 0.8 * away)).mean() > BARE_SHARE)


def _price(piece: _Piece, normal: Array, offset: float, glance: NDArray[np.int64]) -> float | None:
    """What the two halves of a cut would cost, from a glance; None if one is empty."""
    side = piece.vertices @ normal - offset
    low = side <= 0
    if low.all() or not low.any():
        return None
    crossing = piece.edges[low[piece.edges[:, 0]] != low[piece.edges[:, 1]]]
    s = side[crossing]
    share = (s[:, 0] / (s[:, 0] - s[:, 1]))[:, None]
    rim = piece.spread[crossing[:, 0]] * (1 - share) + piece.spread[crossing[:, 1]] * share
    edge = rim.max(0) if len(rim) else np.full(len(DIRECTIONS), -np.inf)
    below = piece.outside[glance] @ normal <= offset
    along = piece.along[glance]
    halves = (np.maximum(piece.spread[low].max(0), edge), along[below]), (np.maximum(piece.spread[~low].max(0), edge), along[~below])
    return sum(_cost(_depths(reach, mine)) for reach, mine in halves if len(mine))


def _clip(triangles: Array, normal: Array, offset: float) -> Array:
    """The part of a triangle soup where ``x·normal ≤ offset``."""
    side = triangles @ normal - offset
    inside = side <= 0
    count = inside.sum(1)
    kept = [triangles[count == 3]]
    for number in (1, 2):
        some = count == number
        t, s, flag = triangles[some], side[some], inside[some] if number == 1 else ~inside[some]
        apex = flag.argmax(1)
        rows = np.arange(len(t))
        a, b, c = (t[rows, (apex + k) % 3] for k in range(3))
        sa, sb, sc = (s[rows, (apex + k) % 3] for k in range(3))
        ab = a + (b - a) * (sa / (sa - sb))[:, None]
        ac = a + (c - a) * (sa / (sa - sc))[:, None]
        kept += [np.stack([a, ab, ac], 1)] if number == 1 else [np.stack([ab, b, c], 1), np.stack([ab, c, ac], 1)]
    return np.concatenate(kept)


def _halves(piece: _Piece, normal: Array, offset: float) -> tuple[_Piece, _Piece]:
    below = piece.outside @ normal <= offset
    found = []
    for sign, mine in ((1.0, below), (-1.0, ~below)):
        soup = _clip(piece.vertices[piece.faces], sign * normal, sign * offset)
        corners, index = np.unique(np.round(soup.reshape(-1, 3), 5), axis=0, return_inverse=True)
        found.append(_of(corners, index.reshape(-1, 3), piece.outside[mine], piece.along[mine]))
    return found[0], found[1]


def carve(vertices: Array, faces: NDArray[np.int64], tolerance_m: float, most: int) -> list[Array]:
    """Points of convex pieces of one connected, solid thing (a banana, a handle), from its own surface: fast, NumPy alone."""
    vertices = vertices / tolerance_m
    t = vertices[faces]
    across = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    flat = length[:, 0] > 1e-9
    outside, normals = t[flat].mean(1), across[flat] / length[flat]
    step = max(1, len(outside) // CARVE_SAMPLES)
    outside, normals = outside[::step], normals[::step]
    way = 1.0 / np.maximum(np.round(normals @ DIRECTIONS.T, GRAIN), 1e-3)
    along = np.concatenate([np.round(outside @ DIRECTIONS.T, GRAIN), way], 1)
    corners = vertices[np.unique(faces)]
    if most < 2 or _depth((corners @ DIRECTIONS.T).max(0), along)[0] <= 1.0:
        return [corners * tolerance_m]
    found = [_of(vertices, faces, outside, along)]
    middle = (vertices.min(0) + vertices.max(0)) / 2
    rng = np.random.default_rng(0)
    stuck: set[int] = set()
    while len(found) < most:
        open_ = [p for p in found if p.deep > 1.0 and len(p.outside) >= 5 and id(p) not in stuck]
        if not open_:
            break
        piece = max(open_, key=lambda p: p.cost)
        cuts = _candidates(piece, middle, _ROUGH_CUTS, rough=True)
        best = _best_depth(piece, cuts, rng)
        if best is None:
            stuck.add(id(piece))
            continue
        k = next(i for i, p in enumerate(found) if p is piece)
        found[k : k + 1] = _halves(piece, *cuts[best])
    return [p.vertices * tolerance_m for p in found]


def _level(piece: _Piece, direction: Array) -> list[float]:
    """Where the largest plane surfaces that face a direction are, along its axis: a seat below its back, the underside of a table top."""
    t = piece.vertices[piece.faces]
    across = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    area = np.linalg.norm(across, axis=1)
    facing = (across @ direction) > 0.95 * area
    if not facing.any():
        return []
    axis = np.abs(direction)
    place = np.round(t[facing].mean(1) @ axis).astype(int)
    start = int(place.min())
    total = np.bincount(place - start, weights=area[facing])
    top = np.argsort(-total, kind="stable")[:LEVELS]
    return [float((t[facing][place == start + k].mean(1) @ axis).mean()) for k in top if total[k] > 0]


def _candidates(piece: _Piece, middle: Array, places: Array = _CUTS, rough: bool = False) -> list[tuple[Array, float]]:
    found = []
    for axis in np.eye(3):
        along = np.sort((piece.outside if len(piece.outside) else piece.vertices) @ axis)
        for place in places:
            # Between two neighbouring layers of points, so that a board is not cut in its own plane.
            k = int(place * (len(along) - 1))
            found.append((axis, float((along[k] + along[min(k + 1, len(along) - 1)]) / 2)))
        for sign in () if rough else (-1.0, 1.0):
            found += [(axis, height + sign * BESIDE) for height in _level(piece, axis * sign)]
    for degrees in _SPOKES_DEG[:: 2 if rough else 1]:
        normal = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0])
        found.append((normal, float(middle @ normal)))
    return found


def outside_points(vertices: Array, faces: NDArray[np.int64], grid: int = RAYS) -> tuple[Array, Array, Array]:
    """Points of a mesh that rays from around, above and below reach, the normals there, and points in its box that rays pass through."""
    import mujoco

    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="m", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    mesh.uservert = vertices.astype(np.float32).ravel().tolist()
    mesh.userface = faces.astype(np.int32).ravel().tolist()
    spec.worldbody.add_body(name="b").add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", mass=0.0, group=1)
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    low, high = vertices.min(0), vertices.max(0)
    middle, radius = (low + high) / 2, float(np.linalg.norm(high - low)) / 2
    found: list[Array] = []
    normals: list[Array] = []
    passed: list[Array] = []
    views = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], float)
    for d in views / np.linalg.norm(views, axis=1, keepdims=True):
        side = np.cross([0.0, 0.0, 1.0] if abs(d[2]) < 0.9 else [0.0, 1.0, 0.0], d)
        side /= np.linalg.norm(side)
        up = np.cross(d, side)
        span = np.abs(np.stack([side, up])) @ (high - low) / 2
        u, v = np.meshgrid(np.linspace(-1, 1, grid) * span[0] * 0.995, np.linspace(-1, 1, grid) * span[1] * 0.995)
        eye = middle + d * radius * 60
        ray = (middle + np.outer(u.ravel(), side) + np.outer(v.ravel(), up)) - eye
        ray /= np.linalg.norm(ray, axis=1, keepdims=True)
        n = len(ray)
        ids, distance, normal = np.full(n, -1, np.int32), np.zeros(n), np.zeros(3 * n)
        mujoco.mj_multiRay(compiled, data, eye, np.ascontiguousarray(ray).ravel(), None, 1, -1, ids, distance, normal, n, mujoco.mjMAXVAL)
        hit = distance >= 0
        found.append(eye + ray[hit] * distance[hit, None])
        # The way through the box: from where the ray enters it to the hit, or to where it leaves.
        with np.errstate(divide="ignore", invalid="ignore"):
            near, far = np.sort(np.stack([(low - eye) / ray, (high - eye) / ray]), axis=0)
        enter, leave = np.nanmax(near, axis=1), np.nanmin(far, axis=1)
        until = np.where(hit, distance, leave)
        through = until > enter
        for place in FREE_AT:
            passed.append((eye + ray * (enter + (until - enter) * place)[:, None])[through])
        facing = normal.reshape(-1, 3)[hit]
        normals.append(facing * -np.sign((facing * ray[hit]).sum(1, keepdims=True) + 1e-12))
    return np.concatenate(found), np.concatenate(normals), np.concatenate(passed)


def decompose(vertices: Array, faces: NDArray[np.int64], tolerance_m: float, most: int = MAX_PIECES, seed: int = 0) -> list[Array]:
    """Corners of convex pieces; one piece where the hull of everything is good enough.

    Args:
        vertices: (N, 3) metres.
        faces: (M, 3).
        tolerance_m: depth to which the outside may lie inside the hulls.
        most: pieces at most.
        seed: which points are looked at.
    """
    from scipy.spatial import cKDTree

    outside, normals, free = outside_points(vertices, faces)
    vertices, outside, free = vertices / tolerance_m, outside / tolerance_m, free / tolerance_m
    rng = np.random.default_rng(seed)
    surface, space = cKDTree(outside), cKDTree(free)
    gap = BARE_SPACINGS * float(np.linalg.norm(np.ptp(vertices, axis=0))) / RAYS

    def bare(points: Array) -> bool:
        return _bare(points, surface, space, gap)

    if len(outside) > SAMPLES:
        some = np.sort(rng.choice(len(outside), SAMPLES, replace=False))
        outside, normals = outside[some], normals[some]
    way = 1.0 / np.maximum(np.round(normals @ DIRECTIONS.T, GRAIN), 1e-3)
    along = np.concatenate([np.round(outside @ DIRECTIONS.T, GRAIN), way], 1)
    middle = (vertices.min(0) + vertices.max(0)) / 2
    everything = _of(vertices, faces, outside, along)
    found = _start(vertices, faces, outside, along, bare, min(MAX_STARTERS, most))
    stuck: set[int] = set()
    curtain = {id(p): bare(p.vertices) for p in found}
    while len(found) < most:
        open_ = [p for p in found if ((p.deep > 1.0 and len(p.outside) >= 5) or curtain[id(p)]) and id(p) not in stuck]
        if not open_:
            break
        piece = max(open_, key=lambda p: p.deep * math.sqrt(len(p.outside)) + 1e6 * curtain[id(p)])
        cuts = _candidates(piece, middle)
        best = _best_depth(piece, cuts, rng) if piece.deep > 1.0 and len(piece.outside) >= 5 else None
        if best is None and curtain[id(piece)]:
            best = _best_span(piece, cuts)
        if best is None:
            stuck.add(id(piece))
            continue
        k = next(i for i, p in enumerate(found) if p is piece)
        found[k : k + 1] = _halves(piece, *cuts[best])
        curtain |= {id(p): bare(p.vertices) for p in found[k : k + 2]}
    return [_corners(p.vertices * tolerance_m) for p in _merged(found, everything, bare, len(found))]


def _best_depth(piece: _Piece, cuts: list[tuple[Array, float]], rng: np.random.Generator) -> int | None:
    """The cut that leaves the least depth; None if none helps."""
    n = len(piece.outside)
    glance = np.arange(n)
    if n > GLANCE:
        # Half of them where it is deep: thin legs have few points, yet they are what a cut must free.
        gap = piece.spread.max(0) - piece.along[:, : len(DIRECTIONS)]
        deep = np.argsort(-(gap * piece.along[:, len(DIRECTIONS) :]).min(1), kind="stable")[: n // 4]
        some = rng.choice(deep, min(GLANCE // 2, len(deep)), replace=False)
        glance = np.unique(np.concatenate([some, rng.choice(n, GLANCE - len(some), replace=False)]))
    prices = [(_price(piece, normal, offset, glance), k) for k, (normal, offset) in enumerate(cuts)]
    price, best = min(((price, k) for price, k in prices if price is not None), default=(math.inf, -1))
    return best if price < 0.995 * _depth(piece.spread.max(0), piece.along[glance])[1] else None


def _best_span(piece: _Piece, cuts: list[tuple[Array, float]]) -> int | None:
    """The cut that leaves the smallest boxes; None if none helps."""
    spans = [(_span(piece, normal, offset), k) for k, (normal, offset) in enumerate(cuts)]
    span, best = min(((span, k) for span, k in spans if span is not None), default=(math.inf, -1))
    return best if span < 0.995 * _boxed(piece.vertices) else None


def _boxed(points: Array) -> float:
    """Surface of the box around points, thickened."""
    x, y, z = np.ptp(points, axis=0) + 1.0
    return float(x * y + y * z + z * x)


def _span(piece: _Piece, normal: Array, offset: float) -> float | None:
    """Surface of the boxes around the two halves of a cut."""
    low, high = (_clip(piece.vertices[piece.faces], s * normal, s * offset) for s in (1.0, -1.0))
    return _boxed(low.reshape(-1, 3)) + _boxed(high.reshape(-1, 3)) if len(low) and len(high) else None


def _start(
    vertices: Array, faces: NDArray[np.int64], outside: Array, along: Array, bare: Callable[[Array], bool], most: int
) -> list[_Piece]:
    """Everything in one piece if that is good enough; else its connected pieces, joined where that costs least."""
    from scipy.spatial import cKDTree

    one = _of(vertices, faces, outside, along)
    groups = components(vertices, faces, weld=0.01)
    if (one.deep <= 1.0 and not bare(one.vertices)) or len(groups) == 1:
        return [one]
    order = np.argsort([-float(np.linalg.norm(np.ptp(vertices[np.unique(g)], axis=0))) for g in groups], kind="stable")
    heads = [[groups[i]] for i in order[:MAX_GROUPS]]
    tree = cKDTree(np.concatenate([vertices[g[0]].reshape(-1, 3) for g in heads]))
    owner = np.repeat(np.arange(len(heads)), [3 * len(g[0]) for g in heads])
    for i in order[MAX_GROUPS:]:
        heads[owner[tree.query(vertices[groups[i]].reshape(-1, 3).mean(0))[1]]].append(groups[i])
    groups = [np.concatenate(g) for g in heads]
    # A point of the outside belongs to the group whose surface it is on: that of the nearest corner, middle of an edge or of a face.
    marks = [
        np.concatenate([t.reshape(-1, 3), t.mean(1), *((t[:, a] + t[:, b]) / 2 for a, b in ((0, 1), (1, 2), (2, 0)))])
        for t in (vertices[g] for g in groups)
    ]
    near = np.repeat(np.arange(len(groups)), [len(m) for m in marks])[cKDTree(np.concatenate(marks)).query(outside)[1]]
    seen = [_of(vertices, g, outside, along) for k, g in enumerate(groups) if (near == k).sum() >= FEWEST]
    return _merged(seen, one, bare, most)


def _merged(found: list[_Piece], everything: _Piece, bare: Callable[[Array], bool], most: int) -> list[_Piece]:
    """Join pieces whose common hull is still good, then further, the least bad first, while there are more than `most`."""
    alive: dict[int, _Piece] = dict(enumerate(found))
    glance = everything.along[::GLANCE_STEP]
    reach = {k: p.spread.max(0) for k, p in alive.items()}

    def together(i: int, j: int) -> tuple[float, float]:
        return _depth(np.maximum(reach[i], reach[j]), glance, GLANCE_STEP)

    alone = {k: _depth(r, glance, GLANCE_STEP)[1] for k, r in reach.items()}
    pairs = {(i, j): together(i, j) for i in alive for j in alive if i < j}
    while pairs:
        good = [(deep, i, j) for (i, j), (deep, cost) in pairs.items() if deep <= JOIN and cost - alone[i] - alone[j] <= JOIN_COST]
        if good:
            _, i, j = min(good)
            if bare(np.concatenate([alive[i].vertices, alive[j].vertices])):
                pairs[i, j] = CURTAIN, pairs[i, j][1] + CURTAIN
                continue
        elif len(alive) > most:
            _, i, j = min((cost - alone[i] - alone[j], i, j) for (i, j), (_, cost) in pairs.items())
        else:
            break
        alive[i] = _joined(alive[i], alive[j], everything)
        reach[i] = alive[i].spread.max(0)
        alone[i] = pairs[i, j][1]
        del alive[j]
        pairs = {k: v for k, v in pairs.items() if i not in k and j not in k}
        pairs |= {(min(i, k), max(i, k)): together(min(i, k), max(i, k)) for k in alive if k != i}
    return list(alive.values())


def _corners(points: Array) -> Array:
    """At most `MAX_POINTS` corners of the hull of some points, thick enough to have an inside."""
    from scipy.spatial import ConvexHull

    points = thick(np.unique(np.round(points, 6), axis=0))
    corners = points[np.sort(ConvexHull(points, qhull_options="QJ").vertices)]
    if len(corners) <= MAX_POINTS:
        return np.asarray(corners)
    keep = list(dict.fromkeys(int((corners @ d).argmax()) for d in DIRECTIONS[:26]))
    gap = np.linalg.norm(corners[:, None] - corners[keep][None], axis=2).min(1)
    while len(keep) < MAX_POINTS:
        far = int(gap.argmax())
        keep.append(far)
        gap = np.minimum(gap, np.linalg.norm(corners - corners[far], axis=1))
    return np.asarray(corners[np.sort(keep)])
