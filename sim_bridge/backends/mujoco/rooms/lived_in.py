"""Rooms as people live in them: furniture away from the walls too, more kinds of rooms, and small things about (`clutter`).

`Room.arrangement` ``lived_in`` asks for it. What stands along the walls is arranged as ever (`rooms`); islands come into the floor that
is left, then things on the floor, and last, when doors are known to be passable, things on the furniture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
from sim_bridge.backends.mujoco.models import fitted
from sim_bridge.backends.mujoco.models.house import island_counter
from sim_bridge.backends.mujoco.rooms import clutter
from sim_bridge.backends.mujoco.rooms.furnishing import Arranger, Piece, footprint, overlaps

FILL: dict[str, tuple[str, ...]] = {
    "living_room": ("bookcase", "sideboard", "console_table", "armchair"),
    "dining_room": ("sideboard", "china_cabinet", "console_table"),
    "bedroom": ("dresser", "bookcase", "bench"),
    "office": ("bookcase", "filing_cabinet", "cabinet", "console_table"),
    "kitchen": ("shelf", "kitchen_cabinet", "sideboard"),
    "childs_room": ("toy_box", "shelf", "bookcase", "dresser"),
    "lab": ("lab_bench", "cabinet", "shelf"),
    "workshop": ("workbench", "cabinet", "shelf", "locker"),
    "utility_room": ("cabinet", "shelf", "sideboard"),
    "library": ("bookcase", "console_table", "armchair"),
    "meeting_room": ("console_table", "bookcase", "cabinet"),
    "storage_room": ("shelf", "cabinet"),
    "bathroom": ("shelf", "cabinet"),
    "hall": ("console_table", "bench", "sideboard"),
    "corridor": ("console_table",),
}
"""Kind of room → what else comes to its walls where there is room."""
FROM_M2 = 12.0
"""Floor per piece of `FILL`."""
ISLANDS_FROM_M2 = 14.0
"""Rooms of a house that are smaller have no islands: one walks through them."""
FLOOR_THINGS = (2, 5)
"""Fewest and most things left on the floor of a room, by its free floor."""


class Lived(Arranger):
    """An arranger that avoids everything alike what the scene asks about."""

    avoid: tuple[str, ...] = ()
    """Categories of the scene's objects and of `Room.without`."""
    no_table: bool = False
    """Whether the middle is kept for something else than a table."""

    def model(self, name: str, size: tuple[float, float, float] | None = None, variant: int | None = None) -> Model | None:
        """As `Arranger.model`; None too where somebody might take the furniture for something to avoid."""
        return None if clutter.alike(name, self.avoid) else super().model(name, size, variant)

    def island(
        self, name: str, model: Model | None = None, *, around: float = 0.3, turns: Sequence[float] = (0.0, 90.0, 180.0, 270.0)
    ) -> Piece | None:
        """A thing in the free floor away from walls, as near to the middle of the room as it fits with `around` metres about it."""
        model = model or self.model(name)
        if model is None:
            return None
        yaw = float(turns[int(self.rng.integers(len(turns)))])
        wide, deep = (float(v) for v in model.size[:2])
        if round(yaw / 90) % 2:
            wide, deep = deep, wide
        spots = self.spots(wide + 2 * around, deep + 2 * around)
        if not spots:
            return None
        first = int(self.rng.integers(min(6, len(spots))))
        for spot in (*spots[first:], *spots[:first]):
            piece = self.try_at(name, model, spot, yaw)
            if piece:
                return piece
        return None

    def table_with_chairs(
        self, table: str, chairs: int, margin: float = 0.45, model: Model | None = None, chair: str = "chair"
    ) -> Piece | None:
        """As `Arranger.table_with_chairs`; none where something else is to come into the middle."""
        return None if self.no_table else super().table_with_chairs(table, chairs, margin, model, chair)

    def rug(self, wide: float, deep: float, at: Sequence[float] | Array, yaw_deg: float, kind: str = "lozenge") -> Piece | None:
        """As `Arranger.rug`; none over another."""
        rect = footprint(np.array([wide, deep, 0.0]), at, yaw_deg)
        return None if any(p.flat and overlaps(rect, p.footprint) for p in self.pieces) else super().rug(wide, deep, at, yaw_deg, kind)

    def rug_under(self, piece: Piece | None, more: float = 0.7) -> None:
        """A rug under an island, `more` metres wider each way."""
        if piece is None:
            return
        x0, y0, x1, y1 = piece.footprint
        kind = ("lozenge", "stripes", "plain")[int(self.rng.integers(3))]
        self.rug(x1 - x0 + more, y1 - y0 + more, piece.centre_m[:2], 0.0, kind)


# --- islands by kind of room ------------------------------------------------------------------------------------------


def _sitting(a: Lived) -> None:
    if any(p.category == "coffee_table" for p in a.pieces):
        chair = a.island("armchair", around=0.25)
        if chair:
            a.beside(chair, "side_table", 0.06)
            a.beside(chair, "floor_lamp", 0.06)
    else:
        table = a.island("coffee_table", around=0.35)
        if table:
            a.before(table, "armchair", 0.3, 180)
            a.rug_under(table, 1.0)
    a.island("ottoman", around=0.2)


def _dining(a: Lived) -> None:
    if not any(p.category == "table" for p in a.pieces):
        table = a.model("table")
        if table is not None:
            a.table_with_chairs("table", 4, 0.12, fitted.round_table(0.95).normalised())


def _sleeping(a: Lived) -> None:
    bed = next((p for p in a.pieces if p.category == "bed"), None)
    bench = a.before(bed, "bench", 0.06, 180) if bed else None
    if bench is None:
        a.rug_under(a.island("ottoman", around=0.3), 0.8)


def _working(a: Lived) -> None:
    desk = a.island("desk", around=0.75, turns=(0.0, 90.0))
    if desk:
        a.on(desk, "monitor", 0.0, 0.14)
        a.on(desk, "keyboard", 0.0, -0.10)
        a.before(desk, "desk_chair", -0.1, 180)


def _cooking(a: Lived) -> None:
    if clutter.alike("counter", a.avoid):
        return
    long = (1.6, 1.2)[int(a.rng.integers(2))]
    island = a.island("island", island_counter(long, a.space.seed % 5), around=0.55)
    if island:
        for dx in (-0.3, 0.3):
            a.before(island, "bar_stool", 0.03, 180, dx)


def _playing(a: Lived) -> None:
    low = a.model("table", (0.7, 0.55, 0.5))
    if low is not None:
        table = a.island("low_table", low, around=0.35)
        if table:
            a.before(table, "stool", 0.05, 180)
            a.rug_under(table, 0.9)


def _laboratory(a: Lived) -> None:
    a.island("lab_bench", around=0.5)


def _making(a: Lived) -> None:
    bench = a.island("workbench", around=0.45)
    if bench:
        a.before(bench, "stool", 0.1, 180)


def _passing(a: Lived) -> None:
    a.wall("bench", "any", front=0.1)


def _bathing(a: Lived) -> None:
    a.wall("stool", "any", front=0.2)


def _washing(a: Lived) -> None:
    table = a.model("table", (1.1, 0.65, 0.88))
    if table is not None:
        a.island("folding_table", table, around=0.4)


def _storing(a: Lived) -> None:
    a.island("storage_rack", fitted.storage_rack(a.space.seed + 40, 0.9).normalised(), around=0.4)


ISLANDS: dict[str, Callable[[Lived], None]] = {
    "living_room": _sitting,
    "dining_room": _dining,
    "bedroom": _sleeping,
    "office": _working,
    "kitchen": _cooking,
    "childs_room": _playing,
    "lab": _laboratory,
    "garage": _making,
    "workshop": _making,
    "corridor": _passing,
    "bathroom": _bathing,
    "storage_room": _storing,
    "utility_room": _washing,
    "hall": _sitting,
}
"""Kind of room → what comes into its middle."""


# --- kinds that the walls do not know ---------------------------------------------------------------------------------


def utility_room(a: Arranger) -> None:
    """Where one washes and irons clothes and keeps what cleans the house."""
    for name in ("washer", "clothes_dryer", "sink"):
        a.wall(name, "corner", front=0.5)
    a.wall("storage_rack", "any", front=0.5, model=fitted.storage_rack(a.space.seed).normalised())
    a.wall("cabinet", "any", front=0.4)
    a.wall("laundry_basket", "corner", front=0.0)
    a.wall("step_ladder", "corner", front=0.0)
    a.wall("broom", "corner", front=0.0)
    a.wall("counter", "any", front=0.5, size=(1.2, 0.6, 0.9))


def workshop(a: Arranger) -> None:
    """Benches, racks of boxes and cans, a cabinet."""
    a.wall("workbench", "middle", "long", front=0.7)
    for k in range(2):
        a.wall("storage_rack", "any", front=0.5, model=fitted.storage_rack(a.space.seed + k).normalised())
    a.wall("workbench", "any", "window", front=0.7)
    a.wall("step_ladder", "corner", front=0.0)
    a.wall("trash_can", "corner", front=0.0)
    a.wall("broom", "corner", front=0.0)
    a.somewhere("wall_clock", 1.95, 1)


def library(a: Arranger) -> None:
    """Bookcases along the walls, a table to read at, an armchair by a lamp."""
    for _ in range(6 if a.space.area_m2 > 18 else 4):
        a.wall("bookcase", "any", front=0.5)
    chair = a.wall("armchair", "corner", front=0.4)
    if chair:
        a.beside(chair, "floor_lamp", 0.06)
    a.table_with_chairs("table", 4)
    a.wall("house_plant", "corner", front=0.0)
    a.somewhere("picture", 1.6, 1)


def meeting_room(a: Arranger) -> None:
    """A large table with chairs, a board, and a sideboard."""
    long = a.model("table", (2.0, 0.95, 0.74))
    if long is not None and not a.table_with_chairs("table", 8, 0.3, long):
        a.table_with_chairs("table", 4, 0.25)
    board = fitted.chalk_board(2.0, 1.1).normalised()
    for face in a.faces("long"):
        if a.hang("board", face, face.length_m / 2, 1.5, board):
            break
    a.wall("sideboard", "middle")
    a.wall("house_plant", "corner", front=0.0)
    a.wall("trash_can", "corner", front=0.0)
    a.somewhere("wall_clock", 1.95, 1)
    a.somewhere("picture", 1.6, 1)


# --- the whole --------------------------------------------------------------------------------------------------------


def arrange(a: Lived, kind: str, along_walls: Callable[[Arranger], None], avoid: Sequence[str], in_house: bool) -> None:
    """Furniture and what lies on the floor; what stands on furniture comes later (`clutter.strew`).

    Args:
        kind: one of `ISLANDS`, or a kind without islands.
        along_walls: arranges what stands along the walls.
        avoid: categories that nothing may be alike.
    """
    a.avoid = tuple(avoid)
    a.no_table = kind == "kitchen" and a.space.seed % 2 == 0 and not clutter.alike("counter", avoid)
    along_walls(a)
    a.no_table = False
    more = ISLANDS.get(kind)
    if more is not None and (not in_house or a.space.area_m2 > ISLANDS_FROM_M2):
        more(a)
    if not in_house:
        names = FILL.get(kind, ())
        for k in a.rng.permutation(len(names))[: max(1, round(a.space.area_m2 / FROM_M2))]:
            a.wall(names[int(k)], "any", front=0.3)
    free = a.space.area_m2 - sum((r[2] - r[0]) * (r[3] - r[1]) for r in (p.footprint for p in a.pieces if not p.on_wall and not p.flat))
    low, high = FLOOR_THINGS
    clutter.scatter(a, kind, a.avoid, int(np.clip(round(free / 5), 1 if in_house else low, low if in_house else high)))
