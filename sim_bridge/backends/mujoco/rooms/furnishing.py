"""Where furniture stands: against a wall, beside, before or on other furniture, in the middle, on the wall.

An `Arranger` fills one room. Nothing stands in a doorway, in floor that the task needs, in front of a drawer or a seat, or across a window.
Models are centred at the origin and face −y before they are turned.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
from sim_bridge.backends.mujoco.models import fitted
from sim_bridge.backends.mujoco.models.lamps import MAKER as LAMP
from sim_bridge.backends.mujoco.models.lamps import unlit
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.rooms.house_shell import Face, Space
from sim_bridge.houses.outline import Rect

Disc = tuple[float, float, float]

CHEAP: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "chair": ("chair", {"kind": "dining"}, ("dining_chair", "straight_chair", "chair")),
    "table": ("table", {"kind": "dining"}, ("dining_table", "breakfast_table", "table")),
    "desk_chair": ("swivel_chair", {}, ("swivel_chair",)),
    "stool": ("seat", {"kind": "stool"}, ("stool", "bar_stool")),
    "bench": ("seat", {"kind": "bench"}, ("bench",)),
    "pillow": ("pillow", {}, ("pillow",)),
}
"""Furniture that stands in numbers is made of few triangles: name → (maker, settings, categories that look like it)."""


@dataclass(frozen=True)
class Piece:
    """One piece of furniture: its model is centred at the origin and faces −y before the turn."""

    category: str
    model: Model
    centre_m: tuple[float, float, float]
    yaw_deg: float
    on_wall: bool = False
    """Hangs, or stands on another piece: takes no floor."""
    flat: bool = False
    """A rug: one walks over it."""

    @property
    def forward(self) -> Array:
        """Unit vector (x, y) in which it faces."""
        a = math.radians(self.yaw_deg)
        return np.array([math.sin(a), -math.cos(a)])

    @property
    def right(self) -> Array:
        """Unit vector (x, y) along its width: its own +x."""
        a = math.radians(self.yaw_deg)
        return np.array([math.cos(a), math.sin(a)])

    @functools.cached_property
    def footprint(self) -> Rect:
        """Its box on the floor."""
        return footprint(self.model.size, self.centre_m[:2], self.yaw_deg)

    @property
    def foot(self) -> Rect:
        """The box on the floor of what is low of it: a plant's pot without its leaves."""
        v = np.concatenate([p.vertices for p in self.model.parts])
        low = v[v[:, 2] < v[:, 2].min() + 0.15]
        c, s = math.cos(math.radians(self.yaw_deg)), math.sin(math.radians(self.yaw_deg))
        x = low[:, 0] * c - low[:, 1] * s + self.centre_m[0]
        y = low[:, 0] * s + low[:, 1] * c + self.centre_m[1]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    @property
    def top_m(self) -> float:
        return self.centre_m[2] + float(self.model.size[2]) / 2


def footprint(size: Array, at: Sequence[float] | Array, yaw_deg: float) -> Rect:
    """What a box that is turned by a yaw covers of the floor, as a rectangle along the axes."""
    c, s = abs(math.cos(math.radians(yaw_deg))), abs(math.sin(math.radians(yaw_deg)))
    w, d = float(size[0] * c + size[1] * s) / 2, float(size[0] * s + size[1] * c) / 2
    return float(at[0]) - w, float(at[1]) - d, float(at[0]) + w, float(at[1]) + d


def overlaps(a: Rect, b: Rect) -> bool:
    """Whether two rectangles share some floor."""
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


@functools.lru_cache(maxsize=256)
def _model(catalogue: Catalogue, name: str, size: tuple[float, float, float] | None, variant: int | None) -> Model:
    """A model centred at the origin; the same object for the same arguments, so that its mesh is built once."""
    if name in CHEAP:
        maker, settings, _ = CHEAP[name]
        model = make(maker, **settings)
    else:
        match = catalogue.lookup(name)
        model = (catalogue.model(match) if variant is None else catalogue.model(match, variant=variant)).closed
        if match.maker == LAMP:
            model = unlit(model)  # furniture carries no light, so it must not seem to
    return model.normalised(np.array(size)) if size else model.normalised()


class Arranger:
    """Furniture of one room as it is placed.

    Attributes:
        space: the room.
        rng: chooses among what fits.
        pieces: what stands so far.
    """

    def __init__(
        self,
        space: Space,
        rng: np.random.Generator,
        catalogue: Catalogue,
        taken: set[str],
        categories: set[str],
        discs: Sequence[Disc] = (),
        rects: Sequence[Rect] = (),
    ) -> None:
        """
        Args:
            taken: what the task's objects look like (`Catalogue.kind_of`): furniture never looks so.
            categories: their categories.
            discs: (x, y, radius) of floor to leave free.
            rects: rectangles of floor to leave free.
        """
        self.space, self.rng, self.catalogue = space, rng, catalogue
        self.taken, self.categories = taken, categories
        self.discs, self.rects = list(discs), [*rects, *space.keep]
        self.pieces: list[Piece] = []
        self.fronts: list[Rect] = []
        """Floor in front of seats and drawers."""
        self.hung: list[tuple[Face, float, float, float, float]] = []
        """What hangs: (face, from, to, lower, upper) along the wall and above the floor."""

    # --- models ------------------------------------------------------------------------------------------------------

    def model(self, name: str, size: tuple[float, float, float] | None = None, variant: int | None = None) -> Model | None:
        """The model of a category (or a name of `CHEAP`), scaled to `size`; None where an object of the task looks like it."""
        if name in CHEAP:
            return None if self.categories & set(CHEAP[name][2]) else _model(self.catalogue, name, size, variant)
        if self.catalogue.lookup(name).grade == "none" or self.catalogue.kind_of(name) in self.taken:
            return None
        return _model(self.catalogue, name, size, variant)

    # --- floor -------------------------------------------------------------------------------------------------------

    def free(self, rect: Rect, *, flat: bool = False, beside: Piece | None = None) -> bool:
        """Whether nothing is in the way of a thing on this floor, `beside` aside (a chair at its desk); rugs lie under furniture."""
        if not self.space.holds(rect):
            return False
        for x, y, radius in self.discs:
            dx, dy = max(rect[0] - x, 0.0, x - rect[2]), max(rect[1] - y, 0.0, y - rect[3])
            if math.hypot(dx, dy) < radius:
                return False
        if any(overlaps(rect, r) for r in self.rects):
            return False
        return flat or not any(overlaps(rect, p.footprint) for p in self.pieces if not p.on_wall and not p.flat and p is not beside)

    def try_at(
        self,
        name: str,
        model: Model,
        at: Sequence[float] | Array,
        yaw_deg: float,
        *,
        front: float = 0.0,
        beside: Piece | None = None,
    ) -> Piece | None:
        """Put a model at a floor point if it is free there, with `front` metres of free floor before it.

        `beside`: the piece that it belongs to, whose front it may stand in and under which it may reach (a chair at its desk).
        """
        size = model.size
        if size[2] > self.space.height_m - 0.05:
            return None
        piece = Piece(name, model, (float(at[0]), float(at[1]), self.space.floor_z_m + float(size[2]) / 2), yaw_deg)
        rect = piece.footprint
        through = self.front_of(beside) if beside else []
        if not self.free(rect, beside=beside) or any(overlaps(rect, f) for f in self.fronts if f not in through):
            return None
        if front > 0:
            f = piece.forward
            zone = (
                rect[0] + min(0.0, float(f[0])) * front,
                rect[1] + min(0.0, float(f[1])) * front,
                rect[2] + max(0.0, float(f[0])) * front,
                rect[3] + max(0.0, float(f[1])) * front,
            )
            if any(overlaps(zone, p.footprint) for p in self.pieces if not p.on_wall and not p.flat):
                return None
            self.fronts.append(zone)
        self.pieces.append(piece)
        return piece

    def keep_between(self, a: Piece, b: Piece) -> None:
        """Nothing is placed any more between two pieces that face each other (a sofa and its television)."""
        p, q = a.footprint, b.footprint
        if abs((a.yaw_deg - b.yaw_deg) % 360 - 180) > 1:
            return
        across = 0 if abs(a.forward[1]) > 0.5 else 1
        low, high = max(p[across], q[across]), min(p[across + 2], q[across + 2])
        near, far = min(p[3 - across], q[3 - across]), max(p[1 - across], q[1 - across])
        if low < high and near < far:
            self.fronts.append((low, near, high, far) if across == 0 else (near, low, far, high))

    def front_of(self, piece: Piece) -> list[Rect]:
        """The fronts that touch a piece."""
        r = piece.footprint
        grown = (r[0] - 0.02, r[1] - 0.02, r[2] + 0.02, r[3] + 0.02)
        return [f for f in self.fronts if overlaps(grown, f)]

    # --- against walls ------------------------------------------------------------------------------------------------

    def faces(self, order: str = "spread") -> list[Face]:
        """Faces to try: ``spread`` the emptiest first, ``long`` the longest without doors first, ``window`` those with windows first."""
        faces = [self.space.faces[int(i)] for i in self.rng.permutation(len(self.space.faces))]
        used = {id(f): sum(1 for p in self.pieces if not p.on_wall and p.yaw_deg == f.yaw_deg) for f in faces}
        doors = {id(f): sum(o.kind != "window" for o in f.openings) for f in faces}
        if order == "long":
            return sorted(faces, key=lambda f: -f.length_m + 1.2 * doors[id(f)] + 0.6 * used[id(f)])
        if order == "window":
            return sorted(faces, key=lambda f: -sum(o.kind == "window" for o in f.openings))
        return sorted(faces, key=lambda f: used[id(f)])

    def clear_of_windows(self, face: Face, a: float, b: float, high: float) -> bool:
        """Whether a thing of this height between two places along a face covers no window."""
        return not any(
            o.kind == "window" and high > o.sill_m + 0.03 and a < o.span[1] + 0.03 and b > o.span[0] - 0.03 for o in face.openings
        )

    def wall(
        self,
        name: str,
        where: str = "any",
        order: str = "spread",
        front: float = 0.45,
        size: tuple[float, float, float] | None = None,
        model: Model | None = None,
        faces: Sequence[Face] | None = None,
        gap: float = 0.025,
    ) -> Piece | None:
        """Stand a thing with its back to a wall: in the ``middle`` of a face, in a ``corner``, or anywhere."""
        model = model or self.model(name, size)
        if model is None:
            return None
        wide, deep, high = (float(v) for v in model.size)
        for face in faces if faces is not None else self.faces(order):
            room = face.length_m - wide - 0.08
            if room < 0:
                continue
            first, last = wide / 2 + 0.04, face.length_m - wide / 2 - 0.04
            corners = [first, last] if self.rng.random() < 0.5 else [last, first]
            middle = sorted(np.linspace(first, last, max(2, int(room / 0.12) + 1)).tolist(), key=lambda s: abs(s - face.length_m / 2))
            if where == "corner":
                places = [*corners, *sorted(middle, key=lambda s: min(s - first, last - s))]
            elif where == "middle":
                places = middle
            else:
                places = [*self.rng.uniform(first, last, 10).tolist(), *corners, *middle]
            for along in places:
                if not self.clear_of_windows(face, along - wide / 2, along + wide / 2, high):
                    continue
                at = face.at(float(along), deep / 2 + gap)
                piece = self.try_at(name, model, at, face.yaw_deg, front=front)
                if piece:
                    return piece
        return None

    def opposite(self, anchor: Piece, name: str, front: float = 0.4, size: tuple[float, float, float] | None = None) -> Piece | None:
        """Against the wall that the anchor faces, as straight ahead of it as possible."""
        model = self.model(name, size)
        if model is None:
            return None
        wide, deep, high = (float(v) for v in model.size)
        for face in self.space.faces:
            if abs((face.yaw_deg - anchor.yaw_deg) % 360 - 180) > 1:
                continue
            to = np.array([anchor.centre_m[0] - face.left[0], anchor.centre_m[1] - face.left[1], 0.0])
            target = float(to @ face.direction)
            if not 1.2 < float(to @ face.normal) < 6.0:
                continue
            for shift in (0.0, 0.15, -0.15, 0.3, -0.3, 0.5, -0.5, 0.75, -0.75):
                along = target + shift
                if not wide / 2 + 0.03 < along < face.length_m - wide / 2 - 0.03:
                    continue
                if self.clear_of_windows(face, along - wide / 2, along + wide / 2, high):
                    piece = self.try_at(name, model, face.at(along, deep / 2 + 0.03), face.yaw_deg, front=front)
                    if piece:
                        return piece
        return None

    # --- by other furniture --------------------------------------------------------------------------------------------

    def beside(
        self, anchor: Piece, name: str, gap: float = 0.05, sides: Sequence[int] = (1, -1), size: tuple[float, float, float] | None = None
    ) -> Piece | None:
        """Next to the anchor with its back to the same wall; the first side that is free."""
        model = self.model(name, size)
        if model is None:
            return None
        for side in sides:
            shift = side * (float(anchor.model.size[0] + model.size[0]) / 2 + gap)
            back = -float(anchor.model.size[1] - model.size[1]) / 2
            at = np.array(anchor.centre_m[:2]) + anchor.right * shift + anchor.forward * back
            piece = self.try_at(name, model, at, anchor.yaw_deg, beside=anchor)
            if piece:
                return piece
        return None

    def before(
        self, anchor: Piece, name: str, gap: float, turn_deg: float = 180.0, shift: float = 0.0, model: Model | None = None
    ) -> Piece | None:
        """In front of the anchor, by default facing it."""
        model = model or self.model(name)
        if model is None:
            return None
        deep = float(model.size[1] if round(turn_deg / 90) % 2 == 0 else model.size[0])
        at = np.array(anchor.centre_m[:2]) + anchor.forward * (float(anchor.model.size[1]) / 2 + gap + deep / 2) + anchor.right * shift
        return self.try_at(name, model, at, (anchor.yaw_deg + turn_deg) % 360, beside=anchor)

    def on(
        self,
        anchor: Piece | None,
        name: str,
        dx: float = 0.0,
        dy: float = 0.0,
        turn_deg: float = 0.0,
        model: Model | None = None,
        z: float | None = None,
    ) -> Piece | None:
        """On top of the anchor, `dx` to its right and `dy` towards its back from the middle."""
        model = model or self.model(name)
        if model is None or anchor is None:
            return None
        at = np.array(anchor.centre_m[:2]) + anchor.right * dx - anchor.forward * dy
        base = anchor.top_m if z is None else self.space.floor_z_m + z
        piece = Piece(
            name, model, (float(at[0]), float(at[1]), base + float(model.size[2]) / 2), (anchor.yaw_deg + turn_deg) % 360, on_wall=True
        )
        self.pieces.append(piece)
        return piece

    # --- in the middle -------------------------------------------------------------------------------------------------

    def spots(self, wide: float, deep: float, step: float = 0.2) -> list[tuple[float, float]]:
        """Points where a rectangle fits, nearest to the middle of the room first."""
        mx, my = self.space.middle
        x0, y0, x1, y1 = self.space.bounds
        nx, ny = int((x1 - x0) / step / 2) + 1, int((y1 - y0) / step / 2) + 1
        grid = [(mx + i * step, my + j * step) for i in range(-nx, nx + 1) for j in range(-ny, ny + 1)]
        grid.sort(key=lambda p: (round(math.hypot(p[0] - mx, p[1] - my), 6), p))
        return [p for p in grid if self.free((p[0] - wide / 2, p[1] - deep / 2, p[0] + wide / 2, p[1] + deep / 2))]

    def table_with_chairs(
        self, table: str, chairs: int, margin: float = 0.45, model: Model | None = None, chair: str = "chair"
    ) -> Piece | None:
        """A table where it fits nearest to the middle, with chairs pushed in around it."""
        model = model or self.model(table)
        seat = self.model(chair)
        if model is None or seat is None:
            return None
        reach = 0.34
        x0, y0, x1, y1 = self.space.bounds
        yaws = (0.0, 90.0) if x1 - x0 >= y1 - y0 else (90.0, 0.0)
        for yaw in yaws:
            wide, deep = (float(model.size[0]), float(model.size[1])) if yaw == 0 else (float(model.size[1]), float(model.size[0]))
            need = wide + 2 * reach + 2 * margin, deep + 2 * reach + 2 * margin
            for x, y in self.spots(*need):
                piece = self.try_at(table, model, (x, y), yaw)
                if piece:
                    self._chairs(piece, seat, chair, chairs)
                    return piece
        return None

    def _chairs(self, table: Piece, seat: Model, name: str, count: int) -> None:
        long, deep = float(table.model.size[0]), float(table.model.size[1])
        inside = 0.5 * float(seat.size[1]) - 0.16
        per_side = max(1, min(3, int(long / 0.62)))
        places: list[tuple[float, float, float]] = []
        for k in range(per_side):
            dx = (k - (per_side - 1) / 2) * min(0.68, long / per_side)
            places += [(dx, -deep / 2 - inside, 180.0), (dx, deep / 2 + inside, 0.0)]
        places += [(long / 2 + inside, 0.0, 270.0), (-long / 2 - inside, 0.0, 90.0)]
        for dx, dy, turn in places[:count]:
            jitter = float(self.rng.uniform(-0.03, 0.05))
            at = np.array(table.centre_m[:2]) + table.right * dx - table.forward * dy
            away = at - np.array(table.centre_m[:2])
            at = at + away / np.linalg.norm(away) * max(jitter, 0.0)
            z = self.space.floor_z_m + float(seat.size[2]) / 2
            self.pieces.append(Piece(name, seat, (float(at[0]), float(at[1]), z), (table.yaw_deg + turn) % 360))

    def rug(self, wide: float, deep: float, at: Sequence[float] | Array, yaw_deg: float, kind: str = "lozenge") -> Piece | None:
        """A rug under what stands there; shrunk until it fits."""
        for share in (1.0, 0.85, 0.7, 0.55):
            model = fitted.rug(wide * share, deep * share, self.space.seed % 97, kind).normalised()
            rect = footprint(model.size, at, yaw_deg)
            if self.free(rect, flat=True):
                z = self.space.floor_z_m + 0.004
                piece = Piece("rug", model, (float(at[0]), float(at[1]), z), yaw_deg, flat=True)
                self.pieces.append(piece)
                return piece
        return None

    # --- on walls ------------------------------------------------------------------------------------------------------

    def hang(
        self, name: str, face: Face, along: float, middle_z: float, model: Model | None = None, variant: int | None = None
    ) -> Piece | None:
        """Hang a thing on a face where there is neither an opening, nor something tall before it, nor another thing."""
        model = model or self.model(name, variant=variant)
        if model is None:
            return None
        wide, deep, high = (float(v) for v in model.size)
        a, b, low, top = along - wide / 2, along + wide / 2, middle_z - high / 2, middle_z + high / 2
        if a < 0.05 or b > face.length_m - 0.05 or top > self.space.height_m - 0.05:
            return None
        curtain = 0.3
        if any(a < o.span[1] + curtain and b > o.span[0] - curtain and low < o.head_m + 0.2 for o in face.openings):
            return None
        if any(f is face and a < d + 0.04 and b > c - 0.04 and low < t and top > s for f, c, d, s, t in self.hung):
            return None
        centre = face.at(along, deep / 2 + 0.004, self.space.floor_z_m + middle_z)
        piece = Piece(name, model, (float(centre[0]), float(centre[1]), float(centre[2])), face.yaw_deg, on_wall=True)
        rect = piece.footprint
        if any(overlaps(rect, p.footprint) and p.top_m > piece.centre_m[2] - high / 2 - 0.02 for p in self.pieces if not p.flat):
            return None
        for x, y, _ in self.discs:
            if math.hypot(x - centre[0], y - centre[1]) < 0.45:
                return None
        self.pieces.append(piece)
        self.hung.append((face, a, b, low, top))
        return piece

    def face_behind(self, piece: Piece) -> tuple[Face, float] | None:
        """The face at a piece's back, and the place of its middle along it."""
        for face in self.space.faces:
            if abs((face.yaw_deg - piece.yaw_deg) % 360) > 1:
                continue
            to = np.array([piece.centre_m[0] - face.left[0], piece.centre_m[1] - face.left[1], 0.0])
            along = float(to @ face.direction)
            if 0 <= along <= face.length_m and abs(float(to @ face.normal) - float(piece.model.size[1]) / 2) < 0.15:
                return face, along
        return None

    def above(
        self, piece: Piece | None, name: str, middle_z: float, model: Model | None = None, variant: int | None = None
    ) -> Piece | None:
        """Hang a thing on the wall above a piece."""
        found = self.face_behind(piece) if piece else None
        return self.hang(name, found[0], found[1], middle_z, model, variant) if found else None

    def somewhere(self, name: str, middle_z: float, count: int = 1, model: Model | None = None) -> None:
        """Hang things where the walls are barest, one on a face."""
        left = count
        for face in self.faces():
            if left == 0:
                return
            if any(f is face for f, *_ in self.hung):
                continue
            variant = int(self.rng.integers(6)) if model is None else None
            for along in sorted(np.linspace(0.4, max(0.5, face.length_m - 0.4), 9).tolist(), key=lambda s: abs(s - face.length_m / 2)):
                if self.hang(name, face, float(along), middle_z, model, variant):
                    left -= 1
                    break
